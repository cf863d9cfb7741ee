//! Geometry shaders, and numbers of primitives. What a shader emits is written down here as a list of triangles for the reference renderer.

use ash::vk;

use crate::failure::Failure;
use crate::frame::{Call, Frame, Input, Targets};
use crate::picture::Picture;
use crate::reference::{Corner, Reference, plain_flat};
use crate::state::State;
use crate::test::{Random, Test, Vertex, corners};

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;

/// A state with this geometry shader, whose body follows the interface that all have.
fn state(topology: vk::PrimitiveTopology, layouts: &str, body: &str) -> State {
    let geometry = format!(
        "{layouts}
        layout(location = 0) in vec4 cs[];
        layout(location = 0) flat out vec4 c;
        {body}"
    );
    State { vertex: crate::state::PLAIN_VERTEX.to_owned(), geometry: Some(geometry), topology, ..State::flat() }
}

/// Triangles by the reference renderer.
fn expected(targets: &Targets, triangles: &[Corner]) -> Picture {
    let mut reference = Reference::new(targets);
    reference.draw(&State::flat(), triangles, &mut plain_flat);
    reference.picture(0)
}

fn draw(test: &Test<'_>, targets: &Targets, state: &State, vertices: &[Vertex]) -> Result<Picture, Failure> {
    let mut frame = Frame::new(test.gpu, targets.clone())?;
    frame.draw(state, vertices)?;
    Ok(frame.finish()?.colors.swap_remove(0))
}

/// Corners of a vertex moved by so many pixels, with a color.
fn moved(test: &Test<'_>, v: &Vertex, by: [f64; 2], color: [f64; 4]) -> Corner {
    let scale = [2.0 / f64::from(test.size.0), 2.0 / f64::from(test.size.1)];
    let p: [f64; 4] = std::array::from_fn(|i| f64::from(v[i]));
    Corner::new([p[0] + by[0] * scale[0], p[1] + by[1] * scale[1], p[2], p[3]], color)
}

fn random_vertices(test: &Test<'_>, seed: u64, count: usize) -> Vec<Vertex> {
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let mut random = Random::new(seed);
    let mut color = || random_color(&mut random);
    let colors: Vec<_> = (0..count).map(|_| color()).collect();
    colors.into_iter().map(|color| test.at(random.place(2.0, w - 2.0), random.place(2.0, h - 2.0), 0.5, color)).collect()
}

fn random_color(random: &mut Random) -> [f32; 4] {
    [random.below(16) as f32 / 15.0, random.below(16) as f32 / 15.0, random.below(16) as f32 / 15.0, 1.0]
}

/// Every vertex of a primitive with adjacent ones is a corner of what is drawn, so that each must be where it belongs.
pub fn adjacency(test: &mut Test<'_>) -> Result<(), Failure> {
    use vk::PrimitiveTopology as T;
    let lines = "layout(lines_adjacency) in; layout(triangle_strip, max_vertices = 6) out;";
    let triangles = "layout(triangles_adjacency) in; layout(triangle_strip, max_vertices = 12) out;";
    let body = |order: &str, count: usize| {
        format!(
            "const int order[{count}] = int[]({order});
            void main() {{
                for (int i = 0; i < {count}; i++) {{
                    gl_Position = gl_in[order[i]].gl_Position;
                    c = cs[order[i / 3 * 3]];
                    EmitVertex();
                    if (i % 3 == 2) EndPrimitive();
                }}
            }}"
        )
    };
    let vertices = random_vertices(test, 7, 46);
    let n = vertices.len();
    // Vulkan specification, "Triangle Strips With Adjacency": 0-based vertices of triangle i of so many, in the order that gl_in has.
    let strip = |i: usize, count: usize| {
        let (before, after) = (if i == 0 { 1 } else { 2 * i - 2 }, if i + 1 == count { 2 * i + 5 } else { 2 * i + 6 });
        let [a, b, c, side] = [2 * i, 2 * i + 2, 2 * i + 4, 2 * i + 3];
        if i.is_multiple_of(2) { vec![a, before, b, after, c, side] } else { vec![a, side, c, after, b, before] }
    };
    let triangle_count = (n - 4) / 2;
    let primitives: [(&str, T, Vec<Vec<usize>>); 4] = [
        ("lines", T::LINE_LIST_WITH_ADJACENCY, (0..n / 4).map(|i| (4 * i..4 * i + 4).collect()).collect()),
        ("line strip", T::LINE_STRIP_WITH_ADJACENCY, (0..n - 3).map(|i| (i..i + 4).collect()).collect()),
        ("triangles", T::TRIANGLE_LIST_WITH_ADJACENCY, (0..n / 6).map(|i| (6 * i..6 * i + 6).collect()).collect()),
        ("triangle strip", T::TRIANGLE_STRIP_WITH_ADJACENCY, (0..triangle_count).map(|i| strip(i, triangle_count)).collect()),
    ];
    for (label, topology, primitives) in primitives {
        let order: &[usize] = if primitives[0].len() == 4 { &[0, 1, 2, 3, 2, 1] } else { &[0, 1, 2, 2, 3, 4, 4, 5, 0, 1, 3, 5] };
        let text = order.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let layouts = if primitives[0].len() == 4 { lines } else { triangles };
        let state = state(topology, layouts, &body(&text, order.len()));
        let targets = Targets::new(test.size, &[RGBA8]);
        let found = draw(test, &targets, &state, &vertices)?;
        let all: Vec<Vertex> = primitives.iter().flat_map(|p| order.iter().map(|&i| vertices[p[i]])).collect();
        test.compare(label, &found, &expected(&targets, &corners(&all)))?;
    }
    Ok(())
}

/// Points to as many small triangles as each says, 0 to 32.
pub fn amplification(test: &mut Test<'_>) -> Result<(), Failure> {
    let layouts = "layout(points) in; layout(triangle_strip, max_vertices = 96) out;";
    let body = format!(
        "void main() {{
            int count = int(cs[0].a * 32.0 + 0.5);
            vec2 pixel = vec2(2.0 / {}.0, 2.0 / {}.0);
            for (int i = 0; i < count; i++) {{
                vec4 p = gl_in[0].gl_Position + vec4(vec2(i % 8, i / 8) * 4.0 * pixel, 0, 0);
                vec4 color = vec4(cs[0].rg, float(i) / 51.0, 1);
                gl_Position = p; c = color; EmitVertex();
                gl_Position = p + vec4(3.5 * pixel.x, 0, 0, 0); c = color; EmitVertex();
                gl_Position = p + vec4(0, 3.5 * pixel.y, 0, 0); c = color; EmitVertex();
                EndPrimitive();
            }}
        }}",
        test.size.0, test.size.1
    );
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let mut random = Random::new(57);
    let vertices: Vec<Vertex> = (0..150)
        .map(|i: u32| {
            let color = random_color(&mut random);
            let count = if i % 7 == 3 { 0 } else { random.below(33) };
            let (x, y) = (random.below(w as u32 - 36) as f32 + 0.25, random.below(h as u32 - 20) as f32 + 0.25);
            test.at(x, y, 0.5, [color[0], color[1], color[2], count as f32 / 32.0])
        })
        .collect();
    let mut all = Vec::new();
    for v in &vertices {
        for i in 0..(v[7] * 32.0).round() as usize {
            let color = [f64::from(v[4]), f64::from(v[5]), i as f64 / 51.0, 1.0];
            let at = [(i % 8 * 4) as f64, (i / 8 * 4) as f64];
            all.extend([[0.0, 0.0], [3.5, 0.0], [0.0, 3.5]].map(|d| moved(test, v, [at[0] + d[0], at[1] + d[1]], color)));
        }
    }
    let targets = Targets::new(test.size, &[RGBA8]);
    let found = draw(test, &targets, &state(vk::PrimitiveTopology::POINT_LIST, layouts, &body), &vertices)?;
    test.compare("points to triangles", &found, &expected(&targets, &all))
}

/// Several invocations for a primitive, in order; each knows its number and the primitive's.
pub fn invocations(test: &mut Test<'_>) -> Result<(), Failure> {
    let layouts = "layout(triangles, invocations = 5) in; layout(triangle_strip, max_vertices = 3) out;";
    let body = format!(
        "void main() {{
            for (int i = 0; i < 3; i++) {{
                vec2 pixel = vec2(2.0 / {}.0, 2.0 / {}.0);
                gl_Position = gl_in[i].gl_Position + vec4(float(gl_InvocationID * 2) * pixel, 0, 0);
                c = vec4(cs[i].r, float(gl_InvocationID) / 5.0, float(gl_PrimitiveIDIn % 52) / 51.0, 1);
                EmitVertex();
            }}
        }}",
        test.size.0, test.size.1
    );
    let vertices = random_vertices(test, 58, 180);
    let mut all = Vec::new();
    for (id, triangle) in vertices.chunks_exact(3).enumerate() {
        for n in 0..5 {
            let by = f64::from(n) * 2.0;
            all.extend(triangle.iter().map(|v| moved(test, v, [by, by], [v[4].into(), f64::from(n) / 5.0, (id % 52) as f64 / 51.0, 1.0])));
        }
    }
    let targets = Targets::new(test.size, &[RGBA8]);
    let found = draw(test, &targets, &state(vk::PrimitiveTopology::TRIANGLE_LIST, layouts, &body), &vertices)?;
    test.compare("invocations", &found, &expected(&targets, &all))
}

/// Each invocation draws to its layer, and through its viewport.
pub fn layers(test: &mut Test<'_>) -> Result<(), Failure> {
    test.gpu.need_feature(test.gpu.features.multi_viewport != 0, "multiViewport")?;
    let layouts = "layout(triangles, invocations = 4) in; layout(triangle_strip, max_vertices = 3) out;";
    let body = "void main() {
        for (int i = 0; i < 3; i++) {
            gl_Position = gl_in[i].gl_Position;
            gl_Layer = (gl_InvocationID + gl_PrimitiveIDIn) % 6;
            gl_ViewportIndex = gl_InvocationID % 3;
            c = vec4(cs[0].rg, float(gl_InvocationID) / 3.0, 1);
            EmitVertex();
        }
    }";
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let viewports: Vec<vk::Viewport> = [(0.0, 0.0, w, h), (w / 2.0, 0.0, w / 2.0, h / 2.0), (0.0, h / 4.0, w / 4.0, h / 2.0)]
        .map(|(x, y, width, height)| vk::Viewport {
            x: x.floor(),
            y: y.floor(),
            width: width.floor(),
            height: height.floor(),
            min_depth: 0.0,
            max_depth: 1.0,
        })
        .to_vec();
    let state = State { viewports, ..state(vk::PrimitiveTopology::TRIANGLE_LIST, layouts, body) };
    let targets = Targets { layers: 6, ..Targets::new(test.size, &[RGBA8]) };
    let vertices = random_vertices(test, 20, 36);
    let found = draw(test, &targets, &state, &vertices)?;
    let mut reference = Reference::new(&targets);
    for (id, triangle) in vertices.chunks_exact(3).enumerate() {
        for n in 0..4 {
            let mut all = corners(triangle);
            let [r, g] = [all[0].values[0], all[0].values[1]];
            for corner in &mut all {
                corner.values[..4].copy_from_slice(&[r, g, n as f64 / 3.0, 1.0]);
                (corner.layer, corner.viewport) = ((n + id) % 6, n % 3);
            }
            reference.draw(&State { viewports: state.viewports.clone(), ..State::flat() }, &all, &mut plain_flat);
        }
    }
    test.compare("layers", &found, &reference.picture(0))
}

/// gl_PrimitiveID without a geometry shader, with one that leaves it away, and with one that writes it.
pub fn primitive_id(test: &mut Test<'_>) -> Result<(), Failure> {
    use vk::PrimitiveTopology as T;
    let fragment = "
        layout(location = 0) flat in vec4 c;
        layout(location = 0) out vec4 o;
        void main() { o = vec4(c.rg, float(gl_PrimitiveID % 256) / 255.0, 1); }";
    let through = "
        layout(triangles) in;
        layout(triangle_strip, max_vertices = 3) out;
        layout(location = 0) in vec4 cs[];
        layout(location = 0) flat out vec4 c;
        void main() {
            for (int i = 0; i < 3; i++) {
                gl_Position = gl_in[i].gl_Position; c = cs[0]; gl_PrimitiveID = 255 - gl_PrimitiveIDIn; EmitVertex();
            }
        }";
    for (topology, count) in [(T::TRIANGLE_LIST, 600), (T::TRIANGLE_STRIP, 120)] {
        for geometry in [None, Some(through.to_owned())] {
            // A vertex shader before a geometry shader has outputs that are not flat.
            let vertex = if geometry.is_some() { crate::state::PLAIN_VERTEX.to_owned() } else { State::flat().vertex };
            let writes = geometry.is_some();
            let state = State { vertex, fragment: Some(fragment.to_owned()), topology, geometry, ..State::flat() };
            let vertices = random_vertices(test, 61, count);
            let targets = Targets::new(test.size, &[RGBA8]);
            let mut frame = Frame::new(test.gpu, targets.clone())?;
            // Numbers begin anew with each instance.
            let input = Input {
                vertices: vec![test.gpu.buffer_of(&vertices)?],
                call: Call::Draw { vertices: count as u32, instances: 2 },
                ..Input::default()
            };
            frame.draw_with(&state, &input)?;
            let found = frame.finish()?.colors.swap_remove(0);
            let all: Vec<Vec<Vertex>> = match topology {
                T::TRIANGLE_LIST => vertices.chunks_exact(3).map(<[_]>::to_vec).collect(),
                _ => (0..count - 2).map(|i| [i, i + 1 + i % 2, i + 2 - i % 2].map(|i| vertices[i]).to_vec()).collect(),
            };
            let mut triangles = Vec::new();
            for (id, triangle) in all.iter().enumerate() {
                let id = if writes { 255 - id as i64 } else { id as i64 };
                let blue = (id % 256) as f64 / 255.0;
                triangles
                    .extend(triangle.iter().map(|v| moved(test, v, [0.0; 2], [triangle[0][4].into(), triangle[0][5].into(), blue, 1.0])));
            }
            test.compare(&format!("{topology:?} written {writes}"), &found, &expected(&targets, &triangles))?;
        }
    }
    Ok(())
}
