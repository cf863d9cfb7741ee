//! "This code", as `disasm`, `lift` and `emit` take it: a kernel of a file, or bare machine code as assembly text (`--asm`), hexadecimal
//! (`--hex`) or a file of bytes (`--raw`).

use super::hex;
use anyhow::{Context, Result, bail};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use wavejit::code_object::{CodeObject, PgmRsrc};
use wavejit_ir::{FpMode, Func};
use wavejit_isa::asm::Assembled;
use wavejit_isa::{DisasmOptions, Gfx, assemble, decode, disasm};
use wavejit_jit::lift::{ALL_VGPRS, LiftSource, lift};

/// Processor of bare code if `--mcpu` names none.
const DEFAULT_PROCESSOR: &str = "gfx1100";
/// COMPUTE_PGM_RSRC1 of a kernel as compilers make it: nearest even, denormals of f64 and f16 and of f32 kept, DX10_CLAMP, IEEE.
const USUAL_RSRC1: u32 = 0xf0 << 12 | 1 << 21 | 1 << 23;

/// What to look at.
#[derive(clap::Args, Debug)]
pub(crate) struct CodeArgs {
    /// Code object, offload bundle, program with HIP device code, or source file (.cl, .hip, .cpp, .s).
    #[arg(required_unless_present_any = ["asm", "hex", "raw"], conflicts_with_all = ["asm", "hex", "raw", "mcpu"])]
    file: Option<PathBuf>,
    /// Kernel or function of FILE.
    #[arg(long, requires = "file", conflicts_with_all = ["asm", "hex", "raw"])]
    pub kernel: Option<String>,
    /// Target to take from a bundle, such as gfx1100 or gfx90a:xnack+.
    #[arg(long, requires = "file", conflicts_with_all = ["asm", "hex", "raw"])]
    pub target: Option<String>,
    /// Instructions in assembly language, separated by `;` or line ends.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["hex", "raw"])]
    asm: Option<String>,
    /// Instructions in hexadecimal, one a line (see below); or the name of a file of such lines, - for standard input.
    #[arg(long, value_name = "CODE|FILE", conflicts_with = "raw")]
    hex: Option<String>,
    /// A file of bare machine code, - for standard input.
    #[arg(long, value_name = "FILE")]
    raw: Option<PathBuf>,
    /// Processor of --asm, --hex and --raw code, such as gfx1100, fiji or gfx11-generic; gfx1100 if it is not given.
    #[arg(long)]
    mcpu: Option<String>,
    /// Wave size, 32 or 64; default: the kernel's, else 32 from gfx10 on.
    #[arg(long)]
    wave: Option<u32>,
}

/// Code without a file around it.
pub(crate) struct BareCode {
    pub target: Gfx,
    pub wave_size: u32,
    pub text: BareText,
}

/// What was given.
pub(crate) enum BareText {
    /// One instruction a line, in hexadecimal.
    Hex(String),
    Bytes(Vec<u8>),
}

/// The function of some code, before any pass.
pub(crate) struct LiftedCode {
    pub func: Func,
    /// Must registers be kept to the end? Of bare code they are the result.
    pub keep_final_state: bool,
    /// Processor.
    pub target: Gfx,
    /// Where it came from, for messages.
    pub origin: String,
    /// Its instructions as text, by address.
    pub guest: HashMap<u64, String>,
}

impl CodeArgs {
    /// The file, with what is in it.
    pub(crate) fn object(&self) -> Result<Option<(&Path, CodeObject)>> {
        let Some(file) = &self.file else { return Ok(None) };
        Ok(Some((file, self.load(file, None)?)))
    }

    fn load(&self, file: &Path, kernel: Option<&str>) -> Result<CodeObject> {
        let bytes = super::read_code(file, self.target.as_deref(), &Default::default())?;
        super::load(file, &bytes, self.target.as_deref(), kernel)
    }

    /// The wave size that is asked for, or `default`.
    pub(crate) fn wave_size(&self, default: u32) -> Result<u32> {
        wave_size(self.wave, default)
    }

    /// Code that is not in a code object.
    pub(crate) fn bare(&self) -> Result<BareCode> {
        let target = super::processor(self.mcpu.as_deref().unwrap_or(DEFAULT_PROCESSOR))?;
        let wave_size = self.wave_size(target.default_wave_size())?;
        let text = match self {
            CodeArgs { asm: Some(text), .. } => {
                // Here `;` ends an instruction: in a file it begins a comment.
                BareText::Bytes(assembled("--asm", &text.replace(';', "\n"), target, wave_size)?.bytes)
            }
            CodeArgs { hex: Some(code), .. } => BareText::Hex(hex_lines(code)?),
            CodeArgs { raw: Some(file), .. } => BareText::Bytes(super::read_file(file)?),
            _ => bail!("expected a file, --asm, --hex or --raw"),
        };
        Ok(BareCode { target, wave_size, text })
    }

    /// The wave IR of the kernel, or of bare code: that which does not end gets an s_endpgm.
    pub(crate) fn lift(&self) -> Result<LiftedCode> {
        let Some(file) = &self.file else { return self.bare()?.lift() };
        let object = self.load(file, self.kernel.as_deref())?;
        let kernel = super::one_kernel(file, &object, self.kernel.as_deref())?;
        let image = object.image(0).with_context(|| file.display().to_string())?;
        let read = |address: u64| image.dword(address);
        let wave_size = self.wave_size(kernel.wave_size)?;
        let func = lift(&LiftSource {
            name: &kernel.name,
            entry: kernel.code_address,
            target: kernel.target,
            wave_size,
            mode: kernel.descriptor.rsrc.fp_mode(kernel.target),
            vgprs: kernel.descriptor.rsrc.allocated_vgprs(kernel.target, wave_size),
            read: &read,
        });
        let origin = format!("{}: kernel `{}`", file.display(), func.name);
        let guest = guest_text(&func, kernel.target, &read);
        Ok(LiftedCode { func, target: kernel.target, keep_final_state: false, origin, guest })
    }
}

impl BareCode {
    fn lift(&self) -> Result<LiftedCode> {
        let mut bytes = match &self.text {
            BareText::Bytes(bytes) => bytes.clone(),
            BareText::Hex(text) => hex_bytes(text)?,
        };
        if bytes.is_empty() || !bytes.len().is_multiple_of(4) {
            bail!("{} bytes of code: expected one or more whole dwords", bytes.len());
        }
        bytes.extend(assembled("the end", "s_endpgm", self.target, self.wave_size)?.bytes);
        let words = dwords(&bytes);
        let read = |address: u64| words.get(usize::try_from(address / 4).ok()?).copied();
        let func = lift(&LiftSource {
            name: "code",
            entry: 0,
            target: self.target,
            wave_size: self.wave_size,
            mode: usual_mode(self.target),
            vgprs: ALL_VGPRS,
            read: &read,
        });
        let guest = guest_text(&func, self.target, &read);
        Ok(LiftedCode { func, target: self.target, keep_final_state: true, origin: format!("{} code", self.target), guest })
    }
}

/// The instructions that a function was lifted from, as text.
fn guest_text(func: &Func, target: Gfx, read: &dyn Fn(u64) -> Option<u32>) -> HashMap<u64, String> {
    let options = DisasmOptions { wave_size: func.wave_size, true16: false, pc: None };
    let text = |pc: u64| {
        let words: Vec<u32> = (0..5).map_while(|n| read(pc + 4 * n)).collect();
        Some((pc, disasm(&decode(&words, target, func.wave_size).ok()?, target, &options)))
    };
    func.blocks.iter().flat_map(|b| b.insts.iter().map(|i| i.pc).chain([b.term_pc])).filter_map(text).collect()
}

/// The float mode that compilers give kernels.
fn usual_mode(target: Gfx) -> FpMode {
    PgmRsrc { rsrc1: USUAL_RSRC1, rsrc2: 0, rsrc3: 0 }.fp_mode(target)
}

/// A wave size as an option gives it, or `default`.
pub(crate) fn wave_size(asked: Option<u32>, default: u32) -> Result<u32> {
    match asked.unwrap_or(default) {
        n @ (32 | 64) => Ok(n),
        n => bail!("--wave {n}: expected 32 or 64"),
    }
}

/// Assembles a text; the error names where it came from and every line that is wrong.
pub(crate) fn assembled(origin: &str, source: &str, target: Gfx, wave_size: u32) -> Result<Assembled> {
    assemble(source, target, wave_size).map_err(|errors| {
        let text: Vec<String> = errors.iter().take(20).map(|e| format!("{origin}: {e}")).collect();
        let more = errors.len().saturating_sub(20);
        let tail = if more > 0 { format!("\n... and {more} more") } else { String::new() };
        anyhow::anyhow!("{}{tail}", text.join("\n"))
    })
}

/// Little-endian dwords of bytes, as many as are whole.
pub(crate) fn dwords(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// The value of `--hex`: code if it is hexadecimal, else the contents of the file of that name.
fn hex_lines(value: &str) -> Result<String> {
    let inline = hex_bytes(value);
    if inline.as_ref().is_ok_and(|bytes| !bytes.is_empty()) {
        return Ok(value.to_string());
    }
    if value != "-" && !Path::new(value).exists() {
        match inline {
            Err(why) => bail!("--hex: {why:#}; nor is there a file of this name"),
            Ok(_) => bail!("--hex `{value}`: there is no code in it"),
        }
    }
    Ok(String::from_utf8_lossy(&super::read_file(Path::new(value))?).into_owned())
}

/// All lines of hexadecimal code, one behind the other.
fn hex_bytes(text: &str) -> Result<Vec<u8>> {
    let mut bytes = vec![];
    for (i, line) in text.lines().enumerate() {
        bytes.extend(hex::line_bytes(line).with_context(|| format!("line {}", i + 1))?);
    }
    Ok(bytes)
}
