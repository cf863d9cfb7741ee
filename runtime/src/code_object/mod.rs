//! Code objects: what a compiler for AMD GPUs writes, from bytes to kernels and a loadable image.
//!
//! Reference: LLVM AMDGPUUsage, "Code Object". [`CodeObject::load`] takes an amdgcn ELF file (code object versions 3 to 6), an offload
//! bundle, or a host program with HIP device code in it. [`CodeObject::image`] gives the bytes to put at a guest address.
//!
//! Every read is checked: damaged input is a [`LoadError`] that names what was expected, never a panic.
//!
//! Files: `elf` segments, symbols, relocations; `metadata` the MessagePack note; `descriptor` the 64-byte kernel descriptor; `bundle`
//! offload bundles; `source_name` names of C++ kernels.

pub mod bundle;
pub mod descriptor;
mod elf;
mod error;
mod metadata;
mod reader;
mod source_name;

pub use descriptor::{KernelDescriptor, PgmRsrc, property};
pub use elf::{Segment, Symbol, SymbolKind};
pub use error::LoadError;
pub use metadata::{ArgKind, HiddenArg, KernelArg};
pub use wavejit_jit::isa::TargetId;

use elf::{Elf, RelocSymbol};
use metadata::{KernelMetadata, Metadata};
use reader::Reader;
use std::sync::Arc;
use wavejit_jit::isa::Gfx;

/// The processor that is taken from a bundle when nobody says which.
const PREFERRED: Gfx = Gfx::GFX1100;

/// Largest argument segment that is accepted.
const MAX_KERNARG_BYTES: u32 = 1 << 20;

/// A kernel: metadata, descriptor and place in the image. Addresses are relative to the image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelInfo {
    /// Name, without `.kd`.
    pub name: String,
    /// Processor it is run as.
    pub target: Gfx,
    /// Address of the kernel descriptor.
    pub descriptor_address: u64,
    /// The kernel descriptor.
    pub descriptor: KernelDescriptor,
    /// Address of the first instruction.
    pub code_address: u64,
    /// Bytes of code, as its symbol says; 0 if there is no symbol.
    pub code_bytes: u64,
    /// 32 or 64.
    pub wave_size: u32,
    /// Is there metadata? If not, `args` is empty and nothing is known about them.
    pub has_metadata: bool,
    /// Arguments, hidden ones included, as the metadata lists them.
    pub args: Vec<KernelArg>,
    /// Argument segment, in bytes.
    pub kernarg_bytes: u32,
    /// Its alignment.
    pub kernarg_align: u32,
    /// Static LDS of a workgroup, in bytes.
    pub lds_bytes: u32,
    /// Scratch of a work-item, in bytes.
    pub scratch_bytes: u32,
    /// The stack may need more scratch than `scratch_bytes`.
    pub uses_dynamic_stack: bool,
    /// SGPRs.
    pub sgprs: u32,
    /// VGPRs, AGPRs not included.
    pub vgprs: u32,
    /// AGPRs.
    pub agprs: u32,
    /// SGPRs spilled by the compiler.
    pub sgpr_spills: u32,
    /// VGPRs spilled by the compiler.
    pub vgpr_spills: u32,
    /// Most work-items in a workgroup.
    pub max_group_work_items: Option<u32>,
    /// The only workgroup size it is correct for.
    pub required_group: Option<[u32; 3]>,
    /// Workgroup processor mode (gfx10 and later): a workgroup may use both halves of LDS.
    pub wgp_mode: Option<bool>,
    /// Source language.
    pub language: Option<String>,
}

impl KernelInfo {
    /// Arguments that the caller gives, in order.
    pub fn explicit_args(&self) -> impl Iterator<Item = &KernelArg> {
        self.args.iter().filter(|a| !a.kind.is_hidden())
    }
}

/// A code object, read and checked.
#[derive(Clone, Debug)]
pub struct CodeObject {
    bytes: Arc<[u8]>,
    elf: Elf,
    kernels: Vec<KernelInfo>,
}

impl CodeObject {
    /// Reads a code object. From a bundle it takes the entry for gfx1100 if there is one, else the first for a known processor.
    pub fn load(bytes: &[u8]) -> Result<CodeObject, LoadError> {
        CodeObject::load_for(bytes, None, None)
    }

    /// As `load`, for a target (`gfx90a:xnack+`), and holding the kernel: a host program may have several code objects for one target.
    pub fn load_for(bytes: &[u8], target: Option<&str>, kernel: Option<&str>) -> Result<CodeObject, LoadError> {
        let wanted = match target {
            None => None,
            Some(text) => Some(TargetId::parse(text).map_err(|e| LoadError::unsupported(format!("target `{text}`: {e}")))?),
        };
        let object = match container(bytes)? {
            None => CodeObject::from_elf(bytes)?,
            Some(entries) => return choose(entries, wanted, kernel),
        };
        match wanted {
            Some(wanted) if !object.elf.target.fits(&wanted) => {
                Err(LoadError::NoEntry { wanted: wanted.to_string(), entries: object.elf.target.to_string() })
            }
            _ => Ok(object),
        }
    }

    /// Reads an amdgcn ELF file.
    fn from_elf(bytes: &[u8]) -> Result<CodeObject, LoadError> {
        let elf = Elf::parse(bytes)?;
        let metadata = elf.metadata.as_deref().map(Metadata::parse).transpose()?.unwrap_or_default();
        let mut object = CodeObject { bytes: bytes.into(), elf, kernels: Vec::new() };
        // The unrelocated image: descriptors hold no addresses, so relocations do not change them.
        let image = object.raw_image();
        let named: Vec<&KernelMetadata> = metadata.kernels.iter().collect();
        for symbol in object.elf.symbols.iter().filter(|s| s.kind != SymbolKind::Lds) {
            let Some(name) = symbol.name.strip_suffix(".kd") else { continue };
            let about = named.iter().copied().find(|k| k.symbol == symbol.name);
            let info = kernel_info(&object.elf, &image, name, symbol.address, about)?;
            if object.kernels.iter().all(|k: &KernelInfo| k.name != info.name) {
                object.kernels.push(info);
            }
        }
        if let Some(lost) = named.iter().find(|m| object.elf.symbols.iter().all(|s| s.name != m.symbol)) {
            return Err(LoadError::malformed(format!("kernel `{}`: its descriptor symbol `{}` is not there", lost.name, lost.symbol)));
        }
        Ok(object)
    }

    /// What it was compiled for.
    pub fn target(&self) -> &TargetId {
        &self.elf.target
    }

    /// Code object version: 3 to 6.
    pub fn version(&self) -> u8 {
        self.elf.version
    }

    /// The ELF file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All kernels, by address of their descriptors.
    pub fn kernels(&self) -> &[KernelInfo] {
        &self.kernels
    }

    /// A kernel by name, with or without `.kd`. A C++ kernel may go by the name in its source, if it is the only one of that name.
    pub fn kernel(&self, name: &str) -> Result<&KernelInfo, LoadError> {
        let plain = name.strip_suffix(".kd").unwrap_or(name);
        if let Some(kernel) = self.kernels.iter().find(|k| k.name == plain) {
            return Ok(kernel);
        }
        let same: Vec<&KernelInfo> = self.kernels.iter().filter(|k| source_name::is_source_name(&k.name, plain)).collect();
        match same[..] {
            [only] => Ok(only),
            [] => Err(LoadError::NoKernel {
                name: name.to_string(),
                target: self.elf.target.to_string(),
                kernels: list(self.short_names().iter().map(String::as_str)),
            }),
            _ => Err(LoadError::AmbiguousKernel { name: name.to_string(), kernels: list(same.into_iter().map(|k| k.name.as_str())) }),
        }
    }

    /// A name for each kernel that [`CodeObject::kernel`] takes: the one in the source where it is the only one of that name.
    pub fn short_names(&self) -> Vec<String> {
        let names: Vec<&str> = self.kernels.iter().map(|k| k.name.as_str()).collect();
        let short = |symbol: &str| source_name::source_name(symbol).filter(|s| matches!(self.kernel(s), Ok(k) if k.name == symbol));
        names.into_iter().map(|symbol| short(symbol).unwrap_or_else(|| symbol.to_string())).collect()
    }

    /// Symbols that are defined here, by address.
    pub fn symbols(&self) -> &[Symbol] {
        &self.elf.symbols
    }

    /// Segments to be loaded.
    pub fn segments(&self) -> &[Segment] {
        &self.elf.segments
    }

    /// Size of the image in memory.
    pub fn image_bytes(&self) -> u64 {
        self.elf.image_bytes()
    }

    /// The image as it must lie at guest address `base`, relocations applied. `base` should be a multiple of 4096.
    pub fn image(&self, base: u64) -> Result<Vec<u8>, LoadError> {
        let mut image = self.raw_image();
        for reloc in &self.elf.relocs {
            let symbol = match &reloc.symbol {
                RelocSymbol::None => 0,
                RelocSymbol::Defined(address) => base.wrapping_add(*address),
                RelocSymbol::Absolute(value) => *value,
                RelocSymbol::Undefined(symbol) => {
                    return Err(LoadError::UndefinedSymbol { symbol: symbol.clone(), address: reloc.address });
                }
            };
            let (value, bytes) = relocated(reloc.kind, base, symbol, reloc.addend, base.wrapping_add(reloc.address))?;
            let place = usize::try_from(reloc.address).ok().and_then(|at| image.get_mut(at..at.checked_add(bytes)?));
            match place {
                Some(place) => place.copy_from_slice(&value.to_le_bytes()[..bytes]),
                None => return Err(LoadError::malformed(format!("relocation at {:#x}, outside the image", reloc.address))),
            }
        }
        Ok(image)
    }

    /// Segment contents without relocations. The loader has checked that all of it is in range.
    fn raw_image(&self) -> Vec<u8> {
        let mut image = vec![0; self.elf.image_bytes() as usize];
        for s in &self.elf.segments {
            let from = &self.bytes[s.file_offset as usize..][..s.file_bytes as usize];
            image[s.address as usize..][..from.len()].copy_from_slice(from);
        }
        image
    }
}

/// Value and width of a relocation. S: symbol, A: addend, P: place, B: base. LLVM AMDGPUUsage, "Relocation Records".
fn relocated(kind: u32, base: u64, s: u64, a: u64, p: u64) -> Result<(u64, usize), LoadError> {
    let absolute = s.wrapping_add(a);
    let relative = absolute.wrapping_sub(p);
    Ok(match kind {
        0 => (0, 0),                      // R_AMDGPU_NONE
        1 => (absolute & 0xffff_ffff, 4), // R_AMDGPU_ABS32_LO
        2 => (absolute >> 32, 4),         // R_AMDGPU_ABS32_HI
        3 => (absolute, 8),               // R_AMDGPU_ABS64
        4 => (relative, 4),               // R_AMDGPU_REL32
        5 => (relative, 8),               // R_AMDGPU_REL64
        6 => (absolute, 4),               // R_AMDGPU_ABS32
        10 => (relative, 4),              // R_AMDGPU_REL32_LO
        11 => (relative >> 32, 4),        // R_AMDGPU_REL32_HI
        13 => (base.wrapping_add(a), 8),  // R_AMDGPU_RELATIVE64
        7..=9 | 14 => return Err(LoadError::unsupported(format!("relocation type {kind} belongs into objects that are not linked yet"))),
        _ => return Err(LoadError::malformed(format!("relocation type {kind} does not exist"))),
    })
}

fn kernel_info(elf: &Elf, image: &[u8], name: &str, address: u64, about: Option<&KernelMetadata>) -> Result<KernelInfo, LoadError> {
    let what = format!("descriptor of kernel `{name}`");
    let mut bytes = [0; KernelDescriptor::BYTES];
    bytes.copy_from_slice(Reader::new(image).slice(address, KernelDescriptor::BYTES as u64, &what)?);
    let kd = KernelDescriptor::parse(&bytes);
    let target = elf.target.processor;
    let code_address = address.wrapping_add_signed(kd.entry_offset);
    let executable = |s: &&Segment| s.executable && code_address >= s.address && code_address - s.address < s.bytes;
    if !code_address.is_multiple_of(4) || !elf.segments.iter().any(|s| executable(&s)) {
        return Err(LoadError::malformed(format!(
            "kernel `{name}`: entry at {code_address:#x}, expected a dword in an executable segment"
        )));
    }
    let wave_size = kd.wave_size(target);
    if let Some(other) = about.and_then(|m| m.wave_size).filter(|w| *w != wave_size) {
        return Err(LoadError::malformed(format!("kernel `{name}`: wave size {other} in the metadata, {wave_size} in the descriptor")));
    }
    let kernarg_bytes = about.map_or(0, |m| m.kernarg_bytes).max(kd.kernarg_bytes);
    if kernarg_bytes > MAX_KERNARG_BYTES {
        return Err(LoadError::unsupported(format!(
            "kernel `{name}`: argument segment of {kernarg_bytes} bytes; at most {MAX_KERNARG_BYTES} are supported"
        )));
    }
    let args = about.map_or(&[][..], |m| &m.args);
    if let Some(i) = args.iter().position(|a| u64::from(a.offset) + u64::from(a.bytes) > u64::from(kernarg_bytes)) {
        let arg = &args[i];
        return Err(LoadError::malformed(format!(
            "kernel `{name}`, argument {i}: {} bytes at offset {} in an argument segment of {kernarg_bytes}",
            arg.bytes, arg.offset
        )));
    }
    let code = elf.symbols.iter().find(|s| s.address == code_address && s.kind == SymbolKind::Function);
    let none = KernelMetadata::default();
    let m = about.unwrap_or(&none);
    Ok(KernelInfo {
        name: if about.is_some() { m.name.clone() } else { name.to_string() },
        target,
        descriptor_address: address,
        descriptor: kd,
        code_address,
        code_bytes: code.map_or(0, |s| s.bytes),
        wave_size,
        has_metadata: about.is_some(),
        args: m.args.clone(),
        kernarg_bytes,
        kernarg_align: m.kernarg_align.max(8),
        lds_bytes: m.lds_bytes.max(kd.lds_bytes),
        scratch_bytes: m.scratch_bytes.max(kd.scratch_bytes),
        uses_dynamic_stack: m.uses_dynamic_stack || elf.version >= 5 && kd.has(property::USES_DYNAMIC_STACK),
        sgprs: m.sgprs.unwrap_or_else(|| kd.rsrc.sgprs(target)),
        vgprs: m.vgprs.unwrap_or_else(|| kd.rsrc.vgprs(target, wave_size)),
        agprs: m.agprs.unwrap_or(0),
        sgpr_spills: m.sgpr_spills,
        vgpr_spills: m.vgpr_spills,
        max_group_work_items: m.max_group_work_items,
        required_group: m.required_group,
        wgp_mode: m.wgp_mode.or((target.0 >= 0x1000).then_some(kd.rsrc.rsrc1 >> 29 & 1 != 0)),
        language: m.language.clone(),
    })
}

/// The entries of a bundle, wherever it is; none if the bytes are themselves an amdgcn ELF file.
pub fn container(bytes: &[u8]) -> Result<Option<Vec<bundle::BundleEntry>>, LoadError> {
    if bundle::is_bundle(bytes) {
        return bundle::entries(bytes).map(Some);
    }
    if let Some(section) = bundle::fat_binary_section(bytes) {
        return bundle::entries(&section?).map(Some);
    }
    if bytes.starts_with(b"\x7fELF") {
        return Ok(None);
    }
    let found = match bytes {
        [] => "nothing".to_string(),
        [0x10, 0xff, 0x10, 0xad, ..] => "an offload binary of clang-offload-packager; extract its images first".to_string(),
        [b'B', b'C', 0xc0, 0xde, ..] => "LLVM bitcode; compile and link it first".to_string(),
        _ => format!("a file that starts with {:02x?}", &bytes[..bytes.len().min(8)]),
    };
    Err(LoadError::NotACodeObject { found })
}

/// Takes the code object that is wanted out of a bundle.
fn choose(entries: Vec<bundle::BundleEntry>, wanted: Option<TargetId>, kernel: Option<&str>) -> Result<CodeObject, LoadError> {
    let mut fitting = Vec::new();
    for entry in &entries {
        match TargetId::parse(&entry.id) {
            Ok(id) if !entry.bytes.is_empty() && wanted.as_ref().is_none_or(|w| id.fits(w)) => fitting.push((id, entry)),
            _ => {}
        }
    }
    let best = wanted.as_ref().map_or(PREFERRED, |w| w.processor);
    // Stable: the others stay in file order.
    fitting.sort_by_key(|(id, _)| (id.processor != best, id.is_generic()));
    let Some(processor) = fitting.first().map(|f| f.0.processor) else {
        return Err(LoadError::NoEntry {
            wanted: wanted.map_or("any known processor".to_string(), |w| w.to_string()),
            entries: list(entries.iter().map(|e| e.id.as_str())),
        });
    };
    let mut first_error = None;
    for (_, entry) in fitting.iter().filter(|f| f.0.processor == processor) {
        let object = CodeObject::from_elf(&entry.bytes)?;
        match kernel.map(|name| object.kernel(name).map(|_| ())) {
            None | Some(Ok(())) => return Ok(object),
            Some(Err(e)) => first_error = first_error.or(Some(e)),
        }
    }
    // There was at least one entry, and it did not have the kernel.
    Err(first_error.unwrap_or_else(|| LoadError::malformed("empty bundle")))
}

fn list<'a>(items: impl Iterator<Item = &'a str>) -> String {
    let items: Vec<&str> = items.collect();
    if items.is_empty() { "none".to_string() } else { items.join(", ") }
}
