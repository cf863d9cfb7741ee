//! What nodes do, read and changed: in graphs, and in executable ones.

use super::nodes::{FillParams, HostParams, KernelParams, add_given, copy_step, fill_step, host_step, kernel_step, volume_step};
use super::{Given, Step, exec, graph_of};
use crate::abi::{Dim3, DrvMemcpy3D, In, Memcpy3D, Out, PitchedPtr, Plain, given, put, zeroed};
use crate::copy;
use crate::event;
use crate::op::{CopyOp, Op};
use crate::raw;
use crate::status::{Result, Status, hip};
use crate::symbol;
use std::ffi::c_void;

/// What C calls nodes and graphs.
type Handle = *mut c_void;
/// A list of nodes.
type List = *const *mut c_void;

/// `hipGraphNodeParams`: a type, and what belongs to it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct NodeParams {
    pub kind: i32,
    pub reserved: [i32; 3],
    pub words: [u64; 29],
    pub end: u64,
}
const _: () = assert!(size_of::<NodeParams>() == 256);
// SAFETY: numbers.
unsafe impl Plain for NodeParams {}

/// `hipGraphNodeTypeKernel` and its like.
const KERNEL: i32 = 0;
const COPY: i32 = 1;
const FILL: i32 = 2;
const HOST: i32 = 3;
const GRAPH: i32 = 4;
const EMPTY: i32 = 5;
const WAIT: i32 = 6;
const RECORD: i32 = 7;
const ALLOCATE: i32 = 10;
const RELEASE: i32 = 11;

/// A part of the parameters as a structure.
fn part<T: Copy>(params: &mut NodeParams, word: usize) -> Result<&mut T> {
    raw::slice_mut(params.words[word..].as_mut_ptr().cast::<T>(), 1)?.first_mut().ok_or(Status::INVALID_VALUE)
}

/// What a node of any type does.
fn step_of(params: &mut NodeParams) -> Result<(Step, Given)> {
    let handle = params.words[0] as Handle;
    let plain = |step: Step| Ok((step, Given::Nothing));
    match params.kind {
        KERNEL => plain(kernel_step(part(params, 0)?)?),
        // Flags come first.
        COPY => volume_step(part(params, 2)?),
        FILL => {
            let fill = *part::<FillParams>(params, 0)?;
            Ok((fill_step(&fill)?, Given::Fill(fill)))
        }
        HOST => plain(host_step(part(params, 0)?)?),
        GRAPH => plain(Step::Graph(super::child_of(&*super::graph(handle)?)?)),
        EMPTY => plain(Step::Op(Op::Nothing)),
        WAIT => plain(Step::Wait(event::get(handle)?, handle as usize)),
        RECORD => plain(Step::Record(event::get(handle)?, handle as usize)),
        ALLOCATE => plain(super::memory::allocate(part(params, 0)?)?),
        RELEASE => plain(super::memory::release(handle)?),
        _ => Err(Status::INVALID_VALUE),
    }
}

/// Changes what a node does, if it stays of its type.
pub(super) fn set(node: Handle, step: Step) -> Result {
    set_given(node, step, Given::Nothing)
}

fn set_given(node: Handle, step: Step, given: Given) -> Result {
    graph_of(node)?.change(node, |n| {
        if exec::kind(&n.step) != exec::kind(&step) {
            return Err(Status::INVALID_VALUE);
        }
        (n.step, n.given, n.arguments) = (step, given, None);
        Ok(())
    })
}

/// A copy of the program's as it would be given in three dimensions.
fn as_volume(copy: &CopyOp) -> Memcpy3D {
    let side = |address: u64, pitch: [u64; 2]| PitchedPtr {
        ptr: address as *mut c_void,
        pitch: pitch[0] as usize,
        width: copy.size[0] as usize,
        height: pitch[1].checked_div(pitch[0]).unwrap_or(0) as usize,
    };
    let [width, height, depth] = copy.size.map(|n| n as usize);
    Memcpy3D {
        from: side(copy.from, copy.from_pitch),
        to: side(copy.to, copy.to_pitch),
        extent: crate::abi::Extent { width, height, depth },
        kind: crate::abi::copy_kind::DEFAULT,
        ..zeroed()
    }
}

fn given_of(node: Handle) -> Result<(Step, Given)> {
    let mut found = None;
    graph_of(node)?.change(node, |n| {
        found = Some((n.step.clone(), n.given));
        Ok(())
    })?;
    found.ok_or(Status::INVALID_VALUE)
}

/// A kernel's parameters; the pointers to its arguments stay as long as the node does the same.
fn kernel_params(node: Handle) -> Result<KernelParams> {
    let mut found = Err(Status::INVALID_VALUE);
    graph_of(node)?.change(node, |n| {
        let Step::Op(Op::Kernel(op)) = &n.step else { return Err(Status::INVALID_VALUE) };
        let base = op.args.as_ptr() as usize;
        let list = n.arguments.get_or_insert_with(|| op.kernel.info().explicit_args().map(|a| base + a.offset as usize).collect());
        let groups = |d: usize| op.items[d].div_ceil(op.block[d]);
        found = Ok(KernelParams {
            block: Dim3 { x: op.block[0], y: op.block[1], z: op.block[2] },
            extra: std::ptr::null(),
            function: op.function as *const c_void,
            grid: Dim3 { x: groups(0), y: groups(1), z: groups(2) },
            args: list.as_ptr().cast(),
            shared_bytes: op.dynamic_lds,
        });
        Ok(())
    })?;
    found
}

fn to_symbol(shadow: *const c_void, from: *const c_void, bytes: usize, offset: usize, kind: i32) -> Result<Step> {
    copy_step(CopyOp::linear(symbol::part(shadow, offset, bytes)?, from as u64, bytes as u64), kind)
}

fn from_symbol(to: Handle, shadow: *const c_void, bytes: usize, offset: usize, kind: i32) -> Result<Step> {
    copy_step(CopyOp::linear(to as u64, symbol::part(shadow, offset, bytes)?, bytes as u64), kind)
}

fn driver_copy_step(params: In<DrvMemcpy3D>) -> Result<Step> {
    copy_step(copy::driver_op(&given(params)?)?.ok_or(Status::INVALID_VALUE)?, crate::abi::copy_kind::DEFAULT)
}

/// The event of a node that records (or waits for) one.
fn event_of(node: Handle, is_record: bool) -> Result<usize> {
    match super::step(node)? {
        Step::Record(_, handle) if is_record => Ok(handle),
        Step::Wait(_, handle) if !is_record => Ok(handle),
        _ => Err(Status::INVALID_VALUE),
    }
}

fn record_step(handle: Handle) -> Result<Step> {
    Ok(Step::Record(event::get(handle)?, handle as usize))
}

fn wait_step(handle: Handle) -> Result<Step> {
    Ok(Step::Wait(event::get(handle)?, handle as usize))
}

hip! {
    fn hipGraphAddNode(node: Out<Handle>, graph: Handle, after: List, count: usize, params: Option<&mut NodeParams>) {
        add_given(node, graph, after, count, || step_of(params.ok_or(Status::INVALID_VALUE)?))
    }
    fn hipGraphNodeSetParams(node: Handle, params: Option<&mut NodeParams>) {
        let (step, given) = step_of(params.ok_or(Status::INVALID_VALUE)?)?;
        set_given(node, step, given)
    }
    fn hipGraphExecNodeSetParams(executable: Handle, node: Handle, params: Option<&mut NodeParams>) {
        exec::change(executable, node, step_of(params.ok_or(Status::INVALID_VALUE)?)?.0)
    }
    fn hipGraphKernelNodeGetParams(node: Handle, params: Out<KernelParams>) {
        put(params, kernel_params(node)?)
    }
    fn hipGraphKernelNodeSetParams(node: Handle, params: In<KernelParams>) {
        set(node, kernel_step(&given(params)?)?)
    }
    fn hipGraphKernelNodeSetAttribute(node: Handle, attribute: i32, value: In<[u8; 64]>) {
        let value = given(value)?;
        kernel_params(node)?;
        graph_of(node)?.change(node, |n| {
            n.attributes.retain(|a| a.0 != attribute);
            n.attributes.push((attribute, value));
            Ok(())
        })
    }
    fn hipGraphKernelNodeGetAttribute(node: Handle, attribute: i32, value: Out<[u8; 64]>) {
        kernel_params(node)?;
        graph_of(node)?.change(node, |n| {
            let found = n.attributes.iter().find(|a| a.0 == attribute).map_or([0; 64], |a| a.1);
            put(value, found)
        })
    }
    fn hipGraphKernelNodeCopyAttributes(from: Handle, to: Handle) {
        kernel_params(from)?;
        kernel_params(to)?;
        let mut attributes = Vec::new();
        graph_of(from)?.change(from, |n| { attributes = n.attributes.clone(); Ok(()) })?;
        graph_of(to)?.change(to, |n| { n.attributes = attributes; Ok(()) })
    }
    fn hipGraphMemsetNodeGetParams(node: Handle, params: Out<FillParams>) {
        match given_of(node)? {
            (_, Given::Fill(fill)) => put(params, fill),
            (Step::Op(Op::Fill(fill)), _) => put(params, FillParams {
                to: fill.to as *mut c_void, width: fill.width as u32, height: fill.count[1] as usize, pitch: fill.pitch[0] as usize,
                value: fill.value, count: fill.count[0] as usize,
            }),
            _ => Err(Status::INVALID_VALUE),
        }
    }
    fn hipGraphMemsetNodeSetParams(node: Handle, params: In<FillParams>) {
        let fill = given(params)?;
        set_given(node, fill_step(&fill)?, Given::Fill(fill))
    }
    fn hipGraphMemcpyNodeGetParams(node: Handle, params: Out<Memcpy3D>) {
        match given_of(node)? {
            (_, Given::Copy(copy)) => put(params, copy),
            (Step::Op(Op::Copy(copy)), _) => put(params, as_volume(&copy)),
            _ => Err(Status::INVALID_VALUE),
        }
    }
    fn hipGraphMemcpyNodeSetParams(node: Handle, params: In<Memcpy3D>) {
        let (step, given) = volume_step(&given(params)?)?;
        set_given(node, step, given)
    }
    fn hipGraphMemcpyNodeSetParams1D(node: Handle, to: Handle, from: *const c_void, bytes: usize, kind: i32) {
        set(node, copy_step(CopyOp::linear(to as u64, from as u64, bytes as u64), kind)?)
    }
    fn hipGraphMemcpyNodeSetParamsToSymbol(node: Handle, shadow: *const c_void, from: *const c_void, bytes: usize, offset: usize, kind: i32) {
        set(node, to_symbol(shadow, from, bytes, offset, kind)?)
    }
    fn hipGraphMemcpyNodeSetParamsFromSymbol(node: Handle, to: Handle, shadow: *const c_void, bytes: usize, offset: usize, kind: i32) {
        set(node, from_symbol(to, shadow, bytes, offset, kind)?)
    }
    fn hipGraphExecMemcpyNodeSetParams(executable: Handle, node: Handle, params: In<Memcpy3D>) {
        exec::change(executable, node, volume_step(&given(params)?)?.0)
    }
    fn hipGraphExecMemcpyNodeSetParamsToSymbol(
        executable: Handle, node: Handle, shadow: *const c_void, from: *const c_void, bytes: usize, offset: usize, kind: i32,
    ) {
        exec::change(executable, node, to_symbol(shadow, from, bytes, offset, kind)?)
    }
    fn hipGraphExecMemcpyNodeSetParamsFromSymbol(
        executable: Handle, node: Handle, to: Handle, shadow: *const c_void, bytes: usize, offset: usize, kind: i32,
    ) {
        exec::change(executable, node, from_symbol(to, shadow, bytes, offset, kind)?)
    }
    fn hipDrvGraphAddMemcpyNode(node: Out<Handle>, graph: Handle, after: List, count: usize, params: In<DrvMemcpy3D>, _context: Handle) {
        super::nodes::add(node, graph, after, count, || driver_copy_step(params))
    }
    fn hipDrvGraphAddMemsetNode(node: Out<Handle>, graph: Handle, after: List, count: usize, params: In<FillParams>, _context: Handle) {
        add_given(node, graph, after, count, || {
            let fill = given(params)?;
            Ok((fill_step(&fill)?, Given::Fill(fill)))
        })
    }
    fn hipDrvGraphMemcpyNodeSetParams(node: Handle, params: In<DrvMemcpy3D>) {
        set(node, driver_copy_step(params)?)
    }
    fn hipDrvGraphMemcpyNodeGetParams(node: Handle, params: Out<DrvMemcpy3D>) {
        let Step::Op(Op::Copy(copy)) = super::step(node)? else { return Err(Status::INVALID_VALUE) };
        let volume = as_volume(&copy);
        let side = |p: &PitchedPtr| crate::abi::DrvSide3D { memory: 2, device: p.ptr, pitch: p.pitch, height: p.height, ..zeroed() };
        let (to, from) = (side(&volume.to), side(&volume.from));
        let crate::abi::Extent { width, height, depth } = volume.extent;
        put(params, DrvMemcpy3D { from, to, width_bytes: width, height, depth })
    }
    fn hipDrvGraphExecMemcpyNodeSetParams(executable: Handle, node: Handle, params: In<DrvMemcpy3D>, _context: Handle) {
        exec::change(executable, node, driver_copy_step(params)?)
    }
    fn hipDrvGraphExecMemsetNodeSetParams(executable: Handle, node: Handle, params: In<FillParams>, _context: Handle) {
        exec::change(executable, node, fill_step(&given(params)?)?)
    }
    fn hipGraphHostNodeGetParams(node: Handle, params: Out<HostParams>) {
        let Step::Op(Op::Host { function, user_data }) = super::step(node)? else { return Err(Status::INVALID_VALUE) };
        put(params, HostParams { function: function as *const c_void, user_data: user_data as *mut c_void })
    }
    fn hipGraphHostNodeSetParams(node: Handle, params: In<HostParams>) {
        set(node, host_step(&given(params)?)?)
    }
    fn hipGraphChildGraphNodeGetGraph(node: Handle, graph: Out<Handle>) {
        let Step::Graph(child) = super::step(node)? else { return Err(Status::INVALID_VALUE) };
        put(graph, child.handle as Handle)
    }
    fn hipGraphExecChildGraphNodeSetParams(executable: Handle, node: Handle, graph: Handle) {
        let mut child = super::child_of(&*super::graph(graph)?)?;
        child.nodes = super::executable_nodes(&child.graph)?.into();
        exec::change(executable, node, Step::Graph(child))
    }
    fn hipGraphEventRecordNodeGetEvent(node: Handle, event: Out<Handle>) {
        put(event, event_of(node, true)? as Handle)
    }
    fn hipGraphEventWaitNodeGetEvent(node: Handle, event: Out<Handle>) {
        put(event, event_of(node, false)? as Handle)
    }
    fn hipGraphEventRecordNodeSetEvent(node: Handle, event: Handle) {
        set(node, record_step(event)?)
    }
    fn hipGraphEventWaitNodeSetEvent(node: Handle, event: Handle) {
        set(node, wait_step(event)?)
    }
    fn hipGraphExecEventRecordNodeSetEvent(executable: Handle, node: Handle, event: Handle) {
        exec::change(executable, node, record_step(event)?)
    }
    fn hipGraphExecEventWaitNodeSetEvent(executable: Handle, node: Handle, event: Handle) {
        exec::change(executable, node, wait_step(event)?)
    }
}
