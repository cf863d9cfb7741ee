//! The formats of every generation by number.
//!
//! Layouts are named as the manuals name them, most significant field first; R is the least significant one. From gfx10 on a run of
//! consecutive numbers takes one layout through the numeric formats, which is how [`Run`] rows read.

use crate::lazy::Lazy;

use super::{Bc, Channel, Etc, Format, FormatNumber, Layout, Numeric};
use crate::Generation;
use Numeric::*;

/// Widths of R, G, B, A from the lowest bit on.
struct Plain {
    name: &'static str,
    bytes: u8,
    widths: [u8; 4],
}

const fn plain(name: &'static str, bytes: u8, widths: [u8; 4]) -> Plain {
    Plain { name, bytes, widths }
}

#[rustfmt::skip]
const PLAIN: &[Plain] = &[
    //     name           bytes  R   G   B   A
    plain("8",             1, [  8,  0,  0,  0 ]),
    plain("16",            2, [ 16,  0,  0,  0 ]),
    plain("8_8",           2, [  8,  8,  0,  0 ]),
    plain("32",            4, [ 32,  0,  0,  0 ]),
    plain("16_16",         4, [ 16, 16,  0,  0 ]),
    plain("10_11_11",      4, [ 11, 11, 10,  0 ]),
    plain("11_11_10",      4, [ 10, 11, 11,  0 ]),
    plain("10_10_10_2",    4, [  2, 10, 10, 10 ]),
    plain("2_10_10_10",    4, [ 10, 10, 10,  2 ]),
    plain("8_8_8_8",       4, [  8,  8,  8,  8 ]),
    plain("32_32",         8, [ 32, 32,  0,  0 ]),
    plain("16_16_16_16",   8, [ 16, 16, 16, 16 ]),
    plain("32_32_32",     12, [ 32, 32, 32,  0 ]),
    plain("32_32_32_32",  16, [ 32, 32, 32, 32 ]),
    plain("5_6_5",         2, [  5,  6,  5,  0 ]),
    plain("1_5_5_5",       2, [  5,  5,  5,  1 ]),
    plain("5_5_5_1",       2, [  1,  5,  5,  5 ]),
    plain("4_4_4_4",       2, [  4,  4,  4,  4 ]),
    plain("4_4",           1, [  4,  4,  0,  0 ]),
    plain("8_24",          4, [ 24,  8,  0,  0 ]),
    plain("24_8",          4, [  8, 24,  0,  0 ]),
    plain("X24_8_32",      8, [ 32,  8,  0,  0 ]), // the X24 above the 8 are unused
    plain("32_FLOAT_CLAMP", 4, [ 32, 0,  0,  0 ]), // depth of 24 bits kept as f32
    // Which fragment each sample is in, as plain bits.
    plain("FMASK8_S2_F1",  1, [  8,  0,  0,  0 ]),
    plain("FMASK8_S4_F1",  1, [  8,  0,  0,  0 ]),
    plain("FMASK8_S8_F1",  1, [  8,  0,  0,  0 ]),
    plain("FMASK8_S2_F2",  1, [  8,  0,  0,  0 ]),
    plain("FMASK8_S4_F2",  1, [  8,  0,  0,  0 ]),
    plain("FMASK8_S4_F4",  1, [  8,  0,  0,  0 ]),
    plain("FMASK16_S16_F1", 2, [ 16, 0,  0,  0 ]),
    plain("FMASK16_S8_F2", 2, [ 16,  0,  0,  0 ]),
    plain("FMASK32_S16_F2", 4, [ 32, 0,  0,  0 ]),
    plain("FMASK32_S8_F4", 4, [ 32,  0,  0,  0 ]),
    plain("FMASK32_S8_F8", 4, [ 32,  0,  0,  0 ]),
    plain("FMASK64_S16_F4", 8, [ 32, 32, 0,  0 ]),
    plain("FMASK64_S16_F8", 8, [ 32, 32, 0,  0 ]),
];

/// Layouts that are not plain channels.
const OTHER: &[(&str, u8, [u8; 2], Layout)] = &[
    ("5_9_9_9", 4, [1, 1], Layout::SharedExponent),
    ("BC1", 8, [4, 4], Layout::Block(Bc::Bc1)),
    ("BC2", 16, [4, 4], Layout::Block(Bc::Bc2)),
    ("BC3", 16, [4, 4], Layout::Block(Bc::Bc3)),
    ("BC4", 8, [4, 4], Layout::Block(Bc::Bc4)),
    ("BC5", 16, [4, 4], Layout::Block(Bc::Bc5)),
    ("BC6", 16, [4, 4], Layout::Block(Bc::Bc6)),
    ("BC7", 16, [4, 4], Layout::Block(Bc::Bc7)),
    ("ETC2_RGB", 8, [4, 4], Layout::Etc(Etc::Rgb)),
    ("ETC2_RGBA", 16, [4, 4], Layout::Etc(Etc::Rgba)),
    ("ETC2_R", 8, [4, 4], Layout::Etc(Etc::R)),
    ("ETC2_RG", 16, [4, 4], Layout::Etc(Etc::Rg)),
    ("ETC2_RGBA1", 8, [4, 4], Layout::Etc(Etc::Rgba1)),
    ("GB_GR", 4, [2, 1], Layout::Subsampled { green: 0 }),
    ("BG_RG", 4, [2, 1], Layout::Subsampled { green: 1 }),
];

/// Consecutive numbers of one layout.
struct Run {
    first: u16,
    layout: &'static str,
    numerics: &'static [Numeric],
}

const fn run(first: u16, layout: &'static str, numerics: &'static [Numeric]) -> Run {
    Run { first, layout, numerics }
}

const ALL: &[Numeric] = &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint];
const ALL_FLOAT: &[Numeric] = &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float];
const NORM_INT: &[Numeric] = &[Unorm, Snorm, Uint, Sint];
const WIDE: &[Numeric] = &[Uint, Sint, Float];
const DEPTH: &[Numeric] = &[Unorm, Uint];
const VIDEO: &[Numeric] = &[Unorm, Snorm, Uint, Srgb];

#[rustfmt::skip]
const GFX10: &[Run] = &[
    run(1, "8", ALL),             run(7, "16", ALL_FLOAT),          run(14, "8_8", ALL),         run(20, "32", WIDE),
    run(23, "16_16", ALL_FLOAT),  run(30, "10_11_11", ALL_FLOAT),   run(37, "11_11_10", ALL_FLOAT),
    run(44, "10_10_10_2", ALL),   run(50, "2_10_10_10", ALL),       run(56, "8_8_8_8", ALL),     run(62, "32_32", WIDE),
    run(65, "16_16_16_16", ALL_FLOAT),                              run(72, "32_32_32", WIDE),   run(75, "32_32_32_32", WIDE),
    run(128, "8", &[Srgb]),       run(129, "8_8", &[Srgb]),         run(130, "8_8_8_8", &[Srgb]),
    run(131, "6E4", &[Float]),    run(132, "5_9_9_9", &[Float]),
    run(133, "5_6_5", &[Unorm]),  run(134, "1_5_5_5", &[Unorm]),    run(135, "5_5_5_1", &[Unorm]), run(136, "4_4_4_4", &[Unorm]),
    run(137, "4_4", &[Unorm]),    run(138, "1", &[Unorm]),          run(139, "1_REVERSED", &[Unorm]),
    run(140, "32_FLOAT_CLAMP", &[Float]),
    run(141, "8_24", DEPTH),      run(143, "24_8", DEPTH),          run(145, "X24_8_32", &[Uint, Float]),
    run(147, "GB_GR", VIDEO),     run(151, "BG_RG", VIDEO),
    run(156, "FMASK8_S2_F1", &[Uint]),   run(157, "FMASK8_S4_F1", &[Uint]),   run(158, "FMASK8_S8_F1", &[Uint]),
    run(159, "FMASK8_S2_F2", &[Uint]),   run(160, "FMASK8_S4_F2", &[Uint]),   run(161, "FMASK8_S4_F4", &[Uint]),
    run(162, "FMASK16_S16_F1", &[Uint]), run(163, "FMASK16_S8_F2", &[Uint]),  run(164, "FMASK32_S16_F2", &[Uint]),
    run(165, "FMASK32_S8_F4", &[Uint]),  run(166, "FMASK32_S8_F8", &[Uint]),  run(167, "FMASK64_S16_F4", &[Uint]),
    run(168, "FMASK64_S16_F8", &[Uint]),
    run(169, "BC1", &[Unorm, Srgb]), run(171, "BC2", &[Unorm, Srgb]), run(173, "BC3", &[Unorm, Srgb]), run(175, "BC4", &[Unorm, Snorm]),
    run(177, "BC5", &[Unorm, Snorm]), run(179, "BC6", &[Ufloat, Float]), run(181, "BC7", &[Unorm, Srgb]),
    run(265, "MM_8", DEPTH),      run(267, "MM_8_8", DEPTH),        run(269, "MM_8_8_8_8", DEPTH), run(271, "MM_VYUY8", DEPTH),
    run(273, "MM_10_11_11", DEPTH), run(275, "MM_2_10_10_10", DEPTH), run(277, "MM_16_16_16_16", DEPTH),
    run(279, "MM_10_IN_16", DEPTH), run(281, "MM_10_IN_16_16", DEPTH), run(283, "MM_10_IN_16_16_16_16", DEPTH),
    run(285, "7E3", &[Float]),    run(286, "YCBCR", &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Srgb]),
];

#[rustfmt::skip]
const GFX11: &[Run] = &[
    run(1, "8", ALL),             run(7, "16", ALL_FLOAT),          run(14, "8_8", ALL),         run(20, "32", WIDE),
    run(23, "16_16", ALL_FLOAT),  run(30, "10_11_11", &[Float]),    run(31, "11_11_10", &[Float]),
    run(32, "10_10_10_2", NORM_INT), run(36, "2_10_10_10", ALL),    run(42, "8_8_8_8", ALL),     run(48, "32_32", WIDE),
    run(51, "16_16_16_16", ALL_FLOAT),                              run(58, "32_32_32", WIDE),   run(61, "32_32_32_32", WIDE),
    run(64, "8", &[Srgb]),        run(65, "8_8", &[Srgb]),          run(66, "8_8_8_8", &[Srgb]),
    run(67, "5_9_9_9", &[Float]),
    run(68, "5_6_5", &[Unorm]),   run(69, "1_5_5_5", &[Unorm]),     run(70, "5_5_5_1", &[Unorm]), run(71, "4_4_4_4", &[Unorm]),
    run(72, "4_4", &[Unorm]),     run(73, "1", &[Unorm]),           run(74, "1_REVERSED", &[Unorm]),
    run(75, "32_FLOAT_CLAMP", &[Float]),
    run(76, "8_24", DEPTH),       run(78, "24_8", DEPTH),           run(80, "X24_8_32", &[Uint, Float]),
    run(82, "GB_GR", VIDEO),      run(86, "BG_RG", VIDEO),
    run(90, "MM_10_IN_16", DEPTH), run(92, "MM_10_IN_16_16", DEPTH), run(94, "MM_10_IN_16_16_16_16", DEPTH),
    run(109, "BC1", &[Unorm, Srgb]), run(111, "BC2", &[Unorm, Srgb]), run(113, "BC3", &[Unorm, Srgb]), run(115, "BC4", &[Unorm, Snorm]),
    run(117, "BC5", &[Unorm, Snorm]), run(119, "BC6", &[Ufloat, Float]), run(121, "BC7", &[Unorm, Srgb]),
    run(205, "YCBCR", &[Unorm, Srgb]),
    run(207, "MM_8", DEPTH),      run(209, "MM_8_8", DEPTH),        run(211, "MM_8_8_8_8", DEPTH), run(213, "MM_VYUY8", DEPTH),
    run(215, "MM_10_11_11", DEPTH), run(217, "MM_2_10_10_10", DEPTH), run(219, "MM_16_16_16_16", DEPTH),
    run(221, "MM_12_IN_16", DEPTH), run(223, "MM_12_IN_16_16", DEPTH), run(225, "MM_12_IN_16_16_16_16", DEPTH),
    run(227, "6E4", &[Float]),    run(228, "7E3", &[Float]),
];

/// Data formats of gfx6 to gfx9 by number; buffers have the first fifteen. From 23 on gfx9 has its own.
#[rustfmt::skip]
const DATA_FORMATS: [&str; 64] = [
    "",            "8",            "16",           "8_8",          "32",            "16_16",         "10_11_11",      "11_11_10",
    "10_10_10_2",  "2_10_10_10",   "8_8_8_8",      "32_32",        "16_16_16_16",   "32_32_32",      "32_32_32_32",   "",
    "5_6_5",       "1_5_5_5",      "5_5_5_1",      "4_4_4_4",      "8_24",          "24_8",          "X24_8_32",      "",
    "",            "",             "",             "",             "",              "",              "",              "",
    "GB_GR",       "BG_RG",        "5_9_9_9",      "BC1",          "BC2",           "BC3",           "BC4",           "BC5",
    "BC6",         "BC7",          "",             "",             "FMASK8_S2_F1",  "FMASK8_S4_F1",  "FMASK8_S8_F1",  "FMASK8_S2_F2",
    "FMASK8_S4_F2", "FMASK8_S4_F4", "FMASK16_S16_F1", "FMASK16_S8_F2", "FMASK32_S16_F2", "FMASK32_S8_F4", "FMASK32_S8_F8", "FMASK64_S16_F4",
    "FMASK64_S16_F8", "4_4",       "6_5_5",        "1",            "1_REVERSED",    "32_AS_8",       "32_AS_8_8",     "32_AS_32_32_32_32",
];

#[rustfmt::skip]
const GFX9_DATA_FORMATS: [&str; 41] = [ // from 23 on
    "8_AS_8_8_8_8",
    "ETC2_RGB",    "ETC2_RGBA",    "ETC2_R",       "ETC2_RG",      "ETC2_RGBA1",    "",              "",              "6E4",
    "GB_GR",       "BG_RG",        "5_9_9_9",      "BC1",          "BC2",           "BC3",           "BC4",           "BC5",
    "BC6",         "BC7",          "16_AS_32_32",  "16_AS_16_16_16_16", "16_AS_32_32_32_32", "FMASK",  "ASTC_2D_LDR",  "ASTC_2D_HDR",
    "ASTC_2D_LDR_SRGB", "ASTC_3D_LDR", "ASTC_3D_HDR", "ASTC_3D_LDR_SRGB", "N_IN_16", "N_IN_16_16", "N_IN_16_16_16_16", "N_IN_16_AS_16_16_16_16",
    "",            "4_4",          "6_5_5",        "S8_16",        "S8_32",         "8_AS_32",       "8_AS_32_32",    "32_AS_32_32_32_32",
];

/// On gfx9 the number format of data format FMASK is a layout; these are in its order.
const FIRST_FMASK: usize = 44;
const FMASK_LAYOUTS: usize = 13;

/// Number formats of gfx6 to gfx9. 6 is SNORM_OGL on gfx6 and gfx7 only; 10 to 13, the biased ones, are not supported.
const NUMBER_FORMATS: [Option<Numeric>; 16] = {
    let [unorm, snorm, uscaled, sscaled] = [Some(Unorm), Some(Snorm), Some(Uscaled), Some(Sscaled)];
    let [uint, sint, float, srgb] = [Some(Uint), Some(Sint), Some(Float), Some(Srgb)];
    [unorm, snorm, uscaled, sscaled, uint, sint, Some(SnormOgl), float, None, srgb, None, None, None, None, None, None]
};

/// Which number formats make sense with a data format.
fn allows(layout: &str, numeric: Numeric) -> bool {
    let listed = GFX10.iter().any(|run| run.layout == layout && run.numerics.contains(&numeric));
    match layout {
        "5_9_9_9" => matches!(numeric, Float | Unorm), // drivers write either
        "ETC2_R" | "ETC2_RG" => matches!(numeric, Unorm | Snorm),
        "ETC2_RGB" | "ETC2_RGBA" | "ETC2_RGBA1" => matches!(numeric, Unorm | Srgb),
        _ if numeric == SnormOgl => GFX10.iter().any(|run| run.layout == layout && run.numerics.contains(&Snorm)),
        _ => listed,
    }
}

/// The format of a layout, if it is one that is supported.
fn resolve(layout: &str, numeric: Numeric) -> Option<Format> {
    // Multimedia formats of whole channels are the plain ones.
    let layout = layout.strip_prefix("MM_").unwrap_or(layout);
    if let Some(plain) = PLAIN.iter().find(|p| p.name == layout) {
        let mut shift = 0;
        let channels = plain.widths.map(|bits| {
            let channel = Channel { shift, bits };
            shift += bits;
            channel
        });
        return Some(Format { layout_name: plain.name, bytes: plain.bytes, block: [1, 1], layout: Layout::Plain, numeric, channels });
    }
    let &(layout_name, bytes, block, layout) = OTHER.iter().find(|(name, ..)| *name == layout)?;
    let numeric = if layout == Layout::SharedExponent { Float } else { numeric };
    Some(Format { layout_name, bytes, block, layout, numeric, channels: [Channel::default(); 4] })
}

/// All formats of one generation by number, with the names of those that are not supported.
type Table = Vec<Option<(&'static str, Numeric, Option<Format>)>>;

fn build_unified(runs: &[Run]) -> Table {
    let mut table: Table = vec![None; 512];
    for run in runs {
        for (number, &numeric) in (usize::from(run.first)..).zip(run.numerics) {
            table[number] = Some((run.layout, numeric, resolve(run.layout, numeric)));
        }
    }
    table
}

fn data_format(generation: Generation, data: usize) -> &'static str {
    if generation == Generation::Gfx9 && data >= 23 { GFX9_DATA_FORMATS[data - 23] } else { DATA_FORMATS[data] }
}

/// By data format + 64 * number format.
fn build_legacy(generation: Generation) -> Table {
    let entry = |n: usize| {
        let (data, number) = (n % 64, n / 64);
        let layout = data_format(generation, data);
        if layout == "FMASK" {
            let layout = DATA_FORMATS[FIRST_FMASK..][..FMASK_LAYOUTS].get(number)?;
            return Some((*layout, Uint, resolve(layout, Uint)));
        }
        if layout.starts_with("FMASK") {
            return Some((layout, Uint, resolve(layout, Uint)));
        }
        let numeric = NUMBER_FORMATS[number].filter(|&n| n != SnormOgl || generation == Generation::Gfx6)?;
        // BC6 with a sign is SNORM, without UNORM.
        let numeric = match numeric {
            Unorm if layout == "BC6" => Ufloat,
            Snorm if layout == "BC6" => Float,
            Float if layout == "BC6" => return Some((layout, numeric, None)),
            _ => numeric,
        };
        let supported = || resolve(layout, numeric).filter(|_| allows(layout, numeric));
        (!layout.is_empty()).then(|| (layout, numeric, supported()))
    };
    (0..64 * 16).map(entry).collect()
}

static UNIFIED: Lazy<[Table; 2]> = Lazy::new(|| [GFX10, GFX11].map(build_unified));
static LEGACY: Lazy<[Table; 3]> = Lazy::new(|| [Generation::Gfx6, Generation::Gfx8, Generation::Gfx9].map(build_legacy));

fn entry(generation: Generation, number: FormatNumber) -> Option<&'static (&'static str, Numeric, Option<Format>)> {
    let is_legacy = generation <= Generation::Gfx9;
    match number {
        FormatNumber::Unified(n) if !is_legacy => UNIFIED[usize::from(generation >= Generation::Gfx11)].get(usize::from(n))?.as_ref(),
        FormatNumber::Split { data, number } if is_legacy => {
            let index = usize::from(data & 63) + 64 * usize::from(number & 15);
            LEGACY[generation as usize][index].as_ref()
        }
        _ => None,
    }
}

pub(super) fn unified(generation: Generation, number: u16) -> Option<&'static Format> {
    entry(generation, FormatNumber::Unified(number))?.2.as_ref()
}

pub(super) fn legacy(generation: Generation, data: u8, number: u8) -> Option<&'static Format> {
    entry(generation, FormatNumber::Split { data, number })?.2.as_ref()
}

/// The format of a render target's FORMAT and NUMBER_TYPE (CB_COLOR_INFO), which count as data formats of gfx9 do but for two numbers.
pub(super) fn color_target(format: u8, number: u8) -> Option<&'static Format> {
    const SHARED_EXPONENT: u8 = 0x18;
    let (srgb, float) = (6, 7);
    let data = match format {
        SHARED_EXPONENT => 34,
        other if other < 0x17 => other,
        _ => return None,
    };
    let number = match number {
        n if n == srgb => 9,
        n if n <= float => n,
        _ => return None,
    };
    legacy(Generation::Gfx9, data, number)
}

impl FormatNumber {
    /// The layout a number stands for and what its channels are, supported or not; `None`: it is reserved.
    pub fn name(self, generation: Generation) -> Option<(&'static str, Numeric)> {
        entry(generation, self).map(|&(layout, numeric, _)| (layout, numeric))
    }
}
