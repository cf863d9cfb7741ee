//! What buffer instructions do. RDNA3 ISA, chapter 9; requirements BUF-01 to BUF-25.

pub use super::Part;
use crate::access::AtomicOp;

/// 16-bit data of a format access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum D16 {
    /// 32 bits a component.
    No,
    /// Two components a register, low half first.
    Low,
    /// One component, in the high half.
    High,
}

impl D16 {
    /// Registers of so many components.
    pub fn dwords(self, components: u8, unpacked: bool) -> usize {
        match self {
            D16::Low if !unpacked => usize::from(components).div_ceil(2),
            _ => components.into(),
        }
    }
}

/// What a buffer instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // fields as their types say
pub enum Opcode {
    /// 1 or 2 bytes extend to 32 bits, or to 16 in one half of the register (BUF-05).
    Load {
        bytes: u8,
        signed: bool,
        part: Part,
    },
    Store {
        bytes: u8,
        part: Part,
    },
    /// By the format of the V# or of the instruction (BUF-01).
    LoadFormat {
        components: u8,
        d16: D16,
    },
    StoreFormat {
        components: u8,
        d16: D16,
    },
    /// Operand in the first data registers, comparand behind it (BUF-25).
    Atomic {
        op: AtomicOp,
        wide: bool,
    },
    /// From LDS to memory: a dword a lane (gfx8, gfx9).
    StoreLds,
}

#[cfg(test)]
mod tests {
    use super::super::{AtomicOp, MemoryKind};
    use super::*;

    fn named(name: &str) -> Option<(Opcode, bool)> {
        match MemoryKind::named(name)? {
            MemoryKind::Buffer { opcode, to_lds } => Some((opcode, to_lds)),
            _ => None,
        }
    }

    #[test]
    fn old_and_new_names_mean_the_same() {
        let atomic = |op, wide| Opcode::Atomic { op, wide };
        for (old, new, opcode) in [
            ("buffer_load_dwordx3", "buffer_load_b96", Opcode::Load { bytes: 12, signed: false, part: Part::Whole }),
            ("buffer_load_sbyte_d16_hi", "buffer_load_d16_hi_i8", Opcode::Load { bytes: 1, signed: true, part: Part::High }),
            ("buffer_store_short_d16_hi", "buffer_store_d16_hi_b16", Opcode::Store { bytes: 2, part: Part::High }),
            ("buffer_store_byte", "buffer_store_b8", Opcode::Store { bytes: 1, part: Part::Whole }),
            ("buffer_load_format_d16_xyz", "buffer_load_d16_format_xyz", Opcode::LoadFormat { components: 3, d16: D16::Low }),
            ("buffer_store_format_d16_hi_x", "buffer_store_d16_hi_format_x", Opcode::StoreFormat { components: 1, d16: D16::High }),
            ("buffer_atomic_smax_x2", "buffer_atomic_max_i64", atomic(AtomicOp::SMax, true)),
            ("buffer_atomic_fcmpswap", "buffer_atomic_cmpswap_f32", atomic(AtomicOp::FCmpSwap, false)),
            ("buffer_atomic_fmin_x2", "buffer_atomic_min_f64", atomic(AtomicOp::FMin, true)),
            ("buffer_atomic_csub", "buffer_atomic_sub_clamp_u32", atomic(AtomicOp::CSub, false)),
            ("tbuffer_store_format_d16_xyzw", "tbuffer_store_d16_format_xyzw", Opcode::StoreFormat { components: 4, d16: D16::Low }),
        ] {
            assert_eq!(named(old), Some((opcode, false)), "{old}");
            assert_eq!(named(new), Some((opcode, false)), "{new}");
        }
        assert_eq!(named("buffer_load_lds_i16"), Some((Opcode::Load { bytes: 2, signed: true, part: Part::Whole }, true)));
        assert_eq!(named("buffer_store_lds_dword"), Some((Opcode::StoreLds, false)));
    }

    #[test]
    fn other_names_mean_nothing() {
        for name in ["buffer_gl0_inv", "tbuffer_load_dword", "buffer_load_format_d16_hi_xy", "global_load_b32", "buffer_atomic_mul"] {
            assert_eq!(named(name), None, "{name}");
        }
    }
}
