//! Semantics through the interpreter: small programs against values from the manual and numerics.md. The dwords beside each line of
//! assembly are llvm-mc's (version 19, gfx1100).

mod beyond;
mod control;
mod families;
mod lanes;
mod matrix;
mod reserved;
mod scalar;
mod vector;

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
    text: &'static str,
}

const BASE: u64 = 0x1000;

impl Run {
    /// wave32, all lanes active, v0 = 100 + lane, everything else 0.
    fn new(text: &'static str, code: &[u32]) -> Run {
        Run::of_size(32, text, code)
    }
    fn wave64(text: &'static str, code: &[u32]) -> Run {
        Run::of_size(64, text, code)
    }
    fn of_size(wave_size: u32, text: &'static str, code: &[u32]) -> Run {
        let rows = vec![0; (u32::from(TEMP_ROW) + interp::INTERP_TEMP_ROWS) as usize * wave_size as usize];
        // SAFETY: integers and raw pointers, for which zero is a value.
        let mut state: Box<WaveState> = Box::new(unsafe { std::mem::zeroed() });
        state.wave_size = wave_size;
        state.fuel = 1000;
        state.sregs[126] = !0;
        state.sregs[127] = if wave_size == 64 { !0 } else { 0 };
        let code = code.iter().copied().chain([0xbfb0_0000]).collect();
        Run { code, state, rows, lds: Box::new([0; 4096]), mode: FpMode::HSA, target: Gfx::GFX1100, text }.v(0, |lane| 100 + lane)
    }
    /// For another processor than gfx1100.
    fn on(mut self, target: u16) -> Run {
        self.target = Gfx(target);
        if target < 0x1100 {
            *self.code.last_mut().expect("s_endpgm") = 0xbf81_0000;
        }
        self
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
    fn mode(mut self, bits: u16) -> Run {
        self.mode = FpMode(bits);
        self
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
    fn scc(&self) -> u32 {
        self.sreg(usize::from(SReg::SCC.0))
    }
    #[track_caller]
    fn lane0(self, want: u32) {
        let r = self.run();
        assert_eq!(r.at(0, 0), want, "{}: {:#x}, not {want:#x}", r.text, r.at(0, 0));
    }
    #[track_caller]
    fn lanes(self, n: usize, want: impl Fn(u32) -> u32) {
        let r = self.run();
        for lane in 0..r.state.wave_size {
            assert_eq!(r.at(n, lane as usize), want(lane), "{}: lane {lane}", r.text);
        }
    }
    /// s0 and SCC afterwards.
    #[track_caller]
    fn scalar(self, want: u32, scc: u32) {
        let r = self.run();
        assert_eq!((r.sreg(0), r.scc()), (want, scc), "{}: {:#x}", r.text, r.sreg(0));
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
unsafe extern "C" fn atomic(s: *mut WaveState, op: *const MemOp, exec: u64, _: u64) -> u32 {
    access(s, op, exec, |lds, row, op| {
        let old = dword(lds, 0);
        let new = if op.atomic == wavejit_ir::AtomicOp::CmpSwap as u8 {
            if old == row(op.data[1], None) { row(op.data[0], None) } else { old }
        } else {
            old.wrapping_add(row(op.data[0], None))
        };
        lds[..4].copy_from_slice(&new.to_le_bytes());
        if op.dst[0] != NO_ROW {
            row(op.dst[0], Some(old));
        }
    })
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
unsafe extern "C" fn texture(_: *mut WaveState, _: *const wavejit_ir::abi::TextureCall, _: u64) -> u32 {
    1
}
unsafe extern "C" fn gws(_: *mut WaveState, _: u32, _: u32, _: u32) {}
static HELPERS: Helpers = Helpers {
    load,
    store,
    atomic,
    sload,
    sbuffer_load: sload,
    getreg,
    setreg,
    sendmsg,
    sendmsg_rtn: counter,
    time: counter,
    texture,
    gws,
    probe,
};

const QNAN: u32 = 0x7fc0_0000;
const SNAN: u32 = 0x7f80_0001;
fn f(x: f32) -> u32 {
    x.to_bits()
}
