//! How many ns does one iteration of a wave32 take, on one thread, for the three model kernels?
//!
//! K1 is a mandelbrot step (EXEC full, and with half of the lanes gone), K2 is 64 fused multiply-adds with 4 ds_load_b128 (the inner loop of a
//! blocked matrix product), K3 a stream with two loads and a store. They are `shaders/model_k*.cl`. One thread, one workgroup of one wave for
//! K1 and K2, so that nothing but the loop is measured; K3 works on 32 KiB per array, which stays in the first-level cache.

use wavejit::{Arg, Error, Launch};
use wavejit_benches::{best, is_smoke_test, machine, ns_each, open};

fn main() -> Result<(), Error> {
    println!("{}", machine());
    println!("{:28}{:>20}", "model kernel", "ns per iteration");
    let scale = if is_smoke_test() { 1 } else { 1000 };
    for (name, lanes) in [("K1, EXEC full", u32::MAX), ("K1, EXEC divergent", 0x5555_5555)] {
        println!("{name:28}{:20.1}", k1(lanes, 300 * scale)?);
    }
    println!("{:28}{:20.1}", "K2, 64 FMA + 4 LDS loads", k2(20 * scale)?);
    println!("{:28}{:20.1}", "K3, 2 loads + 1 store", k3(scale)?);
    Ok(())
}

/// The point stays inside the set, so that no lane leaves early.
fn k1(lanes: u32, steps: u32) -> Result<f64, Error> {
    let (device, module) = open("model_k1", 1)?;
    let kernel = module.kernel("model_k1")?;
    let z = device.upload(&[0; 256])?;
    let args = [Arg::Buffer(&z), Arg::F32(-0.1), Arg::F32(0.1), Arg::U32(steps), Arg::U32(lanes)];
    launches([32, 1, 1], &kernel, &args, f64::from(steps))
}

fn k2(steps: u32) -> Result<f64, Error> {
    let (device, module) = open("model_k2", 1)?;
    let kernel = module.kernel("model_k2")?;
    let input = device.upload(&[0; 512 * 16])?;
    let out = device.upload(&[0; 128])?;
    let args = [Arg::Buffer(&input), Arg::Buffer(&out), Arg::U32(steps)];
    launches([32, 1, 1], &kernel, &args, f64::from(steps))
}

fn k3(passes: u32) -> Result<f64, Error> {
    let (device, module) = open("model_k3", 1)?;
    let kernel = module.kernel("model_k3")?;
    let n = 8192u32;
    let a = device.upload(&vec![0; 4 * n as usize])?;
    let b = device.upload(&vec![0; 4 * n as usize])?;
    let c = device.upload(&vec![0; 4 * n as usize])?;
    let args = [Arg::Buffer(&a), Arg::Buffer(&b), Arg::Buffer(&c), Arg::U32(n)];
    // one wave walks over the arrays; as many launches as needed to see it above the launch itself
    let launch = Launch::new([32, 1, 1], [32, 1, 1], &args);
    let mut failure = None;
    let time = best(5, || {
        for _ in 0..passes {
            failure = kernel.launch(&launch).err().or(failure.take());
        }
    });
    failure.map_or(Ok(ns_each(time, f64::from(passes) * f64::from(n) / 32.0)), Err)
}

fn launches(grid: [u32; 3], kernel: &wavejit::Kernel, args: &[Arg<'_>], iterations: f64) -> Result<f64, Error> {
    let launch = Launch::new(grid, [32, 1, 1], args);
    let mut failure = None;
    let time = best(7, || failure = kernel.launch(&launch).err().or(failure.take()));
    failure.map_or(Ok(ns_each(time, iterations)), Err)
}
