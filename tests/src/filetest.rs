//! Filetests: instructions, inputs and expected registers in one text file (`tests/filetests/*.txt`; its README is the description of the
//! form).
//!
//! ```text
//! # A comment.
//! ; run gfx1100 gfx1200 wave32 wave64         targets of the cases below; all must agree (`vgprs=48` at the end: VGPRs of a wave)
//! ; T# s[8:15] = 2d rgba8_unorm 16x16 at mem  a descriptor of the cases below, see [`descriptor`]
//!
//! v_add_f32 v0, v1, s2 clamp
//! ; v1 = 0.5 0.75 -inf nan   s2 = 0.5   exec = 0b0111
//! ; => v0 = 1.0 1.0 0.0 _
//! ; v1 = 2.0   s2 = 0.5                       the same code again with other inputs
//! ; => v0 = 1.0
//! ```
//!
//! A case ends at a blank line. Its instructions come first, assembled by our assembler for each target; dwords that stand after `//` are
//! compared with what it makes for the first one. Then come checks: inputs, and what must hold after the code has run (`=>`).
//! A lane mask is written `$vcc`, `$exec`, `$s6`: one register in wave32, a pair in wave64.
//! **Everything that is not named must be unchanged**: every other register, LDS, memory, EXEC, SCC. Before the inputs, registers hold
//! recognizable junk (SCC and MODE 0 and 0x3f0).
//!
//! Places: `v1`, `s2`, pairs `v[2:3]`, `s[2:3]` (64 bits), `vcc`, `exec` (as wide as the wave), `scc`, `m0`, `vcc_hi`, ...; `lds[0x10]` and
//! `mem[0x10]` (dwords from that byte offset on; memory starts at guest address 0x100000); `mode` (float mode, input only).
//!
//! Values: integers (`7 -1 0xff 0b101`), floats (`1.5 inf -inf nan -nan snan`; `nan` is the positive quiet NaN without payload, `snan`
//! 0x7fa00000). Floats are f32, or as the place says: `v0:f16` (low half, high half 0), `v[0:1]:f64`, `v0:pk` (two f16, `1.0/2.0`, low half
//! first). Vector registers take a list, lane 0 first: `_` keeps (inputs) or expects (outputs) the old value, which is also what holds
//! for lanes after the list; `...` at the end repeats the last value; `lane`, `lane+N`, `lane*N` stand for the lane number.
//!
//! EXEC, if not given, is the lanes that the longest input list names; all lanes without such a list or with `...` in one.

mod descriptor;

use crate::machine::{INTERPRETER, LDS_BYTES, LEAVE_TEXT, MEM_BYTES, Machine, OTHERS, OUTSIDE, lift_limited};
use descriptor::Descriptor;
use half::f16;
use std::fmt::Write;
use wavejit_ir::abi::Exit;
use wavejit_ir::verify::verify;
use wavejit_ir::{FpMode, SReg};
use wavejit_isa::asm::{Assembled, LineError, assemble};
use wavejit_isa::{Gfx, assemble_instruction};
use wavejit_jit::lift::ALL_VGPRS;

/// A target of a case: processor, wave size, VGPRs.
pub type Target = (Gfx, u32, u32);

/// One parsed case.
#[derive(Debug)]
pub struct Case {
    /// Line of its first instruction.
    pub line: usize,
    targets: Vec<Target>,
    /// A line for each line of the file.
    asm: String,
    /// Dwords that the file gives, and the line of `asm` (from 1) they stand beside.
    given: Vec<(usize, Vec<u32>)>,
    descriptors: Vec<Descriptor>,
    checks: Vec<Check>,
}

#[derive(Debug, Default)]
struct Check {
    line: usize,
    descriptors: Vec<Descriptor>,
    inputs: Vec<Assign>,
    expected: Vec<Assign>,
}

#[derive(Debug)]
struct Assign {
    place: Place,
    values: Vec<Item>,
    /// `...`
    repeat: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Vgpr {
        n: usize,
        wide: bool,
    },
    Sgpr {
        n: usize,
        wide: bool,
    },
    /// A pair in wave64, its first half in wave32: VCC, EXEC.
    LaneMask(usize),
    Lds(usize),
    Mem(usize),
    Mode,
}

#[derive(Clone, Copy, Debug)]
enum Item {
    Bits(u64),
    /// `_`
    Keep,
    /// lane number times, plus
    Lane(u64, u64),
}

impl Item {
    fn bits(self, lane: usize) -> Option<u64> {
        match self {
            Item::Bits(b) => Some(b),
            Item::Keep => None,
            Item::Lane(times, plus) => Some(lane as u64 * times + plus),
        }
    }
}

impl Assign {
    fn item(&self, i: usize) -> Item {
        let last = if self.repeat { self.values.last() } else { None };
        *self.values.get(i).or(last).unwrap_or(&Item::Keep)
    }

    /// Writes the values into a machine.
    fn apply(&self, m: &mut Machine) {
        let one = self.values[0].bits(0);
        match self.place {
            Place::Vgpr { n, wide } => {
                for lane in 0..m.wave_size as usize {
                    let Some(bits) = self.item(lane).bits(lane) else { continue };
                    m.vgpr_mut(n)[lane] = bits as u32;
                    if wide {
                        m.vgpr_mut(n + 1)[lane] = (bits >> 32) as u32;
                    }
                }
            }
            Place::Sgpr { n, wide } => {
                let Some(bits) = one else { return };
                m.sregs[n] = bits as u32;
                if wide {
                    m.sregs[n + 1] = (bits >> 32) as u32;
                }
            }
            Place::LaneMask(n) => {
                let Some(bits) = one else { return };
                m.sregs[n] = bits as u32;
                if m.wave_size == 64 {
                    m.sregs[n + 1] = (bits >> 32) as u32;
                }
            }
            Place::Lds(at) => write_list(m.lds_mut(), at, self),
            Place::Mem(at) => write_list(m.mem_mut(), at, self),
            Place::Mode => {}
        }
    }
}

fn write_list(dwords: &mut [u32], at: usize, list: &Assign) {
    for (i, dword) in dwords[at / 4..].iter_mut().enumerate() {
        if let Some(bits) = list.item(i).bits(i) {
            *dword = bits as u32;
        }
    }
}

/// Parses a file and runs all its cases with every engine. `Err` lists everything that went wrong.
pub fn run_file(name: &str, text: &str) -> Result<usize, String> {
    let cases = parse(text).map_err(|e| format!("{name}:{e}"))?;
    let mut errors = String::new();
    let mut instructions = 0;
    for case in &cases {
        instructions += case.asm.lines().count();
        if let Err(e) = case.check_given() {
            writeln!(errors, "{name}:{e}").unwrap();
        }
        for target in &case.targets {
            let words = match case.words(*target) {
                Ok(code) => dwords(&code.bytes),
                Err(e) => {
                    writeln!(errors, "{name}:{}: {} wave{}: {e}", case.line, target.0, target.1).unwrap();
                    continue;
                }
            };
            for check in &case.checks {
                if let Err(e) = run_check(case, &words, *target, check) {
                    writeln!(errors, "{name}:{}: {} wave{}:\n{}{e}", check.line, target.0, target.1, case.asm).unwrap();
                }
            }
        }
    }
    if errors.is_empty() { Ok(instructions) } else { Err(errors) }
}

impl Case {
    /// Machine code for a target.
    fn words(&self, (gfx, wave_size, _): Target) -> Result<Assembled, String> {
        let name = |e: &LineError| format!("line {}, column {}: {}: `{}`\n", self.line + e.line - 1, e.column, e.error, e.text);
        assemble(&with_masks(&self.asm, wave_size), gfx, wave_size).map_err(|errors| errors.iter().map(name).collect())
    }

    /// The check whose inputs are being read.
    fn open_check(&mut self) -> &mut Check {
        if self.checks.last().is_none_or(|c| c.line != 0) {
            self.checks.push(Check::default());
        }
        self.checks.last_mut().expect("pushed above")
    }

    /// Compares the dwords that the file gives with those of the first target.
    fn check_given(&self) -> Result<(), String> {
        if self.given.is_empty() {
            return Ok(());
        }
        let target = self.targets[0];
        let Ok(code) = self.words(target) else { return Ok(()) }; // reported where it is run
        for (line, given) in &self.given {
            let at = code.lines.iter().position(|l| l.1 == *line);
            let range = at.map(|i| code.lines[i].0 as usize..code.lines.get(i + 1).map_or(code.bytes.len(), |l| l.0 as usize));
            let made = range.map(|bytes| dwords(&code.bytes[bytes])).unwrap_or_default();
            if made != *given {
                let line = self.line + line - 1;
                return Err(format!("{line}: {} wave{}: the dwords are {made:08x?}, not {given:08x?}", target.0, target.1));
            }
        }
        Ok(())
    }
}

/// Writes `$vcc`, `$exec` and `$s6` as the wave's lane masks: one register, or a pair.
fn with_masks(asm: &str, wave_size: u32) -> String {
    let mut out = String::new();
    for (i, part) in asm.split('$').enumerate() {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(part.len());
        let (name, rest) = if i == 0 { ("", part) } else { part.split_at(end) };
        match (name.strip_prefix('s').and_then(|n| n.parse::<u32>().ok()), wave_size) {
            (Some(n), 64) => write!(out, "s[{n}:{}]", n + 1).unwrap(),
            (None, 32) if !name.is_empty() => write!(out, "{name}_lo").unwrap(),
            _ => out.push_str(name),
        }
        out.push_str(rest);
    }
    out
}

fn dwords(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
}

/// The machine code of every case of a file for every target.
pub fn machine_code(text: &str) -> Result<Vec<(Target, Vec<u32>)>, String> {
    let of_case = |case: &Case| -> Result<Vec<_>, String> {
        case.targets.iter().map(|target| Ok((*target, dwords(&case.words(*target)?.bytes)))).collect()
    };
    Ok(parse(text)?.iter().map(of_case).collect::<Result<Vec<_>, _>>()?.concat())
}

/// A machine full of junk that says where it came from.
fn junk(wave_size: u32) -> Machine {
    let mut m = Machine::new(wave_size);
    let fixed = m.sregs;
    for n in 0..SReg::COUNT as u32 {
        m.sregs[n as usize] = 0xbad5_0000 + n;
    }
    m.sregs[96..98].copy_from_slice(&fixed[96..98]);
    m.sregs[126..128].copy_from_slice(&fixed[126..128]);
    m.sregs[usize::from(SReg::SCC.0)] = 0;
    for n in 0..crate::machine::VGPRS {
        m.vgpr_mut(n).iter_mut().zip(0..).for_each(|(x, lane): (_, u32)| *x = 0xbad0_0000 + ((n as u32) << 8) + lane);
    }
    m.lds_mut().iter_mut().zip(0..).for_each(|(x, i): (_, u32)| *x = 0xbad1_0000 + i);
    m.mem_mut().iter_mut().zip(0..).for_each(|(x, i): (_, u32)| *x = 0xbad3_0000 + i);
    m
}

/// The way out of the code.
fn leave(gfx: Gfx) -> Result<Vec<u32>, String> {
    let code = assemble_instruction(LEAVE_TEXT, gfx, gfx.default_wave_size()).map_err(|e| format!("    {LEAVE_TEXT}: {e}\n"))?;
    Ok(code.dwords().to_vec())
}

fn run_check(case: &Case, code: &[u32], (gfx, wave_size, vgprs): Target, check: &Check) -> Result<(), String> {
    let mut start = junk(wave_size);
    start.target = gfx;
    let mut mode = FpMode::HSA;
    let mut lanes = 0;
    for descriptor in case.descriptors.iter().chain(&check.descriptors) {
        let (at, words) = descriptor.encode(gfx).map_err(|e| format!("    {e}\n"))?;
        start.sregs[at..at + words.len()].copy_from_slice(&words);
    }
    for input in &check.inputs {
        input.apply(&mut start);
        match input.place {
            Place::Vgpr { .. } if input.repeat => lanes = wave_size as usize,
            Place::Vgpr { .. } => lanes = lanes.max(input.values.len()),
            Place::Mode => mode = FpMode(input.values[0].bits(0).unwrap_or(0) as u16),
            _ => {}
        }
    }
    let exec = Place::LaneMask(usize::from(SReg::EXEC_LO.0));
    if lanes > 0 && check.inputs.iter().all(|i| i.place != exec) {
        let mask = u64::MAX >> (64 - lanes.min(wave_size as usize));
        Assign { place: exec, values: vec![Item::Bits(mask)], repeat: false }.apply(&mut start);
    }
    let mut expected = start.clone();
    check.expected.iter().for_each(|e| e.apply(&mut expected));

    let mut words = code.to_vec();
    words.extend(leave(gfx)?);
    let func = lift_limited(&words, gfx, wave_size, mode, vgprs);
    verify(&func).map_err(|e| format!("    verifier: {e}\n"))?;
    for (engine, run) in [INTERPRETER].into_iter().chain(OTHERS) {
        let mut m = start.clone();
        let outcome = run(&func, &mut m)?;
        if (outcome.exit, outcome.arg) != (Exit::NewPc, OUTSIDE) {
            let why = func.failures.get(outcome.arg as usize).filter(|_| outcome.exit == Exit::Fail);
            return Err(format!("    {engine}: {outcome:x?} {why:x?}\n"));
        }
        let wrong = differences(&m, &expected);
        if !wrong.is_empty() {
            return Err(format!("    {engine}:\n{wrong}"));
        }
    }
    Ok(())
}

/// One line for each place where `found` is not as expected; empty if there is none.
pub fn differences(found: &Machine, expected: &Machine) -> String {
    let mut s = String::new();
    let mut line = |place: String, f: u32, e: u32| {
        if f != e {
            writeln!(s, "    {place} is {f:#x} ({:e}), expected {e:#x} ({:e})", f32::from_bits(f), f32::from_bits(e)).unwrap();
        }
    };
    for n in 0..SReg::COUNT {
        line(SReg(n as u8).name(), found.sregs[n], expected.sregs[n]);
    }
    for n in 0..crate::machine::VGPRS {
        for lane in 0..found.wave_size as usize {
            line(format!("v{n} lane {lane}"), found.vgpr(n)[lane], expected.vgpr(n)[lane]);
        }
    }
    for (name, f, e) in [("lds", found.lds(), expected.lds()), ("mem", found.mem(), expected.mem())] {
        f.iter().zip(e).enumerate().for_each(|(i, (f, e))| line(format!("{name}[{:#x}]", 4 * i), *f, *e));
    }
    s
}

/// The cases of a file. An error starts with its line.
pub fn parse(text: &str) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = vec![];
    let mut targets: Vec<Target> = vec![];
    let mut descriptors: Vec<Descriptor> = vec![];
    let mut open = false;
    for (number, line) in text.lines().enumerate().map(|(i, l)| (i + 1, without_comment(l))) {
        let at = |e: String| format!("{number}: {e}");
        if line.trim().is_empty() {
            open &= text.lines().nth(number - 1).is_some_and(|l| l.starts_with('#'));
        } else if let Some(list) = line.strip_prefix("; run ") {
            targets = parse_targets(list).map_err(at)?;
            descriptors.clear();
        } else if let Some(descriptor) = line.strip_prefix(';').and_then(Descriptor::parse) {
            let descriptor = descriptor.map_err(at)?;
            match cases.last_mut().filter(|_| open) {
                Some(case) => case.open_check().descriptors.push(descriptor),
                None => descriptors.push(descriptor),
            }
        } else if let Some(rest) = line.strip_prefix(';') {
            let case = cases.last_mut().filter(|_| open).ok_or_else(|| at("a check without instructions".into()))?;
            match rest.trim().strip_prefix("=>") {
                Some(expected) => {
                    if case.checks.is_empty() {
                        case.checks.push(Check::default());
                    }
                    let check = case.checks.last_mut().expect("pushed above");
                    check.line = number;
                    check.expected.append(&mut parse_assigns(expected).map_err(at)?);
                }
                None => {
                    let mut inputs = parse_assigns(rest).map_err(at)?;
                    case.open_check().inputs.append(&mut inputs);
                }
            }
        } else {
            if !open {
                let (asm, given) = (String::new(), vec![]);
                cases.push(Case { line: number, targets: targets.clone(), asm, given, descriptors: descriptors.clone(), checks: vec![] });
                open = true;
            }
            let case = cases.last_mut().expect("pushed above");
            if targets.is_empty() {
                return Err(at("no `; run` line above".into()));
            }
            if !case.checks.is_empty() {
                return Err(at("an instruction after a check: a blank line starts a new case".into()));
            }
            let (asm, hex) = line.split_once("//").unwrap_or((line, ""));
            let words: Result<Vec<u32>, _> = hex.split_whitespace().map(|w| u32::from_str_radix(w, 16)).collect();
            let words = words.map_err(|e| at(format!("dwords after `//`: {e}")))?;
            // Lines of the file and of the source are the same, comments too.
            while case.line + case.asm.lines().count() < number {
                case.asm.push('\n');
            }
            writeln!(case.asm, "    {}", asm.trim()).unwrap();
            if !words.is_empty() {
                case.given.push((number - case.line + 1, words));
            }
        }
    }
    match cases.iter().find(|c| c.checks.is_empty() || c.checks.iter().any(|k| k.line == 0)) {
        Some(c) => Err(format!("{}: a case without expectations (`; =>`)", c.line)),
        None => Ok(cases),
    }
}

/// A line without `# ...` and white space at the end; the `#` of `T#` begins no comment.
fn without_comment(line: &str) -> &str {
    let begins = |(at, _): &(usize, &str)| *at == 0 || line[..*at].ends_with(char::is_whitespace);
    line[..line.match_indices('#').find(begins).map_or(line.len(), |(at, _)| at)].trim_end()
}

/// `gfx1100 gfx1200 wave32 wave64 vgprs=48`: every processor with every wave size.
fn parse_targets(list: &str) -> Result<Vec<Target>, String> {
    let (mut processors, mut sizes, mut vgprs) = (vec![], vec![], ALL_VGPRS);
    for word in list.split_whitespace() {
        if let Some(n) = word.strip_prefix("vgprs=") {
            vgprs = n.parse().ok().filter(|n| (1..=ALL_VGPRS).contains(n)).ok_or_else(|| format!("`{word}`: expected 1 to {ALL_VGPRS}"))?;
        } else if let Some(n) = word.strip_prefix("wave") {
            sizes.push(n.parse().ok().filter(|n| [32, 64].contains(n)).ok_or_else(|| format!("`{word}`: expected wave32 or wave64"))?);
        } else {
            processors.push(Gfx::parse(word).ok_or_else(|| format!("`{word}` is not a processor"))?);
        }
    }
    if processors.is_empty() || sizes.is_empty() {
        return Err("expected `; run gfx1100 [gfx1200 ...] wave32 [wave64]`".into());
    }
    if let Some(gfx) = processors.iter().find(|g| g.default_wave_size() == 64 && sizes.contains(&32)) {
        return Err(format!("{gfx} has no waves of 32 lanes"));
    }
    Ok(processors.into_iter().flat_map(|gfx| sizes.iter().map(move |size| (gfx, *size, vgprs))).collect())
}

/// `v1 = 0.5 0.75 s2:f16 = 1.0`
fn parse_assigns(text: &str) -> Result<Vec<Assign>, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut out = vec![];
    let mut i = 0;
    while i < words.len() {
        if words.get(i + 1) != Some(&"=") {
            return Err(format!("expected `{} =`", words[i]));
        }
        let (place, ty) = words[i].split_once("]:").map_or_else(
            || words[i].split_once(':').filter(|_| !words[i].contains('[')).unwrap_or((words[i], "")),
            |(p, t)| (&words[i][..=p.len()], t),
        );
        let place = parse_place(place).ok_or_else(|| format!("`{place}` is not a register, lds[..] or mem[..]"))?;
        i += 2;
        let end = (i..words.len()).find(|j| words.get(j + 1) == Some(&"=")).unwrap_or(words.len());
        let mut list = &words[i..end];
        let repeat = list.last() == Some(&"...");
        list = &list[..list.len() - usize::from(repeat)];
        let wide = matches!(place, Place::Vgpr { wide: true, .. } | Place::Sgpr { wide: true, .. } | Place::LaneMask(_));
        let values: Option<Vec<Item>> = list.iter().map(|w| parse_item(w, ty, wide)).collect();
        let values = values.ok_or_else(|| format!("bad value in {list:?}"))?;
        let repeat = repeat || values.iter().any(|v| matches!(v, Item::Lane(..)));
        if values.is_empty() {
            return Err("no value after `=`".into());
        }
        out.push(Assign { place, values, repeat });
        i = end;
    }
    Ok(out)
}

fn parse_place(s: &str) -> Option<Place> {
    let bracket = |prefix| s.strip_prefix(prefix)?.strip_suffix(']');
    let pair = |range: &str| {
        let (a, b) = range.split_once(':')?;
        let n: usize = a.parse().ok()?;
        (b.parse() == Ok(n + 1)).then_some(n)
    };
    let offset = |text: &str, bytes: usize| parse_int(text).map(|n| n as usize).filter(|n| n % 4 == 0 && *n < bytes);
    if let Some(range) = bracket("v[") {
        return Some(Place::Vgpr { n: pair(range)?, wide: true });
    }
    if let Some(range) = bracket("s[") {
        return Some(Place::Sgpr { n: pair(range)?, wide: true });
    }
    if let Some(at) = bracket("lds[") {
        return Some(Place::Lds(offset(at, LDS_BYTES)?));
    }
    if let Some(at) = bracket("mem[") {
        return Some(Place::Mem(offset(at, MEM_BYTES)?));
    }
    match s {
        "vcc" => Some(Place::LaneMask(SReg::VCC_LO.0.into())),
        "exec" => Some(Place::LaneMask(SReg::EXEC_LO.0.into())),
        "mode" => Some(Place::Mode),
        _ => match s.strip_prefix('v').and_then(|n| n.parse().ok()) {
            Some(n) => Some(Place::Vgpr { n, wide: false }),
            None => Some(Place::Sgpr { n: SReg::from_name(s)?.0.into(), wide: false }),
        },
    }
}

fn parse_int(s: &str) -> Option<u64> {
    let (negative, s) = s.strip_prefix('-').map_or((false, s), |s| (true, s));
    let n = match (s.strip_prefix("0x"), s.strip_prefix("0b")) {
        (Some(hex), _) => u64::from_str_radix(hex, 16).ok()?,
        (_, Some(bin)) => u64::from_str_radix(bin, 2).ok()?,
        _ => s.parse().ok()?,
    };
    Some(if negative { n.wrapping_neg() } else { n })
}

fn parse_item(s: &str, ty: &str, wide: bool) -> Option<Item> {
    if s == "_" {
        return Some(Item::Keep);
    }
    if let Some(rest) = s.strip_prefix("lane") {
        return match (rest.strip_prefix('+'), rest.strip_prefix('*')) {
            (Some(n), _) => Some(Item::Lane(1, parse_int(n)?)),
            (_, Some(n)) => Some(Item::Lane(parse_int(n)?, 0)),
            _ => rest.is_empty().then_some(Item::Lane(1, 0)),
        };
    }
    if let (Some((lo, hi)), "pk") = (s.split_once('/'), ty) {
        return Some(Item::Bits(parse_number(lo, "f16")? | parse_number(hi, "f16")? << 16));
    }
    let bits = parse_number(s, ty)?;
    Some(Item::Bits(if wide { bits } else { bits & 0xffff_ffff }))
}

fn parse_number(s: &str, ty: &str) -> Option<u64> {
    if let Some(n) = parse_int(s) {
        return Some(n);
    }
    let (negative, name) = s.strip_prefix('-').map_or((false, s), |s| (true, s));
    let (nan, snan, sign) = match ty {
        "" | "f32" => (0x7fc0_0000, 0x7fa0_0000, 31),
        "f16" => (0x7e00, 0x7d00, 15),
        "f64" => (0x7ff8 << 48, 0x7ff4 << 48, 63),
        _ => return None,
    };
    let magnitude = match (name, ty) {
        ("nan", _) => nan,
        ("snan", _) => snan,
        (_, "f16") => f16::from_f64(name.parse().ok()?).to_bits().into(),
        (_, "f64") => name.parse::<f64>().ok()?.to_bits(),
        _ => name.parse::<f32>().ok()?.to_bits().into(),
    };
    Some(magnitude | u64::from(negative) << sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_by_the_type_of_their_place() {
        let bits = |s: &str, ty| parse_number(s, ty);
        assert_eq!(bits("-1", ""), Some(u64::MAX));
        assert_eq!(bits("0.5", ""), Some(0x3f00_0000));
        assert_eq!(bits("-nan", ""), Some(0xffc0_0000));
        assert_eq!(bits("1.0", "f16"), Some(0x3c00));
        assert_eq!(bits("-inf", "f16"), Some(0xfc00));
        assert_eq!(bits("1.0", "f64"), Some(0x3ff0 << 48));
        assert!(matches!(parse_item("1.0/-2.0", "pk", false), Some(Item::Bits(0xc000_3c00))));
    }

    #[test]
    fn lines_that_are_neither_inputs_nor_expectations_are_errors() {
        let error = |s: &str| parse(s).unwrap_err();
        assert_eq!(error("v_nop // 7e000000"), "1: no `; run` line above");
        assert_eq!(error("; run gfx1100 gfx900 wave32\nv_nop"), "1: gfx900 has no waves of 32 lanes");
        assert_eq!(error("; run gfx1100\nv_nop"), "1: expected `; run gfx1100 [gfx1200 ...] wave32 [wave64]`");
        assert_eq!(error("; run gfx1100 wave32\nv_nop // 7e000000\n; v1 2"), "3: expected `v1 =`");
        assert_eq!(error("; run gfx1100 wave32\nv_nop // 7e000000\n; v1 = 2"), "2: a case without expectations (`; =>`)");
        assert_eq!(error("; run gfx1100 wave32\nv_nop // 7e000000\n; q1 = 2"), "3: `q1` is not a register, lds[..] or mem[..]");
    }

    #[test]
    fn every_target_gets_its_own_code() {
        let text = "; run gfx1030 gfx1100 wave32 wave64\n; S# s[8:11] = linear\n# a comment\ns_mov_b32 s4, null // be80037d\n; => s4 = 0";
        let cases = parse(text).unwrap();
        assert_eq!((cases[0].targets.len(), cases[0].descriptors.len()), (4, 1));
        let code = |i: usize| dwords(&cases[0].words(cases[0].targets[i]).unwrap().bytes);
        assert_eq!((code(0), code(3)), (vec![0xbe84_037d], vec![0xbe84_007c]));
        let e = cases[0].check_given().unwrap_err();
        assert_eq!(e, "4: gfx1030 wave32: the dwords are [be84037d], not [be80037d]");
    }

    #[test]
    fn text_that_does_not_assemble_is_an_error_of_its_target() {
        let e = run_file("f.txt", "; run gfx1100 gfx1030 wave32\nds_add_rtn_f32 v0, v1, v2 offset:70000\n; => v0 = 0").unwrap_err();
        assert!(e.contains("f.txt:2: gfx1030 wave32: line 2, column"), "{e}");
    }

    #[test]
    fn lane_masks_are_as_wide_as_the_wave() {
        let text = "v_div_scale_f32 v0, $vcc, v1, v1, v2; s_mov $s6, $exec";
        assert_eq!(with_masks(text, 32), "v_div_scale_f32 v0, vcc_lo, v1, v1, v2; s_mov s6, exec_lo");
        assert_eq!(with_masks(text, 64), "v_div_scale_f32 v0, vcc, v1, v1, v2; s_mov s[6:7], exec");
    }
}
