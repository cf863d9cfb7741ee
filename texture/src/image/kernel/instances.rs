//! The functions of kernels, compiled for both vector levels and for each kind of texel.

use super::channels::Channels;
use super::has::{ALL, LEVELS, LINEAR, SHAPES, SPECIAL};
use super::pack::{PackBytes, PackDwords, PackHalves};
use super::texels::{Blocks, Bytes, Dwords, Halves, Srgb};
use super::{Call, Function, Kernel, load, sample};
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

/// Functions that choose between two instances; the portable level has none.
macro_rules! instances {
    ($($name:ident($($arg:ident: $ty:ty),*) = $function:ident::$generic:ident, [$($texels:tt)*];)*) => {
        $(
            fn $name(level: HostLevel) -> Option<unsafe fn($($ty),*) -> u64> {
                #[target_feature(enable = "avx2,fma,f16c")]
                unsafe fn avx2($($arg: $ty),*) -> u64 {
                    // SAFETY: this function is only reached where the processor has the features, with an image the caller vouches for.
                    unsafe { $function::$generic::<Avx2 $($texels)*>($($arg),*) }
                }
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma,f16c")]
                unsafe fn avx512($($arg: $ty),*) -> u64 {
                    // SAFETY: as above.
                    unsafe { $function::$generic::<Avx512 $($texels)*>($($arg),*) }
                }
                match level {
                    HostLevel::Baseline => None,
                    HostLevel::Avx2 => Some(avx2),
                    HostLevel::Avx512 => Some(avx512),
                }
            }
        )*
    };
}

instances! {
    sample_nearest_bytes(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Bytes, 0];
    sample_bytes(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Bytes, LINEAR];
    sample_levels_bytes(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Bytes, { LEVELS | LINEAR }];
    sample_special_bytes(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Bytes, { SPECIAL | LINEAR }];
    sample_shapes_bytes(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Bytes, { LEVELS | SHAPES | LINEAR }];
    sample_all_bytes(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Bytes, ALL];
    load_bytes(k: &Kernel, call: &Call, wave: &mut Wave) = load::load, [, Bytes, 0];
    load_all_bytes(k: &Kernel, call: &Call, wave: &mut Wave) = load::load, [, Bytes, ALL];
    sample_nearest_srgb(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Srgb, 0];
    sample_srgb(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Srgb, LINEAR];
    sample_levels_srgb(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Srgb, { LEVELS | LINEAR }];
    sample_special_srgb(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Srgb, { SPECIAL | LINEAR }];
    sample_shapes_srgb(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Srgb, { LEVELS | SHAPES | LINEAR }];
    load_srgb(k: &Kernel, call: &Call, wave: &mut Wave) = load::load, [, Srgb, 0];
    sample_nearest_half1(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Halves<1>, 0];
    sample_half1(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Halves<1>, LINEAR];
    sample_levels_half1(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Halves<1>, { LEVELS | LINEAR }];
    sample_special_half1(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Halves<1>, { SPECIAL | LINEAR }];
    sample_shapes_half1(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Halves<1>, { LEVELS | SHAPES | LINEAR }];
    load_half1(k: &Kernel, call: &Call, wave: &mut Wave) = load::load, [, Halves<1>, 0];
    sample_nearest_half2(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Halves<2>, 0];
    sample_half2(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Halves<2>, LINEAR];
    sample_levels_half2(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Halves<2>, { LEVELS | LINEAR }];
    sample_special_half2(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Halves<2>, { SPECIAL | LINEAR }];
    sample_shapes_half2(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Halves<2>, { LEVELS | SHAPES | LINEAR }];
    load_half2(k: &Kernel, call: &Call, wave: &mut Wave) = load::load, [, Halves<2>, 0];
    sample_nearest_half4(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Halves<4>, 0];
    sample_half4(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Halves<4>, LINEAR];
    sample_levels_half4(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Halves<4>, { LEVELS | LINEAR }];
    sample_special_half4(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Halves<4>, { SPECIAL | LINEAR }];
    sample_shapes_half4(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Halves<4>, { LEVELS | SHAPES | LINEAR }];
    load_half4(k: &Kernel, call: &Call, wave: &mut Wave) = load::load, [, Halves<4>, 0];
    sample_nearest_dword1(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Dwords<1>, 0];
    sample_dword1(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Dwords<1>, LINEAR];
    sample_levels_dword1(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Dwords<1>, { LEVELS | LINEAR }];
    sample_special_dword1(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Dwords<1>, { SPECIAL | LINEAR }];
    sample_shapes_dword1(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Dwords<1>, { LEVELS | SHAPES | LINEAR }];
    load_dword1(k: &Kernel, call: &Call, wave: &mut Wave) = load::load, [, Dwords<1>, 0];
    sample_nearest_dword2(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Dwords<2>, 0];
    sample_dword2(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Dwords<2>, LINEAR];
    sample_levels_dword2(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Dwords<2>, { LEVELS | LINEAR }];
    sample_special_dword2(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Dwords<2>, { SPECIAL | LINEAR }];
    sample_shapes_dword2(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Dwords<2>, { LEVELS | SHAPES | LINEAR }];
    load_dword2(k: &Kernel, call: &Call, wave: &mut Wave) = load::load, [, Dwords<2>, 0];
    sample_nearest_dword4(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Dwords<4>, 0];
    sample_dword4(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Dwords<4>, LINEAR];
    sample_levels_dword4(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Dwords<4>, { LEVELS | LINEAR }];
    sample_special_dword4(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Dwords<4>, { SPECIAL | LINEAR }];
    sample_shapes_dword4(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Dwords<4>, { LEVELS | SHAPES | LINEAR }];
    load_dword4(k: &Kernel, call: &Call, wave: &mut Wave) = load::load, [, Dwords<4>, 0];
    load_all_dword4(k: &Kernel, call: &Call, wave: &mut Wave) = load::load, [, Dwords<4>, ALL];
    sample_nearest_channels(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Channels, 0];
    sample_channels(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Channels, LINEAR];
    sample_levels_channels(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Channels, { LEVELS | LINEAR }];
    sample_special_channels(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Channels, { SPECIAL | LINEAR }];
    sample_shapes_channels(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Channels, { LEVELS | SHAPES | LINEAR }];
    sample_all_channels(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Channels, ALL];
    load_channels(k: &Kernel, call: &Call, wave: &mut Wave) = load::load, [, Channels, 0];
    load_all_channels(k: &Kernel, call: &Call, wave: &mut Wave) = load::load, [, Channels, ALL];
    sample_shapes_blocks(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Blocks, { LEVELS | SHAPES | LINEAR }];
    sample_all_blocks(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Blocks, ALL];
    load_all_blocks(k: &Kernel, call: &Call, wave: &mut Wave) = load::load, [, Blocks, ALL];
    store_bytes(k: &Kernel, call: &Call, wave: &mut Wave) = load::store, [, PackBytes, 0];
    store_all_bytes(k: &Kernel, call: &Call, wave: &mut Wave) = load::store, [, PackBytes, ALL];
    store_half2(k: &Kernel, call: &Call, wave: &mut Wave) = load::store, [, PackHalves<2>, 0];
    store_all_half2(k: &Kernel, call: &Call, wave: &mut Wave) = load::store, [, PackHalves<2>, ALL];
    store_half4(k: &Kernel, call: &Call, wave: &mut Wave) = load::store, [, PackHalves<4>, 0];
    store_all_half4(k: &Kernel, call: &Call, wave: &mut Wave) = load::store, [, PackHalves<4>, ALL];
    store_dword1(k: &Kernel, call: &Call, wave: &mut Wave) = load::store, [, PackDwords<1>, 0];
    store_all_dword1(k: &Kernel, call: &Call, wave: &mut Wave) = load::store, [, PackDwords<1>, ALL];
    store_dword2(k: &Kernel, call: &Call, wave: &mut Wave) = load::store, [, PackDwords<2>, 0];
    store_all_dword2(k: &Kernel, call: &Call, wave: &mut Wave) = load::store, [, PackDwords<2>, ALL];
    store_dword4(k: &Kernel, call: &Call, wave: &mut Wave) = load::store, [, PackDwords<4>, 0];
    store_all_dword4(k: &Kernel, call: &Call, wave: &mut Wave) = load::store, [, PackDwords<4>, ALL];
    store_offsets(k: &Kernel, operands: &Operands, wave: &Wave, out: &mut [u32; 64]) = load::offsets, [];
}

/// Are all channels of so many bits, side by side without gaps?
fn is_even(surface: &Surface, bits: u8, count: usize) -> bool {
    let channels = &surface.format.channels;
    surface.format.layout == Layout::Plain
        && channels.iter().filter(|c| c.bits != 0).count() == count
        && usize::from(surface.format.bytes) * 8 == usize::from(bits) * count
        && (0..count).all(|c| channels[c].bits == bits && usize::from(channels[c].shift) == c * usize::from(bits))
}

/// Makes a function for a vector level.
type Choose = fn(HostLevel) -> Option<Run>;

/// The first of some functions that has all that is needed.
fn first_with(needs: u32, level: HostLevel, functions: &[(u32, Choose)]) -> Option<(u32, Function)> {
    let (has, choose) = functions.iter().find(|(has, _)| needs & !has == 0)?;
    Some((*has, Function::Run(choose(level)?)))
}

/// The sampling function of a surface with all that is needed of [`super::has`], and what it has.
pub(super) fn sampler(surface: &Surface, level: HostLevel, needs: u32) -> Option<(u32, Function)> {
    const SETS: [u32; 5] = [0, LINEAR, LEVELS | LINEAR, SPECIAL | LINEAR, LEVELS | SHAPES | LINEAR];
    let is = |numeric, bits, count| surface.format.numeric == numeric && is_even(surface, bits, count);
    let [nearest, common, levels, special, shapes]: [Choose; 5] = match surface.format.layout {
        Layout::Block(_) => {
            return first_with(needs, level, &[(SETS[4], sample_shapes_blocks), (ALL, sample_all_blocks)]);
        }
        _ if surface.is_bytes() => [sample_nearest_bytes, sample_bytes, sample_levels_bytes, sample_special_bytes, sample_shapes_bytes],
        _ if is(Numeric::Srgb, 8, 4) => [sample_nearest_srgb, sample_srgb, sample_levels_srgb, sample_special_srgb, sample_shapes_srgb],
        _ if is(Numeric::Float, 16, 1) => {
            [sample_nearest_half1, sample_half1, sample_levels_half1, sample_special_half1, sample_shapes_half1]
        }
        _ if is(Numeric::Float, 16, 2) => {
            [sample_nearest_half2, sample_half2, sample_levels_half2, sample_special_half2, sample_shapes_half2]
        }
        _ if is(Numeric::Float, 16, 4) => {
            [sample_nearest_half4, sample_half4, sample_levels_half4, sample_special_half4, sample_shapes_half4]
        }
        _ if is(Numeric::Float, 32, 1) => {
            [sample_nearest_dword1, sample_dword1, sample_levels_dword1, sample_special_dword1, sample_shapes_dword1]
        }
        _ if is(Numeric::Float, 32, 2) => {
            [sample_nearest_dword2, sample_dword2, sample_levels_dword2, sample_special_dword2, sample_shapes_dword2]
        }
        _ if is(Numeric::Float, 32, 4) => {
            [sample_nearest_dword4, sample_dword4, sample_levels_dword4, sample_special_dword4, sample_shapes_dword4]
        }
        _ => [sample_nearest_channels, sample_channels, sample_levels_channels, sample_special_channels, sample_shapes_channels],
    };
    let all: Choose = if surface.is_bytes() { sample_all_bytes } else { sample_all_channels };
    let functions = [nearest, common, levels, special, shapes, all];
    let sets = SETS.into_iter().chain([ALL]);
    first_with(needs, level, &sets.zip(functions).collect::<Vec<_>>())
}

/// The loading function of a surface.
pub(super) fn loader(surface: &Surface, level: HostLevel, needs: u32) -> Option<(u32, Function)> {
    let is = |numeric, bits, count| surface.format.numeric == numeric && is_even(surface, bits, count);
    let is_dwords = |count| [Numeric::Float, Numeric::Uint, Numeric::Sint].into_iter().any(|numeric| is(numeric, 32, count));
    let [common, all]: [Choose; 2] = match surface.format.layout {
        Layout::Block(_) => [load_all_blocks; 2],
        _ if surface.is_bytes() => [load_bytes, load_all_bytes],
        _ if is(Numeric::Srgb, 8, 4) => [load_srgb, load_all_channels],
        _ if is(Numeric::Float, 16, 1) => [load_half1, load_all_channels],
        _ if is(Numeric::Float, 16, 2) => [load_half2, load_all_channels],
        _ if is(Numeric::Float, 16, 4) => [load_half4, load_all_channels],
        _ if is_dwords(1) => [load_dword1, load_all_channels],
        _ if is_dwords(2) => [load_dword2, load_all_channels],
        _ if is_dwords(4) => [load_dword4, load_all_dword4],
        _ => [load_channels, load_all_channels],
    };
    first_with(needs, level, &[(0, common), (ALL, all)])
}

/// The storing function of a surface, or the one that says where a store goes.
pub(super) fn storer(surface: &Surface, level: HostLevel, needs: u32, is_d16: bool) -> Option<(u32, Function)> {
    let is = |numeric, bits, count| surface.format.numeric == numeric && is_even(surface, bits, count);
    let is_dwords = |count| [Numeric::Float, Numeric::Uint, Numeric::Sint].into_iter().any(|numeric| is(numeric, 32, count));
    let [common, all]: [Choose; 2] = match surface.format.layout {
        Layout::Plain if is_d16 => return Some((ALL, Function::Store(store_offsets(level)?))),
        _ if is(Numeric::Unorm, 8, 4) => [store_bytes, store_all_bytes],
        _ if is(Numeric::Float, 16, 2) => [store_half2, store_all_half2],
        _ if is(Numeric::Float, 16, 4) => [store_half4, store_all_half4],
        _ if is_dwords(1) => [store_dword1, store_all_dword1],
        _ if is_dwords(2) => [store_dword2, store_all_dword2],
        _ if is_dwords(4) => [store_dword4, store_all_dword4],
        _ => return Some((ALL, Function::Store(store_offsets(level)?))),
    };
    first_with(needs, level, &[(0, common), (ALL, all)])
}
