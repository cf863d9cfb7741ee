//! Logic on dwords of lanes, of two operands at a time, becomes logic of three: one instruction where AVX-512 has `vpternlogd`.
//!
//! ```text
//! %3 = xor.32 %0, %1                                            (gone)
//! %4 = xor.32 %3, %2           =>     %4 = xor3.32 %0, %1, %2
//! ```
//!
//! What a value is of up to three others is a table of eight bits ([`table`]); it is known for every operation, and follows for those made of others. So
//! whatever way a compiler took, the fewest operations are found that cover it: a tree of logic whose inner values have no other user is covered from its
//! leaves on, each value at the least cost of all tables that end in it.
//!
//! Constants stay with the operation that has them: what is known of addresses is known by these.
//!
//! Before and after: any verified function. What nobody reads any more is for `dead`.

use super::places::Places;
use std::sync::LazyLock;
use wavejit_ir::eval::eval;
use wavejit_ir::{Block, FpMode, Func, Inst, Op, PureOp, Ty, Value};

/// Logic of three operands that is made here alone, and for AVX-512 alone.
pub const OF_THREE: [PureOp; 17] = {
    use PureOp::*;
    [
        Xor3x32, And3x32, Or3x32, Majority32, AndOr32, AndnOr32, OrAnd32, OrnAnd32, AndXor32, AndnXor32, OrXor32, OrnXor32, XorAnd32,
        XorAndn32, XorOr32, AndAndn32, AndnAndn32,
    ]
};

/// Which combinations of three bits each operand has: that of the first has weight 4, of the last 1.
const BITS: [u8; 3] = [0xf0, 0xcc, 0xaa];

/// Most ways to make a value that are kept for those who use it.
const MOST_WAYS: usize = 6;

/// What an operation makes of three bits, if it is logic: by the number that these are, the first of them the highest.
pub fn table(op: PureOp) -> Option<u8> {
    use PureOp::*;
    let is_there = matches!(op, And32 | Or32 | Xor32 | Not32 | Bfi32);
    (is_there || OF_THREE.contains(&op)).then(|| eval(op, FpMode(0), BITS[0].into(), BITS[1].into(), BITS[2].into()) as u8)
}

/// The table of the same function with its operands in another order: the one in place `i` is that which was in place `order[i]`.
pub fn reordered(table: u8, order: [usize; 3]) -> u8 {
    let mut operands = [0; 3];
    order.into_iter().zip(BITS).for_each(|(place, bits)| operands[place] = bits);
    over(table, operands)
}

/// By table: an operation with it, and which of the three operands is each of its operands.
static OPERATIONS: LazyLock<[Option<(PureOp, [usize; 3])>; 256]> = LazyLock::new(|| {
    let mut all = [None; 256];
    for op in [PureOp::Bfi32].into_iter().chain(OF_THREE) {
        let of_op = table(op).expect("it is logic");
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            // In that order the operand in place `order[i]` of the operation comes from place `i`.
            let mut args = [0; 3];
            order.into_iter().enumerate().for_each(|(i, place)| args[place] = i);
            all[usize::from(reordered(of_op, order))].get_or_insert((op, args));
        }
    }
    all
});

/// A way to make a value: of these others, by this table.
#[derive(Clone, Copy)]
struct Way {
    leaves: [Value; 3],
    count: usize,
    table: u8,
    /// Operations for it and for what its leaves are made of.
    cost: u32,
    /// Is it a value as it is?
    is_leaf: bool,
}

impl Way {
    /// A value as it is.
    fn of(v: Value, cost: u32) -> Way {
        Way { leaves: [v; 3], count: 1, table: BITS[0], cost, is_leaf: true }
    }

    fn has(&self) -> &[Value] {
        &self.leaves[..self.count]
    }

    /// Its table, if its leaves stand among others.
    fn table_among(&self, leaves: &[Value]) -> u8 {
        let bits = |i: usize| leaves.iter().position(|leaf| *leaf == self.leaves[i]).map_or(0, |place| BITS[place]);
        over(self.table, [0, 1, 2].map(|i| if i < self.count { bits(i) } else { 0 }))
    }
}

/// A table whose operands have these tables themselves.
fn over(table: u8, operands: [u8; 3]) -> u8 {
    let number = |i: u8| operands.iter().fold(0, |number, bits| number << 1 | bits >> i & 1);
    (0..8).filter(|i| table >> number(*i) & 1 != 0).fold(0, |all, i| all | 1 << i)
}

/// Runs on every block. Has anything changed?
pub(super) fn run(func: &mut Func) -> bool {
    let of_interest = |inst: &&Inst| is_logic(func, inst).is_some();
    let blocks: Vec<usize> = (0..func.blocks.len()).filter(|b| func.blocks[*b].insts.iter().filter(of_interest).nth(1).is_some()).collect();
    if blocks.is_empty() {
        return false;
    }
    let places = Places::new(func);
    let found: Vec<(usize, Vec<(usize, Op)>)> = blocks.into_iter().map(|b| (b, Cover::of(func, &places, b))).collect();
    let mut is_any = false;
    for (b, ops) in found {
        for (at, op) in ops {
            func.blocks[b].insts[at].op = op;
            is_any = true;
        }
    }
    is_any
}

/// The table and the operands of logic on dwords of lanes.
fn is_logic(func: &Func, inst: &Inst) -> Option<(u8, [Option<Value>; 3])> {
    match inst.op {
        Op::Pure { op, args, .. } if func.ty(inst.first) == Ty::L32 => Some((table(op)?, args)),
        _ => None,
    }
}

/// The ways to make the logic of a block.
struct Cover<'a> {
    func: &'a Func,
    places: &'a Places,
    block: &'a Block,
    /// By instruction: the best one first.
    ways: Vec<Vec<Way>>,
}

impl Cover<'_> {
    /// What instructions become, by their places.
    fn of(func: &Func, places: &Places, b: usize) -> Vec<(usize, Op)> {
        let block = &func.blocks[b];
        let mut cover = Cover { func, places, block, ways: vec![vec![]; block.insts.len()] };
        for (at, inst) in block.insts.iter().enumerate() {
            if let Some((table, args)) = is_logic(func, inst) {
                cover.ways[at] = cover.ways_of(table, args);
            }
        }
        cover.chosen()
    }

    /// Is it a constant, or another scalar, in all lanes?
    fn is_splat(&self, v: Value) -> bool {
        matches!(self.places.op(self.block, v), Some(Op::Splat(_)))
    }

    /// The ways of an operand: as it is, and if it is logic for this user alone, as those who make it do.
    fn ways_of_operand(&self, v: Value) -> Vec<Way> {
        let inner = &self.ways[self.places.def(v) as usize];
        let is_for_one = self.places.users(self.func, v).len() == 1;
        match inner.first() {
            Some(best) if is_for_one => [Way::of(v, best.cost)].into_iter().chain(inner.iter().copied()).collect(),
            _ => vec![Way::of(v, 0)],
        }
    }

    /// The ways of an operation; none if it stays what it is.
    fn ways_of(&self, table: u8, args: [Option<Value>; 3]) -> Vec<Way> {
        if args.iter().flatten().any(|v| self.is_splat(*v)) {
            return vec![];
        }
        let operands: Vec<Vec<Way>> = args.iter().flatten().map(|v| self.ways_of_operand(*v)).collect();
        let mut all: Vec<(Way, bool)> = vec![];
        let mut picked = vec![0; operands.len()];
        loop {
            let of_operands: Vec<&Way> = picked.iter().zip(&operands).map(|(i, ways)| &ways[*i]).collect();
            let is_there = picked.iter().all(|i| *i == 0);
            all.extend(joined(table, &of_operands).map(|way| (way, is_there || operation(&way).is_some())));
            // The next combination.
            let Some(i) = (0..picked.len()).find(|i| picked[*i] + 1 < operands[*i].len()) else { break };
            picked[i] += 1;
            picked[..i].fill(0);
        }
        // Those without an operation are for users. The first of those that cost the same takes the operands as they are.
        all.sort_by_key(|(way, is_possible)| (!is_possible, way.cost));
        all.truncate(MOST_WAYS);
        all.into_iter().map(|(way, _)| way).collect()
    }

    /// The operations of the best ways of all values that are still wanted.
    fn chosen(&self) -> Vec<(usize, Op)> {
        let mut is_inside = vec![false; self.block.insts.len()];
        let mut found = vec![];
        for (at, inst) in self.block.insts.iter().enumerate().rev() {
            let (Some(way), Some((_, args))) = (self.ways[at].first(), is_logic(self.func, inst)) else { continue };
            if is_inside[at] || args.iter().flatten().all(|v| way.has().contains(v)) {
                continue;
            }
            // Whatever is between it and its leaves has gone.
            let mut inner: Vec<Value> = args.into_iter().flatten().collect();
            while let Some(v) = inner.pop() {
                if !way.has().contains(&v) {
                    let def = self.places.def(v) as usize;
                    is_inside[def] = true;
                    inner.extend(is_logic(self.func, &self.block.insts[def]).into_iter().flat_map(|(_, args)| args).flatten());
                }
            }
            let (op, order) = operation(way).expect("ways have operations");
            found.push((at, Op::Pure { op, mode: FpMode(0), args: order.map(Some) }));
        }
        found
    }
}

/// The operation that a way is, and its operands.
fn operation(way: &Way) -> Option<(PureOp, [Value; 3])> {
    let (op, order) = OPERATIONS[usize::from(way.table)].filter(|_| way.count == 3)?;
    Some((op, order.map(|place| way.leaves[place])))
}

/// A table over ways, if they have no more than three leaves.
fn joined(table: u8, operands: &[&Way]) -> Option<Way> {
    let mut leaves: Vec<Value> = vec![];
    for leaf in operands.iter().flat_map(|way| way.has()) {
        if !leaves.contains(leaf) {
            leaves.push(*leaf);
        }
    }
    let count = Some(leaves.len()).filter(|n| *n <= 3)?;
    let tables: [u8; 3] = std::array::from_fn(|i| operands.get(i).map_or(0, |way| way.table_among(&leaves)));
    // Inside of this operation nothing is made for them.
    let cost = operands.iter().map(|way| if way.is_leaf { way.cost } else { way.cost - 1 }).sum::<u32>() + 1;
    Some(Way { leaves: std::array::from_fn(|i| leaves[i.min(count - 1)]), count, table: over(table, tables), cost, is_leaf: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opt::{dead, with_masks};

    /// What is left of logic on %1 to %3 and %6.
    fn after(body: &str) -> Vec<String> {
        let mut func = with_masks(&format!("%6: l32 = vget v1 demand %0\n%7: l32 = vget v2 demand %0\n{body}\nvset v3, %20, exec %0"));
        run(&mut func);
        dead::run(&mut func);
        let text = wavejit_ir::text::print(&func);
        let is_logic = |line: &&str| {
            OF_THREE
                .into_iter()
                .chain([PureOp::Bfi32, PureOp::And32, PureOp::Or32, PureOp::Xor32, PureOp::Not32])
                .any(|op| line.contains(op.text()))
        };
        text.lines().filter(is_logic).map(|line| line.split_once("= ").map_or(line, |(_, op)| op).trim().to_string()).collect()
    }

    #[test]
    fn tables_are_those_of_the_operations_in_any_order() {
        for (table, found) in OPERATIONS.iter().enumerate() {
            let Some((op, order)) = found else { continue };
            for i in 0..8u64 {
                let bits = [i >> 2 & 1, i >> 1 & 1, i & 1];
                let [x, y, z] = order.map(|place| bits[place]);
                assert_eq!(eval(*op, FpMode(0), x, y, z) & 1, table as u64 >> i & 1, "{op:?} {order:?} {i}");
            }
        }
        assert_eq!(reordered(table(PureOp::Bfi32).unwrap(), [1, 2, 0]), over(0xca, [0xaa, 0xf0, 0xcc]));
        assert_eq!(table(PureOp::IAdd32), None);
    }

    #[test]
    fn sums_of_three_and_majorities_are_one_operation() {
        assert_eq!(after("%10: l32 = xor.32 %1, %6\n%20: l32 = xor.32 %10, %7"), ["xor3.32 %1, %6, %7"]);
        let majority = "%10: l32 = xor.32 %6, %7\n%11: l32 = and.32 %6, %7\n%12: l32 = and.32 %1, %10\n%20: l32 = xor.32 %12, %11";
        assert_eq!(after(majority), ["majority.32 %1, %6, %7"]);
        assert_eq!(after("%10: l32 = not.32 %6\n%11: l32 = and.32 %10, %7\n%20: l32 = xor.32 %11, %1"), ["andnxor.32 %7, %6, %1"]);
    }

    #[test]
    fn what_others_use_and_constants_stay() {
        let twice = ["%10: l32 = xor.32 %1, %6", "%20: l32 = xor.32 %10, %7", "vset v4, %10, exec %0"];
        assert_eq!(after(&twice.join("\n")), ["xor.32 %1, %6", "xor.32 %10, %7"]);
        assert_eq!(after("%10: l32 = and.32 %6, %3\n%20: l32 = or.32 %10, %7"), ["and.32 %6, %3", "or.32 %10, %7"]);
    }
}
