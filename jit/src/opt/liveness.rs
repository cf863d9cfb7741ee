//! What lives between blocks, lane by lane, and which writes nobody reads.
//!
//! Scalar registers: ordinary backward liveness. VGPRs need two sets, because EXEC decides which lanes a write reaches:
//!
//! - `active`: rows that some lane of the *current* EXEC may read before that lane writes them;
//! - `resting`: rows that some lane *outside* the current EXEC may read when it is active again.
//!
//! Backward over an instruction: a read under EXEC adds to `active` (a read of all lanes to both); a write under EXEC removes from
//! `active`. Over a change of EXEC that only takes lanes away, the lanes before are those that stay and those that rest:
//! `active |= resting`. Over one that only adds lanes, the added ones were resting: `resting |= active`. Over any other change, both.
//!
//! A write under EXEC is dead if its row is not in `active` after it. It needs no blend with the old row, so that a full-width store is
//! right, if its row is not in `resting` after it: that is [`VgprLiveness::blend`]; `initial_lanes` knows more, and of both `lane_states` in loops.
//! Getting this wrong is silent corruption, so random programs with random EXEC compare against the interpreter, which knows nothing of it.

use super::initial_lanes::{self, InitialLanes};
use super::places::Places;
use super::{OptOptions, dead, lane_states, masks};
use serde::{Deserialize, Serialize};
use wavejit_ir::{Block, Func, Inst, Op, SReg, Term, Value};

/// A set of up to 512 rows.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Rows([u64; 8]);

impl Rows {
    /// All of them: VGPRs, then AGPRs.
    pub const ALL: Rows = Rows([u64::MAX; 8]);
    const NONE: Rows = Rows([0; 8]);
    /// The first `n`.
    pub fn first(n: u32) -> Rows {
        Rows(std::array::from_fn(|i| match n.saturating_sub(64 * i as u32) {
            64.. => u64::MAX,
            left => (1 << left) - 1,
        }))
    }
    /// Those that are in `o` too.
    pub fn within(&self, o: &Rows) -> Rows {
        Rows(std::array::from_fn(|i| self.0[i] & o.0[i]))
    }
    /// Runs of neighboring members: the first, and how many.
    pub fn runs(&self) -> impl Iterator<Item = (u16, u16)> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            let start = self.next(at, false)?;
            at = self.next(start, true).unwrap_or(512);
            Some((start, at - start))
        })
    }
    /// The first row from `at` on that is in it; that is not, if `flipped`.
    fn next(&self, at: u16, flipped: bool) -> Option<u16> {
        let word = |i: usize| if flipped { !self.0[i] } else { self.0[i] };
        let first = usize::from(at >> 6);
        let from_at = |i: usize| if i == first { word(i) >> (at & 63) << (at & 63) } else { word(i) };
        (first..8).map(|i| (i, from_at(i))).find(|(_, w)| *w != 0).map(|(i, w)| 64 * i as u16 + w.trailing_zeros() as u16)
    }
    /// Is row `r` in it?
    pub fn has(&self, r: u16) -> bool {
        self.0[usize::from(r >> 6)] >> (r & 63) & 1 != 0
    }
    pub(crate) fn add(&mut self, r: u16) {
        self.0[usize::from(r >> 6)] |= 1 << (r & 63);
    }
    fn remove(&mut self, r: u16) {
        self.0[usize::from(r >> 6)] &= !(1 << (r & 63));
    }
    fn join(&mut self, o: &Rows) {
        for (a, b) in self.0.iter_mut().zip(o.0) {
            *a |= b;
        }
    }
}

/// A set of scalar registers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct SRegs([u64; 3]);

impl SRegs {
    /// All of them.
    pub const ALL: SRegs = SRegs([u64::MAX; 3]);
    /// Is `r` in it?
    pub fn has(&self, r: SReg) -> bool {
        self.0[usize::from(r.0 >> 6)] >> (r.0 & 63) & 1 != 0
    }
    /// Those that are in `o` too.
    pub fn within(&self, o: &SRegs) -> SRegs {
        SRegs(std::array::from_fn(|i| self.0[i] & o.0[i]))
    }
    /// Puts `r` in.
    pub fn add(&mut self, r: SReg) {
        self.0[usize::from(r.0 >> 6)] |= 1 << (r.0 & 63);
    }
    fn remove(&mut self, r: SReg) {
        self.0[usize::from(r.0 >> 6)] &= !(1 << (r.0 & 63));
    }
    /// Adds all of `o`.
    pub fn join(&mut self, o: &SRegs) {
        for (a, b) in self.0.iter_mut().zip(o.0) {
            *a |= b;
        }
    }
    /// Its members.
    pub fn iter(&self) -> impl Iterator<Item = SReg> + '_ {
        (0..SReg::COUNT as u8).map(SReg).filter(|r| self.has(*r))
    }
}

/// Rows that live at a point.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Lanes {
    pub(super) active: Rows,
    pub(super) resting: Rows,
}

fn leaves_function(t: &Term) -> bool {
    matches!(t, Term::Indirect { .. } | Term::Leave { .. } | Term::NewMode { .. } | Term::Trap { .. })
}

fn ends(t: &Term) -> bool {
    matches!(t, Term::End | Term::Fail(_))
}

/// Every register lives at the end of a block that ends so.
pub(super) fn leaves_everything_live(t: &Term, opts: OptOptions) -> bool {
    leaves_function(t) || ends(t) && opts.keep_final_state
}

/// What is live somewhere: sets whose members do not depend on each other.
trait Live: Copy + PartialEq + Default + 'static {
    /// All in one of the sets it is made of, nothing in the others; one after the other.
    const UNITS: &'static [Self];
    fn join(&mut self, o: &Self);
    /// `result`, which a step makes of `unit`, as far as this has what the unit has.
    fn share(&self, unit: usize, result: &Self) -> Self;
}

impl Live for SRegs {
    const UNITS: &'static [SRegs] = &[SRegs::ALL];
    fn join(&mut self, o: &SRegs) {
        SRegs::join(self, o);
    }
    fn share(&self, _: usize, result: &SRegs) -> SRegs {
        self.within(result)
    }
}

impl Live for Lanes {
    const UNITS: &'static [Lanes] = &[Lanes { active: Rows::ALL, resting: Rows::NONE }, Lanes { active: Rows::NONE, resting: Rows::ALL }];
    fn join(&mut self, o: &Lanes) {
        self.active.join(&o.active);
        self.resting.join(&o.resting);
    }
    fn share(&self, unit: usize, result: &Lanes) -> Lanes {
        let has = [&self.active, &self.resting][unit];
        Lanes { active: result.active.within(has), resting: result.resting.within(has) }
    }
}

/// Solves a backward problem: `transfer(block index, states)` takes states at the block's end to those at its start, each by itself. A transfer treats
/// every register by itself, and what it makes of two states together is what it makes of one and the other. So it is tried once on nothing and on
/// each unit, and the loops of the function are gone round with what it made of those.
fn solve<S: Live>(func: &Func, at_exit: impl Fn(&Term) -> S, transfer: impl Fn(usize, &mut [S])) -> (Vec<S>, Vec<S>) {
    let n = func.blocks.len();
    // By block: of nothing, then of each unit.
    let tries = 1 + S::UNITS.len();
    let mut made = vec![S::default(); n * tries];
    for (i, made) in made.chunks_mut(tries).enumerate() {
        made[1..].copy_from_slice(S::UNITS);
        transfer(i, made);
    }
    let (mut starts, mut stops) = (vec![S::default(); n], vec![S::default(); n]);
    let mut changed = true;
    while changed {
        changed = false;
        for i in (0..n).rev() {
            let t = &func.blocks[i].term;
            let mut stop = at_exit(t);
            t.for_each_successor(|succ| stop.join(&starts[succ.0 as usize]));
            let (of_nothing, of_units) = made[i * tries..][..tries].split_first().expect("it is tried on nothing");
            let mut start = *of_nothing;
            for (unit, result) in of_units.iter().enumerate() {
                start.join(&stop.share(unit, result));
            }
            stops[i] = stop;
            if start != starts[i] {
                starts[i] = start;
                changed = true;
            }
        }
    }
    let is_start_of = |i: usize| {
        let mut state = [stops[i]];
        transfer(i, &mut state);
        state[0] == starts[i]
    };
    debug_assert!((0..n).all(is_start_of), "transfers treat registers one by one");
    (starts, stops)
}

/// Scalar registers read before they are written, at the start of each block.
pub fn sregs_live_in(func: &Func, opts: OptOptions) -> Vec<SRegs> {
    solve_sregs(func, opts).0
}

/// Registers in which a wave may find at its start what an earlier one of the same storage left: the function may change them, and look at them
/// before it has written them. Who starts a wave where another has been needs to set no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spoiled {
    /// Scalar registers.
    pub sregs: SRegs,
    /// Rows.
    pub rows: Rows,
}

impl Spoiled {
    /// All of them.
    pub const ALL: Spoiled = Spoiled { sregs: SRegs::ALL, rows: Rows::ALL };

    /// Looks at a whole function.
    pub fn new(func: &Func, opts: OptOptions, lanes: &VgprLiveness) -> Spoiled {
        let mut read = sregs_live_in(func, opts)[0];
        let (mut sregs, mut rows) = (SRegs::default(), Rows::default());
        for inst in func.blocks.iter().flat_map(|b| &b.insts) {
            match inst.op {
                Op::SSet(r, _) => sregs.add(r),
                Op::ExecSet(_) => [SReg::EXEC_LO, SReg::EXEC_HI].into_iter().for_each(|r| sregs.add(r)),
                Op::SSetRel { .. } | Op::SetReg { .. } => sregs = SRegs::ALL,
                Op::SendMsg { .. } => sregs.add(SReg::STATUS),
                // The run time looks at registers, too.
                Op::GetReg { .. } => read = SRegs::ALL,
                Op::VSet { reg, .. } => rows.add(reg.0),
                Op::VSetRel { .. } => rows = Rows::ALL,
                _ => {}
            }
        }
        // EXEC is read by other operations than the rest, hardware registers by the run time.
        (SReg::EXEC_LO.0..SReg::COUNT as u8).filter(|r| *r != SReg::SCC.0).for_each(|r| read.add(SReg(r)));
        Spoiled { sregs: sregs.within(&read), rows: rows.within(&lanes.read_first()) }
    }
}

fn solve_sregs(func: &Func, opts: OptOptions) -> (Vec<SRegs>, Vec<SRegs>) {
    solve(
        func,
        |t| if leaves_everything_live(t, opts) { SRegs::ALL } else { SRegs::default() },
        |i, states| {
            for inst in func.blocks[i].insts.iter().rev() {
                match inst.op {
                    Op::SSet(r, _) => states.iter_mut().for_each(|s| s.remove(r)),
                    Op::SGet(r) => states.iter_mut().for_each(|s| s.add(r)),
                    Op::SGetRel { .. } => states.fill(SRegs::ALL),
                    _ => {}
                }
            }
        },
    )
}

/// Lane liveness at the starts and ends of blocks. `whole`, in order: writes, by block and instruction, of all lanes of which anybody sees what they have in
/// the row.
fn solve_lanes(func: &Func, opts: OptOptions, places: &Places, whole: &[(usize, usize)]) -> (Vec<Lanes>, Vec<Lanes>) {
    let all = Lanes { active: Rows::ALL, resting: Rows::ALL };
    solve(
        func,
        |t| if leaves_everything_live(t, opts) { all } else { Lanes::default() },
        |i, states| {
            let block = &func.blocks[i];
            for (k, (inst, cur)) in block.insts.iter().zip(exec_before(block)).enumerate().rev() {
                lane_step(states, inst, cur, is_whole(whole, i, k), &|v| places.pure(block, v));
            }
        },
    )
}

fn is_whole(whole: &[(usize, usize)], block: usize, inst: usize) -> bool {
    whole.binary_search(&(block, inst)).is_ok()
}

/// One step of the lane problem, backward over `inst`, for each state. `cur` is the value EXEC has before it; `is_whole`: as for [`solve_lanes`].
fn lane_step(states: &mut [Lanes], inst: &Inst, cur: Option<Value>, is_whole: bool, defs: masks::Defs) {
    let within = |m: Value| cur.is_some_and(|c| masks::is_subset(defs, m, c));
    match &inst.op {
        Op::VSet { reg, .. } if is_whole => states.iter_mut().for_each(|l| {
            l.active.remove(reg.0);
            l.resting.remove(reg.0);
        }),
        Op::VSet { reg, exec, .. } if Some(*exec) == cur => states.iter_mut().for_each(|l| l.active.remove(reg.0)),
        Op::VGet { reg, demand } => {
            let rests = !demand.is_some_and(within);
            for l in states {
                l.active.add(reg.0);
                if rests {
                    l.resting.add(reg.0);
                }
            }
        }
        Op::VGetRel { .. } => states.fill(Lanes { active: Rows::ALL, resting: Rows::ALL }),
        Op::ExecSet(x) => {
            let (narrower, wider) = (within(*x), cur.is_some_and(|c| masks::is_subset(defs, c, *x)));
            for l in states {
                let mut both = l.active;
                both.join(&l.resting);
                if !wider {
                    l.active = both;
                }
                if !narrower {
                    l.resting = both;
                }
            }
        }
        _ => {}
    }
}

/// Value of EXEC before each instruction of a block, where it has a name.
fn exec_before(block: &Block) -> Vec<Option<Value>> {
    // The first ExecGet names EXEC from the start, wherever it stands, if no ExecSet comes before it.
    let first = block.insts.iter().find_map(|i| match i.op {
        Op::ExecGet => Some(Some(i.first)),
        Op::ExecSet(_) => Some(None),
        _ => None,
    });
    let mut cur = first.flatten();
    block
        .insts
        .iter()
        .map(|i| {
            let before = cur;
            if let Op::ExecSet(x) = i.op {
                cur = Some(x);
            }
            before
        })
        .collect()
}

/// Lane liveness of a function.
pub struct VgprLiveness {
    starts: Vec<Lanes>,
    stops: Vec<Lanes>,
    places: Places,
    /// By block and instruction: must its write keep the lanes outside its mask?
    blends: Vec<Vec<bool>>,
    /// Where that is of use, what the lanes that are on at the beginning may be in.
    pub(super) initial: Option<InitialLanes>,
    /// Do lanes that were off when the function was entered stay off, in a wave of 32? Then nobody sees what an operation gives in these.
    pub(super) stay_off: bool,
}

impl VgprLiveness {
    /// Solves it.
    pub fn new(func: &Func, opts: OptOptions) -> Self {
        let places = Places::new(func);
        let (starts, stops) = solve_lanes(func, opts, &places, &[]);
        VgprLiveness { starts, stops, places, blends: vec![], initial: None, stay_off: false }
    }

    /// The same with [`Self::blend`], for which loops are looked at lane by lane.
    pub fn with_blends(mut self, func: &Func, opts: OptOptions) -> Self {
        self.find_blends(func, &[]);
        self.initial = InitialLanes::new(func, opts, &self.blends);
        self.stay_off = self.initial.as_ref().map_or_else(|| initial_lanes::leaves_exec(func, opts), InitialLanes::stay_off);
        let whole: Vec<_> = self.initial.iter().flat_map(InitialLanes::whole_writes).copied().collect();
        if whole.iter().any(|(block, inst)| self.blends[*block][*inst]) {
            // Nobody sees what was in the row before such a write.
            (self.starts, self.stops) = solve_lanes(func, opts, &self.places, &whole);
            self.find_blends(func, &whole);
            whole.iter().for_each(|(block, inst)| self.blends[*block][*inst] = false);
        }
        for (block, inst) in lane_states::look_at_writes(func, &self.starts, opts, &self.blends).whole {
            self.blends[block][inst] = false;
        }
        self
    }

    fn find_blends(&mut self, func: &Func, whole: &[(usize, usize)]) {
        self.blends = (0..func.blocks.len()).map(|i| self.writes(func, i, whole).into_iter().map(|w| w.1).collect()).collect();
    }

    /// Of the same function.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// How many rows live at the start of a block.
    pub(super) fn rows_at_start(&self, block: usize) -> u32 {
        let Lanes { active, resting } = &self.starts[block];
        active.0.iter().zip(resting.0).map(|(a, r)| (a | r).count_ones()).sum()
    }

    /// Rows of which the function, entered at its beginning, may read a lane that it has not written.
    pub fn read_first(&self) -> Rows {
        let start = self.starts.first().copied().unwrap_or_default();
        let mut rows = start.active;
        rows.join(&start.resting);
        rows
    }

    /// For each instruction of block `i`: (its write is read by somebody, its write must
    /// keep the other lanes). Both true for instructions that are not `VSet`. `whole`: as for [`solve_lanes`].
    fn writes(&self, func: &Func, i: usize, whole: &[(usize, usize)]) -> Vec<(bool, bool)> {
        let block = &func.blocks[i];
        let exec = exec_before(block);
        let defs = |v: Value| self.places.pure(block, v);
        let mut l = [self.stops[i]];
        let mut out = vec![(true, true); block.insts.len()];
        for (k, inst) in block.insts.iter().enumerate().rev() {
            if let Op::VSet { reg, exec: e, .. } = inst.op {
                let inside = exec[k].is_some_and(|c| masks::is_subset(&defs, e, c));
                let [Lanes { active, resting }] = &l;
                let live = active.has(reg.0) || !inside && resting.has(reg.0);
                // Lanes of EXEC that a narrower write leaves alone may be read too.
                let keeps = resting.has(reg.0) || Some(e) != exec[k] && active.has(reg.0);
                out[k] = (live, keeps);
            }
            lane_step(&mut l, inst, exec[k], is_whole(whole, i, k), &defs);
        }
        out
    }

    /// A write need not keep the lanes outside its mask after all.
    pub(super) fn write_whole(&mut self, block: usize, inst: usize) {
        self.blends[block][inst] = false;
    }

    /// For each instruction of block `i`: must a `VSet` there keep the lanes outside its mask? To be asked after [`Self::with_blends`], or after
    /// [`Strides::new`](super::strides::Strides::new), which may find more that need not.
    pub fn blend(&self, i: usize) -> &[bool] {
        &self.blends[i]
    }
}

/// The message that asks for room for exported vertices and primitives.
const GS_ALLOC_REQ: u16 = 9;

/// Blocks of a function of which it is worth while to ask which writes in loops nobody reads: those of more are run seldom, most of them (device libraries).
const FEW_BLOCKS: usize = 96;

/// Removes register writes that nobody reads.
pub fn drop_dead_writes(func: &mut Func, opts: OptOptions) {
    let (_, stops) = solve_sregs(func, opts);
    for (b, stop) in func.blocks.iter_mut().zip(&stops) {
        let mut live = *stop;
        let mut keep = vec![true; b.insts.len()];
        let mut is_last = matches!(b.term, Term::End) && !opts.keep_final_state;
        for (i, inst) in b.insts.iter().enumerate().rev() {
            match inst.op {
                // Hardware registers are read by the run time.
                Op::SSet(r, _) if r.0 <= SReg::SCC.0 && !live.has(r) => keep[i] = false,
                Op::SSet(r, _) => live.remove(r),
                Op::SGet(r) => live.add(r),
                Op::SGetRel { .. } => live = SRegs::ALL,
                // What messages change only the run time shows, but for those about room for exports.
                Op::SendMsg { simm, .. } if is_last && simm & 15 != GS_ALLOC_REQ => keep[i] = false,
                // STATUS shows SCC and VCC.
                Op::GetReg { .. } => (live, is_last) = (SRegs::ALL, false),
                Op::Probe { .. } => is_last = false,
                _ => {}
            }
        }
        dead::retain(b, keep.into_iter());
    }
    dead::run(func);
    let lanes = VgprLiveness::new(func, opts);
    let mut keeps = vec![];
    for i in 0..func.blocks.len() {
        let mut writes = lanes.writes(func, i, &[]);
        dead::retain(&mut func.blocks[i], writes.iter().map(|w| w.0));
        writes.retain(|w| w.0);
        keeps.push(writes.into_iter().map(|w| w.1).collect::<Vec<bool>>());
    }
    if func.blocks.len() > FEW_BLOCKS {
        return;
    }
    let unread = lane_states::look_at_writes(func, &lanes.starts, opts, &keeps).dead;
    if !unread.is_empty() {
        for (b, block) in func.blocks.iter_mut().enumerate() {
            dead::retain(block, (0..).map(|at| !unread.contains(&(b, at))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_block_is_walked_a_few_times_however_deep_the_loops_around_it_are() {
        use std::fmt::Write;
        // n loops, one in the other; s0 is read behind the innermost's header only.
        let n = 100;
        let mut text = "func \"f\" wave32 {\n".to_string();
        for i in 0..n {
            let read = if i == n - 1 { " %0: s32 = sget s0\n" } else { "" };
            writeln!(text, "b{i} pc={} mode=0 insts=1:\n{read} jump b{}", 4 * i, i + 1).unwrap();
        }
        for i in 0..n {
            let (at, c) = (n + i, i + 1);
            writeln!(text, "b{at} pc={} mode=0 insts=1:\n %{c}: s1 = sget scc\n branch %{c}, b{}, b{}", 4 * at, n - 1 - i, at + 1).unwrap();
        }
        writeln!(text, "b{} pc={} mode=0 insts=1:\n end\n}}", 2 * n, 8 * n).unwrap();
        let func = wavejit_ir::text::parse(&text).unwrap();
        let walks = Cell::new(0);
        let (starts, _) = solve(
            &func,
            |_| SRegs::default(),
            |i, states: &mut [SRegs]| {
                walks.set(walks.get() + 1);
                if i == n - 1 {
                    states.iter_mut().for_each(|s| s.add(SReg(0)));
                }
            },
        );
        assert!((0..2 * n).all(|i| starts[i].has(SReg(0))) && !starts[2 * n].has(SReg(0)));
        // Once for all, and once for the assertion.
        assert!(walks.get() <= 2 * (2 * n + 1), "{}", walks.get());
    }

    #[test]
    fn what_is_written_again_in_all_lanes_that_read_it_is_dropped() {
        // A loop narrows EXEC and puts back what it saved; then it writes v1, reads it, and writes it once more.
        let writes = |in_loop: &str, behind: &str| {
            let text = format!(
                "func \"f\" wave32 {{
b0 pc=0 mode=0x3f0 insts=1:
 jump b1
b1 pc=4 mode=0x3f0 insts=1:
 %1: mask = exec
 %2: s64 = maskbits %1
 %3: s32 = lo.64 %2
 sset s0, %3
 %4: l32 = vget v3 demand %1
 %5: mask = slt.32 %4, %4
 %6: mask = and.1 %1, %5
 setexec %6
 {in_loop}
 jump b2
b2 pc=8 mode=0x3f0 insts=1:
 %10: mask = exec
 %11: s32 = sget s0
 %12: s64 = zext.64 %11
 %13: mask = bitsmask %12
 %14: mask = or.1 %10, %13
 setexec %14
 %15: l32 = vget v3 demand %14
 vset v1, %15, exec %14
 %16: l32 = vget v1 demand %14
 store lds.b32 [lane %16], %16, exec %14
 vset v1, %16, exec %14
 %17: s1 = sget scc
 branch %17, b1, b3
b3 pc=12 mode=0x3f0 insts=1:
 %20: mask = exec
 {behind}
 end
}}"
            );
            let mut func = wavejit_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
            drop_dead_writes(&mut func, OptOptions::default());
            wavejit_ir::verify::verify(&func).unwrap();
            func.blocks[2].insts.iter().filter(|inst| matches!(inst.op, Op::VSet { .. })).count()
        };
        assert_eq!(writes("", ""), 1);
        assert_eq!(writes("%7: l32 = vget v1 demand %6\nstore lds.b32 [lane %7], %7, exec %6", ""), 2);
        assert_eq!(writes("", "%21: l32 = vget v1 demand %20\nstore lds.b32 [lane %21], %21, exec %20"), 2);
    }

    #[test]
    fn what_status_shows_is_written_before_it_is_read() {
        let text = "func \"f\" wave32 {\nb0 pc=0 mode=0 insts=3:\n %0: s1 = const.1 1\n %1: s1 = const.1 0\n sset scc, %1\n sset scc, %0\n \
                    %2: s32 = getreg 2\n sset scc, %1\n sset s0, %2\n end\n}\n";
        let mut func = wavejit_ir::text::parse(text).unwrap();
        drop_dead_writes(&mut func, OptOptions { keep_final_state: true, ..OptOptions::default() });
        let written: Vec<u32> =
            func.blocks[0].insts.iter().filter_map(|i| if let Op::SSet(_, v) = i.op { Some(v.0) } else { None }).collect();
        // The first is written over before anybody looks.
        assert_eq!(written, [0, 1, 2]);
    }

    #[test]
    fn runs_of_rows_are_whole_and_apart() {
        let rows = |of: &[u16]| of.iter().fold(Rows::default(), |mut rows, r| (rows.add(*r), rows).1);
        let runs = |rows: Rows| rows.runs().collect::<Vec<_>>();
        assert_eq!(runs(Rows::default()), []);
        assert_eq!(runs(Rows::ALL), [(0, 512)]);
        assert_eq!(runs(rows(&[0, 1, 2, 5, 63, 64, 65, 127, 129, 511])), [(0, 3), (5, 1), (63, 3), (127, 1), (129, 1), (511, 1)]);
        for n in [0, 1, 24, 63, 64, 65, 128, 256, 511, 512, 600] {
            let expected = if n == 0 { vec![] } else { vec![(0, n.min(512) as u16)] };
            assert_eq!(runs(Rows::first(n)), expected);
            assert_eq!(runs(Rows::first(n).within(&rows(&[0, 511]))).len(), usize::from(n > 0) + usize::from(n > 511));
        }
    }
}
