//! Blocks against the specification's examples and two independent decoders.

use super::*;

/// A reproducible stream of blocks; now and then with few bits, for the modes that start with zeros.
fn blocks(count: usize) -> impl Iterator<Item = u128> {
    let mut random = wavejit_random::Random(1);
    let mut next = move || u128::from(random.u64());
    (0..count).map(move |n| {
        let block = next() << 64 | next();
        match n % 4 {
            0 => block,
            1 => block << (n / 4 % 9) & (u128::MAX << (n / 4 % 9)) | 1 << (n / 4 % 8), // BC7's mode n
            2 => block & !31 | (n as u128 / 4 % 32),                                   // BC6H's mode n
            _ => block & (next() << 64 | next()),
        }
    })
}

fn floats(texel: [u32; 4]) -> [f32; 4] {
    texel.map(f32::from_bits)
}

#[test]
fn bc1_steps_are_thirds() {
    // images.md 6: endpoints red and blue, indices 0, 1, 2, 3
    let block = 0xf800 | 0x001f << 16 | 0xe4 << 32;
    let row: [[f32; 4]; 4] = std::array::from_fn(|t| floats(texel(Bc::Bc1, Numeric::Unorm, block, t as u32)));
    let expected = [[255, 0, 0], [0, 0, 255], [170, 0, 85], [85, 0, 170]];
    for (texel, [r, g, b]) in row.into_iter().zip(expected) {
        assert_eq!(texel, [r as f32 / 255.0, g as f32 / 255.0, b as f32 / 255.0, 1.0]);
    }
}

#[test]
fn bc1_with_ordered_endpoints_has_a_middle_and_transparent_black() {
    let block = 0x001f | 0xf800 << 16 | 0xe4 << 32;
    assert_eq!(floats(texel(Bc::Bc1, Numeric::Unorm, block, 2)), [0.5, 0.0, 0.5, 1.0]);
    assert_eq!(floats(texel(Bc::Bc1, Numeric::Unorm, block, 3)), [0.0; 4]);
    // BC2 and BC3 always have four colors
    assert_eq!(floats(texel(Bc::Bc2, Numeric::Unorm, block << 64, 3))[0], 170.0 / 255.0);
}

#[test]
fn signed_ends_are_at_least_minus_127() {
    let block = 0x80 | 0x7f << 8 | (6 | 7 << 3) << 16;
    let red = |t| floats(texel(Bc::Bc4, Numeric::Snorm, block, t))[0];
    assert_eq!((red(2), red(0), red(1)), (-1.0, -1.0, 1.0));
}

#[test]
fn blocks_without_a_mode_are_zero() {
    assert_eq!(decode(Bc::Bc7, Numeric::Unorm, u128::MAX << 8), [[0; 4]; 16]);
    for number in [19, 23, 27, 31] {
        assert_eq!(decode(Bc::Bc6, Numeric::Float, !31 | number), [[0, 0, 0, 1.0_f32.to_bits()]; 16]);
    }
}

#[test]
fn fields_of_bc6_modes_fill_every_endpoint_bit_once() {
    for mode in &tables::BC6_MODES {
        let mut filled = [[0_u32; 4]; 3];
        let mut bits = if mode.number < 2 { 2 } else { 5 };
        for text in mode.fields.split_ascii_whitespace() {
            let field = bc6::parse_field(text).expect(text);
            let mask = ((1 << field.count) - 1) << field.shift;
            assert_eq!(filled[field.color][field.end] & mask, 0, "mode {}: {text}", mode.number);
            filled[field.color][field.end] |= mask;
            bits += field.count;
        }
        let ends = if mode.is_split { 4 } else { 2 };
        for (color, filled) in filled.into_iter().enumerate() {
            let width = |n: usize| u32::from(if n > 0 && mode.is_transformed { mode.delta_bits[color] } else { mode.endpoint_bits });
            let expected = std::array::from_fn(|n| if n < ends { (1 << width(n)) - 1 } else { 0 });
            assert_eq!(filled, expected, "mode {}", mode.number);
        }
        assert_eq!(bits + if mode.is_split { 5 + 16 * 3 - 2 } else { 16 * 4 - 1 }, 128, "mode {}", mode.number);
    }
}

#[test]
fn anchors_are_in_their_subset() {
    for (subset, anchor) in &tables::TWO_SUBSETS {
        assert_eq!((subset[0], subset[usize::from(*anchor)]), (b'0', b'1'));
    }
    for (subset, second, third) in &tables::THREE_SUBSETS {
        assert_eq!([subset[0], subset[usize::from(*second)], subset[usize::from(*third)]], *b"012");
    }
}

// More blocks than a thread remembers, and the same ones read in several ways.
#[test]
fn one_texel_is_that_of_the_whole_block() {
    let all: Vec<u128> = blocks(100).collect();
    for t in 0..16 {
        for block in all.iter().copied().chain(all[..20].iter().copied()) {
            for kind in [Bc::Bc1, Bc::Bc2, Bc::Bc3, Bc::Bc4, Bc::Bc5, Bc::Bc6, Bc::Bc7] {
                for numeric in [Numeric::Unorm, Numeric::Snorm, Numeric::Srgb, Numeric::Ufloat, Numeric::Float] {
                    assert_eq!(texel(kind, numeric, block, t), decode(kind, numeric, block)[t as usize]);
                }
            }
        }
    }
}

#[test]
fn bc7_equals_bcdec() {
    for block in blocks(20_000) {
        let mut expected = [0; 64];
        bcdec_rs::bc7(&block.to_le_bytes(), &mut expected, 16);
        let parsed = bc7::Block::parse(block);
        let texels = parsed.texels().concat();
        assert_eq!(texels, expected, "{block:032x}");
    }
}

#[test]
fn bc6_equals_bcdec() {
    for is_signed in [false, true] {
        let numeric = if is_signed { Numeric::Float } else { Numeric::Ufloat };
        for block in blocks(20_000) {
            let mut expected = [0_u16; 48];
            bcdec_rs::bc6h_half(&block.to_le_bytes(), &mut expected, 12, is_signed);
            let texels = decode(Bc::Bc6, numeric, block);
            // bcdec has no -0, which Mesa makes of -1
            let half = |x: u32| half::f16::from_f32(f32::from_bits(x)).to_bits();
            let halves: Vec<u16> =
                texels.iter().flat_map(|t| [t[0], t[1], t[2]]).map(half).map(|h| if h == 0x8000 { 0 } else { h }).collect();
            assert_eq!(halves, expected, "{block:032x} {is_signed}");
        }
    }
}

/// Rounded to 8 bits, and no further than one step from a decoder that interpolates bytes.
fn assert_near(kind: Bc, block: u128, texels: &[[u32; 4]; 16], expected: &[u8; 64]) {
    for (t, texel) in texels.iter().enumerate() {
        for (c, value) in floats(*texel).into_iter().enumerate() {
            let other = f32::from(expected[4 * t + c]);
            assert!((value * 255.0 - other).abs() <= 1.0, "{kind:?} {block:032x} texel {t}: {value} {other}");
        }
    }
}

#[test]
fn bc1_bc2_and_bc3_are_near_bcdec() {
    for block in blocks(5_000) {
        let bytes = block.to_le_bytes();
        for (kind, other) in [(Bc::Bc1, bcdec_rs::bc1 as fn(&[u8], &mut [u8], usize)), (Bc::Bc2, bcdec_rs::bc2), (Bc::Bc3, bcdec_rs::bc3)] {
            let mut expected = [0; 64];
            other(&bytes, &mut expected, 16);
            assert_near(kind, block, &decode(kind, Numeric::Unorm, block), &expected);
        }
    }
}

#[test]
fn bc4_and_bc5_equal_bcdec_in_floats() {
    for is_signed in [false, true] {
        let numeric = if is_signed { Numeric::Snorm } else { Numeric::Unorm };
        for block in blocks(5_000) {
            let mut expected = [0.0; 32];
            bcdec_rs::bc5_float(&block.to_le_bytes(), &mut expected, 8, is_signed);
            for (t, texel) in decode(Bc::Bc5, numeric, block).into_iter().enumerate() {
                let [r, g, b, a] = floats(texel);
                let error = (r - expected[2 * t]).abs().max((g - expected[2 * t + 1]).abs());
                assert!(error < 1e-6, "{block:032x} texel {t}: {r} {g} {:?} {is_signed}", &expected[2 * t..][..2]);
                assert_eq!((b, a), (0.0, 1.0));
                assert_eq!(floats(self::texel(Bc::Bc4, numeric, block, t as u32))[0], r);
            }
        }
    }
}

#[test]
fn bc7_equals_a_second_decoder() {
    for block in blocks(5_000).filter(|block| block & 0xff != 0) {
        let mut expected = [0; 16]; // BGRA
        texture2ddecoder::decode_bc7_block(&block.to_le_bytes(), &mut expected);
        let texels = bc7::Block::parse(block).texels();
        for ([r, g, b, a], expected) in texels.into_iter().zip(expected) {
            assert_eq!(u32::from_le_bytes([b, g, r, a]), expected, "{block:032x}");
        }
    }
}

#[test]
fn srgb_blocks_are_on_the_curve() {
    // codes 64 and 128 as 5:6:5 do not exist; 0x84 (16 of 31) and 0 do
    let block = 16 << 11 | 0xe4 << 32;
    let [red, ..] = floats(texel(Bc::Bc1, Numeric::Srgb, block, 0));
    assert_eq!(red, crate::format::SRGB_TO_LINEAR[132]);
    // a third of the way down: 88 exactly
    let [red, ..] = floats(texel(Bc::Bc1, Numeric::Srgb, block, 2));
    assert_eq!(red, crate::format::SRGB_TO_LINEAR[88]);
    assert_eq!(floats(texel(Bc::Bc3, Numeric::Srgb, 128, 0))[3], 128.0 / 255.0); // alpha is linear
}
