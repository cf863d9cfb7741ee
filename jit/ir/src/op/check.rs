//! What the verifier asks of the fields of an operation: classes that rows state after `=`, and how a field is checked against one.

use super::{Addr, Data, PureOp, Width};
use crate::abi::{ExportKind, PROBE_ARGS};
use crate::{BlockId, Func, MemKind, ProbeKind, SReg, Shape, Space, Ty, VReg, Value};

/// A type of field that can be checked against classes of type `C`. `what` names the field in the error.
pub(crate) trait Check<C> {
    fn check(&self, func: &Func, what: &str, class: C) -> Result<(), String>;
}

/// A scalar of any width.
pub(super) struct AnyScalar;
/// As many operands as the operation has, of its widths and of one shape.
pub(super) struct PureArgs(pub PureOp);
/// A number of at most this width.
pub(super) struct FitsIn(pub Width);
/// A number between two others, inclusive.
pub(super) struct InRange(pub u8, pub u8);
/// An index into [`Func::tables`].
pub(super) struct TableIndex;
/// An index into [`Func::sites`].
pub(super) struct SiteIndex;
/// An index into [`Func::failures`].
pub(super) struct FailureIndex;
/// A block of the function.
pub(super) struct Target;
/// The operands that a site counts: scalars, then lane values.
pub(super) struct SiteArgs(pub u32);
/// As many operands as a probe of this kind may have.
pub(super) struct ProbeArgs(pub ProbeKind);
/// The operands of an export of this kind.
pub(super) struct ExportArgs(pub u32);
/// A vector register.
pub(super) struct Row;
/// A scalar register that is not EXEC.
pub(super) struct Plain;
/// A base of a relative access: s0..=vcc_hi.
pub(super) struct Indexable;
/// Without sign extension.
pub(super) struct NoSign;

fn want(rule: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if rule { Ok(()) } else { Err(otherwise()) }
}

impl Check<Ty> for Value {
    fn check(&self, func: &Func, what: &str, class: Ty) -> Result<(), String> {
        let found = func.ty(*self);
        want(found == class, || format!("{what} {self:?} is {found:?}, must be {class:?}"))
    }
}

impl Check<AnyScalar> for Value {
    fn check(&self, func: &Func, what: &str, _: AnyScalar) -> Result<(), String> {
        let found = func.ty(*self);
        want(found.shape == Shape::Scalar, || format!("{what} {self:?} is {found:?}, must be a scalar"))
    }
}

impl Check<Ty> for Option<Value> {
    fn check(&self, func: &Func, what: &str, class: Ty) -> Result<(), String> {
        self.map_or(Ok(()), |v| v.check(func, what, class))
    }
}

impl Check<Ty> for [Value; 4] {
    fn check(&self, func: &Func, what: &str, class: Ty) -> Result<(), String> {
        self.iter().try_for_each(|v| v.check(func, what, class))
    }
}

impl Check<PureArgs> for [Option<Value>; 3] {
    fn check(&self, func: &Func, _: &str, PureArgs(op): PureArgs) -> Result<(), String> {
        let widths = op.args();
        let count = self.iter().flatten().count();
        want(count == widths.len() && !self[..count].contains(&None), || format!("{op} has {} operands", widths.len()))?;
        let shape = self[0].map_or(Shape::Scalar, |v| func.ty(v).shape);
        self.iter().flatten().zip(widths).try_for_each(|(v, width)| v.check(func, "operand", Ty { shape, width: *width }))
    }
}

/// Number of dwords, each a lane value.
impl Check<usize> for Data {
    fn check(&self, func: &Func, what: &str, dwords: usize) -> Result<(), String> {
        let right = self.iter().flatten().count() == dwords && !self[..dwords].contains(&None);
        want(right, || format!("this operation has {dwords} dwords of data"))?;
        self.iter().flatten().try_for_each(|v| v.check(func, what, Ty::L32))
    }
}

/// Global and flat addresses are 64 bits: S64 base, L64 or L32 lane part. The others are 32 bits: S32 and L32.
impl Check<Space> for Addr {
    fn check(&self, func: &Func, _: &str, space: Space) -> Result<(), String> {
        let wide = matches!(space, Space::Global | Space::Flat);
        self.base.check(func, "base", if wide { Ty::S64 } else { Ty::S32 })?;
        match self.offset {
            Some(offset) if wide && func.ty(offset) == Ty::L64 => Ok(()),
            offset => offset.check(func, "lane address", Ty::L32),
        }
    }
}

impl Check<SiteArgs> for Box<[Value]> {
    fn check(&self, func: &Func, _: &str, SiteArgs(site): SiteArgs) -> Result<(), String> {
        let site = &func.sites[site as usize];
        let (scalars, lanes) = (usize::from(site.scalars), usize::from(site.addresses) + usize::from(site.data));
        want(self.len() == scalars + lanes, || format!("this site has {scalars} scalar and {lanes} lane operands"))?;
        self[..scalars].iter().try_for_each(|v| v.check(func, "scalar operand", Ty::S32))?;
        self[scalars..].iter().try_for_each(|v| v.check(func, "lane operand", Ty::L32))
    }
}

impl Check<ProbeArgs> for Box<[Value]> {
    fn check(&self, func: &Func, _: &str, ProbeArgs(kind): ProbeArgs) -> Result<(), String> {
        let is_lane = |v: &&Value| func.ty(**v).shape == Shape::Lane && func.ty(**v) != Ty::MASK;
        let rows: usize = self.iter().filter(is_lane).map(|v| if func.ty(*v).width == Width::B64 { 2 } else { 1 }).sum();
        let scalars = self.len() - self.iter().filter(is_lane).count();
        want(kind == ProbeKind::Call || self.is_empty(), || "a probe that counts has no operands".into())?;
        want(rows.max(scalars) <= PROBE_ARGS, || format!("a probe has {PROBE_ARGS} scalars and {PROBE_ARGS} rows of lane values at most"))
    }
}

impl Check<ExportArgs> for Box<[Value]> {
    fn check(&self, func: &Func, _: &str, ExportArgs(kind): ExportArgs) -> Result<(), String> {
        let kind = ExportKind(kind);
        let (scalars, lanes) = (usize::from(kind.has_row()), kind.dwords().count_ones() as usize);
        want(self.len() == scalars + lanes, || format!("this export has {scalars} scalar and {lanes} lane operands"))?;
        self[..scalars].iter().try_for_each(|v| v.check(func, "M0", Ty::S32))?;
        self[scalars..].iter().try_for_each(|v| v.check(func, "component", Ty::L32))
    }
}

impl Check<FitsIn> for u64 {
    fn check(&self, _: &Func, _: &str, FitsIn(width): FitsIn) -> Result<(), String> {
        let limit = match width {
            Width::B1 => 1,
            Width::B32 => u32::MAX.into(),
            Width::B64 => u64::MAX,
        };
        want(*self <= limit, || "the constant does not fit its width".into())
    }
}

impl Check<InRange> for u8 {
    fn check(&self, _: &Func, what: &str, InRange(low, high): InRange) -> Result<(), String> {
        want((low..=high).contains(self), || format!("{what} is {self}, must be {low} to {high}"))
    }
}

impl Check<TableIndex> for u32 {
    fn check(&self, func: &Func, _: &str, _: TableIndex) -> Result<(), String> {
        want((*self as usize) < func.tables.len(), || format!("there is no table t{self}"))
    }
}

impl Check<SiteIndex> for u32 {
    fn check(&self, func: &Func, _: &str, _: SiteIndex) -> Result<(), String> {
        want((*self as usize) < func.sites.len(), || format!("there is no site s{self}"))
    }
}

impl Check<FailureIndex> for u32 {
    fn check(&self, func: &Func, _: &str, _: FailureIndex) -> Result<(), String> {
        want((*self as usize) < func.failures.len(), || format!("there is no failure f{self}"))
    }
}

impl Check<Target> for BlockId {
    fn check(&self, func: &Func, _: &str, _: Target) -> Result<(), String> {
        want((self.0 as usize) < func.blocks.len(), || format!("there is no block {self:?}"))
    }
}

impl Check<Target> for Vec<(u64, BlockId)> {
    fn check(&self, func: &Func, what: &str, _: Target) -> Result<(), String> {
        self.iter().try_for_each(|(_, b)| b.check(func, what, Target))
    }
}

impl Check<Row> for VReg {
    fn check(&self, _: &Func, _: &str, _: Row) -> Result<(), String> {
        want(self.0 < 512, || format!("there is no vector register {}", self.0))
    }
}

impl Check<Plain> for SReg {
    fn check(&self, func: &Func, _: &str, _: Plain) -> Result<(), String> {
        let is_exec = *self == SReg::EXEC_LO || *self == SReg::EXEC_HI && func.wave_size == 64;
        want(!is_exec, || "EXEC is read by `exec` and written by `setexec`".into())?;
        want(usize::from(self.0) < SReg::COUNT, || format!("there is no scalar register {}", self.0))
    }
}

impl Check<Indexable> for SReg {
    fn check(&self, _: &Func, _: &str, _: Indexable) -> Result<(), String> {
        want(*self <= SReg::VCC_HI, || format!("{self:?} cannot be the base of a relative access"))
    }
}

impl Check<NoSign> for MemKind {
    fn check(&self, _: &Func, _: &str, _: NoSign) -> Result<(), String> {
        want(!matches!(self, MemKind::I8 | MemKind::I16), || "a store has no sign: use u8 or u16".into())
    }
}
