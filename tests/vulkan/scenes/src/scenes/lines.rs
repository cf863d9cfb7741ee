//! Points and lines.

use ash::vk;

use crate::failure::Failure;
use crate::frame::{Frame, Targets};
use crate::reference::{Out, Reference, plain_flat};
use crate::state::State;
use crate::test::{Both, Random, Test, Vertex, corners};

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;

pub fn points(test: &mut Test<'_>) -> Result<(), Failure> {
    let vertex = "
        layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(location = 0) out vec4 c;
        void main() { gl_Position = position; c = color; gl_PointSize = color.a * 64.0; }";
    let fragment = "
        layout(location = 0) in vec4 c;
        layout(location = 0) out vec4 o;
        void main() { o = vec4(c.r, gl_PointCoord, 1); }";
    let topology = vk::PrimitiveTopology::POINT_LIST;
    let state = State { vertex: vertex.to_owned(), topology, ..State::with_fragment(fragment) };
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let mut random = Random::new(26);
    for size in [1.0f32, 2.5, 7.0, 64.0, 0.0] {
        let one = size != 0.0;
        let mut vertices: Vec<Vertex> = Vec::new();
        for _ in 0..if size == 64.0 { 4 } else { 30 } {
            let each = if one { size } else { 1.0 + random.below(48) as f32 / 8.0 };
            vertices.push(test.at(
                random.place(0.0, w),
                random.place(0.0, h),
                0.5,
                [random.below(256) as f32 / 255.0, 0.0, 0.0, each / 64.0],
            ));
        }
        let mut frame = Frame::new(test.gpu, Targets::new(test.size, &[RGBA8]))?;
        frame.draw(&state, &vertices)?;
        let shot = frame.finish()?;
        let mut all = corners(&vertices);
        all.iter_mut().for_each(|c| c.size = c.values[3] * 64.0);
        let mut reference = Reference::new(&Targets::new(test.size, &[RGBA8]));
        reference.draw(&state, &all, &mut |f| Some(Out::new([f.flat[0], f.point[0], f.point[1], 1.0])));
        let label = if one { format!("size {size}") } else { "sizes of each".to_owned() };
        test.compare(&label, &shot.colors[0], &reference.picture(0))?;
    }
    Ok(())
}

pub fn lines(test: &mut Test<'_>) -> Result<(), Failure> {
    use vk::PrimitiveTopology as T;
    test.gpu.need(ash::ext::line_rasterization::NAME)?;
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    // A star of 32 directions; ends off the borders of diamonds.
    let mut star = Vec::new();
    for i in 0..32 {
        let angle = i as f32 * std::f32::consts::TAU / 32.0 + 0.01;
        let place = |r: f32| {
            let (x, y) = (w / 2.0 + angle.cos() * r * w, h / 2.0 + angle.sin() * r * h);
            ((x * 32.0).round() / 32.0 + 3.0 / 256.0, (y * 32.0).round() / 32.0 + 1.0 / 256.0)
        };
        let color = [(i % 4) as f32 / 3.0, (i % 6) as f32 / 5.0, 1.0, 1.0];
        star.extend([place(0.1), place(0.45)].map(|(x, y)| test.at(x, y, 0.5, color)));
    }
    // A path whose pieces meet: no pixel of a joint twice or never.
    let mut random = Random::new(27);
    let path: Vec<Vertex> = (0..40)
        .map(|i| {
            let place = |limit: f32, off: f32, r: &mut Random| r.below(limit as u32 * 32 - 64) as f32 / 32.0 + 1.0 + off / 256.0;
            test.at(place(w, 3.0, &mut random), place(h, 1.0, &mut random), 0.5, [(i % 6) as f32 / 5.0, 1.0, 0.0, 1.0])
        })
        .collect();
    for (label, topology, vertices) in
        [("list", T::LINE_LIST, &star), ("strip", T::LINE_STRIP, &path), ("list of path", T::LINE_LIST, &path)]
    {
        let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]))?;
        both.draw(&State { topology, bresenham: true, ..State::flat() }, vertices, plain_flat)?;
        both.finish(test, label)?;
    }
    Ok(())
}

/// A path of random places in the target, off the borders of diamonds.
fn path(test: &Test<'_>, seed: u64, count: u32) -> Vec<Vertex> {
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let mut random = Random::new(seed);
    let mut place = |limit: f32, off: f32| random.below(limit as u32 * 32 - 64) as f32 / 32.0 + 1.0 + off / 256.0;
    (0..count).map(|i| test.at(place(w, 3.0), place(h, 1.0), 0.5, [(i % 6) as f32 / 5.0, 1.0, (i % 4) as f32 / 3.0, 1.0])).collect()
}

/// Stippled lines of one pixel: each line of a list begins the pattern anew, a strip goes on with it.
pub fn stippled(test: &mut Test<'_>) -> Result<(), Failure> {
    use vk::PrimitiveTopology as T;
    test.gpu.need(ash::ext::line_rasterization::NAME)?;
    test.gpu.need_feature(test.gpu.stipples, "stippledBresenhamLines")?;
    for (topology, seed, stipple) in [
        (T::LINE_LIST, 31, (1, 0x5555)),
        (T::LINE_LIST, 32, (3, 0xc53a)),
        (T::LINE_STRIP, 33, (2, 0x00ff)),
        (T::LINE_STRIP, 34, (7, 0xc53a)),
        (T::LINE_STRIP, 35, (256, 0x0001)),
        (T::LINE_STRIP, 36, (1, 0)),
    ] {
        let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]))?;
        let state = State { topology, bresenham: true, stipple: Some(stipple), ..State::flat() };
        both.draw(&state, &path(test, seed, 40), plain_flat)?;
        both.finish(test, &format!("{topology:?}, {stipple:x?}"))?;
    }
    Ok(())
}

/// Wide lines that are not strict: parallelograms with ends along x or y (Vulkan specification, "Basic Line Segment Rasterization").
pub fn wide(test: &mut Test<'_>) -> Result<(), Failure> {
    use vk::PrimitiveTopology as T;
    test.gpu.need_feature(test.gpu.features.wide_lines != 0, "wideLines")?;
    test.gpu.need_feature(test.gpu.limits.strict_lines == 0, "lines that are not strict")?;
    for (topology, seed, line_width) in [(T::LINE_LIST, 41, 2.0), (T::LINE_STRIP, 42, 3.5), (T::LINE_LIST, 43, 8.0)] {
        let vertices = path(test, seed, 16);
        let targets = Targets::new(test.size, &[RGBA8]);
        let mut frame = Frame::new(test.gpu, targets.clone())?;
        frame.draw(&State { topology, line_width, ..State::flat() }, &vertices)?;
        let found = frame.finish()?;
        let lines: Vec<[Vertex; 2]> = match topology {
            T::LINE_LIST => vertices.chunks_exact(2).map(|l| [l[0], l[1]]).collect(),
            _ => vertices.windows(2).map(|l| [l[0], l[1]]).collect(),
        };
        let mut triangles = Vec::new();
        let pixels = [test.size.0 as f32 / 2.0, test.size.1 as f32 / 2.0];
        for [a, b] in lines {
            let [dx, dy] = [0, 1].map(|i| ((b[i] - a[i]) * pixels[i]).abs());
            let axis = usize::from(dx >= dy);
            let moved = |v: Vertex, by: f32| {
                let mut v = v;
                v[axis] += by * line_width / 2.0 / pixels[axis];
                // The color of the first end.
                v[4..].copy_from_slice(&a[4..]);
                v
            };
            triangles.extend([moved(a, -1.0), moved(b, -1.0), moved(a, 1.0), moved(a, 1.0), moved(b, -1.0), moved(b, 1.0)]);
        }
        let mut reference = Reference::new(&targets);
        reference.draw(&State::flat(), &corners(&triangles), &mut plain_flat);
        test.compare(&format!("{topology:?}, {line_width} pixels"), &found.colors[0], &reference.picture(0))?;
    }
    Ok(())
}

/// Triangles as their edges, and as their corners.
pub fn polygons(test: &mut Test<'_>) -> Result<(), Failure> {
    use vk::PolygonMode as M;
    test.gpu.need(ash::ext::line_rasterization::NAME)?;
    test.gpu.need_feature(test.gpu.features.fill_mode_non_solid != 0, "fillModeNonSolid")?;
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let mut random = Random::new(25);
    // Corners off the borders of diamonds.
    let mut place = |limit: f32, off: f32| random.below(limit as u32 * 32 - 64) as f32 / 32.0 + 1.0 + off / 256.0;
    let triangles: Vec<[Vertex; 3]> = (0..16)
        .map(|i| {
            let color = [(i % 4) as f32 / 3.0, (i / 4) as f32 / 3.0, 1.0, 1.0];
            [0, 1, 2].map(|_| test.at(place(w, 3.0), place(h, 1.0), 0.5, color))
        })
        .collect();
    let vertices: Vec<Vertex> = triangles.concat();
    let vertex = State::flat().vertex.replace("c = color;", "c = color; gl_PointSize = 1.0;");
    for (polygon, cull) in [(M::LINE, vk::CullModeFlags::NONE), (M::LINE, vk::CullModeFlags::BACK), (M::POINT, vk::CullModeFlags::NONE)] {
        let targets = Targets::new(test.size, &[RGBA8]);
        let mut frame = Frame::new(test.gpu, targets.clone())?;
        frame.draw(&State { polygon, cull, bresenham: true, vertex: vertex.clone(), ..State::flat() }, &vertices)?;
        let found = frame.finish()?;
        let mut reference = Reference::new(&targets);
        for [a, b, c] in &triangles {
            // Clockwise, y down: front faces.
            let area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
            if cull == vk::CullModeFlags::BACK && area < 0.0 {
                continue;
            }
            let (topology, list) = match polygon {
                M::LINE => (vk::PrimitiveTopology::LINE_LIST, vec![*a, *b, *b, *c, *c, *a]),
                _ => (vk::PrimitiveTopology::POINT_LIST, vec![*a, *b, *c]),
            };
            reference.draw(&State { topology, bresenham: true, ..State::flat() }, &corners(&list), &mut plain_flat);
        }
        test.compare(&format!("{polygon:?} {cull:?}"), &found.colors[0], &reference.picture(0))?;
    }
    Ok(())
}
