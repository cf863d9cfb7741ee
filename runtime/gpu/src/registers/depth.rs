//! What the registers of depth and stencil say. Reference: Mesa, `src/amd/registers/gfx11.json` (DB_*).

use super::RegisterFile;
use super::raster::checked;
use crate::error::Refusal;

/// How depths are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DepthFormat {
    /// 16 bits, from 0 to 1.
    Unorm16,
    /// A float.
    Float32,
}

/// A surface of depths or of stencil values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DepthPlane {
    /// Guest address.
    pub address: u64,
    /// Swizzle mode.
    pub mode: u8,
}

/// Stencil test and operations of one face.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // fields of DB_STENCIL_CONTROL and DB_STENCILREFMASK are the names
pub struct StencilFace {
    pub function: u32,
    pub fail: u32,
    pub depth_fail: u32,
    pub pass: u32,
    pub reference: u8,
    pub read_mask: u8,
    pub write_mask: u8,
    pub operand: u8,
}

/// When a draw tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TestOrder {
    /// Before the shader, which then has no say.
    Early,
    /// After the shader, with what it exports and the coverage it leaves.
    Late,
}

/// Everything about depth and stencil.
#[derive(Clone, PartialEq, Debug)]
pub struct DepthState {
    /// Where depths are, and how they are kept.
    pub depth: Option<(DepthPlane, DepthFormat)>,
    /// Where stencil values are.
    pub stencil: Option<DepthPlane>,
    /// Width and height of level 0.
    pub size: [u32; 2],
    /// Mip level, and all there are.
    pub level: u32,
    /// Mip levels.
    pub levels: u32,
    /// First and last layer.
    pub layers: [u32; 2],
    /// Samples of a pixel.
    pub samples: u32,
    /// Is depth tested?
    pub tests_depth: bool,
    /// Comparison of depths.
    pub function: u32,
    /// Are depths written that pass?
    pub writes_depth: bool,
    /// Range that depths in memory must be in.
    pub bounds: Option<[f32; 2]>,
    /// Front and back; none: no stencil test.
    pub faces: Option<[StencilFace; 2]>,
    /// Are stencil values only read?
    pub stencil_is_read_only: bool,
    /// Depth that clears write.
    pub clear_depth: Option<f32>,
    /// Stencil value that clears write.
    pub clear_stencil: Option<u8>,
    /// Before or after the shader.
    pub order: TestOrder,
    /// Does a shader's work without effect on depth and color still count?
    pub always_shades: bool,
    /// Does the shader kill pixels?
    pub kills: bool,
    /// Exported by the shader: depth, stencil, sample mask.
    pub exports: [bool; 3],
    /// Is alpha a part of coverage? Offsets of the four pixels of a quad.
    pub alpha_to_coverage: Option<[u8; 4]>,
    /// Log2 of how many samples are shaded.
    pub shaded_samples_log2: u32,
    /// Are samples that pass counted?
    pub counts_samples: bool,
}

impl DepthState {
    /// Reads the registers.
    pub fn of(registers: &RegisterFile) -> Result<DepthState, Refusal> {
        let get = |address| registers.get(address);
        let (z_info, s_info) = (get(0x2_8040), get(0x2_8044));
        if z_info >> 29 & 1 != 0 {
            return Err(Refusal::new("DB_Z_INFO: TILE_SURFACE_ENABLE: depth with HTILE is not supported"));
        }
        let plane = |info: u32, read: u32, what: &str| {
            let at = |low: u32, high: u32| u64::from(get(low)) << 8 | u64::from(get(high) & 0xff) << 40;
            let (from, to) = (at(read, read + 0x20), at(read + 8, read + 0x28));
            if from != to {
                return Err(Refusal::new(format!("DB_{what}_READ_BASE {from:#x} and WRITE_BASE {to:#x}: expected one surface")));
            }
            Ok(DepthPlane { address: from, mode: (info >> 4 & 31) as u8 })
        };
        let depth = match z_info & 3 {
            0 => None,
            1 => Some((plane(z_info, 0x2_8048, "Z")?, DepthFormat::Unorm16)),
            3 => Some((plane(z_info, 0x2_8048, "Z")?, DepthFormat::Float32)),
            _ => return Err(Refusal::new("DB_Z_INFO: depths of 24 bits are not supported")),
        };
        let stencil = if s_info & 1 != 0 { Some(plane(s_info, 0x2_804c, "STENCIL")?) } else { None };
        let render = get(0x2_8000);
        if render & (1 << 2 | 1 << 3) != 0 {
            return Err(Refusal::new("DB_RENDER_CONTROL: DEPTH_COPY and STENCIL_COPY are not supported"));
        }
        let view = get(0x2_8008);
        let control = checked(registers, 0x2_8800, "DB_DEPTH_CONTROL", 0x70_07ff)?;
        let shader = get(0x2_880c);
        if shader >> 16 & 1 != 0 {
            return Err(Refusal::new("DB_SHADER_CONTROL: PRIMITIVE_ORDERED_PIXEL_SHADER is not supported"));
        }
        let (reads_only, stencil_reads_only) = (view >> 24 & 1 != 0, view >> 25 & 1 != 0);
        let operations = get(0x2_842c);
        let face = |words: u32, function: u32, shift: u32| StencilFace {
            function: function & 7,
            fail: operations >> shift & 15,
            pass: operations >> (shift + 4) & 15,
            depth_fail: operations >> (shift + 8) & 15,
            reference: words as u8,
            read_mask: (words >> 8) as u8,
            write_mask: (words >> 16) as u8,
            operand: (words >> 24) as u8,
        };
        let front = face(get(0x2_8430), control >> 8, 0);
        let back = if control >> 7 & 1 != 0 { face(get(0x2_8434), control >> 20, 12) } else { front };
        let exports = [shader & 1 != 0, shader >> 1 & 1 != 0, shader >> 8 & 1 != 0];
        if shader >> 2 & 1 != 0 {
            return Err(Refusal::new("DB_SHADER_CONTROL: STENCIL_OP_VAL_EXPORT_ENABLE is not supported"));
        }
        let mask = get(0x2_8b70);
        let alpha = mask & 1 != 0 && shader >> 11 & 1 == 0;
        let kills = shader >> 6 & 1 != 0;
        let order = match shader {
            _ if shader >> 12 & 1 != 0 => TestOrder::Early,
            _ if exports != [false; 3] || kills || alpha => TestOrder::Late,
            _ => match shader >> 4 & 3 {
                1 | 3 => TestOrder::Early,
                _ => TestOrder::Late,
            },
        };
        let count = get(0x2_8004);
        let float = |address| f32::from_bits(get(address));
        let depth_size = get(0x2_801c);
        Ok(DepthState {
            size: [(depth_size & 0x3fff) + 1, (depth_size >> 16 & 0x3fff) + 1],
            level: view >> 26 & 15,
            levels: (z_info >> 16 & 15) + 1,
            layers: [view & 0x7ff | (view >> 11 & 3) << 11, view >> 13 & 0x7ff | (view >> 30 & 3) << 11],
            samples: 1 << (z_info >> 2 & 3),
            tests_depth: control >> 1 & 1 != 0 && depth.is_some(),
            function: control >> 4 & 7,
            writes_depth: control >> 1 & 3 == 3 && depth.is_some() && !reads_only,
            bounds: (control >> 3 & 1 != 0 && depth.is_some()).then(|| [float(0x2_8020), float(0x2_8024)]),
            faces: (control & 1 != 0 && stencil.is_some()).then_some([front, back]),
            stencil_is_read_only: stencil_reads_only,
            clear_depth: (render & 1 != 0).then(|| float(0x2_802c)),
            clear_stencil: (render >> 1 & 1 != 0).then(|| get(0x2_8028) as u8),
            order,
            always_shades: shader >> 9 & 3 != 0,
            kills,
            exports,
            alpha_to_coverage: alpha.then(|| [8, 10, 12, 14].map(|bit| (mask >> bit & 3) as u8)),
            shaded_samples_log2: get(0x2_8804) >> 4 & 7,
            counts_samples: count >> 8 & 15 != 0,
            depth,
            stencil,
        })
    }

    /// Does the draw look at, or change, depths or stencil values?
    pub fn is_used(&self) -> bool {
        let stencil = self.faces.is_some() || self.clear_stencil.is_some() && self.stencil.is_some();
        self.tests_depth || self.bounds.is_some() || stencil || self.clear_depth.is_some() && self.depth.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(writes: &[(u32, u32)]) -> Result<DepthState, Refusal> {
        let mut file = RegisterFile::new();
        writes.iter().for_each(|(address, value)| file.write(address / 4, *value).unwrap());
        DepthState::of(&file)
    }

    // graphics.md 3.11: depth of vkcube.
    #[test]
    fn a_recorded_depth_buffer_reads_as_it_was_meant() {
        let base = [(0x2_8048, 0x100), (0x2_8050, 0x100), (0x2_8068, 0x20), (0x2_8070, 0x20)];
        let rest = [(0x2_8040, 0x8010_0181), (0x2_8044, 0x2010_0000), (0x2_8800, 0x36), (0x2_880c, 0x10), (0x2_801c, 499 << 16 | 499)];
        let state = with(&[&base[..], &rest[..]].concat()).unwrap();
        let plane = DepthPlane { address: 0x2000_0001_0000, mode: 24 };
        assert_eq!(state.depth, Some((plane, DepthFormat::Unorm16)));
        assert_eq!((state.stencil, state.size, state.samples), (None, [500, 500], 1));
        assert!(state.tests_depth && state.writes_depth && state.function == 3 && state.order == TestOrder::Early);
    }

    // graphics.md 5.6, "order".
    #[test]
    fn the_order_of_tests_follows_what_shaders_do() {
        let order = |control: u32| with(&[(0x2_880c, control)]).unwrap().order;
        assert_eq!(order(1 << 4), TestOrder::Early);
        assert_eq!(order(1 << 4 | 1 << 6), TestOrder::Late, "KILL_ENABLE");
        assert_eq!(order(1 << 4 | 1 << 6 | 1 << 12), TestOrder::Early, "DEPTH_BEFORE_SHADER");
        assert_eq!(order(1 << 4 | 1), TestOrder::Late, "Z_EXPORT_ENABLE");
        assert_eq!(order(0), TestOrder::Late, "late Z");
    }

    #[test]
    fn metadata_is_refused_by_name() {
        assert!(with(&[(0x2_8040, 3 | 1 << 29)]).unwrap_err().to_string().contains("TILE_SURFACE_ENABLE"));
    }
}
