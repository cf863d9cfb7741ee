//! Kernels whose workgroups meet in global memory. Sums of floats are of small integers, so that the order cannot matter.

use crate::case::{Case, Random};

/// Every global atomic the OpenCL language offers, and a float add.
pub fn global_atomics(_wave: u32) -> Case {
    let n = 500usize;
    let input: Vec<u32> = Random(41).many(n, |r| r.below(5000));
    let floats: Vec<f32> = input.iter().map(|&x| x as f32).collect();
    let mut sums = [0f32; 5];
    let mut ints = [0u32, u32::MAX, 0, 0, 0, 0];
    let mut wide = [0u64; 2];
    for (i, &x) in input.iter().enumerate() {
        sums[i & 3] += x as f32;
        sums[4] = sums[4].max(x as f32);
        ints[0] |= 1 << (x & 31);
        ints[1] &= !(1 << (x % 29));
        ints[2] ^= x.wrapping_mul(2_654_435_761);
        ints[3] = ints[3].max(x);
        ints[4] = (ints[4] as i32).min(-(x as i32)) as u32;
        ints[5] = ints[5].wrapping_sub(x);
        wide[0] += u64::from(x) << 20;
        wide[1] = wide[1].max(u64::from(x) * u64::from(x));
    }
    let case = Case::line("global_atomics", 512, 128).input(&floats).output(&sums);
    case.update(&[0, u32::MAX, 0, 0, 0, 0], &ints).output(&wide).value(n as u32)
}

/// 256 bins over bytes.
pub fn histogram(_wave: u32) -> Case {
    let n4 = 1501usize;
    let data = Random(42).many(4 * n4, |r| (r.u32() & r.u32()) as u8);
    let mut want = [5u32; 256];
    data.iter().for_each(|&b| want[usize::from(b)] += 1);
    Case::line("histogram", 512, 128).input(&data).update(&[5u32; 256], &want).value(n4 as u32)
}

/// The last workgroup to arrive adds up what the others left.
pub fn last_block(_wave: u32) -> Case {
    let (n, groups) = (3001usize, 7usize);
    let input = Random(43).many(n, Random::u32);
    let mut parts = vec![0u32; groups];
    for (i, &x) in input.iter().enumerate() {
        let g = i % (64 * groups) / 64;
        parts[g] = parts[g].wrapping_add(x);
    }
    let all: u64 = parts.iter().map(|&p| u64::from(p)).sum();
    let case = Case::line("last_block", 64 * groups as u32, 64).input(&input).output(&parts);
    case.output(&[groups as u32]).output(&[all]).value(n as u32)
}

/// Points in the quarter circle, by Philox 4x32-10.
pub fn philox_pi(_wave: u32) -> Case {
    // Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", known answer for counter and key zero.
    assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
    let (n, seed, rounds) = (192u32, 99u32, 5u32);
    let mut hits = 0u32;
    for i in 0..n {
        for r in 0..rounds {
            let v = philox([i, r, 0, 0], [seed, 0x5eed]).map(|x| u64::from(x >> 8));
            hits += u32::from(v[0] * v[0] + v[1] * v[1] < 1 << 48) + u32::from(v[2] * v[2] + v[3] * v[3] < 1 << 48);
        }
    }
    Case::line("philox_pi", n, 64).output(&[hits]).value(seed).value(rounds)
}

fn philox(mut c: [u32; 4], mut k: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let (p0, p1) = (0xd251_1f53 * u64::from(c[0]), 0xcd9e_8d57 * u64::from(c[2]));
        c = [(p1 >> 32) as u32 ^ c[1] ^ k[0], p1 as u32, (p0 >> 32) as u32 ^ c[3] ^ k[1], p0 as u32];
        k = [k[0].wrapping_add(0x9e37_79b9), k[1].wrapping_add(0xbb67_ae85)];
    }
    c
}
