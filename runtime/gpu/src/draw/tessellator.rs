//! The tessellator: levels of a patch become points of its domain, and points, lines or triangles of those.
//!
//! Which points there are is said by the Vulkan specification ("Tessellation"): `equal`, `odd` and `even` spacing, rings of ever fewer points inside of
//! triangles, a grid inside of quads. Where fractional spacing has its two short segments follows the Direct3D 11.3 functional specification
//! ("Tessellator"): places move from those of the level below to those of the level above. Which triangles join two rings is left to the
//! implementation by both.

/// VGT_TF_PARAM.TYPE.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // the domains are the names
pub(crate) enum Domain {
    Lines,
    Triangles,
    Quads,
}

/// VGT_TF_PARAM.PARTITIONING.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // the spacings are the names
pub(crate) enum Spacing {
    Equal,
    Odd,
    Even,
}

/// VGT_TF_PARAM.TOPOLOGY.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// All points, once.
    Points,
    /// Lines of a domain of lines.
    Lines,
    /// Triangles that are clockwise, or not, where u grows to the right and v downward.
    Triangles {
        /// Which.
        clockwise: bool,
    },
}

/// How patches are cut.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Tessellator {
    pub domain: Domain,
    pub spacing: Spacing,
    pub form: Form,
    /// Levels are not more.
    pub most: f32,
}

/// A patch that has been cut.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Cut {
    /// u and v.
    pub points: Vec<[f32; 2]>,
    /// Numbers of points; as many count as the form has.
    pub primitives: Vec<[u16; 3]>,
}

/// Steps of the domain: places of points are multiples of one, so that a place and what is left to 1 are both exact.
const STEPS: f64 = 65536.0;

/// An edge in segments.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Segments {
    count: usize,
    /// The level that the count was made of; `None`: all segments are equal.
    level: Option<f64>,
}

impl Segments {
    fn new(level: f32, spacing: Spacing, most: f32) -> Segments {
        // What is not a number counts as the least.
        let level = f64::from(level.max(0.0).min(most.min(64.0)));
        match spacing {
            Spacing::Equal => Segments { count: level.max(1.0).ceil() as usize, level: None },
            Spacing::Odd => {
                let level = level.clamp(1.0, 63.0);
                Segments { count: 2 * ((level - 1.0) / 2.0).ceil() as usize + 1, level: Some(level) }
            }
            Spacing::Even => {
                let level = level.clamp(2.0, 64.0);
                Segments { count: 2 * (level / 2.0).ceil() as usize, level: Some(level) }
            }
        }
    }

    /// One segment inside of an edge that has more is cut as if it were just more than one.
    fn more_than_one(self, spacing: Spacing) -> Segments {
        match (self.count, spacing) {
            (1, Spacing::Odd) => Segments { count: 3, level: Some(1.0 + 1.0 / STEPS) },
            (1, _) => Segments { count: 2, level: None },
            _ => self,
        }
    }

    /// Place of a point, from 0 to 1.
    fn at(&self, i: usize) -> f64 {
        if 2 * i > self.count {
            return 1.0 - self.at(self.count - i);
        }
        let place = match self.level {
            Some(level) => self.fractional(i, level),
            None => i as f64 / self.count as f64,
        };
        (place * STEPS).round() / STEPS
    }

    /// Between the place among so many segments as the level below has, and that of the level above. The segment that is new is the one after the
    /// split: below, both its ends are the same point.
    fn fractional(&self, i: usize, level: f64) -> f64 {
        let odd = self.count & 1;
        if 2 * i == self.count {
            return 0.5;
        }
        // Segments of half an edge; that in the middle of an odd count is one of them.
        let half = (level + odd as f64) / 2.0;
        let (low, high) = (half.floor(), half.ceil());
        if low == high {
            return i as f64 / self.count as f64;
        }
        let below_highest_bit = |n: usize| if n == 0 { 0 } else { n & !(1 << n.ilog2()) };
        let low_count = 2 * low as usize - odd;
        let split = match low as usize - odd {
            0 => 0,
            n => 2 * below_highest_bit(n) + 1,
        };
        let i_low = if i > split { i - 1 } else { i };
        let part = half - low;
        i_low as f64 / low_count as f64 * (1.0 - part) + i as f64 / self.count as f64 * part
    }
}

/// Points that go around, edge by edge; each edge ends where the next one begins.
type Ring = Vec<Vec<u16>>;

impl Tessellator {
    /// Dwords of a patch's levels in memory.
    pub(crate) fn levels(&self) -> usize {
        match self.domain {
            Domain::Lines => 2,
            Domain::Triangles => 4,
            Domain::Quads => 6,
        }
    }

    /// Cuts a patch with these levels, outer ones first; those of lines are the segments, then the lines. `None`: the patch is dropped.
    pub(crate) fn cut(&self, levels: &[f32]) -> Option<Cut> {
        let outer = match self.domain {
            Domain::Lines => 2,
            Domain::Triangles => 3,
            Domain::Quads => 4,
        };
        // Not a number: neither.
        if !levels[..outer].iter().all(|level| *level > 0.0) {
            return None;
        }
        let mut cut = Cut::default();
        match self.domain {
            Domain::Lines => self.lines(levels, &mut cut),
            Domain::Triangles => self.triangles(levels, &mut cut),
            Domain::Quads => self.quads(levels, &mut cut),
        }
        match self.form {
            Form::Points => cut.primitives = (0..cut.points.len() as u16).map(|n| [n, 0, 0]).collect(),
            Form::Triangles { clockwise: false } => cut.primitives.iter_mut().for_each(|p| p.swap(1, 2)),
            _ => {}
        }
        Some(cut)
    }

    fn segments(&self, level: f32) -> Segments {
        Segments::new(level, self.spacing, self.most)
    }

    fn lines(&self, levels: &[f32], cut: &mut Cut) {
        let along = self.segments(levels[0]);
        let count = Segments::new(levels[1], Spacing::Equal, self.most).count;
        for line in 0..count {
            let v = (line as f64 / count as f64 * STEPS).round() / STEPS;
            for i in 0..=along.count {
                if i > 0 {
                    let n = cut.points.len() as u16;
                    cut.primitives.push([n - 1, n, 0]);
                }
                cut.points.push([along.at(i) as f32, v as f32]);
            }
        }
    }

    fn triangles(&self, levels: &[f32], cut: &mut Cut) {
        // Around from u = 1 to v = 1 to w = 1: the edges w = 0, u = 0, v = 0.
        let outer = [levels[2], levels[0], levels[1]].map(|level| self.segments(level));
        let inner = self.segments(levels[3]);
        let is_whole = inner.count == 1 && outer.iter().all(|edge| edge.count == 1);
        let inner = if is_whole { inner } else { inner.more_than_one(self.spacing) };
        // A point on the way from one corner to the next, so far inside.
        let point = |edge: usize, t: f64, depth: f64| {
            let mut weights = [0.0; 3];
            weights[edge] = 1.0 - t - depth / 2.0;
            weights[(edge + 1) % 3] = t - depth / 2.0;
            weights[(edge + 2) % 3] = depth;
            [weights[0], weights[1]]
        };
        let around = |cut: &mut Cut, places: &dyn Fn(usize) -> Vec<f64>, depth: f64| {
            let edges = [0, 1, 2].map(|edge| places(edge).into_iter().map(|t| point(edge, t, depth)).collect());
            ring(cut, edges.into())
        };
        let mut last = around(cut, &|edge| (0..outer[edge].count).map(|i| outer[edge].at(i)).collect(), 0.0);
        if is_whole {
            cut.primitives.push([last[0][0], last[1][0], last[2][0]]);
            return;
        }
        let n = inner.count;
        for k in 1..=n / 2 {
            // Lines at right angles to two edges meet so far inside.
            let depth = inner.at(k) * 2.0 / 3.0;
            let next = if 2 * k == n {
                let middle = cut.points.len() as u16;
                cut.points.push([1.0 / 3.0; 2]);
                vec![vec![middle]; 3]
            } else {
                around(cut, &|_| (k..n - k).map(|i| inner.at(i)).collect(), depth)
            };
            (0..3).for_each(|edge| join(cut, &last[edge], &next[edge]));
            last = next;
        }
        if n % 2 == 1 {
            cut.primitives.push([last[0][0], last[1][0], last[2][0]]);
        }
    }

    fn quads(&self, levels: &[f32], cut: &mut Cut) {
        // Around: v = 0, u = 1, v = 1, u = 0.
        let outer = [levels[1], levels[2], levels[3], levels[0]].map(|level| self.segments(level));
        let inner = [levels[4], levels[5]].map(|level| self.segments(level));
        let is_whole = inner.iter().chain(&outer).all(|edge| edge.count == 1);
        let inner = if is_whole { inner } else { inner.map(|edge| edge.more_than_one(self.spacing)) };
        let point = |edge: usize, t: f64| match edge {
            0 => [t, 0.0],
            1 => [1.0, t],
            2 => [1.0 - t, 1.0],
            _ => [0.0, 1.0 - t],
        };
        let edges = (0..4).map(|edge| (0..outer[edge].count).map(|i| point(edge, outer[edge].at(i))).collect()).collect();
        let around = ring(cut, edges);
        if is_whole {
            let [a, b, c, d] = [0, 1, 2, 3].map(|edge| around[edge][0]);
            cut.primitives.extend([[a, b, c], [a, c, d]]);
            return;
        }
        let [nu, nv] = inner.map(|edge| edge.count);
        let first = cut.points.len() as u16;
        let grid = |i: usize, j: usize| first + ((j - 1) * (nu - 1) + i - 1) as u16;
        for j in 1..nv {
            cut.points.extend((1..nu).map(|i| [inner[0].at(i) as f32, inner[1].at(j) as f32]));
        }
        let sides: [Vec<u16>; 4] = [
            (1..nu).map(|i| grid(i, 1)).collect(),
            (1..nv).map(|j| grid(nu - 1, j)).collect(),
            (1..nu).rev().map(|i| grid(i, nv - 1)).collect(),
            (1..nv).rev().map(|j| grid(1, j)).collect(),
        ];
        (0..4).for_each(|edge| join(cut, &around[edge], &sides[edge]));
        for j in 1..nv - 1 {
            for i in 1..nu - 1 {
                let [a, b, c, d] = [grid(i, j), grid(i + 1, j), grid(i + 1, j + 1), grid(i, j + 1)];
                cut.primitives.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
}

/// Adds points that go around, by edge and without the last one of each.
fn ring(cut: &mut Cut, edges: Vec<Vec<[f64; 2]>>) -> Ring {
    let first = cut.points.len() as u16;
    let mut numbers: Ring = Vec::new();
    for edge in &edges {
        let start = cut.points.len() as u16;
        cut.points.extend(edge.iter().map(|p| p.map(|v| v as f32)));
        numbers.push((start..cut.points.len() as u16).collect());
    }
    let starts: Vec<u16> = numbers.iter().map(|edge| edge[0]).collect();
    for (edge, points) in numbers.iter_mut().enumerate() {
        points.push(starts.get(edge + 1).copied().unwrap_or(first));
    }
    numbers
}

/// Triangles between an edge and the one inside of it, both in the same direction, with the inside on the same side of both.
fn join(cut: &mut Cut, outer: &[u16], inner: &[u16]) {
    let (m, k) = (outer.len() - 1, inner.len() - 1);
    let (mut a, mut b) = (0, 0);
    while a < m || b < k {
        // The edge whose next segment has its middle first.
        if b == k || a < m && (2 * a + 1) * k <= (2 * b + 1) * m {
            cut.primitives.push([outer[a], outer[a + 1], inner[b]]);
            a += 1;
        } else {
            cut.primitives.push([outer[a], inner[b + 1], inner[b]]);
            b += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCKWISE: Form = Form::Triangles { clockwise: true };

    fn cut(domain: Domain, spacing: Spacing, form: Form, levels: &[f32]) -> Cut {
        Tessellator { domain, spacing, form, most: 64.0 }.cut(levels).unwrap()
    }

    fn places(level: f32, spacing: Spacing) -> Vec<f64> {
        let segments = Segments::new(level, spacing, 64.0);
        (0..=segments.count).map(|i| segments.at(i)).collect()
    }

    // Vulkan specification, "Tessellator Spacing".
    #[test]
    fn edges_have_the_segments_that_their_spacing_says() {
        for (spacing, level, count) in [
            (Spacing::Equal, 0.25, 1),
            (Spacing::Equal, 3.0, 3),
            (Spacing::Equal, 3.01, 4),
            (Spacing::Equal, 100.0, 64),
            (Spacing::Odd, 0.5, 1),
            (Spacing::Odd, 1.01, 3),
            (Spacing::Odd, 3.0, 3),
            (Spacing::Odd, 64.0, 63),
            (Spacing::Even, 1.0, 2),
            (Spacing::Even, 2.5, 4),
            (Spacing::Even, 64.0, 64),
        ] {
            assert_eq!(places(level, spacing).len() - 1, count, "{spacing:?} {level}");
        }
    }

    // The same: all segments but two are equal, those two are alike and not longer, and grow with the level; the edge is symmetric.
    #[test]
    fn fractional_edges_have_two_short_segments() {
        for spacing in [Spacing::Odd, Spacing::Even] {
            for step in 17..500 {
                let level = step as f32 / 8.0;
                let places = places(level, spacing);
                let n = places.len() - 1;
                assert!((0..=n).all(|i| places[i] + places[n - i] == 1.0), "{spacing:?} {level}");
                let mut lengths: Vec<f64> = places.windows(2).map(|p| p[1] - p[0]).collect();
                lengths.sort_by(f64::total_cmp);
                let grid = 3.0 / STEPS;
                assert!(lengths[0] >= 0.0 && lengths[1] - lengths[0] < grid, "{spacing:?} {level}");
                assert!(n < 4 || lengths[n - 1] - lengths[2] < grid, "{spacing:?} {level}: {lengths:?}");
            }
        }
    }

    /// Twice the area of a triangle, positive if it is clockwise with v downward.
    fn area(cut: &Cut, p: [u16; 3]) -> f64 {
        let [a, b, c] = p.map(|n| cut.points[usize::from(n)].map(f64::from));
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    }

    // Vulkan specification: triangles cover the domain without overlap, and an edge inside is that of two.
    #[test]
    fn triangles_cover_their_domain_once() {
        let mut random = wavejit_random::Random(9);
        for domain in [Domain::Triangles, Domain::Quads] {
            for spacing in [Spacing::Equal, Spacing::Odd, Spacing::Even] {
                for n in 0..200 {
                    let most = [3, 9, 65][n % 3];
                    let levels: Vec<f32> = (0..6).map(|_| random.below(most * 8) as f32 / 8.0 + 0.125).collect();
                    let cut = cut(domain, spacing, CLOCKWISE, &levels);
                    let sum: f64 = cut.primitives.iter().map(|p| area(&cut, *p)).sum();
                    let whole = if domain == Domain::Quads { 2.0 } else { 1.0 };
                    assert!((sum - whole).abs() < 1e-5, "{domain:?} {spacing:?} {levels:?}: {sum}");
                    assert!(cut.primitives.iter().all(|p| area(&cut, *p) > -1e-4), "{domain:?} {spacing:?} {levels:?}");
                    let mut edges = std::collections::HashMap::new();
                    for p in &cut.primitives {
                        for i in 0..3 {
                            *edges.entry((p[i], p[(i + 1) % 3])).or_insert(0) += 1;
                        }
                    }
                    assert!(edges.values().all(|count| *count == 1), "{domain:?} {spacing:?} {levels:?}");
                    let open = edges.keys().filter(|(a, b)| !edges.contains_key(&(*b, *a))).count();
                    let outer = if domain == Domain::Quads { 4 } else { 3 };
                    let around: usize = levels[..outer].iter().map(|l| Segments::new(*l, spacing, 64.0).count).sum();
                    assert_eq!(open, around, "{domain:?} {spacing:?} {levels:?}");
                }
            }
        }
    }

    // The same: patches whose outer levels are not positive are dropped; one of levels 1 is a triangle, or two.
    #[test]
    fn least_and_dropped_patches() {
        assert_eq!(cut(Domain::Triangles, Spacing::Equal, CLOCKWISE, &[1.0; 4]).primitives.len(), 1);
        assert_eq!(cut(Domain::Quads, Spacing::Odd, CLOCKWISE, &[1.0; 6]).primitives.len(), 2);
        assert_eq!(cut(Domain::Quads, Spacing::Even, CLOCKWISE, &[1.0; 6]).primitives.len(), 8);
        let tessellator = Tessellator { domain: Domain::Triangles, spacing: Spacing::Equal, form: CLOCKWISE, most: 64.0 };
        for bad in [0.0, -1.0, f32::NAN] {
            assert_eq!(tessellator.cut(&[1.0, bad, 1.0, 1.0]), None);
            assert!(tessellator.cut(&[1.0, 1.0, 1.0, bad]).is_some());
        }
        let lines = cut(Domain::Lines, Spacing::Equal, Form::Lines, &[4.0, 3.0]);
        assert_eq!((lines.points.len(), lines.primitives.len()), (15, 12));
        assert!(lines.points.iter().all(|p| p[1] < 0.7), "no line at v = 1");
        assert_eq!(cut(Domain::Triangles, Spacing::Equal, Form::Points, &[2.0, 2.0, 2.0, 2.0]).primitives.len(), 7);
    }
}
