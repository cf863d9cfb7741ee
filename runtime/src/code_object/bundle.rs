//! Offload bundles: several code objects in one file, and where to find them.
//!
//! Reference: Clang documentation, "Clang Offload Bundler" (file format, compressed bundles), HIP's `.hip_fatbin` section. A bundle starts
//! with `__CLANG_OFFLOAD_BUNDLE__`; a compressed one is the header `CCOB` and a whole bundle, packed. A section of a host program may
//! hold several, one per translation unit, each at a page boundary.

use super::LoadError;
use super::reader::Reader;
use object::{Object, ObjectSection};
use std::io::Read;

const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
const COMPRESSED_MAGIC: &[u8] = b"CCOB";
/// Most bytes a compressed bundle may unpack to.
const MAX_UNPACKED_BYTES: u64 = 1 << 30;
/// Alignment of bundles in a section.
const PAGE_BYTES: u64 = 4096;

/// One member of a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BundleEntry {
    /// `hipv4-amdgcn-amd-amdhsa--gfx1100`, `host-x86_64-unknown-linux-gnu-`, ...
    pub id: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Does a bundle start here?
pub fn is_bundle(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || bytes.starts_with(COMPRESSED_MAGIC)
}

/// The entries of one bundle, or of several, one after the other.
pub fn entries(bytes: &[u8]) -> Result<Vec<BundleEntry>, LoadError> {
    let mut all = Vec::new();
    let mut rest = bytes;
    loop {
        let used = if rest.starts_with(COMPRESSED_MAGIC) {
            let (unpacked, used) = unpack(rest)?;
            read_plain(&unpacked, &mut all)?;
            used
        } else {
            read_plain(rest, &mut all)?
        };
        let next = used.max(1).next_multiple_of(PAGE_BYTES);
        match rest.get(next.min(rest.len() as u64) as usize..) {
            Some(more) if is_bundle(more) => rest = more,
            _ => return Ok(all),
        }
    }
}

/// The contents of the section of a host program or object that holds HIP's device code.
pub fn fat_binary_section(bytes: &[u8]) -> Option<Result<Vec<u8>, LoadError>> {
    let file = object::File::parse(bytes).ok()?;
    let section = file.section_by_name(".hip_fatbin").or_else(|| file.section_by_name(".hip_fat"))?;
    let data = section.data().map_err(|e| LoadError::malformed(format!("section .hip_fatbin: {e}")));
    Some(data.map(<[u8]>::to_vec))
}

/// Appends the entries of a plain bundle; returns the bytes it takes.
fn read_plain(bytes: &[u8], out: &mut Vec<BundleEntry>) -> Result<u64, LoadError> {
    let file = Reader::new(bytes);
    if file.slice(0, MAGIC.len() as u64, "offload bundle")? != MAGIC {
        return Err(LoadError::malformed("expected an offload bundle to start with __CLANG_OFFLOAD_BUNDLE__"));
    }
    let count = file.u64(24, "number of bundle entries")?;
    let mut at = 32;
    let mut end = at;
    for i in 0..count {
        let what = format!("bundle entry {i} of {count}");
        let (offset, len) = (file.u64(at, &what)?, file.u64(at + 8, &what)?);
        let id_len = file.u64(at + 16, &what)?;
        let id = String::from_utf8_lossy(file.slice(at + 24, id_len, &what)?).into_owned();
        let bytes = file.slice(offset, len, &format!("{what} ({id})"))?.to_vec();
        out.push(BundleEntry { id, bytes });
        at += 24 + id_len;
        end = end.max(at).max(offset + len);
    }
    Ok(end)
}

/// Unpacks a compressed bundle; returns it and the bytes it takes packed. Headers: version 1 {magic, u16 version, u16 method, u32 unpacked
/// size, u64 hash}; version 2 has the u32 total size before the unpacked size; version 3 has both as u64.
fn unpack(bytes: &[u8]) -> Result<(Vec<u8>, u64), LoadError> {
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
    if unpacked > MAX_UNPACKED_BYTES {
        return Err(LoadError::unsupported(format!("bundle of {unpacked} bytes; at most {MAX_UNPACKED_BYTES} are read")));
    }
    let packed_bytes = total.checked_sub(header).ok_or_else(|| LoadError::malformed(format!("{what}: total size {total}")))?;
    let packed = file.slice(header, packed_bytes, "compressed bundle")?;
    let damaged = |e: String| LoadError::malformed(format!("compressed bundle: {e}"));
    let mut source = packed;
    let decoder = ruzstd::decoding::StreamingDecoder::new(&mut source).map_err(|e| damaged(e.to_string()))?;
    let mut out = Vec::new();
    decoder.take(unpacked + 1).read_to_end(&mut out).map_err(|e| damaged(e.to_string()))?;
    if out.len() as u64 != unpacked {
        return Err(damaged(format!("expected {unpacked} bytes, unpacked {}", out.len())));
    }
    Ok((out, total))
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
        let found: Vec<_> = entries(&bytes).unwrap().into_iter().map(|e| e.bytes).collect();
        assert_eq!(found, [&b""[..], b"one", b"two"]);
    }

    #[test]
    fn a_cut_bundle_is_an_error() {
        let bytes = plain(&[("hip-amdgcn-amd-amdhsa--gfx900", b"0123456789")]);
        for len in 0..bytes.len() {
            assert!(entries(&bytes[..len]).is_err(), "{len}");
        }
    }

    #[test]
    fn zlib_is_named() {
        let mut bytes = b"CCOB".to_vec();
        bytes.extend([2, 0, 0, 0]);
        bytes.resize(64, 0);
        let error = entries(&bytes).unwrap_err();
        assert!(error.is_unsupported() && error.to_string().contains("zlib"), "{error}");
    }
}
