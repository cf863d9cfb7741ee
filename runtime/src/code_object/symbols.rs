//! Symbols of an ELF file: who they are, and where.
//!
//! Linkers let names share bytes (`kernel` may be the end of `my_kernel`), so a small string table can name any number of symbols with any
//! number of letters. A name is therefore a place in the string tables, which are kept once; it is never copied.

use super::LoadError;
use super::error::reserved;
use super::reader::Reader;
use object::LittleEndian as LE;
use object::elf;

/// A symbol table entry.
pub(super) type Symbol64 = elf::Sym64<LE>;

const SHN_AMDGPU_LDS: u16 = 0xff00;
/// Bytes of a symbol table entry.
pub(super) const SYM_BYTES: u64 = size_of::<Symbol64>() as u64;

/// What a symbol is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolKind {
    /// STT_FUNC.
    Function,
    /// STT_OBJECT.
    Object,
    /// An LDS variable without a place yet (SHN_AMDGPU_LDS): `address` is its alignment.
    Lds,
    /// Anything else.
    Other,
}

/// A symbol that is defined in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Symbol<'a> {
    /// Its name.
    pub name: &'a str,
    /// Address relative to the image.
    pub address: u64,
    /// Bytes.
    pub bytes: u64,
    /// What it is.
    pub kind: SymbolKind,
}

/// The defined, named symbols of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Symbols {
    /// The string tables, one after the other; a byte that is not UTF-8 is a question mark.
    names: String,
    entries: Vec<Entry>,
}

/// A symbol whose name is `names[name..][..name_bytes]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry {
    name: u32,
    name_bytes: u32,
    address: u64,
    bytes: u64,
    kind: SymbolKind,
}

impl Symbols {
    /// Adds a symbol table.
    pub(super) fn add(&mut self, table: &[u8], strings: &[u8]) -> Result<(), LoadError> {
        let names = self.add_names(strings)?;
        let count = table.len() as u64 / SYM_BYTES;
        let table = Reader::new(table);
        self.entries
            .try_reserve_exact(count as usize)
            .map_err(|_| LoadError::NoMemory { what: "symbols".into(), bytes: table.len() as usize })?;
        for at in (0..count).map(|i| i * SYM_BYTES) {
            let symbol: &Symbol64 = table.get(at, "symbol")?;
            let (name, section) = (symbol.st_name.get(LE), symbol.st_shndx.get(LE));
            if name == 0 || section == elf::SHN_UNDEF || section == elf::SHN_ABS {
                continue;
            }
            let (name, name_bytes) = names.find(name, &self.names)?;
            self.entries.push(Entry {
                name,
                name_bytes,
                address: symbol.st_value.get(LE),
                bytes: symbol.st_size.get(LE),
                kind: match (section, symbol.st_type()) {
                    (SHN_AMDGPU_LDS, _) => SymbolKind::Lds,
                    (_, elf::STT_FUNC) => SymbolKind::Function,
                    (_, elf::STT_OBJECT) => SymbolKind::Object,
                    _ => SymbolKind::Other,
                },
            });
        }
        Ok(())
    }

    /// Keeps a string table.
    fn add_names(&mut self, strings: &[u8]) -> Result<NameTable, LoadError> {
        let first = self.names.len() as u32; // files are smaller than that, see `MAX_FILE_BYTES`
        let no_memory = |_| LoadError::NoMemory { what: "a string table".into(), bytes: strings.len() };
        self.names.try_reserve_exact(strings.len()).map_err(no_memory)?;
        for chunk in strings.utf8_chunks() {
            self.names.push_str(chunk.valid());
            self.names.extend(std::iter::repeat_n('?', chunk.invalid().len()));
        }
        let nul = |(i, b): (usize, &u8)| (*b == 0).then_some(first + i as u32);
        let mut ends = reserved(strings.iter().filter(|b| **b == 0).count(), "a string table")?;
        ends.extend(strings.iter().enumerate().filter_map(nul));
        Ok(NameTable { first, ends })
    }

    /// Sorts by address, functions after what else is there, and forgets what two tables both had.
    pub(super) fn sort(&mut self) {
        let names = self.names.as_str();
        // Shorter names first, so that only names of one length, which are few or short, are compared.
        let key = |r: &Entry| (r.address, r.kind == SymbolKind::Function, r.name_bytes);
        self.entries.sort_unstable_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.name(names).cmp(b.name(names))));
        let rest = |r: &Entry| (r.address, r.kind, r.name_bytes, r.bytes);
        self.entries.dedup_by(|a, b| rest(a) == rest(b) && a.name(names) == b.name(names));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All, by address.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = Symbol<'_>> + ExactSizeIterator + Clone {
        self.entries.iter().map(|r| r.symbol(&self.names))
    }

    /// The last symbol at an address: a function if there is one.
    pub(super) fn at(&self, address: u64) -> Option<Symbol<'_>> {
        let after = self.entries.partition_point(|r| r.address <= address);
        let entry = self.entries.get(after.checked_sub(1)?)?;
        (entry.address == address).then(|| entry.symbol(&self.names))
    }
}

impl Entry {
    fn name<'a>(&self, names: &'a str) -> &'a str {
        &names[self.name as usize..][..self.name_bytes as usize]
    }

    fn symbol<'a>(&self, names: &'a str) -> Symbol<'a> {
        Symbol { name: self.name(names), address: self.address, bytes: self.bytes, kind: self.kind }
    }
}

/// A string table in `Symbols::names`: where it begins, and where its NULs are.
struct NameTable {
    first: u32,
    ends: Vec<u32>,
}

impl NameTable {
    /// Place and length of the name that begins at an offset.
    fn find(&self, offset: u32, names: &str) -> Result<(u32, u32), LoadError> {
        let start = self.first.checked_add(offset);
        let end = start.and_then(|start| self.ends.get(self.ends.partition_point(|end| *end < start)));
        match (start, end) {
            (Some(start), Some(end)) if names.is_char_boundary(start as usize) => Ok((start, end - start)),
            (Some(_), Some(_)) => {
                Err(LoadError::malformed(format!("symbol name at offset {offset:#x} begins in the middle of a character")))
            }
            _ => Err(LoadError::malformed(format!("symbol name at offset {offset:#x} is not in the string table, or has no end"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A symbol table entry: a function in section 1.
    fn entry(name: u32, address: u64) -> Vec<u8> {
        let mut bytes = name.to_le_bytes().to_vec();
        bytes.extend([2, 0, 1, 0]);
        bytes.extend(address.to_le_bytes());
        bytes.extend(4u64.to_le_bytes());
        bytes
    }

    #[test]
    fn names_share_bytes() {
        let mut symbols = Symbols::default();
        symbols.add(&[entry(4, 16), entry(1, 8), entry(1, 24)].concat(), b"\0my_kernel\0").unwrap();
        symbols.add(&[entry(1, 16), entry(1, 12)].concat(), b"\0kernel\0").unwrap();
        symbols.sort();
        let found: Vec<_> = symbols.iter().map(|s| (s.address, s.name)).collect();
        assert_eq!(found, [(8, "my_kernel"), (12, "kernel"), (16, "kernel"), (24, "my_kernel")]);
        assert_eq!(symbols.names.len(), 19);
        assert_eq!(symbols.at(12).map(|s| s.name), Some("kernel"));
        assert_eq!(symbols.at(13), None);
        assert_eq!(symbols.at(7), None);
    }

    #[test]
    fn names_that_are_not_there_are_errors() {
        let add = |offset: u32, strings: &[u8]| Symbols::default().add(&entry(offset, 0), strings).map_err(|e| e.to_string());
        assert_eq!(add(1, b"\0a\0"), Ok(()));
        for offset in [3, 4, u32::MAX] {
            assert!(add(offset, b"\0a\0").unwrap_err().contains("not in the string table"), "{offset}");
        }
        assert!(add(1, b"\0ab").unwrap_err().contains("has no end"));
        assert!(add(2, "\0é\0".as_bytes()).unwrap_err().contains("middle"));
        let mut odd = Symbols::default();
        odd.add(&entry(1, 0), b"\0a\xff\xfeb\0").unwrap();
        assert_eq!(odd.iter().next().map(|s| s.name), Some("a??b"));
    }
}
