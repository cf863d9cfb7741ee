//! Several samples in a pixel.

use ash::vk;

use crate::failure::Failure;
use crate::frame::{Frame, Targets};
use crate::reference::{Out, places, plain, plain_flat};
use crate::state::{Blend, Depth, State};
use crate::test::{Both, Test, Vertex};

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;

/// The counts that the device has for color and depth.
fn counts(test: &Test<'_>) -> Vec<u32> {
    let both = test.gpu.limits.framebuffer_color_sample_counts & test.gpu.limits.framebuffer_depth_sample_counts;
    [2, 4, 8].into_iter().filter(|&n| both.contains(vk::SampleCountFlags::from_raw(n))).collect()
}

fn triangles(test: &Test<'_>) -> Vec<Vertex> {
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    vec![
        test.at(3.25, 4.5, 0.2, [1.0, 0.0, 0.4, 1.0]),
        test.at(w - 9.0, 17.75, 0.9, [1.0, 0.0, 0.4, 1.0]),
        test.at(20.5, h - 6.0, 0.4, [1.0, 0.0, 0.4, 1.0]),
        test.at(w - 5.25, 2.5, 0.3, [0.0, 1.0, 0.2, 0.6]),
        test.at(w - 30.0, h - 3.75, 0.5, [0.0, 1.0, 0.2, 0.6]),
        test.at(8.0, h / 2.0 + 0.5, 0.7, [0.0, 1.0, 0.2, 0.6]),
    ]
}

pub fn resolve(test: &mut Test<'_>) -> Result<(), Failure> {
    for samples in counts(test) {
        let depth = Some(Depth { func: vk::CompareOp::LESS, write: true });
        for (name, state) in [
            ("plain", State::flat()),
            ("depth", State { depth, ..State::flat() }),
            ("blend", State { blends: vec![Blend::OVER], ..State::flat() }),
        ] {
            let targets = Targets::new(test.size, &[RGBA8]).with_depth(vk::Format::D32_SFLOAT).with_samples(samples);
            let mut both = Both::new(test, targets)?;
            both.draw(&State { samples, ..state }, &triangles(test), plain_flat)?;
            both.finish(test, &format!("{samples} samples, {name}"))?;
        }
    }
    Ok(())
}

pub fn shading(test: &mut Test<'_>) -> Result<(), Failure> {
    test.gpu.need_feature(test.gpu.features.sample_rate_shading != 0, "sampleRateShading")?;
    // Half a pixel to the right is another number: the average tells which samples ran with which number and place.
    let fragment = "
        layout(location = 0) flat in vec4 c;
        layout(location = 0) out vec4 o;
        void main() { o = vec4(float(1 << gl_SampleID) / 256.0, gl_SamplePosition, fract(gl_FragCoord.x)); }";
    for samples in counts(test) {
        let targets = Targets::new(test.size, &[vk::Format::R32G32B32A32_SFLOAT]).with_samples(samples);
        let mut both = Both::new(test, targets)?;
        let state = State { samples, sample_shading: Some(1.0), fragment: Some(fragment.to_owned()), ..State::flat() };
        both.draw(&state, &triangles(test), |f| {
            let s = f.sample.unwrap();
            let (x, y) = places(samples)[s as usize];
            let place = [x, y].map(|v| 0.5 + v as f64 / 16.0);
            Some(Out::new([f64::from(1 << s) / 256.0, place[0], place[1], place[0]]))
        })?;
        both.finish(test, &format!("{samples} samples"))?;
    }
    Ok(())
}

pub fn masks(test: &mut Test<'_>) -> Result<(), Failure> {
    for samples in counts(test) {
        let targets = Targets::new(test.size, &[RGBA8]).with_samples(samples);
        for mask in [0x5a, 0x01, 0xf0] {
            let mut both = Both::new(test, targets.clone())?;
            both.draw(&State { samples, sample_mask: mask, ..State::flat() }, &triangles(test), plain_flat)?;
            both.finish(test, &format!("{samples} samples, mask {mask:#x}"))?;
        }
        let written = "
            layout(location = 0) flat in vec4 c;
            layout(location = 0) out vec4 o;
            void main() { o = c; gl_SampleMask[0] = 1 << (int(gl_FragCoord.x) % 9); }";
        let mut both = Both::new(test, targets.clone())?;
        both.draw(&State { samples, fragment: Some(written.to_owned()), ..State::flat() }, &triangles(test), |f| {
            let mut out = plain_flat(f)?;
            out.mask = 1 << (f.x % 9);
            Some(out)
        })?;
        both.finish(test, &format!("{samples} samples, written mask"))?;
        let read = "
            layout(location = 0) flat in vec4 c;
            layout(location = 0) out vec4 o;
            void main() { o = vec4(float(gl_SampleMaskIn[0]) / 255.0, c.gb, 1); }";
        let mut both = Both::new(test, targets.clone())?;
        both.draw(&State { samples, fragment: Some(read.to_owned()), ..State::flat() }, &triangles(test), |f| {
            Some(Out::new([f64::from(f.coverage) / 255.0, f.flat[1], f.flat[2], 1.0]))
        })?;
        both.finish(test, &format!("{samples} samples, read mask"))?;
        alpha_to_coverage(test, samples)?;
    }
    Ok(())
}

/// Columns of growing alpha: coverage grows, from none to all.
fn alpha_to_coverage(test: &mut Test<'_>, samples: u32) -> Result<(), Failure> {
    let mut frame = Frame::new(test.gpu, Targets::new(test.size, &[RGBA8]).with_samples(samples))?;
    let state = State { samples, alpha_to_coverage: true, ..State::flat() };
    let vertices: Vec<Vertex> = (0..=16)
        .flat_map(|i| test.quad([i as f32 * 4.0, 0.0, i as f32 * 4.0 + 4.0, 64.0], 0.5, [1.0, 0.0, 0.0, i as f32 / 16.0]))
        .collect();
    frame.draw(&state, &vertices)?;
    let shot = frame.finish()?;
    let sums: Vec<i64> = (0..=16)
        .map(|i| {
            (0..4)
                .flat_map(|y| (0..4).map(move |x| (x, y)))
                .map(|(x, y)| shot.colors[0].codes[y * shot.colors[0].width + i * 4 + x][0])
                .sum()
        })
        .collect();
    test.expect(sums[0] == 0 && sums[16] == 16 * 255, || format!("{samples} samples, ends of alpha to coverage: {sums:?}"));
    test.expect(sums.is_sorted(), || format!("{samples} samples, alpha to coverage is not monotone: {sums:?}"));
    Ok(())
}

pub fn interpolation(test: &mut Test<'_>) -> Result<(), Failure> {
    // A function of the place that is linear in the window, once with perspective and once without, at the center, centroid and sample.
    let vertex = "
        layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(location = 0) out vec4 a;
        layout(location = 1) noperspective out vec4 b;
        void main() { gl_Position = position; a = color; b = color; }";
    let fragment = "
        layout(location = 0) in vec4 a;
        layout(location = 1) noperspective in vec4 b;
        layout(location = 0) out vec4 o;
        void main() { o = vec4(a.xy, b.xy); }";
    let vertices = turned(test);
    let state = State { vertex: vertex.to_owned(), ..State::with_fragment(fragment) };
    let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]))?;
    both.draw(&state, &vertices, |f| Some(Out::new([f.values[0], f.values[1], f.linear[0], f.linear[1]])))?;
    both.finish(test, "perspective and not")?;

    // By sample: each sample's own values.
    for samples in counts(test) {
        test.gpu.need_feature(test.gpu.features.sample_rate_shading != 0, "sampleRateShading")?;
        let state = State {
            samples,
            sample_shading: Some(1.0),
            fragment: Some(fragment.replace(") in", ") sample in").replace(") noperspective in", ") noperspective sample in")),
            vertex: vertex.to_owned(),
            ..State::default()
        };
        let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]).with_samples(samples))?;
        both.draw(&state, &vertices, |f| Some(Out::new([f.values[0], f.values[1], f.linear[0], f.linear[1]])))?;
        both.finish(test, &format!("{samples} samples"))?;
    }
    Ok(())
}

/// A triangle turned away from the eye, whose colors are its barycentrics.
fn turned(test: &Test<'_>) -> Vec<Vertex> {
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let places =
        [(4.0, 5.0, 1.0, [1.0, 0.0, 0.0, 1.0]), (w - 7.0, 9.5, 3.0, [0.0, 1.0, 0.0, 1.0]), (30.0, h - 6.0, 2.0, [0.0, 0.0, 1.0, 1.0])];
    places
        .iter()
        .map(|&(x, y, depth, color)| {
            let mut v = test.at(x, y, 0.5, color);
            v[..4].iter_mut().for_each(|v| *v *= depth);
            v
        })
        .collect()
}

pub fn centroid(test: &mut Test<'_>) -> Result<(), Failure> {
    // Never outside of the triangle: barycentrics are in 0 to 1, and what is 1 all over stays so.
    for samples in counts(test) {
        let centroid = "
            layout(location = 0) centroid in vec4 c;
            layout(location = 0) out vec4 o;
            void main() { bool inside = all(greaterThanEqual(c.rgb, vec3(-1e-5))) && all(lessThanEqual(c.rgb, vec3(1.00001)));
                          o = vec4(inside ? 0 : 1, 1, abs(c.a - 1) > 1e-5 ? 1 : 0, 1); }";
        let state = State { samples, ..State::with_fragment(centroid) };
        let state = State { vertex: state.vertex.replace(") out", ") centroid out"), ..state };
        let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]).with_samples(samples))?;
        both.draw(&state, &turned(test), |f| plain(f).map(|_| Out::new([0.0, 1.0, 0.0, 1.0])))?;
        both.finish(test, &format!("{samples} samples"))?;
    }
    Ok(())
}

/// Resolves at the end of rendering: integers, depth and stencil, each mode of them.
pub fn resolve_modes(test: &mut Test<'_>) -> Result<(), Failure> {
    use vk::ResolveModeFlags as M;
    let (color, depth) = (vk::Format::R32_UINT, vk::Format::D32_SFLOAT_S8_UINT);
    let zero = M::SAMPLE_ZERO;
    let fragment = "
        layout(location = 0) flat in vec4 c;
        layout(location = 0) out uint o;
        void main() { o = uint(c.g * 200.0 + 7.0); }";
    let replace = vk::StencilOpState {
        fail_op: vk::StencilOp::KEEP,
        pass_op: vk::StencilOp::INCREMENT_AND_CLAMP,
        depth_fail_op: vk::StencilOp::INVERT,
        compare_op: vk::CompareOp::ALWAYS,
        compare_mask: 0xff,
        write_mask: 0xff,
        reference: 0,
    };
    for samples in counts(test) {
        for (depth_mode, stencil_mode) in [(zero, zero), (M::MIN, M::MAX), (M::MAX, M::MIN), (M::AVERAGE, zero)] {
            let targets = Targets {
                resolve: Some([zero, depth_mode, stencil_mode]),
                clear_stencil: 3,
                ..Targets::new(test.size, &[color]).with_depth(depth).with_samples(samples)
            };
            let state = State {
                samples,
                fragment: Some(fragment.to_owned()),
                depth: Some(Depth { func: vk::CompareOp::LESS, write: true }),
                stencil: Some([replace; 2]),
                ..State::flat()
            };
            let mut both = Both::new(test, targets)?;
            both.draw(&state, &triangles(test), |f| Some(Out::new([(f.flat[1] * 200.0 + 7.0).floor(), 0.0, 0.0, 0.0])))?;
            let Both { frame, mut reference } = both;
            // What the reference renderer has for each sample becomes what is left of a pixel.
            let n = samples as usize;
            let pixels = reference.depth.len() / n;
            for i in 0..pixels {
                let z = &reference.depth[i * n..][..n];
                let s = &reference.stencil[i * n..][..n];
                let z = match depth_mode {
                    M::MIN => z.iter().copied().fold(f64::INFINITY, f64::min),
                    M::MAX => z.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                    M::AVERAGE => z.iter().sum::<f64>() / f64::from(samples),
                    _ => z[0],
                };
                let s = match stencil_mode {
                    M::MIN => *s.iter().min().unwrap(),
                    M::MAX => *s.iter().max().unwrap(),
                    _ => s[0],
                };
                (reference.depth[i], reference.stencil[i]) = (z, s);
            }
            reference.depth.truncate(pixels);
            reference.stencil.truncate(pixels);
            let shot = frame.finish()?;
            test.compare_all(&format!("{samples} samples, {depth_mode:?} {stencil_mode:?}"), &shot, &reference)?;
        }
    }
    Ok(())
}
