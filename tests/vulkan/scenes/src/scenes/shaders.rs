//! Shaders themselves: helper lanes, scratch memory, order, what goes wrong.

use ash::vk;

use crate::failure::Failure;
use crate::frame::{Call, Frame, Input, Targets};
use crate::gpu::as_bytes;
use crate::picture::Picture;
use crate::reference::{Out, Reference, plain_flat};
use crate::state::{Blend, State};
use crate::test::{Both, Random, Test, Vertex, corners};

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;

pub fn helpers(test: &mut Test<'_>) -> Result<(), Failure> {
    // Derivatives of a function that is linear in the window are the same everywhere, also at edges.
    let fragment = "
        layout(location = 0) in vec4 c;
        layout(location = 0) out vec4 o;
        void main() {
            vec2 p = c.xy * vec2(SIZE);
            // Before the discard: beside discarded pixels derivatives are not defined.
            o = vec4(dFdx(p.x), dFdy(p.y), fwidth(p.x) * 0.5, abs(dFdx(p.y)) + abs(dFdy(p.x)));
            if (((int(gl_FragCoord.x) ^ int(gl_FragCoord.y)) & 3) == 3) discard;
        }"
    .replace("SIZE", &format!("{}.0, {}.0", test.size.0, test.size.1));
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let mut random = Random::new(59);
    let vertices: Vec<Vertex> = (0..300)
        .map(|i| {
            let base = (random.place(0.0, w - 12.0), random.place(0.0, h - 12.0));
            let _ = i;
            let (x, y) = (base.0 + random.place(0.0, 12.0), base.1 + random.place(0.0, 12.0));
            // The attribute is the place itself.
            test.at(x, y, 0.5, [x / w, y / h, 0.0, 0.0])
        })
        .collect();
    let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]))?;
    both.draw(
        &State::with_fragment(&fragment),
        &vertices,
        |f| if (f.x ^ f.y) & 3 == 3 { None } else { Some(Out::new([1.0, 1.0, 0.5, 0.0])) },
    )?;
    both.finish(test, "derivatives")?;
    Ok(())
}

pub fn order(test: &mut Test<'_>) -> Result<(), Failure> {
    // Blending that depends on the order: 2 d mod 1, by subtraction and addition, is not commutative.
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let mut random = Random::new(60);
    let vertices: Vec<Vertex> = (0..20_000)
        .flat_map(|_| {
            let (x, y) = (random.place(-2.0, w - 2.0), random.place(-2.0, h - 2.0));
            let color = [random.below(256) as f32 / 255.0, random.below(256) as f32 / 255.0, random.below(256) as f32 / 255.0, 0.6];
            [0, 1, 2].map(|_| test.at(x + random.place(0.0, 7.0), y + random.place(0.0, 7.0), 0.5, color))
        })
        .collect();
    for (name, blends) in [("last wins", vec![]), ("over", vec![Blend::OVER])] {
        let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]))?;
        both.draw(&State { blends, ..State::flat() }, &vertices, plain_flat)?;
        both.finish(test, name)?;
    }
    Ok(())
}

pub fn scratch(test: &mut Test<'_>) -> Result<(), Failure> {
    // Arrays with indices that are not known: in memory of each lane.
    let work = "
        float work(float seed) {
            float a[97];
            for (int i = 0; i < 97; i++) a[i] = float((i * 7 + int(seed)) % 97);
            int at = int(seed) % 97;
            for (int k = 0; k < 40; k++) at = int(a[(at * 5 + k) % 97]);
            return float(at) / 97.0;
        }";
    let on_host = |seed: i64| {
        let mut at = seed % 97;
        for k in 0..40 {
            at = ((at * 5 + k) % 97 * 7 + seed) % 97;
        }
        at as f64 / 97.0
    };
    let vertex = format!(
        "layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(location = 0) flat out vec4 c;
        {work}
        void main() {{ gl_Position = position; c = vec4(work(float(gl_VertexIndex / 6)), color.gb, 1); }}"
    );
    let fragment = format!(
        "layout(location = 0) flat in vec4 c;
        layout(location = 0) out vec4 o;
        {work}
        void main() {{ o = vec4(c.r, work(gl_FragCoord.x - 0.5 + 3.0 * (gl_FragCoord.y - 0.5)), c.b, 1); }}"
    );
    let state = State { vertex, fragment: Some(fragment), ..State::flat() };
    let mut frame = Frame::new(test.gpu, Targets::new(test.size, &[RGBA8]))?;
    let columns = test.size.0 / 8;
    let vertices: Vec<Vertex> = (0..columns)
        .flat_map(|i| test.quad([i as f32 * 8.0, 0.0, i as f32 * 8.0 + 8.0, test.size.1 as f32], 0.5, [0.0, 0.0, 0.4, 1.0]))
        .collect();
    frame.draw(&state, &vertices)?;
    let shot = frame.finish()?;
    let expected = Picture::of(test.size.0, test.size.1, RGBA8, |x, y| {
        if x / 8 >= columns { [0.0; 4] } else { [on_host(i64::from(x / 8)), on_host(i64::from(x + 3 * y)), 0.4, 1.0] }
    });
    test.compare("scratch", &shot.colors[0], &expected)
}

pub fn generated(test: &mut Test<'_>) -> Result<(), Failure> {
    // Vertices of no buffer, from gl_VertexIndex and push constants.
    let vertex = "
        layout(push_constant) uniform Push { vec4 box; vec4 color; };
        layout(location = 0) flat out vec4 c;
        void main() {
            vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
            gl_Position = vec4(mix(box.xy, box.zw, p), 0.5, 1);
            c = color;
        }";
    let fragment = "
        layout(location = 0) flat in vec4 c;
        layout(location = 0) out vec4 o;
        void main() { o = vec4(c.rgb, fract(gl_FragCoord.x * 0.25)); }";
    let [a, b] = [test.clip(5.0, 9.0), test.clip(test.size.0 as f32 - 7.0, 61.0)];
    let push = [a[0], a[1], b[0], b[1], 0.2, 0.4, 1.0, 1.0];
    let state = State { topology: vk::PrimitiveTopology::TRIANGLE_STRIP, ..State::shaders(vertex, fragment) };
    let mut frame = Frame::new(test.gpu, Targets::new(test.size, &[RGBA8]))?;
    let input = Input { push: as_bytes(&push).to_vec(), call: Call::Draw { vertices: 4, instances: 1 }, ..Input::default() };
    frame.draw_with(&state, &input)?;
    let (w, h) = test.size;
    let expected = Picture::of(w, h, RGBA8, |x, y| {
        let inside = x >= 5 && x < w - 7 && (9..61).contains(&y);
        if inside { [0.2, 0.4, 1.0, ((f64::from(x) + 0.5) * 0.25).fract()] } else { [0.0; 4] }
    });
    test.compare("generated", &frame.finish()?.colors[0], &expected)
}

pub fn position(test: &mut Test<'_>) -> Result<(), Failure> {
    let fragment = "
        layout(location = 0) in vec4 c;
        layout(location = 0) out vec4 o;
        void main() { o = vec4(gl_FragCoord.xy, gl_FragCoord.z, gl_FragCoord.w); }";
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let vertices = [(4.0, 3.0, 1.0, 0.25), (w - 9.0, 20.0, 4.0, 0.75), (40.0, h - 3.0, 2.0, 1.0)].map(|(x, y, depth, z)| {
        let mut v = test.at(x, y, z, [1.0; 4]);
        v[..4].iter_mut().for_each(|v| *v *= depth);
        v
    });
    let mut both = Both::new(test, Targets::new(test.size, &[vk::Format::R32G32B32A32_SFLOAT]))?;
    both.draw(&State::with_fragment(fragment), &vertices, |f| {
        Some(Out::new([f64::from(f.x) + 0.5, f64::from(f.y) + 0.5, f.z, f.one_over_w]))
    })?;
    both.finish(test, "gl_FragCoord")?;
    Ok(())
}

/// A store to where nothing is, or a loop without an end: the device is lost, and stays so.
fn lose(test: &mut Test<'_>, vertex: &str, fragment: &str) -> Result<(), Failure> {
    let state = State::shaders(vertex, fragment);
    // An address that no buffer has, and the limit of a loop, which is known to nobody before it runs.
    let push = [0x1000u32, 0x20ff, 0, 0];
    let input = Input { push: as_bytes(&push).to_vec(), call: Call::Draw { vertices: 3, instances: 1 }, ..Input::default() };
    let lost = |test: &Test<'_>| -> Result<bool, Failure> {
        let mut frame = Frame::new(test.gpu, Targets::new(test.size, &[RGBA8]))?;
        frame.draw_with(&state, &input)?;
        match frame.finish() {
            Ok(_) => Ok(false),
            Err(Failure::Vulkan(vk::Result::ERROR_DEVICE_LOST)) => Ok(true),
            Err(other) => Err(other),
        }
    };
    // Old drivers ask the kernel only with their next submission.
    let found = lost(test)? || lost(test)?;
    test.expect(found, || "the device is not lost".to_owned());
    Ok(())
}

const WILD: &str = "
    #extension GL_EXT_buffer_reference : require
    #extension GL_EXT_buffer_reference_uvec2 : require
    layout(buffer_reference, std430) buffer Place { uint value; };
    layout(push_constant) uniform Push { uvec2 place; uint limit; };
    ";
const SHAPE: &str = "gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0.5, 1);";

pub fn wild_vertex(test: &mut Test<'_>) -> Result<(), Failure> {
    let vertex = format!("{WILD} void main() {{ Place(place).value = 1u; {SHAPE} }}");
    lose(test, &vertex, "layout(location = 0) out vec4 o; void main() { o = vec4(1); }")
}

pub fn wild_fragment(test: &mut Test<'_>) -> Result<(), Failure> {
    let fragment = format!("{WILD} layout(location = 0) out vec4 o; void main() {{ Place(place).value = 1u; o = vec4(1); }}");
    lose(test, &format!("void main() {{ {SHAPE} }}"), &fragment)
}

pub fn endless_fragment(test: &mut Test<'_>) -> Result<(), Failure> {
    let fragment = format!(
        "{WILD} layout(location = 0) out vec4 o;
        void main() {{ uint n = 0; while (n != limit + 1u) n = (n + 2u) & ~1u; o = vec4(float(n)); }}"
    );
    lose(test, &format!("void main() {{ {SHAPE} }}"), &fragment)
}

/// A plane toward the horizon with a checkerboard.
pub fn checkerboard(test: &mut Test<'_>) -> Result<(), Failure> {
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let vertex = "
        layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(location = 0) out vec4 c;
        void main() { gl_Position = position; c = color; }";
    let fragment = "
        layout(location = 0) in vec4 c;
        layout(location = 0) out vec4 o;
        void main() {
            vec2 cell = floor(c.xy);
            o = vec4(mod(cell.x + cell.y, 2.0), fract(c.xy), 1);
        }";
    // Depth 1 below, 40 at the horizon; c.xy are places on the plane.
    let corner = |x: f32, y: f32, depth: f32, u: f32, v: f32| {
        let mut all = test.at(x, y, 0.5, [u, v, 0.0, 1.0]);
        all[..4].iter_mut().for_each(|v| *v *= depth);
        all
    };
    let (near, far) = ((h - 1.0, 1.0, 0.3), (h / 4.0, 40.0, 39.3));
    let vertices = [
        corner(0.0, near.0, near.1, -3.5, near.2),
        corner(w, near.0, near.1, 3.5, near.2),
        corner(w, far.0, far.1, 140.0, far.2),
        corner(0.0, near.0, near.1, -3.5, near.2),
        corner(w, far.0, far.1, 140.0, far.2),
        corner(0.0, far.0, far.1, -140.0, far.2),
    ];
    let state = State { vertex: vertex.to_owned(), ..State::with_fragment(fragment) };
    let targets = Targets::new(test.size, &[RGBA8]);
    let mut frame = Frame::new(test.gpu, targets.clone())?;
    frame.draw(&state, &vertices)?;
    let found = frame.finish()?;
    let mut reference = Reference::new(&targets);
    // Beside a border of cells either may be right.
    let mut borders = Vec::new();
    reference.draw(&state, &corners(&vertices), &mut |f| {
        let (u, v) = (f.values[0], f.values[1]);
        if [u, v].iter().any(|c| (c - c.round()).abs() < 3e-3) {
            borders.push((f.x + f.y * test.size.0) as usize);
        }
        Some(Out::new([(u.floor() + v.floor()).rem_euclid(2.0), u - u.floor(), v - v.floor(), 1.0]))
    });
    let mut expected = reference.picture(0);
    borders.into_iter().for_each(|i| expected.open[i] = true);
    test.compare("checkerboard", &found.colors[0], &expected)
}
