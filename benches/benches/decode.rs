//! How fast is machine code read? MB/s of code on one core: decoded, and decoded and printed.
//!
//! Two kinds of input: the code of all committed code objects, which is what compilers write, and the golden corpora of `jit/isa/src`, one
//! for each family, which hold every format in random operands. The best of many short rounds, which other work on the machine disturbs least.

use std::hint::black_box;
use std::io::{Error, ErrorKind};
use wavejit::code_object::CodeObject;
use wavejit_benches::{best, is_smoke_test, machine, root};
use wavejit_isa::{DisasmOptions, Gfx, decode, disasm};

/// Code of one processor.
struct Code {
    name: String,
    target: Gfx,
    wave_size: u32,
    words: Vec<u32>,
}

fn main() -> std::io::Result<()> {
    println!("{}", machine());
    println!("{:24}{:>10}{:>12}{:>14}{:>18}{:>18}", "code", "kB", "insts", "decode MB/s", "ns per instruction", "with text MB/s");
    let mut inputs = vec![code_objects()?];
    inputs.extend(corpora()?);
    for code in &inputs {
        measure(code);
    }
    Ok(())
}

/// Kernels of all committed wave32 code objects, one after the other.
fn code_objects() -> std::io::Result<Code> {
    let mut words = Vec::new();
    for entry in std::fs::read_dir(root().join("shaders/bin"))? {
        let path = entry?.path();
        if path.is_dir() {
            continue;
        }
        let Ok(object) = CodeObject::load(&std::fs::read(path)?) else { continue };
        let Ok(image) = object.image(0) else { continue };
        for kernel in object.kernels().iter().filter(|k| k.wave_size == 32) {
            words.extend(image.dwords(kernel.code_address, kernel.code_bytes));
        }
    }
    Ok(Code { name: "compiled kernels".into(), target: Gfx::GFX1100, wave_size: 32, words })
}

/// The instructions of each golden corpus.
fn corpora() -> std::io::Result<Vec<Code>> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(root().join("jit/isa/tests/golden"))? {
        let path = entry?.path();
        let name = path.file_stem().and_then(|n| n.to_str()).unwrap_or_default().to_string();
        let (Some(target), true) = (Gfx::parse(&name), path.extension().is_some_and(|e| e == "tsv")) else { continue };
        let mut code = Code { name, target, wave_size: target.default_wave_size(), words: Vec::new() };
        for line in std::fs::read_to_string(&path)?.lines() {
            let [wave, dwords, text, ..] = line.split('\t').collect::<Vec<_>>()[..] else { continue };
            if text != "-" && wave.parse() == Ok(code.wave_size) {
                let dwords: Result<Vec<u32>, _> = dwords.split(' ').map(|w| u32::from_str_radix(w, 16)).collect();
                code.words.extend(dwords.map_err(|e| Error::new(ErrorKind::InvalidData, e))?);
            }
        }
        out.push(code);
    }
    out.sort_by_key(|c| c.target);
    Ok(out)
}

fn measure(code: &Code) {
    let rounds = if is_smoke_test() { 1 } else { (1 << 20) / (4 * code.words.len().max(1)) + 1 };
    let opts = DisasmOptions { wave_size: code.wave_size, ..Default::default() };
    let run = |print: bool| {
        let mut insts = 0;
        for _ in 0..rounds {
            let mut rest = &code.words[..];
            while !rest.is_empty() {
                let len = match decode(&rest[..rest.len().min(5)], code.target, code.wave_size) {
                    Ok(inst) => {
                        if print {
                            black_box(disasm(&inst, code.target, &opts));
                        }
                        usize::from(black_box(&inst).len)
                    }
                    Err(_) => 1,
                };
                insts += 1;
                rest = &rest[len..];
            }
        }
        insts
    };
    let insts = run(false);
    let bytes = (4 * code.words.len() * rounds) as f64;
    let decoding = best(40, || {
        black_box(run(false));
    })
    .as_secs_f64();
    let printing = best(5, || {
        black_box(run(true));
    })
    .as_secs_f64();
    println!(
        "{:24}{:10.0}{:12}{:14.0}{:18.1}{:18.1}",
        code.name,
        4e-3 * code.words.len() as f64,
        insts / rounds,
        bytes / decoding / 1e6,
        decoding * 1e9 / f64::from(insts as u32),
        bytes / printing / 1e6
    );
}
