//! Writes that need not keep the lanes that are off when the function is entered.
//!
//! Most kernels never turn on a lane that they did not begin with: they narrow EXEC, and put back what they saved. Then nobody sees what such a lane has in a
//! register, and a write of all lanes that were on may write the register as a whole. The last part of a grid aside, that is every lane, and the register keeps what
//! is known of all its lanes ([`super::strides`]).
//!
//! Masks are combined lane by lane, so two lanes stand for all: one that is off at the beginning and one that is on. Of both it is followed through the
//! function in which states ([`super::lane_states`]) they may be: their bits in EXEC, and in the registers that hold masks and are read again.
//!
//! ```text
//! saved = exec; exec &= condition; if no lane is left go to L     saved 1, exec 0 or 1
//! ...
//! L: exec = saved                                                 exec 1: what is written from here on is written as a whole
//! ```
//!
//! A jump says more. Where it leads if no lane is active no lane has a 1 in EXEC. And where it leads if some are, all lanes that were on are active, if EXEC
//! came of nothing but comparisons of values that are one for the wave ([`super::strides`] knows): an `if` that all lanes enter or none, as of a row of a
//! picture.

use super::OptOptions;
use super::hammocks::skips;
use super::lane_states::{Bit, Bits, COUNTING, Points, REGISTERS, States, Walk, states_after};
use super::liveness::{Rows, leaves_everything_live};
use super::mask_registers::{Masks, bit_of, registers, wanted};
use super::worklist::Worklist;
use std::cell::RefCell;
use wavejit_ir::{Block, Func, Ids, Inst, Op, PureOp, SReg, Term, Ty, VReg};

/// Registers that a state has a bit of, beside EXEC and whether the lane was on.
const FOLLOWED: usize = REGISTERS - 1;
/// States with a 1 in EXEC.
const ACTIVE: States = COUNTING[0];
/// States of a lane that was off, and of one that was on.
const LANES: [States; 2] = [!COUNTING[1], COUNTING[1]];

/// What the lanes may have at a block's start.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct At {
    states: States,
    /// Of registers that a state has no bit of: those in which each of the lanes may have a 1, and a 0.
    may_be: [[Masks; 2]; 2],
}

impl At {
    /// At the start of the function.
    const ENTRY: At = At { states: !(ACTIVE ^ LANES[1]), may_be: [[!0; 2]; 2] };

    /// Has a mask all lanes that were on?
    fn is_all(&self, mask: Bit) -> bool {
        !meets(mask.zeros(), self.states & LANES[1])
    }

    /// Either of two. Has that changed anything?
    fn join(&mut self, o: At) -> bool {
        let may_be = std::array::from_fn(|bit| std::array::from_fn(|lane| self.may_be[bit][lane] | o.may_be[bit][lane]));
        let before = std::mem::replace(self, At { states: self.states | o.states, may_be });
        before != *self
    }
}

/// [`At`] the start of a block behind a jump that said more, or behind such a block; None where nothing is known but what [`InitialLanes`] knows anyway.
pub(super) type Refined = Option<At>;

/// What is known on either of two ways. Has that changed anything of `known`?
pub(super) fn join(known: &mut Refined, o: Refined) -> bool {
    match (known.as_mut(), o) {
        (Some(known), Some(o)) => known.join(o),
        (Some(_), None) => known.take().is_some(),
        (None, _) => false,
    }
}

/// What the lanes may have in the blocks of a function.
pub(super) struct InitialLanes {
    halves: Vec<Half>,
    /// Rows of which somebody may see a lane that was off.
    seen: Rows,
    /// Lanes that were off stay off.
    stay_off: bool,
    /// Writes of all lanes that were on, whatever comparisons give, of which nobody sees another: by block and instruction.
    whole: Vec<(usize, usize)>,
    bits: RefCell<Bits>,
}

/// The same of one half of a wave.
struct Half {
    half: usize,
    /// By block: registers at its start that hold masks of which EXEC will come; a state has bits of the first ones.
    wanted: Vec<Vec<SReg>>,
    /// By block, if it is ever reached.
    at: Vec<Option<At>>,
}

/// What a block does to the lanes that come to it.
pub(super) struct Visit {
    /// In the order of [`Term::for_each_successor`].
    ends: Vec<(usize, At)>,
    /// Writes of all lanes that were on, of which nobody sees another.
    whole: Vec<usize>,
}

impl Visit {
    /// Is an instruction such a write?
    pub(super) fn writes_all(&self, inst: usize) -> bool {
        self.whole.binary_search(&inst).is_ok()
    }

    pub(super) fn whole_writes(&self) -> impl Iterator<Item = usize> {
        self.whole.iter().copied()
    }
}

/// May others see all lanes of all rows, or instructions rows that they do not name?
fn sees_others(func: &Func, opts: OptOptions) -> bool {
    let names_all = |inst: &Inst| matches!(inst.op, Op::VGetRel { .. } | Op::VSetRel { .. });
    func.blocks.iter().any(|b| leaves_everything_live(&b.term, opts) || b.insts.iter().any(names_all))
}

/// Is it a function for a wave of 32 that leaves EXEC as it is?
pub(super) fn leaves_exec(func: &Func, opts: OptOptions) -> bool {
    let writes_exec = |inst: &Inst| matches!(inst.op, Op::ExecSet(_));
    func.wave_size == 32 && !func.blocks.iter().flat_map(|b| &b.insts).any(writes_exec) && !sees_others(func, opts)
}

impl InitialLanes {
    /// Looks at a function of whose writes liveness alone knows which must keep other lanes (`keeps`, by block). None where nothing would come of it: no such
    /// writes, and no choices by masks either.
    pub(super) fn new(func: &Func, opts: OptOptions, keeps: &[Vec<bool>]) -> Option<InitialLanes> {
        let insts = || func.blocks.iter().flat_map(|b| &b.insts);
        let is_kept = |(inst, keeps): (&Inst, &bool)| *keeps && matches!(inst.op, Op::VSet { .. });
        let has_kept = func.blocks.iter().zip(keeps).any(|(b, keeps)| b.insts.iter().zip(keeps).any(is_kept));
        let chooses = |inst: &Inst| matches!(inst.op, Op::Pure { op: PureOp::Sel32, .. }) && func.ty(inst.first) == Ty::L32;
        let has_choices = || {
            func.wave_size == 32 && func.ids != Ids::Any && insts().any(|inst| matches!(inst.op, Op::ExecSet(_))) && insts().any(chooses)
        };
        if !has_kept && !has_choices() || sees_others(func, opts) {
            return None;
        }
        let mut bits = Bits::default();
        let halves: Vec<Half> = (0..(func.wave_size as usize).div_ceil(32)).map(|half| Half::new(func, half, &mut bits)).collect();
        let (mut seen, mut stay_off) = (Rows::default(), true);
        let mut whole: Vec<(VReg, (usize, usize))> = vec![];
        for half in &halves {
            let mut of_half = vec![];
            for (b, at) in half.at.iter().enumerate() {
                // Blocks that nothing leads to have nothing to say.
                let Some(at) = *at else { continue };
                half.walk(func, b, at, &mut bits, |i, op, walk| match op {
                    Op::VGet { reg, demand } if demand.is_none_or(|m| meets(walk.bit(m).ones(), at.states & LANES[0])) => seen.add(reg.0),
                    Op::VSet { reg, exec, .. } if at.is_all(walk.bit(*exec)) => of_half.push((*reg, (b, i))),
                    Op::ExecSet(m) => stay_off &= !meets(walk.bit(*m).ones(), at.states & LANES[0]),
                    _ => {}
                });
            }
            if half.half == 0 { whole = of_half } else { whole.retain(|write| of_half.binary_search_by_key(&write.1, |w| w.1).is_ok()) }
        }
        whole.retain(|(reg, _)| !seen.has(reg.0));
        Some(InitialLanes { halves, seen, stay_off, whole: whole.into_iter().map(|w| w.1).collect(), bits: RefCell::new(bits) })
    }

    /// Of those writes, by block and instruction, those that need not, whatever comparisons give.
    pub(super) fn whole_writes(&self) -> &[(usize, usize)] {
        &self.whole
    }

    /// Is it a wave of 32 in which lanes that were off stay off? Then what an operation gives in these nobody sees.
    pub(super) fn stay_off(&self) -> bool {
        self.halves.len() == 1 && self.stay_off
    }

    /// Does nobody see a lane that was off of a row?
    pub(super) fn is_unseen(&self, reg: VReg) -> bool {
        !self.seen.has(reg.0)
    }

    fn visit(&self, func: &Func, half: &Half, block: usize, at: At) -> Visit {
        let mut whole = vec![];
        let ends = half.walk(func, block, at, &mut self.bits.borrow_mut(), |i, op, walk| match op {
            Op::VSet { reg, exec, .. } if self.is_unseen(*reg) && at.is_all(walk.bit(*exec)) => whole.push(i),
            _ => {}
        });
        Visit { ends, whole }
    }

    /// What becomes of lanes that are refined, in a wave of 32.
    pub(super) fn refined(&self, func: &Func, block: usize, at: Refined) -> Option<Visit> {
        Some(self.visit(func, &self.halves[0], block, at?))
    }

    /// Where a block leads, and like what, in a wave of 32. `is_alike`: it leaves an EXEC that all lanes that were on have alike. `visit` is what became of
    /// refined lanes.
    pub(super) fn for_each_end(
        &self,
        func: &Func,
        block: usize,
        visit: Option<Visit>,
        is_alike: bool,
        mut with: impl FnMut(usize, Refined),
    ) {
        const INACTIVE: States = LANES[1] & !ACTIVE;
        let Half { at, .. } = &self.halves[0];
        let starts = |to: usize| at[to].filter(|_| is_alike && has_lanes(&func.blocks[block], to) == Some(true));
        // Some lane is active, it was on, and so all that were on are.
        let refine = |to: usize, mut end: At| {
            if starts(to).is_some() && end.states & ACTIVE & LANES[0] == 0 {
                end.states &= !INACTIVE;
            }
            Some(end).filter(|end| at[to] != Some(*end))
        };
        if let Some(visit) = visit {
            return visit.ends.into_iter().for_each(|(to, end)| with(to, refine(to, end)));
        }
        let mut ends = None;
        func.blocks[block].term.for_each_successor(|s| {
            let to = s.0 as usize;
            let Some(_) = starts(to).filter(|start| start.states & INACTIVE != 0) else { return with(to, None) };
            let visit = ends.get_or_insert_with(|| self.refined(func, block, at[block]));
            let end = visit.iter().flat_map(|v| &v.ends).find(|(of, _)| *of == to);
            with(to, end.and_then(|(_, end)| refine(to, *end)));
        });
    }

    /// Is it a wave of 32 with jumps that say more of masks that are alike?
    pub(super) fn has_jumps(&self, func: &Func) -> bool {
        self.halves.len() == 1
            && func.blocks.iter().any(|b| matches!(b.term, Term::Branch { then, .. } if has_lanes(b, then.0 as usize).is_some()))
    }
}

/// Does something hold in some of these states?
fn meets(points: Points, states: States) -> bool {
    points.iter().any(|p| p & states != 0)
}

impl Half {
    fn new(func: &Func, half: usize, bits: &mut Bits) -> Half {
        let wanted = wanted(func, half).into_iter().map(|masks| registers(masks).collect()).collect();
        let mut of = Half { half, wanted, at: vec![None; func.blocks.len()] };
        of.at[0] = Some(At::ENTRY);
        let mut work = Worklist::with_entry(func.blocks.len());
        while let Some(b) = work.next() {
            let start = of.at[b].expect("blocks are put to work with states");
            for (to, end) in of.walk(func, b, start, bits, |_, _, _| {}) {
                let is_new = match &mut of.at[to] {
                    Some(known) => known.join(end),
                    none => none.replace(end).is_none(),
                };
                if is_new {
                    work.add(to);
                }
            }
        }
        of
    }

    /// Goes through a block, telling of each operation before it is done; where it leads, in the order of [`Term::for_each_successor`].
    fn walk(&self, func: &Func, b: usize, at: At, bits: &mut Bits, mut with: impl FnMut(usize, &Op, &Walk<'_>)) -> Vec<(usize, At)> {
        let block = &func.blocks[b];
        // Where a register may be 1, or 0, that a state has no bit of.
        let may_be = |r: SReg, bit: usize| {
            let of_lane = |lane: usize| if bit_of(r).is_some_and(|r| at.may_be[bit][lane] & r != 0) { LANES[lane] } else { 0 };
            of_lane(0) | of_lane(1)
        };
        let start =
            |(i, r): (usize, &SReg)| (*r, if i < FOLLOWED { Bit::of_states(i + 2) } else { Bit::of_lanes(may_be(*r, 1), may_be(*r, 0)) });
        let mut registers: Vec<(SReg, Bit)> = self.wanted[b].iter().enumerate().map(start).collect();
        block.term.for_each_successor(|s| {
            for r in &self.wanted[s.0 as usize] {
                if registers.iter().all(|(of, _)| of != r) {
                    registers.push((*r, Bit::UNKNOWN));
                }
            }
        });
        let mut walk = Walk::new(func, self.half, std::mem::take(bits), (Bit::of_states(0), registers));
        for (i, inst) in block.insts.iter().enumerate() {
            with(i, &inst.op, &walk);
            walk.step(&inst.op, inst.first);
        }
        let mut ends = vec![];
        block.term.for_each_successor(|s| ends.push((s.0 as usize, self.end(block, s.0 as usize, at, &walk))));
        *bits = walk.into_bits();
        ends
    }

    /// What the lanes have on the way to a block.
    fn end(&self, block: &Block, to: usize, at: At, walk: &Walk<'_>) -> At {
        let (followed, others) = self.wanted[to].split_at(FOLLOWED.min(self.wanted[to].len()));
        let bits: Vec<Bit> = [walk.exec(), Bit::of_states(1)].into_iter().chain(followed.iter().map(|r| walk.register(*r))).collect();
        let of_word = |word: usize| states_after(&bits, word, at.states);
        let mut end = At { states: (0..1 << walk.choices()).fold(0, |set, word| set | of_word(word)), may_be: [[0; 2]; 2] };
        for r in others {
            let bit = walk.register(*r);
            for lane in 0..2 {
                for (may_be, points) in end.may_be.iter_mut().zip([bit.zeros(), bit.ones()]) {
                    may_be[lane] |= bit_of(*r).filter(|_| meets(points, at.states & LANES[lane])).unwrap_or(0);
                }
            }
        }
        if has_lanes(block, to) == Some(false) {
            end.states &= !ACTIVE;
        }
        end
    }
}

/// Is the way from a block to another gone if there are active lanes (true), or if there are none?
fn has_lanes(block: &Block, to: usize) -> Option<bool> {
    let Term::Branch { cond, then, otherwise } = block.term else { return None };
    let (skips_if, _) = skips(block, cond)?;
    (then != otherwise).then_some((then.0 as usize == to) != skips_if)
}

#[cfg(test)]
mod tests {
    use super::super::lane_states::tests::{get, keeps_with, set};
    use super::super::liveness::VgprLiveness;
    use super::super::strides::Strides;
    use super::OptOptions;

    /// v1 is written under the EXEC of the beginning, v2 under a narrower one. Then EXEC is %30, of %20 (what it was) and %25 (a register that nobody
    /// has written), and `read` reads v1 and v2 as %33 and %34; %32 is EXEC.
    fn guard(wave: u32, back: &str, read: &str) -> String {
        let (save, saved, unknown) = (set(wave, 1, 2), get(wave, 20, 2), get(wave, 25, 6));
        format!(
            "func \"f\" wave{wave} {{
b0 pc=0 mode=0x3f0 insts=1:
 %0: mask = exec
 %1: s64 = maskbits %0
 {save}
 %2: l32 = vget v0 demand %0
 %3: l32 = vget v3 demand %0
 vset v1, %2, exec %0
 %4: mask = slt.32 %2, %3
 %5: mask = and.1 %4, %0
 setexec %5
 vset v2, %3, exec %5
 jump b1
b1 pc=4 mode=0x3f0 insts=1:
 {saved}
 {unknown}
 {back}
 %31: mask = bitsmask %30
 setexec %31
 %32: mask = exec
 {read}
 store lds.b32 [lane %33], %34, exec %32
 end
}}
"
        )
    }

    const WAS: &str = "%30: s64 = or.64 %20, %20";
    const UNDER_EXEC: &str = "%33: l32 = vget v1 demand %32\n%34: l32 = vget v2 demand %32";

    fn keeps(text: &str) -> [Vec<bool>; 2] {
        [1, 2].map(|row| keeps_with(OptOptions::default(), text, 0, row))
    }

    #[test]
    fn lanes_that_were_off_are_not_kept_and_those_of_a_narrower_mask_are() {
        for wave in [32, 64] {
            for back in [WAS, "%30: s64 = and.64 %20, %25"] {
                assert_eq!(keeps(&guard(wave, back, UNDER_EXEC)), [[false], [true]], "wave{wave}: {back}");
            }
        }
    }

    #[test]
    fn lanes_that_may_be_turned_on_are_kept() {
        for wave in [32, 64] {
            for back in ["%30: s64 = or.64 %20, %25", "%30: s64 = or.64 %25, %25", "%30: s64 = not.64 %20", "%30: s64 = xor.64 %20, %25"] {
                assert_eq!(keeps(&guard(wave, back, UNDER_EXEC)), [[true], [true]], "wave{wave}: {back}");
            }
        }
    }

    #[test]
    fn rows_that_are_read_as_a_whole_and_final_states_are_kept() {
        let whole = "%33: l32 = vget v1\n%34: l32 = vget v2 demand %32";
        assert_eq!(keeps(&guard(32, WAS, whole)), [[true], [true]]);
        let opts = OptOptions { keep_final_state: true, ..OptOptions::default() };
        assert_eq!(keeps_with(opts, &guard(32, WAS, UNDER_EXEC), 0, 1), [true]);
    }

    /// Lanes in which `condition` (%4) holds write v2 in b1, the others in b2, each jumped to if there are any; then v1 is written in b3, and both are read.
    fn choice(condition: &str) -> String {
        let get = |v: u32, s: u32| format!("%{v}: s32 = sget s{s}\n %{0}: s64 = zext.64 %{v}\n %{1}: mask = bitsmask %{0}", v + 1, v + 2);
        let leave = |v: u32, mask: u32, to: &str| {
            format!("%{v}: s64 = maskbits %{mask}\n %{0}: s64 = const.64 0\n %{1}: s1 = eq.64 %{v}, %{0}\n branch %{1}, {to}", v + 1, v + 2)
        };
        format!(
            "func \"f\" wave32 {{
b0 pc=0 mode=0x3f0 insts=1:
 %0: mask = exec
 %1: l32 = vget v0 demand %0
 %2: s32 = sget s9
 %3: l32 = splat %2
 %4: mask = {condition}
 %5: mask = and.1 %4, %0
 %6: mask = xor.1 %5, %0
 %7: s64 = maskbits %6
 %8: s32 = lo.64 %7
 sset s4, %8
 setexec %5
 {}
b1 pc=4 mode=0x3f0 insts=1:
 %20: mask = exec
 %21: l32 = laneid
 vset v2, %21, exec %20
 jump b2
b2 pc=8 mode=0x3f0 insts=1:
 %30: mask = exec
 {}
 %39: s64 = maskbits %30
 %40: s32 = lo.64 %39
 sset s5, %40
 setexec %33
 {}
b3 pc=12 mode=0x3f0 insts=1:
 %50: mask = exec
 %51: s32 = sget s9
 %52: l32 = splat %51
 vset v2, %52, exec %50
 jump b4
b4 pc=16 mode=0x3f0 insts=1:
 %60: mask = exec
 {}
 %64: mask = or.1 %63, %60
 setexec %64
 %65: l32 = laneid
 vset v1, %65, exec %64
 jump b5
b5 pc=20 mode=0x3f0 insts=1:
 %70: mask = exec
 %71: l32 = vget v1 demand %70
 %72: l32 = vget v2 demand %70
 store lds.b32 [lane %71], %72, exec %70
 end
}}
",
            leave(9, 5, "b2, b1"),
            get(31, 4),
            leave(41, 33, "b4, b3"),
            get(61, 5),
        )
    }

    /// Of the writes of b1 and b3 (v2) and of b4 (v1), which must keep the other lanes?
    fn keeps_of_choice(text: &str) -> [bool; 3] {
        let func = wavejit_ir::text::parse(text).unwrap();
        wavejit_ir::verify::verify(&func).unwrap();
        let mut lanes = VgprLiveness::new(&func, OptOptions::default()).with_blends(&func, OptOptions::default());
        let _ = Strides::new(&func, &mut lanes, true);
        [1, 3, 4].map(|b| {
            let write = func.blocks[b].insts.iter().position(|inst| matches!(inst.op, wavejit_ir::Op::VSet { .. })).unwrap();
            lanes.blend(b)[write]
        })
    }

    #[test]
    fn all_lanes_are_back_behind_both_ways() {
        // What lanes have decides which way they go, and behind both all are active again.
        assert_eq!(keeps_of_choice(&choice("slt.32 %1, %3")), [true, true, false]);
    }

    #[test]
    fn nobody_sees_what_a_row_had_before_all_lanes_that_were_on_write_it() {
        let text = choice("slt.32 %1, %3").replace(" vset v2, %21, exec %20\n", " vset v1, %21, exec %20\n vset v2, %21, exec %20\n");
        assert_eq!(keeps_with(OptOptions::default(), &text, 1, 1), [false]);
        assert_eq!(keeps_with(OptOptions::default(), &text, 1, 2), [true]);
        // If some of them do, the others are seen.
        let text = text.replace("vset v1, %65, exec %64", "vset v1, %65, exec %60");
        assert_eq!(keeps_with(OptOptions::default(), &text, 1, 1), [true]);
    }

    #[test]
    fn a_body_that_is_for_all_lanes_or_none_writes_all_if_it_is_run() {
        assert_eq!(keeps_of_choice(&choice("slt.32 %3, %3")), [false; 3]);
        // Without the jump nobody knows that there are any.
        let text = choice("slt.32 %3, %3").replace("branch %11, b2, b1", "jump b1");
        assert_eq!(keeps_of_choice(&text), [true, false, false]);
    }
}
