//! What the registers of color targets say. Reference: Mesa, `src/amd/registers/gfx11.json` (CB_*).

use super::RegisterFile;
use crate::error::Refusal;
use wavejit_texture::Format;
use wavejit_texture::tiling::Kind;

/// Render targets.
pub const TARGETS: usize = 8;

/// What is done with color.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColorMode {
    /// Nothing is written.
    Off,
    /// Written, after blending.
    Normal,
    /// A pass over metadata, of which there is none.
    Metadata,
}

/// How source and destination become the result, for R, G and B or for A.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlendEquation {
    /// COMB_FCN.
    pub function: u32,
    /// SRCBLEND.
    pub source: u32,
    /// DESTBLEND.
    pub destination: u32,
}

/// A render target.
#[derive(Clone, Debug)]
pub struct Target {
    /// Guest address.
    pub address: u64,
    /// Swizzle mode.
    pub mode: u8,
    /// Dimension.
    pub kind: Kind,
    /// Of level 0: width, height, depth or layers.
    pub size: [u32; 3],
    /// Mip level that is drawn to.
    pub level: u32,
    /// Mip levels.
    pub levels: u32,
    /// First and last slice that is drawn to.
    pub slices: [u32; 2],
    /// Samples of a pixel.
    pub samples: u32,
    /// How its elements are made up.
    pub format: &'static Format,
    /// For each channel of an element, the lowest first: which of R, G, B, A it is.
    pub order: [usize; 4],
    /// R, G, B, A that are written, one bit each.
    pub mask: u32,
    /// Of colors and of alpha; none: no blending.
    pub blend: Option<[BlendEquation; 2]>,
    /// Are source, constants and result clamped to what the format holds?
    pub clamps: bool,
    /// Is alpha of the destination 1?
    pub alpha_is_one: bool,
    /// ROP3, if it is not a copy and the format has it.
    pub logic: Option<u8>,
}

/// All that concerns color.
#[derive(Clone, Debug)]
pub struct ColorState {
    /// Whether colors are written.
    pub mode: ColorMode,
    /// By number; none: nothing is written there.
    pub targets: [Option<Target>; TARGETS],
    /// Which target each exported color is for: exports count without the targets that CB_SHADER_MASK leaves out.
    pub exports: [Option<usize>; TARGETS],
    /// CB_BLEND_RED to ALPHA.
    pub constants: [f32; 4],
    /// Does the shader export two sources for target 0?
    pub has_two_sources: bool,
}

/// Numbers of blend factors that read the second source.
const SECOND_SOURCE: std::ops::RangeInclusive<u32> = 0xd..=0x10;
const LARGEST_FACTOR: u32 = 0x12;

impl ColorState {
    /// Reads the registers.
    pub fn of(registers: &RegisterFile) -> Result<ColorState, Refusal> {
        let get = |address| registers.get(address);
        let control = get(0x2_8808);
        let mode = match control >> 4 & 7 {
            0 => ColorMode::Off,
            1 => ColorMode::Normal,
            2 | 3 => ColorMode::Metadata,
            other => return Err(Refusal::new(format!("CB_COLOR_CONTROL: mode {other} is not known"))),
        };
        if control >> 3 & 1 != 0 {
            return Err(Refusal::new("CB_COLOR_CONTROL: DEGAMMA_ENABLE is not supported"));
        }
        let mut targets = [const { None }; TARGETS];
        if mode == ColorMode::Normal {
            for (n, slot) in targets.iter_mut().enumerate() {
                let mask = (get(0x2_8238) & get(0x2_823c)) >> (4 * n) & 15;
                if mask != 0 {
                    *slot = target(registers, n as u32, mask, (control >> 16) as u8)?;
                }
            }
        }
        let mut exports = [None; TARGETS];
        let exported = (0..TARGETS).filter(|n| get(0x2_823c) >> (4 * n) & 15 != 0);
        exports.iter_mut().zip(exported).for_each(|(export, n)| *export = Some(n));
        let reads_second = |e: &BlendEquation| e.function < 2 || e.function == 4;
        let is_second =
            |e: &BlendEquation| reads_second(e) && (SECOND_SOURCE.contains(&e.source) || SECOND_SOURCE.contains(&e.destination));
        let has_two_sources = targets[0].as_ref().and_then(|t: &Target| t.blend).is_some_and(|b| b.iter().any(is_second));
        Ok(ColorState { mode, targets, exports, constants: [0, 4, 8, 12].map(|d| f32::from_bits(get(0x2_8414 + d))), has_two_sources })
    }

    /// Is any color written?
    pub fn is_written(&self) -> bool {
        self.targets.iter().any(Option::is_some)
    }
}

fn target(registers: &RegisterFile, n: u32, mask: u32, rop: u8) -> Result<Option<Target>, Refusal> {
    let get = |address| registers.get(address);
    let block = 0x2_8c60 + 0x3c * n;
    let info = get(block + 16);
    let code = info & 31;
    if code == 0 {
        return Ok(None);
    }
    let refuse = |what: String| Err(Refusal::new(format!("CB_COLOR{n}_INFO {info:#x}: {what}")));
    let number = info >> 8 & 7;
    let Some(format) = Format::of_color_target(code as u8, number as u8) else {
        return refuse(format!("format {code:#x} with numbers of type {number} is not supported"));
    };
    let attributes = get(block + 20);
    if get(block + 24) >> 22 & 1 != 0 {
        return Err(Refusal::new(format!("CB_COLOR{n}_FDCC_CONTROL: FDCC_ENABLE: targets with DCC are not supported")));
    }
    let (view, size, shape) = (get(block + 12), get(0x2_8ec0 + 4 * n), get(0x2_8ee0 + 4 * n));
    let swap = (info >> 11 & 3) as usize;
    let order = match format.channel_count() {
        1 => [[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3], [3, 1, 2, 0]][swap],
        2 => [[0, 1, 2, 3], [0, 3, 2, 1], [1, 0, 2, 3], [3, 0, 2, 1]][swap],
        3 => [[0, 1, 2, 3], [0, 1, 2, 3], [2, 1, 0, 3], [2, 1, 0, 3]][swap],
        _ => [[0, 1, 2, 3], [2, 1, 0, 3], [3, 2, 1, 0], [3, 0, 1, 2]][swap],
    };
    let is_srgb = format.numeric == wavejit_texture::format::Numeric::Srgb;
    if is_srgb && format.channel_count() == 4 && order[3] != 3 {
        return refuse("sRGB with alpha in the lowest byte is not supported".into());
    }
    let blend = get(0x2_8780 + 4 * n);
    let equation = |shift: u32| BlendEquation {
        source: blend >> shift & 31,
        function: blend >> (shift + 5) & 7,
        destination: blend >> (shift + 8) & 31,
    };
    let color = equation(0);
    let alpha = if blend >> 29 & 1 != 0 { equation(16) } else { color };
    let is_float = format.numeric == wavejit_texture::format::Numeric::Float;
    let blends = blend >> 30 & 1 != 0 && !format.is_integer() && info >> 16 & 1 == 0;
    for e in [color, alpha] {
        if blends && (e.function > 4 || e.source > LARGEST_FACTOR || e.destination > LARGEST_FACTOR) {
            return Err(Refusal::new(format!("CB_BLEND{n}_CONTROL {blend:#x}: a function or factor is not known")));
        }
    }
    let is_copy = rop == 0xcc || blend >> 31 & 1 != 0 || is_float || is_srgb;
    if !is_copy && (rop & 15 != rop >> 4) {
        return Err(Refusal::new(format!("CB_COLOR_CONTROL: ROP3 {rop:#x} is not a logic operation")));
    }
    let kind = match shape >> 24 & 3 {
        0 => Kind::OneD,
        1 => Kind::TwoD,
        2 => Kind::ThreeD,
        other => return Err(Refusal::new(format!("CB_COLOR{n}_ATTRIB3: resource type {other} is not known"))),
    };
    Ok(Some(Target {
        address: u64::from(get(block)) << 8 | u64::from(get(0x2_8e40 + 4 * n) & 0xff) << 40,
        mode: (shape >> 14 & 31) as u8,
        kind,
        size: [(size >> 14 & 0x3fff) + 1, (size & 0x3fff) + 1, (shape & 0x1fff) + 1],
        level: view >> 26 & 15,
        levels: (size >> 28) + 1,
        slices: [view & 0x1fff, view >> 13 & 0x1fff],
        samples: 1 << (attributes & 3),
        format,
        order,
        mask,
        blend: (blends && is_copy).then_some([color, alpha]),
        clamps: info >> 15 & 1 != 0,
        alpha_is_one: attributes >> 2 & 1 != 0,
        logic: (!is_copy).then_some(rop),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(writes: &[(u32, u32)]) -> Result<ColorState, Refusal> {
        let mut file = RegisterFile::new();
        writes.iter().for_each(|(address, value)| file.write(address / 4, *value).unwrap());
        ColorState::of(&file)
    }

    // graphics.md 3.11, a recorded draw into 128 x 128 pixels.
    const RECORDED: [(u32, u32); 7] = [
        (0x2_8808, 0x00cc_0010),
        (0x2_823c, 15),
        (0x2_8c60, 0x0100_1000),
        (0x2_8e40, 0x20),
        (0x2_8c70, 0x0002_800a),
        (0x2_8ec0, 0x001f_c07f),
        (0x2_8ee0, 0x0106_c000),
    ];

    #[test]
    fn a_recorded_target_reads_as_it_was_meant() {
        let state = with(&RECORDED).unwrap();
        let target = state.targets[0].as_ref().unwrap();
        assert_eq!((target.address, target.mode, target.size), (0x2001_0010_0000, 27, [128, 128, 1]));
        assert_eq!((target.format.to_string(), target.order, target.mask), ("8_8_8_8_UNORM".into(), [0, 1, 2, 3], 15));
        assert!(target.clamps && target.blend.is_none() && target.logic.is_none());
        assert!(state.targets[1].is_none());
    }

    // Mesa, `radv_pipeline.c`, radv_compact_spi_shader_col_format: exports have no holes, CB_SHADER_MASK has.
    #[test]
    fn exports_go_to_the_targets_of_the_mask() {
        let mut writes = RECORDED;
        writes[1].1 = 0xf0ff;
        assert_eq!(with(&writes).unwrap().exports[..4], [Some(0), Some(1), Some(3), None]);
    }

    // graphics.md 3.9, COMP_SWAP: ALT is BGRA.
    #[test]
    fn swaps_say_which_channel_is_lowest() {
        let mut writes = RECORDED;
        writes[4].1 = 0x0002_880a;
        assert_eq!(with(&writes).unwrap().targets[0].as_ref().unwrap().order, [2, 1, 0, 3]);
    }

    #[test]
    fn what_is_not_supported_is_named() {
        let with_also = |extra: (u32, u32)| with(&[&RECORDED[..], &[extra]].concat()).unwrap_err().to_string();
        assert!(with_also((0x2_8c78, 1 << 22)).contains("FDCC_ENABLE"));
        assert!(with_also((0x2_8780, 1 << 30 | 0x1f)).contains("CB_BLEND0_CONTROL"));
        assert!(with_also((0x2_8c70, 0x0002_801f)).contains("format 0x1f"));
    }
}
