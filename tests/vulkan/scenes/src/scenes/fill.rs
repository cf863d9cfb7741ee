//! Triangles and what they cover.

use ash::vk;

use crate::failure::Failure;
use crate::frame::{Frame, Targets};
use crate::picture::{EXACT, Picture, Tolerance};
use crate::reference::{plain, plain_flat};
use crate::state::{Blend, State};
use crate::test::{Both, Random, Test};

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
const COUNT: vk::Format = vk::Format::R32_SFLOAT;
const RED: [f32; 4] = [1.0, 0.2, 0.6, 1.0];

pub fn clear(test: &mut Test<'_>) -> Result<(), Failure> {
    use vk::Format as F;
    let (w, h) = test.size;
    let cases = [
        (F::R8G8B8A8_UNORM, [0.2, 0.4, 0.6, 0.8]),
        (F::B8G8R8A8_SRGB, [0.2, 0.4, 0.6, 0.8]),
        (F::R16G16B16A16_SFLOAT, [-2.5, 0.1, 1e4, 1.0]),
        (F::R32G32_UINT, [7.0, 4_000_000_000.0, 0.0, 0.0]),
        (F::R16G16B16A16_SINT, [-5.0, 1000.0, -32768.0, 2.0]),
        (F::A2B10G10R10_UNORM_PACK32, [0.1, 0.9, 0.5, 1.0]),
    ];
    for (format, value) in cases {
        let mut frame = Frame::new(test.gpu, Targets { clear: vec![value], ..Targets::new(test.size, &[format]) })?;
        frame.render();
        let shot = frame.finish()?;
        // How a half is rounded is the driver's matter.
        let tolerance = Tolerance { steps: 1, ..EXACT };
        let tolerance = if format::is_integer(format) { EXACT } else { tolerance };
        test.compare_within(&format!("{format:?}"), &shot.colors[0], &Picture::of(w, h, format, |_, _| value), tolerance)?;
    }
    Ok(())
}

mod format {
    pub fn is_integer(format: ash::vk::Format) -> bool {
        crate::format::layout(format).is_integer()
    }
}

pub fn triangle(test: &mut Test<'_>) -> Result<(), Failure> {
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]))?;
    let vertices = [test.at(w / 2.0, 3.25, 0.5, RED), test.at(w - 7.5, h - 4.0, 0.5, RED), test.at(2.0, h - 9.75, 0.5, RED)];
    both.draw(&State::default(), &vertices, plain)?;
    both.finish(test, "triangle")?;
    Ok(())
}

pub fn gradient(test: &mut Test<'_>) -> Result<(), Failure> {
    let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]))?;
    let colors = [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 1.0, 0.0]];
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let places = [(8.0, 8.0, 1.0), (w - 8.0, 16.0, 4.0), (16.0, h - 8.0, 2.0), (w - 4.0, h - 12.0, 8.0)];
    let corner = |i: usize| {
        let (x, y, depth) = places[i];
        let mut v = test.at(x, y, 0.5, colors[i]);
        v[..4].iter_mut().for_each(|v| *v *= depth);
        v
    };
    both.draw(&State::default(), &[0, 1, 2, 2, 1, 3].map(corner), plain)?;
    both.finish(test, "gradient")?;
    Ok(())
}

pub fn random(test: &mut Test<'_>) -> Result<(), Failure> {
    let mut random = Random::new(3);
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let mut vertices = Vec::new();
    for _ in 0..200 {
        let (x, y) = (random.place(4.0, w - 12.0), random.place(4.0, h - 12.0));
        let size = [1.0, 2.5, 9.0][random.below(3) as usize];
        let corner = |random: &mut Random| test.at(x + random.place(0.0, size), y + random.place(0.0, size), 0.5, [1.0; 4]);
        let t = [corner(&mut random), corner(&mut random), corner(&mut random)];
        for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
            vertices.extend(order.map(|i| t[i]));
        }
    }
    let mut both = Both::new(test, Targets::new(test.size, &[COUNT]))?;
    let state = State { blends: vec![Blend::ADD], ..State::default() };
    both.draw(&state, &vertices, plain)?;
    both.finish(test, "count")?;
    Ok(())
}

pub fn shared_edges(test: &mut Test<'_>) -> Result<(), Failure> {
    // A grid whose corners are centers of pixels, each cell cut in a way of its own: edges in eight directions through centers.
    let (w, h) = test.size;
    let mut vertices = Vec::new();
    let step = 6;
    let (columns, rows) = ((w - 4) / step, (h - 4) / step);
    let corner = |c: u32, r: u32| test.at((2 + c * step) as f32 + 0.5, (2 + r * step) as f32 + 0.5, 0.5, [1.0; 4]);
    for r in 0..rows {
        for c in 0..columns {
            let q = [corner(c, r), corner(c + 1, r), corner(c + 1, r + 1), corner(c, r + 1)];
            let middle = test.at((2 + c * step) as f32 + 3.5, (2 + r * step) as f32 + 3.5, 0.5, [1.0; 4]);
            match (c + 2 * r) % 4 {
                0 => vertices.extend([q[0], q[1], q[2], q[0], q[2], q[3]]),
                1 => vertices.extend([q[1], q[2], q[3], q[1], q[0], q[3]]),
                _ => (0..4).for_each(|i| vertices.extend([q[i], middle, q[(i + 1) % 4]])),
            }
        }
    }
    let mut frame = Frame::new(test.gpu, Targets::new(test.size, &[COUNT]))?;
    frame.draw(&State { blends: vec![Blend::ADD], ..State::default() }, &vertices)?;
    let shot = frame.finish()?;
    // The upper and left borders of the mesh are in, the others are not.
    let expected = Picture::of(w, h, COUNT, |x, y| {
        let inside = x >= 2 && x < 2 + columns * step && y >= 2 && y < 2 + rows * step;
        [f64::from(u8::from(inside)), 0.0, 0.0, 0.0]
    });
    test.compare("count", &shot.colors[0], &expected)
}

pub fn huge(test: &mut Test<'_>) -> Result<(), Failure> {
    // The hypotenuse goes through the target; coordinates are up to 30,000.
    let state = State { blends: vec![Blend::ADD], ..State::default() };
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let cases = [
        [(-30000.0, -20000.0), (30000.0, 20040.0), (-30000.0, 30000.0)],
        [(w / 2.0, -29000.25), (w / 2.0 + 3.5, 29000.0), (-28000.0, h)],
        [(-30000.0, h / 2.0 + 0.5), (30000.0, h / 2.0 - 7.5), (30000.0, 30000.0)],
    ];
    for (i, case) in cases.into_iter().enumerate() {
        let mut both = Both::new(test, Targets::new(test.size, &[COUNT]))?;
        let [a, b, c] = case.map(|(x, y)| test.at(x, y, 0.5, [1.0; 4]));
        let d = test.at(30000.0, -30000.0, 0.5, [1.0; 4]);
        both.draw(&state, &[a, b, c, a, d, b], plain)?;
        both.finish(test, &format!("case {i}"))?;
    }
    Ok(())
}

pub fn culling(test: &mut Test<'_>) -> Result<(), Failure> {
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    // gl_FrontFacing tells the faces apart where both are drawn.
    let fragment = "
        layout(location = 0) in vec4 c;
        layout(location = 0) out vec4 o;
        void main() { o = gl_FrontFacing ? c : vec4(c.bgr, 0.5); }";
    for front in [vk::FrontFace::CLOCKWISE, vk::FrontFace::COUNTER_CLOCKWISE] {
        for cull in [vk::CullModeFlags::NONE, vk::CullModeFlags::FRONT, vk::CullModeFlags::BACK, vk::CullModeFlags::FRONT_AND_BACK] {
            let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]))?;
            let state = State { front, cull, ..State::with_fragment(fragment) };
            let (a, b, c) = ((4.0, 4.0), (w / 2.0 - 4.0, 4.0), (4.0, h - 4.0));
            let mut vertices = [a, b, c].map(|(x, y)| test.at(x, y, 0.5, RED)).to_vec();
            vertices.extend([a, c, b].map(|(x, y)| test.at(x + w / 2.0, y, 0.5, RED)));
            both.draw(&state, &vertices, |f| {
                let mut out = plain_flat(f)?;
                if !f.front {
                    out.colors[0] = [f.flat[2], f.flat[1], f.flat[0], 0.5];
                }
                Some(out)
            })?;
            both.finish(test, &format!("{front:?} {cull:?}"))?;
        }
    }
    Ok(())
}

pub fn degenerate(test: &mut Test<'_>) -> Result<(), Failure> {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let mut vertices = Vec::new();
    let mut add = |a: (f32, f32), b: (f32, f32), c: (f32, f32)| vertices.extend([a, b, c].map(|(x, y)| test.at(x, y, 0.5, RED)));
    add((5.0, 5.0), (5.0, 5.0), (50.0, 50.0));
    add((5.0, 5.0), (20.0, 20.0), (40.0, 40.0));
    add((0.0, 3.5), (w, 3.5), (w / 2.0, 3.5));
    add((7.0, 7.0), (7.0, 7.0), (7.0, 7.0));
    add((nan, 5.0), (20.0, 9.0), (40.0, 40.0));
    add((5.0, 5.0), (20.0, nan), (40.0, 40.0));
    for (slot, bad) in [(0, nan), (1, nan), (2, nan), (3, nan), (0, inf), (3, inf), (1, -inf)] {
        let mut t = [test.at(3.0, 3.0, 0.5, RED), test.at(w - 3.0, 3.0, 0.5, RED), test.at(3.0, h - 3.0, 0.5, RED)];
        t[1][slot] = bad;
        // Infinity in x is a direction for some hardware: only w and NaN must draw nothing.
        if bad.is_nan() || slot == 3 {
            vertices.extend(t);
        }
    }
    let mut frame = Frame::new(test.gpu, Targets::new(test.size, &[RGBA8]))?;
    frame.draw(&State::default(), &vertices[..12])?;
    let shot = frame.finish()?;
    test.compare("without area", &shot.colors[0], &Picture::of(test.size.0, test.size.1, RGBA8, |_, _| [0.0; 4]))?;
    // What NaN covers is not defined: the frame must end, and a triangle after it be right.
    let mut frame = Frame::new(test.gpu, Targets::new(test.size, &[RGBA8]))?;
    frame.draw(&State::default(), &vertices[12..])?;
    let green = [0.0, 1.0, 0.0, 1.0];
    frame.draw(&State::default(), &test.quad(test.whole(), 0.5, green))?;
    let shot = frame.finish()?;
    let expected = Picture::of(test.size.0, test.size.1, RGBA8, |_, _| green.map(f64::from));
    test.compare("after NaN", &shot.colors[0], &expected)
}
