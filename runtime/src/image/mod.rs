//! Images: texels in guest memory behind an image descriptor (T#), laid out as the hardware would, filled and read as plain rows.
//!
//! | file | holds |
//! |---|---|
//! | `desc.rs` | what a caller asks for |
//! | `format.rs` | names of formats |
//! | `layout.rs` | the swizzle mode an image gets |
//! | `levels.rs` | mip levels made by halving |
//! | `sampler.rs` | samplers and border colors |
//!
//! An image argument of a kernel is a pointer to its descriptor in memory. As the device libraries of ROCm expect, four more dwords follow
//! the eight of the T#: HSA's channel type and channel order, the width, and 0. Reference: RDNA3 ISA, table of T#; ROCm's image library.

mod desc;
mod format;
mod layout;
mod levels;
pub(crate) mod sampler;

pub use desc::{ImageDesc, ImageKind, ImageTiling};
pub use format::ImageFormat;

use crate::error::Error;
use crate::memory::address_space::AddressSpace;
use crate::memory::image_config;
use crate::{Buffer, Device};
use std::ops::Range;
use std::sync::Arc;
use wavejit_texture::descriptor;
use wavejit_texture::descriptor::ImageDescriptor;
use wavejit_texture::format::Format;
use wavejit_texture::tiling::{Rows, Tiling};

/// An image in guest memory, freed when dropped. [`Device::image`] makes one.
///
/// ```
/// use wavejit::{Arg, Device, DeviceConfig, Filter, ImageDesc, ImageFormat, Launch, SamplerDesc};
///
/// // A kernel that turns and swirls a picture, compiled for gfx1100.
/// let device = Device::new(DeviceConfig::default())?;
/// let kernel = device.load(include_bytes!("../../../shaders/bin/image_swirl.gfx1100.wave32.hsaco"))?.kernel("image_swirl")?;
/// let desc = ImageDesc { format: ImageFormat::Rgba8, width: 16, height: 16, ..Default::default() };
/// let (from, to) = (device.image(&desc)?, device.image(&desc)?);
/// from.write(0, &[200; 16 * 16 * 4])?;
/// let sampler = device.sampler(&SamplerDesc { mag: Filter::Linear, min: Filter::Linear, ..Default::default() })?;
/// let args = [Arg::Image(&from), Arg::Sampler(&sampler), Arg::Image(&to), Arg::F32(1.5)];
/// kernel.launch(&Launch::new([16, 16, 1], [8, 8, 1], &args))?;
/// assert_eq!(to.read(0)?, [200; 16 * 16 * 4]); // one color stays what it is
/// # Ok::<(), wavejit::Error>(())
/// ```
pub struct Image {
    space: Arc<AddressSpace>,
    desc: ImageDesc,
    format: &'static Format,
    tiling: Tiling,
    address: u64,
    words: [u32; 8],
    /// The descriptor, where kernels read it.
    argument: Buffer,
}

impl Device {
    /// Makes an image; its texels are zero. An error names what the generation cannot do.
    pub fn image(&self, desc: &ImageDesc) -> Result<Image, Error> {
        let mut desc = *desc;
        if desc.levels == 0 {
            let depth = if desc.kind == ImageKind::ThreeD { desc.depth } else { 1 };
            desc.levels = desc.width.max(desc.height).max(depth).max(1).ilog2() + 1;
        }
        check(&desc)?;
        let Some((number, format)) = desc.format.number(desc.generation) else {
            return Err(Error::Arg(format!("{:?} has no image format {}", desc.generation, desc.format.name())));
        };
        let mut t = descriptor_of(&desc, number, format);
        let config = image_config::of_device(self.config().gb_addr_config, desc.generation)?;
        let (mode, tiling) = layout::choose(&desc, &t, format, config)?;
        t.mode = mode;
        t.pitch = layout::pitch(&desc, &tiling, format).or(t.pitch);
        let space = self.memory().clone();
        let address = space.alloc(tiling.size(), tiling.alignment())?;
        t.base = address;
        let finish = || {
            let words = t.encode().map_err(|e| Error::Arg(format!("image: {e}")))?;
            let [channel_type, order] = desc.format.hsa();
            let all = words.iter().copied().chain([channel_type, order, desc.width, 0]);
            let argument = self.upload(&all.flat_map(u32::to_le_bytes).collect::<Vec<_>>())?;
            Ok((words, argument))
        };
        match finish() {
            Ok((words, argument)) => Ok(Image { space, desc, format, tiling, address, words, argument }),
            Err(e) => {
                space.free(address);
                Err(e)
            }
        }
    }
}

/// Refuses shapes without texels, and those that the kind of image cannot have.
fn check(desc: &ImageDesc) -> Result<(), Error> {
    let refuse = |why: String| Err(Error::Arg(format!("image of {} x {} x {}: {why}", desc.width, desc.height, desc.depth)));
    let (flat, layered) = match desc.kind {
        ImageKind::OneD => (true, false),
        ImageKind::OneDArray => (true, true),
        ImageKind::TwoD => (false, false),
        ImageKind::TwoDArray | ImageKind::ThreeD | ImageKind::Cube => (false, true),
    };
    if flat && desc.height != 1 || !layered && desc.depth != 1 {
        return refuse(format!("{:?} images have no such extent", desc.kind));
    }
    if desc.kind == ImageKind::Cube && (desc.width != desc.height || !desc.depth.is_multiple_of(6)) {
        return refuse("cubes have square faces, six of them".into());
    }
    if desc.samples > 1 && !matches!(desc.kind, ImageKind::TwoD | ImageKind::TwoDArray) {
        return refuse(format!("{:?} images have one sample", desc.kind));
    }
    let extents = [desc.width, desc.height, if desc.kind == ImageKind::ThreeD { desc.depth } else { 1 }];
    let most = extents.into_iter().max().unwrap_or(1).max(1).ilog2() + 1;
    if desc.levels > most {
        return refuse(format!("{} mip levels: there are {most} at most", desc.levels));
    }
    Ok(())
}

/// The descriptor without address and swizzle mode.
fn descriptor_of(desc: &ImageDesc, number: wavejit_texture::FormatNumber, format: &Format) -> ImageDescriptor {
    use descriptor::ImageType as Kind;
    let is_msaa = desc.samples > 1;
    let kind = match desc.kind {
        ImageKind::OneD => Kind::Dim1,
        ImageKind::OneDArray => Kind::Dim1Array,
        ImageKind::TwoD if is_msaa => Kind::Msaa,
        ImageKind::TwoD => Kind::Dim2,
        ImageKind::TwoDArray if is_msaa => Kind::MsaaArray,
        ImageKind::TwoDArray => Kind::Dim2Array,
        ImageKind::ThreeD => Kind::Dim3,
        ImageKind::Cube => Kind::Cube,
    };
    let is_volume = kind == Kind::Dim3;
    ImageDescriptor {
        depth: if is_volume { desc.depth } else { 1 },
        last_layer: desc.depth.saturating_sub(1),
        last_level: desc.levels.saturating_sub(1) as u8,
        levels: desc.levels as u8,
        samples_log2: desc.samples.checked_ilog2().unwrap_or(0) as u8,
        dst_sel: format::components(format),
        ..ImageDescriptor::new(desc.generation, kind, number, desc.width, desc.height)
    }
}

impl Image {
    /// What it was made of; `levels` is the number it has.
    pub fn desc(&self) -> &ImageDesc {
        &self.desc
    }

    /// Its descriptor (T#).
    pub fn descriptor(&self) -> [u32; 8] {
        self.words
    }

    /// Guest address of the descriptor: what a kernel's image argument is.
    pub fn descriptor_address(&self) -> u64 {
        self.argument.address()
    }

    /// Guest address of the texels.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// How an element is made up.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// Columns, rows and slices or layers of a level, in elements: texels, or blocks of compressed formats. `None`: no such level.
    pub fn elements(&self, level: u32) -> Option<[u32; 3]> {
        self.tiling.levels().get(level as usize).map(|l| l.size)
    }

    /// Bytes of a level as plain rows: row after row, slice after slice (layer, face), all of a sample before the next sample.
    pub fn level_bytes(&self, level: u32) -> Option<usize> {
        let [w, h, d] = self.elements(level)?.map(|n| n as usize);
        Some(w * h * d * usize::from(self.format.bytes) * self.desc.samples as usize)
    }

    /// Fills a level from plain rows of exactly its bytes.
    pub fn write(&self, level: u32, rows: &[u8]) -> Result<(), Error> {
        let layout = self.rows(level, rows.len())?;
        self.parts(level).try_for_each(|z| {
            let from = z.start as usize * layout.slice_bytes;
            self.put(level, z, &rows[from..], &layout)
        })
    }

    /// A level as plain rows.
    pub fn read(&self, level: u32) -> Result<Vec<u8>, Error> {
        let mut rows = vec![0; self.level_bytes(level).unwrap_or(0)];
        let layout = self.rows(level, rows.len())?;
        self.parts(level).try_for_each(|z| {
            let to = z.start as usize * layout.slice_bytes;
            self.get(level, z, &mut rows[to..], &layout)
        })?;
        Ok(rows)
    }

    /// Fills one layer, face or slice of a level.
    pub fn write_layer(&self, level: u32, layer: u32, rows: &[u8]) -> Result<(), Error> {
        self.put(level, layer..layer + 1, rows, &self.layer_rows(level, layer, rows.len())?)
    }

    /// One layer, face or slice of a level.
    pub fn read_layer(&self, level: u32, layer: u32) -> Result<Vec<u8>, Error> {
        let depth = self.elements(level).map_or(1, |e| e[2]).max(1) as usize;
        let mut rows = vec![0; self.level_bytes(level).unwrap_or(0) / depth];
        let layout = self.layer_rows(level, layer, rows.len())?;
        self.get(level, layer..layer + 1, &mut rows, &layout)?;
        Ok(rows)
    }

    /// Slices of a level that are copied together: those that share blocks, or all of them where they follow one another.
    fn parts(&self, level: u32) -> impl Iterator<Item = Range<u32>> + use<> {
        let depth = self.elements(level).map_or(0, |e| e[2]);
        let together = if self.desc.levels == 1 { depth.max(1) } else { self.tiling.slices_together(level) };
        (0..depth).step_by(together as usize).map(move |z| z..(z + together).min(depth))
    }

    /// Copies rows into slices of a level.
    fn put(&self, level: u32, z: Range<u32>, rows: &[u8], layout: &Rows) -> Result<(), Error> {
        let (address, mut window) = self.window(level, &z);
        let [w, h, _] = self.elements(level).unwrap_or_default().map(|n| n as usize);
        let elements = w * h * z.len() * self.desc.samples as usize;
        // Padding, other slices and other levels between the elements keep their bytes.
        if elements * usize::from(self.format.bytes) != window.len() {
            self.space.read(address, &mut window)?;
        }
        self.tiling.tile_slices(level, z, rows, layout, &mut window).map_err(|e| Error::Arg(format!("image: {e}")))?;
        self.space.write(address, &window)
    }

    /// Copies slices of a level into rows.
    fn get(&self, level: u32, z: Range<u32>, rows: &mut [u8], layout: &Rows) -> Result<(), Error> {
        let (address, mut window) = self.window(level, &z);
        self.space.read(address, &mut window)?;
        self.tiling.detile_slices(level, z, &window, rows, layout).map_err(|e| Error::Arg(format!("image: {e}")))
    }

    /// Guest address of what holds some slices of a level, and room for a copy of it.
    fn window(&self, level: u32, z: &Range<u32>) -> (u64, Vec<u8>) {
        let span = self.tiling.span(level, z.clone()).unwrap_or(0..0);
        (self.address + span.start, vec![0; (span.end - span.start) as usize])
    }

    /// How a single layer lies in rows of exactly its bytes.
    fn layer_rows(&self, level: u32, layer: u32, given: usize) -> Result<Rows, Error> {
        let [w, h, depth] = self.elements(level).unwrap_or_default();
        let bytes = self.level_bytes(level).unwrap_or(0) / depth.max(1) as usize;
        match layer < depth && bytes == given && self.desc.samples == 1 {
            true => Ok(Rows::tight([w, h, 1], self.format.bytes.into())),
            false => Err(Error::Arg(format!("layer {layer} of level {level}: the image has {depth} layers of {bytes} bytes there"))),
        }
    }

    fn rows(&self, level: u32, given: usize) -> Result<Rows, Error> {
        let Some(elements) = self.elements(level) else {
            return Err(Error::Arg(format!("the image has {} levels, not level {level}", self.desc.levels)));
        };
        match self.level_bytes(level) {
            Some(bytes) if bytes == given => Ok(Rows::tight(elements, self.format.bytes.into())),
            bytes => Err(Error::Arg(format!("level {level} of the image has {} bytes as rows, not {given}", bytes.unwrap_or(0)))),
        }
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        self.space.free(self.address);
    }
}

#[cfg(test)]
mod tests;
