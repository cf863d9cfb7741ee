//! Where the ways of an `if` meet, EXEC is what was saved of it before, whatever the condition was.
//!
//! A compiler saves EXEC, narrows it, and adds at the end what it has saved. Seen from there alone that depends on the lanes that are left, and so on all
//! comparisons before: ifs that stand one behind the other could not overlap.
//!
//! ```text
//! b0: s4 = exec; exec = and.1 %1, exec; branch .., b2, b1
//! b1: ... jump b2
//! b2: %2 = or.1 exec, s4; exec = %2               b2: exec = s4
//! ```
//!
//! Followed is which registers hold masks with all lanes of EXEC or of other registers ([`Held`]); facts flow forward, and hold where all ways have them. For waves of
//! 32, whose masks are in single registers.
//!
//! Before and after: any verified function. What nobody reads any more is for `dead`.

use super::mask_registers::{EXEC, Masks, registers, wanted};
use super::places::Places;
use super::worklist::Worklist;
use crate::by_value::ByValue;
use rustc_hash::FxHashMap;
use wavejit_ir::{Block, Func, Op, PureOp, SReg, Value};

/// EXEC, which has bit 0, and registers that hold masks.
type Set = u32;
/// Those that are followed, with EXEC.
const MOST: usize = 32;
const EXEC_PLACE: usize = 0;
/// Operations that are looked through, one after the other.
const DEPTH: u32 = 3;

/// By register: which hold all its lanes, itself included.
#[derive(Clone)]
struct Held(Vec<Set>);

impl Held {
    fn nothing(count: usize) -> Held {
        Held((0..count).map(|i| 1 << i).collect())
    }

    /// What both know. Has that changed anything?
    fn meet(&mut self, other: &Held) -> bool {
        let mut changed = false;
        for (mine, others) in self.0.iter_mut().zip(&other.0) {
            changed |= *mine & others != *mine;
            *mine &= others;
        }
        changed
    }

    /// Those that have no lane but these of a register.
    fn below(&self, i: usize) -> Set {
        self.0.iter().enumerate().filter(|(_, above)| *above >> i & 1 != 0).fold(0, |all, (j, _)| all | 1 << j)
    }
}

/// Of a mask, or a word that holds one: registers that have all its lanes, and those of which it has all.
#[derive(Clone, Copy, Default)]
struct Known {
    above: Set,
    below: Set,
}

/// Runs on the function.
pub(super) fn run(func: &mut Func) {
    if func.wave_size != 32 || !may_meet(func) {
        return;
    }
    let all = wanted(func, 0).into_iter().fold(0, |all: Masks, of| all | of) & !EXEC;
    let places: FxHashMap<SReg, usize> = registers(all).take(MOST - 1).zip(EXEC_PLACE + 1..).collect();
    if places.is_empty() {
        return;
    }
    let values = Places::new(func);
    let mut at_start: Vec<Option<Held>> = vec![None; func.blocks.len()];
    at_start[0] = Some(Held::nothing(places.len() + 1));
    let mut work = Worklist::with_entry(func.blocks.len());
    let mut walk = Walk::new(func, &values, &places);
    while let Some(b) = work.next() {
        let held = at_start[b].as_ref().expect("blocks are put to work with facts");
        walk.run(&func.blocks[b], held, None);
        let end = &walk.held;
        func.blocks[b].term.for_each_successor(|s| match &mut at_start[s.0 as usize] {
            Some(known) => {
                if known.meet(end) {
                    work.add(s.0 as usize);
                }
            }
            none => {
                *none = Some(end.clone());
                work.add(s.0 as usize);
            }
        });
    }
    for (b, held) in at_start.iter().enumerate() {
        let Some(held) = held.as_ref().filter(|_| has_or(&func.blocks[b])) else { continue };
        let mut same: Vec<(Value, Value)> = vec![];
        walk.run(&func.blocks[b], held, Some(&mut same));
        if same.is_empty() {
            continue;
        }
        let is = |v: Value| same.iter().find(|(of, _)| *of == v).map_or(v, |(_, is)| *is);
        let block = &mut func.blocks[b];
        block.insts.iter_mut().for_each(|inst| inst.op.map_args(is));
        block.term.map_args(is);
    }
}

/// Is there something that is put together of a register and EXEC, or of two registers?
fn may_meet(func: &Func) -> bool {
    func.blocks.iter().any(|b| b.insts.iter().any(|inst| matches!(inst.op, Op::SGet(_))) && has_or(b))
}

fn has_or(block: &Block) -> bool {
    block.insts.iter().any(|inst| matches!(inst.op, Op::Pure { op: PureOp::BOr | PureOp::Or32, .. }))
}

/// Goes through blocks, one after the other.
struct Walk<'a> {
    values: &'a Places,
    places: &'a FxHashMap<SReg, usize>,
    held: Held,
    /// By value.
    known: ByValue<Known>,
    /// By register: the value that it has, if one is known.
    now: Vec<Option<Value>>,
}

impl<'a> Walk<'a> {
    fn new(func: &Func, values: &'a Places, places: &'a FxHashMap<SReg, usize>) -> Walk<'a> {
        let held = Held::nothing(places.len() + 1);
        let now = vec![None; held.0.len()];
        Walk { values, places, held, known: ByValue::of(func), now }
    }

    /// Lists, if that is wanted, what is another value.
    fn run(&mut self, block: &Block, held: &Held, mut same: Option<&mut Vec<(Value, Value)>>) {
        self.held.clone_from(held);
        self.known.clear();
        self.now.fill(None);
        for inst in &block.insts {
            match &inst.op {
                Op::ExecGet => self.reads(inst.first, EXEC_PLACE),
                Op::SGet(r) => {
                    if let Some(i) = self.places.get(r) {
                        self.reads(inst.first, *i);
                    }
                }
                Op::ExecSet(m) => self.becomes(block, EXEC_PLACE, *m),
                Op::SSet(r, x) => {
                    if let Some(i) = self.places.get(r) {
                        self.becomes(block, *i, *x);
                    }
                }
                Op::SSetRel { .. } | Op::SetReg { .. } => {
                    self.held = Held::nothing(self.held.0.len());
                    self.now.fill(None);
                    self.known.clear();
                }
                Op::Pure { op, args: [Some(x), Some(y), _], .. } => {
                    let is_smaller = match op {
                        // Of 64 bits the upper ones are no lanes.
                        PureOp::BOr | PureOp::Or32 => false,
                        PureOp::BAnd | PureOp::And32 => true,
                        _ => continue,
                    };
                    let (x, y) = (*x, *y);
                    // One of them at least is what a register holds.
                    let Some(same) = &mut same else { continue };
                    if ![x, y].iter().any(|v| self.known.has(self.root(block, *v))) {
                        continue;
                    }
                    let [of_x, of_y] = [x, y].map(|v| self.known_of(block, v, DEPTH));
                    let is = match () {
                        () if of_x.above & of_y.below != 0 => Some(if is_smaller { x } else { y }),
                        () if of_y.above & of_x.below != 0 => Some(if is_smaller { y } else { x }),
                        () => None,
                    };
                    if let Some(is) = is {
                        let is = same.iter().find(|(of, _)| *of == is).map_or(is, |(_, is)| *is);
                        same.push((inst.first, is));
                    }
                }
                _ => {}
            }
        }
    }

    fn reads(&mut self, v: Value, i: usize) {
        self.known.insert(v, Known { above: self.held.0[i], below: self.held.below(i) });
        self.now[i] = Some(v);
    }

    /// The value that has the same lanes, without the forms that masks and words of them have.
    fn root(&self, block: &Block, v: Value) -> Value {
        match self.values.op(block, v) {
            Some(Op::MaskBits(x) | Op::BitsMask(x) | Op::Pure { op: PureOp::ZExt64 | PureOp::Lo64, args: [Some(x), ..], .. }) => {
                self.root(block, *x)
            }
            _ => v,
        }
    }

    /// What is done to which masks.
    fn logic(&self, block: &Block, v: Value) -> Option<(PureOp, Value, Value)> {
        match self.values.pure(block, v)? {
            (op, [Some(x), Some(y), None]) => Some((op, x, y)),
            _ => None,
        }
    }

    /// What is known of a mask, by what it is made of.
    fn known_of(&self, block: &Block, v: Value, depth: u32) -> Known {
        use PureOp::*;
        let v = self.root(block, v);
        let known = self.known.get(v).unwrap_or_default();
        let Some((op, x, y)) = depth.checked_sub(1).and_then(|_| self.logic(block, v)) else { return known };
        let of = |v| self.known_of(block, v, depth - 1);
        let made = match op {
            BAnd | And32 | And64 => {
                let (x, y) = (of(x), of(y));
                Known { above: x.above | y.above, below: x.below & y.below }
            }
            BOr | Or32 | Or64 => {
                let (x, y) = (of(x), of(y));
                Known { above: x.above & y.above, below: x.below | y.below }
            }
            BAndNot => Known { above: of(x).above, below: 0 },
            _ => return known,
        };
        Known { above: known.above | made.above, below: known.below | made.below }
    }

    /// A register gets a value.
    fn becomes(&mut self, block: &Block, i: usize, v: Value) {
        let v = self.root(block, v);
        let (bit, others): (Set, Set) = (1 << i, !(1 << i));
        let Known { above, below } = self.known_of(block, v, DEPTH);
        for (j, of) in self.held.0.iter_mut().enumerate() {
            *of = *of & others | (below >> j & 1) << i;
        }
        self.held.0[i] = above & others | bit;
        self.known.iter_mut().for_each(|k| *k = Known { above: k.above & others, below: k.below & others });
        let of_v = self.known.get(v).unwrap_or_default();
        self.known.insert(v, Known { above: of_v.above | above & others | bit, below: of_v.below | below & others | bit });
        self.now[i] = Some(v);
        // Of the others the values tell more now, if they are that one or made of it.
        for j in (0..self.now.len()).filter(|j| *j != i) {
            if let Some(w) = self.now[j].filter(|w| *w == v || self.logic(block, *w).is_some()) {
                let of_w = self.known_of(block, w, DEPTH);
                self.held.0[j] |= of_w.above & bit;
                self.held.0[i] |= (of_w.below >> i & 1) << j;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavejit_ir::text::parse;

    /// Is the mask that EXEC is set to where ways meet still put together? b0 saves EXEC in s4 and narrows it; `body` is in b1, `joint` in b2, where %30 is what
    /// EXEC is set to.
    fn is_put_together(body: &str, joint: &str) -> bool {
        let text = format!(
            "func \"f\" wave32 {{
b0 pc=0 mode=0x3f0 insts=1:
 %0: mask = exec
 %1: l32 = vget v1 demand %0
 %2: l32 = vget v2 demand %0
 %3: mask = slt.32 %1, %2
 %4: mask = and.1 %3, %0
 setexec %4
 %5: s64 = maskbits %0
 %6: s32 = lo.64 %5
 sset s4, %6
 %7: s1 = sget scc
 branch %7, b1, b2
b1 pc=4 mode=0x3f0 insts=1:
 %10: mask = exec
 {body}
 jump b2
b2 pc=8 mode=0x3f0 insts=1:
 %20: mask = exec
 %21: s32 = sget s4
 %22: s64 = zext.64 %21
 %23: mask = bitsmask %22
 {joint}
 setexec %30
 end
}}"
        );
        let mut func = parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        run(&mut func);
        wavejit_ir::verify::verify(&func).unwrap();
        let set = func.blocks[2].insts.iter().find_map(|i| if let Op::ExecSet(m) = i.op { Some(m) } else { None }).unwrap();
        set != Value(23)
    }

    const OR: &str = "%30: mask = or.1 %20, %23";

    #[test]
    fn what_was_saved_is_put_back() {
        assert!(!is_put_together("", OR));
        assert!(!is_put_together("", "%30: mask = or.1 %23, %20"));
        // Narrowed further, saved elsewhere, and put back from there.
        let inner = "%11: l32 = vget v3 demand %10\n%12: mask = eq.32 %11, %11\n%13: mask = and.1 %12, %10\nsetexec %13\n";
        assert!(!is_put_together(inner, OR));
        assert!(!is_put_together(
            "%11: s32 = const.32 0\n%12: s64 = zext.64 %11\n%13: mask = bitsmask %12\n%14: mask = and.1 %10, %13\nsetexec %14",
            OR
        ));
    }

    #[test]
    fn what_may_have_other_lanes_is_put_together() {
        // EXEC is another one, or what was saved is.
        let other = "%11: l32 = vget v3 demand %10\n%12: mask = eq.32 %11, %11\n";
        assert!(is_put_together(&format!("{other}setexec %12"), OR));
        assert!(is_put_together(&format!("{other}%13: s64 = maskbits %12\n%14: s32 = lo.64 %13\nsset s4, %14"), OR));
        assert!(is_put_together("%11: s32 = const.32 7\nsset s4, %11", OR));
        // Something else is put to it.
        assert!(is_put_together("", "%24: l32 = vget v1 demand %20\n%25: mask = eq.32 %24, %24\n%30: mask = or.1 %25, %23"));
        assert!(is_put_together("", "%30: mask = xor.1 %20, %23"));
    }
}
