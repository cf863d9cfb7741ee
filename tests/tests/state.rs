//! Wave state against the requirements, on `shaders/state.s`: each kernel stores rows of dwords, one per lane. Expected values are worked out
//! from the requirement that stands beside them (`docs/requirements.md`), for both engines.

use wavejit::{Arg, Engine, Launch};
use wavejit_tests::case::{Setting, device, from_bytes};
use wavejit_tests::code_object;

/// What a row holds: the same in every lane, or a function of the lane.
#[derive(Clone, Copy)]
enum Row {
    All(u32),
    Lane(fn(u32) -> u32),
}
use Row::{All, Lane};

/// Runs a kernel on one workgroup of 32 work-items and compares its rows.
fn check(kernel: &str, rows: &[Row]) {
    for engine in [Engine::Jit, Engine::Interp, Engine::Tiered] {
        let got = run(kernel, engine, [32, 1, 1], [32, 1, 1], rows.len());
        for (i, row) in rows.iter().enumerate() {
            let want: Vec<u32> = (0..32).map(|l| if let Lane(f) = row { f(l) } else { value(*row) }).collect();
            assert_eq!(got[32 * i..32 * i + 32], want, "{kernel}, row {i}, {engine:?}");
        }
    }
}

fn value(row: Row) -> u32 {
    if let All(x) = row { x } else { 0 }
}

fn run(kernel: &str, engine: Engine, grid: [u32; 3], group: [u32; 3], rows: usize) -> Vec<u32> {
    let device = device(Setting { engine, threads: 1 }).expect("a device");
    let module = device.load(&code_object("state.gfx1100.wave32.hsaco")).expect("loads");
    let buffer = device.upload(&vec![0; rows * 128]).expect("memory");
    let args = [Arg::Buffer(&buffer)];
    let kernel = module.kernel(kernel).expect("there");
    kernel.launch(&Launch::new(grid, group, &args)).unwrap_or_else(|e| panic!("{engine:?}: {e}"));
    let mut bytes = vec![0; rows * 128];
    buffer.read(0, &mut bytes).expect("readable");
    from_bytes(&bytes)
}

#[test]
fn program_counter() {
    // STATE-03, STATE-04: two getpc 8 bytes apart; the branch skips; the return address is the instruction after the call
    check("program_counter", &[All(8), All(0), All(0), All(77)]);
}

#[test]
fn exec() {
    check(
        "exec",
        &[
            Lane(|l| if 0x0f0f >> l & 1 == 1 { 5 } else { 1 }), // STATE-06: vector writes
            All(9),                                             // STATE-06: scalar instructions run
            All(0),                                             // STATE-07, STATE-08: EXECZ looks at the low half
            All(0),                                             // STATE-12: compares still write their mask
            All(100),                                           // STATE-13: readfirstlane without a lane
            All(103),                                           // STATE-13: lane 35 is lane 3
            Lane(|l| if l == 1 { 7 } else { 3 }),               // STATE-13: writelane ignores EXEC, lane 33 is lane 1
            All(0x00ff_00f0),                                   // STATE-36
            All(0x3f),                                          // STATE-09
            All(u32::MAX),
            All(0xff),
            All(0x3c), // STATE-24
        ],
    );
}

#[test]
fn scalar_condition_code() {
    // STATE-35: carry, signed overflow, borrow, not zero; moves leave it
    let scc = [1, 0, 1, 1, 0, 1, 0, 1, 1].map(All);
    check("scc", &[&scc[..], &[All(0), All(7), All(1), All(5)]].concat());
}

#[test]
fn vector_condition_code() {
    // STATE-37: VCCZ follows VCC; STATE-17: selects and carries read it, scalar code sees a register
    let carry = |l: u32| l + u32::from(l > 0);
    check("vcc", &[All(3), Lane(|l| if l == 3 { 11 } else { 22 }), All(8), All(0x123c), Lane(carry)]);
}

#[test]
fn trap_registers_are_out_of_reach() {
    // STATE-22, STATE-23
    check("trap_registers", &[All(1), All(0)]);
}

#[test]
fn mode() {
    // STATE-40; HSA kernels start with all denormals kept and rounding to nearest
    let one = 1f32.to_bits();
    check("mode", &[All(0xf), All(one + 1), All(one), All(3), All(one + 1), All(0x0080_0000), All(0), All(0x0040_0000)]);
}

#[test]
fn relative_registers() {
    // STATE-27: scalar indices; out of range reads s0 and writes nothing, as vector ones do with v0 (filetests/registers.txt)
    let rows = [All(202), All(22), Lane(|l| 500 + l), All(555), All(2), Lane(|l| l), All(0), All(20), All(200)];
    check("relative", &rows);
}

#[test]
fn start_of_a_wave() {
    // INIT-01: EXEC is the live lanes; INIT-12: packed item ids; INIT-13: the rest is 0; the order of SGPRs is in tests/exact/start.rs
    for engine in [Engine::Jit, Engine::Interp, Engine::Tiered] {
        // one workgroup of 5 x 2 x 2 items: a partial wave
        let got = run("start", engine, [5, 2, 2], [5, 2, 2], 7);
        // items of equal x store to the same place; the last of them wins
        for x in 0..5 {
            assert_eq!(got[96 + x], x as u32 | 1 << 10 | 1 << 20, "{engine:?}");
            assert_eq!(got[128 + x], 0xf_ffff, "{engine:?}");
            assert_eq!([got[160 + x], got[192 + x]], [0, 0], "{engine:?}");
        }
        assert_eq!(got[96 + 5], 0);
        // a single workgroup in y and z
        let got = run("start", engine, [32, 1, 1], [32, 1, 1], 7);
        assert_eq!([got[0], got[32], got[64]], [0; 3], "{engine:?}");
    }
}

#[test]
fn lds_addresses() {
    // LDS-03, LDS-04: dword i holds i in each byte
    let dword = 0x0101_0101u32;
    check("lds_addresses", &[All(10), All(0x0b0b), All(8 * dword), All(5 * dword), All(17 * dword), All(77), All(88), All(22 * dword)]);
}
