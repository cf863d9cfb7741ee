//! What is known of values while one block after the other is looked at.

use wavejit_ir::{Func, Value};

/// Something about values of a block: as quick as a list of all values of the function, and emptied in no time. (A sparse set: `places` may have anything for
/// values that are not in it.)
pub(crate) struct ByValue<T> {
    /// By value: its place in the list, if it is there.
    places: Vec<u32>,
    list: Vec<(Value, T)>,
}

impl<T> Default for ByValue<T> {
    fn default() -> Self {
        ByValue { places: vec![], list: vec![] }
    }
}

impl<T: Copy> ByValue<T> {
    /// Of values of this function; of none yet.
    pub(crate) fn of(func: &Func) -> Self {
        ByValue { places: vec![0; func.types.len()], list: vec![] }
    }

    /// Forgets all, for blocks of this function.
    pub(crate) fn begin(&mut self, func: &Func) {
        self.places.resize(func.types.len(), 0);
        self.list.clear();
    }

    /// Forgets all, for blocks of the same function.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
    }

    fn place(&self, v: Value) -> Option<usize> {
        let place = self.places[v.0 as usize] as usize;
        self.list.get(place).is_some_and(|(of, _)| *of == v).then_some(place)
    }

    pub(crate) fn get(&self, v: Value) -> Option<T> {
        self.place(v).map(|place| self.list[place].1)
    }

    pub(crate) fn has(&self, v: Value) -> bool {
        self.place(v).is_some()
    }

    /// In place of what was known of it.
    pub(crate) fn insert(&mut self, v: Value, it: T) {
        match self.place(v) {
            Some(place) => self.list[place].1 = it,
            None => {
                self.places[v.0 as usize] = self.list.len() as u32;
                self.list.push((v, it));
            }
        }
    }

    /// All that is known, to change it.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.list.iter_mut().map(|(_, it)| it)
    }

    /// All that is known.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Value, T)> {
        self.list.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavejit_ir::text::parse;

    #[test]
    fn the_last_that_was_said_of_a_value_holds_until_all_is_forgotten() {
        let func = parse("func \"f\" wave32 {\nb0 pc=0 mode=0x3f0 insts=1:\n%0: s32 = sget s0\n%1: s32 = sget s1\nend\n}").unwrap();
        let mut known = ByValue::of(&func);
        assert_eq!([known.get(Value(0)), known.get(Value(1))], [None, None]);
        known.insert(Value(1), 5);
        known.insert(Value(1), 6);
        assert_eq!([known.get(Value(0)), known.get(Value(1))], [None, Some(6)]);
        assert_eq!(known.iter().count(), 1);
        known.begin(&func);
        known.insert(Value(0), 7);
        assert_eq!([known.get(Value(0)), known.get(Value(1))], [Some(7), None]);
        assert!(known.has(Value(0)) && !known.has(Value(1)));
    }
}
