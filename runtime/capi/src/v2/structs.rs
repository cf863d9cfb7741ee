//! Structures of the caller's. Each begins with its size in bytes (`uint32_t size`), so that later versions of the interface can add fields at the
//! end: what a caller does not have is zero, and what a caller sets that is not known here is an error.

use super::super::bad;
use wavejit::Error;

/// A structure of the header, as C lays it out.
///
/// # Safety
/// It is `repr(C)`, begins with a `u32` that is its size, may have any bytes, and has fields in all of them.
pub(super) unsafe trait Struct: Copy {
    /// What the header calls it.
    const NAME: &'static str;
    /// All bytes zero.
    const ZERO: Self;
}

/// Declares a structure of the header.
macro_rules! c_struct {
    ($(#[$doc:meta])* $name:ident = $c:literal { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub struct $name { $($(#[$field_doc])* pub(super) $field: $type,)* }

        const _: () = assert!(0 $(+ size_of::<$type>())* == size_of::<$name>(), "fields in all bytes");

        // SAFETY: declared as C lays it out; `size` is the first field (used below); numbers, arrays of them and raw pointers may have any bytes, and
        // there is no padding (asserted above).
        unsafe impl structs::Struct for $name {
            const NAME: &'static str = $c;
            // SAFETY: any bytes are a value of it, zeros as well.
            const ZERO: Self = unsafe { std::mem::zeroed() };
        }
    };
}
pub(super) use c_struct;

fn size_of_given<T: Struct>(p: *const T) -> Result<usize, Error> {
    if p.is_null() || !p.is_aligned() {
        return Err(bad(&format!("the {} is NULL or not aligned", T::NAME)));
    }
    // SAFETY: aligned and not null; the caller vouches for a structure that begins with its size.
    let size = unsafe { *p.cast::<u32>() } as usize;
    if !(8..=4096).contains(&size) {
        return Err(bad(&format!("{}.size is {size}: expected sizeof({}), which is {} here", T::NAME, T::NAME, size_of::<T>())));
    }
    Ok(size)
}

/// A copy of a structure of the caller's.
///
/// # Safety
/// `p` must be null or point to a structure of as many readable bytes as its first field says.
pub(super) unsafe fn read<T: Struct>(p: *const T) -> Result<T, Error> {
    let size = size_of_given(p)?;
    // SAFETY: so many readable bytes, which the caller vouches for.
    let given = unsafe { std::slice::from_raw_parts(p.cast::<u8>(), size) };
    if given.iter().skip(size_of::<T>()).any(|b| *b != 0) {
        return Err(bad(&format!("{} of {size} bytes has fields that this version of the library does not know", T::NAME)));
    }
    let mut copy = T::ZERO;
    let len = size.min(size_of::<T>());
    // SAFETY: both have `len` bytes, and any bytes are a value of the structure.
    unsafe { std::ptr::copy_nonoverlapping(given.as_ptr(), (&raw mut copy).cast::<u8>(), len) };
    Ok(copy)
}

/// Writes a structure of the caller's, as much of it as there is room for; its size stays.
///
/// # Safety
/// `p` must be null or point to a structure of as many writable bytes as its first field says.
pub(super) unsafe fn write<T: Struct>(p: *mut T, value: T) -> Result<(), Error> {
    let size = size_of_given(p)?;
    let len = size.min(size_of::<T>());
    let skip = size_of::<u32>();
    // SAFETY: both have `len` bytes, of which the first four are left alone.
    unsafe { std::ptr::copy_nonoverlapping((&raw const value).cast::<u8>().add(skip), p.cast::<u8>().add(skip), len - skip) };
    Ok(())
}

/// Writes a result of the caller's.
///
/// # Safety
/// `out` must be null or writable.
pub(super) unsafe fn put<T>(out: *mut T, value: T) -> Result<(), Error> {
    if out.is_null() || !out.is_aligned() {
        return Err(bad("the place for the result is NULL or not aligned"));
    }
    // SAFETY: not null and aligned; the caller vouches for the rest.
    unsafe { out.write(value) };
    Ok(())
}

/// Refuses a place for a result before anything is made, and sets it to zero.
///
/// # Safety
/// As for [`put`].
pub(super) unsafe fn place(out: *mut usize) -> Result<(), Error> {
    // SAFETY: passed on.
    unsafe { put(out, 0) }
}
