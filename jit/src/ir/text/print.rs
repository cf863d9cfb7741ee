//! Wave IR to text. The shape is described in the parent module.

use super::{ATOMICS, KINDS, NOTES, PAUSES, SPACES, default_mode, name_of};
use crate::ir::{Addr, FpMode, Func, Inst, Op, Term, Value};
use std::fmt::Write;

/// The text form of a whole function.
pub fn print(func: &Func) -> String {
    let mut s = format!("func {:?} wave{} {{\n", func.name, func.wave_size);
    for (i, t) in func.tables.iter().enumerate() {
        let used = t.iter().rposition(|x| *x != 0).map_or(0, |p| p + 1);
        let list: Vec<String> = t[..used].iter().map(|x| small_or_hex((*x).into())).collect();
        writeln!(s, "table t{i} = [{}]", list.join(" ")).unwrap();
    }
    for (i, site) in func.sites.iter().enumerate() {
        let words: Vec<String> = site.inst.dwords().iter().map(|w| format!("{w:#010x}")).collect();
        writeln!(s, "site s{i} {} [{}]", site.target, words.join(" ")).unwrap();
    }
    for (i, f) in func.failures.iter().enumerate() {
        let kind = if f.undecodable { "undecodable" } else { "unsupported" };
        writeln!(s, "failure f{i} pc={:#x} {kind} {:?}", f.pc, f.text).unwrap();
    }
    for (i, b) in func.blocks.iter().enumerate() {
        writeln!(s, "b{i} pc={:#x} mode={:?} insts={}:", b.pc, b.mode, b.guest_insts).unwrap();
        let mut pc = b.pc;
        let mut line = |text: String, at: u64| {
            let place = if at == pc { String::new() } else { format!(" @{at:#x}") };
            pc = at;
            writeln!(s, "  {text}{place}").unwrap();
        };
        for inst in &b.insts {
            line(inst_text(func, inst, b.mode), inst.pc);
        }
        line(term_text(&b.term), b.term_pc);
    }
    s.push_str("}\n");
    s
}

/// One instruction without its guest address; `mode` is its block's.
pub fn inst_text(func: &Func, inst: &Inst, mode: FpMode) -> String {
    let op = op_text(inst, mode);
    if inst.results == 0 {
        return op;
    }
    let names: Vec<String> = (0..inst.results).map(|i| format!("%{}", inst.first.0 + u32::from(i))).collect();
    let ty = func.types.get(inst.first.0 as usize).map_or("?", |t| t.text());
    format!("{}: {ty} = {op}", names.join(" "))
}

/// The end of a block.
pub fn term_text(term: &Term) -> String {
    match term {
        Term::Jump(b) => format!("jump {b:?}"),
        Term::Branch { cond, then, otherwise } => format!("branch {cond:?}, {then:?}, {otherwise:?}"),
        Term::Indirect { target, known } => {
            let known: Vec<String> = known.iter().map(|(pc, b)| format!("{pc:#x}: {b:?}")).collect();
            format!("indirect {target:?}, [{}]", known.join(", "))
        }
        Term::NewMode { pc, mode } => format!("newmode {pc:#x}, {mode:?}"),
        Term::Pause { why, next } => format!("pause {}, {next:?}", name_of(PAUSES, why)),
        Term::End => "end".into(),
        Term::Trap { id } => format!("trap {id}"),
        Term::Fail(i) => format!("fail f{i}"),
    }
}

fn op_text(inst: &Inst, block_mode: FpMode) -> String {
    match &inst.op {
        Op::Const { width, bits } => format!("const.{width:?} {}", small_or_hex(*bits)),
        Op::Splat(a) => format!("splat {a:?}"),
        Op::LaneId => "laneid".into(),
        Op::LaneTable(t) => format!("lanetable t{t}"),
        Op::Pure { op, mode, args } => {
            let at = if *mode == default_mode(*op, block_mode) { String::new() } else { format!(" mode {mode:?}") };
            let args: Vec<String> = args.iter().flatten().map(|a| format!("{a:?}")).collect();
            format!("{op} {}{at}", args.join(", "))
        }
        Op::MaskBits(a) => format!("maskbits {a:?}"),
        Op::BitsMask(a) => format!("bitsmask {a:?}"),
        Op::ExecGet => "exec".into(),
        Op::ExecSet(a) => format!("setexec {a:?}"),
        Op::SGet(r) => format!("sget {r:?}"),
        Op::SSet(r, a) => format!("sset {r:?}, {a:?}"),
        Op::VGet { reg, demand: None } => format!("vget {reg:?}"),
        Op::VGet { reg, demand: Some(d) } => format!("vget {reg:?} demand {d:?}"),
        Op::VSet { reg, value, exec } => format!("vset {reg:?}, {value:?}, exec {exec:?}"),
        Op::VGetRel { reg, index, demand: None } => format!("vgetrel {reg:?}, {index:?}"),
        Op::VGetRel { reg, index, demand: Some(d) } => format!("vgetrel {reg:?}, {index:?} demand {d:?}"),
        Op::VSetRel { reg, index, value, exec } => format!("vsetrel {reg:?}, {index:?}, {value:?}, exec {exec:?}"),
        Op::SGetRel { reg, index } => format!("sgetrel {reg:?}, {index:?}"),
        Op::SSetRel { reg, index, value } => format!("ssetrel {reg:?}, {index:?}, {value:?}"),
        Op::ReadLane { value, lane } => format!("readlane {value:?}, {lane:?}"),
        Op::ReadFirstLane { value, exec } => format!("readfirstlane {value:?}, exec {exec:?}"),
        Op::WriteLane { old, data, lane } => format!("writelane {old:?}, {data:?}, {lane:?}"),
        Op::Shuffle { value, index } => format!("shuffle {value:?}, {index:?}"),
        Op::Permute { value, index, exec } => format!("permute {value:?}, {index:?}, exec {exec:?}"),
        Op::Load { space, kind, addr, exec } => {
            format!("load {}.{} {}, exec {exec:?}", name_of(SPACES, space), name_of(KINDS, kind), addr_text(addr))
        }
        Op::Store { space, kind, addr, data, exec } => {
            let (space, kind) = (name_of(SPACES, space), name_of(KINDS, kind));
            format!("store {space}.{kind} {}, {}, exec {exec:?}", addr_text(addr), data_text(data))
        }
        Op::Atomic { space, op, wide, addr, data, exec, returns } => {
            let head = if *returns { "atomic.rtn" } else { "atomic" };
            let (space, op, bits) = (name_of(SPACES, space), name_of(ATOMICS, op), if *wide { 64 } else { 32 });
            format!("{head} {space}.{op}.{bits} {}, {}, exec {exec:?}", addr_text(addr), data_text(data))
        }
        Op::SLoad { base, offset, imm, dwords } => format!("sload.{dwords} {}", scalar_addr_text(Some(*base), *offset, *imm)),
        Op::SBufferLoad { desc: [a, b, c, d], offset, imm, dwords } => {
            format!("sbufferload.{dwords} {a:?} {b:?} {c:?} {d:?}, {}", scalar_addr_text(None, *offset, *imm))
        }
        Op::Texture { site, args, exec } => {
            let args: Vec<String> = args.iter().map(|a| format!("{a:?}")).collect();
            format!("texture s{site}, {}, exec {exec:?}", args.join(" "))
        }
        Op::GetReg { id } => format!("getreg {id}"),
        Op::SetReg { id, value } => format!("setreg {id}, {value:?}"),
        Op::SendMsg { simm, m0 } => format!("sendmsg {simm}, {m0:?}"),
        Op::SendMsgRtn { msg } => format!("sendmsgrtn {msg}"),
        Op::Time { realtime } => format!("time {}", if *realtime { "realtime" } else { "cycles" }),
        Op::Note(n) => format!("note {}", name_of(NOTES, n)),
    }
}

/// `[%1 + lane %2 - 16]`
fn addr_text(a: &Addr) -> String {
    bracket(a.base.map(|v| format!("{v:?}")), a.offset.map(|v| format!("lane {v:?}")), a.imm)
}

/// `[%1 + offset %2 + 16]`
fn scalar_addr_text(base: Option<Value>, offset: Option<Value>, imm: i64) -> String {
    bracket(base.map(|v| format!("{v:?}")), offset.map(|v| format!("offset {v:?}")), imm)
}

fn bracket(base: Option<String>, offset: Option<String>, imm: i64) -> String {
    let mut s = [base, offset].into_iter().flatten().collect::<Vec<_>>().join(" + ");
    match (s.is_empty(), imm) {
        (true, _) => write!(s, "{imm}").unwrap(),
        (false, 0) => {}
        (false, _) => write!(s, " {} {}", if imm < 0 { '-' } else { '+' }, imm.unsigned_abs()).unwrap(),
    }
    format!("[{s}]")
}

fn data_text(data: &[Option<Value>; 4]) -> String {
    data.iter().flatten().map(|v| format!("{v:?}")).collect::<Vec<_>>().join(" ")
}

fn small_or_hex(n: u64) -> String {
    if n < 1024 { n.to_string() } else { format!("{n:#x}") }
}
