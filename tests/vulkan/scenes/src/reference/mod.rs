//! A renderer after the Vulkan specification, slow and in f64: what scenes are compared with. Positions come as the vertex shader gives them; the
//! fragment shader is a function of the scene. raster.rs says which samples a primitive covers, output.rs what tests and blending make of a fragment.

mod output;
mod raster;

use ash::vk;

use crate::format::{self, Layout};
use crate::frame::Targets;
use crate::picture::Picture;
use crate::state::State;

/// A vertex after its shader.
#[derive(Clone, Debug)]
pub struct Corner {
    pub position: [f64; 4],
    pub values: [f64; 8],
    /// Clip distances: what is negative is cut.
    pub clips: Vec<f64>,
    /// Cull distances: a primitive whose corners are all negative in one is dropped.
    pub culls: Vec<f64>,
    pub viewport: usize,
    pub layer: usize,
    pub size: f64,
}

impl Corner {
    pub fn new(position: [f64; 4], color: [f64; 4]) -> Self {
        let mut values = [0.0; 8];
        values[..4].copy_from_slice(&color);
        Self { position, values, clips: Vec::new(), culls: Vec::new(), viewport: 0, layer: 0, size: 1.0 }
    }
}

/// What a fragment shader knows.
pub struct Fragment {
    pub x: u32,
    pub y: u32,
    pub layer: usize,
    /// The sample, where the shader runs for each.
    pub sample: Option<u32>,
    pub z: f64,
    /// gl_FragCoord.w.
    pub one_over_w: f64,
    /// Interpolated with perspective.
    pub values: [f64; 8],
    /// The provoking corner's.
    pub flat: [f64; 8],
    /// Barycentrics without perspective.
    pub linear: [f64; 3],
    pub front: bool,
    pub coverage: u32,
    /// gl_PointCoord.
    pub point: [f64; 2],
}

/// What a fragment shader gives.
#[derive(Clone)]
pub struct Out {
    pub colors: Vec<[f64; 4]>,
    /// The second source of blending.
    pub second: [f64; 4],
    pub depth: Option<f64>,
    pub stencil: Option<u8>,
    pub mask: u32,
}

impl Out {
    pub fn new(color: [f64; 4]) -> Self {
        Self { colors: vec![color], second: [0.0; 4], depth: None, stencil: None, mask: !0 }
    }

    pub fn many(colors: Vec<[f64; 4]>) -> Self {
        Self { colors, ..Self::new([0.0; 4]) }
    }
}

/// What `PLAIN_FRAGMENT` does.
pub fn plain(f: &Fragment) -> Option<Out> {
    Some(Out::new([f.values[0], f.values[1], f.values[2], f.values[3]]))
}

/// The same with flat inputs.
pub fn plain_flat(f: &Fragment) -> Option<Out> {
    Some(Out::new([f.flat[0], f.flat[1], f.flat[2], f.flat[3]]))
}

/// The targets.
pub struct Reference {
    width: u32,
    height: u32,
    samples: u32,
    formats: Vec<vk::Format>,
    layouts: Vec<Layout>,
    /// [target][(layer * pixels + pixel) * samples + sample]
    pub colors: Vec<Vec<[i64; 4]>>,
    depth_format: vk::Format,
    pub depth: Vec<f64>,
    pub stencil: Vec<u8>,
    open: Vec<bool>,
    /// Pixels of the stippled lines of this strip so far.
    stippled: usize,
    /// Samples that passed all tests, of all draws.
    pub passed: u64,
    /// Fragment shaders that ran, if each covered fragment's does.
    pub shaded: u64,
}

/// Where the samples of a pixel are, in sixteenths from its center: Vulkan's standard places.
pub fn places(samples: u32) -> &'static [(i64, i64)] {
    match samples {
        1 => &[(0, 0)],
        2 => &[(4, 4), (-4, -4)],
        4 => &[(-2, -6), (6, -2), (-6, 2), (2, 6)],
        8 => &[(1, -3), (-1, 3), (5, 1), (-3, -5), (-5, 5), (-7, -1), (3, 7), (7, -7)],
        _ => panic!("{samples} samples"),
    }
}

impl Reference {
    /// Cleared targets.
    pub fn new(targets: &Targets) -> Self {
        let count = (targets.width * targets.height * targets.samples * targets.layers) as usize;
        let layouts: Vec<_> = targets.colors.iter().map(|&f| format::layout(f)).collect();
        let colors = layouts.iter().enumerate().map(|(i, l)| vec![l.encode(targets.clear_of(i)); count]).collect();
        let mut reference = Self {
            width: targets.width,
            height: targets.height,
            samples: targets.samples,
            formats: targets.colors.clone(),
            layouts,
            colors,
            depth_format: targets.depth.unwrap_or(vk::Format::UNDEFINED),
            depth: Vec::new(),
            stencil: vec![targets.clear_stencil as u8; count],
            open: vec![false; count / targets.samples as usize],
            stippled: 0,
            passed: 0,
            shaded: 0,
        };
        reference.depth = vec![reference.round_depth(f64::from(targets.clear_depth)); count];
        reference
    }

    /// The target as a picture, resolved by the average of its samples.
    pub fn picture(&self, target: usize) -> Picture {
        let layout = &self.layouts[target];
        let samples = self.samples as usize;
        let codes = self.colors[target].chunks_exact(samples).map(|pixel| {
            if samples == 1 || layout.is_integer() {
                return pixel[0];
            }
            let mut sum = [0.0; 4];
            for &code in pixel {
                sum.iter_mut().zip(layout.decode(code)).for_each(|(s, v)| *s += v / samples as f64);
            }
            layout.encode(sum)
        });
        self.framed(self.formats[target], codes.collect())
    }

    pub fn depth_picture(&self) -> Picture {
        let format = match self.depth_format {
            vk::Format::D16_UNORM | vk::Format::D16_UNORM_S8_UINT => vk::Format::D16_UNORM,
            _ => vk::Format::D32_SFLOAT,
        };
        let layout = format::layout(format);
        self.framed(format, self.depth.iter().map(|&z| layout.encode([z, 0.0, 0.0, 0.0])).collect())
    }

    pub fn stencil_picture(&self) -> Picture {
        self.framed(vk::Format::S8_UINT, self.stencil.iter().map(|&s| [i64::from(s), 0, 0, 0]).collect())
    }

    fn framed(&self, format: vk::Format, codes: Vec<[i64; 4]>) -> Picture {
        let height = codes.len() / self.width as usize;
        Picture { width: self.width as usize, height, format, codes, open: self.open.clone() }
    }

    /// Draws primitives of the state's topology, by the rules of assembly.
    pub fn draw(&mut self, state: &State, corners: &[Corner], shader: &mut dyn FnMut(&Fragment) -> Option<Out>) {
        use vk::PrimitiveTopology as T;
        self.stippled = 0;
        for (indices, provoking) in assemble(state.topology, corners.len(), state.last_provokes) {
            let primitive: Vec<&Corner> = indices.iter().map(|&i| &corners[i]).collect();
            let provoking = &corners[provoking];
            if primitive.iter().flat_map(|c| c.position).any(|v| !v.is_finite()) {
                continue;
            }
            if (0..provoking.culls.len()).any(|i| primitive.iter().all(|c| c.culls[i] < 0.0)) {
                continue;
            }
            match state.topology {
                T::POINT_LIST => self.point(state, provoking, shader),
                T::LINE_LIST => {
                    self.stippled = 0;
                    self.line(state, [primitive[0], primitive[1]], provoking, shader);
                }
                T::LINE_STRIP => self.line(state, [primitive[0], primitive[1]], provoking, shader),
                _ => self.triangle(state, [primitive[0], primitive[1], primitive[2]], provoking, shader),
            }
        }
    }
}

/// Corners of each primitive, and its provoking one: Vulkan specification, primitive topologies.
fn assemble(topology: vk::PrimitiveTopology, count: usize, last: bool) -> Vec<(Vec<usize>, usize)> {
    use vk::PrimitiveTopology as T;
    match topology {
        T::POINT_LIST => (0..count).map(|i| (vec![i], i)).collect(),
        T::LINE_LIST => (0..count / 2).map(|i| (vec![2 * i, 2 * i + 1], 2 * i + usize::from(last))).collect(),
        T::LINE_STRIP => (1..count).map(|i| (vec![i - 1, i], i - 1 + usize::from(last))).collect(),
        T::TRIANGLE_LIST => (0..count / 3).map(|i| (vec![3 * i, 3 * i + 1, 3 * i + 2], 3 * i + 2 * usize::from(last))).collect(),
        T::TRIANGLE_STRIP => (2..count)
            .map(|i| {
                let (a, odd) = (i - 2, i % 2);
                (vec![a, a + 1 + odd, a + 2 - odd], if last { i } else { a })
            })
            .collect(),
        T::TRIANGLE_FAN => (2..count).map(|i| (vec![i - 1, i, 0], if last { i } else { i - 1 })).collect(),
        _ => panic!("the reference renderer does not know {topology:?}"),
    }
}
