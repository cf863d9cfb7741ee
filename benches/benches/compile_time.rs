//! How long does translation take? us per guest VALU instruction and ms per 1,000 guest instructions, over all committed wave32 code objects.
//!
//! Measured is everything from machine code to host code: decode, lift, passes, code generation. One thread; the best of three.

use std::time::Duration;
use wavejit::code_object::{CodeObject, Image, KernelInfo};
use wavejit_benches::{best, is_smoke_test, machine, root};
use wavejit_ir::FpMode;
use wavejit_isa::{self as isa, Enc, Gfx};
use wavejit_jit::emit::{self, EmitOptions, Isa};
use wavejit_jit::lift::{self, LiftSource};
use wavejit_jit::opt;

/// Instructions of a kernel, and the time to translate it.
#[derive(Default)]
struct Row {
    insts: u32,
    valu: u32,
    lift: Duration,
    passes: Duration,
    emit: Duration,
}

fn main() -> std::io::Result<()> {
    println!("{}", machine());
    println!(
        "{:24}{:>8}{:>8}{:>10}{:>10}{:>10}{:>14}{:>18}",
        "kernel", "insts", "VALU", "lift ms", "opt ms", "emit ms", "us per VALU", "ms per 1,000"
    );
    let mut names: Vec<_> = std::fs::read_dir(root().join("shaders/bin"))?.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
    names.retain(|n| n.ends_with("wave32.hsaco"));
    names.sort();
    if is_smoke_test() {
        names.truncate(4);
    }
    let mut all = Row::default();
    for name in &names {
        let Ok(object) = CodeObject::load(&std::fs::read(root().join("shaders/bin").join(name))?) else { continue };
        let Ok(image) = object.image(0) else { continue };
        for kernel in object.kernels() {
            let row = measure(kernel, &image);
            print_row(&kernel.name, &row);
            all.insts += row.insts;
            all.valu += row.valu;
            all.lift += row.lift;
            all.passes += row.passes;
            all.emit += row.emit;
        }
    }
    print_row("all", &all);
    Ok(())
}

fn print_row(name: &str, row: &Row) {
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    let total = ms(row.lift + row.passes + row.emit);
    print!("{name:24}{:8}{:8}{:10.2}{:10.2}{:10.2}", row.insts, row.valu, ms(row.lift), ms(row.passes), ms(row.emit));
    println!("{:14.1}{:18.2}", total * 1e3 / f64::from(row.valu.max(1)), total * 1e3 / f64::from(row.insts.max(1)));
}

fn measure(kernel: &KernelInfo, image: &Image) -> Row {
    let dword = |address: u64| image.dword(address);
    let source = LiftSource {
        name: &kernel.name,
        entry: kernel.code_address,
        target: Gfx::GFX1100,
        wave_size: kernel.wave_size,
        mode: FpMode::HSA,
        vgprs: kernel.descriptor.rsrc.allocated_vgprs(kernel.target, kernel.wave_size),
        read: &dword,
    };
    let mut row = Row { lift: best(3, || drop(lift::lift(&source))), ..Row::default() };
    let lifted = lift::lift(&source);
    let mut func = lifted.clone();
    opt::run(&mut func, Isa::Best.passes(false));
    let both = best(3, || opt::run(&mut lifted.clone(), Isa::Best.passes(false)));
    row.passes = both.saturating_sub(best(3, || drop(lifted.clone())));
    row.emit = best(3, || drop(emit::compile(&func, &EmitOptions::default())));
    // Of the functions that it calls, too, which are translated with it.
    for block in &lifted.blocks {
        let mut at = block.pc;
        for _ in 0..block.guest_insts {
            let words: Vec<u32> = (0..5).map_while(|i| dword(at + 4 * i)).collect();
            let Ok(inst) = isa::decode(&words, Gfx::GFX1100, kernel.wave_size) else { break };
            row.insts += 1;
            row.valu += u32::from(matches!(inst.enc, Enc::VOP1 | Enc::VOP2 | Enc::VOPC | Enc::VOP3 | Enc::VOP3SD | Enc::VOP3P | Enc::VOPD));
            at += u64::from(inst.bytes());
        }
    }
    row
}
