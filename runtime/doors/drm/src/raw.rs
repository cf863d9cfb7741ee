//! Memory that a program hands to an ioctl by address: the only places that read and write it.
//!
//! The kernel finds out what is mapped. Here a null pointer is refused, and the rest is what the program answers for, as it does for every
//! call of the C library.

use crate::errno::{Errno, Result};

/// Values whose bytes may be anything, and that have no others between them.
///
/// # Safety
/// Every pattern of bits is a value, and there is no padding.
pub(crate) unsafe trait Plain: Copy {
    /// All bytes 0.
    const ZERO: Self;
}

macro_rules! plain {
    ($($t:ty),*) => { $(
        // SAFETY: an integer.
        unsafe impl Plain for $t {
            const ZERO: $t = 0;
        }
    )* };
}
plain!(u32, u64, i32);

/// Reads the first `bytes` bytes of a value; the others are 0, as the kernel takes structures of older programs.
pub(crate) fn read_short<T: Plain>(address: u64, bytes: usize) -> Result<T> {
    let mut value = T::ZERO;
    if bytes != 0 && address == 0 {
        return Err(Errno::FAULT);
    }
    let len = bytes.min(size_of::<T>());
    // SAFETY: not null, and the program's; `value` has `len` bytes, any of which may be anything.
    unsafe { std::ptr::copy_nonoverlapping(address as *const u8, (&raw mut value).cast::<u8>(), len) };
    Ok(value)
}

/// Reads a value.
pub(crate) fn read<T: Plain>(address: u64) -> Result<T> {
    read_short(address, size_of::<T>())
}

/// Reads values one after the other.
pub(crate) fn read_all<T: Plain>(address: u64, count: usize) -> Result<Vec<T>> {
    /// More than any program has handles.
    const MOST: usize = 1 << 20;
    if count > MOST {
        return Err(Errno::INVAL);
    }
    (0..count).map(|i| read(address.checked_add((i * size_of::<T>()) as u64).ok_or(Errno::FAULT)?)).collect()
}

/// Writes the first `bytes` bytes of a value.
pub(crate) fn write_short<T: Plain>(address: u64, value: &T, bytes: usize) -> Result {
    // SAFETY: a value without padding is its bytes.
    let all = unsafe { std::slice::from_raw_parts((&raw const *value).cast::<u8>(), size_of::<T>()) };
    write_bytes(address, &all[..bytes.min(all.len())])
}

/// Writes bytes.
pub(crate) fn write_bytes(address: u64, bytes: &[u8]) -> Result {
    if bytes.is_empty() {
        return Ok(());
    }
    if address == 0 {
        return Err(Errno::FAULT);
    }
    // SAFETY: not null, and the program's, which has lent it for the call.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) };
    Ok(())
}

/// Writes values one after the other.
pub(crate) fn write_all<T: Plain>(address: u64, values: &[T]) -> Result {
    values.iter().zip(0u64..).try_for_each(|(value, i)| write_short(address + i * size_of::<T>() as u64, value, size_of::<T>()))
}

/// Declares structures of the kernel's interface, which are plain: no padding, any bytes.
macro_rules! structures {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* $(,)? })*) => { $(
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name { $(pub(crate) $field: $type),* }
        const _: () = assert!(0 $(+ size_of::<$type>())* == size_of::<$name>(), "a structure has padding");
        // SAFETY: the fields are plain, and the line above says that there is nothing between them.
        unsafe impl $crate::raw::Plain for $name {
            const ZERO: $name = $name { $($field: <$type as $crate::raw::Zero>::ZEROED),* };
        }
        impl $crate::raw::Zero for $name {
            const ZEROED: $name = <$name as $crate::raw::Plain>::ZERO;
        }
    )* };
}
pub(crate) use structures;

/// Something of zeros: fields of structures.
pub(crate) trait Zero {
    /// All bytes 0.
    const ZEROED: Self;
}

macro_rules! zero {
    ($($t:ty),*) => { $(
        impl Zero for $t {
            const ZEROED: $t = 0;
        }
        impl<const N: usize> Zero for [$t; N] {
            const ZEROED: [$t; N] = [0; N];
        }
    )* };
}
zero!(u32, u64, i32);
