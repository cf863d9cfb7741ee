//! Waves of one workgroup, and workgroups of one dispatch, that run one after the other on the same storage: none sees another's registers, and
//! each stops where it must, whichever of them it is.

use crate::device::ENGINES;
use wavejit::code_object::PgmRsrc;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{CodeLaunch, Device, DeviceConfig, DispatchStats, Engine, Error, LaunchConfig};
use wavejit_isa::{Gfx, assemble};

/// A dispatch of gfx1100 text: s[0:1] = its memory, s[2:4] = workgroup ids, v0 = packed work-item ids.
struct Waves<'a> {
    text: &'a str,
    wave_size: u32,
    grid: [u32; 3],
    group: [u32; 3],
    dwords: usize,
    max_insts: u64,
}

/// Memory after it, and how it went. Faults name addresses from the start of the memory on.
fn run(engine: Engine, w: &Waves) -> (Vec<u32>, Result<DispatchStats, String>) {
    let device = Device::new(DeviceConfig { threads: 1, engine, ..Default::default() }).expect("a device");
    let code = assemble(w.text, Gfx::GFX1100, w.wave_size).expect("it assembles").bytes;
    let (code_at, memory) = (device.upload(&code).expect("code"), device.alloc(4 * w.dwords).expect("memory"));
    // 32 VGPRs, denormals; ids in all dimensions, 4 KiB of LDS.
    let rsrc = PgmRsrc { rsrc1: 7 | 0xf0 << 12, rsrc2: 2 << 1 | 7 << 7 | 8 << 15, rsrc3: 0 };
    let user_data = [memory.address() as u32, (memory.address() >> 32) as u32];
    let entry = code_at.address();
    let raw = RawInit { target: Gfx::GFX1100, wave_size: w.wave_size, entry, rsrc, user_data: &user_data, scratch_bytes: 0 };
    let config = LaunchConfig { max_insts: w.max_insts, ..LaunchConfig::new(w.grid, w.group) };
    let launch = CodeLaunch { name: "waves", code: (entry, entry + code.len() as u64), init: WaveInit::raw(&raw), config };
    let result = device.run_code(&launch).map_err(|e: Error| {
        let text = e.to_string();
        // Where the memory is differs from device to device.
        match text.split_once("address 0x") {
            Some((before, rest)) => {
                let digits: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
                let at = u64::from_str_radix(&digits, 16).expect("digits").wrapping_sub(memory.address());
                format!("{before}+{at:#x}{}", &rest[digits.len()..])
            }
            None => text,
        }
    });
    let words = memory.to_vec().expect("it can be read").chunks(4).map(|b| u32::from_le_bytes(b.try_into().expect("four"))).collect();
    (words, result)
}

/// What it does on the interpreter, and on the other engines the same.
fn all(w: &Waves) -> (Vec<u32>, Result<DispatchStats, String>) {
    let (words, result) = run(Engine::Interp, w);
    for engine in ENGINES {
        let (others, other) = run(engine, w);
        let counts = |r: &Result<DispatchStats, String>| r.clone().map(|s| (s.waves, s.workgroups, s.guest_insts));
        assert_eq!(counts(&result), counts(&other), "{engine:?}");
        let differs: Vec<_> = (0..words.len()).filter(|i| words[*i] != others[*i]).map(|i| (i, words[i], others[i])).collect();
        assert!(differs.is_empty(), "{engine:?}: memory differs (index, interpreted, this): {differs:x?}");
    }
    (words, result)
}

/// v8 = 32 * number of the work-item in a grid of `groups` x `groups` x .. workgroups of `group` work-items.
fn number([x, y, z]: [u32; 3], [gx, gy]: [u32; 2]) -> String {
    format!(
        "v_and_b32 v5, 0x3ff, v0
         v_bfe_u32 v6, v0, 10, 10
         v_bfe_u32 v7, v0, 20, 10
         s_mul_i32 s8, s4, {gy}
         s_add_u32 s8, s8, s3
         s_mul_i32 s8, s8, {gx}
         s_add_u32 s8, s8, s2
         s_mul_i32 s8, s8, {}
         v_mul_u32_u24 v8, {y}, v7
         v_add_nc_u32 v8, v8, v6
         v_mul_u32_u24 v8, {x}, v8
         v_add3_u32 v8, v8, v5, s8
         v_lshlrev_b32 v8, 5, v8\n",
        x * y * z
    )
}

#[test]
fn every_wave_starts_as_the_first_did() {
    // INIT-01, INIT-03, INIT-13, STATE-01: ids, EXEC, M0, and zero in what nothing initializes, in every workgroup, though each wave leaves
    // all of them changed
    for (wave_size, grid, group) in [
        (32, [640, 1, 1], [256, 1, 1]),
        (32, [100, 1, 1], [100, 1, 1]),
        (32, [40, 12, 3], [20, 4, 2]),
        (64, [1000, 1, 1], [320, 1, 1]),
        (64, [48, 9, 5], [16, 3, 5]),
    ] {
        let groups: [u32; 3] = std::array::from_fn(|d| u32::div_ceil(grid[d], group[d]));
        let (bits, exec) = if wave_size == 32 { ("b32", "exec_lo") } else { ("b64", "exec") };
        let text = format!(
            "s_cselect_b32 s30, 1, 0
             s_bcnt1_i32_{bits} s20, {exec}
             v_mov_b32 v10, s20
             v_mov_b32 v11, s25
             v_mov_b32 v12, vcc_lo
             v_mov_b32 v13, m0
             v_mov_b32 v14, s30
             v_mov_b32 v15, s2
             v_mov_b32 v16, s3
             v_mov_b32 v17, v0
             {}
             global_store_b128 v8, v[10:13], s[0:1]
             global_store_b128 v8, v[14:17], s[0:1] offset:16
             v_mov_b32 v0, -1
             s_mov_b32 s2, 77
             s_mov_b32 s3, 78
             s_mov_b32 s4, 79
             s_mov_b32 s25, 80
             s_mov_b32 s1, 81
             s_mov_b32 m0, 82
             s_mov_b64 vcc, -1
             s_cmp_eq_u32 s2, s2
             s_mov_{bits} {exec}, 1
             s_endpgm",
            number(group, [groups[0], groups[1]]),
        );
        let places = groups.iter().product::<u32>() * group.iter().product::<u32>();
        let (words, result) = all(&Waves { text: &text, wave_size, grid, group, dwords: 8 * places as usize, max_insts: 0 });
        result.expect("it runs");
        for (slot, found) in words.chunks(8).enumerate() {
            let (at, in_group) = (slot as u32 / group.iter().product::<u32>(), slot as u32 % group.iter().product::<u32>());
            let id = [at % groups[0], at / groups[0] % groups[1], at / groups[0] / groups[1]];
            let extent: [u32; 3] = std::array::from_fn(|d| group[d].min(grid[d] - id[d] * group[d]));
            let item = [in_group % group[0], in_group / group[0] % group[1], in_group / group[0] / group[1]];
            if (0..3).any(|d| item[d] >= extent[d]) {
                assert_eq!(found, [0; 8], "nobody is there");
                continue;
            }
            let before = item[0] + extent[0] * (item[1] + extent[1] * item[2]);
            let live = (extent.iter().product::<u32>() - before / wave_size * wave_size).min(wave_size);
            let packed = item[0] | item[1] << 10 | item[2] << 20;
            assert_eq!(found[..7], [live, 0, 0, 0, 0, id[0], id[1]], "wave{wave_size} {grid:?} {group:?} {id:?} {item:?}");
            assert_eq!(found[7], packed & 0xff_ffff);
        }
    }
}

#[test]
fn a_fault_in_the_third_wave_leaves_what_the_first_two_wrote() {
    let text = format!(
        "{}
         v_mov_b32 v1, 1
         global_store_b32 v8, v1, s[0:1]
         v_mov_b32 v3, s0
         v_mov_b32 v4, s1
         v_add_nc_u32 v5, 0x100, v4
         v_cmp_eq_u32 vcc_lo, 75, v0
         v_cndmask_b32 v4, v4, v5, vcc_lo
         global_load_b32 v4, v[3:4], off
         global_store_b32 v8, v1, s[0:1] offset:4
         s_endpgm",
        number([160, 1, 1], [2, 1])
    );
    let (words, result) = all(&Waves { text: &text, wave_size: 32, grid: [320, 1, 1], group: [160, 1, 1], dwords: 8 * 320, max_insts: 0 });
    let message = result.expect_err("a fault");
    assert!(message.contains("lane 11") && message.contains("+0x10000000000"), "{message}");
    let of = |i: usize| words.iter().skip(i).step_by(8).map(|w| *w as usize).sum::<usize>();
    assert_eq!([of(0), of(1)], [96, 64], "three waves came to the load, two went on");
}

#[test]
fn waves_that_run_out_of_fuel_go_on_where_they_were() {
    // The number of rounds differs from wave to wave: 0, 3000, .. 21000, several slices.
    let text = format!(
        "{}
         v_lshrrev_b32 v1, 5, v0
         v_readfirstlane_b32 s9, v1
         s_mul_i32 s9, s9, 3000
         v_mov_b32 v2, 0
         s_branch 2
         v_add_nc_u32 v2, 3, v2
         s_sub_u32 s9, s9, 1
         s_cmp_gt_i32 s9, 0
         s_cbranch_scc1 -4
         v_add_nc_u32 v2, v2, v0
         global_store_b32 v8, v2, s[0:1]
         s_endpgm",
        number([256, 1, 1], [3, 1])
    );
    let waves = Waves { text: &text, wave_size: 32, grid: [600, 1, 1], group: [256, 1, 1], dwords: 8 * 768, max_insts: 0 };
    let (words, result) = all(&waves);
    assert_eq!(result.expect("it runs").waves, 19);
    for i in 0..600 {
        let (wave, lane_id) = (i % 256 / 32, i as u32 % 256);
        assert_eq!(words[8 * i], 3 * 3000 * wave as u32 + lane_id, "work-item {i}");
    }
    // Every wave has a budget of its own; the fourth uses it up.
    let (words, result) = all(&Waves { max_insts: 30_000, ..waves });
    assert!(result.expect_err("a budget").contains("budget"));
    assert_eq!((0..256).filter(|i| words[8 * i] != 0 || *i == 0).count(), 96);
}

#[test]
fn waves_meet_at_barriers_whether_or_not_others_have_ended() {
    // Waves 0 to 3 rotate what they have in LDS twice; wave 4, and in the last workgroup those beyond its end, have nothing to do with it.
    let text = format!(
        "{}
         v_mov_b32 v1, v0
         v_cmpx_gt_u32 128, v0
         s_cbranch_execz 18
         v_lshlrev_b32 v2, 2, v0
         v_add_nc_u32 v3, 132, v2
         v_and_b32 v3, 0x1ff, v3
         ds_store_b32 v3, v1
         s_barrier
         ds_load_b32 v1, v2
         s_barrier
         ds_store_b32 v3, v1
         s_barrier
         ds_load_b32 v1, v2
         global_store_b32 v8, v1, s[0:1]
         s_endpgm",
        number([160, 1, 1], [3, 1])
    );
    let waves = Waves { text: &text, wave_size: 32, grid: [480, 1, 1], group: [160, 1, 1], dwords: 8 * 480, max_insts: 0 };
    for max_insts in [0, 1000] {
        let (words, result) = all(&Waves { max_insts, ..waves });
        result.expect("it runs");
        for i in 0..480 {
            let in_group = i as u32 % 160;
            let want = if in_group < 128 { (in_group + 128 - 66) % 128 } else { 0 };
            assert_eq!(words[8 * i], want, "work-item {i}");
        }
    }
}

#[test]
fn an_index_of_32_bits_reaches_its_element_at_both_ends_of_its_range() {
    // Addresses as compilers make them: base + (sign extension of (first + v0)) * 4, the base so much below that lane 0 is at the memory's
    // start. Lanes whose index would wrap are off.
    for first in [0i64, 5, -5, -70, 1 << 20, (1 << 31) - 64, (1 << 31) - 40, (1 << 31) - 8, -(1 << 31), -(1 << 31) + 3] {
        let active = ((1i64 << 31) - first).min(64);
        let text = format!(
            "v_lshlrev_b32 v9, 2, v0
             v_add_nc_u32 v10, 3, v0
             global_store_b32 v9, v10, s[0:1]
             s_mov_b32 s10, 0x{:x}
             v_add_nc_u32 v1, s10, v0
             v_ashrrev_i32 v2, 31, v1
             v_lshlrev_b64 v[1:2], 2, v[1:2]
             s_ashr_i32 s11, s10, 31
             s_lshl_b64 s[10:11], s[10:11], 2
             s_sub_u32 s12, s0, s10
             s_subb_u32 s13, s1, s11
             s_add_u32 s14, s12, 512
             s_addc_u32 s15, s13, 0
             v_cmpx_gt_u32 {active}, v0
             v_add_co_u32 v3, vcc_lo, s12, v1
             v_add_co_ci_u32 v4, vcc_lo, s13, v2, vcc_lo
             v_add_co_u32 v5, vcc_lo, s14, v1
             v_add_co_ci_u32 v6, vcc_lo, s15, v2, vcc_lo
             global_load_b32 v7, v[3:4], off
             global_load_b32 v8, v[3:4], off offset:4
             v_lshl_add_u32 v7, v8, 8, v7
             global_store_b32 v[5:6], v7, off
             s_endpgm",
            first as u32
        );
        let (words, result) = all(&Waves { text: &text, wave_size: 32, grid: [64, 1, 1], group: [64, 1, 1], dwords: 256, max_insts: 0 });
        result.unwrap_or_else(|e| panic!("{first}: {e}"));
        for lane in 0..64u32 {
            // The second wave's elements are not there yet when the first looks.
            let next = if lane % 32 == 31 { 0 } else { lane + 4 };
            let want = if i64::from(lane) < active { (lane + 3) | next << 8 } else { 0 };
            assert_eq!(words[128 + lane as usize], want, "first index {first}, lane {lane}");
        }
    }
}
