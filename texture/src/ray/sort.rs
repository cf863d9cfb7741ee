//! Order in which a box node returns its children: networks of comparisons, invalid ones last (images.md section 9.1).

use super::intersect::Interval;
use super::node::INVALID;

/// By what children are sorted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heuristic {
    /// Where the ray enters.
    Closest,
    /// How much of the ray is inside, most first.
    Largest,
    /// Middle of the part inside.
    Midpoint,
}

impl Heuristic {
    /// Of the descriptor's number; 3 is undefined.
    pub fn of(number: u8) -> Heuristic {
        match number {
            1 => Heuristic::Largest,
            2 => Heuristic::Midpoint,
            _ => Heuristic::Closest,
        }
    }

    /// What a child is sorted by, least first.
    pub fn key(self, interval: &Interval) -> f32 {
        match self {
            Heuristic::Closest => interval.near,
            Heuristic::Largest => interval.near - interval.far,
            Heuristic::Midpoint => interval.sum,
        }
    }
}

/// A child of a box node that was hit, or none.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Child {
    pub pointer: u32,
    pub key: f32,
}

impl Child {
    pub(super) const MISS: Child = Child { pointer: INVALID, key: 0.0 };
}

/// The network for four: places that are compared and swapped.
pub(super) const FOUR: &[(usize, usize)] = &[(0, 2), (1, 3), (0, 1), (2, 3), (1, 2)];
#[rustfmt::skip]
const EIGHT: &[(usize, usize)] = &[
    (0, 2), (1, 3), (4, 6), (5, 7), (0, 1), (2, 3), (4, 5), (6, 7), (1, 2), (5, 6), (0, 4), (1, 5), (2, 6), (3, 7), (2, 4), (3, 5),
    (1, 2), (3, 4), (5, 6),
];

fn run(network: &[(usize, usize)], children: &mut [Child]) {
    for &(a, b) in network {
        let (first, second) = (children[a], children[b]);
        if first.pointer == INVALID || second.pointer != INVALID && second.key < first.key {
            children.swap(a, b);
        }
    }
}

/// Sorts the children of one node.
pub(super) fn four(children: &mut [Child; 4]) {
    run(FOUR, children);
}

/// Sorts the children of two nodes together (gfx12).
pub(super) fn eight(children: &mut [Child; 8]) {
    run(EIGHT, children);
}
