//! Frames and pixels per second: how fast is a driver with many small triangles, and with shaders over all of a target?

use std::process::ExitCode;

use ash::vk;

use crate::failure::Failure;
use crate::frame::{Call, Frame, Input, Targets};
use crate::gpu::Gpu;
use crate::state::{Depth, State};
use crate::test::{Random, Vertex};

const SIZE: (u32, u32) = (1024, 768);
const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;

const TRIANGLES: &str = "100,000 triangles";
const DRAWS: &str = "200 draws of a triangle";

/// One triangle over the whole target, without a vertex buffer.
const COVER: &str = "
    layout(location = 0) out vec4 c;
    void main() {
        vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0;
        gl_Position = vec4(p, 0.5, 1);
        c = vec4(p, 0.5, 1);
    }";
const GRADIENT: &str = "
    layout(location = 0) in vec4 c;
    layout(location = 0) out vec4 o;
    void main() { o = c; }";
/// 256 multiplications and additions.
const LONG: &str = "
    layout(location = 0) in vec4 c;
    layout(location = 0) out vec4 o;
    void main() {
        vec4 v = c;
        for (int i = 0; i < 64; i++) v = v * v.wxyz + c;
        o = fract(v);
    }";

/// Runs those whose name contains `part`. A line each: name, milliseconds a frame, frames and what was drawn per second, milliseconds of processor time a
/// frame.
pub fn run(part: &str) -> ExitCode {
    let result = Gpu::new().and_then(|gpu| {
        println!("{}", gpu.name);
        let pixels = f64::from(SIZE.0 * SIZE.1);
        let wanted = |name: &str| name.contains(part);
        for (name, fragment) in [("full screen, gradient", GRADIENT), ("full screen, 256 multiply-adds", LONG)] {
            if !wanted(name) {
                continue;
            }
            let mut frame = Frame::new(&gpu, Targets::new(SIZE, &[RGBA8]))?;
            let input = Input { call: Call::Draw { vertices: 3, instances: 1 }, ..Input::default() };
            frame.draw_with(&State::shaders(COVER, fragment), &input)?;
            report(name, frame, pixels / 1e6, "Mpixel")?;
        }
        let depth = Some(Depth { func: vk::CompareOp::LESS, write: true });
        let state = State { depth, ..State::default() };
        let with_depth = || Targets::new(SIZE, &[RGBA8]).with_depth(vk::Format::D32_SFLOAT);
        let triangles = triangles();
        if wanted(TRIANGLES) {
            let mut frame = Frame::new(&gpu, with_depth())?;
            frame.draw(&state, &triangles)?;
            report(TRIANGLES, frame, 0.1, "Mtriangle")?;
        }
        if wanted(DRAWS) {
            let mut frame = Frame::new(&gpu, with_depth())?;
            for triangle in triangles.chunks_exact(3).take(200) {
                frame.draw(&state, triangle)?;
            }
            report(DRAWS, frame, 0.2, "kdraw")?;
        }
        Ok(())
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            println!("{failure}");
            ExitCode::FAILURE
        }
    }
}

/// Triangles of about 24 pixels.
fn triangles() -> Vec<Vertex> {
    let mut random = Random::new(1);
    (0..100_000)
        .flat_map(|_| {
            let (x, y, z) = (random.unit() * 2.0 - 1.0, random.unit() * 2.0 - 1.0, random.unit());
            let color = [random.unit(), random.unit(), random.unit()];
            [0, 1, 2].map(|_| {
                let (dx, dy) = (random.unit() * 24.0 / SIZE.0 as f32, random.unit() * 24.0 / SIZE.1 as f32);
                [x + dx, y + dy, z, 1.0, color[0], color[1], color[2], 1.0]
            })
        })
        .collect()
}

/// What all threads of this process have used.
fn processor_seconds() -> f64 {
    // proc(5): fields 14 and 15, in 1/100 s, counted behind the name in parentheses.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn report(name: &str, frame: Frame<'_>, amount: f64, unit: &str) -> Result<(), Failure> {
    let before = processor_seconds();
    let (seconds, frames) = frame.repeat(3.0)?;
    let busy = (processor_seconds() - before) / f64::from(frames) * 1e3;
    let ms = seconds * 1e3;
    println!("{name:32} {ms:9.3} ms  {:9.1} frames/s  {:9.3} {unit}/s  {busy:9.3} ms busy", 1.0 / seconds, amount / seconds);
    Ok(())
}
