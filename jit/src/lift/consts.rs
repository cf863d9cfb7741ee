//! Scalars known at a point of the program: enough to follow the addresses that compilers build with s_getpc_b64 and adds, and constants
//! written to MODE. Not a general constant folder: everything else makes a register unknown.
//!
//! Addresses of the code are not constants, because code runs at any address: a register holds a half of the address of something in the
//! code, as lifted, and sums keep track of it. So what is known does not depend on where the code is:
//!
//! ```text
//! s_getpc_b64 s[0:1]          s0 = low half of (0x104), s1 = high half of (0x104)
//! s_add_u32 s0, s0, 0x20      s0 = low half of (0x124), scc = carry of (0x104) + 0x20
//! s_addc_u32 s1, s1, 0        s1 = high half of (0x124)
//! ```

use wavejit_isa::scalars::TRAP;
use wavejit_isa::{Follow, Implicit, Inst, Opd, Operand};

/// Codes that name SGPRs and VCC.
const REGS: usize = TRAP.start as usize;

/// What is known of a register. Addresses are as lifted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Known {
    #[default]
    Nothing,
    Value(u32),
    /// Low half of an address of the code; only the address' low half counts.
    Low(u64),
    /// High half.
    High(u64),
}

/// What is known of SCC.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Flag {
    #[default]
    Unknown,
    Value(bool),
    /// The carry of the low half of an address plus a number.
    CarryOf(u64, u32),
}

/// A 64-bit scalar that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wide {
    /// A number.
    Value(u64),
    /// An address of the code, as lifted.
    Address(u64),
}

/// What is known: s0..s105 and VCC, and SCC.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Consts {
    regs: [Known; REGS],
    /// Of which anything is known: a bit for each.
    some: u128,
    scc: Flag,
}

impl Consts {
    /// Nothing known.
    pub(super) fn unknown() -> Self {
        Consts { regs: [Known::Nothing; REGS], some: 0, scc: Flag::Unknown }
    }

    /// Keeps what both know. True if something was forgotten.
    pub(super) fn meet(&mut self, other: &Consts) -> bool {
        let mut changed = false;
        let mut left = self.some;
        while left != 0 {
            let n = left.trailing_zeros() as usize;
            left &= left - 1;
            if self.regs[n] != other.regs[n] {
                self.set(n as u8, Known::Nothing);
                changed = true;
            }
        }
        if self.scc != other.scc && self.scc != Flag::Unknown {
            self.scc = Flag::Unknown;
            changed = true;
        }
        changed
    }

    fn reg(&self, n: u8) -> Known {
        self.regs.get(usize::from(n)).copied().unwrap_or_default()
    }

    fn set(&mut self, n: u8, v: Known) {
        if let Some(r) = self.regs.get_mut(usize::from(n)) {
            *r = v;
            let bit = 1 << n;
            self.some = if v == Known::Nothing { self.some & !bit } else { self.some | bit };
        }
    }

    fn set64(&mut self, op: Operand, v: Option<Wide>) {
        let (low, high) = match v {
            None => (Known::Nothing, Known::Nothing),
            Some(Wide::Value(v)) => (Known::Value(v as u32), Known::Value((v >> 32) as u32)),
            Some(Wide::Address(a)) => (Known::Low(a), Known::High(a)),
        };
        if let Operand::Sgpr { n, .. } = op {
            self.set(n & !1, low);
            self.set(n | 1, high);
        }
    }

    fn known(&self, op: Operand) -> Known {
        match op {
            Operand::Sgpr { n, .. } => self.reg(n),
            Operand::Int(i) => Known::Value(i as u32),
            Operand::Literal(l) | Operand::Imm(l) => Known::Value(l),
            _ => Known::Nothing,
        }
    }

    /// A 32-bit source that is a number.
    pub(super) fn read(&self, op: Operand) -> Option<u32> {
        match self.known(op) {
            Known::Value(v) => Some(v),
            _ => None,
        }
    }

    /// A 64-bit source.
    pub(super) fn read64(&self, op: Operand) -> Option<Wide> {
        match op {
            Operand::Sgpr { n, .. } => match (self.reg(n & !1), self.reg(n | 1)) {
                (Known::Value(low), Known::Value(high)) => Some(Wide::Value(u64::from(low) | u64::from(high) << 32)),
                (Known::Low(low), Known::High(high)) if low as u32 == high as u32 => Some(Wide::Address(high)),
                _ => None,
            },
            Operand::Int(i) => Some(Wide::Value(i64::from(i) as u64)),
            Operand::Literal(l) => Some(Wide::Value(l.into())),
            _ => None,
        }
    }

    /// x + y, and its carry.
    fn sum(x: Known, y: Known) -> (Known, Flag) {
        match (x, y) {
            (Known::Value(x), Known::Value(y)) => (Known::Value(x.wrapping_add(y)), Flag::Value(x.checked_add(y).is_none())),
            (Known::Low(a), Known::Value(v)) | (Known::Value(v), Known::Low(a)) => {
                (Known::Low(a.wrapping_add(v.into())), Flag::CarryOf(a, v))
            }
            _ => (Known::Nothing, Flag::Unknown),
        }
    }

    /// x + y + SCC.
    fn sum_with_carry(&self, x: Known, y: Known) -> Known {
        match (x, y, self.scc) {
            (Known::Value(x), Known::Value(y), Flag::Value(c)) => Known::Value(x.wrapping_add(y).wrapping_add(c.into())),
            (Known::High(a), Known::Value(v), Flag::CarryOf(b, low)) | (Known::Value(v), Known::High(a), Flag::CarryOf(b, low))
                if a == b =>
            {
                Known::High(a.wrapping_add(u64::from(v) << 32 | u64::from(low)))
            }
            _ => Known::Nothing,
        }
    }

    /// Steps over `inst` at `pc`.
    pub(super) fn step(&mut self, inst: &Inst, pc: u64) {
        if !inst.enc.is_salu() {
            // Vector instructions have no scalar results to follow.
            if inst.row.writes.contains(Implicit::SCC) {
                self.scc = Flag::Unknown;
            }
            return self.forget_results(inst);
        }
        let ops = inst.ops();
        let follow = inst.row.follow;
        let at = |i: usize| ops.get(i).copied().unwrap_or(Operand::Off);
        let next = pc.wrapping_add(inst.bytes().into());
        let (kx, ky) = (self.known(at(1)), self.known(at(2)));
        let (x, y) = (self.read(at(1)), self.read(at(2)));
        let one = |f: fn(u32) -> u32| x.map_or(Known::Nothing, |x| Known::Value(f(x)));
        let pair = |f: fn(u32, u32) -> u32| x.zip(y).map_or(Known::Nothing, |(x, y)| Known::Value(f(x, y)));
        let narrow = match follow {
            Some(Follow::Move) => kx,
            Some(Follow::Extend16) => one(|v| i32::from(v as i16) as u32),
            Some(Follow::Add | Follow::AddSigned) => Self::sum(kx, ky).0,
            Some(Follow::Sub) => pair(u32::wrapping_sub),
            Some(Follow::AddCarry) => self.sum_with_carry(kx, ky),
            Some(Follow::And) => pair(|x, y| x & y),
            Some(Follow::Or) => pair(|x, y| x | y),
            Some(Follow::Shl) => pair(u32::wrapping_shl),
            Some(Follow::AShr) => pair(|x, y| (x as i32).wrapping_shr(y) as u32),
            _ => Known::Nothing,
        };
        let wide = match follow {
            Some(Follow::Move64) => self.read64(at(1)),
            Some(Follow::GetPc | Follow::SwapPc | Follow::Call) => Some(Wide::Address(next)),
            _ => None,
        };
        let scc = match follow {
            Some(Follow::Add) => Self::sum(kx, ky).1,
            _ if inst.row.writes.contains(Implicit::SCC) => Flag::Unknown,
            _ => self.scc,
        };
        self.forget_results(inst);
        if let (Operand::Sgpr { n, .. }, true) = (at(0), narrow != Known::Nothing) {
            self.set(n, narrow);
        }
        if wide.is_some() {
            self.set64(at(0), wide);
        }
        self.scc = scc;
    }

    /// Whatever `inst` may write is unknown: its scalar destinations, and everything for s_movreld and s_movrelsd.
    fn forget_results(&mut self, inst: &Inst) {
        if inst.row.follow == Some(Follow::AnyScalar) {
            (self.regs, self.some) = ([Known::Nothing; REGS], 0);
        }
        for (op, column) in inst.ops().iter().zip(inst.row.ops) {
            if let (Operand::Sgpr { n, count }, Opd::SD(_) | Opd::SS(_) | Opd::MD) = (*op, column) {
                // Hardware aligns wide destinations by clearing low bits of the register number.
                let align = count.next_power_of_two().min(4) - 1;
                (n & !align..(n | align).saturating_add(count.max(1))).for_each(|r| self.set(r, Known::Nothing));
            }
        }
    }
}
