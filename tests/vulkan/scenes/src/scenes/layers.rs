//! Layers, views, levels, slices, tilings.

use ash::vk;

use crate::failure::Failure;
use crate::frame::{Call, Frame, Input, Targets, copy_out};
use crate::gpu::{ImageInfo, Resource};
use crate::picture::Picture;
use crate::reference::{Reference, plain, plain_flat};
use crate::state::{Outputs, State};
use crate::test::{Both, Test, Vertex, corners};

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;

pub fn layered(test: &mut Test<'_>) -> Result<(), Failure> {
    let vertex = "
        #extension GL_ARB_shader_viewport_layer_array : require
        layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(location = 0) flat out vec4 c;
        void main() { gl_Position = position; c = color; gl_Layer = int(color.r * 15.0 + 0.5); }";
    let targets = Targets { layers: 6, ..Targets::new(test.size, &[RGBA8]) };
    let mut frame = Frame::new(test.gpu, targets.clone())?;
    let vertices: Vec<Vertex> = (0..12)
        .flat_map(|i| {
            let x = i as f32 * 4.0;
            test.quad([x, x / 2.0, x + 30.0, x + 20.0], 0.5, [(i % 6) as f32 / 15.0, i as f32 / 15.0, 1.0, 1.0])
        })
        .collect();
    let state = State { vertex: vertex.to_owned(), ..State::flat() };
    frame.draw(&state, &vertices)?;
    let shot = frame.finish()?;
    let mut all = corners(&vertices);
    all.iter_mut().for_each(|c| c.layer = (c.values[0] * 15.0).round() as usize);
    let mut reference = Reference::new(&targets);
    reference.draw(&state, &all, &mut plain_flat);
    test.compare("layers", &shot.colors[0], &reference.picture(0))
}

pub fn views(test: &mut Test<'_>) -> Result<(), Failure> {
    let vertex = "
        #extension GL_EXT_multiview : require
        layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(location = 0) flat out vec4 c;
        void main() { gl_Position = position + vec4(float(gl_ViewIndex) * 0.25, 0, 0, 0); c = vec4(color.rg, float(gl_ViewIndex) / 3.0, 1); }";
    let targets = Targets { layers: 3, views: 7, ..Targets::new(test.size, &[RGBA8]) };
    let mut frame = Frame::new(test.gpu, targets.clone())?;
    let [w, h] = [test.size.0, test.size.1].map(|v| v as f32);
    let vertices = test.quad([w / 16.0, 4.0, w / 2.0, h - 9.0], 0.5, [0.4, 1.0, 0.0, 1.0]);
    let state = State { vertex: vertex.to_owned(), ..State::flat() };
    frame.draw(&state, &vertices)?;
    let shot = frame.finish()?;
    let mut reference = Reference::new(&targets);
    for view in 0..3 {
        let mut all = corners(&vertices);
        for corner in &mut all {
            corner.layer = view;
            corner.position[0] += view as f64 * 0.25;
            corner.values[2] = view as f64 / 3.0;
        }
        reference.draw(&state, &all, &mut plain_flat);
    }
    test.compare("views", &shot.colors[0], &reference.picture(0))
}

/// Draws to each part of an image (a level, a slice), then copies all of it out, and samples it.
pub fn levels(test: &mut Test<'_>) -> Result<(), Failure> {
    use vk::ImageUsageFlags as U;
    let gpu = test.gpu;
    let usage = U::COLOR_ATTACHMENT | U::TRANSFER_SRC | U::SAMPLED;
    for (name, depth, levels) in [("levels", 1, 6), ("slices", 5, 1)] {
        let info = ImageInfo { depth, levels, ..ImageInfo::new(RGBA8, test.size.0, test.size.1, usage) };
        let image = gpu.image(info)?;
        let commands = gpu.begin()?;
        gpu.layout(commands, &image, vk::ImageLayout::UNDEFINED, vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL);
        let (layout, _) = gpu.set(&[])?;
        let color = |i: u32| [i as f32 / 15.0, 1.0 - i as f32 / 15.0, 0.4, 1.0];
        let vertices: Vec<Vec<Vertex>> = (0..levels.max(depth)).map(|i| test.quad(test.whole(), 0.5, color(i))).collect();
        for (i, vertices) in vertices.iter().enumerate() {
            let i = i as u32;
            let (level, slice) = if depth > 1 { (0, i) } else { (i, 0) };
            let range = vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                base_mip_level: level,
                level_count: 1,
                base_array_layer: slice,
                layer_count: 1,
            };
            let view = gpu.view(&image, vk::ImageViewType::TYPE_2D, range)?;
            let (width, height) = ((test.size.0 >> level).max(1), (test.size.1 >> level).max(1));
            let attach = [vk::RenderingAttachmentInfo::default()
                .image_view(view)
                .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)];
            let area = vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width, height } };
            let begin = vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&attach);
            let undefined = vk::Format::UNDEFINED;
            let out = Outputs { width, height, colors: &[RGBA8], depth: undefined, stencil: undefined, views: 0 };
            // All but the last column.
            let scissor = vk::Rect2D { extent: vk::Extent2D { width: (width - 1).max(1), height }, ..area };
            let pipeline = State { scissors: vec![scissor], ..State::flat() }.pipeline(gpu, layout, &out)?;
            let buffer = gpu.buffer_of(vertices)?;
            // SAFETY: see the head of gpu.rs.
            unsafe {
                gpu.device.cmd_begin_rendering(commands, &begin);
                gpu.device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
                gpu.device.cmd_bind_vertex_buffers(commands, 0, &[buffer.raw], &[0]);
                gpu.device.cmd_draw(commands, 6, 1, 0, 0);
                gpu.device.cmd_end_rendering(commands);
            }
        }
        gpu.layout(commands, &image, vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL, vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
        let copies: Vec<_> =
            (0..levels).map(|level| copy_out(gpu, commands, &image, vk::ImageAspectFlags::COLOR, level)).collect::<Result<_, _>>()?;
        gpu.layout(commands, &image, vk::ImageLayout::TRANSFER_SRC_OPTIMAL, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL);
        gpu.run(commands)?;
        for (level, copy) in copies.into_iter().enumerate() {
            let found = copy.picture();
            let (width, height) = (found.width as u32, found.height as u32);
            let expected = Picture::of(width, height, RGBA8, |x, y| {
                let i = if depth > 1 { y / test.size.1 } else { level as u32 };
                if x + 1 < width || width == 1 { color(i).map(f64::from) } else { [0.0; 4] }
            });
            test.compare(&format!("{name} {level}"), &found, &expected)?;
        }
        // Sampled in columns, one for each part.
        let sampler = gpu.sampler(vk::Filter::NEAREST, vk::SamplerAddressMode::CLAMP_TO_EDGE)?;
        let fragment = if depth > 1 {
            "layout(binding = 0) uniform sampler3D t;
            layout(location = 0) out vec4 o;
            void main() { o = texture(t, vec3(0.25, 0.5, (floor(gl_FragCoord.x / 8.0) + 0.5) / 5.0)); }"
        } else {
            "layout(binding = 0) uniform sampler2D t;
            layout(location = 0) out vec4 o;
            void main() { o = textureLod(t, vec2(0.25, 0.5), floor(gl_FragCoord.x / 8.0)); }"
        };
        let mut frame = Frame::new(gpu, Targets::new(test.size, &[RGBA8]))?;
        let input = Input {
            vertices: vec![gpu.buffer_of(&test.quad(test.whole(), 0.5, [1.0; 4]))?],
            resources: vec![Resource::Texture(image.view, sampler)],
            call: Call::Draw { vertices: 6, instances: 1 },
            ..Input::default()
        };
        frame.draw_with(&State::with_fragment(fragment), &input)?;
        let last = levels.max(depth) - 1;
        let expected = Picture::of(test.size.0, test.size.1, RGBA8, |x, _| color((x / 8).min(last)).map(f64::from));
        test.compare(&format!("{name}, sampled"), &frame.finish()?.colors[0], &expected)?;
    }
    Ok(())
}

pub fn tilings(test: &mut Test<'_>) -> Result<(), Failure> {
    // Sizes of targets, from which drivers choose tilings; formats of 1 to 16 bytes.
    use vk::Format as F;
    let formats = [F::R8_UNORM, F::R8G8_UNORM, RGBA8, F::R16G16B16A16_UNORM, F::R32G32B32A32_SFLOAT];
    let small = test.size.0 == 128;
    let sizes = if small { [(16, 16), (64, 64), (256, 256)] } else { [(7, 3), (321, 190), (1024, 512)] };
    for format in formats {
        for size in sizes {
            for tiling in [vk::ImageTiling::OPTIMAL, vk::ImageTiling::LINEAR] {
                // SAFETY: see the head of gpu.rs.
                let properties = unsafe { test.gpu.instance.get_physical_device_format_properties(test.gpu.physical, format) };
                if tiling == vk::ImageTiling::LINEAR
                    && !properties.linear_tiling_features.contains(vk::FormatFeatureFlags::COLOR_ATTACHMENT)
                {
                    continue;
                }
                let mut both = Both::new(test, Targets { tiling, ..Targets::new(size, &[format]) })?;
                let mut vertices: Vec<Vertex> = Vec::new();
                for i in 0..8 {
                    let at = |v: u32, k: u32| (v * k / 8) as f32 / v as f32 * 2.0 - 1.0;
                    let (x0, x1, y0, y1) = (at(size.0, i), at(size.0, i + 1), at(size.1, 7 - i), at(size.1, 8));
                    let color = [i as f32 / 15.0, 0.2, 1.0 - i as f32 / 15.0, 0.8];
                    vertices.extend(
                        [(x0, y0), (x1, y0), (x0, y1), (x0, y1), (x1, y0), (x1, y1)]
                            .map(|(x, y)| [x, y, 0.5, 1.0, color[0], color[1], color[2], color[3]]),
                    );
                }
                both.draw(&State::flat(), &vertices, plain_flat)?;
                both.finish(test, &format!("{format:?} {}x{} {tiling:?}", size.0, size.1))?;
            }
        }
    }
    Ok(())
}

pub fn texture(test: &mut Test<'_>) -> Result<(), Failure> {
    // A frame is the texture of the next: nearest, texel by texel, and linear between texels.
    let gpu = test.gpu;
    let targets = Targets { usage: vk::ImageUsageFlags::SAMPLED, ..Targets::new(test.size, &[RGBA8]) };
    let mut both = Both::new(test, targets)?;
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let vertices = [
        test.at(1.0, 1.0, 0.5, [1.0, 0.0, 0.0, 1.0]),
        test.at(w - 1.0, 5.0, 0.5, [0.0, 1.0, 0.0, 1.0]),
        test.at(9.0, h - 1.0, 0.5, [0.0, 0.0, 1.0, 1.0]),
    ];
    both.draw(&State::default(), &vertices, plain)?;
    let image = both.frame.colors[0];
    let commands = both.frame.pause();
    gpu.layout(commands, &image, vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL);
    gpu.run(commands)?;
    let source = both.reference.picture(0);
    let fragment = "
        layout(binding = 0) uniform sampler2D t;
        layout(location = 0) out vec4 o;
        void main() { o = texture(t, gl_FragCoord.xy / vec2(textureSize(t, 0)) + vec2(OFFSET) / vec2(textureSize(t, 0))); }";
    for (name, filter, offset) in [("nearest", vk::Filter::NEAREST, 0.0), ("linear", vk::Filter::LINEAR, 0.5)] {
        let sampler = gpu.sampler(filter, vk::SamplerAddressMode::CLAMP_TO_EDGE)?;
        let mut frame = Frame::new(gpu, Targets::new(test.size, &[RGBA8]))?;
        let input = Input {
            vertices: vec![gpu.buffer_of(&test.quad(test.whole(), 0.5, [1.0; 4]))?],
            resources: vec![Resource::Texture(image.view, sampler)],
            call: Call::Draw { vertices: 6, instances: 1 },
            ..Input::default()
        };
        frame.draw_with(&State::with_fragment(&fragment.replace("OFFSET", &format!("{offset:.1}"))), &input)?;
        let expected = Picture::of(test.size.0, test.size.1, RGBA8, |x, y| {
            let far = |v: u32, limit: u32| (v + 1).min(limit - 1);
            if offset == 0.0 {
                return source.value(x, y);
            }
            let (x1, y1) = (far(x, test.size.0), far(y, test.size.1));
            let four = [source.value(x, y), source.value(x1, y), source.value(x, y1), source.value(x1, y1)];
            std::array::from_fn(|c| four.iter().map(|v| v[c]).sum::<f64>() / 4.0)
        });
        test.compare(name, &frame.finish()?.colors[0], &expected)?;
    }
    Ok(())
}
