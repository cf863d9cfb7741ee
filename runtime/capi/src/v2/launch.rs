//! Launches and their statistics.

use super::super::{bad, bytes, flag};
use super::args::{Value, args};
use super::call;
use super::failure::Failure;
use super::handles::Handle;
use super::module::{COpenedKernel, kernel};
use super::structs::{self, c_struct};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use wavejit::kernarg::MAX_KERNARG_BYTES;
use wavejit::{Cooperative, DispatchStats, Error, Geometry, Launch, LaunchConfig, Part};

/// `WAVEJIT2_LAUNCH_*`: flags of a launch.
const COOPERATIVE: u32 = 1;
const ALLOW_MISSING: u32 = 2;
const WHOLE_SEGMENT: u32 = 4;

/// Workgroups that can wait for each other: what one thread keeps in flight.
const MAX_COOPERATIVE_GROUPS: u64 = 4096;

c_struct! {
    /// `wavejit2_launch`.
    CLaunch = "wavejit2_launch" {
        size: u32,
        flags: u32,
        grid: [u32; 3],
        group: [u32; 3],
        first_group: [u32; 3],
        group_count: [u32; 3],
        offset: [u64; 3],
        max_insts: u64,
        cancel: *const u32,
        args: Handle,
        kernarg: *const c_void,
        kernarg_bytes: u64,
        dynamic_lds_bytes: u32,
        reserved: u32,
    }
}

c_struct! {
    /// `wavejit2_stats`.
    CStats = "wavejit2_stats" {
        size: u32,
        reserved: u32,
        workgroups: u64,
        waves: u64,
        insts: u64,
        compile_ns: u64,
        run_ns: u64,
    }
}

impl From<DispatchStats> for CStats {
    fn from(stats: DispatchStats) -> CStats {
        CStats {
            workgroups: stats.workgroups,
            waves: stats.waves,
            insts: stats.guest_insts,
            compile_ns: stats.compile_time.as_nanos() as u64,
            run_ns: stats.run_time.as_nanos() as u64,
            ..structs::Struct::ZERO
        }
    }
}

/// What arguments a launch has.
enum Given {
    Values(Vec<Value>),
    /// The explicit part of the argument segment.
    Explicit(Vec<u8>),
    /// All of it.
    Whole(Vec<u8>),
}

/// A launch that is checked and holds all it needs, but for the flag that cancels it.
pub(super) struct Ready {
    kernel: Arc<COpenedKernel>,
    geometry: Geometry,
    dynamic_lds: u32,
    max_insts: u64,
    allow_missing: bool,
    /// Do its workgroups wait for each other?
    is_cooperative: bool,
    given: Given,
    /// Address of the flag; 0: none.
    cancel: usize,
}

impl Ready {
    /// Checks a launch.
    ///
    /// # Safety
    /// `launch` is null or a structure of the size that it says, whose pointers are as `wavejit2.h` wants them.
    pub(super) unsafe fn new(handle: Handle, launch: *const CLaunch) -> Result<Ready, Error> {
        let kernel = kernel(handle)?;
        // SAFETY: the caller vouches for the structure.
        let launch = unsafe { structs::read(launch)? };
        if launch.flags & !(COOPERATIVE | ALLOW_MISSING | WHOLE_SEGMENT) != 0 {
            return Err(bad(&format!("wavejit2_launch.flags {:#x} has bits that are not known", launch.flags)));
        }
        let mut geometry = Geometry { offset: launch.offset, ..Geometry::new(launch.grid, launch.group) };
        if launch.group_count != [0; 3] {
            geometry.part = Some(Part { first: launch.first_group, count: launch.group_count });
        } else if launch.first_group != [0; 3] {
            return Err(bad("wavejit2_launch.first_group without a group_count"));
        }
        // SAFETY: the caller vouches for the flag.
        unsafe { flag(launch.cancel)? };
        let ready = Ready {
            // SAFETY: the caller vouches for the bytes.
            given: unsafe { given(&kernel, &launch)? },
            kernel,
            geometry,
            dynamic_lds: launch.dynamic_lds_bytes,
            max_insts: launch.max_insts,
            allow_missing: launch.flags & ALLOW_MISSING != 0,
            is_cooperative: launch.flags & COOPERATIVE != 0,
            cancel: launch.cancel as usize,
        };
        ready.check()?;
        Ok(ready)
    }

    fn check(&self) -> Result<(), Error> {
        let kernel = &self.kernel.kernel;
        kernel.check(&Launch {
            config: LaunchConfig { geometry: self.geometry, ..Default::default() },
            kernarg: self.whole(),
            dynamic_lds: self.dynamic_lds,
            cooperative: self.cooperative(),
            allow_missing: self.allow_missing,
            ..Default::default()
        })?;
        let groups: u64 = self.geometry.part().count.iter().map(|n| u64::from(*n)).fold(1, u64::saturating_mul);
        if self.is_cooperative && groups > MAX_COOPERATIVE_GROUPS {
            return Err(Error::Unsupported(format!(
                "kernel `{}`: a cooperative launch of {groups} workgroups: at most {MAX_COOPERATIVE_GROUPS} can wait for each other",
                kernel.info().name
            )));
        }
        Ok(())
    }

    fn cooperative(&self) -> Option<Cooperative> {
        self.is_cooperative.then(Cooperative::default)
    }

    fn whole(&self) -> Option<&[u8]> {
        if let Given::Whole(bytes) = &self.given { Some(bytes) } else { None }
    }

    /// Runs it to its end.
    pub(super) fn run(&self) -> Result<DispatchStats, Failure> {
        let values = if let Given::Values(values) = &self.given { &values[..] } else { &[] };
        let list: Vec<_> = values.iter().map(Value::arg).collect();
        // SAFETY: the caller vouches that the flag lives until the launch has ended (`wavejit2.h`).
        let cancel = unsafe { (self.cancel as *const AtomicU32).as_ref() };
        let stats = self.kernel.kernel.launch(&Launch {
            config: LaunchConfig { geometry: self.geometry, max_insts: self.max_insts, cancel, ..Default::default() },
            args: &list,
            kernarg: self.whole(),
            explicit: if let Given::Explicit(bytes) = &self.given { Some(bytes) } else { None },
            dynamic_lds: self.dynamic_lds,
            cooperative: self.cooperative(),
            allow_missing: self.allow_missing,
        })?;
        Ok(stats)
    }
}

/// # Safety
/// The launch's `kernarg` is null or has as many readable bytes as it says.
unsafe fn given(kernel: &Arc<COpenedKernel>, launch: &CLaunch) -> Result<Given, Error> {
    let info = kernel.kernel.info();
    if launch.kernarg_bytes > u64::from(MAX_KERNARG_BYTES) {
        let name = &info.name;
        return Err(bad(&format!(
            "kernel `{name}`: {} bytes of arguments: at most {MAX_KERNARG_BYTES} are possible",
            launch.kernarg_bytes
        )));
    }
    // SAFETY: the caller vouches for the bytes.
    let packed = unsafe { bytes(launch.kernarg, launch.kernarg_bytes as usize, "wavejit2_launch.kernarg")? }.to_vec();
    match (launch.args, launch.flags & WHOLE_SEGMENT != 0) {
        (0, true) => Ok(Given::Whole(packed)),
        (0, false) => Ok(Given::Explicit(packed)),
        (_, true) => Err(bad("wavejit2_launch has args and WAVEJIT2_LAUNCH_WHOLE_SEGMENT: one of them is enough")),
        (_, false) if !packed.is_empty() => Err(bad("wavejit2_launch has args and kernarg: one of them is enough")),
        (handle, false) => {
            let args = args(handle)?;
            if !Arc::ptr_eq(&args.kernel, kernel) {
                return Err(bad(&format!(
                    "kernel `{}`: the arguments are for another kernel, `{}`",
                    info.name,
                    args.kernel.kernel.info().name
                )));
            }
            Ok(Given::Values(args.values()?))
        }
    }
}

/// `int32_t wavejit2_kernel_launch(wavejit2_kernel kernel, const wavejit2_launch *launch, wavejit2_stats *stats)`
///
/// # Safety
/// As `wavejit2.h` says: `launch` is null or a structure of the size that it says, with pointers that are as they should be; `stats` is null or a structure of
/// the size that it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_kernel_launch(handle: Handle, launch: *const CLaunch, stats: *mut CStats) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for the structure and what it points to.
        let done = unsafe { Ready::new(handle, launch)? }.run()?;
        if !stats.is_null() {
            // SAFETY: the caller vouches for the structure.
            unsafe { structs::write(stats, done.into())? };
        }
        Ok(())
    })
}
