//! Mip levels made of level 0: every texel is the mean of the texels of the level above that it covers.

use super::{Image, ImageKind};
use crate::error::Error;
use wavejit_texture::format::Format;

impl Image {
    /// Makes levels 1 and up from level 0. Means are of linear light (sRGB) in f32. An error for integer and compressed formats, whose
    /// texels have no mean that can be stored.
    pub fn make_levels(&self) -> Result<(), Error> {
        let format = self.format;
        if format.is_integer() || format.is_block() || self.desc.samples > 1 {
            return Err(Error::Arg(format!("mip levels of {format} images with {} samples cannot be made", self.desc.samples)));
        }
        for level in 1..self.desc.levels {
            let (Some(above), Some(size)) = (self.elements(level - 1), self.elements(level)) else { break };
            let texels = decode(format, &self.read(level - 1)?);
            self.write(level, &encode(format, &halve(&texels, above, size, self.desc.kind == ImageKind::ThreeD)))?;
        }
        Ok(())
    }
}

fn decode(format: &Format, bytes: &[u8]) -> Vec<[f32; 4]> {
    bytes.chunks_exact(format.bytes.into()).map(|b| format.decode(b).map(f32::from_bits)).collect()
}

fn encode(format: &Format, texels: &[[f32; 4]]) -> Vec<u8> {
    let mut bytes = vec![0; texels.len() * usize::from(format.bytes)];
    for (texel, out) in texels.iter().zip(bytes.chunks_exact_mut(format.bytes.into())) {
        format.encode(texel.map(f32::to_bits), out);
    }
    bytes
}

/// Means of two by two (by two) texels; the last texel stands in for one that an odd or single extent lacks.
fn halve(texels: &[[f32; 4]], above: [u32; 3], size: [u32; 3], is_volume: bool) -> Vec<[f32; 4]> {
    let at = |x: u32, y: u32, z: u32| {
        let [x, y, z] = [x.min(above[0] - 1), y.min(above[1] - 1), z.min(above[2] - 1)].map(|c| c as usize);
        texels[(z * above[1] as usize + y) * above[0] as usize + x]
    };
    let mut out = Vec::with_capacity(size.iter().product::<u32>() as usize);
    for z in 0..size[2] {
        for y in 0..size[1] {
            for x in 0..size[0] {
                let slices = if is_volume { [2 * z, 2 * z + 1] } else { [z, z] };
                let mut sum = [0.0f32; 4];
                for z in slices {
                    for (x, y) in [(2 * x, 2 * y), (2 * x + 1, 2 * y), (2 * x, 2 * y + 1), (2 * x + 1, 2 * y + 1)] {
                        sum.iter_mut().zip(at(x, y, z)).for_each(|(s, v)| *s += v);
                    }
                }
                out.push(sum.map(|s| s / 8.0));
            }
        }
    }
    out
}
