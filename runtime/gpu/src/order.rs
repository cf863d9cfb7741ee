//! Packets about order and conditions: other buffers, waits, events, ends of pipelines, predicates.
//!
//! A ring does one packet after the other, and memory is coherent: what a chip has to flush or to wait for has been done. So events and cache
//! bits mean nothing here, but for what they write.

use crate::clock::timestamp;
use crate::draw::Statistics;
use crate::error::Refusal;
use crate::packet::{Flow, address, check_bits};
use crate::ring::Ring;
use crate::stream::Ib;
use crate::transfer::read;

type Result<T = Flow> = std::result::Result<T, Refusal>;

/// address, {dwords\[19:0\], CHAIN\[20\], PRE_ENA\[21\], VALID\[23\], CACHE_POLICY\[29:28\]}.
pub(crate) fn indirect_buffer(_: &mut Ring, body: &[u32]) -> Result {
    check_bits("control", body[2], 0xf_ffff | 1 << 20 | 1 << 21 | 1 << 23 | 3 << 28)?;
    let ib = Ib::new(address(body[0] & !3, body[1]), body[2] & 0xf_ffff);
    Ok(if body[2] >> 20 & 1 != 0 { Flow::Chain(ib) } else { Flow::Call(ib) })
}

/// {FUNC\[2:0\], SPACE\[5:4\], OPERATION\[7:6\], ENGINE\[8\]}, address, reference, mask, interval.
pub(crate) fn wait_reg_mem(ring: &mut Ring, body: &[u32]) -> Result {
    check_bits("control", body[0], 7 | 3 << 4 | 1 << 8)?;
    let value = match body[0] >> 4 & 3 {
        0 => ring.registers.read(body[1])?,
        1 => read(ring.gpu.memory(), address(body[1] & !3, body[2]), 4)? as u32,
        other => return Err(Refusal::new(format!("space {other}: expected a register or memory"))),
    };
    let (value, reference) = (value & body[4], body[3]);
    let holds = match body[0] & 7 {
        0 => true,
        1 => value < reference,
        2 => value <= reference,
        3 => value == reference,
        4 => value != reference,
        5 => value >= reference,
        6 => value > reference,
        other => return Err(Refusal::new(format!("function {other}: expected a comparison"))),
    };
    Ok(if holds { Flow::Next } else { Flow::Wait })
}

/// address, 0, dwords: leaves them out if there is 0.
pub(crate) fn cond_exec(ring: &mut Ring, body: &[u32]) -> Result {
    check_bits("dwords", body[3], 0x3fff)?;
    check_bits("reserved", body[2], 0)?;
    let value = read(ring.gpu.memory(), address(body[0] & !3, body[1]), 4)?;
    Ok(if value == 0 { Flow::Skip(body[3]) } else { Flow::Next })
}

/// {DRAW_VISIBLE\[8\], HINT\[12\], PRED_OP\[18:16\], CONTINUE\[31\]}, address.
pub(crate) fn set_predication(ring: &mut Ring, body: &[u32]) -> Result {
    check_bits("control", body[0], 1 << 8 | 1 << 12 | 7 << 16)?;
    let bytes = match body[0] >> 16 & 7 {
        0 => {
            ring.skips_predicated = false;
            return Ok(Flow::Next);
        }
        3 => 8,
        4 => 4,
        other => return Err(Refusal::new(format!("predicate {other}: expected a value of 32 or 64 bits"))),
    };
    let is_set = read(ring.gpu.memory(), address(body[1], body[2]), bytes)? != 0;
    let runs_if_set = body[0] >> 8 & 1 != 0;
    ring.skips_predicated = is_set != runs_if_set;
    Ok(Flow::Next)
}

/// What an event does.
enum Event {
    /// Nothing: what it flushes or waits for is done.
    Nothing,
    /// Counts statistics from now on, or no longer.
    Statistics(bool),
    /// Writes the block of statistics.
    SampleStatistics,
    /// Writes how many samples have passed, for each render backend.
    SampleOcclusion,
}

/// Types of events that drivers use, by number: name, effect.
fn event(kind: u32) -> Option<(&'static str, Event)> {
    Some(match kind {
        0x04 => ("CACHE_FLUSH_TS", Event::Nothing),
        0x07 => ("CS_PARTIAL_FLUSH", Event::Nothing),
        0x0e => ("BREAK_BATCH", Event::Nothing),
        0x0f => ("VS_PARTIAL_FLUSH", Event::Nothing),
        0x10 => ("PS_PARTIAL_FLUSH", Event::Nothing),
        0x14 => ("CACHE_FLUSH_AND_INV_TS_EVENT", Event::Nothing),
        0x15 => ("ZPASS_DONE", Event::SampleOcclusion),
        0x16 => ("CACHE_FLUSH_AND_INV_EVENT", Event::Nothing),
        0x19 => ("PIPELINESTAT_START", Event::Statistics(true)),
        0x1a => ("PIPELINESTAT_STOP", Event::Statistics(false)),
        0x1e => ("SAMPLE_PIPELINESTAT", Event::SampleStatistics),
        0x24 => ("VGT_FLUSH", Event::Nothing),
        0x28 => ("BOTTOM_OF_PIPE_TS", Event::Nothing),
        0x2a => ("DB_CACHE_FLUSH_AND_INV", Event::Nothing),
        0x2b => ("FLUSH_AND_INV_DB_DATA_TS", Event::Nothing),
        0x2c => ("FLUSH_AND_INV_DB_META", Event::Nothing),
        0x2d => ("FLUSH_AND_INV_CB_DATA_TS", Event::Nothing),
        0x2e => ("FLUSH_AND_INV_CB_META", Event::Nothing),
        0x2f => ("CS_DONE", Event::Nothing),
        0x30 => ("PS_DONE", Event::Nothing),
        0x31 => ("FLUSH_AND_INV_CB_PIXEL_DATA", Event::Nothing),
        0x38 => ("PIXEL_PIPE_STAT_CONTROL", Event::Nothing),
        0x39 => ("PIXEL_PIPE_STAT_DUMP", Event::SampleOcclusion),
        0x3d => ("ENABLE_NGG_PIPELINE", Event::Nothing),
        _ => return None,
    })
}

fn known_event(kind: u32) -> Result<Event> {
    event(kind).map(|(_, event)| event).ok_or_else(|| Refusal::new(format!("event {kind:#x} is not known")))
}

/// Counters in a block of pipeline statistics on gfx11, 64 bits each, and which of them counts what.
const STATISTICS: usize = 14;
const PIXEL_INVOCATIONS: usize = 0;
const CLIPPER_PRIMITIVES: usize = 1;
const CLIPPER_INVOCATIONS: usize = 2;
const VERTEX_INVOCATIONS: usize = 3;
const GEOMETRY_INVOCATIONS: usize = 4;
const GEOMETRY_PRIMITIVES: usize = 5;
const INPUT_PRIMITIVES: usize = 6;
const INPUT_VERTICES: usize = 7;
const PATCHES: usize = 8;
const DOMAIN_INVOCATIONS: usize = 9;
const COMPUTE_INVOCATIONS: usize = 10;
/// Bit of a count of samples that says that it is there.
const IS_VALID: u64 = 1 << 63;
/// Bytes from one render backend's count to the next.
const OCCLUSION_STRIDE: u64 = 16;

/// {type\[5:0\], index\[11:8\]}, address. Types with more than a dword have it.
pub(crate) fn event_write(ring: &mut Ring, body: &[u32]) -> Result {
    let kind = body[0] & 0x3f;
    let memory_at = |what: &str| match body {
        [_, low, high] => Ok(address(*low, *high)),
        _ => Err(Refusal::new(format!("{what} without an address"))),
    };
    // The control word of counters for samples has its own fields in further dwords.
    check_bits("control", body[0], 0x3f | 0xf << 8)?;
    match known_event(kind)? {
        Event::Nothing => {}
        Event::Statistics(on) => ring.counts_statistics = on,
        Event::SampleStatistics => {
            let mut block = [0u64; STATISTICS];
            block[PIXEL_INVOCATIONS] = ring.raster.pixel_invocations;
            [block[CLIPPER_INVOCATIONS], block[CLIPPER_PRIMITIVES]] = ring.raster.clipped;
            let Statistics { input, vertex_invocations, tessellation, geometry } = ring.draw.statistics;
            block[VERTEX_INVOCATIONS] = vertex_invocations;
            [block[GEOMETRY_INVOCATIONS], block[GEOMETRY_PRIMITIVES]] = geometry;
            [block[PATCHES], block[DOMAIN_INVOCATIONS]] = tessellation;
            [block[INPUT_VERTICES], block[INPUT_PRIMITIVES]] = input;
            block[COMPUTE_INVOCATIONS] = ring.compute_invocations;
            let bytes: Vec<u8> = block.iter().flat_map(|n| n.to_le_bytes()).collect();
            ring.gpu.memory().write(memory_at("SAMPLE_PIPELINESTAT")?, &bytes)?;
        }
        Event::SampleOcclusion => write_passed(ring, memory_at("a count of samples")?)?,
    }
    Ok(Flow::Next)
}

/// address: writes how many samples have passed.
pub(crate) fn event_write_zpass(ring: &mut Ring, body: &[u32]) -> Result {
    check_bits("address", body[1], 0xffff)?;
    write_passed(ring, address(body[0] & !7, body[1])).map(|()| Flow::Next)
}

fn write_passed(ring: &Ring, at: u64) -> Result<()> {
    for backend in 0..u64::from(ring.gpu.inner().options.render_backends) {
        // One backend has counted everything.
        let count = if backend == 0 { ring.raster.samples_passed & !IS_VALID } else { 0 };
        ring.gpu.memory().write(at.wrapping_add(OCCLUSION_STRIDE * backend), &(count | IS_VALID).to_le_bytes())?;
    }
    Ok(())
}

/// {event\[5:0\], index\[11:8\], caches\[31:12\]}, {DST\[17:16\], INT\[26:24\], DATA\[31:29\]}, address, data, context.
pub(crate) fn release_mem(ring: &mut Ring, body: &[u32]) -> Result {
    known_event(body[0] & 0x3f)?;
    check_bits("destination", body[1], 3 << 16 | 7 << 24 | 7 << 29)?;
    if !matches!(body[1] >> 16 & 3, 0 | 1) {
        return Err(Refusal::new(format!("destination {}: expected memory", body[1] >> 16 & 3)));
    }
    let at = address(body[2], body[3]);
    let memory = ring.gpu.memory();
    match body[1] >> 29 {
        0 => {}
        1 => memory.write(at, &body[4].to_le_bytes())?,
        2 => memory.write(at, &[body[4].to_le_bytes(), body[5].to_le_bytes()].concat())?,
        3 => memory.write(at, &timestamp().to_le_bytes())?,
        other => return Err(Refusal::new(format!("data {other}: expected a value or the clock"))),
    }
    Ok(Flow::Next)
}
