//! `wavejit info`: what is in a code object.

use super::load;
use anyhow::Result;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use wavejit::code_object::{CodeObject, KernelArg, KernelInfo, container};

/// Show kernels, arguments, registers, LDS and scratch of a code object.
#[derive(clap::Args, Debug)]
pub(crate) struct InfoArgs {
    /// Code object, offload bundle, program with HIP device code, or source file (.cl, .hip, .cpp, .s).
    file: PathBuf,
    /// Only this kernel.
    #[arg(long)]
    kernel: Option<String>,
    /// Target to take from a bundle, such as gfx1100 or gfx90a:xnack+.
    #[arg(long)]
    target: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs it.
pub(crate) fn info(args: &InfoArgs) -> Result<()> {
    let bytes = super::read_code(&args.file, args.target.as_deref(), &Default::default())?;
    let object = load(&args.file, &bytes, args.target.as_deref(), args.kernel.as_deref())?;
    let kernels: Vec<&KernelInfo> = match &args.kernel {
        Some(name) => vec![super::kernel(&args.file, &object, name)?],
        None => object.kernels().iter().collect(),
    };
    let bundle = container(&bytes)?;
    let entries: Vec<String> = bundle.iter().flat_map(|b| b.entries()).map(|e| e.id.into_owned()).collect();
    match args.json {
        true => super::print(&format!("{:#}\n", json(&object, &kernels, entries))),
        false => super::print(&text(&object, &kernels, &entries)?),
    }
}

fn text(object: &CodeObject, kernels: &[&KernelInfo], entries: &[String]) -> Result<String> {
    let mut out = String::new();
    writeln!(out, "target {}, code object version {}, image {} bytes", object.target(), object.version(), object.image_bytes())?;
    if !entries.is_empty() {
        writeln!(out, "from a bundle with {}", entries.join(", "))?;
    }
    for k in kernels {
        writeln!(out, "\nkernel {}", k.name)?;
        writeln!(out, "  code        {} bytes at {:#x}, wave{}{}", k.code_bytes, k.code_address, k.wave_size, mode_name(k))?;
        let agprs = if k.agprs == 0 { String::new() } else { format!(", {} AGPRs", k.agprs) };
        writeln!(out, "  registers   {} SGPRs, {} VGPRs{agprs}, spilled {} and {}", k.sgprs, k.vgprs, k.sgpr_spills, k.vgpr_spills)?;
        writeln!(out, "  LDS         {} bytes a workgroup", k.lds_bytes)?;
        let stack = if k.uses_dynamic_stack { " and more (its stack is not bounded)" } else { "" };
        writeln!(out, "  scratch     {} bytes a work-item{stack}", k.scratch_bytes)?;
        if let Some(n) = k.max_group_work_items {
            let exact = k.required_group.map_or(String::new(), |[x, y, z]| format!(", exactly {x} x {y} x {z}"));
            writeln!(out, "  workgroup   at most {n} work-items{exact}")?;
        }
        if !k.has_metadata {
            writeln!(out, "  arguments   unknown: there is no metadata")?;
            continue;
        }
        writeln!(out, "  arguments   {} bytes", k.kernarg_bytes)?;
        for (i, a) in k.explicit_args().enumerate() {
            writeln!(out, "    {i:<2} {:>5}  {}", format!("+{}", a.offset), arg_text(a))?;
        }
        let hidden = hidden_names(k);
        if !hidden.is_empty() {
            writeln!(out, "    hidden    {}", hidden.join(" "))?;
        }
    }
    Ok(out)
}

/// Names of hidden arguments, those of the three dimensions as one.
fn hidden_names(k: &KernelInfo) -> Vec<&'static str> {
    let mut names = Vec::new();
    for arg in k.args.iter().filter(|a| a.kind.is_hidden()) {
        let name = arg.kind.name().trim_start_matches("hidden_").trim_end_matches(['x', 'y', 'z']).trim_end_matches('_');
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn mode_name(k: &KernelInfo) -> &'static str {
    match k.wgp_mode {
        Some(true) => ", WGP mode",
        Some(false) => ", CU mode",
        None => "",
    }
}

fn arg_text(a: &KernelArg) -> String {
    let mut s = wavejit::kernarg::describe(a);
    if a.type_name.is_some() {
        let _ = write!(s, ", {} of {} bytes", a.kind, a.bytes);
    }
    for note in [&a.address_space, &a.access].into_iter().flatten() {
        let _ = write!(s, ", {note}");
    }
    s
}

fn json(object: &CodeObject, kernels: &[&KernelInfo], entries: Vec<String>) -> Value {
    json!({
        "target": object.target().to_string(),
        "code_object_version": u32::from(object.version()),
        "image_bytes": object.image_bytes(),
        "bundle_entries": entries,
        "kernels": kernels.iter().map(|k| kernel_json(k)).collect::<Vec<_>>(),
    })
}

fn kernel_json(k: &KernelInfo) -> Value {
    json!({
        "name": k.name,
        "code_address": k.code_address,
        "code_bytes": k.code_bytes,
        "wave_size": k.wave_size,
        "sgprs": k.sgprs,
        "vgprs": k.vgprs,
        "agprs": k.agprs,
        "sgpr_spills": k.sgpr_spills,
        "vgpr_spills": k.vgpr_spills,
        "lds_bytes": k.lds_bytes,
        "scratch_bytes": k.scratch_bytes,
        "uses_dynamic_stack": k.uses_dynamic_stack,
        "max_group_work_items": k.max_group_work_items,
        "required_group": k.required_group,
        "wgp_mode": k.wgp_mode,
        "kernarg_bytes": k.kernarg_bytes,
        "kernarg_align": k.kernarg_align,
        "has_metadata": k.has_metadata,
        "args": k.args.iter().map(arg_json).collect::<Vec<_>>(),
    })
}

fn arg_json(a: &KernelArg) -> Value {
    json!({
        "name": a.name,
        "type": a.type_name,
        "kind": a.kind.name(),
        "offset": a.offset,
        "bytes": a.bytes,
        "address_space": a.address_space,
        "access": a.access,
    })
}
