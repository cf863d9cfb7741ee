//! `hipDeviceGetAttribute`: a table of numbers.

use crate::abi::{Out, put};
use crate::function::LDS_BYTES;
use crate::gpu;
use crate::properties::{
    BUS_BITS, COUNTER_CLOCK, Facts, GRID, L2_BYTES, MEMORY_CLOCK, REGISTERS, SHADER_CLOCK, TEXTURE_ALIGN, THREADS_OF_PROCESSOR,
};
use crate::status::{Status, hip};

const LDS: i32 = LDS_BYTES as i32;
const MAX: i32 = i32::MAX;

/// Attribute and value, of those that do not depend on the device.
#[rustfmt::skip]
const SAME: &[(i32, i32)] = &[
    (0, 0),              // ECC
    (1, 0),              // access policy window
    (2, 8),              // engines of copies
    (3, 1),              // maps host memory
    (4, 1),              // host pointers of registered memory are device pointers
    (5, SHADER_CLOCK),
    (6, 0),              // compute mode
    (7, 0),              // preemption
    (8, 1),              // concurrent kernels
    (9, 1),              // concurrent managed access
    (10, 1), (11, 1),    // cooperative launches, of several devices
    (12, 1),             // copies overlap kernels
    (13, 1),             // the host reaches managed memory directly
    (14, 1),             // L1 for memory
    (15, 1),             // the host's atomics are the device's
    (16, 0),             // integrated
    (17, 0),             // several devices on a board
    (18, 0),             // no time limit
    (19, L2_BYTES),
    (20, 1),             // L1 for scratch
    (21, 0), (22, 0),    // LUID
    (24, 1),             // managed memory
    (25, 4),             // workgroups of a processor
    (26, 1024), (27, 1024), (28, 1024),
    (29, GRID[0]), (30, GRID[1]), (31, GRID[2]),
    (32, 16384), (33, 0), (34, 16384), (35, 0), (36, 16384), (37, 0), (38, 0), // surfaces
    (39, 16384), (40, 0), (41, MAX), (42, 16384), // 1-D textures: width, layers, linear, with mipmaps
    (43, 16384), (44, 16384), (45, 0), (46, 0), (47, 16384), (48, 16384), // 2-D
    (49, 16384), (50, 16384), (51, 8192), (52, 0), // 3-D
    (53, 0), (54, 0),    // cubes
    (55, 1024),
    (56, 1024),          // work-items of a workgroup
    (57, THREADS_OF_PROCESSOR),
    (58, MAX),           // pitch of copies
    (59, BUS_BITS),
    (60, MEMORY_CLOCK),
    (62, 0),             // group of the board
    (65, 0), (66, 0),    // pageable memory
    (68, 0), (69, 0),    // PCI device and domain
    (70, 0),             // persisting L2
    (71, REGISTERS), (72, REGISTERS),
    (73, 0),             // reserved LDS
    (74, LDS), (75, LDS), (76, LDS),
    (77, 32),            // single to double precision
    (78, 1),             // priorities of streams
    (79, TEXTURE_ALIGN),
    (80, 0),             // TCC
    (81, TEXTURE_ALIGN), (82, TEXTURE_ALIGN),
    (83, MAX),           // constant memory
    (84, MAX),           // total memory, as far as it fits
    (85, 1),             // one address space
    (88, 1),             // memory pools
    (89, 1),             // virtual memory management
    (90, 1),             // host memory can be registered
    (91, 0),             // handle types of pools
    (10_000, COUNTER_CLOCK),
    (10_002, LDS),
    (10_005, 0), (10_006, 0),
    (10_007, 1), (10_008, 1), (10_009, 1), (10_010, 1), // unmatched cooperative launches
    (10_011, 1),         // large BAR
    (10_012, 0),         // revision
    (10_013, 1),         // values in memory can be waited for
    (10_014, 1),         // images
    (10_016, 1),         // fine-grained memory
    (10_017, COUNTER_CLOCK),
];

hip! {
    fn hipDeviceGetAttribute(value: Out<i32>, attribute: i32, device: i32) {
        let facts = Facts::of(gpu::by_number(device)?);
        let found = match attribute {
            23 => Some(facts.major),
            61 => Some(facts.minor),
            63 | 10_015 => Some(facts.processors),
            67 => Some(facts.bus),
            87 => Some(facts.wave_size),
            _ => SAME.iter().find(|row| row.0 == attribute).map(|row| row.1),
        };
        put(value, found.ok_or(Status::INVALID_VALUE)?)
    }
}
