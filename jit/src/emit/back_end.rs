//! What a region back end is: the trait, what it is asked to compile, what it gives back.
//!
//! A region is compiled as `extern "C" fn(*mut WaveState)` or, for a loop, `extern "C" fn(*mut WaveState) -> u32`:
//!
//! - a *line*, the steps of one block between two operations it may not contain (see [`crate::region`]). Masks and scalars come in
//!   `slots`, masks go out there; lane values are in rows.
//! - a *loop*, a [`Piece`] of the control-flow graph with one entry. All registers are in the state when it is entered and when it returns;
//!   the result says where it left: the index of a successor in [`Piece::exits`], then [`Piece::out_of_fuel`], then [`Piece::fault`].
//!   It counts down the fuel as the skeleton does: pay for each block entered, test on the way back to the entry.
//!
//! Several back ends can work on one function. Each region goes to the first that takes all of it; a region is not begun with operations
//! that no single back end takes together.

use super::{CodegenSession, EmitError};
use crate::region::{Piece, Plan, Region};
use cranelift_module::FuncId;
use rustc_hash::FxHashMap;
use wavejit_ir::{Block, BlockId, Func, Op, Value};

/// What to compile.
pub(crate) enum RegionJob<'a> {
    /// Part of one block.
    Line {
        func: &'a Func,
        block: BlockId,
        plan: &'a Plan,
        /// Index of the defining instruction of each value of the block.
        defs: &'a FxHashMap<Value, usize>,
        region: &'a Region,
        /// For each instruction of the block: must a `VSet` keep the other lanes?
        blend: &'a [bool],
    },
    /// A loop.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by back ends that accept loops; the Cranelift one does not"))]
    Loop { func: &'a Func, piece: &'a Piece },
}

/// A compiled region.
#[derive(Clone, Copy)]
pub(crate) enum RegionCode {
    /// A function of the module.
    Function(FuncId),
    /// Code the back end placed itself; it lives as long as the back end says so.
    #[cfg_attr(not(test), expect(dead_code, reason = "for back ends that emit without Cranelift"))]
    Address(usize),
}

/// Compiles regions.
pub(crate) trait RegionBackend {
    /// May this lane operation be part of a line? `def` gives the defining instruction of a value in `block`.
    fn accepts(&self, op: &Op, def: &dyn Fn(Value) -> Option<usize>, block: &Block) -> bool;

    /// Will it take this loop as a whole?
    fn accepts_loop(&self, _func: &Func, _piece: &Piece) -> bool {
        false
    }

    /// Compiles what it accepted.
    fn compile(&mut self, job: &RegionJob, session: &mut CodegenSession) -> Result<RegionCode, EmitError>;
}
