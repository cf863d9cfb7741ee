//! Samplers.

use super::super::bad;
use super::call;
use super::device::device;
use super::handles::{Handle, Handles};
use super::structs::{self, c_struct};
use std::sync::Arc;
use wavejit::{BorderColor, Clamp, Compare, Error, Filter, MipFilter, Sampler, SamplerDesc};

/// `WAVEJIT2_SAMPLER_UNNORMALIZED`.
const UNNORMALIZED: u32 = 1;
/// `WAVEJIT2_BORDER_COLOR`: the color is in `border_color`.
const BORDER_OF_ITS_OWN: u32 = 3;

c_struct! {
    /// `wavejit2_sampler_desc`.
    CSamplerDesc = "wavejit2_sampler_desc" {
        size: u32,
        flags: u32,
        mag: u32,
        min: u32,
        mip: u32,
        clamp: [u32; 3],
        border: u32,
        border_color: [f32; 4],
        min_lod: f32,
        max_lod: f32,
        lod_bias: f32,
        max_anisotropy: u32,
        compare: u32,
    }
}

static SAMPLERS: Handles<Sampler> = Handles::new("sampler");

const FILTERS: [Filter; 2] = [Filter::Point, Filter::Linear];
const MIP_FILTERS: [MipFilter; 3] = [MipFilter::None, MipFilter::Point, MipFilter::Linear];
const CLAMPS: [Clamp; 6] = [Clamp::Edge, Clamp::Wrap, Clamp::Mirror, Clamp::MirrorOnceEdge, Clamp::Border, Clamp::MirrorOnceBorder];
const BORDERS: [BorderColor; 3] = [BorderColor::TransparentBlack, BorderColor::OpaqueBlack, BorderColor::OpaqueWhite];
const COMPARES: [Compare; 8] = [
    Compare::Never,
    Compare::Less,
    Compare::Equal,
    Compare::LessEqual,
    Compare::Greater,
    Compare::NotEqual,
    Compare::GreaterEqual,
    Compare::Always,
];

/// The sampler of a handle.
pub(super) fn sampler(handle: Handle) -> Result<Arc<Sampler>, Error> {
    SAMPLERS.get(handle)
}

fn named<T: Copy>(what: &str, table: &[T], number: u32) -> Result<T, Error> {
    table
        .get(number as usize)
        .copied()
        .ok_or_else(|| bad(&format!("wavejit2_sampler_desc.{what} {number}: expected less than {}", table.len())))
}

fn described(device: &wavejit::Device, desc: &CSamplerDesc) -> Result<SamplerDesc, Error> {
    if desc.flags & !UNNORMALIZED != 0 {
        return Err(bad(&format!("wavejit2_sampler_desc.flags {:#x} has bits that are not known", desc.flags)));
    }
    let border = match desc.border {
        BORDER_OF_ITS_OWN => device.border_color(desc.border_color)?,
        other => named("border", &BORDERS, other)?,
    };
    let mut clamp = [Clamp::Edge; 3];
    for (to, from) in clamp.iter_mut().zip(desc.clamp) {
        *to = named("clamp", &CLAMPS, from)?;
    }
    Ok(SamplerDesc {
        mag: named("mag", &FILTERS, desc.mag)?,
        min: named("min", &FILTERS, desc.min)?,
        mip: named("mip", &MIP_FILTERS, desc.mip)?,
        clamp,
        border,
        lod: (desc.min_lod, if desc.max_lod == 0.0 { SamplerDesc::default().lod.1 } else { desc.max_lod }),
        bias: desc.lod_bias,
        max_anisotropy: desc.max_anisotropy.max(1),
        compare: named("compare", &COMPARES, desc.compare)?,
        unnormalized: desc.flags & UNNORMALIZED != 0,
        ..Default::default()
    })
}

/// `int32_t wavejit2_sampler_open(wavejit2_device device, const wavejit2_sampler_desc *desc, wavejit2_sampler *out)`
///
/// # Safety
/// `desc` is null or a structure of the size that it says; `out` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_sampler_open(handle: Handle, desc: *const CSamplerDesc, out: *mut Handle) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for the place and the structure.
        let desc = unsafe {
            structs::place(out)?;
            structs::read(desc)?
        };
        let opened = device(handle)?;
        let sampler = opened.device.sampler(&described(&opened.device, &desc)?)?;
        // SAFETY: as above.
        unsafe { structs::put(out, SAMPLERS.add(sampler))? };
        Ok(())
    })
}

/// `int32_t wavejit2_sampler_close(wavejit2_sampler sampler)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_sampler_close(handle: Handle) -> i32 {
    call(|| {
        SAMPLERS.close(handle)?;
        Ok(())
    })
}

/// `int32_t wavejit2_sampler_descriptor(wavejit2_sampler sampler, uint32_t words[4], uint64_t *address)`
///
/// # Safety
/// `words` is null or has four writable numbers; `address` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_sampler_descriptor(handle: Handle, words: *mut [u32; 4], address: *mut u64) -> i32 {
    call(|| {
        let sampler = sampler(handle)?;
        // SAFETY: the caller vouches for both places.
        unsafe {
            structs::put(words, sampler.descriptor())?;
            structs::put(address, sampler.descriptor_address())?;
        }
        Ok(())
    })
}
