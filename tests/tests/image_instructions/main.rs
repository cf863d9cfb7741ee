//! Every image instruction of every family: assembled, lifted, run by the interpreter and as compiled code, and compared with an answer
//! that follows from what the image holds.

mod rays;
mod sampling;
mod scene;
mod syntax;
mod texels;

use wavejit_isa::{Enc, Gfx, rows};

/// A processor of each family that has images, and both chips whose tile modes or opcodes differ within one.
const TARGETS: [u16; 11] = [0x600, 0x700, 0x803, 0x810, 0x900, 0x90a, 0x1010, 0x1030, 0x1100, 0x1150, 0x1200];

/// How gfx12 encodes addresses: with a sampler the fourth register begins a tuple, without the fifth.
#[derive(Clone, Copy)]
enum AddressKind {
    Texel,
    Sampler,
}

/// Address operand of that many registers from [`scene::ADDRESS`] on.
fn addresses(target: Gfx, count: usize, kind: AddressKind) -> String {
    let tuple = |first: usize, count: usize| match count {
        1 => format!("v{first}"),
        _ => format!("v[{first}:{}]", first + count - 1),
    };
    if target.0 < 0x1200 || count == 1 {
        return tuple(scene::ADDRESS, count);
    }
    let single = match kind {
        AddressKind::Texel => 4,
        AddressKind::Sampler => 3,
    };
    let mut parts: Vec<String> = (0..count.min(single)).map(|n| tuple(scene::ADDRESS + n, 1)).collect();
    if count > single {
        parts.push(tuple(scene::ADDRESS + single, count - single));
    }
    format!("[{}]", parts.join(", "))
}

/// The shape of an address, which gfx10 and later name.
fn dim(target: Gfx) -> &'static str {
    if target.0 >= 0x1000 { " dim:SQ_RSRC_IMG_2D" } else { "" }
}

/// What encodings without sampler have set, up to gfx11.
fn unorm(target: Gfx) -> &'static str {
    if target.0 < 0x1200 { " unorm" } else { "" }
}

fn run(name: &str, target: Gfx) -> Result<(), String> {
    match name {
        _ if name.starts_with("image_load") => texels::run_load(name, target),
        _ if name.starts_with("image_store") => texels::run_store(name, target),
        _ if name.starts_with("image_atomic") => texels::run_atomic(name, target),
        "image_get_resinfo" => texels::run_resinfo(name, target),
        "image_get_lod" => sampling::run_get_lod(name, target),
        "image_msaa_load" => sampling::run_msaa_load(name, target),
        _ if name.starts_with("image_sample") || name.starts_with("image_gather4") => sampling::run(name, target),
        _ if name.starts_with("image_bvh") => rays::run(name, target),
        _ => Err("the test knows no such instruction".into()),
    }
}

/// GCN-06, GCN-07, GCN-08, GCN-10, GCN-11, GCN-12, GCN-13: each mnemonic of the rows executes.
#[test]
fn every_image_instruction_of_every_family_executes() {
    let mut failed = vec![];
    let mut counts = vec![];
    for target in TARGETS.map(Gfx) {
        let is_image = |enc: Enc| matches!(enc, Enc::MIMG | Enc::VIMAGE | Enc::VSAMPLE);
        let rows = rows::all().iter().filter(|r| r.exists_on(target) && r.encs_on(target).any(is_image));
        let mut names: Vec<&str> = rows.map(|r| r.name_on(target)).collect();
        names.sort_unstable();
        names.dedup();
        counts.push(names.len());
        failed.extend(names.into_iter().filter_map(|n| Some(format!("{target} {n}: {}", run(n, target).err()?))));
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
    // As many as LLVM has for tahiti, bonaire and tonga.
    assert_eq!(counts[..3], [93, 93, 89]);
}
