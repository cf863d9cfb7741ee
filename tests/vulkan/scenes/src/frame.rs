//! One frame: targets are cleared, draws are recorded, the frame runs, and pictures of the targets come back.

use ash::vk;

use crate::failure::Failure;
use crate::format;
use crate::gpu::{Buffer, Gpu, Image, ImageInfo, Resource, aspects};
use crate::picture::Picture;
use crate::state::{Outputs, State};

/// What is drawn to.
#[derive(Clone)]
pub struct Targets {
    pub width: u32,
    pub height: u32,
    pub colors: Vec<vk::Format>,
    pub depth: Option<vk::Format>,
    pub samples: u32,
    /// How colors, depth and stencil are resolved at the end of rendering. None: colors by a command.
    pub resolve: Option<[vk::ResolveModeFlags; 3]>,
    pub layers: u32,
    /// Bits of the views of a multiview frame; 0: none.
    pub views: u32,
    /// One for each color; black and transparent for those not named.
    pub clear: Vec<[f64; 4]>,
    pub clear_depth: f32,
    pub clear_stencil: u32,
    pub tiling: vk::ImageTiling,
    /// More uses of the images.
    pub usage: vk::ImageUsageFlags,
}

impl Targets {
    pub fn new((width, height): (u32, u32), colors: &[vk::Format]) -> Self {
        Self {
            width,
            height,
            colors: colors.to_vec(),
            depth: None,
            samples: 1,
            resolve: None,
            layers: 1,
            views: 0,
            clear: Vec::new(),
            clear_depth: 1.0,
            clear_stencil: 0,
            tiling: vk::ImageTiling::OPTIMAL,
            usage: vk::ImageUsageFlags::empty(),
        }
    }

    pub fn with_depth(self, depth: vk::Format) -> Self {
        Self { depth: Some(depth), ..self }
    }

    pub fn with_samples(self, samples: u32) -> Self {
        Self { samples, ..self }
    }

    pub fn clear_of(&self, target: usize) -> [f64; 4] {
        self.clear.get(target).copied().unwrap_or([0.0; 4])
    }
}

/// What a draw takes beside its state.
#[derive(Default)]
pub struct Input<'a> {
    pub vertices: Vec<Buffer>,
    pub indices: Option<(Buffer, vk::IndexType)>,
    pub resources: Vec<Resource>,
    pub push: Vec<u8>,
    /// Records the draw: vkCmdDraw of this many vertices, or what the scene wants.
    pub call: Call<'a>,
}

/// Records commands.
pub type Record<'a> = Box<dyn Fn(&ash::Device, vk::CommandBuffer) + 'a>;

/// The draw itself.
pub enum Call<'a> {
    Draw { vertices: u32, instances: u32 },
    Own(Record<'a>),
}

impl Default for Call<'_> {
    fn default() -> Self {
        Self::Draw { vertices: 3, instances: 1 }
    }
}

/// Pictures of the targets at the end of a frame. Layers are one below the other.
pub struct Shot {
    pub colors: Vec<Picture>,
    pub depth: Option<Picture>,
    pub stencil: Option<Picture>,
}

/// A frame that records.
pub struct Frame<'g> {
    pub gpu: &'g Gpu,
    pub targets: Targets,
    pub commands: vk::CommandBuffer,
    pub colors: Vec<Image>,
    pub depth: Option<Image>,
    /// What colors and depth are resolved to, if that is at the end of rendering.
    resolved: Vec<Image>,
    clears: bool,
    inside: bool,
}

fn clear_value(format: vk::Format, value: [f64; 4]) -> vk::ClearValue {
    let layout = format::layout(format);
    let color = match (layout.is_integer(), layout.is_signed()) {
        (true, false) => vk::ClearColorValue { uint32: value.map(|v| v as u32) },
        (true, true) => vk::ClearColorValue { int32: value.map(|v| v as i32) },
        _ => vk::ClearColorValue { float32: value.map(|v| v as f32) },
    };
    vk::ClearValue { color }
}

impl<'g> Frame<'g> {
    pub fn new(gpu: &'g Gpu, targets: Targets) -> Result<Self, Failure> {
        use vk::ImageUsageFlags as U;
        let info = |format, usage| ImageInfo {
            layers: targets.layers,
            samples: targets.samples,
            tiling: targets.tiling,
            ..ImageInfo::new(format, targets.width, targets.height, usage | U::TRANSFER_SRC | targets.usage)
        };
        let colors: Vec<_> = targets.colors.iter().map(|&f| gpu.image(info(f, U::COLOR_ATTACHMENT))).collect::<Result<_, _>>()?;
        let depth = targets.depth.map(|f| gpu.image(info(f, U::DEPTH_STENCIL_ATTACHMENT))).transpose()?;
        let mut frame = Self { gpu, commands: gpu.begin()?, colors, depth, resolved: Vec::new(), targets, clears: true, inside: false };
        if frame.targets.resolve.is_some() {
            for image in frame.colors.iter().chain(&frame.depth) {
                let is_color = image.aspects == vk::ImageAspectFlags::COLOR;
                let usage = U::TRANSFER_SRC | if is_color { U::COLOR_ATTACHMENT } else { U::DEPTH_STENCIL_ATTACHMENT };
                let single = gpu.image(ImageInfo::new(image.format, frame.targets.width, frame.targets.height, usage))?;
                gpu.layout(frame.commands, &single, vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL);
                frame.resolved.push(single);
            }
        }
        for image in &frame.colors {
            gpu.layout(frame.commands, image, vk::ImageLayout::UNDEFINED, vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL);
        }
        if let Some(image) = &frame.depth {
            gpu.layout(frame.commands, image, vk::ImageLayout::UNDEFINED, vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
        }
        Ok(frame)
    }

    /// Starts to render, if it does not yet: the first time targets are cleared.
    pub fn render(&mut self) {
        if self.inside {
            return;
        }
        let load = if self.clears { vk::AttachmentLoadOp::CLEAR } else { vk::AttachmentLoadOp::LOAD };
        let attach = |image: &Image, layout, clear| {
            vk::RenderingAttachmentInfo::default()
                .image_view(image.view)
                .image_layout(layout)
                .load_op(load)
                .store_op(vk::AttachmentStoreOp::STORE)
                .clear_value(clear)
        };
        let colors: Vec<_> = self
            .colors
            .iter()
            .enumerate()
            .map(|(i, image)| attach(image, vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL, clear_value(image.format, self.targets.clear_of(i))))
            .collect();
        let clear = vk::ClearDepthStencilValue { depth: self.targets.clear_depth, stencil: self.targets.clear_stencil };
        let depth = self
            .depth
            .map(|image| attach(&image, vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL, vk::ClearValue { depth_stencil: clear }));
        let into = |attachment: vk::RenderingAttachmentInfo<'static>, number: usize, part: usize| match (
            self.resolved.get(number),
            self.targets.resolve,
        ) {
            (Some(image), Some(modes)) => {
                attachment.resolve_mode(modes[part]).resolve_image_view(image.view).resolve_image_layout(vk::ImageLayout::GENERAL)
            }
            _ => attachment,
        };
        let colors: Vec<_> = colors.into_iter().enumerate().map(|(i, color)| into(color, i, 0)).collect();
        let depths = depth.map(|depth| [1, 2].map(|part| into(depth, colors.len(), part)));
        let area =
            vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width: self.targets.width, height: self.targets.height } };
        let mut info = vk::RenderingInfo::default()
            .render_area(area)
            .layer_count(self.targets.layers)
            .view_mask(self.targets.views)
            .color_attachments(&colors);
        if let (Some(image), Some(depth)) = (&self.depth, &depths) {
            if image.aspects.contains(vk::ImageAspectFlags::DEPTH) {
                info = info.depth_attachment(&depth[0]);
            }
            if image.aspects.contains(vk::ImageAspectFlags::STENCIL) {
                info = info.stencil_attachment(&depth[1]);
            }
        }
        // SAFETY: see the head of gpu.rs.
        unsafe { self.gpu.device.cmd_begin_rendering(self.commands, &info) };
        self.inside = true;
        self.clears = false;
    }

    /// Ends rendering for commands between draws; the next draw goes on.
    pub fn pause(&mut self) -> vk::CommandBuffer {
        self.render();
        // SAFETY: see the head of gpu.rs.
        unsafe { self.gpu.device.cmd_end_rendering(self.commands) };
        self.inside = false;
        self.gpu.memory_barrier(self.commands);
        self.commands
    }

    /// Draws vertices as they come from a buffer.
    pub fn draw<T: Copy>(&mut self, state: &State, vertices: &[T]) -> Result<(), Failure> {
        let call = Call::Draw { vertices: vertices.len() as u32, instances: 1 };
        self.draw_with(state, &Input { vertices: vec![self.gpu.buffer_of(vertices)?], call, ..Input::default() })
    }

    pub fn draw_with(&mut self, state: &State, input: &Input<'_>) -> Result<(), Failure> {
        self.render();
        let (layout, set) = self.gpu.set(&input.resources)?;
        let part = |aspect| self.targets.depth.filter(|&f| aspects(f).contains(aspect)).unwrap_or(vk::Format::UNDEFINED);
        let out = Outputs {
            width: self.targets.width,
            height: self.targets.height,
            colors: &self.targets.colors,
            depth: part(vk::ImageAspectFlags::DEPTH),
            stencil: part(vk::ImageAspectFlags::STENCIL),
            views: self.targets.views,
        };
        let pipeline = state.pipeline(self.gpu, layout, &out)?;
        let (device, commands) = (&self.gpu.device, self.commands);
        let stages = vk::ShaderStageFlags::ALL_GRAPHICS | vk::ShaderStageFlags::COMPUTE;
        // SAFETY: see the head of gpu.rs.
        unsafe {
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
            if !input.resources.is_empty() {
                device.cmd_bind_descriptor_sets(commands, vk::PipelineBindPoint::GRAPHICS, layout, 0, &[set], &[]);
            }
            if !input.push.is_empty() {
                device.cmd_push_constants(commands, layout, stages, 0, &input.push);
            }
            let buffers: Vec<_> = input.vertices.iter().map(|b| b.raw).collect();
            if !buffers.is_empty() {
                device.cmd_bind_vertex_buffers(commands, 0, &buffers, &vec![0; buffers.len()]);
            }
            if let Some((buffer, kind)) = input.indices {
                device.cmd_bind_index_buffer(commands, buffer.raw, 0, kind);
            }
            match &input.call {
                Call::Draw { vertices, instances } => device.cmd_draw(commands, *vertices, *instances, 0, 0),
                Call::Own(record) => record(device, commands),
            }
        }
        Ok(())
    }

    /// Runs the frame again and again, for so many seconds; the seconds of the fastest.
    pub fn repeat(mut self, seconds: f64) -> Result<(f64, u32), Failure> {
        let commands = self.pause();
        let buffers = [commands];
        let submits = [vk::SubmitInfo::default().command_buffers(&buffers)];
        let device = &self.gpu.device;
        // SAFETY: see the head of gpu.rs.
        unsafe { device.end_command_buffer(commands)? };
        let (start, mut least) = (std::time::Instant::now(), f64::INFINITY);
        for round in 0u32.. {
            let frame = std::time::Instant::now();
            // SAFETY: see the head of gpu.rs.
            unsafe {
                device.queue_submit(self.gpu.queue, &submits, vk::Fence::null())?;
                device.queue_wait_idle(self.gpu.queue)?;
            }
            // The first compiles.
            if round > 0 {
                least = least.min(frame.elapsed().as_secs_f64());
            }
            if round > 1 && start.elapsed().as_secs_f64() > seconds {
                return Ok((least, round + 1));
            }
        }
        unreachable!("rounds end")
    }

    /// Runs the frame. Targets of several samples are resolved.
    pub fn finish(mut self) -> Result<Shot, Failure> {
        self.pause();
        let (gpu, commands) = (self.gpu, self.commands);
        let (width, height, layers) = (self.targets.width, self.targets.height, self.targets.layers);
        let mut copies = Vec::new();
        for image in self.colors.iter().filter(|_| self.targets.resolve.is_none()) {
            let source = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
            gpu.layout(commands, image, vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL, source);
            let single = if self.targets.samples > 1 {
                let usage = vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::COLOR_ATTACHMENT;
                let target = gpu.image(ImageInfo { layers, ..ImageInfo::new(image.format, width, height, usage) })?;
                gpu.layout(commands, &target, vk::ImageLayout::UNDEFINED, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
                let part = vk::ImageSubresourceLayers {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    mip_level: 0,
                    base_array_layer: 0,
                    layer_count: layers,
                };
                let region = vk::ImageResolve::default().src_subresource(part).dst_subresource(part).extent(image.extent);
                // SAFETY: see the head of gpu.rs.
                unsafe {
                    gpu.device.cmd_resolve_image(commands, image.raw, source, target.raw, vk::ImageLayout::TRANSFER_DST_OPTIMAL, &[region]);
                }
                gpu.layout(commands, &target, vk::ImageLayout::TRANSFER_DST_OPTIMAL, source);
                target
            } else {
                *image
            };
            copies.push(copy_out(gpu, commands, &single, vk::ImageAspectFlags::COLOR, 0)?);
        }
        let mut depths = [None, None];
        for image in &self.resolved {
            gpu.layout(commands, image, vk::ImageLayout::GENERAL, vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
            for (i, aspect) in
                [vk::ImageAspectFlags::COLOR, vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL].into_iter().enumerate()
            {
                if image.aspects.contains(aspect) {
                    let copy = copy_out(gpu, commands, image, aspect, 0)?;
                    if i == 0 { copies.push(copy) } else { depths[i - 1] = Some(copy) }
                }
            }
        }
        if let (Some(image), 1) = (&self.depth, self.targets.samples) {
            gpu.layout(commands, image, vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL, vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
            for (slot, aspect) in depths.iter_mut().zip([vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL]) {
                if image.aspects.contains(aspect) {
                    *slot = Some(copy_out(gpu, commands, image, aspect, 0)?);
                }
            }
        }
        gpu.run(commands)?;
        let [depth, stencil] = depths.map(|c| c.map(Copied::picture));
        Ok(Shot { colors: copies.into_iter().map(Copied::picture).collect(), depth, stencil })
    }
}

/// A copy of an image on its way to the host.
pub struct Copied {
    buffer: Buffer,
    width: u32,
    height: u32,
    format: vk::Format,
}

impl Copied {
    /// The picture, after the copy ran.
    pub fn picture(self) -> Picture {
        let bytes = format::layout(self.format).bytes * (self.width * self.height) as usize;
        Picture::new(self.width, self.height, self.format, &self.buffer.read()[..bytes])
    }
}

/// Copies a level of an image, which is in the layout for it.
pub fn copy_out(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    image: &Image,
    aspect: vk::ImageAspectFlags,
    level: u32,
) -> Result<Copied, Failure> {
    use vk::Format as F;
    let format = match (image.format, aspect) {
        (_, vk::ImageAspectFlags::STENCIL) => F::S8_UINT,
        (F::D16_UNORM_S8_UINT, _) => F::D16_UNORM,
        (F::D32_SFLOAT_S8_UINT, _) => F::D32_SFLOAT,
        (format, _) => format,
    };
    let extent = vk::Extent3D {
        width: (image.extent.width >> level).max(1),
        height: (image.extent.height >> level).max(1),
        depth: (image.extent.depth >> level).max(1),
    };
    let rows = extent.height * extent.depth * image.layers;
    let buffer = gpu.buffer(format::layout(format).bytes * (extent.width * rows) as usize)?;
    let region = vk::BufferImageCopy::default()
        .image_subresource(vk::ImageSubresourceLayers {
            aspect_mask: aspect,
            mip_level: level,
            base_array_layer: 0,
            layer_count: image.layers,
        })
        .image_extent(extent);
    // SAFETY: see the head of gpu.rs.
    unsafe {
        gpu.device.cmd_copy_image_to_buffer(commands, image.raw, vk::ImageLayout::TRANSFER_SRC_OPTIMAL, buffer.raw, &[region]);
    }
    Ok(Copied { buffer, width: extent.width, height: rows, format })
}
