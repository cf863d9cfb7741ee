//! `wavejit disasm`: machine code as text, in LLVM's syntax.
//!
//! A code object is printed with kernel labels, as `llvm-objdump -d` lays it out; `--hex`, one instruction per line, with one line of text
//! for each; `--raw` and `--asm` as a stream of bytes.

use super::code::{BareText, CodeArgs, dwords};
use super::hex;
use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::io::{BufWriter, Write};
use wavejit::code_object::{CodeObject, KernelInfo, Segment, Symbol, SymbolKind};
use wavejit_isa::disasm::needs_true16;
use wavejit_isa::{DisasmOptions, Enc, Gfx, Inst, Operand, decode, disasm};

fn help() -> String {
    let examples = "\
Examples:
  wavejit disasm kernels.hsaco
  wavejit disasm kernels.hsaco --kernel saxpy
  echo '01 02 04 7e' | wavejit disasm --mcpu gfx1100 --hex -
  echo '0010: 0x7e040201, // v_mov_b32' | wavejit disasm --hex -
  wavejit disasm --hex '7e040201'
  wavejit disasm --asm 'v_add_f32 v0, v1, v2; s_endpgm' --mcpu gfx900
  wavejit disasm --mcpu gfx1100 --wave 64 --raw code.bin";
    let forms = "\
--hex prints exactly one line of text for each line of input, `<invalid>` for what is not an instruction; --raw and --asm print
`TEXT<tab>// OFFSET: DWORDS`, with `.long` for what is not an instruction.";
    format!("{forms}\n\n{}\n\n{examples}", hex::SYNTAX)
}

/// Print machine code as text, in LLVM's syntax.
#[derive(clap::Args, Debug)]
#[command(after_help = help())]
pub(crate) struct DisasmArgs {
    #[command(flatten)]
    code: CodeArgs,
    /// Print halves of registers as v0.l and v0.h, as LLVM does with +real-true16.
    #[arg(long)]
    true16: bool,
}

/// Runs it.
pub(crate) fn disasm_command(args: &DisasmArgs) -> Result<()> {
    if let Some((file, object)) = args.code.object()? {
        let mut out = BufWriter::new(std::io::stdout().lock());
        write_object(&mut out, args, file, &object)?;
        return Ok(out.flush()?);
    }
    let code = args.code.bare()?;
    let style = Style { target: code.target, wave_size: code.wave_size, true16: args.true16 };
    match &code.text {
        BareText::Hex(lines) => {
            let mut not_hex = lines.lines().enumerate().filter_map(|(i, line)| Some((i + 1, hex::line_bytes(line).err()?)));
            if let Some((line, why)) = not_hex.next() {
                let more = not_hex.count();
                eprintln!("line {line}: {why:#}{}", if more > 0 { format!(" (and {more} more such lines)") } else { String::new() });
            }
            super::print(&lines.lines().map(|line| style.hex_line(line) + "\n").collect::<String>())
        }
        BareText::Bytes(bytes) => super::print(&style.stream(bytes)),
    }
}

/// How to print instructions.
#[derive(Clone, Copy)]
struct Style {
    target: Gfx,
    wave_size: u32,
    true16: bool,
}

impl Style {
    /// The instruction at the start of `words`. As in LLVM, high halves of registers in 32-bit formats are true16 syntax or nothing.
    fn decode(&self, words: &[u32]) -> Option<Inst> {
        let inst = decode(&words[..words.len().min(5)], self.target, self.wave_size).ok()?;
        (self.true16 || !needs_true16(&inst)).then_some(inst)
    }

    fn text(&self, inst: &Inst) -> String {
        disasm(inst, self.target, &DisasmOptions { wave_size: self.wave_size, true16: self.true16, pc: None })
    }

    /// One line of `--hex`: all of the bytes must be one instruction.
    fn hex_line(&self, line: &str) -> String {
        let bytes = hex::line_bytes(line).unwrap_or_default();
        let words = dwords(&bytes);
        match self.decode(&words) {
            Some(inst) if inst.bytes() as usize == bytes.len() => self.text(&inst),
            _ => "<invalid>".to_string(),
        }
    }

    /// All of `--raw`. Bytes after the last whole dword are printed one by one.
    fn stream(&self, bytes: &[u8]) -> String {
        let words = dwords(bytes);
        let mut out = String::new();
        let mut at = 0;
        while at < words.len() {
            let (text, len) = match self.decode(&words[at..]) {
                Some(inst) => (self.text(&inst), usize::from(inst.len)),
                None => (long(words[at]), 1),
            };
            let _ = writeln!(out, "{text}\t// {:08X}: {}", 4 * at, hex_words(&words[at..at + len]));
            at += len;
        }
        for (i, byte) in bytes.iter().enumerate().skip(4 * words.len()) {
            let _ = writeln!(out, ".byte {byte:#04x}\t// {i:08X}: {byte:02X}");
        }
        out
    }
}

fn long(word: u32) -> String {
    format!(".long {word:#010x}")
}

fn hex_words(words: &[u32]) -> String {
    words.iter().map(|w| format!("{w:08X}")).collect::<Vec<_>>().join(" ")
}

/// All executable segments, as `llvm-objdump -d` prints them; with `--kernel`, only what belongs to it.
fn write_object(out: &mut impl Write, args: &DisasmArgs, file: &std::path::Path, object: &CodeObject) -> Result<()> {
    let image = object.image(0).with_context(|| file.display().to_string())?;
    // .symtab and .dynsym name the same things; the loader has made them one list.
    let labels: Vec<Symbol> = object.symbols().filter(|s| !s.name.ends_with(".kd") && s.kind != SymbolKind::Lds).collect();
    let wave_sizes = WaveSizes::of(object.kernels());
    let wanted = args.code.kernel.as_deref().map(|name| extent(&labels, name.trim_end_matches(".kd"), &wave_sizes));
    if let (Some(None), Some(name)) = (&wanted, &args.code.kernel) {
        super::kernel(file, object, name)?; // says which kernels there are
        bail!("{}: kernel `{name}` has no code symbol", file.display())
    }
    let wanted = wanted.flatten().unwrap_or(0..u64::MAX);
    writeln!(out, "\n{}:\tfile format elf64-amdgpu", file.display())?;
    for segment in object.segments().iter().filter(|s| s.executable) {
        writeln!(out, "\nDisassembly of section .text:")?;
        let end = segment.address + segment.bytes;
        let inside: Vec<Symbol> = labels.iter().copied().filter(|s| (segment.address..end).contains(&s.address)).collect();
        for range in label_ranges(segment, &inside) {
            let (start, end) = (range.start.max(wanted.start), range.end.min(wanted.end));
            if start >= end {
                continue;
            }
            let style =
                Style { target: object.target().processor, wave_size: args.code.wave_size(wave_sizes.at(start))?, true16: args.true16 };
            if let Some(label) = range.label {
                writeln!(out, "\n{start:016x} <{label}>:")?;
            }
            listing(out, &style, &image.dwords(start, end - start), start, &inside)?;
        }
    }
    Ok(())
}

/// The code of a kernel or function: as much as its symbol says; if that says nothing, all up to the next function or kernel. Labels in
/// between, which have neither type nor size, belong to it.
fn extent(labels: &[Symbol], name: &str, kernels: &WaveSizes) -> Option<std::ops::Range<u64>> {
    let symbol = labels.iter().find(|s| s.name == name)?;
    let start = symbol.address;
    if symbol.bytes > 0 {
        return Some(start..start.saturating_add(symbol.bytes));
    }
    let function = labels.iter().find(|s| s.kind == SymbolKind::Function && s.address > start).map(|s| s.address);
    let kernel = kernels.next_after(start);
    Some(start..function.into_iter().chain(kernel).min().unwrap_or(u64::MAX))
}

/// Where kernels begin, in order, and their wave sizes.
struct WaveSizes(Vec<(u64, u32)>);

impl WaveSizes {
    fn of(kernels: &[KernelInfo]) -> WaveSizes {
        let mut all: Vec<_> = kernels.iter().map(|k| (k.code_address, k.wave_size)).collect();
        all.sort_unstable();
        WaveSizes(all)
    }

    /// Wave size of the kernel at or before an address; functions are compiled like the kernels around them.
    fn at(&self, address: u64) -> u32 {
        let after = self.0.partition_point(|k| k.0 <= address);
        self.0.get(after.saturating_sub(1)).map_or(32, |k| k.1)
    }

    fn next_after(&self, address: u64) -> Option<u64> {
        self.0.get(self.0.partition_point(|k| k.0 <= address)).map(|k| k.0)
    }
}

/// A stretch of code with at most one label.
struct Range<'a> {
    label: Option<&'a str>,
    start: u64,
    end: u64,
}

fn label_ranges<'a>(segment: &Segment, symbols: &[Symbol<'a>]) -> Vec<Range<'a>> {
    let end = segment.address + segment.file_bytes;
    let mut ranges = Vec::new();
    let first = symbols.first().map_or(end, |s| s.address);
    if first > segment.address {
        ranges.push(Range { label: None, start: segment.address, end: first });
    }
    for (i, symbol) in symbols.iter().enumerate() {
        let next = symbols.get(i + 1).map_or(end, |s| s.address);
        if next > symbol.address {
            ranges.push(Range { label: Some(symbol.name), start: symbol.address, end: next.min(end) });
        }
    }
    ranges.retain(|r| r.start < r.end);
    ranges
}

fn listing(out: &mut impl Write, style: &Style, code: &[u32], start: u64, symbols: &[Symbol]) -> Result<()> {
    let mut at = 0;
    while at < code.len() {
        // As llvm-objdump: eight or more zero bytes are left out.
        let zeros = code[at..].iter().take_while(|w| **w == 0).count();
        if zeros >= 2 || zeros == code.len() - at && zeros > 0 {
            writeln!(out, "\t\t...")?;
            at += zeros;
            continue;
        }
        let pc = start + 4 * at as u64;
        let (text, len, branch) = match style.decode(&code[at..]) {
            Some(inst) => (style.text(&inst), usize::from(inst.len), branch_target(&inst, pc)),
            None => (long(code[at]), 1, None),
        };
        let place = branch.and_then(|target| place_name(symbols, target)).map_or(String::new(), |name| format!(" <{name}>"));
        writeln!(out, "\t{text:<59}// {pc:012X}: {}{place}", hex_words(&code[at..at + len]))?;
        at += len;
    }
    Ok(())
}

/// Where a direct branch goes.
fn branch_target(inst: &Inst, pc: u64) -> Option<u64> {
    let is_branch = inst.enc == Enc::SOPP && (inst.name() == "s_branch" || inst.name().starts_with("s_cbranch_"));
    match inst.ops().first() {
        Some(Operand::Imm(offset)) if is_branch => Some(pc.wrapping_add(4).wrapping_add_signed(i64::from(*offset as u16 as i16) * 4)),
        _ => None,
    }
}

/// `symbol+0x14` for an address.
fn place_name(symbols: &[Symbol], address: u64) -> Option<String> {
    let after = symbols.partition_point(|s| s.address <= address);
    let symbol = symbols.get(after.checked_sub(1)?)?;
    Some(match address - symbol.address {
        0 => symbol.name.to_string(),
        offset => format!("{}+{offset:#x}", symbol.name),
    })
}
