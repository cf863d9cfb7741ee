//! What is taken for an instruction beyond LLVM 19: one list, with the reason and the source of each entry.
//!
//! Code from compilers that LLVM 19 does not know ([`Beyond::is_printed`]) decodes everywhere and prints like its plain encoding. Fields
//! that hardware does not look at decode where code is executed only ([`decode_lenient`](super::decode_lenient)), so that a listing does not
//! take more data for code than LLVM's does. One thing needs no entry: the high half of a register in a 32-bit format always decodes, but prints
//! in true16 syntax only, as in LLVM. `isa_check` (tests/llvm-check) compares everything else and counts these apart; `docs/instructions.md` shows the
//! list.

use super::target::{Gfx, Procs};

bitflags::bitflags! {
    /// Entries of [`BEYOND`]: [`Inst::tolerated`](super::Inst::tolerated) says which an instruction needed.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub struct Tolerance: u8 {
        /// DS: a store, or an atomic without return, whose vdst field is not zero.
        const UNUSED_VDST = 1;
        /// VOP3, VOP3P and VOPD: a field of a source that the instruction lacks is not zero.
        const UNUSED_SOURCE = 2;
        /// VOP3 and VOP3P: such a field is the inline constant 0.
        const UNUSED_ZERO = 4;
        /// SCRATCH and GLOBAL: scalar address 0x7f.
        const SADDR_OFF = 8;
        /// v_mov_b16 in VOP3.
        const LONG_MOV_B16 = 16;
        /// SMEM, buffers and images: four scalar registers or more that run past s105 or ttmp15.
        const STRADDLING = 32;
    }
}

/// Something LLVM 19 takes for no instruction.
#[derive(Debug)]
pub struct Beyond {
    /// Its bit.
    pub flag: Tolerance,
    /// What it is.
    pub what: &'static str,
    /// Why it is taken for one, and who says so.
    pub source: &'static str,
    /// Processors it is known on.
    pub on: Procs,
    /// Decodes in listings too, not only where code is executed.
    pub is_printed: bool,
    /// A processor, code for it, and its text.
    pub example: (Gfx, &'static [u32], &'static str),
}

const FROM_GFX10: Procs = Procs::range(0x1000, 0xffff);
const FROM_GFX11: Procs = Procs::range(0x1100, 0xffff);
const GFX10_3_AND_11: Procs = Procs::GFX10_3.or(Procs::GFX11_0).or(Procs::GFX11_5);

/// The list.
pub static BEYOND: [Beyond; 6] = [
    Beyond {
        flag: Tolerance::UNUSED_VDST,
        what: "DS stores and atomics without return whose vdst field is not zero",
        source: "RDNA3 ISA, chapter 15.8: loads and returning atomics alone write VDST",
        on: Procs::ALL,
        is_printed: false,
        example: (Gfx(0x1100), &[0xd834_0000, 0x0500_0100], "ds_store_b32 v0, v1"),
    },
    Beyond {
        flag: Tolerance::UNUSED_SOURCE,
        what: "VOP3, VOP3P and VOPD: fields of sources that the instruction lacks are not zero",
        source: "RDNA3 ISA, chapter 16: the operands of each instruction; other fields are not looked at",
        on: Procs::ALL,
        is_printed: false,
        example: (Gfx(0x1100), &[0xd581_0001, 0x0000_0501], "v_mov_b32_e64 v1, v1"),
    },
    Beyond {
        flag: Tolerance::UNUSED_ZERO,
        what: "VOP3 and VOP3P: fields of sources that the instruction lacks are 0x80, the inline constant 0",
        source: "LLVM since January 2026 (pull request 175753, \"Encode unused VALU src0/1/2 fields as inline 0 on GFX10+\")",
        on: FROM_GFX10,
        is_printed: true,
        example: (Gfx(0x1100), &[0xd581_0001, 0x0201_0101], "v_mov_b32_e64 v1, v1"),
    },
    Beyond {
        flag: Tolerance::SADDR_OFF,
        what: "SCRATCH and GLOBAL: the scalar address 0x7f means off, as NULL does",
        source: "RDNA2 and RDNA3 ISA, FLAT microcode format: NULL or 0x7f disables SADDR; RADV of Mesa 22 writes it",
        on: GFX10_3_AND_11,
        is_printed: true,
        example: (Gfx(0x1100), &[0xdc51_0010, 0x017f_0000], "scratch_load_b32 v1, off, off offset:16"),
    },
    Beyond {
        flag: Tolerance::LONG_MOV_B16,
        what: "v_mov_b16 in VOP3, with and without DPP",
        source: "LLVM 20, for registers above v127; LLVM 19 knows it with +real-true16 only",
        on: FROM_GFX11,
        is_printed: true,
        example: (Gfx(0x1100), &[0xd59c_4030, 0x0000_0186], "v_mov_b16_e64 v48.l, v134.l op_sel:[0,1]"),
    },
    Beyond {
        flag: Tolerance::STRADDLING,
        what: "SMEM data and descriptors in four scalar registers or more that run from SGPRs into VCC and trap registers, or past those",
        source: "RDNA3 ISA, chapter 3.4.2: what is read and written where SGPRs are out of range",
        on: FROM_GFX10,
        is_printed: false,
        example: (Gfx(0x1100), &[0xf000_0184, 0x001a_0004], "image_load v0, v[4:5], s[104:111] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm"),
    },
];

impl Beyond {
    /// The entry of a flag.
    pub fn of(flag: Tolerance) -> Option<&'static Beyond> {
        BEYOND.iter().find(|b| b.flag == flag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DisasmOptions, decode, decode_lenient, disasm, encode};

    #[test]
    fn every_flag_has_one_entry() {
        let flags: Vec<Tolerance> = BEYOND.iter().map(|b| b.flag).collect();
        assert_eq!(flags, Tolerance::all().iter().collect::<Vec<_>>());
        assert!(Beyond::of(Tolerance::SADDR_OFF).is_some_and(|b| b.on.has(Gfx(0x1030)) && !b.on.has(Gfx(0x1200))));
    }

    #[test]
    fn entries_decode_as_they_say_and_print_like_their_plain_encoding() {
        for b in &BEYOND {
            let (target, words, text) = b.example;
            assert_eq!(decode(words, target, 32).is_ok(), b.is_printed, "{}", b.what);
            let inst = decode_lenient(words, target, 32).unwrap_or_else(|e| panic!("{}: {e}", b.what));
            assert_eq!(inst.tolerated, b.flag, "{}", b.what);
            assert_eq!(disasm(&inst, target, &DisasmOptions::default()), text);
            if b.flag == Tolerance::STRADDLING {
                // It has no other encoding, and nobody writes it.
                assert!(encode(&inst).is_err());
                continue;
            }
            let plain = encode(&inst).expect(text);
            let again = decode(plain.dwords(), target, 32).expect(text);
            assert_eq!((again.ops(), again.mods), (inst.ops(), inst.mods), "{text}");
            assert!(again.tolerated.is_empty() || b.flag == Tolerance::LONG_MOV_B16, "{text}");
        }
    }

    fn text(target: u16, words: &[u32]) -> Option<String> {
        let target = Gfx(target);
        decode(words, target, 32).ok().map(|i| disasm(&i, target, &DisasmOptions::default()))
    }

    // Texts of llvm-mc-19 for the same code with NULL (0x7d before gfx11, 0x7c from there).
    #[test]
    fn scalar_address_0x7f_is_off_on_gfx10_3_and_gfx11() {
        let some = |t: &str| Some(t.to_string());
        assert_eq!(text(0x1100, &[0xdc51_0010, 0x01ff_0005]), some("scratch_load_b32 v1, v5, off offset:16"));
        assert_eq!(text(0x1151, &[0xdc69_0000, 0x007f_0200]), some("scratch_store_b32 off, v2, off"));
        assert_eq!(text(0x1100, &[0xdc52_0000, 0x017f_0000]), some("global_load_b32 v1, v[0:1], off"));
        assert_eq!(text(0x1030, &[0xdc30_8000, 0x017f_0000]), some("global_load_dword v1, v[0:1], off"));
        assert_eq!(text(0x1030, &[0xdc30_4000, 0x017f_0000]), some("scratch_load_dword v1, off, off"));
        for (target, words) in [(0x1010, [0xdc30_8000, 0x017f_0000]), (0x1200, [0xed05_007f, 1])] {
            assert_eq!(text(target, &words), None);
        }
    }

    // Without halves by name: llvm-mc-19 -mattr=+real-true16 of the same code with zeros in the unused fields.
    #[test]
    fn unused_sources_may_be_the_inline_constant_0_from_gfx10() {
        let some = |t: &str| Some(t.to_string());
        assert_eq!(text(0x1100, &[0xd59c_4030, 0x0201_0186]), some("v_mov_b16_e64 v48.l, v134.l op_sel:[0,1]"));
        assert_eq!(text(0x1100, &[0xd503_0001, 0x0202_0501]), some("v_add_f32_e64 v1, v1, v2"));
        assert_eq!(text(0x1010, &[0xd503_0001, 0x0202_0501]), some("v_add_f32_e64 v1, v1, v2"));
        assert_eq!(text(0x1200, &[0xd580_0000, 0x0201_0080]), some("v_nop"));
        assert_eq!(text(0x1100, &[0xcc0f_4001, 0x1a02_0501]), some("v_pk_add_f16 v1, v1, v2"));
        assert_eq!(text(0x900, &[0xd101_0001, 0x0202_0501]), None);
        assert_eq!(text(0x1100, &[0xd503_0001, 0x0206_0501]), None, "the inline constant 1");
    }
}
