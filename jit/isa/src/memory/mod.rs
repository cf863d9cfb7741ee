//! What buffer, image and ray instructions do: data that stand on their rows ([`Row::memory`](crate::Row)), as [`access`](crate::access) is of
//! others. Decoder, wave IR, what executes them and
//! coverage all read it from there; nobody asks a mnemonic.

pub mod buffer;
pub mod image;
mod named;
pub mod ray;

pub use crate::access::{AtomicOp, Part};

/// What a buffer, image or ray instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryKind {
    /// MUBUF, MTBUF and VBUFFER.
    Buffer {
        /// Access.
        opcode: buffer::Opcode,
        /// Always to LDS; others choose by a bit.
        to_lds: bool,
    },
    /// MIMG, VIMAGE and VSAMPLE.
    Image {
        /// Operation.
        kind: image::Kind,
        /// `_g16`: derivatives have 16 bits.
        g16: bool,
    },
    /// Ray intersection.
    Ray(ray::Form),
}

#[cfg(test)]
mod tests {
    use crate::inst::Enc;
    use crate::rows;

    #[test]
    fn every_access_has_its_data_and_nothing_else_has() {
        for row in rows::all() {
            let expected = match row.enc() {
                Enc::MUBUF | Enc::MTBUF => !row.ops.is_empty(),
                Enc::MIMG | Enc::VIMAGE | Enc::VSAMPLE => true,
                _ => false,
            };
            assert_eq!(row.memory.is_some(), expected, "{}", row.name);
        }
    }
}
