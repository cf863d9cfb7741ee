//! State an instruction reads and writes beside its operands: what its format says, and what its row adds.
//!
//! VCC counts as implicit where the short forms name it only by position (VOP2, VOPC, SDWA, DPP); the long forms have it, or any other SGPR
//! pair, as an operand. Reference: the ISA manuals' chapter on program state; `isa_review` (tests/llvm-check) compares with LLVM's tables.

use super::inst::{Enc, Inst};
use super::row::{Flags, Implicit, Opd, Row, Ty};
use crate::feature::Feature;

impl Implicit {
    /// Names of all that is in the set: `EXEC`, `VCC`, `SCC`, `M0`, `MODE`, `FLAT_SCR`.
    pub fn names(self) -> Vec<&'static str> {
        self.iter_names().map(|n| n.0).collect()
    }
}

/// Formats that work on lanes.
fn is_vector(enc: Enc) -> bool {
    !matches!(enc, Enc::SOP1 | Enc::SOP2 | Enc::SOPC | Enc::SOPK | Enc::SOPP | Enc::SMEM)
}

fn is_valu(enc: Enc) -> bool {
    matches!(enc, Enc::VOP1 | Enc::VOP2 | Enc::VOPC | Enc::VOP3 | Enc::VOP3SD | Enc::VOP3P | Enc::VOPD | Enc::VINTERP | Enc::VINTRP)
}

fn is_short(enc: Enc) -> bool {
    matches!(enc, Enc::VOP1 | Enc::VOP2 | Enc::VOPC)
}

/// Rounding and denormal modes apply: some operand is a float that is computed with.
fn uses_float_mode(row: &Row) -> bool {
    let float = |t: Ty| matches!(t, Ty::F16 | Ty::F32 | Ty::F64 | Ty::F16X2 | Ty::BF16 | Ty::BF16X2 | Ty::F32X2);
    let computed = |o: &Opd| match *o {
        Opd::D(t) | Opd::SD(t) | Opd::S0(t) | Opd::S1(t) | Opd::S2(t) | Opd::V0(t) | Opd::V1(t) | Opd::V2(t) | Opd::R0(t) => float(t),
        _ => false,
    };
    match row.enc() {
        // Matrices have types of size only; the moves between register files have two operands.
        Enc::MAI => row.ops.len() > 2,
        enc => (is_valu(enc) || enc.is_salu()) && !row.flags.contains(Flags::EXACT) && row.ops.iter().any(computed),
    }
}

/// What a row reads because of its format and operands, in whichever form it is encoded.
pub(super) fn read_by_rule(row: &Row) -> Implicit {
    let mut state = Implicit::empty();
    if is_vector(row.enc()) && !row.flags.contains(Flags::ANY_LANE) {
        state |= Implicit::EXEC;
    }
    if uses_float_mode(row) {
        state |= Implicit::MODE;
    }
    match row.enc() {
        Enc::FLAT | Enc::SCRATCH => state |= Implicit::FLAT_SCR,
        Enc::VINTERP | Enc::VINTRP | Enc::LDSDIR => state |= Implicit::M0,
        _ => {}
    }
    state
}

impl Inst {
    /// State it reads without naming it as an operand.
    pub fn implicit_reads(&self) -> Implicit {
        let row = self.row;
        let mut state = row.reads | self.row_y.map_or(Implicit::empty(), |y| y.reads);
        if is_short(self.enc) && row.ops.contains(&Opd::M2) {
            state |= Implicit::VCC;
        }
        // LDS is as large as M0 says before gfx9; GDS always takes its base and size from there.
        let bounded = self.target.has(Feature::LdsSizeInM0) || self.mods.gds;
        if self.mods.lds || self.mods.row_en || self.enc == Enc::DS && bounded && !row.flags.contains(Flags::LANES) {
            state |= Implicit::M0;
        }
        state
    }

    /// State it writes without naming it as an operand.
    pub fn implicit_writes(&self) -> Implicit {
        let row = self.row;
        let mut state = row.writes;
        if row.is_compare() {
            let has_mask = row.ops.first() == Some(&Opd::MD);
            // From gfx9 SDWA names the destination.
            let named = self.mods.sdwa.present && self.target.has(Feature::SdwaScalars);
            if has_mask && is_short(self.enc) && !named {
                state |= Implicit::VCC;
            }
        } else if is_short(self.enc) && row.ops.contains(&Opd::MD) {
            state |= Implicit::VCC;
        }
        state
    }

    /// Does it write memory? Atomics do, returning or not.
    pub fn writes_memory(&self) -> bool {
        self.row.flags.intersects(Flags::STORE | Flags::ATOMIC)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Gfx, Implicit, decode};

    fn state(words: &[u32], target: u16) -> (Implicit, Implicit) {
        let target = Gfx(target);
        let inst = decode(words, target, target.default_wave_size()).expect("an instruction");
        (inst.implicit_reads(), inst.implicit_writes())
    }

    #[test]
    fn formats_and_rows_say_what_is_read_and_written() {
        use Implicit as I;
        assert_eq!(state(&[0x8000_0201], 0x1100), (I::empty(), I::SCC)); // s_add_u32 s0, s1, s2
        assert_eq!(state(&[0x8200_0201], 0x1100), (I::SCC, I::SCC)); // s_addc_u32 s0, s1, s2
        assert_eq!(state(&[0x0600_0501], 0x1100), (I::EXEC | I::MODE, I::empty())); // v_add_f32 v0, v1, v2
        assert_eq!(state(&[0x4000_0501], 0x1100), (I::EXEC | I::VCC, I::VCC)); // v_add_co_ci_u32 v0, vcc_lo, v1, v2, vcc_lo
        assert_eq!(state(&[0x7c92_0501], 0x1100), (I::EXEC, I::VCC)); // v_cmp_lt_u32_e32 vcc_lo, v1, v2
        assert_eq!(state(&[0xd449_0005, 0x0002_0501], 0x1100), (I::EXEC, I::empty())); // v_cmp_lt_u32_e64 s5, v1, v2
        assert_eq!(state(&[0x7d92_0501], 0x1100), (I::EXEC, I::EXEC)); // v_cmpx_lt_u32_e32 v1, v2
        assert_eq!(state(&[0xd760_0000, 0x0000_0501], 0x1100), (I::empty(), I::empty())); // v_readlane_b32 s0, v1, s2
    }

    #[test]
    fn lds_is_bounded_by_m0_before_gfx9() {
        let ds_read_b32 = [0xd86c_0000, 0x0000_0001];
        assert!(state(&ds_read_b32, 0x803).0.contains(Implicit::M0));
        assert!(!state(&ds_read_b32, 0x900).0.contains(Implicit::M0));
    }
}
