//! From instructions to host code: lifting to wave IR, passes and code generation. Knows no guest memory, no threads and
//! no textures: those are reached through the one table in [`wavejit_ir::abi`].

mod by_value;
mod circles;
pub mod code_memory;
pub mod emit;
pub mod lift;
pub mod opt;
pub mod region;
