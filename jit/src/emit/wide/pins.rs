//! Addresses in code: of what goes with it ([`Pinned`]) and of functions of this library. All of them are noted ([`Pins`]), so that the code
//! can be written to a file and loaded by another process ([`crate::emit::saved`]).

use super::{Wide, rows};
use crate::emit::Pinned;
use serde::{Deserialize, Serialize};
use wavejit_ir::abi::{MemOp, ProbeCall, ResourceCall};
use wavejit_ir::{FpMode, Func, PureOp, rowfn};
use wavejit_x86::{Gpr, Mem, Size};

/// What an address in code is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(in crate::emit) enum Address {
    /// A memory instruction, by number.
    MemOp(u32),
    /// Rows of operands, by number.
    Source(u32),
    /// The function for rows of an operation, by its number in [`PureOp::ALL`], in a mode.
    Row(u16, u16),
    /// The function for scalars.
    Scalar,
    /// A call of a probe or an export, by number.
    Probe(u32),
    /// A resource call, by number: it stands for what is not saved.
    Resource(u32),
}

/// An address in code: where its low and its high half stand.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(in crate::emit) struct Place {
    pub low: u32,
    pub high: u32,
    pub of: Address,
}

/// What code has addresses of, and where these are.
pub(super) struct Pins {
    pinned: Pinned,
    places: Vec<Place>,
    /// There is an address of which the place is not known.
    is_lost: bool,
}

impl Pins {
    /// None yet but for what the code of `func` may have addresses of in any case.
    pub(super) fn of(func: &Func) -> Pins {
        Pins { pinned: Pinned::of(func), places: vec![], is_lost: false }
    }

    pub(super) fn mem_op(&mut self, op: MemOp) -> Address {
        self.pinned.mem_ops.push(Box::new(op));
        Address::MemOp(self.pinned.mem_ops.len() as u32 - 1)
    }

    pub(super) fn source(&mut self, rows: [u16; 8]) -> Address {
        self.pinned.sources.push(Box::new(rows));
        Address::Source(self.pinned.sources.len() as u32 - 1)
    }

    pub(super) fn resource(&mut self, call: ResourceCall) -> Address {
        self.pinned.resource_calls.push(Box::new(call));
        Address::Resource(self.pinned.resource_calls.len() as u32 - 1)
    }

    pub(super) fn probe(&mut self, call: ProbeCall) -> Address {
        self.pinned.probe_calls.push(Box::new(call));
        Address::Probe(self.pinned.probe_calls.len() as u32 - 1)
    }

    /// What goes with the code, and where its addresses are; `None` if it can only run in this process.
    pub(super) fn finish(self) -> (Pinned, Option<Vec<Place>>) {
        let stays = self.is_lost || !self.pinned.resource_calls.is_empty();
        (self.pinned, (!stays).then_some(self.places))
    }
}

/// The function for rows of an operation.
pub(super) fn row_function(op: PureOp, mode: FpMode) -> Address {
    let number = PureOp::ALL.iter().position(|o| *o == op).expect("every operation is listed");
    Address::Row(number as u16, mode.0)
}

/// The address itself, in this process; `None` if there is no such thing.
pub(in crate::emit) fn value(of: Address, pinned: &Pinned) -> Option<u64> {
    fn at<T>(list: &[Box<T>], i: u32) -> Option<u64> {
        list.get(i as usize).map(|x| std::ptr::from_ref::<T>(x) as u64)
    }
    match of {
        Address::MemOp(i) => at(&pinned.mem_ops, i),
        Address::Source(i) => at(&pinned.sources, i),
        Address::Resource(i) => at(&pinned.resource_calls, i),
        Address::Probe(i) => at(&pinned.probe_calls, i),
        Address::Row(op, mode) => PureOp::ALL.get(usize::from(op)).map(|op| rowfn::row_fn(*op, FpMode(mode)) as *const () as u64),
        Address::Scalar => Some(rows::scalar as *const () as u64),
    }
}

impl Wide<'_> {
    fn value(&self, of: Address) -> u64 {
        value(of, &self.pins.pinned).expect("an address of what was pinned")
    }

    /// An address to a register.
    pub(super) fn mov_address(&mut self, to: Gpr, of: Address) {
        let (before, value) = (self.a.offset(), self.value(of));
        self.a.mov_imm(to, value);
        let end = self.a.offset();
        // Addresses that fit 32 bits have a shorter form, which has no room for others.
        if end - before == 10 {
            self.pins.places.push(Place { low: end - 8, high: end - 4, of });
        } else {
            self.pins.is_lost = true;
        }
    }

    /// An address to memory, without a register.
    pub(super) fn store_address(&mut self, to: Mem, of: Address) {
        let value = self.value(of);
        let halves = [value as u32, (value >> 32) as u32];
        let [low, high] = [0, 1].map(|i| {
            self.a.store_imm(Size::D, to.plus(4 * i as i32), halves[i] as i32);
            self.a.offset() - 4
        });
        self.pins.places.push(Place { low, high, of });
    }
}
