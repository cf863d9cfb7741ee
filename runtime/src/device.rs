//! The Rust API: [`Device`], [`Buffer`], [`Module`], [`Kernel`], [`Launch`].

use crate::Error;
use crate::address_space::AddressSpace;
use crate::arg_type::Element;
use crate::border::BorderTable;
use crate::bvh::Bvh;
use crate::code_object::{self, ArgKind, CodeObject, KernelInfo};
use crate::config::{DeviceConfig, LaunchConfig};
use crate::dispatch::{self, Dispatch, DispatchStats, Locals};
use crate::hidden_use::{self, HiddenUse, MissingArg};
use crate::image::Image;
use crate::kernarg::{self, ArgValue, HiddenPointers, MAX_KERNARG_BYTES};
use crate::memory::fault;
use crate::pool::Pool;
use crate::program::{Arrival, CodeCache, CodeStats, Engine, Program};
use crate::raw::{CodeLaunch, RawPrograms};
use crate::sampler::Sampler;
use crate::sync::Mutex;
use crate::wave::TextureConfig;
use crate::wave_init::{Pointers, WaveInit};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use wavejit_isa::{Feature, Gfx};
use wavejit_texture::Generation;
use wavejit_texture::image::ImageConfig;
use wavejit_texture::tiling::AddressConfig;

/// Bytes of a launch's own block, unless its arguments are many: argument segment, then packet, queue and empty hidden buffers.
const BLOCK_BYTES: u64 = 2048;
/// Where the parts after the argument segment begin, from the block's end.
const BLOCK_TAIL: u64 = 768;
/// Queue and empty buffer, behind the packet.
const QUEUE: u64 = 256;
const ZEROS: u64 = 512;
/// Scratch of kernels whose stack need is not known when they are compiled.
const DYNAMIC_STACK_BYTES: u32 = 16 << 10;

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
    /// Blocks for launches, kept for reuse.
    blocks: Mutex<Vec<u64>>,
    dispatches: AtomicU64,
    borders: Mutex<BorderTable>,
    /// For [`Device::run_code`].
    raw: RawPrograms,
    /// Translations of all its programs.
    codes: Arc<CodeCache>,
}

/// A launch's block that waits for the next one.
/// Guest memory, freed when dropped.
pub struct Buffer {
    device: Device,
    address: u64,
    bytes: u64,
}

/// A code object in guest memory. Cheap to clone.
#[derive(Clone)]
pub struct Module(Arc<ModuleInner>);

struct ModuleInner {
    device: Device,
    object: CodeObject,
    base: u64,
    program: Arc<Program>,
    /// By kernel: its use of hidden arguments, found when it is first asked for.
    hidden: Mutex<HashMap<String, Arc<HiddenUse>>>,
}

/// A kernel of a module. Cheap to clone.
#[derive(Clone)]
pub struct Kernel {
    module: Module,
    info: Arc<KernelInfo>,
    hidden: Arc<HiddenUse>,
}

/// A kernel argument.
#[derive(Clone, Copy)]
pub enum Arg<'a> {
    /// Address of a buffer.
    Buffer(&'a Buffer),
    /// A guest address.
    Address(u64),
    /// The bytes of a value of any type, of exactly the argument's size.
    Bytes(&'a [u8]),
    /// The bytes of a number, or of those of a vector, whose type must be the argument's where the code object names it.
    Numbers(&'a [u8], Element),
    /// A 32-bit integer.
    U32(u32),
    /// A signed 32-bit integer.
    I32(i32),
    /// A 64-bit integer.
    U64(u64),
    /// A float.
    F32(f32),
    /// A double.
    F64(f64),
    /// LDS bytes behind a `__local` pointer.
    LocalBytes(u32),
    /// Address of an image's descriptor.
    Image(&'a Image),
    /// Address of a sampler's descriptor.
    Sampler(&'a Sampler),
    /// Address of a ray hierarchy's descriptor and root.
    Bvh(&'a Bvh),
}

impl<'a> Arg<'a> {
    /// The bytes of a value, of exactly the argument's size.
    pub fn bytes(bytes: &'a [u8]) -> Arg<'a> {
        Arg::Bytes(bytes)
    }
}

/// How to launch a kernel.
#[derive(Clone, Copy, Default)]
pub struct Launch<'a> {
    /// Grid, limits, who watches.
    pub config: LaunchConfig<'a>,
    /// Arguments, in order, without hidden ones.
    pub args: &'a [Arg<'a>],
    /// The packed argument segment instead of `args`, hidden arguments included; zeros follow.
    pub kernarg: Option<&'a [u8]>,
    /// LDS bytes beyond the kernel's own and its `__local` arguments.
    pub dynamic_lds: u32,
    /// Launch although the kernel's code uses hidden arguments that are not provided, such as a buffer for printf: they are 0, and a wave that
    /// follows one faults. Otherwise such a launch is an [`Error::Unsupported`].
    pub allow_missing: bool,
}

impl<'a> Launch<'a> {
    /// A whole grid of so many work-items, in workgroups of so many, with these arguments.
    pub fn new(grid: [u32; 3], group: [u32; 3], args: &'a [Arg<'a>]) -> Launch<'a> {
        Launch { config: LaunchConfig::new(grid, group), args, ..Default::default() }
    }
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

    fn with_memory(space: AddressSpace, config: DeviceConfig) -> Result<Device, Error> {
        crate::fork::install();
        crate::image::addresses(config.gb_addr_config, Generation::Gfx11)?;
        let space = Arc::new(space);
        let pool = Pool::new(if config.deterministic { 1 } else { config.threads });
        Ok(Device(Arc::new(Inner {
            config,
            space,
            pool,
            blocks: Mutex::default(),
            dispatches: AtomicU64::new(0),
            borders: Mutex::default(),
            raw: RawPrograms::default(),
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
        let images = crate::image::config_of(target);
        let generation = target.descriptors();
        let AddressConfig { tile_modes, unscaled_depth_tail, .. } = images.addresses;
        let addresses = AddressConfig { tile_modes, unscaled_depth_tail, ..crate::image::addresses(gb_addr_config, generation)? };
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

    /// Loads a code object (ELF, or an offload bundle with one for gfx1100 or another known processor).
    pub fn load(&self, bytes: &[u8]) -> Result<Module, Error> {
        self.load_object(CodeObject::load(bytes)?)
    }

    /// Loads a code object that has been read already.
    pub fn load_object(&self, object: CodeObject) -> Result<Module, Error> {
        let space = &self.0.space;
        let size = object.image_bytes();
        let base = space.alloc(size, 4096)?;
        // What the image does not say is zero already, and takes no memory until it is touched.
        let write = |image: code_object::Image| image.parts().iter().try_for_each(|p| space.write(base + p.address, &p.bytes));
        if let Err(e) = object.image(base).map_err(Error::from).and_then(write) {
            space.free(base);
            return Err(e);
        }
        let target = object.kernels().first().map_or(Gfx::GFX1100, |k| k.target);
        let program = self.new_program(target, (base, base + size));
        Ok(Module(Arc::new(ModuleInner { device: self.clone(), object, base, program, hidden: Mutex::default() })))
    }

    /// What has been translated for the device.
    pub fn code_stats(&self) -> CodeStats {
        self.0.codes.stats()
    }

    pub(crate) fn new_program(&self, target: Gfx, (start, end): (u64, u64)) -> Arc<Program> {
        Arc::new(Program::new(self.0.space.clone(), self.0.codes.clone(), target, self.0.config.engine, start, end))
    }

    pub(crate) fn raw_programs(&self) -> &RawPrograms {
        &self.0.raw
    }

    pub(crate) fn run_program(&self, program: &Arc<Program>, launch: &CodeLaunch) -> Result<DispatchStats, Error> {
        self.dispatch(launch.name, program, launch.init.clone(), &launch.config, &[])
    }

    /// Runs a program; `hidden` are hidden arguments that it may use and that are 0.
    fn dispatch(
        &self,
        name: &str,
        program: &Arc<Program>,
        init: WaveInit,
        config: &LaunchConfig,
        hidden: &[MissingArg],
    ) -> Result<DispatchStats, Error> {
        if config.hook.is_some() && self.0.config.engine != Engine::Interp {
            return Err(Error::Arg("a hook before every instruction needs Engine::Interp".into()));
        }
        let target = program.target();
        // Other families decode, but their initial state and operand rules have not been checked end to end.
        if !target.has(Feature::Runs) {
            return Err(Error::Unsupported(format!(
                "{name}: {target} code can be disassembled and lifted, but only gfx11 code runs so far"
            )));
        }
        let textures = self.textures(init.target)?;
        dispatch::run(&Dispatch { name, program, init, config, device: &self.0.config, textures, hidden }, &self.0.space, &self.0.pool)
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

impl Module {
    /// A kernel by name, with or without `.kd`.
    pub fn kernel(&self, name: &str) -> Result<Kernel, Error> {
        let info = Arc::new(self.0.object.kernel(name)?.clone());
        let hidden = self.hidden_use(&info);
        Ok(Kernel { module: self.clone(), info, hidden })
    }

    fn hidden_use(&self, info: &KernelInfo) -> Arc<HiddenUse> {
        let module = &*self.0;
        if let Some(known) = module.hidden.lock().get(&info.name) {
            return known.clone();
        }
        // Without the lock: two threads may find the same.
        let entry = module.base + info.code_address;
        let found = Arc::new(HiddenUse::of(info, module.object.version(), entry, &|address| module.program.read(address)));
        module.hidden.lock().entry(info.name.clone()).or_insert(found).clone()
    }

    /// All kernels.
    pub fn kernels(&self) -> &[KernelInfo] {
        self.0.object.kernels()
    }

    /// The code object.
    pub fn object(&self) -> &CodeObject {
        &self.0.object
    }

    /// Guest address of its image.
    pub fn base(&self) -> u64 {
        self.0.base
    }
}

impl Drop for ModuleInner {
    fn drop(&mut self) {
        self.device.0.space.free(self.base);
    }
}

impl Kernel {
    /// What the code object says about it.
    pub fn info(&self) -> &KernelInfo {
        &self.info
    }

    /// Compiles it now, for a launch later.
    pub fn compile(&self) -> Result<(), Error> {
        let _ready = fault::ready();
        let init = self.init(&Pointers::default(), &[], 0);
        self.module.0.program.code(&self.info.name, init.code_key(), Arrival::Start, &|| false)?;
        Ok(())
    }

    /// Runs the grid to its end.
    pub fn launch(&self, launch: &Launch) -> Result<DispatchStats, Error> {
        let _ready = fault::ready();
        let (info, module) = (&*self.info, &*self.module.0);
        let geometry = &launch.config.geometry;
        geometry.check(&info.name, Some(info))?;
        check_descriptors(info, launch.args)?;
        if !launch.allow_missing {
            self.check_hidden(launch.kernarg)?;
        }
        let segment_bytes = launch.kernarg.map_or(0, <[u8]>::len).max(info.kernarg_bytes as usize) as u64;
        if segment_bytes > MAX_KERNARG_BYTES {
            let name = &info.name;
            return Err(Error::Arg(format!(
                "kernel `{name}`: {segment_bytes} bytes of arguments: at most {MAX_KERNARG_BYTES} are possible"
            )));
        }
        let mut block = LaunchBlock::new(&module.device, segment_bytes)?;
        let (bytes, dynamic_lds) = match launch.kernarg {
            Some(packed) => {
                kernarg::check_lds(&info.name, info.lds_bytes, launch.dynamic_lds)?;
                (kernarg::pack_raw(info, packed), launch.dynamic_lds)
            }
            None => {
                let scratch: Vec<[u8; 8]> = launch.args.iter().map(Arg::scalar_bytes).collect();
                let args: Vec<ArgValue> = launch.args.iter().zip(&scratch).map(|(a, s)| a.value(s)).collect();
                let packed = kernarg::pack(info, &args, geometry, launch.dynamic_lds, &block.hidden())?;
                (packed.bytes, packed.dynamic_lds_bytes)
            }
        };
        let kernel_object = module.base + info.descriptor_address;
        block.fill(&bytes, &kernarg::dispatch_packet(info, geometry, dynamic_lds, kernel_object, block.address))?;
        let pointers = Pointers {
            kernarg: block.address,
            dispatch_packet: block.packet(),
            queue: block.queue(),
            dispatch_id: module.device.0.dispatches.fetch_add(1, Relaxed),
            ..Default::default()
        };
        let init = self.init(&pointers, &bytes, dynamic_lds);
        let hidden = if self.hidden.used.is_empty() { &self.hidden.listed } else { &self.hidden.used };
        module.device.dispatch(&info.name, &module.program, init, &launch.config, hidden)
    }

    /// Refuses to launch without a hidden argument that the code uses. A caller who packs arguments may provide it.
    fn check_hidden(&self, packed: Option<&[u8]>) -> Result<(), Error> {
        let is_given = |m: &MissingArg| packed.and_then(|p| p.get(m.offset as usize..)).is_some_and(|p| p.iter().take(8).any(|b| *b != 0));
        let wanted: Vec<&MissingArg> = self.hidden.used.iter().filter(|m| !is_given(m)).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let (name, names) = (&self.info.name, hidden_use::names(wanted.iter().copied()));
        let are = if wanted.len() == 1 { "is" } else { "are" };
        Err(Error::Unsupported(format!(
            "kernel `{name}` uses {names}, which {are} not provided; Launch::allow_missing (`--allow-missing`) runs it until a wave gets there"
        )))
    }

    fn init(&self, pointers: &Pointers, kernarg: &[u8], dynamic_lds: u32) -> WaveInit {
        let info = &*self.info;
        let kd_address = self.module.0.base + info.descriptor_address;
        let mut init = WaveInit::from_descriptor(&info.descriptor, kd_address, info.target, pointers, kernarg, dynamic_lds);
        init.lds_bytes = info.lds_bytes.saturating_add(dynamic_lds);
        init.scratch_bytes = info.scratch_bytes;
        if info.uses_dynamic_stack {
            init.scratch_bytes = init.scratch_bytes.max(DYNAMIC_STACK_BYTES);
        }
        init
    }
}

/// Refuses descriptors of other generations than the kernel's, and of the other kind.
fn check_descriptors(info: &KernelInfo, args: &[Arg]) -> Result<(), Error> {
    for (i, (arg, given)) in info.explicit_args().zip(args).enumerate() {
        let (wanted, found) = match (arg.kind, given) {
            (ArgKind::Image, Arg::Sampler(_)) => ("an image", "a sampler"),
            (ArgKind::Sampler, Arg::Image(_)) => ("a sampler", "an image"),
            _ => continue,
        };
        return Err(Error::Arg(format!(
            "kernel `{}`, argument {i} ({}): expected {wanted}, got {found}",
            info.name,
            kernarg::describe(arg)
        )));
    }
    let wanted = info.target.descriptors();
    match args.iter().enumerate().find_map(|(i, a)| a.generation().filter(|g| *g != wanted).map(|g| (i, g))) {
        Some((i, found)) => Err(Error::Arg(format!(
            "kernel `{}`, argument {i}: its descriptor is one of {found:?}, but the kernel runs on {}",
            info.name, info.target
        ))),
        None => Ok(()),
    }
}

impl<'a> Arg<'a> {
    fn scalar_bytes(&self) -> [u8; 8] {
        let low = |v: u32| u64::from(v).to_le_bytes();
        match *self {
            Arg::U32(v) => low(v),
            Arg::I32(v) => low(v as u32),
            Arg::F32(v) => low(v.to_bits()),
            Arg::U64(v) => v.to_le_bytes(),
            Arg::F64(v) => v.to_le_bytes(),
            _ => [0; 8],
        }
    }

    /// Whose descriptor it is, if it is one.
    fn generation(&self) -> Option<Generation> {
        match self {
            Arg::Image(i) => Some(i.desc().generation),
            Arg::Sampler(s) => Some(s.desc().generation),
            Arg::Bvh(b) => Some(b.generation()),
            _ => None,
        }
    }

    fn value(&self, scalar: &'a [u8; 8]) -> ArgValue<'a> {
        match *self {
            Arg::Buffer(b) => ArgValue::Pointer(b.address),
            Arg::Address(a) => ArgValue::Pointer(a),
            Arg::Bytes(b) => ArgValue::Bytes(b),
            Arg::Numbers(bytes, element) => ArgValue::Numbers(bytes, element),
            Arg::U32(_) => ArgValue::Numbers(&scalar[..4], Element::U32),
            Arg::I32(_) => ArgValue::Numbers(&scalar[..4], Element::I32),
            Arg::F32(_) => ArgValue::Numbers(&scalar[..4], Element::F32),
            Arg::U64(_) => ArgValue::Numbers(scalar, Element::U64),
            Arg::F64(_) => ArgValue::Numbers(scalar, Element::F64),
            Arg::LocalBytes(n) => ArgValue::LocalBytes(n),
            Arg::Image(i) => ArgValue::Pointer(i.descriptor_address()),
            Arg::Sampler(s) => ArgValue::Pointer(s.descriptor_address()),
            Arg::Bvh(b) => ArgValue::Pointer(b.descriptor_address()),
        }
    }
}

/// Guest memory of one launch: argument segment; then, `BLOCK_TAIL` from the end, packet, queue and a zeroed buffer.
struct LaunchBlock {
    device: Device,
    address: u64,
    bytes: u64,
}

impl LaunchBlock {
    fn new(device: &Device, segment_bytes: u64) -> Result<LaunchBlock, Error> {
        let inner = &device.0;
        let bytes = BLOCK_BYTES.max(segment_bytes.next_multiple_of(256) + BLOCK_TAIL);
        let kept = if bytes == BLOCK_BYTES { inner.blocks.lock().pop() } else { None };
        let address = match kept {
            Some(address) => address,
            None => inner.space.alloc(bytes, 0)?,
        };
        Ok(LaunchBlock { device: device.clone(), address, bytes })
    }

    /// Writes the launch's data.
    fn fill(&mut self, arguments: &[u8], packet: &[u8; 64]) -> Result<(), Error> {
        let space = &self.device.0.space;
        space.write(self.address, arguments)?;
        let mut tail = [0; BLOCK_TAIL as usize];
        tail[..64].copy_from_slice(packet);
        tail[QUEUE as usize..][..256].copy_from_slice(&kernarg::queue_bytes());
        space.write(self.packet(), &tail)
    }

    fn packet(&self) -> u64 {
        self.address + self.bytes - BLOCK_TAIL
    }
    fn queue(&self) -> u64 {
        self.packet() + QUEUE
    }
    fn zeros(&self) -> u64 {
        self.packet() + ZEROS
    }
    fn hidden(&self) -> HiddenPointers {
        HiddenPointers { printf_buffer: self.zeros(), queue: self.queue(), ..Default::default() }
    }
}

impl Drop for LaunchBlock {
    fn drop(&mut self) {
        let inner = &self.device.0;
        // The next launch finds neither these arguments nor what the kernel wrote beside them.
        if self.bytes == BLOCK_BYTES && inner.space.write(self.address, &[0; BLOCK_BYTES as usize]).is_ok() {
            inner.blocks.lock().push(self.address);
        } else {
            inner.space.free(self.address);
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        for address in self.blocks.get_mut().drain(..) {
            self.space.free(address);
        }
        self.space.free(self.borders.get_mut().address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Filter, ImageDesc, SamplerDesc};

    #[test]
    fn routines_of_image_instructions_go_with_their_device() {
        let device = Device::new(DeviceConfig { threads: 1, ..Default::default() }).expect("a device");
        let image = || device.image(&ImageDesc { width: 8, height: 8, ..Default::default() }).expect("an image");
        let (from, to) = (image(), image());
        let how = device.sampler(&SamplerDesc { mag: Filter::Linear, ..Default::default() }).expect("a sampler");
        let code = include_bytes!("../../shaders/bin/image_swirl.gfx1100.wave32.hsaco");
        let swirl = device.load(code).and_then(|m| m.kernel("image_swirl")).expect("a kernel");
        let args = [Arg::Image(&from), Arg::Sampler(&how), Arg::Image(&to), Arg::F32(1.0)];
        swirl.launch(&Launch::new([8, 8, 1], [8, 8, 1], &args)).expect("a launch");
        let routines = device.0.pool.kept(|l| std::rc::Rc::downgrade(&l.routines));
        let count = |all: &[std::rc::Weak<std::cell::RefCell<crate::memory::texture::Routines>>]| -> usize {
            all.iter().filter_map(|r| r.upgrade()).map(|r| r.borrow().count()).sum()
        };
        assert!(count(&routines) >= 2, "a sample and a store");
        drop((from, to, how, swirl, device));
        assert!(routines.iter().all(|r| r.strong_count() == 0));
    }
}
