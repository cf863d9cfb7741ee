//! Filetests, reference results, differential tests.

pub mod filetest;
pub mod machine;
pub mod memory;
pub mod random_programs;
