//! v_fma_mix_f32, v_fma_mixlo_f16 and v_fma_mixhi_f16 under every modifier they have: abs, neg, op_sel and op_sel_hi of three sources, and
//! clamp (numerics.md section 11).

use half::f16;
use wavejit_ir::FpMode;
use wavejit_ir::abi::Exit;
use wavejit_isa::Gfx;
use wavejit_tests::machine::{INTERPRETER, LEAVE, Machine, OTHERS, lift_code};

/// Destinations of one program: v16 and up.
const FIRST: usize = 16;
const BATCH: usize = 128;
/// What destinations hold before.
const OLD: u32 = 0xbad0_cafe;

/// The modifiers of one instruction: bit i belongs to source i.
#[derive(Clone, Copy, Debug)]
struct Mods {
    abs: u32,
    neg: u32,
    op_sel: u32,
    op_sel_hi: u32,
    clamp: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Row {
    F32,
    Low,
    High,
}

/// `v_fma_mix* v{dst}, v1, v2, v3` (RDNA3 ISA, VOP3P).
fn encode(row: Row, m: Mods, dst: usize) -> [u32; 2] {
    let op = 0x20 + row as u32;
    [
        0xcc << 24 | op << 16 | u32::from(m.clamp) << 15 | (m.op_sel_hi >> 2) << 14 | m.op_sel << 11 | m.abs << 8 | dst as u32,
        m.neg << 29 | (m.op_sel_hi & 3) << 27 | 0x103 << 18 | 0x102 << 9 | 0x101,
    ]
}

/// A source: f32, or a half of the register if op_sel_hi says so; the high one if op_sel does.
fn source(bits: u32, m: Mods, i: u32) -> f32 {
    let is = |field: u32| field >> i & 1 != 0;
    let half = if is(m.op_sel) { bits >> 16 } else { bits } as u16;
    let v = if is(m.op_sel_hi) { f16::from_bits(half).to_f32() } else { f32::from_bits(bits) };
    let v = if is(m.abs) { v.abs() } else { v };
    if is(m.neg) { -v } else { v }
}

/// The destination afterwards.
fn expected(row: Row, m: Mods, s: [u32; 3]) -> u32 {
    let [a, b, c] = [0, 1, 2].map(|i| source(s[i as usize], m, i));
    let v = a.mul_add(b, c);
    // Not a number becomes 0 (DX10_CLAMP), and so does -0.
    let clamped = |v: f32| if v > 0.0 { v.min(1.0) } else { 0.0 };
    let half = || {
        let h = f16::from_f32(v);
        u32::from(if m.clamp { f16::from_f32(clamped(h.to_f32())) } else { h }.to_bits())
    };
    match row {
        Row::F32 => if m.clamp { clamped(v) } else { v }.to_bits(),
        Row::Low => OLD & 0xffff_0000 | half(),
        Row::High => OLD & 0xffff | half() << 16,
    }
}

/// Registers whose f32 and whose halves are all of moderate size, so that no sum is lost in another; then special ones.
fn inputs() -> [[u32; 32]; 3] {
    let mut seed = 0x1234_5678u32;
    let mut random = move || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed >> 16
    };
    let mut half = move || (random() & 0x8000) + 0x3a00 + random() % 0x0a00;
    let mut rows = [[0; 32]; 3];
    rows.iter_mut().flatten().for_each(|v| *v = half() << 16 | half());
    // zeros, denormals of both sizes, infinities
    rows[0][28..].copy_from_slice(&[0x8000_8000, 0x0001_8001, 0x7c00_fc00, 0x7f80_0000]);
    rows[2][27..].copy_from_slice(&[0x8000_0000, 0x8000_0001, 0x0000_0001, 0x3c00_bc00, 0x4000_c000]);
    rows
}

fn is_nan(row: Row, bits: u32) -> bool {
    match row {
        Row::F32 => f32::from_bits(bits).is_nan(),
        Row::Low => f16::from_bits(bits as u16).is_nan(),
        Row::High => f16::from_bits((bits >> 16) as u16).is_nan(),
    }
}

#[test]
fn mixed_fma_has_abs_neg_op_sel_and_clamp_on_every_source() {
    let sources = inputs();
    let all: Vec<Mods> = (0..1 << 13)
        .map(|n: u32| Mods { abs: n & 7, neg: n >> 3 & 7, op_sel: n >> 6 & 7, op_sel_hi: n >> 9 & 7, clamp: n >> 12 != 0 })
        .collect();
    let mut differ_by_abs = 0;
    for row in [Row::F32, Row::Low, Row::High] {
        for (number, batch) in all.chunks(BATCH).enumerate() {
            let mut code: Vec<u32> = batch.iter().enumerate().flat_map(|(i, m)| encode(row, *m, FIRST + i)).collect();
            code.push(LEAVE);
            let func = lift_code(&code, Gfx::GFX1100, 32, FpMode::HSA);
            let mut start = Machine::new(32);
            (FIRST..FIRST + BATCH).for_each(|n| start.vgpr_mut(n).fill(OLD));
            sources.iter().enumerate().for_each(|(i, s)| start.vgpr_mut(1 + i).copy_from_slice(s));
            // What is lifted is the same for all engines; compiling it takes longest.
            for (engine, run) in [INTERPRETER].into_iter().chain(OTHERS).filter(|e| number % 5 == 0 || e.0 == INTERPRETER.0) {
                let mut m = start.clone();
                assert_eq!(run(&func, &mut m).expect("compiles").exit, Exit::NewPc, "{engine}");
                for (i, mods) in batch.iter().enumerate() {
                    for lane in 0..32 {
                        let s = sources.map(|r| r[lane]);
                        let (got, want) = (m.vgpr(FIRST + i)[lane], expected(row, *mods, s));
                        differ_by_abs += u32::from(want != expected(row, Mods { abs: 0, ..*mods }, s));
                        let same_nan = is_nan(row, got) && is_nan(row, want);
                        assert!(got == want || same_nan, "{engine}: {row:?} {mods:x?} of {s:08x?}: {got:#x}, not {want:#x}");
                    }
                }
            }
        }
    }
    assert!(differ_by_abs > 100_000, "the inputs hardly tell abs from nothing");
}
