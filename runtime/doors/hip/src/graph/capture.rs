//! Capture: while a stream is captured, what is pushed to it becomes nodes of a graph instead.
//!
//! An event that is recorded in a captured stream stands for the nodes before it. A stream that waits for such an event joins the capture.

use super::{GRAPHS, Graph, Step};
use crate::abi::{Out, put, put_if};
use crate::op::Op;
use crate::status::{Result, Status, hip};
use crate::stream::{self, Stream};
use std::ffi::c_void;
use std::sync::Arc;

/// `hipStreamCaptureStatusActive`.
const ACTIVE: i32 = 1;

/// A stream's part of a capture.
#[derive(Clone)]
pub(crate) struct Capture {
    pub graph: Arc<Graph>,
    /// Nodes that the next one comes after.
    pub last: Vec<usize>,
    /// Did the capture begin in this stream?
    pub is_origin: bool,
}

impl Capture {
    /// Adds what is pushed.
    pub(crate) fn push(&mut self, op: Op) -> Result {
        let node = self.graph.add(Step::Op(op), &self.last)?;
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

fn begin(stream: &Stream, mode: i32, graph: Arc<Graph>) -> Result {
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
    *capture = Some(Capture { graph, last: Vec::new(), is_origin: true });
    Ok(())
}

/// The graph that a capture has made, which streams that have joined it leave as well.
fn end(stream: &Stream) -> Result<Arc<Graph>> {
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
    Ok(capture.graph)
}

fn info(stream: &Stream, status: Out<i32>, id: Out<u64>) -> Result {
    let capture = stream.capture.lock();
    put(status, if capture.is_some() { ACTIVE } else { 0 })?;
    put_if(id, capture.as_ref().map_or(0, |c| Arc::as_ptr(&c.graph) as u64));
    Ok(())
}

hip! {
    fn hipStreamBeginCapture(stream: *mut c_void, mode: i32) {
        begin(&*stream::get(stream)?, mode, Arc::default())
    }
    fn hipStreamBeginCapture_spt(stream: *mut c_void, mode: i32) {
        begin(&*stream::get_spt(stream)?, mode, Arc::default())
    }
    fn hipStreamEndCapture(stream: *mut c_void, graph: Out<*mut c_void>) {
        let out = graph.ok_or(Status::INVALID_VALUE)?;
        out.write(GRAPHS.add(end(&*stream::get(stream)?)?));
        Ok(())
    }
    fn hipStreamEndCapture_spt(stream: *mut c_void, graph: Out<*mut c_void>) {
        let out = graph.ok_or(Status::INVALID_VALUE)?;
        out.write(GRAPHS.add(end(&*stream::get_spt(stream)?)?));
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
    fn hipThreadExchangeStreamCaptureMode(mode: Option<&mut i32>) {
        // Every mode admits what is done here.
        let mode = mode.ok_or(Status::INVALID_VALUE)?;
        if (0..=2).contains(mode) { Ok(()) } else { Err(Status::INVALID_VALUE) }
    }
}
