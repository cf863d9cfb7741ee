//! Ray instructions on many lanes at once: boxes with a vector of lanes, four children one after the other; triangles eight lanes at a time.
//! Each gives the bits of the scalar form, to which tests hold it.
//!
//! Taken are nodes of box and triangle type of single pointers without ray flags, rays of 32 bits, in a hierarchy that lies in one piece of
//! memory of less than 2 GiB. Other lanes, and those whose nodes cannot be read, are left to the scalar form.

#![allow(unsafe_code)] // gathers from guest memory, and vector instructions
#![allow(clippy::needless_range_loop)] // vectors of axes and children are counted alike

use super::intersect::{self, TriangleHit};
use super::node::{INVALID, Kind, Pointer};
use super::sort::FOUR;
use super::{Form, Heuristic, RayOp, Rows, report};
use crate::descriptor::BvhDescriptor;
use crate::guarded::{Lost, View};
use crate::simd::{Avx2, Avx512, Simd};
use crate::{Memory, Wave};
use wavejit_isa::HostLevel;

/// What an instruction and its descriptor fix.
struct NodeTest<'a> {
    rows: &'a Rows,
    /// First of the address rows behind the node pointer.
    ray: usize,
    bvh: &'a BvhDescriptor,
    heuristic: Heuristic,
    view: View,
}

/// Executes the lanes that can be taken at a level, which the host has, and returns them.
pub(super) fn execute<M: Memory + ?Sized>(
    level: HostLevel,
    op: &RayOp,
    bvh: &BvhDescriptor,
    wave: &mut Wave,
    rows: &Rows,
    memory: &M,
) -> u64 {
    let is_wide = op.form == Form::Bvh64;
    if level == HostLevel::Baseline
        || op.form == Form::Dual
        || op.a16
        || !bvh.is_bvh
        || bvh.bytes >= 1 << 31
        || !wave.lanes.is_multiple_of(16)
    {
        return 0;
    }
    let Some(base) = memory.view(bvh.base, bvh.bytes) else { return 0 };
    let view = View::new(base, bvh.bytes);
    let (mut box16, mut box32, mut triangle) = (0_u64, 0_u64, 0_u64);
    for lane in wave.active() {
        // Pointers of 64 bits whose upper half says nothing are as those of 32 bits.
        if is_wide && wave.get(rows.address[1], lane) != 0 {
            continue;
        }
        match Pointer::of_32(wave.get(rows.address[0], lane)).kind {
            Kind::Box16 if !bvh.box_node_64b => box16 |= 1 << lane,
            Kind::Box32 => box32 |= 1 << lane,
            Kind::Triangle(_) => triangle |= 1 << lane,
            _ => {}
        }
    }
    let test = NodeTest { rows, ray: 1 + usize::from(is_wide), bvh, heuristic: Heuristic::of(bvh.box_sort_heuristic), view };
    // SAFETY: the host has the level.
    let lost = unsafe {
        match level {
            HostLevel::Baseline | HostLevel::Avx2 => nodes_avx2(&test, wave, [box16, box32, triangle]),
            HostLevel::Avx512 => nodes_avx512(&test, wave, [box16, box32, triangle]),
        }
    };
    (box16 | box32 | triangle) & !lost
}

#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn nodes_avx2(test: &NodeTest, wave: &mut Wave, lanes: [u64; 3]) -> u64 {
    // SAFETY: as `boxes`.
    unsafe { nodes::<Avx2>(test, wave, lanes) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma,f16c")]
unsafe fn nodes_avx512(test: &NodeTest, wave: &mut Wave, lanes: [u64; 3]) -> u64 {
    // SAFETY: as `boxes`.
    unsafe { nodes::<Avx512>(test, wave, lanes) }
}

/// Tests the nodes of lanes with boxes of f16, of f32, and triangles; the lanes whose nodes could not be read.
///
/// # Safety
/// As [`boxes`].
#[inline(always)]
unsafe fn nodes<S: Simd>(test: &NodeTest, wave: &mut Wave, lanes: [u64; 3]) -> u64 {
    // SAFETY: as `boxes`.
    unsafe {
        let mut all_lost = 0;
        for first in (0..wave.lanes).step_by(S::LANES) {
            let [box16, box32, triangle] = lanes.map(|lanes| (lanes >> first) as u32 & (u32::MAX >> (32 - S::LANES)));
            let mut lost = 0;
            if box32 != 0 {
                lost |= if boxes::<S, false>(test, wave, first, S::mask(box32)) { 0 } else { box32 };
            }
            if box16 != 0 {
                lost |= if boxes::<S, true>(test, wave, first, S::mask(box16)) { 0 } else { box16 };
            }
            if triangle != 0 {
                lost |= if triangles::<S>(test, wave, first, S::mask(triangle)) { 0 } else { triangle };
            }
            all_lost |= u64::from(lost) << first;
        }
        all_lost
    }
}

/// Nodes of a vector of lanes: one that all share, or several.
#[derive(Clone, Copy)]
struct Nodes<S: Simd> {
    view: View,
    offset: S::I,
    /// Offset of the one.
    shared: Option<usize>,
    inside: S::M,
}

impl<S: Simd> Nodes<S> {
    /// The dword at a byte of each node; of nodes outside the hierarchy anything.
    #[inline(always)]
    unsafe fn dword(&self, at: usize, lost: &mut Lost) -> S::I {
        // SAFETY: nodes of the lanes that are inside are read, and the shared one if it is.
        unsafe {
            match self.shared {
                Some(offset) => S::load_guest(self.view, (offset + at) as u64, lost),
                None => S::gather_guest(self.view, at, self.offset, self.inside, lost),
            }
        }
    }
}

/// The greater one; a number beats a NaN.
#[inline(always)]
unsafe fn max<S: Simd>(a: S::F, b: S::F) -> S::F {
    // SAFETY: no memory is touched.
    unsafe { S::select_f(S::ordered(b, b), S::max_f(a, b), a) }
}

/// The lesser one; a number beats a NaN.
#[inline(always)]
unsafe fn min<S: Simd>(a: S::F, b: S::F) -> S::F {
    // SAFETY: no memory is touched.
    unsafe { S::select_f(S::ordered(b, b), S::min_f(a, b), a) }
}

/// Tests the box nodes of the lanes of `m`, as `Tester::node` does. False, with nothing written, if a node cannot be read.
///
/// # Safety
/// The processor has the instruction set; `test.view` is the hierarchy.
#[inline(always)]
unsafe fn boxes<S: Simd, const HALF: bool>(test: &NodeTest, wave: &mut Wave, first: usize, m: S::M) -> bool {
    // SAFETY: rows have whole vectors of lanes; nodes that are read lie in the hierarchy.
    unsafe {
        let rows = &test.rows.address;
        let mut pointer = [0_u32; 16];
        let from = &wave.row(rows[0])[first..][..S::LANES];
        let node = S::and(S::load(from), S::i(!7));
        S::store(&mut pointer, S::mask(u32::MAX), node);
        // In eighths of bytes, as pointers count.
        let last = (test.bvh.bytes as i64 - if HALF { 64 } else { 128 }) >> 3;
        let inside = if last < 0 { S::mask(0) } else { S::both(m, S::eq(S::min_u(node, S::i(last as i32)), node)) };
        let lanes = S::bits(inside);
        let one = pointer[lanes.trailing_zeros() as usize & 15];
        let is_shared = lanes != 0 && S::bits(S::both(inside, S::eq(node, S::i(one as i32)))) == lanes;
        let nodes = Nodes::<S> { view: test.view, offset: S::shl(node, 3), shared: is_shared.then_some(one as usize * 8), inside };
        let mut lost = Lost::none();

        let float = |n: usize| &wave.row(rows[test.ray + n])[first..][..S::LANES];
        let extent = S::as_f(S::load(float(0)));
        let (mut origin, mut inverse, mut ahead) = ([S::f(0.0); 3], [S::f(0.0); 3], [inside; 3]);
        for axis in 0..3 {
            origin[axis] = S::as_f(S::load(float(1 + axis)));
            inverse[axis] = S::as_f(S::load(float(7 + axis)));
            ahead[axis] = S::le_f(S::f(0.0), inverse[axis]);
        }
        let grows = S::f(1.0 + f32::from(test.bvh.box_grow_ulps) / 16_777_216.0);

        let (mut child, mut key) = ([S::i(0); 4], [S::f(0.0); 4]);
        for n in 0..4 {
            let (mut near, mut far) = (S::f(f32::NAN), S::f(f32::NAN));
            for axis in 0..3 {
                let mut corner = [S::f(0.0); 2];
                for end in 0..2 {
                    corner[end] = if HALF {
                        let at = 16 + 12 * n + 6 * end + 2 * axis;
                        let dword = nodes.dword(at & !3, &mut lost);
                        S::half(if at & 2 != 0 { S::shr(dword, 16) } else { dword })
                    } else {
                        S::as_f(nodes.dword(16 + 24 * n + 12 * end + 4 * axis, &mut lost))
                    };
                    corner[end] = S::mul_f(S::sub_f(corner[end], origin[axis]), inverse[axis]);
                }
                near = max::<S>(near, S::select_f(ahead[axis], corner[0], corner[1]));
                far = min::<S>(far, S::select_f(ahead[axis], corner[1], corner[0]));
            }
            let (has_near, has_far) = (S::ordered(near, near), S::ordered(far, far));
            let infinity = S::f(f32::INFINITY);
            let sum = S::add_f(S::select_f(has_near, near, S::f(0.0)), S::select_f(has_far, far, infinity));
            let near = S::select_f(has_near, S::max_f(near, S::f(0.0)), infinity);
            let far = S::select_f(has_far, min::<S>(far, extent), S::f(f32::NEG_INFINITY));
            let is_hit = S::both(inside, S::le_f(near, S::mul_f(far, grows)));
            child[n] = S::select(is_hit, nodes.dword(4 * n, &mut lost), S::i(INVALID as i32));
            key[n] = match test.heuristic {
                Heuristic::Closest => near,
                Heuristic::Largest => S::sub_f(near, far),
                Heuristic::Midpoint => sum,
            };
        }
        if test.bvh.box_sort {
            for &(a, b) in FOUR {
                let invalid = S::i(INVALID as i32);
                let first_is_none = S::eq(child[a], invalid);
                let is_before = S::without(S::lt_f(key[b], key[a]), S::eq(child[b], invalid));
                let swaps = S::either(first_is_none, is_before);
                (child[a], child[b]) = (S::select(swaps, child[b], child[a]), S::select(swaps, child[a], child[b]));
                (key[a], key[b]) = (S::select_f(swaps, key[b], key[a]), S::select_f(swaps, key[a], key[b]));
            }
        }
        if lost.any() {
            return false;
        }
        for n in 0..4 {
            S::store(&mut wave.row_mut(test.rows.dst[n])[first..][..S::LANES], m, child[n]);
        }
        true
    }
}

/// Tests the triangles of the lanes of `m`, as `Tester::node` does. False, with nothing written, if a node cannot be read.
///
/// # Safety
/// As [`boxes`].
#[inline(always)]
unsafe fn triangles<S: Simd>(test: &NodeTest, wave: &mut Wave, first: usize, m: S::M) -> bool {
    // SAFETY: rows have whole vectors of lanes; nodes that are read lie in the hierarchy.
    unsafe {
        let rows = &test.rows.address;
        let pointer = S::load(&wave.row(rows[0])[first..][..S::LANES]);
        let node = S::and(pointer, S::i(!7));
        let last = (test.bvh.bytes as i64 - 64) >> 3;
        let inside = if last < 0 { S::mask(0) } else { S::both(m, S::eq(S::min_u(node, S::i(last as i32)), node)) };
        let all = S::mask(u32::MAX);
        let offset = S::shl(node, 3);
        let is_second = S::eq(S::and(pointer, S::i(7)), S::i(1));
        let mut lost = Lost::none();
        let mut vertices = [[[0.0_f32; 16]; 3]; 3];
        for (vertex, of_second) in [1, 3, 2].into_iter().enumerate() {
            let start = S::add(offset, S::select(is_second, S::i(12 * of_second), S::i(12 * vertex as i32)));
            for axis in 0..3 {
                let value = S::gather_guest(test.view, 4 * axis, start, inside, &mut lost);
                S::store(&mut vertices[vertex][axis], all, value);
            }
        }
        let (mut ids, mut pointers) = ([0_u32; 16], [0_u32; 16]);
        S::store(&mut ids, all, S::gather_guest(test.view, 60, offset, inside, &mut lost));
        S::store(&mut pointers, all, pointer);
        if lost.any() {
            return false;
        }
        let mut rays = [[0.0_f32; 16]; 6];
        for (n, row) in rays.iter_mut().enumerate() {
            let from = &wave.row(rows[test.ray + 1 + n])[first..][..S::LANES];
            S::store(row, all, S::load(from));
        }
        let (present, asked) = (S::bits(inside), S::bits(m));
        let mut results = [[0; 16]; 4];
        for start in (0..S::LANES).step_by(8) {
            let hits = intersect::triangles(&vertices, &rays, start);
            for (n, hit) in hits.into_iter().enumerate().map(|(n, hit)| (start + n, hit)) {
                let dwords = if present >> n & 1 == 0 {
                    TriangleHit::MISS.miss_result()
                } else {
                    report(test.bvh, Pointer::of_32(pointers[n]), ids[n], hit)
                };
                for (row, dword) in results.iter_mut().zip(dwords) {
                    row[n] = dword;
                }
            }
        }
        for (row, from) in test.rows.dst.iter().zip(&results) {
            S::store(&mut wave.row_mut(*row)[first..][..S::LANES], S::mask(asked), S::load(from));
        }
        true
    }
}
