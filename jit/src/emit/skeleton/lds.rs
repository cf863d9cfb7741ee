//! Loads and stores of LDS whose pattern is known: inline where all lanes are active and inside. LDS is always mapped, so nothing faults; the rest is
//! the helper's.

use super::super::EmitError;
use super::{Skeleton, flags};
use crate::opt::strides::RUN;
use cranelift_codegen::ir::{self as cl, InstBuilder, MemFlagsData, condcodes::IntCC, types};
use std::mem::offset_of;
use wavejit_ir::abi::{Helpers, MemOp, WaveState};
use wavejit_ir::{self as ir, MemKind, Space, Value};

/// How the lanes of each run of [`RUN`] lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LdsPattern {
    /// A dword each, one after the other.
    Consecutive,
    /// All have the same dwords.
    Same {
        /// How many.
        dwords: u8,
    },
}

impl Skeleton<'_, '_> {
    /// The pattern of an access that has an inline form.
    pub(super) fn lds_pattern(&self, space: Space, kind: MemKind, addr: &ir::Addr) -> Option<LdsPattern> {
        let dwords = match kind {
            MemKind::B32 => 1,
            MemKind::B64 => 2,
            MemKind::B96 => 3,
            MemKind::B128 => 4,
            _ => return None,
        };
        if space != Space::Lds || addr.base.is_some() || !(0..1 << 16).contains(&addr.imm) {
            return None;
        }
        match self.strides.in_sixteens(addr.offset?)?.stride {
            0 => Some(LdsPattern::Same { dwords }),
            4 if dwords == 1 => Some(LdsPattern::Consecutive),
            _ => None,
        }
    }

    /// A load whose lanes lie in a pattern.
    pub(super) fn load_lds_inline(&mut self, pattern: LdsPattern, m: MemOp, exec: Value, base: Option<Value>) -> Result<(), EmitError> {
        let bytes = match pattern {
            LdsPattern::Consecutive => 4 * RUN,
            LdsPattern::Same { dwords } => 4 * u32::from(dwords),
        };
        self.lds_inline(offset_of!(Helpers, load), m, bytes, exec, base, |s, run, at| {
            let rows = s.rows();
            match pattern {
                LdsPattern::Consecutive => {
                    let data: Vec<cl::Value> =
                        (0..RUN as i32 / 4).map(|i| s.b.ins().load(types::I32X4, MemFlagsData::new(), at, 16 * i)).collect();
                    s.set_run(rows, m.dst[0], run, &data);
                }
                LdsPattern::Same { dwords } => {
                    let data: Vec<cl::Value> =
                        (0..i32::from(dwords)).map(|i| s.b.ins().load(types::I32, MemFlagsData::new(), at, 4 * i)).collect();
                    for (row, dword) in m.dst.into_iter().zip(data) {
                        let all = s.b.ins().splat(types::I32X4, dword);
                        s.set_run(rows, row, run, &[all; RUN as usize / 4]);
                    }
                }
            }
        })
    }

    /// A store of a dword from each lane to consecutive ones.
    pub(super) fn store_lds_inline(&mut self, m: MemOp, exec: Value, base: Option<Value>) -> Result<(), EmitError> {
        self.lds_inline(offset_of!(Helpers, store), m, 4 * RUN, exec, base, |s, run, at| {
            let rows = s.rows();
            for i in 0..RUN as i32 / 4 {
                let from = s.run_offset(m.data[0], run) + 16 * i;
                let data = s.b.ins().load(types::I32X4, flags(), rows, from);
                s.b.ins().store(MemFlagsData::new(), data, at, 16 * i);
            }
        })
    }

    /// Where a run of lanes is in a row, from the first row on.
    fn run_offset(&self, row: u16, run: u32) -> i32 {
        (4 * (u32::from(row) * self.func.wave_size + RUN * run)) as i32
    }

    fn set_run(&mut self, rows: cl::Value, row: u16, run: u32, data: &[cl::Value]) {
        let to = self.run_offset(row, run);
        for (i, data) in data.iter().enumerate() {
            self.b.ins().store(flags(), *data, rows, to + 16 * i as i32);
        }
    }

    /// `access` for the address of each run if all lanes are active and `bytes` from the address on are inside; else the helper.
    fn lds_inline(
        &mut self,
        helper: usize,
        m: MemOp,
        bytes: u32,
        exec: Value,
        base: Option<Value>,
        mut access: impl FnMut(&mut Self, u32, cl::Value),
    ) -> Result<(), EmitError> {
        let active = self.val(exec)?;
        let full = self.full_mask();
        let mut fits = self.b.ins().icmp_imm_s(IntCC::Equal, active, full);
        let rows = self.rows();
        let size = self.b.ins().load(types::I32, flags(), self.state, offset_of!(WaveState, lds_bytes) as i32);
        let size = self.b.ins().uextend(types::I64, size);
        let mut starts = vec![];
        for run in 0..self.func.wave_size / RUN {
            let from = self.run_offset(m.offset[0], run);
            let first = self.b.ins().load(types::I32, flags(), rows, from);
            let first = self.b.ins().uextend(types::I64, first);
            let end = self.b.ins().iadd_imm_s(first, m.imm + i64::from(bytes));
            let inside = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, end, size);
            fits = self.b.ins().band(fits, inside);
            starts.push(first);
        }
        let (direct, rest, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(rest);
        self.b.ins().brif(fits, direct, &[], rest, &[]);
        self.b.switch_to_block(direct);
        let lds = self.b.ins().load(types::I64, flags(), self.state, offset_of!(WaveState, lds) as i32);
        for (run, start) in (0..).zip(starts) {
            let at = self.b.ins().iadd(lds, start);
            let at = self.b.ins().iadd_imm_s(at, m.imm);
            access(self, run, at);
        }
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(rest);
        self.memory(helper, m, exec, base)?;
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(done);
        Ok(())
    }
}
