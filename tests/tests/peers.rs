//! Every kernel of `shaders/peers`, small: compiled code gives what the plain-Rust reference says, and the interpreter gives the same bytes.

use wavejit::Engine;
use wavejit_tests::case::Setting;
use wavejit_tests::peers::{PEERS, Size};

fn kernel_is_right(name: &str) {
    let peer = PEERS.iter().find(|p| p.name == name).unwrap_or_else(|| panic!("{name} is not in the table"));
    let case = peer.case(Size::Small);
    let run = |engine| {
        let after = case.run(32, Setting { engine, threads: 2 }).unwrap_or_else(|e| panic!("{name} {engine:?}: {e}"));
        case.check(&after).unwrap_or_else(|e| panic!("{engine:?}: {e}"));
        after
    };
    assert!(run(Engine::Jit) == run(Engine::Interp), "{name}: compiled code and interpreter differ");
}

macro_rules! kernels {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            kernel_is_right(stringify!($name));
        })*
        const TESTED: &[&str] = &[$(stringify!($name)),*];
    };
}
kernels! {
    aes_lds axpy axpy_f16 binomial_lds bitonic_lds blackscholes_f32 blackscholes_f64 bytecode_vm chacha20 conv5_bytes fft2_lds fft4_lds
    floyd_step fractal gemm_bytes half_horner heat2d heat2d_lds hist_global hist_lds kmeans_assign kuramoto_f64 life_bytes lu_f64 lud_tile
    md_lj modpow64 monte_pi movrel_ring nbody_f32 nbody_f64 nearest noise nw_lds ray_spheres rc4 scan_blelloch scan_hs scratch_heap
    sgemm_lds sgemm_naive sgemm_reg sha256_one sobel_bytes softmax_rows spmv_scalar spmv_wave stencil7 string_search subgroup_stats sum_lds
    transpose_lds vector_add xorshift64
}

#[test]
fn every_source_has_a_row_a_test_and_its_code_object() {
    let shaders = wavejit_tests::root().join("shaders");
    let stems = |folder: &str, end: &str| -> Vec<String> {
        let files = std::fs::read_dir(shaders.join(folder)).expect(folder);
        let mut stems: Vec<String> = files.filter_map(|f| Some(f.ok()?.file_name().to_str()?.strip_suffix(end)?.to_string())).collect();
        stems.sort();
        stems
    };
    let mut rows: Vec<&str> = PEERS.iter().map(|p| p.name).collect();
    rows.sort_unstable();
    assert_eq!(rows, TESTED);
    assert_eq!(stems("peers", ".cl"), TESTED);
    assert_eq!(stems("bin/peers", ".gfx1100.wave32.hsaco"), TESTED);
}
