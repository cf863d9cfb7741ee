//! Every row function against [`eval`], lane by lane, at every level of this host.

use super::*;
use crate::eval::tests::{FloatBits, Random};

/// A row file of eight rows with random contents of the kinds an operation likes.
struct File {
    words: Vec<u32>,
    lanes: usize,
}

#[repr(align(64))]
#[derive(Clone, Copy)]
struct Line(#[allow(dead_code)] [u32; 16]);

impl File {
    fn random(random: &mut Random, lanes: usize, kind: usize) -> File {
        let word = |random: &mut Random, row: usize| match kind {
            0 => random.u64() as u32,
            1 => random.f32_bits(),
            2 => half_pair(random),
            3 if row % 2 == 1 => (random.f64_bits() >> 32) as u32,
            3 => random.f64_bits() as u32,
            _ => (random.u64() >> 20) as u32 & 0x8000_003f,
        };
        File { words: (0..8 * lanes).map(|i| word(random, i / lanes)).collect(), lanes }
    }
    fn row(&self, row: u16, lane: usize) -> u64 {
        self.words[usize::from(row) * self.lanes + lane].into()
    }
    fn operand(&self, width: Width, rows: [u16; 2], lane: usize) -> u64 {
        match width {
            Width::B1 => (self.row(rows[0], 0) | self.row(rows[0], 1) << 32) >> lane & 1,
            Width::B32 => self.row(rows[0], lane),
            Width::B64 => self.row(rows[0], lane) | self.row(rows[1], lane) << 32,
        }
    }
    fn run(&mut self, f: RowFn, mode: FpMode, dst: [u16; 2], src: [u16; 8]) -> u64 {
        let mut aligned = vec![Line([0; 16]); self.words.len() / 16];
        let rows = aligned.as_mut_ptr().cast::<u32>();
        // SAFETY: `aligned` has as many words as the file; the row numbers are below 8; `available` levels only.
        unsafe {
            rows.copy_from_nonoverlapping(self.words.as_ptr(), self.words.len());
            let mask = f(rows, self.lanes as u32, mode.0.into(), u64::from(dst[0]) | u64::from(dst[1]) << 16, &src);
            self.words.as_mut_ptr().copy_from_nonoverlapping(rows, self.words.len());
            mask
        }
    }
}

fn half_pair(random: &mut Random) -> u32 {
    const SPECIAL: [u32; 8] = [0, 1, 0x3ff, 0x400, 0x3c00, 0x7bff, 0x7c00, 0x7d01];
    let r = random.u64();
    let half = |r: u64| match r & 3 {
        0 => SPECIAL[(r >> 2) as usize & 7] | (r >> 5) as u32 & 0x8000,
        _ => (r >> 3) as u32 & 0xffff,
    };
    half(r >> 10) | half(r >> 35) << 16
}

fn check(op: PureOp, mode: FpMode, level: HostLevel, lanes: usize, kind: usize, random: &mut Random, in_place: bool) {
    let before = File::random(random, lanes, kind);
    let src = [0, 1, 2, 3, 4, 5, 0, 0];
    let dst = if in_place { [[0, 1], [3, 2], [5, 0], [2, 4]][random.u64() as usize >> 3 & 3] } else { [6, 7] };
    let mut after = File { words: before.words.clone(), lanes };
    let mask = after.run(row_fn_at(op, mode, level), mode, dst, src);
    let mut want_mask = 0;
    for lane in 0..lanes {
        let mut x = [0; 3];
        for (i, width) in op.args().iter().enumerate() {
            x[i] = before.operand(*width, [src[2 * i], src[2 * i + 1]], lane);
        }
        let want = eval(op, mode, x[0], x[1], x[2]);
        let got = match op.ret() {
            Width::B1 => mask >> lane & 1,
            width => after.operand(width, dst, lane),
        };
        assert_eq!(
            got, want,
            "{op} mode {mode:?} {level:?} lane {lane} of {lanes}: {:#x} {:#x} {:#x}: {got:#x}, not {want:#x}",
            x[0], x[1], x[2]
        );
        if op.ret() == Width::B1 {
            want_mask |= want << lane;
        }
    }
    assert_eq!(mask, want_mask, "{op}: mask bits beyond the wave, or a mask from an operation without");
    for row in 0..8u16 {
        let written = op.ret() != Width::B1 && (row == dst[0] || row == dst[1] && op.ret() == Width::B64);
        for lane in 0..lanes {
            assert!(written || before.row(row, lane) == after.row(row, lane), "{op} wrote row {row}");
        }
    }
}

#[test]
fn rows_agree_with_eval_for_every_operation() {
    let mut random = Random(77);
    // HSA; graphics; f32 flushed; f32 inputs flushed; everything flushed; FP16_OVFL; f32 up; f16 and f64 toward zero; nothing set
    let modes = [0x3f0, 0x1f0, 0x3c0, 0x3e0, 0x300, 0x7f0, 0x3f1, 0x3fc, 0].map(FpMode);
    for level in HostLevel::available() {
        for &op in PureOp::ALL {
            for (i, &mode) in modes.iter().enumerate() {
                if i > 0 && !op.reads_mode() {
                    continue;
                }
                for kind in 0..5 {
                    for lanes in [32, 64] {
                        check(op, mode, level, lanes, kind, &mut random, kind & 1 == 1);
                    }
                }
            }
        }
    }
}

#[test]
fn mask_bits_come_from_bytes_in_order() {
    let mut random = Random(9);
    for _ in 0..1000 {
        let want = random.u64() as u32;
        let bytes = std::array::from_fn(|lane| if want >> lane & 1 != 0 { 0xff } else { 0 });
        assert_eq!(sign_bits(bytes), want);
        assert_eq!(low_bits(bytes), want);
    }
}

/// `cargo test --release -p wavejit-jit row_times -- --ignored --nocapture`: nanoseconds per row of 32 lanes, by level.
#[test]
#[ignore = "a measurement"]
fn row_times() {
    let mut random = Random(1);
    for op in PureOp::ALL {
        let kind = [("16", 2), ("64", 3), ("f", 1)].iter().find(|(part, _)| op.text().contains(part)).map_or(0, |k| k.1);
        let words = File::random(&mut random, 32, kind).words;
        let mut aligned: Vec<Line> = words.as_chunks::<16>().0.iter().map(|line| Line(*line)).collect();
        print!("{:20}", op.text());
        for level in HostLevel::available() {
            let f = row_fn_at(*op, FpMode::HSA, level);
            let best = (0..10).map(|_| {
                let start = std::time::Instant::now();
                for _ in 0..1000 {
                    // SAFETY: eight rows of 32 dwords, aligned; row numbers below 8.
                    unsafe {
                        let rows = aligned.as_mut_ptr().cast::<u32>();
                        f(rows, 32, FpMode::HSA.0.into(), 6 | 7 << 16, &[0, 1, 2, 3, 4, 5, 0, 0]);
                    }
                }
                start.elapsed().as_secs_f64() * 1e6
            });
            print!("{:9.1}", best.reduce(|a, b| a.min(b)).unwrap_or_default());
        }
        println!();
    }
}
