//! What can be launched: kernels of code objects (`kernel`), and machine code without one (`code`).

pub(crate) mod code;
pub(crate) mod kernel;
