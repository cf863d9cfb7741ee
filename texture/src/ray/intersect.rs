//! The arithmetic of ray intersection (images.md section 9).

use super::node::Box3;

/// A ray.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ray {
    /// Boxes beyond are not entered. Triangles are not tested against it: that is the shader's part.
    pub extent: f32,
    /// Where it begins.
    pub origin: [f32; 3],
    /// Where it goes.
    pub direction: [f32; 3],
    /// 1 / direction, which the shader has computed.
    pub inverse: [f32; 3],
}

/// Part of a ray inside a box.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// Where it enters, at least 0.
    pub near: f32,
    /// Where it leaves, at most the extent.
    pub far: f32,
    /// Both as they were: `near + far`, for sorting.
    pub sum: f32,
}

impl Interval {
    /// Is there such a part, with the far end grown by so many ulps? Equality is a hit.
    pub fn is_hit(&self, grow_ulps: u8) -> bool {
        self.near <= self.far * (1.0 + f32::from(grow_ulps) / 16_777_216.0)
    }
}

/// Intersects a ray with a box, axis by axis. A NaN (a ray in the plane of a side) does not count unless all three are.
pub fn slab(corners: &Box3, ray: &Ray) -> Interval {
    let (mut near, mut far) = (f32::NAN, f32::NAN);
    for (axis, (origin, inverse)) in ray.origin.into_iter().zip(ray.inverse).enumerate() {
        let [least, greatest] = [corners[0][axis], corners[1][axis]].map(|c| (c - origin) * inverse);
        let (first, second) = if inverse >= 0.0 { (least, greatest) } else { (greatest, least) };
        near = near.max(first);
        far = far.min(second);
    }
    let sum = if near.is_nan() { 0.0 } else { near } + if far.is_nan() { f32::INFINITY } else { far };
    Interval {
        near: if near.is_nan() { f32::INFINITY } else { near.max(0.0) },
        far: if far.is_nan() { f32::NEG_INFINITY } else { far.min(ray.extent) },
        sum,
    }
}

/// A ray against a triangle: the distance is `numerator / denominator`, barycentric coordinates are `i` and `j` over the denominator.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)] // see above
pub struct TriangleHit {
    pub numerator: f32,
    pub denominator: f32,
    pub i: f32,
    pub j: f32,
    pub is_hit: bool,
}

impl TriangleHit {
    /// What a miss is.
    pub const MISS: TriangleHit = TriangleHit { numerator: f32::INFINITY, denominator: 1.0, i: 0.0, j: 0.0, is_hit: false };

    /// A hit of these values.
    fn of([numerator, denominator, i, j]: [f32; 4]) -> TriangleHit {
        TriangleHit { numerator, denominator, i, j, is_hit: true }
    }

    /// The four result dwords of a miss.
    pub fn miss_result(&self) -> [u32; 4] {
        [f32::INFINITY.to_bits(), 1f32.to_bits(), 0, 0]
    }

    /// The same seen from the other side: all signs change, so that ratios stay.
    pub fn flipped(self) -> TriangleHit {
        TriangleHit { numerator: -self.numerator, denominator: -self.denominator, i: -self.i, j: -self.j, ..self }
    }

    /// Barycentric numerator by its selector: of vertex 0, 1, 2.
    pub fn barycentric(&self, source: u8) -> f32 {
        match source {
            0 => self.denominator - self.i - self.j,
            1 => self.i,
            2 => self.j,
            _ => 0.0,
        }
    }
}

#[inline(always)]
fn sub<T: Copy + std::ops::Sub<Output = T>>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn cross<T: Copy + std::ops::Mul<Output = T> + std::ops::Sub<Output = T>>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn dot<T: Copy + std::ops::Mul<Output = T> + std::ops::Add<Output = T>>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Numerator, denominator, I and J in any precision, of one lane or several.
#[inline(always)]
fn solve<T>(vertices: &[[T; 3]; 3], origin: [T; 3], direction: [T; 3]) -> [T; 4]
where
    T: Copy + std::ops::Mul<Output = T> + std::ops::Add<Output = T> + std::ops::Sub<Output = T>,
{
    let (e1, e2, e3) = (sub(vertices[1], vertices[0]), sub(vertices[2], vertices[0]), sub(origin, vertices[0]));
    let (s1, s2) = (cross(direction, e2), cross(e3, e1));
    [dot(e2, s2), dot(s1, e1), dot(e3, s1), dot(direction, s2)]
}

/// Intersects a ray with a triangle. The values are computed in f32, the decision in f64: the hardware lets no ray through between two
/// triangles that share an edge.
pub fn triangle(vertices: &[[f32; 3]; 3], ray: &Ray) -> TriangleHit {
    let wide = |v: [f32; 3]| v.map(f64::from);
    let exact = solve(&vertices.map(wide), wide(ray.origin), wide(ray.direction));
    if is_hit(exact) { TriangleHit::of(solve(vertices, ray.origin, ray.direction)) } else { TriangleHit::MISS }
}

/// The decision.
#[inline(always)]
fn is_hit([t, den, i, j]: [f64; 4]) -> bool {
    let sign = if den < 0.0 { -1.0 } else { 1.0 };
    let (t, size, i, j) = (t * sign, den * sign, i * sign, j * sign);
    // Written so that a NaN misses.
    size > 0.0 && i >= 0.0 && j >= 0.0 && i + j <= size && t >= 0.0
}

/// Eight of these at once, lanes from `first` on, by vertex and axis; rays are origin and direction by axis.
#[inline(always)]
pub fn triangles(vertices: &[[[f32; 16]; 3]; 3], rays: &[[f32; 16]; 6], first: usize) -> [TriangleHit; 8] {
    let (mut narrow, mut wide) = ([[Eight([0.0_f32; 8]); 3]; 5], [[Eight([0.0_f64; 8]); 3]; 5]);
    for axis in 0..3 {
        let rows = [&vertices[0][axis], &vertices[1][axis], &vertices[2][axis], &rays[axis], &rays[3 + axis]];
        for (n, row) in rows.into_iter().enumerate() {
            for lane in 0..8 {
                let value = row[(first + lane) & 15];
                narrow[n][axis].0[lane] = value;
                wide[n][axis].0[lane] = f64::from(value);
            }
        }
    }
    let exact = solve(&[wide[0], wide[1], wide[2]], wide[3], wide[4]);
    let values = solve(&[narrow[0], narrow[1], narrow[2]], narrow[3], narrow[4]);
    let mut out = [TriangleHit::MISS; 8];
    for (lane, out) in out.iter_mut().enumerate() {
        let [t, den, i, j] = &exact;
        if is_hit([t.0[lane], den.0[lane], i.0[lane], j.0[lane]]) {
            let [t, den, i, j] = &values;
            *out = TriangleHit::of([t.0[lane], den.0[lane], i.0[lane], j.0[lane]]);
        }
    }
    out
}

/// Numbers of eight lanes.
#[derive(Clone, Copy)]
struct Eight<T>([T; 8]);

macro_rules! by_lane {
    ($($trait:ident::$function:ident)*) => {
        $(
            impl<T: Copy + std::ops::$trait<Output = T>> std::ops::$trait for Eight<T> {
                type Output = Eight<T>;
                #[inline(always)]
                fn $function(self, other: Eight<T>) -> Eight<T> {
                    let mut out = self;
                    for n in 0..8 {
                        out.0[n] = std::ops::$trait::$function(self.0[n], other.0[n]);
                    }
                    out
                }
            }
        )*
    };
}
by_lane! { Add::add Sub::sub Mul::mul }
