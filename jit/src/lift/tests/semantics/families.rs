//! What differs between families behind the run time's gate. The dwords are llvm-mc's (version 19) for the processor named.

use super::*;

/// s0 after `code`, with s\[2:3\] = 0x10000 and s8 = 0x20, in memory whose dwords hold their addresses (buffers: their offsets).
#[track_caller]
fn loads(target: u16, code: &[u32], want: u32) {
    let run = Run::wave64("a scalar load", code).on(target).s(2, 0x1_0000).s(8, 0x20);
    assert_eq!(run.run().sreg(0), want, "gfx{target:x} {code:08x?}");
}

#[test]
fn immediate_offsets_of_scalar_loads_count_dwords_on_gfx6_and_gfx7() {
    for target in [0x600, 0x602, 0x700, 0x705] {
        loads(target, &[0xc000_0303], 0x1_0000 + 4 * 3); // s_load_dword s0, s[2:3], 0x3
        loads(target, &[0xc040_03ff], 0x1_0000 + 4 * 0xff); // s_load_dwordx2 s[0:1], s[2:3], 0xff
        loads(target, &[0xc200_0503], 4 * 3); // s_buffer_load_dword s0, s[4:7], 0x3
        loads(target, &[0xc000_0208], 0x1_0020); // s_load_dword s0, s[2:3], s8
        loads(target, &[0xc200_0408], 0x20); // s_buffer_load_dword s0, s[4:7], s8
    }
    // The literal of gfx7 too: s_load_dword s0, s[2:3], 0x12345
    loads(0x700, &[0xc000_02ff, 0x0001_2345], 0x1_0000 + 4 * 0x1_2345);
}

#[test]
fn immediate_offsets_of_scalar_loads_count_bytes_from_gfx8() {
    loads(0x803, &[0xc002_0001, 4], 0x1_0004); // s_load_dword s0, s[2:3], 0x4
    loads(0x900, &[0xc002_0001, 0x001f_fffc], 0xfffc); // s_load_dword s0, s[2:3], -0x4
    loads(0x1010, &[0xf400_0001, 0xfa00_0004], 0x1_0004);
    loads(0x1100, &[0xf400_0001, 0xf800_0004], 0x1_0004); // s_load_b32 s0, s[2:3], 0x4
}

#[test]
fn flat_scratch_is_a_register_of_its_own_where_the_family_has_it() {
    let moved = |target, code: u32, reg: SReg| {
        let run = Run::wave64("s_mov_b32", &[code]).on(target).s(8, 0x1234).run();
        assert_eq!(run.sreg(usize::from(reg.0)), 0x1234, "gfx{target:x}");
    };
    moved(0x700, 0xbee8_0308, SReg::FLAT_SCRATCH_LO); // s_mov_b32 flat_scratch_lo, s8
    moved(0x803, 0xbee6_0008, SReg::FLAT_SCRATCH_LO);
    moved(0x900, 0xbee8_0008, SReg::XNACK_MASK_LO); // s_mov_b32 xnack_mask_lo, s8
    moved(0x942, 0xbee7_0008, SReg::FLAT_SCRATCH_HI); // s_mov_b32 flat_scratch_hi, s8
    moved(0x1010, 0xbee6_0308, SReg(102)); // s_mov_b32 s102, s8
}

/// Where the ISA manuals' tables of scalar operands have a register: the name, first and last processor, and what becomes of 7 written to
/// it and of 5 read from it (STATE-21 to STATE-23).
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
    let assembled = |text: &str, target| wavejit_isa::assemble_instruction(text, target, 64).map(|code| code.dwords().to_vec());
    for target in Gfx::all() {
        for &(name, first, last, keeps) in SCALARS {
            let exists = (first..=last).contains(&target.0);
            let Ok(write) = assembled(&format!("s_mov_b32 {name}, s8"), target) else {
                assert!(!exists, "{target} has {name}");
                continue;
            };
            if !exists {
                continue;
            }
            let read = assembled(&format!("s_mov_b32 s0, {name}"), target).unwrap();
            let (to, at) = (Run::wave64("write", &write).on(target.0), |reg: SReg| usize::from(reg.0));
            let from = Run::wave64("read", &read).on(target.0).s(0, 3);
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
            let code = wavejit_isa::assemble_instruction(&format!("s_mov_b64 s[0:1], {source}"), target, 64).unwrap();
            let run = Run::wave64("a source", code.dwords()).on(target.0).run();
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
