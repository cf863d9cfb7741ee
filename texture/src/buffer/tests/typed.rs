//! Format loads and stores.
