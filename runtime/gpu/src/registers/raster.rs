//! What the registers of clipping, setup and scan conversion say. Reference: Mesa, `src/amd/registers/gfx11.json` (PA_CL_*, PA_SU_*, PA_SC_*).

use super::RegisterFile;
use crate::error::Refusal;

/// Viewports and their scissors.
pub const VIEWPORTS: usize = 16;

/// Pixels from the first corner up to, and without, the second.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)] // the sides are the names
pub struct Rect {
    pub x0: i32,
    pub y0: i32,
    pub x1: i32,
    pub y1: i32,
}

impl Rect {
    /// What is in both.
    #[must_use]
    pub fn and(self, other: Rect) -> Rect {
        Rect { x0: self.x0.max(other.x0), y0: self.y0.max(other.y0), x1: self.x1.min(other.x1), y1: self.y1.min(other.y1) }
    }

    /// The smallest rectangle around both.
    #[must_use]
    pub fn around(self, other: Rect) -> Rect {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        Rect { x0: self.x0.min(other.x0), y0: self.y0.min(other.y0), x1: self.x1.max(other.x1), y1: self.y1.max(other.y1) }
    }

    /// Is no pixel in it?
    pub fn is_empty(&self) -> bool {
        self.x0 >= self.x1 || self.y0 >= self.y1
    }
}

/// A viewport.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Viewport {
    /// XSCALE, YSCALE, ZSCALE.
    pub scale: [f32; 3],
    /// XOFFSET, YOFFSET, ZOFFSET.
    pub offset: [f32; 3],
    /// Depths are clamped to this range.
    pub depth: [f32; 2],
    /// Pixels that may be drawn to, by all rectangular scissors.
    pub scissor: Rect,
}

/// What becomes of triangles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // what is drawn are the names
pub enum Fill {
    Points,
    Lines,
    Solid,
}

/// Which pixels along a line are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stipple {
    /// LINE_PATTERN.
    pub pattern: u16,
    /// Pixels for each bit of the pattern.
    pub factor: u32,
    /// Pixels are counted from the start of each line, not of each strip.
    pub resets_each_line: bool,
}

impl Stipple {
    /// Is the pixel of this number along the line drawn?
    pub fn lights(&self, number: i64) -> bool {
        self.pattern >> ((number / i64::from(self.factor)) & 15) & 1 != 0
    }
}

/// Depth bias of one face.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Bias {
    /// Times the largest slope; already divided by 16.
    pub slope: f32,
    /// Times the smallest step of depths.
    pub constant: f32,
}

/// Everything between positions and coverage.
#[derive(Clone, PartialEq, Debug)]
pub struct RasterState {
    /// Is everything dropped after the geometry stage?
    pub discards: bool,
    /// Is the near plane at 0, and not at -w?
    pub near_is_zero: bool,
    /// Are near and far planes clipped at?
    pub clips_depth: [bool; 2],
    /// Is nothing clipped at all?
    pub clip_disabled: bool,
    /// Clip distances that count, one bit each.
    pub clip_distances: u8,
    /// Cull distances that count, one bit each.
    pub cull_distances: u8,
    /// Do vertices bring a point size, a layer, a viewport?
    pub vertex_has: VertexHas,
    /// Factors of w at which x and y are clipped.
    pub guard_clip: [f32; 2],
    /// Factors of w beyond which what is all outside is dropped.
    pub guard_discard: [f32; 2],
    /// By number.
    pub viewports: [Viewport; VIEWPORTS],
    /// Are front faces, back faces dropped?
    pub culls: [bool; 2],
    /// Are clockwise faces the front ones?
    pub front_is_clockwise: bool,
    /// What becomes of front and back faces.
    pub fill: [Fill; 2],
    /// Of front faces, back faces, points and lines: have they a depth bias?
    pub bias_enabled: [bool; 3],
    /// Of front and back faces.
    pub bias: [Bias; 2],
    /// Limit of the bias; 0: none.
    pub bias_clamp: f32,
    /// Bits of depths for the unit of the bias, negative; floats have them below their exponent.
    pub bias_bits: i32,
    /// Are depths floats, for the unit of the bias?
    pub bias_is_float: bool,
    /// Is the last corner the provoking one?
    pub provoking_is_last: bool,
    /// Width and height of points without a size of their own, in pixels.
    pub point_size: [f32; 2],
    /// Least and largest size of points, in pixels.
    pub point_limits: [f32; 2],
    /// Width of lines in pixels.
    pub line_width: f32,
    /// Have lines ends at right angles to them?
    pub lines_are_rectangles: bool,
    /// `None`: lines are drawn whole.
    pub stipple: Option<Stipple>,
    /// Which pixels the four rectangles let pass.
    pub clip_rule: u32,
    /// The four rectangles.
    pub clip_rects: [Rect; 4],
    /// Samples of a pixel: 1, 2, 4 or 8.
    pub samples: u32,
    /// Places of samples from the center in 1/16 pixel, by pixel of a quad.
    pub sample_places: [[[i32; 2]; 8]; 4],
    /// Samples from the first to look at for a centroid on.
    pub centroid_order: [u8; 8],
    /// Samples that may be covered, by pixel of a quad.
    pub sample_mask: [u32; 4],
    /// Does every sample have a wave's lane of its own?
    pub shades_samples: bool,
}

/// What pos exports after the first hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)] // what vertices have are the names
pub struct VertexHas {
    pub point_size: bool,
    pub layer: bool,
    pub viewport: bool,
}

/// PA_SC_LINE_STIPPLE.
fn stipple(registers: &RegisterFile, samples: u32) -> Result<Stipple, Refusal> {
    let word = checked(registers, 0x2_8a0c, "PA_SC_LINE_STIPPLE", 0x60ff_ffff)?;
    // RADV says 1 for lists of lines and 2 for strips.
    let resets_each_line = match word >> 29 & 3 {
        1 => true,
        2 => false,
        other => return Err(Refusal::new(format!("PA_SC_LINE_STIPPLE: AUTO_RESET_CNTL {other} is not supported"))),
    };
    if samples > 1 || registers.get(0x2_8bdc) >> 11 & 1 != 0 {
        return Err(Refusal::new("PA_SC_MODE_CNTL_0: LINE_STIPPLE_ENABLE of lines that are rectangles is not supported"));
    }
    Ok(Stipple { pattern: word as u16, factor: (word >> 16 & 0xff) + 1, resets_each_line })
}

/// The word of a register, if no bit outside of those understood is set.
pub(super) fn checked(registers: &RegisterFile, address: u32, name: &str, understood: u32) -> Result<u32, Refusal> {
    let value = registers.get(address);
    let odd = value & !understood;
    if odd == 0 { Ok(value) } else { Err(Refusal::new(format!("{name}: bits {odd:#x} of {value:#x} are not supported"))) }
}

impl RasterState {
    /// Reads the registers.
    pub fn of(registers: &RegisterFile) -> Result<RasterState, Refusal> {
        let get = |address| registers.get(address);
        let float = |address| f32::from_bits(registers.get(address));
        // User planes, programmable near plane and DX_LINEAR_ATTR_CLIP_ENA: the first two are not supported, the last is how it is done.
        let clip = checked(registers, 0x2_8810, "PA_CL_CLIP_CNTL", 0x0f7f_0000 & !(1 << 17))?;
        checked(registers, 0x2_8818, "PA_CL_VTE_CNTL", 0x43f | 1 << 11)?;
        if get(0x2_8818) & 0x43f != 0x43f {
            return Err(Refusal::new(format!("PA_CL_VTE_CNTL: {:#x}: expected all viewport terms", get(0x2_8818))));
        }
        let outputs = checked(registers, 0x2_881c, "PA_CL_VS_OUT_CNTL", 0xffff | 1 << 16 | 1 << 18 | 1 << 19 | 0x1f << 21 | 3 << 29)?;
        let setup = checked(registers, 0x2_8814, "PA_SU_SC_MODE_CNTL", 0x1f_ffff & !(1 << 20) | 0xf << 21)?;
        let modes = checked(registers, 0x2_8a48, "PA_SC_MODE_CNTL_0", 0xff)?;
        let vertex = checked(registers, 0x2_8be4, "PA_SU_VTX_CNTL", 0x3f)?;
        if vertex >> 3 != 5 && vertex != 5 {
            return Err(Refusal::new(format!("PA_SU_VTX_CNTL: {vertex:#x}: expected steps of 1/256 pixel")));
        }
        let conservative = get(0x2_8c4c);
        if conservative & (1 | 1 << 5) != 0 {
            return Err(Refusal::new("PA_SC_CONSERVATIVE_RASTERIZATION_CNTL: conservative rasterization is not supported"));
        }
        if get(0x2_8840) & 0xff != 0 {
            return Err(Refusal::new("PA_STEREO_CNTL: stereo is not supported"));
        }
        let offset = [get(0x2_8200) as u16 as i16, (get(0x2_8200) >> 16) as u16 as i16].map(i32::from);
        let window = |tl: u32, bits: u32| {
            let (tl_word, br) = (get(tl), get(tl + 4));
            let shift = if tl_word >> 31 != 0 { [0; 2] } else { offset };
            let part = |word: u32, n: u32| (word >> (16 * n) & bits) as i32;
            Rect {
                x0: part(tl_word, 0) + shift[0],
                y0: part(tl_word, 1) + shift[1],
                x1: part(br, 0) + shift[0],
                y1: part(br, 1) + shift[1],
            }
        };
        let plain = |tl: u32| {
            let part = |word: u32, n: u32| (word >> (16 * n) & 0xffff) as i32;
            Rect { x0: part(get(tl), 0), y0: part(get(tl), 1), x1: part(get(tl + 4), 0), y1: part(get(tl + 4), 1) }
        };
        let all = plain(0x2_8030).and(window(0x2_8204, 0x7fff)).and(window(0x2_8240, 0x7fff));
        let viewport = |n: usize| {
            let at = 0x2_843c + 24 * n as u32;
            let scissor = if modes >> 1 & 1 != 0 { all.and(window(0x2_8250 + 8 * n as u32, 0x7fff)) } else { all };
            Viewport {
                scale: [0, 8, 16].map(|d| float(at + d)),
                offset: [4, 12, 20].map(|d| float(at + d)),
                depth: if get(0x2_800c) >> 16 & 1 != 0 {
                    [f32::NEG_INFINITY, f32::INFINITY]
                } else {
                    [float(0x2_82d0 + 8 * n as u32), float(0x2_82d4 + 8 * n as u32)]
                },
                scissor,
            }
        };
        let fill = |code: u32| match (setup >> 3 & 3, code & 7) {
            (0, _) | (_, 2) => Ok(Fill::Solid),
            (_, 0) => Ok(Fill::Points),
            (_, 1) => Ok(Fill::Lines),
            (_, other) => Err(Refusal::new(format!("PA_SU_SC_MODE_CNTL: polygons drawn as {other} are not known"))),
        };
        let bias_format = get(0x2_8b78);
        let [sizes, limits] = [get(0x2_8a00), get(0x2_8a04)].map(|word| [word & 0xffff, word >> 16].map(|n| n as f32 / 8.0));
        let antialias = get(0x2_8be0);
        let samples = if modes & 1 != 0 { 1 << (antialias & 7) } else { 1 };
        if samples > 8 {
            return Err(Refusal::new(format!("PA_SC_AA_CONFIG: {samples} samples are not supported")));
        }
        let mut sample_places = [[[0; 2]; 8]; 4];
        for (pixel, places) in sample_places.iter_mut().enumerate() {
            for (s, place) in places.iter_mut().enumerate().take(if samples > 1 { samples as usize } else { 0 }) {
                let word = get(0x2_8bf8 + 16 * pixel as u32 + 4 * (s as u32 / 4)) >> (8 * (s % 4));
                *place = [word & 15, word >> 4 & 15].map(|n| (n as i32) << 28 >> 28);
            }
        }
        let masks = [get(0x2_8c38), get(0x2_8c3c)];
        let priority = u64::from(get(0x2_8bd4)) | u64::from(get(0x2_8bd8)) << 32;
        let line_control = checked(registers, 0x2_8bdc, "PA_SC_LINE_CNTL", 0x3e00 & !(1 << 10))?;
        let stipple = if modes >> 2 & 1 != 0 { Some(stipple(registers, samples)?) } else { None };
        Ok(RasterState {
            discards: clip >> 22 & 1 != 0,
            near_is_zero: clip >> 19 & 1 != 0,
            clips_depth: [clip >> 26 & 1 == 0, clip >> 27 & 1 == 0],
            clip_disabled: clip >> 16 & 1 != 0,
            clip_distances: outputs as u8,
            cull_distances: (outputs >> 8) as u8,
            vertex_has: VertexHas { point_size: outputs >> 16 & 1 != 0, layer: outputs >> 18 & 1 != 0, viewport: outputs >> 19 & 1 != 0 },
            guard_clip: [float(0x2_8bf0), float(0x2_8be8)],
            guard_discard: [float(0x2_8bf4), float(0x2_8bec)],
            viewports: std::array::from_fn(viewport),
            culls: [setup & 1 != 0, setup >> 1 & 1 != 0],
            front_is_clockwise: setup >> 2 & 1 != 0,
            fill: [fill(setup >> 5)?, fill(setup >> 8)?],
            bias_enabled: [11, 12, 13].map(|bit| setup >> bit & 1 != 0),
            bias: [0x2_8b80, 0x2_8b88].map(|at| Bias { slope: float(at) / 16.0, constant: float(at + 4) }),
            bias_clamp: float(0x2_8b7c),
            bias_bits: i32::from(bias_format as u8 as i8),
            bias_is_float: bias_format >> 8 & 1 != 0,
            provoking_is_last: setup >> 19 & 1 != 0,
            point_size: [sizes[1], sizes[0]],
            point_limits: limits,
            line_width: (get(0x2_8a08) & 0xffff) as f32 / 8.0,
            lines_are_rectangles: line_control >> 11 & 1 != 0,
            stipple,
            clip_rule: get(0x2_820c) & 0xffff,
            clip_rects: [0, 1, 2, 3].map(|n| plain(0x2_8210 + 8 * n)),
            samples,
            sample_places,
            centroid_order: std::array::from_fn(|n| (priority >> (4 * n) & 7) as u8),
            sample_mask: [masks[0] & 0xffff, masks[0] >> 16, masks[1] & 0xffff, masks[1] >> 16],
            shades_samples: get(0x2_8a4c) >> 16 & 1 != 0,
        })
    }

    /// Do the four rectangles let this pixel pass?
    pub fn passes_clip_rects(&self, x: i32, y: i32) -> bool {
        let inside = |r: &Rect| r.x0 <= x && x < r.x1 && r.y0 <= y && y < r.y1;
        let which = self.clip_rects.iter().enumerate().fold(0, |mask, (n, r)| mask | u32::from(inside(r)) << n);
        self.clip_rule >> which & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(writes: &[(u32, u32)]) -> Result<RasterState, Refusal> {
        let mut file = RegisterFile::new();
        file.write(0x2_8818 / 4, 0x43f).unwrap();
        writes.iter().for_each(|(address, value)| file.write(address / 4, *value).unwrap());
        RasterState::of(&file)
    }

    // graphics.md 3.11, a recorded draw into 128 x 128 pixels; 3.7, the scissors that nobody wrote.
    #[test]
    fn a_recorded_draw_reads_as_it_was_meant() {
        let half = 64.0f32.to_bits();
        let state = with(&[
            (0x2_843c, half),
            (0x2_8440, half),
            (0x2_8444, half),
            (0x2_8448, half),
            (0x2_844c, 1.0f32.to_bits()),
            (0x2_8810, 0x0108_0000),
            (0x2_8814, 0x240),
            (0x2_8be4, 0x2d),
            (0x2_8be8, 0x43ff_7e00),
            (0x2_8bf0, 0x43ff_7e00),
            (0x2_8208, 128 << 16 | 128),
            (0x2_8254, 100 << 16 | 128),
            (0x2_8a48, 0x22),
            (0x2_8a00, 8 << 16 | 8),
            (0x2_8a08, 8),
        ])
        .unwrap();
        let viewport = state.viewports[0];
        assert_eq!((viewport.scale, viewport.offset), ([64.0, 64.0, 1.0], [64.0, 64.0, 0.0]));
        assert_eq!(viewport.scissor, Rect { x0: 0, y0: 0, x1: 128, y1: 100 });
        assert!(state.near_is_zero && state.clips_depth == [true, true] && !state.discards);
        assert_eq!(state.guard_clip, [(32767.0 - 64.0) / 64.0; 2]);
        assert_eq!((state.point_size, state.line_width, state.samples), ([1.0, 1.0], 1.0, 1));
    }

    // graphics.md 5.8: positions of four samples as RADV writes them.
    #[test]
    fn samples_are_signed_sixteenths_from_the_center() {
        let nibbles = |p: [i32; 2]| (p[0] as u32 & 15) | (p[1] as u32 & 15) << 4;
        let places = [[-2, -6], [6, -2], [-6, 2], [2, 6]];
        let word = places.iter().enumerate().fold(0, |w, (n, p)| w | nibbles(*p) << (8 * n));
        let state = with(&[(0x2_8a48, 1), (0x2_8be0, 2), (0x2_8bf8, word)]).unwrap();
        assert_eq!(state.samples, 4);
        assert_eq!(state.sample_places[0][..4], places);
    }

    // Vulkan specification, "Line Stipple": bit floor(s / r) mod 16 of the pattern.
    #[test]
    fn stipples_repeat_each_bit() {
        let state = with(&[(0x2_8a48, 4), (0x2_8a0c, 2 << 29 | 2 << 16 | 0x8005)]).unwrap();
        let stipple = state.stipple.unwrap();
        assert_eq!(stipple, Stipple { pattern: 0x8005, factor: 3, resets_each_line: false });
        let lit: Vec<i64> = (0..54).filter(|n| stipple.lights(*n)).collect();
        assert_eq!(lit, [0, 1, 2, 6, 7, 8, 45, 46, 47, 48, 49, 50]);
    }

    // graphics.md 5.5: bit k of the rule stands for being inside exactly the rectangles of mask k.
    #[test]
    fn rectangles_let_pass_what_the_rule_says() {
        let state = with(&[(0x2_820c, 1 << 1), (0x2_8210, 2 << 16 | 2), (0x2_8214, 4 << 16 | 4)]).unwrap();
        let state = RasterState { clip_rects: [state.clip_rects[0], Rect::default(), Rect::default(), Rect::default()], ..state };
        assert!(state.passes_clip_rects(2, 3) && !state.passes_clip_rects(4, 3) && !state.passes_clip_rects(0, 0));
    }

    #[test]
    fn what_is_not_supported_is_named() {
        let message = |writes: &[(u32, u32)]| with(writes).unwrap_err().to_string();
        assert!(message(&[(0x2_8a48, 1 << 8)]).starts_with("PA_SC_MODE_CNTL_0"));
        assert!(message(&[(0x2_8a48, 4)]).starts_with("PA_SC_LINE_STIPPLE: AUTO_RESET_CNTL 0"));
        assert!(message(&[(0x2_8a48, 4), (0x2_8a0c, 1 << 29 | 1 << 28)]).starts_with("PA_SC_LINE_STIPPLE"));
        assert!(message(&[(0x2_8a48, 5), (0x2_8a0c, 1 << 29), (0x2_8be0, 2)]).starts_with("PA_SC_MODE_CNTL_0"));
        assert!(message(&[(0x2_8810, 1)]).starts_with("PA_CL_CLIP_CNTL"));
        assert!(message(&[(0x2_8c4c, 1)]).starts_with("PA_SC_CONSERVATIVE_RASTERIZATION_CNTL"));
    }
}
