//! Lane facts: which values are, in each run of 16 lanes, a base plus a constant times the lane's place in the run.
//!
//! They begin with the work-item ids of a kernel whose workgroups are such that x counts up in every run ([`Func::ids`]), with lane numbers
//! and with what is one value for the wave, and are closed under sums, products with constants, shifts, and bit fields that cut the lane bits off or
//! leave them whole. They tell a back end that an access is consecutive, or to one element, without a look at the addresses.
//!
//! ```text
//! %1 = and.32 v0, 0x3ff     stride 1, base a multiple of 16
//! %2 = shl.32 %1, 2         stride 4, base a multiple of 64
//! %3 = iadd.32 %2, splat s4 stride 4
//! load [s[0:1] + %3]        consecutive
//! ```
//!
//! A fact holds in *all* lanes, active or not: pure operations compute in every lane, and a register keeps a fact only if it was written as a
//! whole ([`VgprLiveness::blend`]). Facts about registers flow forward through the blocks; where ways meet both must agree.

use super::liveness::VgprLiveness;
use wavejit_ir::{Addr, Block, Func, Ids, Op, PureOp, Space, Value, Width};

/// Lanes of a run.
pub const RUN: u32 = 16;

/// Lane i of a run has base + i * stride, modulo 2^32. Of the base the low `clear` bits are 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stride {
    /// What a lane has more than the one before.
    pub stride: u32,
    /// Low bits of the base that are known to be 0: at most 32.
    pub clear: u32,
}

impl Stride {
    const fn new(stride: u32, clear: u32) -> Stride {
        Stride { stride, clear: if clear > 32 { 32 } else { clear } }
    }

    /// The bits in which lanes of a run differ, if the base has none of them: then adding is the same as setting bits.
    fn lane_bits(self) -> Option<u32> {
        let most = self.stride.checked_mul(RUN - 1)?;
        let bits = most.checked_add(1)?.checked_next_power_of_two()? - 1;
        (self.clear == 32 || bits < 1u32.checked_shl(self.clear).unwrap_or(0)).then_some(bits)
    }

    fn of_constant(c: u32) -> Stride {
        Stride::new(0, c.trailing_zeros())
    }

    /// What both are.
    fn meet(self, o: Stride) -> Option<Stride> {
        (self.stride == o.stride).then_some(Stride::new(self.stride, self.clear.min(o.clear)))
    }
}

/// Rows that are followed: VGPRs.
const ROWS: usize = 256;
type Facts = [Option<Stride>; ROWS];

/// Facts about the values of a function: of lane values of 32 bits, and of the low dwords of those of 64 bits.
#[derive(Debug)]
pub struct Strides(Vec<Option<Stride>>);

impl Strides {
    /// The fact about a value, if there is one.
    pub fn of(&self, v: Value) -> Option<Stride> {
        self.0[v.0 as usize]
    }

    /// Looks at a whole function, of whose writes it is known which are [whole](VgprLiveness::with_blends).
    pub fn new(func: &Func, liveness: &VgprLiveness) -> Strides {
        let mut values = Strides(vec![None; func.types.len()]);
        let mut at_entry: Vec<Option<Box<Facts>>> = vec![None; func.blocks.len()];
        at_entry[0] = Some(Box::new(entry_facts(func)));
        let mut work = vec![0usize];
        let mut waits = vec![false; func.blocks.len()];
        while let Some(i) = work.pop() {
            waits[i] = false;
            let mut rows = at_entry[i].clone().expect("blocks are put to work with facts");
            values.block(func, &func.blocks[i], liveness.blend(i), &mut rows);
            func.blocks[i].term.for_each_successor(|s| {
                let s = s.0 as usize;
                match &mut at_entry[s] {
                    Some(known) => {
                        let mut changed = false;
                        for (k, r) in known.iter_mut().zip(rows.iter()) {
                            let met = k.and_then(|k| r.and_then(|r| k.meet(r)));
                            changed |= met != *k;
                            *k = met;
                        }
                        if changed && !waits[s] {
                            waits[s] = true;
                            work.push(s);
                        }
                    }
                    none => {
                        *none = Some(rows.clone());
                        waits[s] = true;
                        work.push(s);
                    }
                }
            });
        }
        values
    }

    fn block(&mut self, func: &Func, block: &Block, blend: &[bool], rows: &mut Facts) {
        let mut constants = rustc_hash::FxHashMap::default();
        for (inst, blend) in block.insts.iter().zip(blend) {
            let fact = match &inst.op {
                Op::Const { bits, .. } => {
                    constants.insert(inst.first, *bits);
                    None
                }
                Op::Splat(s) => {
                    if let Some(c) = constants.get(s).copied() {
                        constants.insert(inst.first, c);
                    }
                    Some(constants.get(s).map_or(Stride::new(0, 0), |c| Stride::of_constant(*c as u32)))
                }
                Op::LaneId => Some(Stride::new(1, RUN.trailing_zeros())),
                Op::LaneTable(t) => of_table(&func.tables[*t as usize][..func.wave_size as usize]),
                Op::VGet { reg, .. } => rows.get(usize::from(reg.0)).copied().flatten(),
                Op::VSet { reg, value, .. } => {
                    if let Some(row) = rows.get_mut(usize::from(reg.0)) {
                        *row = if *blend { None } else { self.of(*value) };
                    }
                    None
                }
                Op::VSetRel { .. } => {
                    rows.fill(None);
                    None
                }
                // One element for all lanes.
                Op::Load { space, addr, .. } if is_one_element(*space, addr) => Some(Stride::new(0, 0)),
                Op::Pure { op, args, .. } => self.pure(*op, args, &constants),
                _ => None,
            };
            for r in 0..inst.results {
                self.0[inst.result(r.into()).0 as usize] = fact;
            }
        }
    }

    fn pure(&self, op: PureOp, args: &[Option<Value>; 3], constants: &rustc_hash::FxHashMap<Value, u64>) -> Option<Stride> {
        use PureOp::*;
        let constant = |i: usize| args[i].and_then(|v| constants.get(&v)).map(|c| *c as u32);
        let first = self.of(args[0]?);
        let second = args[1].and_then(|v| self.of(v));
        match (op, first, second) {
            (IAdd32 | IAdd64, Some(a), Some(b)) => Some(Stride::new(a.stride.wrapping_add(b.stride), a.clear.min(b.clear))),
            (ISub32 | ISub64, Some(a), Some(b)) => Some(Stride::new(a.stride.wrapping_sub(b.stride), a.clear.min(b.clear))),
            (IMul32 | IMul64, Some(a), Some(b)) => match (constant(0), constant(1)) {
                (_, Some(c)) => Some(Stride::new(a.stride.wrapping_mul(c), a.clear + c.trailing_zeros())),
                (Some(c), _) => Some(Stride::new(b.stride.wrapping_mul(c), b.clear + c.trailing_zeros())),
                _ if a.stride == 0 && b.stride == 0 => Some(Stride::new(0, a.clear + b.clear)),
                _ => None,
            },
            (Shl32, Some(a), _) if constant(1).is_some() => {
                let n = constant(1)? & 31;
                Some(Stride::new(a.stride << n, a.clear + n))
            }
            // Only the low dword of a 64-bit shift to the left is like that.
            (Shl64, Some(a), _) if constant(1).is_some_and(|n| n & 63 < 32) => {
                let n = constant(1)? & 63;
                Some(Stride::new(a.stride << n, a.clear + n))
            }
            (LShr32 | AShr32, Some(a), _) if constant(1).is_some() => shifted(a, constant(1)? & 31),
            (And32, Some(a), _) if constant(1).is_some() => masked(a, constant(1)?),
            (And32, _, Some(b)) if constant(0).is_some() => masked(b, constant(0)?),
            (BfeU32, Some(a), _) if constant(1).is_some() && constant(2).is_some() => {
                let (at, width) = (constant(1)? & 31, constant(2)? & 31);
                shifted(a, at).and_then(|s| masked(s, (1u32 << width) - 1))
            }
            (Or32 | Xor32, Some(a), Some(b)) if a.stride == 0 || b.stride == 0 => {
                let (lanes, other) = if a.stride == 0 { (b, a) } else { (a, b) };
                if lanes.stride == 0 {
                    return Some(Stride::new(0, a.clear.min(b.clear)));
                }
                let bits = lanes.lane_bits()?;
                (other.clear == 32 || bits < 1 << other.clear).then_some(Stride::new(lanes.stride, lanes.clear.min(other.clear)))
            }
            (Pack64 | ZExt64 | SExt64 | Lo64, Some(a), _) => Some(a),
            // What is computed from equal lanes is equal in them.
            _ if op.ret() == Width::B32 && op != Hi64 => {
                let equal = |v: Value| self.of(v).is_some_and(|s| s.stride == 0);
                let narrow = op.args().iter().all(|w| *w == Width::B32);
                (narrow && args.iter().flatten().all(|v| equal(*v))).then_some(Stride::new(0, 0))
            }
            _ => None,
        }
    }
}

/// Is it an access to one element for all lanes, small enough an offset that back ends which know strides make it one load?
pub fn is_one_element(space: Space, addr: &Addr) -> bool {
    let fits = addr.imm.unsigned_abs() < 1 << 30;
    let is_plain = match space {
        Space::Global | Space::Flat => true,
        Space::Lds => addr.imm >= 0,
        _ => false,
    };
    addr.offset.is_none() && fits && is_plain
}

/// `a >> n`, logical or arithmetic.
fn shifted(a: Stride, n: u32) -> Option<Stride> {
    let clear = a.clear.saturating_sub(n);
    if a.stride == 0 {
        return Some(Stride::new(0, clear));
    }
    let bits = a.lane_bits()?;
    if bits >> n == 0 { Some(Stride::new(0, clear)) } else { (a.stride.trailing_zeros() >= n).then_some(Stride::new(a.stride >> n, clear)) }
}

/// `a & mask`
fn masked(a: Stride, mask: u32) -> Option<Stride> {
    if a.stride == 0 {
        return Some(Stride::new(0, a.clear.max(mask.trailing_zeros())));
    }
    let bits = a.lane_bits()?;
    match mask & bits {
        0 => Some(Stride::new(0, a.clear.max(mask.trailing_zeros()))),
        all if all == bits => Some(a),
        _ => None,
    }
}

/// What the registers hold when a wave starts.
fn entry_facts(func: &Func) -> Facts {
    let mut rows = [None; ROWS];
    let x = Some(Stride::new(1, RUN.trailing_zeros()));
    let one = Some(Stride::new(0, 0));
    match func.ids {
        Ids::Any => {}
        // y and z are above x.
        Ids::PackedRuns => rows[0] = x,
        Ids::Runs => rows[..3].copy_from_slice(&[x, one, one]),
    }
    rows
}

/// The fact that a table of constants is, if it is one.
fn of_table(table: &[u32]) -> Option<Stride> {
    let mut fact: Option<Stride> = None;
    for run in table.chunks(RUN as usize) {
        let stride = run[1].wrapping_sub(run[0]);
        if !run.windows(2).all(|w| w[1].wrapping_sub(w[0]) == stride) {
            return None;
        }
        let this = Stride::new(stride, run[0].trailing_zeros());
        fact = Some(fact.map_or(Some(this), |f| f.meet(this))?);
    }
    fact
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opt::OptOptions;
    use wavejit_ir::text::parse;

    /// Facts about the values of a function of one block that ends.
    fn facts(ids: Ids, body: &str) -> Vec<Option<(u32, u32)>> {
        let mut func = parse(&format!("func \"f\" wave32 {{\nb0 pc=0 mode=0x3f0 insts=1:\n{body}\n end\n}}")).unwrap();
        func.ids = ids;
        let liveness = VgprLiveness::new(&func, OptOptions::default()).with_blends(&func, OptOptions::default());
        Strides::new(&func, &liveness).0.into_iter().map(|f| f.map(|f| (f.stride, f.clear))).collect()
    }

    #[test]
    fn ids_counted_in_runs_stay_strides_through_address_arithmetic() {
        let body = "%0: mask = exec
            %1: l32 = vget v0 demand %0
            %2: s32 = const.32 0x3ff
            %3: l32 = splat %2
            %4: l32 = and.32 %1, %3
            %5: s32 = const.32 2
            %6: l32 = splat %5
            %7: l32 = shl.32 %4, %6
            %8: s32 = sget s4
            %9: l32 = splat %8
            %10: l32 = iadd.32 %7, %9
            %11: s32 = const.32 10
            %12: l32 = splat %11
            %13: l32 = lshr.32 %1, %12
            %14: l32 = and.32 %4, %6
            %15: l64 = pack.64 %10, %13
            %16: l32 = imul.32 %13, %9";
        let f = facts(Ids::PackedRuns, body);
        assert_eq!([f[1], f[4], f[7], f[10], f[13]], [Some((1, 4)), Some((1, 4)), Some((4, 6)), Some((4, 0)), Some((0, 0))]);
        // Two bits of the lane are not a stride.
        assert_eq!([f[14], f[15], f[16]], [None, Some((4, 0)), Some((0, 0))]);
        let f = facts(Ids::Any, body);
        assert_eq!([f[1], f[4], f[7], f[10], f[13]], [None; 5]);
    }

    #[test]
    fn facts_meet_where_ways_join() {
        let text = "func \"f\" wave32 {
            b0 pc=0 mode=0x3f0 insts=1:
              %0: mask = exec
              %1: l32 = laneid
              vset v1, %1, exec %0
              vset v2, %1, exec %0
              %2: s1 = sget scc
              branch %2, b1, b2
            b1 pc=4 mode=0x3f0 insts=1:
              %3: mask = exec
              %4: l32 = vget v1 demand %3
              %5: l32 = iadd.32 %4, %4
              vset v2, %5, exec %3
              jump b2
            b2 pc=8 mode=0x3f0 insts=1:
              %6: mask = exec
              %7: l32 = vget v1 demand %6
              %8: l32 = vget v2 demand %6
              store global.b32 [lane %7], %8, exec %6
              end
            }";
        let func = parse(text).unwrap();
        let s = Strides::new(&func, &VgprLiveness::new(&func, OptOptions::default()).with_blends(&func, OptOptions::default()));
        assert_eq!([s.of(Value(7)), s.of(Value(8))], [Some(Stride::new(1, 4)), None]);
    }
}
