use crate::memory::address_space::AddressMode;
use crate::memory::helpers::all_tables;
use crate::memory::lanes::{LaneIter, full};
use crate::memory::tests::{Bench, NO_OP};
use wavejit_ir::Space;
use wavejit_ir::abi::{MemOp, NO_ROW};
use wavejit_random::Random;

/// Rounds of a loop that adds by comparing and exchanging, with rows 1 for addresses, 5 and 6 for what is added and compared: cells, what each lane
/// compared last, and how many rounds it takes until all lanes have succeeded.
fn rounds_one_by_one(bench: &mut Bench, exec: u64, mut cells: Vec<f32>) -> (Vec<f32>, Vec<u32>, i64) {
    let (mut compared, mut left, mut rounds) = (bench.row(6).to_vec(), exec, 0);
    while left != 0 {
        rounds += 1;
        for lane in LaneIter(left) {
            let cell = &mut cells[bench.row(1)[lane] as usize / 4];
            let seen = cell.to_bits();
            if seen == compared[lane] {
                *cell += f32::from_bits(bench.row(5)[lane]);
                left &= !(1 << lane);
            }
            compared[lane] = seen;
        }
    }
    (cells, compared, rounds)
}

#[test]
fn all_rounds_of_a_loop_that_adds_floats_at_once_are_those_one_by_one() {
    const CELLS: usize = 16;
    let mut random = Random(11);
    for (name, table) in all_tables() {
        for case in 0..2000 {
            let lanes = if random.one_in(2) { 32 } else { 64 };
            let mut bench = Bench::new(AddressMode::Isolated, lanes);
            let space = if random.one_in(2) { Space::Global } else { Space::Lds };
            let cells: Vec<f32> = (0..CELLS).map(|_| random.below(100) as f32).collect();
            let bytes: Vec<u8> = cells.iter().flat_map(|c| c.to_bits().to_le_bytes()).collect();
            bench.space.write(bench.buffer, &bytes).unwrap();
            bench.lds[..bytes.len()].copy_from_slice(&bytes);
            let exec = full(lanes) & if random.one_in(3) { u64::MAX } else { random.u64() };
            let (places, rows) = (1 + random.below(CELLS as u32), random.below(4));
            let mut differ = false;
            for lane in 0..lanes {
                let place = random.below(places) as usize;
                bench.row(1)[lane] = 4 * place as u32;
                // Adding nothing leaves it to the next one to succeed in the same round.
                bench.row(5)[lane] = (random.below(3 + rows) as f32).to_bits();
                // All lanes of a place compare what is there, or what is not; or some something else.
                let compared = cells[place] + if place.is_multiple_of(3) { 7.0 } else { 0.0 };
                let is_other = rows == 3 && random.one_in(20);
                bench.row(6)[lane] = if is_other { 1.0f32 } else { compared }.to_bits();
            }
            for (lane, other) in LaneIter(exec).flat_map(|lane| LaneIter(exec).map(move |other| (lane, other))) {
                differ |= bench.row(1)[lane] == bench.row(1)[other] && bench.row(6)[lane] != bench.row(6)[other];
            }
            let insts = 1 + random.below(20) as u8;
            let (left, fuel) = (u64::from(random.one_in(10)), if random.one_in(10) { 5 } else { 1_000_000 });
            (bench.state.slots[0], bench.state.fuel) = (left, fuel);
            let base = if space == Space::Global { bench.buffer } else { 0 };
            let op = MemOp {
                offset: [1, NO_ROW],
                data: [5, 6, 5, 6],
                dst: [8, 9, NO_ROW, NO_ROW],
                space: space as u8,
                kind: insts,
                flags: 2,
                ..NO_OP
            };
            // SAFETY: the bench is a complete wave with these rows.
            assert_eq!(unsafe { (table.exchange_sum)(&mut *bench.state, &op, exec, base) }, 0);
            let is_done = !differ && left & exec == 0 && fuel > 5;
            let (cells, compared, rounds) = match is_done {
                true => rounds_one_by_one(&mut bench, exec, cells),
                false => (cells, bench.row(6).to_vec(), 0),
            };
            let memory = if space == Space::Global { bench.memory() } else { bench.lds.clone() };
            let found: Vec<f32> = memory.chunks(4).take(CELLS).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
            assert_eq!(found, cells, "{name} {space:?} case {case}");
            assert_eq!(bench.state.fuel, fuel - rounds * i64::from(insts), "{name} {space:?} case {case}");
            for lane in LaneIter(exec) {
                assert_eq!(
                    (bench.row(8)[lane], bench.row(9)[lane]),
                    (compared[lane], is_done.into()),
                    "{name} {space:?} case {case} lane {lane}"
                );
            }
        }
    }
}

#[test]
fn sums_that_cannot_be_reached_are_left_to_the_loop() {
    for (_, table) in all_tables() {
        for (space, at) in [(Space::Global, 2), (Space::Global, 1 << 30), (Space::Lds, 2), (Space::Lds, 0xfffc)] {
            let mut bench = Bench::new(AddressMode::Isolated, 32);
            bench.row(1)[3] = at;
            (bench.state.fuel, bench.state.lds_bytes) = (1_000_000, 1024);
            (0..32).for_each(|lane| bench.row(5)[lane] = 1f32.to_bits());
            let op = MemOp {
                offset: [1, NO_ROW],
                data: [5, 6, 5, 6],
                dst: [8, 9, NO_ROW, NO_ROW],
                space: space as u8,
                kind: 1,
                flags: 2,
                ..NO_OP
            };
            let base = if space == Space::Global { bench.buffer } else { 0 };
            // SAFETY: the bench is a complete wave with these rows.
            assert_eq!(unsafe { (table.exchange_sum)(&mut *bench.state, &op, full(32), base) }, 0);
            assert!(bench.row(9).iter().all(|done| *done == 0), "{space:?} {at:#x}");
            assert!(bench.memory().iter().chain(&bench.lds).all(|b| *b == 0), "{space:?} {at:#x}");
        }
    }
}
