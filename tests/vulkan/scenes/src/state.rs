//! What a draw does, for the driver and for the reference renderer alike.

use ash::vk;

use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::shader;

/// Blending and write mask of a target.
#[derive(Clone, Copy)]
pub struct Blend {
    /// Source factor, destination factor, operation of rgb.
    pub color: (vk::BlendFactor, vk::BlendFactor, vk::BlendOp),
    /// The same of alpha.
    pub alpha: (vk::BlendFactor, vk::BlendFactor, vk::BlendOp),
    pub on: bool,
    pub mask: vk::ColorComponentFlags,
}

impl Blend {
    pub const OFF: Self = Self {
        color: (vk::BlendFactor::ONE, vk::BlendFactor::ZERO, vk::BlendOp::ADD),
        alpha: (vk::BlendFactor::ONE, vk::BlendFactor::ZERO, vk::BlendOp::ADD),
        on: false,
        mask: vk::ColorComponentFlags::RGBA,
    };

    /// The same for rgb and alpha.
    pub const fn both(source: vk::BlendFactor, destination: vk::BlendFactor, op: vk::BlendOp) -> Self {
        Self { color: (source, destination, op), alpha: (source, destination, op), on: true, ..Self::OFF }
    }

    pub const ADD: Self = Self::both(vk::BlendFactor::ONE, vk::BlendFactor::ONE, vk::BlendOp::ADD);
    pub const OVER: Self = Self::both(vk::BlendFactor::SRC_ALPHA, vk::BlendFactor::ONE_MINUS_SRC_ALPHA, vk::BlendOp::ADD);
}

/// Depth test.
#[derive(Clone, Copy)]
pub struct Depth {
    pub func: vk::CompareOp,
    pub write: bool,
}

/// Attributes in a vertex buffer: binding, location, format, offset.
pub type Attribute = (u32, u32, vk::Format, u32);

/// All state of a pipeline.
#[derive(Clone)]
pub struct State {
    pub vertex: String,
    /// Control and evaluation shader, and points of a patch.
    pub tessellation: Option<(String, String, u32)>,
    pub geometry: Option<String>,
    pub fragment: Option<String>,
    /// Bytes from vertex to vertex, and instances from step to step (None: a step at each vertex).
    pub bindings: Vec<(u32, Option<u32>)>,
    pub attributes: Vec<Attribute>,
    pub topology: vk::PrimitiveTopology,
    pub restart: bool,
    /// Empty: one of the whole target.
    pub viewports: Vec<vk::Viewport>,
    /// Empty: the whole target, for each viewport.
    pub scissors: Vec<vk::Rect2D>,
    /// Inclusive or exclusive.
    pub rectangles: Option<(vk::DiscardRectangleModeEXT, Vec<vk::Rect2D>)>,
    pub negative_one_to_one: bool,
    pub depth_clamp: bool,
    /// None: the opposite of `depth_clamp`.
    pub depth_clip: Option<bool>,
    pub polygon: vk::PolygonMode,
    pub cull: vk::CullModeFlags,
    pub front: vk::FrontFace,
    /// Constant, clamp, slope.
    pub bias: Option<[f32; 3]>,
    pub line_width: f32,
    /// Lines by the rule of diamonds (VK_EXT_line_rasterization).
    pub bresenham: bool,
    /// Factor and pattern of stippled lines, which are Bresenham's.
    pub stipple: Option<(u32, u16)>,
    pub last_provokes: bool,
    pub samples: u32,
    pub sample_shading: Option<f32>,
    pub sample_mask: u32,
    pub alpha_to_coverage: bool,
    pub depth: Option<Depth>,
    pub bounds: Option<[f32; 2]>,
    /// Front, back.
    pub stencil: Option<[vk::StencilOpState; 2]>,
    /// One for each target; those that are not named do not blend.
    pub blends: Vec<Blend>,
    pub constants: [f32; 4],
    pub logic: Option<vk::LogicOp>,
    pub discard: bool,
    /// For the reference renderer: tests come before the shader (early_fragment_tests).
    pub early: bool,
}

/// Takes a position and a color from a vertex buffer.
pub const PLAIN_VERTEX: &str = "
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 c;
void main() { gl_Position = position; c = color; }";

/// Writes that color.
pub const PLAIN_FRAGMENT: &str = "
layout(location = 0) in vec4 c;
layout(location = 0) out vec4 o;
void main() { o = c; }";

impl Default for State {
    fn default() -> Self {
        Self {
            vertex: PLAIN_VERTEX.to_owned(),
            tessellation: None,
            geometry: None,
            fragment: Some(PLAIN_FRAGMENT.to_owned()),
            bindings: vec![(32, None)],
            attributes: vec![(0, 0, vk::Format::R32G32B32A32_SFLOAT, 0), (0, 1, vk::Format::R32G32B32A32_SFLOAT, 16)],
            topology: vk::PrimitiveTopology::TRIANGLE_LIST,
            restart: false,
            viewports: Vec::new(),
            scissors: Vec::new(),
            rectangles: None,
            negative_one_to_one: false,
            depth_clamp: false,
            depth_clip: None,
            polygon: vk::PolygonMode::FILL,
            cull: vk::CullModeFlags::NONE,
            front: vk::FrontFace::CLOCKWISE,
            bias: None,
            line_width: 1.0,
            bresenham: false,
            stipple: None,
            last_provokes: false,
            samples: 1,
            sample_shading: None,
            sample_mask: !0,
            alpha_to_coverage: false,
            depth: None,
            bounds: None,
            stencil: None,
            blends: Vec::new(),
            constants: [0.0; 4],
            logic: None,
            discard: false,
            early: false,
        }
    }
}

/// What a pipeline draws to.
pub struct Outputs<'a> {
    pub width: u32,
    pub height: u32,
    pub colors: &'a [vk::Format],
    pub depth: vk::Format,
    pub stencil: vk::Format,
    pub views: u32,
}

impl State {
    /// Flat shading: `flat` before the output and the input of the color.
    pub fn flat() -> Self {
        let state = Self::default();
        Self {
            vertex: state.vertex.replace(") out", ") flat out"),
            fragment: state.fragment.as_deref().map(|f| f.replace(") in", ") flat in")),
            ..state
        }
    }

    /// No vertex buffers: the shader makes its vertices.
    pub fn shaders(vertex: &str, fragment: &str) -> Self {
        Self {
            vertex: vertex.to_owned(),
            fragment: Some(fragment.to_owned()),
            bindings: Vec::new(),
            attributes: Vec::new(),
            ..Self::default()
        }
    }

    pub fn with_fragment(fragment: &str) -> Self {
        Self { fragment: Some(fragment.to_owned()), ..Self::default() }
    }

    pub fn viewport(&self, index: usize, width: u32, height: u32) -> vk::Viewport {
        let whole = vk::Viewport { x: 0.0, y: 0.0, width: width as f32, height: height as f32, min_depth: 0.0, max_depth: 1.0 };
        self.viewports.get(index).copied().unwrap_or(whole)
    }

    pub fn scissor(&self, index: usize, width: u32, height: u32) -> vk::Rect2D {
        let whole = vk::Rect2D { offset: vk::Offset2D { x: 0, y: 0 }, extent: vk::Extent2D { width, height } };
        self.scissors.get(index).copied().unwrap_or(whole)
    }

    pub fn blend(&self, target: usize) -> Blend {
        self.blends.get(target).copied().unwrap_or(Blend::OFF)
    }

    /// The driver's pipeline.
    pub fn pipeline(&self, gpu: &Gpu, layout: vk::PipelineLayout, out: &Outputs<'_>) -> Result<vk::Pipeline, Failure> {
        let device = &gpu.device;
        let module = |stage, source: &str| -> Result<vk::ShaderModule, Failure> {
            let code = shader::compile(stage, source)?;
            // SAFETY: see the head of gpu.rs.
            let module = unsafe { device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&code), None) }?;
            Ok(gpu.keep(module, |d, m| unsafe { d.destroy_shader_module(m, None) }))
        };
        let stage = |flag, module| vk::PipelineShaderStageCreateInfo::default().stage(flag).module(module).name(c"main");
        let mut stages = vec![stage(vk::ShaderStageFlags::VERTEX, module("vert", &self.vertex)?)];
        if let Some((control, evaluation, _)) = &self.tessellation {
            stages.push(stage(vk::ShaderStageFlags::TESSELLATION_CONTROL, module("tesc", control)?));
            stages.push(stage(vk::ShaderStageFlags::TESSELLATION_EVALUATION, module("tese", evaluation)?));
        }
        if let Some(geometry) = &self.geometry {
            stages.push(stage(vk::ShaderStageFlags::GEOMETRY, module("geom", geometry)?));
        }
        if let Some(fragment) = &self.fragment {
            stages.push(stage(vk::ShaderStageFlags::FRAGMENT, module("frag", fragment)?));
        }

        let mut bindings = Vec::new();
        let mut divisors = Vec::new();
        for (binding, &(stride, divisor)) in self.bindings.iter().enumerate() {
            let binding = binding as u32;
            let input_rate = if divisor.is_some() { vk::VertexInputRate::INSTANCE } else { vk::VertexInputRate::VERTEX };
            bindings.push(vk::VertexInputBindingDescription { binding, stride, input_rate });
            if let Some(divisor) = divisor.filter(|&d| d != 1) {
                divisors.push(vk::VertexInputBindingDivisorDescriptionEXT { binding, divisor });
            }
        }
        let attributes: Vec<_> = self
            .attributes
            .iter()
            .map(|&(binding, location, format, offset)| vk::VertexInputAttributeDescription { location, binding, format, offset })
            .collect();
        let mut divisor = vk::PipelineVertexInputDivisorStateCreateInfoEXT::default().vertex_binding_divisors(&divisors);
        let mut input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        if !divisors.is_empty() {
            input = input.push_next(&mut divisor);
        }
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(self.topology).primitive_restart_enable(self.restart);

        let count = self.viewports.len().max(1);
        let viewports: Vec<_> = (0..count).map(|i| self.viewport(i, out.width, out.height)).collect();
        let scissors: Vec<_> = (0..count).map(|i| self.scissor(i, out.width, out.height)).collect();
        let mut control = vk::PipelineViewportDepthClipControlCreateInfoEXT::default().negative_one_to_one(self.negative_one_to_one);
        let mut viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
        if self.negative_one_to_one {
            viewport = viewport.push_next(&mut control);
        }

        let bias = self.bias.unwrap_or_default();
        let mut clip = vk::PipelineRasterizationDepthClipStateCreateInfoEXT::default().depth_clip_enable(self.depth_clip.unwrap_or(true));
        let mut provoking = vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT::default()
            .provoking_vertex_mode(vk::ProvokingVertexModeEXT::LAST_VERTEX);
        let mut raster = vk::PipelineRasterizationStateCreateInfo::default()
            .depth_clamp_enable(self.depth_clamp)
            .rasterizer_discard_enable(self.discard)
            .polygon_mode(self.polygon)
            .cull_mode(self.cull)
            .front_face(self.front)
            .depth_bias_enable(self.bias.is_some())
            .depth_bias_constant_factor(bias[0])
            .depth_bias_clamp(bias[1])
            .depth_bias_slope_factor(bias[2])
            .line_width(self.line_width);
        if self.depth_clip.is_some() {
            raster = raster.push_next(&mut clip);
        }
        if self.last_provokes {
            raster = raster.push_next(&mut provoking);
        }
        let mut lines =
            vk::PipelineRasterizationLineStateCreateInfoEXT::default().line_rasterization_mode(vk::LineRasterizationModeEXT::BRESENHAM);
        if let Some((factor, pattern)) = self.stipple {
            lines = lines.stippled_line_enable(true).line_stipple_factor(factor).line_stipple_pattern(pattern);
        }
        if self.bresenham {
            raster = raster.push_next(&mut lines);
        }
        let masks = [self.sample_mask];
        let multisample = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::from_raw(self.samples))
            .sample_shading_enable(self.sample_shading.is_some())
            .min_sample_shading(self.sample_shading.unwrap_or(0.0))
            .sample_mask(&masks)
            .alpha_to_coverage_enable(self.alpha_to_coverage);
        let [front, back] = self.stencil.unwrap_or_default();
        let depth_stencil = vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(self.depth.is_some())
            .depth_write_enable(self.depth.is_some_and(|d| d.write))
            .depth_compare_op(self.depth.map_or(vk::CompareOp::ALWAYS, |d| d.func))
            .depth_bounds_test_enable(self.bounds.is_some())
            .min_depth_bounds(self.bounds.unwrap_or_default()[0])
            .max_depth_bounds(self.bounds.unwrap_or_default()[1])
            .stencil_test_enable(self.stencil.is_some())
            .front(front)
            .back(back);
        let blends: Vec<_> = (0..out.colors.len())
            .map(|i| {
                let b = self.blend(i);
                vk::PipelineColorBlendAttachmentState::default()
                    .blend_enable(b.on)
                    .src_color_blend_factor(b.color.0)
                    .dst_color_blend_factor(b.color.1)
                    .color_blend_op(b.color.2)
                    .src_alpha_blend_factor(b.alpha.0)
                    .dst_alpha_blend_factor(b.alpha.1)
                    .alpha_blend_op(b.alpha.2)
                    .color_write_mask(b.mask)
            })
            .collect();
        let blend = vk::PipelineColorBlendStateCreateInfo::default()
            .attachments(&blends)
            .blend_constants(self.constants)
            .logic_op_enable(self.logic.is_some())
            .logic_op(self.logic.unwrap_or(vk::LogicOp::COPY));
        let mut rendering = vk::PipelineRenderingCreateInfo::default()
            .color_attachment_formats(out.colors)
            .depth_attachment_format(out.depth)
            .stencil_attachment_format(out.stencil)
            .view_mask(out.views);
        let (mode, rectangles) = self.rectangles.clone().unwrap_or((vk::DiscardRectangleModeEXT::EXCLUSIVE, Vec::new()));
        let mut discard =
            vk::PipelineDiscardRectangleStateCreateInfoEXT::default().discard_rectangle_mode(mode).discard_rectangles(&rectangles);
        let points = self.tessellation.as_ref().map_or(0, |(_, _, points)| *points);
        let patches = vk::PipelineTessellationStateCreateInfo::default().patch_control_points(points);
        let mut info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth_stencil)
            .color_blend_state(&blend)
            .layout(layout)
            .push_next(&mut rendering);
        if self.tessellation.is_some() {
            info = info.tessellation_state(&patches);
        }
        if self.rectangles.is_some() {
            info = info.push_next(&mut discard);
        }
        // SAFETY: see the head of gpu.rs.
        let made = unsafe { device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
        let pipeline = made.map_err(|(_, result)| result)?[0];
        Ok(gpu.keep(pipeline, |d, p| unsafe { d.destroy_pipeline(p, None) }))
    }
}
