//! Every kernel of `shaders/` but those that make pictures: compiled code gives what the plain-Rust reference says, and the interpreter gives
//! the same bytes, in wave32 and wave64, on one thread and on several.

use wavejit::Engine;
use wavejit_tests::case::Setting;
use wavejit_tests::reference::{self, KERNELS};

const SETTINGS: [Setting; 4] = [
    Setting { engine: Engine::Jit, threads: 1 },
    Setting { engine: Engine::Jit, threads: 4 },
    Setting { engine: Engine::Tiered, threads: 2 },
    Setting { engine: Engine::Interp, threads: 2 },
];

fn kernel_is_right(name: &str, wave: u32) {
    let (_, waves, make) = reference::find(name).unwrap_or_else(|| panic!("no reference for {name}"));
    if !waves.contains(&wave) {
        return;
    }
    let case = make(wave);
    let mut first: Option<Vec<Vec<u8>>> = None;
    for setting in SETTINGS {
        let after = case.run(wave, setting).unwrap_or_else(|e| panic!("{name} wave{wave} {setting:?}: {e}"));
        case.check(&after).unwrap_or_else(|e| panic!("wave{wave} {setting:?}: {e}"));
        let same = first.get_or_insert_with(|| after.clone());
        assert!(*same == after, "{name} wave{wave}: {setting:?} differs from {:?}", SETTINGS[0]);
    }
}

macro_rules! kernels {
    ($($name:ident)*) => {
        $(mod $name {
            #[test]
            fn wave32() {
                super::kernel_is_right(stringify!($name), 32);
            }
            #[test]
            fn wave64() {
                super::kernel_is_right(stringify!($name), 64);
            }
        })*
        const TESTED: &[&str] = &[$(stringify!($name)),*];
    };
}
kernels! {
    arguments bit_tricks bitonic brighten call_table calls collatz crc32 crosslane double_math dynamic_lds empty find_text flat_pointers
    global_atomics grid3d half2_blend half_poly hip_saxpy histogram int32_divide int64_math int8_dot last_block lds_types mandelbrot
    model_k1 model_k2 model_k3 movrel nbody_step option_price philox_pi recursion reduce_dpp reduce_subgroup scan_block sgemm_block
    sha256_chain small_ints sort_private stencil5 switch_vm trace_rays transcend transpose_pad triad
}

#[test]
fn every_source_has_a_reference_a_test_and_its_code_objects() {
    let shaders = wavejit_tests::root().join("shaders");
    let mut sources: Vec<String> = std::fs::read_dir(&shaders)
        .expect("shaders/")
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .filter(|f| !f.starts_with("image_")) // those make pictures, see `pictures.rs`
        .filter(|f| !f.starts_with("host_")) // those print, and fail on purpose, see `services.rs`
        .filter_map(|f| Some(f.strip_suffix(".cl").or_else(|| f.strip_suffix(".hip"))?.to_string()))
        .collect();
    sources.sort();
    assert_eq!(sources, TESTED);
    assert_eq!(sources, KERNELS.iter().map(|row| row.0).collect::<Vec<_>>());
    for (name, waves, _) in KERNELS {
        for wave in [32, 64] {
            let there = shaders.join(format!("bin/{name}.gfx1100.wave{wave}.hsaco")).exists();
            assert_eq!(there, waves.contains(&wave), "{name} wave{wave}");
        }
    }
}
