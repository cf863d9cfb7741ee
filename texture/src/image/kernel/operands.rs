//! Registers of a vector of lanes: address operands, whole or in halves, and results, whole or packed. They are looked up, and tested, once for
//! all vectors of a wave.

use std::marker::PhantomData;

use super::super::address::Operands;
use super::super::op::{ImageOp, Layout, Slot};
use super::super::values::{Narrow, unselect};
use super::has::VARIED;
use crate::descriptor::DstSel;
use crate::simd::Simd;
use crate::{Generation, Wave};

/// The rows of a wave for the time of an instruction.
pub(super) struct Rows<'a> {
    first: *mut u32,
    /// How many there are.
    count: u32,
    lanes: usize,
    exec: u64,
    wave: PhantomData<&'a mut [u32]>,
}

impl<'a> Rows<'a> {
    #[inline(always)]
    pub(super) fn of(wave: &'a mut Wave) -> Rows<'a> {
        let first = wave.rows.as_mut_ptr();
        Rows { first, ..Rows::to_read(wave) }
    }

    /// To read only.
    #[inline(always)]
    pub(super) fn to_read(wave: &'a Wave) -> Rows<'a> {
        assert!(matches!(wave.lanes, 32 | 64), "a wave of {} lanes", wave.lanes);
        let first = wave.rows.as_ptr().cast_mut();
        let count = wave.rows.len() >> wave.lanes.trailing_zeros();
        Rows { first, count: count.min(1 << 16) as u32, lanes: wave.lanes, exec: wave.exec, wave: PhantomData }
    }

    /// The first lane of a row, all lanes of which are there.
    #[inline(always)]
    fn row(&self, number: u16) -> *mut u32 {
        if u32::from(number) >= self.count {
            missing(number);
        }
        // SAFETY: the row is there.
        unsafe { self.first.add(usize::from(number) * self.lanes) }
    }

    /// The vectors that have active lanes: the first lane of each, and which are active.
    #[inline(always)]
    pub(super) fn vectors<S: Simd>(&self) -> Vectors<S> {
        Vectors { exec: self.exec, lanes: self.lanes, next: 0, set: PhantomData }
    }
}

#[cold]
#[inline(never)]
fn missing(number: u16) -> ! {
    panic!("row {number} is not there")
}

/// See [`Rows::vectors`].
pub(super) struct Vectors<S> {
    exec: u64,
    lanes: usize,
    next: usize,
    set: PhantomData<S>,
}

impl<S: Simd> Iterator for Vectors<S> {
    type Item = (usize, u32);
    #[inline(always)]
    fn next(&mut self) -> Option<(usize, u32)> {
        while self.next < self.lanes {
            let first = self.next;
            self.next += S::LANES;
            let active = (self.exec >> first) as u32 & (u32::MAX >> (32 - S::LANES));
            if active != 0 {
                return Some((first, active));
            }
        }
        None
    }
}

/// An address operand.
#[derive(Clone, Copy)]
pub(super) struct Input {
    row: *const u32,
    /// Where in the row's dwords: as in [`Slot`].
    part: Part,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Low,
    High,
}

/// The row of operands that are not there.
static ZEROS: [u32; 64] = [0; 64];

impl Input {
    /// One that is 0.
    pub(super) const NONE: Input = Input { row: ZEROS.as_ptr(), part: Part::Whole };

    #[inline(always)]
    pub(super) fn of(slot: Option<Slot>, operands: &Operands, rows: &Rows) -> Input {
        let (n, part) = match slot {
            None => return Input::NONE,
            Some(Slot::Whole(n)) => (n, Part::Whole),
            Some(Slot::Low(n)) => (n, Part::Low),
            Some(Slot::High(n)) => (n, Part::High),
        };
        Input { row: rows.row(operands.address[usize::from(n)]), part }
    }

    /// One that is whole, if it is there.
    #[inline(always)]
    fn whole(slot: Option<Slot>, operands: &Operands, rows: &Rows) -> Input {
        match slot {
            Some(Slot::Whole(n)) => Input { row: rows.row(operands.address[usize::from(n)]), part: Part::Whole },
            _ => Input::NONE,
        }
    }

    /// Bits of the lanes from `first` on, halves zero-extended.
    ///
    /// # Safety
    /// The processor has the instruction set, as for the other functions; `first` is one of [`Vectors`], and the rows are there.
    #[inline(always)]
    pub(super) unsafe fn bits<S: Simd>(self, first: usize) -> S::I {
        // SAFETY: rows have all lanes of the wave.
        unsafe {
            let register = S::load_from(self.row.add(first));
            match self.part {
                Part::Whole => register,
                Part::Low => S::and(register, S::i(0xffff)),
                Part::High => S::shr(register, 16),
            }
        }
    }

    /// The same as f32.
    #[inline(always)]
    pub(super) unsafe fn float<S: Simd>(self, first: usize) -> S::F {
        // SAFETY: as `bits`.
        unsafe {
            let bits = self.bits::<S>(first);
            if self.part == Part::Whole { S::as_f(bits) } else { S::half(bits) }
        }
    }
}

/// Coordinates and what else stands beside them, of an instruction that has it; [`Input::NONE`] of others.
pub(super) struct Inputs {
    pub body: [Input; 3],
    pub offset: Input,
    pub compare: Input,
    pub fragment: Input,
    pub level: Input,
    pub bias: Input,
    pub dh: [Input; 3],
    pub dv: [Input; 3],
}

impl Inputs {
    /// The coordinates alone. `HAS`: see [`super::has`].
    #[inline(always)]
    pub(super) fn coordinates<const HAS: u32>(layout: &Layout, operands: &Operands, rows: &Rows) -> Inputs {
        let none = Input::NONE;
        // Written out, as other loops over operands: what is in registers must not go through memory.
        let [x, y, z] = layout.body;
        let body = if HAS & VARIED == 0 {
            [Input::whole(x, operands, rows), Input::whole(y, operands, rows), none]
        } else {
            [Input::of(x, operands, rows), Input::of(y, operands, rows), Input::of(z, operands, rows)]
        };
        Inputs { body, offset: none, compare: none, fragment: none, level: none, bias: none, dh: [none; 3], dv: [none; 3] }
    }

    /// With what loads and stores name beside them.
    #[inline(always)]
    pub(super) fn with_texel(self, layout: &Layout, operands: &Operands, rows: &Rows) -> Inputs {
        Inputs { level: Input::of(layout.level, operands, rows), fragment: Input::of(layout.fragment, operands, rows), ..self }
    }

    /// With what samples have beside them.
    #[inline(always)]
    pub(super) fn with_modifiers(self, layout: &Layout, operands: &Operands, rows: &Rows) -> Inputs {
        Inputs { offset: Input::of(layout.offset, operands, rows), compare: Input::of(layout.compare, operands, rows), ..self }
    }

    /// With what chooses levels.
    #[inline(always)]
    pub(super) fn with_levels(self, layout: &Layout, operands: &Operands, rows: &Rows) -> Inputs {
        let ([hx, hy, hz], [vx, vy, vz]) = (layout.dh, layout.dv);
        let dh = [Input::of(hx, operands, rows), Input::of(hy, operands, rows), Input::of(hz, operands, rows)];
        let dv = [Input::of(vx, operands, rows), Input::of(vy, operands, rows), Input::of(vz, operands, rows)];
        Inputs { level: Input::of(layout.level, operands, rows), bias: Input::of(layout.bias, operands, rows), dh, dv, ..self }
    }
}

/// Where a component of the result comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// A memory channel.
    Channel(u8),
    /// A channel the format lacks; loads outside the image read 0 from it all the same.
    Missing(u32),
    /// A constant of dst_sel, or the status dword.
    Constant(u32),
}

/// What is written to a result register.
#[derive(Clone, Copy, Debug)]
enum Cell {
    /// A component.
    Whole(Source),
    /// A component in 16 bits, the rest 0.
    Half(Source),
    /// Two components in 16 bits; without the second one the upper half stays.
    Pair(Source, Option<Source>),
}

/// The registers that components and, if there is one, the status dword go to.
fn cells(op: &ImageOp, unpacked_d16: bool, components: &[Source]) -> Vec<Cell> {
    let mut cells: Vec<Cell> = match (op.d16, unpacked_d16) {
        (false, _) => components.iter().map(|&c| Cell::Whole(c)).collect(),
        (true, true) => components.iter().map(|&c| Cell::Half(c)).collect(),
        (true, false) => components.chunks(2).map(|pair| Cell::Pair(pair[0], pair.get(1).copied())).collect(),
    };
    if op.has_status() {
        cells.push(Cell::Whole(Source::Constant(0)));
    }
    cells
}

/// Which result register holds what.
#[derive(Debug)]
pub(super) struct Results {
    /// Each channel as it is.
    of_channel: [Option<u8>; 4],
    rest: Option<Box<Rest>>,
}

/// What is not a channel in a register of its own. Apart, so that it costs nothing where there is none.
#[derive(Debug, Default)]
struct Rest {
    /// Channels 0 and 1, 2 and 3 in 16 bits.
    of_pair: [Option<u8>; 2],
    /// Constants: value, and whether lanes outside the image have 0 instead.
    constants: Vec<(u8, u32, bool)>,
    others: Vec<(u8, Cell)>,
    narrow: Narrow,
}

/// [`Results`] in a wave.
pub(super) struct ResultRows<'a> {
    /// Null: not wanted.
    of_channel: [*mut u32; 4],
    operands: &'a Operands<'a>,
    rows: &'a Rows<'a>,
}

impl Results {
    /// Of components and, if the instruction has one, the status.
    pub(super) fn new(op: &ImageOp, unpacked_d16: bool, components: &[Source], narrow: Narrow) -> Results {
        let (mut of_channel, mut rest) = ([None; 4], Rest { narrow, ..Rest::default() });
        for (n, cell) in (0..).zip(cells(op, unpacked_d16, components)) {
            match cell {
                Cell::Whole(Source::Channel(c)) if of_channel[usize::from(c & 3)].is_none() => of_channel[usize::from(c & 3)] = Some(n),
                Cell::Whole(Source::Constant(value)) => rest.constants.push((n, value, false)),
                Cell::Whole(Source::Missing(value)) => rest.constants.push((n, value, true)),
                Cell::Pair(Source::Channel(0), Some(Source::Channel(1))) => rest.of_pair[0] = Some(n),
                Cell::Pair(Source::Channel(2), Some(Source::Channel(3))) => rest.of_pair[1] = Some(n),
                _ => rest.others.push((n, cell)),
            }
        }
        let is_empty = rest.of_pair == [None; 2] && rest.constants.is_empty() && rest.others.is_empty();
        Results { of_channel, rest: (!is_empty).then(|| Box::new(rest)) }
    }

    /// Is each a channel in a register of its own?
    pub(super) fn are_channels(&self) -> bool {
        self.rest.is_none()
    }

    /// Where they are in a wave.
    #[inline(always)]
    pub(super) fn rows<'a>(&self, operands: &'a Operands, rows: &'a Rows<'a>) -> ResultRows<'a> {
        let mut of_channel = [std::ptr::null_mut(); 4];
        for c in 0..4 {
            if let Some(n) = self.of_channel[c] {
                of_channel[c] = rows.row(operands.result[usize::from(n)]);
            }
        }
        ResultRows { of_channel, operands, rows }
    }

    /// Writes the lanes of `m` of all result registers from four channels; channels the format lacks are 0 but for lanes of `inside`.
    ///
    /// # Safety
    /// As [`Input::bits`], for the rows of [`Results::rows`].
    #[inline(always)]
    pub(super) unsafe fn put<S: Simd, const HAS: u32>(&self, to: &ResultRows, first: usize, m: S::M, channels: [S::I; 4], inside: S::M) {
        // SAFETY: rows have all lanes of the wave.
        unsafe {
            if S::bits(m) == u32::MAX >> (32 - S::LANES) {
                for c in 0..4 {
                    if !to.of_channel[c].is_null() {
                        S::store_all_to(to.of_channel[c].add(first), channels[c]);
                    }
                }
            } else {
                for c in 0..4 {
                    if !to.of_channel[c].is_null() {
                        S::store_to(to.of_channel[c].add(first), m, channels[c]);
                    }
                }
            }
            if HAS & VARIED != 0
                && let Some(rest) = &self.rest
            {
                rest.put::<S>(to, first, m, channels, inside);
            }
        }
    }
}

impl Rest {
    /// # Safety
    /// As [`Results::put`].
    #[inline(always)]
    unsafe fn put<S: Simd>(&self, to: &ResultRows, first: usize, m: S::M, channels: [S::I; 4], inside: S::M) {
        // SAFETY: rows have all lanes of the wave.
        unsafe {
            for pair in 0..2 {
                if let Some(n) = self.of_pair[pair] {
                    let low = half::<S>(channels[2 * pair], self.narrow);
                    let high = half::<S>(channels[2 * pair + 1], self.narrow);
                    S::store_to(to.row(n).add(first), m, S::or(low, S::shl(high, 16)));
                }
            }
            for &(n, value, only_inside) in &self.constants {
                let value = S::i(value as i32);
                let value = if only_inside { S::select(inside, value, S::i(0)) } else { value };
                S::store_to(to.row(n).add(first), m, value);
            }
            for (n, cell) in &self.others {
                let p = to.row(*n).add(first);
                let bits = match cell {
                    Cell::Whole(source) => component::<S>(source, channels, inside),
                    Cell::Half(source) => half::<S>(component::<S>(source, channels, inside), self.narrow),
                    Cell::Pair(low, high) => {
                        let low = half::<S>(component::<S>(low, channels, inside), self.narrow);
                        let high = match high {
                            Some(high) => S::shl(half::<S>(component::<S>(high, channels, inside), self.narrow), 16),
                            None => S::and(S::load_from(p), S::i(0xffff_0000_u32 as i32)),
                        };
                        S::or(low, high)
                    }
                };
                S::store_to(p, m, bits);
            }
        }
    }
}

impl ResultRows<'_> {
    /// The row of a result register.
    #[inline(always)]
    fn row(&self, n: u8) -> *mut u32 {
        self.rows.row(self.operands.result[usize::from(n)])
    }
}

/// A component of the result.
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
pub(super) unsafe fn component<S: Simd>(source: &Source, channels: [S::I; 4], inside: S::M) -> S::I {
    // SAFETY: no memory is touched.
    unsafe {
        match source {
            // Not by an index, which would have to go through memory.
            Source::Channel(0) => channels[0],
            Source::Channel(1) => channels[1],
            Source::Channel(2) => channels[2],
            Source::Channel(_) => channels[3],
            Source::Missing(value) => S::select(inside, S::i(*value as i32), S::i(0)),
            Source::Constant(value) => S::i(*value as i32),
        }
    }
}

/// As [`Narrow::apply`].
#[inline(always)]
unsafe fn half<S: Simd>(value: S::I, narrow: Narrow) -> S::I {
    // SAFETY: no memory is touched.
    unsafe {
        match narrow {
            Narrow::Integer => S::and(value, S::i(0xffff)),
            Narrow::Nearest => S::to_half(S::as_f(value)),
            Narrow::Truncate => S::to_half_down(S::as_f(value)),
        }
    }
}

/// The registers that a store takes the channels of an image from: numbers among the instruction's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored([Option<u8>; 4]);

impl Stored {
    /// `None`: they hold 16-bit data.
    pub(super) fn new(op: &ImageOp, dst_sel: &[DstSel; 4]) -> Option<Stored> {
        if op.d16 {
            return None;
        }
        let mut components = [None; 4];
        let named = (0..4).filter(|k| op.dmask >> k & 1 != 0);
        named.enumerate().for_each(|(n, k): (usize, usize)| components[k] = Some(n as u8));
        if op.generation == Generation::Gfx12 {
            // what DMASK leaves out is stored as X
            (1..4).filter(|k| op.dmask >> k & 1 == 0).for_each(|k: usize| components[k] = components[0]);
        }
        Some(Stored(unselect(dst_sel, components, None)))
    }

    /// The channels, 0 without a register.
    #[inline(always)]
    pub(super) fn inputs(&self, operands: &Operands, rows: &Rows) -> [Input; 4] {
        let mut inputs = [Input::NONE; 4];
        for c in 0..4 {
            if let Some(&row) = self.0[c].and_then(|n| operands.source.get(usize::from(n))) {
                inputs[c] = Input { row: rows.row(row), part: Part::Whole };
            }
        }
        inputs
    }
}
