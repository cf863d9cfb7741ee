//! States and batches for tests of the fixed function, and whole draws with shaders written here.

use super::*;
use crate::draw::primitives::{Attributes, Primitive, Vertex};
use crate::registers::RegisterFile;
use crate::registers::raster::Viewport;

/// 64 x 64 pixels, nothing culled, Vulkan's clip space.
pub(crate) fn state() -> RasterState {
    let mut file = RegisterFile::new();
    file.write(0x2_8818 / 4, 0x43f).unwrap();
    let mut state = RasterState::of(&file).unwrap();
    let scissor = Rect { x0: 0, y0: 0, x1: 64, y1: 64 };
    state.viewports.fill(Viewport { scale: [32.0, 32.0, 1.0], offset: [32.0, 32.0, 0.0], depth: [0.0, 1.0], scissor });
    state.front_is_clockwise = false;
    state.clip_disabled = false;
    state.guard_clip = [500.0; 2];
    state.line_width = 1.0;
    state.point_limits = [0.0, 8191.0];
    state.point_size = [1.0; 2];
    state
}

/// No depth, no stencil.
pub(crate) fn depth_state() -> DepthState {
    DepthState::of(&RegisterFile::new()).unwrap()
}

/// Primitives of vertices in order, without attributes.
pub(crate) fn batch(positions: &[[f32; 4]], kind: OutputKind) -> Batch {
    let count = match kind {
        OutputKind::Points => 1,
        OutputKind::Lines => 2,
        OutputKind::Triangles | OutputKind::Rectangles => 3,
    };
    let vertex = |position: &[f32; 4]| Vertex { position: *position, point_size: f32::NAN, misc_z: 0, distances: [0.0; 8] };
    let primitive = |n: usize| {
        let corners = std::array::from_fn(|c| if c < count { (n * count + c) as u16 } else { 0 });
        Primitive { corners, number: n as u16, ..Default::default() }
    };
    Batch {
        vertices: positions.iter().map(vertex).collect(),
        primitives: (0..positions.len() / count).map(primitive).collect(),
        attributes: Attributes::default(),
    }
}

/// Draws batches, one after the other.
pub(crate) fn draw_all(ring: &mut Ring, kind: OutputKind, batches: Vec<Batch>) {
    let mut left = batches.into_iter();
    draw(ring, kind, || Ok(left.next().map(|batch| vec![batch]))).unwrap();
}

/// A ring with a target, and what is needed to draw to it.
pub(crate) struct Scene {
    pub ring: Ring,
    target: wavejit::Buffer,
    width: u32,
    height: u32,
    // Memory of the shader and of attributes.
    kept: Vec<wavejit::Buffer>,
}

/// Interpolates three components of attribute 0 and exports them with alpha 1. I and J are in v0 and v1, the word for M0 in s0.
pub(crate) const SHADER: &str = "
    s_mov_b64 s[2:3], exec
    s_wqm_b64 exec, exec
    s_mov_b32 m0, s0
    lds_param_load v2, attr0.x wait_vdst:15
    lds_param_load v3, attr0.y wait_vdst:15
    lds_param_load v4, attr0.z wait_vdst:15
    v_interp_p10_f32 v5, v2, v0, v2 wait_exp:0
    v_interp_p10_f32 v6, v3, v0, v3 wait_exp:0
    v_interp_p10_f32 v7, v4, v0, v4 wait_exp:0
    v_interp_p2_f32 v5, v2, v1, v5 wait_exp:0
    v_interp_p2_f32 v6, v3, v1, v6 wait_exp:0
    v_interp_p2_f32 v7, v4, v1, v7 wait_exp:0
    s_mov_b64 exec, s[2:3]
    v_cvt_pk_rtz_f16_f32 v8, v5, v6
    v_cvt_pk_rtz_f16_f32 v9, v7, 1.0
    exp mrt0 v8, v9, off, off done
    s_endpgm";

impl Scene {
    /// A linear RGBA8 target, cleared to 0, and a shader.
    pub(crate) fn new(width: u32, height: u32, shader: &str) -> Scene {
        use wavejit::{Device, DeviceConfig};
        let device = Device::new(DeviceConfig::default()).unwrap();
        let code = wavejit_isa::assemble(shader, wavejit_isa::Gfx::GFX1100, 64).unwrap();
        let code = device.upload(&code.bytes).unwrap();
        let pitch = width.next_multiple_of(64);
        let target = device.upload(&vec![0; (pitch * height * 4) as usize]).unwrap();
        let gpu = crate::Gpu::new(device, wavejit_isa::Gfx::GFX1100, crate::Options::default()).unwrap();
        let mut scene = Scene { ring: Ring::new(gpu, crate::Engine::Graphics), target, width, height, kept: Vec::new() };
        let (w, h) = (width as f32 / 2.0, height as f32 / 2.0);
        let entry = code.address();
        let (base, size) = (scene.target.address(), (width - 1) << 14 | (height - 1));
        scene.kept.push(code);
        scene.write(&[
            (0xb020, (entry >> 8) as u32),
            (0xb024, (entry >> 40) as u32),
            (0xb028, 0x00ac_0002),
            (0x2_86cc, 2),
            (0x2_86d0, 2),
            (0x2_86d8, 1),
            (0x2_8714, 4),
            (0x2_8818, 0x43f),
            (0x2_8810, 0x0108_0000),
            (0x2_8814, 0x240),
            (0x2_8be4, 0x2d),
            (0x2_843c, w.to_bits()),
            (0x2_8440, w.to_bits()),
            (0x2_8444, h.to_bits()),
            (0x2_8448, h.to_bits()),
            (0x2_844c, 1.0f32.to_bits()),
            (0x2_8be8, 100.0f32.to_bits()),
            (0x2_8bf0, 100.0f32.to_bits()),
            (0x2_880c, 0x10),
            (0x2_8808, 0x00cc_0010),
            (0x2_8238, 15),
            (0x2_823c, 15),
            (0x2_8c60, (base >> 8) as u32),
            (0x2_8e40, (base >> 40) as u32),
            (0x2_8c70, 0x0002_800a),
            (0x2_8ec0, size),
            (0x2_8ee0, 1 << 24),
        ]);
        scene
    }

    pub(crate) fn write(&mut self, writes: &[(u32, u32)]) {
        writes.iter().for_each(|(address, value)| self.ring.registers.write(address / 4, *value).unwrap());
    }

    /// Puts a color for each vertex where attribute 0 is looked for.
    pub(crate) fn with_colors(&mut self, batch: &mut Batch, colors: &[[f32; 3]]) {
        let mut ring = vec![0u8; colors.len().div_ceil(32) * 512];
        for (v, color) in colors.iter().enumerate() {
            let bytes = color.map(f32::to_le_bytes).concat();
            ring[v / 32 * 512 + v % 32 * 16..][..12].copy_from_slice(&bytes);
        }
        let buffer = self.ring.gpu.inner().device.upload(&ring).unwrap();
        batch.attributes = Attributes { ring: buffer.address(), params: 1, prim_params: 0 };
        self.kept.push(buffer);
    }

    fn pixels(&self) -> Vec<[u8; 4]> {
        let bytes = self.target.to_vec().unwrap();
        let pitch = self.width.next_multiple_of(64) as usize;
        let rows = bytes.as_chunks::<4>().0.chunks(pitch).take(self.height as usize);
        rows.flat_map(|row| row[..self.width as usize].to_vec()).collect()
    }
}

/// Clip space of a place on so many pixels.
pub(crate) fn clip_space(width: u32, height: u32, x: f32, y: f32, z: f32, w: f32) -> [f32; 4] {
    [(x / width as f32 * 2.0 - 1.0) * w, (y / height as f32 * 2.0 - 1.0) * w, z * w, w]
}

// graphics.md 4.5, 4.6, INIT-05, INIT-09, INIT-11; scene 12: perspective by a plain computation, within a step of 8 bits (f16 toward zero).
#[test]
fn a_triangle_in_perspective_has_the_colors_of_its_plane() {
    let (width, height) = (150, 101);
    let corners = [(5.0f64, 3.0f64, 1.0f64), (140.0, 20.0, 4.0), (30.0, 98.0, 2.0)];
    let colors = [[1.0f32, 0.0, 0.25], [0.0, 1.0, 0.25], [0.0, 0.0, 1.0]];
    let mut scene = Scene::new(width, height, SHADER);
    let positions = corners.map(|(x, y, w)| clip_space(width, height, x as f32, y as f32, 0.5, w as f32));
    let mut batch = batch(&positions, OutputKind::Triangles);
    scene.with_colors(&mut batch, &colors);
    draw_all(&mut scene.ring, OutputKind::Triangles, vec![batch]);
    let edge = |a: (f64, f64, f64), b: (f64, f64, f64), x: f64, y: f64| (b.0 - a.0) * (y - a.1) - (b.1 - a.1) * (x - a.0);
    let [a, b, c] = corners;
    let area = edge(a, b, c.0, c.1);
    let (mut covered, mut total) = (0, 0);
    for (n, pixel) in scene.pixels().into_iter().enumerate() {
        let (x, y) = (f64::from(n as u32 % width) + 0.5, f64::from(n as u32 / width) + 0.5);
        let weights = [edge(b, c, x, y) / area, edge(c, a, x, y) / area, edge(a, b, x, y) / area];
        if weights.iter().any(|w| w.abs() < 1e-4) {
            continue; // on an edge, to the precision of this computation
        }
        total += 1;
        if weights.iter().any(|w| *w < 0.0) {
            assert_eq!(pixel, [0; 4], "pixel {n}");
            continue;
        }
        covered += 1;
        let q: Vec<f64> = weights.iter().zip(&corners).map(|(b, c)| b / c.2).collect();
        let sum: f64 = q.iter().sum();
        for d in 0..3 {
            let value: f64 = (0..3).map(|k| q[k] / sum * f64::from(colors[k][d])).sum::<f64>() * 255.0;
            assert!((f64::from(pixel[d]) - value).abs() <= 1.0, "pixel {n}, component {d}: {pixel:?}, expected {value}");
        }
        assert_eq!(pixel[3], 255);
    }
    assert!(covered > 4000 && total > covered);
}

// graphics.md 4.6: up to 16 primitives share a wave; scene 60: overlap in order, on several threads.
#[test]
fn many_small_triangles_land_in_order() {
    let (width, height) = (130, 130);
    let mut scene = Scene::new(width, height, SHADER);
    let mut random = wavejit_random::Random(7);
    let (mut batches, mut expected) = (Vec::new(), vec![[0u8; 4]; (width * height) as usize]);
    for _ in 0..40 {
        let (mut positions, mut colors) = (Vec::new(), Vec::new());
        for _ in 0..40 {
            // Squares of whole pixels, as two triangles; a color that is exact in all formats on the way.
            let (x, y, size) = (random.below(width - 9), random.below(height - 9), 1 + random.below(8));
            let color = [(); 3].map(|()| random.below(2) as f32);
            let at = |dx: u32, dy: u32| clip_space(width, height, (x + dx) as f32, (y + dy) as f32, 0.5, 1.0);
            let (p, q, r, s) = (at(0, 0), at(size, 0), at(size, size), at(0, size));
            positions.extend([p, q, r, p, r, s]);
            colors.extend([color; 6]);
            for (py, px) in (y..y + size).flat_map(|py| (x..x + size).map(move |px| (py, px))) {
                expected[(py * width + px) as usize] = [color[0], color[1], color[2], 1.0].map(|v| (v * 255.0) as u8);
            }
        }
        let mut batch = batch(&positions, OutputKind::Triangles);
        scene.with_colors(&mut batch, &colors);
        batches.push(batch);
    }
    draw_all(&mut scene.ring, OutputKind::Triangles, batches);
    let pixels = scene.pixels();
    for (n, (found, expected)) in pixels.iter().zip(&expected).enumerate() {
        assert_eq!(found, expected, "pixel {}, {}", n as u32 % width, n as u32 / width);
    }
    assert_eq!(scene.ring.raster.clipped, [3200, 3200]);
}

// graphics.md 5.6: of what overlaps the nearest is left; a query counts what passes (2.6).
#[test]
fn depth_leaves_what_is_nearest_and_counts_it() {
    let (width, height) = (100, 70);
    let mut scene = Scene::new(width, height, SHADER);
    let depth = scene.ring.gpu.inner().device.upload(&[0xff; 1 << 18]).unwrap();
    let address = depth.address().next_multiple_of(1 << 16);
    scene.write(&[
        (0x2_8040, 1 | 24 << 4),
        (0x2_8048, (address >> 8) as u32),
        (0x2_8050, (address >> 8) as u32),
        (0x2_8068, (address >> 40) as u32),
        (0x2_8070, (address >> 40) as u32),
        (0x2_801c, (height - 1) << 16 | (width - 1)),
        (0x2_8800, 1 << 1 | 1 << 2 | 1 << 4),
        (0x2_8004, 1 << 1 | 1 << 8),
    ]);
    let mut rectangle = |x0: f32, x1: f32, z: f32, color: [f32; 3]| {
        let at = |x: f32, y: f32| clip_space(width, height, x, y, z, 1.0);
        let positions = [at(x0, 0.0), at(x1, 0.0), at(x1, 70.0), at(x0, 0.0), at(x1, 70.0), at(x0, 70.0)];
        let mut batch = batch(&positions, OutputKind::Triangles);
        scene.with_colors(&mut batch, &[color; 6]);
        draw_all(&mut scene.ring, OutputKind::Triangles, vec![batch]);
        std::mem::take(&mut scene.ring.raster.samples_passed)
    };
    assert_eq!(rectangle(0.0, 60.0, 0.5, [1.0, 0.0, 0.0]), 60 * 70);
    assert_eq!(rectangle(40.0, 100.0, 0.75, [0.0, 1.0, 0.0]), 40 * 70, "behind the first in 20 columns");
    assert_eq!(rectangle(50.0, 90.0, 0.25, [0.0, 0.0, 1.0]), 40 * 70);
    assert_eq!(rectangle(50.0, 90.0, 0.25, [1.0; 3]), 0, "equal is not less");
    let pixels = scene.pixels();
    for (n, pixel) in pixels.into_iter().enumerate() {
        let expected = match n as u32 % width {
            0..50 => [255, 0, 0, 255],
            50..90 => [0, 0, 255, 255],
            _ => [0, 255, 0, 255],
        };
        assert_eq!(pixel, expected, "pixel {n}");
    }
}

// graphics.md 4.6: the final coverage is EXEC at the export that is done; 5.6: late tests write only what is left.
#[test]
fn pixels_that_a_shader_kills_change_nothing() {
    // Kills where I is below a half.
    let kill = SHADER.replace("s_mov_b64 exec, s[2:3]", "s_mov_b64 exec, s[2:3]\n    v_cmpx_le_f32 0.5, v0");
    let mut scene = Scene::new(64, 64, &kill);
    scene.write(&[(0x2_880c, 0x50), (0x2_8004, 1 << 8)]);
    let at = |x: f32, y: f32| clip_space(64, 64, x, y, 0.5, 1.0);
    let mut rectangle = batch(&[at(0.0, 0.0), at(64.0, 0.0), at(0.0, 64.0)], OutputKind::Rectangles);
    scene.with_colors(&mut rectangle, &[[1.0; 3]; 3]);
    draw_all(&mut scene.ring, OutputKind::Rectangles, vec![rectangle]);
    for (n, pixel) in scene.pixels().into_iter().enumerate() {
        assert_eq!(pixel, if n % 64 >= 32 { [255; 4] } else { [0; 4] }, "pixel {n}");
    }
    assert_eq!(scene.ring.raster.samples_passed, 32 * 64);
}

/// Stores v0 to v13 and s0 to s7 where s0, s1 say, and a parameter as rows 14 and 15.
fn storing_shader(word: usize) -> String {
    let mut text = format!(
        "v_mbcnt_lo_u32_b32 v30, -1, 0
        v_mbcnt_hi_u32_b32 v30, -1, v30
        v_lshlrev_b32 v30, 2, v30
        v_mov_b32 v31, 0
        s_mov_b32 m0, s{word}
        lds_param_load v28, attr0.x wait_vdst:15
        lds_param_load v29, attr0.z wait_vdst:15
        v_nop
        global_store_b32 v30, v28, s[0:1] offset:3584
        global_store_b32 v30, v29, s[0:1] offset:3840\n"
    );
    (0..14).for_each(|n| text += &format!("global_store_b32 v30, v{n}, s[0:1] offset:{}\n", 256 * n));
    text += "s_mov_b32 s11, 0\ns_add_u32 s12, s0, 0x1000\ns_addc_u32 s13, s1, 0\n";
    (0..8).for_each(|n| text += &format!("v_mov_b32 v28, s{n}\nglobal_store_b32 v31, v28, s[12:13] offset:{}\n", 4 * n));
    text + "exp mrt0 off, off, off, off done\ns_endpgm"
}

/// Rows of v0 to v13 and of a parameter, and s0 to s7, of the one wave of a triangle that covers 8 x 8 pixels: its other corners are at 16.
fn wave_of_a_triangle(enabled: u32, taken: u32, with_words: bool) -> (Vec<Vec<u32>>, Vec<u32>, u64) {
    let mut scene = Scene::new(8, 8, &storing_shader(2));
    let out = scene.ring.gpu.inner().device.upload(&[0xee; 0x1020]).unwrap();
    let address = out.address();
    scene.write(&[
        (0xb028, 0x00ac_000f | u32::from(with_words) << 27),
        (0xb02c, 2 << 1 | u32::from(with_words) << 7),
        (0xb030, address as u32),
        (0xb034, (address >> 32) as u32),
        (0x2_86cc, enabled),
        (0x2_86d0, taken),
        // The last corner provokes.
        (0x2_8814, 0x240 | u32::from(with_words) << 19),
    ]);
    let at = |x, y| clip_space(8, 8, x, y, 0.5, 1.0);
    let mut batch = batch(&[at(0.0, 0.0), at(16.0, 0.0), at(0.0, 16.0)], OutputKind::Triangles);
    scene.with_colors(&mut batch, &[[1.0, 0.0, 5.0], [3.0, 0.0, 5.5], [7.0, 0.0, 4.0]]);
    draw_all(&mut scene.ring, OutputKind::Triangles, vec![batch]);
    let bytes = out.to_vec().unwrap();
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    (words[..1024].chunks(64).map(<[u32]>::to_vec).collect(), words[1024..1032].to_vec(), address)
}

// INIT-05, INIT-09, INIT-10, INIT-11: registers and LDS of a pixel wave, read by a shader.
#[test]
fn pixel_waves_start_with_what_registers_say() {
    let float = |rows: &[Vec<u32>], n: usize, lane: usize| f32::from_bits(rows[n][lane]);
    let terms = 1 | 1 << 1 | 1 << 8 | 1 << 9;
    for (taken, x, with_words) in [(terms, 4, false), (terms | 1 << 2 | 1 << 3 | 1 << 6 | 1 << 7, 12, true)] {
        let (rows, sgprs, out) = wave_of_a_triangle(terms, taken, with_words);
        // User SGPRs, then the word for M0: one primitive, its parameters at the start of LDS.
        assert_eq!(sgprs[..3], [out as u32, (out >> 32) as u32, 0]);
        if with_words {
            assert_eq!(sgprs[3], 0, "the number of the wave");
            assert_eq!(sgprs[4] & 3, 2, "the last of three corners");
        }
        let mut pixels = [false; 64];
        for lane in 0..64 {
            let (px, py) = (float(&rows, x, lane), float(&rows, x + 1, lane));
            pixels[(py as usize) * 8 + px as usize] = true;
            let first = lane & !3;
            let (dx, dy) = ((lane & 1) as f32, (lane >> 1 & 1) as f32);
            assert_eq!((px, py), (float(&rows, x, first) + dx, float(&rows, x + 1, first) + dy));
            assert_eq!((px.fract(), py.fract()), (0.5, 0.5));
            for term in [0, 2] {
                assert_eq!((float(&rows, term, lane), float(&rows, term + 1, lane)), (px / 16.0, py / 16.0), "term {term}, lane {lane}");
            }
            // P0, P1 - P0, P2 - P0, and 0.
            assert_eq!(float(&rows, 14, lane), [1.0, 2.0, 6.0, 0.0][lane & 3]);
            assert_eq!(float(&rows, 15, lane), [5.0, 0.5, -1.0, 0.0][lane & 3]);
        }
        assert!(pixels.iter().all(|seen| *seen));
    }
}

// INIT-06: the number of a wave counts those of its packer, from draw to draw; its index names engine and packer.
#[test]
fn waves_have_numbers_that_their_packers_count() {
    // Stores s3 in the next place behind the counter at s[0:1].
    let store = "
        v_mov_b32 v0, 0
        v_mov_b32 v1, 1
        v_mov_b32 v3, s3
        s_mov_b64 exec, 1
        global_atomic_add_u32 v2, v0, v1, s[0:1] glc
        s_waitcnt vmcnt(0)
        v_lshlrev_b32 v2, 2, v2
        global_store_b32 v2, v3, s[0:1] offset:4
        exp mrt0 off, off, off, off done
        s_endpgm";
    let (width, height) = (320, 128);
    let mut scene = Scene::new(width, height, store);
    let out = scene.ring.gpu.inner().device.upload(&[0; 1 << 14]).unwrap();
    let address = out.address();
    scene.write(&[(0xb028, 0x00ac_0003 | 1 << 27), (0xb02c, 2 << 1 | 1 << 7), (0xb030, address as u32), (0xb034, (address >> 32) as u32)]);
    let at = |x: f32, y: f32| clip_space(width, height, x, y, 0.5, 1.0);
    let (w, h) = (width as f32, height as f32);
    for _ in 0..2 {
        let batch = batch(&[at(0.0, 0.0), at(0.0, h), at(w, 0.0)], OutputKind::Rectangles);
        draw_all(&mut scene.ring, OutputKind::Rectangles, vec![batch]);
    }
    let words: Vec<u32> = out.to_vec().unwrap().as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    // 64 waves of 64 pixels in each of 5 x 2 tiles, twice; the fifth column is the first one's.
    let count = words[0] as usize;
    assert_eq!(count, 2 * 10 * 64);
    let mut found = words[1..][..count].to_vec();
    found.sort_by_key(|word| (word & 0x3f, word >> 6));
    let expected = (0..4u32).flat_map(|engine| (0..2).map(move |packer| (engine * 4 + packer, if engine == 0 { 256 } else { 128 })));
    let expected: Vec<u32> = expected.flat_map(|(index, waves)| (0..waves).map(move |id| id << 6 | index)).collect();
    for (n, (word, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(word, expected, "{n}");
    }
}

/// The color in s0 to s3.
const FLAT: &str = "
    v_cvt_pk_rtz_f16_f32 v0, s0, s1
    v_cvt_pk_rtz_f16_f32 v1, s2, s3
    exp mrt0 v0, v1, off, off done
    s_endpgm";

// graphics.md 5.3: a rectangle has the pixels from its first corner up to, and without, the opposite one; 2.6: a query counts them.
#[test]
fn what_is_the_same_everywhere_fills_its_rectangle() {
    let (width, height) = (150, 101);
    let mut scene = Scene::new(width, height, FLAT);
    let depth = scene.ring.gpu.inner().device.upload(&[0xff; 1 << 18]).unwrap();
    let address = depth.address().next_multiple_of(1 << 16);
    scene.write(&[
        (0xb02c, 4 << 1),
        (0xb03c, 1f32.to_bits()),
        (0x2_8040, 1 | 24 << 4),
        (0x2_8048, (address >> 8) as u32),
        (0x2_8050, (address >> 8) as u32),
        (0x2_8068, (address >> 40) as u32),
        (0x2_8070, (address >> 40) as u32),
        (0x2_801c, (height - 1) << 16 | (width - 1)),
        (0x2_8004, 1 << 1 | 1 << 8),
    ]);
    let mut rectangle = |function: u32, [x0, y0, x1, y1]: [u32; 4], z: f32, color: [f32; 3]| {
        let at = |x: u32, y: u32| clip_space(width, height, x as f32, y as f32, z, 1.0);
        scene.write(&[(0x2_8800, 1 << 1 | 1 << 2 | function << 4)]);
        (0..3).for_each(|n| scene.write(&[(0xb030 + 4 * n, color[n as usize].to_bits())]));
        let batch = batch(&[at(x0, y0), at(x0, y1), at(x1, y0)], OutputKind::Rectangles);
        draw_all(&mut scene.ring, OutputKind::Rectangles, vec![batch]);
        std::mem::take(&mut scene.ring.raster.samples_passed)
    };
    const ALWAYS: u32 = 7;
    const LESS: u32 = 1;
    assert_eq!(rectangle(ALWAYS, [10, 7, 140, 100], 0.5, [1.0, 0.0, 0.0]), 130 * 93);
    assert_eq!(rectangle(ALWAYS, [20, 9, 23, 11], 0.75, [0.0, 1.0, 0.0]), 3 * 2);
    // Behind the first, but before the second and what was there.
    assert_eq!(rectangle(LESS, [0, 0, 150, 101], 0.625, [0.0, 0.0, 1.0]), 150 * 101 - 130 * 93 + 3 * 2);
    for (n, pixel) in scene.pixels().into_iter().enumerate() {
        let (x, y) = (n as u32 % width, n as u32 / width);
        let first = (10..140).contains(&x) && (7..100).contains(&y);
        let second = (20..23).contains(&x) && (9..11).contains(&y);
        assert_eq!(pixel, if first && !second { [255, 0, 0, 255] } else { [0, 0, 255, 255] }, "pixel {x}, {y}");
    }
}

// RDNA3 ISA: which of these have a result that is the same for all lanes, whatever they start with.
#[test]
fn shaders_are_uniform_if_they_have_moves_of_constants_alone() {
    let is_uniform = |text: &str| {
        let mut scene = Scene::new(8, 8, text);
        scene.write(&[(0xb02c, 4 << 1)]);
        let pixel = PixelState::of(&scene.ring.registers).unwrap();
        fill::is_uniform(scene.ring.gpu.memory(), wavejit_isa::Gfx::GFX1100, &pixel)
    };
    assert!(is_uniform(FLAT));
    assert!(is_uniform("s_mov_b64 s[0:1], s[2:3]\nv_mov_b32 v0, s0\nv_mov_b32 v1, 1.0\nexp mrt0 v0, v1, off, off done\ns_endpgm"));
    assert!(!is_uniform(SHADER));
    let end = "\nexp mrt0 v0, v0, off, off done\ns_endpgm";
    let differ = [
        "",
        "v_mov_b32 v0, v1",
        "v_mov_b32 v0, s4",
        "v_mov_b32 v0, exec_lo",
        "s_mov_b64 exec, 1\nv_mov_b32 v0, 0",
        "v_mov_b32 v0, 0\nv_mov_b32_dpp v0, v0 row_shl:1",
        "v_mov_b32 v0, 0\nv_mbcnt_lo_u32_b32 v0, -1, 0",
        "s_branch 0",
    ];
    for text in differ {
        assert!(!is_uniform(&format!("{text}{end}")), "{text}");
    }
}
