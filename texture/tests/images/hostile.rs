//! Descriptors of random dwords: nothing panics, nothing outside the memory is touched, whatever the instruction.

use super::support::{BASE, Call, Random, op};
use wavejit_texture::image::{Dim, HostLevel, ImageOp};
use wavejit_texture::memory::FlatMemory;
use wavejit_texture::{Generation, Memory};

const MNEMONICS: [&str; 20] = [
    "image_load",
    "image_load_mip",
    "image_load_pck",
    "image_load_mip_pck_sgn",
    "image_store",
    "image_store_mip",
    "image_store_pck",
    "image_atomic_add",
    "image_atomic_cmpswap",
    "image_atomic_fmax",
    "image_get_resinfo",
    "image_get_lod",
    "image_msaa_load",
    "image_sample",
    "image_sample_d_cl_o",
    "image_sample_c_b",
    "image_gather4",
    "image_gather4_c_l_o",
    "image_gather4h",
    "image_sample_c_d_cl_o_g16",
];

const GENERATIONS: [Generation; 7] =
    [Generation::Gfx6, Generation::Gfx8, Generation::Gfx9, Generation::Gfx10, Generation::Gfx103, Generation::Gfx11, Generation::Gfx12];

/// Memory without pieces: kernels have to do with what the scalar form does.
struct Pieces<'a>(&'a FlatMemory);

// SAFETY: lends nothing.
unsafe impl Memory for Pieces<'_> {
    fn view(&self, _: u64, _: u64) -> Option<*mut u8> {
        None
    }
    fn read(&self, address: u64, out: &mut [u8]) -> bool {
        self.0.read(address, out)
    }
    fn write(&self, address: u64, data: &[u8]) -> bool {
        self.0.write(address, data)
    }
    fn atomic32(&self, address: u64, update: wavejit_texture::memory::Update) -> Option<u32> {
        self.0.atomic32(address, update)
    }
    fn atomic64(&self, address: u64, update: wavejit_texture::memory::Update) -> Option<u64> {
        self.0.atomic64(address, update)
    }
    fn resident(&self, page: u64) -> bool {
        !page.is_multiple_of(3)
    }
}

fn round(count: u32, seed: u64) {
    let mut random = Random(seed);
    let memory = FlatMemory::new(BASE - 4096, vec![0x5a; 1 << 20]);
    let mut executed = 0;
    for _ in 0..count {
        let generation = random.pick(&GENERATIONS);
        let mut t: [u32; 8] = std::array::from_fn(|_| random.u64() as u32);
        // Mostly an image, somewhere near the memory, of moderate size: otherwise everything ends at the first look.
        if random.below(4) != 0 {
            t[0] = (BASE >> 8) as u32;
            t[1] = t[1] & !0xff | (BASE >> 40) as u32;
            t[3] |= 8 << 28;
            if random.below(2) != 0 {
                t[2] &= 0x003f_c00f;
                t[3] &= !(0x1f << 20);
                t[4] &= 0x0007_000f;
                t[5] &= !0xff;
            }
        }
        let s: [u32; 4] = std::array::from_fn(|_| random.u64() as u32);
        let dim = Dim::from_field(random.below(8));
        let op = ImageOp {
            generation,
            dim: (generation >= Generation::Gfx10).then_some(dim),
            declared_array: random.below(2) != 0,
            dmask: random.pick(&[1, 3, 15, random_mask(&mut Random(random.0))]),
            unorm: random.below(4) == 0,
            d16: random.below(4) == 0,
            a16: random.below(4) == 0,
            tfe: random.below(4) == 0,
            lwe: random.below(4) == 0,
            r128: random.below(4) == 0,
            returns: random.below(2) != 0,
            ..op(random.pick(&MNEMONICS), dim)
        };
        let mut call = Call { exec: random.u64(), level: HostLevel::get(), ..Call::new(op, t, s) };
        let small = random.below(2) != 0;
        call.address = (0..13)
            .map(|_| {
                (0..32).map(|_| if small { random.pick(&[0, 1, 2, 5, 0x3f00_0000, 0x3e80_0000]) } else { random.u64() as u32 }).collect()
            })
            .collect();
        call.source = vec![vec![1, 2, 3]; 4];
        let result = if random.below(2) == 0 { call.try_run(&memory) } else { call.try_run(&Pieces(&memory)) };
        executed += u32::from(result.is_ok());
    }
    assert!(executed > count / 10, "{executed} of {count} did something");
}

fn random_mask(random: &mut Random) -> u8 {
    random.below(16) as u8
}

#[test]
fn random_descriptors_do_no_harm() {
    round(6000, 0xbad_c0de);
}

#[test]
#[ignore = "minutes"]
fn many_random_descriptors_do_no_harm() {
    round(1_000_000, 0xbad_f00d);
}
