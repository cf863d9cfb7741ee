//! What an instruction does, by its mnemonic: for tests, tools and documents. What runs has the row.

use super::MemoryKind;
use super::image::Kind;
use crate::rows;

impl MemoryKind {
    /// Of the row with a mnemonic, on whatever processor it is called so.
    pub fn named(mnemonic: &str) -> Option<MemoryKind> {
        rows::all().iter().find(|r| r.name == mnemonic || r.names.iter().any(|n| n.1 == mnemonic))?.memory
    }
}

impl Kind {
    /// The operation of a mnemonic from its row, and whether it is a `_g16` form. `None`: not an image instruction, or one that traces rays.
    ///
    /// ```
    /// use wavejit_isa::memory::image::{Kind, Lod, Sampling};
    /// let sampling = Sampling { compare: true, offset: true, clamp: true, lod: Lod::Derivatives };
    /// assert_eq!(Kind::named("image_sample_c_d_cl_o_g16"), Some((Kind::Sample(sampling), true)));
    /// ```
    pub fn named(mnemonic: &str) -> Option<(Kind, bool)> {
        match MemoryKind::named(mnemonic)? {
            MemoryKind::Image { kind, g16 } => Some((kind, g16)),
            _ => None,
        }
    }
}
