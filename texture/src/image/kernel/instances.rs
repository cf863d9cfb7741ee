//! The functions of kernels, compiled for both vector levels and for each kind of texel.

use super::channels::Channels;
use super::direct::{PackBytes, PackDwords, PackHalves};
use super::texels::{Blocks, Bytes, Dwords, Halves, Srgb};
use super::{Call, Kernel, direct, load, sample};
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
    sample_bytes(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Bytes, false];
    sample_blocks(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Blocks, false];
    sample_srgb(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Srgb, false];
    sample_half1(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Halves<1>, false];
    sample_half2(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Halves<2>, false];
    sample_half4(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Halves<4>, false];
    sample_dword1(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Dwords<1>, false];
    sample_dword2(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Dwords<2>, false];
    sample_dword4(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Dwords<4>, false];
    sample_channels(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Channels, false];
    sample_any_bytes(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Bytes, true];
    sample_any_blocks(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Blocks, true];
    sample_any(k: &Kernel, call: &Call, wave: &mut Wave) = sample::sample, [, Channels, true];
    load_bytes(k: &Kernel, call: &Call, wave: &mut Wave) = load::load, [, Bytes];
    load_blocks(k: &Kernel, call: &Call, wave: &mut Wave) = load::load, [, Blocks];
    load_dword4(k: &Kernel, call: &Call, wave: &mut Wave) = load::load, [, Dwords<4>];
    load_any(k: &Kernel, call: &Call, wave: &mut Wave) = load::load, [, Channels];
    direct_sample_bytes(k: &Kernel, call: &Call, wave: &mut Wave) = direct::sample, [, Bytes, true];
    direct_levels_bytes(k: &Kernel, call: &Call, wave: &mut Wave) = direct::sample, [, Bytes, false];
    direct_sample_srgb(k: &Kernel, call: &Call, wave: &mut Wave) = direct::sample, [, Srgb, true];
    direct_levels_srgb(k: &Kernel, call: &Call, wave: &mut Wave) = direct::sample, [, Srgb, false];
    direct_sample_half1(k: &Kernel, call: &Call, wave: &mut Wave) = direct::sample, [, Halves<1>, true];
    direct_levels_half1(k: &Kernel, call: &Call, wave: &mut Wave) = direct::sample, [, Halves<1>, false];
    direct_sample_half2(k: &Kernel, call: &Call, wave: &mut Wave) = direct::sample, [, Halves<2>, true];
    direct_levels_half2(k: &Kernel, call: &Call, wave: &mut Wave) = direct::sample, [, Halves<2>, false];
    direct_sample_half4(k: &Kernel, call: &Call, wave: &mut Wave) = direct::sample, [, Halves<4>, true];
    direct_levels_half4(k: &Kernel, call: &Call, wave: &mut Wave) = direct::sample, [, Halves<4>, false];
    direct_sample_dword1(k: &Kernel, call: &Call, wave: &mut Wave) = direct::sample, [, Dwords<1>, true];
    direct_levels_dword1(k: &Kernel, call: &Call, wave: &mut Wave) = direct::sample, [, Dwords<1>, false];
    direct_sample_dword2(k: &Kernel, call: &Call, wave: &mut Wave) = direct::sample, [, Dwords<2>, true];
    direct_levels_dword2(k: &Kernel, call: &Call, wave: &mut Wave) = direct::sample, [, Dwords<2>, false];
    direct_sample_dword4(k: &Kernel, call: &Call, wave: &mut Wave) = direct::sample, [, Dwords<4>, true];
    direct_levels_dword4(k: &Kernel, call: &Call, wave: &mut Wave) = direct::sample, [, Dwords<4>, false];
    direct_sample_channels(k: &Kernel, call: &Call, wave: &mut Wave) = direct::sample, [, Channels, true];
    direct_levels_channels(k: &Kernel, call: &Call, wave: &mut Wave) = direct::sample, [, Channels, false];
    direct_load_bytes(k: &Kernel, call: &Call, wave: &mut Wave) = direct::load, [, Bytes];
    direct_load_srgb(k: &Kernel, call: &Call, wave: &mut Wave) = direct::load, [, Srgb];
    direct_load_half1(k: &Kernel, call: &Call, wave: &mut Wave) = direct::load, [, Halves<1>];
    direct_load_half2(k: &Kernel, call: &Call, wave: &mut Wave) = direct::load, [, Halves<2>];
    direct_load_half4(k: &Kernel, call: &Call, wave: &mut Wave) = direct::load, [, Halves<4>];
    direct_load_dword1(k: &Kernel, call: &Call, wave: &mut Wave) = direct::load, [, Dwords<1>];
    direct_load_dword2(k: &Kernel, call: &Call, wave: &mut Wave) = direct::load, [, Dwords<2>];
    direct_load_dword4(k: &Kernel, call: &Call, wave: &mut Wave) = direct::load, [, Dwords<4>];
    direct_load_channels(k: &Kernel, call: &Call, wave: &mut Wave) = direct::load, [, Channels];
    direct_store_bytes(k: &Kernel, call: &Call, wave: &mut Wave) = direct::store, [, PackBytes];
    direct_store_half2(k: &Kernel, call: &Call, wave: &mut Wave) = direct::store, [, PackHalves<2>];
    direct_store_half4(k: &Kernel, call: &Call, wave: &mut Wave) = direct::store, [, PackHalves<4>];
    direct_store_dword1(k: &Kernel, call: &Call, wave: &mut Wave) = direct::store, [, PackDwords<1>];
    direct_store_dword2(k: &Kernel, call: &Call, wave: &mut Wave) = direct::store, [, PackDwords<2>];
    direct_store_dword4(k: &Kernel, call: &Call, wave: &mut Wave) = direct::store, [, PackDwords<4>];
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

/// The sampling function of a surface; `is_general`: with all that samplers can ask for.
pub(super) fn sampler(surface: &Surface, level: HostLevel, is_general: bool) -> Option<Run> {
    let is_bytes = surface.is_bytes();
    let is = |numeric, bits, count| surface.format.numeric == numeric && is_even(surface, bits, count);
    let choose = match surface.format.layout {
        Layout::Block(_) if is_general => sample_any_blocks,
        Layout::Block(_) => sample_blocks,
        _ if is_bytes && is_general => sample_any_bytes,
        _ if is_bytes => sample_bytes,
        _ if is_general => sample_any,
        _ if is(Numeric::Srgb, 8, 4) => sample_srgb,
        _ if is(Numeric::Float, 16, 1) => sample_half1,
        _ if is(Numeric::Float, 16, 2) => sample_half2,
        _ if is(Numeric::Float, 16, 4) => sample_half4,
        _ if is(Numeric::Float, 32, 1) => sample_dword1,
        _ if is(Numeric::Float, 32, 2) => sample_dword2,
        _ if is(Numeric::Float, 32, 4) => sample_dword4,
        _ => sample_channels,
    };
    choose(level)
}

/// The loading function of a surface.
pub(super) fn loader(surface: &Surface, level: HostLevel) -> Option<Run> {
    let choose = match surface.format.layout {
        Layout::Block(_) => load_blocks,
        _ if surface.is_bytes() => load_bytes,
        _ if surface.format.numeric == Numeric::Float && is_even(surface, 32, 4) => load_dword4,
        _ => load_any,
    };
    choose(level)
}

/// Short forms by instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direct {
    /// A sample of the first level.
    Sample,
    /// A sample whose lanes choose levels.
    SampleLevels,
    Load,
}

/// The short form of a sampler or load instruction, of which the kernel has the parts.
pub(super) fn direct(surface: &Surface, level: HostLevel, form: Direct) -> Option<Run> {
    let is = |numeric, bits, count| surface.format.numeric == numeric && is_even(surface, bits, count);
    let is_load = form == Direct::Load;
    let is_dwords = |count| is(Numeric::Float, 32, count) || is_load && (is(Numeric::Uint, 32, count) || is(Numeric::Sint, 32, count));
    let [of_sample, of_levels, of_load]: [fn(HostLevel) -> Option<Run>; 3] = match surface.format.layout {
        Layout::Block(_) => return None,
        _ if surface.is_bytes() => [direct_sample_bytes, direct_levels_bytes, direct_load_bytes],
        _ if is(Numeric::Srgb, 8, 4) => [direct_sample_srgb, direct_levels_srgb, direct_load_srgb],
        _ if is(Numeric::Float, 16, 1) => [direct_sample_half1, direct_levels_half1, direct_load_half1],
        _ if is(Numeric::Float, 16, 2) => [direct_sample_half2, direct_levels_half2, direct_load_half2],
        _ if is(Numeric::Float, 16, 4) => [direct_sample_half4, direct_levels_half4, direct_load_half4],
        _ if is_dwords(1) => [direct_sample_dword1, direct_levels_dword1, direct_load_dword1],
        _ if is_dwords(2) => [direct_sample_dword2, direct_levels_dword2, direct_load_dword2],
        _ if is_dwords(4) => [direct_sample_dword4, direct_levels_dword4, direct_load_dword4],
        _ => [direct_sample_channels, direct_levels_channels, direct_load_channels],
    };
    match form {
        Direct::Sample => of_sample(level),
        Direct::SampleLevels => of_levels(level),
        Direct::Load => of_load(level),
    }
}

/// The short form of a store, of which the kernel has the parts.
pub(super) fn direct_store(surface: &Surface, level: HostLevel) -> Option<Run> {
    let is = |numeric, bits, count| surface.format.numeric == numeric && is_even(surface, bits, count);
    let is_dwords = |count| [Numeric::Float, Numeric::Uint, Numeric::Sint].into_iter().any(|numeric| is(numeric, 32, count));
    let choose = match surface.format.layout {
        Layout::Block(_) => return None,
        _ if is(Numeric::Unorm, 8, 4) => direct_store_bytes,
        _ if is(Numeric::Float, 16, 2) => direct_store_half2,
        _ if is(Numeric::Float, 16, 4) => direct_store_half4,
        _ if is_dwords(1) => direct_store_dword1,
        _ if is_dwords(2) => direct_store_dword2,
        _ if is_dwords(4) => direct_store_dword4,
        _ => return None,
    };
    choose(level)
}

/// The function that says where a store goes.
pub(super) fn storer(level: HostLevel) -> Option<Offsets> {
    store_offsets(level)
}
