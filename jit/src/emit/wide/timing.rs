//! How long operations of lanes take, roughly: as hosts of the last ten years do them.

use super::level::Level;
use rustc_hash::FxHashMap;
use wavejit_ir::{Inst, Op, PureOp, Value, Width};

/// Instructions among which a host finds those that it can do next to others, for two parts of the wave.
const IN_VIEW: u32 = 150;

/// What one operation takes, for one part of the wave.
#[derive(Clone, Copy)]
struct Cost {
    /// Cycles until its result is there.
    latency: u32,
    instructions: u32,
}

impl Cost {
    fn of(op: PureOp, level: Level) -> Cost {
        use PureOp::*;
        let is_avx2 = level == Level::Avx2;
        let (latency, instructions) = match op {
            FDiv32 | FRcp32 | FSqrt32 | FSqrtDenorm32 => (15, 3),
            FDivMant32 => (24, 12),
            FDiv64 | FRcp64 | FSqrt64 => (23, 3),
            FRsq64 => (46, 6),
            // In AVX2 they are in f64.
            FExp232 | FExp2Denorm32 | FLog232 | FLog2Denorm32 if is_avx2 => (110, 55),
            FExp232 | FExp2Denorm32 | FLog232 | FLog2Denorm32 => (60, 35),
            FSin32 | FCos32 => (70, 45),
            FRsq32 | FRsqNear32 | FRsqDenorm32 | FRsqNearDenorm32 => (40, 16),
            DivScale32 | DivScale64 | DivFixup32 | DivFixup64 => (6, 6),
            FFloor32 | FCeil32 | FTrunc32 | FRndne32 | FFract32 | FFloor64 | FCeil64 | FTrunc64 | FRndne64 | FFract64 => (8, 1),
            IMul32 => (10, 2),
            IMul64 => (15, 3),
            UMulWide32 | SMulWide32 => (6, 3),
            _ if op.reads_mode() => (4, 1),
            _ => (1, 1),
        };
        Cost { latency, instructions: if is_of_qwords(op) { 2 * instructions } else { instructions } }
    }
}

/// Qwords take two registers.
fn is_of_qwords(op: PureOp) -> bool {
    op.ret() == Width::B64 || op.args().contains(&Width::B64)
}

/// What instructions one after the other take.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Time {
    /// Cycles that they take at least, since one waits for the other.
    latency: u32,
    /// Instructions of vectors.
    instructions: u32,
    has_qwords: bool,
}

impl Time {
    /// Of the pure operations of lanes among them, for one part of the wave.
    pub(super) fn of<'a>(insts: impl Iterator<Item = &'a Inst>, level: Level) -> Time {
        let mut there: FxHashMap<Value, u32> = FxHashMap::default();
        let mut time = Time::default();
        for inst in insts {
            let Op::Pure { op, args, .. } = &inst.op else { continue };
            let cost = Cost::of(*op, level);
            let start = args.iter().flatten().filter_map(|v| there.get(v)).max().copied().unwrap_or(0);
            there.insert(inst.first, start + cost.latency);
            time.latency = time.latency.max(start + cost.latency);
            time.instructions += cost.instructions;
            time.has_qwords |= is_of_qwords(*op);
        }
        time
    }

    /// Do they wait for one another so much that the same for another part is better done in between than later, though values then are short of
    /// registers? As measured: AVX2 has fewer of these, and a short run and the one for the next part are in view together.
    pub(super) fn waits(self, level: Level) -> bool {
        let is_short = self.instructions < IN_VIEW;
        match level {
            Level::Avx512 if is_short => 4 * self.latency > 3 * self.instructions,
            Level::Avx512 => 4 * self.latency > self.instructions,
            Level::Avx2 => !is_short && !self.has_qwords && 2 * self.latency > self.instructions,
        }
    }
}
