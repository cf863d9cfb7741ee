//! What the host must find in order when it forks: `fork` sections, `sync` locks that are held in them.

pub(crate) mod fork;
pub(crate) mod sync;
