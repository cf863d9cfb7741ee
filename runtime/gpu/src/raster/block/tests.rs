//! Blocks beside the general way, by quads and tiles: the same bytes in memory.

use super::*;
use crate::draw::primitives::Batch;
use crate::raster::OutputKind;
use crate::raster::tests::{SHADER, Scene, batch, clip_space, draw_all};
use std::cell::Cell;

thread_local! {
    /// Draws of this thread go the general way: by quads and tiles.
    pub(crate) static IS_GENERAL: Cell<bool> = const { Cell::new(false) };
}

#[test]
fn rows_of_pixels_become_lanes() {
    for (lane, [x, y]) in PLACES.into_iter().enumerate() {
        let mut rows = [0; SIDE];
        rows[usize::from(y)] = 1 << x;
        assert_eq!((lanes_of_rows(rows), rows_of_lanes(1 << lane)), (1 << lane, rows));
    }
    assert_eq!(lanes_of_rows([0xff; SIDE]), u64::MAX);
    assert_eq!(lanes_of_rows([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]), u64::from(u32::MAX));
}

const WIDTH: u32 = 200;
const HEIGHT: u32 = 150;

/// Memory of a target after triangles of all sizes, and rectangles, over one another.
fn drawn(is_general: bool, shader: &str, bytes: usize, writes: &[(u32, u32)]) -> (Vec<u8>, [u64; 2]) {
    let mut scene = Scene::new(WIDTH, HEIGHT, shader);
    let target = scene.ring.gpu.inner().device.upload(&vec![0x5a; (512 << 10) * bytes / 4 + (1 << 19)]).unwrap();
    let base = target.address().next_multiple_of(1 << 18);
    scene.write(&[(0x2_8c60, (base >> 8) as u32), (0x2_8e40, (base >> 40) as u32), (0x2_8004, 1 << 8)]);
    let depths: Vec<u8> = (0..1u32 << 18).flat_map(|n| (n.wrapping_mul(0x9e37_79b9) >> 9 | 0x3f00_0000).to_le_bytes()).collect();
    let depth = scene.ring.gpu.inner().device.upload(&depths).unwrap();
    let place = depth.address().next_multiple_of(1 << 18);
    let (low, high) = ((place >> 8) as u32, (place >> 40) as u32);
    scene.write(&[(0x2_8048, low), (0x2_8050, low), (0x2_8068, high), (0x2_8070, high)]);
    scene.write(&[(0x2_801c, (HEIGHT - 1) << 16 | (WIDTH - 1))]);
    scene.write(writes);
    scene.ring.counts_statistics = true;
    let mut random = wavejit_random::Random(11);
    let mut batches: Vec<Batch> = Vec::new();
    for size in [4, 30, 120, 500] {
        let (mut positions, mut colors) = (Vec::new(), Vec::new());
        for _ in 0..12 {
            let [x, y] = [WIDTH, HEIGHT].map(|most| random.below(most) as f32);
            let w = [1.0, 2.5, 0.75][random.below(3) as usize];
            for n in 0..3 {
                let mut place = |from: f32| from + random.below(size * 16) as f32 / 16.0 - size as f32 / 2.0;
                let z = place(0.0) / size as f32 + 0.5;
                positions.push(clip_space(WIDTH, HEIGHT, place(x), place(y), z, if n == 1 { w } else { 1.0 }));
                colors.push([(); 3].map(|()| random.below(1 << 20) as f32 / (1 << 19) as f32 - 0.5));
            }
        }
        let mut batch = batch(&positions, OutputKind::Triangles);
        scene.with_colors(&mut batch, &colors);
        batches.push(batch);
    }
    IS_GENERAL.set(is_general);
    draw_all(&mut scene.ring, OutputKind::Triangles, batches);
    IS_GENERAL.set(false);
    let from = (base - target.address()) as usize;
    let memory = [&target.to_vec().unwrap()[from..], &depth.to_vec().unwrap()].concat();
    (memory, [scene.ring.raster.samples_passed, scene.ring.raster.pixel_invocations])
}

/// Draws both ways. Pixels that were drawn.
fn compare(what: &str, shader: &str, bytes: usize, writes: &[(u32, u32)]) -> u64 {
    let (found, expected) = (drawn(false, shader, bytes, writes), drawn(true, shader, bytes, writes));
    assert_eq!(found.1, expected.1, "{what}: counts");
    if let Some(at) = (0..found.0.len()).find(|n| found.0[*n] != expected.0[*n]) {
        panic!("{what}: byte {at:#x} is {:#x}, expected {:#x}", found.0[at], expected.0[at]);
    }
    expected.1[0]
}

// graphics.md 5.7, 6: blocks leave in memory what quads leave there, in all tilings of targets and all sizes of elements.
#[test]
fn blocks_leave_what_quads_leave() {
    // 8, 8_8, 8_8_8_8, 16_16_16_16 FLOAT, 32_32_32_32 FLOAT.
    for (format, number, bytes) in [(1, 0, 1), (3, 0, 2), (0xa, 0, 4), (0xc, 7, 8), (0xe, 7, 16)] {
        for mode in [0, 22, 24, 27, 28, 31] {
            let writes = [(0x2_8c70, 0x0002_8000 | format | number << 8), (0x2_8ee0, 1 << 24 | mode << 14)];
            assert!(compare(&format!("format {format:#x}, mode {mode}"), SHADER, bytes, &writes) > 10_000);
        }
    }
}

// graphics.md 3.9, 5.6: depth tests before and after the shader, all functions, both formats; what they write.
#[test]
fn blocks_pass_where_quads_pass() {
    let kill = SHADER.replace("s_mov_b64 exec, s[2:3]", "s_mov_b64 exec, s[2:3]\n    v_cmpx_le_f32 0.5, v0");
    for format in [1, 3] {
        for function in 0..8 {
            let writes = [(0x2_8040, format | 24 << 4), (0x2_8800, 1 << 1 | 1 << 2 | function << 4), (0x2_8ee0, 1 << 24 | 27 << 14)];
            compare(&format!("function {function}, format {format}"), SHADER, 4, &writes);
            let late = [&writes[..], &[(0x2_880c, 0x50)]].concat();
            compare(&format!("function {function}, format {format}, late"), &kill, 4, &late);
        }
    }
}

// graphics.md 3.9, 5.7: write masks, blending, logic operations, killed pixels, linear terms, places.
#[test]
fn blocks_leave_what_quads_leave_in_all_draws() {
    let mode = (0x2_8ee0, 1 << 24 | 27 << 14);
    compare("write mask", SHADER, 4, &[mode, (0x2_8238, 0b0101)]);
    compare("blending", SHADER, 4, &[mode, (0x2_8780, 1 << 30 | 1 << 8 | 2)]);
    compare("logic operation", SHADER, 4, &[mode, (0x2_8808, 0x0066_0010)]);
    let kill = SHADER.replace("s_mov_b64 exec, s[2:3]", "s_mov_b64 exec, s[2:3]\n    v_cmpx_le_f32 0.5, v0");
    compare("kill", &kill, 4, &[mode, (0x2_880c, 0x50)]);
    // Interpolated by the place on the screen, in v2 and v3.
    let place = SHADER.replace("v9, v7, 1.0", "v9, v2, v3").replace("lds_param_load v2", "v_add_f32 v0, v2, v3\n    lds_param_load v2");
    compare("position", &place, 4, &[mode, (0x2_86cc, 1 << 5 | 1 << 8 | 1 << 9), (0x2_86d0, 1 << 5 | 1 << 8 | 1 << 9)]);
}
