//! Where the values of a function are made and used. Values are used in the block that defines them only, so that a place in it says all.

use std::cell::OnceCell;
use wavejit_ir::{Block, Func, Op, PureOp, Value};

/// The place of the end of a block.
pub const END: u32 = u32::MAX;

/// By value: where it is made, and by whom it is used.
pub struct Places {
    /// The place of the instruction in its block.
    defs: Vec<u32>,
    users: OnceCell<Users>,
}

/// Those of all values, one after the other.
struct Users {
    /// By value: where its users begin, and behind the last value the end.
    first: Vec<u32>,
    places: Vec<u32>,
}

impl Places {
    /// Looks at a function, which must stay as it is.
    pub fn new(func: &Func) -> Places {
        let mut defs = vec![u32::MAX; func.types.len()];
        for block in &func.blocks {
            for (inst, at) in block.insts.iter().zip(0..) {
                (0..inst.results).for_each(|r| defs[inst.result(r.into()).0 as usize] = at);
            }
        }
        Places { defs, users: OnceCell::new() }
    }

    /// The place of the instruction that makes a value.
    pub fn def(&self, v: Value) -> u32 {
        self.defs[v.0 as usize]
    }

    /// The operation of a block that makes a value.
    pub fn op<'a>(&self, block: &'a Block, v: Value) -> Option<&'a Op> {
        block.insts.get(self.def(v) as usize).map(|inst| &inst.op)
    }

    /// The same if it is a pure one, with its operands.
    pub fn pure(&self, block: &Block, v: Value) -> Option<(PureOp, [Option<Value>; 3])> {
        match self.op(block, v)? {
            Op::Pure { op, args, .. } => Some((*op, *args)),
            _ => None,
        }
    }

    /// The places of the instructions that use a value, in order and once for each time; [`END`] is the end of the block. Found when it is first asked for.
    pub fn users(&self, func: &Func, v: Value) -> &[u32] {
        let Users { first, places } = self.users.get_or_init(|| Users::of(func));
        &places[first[v.0 as usize] as usize..first[v.0 as usize + 1] as usize]
    }
}

impl Users {
    fn of(func: &Func) -> Users {
        // How many of each; then where the users of each end, which moves to where they begin.
        let mut first = vec![0u32; func.types.len() + 1];
        let mut count = |v: Value| first[v.0 as usize] += 1;
        for block in &func.blocks {
            block.insts.iter().for_each(|inst| inst.op.for_each_arg(&mut count));
            block.term.for_each_arg(&mut count);
        }
        let mut sum = 0;
        for n in &mut first {
            sum += *n;
            *n = sum;
        }
        let mut places = vec![0; sum as usize];
        for block in &func.blocks {
            let mut put = |v: Value, at: u32| {
                let next = &mut first[v.0 as usize];
                *next -= 1;
                places[*next as usize] = at;
            };
            block.term.for_each_arg(|v| put(v, END));
            for (at, inst) in block.insts.iter().enumerate().rev() {
                inst.op.for_each_arg(|v| put(v, at as u32));
            }
        }
        Users { first, places }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_definitions_and_of_users_are_those_of_their_block() {
        let text = "func \"f\" wave32 {
b0 pc=0 mode=0x3f0 insts=1:
 %0: mask = exec
 %1: l32 = vget v0 demand %0
 %2: l32 = iadd.32 %1, %1
 vset v1, %2, exec %0
 jump b1
b1 pc=4 mode=0x3f0 insts=1:
 %3: s1 = sget scc
 %4: s1 = xor.1 %3, %3
 branch %3, b0, b2
b2 pc=8 mode=0x3f0 insts=1:
 end
}";
        let func = wavejit_ir::text::parse(text).unwrap();
        let places = Places::new(&func);
        assert_eq!([0, 1, 2, 3, 4].map(|v| places.def(Value(v))), [0, 1, 2, 0, 1]);
        assert_eq!([0, 1, 2].map(|v| places.users(&func, Value(v))), [&[1, 3][..], &[2, 2], &[3]]);
        assert_eq!([3, 4].map(|v| places.users(&func, Value(v))), [&[1, 1, END][..], &[]]);
        assert_eq!(places.pure(&func.blocks[0], Value(2)), Some((PureOp::IAdd32, [Some(Value(1)), Some(Value(1)), None])));
        assert!(places.pure(&func.blocks[0], Value(1)).is_none());
    }
}
