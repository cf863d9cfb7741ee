//! The functions of kernels, compiled for both vector levels and for each kind of texel.

use super::channels::Channels;
use super::has::{ALL, LEVELS, LINEAR, SHAPES, SPECIAL, VARIED};
use super::pack::{Pack, PackBytes, PackDwords, PackHalves};
use super::texels::{Blocks, Bytes, Dwords, Halves, Srgb, Texels};
use super::{Call, Function, Kernel};
use crate::Wave;
use crate::format::{Layout, Numeric};
use crate::image::Operands;
use crate::image::surface::Surface;
use crate::simd::{Avx2, Avx512};
use wavejit_isa::HostLevel;

/// Executes an instruction; the lanes that it did not do.
pub(super) type Run = unsafe fn(&Kernel, &Call, &mut Wave) -> u64;

/// Offsets of the texels of a store, and the lanes that have one.
pub(super) type Offsets = unsafe fn(&Kernel, &Operands, &Wave, &mut [u32; 64]) -> u64;

/// Makes a function for a vector level; the portable level has none.
type Choose = fn(HostLevel) -> Option<Run>;

/// A function that chooses between two instances of `$module::$generic` for texels `T` with `HAS` (see [`super::has`]).
macro_rules! choice {
    ($name:ident, $module:ident::$generic:ident, $texels:path) => {
        fn $name<T: $texels, const HAS: u32>(level: HostLevel) -> Option<Run> {
            #[target_feature(enable = "avx2,fma,f16c")]
            unsafe fn avx2<T: $texels, const HAS: u32>(k: &Kernel, call: &Call, wave: &mut Wave) -> u64 {
                // SAFETY: this function is only reached where the processor has the features, with an image the caller vouches for.
                unsafe { super::$module::$generic::<Avx2, T, HAS>(k, call, wave) }
            }
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma,f16c")]
            unsafe fn avx512<T: $texels, const HAS: u32>(k: &Kernel, call: &Call, wave: &mut Wave) -> u64 {
                // SAFETY: as above.
                unsafe { super::$module::$generic::<Avx512, T, HAS>(k, call, wave) }
            }
            match level {
                HostLevel::Baseline => None,
                HostLevel::Avx2 => Some(avx2::<T, HAS>),
                HostLevel::Avx512 => Some(avx512::<T, HAS>),
            }
        }
    };
}

choice!(sample, sample::sample, Texels);
choice!(load, load::load, Texels);
choice!(store, load::store, Pack);

/// Where stores go.
fn store_offsets(level: HostLevel) -> Option<Offsets> {
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn avx2(k: &Kernel, operands: &Operands, wave: &Wave, out: &mut [u32; 64]) -> u64 {
        // SAFETY: as in `choice`.
        unsafe { super::load::offsets::<Avx2>(k, operands, wave, out) }
    }
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma,f16c")]
    unsafe fn avx512(k: &Kernel, operands: &Operands, wave: &Wave, out: &mut [u32; 64]) -> u64 {
        // SAFETY: as in `choice`.
        unsafe { super::load::offsets::<Avx512>(k, operands, wave, out) }
    }
    match level {
        HostLevel::Baseline => None,
        HostLevel::Avx2 => Some(avx2),
        HostLevel::Avx512 => Some(avx512),
    }
}

/// The functions for texels of a kind, each with what it has: those that have less first.
fn samplers<T: Texels>() -> [(u32, Choose); 8] {
    const LEVELS_VARIED: u32 = LEVELS | LINEAR | VARIED;
    const SPECIAL_VARIED: u32 = SPECIAL | LINEAR | VARIED;
    [
        (0, sample::<T, 0>),
        (LINEAR, sample::<T, LINEAR>),
        (LEVELS | LINEAR, sample::<T, { LEVELS | LINEAR }>),
        (VARIED, sample::<T, VARIED>),
        (LINEAR | VARIED, sample::<T, { LINEAR | VARIED }>),
        (LEVELS_VARIED, sample::<T, LEVELS_VARIED>),
        (SPECIAL_VARIED, sample::<T, SPECIAL_VARIED>),
        (SHAPES_VARIED, sample::<T, SHAPES_VARIED>),
    ]
}

/// What functions have that know all images but the rare ones.
const SHAPES_VARIED: u32 = LEVELS | SHAPES | LINEAR | VARIED;

/// As [`samplers`]. `All`: the texels of the function for everything else.
fn loaders<T: Texels, All: Texels>() -> [(u32, Choose); 3] {
    [(0, load::<T, 0>), (VARIED, load::<T, VARIED>), (ALL, load::<All, ALL>)]
}

/// As [`samplers`].
fn storers<P: Pack>() -> [(u32, Choose); 3] {
    [(0, store::<P, 0>), (VARIED, store::<P, VARIED>), (ALL, store::<P, ALL>)]
}

/// Are all channels of so many bits, side by side without gaps?
fn is_even(surface: &Surface, bits: u8, count: usize) -> bool {
    let channels = &surface.format.channels;
    surface.format.layout == Layout::Plain
        && channels.iter().filter(|c| c.bits != 0).count() == count
        && usize::from(surface.format.bytes) * 8 == usize::from(bits) * count
        && (0..count).all(|c| channels[c].bits == bits && usize::from(channels[c].shift) == c * usize::from(bits))
}

/// The first of some functions that has all that is needed.
fn first_with(needs: u32, level: HostLevel, functions: &[(u32, Choose)]) -> Option<(u32, Function)> {
    let (has, choose) = functions.iter().find(|(has, _)| needs & !has == 0)?;
    Some((*has, Function::Run(choose(level)?)))
}

/// The sampling function of a surface with all that is needed of [`super::has`], and what it has.
pub(super) fn sampler(surface: &Surface, level: HostLevel, needs: u32) -> Option<(u32, Function)> {
    let is = |numeric, bits, count| surface.format.numeric == numeric && is_even(surface, bits, count);
    let functions = match surface.format.layout {
        Layout::Block(_) => {
            return first_with(needs, level, &[(SHAPES_VARIED, sample::<Blocks, SHAPES_VARIED>), (ALL, sample::<Blocks, ALL>)]);
        }
        _ if surface.is_bytes() => samplers::<Bytes>(),
        _ if is(Numeric::Srgb, 8, 4) => samplers::<Srgb>(),
        _ if is(Numeric::Float, 16, 1) => samplers::<Halves<1>>(),
        _ if is(Numeric::Float, 16, 2) => samplers::<Halves<2>>(),
        _ if is(Numeric::Float, 16, 4) => samplers::<Halves<4>>(),
        _ if is(Numeric::Float, 32, 1) => samplers::<Dwords<1>>(),
        _ if is(Numeric::Float, 32, 2) => samplers::<Dwords<2>>(),
        _ if is(Numeric::Float, 32, 4) => samplers::<Dwords<4>>(),
        _ => samplers::<Channels>(),
    };
    let all: Choose = if surface.is_bytes() { sample::<Bytes, ALL> } else { sample::<Channels, ALL> };
    first_with(needs, level, &functions).or_else(|| first_with(needs, level, &[(ALL, all)]))
}

/// The loading function of a surface.
pub(super) fn loader(surface: &Surface, level: HostLevel, needs: u32) -> Option<(u32, Function)> {
    let is = |numeric, bits, count| surface.format.numeric == numeric && is_even(surface, bits, count);
    let is_dwords = |count| [Numeric::Float, Numeric::Uint, Numeric::Sint].into_iter().any(|numeric| is(numeric, 32, count));
    let functions = match surface.format.layout {
        Layout::Block(_) => return first_with(needs, level, &[(ALL, load::<Blocks, ALL>)]),
        _ if surface.is_bytes() => loaders::<Bytes, Bytes>(),
        _ if is(Numeric::Srgb, 8, 4) => loaders::<Srgb, Channels>(),
        _ if is(Numeric::Float, 16, 1) => loaders::<Halves<1>, Channels>(),
        _ if is(Numeric::Float, 16, 2) => loaders::<Halves<2>, Channels>(),
        _ if is(Numeric::Float, 16, 4) => loaders::<Halves<4>, Channels>(),
        _ if is_dwords(1) => loaders::<Dwords<1>, Channels>(),
        _ if is_dwords(2) => loaders::<Dwords<2>, Channels>(),
        _ if is_dwords(4) => loaders::<Dwords<4>, Dwords<4>>(),
        _ => loaders::<Channels, Channels>(),
    };
    first_with(needs, level, &functions)
}

/// The storing function of a surface, or the one that says where a store goes.
pub(super) fn storer(surface: &Surface, level: HostLevel, needs: u32, is_d16: bool) -> Option<(u32, Function)> {
    let is = |numeric, bits, count| surface.format.numeric == numeric && is_even(surface, bits, count);
    let is_dwords = |count| [Numeric::Float, Numeric::Uint, Numeric::Sint].into_iter().any(|numeric| is(numeric, 32, count));
    let functions = match surface.format.layout {
        Layout::Plain if is_d16 => return Some((ALL, Function::Store(store_offsets(level)?))),
        _ if is(Numeric::Unorm, 8, 4) => storers::<PackBytes>(),
        _ if is(Numeric::Float, 16, 2) => storers::<PackHalves<2>>(),
        _ if is(Numeric::Float, 16, 4) => storers::<PackHalves<4>>(),
        _ if is_dwords(1) => storers::<PackDwords<1>>(),
        _ if is_dwords(2) => storers::<PackDwords<2>>(),
        _ if is_dwords(4) => storers::<PackDwords<4>>(),
        _ => return Some((ALL, Function::Store(store_offsets(level)?))),
    };
    first_with(needs, level, &functions)
}
