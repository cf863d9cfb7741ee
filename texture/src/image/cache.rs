//! Routines kept between waves. A call site remembers the routines of the descriptors it saw last, newest first, and compares the twelve dwords;
//! what a site does not remember is looked up by all of instruction and descriptors.
//!
//! A cache belongs to one thread.

use std::collections::HashMap;
use std::rc::Rc;

use super::address::Operands;
use super::error::ImageError;
use super::op::ImageOp;
use super::routine::{ImageConfig, Routine};
use crate::{Memory, Wave};

/// Descriptors a site remembers.
const WAYS: usize = 4;

/// Routines kept in all; when there are more, all are forgotten.
const MOST: usize = 4096;

/// What decides a routine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Key {
    /// T#, then S#.
    words: [u32; 12],
    op: ImageOp,
}

/// A routine, or why there is none.
type Entry = Rc<Result<Routine, ImageError>>;

/// Routines by call site and by descriptors.
#[derive(Debug, Default)]
pub struct RoutineCache {
    config: ImageConfig,
    sites: Vec<Vec<(Key, Entry)>>,
    all: HashMap<Key, Entry>,
}

impl RoutineCache {
    /// An empty cache for a device.
    pub fn new(config: ImageConfig) -> RoutineCache {
        RoutineCache { config, ..Default::default() }
    }

    /// The routine of an instruction and its descriptors. `site` numbers the instruction, densely from 0; sites that share a number cost time
    /// but no correctness. Words that the instruction does not use should be 0.
    pub fn find(&mut self, site: usize, op: &ImageOp, t: &[u32; 8], s: &[u32; 4]) -> Entry {
        let mut words = [0; 12];
        words[..8].copy_from_slice(t);
        words[8..].copy_from_slice(s);
        let key = Key { words, op: *op };
        if let Some(ways) = self.sites.get(site)
            && let Some((known, entry)) = ways.first()
            && *known == key
        {
            return entry.clone();
        }
        self.find_again(site, key)
    }

    /// A site's other routines, then everybody's, then a new one.
    #[cold]
    fn find_again(&mut self, site: usize, key: Key) -> Entry {
        if self.sites.len() <= site {
            self.sites.resize_with(site + 1, Vec::new);
        }
        let ways = &mut self.sites[site];
        if let Some(at) = ways.iter().position(|(known, _)| *known == key) {
            ways[..=at].rotate_right(1);
            return ways[0].1.clone();
        }
        if self.all.len() >= MOST {
            self.all.clear();
        }
        let config = &self.config;
        let entry = self.all.entry(key).or_insert_with(|| {
            let [words @ .., s0, s1, s2, s3] = key.words;
            Rc::new(Routine::new(&key.op, config, &words, &[s0, s1, s2, s3]))
        });
        let entry = entry.clone();
        ways.truncate(WAYS - 1);
        ways.insert(0, (key, entry.clone()));
        entry
    }

    /// Executes an image instruction for a wave.
    pub fn execute(
        &mut self,
        site: usize,
        op: &ImageOp,
        t: &[u32; 8],
        s: &[u32; 4],
        operands: &Operands,
        wave: &mut Wave,
        memory: &dyn Memory,
    ) -> Result<(), ImageError> {
        match &*self.find(site, op, t, s) {
            Ok(routine) => routine.execute(operands, wave, memory),
            Err(error) => Err(error.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Generation;
    use crate::image::{Dim, Kind};

    #[test]
    fn a_site_remembers_its_last_descriptors() {
        let mut cache = RoutineCache::new(ImageConfig::default());
        let op = ImageOp::new(Kind::parse("image_load").unwrap().0, Generation::Gfx11, Dim::D2);
        let t = |n| [0, 0, 0, 0, 0, 0, 0, n]; // unbound or a buffer, which is no error
        let first = cache.find(3, &op, &t(1), &[0; 4]);
        let second = cache.find(3, &op, &t(2), &[0; 4]);
        assert!(!Rc::ptr_eq(&first, &second));
        assert!(Rc::ptr_eq(&first, &cache.find(3, &op, &t(1), &[0; 4])));
        assert!(Rc::ptr_eq(&second, &cache.find(0, &op, &t(2), &[0; 4])), "another site finds what is known");
        let other = ImageOp { dmask: 1, ..op };
        assert!(!Rc::ptr_eq(&second, &cache.find(0, &other, &t(2), &[0; 4])));
        for n in 10..10 + 2 * MOST as u32 {
            cache.find(n as usize % 7, &op, &t(n), &[0; 4]);
        }
        assert!(cache.all.len() <= MOST);
    }
}
