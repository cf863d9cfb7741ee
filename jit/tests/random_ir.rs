//! Random wave IR through the passes and the Cranelift back end, against the interpreter on the untouched IR.
//!
//! Programs obey the contract of the IR: operands are read under the EXEC of the instruction, cross-lane operations read whole rows. They
//! store lanes under EXEC, to memory or through a helper that keeps a log, and so do probes. With `keep_final_state` registers, memory and log must be
//! equal; without, memory and log: that is what catches a write taken for dead or a blend left out.

#[path = "random_ir/memory.rs"]
mod memory;

use iced_x86::{Decoder, DecoderOptions, EncodingKind};
use memory::{Lanes, Memory};
use std::ffi::c_void;
use wavejit_ir::abi::{Counter, Exit, Helpers, MemOp, NO_ROW, ProbeCall, ResourceCall, TEMP_ROW, WaveState};
use wavejit_ir::{interp, verify::verify, *};
use wavejit_jit::{
    emit::{self, Compiled, EmitOptions, HostCode, Isa},
    opt::{
        self, OptOptions,
        liveness::{Spoiled, VgprLiveness},
    },
};

use wavejit_random::{Random, SPECIAL_WORDS};

const ROWS: usize = TEMP_ROW as usize + 2048;
const REGS: u16 = 12;

struct Rng(Random);
impl Rng {
    fn next(&mut self) -> u64 {
        self.0.u64()
    }
    fn below(&mut self, n: usize) -> usize {
        self.0.below(n as u32) as usize
    }
    fn word(&mut self) -> u32 {
        if self.below(3) == 0 { SPECIAL_WORDS[self.below(SPECIAL_WORDS.len())] } else { self.next() as u32 }
    }
}

/// Address of a lane: 64 bits, or 32 in LDS and scratch.
unsafe fn address(s: &WaveState, op: &MemOp, base: u64, lane: usize) -> u64 {
    // SAFETY: the caller passes a wave and an operation on its rows.
    let dword = |row: u16| if row == NO_ROW { 0 } else { u64::from(unsafe { *s.rows.add(row as usize * s.wave_size as usize + lane) }) };
    let at = base.wrapping_add(op.imm as u64).wrapping_add(dword(op.offset[0]) | dword(op.offset[1]) << 32);
    if op.space == Space::Lds as u8 || op.space == Space::Scratch as u8 { at & 0xffff_ffff } else { at }
}

unsafe extern "C" fn log_atomic(state: *mut WaveState, op: *const MemOp, exec: u64, base: u64) -> u32 {
    // SAFETY: called by a wave of `execute`, whose context is its log.
    unsafe {
        let (s, op) = (&*state, &*op);
        let log = &mut *s.ctx.cast::<Vec<u64>>();
        log.push(exec);
        for lane in (0..s.wave_size as usize).filter(|l| exec >> l & 1 != 0) {
            log.push(address(s, op, base, lane));
            log.push((*s.rows.add(op.data[0] as usize * s.wave_size as usize + lane)).into());
        }
    }
    0
}

/// Operands go to the log, of lanes those of EXEC.
unsafe extern "C" fn log_probe(state: *mut WaveState, call: *const ProbeCall, exec: u64) -> u32 {
    // SAFETY: as for `log_atomic`.
    unsafe {
        let (s, call) = (&*state, &*call);
        let (log, w) = (&mut *s.ctx.cast::<Vec<u64>>(), s.wave_size as usize);
        log.extend([call.pc, call.id.into(), exec]);
        log.extend(&s.slots[..call.scalars as usize]);
        for row in call.rows.iter().take_while(|r| **r != NO_ROW) {
            log.extend((0..w).filter(|l| exec >> l & 1 != 0).map(|l| u64::from(*s.rows.add(*row as usize * w + l))));
        }
    }
    0
}

unsafe extern "C" fn no_sload(_: *mut WaveState, _: u64, _: u32, _: u64) -> u32 {
    1
}
unsafe extern "C" fn no_get(_: *mut WaveState, _: u32) -> u32 {
    0
}
unsafe extern "C" fn no_set(_: *mut WaveState, _: u32, _: u32) {}
unsafe extern "C" fn no_rtn(_: *mut WaveState, _: u32) -> u64 {
    0
}

unsafe extern "C" fn no_gws(_: *mut WaveState, _: u32, _: u32, _: u32) {}

unsafe extern "C" fn no_resource(_: *mut WaveState, _: *const ResourceCall, _: u64) -> u32 {
    1
}

static HELPERS: Helpers = Helpers {
    load: memory::load,
    store: memory::store,
    atomic: log_atomic,
    exchange_sum: log_atomic,
    sload: no_sload,
    sbuffer_load: no_sload,
    getreg: no_get,
    setreg: no_set,
    sendmsg: no_set,
    sendmsg_rtn: no_rtn,
    time: no_rtn,
    resource: no_resource,
    gws: no_gws,
    probe: log_probe,
    export: log_probe,
};

/// Counters of a program's probes.
const COUNTERS: usize = 4;

/// One random function.
fn program(rng: &mut Rng, wave_size: u32) -> Func {
    let mut f = Func { name: "random".into(), wave_size, ..Func::default() };
    let blocks = 1 + rng.below(6);
    let mode = FpMode([0x3f0, 0x3f0, 0x3f0, 0x3c0, 0x300, 0x0f0, 0x3f1, 0x3ff, 0x1c0, 0x1c0][rng.below(10)]);
    for i in 0..blocks {
        let pc = 0x1000 + i as u64 * 0x100;
        let mut b = Builder::new(&mut f, pc, mode);
        let mut exec = b.exec();
        for _ in 0..rng.below(14) {
            exec = step(rng, &mut b, exec);
        }
        let target = |rng: &mut Rng| BlockId(rng.below(blocks) as u32);
        let term = match rng.below(8) {
            0 if i > 0 => Term::End,
            1 | 2 => Term::Jump(target(rng)),
            3 => Term::Pause { why: Pause::Barrier, next: target(rng) },
            _ if i + 1 == blocks && rng.below(2) == 0 => Term::End,
            _ => {
                let cond = if rng.below(2) == 0 {
                    b.sget(SReg::SCC)
                } else {
                    let (bits, zero) = (b.mask_bits(exec), b.const64(0));
                    b.pure2(PureOp::ICmpNe64, bits, zero)
                };
                Term::Branch { cond, then: target(rng), otherwise: target(rng) }
            }
        };
        let insts = std::mem::take(&mut b.insts);
        f.blocks.push(Block { pc, mode, insts, term, term_pc: pc + 0xfc, guest_insts: 1 + rng.below(4) as u32 });
    }
    f
}

fn vreg(rng: &mut Rng) -> VReg {
    VReg(rng.below(REGS.into()) as u16)
}

fn sreg(rng: &mut Rng) -> SReg {
    SReg(rng.below(6) as u8)
}

/// A mask from two scalar registers.
fn saved_mask(rng: &mut Rng, b: &mut Builder) -> Value {
    let r = sreg(rng).0 & !1;
    let (lo, hi) = (b.sget(SReg(r)), b.sget(SReg(r + 1)));
    let x = if b.func.wave_size == 64 { b.pure2(PureOp::Pack64, lo, hi) } else { b.pure1(PureOp::ZExt64, lo) };
    b.bits_mask(x)
}

fn save_mask(rng: &mut Rng, b: &mut Builder, m: Value) {
    let r = sreg(rng).0 & !1;
    let bits = b.mask_bits(m);
    let lo = b.pure1(PureOp::Lo64, bits);
    b.sset(SReg(r), lo);
    if b.func.wave_size == 64 {
        let hi = b.pure1(PureOp::Hi64, bits);
        b.sset(SReg(r + 1), hi);
    }
}

/// A lane operand: a register under `exec`, a scalar register, or a constant.
fn operand(rng: &mut Rng, b: &mut Builder, exec: Value, width: Width) -> Value {
    match width {
        Width::B1 => saved_mask(rng, b),
        Width::B64 => {
            let (lo, hi) = (operand(rng, b, exec, Width::B32), operand(rng, b, exec, Width::B32));
            let (lo, hi) = (b.splat(lo), b.splat(hi));
            b.pure2(PureOp::Pack64, lo, hi)
        }
        Width::B32 => match rng.below(8) {
            0 => {
                let r = sreg(rng);
                let s = b.sget(r);
                b.splat(s)
            }
            1 => {
                let c = b.const32(rng.word());
                b.splat(c)
            }
            2 => b.push(Op::LaneId, &[Ty::L32]),
            _ => b.vget(vreg(rng), Some(exec)),
        },
    }
}

/// A 64-bit address as compilers add it up: low words, carry, high words.
fn wide_sum(rng: &mut Rng, b: &mut Builder, low: Value, exec: Value) -> Value {
    let (r, s) = (b.sget(SReg(2)), b.sget(SReg(3)));
    let (r, s) = (b.splat(r), b.splat(s));
    let sum = b.pure2(PureOp::IAdd32, low, r);
    let carry = b.pure2(PureOp::ICmpUlt32, sum, [low, r][rng.below(2)]);
    let carry = b.pure2(PureOp::BAnd, carry, exec);
    save_mask(rng, b, carry);
    let high = if rng.below(2) == 0 {
        let n = b.const32(31);
        b.pure2(PureOp::AShr32, low, n)
    } else {
        b.vget(vreg(rng), Some(exec))
    };
    let high = if rng.below(4) == 0 { s } else { b.pure2(PureOp::IAdd32, s, high) };
    let c = b.pure1(PureOp::BToInt, carry);
    let high = b.pure2(PureOp::IAdd32, high, c);
    b.pure2(PureOp::Pack64, sum, high)
}

/// An export of some components, perhaps with M0.
fn export(rng: &mut Rng, b: &mut Builder, exec: Value) {
    let enabled = rng.below(16) as u8;
    let flags = [0, abi::ExportKind::DONE, abi::ExportKind::ROW, abi::ExportKind::COMPRESSED | abi::ExportKind::VALID_MASK];
    let kind = abi::ExportKind::new(rng.below(64) as u8, enabled, flags[rng.below(flags.len())]);
    let mut args = vec![];
    if kind.has_row() {
        args.push(b.sget(sreg(rng)));
    }
    args.extend((0..kind.dwords().count_ones()).map(|_| operand(rng, b, exec, Width::B32)));
    b.push(Op::Export { kind: kind.0, exec, args: args.into() }, &[]);
}

/// 64-bit arithmetic as compilers write it on dwords.
fn halves(rng: &mut Rng, b: &mut Builder, exec: Value) -> Value {
    use PureOp::*;
    let (n, x) = (operand(rng, b, exec, Width::B32), operand(rng, b, exec, Width::B64));
    let a = b.pure2([Shl64, LShr64, AShr64][rng.below(3)], x, n);
    let (low, high) = (b.pure1(Lo64, a), b.pure1(Hi64, a));
    let [y0, y1] = [0, 1].map(|_| operand(rng, b, exec, Width::B32));
    fn either(rng: &mut Rng, b: &mut Builder, op: PureOp, x: Value, y: Value) -> Value {
        if rng.below(2) == 0 { b.pure2(op, x, y) } else { b.pure2(op, y, x) }
    }
    match rng.below(4) {
        0 | 1 => {
            let op = [And32, Or32, Xor32][rng.below(3)];
            let (low, high) = (either(rng, b, op, low, y0), either(rng, b, op, high, y1));
            b.pure2(Pack64, low, high)
        }
        2 => {
            let m = saved_mask(rng, b);
            let (low, high) = (b.pure3(Sel32, m, low, y0), b.pure3(Sel32, m, high, y1));
            b.pure2(Pack64, low, high)
        }
        _ => {
            let mut p = either(rng, b, UMulWide32, low, y0);
            let (q, r) = (either(rng, b, IMul32, low, y1), either(rng, b, IMul32, high, y0));
            if rng.below(2) == 0 {
                p = b.pure2(IAdd64, p, x);
            }
            let (low, top) = (b.pure1(Lo64, p), b.pure1(Hi64, p));
            let terms = [[top, q, r], [q, top, r], [r, q, top]][rng.below(3)];
            let sum = b.pure2(IAdd32, terms[0], terms[1]);
            let high = b.pure2(IAdd32, sum, terms[2]);
            b.pure2(Pack64, low, high)
        }
    }
}

/// One instruction-like group under `exec`; returns EXEC after it.
fn step(rng: &mut Rng, b: &mut Builder, exec: Value) -> Value {
    b.pc += 4;
    match rng.below(29) {
        28 => {
            // Sine and cosine of one operand, and what is in between.
            let x = operand(rng, b, exec, Width::B32);
            let ops = [PureOp::FSin32, PureOp::FCos32];
            let first = b.pure1(ops[rng.below(2)], x);
            b.vset(vreg(rng), first, exec);
            let mut behind = exec;
            for _ in 0..rng.below(3) {
                behind = step(rng, b, behind);
            }
            let second = b.pure1(ops[rng.below(2)], x);
            // In other lanes the operand may be undefined.
            let both = b.pure2(PureOp::BAnd, exec, behind);
            b.vset(vreg(rng), second, both);
            behind
        }
        27 => {
            memory::tile(rng, b, exec);
            exec
        }
        26 => {
            let (v, x) = (halves(rng, b, exec), operand(rng, b, exec, Width::B64));
            let v = b.pure2([PureOp::IAdd64, PureOp::ISub64][rng.below(2)], v, x);
            let (low, high) = (b.pure1(PureOp::Lo64, v), b.pure1(PureOp::Hi64, v));
            b.vset(vreg(rng), low, exec);
            b.vset(vreg(rng), high, exec);
            exec
        }
        0 => {
            // narrow
            let c = saved_mask(rng, b);
            save_mask(rng, b, exec);
            let m = b.pure2([PureOp::BAnd, PureOp::BAndNot][rng.below(2)], exec, c);
            b.push(Op::ExecSet(m), &[]);
            m
        }
        1 => {
            let c = saved_mask(rng, b);
            let m = b.pure2([PureOp::BOr, PureOp::BXor][rng.below(2)], exec, c);
            b.push(Op::ExecSet(m), &[]);
            m
        }
        2 => {
            let m = saved_mask(rng, b);
            b.push(Op::ExecSet(m), &[]);
            m
        }
        3 => {
            let (r, s) = (sreg(rng), sreg(rng));
            let (x, y) = (b.sget(r), b.sget(s));
            let ops = [PureOp::IAdd32, PureOp::Xor32, PureOp::And32, PureOp::Or32, PureOp::Shl32, PureOp::IMul32, PureOp::Popcnt32];
            let op = ops[rng.below(ops.len())];
            let v = if op.args().len() == 1 { b.pure1(op, x) } else { b.pure2(op, x, y) };
            b.sset(sreg(rng), v);
            let zero = b.const32(0);
            let scc = b.pure2(PureOp::ICmpNe32, v, zero);
            b.sset(SReg::SCC, scc);
            exec
        }
        4 => {
            let v = b.vget(vreg(rng), None);
            let s = if rng.below(2) == 0 {
                b.push(Op::ReadFirstLane { value: v, exec }, &[Ty::S32])
            } else {
                let lane = b.sget(SReg(1));
                b.push(Op::ReadLane { value: v, lane }, &[Ty::S32])
            };
            b.sset(sreg(rng), s);
            exec
        }
        5 => {
            let (v, x) = (b.vget(vreg(rng), None), b.vget(vreg(rng), None));
            let r = match rng.below(3) {
                0 => b.push(Op::Shuffle { value: v, index: x }, &[Ty::L32]),
                1 => b.push(Op::Permute { value: v, index: x, exec }, &[Ty::L32]),
                _ => {
                    let t = b.func.table(std::array::from_fn(|i| (i as u32) ^ 5));
                    let t = b.push(Op::LaneTable(t), &[Ty::L32]);
                    b.push(Op::Shuffle { value: v, index: t }, &[Ty::L32])
                }
            };
            b.vset(vreg(rng), r, exec);
            exec
        }
        6 | 7 => {
            let (x, y) = (b.vget(vreg(rng), Some(exec)), b.vget(vreg(rng), Some(exec)));
            let addr = Addr { base: None, offset: Some(x), imm: 16 };
            b.push(Op::Store { space: Space::Global, kind: MemKind::B32, addr, data: [Some(y), None, None, None], exec }, &[]);
            exec
        }
        8 => {
            let (mut x, mut space) = (b.vget(vreg(rng), Some(exec)), Space::Lds);
            match rng.below(3) {
                0 => {}
                1 => {
                    let c = b.const32(rng.word());
                    x = b.pure2(PureOp::IAdd32, x, c);
                }
                _ => {
                    x = wide_sum(rng, b, x, exec);
                    space = Space::Global;
                }
            }
            let v = b.load(space, MemKind::B64, Addr { base: None, offset: Some(x), imm: 4 }, exec);
            let r = vreg(rng);
            b.vset(r, v, exec);
            b.vset(VReg((r.0 + 1) % REGS), Value(v.0 + 1), exec);
            exec
        }
        9 => {
            // A write under part of EXEC, as DPP has them.
            let part = saved_mask(rng, b);
            let m = b.pure2(PureOp::BAnd, exec, part);
            let v = operand(rng, b, exec, Width::B32);
            b.vset(vreg(rng), v, m);
            exec
        }
        10 => {
            let index = b.sget(SReg(2));
            let three = b.const32(3);
            let index = b.pure2(PureOp::And32, index, three);
            if rng.below(2) == 0 {
                let v = b.push(Op::VGetRel { reg: VReg(2), index, demand: Some(exec) }, &[Ty::L32]);
                b.vset(vreg(rng), v, exec);
            } else {
                let value = b.vget(vreg(rng), Some(exec));
                b.push(Op::VSetRel { reg: VReg(2), index, value, exec }, &[]);
            }
            exec
        }
        11 => {
            let id = rng.below(COUNTERS) as u32;
            b.push(Op::Probe { kind: ProbeKind::Count, id, exec, args: [].into() }, &[]);
            exec
        }
        12 => {
            let args = (0..rng.below(5)).map(|_| match rng.below(4) {
                0 => b.sget(sreg(rng)),
                1 => saved_mask(rng, b),
                2 => operand(rng, b, exec, Width::B64),
                _ => operand(rng, b, exec, Width::B32),
            });
            let args = args.collect();
            if rng.below(3) == 0 {
                export(rng, b, exec);
            }
            b.push(Op::Probe { kind: ProbeKind::Call, id: rng.below(9) as u32, exec, args }, &[]);
            exec
        }
        13..=16 => {
            memory::accesses(rng, b, exec);
            exec
        }
        _ => {
            // Estimates differ from level to level.
            let op = Some(PureOp::ALL[rng.below(PureOp::ALL.len())]).filter(|op| !op.takes_estimate()).unwrap_or(PureOp::FRsq32);
            let args: Vec<Value> = op.args().iter().map(|w| operand(rng, b, exec, *w)).collect();
            // Shifts and field extracts by constants are compiled in regions.
            let args: Vec<Value> = args
                .into_iter()
                .enumerate()
                .map(|(i, v)| {
                    if i > 0 && op.args()[i] == Width::B32 && rng.below(2) == 0 {
                        let c = b.const32(rng.below(40) as u32);
                        b.splat(c)
                    } else {
                        v
                    }
                })
                .collect();
            let v = match args[..] {
                [x] => b.pure1(op, x),
                [x, y] => b.pure2(op, x, y),
                [x, y, z] => b.pure3(op, x, y, z),
                _ => unreachable!("operations have one to three operands"),
            };
            match op.ret() {
                Width::B1 => {
                    let m = b.pure2(PureOp::BAnd, v, exec);
                    save_mask(rng, b, m);
                }
                Width::B32 => b.vset(vreg(rng), v, exec),
                Width::B64 => {
                    let (lo, hi) = (b.pure1(PureOp::Lo64, v), b.pure1(PureOp::Hi64, v));
                    let r = vreg(rng);
                    b.vset(r, lo, exec);
                    b.vset(VReg((r.0 + 1) % REGS), hi, exec);
                }
            }
            exec
        }
    }
}

#[repr(C, align(64))]
#[derive(Clone)]
struct Line([u32; 16]);

#[derive(PartialEq, Debug)]
struct Outcome {
    exits: Vec<Exit>,
    log: Vec<u64>,
    counters: [Counter; COUNTERS],
    registers: Vec<u32>,
    sregs: Vec<u32>,
    memory: Vec<u8>,
}

/// Scalar registers of programs, with EXEC and SCC.
fn sregs() -> impl Iterator<Item = u8> {
    (0..8).chain([126, 127, 128])
}

fn execute(seed: u64, wave_size: u32, run: impl FnMut(&mut WaveState) -> Exit) -> Outcome {
    execute_after(None, seed, wave_size, run)
}

/// The same; or where another wave of the code has ended, with its registers but for those that the code has spoiled.
fn execute_after(before: Option<(&Outcome, &Spoiled)>, seed: u64, wave_size: u32, mut run: impl FnMut(&mut WaveState) -> Exit) -> Outcome {
    let mut rng = Rng(Random(seed));
    let lanes = wave_size as usize;
    let mut rows = vec![Line([0; 16]); ROWS * lanes / 16];
    let words = rows.as_mut_ptr().cast::<u32>();
    for i in 0..usize::from(REGS) * lanes {
        // SAFETY: in the first rows of the file.
        unsafe { *words.add(i) = rng.word() };
    }
    let mut log: Vec<u64> = vec![];
    // SAFETY: integers and raw pointers, for which zero is a value.
    let mut state: Box<WaveState> = Box::new(unsafe { std::mem::zeroed() });
    state.rows = words;
    state.helpers = &HELPERS;
    state.wave_size = wave_size;
    state.ctx = std::ptr::from_mut(&mut log).cast::<c_void>();
    let mut counters = [Counter::default(); COUNTERS];
    state.counters = counters.as_mut_ptr();
    let mut memory = Memory::new(&mut rng, wave_size);
    memory.put(&mut state);
    state.fuel = 60;
    for r in 0..8 {
        state.sregs[r] = rng.word();
    }
    state.sregs[128] = rng.below(2) as u32;
    // All lanes, some, or none of those of a register.
    let some = rng.next() as u32;
    state.sregs[126] = [u32::MAX, some, some, some & 0xffff, some << 16][rng.below(5)];
    state.sregs[127] = if wave_size == 64 { [u32::MAX, rng.next() as u32, 0][rng.below(3)] } else { 0 };
    if let Some((before, spoiled)) = before {
        let rows = (0..REGS).filter(|row| !spoiled.rows.has(*row)).flat_map(|row| usize::from(row) * lanes..(usize::from(row) + 1) * lanes);
        // SAFETY: as above.
        rows.for_each(|i| unsafe { *words.add(i) = before.registers[i] });
        let sregs = sregs().zip(&before.sregs).filter(|(r, _)| !spoiled.sregs.has(SReg(*r)));
        sregs.for_each(|(r, value)| state.sregs[usize::from(r)] = *value);
    }
    let mut exits = vec![];
    for _ in 0..40 {
        let e = run(&mut state);
        exits.push(e);
        if e != Exit::Barrier {
            break;
        }
    }
    // SAFETY: as above.
    let registers = (0..usize::from(REGS) * lanes).map(|i| unsafe { *words.add(i) }).collect();
    let sregs = sregs().map(|r| state.sregs[usize::from(r)]).collect();
    Outcome { exits, log, counters, registers, sregs, memory: memory.bytes() }
}

/// No instruction may be beyond AVX2.
fn assert_avx2(code: &HostCode) {
    for i in &mut Decoder::with_ip(64, &code.bytes, 0, DecoderOptions::NONE) {
        let is_beyond = i.encoding() == EncodingKind::EVEX || i.cpuid_features().iter().any(|f| format!("{f:?}").starts_with("AVX512"));
        assert!(!is_beyond && !i.is_invalid(), "{:?} at {:#x}", i.mnemonic(), i.ip());
    }
}

fn check(seed: u64, wave_size: u32) {
    let mut rng = Rng(Random(seed));
    let func = program(&mut rng, wave_size);
    check_program(seed, &mut rng, func);
}

/// How often the code left registers alone of a program that writes them.
fn check_program(seed: u64, rng: &mut Rng, func: Func) -> usize {
    let wave_size = func.wave_size;
    let mut left_alone = 0;
    verify(&func).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    let state_seed = rng.next();
    // SAFETY: the state of `execute` has all rows the interpreter needs, and its helpers fit.
    let want = execute(state_seed, wave_size, |s| unsafe { interp::run(&func, s) });
    for keep in [true, false] {
        let mut optimized = func.clone();
        opt::run(
            &mut optimized,
            OptOptions { keep_final_state: keep, is_wide: !seed.is_multiple_of(4), is_avx512: !seed.is_multiple_of(3) },
        );
        verify(&optimized).unwrap_or_else(|e| panic!("seed {seed}: after the passes: {e}\n{}", text::print(&optimized)));
        // SAFETY: as above.
        let passes = execute(state_seed, wave_size, |s| unsafe { interp::run(&optimized, s) });
        let mut outcomes = vec![("passes".to_string(), passes)];
        let every = Isa::available().into_iter().map(|isa| (isa, false));
        for (isa, by_parts) in every.chain(Isa::available().into_iter().filter(|isa| *isa != Isa::Portable).map(|isa| (isa, true))) {
            // Some of it as another process would load it.
            let options = EmitOptions {
                keep_final_state: keep,
                isa,
                by_parts,
                check_plan: true,
                savable: seed.is_multiple_of(3),
                gathers: Some(seed.is_multiple_of(2)),
                masks_idle: !seed.is_multiple_of(3),
            };
            if isa == Isa::Avx2 {
                assert_avx2(&emit::wide_code(&optimized, &options).unwrap_or_else(|e| panic!("seed {seed}, {isa:?}: {e}")));
            }
            let mut code = emit::compile(&optimized, &options).unwrap_or_else(|e| panic!("seed {seed}, {isa:?}: {e}"));
            if let Some(saved) = code.take_saved() {
                // SAFETY: it was saved just now.
                code = unsafe { Compiled::load(&saved) }.expect("what was saved").unwrap_or_else(|e| panic!("seed {seed}, {isa:?}: {e}"));
            }
            assert!(usize::from(TEMP_ROW) + code.temp_rows as usize <= ROWS);
            // SAFETY: as above, for compiled code.
            let jit =
                execute(state_seed, wave_size, |s| Exit::from_u32(unsafe { code.entry()(s, std::ptr::null_mut()) }).expect("a known exit"));
            let what = format!("code of {isa:?}{}", if by_parts { ", part by part" } else { "" });
            if !keep && jit.exits.last() == Some(&Exit::End) {
                let spoiled = code.spoiled;
                let kept = OptOptions { keep_final_state: keep, ..OptOptions::default() };
                left_alone += usize::from(spoiled != Spoiled::new(&optimized, kept, &VgprLiveness::new(&optimized, kept)));
                let again = execute_after(Some((&jit, &spoiled)), state_seed, wave_size, |s| {
                    // SAFETY: as above.
                    Exit::from_u32(unsafe { code.entry()(s, std::ptr::null_mut()) }).expect("a known exit")
                });
                outcomes.push((format!("{what}, again"), again));
            }
            outcomes.push((what, jit));
        }
        for (what, got) in outcomes {
            let ended = want.exits.last() == Some(&Exit::End);
            let same = got.exits == want.exits
                && got.log == want.log
                && got.counters == want.counters
                && got.memory == want.memory
                && (!keep || !ended || got.registers == want.registers && got.sregs == want.sregs);
            if !same {
                let at = (0..want.log.len().max(got.log.len())).find(|i| got.log.get(*i) != want.log.get(*i));
                let at = at.map(|i| format!("entry {i}: {:x?} for {:x?}", got.log.get(i), want.log.get(i)));
                let byte = (0..want.memory.len()).find(|i| got.memory[*i] != want.memory[*i]);
                let first = (0..want.registers.len()).find(|i| got.registers[*i] != want.registers[*i]);
                panic!(
                    "seed {seed} wave{wave_size} keep={keep}: {what} differ from the interpreter (log {at:?}, byte of memory {byte:?}, exits {:?} / {:?}, sregs {:x?} / {:x?}, first register {:?})\n{}\n--- after the passes\n{}",
                    got.exits,
                    want.exits,
                    got.sregs,
                    want.sregs,
                    first.map(|i| format!(
                        "v{} lane {}: {:#x} for {:#x}",
                        i / wave_size as usize,
                        i % wave_size as usize,
                        got.registers[i],
                        want.registers[i]
                    )),
                    text::print(&func),
                    text::print(&optimized)
                );
            }
        }
    }
    left_alone
}

/// A program that only goes forward, and that neither stops nor calls: stores that nobody reads are taken out of its code.
fn straight(mut func: Func) -> Func {
    let blocks = func.blocks.len() as u32;
    for (i, block) in (0..).zip(&mut func.blocks) {
        let next = |to: BlockId| BlockId(if to.0 > i { to.0 } else { i + 1 });
        block.term = match block.term {
            _ if i + 1 == blocks => Term::End,
            Term::Jump(to) | Term::Pause { next: to, .. } => Term::Jump(next(to)),
            Term::Branch { cond, then, otherwise } => Term::Branch { cond, then: next(then), otherwise: next(otherwise) },
            _ => Term::End,
        };
        block.insts.retain(|inst| !matches!(inst.op, Op::Export { .. } | Op::Probe { .. }));
    }
    func
}

#[test]
fn straight_programs_equal_the_interpreter() {
    let count: u64 = std::env::var("WAVEJIT_RANDOM_PROGRAMS").ok().and_then(|s| s.parse().ok()).unwrap_or(150);
    let first: u64 = std::env::var("WAVEJIT_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut left_alone = 0;
    for seed in first..first + count {
        let mut rng = Rng(Random(seed));
        let func = straight(program(&mut rng, if seed.is_multiple_of(3) { 64 } else { 32 }));
        left_alone += check_program(seed, &mut rng, func);
    }
    assert!(!Isa::available().contains(&Isa::Avx512) || count < 100 || left_alone > 0, "no code left a register alone");
    println!("{left_alone} of {count}");
}

#[test]
fn compiled_random_ir_equals_the_interpreter() {
    let count: u64 = std::env::var("WAVEJIT_RANDOM_PROGRAMS").ok().and_then(|s| s.parse().ok()).unwrap_or(150);
    let first: u64 = std::env::var("WAVEJIT_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    if let Some(seed) = std::env::var("WAVEJIT_ONE").ok().and_then(|s| s.parse().ok()) {
        check(seed, 32);
        check(seed, 64);
        return;
    }
    for i in first..first + count {
        check(i, if i % 3 == 0 { 64 } else { 32 });
    }
}

/// A loop's scalar that EXEC is set to, and that is wanted after EXEC has been set to something else; a load of scratch at an odd constant; runs of lanes that
/// are at one place of LDS, stored to one address.
#[test]
fn what_was_wrong_once_is_right() {
    for (seed, wave_size) in [(899, 32), (274, 32), (390, 64), (31370, 32), (1_592_284, 32), (1_592_284, 64)] {
        check(seed, wave_size);
    }
}

/// Accesses that differ in the constant share tests of the address: where one is in range and another is not, each does what it should.
#[test]
fn accesses_near_the_end_of_memory_equal_the_interpreter() {
    let constants: [&[i64]; 3] = [&[0, 64, 32], &[400, 0, 64, 128], &[0xffff_ffe0, 16]];
    let places = [(Space::Lds, true), (Space::Lds, false), (Space::Global, false), (Space::Global, true)];
    for (i, (space, is_known)) in places.into_iter().enumerate() {
        for (k, kind) in [MemKind::B32, MemKind::B64, MemKind::B128, MemKind::U8].into_iter().enumerate() {
            for (n, list) in constants.iter().enumerate() {
                let list: Vec<i64> = list.iter().map(|c| if space == Space::Global { i64::from(*c as i32) } else { *c }).collect();
                let stride = [kind.bytes() as u32, 0, 4, 64][(n + k + i) % 4];
                let func = memory::at_constants(if (k + n) % 3 == 0 { 64 } else { 32 }, space, kind, Lanes::every(stride), is_known, &list);
                check_starts(&func, &memory::edges(space));
            }
        }
    }
}

/// Elements that lie close together, or overlap, are picked out of all that is between them.
#[test]
fn accesses_at_strides_equal_the_interpreter() {
    for (i, stride) in [4, 8, 12, 16, 20].into_iter().enumerate() {
        for (k, kind) in [MemKind::B32, MemKind::B64, MemKind::B96, MemKind::B128].into_iter().enumerate() {
            for space in [Space::Global, Space::Lds] {
                let func =
                    memory::at_constants(if (i + k) % 3 == 0 { 64 } else { 32 }, space, kind, Lanes::every(stride), true, &[0, 400, 64]);
                check_starts(&func, &memory::edges(space));
            }
        }
    }
}

/// Rows of eight lanes, known or not: in a row, at one place, overlapping, apart; with rows that go on, overlap, are one, or are apart.
#[test]
fn accesses_in_eights_equal_the_interpreter() {
    let kinds = [MemKind::U8, MemKind::U16, MemKind::B32, MemKind::B64, MemKind::B96, MemKind::B128];
    let mut n = 0;
    for kind in kinds {
        let size = kind.bytes() as u32;
        for stride in [size, size, size, 0, 4, 2 * size] {
            for (space, is_known) in [(Space::Lds, true), (Space::Lds, false), (Space::Global, true), (Space::Global, false)] {
                let apart = [8 * size + 4, 16, 0, 100, 8 * size, 1][n % 6];
                n += 1;
                let lanes = Lanes { stride, eights: Some(apart) };
                let func = memory::at_constants(if n.is_multiple_of(5) { 64 } else { 32 }, space, kind, lanes, is_known, &[0, 400, 64]);
                let starts: Vec<u32> = memory::edges(space).into_iter().skip(n % 4).step_by(4).collect();
                check_starts(&func, &starts);
            }
        }
    }
}

/// Stores of elements that are apart, or overlap, at offsets of which only the first lanes are made.
#[test]
fn stores_at_indices_equal_the_interpreter() {
    for kind in [MemKind::U8, MemKind::U16, MemKind::B32, MemKind::B64, MemKind::B96] {
        for (stride, shift) in [(1, 0), (1, 1), (1, 2), (2, 0), (3, 0), (4, 0), (2, 2), (1, 4), (0, 2)] {
            check_starts(&memory::at_index(32, kind, stride, shift), &[0, 3, 4, 64, 1000, 0xff0]);
        }
    }
}

/// Loads and stores at an index of which the first lanes are made, where runs of lanes lie in any order.
#[test]
fn accesses_of_runs_anywhere_equal_the_interpreter() {
    let below_0 = [1u32, 4, 16, 17, 100, 128].map(|n| 0u32.wrapping_sub(n));
    // Nobody asks about the 4 GiB behind a base that is in range, of which there is but a little here: what is farther away is so by more.
    let (near, far) = ([0, 1, 3, 16, 64, 100, 500, 1000], [0x7fff_ffe0, 0x7fff_ffef, 0x7fff_fff0, 0x7fff_fff1]);
    for apart in [0, 1, 2, 16, -1, -2, -3, i32::MIN] {
        let near = if apart == 16 { &near[..6] } else { &near };
        check_starts(&memory::at_runs(apart as u32, 0), &[near, &below_0].concat());
        check_starts(&memory::at_runs(apart as u32, 2), &[near, &below_0, if apart == 0 { &far } else { &[] }].concat());
    }
}

/// Compiled code against the interpreter with each of these in s0, under EXEC as it comes.
fn check_starts(func: &Func, starts: &[u32]) {
    verify(func).unwrap_or_else(|e| panic!("{e}"));
    let mut optimized = func.clone();
    opt::run(&mut optimized, OptOptions { keep_final_state: true, is_wide: true, is_avx512: true });
    for isa in Isa::available() {
        let options = EmitOptions { keep_final_state: true, isa, ..EmitOptions::default() };
        let code = emit::compile(&optimized, &options).unwrap_or_else(|e| panic!("{isa:?}: {e}"));
        for start in starts {
            let outcome = |run: &mut dyn FnMut(&mut WaveState) -> Exit| {
                execute((*start).into(), func.wave_size, |s| {
                    s.sregs[0] = *start;
                    run(s)
                })
            };
            // SAFETY: as in `check`.
            let want = outcome(&mut |s| unsafe { interp::run(func, s) });
            // SAFETY: as above, for compiled code.
            let got = outcome(&mut |s| Exit::from_u32(unsafe { code.entry()(s, std::ptr::null_mut()) }).expect("a known exit"));
            assert!(got == want, "start {start:#x}: code of {isa:?} differs from the interpreter\n{}", text::print(&optimized));
        }
    }
}
