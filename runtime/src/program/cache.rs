//! Translations of a device, found by what the code is and not by where it is.
//!
//! A translation depends on the bytes that were read for it ([`CodeRead`](wavejit_jit::lift::CodeRead)) and on what it was made for: processor,
//! engine, accuracy, and all of [`CodeKey`] but the address. The cache looks among translations whose code begins with the same dwords for one of
//! which every byte is there. It holds so many bytes; what was not used for longest goes first. Waves keep what they run alive.

use super::code::Code;
use super::key::{CodeKey, MadeBy};
use super::store::CodeStore;
use crate::host::sync::Mutex;
use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use wavejit_isa::Gfx;

/// Dwords that are looked up.
const PREFIX: usize = 8;

/// What translations are looked up by.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ContentKey {
    target: Gfx,
    made_by: MadeBy,
    /// Its address is 0.
    made_for: CodeKey,
    /// The first dwords; `None` where there is nothing.
    prefix: [Option<u32>; PREFIX],
}

impl ContentKey {
    pub(super) fn new(target: Gfx, made_by: MadeBy, key: CodeKey, read: &dyn Fn(u64) -> Option<u32>) -> ContentKey {
        let prefix = std::array::from_fn(|i| read(key.entry.wrapping_add(4 * i as u64)));
        ContentKey { target, made_by, made_for: CodeKey { entry: 0, ..key }, prefix }
    }
}

/// Translations of any number of programs.
pub(crate) struct CodeCache {
    limit_bytes: usize,
    held: Mutex<Held>,
    pub(super) counters: Counters,
    /// Where translations are kept for other processes, once somebody has said so.
    pub(super) store: OnceLock<CodeStore>,
}

/// What the programs of a device have counted so far.
#[derive(Default)]
pub(super) struct Counters {
    pub lifted: AtomicU64,
    pub lifted_insts: AtomicU64,
    pub compiled: AtomicU64,
    pub compiled_insts: AtomicU64,
    pub found: AtomicU64,
    pub interpreted_insts: AtomicU64,
}

impl Counters {
    pub(super) fn lift(&self, insts: u32) {
        self.lifted.fetch_add(1, Relaxed);
        self.lifted_insts.fetch_add(insts.into(), Relaxed);
    }

    pub(super) fn compile(&self, insts: u32) {
        self.compiled.fetch_add(1, Relaxed);
        self.compiled_insts.fetch_add(insts.into(), Relaxed);
    }
}

/// What a device has translated since it was made, and what it keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CodeStats {
    /// Functions made of machine code.
    pub lifted: u64,
    /// Guest instructions in them. What is in several functions counts several times.
    pub lifted_insts: u64,
    /// Functions compiled to host code. The others are interpreted.
    pub compiled: u64,
    /// Guest instructions in them.
    pub compiled_insts: u64,
    /// Guest instructions that waves ran in functions that are interpreted.
    pub interpreted_insts: u64,
    /// Translations that were there already, because another program, or the same one earlier, had the same code.
    pub found: u64,
    /// Translations that were read from files, where another process had put them.
    pub loaded: u64,
    /// Bytes of the translations that are kept for programs opened again, or elsewhere.
    pub kept_bytes: usize,
}

#[derive(Default)]
struct Held {
    codes: HashMap<ContentKey, Vec<(Arc<Code>, u64)>>,
    bytes: usize,
    /// Counts uses.
    now: u64,
}

impl CodeCache {
    /// A cache of so many bytes.
    pub(crate) fn new(limit_bytes: usize) -> CodeCache {
        CodeCache { limit_bytes, held: Mutex::default(), counters: Counters::default(), store: OnceLock::new() }
    }

    /// Has translations kept in a directory from now on. The first one stays.
    pub(crate) fn keep_in(&self, directory: &Path) -> io::Result<()> {
        let store = CodeStore::open(directory)?;
        self.store.get_or_init(|| store);
        Ok(())
    }

    /// A translation of the code at `entry`, of which `read` fills in bytes or gives false.
    pub(super) fn find(&self, key: &ContentKey, entry: u64, read: &dyn Fn(u64, &mut [u8]) -> bool) -> Option<Arc<Code>> {
        let candidates: Vec<Arc<Code>> = self.held.lock().codes.get(key)?.iter().map(|c| c.0.clone()).collect();
        let found = candidates.into_iter().find(|c| c.is_of(entry, read))?;
        let mut held = self.held.lock();
        held.now += 1;
        let now = held.now;
        if let Some(used) = held.codes.get_mut(key).and_then(|list| list.iter_mut().find(|c| Arc::ptr_eq(&c.0, &found))) {
            used.1 = now;
        }
        self.counters.found.fetch_add(1, Relaxed);
        Some(found)
    }

    /// Keeps a translation for others.
    pub(super) fn insert(&self, key: ContentKey, code: Arc<Code>) {
        let mut held = self.held.lock();
        held.now += 1;
        held.bytes += code.bytes();
        let now = held.now;
        held.codes.entry(key).or_default().push((code, now));
        if held.bytes > self.limit_bytes {
            held.shrink(self.limit_bytes / 4 * 3);
        }
    }

    /// Lets go of the older half.
    pub(super) fn halve(&self) {
        let mut held = self.held.lock();
        let bytes = held.bytes / 2;
        held.shrink(bytes);
    }

    /// What has been counted, and what is kept.
    pub(crate) fn stats(&self) -> CodeStats {
        let Counters { lifted, lifted_insts, compiled, compiled_insts, found, interpreted_insts } = &self.counters;
        let [lifted, lifted_insts, compiled, compiled_insts, found, interpreted_insts] =
            [lifted, lifted_insts, compiled, compiled_insts, found, interpreted_insts].map(|n| n.load(Relaxed));
        let loaded = self.store.get().map_or(0, |store| store.loaded.load(Relaxed));
        CodeStats { lifted, lifted_insts, compiled, compiled_insts, interpreted_insts, found, loaded, kept_bytes: self.held.lock().bytes }
    }
}

impl Held {
    fn shrink(&mut self, to_bytes: usize) {
        let mut uses: Vec<(u64, usize)> = self.codes.values().flatten().map(|(code, used)| (*used, code.bytes())).collect();
        uses.sort_unstable();
        let mut bytes = self.bytes;
        let mut last_to_go = 0;
        for (used, size) in uses {
            if bytes <= to_bytes {
                break;
            }
            bytes -= size;
            last_to_go = used;
        }
        self.codes.retain(|_, list| {
            list.retain(|c| c.1 > last_to_go);
            !list.is_empty()
        });
        self.bytes = bytes;
    }
}
