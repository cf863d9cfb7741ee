//! Semantics through the interpreter, where a filetest (`tests/filetests`) cannot say it: code that leaves or fails, formulas over matrices,
//! encodings that no assembler writes.

mod beyond;
mod control;
mod families;
mod matrix;
mod reserved;

use super::*;
use wavejit_ir::abi::{Exit, Helpers, MemOp, NO_ROW, TEMP_ROW, WaveState};
use wavejit_ir::{SReg, interp, verify};

/// A program, and a wave to run it.
struct Run {
    code: Vec<u32>,
    state: Box<WaveState>,
    rows: Vec<u32>,
    /// LDS for the helpers below.
    lds: Box<[u8; 4096]>,
    mode: FpMode,
    target: Gfx,
    text: String,
}

const BASE: u64 = 0x1000;

impl Run {
    /// A source text for gfx1100 in wave32: see [`Run::on`].
    fn new(text: &str) -> Run {
        Run::on(Gfx::GFX1100, 32, text)
    }
    /// All lanes active, v0 = 100 + lane, everything else 0.
    fn on(target: Gfx, wave_size: u32, text: &str) -> Run {
        let code = wavejit_isa::assemble(text, target, wave_size).unwrap_or_else(|e| panic!("{}", e[0]));
        Run::of_code(target, wave_size, text, code.bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)))
    }
    /// The same of machine code for gfx1100 in wave32.
    fn code(text: &str, code: &[u32]) -> Run {
        Run::of_code(Gfx::GFX1100, 32, text, code.iter().copied())
    }
    fn of_code(target: Gfx, wave_size: u32, text: &str, code: impl Iterator<Item = u32>) -> Run {
        let rows = vec![0; (u32::from(TEMP_ROW) + interp::INTERP_TEMP_ROWS) as usize * wave_size as usize];
        // SAFETY: integers and raw pointers, for which zero is a value.
        let mut state: Box<WaveState> = Box::new(unsafe { std::mem::zeroed() });
        state.wave_size = wave_size;
        state.fuel = 1000;
        state.sregs[126] = !0;
        state.sregs[127] = if wave_size == 64 { !0 } else { 0 };
        let end = wavejit_isa::assemble_instruction("s_endpgm", target, wave_size).expect("every processor has s_endpgm");
        let code = code.chain(end.dwords().iter().copied()).collect();
        Run { code, state, rows, lds: Box::new([0; 4096]), mode: FpMode::HSA, target, text: text.into() }.v(0, |lane| 100 + lane)
    }
    fn v(mut self, n: usize, f: impl Fn(u32) -> u32) -> Run {
        let lanes = self.state.wave_size;
        (0..lanes).for_each(|lane| self.rows[n * lanes as usize + lane as usize] = f(lane));
        self
    }
    fn s(mut self, n: usize, v: u32) -> Run {
        self.state.sregs[n] = v;
        self
    }
    fn exec(self, lo: u32) -> Run {
        self.s(126, lo)
    }
    fn lift(&self) -> Func {
        let read = |pc: u64| self.code.get((pc.checked_sub(BASE)? / 4) as usize).copied();
        let wave_size = self.state.wave_size;
        let src = LiftSource { name: "test", entry: BASE, target: self.target, wave_size, mode: self.mode, vgprs: ALL_VGPRS, read: &read };
        let func = lift(&src);
        verify::verify(&func).unwrap_or_else(|e| panic!("{}: {e}\n{}", self.text, wavejit_ir::text::print(&func)));
        func
    }
    /// Runs to s_endpgm.
    fn run(mut self) -> Run {
        let func = self.lift();
        self.state.rows = self.rows.as_mut_ptr();
        self.state.lds = self.lds.as_mut_ptr();
        self.state.helpers = &HELPERS;
        // SAFETY: `of_size` made the rows, and the helpers accept any state of a `Run`.
        let exit = unsafe { interp::run(&func, &mut self.state) };
        assert_eq!(exit, Exit::End, "{}: {:?}", self.text, func.failures);
        self
    }
    /// Lane `lane` of v`n`.
    fn at(&self, n: usize, lane: usize) -> u32 {
        self.rows[n * self.state.wave_size as usize + lane]
    }
    fn sreg(&self, n: usize) -> u32 {
        self.state.sregs[n]
    }
    #[track_caller]
    fn lanes(self, n: usize, want: impl Fn(u32) -> u32) {
        let r = self.run();
        for lane in 0..r.state.wave_size {
            assert_eq!(r.at(n, lane as usize), want(lane), "{}: lane {lane}", r.text);
        }
    }
}

/// LDS of a `Run`, by lane; nothing else is reached by these programs.
fn access(
    state: *mut WaveState,
    op: *const MemOp,
    exec: u64,
    f: impl Fn(&mut [u8], &mut dyn FnMut(u16, Option<u32>) -> u32, &MemOp),
) -> u32 {
    // SAFETY: the interpreter passes its state and an operation.
    let (state, op) = unsafe { (&mut *state, *op) };
    // SAFETY: `run` set `lds` to 4096 bytes.
    let lds = unsafe { std::slice::from_raw_parts_mut(state.lds, 4096) };
    let lanes = state.wave_size as usize;
    for lane in (0..lanes).filter(|l| exec >> l & 1 != 0) {
        let rows = state.rows;
        let mut row = |r: u16, v: Option<u32>| {
            // SAFETY: rows named by the operation exist.
            let at = unsafe { &mut *rows.add(usize::from(r) * lanes + lane) };
            if let Some(v) = v {
                *at = v;
            }
            *at
        };
        let offset = if op.offset[0] == NO_ROW { 0 } else { row(op.offset[0], None) };
        let at = (i64::from(offset) + op.imm) as usize;
        f(&mut lds[at..], &mut row, &op);
    }
    0
}
fn dword(b: &[u8], i: usize) -> u32 {
    u32::from_le_bytes(b[4 * i..4 * i + 4].try_into().expect("four bytes"))
}
unsafe extern "C" fn load(s: *mut WaveState, op: *const MemOp, exec: u64, _: u64) -> u32 {
    access(s, op, exec, |lds, row, op| {
        for (i, r) in op.dst.iter().enumerate().filter(|(_, r)| **r != NO_ROW) {
            let v = if op.kind == wavejit_ir::MemKind::U16 as u8 { dword(lds, 0) & 0xffff } else { dword(lds, i) };
            row(*r, Some(v));
        }
    })
}
unsafe extern "C" fn store(s: *mut WaveState, op: *const MemOp, exec: u64, _: u64) -> u32 {
    access(s, op, exec, |lds, row, op| {
        for (i, r) in op.data.iter().enumerate().filter(|(_, r)| **r != NO_ROW) {
            let n = if op.kind == wavejit_ir::MemKind::U16 as u8 { 2 } else { 4 };
            lds[4 * i..4 * i + n].copy_from_slice(&row(*r, None).to_le_bytes()[..n]);
        }
    })
}
unsafe extern "C" fn atomic(_: *mut WaveState, _: *const MemOp, _: u64, _: u64) -> u32 {
    1
}
/// Memory in which each dword holds its address; of a buffer its offset.
unsafe extern "C" fn sload(s: *mut WaveState, at: u64, dwords: u32, _: u64) -> u32 {
    // SAFETY: the interpreter passes its state.
    let slots = unsafe { &mut (*s).slots };
    slots.iter_mut().zip(0..dwords.into()).for_each(|(slot, i)| *slot = (at + 4 * i) & 0xffff_ffff);
    0
}
unsafe extern "C" fn getreg(_: *mut WaveState, id: u32) -> u32 {
    0x1000 + id
}
unsafe extern "C" fn setreg(_: *mut WaveState, _: u32, _: u32) {}
unsafe extern "C" fn sendmsg(_: *mut WaveState, _: u32, _: u32) {}
unsafe extern "C" fn counter(_: *mut WaveState, _: u32) -> u64 {
    7
}
unsafe extern "C" fn probe(_: *mut WaveState, _: *const wavejit_ir::abi::ProbeCall, _: u64) -> u32 {
    unreachable!("lifted code has none")
}
unsafe extern "C" fn resource(_: *mut WaveState, _: *const wavejit_ir::abi::ResourceCall, _: u64) -> u32 {
    1
}
unsafe extern "C" fn gws(_: *mut WaveState, _: u32, _: u32, _: u32) {}
static HELPERS: Helpers = Helpers {
    load,
    store,
    atomic,
    exchange_sum: atomic,
    sload,
    sbuffer_load: sload,
    getreg,
    setreg,
    sendmsg,
    sendmsg_rtn: counter,
    time: counter,
    resource,
    gws,
    probe,
    export: probe,
};

fn f(x: f32) -> u32 {
    x.to_bits()
}
