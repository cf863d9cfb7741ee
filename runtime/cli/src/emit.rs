//! `wavejit emit`: the host code of a kernel, or of a few instructions, as Cranelift IR and as host instructions.

use super::code::CodeArgs;
use super::lift::BARE;
use super::progress::Progress;
use anyhow::{Context, Result};
use wavejit_jit::emit::{EmitOptions, compile_to_text};
use wavejit_jit::opt::{self, OptOptions};

fn help() -> String {
    let examples = "\
Examples:
  wavejit emit kernels.hsaco --kernel saxpy
  wavejit emit --asm 'v_add_f32 v0, v1, v2'
  wavejit emit --hex '06000501' --mcpu gfx1100";
    format!("{BARE}\n\n{}\n\n{examples}", super::hex::SYNTAX)
}

/// Print the host code of a kernel or of a few instructions: Cranelift IR, then host instructions, of each function made.
#[derive(clap::Args, Debug)]
#[command(after_help = help())]
pub struct EmitArgs {
    #[command(flatten)]
    code: CodeArgs,
}

/// Runs it.
pub fn emit_command(args: &EmitArgs) -> Result<()> {
    let mut code = args.code.lift()?;
    let keep_final_state = code.keep_final_state;
    let progress = Progress::start(&format!("compiling {}", code.func.name), None);
    opt::run(&mut code.func, OptOptions { keep_final_state });
    let text = compile_to_text(&code.func, &EmitOptions { keep_final_state, ..EmitOptions::default() }).context(code.origin)?;
    drop(progress);
    super::print(&text)
}
