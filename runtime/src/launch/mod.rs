//! What can be launched: kernels of code objects (`kernel`), perhaps with workgroups that wait for each other (`cooperative`), and machine code
//! without one (`code`).

pub(crate) mod code;
pub(crate) mod cooperative;
pub(crate) mod kernel;
