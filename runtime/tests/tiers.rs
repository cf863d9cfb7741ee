//! Which code is interpreted, which is compiled, and when, on a device that starts with the one and goes on with the other ([`Engine::Tiered`]). Results and
//! counts of guest instructions are the interpreter's throughout.

use wavejit::code_object::PgmRsrc;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{Buffer, CodeLaunch, CodeStats, Device, DeviceConfig, Engine, LaunchConfig};
use wavejit_isa::Gfx;
use wavejit_isa::asm::assemble;

/// A program on a device, with memory whose address is in s[0:1]; s2 is the number of the workgroup, v0 that of the work-item in it.
struct Machine {
    device: Device,
    code: Buffer,
    memory: Buffer,
}

impl Machine {
    fn new(engine: Engine, threads: usize, source: &str) -> Machine {
        let device = Device::new(DeviceConfig { engine, threads, ..Default::default() }).unwrap();
        let code = device.upload(&assemble(source, Gfx::GFX1100, 32).unwrap_or_else(|e| panic!("{e:?}")).bytes).unwrap();
        let memory = device.alloc(1 << 17).unwrap();
        Machine { device, code, memory }
    }

    /// Runs so many workgroups of a wave each, with this in the first dword of memory. How many guest instructions that was.
    fn run(&self, groups: u32, first: u32) -> u64 {
        self.memory.write(0, &first.to_le_bytes()).unwrap();
        let (code, memory) = (self.code.address(), self.memory.address());
        let init = WaveInit::raw(&RawInit {
            target: Gfx::GFX1100,
            wave_size: 32,
            entry: code,
            // Float mode: denormals kept. 2 user SGPRs and the x of the workgroup. 24 VGPRs.
            rsrc: PgmRsrc { rsrc1: 0xf0 << 12 | 2, rsrc2: 2 << 1 | 1 << 7, rsrc3: 0 },
            user_data: &[memory as u32, (memory >> 32) as u32],
            scratch_bytes: 0,
        });
        let config = LaunchConfig::new([32 * groups, 1, 1], [32, 1, 1]);
        let launch = CodeLaunch { name: "test", code: (code, code + self.code.len() as u64), init, config };
        self.device.run_code(&launch).unwrap().guest_insts
    }

    /// Dwords of the memory from the second one on.
    fn words(&self, count: usize) -> Vec<u32> {
        let bytes = self.memory.to_vec().unwrap();
        bytes[4..].chunks(4).take(count).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    fn stats(&self) -> CodeStats {
        self.device.code_stats()
    }
}

/// Ends of programs: lane 0 of the wave of workgroup n stores v1 in dword n + 1.
const STORE: &str = "
    s_lshl_b32 s3, s2, 2
    v_mov_b32 v2, s3
    v_cmp_eq_u32 vcc_lo, 0, v0
    s_and_b32 exec_lo, exec_lo, vcc_lo
    global_store_b32 v2, v1, s[0:1] offset:4
    s_endpgm";

#[test]
fn few_waves_are_interpreted_until_they_have_been_launched_often() {
    let m = Machine::new(Engine::Tiered, 1, &format!("v_add_nc_u32 v1, s2, 7\n{STORE}"));
    let mut insts = m.run(1, 0);
    let (stats, once) = (m.stats(), insts);
    assert_eq!((stats.compiled, stats.interpreted_insts, once), (0, once, 7));
    let mut launches = 1;
    while m.stats().compiled == 0 {
        insts += m.run(1, 0);
        launches += 1;
        assert!(launches < 100, "{:?}", m.stats());
    }
    let stats = m.stats();
    // All of the launches before the last one, which compiled it and ran that.
    assert_eq!((stats.compiled, stats.compiled_insts), (1, once));
    assert_eq!(stats.interpreted_insts, insts - once);
    // Each launch finds half as much enough: 32 times the instructions, 16, 8, 4, and then 2.
    assert_eq!(launches, 5);
    assert_eq!(m.words(1), [7]);
}

#[test]
fn many_waves_are_compiled_at_once() {
    for engine in [Engine::Tiered, Engine::Jit] {
        let m = Machine::new(engine, 2, &format!("v_add_nc_u32 v1, s2, 7\n{STORE}"));
        m.run(1000, 0);
        let stats = m.stats();
        assert_eq!((stats.compiled, stats.interpreted_insts), (1, 0), "{engine:?}");
        assert_eq!(m.words(1000), (7..1007).collect::<Vec<u32>>(), "{engine:?}");
    }
    let m = Machine::new(Engine::Jit, 2, &format!("v_add_nc_u32 v1, s2, 7\n{STORE}"));
    m.run(1, 0);
    assert_eq!((m.stats().compiled, m.stats().interpreted_insts), (1, 0), "one wave, where that was asked for");
}

#[test]
fn a_wave_that_takes_long_goes_on_compiled() {
    let source = format!(
        "   v_mov_b32 v1, s2
            s_mov_b32 s4, 100000
        loop:
            v_add_nc_u32 v1, v1, 3
            s_sub_u32 s4, s4, 1
            s_cmp_lg_u32 s4, 0
            s_cbranch_scc1 loop
            {STORE}"
    );
    for (threads, waves) in [(1, 1), (1, 4), (2, 3)] {
        let m = Machine::new(Engine::Tiered, threads, &source);
        assert_eq!(m.run(waves, 0), u64::from(waves) * (2 + 400_000 + 6));
        assert_eq!(m.words(waves as usize), (300_000..300_000 + waves).collect::<Vec<u32>>());
        let stats = m.stats();
        assert!((1..=3).contains(&stats.compiled), "{threads} threads, {waves} waves: {stats:?}");
        // Another thread goes on interpreting while one compiles.
        assert!(threads > 1 || stats.interpreted_insts < 20_000, "{waves} waves: {stats:?}");
    }
}

/// Goes round a loop if the first dword of memory is 0, else through as many instructions that do something else.
fn two_parts(others: usize) -> String {
    let adds = "v_add_nc_u32 v1, 2, v1\n".repeat(others);
    format!(
        "   s_load_b32 s4, s[0:1], null
            v_mov_b32 v1, s2
            s_movk_i32 s5, 5000
            s_waitcnt lgkmcnt(0)
            s_cmp_lg_u32 s4, 0
            s_cbranch_scc1 other
        loop:
            v_add_nc_u32 v1, v1, 3
            s_sub_u32 s5, s5, 1
            s_cmp_lg_u32 s5, 0
            s_cbranch_scc1 loop
            s_branch out
        other:
            {adds}
        out:
            {STORE}"
    )
}

const LOOP: u32 = 15_000;
const OTHER: u32 = 2_000;

#[test]
fn of_long_code_the_part_that_is_used_is_compiled() {
    let m = Machine::new(Engine::Tiered, 1, &two_parts(1000));
    for _ in 0..8 {
        m.run(2, 0);
        assert_eq!(m.words(2), [LOOP, LOOP + 1]);
    }
    let stats = m.stats();
    assert!((1..=3).contains(&stats.compiled) && stats.compiled_insts < 60, "{stats:?}");
    // The other part is right, too: interpreted, and, when it is used again and again, compiled.
    for _ in 0..100 {
        m.run(2, 1);
        assert_eq!(m.words(2), [OTHER, OTHER + 1]);
    }
    assert!(m.stats().compiled_insts > 1000, "{:?}", m.stats());
    let interpreted = m.stats().interpreted_insts;
    for first in [0, 1, 0, 1] {
        m.run(2, first);
        assert_eq!(m.words(2)[1], if first == 0 { LOOP } else { OTHER } + 1);
    }
    assert_eq!(m.stats().interpreted_insts, interpreted, "all of it is compiled by now");
}

#[test]
fn many_waves_are_not_left_with_a_part() {
    let m = Machine::new(Engine::Tiered, 2, &two_parts(1000));
    for _ in 0..8 {
        m.run(2, 0);
    }
    assert!(m.stats().compiled_insts < 60, "{:?}", m.stats());
    let interpreted = m.stats().interpreted_insts;
    m.run(500, 1);
    assert_eq!(m.words(500), (OTHER..OTHER + 500).collect::<Vec<u32>>());
    let stats = m.stats();
    assert!(stats.compiled_insts > 1000 && stats.interpreted_insts == interpreted, "{stats:?}");
}

/// Calls a function of 1,000 instructions where the number of the workgroup behind is a multiple of the first dword of memory, which is a power of 2.
fn rare_call() -> String {
    let adds = "v_add_nc_u32 v1, 2, v1\n".repeat(1000);
    format!(
        "   s_load_b32 s4, s[0:1], null
            v_mov_b32 v1, s2
            s_waitcnt lgkmcnt(0)
            s_sub_u32 s5, s4, 1
            s_and_b32 s6, s5, s2
            s_cmp_lg_u32 s6, s5
            s_cbranch_scc1 out
            s_getpc_b64 s[6:7]
            s_add_u32 s6, s6, 40          // the function
            s_addc_u32 s7, s7, 0
            s_swappc_b64 s[8:9], s[6:7]
        out:
            {STORE}
            {adds}
            s_setpc_b64 s[8:9]"
    )
}

#[test]
fn of_code_that_calls_functions_the_part_that_is_used_is_compiled_while_many_waves_run() {
    const GROUPS: u32 = 20_000;
    let called = |n: u32, every: u32| (n + 1).is_multiple_of(every);
    for threads in [1, 2] {
        let m = Machine::new(Engine::Tiered, threads, &rare_call());
        // The one call comes when its part has long been compiled.
        let expected = |every: u32| (0..GROUPS).map(|n| if called(n, every) { n + 2000 } else { n }).collect::<Vec<u32>>();
        let insts = m.run(GROUPS, 1 << 14);
        assert_eq!(m.words(GROUPS as usize), expected(1 << 14), "{threads} threads");
        let calls = (0..GROUPS).filter(|n| called(*n, 1 << 14)).count() as u64;
        assert_eq!(insts, u64::from(GROUPS) * 13 + calls * 1005, "{threads} threads");
        let stats = m.stats();
        assert!((1..=3).contains(&stats.compiled) && stats.compiled_insts < 100, "{threads} threads: {stats:?}");
        assert!(threads > 1 || stats.interpreted_insts < insts / 4, "{stats:?}");
        // Where many call it, it is compiled, and right.
        for every in [4, 1, 4] {
            m.run(GROUPS, every);
            assert_eq!(m.words(GROUPS as usize), expected(every), "{threads} threads");
        }
        let before = m.stats().interpreted_insts;
        m.run(GROUPS, 2);
        assert_eq!(m.words(GROUPS as usize), expected(2), "{threads} threads");
        assert!(threads > 1 || m.stats().interpreted_insts == before, "all of it is compiled by now: {:?}", m.stats());
    }
}

/// A directory for translations, removed at the end.
struct Files(std::path::PathBuf);

impl Files {
    fn new(name: &str) -> Files {
        let path = std::env::temp_dir().join(format!("wavejit-tiers-{name}-{}", std::process::id()));
        std::fs::remove_dir_all(&path).ok();
        Files(path)
    }

    /// A machine as of a new process.
    fn machine(&self, source: &str) -> Machine {
        let m = Machine::new(Engine::Tiered, 1, source);
        m.device.keep_code_in(&self.0).unwrap();
        m
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// Is there a back end whose code can be kept?
fn is_kept() -> bool {
    wavejit_jit::emit::Isa::Best.is_wide()
}

#[test]
fn short_code_that_files_can_keep_is_compiled_once() {
    let (files, source) = (Files::new("short"), format!("v_add_nc_u32 v1, s2, 7\n{STORE}"));
    for process in 0..3 {
        let m = files.machine(&source);
        m.run(1, 0);
        assert_eq!(m.words(1), [7]);
        let stats = m.stats();
        let expected = if !is_kept() { (0, 0, 7) } else { (u64::from(process == 0), u64::from(process > 0), 0) };
        assert_eq!((stats.compiled, stats.loaded, stats.interpreted_insts), expected, "process {process}");
    }
}

#[test]
fn files_keep_a_part_until_there_is_more() {
    const OTHERS: u32 = 3000;
    let (files, source) = (Files::new("part"), two_parts(OTHERS as usize));
    let first = files.machine(&source);
    (0..8).for_each(|_| _ = first.run(2, 0));
    assert!(first.stats().compiled_insts < 60, "{:?}", first.stats());
    if !is_kept() {
        return;
    }
    let second = files.machine(&source);
    second.run(2, 0);
    assert_eq!(second.words(2), [LOOP, LOOP + 1]);
    let stats = second.stats();
    assert_eq!((stats.loaded, stats.compiled, stats.interpreted_insts), (1, 0, 0));
    // What it does not have is interpreted, until it is used again and again.
    for _ in 0..100 {
        second.run(2, 1);
        assert_eq!(second.words(2), [2 * OTHERS, 2 * OTHERS + 1]);
    }
    assert!(second.stats().compiled_insts > u64::from(OTHERS), "{:?}", second.stats());
    let third = files.machine(&source);
    for (value, result) in [(1, 2 * OTHERS), (0, LOOP)] {
        third.run(2, value);
        assert_eq!(third.words(2), [result, result + 1]);
    }
    let stats = third.stats();
    assert_eq!((stats.loaded, stats.compiled, stats.interpreted_insts), (1, 0, 0));
    // So many waves do not want a part, even if there is one.
    std::fs::remove_dir_all(&files.0).unwrap();
    let first = files.machine(&source);
    (0..8).for_each(|_| _ = first.run(2, 0));
    let fourth = files.machine(&source);
    fourth.run(500, 1);
    assert_eq!(fourth.words(500), (2 * OTHERS..2 * OTHERS + 500).collect::<Vec<u32>>());
    assert!(fourth.stats().compiled_insts > u64::from(OTHERS) && fourth.stats().interpreted_insts == 0, "{:?}", fourth.stats());
}
