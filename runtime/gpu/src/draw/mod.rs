//! Draws: from the packet to primitives.
//!
//! | file | holds |
//! |---|---|
//! | `primitives.rs` | what geometry stages hand to the rasterizer |

#![allow(dead_code, reason = "draw packets are still refused")]

pub(crate) mod primitives;
