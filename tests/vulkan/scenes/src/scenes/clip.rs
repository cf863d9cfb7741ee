//! Clipping: planes of the view volume, the eye's plane, distances that shaders give.

use ash::vk;

use crate::failure::Failure;
use crate::frame::{Frame, Targets};
use crate::picture::{Picture, Tolerance};
use crate::reference::{Reference, plain, plain_flat};
use crate::state::{Blend, Depth, State};
use crate::test::{Both, Test, Vertex, corners};

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
const D32: vk::Format = vk::Format::D32_SFLOAT;
const ALWAYS: Option<Depth> = Some(Depth { func: vk::CompareOp::ALWAYS, write: true });

pub fn near(test: &mut Test<'_>) -> Result<(), Failure> {
    // w goes through 0, and z through both of its planes.
    let colors = [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]];
    let cases: [[[f32; 4]; 3]; 5] = [
        [[-0.5, -0.6, 0.5, 1.0], [0.7, 0.1, 0.5, 1.0], [0.1, 0.4, -1.0, -1.0]],
        [[-0.5, -0.6, 0.2, 1.0], [0.3, 0.2, -0.5, -0.5], [0.1, -0.4, -1.0, -1.0]],
        [[-0.8, -0.8, -0.5, 1.0], [0.8, -0.7, 0.5, 1.0], [0.0, 0.9, 0.5, 1.0]],
        [[-0.8, -0.8, 0.5, 1.0], [1.6, -1.4, 3.0, 2.0], [0.0, 0.9, 1.5, 1.0]],
        [[-9.0, 1.0, -1.0, 0.1], [9.0, 1.0, -1.0, 0.1], [0.0, -5.0, 90.0, 100.0]],
    ];
    for (i, case) in cases.into_iter().enumerate() {
        for flip in [false, true] {
            let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]))?;
            let mut vertices: Vec<Vertex> =
                case.iter().zip(colors).map(|(p, c)| [p[0], p[1], p[2], p[3], c[0], c[1], c[2], c[3]]).collect();
            if flip {
                vertices.swap(0, 1);
            }
            let state = State { cull: if flip { vk::CullModeFlags::BACK } else { vk::CullModeFlags::NONE }, ..State::default() };
            both.draw(&state, &vertices, plain)?;
            both.finish(test, &format!("case {i}, flip {flip}"))?;
        }
    }
    Ok(())
}

/// Three large triangles whose depths go beyond 0 and 1.
fn deep(test: &Test<'_>) -> Vec<Vertex> {
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let c = |v: f32| [v, 1.0 - v, 0.2, 1.0];
    vec![
        test.at(2.0, 2.0, -0.5, c(0.0)),
        test.at(w - 2.0, 2.0, 1.5, c(1.0)),
        test.at(2.0, h / 2.0, 0.5, c(0.4)),
        test.at(w - 2.0, h - 3.0, -0.75, c(0.2)),
        test.at(w - 2.0, 6.0, 0.25, c(0.6)),
        test.at(w / 2.0, h - 3.0, 0.5, c(0.8)),
        test.at(3.0, h - 2.0, 2.0, c(0.0)),
        test.at(3.0, h / 2.0 + 1.0, 0.75, c(1.0)),
        test.at(w / 2.0 - 4.0, h - 2.0, 0.5, c(0.4)),
    ]
}

pub fn depth_range(test: &mut Test<'_>) -> Result<(), Failure> {
    let range = vk::Viewport { x: 0.0, y: 0.0, width: test.size.0 as f32, height: test.size.1 as f32, min_depth: 0.25, max_depth: 0.75 };
    let reversed = vk::Viewport { min_depth: 0.75, max_depth: 0.25, ..range };
    let flat = vk::Viewport { min_depth: 0.5, max_depth: 0.5, ..range };
    let ends = [("0 to 1", vec![]), ("0.25 to 0.75", vec![range]), ("0.75 to 0.25", vec![reversed]), ("0.5 to 0.5", vec![flat])];
    for (name, viewports) in ends {
        for (depth_clamp, depth_clip) in [(false, None), (true, None), (true, Some(true)), (true, Some(false))] {
            test.gpu.need_feature(test.gpu.features.depth_clamp != 0, "depthClamp")?;
            if depth_clip.is_some() && !test.gpu.has(ash::ext::depth_clip_enable::NAME) {
                continue;
            }
            let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]).with_depth(D32))?;
            let state = State { viewports: viewports.clone(), depth_clamp, depth_clip, depth: ALWAYS, ..State::default() };
            both.draw(&state, &deep(test), plain)?;
            both.finish(test, &format!("{name}, clamp {depth_clamp}, clip {depth_clip:?}"))?;
        }
    }
    Ok(())
}

pub fn negative_one(test: &mut Test<'_>) -> Result<(), Failure> {
    test.gpu.need(ash::ext::depth_clip_control::NAME)?;
    for negative_one_to_one in [true, false] {
        let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]).with_depth(D32))?;
        let state = State { negative_one_to_one, depth: ALWAYS, ..State::default() };
        both.draw(&state, &deep(test), plain)?;
        both.finish(test, &format!("{negative_one_to_one}"))?;
    }
    Ok(())
}

pub fn distances(test: &mut Test<'_>) -> Result<(), Failure> {
    test.gpu.need_feature(test.gpu.features.shader_clip_distance != 0, "shaderClipDistance")?;
    for count in 1..=8usize {
        // Sides of an octagon, not through places that are exact.
        let plane = |i: usize| {
            let angle = i as f64 * std::f64::consts::TAU / 8.0 + 0.3;
            [-angle.cos(), -angle.sin(), 0.611 + 0.03 * i as f64]
        };
        let lines: Vec<String> = (0..count)
            .map(|i| format!("gl_ClipDistance[{i}] = dot(vec3({:.9}, {:.9}, {:.9}), position.xyw);", plane(i)[0], plane(i)[1], plane(i)[2]))
            .collect();
        let vertex = format!(
            "layout(location = 0) in vec4 position;
            layout(location = 1) in vec4 color;
            layout(location = 0) out vec4 c;
            out float gl_ClipDistance[{count}];
            void main() {{ gl_Position = position; c = color; {} }}",
            lines.concat()
        );
        let state = State { vertex, ..State::default() };
        let (w, h) = (test.size.0 as f32, test.size.1 as f32);
        let vertices = [
            test.at(1.0, 1.0, 0.5, [1.0, 0.0, 0.0, 1.0]),
            test.at(w - 1.0, 1.0, 0.5, [0.0, 1.0, 0.0, 1.0]),
            test.at(1.0, h - 1.0, 0.5, [0.0, 0.0, 1.0, 1.0]),
            test.at(1.0, h - 1.0, 0.5, [0.0, 0.0, 1.0, 1.0]),
            test.at(w - 1.0, 1.0, 0.5, [0.0, 1.0, 0.0, 1.0]),
            test.at(w - 1.0, h - 1.0, 0.5, [1.0, 1.0, 1.0, 1.0]),
        ];
        let mut frame = Frame::new(test.gpu, Targets::new(test.size, &[RGBA8]))?;
        frame.draw(&state, &vertices)?;
        let shot = frame.finish()?;
        let mut reference = Reference::new(&Targets::new(test.size, &[RGBA8]));
        let mut all = corners(&vertices);
        for corner in &mut all {
            let p = corner.position;
            corner.clips = (0..count).map(plane).map(|d| d[0] * p[0] + d[1] * p[1] + d[2] * p[3]).collect();
        }
        reference.draw(&state, &all, &mut plain);
        test.compare(&format!("{count} clip distances"), &shot.colors[0], &reference.picture(0))?;
    }
    cull_distances(test)
}

/// Triangles in a row, of which some corners have negative distances.
fn cull_distances(test: &mut Test<'_>) -> Result<(), Failure> {
    test.gpu.need_feature(test.gpu.features.shader_cull_distance != 0, "shaderCullDistance")?;
    let vertex = "
        layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(location = 0) out vec4 c;
        out float gl_CullDistance[2];
        void main() { gl_Position = position; c = vec4(color.rg, 1, 1); gl_CullDistance[0] = color.b; gl_CullDistance[1] = color.a; }";
    let state = State { vertex: vertex.to_owned(), ..State::default() };
    let mut vertices = Vec::new();
    for i in 0..64u32 {
        for (corner, (x, y)) in [(0.0, 0.0), (5.0, 0.0), (0.0, 5.0)].into_iter().enumerate() {
            let sign = |bit: usize| if i >> bit & 1 == 1 { -0.5 } else { 0.25 };
            let place = ((i % 16) as f32 * 7.0 + x, (i / 16) as f32 * 7.0 + y);
            vertices.push(test.at(place.0 + 1.0, place.1 + 1.0, 0.5, [1.0, 0.0, sign(corner), sign(corner + 3)]));
        }
    }
    let mut frame = Frame::new(test.gpu, Targets::new(test.size, &[RGBA8]))?;
    frame.draw(&state, &vertices)?;
    let shot = frame.finish()?;
    let mut reference = Reference::new(&Targets::new(test.size, &[RGBA8]));
    let mut all = corners(&vertices);
    for corner in &mut all {
        corner.culls = vec![corner.values[2], corner.values[3]];
        corner.values[2..4].copy_from_slice(&[1.0, 1.0]);
    }
    reference.draw(&State { blends: vec![Blend::OFF], ..state }, &all, &mut plain_flat);
    let expected: Picture = reference.picture(0);
    test.compare_within("cull distances", &shot.colors[0], &expected, Tolerance { steps: 0, pixels: 0 })
}
