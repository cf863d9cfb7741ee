//! Depth, stencil, and the order of tests and shaders.

use ash::vk;

use crate::failure::Failure;
use crate::frame::{Call, Frame, Input, Targets};
use crate::gpu::Resource;
use crate::picture::Picture;
use crate::reference::{Out, plain, plain_flat};
use crate::state::{Depth, State};
use crate::test::{Both, Random, Test, Vertex, corners};

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
const D32: vk::Format = vk::Format::D32_SFLOAT;
const LESS: Option<Depth> = Some(Depth { func: vk::CompareOp::LESS, write: true });
const ALWAYS: Option<Depth> = Some(Depth { func: vk::CompareOp::ALWAYS, write: true });
const WHITE: [f32; 4] = [1.0; 4];

const FUNCTIONS: [vk::CompareOp; 8] = [
    vk::CompareOp::NEVER,
    vk::CompareOp::LESS,
    vk::CompareOp::EQUAL,
    vk::CompareOp::LESS_OR_EQUAL,
    vk::CompareOp::GREATER,
    vk::CompareOp::NOT_EQUAL,
    vk::CompareOp::GREATER_OR_EQUAL,
    vk::CompareOp::ALWAYS,
];

/// A format of depth and stencil that the device can draw to.
fn depth_stencil(test: &Test<'_>) -> vk::Format {
    let can = |format| {
        // SAFETY: see the head of gpu.rs.
        let properties = unsafe { test.gpu.instance.get_physical_device_format_properties(test.gpu.physical, format) };
        properties.optimal_tiling_features.contains(vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT)
    };
    if can(vk::Format::D32_SFLOAT_S8_UINT) { vk::Format::D32_SFLOAT_S8_UINT } else { vk::Format::D24_UNORM_S8_UINT }
}

/// Triangles through each other.
fn crossing(test: &Test<'_>, count: u32, seed: u64) -> Vec<Vertex> {
    let mut random = Random::new(seed);
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let mut vertices = Vec::new();
    for _ in 0..count {
        let color = [random.below(256) as f32 / 255.0, random.below(256) as f32 / 255.0, random.below(256) as f32 / 255.0, 1.0];
        for _ in 0..3 {
            vertices.push(test.at(random.place(0.0, w), random.place(0.0, h), random.unit(), color));
        }
    }
    vertices
}

pub fn crossings(test: &mut Test<'_>) -> Result<(), Failure> {
    for format in [vk::Format::D16_UNORM, D32] {
        let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]).with_depth(format))?;
        both.draw(&State { depth: LESS, ..State::flat() }, &crossing(test, 40, 5), plain_flat)?;
        both.finish(test, &format!("{format:?}"))?;
    }
    Ok(())
}

pub fn functions(test: &mut Test<'_>) -> Result<(), Failure> {
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    for func in FUNCTIONS {
        for write in [true, false] {
            let mut both = Both::new(test, Targets { clear_depth: 0.5, ..Targets::new(test.size, &[RGBA8]).with_depth(D32) })?;
            let state = State { depth: Some(Depth { func, write }), ..State::flat() };
            // Less, equal, greater; and again over what the first three left.
            for (i, z) in [0.25f32, 0.5, 0.75, 0.5].into_iter().enumerate() {
                let x = i as f32 * w / 4.0;
                let last = i == 3;
                let area = if last { [2.0, h / 2.0, w - 2.0, h - 2.0] } else { [x.round(), 3.0, (x + w / 4.0).round(), h - 5.0] };
                both.draw(&state, &test.quad(area, z, [i as f32 / 3.0, 1.0, 0.0, 1.0]), plain_flat)?;
            }
            both.finish(test, &format!("{func:?}, write {write}"))?;
        }
    }
    Ok(())
}

pub fn bias(test: &mut Test<'_>) -> Result<(), Failure> {
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let vertices = [
        test.at(2.0, 2.0, 0.125, WHITE),
        test.at(w - 6.0, 2.0, 0.375, WHITE),
        test.at(2.0, h - 6.0, 0.25, WHITE),
        test.at(w - 2.0, h - 2.0, 0.5, WHITE),
        test.at(6.0, h - 2.0, 0.5, WHITE),
        test.at(w - 2.0, 6.0, 0.5, WHITE),
    ];
    for format in [vk::Format::D16_UNORM, D32] {
        for bias in [[64.0, 0.0, 0.0], [-100.0, 0.0, 0.0], [0.0, 0.0, 4.0], [10.0, 0.0, -2.0], [0.0, 0.001, 8.0], [0.0, -0.001, -8.0]] {
            if bias[1] != 0.0 {
                test.gpu.need_feature(test.gpu.features.depth_bias_clamp != 0, "depthBiasClamp")?;
            }
            let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]).with_depth(format))?;
            both.draw(&State { bias: Some(bias), depth: ALWAYS, ..State::default() }, &vertices, plain)?;
            both.finish(test, &format!("{format:?} {bias:?}"))?;
        }
    }
    Ok(())
}

pub fn sampled(test: &mut Test<'_>) -> Result<(), Failure> {
    // Depth of one frame is the texture of the next.
    for format in [D32, vk::Format::D16_UNORM] {
        let targets = Targets { usage: vk::ImageUsageFlags::SAMPLED, ..Targets::new(test.size, &[]).with_depth(format) };
        let mut both = Both::new(test, targets)?;
        let state = State { fragment: None, depth: LESS, ..State::default() };
        both.draw(&state, &crossing(test, 20, 9), plain)?;
        let image = both.frame.depth.unwrap();
        let commands = both.frame.pause();
        test.gpu.layout(commands, &image, vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL);
        test.gpu.run(commands)?;
        let sampler = test.gpu.sampler(vk::Filter::NEAREST, vk::SamplerAddressMode::CLAMP_TO_EDGE)?;
        let fragment = "
            layout(location = 0) in vec4 c;
            layout(location = 0) out vec4 o;
            layout(binding = 0) uniform sampler2D depth;
            void main() {
                float z = texelFetch(depth, ivec2(gl_FragCoord.xy), 0).r;
                o = vec4(z, texture(depth, gl_FragCoord.xy / vec2(textureSize(depth, 0))).r, c.r, 1);
            }";
        let mut frame = Frame::new(test.gpu, Targets::new(test.size, &[vk::Format::R32G32B32A32_SFLOAT]))?;
        let vertices = test.quad(test.whole(), 0.5, WHITE);
        let input = Input {
            vertices: vec![test.gpu.buffer_of(&vertices)?],
            resources: vec![Resource::Texture(image.view, sampler)],
            call: Call::Draw { vertices: 6, instances: 1 },
            ..Input::default()
        };
        frame.draw_with(&State::with_fragment(fragment), &input)?;
        let found = frame.finish()?;
        let expected = both.reference.depth_picture();
        let (mut far, mut other) = (0, 0);
        for y in 0..test.size.1 {
            for x in 0..test.size.0 {
                let (found, z) = (found.colors[0].value(x, y), expected.value(x, y)[0]);
                let step = if format == D32 { 1e-5 } else { 1.1 / 65535.0 };
                far += usize::from((found[0] - z).abs() > step);
                other += u32::from(found[0] != found[1] || found[2] != 1.0);
            }
        }
        test.expect(far <= test.tolerance.pixels, || format!("{format:?}: {far} texels differ"));
        test.expect(other == 0, || format!("{format:?}: {other} texels differ when sampled with coordinates"));
    }
    Ok(())
}

pub fn stencil(test: &mut Test<'_>) -> Result<(), Failure> {
    use vk::StencilOp as S;
    let operations = [
        S::KEEP,
        S::ZERO,
        S::REPLACE,
        S::INCREMENT_AND_CLAMP,
        S::DECREMENT_AND_CLAMP,
        S::INVERT,
        S::INCREMENT_AND_WRAP,
        S::DECREMENT_AND_WRAP,
    ];
    let values = [0u32, 1, 0x55, 0x80, 0xff, 0x7f];
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    for (number, func) in FUNCTIONS.into_iter().enumerate() {
        let targets = Targets { clear_depth: 0.5, ..Targets::new(test.size, &[RGBA8]).with_depth(depth_stencil(test)) };
        let mut both = Both::new(test, targets)?;
        // Columns of stored values.
        for (i, &value) in values.iter().enumerate() {
            let set = vk::StencilOpState {
                pass_op: S::REPLACE,
                compare_op: vk::CompareOp::ALWAYS,
                compare_mask: 0xff,
                write_mask: 0xff,
                reference: value,
                ..Default::default()
            };
            let x = |i: usize| (i as f32 * w / values.len() as f32).round();
            let blends = vec![crate::state::Blend { mask: vk::ColorComponentFlags::empty(), ..crate::state::Blend::OFF }];
            let state = State { stencil: Some([set; 2]), blends, ..State::flat() };
            both.draw(&state, &test.quad([x(i), 0.0, x(i + 1), h], 0.5, WHITE), plain_flat)?;
        }
        // Bands of operations: above fails the depth test, below passes; each with a front and a back face.
        for band in 0..8 {
            let op = |i: usize| operations[(band + number + i) % 8];
            let face = |shift: usize, reference, compare_mask, write_mask| vk::StencilOpState {
                fail_op: op(shift),
                pass_op: op(shift + 3),
                depth_fail_op: op(shift + 5),
                compare_op: func,
                compare_mask,
                write_mask,
                reference,
            };
            let faces = [face(0, 0x55, 0xff, 0xff), face(1, 0x81, 0xf0, 0x3c)];
            let state = State { stencil: Some(faces), depth: Some(Depth { func: vk::CompareOp::LESS, write: false }), ..State::flat() };
            let (y0, y1) = ((band as f32 * h / 8.0).round(), ((band + 1) as f32 * h / 8.0).round());
            let middle = ((y0 + y1) / 2.0).round();
            let mut vertices = test.quad([0.0, y0, (w / 2.0).round(), middle], 0.75, WHITE);
            vertices.extend(test.quad([0.0, middle, (w / 2.0).round(), y1], 0.25, WHITE));
            let mut back = test.quad([(w / 2.0).round(), y0, w, middle], 0.75, [0.0, 1.0, 0.0, 1.0]);
            back.extend(test.quad([(w / 2.0).round(), middle, w, y1], 0.25, [0.0, 1.0, 0.0, 1.0]));
            back.chunks_exact_mut(3).for_each(|t| t.swap(0, 1));
            vertices.extend(back);
            both.draw(&state, &vertices, plain_flat)?;
        }
        both.finish(test, &format!("{func:?}"))?;
    }
    Ok(())
}

pub fn bounds(test: &mut Test<'_>) -> Result<(), Failure> {
    test.gpu.need_feature(test.gpu.features.depth_bounds != 0, "depthBounds")?;
    for bounds in [[0.25, 0.75], [0.0, 1.0], [0.5, 0.5], [0.6, 1.0]] {
        let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]).with_depth(D32))?;
        both.draw(&State { depth: LESS, ..State::flat() }, &crossing(test, 20, 7), plain_flat)?;
        let state = State { bounds: Some(bounds), ..State::flat() };
        both.draw(&state, &test.quad(test.whole(), 0.5, WHITE), plain_flat)?;
        both.finish(test, &format!("{bounds:?}"))?;
    }
    Ok(())
}

/// Discards squares of a checkerboard, and counts in the buffer how often it ran.
const DISCARDING: &str = "
    layout(location = 0) flat in vec4 c;
    layout(location = 0) out vec4 o;
    layout(binding = 0) buffer Count { uint count; };
    void main() {
        if (COUNT) atomicAdd(count, 1u);
        if (((int(gl_FragCoord.x) / 3 + int(gl_FragCoord.y) / 5) & 1) == 0) discard;
        o = c;
    }";

/// Whether `DISCARDING` goes on.
fn stays(f: &crate::reference::Fragment) -> Option<Out> {
    if (f.x / 3 + f.y / 5).is_multiple_of(2) { None } else { plain_flat(f) }
}

pub fn discard(test: &mut Test<'_>) -> Result<(), Failure> {
    for early in [false, true] {
        for counts in [false, true] {
            let mut both = Both::new(test, Targets { clear_depth: 0.6, ..Targets::new(test.size, &[RGBA8]).with_depth(D32) })?;
            let first = if early { "layout(early_fragment_tests) in;" } else { "" };
            let fragment = format!("{first}{}", DISCARDING.replace("COUNT)", if counts { "true)" } else { "false)" }));
            let state = State { fragment: Some(fragment), depth: LESS, early, ..State::flat() };
            let mut random = Random::new(35);
            let (w, h) = (test.size.0 as f32, test.size.1 as f32);
            // Flat triangles: no ties of depth.
            let vertices: Vec<Vertex> = (0..30)
                .flat_map(|i| {
                    let color = [i as f32 / 51.0, 1.0, 0.0, 1.0];
                    let z = ((i * 7) % 30) as f32 / 30.0;
                    [0, 1, 2].map(|_| test.at(random.place(0.0, w), random.place(0.0, h), z, color))
                })
                .collect();
            let count = test.gpu.buffer(4)?;
            let input = Input {
                vertices: vec![test.gpu.buffer_of(&vertices)?],
                resources: vec![Resource::Buffer(count)],
                call: Call::Draw { vertices: 90, instances: 1 },
                ..Input::default()
            };
            both.frame.draw_with(&state, &input)?;
            both.reference.draw(&state, &corners(&vertices), &mut stays);
            let shaded = both.reference.shaded;
            both.finish(test, &format!("early {early}, counts {counts}"))?;
            // Without early tests each covered fragment is shaded, and counts even if it fails. (A discarded one still has run.)
            let found = u64::from(count.read_u32()[0]);
            let expected = if counts { shaded } else { 0 };
            test.expect(found == expected, || format!("early {early}: the shader ran {found} times, not {expected}"));
        }
    }
    Ok(())
}

pub fn exported(test: &mut Test<'_>) -> Result<(), Failure> {
    for (name, layout, step) in [
        ("any", "", 0.0),
        ("greater", "layout(depth_greater) out float gl_FragDepth;", 0.125),
        ("less", "layout(depth_less) out float gl_FragDepth;", -0.125),
    ] {
        let value = if step == 0.0 { "float(int(gl_FragCoord.x) & 15) / 16.0".to_owned() } else { format!("gl_FragCoord.z + {step}") };
        let fragment = format!(
            "layout(location = 0) flat in vec4 c;
            layout(location = 0) out vec4 o;
            {layout}
            void main() {{ o = c; gl_FragDepth = {value}; }}"
        );
        let mut both = Both::new(test, Targets { clear_depth: 0.5, ..Targets::new(test.size, &[RGBA8]).with_depth(D32) })?;
        let state = State { fragment: Some(fragment), depth: LESS, ..State::flat() };
        for (i, z) in [0.25f32, 0.4375, 0.5625, 0.125].into_iter().enumerate() {
            let area = [i as f32 * 11.0, i as f32 * 7.0, 60.0 + i as f32 * 13.0, 40.0 + i as f32 * 9.0];
            let vertices = test.quad(area, z, [i as f32 / 3.0, 0.6, 0.0, 1.0]);
            both.draw(&state, &vertices, |f| {
                let mut out = plain_flat(f)?;
                out.depth = Some(if step == 0.0 { f64::from(f.x & 15) / 16.0 } else { f.z + step });
                Some(out)
            })?;
        }
        both.finish(test, name)?;
    }
    Ok(())
}

pub fn exported_stencil(test: &mut Test<'_>) -> Result<(), Failure> {
    test.gpu.need(ash::ext::shader_stencil_export::NAME)?;
    let fragment = "#extension GL_ARB_shader_stencil_export : require
        layout(location = 0) flat in vec4 c;
        layout(location = 0) out vec4 o;
        void main() { o = c; gl_FragStencilRefARB = int(gl_FragCoord.x) + int(gl_FragCoord.y) * 3; }";
    let face = vk::StencilOpState {
        pass_op: vk::StencilOp::REPLACE,
        fail_op: vk::StencilOp::INVERT,
        compare_op: vk::CompareOp::LESS,
        compare_mask: 0x7f,
        write_mask: 0xff,
        ..Default::default()
    };
    let mut both = Both::new(test, Targets { clear_stencil: 0x40, ..Targets::new(test.size, &[RGBA8]).with_depth(depth_stencil(test)) })?;
    let state = State { fragment: Some(fragment.to_owned()), stencil: Some([face; 2]), ..State::flat() };
    both.draw(&state, &test.quad([3.0, 5.0, 90.0, 70.0], 0.5, WHITE), |f| {
        let mut out = plain_flat(f)?;
        out.stencil = Some((f.x + f.y * 3) as u8);
        Some(out)
    })?;
    both.finish(test, "exported")?;
    Ok(())
}

pub fn counters(test: &mut Test<'_>) -> Result<(), Failure> {
    // A shader that writes to memory runs for fragments that fail later; with early tests only for those that pass.
    let fragment = "
        layout(location = 0) flat in vec4 c;
        layout(location = 0) out vec4 o;
        layout(binding = 0) buffer Counts { uint counts[]; };
        void main() { atomicAdd(counts[int(gl_FragCoord.y) * WIDTH + int(gl_FragCoord.x)], uint(c.a * 255.0 + 0.5)); o = c; }"
        .replace("WIDTH", &test.size.0.to_string());
    for early in [false, true] {
        let first = if early { "layout(early_fragment_tests) in;" } else { "" };
        let state = State { fragment: Some(format!("{first}{fragment}")), depth: LESS, early, ..State::flat() };
        let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]).with_depth(D32))?;
        let mut vertices = Vec::new();
        for (i, z) in [0.5f32, 0.75, 0.25, 0.6].into_iter().enumerate() {
            vertices.extend(test.quad(
                [4.0 + i as f32 * 8.0, 6.0, 60.0 + i as f32 * 8.0, 50.0],
                z,
                [1.0, 0.0, 0.0, (1 << i) as f32 / 255.0],
            ));
        }
        let counts = test.gpu.buffer((test.size.0 * test.size.1 * 4) as usize)?;
        let input = Input {
            vertices: vec![test.gpu.buffer_of(&vertices)?],
            resources: vec![Resource::Buffer(counts)],
            call: Call::Draw { vertices: vertices.len() as u32, instances: 1 },
            ..Input::default()
        };
        both.frame.draw_with(&state, &input)?;
        let mut expected = vec![0u32; (test.size.0 * test.size.1) as usize];
        let width = test.size.0;
        both.reference.draw(&state, &corners(&vertices), &mut |f| {
            expected[(f.y * width + f.x) as usize] += (f.flat[3] * 255.0).round() as u32;
            plain_flat(f)
        });
        both.finish(test, &format!("early {early}"))?;
        let found = Picture::new(width, test.size.1, vk::Format::R32_UINT, &counts.read());
        let expected =
            Picture::of(width, test.size.1, vk::Format::R32_UINT, |x, y| [f64::from(expected[(y * width + x) as usize]), 0.0, 0.0, 0.0]);
        test.compare(&format!("counts, early {early}"), &found, &expected)?;
    }
    Ok(())
}
