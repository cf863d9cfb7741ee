//! Draw packets. Register numbers in those that take their arguments from memory count dwords from the start of the SH bank and name user data; 0
//! stands for none.

use super::draw;
use super::groups::Request;
use super::indices::IndexSource;
use crate::error::Refusal;
use crate::packet::{Flow, address, check_bits};
use crate::ring::Ring;
use crate::stream::read_dwords;

type Result<T = Flow> = std::result::Result<T, Refusal>;

const VGT_INDEX_TYPE: u32 = 0x3_090c;
const VGT_NUM_INSTANCES: u32 = 0x3_0934;
/// First dword address of the SH bank.
const SH: u32 = 0xb000 / 4;

/// VGT_DRAW_INITIATOR: where vertices come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Memory = 0,
    Counter = 2,
}

fn check_initiator(initiator: u32, from: From) -> Result<()> {
    // NOT_EOP: the next draw may be merged with this one, which nobody sees.
    check_bits("initiator", initiator, 3 | 1 << 5)?;
    if initiator & 3 != from as u32 {
        return Err(Refusal::new(format!("initiator: source {} of indices, expected {}", initiator & 3, from as u32)));
    }
    Ok(())
}

/// Bytes of an index.
fn index_bytes(ring: &Ring) -> u64 {
    [2, 4, 1, 0][(ring.registers.get(VGT_INDEX_TYPE) & 3) as usize]
}

fn instances(ring: &Ring) -> u32 {
    ring.registers.get(VGT_NUM_INSTANCES).max(1)
}

/// The indices from one of them on, of the buffer that INDEX_BASE and INDEX_BUFFER_SIZE say.
fn buffer(ring: &Ring, first: u32, available: u32) -> IndexSource {
    let address = ring.draw.index_base.wrapping_add(u64::from(first) * index_bytes(ring));
    IndexSource::Memory { address, available: available.saturating_sub(first) }
}

/// count, initiator.
pub(crate) fn index_auto(ring: &mut Ring, body: &[u32]) -> Result {
    check_initiator(body[1], From::Counter)?;
    let request = Request { source: IndexSource::Counted, count: body[0], instances: instances(ring) };
    draw(ring, request).map(|()| Flow::Next)
}

/// most indices, address, count, initiator.
pub(crate) fn index_2(ring: &mut Ring, body: &[u32]) -> Result {
    check_initiator(body[4], From::Memory)?;
    let source = IndexSource::Memory { address: address(body[1], body[2]), available: body[0] };
    let request = Request { source, count: body[3], instances: instances(ring) };
    draw(ring, request).map(|()| Flow::Next)
}

/// most indices, first index, count, initiator.
pub(crate) fn index_offset_2(ring: &mut Ring, body: &[u32]) -> Result {
    check_initiator(body[3], From::Memory)?;
    let request = Request { source: buffer(ring, body[1], body[0]), count: body[2], instances: instances(ring) };
    draw(ring, request).map(|()| Flow::Next)
}

/// Where arguments of draws are, and which registers get some of them.
struct Indirect {
    address: u64,
    vertex: u32,
    instance: u32,
    draw: Option<u32>,
    is_indexed: bool,
}

/// Of a packet that begins with offset, register of the first vertex, register of the first instance.
fn indirect(ring: &Ring, body: &[u32], initiator: u32, is_indexed: bool) -> Result<Indirect> {
    check_initiator(initiator, if is_indexed { From::Memory } else { From::Counter })?;
    check_bits("register of the first vertex", body[1], 0xffff)?;
    check_bits("register of the first instance", body[2], 0xffff)?;
    let address = ring.indirect_base.wrapping_add(u64::from(body[0]));
    Ok(Indirect { address, vertex: body[1], instance: body[2], draw: None, is_indexed })
}

/// Does one draw, the number of which is `number`.
fn draw_indirect(ring: &mut Ring, what: &Indirect, at: u64, number: u32) -> Result<()> {
    let mut args = Vec::new();
    read_dwords(ring.gpu.memory(), at, if what.is_indexed { 5 } else { 4 }, &mut args)?;
    let (first_vertex, first_instance) = if what.is_indexed { (args[3], args[4]) } else { (args[2], args[3]) };
    let mut set = |register: u32, value: u32| if register == 0 { Ok(()) } else { ring.registers.write(SH + register, value) };
    set(what.vertex, first_vertex)?;
    set(what.instance, first_instance)?;
    set(what.draw.unwrap_or(0), number)?;
    let source = if what.is_indexed { buffer(ring, args[2], ring.draw.index_count) } else { IndexSource::Counted };
    draw(ring, Request { source, count: args[0], instances: args[1] })
}

/// offset, registers of the first vertex and instance, initiator.
pub(crate) fn indirect_auto(ring: &mut Ring, body: &[u32]) -> Result {
    let what = indirect(ring, body, body[3], false)?;
    draw_indirect(ring, &what, what.address, 0).map(|()| Flow::Next)
}

pub(crate) fn indirect_index(ring: &mut Ring, body: &[u32]) -> Result {
    let what = indirect(ring, body, body[3], true)?;
    draw_indirect(ring, &what, what.address, 0).map(|()| Flow::Next)
}

pub(crate) fn indirect_auto_multi(ring: &mut Ring, body: &[u32]) -> Result {
    multi(ring, body, false)
}

pub(crate) fn indirect_index_multi(ring: &mut Ring, body: &[u32]) -> Result {
    multi(ring, body, true)
}

/// offset, registers of the first vertex and instance, {draw number\[31\], count from memory\[30\], its register\[15:0\]}, count, address of the count,
/// stride, initiator.
fn multi(ring: &mut Ring, body: &[u32], is_indexed: bool) -> Result {
    let mut what = indirect(ring, body, body[8], is_indexed)?;
    check_bits("register of the draw's number", body[3], 3 << 30 | 0xffff)?;
    what.draw = (body[3] >> 31 != 0).then_some(body[3] & 0xffff);
    let mut count = body[4];
    if body[3] >> 30 & 1 != 0 {
        let mut there = Vec::new();
        read_dwords(ring.gpu.memory(), address(body[5], body[6]), 1, &mut there)?;
        count = count.min(there[0]);
    }
    for number in 0..count {
        let at = what.address.wrapping_add(u64::from(number) * u64::from(body[7]));
        draw_indirect(ring, &what, at, number)?;
    }
    Ok(Flow::Next)
}
