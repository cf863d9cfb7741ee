//! gfx12's WMMA and SWMMAC from the definition: D\[row\]\[col\] is C\[row\]\[col\] and the sum of A\[row\]\[k\] * B\[k\]\[col\] over k, where SWMMAC leaves out two of
//! each four values of k and says by indices which are left (numerics.md section 13). Every type, both wave sizes, all modifiers, on all engines.
//!
//! The floats are such that every sum is exact in f32, so that no order of additions is asked for.

use half::{bf16, f16};
use wavejit_ir::abi::Exit;
use wavejit_ir::{FpMode, SReg};
use wavejit_isa::{Gfx, assemble};
use wavejit_random::Random;
use wavejit_tests::machine::{INTERPRETER, LEAVE, Machine, OTHERS, lift_code};

/// Type of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Element {
    F32,
    F16,
    Bf16,
    /// OCP 8-bit floats: 4 bits of exponent and 3 of mantissa, 5 and 2.
    Fp8,
    Bf8,
    I32,
    Iu8,
    Iu4,
}
use Element::*;

impl Element {
    fn bits(self) -> u32 {
        match self {
            F32 | I32 => 32,
            F16 | Bf16 => 16,
            Fp8 | Bf8 | Iu8 => 8,
            Iu4 => 4,
        }
    }
    /// The number that `raw` is.
    fn value(self, raw: u32, signed: bool) -> f64 {
        let narrow = |exponent_bits: u32, mantissa_bits: u32| {
            let (bias, one) = ((1 << (exponent_bits - 1)) - 1, 1u32 << mantissa_bits);
            let (exponent, mantissa) = ((raw >> mantissa_bits & ((1 << exponent_bits) - 1)) as i32, raw & (one - 1));
            let size = if exponent == 0 {
                f64::from(mantissa) * 2f64.powi(1 - bias - mantissa_bits as i32)
            } else {
                f64::from(one + mantissa) * 2f64.powi(exponent - bias - mantissa_bits as i32)
            };
            if raw >> (exponent_bits + mantissa_bits) & 1 != 0 { -size } else { size }
        };
        match self {
            F32 => f32::from_bits(raw).into(),
            F16 => f16::from_bits(raw as u16).to_f64(),
            Bf16 => bf16::from_bits(raw as u16).to_f64(),
            Fp8 if raw & 0x7f == 0x7f => f64::NAN,
            Fp8 => narrow(4, 3),
            Bf8 if raw & 0x7c == 0x7c => f16::from_bits((raw << 8) as u16).to_f64(),
            Bf8 => narrow(5, 2),
            I32 => f64::from(raw as i32),
            Iu8 if signed => f64::from(raw as u8 as i8),
            Iu4 if signed => f64::from((raw as i32) << 28 >> 28),
            Iu8 | Iu4 => f64::from(raw),
        }
    }
    /// The raw bits of a result.
    fn of(self, v: f64) -> u32 {
        match self {
            F32 => (v as f32).to_bits(),
            F16 => f16::from_f64(v).to_bits().into(),
            Bf16 => bf16::from_f64(v).to_bits().into(),
            _ => v as i64 as u32,
        }
    }
    /// Any of its values; of floats one of moderate size.
    fn any(self, r: &mut Random) -> u32 {
        let n = r.u32();
        match self {
            F32 => ((n % 33) as f32 - 16.0).to_bits(),
            F16 | Bf16 => self.of(f64::from(n % 33) / 4.0 - 4.0),
            // Exponents around that of 1.
            Fp8 => (n & 0x87) + ((n >> 8) % 6 + 4) * 8,
            Bf8 => (n & 0x83) + ((n >> 8) % 6 + 12) * 4,
            I32 => [0, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x7fff_ff80, 0x8000_0080][n as usize % 6],
            Iu8 => n & 0xff,
            Iu4 => n & 0xf,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Row {
    d: Element,
    a: Element,
    b: Element,
    /// Values of k.
    depth: u32,
    sparse: bool,
}

/// Lane group and place among the lane's elements of value `k` of a row of A, or a column of B (RDNA4 ISA, 7.12.2). The four dense values that
/// a pair of a sparse row chooses from stand in the group of the pair.
fn place(bits: u32, depth: u32, of_sparse: bool, wave_size: u32, k: u32) -> (u32, u32) {
    let bit = |n: u32| k >> n & 1;
    match (bits, depth, wave_size, of_sparse) {
        (16, 16, 32, _) => (bit(2), 4 * bit(3) + k % 4),
        (16, 16, _, _) => (k / 4, k % 4),
        (16, 32, 32, _) => (bit(3), 8 * bit(4) + k % 8),
        (16, 32, _, _) => (k / 8, k % 8),
        (8, 16, 32, _) | (4, 16, _, _) => (bit(3), k % 8),
        (8, 16, _, _) => (2 * bit(2) + bit(3), k % 4),
        (8, 32, 32, _) | (4, 32, 32, _) => (bit(4), k % 16),
        (8, 32, _, _) | (4, 32, _, _) => (2 * bit(3) + bit(4), k % 8),
        (4, 64, 32, true) => (bit(5), k % 32),
        (4, 64, _, true) => (2 * bit(4) + bit(5), k % 16),
        other => panic!("no matrix has {other:?}"),
    }
}

/// Lane and register of an element of C or D with 32 bits.
fn place_of_result(wave_size: u32, row: u32, col: u32) -> (u32, u32) {
    match wave_size {
        32 => (16 * (row / 8) + col, row % 8),
        _ => (32 * (row / 4 % 2) + 16 * (row / 8) + col, row % 4),
    }
}

#[derive(Clone, Copy, Default, Debug)]
struct Modifiers {
    neg_lo: u32,
    neg_hi: u32,
    index_key: u32,
    clamp: bool,
}

impl Row {
    fn name(self) -> String {
        let name = |e: Element| format!("{e:?}").to_lowercase();
        let factors = if self.a.bits() == 8 && self.a != Iu8 { format!("{}_{}", name(self.a), name(self.b)) } else { name(self.a) };
        format!("v_{}_{}_16x16x{}_{factors}", if self.sparse { "swmmac" } else { "wmma" }, name(self.d), self.depth)
    }
    fn is_int(self) -> bool {
        self.d == I32
    }
    /// Values of k that A has in registers.
    fn depth_of_a(self) -> u32 {
        if self.sparse { self.depth / 2 } else { self.depth }
    }
    /// Elements of A in a lane.
    fn in_lane(self, wave_size: u32) -> u32 {
        1 + (0..self.depth_of_a()).map(|k| place(self.a.bits(), self.depth_of_a(), self.sparse, wave_size, k).1).max().expect("k")
    }
    fn modifiers(self, wave_size: u32, r: &mut Random) -> Vec<Modifiers> {
        let keys = if self.sparse { 16 / self.in_lane(wave_size) } else { 1 };
        let (lo, hi) = match (self.a, self.sparse) {
            (Iu8 | Iu4, _) => (3, 0),
            (F16 | Bf16, false) => (7, 7),
            (F16 | Bf16, true) => (3, 3),
            (_, false) => (4, 4),
            _ => (0, 0),
        };
        let mut all = vec![];
        for index_key in 0..keys {
            for clamp in [false, true].into_iter().filter(|c| !c || self.is_int()) {
                let any = |neg_lo: u32, neg_hi: u32| Modifiers { neg_lo: neg_lo & lo, neg_hi: neg_hi & hi, index_key, clamp };
                all.extend((0..=lo.max(hi)).map(|n| any(n, 0)));
                all.extend((1..=hi).map(|n| any(0, n)));
                all.extend((0..4).map(|_| any(r.u32(), r.u32())));
            }
        }
        all.dedup_by_key(|m| (m.neg_lo, m.neg_hi, m.index_key, m.clamp));
        all
    }
}

/// What is multiplied, and where it stands.
struct Matrices {
    row: Row,
    wave_size: u32,
    /// \[row\]\[k that is there\], \[k\]\[col\], \[row\]\[col\].
    a: Vec<Vec<u32>>,
    b: Vec<Vec<u32>>,
    c: Vec<Vec<u32>>,
    /// \[index_key\]\[row\]\[k of A\]: which of four.
    index: Vec<Vec<Vec<u32>>>,
}

const A: u32 = 0;
const B: u32 = 8;
const INDEX: u32 = 16;
/// C and D of the first instruction; those of the next follow after 8.
const D: u32 = 24;
const INSTRUCTIONS: usize = 28;

impl Matrices {
    fn new(row: Row, wave_size: u32, r: &mut Random) -> Matrices {
        let mut of = |e: Element, n: u32, m: u32| (0..n).map(|_| (0..m).map(|_| e.any(r)).collect()).collect::<Vec<Vec<u32>>>();
        let (a, b, c) = (of(row.a, 16, row.depth_of_a()), of(row.b, row.depth, 16), of(row.d, 16, 16));
        let keys = if row.sparse { 16 / row.in_lane(wave_size) } else { 0 };
        let mut pair = || [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]][r.u32() as usize % 6];
        let mut rows = || (0..16).map(|_| (0..row.depth / 4).flat_map(|_| pair()).collect()).collect();
        Matrices { row, wave_size, a, b, c, index: (0..keys).map(|_| rows()).collect() }
    }

    /// Puts an element of A or B, of `bits` bits, in its register.
    fn put(m: &mut Machine, first: u32, lane: u32, at: u32, bits: u32, raw: u32) {
        m.vgpr_mut((first + at * bits / 32) as usize)[lane as usize] |= raw << (at * bits % 32);
    }

    fn machine(&self, instructions: usize) -> Machine {
        let (row, wave_size) = (self.row, self.wave_size);
        let mut m = Machine::new(wave_size);
        (0..256).for_each(|n| m.vgpr_mut(n).fill(0));
        let depth_of_a = row.depth_of_a();
        for i in 0..16 {
            for k in 0..depth_of_a {
                let (group, at) = place(row.a.bits(), depth_of_a, row.sparse, wave_size, k);
                Self::put(&mut m, A, i + 16 * group, at, row.a.bits(), self.a[i as usize][k as usize]);
                for (key, index) in (0..).zip(&self.index) {
                    let at = at + key * row.in_lane(wave_size);
                    Self::put(&mut m, INDEX, i + 16 * group, at, 2, index[i as usize][k as usize]);
                }
            }
            for k in 0..row.depth {
                let (group, at) = place(row.b.bits(), row.depth, row.sparse, wave_size, k);
                Self::put(&mut m, B, i + 16 * group, at, row.b.bits(), self.b[k as usize][i as usize]);
            }
        }
        for n in 0..instructions as u32 {
            self.each(|lane, register, shift, row, col| {
                m.vgpr_mut((D + 8 * n + register) as usize)[lane as usize] |= self.c[row][col] << shift
            });
        }
        // EXEC does not matter.
        m.sregs[usize::from(SReg::EXEC_LO.0)] = 0x8000_0010;
        m.sregs[usize::from(SReg::EXEC_HI.0)] = 0;
        m
    }

    /// Lane, register and place in it of every element of C and D.
    fn each(&self, mut f: impl FnMut(u32, u32, u32, usize, usize)) {
        for (row, col) in (0..256).map(|i| (i / 16, i % 16)) {
            let (lane, register) = place_of_result(self.wave_size, row, col);
            let (register, shift) = if self.row.d.bits() == 16 { (register / 2, 16 * (register % 2)) } else { (register, 0) };
            f(lane, register, shift, row as usize, col as usize);
        }
    }

    fn text(&self, i: usize, m: Modifiers) -> String {
        let (row, wave_size) = (self.row, self.wave_size);
        let range = |first: u32, bits: u32, elements: u32| match elements * bits / 32 {
            1 => format!("v{first}"),
            n => format!("v[{first}:{}]", first + n - 1),
        };
        let d = range(D + 8 * i as u32, row.d.bits(), 256 / wave_size);
        let a = range(A, row.a.bits(), row.in_lane(wave_size));
        let in_b = 1 + (0..row.depth).map(|k| place(row.b.bits(), row.depth, row.sparse, wave_size, k).1).max().expect("k");
        let b = range(B, row.b.bits(), in_b);
        let mut text = format!("{} {d}, {a}, {b}, {}", row.name(), if row.sparse { format!("v{INDEX}") } else { d.clone() });
        let bits = |v: u32| format!("[{},{},{}]", v & 1, v >> 1 & 1, v >> 2 & 1);
        if m.index_key != 0 {
            text += &format!(" index_key:{}", m.index_key);
        }
        if m.neg_lo != 0 {
            text += &format!(" neg_lo:{}", bits(m.neg_lo));
        }
        if m.neg_hi != 0 {
            text += &format!(" neg_hi:{}", bits(m.neg_hi));
        }
        if m.clamp {
            text += " clamp";
        }
        text
    }

    /// D\[row\]\[col\], raw.
    fn expected(&self, m: Modifiers, row: usize, col: usize) -> u32 {
        let Row { d, a, b, .. } = self.row;
        let is = |field: u32, i: u32| field >> i & 1 != 0;
        let mut c = d.value(self.c[row][col], true);
        if !self.row.is_int() {
            c = if is(m.neg_hi, 2) { c.abs() } else { c };
            c = if is(m.neg_lo, 2) { -c } else { c };
        }
        let mut stages = [0.0, 0.0];
        for k in 0..self.row.depth_of_a() {
            let (group, at) = place(a.bits(), self.row.depth_of_a(), self.row.sparse, self.wave_size, k);
            let dense = if self.row.sparse { k / 2 * 4 + self.index[m.index_key as usize][row][k as usize] } else { k };
            let (raw_a, raw_b) = (self.a[row][k as usize], self.b[dense as usize][col]);
            let (mut x, mut y) = (a.value(raw_a, is(m.neg_lo, 0)), b.value(raw_b, is(m.neg_lo, 1)));
            if matches!(a, F16 | Bf16) {
                // The halves of a register: of B those that are multiplied with the halves of A.
                let neg = if at % 2 == 0 { m.neg_lo } else { m.neg_hi };
                x = if is(neg, 0) { -x } else { x };
                y = if is(neg, 1) { -y } else { y };
            }
            stages[group as usize % 2] += x * y;
        }
        if !self.row.is_int() {
            return d.of(c + stages[0] + stages[1]);
        }
        // gfx1201 saturates twice.
        let clamped = |v: f64| if m.clamp { v.clamp(i32::MIN.into(), i32::MAX.into()) } else { v };
        d.of(clamped(clamped(c + stages[0]) + stages[1]))
    }
}

/// The machine after the instructions, on every engine.
fn results(texts: &[String], wave_size: u32, machine: impl Fn() -> Machine) -> Vec<(&'static str, Machine)> {
    let text = texts.join("\n");
    let code = assemble(&text, Gfx(0x1200), wave_size).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let mut words: Vec<u32> = code.bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    words.push(LEAVE);
    let func = lift_code(&words, Gfx(0x1200), wave_size, FpMode::HSA);
    let mut all = vec![];
    for (name, run) in [INTERPRETER, OTHERS[0], OTHERS[1]] {
        let mut m = machine();
        let outcome = run(&func, &mut m).unwrap_or_else(|e| panic!("{text}, {name}: {e}"));
        assert_eq!(outcome.exit, Exit::NewPc, "{text}, {name}: {outcome:?} {:?}", func.failures);
        all.push((name, m));
    }
    all
}

fn check(row: Row) {
    let mut r = Random(row.depth.into());
    for wave_size in [32, 64] {
        for modifiers in row.modifiers(wave_size, &mut r).chunks(INSTRUCTIONS) {
            let matrices = Matrices::new(row, wave_size, &mut r);
            let texts: Vec<String> = modifiers.iter().enumerate().map(|(i, m)| matrices.text(i, *m)).collect();
            for (engine, m) in results(&texts, wave_size, || matrices.machine(modifiers.len())) {
                for (i, modifiers) in modifiers.iter().enumerate() {
                    matrices.each(|lane, register, shift, row, col| {
                        let d = m.vgpr(D as usize + 8 * i + register as usize)[lane as usize] >> shift;
                        let d = if matrices.row.d.bits() == 16 { d & 0xffff } else { d };
                        let want = matrices.expected(*modifiers, row, col);
                        assert_eq!(d, want, "{}, wave{wave_size}, {engine}: {row} {col}, {d:#x} {want:#x}", texts[i]);
                    });
                }
            }
        }
    }
}

fn dense(d: Element, a: Element, b: Element, depth: u32) {
    check(Row { d, a, b, depth, sparse: false });
}
fn sparse(d: Element, a: Element, b: Element, depth: u32) {
    check(Row { d, a, b, depth, sparse: true });
}

#[test]
fn wmma_of_16_bit_floats() {
    dense(F32, F16, F16, 16);
    dense(F32, Bf16, Bf16, 16);
    dense(F16, F16, F16, 16);
    dense(Bf16, Bf16, Bf16, 16);
}

#[test]
fn wmma_of_8_bit_floats() {
    for (a, b) in [(Fp8, Fp8), (Fp8, Bf8), (Bf8, Fp8), (Bf8, Bf8)] {
        dense(F32, a, b, 16);
    }
}

#[test]
fn wmma_of_integers() {
    dense(I32, Iu8, Iu8, 16);
    dense(I32, Iu4, Iu4, 16);
    dense(I32, Iu4, Iu4, 32);
}

#[test]
fn swmmac_of_16_bit_floats() {
    sparse(F32, F16, F16, 32);
    sparse(F32, Bf16, Bf16, 32);
    sparse(F16, F16, F16, 32);
    sparse(Bf16, Bf16, Bf16, 32);
}

#[test]
fn swmmac_of_8_bit_floats() {
    for (a, b) in [(Fp8, Fp8), (Fp8, Bf8), (Bf8, Fp8), (Bf8, Bf8)] {
        sparse(F32, a, b, 32);
    }
}

#[test]
fn swmmac_of_integers() {
    sparse(I32, Iu8, Iu8, 32);
    sparse(I32, Iu4, Iu4, 32);
    sparse(I32, Iu4, Iu4, 64);
}

/// Every encoding of an 8-bit float as A and as B, times 1; what is not chosen, all of it NaN, does not count.
#[test]
fn all_8_bit_floats_are_what_ocp_says() {
    for (name, a, b) in [("fp8_bf8", Fp8, Bf8), ("bf8_fp8", Bf8, Fp8)] {
        let one = |e| if e == Fp8 { 0x38 } else { 0x3c };
        for source in 0..2 {
            let texts = [
                format!("v_wmma_f32_16x16x16_{name} v[24:31], v[0:1], v[2:3], 0"),
                format!("v_swmmac_f32_16x16x32_{name} v[32:39], v[0:1], v[4:7], v8"),
            ];
            for first in (0..256u32).step_by(16) {
                let machine = || {
                    let mut m = Machine::new(32);
                    // Rows of A, or columns of B, have one encoding each.
                    let fill = |m: &mut Machine, n: usize, of: &dyn Fn(u32) -> u32| {
                        m.vgpr_mut(n).iter_mut().zip(0..).for_each(|(v, lane)| *v = of(lane));
                    };
                    let of = |e: Element, mine: bool| move |lane: u32| (if mine { first + lane % 16 } else { one(e) }) * 0x0101_0101;
                    (0..2).for_each(|n| fill(&mut m, n, &of(a, source == 0)));
                    (2..4).for_each(|n| fill(&mut m, n, &of(b, source == 1)));
                    // Bytes 1 and 3 of each four.
                    (4..8).for_each(|n| fill(&mut m, n, &|lane| of(b, source == 1)(lane) | 0x007f_007f));
                    fill(&mut m, 8, &|_| 0xdddd_dddd);
                    (32..40).for_each(|n| fill(&mut m, n, &|_| 0));
                    m
                };
                for (engine, m) in results(&texts, 32, machine) {
                    for (row, col) in (0..256).map(|i| (i / 16, i % 16)) {
                        let raw = first + if source == 0 { row } else { col };
                        let want = 16.0 * if source == 0 { a } else { b }.value(raw, true) as f32;
                        let (lane, register) = place_of_result(32, row, col);
                        for d in [24, 32] {
                            let got = f32::from_bits(m.vgpr(d + register as usize)[lane as usize]);
                            let same = got == want || got.is_nan() && want.is_nan();
                            assert!(same, "{name} {engine} v{d} source {source}: {raw:#x} is {got}, not {want}");
                        }
                    }
                }
            }
        }
    }
}
