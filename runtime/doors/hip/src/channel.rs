//! Formats of texels, as programs describe them.

use crate::abi::ChannelDesc;

/// `hipCreateChannelDesc` of HIP's public header.
#[unsafe(no_mangle)]
pub extern "C" fn hipCreateChannelDesc(x: i32, y: i32, z: i32, w: i32, kind: i32) -> ChannelDesc {
    ChannelDesc { x, y, z, w, kind }
}
