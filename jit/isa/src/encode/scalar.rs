//! Encoding of the formats in `decode/scalar.rs`.

use super::{Code, EncodeError, Words};
use crate::decode::scalar::SOP;
use crate::inst::{Inst, Operand};
use crate::row::Opd;

pub(super) fn encode(inst: &Inst) -> Result<Code, EncodeError> {
    let mut w = Words::new(inst, 1);
    let (prefix, opcode) = SOP.opcode(inst.enc);
    w.words[0] = prefix;
    let number = w.number()?;
    w.set(opcode, number, "opcode")?;
    for (opd, op) in inst.row.ops.iter().zip(inst.ops()) {
        match (*opd, *op) {
            (Opd::S0(_) | Opd::R0(_) | Opd::SR0(_), _) => {
                let code = w.ssrc(op)?;
                w.set(SOP.ssrc0, code, "source 0")?;
            }
            (Opd::S1(_) | Opd::R1(_), _) => {
                let code = w.ssrc(op)?;
                w.set(SOP.ssrc1, code, "source 1")?;
            }
            (Opd::SD(_) | Opd::SS(_), _) => {
                let code = w.sreg(op)?;
                w.set(SOP.sdst, code, "destination")?;
            }
            (Opd::LIT(_), Operand::Literal(v)) => w.set_literal(v)?,
            (Opd::K(_), Operand::Imm(v)) => w.set(SOP.simm16, v, "immediate")?,
            (Opd::MSG, Operand::Imm(v)) => w.set(SOP.ssrc0, v, "message")?,
            (Opd::IDX, Operand::Imm(v)) => w.set(SOP.ssrc1, v, "index mode")?,
            _ => return Err(w.bad_operand(op, "")),
        }
    }
    Ok(w.finish())
}
