//! Moves the bytes of a buffer access, for a whole wave.
//!
//! Most waves access consecutive elements or all the same one: then there is one range check and one copy. Else lanes go one by one, each
//! dword with its own check where the access is untyped (BUF-14).

use super::address::{Addressing, Coordinates};
use super::{Alignment, BufferError, BufferOp, Opcode, Part, Rows, Scalars};
use crate::atomic::{FloatRules, apply32, apply64};
use crate::descriptor::{BufferDescriptor, BufferFormat};
use crate::wave::LaneIter;
use crate::{Generation, Memory, Wave};
use std::ops::Range;

/// Most bytes a wave moves: 64 lanes of 16.
pub(super) const MOST: usize = 64 * 16;

/// Most bytes from a wave's first element to its last that are read at once though they are not next to each other.
const MOST_SPREAD: usize = 4096;

/// Results of a wave, until all are there.
pub(super) struct Results {
    /// By register, then lane.
    pub rows: [[u32; 64]; 4],
    /// Lanes that met a page that is not resident.
    pub nacked: u64,
}

/// One execution.
pub(super) struct Run<'r, M: ?Sized> {
    pub op: &'r BufferOp,
    pub descriptor: &'r BufferDescriptor,
    pub scalars: Scalars,
    pub rows: &'r Rows,
    pub lds: &'r mut [u8],
    pub memory: &'r M,
}

/// How the lanes' accesses lie to each other.
pub(super) enum Pattern {
    /// Lane `first + n` is `n` elements behind lane `first`, up to `last`.
    Consecutive { address: u64, first: usize, last: usize },
    /// As above, but the elements are so many bytes apart: more than they have. In range; what is between them may belong to anybody.
    Spread { address: u64, first: usize, last: usize, step: usize },
    /// All the same, and in range.
    Same { address: u64 },
    /// Anything.
    Any,
}

/// What a memory access came to.
pub(super) enum Done {
    Yes,
    /// The page is not resident: nothing was done.
    Nacked,
}

impl<M: Memory + ?Sized> Run<'_, M> {
    pub(super) fn execute(&mut self, wave: &mut Wave) -> Result<(), BufferError> {
        let mut results = Results { rows: [[0; 64]; 4], nacked: 0 };
        let addressing = Addressing::new(self.op, self.descriptor, self.scalars);
        let unbound = self.is_unbound();
        // A violation is reported when everything else is done.
        let mut violation = Ok(());
        if !unbound {
            violation = match self.op.opcode {
                Opcode::Load { bytes, signed, .. } => self.load(wave, &addressing, bytes.into(), signed, &mut results)?,
                Opcode::Store { bytes, part } => self.store(wave, &addressing, bytes.into(), part)?,
                Opcode::StoreLds => self.store_lds(wave, &addressing)?,
                Opcode::LoadFormat { components, d16 } => self.load_format(wave, &addressing, components.into(), d16, &mut results)?,
                Opcode::StoreFormat { components, d16 } => self.store_format(wave, &addressing, components.into(), d16)?,
                Opcode::Atomic { .. } => self.atomic(wave, &addressing, &mut results)?,
            };
        }
        if self.op.lds {
            self.put_lds(wave, &results);
        } else {
            self.put(wave, &results);
        }
        violation
    }

    /// No resource there (BUF-04): loads return 0, stores do nothing.
    fn is_unbound(&self) -> bool {
        let v = self.descriptor;
        let no_format = match v.format {
            BufferFormat::Split { data, .. } => data == 0,
            BufferFormat::Unified(n) => n == 0,
        };
        let is_mubuf = self.op.format.is_none();
        v.kind != 0 || no_format && !(is_mubuf && v.add_tid)
    }

    pub(super) fn coordinates(&self, wave: &Wave, addressing: &Addressing, lane: usize) -> Coordinates {
        let op = self.op;
        let register = |i: usize| u64::from(wave.get(self.rows.address[i], lane));
        if op.addr64 {
            let offset = (register(0) | register(1) << 32).wrapping_add(op.offset.into());
            return Coordinates { index: 0, offset };
        }
        let tid = if addressing.adds_lane() { lane as u64 } else { 0 };
        Coordinates {
            index: if op.idxen { register(0) } else { 0 } + tid,
            offset: u64::from(op.offset) + if op.offen { register(usize::from(op.idxen)) } else { 0 },
        }
    }

    /// `row[lane] == row[first] + (lane - first) * step` in all active lanes, without wrapping.
    fn steps(wave: &Wave, row: u16, step: u32) -> bool {
        let row = wave.row(row);
        let (first, last) = (wave.exec.trailing_zeros() as usize, 63 - wave.exec.leading_zeros() as usize);
        let start = row[first];
        let zero = start.wrapping_sub((first as u32).wrapping_mul(step));
        let difference = |lane: usize| row[lane] ^ zero.wrapping_add((lane as u32).wrapping_mul(step));
        let differs = match wave.exec == u64::MAX >> (64 - row.len()) {
            true => (0..row.len()).fold(0, |all, lane| all | difference(lane)),
            false => wave.active().fold(0, |all, lane| all | difference(lane)),
        };
        differs == 0 && ((last - first) as u32).checked_mul(step).is_some_and(|all| start.checked_add(all).is_some())
    }

    /// Recognizes accesses that need one check and one copy.
    pub(super) fn pattern(&self, wave: &Wave, addressing: &Addressing, bytes: u64) -> Pattern {
        let op = self.op;
        if !addressing.is_linear() || op.addr64 {
            return Pattern::Any;
        }
        let index = self.rows.address[0];
        let offset = self.rows.address[usize::from(op.idxen)];
        let index_is_same = !addressing.adds_lane() && (!op.idxen || Self::steps(wave, index, 0));
        let offset_is_same = !op.offen || Self::steps(wave, offset, 0);
        let (first, last) = (wave.exec.trailing_zeros() as usize, 63 - wave.exec.leading_zeros() as usize);
        let start = self.coordinates(wave, addressing, first);
        let address = addressing.address(start);
        // Ranges only have upper ends, so the last dword speaks for the access, and the last lane for the wave.
        let is_in_range = |at: Coordinates| {
            let tail = Coordinates { offset: at.offset + bytes.saturating_sub(4), ..at };
            addressing.is_in_range(tail, bytes.min(4)) && !addressing.wraps(at.offset, bytes)
        };
        if index_is_same && offset_is_same {
            return if is_in_range(start) { Pattern::Same { address } } else { Pattern::Any };
        }
        let by_offset = || index_is_same && op.offen && Self::steps(wave, offset, bytes as u32);
        let by_index = || {
            let index_steps = match (op.idxen, addressing.adds_lane()) {
                (true, false) => Self::steps(wave, index, 1),
                (true, true) => Self::steps(wave, index, 0),
                (false, adds_lane) => adds_lane,
            };
            offset_is_same && index_steps
        };
        let step = addressing.stride();
        let is_by_offset = by_offset();
        if !is_by_offset && (step < bytes || !by_index()) {
            return Pattern::Any;
        }
        let end = self.coordinates(wave, addressing, last);
        if !is_in_range(end) || addressing.wraps(start.offset, end.offset + bytes - start.offset) {
            Pattern::Any
        } else if is_by_offset || step == bytes {
            Pattern::Consecutive { address, first, last }
        } else if (last - first) as u64 * step + bytes <= MOST_SPREAD as u64 {
            Pattern::Spread { address, first, last, step: step as usize }
        } else {
            Pattern::Any
        }
    }

    /// Reads elements that are a step apart, that of lane `first` at `address`, into the places of their lanes; false: some are not there.
    pub(super) fn read_spread(&self, address: u64, [first, last]: [usize; 2], step: usize, bytes: usize, stage: &mut [u8; MOST]) -> bool {
        let mut all = [0u8; MOST_SPREAD];
        let all = &mut all[..(last - first) * step + bytes];
        let is_read = self.memory.read(address, all);
        let elements = stage[first * bytes..(last + 1) * bytes].chunks_exact_mut(bytes);
        match bytes {
            // A length that is known is a move.
            16 => elements.zip(all.chunks(step)).for_each(|(to, from)| to.copy_from_slice(&from[..16])),
            _ => elements.zip(all.chunks(step)).for_each(|(to, from)| to.copy_from_slice(&from[..bytes])),
        }
        is_read
    }

    /// Address of an untyped access that lies in one piece of memory, all of it in range. (Ranges only have upper ends: the last dword speaks
    /// for the access.)
    fn whole(&self, addressing: &Addressing, at: Coordinates, bytes: u64) -> Option<u64> {
        let tail = Coordinates { offset: at.offset + bytes.saturating_sub(4), ..at };
        (addressing.is_one_piece(at, bytes) && addressing.is_in_range(tail, bytes.min(4)) && !addressing.wraps(at.offset, bytes))
            .then(|| addressing.address(at))
    }

    /// What an unformatted access of `bytes` must be aligned to, and whether addresses are made so (BUF-24).
    fn alignment(&self, bytes: u64) -> (u64, bool) {
        let size = 1 << bytes.trailing_zeros();
        match self.op.alignment {
            Alignment::Dword => (size.min(4), true),
            Alignment::DwordStrict => (size.min(4), false),
            Alignment::Strict => (size, false),
            Alignment::Unaligned => (1, true),
        }
    }

    /// The address to use, or the violation.
    pub(super) fn aligned(address: u64, (alignment, rounds): (u64, bool), lane: usize) -> Result<u64, BufferError> {
        if rounds || address & (alignment - 1) == 0 {
            Ok(address & !(alignment - 1))
        } else {
            Err(BufferError::Misaligned { lane, address, alignment: alignment as u32 })
        }
    }

    pub(super) fn read(&self, lane: usize, address: u64, out: &mut [u8]) -> Result<Done, BufferError> {
        let resident = |at: u64| self.memory.resident(at >> 16);
        let last = address.wrapping_add(out.len() as u64 - 1);
        if self.op.tfe && !(resident(address) && resident(last)) {
            out.fill(0);
            return Ok(Done::Nacked);
        }
        if self.memory.read(address, out) {
            return Ok(Done::Yes);
        }
        out.fill(0);
        if resident(address) && resident(last) { Err(BufferError::Unmapped { lane, address }) } else { Ok(Done::Nacked) }
    }

    pub(super) fn write(&self, lane: usize, address: u64, data: &[u8]) -> Result<(), BufferError> {
        let resident = |at: u64| self.memory.resident(at >> 16);
        if self.memory.write(address, data) || !(resident(address) && resident(address.wrapping_add(data.len() as u64 - 1))) {
            Ok(())
        } else {
            Err(BufferError::Unmapped { lane, address })
        }
    }

    /// Untyped loads. The inner result is a violation to report at the end.
    fn load(
        &self,
        wave: &Wave,
        addressing: &Addressing,
        bytes: usize,
        signed: bool,
        results: &mut Results,
    ) -> Result<Result<(), BufferError>, BufferError> {
        let alignment = self.alignment(bytes as u64);
        let is_aligned = |address: u64| address & (alignment.0 - 1) == 0 && bytes as u64 & (alignment.0 - 1) == 0;
        let mut stage = [0u8; MOST];
        if !self.op.tfe {
            match self.pattern(wave, addressing, bytes as u64) {
                Pattern::Consecutive { address, first, last } if is_aligned(address) => {
                    let stage = &mut stage[first * bytes..(last + 1) * bytes];
                    if self.memory.read(address, stage) {
                        results.set_all(first, stage, bytes, signed);
                        return Ok(Ok(()));
                    }
                }
                Pattern::Spread { address, first, last, step }
                    if is_aligned(address)
                        && is_aligned(step as u64)
                        && self.read_spread(address, [first, last], step, bytes, &mut stage) =>
                {
                    results.set_all(first, &stage[first * bytes..(last + 1) * bytes], bytes, signed);
                    return Ok(Ok(()));
                }
                Pattern::Same { address } if is_aligned(address) && self.memory.read(address, &mut stage[..bytes]) => {
                    results.set(0, &stage[..bytes], signed);
                    for row in results.rows.iter_mut().take(bytes.div_ceil(4)) {
                        *row = [row[0]; 64];
                    }
                    return Ok(Ok(()));
                }
                _ => {}
            }
        }
        let mut violation = Ok(());
        for lane in wave.active() {
            let at = self.coordinates(wave, addressing, lane);
            let mut element = [0u8; 16];
            let whole = self.whole(addressing, at, bytes as u64).filter(|&address| !self.op.tfe && is_aligned(address));
            if whole.is_some_and(|address| self.memory.read(address, &mut element[..bytes])) {
                results.set(lane, &element[..bytes], signed);
                continue;
            }
            let aligned = self.by_dword(addressing, at, bytes, lane, |dword, address| {
                if let Done::Nacked = self.read(lane, address, &mut element[dword])? {
                    results.nacked |= 1 << lane;
                }
                Ok(())
            })?;
            violation = violation.and(aligned);
            results.set(lane, &element[..bytes], signed);
        }
        Ok(violation)
    }

    /// Calls `access` for each dword of an element that is in range, with its bytes of the element and its address. Inside: the element must be aligned
    /// and is not.
    fn by_dword(
        &self,
        addressing: &Addressing,
        at: Coordinates,
        bytes: usize,
        lane: usize,
        mut access: impl FnMut(Range<usize>, u64) -> Result<(), BufferError>,
    ) -> Result<Result<(), BufferError>, BufferError> {
        let address = addressing.address(at);
        for start in (0..bytes).step_by(4) {
            let dword = start..bytes.min(start + 4);
            let behind = Coordinates { offset: at.offset + start as u64, ..at };
            if !addressing.is_in_range(behind, dword.len() as u64) {
                continue;
            }
            match Self::aligned(address, self.alignment(bytes as u64), lane) {
                Ok(first) => access(dword, first.wrapping_add(addressing.address_behind(at, start as u64).wrapping_sub(address)))?,
                Err(e) => return Ok(Err(e)),
            }
        }
        Ok(Ok(()))
    }

    fn store(&self, wave: &Wave, addressing: &Addressing, bytes: usize, part: Part) -> Result<Result<(), BufferError>, BufferError> {
        let alignment = self.alignment(bytes as u64);
        let element_of = |lane: usize| {
            let mut element = [0u8; 16];
            for (i, dword) in element.chunks_exact_mut(4).enumerate().take(bytes.div_ceil(4)) {
                let v = wave.get(self.rows.data[i], lane);
                dword.copy_from_slice(&(if part == Part::High { v >> 16 } else { v }).to_le_bytes());
            }
            element
        };
        let is_aligned = |address: u64| address & (alignment.0 - 1) == 0 && bytes as u64 & (alignment.0 - 1) == 0;
        if let Pattern::Consecutive { address, first, last } = self.pattern(wave, addressing, bytes as u64)
            && is_aligned(address)
            && wave.exec >> first == u64::MAX >> (63 - (last - first))
        {
            let mut stage = [0u8; MOST];
            let stage = &mut stage[..(last + 1 - first) * bytes];
            if bytes.is_multiple_of(4) {
                for (i, register) in self.rows.data.iter().enumerate().take(bytes / 4) {
                    for (element, value) in stage.chunks_exact_mut(bytes).zip(&wave.row(*register)[first..]) {
                        element[4 * i..4 * i + 4].copy_from_slice(&value.to_le_bytes());
                    }
                }
            } else {
                for (lane, element) in stage.chunks_exact_mut(bytes).enumerate() {
                    element.copy_from_slice(&element_of(first + lane)[..bytes]);
                }
            }
            if self.memory.write(address, stage) {
                return Ok(Ok(()));
            }
        }
        let mut violation = Ok(());
        let mut one_by_one = |lanes: u64| -> Result<(), BufferError> {
            for lane in LaneIter(lanes) {
                let (at, element) = (self.coordinates(wave, addressing, lane), element_of(lane));
                let aligned = self.by_dword(addressing, at, bytes, lane, |dword, address| self.write(lane, address, &element[dword]))?;
                violation = violation.and(aligned);
            }
            Ok(())
        };
        // Lanes whose elements follow each other are written together.
        let mut stage = [0u8; MOST];
        let (mut lanes, mut first, mut length) = (0u64, 0u64, 0);
        for lane in wave.active() {
            let at = self.coordinates(wave, addressing, lane);
            let whole = self.whole(addressing, at, bytes as u64).filter(|&address| is_aligned(address));
            if lanes != 0 && whole != Some(first.wrapping_add(length as u64)) {
                if !self.memory.write(first, &stage[..length]) {
                    one_by_one(lanes)?;
                }
                (lanes, length) = (0, 0);
            }
            let Some(address) = whole else {
                one_by_one(1 << lane)?;
                continue;
            };
            if lanes == 0 {
                first = address;
            }
            stage[length..length + bytes].copy_from_slice(&element_of(lane)[..bytes]);
            lanes |= 1 << lane;
            length += bytes;
        }
        if lanes != 0 && !self.memory.write(first, &stage[..length]) {
            one_by_one(lanes)?;
        }
        Ok(violation)
    }

    /// Byte offset in LDS of lane 0: M0\[15:0\] and the instruction's offset; lanes are 4 bytes apart.
    fn lds_start(&self) -> usize {
        (self.scalars.m0 & 0xffff) as usize + self.op.offset as usize
    }

    fn store_lds(&self, wave: &Wave, addressing: &Addressing) -> Result<Result<(), BufferError>, BufferError> {
        let alignment = self.alignment(4);
        let mut violation = Ok(());
        for lane in wave.active() {
            let from = self.lds_start() + 4 * lane;
            let data = self.lds.get(from..from + 4).map_or([0; 4], |b| [b[0], b[1], b[2], b[3]]);
            let at = self.coordinates(wave, addressing, lane);
            if addressing.is_in_range(at, 4) {
                match Self::aligned(addressing.address(at), alignment, lane) {
                    Ok(address) => self.write(lane, address, &data)?,
                    Err(e) => violation = violation.and(Err(e)),
                }
            }
        }
        Ok(violation)
    }

    /// Atomics: all or nothing, and aligned whatever the mode says except that mode 0 rounds down (BUF-14, BUF-23).
    fn atomic(&self, wave: &Wave, addressing: &Addressing, results: &mut Results) -> Result<Result<(), BufferError>, BufferError> {
        let Opcode::Atomic { op, wide } = self.op.opcode else { return Ok(Ok(())) };
        let is_gfx12 = self.op.generation >= Generation::Gfx12;
        let rules = FloatRules { denorm_in: is_gfx12, denorm_out: true };
        let bytes = if wide { 8 } else { 4 };
        let alignment = (bytes, self.op.alignment == Alignment::Dword);
        let mut violation = Ok(());
        for lane in wave.active() {
            let at = self.coordinates(wave, addressing, lane);
            if !addressing.is_in_range(at, bytes) {
                continue;
            }
            let address = match Self::aligned(addressing.address(at), alignment, lane) {
                Ok(address) => address,
                Err(e) => {
                    violation = violation.and(Err(e));
                    continue;
                }
            };
            let unmapped = || if self.memory.resident(address >> 16) { Err(BufferError::Unmapped { lane, address }) } else { Ok(None) };
            let data = self.rows.data.map(|r| wave.get(r, lane));
            let old = if wide {
                let pair = |i: usize| u64::from(data[i]) | u64::from(data[i + 1]) << 32;
                let data = [pair(0), pair(2)];
                self.memory.atomic64(address, &mut |old| apply64(op, old, data, rules)).map_or_else(unmapped, |old| Ok(Some(old)))?
            } else {
                let data = [data[0], data[1]];
                let old = self.memory.atomic32(address, &mut |old| apply32(op, old as u32, data, rules).into());
                old.map_or_else(unmapped, |old| Ok(Some(old.into())))?
            };
            match old {
                Some(old) => {
                    results.rows[0][lane] = old as u32;
                    results.rows[1][lane] = (old >> 32) as u32;
                }
                None => results.nacked |= 1 << lane,
            }
        }
        Ok(violation)
    }

    /// Writes the results to registers, in the active lanes, where a half is written leaving the other.
    fn put(&self, wave: &mut Wave, results: &Results) {
        let n = self.op.result_dwords();
        for i in 0..n {
            let part = self.op.half_written(i);
            let row = self.rows.dst[i];
            let (exec, from) = (wave.exec, &results.rows[i]);
            let to = wave.row_mut(row);
            match part {
                Part::Whole if exec == u64::MAX >> (64 - to.len()) => to.copy_from_slice(&from[..to.len()]),
                Part::Whole => LaneIter(exec).for_each(|l| to[l] = from[l]),
                Part::Low => LaneIter(exec).for_each(|l| to[l] = to[l] & 0xffff_0000 | from[l] & 0xffff),
                Part::High => LaneIter(exec).for_each(|l| to[l] = to[l] & 0xffff | from[l] << 16),
            }
        }
        if self.op.tfe {
            for lane in wave.active() {
                wave.set(self.rows.dst[n], lane, (results.nacked >> lane & 1) as u32);
            }
        }
    }

    /// Loads to LDS: a dword a lane; what lies outside LDS is dropped.
    fn put_lds(&mut self, wave: &Wave, results: &Results) {
        let start = self.lds_start();
        for lane in wave.active() {
            let at = start + 4 * lane;
            if let Some(to) = self.lds.get_mut(at..at + 4) {
                to.copy_from_slice(&results.rows[0][lane].to_le_bytes());
            }
        }
    }
}

impl Results {
    /// Registers of lanes from `first` on, from elements side by side.
    fn set_all(&mut self, first: usize, elements: &[u8], bytes: usize, signed: bool) {
        #[inline(always)]
        fn dwords<const BYTES: usize>(rows: &mut [[u32; 64]; 4], first: usize, elements: &[u8]) {
            for (i, row) in rows.iter_mut().enumerate().take(BYTES / 4) {
                for (to, from) in row[first..].iter_mut().zip(elements.as_chunks::<BYTES>().0) {
                    *to = u32::from_le_bytes([from[4 * i], from[4 * i + 1], from[4 * i + 2], from[4 * i + 3]]);
                }
            }
        }
        match bytes {
            4 => dwords::<4>(&mut self.rows, first, elements),
            8 => dwords::<8>(&mut self.rows, first, elements),
            12 => dwords::<12>(&mut self.rows, first, elements),
            16 => dwords::<16>(&mut self.rows, first, elements),
            _ => elements.chunks_exact(bytes).enumerate().for_each(|(lane, element)| self.set(first + lane, element, signed)),
        }
    }

    /// Registers of one lane from an element in memory.
    #[inline]
    fn set(&mut self, lane: usize, element: &[u8], signed: bool) {
        match (element, signed) {
            ([b], false) => self.rows[0][lane] = (*b).into(),
            ([b], true) => self.rows[0][lane] = i32::from(*b as i8) as u32,
            ([a, b], false) => self.rows[0][lane] = u16::from_le_bytes([*a, *b]).into(),
            ([a, b], true) => self.rows[0][lane] = i32::from(i16::from_le_bytes([*a, *b])) as u32,
            _ => {
                for (row, dword) in self.rows.iter_mut().zip(element.chunks_exact(4)) {
                    row[lane] = u32::from_le_bytes([dword[0], dword[1], dword[2], dword[3]]);
                }
            }
        }
    }
}
