//! What may stand in an operand's place, in words, for messages; and which operand a refused form fails for.

use super::Form;
use crate::inst::{Enc, Operand};
use crate::row::{Imm, Opd, Ty};
use crate::scalars::VCC_LO;

/// Register classes that a place takes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Takes {
    vgprs: bool,
    agprs: bool,
    scalars: bool,
    constants: bool,
}

const VECTOR: Takes = Takes { vgprs: true, agprs: false, scalars: false, constants: false };
const ACCUMULATOR: Takes = Takes { agprs: true, vgprs: false, ..VECTOR };
const SCALAR: Takes = Takes { scalars: true, vgprs: false, ..VECTOR };
const SCALAR_SOURCE: Takes = Takes { constants: true, ..SCALAR };
const ANY_SOURCE: Takes = Takes { vgprs: true, ..SCALAR_SOURCE };
const EITHER_VECTOR: Takes = Takes { agprs: true, ..VECTOR };

fn is_scalar(enc: Enc) -> bool {
    matches!(enc, Enc::SOP1 | Enc::SOP2 | Enc::SOPK | Enc::SOPC | Enc::SOPP | Enc::SMEM)
}

/// Register classes of a column of plain registers and constants, and how many registers; none for columns of other kinds.
fn takes(column: Opd, enc: Enc) -> Option<(Takes, Ty)> {
    Some(match column {
        Opd::D(t) | Opd::V0(t) | Opd::V1(t) | Opd::V2(t) => (VECTOR, t),
        Opd::AD(t) | Opd::A0(t) => (ACCUMULATOR, t),
        Opd::AV0(t) | Opd::AV1(t) => (EITHER_VECTOR, t),
        Opd::C2(t) => (Takes { constants: true, ..EITHER_VECTOR }, t),
        Opd::SD(t) | Opd::SS(t) | Opd::SR0(t) | Opd::SBASE(t) => (SCALAR, t),
        Opd::MD => (SCALAR, Ty::Mask),
        Opd::M2 => (SCALAR, Ty::Mask),
        Opd::R0(t) | Opd::R1(t) | Opd::R2(t) => (SCALAR_SOURCE, t),
        Opd::S0(t) | Opd::S1(t) | Opd::S2(t) if is_scalar(enc) => (SCALAR_SOURCE, t),
        // The second source of the short forms.
        Opd::S1(t) if matches!(enc, Enc::VOP2 | Enc::VOPC) => (VECTOR, t),
        Opd::S0(t) | Opd::S1(t) | Opd::S2(t) => (ANY_SOURCE, t),
        _ => return None,
    })
}

/// `a VGPR`, `4 scalar registers`, `2 VGPRs or a constant`.
fn registers(takes: Takes, count: u8) -> String {
    let classes =
        [(takes.vgprs, "a VGPR"), (takes.agprs, "an AGPR"), (takes.scalars, "a scalar register"), (takes.constants, "a constant")];
    let several = |words: &str| match words.split_once(' ') {
        Some((_, noun)) if count > 1 && noun != "constant" => format!("{count} {noun}s"),
        _ => words.to_string(),
    };
    let words: Vec<String> = classes.iter().filter(|c| c.0).map(|c| several(c.1)).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// An immediate by its kind.
fn immediate(kind: Imm) -> &'static str {
    match kind {
        Imm::Auto | Imm::Hex | Imm::Optional => "a number of 16 bits",
        Imm::Branch => "a label, or a distance in dwords",
        Imm::Hwreg => "hwreg(NAME) or hwreg(NAME, OFFSET, SIZE), such as hwreg(HW_REG_MODE, 0, 4), or a number",
        Imm::Sendmsg => "sendmsg(NAME), such as sendmsg(MSG_INTERRUPT), or a number",
        Imm::Version => "UC_VERSION_GFX11 or the like, or a number",
        Imm::Waitcnt => "counters, such as vmcnt(0) lgkmcnt(0), or a number",
        Imm::Depctr => "counters, such as depctr_va_vdst(0), or a number",
        Imm::DelayAlu => "instid0(VALU_DEP_1) or the like, or a number",
        Imm::GprIdx => "gpr_idx(SRC0,DST) or the like, or a number",
    }
}

/// What may stand in a column: `a VGPR or a constant`.
pub(super) fn expected(column: Opd, enc: Enc, wave_size: u32) -> String {
    if let Some((takes, ty)) = takes(column, enc) {
        if matches!(column, Opd::MD | Opd::M2) {
            let vcc = if ty.dwords(wave_size) == 1 { "vcc_lo" } else { "vcc" };
            let short = matches!(enc, Enc::VOP2 | Enc::VOPC | Enc::VOP1);
            return if short { vcc.into() } else { format!("{} for a lane mask, such as {vcc}", registers(takes, ty.dwords(wave_size))) };
        }
        return registers(takes, ty.dwords(wave_size));
    }
    match column {
        Opd::LIT(_) => "a number".into(),
        Opd::K(kind) => immediate(kind).into(),
        Opd::MSG => immediate(Imm::Sendmsg).into(),
        Opd::IDX => immediate(Imm::GprIdx).into(),
        Opd::SIMM => "a number below 128".into(),
        Opd::SOFF => "a scalar register, or an offset in bytes".into(),
        Opd::SOFFI => "an offset in bytes".into(),
        Opd::SOFFR => "a scalar register".into(),
        Opd::ADDR => "the VGPRs of an address".into(),
        Opd::SADDR => "2 scalar registers, or off".into(),
        Opd::DA(t) | Opd::DB(t) | Opd::RD(t) | Opd::VDATA(t) => match t.dwords(wave_size) {
            1 => "VGPRs for the data".into(),
            n => format!("{n} VGPRs for the data"),
        },
        Opd::VADDR => "the VGPRs of an address, or off".into(),
        Opd::RSRC(t) => format!("{} scalar registers, the first a multiple of 4", t.dwords(wave_size)),
        Opd::SAMP => "4 scalar registers, the first a multiple of 4".into(),
        Opd::SOFFSET => "a scalar register or a constant".into(),
        Opd::IADDR => "VGPRs: a range, or a list in brackets".into(),
        Opd::ATTR => "an attribute and its channel, such as attr0.x".into(),
        Opd::PARAM => "p10, p20 or p0".into(),
        Opd::TGT => "an export target, such as mrt0, pos0 or prim".into(),
        Opd::E(_) => "a VGPR or off".into(),
        _ => "another operand".into(),
    }
}

/// Why a text that looks like a register or a name is none.
pub(super) fn no_register(text: &str, target: impl std::fmt::Display) -> String {
    let range = || {
        let (first, last) = text.strip_prefix("s[")?.strip_suffix(']')?.split_once(':')?;
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        let count = last.checked_sub(first)? + 1;
        let align = if count == 2 { 2 } else { 4 };
        (count >= 2 && last < VCC_LO.into() && !first.is_multiple_of(align))
            .then(|| format!("a range of {count} scalar registers begins at a multiple of {align}"))
    };
    range().unwrap_or_else(|| format!("not a register of {target}"))
}

impl Form<'_> {
    /// The operand that has the wrong class or count for its column; numbers are of `given`.
    pub(super) fn misfit(&self) -> Option<usize> {
        let fits = |op: &Operand, column: Opd| {
            let Some((takes, _)) = takes(column, self.inst.enc) else { return true };
            match *op {
                Operand::Vgpr { n, count, .. } => takes.vgprs && u32::from(n) + u32::from(count) <= 256,
                Operand::Agpr { .. } => takes.agprs || takes.vgprs,
                Operand::Sgpr { .. } => takes.scalars,
                Operand::Int(_) | Operand::Float(_) | Operand::Literal(_) => takes.constants,
                Operand::Special(_) => takes.scalars || takes.constants,
                Operand::Imm(_) | Operand::Off => true,
            }
        };
        self.inst.ops().iter().zip(&self.given).position(|(op, given)| !fits(op, given.column))
    }
}

/// A mnemonic of `known` that differs from `word` by a slip or two.
pub(super) fn similar<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = |name: &&str| name.len().abs_diff(word.len()) <= 2;
    let found = known.filter(near).map(|name| (distance(word, name), name)).min()?;
    (found.0 <= 2).then_some(found.1)
}

/// Letters to insert, delete or replace to get from one word to another (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

/// Names of counters, for the message about one that there is not.
pub(super) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// Names of hardware registers.
pub(super) fn hardware_registers(target: crate::Gfx) -> String {
    list((0..64).filter_map(|n| crate::HwReg::of(target, n).map(crate::HwReg::name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found() {
        let known = || ["v_add_f32", "v_add_f16", "s_nop", "v_mul_f32"].into_iter();
        assert_eq!(similar("v_addd_f32", known()), Some("v_add_f32"));
        assert_eq!(similar("s_nopp", known()), Some("s_nop"));
        assert_eq!(similar("completely", known()), None);
        assert_eq!((distance("", "abc"), distance("kitten", "sitting")), (3, 3));
    }

    #[test]
    fn places_are_described_by_what_they_take() {
        let words = |column| expected(column, Enc::VOP2, 32);
        assert_eq!(words(Opd::D(Ty::F32)), "a VGPR");
        assert_eq!(words(Opd::D(Ty::F64)), "2 VGPRs");
        assert_eq!(words(Opd::S0(Ty::F32)), "a VGPR, a scalar register or a constant");
        assert_eq!(words(Opd::S1(Ty::F32)), "a VGPR");
        assert_eq!(words(Opd::AV0(Ty::F32)), "a VGPR or an AGPR");
        assert_eq!(words(Opd::MD), "vcc_lo");
        assert_eq!(expected(Opd::S1(Ty::B64), Enc::SOP2, 32), "2 scalar registers or a constant");
        assert_eq!(expected(Opd::M2, Enc::VOP3, 64), "2 scalar registers for a lane mask, such as vcc");
        assert_eq!(no_register("s[1:2]", "gfx1100"), "a range of 2 scalar registers begins at a multiple of 2");
        assert_eq!(no_register("s[0:200]", "gfx1100"), "not a register of gfx1100");
    }
}
