//! Where buffers go after a run: `--out 2=result.npy`, `--out 0=-:f32:16`, `--out 1=image.png:640x480`.

use super::dtype::DType;
use super::npy;
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What the help says about outputs.
pub(crate) const SYNTAX: &str = "\
Outputs, I is the number of a buffer or image argument (from 0):
  I=FILE.npy[:TYPE][:AxBx...]  a NumPy file; type and shape default to those of the argument
  I=FILE.bin                   the bytes
  I=FILE.png:WxH[:rgba|rgb|gray]
                               a picture of bytes (default rgba)
  I=FILE.png                   the picture in an image argument, layers one below the other
  I=-[:TYPE[:N]]               text on standard output; N: the first N values";

/// One `--out`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Output {
    /// Argument number.
    pub arg: usize,
    /// Where it goes.
    pub sink: Sink,
}

/// Where a buffer goes.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub(crate) enum Sink {
    Npy {
        path: PathBuf,
        dtype: Option<DType>,
        shape: Option<Vec<usize>>,
    },
    Bin {
        path: PathBuf,
    },
    Png {
        path: PathBuf,
        width: u32,
        height: u32,
        channels: u32,
    },
    /// An image argument.
    Picture {
        path: PathBuf,
    },
    Text {
        dtype: Option<DType>,
        first: Option<usize>,
    },
}

impl Output {
    /// Reads an `--out`.
    pub(crate) fn parse(text: &str) -> Result<Output> {
        parse(text).with_context(|| format!("output `{text}`"))
    }

    /// Writes an image: as a picture, or its texels row by row as bytes.
    pub(crate) fn write_image(&self, image: &wavejit::Image, text: &mut dyn Write) -> Result<()> {
        if let Sink::Picture { path } = &self.sink {
            let (width, height, rgba) = super::image::pixels(image)?;
            return write_file(path, &png(&rgba, width, height, 4)?);
        }
        let bytes = image.read(0)?;
        self.write(&npy::Array { dtype: DType::U8, shape: vec![bytes.len()], bytes }, text)
    }

    /// Writes a buffer: its contents now, and the type and shape it had as an argument.
    pub(crate) fn write(&self, array: &npy::Array, text: &mut dyn Write) -> Result<()> {
        match &self.sink {
            Sink::Text { dtype, first } => write_text(array, dtype.unwrap_or(array.dtype), *first, text),
            Sink::Bin { path } => write_file(path, &array.bytes),
            Sink::Picture { path } => bail!("{}: the argument is a buffer; expected FILE.png:WIDTHxHEIGHT", path.display()),
            Sink::Npy { path, dtype, shape } => write_file(path, &npy::write(&reshaped(array, *dtype, shape.as_deref())?)),
            Sink::Png { path, width, height, channels } => {
                write_file(path, &png(&array.bytes, *width, *height, *channels).with_context(|| path.display().to_string())?)
            }
        }
    }
}

fn parse(text: &str) -> Result<Output> {
    let (arg, rest) = text.split_once('=').context("expected ARGUMENT=FILE, for example 0=result.npy")?;
    let arg = arg.parse().with_context(|| format!("`{arg}`: expected the number of a buffer argument"))?;
    let mut parts = rest.split(':');
    let name = parts.next().unwrap_or("");
    let path = PathBuf::from(name);
    let options: Vec<&str> = parts.collect();
    let sink = match path.extension().and_then(|e| e.to_str()) {
        _ if name == "-" => Sink::Text {
            dtype: options.first().map(|t| DType::parse(t)).transpose()?,
            first: options.get(1).map(|n| n.parse().with_context(|| format!("`{n}`: expected a count"))).transpose()?,
        },
        Some("npy") => {
            let mut sink = (None, None);
            for option in &options {
                match option.contains('x') || option.parse::<usize>().is_ok() {
                    true => sink.1 = Some(shape(option)?),
                    false => sink.0 = Some(DType::parse(option)?),
                }
            }
            Sink::Npy { path, dtype: sink.0, shape: sink.1 }
        }
        Some("bin") => Sink::Bin { path },
        Some("png") if options.is_empty() => Sink::Picture { path },
        Some("png") => {
            let size = shape(options.first().context("expected FILE.png:WIDTHxHEIGHT")?)?;
            let [width, height] = size[..] else { bail!("expected FILE.png:WIDTHxHEIGHT") };
            let channels = match options.get(1) {
                None | Some(&"rgba") => 4,
                Some(&"rgb") => 3,
                Some(&"gray") => 1,
                Some(other) => bail!("`{other}` is not a pixel layout; known are rgba rgb gray"),
            };
            Sink::Png { path, width: u32::try_from(width)?, height: u32::try_from(height)?, channels }
        }
        _ => bail!("`{name}`: expected a file ending in .npy, .bin or .png, or - for standard output"),
    };
    Ok(Output { arg, sink })
}

fn shape(text: &str) -> Result<Vec<usize>> {
    text.split('x').map(|n| n.parse().with_context(|| format!("`{text}`: expected sizes such as 640x480"))).collect()
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

fn write_text(array: &npy::Array, dtype: DType, first: Option<usize>, out: &mut dyn Write) -> Result<()> {
    for bytes in array.bytes.chunks_exact(dtype.bytes()).take(first.unwrap_or(usize::MAX)) {
        writeln!(out, "{}", dtype.decode(bytes))?;
    }
    Ok(())
}

fn reshaped(array: &npy::Array, dtype: Option<DType>, shape: Option<&[usize]>) -> Result<npy::Array> {
    let dtype = dtype.unwrap_or(array.dtype);
    let elements = array.bytes.len() / dtype.bytes();
    let shape = match shape {
        Some(shape) => shape.to_vec(),
        None if dtype.bytes() == array.dtype.bytes() => array.shape.clone(),
        None => vec![elements],
    };
    let wanted = shape.iter().try_fold(dtype.bytes(), |n, d| n.checked_mul(*d)).context("the shape is too large")?;
    let Some(bytes) = array.bytes.get(..wanted) else {
        bail!("a {} array of shape {shape:?} has {wanted} bytes, but the buffer has {}", dtype.name(), array.bytes.len());
    };
    Ok(npy::Array { dtype, shape, bytes: bytes.to_vec() })
}

fn png(bytes: &[u8], width: u32, height: u32, channels: u32) -> Result<Vec<u8>> {
    let wanted = u64::from(width) * u64::from(height) * u64::from(channels);
    let pixels = usize::try_from(wanted).ok().and_then(|n| bytes.get(..n));
    let pixels = pixels.with_context(|| format!("{width} x {height} pixels need {wanted} bytes, but the buffer has {}", bytes.len()))?;
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_color(match channels {
        1 => png::ColorType::Grayscale,
        3 => png::ColorType::Rgb,
        _ => png::ColorType::Rgba,
    });
    encoder.write_header()?.write_image_data(pixels)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(n: u8) -> npy::Array {
        npy::Array { dtype: DType::U8, shape: vec![usize::from(n)], bytes: (0..n).collect() }
    }

    #[test]
    fn every_kind_of_output() {
        let sink = |text: &str| Output::parse(text).unwrap().sink;
        assert_eq!(sink("2=-:f32:16"), Sink::Text { dtype: Some(DType::F32), first: Some(16) });
        assert_eq!(sink("2=a.npy:u32:4x5"), Sink::Npy { path: "a.npy".into(), dtype: Some(DType::U32), shape: Some(vec![4, 5]) });
        assert_eq!(sink("0=x.png"), Sink::Picture { path: "x.png".into() });
        assert_eq!(sink("0=x.png:6x4:gray"), Sink::Png { path: "x.png".into(), width: 6, height: 4, channels: 1 });
        for bad in ["x", "a=x.npy", "0=x.txt", "0=x.png:3", "0=x.png:3x3:cmyk", "0=-:f31", "0=-:f32:x"] {
            assert!(Output::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn text_shows_the_first_values() {
        let mut out = Vec::new();
        Output::parse("0=-:u16:2").unwrap().write(&bytes(8), &mut out).unwrap();
        assert_eq!(out, b"256\n770\n");
    }

    #[test]
    fn pictures_must_fit_the_buffer() {
        assert!(png(&[0; 11], 2, 2, 3).is_err());
        let file = png(&[7; 12], 2, 2, 3).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut pixels = [0; 12];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height, pixels), (2, 2, [7; 12]));
    }

    #[test]
    fn shapes_must_fit_the_buffer() {
        assert!(reshaped(&bytes(8), Some(DType::F32), Some(&[3])).is_err());
        assert_eq!(reshaped(&bytes(8), Some(DType::U16), None).unwrap().shape, [4]);
        assert_eq!(reshaped(&bytes(8), Some(DType::I8), None).unwrap().shape, [8]);
    }
}
