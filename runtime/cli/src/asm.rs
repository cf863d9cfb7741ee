//! `wavejit asm`: assembly text to machine code, in LLVM's syntax; the inverse of `wavejit disasm`.

use anyhow::{Context, Result};
use std::fmt::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  echo 'v_add_f32 v0, v1, s2 clamp' | wavejit asm -
  wavejit asm loop.s --mcpu gfx900 --out loop.bin
  wavejit asm loop.s --hex | wavejit disasm --hex -";

/// Turn assembly text into machine code.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AsmArgs {
    /// Source, one instruction a line (- for standard input). Labels, `//` and `;` comments, .long, .fill and .p2align are understood; other
    /// directives are left out.
    file: PathBuf,
    /// Processor, such as gfx1100, fiji or gfx11-generic.
    #[arg(long, default_value = "gfx1100")]
    mcpu: String,
    /// Wave size, 32 or 64; default: 32 from gfx10 on, else 64.
    #[arg(long)]
    wave: Option<u32>,
    /// Write the bare code to this file (- for standard output) instead of a listing.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print one line of bytes in memory order for each instruction, as `wavejit disasm --hex` reads them.
    #[arg(long, conflicts_with = "out")]
    hex: bool,
}

/// Runs it.
pub(crate) fn asm_command(args: &AsmArgs) -> Result<()> {
    let target = super::processor(&args.mcpu)?;
    let wave_size = super::code::wave_size(args.wave, target.default_wave_size())?;
    let source = super::read_file(&args.file)?;
    let source = String::from_utf8(source).with_context(|| format!("{}: not UTF-8 text", args.file.display()))?;
    let origin = if args.file.as_os_str() == "-" { "standard input".to_string() } else { args.file.display().to_string() };
    let code = super::code::assembled(&origin, &source, target, wave_size)?;
    if let Some(out) = &args.out {
        if out.as_os_str() == "-" {
            return Ok(std::io::Write::write_all(&mut std::io::stdout().lock(), &code.bytes)?);
        }
        return std::fs::write(out, &code.bytes).with_context(|| out.display().to_string());
    }
    let lines: Vec<&str> = source.lines().collect();
    let mut text = String::new();
    let ends = code.lines.iter().skip(1).map(|l| l.0).chain([code.bytes.len() as u64]);
    for (&(offset, line), end) in code.lines.iter().zip(ends) {
        let bytes = &code.bytes[offset as usize..end as usize];
        if args.hex {
            let pairs: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
            let _ = writeln!(text, "{}", pairs.join(" "));
        } else {
            let dwords: Vec<String> = super::code::dwords(bytes).iter().map(|w| format!("{w:08X}")).collect();
            let _ = writeln!(text, "{}\t// {offset:08X}: {}", lines[line - 1].trim(), dwords.join(" "));
        }
    }
    super::print(&text)
}
