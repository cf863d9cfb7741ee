//! Jobs with something wrong in them: a bit of a packet, a register, a descriptor, an instruction. Each must end, with its work done or with an
//! error that names what is wrong; none may bring the process down.
//!
//! Without settings: jobs made here, a fixed number of mutations. `WAVEJIT_RECORDINGS=DIR` takes the jobs of `wavejit vk --dump DIR` instead (of
//! several folders, with `:` between them), `WAVEJIT_FUZZ_SECONDS=N` goes on for so long, `WAVEJIT_FUZZ_SEED=N` runs one mutation again.

mod common;

use common::{Ib, halves, init, words};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use wavejit::{Device, DeviceConfig};
use wavejit_gpu::dump::{Dump, Job, PAGE};
use wavejit_gpu::replay::Replay;
use wavejit_gpu::{Engine, Gpu, Options};
use wavejit_isa::{Gfx, assemble};
use wavejit_random::Random;

const MUTATIONS: u64 = 400;
/// After which a job is told to stop: what is wrong may be a size of billions of workgroups.
const PATIENCE: Duration = Duration::from_secs(2);
/// After which one that does not stop is a hang.
const HANG: Duration = Duration::from_secs(60);

/// Guest address to contents, of all pages that a job may see.
type Pages = BTreeMap<u64, Vec<u8>>;

/// Jobs of a folder in order; each with all memory before it.
fn recorded(folder: &Path) -> Vec<Dump> {
    let mut pages = Pages::new();
    let files = Dump::files(folder).expect("a folder of recordings");
    let dumps = files.iter().map(|file| {
        let mut dump = Dump::read(file).expect("a recording");
        pages.extend(dump.before.drain(..));
        let is_mapped = |at: &u64| dump.mapped.iter().any(|(start, bytes)| (*start..start + bytes).contains(at));
        dump.before = pages.iter().filter(|(at, _)| is_mapped(at)).map(|(at, page)| (*at, page.clone())).collect();
        pages.extend(dump.after.drain(..));
        dump
    });
    dumps.collect()
}

const LOW: u64 = 0x1643_0000_0000;

/// Jobs of each engine: shaders, loops, LDS, indirect arguments, predicates, calls, copies.
fn made() -> Vec<Dump> {
    let mut memory = vec![0u32; 8 * PAGE / 4];
    let [code, ibs, data] = [LOW, LOW + 0x2000, LOW + 0x5000];
    let mut put = |address: u64, values: &[u32]| {
        let at = ((address - LOW) / 4) as usize;
        memory[at..at + values.len()].copy_from_slice(values);
        (address, values.len() as u32)
    };
    let shaders = [
        "v_mov_b32 v1, s2\nv_lshlrev_b32 v0, 2, v0\nglobal_atomic_add_u32 v0, v1, s[0:1]\ns_endpgm",
        "s_load_b128 s[4:7], s[0:1], 0x100\nv_lshlrev_b32 v1, 2, v0\ns_waitcnt lgkmcnt(0)\n\
         buffer_load_b32 v2, v1, s[4:7], 0 offen\ns_waitcnt vmcnt(0)\nds_store_b32 v1, v2\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_load_b32 v3, v1 offset:4\n\
         s_waitcnt lgkmcnt(0)\nbuffer_store_b32 v3, v1, s[4:7], 0 offen offset:512\ns_endpgm",
        "s_mov_b32 s3, 100\nagain:\ns_sub_i32 s3, s3, 1\ns_cmp_lg_u32 s3, 0\ns_cbranch_scc1 again\ns_endpgm",
    ];
    let entries: Vec<u64> = shaders
        .iter()
        .enumerate()
        .map(|(i, text)| {
            let address = code + 0x400 * i as u64;
            put(address, &words(&assemble(text, Gfx::GFX1100, 32).expect("it assembles").bytes));
            address
        })
        .collect();
    let [low, high] = halves(data);
    put(data + 0x100, &[low, high | 4 << 16, 0x400, 0x3101_6fac]);
    put(data + 0x200, &[2, 1, 1, 0, 1]);
    let mut all = vec![];
    let flags = init::ENABLE | init::FROM_ZERO | init::WAVE32;
    let mut ib = Ib::default();
    ib.shader(entries[0], &[low, high, 7], [64, 1, 1]).dispatch([3, 2, 1], flags).write(data + 4, &[100, 200]);
    ib.shader(entries[1], &[low, high], [32, 2, 1]).dispatch([2, 1, 1], flags);
    all.push((Engine::Graphics, put(ibs, &ib.0)));
    let mut ib = Ib::default();
    let args = data + 0x200;
    ib.shader(entries[2], &[], [64, 1, 1]).packet(0x16, &[args as u32, (args >> 32) as u32, flags]);
    ib.packet(0x22, &[args as u32 + 12, (args >> 32) as u32, 0, 5]).write(data, &[1]);
    ib.packet(0x3c, &[3 | 1 << 4, args as u32, (args >> 32) as u32, 2, !0, 4]);
    all.push((Engine::Compute, put(ibs + 0x800, &ib.0)));
    let mut ib = Ib::default();
    ib.packet(0x12, &[0]).packet(0x28, &[1 << 31, 1 << 31]).packet(0x69, &[0x8e, 0xff]).packet(0x46, &[0x39 | 1 << 8, low + 0x300, high]);
    ib.packet(0x20, &[4 << 16 | 1 << 8, args as u32 + 16, (args >> 32) as u32])
        .predicated(0x50, &[1 << 31, low, high, low + 0x400, high, 64]);
    ib.packet(0x40, &[9 | 5 << 8 | 1 << 16, 0, 0, low + 0x480, high]).packet(0x49, &[0x28 | 5 << 8, 3 << 29, low + 0x488, high, 0, 0, 0]);
    let call = put(ibs + 0x1800, &Ib::default().write(data + 0x4a0, &[5]).0);
    let [a, b] = halves(call.0);
    ib.packet(0x3f, &[a, b, call.1 | 1 << 23]);
    all.push((Engine::Graphics, put(ibs + 0x1000, &ib.0)));
    let sdma = [
        vec![1, 63, 0, low, high, low + 0x500, high],
        vec![0xb | 2 << 30, low + 0x600, high, 0x55, 31],
        vec![5, low + 0x640, high, 99],
        vec![1 | 4 << 8 | 2 << 29, low, high, 1 | 1 << 16, 7 << 13, 63, low + 0x700, high, 0, 3 << 13, 15, 1 | 1 << 16, 0],
    ];
    all.push((Engine::Sdma, put(ibs + 0x1c00, &sdma.concat())));
    let bytes: Vec<u8> = memory.iter().flat_map(|w| w.to_le_bytes()).collect();
    let before: Vec<_> = bytes.chunks(PAGE).zip((LOW..).step_by(PAGE)).map(|(page, at)| (at, page.to_vec())).collect();
    let mapped = vec![(LOW, bytes.len() as u64)];
    let dump = |(i, (engine, ib)): (usize, (Engine, (u64, u32)))| {
        let job = Job { context: 1, engine, ring: 0, sequence: i as u64, target: "gfx1100".into(), ibs: vec![ib] };
        Dump { job, mapped: mapped.clone(), before: before.clone(), after: vec![], failure: None }
    };
    all.into_iter().enumerate().map(dump).collect()
}

/// The places of a job's packets: page and offset of each dword.
fn packets(dump: &Dump) -> Vec<(usize, usize)> {
    let pages: BTreeMap<u64, usize> = dump.before.iter().enumerate().map(|(i, (at, _))| (*at, i)).collect();
    let ibs = dump.job.ibs.iter().flat_map(|(at, dwords)| (0..u64::from(*dwords)).map(move |i| at + 4 * i));
    ibs.filter_map(|at| Some((*pages.get(&(at & !(PAGE as u64 - 1)))?, at as usize % PAGE))).collect()
}

/// Changes some dwords; says what.
fn mutate(dump: &mut Dump, random: &mut Random) -> String {
    let packets = packets(dump);
    let mut done = String::new();
    for _ in 0..1 + random.below(3) {
        // Mostly packets; else whatever memory holds: descriptors, code, arguments.
        let (page, at) = if random.below(8) != 0 && !packets.is_empty() {
            packets[random.below(packets.len() as u32) as usize]
        } else if dump.before.is_empty() {
            break;
        } else {
            (random.below(dump.before.len() as u32) as usize, 4 * random.below(PAGE as u32 / 4) as usize)
        };
        let other = if packets.is_empty() { (page, at) } else { packets[random.below(packets.len() as u32) as usize] };
        let get = |(page, at): (usize, usize)| u32::from_le_bytes(dump.before[page].1[at..at + 4].try_into().expect("4 bytes"));
        let old = get((page, at));
        let new = match random.below(8) {
            0..=3 => old ^ 1 << random.below(32),
            4 => wavejit_random::SPECIAL_WORDS[random.below(32) as usize],
            5 => get(other),
            6 => old.wrapping_add(random.below(9)).wrapping_sub(4),
            _ => random.u32(),
        };
        let (address, bytes) = &mut dump.before[page];
        bytes[at..at + 4].copy_from_slice(&new.to_le_bytes());
        done += &format!("{:#x}: {old:#010x} -> {new:#010x}  ", *address + at as u64);
    }
    done
}

#[test]
fn mutated_jobs_end() {
    let setting = |name: &str| std::env::var(name).ok();
    let number = |name: &str| setting(name).map(|v| v.parse::<u64>().unwrap_or_else(|_| panic!("{name}={v}: expected a number")));
    let folders: Vec<PathBuf> = setting("WAVEJIT_RECORDINGS").map_or(vec![], |v| v.split(':').map(PathBuf::from).collect());
    let jobs: Vec<Dump> = if folders.is_empty() { made() } else { folders.iter().flat_map(|f| recorded(f)).collect() };
    assert!(!jobs.is_empty(), "no recordings");
    let ranges = || jobs.iter().flat_map(|j| &j.mapped);
    let low = ranges().map(|(start, _)| *start).min().expect("memory");
    let high = ranges().map(|(start, bytes)| start + bytes).max().expect("memory");
    let device = Device::window(low, high - low, DeviceConfig { threads: 2, ..Default::default() }).expect("a free window");
    let gpu = Gpu::new(device.clone(), Gfx::GFX1100, Options { max_insts: 200_000, ..Default::default() }).expect("gfx1100 runs");
    if folders.is_empty() {
        // As they are, they run.
        let mut replay = Replay::new(device.clone(), gpu.clone());
        for job in &jobs {
            let outcome = replay.run(job).expect("memory");
            assert!(outcome.failure.is_none() && !outcome.is_stuck, "{outcome:?}");
        }
    }

    // Milliseconds since the start at which the present job began; 0: none.
    let (began, epoch) = (std::sync::Arc::new(AtomicU64::new(0)), Instant::now());
    let watched = (began.clone(), gpu.clone());
    std::thread::spawn(move || {
        let (began, gpu) = watched;
        loop {
            std::thread::sleep(Duration::from_millis(100));
            let start = began.load(Relaxed);
            let ran = epoch.elapsed().saturating_sub(Duration::from_millis(start));
            if start != 0 && ran > HANG {
                eprintln!("a job does not end");
                std::process::abort();
            }
            gpu.stop(start != 0 && ran > PATIENCE);
        }
    });
    let only = number("WAVEJIT_FUZZ_SEED");
    let until = number("WAVEJIT_FUZZ_SECONDS").map(Duration::from_secs);
    let (mut seed, mut failures, mut stuck) = (only.unwrap_or(0), 0, 0);
    let verbose = until.is_some() || only.is_some();
    loop {
        let mut random = Random(seed);
        let mut job = jobs[random.below(jobs.len() as u32) as usize].clone();
        let what = mutate(&mut job, &mut random);
        if verbose {
            // What brings the process down is the last line.
            eprintln!("seed {seed}: {what}");
        }
        began.store(epoch.elapsed().as_millis().max(1) as u64, Relaxed);
        let outcome = Replay::new(device.clone(), gpu.clone()).run(&job).expect("memory");
        began.store(0, Relaxed);
        gpu.stop(false);
        if let Some(failure) = &outcome.failure {
            failures += 1;
            let message = failure.to_string();
            assert!(message.contains(" ring: ") && message.contains(" at 0x"), "{message}");
            if verbose {
                eprintln!("    {}", message.lines().next().unwrap_or_default());
            }
        }
        stuck += u64::from(outcome.is_stuck);
        seed += 1;
        let is_done = match (only, until) {
            (Some(_), _) => true,
            (_, Some(until)) => epoch.elapsed() > until,
            _ => seed == MUTATIONS,
        };
        if is_done {
            break;
        }
    }
    println!("{seed} mutated jobs: {failures} ended with an error, {stuck} wait");
    assert!(only.is_some() || failures > 0, "no mutation was noticed");
}
