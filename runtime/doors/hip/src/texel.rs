//! Formats of texels: how many channels of which numbers, in the three ways that HIP's functions name them, and the number that image and buffer
//! descriptors know them by.

use crate::abi::ChannelDesc;
use crate::status::{Result, Status};
use wavejit::Generation;
use wavejit_texture::descriptor::DstSel;
use wavejit_texture::format::{Format, FormatNumber};

/// What a channel holds: `hipChannelFormatKind`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Signed,
    Unsigned,
    Float,
}

/// Channels of a kind and a number of bits: `hipArray_Format`.
struct ArrayFormat {
    number: i32,
    bits: u8,
    kind: Kind,
    /// `hsa_ext_image_channel_type_t` of plain values, and of those read as 0 to 1 or -1 to 1.
    hsa: [u32; 2],
}

const fn array_format(number: i32, bits: u8, kind: Kind, hsa: [u32; 2]) -> ArrayFormat {
    ArrayFormat { number, bits, kind, hsa }
}

/// All there are.
const ARRAY_FORMATS: [ArrayFormat; 8] = [
    array_format(0x01, 8, Kind::Unsigned, [11, 2]),
    array_format(0x02, 16, Kind::Unsigned, [12, 3]),
    array_format(0x03, 32, Kind::Unsigned, [13, 13]),
    array_format(0x08, 8, Kind::Signed, [8, 0]),
    array_format(0x09, 16, Kind::Signed, [9, 1]),
    array_format(0x0a, 32, Kind::Signed, [10, 10]),
    array_format(0x10, 16, Kind::Float, [14, 14]),
    array_format(0x20, 32, Kind::Float, [15, 15]),
];

/// `hsa_ext_image_channel_order_t` of one, two and four channels, and of four of sRGB.
const ORDERS: [(u8, u32); 3] = [(1, 1), (2, 3), (4, 8)];
const ORDER_SRGBA: u32 = 14;

/// Array formats in the order of `hipResourceViewFormat`, which has three numbers for each: of one, two and four channels.
const VIEW_FORMATS: [i32; 8] = [0x01, 0x08, 0x02, 0x09, 0x03, 0x0a, 0x10, 0x20];

/// A format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Texel {
    /// 1, 2 or 4.
    channels: u8,
    bits: u8,
    kind: Kind,
}

/// What a texture reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Read {
    /// The values as they are.
    Plain,
    /// Integers of 8 and 16 bits as fractions of the largest.
    Fraction,
    /// The same, of colors in sRGB where a format has them.
    Srgb,
}

impl Texel {
    /// Of an array format and a number of channels.
    pub(crate) fn of_array(format: i32, channels: u32) -> Result<Texel> {
        let known = ARRAY_FORMATS.iter().find(|f| f.number == format).ok_or(Status::INVALID_VALUE)?;
        match channels {
            1 | 2 | 4 => Ok(Texel { channels: channels as u8, bits: known.bits, kind: known.kind }),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    /// Of a channel descriptor: bits of each channel, all the same.
    pub(crate) fn of_desc(desc: &ChannelDesc) -> Result<Texel> {
        let bits = [desc.x, desc.y, desc.z, desc.w];
        let channels = bits.iter().take_while(|n| **n != 0).count();
        let is_uniform = bits[..channels].iter().all(|n| *n == desc.x) && bits[channels..].iter().all(|n| *n == 0);
        let kind = match desc.kind {
            0 => Kind::Signed,
            1 => Kind::Unsigned,
            2 => Kind::Float,
            _ => return Err(Status::INVALID_VALUE),
        };
        let known = ARRAY_FORMATS.iter().find(|f| i32::from(f.bits) == desc.x && f.kind == kind).ok_or(Status::INVALID_VALUE)?;
        if is_uniform { Texel::of_array(known.number, channels as u32) } else { Err(Status::INVALID_VALUE) }
    }

    /// Of a view, which keeps the texels' own with 0.
    pub(crate) fn of_view(format: i32, own: Texel) -> Result<Texel> {
        match format {
            0 => Ok(own),
            1..=24 => Texel::of_array(VIEW_FORMATS[(format - 1) as usize / 3], [1, 2, 4][(format - 1) as usize % 3]),
            _ => Err(crate::unsupported::refuse("a view of an array as compressed blocks")),
        }
    }

    fn row(self) -> &'static ArrayFormat {
        let found = ARRAY_FORMATS.iter().find(|f| f.bits == self.bits && f.kind == self.kind);
        found.expect("made of one of these")
    }

    /// As `hipArray_Format`.
    pub(crate) fn array_format(self) -> i32 {
        self.row().number
    }

    /// Number of channels.
    pub(crate) fn channels(self) -> u32 {
        self.channels.into()
    }

    /// As a channel descriptor.
    pub(crate) fn desc(self) -> ChannelDesc {
        let bits = |channel: u8| if channel < self.channels { i32::from(self.bits) } else { 0 };
        let kind = match self.kind {
            Kind::Signed => 0,
            Kind::Unsigned => 1,
            Kind::Float => 2,
        };
        ChannelDesc { x: bits(0), y: bits(1), z: bits(2), w: bits(3), kind }
    }

    /// Bytes of a texel.
    pub(crate) fn bytes(self) -> u32 {
        u32::from(self.bits / 8) * self.channels()
    }

    /// What is really read where a texture asks for `read`: there are no fractions of 32 bits or floats, and sRGB has four channels of 8 bits.
    pub(crate) fn reads(self, read: Read) -> Read {
        match read {
            Read::Plain => Read::Plain,
            _ if self.bits == 32 || self.kind == Kind::Float => Read::Plain,
            Read::Srgb if self.bits == 8 && self.channels == 4 && self.kind == Kind::Unsigned => Read::Srgb,
            _ => Read::Fraction,
        }
    }

    /// As manuals name it: `8_8_8_8_UNORM`.
    fn name(self, read: Read) -> String {
        let kind = match (self.kind, self.reads(read)) {
            (Kind::Float, _) => "FLOAT",
            (_, Read::Srgb) => "SRGB",
            (Kind::Unsigned, Read::Fraction) => "UNORM",
            (Kind::Signed, Read::Fraction) => "SNORM",
            (Kind::Unsigned, Read::Plain) => "UINT",
            (Kind::Signed, Read::Plain) => "SINT",
        };
        let bits = self.bits.to_string();
        let channels = vec![bits.as_str(); self.channels.into()];
        format!("{}_{kind}", channels.join("_"))
    }

    /// Its number in descriptors.
    pub(crate) fn number(self, generation: Generation, read: Read) -> Result<FormatNumber> {
        let wanted = self.name(read);
        let is_it = |n: &FormatNumber| Format::find(generation, *n).is_some_and(|f| f.to_string() == wanted);
        let split = (1..64).flat_map(|data| (0..16).map(move |number| FormatNumber::Split { data, number }));
        let unified = (1..512).map(FormatNumber::Unified);
        let found = if generation <= Generation::Gfx9 { split.into_iter().find(is_it) } else { unified.into_iter().find(is_it) };
        found.ok_or(Status::INVALID_VALUE)
    }

    /// Sources of the four components: missing colors are 0, missing alpha is 1.
    pub(crate) fn components(self) -> [DstSel; 4] {
        [0, 1, 2, 3].map(|c| match c {
            c if c < self.channels => DstSel::Component(c),
            3 => DstSel::One,
            _ => DstSel::Zero,
        })
    }

    /// Channel type and order as HSA counts them, which device code asks for.
    pub(crate) fn hsa(self, read: Read) -> [u32; 2] {
        let read = self.reads(read);
        let order = ORDERS.iter().find(|o| o.0 == self.channels).map_or(0, |o| o.1);
        [self.row().hsa[usize::from(read != Read::Plain)], if read == Read::Srgb { ORDER_SRGBA } else { order }]
    }
}

/// `hipCreateChannelDesc` of HIP's public header.
#[unsafe(no_mangle)]
pub extern "C" fn hipCreateChannelDesc(x: i32, y: i32, z: i32, w: i32, kind: i32) -> ChannelDesc {
    ChannelDesc { x, y, z, w, kind }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every format has one number on every generation, and the same bytes there.
    #[test]
    fn every_format_has_a_number() {
        use Generation::*;
        for format in &ARRAY_FORMATS {
            for channels in [1, 2, 4] {
                let texel = Texel::of_array(format.number, channels).expect("a format");
                assert_eq!(Texel::of_desc(&texel.desc()), Ok(texel));
                assert_eq!(texel.array_format(), format.number);
                for read in [Read::Plain, Read::Fraction, Read::Srgb] {
                    for generation in [Gfx9, Gfx10, Gfx103, Gfx11, Gfx12] {
                        let number = texel.number(generation, read).expect("a number");
                        let found = Format::find(generation, number).expect("a format");
                        assert_eq!((u32::from(found.bytes), found.channel_count()), (texel.bytes(), channels as usize));
                    }
                }
            }
        }
    }

    // RDNA3 guide, table 52.
    #[test]
    fn numbers_of_gfx11() {
        let number = |format, channels, read| Texel::of_array(format, channels).and_then(|t| t.number(Generation::Gfx11, read));
        assert_eq!(number(0x01, 4, Read::Fraction), Ok(FormatNumber::Unified(42)));
        assert_eq!(number(0x20, 4, Read::Plain), Ok(FormatNumber::Unified(63)));
    }

    #[test]
    fn odd_channels_are_refused() {
        let desc = |x, y, z, w, kind| Texel::of_desc(&ChannelDesc { x, y, z, w, kind });
        assert!(desc(8, 8, 8, 0, 1).is_err() && desc(8, 16, 0, 0, 1).is_err() && desc(8, 0, 8, 0, 1).is_err());
        assert!(desc(8, 0, 0, 0, 2).is_err() && desc(8, 0, 0, 0, 3).is_err() && desc(0, 0, 0, 0, 1).is_err());
        let own = Texel::of_array(0x20, 4).expect("a format");
        assert_eq!(Texel::of_view(0, own), Ok(own));
        assert_eq!(Texel::of_view(0x15, own), Texel::of_array(0x10, 4));
        assert_eq!(Texel::of_view(0x18, own), Ok(own));
    }
}
