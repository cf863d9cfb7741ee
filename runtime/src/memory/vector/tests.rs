//! Checked builds find patterns whose bounds are broken on purpose.

use super::pattern::{Pattern, load_by_pattern, store_by_pattern};
use super::*;
use crate::memory::address_space::AddressMode;
use crate::memory::tests::Bench;
use std::panic::{AssertUnwindSafe, catch_unwind};
use wavejit_ir::MemKind;

const OP: MemOp =
    MemOp { pc: 0x40, imm: 0, offset: [1, NO_ROW], data: [5; 4], dst: [9; 4], space: 0, kind: MemKind::B32 as u8, atomic: 0, flags: 0 };

fn panic_of(run: impl FnOnce() -> bool) -> Option<String> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(_) => None,
        Err(panic) => Some(panic.downcast_ref::<String>().expect("a message").clone()),
    }
}

/// Loads and stores dwords by a pattern, in every instruction set; what they panic with. All lanes of EXEC, or a few.
fn run(mode: AddressMode, of: checked::Of, pattern: fn(&mut Bench) -> Pattern) -> Vec<Option<String>> {
    fn both<I: Isa>(mode: AddressMode, of: checked::Of, pattern: fn(&mut Bench) -> Pattern, exec: u64) -> [Option<String>; 2] {
        let mut bench = Bench::new(mode, 32);
        let patterns = [pattern(&mut bench), pattern(&mut bench)];
        let [first, second] = patterns;
        let state = &*bench.state;
        // SAFETY: the bench is a complete wave with these rows; the host has what `I` needs.
        unsafe {
            [
                panic_of(|| load_by_pattern::<I, 32, B32>(state, &OP, exec, first, of)),
                panic_of(|| store_by_pattern::<I, 32, B32>(state, &OP, exec, second, of)),
            ]
        }
    }
    let mut out = vec![];
    for exec in [0xffff_ffff, 0x0000_0f08] {
        out.extend(both::<Portable>(mode, of, pattern, exec));
        if wavejit_isa::HostLevel::host() == wavejit_isa::HostLevel::Avx512 {
            out.extend(both::<crate::memory::avx512::Avx512>(mode, of, pattern, exec));
        }
    }
    out
}

fn found(results: &[Option<String>], words: &[&str]) {
    for result in results {
        let message = result.as_ref().expect("checked builds panic");
        assert!(words.iter().all(|w| message.contains(w)), "{words:?} in {message}");
    }
}

#[test]
fn a_lane_outside_of_lds_is_found() {
    // Every lane a dword, the last of them where LDS ends; then one dword farther.
    let good = |b: &mut Bench| Pattern::Consecutive(b.state.lds as u64 + u64::from(b.state.lds_bytes) - 4 * 32);
    let bad = |b: &mut Bench| Pattern::Consecutive(b.state.lds as u64 + u64::from(b.state.lds_bytes) - 4 * 8);
    let before = |b: &mut Bench| Pattern::Uniform(b.state.lds as u64 - 1);
    assert!(run(AddressMode::Isolated, checked::lds, good).iter().all(Option::is_none));
    found(&run(AddressMode::Isolated, checked::lds, bad), &["at pc 0x40", "4 bytes", "bytes of LDS"]);
    found(&run(AddressMode::Isolated, checked::lds, before), &["at pc 0x40", "4 bytes", "bytes of LDS"]);
}

#[test]
fn a_lane_outside_of_guest_memory_is_found() {
    fn rows(b: &mut Bench, last: u32) -> Pattern {
        let base = b.state.mem_base.wrapping_add(b.buffer);
        let row = b.row(1);
        (0..32).for_each(|lane| row[lane as usize] = 16 * lane);
        row[11] = last;
        Pattern::Rows { base, row: b.row(1).as_ptr(), lanes: 0xf08 }
    }
    let words = ["at pc 0x40", "lane 11", "4 bytes", "guest memory"];
    assert!(run(AddressMode::Isolated, checked::guest, |b| rows(b, 64)).iter().all(Option::is_none));
    // Below the reservation, and far behind it.
    found(
        &run(AddressMode::Isolated, checked::guest, |b| match rows(b, 0) {
            Pattern::Rows { base, row, lanes } => Pattern::Rows { base: base.wrapping_sub(1 << 45), row, lanes },
            other => other,
        }),
        &["at pc 0x40", "lane 3", "guest memory"],
    );
    fn far(b: &mut Bench) -> Pattern {
        b.state.mem_size = 1 << 20;
        b.state.mem_low = b.buffer;
        rows(b, 0x9000_0000)
    }
    found(&run(AddressMode::Isolated, checked::guest, far), &words);
    // The host's memory is all lent.
    assert!(run(AddressMode::Shared, checked::guest, |b| rows(b, 64)).iter().all(Option::is_none));
}

#[test]
fn a_row_that_the_wave_lacks_is_found() {
    let mut bench = Bench::new(AddressMode::Isolated, 32);
    // SAFETY: the bench has its context, which nobody else uses.
    unsafe { context(&bench.state) }.rows = 9;
    let state = &mut *bench.state;
    // SAFETY: the bench is a complete wave, with more rows than it says.
    let message = panic_of(|| unsafe { load_lds::<Portable, 32, B32>(state, &OP, 1, 0) == 0 }).expect("checked builds panic");
    assert!(message.contains("row 9 of a wave with 9"), "{message}");
}

#[test]
fn scratch_beyond_what_was_lent_is_found() {
    let bench = Bench::new(AddressMode::Isolated, 32);
    let lent = checked::scratch(&bench.state);
    let end = bench.state.scratch as u64 + 32 * u64::from(bench.state.scratch_bytes);
    lent.verify("load", 0x40, 31, end - 4, 4);
    let message = panic_of(|| {
        lent.verify("load", 0x40, 31, end - 3, 4);
        true
    });
    assert!(message.expect("checked builds panic").contains("scratch"));
}
