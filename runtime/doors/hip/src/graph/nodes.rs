//! Functions that make graphs and add nodes, one by one.

use super::{GRAPHS, Given, Graph, Step, graph};
use crate::abi::{Dim3, In, Memcpy3D, Out, Plain, given, put};
use crate::copy;
use crate::event;
use crate::launch::{Args, Request};
use crate::module;
use crate::op::{CopyOp, FillOp, Op};
use crate::raw;
use crate::status::{Result, Status, hip};
use crate::symbol;
use std::ffi::c_void;
use std::sync::Arc;

/// `hipKernelNodeParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct KernelParams {
    pub block: Dim3,
    pub extra: *const *mut c_void,
    pub function: *const c_void,
    pub grid: Dim3,
    pub args: *const *mut c_void,
    pub shared_bytes: u32,
}

/// `hipMemsetParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct FillParams {
    pub to: *mut c_void,
    pub width: u32,
    pub height: usize,
    pub pitch: usize,
    pub value: u32,
    pub count: usize,
}

/// `hipHostNodeParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct HostParams {
    pub function: *const c_void,
    pub user_data: *mut c_void,
}

// SAFETY: numbers and raw pointers.
unsafe impl Plain for KernelParams {}
// SAFETY: numbers and raw pointers.
unsafe impl Plain for FillParams {}
const _: () = assert!(size_of::<KernelParams>() == 64 && size_of::<FillParams>() == 48 && size_of::<HostParams>() == 16);

/// A kernel, with the arguments as they are now.
pub(super) fn kernel_step(params: &KernelParams) -> Result<Step> {
    let kernel = module::kernel(params.function)?;
    let args = Args::either(params.args, params.extra);
    let request = Request::new(kernel, params.function, params.grid, params.block, args, params.shared_bytes as usize);
    Ok(Step::Op(Op::Kernel(Arc::new(request.op()?))))
}

pub(super) fn fill_step(params: &FillParams) -> Result<Step> {
    if !matches!(params.width, 1 | 2 | 4) || params.to.is_null() || params.count == 0 || params.height == 0 {
        return Err(Status::INVALID_VALUE);
    }
    let op = FillOp {
        to: params.to as u64,
        value: params.value,
        width: params.width as usize,
        count: [params.count as u64, params.height as u64, 1],
        pitch: [params.pitch as u64, 0],
    };
    crate::allocations::check_range(op.to, op.span())?.ok_or(Status::INVALID_VALUE)?;
    Ok(Step::Op(Op::Fill(op)))
}

pub(super) fn copy_step(op: CopyOp, kind: i32) -> Result<Step> {
    copy::check_kind(kind)?;
    if op.to == 0 || op.from == 0 {
        return Err(Status::INVALID_VALUE);
    }
    let [to_bytes, from_bytes] = op.spans();
    crate::allocations::check_range(op.to, to_bytes)?;
    crate::allocations::check_range(op.from, from_bytes)?;
    Ok(Step::Op(Op::Copy(op)))
}

pub(super) fn host_step(params: &HostParams) -> Result<Step> {
    if params.function.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    Ok(Step::Op(Op::Host { function: params.function as usize, user_data: params.user_data as usize }))
}

/// A copy of rows and slices, as it is given.
pub(super) fn volume_step(params: &Memcpy3D) -> Result<(Step, Given)> {
    let step = copy_step(copy::volume_op(params)?.ok_or(Status::INVALID_VALUE)?, params.kind)?;
    Ok((step, Given::Copy(*params)))
}

/// Adds a node after those of a list.
pub(super) fn add(
    out: Out<*mut c_void>,
    to: *mut c_void,
    after: *const *mut c_void,
    count: usize,
    step: impl FnOnce() -> Result<Step>,
) -> Result {
    add_given(out, to, after, count, || Ok((step()?, Given::Nothing)))
}

/// As [`add`], with parameters that programs may ask for.
pub(super) fn add_given(
    out: Out<*mut c_void>,
    to: *mut c_void,
    after: *const *mut c_void,
    count: usize,
    step: impl FnOnce() -> Result<(Step, Given)>,
) -> Result {
    let out = out.ok_or(Status::INVALID_VALUE)?;
    let graph = graph(to)?;
    let after: Vec<usize> = raw::slice(after, count)?.iter().map(|node| *node as usize).collect();
    let (step, given) = step()?;
    out.write(graph.add(step, given, &after)? as *mut c_void);
    Ok(())
}

/// What C calls nodes and graphs.
type Handle = *mut c_void;
/// A list of nodes.
type List = *const *mut c_void;

hip! {
    fn hipGraphCreate(graph: Out<Handle>, flags: u32) {
        if flags != 0 { return Err(Status::INVALID_VALUE); }
        put(graph, GRAPHS.add(Arc::new(Graph::default())))
    }
    fn hipGraphDestroy(graph: Handle) {
        let graph = GRAPHS.remove(graph).map_err(|_| Status::INVALID_VALUE)?;
        for node in graph.nodes.lock().iter() {
            let _ = super::NODES.remove(node.handle as Handle);
        }
        Ok(())
    }
    fn hipGraphAddEmptyNode(node: Out<Handle>, graph: Handle, after: List, count: usize) {
        add(node, graph, after, count, || Ok(Step::Op(Op::Nothing)))
    }
    fn hipGraphAddKernelNode(node: Out<Handle>, graph: Handle, after: List, count: usize, params: In<KernelParams>) {
        add(node, graph, after, count, || kernel_step(&given(params)?))
    }
    fn hipGraphAddMemsetNode(node: Out<Handle>, graph: Handle, after: List, count: usize, params: In<FillParams>) {
        add_given(node, graph, after, count, || {
            let params = given(params)?;
            Ok((fill_step(&params)?, Given::Fill(params)))
        })
    }
    fn hipGraphAddMemcpyNode(node: Out<Handle>, graph: Handle, after: List, count: usize, params: In<Memcpy3D>) {
        add_given(node, graph, after, count, || volume_step(&given(params)?))
    }
    fn hipGraphAddMemcpyNode1D(
        node: Out<Handle>, graph: Handle, after: List, count: usize, to: Handle, from: *const c_void, bytes: usize, kind: i32,
    ) {
        add(node, graph, after, count, || copy_step(CopyOp::linear(to as u64, from as u64, bytes as u64), kind))
    }
    fn hipGraphAddMemcpyNodeToSymbol(
        node: Out<Handle>, graph: Handle, after: List, count: usize, shadow: *const c_void, from: *const c_void, bytes: usize, offset: usize, kind: i32,
    ) {
        add(node, graph, after, count, || {
            copy_step(CopyOp::linear(symbol::part(shadow, offset, bytes)?, from as u64, bytes as u64), kind)
        })
    }
    fn hipGraphAddMemcpyNodeFromSymbol(
        node: Out<Handle>, graph: Handle, after: List, count: usize, to: Handle, shadow: *const c_void, bytes: usize, offset: usize, kind: i32,
    ) {
        add(node, graph, after, count, || {
            copy_step(CopyOp::linear(to as u64, symbol::part(shadow, offset, bytes)?, bytes as u64), kind)
        })
    }
    fn hipGraphAddHostNode(node: Out<Handle>, graph: Handle, after: List, count: usize, params: In<HostParams>) {
        add(node, graph, after, count, || host_step(&given(params)?))
    }
    fn hipGraphAddChildGraphNode(node: Out<Handle>, graph: Handle, after: List, count: usize, child: Handle) {
        add(node, graph, after, count, || {
            if child == graph { return Err(Status::INVALID_VALUE); }
            Ok(Step::Graph(super::child_of(&*super::graph(child)?)?))
        })
    }
    fn hipGraphAddEventRecordNode(node: Out<Handle>, graph: Handle, after: List, count: usize, event: Handle) {
        add(node, graph, after, count, || Ok(Step::Record(event::get(event)?, event as usize)))
    }
    fn hipGraphAddEventWaitNode(node: Out<Handle>, graph: Handle, after: List, count: usize, event: Handle) {
        add(node, graph, after, count, || Ok(Step::Wait(event::get(event)?, event as usize)))
    }
}
