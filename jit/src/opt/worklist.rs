//! Blocks that are still to be looked at.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Each at most once, the one that stands first in the function first: facts that flow forward have then come together where ways meet, mostly.
pub(super) struct Worklist {
    waits: Vec<bool>,
    blocks: BinaryHeap<Reverse<usize>>,
}

impl Worklist {
    /// For a function of so many blocks, with its entry.
    pub(super) fn with_entry(blocks: usize) -> Worklist {
        let mut list = Worklist { waits: vec![false; blocks], blocks: BinaryHeap::new() };
        list.add(0);
        list
    }

    pub(super) fn add(&mut self, block: usize) {
        if !std::mem::replace(&mut self.waits[block], true) {
            self.blocks.push(Reverse(block));
        }
    }

    pub(super) fn next(&mut self) -> Option<usize> {
        let Reverse(block) = self.blocks.pop()?;
        self.waits[block] = false;
        Some(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_in_order_and_once() {
        let mut list = Worklist::with_entry(5);
        [3, 1, 3, 4].into_iter().for_each(|b| list.add(b));
        assert_eq!([list.next(), list.next()], [Some(0), Some(1)]);
        list.add(1);
        assert_eq!([0; 4].map(|_| list.next()), [Some(1), Some(3), Some(4), None]);
    }
}
