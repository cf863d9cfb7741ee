//! Code under construction: bytes, labels, constants.

use crate::{Base, Gpr, Index, Mem};
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::ops::Range;

/// A place in the code, bound once, used before or after.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label(u32);

/// Bytes in the pool behind the code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Constant(u32);

/// A label was used and never bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnboundLabel;

/// Finished code.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Finished {
    /// Code, then the pool.
    pub bytes: Vec<u8>,
    /// Where the code ends.
    pub code_bytes: usize,
    /// Offsets of labels; `None` where one was never bound.
    pub labels: Vec<Option<u32>>,
}

impl Finished {
    /// Offset of a label in the bytes.
    pub fn offset(&self, label: Label) -> Option<u32> {
        self.labels[label.0 as usize]
    }
}

#[derive(Clone, Copy)]
enum Target {
    Label(Label),
    Constant(Constant),
}

/// Four bytes that hold the distance from `from` to a target.
struct Patch {
    at: u32,
    /// End of the instruction.
    from: u32,
    target: Target,
    /// Added to the target.
    plus: i32,
}

/// A memory operand with one of the registers as its base that are [watched](Asm::watch).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// Where the instruction begins.
    pub at: u32,
    /// The operand.
    pub mem: Mem,
    /// Bytes that it has at most.
    pub bytes: u32,
}

/// Where code is after [`Asm::remove`].
#[derive(Clone, Debug, Default)]
pub struct Moved {
    /// Where each piece ended that is gone, and how many bytes were gone by then.
    gone: Vec<(u32, u32)>,
}

impl Moved {
    /// Where that is now which was at this offset.
    pub fn at(&self, offset: u32) -> u32 {
        match self.gone.partition_point(|(end, _)| *end <= offset) {
            0 => offset,
            n => offset - self.gone[n - 1].1,
        }
    }
}

/// An instruction up to a displacement of 8 bits: never more than 8 bytes, which are appended at once.
#[derive(Clone, Copy, Default)]
pub(crate) struct Head {
    bytes: u64,
    len: u32,
}

impl Head {
    /// So many bytes, from the lowest on.
    #[inline(always)]
    pub(crate) fn of(bytes: u64, len: u32) -> Head {
        Head { bytes, len }
    }

    /// Appends a byte.
    #[inline(always)]
    pub(crate) fn push(&mut self, byte: u8) {
        debug_assert!(self.len < 8);
        self.bytes |= u64::from(byte) << (8 * self.len);
        self.len += 1;
    }
}

/// An assembler.
#[derive(Default)]
pub struct Asm {
    code: Vec<u8>,
    labels: Vec<Option<u32>>,
    patches: Vec<Patch>,
    /// Pool, in pieces of 64 bytes or less, each at a multiple of its size.
    pool: Vec<u8>,
    constants: HashMap<Vec<u8>, u32, RandomState>,
    /// Instructions appended.
    count: u32,
    watched: Vec<Gpr>,
    touches: Vec<Touch>,
}

impl Asm {
    /// Nothing yet.
    pub fn new() -> Asm {
        Asm::default()
    }

    /// Notes from here on all memory operands with these registers as their bases.
    pub fn watch(&mut self, bases: &[Gpr]) {
        self.watched = bases.to_vec();
    }

    /// Those operands, in order.
    pub fn touches(&self) -> &[Touch] {
        &self.touches
    }

    /// Takes pieces out: so many whole instructions without constants and labels as operands, in order. What stands behind moves up; offsets that others have noted are
    /// to be moved, too.
    pub fn remove(&mut self, pieces: &[Range<u32>], insts: u32) -> Moved {
        let mut moved = Moved::default();
        let (mut to, mut from, mut gone) = (0, 0, 0);
        for Range { start, end } in pieces.iter().cloned().chain([Range { start: self.offset(), end: self.offset() }]) {
            debug_assert!(from <= start && start <= end);
            self.code.copy_within(from as usize..start as usize, to as usize);
            (to, from, gone) = (to + start - from, end, gone + end - start);
            moved.gone.push((end, gone));
        }
        self.code.truncate(to as usize);
        self.count -= insts;
        self.labels.iter_mut().flatten().for_each(|at| *at = moved.at(*at));
        for patch in &mut self.patches {
            (patch.at, patch.from) = (moved.at(patch.at), moved.at(patch.from));
        }
        self.touches.clear();
        moved
    }

    /// Bytes so far.
    pub fn offset(&self) -> u32 {
        self.code.len() as u32
    }

    /// Appends the beginning of an instruction.
    #[inline(always)]
    pub(crate) fn head(&mut self, head: Head) {
        let end = self.code.len() + head.len as usize;
        self.code.extend_from_slice(&head.bytes.to_le_bytes());
        self.code.truncate(end);
    }

    /// Appends bytes as they are.
    #[inline(always)]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.code.extend_from_slice(bytes);
    }

    /// Replaces four bytes.
    pub fn patch(&mut self, at: u32, value: i32) {
        self.code[at as usize..][..4].copy_from_slice(&value.to_le_bytes());
    }

    /// A new label.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as u32 - 1)
    }

    /// Puts the label here.
    pub fn bind(&mut self, label: Label) {
        let at = self.offset();
        let place = &mut self.labels[label.0 as usize];
        debug_assert!(place.is_none(), "bound twice");
        *place = Some(at);
    }

    /// A constant of 4, 8, 16, 32 or 64 bytes, aligned accordingly, or a table of a multiple of 64; equal ones are shared.
    pub fn constant(&mut self, bytes: &[u8]) -> Constant {
        debug_assert!(bytes.len().is_power_of_two() && bytes.len() >= 4 || bytes.len().is_multiple_of(64));
        if let Some(at) = self.constants.get(bytes) {
            return Constant(*at);
        }
        let at = self.pool.len().next_multiple_of(bytes.len().min(64));
        self.pool.resize(at, 0);
        self.pool.extend_from_slice(bytes);
        self.constants.insert(bytes.to_vec(), at as u32);
        Constant(at as u32)
    }

    /// A constant of 32 bits.
    pub fn constant32(&mut self, bits: u32) -> Constant {
        self.constant(&bits.to_le_bytes())
    }

    /// A constant of 64 bits.
    pub fn constant64(&mut self, bits: u64) -> Constant {
        self.constant(&bits.to_le_bytes())
    }

    /// The distance to `target`, in four bytes; `trailing` bytes of the instruction follow.
    pub(crate) fn distance(&mut self, label: Label) {
        self.patch_distance(Target::Label(label), 0, 0);
    }

    fn patch_distance(&mut self, target: Target, plus: i32, trailing: u32) {
        let at = self.offset();
        self.patches.push(Patch { at, from: at + 4 + trailing, target, plus });
        self.bytes(&[0; 4]);
    }

    /// An instruction's prefixes and opcode, and ModRM, SIB and displacement of its memory operand. Displacements of 8 bits count multiples of `1 << scale`
    /// bytes, of which the operand has `1 << most` at most; `trailing` bytes of immediates follow.
    pub(crate) fn modrm(&mut self, mut head: Head, reg: u8, m: &Mem, [scale, most]: [u32; 2], trailing: u32) {
        let base = match m.base {
            Base::Reg(g) => {
                if self.watched.contains(&g) {
                    self.touches.push(Touch { at: self.code.len() as u32, mem: *m, bytes: 1 << most });
                }
                g.0
            }
            Base::Label(l) => {
                head.push(reg << 3 | 5);
                self.head(head);
                return self.patch_distance(Target::Label(l), m.disp, trailing);
            }
            Base::Constant(c) => {
                head.push(reg << 3 | 5);
                self.head(head);
                return self.patch_distance(Target::Constant(c), m.disp, trailing);
            }
        };
        let scaled = m.disp >> scale;
        let small = i8::try_from(scaled).ok().filter(|_| scaled << scale == m.disp);
        // rbp and r13 as base have no form without displacement.
        let mode = match small {
            Some(0) if base & 7 != 5 => 0,
            Some(_) => 1,
            None => 2,
        };
        if m.index.is_none() && base & 7 != 4 {
            head.push(mode << 6 | reg << 3 | base & 7);
        } else {
            let (index, factor) = match m.index {
                Some((Index::Gpr(g), f)) => {
                    debug_assert!(g.0 != 4, "rsp is not an index");
                    (g.0, f)
                }
                Some((Index::Vector(n), f)) => (n, f),
                None => (4, 1),
            };
            debug_assert!(matches!(factor, 1 | 2 | 4 | 8));
            head.push(mode << 6 | reg << 3 | 4);
            head.push((factor.trailing_zeros() as u8) << 6 | (index & 7) << 3 | base & 7);
        }
        if let (1, Some(d)) = (mode, small) {
            head.push(d as u8);
        }
        self.head(head);
        if mode == 2 {
            self.bytes(&m.disp.to_le_bytes());
        }
    }

    /// Puts the pool behind the code and fills in distances.
    pub fn finish(mut self) -> Result<Finished, UnboundLabel> {
        let code_bytes = self.code.len();
        let pool = if self.pool.is_empty() { code_bytes } else { code_bytes.next_multiple_of(64) };
        self.code.resize(pool, 0xcc);
        for p in &self.patches {
            let to = match p.target {
                Target::Label(l) => self.labels[l.0 as usize].ok_or(UnboundLabel)?,
                Target::Constant(c) => pool as u32 + c.0,
            };
            let distance = (to as i32).wrapping_sub(p.from as i32).wrapping_add(p.plus);
            self.code[p.at as usize..][..4].copy_from_slice(&distance.to_le_bytes());
        }
        self.code.extend_from_slice(&self.pool);
        Ok(Finished { bytes: self.code, code_bytes, labels: self.labels })
    }

    /// Counts an instruction; see [`Asm::instructions`].
    pub(crate) fn counted(&mut self) {
        self.count += 1;
    }

    /// Instructions appended so far.
    pub fn instructions(&self) -> u32 {
        self.count
    }
}
