//! Format loads and stores. Format numbers: descriptors.md section 7.

use super::*;

const G: Generation = Generation::Gfx11;
const F: fn(f32) -> u32 = f32::to_bits;

/// A raw buffer of a unified format number.
fn of(format: u32) -> V {
    V { format, ..raw(G) }
}

/// The first lane's registers after a load from memory that holds `words`.
fn load(op: &BufferOp, v: V, words: &[u32]) -> [u32; 4] {
    let mut b = Bench::new(0, |_| 0);
    b.memory = FlatMemory::from_words(BASE, words);
    b.exec = 1;
    b.run(op, v);
    [0, 1, 2, 3].map(|n| b.result(n, 0))
}

fn named(name: &str) -> BufferOp {
    BufferOp::new(name, G).unwrap()
}

#[test]
fn the_format_is_the_descriptors_or_the_instructions() {
    // BUF-01: 10 = 16_SSCALED in the V#, 42 = 8_8_8_8_UNORM in the instruction, none for others.
    let words = [0xff00_ff80; 4];
    assert_eq!(load(&named("buffer_load_format_x"), of(10), &words)[0], F(-128.0));
    let typed = BufferOp { format: Some(BufferFormat::Unified(42)), ..named("tbuffer_load_format_xyzw") };
    assert_eq!(load(&typed, of(10), &words), [F(128.0 / 255.0), F(1.0), 0, F(1.0)]);
    assert_eq!(load(&named("buffer_load_b32"), of(10), &words)[0], 0xff00_ff80);
}

#[test]
fn numbers_convert_by_their_kind() {
    // BUF-06; data format 10 = 8_8_8_8 with its number formats on older generations.
    let word = [0x80ff_0140u32; 4];
    for (number, unified, want) in [
        (0, 42, [F(64.0 / 255.0), F(1.0 / 255.0), F(1.0), F(128.0 / 255.0)]),
        (1, 43, [F(64.0 / 127.0), F(1.0 / 127.0), F(-1.0 / 127.0), F(-1.0)]),
        (2, 44, [F(64.0), F(1.0), F(255.0), F(128.0)]),
        (3, 45, [F(64.0), F(1.0), F(-1.0), F(-128.0)]),
        (4, 46, [64, 1, 255, 128]),
        (5, 47, [64, 1, -1i32 as u32, -128i32 as u32]),
    ] {
        assert_eq!(load(&named("buffer_load_format_xyzw"), of(unified), &word), want, "{unified}");
        for generation in [Generation::Gfx6, Generation::Gfx8, Generation::Gfx9] {
            let v = V { generation, format: number | 10 << 3, ..raw(generation) };
            let op = BufferOp::new("buffer_load_format_xyzw", generation).unwrap();
            assert_eq!(load(&op, v, &word), want, "{generation:?} {number}");
        }
        // 56 to 61 on gfx10.
        let generation = Generation::Gfx103;
        let op = BufferOp::new("buffer_load_format_xyzw", generation).unwrap();
        assert_eq!(load(&op, V { generation, ..of(unified + 14) }, &word), want, "gfx10.3 {unified}");
    }
    // 32 and 64 bits as they are: a signaling NaN stays one (63 = 32_32_32_32_FLOAT).
    let words = [0x7fa0_0001, 1, 2, 3];
    assert_eq!(load(&named("buffer_load_format_xyzw"), of(63), &words), words);
}

#[test]
fn components_that_memory_lacks_come_from_the_selection() {
    // BUF-09: 22 = 32_FLOAT, 63 = 32_32_32_32_FLOAT.
    let words = [F(5.0), F(6.0), F(7.0), F(8.0)];
    assert_eq!(load(&named("buffer_load_format_xyzw"), of(22), &words), [F(5.0), 0, 0, F(1.0)]);
    assert_eq!(load(&named("buffer_load_format_x"), of(63), &words), [F(5.0), 0xeeee_eeee, 0xeeee_eeee, 0xeeee_eeee]);
    // All four dwords are read, so three are not enough.
    assert_eq!(load(&named("buffer_load_format_x"), V { records: 12, ..of(63) }, &words)[0], 0);
}

#[test]
fn selection_permutes_and_makes_constants() {
    // BUF-03: W, 1, 0, X of 32_32_32_32_FLOAT and _UINT; MTBUF has none.
    let v = V { dst_sel: 0o4017, ..of(63) };
    let words = [F(5.0), F(6.0), F(7.0), F(8.0)];
    assert_eq!(load(&named("buffer_load_format_xyzw"), v, &words), [F(8.0), F(1.0), 0, F(5.0)]);
    assert_eq!(load(&named("buffer_load_format_xyzw"), V { format: 61, ..v }, &[5, 6, 7, 8]), [8, 1, 0, 5]);
    let typed = BufferOp { format: Some(BufferFormat::Unified(63)), ..named("tbuffer_load_format_xyzw") };
    assert_eq!(load(&typed, v, &words), words);
    // Untyped accesses and atomics have none either.
    assert_eq!(load(&named("buffer_load_b128"), v, &words), words);
}

#[test]
fn out_of_range_leaves_the_constant_1() {
    // BUF-13, BUF-14
    let v = V { dst_sel: 0o4017, records: 8, ..of(63) };
    assert_eq!(load(&named("buffer_load_format_xyzw"), v, &[9; 4]), [0, F(1.0), 0, 0]);
    assert_eq!(load(&named("buffer_load_format_xyzw"), V { format: 61, ..v }, &[9; 4]), [0, 1, 0, 0]);
    let typed = BufferOp { format: Some(BufferFormat::Unified(63)), ..named("tbuffer_load_format_xyzw") };
    assert_eq!(load(&typed, v, &[9; 4]), [0; 4], "one component out of range is enough");
}

#[test]
fn halves_pack_two_to_a_register() {
    // BUF-08: 51 = 16_16_16_16_UNORM, 57 = 16_16_16_16_FLOAT.
    let words = [0x3c00_4000, 0x4400_4200, 0, 0]; // 2, 1, 3, 4
    let untouched = 0xeeee_eeee;
    for (name, want) in [
        ("x", [0xeeee_4000, untouched]),
        ("xy", [0x3c00_4000, untouched]),
        ("xyz", [0x3c00_4000, 0xeeee_4200]),
        ("xyzw", [0x3c00_4000, 0x4400_4200]),
    ] {
        let got = load(&named(&format!("buffer_load_d16_format_{name}")), of(57), &words);
        assert_eq!([got[0], got[1]], want, "{name}");
    }
    assert_eq!(load(&named("buffer_load_d16_hi_format_x"), of(57), &words)[0], 0x4000_eeee);
    // Unpacked on the first gfx8 chips; 12 = 16_16_16_16, 7 = float.
    let op = BufferOp { unpacked_d16: true, ..BufferOp::new("buffer_load_format_d16_xyz", Generation::Gfx8).unwrap() };
    let v = V { generation: Generation::Gfx8, format: 7 | 12 << 3, ..raw(Generation::Gfx8) };
    assert_eq!(load(&op, v, &words), [0xeeee_4000, 0xeeee_3c00, 0xeeee_4200, untouched]);
}

#[test]
fn floats_truncate_to_halves_and_others_round() {
    // BUF-07: 22 = 32_FLOAT, 7 = 16_UNORM, 20 = 32_UINT, 21 = 32_SINT.
    let x = named("buffer_load_d16_format_x");
    let low = |format, word| load(&x, of(format), &[word; 4])[0] & 0xffff;
    let above_one = F(1.0) + 0x1fff; // just below 1 + 2^-10
    assert_eq!([low(22, above_one), low(22, F(70000.0)), low(22, F(-1.9999))], [0x3c00, 0x7bff, 0xbfff]);
    assert_eq!(low(22, F(f32::INFINITY)), 0x7c00);
    // 65519 / 65535 lies between 0x3bff (1 - 2^-11) and 0x3c00, nearer to the first; 65520 / 65535 nearer to 1.
    assert_eq!([low(7, 65518), low(7, 65520)], [0x3bff, 0x3c00]);
    assert_eq!([low(20, 70000), low(21, -70000i32 as u32), low(21, -5i32 as u32)], [0xffff, 0x8000, 0xfffb]);
}

/// Memory (from 0xdddddddd) after the first lane has stored 1.0, 0.5, 0.25, 0.125, or integers 1, 2, 3, 4.
fn store(op: &BufferOp, v: V, integers: bool) -> [u32; 4] {
    let mut b = Bench::new(4, |_| 0xdddd_dddd);
    b.exec = 1;
    for i in 0..4 {
        b.set(2 + i, |_| if integers { 1 + i as u32 } else { F(1.0 / (1 << i) as f32) });
    }
    b.run(op, v);
    [0, 4, 8, 12].map(|n| b.word(n))
}

#[test]
fn stores_convert() {
    // BUF-06, BUF-09: 42 = 8_8_8_8_UNORM, 46 = _UINT, 22 = 32_FLOAT, 30 = 10_11_11_FLOAT.
    assert_eq!(store(&named("buffer_store_format_xyzw"), of(42), false)[0], 0x2040_80ff);
    assert_eq!(store(&named("buffer_store_format_xyzw"), of(46), true)[0], 0x0403_0201);
    assert_eq!(store(&named("buffer_store_format_xyzw"), of(22), false), [F(1.0), 0xdddd_dddd, 0xdddd_dddd, 0xdddd_dddd]);
    // 1.0 = 15 << 6, 0.5 = 14 << 6, 0.25 = 13 << 5.
    assert_eq!(store(&named("buffer_store_format_xyz"), of(30), false)[0], 0x3c0 | 0x380 << 11 | 0x1a0 << 22);
    // Of a format of 16 bits the rest of the dword stays (7 = 16_UNORM).
    assert_eq!(store(&named("buffer_store_format_x"), of(7), false)[0], 0xdddd_ffff);
}

#[test]
fn components_not_sent_are_0_or_x() {
    // BUF-10
    assert_eq!(store(&named("buffer_store_format_x"), of(46), true)[0], 0x0000_0001);
    assert_eq!(store(&named("buffer_store_format_xy"), of(46), true)[0], 0x0000_0201);
    let gfx12 = BufferOp::new("buffer_store_format_x", Generation::Gfx12).unwrap();
    let v = V { generation: Generation::Gfx12, ..of(46) };
    assert_eq!(store(&gfx12, v, true)[0], 0x0101_0101);
    // A channel nobody selects gets nothing: sel X, 0, 0, 1.
    assert_eq!(store(&gfx12, V { dst_sel: 0o1004, ..v }, true)[0], 0x0000_0001);
    let typed = BufferOp { format: Some(BufferFormat::Unified(46)), ..named("tbuffer_store_format_x") };
    assert_eq!(store(&typed, of(22), true)[0], 0x0000_0001);
}

#[test]
fn stores_go_where_loads_come_from() {
    // BUF-03: BGRA.
    let v = V { dst_sel: 0o7456, ..of(46) };
    assert_eq!(store(&named("buffer_store_format_xyzw"), v, true)[0], 0x0401_0203);
    let typed = BufferOp { format: Some(BufferFormat::Unified(46)), ..named("tbuffer_store_format_xyzw") };
    assert_eq!(store(&typed, v, true)[0], 0x0403_0201);
}

#[test]
fn stores_take_packed_halves() {
    // BUF-08: 57 = 16_16_16_16_FLOAT, 63 = 32_32_32_32_FLOAT, 47 = 8_8_8_8_SINT.
    let run = |name: &str, v: V, data: [u32; 2]| {
        let mut b = Bench::new(4, |_| 0);
        b.exec = 1;
        b.set(2, |_| data[0]).set(3, |_| data[1]).run(&named(name), v);
        [0, 4, 8, 12].map(|n| b.word(n))
    };
    assert_eq!(run("buffer_store_d16_format_xyzw", of(57), [0x3c00_4000, 0x4400_4200])[..2], [0x3c00_4000, 0x4400_4200]);
    assert_eq!(run("buffer_store_d16_format_xyz", of(63), [0x3c00_4000, 0x4400_4200]), [F(2.0), F(1.0), F(3.0), 0]);
    assert_eq!(run("buffer_store_d16_format_xy", of(47), [0xfffe_0001, 0])[0], 0x0000_fe01);
    assert_eq!(run("buffer_store_d16_hi_format_x", of(22), [0x3c00_4000, 0])[0], F(1.0));
}

#[test]
fn formats_have_their_alignment() {
    // BUF-22: 5 = 8_UINT, 18 = 8_8_UINT, 46 = 8_8_8_8_UINT, 55 = 16_16_16_16_UINT.
    for (format, offset, ok) in [(5, 3, true), (18, 2, true), (18, 3, false), (46, 4, true), (46, 2, false), (55, 4, true), (55, 6, false)]
    {
        let op = BufferOp { offset, ..named("buffer_load_format_x") };
        let mut b = Bench::new(16, |_| 0x0101_0101);
        assert_eq!(b.try_run(&op, of(format)).is_ok(), ok, "{format} at {offset}");
        assert_eq!(b.result(0, 0) != 0, ok, "{format} at {offset}");
        let mut b = Bench::new(16, |_| 0x0101_0101);
        b.run(&BufferOp { alignment: Alignment::Dword, ..op }, of(format));
        assert_ne!(b.result(0, 0), 0, "mode 0 rounds down");
    }
}

#[test]
fn formats_that_buffers_lack_are_named() {
    for number in [63 + 48, 127] {
        let op = BufferOp { format: Some(BufferFormat::Unified(number)), ..named("tbuffer_load_format_x") };
        let mut b = Bench::new(16, |_| 0);
        assert_eq!(b.try_run(&op, of(22)), Err(BufferError::Format(BufferFormat::Unified(number))));
    }
    let v = V { generation: Generation::Gfx9, format: 15 << 3, ..raw(Generation::Gfx9) };
    let op = BufferOp::new("buffer_load_format_x", Generation::Gfx9).unwrap();
    let mut b = Bench::new(16, |_| 0);
    assert_eq!(b.try_run(&op, v), Err(BufferError::Format(BufferFormat::Split { data: 15, number: 0 })));
}

#[test]
fn lanes_in_a_row_are_one_copy() {
    // The fast way against single lanes, across the end of the buffer.
    let v = V { records: 100, ..of(46) };
    let op = offen("buffer_load_format_xyz", G);
    let mut b = Bench::new(64, |n| n * 0x0102_0304);
    b.set(0, |l| 4 * l).run(&op, v);
    for lane in 0..32u32 {
        let byte = |i: u32| if lane < 25 { ((lane * 0x0102_0304) >> (8 * i)) & 0xff } else { 0 };
        assert_eq!([0, 1, 2].map(|i| b.result(i as usize, lane as usize)), [byte(0), byte(1), byte(2)], "{lane}");
    }
}

#[test]
fn format_loads_go_to_lds() {
    let mut b = Bench::new(64, |n| n);
    let op = BufferOp { ..offen("buffer_load_lds_format_x", G) };
    b.set(0, |l| 4 * l).run(&op, of(46));
    assert_eq!(b.lds[4..8], [1, 0, 0, 0]);
}

#[test]
fn waves_in_order_and_out_of_order_do_the_same() {
    // Lanes in order go as one, others one by one.
    let bytes_of = |format: u32| [(57, 8), (63, 16), (14, 2)].iter().find(|f| f.0 == format).map_or(4, |f| f.1);
    for (format, stride) in [(36, 4), (42, 4), (46, 4), (57, 8), (63, 16), (14, 2), (46, 12), (63, 20)] {
        let v = V { stride, records: 40, oob: 0, ..of(format) };
        let order = |lane: u32, reversed: bool| if reversed { 31 - lane } else { lane };
        let mut runs = [false, true].map(|reversed| {
            let mut b = Bench::new(160, |n| n.wrapping_mul(0x9e37_79b9) & 0xbfff_bfff);
            b.set(0, |lane| order(lane, reversed));
            b.run(&idxen("buffer_load_format_xyzw", G), v);
            let loaded: Vec<[u32; 4]> = (0..32).map(|lane| [0, 1, 2, 3].map(|n| b.result(n, order(lane, reversed) as usize))).collect();
            for n in 0..4 {
                let row: Vec<u32> = (0..LANES).map(|lane| b.result(n, lane)).collect();
                b.set(2 + n, |lane| row[lane as usize]);
            }
            b.memory = FlatMemory::from_words(BASE, &[0x5555_5555; 160]);
            b.run(&idxen("buffer_store_format_xyzw", G), v);
            (loaded, b.memory.bytes())
        });
        assert_eq!(runs[0], runs[1], "{format}");
        if bytes_of(format) != stride {
            continue;
        }
        // what was stored is what was loaded
        let original: Vec<u8> = (0..160_u32).flat_map(|n| (n.wrapping_mul(0x9e37_79b9) & 0xbfff_bfff).to_le_bytes()).collect();
        let bytes = 32 * stride as usize;
        assert_eq!(runs[0].1[..bytes], original[..bytes], "{format}");
        assert!(runs[1].1.split_off(bytes).iter().all(|b| *b == 0x55), "{format}");
    }
}
