//! Division: the table of div_scale, div_fixup's cases, and the chains LLVM emits for quotients and square roots, which must round correctly
//! (numerics.md section 6) and be, bit for bit and for NaNs too, the operations that the passes make of them.

use super::*;

const ONE: u32 = 0x3f80_0000;

/// 1.25 * 2^e
fn p(e: i32) -> u32 {
    ((127 + e) as u32) << 23 | 1 << 21
}

#[test]
fn rows_of_div_scale_f32() {
    let times = |x: u32, e: i32| (f32::from_bits(x) as f64 * 2.0f64.powi(e)) as f32;
    // (denominator, numerator), scaled denominator, scaled numerator, VCC
    for (d, n, on_d, on_n, vcc) in [
        (p(100), p(0), 0, 0, 0),           // row 8
        (p(-96), p(0), 64, 0, 1),          // row 2
        (0x0000_4000, p(-126), 64, 64, 0), // row 3
        (p(126), p(-1), -64, 0, 1),        // row 4
        (p(126), p(10), -64, -64, 0),      // row 5
        (p(63), p(-63), 0, 64, 1),         // row 6
        (ONE, 0x0080_0000, 0, 64, 1),      // row 6, numerator 2^-126 over 1
        (p(-110), p(-110), 64, 64, 0),     // row 7
        (p(5), p(-104), 64, 64, 0),        // row 7, both alike
    ] {
        let (d64, n64) = (u64::from(d), u64::from(n));
        assert_eq!(eval(DivScale32, HSA, d64, d64, n64), bits(times(d, on_d)).into(), "denominator of {n:#x} / {d:#x}");
        assert_eq!(eval(DivScale32, HSA, n64, d64, n64), bits(times(n, on_n)).into(), "numerator of {n:#x} / {d:#x}");
        assert_eq!(eval(DivScaleFlag32, HSA, n64, d64, n64), vcc, "VCC of {n:#x} / {d:#x}");
    }
    // row 1, also for a denormal denominator that is flushed
    for (mode, d, n) in [(HSA, 0, ONE), (HSA, ONE, 0), (FpMode(0x3c0), 5, ONE)] {
        assert_eq!(op3(DivScale32, mode, d, d, n), 0xffc0_0000);
        assert_eq!(op3(DivScaleFlag32, mode, d, d, n), 1);
    }
}

#[test]
fn div_fmas_scales_by_the_addend() {
    let big = bits(2.0f32.powi(10));
    assert_eq!(op3(DivFmasScaled32, HSA, 0u32, 0u32, big), bits(2.0f32.powi(74)).into());
    assert_eq!(op3(DivFmasScaled32, HSA, 0u32, 0u32, ONE), bits(2.0f32.powi(-64)).into());
    assert_eq!(op3(DivFmasScaled64, HSA, 0u64, 0u64, bits64(4.0)), bits64(2.0f64.powi(130)));
    assert_eq!(op3(DivFmasScaled64, HSA, 0u64, 0u64, bits64(1.0)), bits64(2.0f64.powi(-128)));
    // one rounding: 2^-85 (1 + 2^-23) + 2^-110, scaled to a tie of denormals that the product breaks
    let tie = bits(2.0f32.powi(-86) * 3.0);
    assert_eq!(op3(DivFmasScaled32, HSA, bits(2.0f32.powi(-60)), bits(-(2.0f32.powi(-60))), tie), 1);
    assert_eq!(op3(DivFmasScaled32, HSA, 0u32, 0u32, tie), 2);
    let tie = bits64(2.0f64.powi(-947) * 3.0);
    assert_eq!(op3(DivFmasScaled64, HSA, bits64(2.0f64.powi(-530)), bits64(-(2.0f64.powi(-530))), tie), 1);
    assert_eq!(op3(DivFmasScaled64, HSA, 0u64, 0u64, tie), 2);
}

/// div_fmas of f64 in 113 bits: rounded to odd by apfloat, scaled, rounded.
fn fmas64_by_quad([a, b, c]: [u64; 3]) -> f64 {
    use rustc_apfloat::ieee::{Double, Quad};
    use rustc_apfloat::{Float, FloatConvert, Round, Status};
    let wide = |x: u64| -> Quad { Double::from_bits(x.into()).convert(&mut false).value };
    let sum = wide(a).mul_add_r(wide(b), wide(c), Round::TowardZero);
    let odd = Quad::from_bits(sum.value.to_bits() | u128::from(sum.status.contains(Status::INEXACT)));
    let scaled: Double = odd.scalbn(if c >> 52 & 0x7ff > 1023 { 128 } else { -128 }).convert(&mut false).value;
    f64::from_bits(scaled.to_bits() as u64)
}

#[test]
fn div_fmas_f64_rounds_once() {
    let mut random = Random(21);
    for _ in 0..100_000 {
        // half of them with sums whose scaled value is near the denormals
        let near = |r: u64| if r & 1 == 0 { r } else { (r & !(0x7ff << 52)) | ((0x040 + (r >> 52 & 0x3f)) << 52) };
        let [a, b, c] = [random.f64_bits(), random.f64_bits(), near(random.u64())];
        let b = if c & 1 == 1 { (b & !(0x7ff << 52)) | 0x3ff << 52 } else { b };
        let a = if c & 2 == 2 { (a & !(0x7ff << 52)) | ((0x020 + (a >> 52 & 0x3f)) << 52) } else { a };
        let got = f64::from_bits(op3(DivFmasScaled64, HSA, a, b, c));
        let want = fmas64_by_quad([a, b, c]);
        assert!(got == want || got.is_nan() && want.is_nan(), "{a:#x} {b:#x} {c:#x}: {got:e}, not {want:e}");
    }
}

#[test]
fn cases_of_div_fixup() {
    let (inf, minus) = (0x7f80_0000u32, 0x8000_0000u32);
    let fix = |q: u32, d: u32, n: u32| op3(DivFixup32, HSA, q, d, n) as u32;
    assert_eq!(fix(ONE, ONE, 0x7f80_0001), 0x7fc0_0001, "the numerator's NaN first");
    assert_eq!(fix(ONE, 0xff80_0002, ONE), 0xffc0_0002);
    assert_eq!(fix(ONE, 0, minus), 0xffc0_0000);
    assert_eq!(fix(ONE, inf, inf | minus), 0xffc0_0000);
    assert_eq!(fix(ONE, minus, ONE), inf | minus);
    assert_eq!(fix(ONE, ONE, inf | minus), inf | minus);
    assert_eq!(fix(ONE, inf | minus, ONE), minus);
    assert_eq!(fix(ONE, ONE, minus), minus);
    assert_eq!(fix(ONE, p(100), p(-60)), 0, "far below the smallest denormal");
    assert_eq!(op3(DivFixup32, FpMode(HSA.0 | 1), ONE, p(100), p(-60)), 1, "rounding up");
    assert_eq!(op3(DivFixup32, FpMode(HSA.0 | 2), ONE, p(100) | minus, p(-60)), 0x8000_0001);
    assert_eq!(fix(0x7fc0_0000, ONE | minus, ONE), inf | minus, "a failed estimate");
    assert_eq!(fix(p(3), ONE | minus, ONE), p(3) | minus);
    assert_eq!(op3(DivFixup16, HSA, 0x3c00u32, 0x8000u32, 0x3c00u32), 0xfc00);
    assert_eq!(op3(DivFixup16, HSA, 0x3c00u32, 0xbc00u32, 0x3c00u32), 0xbc00);
    assert_eq!(op3(DivFixup64, HSA, bits64(1.0), bits64(1e300), bits64(1e-300)), 0);
}

/// The chain of LLVM's AMDGPU back end for f32 fdiv.
fn divide32(n: u64, d: u64) -> u64 {
    let fma = |a, b, c| eval(FFma32, HSA, a, b, c);
    let one = u64::from(ONE);
    let den = eval(DivScale32, HSA, d, d, n);
    let num = eval(DivScale32, HSA, n, d, n);
    let vcc = eval(DivScaleFlag32, HSA, n, d, n);
    let rcp = eval(FRcp32, HSA, den, 0, 0);
    let minus = den ^ 0x8000_0000;
    let e = fma(minus, rcp, one);
    let y = fma(e, rcp, rcp);
    let q = eval(FMul32, HSA, num, y, 0);
    let r = fma(minus, q, num);
    let q = fma(r, y, q);
    let r = fma(minus, q, num);
    let q = eval(if vcc == 1 { DivFmasScaled32 } else { FFma32 }, HSA, r, y, q);
    eval(DivFixup32, HSA, q, d, n)
}

/// The same for f64.
fn divide64(n: u64, d: u64) -> u64 {
    let fma = |a, b, c| eval(FFma64, HSA, a, b, c);
    let one = bits64(1.0);
    let den = eval(DivScale64, HSA, d, d, n);
    let num = eval(DivScale64, HSA, n, d, n);
    let vcc = eval(DivScaleFlag64, HSA, n, d, n);
    let rcp = eval(FRcp64, HSA, den, 0, 0);
    let minus = den ^ 1 << 63;
    let y = fma(rcp, fma(minus, rcp, one), rcp);
    let y = fma(y, fma(minus, y, one), y);
    let q = eval(FMul64, HSA, num, y, 0);
    let r = fma(minus, q, num);
    let q = eval(if vcc == 1 { DivFmasScaled64 } else { FFma64 }, HSA, r, y, q);
    eval(DivFixup64, HSA, q, d, n)
}

#[test]
fn f32_division_is_correctly_rounded() {
    let mut random = Random(1);
    let edges = [
        0,
        1,
        2,
        3,
        0x40_0000,
        0x7f_ffff,
        0x80_0000,
        0x80_0001,
        0xff_ffff,
        ONE - 1,
        ONE,
        ONE + 1,
        0x7f7f_ffff,
        0x7e80_0000,
        0x7f80_0000,
        0x7f80_0001,
        0x7fc0_1234,
    ];
    let near = (0..256).map(|e| (e << 23) as u32 | 0x12_3456);
    let edges: Vec<u32> = edges.into_iter().chain(near).collect();
    let pairs = edges.iter().flat_map(|n| edges.iter().map(|d| (*n, *d)));
    let more = (0..200_000).map(|_| (random.f32_bits(), random.f32_bits()));
    for (n, d) in pairs.chain(more.collect::<Vec<_>>()) {
        for (n, d) in [(n, d), (n ^ 1 << 31, d), (n ^ 1 << 31, d ^ 1 << 31)] {
            let want = f32::from_bits(n) / f32::from_bits(d);
            let got = divide32(n.into(), d.into()) as u32;
            assert!(
                got == want.to_bits() || want.is_nan() && got & 0x7fff_ffff > 0x7fc0_0000 - 1,
                "{n:#x} / {d:#x}: {got:#x}, not {:#x}",
                want.to_bits()
            );
            let whole = op2(FDiv32, HSA, n, d) as u32;
            assert_eq!(got, whole, "{n:#x} / {d:#x}: {got:#x}, as one operation {whole:#x}");
        }
    }
}

#[test]
fn f64_division_is_correctly_rounded() {
    let mut random = Random(2);
    let near = (0..2048u64).step_by(7).map(|e| e << 52 | 0x1_2345_6789_abcd);
    let edges: Vec<u64> = [
        0,
        1,
        3,
        (1 << 52) - 1,
        1 << 52,
        0x3ff0 << 48,
        0x7fe0 << 48,
        (0x7ff0 << 48) - 1,
        0x7ff0 << 48,
        (0x7ff0 << 48) + 1,
        (0x7ff8 << 48) + 5,
    ]
    .into_iter()
    .chain(near)
    .collect();
    let pairs = edges.iter().flat_map(|n| edges.iter().map(|d| (*n, *d)));
    let more: Vec<_> = (0..100_000).map(|_| (random.f64_bits(), random.f64_bits())).collect();
    for (n, d) in pairs.chain(more) {
        for (n, d) in [(n, d), (n ^ 1 << 63, d), (n ^ 1 << 63, d ^ 1 << 63)] {
            let want = f64::from_bits(n) / f64::from_bits(d);
            let got = divide64(n, d);
            assert!(
                got == want.to_bits() || want.is_nan() && f64::from_bits(got).is_nan(),
                "{n:#x} / {d:#x}: {got:#x}, not {:#x}",
                want.to_bits()
            );
            let whole = op2(FDiv64, HSA, n, d);
            assert_eq!(got, whole, "{n:#x} / {d:#x}: {got:#x}, as one operation {whole:#x}");
        }
    }
}

/// The chain of LLVM's AMDGPU back end for f32 square roots.
fn root32(x: u64) -> u64 {
    let fma = |a, b, c| eval(FFma32, HSA, a, b, c);
    let is_small = eval(FCmpLt32, HSA, x, bits(2.0f32.powi(-96)).into(), 0) != 0;
    let scaled = if is_small { eval(FMul32, HSA, x, bits(2.0f32.powi(32)).into(), 0) } else { x };
    let s = eval(FSqrt32, HSA, scaled, 0, 0);
    let [below, above] = [u64::from(u32::MAX), 1].map(|by| eval(IAdd32, HSA, s, by, 0));
    let rest = |v: u64| fma(v ^ 1 << 31, s, scaled);
    let near = if eval(FCmpLe32, HSA, rest(below), 0, 0) != 0 { below } else { s };
    let near = if eval(FCmpGt32, HSA, rest(above), 0, 0) != 0 { above } else { near };
    let r = if is_small { eval(FMul32, HSA, near, bits(2.0f32.powi(-16)).into(), 0) } else { near };
    if eval(FClass32, HSA, scaled, 0x260, 0) != 0 { scaled } else { r }
}

/// The same for f64.
fn root64(x: u64) -> u64 {
    let fma = |a, b, c| eval(FFma64, HSA, a, b, c);
    let minus = |v: u64| v ^ 1 << 63;
    let half = bits64(0.5);
    let is_small = eval(FCmpLt64, HSA, x, bits64(2.0f64.powi(-767)), 0) != 0;
    let scaled = eval(FLdexp64, HSA, x, if is_small { 256 } else { 0 }, 0);
    let y = eval(FRsq64, HSA, scaled, 0, 0);
    let (root, h) = (eval(FMul64, HSA, scaled, y, 0), eval(FMul64, HSA, y, half, 0));
    let e = fma(minus(h), root, half);
    let (root, h) = (fma(root, e, root), fma(h, e, h));
    let root = fma(fma(minus(root), root, scaled), h, root);
    let root = fma(fma(minus(root), root, scaled), h, root);
    let r = eval(FLdexp64, HSA, root, if is_small { u64::from((-128i32).cast_unsigned()) } else { 0 }, 0);
    if eval(FClass64, HSA, scaled, 0x260, 0) != 0 { scaled } else { r }
}

fn compare_root32(x: u32) {
    let (got, whole) = (root32(x.into()) as u32, op1(FSqrtDenorm32, HSA, x) as u32);
    let want = f32::from_bits(x).sqrt();
    assert!(got == want.to_bits() || want.is_nan() && f32::from_bits(got).is_nan(), "root of {x:#x}: {got:#x}, not {:#x}", want.to_bits());
    assert_eq!(got, whole, "root of {x:#x}: {got:#x}, as one operation {whole:#x}");
}

#[test]
fn f32_square_roots_are_correctly_rounded() {
    (0..=u32::MAX).step_by(9973).for_each(compare_root32);
    for e in 0..512 {
        for m in [0, 1, 2, 0x3f_ffff, 0x40_0000, 0x7f_fffe, 0x7f_ffff] {
            compare_root32(e << 23 | m);
        }
    }
}

#[test]
#[ignore = "takes minutes: all numbers"]
fn f32_square_roots_of_all_numbers_are_correctly_rounded() {
    (0..=u32::MAX).for_each(compare_root32);
}

/// Where the root is as near to a tie as it can be (`opt::idioms` says which numbers these are), over all exponents; then any.
#[test]
fn f64_square_roots_are_correctly_rounded() {
    let mut random = Random(7);
    let mantissas = [0, 1, 2, 3, 1 << 51, (1 << 52) - 3, (1 << 52) - 2, (1 << 52) - 1];
    let near = (0..4096u64).flat_map(|e| mantissas.map(|m| e << 52 | m));
    // Roots next to the middle of two numbers by a few units: k odd, k² by 2^54 (2^55 for odd exponents) is nearly a whole number.
    let hard = (0..100_000u64).map(|i| {
        let k = u128::from(1u64 << 53 | i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11 | 1);
        let square = k * k;
        let places = 127 - square.leading_zeros() - 52;
        let mantissa = (square + (1 << (places - 1))) >> places;
        (1023 + u64::from(places & 1)) << 52 | mantissa as u64 & ((1 << 52) - 1)
    });
    let any: Vec<u64> = (0..200_000).map(|_| random.f64_bits()).collect();
    for x in near.chain(hard).chain(any) {
        let (got, whole, want) = (root64(x), op1(FSqrt64, HSA, x), f64::from_bits(x).sqrt());
        assert!(
            got == want.to_bits() || want.is_nan() && f64::from_bits(got).is_nan(),
            "root of {x:#x}: {got:#x}, not {:#x}",
            want.to_bits()
        );
        assert_eq!(got, whole, "root of {x:#x}: {got:#x}, as one operation {whole:#x}");
    }
}

/// Numerators, denominators and quotients of a format with `P` bits of mantissa, to make operands whose quotient is as near to a tie as two
/// such numbers allow.
struct Ties {
    p: u32,
    random: Random,
}

/// How many to try; more by hand.
fn rounds() -> u32 {
    std::env::var("WAVEJIT_FUZZ_ROUNDS").ok().and_then(|s| s.parse().ok()).unwrap_or(60_000)
}

impl Ties {
    /// Odd `m` of `k` + 1 bits, and `n`, `d` of `p` bits with `n / d` = `m / 2^k`, but for +-1 in the last place of `d * m`. That is a tie of
    /// `k` bits; with `k` = `p` one of whole mantissas.
    fn next(&mut self, k: u32, above: bool) -> Option<(u64, u64)> {
        let top = 1u128 << (self.p - 1);
        let m = (u128::from(self.random.u64()) & ((1 << k) - 1)) | 1 << k | 1;
        let modulus = (1u128 << k) - 1;
        // Newton's iteration doubles the right bits.
        let inverse = (0..7).fold(1u128, |x, _| x.wrapping_mul(2u128.wrapping_sub(m.wrapping_mul(x))) & modulus);
        let d = if above { modulus + 1 - inverse } else { inverse } | (u128::from(self.random.u64()) & (top - 1) & !modulus) | top;
        // Where the inverse has the top bit's place, it may lack that bit.
        let product = if above { d * m + 1 } else { d * m - 1 };
        let n = product >> k;
        (product & modulus == 0 && n >= top && n < 2 * top).then_some((n as u64, d as u64))
    }
}

#[test]
fn f32_quotients_next_to_ties_are_correctly_rounded() {
    let mut ties = Ties { p: 24, random: Random(3) };
    let mut tried = 0;
    for round in 0..rounds() {
        let k = if round % 2 == 0 { 24 } else { 1 + round / 2 % 23 };
        let Some((n, d)) = ties.next(k, round % 3 == 0) else { continue };
        let (n, d) = (n as u32 & 0x7f_ffff, d as u32 & 0x7f_ffff);
        let pairs: Vec<(u32, u32)> = if k == 24 {
            // Normal quotients, among them those of the smallest numerators, whose remainders are denormal.
            let en = [1, 22, 23, 24, 25, 26, 46, 47, 127, 254][round as usize / 2 % 10];
            [en - 40, en - 1, en, en + 30].into_iter().filter(|e| (1..255).contains(e)).map(|ed: i32| (en as u32, ed as u32)).collect()
        } else {
            // Denormal ones of k bits: n / d is m * 2^-150.
            [1, 60, 127, 200].iter().map(|x| (x + 1, x + 1 + 150 - k)).filter(|(_, ed)| *ed < 255).collect()
        };
        for (en, ed) in pairs {
            let (n, d) = (en << 23 | n, ed << 23 | d);
            let want = (f32::from_bits(n) / f32::from_bits(d)).to_bits();
            let got = divide32(n.into(), d.into()) as u32;
            assert_eq!(got, want, "{n:#x} / {d:#x}: {got:#x}, not {want:#x}");
            tried += 1;
        }
    }
    assert!(tried > 20_000, "{tried}");
}

#[test]
fn f64_quotients_next_to_ties_are_correctly_rounded() {
    let mut ties = Ties { p: 53, random: Random(4) };
    let mut tried = 0;
    for round in 0..rounds() {
        let k = if round % 2 == 0 { 53 } else { 1 + round / 2 % 52 };
        let Some((n, d)) = ties.next(k, round % 3 == 0) else { continue };
        let (n, d) = (n & ((1 << 52) - 1), d & ((1 << 52) - 1));
        let pairs: Vec<(u64, u64)> = if k == 53 {
            let en = [1, 52, 53, 54, 55, 56, 104, 105, 106, 1023, 2046][round as usize / 2 % 11];
            [en - 700, en - 1, en, en + 300].into_iter().filter(|e| (1..2047).contains(e)).map(|ed: i64| (en as u64, ed as u64)).collect()
        } else {
            [1, 300, 971, 1500].iter().map(|x| (x + 1, x + 1 + 1075 - u64::from(k))).filter(|(_, ed)| *ed < 2047).collect()
        };
        for (en, ed) in pairs {
            let (n, d) = (en << 52 | n, ed << 52 | d);
            let want = (f64::from_bits(n) / f64::from_bits(d)).to_bits();
            let got = divide64(n, d);
            assert_eq!(got, want, "{n:#x} / {d:#x}: {got:#x}, not {want:#x}");
            tried += 1;
        }
    }
    assert!(tried > 20_000, "{tried}");
}

/// Around the smallest normal quotient the sum of div_fmas has one bit more than the result: what rounds up to that number in both
/// roundings need not do so in one. All quotients within 8 half units of it, from every denominator within 16 units of a power of two or
/// of the number below one, for exponents all over the range.
#[test]
fn f64_quotients_about_the_smallest_normal_number_round_once() {
    assert_eq!(divide64(0x000f_ffff_ffff_ffff, 0x3fef_ffff_ffff_ffff), 0x000f_ffff_ffff_ffff, "the case that was wrong");
    for ed in [1u64, 52, 53, 54, 600, 1000, 1021, 1022, 1023, 1024, 1076, 1500, 2045, 2046] {
        for md in (0..16).chain((1 << 52) - 16..1 << 52) {
            for half_units in (1u128 << 53) - 8..(1 << 53) + 9 {
                let d = ed << 52 | md;
                let product = u128::from(1 << 52 | md) * half_units;
                let Some(n) = rounded_down(product, ed as i32 - 1075 - 1075) else { continue };
                for n in n.saturating_sub(1)..n + 3 {
                    let want = (f64::from_bits(n) / f64::from_bits(d)).to_bits();
                    let got = divide64(n, d);
                    assert_eq!(got, want, "{n:#x} / {d:#x}: {got:#x}, not {want:#x}");
                }
            }
        }
    }
}

/// The f64 at or below `x` * 2^`e`, if there is one.
fn rounded_down(x: u128, e: i32) -> Option<u64> {
    let top = 127 - x.leading_zeros() as i32;
    let exponent = (top + e + 1023).max(1);
    // The place of the result's last bit, as a power of two.
    let last = exponent - 1075;
    let n = x.checked_shr(u32::try_from(last - e).ok()?).unwrap_or(0) as u64;
    (exponent < 2047).then_some(if n >> 52 == 0 { n } else { (exponent as u64) << 52 | n & ((1 << 52) - 1) })
}

/// div_fmas against 113 bits, for every addend within 40 last places of what scales to the smallest normal number, and products from half
/// a last place down to what only 113 bits see.
#[test]
fn div_fmas_f64_rounds_once_about_the_smallest_normal_number() {
    let unit = |e: i32| ((1023 + e) as u64) << 52;
    // c steps by its last place about 2^-894; a * b is a fraction of that step, down to what 113 bits still see
    for steps in -40i64..40 {
        let c = unit(-894).wrapping_add_signed(steps);
        for fraction in [-946, -947, -948, -949, -950, -955, -990] {
            for sign in [0, 1u64 << 63] {
                for last in [0, 1, (1 << 52) - 1] {
                    let (a, b) = (sign | unit(fraction + 400) | last, unit(-400));
                    for c in [c, c | 1 << 63] {
                        let got = f64::from_bits(op3(DivFmasScaled64, HSA, a, b, c));
                        let want = fmas64_by_quad([a, b, c]);
                        assert!(got.to_bits() == want.to_bits(), "{a:#x} {b:#x} {c:#x}: {got:e}, not {want:e}");
                    }
                }
            }
        }
    }
}
