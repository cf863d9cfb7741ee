//! Colors as pixel shaders export them: rows of dwords to rows of components (graphics.md 4.6).

use crate::registers::pixel::ExportFormat;
use wavejit_texture::format::halves_to_floats;

/// Lanes of the largest wave.
pub(crate) const LANES: usize = 64;

/// R, G, B, A of each lane: bits of floats, or integers.
pub(crate) type Rows = [[u32; LANES]; 4];

/// Bits of a half as those of a float.
#[inline(always)]
fn half(bits: u32) -> u32 {
    // The exponent is put right by a product, which does denormals too.
    let value = f32::from_bits((bits & 0x7fff) << 13) * f32::from_bits((254 - 15) << 23);
    let is_special = bits & 0x7c00 == 0x7c00;
    let magnitude = value.to_bits() | if is_special { 0xff << 23 } else { 0 };
    magnitude | (bits & 0x8000) << 16
}

/// The four components of an exported color. Those that are missing are 0.
pub(crate) fn unpack(format: ExportFormat, data: [&[u32]; 4], rows: &mut Rows) {
    let pairs = |rows: &mut Rows, convert: fn(u32) -> u32| {
        for (n, row) in rows.iter_mut().enumerate() {
            let (from, shift) = (data[n / 2], 16 * (n as u32 % 2));
            fill(row, from, |v| convert(v >> shift & 0xffff));
        }
    };
    match format {
        ExportFormat::Zero => rows.iter_mut().for_each(|row| row.fill(0)),
        ExportFormat::Fp16 => {
            let [r, g, b, a] = rows;
            for ((low, high), from) in [(r, g), (b, a)].into_iter().zip(data) {
                match from.first_chunk() {
                    Some(from) => halves_to_floats(from, low, high),
                    None => {
                        let mut padded = [0; LANES];
                        padded[..from.len()].copy_from_slice(from);
                        halves_to_floats(&padded, low, high);
                    }
                }
            }
        }
        ExportFormat::Unorm16 => pairs(rows, |v| (v as f32 / 65535.0).to_bits()),
        ExportFormat::Snorm16 => pairs(rows, |v| (f32::from(v as u16 as i16) / 32767.0).max(-1.0).to_bits()),
        ExportFormat::Uint16 => pairs(rows, |v| v),
        ExportFormat::Sint16 => pairs(rows, |v| i32::from(v as u16 as i16) as u32),
        ExportFormat::R32 | ExportFormat::Gr32 | ExportFormat::Ar32 | ExportFormat::Abgr32 => {
            let from: [Option<usize>; 4] = match format {
                ExportFormat::R32 => [Some(0), None, None, None],
                ExportFormat::Gr32 => [Some(0), Some(1), None, None],
                ExportFormat::Ar32 => [Some(0), None, None, Some(1)],
                _ => [Some(0), Some(1), Some(2), Some(3)],
            };
            for (row, from) in rows.iter_mut().zip(from) {
                fill(row, from.map_or(&[][..], |n| data[n]), |v| v);
            }
        }
    }
}

#[inline(always)]
fn fill(row: &mut [u32; LANES], from: &[u32], convert: impl Fn(u32) -> u32) {
    let count = from.len().min(LANES);
    row.iter_mut().zip(from).for_each(|(to, v)| *to = convert(*v));
    row[count..].fill(0);
}

/// What a shader exports besides colors: target 8.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct DepthExport {
    pub z: [f32; LANES],
    pub stencil: [u8; LANES],
    pub mask: [u16; LANES],
    pub alpha: [f32; LANES],
}

impl DepthExport {
    /// Of the dwords of an export in one of the formats of SPI_SHADER_Z_FORMAT.
    pub(crate) fn unpack(format: ExportFormat, data: [&[u32]; 4]) -> DepthExport {
        let mut all = DepthExport { z: [0.0; LANES], stencil: [0; LANES], mask: [u16::MAX; LANES], alpha: [0.0; LANES] };
        let get = |n: usize, lane: usize| data[n].get(lane).copied();
        for lane in 0..LANES {
            if format == ExportFormat::Uint16 {
                let (x, y) = (get(0, lane).unwrap_or(0), get(1, lane));
                all.stencil[lane] = (x >> 16) as u8;
                if let Some(y) = y {
                    all.mask[lane] = y as u16;
                    all.alpha[lane] = f32::from_bits(half(y >> 16));
                }
                continue;
            }
            all.z[lane] = f32::from_bits(get(0, lane).unwrap_or(0));
            if format == ExportFormat::Ar32 {
                all.alpha[lane] = f32::from_bits(get(1, lane).unwrap_or(0));
                continue;
            }
            all.stencil[lane] = get(1, lane).unwrap_or(0) as u8;
            all.mask[lane] = get(2, lane).map_or(u16::MAX, |v| v as u16);
            all.alpha[lane] = f32::from_bits(get(3, lane).unwrap_or(0));
        }
        all
    }
}

/// Sources 0 and 1 of blending from targets 21 and 22: pairs of lanes have the two sources of one pixel (graphics.md 4.6).
pub(crate) fn two_sources(first: &Rows, second: &Rows) -> [Rows; 2] {
    let mut sources = [[[0; LANES]; 4]; 2];
    for c in 0..4 {
        for pair in 0..LANES / 2 {
            for (n, source) in sources.iter_mut().enumerate() {
                source[c][2 * pair] = first[c][2 * pair + n];
                source[c][2 * pair + 1] = second[c][2 * pair + n];
            }
        }
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;

    // IEEE 754: halves with a sign, denormals, infinity and NaN.
    #[test]
    fn halves_are_floats_of_the_same_value() {
        let cases = [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x0001, 5.960_464_5e-8),
            (0x03ff, 6.097_555e-5),
            (0x7bff, 65504.0),
            (0x7c00, f32::INFINITY),
            (0x8000, -0.0),
        ];
        for (bits, value) in cases {
            assert_eq!(half(bits), f32::to_bits(value), "{bits:#x}");
        }
        assert!(f32::from_bits(half(0x7e00)).is_nan());
    }

    // graphics.md 4.6: x = {G, R}, y = {A, B}; 32_AR has alpha in y.
    #[test]
    fn components_are_where_the_format_has_them() {
        let mut rows = [[9; LANES]; 4];
        let data = [[0x4000_3c00; 4], [0x3800_4200; 4], [7; 4], [8; 4]];
        let data = [0, 1, 2, 3].map(|n| &data[n][..]);
        let first = |rows: &Rows| [0, 1, 2, 3].map(|c| rows[c][3]);
        unpack(ExportFormat::Fp16, data, &mut rows);
        assert_eq!(first(&rows), [1.0f32, 2.0, 3.0, 0.5].map(f32::to_bits));
        assert_eq!(rows[0][4], 0, "lanes that are not there");
        unpack(ExportFormat::Ar32, data, &mut rows);
        assert_eq!(first(&rows), [0x4000_3c00, 0, 0, 0x3800_4200]);
        unpack(ExportFormat::Sint16, [&[0xffff_0001], &[0x8000_7fff], &[], &[]], &mut rows);
        assert_eq!([0, 1, 2, 3].map(|c| rows[c][0] as i32), [1, -1, 32767, -32768]);
        unpack(ExportFormat::Unorm16, [&[0xffff_0000], &[], &[], &[]], &mut rows);
        assert_eq!([0, 1, 2, 3].map(|c| f32::from_bits(rows[c][0])), [0.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn pairs_of_lanes_have_two_sources() {
        let row = |base: u32| [std::array::from_fn(|lane| base + lane as u32); 4];
        let [source0, source1] = two_sources(&row(100), &row(200));
        assert_eq!((source0[0][..4].to_vec(), source1[0][..4].to_vec()), (vec![100, 200, 102, 202], vec![101, 201, 103, 203]));
    }

    #[test]
    fn depth_exports_have_three_layouts() {
        let wide = DepthExport::unpack(ExportFormat::Abgr32, [&[0.5f32.to_bits()], &[7], &[3], &[1.0f32.to_bits()]]);
        assert_eq!((wide.z[0], wide.stencil[0], wide.mask[0], wide.alpha[0]), (0.5, 7, 3, 1.0));
        let narrow = DepthExport::unpack(ExportFormat::Uint16, [&[0x0009_0000], &[0x3c00_0002], &[], &[]]);
        assert_eq!((narrow.stencil[0], narrow.mask[0], narrow.alpha[0]), (9, 2, 1.0));
        // Alpha to coverage with Mesa 25: 32_AR, and alpha in y as for colors.
        let alpha = DepthExport::unpack(ExportFormat::Ar32, [&[0], &[0.25f32.to_bits()], &[], &[]]);
        assert_eq!((alpha.stencil[0], alpha.mask[0], alpha.alpha[0]), (0, u16::MAX, 0.25));
    }
}
