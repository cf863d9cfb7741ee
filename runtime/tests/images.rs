//! Image instructions of gfx1100 on a device's images: border colors, and layouts that depend on the chip.

use wavejit::code_object::PgmRsrc;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{
    BorderColor, Clamp, CodeLaunch, Device, DeviceConfig, Engine, Error, Image, ImageDesc, ImageFormat, LaunchConfig, Sampler, SamplerDesc,
};
use wavejit_isa::{Gfx, assemble};
use wavejit_texture::Generation;
use wavejit_texture::descriptor::{ImageDescriptor, ImageType, SamplerDescriptor};
use wavejit_texture::format::FormatNumber;

/// Runs code on one lane: s[8:15] and s[16:19] are the descriptors, v4 and v5 are `at`. What it leaves in v[0:3].
fn run(device: &Device, instruction: &str, image: &Image, sampler: &Sampler, at: [u32; 2]) -> Result<[u32; 4], Error> {
    run_with(device, instruction, [image.descriptor_address(), sampler.descriptor_address()], at)
}

/// The same with descriptors anywhere.
fn run_with(device: &Device, instruction: &str, [image, sampler]: [u64; 2], at: [u32; 2]) -> Result<[u32; 4], Error> {
    let text = format!(
        "s_load_b256 s[8:15], s[0:1], null
        s_load_b128 s[16:19], s[2:3], null
        v_mov_b32 v4, {:#x}
        v_mov_b32 v5, {:#x}
        v_mov_b32 v6, 0
        s_waitcnt lgkmcnt(0)
        {instruction}
        s_waitcnt vmcnt(0)
        global_store_b128 v6, v[0:3], s[4:5]
        s_endpgm",
        at[0], at[1]
    );
    let code = assemble(&text, Gfx::GFX1100, 32).unwrap_or_else(|e| panic!("{e:?}"));
    let code = device.upload(&code.bytes)?;
    let out = device.alloc(16)?;
    let pointers = [image, sampler, out.address()];
    let user: Vec<u32> = pointers.iter().flat_map(|p| [*p as u32, (*p >> 32) as u32]).collect();
    let init = WaveInit::raw(&RawInit {
        target: Gfx::GFX1100,
        wave_size: 32,
        entry: code.address(),
        // User SGPRs 6.
        rsrc: PgmRsrc { rsrc1: 0xf0 << 12, rsrc2: 6 << 1, rsrc3: 0 },
        user_data: &user,
        scratch_bytes: 0,
    });
    let range = (code.address(), code.address() + code.len() as u64);
    device.run_code(&CodeLaunch { name: "test", code: range, init, config: LaunchConfig::new([1; 3], [1; 3]) })?;
    let bytes = out.to_vec()?;
    Ok([0, 4, 8, 12].map(|i| u32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]])))
}

/// The color at s = 2, beyond the edge.
fn beyond(device: &Device, format: ImageFormat, border: BorderColor) -> Result<[u32; 4], Error> {
    let image = device.image(&ImageDesc { format, width: 4, height: 4, ..Default::default() })?;
    let sampler = device.sampler(&SamplerDesc { clamp: [Clamp::Border; 3], border, ..Default::default() })?;
    let sample = "image_sample_lz v[0:3], v[4:5], s[8:15], s[16:19] dmask:0xf dim:SQ_RSRC_IMG_2D";
    run(device, sample, &image, &sampler, [2f32.to_bits(), 0.5f32.to_bits()])
}

#[test]
fn border_colors_are_the_devices() {
    let device = Device::new(DeviceConfig { engine: Engine::Jit, ..Default::default() }).unwrap();
    let colors = [[0.25, 0.5, 0.75, 1.0], [1.0, 0.0, 0.125, 0.0]];
    let entries = colors.map(|c| device.border_color(c).unwrap());
    assert_ne!(entries[0], entries[1]);
    assert_eq!(device.border_color(colors[0]).unwrap(), entries[0], "a color has one entry");
    for (color, entry) in colors.iter().zip(entries) {
        assert_eq!(beyond(&device, ImageFormat::Rgba32Float, entry).unwrap(), color.map(f32::to_bits));
    }
    // Channels the image lacks are not the border's either.
    assert_eq!(beyond(&device, ImageFormat::R32Float, entries[0]).unwrap(), [0.25, 0.0, 0.0, 1.0].map(f32::to_bits));
    device.set_border_color(4095, [7, 8, 9, 10]).unwrap();
    assert_eq!(beyond(&device, ImageFormat::Rgba32Uint, BorderColor::Table(4095)).unwrap(), [7, 8, 9, 10]);
    assert!(device.set_border_color(4096, [0; 4]).is_err());
    assert_eq!(beyond(&device, ImageFormat::Rgba8, BorderColor::OpaqueWhite).unwrap(), [1f32.to_bits(); 4]);
}

#[test]
fn a_border_color_without_a_table_is_refused_by_name() {
    let device = Device::new(DeviceConfig { engine: Engine::Jit, ..Default::default() }).unwrap();
    let error = beyond(&device, ImageFormat::Rgba8, BorderColor::Table(3)).expect_err("there is no table").to_string();
    assert!(error.contains("border color 3"), "{error}");
}

#[test]
fn layouts_follow_gb_addr_config() {
    // NUM_PIPES 4 (16), NUM_PKRS 3 (8).
    let [simple, wide] = [0, 4 | 3 << 8].map(|gb_addr_config| Device::new(DeviceConfig { gb_addr_config, ..Default::default() }).unwrap());
    let desc = ImageDesc { format: ImageFormat::R32Uint, width: 256, height: 256, ..Default::default() };
    let numbers: Vec<u8> = (0..256 * 256u32).flat_map(u32::to_le_bytes).collect();
    let load = "image_load v[0:3], v[4:5], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D unorm";
    let texels = [&simple, &wide].map(|device| {
        let (image, sampler) = (device.image(&desc).unwrap(), device.sampler(&SamplerDesc::default()).unwrap());
        image.write(0, &numbers).unwrap();
        for at in [[0, 0], [100, 77], [200, 77], [255, 255]] {
            assert_eq!(run(device, load, &image, &sampler, at).unwrap(), [at[0] + 256 * at[1], 0, 0, 1]);
        }
        let mut texels = vec![0; numbers.len()];
        device.memory().read(image.address(), &mut texels).unwrap();
        texels
    });
    let at = |texels: &[u8], offset: usize| u32::from_le_bytes(texels[offset..offset + 4].try_into().unwrap());
    // Mesa, addrlib: (100, 77) of 64KB_R_X is at 58056 with one pipe, at 58568 with 16 pipes and 8 packers.
    assert_eq!((at(&texels[0], 58056), at(&texels[1], 58568)), (100 + 77 * 256, 100 + 77 * 256));
    let odd = Device::new(DeviceConfig { gb_addr_config: 1 << 3, ..Default::default() });
    assert!(odd.err().is_some_and(|e| e.to_string().contains("GB_ADDR_CONFIG 0x8")));
}

#[test]
fn a_cube_whose_faces_are_not_square_is_refused_and_reads_nothing() {
    let device = Device::new(DeviceConfig { engine: Engine::Jit, ..Default::default() }).unwrap();
    // Linear filter across edges; faces of 16384x1 texels in a buffer of 4 MiB.
    let texels = device.alloc(4 << 20).unwrap();
    let number = FormatNumber::Unified(10);
    let faces = |width, height| {
        let t = ImageDescriptor::new(Generation::Gfx11, ImageType::Cube, number, width, height);
        ImageDescriptor { base: texels.address(), last_layer: 5, ..t }.encode().unwrap()
    };
    let s = SamplerDescriptor { mag_filter: 1, min_filter: 1, ..SamplerDescriptor::new(Generation::Gfx11) }.encode().unwrap();
    let words = |w: &[u32]| device.upload(&w.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>()).unwrap();
    let s = words(&s);
    for instruction in
        ["image_sample_lz v[0:3], v[4:6], s[8:15], s[16:19] dmask:0xf", "image_gather4_lz v[0:3], v[4:6], s[8:15], s[16:19] dmask:0x1"]
    {
        let instruction = format!("{instruction} dim:SQ_RSRC_IMG_CUBE");
        for at in [[1f32, 1.5], [2.0, 1.5], [1.5, 1.0], [1.5, 2.0], [2.0, 2.0]].map(|at| at.map(f32::to_bits)) {
            for [width, height] in [[16384, 1], [1, 16384], [64, 63]] {
                let t = words(&faces(width, height));
                let error = run_with(&device, &instruction, [t.address(), s.address()], at).expect_err("no such cube").to_string();
                assert!(error.contains(&format!("{width}x{height}")), "{error}");
            }
            let t = words(&faces(64, 64));
            assert_eq!(run_with(&device, &instruction, [t.address(), s.address()], at).unwrap()[0], 0);
        }
    }
}
