//! wavejit for Python: the extension module of the package in `python/wavejit`, thin over the Rust API. What users find: `docs/python.md`.
//!
//! | file | holds |
//! |---|---|
//! | `device.rs` | devices |
//! | `buffer.rs` | device memory, and Python's view of it |
//! | `module.rs` | code objects, kernels and what is known of them |
//! | `args.rs`, `number.rs` | Python values as kernel arguments |
//! | `memory.rs` | arrays of the host: copied to the device and back, or lent |
//! | `launch.rs` | launches: without the interpreter's lock, ended by Ctrl-C |
//! | `errors.rs` | errors as exceptions |
//! | `print.rs` | what kernels print |

#![allow(unreachable_pub)] // callers are Python

mod args;
mod buffer;
mod device;
mod errors;
mod launch;
mod memory;
mod module;
mod number;
mod print;

use pyo3::prelude::*;

/// The classes of the package that are not written in Python.
#[pymodule]
mod _wavejit {
    #[pymodule_export]
    use crate::args::Local;
    #[pymodule_export]
    use crate::buffer::Buffer;
    #[pymodule_export]
    use crate::device::Device;
    #[pymodule_export]
    use crate::launch::Stats;
    #[pymodule_export]
    use crate::memory::{In, Out};
    #[pymodule_export]
    use crate::module::{Argument, Kernel, Module};
}
