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

/// A row of a wave of 64 lanes.
#[derive(Clone)]
#[repr(C, align(64))]
struct Row([u32; 64]);

/// What the Cranelift back end does by operands it knows (constants, results of arithmetic, both the same, 64-bit lanes in dwords) equals the definition.
#[test]
fn known_operands_give_what_the_definition_gives() {
    use wavejit_ir::{FpMode, PureOp, eval::eval};
    // Zeros, numbers, a denormal, infinity, quiet and signaling NaNs.
    const F: [u32; 8] = [0, 0x8000_0000, 0x3fc0_0000, 0x8000_0001, 0x7f80_0000, 0x7fc0_0001, 0x7f80_0001, 0xffc0_0002];
    let lane = |i: usize| [F[i % 8], F[i / 8]];
    let mut text = format!("func \"known\" wave64 {{\nb0 pc=0 mode={:#x} insts=1:\n", FpMode::HSA.0);
    text.push_str(" %0: mask = exec\n %1: l32 = vget v0 demand %0\n %2: l32 = vget v1 demand %0\n %3: s32 = const.32 0x3f800000\n %4: l32 = splat %3\n");
    text.push_str(" %5: l32 = fmul.32 %1, %4\n %6: l32 = fmul.32 %2, %4\n %7: l64 = pack.64 %1, %2\n");
    let mut next = 8;
    let mut line = |ty: &str, rest: String| {
        text.push_str(&format!(" %{next}: {ty} = {rest}\n"));
        next += 1;
        next - 1
    };
    let quiet = |x: u32| eval(PureOp::FMul32, FpMode::HSA, x.into(), 0x3f80_0000, 0) as u32;
    type Want = Box<dyn Fn([u32; 2]) -> u32>;
    let mut wants: Vec<(usize, String, Want)> = vec![];
    for (name, op) in [("fmin.32", PureOp::FMin32), ("fmax.32", PureOp::FMax32)] {
        let f = move |a: u32, b: u32| eval(op, FpMode::HSA, a.into(), b.into(), 0) as u32;
        let mut add = |args: String, want: Want| wants.push((line("l32", format!("{name} {args}")), format!("{name} {args}"), want));
        add("%1, %2".into(), Box::new(move |[a, b]| f(a, b)));
        add("%1, %1".into(), Box::new(move |[a, _]| f(a, a)));
        add("%5, %6".into(), Box::new(move |[a, b]| f(quiet(a), quiet(b))));
        add("%5, %2".into(), Box::new(move |[a, b]| f(quiet(a), b)));
        for c in F {
            let bits = line("s32", format!("const.32 {c:#x}"));
            let splat = line("l32", format!("splat %{bits}"));
            for (args, first) in [(format!("%{splat}, %5"), true), (format!("%5, %{splat}"), false)] {
                let want = move |[a, _]: [u32; 2]| if first { f(c, quiet(a)) } else { f(quiet(a), c) };
                wants.push((line("l32", format!("{name} {args}")), format!("{name} {args}, {c:#x}"), Box::new(want)));
            }
        }
    }
    let high = line("l32", "umulhi.32 %1, %2".into());
    wants.push((high, "umulhi.32".into(), Box::new(|[a, b]| ((u64::from(a) * u64::from(b)) >> 32) as u32)));
    for (name, op) in [("shl.64", PureOp::Shl64), ("lshr.64", PureOp::LShr64), ("ashr.64", PureOp::AShr64)] {
        for n in [0, 1, 31, 32, 33, 63, 65] {
            let bits = line("s32", format!("const.32 {n}"));
            let splat = line("l32", format!("splat %{bits}"));
            let wide = line("l64", format!("{name} %7, %{splat}"));
            // As dwords, and as qwords after an addition.
            let sum = line("l64", format!("iadd.64 %7, %{wide}"));
            let mixed = line("l64", format!("xor.64 %{sum}, %{wide}"));
            let logic = line("l64", format!("or.64 %{wide}, %7"));
            let shift = move |x: u64| eval(op, FpMode::HSA, x, n, 0);
            for (v, f) in [
                (wide, Box::new(shift) as Box<dyn Fn(u64) -> u64>),
                (mixed, Box::new(move |x: u64| x.wrapping_add(shift(x)) ^ shift(x))),
                (logic, Box::new(move |x: u64| shift(x) | x)),
            ] {
                let f = std::rc::Rc::new(f);
                for (half, down) in [("lo.64", 0), ("hi.64", 32)] {
                    let f = f.clone();
                    let want = move |[a, b]: [u32; 2]| (f(u64::from(a) | u64::from(b) << 32) >> down) as u32;
                    wants.push((line("l32", format!("{half} %{v}")), format!("{half} of {name} by {n}"), Box::new(want)));
                }
            }
        }
    }
    for (i, (v, ..)) in wants.iter().enumerate() {
        text.push_str(&format!(" vset v{}, %{v}, exec %0\n", i + 2));
    }
    text.push_str(" end\n}");
    let func = parse(&text).unwrap();
    assert!(wants.len() < 250, "as many registers are written");
    let opts = EmitOptions { keep_final_state: true, ..EmitOptions::default() };
    let code = emit(&func, &opts, vec![Box::new(super::CraneliftRegions)], false, &|| false).unwrap().0;
    // Chunks with all lanes, with some and with none.
    for exec in [u64::MAX, 0x0f0f_ffff_0000_1234] {
        let mut rows = vec![Row([7; 64]); (u32::from(TEMP_ROW) + code.temp_rows) as usize];
        (rows[0], rows[1]) = (Row(std::array::from_fn(|i| lane(i)[0])), Row(std::array::from_fn(|i| lane(i)[1])));
        // SAFETY: integers and raw pointers, for which zero is a value.
        let mut state: Box<WaveState> = Box::new(unsafe { std::mem::zeroed() });
        (state.rows, state.wave_size, state.fuel) = (rows.as_mut_ptr().cast(), 64, 1000);
        (state.sregs[126], state.sregs[127]) = (exec as u32, (exec >> 32) as u32);
        // SAFETY: the state is complete; there is no memory access.
        assert_eq!(Exit::from_u32(unsafe { code.entry()(&mut *state, std::ptr::null_mut()) }), Some(Exit::End));
        for (i, (_, what, want)) in wants.iter().enumerate() {
            for at in 0..64 {
                let want = if exec >> at & 1 != 0 { want(lane(at)) } else { 7 };
                assert_eq!(rows[i + 2].0[at], want, "{what} of {:#x?} with {exec:#x}", lane(at));
            }
        }
    }
}
