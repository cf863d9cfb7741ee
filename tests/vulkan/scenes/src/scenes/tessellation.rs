//! Tessellation. Colors and places are linear over a domain, so that a patch looks like its outline whatever triangles it is cut into.

use ash::vk;

use crate::failure::Failure;
use crate::frame::{Frame, Targets};
use crate::picture::Picture;
use crate::reference::{Reference, plain, plain_flat};
use crate::state::{PLAIN_VERTEX, State};
use crate::test::{Test, Vertex, corners};

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;

/// Patches side by side: 8 in a row.
const PATCHES: usize = 40;

/// A patch of four corners in the order u v: 00, 10, 11, 01; the last one is left away for triangles, whose corners are u = 1, v = 1, w = 1.
fn cell(test: &Test<'_>, i: usize) -> [Vertex; 4] {
    let (w, h) = ((test.size.0 / 8) as f32, (test.size.1 / 5) as f32);
    let (x, y) = ((i % 8) as f32 * w + 1.25, (i / 8) as f32 * h + 1.5);
    // As wide as high: the long side of a triangle is diagonal, and between the middles of pixels.
    let side = w.min(h).floor() - 2.0;
    let at = |u: f32, v: f32| test.at(x + u * side, y + v * side, 0.5, [u, v, (i % 8) as f32 / 7.0, 1.0]);
    [at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0), at(0.0, 1.0)]
}

/// Levels of its own for each patch; that of every eleventh is `drop`. Reads what other invocations wrote, behind a barrier.
fn control(points: usize, levels: &str) -> String {
    format!(
        "layout(vertices = {points}) out;
        layout(location = 0) in vec4 cs[];
        layout(location = 0) out vec4 c[];
        layout(location = 1) patch out vec4 corner;
        void main() {{
            gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
            c[gl_InvocationID] = cs[gl_InvocationID];
            barrier();
            int id = gl_PrimitiveID;
            if (gl_InvocationID == 0) {{
                corner = c[{points} - 1];
                {levels}
            }}
        }}"
    )
}

fn evaluation(layouts: &str, is_quad: bool) -> String {
    let mix = |of: &str| {
        if is_quad {
            format!(
                "mix(mix({}, {}, gl_TessCoord.x), mix({}, {}, gl_TessCoord.x), gl_TessCoord.y)",
                at(of, 0),
                at(of, 1),
                at(of, 3),
                at(of, 2)
            )
        } else {
            format!("gl_TessCoord.x * {} + gl_TessCoord.y * {} + gl_TessCoord.z * {}", at(of, 0), at(of, 1), at(of, 2))
        }
    };
    format!(
        "layout({layouts}) in;
        layout(location = 0) in vec4 cs[];
        layout(location = 1) patch in vec4 corner;
        layout(location = 0) out vec4 c;
        void main() {{ gl_Position = {}; c = {}; if (corner != cs[gl_PatchVerticesIn - 1]) c = vec4(0); }}",
        mix("gl_in[].gl_Position"),
        mix("cs[]")
    )
}

fn at(of: &str, i: usize) -> String {
    of.replace("[]", &format!("[{i}]"))
}

fn draw(test: &Test<'_>, targets: &Targets, state: &State, vertices: &[Vertex]) -> Result<Picture, Failure> {
    test.gpu.need_feature(test.gpu.features.tessellation_shader != 0, "tessellationShader")?;
    let mut frame = Frame::new(test.gpu, targets.clone())?;
    frame.draw(state, vertices)?;
    Ok(frame.finish()?.colors.swap_remove(0))
}

const LEVELS: [(&str, &str); 3] = [
    (
        "many",
        "for (int k = 0; k < 4; k++) gl_TessLevelOuter[k] = id % 11 == 5 ? 0.0 : 1.0 + float((id * 7 + k * 3) % 45) * 0.375;
              for (int k = 0; k < 2; k++) gl_TessLevelInner[k] = 1.0 + float((id * 5 + k * 11) % 31) * 0.5;",
    ),
    ("one", "for (int k = 0; k < 4; k++) gl_TessLevelOuter[k] = 0.75; for (int k = 0; k < 2; k++) gl_TessLevelInner[k] = 1.0;"),
    ("none", "for (int k = 0; k < 4; k++) gl_TessLevelOuter[k] = -1.0; for (int k = 0; k < 2; k++) gl_TessLevelInner[k] = 3.0;"),
];

pub fn patches(test: &mut Test<'_>) -> Result<(), Failure> {
    for is_quad in [false, true] {
        let points = if is_quad { 4 } else { 3 };
        for spacing in ["equal_spacing", "fractional_odd_spacing", "fractional_even_spacing"] {
            for (name, levels) in LEVELS {
                for order in ["cw", "ccw"] {
                    let domain = if is_quad { "quads" } else { "triangles" };
                    let layouts = format!("{domain}, {spacing}, {order}");
                    let state = State {
                        vertex: PLAIN_VERTEX.to_owned(),
                        tessellation: Some((control(points, levels), evaluation(&layouts, is_quad), points as u32)),
                        topology: vk::PrimitiveTopology::PATCH_LIST,
                        cull: vk::CullModeFlags::BACK,
                        ..State::default()
                    };
                    // Triangles have u = 1, v = 1 and w = 1 where the vector (u, v) is (1, 0), (0, 1) and (0, 0).
                    let corners_of = |i: usize| {
                        let [a, b, c, d] = cell(test, i);
                        if is_quad { vec![a, b, c, d] } else { vec![b, d, a] }
                    };
                    let vertices: Vec<Vertex> = (0..PATCHES).flat_map(corners_of).collect();
                    let targets = Targets::new(test.size, &[RGBA8]);
                    let found = draw(test, &targets, &state, &vertices)?;
                    let mut triangles = Vec::new();
                    // Clockwise with v downward, which is how the picture has it.
                    let drawn = |i: &usize| order == "cw" && (name == "one" || name == "many" && i % 11 != 5);
                    for i in (0..PATCHES).filter(drawn) {
                        let p = corners_of(i);
                        triangles.extend_from_slice(&p[..3]);
                        if is_quad {
                            triangles.extend([p[0], p[2], p[3]]);
                        }
                    }
                    let mut reference = Reference::new(&targets);
                    reference.draw(&State::default(), &corners(&triangles), &mut plain);
                    test.compare(&format!("{layouts}, levels {name}"), &found, &reference.picture(0))?;
                }
            }
        }
    }
    Ok(())
}

/// The points that the specification names for equal spacing: those of the outline, of rings inside of triangles, of a grid inside of quads, of lines.
fn domain(kind: &str, outer: [usize; 4], inner: [usize; 2]) -> Vec<[f64; 2]> {
    let part = |i: usize, n: usize| i as f64 / n as f64;
    let mut all = Vec::new();
    match kind {
        "isolines" => {
            for line in 0..outer[0] {
                all.extend((0..=outer[1]).map(|i| [part(i, outer[1]), part(line, outer[0])]));
            }
        }
        "quads" => {
            all.extend((0..=outer[0]).map(|i| [0.0, part(i, outer[0])]));
            all.extend((0..=outer[1]).map(|i| [part(i, outer[1]), 0.0]));
            all.extend((0..=outer[2]).map(|i| [1.0, part(i, outer[2])]));
            all.extend((0..=outer[3]).map(|i| [part(i, outer[3]), 1.0]));
            for j in 1..inner[1] {
                all.extend((1..inner[0]).map(|i| [part(i, inner[0]), part(j, inner[1])]));
            }
        }
        _ => {
            all.extend((0..=outer[0]).map(|i| [0.0, part(i, outer[0])]));
            all.extend((0..=outer[1]).map(|i| [part(i, outer[1]), 0.0]));
            all.extend((0..=outer[2]).map(|i| [part(i, outer[2]), 1.0 - part(i, outer[2])]));
            let n = inner[0];
            for k in 1..=n / 2 {
                let depth = part(k, n) * 2.0 / 3.0;
                for i in k..=n - k {
                    let (a, b) = (1.0 - part(i, n) - depth / 2.0, part(i, n) - depth / 2.0);
                    all.extend([[a, b], [b, depth], [depth, a]]);
                }
            }
        }
    }
    all
}

pub fn points(test: &mut Test<'_>) -> Result<(), Failure> {
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    for (kind, outer, inner) in [
        ("quads", [3, 4, 5, 6], [4, 3]),
        ("quads", [1, 1, 1, 1], [1, 1]),
        ("quads", [8, 2, 1, 7], [2, 5]),
        ("triangles", [3, 4, 5, 0], [6, 0]),
        ("triangles", [1, 1, 1, 0], [1, 0]),
        ("triangles", [2, 7, 1, 0], [5, 0]),
        ("isolines", [4, 7, 0, 0], [0, 0]),
        ("isolines", [1, 1, 0, 0], [0, 0]),
    ] {
        let mut levels: String = (0..4).map(|k| format!("gl_TessLevelOuter[{k}] = {}.0;", outer[k])).collect();
        levels.extend((0..2).map(|k| format!("gl_TessLevelInner[{k}] = {}.0;", inner[k])));
        // Places of pixels, to their middles.
        let evaluation = format!(
            "layout({kind}, equal_spacing, point_mode) in;
            layout(location = 0) in vec4 cs[];
            layout(location = 0) out vec4 c;
            void main() {{
                vec2 pixel = floor(4.5 + gl_TessCoord.xy * vec2({w}.0 - 9.0, {h}.0 - 9.0)) + 0.5;
                gl_Position = vec4(pixel / vec2({w}.0, {h}.0) * 2.0 - 1.0, 0.5, 1);
                gl_PointSize = 1.0;
                c = cs[0];
            }}"
        );
        let state = State {
            tessellation: Some((control(1, &levels), evaluation, 1)),
            topology: vk::PrimitiveTopology::PATCH_LIST,
            ..State::default()
        };
        let color = [1.0, 0.4, 0.2, 1.0];
        let targets = Targets::new(test.size, &[RGBA8]);
        let found = draw(test, &targets, &state, &[test.at(0.0, 0.0, 0.5, color)])?;
        let place = |v: f64, size: f32| (4.5 + v * f64::from(size - 9.0)).floor() as f32 + 0.5;
        let vertices: Vec<Vertex> =
            domain(kind, outer, inner).iter().map(|p| test.at(place(p[0], w), place(p[1], h), 0.5, color)).collect();
        let mut reference = Reference::new(&targets);
        let expected = State { topology: vk::PrimitiveTopology::POINT_LIST, ..State::flat() };
        reference.draw(&expected, &corners(&vertices), &mut plain_flat);
        // The specification leaves open how places are rounded: some may be in the next pixel.
        let tolerance = crate::picture::Tolerance { steps: 0, pixels: if kind == "triangles" { 6 } else { 0 } };
        test.compare_within(&format!("{kind} {outer:?} {inner:?}"), &found, &reference.picture(0), tolerance)?;
    }
    Ok(())
}

pub fn geometry(test: &mut Test<'_>) -> Result<(), Failure> {
    test.gpu.need_feature(test.gpu.features.geometry_shader != 0, "geometryShader")?;
    let evaluation = "layout(quads, equal_spacing, cw) in;
        layout(location = 0) in vec4 cs[];
        layout(location = 0) out vec4 c;
        void main() {
            gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x),
                              mix(gl_in[3].gl_Position, gl_in[2].gl_Position, gl_TessCoord.x), gl_TessCoord.y);
            c = vec4(float(gl_PrimitiveID) / 51.0, 0, cs[0].b, 1);
        }";
    let body = "layout(triangles) in;
        layout(triangle_strip, max_vertices = 3) out;
        layout(location = 0) in vec4 cs[];
        layout(location = 0) flat out vec4 c;
        void main() {
            for (int i = 0; i < 3; i++) {
                gl_Position = gl_in[i].gl_Position; c = vec4(cs[0].r, float(gl_PrimitiveIDIn) / 51.0, cs[0].b, 1); EmitVertex();
            }
        }";
    let levels =
        "for (int k = 0; k < 4; k++) gl_TessLevelOuter[k] = float(1 + id % 5); for (int k = 0; k < 2; k++) gl_TessLevelInner[k] = 3.0;";
    let state = State {
        vertex: PLAIN_VERTEX.to_owned(),
        tessellation: Some((control(4, levels), evaluation.to_owned(), 4)),
        geometry: Some(body.to_owned()),
        topology: vk::PrimitiveTopology::PATCH_LIST,
        ..State::flat()
    };
    let vertices: Vec<Vertex> = (0..PATCHES).flat_map(|i| cell(test, i)).collect();
    let targets = Targets::new(test.size, &[RGBA8]);
    let found = draw(test, &targets, &state, &vertices)?;
    let mut triangles = Vec::new();
    for (id, p) in vertices.chunks_exact(4).enumerate() {
        let of = |v: Vertex| {
            let n = id as f32 / 51.0;
            [v[0], v[1], v[2], v[3], n, n, v[6], 1.0]
        };
        triangles.extend([p[0], p[1], p[2], p[0], p[2], p[3]].map(of));
    }
    let mut reference = Reference::new(&targets);
    reference.draw(&State::flat(), &corners(&triangles), &mut plain_flat);
    test.compare("quads", &found, &reference.picture(0))
}
