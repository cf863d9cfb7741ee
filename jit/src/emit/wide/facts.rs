//! What is known of a function before any of it is emitted.

use super::level::Level;
use super::slices::Alive;
use super::{copies, dead_stores, loops, sreg_pairs, steps};
use crate::emit::EmitOptions;
use crate::opt::{
    OptOptions,
    liveness::{SRegs, VgprLiveness},
    strides::Strides,
};
use wavejit_ir::{BlockId, Func, resume_points};

/// Facts of a whole function.
pub(super) struct Facts {
    pub(super) lanes: VgprLiveness,
    /// What the passes kept.
    pub(super) kept: OptOptions,
    pub(super) strides: Strides,
    pub(super) resume: Vec<BlockId>,
    /// By block: those that lead to it.
    pub(super) entered: Vec<Vec<u32>>,
    /// By block: can it come to itself again?
    pub(super) goes_round: Vec<bool>,
    /// By access: how far it moves on in its loop.
    pub(super) steps: steps::Steps,
    /// See [`dead_stores::goes_straight`].
    pub(super) goes_straight: bool,
    pub(super) alive: Alive,
    /// See [`sreg_pairs::read_as_one`].
    pub(super) pairs_read: SRegs,
}

impl Facts {
    pub(super) fn new(func: &Func, opts: &EmitOptions) -> Facts {
        let kept = OptOptions { keep_final_state: opts.keep_final_state, ..OptOptions::default() };
        let mut lanes = VgprLiveness::new(func, kept).with_blends(func, kept);
        let strides = Strides::new(func, &mut lanes, true);
        Facts {
            kept,
            strides,
            resume: resume_points(func),
            entered: copies::entered_from(func),
            goes_straight: dead_stores::goes_straight(func, Level::of(opts), opts.keep_final_state),
            steps: steps::find(func, lanes.places(), &loops::may_keep(func)),
            goes_round: loops::goes_round(func),
            alive: Alive::new(func),
            pairs_read: sreg_pairs::read_as_one(func, lanes.places()),
            lanes,
        }
    }
}
