//! `wavejit lift`: the wave IR of a kernel, or of a few instructions.

use super::code::CodeArgs;
use super::hex;
use anyhow::Result;
use wavejit_ir as ir;
use wavejit_jit::emit::Isa;
use wavejit_jit::opt;

fn help() -> String {
    let examples = "\
Examples:
  wavejit lift kernels.hsaco --kernel saxpy --optimized
  wavejit lift --asm 'v_add_f32 v0, v1, v2'
  wavejit lift --asm 'v_cmp_gt_f32 vcc, v0, v1; v_cndmask_b32 v0, v0, v1, vcc' --mcpu gfx900
  wavejit lift --hex '06000501' --mcpu gfx1100
  wavejit lift --raw code.bin --wave 64";
    format!("{BARE}\n\n{}\n\n{examples}", hex::SYNTAX)
}

/// What the help says about code without a file around it.
pub(crate) const BARE: &str = "\
Code given with --asm, --hex or --raw begins at address 0 and gets an s_endpgm behind it. All registers are kept at its end, so that no pass
takes its results for unused; the float mode is that which compilers give kernels.";

/// Print the wave IR of a kernel, or of a few instructions.
#[derive(clap::Args, Debug)]
#[command(after_help = help())]
pub(crate) struct LiftArgs {
    #[command(flatten)]
    code: CodeArgs,
    /// After all passes.
    #[arg(long)]
    optimized: bool,
}

/// Runs it.
pub(crate) fn lift_command(args: &LiftArgs) -> Result<()> {
    let mut code = args.code.lift()?;
    if args.optimized {
        opt::run(&mut code.func, Isa::Best.passes(code.keep_final_state));
    }
    super::print(&ir::text::print(&code.func))
}
