//! Launches of parts of a grid: what a kernel sees is the whole grid, and all parts together give what one launch gives.

use wavejit::code_object::PgmRsrc;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{Arg, CodeLaunch, Device, DeviceConfig, DispatchStats, Engine, Error, Geometry, Launch, LaunchConfig, Part};
use wavejit_isa::{Gfx, assemble};

/// Two workgroups of each dimension are full, the last one is partial: 3 x 3 x 2 of them.
const GRID: [u32; 3] = [70, 11, 3];
const GROUP: [u32; 3] = [32, 4, 2];

fn devices() -> impl Iterator<Item = Device> {
    let engines = [Engine::Jit, Engine::Interp];
    engines
        .into_iter()
        .flat_map(|engine| [1, 3].map(|threads| Device::new(DeviceConfig { engine, threads, ..Default::default() }).unwrap()))
}

/// All ways to cut the workgroups in two, in each dimension, and in single ones.
fn partitions() -> Vec<Vec<Part>> {
    let groups = Geometry::new(GRID, GROUP).groups();
    let mut all = vec![vec![Part { first: [0; 3], count: groups }]];
    for d in 0..3 {
        for cut in 1..groups[d] {
            let (mut low, mut high) = (Part { first: [0; 3], count: groups }, Part { first: [0; 3], count: groups });
            low.count[d] = cut;
            high.first[d] = cut;
            high.count[d] -= cut;
            all.push(vec![high, low]);
        }
    }
    let [nx, ny, nz] = groups;
    let ids = (0..nx * ny * nz).map(|i| [i % nx, i / nx % ny, i / nx / ny]);
    all.push(ids.map(|first| Part { first, count: [1; 3] }).collect());
    all
}

/// Adds, at each work-item's place in the grid, what it knows of itself: v0 (its id in the workgroup) and the workgroup's id.
const WHO: &str = "s_mov_b32 s10, exec_lo
    v_and_b32 v1, 0x3ff, v0
    v_bfe_u32 v2, v0, 10, 10
    v_bfe_u32 v3, v0, 20, 10
    s_lshl_b32 s5, s2, 5
    s_lshl_b32 s6, s3, 2
    s_lshl_b32 s7, s4, 1
    v_add_nc_u32 v1, s5, v1
    v_add_nc_u32 v2, s6, v2
    v_add_nc_u32 v3, s7, v3
    v_mul_u32_u24 v3, 11, v3
    v_add_nc_u32 v2, v2, v3
    v_mul_u32_u24 v2, 0x46, v2
    v_add_lshl_u32 v1, v1, v2, 2
    s_lshl_b32 s5, s2, 20
    s_lshl_b32 s6, s3, 24
    s_lshl_b32 s7, s4, 28
    s_or_b32 s5, s5, s6
    s_or_b32 s5, s5, s7
    s_bcnt1_i32_b32 s8, s10
    s_lshl_b32 s8, s8, 14
    s_or_b32 s5, s5, s8
    v_or_b32 v4, s5, v0
    global_atomic_add_u32 v1, v4, s[0:1]
    s_endpgm";

fn who(device: &Device, geometry: Geometry, out: u64) -> Result<DispatchStats, Error> {
    let code = assemble(WHO, Gfx::GFX1100, 32).unwrap().bytes;
    let program = device.program(&code, Gfx::GFX1100)?;
    // Two user SGPRs, then the three workgroup ids; work-item ids in v0.
    let rsrc = PgmRsrc { rsrc1: 3 | 0xf0 << 12, rsrc2: 2 << 1 | 7 << 7, rsrc3: 0 };
    let (entry, user_data) = (program.range().0, [out as u32, (out >> 32) as u32]);
    let raw = RawInit { target: Gfx::GFX1100, wave_size: 32, entry, rsrc, user_data: &user_data, scratch_bytes: 0 };
    let config = LaunchConfig { geometry, ..Default::default() };
    program.run(&CodeLaunch { name: "who", code: program.range(), init: WaveInit::raw(&raw), config })
}

#[test]
fn parts_of_a_grid_have_its_ids_and_its_partial_workgroups() {
    let items = GRID.iter().product::<u32>() as usize;
    for device in devices() {
        let run = |parts: &[Option<Part>]| {
            let out = device.alloc(4 * items).unwrap();
            let (mut workgroups, mut waves) = (0, 0);
            for part in parts {
                let stats = who(&device, Geometry { part: *part, ..Geometry::new(GRID, GROUP) }, out.address()).unwrap();
                workgroups += stats.workgroups;
                waves += stats.waves;
            }
            (workgroups, waves, out.to_vec().unwrap())
        };
        let whole = run(&[None]);
        assert_eq!(whole.0, 18);
        assert!(whole.2.chunks(4).all(|b| b != [0; 4]), "every work-item has written");
        for parts in partitions() {
            let parts: Vec<Option<Part>> = parts.into_iter().map(Some).collect();
            assert_eq!(run(&parts), whole, "{parts:?}");
        }
    }
}

#[test]
fn packet_and_hidden_arguments_are_those_of_the_whole_grid() {
    let object = include_bytes!("data/small-v5.hsaco");
    for device in devices() {
        // Workgroup size, width of the grid, ids; columns and rows of workgroups are partial at their ends.
        let kernel = device.load(object).unwrap().kernel("where_am_i").unwrap();
        let run = |parts: &[Option<Part>]| {
            let out = device.alloc(16 * 40 * 7).unwrap();
            for part in parts {
                let geometry = Geometry { part: *part, ..Geometry::new([40, 7, 1], [16, 4, 1]) };
                let config = LaunchConfig { geometry, ..Default::default() };
                kernel.launch(&Launch { config, args: &[Arg::Buffer(&out)], ..Default::default() }).unwrap();
            }
            out.to_vec().unwrap()
        };
        let columns = [2, 0, 1].map(|x| Some(Part { first: [x, 0, 0], count: [1, 2, 1] }));
        let rows = [1, 0].map(|y| Some(Part { first: [0, y, 0], count: [3, 1, 1] }));
        let whole = run(&[None]);
        assert!(run(&columns) == whole && run(&rows) == whole);
    }
}

#[test]
fn a_part_leaves_the_rest_alone_and_must_be_in_the_grid() {
    let object = include_bytes!("data/small-v5.hsaco");
    for device in devices() {
        let kernel = device.load(object).unwrap().kernel("scale").unwrap();
        let out = device.upload(&vec![0xff; 4 * 130]).unwrap();
        let args = [Arg::Buffer(&out), Arg::F32(0.5), Arg::U32(130)];
        let launch = |first, count| {
            let geometry = Geometry { part: Some(Part { first, count }), ..Geometry::new([130, 1, 1], [64, 1, 1]) };
            let config = LaunchConfig { geometry, ..Default::default() };
            kernel.launch(&Launch { config, args: &args, ..Default::default() })
        };
        let read = || -> Vec<f32> { out.to_vec().unwrap().chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect() };
        assert_eq!(launch([2, 0, 0], [1, 1, 1]).unwrap().waves, 1);
        assert!(read()[..128].iter().all(|v| v.is_nan()) && read()[128..] == [64.0, 64.5]);
        assert_eq!(launch([0; 3], [2, 1, 1]).unwrap().workgroups, 2);
        assert_eq!(read(), (0..130).map(|i| i as f32 * 0.5).collect::<Vec<_>>());
        for (first, count) in [([0; 3], [4, 1, 1]), ([3, 0, 0], [1; 3]), ([0, 1, 0], [1; 3]), ([0; 3], [0, 1, 1])] {
            let Err(Error::Arg(text)) = launch(first, count) else { panic!("{first:?} + {count:?} is not in the grid") };
            assert!(text.contains("the grid has 3 x 1 x 1"), "{text}");
        }
    }
}
