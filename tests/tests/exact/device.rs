//! Machine code on a device, as a driver would start it.

use wavejit::code_object::PgmRsrc;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{CodeLaunch, Device, DeviceConfig, Engine, Error, LaunchConfig};
use wavejit_isa::{Gfx, assemble};

/// Both engines.
pub(crate) const ENGINES: [Engine; 3] = [Engine::Jit, Engine::Interp, Engine::Tiered];

/// How to start it.
#[derive(Clone)]
pub(crate) struct Raw {
    /// 32 or 64.
    pub wave_size: u32,
    /// GRANULATED_WORKITEM_VGPR_COUNT.
    pub vgpr_field: u32,
    /// COMPUTE_PGM_RSRC1 beside the registers and the usual float mode.
    pub rsrc1: u32,
    /// COMPUTE_PGM_RSRC2 but for the number of user SGPRs.
    pub rsrc2: u32,
    /// User SGPRs after s\[0:1\], which point to the result.
    pub user: Vec<u32>,
    /// Scratch of a work-item.
    pub scratch_bytes: u32,
    /// Work-items.
    pub grid: [u32; 3],
    /// Work-items of a workgroup.
    pub group: [u32; 3],
    /// Threads of the device.
    pub threads: usize,
    /// Dwords of the result, which start as zeros.
    pub dwords: usize,
}

impl Default for Raw {
    fn default() -> Raw {
        Raw {
            wave_size: 32,
            vgpr_field: 3,
            rsrc1: 0,
            rsrc2: 0,
            user: vec![],
            scratch_bytes: 0,
            grid: [1; 3],
            group: [1; 3],
            threads: 1,
            dwords: 16,
        }
    }
}

/// Runs code and gives the result that it stored at s\[0:1\].
pub(crate) fn run(engine: Engine, raw: &Raw, text: &str) -> Result<Vec<u32>, Error> {
    let device = Device::new(DeviceConfig { engine, threads: raw.threads, ..Default::default() })?;
    let code = assemble(text, Gfx::GFX1100, raw.wave_size).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let code = device.upload(&code.bytes)?;
    let out = device.upload(&vec![0; 4 * raw.dwords])?;
    let user: Vec<u32> = [out.address() as u32, (out.address() >> 32) as u32].into_iter().chain(raw.user.iter().copied()).collect();
    let init = WaveInit::raw(&RawInit {
        target: Gfx::GFX1100,
        wave_size: raw.wave_size,
        entry: code.address(),
        rsrc: PgmRsrc { rsrc1: 0xf0 << 12 | raw.vgpr_field | raw.rsrc1, rsrc2: raw.rsrc2 | (user.len() as u32) << 1, rsrc3: 0 },
        user_data: &user,
        scratch_bytes: raw.scratch_bytes,
    });
    let code = (code.address(), code.address() + code.len() as u64);
    let (grid, group) = (raw.grid, raw.group);
    // Only against hanging.
    let launch = CodeLaunch { name: "exact", code, init, config: LaunchConfig { max_insts: 1_000_000, ..LaunchConfig::new(grid, group) } };
    device.run_code(&launch)?;
    Ok(out.to_vec()?.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}
