//! Any dwords as T# and S#, V# or BVH, for any buffer, image or ray instruction of any family with any modifiers: the instruction ends with
//! results or an error, and touches nothing but the memory it was lent (the address sanitizer sees that).
//!
//! Input: processor, instruction, modifiers (8 bytes), which fields to make plausible, EXEC, a seed for registers, then 12 dwords. Random
//! descriptors nearly always miss the memory; those made plausible point at it and describe small images.
#![no_main]

mod limited;

use libfuzzer_sys::fuzz_target;
use limited::limited;
use std::sync::OnceLock;
use wavejit_isa::{Enc, Gfx, MemoryKind, rows};
use wavejit_texture::buffer::{self, Alignment, BufferOp, Scalars};
use wavejit_texture::descriptor::{BufferDescriptor, BufferFormat, BvhDescriptor, ImageDescriptor};
use wavejit_texture::image::{self, Dim, ImageConfig, ImageOp, Kind, Operands};
use wavejit_texture::memory::FlatMemory;
use wavejit_texture::ray::{self, HalfOrder, RayOp};
use wavejit_texture::tiling::{AddressConfig, TileTables};
use wavejit_texture::{Generation, Wave};

const TARGETS: [(u16, Generation); 10] = [
    (0x600, Generation::Gfx6),
    (0x704, Generation::Gfx6),
    (0x803, Generation::Gfx8),
    (0x810, Generation::Gfx8),
    (0x900, Generation::Gfx9),
    (0x90a, Generation::Gfx9),
    (0x1010, Generation::Gfx10),
    (0x1030, Generation::Gfx103),
    (0x1100, Generation::Gfx11),
    (0x1200, Generation::Gfx12),
];

/// Guest address of the memory, and its bytes.
const BASE: u64 = 0x1_0000_0000;
const BYTES: usize = 1 << 17;
/// Rows of a wave: results and data first, addresses after them.
const ROWS: usize = 64;

/// Names of a processor's memory instructions that take descriptors.
fn names(target: usize) -> &'static [&'static str] {
    static NAMES: [OnceLock<Vec<&'static str>>; TARGETS.len()] = [const { OnceLock::new() }; TARGETS.len()];
    let formats = [Enc::MUBUF, Enc::MTBUF, Enc::MIMG, Enc::VIMAGE, Enc::VSAMPLE];
    NAMES[target].get_or_init(|| {
        let target = Gfx(TARGETS[target].0);
        let rows = rows::all().iter().filter(|r| r.exists_on(target) && r.encs_on(target).any(|e| formats.contains(&e)));
        rows.map(|r| r.name_on(target)).collect()
    })
}

/// What is left of the input.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }
    fn dword(&mut self) -> u32 {
        u32::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }
}

/// Registers: whole numbers near and far, floats near and far from 0 to 1, anything.
fn registers(seed: u64, lanes: usize) -> Vec<u32> {
    let mut random = wavejit_random::Random(seed);
    (0..ROWS * lanes)
        .map(|_| {
            let value = random.u32();
            match random.below(6) {
                0 => value % 16,
                1 => value % 300,
                2 | 3 => (value as f32 / u32::MAX as f32 * 2.0 - 0.5).to_bits(),
                4 => ((value % 64) as f32).to_bits(),
                _ => value,
            }
        })
        .collect()
}

/// A T# that points at the memory, as far as `choice` says, and perhaps is of a small image.
fn plausible_image(t: &mut [u32; 8], generation: Generation, choice: u8) {
    if choice & 1 != 0 {
        t[0] = (BASE >> 8) as u32 + (t[0] & 0x1f);
        t[1] &= !0xff;
        t[1] |= (BASE >> 40) as u32;
    }
    if choice & 2 != 0 {
        let d = ImageDescriptor::decode(t, generation, false);
        let small = ImageDescriptor {
            width: d.width % 96 + 1,
            height: d.height % 96 + 1,
            depth: d.depth % 8 + 1,
            last_layer: d.last_layer % 8,
            first_layer: d.first_layer % 4,
            pitch: d.pitch.map(|p| p % 256 + 1),
            ..d
        };
        *t = small.encode().unwrap_or(*t);
    }
}

fuzz_target!(|bytes: &[u8]| limited(bytes, run));

fn run(bytes: &[u8]) {
    let mut input = Input(bytes);
    let target = usize::from(input.byte()) % TARGETS.len();
    let (processor, generation) = TARGETS[target];
    let names = names(target);
    let name = names[(usize::from(input.byte()) | usize::from(input.byte()) << 8) % names.len()];
    let (flags, more) = (input.dword(), input.dword());
    let flag = |n: u32| flags >> n & 1 != 0;
    let choice = input.byte();
    let exec = u64::from(input.dword()) | u64::from(input.dword()) << 32;
    let seed = u64::from(input.dword()) << 32 | u64::from(input.dword());
    let mut words: [u32; 12] = std::array::from_fn(|_| input.dword());

    let lanes = if flag(0) { 32 } else { 64 };
    let mut file = registers(seed, lanes);
    let mut wave = Wave::new(&mut file, lanes, exec);
    // Not everywhere resident.
    let bytes = (0..BYTES).map(|i| (i as u8).wrapping_mul(37)).collect();
    let memory = FlatMemory::new(BASE, bytes).with_residency(|page| !page.is_multiple_of(3));
    let row = |first: u32, n: usize| ((first as usize + n) % ROWS) as u16;

    if let Some(op) = BufferOp::new(name, generation) {
        if choice & 1 != 0 {
            words[0] = BASE as u32 + (words[0] & 0xffff);
            words[1] = words[1] & !0xffff | (BASE >> 32) as u32;
        }
        if choice & 2 != 0 {
            words[2] &= 0x1_ffff;
        }
        let format = match generation {
            Generation::Gfx6 | Generation::Gfx8 | Generation::Gfx9 => {
                BufferFormat::Split { data: (more & 15) as u8, number: (more >> 4 & 7) as u8 }
            }
            _ => BufferFormat::Unified((more & 0x7f) as u16),
        };
        let op = BufferOp {
            format: name.starts_with("tbuffer").then_some(format),
            offset: if flag(1) { more >> 8 & 0xfff } else { more },
            offen: flag(2),
            idxen: flag(3),
            addr64: flag(4) && generation == Generation::Gfx6,
            returns: flag(5),
            tfe: flag(6),
            lds: op.lds || flag(7),
            unpacked_d16: processor == 0x803,
            alignment: [Alignment::Unaligned, Alignment::Dword, Alignment::DwordStrict, Alignment::Strict][(flags >> 8 & 3) as usize],
            ..op
        };
        let rows = buffer::Rows {
            address: std::array::from_fn(|n| row(32 + (flags >> 10 & 7), n)),
            data: std::array::from_fn(|n| row(flags >> 13 & 63, n)),
            dst: std::array::from_fn(|n| row(flags >> 19 & 63, n)),
        };
        let d = BufferDescriptor::decode([words[0], words[1], words[2], words[3]], generation);
        let scalars = Scalars { soffset: if flag(25) { words[4] } else { words[4] & 0xfff }, m0: words[5] };
        let mut lds = vec![0; if flag(26) { 4096 } else { 0 }];
        let _ = buffer::execute(&op, &d, scalars, &mut wave, &rows, &mut lds, &memory);
        return;
    }
    if let Some(MemoryKind::Ray(form)) = MemoryKind::named(name)
        && let Some(op) = RayOp::new(form, generation, flag(1))
    {
        if choice & 1 != 0 {
            words[0] = (BASE >> 8) as u32 + (words[0] & 0x1f);
            words[1] = words[1] & !0xff | (BASE >> 40) as u32;
            words[3] = words[3] & 0x0fff_ffff | 8 << 28;
        }
        let d = BvhDescriptor::decode(&[words[0], words[1], words[2], words[3]], generation);
        let rows = ray::Rows { address: std::array::from_fn(|n| row(32, n)), dst: std::array::from_fn(|n| row(flags >> 2 & 63, n)) };
        let op = RayOp { half_order: if flag(8) { HalfOrder::Llvm } else { HalfOrder::Guide }, ..op };
        let _ = ray::execute(&op, &d, &mut wave, &rows, &memory);
        return;
    }
    let Some((kind, g16)) = Kind::named(name) else { return };
    let op = ImageOp {
        declared_array: flag(1),
        dmask: (more & 15) as u8,
        unorm: flag(2),
        d16: flag(3),
        a16: flag(4),
        g16: g16 || flag(5) && generation == Generation::Gfx12,
        tfe: flag(6),
        lwe: flag(7),
        r128: flag(8),
        returns: flag(9),
        ..ImageOp::new(kind, generation, Dim::from_field(more >> 4 & 7))
    };
    let mut t: [u32; 8] = std::array::from_fn(|n| words[n]);
    plausible_image(&mut t, generation, choice);
    let s = [words[8], words[9], words[10], words[11]];
    let tile_modes = if processor < 0x900 { TileTables::of(&format!("gfx{processor:x}")) } else { None };
    let config = ImageConfig {
        addresses: if flag(10) {
            AddressConfig { tile_modes, ..AddressConfig::default() }
        } else {
            AddressConfig { tile_modes, ..AddressConfig::from_register(generation, more >> 8 & !0x38).unwrap_or_default() }
        },
        border_colors: if flag(11) { BASE + 4096 } else { u64::from(seed as u32) << 8 },
        conformant_truncation: flag(12),
        unpacked_d16: processor == 0x803,
    };
    // As many registers as the instruction needs, or fewer.
    let given = if flag(13) { usize::from(choice >> 4) } else { 13 };
    let address: Vec<u16> = (0..given).map(|n| row(32, n)).collect();
    let source: Vec<u16> = (0..if flag(14) { 1 } else { 5 }).map(|n| row(flags >> 15 & 63, n)).collect();
    let result: Vec<u16> = (0..if flag(21) { 1 } else { 5 }).map(|n| row(flags >> 22 & 63, n)).collect();
    let operands = Operands { address: &address, source: &source, result: &result };
    let _ = image::execute(&op, &config, &t, &s, &operands, &mut wave, &memory);
}
