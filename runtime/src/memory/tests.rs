//! Every load, store and atomic of every table against a model that does one lane and one byte at a time.

use super::helpers::all_tables;
use super::lanes::{LaneIter, full};
use crate::memory::address_space::{AddressMode, AddressSpace, GUEST_LOW};
use crate::memory::context::{WaveContext, blank_state};
use wavejit_ir::abi::{FaultKind, Helpers, MemOp, NO_ROW, PRIVATE_APERTURE_HI, SHARED_APERTURE_HI, WaveState};
use wavejit_ir::{AtomicOp, MemKind, Space};
use wavejit_isa::Gfx;
use wavejit_random::Random;

const BYTES: usize = 1 << 16;
const LDS: usize = 4096;
const SCRATCH: usize = 256;
const ROWS: usize = 24;
const KINDS: [MemKind; 8] = [MemKind::U8, MemKind::I8, MemKind::U16, MemKind::I16, MemKind::B32, MemKind::B64, MemKind::B96, MemKind::B128];

#[repr(C, align(64))]
struct Rows([u32; ROWS * 64]);

/// A wave with memory of all kinds.
pub(super) struct Bench {
    pub state: Box<WaveState>,
    rows: Box<Rows>,
    _ctx: Box<WaveContext>,
    pub lds: Vec<u8>,
    scratch: Vec<u32>,
    pub space: AddressSpace,
    pub buffer: u64,
    lanes: usize,
}

impl Bench {
    pub(super) fn new(mode: AddressMode, lanes: usize) -> Bench {
        let space = AddressSpace::new(mode, 0).unwrap();
        let buffer = space.alloc(BYTES as u64, 0).unwrap();
        let mut bench = Bench {
            state: blank_state(),
            rows: Box::new(Rows([0; ROWS * 64])),
            _ctx: WaveContext::new(Gfx::GFX1100),
            lds: vec![0; LDS],
            scratch: vec![0; SCRATCH / 4 * lanes],
            buffer,
            lanes,
            space,
        };
        let s = &mut bench.state;
        s.rows = bench.rows.0.as_mut_ptr();
        s.wave_size = lanes as u32;
        s.lds = bench.lds.as_mut_ptr();
        s.lds_bytes = LDS as u32;
        s.scratch = bench.scratch.as_mut_ptr().cast();
        s.scratch_bytes = SCRATCH as u32;
        s.ctx = (&raw mut *bench._ctx).cast();
        (s.mem_base, s.mem_low, s.mem_size) = (bench.space.mem_base(), bench.space.mem_low(), bench.space.mem_size());
        bench
    }

    pub(super) fn row(&mut self, r: u16) -> &mut [u32] {
        &mut self.rows.0[usize::from(r) * self.lanes..][..self.lanes]
    }

    fn fill(&mut self, random: &mut Random) {
        self.rows.0.iter_mut().for_each(|w| *w = random.u64() as u32);
        self.lds.iter_mut().for_each(|b| *b = random.u64() as u8);
        self.scratch.iter_mut().for_each(|w| *w = random.u64() as u32);
        let bytes: Vec<u8> = (0..BYTES).map(|_| random.u64() as u8).collect();
        self.space.write(self.buffer, &bytes).unwrap();
    }

    pub(super) fn memory(&self) -> Vec<u8> {
        let mut bytes = vec![0; BYTES];
        self.space.read(self.buffer, &mut bytes).unwrap();
        bytes
    }
}

/// All bytes a wave can see, with plain access.
#[derive(Clone)]
struct Model {
    buffer: u64,
    memory: Vec<u8>,
    lds: Vec<u8>,
    scratch: Vec<u32>,
    lanes: usize,
}

impl Model {
    fn of(bench: &Bench) -> Model {
        Model { buffer: bench.buffer, memory: bench.memory(), lds: bench.lds.clone(), scratch: bench.scratch.clone(), lanes: bench.lanes }
    }

    /// The space of an address, and the address in it.
    fn place(&self, space: Space, address: u64) -> (Space, u64) {
        match (space, (address >> 32) as u32) {
            (Space::Flat, SHARED_APERTURE_HI) => (Space::Lds, address & 0xffff),
            (Space::Flat, PRIVATE_APERTURE_HI) => (Space::Scratch, address & 0xffff_ffff),
            (Space::Flat, _) => (Space::Global, address),
            (Space::Lds, _) => (Space::Lds, address & 0xffff),
            (Space::Scratch, _) => (Space::Scratch, address & 0xffff_ffff),
            other => (other.0, address),
        }
    }

    fn byte(&mut self, space: Space, lane: usize, at: u64) -> Option<&mut u8> {
        match space {
            Space::Lds => self.lds.get_mut(at as usize),
            Space::Scratch => {
                let word = self.scratch.get_mut(at as usize / 4 * self.lanes + lane).filter(|_| at < SCRATCH as u64)?;
                // SAFETY: a byte of a dword.
                Some(unsafe { &mut *std::ptr::from_mut(word).cast::<u8>().add(at as usize % 4) })
            }
            _ => self.memory.get_mut(at.wrapping_sub(self.buffer) as usize),
        }
    }

    fn load(&mut self, space: Space, lane: usize, address: u64, len: usize) -> Result<[u8; 16], ()> {
        let (space, at) = self.place(space, address);
        let mut data = [0; 16];
        for (i, byte) in data.iter_mut().enumerate().take(len) {
            match self.byte(space, lane, at + i as u64) {
                Some(b) => *byte = *b,
                None if space == Space::Lds => return Ok([0; 16]),
                None => return Err(()),
            }
        }
        Ok(data)
    }

    fn store(&mut self, space: Space, lane: usize, address: u64, data: &[u8]) -> Result<(), ()> {
        let (space, at) = self.place(space, address);
        if (0..data.len()).any(|i| self.byte(space, lane, at + i as u64).is_none()) {
            return if space == Space::Lds { Ok(()) } else { Err(()) };
        }
        for (i, b) in data.iter().enumerate() {
            *self.byte(space, lane, at + i as u64).unwrap() = *b;
        }
        Ok(())
    }
}

pub(super) const NO_OP: MemOp =
    MemOp { pc: 0x40, imm: 0, offset: [NO_ROW; 2], data: [NO_ROW; 4], dst: [NO_ROW; 4], space: 0, kind: 0, atomic: 0, flags: 0 };

fn lane_address(bench: &mut Bench, op: &MemOp, base: u64, lane: usize) -> u64 {
    let mut at = base.wrapping_add(op.imm as u64);
    if op.offset[0] != NO_ROW {
        at = at.wrapping_add(bench.row(op.offset[0])[lane].into());
    }
    if op.offset[1] != NO_ROW {
        at = at.wrapping_add(u64::from(bench.row(op.offset[1])[lane]) << 32);
    }
    at
}

/// Random lane addresses of one of the shapes kernels make; also the scalar base.
fn addresses(bench: &mut Bench, random: &mut Random, op: &mut MemOp, space: Space, size: u64) -> u64 {
    let lanes = bench.lanes as u64;
    let shape = random.below64(6);
    let align = if random.below64(2) == 0 { size.next_power_of_two().min(4) } else { 1 };
    let reach = match space {
        Space::Lds => LDS as u64 + 64,
        Space::Scratch => SCRATCH as u64 - 16,
        _ => BYTES as u64 - 16,
    };
    let start = random.below64(reach - (lanes * size).min(reach - 1)) / align * align;
    let uniform = random.below64(reach) / align * align;
    op.imm = random.below64(64) as i64 - 32;
    op.offset = [1, NO_ROW];
    for lane in 0..lanes {
        let near = match shape {
            0 | 1 => start + lane * size,
            2 => uniform,
            3 => start + (lanes - 1 - lane) * size,
            4 => random.below64(8) * size,
            _ => random.below64(reach) / align * align,
        };
        bench.row(1)[lane as usize] = near.min(reach) as u32;
    }
    let flat_lanes = (random.u64(), random.u64());
    match space {
        Space::Global if random.below64(2) == 0 => bench.buffer.wrapping_sub(op.imm as u64),
        Space::Lds | Space::Scratch => {
            if random.below64(8) == 0 {
                op.offset = [NO_ROW; 2];
            }
            (uniform.wrapping_sub(op.imm as u64) & 0xffff_ffff)
                * u64::from(op.offset[0] == NO_ROW || random.below64(4) == 0 && space == Space::Lds)
                + u64::from(op.offset[0] != NO_ROW && space == Space::Scratch) * (op.imm.wrapping_neg() as u64 & 0xffff_ffff)
        }
        _ => {
            // 64-bit lane addresses; flat ones may lie in an aperture.
            op.offset = [1, 2];
            let mixed = random.below64(3);
            for lane in 0..bench.lanes {
                let near = u64::from(bench.row(1)[lane]);
                let aperture = space == Space::Flat && mixed == 0 && flat_lanes.0 >> lane & 1 != 0 || mixed == 1 && space == Space::Flat;
                let full = if aperture {
                    let pick = if mixed == 1 { 0 } else { lane };
                    let hi = if flat_lanes.1 >> pick & 1 != 0 { SHARED_APERTURE_HI } else { PRIVATE_APERTURE_HI };
                    (u64::from(hi) << 32) | (near % (SCRATCH as u64 - 16))
                } else {
                    bench.buffer + near
                }
                .wrapping_sub(op.imm as u64);
                bench.row(1)[lane] = full as u32;
                bench.row(2)[lane] = (full >> 32) as u32;
            }
            0
        }
    }
}

fn random_exec(random: &mut Random, lanes: usize) -> u64 {
    let all = full(lanes);
    match random.below64(5) {
        0 | 1 => all,
        2 => all >> random.below64(lanes as u64),
        3 => 1 << random.below64(lanes as u64),
        _ => random.u64() & all,
    }
}

/// Runs `rounds` random accesses of one table and compares everything afterwards.
fn compare(helpers: &Helpers, mode: AddressMode, lanes: usize, seed: u64, rounds: usize) {
    let mut random = Random(seed);
    let mut bench = Bench::new(mode, lanes);
    for _ in 0..rounds {
        if random.below64(64) == 0 {
            bench.fill(&mut random);
        }
        let kind = KINDS[random.below64(8) as usize];
        let space = [Space::Global, Space::Flat, Space::Scratch, Space::Lds][random.below64(4) as usize];
        let mut op = MemOp { space: space as u8, kind: kind as u8, ..NO_OP };
        let base = addresses(&mut bench, &mut random, &mut op, space, kind.bytes() as u64);
        let exec = random_exec(&mut random, lanes);
        let is_load = random.below64(2) == 0;
        // Destinations may be the address rows.
        let first = [1, 4, 8][random.below64(3) as usize];
        let regs = [first, first + 1, first + 2, first + 3];
        (op.dst, op.data) = (regs, regs.map(|r| r + 7));
        let mut model = Model::of(&bench);
        let mut want = bench.rows.0;
        let mut failed = None;
        for lane in LaneIter(exec) {
            let address = lane_address(&mut bench, &op, base, lane);
            let mut data = [0; 16];
            for d in 0..kind.dwords() {
                data[4 * d..][..4].copy_from_slice(&bench.row(op.data[d])[lane].to_le_bytes());
            }
            if !is_load {
                if model.store(space, lane, address, &data[..kind.bytes()]).is_err() {
                    failed = failed.or(Some(lane));
                }
                continue;
            }
            let Ok(bytes) = model.load(space, lane, address, kind.bytes()) else {
                failed = failed.or(Some(lane));
                continue;
            };
            let dword = |d: usize| u32::from_le_bytes(bytes[4 * d..][..4].try_into().unwrap());
            for d in 0..kind.dwords() {
                want[usize::from(op.dst[d]) * lanes + lane] = match kind {
                    MemKind::I8 => i32::from(bytes[0] as i8) as u32,
                    MemKind::I16 => i32::from(dword(0) as i16) as u32,
                    _ => dword(d),
                };
            }
        }
        let f = if is_load { helpers.load } else { helpers.store };
        // SAFETY: the bench is a complete wave with these rows.
        let result = unsafe { f(&mut *bench.state, &op, exec, base) };
        let what = format!("{mode:?} {lanes} {space:?} {kind:?} load={is_load} exec={exec:#x} {op:x?}");
        assert_eq!(result != 0, failed.is_some(), "{what}");
        if failed.is_none() {
            assert!(bench.rows.0[..] == want[..], "{what}");
            assert!(bench.memory() == model.memory && bench.lds == model.lds && bench.scratch == model.scratch, "{what}");
        } else {
            bench.fill(&mut random);
        }
    }
}

#[test]
fn loads_and_stores_equal_the_lane_model() {
    for (name, table) in all_tables() {
        for (lanes, seed) in [(32, 0x1234_5678_9abc), (64, 0x7777_1234)] {
            eprintln!("{name} {lanes}");
            compare(table, AddressMode::Isolated, lanes, seed, 1500);
            compare(table, AddressMode::Shared, lanes, seed + 1, 500);
        }
    }
}

#[test]
fn bytes_and_halfwords_of_scratch_are_fields_of_dwords() {
    for (name, table) in all_tables() {
        for lanes in [32, 64] {
            let mut bench = Bench::new(AddressMode::Isolated, lanes);
            let exec = 0xf0f0_8001_8001_7ffe & full(lanes);
            for (kind, at) in
                [(MemKind::U8, 5), (MemKind::I8, 7), (MemKind::I16, 4), (MemKind::U16, 6), (MemKind::I16, 5), (MemKind::U16, 7)]
            {
                let old = |dword: u32, lane: usize| 0x8182_8384 + dword * 0x0101_0101 + lane as u32;
                for (n, dword) in bench.scratch.iter_mut().enumerate() {
                    *dword = old((n / lanes) as u32, n % lanes);
                }
                bench.row(5).fill(7);
                let op = MemOp { space: Space::Scratch as u8, kind: kind as u8, dst: [5; 4], data: [6; 4], imm: at, ..NO_OP };
                // SAFETY: the bench is a complete wave with these rows.
                assert_eq!(unsafe { (table.load)(&mut *bench.state, &op, exec, 0) }, 0);
                let bits = 8 * kind.bytes() as u32;
                for lane in 0..lanes {
                    let both = u64::from(old(1, lane)) | u64::from(old(2, lane)) << 32;
                    let field = (both >> (8 * (at - 4))) as u32 & (u32::MAX >> (32 - bits));
                    let is_negative = matches!(kind, MemKind::I8 | MemKind::I16) && field >> (bits - 1) != 0;
                    let value = if is_negative { field | u32::MAX << bits } else { field };
                    let want = if exec >> lane & 1 != 0 { value } else { 7 };
                    assert_eq!(bench.row(5)[lane], want, "{name}: {kind:?} at {at}, lane {lane} of {lanes}");
                }
                bench.row(6).fill(0xabcd_5ea9);
                // SAFETY: as above.
                assert_eq!(unsafe { (table.store)(&mut *bench.state, &op, exec, 0) }, 0);
                for (n, dword) in bench.scratch.iter().enumerate() {
                    let (row, lane) = (n / lanes, n % lanes);
                    let mut bytes = old(row as u32, lane).to_le_bytes();
                    for (i, byte) in 0xabcd_5ea9_u32.to_le_bytes().into_iter().enumerate().take(kind.bytes()) {
                        let to = at as usize + i;
                        if exec >> lane & 1 != 0 && to / 4 == row {
                            bytes[to % 4] = byte;
                        }
                    }
                    assert_eq!(dword.to_le_bytes(), bytes, "{name}: {kind:?} at {at}, dword {row} of lane {lane}");
                }
            }
        }
    }
}

#[test]
fn a_wild_lane_is_named() {
    for (name, table) in all_tables() {
        for mode in [AddressMode::Isolated, AddressMode::Shared] {
            for wild in [8, GUEST_LOW - 8, 0x7fff_ffff_0000, 0xdead_beef_dead_beef, u64::MAX - 1] {
                let mut bench = Bench::new(mode, 32);
                let buffer = bench.buffer;
                for lane in 0..32 {
                    let address = if lane == 13 { wild } else { buffer + 4 * lane as u64 };
                    bench.row(1)[lane] = address as u32;
                    bench.row(2)[lane] = (address >> 32) as u32;
                }
                let op = MemOp { kind: MemKind::B32 as u8, offset: [1, 2], dst: [1; 4], data: [5; 4], flags: 2, ..NO_OP };
                for (access, f) in [("load", table.load), ("store", table.store), ("atomic", table.atomic)] {
                    // SAFETY: the bench is a complete wave with these rows.
                    let result = unsafe { f(&mut *bench.state, &op, u64::from(u32::MAX), 0) };
                    let s = &bench.state;
                    assert_eq!(result, 1, "{name} {mode:?} {access} {wild:#x}");
                    assert_eq!((s.fault_lane, s.fault_addr, s.fault_pc), (13, wild, 0x40), "{name} {mode:?} {access}");
                    // The atomic checks alignment first; the load put lanes 0..13 into row 1.
                    for lane in 0..32 {
                        let address = if lane == 13 { wild } else { buffer + 4 * lane as u64 };
                        bench.row(1)[lane] = address as u32;
                    }
                }
            }
        }
    }
}

#[test]
fn an_access_over_the_end_of_a_buffer_faults_even_when_consecutive() {
    for (name, table) in all_tables() {
        let mut bench = Bench::new(AddressMode::Isolated, 32);
        (0..32).for_each(|lane| bench.row(1)[lane] = BYTES as u32 - 20 + 4 * lane as u32);
        let op = MemOp { kind: MemKind::B32 as u8, offset: [1, NO_ROW], dst: [1; 4], ..NO_OP };
        // SAFETY: the bench is a complete wave with these rows.
        assert_eq!(unsafe { (table.load)(&mut *bench.state, &op, u64::from(u32::MAX), bench.buffer) }, 1, "{name}");
        assert_eq!((bench.state.fault_lane, bench.state.fault_addr), (5, bench.buffer + BYTES as u64));
    }
}

/// One access of `after_a_fault` in one table.
struct Faulting {
    kind: MemKind,
    /// By lane.
    addresses: Vec<u64>,
    exec: u64,
    /// Offsets of 32 bits from a scalar base, as compiled code splits addresses, or addresses of 64 bits.
    is_split: bool,
}

impl Faulting {
    /// Addresses near the start and the end of a buffer, of the shapes that have plans of their own.
    fn random(random: &mut Random, lanes: usize, buffer: u64, end: u64, is_isolated: bool) -> Faulting {
        let kind = KINDS[random.below64(8) as usize];
        let size = kind.bytes() as u64;
        // A page after its end nothing is mapped; so it is before it, but for the host's memory, where anything may be.
        let near = |random: &mut Random| match random.below64(2) {
            0 if is_isolated => buffer - 1 - random.below64(lanes as u64 * size),
            _ => end - 1 - random.below64(lanes as u64 * size),
        };
        let (first, shape) = (near(random), random.below64(3));
        let addresses = (0..lanes as u64).map(|lane| match shape {
            0 => first + lane * size,
            1 => first,
            _ if random.below64(12) == 0 => near(random),
            _ => buffer + random.below64(BYTES as u64 - 16),
        });
        Faulting { kind, addresses: addresses.collect(), exec: random_exec(random, lanes), is_split: random.below64(2) == 0 }
    }

    /// The operation with its rows, and the scalar base.
    fn place(&self, bench: &mut Bench, space: Space) -> (MemOp, u64) {
        let base = if self.is_split { bench.buffer - 4096 } else { 0 };
        for (lane, address) in self.addresses.iter().enumerate() {
            let at = address - base;
            bench.row(1)[lane] = at as u32;
            bench.row(2)[lane] = (at >> 32) as u32;
        }
        let offset = if self.is_split { [1, NO_ROW] } else { [1, 2] };
        let (data, dst) = ([10, 11, 12, 13], [4, 5, 6, 7]);
        (MemOp { kind: self.kind as u8, space: space as u8, offset, data, dst, ..NO_OP }, base)
    }
}

/// Dword by dword, lane by lane: everything before the first dword that is not mapped, and nothing else, has been stored, whatever the plan;
/// loads and stores blame that lane and that dword.
#[test]
fn after_a_fault_memory_has_what_comes_before_it() {
    for (name, table) in all_tables() {
        for (mode, lanes) in [(AddressMode::Isolated, 32), (AddressMode::Isolated, 64), (AddressMode::Shared, 32)] {
            let mut random = Random(0x5a17 + lanes as u64);
            let mut bench = Bench::new(mode, lanes);
            // What lies behind the guard of the first buffer, so that an access may begin in the guard.
            let before = bench.buffer;
            bench.buffer = match mode {
                AddressMode::Isolated => bench.space.alloc(BYTES as u64, 0).unwrap(),
                AddressMode::Shared => before,
            };
            let (buffer, end) = (bench.buffer, bench.buffer + BYTES as u64);
            let mut faults = 0;
            for round in 0..600 {
                bench.fill(&mut random);
                let access = Faulting::random(&mut random, lanes, buffer, end, mode == AddressMode::Isolated);
                let space = if round % 3 == 0 { Space::Flat } else { Space::Global };
                let (op, base) = access.place(&mut bench, space);
                let mut want = bench.memory();
                let mut lost = None;
                'lanes: for lane in LaneIter(access.exec) {
                    let data: Vec<u8> = (10..14).flat_map(|r| bench.row(r)[lane].to_le_bytes()).collect();
                    for part in (0..access.kind.bytes()).step_by(4) {
                        let (at, len) = (access.addresses[lane] + part as u64, (access.kind.bytes() - part).min(4));
                        if at < buffer || at + len as u64 > end {
                            lost = Some((lane as u32, at));
                            break 'lanes;
                        }
                        want[(at - buffer) as usize..][..len].copy_from_slice(&data[part..][..len]);
                    }
                }
                let what = format!("{name} {mode:?} {lanes} {:?} {:x?} exec={:x} {op:x?}", access.kind, access.addresses, access.exec);
                for (f, is_load) in [(table.load, true), (table.store, false)] {
                    let before = bench.memory();
                    // SAFETY: the bench is a complete wave with these rows.
                    let result = unsafe { f(&mut *bench.state, &op, access.exec, base) };
                    assert_eq!(result != 0, lost.is_some(), "{what}");
                    if let Some((lane, at)) = lost {
                        assert_eq!((bench.state.fault_lane, bench.state.fault_addr), (lane, at), "{what}");
                    }
                    let after = bench.memory();
                    let first = (0..BYTES).find(|i| after[*i] != if is_load { before[*i] } else { want[*i] });
                    assert_eq!(first, None, "is_load: {is_load}, {what}");
                }
                faults += usize::from(lost.is_some());
            }
            assert!((100..500).contains(&faults), "{faults} faults");
        }
    }
}

/// A flat store whose lanes lie in all three spaces: the lanes before the first that faults have stored, in whichever space.
#[test]
fn flat_accesses_that_fault_end_at_the_first_lane_of_any_space() {
    for (name, table) in all_tables() {
        let mut bench = Bench::new(AddressMode::Isolated, 32);
        let space_of = |lane: usize| [Space::Global, Space::Lds, Space::Scratch][lane * 7 % 3];
        for (global, scratch) in [(19, 15), (15, 20), (32, 11), (9, 32)] {
            // From these lanes on, those of the space fault.
            let faults = |lane: usize| match space_of(lane) {
                Space::Global => lane >= global,
                Space::Scratch => lane >= scratch,
                _ => false,
            };
            for lane in 0..32 {
                let (low, high) = match space_of(lane) {
                    Space::Global => ((bench.buffer + 4 * lane as u64) as u32, (bench.buffer >> 32) as u32),
                    Space::Lds => (4 * lane as u32, SHARED_APERTURE_HI),
                    _ => (4 * lane as u32, PRIVATE_APERTURE_HI),
                };
                // Wild, or beyond the scratch of a work-item.
                bench.row(1)[lane] = if faults(lane) { 0x7000_0000 } else { low };
                bench.row(2)[lane] = high;
                bench.row(5)[lane] = 100 + lane as u32;
            }
            let first = (0..32).find(|lane| faults(*lane)).unwrap();
            for (f, atomic) in [(table.load, 0), (table.store, 0), (table.atomic, AtomicOp::Swap as u8)] {
                (bench.lds, bench.scratch) = (vec![0; LDS], vec![0; SCRATCH / 4 * 32]);
                (bench.state.lds, bench.state.scratch) = (bench.lds.as_mut_ptr(), bench.scratch.as_mut_ptr().cast());
                bench.space.write(bench.buffer, &[0; 128]).unwrap();
                let op = MemOp {
                    kind: MemKind::B32 as u8,
                    space: Space::Flat as u8,
                    offset: [1, 2],
                    dst: [6; 4],
                    data: [5; 4],
                    atomic,
                    ..NO_OP
                };
                // SAFETY: the bench is a complete wave with these rows.
                let result = unsafe { f(&mut *bench.state, &op, u64::from(u32::MAX), 0) };
                assert_eq!((result, bench.state.fault_lane), (1, first as u32), "{name}");
                let stores = f as usize != table.load as usize;
                let memory = bench.memory();
                for lane in 0..32 {
                    let want = if stores && lane < first { 100 + lane as u32 } else { 0 };
                    let dword = |bytes: &[u8]| u32::from_le_bytes(bytes[4 * lane..][..4].try_into().unwrap());
                    let found = match space_of(lane) {
                        Space::Global => dword(&memory),
                        Space::Lds => dword(&bench.lds),
                        _ => bench.scratch[lane * 32 + lane],
                    };
                    assert_eq!(found, want, "{name} lane {lane} of {first}");
                }
            }
        }
    }
}

#[test]
fn atomics_go_lane_by_lane_in_order() {
    for (_, table) in all_tables() {
        for lanes in [32, 64] {
            let mut bench = Bench::new(AddressMode::Isolated, lanes);
            for space in [Space::Global, Space::Lds] {
                let base = if space == Space::Global { bench.buffer } else { 0 };
                (0..lanes).for_each(|l| {
                    bench.row(1)[l] = 4 * (l as u32 % 3);
                    bench.row(5)[l] = 1 << (l % 32);
                });
                let op = MemOp {
                    offset: [1, NO_ROW],
                    dst: [8; 4],
                    data: [5; 4],
                    space: space as u8,
                    atomic: AtomicOp::Add as u8,
                    flags: 2,
                    ..NO_OP
                };
                // SAFETY: the bench is a complete wave with these rows.
                assert_eq!(unsafe { (table.atomic)(&mut *bench.state, &op, full(lanes), base) }, 0);
                let mut cells = [0u32; 3];
                for l in 0..lanes {
                    assert_eq!(bench.row(8)[l], cells[l % 3], "{space:?} lane {l}");
                    cells[l % 3] = cells[l % 3].wrapping_add(1 << (l % 32));
                }
            }
        }
    }
}

#[test]
fn one_address_for_all_lanes_is_one_addition() {
    for (_, table) in all_tables() {
        let mut bench = Bench::new(AddressMode::Isolated, 32);
        (0..32).for_each(|l| {
            bench.row(1)[l] = 64;
            bench.row(5)[l] = l as u32;
        });
        let op = MemOp { offset: [1, NO_ROW], data: [5; 4], atomic: AtomicOp::Add as u8, ..NO_OP };
        // SAFETY: the bench is a complete wave with these rows.
        assert_eq!(unsafe { (table.atomic)(&mut *bench.state, &op, 0xff, bench.buffer) }, 0);
        assert_eq!(bench.memory()[64..68], 28u32.to_le_bytes());
        assert_eq!(bench.row(5)[0], 0);
    }
}

#[test]
fn a_misaligned_atomic_is_a_fault() {
    for (_, table) in all_tables() {
        for space in [Space::Global, Space::Lds] {
            for (flags, at) in [(0, 2), (1, 4)] {
                let mut bench = Bench::new(AddressMode::Isolated, 32);
                let base = if space == Space::Global { bench.buffer } else { 0 };
                bench.row(1).fill(at);
                let op = MemOp {
                    offset: [1, NO_ROW],
                    data: [5; 4],
                    dst: [6; 4],
                    space: space as u8,
                    atomic: AtomicOp::Or as u8,
                    flags,
                    ..NO_OP
                };
                // SAFETY: the bench is a complete wave with these rows.
                assert_eq!(unsafe { (table.atomic)(&mut *bench.state, &op, 1, base) }, 1);
                assert_eq!(bench.state.fault_kind, FaultKind::Misaligned as u32);
            }
        }
    }
}

#[test]
fn wide_atomics_use_register_pairs() {
    for (_, table) in all_tables() {
        let mut bench = Bench::new(AddressMode::Isolated, 32);
        (0..32).for_each(|l| {
            bench.row(1)[l] = 8 * l as u32;
            (bench.row(4)[l], bench.row(5)[l]) = (l as u32, 7);
        });
        let op =
            MemOp { offset: [1, NO_ROW], data: [4, 5, 4, 5], dst: [8, 9, NO_ROW, NO_ROW], atomic: AtomicOp::Swap as u8, flags: 3, ..NO_OP };
        // SAFETY: the bench is a complete wave with these rows.
        unsafe {
            (table.atomic)(&mut *bench.state, &op, full(32), bench.buffer);
            let op = MemOp { atomic: AtomicOp::Add as u8, ..op };
            (table.atomic)(&mut *bench.state, &op, full(32), bench.buffer);
        }
        assert_eq!((bench.row(8)[9], bench.row(9)[9]), (9, 7));
        assert_eq!(bench.memory()[72..80], (18u64 | 14 << 32).to_le_bytes());
    }
}

#[test]
fn scalar_loads_fill_slots_and_name_faults() {
    let mut bench = Bench::new(AddressMode::Isolated, 32);
    let data: Vec<u8> = (0..64).collect();
    bench.space.write(bench.buffer, &data).unwrap();
    let (_, table) = all_tables()[0];
    // SAFETY: the bench is a complete wave.
    unsafe {
        assert_eq!((table.sload)(&mut *bench.state, bench.buffer + 6, 4, 0x99), 0);
        assert_eq!(bench.state.slots[..2], [0x0706_0504, 0x0b0a_0908]);
        assert_eq!((table.sload)(&mut *bench.state, 0x1000, 1, 0x99), 1);
        assert_eq!((bench.state.fault_addr, bench.state.fault_pc), (0x1000, 0x99));
        // The first dword that is not mapped.
        let end = bench.buffer + BYTES as u64;
        for (dwords, mapped) in [1u64, 2, 4, 8, 16].into_iter().flat_map(|n| (0..n).map(move |m| (n, m))) {
            assert_eq!((table.sload)(&mut *bench.state, end - 4 * mapped, dwords as u32, 0x99), 1);
            assert_eq!(bench.state.fault_addr, end, "{mapped} of {dwords}");
            // Lowest of all is this buffer: what begins below it ends there.
            let at = bench.buffer - 4 * (dwords - mapped);
            assert_eq!((table.sload)(&mut *bench.state, at, dwords as u32, 0x99), 1);
            assert_eq!(bench.state.fault_addr, at, "{dwords} from below");
        }
        // V#: 10 records of stride 4; the dword at offset 40 is out of range.
        let v = [bench.buffer, bench.buffer >> 32 | 4 << 16, 10, 0];
        bench.state.slots[..4].copy_from_slice(&v);
        assert_eq!((table.sbuffer_load)(&mut *bench.state, 36, 2, 0x99), 0);
        assert_eq!(bench.state.slots[..2], [0x2726_2524, 0]);
    }
}

/// Nanoseconds of one call: the best of many short batches, so that other load on the machine does not show.
fn best(mut f: impl FnMut()) -> f64 {
    let mut least = f64::MAX;
    for _ in 0..300 {
        let start = std::time::Instant::now();
        (0..200).for_each(|_| f());
        least = least.min(start.elapsed().as_nanos() as f64 / 200.0);
    }
    least
}

/// `cargo test --release -p wavejit helper_speed -- --ignored --nocapture`
#[test]
#[ignore = "measures"]
fn helper_speed() {
    for (name, table) in all_tables() {
        let mut bench = Bench::new(AddressMode::Isolated, 32);
        let mut random = Random(99);
        bench.fill(&mut random);
        let patterns: [(&str, fn(u32, u32) -> u32); 4] = [
            ("consecutive", |l, size| l * size),
            ("uniform", |_, _| 64),
            ("random", |l, size| ((l * 2654435761) >> 20) % 200 * size),
            ("strided", |l, _| l * 64),
        ];
        for (pattern, f) in patterns {
            for kind in [MemKind::U8, MemKind::B32, MemKind::B64, MemKind::B128] {
                for space in [Space::Global, Space::Lds] {
                    (0..32).for_each(|l| bench.row(1)[l] = f(l as u32, kind.bytes() as u32));
                    let base = if space == Space::Global { bench.buffer } else { 0 };
                    let op = MemOp {
                        kind: kind as u8,
                        space: space as u8,
                        offset: [1, NO_ROW],
                        dst: [4, 5, 6, 7],
                        data: [8, 9, 10, 11],
                        ..NO_OP
                    };
                    let mut ns = [[0.0; 2]; 2];
                    for (e, exec) in [full(32), 0x00ff_ff0f].into_iter().enumerate() {
                        for (i, helper) in [table.load, table.store].into_iter().enumerate() {
                            ns[e][i] = best(|| {
                                // SAFETY: the bench is a complete wave with these rows.
                                unsafe { helper(&mut *bench.state, &op, exec, base) };
                            });
                        }
                    }
                    println!(
                        "{name:9} {pattern:12} {space:?} {kind:?}: load {:.1} (partial {:.1}), store {:.1} ({:.1}) ns",
                        ns[0][0], ns[1][0], ns[0][1], ns[1][1]
                    );
                }
            }
        }
        for (pattern, f) in patterns {
            for (space, returns) in [(Space::Global, 0), (Space::Global, 2), (Space::Lds, 0), (Space::Lds, 2)] {
                (0..32).for_each(|l| bench.row(1)[l] = f(l as u32, 4));
                let base = if space == Space::Global { bench.buffer } else { 0 };
                let op = MemOp {
                    space: space as u8,
                    atomic: AtomicOp::Add as u8,
                    flags: returns,
                    offset: [1, NO_ROW],
                    dst: [4; 4],
                    data: [8; 4],
                    ..NO_OP
                };
                let ns = best(|| {
                    // SAFETY: the bench is a complete wave with these rows.
                    unsafe { (table.atomic)(&mut *bench.state, &op, full(32), base) };
                });
                println!("{name:9} {pattern:12} {space:?} atomic add returns={returns}: {ns:.1} ns");
            }
        }
    }
}
