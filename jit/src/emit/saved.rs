//! Compiled functions as bytes, to be loaded by another process of the same build on a processor of the same kind ([`Compiled::load`]).
//!
//! Code of the wide back end refers to itself by distances. The few addresses in it are listed, and written anew where it is loaded. What
//! cannot be saved: functions of Cranelift's, and those that call for resources.

use super::wide::{self, Place};
use super::{Compiled, EmitError, Pinned, host_features};
use crate::code_memory::{self, CodeMap};
use crate::opt::liveness::{Rows, Spoiled};
use serde::{Deserialize, Serialize};
use wavejit_ir::abi::{EntryFn, MemOp, ProbeCall};

/// All of it but the code, which follows.
#[derive(Serialize, Deserialize)]
pub(super) struct Head {
    pub map: Vec<(u32, u64)>,
    pub recover: Vec<(u32, u32)>,
    pub temp_rows: u32,
    pub read_first: Rows,
    pub spoiled: Spoiled,
    pub mem_ops: Vec<MemOp>,
    pub probe_calls: Vec<ProbeCall>,
    pub sources: Vec<[u16; 8]>,
    pub places: Vec<Place>,
}

impl Head {
    /// The head and the code.
    pub(super) fn followed_by(&self, code: &[u8]) -> Option<Vec<u8>> {
        let mut bytes = postcard::to_allocvec(self).ok()?;
        bytes.extend_from_slice(code);
        Some(bytes)
    }
}

/// What saved code depends on beside the build: two hosts that give the same may run each other's.
pub fn host_key() -> String {
    format!("{:?} {:?}", wide::host_key(), host_features())
}

impl Compiled {
    /// The function as bytes, for [`Compiled::load`], if it was compiled with [`savable`](super::EmitOptions::savable) and can be.
    pub fn take_saved(&mut self) -> Option<Vec<u8>> {
        self.saved.take()
    }

    /// Loads what [`Compiled::take_saved`] gave. `None` if the bytes are not such.
    ///
    /// # Safety
    /// The bytes come from the same build of this library, on a host of the same [`host_key`], unchanged: they are executed.
    pub unsafe fn load(bytes: &[u8]) -> Option<Result<Compiled, EmitError>> {
        let (head, code) = postcard::take_from_bytes::<Head>(bytes).ok()?;
        let Head { map, recover, temp_rows, read_first, spoiled, mem_ops, probe_calls, sources, places } = head;
        let pinned = Pinned {
            mem_ops: mem_ops.into_iter().map(Box::new).collect(),
            probe_calls: probe_calls.into_iter().map(Box::new).collect(),
            sources: sources.into_iter().map(Box::new).collect(),
            ..Pinned::default()
        };
        let mut code = code.to_vec();
        for Place { low, high, of } in places {
            let value = wide::address(of, &pinned)?.to_le_bytes();
            for (at, half) in [(low, &value[..4]), (high, &value[4..])] {
                code.get_mut(at as usize..)?.get_mut(..4)?.copy_from_slice(half);
            }
        }
        let placed = match code_memory::place(&code, CodeMap::with_recovery(map, recover)) {
            Ok(placed) => placed,
            Err(e) => return Some(Err(e.into())),
        };
        // SAFETY: the caller vouches for the code; it begins with the function's entry, which has exactly this signature and convention.
        let entry = unsafe { std::mem::transmute::<usize, EntryFn>(placed.start()) };
        let code_bytes = code.len();
        Some(Ok(Compiled { entry, temp_rows, read_first, spoiled, code_bytes, placed, pinned, saved: None }))
    }
}
