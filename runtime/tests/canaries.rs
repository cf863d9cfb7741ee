//! Stores beside allocations: found, told once, with buffer, offset and kernel.

use wavejit::{AddressMode, Arg, Buffer, Device, DeviceConfig, Engine, Error, Launch, Overrun};

/// A device that watches, or not. Memory is isolated or the host's.
fn device(mode: AddressMode, engine: Engine, canaries: bool) -> Device {
    let config = DeviceConfig { threads: 1, engine, canaries, ..Default::default() };
    match mode {
        AddressMode::Isolated => Device::new(config),
        // SAFETY: kernels of this file write to allocations, and to bytes beside them that nobody uses.
        AddressMode::Shared => unsafe { Device::shared(config) },
    }
    .expect("a device")
}

/// out[i] = a[i] + 2 * b[i], of which `out` has fewer than there are work-items.
fn triad(device: &Device, out: u64, items: u32) -> Result<(), Error> {
    let code = include_bytes!("../../shaders/bin/triad.gfx1100.wave32.hsaco");
    let from: Buffer = device.alloc(4 * items as usize).expect("memory");
    let args = [Arg::Address(out), Arg::Buffer(&from), Arg::Buffer(&from), Arg::F32(2.0), Arg::I32(items as i32)];
    device.load(code)?.kernel("triad")?.launch(&Launch::new([items, 1, 1], [32, 1, 1], &args)).map(|_| ())
}

fn overrun(result: Result<(), Error>) -> Overrun {
    match result {
        Err(Error::Overrun(overrun)) => *overrun,
        other => panic!("not an overrun: {other:?}"),
    }
}

#[test]
fn a_store_beside_a_buffer_is_told_once() {
    for mode in [AddressMode::Isolated, AddressMode::Shared] {
        for engine in [Engine::Jit, Engine::Interp, Engine::Tiered] {
            let device = device(mode, engine, true);
            let out = device.alloc(16).expect("memory");
            triad(&device, out.address(), 4).expect("within");
            // Bytes 16 to 31 are nobody's.
            let told = overrun(triad(&device, out.address(), 8));
            let want = Overrun { kernel: "triad".into(), dispatches: 1, buffer: out.address(), buffer_bytes: 16, offset: 16, bytes: 16 };
            assert_eq!(told, want, "{mode:?} {engine:?}");
            triad(&device, out.address(), 8).expect("told before");
            if mode == AddressMode::Shared {
                // It begins with its page, and there is nothing before that.
                continue;
            }
            // Before a buffer, here the 8 bytes that end with its byte -4.
            let next = device.alloc(16).expect("memory");
            let told = overrun(triad(&device, next.address() - 12, 2));
            assert_eq!((told.buffer, told.offset, told.bytes), (next.address(), -12, 8), "{mode:?} {engine:?}");
            device.memory().check_canaries().expect("all is told");
        }
    }
}

#[test]
fn of_many_allocations_all_are_looked_at_in_turn_and_when_they_are_freed() {
    let device = device(AddressMode::Isolated, Engine::Jit, true);
    let mut buffers: Vec<Buffer> = (0..1000).map(|_| device.alloc(100).expect("memory")).collect();
    let all = buffers.len();
    device.memory().write(buffers[500].address() + 100, &[0]).expect("mapped");
    let mut told = None;
    for _ in 0..=all / 25 {
        if let Err(e) = triad(&device, buffers[0].address(), 16) {
            assert!(told.replace(overrun(Err(e))).is_none(), "told once");
        }
    }
    let told = told.expect("found in turn");
    assert_eq!((told.buffer, told.offset, told.bytes), (buffers[500].address(), 100, 1));
    assert!(told.dispatches > 1, "it may have been an earlier one");
    // What is freed is looked at before it goes, and told with the next occasion.
    let freed = buffers.pop().expect("there are many");
    let address = freed.address();
    device.memory().write(address - 1, &[0]).expect("mapped");
    drop(freed);
    let told = overrun(device.memory().check_canaries());
    assert_eq!((told.buffer, told.offset), (address, -1));
    device.memory().check_canaries().expect("all is told");
}

#[test]
fn nobody_watches_unless_asked() {
    let device = device(AddressMode::Isolated, Engine::Jit, false);
    let out = device.alloc(16).expect("memory");
    triad(&device, out.address(), 8).expect("nobody looks");
    let mut beside = [1; 16];
    device.memory().read(out.address() + 32, &mut beside).expect("mapped");
    assert_eq!(beside, [0; 16], "and what is beside it is 0");
}
