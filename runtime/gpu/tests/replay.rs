//! Jobs that are recorded and run again.

mod common;

use common::{Ib, halves, init};
use wavejit::{Device, DeviceConfig};
use wavejit_gpu::dump::{Dump, Job, PAGE, Recorder};
use wavejit_gpu::replay::Replay;
use wavejit_gpu::{Engine, Gpu, Options, Ring};
use wavejit_isa::{Gfx, assemble};

const LOW: u64 = 0x1567_0000_0000;
const PAGES: u64 = 8;
const MAPPED: (u64, u64) = (LOW, PAGES * PAGE as u64);
const CODE: u64 = LOW;
const IBS: u64 = LOW + 0x1000;
const DATA: u64 = LOW + 0x3000;

fn device() -> (Device, Gpu) {
    let device = Device::window(LOW, MAPPED.1, DeviceConfig { threads: 1, ..Default::default() }).expect("a free window");
    let gpu = Gpu::new(device.clone(), Gfx::GFX1100, Options { max_insts: 1000, ..Default::default() }).expect("gfx1100 runs");
    (device, gpu)
}

fn write(device: &Device, address: u64, words: &[u32]) {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    device.memory().write(address, &bytes).expect("it is mapped");
}

/// Two jobs: registers and a counter by the first, the dispatch that uses both by the second; then one that fails.
fn record(folder: &std::path::Path) {
    let (device, gpu) = device();
    device.memory().commit(MAPPED.0, MAPPED.1).expect("pages of the window");
    let code = assemble("v_mov_b32 v1, s2\nv_lshlrev_b32 v0, 2, v0\nglobal_atomic_add_u32 v0, v1, s[0:1]\ns_endpgm", Gfx::GFX1100, 32);
    device.memory().write(CODE, &code.expect("it assembles").bytes).expect("it is mapped");
    let [low, high] = halves(DATA);
    let mut ibs = [Ib::default(), Ib::default(), Ib::default()];
    ibs[0].shader(CODE, &[low, high, 7], [64, 1, 1]).write(DATA + 4, &[100]);
    ibs[1].dispatch([1, 1, 1], init::ENABLE | init::FROM_ZERO | init::WAVE32);
    ibs[2].packet(0x2d, &[3, 2]);
    let mut ring = Ring::new(gpu, Engine::Compute);
    let mut recorder = Recorder::new(folder).expect("a folder");
    for (i, ib) in ibs.iter().enumerate() {
        let at = IBS + 0x400 * i as u64;
        write(&device, at, &ib.0);
        let ibs = vec![(at, ib.0.len() as u32)];
        let job = Job { context: 3, engine: Engine::Compute, ring: 1, sequence: i as u64 + 1, target: "gfx1100".into(), ibs: ibs.clone() };
        let recording = recorder.begin(&job, device.memory(), &[MAPPED], &[MAPPED]).expect("a file");
        ring.start(ibs[0].0, ibs[0].1);
        let failure = ring.run().err().map(|e| e.to_string());
        assert_eq!(failure.is_some(), i == 2);
        recorder.end(recording, device.memory(), &[MAPPED], failure.as_deref()).expect("written");
    }
}

#[test]
fn recorded_jobs_run_again_and_end_the_same() {
    let folder = std::env::temp_dir().join(format!("wavejit-replay-{}", std::process::id()));
    record(&folder);
    let dumps: Vec<Dump> = Dump::files(&folder).expect("a folder").iter().map(|f| Dump::read(f).expect("a recording")).collect();
    let text = std::fs::read(folder.join("00002.dump")).expect("a file");
    std::fs::remove_dir_all(&folder).expect("ours");
    assert_eq!(dumps.len(), 3);
    // Pages that the next job finds as they were are not there again.
    assert_eq!(dumps.iter().map(|d| (d.before.len(), d.after.len())).collect::<Vec<_>>(), [(2, 1), (1, 1), (1, 0)]);
    assert_eq!((dumps[1].job.sequence, dumps[1].job.engine, dumps[1].mapped.clone()), (2, Engine::Compute, vec![MAPPED]));
    assert!(dumps[2].failure.as_ref().is_some_and(|why| why.contains("DRAW_INDEX_AUTO")));

    let (device, gpu) = device();
    let mut replay = Replay::new(device.clone(), gpu);
    for (i, dump) in dumps.iter().enumerate() {
        let outcome = replay.run(dump).expect("it can be run");
        assert_eq!((outcome.differences.len(), outcome.is_stuck, outcome.failure.is_some()), (0, false, i == 2), "{i}");
    }
    let mut found = [0; 12];
    device.memory().read(DATA, &mut found).expect("it is mapped");
    assert_eq!(common::words(&found), [7, 107, 7]);

    // A recording of something else, from the start again.
    drop((replay, device));
    let (device, gpu) = self::device();
    let mut replay = Replay::new(device.clone(), gpu);
    let mut other = dumps[1].clone();
    other.after[0].1[4] = 9;
    assert_eq!(replay.run(&dumps[0]).expect("it can be run").differences, []);
    assert_eq!(replay.run(&other).expect("it can be run").differences, [(DATA + 4, 107, 9)]);

    for cut in [0, 5, 14, 20, 40, text.len() - 1] {
        assert!(Dump::parse(&text[..cut]).is_err(), "{cut}");
    }
    assert!(Dump::parse(&text).is_ok());
    let mut unknown = text.clone();
    unknown[15] = b'X';
    assert!(Dump::parse(&unknown).expect_err("a section that is not known").contains("section `XOB ` at 0xf"));
}
