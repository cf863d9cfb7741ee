//! wavejit
