//! What do single steps of a kernel cost: a workgroup, a barrier, an image instruction on the host's memory, a register chosen at run time, a
//! byte of scratch? ns of one thread, each by a kernel of a few lines that does little else.
//!
//! `steps NAME...` runs those whose names contain one of the words. Two builds are compared by running both in turn, several times, and
//! taking the least of each line.

use std::time::{Duration, Instant};
use wavejit::code_object::PgmRsrc;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{AddressMode, Buffer, CodeLaunch, Device, DeviceConfig, Engine, Error, LaunchConfig};
use wavejit_benches::{is_smoke_test, machine, ns_each, root};
use wavejit_isa::{Gfx, assemble};
use wavejit_texture::Generation;
use wavejit_texture::descriptor::{ImageDescriptor, ImageType, SamplerDescriptor};
use wavejit_texture::format::FormatNumber;

/// A kernel, and how many of what it does a launch does.
struct Step {
    name: &'static str,
    /// Before the loop; s0 to s15 are user data, v0 is the work-item.
    start: &'static str,
    /// In the loop; empty: there is none. s30 counts down.
    body: &'static str,
    /// Instructions of interest in the body.
    each: u32,
    mode: AddressMode,
    /// Work-items of a workgroup, and workgroups.
    group: u32,
    groups: u32,
}

const LOOPS: u32 = 5000;
/// The loop of `Step::body`.
const FORWARD: &str = "s_sub_u32 s30, s30, 1\ns_cmp_lg_u32 s30, 0\ns_cbranch_scc1 again\n";

const fn looped(name: &'static str, start: &'static str, body: &'static str, each: u32) -> Step {
    Step { name, start, body, each, mode: AddressMode::Isolated, group: 32, groups: 1 }
}

/// Coordinates of a turned picture: 0.9 texels of 256 from lane to lane, and on with each iteration.
const COORDINATES: &str = "v_cvt_f32_u32 v1, v0
    v_mul_f32 v8, 0x3b666666, v1
    v_mul_f32 v9, 0x3a666666, v1";

#[rustfmt::skip]
const STEPS: [Step; 12] = [
    Step { groups: 20_000, body: "", ..looped("workgroup of one wave, no LDS", "", "", 1) },
    Step { groups: 4000, group: 256, body: "", ..looped("workgroup of eight waves, no LDS", "", "", 1) },
    Step { group: 256, ..looped("barrier of eight waves, per wave", "", "s_barrier", 8) },
    Step { mode: AddressMode::Shared, ..looped("image_sample, host's memory", COORDINATES,
        "image_sample_lz v[2:5], v[8:9], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D
         v_add_f32 v8, 0x3b000000, v8", 1) },
    Step { mode: AddressMode::Shared, ..looped("image_load, host's memory", "v_mov_b32 v8, v0\nv_mov_b32 v9, v0",
        "image_load v[2:5], v[8:9], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm", 1) },
    Step { mode: AddressMode::Shared, ..looped("image_store, host's memory", "v_mov_b32 v8, v0\nv_mov_b32 v9, v0",
        "image_store v[2:5], v[8:9], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm", 1) },
    looped("v_movreld_b32", "", "s_and_b32 m0, s30, 3\nv_movreld_b32 v8, v1\nv_movreld_b32 v9, v2", 2),
    looped("v_movreld_b32, half of the lanes", "s_mov_b32 exec_lo, 0x0ff0f00f",
        "s_and_b32 m0, s30, 3\nv_movreld_b32 v8, v1\nv_movreld_b32 v9, v2", 2),
    looped("v_movrels_b32", "", "s_and_b32 m0, s30, 3\nv_movrels_b32 v1, v8\nv_movrels_b32 v2, v9", 2),
    looped("scratch_store_b8", "", "scratch_store_b8 off, v1, off offset:1\nscratch_store_b8 off, v2, off offset:6", 2),
    looped("scratch_load_u8", "", "scratch_load_u8 v1, off, off offset:1\nscratch_load_u8 v2, off, off offset:6", 2),
    looped("scratch_load_i16", "", "scratch_load_i16 v1, off, off offset:2\nscratch_load_i16 v2, off, off offset:4", 2),
];

/// Bytes of scratch of a work-item.
const SCRATCH: u32 = 16;
/// Texels of the image's sides.
const SIDE: u32 = 256;

fn main() -> Result<(), Error> {
    println!("{}, {}", machine(), root().display());
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    for step in STEPS.iter().filter(|s| words.is_empty() || words.iter().any(|w| s.name.contains(w))) {
        println!("{:40}{:10.1}", step.name, step.time()?);
    }
    Ok(())
}

impl Step {
    /// ns of one.
    fn time(&self) -> Result<f64, Error> {
        let options = DeviceConfig { engine: Engine::Jit, threads: 1, ..Default::default() };
        let device = match self.mode {
            AddressMode::Isolated => Device::new(options)?,
            // SAFETY: the steps store to `memory` below, which has room for the images that the descriptors say.
            AddressMode::Shared => unsafe { Device::shared(options)? },
        };
        // Of the host's own, and not of the device's.
        let bytes = (SIDE * SIDE * 4) as usize;
        let memory: Vec<u8> = (0..bytes + 256).map(|n| n as u8).collect();
        let user = descriptors((memory.as_ptr() as u64).next_multiple_of(256))?;
        let text = match self.body {
            "" => format!("{}\ns_endpgm", self.start),
            body => format!("s_movk_i32 s30, {LOOPS}\n{}\nagain:\n{body}\n{FORWARD}s_waitcnt vmcnt(0)\ns_endpgm", self.start),
        };
        let code = assemble(&text, Gfx::GFX1100, 32).map_err(|e| Error::Arg(format!("{}: {e:?}", self.name)))?;
        let code = device.upload(&code.bytes)?;
        let init = WaveInit::raw(&RawInit {
            target: Gfx::GFX1100,
            wave_size: 32,
            entry: code.address(),
            // 32 VGPRs; float denormals are kept. 16 user SGPRs.
            rsrc: PgmRsrc { rsrc1: 3 | 0xf0 << 12, rsrc2: 16 << 1, rsrc3: 0 },
            user_data: &user,
            scratch_bytes: SCRATCH,
        });
        let (rounds, groups) = if is_smoke_test() { (1, self.groups.min(10)) } else { (40, self.groups) };
        let mut best = Duration::MAX;
        for _ in 0..rounds {
            let start = Instant::now();
            self.launch(&device, &code, &init, groups)?;
            best = best.min(start.elapsed());
        }
        drop(memory);
        let loops = if self.body.is_empty() { 1 } else { LOOPS };
        Ok(ns_each(best, f64::from(loops) * f64::from(self.each) * f64::from(groups)))
    }

    fn launch(&self, device: &Device, code: &Buffer, init: &WaveInit, groups: u32) -> Result<(), Error> {
        let range = (code.address(), code.address() + code.len() as u64);
        let (grid, group) = ([self.group * groups, 1, 1], [self.group, 1, 1]);
        let launch = CodeLaunch { name: self.name, code: range, init: init.clone(), config: LaunchConfig::new(grid, group) };
        device.run_code(&launch).map(|_| ())
    }
}

/// T# of an image of RGBA8 in rows at an address, S# of a bilinear sampler, and zeros.
fn descriptors(base: u64) -> Result<[u32; 16], Error> {
    let bad = |what: &str| Error::Internal(format!("no {what}"));
    // 8_8_8_8_UNORM of gfx11's formats.
    let mut t = ImageDescriptor::new(Generation::Gfx11, ImageType::Dim2, FormatNumber::Unified(42), SIDE, SIDE);
    t.base = base;
    let s = SamplerDescriptor { mag_filter: 1, min_filter: 1, ..SamplerDescriptor::new(Generation::Gfx11) };
    let (t, s) = (t.encode().map_err(|_| bad("T#"))?, s.encode().map_err(|_| bad("S#"))?);
    let mut words = [0; 16];
    words[..8].copy_from_slice(&t);
    words[8..12].copy_from_slice(&s);
    Ok(words)
}
