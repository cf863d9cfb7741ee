//! Where each format stands in the encoding space of each family, and random instructions of it.

use wavejit_isa::{Gfx, Space};
use wavejit_random::Random;

/// Dwords of a test.
pub(crate) const TEST: usize = 5;

/// `(dword, shift, width)`.
type Field = (usize, u32, u32);

/// A format: fixed bits of the first dword, its free bits, fields that random tests mostly set to zero, and values that deserve more than
/// chance.
pub(crate) struct Format {
    pub name: &'static str,
    pub spaces: &'static [Space],
    fixed: u32,
    free: u32,
    zero: &'static [Field],
    often: &'static [(Field, &'static [u32])],
}

use Space::{Gfx6, Gfx8, Gfx10, Gfx11, Gfx12};

const ALL: &[Space] = &[Gfx6, Gfx8, Gfx10, Gfx11, Gfx12];
const FROM_10: &[Space] = &[Gfx10, Gfx11, Gfx12];
/// DPP, SDWA, literal and constants in source field 0.
const SRC0: (Field, &[u32]) = ((0, 0, 9), &[233, 234, 249, 250, 255, 240, 242, 247, 248]);
const VOP3_SRC: &[(Field, &[u32])] =
    &[((1, 0, 9), &[233, 234, 250, 255, 241, 248, 254]), ((1, 9, 9), &[255, 244, 193, 254]), ((1, 18, 9), &[255, 246, 128])];
const VOP3_ZERO: &[Field] = &[(0, 7, 1), (0, 8, 3), (0, 11, 4), (0, 15, 1), (1, 18, 9), (1, 9, 9), (1, 27, 2), (1, 29, 3)];
const VOP3P_ZERO: &[Field] = &[(0, 8, 3), (0, 11, 3), (0, 14, 1), (0, 15, 1), (0, 23, 1), (1, 18, 9), (1, 27, 2), (1, 29, 3)];
/// SDWA and DPP dwords are free; a DPP16 dword with all masks set is the usual one.
const VOP2_ZERO: &[Field] = &[(0, 7, 1), (0, 24, 1), (0, 16, 1), (1, 11, 2), (1, 14, 2), (1, 19, 5), (1, 27, 4)];
const SMEM_ZERO: &[Field] = &[(0, 13, 3), (0, 17, 5), (0, 23, 3), (1, 0, 25), (1, 25, 7)];

#[rustfmt::skip]
const FORMATS: &[Format] = &[
    Format { name: "sop1",    spaces: ALL, fixed: 0xbe80_0000, free: 0x007f_ffff, zero: &[(0, 7, 1), (0, 22, 1)], often: &[((0, 0, 8), &[255, 128, 124, 125, 254])] },
    Format { name: "sop2",    spaces: ALL, fixed: 0x8000_0000, free: 0x3fff_ffff, zero: &[(0, 7, 1), (0, 15, 1), (0, 22, 1)], often: &[((0, 0, 8), &[255, 193, 242])] },
    Format { name: "sopc",    spaces: ALL, fixed: 0xbf00_0000, free: 0x007f_ffff, zero: &[(0, 7, 1), (0, 15, 1), (0, 21, 2)], often: &[((0, 8, 8), &[255, 193, 242])] },
    Format { name: "sopk",    spaces: ALL, fixed: 0xb000_0000, free: 0x0fff_ffff, zero: &[(0, 8, 8), (0, 22, 1)], often: &[] },
    Format { name: "sopp",    spaces: ALL, fixed: 0xbf80_0000, free: 0x007f_ffff, zero: &[(0, 7, 9), (0, 0, 4), (0, 4, 3)], often: &[] },
    Format { name: "smrd",    spaces: &[Gfx6], fixed: 0xc000_0000, free: 0x07ff_ffff, zero: &[(0, 25, 2), (0, 8, 1)], often: &[((0, 0, 8), &[255, 124, 128])] },
    Format { name: "smem",    spaces: &[Gfx8], fixed: 0xc000_0000, free: 0x03ff_ffff, zero: SMEM_ZERO, often: &[((0, 14, 4), &[8, 0, 4, 12])] },
    Format { name: "smem",    spaces: FROM_10, fixed: 0xf400_0000, free: 0x03ff_ffff, zero: SMEM_ZERO, often: &[((1, 25, 7), &[124, 125])] },
    Format { name: "vop1",    spaces: ALL, fixed: 0x7e00_0000, free: 0x01ff_ffff, zero: VOP2_ZERO, often: &[SRC0] },
    Format { name: "vop2",    spaces: ALL, fixed: 0x0000_0000, free: 0x7fff_ffff, zero: VOP2_ZERO, often: &[SRC0] },
    Format { name: "vopc",    spaces: ALL, fixed: 0x7c00_0000, free: 0x01ff_ffff, zero: VOP2_ZERO, often: &[SRC0] },
    Format { name: "vop3",    spaces: &[Gfx6, Gfx8], fixed: 0xd000_0000, free: 0x03ff_ffff, zero: VOP3_ZERO, often: VOP3_SRC },
    Format { name: "vop3",    spaces: FROM_10, fixed: 0xd400_0000, free: 0x03ff_ffff, zero: VOP3_ZERO, often: VOP3_SRC },
    Format { name: "vop3p",   spaces: &[Gfx8], fixed: 0xd380_0000, free: 0x007f_ffff, zero: VOP3P_ZERO, often: VOP3_SRC },
    Format { name: "vop3p",   spaces: FROM_10, fixed: 0xcc00_0000, free: 0x007f_ffff, zero: VOP3P_ZERO, often: VOP3_SRC },
    Format { name: "vintrp",  spaces: &[Gfx6, Gfx10], fixed: 0xc800_0000, free: 0x03ff_ffff, zero: &[], often: &[] },
    Format { name: "vintrp",  spaces: &[Gfx8], fixed: 0xd400_0000, free: 0x03ff_ffff, zero: &[], often: &[] },
    Format { name: "vinterp", spaces: &[Gfx11, Gfx12], fixed: 0xcd00_0000, free: 0x0087_ffff, zero: &[(0, 11, 4), (0, 15, 1), (0, 23, 1)], often: &[] },
    Format { name: "ldsdir",  spaces: &[Gfx11, Gfx12], fixed: 0xce00_0000, free: 0x00ff_ffff, zero: &[(0, 21, 3)], often: &[] },
    Format { name: "vopd",    spaces: &[Gfx11, Gfx12], fixed: 0xc800_0000, free: 0x03ff_ffff, zero: &[(0, 9, 8), (1, 9, 8)], often: &[((1, 0, 9), &[255, 128])] },
    Format { name: "ds",      spaces: ALL, fixed: 0xd800_0000, free: 0x03ff_ffff, zero: &[(0, 0, 8), (0, 8, 8), (0, 16, 2), (0, 25, 1), (1, 0, 8), (1, 8, 8), (1, 16, 8), (1, 24, 8)], often: &[] },
    Format { name: "flat",    spaces: &[Gfx6, Gfx8, Gfx10, Gfx11], fixed: 0xdc00_0000, free: 0x03ff_ffff, zero: &[(0, 0, 12), (0, 12, 4), (0, 25, 1), (1, 23, 1)], often: &[((1, 16, 7), &[124, 125, 127, 0])] },
    Format { name: "flat",    spaces: &[Gfx12], fixed: 0xec00_0000, free: 0x03ff_ffff, zero: &[(0, 7, 7), (0, 21, 3), (1, 8, 9), (1, 17, 7), (2, 0, 8), (2, 16, 16)], often: &[((0, 0, 7), &[124, 125])] },
    Format { name: "mubuf",   spaces: &[Gfx6, Gfx8, Gfx10, Gfx11], fixed: 0xe000_0000, free: 0x03ff_ffff, zero: &[(0, 0, 12), (0, 12, 4), (0, 16, 2), (0, 25, 1), (1, 21, 3)], often: &[] },
    Format { name: "mtbuf",   spaces: &[Gfx6, Gfx8, Gfx10, Gfx11], fixed: 0xe800_0000, free: 0x03ff_ffff, zero: &[(0, 0, 12), (0, 12, 4), (1, 21, 3)], often: &[] },
    Format { name: "mubuf",   spaces: &[Gfx12], fixed: 0xc400_0000, free: 0x03bf_ffff, zero: &[(0, 7, 7), (0, 21, 1), (1, 8, 1), (1, 18, 14), (2, 8, 24)], often: &[((2, 0, 8), &[0, 1, 255])] },
    Format { name: "mtbuf",   spaces: &[Gfx12], fixed: 0xc420_0000, free: 0x03df_ffff, zero: &[(0, 7, 7), (0, 23, 3), (1, 8, 1), (1, 18, 5), (2, 8, 24)], often: &[((2, 0, 8), &[0, 1])] },
    Format { name: "mimg",    spaces: &[Gfx6, Gfx8, Gfx10, Gfx11], fixed: 0xf000_0000, free: 0x03ff_ffff, zero: &[(0, 0, 3), (0, 12, 4), (0, 16, 2), (0, 25, 1), (1, 21, 5), (1, 26, 6)], often: &[] },
    Format { name: "vimage",  spaces: &[Gfx12], fixed: 0xd000_0000, free: 0x03ff_ffff, zero: &[(0, 3, 1), (0, 4, 3), (0, 7, 7), (1, 8, 1), (1, 18, 6), (2, 8, 24), (2, 16, 16), (2, 24, 8)], often: &[] },
    Format { name: "vsample", spaces: &[Gfx12], fixed: 0xe400_0000, free: 0x03ff_ffff, zero: &[(0, 3, 1), (0, 4, 4), (0, 8, 6), (1, 8, 1), (1, 18, 5), (2, 8, 24), (2, 16, 16), (2, 24, 8)], often: &[] },
    Format { name: "exp",     spaces: &[Gfx6, Gfx10, Gfx11, Gfx12], fixed: 0xf800_0000, free: 0x03ff_ffff, zero: &[(0, 0, 4), (0, 10, 16)], often: &[] },
    Format { name: "exp",     spaces: &[Gfx8], fixed: 0xc400_0000, free: 0x03ff_ffff, zero: &[(0, 0, 4), (0, 10, 16)], often: &[] },
    Format { name: "any",     spaces: ALL, fixed: 0x0000_0000, free: 0xffff_ffff, zero: &[], often: &[] },
];

/// The formats of a processor.
pub(crate) fn formats(target: Gfx) -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().filter(move |f| f.spaces.contains(&target.space()))
}

/// A random instruction of a format: opcode uniform, fields from all-random to mostly zero.
pub(crate) fn test(random: &mut Random, f: &Format, space: Space) -> [u32; TEST] {
    let mut w: [u32; TEST] = std::array::from_fn(|_| random.u32());
    w[0] = f.fixed | w[0] & f.free;
    let tame = !random.one_in(8);
    for &(dword, shift, width) in f.zero {
        if tame && !random.one_in(4) {
            w[dword] &= !((((1u64 << width) - 1) as u32) << shift);
        }
    }
    for &((dword, shift, width), values) in f.often {
        if random.one_in(3) {
            w[dword] = w[dword] & !(((1 << width) - 1) << shift) | random.pick(values) << shift;
        }
    }
    // Literals that equal inline constants print like them.
    let literal = if w[1] & 0x1ff == 0x0ff || w[1] & 0xff == 0xff { 2 } else { 1 };
    match random.u32() % 8 {
        0 => w[literal] = random.u32() % 80,
        1 => w[literal] = random.pick(&[0x3f80_0000, 0x3e22_f983, 0x3118, 0x3c00, 0x3fc4_5f30, 0x3ff0_0000, 0x4000, 0xbf00_0000]),
        2 => w[literal] = (random.u32() % 40).wrapping_neg(),
        _ => {}
    }
    if f.name.starts_with("vop3") && random.one_in(2) {
        w[2] |= 0xff00_0000;
    }
    if matches!(space, Space::Gfx8 | Space::Gfx10) {
        calm(&mut w);
    }
    w
}

/// Source 0 code of an SDWA dword.
const SDWA: u32 = 249;

/// Does an SDWA dword, announced by the word before it, choose part 7 of a register? LLVM's printer fails there.
pub(crate) fn reserved_select(first: u32, second: u32) -> bool {
    let (vop1, vopc) = (first >> 25 == 0x3f, first >> 25 == 0x3e);
    let is_7 = |shift: u32| (second >> shift) & 7 == 7;
    is_sdwa(first) && (!vopc && is_7(8) || is_7(16) || !vop1 && is_7(24))
}

fn is_sdwa(first: u32) -> bool {
    first >> 31 == 0 && first & 0x1ff == SDWA
}

/// LLVM reads the dwords after a short instruction too, so none of them may make it fail.
fn calm(w: &mut [u32; TEST]) {
    for i in 1..TEST {
        if is_sdwa(w[i]) && w.get(i + 1).is_none_or(|next| reserved_select(w[i], *next)) {
            w[i] ^= 1;
        }
    }
}
