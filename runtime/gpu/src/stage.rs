//! Running the waves of a draw's stages: the words of SPI_SHADER_PGM_RSRC1 and 2 of a graphics stage as a wave's start, and errors with the shader's hash.

use crate::error::Refusal;
use crate::ring::GpuInner;
use wavejit::StageLaunch;
use wavejit::code_object::PgmRsrc;
use wavejit::stage::StageSource;
use wavejit::wave_init::{RawInit, WaveInit};

/// Fields of RSRC1 that compute programs have too, in the same places.
const COMMON_RSRC1: u32 = 0x00af_f3ff;
/// FP16_OVFL of compute programs.
const FP16_OVFL: u32 = 1 << 26;
const SCRATCH_EN: u32 = 1;

/// A stage of a draw.
pub(crate) struct GraphicsStage<'a> {
    /// What it is called in messages.
    pub what: &'static str,
    /// Guest address of the first instruction.
    pub entry: u64,
    /// SPI_SHADER_PGM_RSRC1, RSRC2.
    pub rsrc: [u32; 2],
    /// Bit of FP16_OVFL in RSRC1, which is elsewhere in each stage.
    pub fp16_ovfl: u32,
    /// 32 or 64.
    pub wave_size: u32,
    /// SGPRs that all waves start with, from s0 on.
    pub user_data: &'a [u32],
    /// Bytes of scratch of a wave, if it has some.
    pub wave_scratch_bytes: u32,
    /// Most waves of a workgroup.
    pub group_waves: u32,
    /// Bytes of LDS of a workgroup.
    pub lds_bytes: u32,
    /// Guest address of the table of border colors.
    pub border_colors: Option<u64>,
}

impl GraphicsStage<'_> {
    /// Runs the waves of a source to their end.
    pub(crate) fn run(&self, gpu: &GpuInner, source: &dyn StageSource) -> Result<(), Refusal> {
        let [rsrc1, rsrc2] = self.rsrc;
        let overflow = if rsrc1 & self.fp16_ovfl != 0 { FP16_OVFL } else { 0 };
        let raw = RawInit {
            target: gpu.target,
            wave_size: self.wave_size,
            entry: self.entry,
            rsrc: PgmRsrc { rsrc1: rsrc1 & COMMON_RSRC1 | overflow, rsrc2: rsrc2 & SCRATCH_EN, rsrc3: 0 },
            user_data: self.user_data,
            scratch_bytes: if rsrc2 & SCRATCH_EN != 0 { self.wave_scratch_bytes / self.wave_size } else { 0 },
        };
        let shader = gpu.shaders.at(&gpu.device, gpu.target, self.entry);
        let launch = StageLaunch {
            name: &shader.name,
            init: WaveInit { lds_bytes: self.lds_bytes, ..WaveInit::raw(&raw) },
            group_waves: self.group_waves,
            max_insts: gpu.options.max_insts,
            cancel: Some(&gpu.stop),
            border_colors: self.border_colors,
        };
        let result = shader.code.run_stage(&launch, source);
        result.map(|_| ()).map_err(|source| Refusal::Wave { shader: self.name(gpu), source: Box::new(source) })
    }

    /// What it is, and its hash.
    pub(crate) fn name(&self, gpu: &GpuInner) -> String {
        format!("{} of hash {:016x}", self.what, crate::shaders::hash(gpu.device.memory(), self.entry))
    }
}
