//! Kernels that work in LDS between barriers.

use crate::case::{Case, Random};

/// C = A * B. The kernel names its fused multiply-adds and goes through k in order; padding adds exact zeros.
pub fn sgemm_block(_wave: u32) -> Case {
    let (m, n, k) = (37usize, 45usize, 50usize);
    let mut r = Random(31);
    let (a, b) = (r.many(m * k, |r| r.f32(-1.0, 1.0)), r.many(k * n, |r| r.f32(-1.0, 1.0)));
    let mut want = Vec::new();
    for y in 0..m {
        for x in 0..n {
            want.push((0..k).fold(0f32, |s, i| a[y * k + i].mul_add(b[i * n + x], s)));
        }
    }
    let case = Case::grid("sgemm_block", [32, 32, 1], [16, 16, 1]).input(&a).input(&b).output(&want);
    case.value(m as i32).value(n as i32).value(k as i32)
}

/// Prefix sums within blocks of 512.
pub fn scan_block(_wave: u32) -> Case {
    let n = 1200;
    let input = Random(32).many(n, |r| r.u32() >> 8);
    let (mut want, mut totals) = (Vec::new(), Vec::new());
    for block in input.chunks(512) {
        let mut sum = 0u32;
        for &x in block {
            sum = sum.wrapping_add(x);
            want.push(sum);
        }
        totals.push(sum);
    }
    Case::line("scan_block", 1536, 512).input(&input).output(&want).output(&totals).value(n as u32)
}

/// Transpose of an odd-sized matrix.
pub fn transpose_pad(_wave: u32) -> Case {
    let (w, h) = (45usize, 67usize);
    let input = Random(33).many(w * h, Random::u32);
    let want: Vec<u32> = (0..w * h).map(|i| input[i % h * w + i / h]).collect();
    Case::grid("transpose_pad", [64, 24, 1], [32, 8, 1]).input(&input).output(&want).value(w as i32).value(h as i32)
}

/// Two dynamic LDS arrays beside a static variable.
pub fn dynamic_lds(_wave: u32) -> Case {
    let (n, group) = (288usize, 96usize);
    let input = Random(34).many(n, Random::u32);
    let mut want = Vec::new();
    for block in input.chunks(group) {
        let total: u32 = block.iter().map(|x| x & 0xff).sum();
        for l in 0..group {
            want.push(block[group - 1 - l] ^ block[(l + 1) % group] >> 16 ^ total << 8);
        }
    }
    Case::line("dynamic_lds", n as u32, group as u32).input(&input).output(&want).local(4 * group as u32).local(2 * group as u32)
}

/// Blocks of 1024 keys, sorted.
pub fn bitonic(_wave: u32) -> Case {
    let data = Random(35).many(2048, Random::u32);
    let mut want = data.clone();
    want.chunks_mut(1024).for_each(<[u32]>::sort_unstable);
    Case::line("bitonic", 512, 256).update(&data, &want)
}

/// LDS accesses of every width. LDS-03, LDS-04: naturally aligned accesses of 1, 2, 4, 8 and 16 bytes land where they should.
pub fn lds_types(_wave: u32) -> Case {
    let groups = 2usize;
    let input: Vec<[u32; 4]> = Random(36).many(64 * groups, |r| [r.u32(), r.u32(), r.u32(), r.u32()]);
    let (mut want, mut extra) = (Vec::new(), Vec::new());
    for v in input.chunks(64) {
        let mut bytes = [0u8; 128];
        for l in 0..64 {
            bytes[l] = v[l][0] as u8;
            bytes[127 - l] = v[l][1] as u8;
        }
        let first = |l: usize| u64::from(v[l][3]) << 32 | u64::from(v[l][0]);
        for l in 0..64 {
            let far = v[l ^ 21];
            let b = u32::from(bytes[(l * 3) & 127]);
            let sb = i32::from(bytes[(l * 5) & 127] as i8) as u32;
            let p = first(63 - l).wrapping_add(u64::from(v[l][1]));
            let half = i32::from(v[(l + 9) & 63][2] as i16) as u32;
            want.push([far[0].wrapping_add(b), far[1] ^ sb, p as u32, ((p >> 32) as u32).wrapping_add(half)]);
        }
        let fold = |component: usize, f: fn(u32, u32) -> u32| v.iter().map(|x| x[component]).reduce(f).unwrap_or(0);
        extra.push([fold(0, u32::max), fold(1, u32::min), 64, fold(2, |a, b| a ^ b), (0..64).sum()]);
    }
    Case::line("lds_types", 64 * groups as u32, 64).input(&input).output(&want).output(&extra)
}
