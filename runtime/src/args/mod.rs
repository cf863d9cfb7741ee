//! Arguments of kernels: how they are packed (`kernarg`), which types they have (`arg_type`).

pub(crate) mod arg_type;
pub(crate) mod kernarg;
