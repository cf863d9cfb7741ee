//! Loops that add floats by comparing and exchanging until all lanes have succeeded: what comes after the first round becomes an [`Op::ExchangeSum`].
//!
//! Hardware, or a language, without atomic sums of floats has such loops. Where many lanes have one place, one of them succeeds in each round; the run time can
//! tell what the others would do, and does it at once. Where it cannot, there is a next round.
//!
//! ```text
//! b1:                                              b1:
//! %0 = exec; %1 = vget v4                          %0 = exec; %1 = vget v4
//! %2 = fadd.32 %9, %1                              %2 = fadd.32 %9, %1
//! %3 = atomic.rtn cmpswap [%7], %2 %1, exec %0     %3 = atomic.rtn cmpswap [%7], %2 %1, exec %0
//! %4 = eq.32 %3, %1                                %4 = eq.32 %3, %1; %5 = %0 & ~%4; %6 = bitsmask (sget s3)
//! vset v4, %3, exec %0                       =>    %a %b = exchangesum [%7], %9 %3, exec %5, left %6
//! sset s3, (maskbits %4) | (sget s3)               vset v4, %3, exec %0; vset v4, %a, exec %d
//! setexec %0 & ~(%4 | bitsmask (sget s3))          %d = %5 & eq.32 %b, 1; the rest with %4 | %d for %4
//! branch exec != 0, b1, b2                         branch exec != 0, b1, b2
//! ```
//!
//! What is added and the address are the same in each round. What is compared is what the last round has seen, or what is loaded from the place before. Beside
//! that a round changes EXEC, which lanes that have succeeded leave, and registers that collect them: nothing else, so that registers are what they would be
//! after all rounds.
//!
//! Before and after: any verified function.

use super::places::Places;
use wavejit_ir::{Addr, AtomicOp, Block, BlockId, FpMode, Func, Inst, MemKind, Op, PureOp, SReg, Space, Term, Ty, VReg, Value, Width};

/// Runs on every loop of one block.
pub(super) fn run(func: &mut Func) {
    let is_loop = |(b, block): &(usize, &Block)| block.term.successors().contains(&BlockId(*b as u32)) && exchange(block).is_some();
    let loops: Vec<usize> = func.blocks.iter().enumerate().filter(is_loop).map(|(b, _)| b).collect();
    if loops.is_empty() {
        return;
    }
    let places = Places::new(func);
    let find = |b: usize| Round { func, places: &places, block: &func.blocks[b] }.find(b).map(|found| (b, found));
    let found: Vec<(usize, Found)> = loops.into_iter().filter_map(find).collect();
    for (b, found) in found {
        replace(func, &places, b, found);
    }
}

/// The place of the first comparison and exchange that gives what it saw.
fn exchange(block: &Block) -> Option<usize> {
    block.insts.iter().position(|inst| matches!(inst.op, Op::Atomic { op: AtomicOp::CmpSwap, returns: true, .. }))
}

/// The exchange of a round.
#[derive(Clone, Copy)]
struct Exchange {
    /// Its place in the block.
    at: usize,
    space: Space,
    addr: Addr,
    exec: Value,
    dwords: usize,
    /// What it gives.
    seen: [Value; 2],
    /// What it compares.
    comparand: [Value; 2],
}

/// A loop that adds.
struct Found {
    exchange: Exchange,
    /// What is added: one value of as many bits.
    operand: Value,
    comparand_first: bool,
    /// The lanes that succeed, before they are masked.
    succeed: Value,
    /// Lanes that leave whatever they see.
    left: Vec<Value>,
    insts: u8,
}

struct Round<'a> {
    func: &'a Func,
    places: &'a Places,
    block: &'a Block,
}

impl Round<'_> {
    fn op(&self, v: Value) -> Option<&Op> {
        self.places.op(self.block, v)
    }

    /// The two operands of a pure operation.
    fn two(&self, v: Value, wanted: PureOp) -> Option<[Value; 2]> {
        let (op, [x, y, _]) = self.places.pure(self.block, v)?;
        (op == wanted).then_some([x?, y?])
    }

    fn one(&self, v: Value, wanted: PureOp) -> Option<Value> {
        let (op, [x, ..]) = self.places.pure(self.block, v)?;
        x.filter(|_| op == wanted)
    }

    fn find(&self, b: usize) -> Option<Found> {
        let exchange = self.exchange()?;
        let succeed = self.succeed(&exchange)?;
        let left = self.leaves(&exchange, succeed, b)?;
        self.changes_nothing_else(&exchange, succeed)?;
        let (operand, comparand_first) = self.operand(&exchange)?;
        let is_same = |v: Option<Value>| v.is_none_or(|v| self.is_invariant(v));
        if !self.is_invariant(operand) || !is_same(exchange.addr.base) || !is_same(exchange.addr.offset) {
            return None;
        }
        let insts = u8::try_from(self.block.guest_insts).ok()?;
        Some(Found { exchange, operand, comparand_first, succeed, left, insts })
    }

    fn exchange(&self) -> Option<Exchange> {
        let at = exchange(self.block)?;
        let inst = &self.block.insts[at];
        let Op::Atomic { space, wide, addr, data, exec, .. } = &inst.op else { return None };
        let dwords = 1 + usize::from(*wide);
        let of = |i: usize| data[dwords + i.min(dwords - 1)];
        let comparand = [of(0)?, of(1)?];
        let seen = [0, dwords - 1].map(|i| inst.result(i));
        let is_known = matches!(space, Space::Global | Space::Lds) && matches!(self.op(*exec)?, Op::ExecGet);
        is_known.then_some(Exchange { at, space: *space, addr: *addr, exec: *exec, dwords, seen, comparand })
    }

    /// What is added, and whether the comparand is the first operand of the sum.
    fn operand(&self, x: &Exchange) -> Option<(Value, bool)> {
        let Op::Atomic { data, .. } = &self.block.insts[x.at].op else { return None };
        let (sum, op) = if x.dwords == 1 {
            (data[0]?, PureOp::FAdd32)
        } else {
            let sum = self.one(data[0]?, PureOp::Lo64)?;
            (sum, if self.one(data[1]?, PureOp::Hi64)? == sum { PureOp::FAdd64 } else { return None })
        };
        let Op::Pure { mode, .. } = self.op(sum)? else { return None };
        if !(if x.dwords == 1 { mode.is_plain32() } else { mode.is_plain16_64() }) {
            return None;
        }
        let [a, b] = self.two(sum, op)?;
        let is_comparand = |v: Value| self.is_made_of(v, &x.comparand[..x.dwords]);
        match (is_comparand(a), is_comparand(b)) {
            (true, false) => Some((b, true)),
            (false, true) => Some((a, false)),
            _ => None,
        }
    }

    /// Is a value one of these dwords?
    fn is_made_of(&self, v: Value, dwords: &[Value]) -> bool {
        match dwords {
            [one] => v == *one,
            _ => self.two(v, PureOp::Pack64).is_some_and(|of| of == dwords),
        }
    }

    /// The mask of the lanes that see what they compare.
    fn succeed(&self, x: &Exchange) -> Option<Value> {
        let eq = if x.dwords == 1 { PureOp::ICmpEq32 } else { PureOp::ICmpEq64 };
        let (seen, comparand) = (&x.seen[..x.dwords], &x.comparand[..x.dwords]);
        let is_comparison = |inst: &&Inst| {
            let operands = self.two(inst.first, eq).unwrap_or([inst.first; 2]);
            [[0, 1], [1, 0]].iter().any(|[i, j]| self.is_made_of(operands[*i], seen) && self.is_made_of(operands[*j], comparand))
        };
        Some(self.block.insts[x.at..].iter().filter(|inst| inst.results == 1).find(is_comparison)?.first)
    }

    /// Are these the lanes that succeed, maybe masked with EXEC?
    fn is_success(&self, x: &Exchange, succeed: Value, v: Value) -> bool {
        let is_masked = |[a, b]: [Value; 2]| [a, b] == [succeed, x.exec] || [b, a] == [succeed, x.exec];
        v == succeed || self.two(v, PureOp::BAnd).is_some_and(is_masked)
    }

    /// The lanes that a round leaves whatever they see, if it leaves those that succeed, and goes on as long as there are others.
    fn leaves(&self, x: &Exchange, succeed: Value, b: usize) -> Option<Vec<Value>> {
        let mut set = self.block.insts.iter().enumerate().filter_map(|(at, inst)| match inst.op {
            Op::ExecSet(v) => Some((at, v)),
            _ => None,
        });
        let (at, exec) = set.next()?;
        let Term::Branch { cond, then, otherwise } = self.block.term else { return None };
        let goes_on = if then == otherwise { None } else { Some(then == BlockId(b as u32)) };
        if set.next().is_some() || at < x.at || self.is_any(cond, exec) != goes_on {
            return None;
        }
        let [all, leave] = self.two(exec, PureOp::BAndNot)?;
        let (mut left, mut leaves_success) = (vec![], false);
        let mut masks = vec![leave];
        while let Some(mask) = masks.pop() {
            if self.is_success(x, succeed, mask) {
                leaves_success = true;
            } else if let Some(both) = self.two(mask, PureOp::BOr) {
                masks.extend(both);
            } else {
                left.push(self.is_of_before(mask).then_some(mask)?);
            }
        }
        (all == x.exec && leaves_success).then_some(left)
    }

    /// Does a condition say that there are lanes in a mask (true), or that there are none (false)?
    fn is_any(&self, cond: Value, mask: Value) -> Option<bool> {
        if let Some(not) = self.one(cond, PureOp::BNot) {
            return self.is_any(not, mask).map(|any| !any);
        }
        let is_zero = |v: Value| matches!(self.op(v), Some(Op::Const { bits: 0, .. }));
        let is_bits = |v: Value| matches!(self.op(v), Some(Op::MaskBits(of)) if *of == mask);
        let is_test = |op| self.two(cond, op).is_some_and(|[a, b]| is_bits(a) && is_zero(b) || is_bits(b) && is_zero(a));
        match (is_test(PureOp::ICmpEq64), is_test(PureOp::ICmpNe64)) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            _ => None,
        }
    }

    /// Does a round change nothing but what this pass knows?
    fn changes_nothing_else(&self, x: &Exchange, succeed: Value) -> Option<()> {
        let insts = &self.block.insts;
        let is_same_place = |op: &Op| match op {
            Op::Load { space, kind, addr, exec } => {
                let kind_of = if x.dwords == 1 { MemKind::B32 } else { MemKind::B64 };
                (*space, *kind, *addr, *exec) == (x.space, kind_of, x.addr, x.exec)
            }
            _ => false,
        };
        let load = insts[..x.at].iter().find(|inst| is_same_place(&inst.op));
        // What is compared: loaded before, or what the last round has seen.
        let carried: Vec<VReg> = match load {
            Some(load) if (0..x.dwords).all(|i| load.result(i) == x.comparand[i]) => vec![],
            Some(_) => return None,
            None => {
                let reg = |v: &Value| if let Op::VGet { reg, .. } = self.op(*v)? { Some(*reg) } else { None };
                x.comparand[..x.dwords].iter().map(reg).collect::<Option<_>>()?
            }
        };
        let mut written = vec![];
        for (at, inst) in insts.iter().enumerate() {
            match &inst.op {
                Op::Atomic { .. } if at == x.at => {}
                Op::Load { .. } if load.is_some_and(|load| std::ptr::eq(load, inst)) => {}
                Op::SSet(reg, v) if at > x.at => self.collects(x, succeed, *reg, *v)?,
                Op::VSet { reg, value, exec } if at > x.at && *exec == x.exec => written.push((*reg, *value)),
                Op::ExecSet(_) | Op::Note { .. } => {}
                op if !op.has_effect() => {}
                _ => return None,
            }
        }
        // In the last round what was seen is what was compared.
        let is_last =
            |(_, value): &(VReg, Value)| x.seen[..x.dwords].contains(value) || load.is_some() && x.comparand[..x.dwords].contains(value);
        let are_carried = carried.iter().zip(x.seen).all(|(reg, seen)| written.iter().filter(|w| w.0 == *reg).eq([&(*reg, seen)]));
        let seen_by = |v: Value| self.places.users(self.func, v).iter().map(|at| insts.get(*at as usize));
        // Nobody else looks at what is seen.
        let is_known = |inst: Option<&Inst>| {
            inst.is_some_and(|inst| match inst.op {
                Op::VSet { .. } => true,
                Op::Pure { op: PureOp::Pack64, .. } => self.places.users(self.func, inst.first) == [self.places.def(succeed)],
                _ => inst.first == succeed,
            })
        };
        let all_known = x.seen[..x.dwords].iter().all(|v| seen_by(*v).all(is_known));
        (are_carried && written.iter().all(is_last) && all_known).then_some(())
    }

    /// Does a register collect the lanes that succeed?
    fn collects(&self, x: &Exchange, succeed: Value, reg: SReg, v: Value) -> Option<()> {
        let is_bits = |v: Value| {
            let half = self.one(v, PureOp::Lo64).or_else(|| self.one(v, PureOp::Hi64));
            matches!(self.op(half.unwrap_or(v)), Some(Op::MaskBits(of)) if self.is_success(x, succeed, *of))
        };
        let is_old = |v: Value| matches!(self.op(v), Some(Op::SGet(of)) if *of == reg);
        let [a, b] = self.two(v, PureOp::Or32)?;
        (is_bits(a) && is_old(b) || is_bits(b) && is_old(a)).then_some(())
    }

    /// Is a value the same in each round?
    fn is_invariant(&self, v: Value) -> bool {
        let writes = |reg: &VReg| self.block.insts.iter().any(|i| matches!(i.op, Op::VSet { reg: r, .. } if r == *reg));
        let sets = |reg: &SReg| self.block.insts.iter().any(|i| matches!(i.op, Op::SSet(r, _) if r == *reg));
        match self.op(v) {
            Some(Op::VGet { reg, .. }) => !writes(reg),
            Some(Op::SGet(reg)) => !sets(reg),
            Some(Op::Const { .. } | Op::LaneId | Op::LaneTable(_)) => true,
            Some(Op::Splat(of)) => self.is_invariant(*of),
            Some(Op::Pure { args, .. }) => args.iter().flatten().all(|v| self.is_invariant(*v)),
            _ => false,
        }
    }

    /// Can a value be computed at the block's start?
    fn is_of_before(&self, v: Value) -> bool {
        let sets = |reg: &SReg, at: usize| self.block.insts[..at].iter().any(|i| matches!(i.op, Op::SSet(r, _) if r == *reg));
        match self.op(v) {
            Some(Op::SGet(reg)) => !sets(reg, self.places.def(v) as usize),
            Some(Op::Const { .. }) => true,
            Some(Op::BitsMask(of)) => self.is_of_before(*of),
            Some(Op::Pure { args, .. }) => args.iter().flatten().all(|v| self.is_of_before(*v)),
            _ => false,
        }
    }
}

/// A block that is written anew.
struct Writer<'a> {
    func: &'a mut Func,
    places: &'a Places,
    /// What it was.
    insts: &'a [Inst],
    pc: u64,
    out: Vec<Inst>,
}

impl Writer<'_> {
    fn push(&mut self, op: Op, ty: Ty) -> Value {
        let first = self.func.new_values(&[ty]);
        self.out.push(Inst { op, first, results: 1, pc: self.pc });
        first
    }

    /// A value of the block as it was, made once more here.
    fn again(&mut self, v: Value) -> Value {
        let mut op = self.insts[self.places.def(v) as usize].op.clone();
        op.map_args(|arg| self.again(arg));
        self.push(op, self.func.ty(v))
    }

    fn pure(&mut self, op: PureOp, args: [Option<Value>; 3], ty: Ty) -> Value {
        self.push(Op::Pure { op, mode: FpMode(0), args }, ty)
    }
}

fn replace(func: &mut Func, places: &Places, b: usize, found: Found) {
    let x = found.exchange;
    let all = std::mem::take(&mut func.blocks[b].insts);
    let mut to = Writer { func, places, insts: &all, pc: all[x.at].pc, out: vec![] };
    let mut rest: Option<Rest> = None;
    for (at, inst) in all.iter().enumerate() {
        let mut inst = inst.clone();
        let succeed = rest.as_ref().map_or(found.succeed, |rest| rest.succeed);
        inst.op.map_args(|v| if v == found.succeed { succeed } else { v });
        let is_comparison = inst.results == 1 && inst.first == found.succeed;
        // What registers have that the first round has written.
        let written = if is_comparison { &all[..at] } else { std::slice::from_ref(&all[at]) };
        to.out.push(inst);
        if is_comparison {
            rest = Some(Rest::new(&mut to, &found));
        }
        for inst in written {
            if let Some(rest) = &rest
                && let Op::VSet { reg, value, .. } = inst.op
                && let Some((_, value)) = rest.last.iter().find(|(v, _)| *v == value)
            {
                to.out.push(Inst { op: Op::VSet { reg, value: *value, exec: rest.done }, first: Value(0), results: 0, pc: to.pc });
            }
        }
    }
    func.blocks[b].insts = to.out;
}

/// The rounds that follow the first one.
struct Rest {
    /// Lanes that succeed in them.
    done: Value,
    /// All that have succeeded then.
    succeed: Value,
    /// What those of `done` have at the end for what the first round has compared or seen.
    last: Vec<(Value, Value)>,
}

impl Rest {
    fn new(to: &mut Writer, found: &Found) -> Rest {
        let x = found.exchange;
        let failed = to.pure(PureOp::BAndNot, [Some(x.exec), Some(found.succeed), None], Ty::MASK);
        let masks: Vec<Value> = found.left.iter().map(|v| to.again(*v)).collect();
        let left = masks.into_iter().reduce(|a, b| to.pure(PureOp::BOr, [Some(a), Some(b), None], Ty::MASK));
        let left = left.unwrap_or_else(|| {
            let none = to.push(Op::Const { width: Width::B64, bits: 0 }, Ty::S64);
            to.push(Op::BitsMask(none), Ty::MASK)
        });
        let mut data = [Some(found.operand), Some(x.seen[0]), None, None];
        if x.dwords == 2 {
            let half = [PureOp::Lo64, PureOp::Hi64].map(|op| to.pure(op, [Some(found.operand), None, None], Ty::L32));
            data = [half[0], half[1], x.seen[0], x.seen[1]].map(Some);
        }
        let (space, wide, addr) = (x.space, x.dwords == 2, x.addr);
        let (comparand_first, insts) = (found.comparand_first, found.insts);
        let op = Op::ExchangeSum { space, wide, comparand_first, addr, data, exec: failed, left, insts };
        let first = to.func.new_values(&vec![Ty::L32; x.dwords + 1]);
        let result = |i: usize| Value(first.0 + i as u32);
        to.out.push(Inst { op, first, results: x.dwords as u8 + 1, pc: to.pc });
        let one = to.push(Op::Const { width: Width::B32, bits: 1 }, Ty::S32);
        let one = to.push(Op::Splat(one), Ty::L32);
        let done = to.pure(PureOp::ICmpEq32, [Some(result(x.dwords)), Some(one), None], Ty::MASK);
        let done = to.pure(PureOp::BAnd, [Some(done), Some(failed), None], Ty::MASK);
        let succeed = to.pure(PureOp::BOr, [Some(found.succeed), Some(done), None], Ty::MASK);
        let last = |of: [Value; 2]| (0..x.dwords).map(move |i| (of[i], result(i)));
        Rest { done, succeed, last: last(x.seen).chain(last(x.comparand)).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use wavejit_ir::text::{parse, print};
    use wavejit_ir::verify::verify;

    /// A loop that adds v5 to where v9 says, of which some lines are others.
    fn passed(replaced: &[(&str, &str)]) -> String {
        let mut text = "func \"f\" wave32 {
b0 pc=0 mode=0x3f0 insts=1:
 jump b1
b1 pc=4 mode=0x3f0 insts=8:
 %0: mask = exec
 %1: l32 = vget v4 demand %0
 %2: l32 = vget v5 demand %0
 %3: l32 = fadd.32 %2, %1
 %4: s64 = const.64 4096
 %5: l32 = vget v9 demand %0
 %6: l32 = atomic.rtn global.cmpswap.32 [%4 + lane %5 + 8], %3 %1, exec %0
 vset v6, %6, exec %0
 %7: mask = eq.32 %6, %1
 %8: mask = and.1 %7, %0
 %9: s64 = maskbits %8
 %10: s32 = lo.64 %9
 vset v4, %6, exec %0
 %11: s32 = sget s4
 %12: s32 = or.32 %10, %11
 %13: s64 = zext.64 %11
 %14: mask = bitsmask %13
 %15: mask = or.1 %8, %14
 %16: mask = andn.1 %0, %15
 setexec %16
 %17: s64 = maskbits %16
 %18: s64 = const.64 0
 %19: s1 = eq.64 %17, %18
 %20: s1 = not.1 %19
 sset s4, %12
 branch %20, b1, b2
b2 pc=8 mode=0x3f0 insts=1:
 end
}"
        .to_string();
        for (from, to) in replaced {
            assert_eq!(text.matches(from).count(), 1, "{from}");
            text = text.replace(from, to);
        }
        let mut func = parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        verify(&func).unwrap();
        run(&mut func);
        verify(&func).unwrap();
        print(&func)
    }

    fn is_found(replaced: &[(&str, &str)]) -> bool {
        passed(replaced).contains("exchangesum")
    }

    #[test]
    fn rounds_after_the_first_are_done_at_once() {
        let text = passed(&[]);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let at = |what: &str| lines.iter().position(|l| l.starts_with(what)).unwrap_or_else(|| panic!("{what}\n{text}"));
        let start = at("%7: mask") + 1;
        let expected = [
            "%21: mask = andn.1 %0, %7",
            "%22: s32 = sget s4",
            "%23: s64 = zext.64 %22",
            "%24: mask = bitsmask %23",
            "%25 %26: l32 = exchangesum global.32 [%4 + lane %5 + 8], %2 %6, exec %21, left %24, insts 8",
            "%27: s32 = const.32 1",
            "%28: l32 = splat %27",
            "%29: mask = eq.32 %26, %28",
            "%30: mask = and.1 %29, %21",
            "%31: mask = or.1 %7, %30",
            "vset v6, %25, exec %30",
            "%8: mask = and.1 %31, %0",
            "%9: s64 = maskbits %8",
            "%10: s32 = lo.64 %9",
            "vset v4, %6, exec %0",
            "vset v4, %25, exec %30",
        ];
        assert_eq!(lines[start..start + expected.len()], expected, "{text}");
    }

    #[test]
    fn what_is_compared_may_be_loaded_in_each_round() {
        let load = "%1: l32 = load global.b32 [%4 + lane %5 + 8], exec %0";
        let first = ("\n %1: l32 = vget v4 demand %0", "");
        let constant = ("\n %4: s64 = const.64 4096", "");
        let address = ("\n %5: l32 = vget v9 demand %0", "");
        let place = format!("%0: mask = exec\n %4: s64 = const.64 4096\n %5: l32 = vget v9 demand %0\n {load}");
        let loads = [first, constant, address, ("%0: mask = exec", place.as_str())];
        let of_loaded = |more: &[(&'static str, &'static str)]| is_found(&[&loads, more].concat());
        // What was seen goes to v4, which nobody reads in the loop.
        assert!(of_loaded(&[]));
        assert!(of_loaded(&[("vset v4, %6, exec %0", "vset v4, %1, exec %0")]));
        assert!(!of_loaded(&[("vset v4, %6, exec %0", "vset v4, %3, exec %0")]));
        let elsewhere = load.replace("+ 8", "+ 12");
        let place = place.replace(load, &elsewhere);
        assert!(!is_found(&[first, constant, address, ("%0: mask = exec", &place)]));
    }

    #[test]
    fn loops_that_do_something_else_stay() {
        assert!(is_found(&[("branch %20, b1, b2", "branch %19, b2, b1")]));
        assert!(is_found(&[("fadd.32 %2, %1", "fadd.32 %1, %2")]));
        assert!(is_found(&[("vset v6, %6, exec %0\n", "")]));
        let others = [
            ("fadd.32 %2, %1", "fmul.32 %2, %1"),
            ("fadd.32 %2, %1", "fadd.32 %2, %2"),
            // What is added, the address, and what is compared are not those of the round before.
            ("vset v6, %6, exec %0", "vset v5, %6, exec %0"),
            ("vset v6, %6, exec %0", "vset v9, %6, exec %0"),
            ("vset v4, %6, exec %0", "vset v7, %6, exec %0"),
            ("vset v4, %6, exec %0", "vset v4, %2, exec %0"),
            ("vset v4, %6, exec %0", "vset v4, %6, exec %8"),
            ("vset v6, %6, exec %0", "vset v6, %3, exec %0"),
            // Lanes leave, or stay, for other reasons.
            ("eq.32 %6, %1", "eq.32 %6, %2"),
            ("eq.32 %6, %1", "ne.32 %6, %1"),
            ("andn.1 %0, %15", "andn.1 %0, %14"),
            ("andn.1 %0, %15", "and.1 %0, %15"),
            ("branch %20, b1, b2", "branch %19, b1, b2"),
            ("branch %20, b1, b2", "branch %20, b1, b1"),
            ("setexec %16\n", ""),
            // Somebody counts rounds, or looks at what was seen.
            ("or.32 %10, %11", "iadd.32 %10, %11"),
            ("%11: s32 = sget s4", "%11: s32 = sget s5"),
            ("%18: s64 = const.64 0", "%18: s64 = const.64 1"),
            ("vset v6, %6, exec %0", "%21: l32 = not.32 %6\n store global.b32 [%4 + lane %5 + 16], %21, exec %0"),
            ("mode=0x3f0 insts=8", "mode=0x3f1 insts=8"),
            ("mode=0x3f0 insts=8", "mode=0x3c0 insts=8"),
            ("insts=8", "insts=256"),
        ];
        for change in others {
            assert!(!is_found(&[change]), "{change:?}");
        }
    }

    #[test]
    fn sums_of_f64_are_of_pairs() {
        let sum = "%21: l32 = vget v3 demand %0\n %22: l64 = pack.64 %1, %21\n %23: l64 = pack.64 %2, %2\n %24: l64 = fadd.64 %22, %23
 %3: l32 = lo.64 %24\n %25: l32 = hi.64 %24";
        let exchange = "%30 %31: l32 = atomic.rtn global.cmpswap.64 [%4 + lane %5 + 8], %3 %25 %1 %21, exec %0\n vset v3, %31, exec %0";
        let pairs = [
            ("%3: l32 = fadd.32 %2, %1", sum),
            ("%6: l32 = atomic.rtn global.cmpswap.32 [%4 + lane %5 + 8], %3 %1, exec %0", exchange),
            ("vset v6, %6, exec %0", "vset v6, %31, exec %0"),
            ("%7: mask = eq.32 %6, %1", "%27: l64 = pack.64 %30, %31\n %7: mask = eq.64 %27, %22"),
            ("vset v4, %6, exec %0", "vset v4, %30, exec %0"),
        ];
        let text = passed(&pairs);
        assert!(text.contains("exchangesum.first global.64 [%4 + lane %5 + 8], "), "{text}");
        for register in ["v3", "v4", "v6"] {
            assert_eq!(text.matches(&format!("vset {register}, ")).count(), 2, "{text}");
        }
        assert!(!is_found(&[&pairs[..], &[("hi.64 %24", "hi.64 %23")]].concat()));
        assert!(!is_found(&[&pairs[..], &[("vset v3, %31, exec %0", "vset v3, %30, exec %0")]].concat()));
    }
}
