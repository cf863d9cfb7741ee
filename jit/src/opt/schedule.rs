//! Orders of a block in which fewer values are alive.
//!
//! Compilers for GPUs load as early as they can, since memory is far, and do much at a time, since registers are many. A host waits less, looks ahead itself and has
//! few: what they do not hold would be stored, to be loaded again. Where values of a block are too many, two other orders are tried:
//!
//! - Loads wait: they move down, over operations without an effect, to the first that reads a result.
//! - A list is made from the end of the block on. As long as few values are alive it keeps to the order that is there, so that a host finds what it can do at a
//!   time; then what lets fewest live comes next (that is, before the others), of equals what was made wanted last, so that what is begun is finished.
//!
//! ```text
//! %3 = load [%0]; %4 = load [%1]; %5 = load [%2]            %3 = load [%0]; %4 = load [%1]
//! %6 = fadd %3, %4                                     =>   %6 = fadd %3, %4
//! %7 = fadd %6, %5                                          %5 = load [%2]; %7 = fadd %6, %5
//! ```
//!
//! In both, what has an effect stays in order, loads among it.
//!
//! Before and after: any verified function.

use super::OptOptions;
use super::places::{END, Places};
use rustc_hash::FxHashMap;
use wavejit_ir::{Block, Effect, Func, Inst, Op, PureOp, Shape, Ty, VReg, Value, Width};

/// The registers of a host.
#[derive(Clone, Copy)]
struct Registers {
    /// Those that a dword of all lanes takes.
    parts: i64,
    /// Those there are, without room for what an operation computes.
    held: i64,
}

impl Registers {
    fn of(func: &Func, opts: OptOptions) -> Registers {
        let (lanes, held) = if opts.is_avx512 { (16, 24) } else { (8, 11) };
        Registers { parts: i64::from(func.wave_size / lanes), held }
    }
}

/// Runs on every block.
pub(super) fn run(func: &mut Func, opts: OptOptions) {
    let registers = Registers::of(func, opts);
    // By value: the last place in its block that reads it.
    let mut last = vec![0; func.types.len()];
    let blocks: Vec<usize> =
        (0..func.blocks.len()).filter(|b| registers.parts * most_alive(func, *b, &mut last) > registers.held).collect();
    if blocks.is_empty() {
        return;
    }
    let places = Places::new(func);
    let excess = |func: &Func, b: usize, order: &[u32]| excess(func, &places, registers, b, order);
    for b in blocks {
        let early: Vec<u32> = (0..func.blocks[b].insts.len() as u32).collect();
        let before = excess(func, b, &early);
        if before == 0 {
            continue;
        }
        let mut best = (before, None);
        for order in [loads_late(func, &places, b), from_end(func, &places, registers, b)] {
            let after = excess(func, b, &order);
            // What waits is found later by a host that looks ahead: it has to be worth it, a register in the mean and a quarter.
            let gain = before - after;
            if gain >= early.len() as i64 && 4 * gain >= before && after < best.0 {
                best = (after, Some(order));
            }
        }
        let (_, Some(order)) = best else { continue };
        let insts = &mut func.blocks[b].insts;
        let mut all: Vec<Option<Inst>> = std::mem::take(insts).into_iter().map(Some).collect();
        insts.extend(order.into_iter().map(|at| all[at as usize].take().expect("each is there once")));
    }
}

/// Most dwords of lanes that are alive in a block at a time, as it is.
fn most_alive(func: &Func, b: usize, last: &mut [u32]) -> i64 {
    let block = &func.blocks[b];
    for (inst, at) in block.insts.iter().zip(0..) {
        inst.op.for_each_arg(|v| last[v.0 as usize] = at);
    }
    block.term.for_each_arg(|v| last[v.0 as usize] = END);
    let (mut alive, mut most) = (0, 0);
    for (inst, at) in block.insts.iter().zip(0..) {
        if is_at_hand(&inst.op) {
            last[inst.first.0 as usize] = 0;
        } else {
            let made = (0..inst.results).map(|r| inst.result(r.into())).filter(|v| last[v.0 as usize] > at);
            alive += made.map(|v| dwords(func, v)).sum::<i64>();
            most = alive.max(most);
        }
        inst.op.for_each_arg(|v| {
            // Once, though it may be an operand twice.
            if last[v.0 as usize] == at {
                last[v.0 as usize] = 0;
                alive -= dwords(func, v);
            }
        });
    }
    most
}

fn is_load(inst: &Inst) -> bool {
    matches!(inst.op, Op::Load { .. })
}

/// Of what could come next the newest are looked at, so that long blocks do not take long.
const MOST_LOOKED_AT: usize = 128;

/// So many operations of [`is_slow`] go on at the same time.
const FEW_SLOW: usize = 4;

/// Does it take long, so that it is to begin early? Divisions and roots have one unit of a host, other functions are long chains.
fn is_slow(op: &Op) -> bool {
    use PureOp::*;
    let Op::Pure { op, .. } = op else { return false };
    matches!(
        op,
        FDiv32
            | FDiv64
            | FRcp32
            | FRcp64
            | FRsq32
            | FRsq64
            | FRsqDenorm32
            | FSqrt32
            | FSqrt64
            | FSqrtDenorm32
            | FExp232
            | FExp2Denorm32
            | FLog232
            | FLog2Denorm32
            | FSin32
            | FCos32
    )
}

/// Is what it makes a register of the wave, or an operand of whoever reads it, so that it needs no room?
fn is_at_hand(op: &Op) -> bool {
    matches!(op, Op::VGet { .. } | Op::Splat(_) | Op::LaneId | Op::LaneTable(_))
}

/// Dwords of lanes that a value is.
fn dwords(func: &Func, v: Value) -> i64 {
    match func.ty(v) {
        Ty { shape: Shape::Lane, width: Width::B64 } => 2,
        Ty::MASK => 0,
        Ty { shape: Shape::Lane, .. } => 1,
        _ => 0,
    }
}

/// The order in which loads are late, by places of today.
fn loads_late(func: &Func, places: &Places, b: usize) -> Vec<u32> {
    let insts = &func.blocks[b].insts;
    let mut order = Vec::with_capacity(insts.len());
    // Loads that wait: from this place in the list on.
    let (mut loads, mut next): (Vec<u32>, usize) = (vec![], 0);
    for (inst, at) in insts.iter().zip(0..) {
        let stays = lets_loads_pass(&inst.op);
        let mut wanted = next;
        if stays || is_load(inst) {
            inst.op.for_each_arg(|v| {
                let def = places.def(v);
                if let Ok(k) = loads[next..].binary_search(&def) {
                    wanted = wanted.max(next + k + 1);
                }
            });
        } else {
            wanted = loads.len();
        }
        order.extend(&loads[next..wanted]);
        next = wanted;
        if is_load(inst) {
            loads.push(at);
        } else {
            order.push(at);
        }
    }
    order.extend(&loads[next..]);
    order
}

/// Do loads move down over it?
fn lets_loads_pass(op: &Op) -> bool {
    matches!(op.effect(), Effect::None | Effect::ReadsRegisters | Effect::Note)
}

/// The order that is found from the end on.
fn from_end(func: &Func, places: &Places, registers: Registers, b: usize) -> Vec<u32> {
    let block = &func.blocks[b];
    let slow = block.insts.iter().filter(|inst| is_slow(&inst.op)).count();
    let mut order = FromEnd {
        func,
        places,
        block,
        users: vec![0; block.insts.len()],
        live: vec![0; block.insts.len()],
        ready: vec![],
        alive: 0,
        few: if slow < FEW_SLOW { registers.held / 2 } else { registers.held * 5 / 6 },
        strong: vec![],
        weak: vec![],
        writes: vec![],
    };
    for (at, inst) in (0..).zip(&block.insts) {
        inst.op.for_each_arg(|v| order.users[places.def(v) as usize] += 1);
        match inst.op.effect() {
            Effect::None => {}
            Effect::ReadsRegisters | Effect::Note => order.weak.push(at),
            effect => {
                order.strong.push(at);
                if effect == Effect::WritesRegisters {
                    order.writes.push(at);
                }
            }
        }
    }
    block.term.for_each_arg(|v| order.begin(v));
    order.ready.extend(
        (0..block.insts.len() as u32).filter(|at| order.users[*at as usize] == 0 && block.insts[*at as usize].op.effect() == Effect::None),
    );
    let mut found = Vec::with_capacity(block.insts.len());
    while found.len() < block.insts.len() {
        let at = order.take();
        order.put(at);
        found.push(at);
    }
    found.reverse();
    found
}

/// An order as far as it has been found, from the end on.
struct FromEnd<'a> {
    func: &'a Func,
    places: &'a Places,
    block: &'a Block,
    /// By instruction: how often it is used by what has not been put.
    users: Vec<u32>,
    /// By instruction: a bit for each result that something uses which has been put.
    live: Vec<u32>,
    /// Dwords of lanes that are live, and how many are few.
    alive: i64,
    few: i64,
    /// Those without an effect that nothing uses any more.
    ready: Vec<u32>,
    /// Those that stay in order, those that read registers, and those that write them.
    strong: Vec<u32>,
    weak: Vec<u32>,
    writes: Vec<u32>,
}

impl FromEnd<'_> {
    /// What comes next, which is no longer waited for.
    fn take(&mut self) -> u32 {
        let is_unused = |at: &u32| self.users[*at as usize] == 0;
        let strong = self.strong.last().copied().filter(is_unused);
        let is_write = |at: u32| self.writes.last() == Some(&at);
        let strong = strong.filter(|at| !is_write(*at) || self.weak.last().is_none_or(|weak| weak < at));
        let write = self.writes.last().copied();
        let weak = self.weak.last().copied().filter(|at| is_unused(at) && write.is_none_or(|write| write < *at));
        // What reads registers comes right before whom it is for.
        if let Some(at) = weak {
            self.weak.pop();
            return at;
        }
        let newest = &self.ready[self.ready.len().saturating_sub(MOST_LOOKED_AT)..];
        let all = || strong.into_iter().chain(newest.iter().copied());
        let fits = all().filter(|at| self.alive + self.more(*at) <= self.few).max();
        let at = fits.or_else(|| all().enumerate().min_by_key(|(n, at)| (self.more(*at), std::cmp::Reverse(*n))).map(|(_, at)| at));
        let at = at.expect("the last one in the old order is ready");
        if strong == Some(at) {
            self.strong.pop();
            if is_write(at) {
                self.writes.pop();
            }
        } else {
            let place = self.ready.iter().rposition(|other| *other == at).expect("it is one of them");
            self.ready.remove(place);
        }
        at
    }

    /// How many dwords of lanes more live before an instruction than behind it.
    fn more(&self, at: u32) -> i64 {
        let inst = &self.block.insts[at as usize];
        let mut more = 0;
        if !is_at_hand(&inst.op) {
            let live = (0..inst.results).map(|r| inst.result(r.into())).filter(|v| self.is_live(*v));
            more -= live.map(|v| dwords(self.func, v)).sum::<i64>();
        }
        let mut before = [None; 2];
        inst.op.for_each_arg(|v| {
            let def = &self.block.insts[self.places.def(v) as usize];
            if !self.is_live(v) && !is_at_hand(&def.op) && !before.contains(&Some(v)) {
                more += dwords(self.func, v);
            }
            before = [Some(v), before[0]];
        });
        more
    }

    /// The instruction that makes a value, and its bit there.
    fn bit(&self, v: Value) -> (usize, u32) {
        let def = self.places.def(v) as usize;
        (def, 1 << (v.0 - self.block.insts[def].first.0))
    }

    fn is_live(&self, v: Value) -> bool {
        let (def, bit) = self.bit(v);
        self.live[def] & bit != 0
    }

    /// A value is live from now on.
    fn begin(&mut self, v: Value) {
        let (def, bit) = self.bit(v);
        self.live[def] |= bit;
    }

    /// Puts an instruction: what it reads is live from now on.
    fn put(&mut self, at: u32) {
        self.alive += self.more(at);
        self.block.insts[at as usize].op.for_each_arg(|v| {
            self.begin(v);
            let def = self.places.def(v);
            self.users[def as usize] -= 1;
            if self.users[def as usize] == 0 && self.block.insts[def as usize].op.effect() == Effect::None {
                self.ready.push(def);
            }
        });
    }
}

/// How many registers too many there are in that order, summed up over the block. What is made and used in a run of operations that look at no other lanes can
/// be done a register's lanes at a time, so that it takes one part.
fn excess(func: &Func, places: &Places, registers: Registers, b: usize, order: &[u32]) -> i64 {
    let insts = &func.blocks[b].insts;
    let mut now = vec![0; insts.len()];
    // By place in that order: the number of its run.
    let mut runs = Vec::with_capacity(insts.len() + 1);
    for (at, place) in order.iter().zip(0..) {
        now[*at as usize] = place;
        let op = &insts[*at as usize].op;
        let goes_on = matches!(op, Op::Pure { .. }) || !matches!(op.effect(), Effect::None | Effect::Memory | Effect::Wave | Effect::Probe);
        let run = runs.last().copied().unwrap_or(0);
        runs.push(if goes_on || is_at_hand(op) { run } else { run + 1 });
    }
    runs.push(runs.last().map_or(0, |run| run + 1));
    let last = |v: Value| places.users(func, v).iter().map(|user| if *user == END { insts.len() } else { now[*user as usize] }).max();
    let mut ends = vec![0i64; insts.len() + 1];
    let (mut live, mut sum) = (0, 0);
    // By register: when what was read from it is read for the last time.
    let mut read: FxHashMap<VReg, usize> = FxHashMap::default();
    for (at, place) in order.iter().zip(0..) {
        let inst = &insts[*at as usize];
        live -= ends[place];
        let mut begin = |size: i64, end: usize| {
            let size = size * if runs[place] == runs[end] { 1 } else { registers.parts };
            live += size;
            ends[end] += size;
        };
        match &inst.op {
            Op::VGet { reg, .. } => {
                if let Some(last) = last(inst.result(0)) {
                    let end = read.entry(*reg).or_insert(0);
                    *end = last.max(*end);
                }
            }
            // What was read of it before needs room from now on.
            Op::VSet { reg, .. } => {
                if let Some(end) = read.remove(reg).filter(|end| *end > place) {
                    begin(1, end);
                }
            }
            op if is_at_hand(op) => {}
            _ => {
                for v in (0..inst.results).map(|r| inst.result(r.into())) {
                    if let Some(last) = last(v) {
                        begin(dwords(func, v), last);
                    }
                }
            }
        }
        sum += (live - registers.held).max(0);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    const AVX512: OptOptions = OptOptions { keep_final_state: false, is_wide: true, is_avx512: true };

    /// Loads of v1 to v6, four dwords each, at the start of a block.
    fn block(rest: &str) -> Func {
        let gets: String = (1..=6).map(|k| format!("%{k}: l32 = vget v{k} demand %0\n")).collect();
        let loads: String = (0..6)
            .map(|k| {
                let first = 10 + 4 * k;
                format!("%{first} %{} %{} %{}: l32 = load lds.b128 [lane %{}], exec %0\n", first + 1, first + 2, first + 3, k + 1)
            })
            .collect();
        let text = format!("func \"f\" wave32 {{\nb0 pc=0 mode=0x3f0 insts=1:\n%0: mask = exec\n{gets}{loads}{rest}\nend\n}}");
        wavejit_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
    }

    /// Sums of all dwords that are loaded, in turn; the last is value 62.
    fn sums_of_loads() -> String {
        let sum = |k: u32| format!("%{}: l32 = iadd.32 %{}, %{}\n", 40 + k, if k == 0 { 10 } else { 39 + k }, 11 + k);
        (0..23).map(sum).collect()
    }

    /// The order after the pass: loads, operations without an effect (+), writes of registers, stores.
    fn order(mut func: Func) -> String {
        run(&mut func, AVX512);
        wavejit_ir::verify::verify(&func).expect("the order is right");
        let what = |inst: &Inst| match inst.op.effect() {
            Effect::None => Some('+'),
            Effect::ReadsRegisters => None,
            _ if is_load(inst) => Some('L'),
            Effect::WritesRegisters => Some('W'),
            _ => Some('S'),
        };
        func.blocks[0].insts.iter().filter_map(what).collect()
    }

    #[test]
    fn loads_wait_for_who_reads_them() {
        assert_eq!(order(block(&(sums_of_loads() + "vset v9, %62, exec %0"))), "L+++L++++L++++L++++L++++L++++W");
    }

    #[test]
    fn loads_stay_before_what_has_an_effect() {
        // A write of a register, and a load that nobody reads.
        let write = format!("vset v8, %1, exec %0\n{}vset v9, %62, exec %0", sums_of_loads());
        let order_of_write = order(block(&write));
        let (before, _) = order_of_write.split_once('W').expect("there are two writes");
        assert_eq!(before.matches('L').count(), 6, "all loads come first: {order_of_write}");
        let store = "%40: l32 = iadd.32 %10, %14\nstore lds.b32 [lane %1], %40, exec %0";
        let order = order(block(store));
        assert!(order.ends_with('S') && order.matches('L').count() == 6, "{order}");
    }

    /// A block that begins sixteen sums of products, each of a register and one that all read, and then writes them; so many are alive before the first write.
    fn sums(op: &str) -> Func {
        let gets: String = (0..18).map(|k| format!("%{}: l32 = vget v{k} demand %0\n", k + 1)).collect();
        let all =
            |first: u32, of: &dyn Fn(u32) -> String| -> String { (0..32).map(|k| format!("%{}: l32 = {}\n", first + k, of(k))).collect() };
        let products = all(100, &|k| format!("fmul.32 %{}, %17", k % 16 + 1));
        let sums = all(200, &|k| format!("{op} %{}, %18", 100 + k));
        let more = all(300, &|k| format!("fadd.32 %{}, %{}", 200 + k, 100 + k));
        let sets: String = (0..32).map(|k| format!("vset v{}, %{}, exec %0\n", 20 + k, 300 + k)).collect();
        let text =
            format!("func \"f\" wave32 {{\nb0 pc=0 mode=0x3f0 insts=1:\n%0: mask = exec\n{gets}{products}{sums}{more}{sets}\nend\n}}");
        wavejit_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
    }

    /// Most values of lanes that are alive at a time, and the pass's order.
    fn most_alive(mut func: Func) -> usize {
        run(&mut func, AVX512);
        wavejit_ir::verify::verify(&func).expect("the order is right");
        let places = Places::new(&func);
        let made = |at: u32| matches!(func.blocks[0].insts[at as usize].op, Op::Pure { .. });
        let alive = |at: u32| {
            let ends = |v: Value| places.users(&func, v).iter().copied().max().unwrap_or(0);
            (0..at).filter(|def| made(*def) && ends(func.blocks[0].insts[*def as usize].result(0)) > at).count()
        };
        (0..func.blocks[0].insts.len() as u32).map(alive).max().unwrap_or(0)
    }

    #[test]
    fn what_is_begun_is_finished_where_registers_are_short() {
        let before = sums("fmax.32");
        let (before, after) = (before.clone(), most_alive(before));
        assert!((12..=15).contains(&after), "{after} are alive, of which twelve are few");
        // Writes stay in their order.
        let mut func = before;
        run(&mut func, AVX512);
        let written: Vec<VReg> =
            func.blocks[0].insts.iter().filter_map(|inst| if let Op::VSet { reg, .. } = inst.op { Some(reg) } else { None }).collect();
        assert!(written.is_sorted() && written.len() == 32, "{written:?}");
    }

    #[test]
    fn slow_operations_begin_earlier() {
        let (quick, slow) = (most_alive(sums("fmax.32")), most_alive(sums("fdiv.32")));
        assert!(slow > quick && slow <= 24, "{slow} against {quick}");
    }
}
