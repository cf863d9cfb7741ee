//! The same kernel in every container and code object version gives the same result.

use wavejit::{Engine, Module};
use wavejit_tests::case::{Case, Setting, device};
use wavejit_tests::{code_object, reference};

fn runs(case: &Case, file: &str) -> Module {
    let device = device(Setting { engine: Engine::Jit, threads: 1 }).expect("a device");
    let module = device.load(&code_object(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
    let after = case.run_on(&device, &module).unwrap_or_else(|e| panic!("{file}: {e}"));
    case.check(&after).unwrap_or_else(|e| panic!("{file}: {e}"));
    module
}

#[test]
fn code_object_versions_4_5_and_6() {
    // version 4 reads sizes from the dispatch packet, 5 and 6 from hidden arguments
    let case = reference::arguments::grid3d(32);
    for file in ["grid3d.gfx1100.wave32.v4.hsaco", "grid3d.gfx1100.wave32.hsaco", "grid3d.gfx1100.wave32.v6.hsaco"] {
        runs(&case, file);
    }
}

#[test]
fn offload_bundles_plain_and_compressed() {
    // each holds gfx1030 first and gfx1100 second
    let case = reference::stream::hip_saxpy(32);
    for file in ["hip_saxpy.hipfb", "hip_saxpy-compress.hipfb"] {
        let module = runs(&case, file);
        // template instances have mangled names: void axpy<double>(double*, double const*, double, int)
        module.kernel("_Z4axpyIdEvPT_PKS0_S0_i").expect("a mangled name");
    }
}
