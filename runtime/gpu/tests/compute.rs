//! Dispatches from registers: which work-items run, with which ids, in which waves.

mod common;

use common::{Ib, Setup, halves, init, reg};
use wavejit_gpu::{Engine, Options};

/// Adds 1 + 256 * workgroup id to the dword of a work-item in a box of `WIDTH` x `HEIGHT` x `DEPTH`.
/// s[0:1] the box, s2 work-items of a workgroup in x, s3 in y; s4 to s6 workgroup ids; v0 packed work-item ids. INIT-03, INIT-04.
const MARK: &str = "
    v_and_b32 v1, 0x3ff, v0
    v_bfe_u32 v2, v0, 10, 10
    v_bfe_u32 v3, v0, 20, 10
    s_mul_i32 s8, s4, s2
    s_mul_i32 s9, s5, s3
    v_add_nc_u32 v1, s8, v1
    v_add_nc_u32 v2, s9, v2
    v_add_nc_u32 v3, s6, v3
    v_lshl_add_u32 v2, v3, 4, v2
    v_lshl_add_u32 v1, v2, 6, v1
    v_lshlrev_b32 v1, 2, v1
    s_lshl_b32 s8, s4, 8
    s_add_i32 s8, s8, 1
    v_mov_b32 v4, s8
    global_atomic_add_u32 v1, v4, s[0:1]
    s_endpgm";
const WIDTH: usize = 64;
const HEIGHT: usize = 16;
const DEPTH: usize = 4;

/// The box that a dispatch of the workgroups from `start` to `end` leaves, with `items` work-items in each dimension altogether.
fn marked(start: [u32; 3], items: [u32; 3], group: [u32; 3]) -> Vec<u32> {
    let mut all = vec![0; WIDTH * HEIGHT * DEPTH];
    for z in start[2] * group[2]..items[2] {
        for y in start[1] * group[1]..items[1] {
            for x in start[0] * group[0]..items[0] {
                all[(z as usize * HEIGHT + y as usize) * WIDTH + x as usize] = 1 + 256 * (x / group[0]);
            }
        }
    }
    all
}

struct Case {
    group: [u32; 3],
    partial: [u32; 3],
    start: [u32; 3],
    sizes: [u32; 3],
    flags: u32,
    items: [u32; 3],
}

#[test]
fn the_work_items_that_registers_and_initiator_say_run_once() {
    let whole = Case { group: [8, 4, 1], partial: [8, 4, 1], start: [0; 3], sizes: [3, 2, 2], flags: init::FROM_ZERO, items: [24, 8, 2] };
    let cases = [
        Case { ..whole },
        Case { flags: init::FROM_ZERO | init::IN_ORDER, start: [7, 7, 7], ..whole },
        // The last workgroup of each dimension is smaller.
        Case { partial: [3, 1, 1], flags: init::FROM_ZERO | init::PARTIAL, items: [19, 5, 2], ..whole },
        // Sizes are ends.
        Case { start: [1, 0, 1], flags: 0, ..whole },
        Case { start: [2, 1, 0], partial: [5, 2, 1], flags: init::PARTIAL, items: [21, 6, 2], ..whole },
        // Sizes count work-items.
        Case { sizes: [50, 7, 3], flags: init::FROM_ZERO | init::WORK_ITEMS, items: [50, 7, 3], ..whole },
        // Nothing.
        Case { sizes: [3, 0, 2], items: [0; 3], ..whole },
        Case { start: [3, 0, 0], flags: 0, items: [0; 3], ..whole },
    ];
    let mut setup = Setup::new();
    let code = setup.code(MARK);
    for (i, case) in cases.iter().enumerate() {
        for engine in [Engine::Graphics, Engine::Compute] {
            for wave32 in [0, init::WAVE32] {
                let to = setup.zeros(WIDTH * HEIGHT * DEPTH);
                let [low, high] = halves(to);
                let threads = [0, 1, 2].map(|d| case.group[d] | case.partial[d] << 16);
                let mut ib = Ib::default();
                ib.shader(code, &[low, high, case.group[0], case.group[1]], threads).sh(reg::COMPUTE_START_X, &case.start);
                setup.run(engine, ib.dispatch(case.sizes, init::ENABLE | case.flags | wave32));
                let found = setup.read(to, WIDTH * HEIGHT * DEPTH);
                let start = if case.flags & init::FROM_ZERO != 0 { [0; 3] } else { case.start };
                assert!(found == marked(start, case.items, case.group), "case {i}, {engine}, {wave32:#x}");
            }
        }
    }
}

#[test]
fn indirect_dispatches_take_their_sizes_from_memory() {
    let mut setup = Setup::new();
    let code = setup.code(MARK);
    let sizes = setup.put(&[9, 9, 2, 3, 1]);
    for engine in [Engine::Graphics, Engine::Compute] {
        let to = setup.zeros(WIDTH * HEIGHT * DEPTH);
        let [low, high] = halves(to);
        let mut ib = Ib::default();
        ib.shader(code, &[low, high, 8, 4], [8, 4, 1]);
        let initiator = init::ENABLE | init::FROM_ZERO;
        if engine == Engine::Graphics {
            let [low, high] = halves(sizes);
            ib.packet(0x11, &[1, low, high]).packet(0x16, &[8, initiator]);
        } else {
            let [low, high] = halves(sizes + 8);
            ib.packet(0x16, &[low, high, initiator]);
        }
        setup.run(engine, &ib);
        assert!(setup.read(to, WIDTH * HEIGHT * DEPTH) == marked([0; 3], [16, 12, 1], [8, 4, 1]), "{engine}");
    }
}

#[test]
fn lds_and_scratch_are_as_registers_say() {
    // A work-item puts its number into scratch and LDS, and reads what the one opposite has put into LDS. 64 work-items, 256 bytes of LDS.
    let text = "
        v_lshlrev_b32 v1, 2, v0
        scratch_store_b32 off, v0, off offset:12
        v_xor_b32 v2, 63, v0
        ds_store_b32 v1, v0
        s_waitcnt lgkmcnt(0)
        s_barrier
        v_lshlrev_b32 v2, 2, v2
        ds_load_b32 v3, v2
        scratch_load_b32 v4, off, off offset:12
        s_waitcnt vmcnt(0) lgkmcnt(0)
        v_mul_u32_u24 v4, 0x3e8, v4
        v_add_nc_u32 v3, v3, v4
        global_store_b32 v1, v3, s[0:1]
        s_endpgm";
    let mut setup = Setup::new();
    let code = setup.code(text);
    let to = setup.zeros(64);
    let mut ib = Ib::default();
    ib.shader(code, &halves(to), [64, 1, 1]);
    // SCRATCH_EN, one block of LDS; 512 bytes of scratch for a wave of 32.
    ib.sh(reg::COMPUTE_PGM_RSRC1 + 4, &[1 | 2 << 1 | 1 << 15]).sh(reg::COMPUTE_TMPRING_SIZE, &[2 << 12 | 1]);
    setup.run(Engine::Compute, ib.dispatch([1, 1, 1], init::ENABLE | init::FROM_ZERO | init::WAVE32));
    let expected: Vec<u32> = (0..64).map(|i| (63 - i) + 1000 * i).collect();
    assert_eq!(setup.read(to, 64), expected);
}

/// Stores a number to where s[0:1] points.
fn store(number: u32) -> String {
    format!("v_mov_b32 v1, {number}\nv_mov_b32 v2, 0\nglobal_store_b32 v2, v1, s[0:1]\ns_endpgm")
}

#[test]
fn code_that_a_ring_has_changed_is_translated_again() {
    let mut setup = Setup::new();
    let first = setup.code(&store(0x1111));
    let second = setup.code(&store(0x2222));
    let to = setup.zeros(2);
    let mut ib = Ib::default();
    let initiator = init::ENABLE | init::FROM_ZERO | init::WAVE32;
    ib.shader(first, &halves(to), [1, 1, 1]).dispatch([1, 1, 1], initiator);
    // Eight dwords of the second shader over the first, by DMA_DATA.
    let ([from_low, from_high], [to_low, to_high]) = (halves(second), halves(first));
    ib.packet(0x50, &[0, from_low, from_high, to_low, to_high, 24]);
    ib.sh(reg::COMPUTE_USER_DATA, &halves(to + 4)).dispatch([1, 1, 1], initiator);
    setup.run(Engine::Graphics, &ib);
    assert_eq!(setup.read(to, 2), [0x1111, 0x2222]);
}

#[test]
fn faults_say_which_shader_and_dispatch() {
    let mut setup = Setup::with(Options { max_insts: 10_000, ..Default::default() });
    let wild = setup.code(&store(1));
    let endless = setup.code("s_branch -1");
    let unknown = setup.put(&[0xffff_ffff]);
    let mut message = |code: u64| {
        let mut ib = Ib::default();
        ib.shader(code, &[0x40, 0], [1, 1, 1]).dispatch([2, 1, 1], init::ENABLE | init::FROM_ZERO | init::WAVE32);
        setup.error(Engine::Compute, &ib)
    };
    let text = message(wild);
    for part in [
        "compute ring: DISPATCH_DIRECT at 0x",
        "memory fault",
        "global_store_b32",
        "lane 0",
        "address 0x40 ",
        "2 x 1 x 1 workgroups",
        "hash",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(message(endless).contains("instruction budget of 10000 used up"));
    assert!(message(unknown).contains("no such instruction on gfx1100: "), "{}", message(unknown));
    assert!(message(0x100).contains("no code at 0x100"), "{}", message(0x100));
}

#[test]
fn invocations_are_counted_while_statistics_are() {
    let mut setup = Setup::new();
    let code = setup.code("s_endpgm");
    let to = setup.zeros(28);
    let [low, high] = halves(to);
    let initiator = init::ENABLE | init::FROM_ZERO | init::PARTIAL;
    let mut ib = Ib::default();
    ib.shader(code, &[], [32 | 7 << 16, 2 | 2 << 16, 1 | 1 << 16]);
    ib.sh(0xb828, &[1]).dispatch([3, 1, 1], initiator);
    ib.packet(0x46, &[0x1a]).dispatch([9, 1, 1], initiator).packet(0x46, &[0x19]);
    ib.packet(0x46, &[0x1e | 2 << 8, low, high]);
    setup.run(Engine::Graphics, &ib);
    let mut expected = vec![0; 28];
    expected[20] = (32 + 32 + 7) * 2;
    assert_eq!(setup.read(to, 28), expected);
}
