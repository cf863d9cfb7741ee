//! Shapes of blocks, in elements: images.md calls them thin (one slice) and thick (a box of slices).

/// Log2 of width, height and depth.
pub(super) type ExtentLog2 = [u32; 3];

/// The 256-byte block within a slice, by log2 of element bytes: 16x16 to 4x4.
pub(super) const MICRO_THIN: [ExtentLog2; 5] = [[4, 4, 0], [4, 3, 0], [3, 3, 0], [3, 2, 0], [2, 2, 0]];

/// The 256-byte block of boxes of gfx10 and later.
pub(super) const MICRO_THICK: [ExtentLog2; 5] = [[3, 2, 3], [2, 2, 3], [2, 2, 2], [2, 1, 2], [1, 1, 2]];

/// The 1 KiB box larger boxes are made of.
const BOX_1KB: [ExtentLog2; 5] = [[4, 3, 3], [3, 3, 3], [3, 3, 2], [3, 2, 2], [2, 2, 2]];

/// A thin block, square or twice as wide as high; before gfx12 an odd number of sample bits is taken from the width, and it may be twice
/// as high. `widen`: gfx12.
pub(super) fn thin(block_log2: u32, element_log2: u32, samples_log2: u32, widen: bool) -> ExtentLog2 {
    let n = block_log2 - element_log2 - samples_log2;
    let width = if samples_log2 % 2 == 1 && block_log2.is_multiple_of(2) && !widen { n / 2 } else { n.div_ceil(2) };
    [width, n - width, 0]
}

/// A thick block of 1 KiB or more.
pub(super) fn thick(block_log2: u32, element_log2: u32) -> ExtentLog2 {
    let [w, h, d] = BOX_1KB[element_log2 as usize];
    let (all, rest) = ((block_log2 - 10) / 3, (block_log2 - 10) % 3);
    [w + all, h + all + rest / 2, d + all + u32::from(rest != 0)]
}
