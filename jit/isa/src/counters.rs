//! Immediates made of counters, `vmcnt(3) lgkmcnt(0)`: where each counter stands. Printer and assembler share the tables.

use super::target::{Family, Gfx};
use crate::feature::Feature;

/// A counter: its name and the bits `(lowest, count)` it is made of, low part first.
#[derive(Debug)]
pub struct Counter {
    /// As printed before the value.
    pub name: &'static str,
    parts: &'static [(u32, u32)],
}

impl Counter {
    /// Largest value: the counter does not wait.
    pub fn max(&self) -> u32 {
        (1 << self.parts.iter().map(|p| p.1).sum::<u32>()) - 1
    }

    /// Its value in the immediate.
    pub fn get(&self, immediate: u32) -> u32 {
        let mut at = 0;
        self.parts.iter().fold(0, |value, &(low, count)| {
            let part = (immediate >> low) & ((1 << count) - 1);
            at += count;
            value | part << (at - count)
        })
    }

    /// The bits of the immediate that hold `value`.
    pub fn bits(&self, value: u32) -> u32 {
        let mut rest = value;
        self.parts.iter().fold(0, |bits, &(low, count)| {
            let part = rest & ((1 << count) - 1);
            rest >>= count;
            bits | part << low
        })
    }
}

const fn counter(name: &'static str, parts: &'static [(u32, u32)]) -> Counter {
    Counter { name, parts }
}

const EXPCNT: Counter = counter("expcnt", &[(4, 3)]);
static WAIT_GFX6: [Counter; 3] = [counter("vmcnt", &[(0, 4)]), EXPCNT, counter("lgkmcnt", &[(8, 4)])];
static WAIT_GFX9: [Counter; 3] = [counter("vmcnt", &[(0, 4), (14, 2)]), EXPCNT, counter("lgkmcnt", &[(8, 4)])];
static WAIT_GFX10: [Counter; 3] = [counter("vmcnt", &[(0, 4), (14, 2)]), EXPCNT, counter("lgkmcnt", &[(8, 6)])];
static WAIT_GFX11: [Counter; 3] = [counter("vmcnt", &[(10, 6)]), counter("expcnt", &[(0, 3)]), counter("lgkmcnt", &[(4, 6)])];

/// Counters of s_waitcnt, in print order.
pub fn waitcnt(target: Gfx) -> &'static [Counter] {
    match target.family() {
        Family::Gfx6 | Family::Gfx7 | Family::Gfx8 => &WAIT_GFX6,
        Family::Gfx9 | Family::Gfx90a | Family::Gfx940 => &WAIT_GFX9,
        Family::Gfx10 | Family::Gfx103 => &WAIT_GFX10,
        Family::Gfx11 | Family::Gfx115 | Family::Gfx12 => &WAIT_GFX11,
    }
}

/// Counters of instructions that wait for one.
pub static VSCNT: Counter = counter("vscnt", &[(0, 6)]);
/// See [`VSCNT`].
pub static VMCNT: Counter = counter("vmcnt", &[(0, 6)]);
/// See [`VSCNT`].
pub static EXPCNT_ALONE: Counter = counter("expcnt", &[(0, 3)]);
/// See [`VSCNT`].
pub static LGKMCNT: Counter = counter("lgkmcnt", &[(0, 6)]);

/// Counters that an instruction waits for.
#[derive(Clone, Copy, Debug)]
pub enum Waits {
    /// None, or nobody has said.
    No,
    /// Those that the processor packs into an immediate ([`waitcnt`]).
    Packed,
    /// One, the whole immediate.
    One(&'static Counter),
}

static DEPCTR: [Counter; 7] = [
    counter("depctr_hold_cnt", &[(7, 1)]),
    counter("depctr_sa_sdst", &[(0, 1)]),
    counter("depctr_va_vdst", &[(12, 4)]),
    counter("depctr_va_sdst", &[(9, 3)]),
    counter("depctr_va_ssrc", &[(8, 1)]),
    counter("depctr_va_vcc", &[(1, 1)]),
    counter("depctr_vm_vsrc", &[(2, 3)]),
];

/// Counters of s_waitcnt_depctr, in print order; hold_cnt came with gfx10.3.
pub fn depctr(target: Gfx) -> &'static [Counter] {
    if target.has(Feature::HoldCnt) { &DEPCTR } else { &DEPCTR[1..] }
}

/// Bits of an immediate that belong to no counter.
pub fn outside(counters: &[Counter]) -> u32 {
    0xffff & !counters.iter().fold(0, |bits, c| bits | c.bits(c.max()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_in_two_parts_reads_back() {
        let vmcnt = &waitcnt(Gfx(0x906))[0];
        assert_eq!((vmcnt.max(), vmcnt.bits(0x2a), vmcnt.get(0x800a)), (63, 0x800a, 0x2a));
        assert_eq!(outside(depctr(Gfx::GFX1100)), 0x60);
        assert_eq!(outside(depctr(Gfx(0x1010))), 0xe0);
    }
}
