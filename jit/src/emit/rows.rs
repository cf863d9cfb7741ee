//! Row operations that are not pure: shuffles, lane writes, relative VGPR access. Called by compiled waves with rows in memory.
//!
//! Row numbers are relative to `rows`; a row has `lanes` dwords. A destination may be one of the sources.

use wavejit_ir as ir;
use wavejit_ir::abi::WaveState;

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

/// `dst[i] = value[index[i] modulo lanes]`: state, destination, value, index.
pub(super) type Shuffle = unsafe extern "C" fn(*mut WaveState, u32, u32, u32);

/// The shuffle of waves of so many lanes on this host.
pub(super) fn shuffle(lanes: u32) -> Shuffle {
    #[cfg(target_arch = "x86_64")]
    if wavejit_isa::HostLevel::get() >= wavejit_isa::HostLevel::Avx512 {
        return if lanes == 32 { shuffle32_avx512 } else { shuffle64_avx512 };
    }
    if lanes == 32 { shuffle_rows::<32> } else { shuffle_rows::<64> }
}

/// # Safety
/// `state` is a live wave of `N` lanes; the rows exist.
unsafe extern "C" fn shuffle_rows<const N: usize>(state: *mut WaveState, dst: u32, value: u32, index: u32) {
    // SAFETY: promised by the caller. Rows are read before one is written: they may be the same.
    unsafe {
        let rows = (*state).rows;
        let v = rows.add(value as usize * N).cast::<[u32; N]>().read();
        let x = rows.add(index as usize * N).cast::<[u32; N]>().read();
        rows.add(dst as usize * N).cast::<[u32; N]>().write(x.map(|i| v[i as usize % N]));
    }
}

#[cfg(target_arch = "x86_64")]
/// Four dwords, aligned or not.
#[derive(Clone, Copy)]
#[repr(C, packed)]
struct Piece(std::arch::x86_64::__m128i);

/// 16 dwords of a row, as four loads: regions have just stored them in as many pieces, of which one load would have to wait.
///
/// # Safety
/// There are as many.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn read16(row: *const u32) -> std::arch::x86_64::__m512i {
    use std::arch::x86_64::*;
    // SAFETY: promised by the caller. Volatile, else the compiler makes one load of the four.
    unsafe {
        let row = row.cast::<Piece>();
        let (a, b) = (row.read_volatile().0, row.add(1).read_volatile().0);
        let (c, d) = (row.add(2).read_volatile().0, row.add(3).read_volatile().0);
        let (low, high) = (_mm256_set_m128i(b, a), _mm256_set_m128i(d, c));
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
    }
}

/// # Safety
/// As [`shuffle_rows`], for waves of 32 lanes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe extern "C" fn shuffle32_avx512(state: *mut WaveState, dst: u32, value: u32, index: u32) {
    use std::arch::x86_64::*;
    // SAFETY: promised by the caller; two vectors a row. No closures: they would be functions without the feature.
    unsafe {
        let rows = (*state).rows;
        let (value, index, dst) = (rows.add(value as usize * 32), rows.add(index as usize * 32), rows.add(dst as usize * 32));
        let (v0, v1, x0, x1) = (read16(value), read16(value.add(16)), read16(index), read16(index.add(16)));
        _mm512_storeu_si512(dst.cast(), _mm512_permutex2var_epi32(v0, x0, v1));
        _mm512_storeu_si512(dst.add(16).cast(), _mm512_permutex2var_epi32(v0, x1, v1));
    }
}

/// # Safety
/// As [`shuffle_rows`], for waves of 64 lanes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe extern "C" fn shuffle64_avx512(state: *mut WaveState, dst: u32, value: u32, index: u32) {
    use std::arch::x86_64::*;
    // SAFETY: promised by the caller; four vectors a row.
    unsafe {
        let rows = (*state).rows;
        let (value, index, dst) = (rows.add(value as usize * 64), rows.add(index as usize * 64), rows.add(dst as usize * 64));
        let (v0, v1, v2, v3) = (read16(value), read16(value.add(16)), read16(value.add(32)), read16(value.add(48)));
        let mut indices = [_mm512_setzero_si512(); 4];
        for (i, x) in indices.iter_mut().enumerate() {
            *x = read16(index.add(16 * i));
        }
        for (i, x) in indices.into_iter().enumerate() {
            let high = _mm512_test_epi32_mask(x, _mm512_set1_epi32(32));
            let (a, b) = (_mm512_permutex2var_epi32(v0, x, v1), _mm512_permutex2var_epi32(v2, x, v3));
            _mm512_storeu_si512(dst.add(16 * i).cast(), _mm512_mask_mov_epi32(a, high, b));
        }
    }
}

/// `dst[index[i] modulo lanes] = value[i]` for the lanes of `exec`, highest lane last; 0 elsewhere.
///
/// # Safety
/// As [`shuffle_rows`], for any number of lanes.
pub(super) unsafe extern "C" fn permute(state: *mut WaveState, dst: u32, value: u32, index: u32, exec: u64) {
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
/// As [`shuffle_rows`], for any number of lanes.
pub(super) unsafe extern "C" fn write_lane(state: *mut WaveState, dst: u32, old: u32, data: u32, lane: u32) {
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
/// As [`shuffle_rows`], for any number of lanes.
pub(super) unsafe extern "C" fn get_relative(state: *mut WaveState, dst: u32, reg: u32, index: u32) {
    // SAFETY: promised by the caller.
    unsafe {
        let row = relative(reg, index).unwrap_or(0);
        match (*state).wave_size {
            32 => copy_row::<32>((*state).rows, dst, row),
            _ => copy_row::<64>((*state).rows, dst, row),
        }
    }
}

/// `v[reg + index] = value` in the lanes of `exec`; nothing if out of range (STATE-31).
///
/// # Safety
/// As [`shuffle_rows`], for any number of lanes.
pub(super) unsafe extern "C" fn set_relative(state: *mut WaveState, reg: u32, index: u32, value: u32, exec: u64) {
    let Some(row) = relative(reg, index) else { return };
    // SAFETY: promised by the caller.
    unsafe {
        match (*state).wave_size {
            32 => blend_row::<32>((*state).rows, row, value, exec),
            _ => blend_row::<64>((*state).rows, row, value, exec),
        }
    }
}

/// dst = src.
///
/// # Safety
/// `rows` has both rows, `N` dwords each.
unsafe fn copy_row<const N: usize>(rows: *mut u32, dst: u32, src: u32) {
    // SAFETY: as promised. The row is read before one is written: they may be the same.
    unsafe {
        let v = rows.add(src as usize * N).cast::<[u32; N]>().read();
        rows.add(dst as usize * N).cast::<[u32; N]>().write(v);
    }
}

/// dst = src in the lanes of `exec`. Without a branch, so that the compiler makes vectors of it.
///
/// # Safety
/// As [`copy_row`].
unsafe fn blend_row<const N: usize>(rows: *mut u32, dst: u32, src: u32, exec: u64) {
    if exec & (u64::MAX >> (64 - N)) == u64::MAX >> (64 - N) {
        // SAFETY: passed on.
        return unsafe { copy_row::<N>(rows, dst, src) };
    }
    // SAFETY: as promised. Both rows are read before one is written: they may be the same.
    unsafe {
        let dst = rows.add(dst as usize * N).cast::<[u32; N]>();
        let (v, mut out) = (rows.add(src as usize * N).cast::<[u32; N]>().read(), dst.read());
        for (group, (out, v)) in out.as_chunks_mut::<8>().0.iter_mut().zip(v.as_chunks::<8>().0).enumerate() {
            let bits = (exec >> (8 * group)) as u32;
            for lane in 0..8 {
                let bit = 1 << lane;
                let mask = if bits & bit == bit { u32::MAX } else { 0 };
                out[lane] = v[lane] & mask | out[lane] & !mask;
            }
        }
        dst.write(out);
    }
}

/// One scalar pure operation that has no inline form.
pub(super) extern "C" fn scalar(op: u32, mode: u32, a: u64, b: u64, c: u64) -> u64 {
    ir::eval::eval(ir::PureOp::ALL[op as usize], ir::FpMode(mode as u16), a, b, c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffles_take_indices_modulo_the_lanes() {
        for lanes in [32u32, 64] {
            let n = lanes as usize;
            let random = |i: u32| i.wrapping_mul(0x9e37_79b9) ^ i << 7;
            let original: Vec<u32> = (0..3 * lanes).map(random).collect();
            // Apart, and onto the value and the index.
            for (dst, shuffle) in
                (0..3).flat_map(|dst| [(dst, shuffle(lanes)), (dst, if n == 32 { shuffle_rows::<32> } else { shuffle_rows::<64> })])
            {
                let mut rows = original.clone();
                // SAFETY: a state of zeros is a wave without anything; there are three rows.
                let mut state: WaveState = unsafe { std::mem::zeroed() };
                (state.rows, state.wave_size) = (rows.as_mut_ptr(), lanes);
                // SAFETY: as above.
                unsafe { shuffle(&mut state, dst as u32, 1, 2) };
                let want: Vec<u32> = (0..n).map(|i| original[n + original[2 * n + i] as usize % n]).collect();
                assert_eq!(rows[dst * n..][..n], want, "{lanes} lanes to {dst}");
            }
        }
    }

    #[test]
    fn a_row_is_replaced_in_the_lanes_of_exec_only() {
        let masks = [0, 1, 0xffff_ffff, u64::MAX, 0x8000_0000_0000_0001, 0xdead_beef_0123_4567, 0x7fff_ffff_ffff_fffe];
        for exec in masks {
            check::<32>(exec);
            check::<64>(exec);
        }
    }

    fn check<const N: usize>(exec: u64) {
        let mut rows: Vec<u32> = (0..3 * N as u32).collect();
        let mut want = rows.clone();
        for lane in (0..N).filter(|lane| exec >> lane & 1 != 0) {
            want[lane] = rows[2 * N + lane];
        }
        // SAFETY: there are three rows.
        unsafe { blend_row::<N>(rows.as_mut_ptr(), 0, 2, exec) };
        assert_eq!(rows, want, "{exec:#x} of {N}");
        // SAFETY: as above.
        unsafe { blend_row::<N>(rows.as_mut_ptr(), 1, 1, exec) };
        assert_eq!(rows, want, "onto itself");
    }
}
