//! sample and gather4, lane by lane: the exact and complete form. The kernels of [`super::kernel`] equal it bit for bit where they apply.
//!
//! ```text
//! operands -> derivatives of the quad -> level -> levels and filter -> taps of each level -> blend -> components -> VGPRs
//! ```
//!
//! Reference: the Direct3D 11.3 functional specification, "texture filtering"; RDNA3 ISA, "image instructions with sampler".

use super::address::{Operands, SampleAddress};
use super::coord::{self, BORDER, Clamp, Taps};
use super::cube::neighbor;
use super::error::ImageError;
use super::filter::{Reduction, bilinear, compare, lerp, settle};
use super::lod::{self, Anisotropy, Lambda, MipFilter, isotropic, to_lambda};
use super::op::{Dim, Lod, Sampling};
use super::routine::Routine;
use super::sampler::Sampler;
use super::surface::{Place, Surface, Texel};
use super::values::{Status, masked, select};
use crate::{Memory, Wave};

/// Coordinate differences along the screen's x and y, as the operands have them.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Derivatives {
    pub h: [f32; 3],
    pub v: [f32; 3],
}

/// One lane on its way through the taps.
struct Sample<'a> {
    surface: &'a Surface,
    sampler: &'a Sampler,
    memory: &'a dyn Memory,
    border: [u32; 4],
    /// Reference of the comparison.
    reference: Option<f32>,
    offset: [i32; 3],
    /// Layer or face, counted from the view's first.
    layer: u32,
    /// Filter within a level, and along z.
    linear: bool,
    z_linear: bool,
    lane: usize,
    /// Level whose access failed.
    failed: Option<u32>,
}

/// What blends of 8-bit UNORM are made of: see [`super::filter`].
const BYTE: f32 = 255.0;

impl Sample<'_> {
    /// Memory channels at a place, or the border color; compared if the instruction compares.
    fn tap(&mut self, place: Option<Place>, level: u32) -> Result<[u32; 4], ImageError> {
        let value = match place {
            None => self.border,
            Some(place) => match self.surface.texel(self.memory, place, self.lane)? {
                Texel::Value(value) if self.surface.format.is_integer() => value,
                Texel::Value(value) => value.map(flush),
                Texel::NotResident => {
                    if !self.surface.prt_default {
                        self.failed = Some(level);
                    }
                    [0; 4]
                }
            },
        };
        Ok(match self.reference {
            None => value,
            Some(reference) => {
                let passes = compare(self.sampler.compare, reference, f32::from_bits(value[0]));
                [if passes { 1.0_f32.to_bits() } else { 0 }; 4]
            }
        })
    }

    /// Taps of a linear filter in x and y, or of a point filter as both.
    fn taps(&self, coordinates: [f32; 3], level: u32, linear: bool) -> [Taps; 2] {
        let size = self.surface.levels[level as usize].size;
        let cube = self.is_seamless_cube();
        [0, 1].map(|axis| {
            if axis == 1 && matches!(self.surface.dim, Dim::D1 | Dim::Array1) {
                return Taps { index: [0; 2], weight: 0 };
            }
            let n = size[axis];
            let clamp = if cube { Clamp::HalfBorder } else { self.sampler.clamp[axis] };
            let texels = if self.sampler.unnormalized { coordinates[axis] } else { coordinates[axis] * n as f32 };
            if linear {
                let mut taps = coord::linear(texels, self.offset[axis], clamp, n, self.sampler.coarse);
                if cube && taps.index[1] == BORDER {
                    taps.index[1] = n; // the other side of the face
                }
                taps
            } else {
                let index = coord::point(texels, self.offset[axis], clamp, n, self.sampler.truncate);
                Taps { index: [index; 2], weight: 0 }
            }
        })
    }

    fn is_seamless_cube(&self) -> bool {
        self.surface.dim == Dim::Cube && !self.sampler.separate_faces
    }

    /// The tap at (x, y) of a level's slice or layer.
    fn tap_at(&mut self, level: u32, x: i32, y: i32, z: i32) -> Result<[u32; 4], ImageError> {
        if !self.is_seamless_cube() {
            return self.tap(self.surface.tap(level, [x, y, z], self.layer), level);
        }
        let n = self.surface.levels[level as usize].size[0]; // and size[1]: `Routine::new` refuses others
        let (cube, face) = (self.layer / 6 * 6, self.layer % 6);
        match neighbor(face, x, y, n) {
            Some((face, x, y)) => {
                // A view of fewer faces ends with its last one, as its face coordinates do.
                let layer = (cube + face).min(self.surface.last_layer);
                self.tap(self.surface.tap(level, [x, y, 0], layer), level)
            }
            None => {
                // Three faces meet here: the average of their texels.
                let (xi, yi) = (x.clamp(0, n - 1), y.clamp(0, n - 1));
                let mut sum = [0.0; 4];
                for (x, y) in [(xi, yi), (x, yi), (xi, y)] {
                    let texel = self.tap_at(level, x, y, 0)?;
                    for (sum, texel) in sum.iter_mut().zip(texel) {
                        *sum += f32::from_bits(texel);
                    }
                }
                Ok(sum.map(|s| (s / 3.0).to_bits()))
            }
        }
    }

    /// One slice of a level, filtered.
    fn plane(&mut self, level: u32, [x, y]: [Taps; 2], z: i32) -> Result<[u32; 4], ImageError> {
        if !self.linear {
            return self.tap_at(level, x.index[0], y.index[0], z);
        }
        // A tap of weight 0 is not read.
        let mut read = [[0_u32; 4]; 4];
        let mut used = [false; 4];
        for (n, tap) in read.iter_mut().enumerate() {
            let (right, lower) = (n & 1, n >> 1);
            if (right == 0 || x.weight != 0) && (lower == 0 || y.weight != 0) {
                *tap = self.tap_at(level, x.index[right], y.index[lower], z)?;
                used[n] = true;
            }
        }
        if self.sampler.reduction != Reduction::Blend {
            return Ok(self.reduce(read.into_iter().zip(used).filter(|(_, used)| *used).map(|(tap, _)| tap)));
        }
        let bytes = self.surface.is_bytes() && self.reference.is_none();
        Ok(std::array::from_fn(|c| {
            let taps = read.map(|tap| f32::from_bits(tap[c]));
            if bytes {
                (bilinear(taps.map(to_byte), x.weight, y.weight) / BYTE).to_bits()
            } else {
                bilinear(taps, x.weight, y.weight).to_bits()
            }
        }))
    }

    fn reduce(&self, values: impl Iterator<Item = [u32; 4]>) -> [u32; 4] {
        let pick = |a: u32, b: u32| self.sampler.reduction.pick(f32::from_bits(a), f32::from_bits(b)).to_bits();
        values.reduce(|a, b| std::array::from_fn(|c| pick(a[c], b[c]))).unwrap_or_default()
    }

    /// Two filtered values in the ratio (256 - w) : w, or reduced.
    fn mix(&self, a: [u32; 4], b: [u32; 4], w: u32) -> [u32; 4] {
        match self.sampler.reduction {
            Reduction::Blend => std::array::from_fn(|c| lerp(f32::from_bits(a[c]), f32::from_bits(b[c]), w).to_bits()),
            _ => self.reduce([a, b].into_iter()),
        }
    }

    /// One level, filtered.
    fn level(&mut self, level: u32, coordinates: [f32; 3]) -> Result<[u32; 4], ImageError> {
        let taps = self.taps(coordinates, level, self.linear);
        if self.surface.dim != Dim::D3 {
            return self.plane(level, taps, 0);
        }
        let n = self.surface.levels[level as usize].size[2];
        let texels = if self.sampler.unnormalized { coordinates[2] } else { coordinates[2] * n as f32 };
        let clamp = self.sampler.clamp[2];
        if !self.z_linear {
            let z = coord::point(texels, self.offset[2], clamp, n, self.sampler.truncate);
            return self.plane(level, taps, z);
        }
        let z = coord::linear(texels, self.offset[2], clamp, n, self.sampler.coarse);
        let near = self.plane(level, taps, z.index[0])?;
        if z.weight == 0 {
            return Ok(near);
        }
        let far = self.plane(level, taps, z.index[1])?;
        Ok(self.mix(near, far, z.weight))
    }

    /// All levels that take part, filtered.
    fn levels(&mut self, lambda: Lambda, coordinates: [f32; 3]) -> Result<[u32; 4], ImageError> {
        let last = if self.sampler.unnormalized { 0 } else { self.surface.last_level() };
        let levels = lod::select(lambda, self.sampler.mip, last);
        let first = self.level(levels.level[0], coordinates)?;
        if levels.weight == 0 {
            return Ok(first);
        }
        let second = self.level(levels.level[1], coordinates)?;
        Ok(self.mix(first, second, levels.weight))
    }

    /// Samples spread evenly along the longer derivative, equally weighted.
    fn along(&mut self, shape: Anisotropy, derivatives: &Derivatives, lambda: Lambda, at: [f32; 3]) -> Result<[u32; 4], ImageError> {
        let major = if shape.along_h { derivatives.h } else { derivatives.v };
        let mut sum = [0.0; 4];
        let mut reduced: Option<[u32; 4]> = None;
        for k in 0..shape.samples {
            let step = (k as f32 + 0.5) / shape.samples as f32 - 0.5;
            let value = self.levels(lambda, std::array::from_fn(|axis| at[axis] + step * major[axis]))?;
            for (sum, value) in sum.iter_mut().zip(value) {
                *sum += f32::from_bits(value);
            }
            reduced = Some(reduced.map_or(value, |old| self.reduce([old, value].into_iter())));
        }
        match (self.sampler.reduction, reduced) {
            (Reduction::Min | Reduction::Max, Some(value)) => Ok(value),
            _ => Ok(sum.map(|s| settle(s / shape.samples as f32).to_bits())),
        }
    }
}

/// An image's byte or a border color, from 0 to 255. Bytes come back exactly: v / 255 * 255 is within half of v.
pub(super) fn to_byte(x: f32) -> f32 {
    let scaled = x * BYTE;
    let nearest = scaled.round_ties_even();
    if nearest / BYTE == x { nearest } else { scaled }
}

/// Denormal texels are 0 to samplers (IMG-25).
fn flush(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

impl Routine {
    /// Derivatives of a lane: its operands, or the differences within its quad, active lanes or not.
    pub(super) fn derivatives(&self, operands: &Operands, wave: &Wave, lane: usize, address: &SampleAddress) -> Derivatives {
        if self.layout.dh[0].is_some() {
            return Derivatives { h: address.dh, v: address.dv };
        }
        let quad = lane & !3;
        let [here, right, below] = [0, 1, 2].map(|n| operands.body(wave, &self.layout, quad + n));
        let axes = self.dim.axes();
        let difference = |to: [f32; 3]| std::array::from_fn(|axis| if axis < axes { to[axis] - here[axis] } else { 0.0 });
        Derivatives { h: difference(right), v: difference(below) }
    }

    /// Level before its bounds, and the anisotropic footprint if the sampler may have one.
    pub(super) fn raw_level(
        &self,
        surface: &Surface,
        sampler: &Sampler,
        address: &SampleAddress,
        derivatives: &Derivatives,
    ) -> (Lambda, Option<Anisotropy>) {
        let sampling = self.op.kind.sampling();
        match sampling.map_or(Lod::Implicit, |s| s.lod) {
            Lod::Zero => (0, None),
            Lod::Explicit => (to_lambda(address.level) + sampler.bounds.bias, None),
            lod => {
                let size = surface.levels[0].size.map(|n| n as f32);
                let texels = |d: [f32; 3]| if sampler.unnormalized { d } else { std::array::from_fn(|axis| d[axis] * size[axis]) };
                let (h, v) = (texels(derivatives.h), texels(derivatives.v));
                let bias = sampler.bounds.bias + if lod == Lod::Bias { to_lambda(address.bias) } else { 0 };
                if sampler.is_anisotropic() {
                    let shape = lod::anisotropic(h, v, sampler.max_ratio);
                    (shape.lambda + bias, Some(shape))
                } else {
                    (isotropic(h, v) + bias, None)
                }
            }
        }
    }

    /// Layer or face of a coordinate, counted from the view's first (images.md 2.2, 2.4).
    fn layer(surface: &Surface, sampler: &Sampler, coordinate: f32) -> u32 {
        match surface.dim {
            Dim::Array1 | Dim::Array2 => coord::layer(coordinate, surface.last_layer, sampler.truncate_layer),
            Dim::Cube => {
                let id = coord::layer(coordinate, u32::MAX, sampler.truncate_layer);
                let last_cube = ((surface.last_layer + 1) / 6).saturating_sub(1);
                let face = (id & 7).min(5);
                ((id >> 3).min(last_cube) * 6 + face).min(surface.last_layer)
            }
            _ => 0,
        }
    }

    /// sample and gather4 of all active lanes.
    pub(super) fn sample(
        &self,
        surface: &Surface,
        sampler: &Sampler,
        operands: &Operands,
        wave: &mut Wave,
        memory: &dyn Memory,
    ) -> Result<(), ImageError> {
        let Some(sampling) = self.op.kind.sampling() else { return Ok(()) };
        let border = self.border(surface, sampler, memory)?;
        let results: Result<Vec<_>, ImageError> = wave
            .active()
            .map(|lane| Ok((lane, self.sample_lane(surface, sampler, &sampling, operands, wave, memory, border, lane)?)))
            .collect();
        let is_integer = surface.format.is_integer();
        for (lane, (components, n, status)) in results? {
            self.put_sampled(operands, wave, lane, &components[..n], is_integer, status);
        }
        Ok(())
    }

    fn sample_lane(
        &self,
        surface: &Surface,
        sampler: &Sampler,
        sampling: &Sampling,
        operands: &Operands,
        wave: &Wave,
        memory: &dyn Memory,
        border: [u32; 4],
        lane: usize,
    ) -> Result<([u32; 4], usize, Status), ImageError> {
        let address = operands.sample(wave, &self.layout, lane);
        let derivatives = self.derivatives(operands, wave, lane, &address);
        let (raw, shape) = self.raw_level(surface, sampler, &address, &derivatives);
        let lambda = sampler.bounds.apply(raw, sampling.clamp.then(|| to_lambda(address.level)));
        let filter = sampler.filter(lambda);
        let blends = !surface.format.is_integer();
        let mut at = address.body;
        if surface.dim == Dim::Cube {
            // the shader's face coordinates run from 1 to 2
            at = [at[0] - 1.0, at[1] - 1.0, 0.0];
        }
        let mut sample = Sample {
            surface,
            sampler,
            memory,
            border,
            reference: sampling.compare.then(|| sampler.reference(address.reference)),
            offset: address.offset,
            layer: Self::layer(surface, sampler, address.body[2]),
            linear: filter.linear && blends,
            z_linear: sampler.z_linear.unwrap_or(filter.linear) && blends,
            lane,
            failed: None,
        };
        let gathered = match self.op.kind {
            super::Kind::Gather4(_) => Some(GATHER4),
            super::Kind::Gather4h(_) => Some(GATHER4H),
            _ => None,
        };
        let (components, n) = match gathered {
            Some(pattern) => {
                let component = (self.op.dmask.trailing_zeros() as usize).min(3);
                (self.gather(&mut sample, pattern, lambda, at, component)?, 4)
            }
            None => {
                let texel = match shape.filter(|shape| filter.anisotropic && shape.samples > 1 && blends) {
                    Some(shape) => sample.along(shape, &derivatives, lambda, at)?,
                    None => sample.levels(lambda, at)?,
                };
                masked(self.op.dmask, select(&surface.dst_sel, texel, surface.format.is_integer()))
            }
        };
        let components = if self.op.dmask & 15 == 0 && gathered.is_none() { [0; 4] } else { components };
        let absolute = lambda.saturating_add(surface.first_level as i32 * 256);
        let level = (lambda.max(0) >> 8) as u32;
        let warned = (surface.min_lod_warn != 0 && absolute < surface.min_lod_warn).then_some(level);
        Ok((components, n, Status { failed: sample.failed, warned }))
    }

    /// Four texels of the footprint, unfiltered (GCN-20).
    fn gather(
        &self,
        sample: &mut Sample,
        pattern: [(i32, i32); 4],
        lambda: Lambda,
        at: [f32; 3],
        component: usize,
    ) -> Result<[u32; 4], ImageError> {
        let (surface, offset) = (sample.surface, sample.offset);
        let mip = if sample.sampler.mip == MipFilter::None { MipFilter::None } else { MipFilter::Point };
        let last = if sample.sampler.unnormalized { 0 } else { surface.last_level() };
        let level = lod::select(lambda, mip, last).level[0];
        let mut out = [0; 4];
        for (out, (right, below)) in out.iter_mut().zip(pattern) {
            // Taps to the right of the second are the second of a footprint that lies farther right.
            let (farther, right) = ((right - 1).max(0), right.min(1));
            sample.offset[0] = offset[0] + farther;
            let [x, y] = sample.taps(at, level, true);
            let texel = sample.tap_at(level, x.index[right as usize], y.index[below as usize], 0)?;
            *out = select(&surface.dst_sel, texel, surface.format.is_integer())[component];
        }
        Ok(out)
    }
}

/// Right and below of the upper left texel, in the order of the results.
const GATHER4: [(i32, i32); 4] = [(0, 1), (1, 1), (1, 0), (0, 0)];
const GATHER4H: [(i32, i32); 4] = [(0, 0), (1, 0), (2, 0), (3, 0)];
