//! Routines of image instructions, kept by device and thread.

use std::cell::RefCell;
use std::rc::Rc;
use wavejit_texture::image::{ImageConfig, RoutineCache};

/// Routines of image instructions, by what the device says of images: those that one thread has used on one device.
#[derive(Debug, Default)]
pub struct Routines {
    caches: Vec<(ImageConfig, RoutineCache)>,
}

/// Routines with the waves that use them, all on one thread.
pub(crate) type SharedRoutines = Rc<RefCell<Routines>>;

impl Routines {
    /// How many there are.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.caches.iter().map(|c| c.1.len()).sum()
    }

    /// Those of a device that says this of images.
    pub fn of(&mut self, config: ImageConfig) -> &mut RoutineCache {
        let at = self.caches.iter().position(|c| c.0 == config).unwrap_or_else(|| {
            self.caches.push((config, RoutineCache::new(config)));
            self.caches.len() - 1
        });
        &mut self.caches[at].1
    }
}
