//! A helper table over one small block of global memory and one of LDS: the plainest reading of the memory operations, for tests that run
//! waves without the run time.
//!
//! Global and flat addresses are those of the block (anything else is a fault); flat apertures, scratch, GDS, floating-point atomics and
//! messages are not there; vector and scalar buffer instructions are the run time's own. LDS follows LDS-02: reads out of range give 0, writes are dropped. Lanes go in ascending order.

use wavejit::parts::{resource, sbuffer_load};
use wavejit_ir::abi::{FaultKind, Helpers, MemOp, NO_ROW, ProbeCall, WaveState};
use wavejit_ir::{AtomicOp, MemKind, Space};

/// The table.
pub static HELPERS: Helpers = Helpers {
    load,
    store,
    atomic,
    exchange_sum,
    sload,
    sbuffer_load,
    getreg,
    setreg,
    sendmsg,
    sendmsg_rtn,
    time,
    resource,
    gws,
    probe,
    export,
};

const KINDS: [MemKind; 8] = [MemKind::U8, MemKind::I8, MemKind::U16, MemKind::I16, MemKind::B32, MemKind::B64, MemKind::B96, MemKind::B128];

#[rustfmt::skip]
const ATOMICS: [AtomicOp; 19] = [
    AtomicOp::Swap, AtomicOp::CmpSwap, AtomicOp::Add, AtomicOp::Sub, AtomicOp::RSub, AtomicOp::SMin, AtomicOp::UMin, AtomicOp::SMax,
    AtomicOp::UMax, AtomicOp::And, AtomicOp::Or, AtomicOp::Xor, AtomicOp::Inc, AtomicOp::Dec, AtomicOp::CSub, AtomicOp::MskOr,
    AtomicOp::Wrap, AtomicOp::CondXchg, AtomicOp::CondSub,
];

/// One instruction in flight.
struct Access<'a> {
    state: &'a mut WaveState,
    op: &'a MemOp,
    exec: u64,
    base: u64,
}

/// Where a lane's access goes.
enum Place {
    At(*mut u8),
    /// Outside LDS.
    Nowhere,
}

impl<'a> Access<'a> {
    /// # Safety
    ///
    /// The arguments are those of a helper call for a state of [`crate::machine::Machine`].
    unsafe fn new(state: *mut WaveState, op: *const MemOp, exec: u64, base: u64) -> Self {
        // SAFETY: both are valid for the call, and the caller of a helper does not look at the state meanwhile.
        unsafe { Access { state: &mut *state, op: &*op, exec, base } }
    }

    fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        let exec = self.exec;
        (0..self.state.wave_size as usize).filter(move |lane| exec >> lane & 1 != 0)
    }

    fn row(&self, row: u16, lane: usize) -> u32 {
        // SAFETY: operations name rows that the machine has.
        unsafe { *self.state.rows.add(usize::from(row) * self.state.wave_size as usize + lane) }
    }

    fn set_row(&mut self, row: u16, lane: usize, bits: u32) {
        // SAFETY: operations name rows that the machine has.
        unsafe { *self.state.rows.add(usize::from(row) * self.state.wave_size as usize + lane) = bits }
    }

    fn space(&self) -> Space {
        [Space::Global, Space::Flat, Space::Scratch, Space::Lds, Space::Gds][usize::from(self.op.space)]
    }

    /// Where the `bytes` that `lane` touches are.
    fn place(&mut self, lane: usize, bytes: usize) -> Result<Place, u32> {
        let [lo, hi] = self.op.offset;
        let offset = match (lo, hi) {
            (NO_ROW, _) => 0,
            (lo, NO_ROW) => u64::from(self.row(lo, lane)),
            (lo, hi) => u64::from(self.row(lo, lane)) | u64::from(self.row(hi, lane)) << 32,
        };
        let addr = self.base.wrapping_add(offset).wrapping_add_signed(self.op.imm);
        match self.space() {
            Space::Lds => {
                let addr = addr as u32;
                let inside = u64::from(addr) + bytes as u64 <= u64::from(self.state.lds_bytes);
                // SAFETY: inside the LDS of the machine.
                Ok(if inside { Place::At(unsafe { self.state.lds.add(addr as usize) }) } else { Place::Nowhere })
            }
            Space::Global | Space::Flat => {
                let inside = addr.wrapping_sub(self.state.mem_low);
                if inside < self.state.mem_size && self.state.mem_size - inside >= bytes as u64 {
                    Ok(Place::At(self.state.mem_base.wrapping_add(addr) as *mut u8))
                } else {
                    Err(self.fault(FaultKind::Unmapped, addr, lane))
                }
            }
            Space::Scratch | Space::Gds => Err(self.fault(FaultKind::Unsupported, addr, lane)),
        }
    }

    fn fault(&mut self, kind: FaultKind, addr: u64, lane: usize) -> u32 {
        self.state.fault_kind = kind as u32;
        self.state.fault_addr = addr;
        self.state.fault_pc = self.op.pc;
        self.state.fault_exec = self.exec;
        self.state.fault_lane = lane as u32;
        1
    }
}

unsafe extern "C" fn load(state: *mut WaveState, op: *const MemOp, exec: u64, base: u64) -> u32 {
    // SAFETY: the arguments of a helper call.
    let mut a = unsafe { Access::new(state, op, exec, base) };
    let kind = KINDS[usize::from(a.op.kind)];
    let bytes = kind.bytes();
    for lane in a.lanes() {
        let mut data = [0; 16];
        match a.place(lane, bytes) {
            // SAFETY: `place` has found this many bytes there.
            Ok(Place::At(from)) => unsafe { std::ptr::copy_nonoverlapping(from, data.as_mut_ptr(), bytes) },
            Ok(Place::Nowhere) => {}
            Err(fault) => return fault,
        }
        for (dword, row) in data.chunks(4).zip(a.op.dst).take(kind.dwords()) {
            let raw = u32::from_le_bytes(dword.try_into().expect("four bytes"));
            let value = match kind {
                MemKind::I8 => raw as i8 as u32,
                MemKind::I16 => raw as i16 as u32,
                _ => raw,
            };
            a.set_row(row, lane, value);
        }
    }
    0
}

unsafe extern "C" fn store(state: *mut WaveState, op: *const MemOp, exec: u64, base: u64) -> u32 {
    // SAFETY: the arguments of a helper call.
    let mut a = unsafe { Access::new(state, op, exec, base) };
    let bytes = KINDS[usize::from(a.op.kind)].bytes();
    for lane in a.lanes() {
        let data: Vec<u8> = a.op.data.iter().filter(|r| **r != NO_ROW).flat_map(|r| a.row(*r, lane).to_le_bytes()).collect();
        match a.place(lane, bytes) {
            // SAFETY: `place` has found this many bytes there.
            Ok(Place::At(to)) => unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), to, bytes) },
            Ok(Place::Nowhere) => {}
            Err(fault) => return fault,
        }
    }
    0
}

unsafe extern "C" fn atomic(state: *mut WaveState, op: *const MemOp, exec: u64, base: u64) -> u32 {
    // SAFETY: the arguments of a helper call.
    let mut a = unsafe { Access::new(state, op, exec, base) };
    let wide = a.op.flags & 1 != 0;
    let Some(&operation) = ATOMICS.iter().find(|o| **o as u8 == a.op.atomic) else {
        let addr = a.base;
        return a.fault(FaultKind::Unsupported, addr, 0);
    };
    for lane in a.lanes() {
        let pair = |a: &Access, i: usize| match wide {
            true => u64::from(a.row(a.op.data[2 * i], lane)) | u64::from(a.row(a.op.data[2 * i + 1], lane)) << 32,
            false => a.row(a.op.data[i], lane).into(),
        };
        let data = pair(&a, 0);
        let two = matches!(operation, AtomicOp::CmpSwap | AtomicOp::MskOr | AtomicOp::Wrap);
        let second = if two { pair(&a, 1) } else { 0 };
        let old = match a.place(lane, if wide { 8 } else { 4 }) {
            Ok(Place::At(p)) => {
                let p32 = p.cast::<u32>();
                let p64 = p.cast::<u64>();
                // SAFETY: `place` has found 4 or 8 bytes there.
                let old = unsafe { if wide { p64.read_unaligned() } else { p32.read_unaligned().into() } };
                let new = combine(operation, wide, old, data, second);
                // SAFETY: as above.
                unsafe { if wide { p64.write_unaligned(new) } else { p32.write_unaligned(new as u32) } };
                old
            }
            Ok(Place::Nowhere) => 0,
            Err(fault) => return fault,
        };
        for (i, row) in a.op.dst.into_iter().enumerate().filter(|(_, r)| *r != NO_ROW) {
            a.set_row(row, lane, (old >> (32 * i)) as u32);
        }
    }
    0
}

/// Nothing: loops go on.
unsafe extern "C" fn exchange_sum(state: *mut WaveState, op: *const MemOp, exec: u64, base: u64) -> u32 {
    // SAFETY: the arguments of a helper call.
    let mut a = unsafe { Access::new(state, op, exec, base) };
    let dwords = 1 + usize::from(a.op.flags & 1);
    let (data, dst) = (a.op.data, a.op.dst);
    for lane in a.lanes() {
        for d in 0..dwords {
            let seen = a.row(data[dwords + d], lane);
            a.set_row(dst[d], lane, seen);
        }
        a.set_row(dst[dwords], lane, 0);
    }
    0
}

/// New value of an atomic (numerics.md section 14).
fn combine(op: AtomicOp, wide: bool, old: u64, data: u64, second: u64) -> u64 {
    let signed = |x: u64| if wide { x as i64 } else { i64::from(x as i32) };
    match op {
        AtomicOp::Swap => data,
        AtomicOp::CmpSwap if old == second => data,
        AtomicOp::Add => old.wrapping_add(data),
        AtomicOp::Sub => old.wrapping_sub(data),
        AtomicOp::RSub => data.wrapping_sub(old),
        AtomicOp::SMin if signed(data) < signed(old) => data,
        AtomicOp::SMax if signed(data) > signed(old) => data,
        AtomicOp::UMin => old.min(data),
        AtomicOp::UMax => old.max(data),
        AtomicOp::And => old & data,
        AtomicOp::Or => old | data,
        AtomicOp::Xor => old ^ data,
        AtomicOp::Inc if old >= data => 0,
        AtomicOp::Inc => old + 1,
        AtomicOp::Dec if old == 0 || old > data => data,
        AtomicOp::Dec => old - 1,
        AtomicOp::CSub if old < data => 0,
        AtomicOp::CSub => old - data,
        AtomicOp::CondSub if old >= data => old - data,
        AtomicOp::MskOr => (old & !data) | second,
        AtomicOp::Wrap if old >= data => old - data,
        AtomicOp::Wrap => old.wrapping_add(second),
        AtomicOp::CondXchg => {
            let dword = |shift: u32| {
                let (old, data) = ((old >> shift) as u32, (data >> shift) as u32);
                u64::from(if data >> 31 != 0 { data & 0x7fff_ffff } else { old }) << shift
            };
            dword(0) | if wide { dword(32) } else { 0 }
        }
        _ => old,
    }
}

unsafe extern "C" fn sload(state: *mut WaveState, addr: u64, dwords: u32, pc: u64) -> u32 {
    // SAFETY: the argument of a helper call.
    let state = unsafe { &mut *state };
    let addr = addr & !3;
    let inside = addr.wrapping_sub(state.mem_low);
    if inside >= state.mem_size || state.mem_size - inside < 4 * u64::from(dwords) {
        state.fault_kind = FaultKind::Unmapped as u32;
        state.fault_addr = addr;
        state.fault_pc = pc;
        return 1;
    }
    for i in 0..u64::from(dwords) {
        let from = state.mem_base.wrapping_add(addr + 4 * i) as *const u32;
        // SAFETY: inside the memory of the machine, tested above.
        state.slots[i as usize] = unsafe { from.read_unaligned() }.into();
    }
    0
}

unsafe extern "C" fn getreg(_: *mut WaveState, _: u32) -> u32 {
    0
}
unsafe extern "C" fn setreg(_: *mut WaveState, _: u32, _: u32) {}
unsafe extern "C" fn sendmsg(_: *mut WaveState, _: u32, _: u32) {}
unsafe extern "C" fn sendmsg_rtn(_: *mut WaveState, _: u32) -> u64 {
    0
}
unsafe extern "C" fn probe(_: *mut WaveState, _: *const ProbeCall, _: u64) -> u32 {
    0
}
unsafe extern "C" fn export(_: *mut WaveState, _: *const ProbeCall, _: u64) -> u32 {
    0
}
unsafe extern "C" fn gws(_: *mut WaveState, _: u32, _: u32, _: u32) {}
unsafe extern "C" fn time(_: *mut WaveState, _: u32) -> u64 {
    0
}
