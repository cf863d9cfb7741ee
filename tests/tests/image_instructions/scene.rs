//! An image in the memory of a test machine, and an instruction run on it by every engine.

use wavejit::ImageFormat;
use wavejit_ir::FpMode;
use wavejit_ir::abi::Exit;
use wavejit_ir::verify::verify;
use wavejit_isa::{Gfx, assemble_instruction};
use wavejit_tests::filetest::differences;
use wavejit_tests::machine::{INTERPRETER, MEM, Machine, OTHERS, OUTSIDE, lift_code};
use wavejit_texture::Generation;
use wavejit_texture::descriptor::{ImageDescriptor, ImageType};
use wavejit_texture::tiling::{self, AddressConfig, SurfaceParams, TileTables, Tiling};

/// Lanes of a wave: every family has waves of 64.
pub(crate) const LANES: usize = 64;
/// Results and data start at v0, addresses here.
pub(crate) const ADDRESS: usize = 32;
/// Where T# and S# are.
pub(crate) const T_SHARP: usize = 8;
pub(crate) const S_SHARP: usize = 16;

/// A value for each lane.
pub(crate) type Lanes = [u32; LANES];

/// An image at the start of memory.
pub(crate) struct Picture {
    pub generation: Generation,
    descriptor: ImageDescriptor,
    tiling: Tiling,
}

impl Picture {
    /// 2D with levels, or with samples, in the first of some swizzle modes that has a layout for it.
    pub(crate) fn new(target: Gfx, format: ImageFormat, size: u32, levels: u32, samples: u32) -> Picture {
        let generation = target.descriptors();
        let (number, format) = format.number(generation).expect("every generation has the format");
        let kind = if samples > 1 { ImageType::Msaa } else { ImageType::Dim2 };
        let mut descriptor = ImageDescriptor {
            base: MEM,
            levels: levels as u8,
            last_level: levels as u8 - 1,
            samples_log2: samples.ilog2() as u8,
            ..ImageDescriptor::new(generation, kind, number, size, size)
        };
        // Linear; of several samples in blocks of 64 KiB.
        let modes: &[u8] = match (generation, samples) {
            (Generation::Gfx6 | Generation::Gfx8, 1) => &[8],
            (_, 1) => &[0],
            (Generation::Gfx12, _) => &[3],
            _ => &[24, 8],
        };
        let layout = |mode: u8| {
            Tiling::new(&SurfaceParams {
                generation,
                mode,
                kind: tiling::Kind::TwoD,
                width: size,
                height: size,
                depth_or_layers: 1,
                levels,
                samples,
                element_bytes: format.bytes.into(),
                compressed: false,
                pitch: descriptor.pitch,
                pow2_pad: false,
                pipe_bank_xor: 0,
                config: AddressConfig { tile_modes: TileTables::of(&target.to_string()), ..Default::default() },
            })
        };
        let (mode, tiling) = modes.iter().find_map(|m| Some((*m, layout(*m).ok()?))).expect("a layout");
        descriptor.mode = mode;
        Picture { generation, descriptor, tiling }
    }

    /// A machine with memory for the image, its T#, and EXEC for the first `lanes` lanes.
    pub(crate) fn machine(&self, target: Gfx, lanes: usize) -> Machine {
        let mut m = Machine::with_memory(LANES as u32, (self.tiling.size() as usize).max(4096));
        m.target = target;
        let words = self.descriptor.encode().expect("the test's descriptor can be written");
        m.sregs[T_SHARP..T_SHARP + 8].copy_from_slice(&words);
        let exec = u64::MAX >> (LANES - lanes);
        (m.sregs[126], m.sregs[127]) = (exec as u32, (exec >> 32) as u32);
        m
    }

    /// The dword of a texel.
    pub(crate) fn texel<'a>(&self, m: &'a mut Machine, level: u32, [x, y]: [u32; 2], sample: u32) -> &'a mut u32 {
        &mut m.mem_mut()[self.tiling.offset(level, x, y, 0, sample) as usize / 4]
    }

    /// Fills every texel of levels that are `size` wide at first.
    pub(crate) fn fill(&self, m: &mut Machine, make: impl Fn(u32, [u32; 2], u32) -> u32) {
        for level in 0..u32::from(self.descriptor.levels) {
            let size = self.descriptor.width >> level;
            for at in (0..size * size).map(|i| [i % size, i / size]) {
                for sample in 0..1 << self.descriptor.samples_log2 {
                    *self.texel(m, level, at, sample) = make(level, at, sample);
                }
            }
        }
    }
}

/// Sets a register.
pub(crate) fn set(m: &mut Machine, register: usize, lanes: &Lanes) {
    m.vgpr_mut(register).copy_from_slice(lanes);
}

/// Assembles an instruction and has every engine run it; what differs from `expected`, or why it did not run.
pub(crate) fn check(text: &str, target: Gfx, start: &Machine, expected: &Machine) -> Result<(), String> {
    let code = assemble_instruction(text, target, LANES as u32).map_err(|e| e.to_string())?;
    check_words(code.dwords(), target, start, expected)
}

/// The same of machine code.
pub(crate) fn check_words(words: &[u32], target: Gfx, start: &Machine, expected: &Machine) -> Result<(), String> {
    let leave = assemble_instruction("s_setpc_b64 s[96:97]", target, LANES as u32).map_err(|e| e.to_string())?;
    let words: Vec<u32> = words.iter().chain(leave.dwords()).copied().collect();
    let func = lift_code(&words, target, LANES as u32, FpMode::HSA);
    verify(&func).map_err(|e| e.to_string())?;
    for (engine, run) in [INTERPRETER].into_iter().chain(OTHERS) {
        let mut m = start.clone();
        let outcome = run(&func, &mut m)?;
        if (outcome.exit, outcome.arg) != (Exit::NewPc, OUTSIDE) {
            return Err(format!("{engine}: {outcome:x?}"));
        }
        let wrong = differences(&m, expected);
        if !wrong.is_empty() {
            return Err(format!("{engine}:\n{wrong}"));
        }
    }
    Ok(())
}
