//! Compares the instruction rows with LLVM's tables, record by record.
//!
//! ```text
//! llvm-tblgen-19 --dump-json ... && python3 tests/llvm-check/src/bin/isa_review/extract.py amdgpu.json > review.tsv
//! cargo run -p wavejit-llvm-check --bin isa_review -- review.tsv [--show N]
//! ```
//!
//! Three questions, for every processor. Is each of LLVM's instructions known here: do its fixed bits, with operands filled in at random,
//! decode to a row of its name? Is each row one of LLVM's? And do LLVM and the row agree about the state an instruction reads and writes
//! without naming it? The review file is made on the spot and not kept.

use std::collections::{BTreeMap, BTreeSet};
use std::process::exit;
use wavejit_isa::{Enc, Gfx, Implicit, Inst, decode, rows};
use wavejit_random::Random;

/// Attempts to find operands that make an instruction valid.
const FILLS: usize = 400;

/// One record of the review file.
struct Record<'a> {
    name: &'a str,
    mnemonic: &'a str,
    processors: Vec<Gfx>,
    bytes: usize,
    value: u128,
    mask: u128,
    reads: Implicit,
    writes: Implicit,
}

fn state(names: &str) -> Implicit {
    names.split(',').filter_map(Implicit::from_name).fold(Implicit::empty(), |all, s| all | s)
}

fn record(line: &str) -> Option<Record<'_>> {
    let [name, mnemonic, on, bytes, value, mask, reads, writes] = line.split('\t').collect::<Vec<_>>()[..] else { return None };
    Some(Record {
        name,
        mnemonic,
        processors: on.split(',').filter_map(Gfx::parse).collect(),
        bytes: bytes.parse().ok()?,
        value: u128::from_str_radix(value, 16).ok()?,
        mask: u128::from_str_radix(mask, 16).ok()?,
        reads: state(reads),
        writes: state(writes),
    })
}

/// An instruction with the record's fixed bits.
fn example(r: &Record<'_>, target: Gfx, random: &mut Random) -> Option<Inst> {
    (0..FILLS).find_map(|i| {
        let noise = match i % 4 {
            0 => 0,
            1 => u128::from(random.u64()) << 64 | u128::from(random.u64()),
            // Sparse bits: small register numbers, no modifiers.
            _ => {
                let a = u128::from(random.u64()) << 64 | u128::from(random.u64());
                let b = u128::from(random.u64()) << 64 | u128::from(random.u64());
                a & b & (b >> 17 | a << 9)
            }
        };
        let bits = r.value | noise & !r.mask;
        let mut words = [0u32; 5];
        for (j, w) in words.iter_mut().enumerate().take(4) {
            *w = (bits >> (32 * j)) as u32;
        }
        [32, 64].iter().find_map(|&wave| decode(&words, target, wave).ok()).filter(|inst| {
            let y = inst.row_y.map(|y| y.name_on(target));
            inst.name() == plain(r.mnemonic) || y.is_some_and(|_| r.mnemonic.starts_with("v_dual_"))
        })
    })
}

/// The mnemonic without its encoding suffix.
fn plain(mnemonic: &str) -> &str {
    let whole = rows::all().iter().any(|row| row.name == mnemonic || row.names.iter().any(|n| n.1 == mnemonic));
    let cut = ["_e64_dpp", "_e32", "_e64", "_dpp", "_sdwa"].iter().find_map(|s| mnemonic.strip_suffix(s));
    if whole { mnemonic } else { cut.unwrap_or(mnemonic) }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let show = args.iter().position(|a| a == "--show").and_then(|i| args.get(i + 1)?.parse().ok()).unwrap_or(10);
    let Some(path) = args.first() else {
        eprintln!("usage: isa_review REVIEW.tsv [--show N]; see the head of tests/llvm-check/src/bin/isa_review/main.rs");
        exit(2)
    };
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| {
        eprintln!("{path}: {e}");
        exit(2)
    });
    let records: Vec<Record<'_>> = text.lines().filter_map(record).collect();
    let mut random = Random(1);
    let mut unknown: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut state_differs: BTreeMap<String, usize> = BTreeMap::new();
    let mut found: BTreeSet<(u16, Gfx)> = BTreeSet::new();
    let mut known = 0;
    for r in &records {
        for &target in &r.processors {
            let Some(inst) = example(r, target, &mut random) else {
                unknown.entry(r.name).or_default().push(format!("{target} {} ({} bytes)", r.mnemonic, r.bytes));
                continue;
            };
            known += 1;
            found.insert((inst.row.id, target));
            found.extend(inst.row_y.map(|y| (y.id, target)));
            let (reads, writes) = (inst.implicit_reads(), inst.implicit_writes());
            // LLVM gives gfx9 and later the DS records of gfx8, whose M0 bounds LDS; later families do not read it.
            let ignored = if inst.enc == Enc::DS { Implicit::M0 } else { Implicit::empty() };
            if inst.row_y.is_none() && (reads - ignored, writes) != (r.reads - ignored, r.writes) {
                let key = format!(
                    "{:?} {}: reads {:?} for {:?}, writes {:?} for {:?}",
                    inst.enc,
                    inst.row.name,
                    reads.names(),
                    r.reads.names(),
                    writes.names(),
                    r.writes.names()
                );
                *state_differs.entry(key).or_default() += 1;
            }
        }
    }
    println!("{} records, {known} on a processor known here", records.len());
    println!("{} records unknown here", unknown.len());
    for (name, places) in unknown.iter().take(show) {
        println!("    {name}: {}", places.first().map_or("", String::as_str));
    }
    let extra: Vec<String> = rows::all()
        .iter()
        .flat_map(|row| Gfx::all().filter(|g| row.exists_on(*g)).map(move |g| (row, g)))
        .filter(|(row, g)| !found.contains(&(row.id, *g)))
        .map(|(row, g)| format!("{g} {} {:?}", row.name_on(g), row.enc()))
        .collect();
    println!("{} rows on processors where LLVM has none of that name", extra.len());
    extra.iter().take(show).for_each(|e| println!("    {e}"));
    println!("{} differences about implicit state", state_differs.len());
    state_differs.iter().take(show).for_each(|(k, n)| println!("    {n:4} {k}"));
    exit(i32::from(!unknown.is_empty() || !extra.is_empty() || !state_differs.is_empty()));
}
