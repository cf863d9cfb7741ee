//! The parts of an amdgcn ELF file that a loader needs: segments, symbols, dynamic relocations, the metadata note.
//!
//! Reference: System V gABI; LLVM AMDGPUUsage, "ELF Code Object". Everything comes from the program headers where it can, so that a
//! file without section headers loads too; section headers add names for code that is not exported. The structures are the `object` crate's;
//! how much of a file is read, what may overlap, and what is said of it is decided here.

use super::error::LoadError;
use super::error::reserved;
use super::reader::Reader;
use super::symbols::{SYM_BYTES, Symbol64, Symbols};
use object::LittleEndian as LE;
use object::elf::{self, ProgramHeader64};
use std::ops::Range;
use wavejit_isa::TargetId;

type Header = elf::FileHeader64<LE>;
type SectionHeader = elf::SectionHeader64<LE>;
type Rela = elf::Rela64<LE>;
type DynamicEntry = elf::Dyn64<LE>;
type Note = elf::NoteHeader64<LE>;
type Hash = elf::HashHeader<LE>;

const NT_AMDGPU_METADATA: u32 = 32;
const RELA_BYTES: u64 = size_of::<Rela>() as u64;
const PROGRAM_HEADER_BYTES: u64 = size_of::<ProgramHeader64<LE>>() as u64;
const SECTION_HEADER_BYTES: u64 = size_of::<SectionHeader>() as u64;

/// Largest file that is read; names are places in it of 32 bits.
pub(super) const MAX_FILE_BYTES: u64 = 1 << 31;

/// Largest image that is loaded: the allowance for variables without contents (.bss), of which large ones are arrays. It is address space
/// of the guest, mapped when it is touched; what loading costs the host is in proportion to the file.
pub(super) const MAX_IMAGE_BYTES: u64 = 1 << 30;

/// Most program headers; linkers write about ten.
const MAX_PROGRAM_HEADERS: u64 = 64;

/// A PT_LOAD segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Offset in the file.
    pub file_offset: u64,
    /// Bytes in the file.
    pub file_bytes: u64,
    /// Address relative to the image.
    pub address: u64,
    /// Bytes in memory; the rest is zero.
    pub bytes: u64,
    /// Holds code.
    pub executable: bool,
    /// May be written.
    pub writable: bool,
}

/// A dynamic relocation: what to write at `address`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reloc {
    pub address: u64,
    /// R_AMDGPU_*.
    pub kind: u32,
    /// Addend.
    pub addend: u64,
    /// The symbol.
    pub symbol: RelocSymbol,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum RelocSymbol {
    /// Symbol 0, or one that may stay undefined: 0.
    None,
    /// Address relative to the image.
    Defined(u64),
    /// A number that does not move with the image.
    Absolute(u64),
    /// Nothing here defines it; its name is at this file offset.
    Undefined(u64),
}

/// The file, taken apart.
#[derive(Clone, Debug)]
pub(super) struct Elf {
    pub target: TargetId,
    /// 3, 4, 5, 6: code object version.
    pub version: u8,
    /// By address; they do not overlap, neither there nor, taken together, in the file.
    pub segments: Vec<Segment>,
    pub symbols: Symbols,
    pub relocs: Vec<Reloc>,
    /// Descriptor of the NT_AMDGPU_METADATA note, in the file.
    pub metadata: Option<Range<usize>>,
}

/// PT_DYNAMIC entries that matter. All are addresses or sizes.
#[derive(Default)]
struct Dynamic {
    symtab: Option<u64>,
    strtab: Option<u64>,
    strtab_bytes: u64,
    hash: Option<u64>,
    rela: Option<u64>,
    rela_bytes: u64,
    rel: Option<u64>,
}

impl Elf {
    pub(super) fn parse(bytes: &[u8]) -> Result<Elf, LoadError> {
        let file = Reader::new(bytes);
        if file.len() > MAX_FILE_BYTES {
            return Err(LoadError::unsupported(format!("a file of {} bytes; at most {MAX_FILE_BYTES} are read", file.len())));
        }
        let (header, target, version) = header(&file)?;
        let mut elf = Elf { target, version, segments: vec![], symbols: Symbols::default(), relocs: vec![], metadata: None };
        let mut dynamic = None;
        let offset = header.e_phoff.get(LE);
        let entry_bytes = u64::from(header.e_phentsize.get(LE));
        let count = u64::from(header.e_phnum.get(LE));
        if count != 0 && entry_bytes < PROGRAM_HEADER_BYTES {
            return Err(LoadError::malformed(format!("expected program headers of 56 bytes, found e_phentsize {entry_bytes}")));
        }
        if count > MAX_PROGRAM_HEADERS {
            return Err(LoadError::unsupported(format!("{count} program headers; at most {MAX_PROGRAM_HEADERS} are read")));
        }
        for i in 0..count {
            let at = offset.checked_add(i * entry_bytes).ok_or_else(|| LoadError::malformed("e_phoff is beyond any file"))?;
            let header: &ProgramHeader64<LE> = file.get(at, &format!("program header {i}"))?;
            let segment = Segment {
                file_offset: header.p_offset.get(LE),
                file_bytes: header.p_filesz.get(LE),
                address: header.p_vaddr.get(LE),
                bytes: header.p_memsz.get(LE),
                executable: header.p_flags.get(LE) & elf::PF_X != 0,
                writable: header.p_flags.get(LE) & elf::PF_W != 0,
            };
            match header.p_type.get(LE) {
                elf::PT_LOAD => elf.push_segment(&file, segment, i)?,
                elf::PT_DYNAMIC => dynamic = Some(segment),
                elf::PT_NOTE if elf.metadata.is_none() => elf.metadata = find_metadata(&file, &segment)?,
                _ => {}
            }
        }
        if elf.segments.is_empty() {
            return Err(LoadError::malformed("expected at least one PT_LOAD segment, found none"));
        }
        let dynamic = dynamic.map(|d| read_dynamic(&file, &d)).transpose()?.unwrap_or_default();
        elf.read_relocs(&file, &dynamic)?;
        elf.read_symbols(&file, header, &dynamic)?;
        Ok(elf)
    }

    /// Adds a PT_LOAD segment. The gABI wants them by address; none may take another's place, in memory or in the file.
    fn push_segment(&mut self, file: &Reader, segment: Segment, index: u64) -> Result<(), LoadError> {
        file.slice(segment.file_offset, segment.file_bytes, &format!("contents of segment {index}"))?;
        if segment.file_bytes > segment.bytes {
            return Err(LoadError::malformed(format!(
                "segment {index} has {:#x} bytes in the file but only {:#x} in memory",
                segment.file_bytes, segment.bytes
            )));
        }
        match segment.address.checked_add(segment.bytes) {
            Some(end) if end <= MAX_IMAGE_BYTES => {}
            _ => {
                return Err(LoadError::unsupported(format!(
                    "segment {index} has {:#x} bytes at {:#x}; images end at {MAX_IMAGE_BYTES:#x} at most",
                    segment.bytes, segment.address
                )));
            }
        }
        if segment.address < self.image_bytes() {
            return Err(LoadError::malformed(format!(
                "segment {index} begins at {:#x}, before the end of those before it at {:#x}",
                segment.address,
                self.image_bytes()
            )));
        }
        self.segments.push(segment);
        if self.segments.iter().map(|s| s.file_bytes).sum::<u64>() > file.len() {
            return Err(LoadError::malformed("segments have more contents than the file: they overlap in it"));
        }
        Ok(())
    }

    /// Bytes from address 0 to the end of the last segment.
    pub(super) fn image_bytes(&self) -> u64 {
        self.segments.last().map_or(0, |s| s.address + s.bytes)
    }

    /// File offset of an address, with `len` bytes of the file behind it.
    pub(super) fn file_offset(&self, address: u64, len: u64, what: &str) -> Result<u64, LoadError> {
        let inside =
            |s: &&Segment| address >= s.address && address - s.address <= s.file_bytes && len <= s.file_bytes - (address - s.address);
        match self.segments.iter().find(inside) {
            Some(s) => Ok(s.file_offset + (address - s.address)),
            None => Err(LoadError::malformed(format!("{what}: {len:#x} bytes at address {address:#x} are in no segment's file contents"))),
        }
    }

    fn read_relocs(&mut self, file: &Reader, dynamic: &Dynamic) -> Result<(), LoadError> {
        if let Some(rel) = dynamic.rel {
            return Err(LoadError::unsupported(format!("relocations without addends (DT_REL at {rel:#x})")));
        }
        let Some(rela) = dynamic.rela else { return Ok(()) };
        let count = dynamic.rela_bytes / RELA_BYTES;
        let table = self.file_offset(rela, count * RELA_BYTES, "relocation table (DT_RELA)")?;
        self.relocs = reserved(count as usize, "relocations")?;
        for i in 0..count {
            let row: &Rela = file.get(table + i * RELA_BYTES, "relocation")?;
            self.relocs.push(Reloc {
                address: row.r_offset.get(LE),
                kind: row.r_type(LE, false),
                addend: row.r_addend.get(LE) as u64,
                symbol: self.reloc_symbol(file, dynamic, row.r_sym(LE, false).into())?,
            });
        }
        Ok(())
    }

    fn reloc_symbol(&self, file: &Reader, dynamic: &Dynamic, index: u64) -> Result<RelocSymbol, LoadError> {
        if index == 0 {
            return Ok(RelocSymbol::None);
        }
        let (Some(symtab), Some(strtab)) = (dynamic.symtab, dynamic.strtab) else {
            return Err(LoadError::malformed(format!("a relocation names symbol {index}, but there is no dynamic symbol table")));
        };
        let address = symtab.checked_add(index * SYM_BYTES).ok_or_else(|| LoadError::malformed("DT_SYMTAB is beyond any image"))?;
        let at = self.file_offset(address, SYM_BYTES, "dynamic symbol")?;
        let symbol: &Symbol64 = file.get(at, "symbol")?;
        Ok(match symbol.st_shndx.get(LE) {
            elf::SHN_UNDEF if symbol.st_bind() == elf::STB_WEAK => RelocSymbol::None,
            elf::SHN_UNDEF => {
                let name = strtab.saturating_add(u64::from(symbol.st_name.get(LE)));
                RelocSymbol::Undefined(self.file_offset(name, 1, "symbol name")?)
            }
            elf::SHN_ABS => RelocSymbol::Absolute(symbol.st_value.get(LE)),
            _ => RelocSymbol::Defined(symbol.st_value.get(LE)),
        })
    }

    /// From .symtab and .dynsym; without section headers, from the table that DT_HASH gives the length of.
    fn read_symbols(&mut self, file: &Reader, header: &Header, dynamic: &Dynamic) -> Result<(), LoadError> {
        let sections = Sections::read(file, header)?;
        // The gABI has one of each kind at most.
        for kind in [elf::SHT_SYMTAB, elf::SHT_DYNSYM] {
            let mut tables = sections.iter().filter(|s| s.sh_type.get(LE) == kind);
            let Some(section) = tables.next() else { continue };
            if tables.next().is_some() {
                return Err(LoadError::malformed(format!("two symbol tables of sh_type {kind}")));
            }
            let link = section.sh_link.get(LE);
            let strings = sections
                .get(link)
                .ok_or_else(|| LoadError::malformed(format!("a symbol table names string table section {link}, which is not there")))?;
            let strings = contents(file, strings, "string table")?;
            self.symbols.add(contents(file, section, "symbol table")?, strings)?;
        }
        if let (true, Some(symtab), Some(strtab), Some(hash)) = (self.symbols.is_empty(), dynamic.symtab, dynamic.strtab, dynamic.hash) {
            let hash: &Hash = file.get(self.file_offset(hash, size_of::<Hash>() as u64, "DT_HASH")?, "DT_HASH")?;
            let count = u64::from(hash.chain_count.get(LE));
            let table = file.slice(self.file_offset(symtab, count * SYM_BYTES, "DT_SYMTAB")?, count * SYM_BYTES, "DT_SYMTAB")?;
            let strings = file.slice(self.file_offset(strtab, dynamic.strtab_bytes, "DT_STRTAB")?, dynamic.strtab_bytes, "DT_STRTAB")?;
            self.symbols.add(table, strings)?;
        }
        self.symbols.sort();
        Ok(())
    }
}

/// The file header, checked, with the target and the code object version.
fn header<'a>(file: &Reader<'a>) -> Result<(&'a Header, TargetId, u8), LoadError> {
    let ident = file.slice(0, 16, "ELF identification")?;
    if ident[4..6] != [elf::ELFCLASS64, elf::ELFDATA2LSB] {
        return Err(LoadError::unsupported(format!(
            "expected a 64-bit little-endian ELF file, found class {} data {}",
            ident[4], ident[5]
        )));
    }
    let header: &Header = file.get(0, "ELF header")?;
    let machine = header.e_machine.get(LE);
    if machine != elf::EM_AMDGPU {
        return Err(LoadError::NotACodeObject { found: format!("an ELF file for e_machine {machine}, not e_machine 224 (AMD GPU)") });
    }
    let (os, abi) = (header.e_ident.os_abi, header.e_ident.abi_version);
    if os != 64 {
        let name = match os {
            65 => "PAL",
            66 => "Mesa",
            _ => "unknown",
        };
        return Err(LoadError::unsupported(format!("expected operating system ABI 64 (amdhsa), found {os} ({name})")));
    }
    let version = match abi {
        1..=4 => abi + 2,
        _ => {
            return Err(LoadError::unsupported(format!(
                "expected code object version 3 to 6 (EI_ABIVERSION 1 to 4), found EI_ABIVERSION {abi}"
            )));
        }
    };
    match header.e_type.get(LE) {
        elf::ET_DYN => {}
        elf::ET_REL => {
            return Err(LoadError::unsupported("expected a linked code object, found a relocatable one; link it with `ld.lld -shared`"));
        }
        other => return Err(LoadError::unsupported(format!("expected a shared object (e_type 3), found e_type {other}"))),
    }
    let e_flags = header.e_flags.get(LE);
    let target = TargetId::from_e_flags(e_flags, abi)
        .ok_or_else(|| LoadError::unsupported(format!("processor number {:#x} in e_flags {e_flags:#x} is not known", e_flags & 0xff)))?;
    Ok((header, target, version))
}

/// The metadata note in a PT_NOTE segment, if it is there.
fn find_metadata(file: &Reader, segment: &Segment) -> Result<Option<Range<usize>>, LoadError> {
    let notes = Reader::new(file.slice(segment.file_offset, segment.file_bytes, "notes")?);
    const HEAD: u64 = size_of::<Note>() as u64;
    let mut at = 0;
    while at + HEAD <= notes.len() {
        let note: &Note = notes.get(at, "note")?;
        let (name_bytes, bytes) = (u64::from(note.n_namesz.get(LE)), u64::from(note.n_descsz.get(LE)));
        let name = notes.slice(at + HEAD, name_bytes, "note name")?;
        let start = at + HEAD + name_bytes.next_multiple_of(4);
        notes.slice(start, bytes, "note contents")?;
        if note.n_type.get(LE) == NT_AMDGPU_METADATA && name == b"AMDGPU\0" {
            return file.range(segment.file_offset + start, bytes, || "note contents".into()).map(Some);
        }
        at = start + bytes.next_multiple_of(4);
    }
    Ok(None)
}

fn read_dynamic(file: &Reader, segment: &Segment) -> Result<Dynamic, LoadError> {
    let table = Reader::new(file.slice(segment.file_offset, segment.file_bytes, "dynamic section")?);
    let mut dynamic = Dynamic::default();
    const ENTRY_BYTES: u64 = size_of::<DynamicEntry>() as u64;
    for i in 0..table.len() / ENTRY_BYTES {
        let entry: &DynamicEntry = table.get(i * ENTRY_BYTES, "dynamic entry")?;
        let value = entry.d_val.get(LE);
        match u32::try_from(entry.d_tag.get(LE)) {
            Ok(elf::DT_NULL) => break,
            Ok(elf::DT_HASH) => dynamic.hash = Some(value),
            Ok(elf::DT_STRTAB) => dynamic.strtab = Some(value),
            Ok(elf::DT_SYMTAB) => dynamic.symtab = Some(value),
            Ok(elf::DT_RELA) => dynamic.rela = Some(value),
            Ok(elf::DT_RELASZ) => dynamic.rela_bytes = value,
            Ok(elf::DT_STRSZ) => dynamic.strtab_bytes = value,
            Ok(elf::DT_REL) => dynamic.rel = Some(value),
            _ => {}
        }
    }
    if dynamic.rela_bytes > file.len() {
        return Err(LoadError::malformed(format!("DT_RELASZ {:#x} is larger than the file", dynamic.rela_bytes)));
    }
    Ok(dynamic)
}

/// The section headers; none if the file has none.
struct Sections<'a> {
    table: Reader<'a>,
    entry_bytes: u64,
}

impl<'a> Sections<'a> {
    fn read(file: &Reader<'a>, header: &Header) -> Result<Sections<'a>, LoadError> {
        let offset = header.e_shoff.get(LE);
        let entry_bytes = u64::from(header.e_shentsize.get(LE));
        let count = u64::from(header.e_shnum.get(LE));
        if offset == 0 || count == 0 {
            return Ok(Sections { table: Reader::new(&[]), entry_bytes: SECTION_HEADER_BYTES });
        }
        if entry_bytes < SECTION_HEADER_BYTES {
            return Err(LoadError::malformed(format!("expected section headers of 64 bytes, found e_shentsize {entry_bytes}")));
        }
        Ok(Sections { table: Reader::new(file.slice(offset, count * entry_bytes, "section headers")?), entry_bytes })
    }

    fn get(&self, index: u32) -> Option<&'a SectionHeader> {
        self.table.get(u64::from(index) * self.entry_bytes, "section header").ok()
    }

    fn iter(&self) -> impl Iterator<Item = &'a SectionHeader> {
        (0..(self.table.len() / self.entry_bytes) as u32).map_while(|i| self.get(i))
    }
}

/// The bytes of a section.
fn contents<'a>(file: &Reader<'a>, section: &SectionHeader, what: &str) -> Result<&'a [u8], LoadError> {
    file.slice(section.sh_offset.get(LE), section.sh_size.get(LE), what)
}
