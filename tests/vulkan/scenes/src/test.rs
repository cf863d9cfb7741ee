//! What a scene works with: the device, the size, and comparisons that remember what differs.

use std::path::Path;

use ash::vk;

use crate::failure::Failure;
use crate::frame::{Frame, Shot, Targets};
use crate::gpu::Gpu;
use crate::picture::{Picture, Tolerance};
use crate::reference::{Corner, Fragment, Out, Reference};
use crate::scenes::Scene;
use crate::state::State;

/// A position and a color, as `PLAIN_VERTEX` takes them.
pub type Vertex = [f32; 8];

/// A run of a scene.
pub struct Test<'g> {
    pub gpu: &'g Gpu,
    pub size: (u32, u32),
    pub tolerance: Tolerance,
    name: &'static str,
    keep: Option<&'g Path>,
    save: Option<&'g Path>,
    checks: usize,
    largest: i64,
    wrong: Vec<String>,
}

impl<'g> Test<'g> {
    pub fn new(gpu: &'g Gpu, size: (u32, u32), scene: &Scene, keep: Option<&'g Path>, save: Option<&'g Path>) -> Self {
        Self { gpu, size, tolerance: scene.tolerance, name: scene.name, keep, save, checks: 0, largest: 0, wrong: Vec::new() }
    }

    /// A summary, or what was wrong.
    pub fn finish(self) -> Result<String, Failure> {
        if self.wrong.is_empty() {
            return Ok(format!("{} checks, largest difference {}", self.checks, self.largest));
        }
        let mut lines = self.wrong;
        if lines.len() > 6 {
            let more = lines.len() - 6;
            lines.truncate(6);
            lines.push(format!("and {more} more"));
        }
        Err(Failure::Wrong(lines.join("\n")))
    }

    pub fn expect(&mut self, holds: bool, what: impl FnOnce() -> String) {
        self.checks += 1;
        if !holds {
            self.wrong.push(what());
        }
    }

    /// Compares with the scene's tolerance.
    pub fn compare(&mut self, label: &str, found: &Picture, expected: &Picture) -> Result<(), Failure> {
        self.compare_within(label, found, expected, self.tolerance)
    }

    pub fn compare_within(&mut self, label: &str, found: &Picture, expected: &Picture, tolerance: Tolerance) -> Result<(), Failure> {
        let difference = found.compare(expected, tolerance);
        self.largest = self.largest.max(difference.largest);
        let bad = difference.pixels > tolerance.pixels;
        self.expect(!bad, || {
            let (x, y) = difference.first.unwrap();
            let i = y * found.width + x;
            let (a, b) = (found.codes[i], expected.codes[i]);
            let all = found.codes.len();
            format!(
                "{label}: {} of {all} pixels differ, by up to {}; first at {x}, {y}: {a:?}, not {b:?}",
                difference.pixels, difference.largest
            )
        });
        for folder in self.keep.filter(|_| bad).into_iter().chain(self.save) {
            let label: String = label.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
            let path = folder.join(format!("{}-{}x{}-{label}.png", self.name, self.size.0, self.size.1));
            if bad { found.save_difference(expected, &path)? } else { found.save(&path)? }
        }
        Ok(())
    }

    /// Compares all targets of a frame with the reference renderer's.
    pub fn compare_all(&mut self, label: &str, shot: &Shot, reference: &Reference) -> Result<(), Failure> {
        for (i, color) in shot.colors.iter().enumerate() {
            let label = if shot.colors.len() == 1 { label.to_owned() } else { format!("{label}, target {i}") };
            self.compare(&label, color, &reference.picture(i))?;
        }
        if let Some(depth) = &shot.depth {
            self.compare_depth(label, depth, reference)?;
        }
        if let Some(stencil) = &shot.stencil {
            self.compare(&format!("{label}, stencil"), stencil, &reference.stencil_picture())?;
        }
        Ok(())
    }

    /// Depth is interpolated in f32.
    fn compare_depth(&mut self, label: &str, depth: &Picture, reference: &Reference) -> Result<(), Failure> {
        let steps = if depth.format == vk::Format::D16_UNORM { 1 } else { 16 };
        let tolerance = Tolerance { steps, pixels: self.tolerance.pixels };
        let largest = self.largest;
        self.compare_within(&format!("{label}, depth"), depth, &reference.depth_picture(), tolerance)?;
        self.largest = largest;
        Ok(())
    }

    /// A vertex at a place of the window in pixels.
    pub fn at(&self, x: f32, y: f32, z: f32, color: [f32; 4]) -> Vertex {
        let [px, py] = self.clip(x, y);
        [px, py, z, 1.0, color[0], color[1], color[2], color[3]]
    }

    /// x and y of clip space of a place of the window, for w = 1.
    pub fn clip(&self, x: f32, y: f32) -> [f32; 2] {
        [(f64::from(x) / f64::from(self.size.0) * 2.0 - 1.0) as f32, (f64::from(y) / f64::from(self.size.1) * 2.0 - 1.0) as f32]
    }

    /// Two triangles over a rectangle of the window.
    pub fn quad(&self, [x0, y0, x1, y1]: [f32; 4], z: f32, color: [f32; 4]) -> Vec<Vertex> {
        [(x0, y0), (x1, y0), (x0, y1), (x0, y1), (x1, y0), (x1, y1)].map(|(x, y)| self.at(x, y, z, color)).to_vec()
    }

    /// The whole window.
    pub fn whole(&self) -> [f32; 4] {
        [0.0, 0.0, self.size.0 as f32, self.size.1 as f32]
    }
}

/// Plain vertices as corners of the reference renderer.
pub fn corners(vertices: &[Vertex]) -> Vec<Corner> {
    let four = |v: &[f32]| std::array::from_fn(|i| f64::from(v[i]));
    vertices.iter().map(|v| Corner::new(four(&v[..4]), four(&v[4..]))).collect()
}

/// A frame on the device, and the same by the reference renderer.
pub struct Both<'g> {
    pub frame: Frame<'g>,
    pub reference: Reference,
}

impl<'g> Both<'g> {
    pub fn new(test: &Test<'g>, targets: Targets) -> Result<Self, Failure> {
        Ok(Self { reference: Reference::new(&targets), frame: Frame::new(test.gpu, targets)? })
    }

    /// Draws plain vertices.
    pub fn draw(&mut self, state: &State, vertices: &[Vertex], mut shader: impl FnMut(&Fragment) -> Option<Out>) -> Result<(), Failure> {
        self.frame.draw(state, vertices)?;
        self.reference.draw(state, &corners(vertices), &mut shader);
        Ok(())
    }

    pub fn finish(self, test: &mut Test<'_>, label: &str) -> Result<Shot, Failure> {
        let shot = self.frame.finish()?;
        test.compare_all(label, &shot, &self.reference)?;
        Ok(shot)
    }
}

/// Numbers that are the same in each run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Less than `limit`.
    pub fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 32) % u64::from(limit)) as u32
    }

    /// 0 to 1.
    pub fn unit(&mut self) -> f32 {
        self.below(1 << 24) as f32 / (1 << 24) as f32
    }

    /// From low to high in 256ths: the places that hardware rounds to.
    pub fn place(&mut self, low: f32, high: f32) -> f32 {
        let steps = ((high - low) * 256.0) as u32;
        low + self.below(steps) as f32 / 256.0
    }
}
