//! Viewports, scissors, discard rectangles.

use ash::vk;

use crate::failure::Failure;
use crate::frame::{Frame, Targets};
use crate::reference::{Reference, plain, plain_flat};
use crate::state::{Depth, State};
use crate::test::{Both, Test, Vertex, corners};

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;

fn rect(x: i32, y: i32, width: u32, height: u32) -> vk::Rect2D {
    vk::Rect2D { offset: vk::Offset2D { x, y }, extent: vk::Extent2D { width, height } }
}

pub fn flipped(test: &mut Test<'_>) -> Result<(), Failure> {
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let color = |v: f32| [v, 1.0 - v, 0.2, 1.0];
    let vertices = [test.at(4.0, 4.0, 0.0, color(0.0)), test.at(w - 9.0, 13.0, 0.4, color(1.0)), test.at(20.0, h - 6.0, 1.0, color(0.6))];
    for cull in [vk::CullModeFlags::NONE, vk::CullModeFlags::BACK, vk::CullModeFlags::FRONT] {
        for (name, y, height, min_depth, max_depth) in
            [("upright", 0.0, h, 1.0, 0.0), ("flipped", h, -h, 0.0, 1.0), ("both", h, -h, 0.9, 0.1)]
        {
            let viewports = vec![vk::Viewport { x: 0.0, y, width: w, height, min_depth, max_depth }];
            let depth = Some(Depth { func: vk::CompareOp::ALWAYS, write: true });
            let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]).with_depth(vk::Format::D32_SFLOAT))?;
            both.draw(&State { viewports, cull, depth, ..State::default() }, &vertices, plain)?;
            both.finish(test, &format!("{name} {cull:?}"))?;
        }
    }
    Ok(())
}

pub fn sixteen(test: &mut Test<'_>) -> Result<(), Failure> {
    test.gpu.need_feature(test.gpu.features.multi_viewport != 0, "multiViewport")?;
    let vertex = "
        #extension GL_ARB_shader_viewport_layer_array : require
        layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(location = 0) flat out vec4 c;
        void main() { gl_Position = position; c = color; gl_ViewportIndex = int(color.r * 15.0 + 0.5); }";
    let (w, h) = (test.size.0 / 4, test.size.1 / 4);
    let viewports: Vec<_> = (0..16)
        .map(|i| vk::Viewport {
            x: (i % 4 * w) as f32,
            y: (i / 4 * h) as f32,
            width: w as f32,
            height: (h - i % 3) as f32,
            min_depth: 0.0,
            max_depth: 1.0,
        })
        .collect();
    let scissors: Vec<_> = (0..16).map(|i: u32| rect((i % 4 * w + i % 5) as i32, (i / 4 * h + 1) as i32, w - 5, h)).collect();
    let state = State { vertex: vertex.to_owned(), viewports, scissors, ..State::flat() };
    let vertices: Vec<Vertex> = (0..16u32)
        .rev()
        .flat_map(|i| {
            let color = [i as f32 / 15.0, 1.0 - i as f32 / 15.0, (i % 2) as f32, 1.0];
            [[-0.9, -0.75], [1.5, -0.5], [-0.5, 0.875]].map(|[x, y]| [x, y, 0.5, 1.0, color[0], color[1], color[2], 1.0])
        })
        .collect();
    let mut frame = Frame::new(test.gpu, Targets::new(test.size, &[RGBA8]))?;
    frame.draw(&state, &vertices)?;
    let shot = frame.finish()?;
    let mut all = corners(&vertices);
    all.iter_mut().for_each(|c| c.viewport = (c.values[0] * 15.0).round() as usize);
    let mut reference = Reference::new(&Targets::new(test.size, &[RGBA8]));
    reference.draw(&state, &all, &mut plain_flat);
    test.compare("viewports", &shot.colors[0], &reference.picture(0))
}

pub fn scissors(test: &mut Test<'_>) -> Result<(), Failure> {
    let (w, h) = test.size;
    let cases = [
        ("one pixel", rect(17, 23, 1, 1)),
        ("empty", rect(17, 23, 0, 5)),
        ("outside", rect(w as i32 + 5, 3, 7, 7)),
        ("beyond", rect(w as i32 - 9, h as i32 - 5, 100, 100)),
        ("inside", rect(5, 6, w - 17, h - 13)),
        ("largest", rect(0, 0, i32::MAX as u32, i32::MAX as u32)),
    ];
    for (name, scissor) in cases {
        let mut both = Both::new(test, Targets { clear: vec![[0.0, 0.0, 1.0, 1.0]], ..Targets::new(test.size, &[RGBA8]) })?;
        let state = State { scissors: vec![scissor], ..State::default() };
        let vertices = test.quad([1.0, 2.0, w as f32 - 2.0, h as f32 - 1.0], 0.5, [1.0, 0.0, 0.0, 1.0]);
        both.draw(&state, &vertices, plain_flat)?;
        both.finish(test, name)?;
    }
    // A viewport that is smaller than what is drawn cuts it.
    let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]))?;
    let viewport = vk::Viewport { x: 16.0, y: 8.0, width: 32.0, height: 40.0, min_depth: 0.0, max_depth: 1.0 };
    let far = |x: f32, y: f32| [x, y, 0.5, 1.0, 0.0, 1.0, 0.0, 1.0];
    both.draw(&State { viewports: vec![viewport], ..State::default() }, &[far(-3.0, -3.0), far(5.0, -3.0), far(-3.0, 5.0)], plain_flat)?;
    both.finish(test, "small viewport")?;
    Ok(())
}

pub fn rectangles(test: &mut Test<'_>) -> Result<(), Failure> {
    test.gpu.need(ash::ext::discard_rectangles::NAME)?;
    let (w, h) = test.size;
    let all = [rect(3, 4, 20, 9), rect(10, 8, 33, 30), rect(w as i32 - 20, 5, 40, h), rect(50, 60, 5, 5)];
    for mode in [vk::DiscardRectangleModeEXT::INCLUSIVE, vk::DiscardRectangleModeEXT::EXCLUSIVE] {
        for count in 0..=4 {
            let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]))?;
            let state = State { rectangles: Some((mode, all[..count].to_vec())), ..State::default() };
            // No rectangles: the test is off.
            let state = if count == 0 { State { rectangles: None, ..state } } else { state };
            both.draw(&state, &test.quad(test.whole(), 0.5, [1.0, 0.4, 0.0, 1.0]), plain_flat)?;
            both.finish(test, &format!("{mode:?} {count}"))?;
        }
    }
    Ok(())
}
