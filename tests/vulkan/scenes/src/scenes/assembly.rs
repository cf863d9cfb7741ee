//! Vertices, indices, instances, and primitives made of them.

use ash::vk;

use crate::failure::Failure;
use crate::frame::{Call, Frame, Input, Targets};
use crate::gpu::{Gpu, as_bytes};
use crate::reference::{Reference, plain_flat};
use crate::state::State;
use crate::test::{Both, Random, Test, Vertex, corners};

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;

pub fn strips(test: &mut Test<'_>) -> Result<(), Failure> {
    use vk::PrimitiveTopology as T;
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let color = |i: usize| [(i % 3) as f32 / 2.0, (i % 4) as f32 / 3.0, (i % 5) as f32 / 4.0, 1.0];
    // A strip that zigzags, and a fan around its first vertex.
    let strip: Vec<Vertex> = (0..40)
        .map(|i| test.at(4.0 + (i / 2) as f32 * (w - 10.0) / 20.0, if i % 2 == 0 { 5.25 } else { h - 6.5 } + i as f32 / 8.0, 0.5, color(i)))
        .collect();
    let fan: Vec<Vertex> = (0..24)
        .map(|i| {
            let angle = i as f32 * 0.25;
            let place = if i == 0 { (w / 2.0, h / 2.0) } else { (w / 2.0 + angle.cos() * w * 0.4, h / 2.0 + angle.sin() * h * 0.4) };
            test.at((place.0 * 256.0).round() / 256.0, (place.1 * 256.0).round() / 256.0, 0.5, color(i))
        })
        .collect();
    let cull = vk::CullModeFlags::BACK;
    let front = vk::FrontFace::CLOCKWISE;
    for (label, topology, vertices) in [("strip", T::TRIANGLE_STRIP, &strip), ("fan", T::TRIANGLE_FAN, &fan)] {
        for cull in [vk::CullModeFlags::NONE, cull] {
            let state = State { topology, cull, front, ..State::flat() };
            let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]))?;
            both.draw(&state, vertices, plain_flat)?;
            let shot = both.finish(test, &format!("{label} {cull:?}"))?;
            // The same triangles as a list: provoking vertices of a fan's triangles are the second ones.
            let triangle = |i: usize| match (topology, i % 2) {
                (T::TRIANGLE_FAN, _) => [i + 1, i + 2, 0],
                (_, 0) => [i, i + 1, i + 2],
                _ => [i, i + 2, i + 1],
            };
            let list: Vec<Vertex> = (0..vertices.len() - 2).flat_map(triangle).map(|i| vertices[i]).collect();
            let mut frame = Frame::new(test.gpu, Targets::new(test.size, &[RGBA8]))?;
            frame.draw(&State { topology: T::TRIANGLE_LIST, ..state }, &list)?;
            test.compare(&format!("{label} {cull:?} as a list"), &frame.finish()?.colors[0], &shot.colors[0])?;
        }
    }
    Ok(())
}

pub fn provoking(test: &mut Test<'_>) -> Result<(), Failure> {
    use vk::PrimitiveTopology as T;
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let vertices: Vec<Vertex> = (0..9)
        .map(|i| {
            let (x, y) = (8.0 + i as f32 * (w - 16.0) / 9.0, if i % 2 == 0 { 8.25 } else { h - 8.5 });
            test.at((x * 16.0).round() / 16.0, y, 0.5, [i as f32 / 8.0, 1.0 - i as f32 / 8.0, (i % 2) as f32, 1.0])
        })
        .collect();
    for last_provokes in [false, true] {
        if last_provokes {
            test.gpu.need(ash::ext::provoking_vertex::NAME)?;
        }
        for topology in [T::TRIANGLE_LIST, T::TRIANGLE_STRIP, T::TRIANGLE_FAN] {
            let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]))?;
            both.draw(&State { topology, last_provokes, ..State::flat() }, &vertices, plain_flat)?;
            both.finish(test, &format!("{topology:?} last {last_provokes}"))?;
        }
    }
    Ok(())
}

pub fn indices(test: &mut Test<'_>) -> Result<(), Failure> {
    let mut random = Random::new(8);
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let vertices: Vec<Vertex> = (0..200)
        .map(|i| {
            test.at(random.place(2.0, w - 2.0), random.place(2.0, h - 2.0), 0.5, [i as f32 / 255.0, random.unit(), random.unit(), 1.0])
        })
        .collect();
    // Strips of 3 to 7 vertices; None restarts.
    let mut order: Vec<Option<u32>> = Vec::new();
    for _ in 0..8 {
        order.extend((0..3 + random.below(5)).map(|_| Some(random.below(200))));
        order.push(None);
    }
    let state = State { topology: vk::PrimitiveTopology::TRIANGLE_STRIP, restart: true, ..State::flat() };
    let mut reference = Reference::new(&Targets::new(test.size, &[RGBA8]));
    for strip in order.split(Option::is_none) {
        let strip: Vec<Vertex> = strip.iter().flatten().map(|&i| vertices[i as usize]).collect();
        reference.draw(&state, &corners(&strip), &mut plain_flat);
    }
    for kind in [vk::IndexType::UINT8_EXT, vk::IndexType::UINT16, vk::IndexType::UINT32] {
        if kind == vk::IndexType::UINT8_EXT && !test.gpu.has(ash::ext::index_type_uint8::NAME) {
            continue;
        }
        let bytes: Vec<u8> = match kind {
            vk::IndexType::UINT8_EXT => order.iter().map(|i| i.map_or(0xff, |i| i as u8)).collect(),
            vk::IndexType::UINT16 => order.iter().flat_map(|i| i.map_or(0xffff, |i| i as u16).to_le_bytes()).collect(),
            _ => order.iter().flat_map(|i| i.unwrap_or(!0).to_le_bytes()).collect(),
        };
        let count = order.len() as u32;
        let mut frame = Frame::new(test.gpu, Targets::new(test.size, &[RGBA8]))?;
        let input = Input {
            vertices: vec![test.gpu.buffer_of(&vertices)?],
            indices: Some((test.gpu.buffer_of(&bytes)?, kind)),
            // SAFETY: see the head of gpu.rs.
            call: Call::Own(Box::new(move |d, c| unsafe { d.cmd_draw_indexed(c, count, 1, 0, 0, 0) })),
            ..Input::default()
        };
        frame.draw_with(&state, &input)?;
        test.compare(&format!("{kind:?}"), &frame.finish()?.colors[0], &reference.picture(0))?;
    }
    Ok(())
}

/// A triangle whose place comes from the vertex and from the instance, and whose color from an attribute and from gl_InstanceIndex.
const INSTANCED: &str = "
    layout(location = 0) in vec4 position;
    layout(location = 1) in vec4 color;
    layout(location = 2) in vec2 offset;
    layout(location = 3) in float blue;
    layout(location = 0) flat out vec4 c;
    layout(push_constant) uniform Push { vec2 scale; };
    void main() {
        gl_Position = position + vec4((offset + vec2(gl_InstanceIndex * 10, gl_BaseInstance)) * scale, 0, 0);
        c = vec4(color.r, float(gl_VertexIndex + 4 * gl_BaseVertex) / 15.0, blue, 1);
    }";

pub fn instances(test: &mut Test<'_>) -> Result<(), Failure> {
    let gpu = test.gpu;
    let mut divisors = vec![1];
    if gpu.has(ash::ext::vertex_attribute_divisor::NAME) {
        divisors.extend([0, 3]);
    }
    let vertices: Vec<Vertex> = [(4.0, 4.0), (12.5, 4.0), (4.0, 12.25), (14.0, 4.0), (14.5, 13.0), (6.0, 13.0), (4.0, 4.0)]
        .map(|(x, y)| test.at(x, y, 0.5, [x / 15.0, 0.0, 0.0, 0.0]))
        .to_vec();
    // x and y of the offset, blue: a row for each instance.
    let rows: Vec<[f32; 3]> = (0..12).map(|i| [(i % 3) as f32, (i * 4) as f32, i as f32 / 15.0]).collect();
    let scale = [2.0 / test.size.0 as f32, 2.0 / test.size.1 as f32];
    for divisor in divisors {
        for (first_vertex, first_instance) in [(0, 0), (1, 2)] {
            for indexed in [false, true] {
                let state = State {
                    vertex: INSTANCED.to_owned(),
                    bindings: vec![(32, None), (12, Some(divisor))],
                    attributes: vec![
                        (0, 0, vk::Format::R32G32B32A32_SFLOAT, 0),
                        (0, 1, vk::Format::R32G32B32A32_SFLOAT, 16),
                        (1, 2, vk::Format::R32G32_SFLOAT, 0),
                        (1, 3, vk::Format::R32_SFLOAT, 8),
                    ],
                    ..State::flat()
                };
                let order = [2u16, 1, 0, 5, 4, 3];
                let mut frame = Frame::new(gpu, Targets::new(test.size, &[RGBA8]))?;
                let input = Input {
                    vertices: vec![gpu.buffer_of(&vertices)?, gpu.buffer_of(&rows)?],
                    indices: Some((gpu.buffer_of(&order)?, vk::IndexType::UINT16)),
                    push: as_bytes(&scale).to_vec(),
                    // SAFETY: see the head of gpu.rs.
                    call: Call::Own(Box::new(move |d, c| unsafe {
                        if indexed {
                            d.cmd_draw_indexed(c, 6, 6, 0, first_vertex as i32, first_instance);
                        } else {
                            d.cmd_draw(c, 6, 6, first_vertex, first_instance);
                        }
                    })),
                    ..Input::default()
                };
                frame.draw_with(&state, &input)?;
                let found = frame.finish()?;
                let mut reference = Reference::new(&Targets::new(test.size, &[RGBA8]));
                for instance in 0..6u32 {
                    let row = rows[(first_instance + instance.checked_div(divisor).unwrap_or(0)) as usize];
                    let corner = |i: usize| {
                        let index = if indexed { u32::from(order[i]) } else { i as u32 } + first_vertex;
                        let mut v = vertices[index as usize];
                        v[0] += (row[0] + ((first_instance + instance) * 10) as f32) * scale[0];
                        v[1] += (row[1] + first_instance as f32) * scale[1];
                        // gl_VertexIndex has the base in it.
                        [v[5], v[6], v[7]] = [(index + 4 * first_vertex) as f32 / 15.0, row[2], 1.0];
                        v
                    };
                    reference.draw(&State::flat(), &corners(&[0, 1, 2, 3, 4, 5].map(corner)), &mut plain_flat);
                }
                let label = format!("divisor {divisor}, first {first_vertex} {first_instance}, indexed {indexed}");
                test.compare(&label, &found.colors[0], &reference.picture(0))?;
            }
        }
    }
    Ok(())
}

pub fn indirect(test: &mut Test<'_>) -> Result<(), Failure> {
    let gpu = test.gpu;
    let mut random = Random::new(11);
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let vertices: Vec<Vertex> = (0..60)
        .map(|_| test.at(random.place(2.0, w - 2.0), random.place(2.0, h - 2.0), 0.5, [random.unit(), random.unit(), 0.0, 1.0]))
        .collect();
    let order: Vec<u32> = (0..60).map(|_| random.below(60)).collect();
    // The blue of a draw is its number.
    let vertex = "
        layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(location = 0) flat out vec4 c;
        void main() { gl_Position = position; c = vec4(color.rg, float(gl_DrawID) / 5.0, 1); }";
    let state = State { vertex: vertex.to_owned(), ..State::flat() };
    // Vertices, instances, first (vertex or index), base vertex, first instance; 20 bytes for either kind.
    let draws: [[u32; 5]; 5] = [[6, 1, 3, 0, 0], [3, 1, 20, 5, 0], [0, 1, 0, 0, 0], [9, 0, 0, 0, 0], [6, 1, 30, 0, 0]];
    for (label, indexed, counted, many) in
        [("draws", false, false, 5), ("indexed", true, false, 5), ("counted", false, true, 4), ("indexed, counted", true, true, 4)]
    {
        let commands: Vec<[u32; 5]> =
            draws.iter().map(|&[n, i, first, base, f]| if indexed { [n, i, first, base, f] } else { [n, i, first, f, 0] }).collect();
        let buffer = gpu.buffer_of(&commands)?.raw;
        let count = gpu.buffer_of(&[0u32, many])?.raw;
        let input = Input {
            vertices: vec![gpu.buffer_of(&vertices)?],
            indices: Some((gpu.buffer_of(&order)?, vk::IndexType::UINT32)),
            // SAFETY: see the head of gpu.rs.
            call: Call::Own(Box::new(move |d, c| unsafe {
                match (indexed, counted) {
                    (false, false) => d.cmd_draw_indirect(c, buffer, 0, 5, 20),
                    (true, false) => d.cmd_draw_indexed_indirect(c, buffer, 0, 5, 20),
                    (false, true) => d.cmd_draw_indirect_count(c, buffer, 0, count, 4, 5, 20),
                    (true, true) => d.cmd_draw_indexed_indirect_count(c, buffer, 0, count, 4, 5, 20),
                }
            })),
            ..Input::default()
        };
        let mut frame = Frame::new(gpu, Targets::new(test.size, &[RGBA8]))?;
        frame.draw_with(&state, &input)?;
        let found = frame.finish()?;
        let mut reference = Reference::new(&Targets::new(test.size, &[RGBA8]));
        for (id, [n, instances, first, base, _]) in draws.into_iter().enumerate().take(many as usize) {
            let corner = |i: u32| {
                let index = if indexed { order[(first + i) as usize] + base } else { first + i };
                let mut v = vertices.get(index as usize).copied().unwrap_or_default();
                v[6] = id as f32 / 5.0;
                v
            };
            if instances > 0 {
                reference.draw(&State::flat(), &corners(&(0..n).map(corner).collect::<Vec<_>>()), &mut plain_flat);
            }
        }
        test.compare(label, &found.colors[0], &reference.picture(0))?;
    }
    Ok(())
}

/// Indices past the end of their buffer are 0 (robustBufferAccess2), and so are vertices past the end of theirs.
pub fn overrun(test: &mut Test<'_>) -> Result<(), Failure> {
    let gpu = Gpu::robust()?;
    let mut random = Random::new(9);
    let (w, h) = (test.size.0 as f32, test.size.1 as f32);
    let mut color = || [random.unit(), random.unit(), 0.0, 1.0];
    let colors: Vec<_> = (0..40).map(|_| color()).collect();
    let mut vertices: Vec<Vertex> =
        colors.iter().map(|&color| test.at(random.place(2.0, w - 2.0), random.place(2.0, h - 2.0), 0.5, color)).collect();
    let order: Vec<u32> = (0..30).map(|i| if i % 10 == 9 { 40 + random.below(1000) } else { random.below(40) }).collect();
    let mut frame = Frame::new(&gpu, Targets::new(test.size, &[RGBA8]))?;
    let input = Input {
        vertices: vec![gpu.buffer_of(&vertices)?],
        indices: Some((gpu.buffer_of(&order)?, vk::IndexType::UINT32)),
        // SAFETY: see the head of gpu.rs.
        call: Call::Own(Box::new(|d, c| unsafe { d.cmd_draw_indexed(c, 60, 1, 3, 0, 0) })),
        ..Input::default()
    };
    // A vertex of zeros has w = 0: it gets a place of its own.
    let state = State {
        vertex: State::flat().vertex.replace("= position", "= position.w == 0.0 ? vec4(-1, -1, 0.5, 1) : position"),
        ..State::flat()
    };
    frame.draw_with(&state, &input)?;
    let found = frame.finish()?;
    vertices.push([-1.0, -1.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0]);
    let all: Vec<Vertex> =
        (3..63).map(|i| order.get(i).map_or(0, |&n| n as usize)).map(|n| vertices.get(n).copied().unwrap_or(vertices[40])).collect();
    let mut reference = Reference::new(&Targets::new(test.size, &[RGBA8]));
    reference.draw(&State::flat(), &corners(&all), &mut plain_flat);
    test.compare("overrun", &found.colors[0], &reference.picture(0))
}
