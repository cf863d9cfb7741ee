//! Programs of raw code that ran, by address: what runs again where it ran before is not translated again.

use super::Program;
use crate::host::sync::Mutex;
use std::sync::Arc;
use wavejit_isa::Gfx;

/// Addresses that a device remembers, each with its program.
const KEPT: usize = 16;

/// Raw code that ran, by address.
#[derive(Default)]
pub(crate) struct RecentPrograms(Mutex<Vec<RecentProgram>>);

struct RecentProgram {
    code: (u64, u64),
    program: Arc<Program>,
}

impl RecentPrograms {
    /// The program at these addresses: the one that ran there before, or a new one.
    pub(crate) fn find(&self, code: (u64, u64), target: Gfx, make: impl FnOnce() -> Arc<Program>) -> Arc<Program> {
        let mut known = self.0.lock();
        let program = match known.iter().position(|p| p.code == code && p.program.target() == target) {
            Some(at) => known.remove(at).program,
            None => make(),
        };
        if known.len() >= KEPT {
            known.remove(0);
        }
        // Most recently used last.
        known.push(RecentProgram { code, program: program.clone() });
        program
    }
}
