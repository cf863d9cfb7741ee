//! The short form of the program `cycles`: what the process holds does not grow while kernels are opened, launched and closed.

use wavejit_tests::cycles::{Interface, Kernels, run};

#[test]
fn opening_and_closing_kernels_leaves_nothing_behind() {
    let kernels = Kernels::new(30).expect("kernels");
    for (interface, cycles) in [(Interface::Rust, 200), (Interface::C, 200), (Interface::Devices, 40)] {
        let mut seen = vec![];
        run(&kernels, interface, cycles, 20, |done, held| seen.push((done, held))).unwrap_or_else(|e| panic!("{e}: {seen:?}"));
        assert_eq!(seen.len() as u64, cycles / 20);
    }
}
