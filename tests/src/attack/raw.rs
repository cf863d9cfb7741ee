//! Cases that are machine code without a code object: random instructions of every row, buffer, image and ray instructions on real
//! descriptors with flipped bits, and shapes of control flow that are hard to translate.
//!
//! A wave starts with v0..v31 from memory and these SGPRs; what it leaves in v0..v31, s0..s35, EXEC, VCC, M0 and SCC goes to memory at the end.
//!
//! | SGPRs | hold |
//! |---|---|
//! | s\[0:1\], s\[2:3\] | addresses of a buffer of 64 KiB and of the last bytes of one of 4 KiB |
//! | s\[4:5\] | address of the code |
//! | s\[8:15\], s\[28:35\] | T# of two images |
//! | s\[16:19\] | S# |
//! | s\[20:23\] | V# of the large buffer |
//! | s\[24:27\] | T# of a ray hierarchy |
//!
//! v\[20:21\] are addresses in the large buffer, v\[22:23\] in or near the small one, v\[24:25\] in LDS, v\[26:27\] in scratch, as flat
//! instructions see them; the other rows are numbers of many kinds.

use super::instruction::{self, GFX, Registers};
use super::source::Source;
use super::{Outcome, outcome, random_bytes};
use crate::control_flow::ControlFlow;
use std::fmt::Write;
use std::sync::atomic::AtomicU32;
use wavejit::code_object::PgmRsrc;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{
    BorderColor, Buffer, Bvh, Clamp, CodeLaunch, Compare, Device, DispatchStats, Error, Filter, Generation, Image, ImageDesc, ImageFormat,
    ImageKind, ImageTiling, LaunchConfig, MipFilter, SamplerDesc,
};
use wavejit_ir::abi::{PRIVATE_APERTURE_HI, SHARED_APERTURE_HI};
use wavejit_isa::{DisasmOptions, Enc, assemble, decode, disasm};
use wavejit_random::Random;
use wavejit_texture::descriptor::{BufferDescriptor, BufferFormat};

/// VGPRs that come from and go to memory.
const ROWS: usize = 32;
/// SGPRs that go to memory.
const SGPRS: usize = 36;
const REGISTERS: Registers = Registers { vgprs: ROWS as u32, sgprs: SGPRS as u32 + 4 };
const LARGE: usize = 64 << 10;
const SMALL: usize = 4096;

/// What a case is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Descriptors,
    Instructions,
    ControlFlow,
}

/// A part that can be left out.
#[derive(Clone, Debug)]
enum Part {
    Code(Vec<u32>),
    /// An SGPR at the start, changed in these bits.
    Flip(usize, u32),
    /// An SGPR at the start.
    Set(usize, u32),
}

/// Machine code and what it starts from.
#[derive(Clone)]
pub struct Raw {
    kind: Kind,
    wave_size: u32,
    group: u32,
    groups: u32,
    rsrc: PgmRsrc,
    lds_bytes: u32,
    scratch_bytes: u32,
    images: [ImageDesc; 2],
    sampler: SamplerDesc,
    stride: u32,
    /// Contents of rows and memory.
    seed: u64,
    parts: Vec<Part>,
    max_insts: u64,
}

impl Raw {
    /// A case of some choices.
    pub fn random(s: &mut Source) -> Raw {
        let kind =
            s.pick(&[Kind::Descriptors, Kind::Descriptors, Kind::Descriptors, Kind::Instructions, Kind::Instructions, Kind::ControlFlow]);
        let wave_size = if s.one_in(3) { 64 } else { 32 };
        let mut raw = Raw {
            kind,
            wave_size,
            group: if s.one_in(4) { s.range(1, 200) } else { wave_size },
            groups: if s.one_in(6) { s.range(1, 4) } else { 1 },
            rsrc: rsrc(s, wave_size),
            lds_bytes: s.pick(&[0, 4096, 4096, 64, 65536]),
            scratch_bytes: s.pick(&[0, 256, 256, 20, 1024]),
            images: [image(s), image(s)],
            sampler: sampler(s),
            stride: if s.one_in(2) { 0 } else { s.below(64) },
            seed: s.bits(),
            parts: vec![],
            max_insts: 3000,
        };
        if s.one_in(16) {
            raw.scratch_bytes = s.hostile();
        }
        raw.parts = match kind {
            Kind::Descriptors => descriptor_parts(s, wave_size),
            Kind::Instructions => (0..s.range(2, 40)).map(|_| Part::Code(instruction::any(s, REGISTERS, wave_size))).collect(),
            Kind::ControlFlow => vec![Part::Code(control_flow(s, wave_size))],
        };
        if kind == Kind::Instructions && s.one_in(2) {
            raw.parts.insert(0, Part::Code(exec(s, wave_size)));
        }
        raw
    }

    /// Does it have no second workgroup?
    pub fn is_one_group(&self) -> bool {
        self.groups == 1
    }

    /// How many parts there are.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Without one of them.
    pub fn without(&self, part: usize) -> Raw {
        let mut smaller = self.clone();
        smaller.parts.remove(part);
        smaller
    }

    /// Its code without what loads and stores registers, and the wave size.
    pub fn code(&self) -> (Vec<u32>, u32) {
        let words = self.parts.iter().filter_map(|p| if let Part::Code(words) = p { Some(words.as_slice()) } else { None });
        (words.flatten().copied().collect(), self.wave_size)
    }

    /// For people.
    pub fn describe(&self) -> String {
        let Raw { kind, wave_size, group, groups, rsrc, lds_bytes, scratch_bytes, max_insts, .. } = self;
        let mut text = format!(
            "{kind:?}, wave{wave_size}, {groups} workgroups of {group}, rsrc {:08x} {:08x} {:08x}, LDS {lds_bytes:#x}, scratch {scratch_bytes:#x}, \
             at most {max_insts} instructions a wave\n",
            rsrc.rsrc1, rsrc.rsrc2, rsrc.rsrc3
        );
        if *kind == Kind::Descriptors {
            writeln!(text, "  {:?}\n  {:?}\n  {:?}", self.images[0], self.images[1], self.sampler).expect("strings take text");
        }
        for (n, part) in self.parts.iter().enumerate() {
            let line = match part {
                Part::Code(words) => listing(words, *wave_size),
                other => format!("{other:x?}"),
            };
            writeln!(text, "  {n}: {line}").expect("strings take text");
        }
        text
    }

    /// Runs it.
    pub fn run(&self, device: &Device, cancel: &AtomicU32) -> Outcome {
        let mut alive = Alive::default();
        let result = self.launch(device, cancel, &mut alive);
        outcome(device, result)
    }

    fn launch(&self, device: &Device, cancel: &AtomicU32, alive: &mut Alive) -> Result<DispatchStats, Error> {
        let mut rng = Random(self.seed);
        let mut buffer = |bytes: &[u8]| -> Result<u64, Error> {
            let buffer = device.upload(bytes)?;
            let address = buffer.address();
            alive.buffers.push(buffer);
            Ok(address)
        };
        let large = buffer(&random_bytes(rng.u64(), LARGE))?;
        let small = buffer(&random_bytes(rng.u64(), SMALL))?;
        let slots = (self.group * self.groups) as usize;
        let rows = buffer(&self.rows(&mut rng, slots, large, small))?;
        let dump = buffer(&vec![0; (ROWS + SGPRS + 4) * slots * 4])?;
        let mut code = assembled(&prologue(rows, slots as u32 * 16), self.wave_size);
        code.extend(self.code().0);
        code.extend(assembled(&epilogue(dump, slots as u32 * 16, self.wave_size), self.wave_size));
        let code_address = buffer(&code.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>())?;
        let sgprs = self.sgprs(device, alive, &mut rng, [large, small, code_address])?;
        let raw = RawInit {
            target: GFX,
            wave_size: self.wave_size,
            entry: code_address,
            rsrc: self.rsrc,
            user_data: &[],
            scratch_bytes: self.scratch_bytes,
        };
        let mut init = WaveInit::raw(&raw);
        init.sgprs = sgprs;
        init.lds_bytes = self.lds_bytes;
        device.run_code(&CodeLaunch {
            name: "attack",
            code: (code_address, code_address + 4 * code.len() as u64),
            init,
            config: LaunchConfig {
                max_insts: self.max_insts,
                cancel: Some(cancel),
                ..LaunchConfig::new([self.group * self.groups, 1, 1], [self.group, 1, 1])
            },
        })
    }

    /// The SGPRs at the start.
    fn sgprs(&self, device: &Device, alive: &mut Alive, rng: &mut Random, [large, small, code]: [u64; 3]) -> Result<Vec<u32>, Error> {
        let mut sgprs: Vec<u32> = (0..SGPRS).map(|_| rng.below(256)).collect();
        let mut put = |at: usize, words: &[u32]| sgprs[at..at + words.len()].copy_from_slice(words);
        let pair = |a: u64| [a as u32, (a >> 32) as u32];
        put(0, &pair(large));
        put(2, &pair(small + SMALL as u64 - 64));
        put(4, &pair(code));
        if self.kind == Kind::Descriptors {
            for (desc, at) in self.images.iter().zip([8, 28]) {
                // What cannot be made is replaced by what always can.
                let image = device.image(desc).or_else(|_| device.image(&ImageDesc { width: 16, height: 16, ..Default::default() }))?;
                put(at, &image.descriptor());
                if let Some((address, bytes)) = device.memory().find(image.address()) {
                    device.memory().write(address, &random_bytes(rng.u64(), bytes as usize))?;
                }
                alive.images.push(image);
            }
            put(16, &self.sampler.encode().or_else(|_| SamplerDesc::default().encode())?);
            let mut corner = || [0, 1, 2].map(|_| rng.below(64) as f32 / 32.0 - 1.0);
            let triangles: Vec<[[f32; 3]; 3]> = (0..9).map(|_| [corner(), corner(), corner()]).collect();
            let bvh = device.bvh(Generation::Gfx11, &triangles)?;
            put(24, &bvh.descriptor());
            alive.hierarchies.push(bvh);
        }
        let records = (LARGE as u32).checked_div(self.stride).unwrap_or(LARGE as u32);
        let v = BufferDescriptor {
            stride: self.stride,
            ..BufferDescriptor::new(Generation::Gfx11, large, records, BufferFormat::Unified(rng.below(64) as u16))
        };
        put(20, &v.encode().map_err(|e| Error::Arg(e.to_string()))?);
        for part in &self.parts {
            match *part {
                Part::Flip(at, bits) => sgprs[at] ^= bits,
                Part::Set(at, value) => sgprs[at] = value,
                Part::Code(_) => {}
            }
        }
        Ok(sgprs)
    }

    /// Contents of v0..v31, four rows at a time as a wave loads them.
    fn rows(&self, rng: &mut Random, slots: usize, large: u64, small: u64) -> Vec<u8> {
        let mut dwords = vec![0u32; ROWS * slots];
        let kinds: Vec<u32> = (0..ROWS).map(|_| rng.below(8)).collect();
        // One lane of one row of addresses in the guard, now and then.
        let lost = if rng.one_in(3) { rng.below(slots as u32) as usize } else { usize::MAX };
        for slot in 0..slots {
            for row in 0..ROWS {
                let value = match row {
                    20 => (large as u32).wrapping_add(rng.below(LARGE as u32 - 64) & !3),
                    21 => (large >> 32) as u32,
                    22 if slot == lost => (small as u32).wrapping_add(SMALL as u32),
                    22 => (small as u32).wrapping_add(rng.below(SMALL as u32 - 16)),
                    23 => (small >> 32) as u32,
                    24 | 26 => rng.below(300) & !3,
                    25 => SHARED_APERTURE_HI,
                    27 => PRIVATE_APERTURE_HI,
                    _ => number(rng, kinds[row], slot as u32),
                };
                dwords[(row / 4 * slots + slot) * 4 + row % 4] = value;
            }
        }
        dwords.iter().flat_map(|d| d.to_le_bytes()).collect()
    }
}

/// A number of one of some kinds.
fn number(rng: &mut Random, kind: u32, slot: u32) -> u32 {
    match kind {
        0 => slot,
        1 => rng.below(16),
        2 => rng.below(300),
        3 => (rng.below(1 << 24) as f32 / (1 << 23) as f32 - 0.5).to_bits(),
        4 => (rng.below(64) as f32).to_bits(),
        5 => slot * 4,
        6 => rng.pick(&[0, 0x3f80_0000, 0xbf80_0000, 0x7f80_0000, 0x7fc0_0000, 0x8000_0000, 0x7f7f_ffff, 1, u32::MAX, 0x5f80_0000]),
        _ => rng.u64() as u32,
    }
}

/// What must live until memory has been looked at.
#[derive(Default)]
struct Alive {
    buffers: Vec<Buffer>,
    images: Vec<Image>,
    hierarchies: Vec<Bvh>,
}

fn rsrc(s: &mut Source, wave_size: u32) -> PgmRsrc {
    // All 256 VGPRs; denormals kept, DX10_CLAMP, IEEE.
    let vgprs = if wave_size == 32 { 31 } else { 63 };
    let mut rsrc = PgmRsrc { rsrc1: vgprs | 0xf0 << 12 | 1 << 21 | 1 << 23, rsrc2: 0, rsrc3: 0 };
    match s.below(6) {
        0 => rsrc.rsrc1 = vgprs | (s.dword() & !0x3f),
        1 => rsrc.rsrc1 = rsrc.rsrc1 & !0x3f | s.below(64),
        2 => rsrc = PgmRsrc { rsrc1: s.dword(), rsrc2: s.dword(), rsrc3: s.dword() },
        _ => {}
    }
    rsrc
}

fn image(s: &mut Source) -> ImageDesc {
    let names: Vec<&str> = ImageFormat::names().collect();
    let kind = s.pick(&[
        ImageKind::OneD,
        ImageKind::OneDArray,
        ImageKind::TwoD,
        ImageKind::TwoD,
        ImageKind::TwoDArray,
        ImageKind::ThreeD,
        ImageKind::Cube,
        ImageKind::Cube,
    ]);
    let most = if s.one_in(8) { 200 } else { 40 };
    let width = s.range(1, most);
    let height = match kind {
        ImageKind::OneD | ImageKind::OneDArray => 1,
        ImageKind::Cube => width,
        _ => s.range(1, most),
    };
    let depth = match kind {
        ImageKind::OneD | ImageKind::TwoD => 1,
        ImageKind::Cube => s.pick(&[6, 6, 12]),
        _ => s.range(1, 8),
    };
    let samples = if matches!(kind, ImageKind::TwoD | ImageKind::TwoDArray) && s.one_in(4) { s.pick(&[2, 4, 8]) } else { 1 };
    ImageDesc {
        generation: Generation::Gfx11,
        kind,
        format: ImageFormat::parse(s.pick(&names)).unwrap_or(ImageFormat::Rgba8),
        width,
        height,
        depth,
        levels: if samples > 1 { 1 } else { s.pick(&[0, 1, 1]) },
        samples,
        tiling: s.pick(&[ImageTiling::Optimal, ImageTiling::Linear]),
    }
}

fn sampler(s: &mut Source) -> SamplerDesc {
    let filters = [Filter::Point, Filter::Linear];
    let clamps = [Clamp::Wrap, Clamp::Mirror, Clamp::Edge, Clamp::MirrorOnceEdge, Clamp::Border, Clamp::MirrorOnceBorder];
    let compares = [Compare::Never, Compare::Less, Compare::Equal, Compare::LessEqual, Compare::Greater, Compare::Always];
    SamplerDesc {
        generation: Generation::Gfx11,
        mag: s.pick(&filters),
        min: s.pick(&filters),
        mip: s.pick(&[MipFilter::None, MipFilter::Point, MipFilter::Linear]),
        clamp: [0, 1, 2].map(|_| s.pick(&clamps)),
        border: s.pick(&[BorderColor::TransparentBlack, BorderColor::OpaqueBlack, BorderColor::OpaqueWhite, BorderColor::Table(3)]),
        lod: (0.0, s.below(16) as f32),
        bias: s.below(9) as f32 / 2.0 - 2.0,
        max_anisotropy: s.pick(&[1, 1, 2, 4, 16]),
        compare: s.pick(&compares),
        unnormalized: s.one_in(4),
    }
}

/// Sets EXEC: none, one, some, all.
fn exec(s: &mut Source, wave_size: u32) -> Vec<u32> {
    let mut mask = || match s.below(5) {
        0 => 0,
        1 => 1 << s.below(32),
        2 => u32::MAX << s.below(32),
        _ => s.dword(),
    };
    // s_mov_b32 exec_lo, literal; s_mov_b32 exec_hi, literal
    let mut words = vec![0xbefe_00ff, mask()];
    if wave_size == 64 {
        words.extend([0xbeff_00ff, mask()]);
    }
    words
}

/// Buffer, image and ray instructions on the descriptors, and what is wrong with those.
fn descriptor_parts(s: &mut Source, wave_size: u32) -> Vec<Part> {
    let mut parts = vec![];
    match s.below(8) {
        // Real ones.
        0 => {}
        // Flipped bits of a T#, S#, V# or BVH.
        1..6 => {
            for _ in 0..s.range(1, 5) {
                let at = s.pick(&[8, 9, 10, 11, 12, 13, 14, 15, 9, 10, 11, 13, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 29, 30, 31]);
                parts.push(Part::Flip(at, 1 << s.below(32)));
            }
        }
        // Random ones that still point into memory, or not even that.
        6 => parts.extend((9..36).filter(|n| *n != 29 && *n != 20 && *n != 24).map(|n| Part::Set(n, s.dword()))),
        _ => parts.extend((8..36).map(|n| Part::Set(n, if s.one_in(2) { s.hostile() } else { s.dword() }))),
    }
    // Width, height and kind of the first T#: cubes that are not square, huge levels.
    if s.one_in(4) {
        parts.push(Part::Flip(9, s.below(4) << 30));
        parts.push(Part::Flip(10, s.dword() & 0x0fff_3fff & s.dword() & s.dword()));
        parts.push(Part::Flip(11, s.below(16) << 28));
    }
    if s.one_in(3) {
        parts.push(Part::Code(exec(s, wave_size)));
    }
    let forms = instruction::descriptor_forms();
    for _ in 0..s.range(1, 7) {
        let form = &forms[s.index(forms.len())];
        let Some(mut words) = instruction::of_form(s, REGISTERS, form, wave_size) else { continue };
        let is_ray = form.row.name.contains("_bvh");
        let t = match form.enc() {
            Enc::MIMG if is_ray => 24,
            Enc::MIMG => s.pick(&[8, 8, 28]),
            _ => 20,
        };
        if !s.one_in(16) {
            words[1] = words[1] & !(0x1f << 16) | (t / 4) << 16;
            if form.enc() == Enc::MIMG && !is_ray {
                words[1] = words[1] & !(0x1f << 26) | 4 << 26;
            }
        }
        // A row that lacks a sampler has 0 there.
        let words = match decode(&words, GFX, wave_size) {
            Ok(_) => words,
            Err(_) => {
                words[1] &= !(0x1f << 26);
                words
            }
        };
        parts.push(Part::Code(words));
    }
    parts
}

/// Control flow that is hard to translate.
fn control_flow(s: &mut Source, wave_size: u32) -> Vec<u32> {
    let n = if s.one_in(32) { s.range(500, 3000) } else { s.range(2, 120) };
    s.pick(&ControlFlow::ALL).code(n as usize, wave_size, s.bits())
}

fn dwords(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn assembled(text: &str, wave_size: u32) -> Vec<u32> {
    let code = assemble(text, GFX, wave_size).unwrap_or_else(|e| panic!("the frame of a case assembles: {e:?}\n{text}"));
    dwords(&code.bytes)
}

/// Loads v0..v31. v254 stays the work-item's number times 16.
fn prologue(rows: u64, step: u32) -> String {
    let mut text = format!(
        "s_mov_b32 s100, 0x{:x}\ns_mov_b32 s101, 0x{:x}\nv_and_b32_e32 v254, 0x3ff, v0\nv_lshlrev_b32_e32 v254, 4, v254\n",
        rows as u32,
        rows >> 32
    );
    for k in 0..ROWS / 4 {
        writeln!(text, "global_load_b128 v[{}:{}], v254, s[100:101]", 4 * k, 4 * k + 3).expect("strings take text");
        writeln!(text, "s_add_u32 s100, s100, 0x{step:x}\ns_addc_u32 s101, s101, 0").expect("strings take text");
    }
    text
}

/// Stores what is left.
fn epilogue(dump: u64, step: u32, wave_size: u32) -> String {
    let mut text =
        String::from("s_cselect_b32 s99, 1, 0\ns_mov_b32 s98, exec_lo\ns_mov_b32 s97, vcc_lo\ns_mov_b32 s96, m0\ns_mov_b32 exec_lo, -1\n");
    if wave_size == 64 {
        text += "s_mov_b32 exec_hi, -1\n";
    }
    write!(text, "s_mov_b32 s100, 0x{:x}\ns_mov_b32 s101, 0x{:x}\n", dump as u32, dump >> 32).expect("strings take text");
    let store = |first: usize| {
        format!(
            "global_store_b128 v254, v[{first}:{}], s[100:101]\ns_add_u32 s100, s100, 0x{step:x}\ns_addc_u32 s101, s101, 0\n",
            first + 3
        )
    };
    (0..ROWS / 4).for_each(|k| text += &store(4 * k));
    for first in (0..SGPRS).step_by(4).chain([96]) {
        (0..4).for_each(|i| text += &format!("v_mov_b32_e32 v{i}, s{}\n", first + i));
        text += &store(0);
    }
    text + "s_endpgm\n"
}

fn listing(words: &[u32], wave_size: u32) -> String {
    let options = DisasmOptions { wave_size, ..DisasmOptions::default() };
    let mut lines = vec![];
    let mut at = 0;
    while at < words.len() {
        let (text, len) = match decode(&words[at..words.len().min(at + 5)], GFX, wave_size) {
            Ok(inst) => (disasm(&inst, GFX, &options), usize::from(inst.len)),
            Err(e) => (e.to_string(), 1),
        };
        let code: Vec<String> = words[at..at + len].iter().map(|w| format!("{w:08x}")).collect();
        lines.push(format!("{text} // {}", code.join(" ")));
        at += len;
    }
    lines.join("\n     ")
}
