//! Images in the host's own memory, through the C interface: guest addresses are host addresses there, and nobody knows what is mapped. Vector
//! code runs on them all the same, gives the bits it gives on a device's memory, and what is not mapped is an error of the kernel.
//!
//! A process of its own, because signal handlers belong to the process; it runs itself again for each instruction set of the texture crate.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use capi::wavejit_run_asm;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use wavejit::code_object::PgmRsrc;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{CodeLaunch, Device, DeviceConfig, LaunchConfig};
use wavejit_isa::{Gfx, HostIsa, assemble};
use wavejit_texture::Generation;
use wavejit_texture::descriptor::{BvhDescriptor, ImageDescriptor, ImageType, SamplerDescriptor};
use wavejit_texture::format::{Format, FormatNumber};

/// The C interface, compiled into this program.
#[path = "../src/lib.rs"]
mod capi;

/// `WAVEJIT_E_MEMORY`.
const E_MEMORY: i32 = -4;
/// Images, and hierarchies of rays, are this long at most.
const ROOM: usize = 1 << 21;
/// Float denormals are kept, 64 VGPRs (wave64: 32); 16 user SGPRs.
const RSRC1: u32 = 7 | 0xf0 << 12;
const RSRC2: u32 = 16 << 1;

/// What a lane brings: v4 to v19.
type Operands = [u32; 16];
/// What it leaves: v20 to v23.
type Results = [u32; 4];

/// A kernel of one instruction: s\[0:7\] is a T#, s\[8:11\] an S#; a lane's operands in, its results out.
fn kernel(instruction: &str) -> Vec<u8> {
    let text = format!(
        "v_lshlrev_b32 v1, 6, v0
        v_lshlrev_b32 v2, 4, v0
        global_load_b128 v[4:7], v1, s[12:13]
        global_load_b128 v[8:11], v1, s[12:13] offset:16
        global_load_b128 v[12:15], v1, s[12:13] offset:32
        global_load_b128 v[16:19], v1, s[12:13] offset:48
        v_mov_b32 v20, 0
        v_mov_b32 v21, 0
        v_mov_b32 v22, 0
        v_mov_b32 v23, 0
        s_waitcnt vmcnt(0)
        {instruction}
        s_waitcnt vmcnt(0)
        global_store_b128 v2, v[20:23], s[14:15]
        s_endpgm"
    );
    assemble(&text, Gfx::GFX1100, 32).unwrap_or_else(|e| panic!("{instruction}: {e:?}")).bytes
}

fn user_data(words: &[u32; 12], input: u64, output: u64) -> [u32; 16] {
    let pointers = [input, output].map(|p| [p as u32, (p >> 32) as u32]);
    let all = [&words[..], &pointers[0], &pointers[1]].concat();
    all.try_into().expect("16 dwords")
}

/// Runs a kernel of one wave on the host's memory. The results, or code and message of the error.
fn on_host(code: &[u8], wave_size: u32, words: &[u32; 12], input: &[Operands]) -> Result<Vec<Results>, (i32, String)> {
    let code: Vec<u32> = code.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let mut output = vec![[0; 4]; input.len()];
    let user = user_data(words, input.as_ptr() as u64, output.as_mut_ptr() as u64);
    let (lanes, size) = (input.len() as u32, 4 * code.len() as u32);
    let mut message = [0_u8; 512];
    // SAFETY: code, user data and message have the sizes given; the kernel writes to `output`, as long as it has lanes, and to an image.
    let status = unsafe {
        let (code, err) = (code.as_ptr().cast(), message.as_mut_ptr().cast());
        let (user, none) = (user.as_ptr(), std::ptr::null());
        let target = c"gfx1100".as_ptr();
        wavejit_run_asm(code, size, 1, 1, 1, lanes, 1, 1, none, target, wave_size, RSRC1, RSRC2, 0, user, 16, 0, 0, err, 512)
    };
    let end = message.iter().position(|b| *b == 0).unwrap_or(message.len());
    if status == 0 { Ok(output) } else { Err((status, String::from_utf8_lossy(&message[..end]).into_owned())) }
}

/// The same on a device's own memory, its image at `address`.
fn on_device(device: &Device, code: &[u8], words: &[u32; 12], input: &[Operands]) -> Vec<Results> {
    let bytes: Vec<u8> = input.iter().flatten().flat_map(|w| w.to_le_bytes()).collect();
    let (code, input, output) = (device.upload(code).unwrap(), device.upload(&bytes).unwrap(), device.alloc(input.len() * 16).unwrap());
    let init = WaveInit::raw(&RawInit {
        target: Gfx::GFX1100,
        wave_size: 32,
        entry: code.address(),
        rsrc: PgmRsrc { rsrc1: RSRC1, rsrc2: RSRC2, rsrc3: 0 },
        user_data: &user_data(words, input.address(), output.address()),
        scratch_bytes: 0,
    });
    let range = (code.address(), code.address() + code.len() as u64);
    let shape = [(output.len() / 16) as u32, 1, 1];
    let launch = CodeLaunch { name: "test", code: range, init, config: LaunchConfig::new(shape, shape) };
    device.run_code(&launch).unwrap();
    let words: Vec<u32> = output.to_vec().unwrap().chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    words.chunks(4).map(|lane| [lane[0], lane[1], lane[2], lane[3]]).collect()
}

/// Memory of the host's own, at a multiple of 64 KiB.
struct Host {
    map: *mut u8,
    start: *mut u8,
}

// SAFETY: an address; what is there is reached by functions that say why they may.
unsafe impl Sync for Host {}

impl Host {
    fn new() -> Host {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping.
        let map =
            unsafe { libc::mmap(std::ptr::null_mut(), ROOM + (1 << 16), libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0).cast::<u8>() };
        assert_ne!(map.cast(), libc::MAP_FAILED);
        Host { map, start: map.map_addr(|a| a.next_multiple_of(1 << 16)) }
    }

    fn address(&self) -> u64 {
        self.start as u64
    }

    /// Makes the pages from a byte on inaccessible, or accessible again.
    fn protect(&self, from: usize, is_mapped: bool) {
        let rights = if is_mapped { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_NONE };
        // SAFETY: pages of ours, to which nobody has references.
        let done = unsafe { libc::mprotect(self.start.add(from).cast(), ROOM - from, rights) };
        assert_eq!(done, 0);
    }

    fn fill(&self, bytes: &[u8]) {
        // SAFETY: ours, and mapped.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.start, bytes.len()) };
    }

    fn dword(&self, offset: usize) -> u32 {
        // SAFETY: ours, and mapped.
        unsafe { self.start.add(offset).cast::<u32>().read() }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // SAFETY: made by `new`.
        unsafe { libc::munmap(self.map.cast(), ROOM + (1 << 16)) };
    }
}

/// One at a time: the others map and unmap.
static ALONE: Mutex<()> = Mutex::new(());

const RGBA8: &str = "8_8_8_8_UNORM";
const SAMPLE: &str = "image_sample_lz v[20:23], v[4:5], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D";
const LOAD: &str = "image_load v[20:23], v[4:5], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm";
const STORE: &str = "image_store v[8:11], v[4:5], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm";
/// Texels of an image's sides.
const SIDE: u32 = 256;

/// T# of an image of 256x256 texels.
fn image(format: &str, mode: u8, change: impl Fn(&mut ImageDescriptor)) -> ImageDescriptor {
    let is_named = |&n: &u16| Format::unified(Generation::Gfx11, n).is_some_and(|f| f.to_string() == format);
    let number = (1..256).find(is_named).unwrap_or_else(|| panic!("{format}"));
    let mut t = ImageDescriptor::new(Generation::Gfx11, ImageType::Dim2, FormatNumber::Unified(number), SIDE, SIDE);
    t.mode = mode;
    change(&mut t);
    t
}

/// The descriptors of an image at an address.
fn words(t: &ImageDescriptor, s: &SamplerDescriptor, address: u64) -> [u32; 12] {
    let mut words = [0; 12];
    words[..8].copy_from_slice(&ImageDescriptor { base: address, ..*t }.encode().unwrap());
    words[8..].copy_from_slice(&s.encode().unwrap());
    words
}

fn linear() -> SamplerDescriptor {
    SamplerDescriptor { mag_filter: 1, min_filter: 1, mip_filter: 2, ..SamplerDescriptor::new(Generation::Gfx11) }
}

fn floats(values: [f32; 4]) -> Operands {
    let mut out = [0; 16];
    out.iter_mut().zip(values).for_each(|(out, value)| *out = value.to_bits());
    out
}

fn integers(values: [u32; 4]) -> Operands {
    let mut out = [0; 16];
    out[..4].copy_from_slice(&values);
    out
}

#[test]
fn images_of_the_host_give_the_bits_that_images_of_a_device_give() {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let (host, device) = (Host::new(), Device::new(DeviceConfig::default()).unwrap());
    // As long as a huge page, and aligned to one.
    let buffer = device.alloc(ROOM).unwrap();
    let guest = buffer.address();
    let texels: Vec<u8> = (0..ROOM as u32).map(|n| (n.wrapping_mul(0x9e37_79b9) >> 19) as u8 & 0x7b).collect();
    host.fill(&texels);
    device.memory().write(guest, &texels).unwrap();

    let sampled: Vec<Operands> = (0..32).map(|l| floats([0.017 * l as f32 - 0.1, 0.9 - 0.021 * l as f32, 0.4, 2.3])).collect();
    let on_faces: Vec<Operands> = (0..32).map(|l| floats([1.0 + l as f32 / 31.0, 2.0 - l as f32 / 40.0, (l % 6) as f32, 0.0])).collect();
    let loaded: Vec<Operands> = (0..32).map(|l| integers([7 * l, 250 - 5 * l, 3, 0])).collect();
    let level = "image_sample_l v[20:23], v[4:6], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D";
    let volume = "image_sample_lz v[20:23], v[4:6], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_3D";
    let faces = "image_sample_lz v[20:23], v[4:6], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_CUBE";
    let gather = "image_gather4_lz v[20:23], v[4:5], s[0:7], s[8:11] dmask:0x2 dim:SQ_RSRC_IMG_2D";
    let border = SamplerDescriptor { clamp: [6; 3], ..linear() };
    let narrow = |t: &mut ImageDescriptor| (t.width, t.height) = (64, 64);
    let many = |t: &mut ImageDescriptor| (t.levels, t.last_level) = (9, 8);
    let cube = |t: &mut ImageDescriptor| (t.kind, t.width, t.height, t.last_layer) = (ImageType::Cube, 64, 64, 5);
    let deep = |t: &mut ImageDescriptor| (t.kind, t.width, t.height, t.depth, t.last_layer) = (ImageType::Dim3, 32, 32, 32, 31);
    // Modes: 0 linear, 27 64KB_R_X, 25 64KB_S_X.
    let cases: Vec<(&str, ImageDescriptor, SamplerDescriptor, &[Operands])> = vec![
        (SAMPLE, image(RGBA8, 0, |_| ()), linear(), &sampled),
        (SAMPLE, image("8_8_8_8_SRGB", 27, |_| ()), linear(), &sampled),
        (SAMPLE, image("8_UNORM", 0, |_| ()), linear(), &sampled),
        (SAMPLE, image("16_16_16_16_FLOAT", 27, |_| ()), linear(), &sampled),
        (SAMPLE, image("32_32_32_32_FLOAT", 27, |_| ()), border, &sampled),
        (SAMPLE, image("10_11_11_FLOAT", 27, |_| ()), linear(), &sampled),
        (SAMPLE, image("BC1_UNORM", 27, |_| ()), linear(), &sampled),
        (SAMPLE, image("BC7_UNORM", 0, |_| ()), linear(), &sampled),
        (SAMPLE, image("32_UINT", 27, narrow), linear(), &sampled),
        (level, image(RGBA8, 27, many), linear(), &sampled),
        (volume, image(RGBA8, 25, deep), linear(), &sampled),
        (faces, image(RGBA8, 27, cube), linear(), &on_faces),
        (gather, image(RGBA8, 27, |_| ()), linear(), &sampled),
        (LOAD, image(RGBA8, 27, |_| ()), linear(), &loaded),
        (LOAD, image("16_16_UINT", 0, |_| ()), linear(), &loaded),
        (LOAD, image("32_32_32_32_FLOAT", 27, |_| ()), linear(), &loaded),
    ];
    for (instruction, t, s, input) in &cases {
        let code = kernel(instruction);
        let got = on_host(&code, 32, &words(t, s, host.address()), input).unwrap();
        let want = on_device(&device, &code, &words(t, s, guest), input);
        assert_eq!(got, want, "{instruction} of {t:?}");
        assert!(want.iter().flatten().any(|w| *w != 0), "{instruction} of {t:?} reads something");
    }

    // Stores: the same bytes in memory.
    for format in [RGBA8, "8_UNORM", "16_16_UINT", "16_16_16_16_FLOAT", "32_32_32_32_FLOAT"] {
        let (t, code) = (image(format, 27, |_| ()), kernel(STORE));
        on_host(&code, 32, &words(&t, &linear(), host.address()), &loaded).unwrap();
        on_device(&device, &code, &words(&t, &linear(), guest), &loaded);
    }
    let (mut of_device, mut of_host) = (vec![0; ROOM], vec![0; ROOM]);
    device.memory().read(guest, &mut of_device).unwrap();
    // SAFETY: ours, and mapped.
    unsafe { std::ptr::copy_nonoverlapping(host.start, of_host.as_mut_ptr(), ROOM) };
    assert!(of_device == of_host && of_device != texels);
}

/// Lanes look at row 10, but this one at a row that is not there, and one after it, too.
fn rows(lanes: u32, lost: u32, row: u32) -> Vec<Operands> {
    let y = |lane| if lane == lost || lane == lost + 7 { row } else { 10 };
    (0..lanes).map(|lane| integers([lane, y(lane), 0, 0])).collect()
}

/// The same in coordinates of samplers, at the texels' centers but for `down`.
fn coordinates(lanes: u32, lost: u32, row: u32, down: f32) -> Vec<Operands> {
    let at = |n: u32, more: f32| (n as f32 + 0.5 + more) / SIDE as f32;
    let of = |[x, y, ..]: Operands| floats([at(x, 0.0), at(y, if y == 10 { 0.0 } else { down }), 0.0, 0.0]);
    rows(lanes, lost, row).into_iter().map(of).collect()
}

/// Runs a kernel twice while the memory from `from` on is not mapped, which must be an error with lane and address, and once while it is.
fn check(host: &Host, instruction: &str, wave_size: u32, words: &[u32; 12], input: &[Operands], from: usize, lane: u32, address: u64) {
    let code = kernel(instruction);
    host.protect(from, false);
    for round in 1..=2 {
        let (status, message) = on_host(&code, wave_size, words, input).expect_err(instruction);
        assert_eq!(status, E_MEMORY, "round {round}: {instruction}: {message}");
        let want = format!("lane {lane}: address {address:#x} is not mapped");
        assert!(message.contains(&want), "round {round}: {instruction}: {message}; expected {want}");
    }
    host.protect(from, true);
    on_host(&code, wave_size, words, input).unwrap_or_else(|e| panic!("{instruction}: {e:?}"));
}

#[test]
fn what_is_not_mapped_of_an_image_is_an_error_with_lane_and_address() {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let host = Host::new();
    // Row 128 is the first that is not there: 1024 bytes a row of RGBA8, 4096 of RGBA32F, 1024 of four rows of BC7.
    for (wave_size, lost) in [(32, 13), (32, 2), (64, 45)] {
        let (x, loaded) = (lost, rows(wave_size, lost, 128));
        let sampled = coordinates(wave_size, lost, 128, 0.0);
        for (format, texel, row) in
            [(RGBA8, 4, 1024), ("32_32_32_32_FLOAT", 16, 4096), ("16_FLOAT", 2, 512), ("16_16_16_16_UNORM", 8, 2048)]
        {
            let w = words(&image(format, 0, |_| ()), &linear(), host.address());
            let address = host.address() + u64::from(128 * row + x * texel);
            check(&host, LOAD, wave_size, &w, &loaded, 128 * row as usize, lost, address);
            check(&host, STORE, wave_size, &w, &loaded, 128 * row as usize, lost, address);
            check(&host, SAMPLE, wave_size, &w, &sampled, 128 * row as usize, lost, address);
            // Results go where the addresses are.
            let over = "image_load v[4:7], v[4:5], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm";
            check(&host, over, wave_size, &w, &loaded, 128 * row as usize, lost, address);
            // The lower taps alone.
            let below = coordinates(wave_size, lost, 127, 0.25);
            check(&host, SAMPLE, wave_size, &w, &below, 128 * row as usize, lost, address);
        }
        let w = words(&image("BC7_UNORM", 0, |_| ()), &linear(), host.address());
        let address = host.address() + u64::from(32 * 1024 + x / 4 * 16);
        check(&host, SAMPLE, wave_size, &w, &sampled, 32 * 1024, lost, address);
    }
}

#[test]
fn stores_before_the_lane_at_fault_are_done_and_none_behind_it() {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let host = Host::new();
    let mut input = rows(32, 13, 128);
    input.iter_mut().for_each(|lane| lane[4..8].fill(1f32.to_bits()));
    input[20] = integers([20, 10, 0, 0]);
    let w = words(&image(RGBA8, 0, |_| ()), &linear(), host.address());
    host.protect(128 * 1024, false);
    on_host(&kernel(STORE), 32, &w, &input).expect_err("row 128 is not there");
    host.protect(128 * 1024, true);
    for lane in 0..32 {
        let want = if lane < 13 { u32::MAX } else { 0 };
        assert_eq!(host.dword(10 * 1024 + 4 * lane), want, "lane {lane}");
    }
}

#[test]
fn what_is_not_mapped_of_a_hierarchy_is_an_error_with_lane_and_address() {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let host = Host::new();
    let trace = "image_bvh_intersect_ray v[20:23], v[4:14], s[0:3]";
    let bvh = BvhDescriptor { base: host.address(), bytes: ROOM as u64, ..BvhDescriptor::new(Generation::Gfx11) };
    let mut w = [0; 12];
    w[..4].copy_from_slice(&bvh.encode().unwrap());
    // A pointer counts eights of bytes, with the type below: 5 box of f32, 4 of f16, 0 triangle. All lanes at one node, and at two.
    for kind in [5, 4, 0] {
        for shared in [true, false] {
            let pointer = |at: u32| (at / 8) | kind;
            let ray = |lane: u32| {
                let mut operands = floats([0.0, 9.0, 0.25, 0.25]);
                operands[0] = pointer(if shared || lane >= 9 { 0x10_0000 } else { 0x400 });
                operands[4..11].fill(1f32.to_bits());
                operands
            };
            let input: Vec<Operands> = (0..32).map(ray).collect();
            let lane = if shared { 0 } else { 9 };
            check(&host, trace, 32, &w, &input, 0x10_0000, lane, host.address() + 0x10_0000);
        }
    }
}

#[test]
fn a_host_that_unmaps_meanwhile_makes_errors_and_survives() {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let host = Host::new();
    let w = words(&image(RGBA8, 0, |_| ()), &linear(), host.address());
    let input = coordinates(32, 13, 128, 0.0);
    let body = [SAMPLE; 16].join("\n");
    let again = format!("s_movk_i32 s20, 200\nagain:\n{body}\ns_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 again");
    let code = kernel(&again);
    let done = AtomicBool::new(false);
    let (mut fine, mut faults) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Relaxed) {
                for is_mapped in [false, true] {
                    host.protect(128 * 1024, is_mapped);
                    std::thread::yield_now();
                }
            }
        });
        for _ in 0..50 {
            match on_host(&code, 32, &w, &input) {
                Ok(_) => fine += 1,
                Err((status, message)) => {
                    assert!(status == E_MEMORY && message.contains("is not mapped"), "{message}");
                    faults += 1;
                }
            }
        }
        done.store(true, Relaxed);
    });
    assert_eq!(fine + faults, 50);
}

/// All of this with other host instructions.
#[test]
fn other_host_instructions_agree() {
    if std::env::var_os(HostIsa::VARIABLE).is_some() {
        return;
    }
    for isa in HostIsa::available() {
        let run = std::process::Command::new(std::env::current_exe().unwrap()).env(HostIsa::VARIABLE, isa.name()).output().unwrap();
        assert!(run.status.success(), "{isa}: {}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    }
}
