//! Instruction tables: rows, decoder, disassembler, assembler.

pub mod access;
pub mod asm;
pub mod beyond;
mod bits;
pub mod counters;
pub mod decode;
pub mod disasm;
pub mod encode;
pub mod feature;
pub mod host;
pub mod hwreg;
mod implicit;
pub mod inst;
pub mod memory;
pub mod reserved;
pub mod row;
pub mod rows;
pub mod scalars;
mod table;
pub mod target;
mod target_id;

pub use access::{Access, AtomicOp, MemKind, Part};
pub use asm::{AsmError, assemble, assemble_instruction};
pub use beyond::{BEYOND, Beyond, Tolerance};
pub use decode::{DecodeError, decode, decode_lenient};
pub use disasm::{DisasmOptions, disasm, disasm_stream};
pub use encode::{Code, EncodeError, encode};
pub use feature::{Feature, Generation, Sizes};
pub use host::{HostLevel, HostLevelError};
pub use hwreg::HwReg;
pub use inst::{Dpp, Enc, Half, Inst, Mods, Operand, Sdwa};
pub use memory::MemoryKind;
pub use reserved::{Reserved, reserved};
pub use row::{Flags, Implicit, Opd, Row, Ty};
pub use target::{Family, Gfx, Procs, Space};
pub use target_id::{TargetError, TargetId};
