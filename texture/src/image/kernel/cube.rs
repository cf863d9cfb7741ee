//! Taps across the edges of cube faces, as [`super::super::cube`] finds them.
//!
//! Which face lies beyond an edge, and how its coordinates run, does not depend on the size: texel (i, j) one step outside has its counterpart
//! at a corner-to-corner combination of 0, n - 1, k and n - 1 - k, where k is its coordinate along the edge.

use crate::lazy::Lazy;

use super::super::cube::neighbor;
use super::taps::inside;
use crate::simd::Simd;

/// At `face * 4 + edge` (edges: i < 0, i >= n, j < 0, j >= n): the face beyond in bits 2:0, i there in bits 5:4 and j in bits 9:8, each as
/// 0: 0, 1: n - 1, 2: k, 3: n - 1 - k.
pub(super) static EDGES: Lazy<[u32; 24]> = Lazy::new(|| {
    // In a cube of four texels a side the texel at k = 1 tells the four codes apart.
    let code = |at: i32| [0, 2, 3, 1][(at & 3) as usize];
    std::array::from_fn(|n| {
        let (i, j) = [(-1, 1), (4, 1), (1, -1), (1, 4)][n & 3];
        neighbor(n as u32 / 4, i, j, 4).map_or(0, |(face, i, j)| face | code(i) << 4 | code(j) << 8)
    })
});

/// A texel of a cube.
#[derive(Clone, Copy)]
pub(super) struct At<S: Simd> {
    pub face: S::I,
    pub i: S::I,
    pub j: S::I,
    /// Outside in both directions: there is no such texel.
    pub corner: S::M,
}

/// A coordinate by its code in [`EDGES`].
#[inline(always)]
unsafe fn coordinate<S: Simd>(code: S::I, k: S::I, n: i32) -> S::I {
    // SAFETY: no memory is touched.
    unsafe {
        let k = S::select(S::eq(S::and(code, S::i(2)), S::i(0)), S::i(0), k);
        S::select(S::eq(S::and(code, S::i(1)), S::i(0)), k, S::sub(S::i(n - 1), k))
    }
}

/// The texel at (i, j) of a face of `n` texels a side, one step outside at most; at a corner, some texel.
///
/// # Safety
/// The processor has the instruction set; for the lanes of `m`, `face` is from 0 to 5.
#[inline(always)]
pub(super) unsafe fn cross<S: Simd>(edges: &'static [u32; 24], face: S::I, i: S::I, j: S::I, n: i32, m: S::M) -> At<S> {
    // SAFETY: faces are numbers up to 5, so that the table has the entry.
    unsafe {
        let (i_inside, j_inside) = (inside::<S>(i, n), inside::<S>(j, n));
        let across_i = S::select(S::gt(i, S::i(0)), S::i(1), S::i(0));
        let across_j = S::select(S::gt(j, S::i(0)), S::i(3), S::i(2));
        let edge = S::select(i_inside, across_j, across_i);
        let along = S::select(i_inside, i, j);
        let beyond = S::without(m, S::both(i_inside, j_inside));
        let entry = S::entry(edges, S::add(S::shl(face, 2), edge), beyond);
        let corner = S::without(S::without(beyond, i_inside), j_inside);
        let beyond = S::without(beyond, corner);
        let limit = S::i(n - 1);
        At {
            face: S::select(beyond, S::and(entry, S::i(7)), face),
            i: S::select(beyond, coordinate::<S>(S::shr(entry, 4), along, n), S::min(S::max(i, S::i(0)), limit)),
            j: S::select(beyond, coordinate::<S>(S::shr(entry, 8), along, n), S::min(S::max(j, S::i(0)), limit)),
            corner,
        }
    }
}
