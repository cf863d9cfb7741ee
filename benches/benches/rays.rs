//! How many ray intersection instructions does one core execute, and how many rays does that make? The scene is a height field of 2 x 128 x 128
//! triangles seen from above its edge; rays of a picture of 256x128, 8x4 to a wave, go through the hierarchy as a shader's loop would take them,
//! nearest child first. Lanes per second of the instruction alone, and of boxes and triangles that all lanes share.

use std::hint::black_box;
use wavejit_benches::{best, is_smoke_test, machine, ns_each};
use wavejit_texture::descriptor::BvhDescriptor;
use wavejit_texture::memory::FlatMemory;
use wavejit_texture::ray::build::{BoxFormat, Bvh, build};
use wavejit_texture::ray::node::INVALID;
use wavejit_texture::ray::{Form, RayError, RayOp, Rows, execute};
use wavejit_texture::wave::LaneIter;
use wavejit_texture::{Generation, Wave};

const BASE: u64 = 0x1_0000_0000;
const LANES: usize = 32;
const GRID: usize = 128;

fn main() -> Result<(), RayError> {
    println!("{}", machine());
    for (name, format) in [("boxes of f32", BoxFormat::F32), ("boxes of f16", BoxFormat::F16)] {
        let bvh = build(&scene(), format);
        let memory = FlatMemory::new(BASE, bvh.bytes.clone());
        let mut d = BvhDescriptor::new(Generation::Gfx11);
        (d.base, d.bytes) = (BASE, bvh.bytes.len() as u64);
        let mut tracer = Tracer::new(&bvh, d, &memory);
        let mut totals = Totals::default();
        let time = best(20, || totals = tracer.picture());
        let seconds = time.as_secs_f64();
        println!(
            "{name}: {:.2} Mrays/s, {:.1} instructions per ray, {:.1} Mlanes/s, {:.0} of {} rays hit",
            totals.rays as f64 / seconds / 1e6,
            totals.lanes as f64 / totals.rays as f64,
            totals.lanes as f64 / seconds / 1e6,
            totals.hits,
            totals.rays
        );
        // A leaf behind the root: the first pointer of a triangle.
        let leaf = (8..bvh.bytes.len() as u32 / 8).step_by(8).find(|&at| bvh.triangle(at) == Some(0)).unwrap_or(0);
        for (what, pointer) in [("the root's boxes", bvh.root), ("one triangle", leaf)] {
            let ns = tracer.one(pointer);
            println!("{name}, all lanes test {what}: {:.1} Mlanes/s, {ns:.1} ns per wave", LANES as f64 / ns * 1e3);
        }
        if let Some(error) = tracer.error {
            return Err(error);
        }
    }
    Ok(())
}

/// Triangles of a hilly field.
fn scene() -> Vec<[[f32; 3]; 3]> {
    let at = |x: usize, z: usize| {
        let (x, z) = (x as f32, z as f32);
        [x, 4.0 * (x * 0.21).sin() * (z * 0.17).cos(), z]
    };
    let square = |n: usize| {
        let (x, z) = (n % GRID, n / GRID);
        let [a, b, c, d] = [at(x, z), at(x + 1, z), at(x, z + 1), at(x + 1, z + 1)];
        [[a, b, c], [b, d, c]]
    };
    (0..GRID * GRID).flat_map(square).collect()
}

/// What a picture took.
#[derive(Clone, Copy, Default)]
struct Totals {
    rays: u64,
    hits: u64,
    /// Lanes that took part in an instruction.
    lanes: u64,
}

struct Tracer<'a> {
    op: RayOp,
    d: BvhDescriptor,
    root: u32,
    memory: &'a FlatMemory,
    error: Option<RayError>,
}

/// Rows: node, extent, origin, direction, inverse; then results.
const ROWS: Rows = Rows { address: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0], dst: [11, 12, 13, 14, 0, 0, 0, 0, 0, 0] };

impl<'a> Tracer<'a> {
    fn new(bvh: &Bvh, d: BvhDescriptor, memory: &'a FlatMemory) -> Tracer<'a> {
        let op = RayOp::new(Form::Bvh, Generation::Gfx11, false);
        let op = op.unwrap_or_else(|| unreachable!("gfx11 has ray instructions"));
        Tracer { op, d, root: bvh.root, memory, error: None }
    }

    fn step(&mut self, rows: &mut [u32], exec: u64) {
        let done = execute(&self.op, &self.d, &mut Wave::new(rows, LANES, exec), &ROWS, self.memory);
        self.error = self.error.or(done.err());
    }

    /// Nanoseconds of a wave whose lanes all test one node, with rays of the picture's middle.
    fn one(&mut self, pointer: u32) -> f64 {
        let mut rows = rays(16 * 32 + 16);
        rows[..LANES].fill(pointer);
        let time = best(50, || {
            for _ in 0..1000 {
                self.step(black_box(&mut rows), u64::MAX);
            }
        });
        ns_each(time, 1000.0)
    }

    fn picture(&mut self) -> Totals {
        let mut totals = Totals::default();
        for tile in 0..if is_smoke_test() { 4 } else { 32 * 32 } {
            let mut rows = rays(tile);
            let mut stacks = [[0_u32; 64]; LANES];
            let mut depth = [0; LANES];
            let mut nearest = [f32::INFINITY; LANES];
            rows[..LANES].fill(self.root);
            let mut exec = u64::from(u32::MAX);
            totals.rays += LANES as u64;
            while exec != 0 {
                totals.lanes += u64::from(exec.count_ones());
                self.step(&mut rows, exec);
                for lane in LaneIter(exec) {
                    let result = [11, 12, 13, 14].map(|row| rows[row * LANES + lane]);
                    if rows[lane] & 7 < 4 {
                        let [t, denominator] = [result[0], result[1]].map(f32::from_bits);
                        nearest[lane] = nearest[lane].min(t / denominator);
                        rows[LANES + lane] = nearest[lane].to_bits();
                    } else {
                        for child in result.into_iter().rev().filter(|&child| child != INVALID) {
                            stacks[lane][depth[lane] & 63] = child;
                            depth[lane] += 1;
                        }
                    }
                    if depth[lane] == 0 {
                        exec &= !(1 << lane);
                    } else {
                        depth[lane] -= 1;
                        rows[lane] = stacks[lane][depth[lane] & 63];
                    }
                }
            }
            totals.hits += nearest.iter().filter(|t| t.is_finite()).count() as u64;
        }
        totals
    }
}

/// Registers of a wave of the picture.
fn rays(tile: usize) -> Vec<u32> {
    let mut rows = vec![0; 16 * LANES];
    for lane in 0..LANES {
        let x = (tile % 32 * 8 + lane % 8) as f32 / 256.0 - 0.5;
        let y = (tile / 32 * 4 + lane / 8) as f32 / 128.0 - 0.5;
        let direction = [x, -0.35 - 0.5 * y, 1.0];
        let values = [f32::INFINITY, 64.0, 24.0, -8.0, direction[0], direction[1], direction[2]];
        let inverse = direction.map(|d| 1.0 / d);
        for (row, value) in values.into_iter().chain(inverse).enumerate() {
            rows[(row + 1) * LANES + lane] = value.to_bits();
        }
    }
    rows
}
