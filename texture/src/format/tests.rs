//! Formats against the manuals' tables and plain arithmetic in f64.

use super::*;
use crate::Generation::*;

fn find(generation: Generation, name: &str) -> &'static Format {
    (0..512).filter_map(|n| Format::unified(generation, n)).find(|f| f.to_string() == name).unwrap_or_else(|| panic!("no {name}"))
}

fn floats(texel: [u32; 4]) -> [f32; 4] {
    texel.map(f32::from_bits)
}

#[test]
fn numbers_are_those_of_the_manuals() {
    // descriptors.md 7.1 and 7.2, as the RDNA3 guide's table 52 and the RDNA2 guide's "buffer formats" have them
    #[rustfmt::skip]
    let known = [
        // gfx10  gfx11  name
        (1,       1,     "8_UNORM"),
        (13,      13,    "16_FLOAT"),
        (22,      22,    "32_FLOAT"),
        (36,      30,    "10_11_11_FLOAT"),
        (43,      31,    "11_11_10_FLOAT"),
        (48,      34,    "10_10_10_2_UINT"),
        (50,      36,    "2_10_10_10_UNORM"),
        (55,      41,    "2_10_10_10_SINT"),
        (56,      42,    "8_8_8_8_UNORM"),
        (64,      50,    "32_32_FLOAT"),
        (71,      57,    "16_16_16_16_FLOAT"),
        (74,      60,    "32_32_32_FLOAT"),
        (77,      63,    "32_32_32_32_FLOAT"),
        (130,     66,    "8_8_8_8_SRGB"),
        (132,     67,    "5_9_9_9_FLOAT"),
        (133,     68,    "5_6_5_UNORM"),
        (137,     72,    "4_4_UNORM"),
        (142,     77,    "8_24_UINT"),
        (146,     81,    "X24_8_32_FLOAT"),
        (154,     89,    "BG_RG_SRGB"),
        (170,     110,   "BC1_SRGB"),
        (176,     116,   "BC4_SNORM"),
        (179,     119,   "BC6_UFLOAT"),
        (180,     120,   "BC6_SFLOAT"),
        (182,     122,   "BC7_SRGB"),
    ];
    for (gfx10, gfx11, name) in known {
        for (generation, number) in [(Gfx10, gfx10), (Gfx103, gfx10), (Gfx11, gfx11), (Gfx12, gfx11)] {
            assert_eq!(Format::unified(generation, number).map(Format::to_string).as_deref(), Some(name), "{generation:?} {number}");
        }
    }
    // data format + number format of gfx6 to gfx9
    #[rustfmt::skip]
    let legacy = [
        (1, 0, "8_UNORM"), (4, 7, "32_FLOAT"), (6, 7, "10_11_11_FLOAT"), (10, 9, "8_8_8_8_SRGB"), (14, 4, "32_32_32_32_UINT"),
        (20, 0, "8_24_UNORM"), (22, 7, "X24_8_32_FLOAT"), (34, 7, "5_9_9_9_FLOAT"), (34, 0, "5_9_9_9_FLOAT"), (35, 9, "BC1_SRGB"),
        (40, 0, "BC6_UFLOAT"), (40, 1, "BC6_SFLOAT"), (41, 0, "BC7_UNORM"), (57, 0, "4_4_UNORM"),
    ];
    for generation in [Gfx6, Gfx8, Gfx9] {
        for (data, number, name) in legacy {
            assert_eq!(
                Format::legacy(generation, data, number).map(Format::to_string).as_deref(),
                Some(name),
                "{generation:?} {data} {number}"
            );
        }
    }
}

#[test]
fn reserved_and_unsupported_numbers_are_none_and_the_latter_have_names() {
    for generation in [Gfx6, Gfx8, Gfx9, Gfx10, Gfx103, Gfx11, Gfx12] {
        let invalid = if generation <= Gfx9 { FormatNumber::Split { data: 0, number: 0 } } else { FormatNumber::Unified(0) };
        assert_eq!((Format::find(generation, invalid), invalid.name(generation)), (None, None));
    }
    assert!(Format::unified(Gfx11, 96).is_none() && Format::unified(Gfx11, 511).is_none() && Format::unified(Gfx11, u16::MAX).is_none());
    assert!(Format::unified(Gfx9, 1).is_none() && Format::legacy(Gfx11, 1, 0).is_none());
    let astc = FormatNumber::Split { data: 46, number: 0 };
    assert_eq!((astc.name(Gfx9), astc.name(Gfx8)), (Some(("ASTC_2D_LDR", Numeric::Unorm)), Some(("FMASK8_S8_F1", Numeric::Uint))));
    assert_eq!(Format::find(Gfx9, astc), None);
    assert_eq!(FormatNumber::Unified(227).name(Gfx12), Some(("6E4", Numeric::Float)));
    // ETC2 is gfx9's
    assert_eq!(Format::legacy(Gfx9, 25, 9).unwrap().to_string(), "ETC2_RGBA_SRGB");
    assert!(Format::legacy(Gfx8, 25, 9).is_none() && Format::legacy(Gfx9, 26, 9).is_none());
    // SNORM_OGL is gfx6's and gfx7's
    assert!(Format::legacy(Gfx6, 1, 6).is_some() && Format::legacy(Gfx8, 1, 6).is_none());
}

#[test]
fn the_first_channel_is_the_lowest() {
    // descriptors.md 7: names start at the most significant field
    #[rustfmt::skip]
    let fields = [
        ("10_11_11_FLOAT",    [(0, 11), (11, 11), (22, 10), (32, 0)]),
        ("11_11_10_FLOAT",    [(0, 10), (10, 11), (21, 11), (32, 0)]),
        ("10_10_10_2_UNORM",  [(0, 2),  (2, 10),  (12, 10), (22, 10)]),
        ("2_10_10_10_UNORM",  [(0, 10), (10, 10), (20, 10), (30, 2)]),
        ("5_6_5_UNORM",       [(0, 5),  (5, 6),   (11, 5),  (16, 0)]),
        ("1_5_5_5_UNORM",     [(0, 5),  (5, 5),   (10, 5),  (15, 1)]),
        ("5_5_5_1_UNORM",     [(0, 1),  (1, 5),   (6, 5),   (11, 5)]),
        ("8_24_UNORM",        [(0, 24), (24, 8),  (32, 0),  (32, 0)]),
        ("24_8_UNORM",        [(0, 8),  (8, 24),  (32, 0),  (32, 0)]),
        ("X24_8_32_UINT",     [(0, 32), (32, 8),  (40, 0),  (40, 0)]),
    ];
    for (name, expected) in fields {
        assert_eq!(find(Gfx11, name).channels.map(|c| (c.shift, c.bits)), expected, "{name}");
    }
}

#[test]
fn missing_channels_are_0_0_0_1() {
    assert_eq!(find(Gfx11, "8_UINT").decode(&[7]), [7, 0, 0, 1]);
    assert_eq!(floats(find(Gfx11, "8_8_UNORM").decode(&[255, 0])), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(find(Gfx11, "32_32_32_32_UINT").decode(&[1, 0, 0]), [1, 0, 0, 0]); // missing bytes
}

#[test]
fn normalized_integers_are_the_nearest_floats() {
    for (bits, name) in [(8, "8"), (16, "16"), (10, "2_10_10_10")] {
        let unorm = find(Gfx11, &format!("{name}_UNORM"));
        let snorm = find(Gfx11, &format!("{name}_SNORM"));
        let top = (1_u32 << bits) - 1;
        for code in 0..=top {
            let bytes = code.to_le_bytes();
            assert_eq!(floats(unorm.decode(&bytes))[0], (f64::from(code) / f64::from(top)) as f32);
            let signed = f64::from((code << (32 - bits)) as i32 >> (32 - bits));
            let expected = (signed / f64::from(top >> 1)).max(-1.0) as f32;
            assert_eq!(floats(snorm.decode(&bytes))[0], expected);
        }
    }
    // 24 bits: exact in an f32 before the division
    let depth = find(Gfx11, "8_24_UNORM").decode(&0x0080_0000_u32.to_le_bytes());
    assert_eq!(floats(depth)[0], (8_388_608.0 / 16_777_215.0_f64) as f32);
    let ogl = Format::legacy(Gfx6, 1, 6).unwrap();
    assert_eq!([0x80, 0xff, 0x00, 0x7f].map(|byte| floats(ogl.decode(&[byte]))[0]), [-1.0, -1.0 / 255.0, 1.0 / 255.0, 1.0]);
}

#[test]
fn stores_clamp_and_round_to_even() {
    let store = |name: &str, x: f32| {
        let mut out = [0; 16];
        assert!(find(Gfx11, name).encode([x.to_bits(); 4], &mut out));
        u32::from_le_bytes([out[0], out[1], out[2], out[3]])
    };
    assert_eq!([-0.5, f32::NAN, 0.5, 2.0, f32::INFINITY].map(|x| store("8_UNORM", x)), [0, 0, 128, 255, 255]); // 127.5 is a tie
    assert_eq!([-2.0, f32::NAN, -0.5, 0.5, 2.0].map(|x| store("8_SNORM", x)), [0x81, 0, 0xc0, 64, 127]); // -63.5, 63.5
    assert_eq!([-1.0, 2.5, 3.5, 300.0, f32::NAN].map(|x| store("8_USCALED", x)), [0, 2, 4, 255, 0]);
    assert_eq!([-300.0, -2.5, 127.5, f32::NAN].map(|x| store("8_SSCALED", x)), [0x80, 0xfe, 0x7f, 0]);
    assert_eq!(store("16_FLOAT", 65520.0), 0x7c00); // to infinity, as f32 to f16 does
    let integer = |name: &str, x: i32| store(name, f32::from_bits(x as u32));
    assert_eq!([300, 7, -1].map(|x| integer("8_UINT", x)), [255, 7, 255]);
    assert_eq!([-300, -3, 200].map(|x| integer("8_SINT", x)), [0x80, 0xfd, 0x7f]);
    assert_eq!(integer("32_SINT", i32::MIN), 0x8000_0000);
}

/// A small float from its parts.
fn small_float(exponent: u32, mantissa: u32, mantissa_bits: u32) -> f64 {
    let fraction = f64::from(mantissa) / f64::from(1 << mantissa_bits);
    match exponent {
        0 => fraction * 2.0_f64.powi(-14),
        31 if mantissa == 0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2.0_f64.powi(exponent as i32 - 15),
    }
}

#[test]
fn packed_floats_are_their_parts() {
    // images.md 5.3
    let packed = find(Gfx11, "10_11_11_FLOAT");
    assert_eq!(floats(packed.decode(&0x781e_03c0_u32.to_le_bytes())), [1.0; 4]);
    let other = find(Gfx11, "11_11_10_FLOAT");
    for code in 0..2048_u32 {
        let [exponent, mantissa] = [code >> 6, code & 63];
        let eleven = small_float(exponent, mantissa, 6) as f32;
        let ten = small_float(exponent, mantissa >> 1, 5) as f32;
        let same = |a: f32, b: f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        let [r, g, b, _] = floats(packed.decode(&(code | code << 11 | (code >> 1) << 22).to_le_bytes()));
        assert!(
            same(r, eleven) && same(g, eleven) && same(b, if exponent == 31 && mantissa == 1 { f32::INFINITY } else { ten }),
            "{code:#x}"
        );
        let [r, g, b, _] = floats(other.decode(&(code >> 1 | code << 10 | code << 21).to_le_bytes()));
        assert!(
            same(r, if exponent == 31 && mantissa == 1 { f32::INFINITY } else { ten }) && same(g, eleven) && same(b, eleven),
            "{code:#x}"
        );
        // and back
        let mut out = [0; 4];
        assert!(packed.encode([eleven.to_bits(), 0, 0, 0], &mut out));
        let stored = u32::from_le_bytes(out) & 0x7ff;
        assert!(stored == code || eleven.is_nan() && stored > 0x7c0, "{code:#x} became {stored:#x}");
    }
}

#[test]
fn packed_floats_are_stored_toward_zero() {
    let store = |x: f32| {
        let mut out = [0; 4];
        assert!(find(Gfx11, "10_11_11_FLOAT").encode([x.to_bits(), 0, x.to_bits(), 0], &mut out));
        let word = u32::from_le_bytes(out);
        [word & 0x7ff, word >> 22]
    };
    assert_eq!(store(1.99999), [0x3ff, 0x1ff]);
    assert_eq!(store(-1.0), [0, 0]);
    assert_eq!(store(f32::NEG_INFINITY), [0, 0]);
    assert_eq!(store(1e9), [0x7bf, 0x3df]); // the largest numbers, 65024 and 64512
    assert_eq!(store(f32::INFINITY), [0x7c0, 0x3e0]);
    assert_eq!(store(2.0_f32.powi(-20)), [1, 0]); // denormals: 2^-20 is below the ten-bit ones
    assert_eq!(store(2.0_f32.powi(-19) * 1.9), [3, 1]);
    assert_eq!(store(f32::from_bits(1)), [0, 0]);
    // every step of the way: the largest code whose value is not above
    let mut x = 2.0_f32.powi(-22);
    while x < 70000.0 {
        let expected = (0..0x7c0).rev().find(|code| small_float(code >> 6, code & 63, 6) <= f64::from(x)).unwrap();
        assert_eq!(store(x)[0], expected, "{x}");
        x *= 1.0371;
    }
}

#[test]
fn shared_exponents() {
    let format = find(Gfx11, "5_9_9_9_FLOAT");
    // images.md 5.3
    assert_eq!(floats(format.decode(&0x7c00_01ff_u32.to_le_bytes())), [1.0 - 1.0 / 512.0, 0.0, 0.5, 1.0]);
    let word = 15_u32 << 27 | 256 << 18 | 128 << 9 | 64;
    assert_eq!(floats(format.decode(&word.to_le_bytes())), [0.125, 0.25, 0.5, 1.0]);
    let store = |rgb: [f32; 3]| {
        let mut out = [0; 4];
        assert!(format.encode([rgb[0].to_bits(), rgb[1].to_bits(), rgb[2].to_bits(), 0], &mut out));
        u32::from_le_bytes(out)
    };
    // EXT_texture_shared_exponent: the largest value, negative numbers and NaN
    assert_eq!(store([1e9, -1.0, f32::NAN]), 31 << 27 | 511);
    assert_eq!(store([0.0; 3]), 0);
    assert_eq!(store([1.0, 0.5, 0.25]), 16 << 27 | 64 << 18 | 128 << 9 | 256);
    assert_eq!(store([511.75, 0.0, 0.0]), 25 << 27 | 256); // rounds up to the next exponent
    let mut state = 1_u32;
    for _ in 0..20_000 {
        let rgb: [f32; 3] = std::array::from_fn(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from_bits((state >> 9) | (97 + (state >> 3) % 47) << 23) // 2^-30 to 2^16
        });
        let back = floats(format.decode(&store(rgb).to_le_bytes()));
        let largest = rgb.into_iter().fold(0.0, f32::max).min(65408.0);
        let step = 2.0_f32.powi((largest.log2().floor() as i32).max(-16) - 8); // of the exponent, unless rounding went to the next
        for (a, b) in rgb.into_iter().zip(back) {
            assert!((a.min(65408.0) - b).abs() <= step, "{rgb:?} {back:?}");
        }
    }
}

#[test]
fn half_floats_are_exact() {
    let format = find(Gfx11, "16_FLOAT");
    for code in 0..=u16::MAX {
        let sign = if code >> 15 == 0 { 1.0 } else { -1.0 };
        let expected = (sign * small_float(u32::from(code >> 10 & 31), u32::from(code & 1023), 10)) as f32;
        let [x, ..] = floats(format.decode(&code.to_le_bytes()));
        assert!(x.to_bits() == expected.to_bits() || x.is_nan() && expected.is_nan(), "{code:#x}");
        let mut out = [0; 2];
        assert!(x.is_nan() || format.encode([x.to_bits(), 0, 0, 0], &mut out) && u16::from_le_bytes(out) == code);
    }
}

#[test]
fn every_code_of_narrow_channels_is_stored_as_itself() {
    let formats = (0..512).flat_map(|n| [Gfx10, Gfx11].map(|g| Format::unified(g, n))).flatten();
    for format in formats.filter(|f| f.layout == Layout::Plain && f.numeric != Numeric::Float) {
        let total = u32::from(format.bytes) * 8;
        for n in 0..4096_u128 {
            // spread over the element, so that all channels see many codes
            let element = (n.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)) >> (128 - total);
            let bytes = &element.to_le_bytes()[..usize::from(format.bytes)];
            let texel = format.decode(bytes);
            let mut out = [0; 16];
            assert!(format.encode(texel, &mut out));
            // the most negative SNORM is -1, of which there are two; unused bits are 0
            assert_eq!(format.decode(&out), texel, "{format} {element:#x}");
        }
    }
}

#[test]
fn two_texels_share_their_chroma() {
    // GB_GR: bytes G0 B G1 R; BG_RG: B G0 R G1
    let texels = |name: &str, x| floats(find(Gfx11, name).decode_texel(&[51, 102, 153, 255], x, 0)).map(|v| (v * 255.0).round() as u32);
    assert_eq!([texels("GB_GR_UNORM", 0), texels("GB_GR_UNORM", 1)], [[255, 51, 102, 255], [255, 153, 102, 255]]);
    assert_eq!([texels("BG_RG_UNORM", 0), texels("BG_RG_UNORM", 1)], [[153, 102, 51, 255], [153, 255, 51, 255]]);
    assert!(!find(Gfx11, "GB_GR_UNORM").encode([0; 4], &mut [0; 4]));
}

#[test]
fn srgb_decodes_colors_and_leaves_alpha() {
    let format = find(Gfx11, "8_8_8_8_SRGB");
    let [r, g, b, a] = floats(format.decode(&[255, 188, 1, 128]));
    assert_eq!((r, a), (1.0, 128.0 / 255.0));
    assert!((g - 0.502_886_5).abs() < 1e-7 && (b - 0.00030353).abs() < 1e-8);
    let mut out = [0; 4];
    assert!(format.encode([r, g, b, a].map(f32::to_bits), &mut out));
    assert_eq!(out, [255, 188, 1, 128]);
}

#[test]
fn any_bytes_decode_in_every_format() {
    let mut random = wavejit_random::Random(7);
    for number in 0..1024_u16 {
        for generation in [Gfx6, Gfx8, Gfx9, Gfx10, Gfx103, Gfx11, Gfx12] {
            let split = FormatNumber::Split { data: (number & 63) as u8, number: (number >> 6) as u8 };
            let number = if generation <= Gfx9 { split } else { FormatNumber::Unified(number) };
            let Some(format) = Format::find(generation, number) else { continue };
            assert!(number.name(generation).is_some());
            for length in [0, 1, 3, 16] {
                let mut bytes: [u8; 16] = std::array::from_fn(|_| random.u32() as u8);
                let texel = format.decode_texel(&bytes[..length], random.u32(), random.u32());
                let _ = (format.decode_block(&bytes[..length]), format.encode(texel, &mut bytes[..length]));
                let _ = format.encode([random.u32(); 4], &mut bytes[..length]);
            }
        }
    }
}

// graphics.md 3.9, "color FORMAT" and NUMBER_TYPE.
#[test]
fn render_targets_name_formats_by_numbers_of_their_own() {
    let name = |format, number| Format::of_color_target(format, number).map(|f| f.to_string());
    let cases = [
        (0x1, 0, "8_UNORM"),
        (0x5, 7, "16_16_FLOAT"),
        (0x6, 7, "10_11_11_FLOAT"),
        (0x9, 4, "2_10_10_10_UINT"),
        (0xa, 0, "8_8_8_8_UNORM"),
        (0xa, 6, "8_8_8_8_SRGB"),
        (0xc, 5, "16_16_16_16_SINT"),
        (0xe, 7, "32_32_32_32_FLOAT"),
        (0x10, 0, "5_6_5_UNORM"),
        (0x18, 7, "5_9_9_9_FLOAT"),
    ];
    for (format, number, expected) in cases {
        assert_eq!(name(format, number).as_deref(), Some(expected));
    }
    assert_eq!((name(0, 0), name(0x1f, 0)), (None, None));
}
