//! Short forms of the most common instructions: images of a plane or of layers of planes whose addresses are exclusive ors by four bits, coordinates
//! that repeat or stay at the last texel, texels of the types in [`super::texels`], results in whole registers.
//!
//! They give the bits of [`super::sample`] and [`super::load`] with what those look up, decide and spill for every vector put side by side
//! when the kernel is made ([`Plane`], [`Results`]). [`parts`] says which kernels have such a form; the others keep theirs.
//!
//! ```text
//! Plane  axes[x, y, layer]: scale, last, shift, step, tables[0..count] of 16 dwords        one for each level
//! offset of a texel = base + sum of (i >> shift) * step  +  xor ^ tables[0][i & 15] ^ tables[1][i >> 4 & 15] ^ ...
//! ```

use super::super::coord::Clamp;
use super::super::filter::Reduction;
use super::super::lod::MipFilter;
use super::super::op::{ImageOp, Kind};
use super::super::routine::Routine;
use super::super::surface::Surface;
use super::super::values::unselect;
use super::filter::mix;

use super::level::Level;
use super::lod::detail;
use super::operands::{Cell, LaneOperands, Source};
use super::sample::rounded;
use super::taps::{Taps, inside, linear, point};
use super::texels::Texels;
use super::{Call, Directions, Kernel, Slices};
use crate::descriptor::DstSel;
use crate::guarded::Lost;
use crate::simd::Simd;
use crate::{Generation, Wave};

/// Tables of an axis: coordinates have 16 bits.
const MOST_TABLES: usize = 4;

/// A direction of a level.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Axis {
    /// Exclusive-ored into offsets, by four bits of the coordinate each, the lowest first.
    tables: [[u32; 16]; MOST_TABLES],
    /// Tables that are not all 0.
    count: usize,
    /// Log2 of the block.
    shift: i32,
    /// Bytes from a block to the next.
    step: i32,
    /// Texels or layers.
    size: i32,
    /// From coordinates to texels.
    scale: f32,
}

/// A level.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Plane {
    axes: [Axis; 3],
    /// Byte offset of the level.
    base: i32,
    /// Exclusive-ored into the offset of every texel.
    offset_xor: i32,
}

/// Where the results go, or the data of a store comes from.
#[derive(Clone, Debug, Default)]
pub(super) struct Results {
    /// Result register of each channel, or source register.
    of_channel: [Option<u8>; 4],
    /// Results that are constants: register, value, and whether lanes outside the image have 0 instead.
    constants: Vec<(u8, u32, bool)>,
}

impl Plane {
    /// A level of a kernel, if its addresses have the form.
    fn new(k: &Kernel, level: &Level) -> Option<Plane> {
        let mut offset_xor = level.offset_xor;
        let mut axis = |n: usize| {
            let size = if n == 2 { k.last_layer + 1 } else { level.size[n] };
            let scale = if k.unnormalized { 1.0 } else { size as f32 };
            let none = Axis { tables: [[0; 16]; MOST_TABLES], count: 0, shift: 0, step: 0, size, scale };
            if n == 2 && k.slices == Slices::One {
                return Some(none);
            }
            let (nibbles, first) = level.nibbles(n)?;
            let count = nibbles.iter().rposition(|table| table.iter().any(|&x| x != 0)).map_or(0, |last| last + 1);
            if count > MOST_TABLES {
                return None;
            }
            offset_xor ^= first as i32;
            let mut axis = Axis { count, shift: level.shift[n], step: level.step[n], ..none };
            axis.tables[..count].copy_from_slice(&nibbles[..count]);
            Some(axis)
        };
        let axes = [axis(0)?, axis(1)?, axis(2)?];
        Some(Plane { axes, base: level.base, offset_xor })
    }

    /// Gives a plane another size than it has, for tests.
    #[cfg(test)]
    pub(super) fn stretch(&mut self, [width, height]: [i32; 2]) {
        (self.axes[0].size, self.axes[1].size) = (width, height);
    }
}

impl Results {
    /// Of whole registers, each channel in one of them at most.
    fn new(cells: &[Cell]) -> Option<Results> {
        let mut results = Results::default();
        for (n, cell) in (0..).zip(cells) {
            match *cell {
                Cell::Whole(Source::Channel(c)) => {
                    if results.of_channel[usize::from(c & 3)].replace(n).is_some() {
                        return None;
                    }
                }
                Cell::Whole(Source::Constant(value)) => results.constants.push((n, value, false)),
                Cell::Whole(Source::Missing(value)) => results.constants.push((n, value, true)),
                Cell::Half(_) | Cell::Pair(..) => return None,
            }
        }
        Some(results)
    }

    /// The registers that a store takes the channels of an image from. `None`: they hold 16-bit data.
    fn of_store(op: &ImageOp, dst_sel: &[DstSel; 4]) -> Option<Results> {
        if op.d16 {
            return None;
        }
        let mut components = [None; 4];
        let named = (0..4).filter(|k| op.dmask >> k & 1 != 0);
        named.enumerate().for_each(|(n, k): (usize, usize)| components[k] = Some(n as u8));
        if op.generation == Generation::Gfx12 {
            // what DMASK leaves out is stored as X
            (1..4).filter(|k| op.dmask >> k & 1 == 0).for_each(|k: usize| components[k] = components[0]);
        }
        Some(Results { of_channel: unselect(dst_sel, components, None), constants: vec![] })
    }

    /// The channels that a store takes from registers, 0 without one.
    #[inline(always)]
    unsafe fn take<S: Simd>(&self, lanes: &LaneOperands, wave: &Wave) -> [S::I; 4] {
        // SAFETY: rows are sliced to whole vectors.
        unsafe {
            let mut out = [S::i(0); 4];
            for c in 0..4 {
                if let Some(&row) = self.of_channel[c].and_then(|n| lanes.operands.source.get(usize::from(n))) {
                    out[c] = S::load(&wave.row(row)[lanes.first..][..S::LANES]);
                }
            }
            out
        }
    }

    /// Writes the lanes of `m`.
    #[inline(always)]
    unsafe fn put<S: Simd>(&self, lanes: &LaneOperands, wave: &mut Wave, m: S::M, channels: [S::I; 4], inside: S::M) {
        // SAFETY: rows are sliced to whole vectors.
        unsafe {
            let is_whole = S::bits(m) == u32::MAX >> (32 - S::LANES);
            let mut write = |n: u8, value: S::I| {
                let row = &mut wave.row_mut(lanes.operands.result[usize::from(n)])[lanes.first..][..S::LANES];
                if is_whole { S::store_all(row, value) } else { S::store(row, m, value) }
            };
            for c in 0..4 {
                if let Some(n) = self.of_channel[c] {
                    write(n, channels[c]);
                }
            }
            for &(n, value, only_inside) in &self.constants {
                let value = S::i(value as i32);
                write(n, if only_inside { S::select(inside, value, S::i(0)) } else { value });
            }
        }
    }
}

/// The levels and registers of a kernel, if it has a short form.
pub(super) fn parts(k: &Kernel, routine: &Routine, surface: &Surface) -> Option<(Vec<Plane>, Results)> {
    let is_plane = k.directions == Directions::Plane && matches!(k.slices, Slices::One | Slices::Layers);
    let is_plain =
        !k.is_special && k.max_ratio.is_none() && !k.filter_varies && k.samples == 0 && !k.takes_level && k.layout.offset.is_none();
    let has_common_clamps = k.clamp[..2].iter().all(|c| matches!(c, Clamp::Wrap | Clamp::LastTexel));
    if !is_plane || !is_plain || !has_common_clamps {
        return None;
    }
    let planes: Option<Vec<Plane>> = k.levels.iter().map(|level| Plane::new(k, level)).collect();
    let is_store = matches!(routine.op.kind, Kind::Store { .. });
    let results = if is_store { Results::of_store(&routine.op, &surface.dst_sel)? } else { Results::new(&k.cells)? };
    Some((planes?, results))
}

/// What coordinates add to an offset, and exclusive-or into it.
#[derive(Clone, Copy)]
struct Shares<S: Simd> {
    sum: S::I,
    xor: S::I,
}

impl<S: Simd> Shares<S> {
    #[inline(always)]
    unsafe fn with(self, other: Self) -> Self {
        // SAFETY: no memory is touched.
        unsafe { Shares { sum: S::add(self.sum, other.sum), xor: S::xor(self.xor, other.xor) } }
    }

    #[inline(always)]
    unsafe fn offset(self) -> S::I {
        // SAFETY: no memory is touched.
        unsafe { S::add(self.sum, self.xor) }
    }
}

impl Plane {
    #[inline(always)]
    unsafe fn origin<S: Simd>(&self) -> Shares<S> {
        // SAFETY: no memory is touched.
        unsafe { Shares { sum: S::i(self.base), xor: S::i(self.offset_xor) } }
    }
}

impl Axis {
    /// Shares of some coordinates in the addresses of texels.
    #[inline(always)]
    unsafe fn shares<S: Simd, const N: usize>(&self, i: [S::I; N]) -> [Shares<S>; N] {
        // SAFETY: no memory is touched but the tables.
        unsafe {
            let (shift, step) = (S::i(self.shift), S::i(self.step));
            let mut out = [Shares { sum: S::i(0), xor: S::i(0) }; N];
            for n in 0..N {
                out[n].sum = S::mul(S::shr_each(i[n], shift), step);
            }
            let mut rest = i;
            // Two of them are the rule.
            if self.count > 0 {
                for n in 0..N {
                    let low = S::lookup(&self.tables[0], i[n]);
                    rest[n] = S::shr(i[n], 4);
                    out[n].xor = S::xor(low, S::lookup(&self.tables[1], rest[n]));
                }
                for table in self.tables.iter().take(self.count).skip(2) {
                    for n in 0..N {
                        rest[n] = S::shr(rest[n], 4);
                        out[n].xor = S::xor(out[n].xor, S::lookup(table, rest[n]));
                    }
                }
            }
            out
        }
    }

    /// The taps of a coordinate.
    #[inline(always)]
    unsafe fn taps<S: Simd>(&self, k: &Kernel, mode: Clamp, coordinate: S::F) -> Taps<S> {
        // SAFETY: no memory is touched.
        unsafe {
            let texels = S::mul_f(coordinate, S::f(self.scale));
            let none = S::i(0);
            if mode == Clamp::Wrap {
                linear::<S>(texels, none, Clamp::Wrap, self.size, k.coarse, false)
            } else {
                linear::<S>(texels, none, Clamp::LastTexel, self.size, k.coarse, false)
            }
        }
    }

    /// The nearest texel of a coordinate.
    #[inline(always)]
    unsafe fn nearest<S: Simd>(&self, k: &Kernel, mode: Clamp, coordinate: S::F) -> S::I {
        // SAFETY: no memory is touched.
        unsafe {
            let texels = S::mul_f(coordinate, S::f(self.scale));
            let none = S::i(0);
            if mode == Clamp::Wrap {
                point::<S>(texels, none, Clamp::Wrap, self.size, k.truncate)
            } else {
                point::<S>(texels, none, Clamp::LastTexel, self.size, k.truncate)
            }
        }
    }
}

/// Coordinates of a vector of lanes.
#[derive(Clone, Copy)]
struct At<S: Simd> {
    x: S::F,
    y: S::F,
    layer: S::I,
}

/// One level, filtered, for the lanes of `m`.
#[inline(always)]
unsafe fn level<S: Simd, T: Texels>(k: &Kernel, plane: &Plane, call: &Call, at: &At<S>, lost: &mut Lost, m: S::M) -> [S::F; 4] {
    // SAFETY: taps lie in the level, whose texels lie in the image (`Kernel::new`).
    unsafe {
        let [x_axis, y_axis, layers] = &plane.axes;
        let mut origin = plane.origin::<S>();
        if k.slices == Slices::Layers {
            let [layer] = layers.shares::<S, 1>([at.layer]);
            origin = origin.with(layer);
        }
        if !k.linear {
            let [x] = x_axis.shares::<S, 1>([x_axis.nearest::<S>(k, k.clamp[0], at.x)]);
            let [y] = y_axis.shares::<S, 1>([y_axis.nearest::<S>(k, k.clamp[1], at.y)]);
            let tap = T::fetch::<S>(&k.element, call.image, origin.with(y).with(x).offset(), m, lost);
            return T::decode_sampled::<S>(&k.element, tap);
        }
        let x = x_axis.taps::<S>(k, k.clamp[0], at.x);
        let y = y_axis.taps::<S>(k, k.clamp[1], at.y);
        let [left, right] = x_axis.shares::<S, 2>(x.index);
        let [upper, lower] = y_axis.shares::<S, 2>(y.index);
        let (upper, lower) = (origin.with(upper), origin.with(lower));
        // What has no weight is read where it cannot do harm.
        let (mut has_right, mut has_lower) = (m, m);
        if !T::IS_FINITE {
            (has_right, has_lower) = (S::both(m, S::gt(x.weight, S::i(0))), S::both(m, S::gt(y.weight, S::i(0))));
        }
        let fetch = |at: Shares<S>, m: S::M, lost: &mut Lost| T::fetch::<S>(&k.element, call.image, at.offset(), m, lost);
        let taps = [
            fetch(upper.with(left), m, lost),
            fetch(upper.with(right), has_right, lost),
            fetch(lower.with(left), has_lower, lost),
            fetch(lower.with(right), S::both(has_right, has_lower), lost),
        ];
        T::blend::<S>(&k.element, taps, x.weight, y.weight)
    }
}

/// The level that each lane names; those of one level at a time.
#[inline(always)]
unsafe fn in_levels<S: Simd, T: Texels>(k: &Kernel, call: &Call, at: &At<S>, numbers: S::I, lost: &mut Lost, m: S::M) -> [S::F; 4] {
    // SAFETY: `all` has the room of a vector.
    unsafe {
        let mut all = [0_u32; 16];
        S::store_all(&mut all, numbers);
        let (mut left, mut out) = (S::bits(m), [S::f(0.0); 4]);
        loop {
            let number = all[left.trailing_zeros() as usize & 15];
            let these = S::both(S::mask(left), S::eq(numbers, S::i(number as i32)));
            let value = level::<S, T>(k, &k.planes[number as usize], call, at, lost, these);
            if S::bits(these) == S::bits(m) {
                return value;
            }
            for c in 0..4 {
                out[c] = S::select_f(these, value[c], out[c]);
            }
            left &= !S::bits(these);
            if left == 0 {
                return out;
            }
        }
    }
}

/// Samples of levels that lanes choose.
#[inline(always)]
unsafe fn of_levels<S: Simd, T: Texels>(
    k: &Kernel,
    call: &Call,
    lanes: &LaneOperands,
    wave: &Wave,
    at: &At<S>,
    lost: &mut Lost,
    m: S::M,
) -> [S::F; 4] {
    // SAFETY: level numbers are limited to the view's.
    unsafe {
        let last = k.planes.len() as i32 - 1;
        let lambda = detail::<S, false>(k, lanes, wave, [at.x, at.y, S::f(0.0)], m).lambda;
        if k.mip == MipFilter::Point {
            let number = S::min(S::max(S::sar(S::add(lambda, S::i(128)), 8), S::i(0)), S::i(last));
            return in_levels::<S, T>(k, call, at, number, lost, m);
        }
        let lambda = S::min(S::max(lambda, S::i(0)), S::i(last * 256));
        let (number, weight) = (S::shr(lambda, 8), S::and(lambda, S::i(0xff)));
        // A loop rather than two calls: the code of a level is there once.
        let (mut number, mut these, mut near) = (number, m, [S::f(0.0); 4]);
        for pass in 0..2 {
            let value = in_levels::<S, T>(k, call, at, number, lost, these);
            near = if pass == 0 { value } else { mix::<S>(Reduction::Blend, near, value, weight) };
            these = S::both(m, S::gt(weight, S::i(0)));
            if S::bits(these) == 0 {
                break;
            }
            number = S::add(number, S::i(1));
        }
        near
    }
}

/// The active ones among the lanes of a vector.
#[inline(always)]
fn active<S: Simd>(wave: &Wave, first: usize) -> u32 {
    (wave.exec >> first) as u32 & (u32::MAX >> (32 - S::LANES))
}

/// A whole sample instruction; the lanes it could not do. `SINGLE`: all read the first level. A form of its own, as what levels need is looked up
/// before the first lane.
///
/// # Safety
/// The processor has the instruction set; `call.image` is the image of the kernel, which has the short form.
#[inline(always)]
pub(super) unsafe fn sample<S: Simd, T: Texels, const SINGLE: bool>(k: &Kernel, call: &Call, wave: &mut Wave) -> u64 {
    // SAFETY: rows are sliced to whole vectors; texels lie in the image (`Kernel::new`).
    unsafe {
        let mut left = 0;
        for first in (0..wave.lanes).step_by(S::LANES) {
            let active = active::<S>(wave, first);
            if active == 0 {
                continue;
            }
            let m = S::mask(active);
            let lanes = LaneOperands { operands: call.operands, first };
            let coordinate = |n: usize| lanes.float::<S>(wave, k.layout.body[n]);
            let mut at = At { x: coordinate(0), y: coordinate(1), layer: S::i(0) };
            if k.slices == Slices::Layers {
                at.layer = S::add(S::min(rounded::<S>(k, coordinate(2)), S::i(k.last_layer)), S::i(k.first_layer));
            }
            let mut lost = Lost::none();
            let out = if SINGLE {
                level::<S, T>(k, &k.planes[0], call, &at, &mut lost, m)
            } else {
                of_levels::<S, T>(k, call, &lanes, wave, &at, &mut lost, m)
            };
            if lost.any() {
                left |= u64::from(active) << first;
                continue;
            }
            let channels = [S::as_i(out[0]), S::as_i(out[1]), S::as_i(out[2]), S::as_i(out[3])];
            k.results.put::<S>(&lanes, wave, m, channels, S::mask(u32::MAX));
        }
        left
    }
}

/// Offsets of the texels that the lanes of `m` name in the first level, and which of them are in the image.
#[inline(always)]
unsafe fn place<S: Simd>(k: &Kernel, lanes: &LaneOperands, wave: &Wave, m: S::M) -> (S::I, S::M) {
    // SAFETY: rows are sliced to whole vectors.
    unsafe {
        let plane = &k.planes[0];
        let [x_axis, y_axis, layers] = &plane.axes;
        let (x, y) = (lanes.bits::<S>(wave, k.layout.body[0]), lanes.bits::<S>(wave, k.layout.body[1]));
        let mut m = S::both(m, S::both(inside::<S>(x, x_axis.size), inside::<S>(y, y_axis.size)));
        let mut origin = plane.origin::<S>();
        if k.slices == Slices::Layers {
            let z = lanes.bits::<S>(wave, k.layout.body[2]);
            m = S::both(m, inside::<S>(z, layers.size));
            let [z] = layers.shares::<S, 1>([S::add(z, S::i(k.first_layer))]);
            origin = origin.with(z);
        }
        let ([x], [y]) = (x_axis.shares::<S, 1>([x]), y_axis.shares::<S, 1>([y]));
        (origin.with(y).with(x).offset(), m)
    }
}

/// A whole load; the lanes it could not do.
///
/// # Safety
/// As [`sample`].
#[inline(always)]
pub(super) unsafe fn load<S: Simd, T: Texels>(k: &Kernel, call: &Call, wave: &mut Wave) -> u64 {
    // SAFETY: only coordinates inside the level are read, and those lie in the image (`Kernel::new`).
    unsafe {
        let mut left = 0;
        for first in (0..wave.lanes).step_by(S::LANES) {
            let active = active::<S>(wave, first);
            if active == 0 {
                continue;
            }
            let m = S::mask(active);
            let lanes = LaneOperands { operands: call.operands, first };
            let (offset, inside) = place::<S>(k, &lanes, wave, m);
            let mut lost = Lost::none();
            let tap = T::fetch::<S>(&k.element, call.image, offset, inside, &mut lost);
            let channels = T::decode::<S>(&k.element, tap);
            if lost.any() {
                left |= u64::from(active) << first;
                continue;
            }
            k.results.put::<S>(&lanes, wave, m, channels, inside);
        }
        left
    }
}

/// How texels of a kind are packed.
pub(super) trait Pack {
    /// Dwords of a texel.
    const WORDS: usize;
    /// The dwords of texels, from their channels.
    unsafe fn pack<S: Simd>(channels: [S::I; 4]) -> [S::I; 4];
}

/// 8_8_8_8_UNORM.
pub(super) struct PackBytes;

impl Pack for PackBytes {
    const WORDS: usize = 1;
    #[inline(always)]
    unsafe fn pack<S: Simd>(channels: [S::I; 4]) -> [S::I; 4] {
        const ONES: f32 = 12_582_912.0; // 1.5 * 2^23: the sum rounds to whole numbers, once
        // SAFETY: no memory is touched.
        unsafe {
            let mut word = S::i(0);
            for c in 0..4 {
                let x = S::min_f(S::max_f(S::as_f(channels[c]), S::f(0.0)), S::f(1.0));
                let byte = S::sub(S::as_i(S::fma(x, S::f(255.0), S::f(ONES))), S::i(ONES.to_bits() as i32));
                word = S::or(word, S::shl(byte, 8 * c as i32));
            }
            [word; 4]
        }
    }
}

/// f16 channels: 2 or 4.
pub(super) struct PackHalves<const N: usize>;

impl<const N: usize> Pack for PackHalves<N> {
    const WORDS: usize = N / 2;
    #[inline(always)]
    unsafe fn pack<S: Simd>(channels: [S::I; 4]) -> [S::I; 4] {
        // SAFETY: no memory is touched.
        unsafe {
            let mut words = [S::i(0); 4];
            for n in 0..N / 2 {
                let [low, high] = [S::to_half(S::as_f(channels[2 * n])), S::to_half(S::as_f(channels[2 * n + 1]))];
                words[n] = S::or(low, S::shl(high, 16));
            }
            words
        }
    }
}

/// Channels of 32 bits: 1, 2 or 4.
pub(super) struct PackDwords<const N: usize>;

impl<const N: usize> Pack for PackDwords<N> {
    const WORDS: usize = N;
    #[inline(always)]
    unsafe fn pack<S: Simd>(channels: [S::I; 4]) -> [S::I; 4] {
        channels
    }
}

/// A whole store; the lanes it could not do, of which some texels may have been written. Of lanes with one texel the last one wins.
///
/// # Safety
/// As [`sample`].
#[inline(always)]
pub(super) unsafe fn store<S: Simd, P: Pack>(k: &Kernel, call: &Call, wave: &mut Wave) -> u64 {
    // SAFETY: as `load`; arrays have the room of a vector.
    unsafe {
        for first in (0..wave.lanes).step_by(S::LANES) {
            let active = active::<S>(wave, first);
            if active == 0 {
                continue;
            }
            let lanes = LaneOperands { operands: call.operands, first };
            let (offset, inside) = place::<S>(k, &lanes, wave, S::mask(active));
            let words = P::pack::<S>(k.results.take::<S>(&lanes, wave));
            let (mut offsets, mut texels) = ([0_u32; 16], [[0_u32; 16]; 4]);
            S::store_all(&mut offsets, offset);
            for n in 0..P::WORDS {
                S::store_all(&mut texels[n], words[n]);
            }
            let mut lost = Lost::none();
            let mut rest = S::bits(inside);
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize & 15;
                rest &= rest - 1;
                let word = |n: usize| u128::from(texels[n][lane]) << (32 * n);
                let at = offsets[lane].into();
                match P::WORDS {
                    1 => call.image.write(at, &texels[0][lane].to_le_bytes(), &mut lost),
                    2 => call.image.write(at, &((word(0) | word(1)) as u64).to_le_bytes(), &mut lost),
                    _ => call.image.write(at, &(word(0) | word(1) | word(2) | word(3)).to_le_bytes(), &mut lost),
                }
                if lost.any() {
                    // What is before was written. The scalar form does these lanes in order, and says which is lost.
                    return wave.exec >> first << first;
                }
            }
        }
        0
    }
}
