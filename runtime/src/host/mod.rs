//! What lies between the host program and us: `fork` sections and `sync` locks that are held in them, `float` the environment we compute in,
//! `vectors` its instructions for work of ours.

pub(crate) mod float;
pub(crate) mod fork;
pub(crate) mod sync;
pub(crate) mod vectors;
