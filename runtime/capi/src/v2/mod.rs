//! Version 2 of the C interface: the functions of `include/wavejit2.h`, beside those of version 1, which stay as they are.
//!
//! | file | holds |
//! |---|---|
//! | `handles.rs` | what C holds of ours; every use is checked |
//! | `structs.rs` | structures of the caller's, which may be longer in later versions |
//! | `failure.rs` | errors in parts |
//! | `device.rs`, `memory.rs` | devices, their memory, memory of the host that is registered |
//! | `module.rs`, `facts.rs` | code objects, symbols, kernels and what is known of them |
//! | `args.rs`, `launch.rs` | arguments by number and name; launches and their statistics |
//! | `stream.rs` | launches one after the other, beside the program; events |
//! | `image.rs`, `sampler.rs` | images and samplers |

mod args;
mod device;
mod facts;
pub(crate) mod failure;
mod handles;
mod image;
mod launch;
mod memory;
mod module;
mod sampler;
mod stream;
mod structs;

use super::c_string;
use failure::Failure;
use std::panic::{AssertUnwindSafe, catch_unwind};
use wavejit::Error;

/// Version of this interface. A later one with the same number has more functions, and longer structures.
const VERSION: u32 = 2;

/// `uint32_t wavejit2_version(void)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_version() -> u32 {
    VERSION
}

/// Runs `body`; a failure of it becomes a code, and is noted for the thread.
fn call(body: impl FnOnce() -> Result<(), Failure>) -> i32 {
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned().or(panic.downcast_ref::<&str>().map(|s| s.to_string()));
        Err(Error::Internal(text.unwrap_or_else(|| "panic".to_string())).into())
    });
    match result {
        Ok(()) => 0,
        Err(failure) => {
            let code = failure.code();
            failure.note();
            code
        }
    }
}
