//! What does a launch cost when the kernel does nothing? ns per launch, per workgroup and per wave, by an empty kernel.

use wavejit::{Error, Launch};
use wavejit_benches::{best, is_smoke_test, machine, ns_each, open};

fn main() -> Result<(), Error> {
    println!("{}", machine());
    println!("{:36}{:>12}{:>16}", "empty kernel", "1 thread", "all threads");
    let scale = if is_smoke_test() { 1 } else { 100 };
    for (what, groups, waves, launches) in [
        ("ns per launch of one wave", 1, 1, 10 * scale),
        ("ns per workgroup of one wave", 1000 * scale, 1, 1),
        ("ns per wave, 8 to a workgroup", 250 * scale, 8, 1),
    ] {
        let mut row = [0.0; 2];
        for (column, threads) in [1, 0].into_iter().enumerate() {
            let (_device, module) = open("empty", threads)?;
            let kernel = module.kernel("empty")?;
            let group = 32 * waves;
            let launch = Launch::new([group * groups, 1, 1], [group, 1, 1], &[]);
            let mut failure = None;
            let time = best(7, || {
                for _ in 0..launches {
                    failure = kernel.launch(&launch).err().or(failure.take());
                }
            });
            failure.map_or(Ok(()), Err)?;
            row[column] = ns_each(time, f64::from(groups) * f64::from(waves) * f64::from(launches));
        }
        println!("{what:36}{:12.0}{:16.0}", row[0], row[1]);
    }
    Ok(())
}
