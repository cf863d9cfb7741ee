//! Scalar constants known at a point of the program: enough to follow the addresses that compilers build with s_getpc_b64 and adds, and
//! constants written to MODE. Not a general constant folder: everything else makes a register unknown.

use crate::isa::{Enc, Inst, Operand};

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
        let narrow = match inst.name() {
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
        let wide = match inst.name() {
            "s_mov_b64" => self.read64(at(1)),
            "s_getpc_b64" | "s_swappc_b64" | "s_call_b64" => Some(((next << 16) as i64 >> 16) as u64),
            _ => None,
        };
        let scc = match inst.name() {
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
    /// Whatever `inst` may write is unknown: its first two operands (sources lose too, which costs little), and all for s_movreld.
    fn forget_results(&mut self, inst: &Inst) {
        if inst.name().starts_with("s_movrel") {
            self.regs = [None; REGS];
        }
        if matches!(inst.enc, Enc::SOPP) {
            return;
        }
        for op in inst.ops().iter().take(2) {
            if let Operand::Sgpr { n, count } = *op {
                // Sources of s_add_u32 and its kin are listed second: they keep their values.
                let is_source = !std::ptr::eq(op, &inst.operands[0]) && matches!(inst.enc, Enc::SOP1 | Enc::SOP2 | Enc::SOPK | Enc::SMEM);
                if !is_source {
                    // 64-bit and wider destinations are aligned by hardware: forget the aligned group around them.
                    let lo = if count > 1 { n & !3 } else { n };
                    for r in lo..lo.saturating_add(count.max(1)).saturating_add(3) {
                        if count > 1 || r == n {
                            self.set(r, None);
                        }
                    }
                }
            }
        }
        if matches!(inst.enc, Enc::VOPC | Enc::VOP2 | Enc::VOP3 | Enc::VOP3SD) {
            self.set(106, None);
            self.set(107, None);
        }
    }
}
