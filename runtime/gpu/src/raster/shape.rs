//! What is drawn, as setup leaves it: which pixels a primitive covers, and what is linear over them.
//!
//! Places are in 1/256 pixel (24.8), y down. An [`Edge`] has the primitive on the side where it is not negative; ties are already in it. A
//! primitive is inside all its edges, or is a thin line, whose pixels the diamond rule names (graphics.md 5.3, 5.4).
//! Reference: Direct3D 11.3 functional specification, "rasterization rules".

use crate::registers::raster::Rect;

/// Steps of a pixel.
pub(crate) const STEPS: i64 = 256;
/// Pixels of a tile in each direction; a row of it is a `u64`.
pub(crate) const TILE: i32 = 64;

/// `a * x + b * y + c`, not negative inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Edge {
    pub a: i64,
    pub b: i64,
    pub c: i64,
}

impl Edge {
    /// The edge from one corner to the next of a polygon that goes clockwise on the screen. Places on it are inside if it is a top edge (level,
    /// with the inside below it) or a left one.
    pub(crate) fn between(from: [i64; 2], to: [i64; 2]) -> Edge {
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let is_top_left = dy < 0 || dy == 0 && dx > 0;
        Edge { a: -dy, b: dx, c: dy * from[0] - dx * from[1] - i64::from(!is_top_left) }
    }

    pub(crate) fn at(&self, x: i64, y: i64) -> i64 {
        self.a * x + self.b * y + self.c
    }
}

/// A function that is linear over the screen, of places in pixels.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Plane {
    pub x: f64,
    pub y: f64,
    pub c: f64,
}

impl Plane {
    pub(crate) fn at(&self, x: f64, y: f64) -> f64 {
        self.c + self.x * x + self.y * y
    }

    pub(crate) fn constant(c: f64) -> Plane {
        Plane { x: 0.0, y: 0.0, c }
    }
}

/// Which places are covered.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Cover {
    /// Inside so many edges.
    Convex([Edge; 4], usize),
    /// The pixels whose diamonds a line of so many steps from one place to another leaves.
    Line([i64; 2], [i64; 2]),
}

/// A primitive that is ready to be drawn.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub cover: Cover,
    /// Pixels it may cover, scissors included.
    pub bounds: Rect,
    /// Window z, bias included.
    pub depth: Plane,
    /// I / w, J / w, 1 / w.
    pub perspective: [Plane; 3],
    /// I and J without perspective.
    pub linear: [Plane; 2],
    /// Which batch its corners are in, and which they are.
    pub batch: u32,
    pub corners: [u16; 3],
    /// Number of the primitive in its batch.
    pub primitive: u16,
    /// 1: a point; 2: a line; 3: a triangle.
    pub kind: u8,
    pub is_front: bool,
    pub viewport: u8,
    pub layer: u16,
}

/// Shapes that are looked at together.
pub(crate) const LOOKED_AT: usize = 16;

/// Reads of each of these shapes something in every line of the cache: they come from memory together, and not one by one as each is drawn. Those of
/// a tile are far apart.
pub(crate) fn look_at(shapes: &[Shape], numbers: &[u32]) {
    let words = numbers.iter().map(|number| {
        let Shape { cover, bounds, depth, perspective: [i, _, w], linear: [_, j], .. } = &shapes[*number as usize];
        let edges = if let Cover::Convex([first, _, third, _], _) = cover { first.a ^ third.a } else { 0 };
        bounds.x0 as u64 ^ depth.x.to_bits() ^ i.x.to_bits() ^ w.x.to_bits() ^ j.c.to_bits() ^ edges as u64
    });
    std::hint::black_box(words.fold(0, |all, word| all ^ word));
}

/// Bits of pixels `from..to` of a row, both cut to the tile.
pub(crate) fn span(from: i64, to: i64) -> u64 {
    let (from, to) = (from.clamp(0, 64) as u32, to.clamp(0, 64) as u32);
    let below = |n: u32| if n == 64 { u64::MAX } else { (1 << n) - 1 };
    below(to) & !below(from)
}

impl Shape {
    /// Bits of pixels covered, by row of the tile at `origin`; only rows of `area` (in pixels of the screen) are set, all others stay.
    /// `place`: of the sample inside a pixel, in steps.
    pub(crate) fn rows(&self, origin: [i32; 2], area: Rect, place: [i64; 2], rows: &mut [u64; TILE as usize]) {
        let mask = span(i64::from(area.x0 - origin[0]), i64::from(area.x1 - origin[0]));
        let lines = (area.y0 - origin[1]) as usize..(area.y1 - origin[1]) as usize;
        match &self.cover {
            Cover::Convex(edges, count) => {
                rows[lines.clone()].fill(mask);
                let x = i64::from(origin[0]) * STEPS + place[0];
                let y = i64::from(area.y0) * STEPS + place[1];
                let [right, below] = [area.x1 - 1 - origin[0], area.y1 - 1 - area.y0].map(i64::from);
                let left = i64::from(area.x0 - origin[0]);
                for edge in &edges[..*count] {
                    let [dx, dy] = [edge.a * STEPS, edge.b * STEPS];
                    // The least value of the area's corners.
                    if edge.at(x, y) + (dx * left).min(dx * right) + (dy * below).min(0) >= 0 {
                        continue;
                    }
                    edge_rows(edge.at(x, y), edge.a * STEPS, edge.b * STEPS, &mut rows[lines.clone()]);
                }
            }
            Cover::Line(from, to) => {
                rows[lines].fill(0);
                line_rows(*from, *to, origin, area, rows);
            }
        }
    }

    /// Is no sample of the area covered, for certain?
    pub(crate) fn misses(&self, area: Rect) -> bool {
        let Cover::Convex(edges, count) = &self.cover else { return false };
        let [x0, y0, x1, y1] = [area.x0, area.y0, area.x1, area.y1].map(|n| i64::from(n) * STEPS);
        edges[..*count].iter().any(|e| {
            let x = if e.a < 0 { x0 } else { x1 };
            let y = if e.b < 0 { y0 } else { y1 };
            e.at(x, y) < 0
        })
    }
}

/// Leaves of each row the pixels that are not outside an edge: `value` is the edge's at pixel 0 of the first row, `dx` and `dy` what it grows
/// by from pixel to pixel and from row to row.
fn edge_rows(mut value: i64, dx: i64, dy: i64, rows: &mut [u64]) {
    if dx == 0 {
        for row in rows {
            *row &= if value >= 0 { u64::MAX } else { 0 };
            value += dy;
        }
        return;
    }
    // Where the edge is 0, in pixels. A quotient is an integer only if it is one exactly: of what counts it is at most 64, to 2^-47, and any other is
    // at least 1 / |dx| from an integer, with |dx| below 2^34.
    let below = |n: i32| if n == 64 { u64::MAX } else { (1 << n) - 1 };
    let divisor = -dx as f64;
    for row in rows {
        let at = (value as f64 / divisor).clamp(-1.0, 65.0);
        let whole = at as i32;
        *row &= if dx > 0 {
            // Inside from the least pixel on that is not less.
            !below((whole + i32::from(at > f64::from(whole))).clamp(0, 64))
        } else {
            // Inside up to the last pixel that is not more.
            below((whole + i32::from(at >= f64::from(whole))).clamp(0, 64))
        };
        value += dy;
    }
}

/// The way of a thin line: along its longer direction one pixel for each column (or row) whose middle it crosses; at its ends those whose diamond
/// it leaves. The diamond of a pixel is what is less than half a pixel from its middle, distances along x and y added.
struct Way {
    from: [i64; 2],
    to: [i64; 2],
    /// 0: columns, 1: rows.
    major: usize,
    /// Columns of both ends.
    ends: [i64; 2],
}

impl Way {
    /// `None`: of no length.
    fn new(from: [i64; 2], to: [i64; 2]) -> Option<Way> {
        let delta = [to[0] - from[0], to[1] - from[1]];
        let major = usize::from(delta[1].abs() > delta[0].abs());
        (delta[major] != 0).then(|| Way { from, to, major, ends: [from, to].map(|end| end[major].div_euclid(STEPS)) })
    }

    /// The row of the pixel that is lit in a column of its way.
    fn row(&self, column: i64) -> Option<i64> {
        let (from, to, major, minor) = (self.from, self.to, self.major, 1 - self.major);
        let delta = [to[0] - from[0], to[1] - from[1]];
        let forward = delta[major] > 0;
        let middle = column * STEPS + STEPS / 2;
        // The line's place across, at the middle of this column: floor of (from + (middle - from) * slope) / 256.
        let across = from[minor] * delta[major] + (middle - from[major]) * delta[minor];
        let row = (across * delta[major].signum()).div_euclid(delta[major].abs() * STEPS);
        let is_inside = |end: [i64; 2]| {
            let distance = (end[major] - middle).abs() + (end[minor] - (row * STEPS + STEPS / 2)).abs();
            distance < STEPS / 2
        };
        let is_past = |end: i64| if forward { end > middle } else { end < middle };
        // Begun after the middle: not left unless it began inside. Ended: left only if it got out, past the middle.
        let starts_late = column == self.ends[0] && is_past(from[major]) && !is_inside(from);
        let stays = column == self.ends[1] && (is_inside(to) || !is_past(to[major]));
        (!starts_late && !stays).then_some(row)
    }
}

/// The first and the last column (or row, of a line that is longer in y) in which a line lights pixels, in its direction; `None`: in none.
/// `is_wide`: pixels whose middles are inside a parallelogram between its ends, not those of diamonds.
pub(crate) fn line_columns(from: [i64; 2], to: [i64; 2], is_wide: bool) -> Option<[i64; 2]> {
    let way = Way::new(from, to)?;
    let step = (to[way.major] - from[way.major]).signum();
    let [mut first, mut last] = way.ends;
    if is_wide {
        // Middles from the lesser end on, up to and without the greater one.
        let [low, high] = [from[way.major].min(to[way.major]), from[way.major].max(to[way.major])];
        let column = |v: i64| (v + STEPS / 2 - 1).div_euclid(STEPS);
        let (low, high) = (column(low), column(high) - 1);
        [first, last] = if step > 0 { [low, high] } else { [high, low] };
    } else {
        first += if way.row(first).is_none() { step } else { 0 };
        last -= if (last - first) * step >= 0 && way.row(last).is_none() { step } else { 0 };
    }
    ((last - first) * step >= 0).then_some([first, last])
}

/// The pixels of a thin line.
fn line_rows(from: [i64; 2], to: [i64; 2], origin: [i32; 2], area: Rect, rows: &mut [u64; TILE as usize]) {
    let Some(way) = Way::new(from, to) else { return };
    let (major, minor) = (way.major, 1 - way.major);
    let limits = [[area.x0, area.x1], [area.y0, area.y1]].map(|r| r.map(i64::from));
    let [low, high] = [way.ends[0].min(way.ends[1]), way.ends[0].max(way.ends[1])];
    for column in low.max(limits[major][0])..=high.min(limits[major][1] - 1) {
        let Some(row) = way.row(column).filter(|row| (limits[minor][0]..limits[minor][1]).contains(row)) else { continue };
        let (x, y) = if major == 0 { (column, row) } else { (row, column) };
        rows[(y - i64::from(origin[1])) as usize] |= 1 << (x - i64::from(origin[0]));
    }
}

/// The least rectangle of pixels with all samples inside a polygon; `spread`: how far samples are from the middle of a pixel, in steps.
pub(crate) fn bounds(corners: &[[i64; 2]], spread: i64) -> Rect {
    let least = |d: usize| corners.iter().map(|c| c[d]).min().unwrap_or(0);
    let most = |d: usize| corners.iter().map(|c| c[d]).max().unwrap_or(0);
    let first = |v: i64| (v - STEPS / 2 - spread).div_euclid(STEPS) + i64::from((v - STEPS / 2 - spread).rem_euclid(STEPS) != 0);
    let end = |v: i64| (v - STEPS / 2 + spread).div_euclid(STEPS) + 1;
    let cut = |v: i64| v.clamp(-(1 << 20), 1 << 20) as i32;
    Rect { x0: cut(first(least(0))), y0: cut(first(least(1))), x1: cut(end(most(0))), y1: cut(end(most(1))) }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn shape(cover: Cover, bounds: Rect) -> Shape {
        Shape {
            cover,
            bounds,
            depth: Plane::default(),
            perspective: [Plane::default(), Plane::default(), Plane::constant(1.0)],
            linear: [Plane::default(); 2],
            batch: 0,
            corners: [0, 1, 2],
            primitive: 0,
            kind: 3,
            is_front: true,
            viewport: 0,
            layer: 0,
        }
    }

    const AREA: Rect = Rect { x0: 0, y0: 0, x1: TILE, y1: TILE };
    const CENTER: [i64; 2] = [STEPS / 2; 2];

    fn triangle(corners: [[i64; 2]; 3]) -> Shape {
        let [a, b, c] = corners;
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        let [b, c] = if area > 0 { [b, c] } else { [c, b] };
        let edges = [Edge::between(a, b), Edge::between(b, c), Edge::between(c, a), Edge::default()];
        shape(Cover::Convex(edges, 3), bounds(&corners, 0))
    }

    fn rows(shape: &Shape) -> [u64; 64] {
        let mut rows = [0; 64];
        shape.rows([0, 0], AREA, CENTER, &mut rows);
        rows
    }

    /// The rule as the text has it, for one pixel: strictly inside, or on a top or left edge.
    fn is_covered(corners: [[i64; 2]; 3], x: i64, y: i64) -> bool {
        let [a, b, c] = corners;
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        if area == 0 {
            return false;
        }
        let clockwise = if area > 0 { [a, b, c] } else { [a, c, b] };
        let p = [x * STEPS + STEPS / 2, y * STEPS + STEPS / 2];
        (0..3).all(|n| {
            let (from, to) = (clockwise[n], clockwise[(n + 1) % 3]);
            let side = (to[0] - from[0]) * (p[1] - from[1]) - (to[1] - from[1]) * (p[0] - from[0]);
            let top = from[1] == to[1] && to[0] > from[0];
            let left = to[1] < from[1];
            side > 0 || side == 0 && (top || left)
        })
    }

    // graphics.md 5.3: the fill rule, in every order of corners, many corners on the middles of pixels.
    #[test]
    fn triangles_cover_what_the_rule_says() {
        let mut random = wavejit_random::Random(3);
        for _ in 0..300 {
            let mut place = || [(); 2].map(|()| (random.below(72)) as i64 * 64 * [1, 4][random.below(2) as usize] - 512);
            let corners = [place(), place(), place()];
            let found = rows(&triangle(corners));
            for y in 0..64 {
                let expected = (0..64).fold(0u64, |row, x| row | u64::from(is_covered(corners, x, y)) << x);
                let area = (corners[1][0] - corners[0][0]) * (corners[2][1] - corners[0][1])
                    - (corners[2][0] - corners[0][0]) * (corners[1][1] - corners[0][1]);
                if area != 0 {
                    assert_eq!(found[y as usize], expected, "{corners:?} row {y}");
                }
            }
        }
    }

    // graphics.md 7, scene 4: each pixel of a fan around a middle of a pixel is covered once.
    #[test]
    fn shared_edges_leave_no_gap_and_no_overlap() {
        let center = [32 * STEPS + 128, 32 * STEPS + 128];
        let ring: Vec<[i64; 2]> = vec![[0, 0], [8192, 0], [16384, 0], [16384, 8192], [16384, 16384], [8192, 16384], [0, 16384], [0, 8192]];
        let mut count = [[0u32; 64]; 64];
        for n in 0..8 {
            let rows = rows(&triangle([center, ring[n], ring[(n + 1) % 8]]));
            for (y, row) in rows.iter().enumerate() {
                (0..64).for_each(|x| count[y][x] += (row >> x & 1) as u32);
            }
        }
        assert!(count.iter().flatten().all(|c| *c == 1));
    }

    // graphics.md 7, scene 15: corners at the guard band, so that products need 64 bits.
    #[test]
    fn triangles_of_the_guard_band_are_exact() {
        let far = 32767 * STEPS;
        let corners = [[-far, -far], [far, -far + 77], [-far + 33, far]];
        let found = rows(&triangle(corners));
        for y in 0..64 {
            let expected = (0..64).fold(0u64, |row, x| row | u64::from(is_covered(corners, x, y)) << x);
            assert_eq!(found[y as usize], expected, "row {y}");
        }
    }

    #[test]
    fn areas_are_judged_as_their_pixels() {
        let shape = triangle([[0, 0], [64 * 256, 0], [0, 64 * 256]]);
        assert!(shape.misses(Rect { x0: 40, y0: 40, x1: 48, y1: 48 }));
        assert!(!shape.misses(Rect { x0: 28, y0: 28, x1: 36, y1: 36 }));
    }

    // graphics.md 5.4: the last pixel of a line is not drawn, so that a strip lights none twice.
    #[test]
    fn lines_that_go_on_light_each_pixel_once() {
        let at = |x: i64, y: i64| [x * STEPS + 128, y * STEPS + 128];
        let line = |a, b| rows(&shape(Cover::Line(a, b), AREA));
        let lit = |rows: &[u64; 64]| rows.iter().map(|r| r.count_ones()).sum::<u32>();
        let ways = [[20, 0], [20, 7], [0, 20], [7, 20], [20, 20], [-20, 3], [-20, -20], [3, -20]];
        for [dx, dy] in ways {
            let (a, b, c) = (at(30, 30), at(30 + dx / 2, 30 + dy / 2), at(30 + dx, 30 + dy));
            let (first, second) = (line(a, b), line(b, c));
            assert!(first.iter().zip(&second).all(|(p, q)| p & q == 0), "{dx} {dy}");
            assert_eq!(lit(&line(a, c)), dx.abs().max(dy.abs()) as u32, "{dx} {dy}");
            assert_eq!(line(a, c)[30] >> 30 & 1, 1, "the first pixel is lit");
        }
    }
}
