//! What one launch leaves in registers, LDS, scratch and its argument block, no other launch on the device finds: not of the same kernel, not of
//! another one of the same module, not of another module.

use wavejit::code_object::PgmRsrc;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{Arg, Buffer, CodeLaunch, Device, DeviceConfig, Engine, Launch, LaunchConfig};
use wavejit_isa::{Gfx, assemble};

const SECRET: u32 = 0x5ec2_e700;

/// Code on a device with 256 VGPRs, 64 KiB of LDS or less, and scratch.
struct Code {
    bytes: Buffer,
    vgprs: u32,
    wave_size: u32,
    lds_bytes: u32,
    scratch_bytes: u32,
}

impl Code {
    fn new(device: &Device, text: &str, wave_size: u32) -> Code {
        let bytes = assemble(text, Gfx::GFX1100, wave_size).unwrap_or_else(|e| panic!("{e:?}\n{text}")).bytes;
        Code { bytes: device.upload(&bytes).unwrap(), vgprs: 256, wave_size, lds_bytes: 0, scratch_bytes: 0 }
    }

    /// `groups` workgroups of `items` work-items; s[0:1] is `out`.
    fn run(&self, device: &Device, groups: u32, items: u32, out: u64) {
        let mut init = WaveInit::raw(&RawInit {
            target: Gfx::GFX1100,
            wave_size: self.wave_size,
            entry: self.bytes.address(),
            rsrc: PgmRsrc { rsrc1: 0xf0 << 12, rsrc2: 2 << 1 | 1 << 7, rsrc3: 0 },
            user_data: &[out as u32, (out >> 32) as u32],
            scratch_bytes: self.scratch_bytes,
        });
        (init.vgprs, init.lds_bytes) = (self.vgprs, self.lds_bytes);
        let code = (self.bytes.address(), self.bytes.address() + self.bytes.len() as u64);
        let (grid, group) = ([groups * items, 1, 1], [items, 1, 1]);
        device.run_code(&CodeLaunch { name: "leftovers", code, init, config: LaunchConfig::new(grid, group) }).unwrap();
    }
}

fn devices() -> impl Iterator<Item = Device> {
    let engines = [Engine::Jit, Engine::Interp].into_iter();
    engines.flat_map(|engine| [1, 2].map(|threads| Device::new(DeviceConfig { engine, threads, ..Default::default() }).unwrap()))
}

fn dwords(b: &Buffer) -> Vec<u32> {
    b.to_vec().unwrap().chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect()
}

/// Secrets in v1..v255, all lanes.
fn fill_registers() -> String {
    (1..256).map(|r| format!("v_mov_b32 v{r}, {:#x}\n", SECRET + r)).collect::<String>() + "s_endpgm"
}

/// Stores v1..v`n` of all lanes, EXEC or not: v0 is the lane's place in the output.
fn store_registers(n: u32, start: &str) -> String {
    let stores: String = (1..n).map(|r| format!("global_store_b32 v0, v{r}, s[0:1]\nv_add_nc_u32 v0, {:#x}, v0\n", 4096)).collect();
    format!("{start}\nv_lshlrev_b32 v0, 2, v0\n{stores}s_endpgm")
}

#[test]
fn registers_are_no_way_from_one_launch_to_the_next() {
    for device in devices() {
        for wave_size in [32, 64] {
            let fill = Code::new(&device, &fill_registers(), wave_size);
            let out = device.alloc(4096 * 256).unwrap();
            // Within the allocation of the reader, which is smaller, and as large.
            for n in [24, 256] {
                let read = Code { vgprs: n, ..Code::new(&device, &store_registers(n, ""), wave_size) };
                for _ in 0..3 {
                    fill.run(&device, 4, 1024, 0);
                    read.run(&device, 1, 1024, out.address());
                    assert!(dwords(&out)[..1024 * (n as usize - 1)].iter().all(|v| *v == 0), "wave{wave_size}, v1..v{n}");
                }
            }
        }
    }
}

#[test]
fn lanes_that_were_not_active_show_nothing_either() {
    // The last wave has 3 work-items; then all its lanes are switched on.
    let all_lanes = "s_mov_b32 exec_lo, -1\nv_mbcnt_lo_u32_b32 v0, -1, 0";
    for device in devices() {
        let fill = Code::new(&device, &fill_registers(), 32);
        let read = Code { vgprs: 24, ..Code::new(&device, &store_registers(24, all_lanes), 32) };
        let out = device.alloc(4096 * 24).unwrap();
        fill.run(&device, 4, 1024, 0);
        read.run(&device, 1, 3, out.address());
        let left = dwords(&out).iter().filter(|v| **v >> 8 == SECRET >> 8).count();
        assert_eq!(left, 0);
    }
}

#[test]
fn registers_read_through_a_jump_or_by_a_number_of_run_time_show_nothing() {
    // movrels reads v1 + m0; the jump goes to where no translation has been.
    let relative = "s_movk_i32 m0, 9\nv_movrels_b32 v2, v1\nv_lshlrev_b32 v0, 2, v0\nglobal_store_b32 v0, v2, s[0:1]\ns_endpgm";
    let jump = "s_getpc_b64 s[4:5]
        v_mov_b32 v1, s4
        v_readfirstlane_b32 s4, v1
        s_add_u32 s4, s4, 24
        s_addc_u32 s5, s5, 0
        s_setpc_b64 s[4:5]
        v_lshlrev_b32 v0, 2, v0
        global_store_b32 v0, v9, s[0:1]
        s_endpgm";
    for device in devices() {
        let fill = Code::new(&device, &fill_registers(), 32);
        let out = device.upload(&[0xff; 4 * 64]).unwrap();
        for text in [relative, jump] {
            let read = Code { vgprs: 24, ..Code::new(&device, text, 32) };
            fill.run(&device, 4, 64, 0);
            read.run(&device, 1, 64, out.address());
            assert_eq!(dwords(&out), [0; 64], "{text}");
        }
    }
}

#[test]
fn lds_is_no_way_from_one_launch_to_the_next() {
    let fill = format!("v_lshlrev_b32 v1, 2, v0\nv_mov_b32 v2, {SECRET:#x}\nds_store_b32 v1, v2\ns_waitcnt lgkmcnt(0)\ns_endpgm");
    let read = "v_lshlrev_b32 v1, 2, v0\nds_load_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nglobal_store_b32 v1, v2, s[0:1]\ns_endpgm";
    for device in devices() {
        let fill = Code { lds_bytes: 4096, ..Code::new(&device, &fill, 32) };
        let out = device.alloc(4096).unwrap();
        for lds_bytes in [4096, 100, 64 << 10] {
            let read = Code { lds_bytes, ..Code::new(&device, read, 32) };
            fill.run(&device, 3, 1024, 0);
            read.run(&device, 2, 1024, out.address());
            assert!(dwords(&out).iter().all(|v| *v == 0), "{lds_bytes} bytes");
        }
    }
}

#[test]
fn scratch_is_no_way_from_one_launch_to_the_next() {
    let fill = format!(
        "v_mov_b32 v2, {SECRET:#x}\nscratch_store_b32 off, v2, off offset:60\nscratch_store_b32 off, v2, off offset:4000\ns_endpgm"
    );
    let read = "v_lshlrev_b32 v1, 2, v0
        scratch_load_b32 v2, off, off offset:60
        s_waitcnt vmcnt(0)
        global_store_b32 v1, v2, s[0:1]
        s_endpgm";
    for device in devices() {
        let out = device.alloc(4096).unwrap();
        let nothing = Code::new(&device, "s_endpgm", 32);
        for bytes in [4096, 100_000] {
            let fill = Code { scratch_bytes: bytes, ..Code::new(&device, &fill, 32) };
            for less in [64, 4096, bytes] {
                let read = Code { scratch_bytes: less, ..Code::new(&device, read, 32) };
                for between in [false, true] {
                    fill.run(&device, 2, 1024, 0);
                    if between {
                        nothing.run(&device, 2, 1024, 0);
                    }
                    read.run(&device, 1, 1024, out.address());
                    assert!(dwords(&out).iter().all(|v| *v == 0), "{bytes} bytes, then {less}");
                }
            }
        }
    }
}

// A dispatch's own waves follow each other in one slot; what they find there is nobody else's.
#[test]
fn many_small_launches_of_many_kernels_find_zeros() {
    for device in devices() {
        let out = device.alloc(4 * 64).unwrap();
        for n in 1..60_u32 {
            let text = format!(
                "v_lshlrev_b32 v1, 2, v0\nglobal_store_b32 v1, v{r}, s[0:1]\nv_mov_b32 v{r}, {SECRET:#x}\nv_mov_b32 v{next}, {SECRET:#x}\ns_endpgm",
                r = 2 + n,
                next = 3 + n
            );
            let code = Code { vgprs: 72, ..Code::new(&device, &text, 32) };
            code.run(&device, 1, 64, out.address());
            assert!(dwords(&out).iter().all(|v| *v == 0), "v{}", 2 + n);
        }
    }
}

#[test]
fn argument_blocks_show_nothing_of_other_launches() {
    for device in devices() {
        let file = include_bytes!("../../shaders/bin/triad.gfx1100.wave32.hsaco");
        let triad = device.load(file).unwrap().kernel("triad").unwrap();
        let out = device.alloc(64).unwrap();
        let p = Arg::Buffer(&out);
        let secrets = || {
            let memory = device.memory().snapshot().unwrap();
            let words = memory.parts().iter().flat_map(|(_, bytes)| bytes.chunks_exact(4));
            words.filter(|w| **w == SECRET.to_le_bytes()).count()
        };
        // As raw arguments, longer than what comes next: the secret lies behind the kernel's own.
        let secret: Vec<u8> = std::iter::repeat_n(SECRET.to_le_bytes(), 300).flatten().collect();
        let launch = Launch::new([1; 3], [1; 3], &[]);
        let _ = triad.launch(&Launch { kernarg: Some(&secret), ..launch });
        assert_eq!(secrets(), 0, "whoever reads all memory finds nothing");
        triad.launch(&Launch { args: &[p, p, p, Arg::F32(1.0), Arg::U32(0)], ..launch }).unwrap();
        assert_eq!(secrets(), 0);
    }
}
