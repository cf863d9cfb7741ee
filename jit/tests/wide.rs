//! AVX-512 code of single operations against the definition of each (`ir::eval`), on many operands or on all.

use wavejit_ir::abi::{Exit, TEMP_ROW, WaveState};
use wavejit_ir::{FpMode, Func, PureOp, Width, eval::eval, text};
use wavejit_jit::emit::{self, Compiled, EmitOptions, Isa};
use wavejit_jit::opt::{self, OptOptions};
use wavejit_random::Random;

#[repr(C, align(64))]
#[derive(Clone)]
struct Line([u32; 16]);

/// A compiled function and a wave for it.
struct Bench {
    code: Compiled,
    rows: Vec<Line>,
    state: Box<WaveState>,
    lanes: usize,
}

impl Bench {
    fn new(func: &Func) -> Bench {
        let mut func = func.clone();
        opt::run(&mut func, OptOptions { keep_final_state: true });
        let code = emit::compile(&func, &EmitOptions { keep_final_state: true, isa: Isa::Avx512 }).unwrap();
        let lanes = func.wave_size as usize;
        let mut rows = vec![Line([0; 16]); (usize::from(TEMP_ROW) + code.temp_rows as usize) * lanes / 16];
        // SAFETY: integers and raw pointers, for which zero is a value.
        let mut state: Box<WaveState> = Box::new(unsafe { std::mem::zeroed() });
        (state.rows, state.wave_size) = (rows.as_mut_ptr().cast(), func.wave_size);
        (state.sregs[126], state.sregs[127]) = (u32::MAX, u32::MAX);
        Bench { code, rows, state, lanes }
    }

    fn row(&mut self, row: usize) -> &mut [u32] {
        let words = self.rows.as_mut_ptr().cast::<u32>();
        // SAFETY: the file has that row.
        unsafe { std::slice::from_raw_parts_mut(words.add(row * self.lanes), self.lanes) }
    }

    fn run(&mut self) {
        (self.state.resume, self.state.fuel) = (0, 1 << 40);
        // SAFETY: the state has all that code without memory accesses needs.
        let exit = unsafe { self.code.entry()(&mut *self.state) };
        assert_eq!(Exit::from_u32(exit), Some(Exit::End));
    }
}

fn has_avx512() -> bool {
    Isa::available().contains(&Isa::Avx512)
}

/// v10 (and v11) = op of v0.., two registers an operand.
fn function(op: PureOp, mode: FpMode, wave: u32) -> Func {
    let mut body = String::from("%0: mask = exec\n");
    let mut next = 1;
    let mut args = vec![];
    for (i, width) in op.args().iter().enumerate() {
        let (lo, hi, v) = (next, next + 1, next + 2);
        next += 3;
        body += &format!("%{lo}: l32 = vget v{} demand %0\n%{hi}: l32 = vget v{} demand %0\n", 2 * i, 2 * i + 1);
        match width {
            Width::B1 => body += &format!("%{v}: mask = ne.32 %{lo}, %{hi}\n"),
            Width::B32 => body += &format!("%{v}: l32 = or.32 %{lo}, %{lo}\n"),
            Width::B64 => body += &format!("%{v}: l64 = pack.64 %{lo}, %{hi}\n"),
        }
        args.push(format!("%{v}"));
    }
    let (r, a, b) = (next, next + 1, next + 2);
    let ty = match op.ret() {
        Width::B1 => "mask",
        Width::B32 => "l32",
        Width::B64 => "l64",
    };
    body += &format!("%{r}: {ty} = {op} {}\n", args.join(", "));
    match op.ret() {
        Width::B1 => body += &format!("%{a}: l32 = b2i.32 %{r}\nvset v10, %{a}, exec %0\n"),
        Width::B32 => body += &format!("vset v10, %{r}, exec %0\n"),
        Width::B64 => {
            body += &format!("%{a}: l32 = lo.64 %{r}\n%{b}: l32 = hi.64 %{r}\nvset v10, %{a}, exec %0\nvset v11, %{b}, exec %0\n");
        }
    }
    let text = format!("func \"f\" wave{wave} {{\nb0 pc=0 mode={:#x} insts=1:\n{body}end\n}}", mode.0);
    text::parse(&text).unwrap_or_else(|e| panic!("{op}: {e:?}\n{text}"))
}

const SPECIAL: [u32; 26] = [
    0,
    1,
    2,
    15,
    16,
    31,
    32,
    33,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    u32::MAX,
    0x3f80_0000,
    0xbf80_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_1234,
    0xffc0_0001,
    0x7f80_0001,
    0xff80_0002,
    0x007f_ffff,
    0x4f00_0000,
    0xcf00_0001,
    0x7fff_8000,
    0x3c00_bc00,
    0x0001_8001,
];

#[test]
fn every_operation_equals_its_definition() {
    if !has_avx512() {
        return;
    }
    let mut random = Random(7);
    // HSA's mode; without IEEE and DX10_CLAMP; f32 denormals flushed; another rounding.
    let modes = [FpMode::HSA, FpMode(0x0f0), FpMode(0x3c0), FpMode(0x3f5)];
    for (i, op) in PureOp::ALL.iter().enumerate() {
        for (k, mode) in modes.into_iter().enumerate() {
            if k > 0 && !op.reads_mode() {
                continue;
            }
            let mut bench = Bench::new(&function(*op, mode, if (i + k) % 3 == 0 { 64 } else { 32 }));
            for round in 0..80 {
                for row in 0..2 * op.args().len() {
                    let equal = (round % 4 == 3).then(|| random.u32());
                    bench.row(row).fill_with(|| match equal {
                        Some(v) => v,
                        None if random.one_in(3) => random.pick(&SPECIAL),
                        None => random.u32(),
                    });
                }
                let operands: Vec<Vec<u32>> = (0..2 * op.args().len()).map(|r| bench.row(r).to_vec()).collect();
                bench.run();
                let word = |row: usize, lane: usize| operands[row][lane];
                for lane in 0..bench.lanes {
                    let arg = |i: usize| match op.args().get(i) {
                        None => 0,
                        Some(Width::B1) => u64::from(word(2 * i, lane) != word(2 * i + 1, lane)),
                        Some(Width::B32) => word(2 * i, lane).into(),
                        Some(Width::B64) => u64::from(word(2 * i, lane)) | u64::from(word(2 * i + 1, lane)) << 32,
                    };
                    let args = [arg(0), arg(1), arg(2)];
                    let want = eval(*op, mode, args[0], args[1], args[2]);
                    let mut got = u64::from(bench.row(10)[lane]);
                    if op.ret() == Width::B64 {
                        got |= u64::from(bench.row(11)[lane]) << 32;
                    }
                    assert_eq!(got, want, "{op} of {args:x?} in mode {mode:?}, lane {lane} of {}: {got:#x} for {want:#x}", bench.lanes);
                }
            }
        }
    }
}

/// Compares an operation of one operand of 32 bits on `inputs`.
fn compare_all(op: PureOp, inputs: impl Iterator<Item = u32>) {
    let mut bench = Bench::new(&function(op, FpMode::HSA, 32));
    let mut inputs = inputs.peekable();
    while inputs.peek().is_some() {
        bench.row(0).fill_with(|| inputs.next().unwrap_or(0));
        bench.run();
        for lane in 0..32 {
            let (x, got) = (bench.row(0)[lane], bench.row(10)[lane]);
            let want = eval(op, FpMode::HSA, x.into(), 0, 0) as u32;
            assert_eq!(got, want, "{op} of {x:#x}: {got:#x} for {want:#x}");
        }
    }
}

/// Operations that are done otherwise than they are defined.
const OTHERWISE: [PureOp; 9] = [
    PureOp::FRsq32,
    PureOp::FRcp32,
    PureOp::FSqrt32,
    PureOp::CvtI32F32,
    PureOp::CvtU32F32,
    PureOp::FExp232,
    PureOp::FLog232,
    PureOp::FSin32,
    PureOp::FCos32,
];

#[test]
fn operations_done_otherwise_are_exact_on_many_inputs() {
    if has_avx512() {
        for op in OTHERWISE {
            compare_all(op, (0..u32::MAX).step_by(997));
            // Mantissas next to the middle of two results of 1 / sqrt(x).
            compare_all(op, (0..512).flat_map(|e: u32| [0x9f038, 0x7ffffe, 0x9f037, 0x7fffff].map(|m| e << 23 | m)));
        }
    }
}

#[test]
#[ignore = "all 2^32 inputs of each take minutes"]
fn operations_done_otherwise_are_exact() {
    if has_avx512() {
        for op in OTHERWISE {
            compare_all(op, 0..=u32::MAX);
        }
    }
}
