//! Calls, private arrays, indexed registers, generic pointers.

use crate::case::{Case, Random};

/// Nested calls with a pointer into the caller's frame.
pub fn calls(_wave: u32) -> Case {
    fn mix(a: u32, b: u32) -> u32 {
        let a = a ^ b.wrapping_mul(0x9e37_79b9);
        a ^ a >> 15
    }
    let (n, rounds) = (160, 9u32);
    let input = Random(51).many(n, Random::u32);
    let mut want = Vec::new();
    for (i, &start) in input.iter().enumerate() {
        let (mut a, mut carry, mut f) = (start, 0u32, 1f32);
        for r in 0..rounds {
            let (x, y) = (mix(a, r), mix(r, i as u32));
            carry += u32::from(x < y);
            a = x.wrapping_add(y.wrapping_mul(3));
            if a & 4 != 0 {
                f = if a & 1 != 0 { f * 0.5 } else { f + (a & 15) as f32 };
            }
        }
        want.push([a, carry, f.to_bits()]);
    }
    Case::line("calls", n as u32, 32).input(&input).output(&want).value(rounds)
}

/// Calls through a table, the index per lane.
pub fn call_table(_wave: u32) -> Case {
    let (n, rounds) = (128, 6u32);
    let input = Random(52).many(n, Random::u32);
    let step = |a: u32, b: u32| match a >> 7 & 3 {
        0 => a.wrapping_add(b),
        1 => a.rotate_left(b),
        2 => a.wrapping_mul(b | 1),
        _ => !a ^ b,
    };
    let want: Vec<u32> = input.iter().map(|&a| (1..=rounds).fold(a, step)).collect();
    Case::line("call_table", n as u32, 64).input(&input).output(&want).value(rounds)
}

/// Ackermann's function for first arguments 0 and 1, which is n + 1 and n + 2.
pub fn recursion(_wave: u32) -> Case {
    let input = Random(53).many(64, |r| r.below(16));
    let want: Vec<u32> = input.iter().map(|&x| (x >> 1) + 1 + (x & 1)).collect();
    Case::line("recursion", 64, 64).input(&input).output(&want)
}

/// Private arrays of 24 keys, sorted.
pub fn sort_private(_wave: u32) -> Case {
    let input = Random(54).many(24 * 96, Random::u32);
    let mut want = input.clone();
    want.chunks_mut(24).for_each(<[u32]>::sort_unstable);
    Case::line("sort_private", 96, 32).input(&input).output(&want)
}

/// A vector in registers with uniform and divergent indices.
pub fn movrel(_wave: u32) -> Case {
    let (n, place, rounds) = (96, 5u32, 11u32);
    let input = Random(55).many(n, Random::u32);
    let mut want = Vec::new();
    for &x in &input {
        let mut v: [u32; 16] = std::array::from_fn(|k| x.wrapping_mul(2 * k as u32 + 1).wrapping_add(k as u32));
        for r in 0..rounds {
            let t = v[(place + r) as usize & 15];
            v[(place + 3 * r + 1) as usize & 15] = t.wrapping_add(r);
        }
        let d = v[x as usize & 15];
        v[d as usize >> 3 & 15] = place;
        want.push([d, v.iter().fold(0, |a, b| a ^ b)]);
    }
    Case::line("movrel", n as u32, 32).input(&input).output(&want).value(place).value(rounds)
}

/// Generic pointers to LDS, scratch and global memory in one instruction.
pub fn flat_pointers(_wave: u32) -> Case {
    let n = 128usize;
    let before = Random(56).many(n, |r| r.below(1000) as i32);
    let (mut data, mut want) = (before.clone(), Vec::new());
    for block in 0..n / 64 {
        let mut shared: Vec<i32> = (0..64).map(|l| l * 100).collect();
        let mut mine: Vec<[i32; 2]> = (0..64).map(|l| [l * 10, l * 20]).collect();
        for l in 0..64 {
            match before[block * 64 + l] & 3 {
                0 => shared[63 - l] += 7,
                1 => mine[l][l & 1] += 7,
                _ => data[block * 64 + l] += 7,
            }
        }
        want.extend((0..64).map(|l| shared[l] + 1_000_000 * mine[l][0] + mine[l][1] + data[block * 64 + l]));
    }
    Case::line("flat_pointers", n as u32, 64).update(&before, &data).output(&want)
}
