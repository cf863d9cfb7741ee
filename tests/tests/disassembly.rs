//! The decoder and disassembler against `llvm-objdump-19` on every committed code object (`tests/golden/disasm`, written by `bless.sh` there).

use wavejit::code_object::CodeObject;
use wavejit_isa::{self as isa, DisasmOptions, Gfx};

/// What stands between functions: `s_code_end`, which the golden files leave out, and zeros between sections.
const PADDING: [u32; 2] = [0xbf9f_0000, 0];

#[test]
fn every_code_object_reads_as_objdump_prints_it() {
    let folder = wavejit_tests::root().join("shaders/bin");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("shaders/bin")
        .filter_map(|e| e.ok()?.file_name().into_string().ok()?.strip_suffix(".hsaco").map(str::to_string))
        .collect();
    names.sort();
    assert!(names.len() > 60);
    let wrong: Vec<String> = names.iter().flat_map(|name| differences(name)).collect();
    assert!(wrong.is_empty(), "{} lines differ, first:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

/// Lines of a code object that differ from its golden file.
fn differences(name: &str) -> Vec<String> {
    let path = wavejit_tests::root().join(format!("tests/golden/disasm/{name}.txt"));
    let golden = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let object = CodeObject::load(&wavejit_tests::code_object(&format!("{name}.hsaco"))).unwrap_or_else(|e| panic!("{name}: {e}"));
    let image = object.image(0).unwrap_or_else(|e| panic!("{name}: {e}"));
    let dword = |address: usize| image.dword(address as u64);
    let wave_size = if name.contains("wave64") { 64 } else { 32 };
    let options = DisasmOptions { wave_size, true16: false, pc: None };

    let mut wrong = Vec::new();
    let mut end = None;
    for line in golden.lines() {
        let (address, want) = line.split_once(' ').expect("`ADDRESS TEXT`");
        let address = usize::from_str_radix(address, 16).expect("an address");
        // between the instruction before and this one there may only be padding
        for gap in (end.unwrap_or(address)..address).step_by(4).filter(|&a| !dword(a).is_some_and(|d| PADDING.contains(&d))) {
            wrong.push(format!("{name}+{gap:#x}: an instruction that objdump does not see"));
        }
        let words: Vec<u32> = (0..5).map_while(|i| dword(address + 4 * i)).collect();
        let (text, bytes) = match isa::decode(&words, Gfx::GFX1100, wave_size) {
            Ok(inst) => (isa::disasm(&inst, Gfx::GFX1100, &options), inst.bytes() as usize),
            Err(_) => (format!(".long {:#010x}", words[0]), 4),
        };
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text != want {
            wrong.push(format!("{name}+{address:#x}: `{text}` for `{want}`"));
        }
        end = Some(address + bytes);
    }
    wrong
}
