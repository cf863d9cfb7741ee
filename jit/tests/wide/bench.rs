//! A wave for the code of one function, and functions of one operation.

use wavejit_ir::abi::{Exit, TEMP_ROW, WaveState};
use wavejit_ir::{FpMode, Func, PureOp, Width, text};
use wavejit_jit::emit::{self, Compiled, EmitOptions, Isa};
use wavejit_jit::opt;

#[repr(C, align(64))]
#[derive(Clone)]
struct Line([u32; 16]);

/// A compiled function and a wave for it.
pub(crate) struct Bench {
    code: Compiled,
    rows: Vec<Line>,
    pub(crate) state: Box<WaveState>,
    pub(crate) lanes: usize,
}

impl Bench {
    pub(crate) fn new(func: &Func, isa: Isa) -> Bench {
        Bench::with(func, isa, false)
    }

    /// With all that can go through a register's lanes at a time doing so, or not.
    pub(crate) fn with(func: &Func, isa: Isa, by_parts: bool) -> Bench {
        Bench::by_options(func, EmitOptions { isa, by_parts, ..EmitOptions::default() })
    }

    /// Code that leaves what the guest leaves, and whose plan is checked.
    pub(crate) fn by_options(func: &Func, options: EmitOptions) -> Bench {
        let mut func = func.clone();
        opt::run(&mut func, options.isa.passes(true));
        let options = EmitOptions { keep_final_state: true, check_plan: true, ..options };
        let code = emit::compile(&func, &options).unwrap();
        let lanes = func.wave_size as usize;
        let mut rows = vec![Line([0; 16]); (usize::from(TEMP_ROW) + code.temp_rows as usize) * lanes / 16];
        // SAFETY: integers and raw pointers, for which zero is a value.
        let mut state: Box<WaveState> = Box::new(unsafe { std::mem::zeroed() });
        (state.rows, state.wave_size) = (rows.as_mut_ptr().cast(), func.wave_size);
        (state.sregs[126], state.sregs[127]) = (u32::MAX, u32::MAX);
        Bench { code, rows, state, lanes }
    }

    pub(crate) fn row(&mut self, row: usize) -> &mut [u32] {
        let words = self.rows.as_mut_ptr().cast::<u32>();
        // SAFETY: the file has that row.
        unsafe { std::slice::from_raw_parts_mut(words.add(row * self.lanes), self.lanes) }
    }

    /// The lanes that are active.
    pub(crate) fn set_exec(&mut self, exec: u64) {
        (self.state.sregs[126], self.state.sregs[127]) = (exec as u32, (exec >> 32) as u32);
    }

    pub(crate) fn run(&mut self) {
        (self.state.resume, self.state.fuel) = (0, 1 << 40);
        // SAFETY: the state has all that code without memory accesses needs.
        let exit = unsafe { self.code.entry()(&mut *self.state, std::ptr::null_mut()) };
        assert_eq!(Exit::from_u32(exit), Some(Exit::End));
    }
}

/// The forms of the back end that this host can run.
pub(crate) fn levels() -> impl Iterator<Item = Isa> {
    Isa::available().into_iter().filter(|isa| *isa != Isa::Portable)
}

/// v10 (and v11) = op of v0.., two registers an operand.
pub(crate) fn function(op: PureOp, mode: FpMode, wave: u32) -> Func {
    function_with(op, mode, wave, [None; 3])
}

/// The same with constants for some operands of 32 bits.
pub(crate) fn function_with(op: PureOp, mode: FpMode, wave: u32, constants: [Option<u32>; 3]) -> Func {
    let mut body = String::from("%0: mask = exec\n");
    let mut next = 1;
    let mut args = vec![];
    for (i, width) in op.args().iter().enumerate() {
        let (lo, hi, v) = (next, next + 1, next + 2);
        next += 3;
        body += &format!("%{lo}: l32 = vget v{} demand %0\n%{hi}: l32 = vget v{} demand %0\n", 2 * i, 2 * i + 1);
        match width {
            Width::B32 if constants[i].is_some() => {
                let c = constants[i].unwrap_or(0);
                body.truncate(body.rfind(&format!("%{lo}:")).expect("it has just been written"));
                body += &format!("%{lo}: s32 = const.32 {c:#x}\n%{v}: l32 = splat %{lo}\n");
            }
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

/// The operands of an operation of [`function`], if `word` gives its registers.
pub(crate) fn operands(op: PureOp, word: impl Fn(usize) -> u32) -> [u64; 3] {
    [0, 1, 2].map(|i| match op.args().get(i) {
        None => 0,
        Some(Width::B1) => u64::from(word(2 * i) != word(2 * i + 1)),
        Some(Width::B32) => word(2 * i).into(),
        Some(Width::B64) => u64::from(word(2 * i)) | u64::from(word(2 * i + 1)) << 32,
    })
}
