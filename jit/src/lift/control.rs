//! What ends a block: branches, calls, the end of the program, barriers, traps, and writes to the float fields of MODE (RDNA3 ISA,
//! program control; requirements.md STATE-03, STATE-04, STATE-40, TRAP-02; descriptors.md section 10).
//!
//! [`flow`] says where an instruction goes, from its operands and the scalar constants known there ([`Consts`]). The discovery of
//! blocks and their lifting (`cfg`) both ask it.

use super::consts::{Consts, Wide};
use super::cx::{Arg, Cx};
use super::gws;
use super::types::*;
use wavejit_ir::PureOp::*;
use wavejit_ir::abi::GwsOp;
use wavejit_ir::{FpMode, Op, Pause, SReg, Ty, Value};
use wavejit_isa::HwReg;
use wavejit_isa::scalars::{EXEC_HI, EXEC_LO};
use wavejit_isa::{Gfx, Inst, Operand};

/// What an instruction that ends a block does, with the operands that it is done with.
#[derive(Clone, Copy, Debug)]
pub enum Control {
    /// To the distance.
    Branch(Cond, Arg),
    /// s_setpc_b64: to the address in a pair.
    SetPc(Arg),
    /// s_swappc_b64: keeps the way back in the first, goes to the address in the second.
    SwapPc(Arg, Arg),
    /// s_call_b64: keeps the way back, goes to the distance.
    Call(Arg, Arg),
    /// s_endpgm
    End,
    /// s_trap
    Trap(Arg),
    /// s_barrier, s_sleep
    Pause(Pause),
    /// ds_gws_sema_p, ds_gws_barrier, and the number given to it.
    Gws(GwsOp, Option<Arg>),
    /// s_round_mode: MODE\[3:0\]
    RoundMode(Arg),
    /// s_denorm_mode: MODE\[7:4\]
    DenormMode(Arg),
    /// s_setreg_b32, s_setreg_imm32_b32: field and value.
    SetReg(Arg, Arg),
}

/// Condition of a branch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Cond {
    Always,
    /// cdbg: the debugger's flags are never set.
    Never,
    Scc(bool),
    VccZero(bool),
    ExecZero(bool),
    /// No half of a wave64 has an active lane; else one half begins a subvector loop, the low one if it has work. What the other one
    /// waits in.
    SubvectorBegin(Arg),
    /// The high half is yet to run a subvector loop.
    SubvectorEnd(Arg),
}

/// Where control goes after an instruction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Flow {
    /// To the next instruction, in the same block.
    Next,
    /// To `target`, else to the next instruction.
    Branch { cond: Cond, target: u64 },
    /// To a known address.
    Goto(u64),
    /// To the address in an SGPR pair.
    Indirect { pair: Operand, is_return: bool },
    /// To the next instruction, with another float mode.
    Mode(FpMode),
    /// To the next instruction, with a float mode only known when it runs.
    NewMode,
    /// Suspend, then the next instruction.
    Pause(Pause),
    /// s_endpgm
    End,
    /// s_trap
    Trap(u8),
}

/// The bits of MODE that [`FpMode`] holds.
pub(super) const FLOAT_BITS: u32 = 0x3ff | 1 << 23;
/// MODE as the hardware register has it.
pub(super) fn mode_bits(m: FpMode) -> u32 {
    u32::from(m.0 & 0x3ff) | u32::from(m.0 >> 10 & 1) << 23
}
/// The float mode in a MODE register.
pub(super) fn float_mode(bits: u32) -> FpMode {
    FpMode((bits & 0x3ff) as u16 | ((bits >> 23 & 1) << 10) as u16)
}

fn immediate(op: Operand) -> u32 {
    match op {
        Operand::Imm(v) | Operand::Literal(v) => v,
        Operand::Int(v) => v as u32,
        _ => 0,
    }
}

/// A field of a hardware register: id, offset, and the mask of its bits in place.
fn hwreg(target: Gfx, simm: u32) -> (Option<HwReg>, u32, u32) {
    let (id, offset, size) = (simm & 63, simm >> 6 & 31, (simm >> 11 & 31) + 1);
    let mask = ((1u64 << size) - 1) << offset;
    (HwReg::of(target, id), offset, mask as u32)
}

/// Where `inst` at `pc` goes.
pub(super) fn flow(control: Control, inst: &Inst, pc: u64, mode: FpMode, consts: &Consts) -> Flow {
    let next = pc.wrapping_add(inst.bytes().into());
    let relative = |k: Arg| next.wrapping_add_signed(i64::from(immediate(k.op) as i16) * 4);
    let through = |Arg { op: pair, .. }, is_return| match consts.read64(pair) {
        Some(Wide::Address(target)) => Flow::Goto(target & !3),
        // A number is an address like any other that is only known when it is jumped to: the code may be elsewhere then.
        Some(Wide::Value(_)) | None => Flow::Indirect { pair, is_return },
    };
    match control {
        Control::Branch(Cond::Always, k) => Flow::Goto(relative(k)),
        Control::Branch(Cond::Never, _) => Flow::Next,
        Control::Branch(cond, k) => Flow::Branch { cond, target: relative(k) },
        Control::SetPc(to) => through(to, true),
        Control::SwapPc(_, to) => through(to, false),
        Control::Call(_, k) => Flow::Goto(relative(k)),
        Control::End => Flow::End,
        Control::Trap(k) => Flow::Trap(immediate(k.op) as u8),
        Control::Pause(why) => Flow::Pause(why),
        Control::Gws(..) => Flow::Pause(Pause::Yield),
        Control::RoundMode(k) => changed(mode, FpMode(mode.0 & !0xf | (immediate(k.op) & 0xf) as u16)),
        Control::DenormMode(k) => changed(mode, FpMode(mode.0 & !0xf0 | (immediate(k.op) as u16 & 0xf) << 4)),
        Control::SetReg(k, value) => {
            let (register, offset, mask) = hwreg(inst.target, immediate(k.op));
            if register != Some(HwReg::Mode) || mask & FLOAT_BITS == 0 {
                return Flow::Next;
            }
            match consts.read(value.op) {
                Some(v) => changed(mode, float_mode(mode_bits(mode) & !mask | v << offset & mask)),
                None => Flow::NewMode,
            }
        }
    }
}
fn changed(old: FpMode, new: FpMode) -> Flow {
    if old == new { Flow::Next } else { Flow::Mode(new) }
}

/// Effects of a control instruction other than where it goes. Gives the value its terminator needs: a branch condition (S1), an
/// indirect target (S64), or the new MODE (S32).
pub(super) fn effects(c: &mut Cx, control: Control, flow: Flow) -> Option<Value> {
    match (control, flow) {
        (_, Flow::Branch { cond, .. }) => Some(condition(c, cond)),
        (Control::SwapPc(d, _) | Control::Call(d, _), _) => {
            let target = match flow {
                Flow::Indirect { pair, .. } => Some(jump_target(c, pair)),
                _ => None,
            };
            let back = c.code_address(c.next_pc());
            c.write_scalar(d, back);
            target
        }
        (_, Flow::Indirect { pair, .. }) => Some(jump_target(c, pair)),
        (Control::SetReg(k, value), _) => setreg(c, k, value, flow),
        (Control::Gws(op, data), _) => {
            gws::ask(c, op, data);
            None
        }
        _ => None,
    }
}
fn jump_target(c: &mut Cx, pair: Operand) -> Value {
    let v = c.src(pair, B64);
    let m = c.b.const64(!3);
    c.b.pure2(And64, v, m)
}
fn condition(c: &mut Cx, cond: Cond) -> Value {
    let (v, want) = match cond {
        Cond::Scc(want) => (c.scc(), want),
        Cond::VccZero(want) => (c.vccz(), want),
        Cond::ExecZero(want) => (c.execz(), want),
        Cond::SubvectorBegin(saved) => return subvector_begin(c, saved),
        Cond::SubvectorEnd(saved) => return subvector_end(c, saved),
        Cond::Always => return c.b.const1(true),
        Cond::Never => return c.b.const1(false),
    };
    if want { v } else { c.b.pure1(BNot, v) }
}

/// s_subvector_loop_begin: the half that does not run yet is kept in the SGPR, and EXEC is the other one. Goes past the loop if there is
/// none (RDNA1 ISA, SOPK).
fn subvector_begin(c: &mut Cx, saved: Arg) -> Value {
    let (lo, hi, zero) = (c.sread(EXEC_LO), c.sread(EXEC_HI), c.b.const32(0));
    let (no_lo, no_hi) = (c.b.pure2(ICmpEq32, lo, zero), c.b.pure2(ICmpEq32, hi, zero));
    let none = c.b.pure2(BAnd, no_lo, no_hi);
    let old = c.read(saved);
    let kept = c.b.pure3(Sel32, no_lo, lo, hi);
    let kept = c.b.pure3(Sel32, none, old, kept);
    let now = c.b.pure3(Sel32, no_lo, hi, zero);
    c.write_scalar(saved, kept);
    c.swrite(EXEC_HI, now);
    none
}
/// s_subvector_loop_end: after the low half the high one runs, if the SGPR has one; after the high half EXEC is both again.
fn subvector_end(c: &mut Cx, saved: Arg) -> Value {
    let (lo, hi, zero) = (c.sread(EXEC_LO), c.sread(EXEC_HI), c.b.const32(0));
    let kept = c.read(saved);
    let (ran_hi, has_kept) = (c.b.pure2(ICmpNe32, hi, zero), c.b.pure2(ICmpNe32, kept, zero));
    let ran_lo = c.b.pure1(BNot, ran_hi);
    let again = c.b.pure2(BAnd, ran_lo, has_kept);
    let rest = c.b.pure3(Sel32, again, zero, lo);
    let new_lo = c.b.pure3(Sel32, ran_hi, kept, rest);
    let new_hi = c.b.pure3(Sel32, again, kept, hi);
    let new_kept = c.b.pure3(Sel32, again, lo, kept);
    c.write_scalar(saved, new_kept);
    let wide = c.b.pure2(Pack64, new_lo, new_hi);
    c.set_exec64(wide);
    again
}

/// `(old & !mask) | (v << offset & mask)`
fn insert_field(c: &mut Cx, old: Value, v: Value, offset: u32, mask: u32) -> Value {
    let n = c.b.const32(offset);
    let v = c.b.pure2(Shl32, v, n);
    let m = c.b.const32(mask);
    c.b.pure3(Bfi32, m, v, old)
}
/// MODE: the known float fields and the stored rest.
fn whole_mode(c: &mut Cx) -> Value {
    let rest = c.b.sget(SReg::MODE);
    let m = c.b.const32(!FLOAT_BITS);
    let rest = c.b.pure2(And32, rest, m);
    let float = c.b.const32(mode_bits(c.b.mode));
    c.b.pure2(Or32, rest, float)
}
fn setreg(c: &mut Cx, k: Arg, value: Arg, flow: Flow) -> Option<Value> {
    let simm = immediate(k.op);
    let id = (simm & 63) as u8;
    let (register, offset, mask) = hwreg(c.target, simm);
    let v = c.read(value);
    match register {
        Some(HwReg::Mode) => {
            let old = whole_mode(c);
            let new = insert_field(c, old, v, offset, mask);
            if mask & !FLOAT_BITS != 0 {
                let m = c.b.const32(!FLOAT_BITS);
                let rest = c.b.pure2(And32, new, m);
                c.b.sset(SReg::MODE, rest);
            }
            (flow == Flow::NewMode).then_some(new)
        }
        // STATUS is read-only to user code (STATE-41).
        Some(HwReg::Status) => None,
        _ => {
            let value = if mask == !0 {
                v
            } else {
                let old = c.b.push(Op::GetReg { id }, &[Ty::S32]);
                insert_field(c, old, v, offset, mask)
            };
            c.b.push(Op::SetReg { id, value }, &[]);
            None
        }
    }
}
/// s_getreg_b32: (register >> offset) & mask(size).
pub(super) fn getreg(c: &mut Cx, d: Arg, k: Arg) {
    let simm = immediate(k.op);
    let (register, offset, mask) = hwreg(c.target, simm);
    let v = match register {
        Some(HwReg::Mode) => whole_mode(c),
        Some(HwReg::FlatScrLo | HwReg::ScratchBaseLo) => c.b.sget(SReg::FLAT_SCRATCH_LO),
        Some(HwReg::FlatScrHi | HwReg::ScratchBaseHi) => c.b.sget(SReg::FLAT_SCRATCH_HI),
        _ => c.b.push(Op::GetReg { id: (simm & 63) as u8 }, &[Ty::S32]),
    };
    let n = c.b.const32(offset);
    let v = c.b.pure2(LShr32, v, n);
    let m = c.b.const32(mask >> offset);
    let v = c.b.pure2(And32, v, m);
    c.write_scalar(d, v);
}
pub(super) fn sendmsg(c: &mut Cx, k: Arg) {
    let m0 = c.b.sget(SReg::M0);
    c.b.push(Op::SendMsg { simm: immediate(k.op) as u16, m0 }, &[]);
}
/// Message 0x83 is the real-time counter.
pub(super) fn sendmsg_rtn(c: &mut Cx, d: Arg, msg: Arg) {
    let msg = immediate(msg.op) as u8;
    let op = if msg == 0x83 { Op::Time { realtime: true } } else { Op::SendMsgRtn { msg } };
    let v = c.b.push(op, &[Ty::S64]);
    let v = if d.t.is_64() { v } else { c.b.pure1(Lo64, v) };
    c.write_scalar(d, v);
}
/// s_memtime, s_memrealtime.
pub(super) fn time(c: &mut Cx, d: Arg, realtime: bool) {
    let v = c.b.push(Op::Time { realtime }, &[Ty::S64]);
    c.write_scalar(d, v);
}
