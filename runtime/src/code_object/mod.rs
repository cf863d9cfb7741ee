//! Code objects: what a compiler for AMD GPUs writes, from bytes to kernels and a loadable image.
//!
//! Reference: LLVM AMDGPUUsage, "Code Object". [`CodeObject::load`] takes an amdgcn ELF file (code object versions 3 to 6), an offload
//! bundle, or a host program with HIP device code in it. [`CodeObject::image`] gives the bytes to put at a guest address.
//!
//! Every read is checked: damaged input is a [`LoadError`] that names what was expected, never a panic. Memory is in proportion to the
//! file: at most [`BYTES_PER_BYTE`] bytes for each of its bytes, and of what a compressed bundle unpacks to ([`bundle::MAX_RATIO`]).
//! Whatever a file asks for is bounded by what it has, shared parts are borrowed and not copied, and no memory is an error.
//!
//! Files: `elf` segments and relocations; `symbols` their names; `metadata` the note, `msgpack` its encoding; `descriptor` the 64-byte
//! kernel descriptor; `bundle` offload bundles, `zstd` compressed ones; `source_name` names of C++ kernels.

pub mod bundle;
pub mod descriptor;
mod elf;
mod error;
pub(crate) mod hidden_use;
mod metadata;
mod msgpack;
mod reader;
mod source_name;
mod symbols;
mod zstd;

pub use bundle::Bundle;
pub use descriptor::{KernelDescriptor, PgmRsrc, property};
pub use elf::Segment;
pub use error::LoadError;
pub use metadata::{ArgKind, HiddenArg, KernelArg};
pub use symbols::{Symbol, SymbolKind};
pub use wavejit_isa::TargetId;

use elf::{Elf, RelocSymbol};
use error::{copied, reserved};
use metadata::{KernelMetadata, Metadata};
use reader::Reader;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use wavejit_isa::Feature;
use wavejit_isa::Gfx;

/// Most bytes of host memory that loading takes for each byte of a file, the file's own copy included. Reached by a file that has nothing
/// but kernels of nothing but a name; real ones take about three.
pub const BYTES_PER_BYTE: usize = 32;

/// The processor that is taken from a bundle when nobody says which.
const PREFERRED: Gfx = Gfx::GFX1100;

/// Largest argument segment that is accepted.
pub const MAX_KERNARG_BYTES: u32 = 1 << 20;

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
    bytes: Arc<Vec<u8>>,
    elf: Elf,
    kernels: Vec<KernelInfo>,
    formats: Vec<String>,
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
            Some(bundle) => return choose(&bundle, wanted, kernel),
        };
        match wanted {
            Some(wanted) if !object.elf.target.fits(&wanted) => {
                Err(LoadError::NoEntry { wanted: wanted.to_string(), entries: object.elf.target.to_string() })
            }
            _ => Ok(object),
        }
    }

    /// The code object of a bundle for a target.
    pub fn of_bundle(bundle: &Bundle, target: &TargetId) -> Result<CodeObject, LoadError> {
        choose(bundle, Some(target.clone()), None)
    }

    /// Reads an amdgcn ELF file.
    fn from_elf(bytes: &[u8]) -> Result<CodeObject, LoadError> {
        let elf = Elf::parse(bytes)?;
        let metadata = elf.metadata.clone().map(|note| Metadata::parse(&bytes[note])).transpose()?.unwrap_or_default();
        let kernels = kernels(&elf, bytes, metadata.kernels)?;
        Ok(CodeObject { bytes: Arc::new(copied(bytes, "a code object")?), elf, kernels, formats: metadata.formats })
    }

    /// What it was compiled for.
    pub fn target(&self) -> &TargetId {
        &self.elf.target
    }

    /// Code object version: 3 to 6.
    pub fn version(&self) -> u8 {
        self.elf.version
    }

    /// Formats of printf whose arguments kernels put into a buffer, `NUMBER:COUNT:BYTES...:FORMAT`.
    pub fn printf_formats(&self) -> &[String] {
        &self.formats
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
                kernels: list(self.short_names().iter()),
            }),
            _ => Err(LoadError::AmbiguousKernel { name: name.to_string(), kernels: list(same.into_iter().map(|k| k.name.as_str())) }),
        }
    }

    /// A name for each kernel that [`CodeObject::kernel`] takes: the one in the source where it is the only one of that name.
    pub fn short_names(&self) -> Vec<String> {
        let symbols: Vec<&str> = self.kernels.iter().map(|k| k.name.as_str()).collect();
        let short = source_name::unique_names(&symbols).into_iter().zip(symbols);
        short.map(|(name, symbol)| name.unwrap_or_else(|| symbol.to_string())).collect()
    }

    /// Symbols that are defined here, by address.
    pub fn symbols(&self) -> impl DoubleEndedIterator<Item = Symbol<'_>> + ExactSizeIterator + Clone {
        self.elf.symbols.iter()
    }

    /// Segments to be loaded.
    pub fn segments(&self) -> &[Segment] {
        &self.elf.segments
    }

    /// Size of the image in memory; most of it may be zeros that nobody has to make.
    pub fn image_bytes(&self) -> u64 {
        self.elf.image_bytes()
    }

    /// The image as it must lie at guest address `base`, relocations applied. `base` should be a multiple of 4096.
    pub fn image(&self, base: u64) -> Result<Image, LoadError> {
        let mut parts = reserved(self.elf.segments.len(), "an image")?;
        for s in &self.elf.segments {
            let contents = Reader::new(&self.bytes).slice(s.file_offset, s.file_bytes, "contents of a segment")?;
            parts.push(ImagePart { address: s.address, bytes: copied(contents, "an image")? });
        }
        let mut image = Image { parts };
        for reloc in &self.elf.relocs {
            let symbol = match &reloc.symbol {
                RelocSymbol::None => 0,
                RelocSymbol::Defined(address) => base.wrapping_add(*address),
                RelocSymbol::Absolute(value) => *value,
                RelocSymbol::Undefined(name) => {
                    let symbol = Reader::new(&self.bytes).c_str(*name, "symbol name")?;
                    return Err(LoadError::UndefinedSymbol { symbol, address: reloc.address });
                }
            };
            let (value, bytes) = relocated(reloc.kind, base, symbol, reloc.addend, base.wrapping_add(reloc.address))?;
            match image.get_mut(reloc.address, bytes) {
                Some(place) => place.copy_from_slice(&value.to_le_bytes()[..bytes]),
                None => return Err(LoadError::malformed(format!("relocation at {:#x}, outside the contents of segments", reloc.address))),
            }
        }
        Ok(image)
    }
}

/// What a code object puts into memory. Between and behind the parts are zeros.
#[derive(Clone, Debug)]
pub struct Image {
    parts: Vec<ImagePart>,
}

/// The contents of a segment.
#[derive(Clone, Debug)]
pub struct ImagePart {
    /// Address relative to the image.
    pub address: u64,
    /// What is there.
    pub bytes: Vec<u8>,
}

impl Image {
    /// The parts, by address.
    pub fn parts(&self) -> &[ImagePart] {
        &self.parts
    }

    /// `len` bytes at an address, if they are all in one part.
    pub fn get(&self, address: u64, len: usize) -> Option<&[u8]> {
        self.parts.iter().find_map(|p| p.bytes.get(p.range(address, len)?))
    }

    fn get_mut(&mut self, address: u64, len: usize) -> Option<&mut [u8]> {
        self.parts.iter_mut().find_map(|p| {
            let range = p.range(address, len)?;
            p.bytes.get_mut(range)
        })
    }

    /// The dwords of `bytes` bytes at an address; none if they are not all in one part.
    pub fn dwords(&self, address: u64, bytes: u64) -> Vec<u32> {
        let bytes = usize::try_from(bytes).ok().and_then(|len| self.get(address, len)).unwrap_or_default();
        bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
    }

    /// The dword at an address.
    pub fn dword(&self, address: u64) -> Option<u32> {
        self.get(address, 4)?.try_into().ok().map(u32::from_le_bytes)
    }
}

impl ImagePart {
    fn range(&self, address: u64, len: usize) -> Option<std::ops::Range<usize>> {
        let start = usize::try_from(address.checked_sub(self.address)?).ok()?;
        let end = start.checked_add(len)?;
        (end <= self.bytes.len()).then_some(start..end)
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

/// All kernels: symbols that end in `.kd`, with what the metadata says about them.
fn kernels(elf: &Elf, file: &[u8], mut metadata: Vec<KernelMetadata>) -> Result<Vec<KernelInfo>, LoadError> {
    let descriptors = || elf.symbols.iter().filter(|s| s.kind != SymbolKind::Lds && s.name.ends_with(".kd"));
    let count = descriptors().count();
    // Names are copied now. In no file does that come to more than the file, once for each of its two symbol tables.
    if descriptors().map(|s| s.name.len()).sum::<usize>() > 2 * file.len() {
        return Err(LoadError::malformed(format!("the names of its {count} kernels are longer than the file: they overlap")));
    }
    let no_memory = |_| LoadError::NoMemory { what: "kernels".into(), bytes: count.saturating_mul(size_of::<KernelInfo>()) };
    let mut by_symbol: HashMap<String, usize> = HashMap::new();
    by_symbol.try_reserve(metadata.len()).map_err(no_memory)?;
    for (i, m) in metadata.iter_mut().enumerate() {
        by_symbol.entry(std::mem::take(&mut m.symbol)).or_insert(i);
    }
    let (mut symbols, mut names) = (HashSet::new(), HashSet::new());
    symbols.try_reserve(count).map_err(no_memory)?;
    let mut kernels = reserved(count, "kernels")?;
    for symbol in descriptors().filter(|s| symbols.insert(s.name)) {
        let about = by_symbol.remove(symbol.name).map(|i| std::mem::take(&mut metadata[i]));
        let name = symbol.name.strip_suffix(".kd").unwrap_or(symbol.name);
        let info = kernel_info(elf, file, name, symbol.address, about)?;
        if names.insert(info.name.clone()) {
            kernels.push(info);
        }
    }
    if let Some((symbol, i)) = by_symbol.iter().min_by_key(|(_, i)| **i) {
        let name = &metadata[*i].name;
        return Err(LoadError::malformed(format!("kernel `{name}`: its descriptor symbol `{symbol}` is not there")));
    }
    Ok(kernels)
}

fn kernel_info(elf: &Elf, file: &[u8], name: &str, address: u64, about: Option<KernelMetadata>) -> Result<KernelInfo, LoadError> {
    let what = format!("descriptor of kernel `{name}`");
    let mut bytes = [0; KernelDescriptor::BYTES];
    // Before relocation: descriptors hold no addresses.
    let at = elf.file_offset(address, KernelDescriptor::BYTES as u64, &what)?;
    bytes.copy_from_slice(Reader::new(file).slice(at, KernelDescriptor::BYTES as u64, &what)?);
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
    let has_metadata = about.is_some();
    let m = about.unwrap_or_default();
    if let Some(other) = m.wave_size.filter(|w| *w != wave_size) {
        return Err(LoadError::malformed(format!("kernel `{name}`: wave size {other} in the metadata, {wave_size} in the descriptor")));
    }
    let kernarg_bytes = m.kernarg_bytes.max(kd.kernarg_bytes);
    if kernarg_bytes > MAX_KERNARG_BYTES {
        return Err(LoadError::unsupported(format!(
            "kernel `{name}`: argument segment of {kernarg_bytes} bytes; at most {MAX_KERNARG_BYTES} are supported"
        )));
    }
    let args = &m.args;
    if let Some(i) = args.iter().position(|a| u64::from(a.offset) + u64::from(a.bytes) > u64::from(kernarg_bytes)) {
        let arg = &args[i];
        return Err(LoadError::malformed(format!(
            "kernel `{name}`, argument {i}: {} bytes at offset {} in an argument segment of {kernarg_bytes}",
            arg.bytes, arg.offset
        )));
    }
    let code = elf.symbols.at(code_address).filter(|s| s.kind == SymbolKind::Function);
    Ok(KernelInfo {
        name: if has_metadata { m.name } else { name.to_string() },
        target,
        descriptor_address: address,
        descriptor: kd,
        code_address,
        code_bytes: code.map_or(0, |s| s.bytes),
        wave_size,
        has_metadata,
        args: m.args,
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
        wgp_mode: m.wgp_mode.or(target.has(Feature::WgpMode).then_some(kd.rsrc.rsrc1 >> 29 & 1 != 0)),
        language: m.language,
    })
}

/// The bundle, or bundles, that bytes are or hold; none if the bytes are themselves an amdgcn ELF file.
pub fn container(bytes: &[u8]) -> Result<Option<Bundle<'_>>, LoadError> {
    if bundle::is_bundle(bytes) {
        return Bundle::read(bytes).map(Some);
    }
    if let Some(section) = bundle::fat_binary_section(bytes) {
        return Bundle::read(section?).map(Some);
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
fn choose(bundle: &Bundle, wanted: Option<TargetId>, kernel: Option<&str>) -> Result<CodeObject, LoadError> {
    let mut fitting = Vec::new();
    for entry in bundle.entries() {
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
            entries: list(bundle.entries().map(|e| e.id)),
        });
    };
    let mut first_error = None;
    for (_, entry) in fitting.iter().filter(|f| f.0.processor == processor) {
        let object = CodeObject::from_elf(entry.bytes)?;
        match kernel.map(|name| object.kernel(name).map(|_| ())) {
            None | Some(Ok(())) => return Ok(object),
            Some(Err(e)) => first_error = first_error.or(Some(e)),
        }
    }
    // There was at least one entry, and it did not have the kernel.
    Err(first_error.unwrap_or_else(|| LoadError::malformed("empty bundle")))
}

fn list(items: impl Iterator<Item = impl AsRef<str>>) -> String {
    let mut list = String::new();
    for item in items {
        if !list.is_empty() {
            list += ", ";
        }
        list += item.as_ref();
    }
    if list.is_empty() { "none".to_string() } else { list }
}
