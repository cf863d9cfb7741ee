//! Shifts of 64 bits by a constant whose operand is made of dwords, and of which dwords are wanted: they stay dwords.
//!
//! A rotation of 64 bits among logic on dwords would pack qwords only to take them apart again, which costs more than shifting. What is shifted out of one dword
//! into another is one instruction on many hosts.
//!
//! ```text
//! %2 = shl.64 (pack.64 %0, %1), 3                  %3 = shl.32 %0, 3
//! %3 = lo.64 %2; %4 = hi.64 %2             =>      %4 = alignbit.32 %1, %0, 29
//! %6 = or.32 %3, (lshr.32 %1, 29)                  %6 = alignbit.32 %0, %1, 29
//! ```
//!
//! Before and after: any verified function. What nobody reads any more is for `dead`.

use super::places::{END, Places};
use wavejit_ir::{Block, FpMode, Func, Inst, Op, PureOp, Shape, Ty, Value, Width};

/// Runs on every block. Has anything changed?
pub(super) fn run(func: &mut Func) -> bool {
    let is_of_interest = |inst: &Inst| matches!(inst.op, Op::Pure { op: PureOp::Pack64 | PureOp::Or32, .. }) && is_lanes(func, inst.first);
    let blocks: Vec<usize> = (0..func.blocks.len()).filter(|b| func.blocks[*b].insts.iter().any(is_of_interest)).collect();
    if blocks.is_empty() {
        return false;
    }
    let places = Places::new(func);
    let found: Vec<(usize, Vec<Found>)> = blocks.iter().map(|b| (*b, find(func, &places, *b))).filter(|(_, all)| !all.is_empty()).collect();
    let is_any = !found.is_empty();
    for (b, all) in found {
        replace(func, b, all);
    }
    is_any
}

/// An instruction, by its place in its block, and what it is instead: one that shifts by a constant.
struct Found {
    at: usize,
    op: PureOp,
    args: [Value; 2],
    by: u32,
}

fn is_lanes(func: &Func, v: Value) -> bool {
    func.ty(v).shape == Shape::Lane
}

/// The operation that makes a value, and its first two operands.
fn pure(places: &Places, block: &Block, v: Value) -> Option<(PureOp, Value, Option<Value>)> {
    places.pure(block, v).and_then(|(op, [x, y, _])| Some((op, x?, y)))
}

/// The constant that a value is in every lane.
fn constant(places: &Places, block: &Block, v: Value) -> Option<u64> {
    match places.op(block, v)? {
        Op::Splat(s) => constant(places, block, *s),
        Op::Const { bits, .. } => Some(*bits),
        _ => None,
    }
}

fn find(func: &Func, places: &Places, b: usize) -> Vec<Found> {
    let block = &func.blocks[b];
    let mut found = vec![];
    for (inst, at) in block.insts.iter().zip(0..) {
        let Op::Pure { op, args: [Some(x), y, _], .. } = inst.op else { continue };
        let new = match (op, y) {
            (PureOp::Lo64 | PureOp::Hi64, _) => half(func, places, block, op, x),
            (PureOp::Or32, Some(y)) => funnel(places, block, x, y).or_else(|| funnel(places, block, y, x)),
            _ => None,
        };
        if let Some((op, args, by)) = new
            && is_lanes(func, inst.first)
        {
            found.push(Found { at, op, args, by });
        }
    }
    found
}

/// An operation that shifts, two dwords (low and high, or as `alignbit` has them), and by how much.
type Shift = (PureOp, [Value; 2], u32);

/// The shift of a value that is made of dwords.
fn shift_of_dwords(places: &Places, block: &Block, shifted: Value) -> Option<Shift> {
    let (op @ (PureOp::Shl64 | PureOp::LShr64 | PureOp::AShr64 | PureOp::RotL64), of, Some(by)) = pure(places, block, shifted)? else {
        return None;
    };
    let by = u32::try_from(constant(places, block, by)?).ok()?;
    let (PureOp::Pack64, low, Some(high)) = pure(places, block, of)? else { return None };
    match (op, by) {
        (_, 1..=31) => Some((op, [low, high], by)),
        (PureOp::RotL64, 33..=63) => Some((op, [high, low], by - 32)),
        // Other shifts by 32 or more leave less than there is: the passes before know them.
        _ => None,
    }
}

/// What a half of a shifted value is, if nobody wants qwords of it or of what is shifted.
fn half(func: &Func, places: &Places, block: &Block, half: PureOp, shifted: Value) -> Option<Shift> {
    use PureOp::*;
    let (op, [low, high], by) = shift_of_dwords(places, block, shifted)?;
    let users = |v: Value| places.users(func, v).iter().map(|at| block.insts.get(*at as usize).filter(|_| *at != END));
    let is_half = |inst: &Inst| matches!(inst.op, Op::Pure { op: Lo64 | Hi64, .. });
    let only_halves = |v: Value| users(v).all(|inst| inst.is_some_and(is_half));
    let (_, packed, _) = pure(places, block, shifted)?;
    let shifts = |inst: &Inst| inst.results == 1 && shift_of_dwords(places, block, inst.first).is_some() && only_halves(inst.first);
    let is_such = |inst: &Inst| is_half(inst) || shifts(inst);
    if !users(packed).all(|inst| inst.is_some_and(is_such)) {
        return None;
    }
    Some(match (op, half) {
        (RotL64, Lo64) => (AlignBit32, [low, high], 32 - by),
        (RotL64, _) => (AlignBit32, [high, low], 32 - by),
        (Shl64, Lo64) => (Shl32, [low, low], by),
        (Shl64, _) => (AlignBit32, [high, low], 32 - by),
        (_, Lo64) => (AlignBit32, [high, low], by),
        (LShr64, _) => (LShr32, [high, high], by),
        _ => (AShr32, [high, high], by),
    })
}

/// The bits that are shifted left in one of two dwords and right in the other as one shift of both.
fn funnel(places: &Places, block: &Block, left: Value, right: Value) -> Option<Shift> {
    let (high, by) = shifted_dword(places, block, left, PureOp::Shl32)?;
    let (low, n) = shifted_dword(places, block, right, PureOp::LShr32)?;
    (by + n == 32).then_some((PureOp::AlignBit32, [high, low], n))
}

/// Is a value a dword shifted by a constant, alone or as the half of a shift of two dwords into which nothing of the other one comes? That dword, and by how
/// much.
fn shifted_dword(places: &Places, block: &Block, v: Value, op: PureOp) -> Option<(Value, u32)> {
    use PureOp::*;
    let (found, of, by) = pure(places, block, v)?;
    if found == op {
        return Some((of, u32::try_from(constant(places, block, by?)?).ok().filter(|by| (1..32).contains(by))?));
    }
    match (op, found, shift_of_dwords(places, block, of)?) {
        (Shl32, Lo64, (Shl64, [low, _], by)) => Some((low, by)),
        (LShr32, Hi64, (LShr64, [_, high], by)) => Some((high, by)),
        _ => None,
    }
}

fn replace(func: &mut Func, b: usize, found: Vec<Found>) {
    let old = std::mem::take(&mut func.blocks[b].insts);
    let mut insts: Vec<Inst> = Vec::with_capacity(old.len() + 2 * found.len());
    let mut found = found.into_iter().peekable();
    let mut constants: Vec<(u32, Value)> = vec![];
    let mut value = |ty: Ty| {
        func.types.push(ty);
        Value(func.types.len() as u32 - 1)
    };
    for (mut inst, at) in old.into_iter().zip(0..) {
        if let Some(Found { op, args: [x, y], by, .. }) = found.next_if(|f| f.at == at) {
            let by = constants.iter().find(|(n, _)| *n == by).map(|(_, v)| *v).unwrap_or_else(|| {
                let (scalar, lanes) = (value(Ty::S32), value(Ty::L32));
                insts.push(Inst { op: Op::Const { width: Width::B32, bits: by.into() }, first: scalar, results: 1, pc: inst.pc });
                insts.push(Inst { op: Op::Splat(scalar), first: lanes, results: 1, pc: inst.pc });
                constants.push((by, lanes));
                lanes
            });
            let args = if op == PureOp::AlignBit32 { [Some(x), Some(y), Some(by)] } else { [Some(x), Some(by), None] };
            inst.op = Op::Pure { op, mode: FpMode(0), args };
        }
        insts.push(inst);
    }
    func.blocks[b].insts = insts;
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavejit_ir::text;

    /// Operations with lanes after two dwords, %1 and %2, and what they pack to, %3.
    fn changed(body: &str) -> (bool, String) {
        let lines = "%0: mask = exec\n%1: l32 = vget v0 demand %0\n%2: l32 = vget v1 demand %0\n%3: l64 = pack.64 %1, %2";
        let text = format!("func \"f\" wave32 {{\nb0 pc=0 mode=0x3f0 insts=1:\n{lines}\n{body}\nend\n}}");
        let mut func = text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let is_changed = run(&mut func);
        wavejit_ir::verify::verify(&func).unwrap();
        (is_changed, text::print(&func))
    }

    const ROTATED: &str = "%4: s32 = const.32 3\n%5: l32 = splat %4\n%6: l64 = rotl.64 %3, %5\n%7: l32 = lo.64 %6\nvset v2, %7, exec %0";

    #[test]
    fn halves_of_a_rotation_are_shifts_of_dwords() {
        let (is_changed, text) = changed(ROTATED);
        assert!(is_changed && text.contains("alignbit.32 %1, %2"), "{text}");
    }

    /// A store gives no value: it is no shift, and whoever wants the qwords for an address keeps the rotation.
    #[test]
    fn qwords_that_are_an_address_stay() {
        let stored = format!("{ROTATED}\nstore global.b32 [lane %3], %1, exec %0");
        assert!(!changed(&stored).0);
    }
}
