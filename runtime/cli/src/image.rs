//! Images, samplers and ray hierarchies on the command line: `image=FILE.png:levels`, `sampler=linear,wrap`, `bvh=FILE.npy`, and PNG files out
//! of images.

use super::dtype::DType;
use super::file::MAX_FILE_BYTES;
use super::npy;
use anyhow::{Context, Result, bail};
use std::io::Cursor;
use wavejit::{
    BorderColor, Clamp, Compare, Device, Filter, Image, ImageDesc, ImageFormat, ImageKind, ImageTiling, MipFilter, Sampler, SamplerDesc,
};

/// Most bytes of a picture's pixels: an image of the largest size, 16,384 x 16,384.
const MAX_PICTURE_BYTES: u64 = 1 << 30;

/// What the help says about these arguments.
pub(crate) const SYNTAX: &str = "\
Images, samplers and ray hierarchies, as arguments of a kernel:
  image=FILE.png[:OPTION...]        a picture as a 2D image
  image:cube=FILE.png[:OPTION...]   a cube of six square faces +X -X +Y -Y +Z -Z, one below the other
  image:array=FILE.png:N[:OPTION...]
  image:3d=FILE.png:N[:OPTION...]   N layers or slices, one below the other
  image:new=WxH[:OPTION...]         zeros, for the kernel to fill; WxHxN with image:new3d, image:newarray or image:newcube
  image:same=I                      the image of argument I once more
      options: a format (default rgba8), `levels` (all mip levels), `linear` (rows instead of blocks)
  sampler=WORD[,WORD...]            point linear trilinear wrap mirror edge border | aniso=N lod=A..B bias=X texels |
                                    border=clear|black|white|R/G/B/A | compare=never|lt|eq|le|gt|ne|ge|always
  bvh=FILE.npy                      triangles (f32, N x 3 x 3) as a ray hierarchy: descriptor, then the root's pointer";

/// An image to make.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ImageSpec {
    desc: ImageDesc,
    /// RGBA pixels of level 0, slices one after the other; none: zeros.
    pixels: Option<Vec<u8>>,
}

/// Reads `image...=` arguments; `key` is what is before the equals sign.
pub(crate) fn parse_image(key: &str, value: &str) -> Result<ImageSpec> {
    let mut parts = value.split(':');
    let first = parts.next().unwrap_or("");
    let (kind, is_new) = match key {
        "image" => (ImageKind::TwoD, false),
        "image:cube" => (ImageKind::Cube, false),
        "image:array" => (ImageKind::TwoDArray, false),
        "image:3d" => (ImageKind::ThreeD, false),
        "image:new" => (ImageKind::TwoD, true),
        "image:newcube" => (ImageKind::Cube, true),
        "image:newarray" => (ImageKind::TwoDArray, true),
        "image:new3d" => (ImageKind::ThreeD, true),
        _ => bail!("`{key}` is not a kind of image; known are image and image:cube array 3d new newcube newarray new3d same"),
    };
    let mut desc = ImageDesc { kind, ..Default::default() };
    let mut pixels = None;
    if is_new {
        let size: Vec<u32> = first
            .split('x')
            .map(|n| n.parse().with_context(|| format!("`{first}`: expected sizes such as 640x480")))
            .collect::<Result<_>>()?;
        (desc.width, desc.height, desc.depth) = match (&size[..], kind) {
            (&[w, h], ImageKind::TwoD) => (w, h, 1),
            (&[w, h], ImageKind::Cube) => (w, h, 6),
            (&[w, h, n], ImageKind::Cube | ImageKind::TwoDArray | ImageKind::ThreeD) => (w, h, n),
            _ => bail!("`{first}`: expected WxH, or WxHxN for arrays, cubes and 3D images"),
        };
    } else {
        desc.depth = match kind {
            ImageKind::Cube => 6,
            ImageKind::TwoD => 1,
            _ => parts.next().context("expected FILE.png:N")?.parse().context("expected a number of layers after the file")?,
        };
        let file = super::file::read(first.as_ref(), MAX_FILE_BYTES)?;
        let (width, height, rgba) = decode_png(&file).with_context(|| first.to_string())?;
        if desc.depth == 0 || height % desc.depth != 0 {
            bail!("{first} has {height} rows, which are not {} layers of equal height", desc.depth);
        }
        (desc.width, desc.height) = (width, height / desc.depth);
        pixels = Some(rgba);
    }
    for option in parts {
        match (option, ImageFormat::parse(option)) {
            (_, Some(format)) => desc.format = format,
            ("levels", _) => desc.levels = 0,
            ("linear", _) => desc.tiling = ImageTiling::Linear,
            _ => bail!("`{option}`: expected levels, linear, or a format: {}", ImageFormat::names().collect::<Vec<_>>().join(" ")),
        }
    }
    Ok(ImageSpec { desc, pixels })
}

impl ImageSpec {
    /// Makes the image, with levels if it has any.
    pub(crate) fn make(&self, device: &Device) -> Result<Image> {
        let image = device.image(&self.desc)?;
        if let Some(pixels) = &self.pixels {
            let format = image.format();
            if format.is_block() {
                bail!("pictures are not compressed here; choose another format than {format}");
            }
            let mut rows = vec![0; image.level_bytes(0).unwrap_or(0)];
            for (pixel, out) in pixels.chunks_exact(4).zip(rows.chunks_exact_mut(format.bytes.into())) {
                match self.desc.format {
                    ImageFormat::Rgba8 | ImageFormat::Rgba8Srgb => out.copy_from_slice(pixel),
                    _ => {
                        let value = |v: u8| if format.is_integer() { v.into() } else { (f32::from(v) / 255.0).to_bits() };
                        format.encode([pixel[0], pixel[1], pixel[2], pixel[3]].map(value), out);
                    }
                }
            }
            image.write(0, &rows)?;
            if image.desc().levels > 1 {
                image.make_levels()?;
            }
        }
        Ok(image)
    }
}

/// Width, height and RGBA pixels of a PNG file.
pub(crate) fn decode_png(file: &[u8]) -> Result<(u32, u32, Vec<u8>)> {
    let mut decoder = png::Decoder::new(Cursor::new(file));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info()?;
    // The header says how large it is, long before there is as much data.
    let size = reader.output_buffer_size().filter(|n| *n as u64 <= MAX_PICTURE_BYTES).context("the picture is too large")?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).with_context(|| format!("no memory for a picture of {size} bytes"))?;
    bytes.resize(size, 0);
    let info = reader.next_frame(&mut bytes)?;
    bytes.truncate(info.buffer_size());
    let rgba = match info.color_type {
        png::ColorType::Rgba => bytes,
        png::ColorType::Rgb => bytes.chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 255]).collect(),
        png::ColorType::GrayscaleAlpha => bytes.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect(),
        _ => bytes.iter().flat_map(|g| [*g, *g, *g, 255]).collect(),
    };
    Ok((info.width, info.height, rgba))
}

/// Level 0 as RGBA pixels for a PNG file, layers and slices one below the other: width, height, pixels. Components are 0 to 1; integers are
/// taken as they are. Images of several samples show the first.
pub(crate) fn pixels(image: &Image) -> Result<(u32, u32, Vec<u8>)> {
    let (format, desc) = (image.format(), image.desc());
    let byte = |v: u32| match format.is_integer() {
        true => v.min(255) as u8,
        false => (f32::from_bits(v).clamp(0.0, 1.0) * 255.0 + 0.5) as u8,
    };
    let rows = image.read(0)?;
    let pixels = desc.width as usize * desc.height as usize * desc.depth as usize;
    let rgba: Vec<u8> = match desc.format {
        ImageFormat::Rgba8 | ImageFormat::Rgba8Srgb => rows[..pixels * 4].to_vec(),
        _ if format.is_block() => bail!("a picture of {format} blocks cannot be written; use .bin"),
        _ => rows
            .chunks_exact(format.bytes.into())
            .take(pixels)
            .flat_map(|t| picture(format.decode(t), format.channel_count()).map(byte))
            .collect(),
    };
    Ok((desc.width, desc.height * desc.depth, rgba))
}

/// A single component is shown as gray.
fn picture([r, g, b, a]: [u32; 4], channels: usize) -> [u32; 4] {
    if channels == 1 { [r, r, r, a] } else { [r, g, b, a] }
}

/// A sampler to make.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct SamplerSpec {
    desc: SamplerDesc,
    /// A border color that needs an entry in the device's table.
    border: Option<[f32; 4]>,
}

impl SamplerSpec {
    /// Makes the sampler.
    pub(crate) fn make(&self, device: &Device) -> Result<Sampler> {
        let border = self.border.map(|color| device.border_color(color)).transpose()?.unwrap_or(self.desc.border);
        Ok(device.sampler(&SamplerDesc { border, ..self.desc })?)
    }
}

/// Reads a `sampler=` argument.
pub(crate) fn parse_sampler(text: &str) -> Result<SamplerSpec> {
    let mut s = SamplerDesc::default();
    let mut border = None;
    for word in text.split(',') {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        let number = || value.parse::<f32>().with_context(|| format!("`{word}`: expected a number"));
        match (key, value) {
            ("point", "") => (s.mag, s.min, s.mip) = (Filter::Point, Filter::Point, MipFilter::Point),
            ("linear", "") => (s.mag, s.min, s.mip) = (Filter::Linear, Filter::Linear, MipFilter::Point),
            ("trilinear", "") => (s.mag, s.min, s.mip) = (Filter::Linear, Filter::Linear, MipFilter::Linear),
            ("wrap", "") => s.clamp = [Clamp::Wrap; 3],
            ("mirror", "") => s.clamp = [Clamp::Mirror; 3],
            ("edge", "") => s.clamp = [Clamp::Edge; 3],
            ("border", "") => s.clamp = [Clamp::Border; 3],
            ("texels", "") => s.unnormalized = true,
            ("border", color) => {
                s.clamp = [Clamp::Border; 3];
                s.border = match color {
                    "clear" => BorderColor::TransparentBlack,
                    "black" => BorderColor::OpaqueBlack,
                    "white" => BorderColor::OpaqueWhite,
                    _ => {
                        let parts: Option<Vec<f32>> = color.split('/').map(|c| c.parse().ok()).collect();
                        border = parts.and_then(|p| p.try_into().ok());
                        if border.is_none() {
                            bail!("`{word}`: expected clear, black, white or four components such as 1/0.5/0/1");
                        }
                        s.border
                    }
                };
            }
            ("aniso", n) => s.max_anisotropy = n.parse().with_context(|| format!("`{word}`: expected 1, 2, 4, 8 or 16"))?,
            ("bias", _) => s.bias = number()?,
            ("lod", range) => {
                let (low, high) = range.split_once("..").context("expected lod=LEAST..GREATEST")?;
                s.lod = (low.parse()?, high.parse()?);
            }
            ("compare", how) => {
                s.compare = match how {
                    "never" => Compare::Never,
                    "lt" => Compare::Less,
                    "eq" => Compare::Equal,
                    "le" => Compare::LessEqual,
                    "gt" => Compare::Greater,
                    "ne" => Compare::NotEqual,
                    "ge" => Compare::GreaterEqual,
                    "always" => Compare::Always,
                    _ => bail!("`{word}`: known comparisons are never lt eq le gt ne ge always"),
                }
            }
            _ => bail!("`{word}` says nothing about a sampler; see --help"),
        }
    }
    s.encode()?;
    Ok(SamplerSpec { desc: s, border })
}

/// Triangles of a NumPy array of N x 3 x 3 floats.
pub(crate) fn triangles(array: &npy::Array) -> Result<Vec<[[f32; 3]; 3]>> {
    if array.dtype != DType::F32 || array.shape.len() != 3 || array.shape[1..] != [3, 3] {
        bail!("triangles are an array of f32, N x 3 x 3; this one is {} of shape {:?}", array.dtype.name(), array.shape);
    }
    let float = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    let corner = |b: &[u8]| [float(b), float(&b[4..]), float(&b[8..])];
    Ok(array.bytes.chunks_exact(36).map(|t| [corner(t), corner(&t[12..]), corner(&t[24..])]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_images_have_sizes_and_options() {
        let new = |key: &str, value: &str| parse_image(key, value).unwrap().desc;
        let d = new("image:new", "640x480:r32float:linear");
        assert_eq!((d.width, d.height, d.depth, d.format, d.tiling), (640, 480, 1, ImageFormat::R32Float, ImageTiling::Linear));
        assert_eq!(new("image:new3d", "8x9x10").depth, 10);
        assert_eq!((new("image:newcube", "8x8:levels").depth, new("image:newcube", "8x8:levels").levels), (6, 0));
        for (key, value) in
            [("image:new", "640"), ("image:new", "4x4x4"), ("image:new3d", "4x4"), ("image:new", "4x4:rgba9"), ("image:x", "4x4")]
        {
            assert!(parse_image(key, value).is_err(), "{key}={value}");
        }
        assert!(format!("{:#}", parse_image("image", "/no/such.png").unwrap_err()).contains("/no/such.png"));
    }

    #[test]
    fn samplers_are_words() {
        let s = parse_sampler("trilinear,wrap,aniso=8,lod=1..4,bias=-0.5,compare=le").unwrap();
        let wanted = SamplerDesc {
            mag: Filter::Linear,
            min: Filter::Linear,
            mip: MipFilter::Linear,
            clamp: [Clamp::Wrap; 3],
            max_anisotropy: 8,
            lod: (1.0, 4.0),
            bias: -0.5,
            compare: Compare::LessEqual,
            ..Default::default()
        };
        assert_eq!(s, SamplerSpec { desc: wanted, border: None });
        assert_eq!(parse_sampler("border=1/0.5/0/1").unwrap().border, Some([1.0, 0.5, 0.0, 1.0]));
        assert!(parse_sampler("border=1/0.5/0").is_err());
        assert_eq!(parse_sampler("border=white").unwrap().desc.border, BorderColor::OpaqueWhite);
        for bad in ["", "nearest", "aniso=3", "lod=2", "lod=4..1", "compare=more", "border=red", "bias=x"] {
            assert!(parse_sampler(bad).is_err(), "{bad}");
        }
    }
}
