use super::*;
use crate::abi::{Counter, Helpers, MemOp, NO_ROW, ProbeCall, ResourceCall, TEMP_ROW, WaveState};
use crate::text::parse;
use crate::verify::verify;
use crate::{AtomicOp, MemKind, Space};

/// A wave with its rows, and a helper table that records calls.
struct Fixture {
    state: Box<WaveState>,
    rows: Vec<u32>,
}

/// What the test helpers saw, behind `WaveState::ctx`.
#[derive(Default)]
struct Calls {
    ops: Vec<(&'static str, MemOp, u64, u64)>,
    /// Rows of address and data at the time of the call, lane 1.
    lane1: Vec<u32>,
    /// Probes: number, EXEC, scalars, and lane 1 of its rows.
    probes: Vec<(u32, u64, Vec<u64>, Vec<u32>)>,
    fault: bool,
}

impl Fixture {
    fn new(wave_size: u32) -> Fixture {
        let mut rows = vec![0; (u32::from(TEMP_ROW) + INTERP_TEMP_ROWS) as usize * wave_size as usize];
        // SAFETY: integers and raw pointers, for which zero is a value.
        let mut state: Box<WaveState> = Box::new(unsafe { std::mem::zeroed() });
        state.rows = rows.as_mut_ptr();
        state.helpers = &HELPERS;
        state.wave_size = wave_size;
        state.fuel = 1000;
        state.sregs[126] = u32::MAX;
        state.sregs[127] = u32::MAX;
        Fixture { state, rows }
    }

    fn row(&mut self, row: usize) -> &mut [u32] {
        let lanes = self.state.wave_size as usize;
        &mut self.rows[row * lanes..][..lanes]
    }

    fn run(&mut self, text: &str) -> Exit {
        let func = parse(text).unwrap_or_else(|e| panic!("{e}"));
        verify(&func).unwrap_or_else(|e| panic!("{e}"));
        self.state.rows = self.rows.as_mut_ptr();
        // SAFETY: `new` made the rows, and the helpers accept any state of a fixture.
        unsafe { run(&func, &mut self.state) }
    }

    /// Runs one block of a wave of this size.
    fn block(&mut self, body: &str) -> Exit {
        let text = format!("func \"f\" wave{} {{\nb0 pc=0x100 mode=0x3f0 insts=1:\n{body}\nend\n}}", self.state.wave_size);
        self.run(&text)
    }
}

fn record(state: *mut WaveState, name: &'static str, op: *const MemOp, exec: u64, base: u64) -> u32 {
    // SAFETY: the interpreter passes its state and an operation; `ctx` is null or a `Calls`.
    let (state, op) = unsafe { (&mut *state, *op) };
    let lanes = state.wave_size as usize;
    // SAFETY: rows named by the operation exist.
    let at = |row: u16, lane: usize| unsafe { &mut *state.rows.add(usize::from(row) * lanes + lane) };
    // SAFETY: tests that make memory accesses set `ctx`.
    let calls = unsafe { &mut *state.ctx.cast::<Calls>() };
    calls.ops.push((name, op, exec, base));
    calls.lane1.extend(op.offset.iter().chain(&op.data).filter(|r| **r != NO_ROW).map(|r| *at(*r, 1)));
    for (i, row) in op.dst.iter().enumerate().filter(|(_, r)| **r != NO_ROW) {
        (0..lanes).filter(|lane| exec >> lane & 1 != 0).for_each(|lane| *at(*row, lane) = (i * 100 + lane) as u32);
    }
    calls.fault.into()
}

unsafe extern "C" fn load(s: *mut WaveState, op: *const MemOp, exec: u64, base: u64) -> u32 {
    record(s, "load", op, exec, base)
}
unsafe extern "C" fn store(s: *mut WaveState, op: *const MemOp, exec: u64, base: u64) -> u32 {
    record(s, "store", op, exec, base)
}
unsafe extern "C" fn atomic(s: *mut WaveState, op: *const MemOp, exec: u64, base: u64) -> u32 {
    record(s, "atomic", op, exec, base)
}
/// Dword i is the low half of the address plus i.
unsafe extern "C" fn sload(s: *mut WaveState, addr: u64, dwords: u32, _pc: u64) -> u32 {
    // SAFETY: the interpreter passes its state.
    let s = unsafe { &mut *s };
    (0..dwords as usize).for_each(|i| s.slots[i] = 0xffff_ffff_0000_0000 | (addr + i as u64));
    0
}
/// Dword i is the offset plus dword 3 of the descriptor plus i.
unsafe extern "C" fn sbuffer_load(s: *mut WaveState, offset: u64, dwords: u32, _pc: u64) -> u32 {
    // SAFETY: the interpreter passes its state.
    let s = unsafe { &mut *s };
    let d3 = s.slots[3];
    (0..dwords as usize).for_each(|i| s.slots[i] = offset + d3 + i as u64);
    0
}
unsafe extern "C" fn getreg(_: *mut WaveState, id: u32) -> u32 {
    id * 2
}
unsafe extern "C" fn setreg(s: *mut WaveState, id: u32, value: u32) {
    // SAFETY: the interpreter passes its state.
    unsafe { (*s).sregs[id as usize] = value }
}
unsafe extern "C" fn sendmsg(s: *mut WaveState, simm: u32, m0: u32) {
    // SAFETY: the interpreter passes its state.
    unsafe { (*s).sregs[5] = simm + m0 }
}
unsafe extern "C" fn sendmsg_rtn(_: *mut WaveState, msg: u32) -> u64 {
    u64::from(msg) << 32
}
unsafe extern "C" fn time(_: *mut WaveState, realtime: u32) -> u64 {
    7 + u64::from(realtime)
}

/// Results: scalar operand + sum of the lane operands; the second result one more.
unsafe extern "C" fn resource(s: *mut WaveState, call: *const ResourceCall, exec: u64) -> u32 {
    // SAFETY: the interpreter passes its state and a call that lives long enough.
    unsafe {
        let (state, call) = (&*s, &*call);
        let site = &*call.site;
        let n = usize::from(site.addresses + site.data);
        let row = |i: usize| state.rows.add(usize::from(call.rows[i]) * state.wave_size as usize);
        for lane in (0..state.wave_size as usize).filter(|l| exec >> l & 1 != 0) {
            let sum: u32 = (0..n).map(|i| *row(i).add(lane)).sum();
            for r in 0..usize::from(site.results) {
                *row(n + r).add(lane) = sum + state.slots[4] as u32 + r as u32;
            }
        }
    }
    0
}

unsafe extern "C" fn gws(s: *mut WaveState, op: u32, resource: u32, value: u32) {
    // SAFETY: the interpreter passes its state.
    unsafe { (*s).sregs[6] = op + resource + value }
}

unsafe extern "C" fn probe(s: *mut WaveState, call: *const ProbeCall, exec: u64) -> u32 {
    // SAFETY: as in `record`.
    let (s, call) = unsafe { (&mut *s, &*call) };
    // SAFETY: as in `record`.
    let (calls, lanes) = (unsafe { &mut *s.ctx.cast::<Calls>() }, s.wave_size as usize);
    // SAFETY: rows named by the call exist.
    let lane1 = |row: &u16| unsafe { *s.rows.add(usize::from(*row) * lanes + 1) };
    let rows = call.rows.iter().filter(|r| **r != NO_ROW).map(lane1).collect();
    calls.probes.push((call.id, exec, s.slots[..call.scalars as usize].to_vec(), rows));
    calls.fault.into()
}

static HELPERS: Helpers = Helpers {
    load,
    store,
    atomic,
    exchange_sum: atomic,
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
    export: probe,
};

#[test]
fn vset_writes_the_lanes_of_its_exec_only() {
    let mut f = Fixture::new(32);
    f.row(1).fill(9);
    f.state.sregs[126] = 0b1010;
    assert_eq!(f.block("%0: mask = exec\n%1: l32 = laneid\nvset v1, %1, exec %0"), Exit::End);
    assert_eq!(f.row(1)[..6], [9, 1, 9, 3, 9, 9]);
}

#[test]
fn exec_is_one_word_in_wave32_and_two_in_wave64() {
    let body = "%0: mask = exec\n%1: s64 = maskbits %0\n%2: s32 = hi.64 %1\nsset s0, %2\n%3: mask = not.1 %0\nsetexec %3";
    let mut f = Fixture::new(32);
    f.state.sregs[127] = 0x1234;
    f.state.sregs[126] = 0xf;
    f.block(body);
    assert_eq!((f.state.sregs[0], f.state.sregs[126], f.state.sregs[127]), (0, !0xf, 0x1234));
    let mut f = Fixture::new(64);
    f.state.sregs[127] = 0x1234;
    f.state.sregs[126] = 0xf;
    f.block(body);
    assert_eq!((f.state.sregs[0], f.state.sregs[126], f.state.sregs[127]), (0x1234, !0xf, !0x1234));
}

#[test]
fn masks_have_no_bits_beyond_the_wave() {
    let mut f = Fixture::new(32);
    f.block(
        "%0: s1 = const.1 1\n%1: mask = splat %0\n%2: s64 = maskbits %1\n%3: s32 = lo.64 %2\n%4: s32 = hi.64 %2\nsset s0, %3\nsset s1, %4
         %5: s64 = const.64 0xffffffffffffffff\n%6: mask = bitsmask %5\n%7: s64 = maskbits %6\n%8: s32 = hi.64 %7\nsset s2, %8",
    );
    assert_eq!(f.state.sregs[..3], [u32::MAX, 0, 0]);
}

#[test]
fn pure_operations_run_once_or_once_a_lane() {
    let mut f = Fixture::new(32);
    f.block(
        "%0: mask = exec\n%1: l32 = laneid\n%2: s32 = const.32 3\n%3: l32 = splat %2\n%4: l32 = iadd.32 %1, %3\nvset v0, %4, exec %0
         %5: s32 = iadd.32 %2, %2\nsset s0, %5
         %6: mask = ult.32 %1, %3\n%7: l32 = sel.32 %6, %1, %4\nvset v1, %7, exec %0\n%8: s64 = maskbits %6\n%9: s32 = lo.64 %8\nsset s1, %9
         %10: s1 = ult.32 %2, %5\nsset scc, %10",
    );
    assert_eq!(f.row(0)[31], 34);
    assert_eq!(f.row(1)[..5], [0, 1, 2, 6, 7]);
    assert_eq!(f.state.sregs[..2], [6, 7]);
    assert_eq!(f.state.sregs[128], 1);
}

#[test]
fn cross_lane_operations_ignore_exec_except_where_they_name_it() {
    let mut f = Fixture::new(32);
    f.state.sregs[126] = 0b1100;
    f.state.sregs[9] = 37; // lane 5 of 32
    f.state.sregs[10] = 77;
    for (lane, x) in f.row(0).iter_mut().enumerate() {
        *x = 100 + lane as u32;
    }
    f.row(1)[..4].copy_from_slice(&[33, 0, 7, 7]); // lane numbers
    f.block(
        "%0: mask = exec\n%1: s1 = const.1 1\n%2: mask = splat %1\n%3: l32 = vget v0\n%4: l32 = vget v1\n%5: s32 = sget s9\n%6: s32 = sget s10
         %7: s32 = readlane %3, %5\nsset s0, %7\n%8: s32 = readfirstlane %3, exec %0\nsset s1, %8
         %9: l32 = writelane %3, %6, %5\nvset v2, %9, exec %2\n%10: l32 = shuffle %3, %4\nvset v3, %10, exec %2
         %11: l32 = permute %3, %4, exec %0\nvset v4, %11, exec %2
         %12: mask = andn.1 %0, %0\n%13: s32 = readfirstlane %3, exec %12\nsset s2, %13",
    );
    assert_eq!(f.state.sregs[..3], [105, 102, 100]);
    assert_eq!(f.row(2)[4..7], [104, 77, 106]);
    assert_eq!(f.row(3)[..4], [101, 100, 107, 107]);
    // Lanes 2 and 3 both go to lane 7; the highest wins. Everything else is 0.
    assert_eq!(f.row(4)[..8], [0, 0, 0, 0, 0, 0, 0, 103]);
}

#[test]
fn relative_registers_outside_the_range_read_the_first_and_write_nothing() {
    let mut f = Fixture::new(32);
    f.row(0).fill(1000);
    f.row(7).fill(7);
    f.state.sregs[0] = 2000;
    f.state.sregs[9] = 9;
    let body = "%0: mask = exec\n%1: s32 = sget m0\n%2: l32 = vgetrel v5, %1\nvset v1, %2, exec %0\n%3: s32 = sgetrel s7, %1\nsset s1, %3
                vsetrel v10, %1, %2, exec %0\nssetrel s10, %1, %1";
    f.state.sregs[124] = 2;
    f.block(body);
    assert_eq!((f.row(1)[0], f.row(12)[31], f.state.sregs[1], f.state.sregs[12]), (7, 7, 9, 2));
    f.state.sregs[124] = 251;
    let before = f.state.sregs;
    f.block(body);
    assert_eq!((f.row(1)[0], f.state.sregs[1]), (1000, 2000));
    assert_eq!(f.state.sregs[2..], before[2..]);
}

#[test]
fn memory_operands_reach_the_helper_in_rows() {
    let mut f = Fixture::new(32);
    let mut calls = Calls::default();
    f.state.ctx = (&raw mut calls).cast();
    f.state.sregs[126] = 0b110;
    f.state.sregs[127] = 0;
    f.block(
        "%0: mask = exec\n%1: l32 = laneid\n%2: s64 = const.64 0x1000\n%3: l64 = smulw.32 %1, %1\n%9: s1 = const.1 1\n%10: mask = splat %9
         %4 %5: l32 = load global.b64 [%2 + lane %3 - 8], exec %0 @0x108\nvset v1, %4, exec %10\nvset v2, %5, exec %10
         store lds.u8 [lane %1 + 3], %1, exec %0
         %6 %7: l32 = atomic.rtn global.cmpswap.64 [%2], %1 %1 %5 %5, exec %0\nvset v3, %7, exec %0",
    );
    assert_eq!(f.row(1)[..4], [POISON, 1, 2, POISON]);
    assert_eq!(f.row(2)[..4], [POISON, 101, 102, POISON]);
    assert_eq!(f.row(3)[..4], [0, 101, 102, 0]);
    let [(n0, load, e0, b0), (n1, store, e1, b1), (n2, atomic, _, b2)] = calls.ops[..] else { panic!("three calls") };
    assert_eq!((n0, e0, b0, n1, e1, b1, n2, b2), ("load", 0b110, 0x1000, "store", 0b110, 0, "atomic", 0x1000));
    assert_eq!((load.pc, load.imm, load.space, load.kind), (0x108, -8, Space::Global as u8, MemKind::B64 as u8));
    assert!(load.offset.iter().all(|r| *r >= TEMP_ROW && *r != NO_ROW) && load.data == [NO_ROW; 4]);
    assert_eq!((store.imm, store.space, store.kind, store.offset[1]), (3, Space::Lds as u8, MemKind::U8 as u8, NO_ROW));
    assert_eq!((atomic.atomic, atomic.flags, atomic.offset), (AtomicOp::CmpSwap as u8, 3, [NO_ROW; 2]));
    // Load: address 1, high 0. Store: address 1, data 1. Atomic: data 1 1, comparand 101 101.
    assert_eq!(calls.lane1, [1, 0, 1, 1, 1, 1, 101, 101]);
}

#[test]
fn a_fault_ends_the_run() {
    let mut f = Fixture::new(32);
    let mut calls = Calls { fault: true, ..Calls::default() };
    f.state.ctx = (&raw mut calls).cast();
    assert_eq!(f.block("%0: mask = exec\n%1: l32 = laneid\nstore lds.b32 [lane %1], %1, exec %0\nvset v1, %1, exec %0"), Exit::Fault);
    assert_eq!(f.row(1)[1], 0);
}

#[test]
fn scalar_loads_and_the_rest_of_the_world_go_through_the_table() {
    let mut f = Fixture::new(32);
    f.state.sregs[20] = 0x80;
    f.block(
        "%0: s64 = const.64 0x1000\n%1: s32 = sget s20\n%2 %3: s32 = sload.2 [%0 + offset %1 + 4]\nsset s0, %2\nsset s1, %3
         %4: s32 = sbufferload.1 %1 %1 %1 %3, [0 + offset %1 - 16]\nsset s2, %4
         %5: s32 = getreg 20\nsset s3, %5\nsetreg 4, %1\nsendmsg 3, %1
         %6: s64 = sendmsgrtn 9\n%7: s32 = hi.64 %6\nsset s6, %7\n%8: s64 = time realtime\n%9: s32 = lo.64 %8\nsset s7, %9\nnote wait",
    );
    assert_eq!(f.state.sregs[..8], [0x1084, 0x1085, 0x70 + 0x1085, 40, 0x80, 0x83, 9, 8]);
}

#[test]
fn texture_instructions_pass_scalars_lanes_and_results() {
    // buffer_load_b32 v[0:1], v2, s[4:7], 0 offen tfe: four dwords of V# and the SGPR offset; one address; two results.
    let text = "func \"t\" wave32 {
site s0 gfx1100 [0xe0500000 0x80610002]
b0 pc=0x100 mode=0x3f0 insts=1:
  %0: mask = exec
  %1: s32 = const.32 7
  %2: l32 = vget v2 demand %0
  %3 %4: l32 = resource s0, %1 %1 %1 %1 %1 %2, exec %0
  vset v0, %3, exec %0
  vset v1, %4, exec %0
  end
}
";
    assert_eq!(crate::text::print(&parse(text).unwrap()), text);
    let mut f = Fixture::new(32);
    f.state.sregs[126] = 5;
    f.row(2).copy_from_slice(&[20; 32]);
    assert_eq!(f.run(text), Exit::End);
    assert_eq!((f.row(0)[..3].to_vec(), f.row(1)[..3].to_vec()), (vec![27, 0, 27], vec![28, 0, 28]));
}

const LOOP: &str = "func \"loop\" wave32 {
    b0 pc=0x100 mode=0x3f0 insts=1:
      jump b1
    b1 pc=0x104 mode=0x3f0 insts=3:
      %0: s32 = sget s0
      %1: s32 = const.32 1
      %2: s32 = isub.32 %0, %1
      sset s0, %2
      %3: s32 = const.32 0 @0x108
      %4: s1 = ne.32 %2, %3
      sset scc, %4
      %5: s1 = sget scc @0x10c
      branch %5, b1, b2
    b2 pc=0x110 mode=0x3f0 insts=1:
      pause barrier, b3
    b3 pc=0x114 mode=0x3f0 insts=1:
      end
    }";

#[test]
fn fuel_is_tested_on_edges_that_go_back_before_their_target_is_paid() {
    let mut f = Fixture::new(32);
    f.state.sregs[0] = 3;
    f.state.fuel = 5;
    // b0 costs 1, the first two rounds 3 each: 5 - 1 - 3 - 3 = -2 on the way to the third.
    assert_eq!(f.run(LOOP), Exit::Fuel);
    assert_eq!((f.state.sregs[0], f.state.fuel, f.state.resume), (1, -2, 1));
    f.state.fuel = 1;
    assert_eq!(f.run(LOOP), Exit::Barrier);
    assert_eq!((f.state.fuel, f.state.resume), (-3, 2));
    assert_eq!(f.run(LOOP), Exit::End);
    assert_eq!(f.state.fuel, -4);
}

#[test]
fn a_wave_without_fuel_runs_to_the_next_edge_that_goes_back() {
    let mut f = Fixture::new(32);
    f.state.sregs[0] = 3;
    f.state.fuel = 0;
    let mut seen = vec![];
    while f.run(LOOP) == Exit::Fuel {
        seen.push((f.state.sregs[0], f.state.fuel));
    }
    assert_eq!(seen, [(2, -4), (1, -7)]);
    assert_eq!((f.state.resume, f.state.fuel), (2, -11));
}

#[test]
fn code_runs_at_another_address_than_it_was_lifted_at() {
    let mut f = Fixture::new(32);
    f.state.code_delta = 0x7fff_0000_0000;
    let text = |term: &str| {
        format!(
            "func \"f\" wave32 {{\nb0 pc=16 mode=0x3f0 insts=1:\n%0: s64 = codeaddress 20\n%1: s32 = hi.64 %0\n%2: s32 = lo.64 %0\n
             sset s0, %2\nsset s1, %1\n%3: s32 = const.32 0x2f0\n{term}\nb1 pc=20 mode=0x3f0 insts=1:\nleave 8\n}}"
        )
    };
    // The address is that of b1, which leaves for an address that was 8.
    assert_eq!((f.run(&text("indirect %0, [20: b1]")), f.state.exit_arg), (Exit::NewPc, 0x7fff_0000_0008));
    assert_eq!((f.state.exit_pc, f.state.exit_mode), (0, 0x3f0));
    assert_eq!(f.state.sregs[..2], [20, 0x7fff]);
    assert_eq!((f.run(&text("indirect %0, []")), f.state.exit_arg), (Exit::NewPc, 0x7fff_0000_0014));
    assert_eq!(f.state.exit_pc, 0x7fff_0000_0010);
    assert_eq!((f.run(&text("newmode 12, %3")), f.state.exit_arg), (Exit::NewMode, 0x7fff_0000_000c));
    // The pc has 48 bits and is extended with its sign.
    f.state.code_delta = 0x8000_0000_0000;
    f.run(&text("indirect %0, []"));
    assert_eq!(f.state.exit_arg, 0xffff_8000_0000_0014);
}

#[test]
fn exits_say_where_to_go_on() {
    let mut f = Fixture::new(32);
    let indirect = |pc: u64| {
        format!(
            "func \"f\" wave32 {{\nb0 pc=0 mode=0 insts=1:\n%0: s64 = const.64 {pc}\nindirect %0, [16: b1]\n
             b1 pc=16 mode=0 insts=1:\n%1: s32 = const.32 0x2f0\nnewmode 20, %1\n}}"
        )
    };
    assert_eq!((f.run(&indirect(32)), f.state.exit_arg), (Exit::NewPc, 32));
    assert_eq!((f.run(&indirect(16)), f.state.exit_arg, f.state.exit_mode), (Exit::NewMode, 20, 0x2f0));
    let end = |term: &str| {
        format!(
            "func \"f\" wave32 {{\nfailure f0 pc=0 unsupported \"\"\nfailure f1 pc=0 unsupported \"\"\nb0 pc=0 mode=0 insts=1:\n{term}\n}}"
        )
    };
    assert_eq!((f.run(&end("trap 3")), f.state.exit_arg), (Exit::Trap, 3));
    assert_eq!((f.run(&end("fail f1")), f.state.exit_arg), (Exit::Fail, 1));
}

#[test]
fn a_step_is_one_guest_instruction() {
    let mut f = Fixture::new(32);
    f.state.sregs[0] = 1;
    let func = parse(LOOP).unwrap();
    let mut interp = Interp::new(&func);
    let mut seen = vec![];
    // SAFETY: a fixture has rows and helpers.
    let exit = unsafe { interp.run_stepwise(&mut f.state, |pc, state| seen.push((pc, state.sregs[0]))) };
    assert_eq!(exit, Exit::Barrier);
    assert_eq!(seen, [(0x100, 1), (0x104, 1), (0x108, 0), (0x10c, 0), (0x110, 0)]);
    // SAFETY: a fixture has rows and helpers.
    assert_eq!(unsafe { interp.step(&mut f.state) }, Some(Exit::End));
}

#[test]
fn a_wave_goes_on_from_a_position_with_the_values_of_its_block() {
    let mut f = Fixture::new(32);
    f.state.sregs[0] = 7;
    // The second instruction uses a value of the first that no register holds.
    let func = parse(
        "func \"f\" wave32 {\nb0 pc=0 mode=0 insts=2:\n%0: s32 = sget s0\n%1: s32 = iadd.32 %0, %0\n%2: s32 = const.32 0 @4\nsset s1, %1\nend\n}",
    )
    .unwrap();
    let mut interp = Interp::new(&func);
    // SAFETY: a fixture has rows and helpers.
    let step = |interp: &mut Interp, f: &mut Fixture| unsafe { interp.step(&mut f.state) };
    assert_eq!(step(&mut interp, &mut f), None);
    let middle = interp.position();
    assert_eq!(interp.next_pc(&f.state), 4);
    assert_eq!(step(&mut interp, &mut f), Some(Exit::End));
    f.state.sregs[..2].copy_from_slice(&[1, 0]);
    step(&mut interp, &mut f);
    assert_eq!(f.state.sregs[1], 0);
    interp.set_position(&middle);
    assert_eq!(interp.next_pc(&f.state), 4);
    assert_eq!(step(&mut interp, &mut f), Some(Exit::End));
    assert_eq!(f.state.sregs[1], 14);
}

#[test]
fn counting_probes_count_waves_and_lanes() {
    for (wave_size, exec) in [(32, 0xf0f0_0001_u64), (64, 0x8000_0000_0000_0001), (64, 0)] {
        let mut f = Fixture::new(wave_size);
        let mut counters = [Counter { executions: 5, active_lanes: 7 }; 3];
        f.state.counters = counters.as_mut_ptr();
        (f.state.sregs[126], f.state.sregs[127]) = (exec as u32, (exec >> 32) as u32);
        for _ in 0..2 {
            assert_eq!(f.block("%0: mask = exec\nprobe.count 2, exec %0"), Exit::End);
        }
        assert_eq!(counters[2], Counter { executions: 7, active_lanes: 7 + 2 * u64::from(exec.count_ones()) });
        assert_eq!(counters[..2], [Counter { executions: 5, active_lanes: 7 }; 2]);
    }
}

#[test]
fn calling_probes_get_their_operands_and_may_stop_the_wave() {
    let mut f = Fixture::new(32);
    let mut calls = Calls::default();
    f.state.ctx = (&raw mut calls).cast();
    f.state.sregs[126] = 6;
    f.row(0)[1] = 10;
    f.row(1)[1] = 11;
    let body = "%0: mask = exec
        %1: l32 = vget v0 demand %0
        %2: l32 = vget v1 demand %0
        %3: l64 = pack.64 %1, %2
        %4: s32 = const.32 99
        %5: s64 = const.64 0x1234567890
        %6: s1 = const.1 1
        probe.call 3, exec %0 args %4 %1 %5 %3 %0 %6
        %7: s32 = const.32 1
        sset s0, %7";
    assert_eq!(f.block(body), Exit::End);
    assert_eq!(calls.probes, [(3, 6, vec![99, 0x12_3456_7890, 6, 1], vec![10, 10, 11])]);
    assert_eq!(f.state.sregs[0], 1);
    (calls.fault, f.state.sregs[0]) = (true, 0);
    assert_eq!((f.block(body), f.state.sregs[0]), (Exit::Fault, 0));
}
