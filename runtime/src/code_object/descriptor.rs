//! The 64-byte kernel descriptor: what the command processor reads to start waves.
//!
//! Layout: LLVM AMDGPUUsage, "Kernel Descriptor"; register fields: COMPUTE_PGM_RSRC1..3 of each generation.

use wavejit_ir::FpMode;
use wavejit_isa::{Feature, Gfx};
use wavejit_jit::lift::ALL_VGPRS;

/// COMPUTE_PGM_RSRC1..3 as the registers hold them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct PgmRsrc {
    /// COMPUTE_PGM_RSRC1: register counts and MODE.
    pub rsrc1: u32,
    /// COMPUTE_PGM_RSRC2: SGPR inputs, LDS size, exception enables.
    pub rsrc2: u32,
    /// COMPUTE_PGM_RSRC3: AGPR offset on gfx90a and gfx94x, hints elsewhere.
    pub rsrc3: u32,
}

/// `value[lo + bits - 1 : lo]`.
pub(crate) fn field(value: u32, lo: u32, bits: u32) -> u32 {
    value >> lo & ((1u64 << bits) - 1) as u32
}

impl PgmRsrc {
    /// VGPRs (on gfx90a and gfx94x also AGPRs) that the descriptor asks for. Granules: LLVM AMDGPUUsage, GRANULATED_WORKITEM_VGPR_COUNT.
    pub fn vgprs(&self, target: Gfx, wave_size: u32) -> u32 {
        let granule = target.sizes().vgpr_granule[usize::from(wave_size == 64)];
        (field(self.rsrc1, 0, 6) + 1) * granule
    }

    /// VGPRs a wave gets: what the descriptor asks for in whole granules of the processor's register file, as far as instructions can
    /// name them. A kernel may use all of them; those beyond are out of range (STATE-28).
    pub fn allocated_vgprs(&self, target: Gfx, wave_size: u32) -> u32 {
        let block = target.sizes().vgpr_block[usize::from(wave_size == 64)];
        let all = self.vgprs(target, wave_size).next_multiple_of(block);
        all.min(self.accum_offset(target).unwrap_or(ALL_VGPRS))
    }

    /// SGPRs a wave may use, VCC and its neighbors included; all of them from gfx10 on.
    pub fn sgprs(&self, target: Gfx) -> u32 {
        target.sizes().sgprs.of(field(self.rsrc1, 6, 4))
    }

    /// FLOAT_MODE: initial MODE\[7:0\].
    pub fn float_mode(&self) -> u32 {
        field(self.rsrc1, 12, 8)
    }

    /// DX10_CLAMP; gone, and always on, on gfx12.
    pub fn dx10_clamp(&self, target: Gfx) -> bool {
        !target.has(Feature::Dx10ClampAndIeee) || field(self.rsrc1, 21, 1) != 0
    }

    /// IEEE_MODE; gone, and always on, on gfx12.
    pub fn ieee(&self, target: Gfx) -> bool {
        !target.has(Feature::Dx10ClampAndIeee) || field(self.rsrc1, 23, 1) != 0
    }

    /// FP16_OVFL, from gfx9 on.
    pub fn fp16_ovfl(&self, target: Gfx) -> bool {
        target.has(Feature::Fp16Ovfl) && field(self.rsrc1, 26, 1) != 0
    }

    /// The float fields of the initial MODE.
    pub fn fp_mode(&self, target: Gfx) -> FpMode {
        let flags = u32::from(self.dx10_clamp(target)) << 8 | u32::from(self.ieee(target)) << 9 | u32::from(self.fp16_ovfl(target)) << 10;
        FpMode((self.float_mode() | flags) as u16)
    }

    /// The whole initial MODE register (spec: hardware register 1). gfx12 has neither DX10_CLAMP, IEEE nor exception enables there.
    pub fn mode_word(&self, target: Gfx) -> u32 {
        let ovfl = u32::from(self.fp16_ovfl(target)) << 23;
        if !target.has(Feature::Dx10ClampAndIeee) {
            return self.float_mode() | ovfl;
        }
        let clamp_ieee = field(self.rsrc1, 21, 1) << 8 | field(self.rsrc1, 23, 1) << 9;
        self.float_mode() | clamp_ieee | self.exceptions() << 12 | ovfl
    }

    /// Enabled exceptions, in the order of MODE.EXCP_EN: invalid, input denormal, division by zero, overflow, underflow, inexact,
    /// integer division by zero, address watch, memory violation.
    pub fn exceptions(&self) -> u32 {
        field(self.rsrc2, 24, 7) | field(self.rsrc2, 13, 2) << 7
    }

    /// USER_SGPR: number of user SGPRs.
    pub fn user_sgprs(&self) -> u32 {
        field(self.rsrc2, 1, 5)
    }

    /// Which of the workgroup ids x, y, z are wanted.
    pub fn group_ids(&self) -> [bool; 3] {
        [7, 8, 9].map(|bit| field(self.rsrc2, bit, 1) != 0)
    }

    /// TG_SIZE_EN: the workgroup information word is wanted.
    pub fn group_info(&self) -> bool {
        field(self.rsrc2, 10, 1) != 0
    }

    /// SCRATCH_EN: the wave uses scratch.
    pub fn scratch(&self) -> bool {
        field(self.rsrc2, 0, 1) != 0
    }

    /// LDS_SIZE in bytes: granules of 512 bytes, 256 on gfx6. A kernel descriptor has 0 here.
    pub fn lds_bytes(&self, target: Gfx) -> u32 {
        field(self.rsrc2, 15, 9) * target.sizes().lds_granule
    }

    /// First AGPR's place in the unified register file; gfx90a and gfx94x only, else none.
    pub fn accum_offset(&self, target: Gfx) -> Option<u32> {
        target.has(Feature::UnifiedVgprs).then(|| (field(self.rsrc3, 0, 6) + 1) * 4)
    }
}

/// Bits of `kernel_code_properties`.
pub mod property {
    /// Private segment buffer V#: four user SGPRs.
    pub const PRIVATE_SEGMENT_BUFFER: u16 = 1;
    /// Address of the AQL dispatch packet: two.
    pub const DISPATCH_PTR: u16 = 1 << 1;
    /// Address of the queue: two.
    pub const QUEUE_PTR: u16 = 1 << 2;
    /// Address of the kernel arguments: two.
    pub const KERNARG_SEGMENT_PTR: u16 = 1 << 3;
    /// Dispatch number: two.
    pub const DISPATCH_ID: u16 = 1 << 4;
    /// Scratch base and size for flat addressing: two.
    pub const FLAT_SCRATCH_INIT: u16 = 1 << 5;
    /// Scratch bytes per work-item: one.
    pub const PRIVATE_SEGMENT_SIZE: u16 = 1 << 6;
    /// The kernel is compiled for wave32 (gfx10 and later).
    pub const WAVEFRONT_SIZE32: u16 = 1 << 10;
    /// The private segment size is not known (v5 and later).
    pub const USES_DYNAMIC_STACK: u16 = 1 << 11;
}

/// A kernel descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct KernelDescriptor {
    /// Static LDS of a workgroup, in bytes.
    pub lds_bytes: u32,
    /// Scratch of a work-item, in bytes.
    pub scratch_bytes: u32,
    /// Kernel argument segment, in bytes; 0 = not stated.
    pub kernarg_bytes: u32,
    /// Entry, in bytes from the descriptor's own address.
    pub entry_offset: i64,
    /// Program resource registers.
    pub rsrc: PgmRsrc,
    /// See [`property`].
    pub properties: u16,
    /// Dwords of kernel arguments preloaded into SGPRs (gfx90a, gfx94x).
    pub preload_dwords: u16,
    /// First dword of the argument segment to preload.
    pub preload_offset: u16,
}

impl KernelDescriptor {
    /// Bytes of a descriptor in memory.
    pub const BYTES: usize = 64;

    /// Reads a descriptor. Reserved fields are not looked at: newer producers use them for hints.
    pub fn parse(bytes: &[u8; Self::BYTES]) -> KernelDescriptor {
        let u32_at = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let u16_at = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let preload = u16_at(58);
        KernelDescriptor {
            lds_bytes: u32_at(0),
            scratch_bytes: u32_at(4),
            kernarg_bytes: u32_at(8),
            entry_offset: (u64::from(u32_at(16)) | u64::from(u32_at(20)) << 32) as i64,
            rsrc: PgmRsrc { rsrc3: u32_at(44), rsrc1: u32_at(48), rsrc2: u32_at(52) },
            properties: u16_at(56),
            preload_dwords: preload & 0x7f,
            preload_offset: preload >> 7,
        }
    }

    /// Is a bit of [`property`] set?
    pub fn has(&self, property: u16) -> bool {
        self.properties & property != 0
    }

    /// 32 or 64. Before gfx10 there is only wave64.
    pub fn wave_size(&self, target: Gfx) -> u32 {
        if target.has(Feature::Wave32) && self.has(property::WAVEFRONT_SIZE32) { 32 } else { 64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // gfx1100, clang default: FLOAT_MODE 0xf0, DX10_CLAMP, IEEE, WGP_MODE, MEM_ORDERED; 15 user SGPRs, x and y ids, v0 xyz.
    const RSRC: PgmRsrc = PgmRsrc { rsrc1: 0x60af_0001, rsrc2: 15 << 1 | 1 << 7 | 1 << 8 | 2 << 11, rsrc3: 0 };

    #[test]
    fn mode_comes_from_rsrc1() {
        assert_eq!(RSRC.fp_mode(Gfx::GFX1100), FpMode::HSA);
        assert_eq!(RSRC.mode_word(Gfx::GFX1100), 0x3f0);
        assert_eq!(RSRC.mode_word(Gfx(0x1200)), 0xf0);
    }

    #[test]
    fn vgpr_granule_is_by_wave_size_from_gfx10() {
        assert_eq!(RSRC.vgprs(Gfx::GFX1100, 32), 16);
        assert_eq!(RSRC.vgprs(Gfx::GFX1100, 64), 8);
        assert_eq!(RSRC.vgprs(Gfx(0x803), 64), 8);
    }

    #[test]
    fn vgprs_come_in_granules_of_the_register_file() {
        // STATE-28: 16 in wave32 and 8 in wave64; 24 and 12 with 1536 registers; instructions name 256 at most
        let vgprs = |target: u16, wave_size: u32, field: u32| {
            PgmRsrc { rsrc1: field, rsrc3: 11, ..Default::default() }.allocated_vgprs(Gfx(target), wave_size)
        };
        for (target, wave_size, asked, got) in [
            (0x1100, 32, 8, 24),
            (0x1100, 32, 24, 24),
            (0x1100, 32, 32, 48),
            (0x1100, 32, 48, 48),
            (0x1100, 32, 248, 256), // 264 would be allocated
            (0x1100, 32, 512, 256),
            (0x1100, 64, 4, 12),
            (0x1100, 64, 12, 12),
            (0x1100, 64, 16, 24),
            (0x1151, 32, 32, 48),
            (0x1200, 64, 16, 24),
            (0x1102, 32, 8, 16),
            (0x1102, 32, 40, 48),
            (0x1102, 64, 4, 8),
            (0x1030, 64, 20, 24),
            (0x1010, 32, 40, 40), // granules as the descriptor counts before gfx10.3
            (0x900, 64, 36, 36),
        ] {
            let encoded = if target < 0x1000 || wave_size == 64 { asked / 4 - 1 } else { asked / 8 - 1 };
            assert_eq!(vgprs(target, wave_size, encoded), got, "gfx{target:x} wave{wave_size}: {asked}");
        }
        // One file for VGPRs and AGPRs: 64 registers, of which AGPRs take those from 48 on.
        assert_eq!(vgprs(0x90a, 64, 7), 48);
    }

    #[test]
    fn lds_granule_is_256_bytes_on_gfx6() {
        let rsrc = PgmRsrc { rsrc2: 3 << 15, ..RSRC };
        assert_eq!(rsrc.lds_bytes(Gfx(0x600)), 768);
        assert_eq!(rsrc.lds_bytes(Gfx::GFX1100), 1536);
    }
}
