//! How much scratch ("private" memory) a wave may have, and how much a dispatch may hold at a time.
//!
//! Sizes are made once, here, and used by everything that allocates, tests or clears. What a code object, a register or a caller asks for is
//! any number of 32 bits: more than the hardware can give a wave is refused by name. The hardware's measure is the WAVESIZE field of
//! COMPUTE_TMPRING_SIZE, scratch of a whole wave: 15 bits of 256 bytes on gfx11, 18 bits on gfx12, 13 bits of 1 KiB before (LLVM:
//! `GCNSubtarget::getMaxWaveScratchSize`).
//!
//! A chip with little scratch memory keeps fewer waves in flight, and so does a dispatch here: [`ScratchLimits`].

use crate::Error;
use crate::fault::Limit;
use wavejit_isa::Gfx;

/// Scratch of a wave, in sizes that are true everywhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ScratchSize {
    lane_bytes: u32,
    wave_bytes: usize,
}

impl ScratchSize {
    /// The sizes for waves of `wave_size` lanes that ask for `bytes` a work-item. An error if no such wave could be on the chip.
    pub(crate) fn new(kernel: &str, target: Gfx, wave_size: u32, bytes: u32) -> Result<ScratchSize, Error> {
        let lanes = wave_size as usize;
        let lane_bytes = (bytes as usize).next_multiple_of(4);
        let most = target.sizes().scratch_limit / lanes;
        if lane_bytes > most {
            return Err(Error::Arg(format!(
                "kernel `{kernel}`: {bytes} bytes of scratch for a work-item: in a wave of {lanes} lanes {target} has at most {most} \
                 (COMPUTE_TMPRING_SIZE.WAVESIZE)"
            )));
        }
        Ok(ScratchSize { lane_bytes: lane_bytes as u32, wave_bytes: lane_bytes * lanes })
    }

    /// Bytes of a lane, whole dwords: offsets below it may be touched.
    pub(crate) fn lane_bytes(self) -> u32 {
        self.lane_bytes
    }

    /// Bytes of a wave.
    pub(crate) fn wave_bytes(self) -> usize {
        self.wave_bytes
    }
}

/// How many workgroups of a dispatch may be there at once, as far as their scratch goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ScratchLimits {
    /// Threads that may run workgroups.
    pub threads: usize,
    /// Workgroups that each of them may keep in flight.
    pub residents: usize,
}

impl ScratchLimits {
    /// What fits into `limit_bytes` of at most `threads` threads with `residents` workgroups of `waves` waves each. An error if not even one
    /// workgroup fits.
    pub(super) fn new(
        kernel: &str,
        size: ScratchSize,
        waves: u32,
        limit_bytes: u64,
        threads: usize,
        residents: usize,
    ) -> Result<Self, Error> {
        let group_bytes = size.wave_bytes as u64 * u64::from(waves);
        let Some(fitting) = limit_bytes.checked_div(group_bytes) else { return Ok(ScratchLimits { threads, residents }) };
        if fitting == 0 {
            let (kernel, lane_bytes) = (kernel.to_string(), size.lane_bytes);
            return Err(Limit::Scratch { kernel, waves, group_bytes, lane_bytes, limit_bytes }.into());
        }
        let fitting = usize::try_from(fitting).unwrap_or(usize::MAX);
        let threads = threads.min(fitting);
        Ok(ScratchLimits { threads, residents: residents.min(fitting / threads) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(target: u16, lanes: u32, bytes: u32) -> Result<ScratchSize, String> {
        ScratchSize::new("k", Gfx(target), lanes, bytes).map_err(|e| e.to_string())
    }

    // 0x7fff * 256 bytes a wave on gfx11, 0x1fff * 1024 before, 0x3ffff * 256 on gfx12.
    #[test]
    fn a_work_item_has_no_more_scratch_than_the_register_can_say() {
        for (target, lanes, most) in
            [(0x1100, 32, 262_136), (0x1100, 64, 131_068), (0x1030, 32, 262_112), (0x803, 64, 131_056), (0x1200, 32, 2_097_144)]
        {
            assert_eq!(size(target, lanes, most).unwrap().lane_bytes(), most);
            for more in [most + 1, most + 4, 1 << 31, 0xffff_fffc, 0xffff_fffd, 0xffff_ffff] {
                let message = size(target, lanes, more).unwrap_err();
                assert!(message.contains(&more.to_string()) && message.contains(&most.to_string()), "{message}");
            }
        }
    }

    #[test]
    fn sizes_are_whole_dwords() {
        for (bytes, lane, wave) in [(0, 0, 0), (1, 4, 128), (4, 4, 128), (5, 8, 256), (262_133, 262_136, 8_388_352)] {
            let size = size(0x1100, 32, bytes).unwrap();
            assert_eq!((size.lane_bytes(), size.wave_bytes()), (lane, wave));
        }
    }

    #[test]
    fn fewer_workgroups_are_in_flight_where_scratch_is_short() {
        let size = size(0x1100, 32, 1024).unwrap(); // 32 KiB a wave
        let limits = |limit, threads, residents| ScratchLimits::new("k", size, 4, limit, threads, residents);
        let is = |threads, residents| ScratchLimits { threads, residents };
        assert_eq!(limits(1 << 30, 8, 256).unwrap(), is(8, 256));
        assert_eq!(limits(1 << 20, 2, 256).unwrap(), is(2, 4));
        assert_eq!(limits(1 << 18, 8, 256).unwrap(), is(2, 1));
        let message = limits((1 << 17) - 1, 8, 256).unwrap_err().to_string();
        assert!(message.contains("131072") && message.contains("131071") && message.contains("scratch_limit_bytes"), "{message}");
        let none = ScratchSize::new("k", Gfx::GFX1100, 32, 0).unwrap();
        assert_eq!(ScratchLimits::new("k", none, 4, 0, 8, 256).unwrap(), is(8, 256));
    }
}
