//! Kernel arguments on the command line: `buf:npy=in.npy`, `buf:fill=f32:1.5*1024`, `f32=1.5`, `lds=1024`; images are in `image.rs`.

use super::dtype::DType;
use super::hex;
use super::image::{self, ImageSpec, SamplerSpec};
use super::npy;
use anyhow::{Context, Result, bail};

/// What the help says about arguments.
pub const SYNTAX: &str = "\
Kernel arguments, one --arg for each, in order:
  buf:npy=FILE             a buffer with the contents of a NumPy file
  buf:bin=FILE             a buffer with the bytes of a file
  buf:fill=TYPE:V*N        N times the value V
  buf:list=TYPE:A,B,...    the values A, B, ...
  buf:count=TYPE:N         0, 1, 2, ... N-1
  buf:rand=TYPE:N[:seed=S][:range=LO..HI]
                           N random numbers: floats from 0 to 1, integers of all values, or LO <= x < HI
  buf:zero=BYTES           zeroed bytes
  buf:same=I               the buffer of argument I once more
  TYPE=V[,V...]            a scalar or vector by value
  hex=0011AABB...          any other value, as bytes in memory order; dwords as 0x0011AABB,0x...
  lds=BYTES                LDS behind a __local pointer
TYPE is one of i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64. Types are compared with those of the code object, where it names them (OpenCL does,
HIP does not); buf:bin, buf:zero and hex go with any. Vectors of three take four numbers; a structure is hex; NULL is u64=0.";

/// Largest buffer that the command line makes.
const MAX_BYTES: usize = 1 << 34;

/// A kernel argument.
#[derive(Clone, PartialEq, Debug)]
pub enum ArgSpec {
    /// A buffer and its first contents; type and shape are kept for outputs.
    Buffer(npy::Array),
    /// A buffer whose contents are of no type.
    Raw(npy::Array),
    /// The buffer of an earlier argument.
    Same(usize),
    /// A value of any type.
    Bytes(Vec<u8>),
    /// A number or a vector.
    Numbers(Vec<u8>, DType),
    /// LDS bytes.
    Lds(u32),
    /// An image.
    Image(ImageSpec),
    /// The image of an earlier argument.
    SameImage(usize),
    /// A sampler.
    Sampler(SamplerSpec),
    /// Triangles to trace rays through.
    Bvh(Vec<[[f32; 3]; 3]>),
}

impl ArgSpec {
    /// Reads an argument; files are read at once.
    pub fn parse(text: &str) -> Result<ArgSpec> {
        parse(text).with_context(|| format!("argument `{text}`"))
    }
}

fn parse(text: &str) -> Result<ArgSpec> {
    let Some((key, value)) = text.split_once('=') else { bail!("expected KIND=VALUE, for example f32=1.5 or buf:zero=4096") };
    Ok(match key {
        "buf:npy" => ArgSpec::Buffer(npy::read(&read_file(value)?).with_context(|| value.to_string())?),
        "buf:bin" => ArgSpec::Raw(bytes_buffer(read_file(value)?)),
        "buf:fill" => ArgSpec::Buffer(fill(value)?),
        "buf:list" => ArgSpec::Buffer(values(value)?),
        "buf:count" => ArgSpec::Buffer(count(value)?),
        "buf:rand" => ArgSpec::Buffer(random(value)?),
        "buf:zero" => ArgSpec::Raw(bytes_buffer(vec![0; length(value, 1)?])),
        "buf:same" => ArgSpec::Same(value.parse().context("expected the number of an argument")?),
        "image:same" => ArgSpec::SameImage(value.parse().context("expected the number of an argument")?),
        _ if key.starts_with("image") => ArgSpec::Image(image::parse_image(key, value)?),
        "sampler" => ArgSpec::Sampler(image::parse_sampler(value)?),
        "bvh" => ArgSpec::Bvh(image::triangles(&npy::read(&read_file(value)?).with_context(|| value.to_string())?)?),
        "lds" => ArgSpec::Lds(value.parse().context("expected a number of bytes")?),
        "hex" => ArgSpec::Bytes(hex::value_bytes(value)?),
        _ if key.starts_with("buf") => bail!("`{key}` is not a kind of buffer; known are buf:npy bin fill list count rand zero same"),
        _ => {
            let dtype = DType::parse(key)?;
            ArgSpec::Numbers(list(dtype, value)?, dtype)
        }
    })
}

fn read_file(path: &str) -> Result<Vec<u8>> {
    super::file::read(path.as_ref(), MAX_BYTES as u64)
}

fn bytes_buffer(bytes: Vec<u8>) -> npy::Array {
    npy::Array { dtype: DType::U8, shape: vec![bytes.len()], bytes }
}

fn typed(text: &str) -> Result<(DType, &str)> {
    let (name, rest) = text.split_once(':').context("expected TYPE:..., for example f32:1.5*1024")?;
    Ok((DType::parse(name)?, rest))
}

/// A number of elements that fits into memory.
fn length(text: &str, element_bytes: usize) -> Result<usize> {
    let n: usize = text.trim().replace('_', "").parse().with_context(|| format!("`{text}`: expected a count"))?;
    if n.checked_mul(element_bytes).is_none_or(|b| b > MAX_BYTES) {
        bail!("{n} elements of {element_bytes} bytes are more than {MAX_BYTES} bytes");
    }
    Ok(n)
}

fn list(dtype: DType, text: &str) -> Result<Vec<u8>> {
    let parts: Vec<Vec<u8>> = text.split(',').map(|v| dtype.encode(v)).collect::<Result<_>>()?;
    Ok(parts.concat())
}

fn values(text: &str) -> Result<npy::Array> {
    let (dtype, rest) = typed(text)?;
    let bytes = list(dtype, rest)?;
    Ok(npy::Array { dtype, shape: vec![bytes.len() / dtype.bytes()], bytes })
}

fn fill(text: &str) -> Result<npy::Array> {
    let (dtype, rest) = typed(text)?;
    let (value, n) = rest.rsplit_once('*').context("expected TYPE:VALUE*COUNT, for example f32:1.5*1024")?;
    let n = length(n, dtype.bytes())?;
    Ok(npy::Array { dtype, shape: vec![n], bytes: dtype.encode(value)?.repeat(n) })
}

fn count(text: &str) -> Result<npy::Array> {
    let (dtype, n) = typed(text)?;
    let n = length(n, dtype.bytes())?;
    let bytes = match dtype.is_float() {
        true => (0..n).flat_map(|i| dtype.encode_f64(i as f64)).collect(),
        false => (0..n as u64).flat_map(|i| i.to_le_bytes().into_iter().take(dtype.bytes())).collect(),
    };
    Ok(npy::Array { dtype, shape: vec![n], bytes })
}

fn random(text: &str) -> Result<npy::Array> {
    let (dtype, rest) = typed(text)?;
    let mut parts = rest.split(':');
    let n = length(parts.next().unwrap_or(""), dtype.bytes())?;
    let (mut seed, mut range) = (0u64, None);
    for part in parts {
        match part.split_once('=') {
            Some(("seed", s)) => seed = s.parse().with_context(|| format!("seed `{s}`"))?,
            Some(("range", r)) => {
                let (low, high) = r.split_once("..").context("expected range=LO..HI")?;
                let bounds: (f64, f64) = (low.parse()?, high.parse()?);
                if bounds.0 >= bounds.1 {
                    bail!("the range {r} is empty");
                }
                range = Some(bounds);
            }
            _ => bail!("`{part}`: expected seed=NUMBER or range=LO..HI"),
        }
    }
    let mut next = splitmix(seed);
    let mut unit = || (next() >> 11) as f64 / (1u64 << 53) as f64;
    let bytes = match (range, dtype.is_float()) {
        (None, false) => {
            let mut next = splitmix(seed);
            (0..n).flat_map(|_| next().to_le_bytes().into_iter().take(dtype.bytes())).collect()
        }
        (range, _) => {
            let (low, high) = range.unwrap_or((0.0, 1.0));
            let place = |u: f64| low + (high - low) * u;
            (0..n).flat_map(|_| dtype.encode_f64(if dtype.is_float() { place(unit()) } else { place(unit()).floor() })).collect()
        }
    };
    Ok(npy::Array { dtype, shape: vec![n], bytes })
}

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers for the same seed, for ever.
fn splitmix(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(text: &str) -> npy::Array {
        match ArgSpec::parse(text).unwrap() {
            ArgSpec::Buffer(array) | ArgSpec::Raw(array) => array,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_kind_of_argument() {
        assert_eq!(ArgSpec::parse("f32=1.5").unwrap(), ArgSpec::Numbers(vec![0, 0, 0xc0, 0x3f], DType::F32));
        assert_eq!(ArgSpec::parse("u8=1,2,3").unwrap(), ArgSpec::Numbers(vec![1, 2, 3], DType::U8));
        assert_eq!(ArgSpec::parse("hex=0x01 ff").unwrap(), ArgSpec::Bytes(vec![1, 255]));
        assert_eq!(ArgSpec::parse("lds=64").unwrap(), ArgSpec::Lds(64));
        assert_eq!(ArgSpec::parse("buf:same=0").unwrap(), ArgSpec::Same(0));
        assert_eq!(buffer("buf:fill=u16:7*3").bytes, [7, 0, 7, 0, 7, 0]);
        assert_eq!(buffer("buf:count=u8:4").bytes, [0, 1, 2, 3]);
        assert_eq!(buffer("buf:list=i8:-1,2").bytes, [255, 2]);
        assert_eq!(buffer("buf:zero=5").bytes, [0; 5]);
    }

    // First output of SplitMix64 with seed 1234567, from the reference implementation.
    #[test]
    fn random_numbers_repeat() {
        let first = u64::from_le_bytes(buffer("buf:rand=u64:1:seed=1234567").bytes.try_into().unwrap());
        assert_eq!(first, 6457827717110365317);
        assert_eq!(buffer("buf:rand=f32:9:seed=1"), buffer("buf:rand=f32:9:seed=1"));
        let small = buffer("buf:rand=u8:1000:range=3..7").bytes;
        assert!(small.iter().all(|b| (3..7).contains(b)) && (3..7).all(|b| small.contains(&b)));
    }

    #[test]
    fn mistakes_are_explained() {
        let message = |text: &str| format!("{:#}", ArgSpec::parse(text).unwrap_err());
        assert!(message("1.5").contains("KIND=VALUE"));
        assert!(message("f33=1").contains("f16 f32 f64"));
        assert!(message("buf:foo=1").contains("buf:npy"));
        assert!(message("buf:fill=f32:1").contains("TYPE:VALUE*COUNT"));
        assert!(message("buf:npy=/no/such/file").contains("/no/such/file"));
        assert!(message("buf:zero=99999999999999").contains("more than"));
        assert!(message("buf:rand=u8:9:range=3..3").contains("empty"));
        assert!(message("hex=123").contains("two for a byte"));
    }
}
