//! Kernel arguments on the command line: `buf:npy=in.npy`, `buf:fill=f32:1.5*1024`, `f32=1.5`, `lds=1024`; images are in `image.rs`.

use super::dtype::DType;
use super::hex;
use super::image::{self, ImageSpec, SamplerSpec};
use super::npy;
use anyhow::{Context, Result, bail};

/// What the help says about arguments.
pub(crate) const SYNTAX: &str = "\
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
pub(crate) enum ArgSpec {
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
    pub(crate) fn parse(text: &str) -> Result<ArgSpec> {
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
                let bound = |text: &str| text.trim().parse::<f64>().with_context(|| format!("`{text}` in range={r} is not a number"));
                range = Some(Range::new(dtype, bound(low)?, bound(high)?).with_context(|| format!("range={r}"))?);
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
            let range = range.map_or_else(|| Range::new(dtype, 0.0, 1.0), Ok)?;
            (0..n).flat_map(|_| range.encode(unit())).collect()
        }
    };
    Ok(npy::Array { dtype, shape: vec![n], bytes })
}

/// Numbers of a type between two bounds.
struct Range {
    dtype: DType,
    low: f64,
    span: f64,
    /// The first and the last number of the type that lies between them.
    first: f64,
    last: f64,
}

impl Range {
    /// From `low`, which is in it, to `high`, which is not.
    fn new(dtype: DType, low: f64, high: f64) -> Result<Range> {
        let (name, (least, most)) = (dtype.name(), dtype.limits());
        if low.is_nan() || high.is_nan() {
            bail!("a bound that is not a number");
        }
        // An integer's upper bound may be one more than the largest, which it excludes.
        let end = if dtype.is_float() { most } else { most + 1.0 };
        if low < least || high > end {
            bail!("beyond {name}, which has {least} to {most}");
        }
        if low >= high {
            bail!("empty: the lower bound must be less than the upper one");
        }
        let span = high - low;
        if span.is_infinite() {
            bail!("wider than {name} can say");
        }
        let (first, last) = (dtype.at_or_above(low), dtype.below(high));
        if first > last {
            bail!("there is no number of type {name} in it");
        }
        Ok(Range { dtype, low, span, first, last })
    }

    /// The number at `u` of the way, 0 <= u < 1. Rounding does not leave the range.
    fn encode(&self, u: f64) -> Vec<u8> {
        let value = self.low + self.span * u;
        let value = if self.dtype.is_float() { self.dtype.nearest(value) } else { value.floor() };
        self.dtype.encode_f64(value.clamp(self.first, self.last))
    }
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
    fn random_numbers_stay_in_their_range() {
        let numbers = |text: &str, dtype: DType| -> Vec<f64> {
            buffer(text).bytes.chunks(dtype.bytes()).map(|b| dtype.decode(b).parse().unwrap()).collect()
        };
        // One f16 of 4,096 below 1 rounds up to 1.
        assert!(numbers("buf:rand=f16:100000:seed=1", DType::F16).iter().all(|x| (0.0..1.0).contains(x)));
        let tenths = numbers("buf:rand=f16:100000:range=0.1..0.2", DType::F16);
        assert!(tenths.iter().all(|x| (0.1..0.2).contains(x)));
        let all = numbers("buf:rand=u8:10000:range=0..256", DType::U8);
        assert!((0..256).all(|n| all.contains(&f64::from(n))));
        let fractions = numbers("buf:rand=i16:1000:range=-2.5..1.5", DType::I16);
        assert!([-2.0, -1.0, 0.0, 1.0].iter().all(|n| fractions.contains(n)) && fractions.iter().all(|n| (-2.5..1.5).contains(n)));
        assert!(buffer("buf:rand=u64:99:range=0..18446744073709551616").bytes.chunks(8).any(|b| b[7] >= 128));
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
        assert!(message("buf:rand=u8:9:range=3..2").contains("empty"));
        assert!(message("buf:rand=f32:9:range=nan..1").contains("not a number"));
        assert!(message("buf:rand=f32:9:range=0..NaN").contains("not a number"));
        assert!(message("buf:rand=f32:9:range=0..x").contains("`x` in range=0..x"));
        assert!(message("buf:rand=u8:9:range=0..257").contains("beyond u8, which has 0 to 255"));
        assert!(message("buf:rand=u8:9:range=-1..9").contains("beyond u8"));
        assert!(message("buf:rand=i8:9:range=-129..0").contains("beyond i8, which has -128 to 127"));
        assert!(message("buf:rand=u64:9:range=0..1e20").contains("beyond u64"));
        assert!(message("buf:rand=f16:9:range=0..65505").contains("beyond f16, which has -65504 to 65504"));
        assert!(message("buf:rand=f32:9:range=0..1e39").contains("beyond f32"));
        assert!(message("buf:rand=f32:9:range=-inf..0").contains("beyond f32"));
        assert!(message("buf:rand=f64:9:range=0..inf").contains("beyond f64"));
        assert!(message("buf:rand=f64:9:range=-1.7e308..1.7e308").contains("wider"));
        assert!(message("buf:rand=f16:9:range=1.0001..1.0002").contains("no number of type f16"));
        assert!(message("buf:rand=i32:9:range=1.25..1.75").contains("no number of type i32"));
        assert!(message("hex=123").contains("two for a byte"));
    }
}

/// `--accuracy` of `run` and `emit`.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AccuracyArg {
    /// Correctly rounded.
    Nearest,
    /// Within 1 ulp, and faster.
    #[value(name = "1ulp")]
    OneUlp,
}
