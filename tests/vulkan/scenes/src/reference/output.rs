//! What becomes of a fragment: the shader, depth and stencil tests, blending, stores.

use ash::vk;

use super::{Fragment, Out, Reference};
use crate::format::{Kind, Layout};
use crate::state::{Blend, State};

impl Reference {
    /// A depth as the format keeps it.
    pub(super) fn round_depth(&self, z: f64) -> f64 {
        match self.depth_format {
            vk::Format::D16_UNORM | vk::Format::D16_UNORM_S8_UINT => (z.clamp(0.0, 1.0) * 65535.0).round() / 65535.0,
            _ => f64::from(z as f32),
        }
    }

    /// Shades a fragment and stores it to the samples that pass. `depths`: the depth of each sample.
    pub(super) fn fragment(
        &mut self,
        state: &State,
        fragment: &Fragment,
        depths: &[f64],
        shader: &mut dyn FnMut(&Fragment) -> Option<Out>,
    ) {
        let samples = self.samples as usize;
        let first = self.pixel(fragment.x, fragment.y, fragment.layer) * samples;
        let mut passing = fragment.coverage;
        if state.early {
            passing = self.test(state, fragment, first, passing, depths, None);
            if passing == 0 {
                return;
            }
        }
        self.shaded += 1;
        let Some(out) = shader(fragment) else { return };
        passing &= out.mask;
        if !state.early {
            let own;
            let depths = match out.depth {
                Some(z) => {
                    own = vec![z; samples];
                    &own
                }
                None => depths,
            };
            passing = self.test(state, fragment, first, passing, depths, out.stencil);
        }
        for sample in (0..samples).filter(|s| passing >> s & 1 == 1) {
            self.passed += 1;
            for (target, layout) in self.layouts.iter().enumerate() {
                let Some(&color) = out.colors.get(target) else { continue };
                let code = &mut self.colors[target][first + sample];
                *code = store(state, target, layout, *code, color, out.second);
            }
        }
    }

    /// The samples that pass depth bounds, stencil and depth; writes depth and stencil.
    fn test(&mut self, state: &State, fragment: &Fragment, first: usize, coverage: u32, depths: &[f64], reference: Option<u8>) -> u32 {
        let mut passing = 0;
        for sample in (0..depths.len()).filter(|s| coverage >> s & 1 == 1) {
            let at = first + sample;
            if state.bounds.is_some_and(|[low, high]| !(f64::from(low)..=f64::from(high)).contains(&self.depth[at])) {
                continue;
            }
            let z = self.round_depth(depths[sample]);
            let near = state.depth.is_none_or(|d| compare(d.func, z, self.depth[at]));
            let mut passes = near;
            if let Some([front, back]) = &state.stencil {
                let face = if fragment.front { front } else { back };
                let value = reference.unwrap_or(face.reference as u8);
                let (mask, stored) = (face.compare_mask as u8, self.stencil[at]);
                let inside = compare(face.compare_op, f64::from(value & mask), f64::from(stored & mask));
                let op = match (inside, near) {
                    (false, _) => face.fail_op,
                    (true, false) => face.depth_fail_op,
                    (true, true) => face.pass_op,
                };
                let write = face.write_mask as u8;
                self.stencil[at] = stencil(op, stored, value) & write | stored & !write;
                passes &= inside;
            }
            if passes {
                passing |= 1 << sample;
                if state.depth.is_some_and(|d| d.write) {
                    self.depth[at] = z;
                }
            }
        }
        passing
    }
}

fn compare(op: vk::CompareOp, a: f64, b: f64) -> bool {
    use vk::CompareOp as C;
    match op {
        C::NEVER => false,
        C::LESS => a < b,
        C::EQUAL => a == b,
        C::LESS_OR_EQUAL => a <= b,
        C::GREATER => a > b,
        C::NOT_EQUAL => a != b,
        C::GREATER_OR_EQUAL => a >= b,
        _ => true,
    }
}

fn stencil(op: vk::StencilOp, stored: u8, reference: u8) -> u8 {
    use vk::StencilOp as S;
    match op {
        S::ZERO => 0,
        S::REPLACE => reference,
        S::INCREMENT_AND_CLAMP => stored.saturating_add(1),
        S::DECREMENT_AND_CLAMP => stored.saturating_sub(1),
        S::INVERT => !stored,
        S::INCREMENT_AND_WRAP => stored.wrapping_add(1),
        S::DECREMENT_AND_WRAP => stored.wrapping_sub(1),
        _ => stored,
    }
}

/// The code that a target holds after this color.
fn store(state: &State, target: usize, layout: &Layout, old: [i64; 4], color: [f64; 4], second: [f64; 4]) -> [i64; 4] {
    let blend = state.blend(target);
    let new = match state.logic {
        Some(op) if !matches!(layout.channels[0].2, Kind::Srgb | Kind::Float(..)) => {
            let code = layout.encode(color);
            std::array::from_fn(|i| logic(op, code[i], old[i]) & ((1i64 << layout.channels[i].1) - 1))
        }
        _ if blend.on && state.logic.is_none() && !layout.is_integer() => layout.encode(blended(state, &blend, layout, old, color, second)),
        _ => layout.encode(color),
    };
    let masks = [vk::ColorComponentFlags::R, vk::ColorComponentFlags::G, vk::ColorComponentFlags::B, vk::ColorComponentFlags::A];
    std::array::from_fn(|i| if blend.mask.contains(masks[i]) { new[i] } else { old[i] })
}

fn blended(state: &State, blend: &Blend, layout: &Layout, old: [i64; 4], color: [f64; 4], second: [f64; 4]) -> [f64; 4] {
    let clamp = |v: f64| match layout.channels[0].2 {
        Kind::Float(..) => v,
        Kind::Snorm => v.clamp(-1.0, 1.0),
        _ => v.clamp(0.0, 1.0),
    };
    let (s, t, d) = (color.map(clamp), second.map(clamp), layout.decode(old));
    let constant = state.constants.map(f64::from).map(clamp);
    let factor = |factor: vk::BlendFactor, i: usize| {
        use vk::BlendFactor as B;
        match factor {
            B::ZERO => 0.0,
            B::ONE => 1.0,
            B::SRC_COLOR => s[i],
            B::ONE_MINUS_SRC_COLOR => 1.0 - s[i],
            B::DST_COLOR => d[i],
            B::ONE_MINUS_DST_COLOR => 1.0 - d[i],
            B::SRC_ALPHA => s[3],
            B::ONE_MINUS_SRC_ALPHA => 1.0 - s[3],
            B::DST_ALPHA => d[3],
            B::ONE_MINUS_DST_ALPHA => 1.0 - d[3],
            B::CONSTANT_COLOR => constant[i],
            B::ONE_MINUS_CONSTANT_COLOR => 1.0 - constant[i],
            B::CONSTANT_ALPHA => constant[3],
            B::ONE_MINUS_CONSTANT_ALPHA => 1.0 - constant[3],
            B::SRC_ALPHA_SATURATE if i == 3 => 1.0,
            B::SRC_ALPHA_SATURATE => s[3].min(1.0 - d[3]),
            B::SRC1_COLOR => t[i],
            B::ONE_MINUS_SRC1_COLOR => 1.0 - t[i],
            B::SRC1_ALPHA => t[3],
            B::ONE_MINUS_SRC1_ALPHA => 1.0 - t[3],
            _ => panic!("blend factor {factor:?}"),
        }
    };
    std::array::from_fn(|i| {
        let (source, destination, op) = if i == 3 { blend.alpha } else { blend.color };
        let (a, b) = (s[i] * factor(source, i), d[i] * factor(destination, i));
        match op {
            vk::BlendOp::ADD => a + b,
            vk::BlendOp::SUBTRACT => a - b,
            vk::BlendOp::REVERSE_SUBTRACT => b - a,
            vk::BlendOp::MIN => s[i].min(d[i]),
            _ => s[i].max(d[i]),
        }
    })
}

fn logic(op: vk::LogicOp, s: i64, d: i64) -> i64 {
    use vk::LogicOp as L;
    match op {
        L::CLEAR => 0,
        L::AND => s & d,
        L::AND_REVERSE => s & !d,
        L::COPY => s,
        L::AND_INVERTED => !s & d,
        L::NO_OP => d,
        L::XOR => s ^ d,
        L::OR => s | d,
        L::NOR => !(s | d),
        L::EQUIVALENT => !(s ^ d),
        L::INVERT => !d,
        L::OR_REVERSE => s | !d,
        L::COPY_INVERTED => !s,
        L::OR_INVERTED => !s | d,
        L::NAND => !(s & d),
        _ => !0,
    }
}
