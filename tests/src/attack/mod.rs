//! The executing attack: hostile kernels, launches and descriptors on compiled code and on the interpreter, side by side.
//!
//! A [`Case`] follows from a seed, or from the bytes of a fuzzer. It runs on both engines, in guest memory of its own, on one thread in a
//! fixed order, with a budget of instructions and a deadline. Both must end alike: with the same counts or the same error (class, place, lane,
//! address), and all guest memory equal. Some run once more without that order, on one thread, where nothing of an earlier launch may show, or on
//! two, where only the rest must hold: no crash, no panic, no hang, nothing outside of guest memory touched, and nothing
//! left over. `tests/fuzz/README.md` says how to run it.
//!
//! | file | holds |
//! |---|---|
//! | `source` | where choices come from |
//! | `shader` | cases from committed kernels and their launches |
//! | `raw` | cases from machine code: any instruction, any descriptor, control flow |
//! | `instruction` | random instructions of every row |
//! | `arena` | two devices between canaries, and what must hold after a case |
//! | `watch` | deadlines, and what a process says when it hangs or crashes |
//! | `serve` | the process that runs cases, and the one that feeds it |

pub mod arena;
pub mod instruction;
pub mod raw;
pub mod serve;
pub mod shader;
pub mod source;
pub mod watch;

use source::Source;
use std::sync::atomic::AtomicU32;
use std::time::Duration;
use wavejit::{Device, DispatchStats, Error};
use wavejit_random::Random;

/// Something to run.
#[derive(Clone)]
pub struct Case {
    subject: Subject,
    /// When it is canceled; the usual deadline if there is no earlier one.
    pub canceled_after: Option<Duration>,
}

#[derive(Clone)]
enum Subject {
    Shader(shader::Shader),
    Raw(Box<raw::Raw>),
}

impl Case {
    /// The case of a seed.
    pub fn of_seed(seed: u64) -> Case {
        Case::random(&mut Source::of_seed(seed))
    }

    /// The case of some choices.
    pub fn random(s: &mut Source) -> Case {
        let canceled_after = s.one_in(24).then(|| Duration::from_micros(s.below(20_000).into()));
        let subject = match s.one_in(2) {
            true => Subject::Shader(shader::Shader::random(s)),
            false => Subject::Raw(Box::new(raw::Raw::random(s))),
        };
        Case { subject, canceled_after }
    }

    /// How many things are wrong with it: each can be left out.
    pub fn parts(&self) -> usize {
        match &self.subject {
            Subject::Shader(c) => c.parts(),
            Subject::Raw(c) => c.parts(),
        }
    }

    /// Without the parts of these numbers.
    pub fn without(&self, parts: &[usize]) -> Case {
        let mut parts = parts.to_vec();
        parts.sort_unstable();
        parts.dedup();
        let smaller = |subject: Subject, part: &usize| match subject {
            Subject::Shader(c) => Subject::Shader(c.without(*part)),
            Subject::Raw(c) => Subject::Raw(Box::new(c.without(*part))),
        };
        let subject = parts.iter().rev().filter(|p| **p < self.parts()).fold(self.subject.clone(), smaller);
        Case { subject, ..*self }
    }

    /// For people.
    pub fn describe(&self) -> String {
        let text = match &self.subject {
            Subject::Shader(c) => c.describe(),
            Subject::Raw(c) => c.describe(),
        };
        self.canceled_after.map(|t| format!("canceled after {t:?}: ")).unwrap_or_default() + &text
    }

    /// Does it read clocks, so that only devices with an injected one run it alike?
    pub fn reads_clocks(&self) -> bool {
        let (code, wave_size) = match &self.subject {
            Subject::Shader(c) => c.all_code(),
            Subject::Raw(c) => c.code(),
        };
        // Wherever a branch may lead: every dword may be the first of an instruction.
        (0..code.len()).any(|at| {
            let name = wavejit_isa::decode(&code[at..code.len().min(at + 5)], instruction::GFX, wave_size).map_or("", |i| i.row.name);
            ["time", "getreg", "sendmsg_rtn"].iter().any(|part| name.contains(part))
        })
    }

    /// Does it have no second workgroup, which may see in its registers what the first one left?
    pub fn is_one_group(&self) -> bool {
        match &self.subject {
            Subject::Shader(c) => c.is_one_group(),
            Subject::Raw(c) => c.is_one_group(),
        }
    }

    /// Runs it on a device.
    pub fn run(&self, device: &Device, cancel: &AtomicU32) -> Outcome {
        match &self.subject {
            Subject::Shader(c) => c.run(device, cancel),
            Subject::Raw(c) => c.run(device, cancel),
        }
    }
}

/// How a run ended, and what it left in guest memory: all allocations, by address.
pub struct Outcome {
    /// Workgroups, waves and guest instructions, or why not.
    pub result: Result<[u64; 3], Error>,
    /// Guest address and bytes of each allocation.
    pub memory: Vec<(u64, Vec<u8>)>,
}

/// The outcome of a run that has just ended, its allocations still there.
fn outcome(device: &Device, result: Result<DispatchStats, Error>) -> Outcome {
    let memory = device.memory().snapshot().map_or_else(|_| vec![], |s| s.parts().to_vec());
    Outcome { result: result.map(|s| [s.workgroups, s.waves, s.guest_insts]), memory }
}

impl Outcome {
    /// What both engines must agree on beside memory.
    pub fn text(&self) -> String {
        match &self.result {
            Ok([groups, waves, insts]) => format!("{groups} workgroups, {waves} waves, {insts} instructions"),
            Err(e) => format!("code {}: {e}", e.code()),
        }
    }

    /// What differs from another one; empty if nothing. `names`: who they are.
    pub fn differences(&self, other: &Outcome, names: [&str; 2]) -> String {
        let mut text = String::new();
        if self.text() != other.text() {
            text += &format!("    {}: {}\n    {}: {}\n", names[0], self.text(), names[1], other.text());
        }
        let places = |o: &Outcome| o.memory.iter().map(|(a, b)| (*a, b.len())).collect::<Vec<_>>();
        if places(self) != places(other) {
            return text + &format!("    allocations: {:x?} and {:x?}\n", places(self), places(other));
        }
        for ((address, ours), (_, theirs)) in self.memory.iter().zip(&other.memory) {
            if ours == theirs {
                continue;
            }
            let unequal: Vec<usize> = (0..ours.len()).filter(|i| ours[*i] != theirs[*i]).collect();
            let (first, last) = (unequal[0], unequal[unequal.len() - 1]);
            let at = first & !3;
            let end = (at + 16).min(ours.len());
            text += &format!(
                "    memory: {} of {} bytes at {address:#x} differ, +{first:#x} to +{last:#x}; at +{at:#x} {:02x?} and {:02x?}\n",
                unequal.len(),
                ours.len(),
                &ours[at..end],
                &theirs[at..end]
            );
        }
        text
    }
}

/// Bytes of a seed.
fn random_bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut rng = Random(seed);
    let mut bytes: Vec<u8> = (0..count.div_ceil(8)).flat_map(|_| rng.u64().to_le_bytes()).collect();
    bytes.truncate(count);
    bytes
}
