//! The kernels of `shaders/peers`, which run on wavejit from their code objects and on OpenCL libraries from source: what each is given,
//! and what it must compute, in plain Rust. `tests/peers.rs` runs them small on both engines, `benches/src/bin/peers.rs` large beside
//! other OpenCL implementations.
//!
//! The kernels switch contraction off and name their fused multiply-adds, so that most results are exact on every implementation. Where
//! OpenCL leaves a function its error, or a library its order of additions, a reference is computed in f64 and says how near is right.

use crate::case::Case;

mod bytes;
mod ciphers;
mod common;
mod control;
mod doubles;
mod grids;
mod integers;
mod local;
mod matrices;
mod particles;
mod private;
mod sparse;
mod transforms;

/// How much work a launch is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// For a test on the interpreter.
    Small,
    /// Some milliseconds of a fast compiler's code.
    Full,
}

impl Size {
    /// One of two numbers.
    fn of<T>(self, full: T, small: T) -> T {
        if self == Size::Full { full } else { small }
    }
}

/// One kernel.
pub struct Peer {
    /// Its name; the source is `shaders/peers/NAME.cl`, the code object `shaders/bin/peers/NAME.gfx1100.wave32.hsaco`.
    pub name: &'static str,
    /// What it stands for.
    pub class: &'static str,
    /// An OpenCL extension without which the source has no kernel.
    pub needs: Option<&'static str>,
    /// Does it add to what its outputs held before? Then they are written anew before every launch.
    pub adds: bool,
    /// Its launch, with inputs and expected outputs.
    pub make: fn(Size) -> Case,
}

const fn row(name: &'static str, class: &'static str, make: fn(Size) -> Case) -> Peer {
    Peer { name, class, needs: None, adds: false, make }
}

impl Peer {
    const fn adds(mut self) -> Peer {
        self.adds = true;
        self
    }

    const fn half(mut self) -> Peer {
        self.needs = Some("cl_khr_fp16");
        self
    }

    /// The launch, with its code object's place.
    pub fn case(&self, size: Size) -> Case {
        (self.make)(size).in_folder("peers")
    }
}

/// The class of kernels that every benchmark has. The others stand for what programs do beside it; no back end was tuned to them.
pub const COMMON: &str = "common";

/// Every kernel of `shaders/peers`.
#[rustfmt::skip]
pub const PEERS: &[Peer] = &[
    row("vector_add",       COMMON,           common::vector_add),
    row("axpy",             COMMON,           common::axpy),
    row("axpy_f16",         COMMON,           common::axpy_f16).half(),
    row("blackscholes_f32", COMMON,           common::blackscholes_f32),
    row("fractal",          COMMON,           common::fractal),
    row("gemm_bytes",       COMMON,           matrices::gemm_bytes),
    row("hist_lds",         COMMON,           common::hist_lds).adds(),
    row("nbody_f32",        COMMON,           particles::nbody_f32),
    row("sgemm_lds",        COMMON,           matrices::sgemm_lds),
    row("sha256_one",       COMMON,           ciphers::sha256_one),
    row("sum_lds",          COMMON,           common::sum_lds),
    row("transpose_lds",    COMMON,           matrices::transpose_lds),

    row("aes_lds",          "ciphers",        ciphers::aes_lds),
    row("chacha20",         "ciphers",        ciphers::chacha20),
    row("rc4",              "ciphers",        ciphers::rc4),
    row("blackscholes_f64", "f64",            doubles::blackscholes_f64),
    row("kuramoto_f64",     "f64",            doubles::kuramoto_f64),
    row("lu_f64",           "f64",            doubles::lu_f64),
    row("nbody_f64",        "f64",            doubles::nbody_f64),
    row("half_horner",      "f16",            private::half_horner).half(),
    row("modpow64",         "64-bit integers", integers::modpow64),
    row("xorshift64",       "64-bit integers", integers::xorshift64),
    row("hist_global",      "atomics",        integers::hist_global).adds(),
    row("monte_pi",         "random numbers", integers::monte_pi),
    row("movrel_ring",      "indexed registers", private::movrel_ring),
    row("scratch_heap",     "scratch",        private::scratch_heap),
    row("subgroup_stats",   "cross-lane",     local::subgroup_stats),
    row("spmv_scalar",      "sparse rows",    sparse::spmv_scalar),
    row("spmv_wave",        "sparse rows",    sparse::spmv_wave),
    row("heat2d",           "stencils",       grids::heat2d),
    row("heat2d_lds",       "stencils",       grids::heat2d_lds),
    row("stencil7",         "stencils",       grids::stencil7),
    row("noise",            "pictures",       grids::noise),
    row("conv5_bytes",      "pictures",       bytes::conv5_bytes),
    row("sobel_bytes",      "pictures",       bytes::sobel_bytes),
    row("ray_spheres",      "pictures",       control::ray_spheres),
    row("life_bytes",       "bytes",          bytes::life_bytes),
    row("string_search",    "bytes",          bytes::string_search).adds(),
    row("bytecode_vm",      "interpreters",   control::bytecode_vm),
    row("fft2_lds",         "transforms",     transforms::fft2_lds),
    row("fft4_lds",         "transforms",     transforms::fft4_lds),
    row("bitonic_lds",      "barriers",       local::bitonic_lds),
    row("scan_hs",          "barriers",       local::scan_hs),
    row("scan_blelloch",    "barriers",       local::scan_blelloch),
    row("nw_lds",           "barriers",       local::nw_lds),
    row("binomial_lds",     "barriers",       local::binomial_lds),
    row("softmax_rows",     "barriers",       local::softmax_rows),
    row("lud_tile",         "matrices",       matrices::lud_tile),
    row("sgemm_naive",      "matrices",       matrices::sgemm_naive),
    row("sgemm_reg",        "matrices",       matrices::sgemm_reg),
    row("floyd_step",       "matrices",       matrices::floyd_step),
    row("kmeans_assign",    "neighbors",      particles::kmeans_assign),
    row("nearest",          "neighbors",      particles::nearest),
    row("md_lj",            "neighbors",      particles::md_lj),
];
