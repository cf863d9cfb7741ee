//! Exactness beyond single values: every combination of modifiers, every edge of a register file, what waves start with, instructions that
//! need more than one wave. Expected values are plain Rust or the requirement that stands beside them.

mod atomics;
mod device;
mod gws;
mod hardware;
mod matrices;
mod mix;
mod registers;
mod scalars;
mod start;
mod waves;
