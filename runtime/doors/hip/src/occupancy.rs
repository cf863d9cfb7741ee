//! How many workgroups are resident at a time, and what follows from that for sizes of launches.
//!
//! A processor (a "multiprocessor" of HIP's) is a part of what the threads of a device keep resident, and never more than that: so many workgroups as
//! go on when all of them wait for each other. Below that, the limits are those of gfx11, so that programs choose sizes as they do on hardware.
//! RDNA3 ISA, ch. 3; LLVM AMDGPUUsage, "Occupancy".

use crate::abi::Out;
use crate::function::{LDS_BYTES, max_threads};
use crate::module;
use crate::properties::PROCESSORS;
use crate::status::{Result, Status, hip};
use std::ffi::c_void;
use wavejit::code_object::KernelInfo;

/// Waves that a SIMD holds, and SIMDs of a compute unit.
const WAVES_OF_SIMD: u64 = 16;
const SIMDS: u64 = 2;
/// Vector registers of a SIMD, by lanes of a wave: 1536 rows of 32.
const VGPR_ROWS: u64 = 1536;
/// Most workgroups of a processor: together 64 of the 256 that each thread keeps resident.
const MAX_BLOCKS: u64 = 4;

/// Workgroups of so many work-items that a processor holds; 0 if not even one fits.
pub(crate) fn blocks_per_processor(info: &KernelInfo, threads: u64, shared_bytes: usize) -> u64 {
    let wave_size = u64::from(info.wave_size);
    let waves = threads.div_ceil(wave_size);
    let lds = u64::from(info.lds_bytes) + shared_bytes as u64;
    if threads == 0 || threads > u64::from(max_threads(info)) || lds > u64::from(LDS_BYTES) {
        return 0;
    }
    // Registers are taken in runs of 24 rows of 32 lanes, 12 of 64.
    let rows = u64::from(info.vgprs.max(1)) * wave_size / 32;
    let by_registers = (VGPR_ROWS / rows.next_multiple_of(24)).clamp(1, WAVES_OF_SIMD);
    let by_waves = by_registers * SIMDS / waves;
    let by_lds = u64::from(LDS_BYTES).checked_div(lds).unwrap_or(MAX_BLOCKS);
    // What fits at all is run, if by more than one compute unit.
    by_waves.min(by_lds).clamp(1, MAX_BLOCKS)
}

/// The workgroup with which most work-items are resident, and the workgroups that fill the device.
fn best_block(info: &KernelInfo, shared_bytes: usize, limit: i32) -> Result<(i32, i32)> {
    let limit = if limit <= 0 { 1024 } else { u64::from(limit.unsigned_abs()) };
    let most = u64::from(max_threads(info)).min(limit);
    let wave_size = u64::from(info.wave_size);
    let sizes = (1..=most / wave_size).map(|waves| waves * wave_size).chain((most < wave_size).then_some(most));
    let resident = |threads: u64| blocks_per_processor(info, threads, shared_bytes) * threads;
    // Of equal ones the largest.
    let best = sizes.max_by_key(|threads| resident(*threads)).ok_or(Status::INVALID_VALUE)?;
    let grid = blocks_per_processor(info, best, shared_bytes) * PROCESSORS;
    Ok((grid as i32, best as i32))
}

/// `hipOccupancyDefault`, or `hipOccupancyDisableCachingOverride`, which changes nothing.
fn check_flags(flags: u32) -> Result {
    if flags <= 1 { Ok(()) } else { Err(Status::INVALID_VALUE) }
}

fn potential(grid: Out<i32>, block: Out<i32>, function: *const c_void, shared_bytes: usize, limit: i32) -> Result {
    let (grid, block) = (grid.ok_or(Status::INVALID_VALUE)?, block.ok_or(Status::INVALID_VALUE)?);
    let (blocks, threads) = best_block(module::kernel(function)?.info(), shared_bytes, limit)?;
    grid.write(blocks);
    block.write(threads);
    Ok(())
}

fn active(blocks: Out<i32>, function: *const c_void, threads: i32, shared_bytes: usize) -> Result {
    let blocks = blocks.ok_or(Status::INVALID_VALUE)?;
    let threads = u64::try_from(threads).ok().filter(|n| *n > 0).ok_or(Status::INVALID_VALUE)?;
    let kernel = module::kernel(function)?;
    blocks.write(blocks_per_processor(kernel.info(), threads, shared_bytes) as i32);
    Ok(())
}

hip! {
    fn hipOccupancyMaxPotentialBlockSize(grid: Out<i32>, block: Out<i32>, stub: *const c_void, shared_bytes: usize, limit: i32) {
        potential(grid, block, stub, shared_bytes, limit)
    }
    fn hipModuleOccupancyMaxPotentialBlockSize(grid: Out<i32>, block: Out<i32>, function: *const c_void, shared_bytes: usize, limit: i32) {
        potential(grid, block, function, shared_bytes, limit)
    }
    fn hipModuleOccupancyMaxPotentialBlockSizeWithFlags(
        grid: Out<i32>, block: Out<i32>, function: *const c_void, shared_bytes: usize, limit: i32, flags: u32,
    ) {
        check_flags(flags)?;
        potential(grid, block, function, shared_bytes, limit)
    }
    fn hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks: Out<i32>, stub: *const c_void, threads: i32, shared_bytes: usize) {
        active(blocks, stub, threads, shared_bytes)
    }
    fn hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: Out<i32>, stub: *const c_void, threads: i32, shared_bytes: usize, flags: u32,
    ) {
        check_flags(flags)?;
        active(blocks, stub, threads, shared_bytes)
    }
    fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks: Out<i32>, function: *const c_void, threads: i32, shared_bytes: usize) {
        active(blocks, function, threads, shared_bytes)
    }
    fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: Out<i32>, function: *const c_void, threads: i32, shared_bytes: usize, flags: u32,
    ) {
        check_flags(flags)?;
        active(blocks, function, threads, shared_bytes)
    }
    fn hipOccupancyAvailableDynamicSMemPerBlock(bytes: Out<usize>, stub: *const c_void, blocks: i32, _threads: i32) {
        let kernel = module::kernel(stub)?;
        let each = u32::try_from(blocks).ok().and_then(|n| LDS_BYTES.checked_div(n)).ok_or(Status::INVALID_VALUE)?;
        crate::abi::put(bytes, each.saturating_sub(kernel.info().lds_bytes) as usize)
    }
}
