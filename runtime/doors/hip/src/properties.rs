//! What a device says of itself, in the two layouts that programs know: of releases before 6 ("R0000") and since.

use crate::abi::Out;
use crate::function::LDS_BYTES;
use crate::gpu::{self, Gpu};
use crate::status::{Result, Status, hip};
use std::ffi::c_void;
use wavejit_isa::Feature;

/// Flags of `hipDeviceArch_t`, from bit 0 on: what code of these processors may do.
///
/// 32-bit and float atomics of memory and LDS (5), 64-bit ones (2), doubles, votes, ballots, shuffles; not funnel shifts; fences of the system; not
/// extended barriers; not surface functions; grids of three dimensions; not launches by kernels.
const ARCHITECTURE: u32 = 0b0_1001_0111_1111_1111 & !(1 << 11);

/// Largest sizes of images in texels: 1-D, 2-D and 3-D, layers (RDNA3 ISA, image resource descriptor).
const IMAGE_1D: i32 = 16384;
const IMAGE_2D: [i32; 2] = [16384, 16384];
const IMAGE_3D: [i32; 3] = [16384, 16384, 8192];
/// Elements of a texture in linear memory.
const LINEAR_1D: i32 = i32::MAX;

/// Facts about a device, whatever the layout.
pub(crate) struct Facts {
    pub name: String,
    pub arch_name: String,
    pub total_memory: u64,
    pub wave_size: i32,
    pub processors: i32,
    pub major: i32,
    pub minor: i32,
    pub stepping: i32,
    pub bus: i32,
    pub uuid: [u8; 16],
}

/// Processors (compute units) of a device, whatever threads there are: programs divide work by their number, and some by a part of it.
pub(crate) const PROCESSORS: u64 = 16;
/// Most work-items of a processor.
pub(crate) const THREADS_OF_PROCESSOR: i32 = 1024;
/// Registers of 4 bytes of a workgroup, and of a processor.
pub(crate) const REGISTERS: i32 = 65536 * 3;
/// Clocks in kHz: of shaders, memory, `clock64`, `wall_clock64`. Nothing here runs at them but the last one, which counts 100 MHz.
pub(crate) const SHADER_CLOCK: i32 = 2_500_000;
/// See [`SHADER_CLOCK`].
pub(crate) const MEMORY_CLOCK: i32 = 1_249_000;
/// See [`SHADER_CLOCK`].
pub(crate) const COUNTER_CLOCK: i32 = 100_000;
/// Bits of the bus to memory.
pub(crate) const BUS_BITS: i32 = 384;
/// Bytes of the cache.
pub(crate) const L2_BYTES: i32 = 6 << 20;
/// Most workgroups of a grid, by dimension.
pub(crate) const GRID: [i32; 3] = [i32::MAX, 65536, 65536];
/// Alignment of textures and of their rows.
pub(crate) const TEXTURE_ALIGN: i32 = 256;

impl Facts {
    /// Of a device.
    pub(crate) fn of(gpu: &Gpu) -> Facts {
        let number = i32::from(gpu.target.processor.0);
        let name = gpu.target.to_string();
        let mut uuid = *b"GPU-wavejit-0000";
        uuid[14] = b'0' + (gpu.index / 10) as u8;
        uuid[15] = b'0' + (gpu.index % 10) as u8;
        Facts {
            name: format!("wavejit {}", gpu.target.name),
            arch_name: name,
            total_memory: gpu::total_memory(),
            wave_size: if gpu.target.processor.has(Feature::Wave32) { 32 } else { 64 },
            processors: PROCESSORS as i32,
            major: 10 * (number >> 12) + (number >> 8 & 0xf),
            minor: number >> 4 & 0xf,
            stepping: number & 0xf,
            bus: gpu.index as i32 + 1,
            uuid,
        }
    }
}

/// Fields of a structure by their offsets in bytes.
struct Fields<const BYTES: usize>([u8; BYTES]);

impl<const BYTES: usize> Fields<BYTES> {
    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
    }
    fn text(&mut self, at: usize, text: &str) {
        self.put(at, &text.as_bytes()[..text.len().min(255)]);
    }
    fn size(&mut self, at: usize, value: u64) {
        self.put(at, &value.to_le_bytes());
    }
    fn ints(&mut self, at: usize, values: &[i32]) {
        for (i, value) in values.iter().enumerate() {
            self.put(at + 4 * i, &value.to_le_bytes());
        }
    }
}

/// Bytes of `hipDeviceProp_tR0600` and `hipDeviceProp_tR0000`.
pub const BYTES_R0600: usize = 1472;
/// See [`BYTES_R0600`].
pub const BYTES_R0000: usize = 792;

fn r0600(f: &Facts) -> [u8; BYTES_R0600] {
    let mut p = Fields([0; BYTES_R0600]);
    p.text(0, &f.name);
    p.put(256, &f.uuid);
    p.size(288, f.total_memory);
    p.size(296, LDS_BYTES.into());
    p.ints(304, &[REGISTERS, f.wave_size]);
    p.size(312, i32::MAX as u64); // pitch of copies
    p.ints(320, &[1024, 1024, 1024, 1024]); // work-items of a workgroup, and by dimension
    p.ints(336, &GRID);
    p.ints(348, &[SHADER_CLOCK]);
    p.size(352, i32::MAX as u64); // constant memory
    p.ints(360, &[f.major, f.minor]);
    p.size(368, TEXTURE_ALIGN as u64);
    p.size(376, TEXTURE_ALIGN as u64);
    p.ints(384, &[1, f.processors, 0, 0, 1, 0]); // overlap, processors, no time limit, not integrated, maps host memory, mode
    p.ints(408, &[IMAGE_1D, IMAGE_1D, LINEAR_1D, IMAGE_2D[0], IMAGE_2D[1], IMAGE_2D[0], IMAGE_2D[1]]);
    p.ints(436, &[IMAGE_2D[0], IMAGE_2D[1], i32::MAX]);
    p.ints(456, &IMAGE_3D);
    p.ints(512, &[IMAGE_1D, IMAGE_2D[0], IMAGE_2D[1]]);
    p.ints(524, &IMAGE_3D);
    p.size(568, TEXTURE_ALIGN as u64);
    p.ints(576, &[1, 0, f.bus, 0, 0, 0, 8, 1, MEMORY_CLOCK, BUS_BITS, L2_BYTES, 0, THREADS_OF_PROCESSOR, 1, 1, 1]);
    p.size(640, LDS_BYTES.into());
    p.ints(648, &[REGISTERS, 1, 0, 0, 1, 32, 0, 1, 0, 1, 1, 1]); // managed memory; host atomics; concurrent managed access; registered memory; cooperative
    p.size(696, LDS_BYTES.into());
    p.ints(704, &[0, 1, 4]); // host page tables, direct access to managed memory, workgroups of a processor
    p.ints(728, &[1]); // host memory can be registered
    p.ints(744, &[1]); // memory pools
    p.text(1160, &f.arch_name);
    p.size(1416, LDS_BYTES.into());
    p.ints(1424, &[COUNTER_CLOCK, ARCHITECTURE as i32]);
    p.ints(1448, &[1, 1, 1, 1, 1, 0]); // unmatched cooperative launches; large BAR; revision
    p.0
}

fn r0000(f: &Facts) -> [u8; BYTES_R0000] {
    let mut p = Fields([0; BYTES_R0000]);
    p.text(0, &f.name);
    p.size(256, f.total_memory);
    p.size(264, LDS_BYTES.into());
    p.ints(272, &[REGISTERS, f.wave_size, 1024, 1024, 1024, 1024]);
    p.ints(296, &GRID);
    p.ints(308, &[SHADER_CLOCK, MEMORY_CLOCK, BUS_BITS]);
    p.size(320, i32::MAX as u64);
    p.ints(328, &[f.major, f.minor, f.processors, L2_BYTES, THREADS_OF_PROCESSOR, 0, COUNTER_CLOCK, ARCHITECTURE as i32, 1, 0, f.bus, 0]);
    p.size(376, LDS_BYTES.into());
    p.ints(384, &[0, 1, f.major * 100 + f.minor * 10 + f.stepping]);
    p.text(396, &f.arch_name);
    p.ints(652, &[0, 1, 1, LINEAR_1D, IMAGE_1D, IMAGE_2D[0], IMAGE_2D[1], IMAGE_3D[0], IMAGE_3D[1], IMAGE_3D[2]]);
    p.size(712, i32::MAX as u64);
    p.size(720, TEXTURE_ALIGN as u64);
    p.size(728, TEXTURE_ALIGN as u64);
    p.ints(736, &[0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0]);
    p.0
}

/// A structure of properties, as it lies in memory.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct Block<const BYTES: usize>(pub [u8; BYTES]);

fn put<const BYTES: usize>(out: Out<Block<BYTES>>, device: i32, make: fn(&Facts) -> [u8; BYTES]) -> Result {
    let out = out.ok_or(Status::INVALID_VALUE)?;
    out.write(Block(make(&Facts::of(gpu::by_number(device)?))));
    Ok(())
}

/// The device that is most like what a program describes: among equals the first.
fn choose(device: Out<i32>, wanted: *const c_void) -> Result {
    if wanted.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    gpu::all()?.first().ok_or(Status::NO_DEVICE)?;
    crate::abi::put(device, 0)
}

hip! {
    fn hipGetDevicePropertiesR0600(properties: Out<Block<BYTES_R0600>>, device: i32) {
        put(properties, device, r0600)
    }
    fn hipGetDevicePropertiesR0000(properties: Out<Block<BYTES_R0000>>, device: i32) {
        put(properties, device, r0000)
    }
    fn hipGetDeviceProperties(properties: Out<Block<BYTES_R0000>>, device: i32) {
        put(properties, device, r0000)
    }
    fn hipChooseDeviceR0600(device: Out<i32>, wanted: *const c_void) {
        choose(device, wanted)
    }
    fn hipChooseDeviceR0000(device: Out<i32>, wanted: *const c_void) {
        choose(device, wanted)
    }
    fn hipChooseDevice(device: Out<i32>, wanted: *const c_void) {
        choose(device, wanted)
    }
}
