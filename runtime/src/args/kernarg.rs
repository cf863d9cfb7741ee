//! The kernel argument segment, the AQL dispatch packet and the queue: what a launch puts into memory for its kernel.
//!
//! Reference: LLVM AMDGPUUsage, "Kernel Argument" metadata and hidden arguments; HSA Runtime Specification, "Kernel dispatch packet";
//! `amd_queue_t` in AMD's `amd_hsa_queue.h`.

use crate::args::arg_type::{self, Element};
use crate::code_object::{ArgKind, HiddenArg, KernelArg, KernelInfo};
use crate::error::Error;
use wavejit_ir::abi::{PRIVATE_APERTURE_HI, SHARED_APERTURE_HI};

/// Most work-items of a workgroup on any target.
pub(crate) const MAX_GROUP_WORK_ITEMS: u64 = 1024;
/// Most workgroups of a dispatch: more would take days even if each took a microsecond.
pub(crate) const MAX_GROUPS: u128 = 1 << 40;
/// Most LDS of a workgroup, in bytes.
pub(crate) const MAX_LDS_BYTES: u64 = 64 << 10;

/// A value for an explicit argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ArgValue<'a> {
    /// A guest address.
    Pointer(u64),
    /// The bytes of a value of any type, of exactly the argument's size.
    Bytes(&'a [u8]),
    /// The bytes of numbers of a type.
    Numbers(&'a [u8], Element),
    /// LDS bytes behind a `__local` pointer.
    LocalBytes(u32),
}

/// Grid and workgroup of a dispatch, in work-items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    /// Work-items of the grid; the last workgroup of a dimension may be partial.
    pub grid: [u32; 3],
    /// Work-items of a full workgroup.
    pub group: [u32; 3],
    /// OpenCL's global offset.
    pub offset: [u64; 3],
    /// The workgroups that run; `None`: all. Kernels see the whole grid: their workgroup ids, packet and hidden arguments are the same.
    pub part: Option<Part>,
}

/// A part of the workgroups of a grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Id of the first workgroup.
    pub first: [u32; 3],
    /// Workgroups in each dimension.
    pub count: [u32; 3],
}

impl Default for Geometry {
    /// One work-item.
    fn default() -> Geometry {
        Geometry::new([1; 3], [1; 3])
    }
}

/// Buffers that kernels may ask for by hidden arguments; 0: none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
pub(crate) struct HiddenPointers {
    /// Zeroed memory is fine: a printf buffer of size 0.
    pub printf_buffer: u64,
    pub hostcall_buffer: u64,
    pub multigrid_sync: u64,
    pub heap: u64,
    pub default_queue: u64,
    pub completion_action: u64,
    /// See [`queue_bytes`].
    pub queue: u64,
}

impl Part {
    /// Workgroups in it. [`Geometry::check`] allows far fewer than 2^64.
    pub(crate) fn groups(&self) -> u64 {
        self.count.iter().map(|n| u64::from(*n)).product()
    }
}

/// A packed argument segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Kernarg {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// LDS beyond the kernel's static LDS, in bytes.
    pub dynamic_lds_bytes: u32,
}

impl Geometry {
    /// A whole grid, without offset.
    pub fn new(grid: [u32; 3], group: [u32; 3]) -> Geometry {
        Geometry { grid, group, offset: [0; 3], part: None }
    }

    /// Number of dimensions: up to the last one that is longer than 1.
    pub fn dims(&self) -> u16 {
        (1..3).rev().find(|d| self.grid[*d] > 1).map_or(1, |d| d as u16 + 1)
    }

    /// Workgroups of the whole grid in each dimension, partial ones included.
    pub fn groups(&self) -> [u32; 3] {
        [0, 1, 2].map(|d| self.grid[d].div_ceil(self.group[d].max(1)))
    }

    /// The workgroups that run.
    pub fn part(&self) -> Part {
        self.part.unwrap_or(Part { first: [0; 3], count: self.groups() })
    }

    /// Refuses what no dispatch can have; `kernel` names it in messages, and adds its own limits if it has any.
    pub fn check(&self, name: &str, kernel: Option<&KernelInfo>) -> Result<(), Error> {
        let refuse = |why: String| Err(Error::Arg(format!("kernel `{name}`: {why}")));
        for (what, size) in [("grid", self.grid), ("workgroup", self.group)] {
            if size.contains(&0) {
                return refuse(format!("{what} of {} work-items: every dimension must be at least 1", by(size)));
            }
        }
        let groups: u128 = self.groups().iter().map(|n| u128::from(*n)).product();
        if groups > MAX_GROUPS {
            return refuse(format!("grid of {} work-items is {groups} workgroups: at most {MAX_GROUPS} can be dispatched", by(self.grid)));
        }
        let items: u64 = self.group.iter().map(|n| u64::from(*n)).fold(1, u64::saturating_mul);
        let limit = kernel.and_then(|k| k.max_group_work_items).map_or(MAX_GROUP_WORK_ITEMS, |n| u64::from(n).min(MAX_GROUP_WORK_ITEMS));
        if items > limit {
            return refuse(format!("workgroup of {} = {items} work-items: at most {limit} are allowed", by(self.group)));
        }
        if let Some(Part { first, count }) = self.part {
            let groups = self.groups();
            let fits = |d: usize| count[d] != 0 && u64::from(first[d]) + u64::from(count[d]) <= u64::from(groups[d]);
            if !(0..3).all(fits) {
                let [x, y, z] = first;
                let (count, groups) = (by(count), by(groups));
                return refuse(format!(
                    "{count} workgroups from ({x}, {y}, {z}) on: the grid has {groups}, and every dimension must be at least 1"
                ));
            }
        }
        match kernel.and_then(|k| k.required_group) {
            Some(required) if required != self.group => {
                refuse(format!("workgroup of {}, but it was compiled for exactly {}", by(self.group), by(required)))
            }
            _ => Ok(()),
        }
    }
}

/// Refuses more LDS than a workgroup can have.
pub fn check_lds(name: &str, static_bytes: u32, dynamic_bytes: u32) -> Result<(), Error> {
    let total = u64::from(static_bytes) + u64::from(dynamic_bytes);
    if total <= MAX_LDS_BYTES {
        return Ok(());
    }
    Err(Error::Arg(format!(
        "kernel `{name}`: {static_bytes} bytes of static and {dynamic_bytes} of dynamic LDS: a workgroup has {MAX_LDS_BYTES} at most"
    )))
}

/// Packs the argument segment. `dynamic_lds_bytes` is LDS that the launch adds besides `__local` pointer arguments.
pub(crate) fn pack(
    kernel: &KernelInfo,
    args: &[ArgValue],
    geometry: &Geometry,
    dynamic_lds_bytes: u32,
    hidden: &HiddenPointers,
) -> Result<Kernarg, Error> {
    if !kernel.has_metadata && !args.is_empty() {
        return Err(Error::Arg(format!("kernel `{}` has no metadata, so nothing is known about its arguments", kernel.name)));
    }
    let expected = kernel.explicit_args().count();
    if args.len() != expected {
        let list: Vec<String> = kernel.explicit_args().enumerate().map(|(i, a)| format!("{i}: {}", describe(a))).collect();
        let list = if list.is_empty() { "none".to_string() } else { list.join(", ") };
        return Err(Error::Arg(format!(
            "kernel `{}`: expected {expected} argument{} ({list}), got {}",
            kernel.name,
            if expected == 1 { "" } else { "s" },
            args.len()
        )));
    }
    let mut bytes = vec![0; kernel.kernarg_bytes as usize];
    let mut lds_end = kernel.lds_bytes;
    for (index, (arg, value)) in kernel.explicit_args().zip(args).enumerate() {
        let place = &mut bytes[arg.offset as usize..][..arg.bytes as usize];
        put_explicit(arg, *value, place, &mut lds_end)
            .map_err(|why| Error::Arg(format!("kernel `{}`, argument {index} ({}): {why}", kernel.name, describe(arg))))?;
    }
    let dynamic_lds_bytes = (lds_end - kernel.lds_bytes).saturating_add(dynamic_lds_bytes);
    check_lds(&kernel.name, kernel.lds_bytes, dynamic_lds_bytes)?;
    fill_hidden(kernel, &mut bytes, geometry, dynamic_lds_bytes, hidden);
    Ok(Kernarg { bytes, dynamic_lds_bytes })
}

/// Writes the hidden arguments into a segment that has at least the kernel's `kernarg_bytes`.
pub(crate) fn fill_hidden(kernel: &KernelInfo, bytes: &mut [u8], geometry: &Geometry, dynamic_lds_bytes: u32, hidden: &HiddenPointers) {
    for arg in &kernel.args {
        if let ArgKind::Hidden(which) = arg.kind {
            let value = hidden_value(which, geometry, dynamic_lds_bytes, hidden).to_le_bytes();
            let place = &mut bytes[arg.offset as usize..][..arg.bytes as usize];
            let len = place.len().min(value.len());
            place[..len].copy_from_slice(&value[..len]);
        }
    }
}

/// An argument segment that the caller packed, filled up with zeros. Nothing is cut off: a caller may know better how long it is.
pub(crate) fn pack_raw(kernel: &KernelInfo, packed: &[u8]) -> Vec<u8> {
    let mut bytes = packed.to_vec();
    bytes.resize(packed.len().max(kernel.kernarg_bytes as usize), 0);
    bytes
}

/// Writes one explicit argument. `lds_end` is the LDS given out so far.
fn put_explicit(arg: &KernelArg, value: ArgValue, place: &mut [u8], lds_end: &mut u32) -> Result<(), String> {
    match (arg.kind, value) {
        (ArgKind::DynamicSharedPointer, ArgValue::LocalBytes(len)) => {
            let align = arg.pointee_align.unwrap_or(16).clamp(1, 4096).next_power_of_two();
            let start = lds_end.checked_next_multiple_of(align);
            let end = start.and_then(|s| s.checked_add(len)).ok_or(format!("{len} bytes of LDS are too many"))?;
            *lds_end = end;
            let offset = start.unwrap_or(0).to_le_bytes();
            let width = place.len().min(4);
            place[..width].copy_from_slice(&offset[..width]);
            Ok(())
        }
        (ArgKind::DynamicSharedPointer, _) => Err("expected a number of LDS bytes, for it is a __local pointer".to_string()),
        (_, ArgValue::LocalBytes(_)) => Err("this is not a __local pointer, but LDS bytes were given".to_string()),
        (_, ArgValue::Pointer(address)) => match arg_type::refuse_pointer(arg) {
            Some(why) => Err(why),
            None => {
                place.copy_from_slice(&address.to_le_bytes());
                Ok(())
            }
        },
        (_, ArgValue::Bytes(bytes)) => put_numbers(arg, bytes, None, place),
        (_, ArgValue::Numbers(bytes, element)) => put_numbers(arg, bytes, Some(element), place),
    }
}

fn put_numbers(arg: &KernelArg, bytes: &[u8], element: Option<Element>, place: &mut [u8]) -> Result<(), String> {
    match arg_type::refuse_numbers(arg, element, bytes.len()) {
        Some(why) => Err(why),
        None => {
            place.copy_from_slice(bytes);
            Ok(())
        }
    }
}

fn hidden_value(which: HiddenArg, geometry: &Geometry, dynamic_lds_bytes: u32, hidden: &HiddenPointers) -> u64 {
    let (grid, group) = (geometry.grid, geometry.group);
    let dim = |d: u8| usize::from(d.min(2));
    match which {
        HiddenArg::BlockCount(d) => u64::from(grid[dim(d)] / group[dim(d)].max(1)),
        HiddenArg::GroupSize(d) => u64::from(group[dim(d)]),
        HiddenArg::Remainder(d) => u64::from(grid[dim(d)] % group[dim(d)].max(1)),
        HiddenArg::GlobalOffset(d) => geometry.offset[dim(d)],
        HiddenArg::GridDims => u64::from(geometry.dims()),
        HiddenArg::PrintfBuffer => hidden.printf_buffer,
        HiddenArg::HostcallBuffer => hidden.hostcall_buffer,
        HiddenArg::MultigridSync => hidden.multigrid_sync,
        HiddenArg::Heap => hidden.heap,
        HiddenArg::DefaultQueue => hidden.default_queue,
        HiddenArg::CompletionAction => hidden.completion_action,
        HiddenArg::DynamicLdsSize => u64::from(dynamic_lds_bytes),
        HiddenArg::PrivateBase => u64::from(PRIVATE_APERTURE_HI),
        HiddenArg::SharedBase => u64::from(SHARED_APERTURE_HI),
        HiddenArg::QueuePtr => hidden.queue,
        HiddenArg::None => 0,
    }
}

/// `float* out`, or what is known of it.
pub fn describe(arg: &KernelArg) -> String {
    let what = match &arg.type_name {
        Some(t) => t.clone(),
        None => format!("{} of {} bytes", arg.kind, arg.bytes),
    };
    match &arg.name {
        Some(name) => format!("{what} {name}"),
        None => what,
    }
}

fn by(size: [u32; 3]) -> String {
    format!("{} x {} x {}", size[0], size[1], size[2])
}

/// An `hsa_kernel_dispatch_packet_t`: 64 bytes, for kernels that ask for the dispatch pointer.
pub(crate) fn dispatch_packet(
    kernel: &KernelInfo,
    geometry: &Geometry,
    dynamic_lds_bytes: u32,
    kernel_object: u64,
    kernarg: u64,
) -> [u8; 64] {
    let mut packet = [0; 64];
    let mut put = |at: usize, bytes: &[u8]| packet[at..at + bytes.len()].copy_from_slice(bytes);
    // Type 2 = kernel dispatch; acquire (bits 10:9) and release (12:11) at system scope (2).
    put(0, &(2u16 | 2 << 9 | 2 << 11).to_le_bytes());
    put(2, &geometry.dims().to_le_bytes());
    for d in 0..3 {
        put(4 + 2 * d, &(geometry.group[d] as u16).to_le_bytes());
        put(12 + 4 * d, &geometry.grid[d].to_le_bytes());
    }
    put(24, &kernel.scratch_bytes.to_le_bytes());
    put(28, &kernel.lds_bytes.saturating_add(dynamic_lds_bytes).to_le_bytes());
    put(32, &kernel_object.to_le_bytes());
    put(40, &kernarg.to_le_bytes());
    packet
}

/// An `amd_queue_t` with the fields that kernels read: the apertures of LDS and scratch, which v4 kernels take from here.
pub(crate) fn queue_bytes() -> [u8; 256] {
    let mut queue = [0; 256];
    queue[0x40..0x44].copy_from_slice(&SHARED_APERTURE_HI.to_le_bytes());
    queue[0x44..0x48].copy_from_slice(&PRIVATE_APERTURE_HI.to_le_bytes());
    queue
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code_object::CodeObject;

    fn kernel(name: &str) -> KernelInfo {
        let object = CodeObject::load(include_bytes!("../../tests/data/small-v5.hsaco")).unwrap();
        object.kernel(name).unwrap().clone()
    }

    const GEOMETRY: Geometry = Geometry { grid: [1000, 6, 1], group: [64, 4, 1], offset: [0, 0, 5], part: None };

    fn pack_with(name: &str, args: &[ArgValue]) -> Result<Kernarg, Error> {
        pack(&kernel(name), args, &GEOMETRY, 0, &HiddenPointers::default())
    }

    // Offsets as llvm-readelf-19 --notes prints them for `scale`.
    #[test]
    fn hidden_arguments_of_version_5() {
        let args = [ArgValue::Pointer(0x1234), ArgValue::Bytes(&1.5f32.to_le_bytes()), ArgValue::Bytes(&[7, 0, 0, 0])];
        let b = pack_with("scale", &args).unwrap().bytes;
        let u16_at = |at: usize| u16::from_le_bytes([b[at], b[at + 1]]);
        assert_eq!(b.len(), 272);
        assert_eq!(b[..16], [0x34, 0x12, 0, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0x3f, 7, 0, 0, 0]);
        assert_eq!([b[16], b[20], b[24]], [15, 1, 1], "full workgroups: 1000 / 64, 6 / 4, 1");
        assert_eq!([28, 30, 32].map(u16_at), [64, 4, 1], "workgroup size");
        assert_eq!([34, 36, 38].map(u16_at), [40, 2, 0], "work-items of the partial workgroup");
        assert_eq!(b[72], 5, "global offset z");
        assert_eq!(u16_at(80), 2, "dimensions");
    }

    #[test]
    fn local_pointers_follow_static_lds() {
        let k = kernel("reverse");
        let packed = pack(&k, &[ArgValue::Pointer(0), ArgValue::LocalBytes(1024)], &GEOMETRY, 16, &HiddenPointers::default()).unwrap();
        assert_eq!(packed.bytes[8..12], [0, 1, 0, 0], "the kernel has 256 bytes of static LDS");
        assert_eq!(packed.dynamic_lds_bytes, 1040);
    }

    #[test]
    fn wrong_arguments_are_named() {
        let message = |name: &str, args: &[ArgValue]| pack_with(name, args).unwrap_err().to_string();
        assert_eq!(message("scale", &[]), "kernel `scale`: expected 3 arguments (0: float*, 1: float, 2: uint), got 0");
        let args = [ArgValue::Pointer(0), ArgValue::Bytes(&[0; 8]), ArgValue::Bytes(&[0; 4])];
        assert_eq!(message("scale", &args), "kernel `scale`, argument 1 (float): expected 4 bytes, got 8: `float` is one f32: give f32");
        let args = [ArgValue::Pointer(0), ArgValue::Numbers(&[0; 4], Element::I32), ArgValue::Bytes(&[0; 4])];
        assert_eq!(message("scale", &args), "kernel `scale`, argument 1 (float): expected f32, got i32: `float` is one f32: give f32");
        assert!(message("scale", &[ArgValue::Pointer(0); 3]).contains("argument 1 (float): expected 4 bytes by value, got a pointer"));
        assert!(message("reverse", &[ArgValue::Pointer(0), ArgValue::Pointer(0)]).contains("argument 1 (uint*): expected a number of LDS"));
        assert!(message("table", &[ArgValue::LocalBytes(1), ArgValue::Bytes(&[0; 4])]).contains("not a __local pointer"));
        assert!(message("reverse", &[ArgValue::Pointer(0), ArgValue::LocalBytes(65536)]).contains("65536 at most"));
    }

    #[test]
    fn geometry_limits() {
        let check = |grid, group| Geometry::new(grid, group).check("k", None).map_err(|e| e.to_string());
        assert_eq!(check([1, 1, 1], [1024, 1, 1]), Ok(()));
        assert!(check([0, 1, 1], [1, 1, 1]).unwrap_err().contains("grid of 0 x 1 x 1"));
        assert!(check([1, 1, 1], [1, 0, 1]).unwrap_err().contains("workgroup of 1 x 0 x 1"));
        assert!(check([1, 1, 1], [u32::MAX; 3]).unwrap_err().contains("1024"));
        assert!(check([u32::MAX; 3], [64, 1, 1]).unwrap_err().contains("workgroups: at most"));
        let strict = KernelInfo { required_group: Some([8, 8, 1]), ..kernel("scale") };
        assert!(Geometry::new([64, 1, 1], [64, 1, 1]).check("k", Some(&strict)).is_err());
        assert_eq!(Geometry::new([1, 1, 9], [1, 1, 3]).dims(), 3);
        assert_eq!(GEOMETRY.groups(), [16, 2, 1]);
        let part = |first, count| Geometry { part: Some(Part { first, count }), ..GEOMETRY }.check("k", None).map_err(|e| e.to_string());
        assert_eq!((part([0; 3], [16, 2, 1]), part([15, 1, 0], [1, 1, 1])), (Ok(()), Ok(())));
        for (first, count) in [([0; 3], [17, 1, 1]), ([1, 0, 0], [16, 2, 1]), ([0; 3], [1, 0, 1]), ([u32::MAX; 3], [u32::MAX; 3])] {
            assert!(part(first, count).unwrap_err().contains("the grid has 16 x 2 x 1"));
        }
    }

    // HSA Runtime Specification 1.2, hsa_kernel_dispatch_packet_t.
    #[test]
    fn dispatch_packet_layout() {
        let p = dispatch_packet(&kernel("reverse"), &GEOMETRY, 1024, 0x1111, 0x2222);
        let u32_at = |at: usize| u32::from_le_bytes(p[at..at + 4].try_into().unwrap());
        assert_eq!(p[..10], [0x02, 0x14, 2, 0, 64, 0, 4, 0, 1, 0]);
        assert_eq!([12, 16, 20].map(u32_at), [1000, 6, 1]);
        assert_eq!([24, 28, 32, 40].map(u32_at), [0, 1280, 0x1111, 0x2222]);
    }
}
