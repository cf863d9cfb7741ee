//! Writes that need not keep the lanes that are off when the function is entered.
//!
//! Most kernels never turn on a lane that they did not begin with: they narrow EXEC, and put back what they saved. Then nobody sees what such a lane has in a
//! register, and a write under the EXEC of the beginning may write the register as a whole, whatever ways EXEC takes behind it. The last
//! part of a grid aside, that is every lane, and the register keeps what is known of all its lanes ([`super::strides`]).
//!
//! Masks are combined lane by lane, so two lanes stand for all: one that is off at the beginning and one that is on. Of both it is followed through the
//! function which masks in scalar registers, and EXEC, may have them ([`super::lane_states`] has the steps).

use super::OptOptions;
use super::lane_states::{Bit, Bits, Walk};
use super::liveness::leaves_everything_live;
use super::worklist::Worklist;
use rustc_hash::FxHashSet;
use wavejit_ir::{Func, Inst, Op, SReg};

/// The lanes: one that is off at the beginning, one that is on.
const OFF: u64 = 1;
const ON: u64 = 2;

/// What each of the lanes may have of EXEC, then of the registers.
type State = Vec<Bit>;

/// Of the writes that must keep lanes outside their mask for all that liveness knows (`keeps`, by block), those that need not.
pub(super) fn whole_writes(func: &Func, opts: OptOptions, keeps: &[Vec<bool>]) -> FxHashSet<(usize, usize)> {
    let mut found = FxHashSet::default();
    let insts = || func.blocks.iter().flat_map(|b| &b.insts);
    let is_kept = |(inst, keeps): (&Inst, &bool)| *keeps && matches!(inst.op, Op::VSet { .. });
    let has_kept = func.blocks.iter().zip(keeps).any(|(b, keeps)| b.insts.iter().zip(keeps).any(is_kept));
    let sees_others = func.blocks.iter().any(|b| leaves_everything_live(&b.term, opts))
        || insts().any(|inst| matches!(inst.op, Op::VGetRel { .. } | Op::VSetRel { .. }));
    if !has_kept || sees_others {
        return found;
    }
    let mut registers: Vec<SReg> = insts().filter_map(|inst| if let Op::SGet(r) = inst.op { Some(r) } else { None }).collect();
    registers.sort_unstable();
    registers.dedup();
    for half in 0..(func.wave_size as usize).div_ceil(32) {
        let of_half = Problem { func, half, registers: &registers }.solve(keeps);
        if half == 0 { found = of_half } else { found.retain(|write| of_half.contains(write)) }
    }
    found
}

/// A function, and one half of the wave.
struct Problem<'a> {
    func: &'a Func,
    half: usize,
    registers: &'a [SReg],
}

impl<'a> Problem<'a> {
    fn walk(&self, state: &State, bits: Bits) -> Walk<'a> {
        let registers = self.registers.iter().copied().zip(state[1..].iter().copied()).collect();
        Walk::with_unknown_comparisons(self.func, self.half, bits, (state[0], registers))
    }

    fn solve(&self, keeps: &[Vec<bool>]) -> FxHashSet<(usize, usize)> {
        let func = self.func;
        let mut at_start: Vec<Option<State>> = vec![None; func.blocks.len()];
        let mut first = vec![Bit::UNKNOWN; 1 + self.registers.len()];
        first[0] = Bit::of_lanes(ON, OFF);
        at_start[0] = Some(first);
        let mut work = Worklist::with_entry(func.blocks.len());
        let mut bits = Bits::default();
        while let Some(b) = work.next() {
            let mut walk = self.walk(at_start[b].as_ref().expect("it is at work"), bits);
            let block = &func.blocks[b];
            block.insts.iter().for_each(|inst| walk.step(&inst.op, inst.first));
            let end: State = walk.ends().collect();
            bits = walk.into_bits();
            block.term.for_each_successor(|s| {
                let known = &mut at_start[s.0 as usize];
                let is_new = match known {
                    Some(known) => known.iter_mut().zip(&end).fold(false, |is_new, (x, y)| {
                        let before = std::mem::replace(x, x.or_else(*y));
                        is_new | !before.is_like(*x, OFF | ON)
                    }),
                    None => {
                        *known = Some(end.clone());
                        true
                    }
                };
                if is_new {
                    work.add(s.0 as usize);
                }
            });
        }
        // Rows of which somebody may see a lane that was off, and writes of all lanes that were on.
        let (mut seen, mut whole) = (FxHashSet::default(), vec![]);
        for (b, block) in func.blocks.iter().enumerate() {
            let mut walk = at_start[b].as_ref().map(|state| self.walk(state, std::mem::take(&mut bits)));
            for (k, inst) in block.insts.iter().enumerate() {
                let may_have = |m, lane: u64| walk.as_ref().is_none_or(|w: &Walk<'_>| w.bit(m).may_be_one(lane));
                match inst.op {
                    Op::VGet { reg, demand } if demand.is_none_or(|m| may_have(m, OFF)) => _ = seen.insert(reg),
                    Op::VSet { reg, exec, .. } if keeps[b][k] && walk.as_ref().is_some_and(|w| !w.bit(exec).may_be_zero(ON)) => {
                        whole.push((reg, (b, k)));
                    }
                    _ => {}
                }
                if let Some(walk) = &mut walk {
                    walk.step(&inst.op, inst.first);
                }
            }
            bits = walk.map_or_else(Bits::default, Walk::into_bits);
        }
        whole.into_iter().filter(|(reg, _)| !seen.contains(reg)).map(|(_, write)| write).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::lane_states::tests::{get, keeps_with, set};
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
}
