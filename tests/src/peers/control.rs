//! Lanes that go apart: an interpreter, rays.

use super::Size;
use crate::case::{Case, Random};

const fn op(code: u32, a: u32, b: u32, c: u32) -> u32 {
    code | a << 8 | b << 16 | c << 24
}

/// Programs of the kernel's machine; r0 is the input, r1 the lane, r2 is 1, r3 the sum, r4 counts down.
#[rustfmt::skip]
const PROGRAMS: [&[u32]; 4] = [
    &[op(7, 4, 5, 40), op(3, 6, 0, 0), op(1, 3, 3, 6), op(7, 0, 0, 77), op(8, 0, 0, 2), op(2, 4, 4, 2), op(9, 4, 0, 6), 0],
    &[op(5, 4, 0, 26), op(7, 4, 4, 9), op(6, 5, 0, 13), op(4, 0, 0, 5), op(5, 5, 0, 17), op(4, 0, 0, 5), op(6, 5, 0, 5), op(4, 0, 0, 5),
      op(1, 3, 3, 0), op(2, 4, 4, 2), op(9, 4, 0, 9), 0],
    &[op(7, 4, 7, 60), op(10, 0, 0, 2), op(5, 0, 0, 1), op(1, 3, 3, 2), op(1, 5, 0, 0), op(1, 0, 0, 5), op(7, 0, 0, 1), op(1, 3, 3, 0),
      op(2, 4, 4, 2), op(9, 4, 0, 9), 0],
    &[op(5, 4, 1, 3), op(6, 5, 4, 27), op(5, 4, 5, 27), op(7, 4, 4, 5), op(8, 6, 0, 4), op(11, 7, 6, 0), op(4, 3, 3, 7), op(1, 0, 0, 6),
      op(2, 4, 4, 2), op(9, 4, 0, 6), 0],
];

/// Runs the machine.
fn interpret(code: &[u32], mut pc: i64, input: u32, lane: u32, budget: u32) -> u32 {
    let mut r = [input, lane, 1, 0, 0, 0, 0, 0];
    for _ in 0..budget {
        let word = code[pc as usize];
        pc += 1;
        let (a, number) = ((word >> 8 & 7) as usize, word >> 24);
        let (b, c) = (r[(word >> 16 & 7) as usize], r[(number & 7) as usize]);
        match word & 255 {
            0 => break,
            1 => r[a] = b.wrapping_add(c),
            2 => r[a] = b.wrapping_sub(c),
            3 => r[a] = b.wrapping_mul(c),
            4 => r[a] = b ^ c,
            5 => r[a] = b >> (number & 31),
            6 => r[a] = b << (number & 31),
            7 => r[a] = b.wrapping_add(number),
            8 => r[a] = b.rotate_left(c & 31),
            9 => pc -= if r[a] != 0 { i64::from(number) } else { 0 },
            10 => pc += if r[a] & 1 != 0 { i64::from(number) } else { 0 },
            _ => r[a] = !b & c,
        }
    }
    r[0] ^ r[3]
}

/// A program for each lane.
pub(super) fn bytecode_vm(size: Size) -> Case {
    let (n, budget) = size.of((1 << 14, 600), (128usize, 60));
    let code = PROGRAMS.concat();
    let entries: Vec<i32> = PROGRAMS.iter().scan(0, |at, p| Some(std::mem::replace(at, *at + p.len() as i32))).collect();
    let input = Random(71).many(n, Random::u32);
    let run = |(lane, &x): (usize, &u32)| interpret(&code, i64::from(entries[(x >> 7) as usize % entries.len()]), x, lane as u32, budget);
    let want: Vec<u32> = input.iter().enumerate().map(run).collect();
    Case::line("bytecode_vm", n as u32, 64)
        .input(&code)
        .input(&entries)
        .value(entries.len() as i32)
        .input(&input)
        .output(&want)
        .value(budget as i32)
}

type Vector = [f32; 3];

fn dot(a: Vector, b: Vector) -> f32 {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

/// What a ray sees, with the kernel's roundings but for those of square roots and divisions: at edges those may see something else.
fn light(mut from: Vector, mut way: Vector, spheres: &[[f32; 4]]) -> f32 {
    let (mut light, mut strength) = (0f32, 1f32);
    for _ in 0..6 {
        let mut hit: Option<(f32, Vector, f32)> = None;
        for &[x, y, z, radius] in spheres {
            let apart = [x - from[0], y - from[1], z - from[2]];
            let along = dot(apart, way);
            let inside = along.mul_add(along, radius.mul_add(radius, -dot(apart, apart)));
            let t = along - inside.max(0.0).sqrt();
            if inside > 0.0 && t > 1e-3 && hit.is_none_or(|h| t < h.0) {
                hit = Some((t, [x, y, z], radius));
            }
        }
        let Some((t, center, radius)) = hit else {
            let t = -from[1] / way[1];
            let is_odd = (way[0].mul_add(t, from[0]).floor() + way[2].mul_add(t, from[2]).floor()).rem_euclid(2.0) == 1.0;
            let seen = if way[1] >= 0.0 {
                0.5f32.mul_add(way[1], 0.5)
            } else if is_odd {
                0.75
            } else {
                0.25
            };
            return strength.mul_add(seen, light);
        };
        from = std::array::from_fn(|i| way[i] * t + from[i]);
        let normal: Vector = std::array::from_fn(|i| (from[i] - center[i]) / radius);
        let twice = 2.0 * dot(way, normal);
        way = std::array::from_fn(|i| way[i] - normal[i] * twice);
        light = strength.mul_add(0.0625, light);
        strength *= 0.75;
    }
    light
}

/// Mirrors above a floor.
pub(super) fn ray_spheres(size: Size) -> Case {
    let n = size.of(1024, 48usize);
    let mut r = Random(72);
    let spheres: Vec<[f32; 4]> = r.many(12, |r| [r.f32(-3.0, 3.0), r.f32(0.5, 3.0), r.f32(0.0, 5.0), r.f32(0.4, 0.9)]);
    let side = n as f32;
    let pixel = |i: usize| {
        let way = [(2.0 * (i % n) as f32 - side) / side, (side - 2.0 * (i / n) as f32) / side, 1.5];
        f64::from(light([0.1, 1.03, -4.07], way.map(|x| x / dot(way, way).sqrt()), &spheres))
    };
    let want: Vec<f64> = (0..n * n).map(pixel).collect();
    Case::grid("ray_spheres", [n as u32, n as u32, 1], [16, 16, 1])
        .near_but::<f32>(want, 0.0, 1e-3, n * n / 100)
        .input(&spheres)
        .value(spheres.len() as i32)
        .value(n as i32)
        .value(n as i32)
}
