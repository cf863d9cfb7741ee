//! What lanes are known to hold: masks of constant bits, tables, and loads at a few addresses that all lanes share.
//!
//! ```text
//! %2 = bitsmask (const -1)                     all lanes
//! %3 = lanetable [0 16 32 48 0 16 32 48 ..]
//! %4 = iadd.32 %3, splat %1                    %5 = load lds.b32 [splat %1]
//! %5 = load lds.b32 [lane %4], exec %2    =>   %6 = load lds.b32 [splat %1 + 16] ..
//!                                              %9 = sel ..
//! %10 = shuffle %5, [1 1 1 1 5 5 5 5 ..]       %10 = %6
//! ```

use super::local::Facts;
use wavejit_ir::{Addr, FpMode, MemKind, Op, PureOp, Shape, Space, Ty, Value, Width, eval::eval};

/// Most addresses of a load that becomes one load of each.
const MOST_ADDRESSES: usize = 4;
/// Of these, how far they may be from what they have in common.
const MOST_DISTANCE: u32 = 1 << 16;

/// Bits of the lanes that there are.
fn lanes(f: &Facts) -> u64 {
    if f.func.wave_size == 64 { u64::MAX } else { u32::MAX.into() }
}

/// Bits of a mask, if they are known.
fn mask(f: &Facts, v: Value) -> Option<u64> {
    match f.op(v)? {
        Op::BitsMask(bits) => Some(f.constant(*bits)? & lanes(f)),
        Op::Splat(bit) => Some(if f.constant(*bit)? & 1 != 0 { lanes(f) } else { 0 }),
        _ => None,
    }
}

/// Is it a mask of all lanes?
pub(super) fn is_all(f: &Facts, v: Value) -> bool {
    mask(f, v) == Some(lanes(f))
}

fn make_mask(f: &mut Facts, bits: u64) -> Value {
    let bits = f.make_const(Width::B64, bits & lanes(f));
    f.make(Op::BitsMask(bits), Ty::MASK)
}

/// What a value of 32 bits is in each lane, if that is known.
fn dwords(f: &Facts, v: Value) -> Option<[u32; 64]> {
    match f.op(v)? {
        Op::LaneTable(t) => Some(f.func.tables[*t as usize]),
        Op::Splat(s) => Some([f.constant(*s)? as u32; 64]),
        _ => None,
    }
}

/// Pure operations on what is known.
pub(super) fn pure(f: &mut Facts, op: PureOp, args: [Option<Value>; 3]) -> Option<Value> {
    if op.reads_mode() {
        return None;
    }
    known_bits(f, op, args).or_else(|| on_masks(f, op, args)).or_else(|| on_tables(f, op, args))
}

/// Bits that an operand cannot have.
fn known_bits(f: &mut Facts, op: PureOp, args: [Option<Value>; 3]) -> Option<Value> {
    let [Some(x), Some(c), _] = args else { return None };
    let (PureOp::And32, Some(c)) = (op, f.constant(c)) else { return None };
    let and = |f: &Facts, v: Value| match f.pure(v)? {
        (PureOp::And32, [Some(x), Some(c), _]) => Some((x, f.constant(c)?)),
        _ => None,
    };
    if let Some((x, inner)) = and(f, x) {
        let c = f.make_const(Width::B32, c & inner);
        return Some(f.make_pure(PureOp::And32, &[x, c]));
    }
    let (PureOp::LShr32, [Some(x), Some(n), _]) = f.pure(x)? else { return None };
    let (_, inner) = and(f, x)?;
    let n = f.constant(n)? & 31;
    ((inner as u32 >> n) & c as u32 == 0).then(|| f.make_const(Width::B32, 0))
}

/// Logic on masks of which some are known, and choices by them.
fn on_masks(f: &mut Facts, op: PureOp, args: [Option<Value>; 3]) -> Option<Value> {
    use PureOp::*;
    let [a, b, c] = args;
    let a = a?;
    if f.func.ty(a) != Ty::MASK {
        return None;
    }
    let (first, second) = (mask(f, a), b.filter(|b| f.func.ty(*b) == Ty::MASK).and_then(|b| mask(f, b)));
    let all = lanes(f);
    match (op, first, second) {
        (BNot, Some(x), _) => Some(make_mask(f, !x)),
        (BAnd, Some(x), Some(y)) => Some(make_mask(f, x & y)),
        (BOr, Some(x), Some(y)) => Some(make_mask(f, x | y)),
        (BXor, Some(x), Some(y)) => Some(make_mask(f, x ^ y)),
        (BAndNot, Some(x), Some(y)) => Some(make_mask(f, x & !y)),
        // With none or all: the other one, or the known one.
        (BAnd, Some(x), None) if x == all => b,
        (BAnd, None, Some(y)) if y == all => Some(a),
        (BOr | BXor, Some(0), None) => b,
        (BOr | BXor | BAndNot, None, Some(0)) => Some(a),
        (BAnd | BAndNot, Some(0), None) => Some(make_mask(f, 0)),
        (BAnd, None, Some(0)) => Some(make_mask(f, 0)),
        (BAndNot, None, Some(y)) if y == all => Some(make_mask(f, 0)),
        (BOr, Some(x), None) | (BOr, None, Some(x)) if x == all => Some(make_mask(f, all)),
        (BToInt, Some(x), _) if x == 0 || x == all => Some(f.make_splat32(u64::from(x != 0))),
        (Sel32 | Sel64, Some(x), _) if x == all => b,
        (Sel32 | Sel64, Some(0), _) => c,
        _ => None,
    }
}

/// Operations on tables and constants: once for all waves.
fn on_tables(f: &mut Facts, op: PureOp, args: [Option<Value>; 3]) -> Option<Value> {
    let widths = op.args();
    if widths.iter().any(|w| *w != Width::B32) || f.func.ty(args[0]?).shape != Shape::Lane {
        return None;
    }
    let mut known = [[0; 64]; 3];
    let mut has_table = false;
    for (known, arg) in known.iter_mut().zip(args).take(widths.len()) {
        *known = dwords(f, arg?)?;
        has_table |= matches!(f.op(arg?), Some(Op::LaneTable(_)));
    }
    let [a, b, c] = &known;
    let lane = |i: usize| eval(op, FpMode(0), a[i].into(), b[i].into(), c[i].into());
    match op.ret() {
        Width::B1 => {
            let bits = (0..64).fold(0, |bits, i| bits | (lane(i) & 1) << i);
            Some(make_mask(f, bits))
        }
        Width::B32 if has_table => Some(make_table(f, std::array::from_fn(|i| lane(i) as u32))),
        _ => None,
    }
}

/// A value of which all lanes are known.
fn make_table(f: &mut Facts, table: [u32; 64]) -> Value {
    let own = &table[..f.func.wave_size as usize];
    if own.iter().all(|v| *v == table[0]) {
        return f.make_splat32(table[0].into());
    }
    let table = f.func.table(table);
    f.make(Op::LaneTable(table), Ty::L32)
}

/// Lanes in a known order of what is known to be alike in some.
pub(super) fn shuffle(f: &mut Facts, value: Value, index: Value) -> Option<Value> {
    let size = f.func.wave_size;
    let index_of: [u32; 64] = dwords(f, index)?.map(|i| i % size);
    let is_alike = match f.op(value)? {
        Op::Splat(_) => true,
        // One address for all lanes, all of them active.
        Op::Load { addr, exec, .. } => addr.offset.is_none() && is_all(f, *exec),
        _ => false,
    };
    if is_alike {
        return Some(value);
    }
    if let Some(table) = dwords(f, value) {
        return Some(make_table(f, index_of.map(|i| table[i as usize])));
    }
    let (PureOp::Sel32, [Some(choice), Some(a), Some(b)]) = f.pure(value)? else { return None };
    let choice = mask(f, choice)?;
    let from = index_of[..size as usize].iter().fold(0u64, |from, i| from | 1 << i);
    let one = match (from & choice, from & !choice) {
        (_, 0) => a,
        (0, _) => b,
        _ => return None,
    };
    Some(f.make(Op::Shuffle { value: one, index }, Ty::L32))
}

/// A load of LDS by known lanes at a few distances from one address: a load of each, and a choice of them.
pub(super) fn load(f: &mut Facts, op: &Op) -> Option<Value> {
    let Op::Load { space: Space::Lds, kind: kind @ MemKind::B32, addr: Addr { base: None, offset: Some(offset), imm }, exec } = *op else {
        return None;
    };
    let active = mask(f, exec).filter(|bits| *bits != 0 && f.is_wide)?;
    let splat = |f: &Facts, v: Value| match f.op(v) {
        Some(Op::Splat(s)) => Some(*s),
        _ => None,
    };
    let (table, base) = match (dwords(f, offset), f.pure(offset)) {
        (Some(table), _) => (table, None),
        (None, Some((PureOp::IAdd32, [Some(x), Some(y), _]))) => match (dwords(f, x), dwords(f, y)) {
            (Some(table), _) => (table, Some(splat(f, y)?)),
            (_, Some(table)) => (table, Some(splat(f, x)?)),
            _ => return None,
        },
        _ => ([0; 64], Some(splat(f, offset)?)),
    };
    // What all have in common, and how far they are from there.
    let (base, more) = match base.map(|base| (base, f.pure(base))) {
        Some((_, Some((PureOp::IAdd32, [Some(x), Some(c), _])))) if f.constant(c).is_some() => (Some(x), f.constant(c)?),
        Some((base, _)) => (Some(base), 0),
        None => (None, 0),
    };
    let at = |table: u32| (imm as u32).wrapping_add(more as u32).wrapping_add(table);
    // One after the other by their first lanes.
    let mut classes: Vec<(u32, u64)> = vec![];
    for lane in (0..64).filter(|lane| active >> lane & 1 != 0) {
        let at = at(table[lane]);
        match classes.iter().position(|(of, _)| *of == at) {
            Some(n) => classes[n].1 |= 1 << lane,
            None if classes.len() == MOST_ADDRESSES || at >= MOST_DISTANCE => return None,
            None => classes.push((at, 1 << lane)),
        }
    }
    let all = make_mask(f, u64::MAX);
    let mut loaded = vec![];
    for (at, lanes) in classes {
        let addr = Addr { base, offset: None, imm: at.into() };
        loaded.push((f.append_effect(Op::Load { space: Space::Lds, kind, addr, exec: all }, Ty::L32), lanes));
    }
    let (mut value, _) = loaded.pop()?;
    for (one, lanes) in loaded.into_iter().rev() {
        let choice = make_mask(f, lanes);
        value = f.make_pure(PureOp::Sel32, &[choice, one, value]);
    }
    Some(value)
}
