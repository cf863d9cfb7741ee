//! Packets one by one: what they do to memory and to the ring, and what is refused.

mod common;

use common::{Ib, Setup, halves};
use wavejit_gpu::{Engine, Options, Progress, SdmaRing, timestamp};
use wavejit_random::Random;

#[test]
fn buffers_are_called_chained_and_left_out() {
    let mut setup = Setup::new();
    let to = setup.zeros(8);
    let buffer = |setup: &mut Setup, make: &dyn Fn(&mut Ib)| {
        let mut ib = Ib::default();
        make(&mut ib);
        let [low, high] = halves(setup.put(&ib.0));
        [low, high, ib.0.len() as u32 | 1 << 23]
    };
    let third = buffer(&mut setup, &|ib| {
        ib.write(to + 12, &[4]);
    });
    let second = buffer(&mut setup, &|ib| {
        let chain = [third[0], third[1], third[2] | 1 << 20];
        ib.write(to + 4, &[2]).packet(0x3f, &chain).write(to + 8, &[3]);
    });
    let flag = setup.put(&[0, 1]);
    let mut first = Ib::default();
    first.write(to, &[1]).packet(0x3f, &second).write(to + 16, &[5]);
    // COND_EXEC leaves five dwords out where there is 0.
    for (i, at) in [flag, flag + 4].into_iter().enumerate() {
        let [low, high] = halves(at);
        first.packet(0x22, &[low, high, 0, 5]).write(to + 20 + 4 * i as u64, &[6]);
    }
    first.0.extend([0xffff_1000, 0x8000_0000]);
    setup.run(Engine::Compute, first.packet(0x10, &[7; 9]));
    assert_eq!(setup.read(to, 8), [1, 2, 0, 4, 5, 0, 6, 0]);
}

#[test]
fn data_is_written_copied_and_filled() {
    let mut setup = Setup::new();
    let from = setup.put(&(0..64).map(|i| 0x0101_0101 * i).collect::<Vec<_>>());
    let to = setup.zeros(64);
    let at = |address: u64, offset: u64| halves(address + offset);
    let ([f, fh], mut ib) = (at(from, 0), Ib::default());
    let [t, th] = at(to, 0);
    // COPY_DATA: memory, value, register; 32 and 64 bits. DMA_DATA: copy of odd bytes, fill, a prefetch.
    ib.packet(0x40, &[1 | 5 << 8 | 1 << 20, f + 8, fh, t, th]);
    ib.packet(0x40, &[5 | 5 << 8 | 1 << 16, 11, 12, t + 8, th]);
    ib.packet(0x40, &[1 | 1 << 16, f + 16, fh, 0xb908 / 4, 0]);
    ib.packet(0x40, &[5 << 8 | 1 << 16, 0xb908 / 4, 0, t + 16, th]);
    ib.packet(0x50, &[1 << 31, f + 97, fh, t + 33, th, 5]);
    ib.packet(0x50, &[2 << 29, 0xabcd, 0, t + 64, th, 16 | 1 << 31]);
    ib.packet(0x50, &[2 << 20, f, fh, 0, 0, 256]);
    // WRITE_DATA to one address.
    ib.packet(0x37, &[5 << 8 | 1 << 16, t + 128, th, 1, 2, 3]);
    setup.run(Engine::Graphics, &ib);
    let mut expected = vec![0; 64];
    expected[0] = 0x0202_0202;
    (expected[2], expected[3]) = (11, 12);
    (expected[4], expected[5]) = (0x0404_0404, 0x0505_0505);
    (expected[8], expected[9]) = (0x1818_1800, 0x1919);
    expected[16..20].fill(0xabcd);
    expected[32] = 3;
    assert_eq!(setup.read(to, 64), expected);
}

#[test]
fn registers_come_in_runs_pairs_and_from_memory() {
    let mut setup = Setup::new();
    let values = setup.put(&[100, 101, 102]);
    let [low, high] = halves(values);
    let user = |n: u32| 0x240 + n;
    let mut ib = Ib::default();
    ib.sh(0xb900, &[1, 2, 3]);
    ib.packet(0x9b, &[3 << 28 | user(3), 4]);
    ib.packet(0xba, &[user(4), 5, user(6), 7]);
    ib.packet(0xbb, &[2, user(8) << 16 | user(7), 8, 9]);
    ib.packet(0x63, &[low, high, user(10), 3]);
    ib.packet(0x69, &[0x318, 0x77, 0x55]); // CB_COLOR0_BASE has 0x18, the next is not known
    let mut ring = setup.ring(Engine::Graphics);
    let refused = setup.run_on(&mut ring, &ib).expect_err("a register that is not known").to_string();
    assert!(refused.contains("SET_CONTEXT_REG at 0x") && refused.contains("register 0x28c64 is not known"), "{refused}");
    let found: Vec<u32> = (0..13).map(|n| ring.registers().get(0xb900 + 4 * n)).collect();
    assert_eq!(found, [1, 2, 3, 4, 5, 0, 7, 8, 9, 0, 100, 101, 102]);
    // CONTEXT_REG_RMW, B9, CLEAR_STATE.
    let mut ib = Ib::default();
    ib.packet(0x51, &[0x8e, 0xff00, 0x1234]).packet(0xb9, &[2, 0x106 << 16 | 0x105, 5, 9]);
    assert_eq!(setup.run_on(&mut ring, &ib).expect("it runs"), Progress::Done);
    let context = [0x2_8238, 0x2_8414, 0x2_8418];
    assert_eq!(context.map(|a| ring.registers().get(a)), [0xffff_12ff, 5, 9]);
    let mut ib = Ib::default();
    assert_eq!(setup.run_on(&mut ring, ib.packet(0x12, &[0])).expect("it runs"), Progress::Done);
    assert_eq!(context.map(|a| ring.registers().get(a)), [u32::MAX, 0, 0]);
}

#[test]
fn a_ring_waits_until_memory_has_the_value() {
    let mut setup = Setup::new();
    let (flag, to) = (setup.put(&[0x105]), setup.zeros(1));
    let [low, high] = halves(flag);
    let mut ib = Ib::default();
    ib.packet(0x3c, &[5 | 1 << 4, low, high, 7, 0xff, 4]).write(to, &[9]);
    let mut ring = setup.ring(Engine::Compute);
    assert_eq!(setup.run_on(&mut ring, &ib).expect("it runs"), Progress::Waiting);
    assert_eq!((ring.run().expect("it runs"), setup.read(to, 1)[0]), (Progress::Waiting, 0));
    setup.gpu.memory().write(flag, &[7]).expect("it is mapped");
    assert_eq!((ring.run().expect("it runs"), setup.read(to, 1)[0]), (Progress::Done, 9));
}

#[test]
fn ends_of_pipelines_write_values_and_times() {
    let mut setup = Setup::new();
    let to = setup.zeros(8);
    let [low, high] = halves(to);
    let before = timestamp();
    let mut ib = Ib::default();
    ib.packet(0x49, &[0x14 | 5 << 8, 1 << 29, low, high, 5, 6, 0]);
    ib.packet(0x49, &[0x28 | 5 << 8, 2 << 29 | 3 << 24, low + 8, high, 7, 8, 0]);
    ib.packet(0x49, &[0x2f | 6 << 8, 3 << 29, low + 16, high, 0, 0, 0]);
    ib.packet(0x40, &[9 | 5 << 8 | 1 << 16, 0, 0, low + 24, high]);
    setup.run(Engine::Compute, &ib);
    let found = setup.read(to, 8);
    assert_eq!(found[..4], [5, 0, 7, 8]);
    let time = |at: usize| u64::from(found[at]) | u64::from(found[at + 1]) << 32;
    let all = [before, time(4), time(6), timestamp()];
    assert!(all.is_sorted(), "{all:?}");
}

#[test]
fn predicated_packets_run_where_the_predicate_says_so() {
    let mut setup = Setup::new();
    let flags = setup.put(&[0, 0, 0, 1]); // 32 bits: 0; 64 bits at 8: not 0
    let to = setup.zeros(5);
    let write = |i: u64| {
        let [low, high] = halves(to + 4 * i);
        [5 << 8, low, high, 1]
    };
    let mut ib = Ib::default();
    // value that counts, runs if it is set?
    for (i, (op, offset, runs_if_set)) in [(4, 0, 1), (4, 0, 0), (3, 8, 1), (3, 8, 0)].into_iter().enumerate() {
        let [low, high] = halves(flags + offset);
        ib.packet(0x20, &[op << 16 | runs_if_set << 8, low, high]).predicated(0x37, &write(i as u64));
    }
    ib.packet(0x20, &[0, 0, 0]).predicated(0x37, &write(4));
    setup.run(Engine::Graphics, &ib);
    assert_eq!(setup.read(to, 5), [0, 1, 1, 0, 1]);
}

#[test]
fn occlusion_queries_find_a_count_for_each_backend() {
    let mut setup = Setup::new();
    let to = setup.zeros(8);
    let [low, high] = halves(to);
    let mut ib = Ib::default();
    setup.run(Engine::Graphics, ib.packet(0x46, &[0x39 | 1 << 8, low, high]));
    assert_eq!(setup.read(to, 8), [0, 1 << 31, 0, 0, 0, 1 << 31, 0, 0]);
    // The same by a packet of its own (Mesa 25).
    let other = setup.zeros(8);
    let [low, high] = halves(other);
    setup.run(Engine::Graphics, Ib::default().packet(0xb1, &[low, high]));
    assert_eq!(setup.read(other, 8), [0, 1 << 31, 0, 0, 0, 1 << 31, 0, 0]);
}

#[test]
fn what_is_not_understood_is_named() {
    let mut setup = Setup::new();
    let cases: &[(Engine, u8, &[u32], &str)] = &[
        (Engine::Graphics, 0x2d, &[3, 2], "graphics ring: DRAW_INDEX_AUTO at 0x"),
        (Engine::Graphics, 0x2d, &[3, 2], "only NGG is supported"),
        (Engine::Compute, 0x69, &[0, 0], "SET_CONTEXT_REG at"),
        (Engine::Compute, 0x69, &[0, 0], "only the graphics ring has it"),
        (Engine::Graphics, 0xfe, &[0], "packet 0xc000fe00 at 0x"),
        (Engine::Graphics, 0xfe, &[0], "opcode 0xfe is not known"),
        (Engine::Graphics, 0x15, &[1, 1, 1, 1 | 1 << 20], "initiator: bits 0x100000"),
        (Engine::Graphics, 0x15, &[1, 1, 1], "a body of 3 dwords: expected 4 to 4"),
        (Engine::Graphics, 0x15, &[1, 1, 1, 5], "COMPUTE_NUM_THREAD_X: a workgroup of 0 work-items"),
        (Engine::Graphics, 0x46, &[0x3f], "event 0x3f is not known"),
        (Engine::Graphics, 0x3f, &[0, 0, 1 << 30], "bits 0x40000000"),
        (Engine::Graphics, 0x3f, &[0, 9, 4], "cannot be read"),
        (Engine::Graphics, 0x20, &[1 << 16, 0, 0], "predicate 1"),
        (Engine::Graphics, 0x49, &[0x28, 5 << 29, 0, 0, 0, 0, 0], "data 5"),
        (Engine::Graphics, 0x40, &[3, 0, 0, 0, 0], "source 3"),
        (Engine::Graphics, 0x76, &[0x212, 1 << 25], "COMPUTE_PGM_RSRC1: bits 0x2000000"),
    ];
    for (engine, opcode, body, part) in cases {
        let mut ib = Ib::default();
        let message = setup.error(*engine, ib.packet(*opcode, body));
        assert!(message.contains(part), "{part}: {message}");
    }
    // One that is longer than its buffer; one that calls itself.
    let message = setup.error(Engine::Compute, &Ib(vec![0xc003_3700, 0]));
    assert!(message.contains("its buffer ends after 2"), "{message}");
    let place = setup.zeros(8);
    let [low, high] = halves(place);
    let bytes: Vec<u8> = [0xc002_3f00, low, high, 4].iter().flat_map(|w: &u32| w.to_le_bytes()).collect();
    setup.gpu.memory().write(place, &bytes).expect("it is mapped");
    let mut ring = setup.ring(Engine::Compute);
    ring.start(place, 4);
    assert!(ring.run().expect_err("a loop").to_string().contains("calls 4 deep"));
}

#[test]
fn the_copy_engine_copies_fills_and_writes() {
    let mut setup = Setup::new();
    let from = setup.put(&(0..64).collect::<Vec<_>>());
    let to = setup.zeros(64);
    let ([f, fh], [t, th]) = (halves(from), halves(to));
    let ib = [
        vec![1 << 16, 0],                             // NOP with a dword
        vec![1, 4 * 4 - 1, 0, f + 4, fh, t, th],      // four dwords
        vec![0xb | 2 << 30, t + 16, th, 0x55, 8 - 1], // two dwords
        vec![2, t + 24, th, 1, 70, 71],               // two dwords of data
        vec![5, t + 32, th, 99],                      // fence
        // 2 x 2 dwords at (1, 1) of a picture 8 wide, to (0, 0) of one 4 wide.
        vec![1 | 4 << 8 | 2 << 29, f, fh, 1 | 1 << 16, 7 << 13, 63, t + 64, th, 0, 3 << 13, 15, 1 | 1 << 16, 0],
    ];
    let ib = ib.concat();
    let at = setup.put(&ib);
    let mut ring = SdmaRing::new(setup.gpu.clone());
    ring.start(at, ib.len() as u32);
    assert_eq!(ring.run().expect("it runs"), Progress::Done);
    let mut expected = vec![1, 2, 3, 4, 0x55, 0x55, 70, 71, 99];
    expected.resize(64, 0);
    (expected[16], expected[17], expected[20], expected[21]) = (9, 10, 17, 18);
    assert_eq!(setup.read(to, 64), expected);
    let at = setup.put(&[0x1234]);
    ring.start(at, 1);
    let message = ring.run().expect_err("it is refused").to_string();
    assert!(message.starts_with("SDMA ring: packet 0x00001234") && message.contains("operation 0x34.0x12 is not known"), "{message}");
}

/// Whatever is in a buffer, a ring ends with an error or at its end, and touches no memory but the guest's.
#[test]
fn random_buffers_end() {
    let mut random = Random(13);
    let mut setup = Setup::with(Options { max_insts: 10_000, ..Default::default() });
    let opcodes: Vec<u8> = (0x10..=0x60).chain(0x60..=0x7f).chain(0x90..=0xbf).collect();
    let near = setup.zeros(1024);
    for _ in 0..3000 {
        let mut ib = Ib::default();
        for _ in 0..random.below(6) + 1 {
            let opcode = random.pick(&opcodes);
            let mut body = vec![0; random.below(8) as usize + 1];
            for word in &mut body {
                *word = match random.below(4) {
                    0 => random.u32(),
                    1 => 1 << random.below(32),
                    2 => near as u32 + 4 * random.below(1024),
                    _ => random.below(256),
                };
            }
            if random.one_in(2) && body.len() > 2 {
                body[2] = (near >> 32) as u32;
            }
            ib.packet(opcode, &body);
        }
        if random.one_in(3) {
            let at = random.below(ib.0.len() as u32) as usize;
            ib.0[at] ^= 1 << random.below(32);
        }
        let engine = random.pick(&[Engine::Graphics, Engine::Compute]);
        let bytes: Vec<u8> = ib.0.iter().flat_map(|w| w.to_le_bytes()).collect();
        let buffer = setup.device.upload(&bytes).expect("memory");
        let mut ring = setup.ring(engine);
        ring.start(buffer.address(), ib.0.len() as u32);
        let _ = ring.run();
        let mut ring = SdmaRing::new(setup.gpu.clone());
        ring.start(buffer.address(), ib.0.len() as u32);
        let _ = ring.run();
    }
}
