//! Integer arithmetic, bit operations, hashes.

use crate::case::{Case, Random};

/// Edge values mixed into random operands.
const EDGES: [u64; 12] =
    [0, 1, 2, 3, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x1_0000_0000, 0xffff_ffff_0000_0001, i64::MAX as u64, 1 << 63 | 5, u64::MAX - 1];

/// Bit tricks; field extraction and byte permutation as the ISA defines them.
pub fn bit_tricks(_wave: u32) -> Case {
    let n = 128;
    let mut r = Random(21);
    let pairs: Vec<[u32; 2]> = r.many(n, |r| if r.below(8) == 0 { [0, r.below(2)] } else { [r.u32(), r.u32()] });
    let mut want = Vec::new();
    for &[a, b] in &pairs {
        let (offset, width) = (b & 31, b >> 8 & 31);
        let both = u64::from(a) << 32 | u64::from(b);
        let bytes = |x: u32| x.to_le_bytes();
        let sbfe = match width {
            0 => 0,
            w if offset + w < 32 => ((a << (32 - offset - w)) as i32 >> (32 - w)) as u32,
            _ => (a as i32 >> offset) as u32,
        };
        let mad24 = ((a as i32 >> 8).wrapping_mul(b as i32 >> 8).wrapping_add(77)) as u32;
        let lerp: Vec<u8> = (0..4).map(|i| ((u32::from(bytes(a)[i]) + u32::from(bytes(b)[i]) + [0, 1, 0, 1][i]) >> 1) as u8).collect();
        want.push([
            a.reverse_bits(),
            (a >> offset) & ((1 << width) - 1),
            sbfe,
            (a & 0x00ff_0ff0) | (b & !0x00ff_0ff0),
            (both >> (a & 31)) as u32,
            (both >> (8 * (b & 3))) as u32,
            u32::from_le_bytes([bytes(a)[2], bytes(a)[3], bytes(b)[1], 0]),
            a.count_ones() + 64 * (!b).count_ones(),
            a.leading_zeros() | (b | 1 << 31).trailing_zeros() << 8,
            a.swap_bytes() ^ b.rotate_left(11),
            (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff).wrapping_add(mad24),
            1000 + (0..4).map(|i| u32::from(bytes(a)[i].abs_diff(bytes(b)[i]))).sum::<u32>(),
            u32::from_le_bytes([lerp[0], lerp[1], lerp[2], lerp[3]]),
            ((a ^ b) << 3).wrapping_add(a | b | 5).wrapping_add(a & (b << 2)),
        ]);
    }
    Case::line("bit_tricks", n as u32, 64).input(&pairs).output(&want)
}

/// 64-bit integers.
pub fn int64_math(_wave: u32) -> Case {
    let n = 192;
    let mut r = Random(22);
    let mut one = |_| if r.below(3) == 0 { EDGES[r.below(12) as usize] } else { r.u64() >> r.below(60) };
    let pairs: Vec<[u64; 2]> = (0..n).map(|i| [one(i), one(i)]).collect();
    let mut want = Vec::new();
    for &[a, b] in &pairs {
        let (sa, sb) = (a as i64, b as i64 | 1);
        let high = ((i128::from(sa) * i128::from(sb)) >> 64) as u64;
        want.push([
            a.wrapping_mul(b),
            ((u128::from(a) * u128::from(b)) >> 64) as u64,
            a / (b | 1),
            sa.wrapping_rem(sb) as u64,
            a.rotate_left((b & 63) as u32),
            (sa >> (b & 63)) as u64,
            u64::from(a.leading_zeros() * 100 + b.count_ones()),
            (if sa < sb { a.wrapping_sub(b) } else { a.wrapping_add(b) }) ^ high,
        ]);
    }
    Case::line("int64_math", n as u32, 64).input(&pairs).output(&want)
}

/// 32-bit division by the compiler's expansion.
pub fn int32_divide(_wave: u32) -> Case {
    let n = 256;
    let mut r = Random(23);
    let mut one = |_| if r.below(3) == 0 { EDGES[r.below(12) as usize] as u32 } else { r.u32() >> r.below(31) };
    let pairs: Vec<[u32; 2]> = (0..n).map(|i| [one(i), one(i)]).collect();
    let mut want = Vec::new();
    for &[a, b] in &pairs {
        let b = b.max(1);
        let (sa, sb) = (a as i32, if b as i32 == -1 { 1 } else { b as i32 });
        let high = ((u64::from(a) * u64::from(b)) >> 32) as u32;
        want.push([a / b, a % b, (sa / sb) as u32, (sa % sb) as u32, (a / 641).wrapping_add(high)]);
    }
    Case::line("int32_divide", n as u32, 128).input(&pairs).output(&want)
}

/// 8- and 16-bit integers, and conversions from float.
pub fn small_ints(_wave: u32) -> Case {
    let n = 128;
    let mut r = Random(24);
    let edges = [0i16, 1, -1, i16::MAX, i16::MIN, 127, -128, 255];
    let mut one = |_: usize| if r.below(3) == 0 { edges[r.below(8) as usize] } else { r.u32() as i16 };
    let pairs: Vec<[i16; 4]> = (0..n).map(|i| [one(i), one(i), one(i), one(i)]).collect();
    let floats = r.many(n, |r| if r.below(4) == 0 { r.below(600) as f32 - 100.5 } else { r.f32(-50000.0, 50000.0) });
    let (mut want, mut conv) = (Vec::new(), Vec::new());
    for (p, &x) in pairs.iter().zip(&floats) {
        let each = |f: &dyn Fn(i16, i16) -> i16| [f(p[0], p[2]), f(p[1], p[3])];
        let three = [3i16, 5];
        let product = [0, 1].map(|i| p[i].wrapping_mul(p[i + 2]).wrapping_sub(three[i]));
        want.push([
            each(&|a, b| a.wrapping_add(b)),
            each(&|a, b| a.saturating_add(b)),
            product,
            each(&|a, b| a.min(b).max(a >> 2)),
            each(&|a, b| (a as u16 >> (b as u16 & 15)) as i16),
            each(&|a, b| a.clamp(-128, 127).wrapping_sub(a.saturating_sub(b))),
        ]);
        let bits = u32::from(p[2] as u16) | u32::from(p[3] as u16) << 16;
        conv.push([
            x.round_ties_even() as i32 as u32,
            x as u32,
            u32::from(x.round_ties_even() as u8) | u32::from(x as i16 as u16) << 16,
            ((i32::from(p[0]) * 60001) as f32).to_bits(),
            (bits as f32 + f32::from(p[1] as u8)).to_bits(),
        ]);
    }
    let want: Vec<[i16; 12]> = want.iter().map(|w| std::array::from_fn(|i| w[i / 2][i % 2])).collect();
    Case::line("small_ints", n as u32, 32).input(&pairs).output(&want).output(&conv).input(&floats)
}

/// Integer dot products of four bytes and eight nibbles.
pub fn int8_dot(_wave: u32) -> Case {
    let (rows, words) = (64usize, 19usize);
    let mut r = Random(25);
    let (m, v) = (r.many(rows * words, Random::u32), r.many(words, Random::u32));
    let byte = |x: u32, i: usize| x.to_le_bytes()[i];
    let signed = |x: u32, i: usize| i32::from(byte(x, i) as i8);
    let nibble = |x: u32, i: usize| (x << (28 - 4 * i)) as i32 >> 28;
    let mut want = Vec::new();
    for row in m.chunks(words) {
        let (mut s, mut mixed, mut u, mut nibbles, mut sat) = (0i32, 0i32, 0u32, 0i32, 0x7fff_ff00i32);
        for (&a, &b) in row.iter().zip(&v) {
            s += (0..4).map(|i| signed(a, i) * signed(b, i)).sum::<i32>();
            mixed += (0..4).map(|i| i32::from(byte(a, i)) * signed(b, i)).sum::<i32>();
            u += (0..4).map(|i| u32::from(byte(a, i)) * u32::from(byte(b, i))).sum::<u32>();
            nibbles += (0..8).map(|i| nibble(a, i) * nibble(b, i)).sum::<i32>();
            sat = sat.saturating_add((0..4).map(|i| signed(a, i) * signed(a, i)).sum());
        }
        want.push([s, mixed, u as i32, nibbles, sat]);
    }
    Case::line("int8_dot", rows as u32, 64).input(&m).input(&v).output(&want).value(words as i32)
}

/// SHA-256 of 32-byte messages, again and again.
pub fn sha256_chain(_wave: u32) -> Case {
    let sha = Sha256::new();
    let digest = |d: [u32; 8]| sha.digest(std::array::from_fn(|i| *d.get(i).unwrap_or(&[0x8000_0000, 0, 0, 0, 0, 0, 0, 256][i % 8])));
    // FIPS 180-4; the digest of 32 zero bytes begins 66687aad.
    assert_eq!(digest([0; 8])[0], 0x6668_7aad);
    let (n, first, rounds) = (64u32, 7u32, 3);
    let want: Vec<[u32; 8]> = (0..n).map(|i| (0..rounds).fold([first + i, 0, 0, 0, 0, 0, 0, 0], |d, _| digest(d))).collect();
    Case::line("sha256_chain", n, 32).output(&want).value(first).value(rounds)
}

/// FIPS 180-4 for one block. Constants are computed from their definition: fractional parts of the roots of primes.
pub struct Sha256 {
    start: [u32; 8],
    rounds: [u32; 64],
}

impl Sha256 {
    /// The constants.
    pub fn new() -> Sha256 {
        let primes: Vec<u32> = (2u32..312).filter(|&p| (2..p).all(|q| p % q != 0)).take(64).collect();
        let root = |x: u128, power: u32| {
            let (mut lo, mut hi) = (0u128, 1u128 << 40);
            while hi - lo > 1 {
                let mid = (lo + hi) / 2;
                if mid.pow(power) <= x { lo = mid } else { hi = mid }
            }
            lo as u32
        };
        Sha256 {
            start: std::array::from_fn(|i| root(u128::from(primes[i]) << 64, 2)),
            rounds: std::array::from_fn(|i| root(u128::from(primes[i]) << 96, 3)),
        }
    }

    /// The digest of a padded block.
    pub fn digest(&self, block: [u32; 16]) -> [u32; 8] {
        let (mut h, mut w) = (self.start, [0; 64]);
        w[..16].copy_from_slice(&block);
        for t in 16..64 {
            let (a, b) = (w[t - 15], w[t - 2]);
            let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
            let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
            w[t] = w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1);
        }
        for (w, k) in w.into_iter().zip(self.rounds) {
            let (a, e) = (h[0], h[4]);
            let choice = (e & h[5]) ^ (!e & h[6]);
            let majority = (a & h[1]) ^ (a & h[2]) ^ (h[1] & h[2]);
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let t1 = h[7].wrapping_add(s1).wrapping_add(choice).wrapping_add(k).wrapping_add(w);
            h.rotate_right(1);
            h[4] = h[4].wrapping_add(t1);
            h[0] = t1.wrapping_add(s0).wrapping_add(majority);
        }
        std::array::from_fn(|i| self.start[i].wrapping_add(h[i]))
    }
}

impl Default for Sha256 {
    fn default() -> Sha256 {
        Sha256::new()
    }
}
