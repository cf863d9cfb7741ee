//! What each kernel of `shaders/` must compute, in plain Rust, by topic. Every function returns the launch with its inputs and expected
//! outputs; `wave` is the wave size, which only kernels with cross-lane operations care about.
//!
//! Floats are exact unless a function says otherwise: the kernels name their fused multiply-adds and switch contraction off, so there is
//! one right rounding, and integers, conversions, division and square root have only one answer anyway.

use crate::case::Case;

pub mod arguments;
pub mod atomics;
pub mod calls;
pub mod control;
pub mod floats;
pub mod integers;
pub mod lds;
pub mod model;
pub mod rays;
pub mod stream;
pub mod wave;

/// Name of a kernel, which wave sizes are committed, and its reference.
pub type Row = (&'static str, &'static [u32], fn(u32) -> Case);

const BOTH: &[u32] = &[32, 64];
const WAVE32: &[u32] = &[32];

/// Every kernel in `shaders/`.
#[rustfmt::skip]
pub const KERNELS: &[Row] = &[
    ("arguments",       BOTH,   arguments::arguments),
    ("bit_tricks",      BOTH,   integers::bit_tricks),
    ("bitonic",         BOTH,   lds::bitonic),
    ("brighten",        WAVE32, stream::brighten),
    ("call_table",      BOTH,   calls::call_table),
    ("calls",           BOTH,   calls::calls),
    ("collatz",         BOTH,   control::collatz),
    ("crc32",           WAVE32, control::crc32),
    ("crosslane",       BOTH,   wave::crosslane),
    ("double_math",     BOTH,   floats::double_math),
    ("dynamic_lds",     BOTH,   lds::dynamic_lds),
    ("empty",           WAVE32, model::empty),
    ("find_text",       WAVE32, control::find_text),
    ("flat_pointers",   BOTH,   calls::flat_pointers),
    ("global_atomics",  BOTH,   atomics::global_atomics),
    ("grid3d",          BOTH,   arguments::grid3d),
    ("half2_blend",     BOTH,   floats::half2_blend),
    ("half_poly",       WAVE32, floats::half_poly),
    ("hip_saxpy",       WAVE32, stream::hip_saxpy),
    ("histogram",       BOTH,   atomics::histogram),
    ("int32_divide",    WAVE32, integers::int32_divide),
    ("int64_math",      BOTH,   integers::int64_math),
    ("int8_dot",        WAVE32, integers::int8_dot),
    ("last_block",      BOTH,   atomics::last_block),
    ("lds_types",       BOTH,   lds::lds_types),
    ("mandelbrot",      BOTH,   control::mandelbrot),
    ("model_k1",        WAVE32, model::model_k1),
    ("model_k2",        WAVE32, model::model_k2),
    ("model_k3",        WAVE32, model::model_k3),
    ("movrel",          BOTH,   calls::movrel),
    ("nbody_step",      WAVE32, floats::nbody_step),
    ("option_price",    WAVE32, floats::option_price),
    ("philox_pi",       BOTH,   atomics::philox_pi),
    ("recursion",       WAVE32, calls::recursion),
    ("reduce_dpp",      BOTH,   wave::reduce_dpp),
    ("reduce_subgroup", BOTH,   wave::reduce_subgroup),
    ("scan_block",      BOTH,   lds::scan_block),
    ("sgemm_block",     BOTH,   lds::sgemm_block),
    ("sha256_chain",    WAVE32, integers::sha256_chain),
    ("small_ints",      WAVE32, integers::small_ints),
    ("sort_private",    BOTH,   calls::sort_private),
    ("stencil5",        WAVE32, stream::stencil5),
    ("switch_vm",       BOTH,   control::switch_vm),
    ("trace_rays",      BOTH,   rays::trace_rays),
    ("transcend",       BOTH,   floats::transcend),
    ("transpose_pad",   BOTH,   lds::transpose_pad),
    ("triad",           BOTH,   stream::triad),
];

/// The row of a kernel.
pub fn find(name: &str) -> Option<&'static Row> {
    KERNELS.iter().find(|row| row.0 == name)
}
