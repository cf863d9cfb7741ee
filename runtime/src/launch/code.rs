//! Raw machine code, for front doors other than code objects: run at once where it is in guest memory ([`Device::run_code`]), kept by its
//! address in guest memory ([`GuestCode`]), or opened as a [`CodeProgram`] to be run many times without a look at its bytes.

use crate::Error;
use crate::device::{Buffer, Device};
use crate::dispatch::DispatchStats;
use crate::dispatch::config::LaunchConfig;
use crate::dispatch::job::Offered;
use crate::dispatch::stage::StageSource;
use crate::dispatch::wave_init::WaveInit;
use crate::host::fork::Section;
use crate::memory::fault;
use crate::program::Program;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use wavejit_isa::Gfx;

/// Most bytes of raw machine code.
const MAX_CODE_BYTES: u64 = 1 << 30;
/// Alignment of code that is copied: as compilers align functions.
const CODE_ALIGN: u64 = 256;
/// Raw machine code to run.
pub struct CodeLaunch<'a> {
    /// Name, for messages.
    pub name: &'a str,
    /// Guest address range of the code.
    pub code: (u64, u64),
    /// State of waves at their start; `init.entry` lies in `code`.
    pub init: WaveInit,
    /// Grid, limits, who watches.
    pub config: LaunchConfig<'a>,
}

/// Raw machine code that was opened. Cheap to clone; clones are the same program.
///
/// ```
/// use wavejit::code_object::PgmRsrc;
/// use wavejit::wave_init::{RawInit, WaveInit};
/// use wavejit::{CodeLaunch, Device, DeviceConfig, LaunchConfig};
/// use wavejit_isa::Gfx;
///
/// let device = Device::new(DeviceConfig::default())?;
/// let program = device.program(&0xbfb0_0000u32.to_le_bytes(), Gfx::GFX1100)?; // s_endpgm
/// let rsrc = PgmRsrc { rsrc1: 0xf0 << 12, rsrc2: 0, rsrc3: 0 };
/// let entry = program.range().0;
/// let raw = RawInit { target: Gfx::GFX1100, wave_size: 32, entry, rsrc, user_data: &[], scratch_bytes: 0 };
/// let stats = program.run(&CodeLaunch {
///     name: "nothing",
///     code: program.range(),
///     init: WaveInit::raw(&raw),
///     config: LaunchConfig::new([100, 1, 1], [64, 1, 1]),
/// })?;
/// assert_eq!((stats.waves, stats.guest_insts), (4, 4));
/// # Ok::<(), wavejit::Error>(())
/// ```
#[derive(Clone)]
pub struct CodeProgram(Arc<Opened>);

struct Opened {
    device: Device,
    range: (u64, u64),
    program: Arc<Program>,
    /// The code.
    _copy: Buffer,
}

/// Machine code wherever it lies in guest memory, as a command processor finds it: an address, and no end. What waves come to is translated
/// then; what has changed in memory since is translated again at the next run. Cheap to clone; clones are the same code.
///
/// ```
/// use wavejit::code_object::PgmRsrc;
/// use wavejit::wave_init::{RawInit, WaveInit};
/// use wavejit::{Device, DeviceConfig, GuestLaunch, LaunchConfig};
/// use wavejit_isa::Gfx;
///
/// let device = Device::new(DeviceConfig::default())?;
/// let code = device.upload(&0xbfb0_0000u32.to_le_bytes())?; // s_endpgm
/// let rsrc = PgmRsrc { rsrc1: 0xf0 << 12, rsrc2: 0, rsrc3: 0 };
/// let raw = RawInit { target: Gfx::GFX1100, wave_size: 32, entry: code.address(), rsrc, user_data: &[], scratch_bytes: 0 };
/// let config = LaunchConfig::new([100, 1, 1], [64, 1, 1]);
/// let launch = GuestLaunch { name: "nothing", init: WaveInit::raw(&raw), config, border_colors: None };
/// assert_eq!(device.guest_code(Gfx::GFX1100).run(&launch)?.waves, 4);
/// # Ok::<(), wavejit::Error>(())
/// ```
#[derive(Clone)]
pub struct GuestCode {
    device: Device,
    program: Arc<Program>,
}

/// Code in guest memory to run.
pub struct GuestLaunch<'a> {
    /// Name, for messages.
    pub name: &'a str,
    /// State of waves at their start; `init.entry` is where the code is.
    pub init: WaveInit,
    /// Grid, limits, who watches.
    pub config: LaunchConfig<'a>,
    /// Guest address of the table that samplers take border colors from; `None`: the device's own.
    pub border_colors: Option<u64>,
}

/// A stage of a draw to run: waves of code in guest memory.
pub struct StageLaunch<'a> {
    /// Name, for messages.
    pub name: &'a str,
    /// State of waves at their start, but for what the source writes; `init.entry` is where the code is.
    pub init: WaveInit,
    /// Most waves of a workgroup.
    pub group_waves: u32,
    /// Most guest instructions of a wave; beyond that is an error. 0: any number.
    pub max_insts: u64,
    /// Another thread may set this to non-zero to stop the stage.
    pub cancel: Option<&'a AtomicU32>,
    /// Guest address of the table that samplers take border colors from; `None`: the device's own.
    pub border_colors: Option<u64>,
}

impl Device {
    /// Code in guest memory, all of which it may jump to. One for each entry is best: every run looks at all bytes that were translated for it.
    pub fn guest_code(&self, target: Gfx) -> GuestCode {
        GuestCode { device: self.clone(), program: self.new_program(target, (0, u64::MAX)) }
    }

    /// Runs raw machine code to its end. Code that is the same bytes as before is not translated again, wherever it is; code that has changed
    /// in memory since its last launch is. To tell, all bytes that were translated are looked at: see [`Device::program`] for code that runs often.
    pub fn run_code(&self, launch: &CodeLaunch) -> Result<DispatchStats, Error> {
        check_code(launch)?;
        let _ready = fault::ready(self.memory());
        let program = self.raw_program(launch.code, launch.init.target);
        program.forget_changed();
        run(self, &program, launch)
    }

    /// Opens machine code, of which a copy is put into guest memory. It is translated when it runs.
    pub fn program(&self, code: &[u8], target: Gfx) -> Result<CodeProgram, Error> {
        check_range("program", (0, code.len() as u64))?;
        let copy = self.alloc_aligned(code.len(), CODE_ALIGN)?;
        copy.write(0, code)?;
        let range = (copy.address(), copy.address() + code.len() as u64);
        let program = self.new_program(target, range);
        Ok(CodeProgram(Arc::new(Opened { device: self.clone(), range, program, _copy: copy })))
    }
}

impl CodeProgram {
    /// Guest addresses of the code.
    pub fn range(&self) -> (u64, u64) {
        self.0.range
    }

    /// Runs it to its end. `launch.code` is its range; an [`Error::Arg`] if not, or if it is for another processor.
    pub fn run(&self, launch: &CodeLaunch) -> Result<DispatchStats, Error> {
        let Opened { device, range, program, .. } = &*self.0;
        check_code(launch)?;
        if launch.code != *range || launch.init.target != program.target() {
            let ((start, end), (low, high)) = (launch.code, *range);
            return Err(Error::Arg(format!(
                "kernel `{}`: {} code at {start:#x}..{end:#x}: the program is {} code at {low:#x}..{high:#x}",
                launch.name,
                launch.init.target,
                program.target()
            )));
        }
        let _ready = fault::ready(device.memory());
        run(device, program, launch)
    }
}

impl GuestCode {
    /// Runs it to its end. An [`Error::Arg`] if it is for another processor.
    pub fn run(&self, launch: &GuestLaunch) -> Result<DispatchStats, Error> {
        let GuestLaunch { name, init, config, border_colors } = launch;
        let target = self.program.target();
        if init.target != target {
            return Err(Error::Arg(format!("kernel `{name}`: waves of {}: the code is for {target}", init.target)));
        }
        let _ready = fault::ready(self.device.memory());
        self.program.forget_changed();
        self.device.dispatch_with(name, &self.program, init.clone(), config, *border_colors)
    }
}

impl GuestCode {
    /// Runs the waves that a source has, to their end. An [`Error::Arg`] if they are for another processor.
    ///
    /// ```
    /// use wavejit::code_object::PgmRsrc;
    /// use wavejit::wave_init::{RawInit, WaveInit};
    /// use wavejit::stage::{GroupExports, StageSource, Taken, WaveStart};
    /// use wavejit::{Device, DeviceConfig, StageLaunch};
    /// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    /// use wavejit_isa::Gfx;
    ///
    /// /// One wave, whose v0 is the lane number; sums up what lane 3 exports.
    /// #[derive(Default)]
    /// struct Once(AtomicU64, AtomicU64);
    /// impl StageSource for Once {
    ///     fn take(&self) -> Taken {
    ///         if self.0.fetch_add(1, Relaxed) == 0 { Taken::Units(0..1) } else { Taken::Nothing }
    ///     }
    ///     fn waves(&self, _group: u64) -> u32 {
    ///         1
    ///     }
    ///     fn start_wave(&self, _group: u64, _wave: u32, start: &mut WaveStart) {
    ///         start.vgpr(0).iter_mut().zip(0..).for_each(|(v, lane)| *v = lane);
    ///     }
    ///     fn end(&self, _group: u64, exports: &GroupExports) {
    ///         exports.wave(0).iter().for_each(|e| _ = self.1.fetch_add(e.data[0][3].into(), Relaxed));
    ///     }
    /// }
    ///
    /// let device = Device::new(DeviceConfig::default())?;
    /// let code = wavejit_isa::assemble("exp pos0 v0, v0, v0, v0 done\ns_endpgm", Gfx::GFX1100, 32).unwrap();
    /// let code = device.upload(&code.bytes)?;
    /// let rsrc = PgmRsrc { rsrc1: 0xf0 << 12, rsrc2: 0, rsrc3: 0 };
    /// let raw = RawInit { target: Gfx::GFX1100, wave_size: 32, entry: code.address(), rsrc, user_data: &[], scratch_bytes: 0 };
    /// let launch = StageLaunch { name: "stage", init: WaveInit::raw(&raw), group_waves: 1, max_insts: 0, cancel: None, border_colors: None };
    /// let once = Once::default();
    /// device.guest_code(Gfx::GFX1100).run_stage(&launch, &once)?;
    /// assert_eq!(once.1.load(Relaxed), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_stage(&self, launch: &StageLaunch, source: &dyn StageSource) -> Result<DispatchStats, Error> {
        let &StageLaunch { name, ref init, group_waves, max_insts, cancel, border_colors } = launch;
        let target = self.program.target();
        if init.target != target {
            return Err(Error::Arg(format!("`{name}`: waves of {}: the code is for {target}", init.target)));
        }
        let group = [init.wave_size.saturating_mul(group_waves), 1, 1];
        let config = LaunchConfig { max_insts, cancel, ..LaunchConfig::new(group, group) };
        config.geometry.check(name, None)?;
        let _ready = fault::ready(self.device.memory());
        self.program.forget_changed();
        self.device.run_stage(name, &self.program, init.clone(), &config, border_colors, source)
    }
}

fn run(device: &Device, program: &Arc<Program>, launch: &CodeLaunch) -> Result<DispatchStats, Error> {
    device.dispatch(launch.name, program, launch.init.clone(), &launch.config, Offered::default(), Section::begin())
}

/// Refuses code ranges that no machine code has. Whether there is memory is found when it is read.
fn check_range(name: &str, (start, end): (u64, u64)) -> Result<(), Error> {
    let bytes = end.saturating_sub(start);
    if start >= end || bytes > MAX_CODE_BYTES || !start.is_multiple_of(4) || !bytes.is_multiple_of(4) {
        return Err(Error::Arg(format!(
            "kernel `{name}`: code at {start:#x}..{end:#x}: expected whole dwords, {MAX_CODE_BYTES} bytes at most"
        )));
    }
    Ok(())
}

fn check_code(launch: &CodeLaunch) -> Result<(), Error> {
    check_range(launch.name, launch.code)?;
    let (start, end) = launch.code;
    if launch.init.entry < start || launch.init.entry >= end {
        return Err(Error::Arg(format!(
            "kernel `{}`: its entry {:#x} is not in its code at {start:#x}..{end:#x}",
            launch.name, launch.init.entry
        )));
    }
    Ok(())
}
