//! What loading takes is in proportion to the file: every crafted file here once asked for gigabytes. Each is loaded, and its image made,
//! under an allocator that refuses more than the loader promises ([`BYTES_PER_BYTE`]).

use wavejit::code_object::{BYTES_PER_BYTE, CodeObject, LoadError, bundle};
use wavejit_tests::limit::{Counting, within};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// For what does not depend on the file: messages, tables of the decoder.
const FREE_BYTES: usize = 128 << 10;

/// Loads, and makes the image, in the memory that the file justifies.
fn load(file: &[u8]) -> Result<CodeObject, LoadError> {
    within(BYTES_PER_BYTE * file.len() + FREE_BYTES, || {
        let object = CodeObject::load(file)?;
        object.image(0x7f00_0000_0000)?;
        object.symbols().for_each(|s| assert!(!s.name.is_empty()));
        Ok(object)
    })
    .0
}

fn refused(file: &[u8]) -> String {
    load(file).map(|_| ()).expect_err("refused").to_string()
}

/// A code object under construction: header, program headers, a page with a kernel descriptor and code, then what a test adds.
struct Elf {
    bytes: Vec<u8>,
    programs: Vec<[u64; 5]>,
    sections: Vec<[u64; 4]>,
}

const PT_LOAD: u64 = 1;
const PT_DYNAMIC: u64 = 2;
const PT_NOTE: u64 = 4;
const SHT_SYMTAB: u64 = 2;
const SHT_STRTAB: u64 = 3;
/// Where the program headers are, and room for as many as are read.
const PROGRAMS: usize = 64;
/// A descriptor whose code begins 64 bytes behind it, and the code: `s_endpgm`.
const DESCRIPTOR: u64 = 4096;

impl Elf {
    fn new() -> Elf {
        let mut bytes = b"\x7fELF\x02\x01\x01\x40\x03".to_vec(); // amdhsa, version 5
        bytes.resize(16, 0);
        bytes.extend([3, 0, 224, 0]); // ET_DYN, EM_AMDGPU
        bytes.resize(DESCRIPTOR as usize, 0);
        bytes[48..52].copy_from_slice(&0x41u32.to_le_bytes()); // gfx1100
        bytes.resize(DESCRIPTOR as usize + 64, 0);
        bytes[DESCRIPTOR as usize + 16] = 64; // KERNEL_CODE_ENTRY_BYTE_OFFSET
        bytes.extend(0xbfb0_0000u32.to_le_bytes());
        Elf { bytes, programs: vec![[PT_LOAD, 0, DESCRIPTOR + 68, 0, DESCRIPTOR + 68]], sections: vec![[0; 4]] }
    }

    /// Appends bytes; their offset.
    fn add(&mut self, bytes: &[u8]) -> u64 {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        self.bytes.extend_from_slice(bytes);
        (self.bytes.len() - bytes.len()) as u64
    }

    /// A program header: type, offset, file size, address, memory size.
    fn program(&mut self, header: [u64; 5]) {
        self.programs.push(header);
    }

    /// A section header: type, link, offset, size. Gives its index.
    fn section(&mut self, header: [u64; 4]) -> u64 {
        self.sections.push(header);
        self.sections.len() as u64 - 1
    }

    /// A symbol table and its strings, as sections.
    fn symbols(&mut self, symbols: &[u8], strings: &[u8]) {
        let strings_at = self.add(strings);
        let link = self.section([SHT_STRTAB, 0, strings_at, strings.len() as u64]);
        let at = self.add(symbols);
        self.section([SHT_SYMTAB, link, at, symbols.len() as u64]);
    }

    /// PT_DYNAMIC and what it points to, in a segment of its own: symbols, strings, relocations with addends.
    fn dynamic(&mut self, symbols: &[u8], strings: &[u8], relocs: &[u8]) {
        let start = self.bytes.len().next_multiple_of(8) as u64;
        let (symtab, strtab, rela) = (self.add(symbols), self.add(strings), self.add(relocs));
        let entries = [(5, strtab), (10, strings.len() as u64), (6, symtab), (7, rela), (8, relocs.len() as u64), (0, 0)];
        let entries: Vec<u8> = entries.iter().flat_map(|(tag, value)| [u64::to_le_bytes(*tag), value.to_le_bytes()].concat()).collect();
        let at = self.add(&entries);
        let bytes = self.bytes.len() as u64 - start;
        self.program([PT_LOAD, start, bytes, start, bytes]);
        self.program([PT_DYNAMIC, at, entries.len() as u64, at, entries.len() as u64]);
    }

    fn metadata(&mut self, contents: &[u8]) {
        let mut note = Vec::new();
        [7, contents.len() as u32, 32].iter().for_each(|n| note.extend(n.to_le_bytes()));
        note.extend(b"AMDGPU\0\0");
        note.extend(contents);
        note.resize(note.len().next_multiple_of(4), 0);
        let at = self.add(&note);
        self.program([PT_NOTE, at, note.len() as u64, at, note.len() as u64]);
    }

    fn finish(mut self) -> Vec<u8> {
        let sections: Vec<u8> = self
            .sections
            .iter()
            .flat_map(|[kind, link, offset, size]| {
                let words = [kind << 32, 0, 0, *offset, *size, *link, 0, 0];
                words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>()
            })
            .collect();
        let at = self.add(&sections);
        let mut put = |at: usize, bytes: &[u8]| self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        put(32, &(PROGRAMS as u64).to_le_bytes());
        put(40, &at.to_le_bytes());
        put(54, &[56, 0, self.programs.len() as u8, (self.programs.len() >> 8) as u8, 64, 0]);
        put(60, &(self.sections.len() as u16).to_le_bytes());
        for (i, [kind, offset, file_bytes, address, bytes]) in self.programs.iter().enumerate() {
            let words = [kind | 5 << 32, *offset, *address, *address, *file_bytes, *bytes, 4096];
            let header: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            // Those that have no place are only counted.
            if PROGRAMS + 56 * (i + 1) <= DESCRIPTOR as usize {
                put(PROGRAMS + 56 * i, &header);
            }
        }
        self.bytes
    }
}

/// A symbol table entry.
fn symbol(name: usize, kind: u8, section: u16, address: u64) -> Vec<u8> {
    let mut bytes = (name as u32).to_le_bytes().to_vec();
    bytes.extend([kind, 0]);
    bytes.extend(section.to_le_bytes());
    bytes.extend(address.to_le_bytes());
    bytes.extend(64u64.to_le_bytes());
    bytes
}

/// A string table of one name of `bytes` letters.
fn long_name(bytes: usize, end: &str) -> Vec<u8> {
    [b"\0", &vec![b'x'; bytes][..], end.as_bytes(), b"\0"].concat()
}

#[test]
fn the_smallest_code_object_loads() {
    let mut elf = Elf::new();
    elf.symbols(&symbol(1, 1, 1, DESCRIPTOR), b"\0k.kd\0");
    let object = load(&elf.finish()).unwrap();
    assert_eq!(object.kernel("k").unwrap().code_address, DESCRIPTOR + 64);
}

#[test]
fn a_name_that_all_symbols_share_is_there_once() {
    // Half of the file is one name, the other half are symbols with it, or with ends of it.
    for step in [0, 1] {
        let mut elf = Elf::new();
        let table: Vec<u8> = (0..18_000).flat_map(|i| symbol(1 + i * step, 2, 1, DESCRIPTOR)).collect();
        elf.symbols(&table, &long_name(450_000, ""));
        let object = load(&elf.finish()).unwrap();
        // Equal ones are one.
        assert_eq!(object.symbols().len(), if step == 0 { 1 } else { 18_000 });
    }
}

#[test]
fn kernel_names_that_overlap_are_refused() {
    let mut elf = Elf::new();
    let table: Vec<u8> = (0..18_000).flat_map(|i| symbol(1 + i, 1, 1, DESCRIPTOR)).collect();
    elf.symbols(&table, &long_name(450_000, ".kd"));
    assert!(refused(&elf.finish()).contains("names of its 18000 kernels are longer than the file"));
}

#[test]
fn as_many_kernels_as_fit_into_a_file_load() {
    let mut elf = Elf::new();
    let names: Vec<u8> = (0..20_000).flat_map(|i| format!("{i:05}.kd\0").into_bytes()).collect();
    let table: Vec<u8> = (0..20_000).flat_map(|i| symbol(1 + 9 * i, 1, 1, DESCRIPTOR)).collect();
    elf.symbols(&table, &[b"\0", &names[..]].concat());
    assert_eq!(load(&elf.finish()).unwrap().kernels().len(), 20_000);
}

#[test]
fn the_name_of_an_undefined_symbol_is_there_once() {
    let mut elf = Elf::new();
    let reloc = [0, 1u64 << 32 | 3, 0].map(u64::to_le_bytes).concat();
    elf.dynamic(&[symbol(0, 0, 0, 0), symbol(1, 0x10, 0, 0)].concat(), &long_name(450_000, ""), &reloc.repeat(18_000));
    elf.symbols(&symbol(1, 1, 1, DESCRIPTOR), b"\0k.kd\0");
    let file = elf.finish();
    assert!(refused(&file).starts_with("undefined symbol `xxxx"));
    let (object, peak) = within(BYTES_PER_BYTE * file.len(), || CodeObject::load(&file));
    assert!(object.is_ok() && peak < 4 * file.len(), "{peak} bytes for {}", file.len());
}

#[test]
fn there_is_one_symbol_table_of_each_kind() {
    let mut elf = Elf::new();
    let table: Vec<u8> = (0..20_000).flat_map(|_| symbol(1, 2, 1, DESCRIPTOR)).collect();
    elf.symbols(&table, b"\0f\0");
    let same = *elf.sections.last().unwrap();
    (0..5_000).for_each(|_| _ = elf.section(same));
    assert!(refused(&elf.finish()).contains("two symbol tables"));
}

#[test]
fn segments_do_not_share_contents() {
    let mut elf = Elf::new();
    let at = elf.add(&vec![1; 500_000]);
    for i in 1..40 {
        elf.program([PT_LOAD, at, 500_000, i << 20, 500_000]);
    }
    assert!(refused(&elf.finish()).contains("overlap in it"));
    let mut elf = Elf::new();
    elf.program([PT_LOAD, 0, 64, 64, 64]);
    assert!(refused(&elf.finish()).contains("before the end of those before it"));
    let mut elf = Elf::new();
    (0..20_000).for_each(|i| elf.program([PT_NOTE, 0, 64, i, 64]));
    assert!(refused(&elf.finish()).contains("20001 program headers"));
}

#[test]
fn zeros_without_contents_take_no_memory() {
    let mut elf = Elf::new();
    elf.program([PT_LOAD, 0, 0, 1 << 20, (1 << 30) - (1 << 20)]);
    elf.symbols(&symbol(1, 1, 1, DESCRIPTOR), b"\0k.kd\0");
    let file = elf.finish();
    let object = load(&file).unwrap();
    assert_eq!(object.image_bytes(), 1 << 30);
    // Nor on a device: its pages are mapped when they are touched.
    let device = wavejit::Device::new(Default::default()).unwrap();
    let resident = || std::fs::read_to_string("/proc/self/statm").unwrap().split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096;
    let before = resident();
    let module = within(BYTES_PER_BYTE * file.len() + FREE_BYTES, || device.load(&file)).0.unwrap();
    assert!(resident() < before + (64 << 20), "{} bytes", resident() - before);
    drop(module);
}

#[test]
fn metadata_takes_no_more_than_its_bytes() {
    let text = |s: &str| [&[0xa0 | s.len() as u8], s.as_bytes()].concat();
    let list = |n: u32, items: Vec<u8>| [&[0xdd], &n.to_be_bytes()[..], &items].concat();
    let kernels = |list: Vec<u8>| [vec![0x81], text("amdhsa.kernels"), list].concat();
    // A million empty lists beside what is read, lists in lists, and as many kernels as fit, of nothing but names.
    let beside = |value: Vec<u8>| [vec![0x81], text("other"), value].concat();
    let least = [vec![0x82], text(".name"), text(""), text(".symbol"), text("k")].concat();
    let lists: Vec<u8> = (0..1000).flat_map(|_| list(1000, vec![0x90; 1000])).collect();
    for (metadata, error) in [
        (beside(list(900_000, vec![0x90; 900_000])), None),
        (beside([vec![0x91; 900_000], vec![0]].concat()), None),
        (beside(list(1000, lists)), None),
        (kernels(list(900_000, vec![0x90; 900_000])), Some("metadata of kernel 0: expected a map")),
        (kernels(list(u32::MAX, vec![])), Some("expected MessagePack")),
        (kernels(list(50_000, least.repeat(50_000))), Some("its descriptor symbol `k` is not there")),
    ] {
        let mut elf = Elf::new();
        elf.metadata(&metadata);
        match (load(&elf.finish()), error) {
            (Ok(_), None) => {}
            (Err(e), Some(error)) => assert!(e.to_string().contains(error), "{e}"),
            (result, _) => panic!("{:?}", result.map(|_| ())),
        }
    }
}

/// A plain bundle whose entries all have the same contents.
fn overlapping(entries: u64, contents: u64) -> Vec<u8> {
    let mut bytes = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bytes.extend(entries.to_le_bytes());
    let id = b"hip-amdgcn-amd-amdhsa--gfx1100";
    let start = 32 + entries * (24 + id.len() as u64);
    for _ in 0..entries {
        [start, contents, id.len() as u64].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
        bytes.extend(id);
    }
    bytes.resize((start + contents) as usize, 0);
    bytes
}

fn compressed(frame: &[u8], unpacked: u64) -> Vec<u8> {
    let mut bytes = b"CCOB\x03\0\x01\0".to_vec();
    [32 + frame.len() as u64, unpacked, 0].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
    bytes.extend(frame);
    bytes
}

#[test]
fn bundle_entries_that_share_contents_are_refused() {
    let plain = overlapping(1000, 900_000);
    assert!(refused(&plain).contains("overlaps"));
    // Packed, it is tiny: 10,000 times.
    let frame = ruzstd::encoding::compress_to_vec(&plain[..], ruzstd::encoding::CompressionLevel::Fastest);
    let packed = compressed(&frame, plain.len() as u64);
    let most = BYTES_PER_BYTE * bundle::MAX_RATIO as usize * packed.len() + bundle::FREE_BYTES as usize;
    let (result, _) = within(most, || CodeObject::load(&packed));
    assert!(result.unwrap_err().to_string().contains("overlaps"));
}

#[test]
fn what_a_bundle_unpacks_to_is_bounded_by_its_bytes() {
    // Blocks of 128 KiB of one byte, four bytes each: 36 KB that are 1.2 GB.
    let blocks = 9_000u64;
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50];
    for i in 0..blocks {
        frame.extend(&((128u32 << 10) << 3 | 1 << 1 | u32::from(i + 1 == blocks)).to_le_bytes()[..3]);
        frame.push(0);
    }
    let packed = compressed(&frame, blocks * (128 << 10));
    assert!(refused(&packed).contains("256 times the size of the file"));
    // A window of 100 MB costs nothing as long as nothing is in it.
    let empty = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x87, 1, 0, 0];
    assert!(refused(&compressed(&empty, 0)).contains("offload bundle"));
}

#[test]
fn no_memory_is_an_error() {
    let mut elf = Elf::new();
    let table: Vec<u8> = (0..18_000).flat_map(|i| symbol(1 + i, 2, 1, DESCRIPTOR)).collect();
    elf.symbols(&table, &long_name(450_000, ""));
    let file = elf.finish();
    let plain = overlapping(1, 900_000);
    let packed =
        compressed(&ruzstd::encoding::compress_to_vec(&plain[..], ruzstd::encoding::CompressionLevel::Uncompressed), plain.len() as u64);
    for file in [&file, &packed] {
        let needed = within(usize::MAX, || drop(CodeObject::load(file))).1;
        // What takes little may not say that there is nothing left; what depends on the file must.
        for limit in (FREE_BYTES..needed).step_by(needed / 20) {
            let error = within(limit, || CodeObject::load(file).err()).0.expect("no memory");
            assert!(error.is_out_of_memory(), "{limit} of {needed} bytes: {error}");
        }
    }
}
