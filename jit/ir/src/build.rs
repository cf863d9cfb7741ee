//! Appends instructions to a block: typed helper functions over [`Op`].
//!
//! Instruction semantics (`isa` rows and `lift`) are written with these. [`Builder::pure1`], [`pure2`](Builder::pure2) and
//! [`pure3`](Builder::pure3) splat scalar operands when any operand is a lane value, and fold constants not at all: passes do that.

use super::*;

/// Builds one block of a function.
pub struct Builder<'f> {
    /// The function.
    pub func: &'f mut Func,
    /// The body so far.
    pub insts: Vec<Inst>,
    /// Guest address given to new instructions.
    pub pc: u64,
    /// Float mode given to new pure operations.
    pub mode: FpMode,
}

impl<'f> Builder<'f> {
    /// A builder for a block that starts at `pc`.
    pub fn new(func: &'f mut Func, pc: u64, mode: FpMode) -> Self {
        Builder { func, insts: Vec::new(), pc, mode }
    }

    /// Appends `op` with results of types `tys`; the first result (undefined if there is none).
    pub fn push(&mut self, op: Op, tys: &[Ty]) -> Value {
        let first = self.func.new_values(tys);
        self.insts.push(Inst { op, first, results: tys.len() as u8, pc: self.pc });
        first
    }

    /// Type of `v`.
    pub fn ty(&self, v: Value) -> Ty {
        self.func.ty(v)
    }

    /// A scalar constant.
    pub fn const32(&mut self, bits: u32) -> Value {
        self.push(Op::Const { width: Width::B32, bits: bits.into() }, &[Ty::S32])
    }
    /// A scalar constant.
    pub fn const64(&mut self, bits: u64) -> Value {
        self.push(Op::Const { width: Width::B64, bits }, &[Ty::S64])
    }
    /// A scalar condition.
    pub fn const1(&mut self, bit: bool) -> Value {
        self.push(Op::Const { width: Width::B1, bits: bit.into() }, &[Ty::S1])
    }
    /// `v` itself if it is a lane value, else its splat.
    pub fn splat(&mut self, v: Value) -> Value {
        let t = self.ty(v);
        if t.shape == Shape::Lane { v } else { self.push(Op::Splat(v), &[Ty { shape: Shape::Lane, ..t }]) }
    }

    fn pure(&mut self, op: PureOp, vals: &[Value]) -> Value {
        debug_assert_eq!(vals.len(), op.args().len(), "{op}");
        let lane = vals.iter().any(|v| self.ty(*v).shape == Shape::Lane);
        let mut args = [None; 3];
        for (slot, v) in args.iter_mut().zip(vals) {
            *slot = Some(if lane { self.splat(*v) } else { *v });
        }
        let shape = if lane { Shape::Lane } else { Shape::Scalar };
        let mode = if op.reads_mode() { self.mode } else { FpMode(0) };
        self.push(Op::Pure { op, mode, args }, &[Ty { shape, width: op.ret() }])
    }
    /// One-operand pure operation.
    pub fn pure1(&mut self, op: PureOp, a: Value) -> Value {
        self.pure(op, &[a])
    }
    /// Two-operand pure operation.
    pub fn pure2(&mut self, op: PureOp, a: Value, b: Value) -> Value {
        self.pure(op, &[a, b])
    }
    /// Three-operand pure operation.
    pub fn pure3(&mut self, op: PureOp, a: Value, b: Value, c: Value) -> Value {
        self.pure(op, &[a, b, c])
    }

    /// EXEC as a mask.
    pub fn exec(&mut self) -> Value {
        self.push(Op::ExecGet, &[Ty::MASK])
    }
    /// Mask to bits (S64).
    pub fn mask_bits(&mut self, m: Value) -> Value {
        self.push(Op::MaskBits(m), &[Ty::S64])
    }
    /// Bits (S64) to mask.
    pub fn bits_mask(&mut self, b: Value) -> Value {
        self.push(Op::BitsMask(b), &[Ty::MASK])
    }
    /// A scalar register.
    pub fn sget(&mut self, r: SReg) -> Value {
        self.push(Op::SGet(r), &[r.ty()])
    }
    /// Writes a scalar register.
    pub fn sset(&mut self, r: SReg, v: Value) {
        self.push(Op::SSet(r, v), &[]);
    }
    /// A VGPR under `demand`.
    pub fn vget(&mut self, reg: VReg, demand: Option<Value>) -> Value {
        self.push(Op::VGet { reg, demand }, &[Ty::L32])
    }
    /// Writes a VGPR under `exec`.
    pub fn vset(&mut self, reg: VReg, value: Value, exec: Value) {
        let value = self.splat(value);
        self.push(Op::VSet { reg, value, exec }, &[]);
    }
    /// A load: the first of `kind.dwords()` L32 results.
    pub fn load(&mut self, space: Space, kind: MemKind, addr: Addr, exec: Value) -> Value {
        self.push(Op::Load { space, kind, addr, exec }, &[Ty::L32; 4][..kind.dwords()])
    }
}
