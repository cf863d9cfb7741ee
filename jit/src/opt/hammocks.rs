//! Short bodies of an `if` become part of the block before it.
//!
//! A compiler for GPUs narrows EXEC, and jumps over what is inside if no lane is left. At the jump a block ends, and with it all that is known of lanes and held in
//! registers: a stencil that looks at the borders of its picture is cut into pieces of one load. Operations under EXEC do nothing without active lanes, so
//! that the jump can be left out where the body is short:
//!
//! ```text
//! b0: ..; setexec %7; branch (maskbits %7 == 0), b2, b1
//! b1: load .., exec; sset s4, %9; jump b2                  =>    b0: ..; setexec %7; %8 = (maskbits %7 == 0)
//! b2: ..                                                             refund insts of b1, %8; load .., exec %7
//!                                                                    sset s4, sel(%8, sget s4, %9); ..
//! ```
//!
//! Scalars are computed in any case, and written if the body would have run; the fuel of the body is given back if not ([`Op::Refund`]). What must not happen
//! without lanes (scalar loads, which may fault; messages; atomics, for their cost) is not in such a body.
//!
//! Before: what `local` leaves, which writes scalar registers at the end of blocks; after: any verified function, on which `local` runs again.

use super::{OptOptions, masks};
use wavejit_ir::build::Builder;
use wavejit_ir::{Block, BlockId, FpMode, Func, Op, PureOp, SReg, Shape, Space, Term, Value, Width, goes_back};

/// Most that a body may cost: operations, of 64 bits twice, and accesses [`ACCESS`] times. Addresses that the guest computes in registers which nobody reads
/// again are still there.
const MOST: u32 = 32;
const ACCESS: u32 = 4;
/// The same of bodies that load from LDS in lanes that ids choose: the waves at the border of a tile often have none.
const MOST_OF_TILES: u32 = 12;
/// Most operations that are looked at for a mask.
const MOST_LOOKED_AT: u32 = 16;
/// Most operations of a block that was put together.
const LONGEST: usize = 2048;

/// Runs on the function. Has anything changed?
pub(super) fn run(func: &mut Func, opts: OptOptions) -> bool {
    if !opts.is_wide {
        return false;
    }
    let mut leading = vec![0u32; func.blocks.len()];
    func.blocks.iter().for_each(|b| b.term.for_each_successor(|to| leading[to.0 as usize] += 1));
    let mut is_gone = vec![false; func.blocks.len()];
    let loops = loops(func);
    // From the end: what a body has inside is part of it by then, and what comes behind it.
    for head in (0..func.blocks.len()).rev() {
        while let Some(hammock) = Hammock::at(func, &leading, &loops, head) {
            hammock.join(func, &mut leading, &mut is_gone);
        }
    }
    if !is_gone.contains(&true) {
        return false;
    }
    let mut next = 0;
    let new: Vec<BlockId> = is_gone
        .iter()
        .map(|gone| {
            next += u32::from(!gone);
            BlockId(next.wrapping_sub(1))
        })
        .collect();
    let mut gone = is_gone.iter();
    func.blocks.retain(|_| !gone.next().expect("one flag per block"));
    func.blocks.iter_mut().for_each(|b| b.term.map_blocks(|b| new[b.0 as usize]));
    true
}

/// A block, the body behind it that is jumped over without active lanes, and the block that both lead to.
struct Hammock {
    head: usize,
    body: usize,
    next: usize,
    /// Is there no lane, where this holds, or where it does not?
    cond: Value,
    skips_if: bool,
    /// Nothing else leads to the last one, which becomes part of the first, too.
    is_closed: bool,
}

impl Hammock {
    fn at(func: &Func, leading: &[u32], loops: &[(u64, u64)], head: usize) -> Option<Hammock> {
        let block = &func.blocks[head];
        let Term::Branch { cond, then, otherwise } = block.term else { return None };
        let (skips_if, mask) = skips(block, cond)?;
        let (next, body) = if skips_if { (then.0 as usize, otherwise.0 as usize) } else { (otherwise.0 as usize, then.0 as usize) };
        let (inside, behind) = (&func.blocks[body], &func.blocks[next]);
        let is_forward = !goes_back(block, inside) && !goes_back(inside, behind) && !goes_back(block, behind);
        let is_hammock = leading[body] == 1 && matches!(inside.term, Term::Jump(to) if to.0 as usize == next);
        if !is_forward || !is_hammock || body == 0 || next == 0 || inside.mode != block.mode {
            return None;
        }
        let is_of_data = of_data(block, mask);
        let goes_round = || loops.iter().any(|(first, last)| (*first..=*last).contains(&block.pc));
        if !is_of_data && goes_round() || !may_run_without_lanes(func, inside, is_of_data) {
            return None;
        }
        let is_closed = leading[next] == 2 && behind.mode == block.mode;
        let insts = block.insts.len() + inside.insts.len() + if is_closed { behind.insts.len() } else { 0 };
        (insts <= LONGEST).then_some(Hammock { head, body, next, cond, skips_if, is_closed })
    }

    fn join(self, func: &mut Func, leading: &mut [u32], is_gone: &mut [bool]) {
        let body = std::mem::replace(&mut func.blocks[self.body], gone());
        let head = &mut func.blocks[self.head];
        let (pc, before) = (head.term_pc, std::mem::take(&mut head.insts));
        let mut b = Builder { insts: before, ..Builder::new(func, pc, body.mode) };
        let skip = if self.skips_if { self.cond } else { b.pure1(PureOp::BNot, self.cond) };
        b.push(Op::Refund { insts: body.guest_insts, unused: skip }, &[]);
        for mut inst in body.insts {
            match &mut inst.op {
                Op::SSet(r, value) => {
                    let old = b.sget(*r);
                    *value = select(&mut b, skip, old, *value, *r);
                }
                // Of a body inside: it is counted with this one.
                Op::Refund { unused, .. } => *unused = without(&mut b, *unused, skip),
                _ => {}
            }
            b.insts.push(inst);
        }
        let mut insts = b.insts;
        let mut counted = body.guest_insts;
        (leading[self.body], is_gone[self.body]) = (0, true);
        let (term, term_pc) = if self.is_closed {
            let behind = std::mem::replace(&mut func.blocks[self.next], gone());
            insts.extend(behind.insts);
            counted += behind.guest_insts;
            (leading[self.next], is_gone[self.next]) = (0, true);
            (behind.term, behind.term_pc)
        } else {
            leading[self.next] -= 1;
            (Term::Jump(BlockId(self.next as u32)), body.term_pc)
        };
        let head = &mut func.blocks[self.head];
        (head.insts, head.term, head.term_pc) = (insts, term, term_pc);
        head.guest_insts += counted;
    }
}

/// x and not y
fn without(b: &mut Builder, x: Value, y: Value) -> Value {
    let not = b.pure1(PureOp::BNot, y);
    b.pure2(PureOp::BAnd, x, not)
}

/// What a register has: `old` if the condition holds, else `new`.
fn select(b: &mut Builder, cond: Value, old: Value, new: Value, register: SReg) -> Value {
    if register.ty().width != Width::B1 {
        return b.pure3(PureOp::Sel32, cond, old, new);
    }
    let (kept, new) = (b.pure2(PureOp::BAnd, old, cond), without(b, new, cond));
    b.pure2(PureOp::BOr, kept, new)
}

/// Where a function's loops begin and end.
fn loops(func: &Func) -> Vec<(u64, u64)> {
    let mut found = vec![];
    for block in &func.blocks {
        block.term.for_each_successor(|to| {
            if goes_back(block, func.block(to)) {
                found.push((func.block(to).pc, block.term_pc));
            }
        });
    }
    found
}

/// What is in place of a block until it is taken out.
fn gone() -> Block {
    Block { pc: 0, mode: FpMode(0), insts: vec![], term: Term::End, term_pc: 0, guest_insts: 0 }
}

/// The operation of a block that makes a value.
fn def(block: &Block, v: Value) -> Option<&Op> {
    block.insts.iter().rev().find(|inst| (0..inst.results).any(|r| inst.result(r.into()) == v)).map(|inst| &inst.op)
}

/// Does a condition at the end of a block say that no lane is active (true), or that some are (false)? And EXEC there. None: neither.
pub(super) fn skips(block: &Block, cond: Value) -> Option<(bool, Value)> {
    let exec = block.insts.iter().rev().find_map(|inst| match inst.op {
        Op::ExecSet(m) => Some(m),
        Op::ExecGet => Some(inst.first),
        _ => None,
    })?;
    let is_zero = |v: Value| matches!(def(block, v), Some(Op::Const { bits: 0, .. }));
    let is_exec = |v: Value| matches!(def(block, v), Some(Op::MaskBits(m)) if *m == exec);
    match def(block, cond)? {
        Op::Pure { op: op @ (PureOp::ICmpEq64 | PureOp::ICmpNe64), args: [Some(x), Some(y), _], .. }
            if is_exec(*x) && is_zero(*y) || is_exec(*y) && is_zero(*x) =>
        {
            Some((*op == PureOp::ICmpEq64, exec))
        }
        _ => None,
    }
}

/// Does a mask say something of what was loaded in the block? Then lanes seldom agree, while of what is computed from ids whole waves do: as a loop goes round, or in
/// the steps of a reduction, more and more of them have nothing left to do.
fn of_data(block: &Block, mask: Value) -> bool {
    let (mut work, mut looked_at) = (vec![mask], 0);
    while let Some(v) = work.pop() {
        looked_at += 1;
        match def(block, v) {
            Some(Op::Load { .. }) => return true,
            Some(Op::Pure { args, .. }) if looked_at < MOST_LOOKED_AT => work.extend(args.iter().flatten()),
            _ => {}
        }
    }
    false
}

/// May a body run without active lanes, as far as it matters, and does it cost little then? Stores have a cost of their own, since nothing comes of them
/// in the block.
fn may_run_without_lanes(func: &Func, body: &Block, is_of_data: bool) -> bool {
    let (mut cost, mut most, mut exec, mut now) = (0, MOST, None, None);
    let defs = |v: Value| match def(body, v)? {
        Op::Pure { op, args, .. } => Some((*op, *args)),
        _ => None,
    };
    for inst in &body.insts {
        cost += match &inst.op {
            Op::Note { .. } | Op::Refund { .. } | Op::Const { .. } | Op::Splat(_) | Op::LaneId | Op::LaneTable(_) => 0,
            Op::SGet(_) | Op::VGet { .. } | Op::VSet { .. } | Op::MaskBits(_) | Op::BitsMask(_) => 0,
            Op::SSet(r, _) if r.0 <= SReg::SCC.0 => 0,
            Op::ExecGet => {
                exec = exec.or(Some(inst.first));
                now = now.or(exec);
                0
            }
            // Lanes that are turned on would do what is jumped over.
            Op::ExecSet(m) if exec.is_some_and(|exec| masks::is_subset(&defs, *m, exec)) => {
                now = Some(*m);
                0
            }
            Op::Pure { op, .. } if func.ty(inst.first).shape == Shape::Lane => 1 + u32::from(op.ret() == Width::B64),
            Op::Pure { .. } => 1,
            Op::Load { space, .. } if *space != Space::Scratch => {
                most = if *space == Space::Lds && !is_of_data { MOST_OF_TILES } else { most };
                ACCESS
            }
            Op::Store { space, .. } if *space != Space::Scratch && is_of_data => ACCESS,
            _ => return false,
        };
    }
    // Without active lanes there are none behind it either.
    cost <= most && (now.is_none() || now == exec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opt::with_masks;
    use wavejit_ir::text::{parse, print};
    use wavejit_ir::verify::verify;

    const OPTS: OptOptions = OptOptions { keep_final_state: false, is_wide: true, is_avx512: false };

    /// A function whose block b0 sets EXEC to the lanes in which v0 is s0, and jumps over b1 on `branch`; b2 is the end.
    fn with_body(branch: &str, body: &str) -> Func {
        with_masks(&format!(
            "setexec %5
 %6: s64 = maskbits %5
 %7: s64 = const.64 0
 %8: s1 = {branch}
b1 pc=20 mode=0x3f0 insts=3:
 {body}
 jump b2
b2 pc=40 mode=0x3f0 insts=2:
 %90: mask = exec
 %91: s32 = const.32 9
 %92: l32 = splat %91
 vset v7, %92, exec %90"
        ))
    }

    const SKIP: &str = "eq.64 %6, %7\n branch %8, b2, b1";
    const ENTER: &str = "ne.64 %7, %6\n branch %8, b1, b2";
    const LOAD: &str =
        "%10: mask = exec\n %11: l32 = vget v1 demand %10\n %12: l32 = load global.b32 [lane %11], exec %10\n vset v2, %12, exec %10";

    fn joined(branch: &str, body: &str) -> Option<Func> {
        let mut func = with_body(branch, body);
        let before = func.clone();
        let changed = run(&mut func, OPTS);
        verify(&func).unwrap_or_else(|e| panic!("{e:?}\n{}", print(&func)));
        assert_eq!(changed, func != before);
        changed.then_some(func)
    }

    #[test]
    fn bodies_become_part_of_the_block_before_them_and_so_does_what_follows() {
        for branch in [SKIP, ENTER] {
            let func = joined(branch, LOAD).expect("a hammock");
            let [block] = &func.blocks[..] else { panic!("{}", print(&func)) };
            assert_eq!((block.guest_insts, block.term_pc, &block.term), (6, 40, &Term::End));
            let refund =
                block.insts.iter().find_map(|i| if let Op::Refund { insts, unused } = i.op { Some((insts, unused)) } else { None });
            let (insts, unused) = refund.expect("fuel is given back");
            let def = block.insts.iter().find(|i| i.results == 1 && i.first == unused).unwrap();
            assert_eq!(insts, 3);
            assert_eq!(matches!(def.op, Op::Pure { op: PureOp::BNot, .. }), branch == ENTER);
        }
    }

    #[test]
    fn fuel_of_a_body_inside_is_given_back_once() {
        let inside = format!("%9: s1 = sget scc\n refund 1, %9\n {LOAD}");
        let func = joined(SKIP, &inside).expect("a hammock");
        let insts = &func.blocks[0].insts;
        let refunds: Vec<Value> =
            insts.iter().filter_map(|i| if let Op::Refund { unused, .. } = i.op { Some(unused) } else { None }).collect();
        let def = |v: Value| insts.iter().find(|i| i.results == 1 && i.first == v).map(|i| i.op.clone());
        assert_eq!((refunds.len(), refunds[0]), (2, Value(8)));
        let Some(Op::Pure { op: PureOp::BAnd, args: [Some(Value(9)), Some(not), _], .. }) = def(refunds[1]) else {
            panic!("{}", print(&func))
        };
        assert!(matches!(def(not), Some(Op::Pure { op: PureOp::BNot, args: [Some(Value(8)), ..], .. })));
    }

    #[test]
    fn scalars_are_written_if_the_body_would_have_run() {
        let func = joined(SKIP, "%10: s32 = sget s4\n %11: s1 = const.1 1\n sset s5, %10\n sset scc, %11").expect("a hammock");
        let written = |reg: SReg| {
            func.blocks[0].insts.iter().find_map(|i| match i.op {
                Op::SSet(r, v) if r == reg => func.blocks[0].insts.iter().find(|i| i.results == 1 && i.first == v).map(|i| i.op.clone()),
                _ => None,
            })
        };
        assert!(matches!(written(SReg(5)), Some(Op::Pure { op: PureOp::Sel32, args: [Some(Value(8)), Some(_), Some(Value(10))], .. })));
        assert!(matches!(written(SReg::SCC), Some(Op::Pure { op: PureOp::BOr, .. })));
    }

    #[test]
    fn what_must_not_happen_without_lanes_stays_where_it_is() {
        let long = (20..60).map(|v| format!("%{v}: l32 = iadd.32 %{}, %11\n ", if v == 20 { 11 } else { v - 1 })).collect::<String>();
        for body in [
            "%10: s64 = const.64 0\n %11: s32 = sload.1 [%10]".to_string(),
            format!("{LOAD}\n %13: l32 = atomic.rtn lds.add.32 [lane %11], %12, exec %10"),
            "%10: s64 = const.64 5\n %11: mask = bitsmask %10\n setexec %11".to_string(),
            // Lanes that are turned on for a while.
            format!("{LOAD}\n %13: s64 = const.64 5\n %14: mask = bitsmask %13\n setexec %14\n vset v3, %12, exec %14\n setexec %10"),
            format!("{LOAD}\n {long}"),
        ] {
            assert!(joined(SKIP, &body).is_none(), "{body}");
        }
        // Of ids, and of what was loaded.
        let store = format!("{LOAD}\n store lds.b32 [lane %11], %12, exec %10");
        assert!(joined(SKIP, &store).is_none());
        let mut func = with_body(SKIP, &store);
        let of_ids = &mut func.blocks[0].insts[1];
        assert_eq!(of_ids.first, Value(1));
        let addr = wavejit_ir::Addr { base: None, offset: None, imm: 0 };
        of_ids.op = Op::Load { space: Space::Lds, kind: wavejit_ir::MemKind::B32, addr, exec: Value(0) };
        assert!(run(&mut func, OPTS));
        // Another mask than EXEC's, or no question about lanes.
        assert!(joined("eq.64 %7, %7\n branch %8, b2, b1", LOAD).is_none());
        assert!(joined("const.1 1\n branch %8, b2, b1", LOAD).is_none());
        // EXEC is what it was.
        assert!(
            joined(SKIP, &format!("{LOAD}\n %13: mask = ne.32 %12, %11\n %14: mask = and.1 %13, %10\n setexec %14\n setexec %10"))
                .is_some()
        );
    }

    #[test]
    fn a_block_that_others_lead_to_stays_one() {
        let text = "func \"f\" wave32 {
b0 pc=0 mode=0x3f0 insts=1:
 %0: s1 = sget scc
 branch %0, b1, b3
b1 pc=4 mode=0x3f0 insts=1:
 %1: mask = exec
 %2: s64 = maskbits %1
 %3: s64 = const.64 0
 %4: s1 = eq.64 %2, %3
 branch %4, b3, b2
b2 pc=8 mode=0x3f0 insts=1:
 jump b3
b3 pc=12 mode=0x3f0 insts=1:
 end
}";
        let mut func = parse(text).unwrap();
        let around = parse(&text.replace(" end", " jump b0")).unwrap();
        assert!(!run(&mut around.clone(), OPTS), "waves without lanes go round a loop");
        assert!(run(&mut func, OPTS));
        verify(&func).unwrap();
        assert_eq!(func.blocks.len(), 3);
        assert_eq!((&func.blocks[1].term, func.blocks[1].guest_insts, func.blocks[1].term_pc), (&Term::Jump(BlockId(2)), 2, 8));
        assert_eq!(
            (&func.blocks[0].term, &func.blocks[2].term),
            (&Term::Branch { cond: Value(0), then: BlockId(1), otherwise: BlockId(2) }, &Term::End)
        );
    }
}
