//! Operations of the wave IR, one row each: the rows are expanded into the types [`Op`] and [`Term`], the visiting and replacing of
//! operands, effects, signatures for the verifier, and the text form both ways. An operation that has no row does not exist; what is
//! matched by hand beside the rows is the interpreter and the emitters.
//!
//! A row: name and fields, each field with its type and, after `=`, what the verifier asks of it (`check`); text form; results; effect.
//!
//! ```text
//! /// Comment of the variant
//! VSet { reg: VReg = Row, value: Value = Ty::L32, exec: Value = Ty::MASK } "vset {reg}, {value}, exec {exec}" -> Results::NONE, WritesRegisters;
//! ```
//!
//! The classes of operands and the results are expressions over the row's other fields (by reference); results are a closure where they
//! need the function. In the text form `{field}` or `{field:hint}` stands for a field (see `field`); the first word is the row's own.
//!
//! An operation without a row does not exist:
//!
//! ```
//! let known = (wavejit_ir::Op::LaneId, wavejit_ir::PureOp::FAdd32);
//! ```
//!
//! ```compile_fail,E0599
//! let unknown = wavejit_ir::Op::LaneIdOfNobody;
//! ```
//!
//! ```compile_fail,E0599
//! let unknown = wavejit_ir::PureOp::FAdd33;
//! ```
//!
//! Files: `pure` rows of pure operations, which [`Op::Pure`] names; `field` how types of fields are visited, printed and parsed; `check`
//! what the verifier asks of them.

pub(crate) mod check;
pub(crate) mod field;
pub mod pure;

use super::text::{Cursor, ParseError};
use super::{AtomicOp, BlockId, FpMode, Func, MemKind, NoteKind, Pause, ProbeKind, SReg, Shape, Space, Ty, VReg, Value, Waits};
use check::{
    AnyScalar, Check, ExportArgs, FailureIndex, FitsIn, InRange, Indexable, NoSign, Plain, ProbeArgs, PureArgs, Row, SiteArgs, SiteIndex,
    TableIndex, Target,
};
use field::Field;
pub(crate) use pure::pure_rows;
pub use pure::{PureOp, Width};

/// A lane address: `base + offset[lane] + imm`. LDS and scratch addresses are 32-bit, others 64-bit; a 32-bit `offset` is zero-extended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Addr {
    /// Scalar part: S64 (global), S32 (scratch), or none.
    pub base: Option<Value>,
    /// Lane part: L64 or L32, or none.
    pub offset: Option<Value>,
    /// Byte offset from the instruction.
    pub imm: i64,
}

/// Data operands of a store or atomic: dwords, from the first on.
pub type Data = [Option<Value>; 4];

/// What an operation does besides giving results. Operations with an effect may neither be dropped nor change places among themselves;
/// those without may do both, but for register reads, which stay behind the writes before them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing: a function of its operands (and the lane number).
    None,
    /// Reads guest registers.
    ReadsRegisters,
    /// Writes guest registers.
    WritesRegisters,
    /// Reads or writes memory, and may fault.
    Memory,
    /// Reads or writes what the run time keeps of the wave: hardware registers, messages, exports, clocks.
    Wave,
    /// Nothing a wave can observe; kept for tools.
    Note,
    /// Shows a tool where the wave is and what it has; may fault.
    Probe,
}

impl Effect {
    /// Is it one on the wave's own registers alone, which can neither fault nor be seen by others?
    pub fn stays_in_registers(self) -> bool {
        matches!(self, Effect::None | Effect::ReadsRegisters | Effect::WritesRegisters | Effect::Note)
    }
}

/// Results of an operation: `count` values of type `ty`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Results {
    /// Type of each.
    pub ty: Ty,
    /// How many.
    pub count: usize,
}

impl Results {
    const NONE: Results = Results { ty: Ty::S32, count: 0 };
    const fn one(ty: Ty) -> Results {
        Results { ty, count: 1 }
    }
    const fn many(ty: Ty, count: usize) -> Results {
        Results { ty, count }
    }
    /// All of one shape and width.
    fn pure(func: &Func, op: PureOp, first: Value) -> Results {
        Results::one(Ty { shape: func.ty(first).shape, width: op.ret() })
    }
}

/// Results as a row states them: known from its fields, or from the function besides.
trait IntoResults {
    fn of(self, func: &Func) -> Results;
}
impl IntoResults for Results {
    fn of(self, _: &Func) -> Results {
        self
    }
}
impl<F: FnOnce(&Func) -> Results> IntoResults for F {
    fn of(self, func: &Func) -> Results {
        self(func)
    }
}

/// What is made of the fields of rows, of operations and of ends of blocks alike: visiting, checking, and the text form both ways.
macro_rules! fields_of_rows {
    ($rows:ident: $(
        $name:ident $(($($t:ident: $tt:ty $(= $tc:expr)?),*))? $({ $($f:ident: $ft:ty $(= $fc:expr)?),* })? $text:literal;
    )*) => {
        impl $rows {
            /// Calls `f` on every value in its fields, in order.
            fn visit_values(&self, mut f: impl FnMut(Value)) {
                match self {
                    $($rows::$name $(($($t),*))? $({ $($f),* })? => { $($($t.visit_values(&mut f);)*)? $($($f.visit_values(&mut f);)*)? })*
                }
            }

            /// Replaces every value it reads by `f` of it.
            pub fn map_args(&mut self, mut f: impl FnMut(Value) -> Value) {
                match self {
                    $($rows::$name $(($($t),*))? $({ $($f),* })? => { $($($t.map_values(&mut f);)*)? $($($f.map_values(&mut f);)*)? })*
                }
            }

            /// Checks what it names, which has types, against the row.
            pub fn check(&self, func: &Func) -> Result<(), String> {
                match self {
                    $($rows::$name $(($($t),*))? $({ $($f),* })? => {
                        $($($($t.check(func, stringify!($t), $tc)?;)?)*)?
                        $($($($f.check(func, stringify!($f), $fc)?;)?)*)?
                        $($(let _ = $t;)*)?
                        $($(let _ = $f;)*)?
                        Ok(())
                    })*
                }
            }

            /// Appends the text form, of operations all but what only [`Op::Pure`] has.
            pub(in crate) fn print(&self, out: &mut String) {
                match self {
                    $($rows::$name $(($($t),*))? $({ $($f),* })? => field::print($text, out, &mut |name, hint, out| {
                        $($(if name == stringify!($t) { return $t.print(name, hint, out) })*)?
                        $($(if name == stringify!($f) { return $f.print(name, hint, out) })*)?
                        let _ = (name, hint, out);
                    }),)*
                }
            }

            /// What the text starts with, but for pure operations; `None` if there is nothing of that name.
            pub(in crate) fn parse(c: &mut Cursor) -> Result<Option<$rows>, ParseError> {
                let head = c.head();
                $(if !head.is_empty() && head == field::head($text) {
                    $($(let mut $t: Option<$tt> = None;)*)?
                    $($(let mut $f: Option<$ft> = None;)*)?
                    field::parse($text, c, &mut |name, hint, c| {
                        $($(if name == stringify!($t) { $t = Some(Field::parse(name, hint, c)?); })*)?
                        $($(if name == stringify!($f) { $f = Some(Field::parse(name, hint, c)?); })*)?
                        let _ = (name, hint, c);
                        Ok(())
                    })?;
                    return Ok(Some($rows::$name $(($($t.expect(field::NAMED)),*))? $({ $($f: $f.expect(field::NAMED)),* })?));
                })*
                Ok(None)
            }

            /// Text forms, and the fields of each row, for the test of the table.
            #[cfg(test)]
            const ROWS: &[(&str, &[&str])] = &[$(($text, &[$($(stringify!($t)),*)? $($(stringify!($f)),*)?])),*];
        }
    };
}

macro_rules! define_ops {
    ($(
        $(#[$doc:meta])* $name:ident $(($($t:ident: $tt:ty $(= $tc:expr)?),*))? $({ $($f:ident: $ft:ty $(= $fc:expr)?),* })?
        $text:literal -> $results:expr, $effect:ident;
    )*) => {
        /// One instruction of the IR, without its results. The rows of [the module](self) are the list.
        #[derive(Clone, PartialEq, Debug)]
        #[allow(missing_docs)] // each variant says what its fields are
        pub enum Op { $($(#[$doc])* $name $(($($tt),*))? $({ $($f: $ft),* })?,)* }

        fields_of_rows! { Op: $($name $(($($t: $tt $(= $tc)?),*))? $({ $($f: $ft $(= $fc)?),* })? $text;)* }

        impl Op {
            /// What it does besides giving results.
            pub fn effect(&self) -> Effect {
                match self { $(Op::$name { .. } => Effect::$effect,)* }
            }

            /// Checks the operands against the row; the results.
            pub fn signature(&self, func: &Func) -> Result<Results, String> {
                self.check(func)?;
                match self {
                    $(Op::$name $(($($t),*))? $({ $($f),* })? => {
                        $($(let _ = $t;)*)?
                        $($(let _ = $f;)*)?
                        Ok(IntoResults::of($results, func))
                    })*
                }
            }
        }
    };
}

define_ops! {
    /// A scalar constant.
    Const { width: Width, bits: u64 = FitsIn(*width) } "const.{width} {bits}" -> Results::one(Ty { shape: Shape::Scalar, width: *width }), None;
    /// The guest address of the instruction that was lifted at `pc`, its upper 16 bits copies of bit 47 (s_getpc_b64). Code runs where it was
    /// lifted, or at another address ([`crate::abi::WaveState::code_delta`]).
    CodeAddress { pc: u64 } "codeaddress {pc}" -> Results::one(Ty::S64), None;
    /// A scalar in every lane.
    Splat(value: Value = AnyScalar) "splat {value}" -> |f: &Func| Results::one(Ty { shape: Shape::Lane, ..f.ty(*value) }), None;
    /// 0, 1, 2, ...
    LaneId "laneid" -> Results::one(Ty::L32), None;
    /// A constant per lane, of [`Func::tables`].
    LaneTable(table: u32 = TableIndex) "lanetable {table:t}" -> Results::one(Ty::L32), None;
    /// Elementwise; all scalar operands give a scalar, all lane operands a lane value (no mixing: use `Splat`).
    Pure { op: PureOp, mode: FpMode, args: [Option<Value>; 3] = PureArgs(*op) }
        "" -> |f: &Func| Results::pure(f, *op, args[0].expect("checked")), None;
    /// Bit i = lane i; bits at and above the wave size are 0.
    MaskBits(mask: Value = Ty::MASK) "maskbits {mask}" -> Results::one(Ty::S64), None;
    /// Lane i = bit i.
    BitsMask(bits: Value = Ty::S64) "bitsmask {bits}" -> Results::one(Ty::MASK), None;

    /// EXEC.
    ExecGet "exec" -> Results::one(Ty::MASK), ReadsRegisters;
    /// In wave32 EXEC_HI stays.
    ExecSet(mask: Value = Ty::MASK) "setexec {mask}" -> Results::NONE, WritesRegisters;
    /// A scalar register.
    SGet(reg: SReg = Plain) "sget {reg}" -> Results::one(reg.ty()), ReadsRegisters;
    /// Writes a scalar register.
    SSet(reg: SReg = Plain, value: Value = reg.ty()) "sset {reg}, {value}" -> Results::NONE, WritesRegisters;
    /// A VGPR; lanes outside `demand` are undefined; `None` demands all.
    VGet { reg: VReg = Row, demand: Option<Value> = Ty::MASK } "vget {reg}{demand}" -> Results::one(Ty::L32), ReadsRegisters;
    /// Writes the lanes of `exec` only.
    VSet { reg: VReg = Row, value: Value = Ty::L32, exec: Value = Ty::MASK } "vset {reg}, {value}, exec {exec}" -> Results::NONE, WritesRegisters;
    /// v[reg + index], or v0 where that is outside 0..=255 (STATE-30, STATE-32); `demand` as in `VGet`.
    VGetRel { reg: VReg = Row, index: Value = Ty::S32, demand: Option<Value> = Ty::MASK }
        "vgetrel {reg}, {index}{demand}" -> Results::one(Ty::L32), ReadsRegisters;
    /// Writes v[reg + index] in the lanes of `exec`; nothing where that is outside 0..=255 (STATE-31).
    VSetRel { reg: VReg = Row, index: Value = Ty::S32, value: Value = Ty::L32, exec: Value = Ty::MASK }
        "vsetrel {reg}, {index}, {value}, exec {exec}" -> Results::NONE, WritesRegisters;
    /// s[reg + index], or s0 where that is outside s0..=vcc_hi (STATE-27).
    SGetRel { reg: SReg = Indexable, index: Value = Ty::S32 } "sgetrel {reg}, {index}" -> Results::one(Ty::S32), ReadsRegisters;
    /// Writes s[reg + index]; nothing where that is outside s0..=vcc_hi.
    SSetRel { reg: SReg = Indexable, index: Value = Ty::S32, value: Value = Ty::S32 }
        "ssetrel {reg}, {index}, {value}" -> Results::NONE, WritesRegisters;

    /// The value of lane `lane` (modulo the wave size).
    ReadLane { value: Value = Ty::L32, lane: Value = Ty::S32 } "readlane {value}, {lane}" -> Results::one(Ty::S32), None;
    /// The value of the lowest lane in the mask; of lane 0 if there is none.
    ReadFirstLane { value: Value = Ty::L32, exec: Value = Ty::MASK } "readfirstlane {value}, exec {exec}" -> Results::one(Ty::S32), None;
    /// `old` with `data` in lane `lane` (modulo the wave size).
    WriteLane { old: Value = Ty::L32, data: Value = Ty::S32, lane: Value = Ty::S32 }
        "writelane {old}, {data}, {lane}" -> Results::one(Ty::L32), None;
    /// out\[i\] = value[index\[i\]], lane numbers modulo the wave size.
    Shuffle { value: Value = Ty::L32, index: Value = Ty::L32 } "shuffle {value}, {index}" -> Results::one(Ty::L32), None;
    /// out[index\[i\]] = value\[i\] for lanes of the mask, highest lane last; the others 0.
    Permute { value: Value = Ty::L32, index: Value = Ty::L32, exec: Value = Ty::MASK }
        "permute {value}, {index}, exec {exec}" -> Results::one(Ty::L32), None;

    /// `kind.dwords()` dwords a lane; lanes outside `exec` are undefined.
    Load { space: Space, kind: MemKind, addr: Addr = *space, exec: Value = Ty::MASK }
        "load {space}.{kind} {addr}, exec {exec}" -> Results::many(Ty::L32, kind.dwords()), Memory;
    /// `kind.dwords()` dwords a lane.
    Store { space: Space, kind: MemKind = NoSign, addr: Addr = *space, data: Data = kind.dwords(), exec: Value = Ty::MASK }
        "store {space}.{kind} {addr}, {data}, exec {exec}" -> Results::NONE, Memory;
    /// `data`: operand dwords (1, or 2 if `wide`), then comparand dwords; the old value if `returns`.
    Atomic {
        space: Space, op: AtomicOp, wide: bool, addr: Addr = *space, data: Data = op.operands() * atomic_dwords(*wide),
        exec: Value = Ty::MASK, returns: bool
    }
        "atomic{returns:.rtn|} {space}.{op}.{wide:64|32} {addr}, {data}, exec {exec}"
        -> Results::many(Ty::L32, if *returns { atomic_dwords(*wide) } else { 0 }), Memory;
    /// What follows in a loop that adds floats by comparing and exchanging until all of its lanes have succeeded, for those of `exec`, which have failed. `data`
    /// has the dwords of what is added, then those of what they have seen; the sum ([`FpMode::HSA`]), with what they have seen first or second, is what they
    /// exchange for it.
    ///
    /// Either the rounds to come, as they would come one after the other: gives for each lane the dwords that it compared with success, and 1. Of lanes that others
    /// come between again and again only some rounds: what they have seen, and 0. `insts` for each round are taken from the fuel.
    ///
    /// Or nothing: gives what they have seen, and 0; so where lanes are in `left`, those that the loop leaves after the round before, whatever they have seen.
    ExchangeSum {
        space: Space, wide: bool, comparand_first: bool, addr: Addr = *space, data: Data = 2 * atomic_dwords(*wide), exec: Value = Ty::MASK,
        left: Value = Ty::MASK, insts: u8
    }
        "exchangesum{comparand_first:.first|} {space}.{wide:64|32} {addr}, {data}, exec {exec}, left {left}, insts {insts}"
        -> Results::many(Ty::L32, 1 + atomic_dwords(*wide)), Memory;
    /// `dwords` scalars from `base + offset + imm`. Addresses are dword-aligned by clearing the low bits.
    SLoad { base: Value = Ty::S64, offset: Option<Value> = Ty::S32, imm: i64, dwords: u8 = InRange(1, 16) }
        "sload.{dwords} [{base}{offset:+}{imm:+}]" -> Results::many(Ty::S32, (*dwords).into()), Memory;
    /// `dwords` scalars through the V# in `desc`, range-checked (BUF-18).
    SBufferLoad { desc: [Value; 4] = Ty::S32, offset: Option<Value> = Ty::S32, imm: i64, dwords: u8 = InRange(1, 16) }
        "sbufferload.{dwords} {desc}, [0{offset:+}{imm:+}]" -> Results::many(Ty::S32, (*dwords).into()), Memory;
    /// An instruction that goes through the descriptor of a resource: a buffer, image or ray instruction, of [`Func::sites`]; scalar operands, then lane operands, as the site counts them; lanes of results
    /// outside `exec` are undefined.
    Resource { site: u32 = SiteIndex, args: Box<[Value]> = SiteArgs(*site), exec: Value = Ty::MASK }
        "resource {site:s}, {args}, exec {exec}" -> |f: &Func| Results::many(Ty::L32, f.sites[*site as usize].results.into()), Memory;

    /// Hardware register `id`.
    GetReg { id: u8 } "getreg {id}" -> Results::one(Ty::S32), Wave;
    /// Writes the whole hardware register `id`; never the float fields of MODE (the lifter turns those into block modes).
    SetReg { id: u8, value: Value = Ty::S32 } "setreg {id}, {value}" -> Results::NONE, Wave;
    /// s_sendmsg.
    SendMsg { simm: u16, m0: Value = Ty::S32 } "sendmsg {simm}, {m0}" -> Results::NONE, Wave;
    /// s_sendmsg_rtn.
    SendMsgRtn { msg: u8 } "sendmsgrtn {msg}" -> Results::one(Ty::S64), Wave;
    /// Global wave sync, `op` a [`GwsOp`](crate::abi::GwsOp).
    Gws { op: u8 = InRange(0, 5), resource: Value = Ty::S32, value: Value = Ty::S32 }
        "gws {op}, {resource}, {value}" -> Results::NONE, Wave;
    /// An export, `kind` an [`ExportKind`](crate::abi::ExportKind): M0 if that has a row, then lane values. Whether it is skipped without active lanes
    /// the run time knows (STATE-14).
    Export { kind: u32, exec: Value = Ty::MASK, args: Box<[Value]> = ExportArgs(*kind) }
        "export {kind}, exec {exec}{args:+}" -> Results::NONE, Wave;
    /// A counter: of cycles, or of realtime (100 MHz).
    Time { realtime: bool } "time {realtime:realtime|cycles}" -> Results::one(Ty::S64), Wave;
    /// s_waitcnt with what it waits for, cache control, s_delay_alu and the like: nothing to do.
    Note { kind: NoteKind, waits: Waits } "note {kind}{waits}" -> Results::NONE, Note;
    /// Gives back the fuel of so many guest instructions, which the block counts, if the condition holds: code would have jumped over them.
    Refund { insts: u32, unused: Value = Ty::S1 } "refund {insts}, {unused}" -> Results::NONE, Note;
    /// Shows a tool that the wave came here, with the lanes of `exec`; `id` and `args` (scalars, masks and lane values, defined in the lanes of
    /// `exec`) mean what who put it there wants. Stays where it is among operations with an effect, and never is one with another.
    Probe { kind: ProbeKind, id: u32, exec: Value = Ty::MASK, args: Box<[Value]> = ProbeArgs(*kind) }
        "probe.{kind} {id}, exec {exec}{args:+}" -> Results::NONE, Probe;
}

/// Dwords of an atomic's operand.
fn atomic_dwords(wide: bool) -> usize {
    1 + usize::from(wide)
}

impl Op {
    /// Calls `f` on every value it reads, in order.
    // Most are pure; every pass asks all of them.
    #[inline]
    pub fn for_each_arg(&self, mut f: impl FnMut(Value)) {
        match self {
            Op::Pure { args, .. } => args.iter().flatten().for_each(|v| f(*v)),
            _ => self.visit_values(f),
        }
    }

    /// Has it an effect besides its results and reads of registers, so that it may not be dropped or reordered against others that have?
    pub fn has_effect(&self) -> bool {
        !matches!(self.effect(), Effect::None | Effect::ReadsRegisters)
    }
}

macro_rules! define_terms {
    ($(
        $(#[$doc:meta])* $name:ident $(($($t:ident: $tt:ty $(= $tc:expr)?),*))? $({ $($f:ident: $ft:ty $(= $fc:expr)?),* })? $text:literal;
    )*) => {
        /// How a block ends. The rows of [the module](self) are the list.
        #[derive(Clone, PartialEq, Debug)]
        #[allow(missing_docs)] // each variant says what its fields are
        pub enum Term { $($(#[$doc])* $name $(($($tt),*))? $({ $($f: $ft),* })?,)* }

        fields_of_rows! { Term: $($name $(($($t: $tt $(= $tc)?),*))? $({ $($f: $ft $(= $fc)?),* })? $text;)* }

        impl Term {
            /// Calls `f` on every block it may go to, in order.
            pub fn for_each_successor(&self, mut f: impl FnMut(BlockId)) {
                match self {
                    $(Term::$name $(($($t),*))? $({ $($f),* })? => { $($($t.visit_blocks(&mut f);)*)? $($($f.visit_blocks(&mut f);)*)? })*
                }
            }

            /// Replaces every block it may go to by `f` of it.
            pub fn map_blocks(&mut self, mut f: impl FnMut(BlockId) -> BlockId) {
                match self {
                    $(Term::$name $(($($t),*))? $({ $($f),* })? => { $($($t.map_blocks(&mut f);)*)? $($($f.map_blocks(&mut f);)*)? })*
                }
            }
        }
    };
}

define_terms! {
    /// To one successor.
    Jump(to: BlockId = Target) "jump {to}";
    /// On a condition.
    Branch { cond: Value = Ty::S1, then: BlockId = Target, otherwise: BlockId = Target } "branch {cond}, {then}, {otherwise}";
    /// To a guest address: one of `known`, or out to the run time, which finds or compiles that entry. `known` are addresses as lifted.
    Indirect { target: Value = Ty::S64, known: Vec<(u64, BlockId)> = Target } "indirect {target}, [{known}]";
    /// Out to the run time, which goes on at a guest address that this function does not contain, in the same float mode.
    Leave { pc: u64 } "leave {pc}";
    /// Out to the run time with a guest address and a new float mode (bits as [`FpMode`] 7:0 plus the rest of MODE).
    NewMode { pc: u64, mode: Value = Ty::S32 } "newmode {pc}, {mode}";
    /// Suspend, then go on at `next`.
    Pause { why: Pause, next: BlockId = Target } "pause {why}, {next}";
    /// s_endpgm
    End "end";
    /// s_trap
    Trap { id: u8 } "trap {id}";
    /// Reaching this is an error: an undecodable or unsupported instruction, of [`Func::failures`].
    Fail(failure: u32 = FailureIndex) "fail {failure:f}";
}

impl Term {
    /// Calls `f` on every value it reads, in order.
    pub fn for_each_arg(&self, f: impl FnMut(Value)) {
        self.visit_values(f);
    }

    /// Blocks this may go to.
    pub fn successors(&self) -> Vec<BlockId> {
        let mut list = vec![];
        self.for_each_successor(|b| list.push(b));
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_forms_name_every_field_once_and_heads_are_unique() {
        let mut heads = std::collections::HashSet::new();
        for (text, fields) in Op::ROWS.iter().chain(Term::ROWS).filter(|r| !r.0.is_empty()) {
            assert!(heads.insert(field::head(text)), "{text}");
            let mut named = field::fields(text);
            let mut wanted = fields.to_vec();
            named.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(named, wanted, "{text}");
        }
        assert!(PureOp::ALL.iter().all(|op| !heads.contains(op.text().split('.').next().unwrap_or_default())));
    }

    #[test]
    fn float_operations_read_the_mode_and_integer_operations_do_not() {
        use PureOp::*;
        for op in [FAdd32, FMed316, PkFMul16, FRcp32, FMullit32, DivScale64, CvtF16F32, CvtOffF32I4, CubeId, TrigPreop64, Dot2F32F16] {
            assert!(op.reads_mode(), "{op}");
        }
        for op in [BAnd, IAdd32, PkIAdd16, Dot4SS, Wqm64, FClass32, FfbhU32, SatPkU8I16] {
            assert!(!op.reads_mode(), "{op}");
        }
    }

    #[test]
    fn of_complements_one_holds_where_the_other_does_not() {
        let ints = [0, 1, 2, 0x7fff_ffff, 0x8000_0000, u64::from(u32::MAX), 1 << 63, u64::MAX];
        let halves = [0, 0x8000, 0x3c00, 0xbc00, 0x4000, 0x7c00, 0xfc00, 0x7e00];
        let singles = [0.0f32, -0.0, 1.0, -1.0, 2.5, f32::INFINITY, f32::NEG_INFINITY, f32::NAN].map(|x| u64::from(x.to_bits()));
        let doubles = [0.0f64, -0.0, 1.0, -1.0, 2.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN].map(f64::to_bits);
        let mut found = 0;
        for op in PureOp::ALL {
            let Some(other) = op.complement() else { continue };
            assert_eq!((other.complement(), other.args(), op.ret()), (Some(*op), op.args(), other.ret()));
            let values = match op.text().split_once('.') {
                Some((name, "16")) if name.starts_with('f') => halves,
                Some((name, "32")) if name.starts_with('f') => singles,
                Some((name, "64")) if name.starts_with('f') => doubles,
                Some((_, "32")) => ints.map(|x| x & u64::from(u32::MAX)),
                _ => ints,
            };
            for (a, b) in values.iter().flat_map(|a| values.map(|b| (*a, b))) {
                let [x, y] = [*op, other].map(|op| crate::eval::eval(op, crate::FpMode::HSA, a, b, 0));
                assert_eq!(x + y, 1, "{op} and {other} of {a:#x}, {b:#x}");
            }
            found += 1;
        }
        assert_eq!(found, 2 * PureOp::COMPLEMENTS.len());
    }
}
