//! Routines kept between waves. A call site remembers the routines of a few descriptors and compares the twelve dwords; what a site
//! does not remember is looked up by all of instruction and descriptors.
//!
//! A cache belongs to one thread and one device.

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

/// What a call site remembers.
#[derive(Debug, Default)]
struct RecentRoutines {
    ways: Vec<(Key, Entry)>,
    /// The one to be replaced next.
    oldest: usize,
}

/// The caches of a thread, by what the devices say of images.
#[derive(Debug, Default)]
pub struct RoutineCaches(Vec<RoutineCache>);

impl RoutineCaches {
    /// That of a device that says this of images.
    pub fn of(&mut self, config: ImageConfig) -> &mut RoutineCache {
        let at = self.0.iter().position(|c| c.config == config).unwrap_or_else(|| {
            self.0.push(RoutineCache::new(config));
            self.0.len() - 1
        });
        &mut self.0[at]
    }

    /// Routines they hold.
    pub fn len(&self) -> usize {
        self.0.iter().map(RoutineCache::len).sum()
    }

    /// Hold they none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Routines by call site and by descriptors.
#[derive(Debug, Default)]
pub struct RoutineCache {
    config: ImageConfig,
    sites: Vec<RecentRoutines>,
    all: HashMap<Key, Entry>,
}

impl RoutineCache {
    /// An empty cache for a device.
    pub fn new(config: ImageConfig) -> RoutineCache {
        RoutineCache { config, ..Default::default() }
    }

    /// Routines it holds.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Holds it none?
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The routine of an instruction and its descriptors. `site` numbers the instruction, densely from 0; sites that share a number cost time
    /// but no correctness. Words that the instruction does not use should be 0.
    pub fn find(&mut self, site: usize, op: &ImageOp, t: &[u32; 8], s: &[u32; 4]) -> &Result<Routine, ImageError> {
        let is_known = |key: &Key| key.words[..8] == *t && key.words[8..] == *s && key.op == *op;
        let known = self.sites.get(site).and_then(|site| site.ways.iter().position(|(key, _)| is_known(key)));
        let way = known.unwrap_or_else(|| self.remember(site, op, t, s));
        &self.sites[site].ways[way].1
    }

    /// Looks among everybody's routines, makes a new one if there is none, and has the site remember it.
    #[cold]
    fn remember(&mut self, site: usize, op: &ImageOp, t: &[u32; 8], s: &[u32; 4]) -> usize {
        let mut words = [0; 12];
        words[..8].copy_from_slice(t);
        words[8..].copy_from_slice(s);
        let key = Key { words, op: *op };
        if self.all.len() >= MOST {
            self.all.clear();
        }
        let config = &self.config;
        let entry = self.all.entry(key).or_insert_with(|| Rc::new(Routine::new(op, config, t, s))).clone();
        if self.sites.len() <= site {
            self.sites.resize_with(site + 1, RecentRoutines::default);
        }
        let site = &mut self.sites[site];
        if site.ways.len() < WAYS {
            site.ways.push((key, entry));
            return site.ways.len() - 1;
        }
        let way = site.oldest;
        site.ways[way] = (key, entry);
        site.oldest = (way + 1) % WAYS;
        way
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
        match self.find(site, op, t, s) {
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
        let op = ImageOp::new(Kind::named("image_load").unwrap().0, Generation::Gfx11, Dim::D2);
        let t = |n| [0, 0, 0, 0, 0, 0, 0, n]; // unbound or a buffer, which is not an error
        let find = |cache: &mut RoutineCache, site, op: &ImageOp, t| std::ptr::from_ref(cache.find(site, op, &t, &[0; 4]));
        let first = find(&mut cache, 3, &op, t(1));
        let second = find(&mut cache, 3, &op, t(2));
        assert_ne!(first, second);
        assert_eq!(find(&mut cache, 3, &op, t(1)), first);
        assert_eq!(find(&mut cache, 0, &op, t(2)), second, "another site finds what is known");
        let other = ImageOp { dmask: 1, ..op };
        assert_ne!(find(&mut cache, 0, &other, t(2)), second);
        for n in 10..10 + 2 * MOST as u32 {
            cache.find(n as usize % 7, &op, &t(n), &[0; 4]);
        }
        assert!(cache.all.len() <= MOST);
    }
}
