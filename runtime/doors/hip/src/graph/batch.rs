//! Several operations on values in memory at once: in a stream, and as a node.

use super::{Step, exec, nodes};
use crate::abi::{In, Out, given};
use crate::op::{Op, WaitValue};
use crate::raw;
use crate::status::{Result, Status, hip};
use crate::stream;
use std::ffi::c_void;

/// `hipStreamMemOpWaitValue32` and its like.
const WAIT_32: i32 = 1;
const WRITE_32: i32 = 2;
const WAIT_64: i32 = 4;
const WRITE_64: i32 = 5;

/// `hipStreamBatchMemOpParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct MemOp {
    pub operation: i32,
    pub address: *mut c_void,
    pub value: u64,
    pub flags: u32,
    pub alias: *mut c_void,
    pub reserved: u64,
}
const _: () = assert!(size_of::<MemOp>() == 48);

/// `hipBatchMemOpNodeParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct BatchParams {
    pub context: *mut c_void,
    pub count: u32,
    pub list: *mut MemOp,
    pub flags: u32,
}

fn operation(given: &MemOp) -> Result<Op> {
    let address = given.address as u64;
    let bytes = if matches!(given.operation, WAIT_32 | WRITE_32) { 4 } else { 8 };
    if address == 0 || !address.is_multiple_of(bytes) {
        return Err(Status::INVALID_VALUE);
    }
    let (value, bytes) = (if bytes == 4 { given.value & u64::from(u32::MAX) } else { given.value }, bytes as usize);
    match given.operation {
        WAIT_32 | WAIT_64 if given.flags <= 3 => {
            Ok(Op::WaitValue(WaitValue { address, value, mask: u64::MAX >> (64 - 8 * bytes), bytes, compare: given.flags }))
        }
        WRITE_32 | WRITE_64 => Ok(Op::WriteValue { address, value, bytes }),
        _ => Err(Status::INVALID_VALUE),
    }
}

fn operations(list: *const MemOp, count: u32) -> Result<Vec<Op>> {
    raw::slice(list, count as usize)?.iter().map(operation).collect()
}

fn batch_step(params: &BatchParams) -> Result<Step> {
    if params.count == 0 || params.flags != 0 {
        return Err(Status::INVALID_VALUE);
    }
    Ok(Step::Operations(operations(params.list, params.count)?.into()))
}

hip! {
    fn hipStreamBatchMemOp(stream: *mut c_void, count: u32, list: *const MemOp, flags: u32) {
        let stream = stream::get(stream)?;
        if count == 0 || count > 256 || flags != 0 { return Err(Status::INVALID_VALUE); }
        operations(list, count)?.into_iter().try_for_each(|op| stream.push(op).map(|_| ()))
    }
    fn hipGraphAddBatchMemOpNode(
        node: Out<*mut c_void>, graph: *mut c_void, after: *const *mut c_void, count: usize, params: In<BatchParams>,
    ) {
        nodes::add(node, graph, after, count, || batch_step(&given(params)?))
    }
    fn hipGraphBatchMemOpNodeSetParams(node: *mut c_void, params: In<BatchParams>) {
        super::params::set(node, batch_step(&given(params)?)?)
    }
    fn hipGraphExecBatchMemOpNodeSetParams(executable: *mut c_void, node: *mut c_void, params: In<BatchParams>) {
        exec::change(executable, node, batch_step(&given(params)?)?)
    }
    fn hipGraphBatchMemOpNodeGetParams(node: *mut c_void, params: Option<&mut BatchParams>) {
        // The list is the caller's, with room for as many as it says.
        let Step::Operations(list) = super::step(node)? else { return Err(Status::INVALID_VALUE) };
        let params = params.ok_or(Status::INVALID_VALUE)?;
        let room = raw::slice_mut(params.list, (params.count as usize).min(list.len()))?;
        for (place, op) in room.iter_mut().zip(list.iter()) {
            let (operation, address, value, flags) = match op {
                Op::WaitValue(w) => (if w.bytes == 4 { WAIT_32 } else { WAIT_64 }, w.address, w.value, w.compare),
                Op::WriteValue { address, value, bytes } => (if *bytes == 4 { WRITE_32 } else { WRITE_64 }, *address, *value, 0),
                _ => return Err(Status::INVALID_VALUE),
            };
            *place = MemOp { operation, address: address as *mut c_void, value, flags, alias: std::ptr::null_mut(), reserved: 0 };
        }
        (params.count, params.flags) = (list.len() as u32, 0);
        Ok(())
    }
}
