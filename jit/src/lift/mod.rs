//! From machine code to wave IR.
//!
//! [`lift`] never fails: what cannot be decoded or has no semantics becomes a block that ends in `Term::Fail`, an error only if reached.
//!
//! `code` decodes, `cfg` finds the blocks, `blocks` lifts them, `apply` an instruction by its meaning, `count` puts probes between; `cx` fetches operands and
//! writes results. `meaning` turns the text of rows into functions, `sem` gives them the types of their operands (`types`), `rows` holds all of them. Functions that
//! rows name are in the files by topic: `salu`, `exec`, `control`, `valu`, `compare`, `packed`, `wmma`, `swmmac`, `factors`, `crosslane`, `graphics`, `gws`, `texture`, `mem`.
//! `source` says what is lifted and how much.

mod apply;
mod blocks;
mod cfg;
mod code;
mod compare;
mod consts;
mod control;
mod count;
mod crosslane;
mod cx;
mod exec;
mod factors;
mod graphics;
mod gws;
#[doc(hidden)] // for the examples of what does not compile
pub mod meaning;
mod mem;
mod packed;
mod rows;
mod salu;
mod sem;
mod source;
mod swmmac;
mod texture;
mod types;
mod valu;
mod wmma;

#[cfg(test)]
mod tests;

pub use code::CodeRead;
use count::Spans;
pub use rows::has_semantics;
pub use source::{ALL_VGPRS, LiftSource, Limits, Plan, Stopped};
use wavejit_ir::{FpMode, Func, Term};

/// A function, and what it was made of.
#[derive(Debug)]
pub struct Lifted {
    /// The function.
    pub func: Func,
    /// All of the code that it depends on.
    pub code: CodeRead,
    /// Where waves go on in other functions, in order, for all that is known now: at the ends of this one, and behind its calls. Guest addresses as lifted.
    pub ways_on: Vec<(u64, FpMode)>,
    /// It calls functions.
    pub has_calls: bool,
    /// With probes: of each counter, by its number, the guest addresses of the instructions that it counts, as lifted.
    pub counted: Vec<Vec<u64>>,
}

/// Lifts code from `src.entry` on, as much of what is reachable as [`Limits::WHOLE`] allows.
pub fn lift(src: &LiftSource) -> Func {
    lift_piece(src, Limits::WHOLE, &|| false).expect("nobody stops it").func
}

/// Lifts code from `src.entry` on, as much of what is reachable as `limits` allow. Asks `stop` now and then whether to go on.
pub fn lift_piece(src: &LiftSource, limits: Limits, stop: &dyn Fn() -> bool) -> Result<Lifted, Stopped> {
    lift_as(src, &Plan::new(limits), stop)
}

/// As [`lift_piece`], with probes that count executions and active lanes of every instruction ([`Lifted::counted`]).
pub fn lift_counted(src: &LiftSource, limits: Limits, stop: &dyn Fn() -> bool) -> Result<Lifted, Stopped> {
    lift_as(src, &Plan { counted: true, ..Plan::new(limits) }, stop)
}

/// Lifts code from `src.entry` on. Asks `stop` now and then whether to go on.
pub fn lift_as(src: &LiftSource, plan: &Plan, stop: &dyn Fn() -> bool) -> Result<Lifted, Stopped> {
    let entry = (src.entry & !3, src.mode);
    let mut limits = plan.limits;
    loop {
        let found = cfg::Discovery::run(code::Code::new(src), entry, plan, limits, stop)?;
        let mut spans = plan.counted.then(Spans::default);
        let func = blocks::lift(&found, &found.reachable(entry), spans.as_mut(), stop)?;
        if func.types.len() <= limits.values as usize || limits.insts <= Limits::FEW {
            let ends = func.blocks.iter().filter(|b| matches!(b.term, Term::Leave { .. })).map(|b| (b.pc, b.mode));
            let mut ways_on: Vec<(u64, FpMode)> = ends.chain(found.calls.iter().copied()).collect();
            ways_on.sort_unstable();
            ways_on.dedup();
            let has_calls = !found.calls.is_empty();
            return Ok(Lifted { func, has_calls, code: found.code.dwords_read(), ways_on, counted: spans.unwrap_or_default().all });
        }
        limits.insts = (func.guest_insts() / 2).min(limits.insts / 2).max(Limits::FEW);
    }
}
