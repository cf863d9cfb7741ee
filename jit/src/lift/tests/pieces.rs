//! Functions are bounded, and do not depend on where their code is.

use super::*;
use std::cell::Cell;
use wavejit_ir::{BlockId, Op, Term, text};

const S_NOP: u32 = 0xbf80_0000;
const S_ENDPGM: u32 = 0xbfb0_0000;
/// s_cbranch_scc1; add the distance in dwords from the next instruction.
const S_CBRANCH_SCC1: u32 = 0xbfa2_0000;

fn lift_at(base: u64, words: &[u32], limits: Limits, stop: &dyn Fn() -> bool) -> Result<Lifted, Stopped> {
    let read = |pc: u64| words.get(usize::try_from(pc.checked_sub(base)? / 4).ok()?).copied();
    lift_piece(
        &LiftSource { name: "f", entry: base, target: Gfx::GFX1100, wave_size: 32, mode: FpMode::HSA, vgprs: ALL_VGPRS, read: &read },
        limits,
        stop,
    )
}

fn lift_words(words: &[u32], limits: Limits) -> Lifted {
    lift_at(0, words, limits, &|| false).unwrap()
}

/// The function as it would be if its code were `delta` bytes further on.
fn moved(mut func: Func, delta: u64) -> Func {
    let shift = |pc: &mut u64| *pc = pc.wrapping_add(delta);
    func.failures.iter_mut().for_each(|f| shift(&mut f.pc));
    for block in &mut func.blocks {
        shift(&mut block.pc);
        shift(&mut block.term_pc);
        match &mut block.term {
            Term::Leave { pc } | Term::NewMode { pc, .. } => shift(pc),
            Term::Indirect { known, .. } => known.iter_mut().for_each(|k| shift(&mut k.0)),
            _ => {}
        }
        for inst in &mut block.insts {
            shift(&mut inst.pc);
            if let Op::CodeAddress { pc } = &mut inst.op {
                shift(pc);
            }
        }
    }
    func
}

fn leaves(func: &Func) -> Vec<u64> {
    let to = |b: &wavejit_ir::Block| match b.term {
        Term::Leave { pc } => Some(pc),
        _ => None,
    };
    func.blocks.iter().filter_map(to).collect()
}

/// Two calls of one function, whose address is built from the pc with a carry that depends on where the code is; a call of an address that is a number.
#[rustfmt::skip]
const CALLS: &[u32] = &[
    0xbe80_4700,                // s_getpc_b64 s[0:1]
    0x8000_ff00, 0x0000_0034,   // s_add_u32 s0, s0, 0x34
    0x8201_8001,                // s_addc_u32 s1, s1, 0
    0xbe9e_4900,                // s_swappc_b64 s[30:31], s[0:1]
    0xbe82_4700,                // s_getpc_b64 s[2:3]
    0x8002_ff02, 0xffff_fff0,   // s_add_u32 s2, s2, -16
    0x8203_c103,                // s_addc_u32 s3, s3, -1
    0xbe9e_4900,                // s_swappc_b64 s[30:31], s[0:1]
    0xbe84_00ff, 0x0000_0100,   // s_mov_b32 s4, 0x100
    0xbe85_0080,                // s_mov_b32 s5, 0
    0xbe84_4804,                // s_setpc_b64 s[4:5]
    S_NOP,
    0xbe80_481e,                // s_setpc_b64 s[30:31]
];

#[test]
fn a_function_does_not_depend_on_where_its_code_is() {
    let at_zero = lift_words(CALLS, Limits::WHOLE);
    for base in [0x1000, 0xffff_ffd0, 0xffff_fffc, 0x7fff_ffff_f000] {
        let there = lift_at(base, CALLS, Limits::WHOLE, &|| false).unwrap();
        assert_eq!(text::print(&there.func), text::print(&moved(at_zero.func.clone(), base)), "{base:#x}");
        assert_eq!(there.code, at_zero.code, "{base:#x}");
    }
    // The calls are followed, and return to both sites. The jump to a number is not: it may be a return.
    let ends: Vec<&Term> = at_zero.func.blocks.iter().map(|b| &b.term).collect();
    assert_eq!(at_zero.func.blocks.iter().map(|b| b.pc).collect::<Vec<_>>(), [0, 20, 40, 56], "{ends:?}");
    assert!(matches!(ends[0], Term::Jump(BlockId(3))) && matches!(ends[1], Term::Jump(BlockId(3))), "{ends:?}");
    for end in &ends[2..] {
        assert!(matches!(end, Term::Indirect { known, .. } if *known == [(20, BlockId(1)), (40, BlockId(2))]), "{ends:?}");
    }
}

#[test]
fn what_was_read_is_compared_dword_by_dword() {
    let words = [S_CBRANCH_SCC1 + 2, S_NOP, 0xbfa0_0001, 0, 0x8000_ff00];
    // s_cbranch_scc1 to 3; s_nop; s_branch to 4; 0; an instruction without its literal.
    let lifted = lift_words(&words, Limits::WHOLE);
    let at = |base: u64, words: &[u32]| {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let read = |pc: u64, to: &mut [u8]| {
            let there = pc.checked_sub(base).and_then(|at| bytes.get(at as usize..at as usize + to.len()));
            there.map(|there| to.copy_from_slice(there)).is_some()
        };
        lifted.code.matches(base, &read)
    };
    assert_eq!(lifted.code.bytes(), 20);
    assert!(at(0, &words) && at(0x5000, &words));
    for i in 0..words.len() {
        let mut other = words;
        other[i] ^= 1;
        assert!(!at(0, &other), "dword {i}");
    }
    // A literal where there was none.
    assert!(!at(0, &[&words[..], &[0]].concat()) && !at(0, &words[..4]));
}

#[test]
fn a_function_has_no_more_instructions_and_blocks_than_its_limits() {
    let limits = Limits { insts: 100, blocks: 10, ..Limits::WHOLE };
    let straight: Vec<u32> = (0..1000).map(|_| S_NOP).chain([S_ENDPGM]).collect();
    let f = lift_words(&straight, limits).func;
    assert_eq!((f.blocks.len(), f.blocks[0].guest_insts, leaves(&f)), (2, 100, vec![400]));
    // Each of 100 branches skips an instruction.
    let branches: Vec<u32> = (0..100).flat_map(|_| [S_CBRANCH_SCC1 + 1, S_NOP]).chain([S_ENDPGM]).collect();
    let f = lift_words(&branches, limits).func;
    assert_eq!(f.blocks.len() - leaves(&f).len(), 10);
    assert!(f.blocks.iter().map(|b| b.guest_insts).sum::<u32>() <= 100);
    // Every edge out is to code that is there.
    for pc in leaves(&f) {
        assert!(lift_words(&branches[pc as usize / 4..], limits).func.blocks[0].guest_insts > 0);
    }
}

#[test]
fn instructions_that_take_long_to_compile_make_a_function_short() {
    // s_load_b512 s[0:15], s[32:33], null
    let loads: Vec<u32> = (0..3000).flat_map(|_| [0xf410_0010, 0xf800_0000]).chain([S_ENDPGM]).collect();
    let f = lift_words(&loads, Limits::WHOLE).func;
    assert!(f.types.len() <= Limits::WHOLE.values as usize && f.guest_insts() > 500, "{} values, {}", f.types.len(), f.guest_insts());
    let tiny = Limits { values: 1, ..Limits::WHOLE };
    assert_eq!(lift_words(&loads, tiny).func.guest_insts(), 32);
}

#[test]
fn a_loop_that_is_cut_is_whole_in_the_function_where_it_goes_on() {
    // 80 instructions, then a loop of 60.
    let mut words = vec![S_NOP; 139];
    words.extend([S_CBRANCH_SCC1 + (!59 & 0xffff), S_ENDPGM]);
    let limits = Limits { insts: 100, blocks: 10, ..Limits::WHOLE };
    let f = lift_words(&words, limits).func;
    assert_eq!(leaves(&f), [400]);
    let f = lift_at(0, &words, limits, &|| false).unwrap().func;
    assert_eq!(f.blocks[0].guest_insts, 100);
    let read = |pc: u64| words.get(pc as usize / 4).copied();
    let there = LiftSource { name: "f", entry: 400, target: Gfx::GFX1100, wave_size: 32, mode: FpMode::HSA, vgprs: ALL_VGPRS, read: &read };
    let f = lift_piece(&there, limits, &|| false).unwrap().func;
    assert_eq!((leaves(&f), f.blocks.len()), (vec![], 3));
    assert_eq!(f.blocks.iter().map(|b| (b.pc, b.guest_insts)).collect::<Vec<_>>(), [(400, 40), (320, 20), (560, 1)]);
}

#[test]
fn work_is_proportional_to_the_limits_whatever_the_code() {
    let limits = Limits { insts: 1000, blocks: 1000, ..Limits::WHOLE };
    let bounded = |name: &str, words: &[u32]| {
        let looks = Cell::new(0);
        let stop = || {
            looks.set(looks.get() + 1);
            false
        };
        let lifted = lift_at(0, words, limits, &stop).unwrap();
        assert!(lifted.code.bytes() <= 8000, "{name}: {} bytes", lifted.code.bytes());
        // One for 256 steps of discovery, one for each block.
        assert!(looks.get() <= 1000 * 16 / 256 + 1000 + 10, "{name}: {} looks", looks.get());
        assert_eq!(verify::verify(&lifted.func), Ok(()), "{name}");
    };
    // Each branch cuts the block before it once more.
    let n = 3000;
    bounded("cuts", &(0..n).map(|i| S_CBRANCH_SCC1 + if i < 500 { 2998 - 2 * i } else { 0 }).collect::<Vec<u32>>());
    let to_anywhere: Vec<u32> = (0..n).map(|i| S_CBRANCH_SCC1 + ((i * 7919 % n).wrapping_sub(i + 1) & 0xffff)).collect();
    bounded("branches to anywhere", &to_anywhere);
    // s_mov_b32 of a new constant to each of many registers, round and round.
    let constants: Vec<u32> =
        (0..n).map(|i| if i % 5 == 4 { to_anywhere[i as usize] } else { 0xbe80_0080 + ((i % 100) << 16) + i % 60 }).collect();
    bounded("constants", &constants);
    // s_call_b64 s[0:1] to the next instruction, and returns.
    let calls: Vec<u32> = (0..n).map(|i| if i % 2 == 0 { 0xba00_0000 } else { 0xbe80_4802 }).collect();
    bounded("calls", &calls);
    // s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), i
    let modes: Vec<u32> = (0..n).flat_map(|i| [0xb980_3801, i & 255, S_CBRANCH_SCC1 + ((3 * (i % 100)).wrapping_neg() & 0xffff)]).collect();
    bounded("modes", &modes);
}

#[test]
fn a_lift_can_be_called_off() {
    let looks = Cell::new(0);
    let stop = || {
        looks.set(looks.get() + 1);
        looks.get() > 3
    };
    let code: Vec<u32> = (0..4000).map(|_| S_CBRANCH_SCC1).collect();
    assert_eq!(lift_at(0, &code, Limits::WHOLE, &stop).unwrap_err(), Stopped);
    assert_eq!(looks.get(), 4);
}

#[test]
fn a_function_leaves_for_what_it_is_not_to_reach_and_always_has_its_entry() {
    // 0: to 12 or on; 4, 8: on; 12: the end.
    let words = [S_CBRANCH_SCC1 + 2, S_NOP, S_NOP, S_ENDPGM];
    let read = |pc: u64| words.get(pc as usize / 4).copied();
    let src = LiftSource { name: "f", entry: 0, target: Gfx::GFX1100, wave_size: 32, mode: FpMode::HSA, vgprs: ALL_VGPRS, read: &read };
    let reaching = |reached: &[u64]| {
        let reaches = |pc: u64, _: FpMode| reached.contains(&pc);
        lift_as(&src, &Plan { reaches: &reaches, ..Plan::new(Limits::WHOLE) }, &|| false).expect("nobody stops it").func
    };
    assert_eq!((reaching(&[4, 12]).guest_insts(), leaves(&reaching(&[4, 12]))), (4, vec![]));
    assert_eq!((reaching(&[4]).guest_insts(), leaves(&reaching(&[4]))), (4, vec![12]));
    assert_eq!((reaching(&[12]).guest_insts(), leaves(&reaching(&[12]))), (2, vec![4]));
    assert_eq!((reaching(&[]).guest_insts(), leaves(&reaching(&[]))), (1, vec![12, 4]));
}
