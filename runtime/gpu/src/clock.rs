//! The clock that timestamps are of: 100 MHz, as shaders see it, too (TIME-02).

/// Ticks of 10 ns since an arbitrary start.
pub fn timestamp() -> u64 {
    wavejit::realtime_ticks()
}
