//! What differs between families behind the run time's gate.

use super::*;

#[test]
fn flat_scratch_is_a_register_of_its_own_where_the_family_has_it() {
    let moved = |number, text, reg: SReg| {
        let run = Run::on(Gfx(number), 64, text).s(8, 0x1234).run();
        assert_eq!(run.sreg(usize::from(reg.0)), 0x1234, "gfx{number:x}");
    };
    moved(0x700, "s_mov_b32 flat_scratch_lo, s8", SReg::FLAT_SCRATCH_LO);
    moved(0x803, "s_mov_b32 flat_scratch_lo, s8", SReg::FLAT_SCRATCH_LO);
    moved(0x900, "s_mov_b32 xnack_mask_lo, s8", SReg::XNACK_MASK_LO);
    moved(0x942, "s_mov_b32 flat_scratch_hi, s8", SReg::FLAT_SCRATCH_HI);
    moved(0x1010, "s_mov_b32 s102, s8", SReg(102));
}

/// Where the ISA manuals' tables of scalar operands have a register: the name, first and last processor, and what becomes of 7 written to
/// it and of 5 read from it (STATE-16, STATE-21 to STATE-23).
#[rustfmt::skip]
const SCALARS: &[(&str, u16, u16, Keeps)] = &[
    ("s101",            0x600,  0xffff, Keeps::In(SReg(101))),
    ("s103",            0x600,  0x7ff,  Keeps::In(SReg(103))),
    ("s105",            0x1010, 0xffff, Keeps::In(SReg(105))),
    ("flat_scratch_lo", 0x700,  0x9ff,  Keeps::In(SReg::FLAT_SCRATCH_LO)),
    ("flat_scratch_hi", 0x700,  0x9ff,  Keeps::In(SReg::FLAT_SCRATCH_HI)),
    ("xnack_mask_lo",   0x800,  0x9ff,  Keeps::In(SReg::XNACK_MASK_LO)),
    ("xnack_mask_hi",   0x800,  0x9ff,  Keeps::In(SReg::XNACK_MASK_HI)),
    ("vcc_lo",          0x600,  0xffff, Keeps::In(SReg::VCC_LO)),
    ("vcc_hi",          0x600,  0xffff, Keeps::In(SReg::VCC_HI)),
    ("m0",              0x600,  0xffff, Keeps::In(SReg::M0)),
    ("exec_lo",         0x600,  0xffff, Keeps::In(SReg::EXEC_LO)),
    ("exec_hi",         0x600,  0xffff, Keeps::In(SReg::EXEC_HI)),
    ("tba_lo",          0x600,  0x8ff,  Keeps::Nothing),
    ("tma_hi",          0x600,  0x8ff,  Keeps::Nothing),
    ("ttmp0",           0x600,  0x11ff, Keeps::Nothing),
    ("ttmp11",          0x600,  0x11ff, Keeps::Nothing),
    ("ttmp15",          0x900,  0x11ff, Keeps::Nothing),
    ("ttmp0",           0x1200, 0xffff, Keeps::ForReading(SReg::TTMP0)),
    ("ttmp15",          0x1200, 0xffff, Keeps::ForReading(SReg(SReg::TTMP0.0 + 15))),
    ("null",            0x1010, 0xffff, Keeps::Nothing),
];

/// What a register does with values.
#[derive(Clone, Copy)]
enum Keeps {
    In(SReg),
    /// Programs can read it, and not write it.
    ForReading(SReg),
    Nothing,
}

#[test]
fn every_scalar_register_is_the_same_one_for_every_processor_that_has_it() {
    for target in Gfx::all() {
        for &(name, first, last, keeps) in SCALARS {
            let exists = (first..=last).contains(&target.0);
            let write = format!("s_mov_b32 {name}, s8");
            let is_known = wavejit_isa::assemble_instruction(&write, target, 64).is_ok();
            assert!(is_known || !exists, "{target} has {name}");
            if !is_known || !exists {
                continue;
            }
            let (to, at) = (Run::on(target, 64, &write), |reg: SReg| usize::from(reg.0));
            let from = Run::on(target, 64, &format!("s_mov_b32 s0, {name}")).s(0, 3);
            match keeps {
                Keeps::In(reg) => {
                    assert_eq!(to.s(8, 7).run().sreg(at(reg)), 7, "{target}: {name} is written");
                    assert_eq!(from.s(at(reg), 5).run().sreg(0), 5, "{target}: {name} is read");
                }
                Keeps::ForReading(reg) => {
                    assert_eq!(to.s(8, 7).s(at(reg), 5).run().sreg(at(reg)), 5, "{target}: {name} is not written");
                    assert_eq!(from.s(at(reg), 5).run().sreg(0), 5, "{target}: {name} is read");
                }
                Keeps::Nothing => {
                    let before = to.state.sregs;
                    assert_eq!(to.s(8, 7).run().state.sregs[9..], before[9..], "{target}: {name} is not written");
                    assert_eq!(from.run().sreg(0), 0, "{target}: {name} reads 0");
                }
            }
        }
    }
}

// The ISA manuals' tables of scalar operands: codes 235 to 238 are the apertures from gfx9, 240 to 248 float constants, 1/(2 pi) from gfx8.
#[test]
fn constants_and_apertures_have_one_value_on_all_processors() {
    use wavejit_ir::abi::{PRIVATE_APERTURE_HI, SHARED_APERTURE_HI};
    for target in Gfx::all() {
        let value = |source: &str| {
            let run = Run::on(target, 64, &format!("s_mov_b64 s[0:1], {source}")).run();
            u64::from(run.sreg(1)) << 32 | u64::from(run.sreg(0))
        };
        for float in [0.5f64, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0] {
            assert_eq!(value(&format!("{float:?}")), float.to_bits(), "{target}");
        }
        assert_eq!([value("-16"), value("64")], [-16i64 as u64, 64], "{target}");
        if target.0 >= 0x900 {
            assert_eq!(value("src_shared_base"), u64::from(SHARED_APERTURE_HI) << 32, "{target}");
            assert_eq!(value("src_private_limit"), u64::from(PRIVATE_APERTURE_HI) << 32 | 0xffff_ffff, "{target}");
        }
        if target.0 >= 0x800 {
            assert_eq!(value("0.15915494309189532"), 0x3fc4_5f30_6dc9_c882, "{target}");
        }
    }
}
