//! Kernels whose lanes read each other. Rules: numerics of DPP and permutes as in the RDNA3 ISA guide, chapters on DPP and LDS permutes.

use crate::case::{Case, Random};

/// Reductions and scans by sub-group functions.
pub fn reduce_subgroup(wave: u32) -> Case {
    let n = 256usize;
    let input = Random(71).many(n, |r| r.below(3000) as i32 - 1500);
    let mut want = Vec::new();
    for lanes in input.chunks(wave as usize) {
        let sum: i32 = lanes.iter().sum();
        let (lo, hi) = (lanes.iter().min().copied().unwrap_or(0), lanes.iter().max().copied().unwrap_or(0));
        let mut scan = 0;
        for &v in lanes {
            scan += v;
            let all = i32::from(lanes.iter().all(|&v| v > -1000));
            let any = i32::from(lanes.contains(&7));
            want.push([sum, lo ^ hi, scan, lanes[3] + all * 2 + any]);
        }
    }
    Case::line("reduce_subgroup", n as u32, 128).input(&input).output(&want)
}

/// Sum over a wave in the order of the DPP tree: within 16 lanes by doubling shifts, then the other row, then the other half.
pub fn reduce_dpp(wave: u32) -> Case {
    let n = 192usize;
    let input = Random(72).many(n, |r| r.f32(-100.0, 100.0));
    let mut want = Vec::new();
    for lanes in input.chunks(wave as usize) {
        let rows: Vec<f32> = lanes.chunks(16).map(row_sum).collect();
        let sum = rows.chunks(2).map(|pair| pair[0] + pair[1]).reduce(|a, b| a + b).unwrap_or(0.0);
        want.extend(vec![sum; lanes.len()]);
    }
    return Case::line("reduce_dpp", n as u32, 64).input(&input).output(&want);

    /// What lane 15 of a row holds after v += row_shr:d(v) for d = 1, 2, 4, 8 (lanes shifted in are 0).
    fn row_sum(row: &[f32]) -> f32 {
        let mut v = row.to_vec();
        for d in [1, 2, 4, 8] {
            let old = v.clone();
            for i in 0..16 {
                v[i] = old[i] + if i >= d { old[i - d] } else { 0.0 };
            }
        }
        v[15]
    }
}

/// Every cross-lane instruction, one output row each.
pub fn crosslane(wave: u32) -> Case {
    let (n, lane) = (128usize, 13usize);
    let w = wave as usize;
    let input = Random(73).many(n, |r| r.below(100) as i32);
    let mut out: Vec<Vec<i32>> = vec![Vec::new(); 21];
    for (base, lanes) in input.chunks(w).enumerate() {
        let base = base * w;
        for i in 0..w {
            let (row, r, v) = (i & !15, i & 15, lanes[i]);
            let half = i & !31;
            let shifted = |from: Option<usize>, otherwise: i32| from.map_or(otherwise, |f| lanes[row + f]);
            let select = |selects: u64| row_select(selects, r);
            let values = [
                lanes[i ^ 3],
                shifted((r + 3 < 16).then_some(r + 3), -1),
                shifted(r.checked_sub(5), 0),
                shifted(Some((r + 16 - 7) & 15), -1),
                shifted(Some(15 - r), -1),
                lanes[i ^ 7],
                shifted(Some(2), -1),
                shifted(Some(r ^ 9), -1),
                // rows 0 and 2, banks 1 and 3 of each
                if i >> 4 & 1 == 0 && r >> 2 & 1 == 1 { lanes[row + ((r + 15) & 15)] } else { -1 },
                lanes[(i & !7) + (0x53_b8e1 >> (3 * (i & 7)) & 7)],
                lanes[half + (v as usize & 31)],
                permuted(lanes, base, half, i),
                lanes[(i & !3) + (0x55 >> (2 * (i & 3)) & 3)],
                lanes[i ^ 31],
                lanes[row + select(0x0f1e_2d3c_7654_3210)],
                lanes[(row ^ 16) + select(0x0246_8ace_1357_9bdf)],
                lanes[lane],
                lanes[0],
                i as i32 + v,
                (0..w.min(32)).map(|l| i32::from(lanes[l] < 40) << l).fold(0, |a, b| a | b),
                divergent(lanes, i, lane),
            ];
            out.iter_mut().zip(values).for_each(|(row, v)| row.push(v));
        }
    }
    Case::line("crosslane", n as u32, 64).input(&input).output(&out.concat()).value(lane as i32)
}

/// The select of lane `r` of a row: 4 bits each, lane 0 lowest.
fn row_select(selects: u64, r: usize) -> usize {
    (selects >> (4 * r)) as usize & 15
}

/// ds_permute with address 4 * (5 * global id + 3): each half of 32 lanes pushes within itself; 5 is odd, so every lane is hit once.
fn permuted(lanes: &[i32], base: usize, half: usize, i: usize) -> i32 {
    (0..32).map(|l| half + l).find(|&l| ((base + l) * 5 + 3) & 31 == i & 31).map_or(0, |l| lanes[l])
}

/// The part under `v % 3 == 1`: lanes outside it keep 0; readfirstlane takes the lowest active lane; DPP does not see inactive lanes and
/// keeps the old value; ds_bpermute reads 0 from inactive lanes.
fn divergent(lanes: &[i32], i: usize, lane: usize) -> i32 {
    let active = |l: usize| lanes[l] % 3 == 1;
    if !active(i) {
        return 0;
    }
    let first = (0..lanes.len()).find(|&l| active(l)).map_or(0, |l| lanes[l]);
    let dpp = if i & 15 > 0 && active(i - 1) { lanes[i - 1] } else { 1000 };
    let source = (i & !31) + ((lane + 1) & 31);
    first + dpp + 10000 * if active(source) { lanes[source] } else { 0 }
}
