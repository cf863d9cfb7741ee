//! Formats of images that a [`Device`](crate::Device) makes: names for the common ones, each a number of every generation that has it.

use wavejit_texture::format::{Format, FormatNumber};
use wavejit_texture::{Generation, descriptor::DstSel};

/// A format by its plain name: channels, bits of a channel, kind of number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // the names say it
pub enum ImageFormat {
    R8,
    Rg8,
    Rgba8,
    Rgba8Snorm,
    Rgba8Srgb,
    R8Uint,
    Rgba8Uint,
    R16,
    Rgba16,
    R16Float,
    Rg16Float,
    Rgba16Float,
    R32Uint,
    R32Sint,
    R32Float,
    Rg32Float,
    Rgba32Uint,
    Rgba32Float,
    /// Red in the lowest ten bits, two bits of alpha at the top.
    Rgb10A2,
    /// Floats of 11, 11 and 10 bits without signs.
    Rg11B10Float,
    /// A common exponent.
    Rgb9E5,
    Bc1,
    Bc3,
    Bc4,
    Bc5,
    Bc6h,
    Bc7,
}

use ImageFormat::*;

/// What there is to know of a format.
struct FormatEntry {
    format: ImageFormat,
    name: &'static str,
    /// As manuals name it.
    number: &'static str,
    /// `hsa_ext_image_channel_type_t` and `hsa_ext_image_channel_order_t`, which OpenCL's get_image_channel_* read; 0 where HSA has none.
    hsa: [u32; 2],
}

const fn entry(format: ImageFormat, name: &'static str, number: &'static str, hsa: [u32; 2]) -> FormatEntry {
    FormatEntry { format, name, number, hsa }
}

#[rustfmt::skip]
const FORMATS: &[FormatEntry] = &[
    entry(R8,           "r8",           "8_UNORM",            [2, 1]),
    entry(Rg8,          "rg8",          "8_8_UNORM",          [2, 3]),
    entry(Rgba8,        "rgba8",        "8_8_8_8_UNORM",      [2, 8]),
    entry(Rgba8Snorm,   "rgba8snorm",   "8_8_8_8_SNORM",      [0, 8]),
    entry(Rgba8Srgb,    "srgb8",        "8_8_8_8_SRGB",       [2, 14]),
    entry(R8Uint,       "r8uint",       "8_UINT",             [11, 1]),
    entry(Rgba8Uint,    "rgba8uint",    "8_8_8_8_UINT",       [11, 8]),
    entry(R16,          "r16",          "16_UNORM",           [3, 1]),
    entry(Rgba16,       "rgba16",       "16_16_16_16_UNORM",  [3, 8]),
    entry(R16Float,     "r16float",     "16_FLOAT",           [14, 1]),
    entry(Rg16Float,    "rg16float",    "16_16_FLOAT",        [14, 3]),
    entry(Rgba16Float,  "rgba16float",  "16_16_16_16_FLOAT",  [14, 8]),
    entry(R32Uint,      "r32uint",      "32_UINT",            [13, 1]),
    entry(R32Sint,      "r32sint",      "32_SINT",            [10, 1]),
    entry(R32Float,     "r32float",     "32_FLOAT",           [15, 1]),
    entry(Rg32Float,    "rg32float",    "32_32_FLOAT",        [15, 3]),
    entry(Rgba32Uint,   "rgba32uint",   "32_32_32_32_UINT",   [13, 8]),
    entry(Rgba32Float,  "rgba32float",  "32_32_32_32_FLOAT",  [15, 8]),
    entry(Rgb10A2,      "rgb10a2",      "2_10_10_10_UNORM",   [0, 0]),
    entry(Rg11B10Float, "rg11b10float", "10_11_11_FLOAT",     [0, 0]),
    entry(Rgb9E5,       "rgb9e5",       "5_9_9_9_FLOAT",      [0, 0]),
    entry(Bc1,          "bc1",          "BC1_UNORM",          [0, 0]),
    entry(Bc3,          "bc3",          "BC3_UNORM",          [0, 0]),
    entry(Bc4,          "bc4",          "BC4_UNORM",          [0, 0]),
    entry(Bc5,          "bc5",          "BC5_UNORM",          [0, 0]),
    entry(Bc6h,         "bc6h",         "BC6_UFLOAT",         [0, 0]),
    entry(Bc7,          "bc7",          "BC7_UNORM",          [0, 0]),
];

impl ImageFormat {
    fn entry(self) -> &'static FormatEntry {
        // Every format has a row (tested); the first is a fallback that is never taken.
        FORMATS.iter().find(|r| r.format == self).unwrap_or(&FORMATS[0])
    }

    /// Its name, such as `rgba8` or `r32float`.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The format of a name.
    pub fn parse(name: &str) -> Option<ImageFormat> {
        FORMATS.iter().find(|r| r.name == name).map(|r| r.format)
    }

    /// All names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FORMATS.iter().map(|r| r.name)
    }

    /// Its number on a generation, and how its elements are made up. `None`: the generation lacks it.
    pub fn number(self, generation: Generation) -> Option<(FormatNumber, &'static Format)> {
        let wanted = self.entry().number;
        let numbers: Vec<FormatNumber> = match generation {
            Generation::Gfx6 | Generation::Gfx8 | Generation::Gfx9 => {
                (1..64).flat_map(|data| (0..16).map(move |number| FormatNumber::Split { data, number })).collect()
            }
            _ => (1..512).map(FormatNumber::Unified).collect(),
        };
        numbers.into_iter().find_map(|n| Format::find(generation, n).filter(|f| f.to_string() == wanted).map(|f| (n, f)))
    }

    /// Channel type and order as HSA counts them.
    pub(super) fn hsa(self) -> [u32; 2] {
        self.entry().hsa
    }
}

/// Sources of the four components: missing colors are 0, missing alpha is 1.
pub(super) fn components(format: &Format) -> [DstSel; 4] {
    let count = format.channel_count() as u8;
    [0, 1, 2, 3].map(|c| match c {
        c if c < count => DstSel::Component(c),
        3 => DstSel::One,
        _ => DstSel::Zero,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_row_and_a_number_on_every_generation() {
        use Generation::*;
        for r in FORMATS {
            assert_eq!(r.format.name(), r.name);
            assert_eq!(ImageFormat::parse(r.name), Some(r.format));
            for generation in [Gfx6, Gfx8, Gfx9, Gfx10, Gfx103, Gfx11, Gfx12] {
                assert!(r.format.number(generation).is_some(), "{} {generation:?}", r.name);
            }
        }
    }

    // RDNA3 guide, table 52.
    #[test]
    fn numbers_of_gfx11() {
        let number = |f: ImageFormat| f.number(Generation::Gfx11).unwrap().0;
        assert_eq!(number(Rgba8), FormatNumber::Unified(42));
        assert_eq!(number(R8), FormatNumber::Unified(1));
        assert_eq!(number(Rgba32Float), FormatNumber::Unified(63));
    }
}
