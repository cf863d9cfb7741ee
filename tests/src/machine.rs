//! One wave with registers, LDS and a block of global memory, for tests that run machine code without the run time.

use wavejit::parts::WaveContext;
use wavejit_ir::abi::{Exit, TEMP_ROW, WaveState};
use wavejit_ir::verify::verify;
use wavejit_ir::{FpMode, Func, SReg, interp};
use wavejit_isa::Gfx;
use wavejit_jit::emit::{self, EmitOptions, Isa};
use wavejit_jit::lift::{ALL_VGPRS, LiftSource, lift};
use wavejit_jit::opt;

/// Guest address of the code.
pub const CODE: u64 = 0x1_0000;
/// Guest address of the block of memory.
pub const MEM: u64 = 0x10_0000;
/// Its bytes.
pub const MEM_BYTES: usize = 4096;
/// LDS bytes.
pub const LDS_BYTES: usize = 1024;
/// Vector registers that code may name.
pub const VGPRS: usize = 256;
/// Leaves the code with every register live.
pub const LEAVE_TEXT: &str = "s_setpc_b64 s[96:97]";
/// The same on gfx11.
pub const LEAVE: u32 = 0xbe80_4860;
/// Where s\[96:97\] must point for that.
pub const OUTSIDE: u64 = 0xffff_0000_0000;
const LEAVE_SREG: usize = 96;

/// Rows of temporaries that are enough for the interpreter and for compiled test programs.
const TEMP_ROWS: usize = 1024;

#[derive(Clone, Copy, PartialEq)]
#[repr(C, align(64))]
struct Line([u32; 16]);

/// Memory that starts at a multiple of 64 bytes.
#[derive(Clone, PartialEq)]
struct Aligned(Vec<Line>);

impl Aligned {
    fn new(dwords: usize) -> Self {
        Aligned(vec![Line([0; 16]); dwords.div_ceil(16)])
    }
    fn dwords(&self) -> &[u32] {
        // SAFETY: lines are arrays of dwords without padding.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() * 16) }
    }
    fn dwords_mut(&mut self) -> &mut [u32] {
        // SAFETY: lines are arrays of dwords without padding.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), self.0.len() * 16) }
    }
}

/// What a wave is, without pointers: copied, filled and compared by tests.
#[derive(Clone, PartialEq)]
pub struct Machine {
    /// Processor, for what images ask of it.
    pub target: Gfx,
    /// 32 or 64.
    pub wave_size: u32,
    /// By [`SReg`].
    pub sregs: [u32; SReg::COUNT],
    /// Guest instructions left.
    pub fuel: i64,
    rows: Aligned,
    lds: Aligned,
    mem: Aligned,
}

impl Machine {
    /// All zero, but for EXEC (all lanes) and the way out of the code.
    pub fn new(wave_size: u32) -> Machine {
        Machine::with_memory(wave_size, MEM_BYTES)
    }

    /// The same with a block of memory of another size.
    pub fn with_memory(wave_size: u32, bytes: usize) -> Machine {
        let mut sregs = [0; SReg::COUNT];
        sregs[usize::from(SReg::EXEC_LO.0)] = u32::MAX;
        sregs[usize::from(SReg::EXEC_HI.0)] = if wave_size == 64 { u32::MAX } else { 0 };
        sregs[LEAVE_SREG] = OUTSIDE as u32;
        sregs[LEAVE_SREG + 1] = (OUTSIDE >> 32) as u32;
        let lanes = wave_size as usize;
        Machine {
            target: Gfx::GFX1100,
            wave_size,
            sregs,
            fuel: 1_000_000,
            rows: Aligned::new((usize::from(TEMP_ROW) + TEMP_ROWS) * lanes),
            lds: Aligned::new(LDS_BYTES / 4),
            mem: Aligned::new(bytes / 4),
        }
    }

    /// A vector register, lane 0 first.
    pub fn vgpr(&self, n: usize) -> &[u32] {
        let lanes = self.wave_size as usize;
        &self.rows.dwords()[n * lanes..][..lanes]
    }
    /// A vector register, lane 0 first.
    pub fn vgpr_mut(&mut self, n: usize) -> &mut [u32] {
        let lanes = self.wave_size as usize;
        &mut self.rows.dwords_mut()[n * lanes..][..lanes]
    }
    /// LDS as dwords.
    pub fn lds(&self) -> &[u32] {
        self.lds.dwords()
    }
    /// LDS as dwords.
    pub fn lds_mut(&mut self) -> &mut [u32] {
        self.lds.dwords_mut()
    }
    /// Global memory as dwords.
    pub fn mem(&self) -> &[u32] {
        self.mem.dwords()
    }
    /// Global memory as dwords.
    pub fn mem_mut(&mut self) -> &mut [u32] {
        self.mem.dwords_mut()
    }

    /// Runs `enter` on a state that points to this machine, until the wave does more than pause or run out of fuel.
    fn run_with(&mut self, mut enter: impl FnMut(&mut WaveState) -> Exit) -> Outcome {
        // SAFETY: integers and raw pointers, for which zero is a value.
        let mut state: Box<WaveState> = Box::new(unsafe { std::mem::zeroed() });
        state.rows = self.rows.0.as_mut_ptr().cast();
        state.helpers = &crate::memory::HELPERS;
        let mut context = WaveContext::new(self.target);
        state.ctx = (&raw mut *context).cast();
        state.wave_size = self.wave_size;
        state.fuel = self.fuel;
        state.lds = self.lds.0.as_mut_ptr().cast();
        state.lds_bytes = LDS_BYTES as u32;
        state.mem_base = (self.mem.0.as_mut_ptr() as u64).wrapping_sub(MEM);
        state.mem_low = MEM;
        state.mem_size = 4 * self.mem.dwords().len() as u64;
        state.sregs = self.sregs;
        let mut pauses = 0;
        let exit = loop {
            match enter(&mut state) {
                Exit::Barrier | Exit::Yield if pauses < 1000 => pauses += 1,
                exit => break exit,
            }
        };
        self.sregs = state.sregs;
        self.fuel = state.fuel;
        // Temporaries are nobody's business.
        let lanes = self.wave_size as usize;
        self.rows.dwords_mut()[usize::from(TEMP_ROW) * lanes..].fill(0);
        let fault =
            (exit == Exit::Fault).then_some((state.fault_kind, state.fault_addr, state.fault_pc, state.fault_exec, state.fault_lane));
        Outcome { exit, arg: state.exit_arg, mode: state.exit_mode, pauses, fault, refusal: context.refusal.take() }
    }

    /// Compiles a function and runs it.
    pub fn run_compiled(&mut self, func: &Func) -> Result<Outcome, String> {
        let mut func = func.clone();
        opt::run(&mut func, Isa::Best.passes(true));
        let compiled = emit::compile(&func, &EmitOptions { keep_final_state: true, check_plan: true, ..EmitOptions::default() })
            .map_err(|e| e.to_string())?;
        assert!(compiled.temp_rows as usize <= TEMP_ROWS, "test programs fit the rows of a test machine");
        let enter = |state: &mut WaveState| {
            // SAFETY: `run_with` gives a state with rows and helpers that nobody else uses, and the code outlives the run.
            let exit = unsafe { compiled.entry()(state, std::ptr::null_mut()) };
            Exit::from_u32(exit).expect("compiled code returns an exit")
        };
        Ok(self.run_with(enter))
    }

    /// Runs a function on the interpreter after all passes.
    pub fn interpret_optimized(&mut self, func: &Func) -> Result<Outcome, String> {
        let mut func = func.clone();
        opt::run(&mut func, Isa::Best.passes(true));
        verify(&func).map_err(|e| format!("after the passes: {e}"))?;
        Ok(self.interpret(&func))
    }

    /// Runs a function on the interpreter.
    pub fn interpret(&mut self, func: &Func) -> Outcome {
        let mut interp = interp::Interp::new(func);
        // SAFETY: `run_with` gives a state with rows and helpers that nobody else uses.
        self.run_with(|state| unsafe { interp.run(state) })
    }
}

/// How a run ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// Exit.
    pub exit: Exit,
    /// `WaveState::exit_arg`.
    pub arg: u64,
    /// `WaveState::exit_mode`.
    pub mode: u32,
    /// Barriers and yields passed on the way.
    pub pauses: u32,
    /// Kind, address, pc, EXEC and lane of a fault.
    pub fault: Option<(u32, u64, u64, u64, u32)>,
    /// Why the texture crate refused an instruction.
    pub refusal: Option<String>,
}

/// How to run a lifted function on a machine.
pub type Engine = fn(&Func, &mut Machine) -> Result<Outcome, String>;

/// The interpreter, which is what the others are compared with.
pub const INTERPRETER: (&str, Engine) = ("interpreter", |func, m| Ok(m.interpret(func)));

/// All other engines.
pub const OTHERS: [(&str, Engine); 2] =
    [("interpreter after the passes", |func, m| m.interpret_optimized(func)), ("compiled code", |func, m| m.run_compiled(func))];

/// Lifts code that stands at [`CODE`], for waves with all registers.
pub fn lift_code(words: &[u32], target: Gfx, wave_size: u32, mode: FpMode) -> Func {
    lift_limited(words, target, wave_size, mode, ALL_VGPRS)
}

/// Lifts code that stands at [`CODE`], for waves with this many VGPRs.
pub fn lift_limited(words: &[u32], target: Gfx, wave_size: u32, mode: FpMode, vgprs: u32) -> Func {
    let read = |addr: u64| {
        let offset = addr.checked_sub(CODE).filter(|o| o % 4 == 0)?;
        words.get(usize::try_from(offset / 4).ok()?).copied()
    };
    lift(&LiftSource { name: "test", entry: CODE, target, wave_size, mode, vgprs, read: &read })
}
