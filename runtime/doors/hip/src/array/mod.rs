//! Arrays: texels that textures and surfaces read and write, known by handle.
//!
//! Texels lie row after row, as linear images do, so that copies are those of pitched memory. A mipmapped array is one piece of memory whose levels
//! are arrays of their own; a plain one is its only level.

pub mod copy;
pub mod create;

use crate::allocations::{self, Kind};
use crate::gpu::Gpu;
use crate::handles::Handles;
use crate::status::{Result, Status};
use crate::texel::{Read, Texel};
use std::ffi::c_void;
use std::sync::Arc;
use wavejit::Generation;
use wavejit_texture::descriptor::{ImageDescriptor, ImageType};
use wavejit_texture::tiling::{self, AddressConfig, SurfaceParams, Tiling};

/// `hipArrayLayered` and its like.
const LAYERED: u32 = 1;
const CUBEMAP: u32 = 4;
const KNOWN_FLAGS: u32 = 0xf;
/// The swizzle mode of linear images, from gfx9 on.
const LINEAR: u8 = 0;

/// What an array was asked for: extents are 0 where it has no such dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    pub texel: Texel,
    pub extent: [usize; 3],
    pub flags: u32,
}

/// Memory of an array and its levels, freed when nobody has it any more.
pub(crate) struct Storage {
    pub gpu: &'static Gpu,
    pub shape: Shape,
    address: u64,
    tiling: Tiling,
}

/// An array: a level of a storage.
pub(crate) struct Array {
    pub storage: Arc<Storage>,
    pub level: u32,
}

/// A mipmapped array, and handles of its levels.
pub(crate) struct Mipmapped {
    pub storage: Arc<Storage>,
    levels: Vec<usize>,
}

static ARRAYS: Handles<Array> = Handles::new();
static MIPMAPPED: Handles<Mipmapped> = Handles::new();

/// The array of a handle.
pub(crate) fn get(handle: *const c_void) -> Result<Arc<Array>> {
    if handle.is_null() { Err(Status::INVALID_VALUE) } else { ARRAYS.get(handle) }
}

/// The mipmapped array of a handle.
pub(crate) fn get_mipmapped(handle: *const c_void) -> Result<Arc<Mipmapped>> {
    if handle.is_null() { Err(Status::INVALID_VALUE) } else { MIPMAPPED.get(handle) }
}

impl Drop for Storage {
    fn drop(&mut self) {
        drop(allocations::take(self.address, &[Kind::Device]));
    }
}

impl Shape {
    fn kind(&self) -> ImageType {
        let [_, height, depth] = self.extent;
        match (self.flags & (LAYERED | CUBEMAP), height, depth) {
            (flags, ..) if flags & CUBEMAP != 0 => ImageType::Cube,
            (LAYERED, 0, _) => ImageType::Dim1Array,
            (LAYERED, ..) => ImageType::Dim2Array,
            (_, 0, _) => ImageType::Dim1,
            (_, _, 0) => ImageType::Dim2,
            _ => ImageType::Dim3,
        }
    }

    /// Extents in texels, at least one of each.
    fn texels(&self) -> Result<[u32; 3]> {
        let fits = |n: usize| u32::try_from(n.max(1)).map_err(|_| Status::INVALID_VALUE);
        Ok([fits(self.extent[0])?, fits(self.extent[1])?, fits(self.extent[2])?])
    }

    /// Refuses what no array is: `hipErrorInvalidValue`.
    fn check(&self) -> Result {
        let [width, height, depth] = self.extent;
        let is_layered = self.flags & LAYERED != 0;
        let is_wrong = match self.kind() {
            ImageType::Cube => width != height || depth == 0 || !depth.is_multiple_of(6) || !is_layered && depth != 6,
            ImageType::Dim1Array | ImageType::Dim2Array => depth == 0,
            _ => height == 0 && depth != 0,
        };
        if width == 0 || self.flags & !KNOWN_FLAGS != 0 || is_wrong { Err(Status::INVALID_VALUE) } else { Ok(()) }
    }

    /// Levels down to one texel.
    fn most_levels(&self) -> u32 {
        let [width, height, depth] = self.extent;
        let depth = if self.kind() == ImageType::Dim3 { depth } else { 1 };
        width.max(height).max(depth).max(1).ilog2() + 1
    }
}

impl Storage {
    /// Allocates an array; its texels are zero.
    fn new(gpu: &'static Gpu, shape: Shape, levels: u32) -> Result<Storage> {
        shape.check()?;
        let texels = shape.texels()?;
        let generation = gpu.target.processor.descriptors();
        let tiling = linear(generation, &shape, texels, levels)?;
        let bytes = usize::try_from(tiling.size()).map_err(|_| Status::OUT_OF_MEMORY)?;
        // Refuses what a descriptor cannot say before memory is taken.
        let mut probe = descriptor(generation, &shape, texels, levels, Read::Plain, shape.texel)?;
        probe.base = 0;
        probe.encode().map_err(|_| Status::INVALID_VALUE)?;
        let address = allocations::allocate(gpu, bytes, Kind::Device, 0)?;
        Ok(Storage { gpu, shape, address, tiling })
    }

    /// Number of levels.
    pub(crate) fn levels(&self) -> u32 {
        self.tiling.levels().len() as u32
    }

    /// The image descriptor of levels, read as another format or in another way.
    pub(crate) fn descriptor(&self, texel: Texel, read: Read) -> Result<ImageDescriptor> {
        let generation = self.gpu.target.processor.descriptors();
        let mut descriptor = descriptor(generation, &self.shape, self.shape.texels()?, self.levels(), read, texel)?;
        descriptor.base = self.address;
        Ok(descriptor)
    }
}

impl Array {
    /// Its extents as C gave them, of its level.
    pub(crate) fn extent(&self) -> [usize; 3] {
        let shape = &self.storage.shape;
        let is_volume = shape.kind() == ImageType::Dim3;
        let [width, height, depth] = shape.extent;
        let halved = |n: usize| if n == 0 { 0 } else { (n >> self.level).max(1) };
        [halved(width), halved(height), if is_volume { halved(depth) } else { depth }]
    }

    /// Bytes of a texel.
    pub(crate) fn texel_bytes(&self) -> u64 {
        self.storage.shape.texel.bytes().into()
    }

    /// Bytes of a row.
    pub(crate) fn row_bytes(&self) -> u64 {
        self.extent()[0] as u64 * self.texel_bytes()
    }

    /// Where a box of it begins, and the bytes from a row and a slice to the next. It begins at bytes of a row, a row and a slice, and has bytes,
    /// rows and slices.
    pub(crate) fn part(&self, [x, y, z]: [u64; 3], [bytes, rows, slices]: [u64; 3]) -> Result<(u64, [u64; 2])> {
        let extent = self.extent();
        let inside = |from: u64, count: u64, all: u64| from.checked_add(count).is_some_and(|end| end <= all);
        let all = |n: usize| n.max(1) as u64;
        if !inside(x, bytes, self.row_bytes()) || !inside(y, rows, all(extent[1])) || !inside(z, slices, all(extent[2])) {
            return Err(Status::INVALID_VALUE);
        }
        let level = &self.storage.tiling.levels()[self.level as usize];
        let [_, row, slice] = level.step;
        Ok((self.storage.address + level.base + x + y * row + z * slice, [row, slice]))
    }
}

fn linear(generation: Generation, shape: &Shape, texels: [u32; 3], levels: u32) -> Result<Tiling> {
    let params = SurfaceParams {
        generation,
        mode: LINEAR,
        kind: match shape.kind() {
            ImageType::Dim1 | ImageType::Dim1Array => tiling::Kind::OneD,
            ImageType::Dim3 => tiling::Kind::ThreeD,
            _ => tiling::Kind::TwoD,
        },
        width: texels[0],
        height: texels[1],
        depth_or_layers: texels[2],
        levels,
        samples: 1,
        element_bytes: shape.texel.bytes(),
        compressed: false,
        pitch: None,
        pow2_pad: false,
        pipe_bank_xor: 0,
        // Of no matter to linear images.
        config: AddressConfig::from_register(generation, 0).ok_or(Status::NOT_SUPPORTED)?,
    };
    Tiling::new(&params).map_err(|_| Status::INVALID_VALUE)
}

/// The descriptor of all levels and layers, without address.
fn descriptor(generation: Generation, shape: &Shape, texels: [u32; 3], levels: u32, read: Read, texel: Texel) -> Result<ImageDescriptor> {
    let kind = shape.kind();
    let is_volume = kind == ImageType::Dim3;
    Ok(ImageDescriptor {
        depth: if is_volume { texels[2] } else { 1 },
        last_layer: if is_volume || kind.is_array() { texels[2] - 1 } else { 0 },
        last_level: levels.saturating_sub(1) as u8,
        levels: levels as u8,
        mode: LINEAR,
        dst_sel: texel.components(),
        ..ImageDescriptor::new(generation, kind, texel.number(generation, read)?, texels[0], texels[1])
    })
}
