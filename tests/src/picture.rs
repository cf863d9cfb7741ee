//! Pictures that tests compare: RGBA pixels, PNG files, and a tolerance that says what may differ.

use std::path::{Path, PathBuf};

/// Pixels, four bytes each, row after row.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// RGBA.
    pub rgba: Vec<u8>,
}

/// What may differ between two pictures.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// A component differs by at most this everywhere...
    pub steps: u8,
    /// ...but for this many pixels, where edges may fall on the other side.
    pub pixels: usize,
}

impl Picture {
    /// Reads a PNG file of 8-bit RGBA.
    pub fn load(path: &Path) -> Result<Picture, String> {
        let explain = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        let file = std::fs::read(path).map_err(|e| explain(&e))?;
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().map_err(|e| explain(&e))?;
        let mut rgba = vec![0; reader.output_buffer_size().unwrap_or(0)];
        let info = reader.next_frame(&mut rgba).map_err(|e| explain(&e))?;
        match info.color_type {
            png::ColorType::Rgba => Ok(Picture { width: info.width, height: info.height, rgba }),
            other => Err(explain(&format!("{other:?} instead of RGBA"))),
        }
    }

    /// Writes a PNG file.
    pub fn save(&self, path: &Path) {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_compression(png::Compression::High);
        encoder.write_header().and_then(|mut w| w.write_image_data(&self.rgba)).expect("pixels of the size");
        std::fs::write(path, file).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }

    /// The pixel of a place.
    pub fn at(&self, x: u32, y: u32) -> [u8; 4] {
        let at = (y * self.width + x) as usize * 4;
        [0, 1, 2, 3].map(|c| self.rgba[at + c])
    }

    /// Pixels that differ by more than the tolerance's steps, and the picture of the differences, eight times as bright as they are.
    pub fn difference(&self, other: &Picture, steps: u8) -> (usize, Picture) {
        let pairs = || self.rgba.chunks_exact(4).zip(other.rgba.chunks_exact(4));
        let worst = |(a, b): (&[u8], &[u8])| a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0);
        let rgba = pairs().flat_map(|(a, b)| [0, 1, 2].map(|c| a[c].abs_diff(b[c]).saturating_mul(8)).into_iter().chain([255])).collect();
        (pairs().filter(|p| worst(*p) > steps).count(), Picture { rgba, ..*self })
    }
}

/// Compares a picture with `golden/images/NAME.png`. If they differ, the picture and the difference are in the directory the message names.
/// With `WAVEJIT_BLESS=1` in the environment the golden picture is written instead.
pub fn check(name: &str, picture: &Picture, tolerance: Tolerance) {
    let golden = crate::root().join(format!("tests/golden/images/{name}.png"));
    if std::env::var_os("WAVEJIT_BLESS").is_some() {
        return picture.save(&golden);
    }
    let wanted = Picture::load(&golden).unwrap_or_else(|e| panic!("{e}; make it with WAVEJIT_BLESS=1"));
    assert_eq!((picture.width, picture.height), (wanted.width, wanted.height), "size of {name}");
    let (pixels, difference) = picture.difference(&wanted, tolerance.steps);
    if pixels > tolerance.pixels {
        let place: PathBuf = std::env::temp_dir();
        let [found, differs] = ["found", "difference"].map(|what| place.join(format!("wavejit-{name}-{what}.png")));
        picture.save(&found);
        difference.save(&differs);
        panic!(
            "{name}: {pixels} pixels differ by more than {} (at most {} may); see {} and {}",
            tolerance.steps,
            tolerance.pixels,
            found.display(),
            differs.display()
        );
    }
}
