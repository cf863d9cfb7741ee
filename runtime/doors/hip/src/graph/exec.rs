//! Executable graphs: made, launched, changed.

use super::nodes::{FillParams, HostParams, KernelParams, copy_step, fill_step, host_step, kernel_step};
use super::{EXECUTABLES, Executable, Node, Step, executable_nodes, graph};
use crate::abi::{In, Out, given, put, put_if};
use crate::op::{CopyOp, Op};
use crate::status::{Result, Status, hip};
use crate::stream::{self, Stream};
use std::ffi::{c_char, c_void};
use std::sync::Arc;
use wavejit::fork::Mutex;

/// `hipGraphExecUpdateErrorTopologyChanged` and `hipGraphExecUpdateErrorNodeTypeChanged`.
const TOPOLOGY_CHANGED: i32 = 2;
const NODE_TYPE_CHANGED: i32 = 3;
/// `hipGraphNodeTypeBatchMemOp`.
const BATCH: i32 = 14;

/// `hipGraphInstantiateInvalidStructure`.
const INVALID_STRUCTURE: i32 = 2;

/// `hipGraphInstantiateParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct InstantiateParams {
    pub bad: *mut c_void,
    pub flags: u64,
    pub result: i32,
    pub stream: *mut c_void,
}

fn get(handle: *const c_void) -> Result<Arc<Executable>> {
    EXECUTABLES.get(handle).map_err(|_| Status::INVALID_VALUE)
}

fn instantiate(out: Out<*mut c_void>, from: *mut c_void) -> Result {
    let out = out.ok_or(Status::INVALID_VALUE)?;
    let graph = graph(from)?;
    let nodes = Mutex::new(executable_nodes(&graph)?);
    out.write(EXECUTABLES.add(Arc::new(Executable { nodes, lanes: Mutex::default(), _graph: graph })));
    Ok(())
}

fn launch(graph: *mut c_void, stream: &Stream) -> Result {
    super::launch::launch(&*get(graph)?, stream)
}

/// Changes what a node of an executable graph does, if it stays of its kind.
pub(super) fn change(executable: *mut c_void, node: *mut c_void, step: Step) -> Result {
    let executable = get(executable)?;
    let mut nodes = executable.nodes.lock();
    let node = nodes.iter_mut().find(|n| n.handle == node as usize).ok_or(Status::INVALID_VALUE)?;
    if kind(&node.step) != kind(&step) {
        return Err(Status::INVALID_VALUE);
    }
    // A graph in a node keeps its shape.
    if let (Step::Graph(old), Step::Graph(new)) = (&node.step, &step)
        && check_shape(&old.nodes, &new.nodes).is_err()
    {
        return Err(Status::INVALID_VALUE);
    }
    node.step = step;
    Ok(())
}

/// `hipGraphNodeType`.
pub(super) fn kind(step: &Step) -> i32 {
    match step {
        Step::Op(Op::Kernel(_)) => 0,
        Step::Op(Op::Copy(_) | Op::Staged { .. }) => 1,
        Step::Op(Op::Fill(_)) => 2,
        Step::Op(Op::Host { .. } | Op::Callback { .. }) => 3,
        Step::Graph(_) => 4,
        Step::Op(Op::Nothing) => 5,
        Step::Wait(..) => 6,
        Step::Record(..) | Step::Op(Op::Mark(_)) => 7,
        Step::Allocate(_) => 10,
        Step::Release(_) | Step::Op(Op::Free(_)) => 11,
        Step::Operations(_) | Step::Op(Op::WaitValue(_) | Op::WriteValue { .. }) => BATCH,
    }
}

/// Says which node makes two graphs differ in more than parameters, and how.
fn check_shape(nodes: &[Node], new: &[Node]) -> std::result::Result<(), (usize, i32)> {
    if nodes.len() != new.len() {
        return Err((0, TOPOLOGY_CHANGED));
    }
    for (old, new) in nodes.iter().zip(new) {
        if old.after.len() != new.after.len() {
            return Err((new.handle, TOPOLOGY_CHANGED));
        }
        if kind(&old.step) != kind(&new.step) {
            return Err((new.handle, NODE_TYPE_CHANGED));
        }
    }
    Ok(())
}

/// Takes the steps of a graph over into an executable one of the same shape.
fn update(executable: &Executable, new: &[Node]) -> std::result::Result<(), (usize, i32)> {
    let mut nodes = executable.nodes.lock();
    check_shape(&nodes, new)?;
    // Handles stay: programs name nodes of an executable graph by those it was made of.
    nodes.iter_mut().zip(new).for_each(|(old, new)| old.step = new.step.clone());
    Ok(())
}

hip! {
    fn hipGraphInstantiate(executable: Out<*mut c_void>, graph: *mut c_void, bad: Out<*mut c_void>, log: *mut c_char, log_bytes: usize) {
        put_if(bad, std::ptr::null_mut());
        if !log.is_null() && log_bytes > 0 { crate::raw::put_text(log, log_bytes, "")?; }
        instantiate(executable, graph)
    }
    fn hipGraphInstantiateWithFlags(executable: Out<*mut c_void>, graph: *mut c_void, _flags: u64) {
        instantiate(executable, graph)
    }
    fn hipGraphInstantiateWithParams(executable: Out<*mut c_void>, graph: *mut c_void, params: Option<&mut InstantiateParams>) {
        let params = params.ok_or(Status::INVALID_VALUE)?;
        let result = instantiate(executable, graph);
        (params.bad, params.result) = (std::ptr::null_mut(), if result.is_ok() { 0 } else { INVALID_STRUCTURE });
        result
    }
    fn hipGraphExecDestroy(executable: *mut c_void) {
        EXECUTABLES.remove(executable).map(|_| ()).map_err(|_| Status::INVALID_VALUE)
    }
    fn hipGraphExecGetFlags(executable: *mut c_void, flags: Out<u64>) {
        get(executable)?;
        put(flags, 0)
    }
    fn hipGraphUpload(executable: *mut c_void, stream: *mut c_void) {
        stream::get(stream)?;
        get(executable).map(|_| ())
    }
    fn hipGraphLaunch(executable: *mut c_void, stream: *mut c_void) {
        launch(executable, &*stream::get(stream)?)
    }
    fn hipGraphLaunch_spt(executable: *mut c_void, stream: *mut c_void) {
        launch(executable, &*stream::get_spt(stream)?)
    }
    fn hipGraphExecUpdate(executable: *mut c_void, graph: *mut c_void, bad: Out<*mut c_void>, outcome: Out<i32>) {
        let new = executable_nodes(&*super::graph(graph)?)?;
        match update(&*get(executable)?, &new) {
            Ok(()) => {
                put_if(bad, std::ptr::null_mut());
                put_if(outcome, 0);
                Ok(())
            }
            Err((node, why)) => {
                put_if(bad, node as *mut c_void);
                put_if(outcome, why);
                Err(Status::GRAPH_EXEC_UPDATE_FAILURE)
            }
        }
    }
    fn hipGraphExecKernelNodeSetParams(executable: *mut c_void, node: *mut c_void, params: In<KernelParams>) {
        change(executable, node, kernel_step(&given(params)?)?)
    }
    fn hipGraphExecMemsetNodeSetParams(executable: *mut c_void, node: *mut c_void, params: In<FillParams>) {
        change(executable, node, fill_step(&given(params)?)?)
    }
    fn hipGraphExecMemcpyNodeSetParams1D(
        executable: *mut c_void, node: *mut c_void, to: *mut c_void, from: *const c_void, bytes: usize, kind: i32,
    ) {
        change(executable, node, copy_step(CopyOp::linear(to as u64, from as u64, bytes as u64), kind)?)
    }
    fn hipGraphExecHostNodeSetParams(executable: *mut c_void, node: *mut c_void, params: In<HostParams>) {
        change(executable, node, host_step(&given(params)?)?)
    }
    fn hipGraphNodeSetEnabled(executable: *mut c_void, node: *mut c_void, is_enabled: u32) {
        let executable = get(executable)?;
        let mut nodes = executable.nodes.lock();
        nodes.iter_mut().find(|n| n.handle == node as usize).ok_or(Status::INVALID_VALUE)?.is_enabled = is_enabled != 0;
        Ok(())
    }
    fn hipGraphNodeGetEnabled(executable: *mut c_void, node: *mut c_void, is_enabled: Out<u32>) {
        let executable = get(executable)?;
        let nodes = executable.nodes.lock();
        let found = nodes.iter().find(|n| n.handle == node as usize).ok_or(Status::INVALID_VALUE)?;
        put(is_enabled, u32::from(found.is_enabled))
    }
}
