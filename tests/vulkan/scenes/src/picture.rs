//! Pictures, their comparison, and PNG files of what differs.

use std::path::Path;

use ash::vk;

use crate::failure::Failure;
use crate::format::{self, Kind, Layout};

/// Codes of pixels (format.rs), row by row; layers one below the other.
#[derive(Clone)]
pub struct Picture {
    pub width: usize,
    pub height: usize,
    pub format: vk::Format,
    pub codes: Vec<[i64; 4]>,
    /// Pixels that may be either way: an edge that clipping moves passes by. Only in expected pictures.
    pub open: Vec<bool>,
}

/// By how much a picture may differ.
#[derive(Clone, Copy)]
pub struct Tolerance {
    /// Steps of the format in each component.
    pub steps: i64,
    /// Pixels that may differ by more.
    pub pixels: usize,
}

/// Nothing may differ.
pub const EXACT: Tolerance = Tolerance { steps: 0, pixels: 0 };
/// Each component by one step of its format.
pub const STEP: Tolerance = Tolerance { steps: 1, pixels: 0 };

/// What was found.
#[derive(Default, Clone, Copy)]
pub struct Difference {
    pub largest: i64,
    /// Pixels beyond the steps.
    pub pixels: usize,
    /// The first of them.
    pub first: Option<(usize, usize)>,
}

impl Picture {
    pub fn new(width: u32, height: u32, format: vk::Format, bytes: &[u8]) -> Self {
        let layout = format::layout(format);
        let codes: Vec<_> = bytes.chunks_exact(layout.bytes).map(|pixel| layout.unpack(pixel)).collect();
        assert_eq!(codes.len(), (width * height) as usize);
        Self { width: width as usize, height: height as usize, format, open: vec![false; codes.len()], codes }
    }

    /// Made of values of a function of x and y.
    pub fn of(width: u32, height: u32, format: vk::Format, mut value: impl FnMut(u32, u32) -> [f64; 4]) -> Self {
        let layout = format::layout(format);
        let codes: Vec<_> = (0..width * height).map(|i| layout.encode(value(i % width, i / width))).collect();
        Self { width: width as usize, height: height as usize, format, open: vec![false; codes.len()], codes }
    }

    pub fn layout(&self) -> Layout {
        format::layout(self.format)
    }

    pub fn value(&self, x: u32, y: u32) -> [f64; 4] {
        self.layout().decode(self.codes[y as usize * self.width + x as usize])
    }

    /// How this differs from what is expected.
    pub fn compare(&self, expected: &Self, tolerance: Tolerance) -> Difference {
        assert_eq!((self.width, self.height, self.format), (expected.width, expected.height, expected.format));
        let layout = self.layout();
        let mut difference = Difference::default();
        for (i, (a, b)) in self.codes.iter().zip(&expected.codes).enumerate() {
            if expected.open[i] {
                continue;
            }
            let steps = (0..4).map(|c| steps(layout.channels[c], a[c], b[c])).max().unwrap();
            if steps > tolerance.steps {
                difference.pixels += 1;
                difference.first.get_or_insert((i % self.width, i / self.width));
            }
            difference.largest = difference.largest.max(steps);
        }
        difference
    }

    fn rgb(&self, i: usize) -> [u8; 3] {
        let layout = self.layout();
        let value = layout.decode(self.codes[i]);
        let byte = |c: usize| -> u8 {
            let (_, bits, kind) = layout.channels[c];
            match kind {
                _ if bits == 0 => 0,
                Kind::Srgb => self.codes[i][c] as u8,
                Kind::Uint | Kind::Sint => self.codes[i][c].unsigned_abs().wrapping_mul(37) as u8,
                _ => (value[c].abs().clamp(0.0, 1.0) * 255.0).round() as u8,
            }
        };
        [byte(0), byte(1), byte(2)]
    }

    /// Writes the picture.
    pub fn save(&self, path: &Path) -> Result<(), Failure> {
        save(path, self.width, self.height, |i| self.rgb(i))
    }

    /// Writes found, expected and difference beside each other.
    pub fn save_difference(&self, expected: &Self, path: &Path) -> Result<(), Failure> {
        let (w, gap) = (self.width, 4);
        save(path, 3 * w + 2 * gap, self.height, |i| {
            let (x, y) = (i % (3 * w + 2 * gap), i / (3 * w + 2 * gap));
            let at = y * w + x % (w + gap);
            match x / (w + gap) {
                _ if x % (w + gap) >= w => [255, 0, 255],
                0 => self.rgb(at),
                1 => expected.rgb(at),
                _ if expected.open[at] => [0, 0, 96],
                _ => {
                    let differs = |c: usize| self.codes[at][c] != expected.codes[at][c];
                    let (a, b) = (self.rgb(at), expected.rgb(at));
                    std::array::from_fn(|c| if differs(c) || c == 0 && differs(3) { a[c].abs_diff(b[c]).max(48) } else { 0 })
                }
            }
        })
    }
}

/// How far two codes are from each other. Those of floats near 0 are close together: a step is one of the values from 1 to 2 there.
fn steps((_, _, kind): (u32, u32, Kind), a: i64, b: i64) -> i64 {
    match kind {
        Kind::Float(_, mantissa, _) if a != b => {
            let (x, y) = (format::value(a, kind), format::value(b, kind));
            let near = ((x - y).abs() * 2f64.powi(mantissa as i32)).ceil();
            if near.is_finite() { (near as i64).min((a - b).abs()) } else { (a - b).abs() }
        }
        _ => (a - b).abs(),
    }
}

fn save(path: &Path, width: usize, height: usize, rgb: impl Fn(usize) -> [u8; 3]) -> Result<(), Failure> {
    let mut encoder = png::Encoder::new(std::io::BufWriter::new(std::fs::File::create(path)?), width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    let bytes: Vec<u8> = (0..width * height).flat_map(rgb).collect();
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&bytes));
    written.map_err(|e| Failure::Wrong(e.to_string()))
}
