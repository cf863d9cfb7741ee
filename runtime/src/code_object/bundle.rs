//! Offload bundles: several code objects in one file, and where to find them.
//!
//! Reference: Clang documentation, "Clang Offload Bundler" (file format, compressed bundles), HIP's `.hip_fatbin` section. A bundle starts
//! with `__CLANG_OFFLOAD_BUNDLE__`; a compressed one is the header `CCOB` and a whole bundle, packed. A section of a host program may
//! hold several, one per translation unit, each at a page boundary.
//!
//! Entries are borrowed from the file, or from what it unpacks to, and do not overlap: what a bundle costs is in proportion to its file,
//! compressed ones by [`MAX_RATIO`].

use super::error::reserved;
use super::reader::Reader;
use super::{LoadError, zstd};
use object::{Object, ObjectSection};
use std::borrow::Cow;
use std::ops::Range;

const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
const COMPRESSED_MAGIC: &[u8] = b"CCOB";
/// Most bytes a compressed bundle may unpack to.
pub const MAX_UNPACKED_BYTES: u64 = 1 << 30;
/// Most bytes a packed byte may stand for. A kernel for 24 processors, aligned to pages, packs 53 to 1 (`zstd -22`), one for two 8 to 1.
pub const MAX_RATIO: u64 = 256;
/// What a bundle may unpack to, however few bytes it has.
pub const FREE_BYTES: u64 = 1 << 20;
/// Alignment of bundles in a section.
const PAGE_BYTES: u64 = 4096;
/// Bytes of an entry's row in a bundle, without its id.
const ROW_BYTES: u64 = 24;

/// One member of a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BundleEntry<'a> {
    /// `hipv4-amdgcn-amd-amdhsa--gfx1100`, `host-x86_64-unknown-linux-gnu-`, ...
    pub id: Cow<'a, str>,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// One bundle, or several one after the other.
#[derive(Clone, Debug)]
pub struct Bundle<'a>(Vec<Part<'a>>);

/// One of the bundles.
#[derive(Clone, Debug)]
struct Part<'a> {
    bytes: Cow<'a, [u8]>,
    /// Ids and contents of the entries.
    entries: Vec<(Range<usize>, Range<usize>)>,
}

/// Does a bundle start here?
pub fn is_bundle(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || bytes.starts_with(COMPRESSED_MAGIC)
}

impl<'a> Bundle<'a> {
    /// Reads all bundles that follow each other, which may be none.
    pub fn read(bytes: &'a [u8]) -> Result<Bundle<'a>, LoadError> {
        let mut parts = Vec::new();
        let mut rest = bytes;
        // What compressed ones may still unpack to, all together.
        let mut budget = (bytes.len() as u64).saturating_mul(MAX_RATIO).saturating_add(FREE_BYTES);
        loop {
            let (part, used) = if rest.starts_with(COMPRESSED_MAGIC) {
                let (unpacked, used) = unpack(rest, MAX_UNPACKED_BYTES.min(budget))?;
                budget -= unpacked.len() as u64;
                (read_plain(Cow::Owned(unpacked))?.0, used)
            } else {
                read_plain(Cow::Borrowed(rest))?
            };
            parts.push(part);
            let next = used.max(1).next_multiple_of(PAGE_BYTES);
            match rest.get(next.min(rest.len() as u64) as usize..) {
                Some(more) if is_bundle(more) => rest = more,
                _ => return Ok(Bundle(parts)),
            }
        }
    }

    /// Reads one bundle, whatever follows it: all that is known of a fat binary in memory is where it begins.
    pub fn read_one(bytes: &'a [u8]) -> Result<Bundle<'a>, LoadError> {
        let part = if bytes.starts_with(COMPRESSED_MAGIC) {
            let (unpacked, _) = unpack(bytes, MAX_UNPACKED_BYTES)?;
            read_plain(Cow::Owned(unpacked))?.0
        } else {
            read_plain(Cow::Borrowed(bytes))?.0
        };
        Ok(Bundle(vec![part]))
    }

    /// All entries, in the order of the file.
    pub fn entries(&self) -> impl Iterator<Item = BundleEntry<'_>> {
        self.0.iter().flat_map(|part| {
            let bytes = |range: &Range<usize>| &part.bytes[range.clone()];
            part.entries.iter().map(move |(id, contents)| BundleEntry { id: String::from_utf8_lossy(bytes(id)), bytes: bytes(contents) })
        })
    }
}

/// The contents of the section of a host program or object that holds HIP's device code.
pub fn fat_binary_section(bytes: &[u8]) -> Option<Result<&[u8], LoadError>> {
    let file = object::File::parse(bytes).ok()?;
    let section = file.section_by_name(".hip_fatbin").or_else(|| file.section_by_name(".hip_fat"))?;
    Some(section.data().map_err(|e| LoadError::malformed(format!("section .hip_fatbin: {e}"))))
}

/// Reads a plain bundle; also gives the bytes it takes.
fn read_plain(bytes: Cow<'_, [u8]>) -> Result<(Part<'_>, u64), LoadError> {
    let file = Reader::new(&bytes);
    if file.slice(0, MAGIC.len() as u64, "offload bundle")? != MAGIC {
        return Err(LoadError::malformed("expected an offload bundle to start with __CLANG_OFFLOAD_BUNDLE__"));
    }
    let count = file.u64(24, "number of bundle entries")?;
    let mut entries: Vec<(Range<usize>, Range<usize>)> = reserved(count.min(file.len() / ROW_BYTES) as usize, "bundle entries")?;
    let mut at = 32;
    for i in 0..count {
        let what = || format!("bundle entry {i} of {count}");
        let row = Reader::new(file.slice(at, ROW_BYTES, "a bundle entry")?);
        let (offset, len, id_len) = (row.u64(0, "offset")?, row.u64(8, "size")?, row.u64(16, "length of an id")?);
        let id = file.range(at + ROW_BYTES, id_len, || format!("id of {}", what()))?;
        at = id.end as u64;
        entries.push((id, file.range(offset, len, what)?));
    }
    let end = check_apart(&entries, at as usize)?;
    Ok((Part { entries, bytes }, end as u64))
}

/// Entries that overlap could make a small file stand for any number of bytes; no bundler writes them. Returns the end of the last one.
fn check_apart(entries: &[(Range<usize>, Range<usize>)], header_bytes: usize) -> Result<usize, LoadError> {
    let mut order: Vec<usize> = reserved(entries.len(), "bundle entries")?;
    order.extend((0..entries.len()).filter(|i| !entries[*i].1.is_empty()));
    order.sort_unstable_by_key(|i| entries[*i].1.start);
    let mut end = header_bytes;
    let mut before = None;
    for i in order {
        let contents = &entries[i].1;
        if contents.start < end {
            let other = before.map_or("the header".to_string(), |b| format!("entry {b}"));
            return Err(LoadError::malformed(format!(
                "bundle entry {i} at {:#x} overlaps {other}, which ends at {end:#x}",
                contents.start
            )));
        }
        (end, before) = (contents.end, Some(i));
    }
    Ok(end)
}

/// Unpacks a compressed bundle of at most `most` bytes; returns it and the bytes it takes packed. Headers: version 1 {magic, u16 version, u16 method, u32 unpacked
/// size, u64 hash}; version 2 has the u32 total size before the unpacked size; version 3 has both as u64.
fn unpack(bytes: &[u8], most: u64) -> Result<(Vec<u8>, u64), LoadError> {
    let file = Reader::new(bytes);
    let what = "compressed bundle header";
    let version = file.u16(4, what)?;
    let method = file.u16(6, what)?;
    let (total, unpacked, header) = match version {
        1 => (file.len(), u64::from(file.u32(8, what)?), 20),
        2 => (u64::from(file.u32(8, what)?), u64::from(file.u32(12, what)?), 24),
        3 => (file.u64(8, what)?, file.u64(16, what)?, 32),
        _ => return Err(LoadError::unsupported(format!("compressed bundle of version {version}; known are 1 to 3"))),
    };
    match method {
        1 => {}
        0 => {
            return Err(LoadError::unsupported(
                "bundle compressed with zlib, which is not read here; unpack it with clang-offload-bundler, or compress it with zstd",
            ));
        }
        _ => return Err(LoadError::unsupported(format!("bundle compressed by method {method}; known is 1 (zstd)"))),
    }
    let packed_bytes = total.checked_sub(header).ok_or_else(|| LoadError::malformed(format!("{what}: total size {total}")))?;
    let packed = file.slice(header, packed_bytes, "compressed bundle")?;
    if unpacked > most {
        return Err(LoadError::unsupported(format!(
            "bundle that unpacks from {packed_bytes} to {unpacked} bytes; at most {most} are read: {MAX_RATIO} times the size of the file \
             and {FREE_BYTES} bytes, and never more than {MAX_UNPACKED_BYTES}; unpack it with clang-offload-bundler"
        )));
    }
    let unpacked = unpacked as usize;
    let mut out = reserved(unpacked, "an unpacked bundle")?;
    let damaged = |e: &str| LoadError::malformed(format!("compressed bundle: {e}"));
    let used = zstd::decode(packed, &mut out, unpacked).map_err(damaged)?;
    if out.len() != unpacked {
        return Err(damaged(&format!("expected {unpacked} bytes, unpacked {}", out.len())));
    }
    // Version 1 does not say where it ends.
    Ok((out, if version == 1 { header + used as u64 } else { total }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut head = MAGIC.to_vec();
        head.extend((entries.len() as u64).to_le_bytes());
        let head_bytes = 32 + entries.iter().map(|e| 24 + e.0.len()).sum::<usize>();
        let mut body = Vec::new();
        for (id, bytes) in entries {
            head.extend(((head_bytes + body.len()) as u64).to_le_bytes());
            head.extend((bytes.len() as u64).to_le_bytes());
            head.extend((id.len() as u64).to_le_bytes());
            head.extend(id.bytes());
            body.extend_from_slice(bytes);
        }
        head.extend(body);
        head
    }

    #[test]
    fn bundles_follow_each_other_at_page_boundaries() {
        let mut bytes = plain(&[("host-x86_64--", b""), ("hip-amdgcn-amd-amdhsa--gfx900", b"one")]);
        bytes.resize(4096, 0);
        bytes.extend(plain(&[("hip-amdgcn-amd-amdhsa--gfx900", b"two")]));
        let bundle = Bundle::read(&bytes).unwrap();
        assert_eq!(bundle.entries().map(|e| e.bytes).collect::<Vec<_>>(), [&b""[..], b"one", b"two"]);
    }

    #[test]
    fn a_cut_bundle_is_an_error() {
        let bytes = plain(&[("hip-amdgcn-amd-amdhsa--gfx900", b"0123456789")]);
        for len in 0..bytes.len() {
            assert!(Bundle::read(&bytes[..len]).is_err(), "{len}");
        }
    }

    #[test]
    fn zlib_is_named() {
        let mut bytes = b"CCOB".to_vec();
        bytes.extend([2, 0, 0, 0]);
        bytes.resize(64, 0);
        let error = Bundle::read(&bytes).unwrap_err();
        assert!(error.is_unsupported() && error.to_string().contains("zlib"), "{error}");
    }

    #[test]
    fn entries_that_overlap_are_refused() {
        let good = plain(&[("a", b"0123"), ("b", b"4567"), ("c", b"")]);
        assert!(Bundle::read(&good).is_ok());
        // Offset of the second entry: the row of the first takes 25 bytes.
        let moved = |to: u64| {
            let mut bytes = good.clone();
            bytes[57..65].copy_from_slice(&to.to_le_bytes());
            Bundle::read(&bytes).map(|_| ()).map_err(|e| e.to_string())
        };
        let first = good.len() as u64 - 8;
        assert_eq!(moved(first + 4), Ok(()));
        for to in [first, first + 3] {
            let message = moved(to).unwrap_err();
            assert!(message.contains("overlaps entry"), "{message}");
        }
        assert!(moved(0).unwrap_err().contains("overlaps the header"));
    }

    /// A compressed bundle of version 3 that claims to unpack to `unpacked` bytes.
    fn compressed(frame: &[u8], unpacked: u64) -> Vec<u8> {
        let mut bytes = b"CCOB\x03\0\x01\0".to_vec();
        bytes.extend((32 + frame.len() as u64).to_le_bytes());
        bytes.extend(unpacked.to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(frame);
        bytes
    }

    #[test]
    fn what_unpacks_to_far_more_than_any_bundle_is_refused() {
        // 300 blocks of 128 KiB of zeros, of four bytes each: 39 MB from 1.2 KB.
        let (blocks, block) = (300u64, 128u64 << 10);
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50];
        for i in 0..blocks {
            let header = (block as u32) << 3 | 1 << 1 | u32::from(i + 1 == blocks);
            frame.extend(&header.to_le_bytes()[..3]);
            frame.push(0);
        }
        let error = Bundle::read(&compressed(&frame, blocks * block)).unwrap_err();
        assert!(error.is_unsupported() && error.to_string().contains("256 times the size"), "{error}");
        // It does not help to claim less.
        let error = Bundle::read(&compressed(&frame, 1000)).unwrap_err().to_string();
        assert!(error.contains("more bytes than its container says"), "{error}");
    }
}
