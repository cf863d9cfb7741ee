//! Which samples a primitive covers, and what is interpolated there.
//!
//! A triangle that needs no clipping is rasterized from positions rounded to 1/256 of a pixel, exactly. Another is evaluated in homogeneous
//! coordinates without being cut; where one of its edges, or a plane that clips it, passes within 1/32 of a pixel, the pixel stays open.

use ash::vk;

use super::{Corner, Fragment, Out, Reference, places};
use crate::state::State;

type Shader<'a> = &'a mut dyn FnMut(&Fragment) -> Option<Out>;

/// A triangle at a place of the window.
struct Hit {
    /// Barycentrics without perspective; with it.
    linear: [f64; 3],
    perspective: [f64; 3],
    z: f64,
    one_over_w: f64,
}

/// Inside or not; or too close to a border to tell.
enum At {
    Out,
    In(Hit),
    Open,
}

/// The units of fixed point in a pixel.
const UNIT: f64 = 256.0;

/// A viewport's map from clip space.
struct View {
    scale: [f64; 3],
    offset: [f64; 3],
    /// Pixels that may be drawn: x0, y0, x1, y1.
    area: [i64; 4],
    range: [f64; 2],
}

impl View {
    fn new(state: &State, index: usize, width: u32, height: u32) -> Self {
        let v = state.viewport(index, width, height);
        let s = state.scissor(index, width, height);
        let (near, far) = (f64::from(v.min_depth), f64::from(v.max_depth));
        let (scale, offset) = if state.negative_one_to_one { ((far - near) / 2.0, (far + near) / 2.0) } else { (far - near, near) };
        let (w, h) = (f64::from(v.width) / 2.0, f64::from(v.height) / 2.0);
        let (x, y) = (f64::from(v.x), f64::from(v.y));
        let mut area = [0, 0, i64::from(width), i64::from(height)];
        let cut = [
            [x, y.min(y + 2.0 * h), x + 2.0 * w, y.max(y + 2.0 * h)].map(|v| v.round() as i64),
            [
                i64::from(s.offset.x),
                i64::from(s.offset.y),
                i64::from(s.offset.x) + i64::from(s.extent.width),
                i64::from(s.offset.y) + i64::from(s.extent.height),
            ],
        ];
        for c in cut {
            area = [area[0].max(c[0]), area[1].max(c[1]), area[2].min(c[2]), area[3].min(c[3])];
        }
        Self { scale: [w, h, scale], offset: [x + w, y + h, offset], area, range: [near.min(far), near.max(far)] }
    }

    /// x and y in the window.
    fn window(&self, p: [f64; 4]) -> [f64; 2] {
        [0, 1].map(|i| p[i] / p[3] * self.scale[i] + self.offset[i])
    }

    fn depth(&self, z_over_w: f64) -> f64 {
        z_over_w * self.scale[2] + self.offset[2]
    }
}

/// x, y in units, as the hardware rounds them.
fn snap(p: [f64; 2]) -> [i64; 2] {
    p.map(|v| (v * UNIT).round_ties_even() as i64)
}

fn rectangles_allow(state: &State, x: i64, y: i64) -> bool {
    let Some((mode, rectangles)) = &state.rectangles else { return true };
    let inside = rectangles.iter().any(|r| {
        let (x0, y0) = (i64::from(r.offset.x), i64::from(r.offset.y));
        x >= x0 && y >= y0 && x < x0 + i64::from(r.extent.width) && y < y0 + i64::from(r.extent.height)
    });
    inside == (*mode == vk::DiscardRectangleModeEXT::INCLUSIVE)
}

impl Reference {
    pub(super) fn triangle(&mut self, state: &State, corners: [&Corner; 3], provoking: &Corner, shader: Shader<'_>) {
        let view = View::new(state, provoking.viewport, self.width, self.height);
        let clip_z = state.depth_clip.unwrap_or(!state.depth_clamp);
        let near = |p: [f64; 4]| if state.negative_one_to_one { p[2] + p[3] } else { p[2] };
        let whole = corners.iter().all(|c| {
            let p = c.position;
            p[3] > 0.0 && c.clips.iter().all(|&d| d >= 0.0) && (!clip_z || near(p) >= 0.0 && p[2] <= p[3])
        });
        let positions = corners.map(|c| c.position);
        if !whole {
            self.clipped(state, &view, corners, provoking, clip_z, shader);
            return;
        }
        let s = positions.map(|p| snap(view.window(p)));
        let area = (s[1][0] - s[0][0]) as i128 * (s[2][1] - s[0][1]) as i128 - (s[2][0] - s[0][0]) as i128 * (s[1][1] - s[0][1]) as i128;
        if area == 0 {
            return;
        }
        let Some(front) = faces(state, area > 0) else { return };
        let sign = area.signum();
        let z = positions.map(|p| view.depth(p[2] / p[3]));
        // Gradients of z in the window.
        let gradient = |axis: usize| {
            let d = |i: usize, j: usize| (s[i][1 - axis] - s[j][1 - axis]) as f64;
            let sum = z[0] * d(1, 2) + z[1] * d(2, 0) + z[2] * d(0, 1);
            sum / area as f64 * UNIT
        };
        let bias = self.bias(state, gradient(0).abs().max(gradient(1).abs()), z);
        let bounds = [0, 1].map(|axis| {
            let (low, high) = (s.iter().map(|p| p[axis]).min().unwrap(), s.iter().map(|p| p[axis]).max().unwrap());
            (low.div_euclid(256) - 1, high.div_euclid(256) + 2)
        });
        let at = |x: i64, y: i64| {
            let mut e = [0i128; 3];
            for i in 0..3 {
                let (a, b) = (s[(i + 1) % 3], s[(i + 2) % 3]);
                let (dx, dy) = (i128::from(b[0] - a[0]) * sign, i128::from(b[1] - a[1]) * sign);
                e[i] = dx * i128::from(y - a[1]) - dy * i128::from(x - a[0]);
                let top_left = dy == 0 && dx > 0 || dy < 0;
                if e[i] < 0 || e[i] == 0 && !top_left {
                    return At::Out;
                }
            }
            At::In(hit(e.map(|e| e as f64 / area.abs() as f64), positions, z))
        };
        self.cover(state, &view, bounds, (corners, provoking, front, bias), &at, shader);
    }

    fn clipped(&mut self, state: &State, view: &View, corners: [&Corner; 3], provoking: &Corner, clip_z: bool, shader: Shader<'_>) {
        let p = corners.map(|c| c.position);
        // Columns x, y, w of each corner in the window, times w: the inverse gives barycentrics over w as linear functions of the place.
        let m = p.map(|p| [p[0] * view.scale[0] + p[3] * view.offset[0], p[1] * view.scale[1] + p[3] * view.offset[1], p[3]]);
        let cross = |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
        let lines = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
        let det = (0..3).map(|i| m[0][i] * lines[0][i]).sum::<f64>();
        if det == 0.0 {
            return;
        }
        let Some(front) = faces(state, det > 0.0) else { return };
        let lines = lines.map(|l| l.map(|v| v / det));
        // What must be positive, all linear in the place: barycentrics, distances from planes.
        let combine = |v: [f64; 3]| [0, 1, 2].map(|k| v[0] * lines[0][k] + v[1] * lines[1][k] + v[2] * lines[2][k]);
        let mut planes = lines.to_vec();
        if clip_z {
            planes.push(combine(p.map(|p| if state.negative_one_to_one { p[2] + p[3] } else { p[2] })));
            planes.push(combine(p.map(|p| p[3] - p[2])));
        }
        for i in 0..provoking.clips.len() {
            planes.push(combine(corners.map(|c| c.clips[i])));
        }
        let at = |x: i64, y: i64| {
            let (x, y) = (x as f64 / UNIT, y as f64 / UNIT);
            let eval = |l: [f64; 3]| l[0] * x + l[1] * y + l[2];
            let mut open = false;
            for &plane in &planes {
                let distance = eval(plane) / plane[0].hypot(plane[1]).max(1e-300);
                if distance < -1.0 / 32.0 {
                    return At::Out;
                }
                open |= distance < 1.0 / 32.0;
            }
            if open {
                return At::Open;
            }
            let b = lines.map(eval);
            let sum: f64 = b.iter().sum();
            if sum <= 0.0 {
                return At::Out;
            }
            let perspective = b.map(|b| b / sum);
            let mix = |k: usize| (0..3).map(|i| perspective[i] * p[i][k]).sum::<f64>();
            let (z, w) = (mix(2), mix(3));
            At::In(Hit { linear: perspective, perspective, z: view.depth(z / w), one_over_w: 1.0 / w })
        };
        let bounds = [(view.area[0], view.area[2]), (view.area[1], view.area[3])];
        self.cover(state, view, bounds, (corners, provoking, front, 0.0), &at, shader);
    }

    /// Calls `at` for the samples of all pixels in the bounds.
    fn cover(
        &mut self,
        state: &State,
        view: &View,
        bounds: [(i64, i64); 2],
        (corners, provoking, front, bias): ([&Corner; 3], &Corner, bool, f64),
        at: &dyn Fn(i64, i64) -> At,
        shader: Shader<'_>,
    ) {
        let places = places(self.samples);
        for y in bounds[1].0.max(view.area[1])..bounds[1].1.min(view.area[3]) {
            for x in bounds[0].0.max(view.area[0])..bounds[0].1.min(view.area[2]) {
                if !rectangles_allow(state, x, y) {
                    continue;
                }
                let center = (x * 256 + 128, y * 256 + 128);
                let hits: Vec<At> = places.iter().map(|p| at(center.0 + p.0 * 16, center.1 + p.1 * 16)).collect();
                if hits.iter().any(|h| matches!(h, At::Open)) {
                    let pixel = self.pixel(x as u32, y as u32, provoking.layer);
                    self.open[pixel] = true;
                    continue;
                }
                let mut coverage = 0;
                let mut depths = vec![0.0; places.len()];
                for (sample, hit) in hits.iter().enumerate() {
                    if let At::In(hit) = hit {
                        coverage |= 1 << sample;
                        depths[sample] = self.range_depth(state, hit.z + bias, view.range);
                    }
                }
                coverage &= state.sample_mask;
                if coverage == 0 {
                    continue;
                }
                // Where attributes are taken: the center, or the sample if the shader runs for each.
                let make = |hit: &Hit, sample: Option<u32>, coverage: u32| Fragment {
                    x: x as u32,
                    y: y as u32,
                    layer: provoking.layer,
                    sample,
                    z: hit.z + bias,
                    one_over_w: hit.one_over_w,
                    values: std::array::from_fn(|k| (0..3).map(|i| hit.perspective[i] * corners[i].values[k]).sum()),
                    flat: provoking.values,
                    linear: hit.linear,
                    front,
                    coverage,
                    point: [0.0; 2],
                };
                if state.sample_shading == Some(1.0) {
                    for (sample, hit) in hits.iter().enumerate() {
                        if let (At::In(hit), true) = (hit, coverage >> sample & 1 == 1) {
                            self.fragment(state, &make(hit, Some(sample as u32), 1 << sample), &depths, shader);
                        }
                    }
                    continue;
                }
                // The center may lie outside of the triangle: inputs are extrapolated, as without `centroid`.
                let outside;
                let inside = match (&hits[0], places.len()) {
                    (At::In(hit), 1) => hit,
                    _ => {
                        outside = extrapolate(corners.map(|c| c.position), view, center);
                        &outside
                    }
                };
                self.fragment(state, &make(inside, None, coverage), &depths, shader);
            }
        }
    }

    pub(super) fn pixel(&self, x: u32, y: u32, layer: usize) -> usize {
        (layer * self.height as usize + y as usize) * self.width as usize + x as usize
    }

    /// The depth after clamping, before rounding to the format.
    fn range_depth(&self, state: &State, z: f64, range: [f64; 2]) -> f64 {
        if state.depth_clamp { z.clamp(range[0], range[1]) } else { z.clamp(0.0, 1.0) }
    }

    /// Vulkan specification, depth bias.
    fn bias(&self, state: &State, slope: f64, z: [f64; 3]) -> f64 {
        let Some([constant, clamp, factor]) = state.bias.map(|b| b.map(f64::from)) else { return 0.0 };
        let unit = match self.depth_format {
            vk::Format::D16_UNORM | vk::Format::D16_UNORM_S8_UINT => 2f64.powi(-16),
            _ => {
                let largest = z.iter().fold(0.0f64, |a, &b| a.max(b.abs()));
                if largest == 0.0 { 0.0 } else { 2f64.powi(largest.log2().floor() as i32 - 23) }
            }
        };
        let bias = slope * factor + unit * constant;
        match clamp {
            c if c > 0.0 => bias.min(c),
            c if c < 0.0 => bias.max(c),
            _ => bias,
        }
    }

    /// A square around the vertex, left and upper borders in.
    pub(super) fn point(&mut self, state: &State, corner: &Corner, shader: Shader<'_>) {
        let view = View::new(state, corner.viewport, self.width, self.height);
        let p = corner.position;
        let clip_z = state.depth_clip.unwrap_or(!state.depth_clamp);
        if p[3] <= 0.0 || p[0].abs() > p[3] || p[1].abs() > p[3] || clip_z && (p[2] < 0.0 || p[2] > p[3]) {
            return;
        }
        let center = snap(view.window(p));
        let half = (corner.size * UNIT / 2.0).round() as i64;
        let z = self.range_depth(state, view.depth(p[2] / p[3]), view.range);
        let places = places(self.samples);
        for y in view.area[1]..view.area[3] {
            for x in view.area[0]..view.area[2] {
                let inside = |p: &(i64, i64)| {
                    let (dx, dy) = (x * 256 + 128 + p.0 * 16 - center[0], y * 256 + 128 + p.1 * 16 - center[1]);
                    dx >= -half && dx < half && dy >= -half && dy < half
                };
                let coverage = places.iter().enumerate().map(|(i, p)| u32::from(inside(p)) << i).sum::<u32>() & state.sample_mask;
                if coverage == 0 || !rectangles_allow(state, x, y) {
                    continue;
                }
                let s = [x * 256 + 128 - center[0], y * 256 + 128 - center[1]].map(|d| 0.5 + d as f64 / UNIT / corner.size);
                let fragment = self.flat_fragment((x, y), corner, z, p[3], coverage, s);
                self.fragment(state, &fragment, &vec![z; places.len()], shader);
            }
        }
    }

    fn flat_fragment(&self, at: (i64, i64), corner: &Corner, z: f64, w: f64, coverage: u32, point: [f64; 2]) -> Fragment {
        Fragment {
            x: at.0 as u32,
            y: at.1 as u32,
            layer: corner.layer,
            sample: None,
            z,
            one_over_w: 1.0 / w,
            values: corner.values,
            flat: corner.values,
            linear: [1.0, 0.0, 0.0],
            front: true,
            coverage,
            point,
        }
    }

    /// A line of one pixel: those whose diamond it leaves (Vulkan specification, Bresenham line segments). Ends must not be on diamonds' borders.
    pub(super) fn line(&mut self, state: &State, ends: [&Corner; 2], provoking: &Corner, shader: Shader<'_>) {
        let view = View::new(state, provoking.viewport, self.width, self.height);
        let w = ends.map(|e| e.position[3]);
        let [a, b] = ends.map(|e| snap(view.window(e.position)).map(|v| v as f64 / UNIT));
        let z = ends.map(|e| view.depth(e.position[2] / e.position[3]));
        let d = [b[0] - a[0], b[1] - a[1]];
        let length = d[0] * d[0] + d[1] * d[1];
        if length == 0.0 {
            return;
        }
        let mut pixels = Vec::new();
        for y in view.area[1]..view.area[3] {
            for x in view.area[0]..view.area[2] {
                let c = [x as f64 + 0.5, y as f64 + 0.5];
                let inside = |p: [f64; 2]| (p[0] - c[0]).abs() + (p[1] - c[1]).abs() < 0.5;
                // The distance in this norm is convex along the line: its least value is at an end, or where one of its terms is 0.
                let mut t = vec![0.0, 1.0];
                t.extend([0, 1].iter().filter(|&&i| d[i] != 0.0).map(|&i| ((c[i] - a[i]) / d[i]).clamp(0.0, 1.0)));
                if !t.iter().any(|t| inside([a[0] + t * d[0], a[1] + t * d[1]])) || inside(b) || !rectangles_allow(state, x, y) {
                    continue;
                }
                pixels.push((x, y));
            }
        }
        if let Some((factor, pattern)) = state.stipple {
            // In the order of the line: along its longer direction there is one for each column or row (Vulkan specification, "Line Stipple").
            let major = usize::from(d[1].abs() > d[0].abs());
            pixels.sort_by_key(|&(x, y)| [x, y][major] * if d[major] < 0.0 { -1 } else { 1 });
            let mut number = self.stippled;
            self.stippled += pixels.len();
            pixels.retain(|_| {
                number += 1;
                pattern >> ((number - 1) / factor as usize % 16) & 1 != 0
            });
        }
        for (x, y) in pixels {
            let c = [x as f64 + 0.5, y as f64 + 0.5];
            let t = ((c[0] - a[0]) * d[0] + (c[1] - a[1]) * d[1]) / length;
            let one_over_w = (1.0 - t) / w[0] + t / w[1];
            let s = t / w[1] / one_over_w;
            let depth = self.range_depth(state, z[0] + t * (z[1] - z[0]), view.range);
            let mut fragment = self.flat_fragment((x, y), provoking, depth, 1.0 / one_over_w, 1, [0.0; 2]);
            fragment.values = std::array::from_fn(|k| ends[0].values[k] * (1.0 - s) + ends[1].values[k] * s);
            self.fragment(state, &fragment, &[depth], shader);
        }
    }
}

/// Whether a triangle is a front face, or None if it is culled.
fn faces(state: &State, clockwise: bool) -> Option<bool> {
    let front = clockwise == (state.front == vk::FrontFace::CLOCKWISE);
    let bit = if front { vk::CullModeFlags::FRONT } else { vk::CullModeFlags::BACK };
    (!state.cull.contains(bit)).then_some(front)
}

fn hit(linear: [f64; 3], p: [[f64; 4]; 3], z: [f64; 3]) -> Hit {
    let over: [f64; 3] = std::array::from_fn(|i| linear[i] / p[i][3]);
    let one_over_w: f64 = over.iter().sum();
    let depth = z[0] + linear[1] * (z[1] - z[0]) + linear[2] * (z[2] - z[0]);
    Hit { linear, perspective: over.map(|v| v / one_over_w), z: depth, one_over_w }
}

/// The triangle's planes at a place in units, inside or not.
fn extrapolate(p: [[f64; 4]; 3], view: &View, (x, y): (i64, i64)) -> Hit {
    let s = p.map(|p| snap(view.window(p)).map(|v| v as f64));
    let (x, y) = (x as f64, y as f64);
    let area = (s[1][0] - s[0][0]) * (s[2][1] - s[0][1]) - (s[2][0] - s[0][0]) * (s[1][1] - s[0][1]);
    let e: [f64; 3] = std::array::from_fn(|i| {
        let (a, b) = (s[(i + 1) % 3], s[(i + 2) % 3]);
        ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area
    });
    hit(e, p, p.map(|p| view.depth(p[2] / p[3])))
}
