//! Memory of a random program: LDS, scratch and a piece of global memory, the helpers that access them, and instructions that do.
//!
//! The helpers are a lane after the other and a byte after the other, as the instructions are defined (DESIGN.md section 5). What is in none of the three
//! goes to the log, or comes from the address.

use super::{Rng, VReg, operand, sreg, vreg};
use wavejit_ir::abi::{MemOp, NO_ROW, WaveState};
use wavejit_ir::*;

/// Bytes of LDS, of scratch for a lane, of global memory; of the latter so many from its beginning on are what bases are tested against.
const LDS_BYTES: u32 = 1000;
const SCRATCH_BYTES: u32 = 76;
const GLOBAL_BYTES: u64 = 0x4000;
const REACH: u64 = 0x1000;
/// Where global memory begins: high enough that no offset alone comes there.
const GLOBAL: u64 = 0x23_4567_0000_0000;

#[repr(C, align(64))]
#[derive(Clone)]
struct Line([u8; 64]);

/// What a wave can touch.
pub(super) struct Memory {
    lds: Vec<Line>,
    scratch: Vec<Line>,
    global: Vec<Line>,
}

fn lines(rng: &mut Rng, bytes: usize) -> Vec<Line> {
    // One more than is needed: an access to whole registers that begins in range may not end there.
    vec![Line([0; 64]); bytes / 64 + 2].iter().map(|_| Line(std::array::from_fn(|_| rng.next() as u8))).collect()
}

impl Memory {
    pub(super) fn new(rng: &mut Rng, wave_size: u32) -> Memory {
        Memory {
            lds: lines(rng, LDS_BYTES as usize),
            scratch: lines(rng, (SCRATCH_BYTES * wave_size) as usize),
            global: lines(rng, GLOBAL_BYTES as usize),
        }
    }

    /// Gives it to a wave.
    pub(super) fn put(&mut self, s: &mut WaveState) {
        (s.lds, s.lds_bytes) = (self.lds.as_mut_ptr().cast(), LDS_BYTES);
        (s.scratch, s.scratch_bytes) = (self.scratch.as_mut_ptr().cast(), SCRATCH_BYTES);
        s.mem_base = (self.global.as_mut_ptr() as u64).wrapping_sub(GLOBAL);
        (s.mem_low, s.mem_size, s.mem_reach) = (GLOBAL, GLOBAL_BYTES, REACH);
    }

    /// All bytes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        [&self.lds, &self.scratch, &self.global].into_iter().flatten().flat_map(|l| l.0).collect()
    }
}

/// The bytes of a lane's element, if they are in one of the three.
unsafe fn place(s: &WaveState, op: &MemOp, base: u64, lane: usize, bytes: usize) -> Option<Vec<*mut u8>> {
    // SAFETY: passed on.
    let at = unsafe { super::address(s, op, base, lane) };
    let end = at.checked_add(bytes as u64)?;
    let w = s.wave_size as usize;
    // SAFETY: each is tested against the size of its memory.
    unsafe {
        if op.space == Space::Lds as u8 {
            (end <= s.lds_bytes.into()).then(|| (0..bytes).map(|i| s.lds.add(at as usize + i)).collect())
        } else if op.space == Space::Scratch as u8 {
            let byte = |i: usize| s.scratch.add((i / 4 * w + lane) * 4 + i % 4);
            (end <= s.scratch_bytes.into()).then(|| (0..bytes).map(|i| byte(at as usize + i)).collect())
        } else {
            let inside = at >= s.mem_low && end <= s.mem_low + s.mem_size;
            inside.then(|| (0..bytes).map(|i| s.mem_base.wrapping_add(at + i as u64) as *mut u8).collect())
        }
    }
}

const KINDS: [MemKind; 8] = [MemKind::U8, MemKind::I8, MemKind::U16, MemKind::I16, MemKind::B32, MemKind::B64, MemKind::B96, MemKind::B128];

unsafe fn word(s: &WaveState, row: u16, lane: usize) -> *mut u32 {
    // SAFETY: the caller passes a row of the wave.
    unsafe { s.rows.add(usize::from(row) * s.wave_size as usize + lane) }
}

pub(super) unsafe extern "C" fn store(state: *mut WaveState, op: *const MemOp, exec: u64, base: u64) -> u32 {
    // SAFETY: called by a wave of `execute`, whose context is its log.
    unsafe {
        let (s, op) = (&*state, &*op);
        let log = &mut *s.ctx.cast::<Vec<u64>>();
        let kind = KINDS[usize::from(op.kind)];
        for lane in (0..s.wave_size as usize).filter(|l| exec >> l & 1 != 0) {
            let data: Vec<u8> = op.data.iter().take_while(|r| **r != NO_ROW).flat_map(|r| (*word(s, *r, lane)).to_le_bytes()).collect();
            match place(s, op, base, lane, kind.bytes()) {
                Some(bytes) => bytes.into_iter().zip(data).for_each(|(to, b)| *to = b),
                None => {
                    let stored = data.iter().take(kind.bytes().min(4)).rev().fold(0, |all, b| all << 8 | u64::from(*b));
                    log.extend([super::address(s, op, base, lane), stored]);
                }
            }
        }
    }
    0
}

/// Outside of all memory a load gives a number made of the lane's address; it must not touch lanes outside EXEC.
pub(super) unsafe extern "C" fn load(state: *mut WaveState, op: *const MemOp, exec: u64, base: u64) -> u32 {
    // SAFETY: as for `store`.
    unsafe {
        let (s, op) = (&*state, &*op);
        let kind = KINDS[usize::from(op.kind)];
        for lane in (0..s.wave_size as usize).filter(|l| exec >> l & 1 != 0) {
            let rows = op.dst.iter().take_while(|r| **r != NO_ROW);
            let bytes: Vec<u8> = match place(s, op, base, lane, kind.bytes()) {
                Some(bytes) => bytes.into_iter().map(|p| *p).collect(),
                None => {
                    let made = (super::address(s, op, base, lane).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32;
                    (0..4).flat_map(|k| made.wrapping_add(k).to_le_bytes()).take(kind.bytes()).collect()
                }
            };
            for (k, row) in rows.enumerate() {
                *word(s, *row, lane) = match (kind, &bytes[4 * k..]) {
                    (MemKind::U8, [b]) => u32::from(*b),
                    (MemKind::I8, [b]) => i32::from(*b as i8) as u32,
                    (MemKind::U16, [b, c]) => u32::from(u16::from_le_bytes([*b, *c])),
                    (MemKind::I16, [b, c]) => i32::from(i16::from_le_bytes([*b, *c])) as u32,
                    (_, [b, c, d, e, ..]) => u32::from_le_bytes([*b, *c, *d, *e]),
                    _ => panic!("{kind:?} in {} bytes", bytes.len()),
                };
            }
        }
    }
    0
}

/// An offset for each lane: counting up from lane to lane, equal in all, or any; below 4 KiB but in LDS and scratch, where it may be anything.
fn offset(rng: &mut Rng, b: &mut Builder, exec: Value, space: Space) -> Value {
    let s = sreg(rng);
    let scalar = |b: &mut Builder, most: u32| {
        let (s, most) = (b.sget(s), b.const32(most));
        let s = b.pure2(PureOp::And32, s, most);
        b.splat(s)
    };
    let most = match space {
        Space::Scratch => 0x3f,
        Space::Lds => 0x3ff,
        _ => 0xfff,
    };
    let fits = |rng: &mut Rng, b: &mut Builder, v: Value| {
        let most = b.const32(most & [u32::MAX, !3, !15][rng.below(3)]);
        let most = b.splat(most);
        b.pure2(PureOp::And32, v, most)
    };
    match rng.below(8) {
        0..=2 => {
            let lane = b.push(Op::LaneId, &[Ty::L32]);
            let stride = b.const32([1, 2, 4, 8, 12, 16, 20, 0u32.wrapping_sub(4)][rng.below(8)]);
            let stride = b.splat(stride);
            let steps = b.pure2(PureOp::IMul32, lane, stride);
            let start = scalar(b, [most, most & !3][rng.below(2)]);
            let sum = b.pure2(PureOp::IAdd32, steps, start);
            if rng.below(2) == 0 && matches!(space, Space::Lds | Space::Scratch) {
                return sum;
            }
            fits(rng, b, sum)
        }
        3 => scalar(b, most),
        4 if matches!(space, Space::Lds | Space::Scratch) => operand(rng, b, exec, Width::B32),
        _ => {
            let v = operand(rng, b, exec, Width::B32);
            fits(rng, b, v)
        }
    }
}

/// An offset of 64 bits, below 4 KiB or outside of all memory: small dwords that count up or are equal, extended, added and shifted.
fn index(rng: &mut Rng, b: &mut Builder, exec: Value) -> Value {
    let shift = rng.below(4);
    let is_signed: [bool; 2] = std::array::from_fn(|_| rng.below(3) != 0);
    let in_halves = rng.below(2) == 0;
    let mut term = |b: &mut Builder, is_signed: bool| {
        let (s, most) = (b.sget(sreg(rng)), b.const32(0x7f));
        let start = b.pure2(PureOp::And32, s, most);
        let start = b.splat(start);
        let lane = b.push(Op::LaneId, &[Ty::L32]);
        let stride = b.const32(rng.below(4) as u32);
        let stride = b.splat(stride);
        let sum = if rng.below(2) == 0 {
            let steps = b.pure2(PureOp::IMul32, lane, stride);
            b.pure2(PureOp::IAdd32, steps, start)
        } else {
            // Nobody knows how far a run is from the one before: further up, or down.
            let [in_run, run_bits] = [15, 4].map(|c| b.const32(c)).map(|c| b.splat(c));
            let place = b.pure2(PureOp::And32, lane, in_run);
            let steps = b.pure2(PureOp::IMul32, place, stride);
            let turned = b.const32([0, 3][rng.below(2)]);
            let turned = b.splat(turned);
            let run = b.pure2(PureOp::LShr32, lane, run_bits);
            let run = b.pure2(PureOp::Xor32, run, turned);
            let (s, most) = (b.sget(sreg(rng)), b.const32([0x7f, 0x1f][rng.below(2)]));
            let apart = b.pure2(PureOp::And32, s, most);
            let apart = b.splat(apart);
            let runs = b.pure2(PureOp::IMul32, run, apart);
            let sum = b.pure2(PureOp::IAdd32, start, runs);
            b.pure2(PureOp::IAdd32, sum, steps)
        };
        match rng.below(5) {
            0 => start,
            // Perhaps the lanes do not go on behind the mask.
            1 => {
                let mask = b.const32([0x7fff_ffff, 0x7f, 0x1f, 0x3e][rng.below(4)]);
                let mask = b.splat(mask);
                b.pure2(PureOp::And32, sum, mask)
            }
            2 if is_signed => {
                // Some lanes are below 0, or some above 2^31, which is out of reach if it is shifted.
                let less = b.const32([8, 100, 0x8000_0008][rng.below(if shift < 2 { 2 } else { 3 })]);
                let less = b.splat(less);
                b.pure2(PureOp::ISub32, sum, less)
            }
            _ => sum,
        }
    };
    let x = term(b, is_signed[0] || in_halves);
    let y = term(b, is_signed[1] || in_halves);
    let sum = if in_halves {
        // As compilers add them.
        let low = b.pure2(PureOp::IAdd32, x, y);
        let carry = b.pure2(PureOp::ICmpUlt32, low, x);
        let carry = b.pure2(PureOp::BAnd, carry, exec);
        let carry = b.pure1(PureOp::BToInt, carry);
        let n = b.const32(31);
        let n = b.splat(n);
        let [x, y] = [x, y].map(|v| b.pure2(PureOp::AShr32, v, n));
        let high = b.pure2(PureOp::IAdd32, x, y);
        let high = b.pure2(PureOp::IAdd32, high, carry);
        b.pure2(PureOp::Pack64, low, high)
    } else {
        let extend = |s: bool| if s { PureOp::SExt64 } else { PureOp::ZExt64 };
        let first = b.pure1(extend(is_signed[0]), x);
        let second = b.pure1(extend(is_signed[1]), y);
        match rng.below(3) {
            0 => first,
            1 => b.pure2(PureOp::IAdd64, first, second),
            // One number for the wave inside.
            _ => {
                let (s, most) = (b.sget(sreg(rng)), b.const32(0x7f));
                let s = b.pure2(PureOp::And32, s, most);
                let s = b.pure1(PureOp::ZExt64, s);
                let s = b.splat(s);
                let inner = b.pure2(PureOp::IAdd64, s, first);
                b.pure2(PureOp::IAdd64, inner, second)
            }
        }
    };
    let n = b.const32(shift as u32);
    let n = b.splat(n);
    b.pure2(PureOp::Shl64, sum, n)
}

/// A few loads and stores with one address but for the constant.
pub(super) fn accesses(rng: &mut Rng, b: &mut Builder, exec: Value) {
    let space = [Space::Lds, Space::Scratch, Space::Global, Space::Flat][rng.below(4)];
    let is_global = matches!(space, Space::Global | Space::Flat);
    let shared = (rng.below(6) != 0).then(|| offset(rng, b, exec, space));
    // What a row holds is not known to count up, even if it does.
    let shared = match shared {
        Some(v) if rng.below(2) == 0 => {
            let row = vreg(rng);
            b.vset(row, v, exec);
            let again = b.vget(row, Some(exec));
            Some(if is_global {
                let most = b.const32(0xfff);
                let most = b.splat(most);
                b.pure2(PureOp::And32, again, most)
            } else {
                again
            })
        }
        // An array's index, or a sum of two, extended and shifted: as compilers add them, too, in halves.
        Some(_) if is_global && rng.below(2) == 0 => Some(index(rng, b, exec)),
        v => v,
    };
    let base = match space {
        Space::Lds => None,
        Space::Scratch if rng.below(3) == 0 => None,
        Space::Scratch => {
            let (s, most) = (b.sget(sreg(rng)), b.const32([3, 0x1c, 0x1f][rng.below(3)]));
            Some(b.pure2(PureOp::And32, s, most))
        }
        _ => {
            let (s, most) = (b.sget(sreg(rng)), b.const32(REACH as u32 + 0x1ff));
            let s = b.pure2(PureOp::And32, s, most);
            let s = b.pure1(PureOp::ZExt64, s);
            let start = b.const64(GLOBAL);
            Some(b.pure2(PureOp::IAdd64, start, s))
        }
    };
    let kind = KINDS[rng.below(KINDS.len())];
    for _ in 0..1 + rng.below(4) {
        let kind = if rng.below(3) == 0 { KINDS[rng.below(KINDS.len())] } else { kind };
        let imm = match rng.below(4) {
            0 => 0,
            1 => rng.below(64) as i64,
            2 => 4 * rng.below(16) as i64,
            _ if is_global => rng.below(256) as i64 - 128,
            // As the passes write differences.
            _ => i64::from((rng.below(128) as u32).wrapping_sub(96)),
        };
        let addr = Addr { base, offset: shared, imm };
        if rng.below(2) == 0 {
            // A store has no sign.
            let kind = match kind {
                MemKind::I8 => MemKind::U8,
                MemKind::I16 => MemKind::U16,
                kind => kind,
            };
            let mut data = [None; 4];
            if kind == MemKind::B64 && rng.below(2) == 0 {
                // Done on qwords.
                let (x, y) = (operand(rng, b, exec, Width::B64), operand(rng, b, exec, Width::B64));
                let v = b.pure2([PureOp::FAdd64, PureOp::FMul64, PureOp::IMul64][rng.below(3)], x, y);
                data = [Some(b.pure1(PureOp::Lo64, v)), Some(b.pure1(PureOp::Hi64, v)), None, None];
                if rng.below(4) == 0 {
                    let row = vreg(rng);
                    b.vset(row, data[rng.below(2)].expect("both are there"), exec);
                }
            } else {
                for d in &mut data[..kind.dwords()] {
                    *d = Some(operand(rng, b, exec, Width::B32));
                }
            }
            b.push(Op::Store { space, kind, addr, data, exec }, &[]);
        } else {
            let v = b.load(space, kind, addr, exec);
            let r = vreg(rng);
            if kind == MemKind::B64 && rng.below(2) == 0 {
                // Done on qwords.
                let v = b.pure2(PureOp::Pack64, v, Value(v.0 + 1));
                let op = [PureOp::FAdd64, PureOp::FMul64, PureOp::IMul64, PureOp::IAdd64][rng.below(4)];
                let v = b.pure2(op, v, v);
                for (k, half) in [PureOp::Lo64, PureOp::Hi64].into_iter().enumerate() {
                    let half = b.pure1(half, v);
                    b.vset(VReg((r.0 + k as u16) % super::REGS), half, exec);
                }
                continue;
            }
            for k in 0..kind.dwords() as u16 {
                b.vset(VReg((r.0 + k) % super::REGS), Value(v.0 + u32::from(k)), exec);
            }
        }
    }
}

/// Loads of LDS as from a tile, of dwords or of qwords: rows, or single elements, at one address but for the constant, which operations use once, or a few
/// times; sometimes stores in between. Near the end of LDS some lanes are out of range.
pub(super) fn tile(rng: &mut Rng, b: &mut Builder, exec: Value) {
    let is_qwords = rng.below(3) == 0;
    let (kind, width) = if is_qwords { (MemKind::B64, Width::B64) } else { (MemKind::B32, Width::B32) };
    let bytes = kind.bytes() as i64;
    let scalar = |rng: &mut Rng, b: &mut Builder| {
        let (s, most) = (b.sget(sreg(rng)), b.const32([0x7c, 0x3ff, 0x3fc][rng.below(3)]));
        let s = b.pure2(PureOp::And32, s, most);
        b.splat(s)
    };
    let address = |rng: &mut Rng, b: &mut Builder, is_row: bool| {
        let start = scalar(rng, b);
        if !is_row {
            return start;
        }
        let lane = b.push(Op::LaneId, &[Ty::L32]);
        // The lanes of a run, or of all.
        let most = b.const32([15, u32::MAX][rng.below(2)]);
        let most = b.splat(most);
        let lane = b.pure2(PureOp::And32, lane, most);
        let step = b.const32(bytes as u32);
        let step = b.splat(step);
        let steps = b.pure2(PureOp::IMul32, lane, step);
        b.pure2(PureOp::IAdd32, steps, start)
    };
    let addresses = [address(rng, b, true), address(rng, b, false)];
    let (rows, elements) = ([0, 64, 128, 320, 64, 128][..2 + rng.below(5)].to_vec(), [0, 4, 8, 40, 4, 60][..2 + rng.below(5)].to_vec());
    let mut sum = operand(rng, b, exec, width);
    let mut loaded = vec![];
    for i in 0..2 + rng.below(10) {
        let is_row = i % 2 == 0;
        let list = if is_row { &rows } else { &elements };
        let addr = Addr { base: None, offset: Some(addresses[usize::from(!is_row)]), imm: list[i / 2 % list.len()] * bytes / 4 };
        let v = b.load(Space::Lds, kind, addr, exec);
        loaded.push(if is_qwords { b.pure2(PureOp::Pack64, v, Value(v.0 + 1)) } else { v });
        if rng.below(12) == 0 {
            let space = [Space::Lds, Space::Flat, Space::Scratch][rng.below(3)];
            let offset = offset(rng, b, exec, space);
            let base = (space == Space::Flat).then(|| b.const64(GLOBAL));
            let data = [Some(operand(rng, b, exec, Width::B32)), None, None, None];
            b.push(Op::Store { space, kind: MemKind::B32, addr: Addr { base, offset: Some(offset), imm: 0 }, data, exec }, &[]);
        }
        while loaded.len() > rng.below(8) {
            let n = loaded.len();
            let (x, y) = (loaded[rng.below(n)], loaded[n - 1]);
            use PureOp::*;
            let [product, float, logic, integer] =
                if is_qwords { [FFma64, FAdd64, Xor64, ISub64] } else { [FFma32, FAdd32, Xor32, ISub32] };
            sum = match rng.below(4) {
                0 => b.pure3(product, x, y, sum),
                1 => b.pure2(float, sum, y),
                2 => b.pure2(logic, y, sum),
                _ => b.pure2(integer, y, sum),
            };
            if rng.below(3) != 0 {
                loaded.pop();
            }
        }
    }
    if is_qwords && rng.below(2) == 0 {
        let data = [Some(b.pure1(PureOp::Lo64, sum)), Some(b.pure1(PureOp::Hi64, sum)), None, None];
        let addr = Addr { base: None, offset: Some(addresses[rng.below(2)]), imm: rows[0] };
        b.push(Op::Store { space: Space::Lds, kind, addr, data, exec }, &[]);
    }
    for v in loaded.into_iter().chain([sum]) {
        let row = vreg(rng);
        let v = if is_qwords { b.pure1([PureOp::Lo64, PureOp::Hi64][rng.below(2)], v) } else { v };
        b.vset(row, v, exec);
    }
}

/// How lanes lie: bytes from one to the next, in runs of eight with so many bytes from each to the next one, or in one run.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    pub stride: u32,
    pub eights: Option<u32>,
}

impl Lanes {
    pub(super) fn every(stride: u32) -> Lanes {
        Lanes { stride, eights: None }
    }
}

/// Loads and stores at these constants and one address, which counts up by `stride` from s0 on (in global memory from a base with s0 in it): a
/// stride that is known, or one that is seen only when it runs.
pub(super) fn at_constants(wave_size: u32, space: Space, kind: MemKind, lanes: Lanes, is_known: bool, constants: &[i64]) -> Func {
    let ids = if lanes.eights.is_some() { Ids::Eights(NextRun::Any) } else { Ids::Any };
    let mut f = Func { name: "constants".into(), wave_size, ids, ..Func::default() };
    let mut b = Builder::new(&mut f, 0x1000, FpMode::HSA);
    let exec = b.exec();
    let lane = b.push(Op::LaneId, &[Ty::L32]);
    let (start, stride) = (b.sget(SReg(0)), b.const32(lanes.stride));
    let stride = b.splat(stride);
    let mut offset = match lanes.eights {
        None => b.pure2(PureOp::IMul32, lane, stride),
        Some(apart) => {
            let [in_run, bits, apart] = [7, 3, apart].map(|n| {
                let n = b.const32(n);
                b.splat(n)
            });
            let (place, run) = (b.pure2(PureOp::And32, lane, in_run), b.pure2(PureOp::LShr32, lane, bits));
            let (steps, runs) = (b.pure2(PureOp::IMul32, place, stride), b.pure2(PureOp::IMul32, run, apart));
            b.pure2(PureOp::IAdd32, steps, runs)
        }
    };
    let mut base = None;
    if matches!(space, Space::Global | Space::Flat) {
        let (first, more) = (b.const64(GLOBAL), b.pure1(PureOp::ZExt64, start));
        base = Some(b.pure2(PureOp::IAdd64, first, more));
    } else {
        let start = b.splat(start);
        offset = b.pure2(PureOp::IAdd32, offset, start);
    }
    if !is_known {
        // A write under part of EXEC keeps nothing known.
        let half = b.const64(0x5555_5555_5555_5555);
        let half = b.bits_mask(half);
        b.vset(VReg(11), offset, half);
        b.vset(VReg(11), offset, exec);
        offset = b.vget(VReg(11), Some(exec));
    }
    for (i, imm) in constants.iter().enumerate() {
        let addr = Addr { base, offset: Some(offset), imm: *imm };
        let v = b.load(space, kind, addr, exec);
        for k in 0..kind.dwords() as u32 {
            b.vset(VReg(1 + (i as u16 + k as u16) % 8), Value(v.0 + k), exec);
        }
        let data = std::array::from_fn(|k| (k < kind.dwords()).then_some(Value(v.0 + (k as u32 + 1) % kind.dwords() as u32)));
        let addr = Addr { imm: imm + 4, ..addr };
        b.push(Op::Store { space, kind, addr, data, exec }, &[]);
    }
    let insts = std::mem::take(&mut b.insts);
    f.blocks.push(Block { pc: 0x1000, mode: FpMode::HSA, insts, term: Term::End, term_pc: 0x10fc, guest_insts: 1 });
    f
}

/// A load and a store of elements whose offset is the number of the lane times `stride`, extended and shifted.
pub(super) fn at_index(wave_size: u32, kind: MemKind, stride: u32, shift: u32) -> Func {
    let mut f = Func { name: "index".into(), wave_size, ..Func::default() };
    let mut b = Builder::new(&mut f, 0x1000, FpMode::HSA);
    let exec = b.exec();
    let (lane, start) = (b.push(Op::LaneId, &[Ty::L32]), b.sget(SReg(0)));
    let [stride, shift] = [stride, shift].map(|n| {
        let n = b.const32(n);
        b.splat(n)
    });
    let index = b.pure2(PureOp::IMul32, lane, stride);
    let index = b.pure1(PureOp::SExt64, index);
    let offset = Some(b.pure2(PureOp::Shl64, index, shift));
    let (first, more) = (b.const64(GLOBAL), b.pure1(PureOp::ZExt64, start));
    let base = Some(b.pure2(PureOp::IAdd64, first, more));
    let v = b.load(Space::Global, kind, Addr { base, offset, imm: 0 }, exec);
    let data = std::array::from_fn(|k| (k < kind.dwords()).then_some(Value(v.0 + k as u32)));
    b.push(Op::Store { space: Space::Global, kind, addr: Addr { base, offset, imm: 48 }, data, exec }, &[]);
    let insts = std::mem::take(&mut b.insts);
    f.blocks.push(Block { pc: 0x1000, mode: FpMode::HSA, insts, term: Term::End, term_pc: 0x10fc, guest_insts: 1 });
    f
}

/// Loads from two arrays, and stores, at one index: s0 in the first lane, counting up in each run of lanes, of which the second begins s0 * `apart` after
/// the first.
pub(super) fn at_runs(apart: u32, shift: u32) -> Func {
    let mut f = Func { name: "runs".into(), wave_size: 32, ..Func::default() };
    let mut b = Builder::new(&mut f, 0x1000, FpMode::HSA);
    let exec = b.exec();
    let (lane, start) = (b.push(Op::LaneId, &[Ty::L32]), b.sget(SReg(0)));
    let [in_run, run_bits, shift] = [15, 4, shift].map(|n| {
        let n = b.const32(n);
        b.splat(n)
    });
    let apart = b.const32(apart);
    let apart = b.pure2(PureOp::IMul32, start, apart);
    let [start, apart] = [start, apart].map(|s| b.splat(s));
    let (place, run) = (b.pure2(PureOp::And32, lane, in_run), b.pure2(PureOp::LShr32, lane, run_bits));
    let runs = b.pure2(PureOp::IMul32, run, apart);
    let index = b.pure2(PureOp::IAdd32, place, start);
    let index = b.pure2(PureOp::IAdd32, index, runs);
    let index = b.pure1(PureOp::SExt64, index);
    let offset = Some(b.pure2(PureOp::Shl64, index, shift));
    let bases = [0, 0x200].map(|at| Some(b.const64(GLOBAL + at)));
    let mut addr = Addr { base: bases[0], offset, imm: 0 };
    for (row, (base, imm)) in [(bases[0], 0), (bases[1], 0), (bases[0], 4), (bases[1], 64)].into_iter().enumerate() {
        addr = Addr { base, imm, ..addr };
        let v = b.load(Space::Global, MemKind::B32, addr, exec);
        b.vset(VReg(1 + row as u16), v, exec);
    }
    b.push(Op::Store { space: Space::Global, kind: MemKind::B32, addr, data: [Some(lane), None, None, None], exec }, &[]);
    let insts = std::mem::take(&mut b.insts);
    f.blocks.push(Block { pc: 0x1000, mode: FpMode::HSA, insts, term: Term::End, term_pc: 0x10fc, guest_insts: 1 });
    f
}

/// Starts near which an access of a wave comes to the end of what it may touch.
pub(super) fn edges(space: Space) -> Vec<u32> {
    let end = if space == Space::Lds { LDS_BYTES } else { REACH as u32 };
    (0..48).map(|i| (end + 8).wrapping_sub(31 * i)).chain([0, 4, 60, 64, 0u32.wrapping_sub(4), 0u32.wrapping_sub(64)]).collect()
}
