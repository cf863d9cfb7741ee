//! Capture: while a stream is captured, what is pushed to it becomes nodes of a graph instead.
//!
//! An event that is recorded in a captured stream stands for the nodes before it. A stream that waits for such an event joins the capture.

use super::{Child, GRAPHS, Given, Graph, Node, Step};
use crate::abi::{Out, put, put_if};
use crate::op::Op;
use crate::raw;
use crate::status::{Result, Status, hip};
use crate::stream::{self, Stream};
use std::ffi::c_void;
use std::sync::Arc;

/// `hipStreamCaptureStatusActive`.
const ACTIVE: i32 = 1;
/// `hipStreamSetCaptureDependencies`.
const SET_DEPENDENCIES: u32 = 1;

/// A stream's part of a capture.
#[derive(Clone)]
pub(crate) struct Capture {
    pub graph: Arc<Graph>,
    /// The graph's handle.
    pub handle: usize,
    /// Nodes that the next one comes after.
    pub last: Vec<usize>,
    /// Did the capture begin in this stream?
    pub is_origin: bool,
}

impl Capture {
    /// Adds what is pushed.
    pub(crate) fn push(&mut self, op: Op) -> Result {
        self.push_step(Step::Op(op))
    }

    fn push_step(&mut self, step: Step) -> Result {
        let node = self.graph.add(step, Given::Nothing, &self.last)?;
        self.last = vec![node];
        Ok(())
    }

    /// Makes what follows come after the nodes of an event, too.
    pub(crate) fn join(&mut self, other: &Capture) -> Result {
        if !Arc::ptr_eq(&self.graph, &other.graph) {
            return Err(Status::STREAM_CAPTURE_MERGE);
        }
        self.last.extend(other.last.iter().filter(|n| !self.last.contains(n)).copied().collect::<Vec<_>>());
        Ok(())
    }
}

/// Makes a launch of an executable graph a node.
pub(super) fn push_graph(stream: &Stream, nodes: Vec<Node>) -> Result {
    let mut capture = stream.capture.lock();
    let capture = capture.as_mut().ok_or(Status::ILLEGAL_STATE)?;
    let graph = Arc::new(Graph::default());
    *graph.nodes.lock() = nodes;
    let handle = GRAPHS.add(graph.clone()) as usize;
    capture.push_step(Step::Graph(Child { graph, handle, nodes: Arc::default() }))
}

/// Captures into a new graph, or into one that there is, after nodes of it.
fn begin(stream: &Stream, mode: i32, into: Option<(Arc<Graph>, usize)>, last: Vec<usize>) -> Result {
    if !(0..=2).contains(&mode) {
        return Err(Status::INVALID_VALUE);
    }
    if stream.is_null() {
        return Err(Status::STREAM_CAPTURE_UNSUPPORTED);
    }
    let mut capture = stream.capture.lock();
    if capture.is_some() {
        return Err(Status::ILLEGAL_STATE);
    }
    let (graph, handle) = into.unwrap_or_else(|| {
        let graph: Arc<Graph> = Arc::default();
        (graph.clone(), GRAPHS.add(graph) as usize)
    });
    *capture = Some(Capture { graph, handle, last, is_origin: true });
    Ok(())
}

/// The graph that a capture has made, which streams that have joined it leave as well.
fn end(stream: &Stream) -> Result<*mut c_void> {
    let found = stream.capture.lock().take();
    let capture = found.ok_or(Status::ILLEGAL_STATE)?;
    if !capture.is_origin {
        *stream.capture.lock() = Some(capture);
        return Err(Status::STREAM_CAPTURE_UNMATCHED);
    }
    for other in stream::all_of(stream.gpu()?) {
        let mut theirs = other.capture.lock();
        if theirs.as_ref().is_some_and(|c| Arc::ptr_eq(&c.graph, &capture.graph)) {
            *theirs = None;
        }
    }
    Ok(capture.handle as *mut c_void)
}

/// What a stream is captured into, and after which nodes the next one comes. The list stays until the stream is used again.
fn info_v2(stream: &Stream, status: Out<i32>, id: Out<u64>, graph: Out<*mut c_void>, last: Out<*const usize>, count: Out<usize>) -> Result {
    info(stream, status, id)?;
    if let Some(capture) = stream.capture.lock().as_ref() {
        put_if(graph, capture.handle as *mut c_void);
        put_if(last, capture.last.as_ptr());
        put_if(count, capture.last.len());
    }
    Ok(())
}

fn info(stream: &Stream, status: Out<i32>, id: Out<u64>) -> Result {
    let capture = stream.capture.lock();
    put(status, if capture.is_some() { ACTIVE } else { 0 })?;
    put_if(id, capture.as_ref().map_or(0, |c| Arc::as_ptr(&c.graph) as u64));
    Ok(())
}

hip! {
    fn hipStreamBeginCapture(stream: *mut c_void, mode: i32) {
        begin(&*stream::get(stream)?, mode, None, Vec::new())
    }
    fn hipStreamBeginCapture_spt(stream: *mut c_void, mode: i32) {
        begin(&*stream::get_spt(stream)?, mode, None, Vec::new())
    }
    fn hipStreamEndCapture(stream: *mut c_void, graph: Out<*mut c_void>) {
        let out = graph.ok_or(Status::INVALID_VALUE)?;
        out.write(end(&*stream::get(stream)?)?);
        Ok(())
    }
    fn hipStreamEndCapture_spt(stream: *mut c_void, graph: Out<*mut c_void>) {
        let out = graph.ok_or(Status::INVALID_VALUE)?;
        out.write(end(&*stream::get_spt(stream)?)?);
        Ok(())
    }
    fn hipStreamIsCapturing(stream: *mut c_void, status: Out<i32>) {
        info(&*stream::get(stream)?, status, None)
    }
    fn hipStreamIsCapturing_spt(stream: *mut c_void, status: Out<i32>) {
        info(&*stream::get_spt(stream)?, status, None)
    }
    fn hipStreamGetCaptureInfo(stream: *mut c_void, status: Out<i32>, id: Out<u64>) {
        info(&*stream::get(stream)?, status, id)
    }
    fn hipStreamGetCaptureInfo_spt(stream: *mut c_void, status: Out<i32>, id: Out<u64>) {
        info(&*stream::get_spt(stream)?, status, id)
    }
    fn hipStreamGetCaptureInfo_v2(
        stream: *mut c_void, status: Out<i32>, id: Out<u64>, graph: Out<*mut c_void>, last: Out<*const usize>, count: Out<usize>,
    ) {
        info_v2(&*stream::get(stream)?, status, id, graph, last, count)
    }
    fn hipStreamGetCaptureInfo_v2_spt(
        stream: *mut c_void, status: Out<i32>, id: Out<u64>, graph: Out<*mut c_void>, last: Out<*const usize>, count: Out<usize>,
    ) {
        info_v2(&*stream::get_spt(stream)?, status, id, graph, last, count)
    }
    fn hipStreamUpdateCaptureDependencies(stream: *mut c_void, nodes: *const *mut c_void, count: usize, flags: u32) {
        let stream = stream::get(stream)?;
        let mut capture = stream.capture.lock();
        let capture = capture.as_mut().ok_or(Status::ILLEGAL_STATE)?;
        let list: Vec<usize> = raw::slice(nodes, count)?.iter().map(|n| *n as usize).collect();
        let known = capture.graph.nodes.lock();
        if flags > SET_DEPENDENCIES || list.iter().any(|n| !known.iter().any(|k| k.handle == *n)) { return Err(Status::INVALID_VALUE); }
        if flags == SET_DEPENDENCIES { capture.last.clear(); }
        capture.last.extend(list);
        Ok(())
    }
    fn hipStreamBeginCaptureToGraph(
        stream: *mut c_void, graph: *mut c_void, after: *const *mut c_void, _edges: *const c_void, count: usize, mode: i32,
    ) {
        let list: Vec<usize> = raw::slice(after, count)?.iter().map(|n| *n as usize).collect();
        begin(&*stream::get(stream)?, mode, Some((super::graph(graph)?, graph as usize)), list)
    }
    fn hipThreadExchangeStreamCaptureMode(mode: Option<&mut i32>) {
        // Every mode admits what is done here.
        let mode = mode.ok_or(Status::INVALID_VALUE)?;
        if (0..=2).contains(mode) { Ok(()) } else { Err(Status::INVALID_VALUE) }
    }
}
