//! What an instruction is lifted with: the block it goes to, registers, masks, constants and halves, by operand.
//!
//! Scalar operand codes: descriptors.md section 11. Constants, halves and modifiers: numerics.md sections 3 and 10, requirements.md
//! STATE-16 to STATE-38. Everything that looks at an operand's encoding is here, so that semantics deal in values only.

use super::source::{ALL_VGPRS, LiftSource};
use super::types::*;
use wavejit_ir::abi::{PRIVATE_APERTURE_HI, SHARED_APERTURE_HI};
use wavejit_ir::{Builder, Op, PureOp, SReg, Shape, Ty, VReg, Value, Waits, Width};
use wavejit_isa::Feature;
use wavejit_isa::scalars::{EXEC_HI, EXEC_LO, Pair, Scalar, ScalarSpace, Special, TRAP, VCC_LO};
use wavejit_isa::{self as isa, Enc, Gfx, Half, Inst, Opd, Operand};

/// Where the wave keeps what a scalar operand code names.
enum ScalarHome {
    Reg(SReg),
    /// Reads 0, writes are dropped: NULL, the trap handler's registers (STATE-22, STATE-23), and codes without a register.
    Nowhere,
    ExecLo,
    ExecHi,
}

/// The wave's place of a register. What the processor's codes name is [`ScalarSpace`]'s to say; here are only the places.
fn home(space: &ScalarSpace, code: u8) -> ScalarHome {
    let half_of = |low: SReg, half: u32| ScalarHome::Reg(SReg(low.0 + half as u8));
    match space.register(code.into()) {
        Some(Scalar::Sgpr(n)) => ScalarHome::Reg(SReg(n as u8)),
        Some(Scalar::Pair(Pair::Vcc, half)) => half_of(SReg::VCC_LO, half),
        Some(Scalar::Pair(Pair::FlatScratch, half)) => half_of(SReg::FLAT_SCRATCH_LO, half),
        Some(Scalar::Pair(Pair::XnackMask, half)) => half_of(SReg::XNACK_MASK_LO, half),
        Some(Scalar::Pair(Pair::Exec, 0)) => ScalarHome::ExecLo,
        Some(Scalar::Pair(Pair::Exec, _)) => ScalarHome::ExecHi,
        Some(Scalar::M0) => ScalarHome::Reg(SReg::M0),
        Some(Scalar::Ttmp(n)) if space.has_readable_ttmps => ScalarHome::Reg(SReg(SReg::TTMP0.0 + n as u8)),
        Some(Scalar::Ttmp(_) | Scalar::Pair(Pair::Tba | Pair::Tma, _) | Scalar::Null) | None => ScalarHome::Nowhere,
    }
}

/// An operand that a row names.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Arg {
    /// What it is here; `Off` if the instruction has it not.
    pub op: Operand,
    /// How the row's type is read.
    pub t: T,
    /// The row's type.
    pub ty: isa::Ty,
    /// Which source it is, for modifiers that are bits by source.
    pub source: usize,
}

impl Arg {
    /// Does the instruction have it? A returning atomic has its destination.
    pub fn is_there(self) -> bool {
        self.op != Operand::Off
    }
}

/// The operands that the row of `inst` names, in its order. A destination that nothing is returned to is left out of the instruction.
pub fn named<const N: usize>(inst: &Inst) -> [Arg; N] {
    let (row, ops) = (inst.row, inst.ops());
    let left_out = row.ops.len() - ops.len().min(row.ops.len());
    std::array::from_fn(|i| {
        let op = i.checked_sub(left_out).and_then(|i| ops.get(i)).copied().unwrap_or(Operand::Off);
        let (t, ty, source) = T::of_column(row, row.ops[i]);
        Arg { op, t, ty, source }
    })
}

/// The instruction being lifted, and the block it goes to.
pub struct Cx<'a, 'f> {
    /// The block.
    pub b: Builder<'f>,
    /// The instruction.
    pub inst: &'a Inst,
    /// Processor.
    pub target: Gfx,
    /// Lanes of a wave: 32 or 64.
    pub wave_size: u32,
    /// VGPRs a wave has.
    vgprs: u16,
    /// Why the instruction cannot be lifted, if so.
    pub unsupported: Option<&'static str>,
    /// EXEC, once read and until written.
    exec: Option<Value>,
    /// The semantics of this instruction asked for its DPP.
    pub dpp_done: bool,
}

impl<'a, 'f> Cx<'a, 'f> {
    /// For a block of `src` that begins with `inst`.
    pub fn new(b: Builder<'f>, inst: &'a Inst, src: &LiftSource) -> Self {
        let vgprs = src.vgprs.clamp(1, ALL_VGPRS) as u16;
        Cx { b, inst, target: src.target, wave_size: src.wave_size, vgprs, unsupported: None, exec: None, dpp_done: false }
    }

    /// Gives up on the instruction: the block will end in an error that names it.
    pub fn unsupported(&mut self, why: &'static str) {
        self.unsupported.get_or_insert(why);
    }

    /// Operand `i`, if there is one.
    pub fn operand(&self, i: usize) -> Option<Operand> {
        self.inst.ops().get(i).copied()
    }
    /// Operand `i`; `Off`, and an error for the instruction, if the decoder gave none.
    pub fn op(&mut self, i: usize) -> Operand {
        self.operand(i).unwrap_or_else(|| {
            self.unsupported("operand missing");
            Operand::Off
        })
    }
    /// Reads an operand as its type.
    pub fn read(&mut self, arg: Arg) -> Value {
        self.src(arg.op, arg.t)
    }
    /// Writes a scalar destination as its type.
    pub fn write_scalar(&mut self, d: Arg, v: Value) {
        self.sdst(d.op, d.t, v);
    }
    /// Writes a vector destination as its type, in the lanes of `exec`.
    pub fn write_lanes(&mut self, d: Arg, v: Value, exec: Value) {
        self.vdst(d.op, d.t, v, exec);
    }
    /// Guest address of the next instruction.
    pub fn next_pc(&self) -> u64 {
        self.b.pc.wrapping_add(self.inst.bytes().into())
    }
    /// What the instruction waits for; a counter at its largest value waits for nothing.
    pub fn waits(&self) -> Waits {
        let mut waits = Waits::default();
        for (counter, value) in self.inst.counters() {
            if let Some(count) = waits.counter(counter.name) {
                *count = (value < counter.max()).then_some(value as u8);
            }
        }
        waits
    }
    /// A guest address of the code, S64.
    pub fn code_address(&mut self, pc: u64) -> Value {
        self.b.push(Op::CodeAddress { pc }, &[Ty::S64])
    }
    /// Is this a 64-lane wave?
    pub fn is_wave64(&self) -> bool {
        self.wave_size == 64
    }

    // EXEC and masks

    /// EXEC.
    pub fn exec(&mut self) -> Value {
        if let Some(e) = self.exec {
            return e;
        }
        let e = self.b.exec();
        self.exec = Some(e);
        e
    }
    /// Writes EXEC.
    pub fn set_exec(&mut self, mask: Value) {
        self.b.push(Op::ExecSet(mask), &[]);
        self.exec = Some(mask);
    }
    /// The mask with these bits.
    pub fn const_mask(&mut self, bits: u64) -> Value {
        let bits = self.b.const64(bits);
        self.b.bits_mask(bits)
    }
    /// The mask of all lanes.
    pub fn all_lanes(&mut self) -> Value {
        self.const_mask(if self.is_wave64() { !0 } else { 0xffff_ffff })
    }
    /// EXEC_HI:EXEC_LO (S64). In wave32 the high word is a register of its own.
    pub fn exec64(&mut self) -> Value {
        let e = self.exec();
        let bits = self.b.mask_bits(e);
        if self.is_wave64() {
            return bits;
        }
        let lo = self.b.pure1(PureOp::Lo64, bits);
        let hi = self.b.sget(SReg::EXEC_HI);
        self.b.pure2(PureOp::Pack64, lo, hi)
    }
    /// Writes EXEC_HI:EXEC_LO.
    pub fn set_exec64(&mut self, bits: Value) {
        if self.is_wave64() {
            let m = self.b.bits_mask(bits);
            return self.set_exec(m);
        }
        let lo = self.b.pure1(PureOp::Lo64, bits);
        let hi = self.b.pure1(PureOp::Hi64, bits);
        self.swrite(EXEC_LO, lo);
        self.b.sset(SReg::EXEC_HI, hi);
    }
    /// A lane mask from a scalar operand.
    pub fn mask_src(&mut self, op: Operand) -> Value {
        if let Operand::Sgpr { n: EXEC_LO, .. } = op {
            return self.exec();
        }
        let bits = if self.is_wave64() {
            self.src(op, B64)
        } else {
            let lo = self.src(op, B32);
            self.b.pure1(PureOp::ZExt64, lo)
        };
        self.b.bits_mask(bits)
    }
    /// Writes a lane mask to a scalar operand.
    pub fn mask_dst(&mut self, op: Operand, mask: Value) {
        if let Operand::Sgpr { n: EXEC_LO, .. } = op {
            return self.set_exec(mask);
        }
        let bits = self.b.mask_bits(mask);
        if self.is_wave64() {
            self.sdst(op, B64, bits);
        } else {
            let lo = self.b.pure1(PureOp::Lo64, bits);
            self.sdst(op, B32, lo);
        }
    }

    // which vector registers there are

    /// Does a wave have the `count` registers from row `n`?
    pub fn has_rows(&self, n: u16, count: usize) -> bool {
        let end = if n < AGPR0 { self.vgprs } else { 2 * AGPR0 };
        usize::from(n) + count <= usize::from(end)
    }
    /// VGPRs from `n` on: how far a relative access may go.
    pub fn rows_from(&self, n: u16) -> u32 {
        self.vgprs.saturating_sub(n).into()
    }
    /// Row of dword `i` of a source operand of `dwords` dwords. If part of it is out of range, the VALU reads all of it from v0 on, VOPD
    /// from the register number modulo 4; memory instructions read v0 instead of each dword that is (STATE-32).
    pub fn source(&self, n: u16, dwords: usize, i: usize) -> VReg {
        let file = n & AGPR0;
        let first = match self.inst.enc {
            enc if is_memory(enc) => n,
            _ if self.has_rows(n, dwords) => n,
            Enc::VOPD => n & 3,
            _ => file,
        };
        VReg(if self.has_rows(first, i + 1) { first + i as u16 } else { file })
    }
    /// Is a destination VGPR out of range? Then nothing of the instruction happens (STATE-31, STATE-33), whether it would write an SGPR
    /// too or read memory.
    pub fn is_dropped(&self) -> bool {
        let inst = self.inst;
        let beyond = |i: usize| match inst.ops().get(i) {
            Some(Operand::Vgpr { n, count, .. }) => !self.has_rows(*n, (*count).into()),
            Some(Operand::Agpr { n, count }) => !self.has_rows(AGPR0 + (n & 255), (*count).into()),
            _ => false,
        };
        let writes = |row: &isa::Row| match row.ops.first() {
            // Loads to LDS have none.
            Some(Opd::D(_) | Opd::AD(_)) => !inst.mods.lds,
            // Left out where nothing is returned: the address comes first then.
            Some(Opd::RD(_)) => inst.ops().len() == row.ops.len(),
            _ => false,
        };
        writes(inst.row) && beyond(0) || inst.row_y.is_some_and(writes) && beyond(inst.y_start.into())
    }

    // scalar registers

    fn home(&self, n: u8) -> ScalarHome {
        home(ScalarSpace::of(self.target), n)
    }
    /// Is code `n` NULL or out of reach? The number of a pair is looked at before its low bit is dropped: NULL is odd on gfx10.
    fn is_nowhere(&self, n: u8) -> bool {
        matches!(self.home(n), ScalarHome::Nowhere)
    }
    /// Is the operand NULL?
    pub fn is_null(&self, op: Operand) -> bool {
        matches!(op, Operand::Sgpr { n, .. } if Some(u32::from(n)) == ScalarSpace::of(self.target).null)
    }
    /// The register of an operand that can be counted from: an SGPR or half of VCC. The number of a tuple is a multiple of `align`.
    pub fn indexable(&self, op: Operand, align: u8) -> Option<SReg> {
        let Operand::Sgpr { n, .. } = op else { return None };
        let n = n & !(align - 1);
        match (ScalarSpace::of(self.target).register(n.into()), self.home(n)) {
            (Some(Scalar::Sgpr(_) | Scalar::Pair(Pair::Vcc, _)), ScalarHome::Reg(reg)) => Some(reg),
            _ => None,
        }
    }
    /// The `count` dwords at code `first` as an instruction takes them that may not have M0, NULL or EXEC there: a base address, a
    /// descriptor. Those read 0 (STATE-22, STATE-34). What runs from SGPRs into TTMPs, or past them, reads s0 and up (STATE-25).
    pub fn sread_tuple(&mut self, first: u8, count: u8) -> Vec<Value> {
        let first = first & !(count.next_power_of_two().min(4) - 1);
        let straddles = |end: u8| first < end && first + count > end;
        let base = if straddles(TRAP.start) || straddles(TRAP.end) { 0 } else { first };
        (0..count).map(|i| if first >= TRAP.end { self.b.const32(0) } else { self.sread(base + i) }).collect()
    }
    /// Would a write to scalar code `n` be refused?
    pub fn is_refused(n: u8) -> bool {
        TRAP.contains(&n)
    }
    /// Reads scalar code `n` (S32).
    pub fn sread(&mut self, n: u8) -> Value {
        match self.home(n) {
            ScalarHome::Reg(r) => self.b.sget(r),
            ScalarHome::Nowhere => self.b.const32(0),
            ScalarHome::ExecHi if !self.is_wave64() => self.b.sget(SReg::EXEC_HI),
            half @ (ScalarHome::ExecLo | ScalarHome::ExecHi) => {
                let e = self.exec();
                let bits = self.b.mask_bits(e);
                let op = if matches!(half, ScalarHome::ExecLo) { PureOp::Lo64 } else { PureOp::Hi64 };
                self.b.pure1(op, bits)
            }
        }
    }
    /// Reads the pair at `n` (S64); the low bit of `n` is ignored (STATE-18).
    pub fn sread64(&mut self, n: u8) -> Value {
        if self.is_nowhere(n) {
            return self.b.const64(0);
        }
        let n = n & !1;
        match self.home(n) {
            ScalarHome::ExecLo => self.exec64(),
            _ => {
                let lo = self.sread(n);
                let hi = self.sread(n + 1);
                self.b.pure2(PureOp::Pack64, lo, hi)
            }
        }
    }
    /// Writes scalar code `n`.
    pub fn swrite(&mut self, n: u8, v: Value) {
        if Self::is_refused(n) {
            return;
        }
        match self.home(n) {
            ScalarHome::Reg(r) => self.b.sset(r, v),
            ScalarHome::Nowhere => {}
            ScalarHome::ExecHi if !self.is_wave64() => self.b.sset(SReg::EXEC_HI, v),
            ScalarHome::ExecLo if !self.is_wave64() => {
                let bits = self.b.pure1(PureOp::ZExt64, v);
                let m = self.b.bits_mask(bits);
                self.set_exec(m);
            }
            ScalarHome::ExecLo => {
                let hi = self.sread(EXEC_HI);
                let bits = self.b.pure2(PureOp::Pack64, v, hi);
                self.set_exec64(bits);
            }
            ScalarHome::ExecHi => {
                let lo = self.sread(EXEC_LO);
                let bits = self.b.pure2(PureOp::Pack64, lo, v);
                self.set_exec64(bits);
            }
        }
    }
    /// Writes the pair at `n`.
    pub fn swrite64(&mut self, n: u8, v: Value) {
        if self.is_nowhere(n) {
            return;
        }
        let n = n & !1;
        match self.home(n) {
            ScalarHome::ExecLo => self.set_exec64(v),
            _ => {
                let lo = self.b.pure1(PureOp::Lo64, v);
                let hi = self.b.pure1(PureOp::Hi64, v);
                self.swrite(n, lo);
                self.swrite(n + 1, hi);
            }
        }
    }
    /// Writes a scalar destination.
    pub fn sdst(&mut self, op: Operand, t: T, v: Value) {
        match op {
            Operand::Sgpr { n, .. } if t.is_64() => self.swrite64(n, v),
            Operand::Sgpr { n, .. } => self.swrite(n, v),
            // Codes of sources that 8-bit destination fields can hold: out of range (STATE-22).
            Operand::Off | Operand::Special(_) => {}
            _ => self.unsupported("scalar destination expected"),
        }
    }
    /// SCC (S1).
    pub fn scc(&mut self) -> Value {
        self.b.sget(SReg::SCC)
    }
    /// Writes SCC.
    pub fn set_scc(&mut self, v: Value) {
        self.b.sset(SReg::SCC, v);
    }
    /// Is `v` (S32 or S64) not zero?
    pub fn is_nonzero(&mut self, v: Value) -> Value {
        nonzero(&mut self.b, v)
    }
    /// VCC over the lanes of the wave is zero (STATE-37).
    pub fn vccz(&mut self) -> Value {
        if self.is_wave64() {
            let v = self.sread64(VCC_LO);
            let z = self.b.const64(0);
            self.b.pure2(PureOp::ICmpEq64, v, z)
        } else {
            let v = self.sread(VCC_LO);
            let z = self.b.const32(0);
            self.b.pure2(PureOp::ICmpEq32, v, z)
        }
    }
    /// EXEC over the lanes of the wave is zero.
    pub fn execz(&mut self) -> Value {
        let e = self.exec();
        let bits = self.b.mask_bits(e);
        let z = self.b.const64(0);
        self.b.pure2(PureOp::ICmpEq64, bits, z)
    }

    // sources

    fn constant(&mut self, t: T, bits32: u32, bits64: u64) -> Value {
        if t.is_64() { self.b.const64(bits64) } else { self.b.const32(if t.is_16() { bits32 & 0xffff } else { bits32 }) }
    }
    fn flag(&mut self, c: Value, t: T) -> Value {
        let v = self.b.pure1(PureOp::BToInt, c);
        if t.is_64() { self.b.pure1(PureOp::ZExt64, v) } else { v }
    }
    fn special(&mut self, special: Special, t: T) -> Value {
        let (lo, hi) = match special {
            Special::SharedBase => (0, SHARED_APERTURE_HI),
            Special::SharedLimit => (u32::MAX, SHARED_APERTURE_HI),
            Special::PrivateBase => (0, PRIVATE_APERTURE_HI),
            Special::PrivateLimit => (u32::MAX, PRIVATE_APERTURE_HI),
            Special::PopsExitingWaveId => (0, 0),
            Special::Vccz => {
                let c = self.vccz();
                return self.flag(c, t);
            }
            Special::Execz => {
                let c = self.execz();
                return self.flag(c, t);
            }
            Special::Scc => {
                let c = self.scc();
                return self.flag(c, t);
            }
            Special::LdsDirect => {
                self.unsupported("this source operand");
                (0, 0)
            }
        };
        // Read as 32 bits an aperture is its high word.
        self.constant(t, hi, u64::from(hi) << 32 | u64::from(lo))
    }
    /// A vector register as type `t`, under `demand`.
    pub fn vread(&mut self, n: u16, half: Half, t: T, demand: Option<Value>) -> Value {
        let dwords = if t.is_64() { 2 } else { 1 };
        let v = self.b.vget(self.source(n, dwords, 0), demand);
        if t.is_64() {
            let hi = self.b.vget(self.source(n, dwords, 1), demand);
            return self.b.pure2(PureOp::Pack64, v, hi);
        }
        if half == Half::Hi { self.high_half(v) } else { v }
    }
    /// Bits 31:16.
    pub fn high_half(&mut self, v: Value) -> Value {
        let k = self.b.const32(16);
        self.b.pure2(PureOp::LShr32, v, k)
    }
    /// An operand as type `t`, without modifiers. 16-bit types: the value is in the low half, the high half is anything.
    pub fn src(&mut self, op: Operand, t: T) -> Value {
        match op {
            Operand::Vgpr { n, half, .. } => {
                let e = self.exec();
                self.vread(n, half, t, Some(e))
            }
            Operand::Agpr { n, .. } => {
                let e = self.exec();
                self.vread(AGPR0 + (n & 255), Half::Whole, t, Some(e))
            }
            Operand::Sgpr { .. } if t == Mask => self.mask_src(op),
            Operand::Sgpr { n, .. } if t.is_64() => self.sread64(n),
            Operand::Sgpr { n, .. } => self.sread(n),
            Operand::Special(special) => self.special(special, t),
            Operand::Int(i) => self.constant(t, i as u32, i64::from(i) as u64),
            Operand::Float(float) => {
                let bits = match t {
                    H2 => float.f16().into(),
                    Bf2 => float.bf16().into(),
                    _ if t.is_16() => float.f16().into(),
                    _ => float.f32(),
                };
                self.constant(t, bits, float.f64())
            }
            Operand::Literal(l) => {
                let wide = match t {
                    F64 => u64::from(l) << 32,
                    I64 => i64::from(l as i32) as u64,
                    _ => l.into(),
                };
                self.constant(t, l, wide)
            }
            Operand::Imm(i) if t == K => self.b.const32(i32::from(i as i16) as u32),
            Operand::Imm(i) => self.constant(t, i, i.into()),
            Operand::Off => self.constant(t, 0, 0),
        }
    }
    // vector results

    /// Writes a vector destination of type `t` in the lanes of `exec`. 16-bit results keep the other half of the register, except on
    /// gfx8 and gfx9, where it becomes zero (op_sel forms excepted).
    pub fn vdst(&mut self, op: Operand, t: T, v: Value, exec: Value) {
        let (n, half) = match op {
            Operand::Vgpr { n, half, .. } => (n, half),
            Operand::Agpr { n, .. } => (AGPR0 + (n & 255), Half::Whole),
            _ => return self.unsupported("vector destination expected"),
        };
        if t.is_64() {
            let lo = self.b.pure1(PureOp::Lo64, v);
            let hi = self.b.pure1(PureOp::Hi64, v);
            self.b.vset(VReg(n), lo, exec);
            self.b.vset(VReg(n + 1), hi, exec);
        } else if t.is_16() {
            let high = half == Half::Hi || self.inst.mods.op_sel & 8 != 0;
            let v = if self.target.has(Feature::KeepsOtherHalf) || high { self.insert_half(n, v, high, exec) } else { self.low_half(v) };
            self.b.vset(VReg(n), v, exec);
        } else {
            self.b.vset(VReg(n), v, exec);
        }
    }
    /// Bits 15:0.
    pub fn low_half(&mut self, v: Value) -> Value {
        let k = self.b.const32(0xffff);
        self.b.pure2(PureOp::And32, v, k)
    }
    /// The old contents of row `n` with one half replaced by the low half of `v`.
    pub fn insert_half(&mut self, n: u16, v: Value, high: bool, exec: Value) -> Value {
        let old = self.b.vget(VReg(n), Some(exec));
        let mask = self.b.const32(if high { 0xffff_0000 } else { 0xffff });
        let v = if high {
            let k = self.b.const32(16);
            self.b.pure2(PureOp::Shl32, v, k)
        } else {
            v
        };
        self.b.pure3(PureOp::Bfi32, mask, v, old)
    }
    /// omod, then clamp, on a float result.
    pub fn output_mods(&mut self, mut v: Value, t: T) -> Value {
        use PureOp::*;
        let (m, mode) = (self.inst.mods, self.b.mode);
        let denorm_out = if t == F32 { mode.denorm_out32() } else { mode.denorm_out16_64() };
        let ignored = !self.target.has(Feature::OmodInEveryMode) && (mode.ieee() || denorm_out);
        if m.omod != 0 && !ignored {
            let ops = match t {
                F16 => [FOmod2x16, FOmod4x16, FOmodHalf16],
                F64 => [FOmod2x64, FOmod4x64, FOmodHalf64],
                _ => [FOmod2x32, FOmod4x32, FOmodHalf32],
            };
            v = self.b.pure1(ops[usize::from(m.omod.clamp(1, 3)) - 1], v);
        }
        if m.clamp {
            let op = match t {
                F16 => FClamp16,
                F64 => FClamp64,
                _ => FClamp32,
            };
            v = self.b.pure1(op, v);
        }
        v
    }

    /// `v` as an L32 whatever its shape.
    pub fn as_lane(&mut self, v: Value) -> Value {
        debug_assert!(self.b.ty(v).width != Width::B1);
        self.b.splat(v)
    }
    /// The lane number (L32).
    pub fn lane_id(&mut self) -> Value {
        self.b.push(Op::LaneId, &[Ty::L32])
    }
    /// A scalar of a vector operand that should be uniform: SGPRs and constants as they are, VGPRs by their first active lane.
    pub fn uniform(&mut self, arg: Arg) -> Value {
        let v = self.src(arg.op, B32);
        if self.b.ty(v).shape == Shape::Scalar {
            return v;
        }
        let exec = self.exec();
        self.b.push(Op::ReadFirstLane { value: v, exec }, &[Ty::S32])
    }
}

/// Is `v` (32 or 64 bits) not zero?
pub(super) fn nonzero(b: &mut Builder, v: Value) -> Value {
    if b.ty(v).width == Width::B64 {
        let z = b.const64(0);
        b.pure2(PureOp::ICmpNe64, v, z)
    } else {
        let z = b.const32(0);
        b.pure2(PureOp::ICmpNe32, v, z)
    }
}

/// The row of a0.
const AGPR0: u16 = 256;

/// Does the instruction send its vector operands away, to memory or as an export?
fn is_memory(enc: Enc) -> bool {
    use Enc::*;
    matches!(enc, DS | MUBUF | MTBUF | MIMG | VIMAGE | VSAMPLE | FLAT | GLOBAL | SCRATCH | EXP)
}
