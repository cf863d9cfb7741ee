//! Setup: primitives of a batch become [`Shape`]s, or nothing.
//!
//! Cull distances, clipping, division, viewport, quantization to 1/256 pixel, facing, culling, polygon mode, depth bias: graphics.md 5.1 to 5.5.

use super::OutputKind;
use super::clip::{Corner, clip, is_culled, outcode, outside};
use super::shape::{Cover, Edge, Plane, STEPS, Shape, bounds, line_columns};
use crate::draw::primitives::{Batch, Primitive};
use crate::registers::raster::{Fill, RasterState, Rect, VIEWPORTS, Viewport};

/// What setup counted for pipeline statistics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ClipCounts {
    /// Primitives that came.
    pub invocations: u64,
    /// Primitives that were left.
    pub primitives: u64,
}

/// Makes shapes of batches.
pub(crate) struct Setup<'a> {
    state: &'a RasterState,
    kind: OutputKind,
    /// How far samples are from the middle of a pixel, in steps.
    spread: i64,
    polygon: Vec<Corner>,
    outcodes: Vec<u32>,
    /// Pixels along the stippled lines of this strip, up to here.
    stippled: i64,
    pub counts: ClipCounts,
}

/// A corner on the screen.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// In 1/256 pixel.
    at: [i64; 2],
    /// Window z.
    z: f64,
    /// 1 / w.
    reciprocal: f64,
    weights: [f64; 3],
}

const WHOLE: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// What all shapes of a primitive have in common.
struct Common {
    shape: Shape,
    viewport: Viewport,
}

impl<'a> Setup<'a> {
    pub(crate) fn new(state: &'a RasterState, kind: OutputKind) -> Setup<'a> {
        // Samples are on a grid of 1/16 pixel, at most half a pixel from the middle.
        let spread = if state.samples > 1 { STEPS / 2 } else { 0 };
        Setup { state, kind, spread, polygon: Vec::new(), outcodes: Vec::new(), stippled: 0, counts: ClipCounts::default() }
    }

    /// Appends the shapes of primitives `from..` of a batch, until there are `most`. The number of the first primitive that was not done.
    pub(crate) fn batch(&mut self, number: u32, batch: &Batch, from: usize, most: usize, shapes: &mut Vec<Shape>) -> usize {
        if from == 0 {
            self.outcodes.clear();
            let state = self.state;
            self.outcodes.extend(batch.vertices.iter().map(|v| outcode(state, v.position, &v.distances)));
        }
        for (n, primitive) in batch.primitives.iter().enumerate().skip(from) {
            if shapes.len() >= most {
                return n;
            }
            self.primitive(number, batch, primitive, shapes);
        }
        batch.primitives.len()
    }

    fn primitive(&mut self, number: u32, batch: &Batch, primitive: &Primitive, shapes: &mut Vec<Shape>) {
        let count = match self.kind {
            OutputKind::Points => 1,
            OutputKind::Lines => 2,
            OutputKind::Triangles | OutputKind::Rectangles => 3,
        };
        let corners: [u16; 3] = std::array::from_fn(|n| primitive.corners[if n < count { n } else { 0 }]);
        let [Some(a), Some(b), Some(c)] = corners.map(|c| self.outcodes.get(usize::from(c)).copied()) else {
            return; // names a vertex that was not exported
        };
        self.counts.invocations += 1;
        if self.state.stipple.is_some_and(|s| s.resets_each_line || primitive.begins_strip) {
            self.stippled = 0;
        }
        let vertices = corners.map(|c| &batch.vertices[usize::from(c)]);
        let (any, all) = (a | b | c, a & b & c);
        if any & outside::INVALID != 0 || all & outside::DROPS != 0 {
            return;
        }
        let distances = vertices.map(|v| &v.distances);
        if self.state.cull_distances != 0 && is_culled(self.state.cull_distances, &distances[..count]) {
            return;
        }
        let provoking = vertices[if self.state.provoking_is_last { count - 1 } else { 0 }];
        let has = self.state.vertex_has;
        let viewport = if has.viewport { (provoking.misc_z >> 16 & 15) as usize % VIEWPORTS } else { 0 };
        let common = Common {
            viewport: self.state.viewports[viewport],
            shape: Shape {
                cover: Cover::Convex([Edge::default(); 4], 0),
                bounds: Default::default(),
                depth: Plane::default(),
                perspective: [Plane::default(); 3],
                linear: [Plane::default(); 2],
                batch: number,
                corners,
                primitive: primitive.number,
                kind: count as u8,
                is_front: true,
                viewport: viewport as u8,
                layer: if has.layer { (provoking.misc_z & 0x1fff) as u16 } else { 0 },
            },
        };
        let before = shapes.len();
        let positions = vertices.map(|v| v.position);
        match self.kind {
            OutputKind::Points => {
                let size = if has.point_size && !provoking.point_size.is_nan() { [provoking.point_size; 2] } else { self.state.point_size };
                if any & outside::CUTS & !outside::GUARD == 0 {
                    let place = place(&common.viewport, positions[0].map(f64::from), WHOLE[0]);
                    self.point(&common, place, size, shapes);
                }
            }
            OutputKind::Rectangles => {
                if any & outside::EYE == 0 {
                    let places = [0, 1, 2].map(|n| place(&common.viewport, positions[n].map(f64::from), WHOLE[n]));
                    self.rectangle(&common, places, shapes);
                }
            }
            OutputKind::Lines => {
                let mut ends = std::mem::take(&mut self.polygon);
                ends.clear();
                ends.extend([0, 1].map(|n| Corner { position: positions[n].map(f64::from), weights: WHOLE[n] }));
                if any & outside::CUTS != 0 {
                    clip(self.state, any, distances, &mut ends);
                }
                if let [a, b] = ends[..] {
                    let places = [a, b].map(|c| place(&common.viewport, c.position, c.weights));
                    self.line(&common, places, shapes);
                }
                self.polygon = ends;
            }
            OutputKind::Triangles if any & outside::CUTS == 0 => {
                let places = [0, 1, 2].map(|n| place(&common.viewport, positions[n].map(f64::from), WHOLE[n]));
                self.triangle(&common, places, None, shapes);
            }
            OutputKind::Triangles => {
                let mut left = std::mem::take(&mut self.polygon);
                left.clear();
                left.extend((0..3).map(|n| Corner { position: positions[n].map(f64::from), weights: WHOLE[n] }));
                clip(self.state, any, distances, &mut left);
                if left.len() >= 3
                    && let Some(whole) = homogeneous(&common.viewport, positions)
                {
                    for n in 1..left.len() - 1 {
                        let places = [left[0], left[n], left[n + 1]].map(|c| place(&common.viewport, c.position, c.weights));
                        self.triangle(&common, places, Some(whole), shapes);
                    }
                }
                self.polygon = left;
            }
        }
        self.counts.primitives += u64::from(shapes.len() > before);
    }

    /// Puts a shape on the list if any pixel may be covered.
    fn push(&self, common: &Common, shape: Shape, corners: &[[i64; 2]], shapes: &mut Vec<Shape>) {
        shapes.extend(self.bounded(common, shape, corners));
    }

    /// A shape with its bounds; `None`: no pixel may be covered.
    fn bounded(&self, common: &Common, shape: Shape, corners: &[[i64; 2]]) -> Option<Shape> {
        let bounds = bounds(corners, self.spread).and(common.viewport.scissor);
        (!bounds.is_empty()).then_some(Shape { bounds, ..shape })
    }

    /// `whole`: planes of a triangle that was cut, which its parts share.
    fn triangle(&mut self, common: &Common, places: [Place; 3], whole: Option<Whole>, shapes: &mut Vec<Shape>) {
        let [a, b, c] = places.map(|p| p.at);
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        if area == 0 {
            return;
        }
        let is_front = (area > 0) == self.state.front_is_clockwise;
        if self.state.culls[usize::from(!is_front)] {
            return;
        }
        let weights = Weights::new([a, b, c], area);
        let [p, q, r] = places;
        let mut depth = whole.map_or_else(|| weights.plane([p.z, q.z, r.z]), |whole| whole.depth);
        let fill = self.state.fill[usize::from(!is_front)];
        if self.state.bias_enabled[usize::from(!is_front)] {
            depth.c += self.bias(usize::from(!is_front), &depth, [p.z, q.z, r.z]);
        }
        let of_places = || {
            let [i0, i1, i2] = [p.reciprocal, q.reciprocal, r.reciprocal];
            [weights.plane([0.0, i1, 0.0]), weights.plane([0.0, 0.0, i2]), weights.plane([i0, i1, i2])]
        };
        let perspective = whole.map_or_else(of_places, |whole| whole.perspective);
        let linear = [1, 2].map(|k| weights.plane([p.weights[k], q.weights[k], r.weights[k]]));
        let base = Shape { depth, perspective, linear, is_front, ..common.shape.clone() };
        match fill {
            Fill::Solid => {
                let edges = if area > 0 {
                    [Edge::between(a, b), Edge::between(b, c), Edge::between(c, a), Edge::default()]
                } else {
                    [Edge::between(a, c), Edge::between(c, b), Edge::between(b, a), Edge::default()]
                };
                self.push(common, Shape { cover: Cover::Convex(edges, 3), ..base }, &[a, b, c], shapes);
            }
            Fill::Lines => {
                for n in 0..3 {
                    let ends = [places[n], places[(n + 1) % 3]];
                    // Edges that clipping made are not drawn: both ends have none of some corner, and it is not the same one.
                    let on_an_edge = (0..3).any(|k| ends.iter().all(|e| e.weights[k].abs() < 1e-12));
                    if on_an_edge {
                        self.line_cover(common, &base, ends, shapes);
                    }
                }
            }
            Fill::Points => {
                for place in places.iter().filter(|p| p.weights.contains(&1.0)) {
                    let (cover, corners) = square(place.at, self.point_size(self.state.point_size));
                    self.push(common, Shape { cover, ..base.clone() }, &corners, shapes);
                }
            }
        }
    }

    /// Three corners of a rectangle with sides along x and y; not culled (graphics.md 5.3).
    fn rectangle(&mut self, common: &Common, places: [Place; 3], shapes: &mut Vec<Shape>) {
        let [a, b, c] = places.map(|p| p.at);
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        if area == 0 {
            return;
        }
        let weights = Weights::new([a, b, c], area);
        let [p, q, r] = places;
        let [i0, i1, i2] = [p.reciprocal, q.reciprocal, r.reciprocal];
        let least = [0, 1].map(|d| a[d].min(b[d]).min(c[d]));
        let most = [0, 1].map(|d| a[d].max(b[d]).max(c[d]));
        let corners = [least, [most[0], least[1]], most, [least[0], most[1]]];
        let shape = Shape {
            cover: convex(&corners),
            depth: weights.plane([p.z, q.z, r.z]),
            perspective: [weights.plane([0.0, i1, 0.0]), weights.plane([0.0, 0.0, i2]), weights.plane([i0, i1, i2])],
            linear: [weights.plane([0.0, 1.0, 0.0]), weights.plane([0.0, 0.0, 1.0])],
            ..common.shape.clone()
        };
        self.push(common, shape, &corners, shapes);
    }

    /// I and J of a point are its coordinates, S to the right and T down.
    fn point(&mut self, common: &Common, place: Place, size: [f32; 2], shapes: &mut Vec<Shape>) {
        let size = self.point_size(size);
        let (cover, corners) = square(place.at, size);
        let [left, top] = [0, 1].map(|d| corners[0][d] as f64 / STEPS as f64);
        let [width, height] = [0, 1].map(|d| ((corners[2][d] - corners[0][d]) as f64 / STEPS as f64).max(1.0 / STEPS as f64));
        let s = Plane { x: 1.0 / width, y: 0.0, c: -left / width };
        let t = Plane { x: 0.0, y: 1.0 / height, c: -top / height };
        let scaled = |p: Plane| Plane { x: p.x * place.reciprocal, y: p.y * place.reciprocal, c: p.c * place.reciprocal };
        let mut depth = Plane::constant(place.z);
        if self.state.bias_enabled[2] {
            depth.c += self.bias(0, &depth, [place.z; 3]);
        }
        let perspective = [scaled(s), scaled(t), Plane::constant(place.reciprocal)];
        self.push(common, Shape { cover, depth, perspective, linear: [s, t], ..common.shape.clone() }, &corners, shapes);
    }

    fn point_size(&self, size: [f32; 2]) -> [f32; 2] {
        let [least, most] = self.state.point_limits;
        size.map(|s| s.max(least).min(most.max(least)))
    }

    /// I is how far along the line a place is.
    fn line(&mut self, common: &Common, ends: [Place; 2], shapes: &mut Vec<Shape>) {
        let [a, b] = ends;
        let [dx, dy] = [0, 1].map(|d| (b.at[d] - a.at[d]) as f64 / STEPS as f64);
        let length2 = dx * dx + dy * dy;
        if length2 == 0.0 {
            return;
        }
        // How far along, from 0 to 1, as a plane; attributes do not change across the line.
        let (x, y) = (dx / length2, dy / length2);
        let along = Plane { x, y, c: -(x * a.at[0] as f64 + y * a.at[1] as f64) / STEPS as f64 };
        let between = |v0: f64, v1: f64| Plane { x: along.x * (v1 - v0), y: along.y * (v1 - v0), c: along.c * (v1 - v0) + v0 };
        let mut depth = between(a.z, b.z);
        if self.state.bias_enabled[2] {
            depth.c += self.bias(0, &depth, [a.z, b.z, b.z]);
        }
        let of = |k: usize| between(a.weights[k] * a.reciprocal, b.weights[k] * b.reciprocal);
        let base = Shape {
            depth,
            perspective: [of(1), Plane::default(), between(a.reciprocal, b.reciprocal)],
            linear: [between(a.weights[1], b.weights[1]), Plane::default()],
            ..common.shape.clone()
        };
        self.line_cover(common, &base, ends, shapes);
    }

    /// The pixels of a line, thin or wide (graphics.md 5.4).
    fn line_cover(&mut self, common: &Common, base: &Shape, ends: [Place; 2], shapes: &mut Vec<Shape>) {
        let [a, b] = ends.map(|p| p.at);
        let [dx, dy] = [b[0] - a[0], b[1] - a[1]];
        if dx == 0 && dy == 0 {
            return;
        }
        let width = f64::from(self.state.line_width) * STEPS as f64;
        let is_rectangle = self.state.lines_are_rectangles || self.state.samples > 1;
        if !is_rectangle && self.state.line_width <= 1.0 {
            let corners = [a, b].map(|p| [[p[0] - STEPS, p[1] - STEPS], [p[0] + STEPS, p[1] + STEPS]]).concat();
            return self.push_line(common, Shape { cover: Cover::Line(a, b), ..base.clone() }, [a, b], &corners, shapes);
        }
        let half = if is_rectangle {
            let length = ((dx * dx + dy * dy) as f64).sqrt();
            [-dy as f64 / length, dx as f64 / length].map(|n| (n * width / 2.0).round_ties_even() as i64)
        } else if dx.abs() >= dy.abs() {
            [0, (width / 2.0) as i64]
        } else {
            [(width / 2.0) as i64, 0]
        };
        let [p, m] = [1, -1].map(|s| half.map(|h| h * s));
        let shifted = |at: [i64; 2], by: [i64; 2]| [at[0] + by[0], at[1] + by[1]];
        let corners = [shifted(a, m), shifted(b, m), shifted(b, p), shifted(a, p)];
        self.push_line(common, Shape { cover: convex(&corners), ..base.clone() }, [a, b], &corners, shapes);
    }

    /// A line as it is, or one for each run of pixels along it that a stipple leaves (Vulkan specification, "Line Stipple").
    fn push_line(&mut self, common: &Common, shape: Shape, ends: [[i64; 2]; 2], corners: &[[i64; 2]], shapes: &mut Vec<Shape>) {
        let Some(stipple) = self.state.stipple else {
            return self.push(common, shape, corners, shapes);
        };
        let is_wide = !matches!(shape.cover, Cover::Line(..));
        let Some([first, last]) = line_columns(ends[0], ends[1], is_wide) else { return };
        let step = if last < first { -1 } else { 1 };
        let start = self.stippled;
        self.stippled += (last - first) * step + 1;
        let Some(whole) = self.bounded(common, shape, corners) else { return };
        let is_tall = (ends[1][1] - ends[0][1]).abs() > (ends[1][0] - ends[0][0]).abs();
        let b = whole.bounds;
        let [low, high] = (if is_tall { [b.y0, b.y1 - 1] } else { [b.x0, b.x1 - 1] }).map(i64::from);
        let [low, high] = [low.max(first.min(last)), high.min(first.max(last))];
        let mut column = low;
        while column <= high {
            let is_lit = |column: i64| stipple.lights(start + (column - first) * step);
            let lit = is_lit(column);
            let from = column;
            while column <= high && is_lit(column) == lit {
                column += 1;
            }
            if lit {
                let [from, to] = [from as i32, column as i32];
                let bounds = if is_tall { Rect { y0: from, y1: to, ..b } } else { Rect { x0: from, x1: to, ..b } };
                shapes.push(Shape { bounds, ..whole.clone() });
            }
        }
    }

    /// Depth bias of a primitive with such depths.
    fn bias(&self, face: usize, depth: &Plane, z: [f64; 3]) -> f64 {
        let bias = self.state.bias[face];
        let slope = depth.x.abs().max(depth.y.abs());
        let largest = z.into_iter().fold(0.0, |most: f64, z| most.max(z.abs())) as f32;
        let unit = if self.state.bias_is_float {
            let exponent = (largest.to_bits() >> 23 & 0xff) as i32 - 127;
            2f64.powi(exponent + self.state.bias_bits)
        } else {
            2f64.powi(self.state.bias_bits)
        };
        let offset = slope * f64::from(bias.slope) + unit * f64::from(bias.constant);
        let clamp = f64::from(self.state.bias_clamp);
        match clamp {
            c if c > 0.0 => offset.min(c),
            c if c < 0.0 => offset.max(c),
            _ => offset,
        }
    }
}

/// The edges of a polygon of four corners, in either direction.
fn convex(corners: &[[i64; 2]; 4]) -> Cover {
    let [a, b, c, _] = *corners;
    let area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
    let edge = |n: usize| {
        let (from, to) = (corners[n], corners[(n + 1) % 4]);
        if area > 0 { Edge::between(from, to) } else { Edge::between(to, from) }
    };
    Cover::Convex([edge(0), edge(1), edge(2), edge(3)], 4)
}

/// The square of a point: its edges and corners.
fn square(at: [i64; 2], size: [f32; 2]) -> (Cover, [[i64; 2]; 4]) {
    let size = size.map(|s| (f64::from(s) * STEPS as f64).round_ties_even() as i64);
    let least = [0, 1].map(|d| at[d] - size[d] / 2);
    let most = [0, 1].map(|d| least[d] + size[d]);
    let corners = [least, [most[0], least[1]], most, [least[0], most[1]]];
    (convex(&corners), corners)
}

/// Divides by w, and goes through the viewport to the grid of 1/256 pixel.
fn place(viewport: &Viewport, [x, y, z, w]: [f64; 4], weights: [f64; 3]) -> Place {
    let reciprocal = f64::from(1.0 / w as f32);
    let to_window = |v: f64, d: usize| (v as f32 / w as f32) * viewport.scale[d] + viewport.offset[d];
    // To the nearest multiple, ties to even: the last place of the sum is 1.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let quantize = |v: f32| {
        let steps = (f64::from(v) * STEPS as f64).clamp(-16_777_216.0, 16_777_216.0);
        ((steps + ROUND) - ROUND) as i64
    };
    Place { at: [quantize(to_window(x, 0)), quantize(to_window(y, 1))], z: f64::from(to_window(z, 2)), reciprocal, weights }
}

/// Weights of three corners as planes.
struct Weights([Plane; 2]);

impl Weights {
    /// `area`: twice that of the triangle, in squares of steps.
    fn new([a, b, c]: [[i64; 2]; 3], area: i64) -> Weights {
        let pixel = 1.0 / STEPS as f64;
        let inverse = (STEPS * STEPS) as f64 / area as f64;
        let [x1, y1, x2, y2] = [b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]].map(|v| v as f64 * pixel * inverse);
        let [x0, y0] = [a[0] as f64 * pixel, a[1] as f64 * pixel];
        let plane = |x: f64, y: f64| Plane { x, y, c: -(x * x0 + y * y0) };
        Weights([plane(y2, -x2), plane(-y1, x1)])
    }

    /// What has these values at the corners.
    fn plane(&self, [v0, v1, v2]: [f64; 3]) -> Plane {
        let [p, q] = &self.0;
        let (d1, d2) = (v1 - v0, v2 - v0);
        Plane { x: p.x * d1 + q.x * d2, y: p.y * d1 + q.y * d2, c: v0 + p.c * d1 + q.c * d2 }
    }
}

/// What is linear over a triangle whose corners may be behind the eye.
#[derive(Clone, Copy)]
struct Whole {
    /// I / w, J / w, 1 / w.
    perspective: [Plane; 3],
    /// Window z.
    depth: Plane,
}

/// With window coordinates times w in the rows of a matrix, its inverse takes (x, y, 1) to each corner's weight over w.
fn homogeneous(viewport: &Viewport, positions: [[f32; 4]; 3]) -> Option<Whole> {
    let m = positions.map(|p| {
        let [x, y, _, w] = p.map(f64::from);
        let at = |v: f64, d: usize| v * f64::from(viewport.scale[d]) + w * f64::from(viewport.offset[d]);
        [at(x, 0), at(y, 1), w]
    });
    let cross = |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let columns = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
    let determinant: f64 = (0..3).map(|d| m[0][d] * columns[0][d]).sum();
    if determinant == 0.0 || !determinant.is_finite() {
        return None;
    }
    let weights = columns.map(|c| Plane { x: c[0] / determinant, y: c[1] / determinant, c: c[2] / determinant });
    let sum = |values: [f64; 3]| {
        let add = |part: fn(&Plane) -> f64| weights.iter().zip(values).map(|(w, v)| part(w) * v).sum();
        Plane { x: add(|p| p.x), y: add(|p| p.y), c: add(|p| p.c) }
    };
    let depths = positions.map(|p| f64::from(p[2]) * f64::from(viewport.scale[2]) + f64::from(p[3]) * f64::from(viewport.offset[2]));
    Some(Whole { perspective: [weights[1], weights[2], sum([1.0; 3])], depth: sum(depths) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::primitives::Vertex;
    use crate::raster::tests::{batch, state};
    use crate::registers::raster::Stipple;

    fn shapes(state: &RasterState, kind: OutputKind, positions: &[[f32; 4]]) -> Vec<Shape> {
        let batch = batch(positions, kind);
        let mut shapes = Vec::new();
        Setup::new(state, kind).batch(0, &batch, 0, usize::MAX, &mut shapes);
        shapes
    }

    /// Clip-space position of a place on the 64 x 64 pixels of the test's viewport.
    fn at(x: f32, y: f32, z: f32, w: f32) -> [f32; 4] {
        [(x / 32.0 - 1.0) * w, (y / 32.0 - 1.0) * w, z * w, w]
    }

    // graphics.md 5.3: facing by the sign of the area, y down; CULL bits as named.
    #[test]
    fn faces_are_culled_by_direction() {
        let clockwise = [at(0.0, 0.0, 0.5, 1.0), at(20.0, 0.0, 0.5, 1.0), at(0.0, 20.0, 0.5, 1.0)];
        let mut state = state();
        assert!(!shapes(&state, OutputKind::Triangles, &clockwise)[0].is_front, "FACE 0: counterclockwise is front");
        state.front_is_clockwise = true;
        assert!(shapes(&state, OutputKind::Triangles, &clockwise)[0].is_front);
        state.culls = [true, false];
        assert!(shapes(&state, OutputKind::Triangles, &clockwise).is_empty());
        state.culls = [false, true];
        assert_eq!(shapes(&state, OutputKind::Triangles, &clockwise).len(), 1);
        let [a, b, c] = clockwise;
        assert!(shapes(&state, OutputKind::Triangles, &[a, c, b]).is_empty());
    }

    // graphics.md 7, scene 24.
    #[test]
    fn what_has_no_area_or_no_number_is_dropped() {
        let state = state();
        let line = [at(0.0, 0.0, 0.5, 1.0), at(20.0, 20.0, 0.5, 1.0), at(40.0, 40.0, 0.5, 1.0)];
        assert!(shapes(&state, OutputKind::Triangles, &line).is_empty());
        let odd = [[f32::NAN, 0.0, 0.5, 1.0], at(20.0, 0.0, 0.5, 1.0), at(0.0, 20.0, 0.5, 1.0)];
        assert!(shapes(&state, OutputKind::Triangles, &odd).is_empty());
    }

    // graphics.md 4.6: I = b1 / w1 over the sum, which is what each corner's attribute is weighted with.
    #[test]
    fn perspective_weights_are_one_at_their_corner() {
        let places = [(4.0, 4.0, 1.0), (60.0, 8.0, 2.0), (12.0, 56.0, 5.0)];
        let shape = &shapes(&state(), OutputKind::Triangles, &places.map(|(x, y, w)| at(x, y, 0.5, w)))[0];
        for (n, (x, y, w)) in places.into_iter().enumerate() {
            let (x, y) = (f64::from(x), f64::from(y));
            let [i, j, q] = shape.perspective.map(|p| p.at(x, y));
            let expected = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]][n];
            assert!((i / q - expected[0]).abs() < 1e-5 && (j / q - expected[1]).abs() < 1e-5);
            assert!((q - 1.0 / f64::from(w)).abs() < 1e-6);
            assert!((shape.linear[0].at(x, y) - expected[0]).abs() < 1e-5);
        }
    }

    // graphics.md 7, scene 14: through the eye plane. Weights of what is left are those that mix the corners to the place.
    #[test]
    fn a_triangle_through_the_eye_keeps_its_weights() {
        let corners = [[-0.5, -0.5, 0.2, 1.0], [0.5, -0.5, 0.2, 1.0], [0.0, 0.9, 0.1, -0.5]];
        let left = shapes(&state(), OutputKind::Triangles, &corners);
        assert!(!left.is_empty());
        for shape in &left {
            let (x, y) = (32.5, 20.5);
            let [i, j, q] = shape.perspective.map(|p| p.at(x, y));
            let (i, j) = (i / q, j / q);
            let mixed: Vec<f64> = (0..4)
                .map(|d| f64::from(corners[0][d]) * (1.0 - i - j) + f64::from(corners[1][d]) * i + f64::from(corners[2][d]) * j)
                .collect();
            assert!((mixed[0] / mixed[3] * 32.0 + 32.0 - x).abs() < 1e-6);
            assert!((mixed[1] / mixed[3] * 32.0 + 32.0 - y).abs() < 1e-6);
        }
    }

    // graphics.md 5.5: m * SCALE / 16 + r * OFFSET, clamped; r of floats by the exponent of the largest depth.
    #[test]
    fn bias_follows_slope_and_unit() {
        let mut state = state();
        state.bias_enabled = [true; 3];
        state.bias = [crate::registers::raster::Bias { slope: 2.0, constant: 3.0 }; 2];
        state.bias_bits = -16;
        let corners = [at(0.0, 0.0, 0.25, 1.0), at(32.0, 0.0, 0.5, 1.0), at(0.0, 32.0, 0.25, 1.0)];
        let depth = |state: &RasterState| shapes(state, OutputKind::Triangles, &corners)[0].depth.at(0.0, 0.0);
        let slope = 0.25 / 32.0;
        assert!((depth(&state) - (0.25 + 2.0 * slope + 3.0 / 65536.0)).abs() < 1e-7);
        state.bias_clamp = 0.001;
        assert!((depth(&state) - 0.251).abs() < 1e-7);
        (state.bias_clamp, state.bias_is_float, state.bias_bits) = (0.0, true, -23);
        assert!((depth(&state) - (0.25 + 2.0 * slope + 3.0 * 2f64.powi(-24))).abs() < 1e-7);
    }

    // graphics.md 5.4: a square around the vertex, coordinates from its upper left.
    #[test]
    fn points_are_squares_with_coordinates() {
        let mut state = state();
        state.vertex_has.point_size = true;
        state.point_limits = [0.0, 100.0];
        let mut batch = batch(&[at(10.0, 20.0, 0.5, 1.0)], OutputKind::Points);
        batch.vertices[0] = Vertex { point_size: 4.0, ..batch.vertices[0] };
        let mut found = Vec::new();
        Setup::new(&state, OutputKind::Points).batch(0, &batch, 0, usize::MAX, &mut found);
        let bounds = found[0].bounds;
        assert_eq!([bounds.x0, bounds.y0, bounds.x1, bounds.y1], [8, 18, 12, 22]);
        assert_eq!(found[0].linear.map(|p| p.at(9.0, 21.0)), [0.25, 0.75]);
    }

    // graphics.md 5.4: lines that are not strict are extruded across their longer direction.
    #[test]
    fn wide_lines_are_parallelograms() {
        let mut state = state();
        state.line_width = 4.0;
        let found = &shapes(&state, OutputKind::Lines, &[at(10.0, 20.0, 0.0, 1.0), at(50.0, 32.0, 0.5, 1.0)])[0];
        let area = Rect { x0: 0, y0: 0, x1: 64, y1: 64 };
        let mut rows = [0; 64];
        found.rows([0, 0], area, [STEPS / 2; 2], &mut rows);
        for x in 0..64 {
            let middle = 20.0 + (f64::from(x) + 0.5 - 10.0) * 0.3;
            let expected = (0..64).filter(|y| (10..50).contains(&x) && (f64::from(*y) + 0.5 - middle).abs() < 2.0).count();
            assert_eq!(rows.iter().filter(|row| **row >> x & 1 != 0).count(), expected, "column {x}");
        }
        assert!((found.linear[0].at(30.0, 26.0) - 0.5).abs() < 1e-6 && (found.depth.at(30.0, 26.0) - 0.25).abs() < 1e-6);
    }

    // Vulkan specification, "Line Stipple": fragments are counted from the start of a line, or of its strip, whatever scissors leave of them.
    #[test]
    fn stipples_count_along_lines_and_strips() {
        let mut random = wavejit_random::Random(11);
        for width in [1.0, 3.0] {
            for resets_each_line in [true, false] {
                let mut state = state();
                state.line_width = width;
                let mut place = || [(); 2].map(|()| random.below(64 * 32) as f32 / 32.0 + 1.0 / 64.0);
                let mut path: Vec<[f32; 2]> = (0..9).map(|_| place()).collect();
                path[4] = path[3]; // a line of no length
                let positions: Vec<[f32; 4]> = path.windows(2).flatten().map(|p| at(p[0], p[1], 0.5, 1.0)).collect();
                let whole = shapes(&state, OutputKind::Lines, &positions);
                state.stipple = Some(Stipple { pattern: 0b1100_0101_0011_1010, factor: 2, resets_each_line });
                let scissor = Rect { x0: 0, y0: 3, x1: 50, y1: 64 };
                state.viewports[0].scissor = scissor;
                let mut batch = batch(&positions, OutputKind::Lines);
                batch.primitives[0].begins_strip = true;
                batch.primitives[6].begins_strip = true;
                let mut found = Vec::new();
                Setup::new(&state, OutputKind::Lines).batch(0, &batch, 0, usize::MAX, &mut found);
                let lit = |shapes: &[Shape], line: u16| {
                    let mut all = [0u64; 64];
                    for shape in shapes.iter().filter(|s| s.primitive == line) {
                        let mut rows = [0; 64];
                        shape.rows([0, 0], shape.bounds.and(Rect { x0: 0, y0: 0, x1: 64, y1: 64 }), [STEPS / 2; 2], &mut rows);
                        all.iter_mut().zip(rows).for_each(|(a, r)| *a |= r);
                    }
                    all
                };
                let mut counter = 0;
                for n in 0..8u16 {
                    if resets_each_line || n == 6 {
                        counter = 0;
                    }
                    let [from, to] = [path[usize::from(n)], path[usize::from(n) + 1]];
                    let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
                    let is_tall = dy.abs() > dx.abs();
                    let rows = lit(&whole, n);
                    let mut order: Vec<usize> =
                        (0..64).filter(|&c| if is_tall { rows[c] != 0 } else { rows.iter().any(|r| r >> c & 1 != 0) }).collect();
                    if (if is_tall { dy } else { dx }) < 0.0 {
                        order.reverse();
                    }
                    let mut expected = [0u64; 64];
                    for column in order {
                        if 0b1100_0101_0011_1010 >> (counter / 2 % 16) & 1 != 0 {
                            for y in 3..64 {
                                let mask = if is_tall { if y == column { !0 } else { 0 } } else { 1 << column };
                                expected[y] |= rows[y] & mask & ((1 << 50) - 1);
                            }
                        }
                        counter += 1;
                    }
                    assert_eq!(lit(&found, n), expected, "width {width}, {from:?} to {to:?}");
                }
            }
        }
    }

    // graphics.md 5.3: the fourth corner is v1 + v2 - v0, half open, never culled.
    #[test]
    fn rectangles_fill_to_their_far_corner() {
        let mut state = state();
        state.culls = [true; 2];
        let corners = [at(8.0, 8.0, 0.5, 1.0), at(8.0, 24.0, 0.5, 1.0), at(40.0, 8.0, 0.5, 1.0)];
        let found = &shapes(&state, OutputKind::Rectangles, &corners)[0];
        assert_eq!([found.bounds.x0, found.bounds.y0, found.bounds.x1, found.bounds.y1], [8, 8, 40, 24]);
        let area = Rect { x0: 0, y0: 0, x1: 64, y1: 64 };
        let mut rows = [0; 64];
        found.rows([0, 0], area, [STEPS / 2; 2], &mut rows);
        let expected: [u64; 64] = std::array::from_fn(|y| if (8..24).contains(&y) { (1 << 40) - (1 << 8) } else { 0 });
        assert_eq!(rows, expected);
    }

    #[test]
    fn polygons_can_be_drawn_as_their_edges_and_corners() {
        let mut state = state();
        let corners = [at(8.0, 8.0, 0.5, 1.0), at(40.0, 8.0, 0.5, 1.0), at(8.0, 40.0, 0.5, 1.0)];
        state.fill = [Fill::Lines; 2];
        let edges = shapes(&state, OutputKind::Triangles, &corners);
        assert!(edges.len() == 3 && edges.iter().all(|s| matches!(s.cover, Cover::Line(..))));
        state.fill = [Fill::Points; 2];
        assert_eq!(shapes(&state, OutputKind::Triangles, &corners).len(), 3);
    }
}
