//! Code that LLVM 19 takes for none, and that runs (`isa::BEYOND`). The dwords are what RADV of Mesa 22 and newer LLVM write.

use super::*;

#[test]
fn scalar_address_0x7f_adds_nothing() {
    // scratch_store_b32 off, v0, off offset:16; scratch_load_b32 v1, v2, off offset:12
    let code = [0xdc69_0010, 0x007f_0000, 0xdc51_000c, 0x01ff_0002];
    Run::code("scratch with saddr 0x7f", &code).v(2, |_| 4).lanes(1, |_| 131); // the highest lane stores last
}

#[test]
fn v_mov_b16_names_halves_in_op_sel() {
    // v_mov_b16_e64 v48.h, v134.l; the unused sources are the inline constant 0
    Run::code("v_mov_b16", &[0xd59c_4030, 0x0201_0186])
        .v(48, |_| 0x1111_2222)
        .v(134, |lane| 0xaaaa_0000 + lane)
        .lanes(48, |lane| lane << 16 | 0x2222);
    // v_mov_b16_e64 v48.l, v134.h
    Run::code("v_mov_b16", &[0xd59c_0830, 0x0000_0186]).v(48, |_| 0x1111_2222).v(134, |_| 0xaaaa_bbbb).lanes(48, |_| 0x1111_aaaa);
}

#[test]
fn unused_sources_are_ignored() {
    // v_mov_b32_e64 v1, v0 with 0x80 and with v5 in the fields of sources 1 and 2; v_pk_add_u16 v1, v0, v0
    for code in [[0xd581_0001, 0x0201_0100], [0xd581_0001, 0x0416_0b00]] {
        Run::code("v_mov_b32", &code).lanes(1, |lane| 100 + lane);
    }
    Run::code("v_pk_add_u16", &[0xcc0a_4001, 0x1a02_0100]).lanes(1, |lane| 2 * (100 + lane));
}
