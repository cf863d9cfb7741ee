use super::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

fn unpack(packed: &[u8], limit: usize) -> Result<Vec<u8>, Damage> {
    let mut out = Vec::with_capacity(limit);
    let used = decode(packed, &mut out, limit)?;
    assert_eq!((used, out.capacity()), (packed.len(), limit), "as many bytes read and set aside as there are");
    Ok(out)
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter_map(|b| (b as char).to_digit(16)).map(|d| d as u8).collect();
    digits.chunks(2).map(|d| d[0] << 4 | d[1]).collect()
}

/// Text with many matches of many lengths, and few symbols.
fn text(lines: u32) -> Vec<u8> {
    (0..lines).flat_map(|i| format!("v_add_f32 v{}, v{}, s{}\n", i * i % 61, i * 7 % 23, i / 3 % 5).into_bytes()).collect()
}

include!("frames.rs");

#[test]
fn frames_of_the_reference_encoder() {
    for (command, packed, contents) in [
        ("--fast=1 of nothing", EMPTY, vec![]),
        ("-1 of zeros: a block of one byte", ZEROS, vec![0; 200_000]),
        ("-3 of text", TEXT_3, text(40)),
        ("-19 of text", TEXT_19, text(40)),
        ("-3 of text, several blocks", BLOCKS_3, text(9000)),
    ] {
        let packed = bytes(packed);
        assert!(unpack(&packed, contents.len()) == Ok(contents.clone()), "{command}");
        if !contents.is_empty() {
            assert!(unpack(&packed, contents.len() - 1).is_err(), "{command}");
        }
        for cut in (0..packed.len()).step_by(packed.len() / 100 + 1) {
            assert!(unpack(&packed[..cut], contents.len()).is_err(), "{command}, {cut} bytes");
        }
    }
}

#[test]
fn frames_of_another_encoder() {
    let mut seed = 1u32;
    let mut noise = |n: usize, symbols: u32| -> Vec<u8> {
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % symbols
        };
        // The lower of two, so that some symbols are likelier than others.
        (0..n).map(|_| next().min(next()) as u8).collect()
    };
    for contents in [vec![], vec![7], noise(1000, 256), noise(300_000, 20), noise(300_000, 200), text(30_000), vec![3; 1_000_000]] {
        for level in [CompressionLevel::Uncompressed, CompressionLevel::Fastest] {
            let packed = compress_to_vec(&contents[..], level);
            assert!(unpack(&packed, contents.len()) == Ok(contents.clone()), "{} bytes", contents.len());
        }
    }
}

#[test]
fn damage_is_an_error_or_other_bytes_and_never_more_bytes() {
    let good = bytes(TEXT_3);
    let limit = text(40).len();
    for at in 0..good.len() * 8 {
        let mut bad = good.clone();
        bad[at / 8] ^= 1 << (at % 8);
        let mut out = Vec::with_capacity(limit);
        let _ = decode(&bad, &mut out, limit);
        assert!(out.len() <= limit && out.capacity() == limit, "bit {at}");
    }
}

/// A frame of one block without checksum, in a window of 1 MiB.
fn frame(kind: u32, size: u32, contents: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50];
    frame.extend(&(size << 3 | kind << 1 | 1).to_le_bytes()[..3]);
    frame.extend(contents);
    frame
}

#[test]
fn a_block_holds_128_kib_at_most() {
    const LIMIT: usize = 1 << 30;
    let mut out = Vec::new();
    assert_eq!(decode(&frame(1, 128 << 10, &[5]), &mut out, LIMIT), Ok(10));
    assert_eq!(out.len(), 128 << 10);
    assert!(decode(&frame(1, (128 << 10) + 1, &[5]), &mut out, LIMIT).unwrap_err().contains("128 KiB"));
    // Sequences of a literal and a match of 32,771 + 0x7fff bytes at the offset before, 1: 15 bits each, all set, like the end mark above.
    let sequences = |count: usize| {
        let mut block = vec![(count as u8) << 3];
        block.extend(vec![b'x'; count]);
        // As many sequences; each kind of number has one symbol: literal length 1, offset 1, match length code 51.
        block.extend([count as u8, 0b0101_0100, 1, 0, 51]);
        let bits = 15 * count + 1;
        block.extend((0..bits.div_ceil(8)).map(|i| (0xffu32 >> (8 - (bits - 8 * i).min(8))) as u8));
        let mut out = Vec::new();
        (decode(&frame(2, block.len() as u32, &block), &mut out, LIMIT).map(|_| ()), out.len())
    };
    assert_eq!(sequences(1), (Ok(()), 65_539));
    let (result, len) = sequences(30);
    assert!(result.unwrap_err().contains("128 KiB") && len <= 128 << 10);
}

#[test]
fn what_is_not_supported_is_named() {
    let error = |bytes: &[u8]| decode(bytes, &mut Vec::new(), 1000).unwrap_err();
    assert!(error(b"PK\x03\x04").contains("28 b5 2f fd"));
    assert!(error(&[0x28, 0xb5, 0x2f, 0xfd, 0x01, 0x50, 7]).contains("dictionary"));
    assert!(error(&frame(3, 0, &[])).contains("reserved"));
    assert!(error(&[0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0xff, 0xff, 0xff, 0xff]).contains("than its container says"));
}
