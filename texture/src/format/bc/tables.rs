//! Tables of BC7 and BC6H: which texels belong to which subset, index weights, and the bit fields of BC6H.
//!
//! Reference: Direct3D 11.3 functional specification, "BC7" and "BC6H" (the same tables as BPTC of OpenGL).

/// A split of a block's texels, left to right and top to bottom, into two subsets; and the texel of subset 1 whose index is a bit shorter.
/// BC6H has the first 32.
#[rustfmt::skip]
pub(super) static TWO_SUBSETS: [(&[u8; 16], u8); 64] = [
    (b"0011001100110011", 15), (b"0001000100010001", 15), (b"0111011101110111", 15), (b"0001001100110111", 15),
    (b"0000000100010011", 15), (b"0011011101111111", 15), (b"0001001101111111", 15), (b"0000000100110111", 15),
    (b"0000000000010011", 15), (b"0011011111111111", 15), (b"0000000101111111", 15), (b"0000000000010111", 15),
    (b"0001011111111111", 15), (b"0000000011111111", 15), (b"0000111111111111", 15), (b"0000000000001111", 15),
    (b"0000100011101111", 15), (b"0111000100000000", 2), (b"0000000010001110", 8), (b"0111001100010000", 2),
    (b"0011000100000000", 2), (b"0000100011001110", 8), (b"0000000010001100", 8), (b"0111001100110001", 15),
    (b"0011000100010000", 2), (b"0000100010001100", 8), (b"0110011001100110", 2), (b"0011011001101100", 2),
    (b"0001011111101000", 8), (b"0000111111110000", 8), (b"0111000110001110", 2), (b"0011100110011100", 2),
    (b"0101010101010101", 15), (b"0000111100001111", 15), (b"0101101001011010", 6), (b"0011001111001100", 8),
    (b"0011110000111100", 2), (b"0101010110101010", 8), (b"0110100101101001", 15), (b"0101101010100101", 15),
    (b"0111001111001110", 2), (b"0001001111001000", 8), (b"0011001001001100", 2), (b"0011101111011100", 2),
    (b"0110100110010110", 2), (b"0011110011000011", 15), (b"0110011010011001", 15), (b"0000011001100000", 6),
    (b"0100111001000000", 6), (b"0010011100100000", 2), (b"0000001001110010", 6), (b"0000010011100100", 8),
    (b"0110110010010011", 15), (b"0011011011001001", 15), (b"0110001110011100", 2), (b"0011100111000110", 2),
    (b"0110110011001001", 15), (b"0110001100111001", 15), (b"0111111010000001", 15), (b"0001100011100111", 15),
    (b"0000111100110011", 15), (b"0011001111110000", 2), (b"0010001011101110", 2), (b"0100010001110111", 15),
];

/// A split into three subsets, and the texels of subsets 1 and 2 whose indices are a bit shorter.
#[rustfmt::skip]
pub(super) static THREE_SUBSETS: [(&[u8; 16], u8, u8); 64] = [
    (b"0011001102212222", 3, 15), (b"0001001122112221", 3, 8), (b"0000200122112211", 15, 8), (b"0222002200110111", 15, 3),
    (b"0000000011221122", 8, 15), (b"0011001100220022", 3, 15), (b"0022002211111111", 15, 3), (b"0011001122112211", 15, 8),
    (b"0000000011112222", 8, 15), (b"0000111111112222", 8, 15), (b"0000111122222222", 6, 15), (b"0012001200120012", 6, 15),
    (b"0112011201120112", 6, 15), (b"0122012201220122", 5, 15), (b"0011011211221222", 3, 15), (b"0011200122002220", 3, 8),
    (b"0001001101121122", 3, 15), (b"0111001120012200", 3, 8), (b"0000112211221122", 8, 15), (b"0022002200221111", 15, 3),
    (b"0111011102220222", 3, 15), (b"0001000122212221", 3, 8), (b"0000001101220122", 6, 15), (b"0000110022102210", 10, 8),
    (b"0122012200110000", 5, 3), (b"0012001211222222", 8, 15), (b"0110122112210110", 8, 6), (b"0000011012211221", 6, 10),
    (b"0022110211020022", 8, 15), (b"0110011020022222", 5, 15), (b"0011012201220011", 15, 10), (b"0000200022112221", 15, 8),
    (b"0000000211221222", 8, 15), (b"0222002200120011", 15, 3), (b"0011001200220222", 3, 15), (b"0120012001200120", 5, 10),
    (b"0000111122220000", 6, 10), (b"0120120120120120", 10, 8), (b"0120201212010120", 8, 9), (b"0011220011220011", 15, 10),
    (b"0011112222000011", 15, 6), (b"0101010122222222", 3, 15), (b"0000000021212121", 15, 8), (b"0022112200221122", 5, 15),
    (b"0022001100220011", 15, 3), (b"0220122102201221", 15, 6), (b"0101222222220101", 15, 6), (b"0000212121212121", 15, 8),
    (b"0101010101012222", 3, 15), (b"0222011102220111", 15, 3), (b"0002111200021112", 5, 15), (b"0000211221122112", 5, 15),
    (b"0222011101110222", 5, 15), (b"0002111211120002", 8, 15), (b"0110011001102222", 5, 15), (b"0000000021122112", 10, 15),
    (b"0110011022222222", 5, 15), (b"0022001100110022", 10, 15), (b"0022112211220022", 8, 15), (b"0000000000002112", 13, 15),
    (b"0002000100020001", 15, 3), (b"0222122202221222", 12, 15), (b"0101222222222222", 3, 15), (b"0111201122012220", 3, 8),
];

/// Weight of the second endpoint, in 1/64, by index of 2, 3 or 4 bits.
pub(super) fn weight(bits: u32, index: u32) -> i32 {
    const WEIGHTS: [[u8; 16]; 3] = [
        [0, 21, 43, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 9, 18, 27, 37, 46, 55, 64, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64],
    ];
    WEIGHTS[(bits.clamp(2, 4) - 2) as usize][(index & 15) as usize].into()
}

/// A BC6H mode. Fields follow the mode bits in the order of the stream: color r, g or b of endpoint w, x (subset 0), y or z (subset 1), and
/// the bits of the endpoint it fills, highest first; lowest first where the stream has them backwards.
pub(super) struct Bc6Mode {
    /// Low five bits of the block, of which modes 0 and 1 have two.
    pub number: u8,
    /// x, y and z are differences to w.
    pub is_transformed: bool,
    /// Two subsets, not one.
    pub is_split: bool,
    /// Bits of an endpoint.
    pub endpoint_bits: u8,
    /// Bits of a difference by color.
    pub delta_bits: [u8; 3],
    /// Fields.
    pub fields: &'static str,
}

const fn mode(number: u8, is_transformed: bool, is_split: bool, endpoint_bits: u8, delta_bits: [u8; 3], fields: &'static str) -> Bc6Mode {
    Bc6Mode { number, is_transformed, is_split, endpoint_bits, delta_bits, fields }
}

#[rustfmt::skip]
pub(super) static BC6_MODES: [Bc6Mode; 14] = [
//       number transformed split bits deltas
    mode( 0, true,  true,  10, [ 5,  5,  5],
         "gy4 by4 bz4 rw9:0 gw9:0 bw9:0 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3"),
    mode( 1, true,  true,   7, [ 6,  6,  6],
         "gy5 gz4 gz5 rw6:0 bz0 bz1 by4 gw6:0 by5 bz2 gy4 bw6:0 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 by3:0 ry5:0 rz5:0"),
    mode( 2, true,  true,  11, [ 5,  4,  4],
         "rw9:0 gw9:0 bw9:0 rx4:0 rw10 gy3:0 gx3:0 gw10 bz0 gz3:0 bx3:0 bw10 bz1 by3:0 ry4:0 bz2 rz4:0 bz3"),
    mode( 3, false, false, 10, [10, 10, 10],
         "rw9:0 gw9:0 bw9:0 rx9:0 gx9:0 bx9:0"),
    mode( 6, true,  true,  11, [ 4,  5,  4],
         "rw9:0 gw9:0 bw9:0 rx3:0 rw10 gz4 gy3:0 gx4:0 gw10 gz3:0 bx3:0 bw10 bz1 by3:0 ry3:0 bz0 bz2 rz3:0 gy4 bz3"),
    mode( 7, true,  false, 11, [ 9,  9,  9],
         "rw9:0 gw9:0 bw9:0 rx8:0 rw10 gx8:0 gw10 bx8:0 bw10"),
    mode(10, true,  true,  11, [ 4,  4,  5],
         "rw9:0 gw9:0 bw9:0 rx3:0 rw10 by4 gy3:0 gx3:0 gw10 bz0 gz3:0 bx4:0 bw10 by3:0 ry3:0 bz1 bz2 rz3:0 bz4 bz3"),
    mode(11, true,  false, 12, [ 8,  8,  8],
         "rw9:0 gw9:0 bw9:0 rx7:0 rw10:11 gx7:0 gw10:11 bx7:0 bw10:11"),
    mode(14, true,  true,   9, [ 5,  5,  5],
         "rw8:0 by4 gw8:0 gy4 bw8:0 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3"),
    mode(15, true,  false, 16, [ 4,  4,  4],
         "rw9:0 gw9:0 bw9:0 rx3:0 rw10:15 gx3:0 gw10:15 bx3:0 bw10:15"),
    mode(18, true,  true,   8, [ 6,  5,  5],
         "rw7:0 gz4 by4 gw7:0 bz2 gy4 bw7:0 bz3 bz4 rx5:0 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry5:0 rz5:0"),
    mode(22, true,  true,   8, [ 5,  6,  5],
         "rw7:0 bz0 by4 gw7:0 gy5 gy4 bw7:0 gz5 bz4 rx4:0 gz4 gy3:0 gx5:0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3"),
    mode(26, true,  true,   8, [ 5,  5,  6],
         "rw7:0 bz1 by4 gw7:0 by5 gy4 bw7:0 bz5 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx5:0 by3:0 ry4:0 bz2 rz4:0 bz3"),
    mode(30, false, true,   6, [ 6,  6,  6],
         "rw5:0 gz4 bz0 bz1 by4 gw5:0 gy5 by5 bz2 gy4 bw5:0 gz5 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 by3:0 ry5:0 rz5:0"),
];
