//! `wavejit emit`: the host code of a kernel, or of a few instructions, as Cranelift IR and as host instructions.

use super::code::{CodeArgs, LiftedCode};
use super::lift::BARE;
use super::progress::Progress;
use super::value::AccuracyArg;
use anyhow::{Context, Result};
use iced_x86::{Decoder, DecoderOptions, Formatter, GasFormatter};
use wavejit_ir::Ids;
use wavejit_isa::Feature;
use wavejit_jit::emit::{EmitOptions, HostCode, Isa, compile_to_text, wide_code};
use wavejit_jit::opt::{self, one_ulp::one_ulp};

fn help() -> String {
    let examples = "\
Examples:
  wavejit emit kernels.hsaco --kernel saxpy
  wavejit emit --asm 'v_add_f32 v0, v1, v2'
  wavejit emit --hex '06000501' --mcpu gfx1100";
    format!("{BARE}\n\n{}\n\n{examples}", super::hex::SYNTAX)
}

/// Print the host code of a kernel or of a few instructions: its AVX-512 or AVX2 instructions under the guest addresses they stand for, or, with
/// `--isa portable`, Cranelift IR and host instructions of each function made.
#[derive(clap::Args, Debug)]
#[command(after_help = help())]
pub(crate) struct EmitArgs {
    #[command(flatten)]
    code: CodeArgs,
    /// Which back end; without it, what this host would run.
    #[arg(long, value_name = "ISA")]
    isa: Option<IsaArg>,
    /// As for launches with workgroups of this size, such as 64 or 16,16: what that says of work-item ids goes into the code.
    #[arg(long, value_name = "X,Y,Z", value_delimiter = ',')]
    group: Vec<u32>,
    /// How near to the exact results v_rsq_f32, v_exp_f32 and v_log_f32 are.
    #[arg(long, value_enum, default_value = "nearest")]
    accuracy: AccuracyArg,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum IsaArg {
    /// Cranelift.
    Portable,
    /// Whole waves in AVX2 registers.
    Avx2,
    /// Whole waves in AVX-512 registers.
    Avx512,
}

/// Code that the passes have run on, and how to compile it.
pub(crate) struct Ready {
    pub code: LiftedCode,
    pub options: EmitOptions,
}

impl EmitArgs {
    /// Lifts the code, and runs the passes.
    pub(crate) fn ready(&self) -> Result<Ready> {
        let mut code = self.code.lift()?;
        let keep_final_state = code.keep_final_state;
        if !self.group.is_empty() {
            let group = std::array::from_fn(|i| self.group.get(i).copied().unwrap_or(1));
            code.func.ids = Ids::of(code.target.has(Feature::PackedWorkItemIds), code.func.wave_size, group, [0; 3]);
        }
        if self.accuracy == AccuracyArg::OneUlp {
            one_ulp(&mut code.func);
        }
        let isa = match self.isa {
            None => Isa::Best,
            Some(IsaArg::Portable) => Isa::Portable,
            Some(IsaArg::Avx2) => Isa::Avx2,
            Some(IsaArg::Avx512) => Isa::Avx512,
        };
        opt::run(&mut code.func, isa.passes(keep_final_state));
        Ok(Ready { code, options: EmitOptions { keep_final_state, isa, ..EmitOptions::default() } })
    }
}

/// Runs it.
pub(crate) fn emit_command(args: &EmitArgs) -> Result<()> {
    let Ready { code, options } = args.ready()?;
    let progress = Progress::start(&format!("compiling {}", code.func.name), None);
    let wide = options.isa.is_wide();
    let text = if wide { wide_code(&code.func, &options).map(listing) } else { compile_to_text(&code.func, &options) };
    let text = text.context(code.origin)?;
    drop(progress);
    super::print(&text)
}

/// Instructions, each group under the guest address it stands for.
fn listing(code: HostCode) -> String {
    let mut text = String::new();
    let mut formatter = GasFormatter::new();
    let mut decoder = Decoder::with_ip(64, &code.bytes, 0, DecoderOptions::NONE);
    let mut map = code.map.into_iter().peekable();
    while decoder.can_decode() {
        let i = decoder.decode();
        while let Some((_, pc)) = map.next_if(|(at, _)| u64::from(*at) <= i.ip()) {
            if map.peek().is_none_or(|(at, _)| u64::from(*at) > i.ip()) {
                text.push_str(&format!("; {pc:#x}\n"));
            }
        }
        text.push_str(&format!("{:6x}:  ", i.ip()));
        formatter.format(&i, &mut text);
        text.push('\n');
    }
    text
}
