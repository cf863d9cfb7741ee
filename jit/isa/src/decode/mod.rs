//! Bits to [`Inst`]. Strict: what LLVM's disassembler refuses is refused here, so data is not taken for code; the exceptions are listed in
//! [`beyond`](super::beyond).
//!
//! The format follows from the top bits of the first dword (RDNA3 ISA, chapter 15, table of formats), the row from the opcode field, and
//! the row's operand list drives everything else. No allocation; an instruction is at most five dwords.

pub(crate) mod buffer;
pub(crate) mod cache;
pub(crate) mod dpp;
pub(crate) mod ds;
pub(crate) mod dual;
pub(crate) mod export;
pub(crate) mod flat;
pub(crate) mod image;
pub(crate) mod packed;
pub(crate) mod scalar;
pub(crate) mod sdwa;
pub(crate) mod smem;
pub(crate) mod vector;
pub(crate) mod vop;

use super::beyond::Tolerance;
use super::bits::MAX_DWORDS;
use super::inst::{Enc, Inst, Operand};
use super::row::{Row, Ty, X, row};
use super::scalars::{LITERAL, ScalarSpace, Source, Special, TRAP, ZERO};
use super::table::Table;
use super::target::{Family, Gfx, SPACES, Space};

/// Why bits are not an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecodeError {
    /// The format's opcode field has a number the target does not define.
    #[error("no {enc} instruction has opcode {number:#x} (encoding {word:#010x})")]
    Opcode {
        /// Format.
        enc: Enc,
        /// Opcode field.
        number: u32,
        /// First dword.
        word: u32,
    },
    /// The top bits name no format of the target.
    #[error("encoding {word:#010x} belongs to no instruction format of the target")]
    Format {
        /// First dword.
        word: u32,
    },
    /// A register field names no register usable there.
    #[error("{name}: operand code {code:#x} is not valid here (encoding {word:#010x})")]
    Operand {
        /// Mnemonic.
        name: &'static str,
        /// Field value.
        code: u32,
        /// First dword.
        word: u32,
    },
    /// A field that must be zero is not, or a modifier the instruction lacks is set.
    #[error("{name}: a reserved field is set (encoding {word:#010x})")]
    Reserved {
        /// Mnemonic.
        name: &'static str,
        /// First dword.
        word: u32,
    },
    /// The instruction continues past the end of the code.
    #[error("the instruction needs {needed} dwords, {available} are left (encoding {word:#010x})")]
    Truncated {
        /// Dwords needed.
        needed: usize,
        /// Dwords given.
        available: usize,
        /// First dword, 0 when there is none.
        word: u32,
    },
    /// The target's encodings are not known to this build.
    #[error("{target} has no instruction tables yet")]
    Target {
        /// Processor.
        target: Gfx,
    },
}

/// Decodes the instruction that starts at `words[0]`. Give up to five dwords; fewer only at the end of the code. `wave_size` (32 or 64)
/// fixes the width of lane-mask operands.
#[inline]
pub fn decode(words: &[u32], target: Gfx, wave_size: u32) -> Result<Inst, DecodeError> {
    let mut inst = Inst::blank(&NO_ROW, target);
    read(words, target, wave_size, false, &mut inst)?;
    Ok(inst)
}

/// As [`decode`], but with the tolerances of the hardware: all of [`BEYOND`](super::BEYOND) decodes, and [`Inst::tolerated`] says what it
/// needed.
pub fn decode_lenient(words: &[u32], target: Gfx, wave_size: u32) -> Result<Inst, DecodeError> {
    let mut inst = Inst::blank(&NO_ROW, target);
    read(words, target, wave_size, true, &mut inst)?;
    Ok(inst)
}

/// Fills in `inst`, which is blank: it is too large to be handed from call to call.
fn read(words: &[u32], target: Gfx, wave_size: u32, lenient: bool, inst: &mut Inst) -> Result1<()> {
    let Some(&word) = words.first() else {
        return Err(DecodeError::Truncated { needed: 1, available: 0, word: 0 });
    };
    let table = Table::of(target).ok_or(DecodeError::Target { target })?;
    let space = target.space();
    // Only gfx10 and later choose.
    let wave_size = if space < Space::Gfx10 { 64 } else { wave_size };
    let (family, scalars) = (target.family(), ScalarSpace::of(target));
    Decoder { words, target, space, family, table, scalars, wave_size, lenient, inst, base: 0 }.any(word)
}

/// Stands in an instruction whose row is not known yet.
static NO_ROW: Row = row("", &[], [X; SPACES], &[]);
/// Source code of a parameter read from LDS, 32-bit vector sources only.
const LDS_DIRECT: u32 = Special::LdsDirect.code();

/// An instruction being read.
struct Decoder<'a> {
    words: &'a [u32],
    target: Gfx,
    space: Space,
    family: Family,
    table: &'static Table,
    scalars: &'static ScalarSpace,
    wave_size: u32,
    lenient: bool,
    /// What is known of it.
    inst: &'a mut Inst,
    /// Dwords before its literal.
    base: usize,
}

type Result1<T> = Result<T, DecodeError>;

impl Decoder<'_> {
    /// Finds the format.
    fn any(&mut self, word: u32) -> Result1<()> {
        if word >> 31 == 0 {
            return match word >> 25 {
                0x3f => self.vop(Enc::VOP1),
                0x3e => self.vop(Enc::VOPC),
                _ => self.vop(Enc::VOP2),
            };
        }
        if word >> 30 == 0b10 {
            return match word >> 23 {
                0x17d => self.sop(Enc::SOP1),
                0x17e => self.sop(Enc::SOPC),
                0x17f => self.sop(Enc::SOPP),
                n if n >> 5 == 0b1011 => self.sop(Enc::SOPK),
                _ => self.sop(Enc::SOP2),
            };
        }
        self.long()
    }

    /// Formats whose first dword starts with 11: where they stand differs between number spaces.
    fn long(&mut self) -> Result1<()> {
        let word = self.words[0];
        let refused = Err(DecodeError::Format { word });
        let top = word >> 26;
        match (self.space, top) {
            (_, 0x36) => self.ds(),
            (Space::Gfx6, 0x30 | 0x31) => self.smem(),
            (Space::Gfx6, 0x32) => self.vintrp(),
            (Space::Gfx6, 0x34) => self.vop3(),
            (Space::Gfx6, 0x3e) => self.exp(),
            (Space::Gfx8, 0x30) => self.smem(),
            (Space::Gfx8, 0x31) => self.exp(),
            (Space::Gfx8, 0x34) if word >> 23 == 0x1a7 => self.vop3p(),
            (Space::Gfx8, 0x34) => self.vop3(),
            (Space::Gfx8, 0x35) => self.vintrp(),
            (Space::Gfx6 | Space::Gfx8, _) => self.memory(),
            (_, 0x35) => self.vop3(),
            (_, 0x3d) => self.smem(),
            (_, 0x3e) => self.exp(),
            (_, 0x33) if (word >> 24) & 3 == 0 => self.vop3p(),
            (Space::Gfx10, 0x32) => self.vintrp(),
            (Space::Gfx10, 0x33) => refused,
            (Space::Gfx10, _) => self.memory(),
            (_, 0x33) if (word >> 24) & 3 == 1 => self.vinterp(),
            (_, 0x33) if (word >> 24) & 3 == 2 => self.ldsdir(),
            // Dual issue exists in wave32 only.
            (_, 0x32) if self.wave_size == 32 => self.vopd(),
            (Space::Gfx11, _) => self.memory(),
            (Space::Gfx12, 0x31) => self.vbuffer(),
            (Space::Gfx12, 0x34) => self.vimage(),
            (Space::Gfx12, 0x39) => self.vsample(),
            (Space::Gfx12, 0x3b) => self.flat(),
            _ => refused,
        }
    }

    /// Memory formats that stand in one place from gfx6 to gfx11.
    fn memory(&mut self) -> Result1<()> {
        let word = self.words[0];
        match word >> 26 {
            0x37 => self.flat(),
            0x38 => self.mubuf(),
            0x3a => self.mtbuf(),
            0x3c => self.mimg(),
            _ => Err(DecodeError::Format { word }),
        }
    }

    /// The first dword, for the fields that choose the row.
    fn first(&self) -> [u32; MAX_DWORDS] {
        let mut words = [0; MAX_DWORDS];
        words[0] = self.words[0];
        words
    }

    fn row(&self, enc: Enc, number: u32) -> Result1<&'static Row> {
        self.table.find(enc, number).ok_or(DecodeError::Opcode { enc, number, word: self.words[0] })
    }

    /// The first two dwords, for opcode fields that stand in both.
    fn first_two(&self) -> [u32; MAX_DWORDS] {
        let mut words = self.first();
        words[1] = self.words.get(1).copied().unwrap_or(0);
        words
    }

    /// Starts an instruction of `base` dwords.
    fn start(&mut self, row: &'static Row, enc: Enc, base: usize) -> Result1<&mut Self> {
        let inst = &mut *self.inst;
        (inst.row, inst.enc, inst.len) = (row, enc, base as u8);
        self.base = base;
        let needed = DecodeError::Truncated { needed: base, available: self.words.len(), word: self.words[0] };
        for (i, word) in inst.words.iter_mut().take(base).enumerate() {
            *word = *self.words.get(i).ok_or(needed)?;
        }
        Ok(self)
    }

    fn push(&mut self, op: Operand) {
        self.inst.operands[usize::from(self.inst.count)] = op;
        self.inst.count += 1;
    }

    fn bad(&self, code: u32) -> DecodeError {
        DecodeError::Operand { name: self.inst.name(), code, word: self.inst.words[0] }
    }

    fn reserved<T>(&self) -> Result1<T> {
        Err(DecodeError::Reserved { name: self.inst.name(), word: self.inst.words[0] })
    }

    /// Fails unless `field` is zero.
    fn zero(&self, field: u32) -> Result1<()> {
        if field == 0 { Ok(()) } else { self.reserved() }
    }

    /// Notes what makes it an instruction beyond LLVM 19.
    fn tolerate(&mut self, tolerance: Tolerance) {
        self.inst.tolerated |= tolerance;
    }

    /// Fails unless `field`, a source that the instruction lacks, is zero, the inline constant 0, or may be anything.
    fn unused_source(&mut self, field: u32) -> Result1<()> {
        if field == ZERO && self.space >= Space::Gfx10 {
            self.tolerate(Tolerance::UNUSED_ZERO);
            return Ok(());
        }
        self.unused(field, Tolerance::UNUSED_SOURCE)
    }

    /// Fails unless `field`, which hardware does not look at, is zero or may be anything.
    fn unused(&mut self, field: u32, tolerance: Tolerance) -> Result1<()> {
        if field != 0 && self.lenient {
            self.tolerate(tolerance);
            return Ok(());
        }
        self.zero(field)
    }

    /// Dword `i`, which the instruction then includes.
    fn word(&mut self, i: usize) -> Result1<u32> {
        let Some(&w) = self.words.get(i) else {
            return Err(DecodeError::Truncated { needed: i + 1, available: self.words.len(), word: self.inst.words[0] });
        };
        self.inst.words[i] = w;
        self.inst.len = self.inst.len.max(i as u8 + 1);
        Ok(w)
    }

    fn literal(&mut self) -> Result1<u32> {
        // Before gfx10 an instruction has at most two dwords.
        if self.base >= 2 && self.space < Space::Gfx10 {
            return Err(self.bad(LITERAL));
        }
        self.word(self.base)
    }

    fn width(&self, ty: Ty) -> u8 {
        ty.dwords(self.wave_size)
    }

    /// VGPR tuple starting at `n`; it must end within v255.
    fn vgpr(&self, n: u32, count: u8) -> Result1<Operand> {
        if n + u32::from(count) > 256 {
            return Err(self.bad(n + 256));
        }
        Ok(Operand::Vgpr { n: n as u16, count, half: super::Half::Whole })
    }

    /// Scalar register tuple: low bits of the field are ignored.
    fn sreg(&self, code: u32, count: u8) -> Result1<Operand> {
        match self.scalars.tuple(code, count) {
            Some(n) => Ok(Operand::Sgpr { n: n as u8, count }),
            None => Err(self.bad(code)),
        }
    }

    /// The same for data of SMEM and for descriptors, which hardware takes wherever they stand.
    fn sreg_anywhere(&mut self, code: u32, count: u8) -> Result1<Operand> {
        let found = self.sreg(code, count);
        if found.is_err() && self.lenient && count >= 4 && code < TRAP.end.into() && self.space >= Space::Gfx10 {
            self.tolerate(Tolerance::STRADDLING);
            return Ok(Operand::Sgpr { n: (code & !3) as u8, count });
        }
        found
    }

    /// Is this the code of NULL?
    fn is_null(&self, code: u32) -> bool {
        Some(code) == self.scalars.null
    }

    /// The codes beside registers and constants. LLVM lets them stand in register-only fields too, where they mean nothing.
    fn special(&self, code: u32) -> Result1<Operand> {
        if self.is_null(code) {
            return self.sreg(code, 1);
        }
        match self.scalars.special(code) {
            Some(special) if special != Special::LdsDirect => Ok(Operand::Special(special)),
            _ => Err(self.bad(code)),
        }
    }

    /// Scalar source: register, constant or literal.
    fn ssrc(&mut self, code: u32, ty: Ty) -> Result1<Operand> {
        match self.scalars.source(code) {
            Some(Source::Register(code)) => self.sreg(code, self.width(ty)),
            Some(Source::Int(n)) => Ok(Operand::Int(n)),
            Some(Source::Float(float)) => Ok(Operand::Float(float)),
            Some(Source::Special(Special::LdsDirect)) if self.width(ty) > 1 => Err(self.bad(code)),
            Some(Source::Special(special)) => Ok(Operand::Special(special)),
            Some(Source::Literal) => Ok(Operand::Literal(self.literal()?)),
            None => Err(self.bad(code)),
        }
    }

    /// Nine-bit source: a VGPR or anything scalar.
    fn src(&mut self, code: u32, ty: Ty) -> Result1<Operand> {
        if code < 256 { self.ssrc(code, ty) } else { self.vgpr(code - 256, self.width(ty)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavejit_random::Random;

    #[test]
    fn no_bits_panic() {
        let mut random = Random(1);
        for _ in 0..300_000 {
            let words: [u32; 5] = std::array::from_fn(|_| random.u32());
            let available = (words[4] % 6) as usize;
            for wave in [32, 64] {
                let _ = decode(&words[..available], Gfx::GFX1100, wave);
            }
        }
    }

    #[test]
    fn misaligned_pairs_start_at_the_even_register() {
        let i = decode(&[0xbe80_0169], Gfx::GFX1100, 32).unwrap(); // s_mov_b64 s[0:1], s[104:105]
        assert_eq!(i.ops(), [Operand::Sgpr { n: 0, count: 2 }, Operand::Sgpr { n: 104, count: 2 }]);
    }

    #[test]
    fn lane_numbers_do_not_come_from_lds() {
        assert!(decode(&[0xd289_0020, 0x0001_fd00], Gfx(0x900), 64).is_err(), "v_readlane_b32 s32, v0, src_lds_direct");
        assert!(decode(&[0xd778_0035, 0x8201_fdf8], Gfx(0x1010), 32).is_err(), "v_permlanex16_b32 v53, v248, src_lds_direct, 0");
        assert!(decode(&[0xd28a_0020, 0x0000_00fe], Gfx(0x900), 64).is_err(), "v_writelane_b32 v32, src_lds_direct, s0");
        assert!(decode(&[0xd761_0020, 0x0000_00fe], Gfx(0x1010), 32).is_ok(), "the same from gfx10");
        assert!(decode(&[0xd680_0022, 0x0000_00fe], Gfx(0x1200), 32).is_err(), "v_s_exp_f32 s34, src_lds_direct");
        assert!(decode(&[0xd688_007f, 0x0000_004d], Gfx(0x1200), 32).is_err(), "v_s_sqrt_f32 exec_hi, s77");
        assert!(decode(&[0x022f_ffd8, 0x4ec1_5e88], Gfx(0x600), 64).is_err(), "v_readlane_b32 s23, v216, 0x4ec15e88");
    }

    #[test]
    fn a_nop_that_announces_no_valid_dword_stands_alone() {
        for code in [0xf9, 0xfa] {
            let i = decode(&[0x7e00_0000 | code, 0x8402_2503], Gfx(0x942), 64).unwrap();
            assert_eq!((i.name(), i.len, i.mods.sdwa.present), ("v_nop", 1, false));
        }
    }

    #[test]
    fn a_literal_is_the_dword_after_the_instruction() {
        let i = decode(&[0x7e00_02ff, 0x3f80_0000], Gfx::GFX1100, 32).unwrap();
        assert_eq!((i.name(), i.len, i.ops()[1]), ("v_mov_b32", 2, Operand::Literal(0x3f80_0000)));
        let e = decode(&[0x7e00_02ff], Gfx::GFX1100, 32).unwrap_err();
        assert_eq!(e, DecodeError::Truncated { needed: 2, available: 1, word: 0x7e00_02ff });
    }

    #[test]
    fn the_hardware_runs_what_llvm_refuses() {
        let cases: [(&[u32], &str, Tolerance); 3] = [
            (&[0xd834_0000, 0x0500_0100], "ds_store_b32", Tolerance::UNUSED_VDST), // vdst 5
            (&[0xd501_0001, 0x0004_0501], "v_cndmask_b32", Tolerance::empty()),    // all three sources are used
            (&[0xd581_0001, 0x0000_0501], "v_mov_b32", Tolerance::UNUSED_SOURCE),  // source 1 is 2
        ];
        for (words, name, tolerance) in cases {
            let strict = decode(words, Gfx::GFX1100, 32);
            assert_eq!(strict.is_ok(), tolerance.is_empty(), "{name}");
            let lenient = decode_lenient(words, Gfx::GFX1100, 32).unwrap();
            assert_eq!((lenient.name(), lenient.tolerated), (name, tolerance));
        }
        // v_dual_mov_b32 has no second source.
        let dual = [0xca10_0201, 0x0000_0501 & 0x1ff];
        assert!(decode(&dual, Gfx::GFX1100, 32).is_err());
        assert_eq!(decode_lenient(&dual, Gfx::GFX1100, 32).unwrap().tolerated, Tolerance::UNUSED_SOURCE);
    }
}
