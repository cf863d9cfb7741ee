//! [`Overrun`]: what is told of bytes beside an allocation that have changed.

use std::fmt;

/// Bytes beside a buffer have changed ([`DeviceConfig::canaries`](crate::DeviceConfig::canaries)).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Overrun {
    /// The kernel whose dispatch ended last before that was found; empty if there was none.
    pub kernel: String,
    /// Dispatches of the device that have ended since the bytes were last looked at: if 1, it was that kernel, or one that ran beside it.
    pub dispatches: u64,
    /// Guest address of the buffer.
    pub buffer: u64,
    /// Its size.
    pub buffer_bytes: u64,
    /// The first byte that has changed, relative to the buffer: its size or more, or negative.
    pub offset: i64,
    /// Bytes from there to the last one that has changed.
    pub bytes: u64,
}

impl fmt::Display for Overrun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Overrun { kernel, dispatches, buffer, buffer_bytes, offset, bytes } = self;
        match dispatches {
            0 => write!(f, "the host has written")?,
            1 => write!(f, "kernel `{kernel}` has written")?,
            n => write!(f, "one of the last {n} kernels, of which `{kernel}` was the last, has written")?,
        }
        let side = if *offset < 0 { "before" } else { "beyond" };
        write!(f, " {side} a buffer: {bytes} bytes from offset {offset} on, of the {buffer_bytes} bytes at {buffer:#x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_who_and_where() {
        let overrun =
            |dispatches, offset| Overrun { kernel: "k".into(), dispatches, buffer: 0x1000, buffer_bytes: 16, offset, bytes: 4 }.to_string();
        let rest = "a buffer: 4 bytes from offset";
        assert_eq!(overrun(1, 16), format!("kernel `k` has written beyond {rest} 16 on, of the 16 bytes at 0x1000"));
        assert_eq!(
            overrun(3, -8),
            format!("one of the last 3 kernels, of which `k` was the last, has written before {rest} -8 on, of the 16 bytes at 0x1000")
        );
        assert_eq!(overrun(0, 20), format!("the host has written beyond {rest} 20 on, of the 16 bytes at 0x1000"));
    }
}
