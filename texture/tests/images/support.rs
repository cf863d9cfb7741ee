//! Images in memory, and instructions on them.

pub(crate) use wavejit_random::Random;
use wavejit_texture::descriptor::{ImageDescriptor, ImageType, SamplerDescriptor};
use wavejit_texture::format::FormatNumber;
use wavejit_texture::image::{Dim, HostLevel, ImageConfig, ImageError, ImageOp, Kind, Operands, Routine};
use wavejit_texture::memory::FlatMemory;
use wavejit_texture::tiling::{self, AddressConfig, SurfaceParams, TileTables, Tiling};
use wavejit_texture::{Generation, Memory, Wave};

/// Guest address of images; the memory below it, from [`BASE`] - 4096 on, is for tables.
pub(crate) const BASE: u64 = 0x1_0000_0000;
/// Border colors.
pub(crate) const BORDER_TABLE: u64 = BASE - 4096;
/// What registers hold before an instruction.
pub(crate) const UNTOUCHED: u32 = 0xdead_beef;

/// A chip of a generation.
pub(crate) fn chip(generation: Generation) -> AddressConfig {
    let tile_modes = match generation {
        Generation::Gfx6 => TileTables::of("gfx600"),
        Generation::Gfx8 => TileTables::of("gfx803"),
        _ => None,
    };
    AddressConfig { tile_modes, ..Default::default() }
}

/// An image of random or given elements.
pub(crate) struct Image {
    pub descriptor: ImageDescriptor,
    pub params: SurfaceParams,
    pub tiling: Tiling,
    pub memory: FlatMemory,
}

/// Unified number of a gfx11 format by name.
pub(crate) fn gfx11_format(name: &str) -> u16 {
    let number = (1..256).find(|&n| {
        FormatNumber::Unified(n)
            .name(Generation::Gfx11)
            .is_some_and(|_| wavejit_texture::Format::unified(Generation::Gfx11, n).is_some_and(|f| f.to_string() == name))
    });
    number.unwrap_or_else(|| panic!("gfx11 has no {name}"))
}

impl Image {
    /// An image of a gfx11 format; `size`: width, height, depth or layers.
    pub(crate) fn new(kind: ImageType, format: &str, size: [u32; 3], levels: u32, mode: u8) -> Image {
        let generation = Generation::Gfx11;
        let number = FormatNumber::Unified(gfx11_format(format));
        let mut d = ImageDescriptor::new(generation, kind, number, size[0], size[1]);
        d.base = BASE;
        d.mode = mode;
        d.levels = levels as u8;
        d.last_level = levels as u8 - 1;
        match kind {
            ImageType::Dim3 => d.depth = size[2],
            _ => d.last_layer = size[2] - 1,
        }
        Image::of(d)
    }

    /// The image of a descriptor, of zeros.
    pub(crate) fn of(d: ImageDescriptor) -> Image {
        let format = d.format().expect("the test's format exists");
        let is_volume = d.kind == ImageType::Dim3;
        let params = SurfaceParams {
            generation: d.generation,
            mode: d.mode,
            kind: match d.kind {
                ImageType::Dim1 | ImageType::Dim1Array => tiling::Kind::OneD,
                ImageType::Dim3 => tiling::Kind::ThreeD,
                _ => tiling::Kind::TwoD,
            },
            width: d.width,
            height: d.height,
            depth_or_layers: if is_volume { d.depth } else { d.last_layer + 1 },
            levels: d.levels.into(),
            samples: 1 << d.samples_log2,
            element_bytes: format.bytes.into(),
            compressed: format.block == [4, 4],
            pitch: d.pitch,
            pow2_pad: d.pow2_pad,
            pipe_bank_xor: 0,
            config: chip(d.generation),
        };
        let tiling = Tiling::new(&params).expect("the test's layout exists");
        let memory = FlatMemory::new(BASE - 4096, vec![0; 4096 + tiling.size() as usize]);
        Image { descriptor: d, params, tiling, memory }
    }

    /// Width, height, and depth or layers of a level, in texels.
    pub(crate) fn level_size(&self, level: u32) -> [u32; 3] {
        let halve = |n: u32| (n >> level).max(1);
        let s = &self.params;
        let deep = if self.descriptor.kind == ImageType::Dim3 { halve(s.depth_or_layers) } else { s.depth_or_layers };
        [halve(s.width), halve(s.height), deep]
    }

    /// Puts an element (texel or block).
    pub(crate) fn put(&self, level: u32, [x, y, z]: [u32; 3], sample: u32, bytes: &[u8]) {
        assert!(self.memory.write(BASE + self.tiling.offset(level, x, y, z, sample), bytes));
    }

    /// The bytes of an element.
    pub(crate) fn get(&self, level: u32, [x, y, z]: [u32; 3], sample: u32) -> Vec<u8> {
        let mut bytes = vec![0; self.params.element_bytes as usize];
        assert!(self.memory.read(BASE + self.tiling.offset(level, x, y, z, sample), &mut bytes));
        bytes
    }

    /// Puts what a function makes of level, coordinates and sample into every texel.
    pub(crate) fn fill(&self, mut make: impl FnMut(u32, [u32; 3], u32) -> Vec<u8>) {
        for level in 0..self.params.levels {
            let [w, h, d] = self.level_size(level);
            let [w, h] = if self.params.compressed { [w.div_ceil(4), h.div_ceil(4)] } else { [w, h] };
            for z in 0..d {
                for y in 0..h {
                    for x in 0..w {
                        for sample in 0..self.params.samples {
                            self.put(level, [x, y, z], sample, &make(level, [x, y, z], sample));
                        }
                    }
                }
            }
        }
    }

    pub(crate) fn words(&self) -> [u32; 8] {
        self.descriptor.encode().expect("the test's descriptor can be written")
    }
}

/// A sampler of gfx11: linear, wrapping, all levels point filtered.
pub(crate) fn linear() -> SamplerDescriptor {
    SamplerDescriptor { mag_filter: 1, min_filter: 1, mip_filter: 1, ..SamplerDescriptor::new(Generation::Gfx11) }
}

/// A sampler of gfx11 that filters nothing.
pub(crate) fn point() -> SamplerDescriptor {
    SamplerDescriptor { mip_filter: 1, ..SamplerDescriptor::new(Generation::Gfx11) }
}

/// An instruction of gfx11 by mnemonic.
pub(crate) fn op(mnemonic: &str, dim: Dim) -> ImageOp {
    let (kind, g16) = Kind::named(mnemonic).unwrap_or_else(|| panic!("no {mnemonic}"));
    ImageOp { g16, ..ImageOp::new(kind, Generation::Gfx11, dim) }
}

/// An instruction with descriptors and operands, on 32 lanes.
#[derive(Clone)]
pub(crate) struct Call {
    pub op: ImageOp,
    pub config: ImageConfig,
    pub t: [u32; 8],
    pub s: [u32; 4],
    /// Address registers; lanes beyond those given have the last value.
    pub address: Vec<Vec<u32>>,
    pub source: Vec<Vec<u32>>,
    pub exec: u64,
    pub lanes: usize,
    /// Of the vector kernels; portable: the scalar form.
    pub level: HostLevel,
    /// Result registers given.
    pub results: u16,
}

const SOURCE_ROW: u16 = 20;
const RESULT_ROW: u16 = 30;

impl Call {
    pub(crate) fn new(op: ImageOp, t: [u32; 8], s: [u32; 4]) -> Call {
        let config = ImageConfig { border_colors: BORDER_TABLE, addresses: chip(op.generation), ..Default::default() };
        Call { op, config, t, s, address: vec![], source: vec![], exec: u64::MAX, lanes: 32, level: HostLevel::Baseline, results: 6 }
    }

    pub(crate) fn address(mut self, registers: &[&[u32]]) -> Call {
        self.address = registers.iter().map(|r| r.to_vec()).collect();
        self
    }

    /// Address registers of floats.
    pub(crate) fn coordinates(mut self, registers: &[&[f32]]) -> Call {
        self.address = registers.iter().map(|r| r.iter().map(|f| f.to_bits()).collect()).collect();
        self
    }

    pub(crate) fn source(mut self, registers: &[&[u32]]) -> Call {
        self.source = registers.iter().map(|r| r.to_vec()).collect();
        self
    }

    /// Executes it; result registers, by lane.
    pub(crate) fn try_run(&self, memory: &dyn Memory) -> Result<Vec<Vec<u32>>, ImageError> {
        let lanes = self.lanes;
        let mut rows = vec![UNTOUCHED; 40 * lanes];
        for (first, registers) in [(0, &self.address), (SOURCE_ROW, &self.source)] {
            for (n, register) in registers.iter().enumerate() {
                for lane in 0..lanes {
                    rows[(usize::from(first) + n) * lanes + lane] = register.get(lane).or(register.last()).copied().unwrap_or(0);
                }
            }
        }
        let address: Vec<u16> = (0..self.address.len() as u16).collect();
        let source: Vec<u16> = (SOURCE_ROW..).take(self.source.len()).collect();
        let result: Vec<u16> = (RESULT_ROW..RESULT_ROW + self.results).collect();
        let operands = Operands { address: &address, source: &source, result: &result };
        let routine = Routine::new(&self.op, &self.config, &self.t, &self.s)?.at_level(self.level);
        routine.execute(&operands, &mut Wave::new(&mut rows, lanes, self.exec), memory)?;
        Ok(result.iter().map(|&r| rows[usize::from(r) * lanes..][..lanes].to_vec()).collect())
    }

    pub(crate) fn run(&self, memory: &dyn Memory) -> Vec<Vec<u32>> {
        self.try_run(memory).unwrap_or_else(|e| panic!("{e}"))
    }

    /// The first lane's results.
    pub(crate) fn lane0(&self, memory: &dyn Memory) -> Vec<u32> {
        self.run(memory).iter().map(|r| r[0]).collect()
    }

    /// The first lane's results as floats.
    pub(crate) fn floats(&self, memory: &dyn Memory) -> [f32; 4] {
        let r = self.lane0(memory);
        [0, 1, 2, 3].map(|n| f32::from_bits(r[n]))
    }
}
