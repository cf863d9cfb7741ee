//! GEM_USERPTR: memory that a program has already, as a buffer.
//!
//! Private pages cannot be at two addresses. So their bytes move into the memory file, and the file is mapped where they were: the program finds
//! the same at the same place, and the device at its own. When the buffer goes, what the program still has of it becomes private again.
//!
//! ```text
//! program's address ---+
//!                      +---> range of the memory file
//! GPU address ---------+
//! ```
//!
//! That is not for memory of files or stacks, and what another thread writes in the moment of the move is lost; a child after a fork shares it.

use crate::door::Door;
use crate::errno::{Errno, Result, say};
use crate::gem::{self, PAGE};
use crate::node::Node;
use crate::uapi::GemUserptr;
use std::ffi::c_void;

mod flag {
    pub(super) const READONLY: u32 = 1;
    pub(super) const REGISTER: u32 = 1 << 3;
    /// Those, anonymous memory only, check that it is there.
    pub(super) const KNOWN: u32 = 0xf;
}

/// A line of /proc/self/maps.
struct Line {
    start: u64,
    end: u64,
    access: String,
    offset: u64,
    inode: u64,
    name: String,
}

/// What is mapped in a range, in order.
fn lines(address: u64, bytes: u64) -> Result<Vec<Line>> {
    let text = std::fs::read_to_string("/proc/self/maps").map_err(|_| Errno::IO)?;
    let parse = |line: &str| {
        let mut parts = line.split_ascii_whitespace();
        let (start, end) = parts.next()?.split_once('-')?;
        let access = parts.next()?.to_owned();
        let offset = u64::from_str_radix(parts.next()?, 16).ok()?;
        let inode = parts.nth(1)?.parse().ok()?;
        let name = parts.next().unwrap_or_default().to_owned();
        Some(Line { start: u64::from_str_radix(start, 16).ok()?, end: u64::from_str_radix(end, 16).ok()?, access, offset, inode, name })
    };
    Ok(text.lines().filter_map(parse).filter(|l| l.start < address + bytes && l.end > address).collect())
}

/// GEM_USERPTR.
pub(crate) fn create(door: &Door, args: &mut GemUserptr) -> Result {
    let GemUserptr { addr, size, flags, .. } = *args;
    if !addr.is_multiple_of(PAGE)
        || !size.is_multiple_of(PAGE)
        || size == 0
        || flags & !flag::KNOWN != 0
        || addr.checked_add(size).is_none()
    {
        return Err(Errno::INVAL);
    }
    if flags & (flag::READONLY | flag::REGISTER) == 0 {
        return Err(Errno::ACCES);
    }
    let mut at = addr;
    for line in lines(addr, size)? {
        if line.start > at {
            return Err(Errno::FAULT);
        }
        let is_private = line.access.starts_with("rw") && line.access.ends_with('p') && line.inode == 0;
        if !is_private || !(line.name.is_empty() || line.name == "[heap]" || line.name.starts_with("[anon")) {
            let Line { access, name, .. } = line;
            say(&format!("GEM_USERPTR: memory at {at:#x} ({access} {name}): only private memory of no file is supported"));
            return Err(Errno::INVAL);
        }
        at = line.end;
    }
    if at < addr + size {
        return Err(Errno::FAULT);
    }
    args.handle = gem::add_users(door, addr, size)?;
    Ok(())
}

/// Puts a program's bytes into the file, and the file where they were.
pub(crate) fn share(node: &Node, address: u64, bytes: u64, offset: u64) -> Result {
    node.write_from(offset, address, bytes)?;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_FIXED;
    // SAFETY: private memory of the program's, as `create` has seen, which has the same bytes afterwards.
    let mapped = unsafe { libc::mmap(address as *mut c_void, bytes as usize, access, flags, node.fd(), offset as libc::off_t) };
    if mapped == libc::MAP_FAILED { Err(Errno::last()) } else { Ok(()) }
}

/// Makes private what the program still has of a range of the file.
pub(crate) fn unshare(node: &Node, address: u64, bytes: u64, offset: u64) {
    let Ok(lines) = lines(address, bytes) else { return };
    for line in lines.iter().filter(|l| l.inode == node.inode() && l.name.starts_with("/memfd:")) {
        let (start, end) = (line.start.max(address), line.end.min(address + bytes));
        // Another part of the file may be there by now.
        if line.offset + (start - line.start) != offset + (start - address) {
            continue;
        }
        let len = (end - start) as usize;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: new memory.
        let fresh = unsafe { libc::mmap(std::ptr::null_mut(), len, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if fresh == libc::MAP_FAILED || node.read_to(offset + (start - address), fresh as u64, end - start).is_err() {
            say(&format!("memory at {start:#x} stays shared with the device: error {}", Errno::last().0));
            continue;
        }
        // SAFETY: the file's range that was put there, which the new memory replaces with the same bytes.
        unsafe { libc::mremap(fresh, len, len, libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED, start as *mut c_void) };
    }
}
