//! Floating point of 16, 32 and 64 bits.

use crate::case::{Case, Random, Tolerance};
use half::f16;

/// f16 scalars: one rounding per operation.
pub fn half_poly(_wave: u32) -> Case {
    let n = 128;
    let input = Random(81).many(n, |r| r.f32(-4.0, 4.0));
    let (mut out, mut wide) = (Vec::new(), Vec::new());
    for &x in &input {
        let x = round16(f64::from(x));
        let p = round16(round16(x * 0.125 - 0.75) * x + 1.5);
        let q = round16(round16(x * x) - p);
        let r = if p > q { p.max(x) } else { q.min(x) };
        out.push(f16::from_f64(round16(r + 0.5)));
        wide.push(r as f32 * 2.0);
    }
    Case::line("half_poly", n as u32, 64).input(&input).output(&out).output(&wide)
}

/// Packed f16.
pub fn half2_blend(_wave: u32) -> Case {
    let (n, amount) = (96, 0.3f32);
    let mut r = Random(82);
    let mut vectors = || -> Vec<[f16; 4]> { r.many(n, |r| std::array::from_fn(|_| f16::from_f64(round16(r.f64(-5.0, 5.0))))) };
    let (a, b) = (vectors(), vectors());
    let t = round16(f64::from(amount));
    let mut want = Vec::new();
    for (x, y) in a.iter().zip(&b) {
        want.push(std::array::from_fn::<f16, 4, _>(|i| {
            let (x, y, other) = (x[i].to_f64(), y[i].to_f64(), y[3 - i].to_f64());
            let mixed = round16(t * round16(y - x) + x);
            let product = round16(x * other);
            f16::from_f64(round16(mixed.max(product).min(6.0) + [-0.5, 0.25, 1.0, 0.0][i]))
        }));
    }
    Case::line("half2_blend", n as u32, 32).input(&a).input(&b).output(&want).value(amount)
}

/// The f16 nearest to `x`, ties to even, as f64. The sums above are exact in f64, so this is the only rounding.
fn round16(x: f64) -> f64 {
    let exponent = x.abs().max(f64::from(f16::MIN_POSITIVE)).log2().floor();
    let step = (exponent - 10.0).exp2();
    let rounded = (x / step).round_ties_even() * step;
    if rounded.abs() > 65504.0 { rounded * f64::INFINITY } else { rounded }
}

/// f64, division and square root included: all correctly rounded.
pub fn double_math(_wave: u32) -> Case {
    let n = 128;
    let mut r = Random(83);
    let pairs: Vec<[f64; 2]> = r.many(n, |r| {
        let scale = (r.below(24) as f64 - 12.0).exp2();
        [r.f64(-1e4, 1e4) * scale, r.f64(-1e4, 1e4)]
    });
    let (mut out, mut ints) = (Vec::new(), Vec::new());
    for &[x, y] in &pairs {
        let (s, p) = (x + y, x * y);
        out.push([s.mul_add(p, -x), x / y, p.abs().sqrt(), s.floor() - x.trunc() + x.min(y)]);
        ints.push((s * 1000.0) as i64 + i64::from(x as i32) + i64::from(y.abs() as u32));
    }
    Case::line("double_math", n as u32, 64).input(&pairs).output(&out).output(&ints)
}

/// Transcendental functions. Tolerances are those of the OpenCL specification ("Relative error as ULPs"): 4 for sin and cos, 3 for exp and
/// log, 16 for pow, and so on; the native ones are one instruction of 1 ulp each, native_sin after a rounded multiplication by 1 / (2 pi).
pub fn transcend(_wave: u32) -> Case {
    let n = 128usize;
    let mut input = Random(84).many(n, |r| r.f32(-8.0, 8.0));
    input[..6].copy_from_slice(&[0.0, 0.875, -0.875, 1.0, -7.0, 3.0]);
    let functions: [fn(f64, f64) -> f64; 14] = [
        |x, _| x.sin(),
        |x, _| x.cos(),
        |x, _| (x * 0.25).exp(),
        |_, y| y.ln(),
        |_, y| y.powf(f64::from(1.7f32)),
        |_, y| y.sqrt(),
        |_, y| 1.0 / y.sqrt(),
        |x, _| x.tanh(),
        |x, y| x.atan2(y),
        |x, y| x / y,
        |x, _| x.exp2(),
        |_, y| y.log2(),
        |x, _| x.sin(),
        |_, y| 1.0 / y,
    ];
    // 8 / (2 pi) rounds to 2^-24 of itself: a phase error of 8 * 2^-24 at most, and one more rounding
    let native_sin = Tolerance { ulps: 1.0, abs: 6e-7 };
    let tolerances = [4.0, 4.0, 3.0, 3.0, 16.0, 3.0, 2.0, 5.0, 6.0, 2.5, 2.0, 2.0, 0.0, 1.0];
    let mut want = Vec::new();
    for (i, f) in functions.iter().enumerate() {
        let tolerance = if i == 12 { native_sin } else { Tolerance { ulps: tolerances[i], abs: 0.0 } };
        want.extend(input.iter().map(|&x| (f(f64::from(x), f64::from(x.abs() + 0.125)), tolerance)));
    }
    Case::line("transcend", n as u32, 64).input(&input).close_each(&[], want)
}

/// One leapfrog step. Sums of about a hundred terms in f32 with contracted arithmetic: 1e-5 of the largest.
pub fn nbody_step(_wave: u32) -> Case {
    let (n, dt, soft) = (100usize, 0.01f32, 0.05f32);
    let mut r = Random(85);
    let pos: Vec<[f32; 4]> = r.many(n, |r| [r.f32(-1.0, 1.0), r.f32(-1.0, 1.0), r.f32(-1.0, 1.0), r.f32(0.1, 1.0)]);
    let vel: Vec<[f32; 4]> = r.many(n, |r| [r.f32(-0.1, 0.1), r.f32(-0.1, 0.1), r.f32(-0.1, 0.1), 0.0]);
    let (mut next, mut after) = (Vec::new(), Vec::new());
    for i in 0..n {
        let me = pos[i].map(f64::from);
        let mut a = [0f64; 3];
        for p in &pos {
            let d: [f64; 3] = std::array::from_fn(|k| f64::from(p[k]) - me[k]);
            let square = d.iter().map(|x| x * x).sum::<f64>() + f64::from(soft);
            for (a, d) in a.iter_mut().zip(d) {
                *a += f64::from(p[3]) * square.powf(-1.5) * d;
            }
        }
        for k in 0..4 {
            let v = f64::from(vel[i][k]) + f64::from(dt) * a.get(k).copied().unwrap_or(0.0);
            after.push(v);
            next.push(me[k] + f64::from(dt) * v);
        }
    }
    let case = Case::line("nbody_step", 128, 64).input(&pos).close(&[], next, 4.0, 1e-5).close(&vel.concat(), after, 4.0, 1e-4);
    case.value(n as i32).value(dt).value(soft)
}

/// Black-Scholes prices: differences of products of about 100, each factor within a few ulp; 1e-4 absolute is 12 ulp of 100.
pub fn option_price(_wave: u32) -> Case {
    let (n, rate) = (100usize, 0.03f32);
    let input: Vec<[f32; 4]> = Random(86).many(n, |r| [r.f32(20.0, 120.0), r.f32(20.0, 120.0), r.f32(0.2, 5.0), r.f32(0.1, 0.6)]);
    let mut want = Vec::new();
    for v in &input {
        let [spot, strike, years, vol] = v.map(f64::from);
        let rate = f64::from(rate);
        let spread = vol * years.sqrt();
        let d1 = ((spot / strike).ln() + (rate + 0.5 * vol * vol) * years) / spread;
        let paid = strike * (-rate * years).exp();
        let call = spot * normal(d1) - paid * normal(d1 - spread);
        want.extend([call, call - spot + paid]);
    }
    Case::line("option_price", 128, 64).input(&input).close(&[], want, 4.0, 1e-4).value(rate).value(n as i32)
}

/// Cumulative normal distribution by Simpson's rule from 0 to `x`; good to 1e-12 for the |x| < 12 used here.
fn normal(x: f64) -> f64 {
    let steps = 4000;
    let h = x / f64::from(steps);
    let density = |t: f64| (-0.5 * t * t).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let inner: f64 = (1..steps).map(|i| density(h * f64::from(i)) * if i % 2 == 1 { 4.0 } else { 2.0 }).sum();
    0.5 + h / 3.0 * (density(0.0) + inner + density(x))
}
