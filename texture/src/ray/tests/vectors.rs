//! The vector form against the scalar one: the same bits, in every instruction set this processor has.

use super::*;
use wavejit_isa::HostLevel;
use wavejit_random::Random;

/// A coordinate, seldom any bits at all.
fn float(random: &mut Random) -> u32 {
    match random.below(40) {
        0 => random.u32(),
        1 => random.pick(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1e30]).to_bits(),
        2..8 => (random.below(9) as f32 - 4.0).to_bits(),
        _ => random.f32(-4.0, 4.0).to_bits(),
    }
}

/// Nodes of all kinds: floats, of which boxes are seldom well-formed, and dwords.
fn memory(random: &mut Random, nodes: u32) -> FlatMemory {
    let mut words = vec![];
    for n in 0..nodes {
        for at in 0..32 {
            words.push(match (n % 3, at) {
                (0, 4..28) | (1, _) => float(random),
                (2, 4..16) => (half::f16::from_f32(f32::from_bits(float(random))).to_bits() as u32) << 16 | 0xbc00,
                _ => random.u32(),
            });
        }
        if random.below(4) == 0 {
            let at = words.len() - 32 + random.below(4) as usize;
            words[at] = INVALID;
        }
    }
    FlatMemory::from_words(BASE, &words)
}

#[test]
fn vectors_give_the_bits_of_lanes() {
    let mut random = Random(3);
    let mut taken = 0;
    for round in 0..600 {
        let nodes = [1, 40, 400][round % 3];
        let memory = memory(&mut random, nodes);
        let d = BvhDescriptor {
            box_sort: random.below(3) != 0,
            box_sort_heuristic: random.below(4) as u8,
            box_grow_ulps: random.below(8) as u8,
            pointer_flags: random.below(2) != 0,
            returns_barycentrics: random.below(2) != 0,
            ..descriptor(Generation::Gfx11, nodes as usize * 128)
        };
        let form = [Form::Bvh, Form::Bvh64][random.below(2) as usize];
        let op = RayOp::new(form, Generation::Gfx11, false).unwrap();
        let lanes = [32, 64][random.below(2) as usize];
        let mut before: Vec<u32> = (0..32 * lanes).map(|_| float(&mut random)).collect();
        let same = random.below(nodes * 16) << 3;
        let is_shared = random.below(2) == 0;
        for lane in 0..lanes {
            // Some beyond the end, where nothing is fetched.
            let node = if is_shared { same } else { random.below(nodes * 17) << 3 };
            before[lane] =
                (node & !0x7f | [0, 64][random.below(2) as usize] >> 3) & !7 | [0, 1, 2, 3, 4, 5, 5, 4][random.below(8) as usize];
            if op.form == Form::Bvh64 {
                before[lanes + lane] = [0, 0, 0, 1 << 26, 7][random.below(5) as usize];
            }
        }
        let exec = u64::from(random.u32()) << 32 | u64::from(random.u32());
        // Results lie over the first address rows, now and then.
        let first = [20, 0][random.below(2) as usize];
        let rows = Rows { address: std::array::from_fn(|i| i as u16), dst: std::array::from_fn(|i| first + i as u16) };
        let mut scalar = before.clone();
        let mut wave = Wave::new(&mut scalar, lanes, exec);
        let all = wave.exec;
        execute_by_lane(&op, &d, &mut wave, &rows, &memory, all).unwrap();
        for level in HostLevel::available().skip(1) {
            let mut vector = before.clone();
            let mut wave = Wave::new(&mut vector, lanes, exec);
            let done = vector::execute(level, &op, &d, &mut wave, &rows, &memory);
            taken += done.count_ones();
            let left = wave.exec & !done;
            execute_by_lane(&op, &d, &mut wave, &rows, &memory, left).unwrap();
            let differs = vector.iter().zip(&scalar).position(|(v, s)| v != s);
            assert_eq!(differs.map(|n| (n / lanes, n % lanes, vector[n], scalar[n])), None, "{level} {op:?} {d:?}");
        }
    }
    assert!(HostLevel::host() == HostLevel::Baseline || taken > 600 * 10);
}
