//! Memory of graphs: nodes that allocate and release it.
//!
//! The address of an allocation is known when its node is added, and the same at every launch; the memory is there as long as the graph or an executable
//! one made of it. A release is for order alone.

use super::Step;
use crate::abi::{MemPoolProps, Out, put};
use crate::allocations::{self, Kind};
use crate::gpu;
use crate::status::{Result, Status, hip};
use std::ffi::c_void;
use std::sync::Arc;

/// `hipMemAllocNodeParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct AllocationParams {
    pub pool: MemPoolProps,
    pub access: *const c_void,
    pub access_count: usize,
    pub bytes: usize,
    pub address: *mut c_void,
}
const _: () = assert!(size_of::<AllocationParams>() == 120);

/// Memory of an allocation node.
pub(crate) struct GraphMemory {
    device: i32,
    address: u64,
    bytes: usize,
}

impl Drop for GraphMemory {
    fn drop(&mut self) {
        drop(allocations::take(self.address, &[Kind::Graph]));
    }
}

/// Allocates for a node.
pub(super) fn allocate(params: &mut AllocationParams) -> Result<Step> {
    if params.pool.location.kind != 1 || params.pool.kind != 1 || params.bytes == 0 {
        return Err(Status::INVALID_VALUE);
    }
    let gpu = gpu::by_number(params.pool.location.id)?;
    let address = allocations::allocate(gpu, params.bytes, Kind::Graph, 0)?;
    params.address = address as *mut c_void;
    Ok(Step::Allocate(Arc::new(GraphMemory { device: gpu.index as i32, address, bytes: params.bytes })))
}

/// A release of memory that a graph or the program has allocated.
pub(super) fn release(address: *mut c_void) -> Result<Step> {
    allocations::find(address as u64).filter(|k| k.address == address as u64).ok_or(Status::INVALID_VALUE)?;
    Ok(Step::Release(address as u64))
}

type Handle = *mut c_void;
type List = *const *mut c_void;

hip! {
    fn hipGraphAddMemAllocNode(node: Out<Handle>, graph: Handle, after: List, count: usize, params: Option<&mut AllocationParams>) {
        super::nodes::add(node, graph, after, count, || allocate(params.ok_or(Status::INVALID_VALUE)?))
    }
    fn hipGraphAddMemFreeNode(node: Out<Handle>, graph: Handle, after: List, count: usize, address: *mut c_void) {
        super::nodes::add(node, graph, after, count, || release(address))
    }
    fn hipDrvGraphAddMemFreeNode(node: Out<Handle>, graph: Handle, after: List, count: usize, address: *mut c_void) {
        super::nodes::add(node, graph, after, count, || release(address))
    }
    fn hipGraphMemAllocNodeGetParams(node: Handle, params: Out<AllocationParams>) {
        let Step::Allocate(memory) = super::step(node)? else { return Err(Status::INVALID_VALUE) };
        let mut pool: MemPoolProps = crate::abi::zeroed();
        (pool.kind, pool.location.kind, pool.location.id) = (1, 1, memory.device);
        let (bytes, address) = (memory.bytes, memory.address as *mut c_void);
        put(params, AllocationParams { pool, access: std::ptr::null(), access_count: 0, bytes, address })
    }
    fn hipGraphMemFreeNodeGetParams(node: Handle, address: Out<*mut c_void>) {
        let Step::Release(released) = super::step(node)? else { return Err(Status::INVALID_VALUE) };
        put(address, released as *mut c_void)
    }
}
