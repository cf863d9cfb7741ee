//! Blocks that can come to themselves again.

use wavejit_ir::Func;

/// Not one of those that are asked about, or done with.
const OUT: u32 = u32::MAX;
const NEW: u32 = u32::MAX - 1;

/// Lists of blocks, one for each block, one after the other.
struct Lists {
    /// Where each begins, and the end of the last.
    first: Vec<u32>,
    all: Vec<u32>,
}

impl Lists {
    /// Of pairs (whose list, what is put into it), which keep their order.
    fn of(count: usize, pairs: &[(u32, u32)]) -> Lists {
        let mut first = vec![0; count + 1];
        pairs.iter().for_each(|(of, _)| first[*of as usize + 1] += 1);
        let mut sum = 0;
        first.iter_mut().for_each(|n| {
            sum += *n;
            *n = sum;
        });
        let mut at = first.clone();
        let mut all = vec![0; pairs.len()];
        for (of, block) in pairs {
            let place = &mut at[*of as usize];
            all[*place as usize] = *block;
            *place += 1;
        }
        Lists { first, all }
    }

    fn get(&self, of: u32) -> &[u32] {
        &self.all[self.first[of as usize] as usize..self.first[of as usize + 1] as usize]
    }
}

/// Finds them for one function.
pub(crate) struct Circles {
    next: Lists,
    before: Lists,
    /// By block: in which order it was come to, or [`OUT`], or [`NEW`].
    number: Vec<u32>,
    /// By block: the first one that it leads to.
    low: Vec<u32>,
}

impl Circles {
    /// Of a function that stays as it is.
    pub(crate) fn new(func: &Func) -> Circles {
        let count = func.blocks.len();
        let mut edges = vec![];
        for (b, block) in func.blocks.iter().enumerate() {
            block.term.for_each_successor(|s| edges.push((b as u32, s.0)));
        }
        let next = Lists::of(count, &edges);
        edges.iter_mut().for_each(|(from, to)| std::mem::swap(from, to));
        Circles { next, before: Lists::of(count, &edges), number: vec![OUT; count], low: vec![0; count] }
    }

    /// Sets of blocks, of these, from each of which a way leads to each other of its set, or back to itself (Tarjan's components). Each is sorted.
    pub(crate) fn among(&mut self, blocks: &[u32]) -> Vec<Vec<u32>> {
        let (number, low) = (&mut self.number, &mut self.low);
        blocks.iter().for_each(|b| number[*b as usize] = NEW);
        let (mut count, mut stack, mut path, mut found) = (0, vec![], vec![], vec![]);
        for root in blocks {
            let mut enter = (number[*root as usize] == NEW).then_some(*root);
            loop {
                if let Some(b) = enter.take() {
                    (number[b as usize], low[b as usize]) = (count, count);
                    count += 1;
                    stack.push(b);
                    path.push((b, self.next.get(b).iter()));
                }
                let Some((b, left)) = path.last_mut() else { break };
                let b = *b;
                if let Some(s) = left.next() {
                    match number[*s as usize] {
                        OUT => {}
                        NEW => enter = Some(*s),
                        n => low[b as usize] = low[b as usize].min(n),
                    }
                    continue;
                }
                path.pop();
                if let Some((above, _)) = path.last() {
                    low[*above as usize] = low[*above as usize].min(low[b as usize]);
                }
                if low[b as usize] == number[b as usize] {
                    let first = stack.iter().rposition(|x| *x == b).expect("it is on the stack");
                    stack[first..].iter().for_each(|x| number[*x as usize] = OUT);
                    if stack.len() > first + 1 || self.next.get(b).contains(&b) {
                        let mut set = stack[first..].to_vec();
                        set.sort_unstable();
                        found.push(set);
                    }
                    stack.truncate(first);
                }
            }
        }
        found
    }

    /// The blocks of a sorted set that are come to from outside of it, and the others.
    pub(crate) fn entries(&self, set: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let is_outside = |b: &u32| set.binary_search(b).is_err();
        set.iter().partition(|b| **b == 0 || self.before.get(**b).iter().any(is_outside))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_that_lead_to_each_other_are_found_and_their_entries() {
        let block = |i: usize, term: &str| format!("b{i} pc={} mode=0x3f0 insts=1:\n %{i}: s1 = sget scc\n {term}\n", 4 * i);
        let terms = ["jump b1", "jump b2", "branch %2, b2, b3", "branch %3, b1, b4", "branch %4, b5, b6", "jump b6", "end"];
        let text: String = terms.iter().enumerate().map(|(i, t)| block(i, t)).collect();
        let func = wavejit_ir::text::parse(&format!("func \"f\" wave32 {{\n{text}}}\n")).unwrap();
        let mut circles = Circles::new(&func);
        assert_eq!(circles.among(&[0, 1, 2, 3, 4, 5, 6]), [[1, 2, 3]]);
        assert_eq!(circles.entries(&[1, 2, 3]), (vec![1], vec![2, 3]));
        assert_eq!(circles.among(&[2, 3]), [[2]]);
        assert_eq!(circles.among(&[1, 3, 4]), Vec::<Vec<u32>>::new());
        assert_eq!(circles.entries(&[0]), (vec![0], vec![]));
    }
}
