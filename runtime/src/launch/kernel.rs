//! Kernels of code objects: [`Module`], [`Kernel`], their arguments ([`Arg`]) and how they are launched ([`Launch`]).

use crate::args::arg_type::Element;
use crate::args::kernarg::{self, ArgValue};
use crate::bvh::Bvh;
use crate::code_object::hidden_use::{self, HiddenUse, MissingArg};
use crate::code_object::{self, ArgKind, CodeObject, HiddenArg, KernelInfo, MAX_KERNARG_BYTES};
use crate::device::{Buffer, Device};
use crate::dispatch::DispatchStats;
use crate::dispatch::config::LaunchConfig;
use crate::dispatch::job::Offered;
use crate::dispatch::wave_init::{Pointers, WaveInit};
use crate::error::Error;
use crate::host::fork::Section;
use crate::host::sync::Mutex;
use crate::image::Image;
use crate::image::sampler::Sampler;
use crate::launch::cooperative::Cooperative;
use crate::memory::fault;
use crate::program::{Arrival, CodeKey, Program};
use crate::services::{Formats, PrintBuffer, Services};
use std::collections::HashMap;
use std::sync::Arc;
use wavejit_isa::Gfx;
use wavejit_texture::Generation;

/// Scratch of kernels whose stack need is not known when they are compiled.
const DYNAMIC_STACK_BYTES: u32 = 16 << 10;

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
    /// Of printf.
    formats: Formats,
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
    /// The packed explicit arguments instead of `args`; hidden ones are filled in behind them.
    pub explicit: Option<&'a [u8]>,
    /// LDS bytes beyond the kernel's own and its `__local` arguments.
    pub dynamic_lds: u32,
    /// All workgroups wait for each other, as cooperative groups do: the kernel finds what it needs for that.
    pub cooperative: Option<Cooperative>,
    /// Launch although the kernel's code uses hidden arguments that are not provided, such as a queue to enqueue kernels on: they are 0, and a wave that
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
    /// Loads a code object (ELF, or an offload bundle with one for gfx1100 or another known processor).
    pub fn load(&self, bytes: &[u8]) -> Result<Module, Error> {
        self.load_object(CodeObject::load(bytes)?)
    }

    /// Loads a code object that has been read already.
    pub fn load_object(&self, object: CodeObject) -> Result<Module, Error> {
        let space = self.memory();
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
        let formats = Formats::new(object.printf_formats());
        Ok(Module(Arc::new(ModuleInner { device: self.clone(), object, base, program, hidden: Mutex::default(), formats })))
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
        // The decoder makes its tables when they are first asked for, and a child of a fork must not find one half made.
        let _section = Section::begin();
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
        self.device.memory().free(self.base);
    }
}

impl Kernel {
    /// What the code object says about it.
    pub fn info(&self) -> &KernelInfo {
        &self.info
    }

    /// Compiles it now, for a launch later.
    pub fn compile(&self) -> Result<(), Error> {
        let _ready = fault::ready(self.module.0.device.memory());
        let init = self.init(&Pointers::default(), &[], 0);
        // As launches of one dimension will want it.
        let key = CodeKey { ids: init.line(), ..init.code_key() };
        self.module.0.program.code(&self.info.name, key, Arrival::Start { waves: None }, &|| false)?;
        Ok(())
    }

    /// Whether a launch is possible, as far as can be said without running it: grid, LDS, hidden arguments.
    pub fn check(&self, launch: &Launch) -> Result<(), Error> {
        let info = &*self.info;
        launch.config.geometry.check(&info.name, Some(info))?;
        kernarg::check_lds(&info.name, info.lds_bytes, launch.dynamic_lds)?;
        if launch.cooperative.is_some() {
            Cooperative::groups(&info.name, &launch.config.geometry)?;
        }
        if launch.allow_missing { Ok(()) } else { self.check_hidden(launch) }
    }

    /// Runs the grid to its end.
    pub fn launch(&self, launch: &Launch) -> Result<DispatchStats, Error> {
        let _ready = fault::ready(self.module.0.device.memory());
        let (info, module) = (&*self.info, &*self.module.0);
        let geometry = &launch.config.geometry;
        self.check(launch)?;
        check_descriptors(info, launch.args)?;
        let packed_bytes = launch.kernarg.or(launch.explicit).map_or(0, <[u8]>::len);
        let segment_bytes = packed_bytes.max(info.kernarg_bytes as usize) as u64;
        if segment_bytes > u64::from(MAX_KERNARG_BYTES) {
            let name = &info.name;
            return Err(Error::Arg(format!(
                "kernel `{name}`: {segment_bytes} bytes of arguments: at most {MAX_KERNARG_BYTES} are possible"
            )));
        }
        // One for all locks until the waves run.
        let section = Section::begin();
        let mut block = module.device.blocks().take(segment_bytes)?;
        let (mut bytes, dynamic_lds) = match (launch.kernarg, launch.explicit) {
            (Some(packed), _) => (kernarg::pack_raw(info, packed), launch.dynamic_lds),
            (None, Some(explicit)) => {
                let mut bytes = kernarg::pack_raw(info, explicit);
                kernarg::fill_hidden(info, &mut bytes, geometry, launch.dynamic_lds, &block.hidden());
                (bytes, launch.dynamic_lds)
            }
            (None, None) => {
                let scratch: Vec<[u8; 8]> = launch.args.iter().map(Arg::scalar_bytes).collect();
                let args: Vec<ArgValue> = launch.args.iter().zip(&scratch).map(|(a, s)| a.value(s)).collect();
                let packed = kernarg::pack(info, &args, geometry, launch.dynamic_lds, &block.hidden())?;
                (packed.bytes, packed.dynamic_lds_bytes)
            }
        };
        let services = module.device.services();
        let sync_groups = launch.cooperative.map(|_| Cooperative::groups(&info.name, geometry)).transpose()?;
        let record = launch.cooperative.zip(sync_groups).map(|(c, groups)| module.device.upload(&c.record(groups))).transpose()?;
        let printed = self.fill_services(&services, record.as_ref(), &mut bytes)?;
        let kernel_object = module.base + info.descriptor_address;
        block.fill(&bytes, &kernarg::dispatch_packet(info, geometry, dynamic_lds, kernel_object, block.address))?;
        let pointers = Pointers {
            kernarg: block.address,
            dispatch_packet: block.packet(),
            queue: block.queue(),
            dispatch_id: module.device.next_dispatch_id(),
            ..Default::default()
        };
        let init = self.init(&pointers, &bytes, dynamic_lds);
        let hidden = if self.hidden.used.is_empty() { &self.hidden.listed } else { &self.hidden.used };
        let missing: Vec<MissingArg> = hidden.iter().filter(|m| !self.is_provided(m, record.is_some())).copied().collect();
        let offered = Offered { services: Some(&services), sync_groups, missing: &missing };
        let stats = module.device.dispatch(&info.name, &module.program, init, &launch.config, offered, section);
        // What was printed before an error helps to find it.
        let flushed = printed.map_or(Ok(()), |buffer| buffer.flush(&module.formats, &services));
        stats.and_then(|stats| flushed.map(|()| stats))
    }

    /// Is it a hidden argument that the launch fills in?
    fn is_provided(&self, arg: &MissingArg, is_cooperative: bool) -> bool {
        Services::has(arg.which)
            || arg.which == HiddenArg::MultigridSync && is_cooperative
            || arg.which == HiddenArg::PrintfBuffer && !self.module.0.object.printf_formats().is_empty()
    }

    /// Fills in the hidden arguments that only some kernels use, where the caller has not; the buffer to print from when the dispatch has ended.
    fn fill_services(&self, services: &Services, record: Option<&Buffer>, bytes: &mut [u8]) -> Result<Option<PrintBuffer>, Error> {
        let mut printed = None;
        let listed = self.hidden.listed.iter().filter(|l| !self.hidden.used.iter().any(|u| u.offset == l.offset));
        for arg in self.hidden.used.iter().chain(listed).filter(|m| self.is_provided(m, record.is_some())) {
            let Some(place) = bytes.get_mut(arg.offset as usize..).and_then(|b| b.first_chunk_mut::<8>()) else { continue };
            if arg.which == HiddenArg::PrintfBuffer {
                let buffer = PrintBuffer::new(self.module.0.device.memory())?;
                *place = buffer.address.to_le_bytes();
                printed = Some(buffer);
            } else if *place == [0; 8] && arg.which == HiddenArg::MultigridSync {
                *place = record.map_or(0, Buffer::address).to_le_bytes();
            } else if *place == [0; 8] {
                *place = services.provide(arg.which)?.to_le_bytes();
            }
        }
        Ok(printed)
    }

    /// Refuses to launch without a hidden argument that the code uses. A caller who packs arguments may provide it.
    fn check_hidden(&self, launch: &Launch) -> Result<(), Error> {
        let (packed, is_cooperative) = (launch.kernarg, launch.cooperative.is_some());
        let is_given = |m: &MissingArg| packed.and_then(|p| p.get(m.offset as usize..)).is_some_and(|p| p.iter().take(8).any(|b| *b != 0));
        let wanted: Vec<&MissingArg> = self.hidden.used.iter().filter(|m| !self.is_provided(m, is_cooperative) && !is_given(m)).collect();
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
            Arg::Buffer(b) => ArgValue::Pointer(b.address()),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceConfig;
    use crate::{Filter, ImageDesc, SamplerDesc};

    #[test]
    fn routines_of_image_instructions_go_with_their_device() {
        let device = Device::new(DeviceConfig { threads: 1, ..Default::default() }).expect("a device");
        let image = || device.image(&ImageDesc { width: 8, height: 8, ..Default::default() }).expect("an image");
        let (from, to) = (image(), image());
        let how = device.sampler(&SamplerDesc { mag: Filter::Linear, ..Default::default() }).expect("a sampler");
        let code = include_bytes!("../../../shaders/bin/image_swirl.gfx1100.wave32.hsaco");
        let swirl = device.load(code).and_then(|m| m.kernel("image_swirl")).expect("a kernel");
        let args = [Arg::Image(&from), Arg::Sampler(&how), Arg::Image(&to), Arg::F32(1.0)];
        swirl.launch(&Launch::new([8, 8, 1], [8, 8, 1], &args)).expect("a launch");
        let routines = device.pool().kept(|l| std::rc::Rc::downgrade(&l.routines));
        let count = |all: &[std::rc::Weak<std::cell::RefCell<wavejit_texture::image::RoutineCaches>>]| -> usize {
            all.iter().filter_map(|r| r.upgrade()).map(|r| r.borrow().len()).sum()
        };
        assert!(count(&routines) >= 2, "a sample and a store");
        drop((from, to, how, swirl, device));
        assert!(routines.iter().all(|r| r.strong_count() == 0));
    }
}
