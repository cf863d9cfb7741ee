//! Images that are freed while a dispatch reads them: the program's mistake, but never the host's crash.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;
use wavejit::{
    Action, Arg, Device, DeviceConfig, DispatchStats, Engine, Error, Filter, Image, ImageDesc, Launch, LaunchConfig, Sampler, SamplerDesc,
};

const SIZE: u32 = 64;

fn image(device: &Device) -> Image {
    device.image(&ImageDesc { width: SIZE, height: SIZE, ..Default::default() }).expect("room for an image")
}

fn sampler(device: &Device) -> Sampler {
    device.sampler(&SamplerDesc { mag: Filter::Linear, min: Filter::Linear, ..Default::default() }).expect("a sampler")
}

/// image_swirl from the image whose descriptor is at `from`, to an image that stays.
fn swirl(
    device: &Device,
    from: u64,
    how: &Sampler,
    to: &Image,
    hook: Option<&(dyn Fn(&wavejit::Step) -> Action + Sync)>,
) -> Result<DispatchStats, Error> {
    let code = include_bytes!("../../shaders/bin/image_swirl.gfx1100.wave32.hsaco");
    let kernel = device.load(code)?.kernel("image_swirl")?;
    let args = [Arg::Address(from), Arg::Sampler(how), Arg::Image(to), Arg::F32(1.0)];
    kernel.launch(&Launch {
        args: &args,
        config: LaunchConfig { hook, ..LaunchConfig::new([SIZE, SIZE, 1], [8, 8, 1]) },
        ..Default::default()
    })
}

#[test]
fn an_image_freed_in_mid_dispatch_stays_until_its_end() {
    let device = Device::new(DeviceConfig { engine: Engine::Interp, threads: 1, ..Default::default() }).expect("a device");
    let (to, how) = (image(&device), sampler(&device));
    let from = image(&device);
    from.write(0, &[99; (SIZE * SIZE * 4) as usize]).expect("its own bytes");
    let (texels, descriptor) = (from.address(), from.descriptor_address());
    let from = Mutex::new(Some(from));
    let steps = AtomicUsize::new(0);
    // By then the first waves have sampled, and remember where the texels are.
    let hook = |_: &wavejit::Step| {
        if steps.fetch_add(1, Relaxed) == 2000 {
            from.lock().expect("not poisoned").take();
        }
        Action::Continue
    };
    swirl(&device, descriptor, &how, &to, Some(&hook)).expect("freed memory is there to the end");
    assert!(steps.load(Relaxed) > 4000 && from.lock().expect("not poisoned").is_none());
    assert_eq!(to.read(0).expect("its bytes"), [99; (SIZE * SIZE * 4) as usize]);
    assert!(device.memory().read(texels, &mut [0; 4]).is_err(), "and is gone after it");
}

#[test]
fn images_may_come_and_go_beside_dispatches() {
    let device = Device::new(DeviceConfig { engine: Engine::Jit, threads: 2, ..Default::default() }).expect("a device");
    let how = sampler(&device);
    let (latest, done) = (AtomicU64::new(image(&device).descriptor_address()), AtomicBool::new(false));
    let dispatches = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let to = image(&device);
                while !done.load(Relaxed) {
                    // What is read may be gone, or be something else by now: results and errors are both right.
                    let _ = swirl(&device, latest.load(Relaxed), &how, &to, None);
                    dispatches.fetch_add(1, Relaxed);
                }
            });
        }
        for i in 0..400 {
            let image = image(&device);
            latest.store(image.descriptor_address(), Relaxed);
            std::thread::sleep(Duration::from_micros(100 + 37 * (i % 20)));
        }
        while dispatches.load(Relaxed) < 20 {
            std::thread::sleep(Duration::from_millis(1));
        }
        done.store(true, Relaxed);
    });
    let to = image(&device);
    swirl(&device, to.descriptor_address(), &how, &to, None).expect("the device still works");
}
