//! Tiling: where the bytes of an image's elements are, on every generation.
//!
//! Graphics memory keeps texels that are near each other in an image near each other in memory. How is named by the descriptor's swizzle
//! mode (gfx9 and later) or tile mode (gfx6 to gfx8). [`Tiling::new`] works out where each mip level is and [`Level::offset`] where an
//! element is in it; an element is a texel, or a 4x4 block of a compressed format.
//!
//! | file | holds |
//! |---|---|
//! | `mode.rs` | swizzle mode numbers |
//! | `block.rs` | sizes of blocks |
//! | `equation.rs`, `patterns.rs`, `equations.txt` | byte offsets inside a block |
//! | `linear.rs`, `blocked.rs`, `gfx9.rs` | where levels are: in rows, in blocks of gfx10 to gfx12, in blocks of gfx9 |
//! | `legacy.rs`, `tile_mode.rs`, `tile_modes.txt` | gfx6 to gfx8, which have tiles and macro tiles |
//! | `level.rs` | the offset of an element, plain and with tables |
//! | `copy.rs` | whole levels to and from plain rows |
//!
//! Follows the published layout of Mesa's address library (25.0.7), against whose answers `tests/tiling.rs` checks it.

mod block;
mod blocked;
mod copy;
mod equation;
mod gfx9;
mod legacy;
mod level;
mod linear;
mod mode;
mod patterns;
mod tile_mode;

pub use copy::{CopyError, Rows};
pub use equation::Equation;
pub use level::{Level, LevelLayout, Slice};
pub use tile_mode::TileTables;

use crate::Generation;
use mode::Order;

/// Dimension of an image; arrays and cubes are their element's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // the dimensions are the names
pub enum Kind {
    OneD,
    TwoD,
    ThreeD,
}

/// What the chip adds to addresses: GB_ADDR_CONFIG, which a driver asks the device for and shaders never see. Zero is the simplest chip.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct AddressConfig {
    /// Log2 of memory pipes.
    pub pipes_log2: u32,
    /// Log2 of packers (gfx10.3 and gfx11).
    pub packers_log2: u32,
    /// Log2 of shader engines (gfx9).
    pub shader_engines_log2: u32,
    /// Log2 of memory banks (gfx9).
    pub banks_log2: u32,
    /// gfx1010, unlike gfx1011 and gfx1012: depth images of 1 or 2 bytes per element have the tails of other images.
    pub unscaled_depth_tail: bool,
    /// What the tile indices of descriptors mean (gfx6 to gfx8).
    pub tile_modes: Option<&'static TileTables>,
}

impl AddressConfig {
    /// What GB_ADDR_CONFIG says on gfx9 and later. `None` if pipes do not take turns every 256 bytes, which no driver expects.
    pub fn from_register(generation: Generation, gb_addr_config: u32) -> Option<AddressConfig> {
        let field = |low: u32, bits: u32| (gb_addr_config >> low) & ((1 << bits) - 1);
        let since = |first, value| if generation >= first { value } else { 0 };
        let gfx9 = |value| if generation == Generation::Gfx9 { value } else { 0 };
        let interleave_log2 = 8 + field(3, 3);
        (interleave_log2 == 8).then_some(AddressConfig {
            pipes_log2: since(Generation::Gfx9, field(0, 3)),
            packers_log2: since(Generation::Gfx103, field(8, 3)),
            shader_engines_log2: gfx9(field(19, 2)),
            banks_log2: gfx9(field(12, 3)),
            ..AddressConfig::default()
        })
    }
}

/// Everything that decides the layout of an image.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SurfaceParams {
    /// Of the processor.
    pub generation: Generation,
    /// Swizzle mode of the descriptor; on gfx6 to gfx8 its tile index.
    pub mode: u8,
    /// Dimension.
    pub kind: Kind,
    /// Of level 0, in texels.
    pub width: u32,
    /// Of level 0, in texels.
    pub height: u32,
    /// Depth of a 3D image at level 0, layers of any other (6 per cube).
    pub depth_or_layers: u32,
    /// Mip levels in memory, seen by the descriptor or not.
    pub levels: u32,
    /// Samples (fragments) per texel.
    pub samples: u32,
    /// Bytes of a texel, or of a compressed 4x4 block.
    pub element_bytes: u32,
    /// Are elements blocks of 4x4 texels?
    pub compressed: bool,
    /// From a row to the next, where the descriptor says so: in texels on gfx6 to gfx8, else in elements. Counts on gfx6 to gfx8, for images
    /// of one level on gfx9, and for linear ones of one level after that.
    pub pitch: Option<u32>,
    /// Extents are padded to powers of two (gfx6 to gfx8, where images of several levels always are).
    pub pow2_pad: bool,
    /// Pipe and bank bits the descriptor's base address carries below the alignment of the block: `address >> 8`; higher bits are ignored.
    pub pipe_bank_xor: u32,
    /// Of the chip.
    pub config: AddressConfig,
}

/// Why an image has no layout. No descriptor, however odd, does worse than this.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TilingError {
    /// The number is reserved.
    #[error("swizzle mode {mode} is reserved on {generation:?}")]
    ReservedMode {
        /// Of the image.
        generation: Generation,
        /// Of the image.
        mode: u8,
    },
    /// The generation has the mode, but not for such images.
    #[error("{generation:?} has no {name} layout for {kind:?} images of {samples} samples and {element_bytes} bytes per element")]
    NoSuchLayout {
        /// Of the image.
        generation: Generation,
        /// Of the mode.
        name: &'static str,
        /// Of the image.
        kind: Kind,
        /// Of the image.
        samples: u32,
        /// Of the image.
        element_bytes: u32,
    },
    /// Nothing says what the tile index means.
    #[error("the tile modes of the chip are not known")]
    NoTileModes,
    /// The chip described does not exist.
    #[error("{name} has no layout for a chip of {pipes} pipes and {packers} packers")]
    NoSuchChip {
        /// Of the mode.
        name: &'static str,
        /// Of the chip.
        pipes: u32,
        /// Of the chip.
        packers: u32,
    },
    /// Not 1 to 65536 in each direction, or no or too many levels.
    #[error("an image of {width} x {height} x {depth_or_layers} texels and {levels} levels is out of range")]
    Size {
        /// Of the image.
        width: u32,
        /// Of the image.
        height: u32,
        /// Of the image.
        depth_or_layers: u32,
        /// Of the image.
        levels: u32,
    },
    /// Not 1, 2, 4, 8, 12 or 16 bytes per element.
    #[error("{0} bytes per element have no layout")]
    ElementBytes(u32),
    /// Not 1, 2, 4 or 8 samples, or several samples and several levels at once.
    #[error("{samples} samples with {levels} levels have no layout")]
    Samples {
        /// Of the image.
        samples: u32,
        /// Of the image.
        levels: u32,
    },
    /// The descriptor's pitch does not hold a row, or is longer than any row.
    #[error("a pitch of {pitch} elements does not fit rows of {width}")]
    Pitch {
        /// Of the descriptor.
        pitch: u32,
        /// Elements in a row.
        width: u32,
    },
}

/// Layout of an image.
#[derive(Clone, Debug)]
pub struct Tiling {
    levels: Vec<Level>,
    samples: u32,
    element_bytes: u32,
    size: u64,
    alignment: u64,
}

impl Tiling {
    /// Works out the layout of an image.
    pub fn new(params: &SurfaceParams) -> Result<Tiling, TilingError> {
        if matches!(params.generation, Generation::Gfx6 | Generation::Gfx8) {
            return legacy::layout(params, &Surface::new(params)?);
        }
        let swizzle = mode::swizzle(params.generation, params.mode, &params.config)
            .ok_or(TilingError::ReservedMode { generation: params.generation, mode: params.mode })?;
        let surface = Surface::new(params)?;
        match (swizzle.order, params.generation) {
            (Order::Linear, _) => linear::layout(params, &surface),
            (_, Generation::Gfx9) => gfx9::layout(params, &surface, &swizzle),
            _ => blocked::layout(params, &surface, &swizzle),
        }
    }

    /// Byte offset of an element: x, y and z (slice or layer) within the level, in elements. 0 for a level the image does not have;
    /// coordinates outside the level give an offset that may be outside the image.
    pub fn offset(&self, level: u32, x: u32, y: u32, z: u32, sample: u32) -> u64 {
        self.levels.get(level as usize).map_or(0, |l| l.offset(x, y, z, sample))
    }

    /// Bytes of the whole image.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Bytes the image's address is a multiple of, once the pipe and bank bits are off it; a power of two.
    pub fn alignment(&self) -> u64 {
        self.alignment
    }

    /// Address that offsets count from, given the descriptor's.
    pub fn base(&self, address: u64) -> u64 {
        address & !(self.alignment - 1)
    }

    /// Mip levels, the largest first.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// A level with its equation as tables, to keep: building them costs more than a few offsets.
    pub fn level(&self, level: u32) -> Option<LevelLayout> {
        self.levels.get(level as usize).map(|l| l.layout(self.samples))
    }

    /// Samples per texel.
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// Bytes per element.
    pub fn element_bytes(&self) -> u32 {
        self.element_bytes
    }
}

/// Largest extent of an image.
const MAX_EXTENT: u32 = 1 << 16;

/// Most levels: those of the largest extent.
const MAX_LEVELS: u32 = 17;

/// A surface whose numbers were checked, in elements.
struct Surface {
    /// Width, height, depth or layers of level 0.
    size: [u32; 3],
    /// The same in texels.
    texels: [u32; 3],
    /// Texels of an element, in width and in height.
    texels_per_element: u32,
    is_volume: bool,
    levels: u32,
    samples_log2: u32,
    element_bytes: u32,
}

impl Surface {
    fn new(params: &SurfaceParams) -> Result<Surface, TilingError> {
        let &SurfaceParams { width, height, depth_or_layers, levels, samples, element_bytes, kind, .. } = params;
        let extents_fit = [width, height, depth_or_layers].iter().all(|e| (1..=MAX_EXTENT).contains(e));
        if !extents_fit || !(1..=MAX_LEVELS).contains(&levels) || (kind == Kind::OneD && height != 1) {
            return Err(TilingError::Size { width, height, depth_or_layers, levels });
        }
        if ![1, 2, 4, 8, 12, 16].contains(&element_bytes) {
            return Err(TilingError::ElementBytes(element_bytes));
        }
        if ![1, 2, 4, 8].contains(&samples) || (samples > 1 && levels > 1) {
            return Err(TilingError::Samples { samples, levels });
        }
        let texels_per_element = if params.compressed { 4 } else { 1 };
        Ok(Surface {
            size: [width.div_ceil(texels_per_element), height.div_ceil(texels_per_element), depth_or_layers],
            texels: [width, height, depth_or_layers],
            texels_per_element,
            is_volume: kind == Kind::ThreeD,
            levels,
            samples_log2: samples.ilog2(),
            element_bytes,
        })
    }

    /// The descriptor's pitch in elements, rounded up to a multiple of `unit`.
    fn pitch(&self, pitch: u32, unit: u32) -> Result<u32, TilingError> {
        let width = self.size[0];
        let fits = (width..=2 * MAX_EXTENT).contains(&pitch);
        if fits { Ok(pitch.next_multiple_of(unit)) } else { Err(TilingError::Pitch { pitch, width }) }
    }

    /// Elements of a level, as sampling sees it.
    fn elements(&self, level: u32) -> [u32; 3] {
        let halve = |extent: u32| (extent >> level).max(1);
        let [w, h, d] = self.texels;
        let per_element = self.texels_per_element;
        [halve(w).div_ceil(per_element), halve(h).div_ceil(per_element), if self.is_volume { halve(d) } else { d }]
    }

    /// Elements of a level that memory has room for: level 0's, halved and rounded up.
    fn level_size(&self, level: u32) -> [u32; 3] {
        let halve = |extent: u32| extent.div_ceil(1 << level);
        let [w, h, d] = self.size;
        [halve(w), halve(h), if self.is_volume { halve(d) } else { d }]
    }
}

fn align(value: u64, log2: u32) -> u64 {
    value.next_multiple_of(1 << log2)
}

#[cfg(test)]
mod tests {
    use super::*;

    // images.md 8.4: NUM_PIPES 2:0, PIPE_INTERLEAVE 5:3, NUM_PKRS 10:8; of gfx9 also NUM_BANKS 14:12 and NUM_SHADER_ENGINES 20:19.
    #[test]
    fn the_address_register_names_pipes_and_what_they_mix_with() {
        let register = 4 | 3 << 8 | 2 << 12 | 1 << 19;
        let of = |generation| AddressConfig::from_register(generation, register).unwrap();
        let simple = AddressConfig::default();
        assert_eq!(of(Generation::Gfx9), AddressConfig { pipes_log2: 4, banks_log2: 2, shader_engines_log2: 1, ..simple });
        assert_eq!(of(Generation::Gfx10), AddressConfig { pipes_log2: 4, ..simple });
        assert_eq!(of(Generation::Gfx11), AddressConfig { pipes_log2: 4, packers_log2: 3, ..simple });
        assert_eq!(AddressConfig::from_register(Generation::Gfx11, 1 << 3), None);
    }
}
