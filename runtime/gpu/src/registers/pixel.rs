//! What the registers of the pixel stage say: where its program is, what its waves start with, what they export.
//!
//! Reference: Mesa, `src/amd/registers/gfx11.json` (SPI_PS_*, SPI_SHADER_*_PS, SPI_BARYC_CNTL); requirements INIT-05, INIT-09.

use super::RegisterFile;
use crate::error::Refusal;

/// Attributes that a pixel shader can have.
pub const MOST_ATTRIBUTES: usize = 32;

/// Terms that a pixel wave may get in VGPRs, by bit of SPI_PS_INPUT_ENA and ADDR, with how many VGPRs each takes.
pub const TERMS: [(&str, u32); 16] = [
    ("PERSP_SAMPLE", 2),
    ("PERSP_CENTER", 2),
    ("PERSP_CENTROID", 2),
    ("PERSP_PULL_MODEL", 3),
    ("LINEAR_SAMPLE", 2),
    ("LINEAR_CENTER", 2),
    ("LINEAR_CENTROID", 2),
    ("LINE_STIPPLE_TEX", 1),
    ("POS_X_FLOAT", 1),
    ("POS_Y_FLOAT", 1),
    ("POS_Z_FLOAT", 1),
    ("POS_W_FLOAT", 1),
    ("FRONT_FACE", 1),
    ("ANCILLARY", 1),
    ("SAMPLE_COVERAGE", 1),
    ("POS_FIXED_PT", 1),
];

/// Bit of LINE_STIPPLE_TEX, which is not supported.
const LINE_STIPPLE_TEX: u32 = 1 << 7;

/// Where the three values of an attribute come from: SPI_PS_INPUT_CNTL.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum AttributeSource {
    /// A parameter of the corners: the first, and what the others are more than it.
    Interpolated(u32),
    /// A parameter of the provoking corner.
    Flat(u32),
    /// A parameter of the corners as they are.
    Explicit(u32),
    /// The same everywhere.
    Constant([f32; 4]),
    /// The place in a point.
    Sprite,
    /// A parameter of the primitive.
    Primitive(u32),
}

/// SPI_SHADER_COL_FORMAT and SPI_SHADER_Z_FORMAT: how exported components lie in dwords.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // the formats are the names
pub enum ExportFormat {
    Zero,
    R32,
    Gr32,
    Ar32,
    Fp16,
    Unorm16,
    Snorm16,
    Uint16,
    Sint16,
    Abgr32,
}

impl ExportFormat {
    fn of(code: u32, what: &str) -> Result<ExportFormat, Refusal> {
        use ExportFormat::*;
        const FORMATS: [ExportFormat; 10] = [Zero, R32, Gr32, Ar32, Fp16, Unorm16, Snorm16, Uint16, Sint16, Abgr32];
        FORMATS.get(code as usize).copied().ok_or_else(|| Refusal::new(format!("{what}: format {code} is not known")))
    }
}

/// Which of two places terms named "center" or "centroid" are taken at, and where POS_X and POS_Y are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    /// The center of the pixel.
    Center,
    /// The centroid.
    Centroid,
    /// The sample.
    Sample,
}

/// What a draw needs to start pixel waves and to take what they export.
#[derive(Clone, PartialEq, Debug)]
pub struct PixelState {
    /// Guest address of the first instruction.
    pub entry: u64,
    /// SPI_SHADER_PGM_RSRC1_PS.
    pub rsrc1: u32,
    /// SPI_SHADER_PGM_RSRC2_PS.
    pub rsrc2: u32,
    /// SPI_SHADER_USER_DATA_PS.
    pub user_data: Vec<u32>,
    /// 32 or 64.
    pub wave_size: u32,
    /// Bytes of scratch of a wave.
    pub wave_scratch_bytes: u32,
    /// SPI_PS_INPUT_ENA: terms that are written.
    pub enabled: u32,
    /// First VGPR of each term of SPI_PS_INPUT_ADDR.
    pub first_vgpr: [Option<u32>; 16],
    /// VGPRs that terms take.
    pub input_vgprs: u32,
    /// By attribute.
    pub attributes: Vec<AttributeSource>,
    /// SPI_INTERP_CONTROL_0: what the components of a sprite's place are (zero, one, S, T).
    pub sprite: [u32; 4],
    /// Does T of a sprite grow upward?
    pub sprite_is_from_below: bool,
    /// Are terms of centers taken at the centroid?
    pub centers_at_centroid: [bool; 2],
    /// Where POS_X_FLOAT and POS_Y_FLOAT are.
    pub position: Location,
    /// Is FRONT_FACE all ones, and not a float?
    pub front_is_mask: bool,
    /// By number of the export.
    pub color_formats: [ExportFormat; 8],
    /// Of depth, stencil, sample mask.
    pub z_format: ExportFormat,
}

impl PixelState {
    /// Reads the registers.
    pub fn of(registers: &RegisterFile) -> Result<PixelState, Refusal> {
        let get = |address| registers.get(address);
        let (enabled, taken) = (get(0x2_86cc), get(0x2_86d0));
        if enabled & !taken != 0 {
            return Err(Refusal::new(format!("SPI_PS_INPUT_ENA {enabled:#x}: SPI_PS_INPUT_ADDR {taken:#x} has no place for all of it")));
        }
        if enabled & LINE_STIPPLE_TEX != 0 {
            return Err(Refusal::new("SPI_PS_INPUT_ENA: LINE_STIPPLE_TEX is not supported"));
        }
        let mut input_vgprs = 0;
        let first_vgpr = std::array::from_fn(|bit| {
            let first = input_vgprs;
            let is_taken = taken >> bit & 1 != 0;
            input_vgprs += if is_taken { TERMS[bit].1 } else { 0 };
            is_taken.then_some(first)
        });
        let (rsrc1, rsrc2) = (get(0xb028), get(0xb02c));
        let user_sgprs = (rsrc2 >> 1 & 0x1f | (rsrc2 >> 27 & 1) << 5).min(32);
        let in_control = get(0x2_86d8);
        let interpolation = get(0x2_86d4);
        let baryc = get(0x2_86e0);
        let wave_size = if in_control >> 15 & 1 != 0 { 32 } else { 64 };
        let per_vertex = in_control & 0x3f;
        let attributes = (0..per_vertex + (in_control >> 9 & 0x1f)).take(MOST_ATTRIBUTES);
        let sprites_are_on = interpolation >> 1 & 1 != 0;
        let attributes = attributes.map(|n| attribute(n, get(0x2_8644 + 4 * n), sprites_are_on)).collect::<Result<_, _>>()?;
        let mut color_formats = [ExportFormat::Zero; 8];
        for (n, format) in color_formats.iter_mut().enumerate() {
            *format = ExportFormat::of(get(0x2_8714) >> (4 * n) & 15, "SPI_SHADER_COL_FORMAT")?;
        }
        Ok(PixelState {
            entry: u64::from(get(0xb020)) << 8 | u64::from(get(0xb024) & 0xff) << 40,
            rsrc1,
            rsrc2,
            user_data: (0..user_sgprs).map(|n| get(0xb030 + 4 * n)).collect(),
            wave_size,
            wave_scratch_bytes: (get(0x2_86e8) >> 12 & 0x7fff) * 256,
            enabled,
            first_vgpr,
            input_vgprs,
            attributes,
            sprite: [2, 5, 8, 11].map(|bit| interpolation >> bit & 7),
            sprite_is_from_below: interpolation >> 14 & 1 != 0,
            centers_at_centroid: [baryc & 1 != 0, baryc >> 8 & 1 != 0],
            position: match baryc >> 16 & 3 {
                0 => Location::Center,
                1 => Location::Centroid,
                2 => Location::Sample,
                other => return Err(Refusal::new(format!("SPI_BARYC_CNTL: POS_FLOAT_LOCATION {other} is not known"))),
            },
            front_is_mask: baryc >> 24 & 1 != 0,
            color_formats,
            z_format: ExportFormat::of(get(0x2_8710) & 15, "SPI_SHADER_Z_FORMAT")?,
        })
    }

    /// Does a wave get a word with its number? INIT-05.
    pub fn has_wave_id(&self) -> bool {
        self.rsrc2 >> 7 & 1 != 0
    }

    /// Does a wave get a word with provoking vertices? INIT-05.
    pub fn has_provoking_word(&self) -> bool {
        self.rsrc1 >> 27 & 1 != 0
    }

    /// Is a term enabled?
    pub fn has(&self, term: usize) -> bool {
        self.enabled >> term & 1 != 0
    }
}

/// SPI_PS_INPUT_CNTL_n (graphics.md 4.5).
fn attribute(n: u32, control: u32, sprites_are_on: bool) -> Result<AttributeSource, Refusal> {
    const UNDERSTOOD: u32 = 0x3f | 3 << 8 | 1 << 10 | 1 << 11 | 1 << 12 | 1 << 17 | 1 << 24;
    let refuse = |what: &str| Err(Refusal::new(format!("SPI_PS_INPUT_CNTL_{n}: {what} ({control:#x}) not supported")));
    const HALVES: u32 = 1 << 19;
    if control & HALVES != 0 {
        // Two halves in each dword go through the same loads; only their differences would not be those of floats.
        let is_flat = control >> 10 & 1 != 0;
        if !is_flat {
            return refuse("interpolated attributes of 16 bits are");
        }
    } else if control & !UNDERSTOOD & !(1 << 25 | 1 << 18) != 0 {
        return refuse("fields are");
    }
    let (offset, is_flat) = (control & 0x1f, control >> 10 & 1 != 0);
    Ok(match control {
        _ if sprites_are_on && control >> 17 & 1 != 0 => AttributeSource::Sprite,
        _ if control >> 12 & 1 != 0 => AttributeSource::Primitive(offset),
        _ if control >> 5 & 1 != 0 && is_flat => AttributeSource::Explicit(offset),
        _ if control >> 5 & 1 != 0 => {
            let [rgb, alpha] = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]][(control >> 8 & 3) as usize];
            AttributeSource::Constant([rgb, rgb, rgb, alpha])
        }
        _ if is_flat => AttributeSource::Flat(offset),
        _ => AttributeSource::Interpolated(offset),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(writes: &[(u32, u32)]) -> Result<PixelState, Refusal> {
        let mut file = RegisterFile::new();
        writes.iter().for_each(|(address, value)| file.write(address / 4, *value).unwrap());
        PixelState::of(&file)
    }

    // INIT-10: the two worked examples of the manual.
    #[test]
    fn terms_are_packed_by_what_has_a_place() {
        let enabled = 1 | 1 << 1 | 1 << 8 | 1 << 9;
        let state = with(&[(0x2_86cc, enabled), (0x2_86d0, enabled)]).unwrap();
        assert_eq!([0, 1, 8, 9].map(|t| state.first_vgpr[t]), [0, 2, 4, 5].map(Some));
        let taken = enabled | 1 << 2 | 1 << 3 | 1 << 6 | 1 << 7;
        let state = with(&[(0x2_86cc, enabled), (0x2_86d0, taken)]).unwrap();
        assert_eq!([0, 1, 8, 9].map(|t| state.first_vgpr[t]), [0, 2, 12, 13].map(Some));
        // INIT-09.
        assert!(with(&[(0x2_86cc, 2), (0x2_86d0, 1)]).is_err());
    }

    // graphics.md 3.11, a recorded draw.
    #[test]
    fn a_recorded_draw_reads_as_it_was_meant() {
        let state = with(&[
            (0xb020, 0x593),
            (0xb024, 0x20),
            (0xb02c, 6),
            (0xb030, 7),
            (0x2_86cc, 2),
            (0x2_86d0, 2),
            (0x2_86d8, 1),
            (0x2_86e0, 0x0100_0000),
            (0x2_8714, 4),
        ])
        .unwrap();
        assert_eq!((state.entry, state.wave_size, state.input_vgprs), (0x2000_0005_9300, 64, 2));
        assert_eq!(state.user_data, [7, 0, 0]);
        assert_eq!(state.attributes, [AttributeSource::Interpolated(0)]);
        assert!(state.front_is_mask);
        assert_eq!(state.color_formats[..2], [ExportFormat::Fp16, ExportFormat::Zero]);
    }

    // graphics.md 4.5.
    #[test]
    fn attributes_come_from_where_their_word_says() {
        assert_eq!(attribute(0, 3, true).unwrap(), AttributeSource::Interpolated(3));
        assert_eq!(attribute(0, 3 | 1 << 10, true).unwrap(), AttributeSource::Flat(3));
        assert_eq!(attribute(0, 0x22 | 1 << 10, true).unwrap(), AttributeSource::Explicit(2));
        assert_eq!(attribute(0, 0x20 | 2 << 8, true).unwrap(), AttributeSource::Constant([1.0, 1.0, 1.0, 0.0]));
        assert_eq!(attribute(0, 1 << 17, true).unwrap(), AttributeSource::Sprite);
        assert!(attribute(4, 1 << 19, true).unwrap_err().to_string().starts_with("SPI_PS_INPUT_CNTL_4"));
    }
}
