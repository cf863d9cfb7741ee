//! Kernel arguments and work-item functions. INIT-04, INIT-12: workgroup and work-item ids as the wave finds them.

use crate::case::{Case, to_bytes};

/// Arguments of many sizes and alignments.
pub fn arguments(_wave: u32) -> Case {
    let (c, s, v3, d) = (-5i8, -300i16, [7i32, -9, 11], 2.75f64);
    let (tag, v, tail) = (200u8, [1_000_000u32, 2, 3], -77i16);
    let many: [u32; 16] = std::array::from_fn(|i| i as u32 * 1000 + 3);
    let last = 17u8;
    let mut x = (c as i64 as u64).wrapping_add((s as i64 as u64) << 8);
    x = x.wrapping_add(i64::from(v3[0] + v3[1] * 3 + v3[2] * 5) as u64);
    x = x.wrapping_mul(31).wrapping_add(u64::from(tag) + u64::from(v[0]) + 7 * u64::from(v[1]) + 11 * u64::from(v[2]));
    x = x.wrapping_add(i64::from(tail) as u64);
    x = x.wrapping_mul(31).wrapping_add(d.to_bits());
    x = x.wrapping_mul(31).wrapping_add(u64::from(many[0]) + 2 * u64::from(many[7]) + 3 * u64::from(many[15]) + u64::from(last));
    let want: Vec<u64> = (0..64).map(|i| x.wrapping_add(i)).collect();
    // struct { uchar tag; uint3 v; short tail; }: three-element vectors take and are aligned to 16 bytes
    let mut record = vec![tag];
    record.resize(16, 0);
    record.extend(to_bytes(&v));
    record.resize(32, 0);
    record.extend(tail.to_le_bytes());
    record.resize(48, 0);
    let mut vector = to_bytes(&v3);
    vector.resize(16, 0);
    let case = Case::line("arguments", 64, 64).output(&want).value(c).value(s).bytes(&vector).bytes(&record);
    case.value(d).bytes(&to_bytes(&many)).value(last)
}

/// Every work-item function, on a grid with partial workgroups in each dimension.
pub fn grid3d(_wave: u32) -> Case {
    let (grid, group) = ([21u32, 10, 5], [8u32, 4, 2]);
    let pack = |v: [u32; 3]| v[0] | v[1] << 10 | v[2] << 20;
    let mut want = Vec::new();
    for z in 0..grid[2] {
        for y in 0..grid[1] {
            for x in 0..grid[0] {
                let id = [x, y, z];
                let each = |f: &dyn Fn(usize) -> u32| pack(std::array::from_fn(f));
                want.push([
                    pack(id),
                    each(&|d| id[d] % group[d]),
                    each(&|d| id[d] / group[d]),
                    each(&|d| group[d].min(grid[d] - id[d] / group[d] * group[d])),
                    each(&|d| grid[d].div_ceil(group[d])),
                    pack(grid),
                    pack(group),
                    3 | (x + grid[0] * (y + grid[1] * z)) << 4,
                ]);
            }
        }
    }
    Case::grid("grid3d", grid, group).output(&want).value(grid[0]).value(grid[1])
}
