//! What loads, stores and atomics do.

use super::*;
use wavejit_isa::AtomicOp;

const G: Generation = Generation::Gfx11;

#[test]
fn small_loads_extend() {
    // BUF-05, BUF-11
    for (name, want) in [
        ("buffer_load_u8", 0x0000_0080),
        ("buffer_load_i8", 0xffff_ff80),
        ("buffer_load_u16", 0x0000_8180),
        ("buffer_load_i16", 0xffff_8180),
        ("buffer_load_b32", 0x8382_8180),
        ("buffer_load_d16_u8", 0xeeee_0080),
        ("buffer_load_d16_i8", 0xeeee_ff80),
        ("buffer_load_d16_b16", 0xeeee_8180),
        ("buffer_load_d16_hi_u8", 0x0080_eeee),
        ("buffer_load_d16_hi_i8", 0xff80_eeee),
        ("buffer_load_d16_hi_b16", 0x8180_eeee),
    ] {
        let mut b = Bench::new(64, |_| 0x8382_8180);
        b.set(0, |l| 4 * l).run(&offen(name, G), raw(G));
        assert_eq!((b.result(0, 0), b.result(0, 31)), (want, want), "{name}");
    }
}

#[test]
fn small_stores_take_their_part() {
    // BUF-05, BUF-11
    for (name, want) in [
        ("buffer_store_b8", 0xdddd_dd44),
        ("buffer_store_b16", 0xdddd_3344),
        ("buffer_store_d16_hi_b8", 0xdddd_dd22),
        ("buffer_store_d16_hi_b16", 0xdddd_1122),
        ("buffer_store_b32", 0x1122_3344),
    ] {
        let mut b = Bench::new(64, |_| 0xdddd_dddd);
        b.set(0, |l| 4 * l).set(2, |_| 0x1122_3344).run(&offen(name, G), raw(G));
        assert_eq!((b.word(0), b.word(4 * 31)), (want, want), "{name}");
    }
}

#[test]
fn wide_accesses_move_all_their_dwords() {
    // BUF-11
    for (n, name) in ["b32", "b64", "b96", "b128"].iter().enumerate() {
        let n = n as u32 + 1;
        let mut b = Bench::new(512, |w| w);
        b.set(0, |l| 4 * n * l).run(&offen(&format!("buffer_load_{name}"), G), raw(G));
        for lane in 0..32 {
            for i in 0..n {
                assert_eq!(b.result(i as usize, lane), n * lane as u32 + i, "{name}");
            }
        }
        assert_eq!(b.result(n as usize, 0), 0xeeee_eeee, "{name}");
        let mut b = Bench::new(512, |_| 0);
        b.set(0, |l| 4 * n * l);
        for i in 0..n {
            b.set(2 + i as usize, |l| 100 * l + i);
        }
        b.run(&offen(&format!("buffer_store_{name}"), G), raw(G));
        for lane in 0..32 {
            for i in 0..n {
                assert_eq!(b.word(u64::from(4 * (n * lane + i))), 100 * lane + i, "{name}");
            }
        }
    }
}

#[test]
fn inactive_lanes_are_left_alone() {
    let mut b = Bench::new(64, |n| n);
    b.exec = 0b1011;
    b.set(0, |l| 4 * l).run(&offen("buffer_load_b32", G), raw(G));
    assert_eq!([0, 1, 2, 3, 4].map(|l| b.result(0, l)), [0, 1, 0xeeee_eeee, 3, 0xeeee_eeee]);
    b.set(2, |l| 70 + l).run(&offen("buffer_store_b32", G), raw(G));
    assert_eq!([0, 1, 2, 3, 4].map(|l| b.word(4 * l)), [70, 71, 2, 73, 4]);
}

#[test]
fn patterns_agree_with_single_lanes() {
    // The fast ways of consecutive and equal addresses against one lane at a time, with the end of the buffer in the middle.
    for generation in ALL {
        let consecutive = |l: u32| 4 * l;
        let same = |_: u32| 44;
        let mixed = |l: u32| (l * 40) % 256;
        for (records, bytes) in [(4096, 4), (96, 4), (96, 1), (90, 2), (200, 16)] {
            for pattern in [consecutive, same, mixed] {
                let name = ["", "u8", "u16", "", "b32"].get(bytes).map_or("b128", |n| n);
                let op = offen(&format!("buffer_load_{name}"), generation);
                let v = V { records, ..raw(generation) };
                let mut wave = Bench::new(256, |n| n.wrapping_mul(0x9e37_79b9));
                wave.set(0, |l| pattern(l) * bytes as u32 / 4).run(&op, v);
                let mut single = Bench::new(256, |n| n.wrapping_mul(0x9e37_79b9));
                single.set(0, |l| pattern(l) * bytes as u32 / 4);
                for lane in 0..32 {
                    single.exec = 1 << lane;
                    single.run(&op, v);
                }
                assert!(wave.rows == single.rows, "{generation:?} {records} {bytes}");
            }
        }
        // By index.
        let v = V { stride: 4, records: if generation == Generation::Gfx8 { 80 } else { 20 }, oob: 0, ..raw(generation) };
        let mut b = Bench::new(64, |n| n + 1);
        b.set(0, |l| l).run(&idxen("buffer_load_b32", generation), v);
        assert_eq!((b.result(0, 19), b.result(0, 20)), (20, 0), "{generation:?}");
    }
}

#[test]
fn records_move_together_as_lane_by_lane() {
    // BUF-14, BUF-19: elements with others between them, elements of swizzled buffers, which follow each other within a group; the end of the buffer
    // and an inactive lane in the middle.
    for generation in [Generation::Gfx10, Generation::Gfx11, Generation::Gfx12] {
        let largest = if generation == Generation::Gfx10 { 1 } else { 3 };
        for (stride, swizzle, index_stride) in [(32, 0, 0), (20, 0, 0), (200, 0, 0), (16, largest, 0), (32, largest, 2), (64, 1, 3)] {
            for (records, exec) in [(100, u64::from(u32::MAX)), (19, u64::from(u32::MAX)), (100, 0xffff_efff)] {
                for (bits, offset, of_lane) in [(32, 4, 1), (96, 0, 1), (128, 0, 1), (128, 16, 1), (64, 0, 3)] {
                    let v = V { stride, records, swizzle, index_stride, oob: 0, ..raw(generation) };
                    let op = |what: &str| BufferOp { offset, ..idxen(&format!("buffer_{what}_b{bits}"), generation) };
                    let run = |lanes: &[u64]| {
                        let mut b = Bench::new(8192, |n| n.wrapping_mul(0x9e37_79b9));
                        b.set(0, |l| l * of_lane);
                        (2..6).for_each(|row| _ = b.set(row, |l| row as u32 * 1000 + l));
                        for exec in lanes {
                            b.exec = *exec;
                            b.run(&op("load"), v).run(&op("store"), v);
                        }
                        (b.rows.clone(), b.memory.bytes())
                    };
                    let single: Vec<u64> = (0..32).map(|lane| 1 << lane & exec).filter(|lane| *lane != 0).collect();
                    assert!(
                        run(&[exec]) == run(&single),
                        "{generation:?}: {bits} bits at {offset} of {stride}, {swizzle}, {records} records"
                    );
                }
            }
        }
    }
}

#[test]
fn destinations_may_be_addresses() {
    let mut b = Bench::new(64, |n| n + 1);
    let rows = Rows { dst: [0, 1, 2, 3, 4], ..ROWS };
    b.set(0, |l| 4 * (31 - l));
    let mut wave = Wave::new(&mut b.rows, LANES, b.exec);
    execute(&offen("buffer_load_b64", G), &raw(G).decode(), Scalars::default(), &mut wave, &rows, &mut [], &b.memory).unwrap();
    assert_eq!((b.get(0, 0), b.get(1, 0), b.get(0, 31)), (32, 33, 1));
}

#[test]
fn out_of_range_reads_zero_and_writes_nothing() {
    // BUF-13, BUF-14: each dword of an untyped access on its own.
    let v = V { records: 10, ..raw(G) };
    let mut b = Bench::new(64, |n| n + 1);
    b.set(0, |_| 0).run(&offen("buffer_load_b128", G), v);
    assert_eq!([0, 1, 2, 3].map(|n| b.result(n, 0)), [1, 2, 0, 0]);
    b.exec = 1;
    b.set(2, |_| 7).set(3, |_| 8).set(4, |_| 9).run(&offen("buffer_store_b96", G), v);
    assert_eq!([0, 4, 8].map(|n| b.word(n)), [7, 8, 3]);
    let add = BufferOp { returns: true, ..offen("buffer_atomic_add_u64", G) };
    b.set(0, |_| 8).run(&add, v);
    assert_eq!((b.result(0, 0), b.result(1, 0)), (0, 0));
    assert_eq!((b.word(8), b.word(12)), (3, 4), "an atomic is done as a whole or not at all");
}

#[test]
fn no_format_means_no_resource() {
    // BUF-04: but untyped accesses with add_tid have one.
    for generation in ALL {
        let v = V { format: 0, stride: 4, records: 4096, oob: 2, ..raw(generation) };
        let mut b = Bench::new(64, |n| n + 1);
        b.run(&BufferOp::new("buffer_load_b32", generation).unwrap(), v);
        assert_eq!(b.result(0, 3), 0, "{generation:?}");
        b.set(2, |_| 99).run(&BufferOp::new("buffer_store_b32", generation).unwrap(), v);
        b.run(&BufferOp { returns: true, ..BufferOp::new("buffer_atomic_add_u32", generation).unwrap() }, v);
        assert_eq!((b.word(0), b.result(0, 0)), (1, 0), "{generation:?}");
        b.run(&BufferOp::new("buffer_load_b32", generation).unwrap(), V { add_tid: true, ..v });
        assert_eq!(b.result(0, 3), 4, "{generation:?}");
    }
    // Nor is an image descriptor one.
    let mut words = raw(G).words();
    words[3] |= 2 << 30;
    let mut b = Bench::new(64, |n| n + 1);
    let mut wave = Wave::new(&mut b.rows, LANES, b.exec);
    let op = BufferOp::new("buffer_load_b32", G).unwrap();
    execute(&op, &BufferDescriptor::decode(words, G), Scalars::default(), &mut wave, &ROWS, &mut [], &b.memory).unwrap();
    assert_eq!(b.result(0, 0), 0);
}

#[test]
fn alignment_follows_the_mode() {
    // BUF-24
    use Alignment::*;
    let load = |alignment, name: &str, offset| {
        let op = BufferOp { alignment, offset, ..BufferOp::new(name, G).unwrap() };
        let mut b = Bench::new(64, |n| 0x0303_0303 + 0x0404_0404 * n);
        b.memory = FlatMemory::new(BASE, (0..255).collect());
        let done = b.try_run(&op, raw(G));
        (b.result(0, 0), done.is_ok())
    };
    assert_eq!(load(Unaligned, "buffer_load_b32", 5), (0x0807_0605, true));
    assert_eq!(load(Dword, "buffer_load_b32", 5), (0x0706_0504, true));
    assert_eq!(load(Dword, "buffer_load_b64", 7), (0x0706_0504, true));
    assert_eq!(load(Dword, "buffer_load_u16", 5), (0x0504, true));
    assert_eq!(load(DwordStrict, "buffer_load_b64", 4), (0x0706_0504, true));
    assert_eq!(load(DwordStrict, "buffer_load_b64", 6), (0, false));
    assert_eq!(load(Strict, "buffer_load_b64", 8), (0x0b0a_0908, true));
    assert_eq!(load(Strict, "buffer_load_b64", 4), (0, false));
    assert_eq!(load(Strict, "buffer_load_u8", 3), (3, true));
    // The other lanes are done; stores out of line are dropped.
    let op = BufferOp { alignment: Strict, ..offen("buffer_store_b32", G) };
    let mut b = Bench::new(64, |_| 0);
    let done = b.set(0, |l| 4 * l + u32::from(l == 1)).set(2, |l| l + 1).try_run(&op, raw(G));
    assert_eq!(done, Err(BufferError::Misaligned { lane: 1, address: BASE + 5, alignment: 4 }));
    assert_eq!([0, 4, 8].map(|n| b.word(n)), [1, 0, 3]);
}

#[test]
fn atomics_must_be_aligned() {
    // BUF-23
    for (name, offset, ok) in [("buffer_atomic_add_u32", 4, true), ("buffer_atomic_add_u32", 2, false), ("buffer_atomic_add_u64", 4, false)]
    {
        let op = BufferOp { offset, ..BufferOp::new(name, G).unwrap() };
        let mut b = Bench::new(64, |_| 5);
        b.exec = 1;
        assert_eq!(b.set(2, |_| 1).set(3, |_| 0).try_run(&op, raw(G)).is_ok(), ok, "{name}");
        assert_eq!(b.word(4), if ok { 6 } else { 5 }, "{name}");
    }
    let op = BufferOp { offset: 6, alignment: Alignment::Dword, ..BufferOp::new("buffer_atomic_add_u32", G).unwrap() };
    let mut b = Bench::new(64, |_| 5);
    b.exec = 1;
    b.set(2, |_| 1).run(&op, raw(G));
    assert_eq!(b.word(4), 6, "mode 0 rounds down");
}

#[test]
fn atomics_take_operand_and_comparand_from_their_data() {
    // BUF-25: lanes one after the other; the old value comes back.
    let add = BufferOp { returns: true, ..BufferOp::new("buffer_atomic_add_u32", G).unwrap() };
    let mut b = Bench::new(16, |_| 100);
    b.set(2, |l| l).run(&add, raw(G));
    assert_eq!(b.word(0), 100 + 31 * 32 / 2);
    assert_eq!((b.result(0, 0), b.result(0, 1), b.result(0, 4)), (100, 100, 106));
    let swap = BufferOp { returns: true, ..offen("buffer_atomic_cmpswap_b32", G) };
    let mut b = Bench::new(64, |n| n);
    // Comparand 3 in the second register.
    b.set(0, |l| 4 * l).set(2, |_| 77).set(3, |_| 3).run(&swap, raw(G));
    assert_eq!([2, 3, 4].map(|n| b.word(4 * n)), [2, 77, 4]);
    assert_eq!(b.result(0, 3), 3);
    let swap = BufferOp { returns: true, ..offen("buffer_atomic_cmpswap_b64", G) };
    let mut b = Bench::new(64, |n| n);
    b.exec = 3;
    b.set(0, |l| 8 * l).set(2, |_| 8).set(3, |_| 9).set(4, |_| 2).set(5, |_| 3).run(&swap, raw(G));
    assert_eq!([0, 4, 8, 12].map(|n| b.word(n)), [0, 1, 8, 9]);
    assert_eq!((b.result(0, 1), b.result(1, 1)), (2, 3));
    let add = offen("buffer_atomic_add_f32", G);
    let mut b = Bench::new(64, |_| 1.5f32.to_bits());
    b.set(0, |l| 4 * l).set(2, |_| 2.25f32.to_bits()).run(&add, raw(G));
    assert_eq!(b.word(8), 3.75f32.to_bits());
    assert_eq!(b.result(0, 0), 0xeeee_eeee, "nothing returned");
}

#[test]
fn each_atomic_has_its_meaning() {
    // BUF-25; formulas of numerics.md section 14. Memory 10, operand 3.
    for (name, want) in [
        ("swap_b32", 3),
        ("add_u32", 13),
        ("sub_u32", 7),
        ("csub_u32", 7),
        ("min_i32", 3),
        ("min_u32", 3),
        ("max_i32", 10),
        ("max_u32", 10),
        ("and_b32", 2),
        ("or_b32", 11),
        ("xor_b32", 9),
        ("inc_u32", 0),
        ("dec_u32", 3),
        ("cond_sub_u32", 7),
    ] {
        let mut b = Bench::new(16, |_| 10);
        b.exec = 1;
        b.set(2, |_| 3).run(&BufferOp::new(&format!("buffer_atomic_{name}"), G).unwrap(), raw(G));
        assert_eq!(b.word(0), want, "{name}");
    }
    // Images alone have it.
    let mut b = Bench::new(16, |_| 10);
    b.exec = 1;
    b.set(2, |_| 3).run(&BufferOp::of(Opcode::Atomic { op: AtomicOp::RSub, wide: false }, false, G), raw(G));
    assert_eq!(b.word(0), 3u32.wrapping_sub(10), "rsub");
    for (name, want) in [("min_f32", -2.0f32), ("max_f32", 1.0)] {
        let mut b = Bench::new(16, |_| 1f32.to_bits());
        b.exec = 1;
        b.set(2, |_| (-2f32).to_bits()).run(&BufferOp::new(&format!("buffer_atomic_{name}"), G).unwrap(), raw(G));
        assert_eq!(b.word(0), want.to_bits(), "{name}");
    }
}

#[test]
fn status_follows_the_data() {
    // BUF-26: 1 in the lanes whose page is missing, 0 in the others; without TFE they only read 0.
    let memory = FlatMemory::new(BASE, vec![5; 0x10000 - BASE as usize]).with_residency(|page| page != 1);
    for tfe in [true, false] {
        let op = BufferOp { tfe, ..offen("buffer_load_b64", G) };
        let mut b = Bench::new(0, |_| 0);
        b.set(0, |l| if l == 3 { 0xf000 } else { 8 * l });
        let v = V { records: u32::MAX, ..raw(G) };
        let mut wave = Wave::new(&mut b.rows, LANES, b.exec);
        execute(&op, &v.decode(), Scalars::default(), &mut wave, &ROWS, &mut [], &memory).unwrap();
        assert_eq!((b.result(0, 2), b.result(1, 3)), (0x0505_0505, 0));
        let status = [2, 3].map(|l| b.result(2, l));
        assert_eq!(status, if tfe { [0, 1] } else { [0xeeee_eeee; 2] });
        // Stores to the missing page are dropped.
        let mut wave = Wave::new(&mut b.rows, LANES, 1 << 3);
        execute(&offen("buffer_store_b32", G), &v.decode(), Scalars::default(), &mut wave, &ROWS, &mut [], &memory).unwrap();
    }
}

#[test]
fn unmapped_memory_is_named() {
    let v = V { records: u32::MAX, ..raw(G) };
    for name in ["buffer_load_b32", "buffer_store_b32", "buffer_atomic_add_u32"] {
        let mut b = Bench::new(16, |_| 0);
        let done = b.set(0, |l| 4 * l).try_run(&offen(name, G), v);
        assert_eq!(done, Err(BufferError::Unmapped { lane: 16, address: BASE + 64 }), "{name}");
    }
}

#[test]
fn loads_go_to_lds() {
    // MUBUF to LDS: M0[15:0] + instruction offset + 4 * lane; out of range writes 0, outside LDS nothing.
    for (generation, name, by_flag) in [(G, "buffer_load_lds_i8", false), (Generation::Gfx9, "buffer_load_sbyte", true)] {
        let mut op = BufferOp { offset: 4, ..offen(name, generation) };
        op.lds |= by_flag;
        let mut b = Bench::new(64, |n| 0x80 + n);
        b.lds = vec![0xee; 100];
        b.scalars.m0 = 0xffff_0008;
        b.set(0, |l| 4 * l).run(&op, V { records: 20, ..raw(generation) });
        let word = |i: usize| u32::from_le_bytes(b.lds[i..i + 4].try_into().unwrap());
        assert_eq!([8, 12, 16, 24, 28].map(word), [0xeeee_eeee, 0xffff_ff81, 0xffff_ff82, 0xffff_ff84, 0], "{name}");
        assert_eq!(b.result(0, 0), 0xeeee_eeee, "{name}");
    }
    let op = BufferOp { offset: 4, ..offen("buffer_store_lds_dword", Generation::Gfx9) };
    let mut b = Bench::new(64, |_| 0);
    b.lds = (0..=255).collect();
    b.set(0, |l| 4 * l).run(&op, raw(Generation::Gfx9));
    assert_eq!((b.word(4), b.word(8)), (0x0706_0504, 0x0b0a_0908));
}

#[test]
fn operations_are_done_in_order() {
    // BUF-27: a store is seen by the load behind it, lane by lane and instruction by instruction.
    let mut b = Bench::new(16, |_| 0);
    let v = raw(G);
    b.set(2, |l| l).run(&BufferOp::new("buffer_store_b32", G).unwrap(), v);
    b.run(&BufferOp::new("buffer_load_b32", G).unwrap(), v);
    assert_eq!(b.result(0, 0), 31, "the highest lane is last");
}

#[test]
fn any_descriptor_is_survived() {
    // Random V#s and addresses on every generation: memory is touched inside only, nothing panics.
    let mut numbers = wavejit_random::Random(1);
    let mut random = || numbers.u32();
    let names = [
        "buffer_load_u8",
        "buffer_load_b128",
        "buffer_store_b96",
        "buffer_atomic_add_u64",
        "buffer_load_format_xyzw",
        "buffer_store_format_xyz",
        "buffer_load_lds_b32",
        "buffer_load_d16_format_xyz",
    ];
    for round in 0..4000 {
        let generation = ALL[round % ALL.len()];
        let mut op = BufferOp::new(names[round / 7 % names.len()], generation).unwrap();
        let bits = random();
        op.offen = bits & 1 != 0;
        op.idxen = bits & 2 != 0;
        op.tfe = bits & 4 != 0;
        op.offset = bits >> 20;
        let mut b = Bench::new(64, |n| n);
        let scale = random() & 31;
        let words = [(); 32].map(|()| random() >> scale);
        b.set(0, |l| words[l as usize]).set(1, |l| words[31 - l as usize]);
        b.scalars = Scalars { soffset: random() >> (random() & 31), m0: random() };
        let mut v = [random() & 0x3fff, random(), random(), random()];
        if bits & 8 != 0 {
            v[1] &= 0xffff_0000;
            v[3] &= 0x3fff_ffff;
        }
        let mut wave = Wave::new(&mut b.rows, LANES, u64::from(random()));
        let _ = execute(&op, &BufferDescriptor::decode(v, generation), b.scalars, &mut wave, &ROWS, &mut b.lds, &b.memory);
    }
}
