//! printf in a buffer: kernels append records, which are printed when the dispatch has ended. OpenCL's way, and HIP's with
//! `-mprintf-kind=buffered`.
//!
//! ```text
//! buffer: dwords: bytes written, bytes there are; then records
//! OpenCL: dword: number of the format in the metadata, "NUMBER:COUNT:BYTES of each argument:...:FORMAT"; arguments, padded to dwords
//! HIP:    dword: bit 0 error stream, bit 1 the format is a hash, bits 31:2 bytes of the record; the qword hash, metadata "0:0:HASH,FORMAT",
//!         or the format itself; arguments, a qword each, strings inline and padded to qwords
//! ```
//!
//! What does not fit the buffer is lost, as with any implementation. Reference: LLVM's `AMDGPUPrintfRuntimeBinding` and
//! `AMDGPUEmitPrintf`, for the layout; OpenCL C, "printf".

use super::format::{self, Arguments};
use super::messages::Qwords;
use super::{Services, Stream};
use crate::Error;
use crate::memory::address_space::AddressSpace;
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes for records of one dispatch: what OpenCL asks for at least.
const BUFFER_BYTES: u32 = 1 << 20;

/// The formats that a code object's metadata lists.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Formats {
    /// By number: bytes of each argument, format.
    numbered: HashMap<u32, (Vec<u32>, Vec<u8>)>,
    /// By hash.
    hashed: HashMap<u64, Vec<u8>>,
}

impl Formats {
    /// Reads what `amdhsa.printf` lists.
    pub(crate) fn new(list: &[String]) -> Formats {
        let mut formats = Formats::default();
        for text in list {
            formats.add(text);
        }
        formats
    }

    fn add(&mut self, text: &str) -> Option<()> {
        let (number, rest) = text.split_once(':')?;
        let (count, mut rest) = rest.split_once(':')?;
        let mut sizes = vec![];
        for _ in 0..count.parse::<u32>().ok()? {
            let (size, behind) = rest.split_once(':')?;
            sizes.push(size.parse().ok()?);
            rest = behind;
        }
        let number = number.parse().ok()?;
        match rest.split_once(',') {
            Some((hash, format)) if number == 0 => {
                self.hashed.insert(u64::from_str_radix(hash.trim_start_matches("0x"), 16).ok()?, unescape(format));
            }
            _ => {
                self.numbered.insert(number, (sizes, unescape(rest)));
            }
        }
        Some(())
    }
}

/// The compiler writes `\n` and the like, and other bytes as three octal digits (a colon would end a field).
fn unescape(text: &str) -> Vec<u8> {
    let (mut out, mut rest) = (vec![], text.as_bytes());
    while let Some((c, behind)) = rest.split_first() {
        rest = behind;
        if *c != b'\\' {
            out.push(*c);
            continue;
        }
        let octal = rest.iter().take(3).take_while(|d| (b'0'..b'8').contains(d)).count();
        if octal > 0 {
            out.push(rest[..octal].iter().fold(0u8, |n, d| n.wrapping_mul(8).wrapping_add(d - b'0')));
            rest = &rest[octal..];
            continue;
        }
        const ESCAPES: &[(u8, u8)] = &[(b'a', 7), (b'b', 8), (b'f', 12), (b'n', 10), (b'r', 13), (b't', 9), (b'v', 11)];
        let Some((c, behind)) = rest.split_first() else { break };
        out.push(ESCAPES.iter().find(|e| e.0 == *c).map_or(*c, |e| e.1));
        rest = behind;
    }
    out
}

/// The buffer of one dispatch.
pub(crate) struct PrintBuffer {
    space: Arc<AddressSpace>,
    /// Guest address.
    pub address: u64,
}

impl PrintBuffer {
    pub(crate) fn new(space: &Arc<AddressSpace>) -> Result<PrintBuffer, Error> {
        let address = space.alloc(u64::from(BUFFER_BYTES) + 8, 4096)?;
        let buffer = PrintBuffer { space: space.clone(), address };
        space.write(address + 4, &BUFFER_BYTES.to_le_bytes())?;
        Ok(buffer)
    }

    /// Prints what is in it.
    pub(crate) fn flush(&self, formats: &Formats, services: &Services) -> Result<(), Error> {
        let mut written = [0; 4];
        self.space.read(self.address, &mut written)?;
        let mut records = vec![0; u32::from_le_bytes(written).min(BUFFER_BYTES) as usize];
        self.space.read(self.address + 8, &mut records)?;
        let mut print = services.print.lock();
        let mut rest = &records[..];
        while let Some((text, stream, behind)) = formats.record(rest)? {
            print(stream, &text);
            rest = behind;
        }
        Ok(())
    }
}

impl Drop for PrintBuffer {
    fn drop(&mut self) {
        self.space.free(self.address);
    }
}

impl Formats {
    /// What the first record says, and what is behind it.
    fn record<'r>(&self, bytes: &'r [u8]) -> Result<Option<(Vec<u8>, Stream, &'r [u8])>, Error> {
        let Some((head, rest)) = bytes.split_first_chunk() else { return Ok(None) };
        let head = u32::from_le_bytes(*head);
        if let Some((sizes, format)) = self.numbered.get(&head) {
            let mut args = Sized { sizes, bytes: rest, vector: None };
            let text = format::print(format, &mut args);
            let len: usize = sizes.iter().map(|s| (*s as usize).next_multiple_of(4)).fold(0, usize::saturating_add);
            return Ok(Some((text, Stream::Out, rest.get(len..).unwrap_or(&[]))));
        }
        let len = (head >> 2) as usize;
        let broken = || Error::Unsupported(format!("printf buffer: a record begins with {head:#x}, which is no format of the code object"));
        if len < 12 || len > bytes.len() {
            return if head == 0 || len > bytes.len() && !self.hashed.is_empty() { Ok(None) } else { Err(broken()) };
        }
        let words: Vec<u64> = bytes[4..len].chunks_exact(8).map(|c| u64::from_le_bytes(c.try_into().expect("eight bytes"))).collect();
        let mut args = Qwords(&words);
        let format = if head & 2 != 0 {
            let hash = args.integer(8).unwrap_or(0);
            self.hashed.get(&hash).cloned().ok_or_else(broken)?
        } else {
            args.string().unwrap_or_default()
        };
        let stream = if head & 1 != 0 { Stream::Err } else { Stream::Out };
        Ok(Some((format::print(&format, &mut args), stream, &bytes[len..])))
    }
}

/// Arguments of known sizes.
struct Sized<'a> {
    sizes: &'a [u32],
    bytes: &'a [u8],
    /// Of the vector that is being read: what is left of it, bytes of an element, elements to come.
    vector: Option<(&'a [u8], usize, usize)>,
}

impl<'a> Sized<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        if let Some((rest, size, left)) = self.vector.filter(|v| v.2 > 0) {
            let element = rest.get(..size)?;
            self.vector = Some((&rest[size..], size, left - 1));
            return Some(element);
        }
        let (size, sizes) = self.sizes.split_first()?;
        self.sizes = sizes;
        let size = *size as usize;
        let argument = self.bytes.get(..size)?;
        self.bytes = self.bytes.get(size.next_multiple_of(4)..).unwrap_or(&[]);
        Some(argument)
    }
}

impl Arguments for Sized<'_> {
    fn integer(&mut self, _bytes: usize) -> Option<u64> {
        let mut whole = [0; 8];
        let found = self.next()?;
        let len = found.len().min(8);
        whole[..len].copy_from_slice(&found[..len]);
        Some(u64::from_le_bytes(whole))
    }
    fn float(&mut self, _bytes: Option<usize>) -> Option<f64> {
        Some(match *self.next()? {
            [a, b] => half::f16::from_le_bytes([a, b]).to_f64(),
            [a, b, c, d] => f32::from_le_bytes([a, b, c, d]).into(),
            [a, b, c, d, e, f, g, h] => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => return None,
        })
    }
    fn string(&mut self) -> Option<Vec<u8>> {
        let found = self.next()?;
        Some(found[..found.iter().position(|b| *b == 0).unwrap_or(found.len())].to_vec())
    }
    fn vector(&mut self, elements: usize) {
        // The last one is over.
        self.vector = None;
        if let Some(whole) = self.next() {
            // Three elements take the room of four.
            self.vector = Some((whole, whole.len() / elements.next_power_of_two(), elements));
        }
    }
}
