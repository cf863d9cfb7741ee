//! What ray instructions do. RDNA3.5 ISA, "ray tracing"; requirement BVH-02.

/// Which instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// 32-bit node pointer.
    Bvh,
    /// 64-bit node pointer.
    Bvh64,
    /// A 64-bit base and two 32-bit node pointers (gfx12); no inverse direction.
    Dual,
}

impl Form {
    /// Registers of address it reads (BVH-02); `a16`: directions have 16 bits.
    pub const fn address_dwords(self, a16: bool) -> usize {
        match self {
            Form::Dual => 12,
            Form::Bvh => {
                if a16 {
                    8
                } else {
                    11
                }
            }
            Form::Bvh64 => {
                if a16 {
                    9
                } else {
                    12
                }
            }
        }
    }
}
