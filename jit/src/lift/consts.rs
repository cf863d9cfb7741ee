//! Scalar constants known at a point of the program: enough to follow the addresses that compilers build with s_getpc_b64 and adds, and
//! constants written to MODE. Not a general constant folder: everything else makes a register unknown.

use crate::isa::{Enc, Inst, Opd, Operand};

const REGS: usize = 108;

/// What is known: s0..s105 and VCC, and SCC.
#[derive(Clone, PartialEq, Eq)]
pub struct Consts {
    regs: [Option<u32>; REGS],
    scc: Option<bool>,
}

impl Consts {
    /// Nothing known.
    pub fn unknown() -> Self {
        Consts { regs: [None; REGS], scc: None }
    }
    /// Keeps what both know. True if something was forgotten.
    pub fn meet(&mut self, other: &Consts) -> bool {
        let before = self.clone();
        for (a, b) in self.regs.iter_mut().zip(&other.regs) {
            if a != b {
                *a = None;
            }
        }
        if self.scc != other.scc {
            self.scc = None;
        }
        *self != before
    }
    fn reg(&self, n: u8) -> Option<u32> {
        self.regs.get(usize::from(n)).copied().flatten()
    }
    fn set(&mut self, n: u8, v: Option<u32>) {
        if let Some(r) = self.regs.get_mut(usize::from(n)) {
            *r = v;
        }
    }
    fn set64(&mut self, op: Operand, v: Option<u64>) {
        if let Operand::Sgpr { n, .. } = op {
            self.set(n & !1, v.map(|v| v as u32));
            self.set(n | 1, v.map(|v| (v >> 32) as u32));
        }
    }
    /// A 32-bit source.
    pub fn read(&self, op: Operand) -> Option<u32> {
        match op {
            Operand::Sgpr { n, .. } => self.reg(n),
            Operand::Int(i) => Some(i as u32),
            Operand::Literal(l) | Operand::Imm(l) => Some(l),
            _ => None,
        }
    }
    /// A 64-bit source.
    pub fn read64(&self, op: Operand) -> Option<u64> {
        match op {
            Operand::Sgpr { n, .. } => Some(u64::from(self.reg(n & !1)?) | u64::from(self.reg(n | 1)?) << 32),
            Operand::Int(i) => Some(i64::from(i) as u64),
            Operand::Literal(l) => Some(l.into()),
            _ => None,
        }
    }

    /// Steps over `inst` at `pc`.
    pub fn step(&mut self, inst: &Inst, pc: u64) {
        let ops = inst.ops();
        let at = |i: usize| ops.get(i).copied().unwrap_or(Operand::Off);
        let next = pc.wrapping_add(inst.bytes().into());
        let (x, y) = (self.read(at(1)), self.read(at(2)));
        let pair = |f: fn(u32, u32) -> u32| x.zip(y).map(|(x, y)| f(x, y));
        let narrow = match inst.row.name {
            "s_mov_b32" => x,
            "s_movk_i32" => x.map(|v| i32::from(v as i16) as u32),
            "s_sext_i32_i16" => x.map(|v| i32::from(v as i16) as u32),
            "s_add_u32" | "s_add_i32" => pair(u32::wrapping_add),
            "s_sub_u32" | "s_sub_i32" => pair(u32::wrapping_sub),
            "s_addc_u32" => self.scc.and_then(|c| x.zip(y).map(|(x, y)| x.wrapping_add(y).wrapping_add(c.into()))),
            "s_and_b32" => pair(|x, y| x & y),
            "s_or_b32" => pair(|x, y| x | y),
            "s_lshl_b32" => pair(u32::wrapping_shl),
            "s_ashr_i32" => pair(|x, y| (x as i32).wrapping_shr(y) as u32),
            _ => None,
        };
        let wide = match inst.row.name {
            "s_mov_b64" => self.read64(at(1)),
            "s_getpc_b64" | "s_swappc_b64" | "s_call_b64" => Some(((next << 16) as i64 >> 16) as u64),
            _ => None,
        };
        let scc = match inst.row.name {
            "s_add_u32" => x.zip(y).map(|(x, y)| x.checked_add(y).is_none()),
            "s_mov_b32" | "s_mov_b64" | "s_movk_i32" | "s_getpc_b64" | "s_sext_i32_i16" => self.scc,
            _ if matches!(inst.enc, Enc::SOP1 | Enc::SOP2 | Enc::SOPC | Enc::SOPK) => None,
            _ => self.scc,
        };
        self.forget_results(inst);
        if let (Operand::Sgpr { n, .. }, Some(v)) = (at(0), narrow) {
            self.set(n, Some(v));
        }
        if wide.is_some() {
            self.set64(at(0), wide);
        }
        self.scc = scc;
    }
    /// Whatever `inst` may write is unknown: its scalar destinations, and everything for s_movreld.
    fn forget_results(&mut self, inst: &Inst) {
        if inst.row.name.starts_with("s_movrel") {
            self.regs = [None; REGS];
        }
        for (op, column) in inst.ops().iter().zip(inst.row.ops) {
            if let (Operand::Sgpr { n, count }, Opd::SD(_) | Opd::SS(_) | Opd::MD) = (*op, column) {
                // Hardware aligns wide destinations by clearing low bits of the register number.
                let first = if count > 1 { n & !3 } else { n };
                let last = if count > 1 { n | 3 } else { n };
                (first..=last.saturating_add(count)).filter(|r| count > 1 || *r == n).for_each(|r| self.set(r, None));
            }
        }
    }
}
