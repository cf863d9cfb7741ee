//! Ciphers and hashes, each first held to a published vector.

use super::Size;
use crate::case::{Case, Random};

/// AES-128 in counter mode (FIPS 197): tables from the field's definition, the cipher byte by byte.
pub(super) fn aes_lds(size: Size) -> Case {
    let n = size.of(1u32 << 18, 512);
    let sbox = sbox();
    let keys = round_keys(std::array::from_fn(|i| i as u8), &sbox);
    // FIPS 197, appendix C.1
    let plain = std::array::from_fn(|i| i as u8 * 0x11);
    assert_eq!(encrypt(plain, &keys, &sbox)[..4], [0x69, 0xc4, 0xe0, 0xd8]);

    let nonce = 0x5eed_1234u32;
    let block = |i: u32| {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&nonce.to_be_bytes());
        bytes[12..].copy_from_slice(&i.to_be_bytes());
        let out = encrypt(bytes, &keys, &sbox);
        std::array::from_fn::<u32, 4, _>(|k| u32::from_be_bytes(std::array::from_fn(|b| out[4 * k + b])))
    };
    let want: Vec<[u32; 4]> = (0..n).map(block).collect();
    let table: Vec<u32> = sbox.iter().map(|&s| u32::from_be_bytes([double(s), s, s, double(s) ^ s])).collect();
    let words: Vec<u32> = keys.chunks(4).map(|k| u32::from_be_bytes([k[0], k[1], k[2], k[3]])).collect();
    Case::line("aes_lds", n, 256).input(&table).input(&words).output(&want).value(nonce)
}

/// Twice a number in the field of AES.
fn double(x: u8) -> u8 {
    x << 1 ^ if x & 0x80 != 0 { 0x1b } else { 0 }
}

/// FIPS 197, 5.1.1: the inverse in the field, then an affine map. 3 generates the field.
fn sbox() -> [u8; 256] {
    let mut powers = [0u8; 255];
    let mut x = 1;
    for p in &mut powers {
        *p = x;
        x ^= double(x);
    }
    let mut inverse = [0u8; 256];
    for (k, &p) in powers.iter().enumerate() {
        inverse[usize::from(p)] = powers[(255 - k) % 255];
    }
    inverse.map(|i| 0x63 ^ i ^ i.rotate_left(1) ^ i.rotate_left(2) ^ i.rotate_left(3) ^ i.rotate_left(4))
}

/// FIPS 197, 5.2.
fn round_keys(key: [u8; 16], sbox: &[u8; 256]) -> Vec<u8> {
    let (mut keys, mut constant) = (key.to_vec(), 1u8);
    for word in 4..44 {
        let mut t: [u8; 4] = std::array::from_fn(|b| keys[4 * word - 4 + b]);
        if word % 4 == 0 {
            t = [t[1], t[2], t[3], t[0]].map(|b| sbox[usize::from(b)]);
            t[0] ^= constant;
            constant = double(constant);
        }
        for (b, x) in t.into_iter().enumerate() {
            keys.push(keys[4 * word - 16 + b] ^ x);
        }
    }
    keys
}

/// FIPS 197, 5.1.
fn encrypt(block: [u8; 16], keys: &[u8], sbox: &[u8; 256]) -> [u8; 16] {
    let mut state: [u8; 16] = std::array::from_fn(|i| block[i] ^ keys[i]);
    for round in 1..=10 {
        let shifted: [u8; 16] = std::array::from_fn(|i| sbox[usize::from(state[(i + 4 * (i % 4)) % 16])]);
        state = std::array::from_fn(|i| {
            let column = |k: usize| shifted[i / 4 * 4 + (i + k) % 4];
            let mixed = double(column(0)) ^ double(column(1)) ^ column(1) ^ column(2) ^ column(3);
            keys[16 * round + i] ^ if round < 10 { mixed } else { shifted[i] }
        });
    }
    state
}

/// ChaCha20's key stream (RFC 8439) with the key and nonce of its section 2.3.2.
pub(super) fn chacha20(size: Size) -> Case {
    let n = size.of(1u32 << 19, 256);
    let key: [u8; 32] = std::array::from_fn(|i| i as u8);
    let words = |bytes: &[u8]| -> Vec<u32> { bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect() };
    let input: [u32; 16] =
        [words(b"expand 32-byte k"), words(&key), vec![1, 0x0900_0000, 0x4a00_0000, 0]].concat().try_into().expect("16 words");
    let block = |i: u32| {
        let mut first = input;
        first[12] = first[12].wrapping_add(i);
        let mut s = first;
        for round in 0..20 {
            for k in 0..4 {
                let across = |row: usize| 4 * row + (k + if round % 2 == 1 { row } else { 0 }) % 4;
                let [a, b, c, d] = [across(0), across(1), across(2), across(3)];
                for (x, y, z, turn) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
                    s[x] = s[x].wrapping_add(s[y]);
                    s[z] = (s[z] ^ s[x]).rotate_left(turn);
                }
            }
        }
        std::array::from_fn::<u32, 16, _>(|k| s[k].wrapping_add(first[k]))
    };
    assert_eq!(block(0)[..2], [0xe4e7_f110, 0x1559_3bd1]);
    let want: Vec<[u32; 16]> = (0..n).map(block).collect();
    Case::line("chacha20", n, 128).input(&input).output(&want)
}

/// RC4's key stream, a key for each lane.
pub(super) fn rc4(size: Size) -> Case {
    let (n, length) = size.of((1usize << 15, 64), (64, 20));
    // "Key", of the cipher's first publication
    assert_eq!(rc4_stream(b"Key", 4), [0xeb, 0x9f, 0x77, 0x81]);
    let keys: Vec<[u8; 16]> = Random(61).many(n, |r| (u128::from(r.u64()) << 64 | u128::from(r.u64())).to_le_bytes());
    let want: Vec<u8> = keys.iter().flat_map(|key| rc4_stream(key, length)).collect();
    Case::line("rc4", n as u32, 64).input(&keys).output(&want).value(length as i32)
}

fn rc4_stream(key: &[u8], length: usize) -> Vec<u8> {
    let mut s: [u8; 256] = std::array::from_fn(|i| i as u8);
    let mut j = 0u8;
    for i in 0..256 {
        j = j.wrapping_add(s[i]).wrapping_add(key[i % key.len()]);
        s.swap(i, usize::from(j));
    }
    j = 0;
    let next = |k: usize| {
        let i = (k + 1) % 256;
        j = j.wrapping_add(s[i]);
        s.swap(i, usize::from(j));
        s[usize::from(s[i].wrapping_add(s[usize::from(j)]))]
    };
    (0..length).map(next).collect()
}

/// SHA-256 of 8 bytes.
pub(super) fn sha256_one(size: Size) -> Case {
    let (n, seed) = (size.of(1u32 << 18, 256), 0x6a12_f00du32);
    let sha = crate::reference::integers::Sha256::new();
    let block = |i: u32| sha.digest([i, seed, 0x8000_0000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64]);
    let want: Vec<[u32; 8]> = (0..n).map(block).collect();
    Case::line("sha256_one", n, 128).output(&want).value(seed)
}
