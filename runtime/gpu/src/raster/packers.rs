//! Numbers of pixel waves (requirements.md INIT-06): each packer of a shader engine counts its own.
//!
//! A tile belongs to one packer, by its place. The count goes on from draw to draw and goes round, as wide as its field is.

use super::shape::TILE;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

const ENGINES: usize = 4;
/// Of an engine.
const PACKERS: usize = 4;
/// What a wave's number is less than: {ps_wave_id\[15:6\], ps_wave_index\[5:0\]}.
const WAVES: u32 = 1 << 10;

/// The packers of a device.
#[derive(Default)]
pub(crate) struct Packers([AtomicU32; ENGINES * PACKERS]);

impl Packers {
    /// The word of the next wave of a tile, whose first pixel this is.
    pub(crate) fn next_wave(&self, origin: [i32; 2]) -> u32 {
        let [engine, packer] =
            [(origin[0], ENGINES), (origin[1], PACKERS)].map(|(at, of)| at.div_euclid(TILE).rem_euclid(of as i32) as usize);
        let index = engine * PACKERS + packer;
        (self.0[index].fetch_add(1, Relaxed) % WAVES) << 6 | index as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // INIT-06.
    #[test]
    fn packers_count_their_waves_and_go_round() {
        let packers = Packers::default();
        for id in (0..1024).chain(0..2) {
            assert_eq!(packers.next_wave([128, 192]), id << 6 | (2 * 4 + 3));
        }
        // Another packer's waves; the tile four further on is the first one's again.
        assert_eq!(packers.next_wave([128, 128]), 2 * 4 + 2);
        assert_eq!(packers.next_wave([384, 448]), 2 << 6 | (2 * 4 + 3));
        assert_eq!(packers.next_wave([-64, 0]), 3 * 4);
    }
}
