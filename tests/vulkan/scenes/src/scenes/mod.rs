//! The scenes, with the tolerance of each.

mod assembly;
mod fill;

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
}

const fn scene(name: &'static str, tolerance: Tolerance, run: fn(&mut Test<'_>) -> Result<(), Failure>, rule: &'static str) -> Scene {
    Scene { name, rule, tolerance, run }
}

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
    scene("indices", EXACT, assembly::indices, "indices of 8, 16 and 32 bits, with restart"),
    scene("instances", EXACT, assembly::instances, "first vertex, first instance, base vertex, divisors 0, 1 and 3"),
    scene("indirect", EXACT, assembly::indirect, "draws from buffers, with a count, draw ids"),
];

/// A device that differs from the specification in a scene.
pub struct Known {
    pub scene: &'static str,
    pub device: &'static str,
    pub why: &'static str,
}

/// Where lavapipe (llvmpipe) is no oracle.
pub const KNOWN: &[Known] = &[];
