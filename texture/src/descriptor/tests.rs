//! Descriptors against the bit tables of the manuals, and round trips of all of them.

use super::field::tests::{GENERATIONS, assert_disjoint};
use super::*;
use crate::Generation::*;
use crate::format::FormatNumber;

#[test]
fn no_two_fields_share_a_bit() {
    for list in [BUFFER_FIELDS, IMAGE_FIELDS, SAMPLER_FIELDS, BVH_FIELDS] {
        assert_disjoint(list);
    }
}

#[test]
fn gfx11_image_fields_are_where_the_guide_has_them() {
    // RDNA3.5 table 50: 2D array, format 42 (8_8_8_8_UNORM), 300 x 200, slices 2 to 5, levels 1 to 3 of 4, swizzle mode 27, BGRA
    let words = [
        0x8765_4321,                                // base_address[39:8]
        0x0000_00ab | 3 << 16 | 42 << 20 | 3 << 30, // base high, max mip, format, (300 - 1)[1:0]
        299 >> 2 | 199 << 14,                       // width, height
        0o7456 | 1 << 12 | 3 << 16 | 27 << 20 | 4 << 25 | 13 << 28,
        5 | 2 << 16,                // last and first slice
        0x180 << 8 | 0b01000 << 27, // min_lod_warn 1.5; min_lod low 5 bits
        0b0000101,                  // min_lod high: 5 * 32 + 8 = 168 / 256
        0,
    ];
    let d = ImageDescriptor::decode(&words, Gfx11, false);
    assert_eq!(d.base, 0xab87_6543_2100);
    assert_eq!((d.kind, d.width, d.height, d.depth), (ImageType::Dim2Array, 300, 200, 1));
    assert_eq!((d.base_level, d.last_level, d.levels, d.samples_log2), (1, 3, 4, 0));
    assert_eq!((d.first_layer, d.last_layer, d.pitch), (2, 5, None));
    assert_eq!((d.format, d.mode), (FormatNumber::Unified(42), 27));
    assert_eq!(d.format().unwrap().to_string(), "8_8_8_8_UNORM");
    assert_eq!(d.dst_sel, [2, 1, 0, 3].map(DstSel::Component));
    assert_eq!((d.bc_swizzle, d.border_order()), (4, [2, 1, 0, 3]));
    assert_eq!((d.min_lod, d.min_lod_warn, d.is_partially_resident()), (0.65625, 1.5, true));
    assert_eq!(d.encode().unwrap(), words);
}

#[test]
fn gfx12_image_fields_are_where_the_guide_has_them() {
    // RDNA4 table 60: 3D, 40000 x 3 x 17, levels 2 to 16 of 17, min_lod 32.0 - 1.0 / 256.0
    let words = [
        0x0000_0100,
        16 << 12 | 22 << 17 | 2 << 25 | (39999 & 3) << 30,
        39999 >> 2 | 2 << 14,
        0o7654 | 1 << 12 | 16 << 15 | 6 << 20 | 10 << 28,
        16,
        0x3f << 26,
        0x7f,
        0,
    ];
    let d = ImageDescriptor::decode(&words, Gfx12, false);
    assert_eq!((d.kind, d.width, d.height, d.depth, d.last_layer), (ImageType::Dim3, 40000, 3, 17, 16));
    assert_eq!((d.base, d.base_level, d.last_level, d.levels), (0x10000, 2, 16, 17));
    assert_eq!((d.min_lod, d.no_edge_clamp, d.mode), (32.0 - 1.0 / 256.0, true, 6));
    assert_eq!(d.format().unwrap().to_string(), "32_FLOAT");
    assert_eq!(d.encode().unwrap(), words);
}

#[test]
fn gfx9_and_older_have_a_pitch_and_two_format_numbers() {
    // 2D, 8_8_8_8 SRGB (10, 9), 100 x 50, pitch 128
    let words = [0, 10 << 20 | 9 << 26, 99 | 49 << 14, 0o7654 | 20 << 20 | 9 << 28, 127 << 13, 0, 0, 0];
    for generation in [Gfx6, Gfx8, Gfx9] {
        let d = ImageDescriptor::decode(&words, generation, false);
        assert_eq!((d.width, d.height, d.pitch, d.mode), (100, 50, Some(128), 20));
        assert_eq!(d.format, FormatNumber::Split { data: 10, number: 9 });
        assert_eq!(d.format().unwrap().to_string(), "8_8_8_8_SRGB");
        assert_eq!(d.encode().unwrap(), words);
        // GCN-05: four dwords know no pitch
        assert_eq!(ImageDescriptor::decode(&words, generation, true).pitch, None);
    }
}

#[test]
fn arrays_end_at_last_array_before_gfx9_and_at_depth_since() {
    let word5 = 3 | 9 << 13;
    let words = [0, 0, 0, 13 << 28, 7, word5, 0, 0];
    assert_eq!(ImageDescriptor::decode(&words, Gfx8, false).last_layer, 9);
    assert_eq!(ImageDescriptor::decode(&words, Gfx9, false).last_layer, 7);
    assert_eq!(ImageDescriptor::decode(&words, Gfx9, false).first_layer, 3);
}

#[test]
fn pitch_of_gfx10_3_and_later_is_in_the_bits_of_depth() {
    // 2D: pitch 9000 = 8999 + 1; DEPTH has 13 bits, gfx12 14
    let words = |kind: u32| [0, 0, 0, kind << 28, 8999 & 0x1fff | (8999 >> 13) << 13, 0, 0, 0];
    for generation in [Gfx103, Gfx11, Gfx12] {
        assert_eq!(ImageDescriptor::decode(&words(9), generation, false).pitch, Some(9000), "{generation:?}");
        assert_eq!(ImageDescriptor::decode(&words(13), generation, false).pitch, None); // an array's last slice
        assert_eq!(ImageDescriptor::decode(&[0, 0, 0, 9 << 28, 0, 0, 0, 0], generation, false).pitch, None);
    }
    assert_eq!(ImageDescriptor::decode(&words(9), Gfx10, false).pitch, None);
}

#[test]
fn samples_are_in_last_level() {
    let words = [0, 0, 0, 2 << 12 | 3 << 16 | 14 << 28, 0, 0, 0, 0];
    let d = ImageDescriptor::decode(&words, Gfx11, false);
    assert_eq!((d.samples_log2, d.base_level, d.last_level, d.levels), (3, 0, 0, 1));
}

#[test]
fn storage_views_of_3d_images_are_slices() {
    let words = [0, 0, 0, 10 << 28, 9 | 4 << 16, 1, 0, 0];
    for generation in [Gfx10, Gfx103, Gfx11] {
        let d = ImageDescriptor::decode(&words, generation, false);
        assert_eq!((d.is_sliced, d.first_layer, d.last_layer), (true, 4, 9));
    }
    let d = ImageDescriptor::decode(&[0, 0, 0, 10 << 28, 9 | 4 << 16, 1 << 4, 0, 0], Gfx12, false);
    assert_eq!((d.is_sliced, d.first_layer, d.last_layer), (true, 4, 9));
    // as a texture the first slice is 0
    let d = ImageDescriptor::decode(&[0, 0, 0, 10 << 28, 9 | 4 << 16, 0, 0, 0], Gfx11, false);
    assert_eq!((d.is_sliced, d.first_layer, d.last_layer, d.depth), (false, 0, 9, 10));
}

// IMG-27
#[test]
fn all_zero_is_unbound_whatever_the_resource_level() {
    let level = [0, 0, 1 << 31, 0, 0, 0, 0, 0];
    assert!(ImageDescriptor::decode(&level, Gfx10, false).is_unbound);
    assert!(ImageDescriptor::decode(&level, Gfx103, false).is_unbound);
    assert!(!ImageDescriptor::decode(&level, Gfx11, false).is_unbound);
    let far = [0, 0, 0, 0, 0, 0, 0, 1];
    assert!(!ImageDescriptor::decode(&far, Gfx11, false).is_unbound);
    assert!(ImageDescriptor::decode(&far, Gfx11, true).is_unbound);
    assert_eq!(ImageDescriptor::decode(&[0; 8], Gfx12, false).encode(), Ok([0; 8]));
}

#[test]
fn metadata_addresses() {
    let gfx9 = ImageDescriptor::decode(&[0, 0, 0, 0, 0, 0x12 << 17, 1 << 21, 0x3456_789a], Gfx9, false);
    assert_eq!((gfx9.compression.enabled, gfx9.compression.address), (true, 0x1234_5678_9a00));
    let gfx11 = ImageDescriptor::decode(&[0, 0, 0, 0, 0, 0, 0x9a << 24 | 1 << 20, 0x1234_5678], Gfx11, false);
    assert_eq!((gfx11.compression.write, gfx11.compression.address), (true, 0x1234_5678_9a00));
}

#[test]
fn gfx11_sampler_fields_are_where_the_guide_has_them() {
    // RDNA3.5 table 51
    let words = [
        1 | 2 << 3 | 6 << 6 | 4 << 9 | 3 << 12 | 1 << 15 | 2 << 16 | 1 << 20 | 0x21 << 21 | 1 << 27 | 1 << 28 | 2 << 29 | 1 << 31,
        0x180 | 0xfff << 12 | 5 << 24 | 6 << 28,
        0x3e80 | 0x3f << 14 | 1 << 20 | 2 << 22 | 2 << 24 | 1 << 26 | 1 << 29 | 1 << 30,
        0x123 << 18 | 3 << 30,
    ];
    let s = SamplerDescriptor::decode(&words, Gfx11);
    assert_eq!((s.clamp, s.max_aniso_ratio, s.compare, s.unnormalized), ([1, 2, 6], 4, 3, true));
    assert_eq!((s.aniso_threshold, s.force_degamma, s.aniso_bias, s.trunc_coord), (2, true, 1.03125, true));
    assert_eq!((s.disable_cube_wrap, s.filter_mode, s.skip_degamma, s.mc_coord_trunc), (true, 2, true, false));
    assert_eq!((s.min_lod, s.max_lod, s.perf_mip, s.perf_z), (1.5, 16.0 - 1.0 / 256.0, 5, 6));
    assert_eq!((s.lod_bias, s.lod_bias_sec), (-1.5, -0.0625));
    assert_eq!((s.mag_filter, s.min_filter, s.z_filter, s.mip_filter), (1, 2, 2, 1));
    assert_eq!((s.aniso_override, s.blend_prt, s.border), (true, true, Border::Table(0x123)));
    assert_eq!(s.encode().unwrap(), words);
}

#[test]
fn sampler_fields_that_moved() {
    let bit31 = [1 << 31, 0, 0, 0];
    assert!(SamplerDescriptor::decode(&bit31, Gfx9).compat_mode && !SamplerDescriptor::decode(&bit31, Gfx9).skip_degamma);
    assert!(SamplerDescriptor::decode(&bit31, Gfx10).skip_degamma);
    let border = |at: u32| [0, 0, 0, 7 << at | 3 << 30];
    assert_eq!(SamplerDescriptor::decode(&border(0), Gfx103).border, Border::Table(7));
    assert_eq!(SamplerDescriptor::decode(&border(18), Gfx12).border, Border::Table(7));
    // gfx12: limits of 13 bits, PERF_MIP over two dwords
    let gfx12 = SamplerDescriptor::decode(&[0, 0x1fff | 0x1100 << 13, 3 << 30, 2], Gfx12);
    assert_eq!((gfx12.min_lod, gfx12.max_lod, gfx12.perf_mip), (32.0 - 1.0 / 256.0, 17.0, 11));
    assert_eq!(SamplerDescriptor::new(Gfx12).max_lod, 32.0 - 1.0 / 256.0);
    assert_eq!(SamplerDescriptor::new(Gfx11).max_lod, 16.0 - 1.0 / 256.0);
}

#[test]
fn bvh_fields_are_where_the_guides_have_them() {
    // RDNA4 table 65
    let words = [0x3456_789a, 0x12 | 1 << 20 | 2 << 21 | 9 << 23 | 1 << 31, 0xffff_ffff, 0x3ff | 0x1e << 19 | 1 << 24 | 8 << 28];
    let d = BvhDescriptor::decode(&words, Gfx12);
    assert_eq!((d.is_bvh, d.base, d.bytes), (true, 0x1234_5678_9a00, 1 << 48));
    assert_eq!((d.sort_triangles_first, d.box_sort_heuristic, d.box_grow_ulps, d.box_sort), (true, 2, 9, true));
    assert!(!d.compressed_format && d.box_node_64b && d.wide_sort && d.instance_nodes && d.pointer_flags && d.returns_barycentrics);
    let gfx103 = BvhDescriptor::decode(&words, Gfx103);
    assert_eq!((gfx103.sort_triangles_first, gfx103.box_sort_heuristic, gfx103.pointer_flags), (false, 0, false));
    assert!(!BvhDescriptor::decode(&words, Gfx10).is_bvh);
    assert_eq!(BvhDescriptor::decode(&BvhDescriptor::new(Gfx11).encode().unwrap(), Gfx11), BvhDescriptor::new(Gfx11));
}

#[test]
fn encoding_refuses_what_a_generation_cannot_say() {
    let wide = ImageDescriptor::new(Gfx11, ImageType::Dim2, FormatNumber::Unified(42), 16385, 1);
    assert!(matches!(wide.encode(), Err(EncodeError::TooLarge { field: "WIDTH", value: 16384, bits: 14, .. })));
    assert!(ImageDescriptor { generation: Gfx12, ..wide }.encode().is_ok());
    let numbers = ImageDescriptor { generation: Gfx9, width: 1, ..wide };
    assert!(matches!(numbers.encode(), Err(EncodeError::Absent { field: "FORMAT", .. })));
    assert!(ImageDescriptor { width: 0, ..wide }.encode().is_err());
    let low = ImageDescriptor { width: 1, base: 128, ..wide };
    assert!(matches!(low.encode(), Err(EncodeError::Uneven { field: "BASE_ADDRESS", value: 128, unit: 256 })));
    let buffer = BufferDescriptor::new(Gfx10, 0, 64, FormatNumber::Unified(22));
    assert!(matches!(BufferDescriptor { swizzle_bytes: 16, ..buffer }.encode(), Err(EncodeError::Absent { field: "ELEMENT_SIZE", .. })));
    assert!(matches!(BufferDescriptor { index_stride: 24, ..buffer }.encode(), Err(EncodeError::TooLarge { field: "INDEX_STRIDE", .. })));
    assert_eq!(buffer.encode(), Ok([0, 0, 64, 0o7654 | 22 << 12 | 1 << 24]));
}

#[test]
fn any_dwords_decode_and_round_trip() {
    let mut random = wavejit_random::Random(1);
    let mut next = || random.u32();
    for _ in 0..4000 {
        // sparse words too: zero fields take paths of their own
        let mask = if next() & 1 == 0 { u32::MAX } else { next() & next() };
        let mut words: [u32; 8] = std::array::from_fn(|_| next() & mask);
        if next() & 1 == 0 {
            words[3] |= 1 << 31; // an image
        }
        let four = [words[0], words[1], words[2], words[3]];
        for generation in GENERATIONS {
            for r128 in [false, true] {
                let d = ImageDescriptor::decode(&words, generation, r128);
                let again = d.encode().unwrap_or_else(|error| panic!("{d:?}: {error}"));
                assert_eq!(ImageDescriptor::decode(&again, generation, r128), d, "{words:08x?}");
                let _ = (d.format(), d.border_order());
            }
            let s = SamplerDescriptor::decode(&four, generation);
            assert_eq!(SamplerDescriptor::decode(&s.encode().unwrap(), generation), s);
            let b = BvhDescriptor::decode(&four, generation);
            assert_eq!(BvhDescriptor::decode(&b.encode().unwrap(), generation), b);
            let v = BufferDescriptor::decode(four, generation);
            assert_eq!(BufferDescriptor::decode(v.encode().unwrap(), generation), v);
            let _ = v.scalar_limit();
        }
    }
}

// Up to gfx8 the depth of a cube counts cubes, and says with the layers of other images how many slices a level has.
#[test]
fn cubes_of_old_generations_have_a_depth_of_cubes() {
    for generation in [Gfx6, Gfx8] {
        let format = FormatNumber::Split { data: 4, number: 4 };
        let cubes = ImageDescriptor { last_layer: 11, ..ImageDescriptor::new(generation, ImageType::Cube, format, 8, 8) };
        let words = cubes.encode().unwrap();
        assert_eq!(words[4] & 0x1fff, 1, "DEPTH, 140:128");
        let back = ImageDescriptor::decode(&words, generation, false);
        assert_eq!((back.last_layer, back.layers(&words)), (11, 12));
    }
}
