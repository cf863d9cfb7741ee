//! What a back end can rely on: loops as regions, several back ends side by side.

use super::{
    CodegenSession, EmitError, EmitOptions,
    back_end::{RegionBackend, RegionCode, RegionJob},
    emit,
};
use crate::region::{Piece, pieces};
use wavejit_ir::abi::{Exit, TEMP_ROW, WaveState};
use wavejit_ir::{Block, BlockId, Func, Op, Value, text::parse};

/// s0 counts to 10, v0 is added to v1 each time; then v1 is doubled.
const LOOP: &str = r#"func "loop" wave32 {
b0 pc=0 mode=0x3f0 insts=1:
  %0: s32 = const.32 0
  sset s0, %0
  jump b1
b1 pc=4 mode=0x3f0 insts=2:
  %1: mask = exec
  %2: l32 = vget v0 demand %1
  %3: l32 = vget v1 demand %1
  %4: l32 = iadd.32 %2, %3
  vset v1, %4, exec %1
  %5: s32 = sget s0
  %6: s32 = const.32 1
  %7: s32 = iadd.32 %5, %6
  sset s0, %7
  %8: s32 = const.32 10
  %9: s1 = ult.32 %7, %8
  branch %9, b1, b2
b2 pc=8 mode=0x3f0 insts=1:
  %10: mask = exec
  %11: l32 = vget v1 demand %10
  %12: l32 = iadd.32 %11, %11
  vset v1, %12, exec %10
  end
}"#;

fn piece_of_loop() -> Piece {
    Piece { entry: BlockId(1), blocks: vec![BlockId(1)], exits: vec![BlockId(2)] }
}

#[test]
fn innermost_loops_are_pieces() {
    assert_eq!(pieces(&parse(LOOP).unwrap()), [piece_of_loop()]);
}

#[test]
fn loops_that_suspend_or_have_two_entries_are_not_pieces() {
    let text = |b1: &str, b2: &str| {
        format!(
            "func \"f\" wave32 {{\nb0 pc=0 mode=0 insts=1:\n %0: s1 = sget scc\n branch %0, b1, b2\nb1 pc=4 mode=0 insts=1:\n {b1}\nb2 pc=8 mode=0 insts=1:\n {b2}\n}}"
        )
    };
    assert_eq!(pieces(&parse(&text("pause barrier, b1", "end")).unwrap()), []);
    assert_eq!(pieces(&parse(&text("jump b2", "jump b1")).unwrap()), []);
}

/// Ten times what the loop does, by hand.
unsafe extern "C" fn run_loop(state: *mut WaveState) -> u32 {
    // SAFETY: called with a live wave of 32 lanes.
    unsafe {
        let s = &mut *state;
        loop {
            s.fuel -= 2;
            for lane in (0..32).filter(|l| s.sregs[126] >> l & 1 != 0) {
                let sum = (*s.rows.add(lane)).wrapping_add(*s.rows.add(32 + lane));
                *s.rows.add(32 + lane) = sum;
            }
            s.sregs[0] += 1;
            if s.sregs[0] >= 10 {
                return 0;
            }
            if s.fuel <= 0 {
                return piece_of_loop().out_of_fuel();
            }
        }
    }
}

/// Takes loops and no lines.
struct LoopsOnly;
impl RegionBackend for LoopsOnly {
    fn accepts(&self, _: &Op, _: &dyn Fn(Value) -> Option<usize>, _: &Block) -> bool {
        false
    }
    fn accepts_loop(&self, _: &Func, piece: &Piece) -> bool {
        *piece == piece_of_loop()
    }
    fn compile(&mut self, job: &RegionJob, _: &mut CodegenSession) -> Result<RegionCode, EmitError> {
        match job {
            RegionJob::Loop { func, piece } if func.wave_size == 32 && piece.exits == [BlockId(2)] => {
                Ok(RegionCode::Address(run_loop as *const () as usize))
            }
            _ => Err(EmitError::internal("not the loop")),
        }
    }
}

#[repr(C, align(64))]
struct Rows([u32; (TEMP_ROW as usize + 64) * 32]);

/// Runs to the end with `slice` fuel at a time; (v1 of lanes 0 and 1, s0, exits, fuel used).
fn run(back_ends: Vec<Box<dyn RegionBackend>>, slice: i64) -> ([u32; 2], u32, Vec<Exit>, i64) {
    let func = parse(LOOP).unwrap();
    let code = emit(&func, &EmitOptions { keep_final_state: true, ..EmitOptions::default() }, back_ends, false, &|| false).unwrap().0;
    let mut rows = Box::new(Rows([0; (TEMP_ROW as usize + 64) * 32]));
    rows.0[..64].copy_from_slice(&std::array::from_fn::<u32, 64, _>(|i| i as u32));
    // SAFETY: integers and raw pointers, for which zero is a value.
    let mut state: Box<WaveState> = Box::new(unsafe { std::mem::zeroed() });
    (state.rows, state.wave_size, state.sregs[126]) = (rows.0.as_mut_ptr(), 32, 0xffff_fffe);
    let (mut exits, mut used) = (vec![], 0);
    while exits.last().is_none_or(|e| *e == Exit::Fuel) {
        state.fuel = slice;
        // SAFETY: the state is complete; the loop has no memory access.
        exits.push(Exit::from_u32(unsafe { code.entry()(&mut *state, std::ptr::null_mut()) }).unwrap());
        used += slice - state.fuel;
    }
    ([rows.0[32], rows.0[33]], state.sregs[0], exits, used)
}

#[test]
fn a_loop_can_be_one_region_of_another_back_end() {
    let cranelift = || vec![Box::new(super::CraneliftRegions) as Box<dyn RegionBackend>];
    let both = || vec![Box::new(LoopsOnly) as Box<dyn RegionBackend>, Box::new(super::CraneliftRegions)];
    for slice in [1000, 7, 1] {
        let (want, got) = (run(cranelift(), slice), run(both(), slice));
        assert_eq!(want, got, "{slice}");
        // Lane 0 is off; lane 1: (33 + 10 * 1) * 2.
        assert_eq!((got.0, got.1, got.3), ([32, 86], 10, 22));
    }
}
