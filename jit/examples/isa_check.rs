//! Compares the decoder and disassembler with LLVM on random code.
//!
//! ```text
//! cargo run -p wavejit-jit --example isa_check -- [--count N] [--target gfx1100] [--wave 32|64] [--family NAME] [--show K] [--seed S]
//! cargo run -p wavejit-jit --example isa_check -- --golden FILE [--count N]     writes lines `hex<TAB>text` of LLVM (about 200 random instructions each give
//!                                                                              the corpus in jit/src/isa/golden)
//! ```
//!
//! Needs llvm-mc-19 and llvm-objdump-19 on PATH. Per format, N random instructions (opcode uniform, fields from all-random to mostly zero)
//! go into one object file, each in a slot padded with s_nop so that the next slot starts in step. Equal means: same text after folding white
//! space, same length, and refused alike. LLVM's text with `/*Invalid register...*/` counts as refused: it says so itself.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, exit};
use wavejit_jit::isa::{DisasmOptions, Gfx, disasm_stream};

/// Dwords of a test, then s_nop until the longest instruction that could start in its last dword has ended.
const TEST: usize = 5;
const SLOT: usize = TEST + 4;
const S_NOP: u32 = 0xbf80_0000;
/// Tests per run of LLVM.
const BATCH: usize = 50_000;

/// A format: fixed bits of the first dword, its free bits, and fields `(dword, shift, width)` that random tests mostly set to zero.
struct Format {
    name: &'static str,
    fixed: u32,
    free: u32,
    zero: &'static [(usize, u32, u32)],
}

const VOP3_FIELDS: &[(usize, u32, u32)] = &[(0, 7, 1), (0, 8, 3), (0, 11, 4), (0, 15, 1), (1, 18, 9), (1, 9, 9), (1, 27, 2), (1, 29, 3)];
const VOP3P_FIELDS: &[(usize, u32, u32)] = &[(0, 8, 3), (0, 11, 3), (0, 14, 1), (0, 15, 1), (0, 23, 1), (1, 18, 9), (1, 27, 2), (1, 29, 3)];

#[rustfmt::skip]
const FORMATS: &[Format] = &[
    Format { name: "sop1",    fixed: 0xbe80_0000, free: 0x007f_ffff, zero: &[(0, 7, 1), (0, 22, 1)] },
    Format { name: "sop2",    fixed: 0x8000_0000, free: 0x3fff_ffff, zero: &[(0, 7, 1), (0, 15, 1), (0, 22, 1)] },
    Format { name: "sopc",    fixed: 0xbf00_0000, free: 0x007f_ffff, zero: &[(0, 7, 1), (0, 15, 1), (0, 21, 2)] },
    Format { name: "sopk",    fixed: 0xb000_0000, free: 0x0fff_ffff, zero: &[(0, 8, 8), (0, 22, 1)] },
    Format { name: "sopp",    fixed: 0xbf80_0000, free: 0x007f_ffff, zero: &[(0, 7, 9), (0, 0, 4), (0, 4, 3)] },
    Format { name: "smem",    fixed: 0xf400_0000, free: 0x03ff_ffff, zero: &[(0, 13, 2), (0, 18, 4), (0, 23, 3), (1, 0, 21), (1, 25, 7)] },
    Format { name: "vop1",    fixed: 0x7e00_0000, free: 0x01ff_ffff, zero: &[(0, 7, 1), (0, 24, 1)] },
    Format { name: "vop2",    fixed: 0x0000_0000, free: 0x7fff_ffff, zero: &[(0, 7, 1), (0, 24, 1), (0, 16, 1)] },
    Format { name: "vopc",    fixed: 0x7c00_0000, free: 0x01ff_ffff, zero: &[(0, 7, 1), (0, 16, 1)] },
    Format { name: "vop3",    fixed: 0xd400_0000, free: 0x03ff_ffff, zero: VOP3_FIELDS },
    Format { name: "vop3p",   fixed: 0xcc00_0000, free: 0x007f_ffff, zero: VOP3P_FIELDS },
    Format { name: "vinterp", fixed: 0xcd00_0000, free: 0x0087_ffff, zero: &[(0, 11, 4), (0, 15, 1), (0, 23, 1)] },
    Format { name: "ldsdir",  fixed: 0xce00_0000, free: 0x00ff_ffff, zero: &[(0, 21, 3)] },
    Format { name: "vopd",    fixed: 0xc800_0000, free: 0x03ff_ffff, zero: &[(0, 9, 8), (1, 9, 8)] },
    Format { name: "ds",      fixed: 0xd800_0000, free: 0x03ff_ffff, zero: &[(0, 0, 8), (0, 8, 8), (0, 17, 1), (1, 0, 8), (1, 8, 8), (1, 16, 8), (1, 24, 8)] },
    Format { name: "flat",    fixed: 0xdc00_0000, free: 0x03ff_ffff, zero: &[(0, 0, 13), (0, 13, 3), (0, 25, 1), (1, 23, 1)] },
    Format { name: "mubuf",   fixed: 0xe000_0000, free: 0x03ff_ffff, zero: &[(0, 0, 12), (0, 12, 3), (0, 25, 1), (1, 21, 1)] },
    Format { name: "mtbuf",   fixed: 0xe800_0000, free: 0x03ff_ffff, zero: &[(0, 0, 12), (0, 12, 3), (1, 21, 1)] },
    Format { name: "mimg",    fixed: 0xf000_0000, free: 0x03ff_ffff, zero: &[(0, 0, 1), (0, 12, 4), (0, 16, 1), (0, 17, 1), (0, 25, 1), (1, 21, 2), (1, 26, 5)] },
    Format { name: "exp",     fixed: 0xf800_0000, free: 0x03ff_ffff, zero: &[(0, 0, 4)] },
    Format { name: "any",     fixed: 0x0000_0000, free: 0xffff_ffff, zero: &[] },
];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    fn test(&mut self, f: &Format) -> [u32; TEST] {
        let mut w: [u32; TEST] = std::array::from_fn(|_| self.next());
        w[0] = f.fixed | w[0] & f.free;
        let tame = !self.next().is_multiple_of(8);
        for &(dword, shift, width) in f.zero {
            if tame && !self.next().is_multiple_of(4) {
                w[dword] &= !(((1 << width) - 1) << shift);
            }
        }
        // No scalar address of FLAT forms is 124, and source codes of literal and DPP deserve more than one chance in 256.
        match f.name {
            "flat" if self.next().is_multiple_of(2) => w[1] = w[1] & !0x7f_0000 | 124 << 16,
            "smem" if self.next().is_multiple_of(2) => w[1] = w[1] & 0x1ff_ffff | 124 << 25,
            "vop1" | "vop2" | "vopc" if self.next().is_multiple_of(4) => {
                w[0] = w[0] & !0x1ff | [233, 234, 250, 255, 240 + (self.0 as u32 & 15)][self.next() as usize % 5];
            }
            "vop3" | "vop3p" if self.next().is_multiple_of(4) => {
                let shift = self.next() % 3 * 9;
                w[1] = w[1] & !(0x1ff << shift) | [233, 234, 250, 255, 240 + (self.0 as u32 & 15)][self.next() as usize % 5] << shift;
            }
            "vopd" if self.next().is_multiple_of(4) => w[1] = w[1] & !0x1ff | 255,
            _ => {}
        }
        // Literals that equal inline constants print like them.
        let literal = if w[1] & 0x1ff == 0x0ff || w[1] & 0xff == 0xff { 2 } else { 1 };
        match self.next() % 8 {
            0 => w[literal] = self.next() % 80,
            1 => {
                w[literal] =
                    [0x3f80_0000, 0x3e22_f983, 0x3118, 0x3c00, 0x3fc4_5f30, 0x3ff0_0000, 0x4000, 0xbf00_0000][self.next() as usize % 8]
            }
            2 => w[literal] = (self.next() % 40).wrapping_neg(),
            _ => {}
        }
        if f.name.starts_with("vop3") && self.next().is_multiple_of(2) {
            w[2] |= 0xff00_0000;
        }
        w
    }
}

fn fold(s: &str) -> String {
    s.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text and dwords of what stands at the start of each slot, by LLVM.
fn llvm(bytes: &[u8], target: Gfx, wave: u32) -> Vec<Option<(String, usize)>> {
    let dir = std::env::temp_dir().join(format!("isa_check_{}", std::process::id()));
    fs::create_dir_all(&dir).expect("temporary directory");
    let (bin, src, obj) = (dir.join("x.bin"), dir.join("x.s"), dir.join("x.o"));
    fs::write(&bin, bytes).expect("write code");
    fs::write(&src, format!(".text\n.incbin \"{}\"\n", bin.display())).expect("write source");
    let run = |c: &mut Command| match c.output() {
        Ok(o) if o.status.success() => o.stdout,
        Ok(o) => {
            eprintln!("{c:?} failed: {}", String::from_utf8_lossy(&o.stderr));
            exit(2)
        }
        Err(e) => {
            eprintln!("skipped: {c:?} does not run ({e}); install LLVM 19's llvm-mc and llvm-objdump");
            exit(0)
        }
    };
    let cpu = format!("--mcpu={target}");
    run(Command::new("llvm-mc-19").args(["-triple=amdgcn", &cpu, "-filetype=obj", "-o"]).arg(&obj).arg(&src));
    let mattr = if wave == 64 { "--mattr=+wavefrontsize64,-wavefrontsize32" } else { "--mattr=+wavefrontsize32,-wavefrontsize64" };
    let text = run(Command::new("llvm-objdump-19").args(["-d", &cpu, mattr]).arg(&obj));
    let _ = fs::remove_dir_all(&dir);
    let mut out = vec![None; bytes.len() / 4 / SLOT];
    for line in String::from_utf8_lossy(&text).lines() {
        let Some((text, comment)) = line.rsplit_once("//") else { continue };
        let Some((address, code)) = comment.trim().split_once(':') else { continue };
        let Ok(address) = usize::from_str_radix(address, 16) else { continue };
        if address % (4 * SLOT) == 0 {
            let dwords = code.split_whitespace().filter(|w| w.len() == 8 && w.bytes().all(|b| b.is_ascii_hexdigit())).count();
            out[address / 4 / SLOT] = Some((fold(text), dwords));
        }
    }
    out
}

fn refused(text: &str) -> bool {
    text.starts_with(".long") || text.contains("/*Invalid") || text.contains("/*invalid immediate")
}

struct Options {
    count: usize,
    target: Gfx,
    waves: Vec<u32>,
    family: Option<String>,
    show: usize,
    seed: u64,
    golden: Option<String>,
}

fn options() -> Options {
    let mut o = Options {
        count: 200_000,
        target: Gfx::GFX1100,
        waves: vec![32, 64],
        family: None,
        show: 2,
        seed: 0x9e37_79b9_7f4a_7c15,
        golden: None,
    };
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        let v = args.next().unwrap_or_default();
        let bad = || -> ! {
            eprintln!("bad argument {a} {v}; see the head of jit/examples/isa_check.rs");
            exit(2)
        };
        match a.as_str() {
            "--count" => o.count = v.parse().unwrap_or_else(|_| bad()),
            "--target" => o.target = Gfx::parse(&v).unwrap_or_else(|| bad()),
            "--wave" => o.waves = vec![v.parse().unwrap_or_else(|_| bad())],
            "--family" => o.family = Some(v.clone()),
            "--show" => o.show = v.parse().unwrap_or_else(|_| bad()),
            "--seed" => o.seed = v.parse().unwrap_or_else(|_| bad()),
            "--golden" => o.golden = Some(v.clone()),
            _ => bad(),
        }
    }
    o
}

fn main() {
    let o = options();
    let mut golden = String::new();
    let mut failed = false;
    for f in FORMATS.iter().filter(|f| o.family.as_deref().is_none_or(|n| n == f.name)) {
        for &wave in &o.waves {
            let mut random = Random(o.seed ^ u64::from(wave));
            let opts = DisasmOptions { wave_size: wave, ..Default::default() };
            let (mut equal, mut accepted, mut done) = (0usize, 0usize, 0usize);
            let mut differences: BTreeMap<String, (usize, Vec<String>)> = BTreeMap::new();
            while done < o.count {
                let n = BATCH.min(o.count - done);
                let tests: Vec<[u32; TEST]> = (0..n).map(|_| random.test(f)).collect();
                let mut bytes = Vec::with_capacity(n * SLOT * 4);
                for t in &tests {
                    let slot: [u32; SLOT] = std::array::from_fn(|i| t.get(i).copied().unwrap_or(S_NOP));
                    slot.iter().for_each(|w| bytes.extend_from_slice(&w.to_le_bytes()));
                }
                let theirs = llvm(&bytes, o.target, wave);
                for (i, t) in tests.iter().enumerate() {
                    let slot = &bytes[i * SLOT * 4..(i + 1) * SLOT * 4];
                    let ours = disasm_stream(slot, o.target, opts).next().map(|l| (fold(&l.text), l.dwords.len())).unwrap_or_default();
                    let (text, len) = theirs[i].clone().unwrap_or((".long (not listed)".into(), 1));
                    let no = refused(&text);
                    accepted += usize::from(!no);
                    if no && refused(&ours.0) || !no && ours == (text.clone(), len) {
                        equal += 1;
                        // Refusals are many and alike: some are enough.
                        if o.golden.is_some() && (!no || i % 16 == 0) {
                            let hex: Vec<String> = t[..if no { TEST } else { len }].iter().map(|w| format!("{w:08x}")).collect();
                            let text = if no { "-" } else { &text };
                            golden.push_str(&format!("{wave}\t{}\t{text}\n", hex.join(" ")));
                        }
                        continue;
                    }
                    let key = if no { fold(&ours.0) } else { text.clone() };
                    let key = key.split(' ').next().unwrap_or_default().to_string();
                    let kind = match (no, refused(&ours.0)) {
                        (true, false) => "accepts too much:",
                        (false, true) => "refuses too much:",
                        _ => "text:",
                    };
                    let d = differences.entry(format!("{kind} {key}")).or_default();
                    d.0 += 1;
                    if d.1.len() < o.show {
                        let words: Vec<String> = t.iter().map(|w| format!("{w:08x}")).collect();
                        d.1.push(format!("      {}\n        llvm {text} ({len})\n        ours {} ({})", words.join(" "), ours.0, ours.1));
                    }
                }
                done += n;
            }
            println!(
                "{:8} {} wave{wave}: {equal} of {done} equal ({:.4}%), {accepted} accepted by LLVM",
                f.name,
                o.target,
                100.0 * equal as f64 / done as f64
            );
            failed |= equal != done;
            for (key, (n, samples)) in differences {
                println!("    {n:6} {key}");
                samples.iter().for_each(|s| println!("{s}"));
            }
        }
    }
    if let Some(path) = o.golden {
        fs::write(&path, golden).expect("write golden file");
    }
    exit(i32::from(failed));
}
