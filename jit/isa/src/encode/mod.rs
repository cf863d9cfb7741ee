//! [`Inst`] to bits: the inverse of `decode/`, over the same rows and field layouts.
//!
//! `row`, `target`, `enc`, operands and modifiers decide the code; `words` and `len` of the instruction are not looked at. Don't-care
//! fields are written as zero.

mod buffer;
mod export;
mod image;
mod memory;
mod packed;
mod scalar;
mod smem;
mod vop;

use super::bits::{Bits, MAX_DWORDS};
use super::decode::cache::CachePolicy;
use super::inst::{Enc, Inst, Operand};
use super::scalars::{LITERAL, ScalarSpace, int_code};

/// Machine code of one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code {
    words: [u32; MAX_DWORDS],
    len: u8,
}

impl Code {
    /// Its dwords.
    pub fn dwords(&self) -> &[u32] {
        &self.words[..usize::from(self.len)]
    }
}

/// Why an instruction has no encoding.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EncodeError {
    /// The processor lacks the instruction or its form.
    #[error("{name} has no {enc} form on {target}")]
    Form {
        /// Mnemonic.
        name: &'static str,
        /// Format asked for.
        enc: Enc,
        /// Processor.
        target: super::Gfx,
    },
    /// A value is outside of what its field can hold.
    #[error("{name}: {what} {value}: expected {range}")]
    Range {
        /// Mnemonic.
        name: &'static str,
        /// Which value.
        what: String,
        /// What it is.
        value: i64,
        /// What it can be.
        range: String,
    },
    /// An operand or a modifier has no code here.
    #[error("{name}: {what} cannot be encoded")]
    Operand {
        /// Mnemonic.
        name: &'static str,
        /// The operand or modifier.
        what: String,
        /// Its number among the instruction's operands, if it is one.
        operand: Option<usize>,
    },
}

/// Encodes an instruction.
pub fn encode(inst: &Inst) -> Result<Code, EncodeError> {
    match inst.enc {
        Enc::SOP1 | Enc::SOP2 | Enc::SOPC | Enc::SOPK | Enc::SOPP => scalar::encode(inst),
        Enc::SMEM => smem::encode(inst),
        Enc::DS | Enc::FLAT | Enc::GLOBAL | Enc::SCRATCH => memory::encode(inst),
        Enc::MUBUF | Enc::MTBUF => buffer::encode(inst),
        Enc::MIMG | Enc::VIMAGE | Enc::VSAMPLE => image::encode(inst),
        Enc::EXP | Enc::VINTRP | Enc::LDSDIR => export::encode(inst),
        Enc::VOP3P | Enc::MAI | Enc::VINTERP | Enc::VOPD => packed::encode(inst),
        _ => vop::encode(inst),
    }
}

fn no_form(inst: &Inst) -> EncodeError {
    EncodeError::Form { name: inst.name(), enc: inst.enc, target: inst.target }
}

/// An instruction being put into dwords. Field values come from the operands; a literal is kept until [`Words::finish`] appends it.
struct Words<'a> {
    inst: &'a Inst,
    scalars: &'static ScalarSpace,
    words: [u32; MAX_DWORDS],
    /// Dwords without the literal.
    len: u8,
    literal: Option<u32>,
}

impl<'a> Words<'a> {
    /// `len` dwords of zeros.
    fn new(inst: &'a Inst, len: u8) -> Self {
        Words { inst, scalars: ScalarSpace::of(inst.target), words: [0; MAX_DWORDS], len, literal: None }
    }

    /// The error of an operand or modifier that has no code.
    fn bad(&self, what: impl std::fmt::Display) -> EncodeError {
        EncodeError::Operand { name: self.inst.name(), what: what.to_string(), operand: None }
    }

    /// The error of an operand, one of the instruction's, that has no code; `why` follows its name.
    fn bad_operand(&self, op: &Operand, why: &str) -> EncodeError {
        let operand = self.inst.ops().iter().position(|o| std::ptr::eq(o, op));
        EncodeError::Operand { name: self.inst.name(), what: format!("{op}{why}"), operand }
    }

    /// The error of a value that its field, which starts at `least`, is too small for.
    fn out_of_range(&self, what: &str, value: i64, least: i64, field: Bits) -> EncodeError {
        let greatest = least + i64::from(field.max());
        let range = if greatest == 0 { "0".to_string() } else { format!("{least} to {greatest}") };
        EncodeError::Range { name: self.inst.name(), what: what.to_string(), value, range }
    }

    /// Opcode number of the row on the processor.
    fn number(&self) -> Result<u32, EncodeError> {
        let row = self.inst.row;
        let number = row.number(self.inst.target.space()).filter(|_| row.exists_on(self.inst.target));
        number.map(u32::from).ok_or_else(|| no_form(self.inst))
    }

    /// Puts `value` into `field`; `what` names it in the error.
    fn set(&mut self, field: Bits, value: u32, what: &str) -> Result<(), EncodeError> {
        if field.set(&mut self.words, value) { Ok(()) } else { Err(self.out_of_range(what, i64::from(value), 0, field)) }
    }

    /// The cache policy that the modifiers ask for.
    fn set_cache_policy(&mut self, layout: &CachePolicy) -> Result<(), EncodeError> {
        layout.fields(&self.inst.mods).into_iter().try_for_each(|(field, value, name)| self.set(field, value, name))
    }

    /// Puts a signed value into `field`.
    fn set_signed(&mut self, field: Bits, value: i32, what: &str) -> Result<(), EncodeError> {
        let limit = (i64::from(field.max()) + 1) / 2;
        if !(-limit..limit.max(1)).contains(&i64::from(value)) {
            return Err(self.out_of_range(what, i64::from(value), -limit, field));
        }
        self.set(field, value as u32 & field.max(), what)
    }

    /// Seven-bit code of a scalar register (tuple).
    fn sreg(&self, op: &Operand) -> Result<u32, EncodeError> {
        match *op {
            Operand::Sgpr { n, count } if self.scalars.tuple(u32::from(n), count) == Some(u32::from(n)) => Ok(u32::from(n)),
            _ => Err(self.bad_operand(op, "")),
        }
    }

    /// Eight-bit code of a scalar source. A literal is kept for [`Words::finish`].
    fn ssrc(&mut self, op: &Operand) -> Result<u32, EncodeError> {
        let code = match *op {
            Operand::Int(v) => int_code(v),
            Operand::Float(float) if self.scalars.has_float(float) => Some(float.code()),
            Operand::Special(special) if self.scalars.reads_special(special) => Some(special.code()),
            Operand::Literal(v) => {
                self.set_literal(v)?;
                Some(LITERAL)
            }
            _ => None,
        };
        code.map_or_else(|| self.sreg(op), Ok)
    }

    /// Nine-bit code of a source: VGPRs stand above the scalar ones.
    fn src(&mut self, op: &Operand) -> Result<u32, EncodeError> {
        match *op {
            Operand::Vgpr { .. } | Operand::Agpr { .. } => Ok(256 + self.vgpr(op)?),
            _ => self.ssrc(op),
        }
    }

    /// Number of a VGPR or AGPR (tuple); halves are the caller's business.
    fn vgpr(&self, op: &Operand) -> Result<u32, EncodeError> {
        match *op {
            Operand::Vgpr { n, count, .. } | Operand::Agpr { n, count } if u32::from(n) + u32::from(count) <= 256 => Ok(u32::from(n)),
            _ => Err(self.bad_operand(op, "")),
        }
    }

    /// The literal dword; an instruction has one.
    fn set_literal(&mut self, v: u32) -> Result<(), EncodeError> {
        match self.literal.replace(v) {
            Some(old) if old != v => Err(self.bad(format_args!("a second literal, {v:#x}, beside {old:#x},"))),
            _ => Ok(()),
        }
    }

    /// The code, literal last.
    fn finish(mut self) -> Code {
        if let Some(v) = self.literal {
            self.words[usize::from(self.len)] = v;
            self.len += 1;
        }
        Code { words: self.words, len: self.len }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Gfx, decode};
    use super::*;
    use wavejit_random::Random;

    /// Don't-care bits may be lost, the instruction may not.
    #[test]
    fn what_decodes_encodes_back() {
        let mut random = Random(1);
        for target in Gfx::all() {
            for _ in 0..4000 {
                let mut words: [u32; MAX_DWORDS] = std::array::from_fn(|_| random.u32());
                // Half of all words would be VOP2.
                if !random.u32().is_multiple_of(8) {
                    words[0] |= 0x8000_0000;
                }
                // Scalar programs and waits are rare among random words.
                if random.u32().is_multiple_of(4) {
                    words[0] |= 0xbe80_0000;
                }
                for wave in [32, 64] {
                    let Ok(i) = decode(&words, target, wave) else { continue };
                    let code = match encode(&i) {
                        Ok(code) => code,
                        Err(EncodeError::Form { .. }) => continue,
                        Err(e) => panic!("{target}: {e} ({i:?})"),
                    };
                    let again = decode(code.dwords(), target, wave);
                    let again = again.unwrap_or_else(|e| panic!("{target}: {i:?} becomes {code:08x?}: {e}"));
                    assert_eq!((again.name(), again.ops(), again.mods), (i.name(), i.ops(), i.mods), "{target}: {i:?} becomes {code:08x?}");
                }
            }
        }
    }
}
