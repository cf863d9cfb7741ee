//! What targets share: memory in proportion to the input.

#[path = "../../src/limit.rs"]
mod limit;

#[global_allocator]
static ALLOCATOR: limit::Counting = limit::Counting;

/// Most memory: for each byte of input, and for what does not depend on it.
const BYTES_PER_BYTE: usize = 256;
const FREE_BYTES: usize = 16 << 20;

/// Runs a target on an input.
pub fn limited(bytes: &[u8], run: fn(&[u8])) {
    limit::within(BYTES_PER_BYTE * bytes.len() + FREE_BYTES, || run(bytes));
}
