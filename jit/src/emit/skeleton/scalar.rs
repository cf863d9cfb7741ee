//! Pure operations on scalars, and mask logic on words: inline, or through the interpreter's function where they are rare.

use super::super::{EmitError, rows};
use super::{Skeleton, clif};
use cranelift_codegen::ir::{self as cl, InstBuilder, condcodes::IntCC, types};
use wavejit_ir::{self as ir, Inst, PureOp, Ty, Value};

impl Skeleton<'_, '_> {
    /// A pure operation on scalars, or mask logic on words.
    pub(super) fn scalar(&mut self, inst: &Inst, op: PureOp, mode: ir::FpMode, args: &[Option<Value>; 3]) -> Result<cl::Value, EmitError> {
        use PureOp::*;
        let mut a = [None; 3];
        for (slot, v) in a.iter_mut().zip(args) {
            *slot = v.map(|v| self.val(v)).transpose()?;
        }
        let is_mask = self.func.ty(inst.first) == Ty::MASK;
        let missing = || EmitError::internal("a pure operation lacks an operand");
        let x = a[0].ok_or_else(missing)?;
        let y = a[1].unwrap_or(x);
        let z = a[2].unwrap_or(x);
        let full = self.full_mask();
        let i = self.b.ins();
        Ok(match op {
            BAnd | And32 | And64 => i.band(x, y),
            BOr | Or32 | Or64 => i.bor(x, y),
            BXor | Xor32 | Xor64 => i.bxor(x, y),
            BAndNot => i.band_not(x, y),
            BNot if is_mask => {
                if self.func.wave_size == 64 {
                    i.bnot(x)
                } else {
                    i.bxor_imm_s(x, full)
                }
            }
            BNot => i.bxor_imm_s(x, 1),
            Not32 | Not64 => i.bnot(x),
            Sel32 | Sel64 => i.select(x, y, z),
            BToInt => i.uextend(types::I32, x),
            IAdd32 | IAdd64 => i.iadd(x, y),
            ISub32 | ISub64 => i.isub(x, y),
            IMul32 | IMul64 => i.imul(x, y),
            Shl32 | Shl64 => i.ishl(x, y),
            LShr32 | LShr64 => i.ushr(x, y),
            AShr32 | AShr64 => i.sshr(x, y),
            RotL64 => i.rotl(x, y),
            UMulHi32 => i.umulhi(x, y),
            SMulHi32 => i.smulhi(x, y),
            SMin32 => i.smin(x, y),
            SMax32 => i.smax(x, y),
            UMin32 => i.umin(x, y),
            UMax32 => i.umax(x, y),
            ICmpEq32 | ICmpEq64 => i.icmp(IntCC::Equal, x, y),
            ICmpNe32 | ICmpNe64 => i.icmp(IntCC::NotEqual, x, y),
            ICmpSlt32 | ICmpSlt64 => i.icmp(IntCC::SignedLessThan, x, y),
            ICmpSle32 | ICmpSle64 => i.icmp(IntCC::SignedLessThanOrEqual, x, y),
            ICmpSgt32 | ICmpSgt64 => i.icmp(IntCC::SignedGreaterThan, x, y),
            ICmpSge32 | ICmpSge64 => i.icmp(IntCC::SignedGreaterThanOrEqual, x, y),
            ICmpUlt32 | ICmpUlt64 => i.icmp(IntCC::UnsignedLessThan, x, y),
            ICmpUle32 | ICmpUle64 => i.icmp(IntCC::UnsignedLessThanOrEqual, x, y),
            ICmpUgt32 | ICmpUgt64 => i.icmp(IntCC::UnsignedGreaterThan, x, y),
            ICmpUge32 | ICmpUge64 => i.icmp(IntCC::UnsignedGreaterThanOrEqual, x, y),
            Pack64 => self.concat(x, y),
            Lo64 => i.ireduce(types::I32, x),
            Hi64 => {
                let h = i.ushr_imm_s(x, 32);
                self.b.ins().ireduce(types::I32, h)
            }
            ZExt64 => i.uextend(types::I64, x),
            SExt64 => i.sextend(types::I64, x),
            Popcnt64 => {
                let n = i.popcnt(x);
                self.b.ins().ireduce(types::I32, n)
            }
            Popcnt32 => i.popcnt(x),
            BitRev32 | BitRev64 => i.bitrev(x),
            _ => self.scalar_call(inst, op, mode, a),
        })
    }

    /// A rare scalar operation, through the interpreter's function for it.
    fn scalar_call(&mut self, inst: &Inst, op: PureOp, mode: ir::FpMode, a: [Option<cl::Value>; 3]) -> cl::Value {
        let number = PureOp::ALL.iter().position(|o| *o == op).expect("every operation is listed") as i64;
        let mut args = vec![self.b.ins().iconst(types::I32, number), self.b.ins().iconst(types::I32, i64::from(mode.0))];
        for v in a {
            args.push(match v {
                Some(v) if self.b.func.dfg.value_type(v) == types::I64 => v,
                Some(v) => self.b.ins().uextend(types::I64, v),
                None => self.b.ins().iconst(types::I64, 0),
            });
        }
        let r = self.call(rows::scalar as *const () as usize, &args, Some(types::I64)).expect("returns a value");
        let ty = clif(self.func.ty(inst.first).width);
        if ty == types::I64 { r } else { self.b.ins().ireduce(ty, r) }
    }
}
