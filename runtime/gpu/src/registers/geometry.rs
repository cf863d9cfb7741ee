//! What the registers of the geometry stages say: a typed view of them. Reference: Mesa, `src/amd/registers/gfx11.json`; Mesa,
//! `radv_pipeline.c`, for what drivers write.

use super::RegisterFile;
use crate::error::Refusal;
use crate::packet::check_bits;

/// VGT_PRIMITIVE_TYPE, of those that need no tessellation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topology {
    /// One vertex each.
    Points,
    /// Two vertices each.
    Lines,
    /// A line from every vertex but the last to the next one.
    LineStrip,
    /// Three vertices each.
    Triangles,
    /// All triangles have the first vertex.
    TriangleFan,
    /// A triangle from every vertex but the last two to the next two.
    TriangleStrip,
    /// Four vertices each: the line is the middle ones.
    LinesAdjacent,
    /// The same for strips.
    LineStripAdjacent,
    /// Six vertices each: the triangle is every second one.
    TrianglesAdjacent,
    /// The same for strips.
    TriangleStripAdjacent,
    /// Three corners of a rectangle.
    Rectangles,
}

impl Topology {
    /// Vertices of a primitive, adjacent ones too.
    pub fn vertices(self) -> usize {
        use Topology::*;
        match self {
            Points => 1,
            Lines | LineStrip => 2,
            Triangles | TriangleFan | TriangleStrip | Rectangles => 3,
            LinesAdjacent | LineStripAdjacent => 4,
            TrianglesAdjacent | TriangleStripAdjacent => 6,
        }
    }

    fn of(number: u32) -> Result<Topology, Refusal> {
        use Topology::*;
        Ok(match number {
            1 => Points,
            2 => Lines,
            3 => LineStrip,
            4 => Triangles,
            5 => TriangleFan,
            6 => TriangleStrip,
            9 => return Err(Refusal::new("VGT_PRIMITIVE_TYPE: patches without a hull shader")),
            0xa => LinesAdjacent,
            0xb => LineStripAdjacent,
            0xc => TrianglesAdjacent,
            0xd => TriangleStripAdjacent,
            0x11 => Rectangles,
            other => return Err(Refusal::new(format!("VGT_PRIMITIVE_TYPE {other:#x} is not supported"))),
        })
    }
}

/// Which exports of positions there are beside the first, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PositionExports {
    /// Position exports in all.
    pub count: u8,
    /// The misc vector: point size, layer, viewport.
    pub misc: bool,
    /// Clip and cull distances 0 to 3, 4 to 7.
    pub distances: [bool; 2],
    /// x of the misc vector is a point size.
    pub point_size: bool,
    /// Bits of its z that count: layer, viewport.
    pub misc_mask: u32,
}

/// The state that the geometry stages of a draw start from.
#[derive(Clone, PartialEq, Debug)]
pub struct GeometryState {
    /// Guest address of the first instruction: SPI_SHADER_PGM_LO, HI_ES.
    pub entry: u64,
    /// s0 and s1: SPI_SHADER_PGM_LO, HI_GS as they are.
    pub first_sgprs: [u32; 2],
    /// SPI_SHADER_PGM_RSRC1_GS, RSRC2_GS.
    pub rsrc: [u32; 2],
    /// 32 or 64.
    pub wave_size: u32,
    /// SPI_SHADER_USER_DATA_GS: s8 and those after it.
    pub user_data: Vec<u32>,
    /// LDS of a subgroup in bytes.
    pub lds_bytes: u32,
    /// Scratch of a wave in bytes.
    pub wave_scratch_bytes: u32,
    /// v0 is the word of a primitive that shaders export as it is.
    pub is_passthrough: bool,
    /// There is a geometry shader behind the vertex shader.
    pub has_geometry_shader: bool,
    /// What vertices form.
    pub topology: Topology,
    /// The last vertex of a primitive is its provoking one, not the first.
    pub provokes_last: bool,
    /// VGT_GS_OUT_PRIM_TYPE.
    pub output: u32,
    /// Most primitives and vertices of a subgroup.
    pub group_primitives: u32,
    /// See `group_primitives`.
    pub group_vertices: u32,
    /// Most vertices that a subgroup exports.
    pub group_exports: u32,
    /// Invocations for each primitive.
    pub instances: u32,
    /// Each invocation is a subgroup of its own (EN_MAX_VERT_OUT_PER_GS_INSTANCE): all of them would export too much for one.
    pub splits_instances: bool,
    /// Vertices that an invocation exports at most: so many lanes it needs.
    pub amplification: u32,
    /// Dwords of a vertex in LDS, which vertex offsets are scaled by.
    pub item_dwords: u32,
    /// Vertices may be shared between primitives.
    pub shares_vertices: bool,
    /// What of positions is exported.
    pub positions: PositionExports,
    /// Edge flags of exported primitives count.
    pub has_edge_flags: bool,
    /// Parameters of a vertex and of a primitive together.
    pub params: u32,
    /// Those of a primitive, which come last.
    pub prim_params: u32,
    /// The attribute ring: guest address and bytes.
    pub ring: (u64, u64),
    /// Restart index, and the bits of it that are compared; `None`: no restart.
    pub restart: Option<u32>,
    /// No restart in draws without indices.
    pub restart_needs_indices: bool,
    /// All bits of the restart index are compared, whatever the size of indices.
    pub restart_matches_all: bool,
    /// Bytes of an index.
    pub index_bytes: u32,
    /// Range that indices are clamped to.
    pub index_range: (u32, u32),
    /// Added to indices.
    pub index_offset: u32,
}

impl GeometryState {
    /// Reads the registers; an error that names what is not supported.
    pub fn of(registers: &RegisterFile) -> Result<GeometryState, Refusal> {
        let get = |address| registers.get(address);
        let bit = |word: u32, n: u32| word >> n & 1 != 0;
        let address = |low: u32, high: u32| u64::from(get(low)) << 8 | u64::from(get(high) & 0xff) << 40;
        let stages = get(0x2_8b54);
        refuse_stages(stages)?;
        let rsrc = [get(0xb228), get(0xb22c)];
        check_bits("SPI_SHADER_PGM_RSRC1_GS", rsrc[0], 0xffaf_ffff)?;
        check_bits("SPI_SHADER_PGM_RSRC2_GS", rsrc[1], 0x0fff_003f)?;
        let user_sgprs = (rsrc[1] >> 1 & 31 | (rsrc[1] >> 27 & 1) << 5).min(32);
        let limits = get(0x3_096c);
        let instances = get(0x2_8b90);
        if get(0x3_0968) != 0 {
            return Err(Refusal::new("VGT_INSTANCE_BASE_ID: instances that do not begin at 0 are not supported"));
        }
        let outputs = get(0x2_86c4);
        check_bits("SPI_VS_OUT_CONFIG", outputs, 0x1fbe)?;
        let prim_params = outputs >> 8 & 31;
        let restart = get(0x3_092c);
        check_bits("GE_MULTI_PRIM_IB_RESET_EN", restart, 7)?;
        let index_type = get(0x3_090c);
        // Bit 14: instances do not share waves.
        check_bits("VGT_INDEX_TYPE", index_type, 3 | 1 << 14)?;
        let index_bytes = [2, 4, 1, 0][(index_type & 3) as usize];
        if index_bytes == 0 {
            return Err(Refusal::new("VGT_INDEX_TYPE 3 is not supported"));
        }
        let ring_bytes = (u64::from(get(0x3_111c) & 0xff) + 1) << 16;
        Ok(GeometryState {
            entry: address(0xb320, 0xb324),
            first_sgprs: [get(0xb220), get(0xb224)],
            rsrc,
            wave_size: if bit(stages, 22) { 32 } else { 64 },
            user_data: (0..user_sgprs).map(|n| get(0xb230 + 4 * n)).collect(),
            lds_bytes: (rsrc[1] >> 19 & 0xff) * 512,
            wave_scratch_bytes: if bit(rsrc[1], 0) { (get(0x2_86e8) >> 12 & 0x7fff) * 256 } else { 0 },
            is_passthrough: bit(stages, 25),
            has_geometry_shader: bit(stages, 5),
            topology: topology(get(0x3_0908) & 0x3f, stages, get(0x2_8b6c))?,
            provokes_last: bit(get(0x2_8814), 19),
            output: get(0x3_0998) & 0x3f,
            group_primitives: limits & 0x1ff,
            group_vertices: limits >> 9 & 0x1ff,
            group_exports: get(0x2_87fc) & 0x3ff,
            splits_instances: bit(instances, 31),
            amplification: (get(0x2_8b4c) & 0x1ff).max(1),
            instances: if bit(instances, 0) { (instances >> 2 & 0x7f).max(1) } else { 1 },
            item_dwords: get(0x2_8aac) & 0x7fff,
            shares_vertices: !bit(get(0x2_8a84), 2),
            positions: positions(get(0x2_870c), get(0x2_881c))?,
            has_edge_flags: bit(get(0x2_8838), 0),
            params: prim_params + if bit(outputs, 7) { 0 } else { (outputs >> 1 & 31) + 1 },
            prim_params,
            ring: (u64::from(get(0x3_1118)) << 16, ring_bytes),
            restart: bit(restart, 0).then(|| get(0x2_840c)),
            restart_matches_all: bit(restart, 1),
            restart_needs_indices: bit(restart, 2),
            index_bytes,
            index_range: (get(0x3_0924), if get(0x3_0964) == 0 { u32::MAX } else { get(0x3_0964) }),
            index_offset: get(0x3_0928),
        })
    }
}

/// What geometry waves get: of patches what the tessellator makes of them (VGT_TF_PARAM).
fn topology(number: u32, stages: u32, tessellation: u32) -> Result<Topology, Refusal> {
    if stages >> 2 & 1 == 0 {
        return Topology::of(number);
    }
    if number != 9 {
        return Err(Refusal::new(format!("VGT_PRIMITIVE_TYPE {number:#x}: a hull shader needs patches")));
    }
    Ok(match tessellation >> 5 & 7 {
        0 => Topology::Points,
        1 => Topology::Lines,
        _ => Topology::Triangles,
    })
}

/// VGT_SHADER_STAGES_EN: NGG with vertex and geometry shaders.
fn refuse_stages(stages: u32) -> Result<(), Refusal> {
    let refuse = |what: &str| Err(Refusal::new(format!("VGT_SHADER_STAGES_EN {stages:#x}: {what}")));
    if stages >> 13 & 1 == 0 {
        return refuse("only NGG is supported (PRIMGEN_EN)");
    }
    if stages >> 19 & 3 != 0 {
        return refuse("mesh shaders are not supported (GS_FAST_LAUNCH)");
    }
    let tessellates = match (stages & 7, stages >> 3 & 3) {
        (0, 2) => false,
        (5, 1) => true,
        _ => return refuse("expected a vertex shader (ES_EN 2), or one of each stage of tessellation (LS_EN 1, HS_EN, ES_EN 1)"),
    };
    // DYNAMIC_HS: outputs go off the chip, as they always do here.
    const HULL: u32 = 7 | 1 << 8;
    const ES: u32 = 3 << 3;
    const GS: u32 = 1 << 5;
    const PRIMGEN: u32 = 1 << 13;
    const ORDERED_ID_MODE: u32 = 1 << 14;
    const MAX_PRIMGRP_IN_WAVE: u32 = 15 << 15;
    const WAVE_SIZES: u32 = 7 << 21;
    const NGG_WAVE_ID: u32 = 1 << 24;
    const PASSTHROUGH: u32 = 3 << 25;
    check_bits(
        "VGT_SHADER_STAGES_EN",
        stages,
        if tessellates { HULL } else { 0 }
            | ES
            | GS
            | PRIMGEN
            | ORDERED_ID_MODE
            | MAX_PRIMGRP_IN_WAVE
            | WAVE_SIZES
            | NGG_WAVE_ID
            | PASSTHROUGH,
    )
}

/// SPI_SHADER_POS_FORMAT and PA_CL_VS_OUT_CNTL.
fn positions(formats: u32, outputs: u32) -> Result<PositionExports, Refusal> {
    let bit = |n: u32| outputs >> n & 1 != 0;
    const LAYER: u32 = 0x1fff;
    const VIEWPORT: u32 = 0xf << 16;
    for i in 0..5 {
        let format = formats >> (4 * i) & 15;
        if !matches!(format, 0 | 4) {
            return Err(Refusal::new(format!("SPI_SHADER_POS_FORMAT: format {format} of position {i} is not supported")));
        }
    }
    if bit(17) {
        return Err(Refusal::new("PA_CL_VS_OUT_CNTL: USE_VTX_EDGE_FLAG is not supported"));
    }
    if bit(20) {
        return Err(Refusal::new("PA_CL_VS_OUT_CNTL: USE_VTX_KILL_FLAG is not supported"));
    }
    Ok(PositionExports {
        count: (0..5).filter(|i| formats >> (4 * i) & 15 != 0).count() as u8,
        misc: bit(21),
        distances: [bit(22), bit(23)],
        point_size: bit(16),
        misc_mask: if bit(18) { LAYER } else { 0 } | if bit(19) { VIEWPORT } else { 0 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The state at a draw of a textured triangle, as Mesa's driver writes it.
    fn triangle() -> RegisterFile {
        let mut file = RegisterFile::new();
        let writes = [
            (0xb320, 0x590),
            (0xb324, 0x20),
            (0xb220, 0x16000),
            (0xb224, 0x2001),
            (0xb228, 0x022c_0002),
            (0xb22c, 0x0008_0008),
            (0xb230, 0x000c_101c),
            (0xb238, 0x3f74_90ef),
            (0x2_8b54, 0x0601_2010),
            (0x3_096c, 0x1f81_0080),
            (0x3_0998, 2),
            (0x3_0908, 4),
            (0x2_8708, 1),
            (0x2_870c, 4),
            (0x3_1118, 0x2000_0020),
            (0x3_111c, 0x3_0015),
        ];
        writes.iter().for_each(|(address, value)| file.write(address / 4, *value).unwrap());
        file
    }

    #[test]
    fn fields_are_where_the_register_list_says() {
        let state = GeometryState::of(&triangle()).unwrap();
        assert_eq!(state.entry, 0x2000_0005_9000);
        assert_eq!(state.first_sgprs, [0x16000, 0x2001]);
        assert_eq!(state.user_data, [0x000c_101c, 0, 0x3f74_90ef, 0]);
        assert_eq!((state.wave_size, state.is_passthrough, state.topology), (64, true, Topology::Triangles));
        assert_eq!((state.group_primitives, state.group_vertices), (128, 128));
        assert_eq!((state.params, state.ring), (1, (0x2000_0020_0000, 22 << 16)));
        assert_eq!((state.lds_bytes, state.wave_scratch_bytes, state.instances, state.restart), (512, 0, 1, None));
    }

    #[test]
    fn what_is_not_supported_is_named() {
        for (address, value, text) in [
            (0x2_8b54, 0x0601_2017, "LS_EN"),
            (0x2_8b54, 0x0008_2010, "mesh"),
            (0x2_8b54, 0x10, "NGG"),
            (0x3_0908, 9, "patches"),
            (0x3_0908, 0x15, "VGT_PRIMITIVE_TYPE 0x15"),
        ] {
            let mut file = triangle();
            file.write(address / 4, value).unwrap();
            let message = GeometryState::of(&file).unwrap_err().to_string();
            assert!(message.contains(text), "{message}");
        }
    }
}
