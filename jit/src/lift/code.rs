//! The code being lifted: decoded once for each address, and a record of every dword that was looked at.

use super::source::LiftSource;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use wavejit_isa::{self as isa, Inst};

/// Most dwords of an instruction.
const MAX_DWORDS: u64 = 5;

/// Room for so many instructions is there from the start.
const USUAL_INSTS: usize = 256;

/// Decoded code, by address.
pub(super) struct Code<'a> {
    pub src: &'a LiftSource<'a>,
    insts: Vec<Inst>,
    /// By address, the instruction's place; none if there is no instruction.
    places: FxHashMap<u64, Option<u32>>,
    /// Addresses where no instruction was found, with all that is there.
    bad: FxHashMap<u64, Vec<u32>>,
}

impl<'a> Code<'a> {
    pub(super) fn new(src: &'a LiftSource<'a>) -> Self {
        Code { src, insts: Vec::with_capacity(USUAL_INSTS), places: FxHashMap::default(), bad: FxHashMap::default() }
    }

    /// Decodes the instruction at `pc`; none if there is no such instruction.
    pub(super) fn decode(&mut self, pc: u64) -> Option<&Inst> {
        let (src, insts, bad) = (self.src, &mut self.insts, &mut self.bad);
        let place = self.places.entry(pc).or_insert_with(|| {
            let (mut words, mut count) = ([0; MAX_DWORDS as usize], 0);
            for (i, word) in words.iter_mut().enumerate() {
                let Some(w) = (src.read)(pc.wrapping_add(4 * i as u64)) else { break };
                (*word, count) = (w, i + 1);
            }
            // The word 0 has a name, but is an instruction only in listings.
            let inst =
                isa::decode_lenient(&words[..count], src.target, src.wave_size).ok().filter(|i| !i.row.flags.contains(isa::Flags::LISTED));
            match inst {
                Some(inst) => insts.push(inst),
                None => {
                    bad.insert(pc, words[..count].to_vec());
                    return None;
                }
            }
            Some(insts.len() as u32 - 1)
        });
        place.map(|place| &self.insts[place as usize])
    }

    /// The instruction at `pc` if it was decoded.
    pub(super) fn get(&self, pc: u64) -> Option<&Inst> {
        let place = self.places.get(&pc).copied().flatten()?;
        Some(&self.insts[place as usize])
    }

    /// What stands at `pc` instead of an instruction.
    pub(super) fn bad_dwords(&self, pc: u64) -> &[u32] {
        self.bad.get(&pc).map_or(&[], Vec::as_slice)
    }

    /// Everything that was looked at.
    pub(super) fn dwords_read(&self) -> CodeRead {
        let mut dwords: Vec<(u64, Option<u32>)> = Vec::with_capacity(2 * self.insts.len());
        for (pc, place) in &self.places {
            match place.map(|place| &self.insts[place as usize]) {
                Some(inst) => dwords.extend(inst.dwords().iter().enumerate().map(|(i, w)| (pc.wrapping_add(4 * i as u64), Some(*w)))),
                None => {
                    let words = self.bad_dwords(*pc);
                    dwords.extend((0..MAX_DWORDS).map(|i| (pc.wrapping_add(4 * i), words.get(i as usize).copied())));
                }
            }
        }
        let relative = |at: u64| at.wrapping_sub(self.src.entry) as i64;
        dwords.sort_unstable_by_key(|d| relative(d.0));
        let mut read = CodeRead::default();
        for (at, word) in dwords {
            let offset = relative(at);
            match (word, read.runs.last_mut()) {
                (Some(w), Some(run)) if run.end() == offset => run.bytes.extend(w.to_le_bytes()),
                // Instructions may overlap.
                (Some(w), Some(run)) if offset < run.end() => {
                    read.torn |= run.bytes[(offset - run.start) as usize..][..4] != w.to_le_bytes()
                }
                (Some(w), _) => read.runs.push(Run { start: offset, bytes: w.to_le_bytes().to_vec() }),
                (None, _) if read.absent.last() == Some(&offset) => {}
                (None, _) => read.absent.push(offset),
            }
        }
        read
    }
}

/// The part of the code that a translation depends on. Offsets are in bytes from the entry.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CodeRead {
    runs: Vec<Run>,
    /// Where there was nothing to read.
    absent: Vec<i64>,
    /// The same dword was read twice and had changed: somebody writes to the code.
    torn: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Run {
    start: i64,
    bytes: Vec<u8>,
}

impl Run {
    fn end(&self) -> i64 {
        self.start + self.bytes.len() as i64
    }
}

impl CodeRead {
    /// Is all of it the same at `entry`? `read` fills in the bytes at a guest address, or gives false if not all of them are there.
    pub fn matches(&self, entry: u64, read: &dyn Fn(u64, &mut [u8]) -> bool) -> bool {
        let at = |offset: i64| entry.wrapping_add_signed(offset);
        let same = |run: &Run| {
            let mut there = [0; 512];
            run.bytes.chunks(there.len()).enumerate().all(|(i, want)| {
                let there = &mut there[..want.len()];
                read(at(run.start + 512 * i as i64), there) && there == want
            })
        };
        !self.torn && self.runs.iter().all(same) && self.absent.iter().all(|offset| !read(at(*offset), &mut [0; 4]))
    }

    /// Bytes looked at.
    pub fn bytes(&self) -> usize {
        self.runs.iter().map(|r| r.bytes.len()).sum()
    }
}
