//! Descriptors in words: `V# s[4:7] = 64 bytes 32_FLOAT at mem`, written as the target's generation has them.
//!
//! ```text
//! V# = SIZE [FORMAT] [at PLACE] [swizzle=BYTES/RECORDS] [add_tid] [oob=N] [dst_sel=xyzw]
//!      SIZE: `64 bytes`, or `8 records of 8 bytes`; the format is 32_UINT if none is named
//! T# = SHAPE FORMAT WxH[xD] [linear | mode=N] [at PLACE] [levels=N] [samples=N] [pitch=N] [min_lod=F] [min_lod_warn=F] [dst_sel=xyzw]
//!      SHAPE: 1d 2d 3d cube 1d_array 2d_array 2d_msaa 2d_msaa_array; D: slices of an image with depth, layers, faces
//! S# = [point | linear] [mip_point | mip_linear] [CLAMP] [COMPARE] [border=black|opaque_black|white] [unnormalized] [trunc] [bias=F]
//!      [lod=F..F]
//!      CLAMP: wrap mirror edge mirror_once_edge border mirror_once_border; COMPARE: never less equal less_equal greater not_equal ...
//! ```
//!
//! Formats are written as manuals have them (`8_8_8_8_UNORM`) or by channels (`rgba8_unorm`). Places are `mem`, `mem[0x100]` and addresses.
//! What is not written is as [`ImageDescriptor::new`], [`SamplerDescriptor::new`] and [`BufferDescriptor::new`] have it.

use super::parse_int;
use crate::machine::MEM;
use wavejit_isa::Gfx;
use wavejit_texture::Generation;
use wavejit_texture::descriptor::{Border, BufferDescriptor, DstSel, ImageDescriptor, ImageType, SamplerDescriptor};
use wavejit_texture::format::{Format, FormatNumber};

/// A descriptor of a case, still in words.
#[derive(Clone, Debug)]
pub(super) struct Descriptor {
    kind: Kind,
    /// First of its SGPRs.
    sgpr: usize,
    words: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Buffer,
    Image,
    Sampler,
}

const KINDS: [(&str, Kind, usize); 3] = [("V#", Kind::Buffer, 4), ("T#", Kind::Image, 8), ("S#", Kind::Sampler, 4)];
const SHAPES: [(&str, ImageType); 8] = [
    ("1d", ImageType::Dim1),
    ("2d", ImageType::Dim2),
    ("3d", ImageType::Dim3),
    ("cube", ImageType::Cube),
    ("1d_array", ImageType::Dim1Array),
    ("2d_array", ImageType::Dim2Array),
    ("2d_msaa", ImageType::Msaa),
    ("2d_msaa_array", ImageType::MsaaArray),
];
/// By the code of the S#; modes with half a border color are not named.
const CLAMPS: [&str; 8] = ["wrap", "mirror", "edge", "mirror_once_edge", "", "", "border", "mirror_once_border"];
/// By the code of the S#.
const COMPARES: [&str; 8] = ["never", "less", "equal", "less_equal", "greater", "not_equal", "greater_equal", "always"];
const BORDERS: [(&str, Border); 3] =
    [("black", Border::TransparentBlack), ("opaque_black", Border::OpaqueBlack), ("white", Border::OpaqueWhite)];

impl Descriptor {
    /// Reads `T# s[8:15] = ...`; `None` if the line is something else. Values are read when the target is known.
    pub(super) fn parse(line: &str) -> Option<Result<Descriptor, String>> {
        let line = line.trim();
        let &(name, kind, count) = KINDS.iter().find(|k| line.starts_with(k.0))?;
        let parts = line[name.len()..].split_once('=');
        Some(match parts.and_then(|(place, words)| Some((sgprs(place.trim(), count)?, words))) {
            Some((sgpr, words)) => Ok(Descriptor { kind, sgpr, words: words.split_whitespace().map(str::to_string).collect() }),
            None => Err(format!("expected `{name} s[N:N+{}] = ...`", count - 1)),
        })
    }

    /// First SGPR and dwords on a target.
    pub(super) fn encode(&self, target: Gfx) -> Result<(usize, Vec<u32>), String> {
        let generation = target.descriptors();
        let words = match self.kind {
            Kind::Buffer => self.buffer(generation)?.encode().map(|w| w.to_vec()),
            Kind::Image => self.image(generation)?.encode().map(|w| w.to_vec()),
            Kind::Sampler => self.sampler(generation)?.encode().map(|w| w.to_vec()),
        };
        Ok((self.sgpr, words.map_err(|e| e.to_string())?))
    }

    /// Calls `read` for each word, or pair of `at` and a place, that is not read otherwise; it says whether it knows the word.
    fn each(&self, first: usize, mut read: impl FnMut(&str, &str) -> Option<bool>) -> Result<Option<u64>, String> {
        let mut place = None;
        let mut words = self.words[first.min(self.words.len())..].iter();
        while let Some(word) = words.next() {
            if word == "at" {
                let text = words.next().map_or("", String::as_str);
                place = Some(address(text).ok_or_else(|| format!("`at {text}`: expected mem, mem[OFFSET] or an address"))?);
                continue;
            }
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            match read(key, value) {
                Some(true) => {}
                Some(false) => return Err(format!("`{word}` is not known here")),
                None => return Err(format!("`{word}`: the value cannot be read")),
            }
        }
        Ok(place)
    }

    fn buffer(&self, generation: Generation) -> Result<BufferDescriptor, String> {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let (records, stride, read) = match words[..] {
            [records, "records", "of", stride, "bytes", ..] => (parse_int(records), parse_int(stride), 5),
            [bytes, "bytes", ..] => (parse_int(bytes), Some(0), 2),
            _ => (None, None, 0),
        };
        let (Some(records), Some(stride)) = (records, stride) else {
            return Err("expected `N bytes` or `N records of N bytes`".into());
        };
        let named = words.get(read).and_then(|name| format(name, generation));
        let read = read + usize::from(named.is_some());
        let number = named.or_else(|| format("32_UINT", generation)).ok_or("this generation lacks 32_UINT")?;
        let mut out = BufferDescriptor { stride: stride as u32, ..BufferDescriptor::new(generation, MEM, records as u32, number) };
        // Raw buffers are checked by bytes, structured ones by record and offset.
        out.oob_select = if stride == 0 && generation >= Generation::Gfx10 { 3 } else { 0 };
        let place = self.each(read, |key, value| {
            match key {
                "add_tid" => out.add_tid = true,
                "oob" => out.oob_select = parse_int(value)? as u8,
                "dst_sel" => out.dst_sel = components(value)?,
                "swizzle" => {
                    let (bytes, records) = value.split_once('/')?;
                    (out.swizzle_bytes, out.index_stride) = (parse_int(bytes)? as u32, parse_int(records)? as u32);
                }
                _ => return Some(false),
            }
            Some(true)
        })?;
        Ok(BufferDescriptor { base: place.unwrap_or(MEM), ..out })
    }

    fn image(&self, generation: Generation) -> Result<ImageDescriptor, String> {
        let [shape, format_name, size, ..] = &self.words[..] else { return Err("expected a shape, a format and a size".into()) };
        let kind = SHAPES.iter().find(|s| s.0 == shape.as_str()).ok_or_else(|| format!("`{shape}` is not a shape"))?.1;
        let number = format(format_name, generation).ok_or_else(|| format!("{generation:?} has no format `{format_name}`"))?;
        let sizes: Option<Vec<u32>> = size.split('x').map(|n| n.parse().ok()).collect();
        let (width, height, depth) = match sizes.as_deref() {
            Some(&[w]) => (w, 1, 1),
            Some(&[w, h]) => (w, h, 1),
            Some(&[w, h, d]) => (w, h, d),
            _ => return Err(format!("`{size}`: expected WIDTHxHEIGHT or WIDTHxHEIGHTxDEPTH")),
        };
        let mut out = ImageDescriptor::new(generation, kind, number, width, height);
        out.last_layer = depth.max(1) - 1;
        out.depth = if kind == ImageType::Dim3 { depth } else { 1 };
        out.mode = linear(generation);
        let place = self.each(3, |key, value| {
            match key {
                "linear" => out.mode = linear(generation),
                "mode" => out.mode = parse_int(value)? as u8,
                "levels" => (out.levels, out.last_level) = (parse_int(value)? as u8, (parse_int(value)? as u8).checked_sub(1)?),
                "samples" => out.samples_log2 = parse_int(value)?.checked_ilog2()? as u8,
                "pitch" => out.pitch = Some(parse_int(value)? as u32),
                "min_lod" => out.min_lod = value.parse().ok()?,
                "min_lod_warn" => out.min_lod_warn = value.parse().ok()?,
                "dst_sel" => out.dst_sel = components(value)?,
                _ => return Some(false),
            }
            Some(true)
        })?;
        Ok(ImageDescriptor { base: place.unwrap_or(MEM), ..out })
    }

    fn sampler(&self, generation: Generation) -> Result<SamplerDescriptor, String> {
        let mut out = SamplerDescriptor::new(generation);
        let place = self.each(0, |key, value| {
            match key {
                "point" => (out.mag_filter, out.min_filter) = (0, 0),
                "linear" => (out.mag_filter, out.min_filter) = (1, 1),
                "mip_point" => out.mip_filter = 1,
                "mip_linear" => out.mip_filter = 2,
                "unnormalized" => out.unnormalized = true,
                "trunc" => out.trunc_coord = true,
                "bias" => out.lod_bias = value.parse().ok()?,
                "lod" => {
                    let (min, max) = value.split_once("..")?;
                    (out.min_lod, out.max_lod) = (min.parse().ok()?, max.parse().ok()?);
                }
                "border" if !value.is_empty() => out.border = BORDERS.iter().find(|b| b.0 == value)?.1,
                _ => match (CLAMPS.iter().position(|c| *c == key), COMPARES.iter().position(|c| *c == key)) {
                    (Some(mode), _) => out.clamp = [mode as u8; 3],
                    (_, Some(function)) => out.compare = function as u8,
                    _ => return Some(false),
                },
            }
            Some(true)
        })?;
        if place.is_some() { Err("a sampler is at no address".into()) } else { Ok(out) }
    }
}

/// The number of a linear layout: a swizzle mode, or an entry of the table of tile modes.
fn linear(generation: Generation) -> u8 {
    if generation <= Generation::Gfx8 { 8 } else { 0 }
}

/// N of `s[N:M]`, a range of `count` registers.
fn sgprs(text: &str, count: usize) -> Option<usize> {
    let (first, last) = text.strip_prefix("s[")?.strip_suffix(']')?.split_once(':')?;
    let first: usize = first.parse().ok()?;
    (last.parse() == Ok(first + count - 1) && first + count <= 106).then_some(first)
}

/// `mem`, `mem[0x100]`, an address.
fn address(text: &str) -> Option<u64> {
    match text.strip_prefix("mem") {
        Some("") => Some(MEM),
        Some(offset) => Some(MEM + parse_int(offset.strip_prefix('[')?.strip_suffix(']')?)?),
        None => parse_int(text),
    }
}

/// `xyzw`, `xy01`.
fn components(text: &str) -> Option<[DstSel; 4]> {
    let one = |c: char| match c {
        '0' => Some(DstSel::Zero),
        '1' => Some(DstSel::One),
        _ => "xyzw".find(c).map(|n| DstSel::Component(n as u8)),
    };
    text.chars().map(one).collect::<Option<Vec<_>>>()?.try_into().ok()
}

/// The number of a format: `8_8_8_8_UNORM`, or `rgba8_unorm` for channels of one size.
fn format(name: &str, generation: Generation) -> Option<FormatNumber> {
    let wanted = by_channels(name).unwrap_or_else(|| name.to_string());
    let numbers: Vec<FormatNumber> = match generation {
        Generation::Gfx6 | Generation::Gfx8 | Generation::Gfx9 => {
            (1..64).flat_map(|data| (0..16).map(move |number| FormatNumber::Split { data, number })).collect()
        }
        _ => (1..512).map(FormatNumber::Unified).collect(),
    };
    numbers.into_iter().find(|n| Format::find(generation, *n).is_some_and(|f| f.to_string() == wanted))
}

/// `rgba8_unorm` as `8_8_8_8_UNORM`.
fn by_channels(name: &str) -> Option<String> {
    let (layout, number) = name.split_once('_')?;
    let channels = layout.find(|c: char| c.is_ascii_digit()).filter(|n| "rgba".starts_with(&layout[..*n]))?;
    let bits = &layout[channels..];
    (channels > 0 && bits.parse::<u8>().is_ok()).then(|| format!("{}_{}", vec![bits; channels].join("_"), number.to_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str, target: Gfx) -> Result<Vec<u32>, String> {
        Descriptor::parse(line).expect("a descriptor").and_then(|d| d.encode(target)).map(|(_, words)| words)
    }

    // The dwords are those of descriptors.md, sections 2 to 4, put together by hand.
    #[test]
    fn words_become_the_fields_of_the_generation() {
        let gfx11 = Gfx::GFX1100;
        assert_eq!(words("V# s[4:7] = 64 bytes 32_FLOAT at mem", gfx11).unwrap(), [0x10_0000, 0, 64, 0x3001_6fac]);
        assert_eq!(words("V# s[4:7] = 8 records of 8 bytes 32_FLOAT oob=1", gfx11).unwrap(), [0x10_0000, 8 << 16, 8, 0x1001_6fac]);
        let image = [0x1000, 0xc2a0_0000, 0x4000, 0x9000_0fac, 0, 0, 0, 0];
        assert_eq!(words("T# s[8:15] = 2d rgba8_unorm 4x2 linear at mem", gfx11).unwrap(), image);
        assert_eq!(words("T# s[8:15] = 2d 8_8_8_8_UNORM 4x2", gfx11).unwrap(), image);
        assert_eq!(words("S# s[16:19] = point wrap lod=0..0", gfx11).unwrap(), [0; 4]);
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let error = |line: &str| words(line, Gfx::GFX1100).unwrap_err();
        assert_eq!(error("T# s[8:11] = 2d rgba8_unorm 4x2"), "expected `T# s[N:N+7] = ...`");
        assert_eq!(error("T# s[8:15] = 2d rgba8_unorm 4x2 tiled"), "`tiled` is not known here");
        assert_eq!(error("T# s[8:15] = 2d rgba9_unorm 4x2"), "Gfx11 has no format `rgba9_unorm`");
        assert_eq!(error("V# s[4:7] = many bytes"), "expected `N bytes` or `N records of N bytes`");
        assert_eq!(error("S# s[4:7] = bias=x"), "`bias=x`: the value cannot be read");
        assert!(Descriptor::parse("v1 = 2").is_none());
    }
}
