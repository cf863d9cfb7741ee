//! From AMD GPU machine code to host code: instruction tables, wave IR, passes and code generation. Knows no guest memory, no threads and
//! no textures: those are reached through the one table in [`abi`].

pub mod code_memory;
pub mod emit;
pub mod lift;
pub mod opt;
pub mod region;
