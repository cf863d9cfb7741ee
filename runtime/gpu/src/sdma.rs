//! The copy engine: a ring with packets of its own.
//!
//! Header: opcode\[7:0\], sub-opcode\[15:8\], the rest as each packet has it. Reference: Mesa `sid.h`, `CIK_SDMA_*` and later; Linux
//! `sdma_v6_0.c`.

use crate::clock::timestamp;
use crate::error::{Error, Place, Refusal};
use crate::packet::{address, check_bits};
use crate::ring::{Engine, Gpu, Progress};
use crate::stream::{Ib, Stream, read_dwords};
use crate::transfer::copy;

type Result<T = ()> = std::result::Result<T, Refusal>;

/// A ring of the copy engine.
pub struct SdmaRing {
    gpu: Gpu,
    stream: Stream,
}

/// A kind of packet: opcode and sub-opcode, name, dwords with the header (or of the fixed part), what it does.
struct Kind {
    code: (u8, u8),
    name: &'static str,
    dwords: u32,
    /// Dwords beyond those.
    more: fn(&[u32]) -> u32,
    act: fn(&Gpu, &[u32]) -> Result,
}

const fn kind(code: (u8, u8), name: &'static str, dwords: u32, act: fn(&Gpu, &[u32]) -> Result) -> Kind {
    Kind { code, name, dwords, more: |_| 0, act }
}

const KINDS: &[Kind] = &[
    Kind { more: |head| head[0] >> 16 & 0x3fff, ..kind((0, 0), "NOP", 1, |_, _| Ok(())) },
    kind((1, 0), "COPY linear", 7, copy_linear),
    kind((1, 4), "COPY linear sub-window", 13, copy_window),
    Kind { more: |head| head[3] & 0xf_ffff, ..kind((2, 0), "WRITE linear", 5, write) },
    kind((5, 0), "FENCE", 4, fence),
    kind((0xb, 0), "CONSTANT_FILL", 5, fill),
    kind((0xd, 2), "TIMESTAMP", 3, global_timestamp),
];

impl SdmaRing {
    /// A ring in its initial state.
    pub fn new(gpu: Gpu) -> SdmaRing {
        SdmaRing { gpu, stream: Stream::default() }
    }

    /// Has an indirect buffer run, after all that were started before.
    pub fn start(&mut self, address: u64, dwords: u32) {
        self.stream.start(Ib::new(address, dwords));
    }

    /// Runs what was started. After an error the rest of it is forgotten.
    pub fn run(&mut self) -> std::result::Result<Progress, Error> {
        while let Some(ib) = self.stream.current() {
            let mut packet = String::from("packet");
            if let Err(why) = self.step(&ib, &mut packet) {
                self.stream.clear();
                return Err(Error { place: Place { engine: Engine::Sdma, address: ib.at, ib: ib.base, packet }, why });
            }
        }
        Ok(Progress::Done)
    }

    fn step(&mut self, ib: &Ib, name: &mut String) -> Result {
        let mut words = Vec::new();
        read_dwords(self.gpu.memory(), ib.at, 1, &mut words)?;
        let code = (words[0] as u8, (words[0] >> 8) as u8);
        *name = format!("packet {:#010x}", words[0]);
        let kind = KINDS.iter().find(|k| k.code == code);
        let kind = kind.ok_or_else(|| Refusal::new(format!("operation {:#x}.{:#x} is not known", code.0, code.1)))?;
        *name = kind.name.into();
        read_dwords(self.gpu.memory(), ib.at, kind.dwords as usize, &mut words)?;
        let all = kind.dwords + (kind.more)(&words);
        self.stream.advance(u64::from(all))?;
        read_dwords(self.gpu.memory(), ib.at, all as usize, &mut words)?;
        (kind.act)(&self.gpu, &words)
    }
}

/// bytes - 1, parameters, source, destination.
fn copy_linear(gpu: &Gpu, words: &[u32]) -> Result {
    check_bits("header", words[0], 0xffff)?;
    check_bits("bytes", words[1], 0x3fff_ffff)?;
    copy(gpu.memory(), long(words, 5), long(words, 3), u64::from(words[1]) + 1)
}

/// A corner and the strides of a window.
struct Window {
    address: u64,
    at: [u64; 3],
    pitch: u64,
    slice: u64,
}

impl Window {
    /// address, {x\[13:0\], y\[29:16\]}, {z\[12:0\], pitch - 1\[31:13\]}, slice - 1.
    fn parse(words: &[u32]) -> Window {
        let [xy, zp, slice] = [words[2], words[3], words[4]].map(u64::from);
        let at = [xy & 0x3fff, xy >> 16 & 0x3fff, zp & 0x1fff];
        Window { address: long(words, 0), at, pitch: (zp >> 13) + 1, slice: (slice & 0xfff_ffff) + 1 }
    }

    /// Where an element of a row and a plane is.
    fn row(&self, y: u64, z: u64, element: u64) -> u64 {
        let [x, y0, z0] = self.at;
        self.address + (x + (y0 + y) * self.pitch + (z0 + z) * self.slice) * element
    }
}

/// Header with the element's size in 31:29, source, destination, {width - 1, height - 1}, depth - 1.
fn copy_window(gpu: &Gpu, words: &[u32]) -> Result {
    check_bits("header", words[0], 0xffff | 7 << 29)?;
    let element = 1 << (words[0] >> 29);
    if element > 16 {
        return Err(Refusal::new(format!("elements of {element} bytes")));
    }
    let (from, to) = (Window::parse(&words[1..]), Window::parse(&words[6..]));
    let (width, height) = (u64::from(words[11] & 0x3fff) + 1, u64::from(words[11] >> 16 & 0x3fff) + 1);
    let depth = u64::from(words[12] & 0x1fff) + 1;
    for z in 0..depth {
        for y in 0..height {
            copy(gpu.memory(), to.row(y, z, element), from.row(y, z, element), width * element)?;
        }
    }
    Ok(())
}

/// destination, dwords - 1, data.
fn write(gpu: &Gpu, words: &[u32]) -> Result {
    check_bits("header", words[0], 0xffff)?;
    check_bits("dwords", words[3], 0xf_ffff)?;
    let bytes: Vec<u8> = words[4..].iter().flat_map(|v| v.to_le_bytes()).collect();
    Ok(gpu.memory().write(long(words, 1), &bytes)?)
}

/// address, value.
fn fence(gpu: &Gpu, words: &[u32]) -> Result {
    Ok(gpu.memory().write(long(words, 1), &words[3].to_le_bytes())?)
}

/// Header with the element's size in 31:30, destination, value, bytes - 1.
fn fill(gpu: &Gpu, words: &[u32]) -> Result {
    check_bits("header", words[0], 0xffff | 3 << 30)?;
    let bytes = u64::from(words[4] & 0x3fff_ffff) + 1;
    let element = match words[0] >> 30 {
        0 => 1,
        1 => 2,
        2 => 4,
        other => return Err(Refusal::new(format!("element size {other}: expected 1, 2 or 4 bytes"))),
    };
    // A size is bytes less one, and of whole dwords bytes less four.
    let bytes = bytes.next_multiple_of(element);
    Ok(gpu.memory().fill(long(words, 1), &words[3].to_le_bytes()[..element as usize], bytes / element)?)
}

/// address.
fn global_timestamp(gpu: &Gpu, words: &[u32]) -> Result {
    Ok(gpu.memory().write(long(words, 1), &timestamp().to_le_bytes())?)
}

fn long(words: &[u32], at: usize) -> u64 {
    address(words[at], words[at + 1])
}
