//! Random programs: the same machine code from the same state on every engine must leave the same state, bit for bit.
//!
//! A program is a tree of `Item`s: instructions, forward branches, divergent regions under EXEC, counted loops. Instructions are random
//! bits in the fields of each format (RDNA3 ISA, chapter 15), kept if the decoder takes them, the lifter has their semantics, and they
//! touch no register that a program needs for itself; so whatever the tables learn is tested without a change here. Inputs favor special
//! values (NaNs, infinities, denormals, edges), EXEC and MODE are random. Memory accesses of all lanes fall into a few hundred bytes,
//! so lanes meet each other's stores, with no barrier between them.
//!
//! A program that fails is cut down (items are dropped while it still fails) and printed with its disassembly.
//!
//! Registers: v0..v11, sometimes some that a wave may not have (v24..v31), s0..s15, VCC, EXEC, M0 are the program's; v20..v23 addresses; s\[96:97\] the way out, s98 and s99 loop counters,
//! s\[100:101\] the memory block, s\[102:105\] saved EXEC.

use crate::filetest::differences;
use crate::machine::{CODE, LEAVE, MEM, Machine, OTHERS, lift_code, lift_limited};
use std::fmt::Write;
use wavejit_ir::text::{parse, print};
use wavejit_ir::verify::verify;
use wavejit_ir::{FpMode, Func, SReg, Term};
use wavejit_isa::scalars::{Special, TRAP, VCC_LO};
use wavejit_isa::{DisasmOptions, Enc, Gfx, Inst, Operand, decode, disasm};
use wavejit_random::Random;

/// The target of the programs.
const GFX: Gfx = Gfx::GFX1100;
const VGPRS: u16 = 12;
/// Registers that waves of some programs lack.
const BEYOND: std::ops::Range<u16> = 24..32;
const SGPRS: u8 = 16;

/// A piece of a program.
#[derive(Clone, Debug)]
enum Item {
    /// Instructions that belong together: an access with the computation of its address.
    Code(Vec<u32>),
    /// A conditional forward branch (SOPP opcode) over the body.
    Skip(u32, Vec<Item>),
    /// The body under EXEC and VCC, skipped if no lane is left.
    Region(Vec<Item>),
    /// The body a number of times.
    Loop(u32, Vec<Item>),
}

/// SOPP branches: scc0 scc1 vccz vccnz execz execnz.
const BRANCHES: [u32; 6] = [0x21, 0x22, 0x23, 0x24, 0x25, 0x26];

fn sopp(op: u32, simm: i32) -> u32 {
    0xbf80_0000 | op << 16 | (simm as u32 & 0xffff)
}

/// Machine code of a tree. `depth` chooses the registers of regions and loops, so nesting is limited to two.
fn flatten(items: &[Item], wave_size: u32, depth: u32) -> Vec<u32> {
    let mut code = vec![];
    for item in items {
        match item {
            Item::Code(words) => code.extend(words),
            Item::Skip(op, body) => {
                let body = flatten(body, wave_size, depth);
                code.push(sopp(*op, body.len() as i32));
                code.extend(body);
            }
            Item::Region(body) => {
                let body = flatten(body, wave_size, depth + 1);
                let save = 102 + 2 * depth;
                let wide = u32::from(wave_size == 64);
                code.push(0xbe80_206a | save << 16 | wide << 8); // s_and_saveexec save, vcc
                code.push(sopp(0x25, body.len() as i32)); // s_cbranch_execz
                code.extend(body);
                code.push(0x8c7e_007e | save << 8 | wide << 23); // s_or exec, exec, save
            }
            Item::Loop(count, body) => {
                let body = flatten(body, wave_size, depth + 1);
                let counter = 98 + depth;
                code.push(0xbe80_0080 + (counter << 16) + count); // s_mov_b32 counter, count
                let size = body.len() as i32;
                code.extend(body);
                code.push(0x8080_8100 | counter << 16 | counter); // s_sub_u32 counter, counter, 1
                code.push(0xbf07_8000 | counter); // s_cmp_lg_u32 counter, 0
                code.push(sopp(0x22, -(size + 3))); // s_cbranch_scc1
            }
        }
    }
    code
}

/// Number of items in a tree.
fn size(items: &[Item]) -> usize {
    items.iter().map(|i| 1 + body(i).map_or(0, |b| size(b))).sum()
}

fn body(item: &Item) -> Option<&Vec<Item>> {
    match item {
        Item::Code(_) => None,
        Item::Skip(_, b) | Item::Region(b) | Item::Loop(_, b) => Some(b),
    }
}

/// The tree without its `n`-th item (parents before children); `inline` keeps the children of what is removed.
fn without(items: &[Item], n: usize, inline: bool) -> Vec<Item> {
    let mut out = vec![];
    let mut at = 0;
    for item in items {
        let children = body(item).map_or(&[][..], |b| b);
        let inside = size(children);
        if at == n {
            out.extend_from_slice(if inline { children } else { &[] });
        } else if (at + 1..=at + inside).contains(&n) {
            let rest = without(children, n - at - 1, inline);
            out.push(match item {
                Item::Skip(op, _) => Item::Skip(*op, rest),
                Item::Region(_) => Item::Region(rest),
                Item::Loop(count, _) => Item::Loop(*count, rest),
                Item::Code(_) => unreachable!("code has no children"),
            });
        } else {
            out.push(item.clone());
        }
        at += 1 + inside;
    }
    out
}

/// A program with the state it starts from.
#[derive(Clone)]
pub struct Program {
    items: Vec<Item>,
    wave_size: u32,
    mode: FpMode,
    vgprs: u32,
    start: Machine,
}

impl Program {
    /// The program of a seed.
    pub fn random(seed: u64) -> Program {
        let mut rng = Random(seed);
        let wave_size = if rng.one_in(3) { 64 } else { 32 };
        let mode = random_mode(&mut rng);
        let start = random_machine(&mut rng, wave_size);
        let count = 4 + rng.below(30);
        let vgprs = rng.pick(&[24, 29, 48]);
        let items = random_items(&mut rng, wave_size, count, 0);
        Program { items, wave_size, mode, vgprs, start }
    }

    fn words(&self) -> Vec<u32> {
        let mut words = flatten(&self.items, self.wave_size, 0);
        words.push(LEAVE);
        words
    }

    fn func(&self) -> Func {
        lift_limited(&self.words(), GFX, self.wave_size, self.mode, self.vgprs)
    }

    /// Runs it everywhere. `Err` says what differs.
    pub fn check(&self) -> Result<(), String> {
        let func = self.func();
        verify(&func).map_err(|e| format!("verifier: {e}\n"))?;
        let text = print(&func);
        match parse(&text) {
            Ok(f) if print(&f) == text => {}
            Ok(_) => return Err("the text form does not survive parsing and printing\n".into()),
            Err(e) => return Err(format!("the text form does not parse: {e}\n")),
        }
        let mut expected = self.start.clone();
        let outcome = expected.interpret(&func);
        for (name, engine) in OTHERS {
            let mut m = self.start.clone();
            let found = engine(&func, &mut m).map_err(|e| format!("{name}: {e}\n"))?;
            let mut wrong = differences(&m, &expected);
            if found != outcome {
                writeln!(wrong, "    it ended as {found:x?}, expected {outcome:x?}").unwrap();
            }
            if m.fuel != expected.fuel {
                writeln!(wrong, "    fuel is {}, expected {}", m.fuel, expected.fuel).unwrap();
            }
            if !wrong.is_empty() {
                return Err(format!("{name} against the interpreter:\n{wrong}"));
            }
        }
        Ok(())
    }

    /// Drops items while the program still fails.
    fn minimize(&mut self) {
        loop {
            let before = size(&self.items);
            for inline in [false, true] {
                for n in (0..size(&self.items)).rev() {
                    let smaller = Program { items: without(&self.items, n, inline), ..self.clone() };
                    if smaller.check().is_err() {
                        *self = smaller;
                    }
                }
            }
            if size(&self.items) == before {
                return;
            }
        }
    }

    /// Assembly with addresses.
    fn listing(&self) -> String {
        let mut s = String::new();
        let words = self.words();
        let options = DisasmOptions { wave_size: self.wave_size, ..DisasmOptions::default() };
        let mut at = 0;
        while at < words.len() {
            let (text, len) = match decode(&words[at..words.len().min(at + 5)], GFX, self.wave_size) {
                Ok(inst) => (disasm(&inst, GFX, &options), usize::from(inst.len)),
                Err(e) => (e.to_string(), 1),
            };
            let dwords: Vec<String> = words[at..at + len].iter().map(|w| format!("{w:08x}")).collect();
            writeln!(s, "    {:#x}: {text:<60} // {}", CODE + 4 * at as u64, dwords.join(" ")).unwrap();
            at += len;
        }
        s
    }
}

/// Runs the programs of `count` seeds from `first` on. `Err` shows the first few that fail, cut down.
pub fn run(first: u64, count: u64) -> Result<(), String> {
    const SHOWN: usize = 4;
    let mut failures = vec![];
    for seed in first..first + count {
        let mut program = Program::random(seed);
        if program.check().is_ok() {
            continue;
        }
        program.minimize();
        let why = program.check().expect_err("minimized programs fail");
        let (wave, mode, code) = (program.wave_size, program.mode, program.listing());
        failures.push(format!("program WAVEJIT_SEED={seed} WAVEJIT_RANDOM_PROGRAMS=1: wave{wave}, mode {mode:?}:\n{code}{why}"));
        if failures.len() == SHOWN {
            break;
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

fn random_mode(rng: &mut Random) -> FpMode {
    if rng.one_in(2) {
        return FpMode::HSA;
    }
    let rounding = if rng.one_in(2) { 0 } else { rng.below(16) };
    let denormals = rng.pick(&[0xf0, 0xc0, 0x30, 0x00, 0x50, 0xa0]);
    FpMode((rounding | denormals | rng.below(8) << 8) as u16)
}

#[rustfmt::skip]
const SPECIAL: &[u32] = &[
    0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe, 0xffff_ffff,
    // f32: zeros, ones, denormals, greatest, infinities, NaNs quiet and signaling, 2^31, 2^32, 2^64
    0x3f80_0000, 0xbf80_0000, 0x3f00_0000, 0x4000_0000, 0x0080_0000, 0x8080_0000, 0x007f_ffff, 0x807f_ffff, 0x7f7f_ffff, 0xff7f_ffff,
    0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0xffc0_0001, 0x7f80_0001, 0xffa0_0000, 0x4f00_0000, 0x4f80_0000, 0x5f80_0000, 0x3eaa_aaab,
    // two f16: ones, greatest, denormals, infinities, NaNs
    0x3c00_3c00, 0x7bff_fbff, 0x0001_83ff, 0x7c00_fc00, 0x7e00_7d01, 0x0400_8400, 0x3555_bc00,
    // high dwords of f64: one, two, least normal, infinity, NaNs
    0x3ff0_0000, 0x4000_0000, 0x0010_0000, 0x7ff0_0000, 0xfff8_0000, 0x7ff0_0001, 0x43e0_0000, 0x000f_ffff,
];

fn random_value(rng: &mut Random) -> u32 {
    match rng.below(8) {
        0..4 => rng.pick(SPECIAL),
        4 => rng.below(64),
        // A float of moderate size.
        5 | 6 => (rng.u64() as u32 & 0x807f_ffff) | (0x70 + rng.below(0x20)) << 23,
        _ => rng.u64() as u32,
    }
}

fn random_mask(rng: &mut Random) -> u64 {
    match rng.below(6) {
        0 | 1 => u64::MAX,
        2 => 0,
        3 => 1 << rng.below(64),
        4 => u64::MAX << rng.below(64),
        _ => rng.u64(),
    }
}

fn random_machine(rng: &mut Random, wave_size: u32) -> Machine {
    let mut m = Machine::new(wave_size);
    for n in 0..usize::from(BEYOND.end) {
        m.vgpr_mut(n).iter_mut().for_each(|x| *x = random_value(rng));
    }
    for n in 0..usize::from(SGPRS) {
        m.sregs[n] = random_value(rng);
    }
    let mut pair = |r: SReg, bits: u64| {
        m.sregs[usize::from(r.0)] = bits as u32;
        m.sregs[usize::from(r.0) + 1] = (bits >> 32) as u32;
    };
    pair(SReg::VCC_LO, random_mask(rng));
    pair(SReg::EXEC_LO, random_mask(rng));
    pair(SReg(100), MEM + 2048);
    m.sregs[usize::from(SReg::M0.0)] = if rng.one_in(2) { rng.below(10) } else { random_value(rng) };
    m.sregs[usize::from(SReg::SCC.0)] = rng.below(2);
    m.lds_mut().iter_mut().for_each(|x| *x = random_value(rng));
    m.mem_mut().iter_mut().for_each(|x| *x = random_value(rng));
    m
}

fn random_items(rng: &mut Random, wave_size: u32, count: u32, depth: u32) -> Vec<Item> {
    (0..count)
        .map(|_| {
            let inner = 1 + rng.below(6);
            match rng.below(24) {
                0 => Item::Skip(rng.pick(&BRANCHES), random_items(rng, wave_size, inner, depth)),
                1 if depth < 2 => Item::Region(random_items(rng, wave_size, inner, depth + 1)),
                2 if depth < 2 => Item::Loop(1 + rng.below(3), random_items(rng, wave_size, inner, depth + 1)),
                3..5 => Item::Code(random_lds(rng, wave_size)),
                5..7 => Item::Code(random_global(rng, wave_size)),
                7 => Item::Code(random_special(rng, wave_size)),
                _ => Item::Code(random_alu(rng, wave_size)),
            }
        })
        .collect()
}

/// Tries until something usable comes out.
fn until_usable(rng: &mut Random, wave_size: u32, mut make: impl FnMut(&mut Random) -> Vec<u32>) -> Vec<u32> {
    loop {
        let words = make(rng);
        if let Ok(inst) = decode(&words, GFX, wave_size) {
            let words = words[..usize::from(inst.len)].to_vec();
            if is_allowed(&inst) && is_supported(&words, wave_size) {
                return words;
            }
        }
    }
}

/// Neither control flow nor a register that belongs to the frame of the program.
fn is_allowed(inst: &Inst) -> bool {
    const CONTROL: &[&str] = &[
        "s_setpc",
        "s_swappc",
        "s_call",
        "s_rfe",
        "s_setreg",
        "s_getreg",
        "s_sendmsg",
        "s_movrel",
        "v_movrel",
        "s_subvector",
        "s_version",
        "s_waitcnt",
        "s_getpc",
        "s_sleep",
        "s_barrier",
    ];
    // Not in the helper table of the tests.
    const FLOAT_ATOMICS: &[&str] = &["_f32", "_f64", "_f16", "_bf16", "gws", "append", "consume", "ordered", "bvh", "addtid", "_gs_"];
    let memory = matches!(inst.enc, Enc::DS | Enc::GLOBAL | Enc::FLAT | Enc::SMEM);
    let name = |row: &str| !(CONTROL.iter().any(|c| row.starts_with(c)) || memory && FLOAT_ATOMICS.iter().any(|c| row.contains(c)));
    let operand = |o: &Operand| match *o {
        Operand::Vgpr { n, count, .. } => n + u16::from(count) <= VGPRS || n >= BEYOND.start || (memory && (20..24).contains(&n)),
        Operand::Agpr { .. } => false,
        Operand::Sgpr { n, count } => n + count <= SGPRS || (VCC_LO..TRAP.start).contains(&n) || n >= TRAP.end || (memory && n == 100),
        Operand::Special(special) => matches!(special, Special::Vccz | Special::Execz | Special::Scc),
        _ => true,
    };
    name(inst.row.name) && inst.row_y.is_none_or(|y| name(y.name)) && inst.ops().iter().all(operand)
}

/// Has the lifter semantics for all of it?
fn is_supported(words: &[u32], wave_size: u32) -> bool {
    let mut code = words.to_vec();
    code.push(LEAVE);
    let func = lift_code(&code, GFX, wave_size, FpMode::HSA);
    !func.blocks.iter().any(|b| matches!(b.term, Term::Fail(_) | Term::Trap { .. } | Term::NewMode { .. } | Term::End | Term::Pause { .. }))
}

fn vgpr(rng: &mut Random) -> u32 {
    if rng.one_in(32) { BEYOND.start as u32 + rng.below(BEYOND.len() as u32) } else { rng.below(VGPRS.into()) }
}

fn sgpr(rng: &mut Random) -> u32 {
    match rng.below(12) {
        0 => 106,
        1 => rng.pick(&[106, 107, 124, 125, 126, 127]),
        _ => rng.below(SGPRS.into()),
    }
}

/// A scalar source code: register, inline constant, literal or special.
fn ssrc(rng: &mut Random) -> u32 {
    match rng.below(8) {
        0 => 128 + rng.below(81),
        1 => 240 + rng.below(9),
        2 => rng.pick(&[255, 253, 251, 252]),
        _ => sgpr(rng),
    }
}

/// A 9-bit source code.
fn src(rng: &mut Random) -> u32 {
    if rng.below(4) < 3 { 256 + vgpr(rng) } else { ssrc(rng) }
}

/// A bit field that is mostly zero.
fn rare(rng: &mut Random, bits: u32) -> u32 {
    if rng.one_in(3) { rng.below(1 << bits) } else { 0 }
}

/// What follows a VOP1, VOP2 or VOPC instruction whose source 0 says so, or a literal, or nothing (the decoder says how much it took).
fn vop_tail(rng: &mut Random) -> Vec<u32> {
    vec![random_value(rng), random_value(rng), random_value(rng), random_value(rng)]
}

/// Source 0 and, if it is a DPP marker, the DPP dword.
fn dpp(rng: &mut Random) -> (u32, u32) {
    if rng.one_in(3) {
        return (rng.pick(&[0xe9, 0xea]), vgpr(rng) | rng.below(1 << 24) << 8);
    }
    let controls = [rng.below(256), 0x100 | rng.below(64), 0x140 | rng.below(2), 0x150 | rng.below(32)];
    let control = rng.pick(&controls);
    let masks = if rng.one_in(2) { 0xff } else { rng.below(256) };
    (0xfa, vgpr(rng) | control << 8 | rng.below(4) << 18 | rare(rng, 4) << 20 | masks << 24)
}

/// VALU and SALU instructions of all formats.
fn random_alu(rng: &mut Random, wave_size: u32) -> Vec<u32> {
    until_usable(rng, wave_size, |rng| {
        let mut words = match rng.below(16) {
            0 => vec![0xbe80_0000 | sgpr(rng) << 16 | rng.below(128) << 8 | ssrc(rng)],
            1 | 2 => vec![0x8000_0000 | rng.below(64) << 23 | sgpr(rng) << 16 | ssrc(rng) << 8 | ssrc(rng)],
            3 => vec![0xbf00_0000 | rng.below(128) << 16 | ssrc(rng) << 8 | ssrc(rng)],
            4 => vec![0xb000_0000 | rng.below(32) << 23 | sgpr(rng) << 16 | (random_value(rng) & 0xffff)],
            5 | 6 => {
                let (head, dpp) = vop_head(rng);
                let source = if dpp.is_some() { 0 } else { src(rng) };
                let mut words = vec![head | source];
                if let Some((marker, dword)) = dpp {
                    words = vec![head | marker, dword];
                }
                words
            }
            7 | 8 => vec![rng.below(64) << 25 | vgpr(rng) << 17 | vgpr(rng) << 9 | src(rng)],
            9 => vec![0x7c00_0000 | rng.below(256) << 17 | vgpr(rng) << 9 | src(rng)],
            10..14 => {
                // The opcodes of VOPC, VOP2 and VOP1 promoted, then VOP3's own, VOP3SD's, and those with a scalar destination.
                let op = match rng.below(8) {
                    0 => rng.below(256),
                    1 => 0x100 + rng.below(64),
                    2 => 0x180 + rng.below(128),
                    _ => 0x200 + rng.below(0x180),
                };
                let destination = if rng.one_in(4) { sgpr(rng) | (rng.below(2) * (sgpr(rng) << 8)) } else { vgpr(rng) };
                let plain = rng.one_in(2);
                let modifiers = if plain { 0 } else { rare(rng, 3) << 8 | rare(rng, 4) << 11 | rare(rng, 1) << 15 };
                let signs = if plain { 0 } else { rare(rng, 2) << 27 | rare(rng, 3) << 29 };
                let (first, tail) = if rng.one_in(8) {
                    let (marker, dword) = dpp(rng);
                    (marker, vec![dword])
                } else {
                    (src(rng), vec![])
                };
                // The number of sources follows from the opcode range, more or less; a source too many is refused.
                let second = if (0x180..0x200).contains(&op) { 0 } else { src(rng) << 9 };
                let third = if (0x200..0x300).contains(&op) != rng.one_in(4) { src(rng) << 18 } else { 0 };
                let sources = first | second | third;
                let mut words = vec![0xd400_0000 | op << 16 | modifiers | destination, sources | signs];
                words.extend(tail);
                words
            }
            14 => {
                let modifiers = rare(rng, 3) << 8 | rare(rng, 3) << 11 | rng.below(2) << 14 | rare(rng, 1) << 15;
                let sources = src(rng) | src(rng) << 9 | if rng.one_in(3) { 0 } else { src(rng) << 18 };
                let halves = if rng.one_in(2) { 3 } else { rng.below(4) };
                vec![0xcc00_0000 | rng.below(128) << 16 | modifiers | vgpr(rng), sources | halves << 27 | rare(rng, 3) << 29]
            }
            // VOPD: the destinations have different parities, the least bit of Y's is not encoded.
            _ => vec![
                0xc800_0000 | rng.below(14) << 22 | rng.below(19) << 17 | vgpr(rng) << 9 | src(rng),
                vgpr(rng) << 24 | (vgpr(rng) >> 1) << 17 | vgpr(rng) << 9 | src(rng),
            ],
        };
        words.extend(vop_tail(rng));
        words.truncate(5);
        words
    })
}

/// A VOP1, VOP2 or VOPC head without source 0, for DPP forms and VOP1.
fn vop_head(rng: &mut Random) -> (u32, Option<(u32, u32)>) {
    let vop1 = 0x7e00_0000 | vgpr(rng) << 17 | rng.below(128) << 9;
    match rng.below(6) {
        0 => (vop1, Some(dpp(rng))),
        1 => (rng.below(64) << 25 | vgpr(rng) << 17 | vgpr(rng) << 9, Some(dpp(rng))),
        2 => (0x7c00_0000 | rng.below(256) << 17 | vgpr(rng) << 9, Some(dpp(rng))),
        _ => (vop1, None),
    }
}

/// `v_and_b32 v20, 0x1f8, vN` and an LDS access there.
fn random_lds(rng: &mut Random, wave_size: u32) -> Vec<u32> {
    let mut words = vec![0x3628_00ff | vgpr(rng) << 9, 0x1f8];
    words.extend(until_usable(rng, wave_size, |rng| {
        let offsets = rng.below(16) << 3 | (rng.below(2) * rng.below(8)) << 8;
        let registers =
            20 | vgpr(rng) << 8 | if rng.one_in(2) { vgpr(rng) << 16 } else { 0 } | if rng.one_in(4) { 0 } else { vgpr(rng) << 24 };
        vec![0xd800_0000 | rng.below(256) << 18 | offsets, registers]
    }));
    words
}

/// `v_and_b32 v20, 0x1f8, vN`, then a global access at s\[100:101\] + v20, or at v\[22:23\] made from it.
fn random_global(rng: &mut Random, wave_size: u32) -> Vec<u32> {
    let mut words = vec![0x3628_00ff | vgpr(rng) << 9, 0x1f8];
    let absolute = rng.one_in(2);
    if absolute {
        words.extend([0x4a2c_28ff, MEM as u32 + 1024, 0x7e2e_0280]); // v_add_nc_u32 v22, MEM + 1024, v20; v_mov_b32 v23, 0
    }
    words.extend(until_usable(rng, wave_size, |rng| {
        let offset = (rng.below(64) << 3).wrapping_sub(256) & 0x1fff;
        let address = if absolute { 22 | 124 << 16 } else { 20 | 100 << 16 };
        let registers = address | vgpr(rng) << 8 | vgpr(rng) << 24;
        // Flat offsets are not negative.
        let (segment, offset) = if absolute && rng.one_in(3) { (0, offset & 0x1f8) } else { (2, offset) };
        vec![0xdc00_0000 | rng.below(128) << 18 | segment << 16 | rng.below(2) << 14 | offset, registers]
    }));
    words
}

/// What random bits would hit too seldom, or what does more than compute: lane access, pauses, changes of MODE, scalar loads.
fn random_special(rng: &mut Random, wave_size: u32) -> Vec<u32> {
    match rng.below(8) {
        0 => vec![rng.pick(&[0xbfbd_0000, 0xbf83_0001])], // s_barrier, s_sleep 1
        1 => vec![sopp(0x11, rng.below(16) as i32)],      // s_round_mode
        2 => vec![sopp(0x12, rng.below(16) as i32)],      // s_denorm_mode
        3 => until_usable(rng, wave_size, |rng| {
            let head = 0xf400_0000 | rng.below(8) << 18 | sgpr(rng) << 6 | 50; // s[100:101]
            vec![head, 124 << 25 | (rng.below(256) << 2)]
        }),
        _ => until_usable(rng, wave_size, |rng| {
            // v_permlane16, v_permlanex16, v_readlane, v_writelane
            let op = rng.pick(&[0x25b, 0x25c, 0x360, 0x361]);
            let destination = if op == 0x360 { sgpr(rng) } else { vgpr(rng) };
            let sources = src(rng) | ssrc(rng) << 9 | if op < 0x300 { ssrc(rng) << 18 } else { 0 };
            vec![0xd400_0000 | op << 16 | rare(rng, 2) << 11 | destination, sources, random_value(rng)]
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removing_items_counts_parents_before_children() {
        let code = |n| Item::Code(vec![n]);
        let items = vec![code(1), Item::Loop(2, vec![code(3), Item::Region(vec![code(5)])]), code(6)];
        assert_eq!(size(&items), 6);
        let left = |n, inline| flatten(&without(&items, n, inline), 32, 0).into_iter().filter(|w| *w < 10).collect::<Vec<_>>();
        assert_eq!(left(0, false), [3, 5, 6]);
        assert_eq!(left(1, false), [1, 6]);
        assert_eq!(left(1, true), [1, 3, 5, 6]);
        assert_eq!(left(3, false), [1, 3, 6]);
        assert_eq!(left(4, false), [1, 3, 6]);
    }
}
