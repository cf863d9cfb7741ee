//! Image instructions from outside: against an independent sampler, rule by rule, vector kernels against the scalar form, and hostile descriptors.

mod cubes;
mod hostile;
mod kernels;
mod random;
mod reference;
mod rules;
mod support;
mod volumes;
