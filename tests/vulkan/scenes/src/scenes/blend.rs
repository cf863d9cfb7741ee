//! What becomes of colors: blending, logic operations, masks, formats.

use ash::vk;

use crate::failure::Failure;
use crate::format;
use crate::frame::Targets;
use crate::picture::Tolerance;
use crate::reference::{Fragment, Out, plain, plain_flat};
use crate::state::{Blend, State};
use crate::test::{Both, Test, Vertex};

use vk::Format as F;

const RGBA8: F = F::R8G8B8A8_UNORM;

const FACTORS: [vk::BlendFactor; 15] = [
    vk::BlendFactor::ZERO,
    vk::BlendFactor::ONE,
    vk::BlendFactor::SRC_COLOR,
    vk::BlendFactor::ONE_MINUS_SRC_COLOR,
    vk::BlendFactor::DST_COLOR,
    vk::BlendFactor::ONE_MINUS_DST_COLOR,
    vk::BlendFactor::SRC_ALPHA,
    vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
    vk::BlendFactor::DST_ALPHA,
    vk::BlendFactor::ONE_MINUS_DST_ALPHA,
    vk::BlendFactor::CONSTANT_COLOR,
    vk::BlendFactor::ONE_MINUS_CONSTANT_COLOR,
    vk::BlendFactor::CONSTANT_ALPHA,
    vk::BlendFactor::ONE_MINUS_CONSTANT_ALPHA,
    vk::BlendFactor::SRC_ALPHA_SATURATE,
];
const OPERATIONS: [vk::BlendOp; 5] =
    [vk::BlendOp::ADD, vk::BlendOp::SUBTRACT, vk::BlendOp::REVERSE_SUBTRACT, vk::BlendOp::MIN, vk::BlendOp::MAX];

/// Four colors for what is drawn first, and four for what comes over it, in fifteenths.
const UNDER: [[f32; 4]; 4] = [[0.0, 0.2, 0.8, 1.0], [1.0, 0.4, 0.6, 0.2], [0.6, 1.0, 0.2, 0.0], [0.2, 0.8, 0.4, 0.6]];
const OVER: [[f32; 4]; 4] = [[1.0, 0.6, 0.2, 0.4], [0.2, 0.4, 0.8, 1.0], [0.8, 0.0, 1.0, 0.0], [0.4, 0.2, 0.6, 0.8]];

/// A cell of the picture in 16 columns and 4 rows.
fn cell(test: &Test<'_>, column: usize, row: usize) -> [f32; 4] {
    let x = |i: usize| (i as f32 * test.size.0 as f32 / 16.0).round();
    let y = |i: usize| (i as f32 * test.size.1 as f32 / 4.0).round();
    [x(column), y(row), x(column + 1), y(row + 1)]
}

/// Rows of the first colors.
fn under(test: &Test<'_>) -> Vec<Vertex> {
    (0..4)
        .flat_map(|row| {
            let [_, y0, _, y1] = cell(test, 0, row);
            test.quad([0.0, y0, test.size.0 as f32, y1], 0.5, UNDER[row])
        })
        .collect()
}

/// Cells of a column, of the second colors.
fn over(test: &Test<'_>, column: usize) -> Vec<Vertex> {
    (0..4).flat_map(|row| test.quad(cell(test, column, row), 0.5, OVER[(row + column) % 4])).collect()
}

pub fn factors(test: &mut Test<'_>) -> Result<(), Failure> {
    for (number, op) in OPERATIONS.into_iter().enumerate() {
        let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]))?;
        both.draw(&State::flat(), &under(test), plain_flat)?;
        for (column, source) in FACTORS.into_iter().enumerate() {
            let destination = FACTORS[(column * 4 + number * 3 + 1) % 15];
            let state = State { blends: vec![Blend::both(source, destination, op)], constants: [0.2, 0.6, 0.8, 0.4], ..State::flat() };
            both.draw(&state, &over(test, column), plain_flat)?;
        }
        both.finish(test, &format!("{op:?}"))?;
    }
    Ok(())
}

pub fn separate(test: &mut Test<'_>) -> Result<(), Failure> {
    use vk::{BlendFactor as B, BlendOp as O};
    let cases = [
        ((B::SRC_ALPHA, B::ONE_MINUS_SRC_ALPHA, O::ADD), (B::ONE, B::ZERO, O::ADD)),
        ((B::ONE, B::ONE, O::ADD), (B::ZERO, B::ONE, O::ADD)),
        ((B::DST_COLOR, B::ZERO, O::ADD), (B::DST_ALPHA, B::CONSTANT_ALPHA, O::REVERSE_SUBTRACT)),
        ((B::SRC_ALPHA_SATURATE, B::ONE, O::ADD), (B::SRC_ALPHA_SATURATE, B::SRC_ALPHA, O::SUBTRACT)),
        ((B::CONSTANT_COLOR, B::ONE_MINUS_CONSTANT_COLOR, O::ADD), (B::CONSTANT_COLOR, B::ONE_MINUS_CONSTANT_COLOR, O::ADD)),
        ((B::ONE, B::ONE, O::MIN), (B::ONE, B::ONE, O::MAX)),
        ((B::DST_ALPHA, B::ONE_MINUS_DST_ALPHA, O::ADD), (B::ONE_MINUS_DST_ALPHA, B::ONE, O::ADD)),
    ];
    // The second format has no alpha: the destination's is 1.
    for format in [RGBA8, F::R5G6B5_UNORM_PACK16, F::R8G8_UNORM] {
        let mut both = Both::new(test, Targets::new(test.size, &[format]))?;
        both.draw(&State::flat(), &under(test), plain_flat)?;
        for (column, (color, alpha)) in cases.into_iter().enumerate() {
            let state = State { blends: vec![Blend { color, alpha, ..Blend::ADD }], constants: [0.8, 0.2, 0.4, 0.6], ..State::flat() };
            both.draw(&state, &over(test, 2 * column), plain_flat)?;
        }
        both.finish(test, &format!("{format:?}"))?;
    }
    Ok(())
}

pub fn dual(test: &mut Test<'_>) -> Result<(), Failure> {
    use vk::{BlendFactor as B, BlendOp as O};
    test.gpu.need_feature(test.gpu.features.dual_src_blend != 0, "dualSrcBlend")?;
    let fragment = "
        layout(location = 0) flat in vec4 c;
        layout(location = 0, index = 0) out vec4 o;
        layout(location = 0, index = 1) out vec4 p;
        void main() { o = c; p = vec4(c.gbr, float(int(gl_FragCoord.x) & 3) / 3.0); }";
    let cases = [
        (B::SRC1_COLOR, B::ONE_MINUS_SRC1_COLOR),
        (B::SRC1_ALPHA, B::ONE_MINUS_SRC1_ALPHA),
        (B::ONE, B::SRC1_COLOR),
        (B::ONE_MINUS_SRC1_ALPHA, B::SRC_ALPHA),
    ];
    let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]))?;
    both.draw(&State::flat(), &under(test), plain_flat)?;
    for (i, (source, destination)) in cases.into_iter().enumerate() {
        let blends = vec![Blend::both(source, destination, O::ADD)];
        let state = State { fragment: Some(fragment.to_owned()), blends, ..State::flat() };
        both.draw(&state, &over(test, 1 + 3 * i), |f| {
            let c = f.flat;
            Some(Out { second: [c[1], c[2], c[0], f64::from(f.x & 3) / 3.0], ..plain_flat(f)? })
        })?;
    }
    both.finish(test, "two sources")?;
    Ok(())
}

pub fn logic(test: &mut Test<'_>) -> Result<(), Failure> {
    test.gpu.need_feature(test.gpu.features.logic_op != 0, "logicOp")?;
    for format in [RGBA8, F::R8G8B8A8_UINT, F::R16G16_UINT] {
        let integer = format::layout(format).is_integer();
        let fragment = "
            layout(location = 0) flat in vec4 c;
            layout(location = 0) out uvec4 o;
            void main() { o = uvec4(c * 255.0 + 0.5); }";
        let base = if integer { State { fragment: Some(fragment.to_owned()), ..State::flat() } } else { State::flat() };
        let shade = |f: &Fragment| {
            let mut out = plain_flat(f)?;
            if integer {
                out.colors[0] = out.colors[0].map(|v| (v * 255.0).round());
            }
            Some(out)
        };
        let mut both = Both::new(test, Targets::new(test.size, &[format]))?;
        both.draw(&base, &under(test), shade)?;
        for column in 0..16 {
            let logic = Some(vk::LogicOp::from_raw(column));
            both.draw(&State { logic, ..base.clone() }, &over(test, column as usize), shade)?;
        }
        both.finish(test, &format!("{format:?}"))?;
    }
    Ok(())
}

pub fn targets(test: &mut Test<'_>) -> Result<(), Failure> {
    use vk::ColorComponentFlags as C;
    test.gpu.need_feature(test.gpu.features.independent_blend != 0, "independentBlend")?;
    let formats = [
        RGBA8,
        F::B8G8R8A8_UNORM,
        F::R16G16B16A16_SFLOAT,
        F::R8_UNORM,
        F::R32_UINT,
        F::R16G16_SNORM,
        F::A2B10G10R10_UNORM_PACK32,
        F::R32G32B32A32_SFLOAT,
    ];
    let masks = [C::RGBA, C::R | C::A, C::RGBA, C::R, C::RGBA, C::G, C::B | C::A, C::RGBA];
    let ons = [Some(Blend::OVER), None, Some(Blend::ADD), Some(Blend::OVER), None, None, Some(Blend::ADD), None];
    let outputs: String = (0..8).map(|i| format!("layout(location = {i}) out {} o{i};\n", if i == 4 { "uvec4" } else { "vec4" })).collect();
    let stores: String = (0..8)
        .map(|i| {
            if i == 4 { "o4 = uvec4(c * 255.0 + 0.5) + 7u; ".to_owned() } else { format!("o{i} = c * {:.4} + {:.4}; ", SCALE[i], SHIFT[i]) }
        })
        .collect();
    let fragment = format!("layout(location = 0) flat in vec4 c;\n{outputs}void main() {{ {stores} }}");
    let blends = (0..8).map(|i| Blend { mask: masks[i], ..ons[i].unwrap_or(Blend::OFF) }).collect();
    let state = State { fragment: Some(fragment), blends, ..State::flat() };
    let clear = (0..8).map(|i| if i == 4 { [9.0, 0.0, 0.0, 0.0] } else { [0.2, 0.4, 0.6, 0.8] }).collect();
    let mut both = Both::new(test, Targets { clear, ..Targets::new(test.size, &formats) })?;
    let shade = |f: &Fragment| {
        let c = [f.flat[0], f.flat[1], f.flat[2], f.flat[3]];
        Some(Out::many(
            (0..8).map(|i| if i == 4 { c.map(|v| (v * 255.0).round() + 7.0) } else { c.map(|v| v * SCALE[i] + SHIFT[i]) }).collect(),
        ))
    };
    both.draw(&state, &over(test, 3), shade)?;
    both.draw(&state, &test.quad([10.0, 7.0, 100.0, 55.0], 0.5, [0.4, 0.2, 1.0, 0.6]), shade)?;
    both.finish(test, "8 targets")?;
    Ok(())
}

const SCALE: [f64; 8] = [1.0, 0.5, 3.0, 0.8, 1.0, -1.0, 0.75, 100.0];
const SHIFT: [f64; 8] = [0.0, 0.25, -1.0, 0.1, 0.0, 0.25, 0.0, -5.0];

/// Formats that a device may draw to.
const FORMATS: [F; 42] = [
    F::R8_UNORM,
    F::R8_SNORM,
    F::R8_UINT,
    F::R8_SINT,
    F::R8G8_UNORM,
    F::R8G8_SNORM,
    F::R8G8_UINT,
    F::R8G8_SINT,
    F::R8G8B8A8_UNORM,
    F::R8G8B8A8_SNORM,
    F::R8G8B8A8_UINT,
    F::R8G8B8A8_SINT,
    F::R8G8B8A8_SRGB,
    F::B8G8R8A8_UNORM,
    F::B8G8R8A8_SRGB,
    F::A2B10G10R10_UNORM_PACK32,
    F::A2B10G10R10_UINT_PACK32,
    F::A2R10G10B10_UNORM_PACK32,
    F::R5G6B5_UNORM_PACK16,
    F::A1R5G5B5_UNORM_PACK16,
    F::R16_UNORM,
    F::R16_SNORM,
    F::R16_UINT,
    F::R16_SINT,
    F::R16_SFLOAT,
    F::R16G16_UNORM,
    F::R16G16_SNORM,
    F::R16G16_UINT,
    F::R16G16_SINT,
    F::R16G16_SFLOAT,
    F::R16G16B16A16_UNORM,
    F::R16G16B16A16_SNORM,
    F::R16G16B16A16_UINT,
    F::R16G16B16A16_SINT,
    F::R16G16B16A16_SFLOAT,
    F::R32_UINT,
    F::R32_SINT,
    F::R32_SFLOAT,
    F::R32G32_SFLOAT,
    F::R32G32B32A32_UINT,
    F::R32G32B32A32_SFLOAT,
    F::B10G11R11_UFLOAT_PACK32,
];

fn can(test: &Test<'_>, format: F, what: vk::FormatFeatureFlags) -> bool {
    // SAFETY: see the head of gpu.rs.
    let properties = unsafe { test.gpu.instance.get_physical_device_format_properties(test.gpu.physical, format) };
    properties.optimal_tiling_features.contains(what)
}

pub fn formats(test: &mut Test<'_>) -> Result<(), Failure> {
    for format in FORMATS {
        if !can(test, format, vk::FormatFeatureFlags::COLOR_ATTACHMENT) {
            continue;
        }
        let layout = format::layout(format);
        let (kind, expression) = match (layout.is_integer(), layout.is_signed()) {
            (true, true) => ("ivec4", "ivec4(round(c * 255.0)) - 127"),
            (true, false) => ("uvec4", "uvec4(round(c * 255.0))"),
            _ => ("vec4", "c * 1.5 - 0.25"),
        };
        let fragment = format!(
            "layout(location = 0) in vec4 c;
            layout(location = 0) out {kind} o;
            void main() {{ o = {expression}; }}"
        );
        let mut both = Both::new(test, Targets::new(test.size, &[format]))?;
        // Integers from flat colors, others from a gradient.
        let integer = layout.is_integer();
        let state = State { fragment: Some(if integer { fragment.replace(") in", ") flat in") } else { fragment }), ..State::default() };
        let state = if integer { State { vertex: State::flat().vertex, ..state } } else { state };
        let (w, h) = (test.size.0 as f32, test.size.1 as f32);
        let vertices = [
            test.at(1.0, 1.0, 0.5, [0.0, 1.0, 0.4, 0.2]),
            test.at(w - 2.0, 3.0, 0.5, [1.0, 0.0, 0.6, 0.8]),
            test.at(4.0, h - 2.0, 0.5, [0.2, 0.4, 1.0, 1.0]),
            test.at(w - 2.0, h - 2.0, 0.5, [0.6, 0.4, 0.2, 0.0]),
            test.at(w / 2.0, h - 2.0, 0.5, [0.0, 1.0, 0.4, 0.2]),
            test.at(w - 3.0, h / 2.0, 0.5, [1.0, 0.0, 0.6, 0.8]),
        ];
        both.draw(&state, &vertices, |f| {
            let mut out = if integer { plain_flat(f)? } else { plain(f)? };
            out.colors[0] = out.colors[0].map(|v| match (integer, layout.is_signed()) {
                (true, true) => (v * 255.0).round() - 127.0,
                (true, false) => (v * 255.0).round(),
                _ => v * 1.5 - 0.25,
            });
            Some(out)
        })?;
        let steps = match (integer, layout.channels[0].1) {
            (true, _) => 0,
            (_, 32) => 8,
            (_, 16) => 2,
            _ => 1,
        };
        let shot = both.frame.finish()?;
        test.compare_within(&format!("{format:?}"), &shot.colors[0], &both.reference.picture(0), Tolerance { steps, pixels: 0 })?;
    }
    Ok(())
}

pub fn precision(test: &mut Test<'_>) -> Result<(), Failure> {
    use vk::{BlendFactor as B, BlendOp as O};
    let formats = [
        F::R16G16B16A16_SFLOAT,
        F::B10G11R11_UFLOAT_PACK32,
        F::A2B10G10R10_UNORM_PACK32,
        F::R8G8B8A8_SRGB,
        F::R16_UNORM,
        F::R16G16B16A16_UNORM,
        F::R8G8B8A8_SNORM,
        F::R32G32B32A32_SFLOAT,
        F::R5G6B5_UNORM_PACK16,
    ];
    let cases = [
        (B::SRC_ALPHA, B::ONE_MINUS_SRC_ALPHA, O::ADD),
        (B::ONE, B::ONE, O::ADD),
        (B::DST_COLOR, B::ZERO, O::ADD),
        (B::ONE, B::ONE, O::REVERSE_SUBTRACT),
        (B::CONSTANT_COLOR, B::CONSTANT_ALPHA, O::ADD),
        (B::ONE, B::ONE, O::MAX),
    ];
    for format in formats {
        if !can(test, format, vk::FormatFeatureFlags::COLOR_ATTACHMENT_BLEND) {
            continue;
        }
        let mut both = Both::new(test, Targets::new(test.size, &[format]))?;
        both.draw(&State::flat(), &under(test), plain_flat)?;
        for (column, (source, destination, op)) in cases.into_iter().enumerate() {
            let state = State { blends: vec![Blend::both(source, destination, op)], constants: [0.2, 0.6, 0.8, 0.4], ..State::flat() };
            both.draw(&state, &over(test, 2 * column), plain_flat)?;
        }
        // Steps that rounding of the products in f32, or truncation, makes.
        let steps = match format {
            F::R32G32B32A32_SFLOAT => 8,
            F::R16_UNORM | F::R16G16B16A16_UNORM => 2,
            _ => 1,
        };
        let shot = both.frame.finish()?;
        test.compare_within(&format!("{format:?}"), &shot.colors[0], &both.reference.picture(0), Tolerance { steps, pixels: 0 })?;
    }
    Ok(())
}

pub fn integers(test: &mut Test<'_>) -> Result<(), Failure> {
    // Values beyond a format's range keep their low bits, or are clamped: the specification leaves it open. Within it they are exact.
    for format in
        [F::R8_UINT, F::R8G8B8A8_SINT, F::R16G16_SINT, F::R16G16B16A16_UINT, F::R32_SINT, F::R32G32B32A32_UINT, F::A2B10G10R10_UINT_PACK32]
    {
        let layout = format::layout(format);
        let bits = layout.channels[0].1.min(24);
        let signed = layout.is_signed();
        let limit = (1u64 << (bits - u32::from(signed))) as f64;
        let kind = if signed { "ivec4" } else { "uvec4" };
        // Alpha has bits of its own in one format.
        let alpha = (1u64 << (layout.channels[3].1.clamp(1, 24) - u32::from(signed))) as f64;
        let fragment = format!(
            "layout(location = 0) flat in vec4 c;
            layout(location = 0) out {kind} o;
            void main() {{ ivec2 p = ivec2(gl_FragCoord.xy); o = {kind}((p.x * 3 + p.y * 5) % {l}, {s}(p.y * 3 % {l}), (p.x ^ p.y) % {l}, p.x % {a}){m}; }}",
            l = limit,
            s = if signed { "-" } else { "" },
            a = alpha,
            m = if signed { " - ivec4(0, 0, 5, 0)" } else { "" },
        );
        let mut both = Both::new(test, Targets::new(test.size, &[format]))?;
        let state = State { fragment: Some(fragment), ..State::flat() };
        both.draw(&state, &test.quad([2.0, 1.0, test.size.0 as f32 - 3.0, test.size.1 as f32 - 2.0], 0.5, [1.0; 4]), |f| {
            let (x, y) = (f64::from(f.x), f64::from(f.y));
            let blue = f64::from(f.x ^ f.y) % limit - if signed { 5.0 } else { 0.0 };
            Some(Out::new([(x * 3.0 + y * 5.0) % limit, (y * 3.0) % limit * if signed { -1.0 } else { 1.0 }, blue, x % alpha]))
        })?;
        both.finish(test, &format!("{format:?}"))?;
    }
    Ok(())
}
