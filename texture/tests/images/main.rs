//! Image instructions from outside: against an independent sampler, rule by rule, vector kernels against the scalar form, and hostile descriptors.

mod hostile;
mod kernels;
mod random;
mod reference;
#[allow(dead_code)] // the tests of single rules use the rest
mod support;
