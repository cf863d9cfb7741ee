//! What compiled code is to those who call it.

use wavejit_ir::abi::WaveState;

/// A compiled entry: takes the wave, returns an [`wavejit_ir::abi::Exit`] as a number.
pub(crate) type EntryFn = unsafe extern "C" fn(*mut WaveState) -> u32;
