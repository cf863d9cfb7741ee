//! From machine code to wave IR.
//!
//! [`lift`] never fails: what cannot be decoded or has no semantics becomes a block that ends in `Term::Fail`, an error only if reached.
//!
//! `code` decodes, `cfg` finds the blocks, `blocks` lifts them, `count` puts probes into them; `cx` fetches operands, applies modifiers and writes results; `sem` is the vocabulary of rows. The
//! rows, mnemonic and meaning, are in the files by topic: `salu`, `exec`, `control`, `valu`, `compare`, `packed`, `wmma`, `swmmac`, `factors`, `crosslane`,
//! `graphics`, `gws`, `mem`.

mod blocks;
mod cfg;
mod code;
mod compare;
mod consts;
mod control;
mod count;
mod crosslane;
mod cx;
mod exec;
mod factors;
mod graphics;
mod gws;
#[doc(hidden)] // for the examples of what does not compile
pub mod meaning;
mod mem;
mod packed;
mod rows;
mod salu;
mod sem;
mod swmmac;
mod texture;
mod valu;
mod wmma;

#[cfg(test)]
mod tests;

pub use code::CodeRead;
use count::Spans;
use cx::Cx;
use sem::{Lane, Sem};
use std::sync::LazyLock;
use wavejit_ir::{FpMode, Func};
use wavejit_isa::{self as isa, Enc, Gfx, Inst};

/// VGPRs that an instruction can name.
pub const ALL_VGPRS: u32 = 256;

/// Code to lift.
pub struct LiftSource<'a> {
    /// Kernel name, for messages.
    pub name: &'a str,
    /// Guest address of the first instruction.
    pub entry: u64,
    /// Processor.
    pub target: Gfx,
    /// 32 or 64.
    pub wave_size: u32,
    /// Float mode at the entry.
    pub mode: FpMode,
    /// VGPRs a wave has: those beyond are out of range (STATE-28 to STATE-33). At most [`ALL_VGPRS`].
    pub vgprs: u32,
    /// The dword of code at a guest address.
    pub read: &'a dyn Fn(u64) -> Option<u32>,
}

/// How large a function may become. What is beyond is another one, which the run time enters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limits {
    /// Guest instructions.
    pub insts: u32,
    /// Blocks, without those that leave.
    pub blocks: u32,
    /// Values: instructions that move many registers count for as much as they take to compile. A function of few instructions may have more.
    pub values: u32,
}

impl Limits {
    /// For code that will be compiled: more than ordinary kernels have.
    pub const WHOLE: Limits = Limits { insts: 4096, blocks: 512, values: 1 << 15 };
    /// For code that may run only once.
    pub const COLD: Limits = Limits { insts: 128, blocks: 16, values: 1 << 13 };
    /// Functions of so few instructions may have any number of values.
    const FEW: u32 = 32;
}

/// A function, and what it was made of.
#[derive(Debug)]
pub struct Lifted {
    /// The function.
    pub func: Func,
    /// All of the code that it depends on.
    pub code: CodeRead,
    /// With probes: of each counter, by its number, the guest addresses of the instructions that it counts, as lifted.
    pub counted: Vec<Vec<u64>>,
}

/// Translation was called off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

/// Lifts code from `src.entry` on, as much of what is reachable as [`Limits::WHOLE`] allows.
pub fn lift(src: &LiftSource) -> Func {
    lift_piece(src, Limits::WHOLE, &|| false).expect("nobody stops it").func
}

/// Lifts code from `src.entry` on, as much of what is reachable as `limits` allow. Asks `stop` now and then whether to go on.
pub fn lift_piece(src: &LiftSource, limits: Limits, stop: &dyn Fn() -> bool) -> Result<Lifted, Stopped> {
    lift_with(src, limits, false, stop)
}

/// As [`lift_piece`], with probes that count executions and active lanes of every instruction ([`Lifted::counted`]).
pub fn lift_counted(src: &LiftSource, limits: Limits, stop: &dyn Fn() -> bool) -> Result<Lifted, Stopped> {
    lift_with(src, limits, true, stop)
}

fn lift_with(src: &LiftSource, limits: Limits, counted: bool, stop: &dyn Fn() -> bool) -> Result<Lifted, Stopped> {
    let entry = (src.entry & !3, src.mode);
    let mut limits = limits;
    loop {
        let found = cfg::Discovery::run(code::Code::new(src), entry, limits, stop)?;
        let mut spans = counted.then(Spans::default);
        let func = blocks::lift(&found, &found.reachable(entry), spans.as_mut(), stop)?;
        if func.types.len() <= limits.values as usize || limits.insts <= Limits::FEW {
            return Ok(Lifted { func, code: found.code.dwords_read(), counted: spans.unwrap_or_default().all });
        }
        limits.insts = (func.guest_insts() / 2).min(limits.insts / 2).max(Limits::FEW);
    }
}

/// Has the row semantics?
pub fn has_semantics(row: &isa::Row) -> bool {
    of_row(row).is_some()
}

/// Meanings by row number.
fn of_row(row: &isa::Row) -> Option<&'static Sem> {
    static TABLE: LazyLock<Vec<Option<Sem>>> =
        LazyLock::new(|| isa::rows::all().iter().zip(rows::meanings()).map(|(row, meaning)| Sem::new(row, meaning)).collect());
    TABLE.get(usize::from(row.id)).and_then(Option::as_ref)
}

/// Meaning of an instruction.
fn semantics(inst: &Inst) -> Option<&'static Sem> {
    of_row(inst.row)
}

/// Lifts an instruction that does not end its block.
fn lift_inst(cx: &mut Cx, sem: &Sem) {
    if cx.is_dropped() {
        return;
    }
    if cx.inst.enc == Enc::VOPD { dual(cx, sem) } else { cx.lift(sem) }
}

/// VOPD: both halves read before either writes (numerics.md section 12). wave32 only; wave64 skips it.
fn dual(cx: &mut Cx, x: &Sem) {
    if cx.is_wave64() {
        return;
    }
    let inst = cx.inst;
    let y = inst.row_y.and_then(of_row);
    let (Sem::Lane(x), Some(Sem::Lane(y))) = (x, y) else {
        return cx.unsupported("no semantics");
    };
    let (ops_x, ops_y) = inst.ops().split_at(usize::from(inst.y_start).min(inst.ops().len()));
    let half = |cx: &mut Cx, row: &Lane, ops| cx.lane_result(row, ops, None);
    let vx = half(cx, x, ops_x);
    let vy = half(cx, y, ops_y);
    let exec = cx.exec();
    for (row, ops, v) in [(x, ops_x, vx), (y, ops_y, vy)] {
        match ops.first() {
            Some(d) => cx.vdst(*d, row.dst, v, exec),
            None => cx.unsupported("operand missing"),
        }
    }
}

/// The instruction as assembly, the same wherever it is.
fn text(inst: &Inst, src: &LiftSource) -> String {
    let opts = isa::DisasmOptions { wave_size: src.wave_size, true16: false, pc: None };
    isa::disasm(inst, src.target, &opts)
}
