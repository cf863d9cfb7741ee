//! Draws with shaders written by hand, which store the registers that they start with, and whose exports are looked at.

use super::indices::IndexSource;
use super::*;
use crate::{Engine, Gpu, Options, Progress};
use wavejit::{Buffer, Device, DeviceConfig};
use wavejit_isa::{Gfx, assemble};

/// Bytes that a wave stores: rows of v0 to v9, then s0 to s31.
const WAVE_BYTES: usize = 10 * 256 + 32 * 4;

/// Stores v0 to v9 and s0 to s31 where s8, s9 say, wave after wave; v23 is the lane then.
fn store_registers() -> String {
    let mut text = format!(
        "s_bfe_u32 s40, s3, 0x40018
        s_mul_i32 s40, s40, {WAVE_BYTES}
        s_add_u32 s40, s8, s40
        s_addc_u32 s41, s9, 0
        v_mbcnt_lo_u32_b32 v23, -1, 0
        v_mbcnt_hi_u32_b32 v23, -1, v23
        v_lshlrev_b32 v20, 2, v23
        v_mov_b32 v22, 0\n"
    );
    (0..10).for_each(|n| text += &format!("global_store_b32 v20, v{n}, s[40:41] offset:{}\n", 256 * n));
    (0..32).for_each(|n| text += &format!("v_mov_b32 v21, s{n}\nglobal_store_b32 v22, v21, s[40:41] offset:{}\n", 2560 + 4 * n));
    text
}

/// Exports v0 as primitives, and (index, instance, 0, 0) as positions.
const EXPORT: &str = "s_bfe_u32 s42, s3, 0x80008
    v_cmp_gt_u32 vcc, s42, v23
    s_and_saveexec_b64 s[44:45], vcc
    exp prim v0, off, off, off done
    s_mov_b64 exec, s[44:45]
    s_bfe_u32 s42, s3, 0x80000
    v_cmp_gt_u32 vcc, s42, v23
    s_and_b64 exec, exec, vcc
    v_cvt_f32_u32 v24, v5
    v_cvt_f32_u32 v25, v8
    v_mov_b32 v26, 0
    exp pos0 v24, v25, v26, v26 done
    s_endpgm";

struct Scene {
    device: Device,
    ring: Ring,
    out: Buffer,
    _code: Buffer,
}

impl Scene {
    /// A vertex shader that is given the address of `out` in s8 and s9, and 41 in s10.
    fn new(text: &str) -> Scene {
        let device = Device::new(DeviceConfig { threads: 2, ..Default::default() }).unwrap();
        let gpu = Gpu::new(device.clone(), Gfx::GFX1100, Options::default()).unwrap();
        let code = device.upload(&assemble(text, Gfx::GFX1100, 64).expect("it assembles").bytes).unwrap();
        let out = device.alloc(1 << 16).unwrap();
        let mut ring = Ring::new(gpu, Engine::Graphics);
        let ring_at = 0x4000_0000u64;
        let writes = [
            (0xb320, (code.address() >> 8) as u32),
            (0xb324, (code.address() >> 40) as u32),
            (0xb220, 0x1_6000),
            (0xb224, 0x2001),
            (0xb228, 15 | 0xf0 << 12 | 1 << 21),
            (0xb22c, 3 << 1),
            (0xb230, out.address() as u32),
            (0xb234, (out.address() >> 32) as u32),
            (0xb238, 41),
            (0x2_8b54, 0x0601_2010),
            (0x2_8818, 0x43f),
            (0x3_096c, 128 << 9 | 128),
            (0x3_0998, 2),
            (0x3_0908, 4),
            (0x2_8708, 1),
            (0x2_870c, 4),
            (0x3_1118, (ring_at >> 16) as u32),
            (0x3_111c, 3),
        ];
        writes.iter().for_each(|(address, value)| ring.registers.write(address / 4, *value).unwrap());
        Scene { device, ring, out, _code: code }
    }

    fn set(&mut self, address: u32, value: u32) {
        self.ring.registers.write(address / 4, value).unwrap();
    }

    /// The batches of a draw, whose waves run side by side.
    fn batches(&self, source: IndexSource, count: u32, instances: u32) -> Vec<Batch> {
        let state = GeometryState::of(&self.ring.registers).unwrap();
        let gpu = self.ring.gpu.inner();
        let mut grouper = Grouper::new(self.device.memory(), &state, Request { source, count, instances }).unwrap();
        let mut groups = vec![];
        while let Some(group) = grouper.next().unwrap() {
            let start = groups.len() as u64 * 512 * 4;
            groups.push(placed(&state, group, start));
        }
        run(gpu, &state, output_kind(state.output).unwrap(), &groups, 0, None).unwrap()
    }

    /// v0 to v9 and s0 to s31 of a wave.
    fn registers(&self, wave: usize) -> (Vec<Vec<u32>>, Vec<u32>) {
        let bytes = self.out.to_vec().unwrap()[wave * WAVE_BYTES..][..WAVE_BYTES].to_vec();
        let words: Vec<u32> = bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        ((0..10).map(|v| words[v * 64..][..64].to_vec()).collect(), words[640..].to_vec())
    }

    fn run(&mut self, packet: &[u32]) -> Result<(), String> {
        let ib = self.device.upload(&packet.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>()).unwrap();
        self.ring.start(ib.address(), packet.len() as u32);
        self.ring.run().map(|progress| assert_eq!(progress, Progress::Done)).map_err(|e| e.to_string())
    }
}

// INIT-07, descriptors.md 12.3 and 12.5: the first of two merged stages is entered, s0 to s7 are written, user SGPRs begin at s8.
#[test]
fn geometry_waves_start_with_what_registers_say() {
    let scene = Scene::new(&(store_registers() + EXPORT));
    let batches = scene.batches(IndexSource::Counted, 126, 1);
    let [batch] = &batches[..] else { panic!("one subgroup: {}", batches.len()) };
    let (v, s) = scene.registers(0);
    assert_eq!(s[..8], [0x1_6000, 0x2001, 42 << 22 | 126 << 12, 2 << 28 | 42 << 8 | 64, 0, 0, 0, 0]);
    assert_eq!(s[8..11], [scene.out.address() as u32, (scene.out.address() >> 32) as u32, 41]);
    assert_eq!(v[0][1], 3 | 4 << 10 | 5 << 20 | 1 << 9 | 1 << 19 | 1 << 29);
    assert_eq!((v[2][41], v[5][63], v[8][63]), (41, 63, 0));
    let (v, s) = scene.registers(1);
    assert_eq!(s[2..4], [42 << 22 | 126 << 12, 2 << 28 | 1 << 24 | 62]);
    assert_eq!((v[5][0], v[5][61]), (64, 125));
    assert_eq!((batch.vertices.len(), batch.primitives.len()), (126, 42));
    assert!(batch.vertices.iter().enumerate().all(|(i, v)| v.position == [i as f32, 0.0, 0.0, 0.0] && v.point_size.is_nan()));
    assert_eq!(batch.primitives[41].corners, [123, 124, 125]);
}

// INIT-07: the second subgroup has a place of its own in the attribute ring (s5), a number (s2), and another instance (v8).
#[test]
fn subgroups_have_one_instance_and_their_own_attributes() {
    let scene = Scene::new(&(store_registers() + EXPORT));
    let batches = scene.batches(IndexSource::Counted, 6, 2);
    assert_eq!(batches.len(), 2);
    assert_eq!(batches[1].attributes.ring - batches[0].attributes.ring, 2048);
    assert_eq!(batches[1].vertices[5].position[..2], [5.0, 1.0]);
}

// INIT-08: s2 is what it was, behind all that a shader does before it streams out.
#[test]
fn the_number_of_a_subgroup_stays_in_its_register() {
    let text = "s_mov_b32 m0, 0x3006
        s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)
        v_mov_b32 v10, 0
        ds_add_u32 v10, v10
        ds_load_b32 v10, v10
        s_waitcnt lgkmcnt(0)
        s_barrier
        v_readlane_b32 s31, v10, 0\n"
        .to_owned()
        + &store_registers()
        + EXPORT;
    let scene = Scene::new(&text);
    for instances in 1..4 {
        scene.batches(IndexSource::Counted, 6, instances);
        let (v, s) = scene.registers(0);
        // Any of them may have stored last.
        assert!(v[8][0] < instances);
        assert_eq!(s[2], 2 << 22 | 6 << 12 | v[8][0], "{instances} instances");
    }
}

// INIT-07, descriptors.md 12.5: without passthrough v0, v1 and v4 are offsets of vertices, v3 the invocation. Exports past what was asked for
// (GS_ALLOC_REQ) are left out.
#[test]
fn geometry_shaders_are_given_offsets_of_vertices() {
    let text = store_registers()
        + "s_mov_b32 m0, 3 << 12 | 6
        s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)
        v_mov_b32 v0, 0x200400\n"
        + EXPORT;
    let text = text.replace("3 << 12 | 6", &(3 << 12 | 6).to_string());
    let mut scene = Scene::new(&text);
    scene.set(0x2_8b54, 0x2030);
    scene.set(0x3_0908, 0xc);
    scene.set(0x2_8aac, 5);
    scene.set(0x2_8b4c, 3);
    scene.set(0x2_8b90, 1 | 2 << 2);
    let batches = scene.batches(IndexSource::Counted, 12, 1);
    let (v, s) = scene.registers(0);
    assert_eq!(s[2..4], [4 << 22 | 12 << 12, 1 << 28 | 4 << 8 | 12]);
    assert_eq!((v[0][2], v[1][2], v[4][2]), (30 | 35 << 16, 40 | 45 << 16, 50 | 55 << 16));
    assert_eq!([0, 1, 2, 3].map(|lane| v[2][lane]), [0, 0, 1, 1]);
    assert_eq!([0, 1, 2, 3].map(|lane| v[3][lane] & 0xff), [0, 1, 0, 1]);
    assert_eq!(batches[0].primitives.len(), 3);
    assert_eq!(batches[0].primitives[0].corners, [0, 1, 2]);
}

// graphics.md 4.1: lanes export what geometry shaders emit (GE_NGG_SUBGRP_CNTL, GE_MAX_OUTPUT_PER_SUBGROUP); invocations that would be too many for a
// subgroup get one each (VGT_GS_INSTANCE_CNT).
#[test]
fn subgroups_have_lanes_for_what_geometry_shaders_emit() {
    let text = store_registers() + EXPORT;
    let mut scene = Scene::new(&text);
    scene.set(0x2_8b54, 0x2030);
    scene.set(0x2_8b4c, 40);
    scene.set(0x2_87fc, 256);
    scene.set(0x2_8b90, 1 | 2 << 2);
    // Two triangles, two invocations each: 160 vertices.
    assert_eq!(scene.batches(IndexSource::Counted, 6, 1).len(), 1);
    let (_, s) = scene.registers(0);
    assert_eq!(s[2..4], [4 << 22 | 160 << 12, 3 << 28 | 4 << 8 | 6]);
    scene.set(0x2_8b90, 1 << 31 | 1 | 3 << 2);
    scene.set(0x3_096c, 1 | 128 << 9);
    let state = GeometryState::of(&scene.ring.registers).unwrap();
    let request = Request { source: IndexSource::Counted, count: 6, instances: 1 };
    let mut grouper = Grouper::new(scene.device.memory(), &state, request).unwrap();
    let groups = std::iter::from_fn(|| grouper.next().unwrap());
    let places: Vec<_> = groups.map(|g| (g.first_primitive, g.invocation, g.primitives.len())).collect();
    assert_eq!(places, [(0, 0, 1), (0, 1, 1), (0, 2, 1), (1, 0, 1), (1, 1, 1), (1, 2, 1)]);
}

// Two vertices are no triangle, in no instance: none is gone through after the first.
#[test]
fn draws_without_primitives_end_whatever_instances_they_have() {
    let scene = Scene::new(&(store_registers() + EXPORT));
    let state = GeometryState::of(&scene.ring.registers).unwrap();
    let request = Request { source: IndexSource::Counted, count: 2, instances: u32::MAX };
    let mut grouper = Grouper::new(scene.device.memory(), &state, request).unwrap();
    assert_eq!(grouper.next().unwrap(), None);
    let request = Request { source: IndexSource::Counted, count: 3, instances: 2 };
    let mut grouper = Grouper::new(scene.device.memory(), &state, request).unwrap();
    assert_eq!(std::iter::from_fn(|| grouper.next().unwrap()).map(|g| g.instance).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn primitives_of_a_strip_share_vertices() {
    let mut scene = Scene::new(&(store_registers() + EXPORT));
    scene.set(0x3_0908, 6);
    scene.set(0x3_092c, 1);
    scene.set(0x2_840c, 0xffff);
    let indices: Vec<u8> = [0u16, 1, 2, 3, 0xffff, 3, 2, 9].iter().flat_map(|i| i.to_le_bytes()).collect();
    let indices = scene.device.upload(&indices).unwrap();
    let batches = scene.batches(IndexSource::Memory { address: indices.address(), available: 8 }, 8, 1);
    assert_eq!(batches[0].vertices.iter().map(|v| v.position[0]).collect::<Vec<_>>(), [0.0, 1.0, 2.0, 3.0, 9.0]);
    assert_eq!(batches[0].primitives.iter().map(|p| p.corners).collect::<Vec<_>>(), [[0, 1, 2], [1, 3, 2], [3, 2, 4]]);
}

/// Adds the index and 16 times the instance, plus 256, and s10 to a counter, for each vertex; exports nothing.
const COUNT: &str = "v_mbcnt_lo_u32_b32 v23, -1, 0
    v_mbcnt_hi_u32_b32 v23, -1, v23
    s_bfe_u32 s42, s3, 0x80000
    v_cmp_gt_u32 vcc, s42, v23
    s_and_b64 exec, exec, vcc
    v_lshl_add_u32 v24, v8, 4, v5
    v_add_nc_u32 v24, 0x100, v24
    v_add_nc_u32 v24, s10, v24
    v_mov_b32 v25, 0
    global_atomic_add_u32 v25, v24, s[8:9]
    s_endpgm";

const fn header(opcode: u32, body: u32) -> u32 {
    3 << 30 | (body - 1) << 16 | opcode << 8
}

// graphics.md 2.2: every draw packet; arguments from memory write user data.
#[test]
fn draw_packets_draw() {
    let mut scene = Scene::new(COUNT);
    scene.set(0xb238, 0);
    let counted = |scene: &mut Scene, packets: &[u32]| {
        scene.out.write(0, &[0; 4]).unwrap();
        scene.run(packets).unwrap();
        u32::from_le_bytes(scene.out.to_vec().unwrap()[..4].try_into().unwrap())
    };
    let indices: Vec<u8> = [1u16, 2, 3, 4, 5, 6].iter().flat_map(|i| i.to_le_bytes()).collect();
    let indices = scene.device.upload(&indices).unwrap();
    let (low, high) = (indices.address() as u32, (indices.address() >> 32) as u32);
    // Three vertices 0, 1, 2; of two instances.
    assert_eq!(counted(&mut scene, &[header(0x2d, 2), 3, 2]), 3 * 256 + 3);
    assert_eq!(counted(&mut scene, &[header(0x2f, 1), 2, header(0x2d, 2), 3, 2]), 2 * (3 * 256 + 3) + 3 * 16);
    scene.set(0x3_0934, 1);
    assert_eq!(counted(&mut scene, &[header(0x27, 5), 6, low, high, 6, 0]), 6 * 256 + 21);
    // The last index is past the end, and so 0.
    assert_eq!(counted(&mut scene, &[header(0x27, 5), 2, low, high, 3, 0]), 3 * 256 + 3);
    let base = [header(0x26, 2), low, high, header(0x13, 1), 6];
    let offset = [&base[..], &[header(0x35, 4), 6, 3, 3, 0]].concat();
    assert_eq!(counted(&mut scene, &offset), 3 * 256 + 15);
    // Arguments: three vertices, one instance, the first vertex is 7.
    let args: Vec<u8> = [3u32, 1, 7, 0, 0, 3, 2, 7, 0, 0].iter().flat_map(|w| w.to_le_bytes()).collect();
    let args = scene.device.upload(&args).unwrap();
    let set_base = [header(0x11, 3), 1, args.address() as u32, (args.address() >> 32) as u32];
    let s10 = (0xb238 - 0xb000) / 4;
    let indirect = [&set_base[..], &[header(0x24, 4), 0, s10, 0, 2]].concat();
    assert_eq!(counted(&mut scene, &indirect), 3 * 256 + 3 + 3 * 7);
    // Two draws 20 bytes apart, the second of two instances; then as many as a count in memory says: none.
    let multi = [&set_base[..], &[header(0x2c, 9), 0, s10, 0, 0, 2, 0, 0, 20, 2]].concat();
    assert_eq!(counted(&mut scene, &multi), 3 * (3 * 256 + 3 + 3 * 7) + 3 * 16);
    let none = args.address() + 12;
    let multi = [&set_base[..], &[header(0x2c, 9), 0, s10, 0, 1 << 30, 2, none as u32, (none >> 32) as u32, 20, 2]].concat();
    assert_eq!(counted(&mut scene, &multi), 0);
    // Indices: the first is number 1, and 7 is the first vertex.
    let args: Vec<u8> = [3u32, 1, 1, 7, 0].iter().flat_map(|w| w.to_le_bytes()).collect();
    let args = scene.device.upload(&args).unwrap();
    let set_base = [header(0x11, 3), 1, args.address() as u32, (args.address() >> 32) as u32];
    let indirect = [&base[..], &set_base[..], &[header(0x25, 4), 0, s10, 0, 0]].concat();
    assert_eq!(counted(&mut scene, &indirect), 3 * 256 + 2 + 3 + 4 + 3 * 7);
}

#[test]
fn a_fault_names_shader_and_draw() {
    let mut scene = Scene::new("v_mov_b32 v0, 0\ns_mov_b64 s[8:9], 0\nglobal_store_b32 v0, v0, s[8:9]\ns_endpgm");
    let message = scene.run(&[header(0x2d, 2), 3, 2]).unwrap_err();
    for part in ["DRAW_INDEX_AUTO", "vertex or geometry shader of hash", "draw 1 of the ring", "global_store_b32", "lane 0"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let message = scene.run(&[header(0x2d, 2), 3, 1]).unwrap_err();
    assert!(message.contains("initiator: source 1 of indices"), "{message}");
}
