//! Kernels whose lanes go different ways.

use crate::case::{Case, Random};

/// Escape times as bytes. Fused multiply-adds are named in the kernel, so the count is exact.
pub fn mandelbrot(_wave: u32) -> Case {
    let (w, h, limit) = (75usize, 43usize, 60);
    let (left, top, step) = (-2.2f32, -1.2f32, 0.04f32);
    let mut want = Vec::new();
    for py in 0..h {
        for px in 0..w {
            let (cr, ci) = ((px as f32).mul_add(step, left), (py as f32).mul_add(step, top));
            let (mut zr, mut zi, mut n) = (0f32, 0f32, 0);
            while n < limit {
                let i2 = zi * zi;
                if zr.mul_add(zr, i2) > 4.0 {
                    break;
                }
                let r = zr.mul_add(zr, cr - i2);
                zi = (zr + zr).mul_add(zi, ci);
                zr = r;
                n += 1;
            }
            want.push(if n == limit { 0 } else { (255 - (n * 5) % 256) as u8 });
        }
    }
    let case = Case::grid("mandelbrot", [80, 48, 1], [16, 16, 1]).output(&want);
    case.value(left).value(top).value(step).value(w as i32).value(h as i32).value(limit)
}

/// Collatz steps and the highest number on the way.
pub fn collatz(_wave: u32) -> Case {
    let n = 200;
    let start = Random(11).many(n, |r| r.u32() >> (12 + r.below(20)));
    let (mut steps, mut peak) = (Vec::new(), Vec::new());
    for &s in &start {
        let (mut v, mut count) = (u64::from(s), 0u32);
        let mut top = v;
        while v > 1 {
            v = if v % 2 == 0 { v / 2 } else { 3 * v + 1 };
            count += 1;
            top = top.max(v);
        }
        steps.push(count);
        peak.push(top);
    }
    Case::line("collatz", 256, 64).input(&start).output(&steps).output(&peak).value(n as u32)
}

/// CRC-32, bit by bit, of messages of different length. The check value of the standard message "123456789" is 0xcbf43926.
pub fn crc32(_wave: u32) -> Case {
    fn crc(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0u32, |crc, &b| (0..8).fold(crc ^ u32::from(b), |c, _| if c & 1 == 1 { c >> 1 ^ 0xedb8_8320 } else { c >> 1 }))
    }
    assert_eq!(crc(b"123456789"), 0xcbf4_3926);
    let mut r = Random(12);
    let mut messages = vec![b"123456789".to_vec(), Vec::new()];
    messages.extend((0..98).map(|_| {
        let n = r.below(40) as usize;
        r.many(n, |r| r.u32() as u8)
    }));
    let ends: Vec<u32> = messages
        .iter()
        .scan(0, |end, m| {
            *end += m.len() as u32;
            Some(*end)
        })
        .collect();
    let want: Vec<u32> = messages.iter().map(|m| crc(m)).collect();
    Case::line("crc32", 128, 64).input(&messages.concat()).input(&ends).output(&want).value(messages.len() as u32)
}

/// A byte-code interpreter; every lane has its own program.
pub fn switch_vm(_wave: u32) -> Case {
    let (n, length) = (192usize, 24usize);
    let mut r = Random(13);
    let programs = r.many(n * length, |r| r.u32() as u8);
    let input = r.many(n, |r| r.u32() as i32);
    let want: Vec<i32> = (0..n).map(|i| run(&programs[i * length..(i + 1) * length], input[i])).collect();
    return Case::line("switch_vm", n as u32, 64).input(&programs).input(&input).output(&want).value(length as i32);

    fn run(code: &[u8], input: i32) -> i32 {
        let (mut acc, mut x, mut y) = (input, 1i32, 0i32);
        let (mut pc, mut fuel) = (0i32, 200);
        while pc < code.len() as i32 && fuel > 0 {
            match code[pc as usize] % 12 {
                0 => acc = acc.wrapping_add(x),
                1 => acc = acc.wrapping_sub(y.wrapping_mul(3)),
                2 => acc ^= x << 3,
                3 => x = acc & 0xff,
                4 => y = acc >> 4,
                5 => std::mem::swap(&mut x, &mut y),
                6 => acc = acc.wrapping_mul(7),
                7 => pc += acc & 1,
                8 => {
                    if acc > 0 {
                        pc = (pc - 5).max(-1);
                        acc = -acc;
                    }
                }
                9 => acc = (acc.count_ones() as i32).wrapping_add(x),
                // abs gives an unsigned number, so the division is unsigned
                10 => acc = (acc as u32 / ((y % 17).unsigned_abs() + 1)) as i32,
                _ => acc = acc.rotate_left(9),
            }
            pc += 1;
            fuel -= 1;
        }
        acc.wrapping_add(x.wrapping_mul(31)).wrapping_add(y.wrapping_mul(17))
    }
}

/// Places of a pattern in a text.
pub fn find_text(_wave: u32) -> Case {
    let mut text = Random(14).many(999, |r| b"abc"[r.below(3) as usize]);
    let pattern = b"abcabca";
    text[500..507].copy_from_slice(pattern);
    let places: Vec<u32> = (0..=text.len() - pattern.len()).filter(|&i| text[i..].starts_with(pattern)).map(|i| i as u32).collect();
    let case = Case::line("find_text", 1024, 128).input(&text).value(text.len() as u32).input(pattern).value(pattern.len() as u32);
    case.update(&[u32::MAX], &[places[0]]).output(&[places.len() as u32])
}
