//! The scenes, with the tolerance of each.

mod assembly;
mod blend;
mod clip;
mod depth;
mod fill;
mod geometry;
mod layers;
mod lines;
mod queries;
mod samples;
mod shaders;
mod tessellation;
mod viewport;

use crate::failure::Failure;
use crate::picture::{EXACT, STEP, Tolerance};
use crate::test::Test;

/// A scene.
pub struct Scene {
    pub name: &'static str,
    /// The rule that it covers.
    pub rule: &'static str,
    pub tolerance: Tolerance,
    pub run: fn(&mut Test<'_>) -> Result<(), Failure>,
    /// Runs only if it is named.
    pub asked: bool,
}

const fn scene(name: &'static str, tolerance: Tolerance, run: fn(&mut Test<'_>) -> Result<(), Failure>, rule: &'static str) -> Scene {
    Scene { name, rule, tolerance, run, asked: false }
}

/// Pixels whose diamond a line only touches may be either way.
const GRAZING: Tolerance = Tolerance { steps: 0, pixels: 4 };

/// Where two triangles cross, depths are equal but for rounding; positions that a shader has computed are, too.
const EDGES: Tolerance = Tolerance { steps: 0, pixels: 6 };

/// All of them: the simplest first.
pub const SCENES: &[Scene] = &[
    scene("clear", EXACT, fill::clear, "load operation CLEAR, in formats of each kind"),
    scene("triangle", EXACT, fill::triangle, "one triangle: viewport, fill rule"),
    scene("gradient", STEP, fill::gradient, "interpolation with perspective"),
    scene("random", EXACT, fill::random, "small triangles in each order of their vertices: top-left rule, 1/256 of a pixel"),
    scene("shared-edges", EXACT, fill::shared_edges, "edges through centers of pixels: each pixel once"),
    scene("huge", EXACT, fill::huge, "a triangle of 60,000 pixels, far beyond the target"),
    scene("culling", EXACT, fill::culling, "front and back faces, both orders"),
    scene("degenerate", EXACT, fill::degenerate, "triangles without area, of NaN and of infinity draw nothing"),
    scene("strips", EXACT, assembly::strips, "lists, strips and fans of the same mesh"),
    scene("provoking", EXACT, assembly::provoking, "flat inputs come from the first or the last vertex"),
    scene("indices", STEP, assembly::indices, "indices of 8, 16 and 32 bits, with restart"),
    scene("instances", EXACT, assembly::instances, "first vertex, first instance, base vertex, divisors 0, 1 and 3"),
    scene("indirect", STEP, assembly::indirect, "draws from buffers, with a count, draw ids"),
    scene("overrun", EXACT, assembly::overrun, "indices and vertices past the ends of their buffers"),
    scene("near", STEP, clip::near, "triangles through the eye's plane and both planes of depth"),
    scene("depth-range", STEP, clip::depth_range, "ranges of depth, clamping, clipping off"),
    scene("negative-one", STEP, clip::negative_one, "depth from -1 to 1"),
    scene("distances", STEP, clip::distances, "1 to 8 clip distances, cull distances"),
    scene("flipped", STEP, viewport::flipped, "viewports upside down, depth reversed, faces"),
    scene("viewports", EXACT, viewport::sixteen, "16 viewports and scissors, chosen by the vertex shader"),
    scene("scissors", EXACT, viewport::scissors, "empty scissors, of a pixel, beyond the target; small viewports"),
    scene("rectangles", EXACT, viewport::rectangles, "discard rectangles"),
    scene("points", STEP, lines::points, "sizes of points, coordinates in them"),
    scene("lines", GRAZING, lines::lines, "Bresenham lines in all directions, joints"),
    scene("wide-lines", GRAZING, lines::wide, "wide lines: parallelograms"),
    scene("stippled-lines", GRAZING, lines::stippled, "stippled lines: lists and strips"),
    scene("polygon-modes", GRAZING, lines::polygons, "triangles as edges and as corners"),
    scene("crossings", EDGES, depth::crossings, "triangles through each other, depth test less"),
    scene("depth-functions", EXACT, depth::functions, "8 depth functions, with and without writes"),
    scene("depth-bias", STEP, depth::bias, "depth bias: constant, slope, clamp"),
    scene("depth-sampled", EDGES, depth::sampled, "depth as a texture afterwards"),
    scene("stencil", EXACT, depth::stencil, "8 functions, 8 operations, both faces, masks"),
    scene("depth-bounds", EDGES, depth::bounds, "depth bounds"),
    scene("discard", EXACT, depth::discard, "discard and depth writes, early tests, how often shaders run"),
    scene("depth-export", EXACT, depth::exported, "gl_FragDepth: any, greater, less"),
    scene("stencil-export", EXACT, depth::exported_stencil, "gl_FragStencilRef"),
    scene("counters", EXACT, depth::counters, "shaders that write to memory and fail the depth test"),
    scene("blend-factors", STEP, blend::factors, "15 factors, 5 operations"),
    scene("blend-separate", STEP, blend::separate, "alpha of its own, constants, saturation, formats without alpha"),
    scene("blend-dual", STEP, blend::dual, "two sources"),
    scene("blend-precision", STEP, blend::precision, "blending in 9 formats"),
    scene("logic", EXACT, blend::logic, "16 logic operations on unorm and uint"),
    scene("targets", Tolerance { steps: 2, pixels: 0 }, blend::targets, "8 targets of different formats, masks and blends"),
    scene("formats", STEP, blend::formats, "42 formats of targets"),
    scene("integers", EXACT, blend::integers, "integer targets"),
    scene("generated", STEP, shaders::generated, "vertices of no buffer, push constants"),
    scene("position", Tolerance { steps: 16, pixels: 0 }, shaders::position, "gl_FragCoord"),
    scene("checkerboard", STEP, shaders::checkerboard, "perspective up to the horizon"),
    scene("texture", STEP, layers::texture, "a frame is the texture of the next, nearest and linear"),
    scene("interpolation", Tolerance { steps: 2, pixels: 0 }, samples::interpolation, "without perspective, by sample"),
    scene("centroid", STEP, samples::centroid, "centroid inputs stay inside"),
    scene("samples", STEP, samples::resolve, "2, 4 and 8 samples: places, depth, blending, resolve by average"),
    scene("resolve-modes", EDGES, samples::resolve_modes, "resolves of integers, depth and stencil at the end of rendering"),
    scene("sample-shading", STEP, samples::shading, "gl_SampleID, gl_SamplePosition"),
    scene("sample-masks", STEP, samples::masks, "masks of the pipeline, of the shader, coverage read, alpha to coverage"),
    scene("layers", EXACT, layers::layered, "gl_Layer by the vertex shader"),
    scene("views", EXACT, layers::views, "three views at once"),
    scene("levels", EXACT, layers::levels, "levels and slices of an image as targets, then sampled"),
    scene("tilings", EXACT, layers::tilings, "targets of many sizes, linear and optimal, 1 to 16 bytes a pixel"),
    scene("occlusion", EXACT, queries::occlusion, "precise occlusion queries, copied and read"),
    scene("statistics", EXACT, queries::statistics, "pipeline statistics, timestamps"),
    scene("conditional", EXACT, queries::conditional, "conditional rendering, direct and inverted"),
    scene("helpers", STEP, shaders::helpers, "derivatives at edges, discard"),
    scene("adjacency", STEP, geometry::adjacency, "lists and strips with adjacent vertices, through geometry shaders"),
    scene("amplification", STEP, geometry::amplification, "geometry shaders that emit 0 to 32 triangles for a point"),
    scene("invocations", EDGES, geometry::invocations, "5 invocations of a geometry shader for each triangle, in order"),
    scene("geometry-layers", STEP, geometry::layers, "geometry shaders that choose layers and viewports"),
    scene("primitive-id", STEP, geometry::primitive_id, "gl_PrimitiveID, of the draw or written by a geometry shader"),
    scene(
        "patches",
        Tolerance { steps: 1, pixels: 6 },
        tessellation::patches,
        "40 patches of triangles and quads with levels of their own, each spacing, both directions, dropped ones",
    ),
    scene("domain-points", STEP, tessellation::points, "points of quads, triangles and isolines with equal spacing"),
    scene("patches-geometry", EDGES, tessellation::geometry, "a geometry shader behind tessellation, gl_PrimitiveID in all stages"),
    scene("order", STEP, shaders::order, "20,000 small triangles over each other, in order"),
    scene("scratch", STEP, shaders::scratch, "arrays in scratch memory of vertex and fragment shaders"),
    // Only those who ask for them get these: a driver without a watchdog hangs, or goes down.
    Scene { asked: true, ..scene("wild-vertex", EXACT, shaders::wild_vertex, "a vertex shader stores to where nothing is") },
    Scene { asked: true, ..scene("wild-fragment", EXACT, shaders::wild_fragment, "a fragment shader does") },
    Scene { asked: true, ..scene("endless-fragment", EXACT, shaders::endless_fragment, "a fragment shader does not end") },
];

/// A device that differs from the specification in a scene.
pub struct Known {
    pub scene: &'static str,
    /// What its name and its driver's have in them, all of these.
    pub device: &'static [&'static str],
    pub why: &'static str,
}

impl Known {
    /// Is it about this scene on a device of this name?
    pub fn is_of(&self, scene: &Scene, device: &str) -> bool {
        self.scene == scene.name && self.device.iter().all(|part| device.contains(part))
    }
}

/// Where lavapipe (llvmpipe) is no oracle; and a mistake of a compiler.
pub const KNOWN: &[Known] = &[
    Known {
        scene: "discard",
        device: &["radv Mesa 22.3.6 (LLVM 15"],
        why: "LLVM 15 moves a flat input through the quad by DPP when killed lanes are out of EXEC already, so that lanes beside them keep what they had",
    },
    Known {
        scene: "depth-bias",
        device: &["llvmpipe"],
        why: "the unit of a bias of D16 is 2^-15 there (the specification allows what the implementation can tell apart), not 2^-16",
    },
    Known { scene: "resolve-modes", device: &["llvmpipe"], why: "it takes the first sample of depth and stencil, whatever the mode" },
    Known { scene: "centroid", device: &["llvmpipe"], why: "it takes inputs and 1/w at different places" },
    Known { scene: "order", device: &["llvmpipe"], why: "it loses single pixels of some of the 20,000 triangles" },
    Known { scene: "blend-precision", device: &["llvmpipe"], why: "it blends 10_10_10_2 and sRGB in fewer bits than they have" },
];

/// Scenes whose shaders a driver's compiler cannot compile; it draws with what it has, or ends the program.
pub const NOT_COMPILED: &[Known] = &[
    not_compiled("adjacency", MESA_25_LLVM_15, NO_BALLOT),
    not_compiled("amplification", MESA_25_LLVM_15, NO_BALLOT),
    not_compiled("invocations", MESA_25_LLVM_15, NO_BALLOT),
    not_compiled("geometry-layers", MESA_25_LLVM_15, NO_BALLOT),
    not_compiled("primitive-id", MESA_25_LLVM_15, NO_BALLOT),
    not_compiled("patches", MESA_25_LLVM_15, NO_BALLOT),
    not_compiled("patches-geometry", MESA_25_LLVM_15, NO_BALLOT),
    not_compiled("domain-points", MESA_25_LLVM_19, NO_BALLOT_OF_A_CONSTANT),
    not_compiled("patches", MESA_25_LLVM_19, NO_BALLOT_OF_A_CONSTANT),
    not_compiled("patches-geometry", MESA_25_LLVM_19, NO_BALLOT_OF_A_CONSTANT),
];

const MESA_25_LLVM_15: &[&str] = &["radv Mesa 25.", "(LLVM 15"];
const MESA_25_LLVM_19: &[&str] = &["radv Mesa 25.", "(LLVM 19"];
const NO_BALLOT: &str = "LLVM 15 has no llvm.amdgcn.inverse.ballot, which this Mesa uses";
const NO_BALLOT_OF_A_CONSTANT: &str = "LLVM 19 cannot select llvm.amdgcn.inverse.ballot of a constant";

const fn not_compiled(scene: &'static str, device: &'static [&'static str], why: &'static str) -> Known {
    Known { scene, device, why }
}
