//! `wavejit plan`: what the back end of whole waves decides for a kernel, or for a few instructions.

use super::emit::{EmitArgs, Ready};
use anyhow::{Context, Result, bail};
use wavejit_jit::emit::plan_text;

fn help() -> String {
    let text = "\
Each operation of the IR stands under the instruction it comes from; behind `|` is how it is done:
  zmm3 = v4.1           part 1 of row v4 is loaded (spilled: t0.1; of the frame: [rsp+0x40])
  reads zmm3 v2.0 k1    where its operands are, in memory too
  makes zmm5            where its result is
  writes v4             the row is written back
  in a row, 8 bytes apart, by lane, ...   how an access to memory is done

Examples:
  wavejit plan kernels.hsaco --kernel saxpy
  wavejit plan --asm 'v_add_f32 v0, v1, v2' --isa avx2";
    format!("{}\n\n{text}", super::lift::BARE)
}

/// Print the plan of the AVX-512 or AVX2 back end for a kernel or a few instructions: how each operation is done, in which registers, and what is
/// loaded, spilled and written back for it. The plan is checked: an error names the operation that would not find its operands.
#[derive(clap::Args, Debug)]
#[command(after_help = help())]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    emit: EmitArgs,
}

/// Runs it.
pub(crate) fn plan_command(args: &PlanArgs) -> Result<()> {
    let Ready { code, options } = args.emit.ready()?;
    if !options.isa.is_wide() {
        bail!("there are plans for AVX-512 and AVX2 only: --isa avx512 prints one on any host");
    }
    let text = plan_text(&code.func, &options, &|pc| code.guest.get(&pc).cloned()).context(code.origin)?;
    super::print(&text)
}
