//! Exactness beyond single values: every combination of modifiers, every edge of a register file, instructions that need more than one
//! wave. Expected values are plain Rust or the requirement that stands beside them.

mod mix;
mod registers;
