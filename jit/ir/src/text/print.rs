//! Wave IR to text. The shape is described in the parent module.

use super::{default_mode, small_or_hex};
use crate::{FpMode, Func, Inst, Op, Term};
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
    let mut s = String::new();
    term.print(&mut s);
    s
}

fn op_text(inst: &Inst, block_mode: FpMode) -> String {
    let mut s = String::new();
    match &inst.op {
        Op::Pure { op, mode, args } => {
            let args: Vec<String> = args.iter().flatten().map(|a| format!("{a:?}")).collect();
            write!(s, "{op} {}", args.join(", ")).unwrap();
            if *mode != default_mode(*op, block_mode) {
                write!(s, " mode {mode:?}").unwrap();
            }
        }
        op => op.print(&mut s),
    }
    s
}
