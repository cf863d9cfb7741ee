//! What a fault leaves and says: the same memory and the same message, whichever engine ran the wave.

use std::os::unix::fs::FileExt;
use wavejit::code_object::PgmRsrc;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{AddressMode, CodeLaunch, Device, DeviceConfig, Engine, Error, LaunchConfig};
use wavejit_isa::{Gfx, assemble};

const ENGINES: [Engine; 3] = [Engine::Jit, Engine::Interp, Engine::Tiered];

fn device(engine: Engine, address_mode: AddressMode) -> Device {
    let options = DeviceConfig { threads: 1, engine, ..Default::default() };
    let device = match address_mode {
        AddressMode::Isolated => Device::new(options),
        // SAFETY: what runs on it only loads, or stores to its own buffers.
        AddressMode::Shared => unsafe { Device::shared(options) },
    };
    device.expect("a device")
}

/// Runs one wave of some text with these user SGPRs.
fn run(device: &Device, wave_size: u32, text: &str, user_data: &[u32]) -> Result<(), Error> {
    run_group(
        device,
        wave_size,
        LaunchConfig { max_insts: 1000, ..LaunchConfig::new([wave_size, 1, 1], [wave_size, 1, 1]) },
        text,
        user_data,
    )
}

/// The same with as many waves as the launch says.
fn run_group(device: &Device, wave_size: u32, config: LaunchConfig, text: &str, user_data: &[u32]) -> Result<(), Error> {
    let code = assemble(&format!("{text}\ns_endpgm\n"), Gfx::GFX1100, wave_size).expect("it assembles").bytes;
    let buffer = device.upload(&code)?;
    // All VGPRs; denormals, DX10_CLAMP, IEEE.
    let rsrc = PgmRsrc { rsrc1: if wave_size == 32 { 31 } else { 63 } | 0xf0 << 12 | 1 << 21 | 1 << 23, rsrc2: 0, rsrc3: 0 };
    let init = WaveInit::raw(&RawInit { target: Gfx::GFX1100, wave_size, entry: buffer.address(), rsrc, user_data, scratch_bytes: 64 });
    let range = (buffer.address(), buffer.address() + code.len() as u64);
    device.run_code(&CodeLaunch { name: "wave", code: range, init, config })?;
    Ok(())
}

/// The address that a fault names.
fn named(result: Result<(), Error>) -> u64 {
    let text = result.expect_err("a fault").to_string();
    let digits: String =
        text.rsplit_once("address 0x").unwrap_or_else(|| panic!("{text}")).1.chars().take_while(char::is_ascii_hexdigit).collect();
    u64::from_str_radix(&digits, 16).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn pair(address: u64) -> [u32; 2] {
    [address as u32, (address >> 32) as u32]
}

/// Every size of scalar load, over both ends of an allocation: both engines name the first dword that is not mapped.
#[test]
fn scalar_loads_name_the_first_dword_that_is_not_mapped() {
    let sizes = [("b32", "s20", 1u64), ("b64", "s[20:21]", 2), ("b128", "s[20:23]", 4), ("b256", "s[20:27]", 8), ("b512", "s[20:35]", 16)];
    for mode in [AddressMode::Isolated, AddressMode::Shared] {
        for engine in ENGINES {
            let device = device(engine, mode);
            let buffer = device.alloc(8192).expect("memory");
            let (start, end) = (buffer.address(), buffer.address() + 8192);
            // Isolated: nothing is mapped below the first allocation. Shared: who knows.
            let from_below = |dwords: u64| if mode == AddressMode::Isolated { 1..dwords + 1 } else { 0..0 };
            for (size, to, dwords) in sizes {
                let over = (0..dwords).map(|mapped| (end - 4 * mapped, end));
                let nowhere = [8u64, 0x7fff_ffff_f000, 0x8000_0000_0000, 0xdead_beef_dead_bee0, 0u64.wrapping_sub(64)].map(|a| (a, a));
                for (at, want) in over.chain(from_below(dwords).map(|n| (start - 4 * n, start - 4 * n))).chain(nowhere) {
                    let result = run(&device, 32, &format!("s_load_{size} {to}, s[0:1], 0"), &pair(at));
                    assert_eq!(named(result), want, "{engine:?} {mode:?} s_load_{size} at {at:#x}");
                    // A register offset, and low bits that do not count.
                    let result = run(
                        &device,
                        32,
                        &format!("s_load_{size} {to}, s[0:1], s2 offset:0x10"),
                        &[&pair(at.wrapping_sub(0x213))[..], &[0x206]].concat(),
                    );
                    assert_eq!(named(result), want, "{engine:?} {mode:?} s_load_{size} at {at:#x} with offset");
                }
                // The V# promises more than there is; what lies beyond its limit reads 0.
                for mapped in 0..dwords {
                    let [low, high] = pair(end - 4 * mapped);
                    let load = format!("s_buffer_load_{size} {to}, s[0:3], 0");
                    assert_eq!(named(run(&device, 32, &load, &[low, high, 4096, 0])), end, "{engine:?} {mode:?} {load}");
                    run(&device, 32, &load, &[low, high, 4 * mapped as u32, 0]).expect("inside its limit");
                }
            }
        }
    }
}

/// The first of two loads that both fault is told, though the second depends on nothing that the waves do not have in common, and compiled code
/// would load that once for all of them; the first has EXEC in its address, which each wave has for itself.
#[test]
fn the_first_of_two_faults_is_told() {
    for engine in ENGINES {
        let device = device(engine, AddressMode::Isolated);
        let result = run(&device, 32, "s_load_b32 s20, s[0:1], exec_lo\ns_load_b64 s[22:23], s[2:3], 0x40", &[0, 0x77, 0, 0x66]);
        assert_eq!(named(result), 0x77_ffff_fffc, "{engine:?}");
    }
}

/// Addresses of 64 bits, which compiled code splits into a scalar and a lane part and the interpreter does not; in one lane, or from one on, they lie
/// in the guard.
#[test]
fn stores_that_fault_leave_the_same_memory_on_both_engines() {
    // v[2:3] = s[0:1] + v0 * step, by hand, as compilers do, but one lane a page further on; v[4:7] = numbers of the lane.
    let frame = |step: u32, lost: u32, store: &str| {
        format!(
            "v_mul_u32_u24_e32 v1, 0x{step:x}, v0\nv_add_nc_u32_e32 v4, 0x1000, v1\nv_cmp_eq_u32_e32 vcc_lo, {lost}, v0\n\
             v_cndmask_b32_e32 v1, v1, v4, vcc_lo\nv_mov_b32_e32 v3, s1\nv_add_co_u32 v2, vcc_lo, s0, v1\n\
             v_add_co_ci_u32_e64 v3, vcc_lo, 0, v3, vcc_lo\nv_add_nc_u32_e32 v4, 1, v0\nv_add_nc_u32_e32 v5, 0x101, v0\n\
             v_add_nc_u32_e32 v6, 0x201, v0\nv_add_nc_u32_e32 v7, 0x301, v0\n{store}"
        )
    };
    // Element bytes, data bytes of lane n.
    let stores: [(&str, u32, usize); 5] = [
        ("global_store_b32 v[2:3], v4, off", 4, 4),
        ("global_store_b64 v[2:3], v[4:5], off", 8, 8),
        ("global_store_b96 v[2:3], v[4:6], off", 12, 12),
        ("global_store_b128 v[2:3], v[4:7], off", 16, 16),
        ("flat_store_b16 v[2:3], v4", 2, 2),
    ];
    for (store, step, bytes) in stores {
        for spread in [1, 3] {
            // The lane to blame, and how: all from it on are in the guard, it alone is, or all below some lane are.
            for (first, how) in [(0u32, "above"), (5, "above"), (31, "above"), (12, "below"), (7, "alone"), (30, "alone")] {
                let mut seen = vec![];
                for engine in ENGINES {
                    let device = device(engine, AddressMode::Isolated);
                    let buffer = device.alloc(4096).expect("memory");
                    let (step, end) = (step * spread, buffer.address() + 4096);
                    let (at, lost) = match how {
                        "above" => (end - u64::from(first * step), 64),
                        "below" => (buffer.address() - u64::from(first * step), 64),
                        _ => (buffer.address(), first),
                    };
                    let result = run(&device, 32, &frame(step, lost, store), &pair(at));
                    let blamed = if how == "below" { 0 } else { first };
                    let text = result.expect_err("a fault").to_string();
                    assert!(text.contains(&format!("lane {blamed}: ")), "{engine:?} {store}: {text}");
                    let memory = buffer.to_vec().expect("memory");
                    let mut want = vec![0; 4096];
                    for lane in 0..blamed {
                        let data: Vec<u8> = [1, 0x101, 0x201, 0x301].into_iter().flat_map(|n: u32| (n + lane).to_le_bytes()).collect();
                        let place = (at + u64::from(lane * step) - buffer.address()) as usize;
                        want[place..][..bytes].copy_from_slice(&data[..bytes]);
                    }
                    let wrong = (0..4096).find(|i| memory[*i] != want[*i]);
                    assert_eq!(wrong, None, "{engine:?} {store} {spread} {first} {how}");
                    seen.push((text, memory));
                }
                assert!(seen[0] == seen[1], "{store}: {} and {}", seen[0].0, seen[1].0);
            }
        }
    }
}

/// Elements of a workgroup.
const LANES: u32 = 128;

/// p\[i + n\] *= 2 for the work-items i of a workgroup, with p and n from memory, as kernels have their arguments: what all waves have in common is found once.
fn double(device: &Device, wave_size: u32, p: u64, n: i32) -> Result<(), Error> {
    let text = "s_load_b64 s[4:5], s[0:1], 0
        s_load_b32 s6, s[0:1], 8
        s_waitcnt lgkmcnt(0)
        v_and_b32 v0, 0x3ff, v0
        v_add_nc_u32 v1, s6, v0
        v_ashrrev_i32 v2, 31, v1
        v_lshlrev_b64 v[1:2], 2, v[1:2]
        v_add_co_u32 v3, vcc_lo, s4, v1
        v_add_co_ci_u32_e32 v4, vcc_lo, s5, v2, vcc_lo
        global_load_b32 v5, v[3:4], off
        global_load_b32 v6, v[3:4], off
        s_waitcnt vmcnt(0)
        v_add_nc_u32 v5, v5, v6
        global_store_b32 v[3:4], v5, off";
    let text = if wave_size == 64 { text.replace("vcc_lo", "vcc") } else { text.to_owned() };
    let args: Vec<u8> = p.to_le_bytes().into_iter().chain(n.to_le_bytes()).chain([0; 4]).collect();
    let args = device.upload(&args)?;
    run_group(device, wave_size, LaunchConfig::new([LANES, 1, 1], [LANES, 1, 1]), &text, &pair(args.address()))
}

/// The base that makes element n the one at an address.
fn base_of(address: u64, n: i32) -> u64 {
    address.wrapping_sub((i64::from(n) * 4) as u64)
}

/// Engines, address modes and wave sizes.
fn ways() -> impl Iterator<Item = (AddressMode, Engine, u32)> {
    let modes = [AddressMode::Isolated, AddressMode::Shared].into_iter();
    modes.flat_map(|mode| ENGINES.into_iter().flat_map(move |engine| [32, 64].map(|wave_size| (mode, engine, wave_size))))
}

/// Where the base lies says nothing of where the elements do.
#[test]
fn a_base_may_lie_anywhere_if_its_elements_do_not() {
    const FIRST: usize = 1000;
    for (mode, engine, wave_size) in ways() {
        let device = device(engine, mode);
        let data: Vec<u32> = (0..2048).map(|i| i * 0x9e37).collect();
        let bytes: Vec<u8> = data.iter().flat_map(|x| x.to_le_bytes()).collect();
        let doubled = FIRST..FIRST + LANES as usize;
        for n in [0, 7, -5, -1000, 1 << 20, 0x1fff_ff00, 0x37ff_ff00, 0x3800_0000, 0x7fff_ff00, -0x2000_0000, i32::MIN] {
            let buffer = device.upload(&bytes).expect("memory");
            let first = buffer.address() + 4 * FIRST as u64;
            double(&device, wave_size, base_of(first, n), n)
                .unwrap_or_else(|e| panic!("{mode:?} {engine:?} wave{wave_size} n = {n:#x}: {e}"));
            let mut got = vec![0; bytes.len()];
            buffer.read(0, &mut got).expect("it is there");
            let got = got.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            let want = data.iter().enumerate().map(|(i, x)| if doubled.contains(&i) { x.wrapping_mul(2) } else { *x });
            assert!(got.eq(want), "{mode:?} {engine:?} wave{wave_size} n = {n:#x}");
            let nowhere = 0x7000_0000_0000;
            let address = named(double(&device, wave_size, base_of(nowhere, n), n));
            assert_eq!(address, nowhere, "{mode:?} {engine:?} wave{wave_size} n = {n:#x}");
        }
    }
}

/// The host address of bytes that begin a page, as the kernel sees this process.
fn host_address(bytes: &[u8]) -> u64 {
    let memory = std::fs::File::open("/proc/self/mem").expect("Linux has it");
    let maps = std::fs::read_to_string("/proc/self/maps").expect("Linux has it");
    let number = |text: &str| u64::from_str_radix(text, 16).expect("a number");
    let writable = maps.lines().filter(|line| line.contains(" rw"));
    let mut pages = writable.flat_map(|line| {
        let (start, end) = line.split_once(' ').and_then(|(range, _)| range.split_once('-')).expect("a range");
        (number(start)..number(end)).step_by(4096)
    });
    let mut found = vec![0; bytes.len()];
    pages.find(|page| memory.read_exact_at(&mut found, *page).is_ok() && found == bytes).expect("they are there")
}

/// A base out of range whose host address is memory of the host: an isolated guest neither reads nor writes it.
#[test]
fn memory_of_the_host_is_not_reached_from_a_base_out_of_range() {
    for (mode, engine, wave_size) in ways().filter(|(mode, ..)| *mode == AddressMode::Isolated) {
        let device = device(engine, mode);
        let mark: Vec<u8> =
            (0..4096u32).map(|i| (i * i + u32::from(wave_size == 64) + 2 * u32::from(engine == Engine::Jit)) as u8).collect();
        let buffer = device.upload(&mark).expect("memory");
        let distance = host_address(&mark).wrapping_sub(buffer.address());
        let host = vec![0x5eed_u32; LANES as usize];
        let target = (host.as_ptr() as u64).wrapping_sub(distance);
        for n in [0, 7, 1 << 20, -5, i32::MIN] {
            let address = named(double(&device, wave_size, base_of(target, n), n));
            assert_eq!(address, target, "{engine:?} wave{wave_size} n = {n:#x}");
            assert!(host.iter().all(|x| *x == 0x5eed), "{engine:?} wave{wave_size} n = {n:#x}");
        }
    }
}
