//! Loads that wait until one of their results is wanted.
//!
//! Compilers for GPUs load as early as they can, since memory is far and registers are many. A host waits less and has few: results of many loads in a row
//! would be stored, to be loaded again. In a block with more of them than its registers hold loads move down, over operations without an effect, to the first
//! that reads a result. They stay in order, among themselves and with all that has an effect.
//!
//! ```text
//! %3 = load [%0]; %4 = load [%1]; %5 = load [%2]            %3 = load [%0]; %4 = load [%1]
//! %6 = fadd %3, %4                                     =>   %6 = fadd %3, %4
//! %7 = fadd %6, %5                                          %5 = load [%2]; %7 = fadd %6, %5
//! ```
//!
//! Before and after: any verified function.

use super::places::{END, Places};
use wavejit_ir::{Effect, Func, Inst, Op, Shape, Value, Width};

/// So many dwords of lanes a host holds, in waves of 32, with room for what it computes.
const HELD: i64 = 12;

/// Runs on every block.
pub(super) fn run(func: &mut Func) {
    let loaded = |insts: &[Inst]| insts.iter().filter(|inst| is_load(inst)).map(|inst| i64::from(inst.results)).sum::<i64>();
    let waves = i64::from(func.wave_size / 32);
    let blocks: Vec<usize> = (0..func.blocks.len()).filter(|b| loaded(&func.blocks[*b].insts) * waves > HELD).collect();
    if blocks.is_empty() {
        return;
    }
    let places = Places::new(func);
    for b in blocks {
        let order = late(func, &places, b);
        let early: Vec<u32> = (0..order.len() as u32).collect();
        // Arithmetic between loads is done for all lanes at once, and wants more registers than arithmetic behind them: it has to be worth it.
        if order == early || 2 * excess(func, &places, b, &order) > excess(func, &places, b, &early) {
            continue;
        }
        let insts = &mut func.blocks[b].insts;
        let mut all: Vec<Option<Inst>> = std::mem::take(insts).into_iter().map(Some).collect();
        insts.extend(order.into_iter().map(|at| all[at as usize].take().expect("each is there once")));
    }
}

fn is_load(inst: &Inst) -> bool {
    matches!(inst.op, Op::Load { .. })
}

/// The order in which loads are late, by places of today.
fn late(func: &Func, places: &Places, b: usize) -> Vec<u32> {
    let insts = &func.blocks[b].insts;
    let mut order = Vec::with_capacity(insts.len());
    // Loads that wait: from this place in the list on.
    let (mut loads, mut next): (Vec<u32>, usize) = (vec![], 0);
    for (inst, at) in insts.iter().zip(0..) {
        let stays = matches!(inst.op.effect(), Effect::None | Effect::ReadsRegisters | Effect::Note);
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

/// How many dwords of lanes too many there are in that order, summed up over the block.
fn excess(func: &Func, places: &Places, b: usize, order: &[u32]) -> i64 {
    let insts = &func.blocks[b].insts;
    let mut now = vec![0; insts.len()];
    for (at, place) in order.iter().zip(0..) {
        now[*at as usize] = place;
    }
    // What registers of the wave or the operands of an operation hold needs no room.
    let dwords = |inst: &Inst, v: Value| match (func.ty(v).shape, &inst.op) {
        (_, Op::VGet { .. } | Op::Splat(_) | Op::LaneId | Op::LaneTable(_)) => 0,
        (Shape::Lane, _) if func.ty(v).width == Width::B64 => 2,
        (Shape::Lane, _) => 1,
        _ => 0,
    };
    let waves = i64::from(func.wave_size / 32);
    let mut ends = vec![0i64; insts.len() + 1];
    let (mut live, mut sum) = (0, 0);
    for (at, place) in order.iter().zip(0..) {
        let inst = &insts[*at as usize];
        live -= ends[place];
        for v in (0..inst.results).map(|r| inst.result(r.into())) {
            let size = dwords(inst, v) * waves;
            let last = places.users(func, v).iter().map(|user| if *user == END { insts.len() } else { now[*user as usize] }).max();
            if let Some(last) = last {
                live += size;
                ends[last] += size;
            }
        }
        sum += (live - HELD).max(0);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loads of v1 to v4, four dwords each, at the start of a block.
    fn block(rest: &str) -> Func {
        let gets: String = (1..=4).map(|k| format!("%{k}: l32 = vget v{k} demand %0\n")).collect();
        let loads: String = (0..4)
            .map(|k| {
                let first = 10 + 4 * k;
                format!("%{first} %{} %{} %{}: l32 = load lds.b128 [lane %{}], exec %0\n", first + 1, first + 2, first + 3, k + 1)
            })
            .collect();
        let text = format!("func \"f\" wave32 {{\nb0 pc=0 mode=0x3f0 insts=1:\n%0: mask = exec\n{gets}{loads}{rest}\nend\n}}");
        wavejit_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
    }

    /// What comes behind reads of registers after the pass: loads, and effects of others.
    fn order(mut func: Func) -> Vec<String> {
        run(&mut func);
        wavejit_ir::verify::verify(&func).expect("the order is right");
        func.blocks[0].insts.iter().skip(5).map(|i| if is_load(i) { "load".into() } else { format!("{:?}", i.op.effect()) }).collect()
    }

    #[test]
    fn loads_wait_for_who_reads_them() {
        let sums = "%40: l32 = iadd.32 %10, %14\n%41: l32 = iadd.32 %40, %18\n%42: l32 = iadd.32 %41, %22\nvset v9, %42, exec %0";
        assert_eq!(order(block(sums)), ["load", "load", "None", "load", "None", "load", "None", "WritesRegisters"]);
    }

    #[test]
    fn loads_stay_before_what_has_an_effect() {
        // A write of a register, and a load that nobody reads.
        let writes = "vset v8, %1, exec %0\n%41: l32 = iadd.32 %10, %14\nvset v9, %41, exec %0";
        assert_eq!(order(block(writes)), ["load", "load", "load", "load", "WritesRegisters", "None", "WritesRegisters"]);
        let store = "%40: l32 = iadd.32 %10, %14\nstore lds.b32 [lane %1], %40, exec %0";
        assert_eq!(order(block(store)), ["load", "load", "None", "load", "load", "Memory"]);
    }
}
