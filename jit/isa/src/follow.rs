//! What those who follow constants and addresses through code know of an instruction, as data of its row: the lifter, for jumps to computed addresses
//! (`lift/consts.rs` of the jit), and the search for hidden arguments that a kernel uses (`code_object/hidden_use.rs` of the run time).

/// An instruction whose results can be followed. All others make what they write unknown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Follow {
    /// Its source, of 32 bits.
    Move,
    /// Its source, of 64 bits.
    Move64,
    /// The low 16 bits of its source, sign-extended.
    Extend16,
    /// a + b; SCC is the carry.
    Add,
    /// a + b; SCC is the overflow.
    AddSigned,
    /// a + b + SCC; SCC is the carry.
    AddCarry,
    /// a + b in 64 bits.
    Add64,
    /// a - b.
    Sub,
    /// a & b.
    And,
    /// a | b.
    Or,
    /// a << b.
    Shl,
    /// a >> b, of a signed number.
    AShr,
    /// The first active lane's source.
    FirstLane,
    /// One lane's source.
    ReadLane,
    /// One lane of the destination.
    WriteLane,
    /// Any SGPR or VCC may be written.
    AnyScalar,
    /// The address behind the instruction.
    GetPc,
    /// On at an address in registers.
    SetPc,
    /// The same, and the address behind the instruction.
    SwapPc,
    /// On at a distance, and the address behind the instruction.
    Call,
    /// On at a distance.
    Goto,
    /// On at a distance, or behind the instruction.
    Either,
    /// Nowhere on.
    End,
}
