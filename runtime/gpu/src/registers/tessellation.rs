//! What the registers of tessellation say: a typed view of them. Reference: Mesa, `src/amd/registers/gfx11.json`; Mesa, `radv_cmd_buffer.c`,
//! `radv_queue.c`, for what drivers write.

use super::RegisterFile;
use crate::draw::tessellator::{Domain, Form, Spacing, Tessellator};
use crate::error::Refusal;
use crate::packet::check_bits;

/// The state that merged vertex and hull waves of a draw start from, and how their patches are cut.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TessellationState {
    /// Guest address of the first instruction: SPI_SHADER_PGM_LO, HI_LS.
    pub entry: u64,
    /// s0 and s1: SPI_SHADER_PGM_LO, HI_HS as they are.
    pub first_sgprs: [u32; 2],
    /// SPI_SHADER_PGM_RSRC1_HS, RSRC2_HS.
    pub rsrc: [u32; 2],
    /// 32 or 64.
    pub wave_size: u32,
    /// SPI_SHADER_USER_DATA_HS: s8 and those after it.
    pub user_data: Vec<u32>,
    /// LDS of a group in bytes.
    pub lds_bytes: u32,
    /// Scratch of a wave in bytes.
    pub wave_scratch_bytes: u32,
    /// Patches of a group.
    pub patches: u32,
    /// Control points of a patch: of the draw, and of the hull shader.
    pub points: [u32; 2],
    /// How patches are cut.
    pub tessellator: Tessellator,
    /// The ring of levels: guest address and bytes.
    pub levels: (u64, u64),
    /// Off-chip buffers, one for each group at work, and bytes of one.
    pub buffers: (u32, u32),
}

impl TessellationState {
    /// Reads the registers; an error that names what is not supported. `None`: nothing is tessellated.
    pub(crate) fn of(registers: &RegisterFile) -> Result<Option<TessellationState>, Refusal> {
        let get = |address| registers.get(address);
        let bit = |word: u32, n: u32| word >> n & 1 != 0;
        let stages = get(0x2_8b54);
        if !bit(stages, 2) {
            return Ok(None);
        }
        let rsrc = [get(0xb428), get(0xb42c)];
        check_bits("SPI_SHADER_PGM_RSRC1_HS", rsrc[0], 0x7faf_ffff)?;
        check_bits("SPI_SHADER_PGM_RSRC2_HS", rsrc[1], 0x0ffc_01bf)?;
        let user_sgprs = (rsrc[1] >> 1 & 31 | (rsrc[1] >> 27 & 1) << 5).min(32);
        let config = get(0x2_8b58);
        check_bits("VGT_LS_HS_CONFIG", config, 0xf_ffff)?;
        let (patches, points) = (config & 0xff, [config >> 8 & 63, config >> 14 & 63]);
        if patches == 0 || points.contains(&0) {
            return Err(Refusal::new(format!("VGT_LS_HS_CONFIG: {config:#x}: no patch, or none of its points")));
        }
        let offchip = get(0x3_093c);
        Ok(Some(TessellationState {
            entry: u64::from(get(0xb520)) << 8 | u64::from(get(0xb524) & 0xff) << 40,
            first_sgprs: [get(0xb420), get(0xb424)],
            rsrc,
            wave_size: if bit(stages, 21) { 32 } else { 64 },
            user_data: (0..user_sgprs).map(|n| get(0xb430 + 4 * n)).collect(),
            lds_bytes: (rsrc[1] >> 18 & 0x1ff) * 512,
            wave_scratch_bytes: if bit(rsrc[1], 0) { (get(0x2_86e8) >> 12 & 0x7fff) * 256 } else { 0 },
            patches,
            points,
            tessellator: tessellator(get(0x2_8b6c), f32::from_bits(get(0x2_8a18)))?,
            levels: (u64::from(get(0x3_0940)) << 8 | u64::from(get(0x3_0984) & 0xff) << 40, u64::from(get(0x3_0938) & 0x1_ffff) * 4),
            buffers: ((offchip & 0x3ff) + 1, (4 * 8192) >> (offchip >> 10 & 3)),
        }))
    }
}

/// VGT_TF_PARAM and VGT_HOS_MAX_TESS_LEVEL.
fn tessellator(word: u32, most: f32) -> Result<Tessellator, Refusal> {
    // How patches are handed to shader engines, and how memory is read, changes nothing.
    const DISTRIBUTION: u32 = 0xf << 10 | 3 << 15 | 3 << 17 | 7 << 23;
    check_bits("VGT_TF_PARAM", word, 0xff | DISTRIBUTION)?;
    let refuse = |what: &str| Err(Refusal::new(format!("VGT_TF_PARAM {word:#x}: {what}")));
    let domain = match word & 3 {
        0 => Domain::Lines,
        1 => Domain::Triangles,
        2 => Domain::Quads,
        _ => return refuse("TYPE 3 is not known"),
    };
    let spacing = match word >> 2 & 7 {
        0 => Spacing::Equal,
        2 => Spacing::Odd,
        3 => Spacing::Even,
        _ => return refuse("this PARTITIONING is not supported"),
    };
    let form = match (word >> 5 & 7, domain) {
        (0, _) => Form::Points,
        (1, Domain::Lines) => Form::Lines,
        (2, Domain::Triangles | Domain::Quads) => Form::Triangles { clockwise: true },
        (3, Domain::Triangles | Domain::Quads) => Form::Triangles { clockwise: false },
        _ => return refuse("this TOPOLOGY does not go with TYPE"),
    };
    Ok(Tessellator { domain, spacing, form, most })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(writes: &[(u32, u32)]) -> Result<Option<TessellationState>, Refusal> {
        let mut file = RegisterFile::new();
        let base = [(0x2_8b54, 0x200_200d), (0x2_8b58, 3 << 14 | 4 << 8 | 16), (0x2_8a18, 64.0f32.to_bits())];
        base.iter().chain(writes).for_each(|(address, value)| file.write(address / 4, *value).unwrap());
        TessellationState::of(&file)
    }

    // The register list: fields of VGT_LS_HS_CONFIG, VGT_TF_PARAM, VGT_HS_OFFCHIP_PARAM; addresses in units of 256 bytes.
    #[test]
    fn fields_are_where_the_register_list_says() {
        let writes = [
            (0xb520, 0x590),
            (0xb524, 0x20),
            (0xb420, 0x16000),
            (0xb42c, 3 << 18 | 2 << 1),
            (0xb434, 77),
            (0x2_8b6c, 2 | 3 << 2 | 3 << 5 | 2 << 17),
            (0x3_0938, 0x3000),
            (0x3_0940, 0x1234),
            (0x3_0984, 0x20),
            (0x3_093c, 255 | 1 << 10),
        ];
        let state = with(&writes).unwrap().unwrap();
        assert_eq!((state.entry, state.first_sgprs, state.user_data), (0x2000_0005_9000, [0x16000, 0], vec![0, 77]));
        assert_eq!((state.patches, state.points, state.wave_size, state.lds_bytes), (16, [4, 3], 64, 1536));
        assert_eq!((state.levels, state.buffers), ((0x2000_0012_3400, 0xc000), (256, 16384)));
        let form = Form::Triangles { clockwise: false };
        assert_eq!(state.tessellator, Tessellator { domain: Domain::Quads, spacing: Spacing::Even, form, most: 64.0 });
        let mut file = RegisterFile::new();
        file.write(0x2_8b54 / 4, 0x2010).unwrap();
        assert_eq!(TessellationState::of(&file).unwrap(), None);
    }

    #[test]
    fn what_is_not_supported_is_named() {
        for (address, value, text) in [
            (0x2_8b6c, 3, "VGT_TF_PARAM 0x3: TYPE"),
            (0x2_8b6c, 1 | 1 << 2, "PARTITIONING"),
            (0x2_8b6c, 1 | 1 << 5, "TOPOLOGY"),
            (0x2_8b6c, 1 | 1 << 19, "VGT_TF_PARAM"),
            (0x2_8b58, 16, "VGT_LS_HS_CONFIG"),
        ] {
            let message = with(&[(address, value)]).unwrap_err().to_string();
            assert!(message.contains(text), "{message}");
        }
    }
}
