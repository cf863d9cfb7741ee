//! What each IR instruction does to the values and to the wave.

use super::wave::{Faulted, Wave};
use super::{HALF, POISON, Values};
use crate::abi::{Helpers, MemFn, MemOp, NO_ROW, PROBE_ARGS, ProbeCall, ResourceCall, TEMP_ROW};
use crate::eval::{eval, eval_each};
use crate::site::SITE_ROWS;
use crate::{Addr, AtomicOp, FpMode, Func, Inst, MemKind, Op, ProbeKind, PureOp, SReg, Shape, Space, Ty, VReg, Value, Width};

// Temporary rows of memory instructions: lane address (2), data (4), results (4).
const ADDR_ROW: u16 = TEMP_ROW;
const DATA_ROW: u16 = TEMP_ROW + 2;
const DST_ROW: u16 = TEMP_ROW + 6;

/// Runs one instruction. An error is a fault that a helper has described in the state.
pub(super) fn instruction(func: &Func, v: &mut Values, wave: &mut Wave, inst: &Inst) -> Result<(), Faulted> {
    let r = inst.first;
    let lanes = v.lanes;
    match &inst.op {
        Op::Const { bits, .. } => v.set_scalar(r, *bits),
        Op::CodeAddress { pc } => v.set_scalar(r, code_address(pc.wrapping_add(wave.state.code_delta))),
        Op::Splat(a) => {
            let bits = v.scalar(*a);
            if func.ty(*a).width == Width::B1 {
                v.set_mask(r, if bits != 0 { u64::MAX } else { 0 });
            } else {
                v.of_mut(r).fill(bits);
            }
        }
        Op::LaneId => v.fill(r, |_, lane| lane as u64),
        Op::LaneTable(t) => v.fill(r, |_, lane| func.tables[*t as usize][lane].into()),
        Op::Pure { op, mode, args } => pure(func, v, r, *op, *mode, args),
        Op::MaskBits(a) => v.set_scalar(r, v.mask(*a)),
        Op::BitsMask(a) => v.set_mask(r, v.scalar(*a)),

        Op::ExecGet => v.set_mask(r, wave.exec()),
        Op::ExecSet(a) => wave.set_exec(v.mask(*a)),
        Op::SGet(reg) => v.set_scalar(r, wave.state.sregs[usize::from(reg.0)].into()),
        Op::SSet(reg, a) => wave.state.sregs[usize::from(reg.0)] = v.scalar(*a) as u32,
        Op::SGetRel { reg, index } => {
            let reg = relative(reg.0.into(), v.scalar(*index), SReg::VCC_HI.0.into()).unwrap_or(0);
            v.set_scalar(r, wave.state.sregs[usize::from(reg)].into());
        }
        Op::SSetRel { reg, index, value } => {
            if let Some(reg) = relative(reg.0.into(), v.scalar(*index), SReg::VCC_HI.0.into()) {
                wave.state.sregs[usize::from(reg)] = v.scalar(*value) as u32;
            }
        }
        Op::VGet { reg, .. } => v.take_row(r, wave.row(reg.0)),
        Op::VSet { reg, value, exec } => vset(v, wave, *reg, *value, *exec),
        Op::VGetRel { reg, index, .. } => {
            let reg = relative(reg.0, v.scalar(*index), 255).unwrap_or(0);
            v.take_row(r, wave.row(reg));
        }
        Op::VSetRel { reg, index, value, exec } => {
            if let Some(reg) = relative(reg.0, v.scalar(*index), 255) {
                vset(v, wave, VReg(reg), *value, *exec);
            }
        }

        Op::ReadLane { value, lane } => v.set_scalar(r, v.lane(*value, v.scalar(*lane) as usize % lanes)),
        Op::ReadFirstLane { value, exec } => {
            let first = lanes_of(v.mask(*exec)).next().unwrap_or(0);
            v.set_scalar(r, v.lane(*value, first));
        }
        Op::WriteLane { old, data, lane } => {
            let written = v.scalar(*lane) as usize % lanes;
            v.fill(r, |v, lane| if lane == written { v.scalar(*data) } else { v.lane(*old, lane) });
        }
        Op::Shuffle { value, index } => v.fill(r, |v, lane| v.lane(*value, v.lane(*index, lane) as usize % lanes)),
        Op::Permute { value, index, exec } => {
            let mut out = [0; 64];
            for lane in lanes_of(v.mask(*exec)) {
                out[v.lane(*index, lane) as usize % lanes] = v.lane(*value, lane);
            }
            v.fill(r, |_, lane| out[lane]);
        }

        Op::Load { space, kind, addr, exec } => {
            let op = MemOp { kind: *kind as u8, ..mem_op(inst, *space, addr) };
            memory(func, v, wave, inst, |h| h.load, op, addr, &[None; 4], *exec)?;
        }
        Op::Store { space, kind, addr, data, exec } => {
            let op = MemOp { kind: *kind as u8, ..mem_op(inst, *space, addr) };
            memory(func, v, wave, inst, |h| h.store, op, addr, data, *exec)?;
        }
        Op::Atomic { space, op, wide, addr, data, exec, returns } => {
            let kind = if *wide { MemKind::B64 } else { MemKind::B32 };
            let flags = MemOp::flags_of_atomic(*wide, *returns);
            let op = MemOp { kind: kind as u8, atomic: *op as u8, flags, ..mem_op(inst, *space, addr) };
            memory(func, v, wave, inst, |h| h.atomic, op, addr, data, *exec)?;
        }
        Op::ExchangeSum { space, wide, comparand_first, addr, data, exec, left, insts } => {
            let flags = MemOp::flags_of_sum(*wide, *comparand_first);
            let op = MemOp { kind: *insts, flags, ..mem_op(inst, *space, addr) };
            wave.state.slots[0] = v.mask(*left);
            memory(func, v, wave, inst, |h| h.exchange_sum, op, addr, data, *exec)?;
        }
        Op::SLoad { base, offset, imm, dwords } => {
            let offset = offset.map_or(0, |o| v.scalar(o));
            let addr = v.scalar(*base).wrapping_add(offset).wrapping_add_signed(*imm);
            wave.sload(addr, *dwords, inst.pc)?;
            take_slots(v, wave, inst);
        }
        Op::SBufferLoad { desc, offset, imm, dwords } => {
            for (slot, dword) in wave.state.slots.iter_mut().zip(desc) {
                *slot = v.scalar(*dword);
            }
            let offset = offset.map_or(0, |o| v.scalar(o)).wrapping_add_signed(*imm);
            wave.sbuffer_load(offset, *dwords, inst.pc)?;
            take_slots(v, wave, inst);
        }

        Op::Resource { site, args, exec } => resource(func, v, wave, inst, *site, args, *exec)?,
        Op::GetReg { id } => v.set_scalar(r, wave.getreg(*id).into()),
        Op::SetReg { id, value } => wave.setreg(*id, v.scalar(*value) as u32),
        Op::SendMsg { simm, m0 } => wave.sendmsg(*simm, v.scalar(*m0) as u32),
        Op::Gws { op, resource, value } => wave.gws(*op, v.scalar(*resource) as u32, v.scalar(*value) as u32),
        Op::SendMsgRtn { msg } => v.set_scalar(r, wave.sendmsg_rtn(*msg)),
        Op::Time { realtime } => v.set_scalar(r, wave.time(*realtime)),
        Op::Note { .. } => {}
        Op::Refund { insts, unused } => wave.state.fuel += if v.scalar(*unused) != 0 { i64::from(*insts) } else { 0 },
        Op::Probe { kind: ProbeKind::Count, id, exec, .. } => wave.count(*id, v.mask(*exec)),
        Op::Probe { kind: ProbeKind::Call, id, exec, args } => {
            let call = rows_of(func, v, wave, inst, *id, args);
            wave.probe(&call, v.mask(*exec))?;
        }
        Op::Export { kind, exec, args } => {
            let call = rows_of(func, v, wave, inst, *kind, args);
            wave.export(&call, v.mask(*exec))?;
        }
    }
    Ok(())
}

/// A guest address as s_getpc_b64 gives it: 48 bits, sign-extended.
fn code_address(pc: u64) -> u64 {
    ((pc << 16) as i64 >> 16) as u64
}

fn pure(func: &Func, v: &mut Values, result: Value, op: PureOp, mode: FpMode, args: &[Option<Value>; 3]) {
    let ty = func.ty(result);
    if ty.shape == Shape::Scalar {
        let [a, b, c] = args.map(|arg| arg.map_or(0, |arg| v.scalar(arg)));
        return v.set_scalar(result, eval(op, mode, a, b, c));
    }
    let mut mask = 0;
    for half in 0..v.lanes / HALF {
        // The bits of masks, one by one.
        let mut bits = [[0; HALF]; 3];
        for (bits, mask) in bits.iter_mut().zip(args).filter_map(|(bits, arg)| Some((bits, arg.filter(|arg| func.ty(*arg) == Ty::MASK)?))) {
            let mask = v.mask(mask) >> (half * HALF);
            bits.iter_mut().enumerate().for_each(|(lane, bit)| *bit = mask >> lane & 1);
        }
        let operands = std::array::from_fn(|i| match args[i] {
            Some(arg) if func.ty(arg) != Ty::MASK => v.half(arg, half),
            _ => &bits[i],
        });
        let mut to = [0; HALF];
        eval_each(op, mode, operands, &mut to);
        if ty == Ty::MASK {
            mask |= to.iter().rev().fold(0, |bits, bit| bits << 1 | bit & 1) << (half * HALF);
        } else {
            *v.half_mut(result, half) = to;
        }
    }
    if ty == Ty::MASK {
        v.set_mask(result, mask);
    }
}

fn vset(v: &Values, wave: &mut Wave, reg: VReg, value: Value, exec: Value) {
    let mask = v.mask(exec);
    for ((lane, to), word) in wave.row_mut(reg.0).iter_mut().enumerate().zip(v.of(value)) {
        // Without a jump, for many lanes at a time.
        *to = if mask >> lane & 1 != 0 { *word as u32 } else { *to };
    }
}

/// `base + index`, if in `0..=last`.
fn relative(base: u16, index: u64, last: u32) -> Option<u16> {
    let reg = u32::from(base).wrapping_add(index as u32);
    (reg <= last).then_some(reg as u16)
}

/// The numbers of the set bits, ascending.
fn lanes_of(mask: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |lane| mask >> lane & 1 != 0)
}

/// The parts of a [`MemOp`] that do not depend on the operation, with no rows named yet.
fn mem_op(inst: &Inst, space: Space, addr: &Addr) -> MemOp {
    MemOp {
        pc: inst.pc,
        imm: addr.imm,
        offset: [NO_ROW; 2],
        data: [NO_ROW; 4],
        dst: [NO_ROW; 4],
        space: space as u8,
        kind: 0,
        atomic: AtomicOp::Swap as u8,
        flags: 0,
    }
}

/// Puts the lane operands into temporary rows, calls the helper, takes the results from temporary rows.
fn memory(
    func: &Func,
    v: &mut Values,
    wave: &mut Wave,
    inst: &Inst,
    helper: fn(&Helpers) -> MemFn,
    mut op: MemOp,
    addr: &Addr,
    data: &[Option<Value>; 4],
    exec: Value,
) -> Result<(), Faulted> {
    if let Some(offset) = addr.offset {
        op.offset[0] = ADDR_ROW;
        write_row(v, wave, ADDR_ROW, offset, 0);
        if func.ty(offset) == Ty::L64 {
            op.offset[1] = ADDR_ROW + 1;
            write_row(v, wave, ADDR_ROW + 1, offset, 32);
        }
    }
    for (i, value) in data.iter().enumerate() {
        if let Some(value) = value {
            op.data[i] = DATA_ROW + i as u16;
            write_row(v, wave, op.data[i], *value, 0);
        }
    }
    let results = usize::from(inst.results);
    for i in 0..results {
        op.dst[i] = DST_ROW + i as u16;
        wave.row_mut(op.dst[i]).fill(POISON);
    }
    let base = addr.base.map_or(0, |b| v.scalar(b));
    wave.memory(helper, &op, v.mask(exec), base)?;
    for i in 0..results {
        v.take_row(inst.result(i), wave.row(op.dst[i]));
    }
    Ok(())
}

/// A buffer, image or ray instruction: scalar operands in slots, lane operands and results in temporary rows.
fn resource(func: &Func, v: &mut Values, wave: &mut Wave, inst: &Inst, site: u32, args: &[Value], exec: Value) -> Result<(), Faulted> {
    let site = &*func.sites[site as usize];
    let (scalars, lanes) = args.split_at(site.scalars.into());
    for (slot, arg) in wave.state.slots.iter_mut().zip(scalars) {
        *slot = v.scalar(*arg);
    }
    let rows: [u16; SITE_ROWS] = std::array::from_fn(|i| TEMP_ROW + i as u16);
    for (row, arg) in rows.iter().zip(lanes) {
        write_row(v, wave, *row, *arg, 0);
    }
    let results = &rows[lanes.len()..][..inst.results.into()];
    for row in results {
        wave.row_mut(*row).fill(POISON);
    }
    wave.resource(&ResourceCall { pc: inst.pc, site, rows }, v.mask(exec))?;
    for (i, row) in results.iter().enumerate() {
        v.take_row(inst.result(i), wave.row(*row));
    }
    Ok(())
}

/// What a probe that calls, or an export, hands over: scalar operands and masks in slots, lane operands in temporary rows.
fn rows_of(func: &Func, v: &Values, wave: &mut Wave, inst: &Inst, id: u32, args: &[Value]) -> ProbeCall {
    let mut call = ProbeCall { pc: inst.pc, id, scalars: 0, rows: [NO_ROW; PROBE_ARGS] };
    let mut rows = call.rows.iter_mut().zip(TEMP_ROW..);
    for arg in args {
        let ty = func.ty(*arg);
        if ty.shape == Shape::Scalar || ty == Ty::MASK {
            wave.state.slots[call.scalars as usize] = v.scalar(*arg);
            call.scalars += 1;
            continue;
        }
        for shift in if ty.width == Width::B64 { &[0, 32][..] } else { &[0] } {
            let (slot, row) = rows.next().expect("the verifier has counted them");
            *slot = row;
            write_row(v, wave, row, *arg, *shift);
        }
    }
    call
}

/// Bits `shift..shift + 32` of every lane of `value` into a row.
fn write_row(v: &Values, wave: &mut Wave, row: u16, value: Value, shift: u32) {
    for (to, word) in wave.row_mut(row).iter_mut().zip(v.of(value)) {
        *to = (word >> shift) as u32;
    }
}

/// Results of a scalar load: one dword in the low half of each slot.
fn take_slots(v: &mut Values, wave: &Wave, inst: &Inst) {
    for i in 0..usize::from(inst.results) {
        v.set_scalar(inst.result(i), wave.state.slots[i] & 0xffff_ffff);
    }
}
