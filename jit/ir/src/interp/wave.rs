//! A safe view of a [`WaveState`] for the interpreter: register rows, EXEC, helper calls.

use crate::SReg;
use crate::abi::{Helpers, MemFn, MemOp, ProbeCall, ResourceCall, TEMP_ROW, WaveState};

use super::INTERP_TEMP_ROWS;

/// A memory helper found an access wrong and filled in `fault_*`.
pub(super) struct Faulted;

/// A state whose pointers may be used.
pub(super) struct Wave<'a> {
    /// Everything that is not behind a pointer.
    pub state: &'a mut WaveState,
}

impl<'a> Wave<'a> {
    /// Takes charge of the pointers in `state`.
    ///
    /// # Safety
    ///
    /// As [`super::run`].
    pub(super) unsafe fn new(state: &'a mut WaveState) -> Self {
        Wave { state }
    }

    /// Where a row begins.
    fn index(&self, row: u16) -> usize {
        assert!(u32::from(row) < u32::from(TEMP_ROW) + INTERP_TEMP_ROWS);
        usize::from(row) * self.state.wave_size as usize
    }

    /// The lanes of a row.
    pub(super) fn row(&self, row: u16) -> &[u32] {
        let index = self.index(row);
        // SAFETY: `index` checked the row against what `new` was promised.
        unsafe { std::slice::from_raw_parts(self.state.rows.add(index), self.state.wave_size as usize) }
    }

    pub(super) fn row_mut(&mut self, row: u16) -> &mut [u32] {
        let index = self.index(row);
        // SAFETY: `index` checked the row against what `new` was promised.
        unsafe { std::slice::from_raw_parts_mut(self.state.rows.add(index), self.state.wave_size as usize) }
    }

    /// EXEC: in wave32 the low word alone.
    pub(super) fn exec(&self) -> u64 {
        let word = |r: SReg| u64::from(self.state.sregs[usize::from(r.0)]);
        word(SReg::EXEC_LO) | if self.state.wave_size == 64 { word(SReg::EXEC_HI) << 32 } else { 0 }
    }

    pub(super) fn set_exec(&mut self, bits: u64) {
        self.state.sregs[usize::from(SReg::EXEC_LO.0)] = bits as u32;
        if self.state.wave_size == 64 {
            self.state.sregs[usize::from(SReg::EXEC_HI.0)] = (bits >> 32) as u32;
        }
    }

    /// Calls a helper of the table that `pick` chooses.
    pub(super) fn memory(&mut self, pick: fn(&Helpers) -> MemFn, op: &MemOp, exec: u64, base: u64) -> Result<(), Faulted> {
        // SAFETY: `new` was promised that the table and its functions may be used with this state.
        let fault = unsafe { pick(&*self.state.helpers)(self.state, op, exec, base) };
        if fault == 0 { Ok(()) } else { Err(Faulted) }
    }

    pub(super) fn resource(&mut self, call: &ResourceCall, exec: u64) -> Result<(), Faulted> {
        // SAFETY: as in `memory`; the call names temporary rows, which are there.
        let fault = unsafe { ((*self.state.helpers).resource)(self.state, call, exec) };
        if fault == 0 { Ok(()) } else { Err(Faulted) }
    }

    pub(super) fn probe(&mut self, call: &ProbeCall, exec: u64) -> Result<(), Faulted> {
        // SAFETY: as in `memory`; the call names temporary rows, which are there.
        let fault = unsafe { ((*self.state.helpers).probe)(self.state, call, exec) };
        if fault == 0 { Ok(()) } else { Err(Faulted) }
    }

    pub(super) fn export(&mut self, call: &ProbeCall, exec: u64) -> Result<(), Faulted> {
        // SAFETY: as in `memory`; the call names temporary rows, which are there.
        let fault = unsafe { ((*self.state.helpers).export)(self.state, call, exec) };
        if fault == 0 { Ok(()) } else { Err(Faulted) }
    }

    pub(super) fn count(&mut self, id: u32, exec: u64) {
        // SAFETY: `new` was promised that there is a counter of every number.
        let counter = unsafe { &mut *self.state.counters.add(id as usize) };
        counter.executions += 1;
        counter.active_lanes += u64::from(exec.count_ones());
    }

    pub(super) fn sload(&mut self, addr: u64, dwords: u8, pc: u64) -> Result<(), Faulted> {
        // SAFETY: as in `memory`.
        let fault = unsafe { ((*self.state.helpers).sload)(self.state, addr, dwords.into(), pc) };
        if fault == 0 { Ok(()) } else { Err(Faulted) }
    }

    pub(super) fn sbuffer_load(&mut self, offset: u64, dwords: u8, pc: u64) -> Result<(), Faulted> {
        // SAFETY: as in `memory`.
        let fault = unsafe { ((*self.state.helpers).sbuffer_load)(self.state, offset, dwords.into(), pc) };
        if fault == 0 { Ok(()) } else { Err(Faulted) }
    }

    pub(super) fn getreg(&mut self, id: u8) -> u32 {
        // SAFETY: as in `memory`.
        unsafe { ((*self.state.helpers).getreg)(self.state, id.into()) }
    }

    pub(super) fn setreg(&mut self, id: u8, value: u32) {
        // SAFETY: as in `memory`.
        unsafe { ((*self.state.helpers).setreg)(self.state, id.into(), value) }
    }

    pub(super) fn sendmsg(&mut self, simm: u16, m0: u32) {
        // SAFETY: as in `memory`.
        unsafe { ((*self.state.helpers).sendmsg)(self.state, simm.into(), m0) }
    }

    pub(super) fn sendmsg_rtn(&mut self, msg: u8) -> u64 {
        // SAFETY: as in `memory`.
        unsafe { ((*self.state.helpers).sendmsg_rtn)(self.state, msg.into()) }
    }

    pub(super) fn gws(&mut self, op: u8, resource: u32, value: u32) {
        // SAFETY: as in `memory`.
        unsafe { ((*self.state.helpers).gws)(self.state, op.into(), resource, value) }
    }

    pub(super) fn time(&mut self, realtime: bool) -> u64 {
        // SAFETY: as in `memory`.
        unsafe { ((*self.state.helpers).time)(self.state, realtime.into()) }
    }
}
