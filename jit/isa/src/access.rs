//! What memory instructions do to memory, as data of their rows: which element is loaded or stored, which operation is made on it.
//!
//! The segment is the format's, the number of registers that of the data operand's type, and whether an atomic returns the old value follows
//! from the operands.

/// Size and extension of one access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum MemKind {
    /// Zero-extended to 32 bits (loads); low byte (stores).
    U8,
    /// Sign-extended to 32 bits.
    I8,
    U16,
    I16,
    B32,
    B64,
    B96,
    B128,
}

impl MemKind {
    /// Dwords of data in registers.
    pub fn dwords(self) -> usize {
        match self {
            MemKind::B64 => 2,
            MemKind::B96 => 3,
            MemKind::B128 => 4,
            _ => 1,
        }
    }
    /// Bytes in memory.
    pub fn bytes(self) -> usize {
        match self {
            MemKind::U8 | MemKind::I8 => 1,
            MemKind::U16 | MemKind::I16 => 2,
            k => k.dwords() * 4,
        }
    }
    /// Name in the text form.
    pub fn text(self) -> &'static str {
        match self {
            MemKind::U8 => "u8",
            MemKind::I8 => "i8",
            MemKind::U16 => "u16",
            MemKind::I16 => "i16",
            MemKind::B32 => "b32",
            MemKind::B64 => "b64",
            MemKind::B96 => "b96",
            MemKind::B128 => "b128",
        }
    }
}

/// Read-modify-write operations (numerics.md section 14). `data[0]` is the operand, `data[1]` the comparand of `CmpSwap`. Compiled code names them by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)] // the names are those of the instructions
pub enum AtomicOp {
    Swap,
    CmpSwap,
    Add,
    Sub,
    RSub,
    SMin,
    UMin,
    SMax,
    UMax,
    And,
    Or,
    Xor,
    Inc,
    Dec,
    FAdd,
    FMin,
    FMax,
    FCmpSwap,
    PkAddF16,
    PkAddBf16,
    /// old < data ? 0 : old - data
    CSub,
    /// (old & !data\[0\]) | data\[1\]
    MskOr,
    /// old >= data\[0\] ? old - data\[0\] : old + data\[1\]
    Wrap,
    /// data bit 31 set: store data\[30:0\]
    CondXchg,
    /// old >= data ? old - data : old
    CondSub,
    /// Minimum of floats as gfx12 has it: a number beats a NaN.
    FMinNum,
    /// The same maximum.
    FMaxNum,
}

impl AtomicOp {
    /// Operands: 2 where there is a comparand or the like.
    pub const fn operands(self) -> usize {
        1 + matches!(self, AtomicOp::CmpSwap | AtomicOp::FCmpSwap | AtomicOp::MskOr | AtomicOp::Wrap) as usize
    }

    /// The operation with a number that compiled code passes; numbers past the last start over.
    #[inline]
    pub fn numbered(n: u8) -> AtomicOp {
        AtomicOp::ALL[usize::from(n) % AtomicOp::ALL.len()]
    }

    /// All of them, by number.
    #[rustfmt::skip]
    pub const ALL: [AtomicOp; 27] = {
        use AtomicOp::*;
        [Swap, CmpSwap, Add, Sub, RSub, SMin, UMin, SMax, UMax, And, Or, Xor, Inc, Dec, FAdd, FMin, FMax, FCmpSwap, PkAddF16, PkAddBf16, CSub,
         MskOr, Wrap, CondXchg, CondSub, FMinNum, FMaxNum]
    };
}

/// Which half of a register a 16-bit access uses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Part {
    Whole,
    /// D16: the other half of a loaded register stays.
    Low,
    High,
}

/// What an instruction does to memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// Elements of this kind, to all or half of the destination.
    Load(MemKind, Part),
    /// Elements of this kind, from all or half of the data register.
    Store(MemKind, Part),
    /// Reads, changes and writes.
    Atomic(AtomicOp),
    /// Consecutive dwords, those of 32 that M0 has a bit for.
    LoadBlock,
    /// The same from registers.
    StoreBlock,
    /// Elements of this kind of a matrix whose rows and columns change places.
    LoadTransposed(MemKind),
    /// An element of each lane to LDS, at M0 and 4 bytes from lane to lane.
    LoadToLds(MemKind),
    /// Adds in an order that memory keeps.
    OrderedAdd,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Opd;
    use crate::rows;

    #[test]
    fn rows_with_an_address_say_what_they_do_to_memory() {
        let silent: Vec<&str> = rows::all()
            .iter()
            .filter(|r| r.ops.contains(&Opd::ADDR) && r.enc() != crate::Enc::DS)
            .filter(|r| r.access.is_none())
            .map(|r| r.name)
            .collect();
        assert!(silent.is_empty(), "{silent:?}");
    }

    #[test]
    fn operations_stand_at_their_numbers() {
        for (n, op) in AtomicOp::ALL.iter().enumerate() {
            assert_eq!(*op as usize, n, "{op:?}");
        }
    }
}
