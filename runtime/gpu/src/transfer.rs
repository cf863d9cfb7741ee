//! Packets that move data: WRITE_DATA, COPY_DATA, DMA_DATA.

use crate::clock::timestamp;
use crate::error::Refusal;
use crate::packet::{Flow, address, check_bits};
use crate::ring::Ring;
use wavejit::AddressSpace;

type Result<T = Flow> = std::result::Result<T, Refusal>;

/// {DST_SEL\[11:8\], ONE_ADDR\[16\], CONFIRM\[20\], CACHE_POLICY\[26:25\], ENGINE\[31:30\]}, address, data.
pub(crate) fn write_data(ring: &mut Ring, body: &[u32]) -> Result {
    check_bits("control", body[0], 0xf << 8 | 1 << 16 | 1 << 20 | 3 << 25 | 3 << 30)?;
    let data = &body[3..];
    let is_one_address = body[0] >> 16 & 1 != 0;
    match body[0] >> 8 & 0xf {
        0 => {
            for (i, value) in data.iter().enumerate() {
                let at = if is_one_address { body[1] } else { body[1].wrapping_add(i as u32) };
                ring.registers.write(at, *value)?;
            }
        }
        1 | 2 | 5 => {
            let to = address(body[1], body[2]);
            let data = if is_one_address { &data[data.len() - 1..] } else { data };
            let bytes: Vec<u8> = data.iter().flat_map(|v| v.to_le_bytes()).collect();
            ring.gpu.memory().write(to, &bytes)?;
        }
        other => return Err(Refusal::new(format!("destination {other}: expected memory or a register"))),
    }
    Ok(Flow::Next)
}

/// {SRC\[3:0\], DST\[11:8\], 64 bits\[16\], CONFIRM\[20\], ENGINE\[31:30\]}, source, destination.
pub(crate) fn copy_data(ring: &mut Ring, body: &[u32]) -> Result {
    check_bits("control", body[0], 0xf | 0xf << 8 | 1 << 16 | 1 << 20 | 3 << 30)?;
    let is_long = body[0] >> 16 & 1 != 0;
    let bytes = if is_long { 8 } else { 4 };
    let memory = ring.gpu.memory();
    let value = match body[0] & 0xf {
        0 => {
            let low = u64::from(ring.registers.read(body[1])?);
            if is_long { low | u64::from(ring.registers.read(body[1].wrapping_add(1))?) << 32 } else { low }
        }
        1 | 2 => read(memory, address(body[1], body[2]), bytes)?,
        5 => u64::from(body[1]) | u64::from(body[2]) << 32,
        9 => timestamp(),
        other => return Err(Refusal::new(format!("source {other}: expected a register, memory, a value or the clock"))),
    };
    match body[0] >> 8 & 0xf {
        0 => {
            ring.registers.write(body[3], value as u32)?;
            if is_long {
                ring.registers.write(body[3].wrapping_add(1), (value >> 32) as u32)?;
            }
        }
        1 | 2 | 5 => memory.write(address(body[3], body[4]), &value.to_le_bytes()[..bytes])?,
        other => return Err(Refusal::new(format!("destination {other}: expected a register or memory"))),
    }
    Ok(Flow::Next)
}

/// {ENGINE\[0\], SRC_CACHE\[14:13\], DST\[21:20\], DST_CACHE\[26:25\], SRC\[30:29\], SYNC\[31\]}, source, destination, {BYTES\[25:0\],
/// RAW_WAIT\[30\], no confirmation\[31\]}.
pub(crate) fn dma_data(ring: &mut Ring, body: &[u32]) -> Result {
    check_bits("control", body[0], 1 | 3 << 13 | 3 << 20 | 3 << 25 | 7 << 29)?;
    check_bits("command", body[5], 0x3ff_ffff | 3 << 30)?;
    let bytes = u64::from(body[5] & 0x3ff_ffff);
    let memory = ring.gpu.memory();
    let to = match body[0] >> 20 & 3 {
        0 | 3 => address(body[3], body[4]),
        // Into the cache only.
        2 => return Ok(Flow::Next),
        other => return Err(Refusal::new(format!("destination {other}: global data share is not supported"))),
    };
    match body[0] >> 29 & 3 {
        0 | 3 => copy(memory, to, address(body[1], body[2]), bytes)?,
        2 => {
            if !bytes.is_multiple_of(4) {
                return Err(Refusal::new(format!("a fill of {bytes} bytes: expected whole dwords")));
            }
            memory.fill(to, &body[1].to_le_bytes(), bytes / 4)?;
        }
        other => return Err(Refusal::new(format!("source {other}: global data share is not supported"))),
    }
    Ok(Flow::Next)
}

/// 4 or 8 bytes.
pub(crate) fn read(memory: &AddressSpace, address: u64, bytes: usize) -> Result<u64> {
    let mut value = [0; 8];
    memory.read(address, &mut value[..bytes])?;
    Ok(u64::from_le_bytes(value))
}

/// Copies as if all were read before anything is written.
pub(crate) fn copy(memory: &AddressSpace, to: u64, from: u64, bytes: u64) -> Result<()> {
    const PIECE: u64 = 1 << 16;
    if to == from || to.abs_diff(from) >= bytes {
        return Ok(memory.copy(to, from, bytes)?);
    }
    // From the end that is not overwritten before it is read.
    let mut piece = vec![0; bytes.min(PIECE) as usize];
    let pieces = bytes.div_ceil(PIECE);
    for i in 0..pieces {
        let at = PIECE * if to < from { i } else { pieces - 1 - i };
        let piece = &mut piece[..(bytes - at).min(PIECE) as usize];
        memory.read(from.wrapping_add(at), piece)?;
        memory.write(to.wrapping_add(at), piece)?;
    }
    Ok(())
}
