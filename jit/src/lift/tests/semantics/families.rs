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
