//! Row operations that are not pure: shuffles, lane writes, relative VGPR access. Called by compiled waves with rows in memory.
//!
//! Row numbers are relative to `rows`; a row has `lanes` dwords. A destination may be one of the sources.

use crate::{abi::WaveState, ir};

/// Widest wave.
const MAX: usize = 64;

unsafe fn read(rows: *const u32, lanes: usize, row: u32) -> [u32; MAX] {
    let mut out = [0; MAX];
    // SAFETY: the caller passes a row of the row file, which has `lanes` <= 64 dwords a row.
    unsafe { std::ptr::copy_nonoverlapping(rows.add(row as usize * lanes), out.as_mut_ptr(), lanes) };
    out
}

unsafe fn write(rows: *mut u32, lanes: usize, row: u32, data: &[u32; MAX]) {
    // SAFETY: as in `read`.
    unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), rows.add(row as usize * lanes), lanes) };
}

/// `dst[i] = value[index[i] modulo lanes]`.
///
/// # Safety
/// `state` is a live wave; the rows exist.
pub unsafe extern "C" fn shuffle(state: *mut WaveState, dst: u32, value: u32, index: u32) {
    // SAFETY: promised by the caller.
    unsafe {
        let (rows, lanes) = ((*state).rows, (*state).wave_size as usize);
        let (v, x) = (read(rows, lanes, value), read(rows, lanes, index));
        let mut out = [0; MAX];
        for i in 0..lanes {
            out[i] = v[x[i] as usize & (lanes - 1)];
        }
        write(rows, lanes, dst, &out);
    }
}

/// `dst[index[i] modulo lanes] = value[i]` for the lanes of `exec`, highest lane last; 0 elsewhere.
///
/// # Safety
/// As [`shuffle`].
pub unsafe extern "C" fn permute(state: *mut WaveState, dst: u32, value: u32, index: u32, exec: u64) {
    // SAFETY: promised by the caller.
    unsafe {
        let (rows, lanes) = ((*state).rows, (*state).wave_size as usize);
        let (v, x) = (read(rows, lanes, value), read(rows, lanes, index));
        let mut out = [0; MAX];
        for i in (0..lanes).filter(|i| exec >> i & 1 != 0) {
            out[x[i] as usize & (lanes - 1)] = v[i];
        }
        write(rows, lanes, dst, &out);
    }
}

/// dst = old with lane (`lane` modulo lanes) replaced.
///
/// # Safety
/// As [`shuffle`].
pub unsafe extern "C" fn write_lane(state: *mut WaveState, dst: u32, old: u32, data: u32, lane: u32) {
    // SAFETY: promised by the caller.
    unsafe {
        let (rows, lanes) = ((*state).rows, (*state).wave_size as usize);
        let mut out = read(rows, lanes, old);
        out[lane as usize & (lanes - 1)] = data;
        write(rows, lanes, dst, &out);
    }
}

/// Row of v[reg + index], if there is such a VGPR.
fn relative(reg: u32, index: u32) -> Option<u32> {
    let n = i64::from(reg) + i64::from(index as i32);
    u32::try_from(n).ok().filter(|n| *n < 256)
}

/// `dst = v[reg + index]`, v0 if out of range (STATE-30, STATE-32).
///
/// # Safety
/// As [`shuffle`].
pub unsafe extern "C" fn get_relative(state: *mut WaveState, dst: u32, reg: u32, index: u32) {
    // SAFETY: promised by the caller.
    unsafe {
        let (rows, lanes) = ((*state).rows, (*state).wave_size as usize);
        let v = read(rows, lanes, relative(reg, index).unwrap_or(0));
        write(rows, lanes, dst, &v);
    }
}

/// `v[reg + index] = value` in the lanes of `exec`; nothing if out of range (STATE-31).
///
/// # Safety
/// As [`shuffle`].
pub unsafe extern "C" fn set_relative(state: *mut WaveState, reg: u32, index: u32, value: u32, exec: u64) {
    let Some(row) = relative(reg, index) else { return };
    // SAFETY: promised by the caller.
    unsafe {
        let (rows, lanes) = ((*state).rows, (*state).wave_size as usize);
        let (v, mut out) = (read(rows, lanes, value), read(rows, lanes, row));
        for i in (0..lanes).filter(|i| exec >> i & 1 != 0) {
            out[i] = v[i];
        }
        write(rows, lanes, row, &out);
    }
}

/// One scalar pure operation that has no inline form.
pub extern "C" fn scalar(op: u32, mode: u32, a: u64, b: u64, c: u64) -> u64 {
    ir::eval::eval(ir::PureOp::ALL[op as usize], ir::FpMode(mode as u16), a, b, c)
}
