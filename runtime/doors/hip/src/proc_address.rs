//! Functions by their names.

use crate::abi::{Out, put_if};
use crate::raw;
use crate::status::{Result, Status, hip};
use std::ffi::{CString, c_char, c_void};

/// Names that stand for another function from a release on.
const SINCE_6: [(&str, &str); 2] = [("hipGetDeviceProperties", "hipGetDevicePropertiesR0600"), ("hipChooseDevice", "hipChooseDeviceR0600")];

fn find(name: *const c_char, function: Out<*mut c_void>, version: i32, flags: u64, outcome: Out<i32>) -> Result {
    let name = raw::text(name)?;
    let function = function.ok_or(Status::INVALID_VALUE)?;
    if name.is_empty() {
        return Err(Status::INVALID_VALUE);
    }
    let newer = SINCE_6.iter().find(|row| row.0 == name && version >= 600).map_or(name, |row| row.1);
    // `hipEnablePerThreadDefaultStream`
    let per_thread = format!("{newer}_spt");
    let names = if flags & 2 != 0 { vec![per_thread.as_str(), newer] } else { vec![newer] };
    let found = names.iter().find_map(|name| raw::own_symbol(&CString::new(*name).ok()?));
    function.write(found.map_or(std::ptr::null_mut(), |address| address as *mut c_void));
    put_if(outcome, i32::from(found.is_none()));
    if found.is_some() { Ok(()) } else { Err(Status::INVALID_VALUE) }
}

hip! {
    fn hipGetProcAddress(name: *const c_char, function: Out<*mut c_void>, version: i32, flags: u64, outcome: Out<i32>) {
        find(name, function, version, flags, outcome)
    }
    fn hipGetDriverEntryPoint(name: *const c_char, function: Out<*mut c_void>, flags: u64, outcome: Out<i32>) {
        find(name, function, i32::MAX, flags, outcome)
    }
}
