//! Grids whose workgroups wait for each other.

use wavejit::{Arg, Buffer, Cooperative, Device, DeviceConfig, Engine, Error, Launch, LaunchConfig};

const CODE: &[u8] = include_bytes!("data/grid_sync.hsaco");

fn launch(device: &Device, kernel: &str, groups: u32, args: &[Arg], cooperative: Option<Cooperative>) -> Result<(), Error> {
    let config = LaunchConfig::new([32 * groups, 1, 1], [32, 1, 1]);
    device.load(CODE)?.kernel(kernel)?.launch(&Launch { config, args, cooperative, ..Default::default() }).map(|_| ())
}

fn words(buffer: &Buffer) -> Vec<u32> {
    buffer.to_vec().expect("its bytes").chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

#[test]
fn workgroups_wait_for_each_other_in_both_ways() {
    for engine in [Engine::Jit, Engine::Interp, Engine::Tiered] {
        for threads in [1, 2] {
            let device = Device::new(DeviceConfig { engine, threads, ..Default::default() }).expect("a device");
            for (kernel, groups) in [("by_record", 1), ("by_record", 40), ("by_gws", 1), ("by_gws", 40)] {
                let data = device.alloc(128 * groups as usize).expect("memory");
                let args = [Arg::Buffer(&data), Arg::U32(groups)];
                let args = &args[..if kernel == "by_gws" { 2 } else { 1 }];
                // Twice: each launch begins anew.
                for _ in 0..2 {
                    data.write(0, &vec![0; data.len()]).expect("its bytes");
                    launch(&device, kernel, groups, args, Some(Cooperative::default())).expect("it ends");
                    // All add 1 and what the last one has: 2. Then 2, and 4 of the last one's: 8.
                    assert!(words(&data).iter().all(|w| *w == 8), "{kernel} {groups} {engine:?} {threads}: {:?}", words(&data));
                }
            }
        }
    }
}

#[test]
fn grids_know_their_place_among_others() {
    let device = Device::new(DeviceConfig { engine: Engine::Jit, threads: 1, ..Default::default() }).expect("a device");
    let out = device.alloc(40).expect("memory");
    let grid = Cooperative { grids: 3, grid: 1, items_before: 5 << 32, items: 9 << 32, sync: 0x1234_5678_9abc };
    launch(&device, "record_says", 1, &[Arg::Buffer(&out)], Some(grid)).expect("it runs");
    let says: Vec<u64> = out.to_vec().expect("its bytes").chunks(8).map(|b| u64::from_le_bytes(b.try_into().expect("8 bytes"))).collect();
    assert_eq!(says, [1, 3, 5 << 32, 9 << 32, 0x1234_5678_9abc]);
}

#[test]
fn without_a_cooperative_launch_there_is_no_record() {
    let device = Device::new(DeviceConfig { engine: Engine::Jit, threads: 1, ..Default::default() }).expect("a device");
    let data = device.alloc(128).expect("memory");
    let error = launch(&device, "by_record", 1, &[Arg::Buffer(&data)], None).expect_err("refused").to_string();
    assert!(error.contains("a cooperative launch"), "{error}");
    let many = launch(&device, "by_record", 1 << 16, &[Arg::Buffer(&data)], Some(Cooperative::default())).expect_err("refused").to_string();
    assert!(many.contains("65536"), "{many}");
}
