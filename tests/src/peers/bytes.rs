//! Pictures, cells and texts of bytes.

use super::Size;
use crate::case::{Case, Random};

fn picture(seed: u64, pixels: usize) -> Vec<u8> {
    Random(seed).many(pixels, |r| r.u32() as u8)
}

/// A Gaussian of 5x5 with clamped borders.
pub(super) fn conv5_bytes(size: Size) -> Case {
    let n = size.of(2048, 48usize);
    let input = picture(51, n * n);
    let weights: Vec<i32> = (0..25).map(|i| [1, 4, 6, 4, 1][i / 5] * [1, 4, 6, 4, 1][i % 5]).collect();
    let mut want = Vec::new();
    for i in 0..n * n {
        let (x, y) = (i % n, i / n);
        let mut sum = 128;
        for (k, w) in weights.iter().enumerate() {
            let (px, py) = ((x + k % 5).saturating_sub(2).min(n - 1), (y + k / 5).saturating_sub(2).min(n - 1));
            sum += w * i32::from(input[py * n + px]);
        }
        want.push((sum >> 8).clamp(0, 255) as u8);
    }
    Case::grid("conv5_bytes", [n as u32, n as u32, 1], [16, 16, 1])
        .input(&input)
        .output(&want)
        .input(&weights)
        .value(n as i32)
        .value(n as i32)
        .value(8i32)
}

/// Sobel's two filters.
pub(super) fn sobel_bytes(size: Size) -> Case {
    let n = size.of(2048, 64usize);
    let input = picture(52, n * n);
    let mut want = vec![0u8; n * n];
    for y in 1..n - 1 {
        for x in 1..n - 1 {
            let at = |dx: usize, dy: usize| i32::from(input[(y + dy - 1) * n + x + dx - 1]);
            let across = at(2, 0) + 2 * at(2, 1) + at(2, 2) - at(0, 0) - 2 * at(0, 1) - at(0, 2);
            let along = at(0, 2) + 2 * at(1, 2) + at(2, 2) - at(0, 0) - 2 * at(1, 0) - at(2, 0);
            want[y * n + x] = ((across.abs() + along.abs()) / 2).min(255) as u8;
        }
    }
    Case::grid("sobel_bytes", [n as u32, n as u32, 1], [32, 8, 1]).input(&input).output(&want).value(n as i32).value(n as i32)
}

/// Conway's rules on a torus.
pub(super) fn life_bytes(size: Size) -> Case {
    let n = size.of(2048, 64usize);
    let input: Vec<u8> = picture(53, n * n).into_iter().map(|b| b & 1).collect();
    let mut want = Vec::new();
    for i in 0..n * n {
        let (x, y) = (i % n, i / n);
        let around = (0..9).filter(|&k| k != 4).map(|k| input[(y + n + k / 3 - 1) % n * n + (x + n + k % 3 - 1) % n]).sum::<u8>();
        want.push(u8::from(around == 3 || around == 2 && input[i] == 1));
    }
    Case::grid("life_bytes", [n as u32, n as u32, 1], [32, 8, 1]).input(&input).output(&want).value(n as i32).value(n as i32)
}

/// A word in a text of four letters.
pub(super) fn string_search(size: Size) -> Case {
    let n = size.of(4 << 20, 8192usize);
    let pattern = *b"abacabad";
    let mut text = Random(54).many(n, |r| b'a' + r.below(4) as u8);
    text[n - 8..].copy_from_slice(&pattern);
    let marks: Vec<u8> = (0..n).map(|i| u8::from(text[i..].starts_with(&pattern))).collect();
    let count: u32 = marks.iter().map(|&m| u32::from(m)).sum();
    Case::line("string_search", n as u32, 256)
        .input(&text)
        .value(n as i32)
        .input(&pattern)
        .value(pattern.len() as i32)
        .output(&marks)
        .output(&[count])
}
