//! Makes a bounding volume hierarchy of triangles, in nodes as the instructions read them.
//!
//! Triangles are split top-down where the surface area heuristic says (twelve bins on each axis), into two parts and these into two again,
//! so that every box node has up to four children. The heuristic is that of Wald, "On fast Construction of SAH-based Bounding Volume
//! Hierarchies" (2007). Two triangles that share an edge go into one node where they meet in a leaf.

use super::node::INVALID;

/// A triangle's corners.
pub type Corners = [[f32; 3]; 3];

/// Size of the boxes in nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BoxFormat {
    /// 128-byte nodes.
    #[default]
    F32,
    /// 64-byte nodes; boxes are rounded outwards.
    F16,
}

/// A hierarchy, to be copied to memory at a multiple of 256 bytes.
#[derive(Clone, PartialEq, Debug)]
pub struct Bvh {
    /// The nodes. Byte 48 of a triangle node (52 for its second triangle) has the number of the triangle.
    pub bytes: Vec<u8>,
    /// Pointer to the first node, from the base on: what a traversal begins with.
    pub root: u32,
}

impl Bvh {
    /// Number of the triangle that a node pointer names.
    pub fn triangle(&self, pointer: u32) -> Option<u32> {
        let which = match pointer & 7 {
            n @ 0..2 => n as usize,
            _ => return None,
        };
        let at = ((pointer & !7) as usize) * 8 + 48 + 4 * which;
        let bytes = self.bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
}

/// Builds a hierarchy. Triangles with a corner that is NaN, which nothing can hit, are left out.
pub fn build(triangles: &[Corners], format: BoxFormat) -> Bvh {
    let finite = |t: &&u32| triangles[**t as usize].iter().flatten().all(|x| x.is_finite());
    let all: Vec<u32> = (0..triangles.len() as u32).collect();
    let mut items: Vec<u32> = all.iter().filter(finite).copied().collect();
    let mut b = Builder { triangles, format, bytes: vec![] };
    // The root comes first in memory, whatever it is.
    let root = b.subtree(&mut items).map_or(INVALID, |r| r.pointer);
    Bvh { bytes: b.bytes, root }
}

#[derive(Clone, Copy)]
struct Bounds {
    least: [f32; 3],
    greatest: [f32; 3],
}

impl Bounds {
    const NONE: Bounds = Bounds { least: [f32::INFINITY; 3], greatest: [f32::NEG_INFINITY; 3] };

    fn add(&mut self, other: &Bounds) {
        for axis in 0..3 {
            self.least[axis] = self.least[axis].min(other.least[axis]);
            self.greatest[axis] = self.greatest[axis].max(other.greatest[axis]);
        }
    }
    fn of(triangle: &Corners) -> Bounds {
        let mut b = Bounds::NONE;
        triangle.iter().for_each(|v| b.add(&Bounds { least: *v, greatest: *v }));
        b
    }
    /// Half the surface.
    fn area(&self) -> f32 {
        let d = [0, 1, 2].map(|a| (self.greatest[a] - self.least[a]).max(0.0));
        d[0] * d[1] + d[1] * d[2] + d[2] * d[0]
    }
    fn middle(&self, axis: usize) -> f32 {
        self.least[axis] * 0.5 + self.greatest[axis] * 0.5
    }
}

/// A node that is done.
struct Done {
    pointer: u32,
    bounds: Bounds,
}

struct Builder<'a> {
    triangles: &'a [Corners],
    format: BoxFormat,
    bytes: Vec<u8>,
}

const BINS: usize = 12;

impl Builder<'_> {
    fn reserve(&mut self, bytes: usize) -> usize {
        let at = self.bytes.len();
        self.bytes.resize(at + bytes, 0);
        at
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn bounds(&self, items: &[u32]) -> Bounds {
        let mut all = Bounds::NONE;
        items.iter().for_each(|t| all.add(&Bounds::of(&self.triangles[*t as usize])));
        all
    }

    /// A node over `items`; none if there are none.
    fn subtree(&mut self, items: &mut [u32]) -> Option<Done> {
        let bounds = self.bounds(items);
        match *items {
            [] => None,
            [t] => Some(Done { pointer: self.triangle_node(t, None), bounds }),
            _ => Some(Done { pointer: self.box_node(items), bounds }),
        }
    }

    fn box_node(&mut self, items: &mut [u32]) -> u32 {
        let (size, tag) = match self.format {
            BoxFormat::F32 => (128, 5),
            BoxFormat::F16 => (64, 4),
        };
        let at = self.reserve(size);
        let mut children: Vec<Done> = vec![];
        let (left, right) = self.split(items);
        for half in [left, right] {
            if half.len() <= 2 {
                self.leaves(half, &mut children);
            } else {
                let (a, b) = self.split(half);
                for part in [a, b] {
                    children.extend(self.subtree(part));
                }
            }
        }
        for (i, slot) in (0..4).zip([0, 4, 8, 12]) {
            self.put(at + slot, &children.get(i).map_or(INVALID, |c| c.pointer).to_le_bytes());
        }
        for (i, child) in children.iter().enumerate() {
            self.put_box(at, i, &child.bounds);
        }
        (at / 8) as u32 | tag
    }

    /// One or two triangles as children: a node of both if they share an edge, else one each.
    fn leaves(&mut self, items: &[u32], children: &mut Vec<Done>) {
        if let [a, b] = *items
            && let Some((first, second)) = self.pair(a, b)
        {
            let pointer = self.triangle_node(first, Some(second));
            let bounds = |t: u32| Bounds::of(&self.triangles[t as usize]);
            children.push(Done { pointer, bounds: bounds(first) });
            children.push(Done { pointer: pointer | 1, bounds: bounds(second) });
            return;
        }
        for t in items {
            let pointer = self.triangle_node(*t, None);
            children.push(Done { pointer, bounds: self.bounds(&[*t]) });
        }
    }

    /// The order in which two triangles fit one node, v0 v1 v2 and v1 v3 v2.
    fn pair(&self, a: u32, b: u32) -> Option<(u32, u32)> {
        [(a, b), (b, a)].into_iter().find(|(x, y)| {
            let ([_, x1, x2], [y0, _, y2]) = (self.triangles[*x as usize], self.triangles[*y as usize]);
            x1 == y0 && x2 == y2
        })
    }

    fn triangle_node(&mut self, first: u32, second: Option<u32>) -> u32 {
        let at = self.reserve(64);
        let corners = self.triangles[first as usize];
        let fourth = second.map_or(corners[2], |t| self.triangles[t as usize][1]);
        for (i, v) in [corners[0], corners[1], corners[2], fourth].iter().flatten().enumerate() {
            self.put(at + 4 * i, &v.to_le_bytes());
        }
        self.put(at + 48, &first.to_le_bytes());
        self.put(at + 52, &second.unwrap_or(first).to_le_bytes());
        // I and J are of vertices 1 and 2; opaque.
        self.put(at + 60, &[0x89; 4]);
        (at / 8) as u32
    }

    fn put_box(&mut self, at: usize, i: usize, b: &Bounds) {
        let all = b.least.iter().chain(&b.greatest);
        match self.format {
            BoxFormat::F32 => {
                let bytes: Vec<u8> = all.flat_map(|x| x.to_le_bytes()).collect();
                self.put(at + 16 + 24 * i, &bytes);
            }
            BoxFormat::F16 => {
                let least = b.least.map(|x| outwards(x, -1.0));
                let greatest = b.greatest.map(|x| outwards(x, 1.0));
                let bytes: Vec<u8> = least.iter().chain(&greatest).flat_map(|h| h.to_le_bytes()).collect();
                self.put(at + 16 + 12 * i, &bytes);
            }
        }
    }

    /// Two parts, neither empty (of two items or more), where the heuristic finds them cheapest; by halves where it finds nothing.
    fn split<'i>(&self, items: &'i mut [u32]) -> (&'i mut [u32], &'i mut [u32]) {
        let bounds: Vec<Bounds> = items.iter().map(|t| Bounds::of(&self.triangles[*t as usize])).collect();
        let mut middles = Bounds::NONE;
        for b in &bounds {
            let m = [0, 1, 2].map(|axis| b.middle(axis));
            middles.add(&Bounds { least: m, greatest: m });
        }
        let bin_of = |b: &Bounds, axis: usize| {
            let (low, width) = (middles.least[axis], middles.greatest[axis] - middles.least[axis]);
            (((b.middle(axis) - low) / width * BINS as f32) as usize).min(BINS - 1)
        };
        let mut best: Option<(f32, usize, usize)> = None;
        for axis in 0..3 {
            let width = middles.greatest[axis] - middles.least[axis];
            if width.is_nan() || width <= 0.0 || width.is_infinite() {
                continue;
            }
            let mut bins = [(Bounds::NONE, 0usize); BINS];
            for b in &bounds {
                let bin = &mut bins[bin_of(b, axis)];
                bin.0.add(b);
                bin.1 += 1;
            }
            let sweep = |order: &mut dyn Iterator<Item = usize>| {
                let (mut all, mut n) = (Bounds::NONE, 0);
                order
                    .map(|i| {
                        all.add(&bins[i].0);
                        n += bins[i].1;
                        (all.area() * n as f32, n)
                    })
                    .collect::<Vec<_>>()
            };
            let (from_left, from_right) = (sweep(&mut (0..BINS)), sweep(&mut (0..BINS).rev()));
            for at in 1..BINS {
                let (left, right) = (from_left[at - 1], from_right[BINS - 1 - at]);
                let cost = left.0 + right.0;
                if left.1 > 0 && right.1 > 0 && best.is_none_or(|b| cost < b.0) {
                    best = Some((cost, axis, at));
                }
            }
        }
        let middle = match best {
            Some((_, axis, at)) => {
                items.sort_by_key(|t| bin_of(&Bounds::of(&self.triangles[*t as usize]), axis) >= at);
                items.partition_point(|t| bin_of(&Bounds::of(&self.triangles[*t as usize]), axis) < at)
            }
            None => items.len() / 2,
        };
        items.split_at_mut(middle)
    }
}

/// The f16 at or beyond `x` in the direction of `sign`.
fn outwards(x: f32, sign: f32) -> half::f16 {
    let h = half::f16::from_f32(x);
    if (h.to_f32() - x) * sign >= 0.0 || h.is_infinite() {
        return h;
    }
    let bits = h.to_bits();
    half::f16::from_bits(match (h.to_f32() == 0.0, (h.to_f32() > 0.0) == (sign > 0.0)) {
        (true, _) => {
            if sign > 0.0 {
                0x0001
            } else {
                0x8001
            }
        }
        (_, true) => bits + 1,
        (_, false) => bits - 1,
    })
}
