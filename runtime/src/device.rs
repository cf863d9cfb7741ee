//! The Rust API: [`Device`] and its memory, [`Buffer`].

use crate::Error;
use crate::border::BorderTable;
use crate::dispatch::block::Blocks;
use crate::dispatch::config::{DeviceConfig, LaunchConfig, Schedule};
use crate::dispatch::job::{Dispatch, Offered};
use crate::dispatch::pool::Pool;
use crate::dispatch::stage::StageSource;
use crate::dispatch::wave_init::WaveInit;
use crate::dispatch::{self, DispatchStats, Locals};
use crate::host::fork::Section;
use crate::host::sync::{Mutex, RwLock};
use crate::memory::address_space::AddressSpace;
use crate::memory::context::TextureConfig;
use crate::memory::image_config;
use crate::program::{self, CodeCache, CodeStats, Engine, MadeBy, Program, RecentPrograms};
use crate::services::{Print, Services};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use wavejit_isa::{Feature, Gfx, HostIsa};
use wavejit_texture::Generation;
use wavejit_texture::image::ImageConfig;
use wavejit_texture::tiling::AddressConfig;

/// A software GPU: guest memory, threads, compiled code. Cheap to clone; clones are the same device.
///
/// ```
/// use wavejit::{Arg, Device, DeviceConfig, Launch};
///
/// // out[i] = a[i] + scale * b[i], compiled for gfx1100; the last workgroup is partial.
/// let code = include_bytes!("../../shaders/bin/triad.gfx1100.wave32.hsaco");
/// let device = Device::new(DeviceConfig::default())?;
/// let triad = device.load(code)?.kernel("triad")?;
/// let bytes = |f: fn(u32) -> f32| (0..1000).flat_map(|i| f(i).to_le_bytes()).collect::<Vec<u8>>();
/// let (a, b) = (device.upload(&bytes(|i| i as f32))?, device.upload(&bytes(|i| 1.0 / (i + 1) as f32))?);
/// let out = device.alloc(4000)?;
/// let args = [Arg::Buffer(&out), Arg::Buffer(&a), Arg::Buffer(&b), Arg::F32(3.0), Arg::I32(1000)];
/// let stats = triad.launch(&Launch::new([1000, 1, 1], [256, 1, 1], &args))?;
/// assert_eq!((stats.workgroups, stats.waves), (4, 32));
/// assert_eq!(out.to_vec()?, bytes(|i| (1.0 / (i + 1) as f32).mul_add(3.0, i as f32)));
/// # Ok::<(), wavejit::Error>(())
/// ```
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    config: DeviceConfig,
    space: Arc<AddressSpace>,
    pool: Pool<Locals>,
    blocks: Blocks,
    services: RwLock<Arc<Services>>,
    dispatches: AtomicU64,
    borders: Mutex<BorderTable>,
    /// For [`Device::run_code`].
    raw: RecentPrograms,
    /// Translations of all its programs.
    codes: Arc<CodeCache>,
}

/// Guest memory, freed when dropped.
pub struct Buffer {
    device: Device,
    address: u64,
    bytes: u64,
}

impl Device {
    /// Makes a device with memory of its own, outside of which kernels reach nothing. Threads start with the first dispatch that needs them.
    pub fn new(config: DeviceConfig) -> Result<Device, Error> {
        Device::with_memory(AddressSpace::isolated(config.reserve_bytes)?, config)
    }

    /// Makes a device whose addresses are the host's ([`crate::AddressMode::Shared`]), for embedders that pass their own pointers.
    ///
    /// ```compile_fail
    /// # use wavejit::{Device, DeviceConfig};
    /// let device = Device::shared(DeviceConfig::default()); // not without `unsafe`
    /// ```
    ///
    /// # Safety
    /// Whatever runs on the device, or goes through [`Device::memory`], may read and write all memory of the process. The caller answers
    /// for every kernel, argument and address that the device and its clones are given: what they write is memory that the program has set
    /// aside for it and does not use as Rust references meanwhile.
    pub unsafe fn shared(config: DeviceConfig) -> Result<Device, Error> {
        Device::with_memory(AddressSpace::shared(), config)
    }

    /// Makes a device whose guest addresses are host addresses, but which reaches no others than these. An error if the host has something there.
    /// Nothing is mapped in the window: its owner maps and unmaps pages, as an operating system does for a chip, and answers for what they
    /// are. [`Device::alloc`] and all that needs it find no room.
    pub fn window(start: u64, bytes: u64, config: DeviceConfig) -> Result<Device, Error> {
        Device::with_memory(AddressSpace::window(start, bytes)?, config)
    }

    fn with_memory(space: AddressSpace, mut config: DeviceConfig) -> Result<Device, Error> {
        if config.schedule == Schedule::Lockstep {
            config.engine = Engine::Interp;
        }
        crate::host::fork::install();
        HostIsa::check().map_err(|e| Error::Arg(format!("{}: {e}", HostIsa::VARIABLE)))?;
        image_config::addresses(config.gb_addr_config, Generation::Gfx11)?;
        let space = Arc::new(if config.canaries { space.with_canaries() } else { space });
        let pool = Pool::new(if config.deterministic { 1 } else { config.threads });
        Ok(Device(Arc::new(Inner {
            config,
            blocks: Blocks::new(space.clone()),
            services: RwLock::new(Arc::new(Services::new(space.clone(), pool.threads()))),
            space,
            pool,
            dispatches: AtomicU64::new(0),
            borders: Mutex::default(),
            raw: RecentPrograms::default(),
            codes: Arc::new(CodeCache::new(config.code_cache_limit())),
        })))
    }

    /// How it works.
    pub fn config(&self) -> &DeviceConfig {
        &self.0.config
    }

    /// Guest memory, to look at and to write to. What is allocated and freed belongs to [`Buffer`]s and the like:
    ///
    /// ```compile_fail
    /// # fn free_behind_its_back(buffer: &wavejit::Buffer, device: &wavejit::Device) {
    /// device.memory().free(buffer.address());
    /// # }
    /// ```
    pub fn memory(&self) -> &Arc<AddressSpace> {
        &self.0.space
    }

    pub(crate) fn borders(&self) -> &Mutex<BorderTable> {
        &self.0.borders
    }

    /// What image and ray instructions of a processor's code see of the device.
    fn textures(&self, target: Gfx) -> Result<TextureConfig, Error> {
        let DeviceConfig { gb_addr_config, ray_half_order, .. } = self.0.config;
        let images = image_config::config_of(target);
        let generation = target.descriptors();
        let AddressConfig { tile_modes, unscaled_depth_tail, .. } = images.addresses;
        let addresses = AddressConfig { tile_modes, unscaled_depth_tail, ..image_config::addresses(gb_addr_config, generation)? };
        Ok(TextureConfig { images: ImageConfig { addresses, border_colors: self.0.borders.lock().address, ..images }, ray_half_order })
    }

    /// Threads that run workgroups.
    pub fn threads(&self) -> usize {
        self.0.pool.threads()
    }

    /// Allocates guest memory, zeroed.
    pub fn alloc(&self, bytes: usize) -> Result<Buffer, Error> {
        self.alloc_aligned(bytes, 0)
    }

    pub(crate) fn alloc_aligned(&self, bytes: usize, align: u64) -> Result<Buffer, Error> {
        let address = self.0.space.alloc(bytes as u64, align)?;
        Ok(Buffer { device: self.clone(), address, bytes: bytes as u64 })
    }

    /// Allocates guest memory with these contents.
    pub fn upload(&self, bytes: &[u8]) -> Result<Buffer, Error> {
        let buffer = self.alloc(bytes.len())?;
        buffer.write(0, bytes)?;
        Ok(buffer)
    }

    /// Keeps translations in a directory, and takes those that are there of other processes with the same build of the library on the
    /// same kind of processor. The directory is made if it is not there; it has to be the user's own, writable for nobody else. Kernels
    /// with image and buffer instructions that go through descriptors are translated anew in each process, as is all code where AVX2 is not.
    /// Later calls change nothing.
    ///
    /// ```
    /// # use wavejit::{Device, DeviceConfig};
    /// # let directory = std::env::temp_dir().join(format!("wavejit-example-{}", std::process::id()));
    /// let device = Device::new(DeviceConfig::default())?;
    /// device.keep_code_in(&directory).expect("a directory that can be made");
    /// # std::fs::remove_dir_all(directory).ok();
    /// # Ok::<(), wavejit::Error>(())
    /// ```
    pub fn keep_code_in(&self, directory: &Path) -> io::Result<()> {
        self.0.codes.keep_in(directory)
    }

    /// Keeps translations where [`CODE_CACHE_VARIABLE`](crate::CODE_CACHE_VARIABLE) says, if it says so; where it says nothing, in the user's
    /// cache directory if that is wanted and possible.
    pub fn keep_code_as_told(&self, unless_told: bool) -> io::Result<()> {
        let Some((directory, is_told)) = program::code_directory(unless_told) else { return Ok(()) };
        self.keep_code_in(&directory).or_else(|e| if is_told { Err(e) } else { Ok(()) })
    }

    /// What has been translated for the device.
    pub fn code_stats(&self) -> CodeStats {
        self.0.codes.stats()
    }

    pub(crate) fn new_program(&self, target: Gfx, (start, end): (u64, u64)) -> Arc<Program> {
        let DeviceConfig { engine, accuracy, .. } = self.0.config;
        Arc::new(Program::new(self.0.space.clone(), self.0.codes.clone(), target, MadeBy { engine, accuracy }, (start, end)))
    }

    /// The program of raw code at these addresses.
    pub(crate) fn raw_program(&self, code: (u64, u64), target: Gfx) -> Arc<Program> {
        self.0.raw.find(code, target, || self.new_program(target, code))
    }

    pub(crate) fn blocks(&self) -> &Blocks {
        &self.0.blocks
    }

    /// What it offers kernels.
    pub(crate) fn services(&self) -> Arc<Services> {
        self.0.services.read().clone()
    }

    /// Frees the memory that kernels have allocated and kept, the heap of it included. What a dispatch that runs has is freed at its end.
    pub fn free_kernel_memory(&self) {
        let mut services = self.0.services.write();
        *services = Arc::new(services.renewed());
    }

    /// From now on, `print` takes what kernels print, instead of the standard output and error of the process.
    pub fn set_print(&self, print: Print) {
        self.services().set_print(print);
    }

    /// Number of a dispatch that begins.
    pub(crate) fn next_dispatch_id(&self) -> u64 {
        self.0.dispatches.fetch_add(1, Relaxed)
    }

    #[cfg(test)]
    pub(crate) fn pool(&self) -> &Pool<Locals> {
        &self.0.pool
    }

    /// Runs a program; `offered` says what its waves find beside memory. The section ends when they begin.
    pub(crate) fn dispatch(
        &self,
        name: &str,
        program: &Arc<Program>,
        init: WaveInit,
        config: &LaunchConfig,
        offered: Offered,
        section: Section,
    ) -> Result<DispatchStats, Error> {
        let textures = self.textures(init.target)?;
        self.run(&Dispatch { name, program, init, config, device: &self.0.config, textures, offered }, section)
    }

    /// Runs code of a caller that says where border colors are.
    pub(crate) fn dispatch_with(
        &self,
        name: &str,
        program: &Arc<Program>,
        init: WaveInit,
        config: &LaunchConfig,
        border_colors: Option<u64>,
    ) -> Result<DispatchStats, Error> {
        let section = Section::begin();
        let mut textures = self.textures(init.target)?;
        if let Some(table) = border_colors {
            textures.images.border_colors = table;
        }
        let offered = Offered::default();
        self.run(&Dispatch { name, program, init, config, device: &self.0.config, textures, offered }, section)
    }

    /// As [`Device::dispatch_with`], for a stage of a draw.
    pub(crate) fn run_stage(
        &self,
        name: &str,
        program: &Arc<Program>,
        init: WaveInit,
        config: &LaunchConfig,
        border_colors: Option<u64>,
        source: &dyn StageSource,
    ) -> Result<DispatchStats, Error> {
        let mut textures = self.textures(init.target)?;
        if let Some(table) = border_colors {
            textures.images.border_colors = table;
        }
        let dispatch = Dispatch { name, program, init, config, device: &self.0.config, textures, offered: Offered::default() };
        self.check(&dispatch)?;
        dispatch::run_stage(&dispatch, &self.0.space, &self.0.pool, source)
    }

    fn run(&self, dispatch: &Dispatch, section: Section) -> Result<DispatchStats, Error> {
        self.check(dispatch)?;
        dispatch::run(dispatch, &self.0.space, &self.0.pool, section)
    }

    /// Can it be run at all?
    fn check(&self, dispatch: &Dispatch) -> Result<(), Error> {
        let &Dispatch { name, program, config, .. } = dispatch;
        if config.hook.is_some() && self.0.config.engine != Engine::Interp {
            return Err(Error::Arg("a hook before every instruction needs Engine::Interp".into()));
        }
        if config.hook.is_some() && self.0.config.schedule == Schedule::Lockstep {
            return Err(Error::Arg("a hook before every instruction sees one wave at a time: it needs Schedule::Turns".into()));
        }
        let target = program.target();
        // Other families decode, but their initial state and operand rules have not been checked end to end.
        if !target.has(Feature::Runs) {
            return Err(Error::Unsupported(format!(
                "{name}: {target} code can be disassembled and lifted, but only gfx11 code runs so far"
            )));
        }
        Ok(())
    }
}

impl Buffer {
    /// Guest address.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        self.bytes as usize
    }

    /// No bytes?
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Copies `from` to `offset` on. An error if that does not fit.
    pub fn write(&self, offset: usize, from: &[u8]) -> Result<(), Error> {
        self.check(offset, from.len())?;
        self.device.0.space.write(self.address + offset as u64, from)
    }

    /// Copies from `offset` on. An error if there are not as many bytes.
    pub fn read(&self, offset: usize, to: &mut [u8]) -> Result<(), Error> {
        self.check(offset, to.len())?;
        self.device.0.space.read(self.address + offset as u64, to)
    }

    /// All bytes.
    pub fn to_vec(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0; self.len()];
        self.read(0, &mut bytes)?;
        Ok(bytes)
    }

    fn check(&self, offset: usize, len: usize) -> Result<(), Error> {
        match offset.checked_add(len) {
            Some(end) if end <= self.len() => Ok(()),
            _ => Err(Error::Arg(format!("{len} bytes at offset {offset} of a buffer of {} bytes", self.bytes))),
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.device.0.space.free(self.address);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.space.free(self.borders.get_mut().address);
    }
}
