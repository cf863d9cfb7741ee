//! Calls as earlier ones: the same instruction with the same descriptors in the same memory. They go to the vector kernel at once, with nothing
//! decoded, looked up or checked again but the descriptors' words and the window.
//!
//! ```text
//! call site, words of T# and S#, window --place--> Known { .., routine, image }      one for each place: a newer one replaces it
//! ```
//!
//! A place is found by site and image, so that a site that goes from image to image remembers each.

use std::rc::Rc;

use super::address::Operands;
use super::cache::Window;
use super::error::ImageError;
use super::routine::Routine;
use crate::guarded::View;
use crate::{Memory, Wave};

/// Calls that are remembered at most; a power of two.
const PLACES: usize = 256;

/// A call whose descriptors and memory have been seen.
#[derive(Debug)]
struct Known {
    site: usize,
    /// Words of T# and S# that were given.
    words: [u32; 12],
    given: usize,
    window: Window,
    image: View,
    routine: Rc<Result<Routine, ImageError>>,
}

/// Calls that are known, of one thread and one device.
#[derive(Debug, Default)]
pub(super) struct KnownCalls(Vec<Option<Known>>);

/// The place of a call: other images of a site are likely to differ in the low word of the address.
#[inline(always)]
fn place(site: usize, words: &[u64]) -> usize {
    let image = words.first().map_or(0, |&w| w as usize);
    (site.wrapping_mul(0x9e5) ^ image ^ image >> 8) % PLACES
}

impl KnownCalls {
    /// The number of a site decides instruction and device, so that the same words in the same window are the same call.
    #[inline(always)]
    fn find<const N: usize>(&self, site: usize, words: &[u64; N], window: &Window) -> Option<&Known> {
        let known = self.0.get(place(site, words))?.as_ref()?;
        let is_same = known.site == site && known.given == N && known.window == *window;
        // Slots are written dword by dword: compared one by one they come from the store buffer.
        (is_same && words.iter().zip(&known.words).all(|(a, b)| *a as u32 == *b)).then_some(known)
    }

    /// Executes a call that is known: the lanes that are left to the general way. `None`: it is not known.
    #[inline]
    pub(super) fn execute<const N: usize>(
        &self,
        site: usize,
        words: &[u64; N],
        window: &Window,
        operands: &Operands,
        wave: &mut Wave,
    ) -> Option<u64> {
        let known = self.find(site, words, window)?;
        let Ok(routine) = &*known.routine else { return None };
        routine.execute_at(known.image, operands, wave)
    }

    /// Remembers a call, if its routine is one that can be executed at once. `words` are those that were given.
    pub(super) fn remember(
        &mut self,
        site: usize,
        words: &[u64],
        window: Window,
        routine: &Rc<Result<Routine, ImageError>>,
        operands: &Operands,
        memory: &dyn Memory,
    ) {
        let Ok(found) = &**routine else { return };
        let Some(image) = found.image_at_once(operands, memory) else { return };
        if self.0.is_empty() {
            self.0.resize_with(PLACES, || None);
        }
        let mut all = [0; 12];
        all.iter_mut().zip(words).for_each(|(to, from)| *to = *from as u32);
        let known = Known { site, words: all, given: words.len(), window, image, routine: routine.clone() };
        self.0[place(site, words)] = Some(known);
    }
}
