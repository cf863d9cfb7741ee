//! Why an image instruction cannot be executed.

use crate::Generation;
use crate::tiling::TilingError;

/// Why an image instruction stopped. Descriptors that are unbound or of the wrong class are not errors: the instruction reads 0 then.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ImageError {
    /// A lane touched memory that is not there.
    #[error("lane {lane} touched {address:#x}, which is not mapped")]
    Unmapped {
        /// Lane of the wave.
        lane: u32,
        /// Guest address of the texel.
        address: u64,
    },
    /// A sampler names an entry of the table of border colors, which is not there.
    #[error("border color {entry} of the device's table at {address:#x} is not there")]
    BorderColor {
        /// BORDER_COLOR_PTR.
        entry: u32,
        /// Guest address of the entry.
        address: u64,
    },
    /// The T#'s format is one that images cannot have here.
    #[error("images of format {format} ({generation:?}) are not supported")]
    Format {
        /// Number in the T#; gfx6-9: data format and number format * 256.
        format: u32,
        /// Of the descriptor.
        generation: Generation,
    },
    /// The T#'s layout in memory is none.
    #[error(transparent)]
    Tiling(#[from] TilingError),
    /// A sampler that filters across the edges of faces, and a cube whose faces are not square: there is no texel beyond such an edge.
    #[error(
        "a cube's faces are square; this T# says {width}x{height} texels, and the S# filters across edges (DISABLE_CUBE_WRAP makes each face \
         an image of its own)"
    )]
    Cube {
        /// Texels of a face's row in the view's first level.
        width: u32,
        /// Rows of a face.
        height: u32,
    },
    /// DMASK of an atomic is none of the legal ones (IMG-24).
    #[error("an image atomic cannot have dmask {0:#x}")]
    AtomicMask(u8),
    /// The instruction and its operands do not fit together.
    #[error("the instruction needs {needed} {what} registers and was given {given}")]
    Registers {
        /// Which.
        what: &'static str,
        /// How many it needs.
        needed: usize,
        /// How many there are.
        given: usize,
    },
}
