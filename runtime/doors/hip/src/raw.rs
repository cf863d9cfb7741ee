//! Memory that C hands us by pointer and length: the only places that read it, beside references in signatures.

use crate::status::{Result, Status};
use std::ffi::{CStr, c_char, c_void};

/// `len` values of the caller's; null is fine for none.
///
/// The caller of the C function vouches for so many values that stay as they are for `'a`, which no function outlives.
pub(crate) fn slice<'a, T: Copy>(p: *const T, len: usize) -> Result<&'a [T]> {
    if len == 0 {
        return Ok(&[]);
    }
    let bytes = len.checked_mul(size_of::<T>());
    if p.is_null() || !p.is_aligned() || bytes.is_none_or(|n| n > isize::MAX as usize) {
        return Err(Status::INVALID_VALUE);
    }
    // SAFETY: not null, aligned, of possible size; C vouches for the rest, as HIP's documentation says for each function.
    Ok(unsafe { std::slice::from_raw_parts(p, len) })
}

/// Room for `len` values of the caller's.
pub(crate) fn slice_mut<'a, T: Copy>(p: *mut T, len: usize) -> Result<&'a mut [T]> {
    slice(p, len)?;
    if len == 0 {
        return Ok(&mut []);
    }
    // SAFETY: checked above; C vouches for the rest and does not use it meanwhile.
    Ok(unsafe { std::slice::from_raw_parts_mut(p, len) })
}

/// A string of the caller's.
pub(crate) fn text<'a>(p: *const c_char) -> Result<&'a str> {
    if p.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    // SAFETY: not null; C vouches for the NUL.
    unsafe { CStr::from_ptr(p) }.to_str().map_err(|_| Status::INVALID_VALUE)
}

/// Copies a text and a NUL to where the caller has `len` bytes, cut to fit.
pub(crate) fn put_text(p: *mut c_char, len: usize, text: &str) -> Result {
    let place = slice_mut(p.cast::<u8>(), len)?;
    let Some(room) = place.len().checked_sub(1) else { return Err(Status::INVALID_VALUE) };
    let fitting = &text.as_bytes()[..text.len().min(room)];
    place[..fitting.len()].copy_from_slice(fitting);
    place[fitting.len()] = 0;
    Ok(())
}

/// All bytes from `p` to the end of the segment of the program or library that it lies in; none if it lies in no such.
pub(crate) fn mapped_file_bytes<'a>(p: *const c_void) -> Result<&'a [u8]> {
    struct Search {
        address: usize,
        end: usize,
    }
    unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> libc::c_int {
        // SAFETY: both are valid during the call.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
        // SAFETY: the dynamic linker's table of this object.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
        for header in headers.iter().filter(|h| h.p_type == libc::PT_LOAD) {
            let start = (info.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
            let end = start.wrapping_add(header.p_memsz as usize);
            if (start..end).contains(&search.address) {
                search.end = end;
                return 1;
            }
        }
        0
    }
    let mut search = Search { address: p as usize, end: 0 };
    // SAFETY: `look` follows the protocol, and `search` outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    match search.end.checked_sub(search.address) {
        // SAFETY: part of a loaded segment, whose device code nobody changes.
        Some(len) if len > 0 => Ok(unsafe { std::slice::from_raw_parts(p.cast(), len) }),
        _ => Err(Status::INVALID_IMAGE),
    }
}

/// All bytes from `p` to the end of the mapping that it lies in, for an image that does not say how long it is.
pub(crate) fn bytes_to_end_of_mapping<'a>(p: *const c_void) -> Result<&'a [u8]> {
    let maps = std::fs::read_to_string("/proc/self/maps").map_err(|_| Status::INVALID_IMAGE)?;
    let end = maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
        (rest.starts_with('r') && (start..end).contains(&(p as usize))).then_some(end)
    });
    slice(p.cast(), end.ok_or(Status::INVALID_IMAGE)? - p as usize)
}

/// Calls a function of the program's.
pub(crate) fn call_host(function: usize, user_data: usize) {
    // SAFETY: HIP's callers give a function of this type, or a library of theirs would have no use of it; never null (checked where it is given).
    let function: extern "C" fn(*mut c_void) = unsafe { std::mem::transmute(function) };
    function(user_data as *mut c_void);
}

/// Calls a stream callback of the program's.
pub(crate) fn call_stream_callback(function: usize, stream: usize, status: Status, user_data: usize) {
    // SAFETY: as for `call_host`.
    let function: extern "C" fn(*mut c_void, Status, *mut c_void) = unsafe { std::mem::transmute(function) };
    function(stream as *mut c_void, status, user_data as *mut c_void);
}

/// The address of a function of this library by name, if it is loaded as a library.
pub(crate) fn own_symbol(name: &CStr) -> Option<usize> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: asks the dynamic linker about an address of ours.
    if unsafe { libc::dladdr(own_symbol as *const c_void, info.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: dladdr has filled it.
    let path = unsafe { info.assume_init() }.dli_fname;
    // SAFETY: the path is the dynamic linker's; the library is loaded and stays so.
    let found = unsafe {
        let library = libc::dlopen(path, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if library.is_null() {
            return None;
        }
        let found = libc::dlsym(library, name.as_ptr());
        libc::dlclose(library);
        found
    };
    (!found.is_null()).then_some(found as usize)
}

/// The release that the program was linked with: it asks for our file under that name. The newest one, if the name has no number.
///
/// It decides three things: before 6 memory types had other numbers, and a pointer that is not known was an error; before 7 a function that succeeds
/// overwrites the last error.
pub(crate) fn release() -> u32 {
    static RELEASE: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *RELEASE.get_or_init(|| {
        let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: asks the dynamic linker about an address of ours.
        if unsafe { libc::dladdr(release as *const c_void, info.as_mut_ptr()) } == 0 {
            return NEWEST_RELEASE;
        }
        // SAFETY: dladdr has filled it; the name is the dynamic linker's.
        release_of(unsafe { CStr::from_ptr(info.assume_init().dli_fname) }.to_bytes())
    })
}

/// What `release` says without a number.
const NEWEST_RELEASE: u32 = 7;

/// The number behind `.so.` of a file's name.
fn release_of(file: &[u8]) -> u32 {
    let name = String::from_utf8_lossy(file);
    let number = name.rsplit_once(".so.").and_then(|(_, version)| version.split('.').next()?.parse().ok());
    number.unwrap_or(NEWEST_RELEASE)
}

#[cfg(test)]
mod tests {
    use super::release_of;

    #[test]
    fn the_name_of_the_file_says_which_release_a_program_was_linked_with() {
        assert_eq!(release_of(b"/opt/rocm/lib/libamdhip64.so.5"), 5);
        assert_eq!(release_of(b"hip/libamdhip64.so.6.3.60300"), 6);
        assert_eq!(release_of(b"libamdhip64.so"), 7);
        assert_eq!(release_of(b"/tmp/a.so.6/libamdhip64.so"), 7);
        assert_eq!(release_of(b"program"), 7);
    }
}
