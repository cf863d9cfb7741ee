//! Rules of buffer instructions, pinned one by one.

mod access;
mod address;
mod typed;

use super::*;
use crate::memory::FlatMemory;

/// Guest address of the test buffer.
pub(super) const BASE: u64 = 0x1000;
/// Lanes of the test waves.
pub(super) const LANES: usize = 32;
/// Address registers v0, v1; data v2..; results v8...
const ROWS: Rows = Rows { address: [0, 1], data: [2, 3, 4, 5], dst: [8, 9, 10, 11, 12] };

/// A V# as the fields of gfx10 and later have it.
#[derive(Clone, Copy)]
pub(super) struct V {
    pub generation: Generation,
    pub stride: u32,
    pub records: u32,
    pub swizzle: u32,
    pub index_stride: u32,
    pub add_tid: bool,
    pub oob: u32,
    pub format: u32,
    /// Octal, W highest.
    pub dst_sel: u32,
}

/// A raw buffer of 4096 bytes.
pub(super) fn raw(generation: Generation) -> V {
    V { generation, stride: 0, records: 4096, swizzle: 0, index_stride: 0, add_tid: false, oob: 3, format: 22, dst_sel: 0o7654 }
}

impl V {
    pub(super) fn words(self) -> [u32; 4] {
        let is_split = self.generation < Generation::Gfx10;
        let swizzle = if self.generation >= Generation::Gfx11 { self.swizzle << 30 } else { u32::from(self.swizzle != 0) << 31 };
        // Split: data format 4 (32), number format 7 (float), unless the test has its own.
        let format = match (is_split, self.format) {
            (true, 22) => 7 << 12 | 4 << 15,
            (_, f) => f << 12,
        };
        let oob = if is_split { 0 } else { self.oob << 28 };
        [
            BASE as u32,
            self.stride << 16 | swizzle,
            self.records,
            self.dst_sel | format | self.index_stride << 21 | u32::from(self.add_tid) << 23 | oob,
        ]
    }
    pub(super) fn decode(self) -> BufferDescriptor {
        BufferDescriptor::decode(self.words(), self.generation)
    }
}

/// A wave of 32 lanes, 16 registers, over memory of dwords.
pub(super) struct Bench {
    pub rows: Vec<u32>,
    pub exec: u64,
    pub memory: FlatMemory,
    pub scalars: Scalars,
    pub lds: Vec<u8>,
}

impl Bench {
    /// Dword `n` of memory is `word(n)`.
    pub(super) fn new(words: usize, word: impl Fn(u32) -> u32) -> Bench {
        let words: Vec<u32> = (0..words as u32).map(word).collect();
        let memory = FlatMemory::from_words(BASE, &words);
        Bench { rows: vec![0xeeee_eeee; 16 * LANES], exec: 0xffff_ffff, memory, scalars: Scalars::default(), lds: vec![0; 1024] }
    }
    pub(super) fn set(&mut self, row: usize, value: impl Fn(u32) -> u32) -> &mut Bench {
        for lane in 0..LANES {
            self.rows[row * LANES + lane] = value(lane as u32);
        }
        self
    }
    pub(super) fn get(&self, row: usize, lane: usize) -> u32 {
        self.rows[row * LANES + lane]
    }
    /// Register `8 + n` of a lane.
    pub(super) fn result(&self, n: usize, lane: usize) -> u32 {
        self.get(8 + n, lane)
    }
    pub(super) fn try_run(&mut self, op: &BufferOp, v: V) -> Result<(), BufferError> {
        let mut wave = Wave::new(&mut self.rows, LANES, self.exec);
        execute(op, &v.decode(), self.scalars, &mut wave, &ROWS, &mut self.lds, &self.memory)
    }
    pub(super) fn run(&mut self, op: &BufferOp, v: V) -> &mut Bench {
        self.try_run(op, v).unwrap();
        self
    }
    pub(super) fn word(&self, byte: u64) -> u32 {
        self.memory.word(BASE + byte)
    }
}

/// An instruction with an offset register.
pub(super) fn offen(name: &str, generation: Generation) -> BufferOp {
    BufferOp { offen: true, ..BufferOp::new(name, generation).unwrap() }
}
/// An instruction with an index register.
pub(super) fn idxen(name: &str, generation: Generation) -> BufferOp {
    BufferOp { idxen: true, ..BufferOp::new(name, generation).unwrap() }
}

pub(super) const ALL: [Generation; 7] =
    [Generation::Gfx6, Generation::Gfx8, Generation::Gfx9, Generation::Gfx10, Generation::Gfx103, Generation::Gfx11, Generation::Gfx12];
