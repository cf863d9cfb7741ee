//! Addresses and range checks.

use super::*;

#[test]
fn address_registers_are_index_then_offset() {
    // BUF-02: none; v0 = offset; v0 = index; v0 = index, v1 = offset.
    for generation in ALL {
        let v = V { stride: 16, records: if generation == Generation::Gfx8 { 4096 } else { 256 }, oob: 1, ..raw(generation) };
        let load = BufferOp::new("buffer_load_b32", generation).unwrap();
        for (offen, idxen, want) in [(false, false, 2), (true, false, 2 + 4), (false, true, 2 + 4 * 4), (true, true, 2 + 4 * 4 + 3)] {
            let mut b = Bench::new(1024, |n| n);
            let first = if idxen { 4 } else { 16 };
            b.set(0, |_| first).set(1, |_| 12).run(&BufferOp { offen, idxen, offset: 8, ..load }, v);
            assert_eq!(b.result(0, 7), want, "{generation:?} offen {offen} idxen {idxen}");
        }
    }
}

#[test]
fn linear_addresses_add_everything() {
    // BUF-12: base + sgpr + instruction + register + stride * (index + lane).
    for generation in ALL {
        let v = V { stride: 8, records: if generation == Generation::Gfx8 { 4096 } else { 512 }, add_tid: true, oob: 2, ..raw(generation) };
        let op = BufferOp { offen: true, idxen: true, offset: 4, ..BufferOp::new("buffer_load_b32", generation).unwrap() };
        let mut b = Bench::new(1024, |n| n);
        b.scalars.soffset = 64;
        // gfx8 takes stride bits from the data format under add_tid; 32-bit float has none set that matters here.
        let v = if generation == Generation::Gfx8 { V { format: 7, ..v } } else { v };
        b.set(0, |l| l / 2).set(1, |l| 4 * (l & 3)).run(&op, v);
        for lane in 0..LANES as u32 {
            let bytes = 64 + 4 + 4 * (lane & 3) + 8 * (lane / 2 + lane);
            assert_eq!(b.result(0, lane as usize), bytes / 4, "{generation:?} lane {lane}");
        }
    }
}

#[test]
fn addresses_of_64_bits_ignore_stride_and_size() {
    // BUF-02 (ADDR64 of gfx6)
    let op = BufferOp { addr64: true, offset: 4, ..BufferOp::new("buffer_load_dword", Generation::Gfx6).unwrap() };
    let mut b = Bench::new(64, |n| n);
    b.scalars.soffset = 8;
    // Two's complement reaches below the base, too.
    b.set(0, |l| 4 * l).set(1, |_| 0).run(&op, V { records: 0, stride: 100, ..raw(Generation::Gfx6) });
    assert_eq!(b.result(0, 5), 5 + 3);
    b.set(0, |_| 4).set(1, |_| 1);
    assert_eq!(
        b.try_run(&op, V { records: 0, ..raw(Generation::Gfx6) }),
        Err(BufferError::Unmapped { lane: 0, address: BASE + (1 << 32) + 16 })
    );
}

/// Bytes at which a lane's dword is found in a swizzled buffer, through a load of memory that counts dwords.
fn swizzled(v: V, index: u32, offset: u32, soffset: u32) -> u32 {
    let op = BufferOp { offen: true, idxen: true, ..BufferOp::new("buffer_load_b32", v.generation).unwrap() };
    let mut b = Bench::new(4096, |n| 4 * n);
    b.scalars.soffset = soffset;
    b.set(0, |_| index).set(1, |_| offset).run(&op, v);
    b.result(0, 0)
}

#[test]
fn swizzled_addresses_follow_the_formula() {
    // BUF-19, BUF-21: stride 16, groups of 8, elements of 4, index 9, offset 4 -> (1 * 16 + 4) * 8 + 1 * 4.
    for generation in ALL {
        let records = if generation == Generation::Gfx8 { 16384 } else { 100 };
        let mut v = V { stride: 16, records, swizzle: 1, oob: 2, ..raw(generation) };
        if generation < Generation::Gfx9 {
            v.format = 7 | 4 << 3 | 1 << 7; // ELEMENT_SIZE 1: 4 bytes
        }
        assert_eq!(swizzled(v, 9, 4, 0), 164, "{generation:?}");
        // Groups of 16.
        assert_eq!(swizzled(V { index_stride: 1, ..v }, 9, 4, 0), (16 + 4 - 16) * 16 + 9 * 4, "{generation:?}");
    }
    // Elements of 16 bytes from gfx11 on: stride 32, index 9, offset 20 -> (32 + 16) * 8 + 16 + 4.
    for generation in [Generation::Gfx11, Generation::Gfx12] {
        let v = V { stride: 32, records: 100, swizzle: 3, oob: 2, ..raw(generation) };
        assert_eq!(swizzled(v, 9, 20, 0), 404, "{generation:?}");
    }
    // gfx6 and gfx8 have elements of 2 to 16 bytes.
    let v = V { stride: 32, records: 16384, swizzle: 1, format: 7 | 4 << 3 | 3 << 7, ..raw(Generation::Gfx8) };
    assert_eq!(swizzled(v, 9, 20, 0), 404);
}

#[test]
fn sgpr_offset_is_swizzled_on_gfx12_only() {
    // BUF-20: stride 16, index 9, offset 0, sgpr 4.
    let v = |generation| V { stride: 16, records: 100, swizzle: 1, oob: 2, ..raw(generation) };
    for generation in [Generation::Gfx9, Generation::Gfx10, Generation::Gfx11] {
        assert_eq!(swizzled(v(generation), 9, 0, 4), 16 * 8 + 4 + 4, "{generation:?}");
    }
    assert_eq!(swizzled(v(Generation::Gfx12), 9, 0, 4), (16 + 4) * 8 + 4);
    // Modulo 2^32.
    assert_eq!(swizzled(v(Generation::Gfx12), 9, 8, 0u32.wrapping_sub(4)), (16 + 4) * 8 + 4);
}

#[test]
fn scratch_adds_the_lane_and_is_not_checked() {
    // BUF-17: swizzled, stride = bytes per lane, groups of 64, add_tid, OOB 2; two dwords next to each other lie a row apart.
    for generation in [Generation::Gfx10, Generation::Gfx11] {
        let v = V { stride: 64, records: 1, swizzle: 1, index_stride: 3, add_tid: true, oob: 2, format: 20, ..raw(generation) };
        let mut b = Bench::new(2048, |n| n);
        b.run(&BufferOp { offset: 8, ..BufferOp::new("buffer_load_b64", generation).unwrap() }, v);
        for lane in 0..LANES {
            assert_eq!((b.result(0, lane), b.result(1, lane)), (2 * 64 + lane as u32, 3 * 64 + lane as u32), "{generation:?}");
        }
        let mut b = Bench::new(2048, |n| n);
        b.run(&BufferOp::new("buffer_load_b32", generation).unwrap(), V { records: 0, ..v });
        assert_eq!(b.result(0, 3), 0, "no records: nothing is in range");
    }
}

/// Which of the dwords of `buffer_load_b128` at an index and offset are in range.
fn in_range(v: V, index: u32, offset: u32) -> [bool; 4] {
    let op = BufferOp { offen: true, idxen: true, ..BufferOp::new("buffer_load_b128", v.generation).unwrap() };
    let mut b = Bench::new(4096, |_| 0x0101_0101);
    b.set(0, |_| index).set(1, |_| offset).run(&op, v);
    [0, 1, 2, 3].map(|n| b.result(n, 0) == 0x0101_0101)
}

#[test]
fn oob_0_checks_record_and_offset() {
    // BUF-15, BUF-16: 10 records of 16 bytes; the bytes of the access count from gfx11 on.
    for generation in [Generation::Gfx10, Generation::Gfx103, Generation::Gfx11, Generation::Gfx12] {
        let v = V { stride: 16, records: 10, oob: 0, ..raw(generation) };
        assert_eq!(in_range(v, 9, 8), [true, true, false, false], "{generation:?}");
        assert_eq!(in_range(v, 10, 0), [false; 4], "{generation:?}");
        let unaligned = in_range(v, 9, 2);
        let counts_bytes = generation >= Generation::Gfx11;
        assert_eq!(unaligned, [true, true, true, !counts_bytes], "{generation:?}");
    }
}

#[test]
fn oob_1_checks_the_record_only() {
    // BUF-15
    for generation in [Generation::Gfx10, Generation::Gfx103, Generation::Gfx11, Generation::Gfx12] {
        let v = V { stride: 16, records: 10, oob: 1, ..raw(generation) };
        assert_eq!(in_range(v, 9, 1000), [true; 4], "{generation:?}");
        assert_eq!(in_range(v, 10, 0), [false; 4], "{generation:?}");
    }
}

#[test]
fn oob_2_checks_nothing_but_emptiness() {
    // BUF-15
    for generation in [Generation::Gfx10, Generation::Gfx103, Generation::Gfx11, Generation::Gfx12] {
        let v = V { stride: 16, records: 1, oob: 2, ..raw(generation) };
        assert_eq!(in_range(v, 90, 500), [true; 4], "{generation:?}");
        assert_eq!(in_range(V { records: 0, ..v }, 0, 0), [false; 4], "{generation:?}");
    }
}

#[test]
fn oob_3_is_raw() {
    // BUF-15, BUF-16: bytes, the stride ignored.
    for generation in [Generation::Gfx10, Generation::Gfx103, Generation::Gfx11, Generation::Gfx12] {
        let v = V { stride: 16, records: 100, oob: 3, ..raw(generation) };
        assert_eq!(in_range(v, 50, 92), [true, true, false, false], "{generation:?}");
        let counts_bytes = generation >= Generation::Gfx11;
        assert_eq!(in_range(v, 0, 97), [!counts_bytes, false, false, false], "{generation:?}");
    }
    // Swizzled: the swizzled position on gfx10, record and offset from gfx11 on.
    let v = |generation| V { stride: 16, records: 40, swizzle: 1, oob: 3, ..raw(generation) };
    assert_eq!(in_range(v(Generation::Gfx10), 1, 0), [true, true, false, false], "positions 4, 36, 68, 100");
    assert_eq!(in_range(v(Generation::Gfx11), 39, 8), [true, true, false, false]);
    assert_eq!(in_range(v(Generation::Gfx11), 40, 0), [false; 4]);
}

#[test]
fn raw_size_shrinks_by_the_sgpr_offset() {
    // BUF-15
    for generation in ALL {
        let v = V { records: 64, oob: 3, ..raw(generation) };
        let mut b = Bench::new(256, |_| 1);
        b.scalars.soffset = 32;
        b.set(0, |l| 4 * l).run(&offen("buffer_load_b32", generation), v);
        assert_eq!((b.result(0, 7), b.result(0, 8)), (1, 0), "{generation:?}");
    }
}

#[test]
fn old_structured_buffers_check_the_record() {
    // BUF-15, BUF-16: gfx6, gfx7, gfx9; the offset counts if the buffer is swizzled.
    for generation in [Generation::Gfx6, Generation::Gfx9] {
        let mut v = V { stride: 16, records: 10, ..raw(generation) };
        assert_eq!(in_range(v, 9, 100), [true; 4], "{generation:?}");
        assert_eq!(in_range(v, 10, 0), [false; 4], "{generation:?}");
        v.swizzle = 1;
        v.format = 7 | 4 << 3 | 1 << 7;
        assert_eq!(in_range(v, 9, 8), [true, true, false, false], "{generation:?}");
    }
}

#[test]
fn gfx8_counts_bytes_always() {
    // BUF-16
    let v = V { stride: 16, records: 100, ..raw(Generation::Gfx8) };
    assert_eq!(in_range(v, 5, 12), [true, true, false, false], "bytes 92 to 108");
    assert_eq!(in_range(v, 6, 0), [true, false, false, false], "bytes 96 to 112");
    assert_eq!(in_range(v, 5, 17), [false; 4], "bytes 97 to 101 stick out");
}

#[test]
fn gfx8_takes_stride_bits_from_the_format_under_add_tid() {
    // descriptors.md section 1: DATA_FORMAT becomes STRIDE[17:14]
    let v = V { stride: 0, records: 0xffff_ffff, add_tid: true, format: 1 << 3, ..raw(Generation::Gfx8) };
    let mut b = Bench::new(5 * 4096, |n| n);
    b.exec = 0x1f;
    b.run(&BufferOp::new("buffer_load_dword", Generation::Gfx8).unwrap(), v);
    assert_eq!(b.result(0, 4), 4 * 0x4000 / 4);
}
