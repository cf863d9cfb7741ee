//! What can be launched: kernels of code objects (`kernel`), and machine code without one (`code`).

pub mod code;
pub mod kernel;
