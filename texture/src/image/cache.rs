//! Routines kept between waves. A call site remembers the routines of a few descriptors and compares the twelve dwords; what a site
//! does not remember is looked up by all of instruction and descriptors.
//!
//! A cache belongs to one thread and one device.

use std::collections::HashMap;
use std::rc::Rc;

use super::address::Operands;
use super::error::ImageError;
#[cfg(target_arch = "x86_64")]
use super::known::KnownCalls;
use super::op::ImageOp;
use super::routine::{ImageConfig, Routine};
use crate::{Memory, Wave};

/// Where guest memory is, as [`Memory::view`] lends it: base, first address and size of the window.
pub type Window = [u64; 3];

/// Descriptors a site remembers.
const WAYS: usize = 4;

/// Sites that caches tell apart; those beyond share their places.
const MOST_SITES: usize = 4096;

/// T# and S# of an instruction from the words that it gives.
fn descriptors(op: &ImageOp, given: &[u64]) -> ([u32; 8], [u32; 4]) {
    let mut words = [0; 12];
    words.iter_mut().zip(given).for_each(|(to, from)| *to = *from as u32);
    let [t @ .., s0, s1, s2, s3] = words;
    let (mut t, mut s): ([u32; 8], _) = (t, [s0, s1, s2, s3]);
    // A T# of four dwords: what follows is the sampler, or nothing.
    if given.len() == 4 || given.len() == 8 && op.kind.sampling().is_some() {
        s = [t[4], t[5], t[6], t[7]];
    }
    if op.r128 || given.len() == 4 {
        t[4..].fill(0);
    }
    (t, s)
}

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

/// The caches of a thread, by what a device says of images.
#[derive(Debug, Default)]
pub struct RoutineCaches {
    caches: Vec<RoutineCache>,
    #[cfg(target_arch = "x86_64")]
    known: KnownCalls,
}

/// A call of compiled code.
#[derive(Clone, Copy, Debug)]
pub struct SiteCall<'a> {
    /// Number of the instruction in the process.
    pub site: usize,
    /// What it is.
    pub op: &'a ImageOp,
    /// Words of its descriptors as they were given, in the low halves.
    pub words: &'a [u64],
    /// Where its memory is.
    pub window: Window,
    /// Its registers.
    pub operands: &'a Operands<'a>,
}

impl RoutineCaches {
    /// That of a device that says this of images.
    pub fn of(&mut self, config: ImageConfig) -> &mut RoutineCache {
        let at = self.caches.iter().position(|c| c.config == config).unwrap_or_else(|| {
            self.caches.push(RoutineCache::new(config));
            self.caches.len() - 1
        });
        &mut self.caches[at]
    }

    /// Executes a call of compiled code that is as an earlier one. The lanes that are left to [`RoutineCaches::execute`]; `None`: all.
    #[inline]
    pub fn execute_known(&self, call: &SiteCall, wave: &mut Wave) -> Option<u64> {
        #[cfg(target_arch = "x86_64")]
        return match call.words.len() {
            8 => self.known.execute::<8>(call.site, call.words.first_chunk()?, &call.window, call.operands, wave),
            12 => self.known.execute::<12>(call.site, call.words.first_chunk()?, &call.window, call.operands, wave),
            _ => None,
        };
        #[cfg(not(target_arch = "x86_64"))]
        return {
            let _ = (call, wave);
            None
        };
    }

    /// Executes a call of compiled code for a device that says `config` of images, and remembers it for [`RoutineCaches::execute_known`].
    pub fn execute(&mut self, config: ImageConfig, call: &SiteCall, wave: &mut Wave, memory: &dyn Memory) -> Result<(), ImageError> {
        let (t, s) = descriptors(call.op, call.words);
        let entry = self.of(config).entry(call.site % MOST_SITES, call.op, &t, &s).clone();
        #[cfg(target_arch = "x86_64")]
        if matches!(call.words.len(), 8 | 12) {
            self.known.remember(call.site, call.words, call.window, &entry, call.operands, memory);
        }
        match &*entry {
            Ok(routine) => routine.execute(call.operands, wave, memory),
            Err(error) => Err(error.clone()),
        }
    }

    /// Routines they hold.
    pub fn len(&self) -> usize {
        self.caches.iter().map(RoutineCache::len).sum()
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
        self.entry(site, op, t, s)
    }

    fn entry(&mut self, site: usize, op: &ImageOp, t: &[u32; 8], s: &[u32; 4]) -> &Entry {
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

    // IMG-18: another image at the same site is another call
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_call_is_known_by_site_descriptors_and_window() {
        use crate::descriptor::{ImageDescriptor, ImageType};
        use crate::format::FormatNumber;
        use crate::memory::FlatMemory;
        if wavejit_isa::HostLevel::get() == wavejit_isa::HostLevel::Baseline {
            return;
        }
        let d = ImageDescriptor::new(Generation::Gfx11, ImageType::Dim2, FormatNumber::Unified(20), 16, 16); // 32_UINT
        let words = |base: u64| ImageDescriptor { base, ..d }.encode().expect("a T#").map(u64::from);
        let memory = FlatMemory::new(0x1_0000, (0..=255).cycle().take(1 << 16).collect());
        let op = ImageOp { dmask: 1, ..ImageOp::new(Kind::named("image_load").unwrap().0, Generation::Gfx11, Dim::D2) };
        let operands = Operands { address: &[0, 1], source: &[], result: &[2] };
        let mut caches = RoutineCaches::default();
        let (first, second) = (words(0x1_0000), words(0x1_0100));
        let call = |site, words| SiteCall { site, op: &op, words, window: [0, 0x1_0000, 1 << 16], operands: &operands };
        let mut rows = vec![3; 3 * 32];
        let known = call(5, &first);
        assert_eq!(caches.execute_known(&known, &mut Wave::new(&mut rows, 32, 1)), None);
        caches.execute(ImageConfig::default(), &known, &mut Wave::new(&mut rows, 32, 1), &memory).unwrap();
        let texel = std::mem::take(&mut rows[64]);
        assert_eq!(texel, 0x0f0e_0d0c, "x and y are 3, rows are padded to 256 bytes");
        assert_eq!(caches.execute_known(&known, &mut Wave::new(&mut rows, 32, 1)), Some(0));
        assert_eq!(rows[64], texel);
        for other in [call(5, &second), call(6, &first), SiteCall { window: [8, 0x1_0000, 1 << 16], ..known }] {
            assert_eq!(caches.execute_known(&other, &mut Wave::new(&mut rows, 32, 1)), None);
        }
        // Both of them, from here on.
        caches.execute(ImageConfig::default(), &call(5, &second), &mut Wave::new(&mut rows, 32, 1), &memory).unwrap();
        assert!(caches.execute_known(&call(5, &second), &mut Wave::new(&mut rows, 32, 1)).is_some());
        assert!(caches.execute_known(&known, &mut Wave::new(&mut rows, 32, 1)).is_some());
    }

    // images.md 5.4: the driver's table may change between calls
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_call_with_a_border_is_known_unless_its_color_is_in_memory() {
        use crate::descriptor::{Border, ImageDescriptor, ImageType, SamplerDescriptor};
        use crate::format::FormatNumber;
        use crate::memory::FlatMemory;
        if wavejit_isa::HostLevel::get() == wavejit_isa::HostLevel::Baseline {
            return;
        }
        let mut d = ImageDescriptor::new(Generation::Gfx11, ImageType::Dim2, FormatNumber::Unified(22), 16, 16); // 32_FLOAT
        d.base = 0x1_0000;
        let memory = FlatMemory::new(0x1_0000, vec![0; 1 << 16]);
        let op = ImageOp { dmask: 1, ..ImageOp::new(Kind::named("image_sample_lz").unwrap().0, Generation::Gfx11, Dim::D2) };
        let operands = Operands { address: &[0, 1], source: &[], result: &[2] };
        let config = ImageConfig { border_colors: 0x1_8000, ..ImageConfig::default() };
        for (border, want, is_known) in [(Border::OpaqueWhite, 1.0_f32.to_bits(), true), (Border::Table(2), 0, false)] {
            let s = SamplerDescriptor { clamp: [6; 3], border, ..SamplerDescriptor::new(Generation::Gfx11) };
            let (t, s) = (d.encode().expect("a T#"), s.encode().expect("an S#"));
            let words: [u64; 12] = std::array::from_fn(|n| if n < 8 { t[n] } else { s[n - 8] }.into());
            let call = SiteCall { site: 1, op: &op, words: &words, window: [0, 0x1_0000, 1 << 16], operands: &operands };
            let mut caches = RoutineCaches::default();
            let mut rows = vec![2.0_f32.to_bits(); 3 * 32]; // beyond the right edge
            caches.execute(config, &call, &mut Wave::new(&mut rows, 32, 1), &memory).unwrap();
            let color = std::mem::replace(&mut rows[64], 7);
            assert_eq!(color, want);
            let done = caches.execute_known(&call, &mut Wave::new(&mut rows, 32, 1));
            assert_eq!(done, is_known.then_some(0));
            assert_eq!(rows[64], if is_known { color } else { 7 });
        }
    }
}
