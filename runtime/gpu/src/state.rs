//! Packets that set registers, and what else draws and dispatches look at.

use crate::draw::Statistics;
use crate::error::Refusal;
use crate::packet::{Flow, address, check_bits};
use crate::registers::Bank;
use crate::ring::Ring;
use crate::stream::read_dwords;

type Result = std::result::Result<Flow, Refusal>;

/// What packets other than those of registers set for draws.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DrawState {
    /// Guest address of the indices.
    pub index_base: u64,
    /// How many indices there are.
    pub index_count: u32,
    /// Draws so far.
    pub draws: u64,
    /// What they have done.
    pub statistics: Statistics,
}

/// index, address.
pub(crate) fn set_base(ring: &mut Ring, body: &[u32]) -> Result {
    match body[0] {
        1 => ring.indirect_base = address(body[1], body[2]),
        index => return Err(Refusal::new(format!("base {index}: expected 1, of indirect arguments"))),
    }
    Ok(Flow::Next)
}

/// Context registers to their defaults.
pub(crate) fn clear_state(ring: &mut Ring, body: &[u32]) -> Result {
    check_bits("CLEAR_STATE", body[0], 0)?;
    ring.registers.clear_state();
    Ok(Flow::Next)
}

/// Which registers to load from, and to copy to, memory: none.
pub(crate) fn context_control(_: &mut Ring, body: &[u32]) -> Result {
    for (what, word) in [("loads of registers", body[0]), ("shadows of registers", body[1])] {
        check_bits(what, word, 1 << 31)?;
    }
    Ok(Flow::Next)
}

pub(crate) fn index_buffer_size(ring: &mut Ring, body: &[u32]) -> Result {
    ring.draw.index_count = body[0];
    Ok(Flow::Next)
}

pub(crate) fn index_base(ring: &mut Ring, body: &[u32]) -> Result {
    ring.draw.index_base = address(body[0], body[1]);
    Ok(Flow::Next)
}

pub(crate) fn index_type(ring: &mut Ring, body: &[u32]) -> Result {
    const VGT_INDEX_TYPE: u32 = 0x3_090c;
    ring.registers.write(VGT_INDEX_TYPE / 4, body[0])?;
    Ok(Flow::Next)
}

pub(crate) fn num_instances(ring: &mut Ring, body: &[u32]) -> Result {
    const VGT_NUM_INSTANCES: u32 = 0x3_0934;
    ring.registers.write(VGT_NUM_INSTANCES / 4, body[0])?;
    Ok(Flow::Next)
}

pub(crate) fn set_config_reg(ring: &mut Ring, body: &[u32]) -> Result {
    set(ring, Bank::Config, body, 0)
}

/// Drivers write VGT_LS_HS_CONFIG with index 2; the value is as it is.
pub(crate) fn set_context_reg(ring: &mut Ring, body: &[u32]) -> Result {
    const LS_HS_CONFIG: u32 = (2 << 28) | ((0x2_8b58 - 0x2_8000) / 4);
    let indices = if body.first() == Some(&LS_HS_CONFIG) { 2 } else { 0 };
    set(ring, Bank::Context, body, indices)
}

pub(crate) fn set_sh_reg(ring: &mut Ring, body: &[u32]) -> Result {
    set(ring, Bank::Shader, body, 0)
}

pub(crate) fn set_uconfig_reg(ring: &mut Ring, body: &[u32]) -> Result {
    set(ring, Bank::UserConfig, body, 0)
}

/// The index says which bits of compute units the kernel may mask: the value is as it is.
pub(crate) fn set_sh_reg_index(ring: &mut Ring, body: &[u32]) -> Result {
    set(ring, Bank::Shader, body, 3)
}

/// The index tells types of primitives and of indices apart.
pub(crate) fn set_uconfig_reg_index(ring: &mut Ring, body: &[u32]) -> Result {
    set(ring, Bank::UserConfig, body, 3)
}

/// {index\[31:28\], offset\[15:0\]}, values.
fn set(ring: &mut Ring, bank: Bank, body: &[u32], indices: u32) -> Result {
    check_bits("register offset", body[0], indices << 28 | 0xffff)?;
    ring.registers.write_run(bank, body[0] & 0xffff, &body[1..])?;
    Ok(Flow::Next)
}

/// register, mask, value.
pub(crate) fn context_reg_rmw(ring: &mut Ring, body: &[u32]) -> Result {
    ring.registers.modify(Bank::Context, body[0], body[1], body[2])?;
    Ok(Flow::Next)
}

pub(crate) fn set_context_reg_pairs(ring: &mut Ring, body: &[u32]) -> Result {
    set_pairs(ring, Bank::Context, body)
}

pub(crate) fn set_sh_reg_pairs(ring: &mut Ring, body: &[u32]) -> Result {
    set_pairs(ring, Bank::Shader, body)
}

pub(crate) fn set_uconfig_reg_pairs(ring: &mut Ring, body: &[u32]) -> Result {
    set_pairs(ring, Bank::UserConfig, body)
}

/// offset, value; offset, value; ...
fn set_pairs(ring: &mut Ring, bank: Bank, body: &[u32]) -> Result {
    let (pairs, rest) = body.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(Refusal::new(format!("a body of {} dwords: expected pairs", body.len())));
    }
    for [offset, value] in pairs {
        ring.registers.write_run(bank, *offset, &[*value])?;
    }
    Ok(Flow::Next)
}

pub(crate) fn set_context_reg_pairs_packed(ring: &mut Ring, body: &[u32]) -> Result {
    set_packed(ring, Bank::Context, body)
}

pub(crate) fn set_sh_reg_pairs_packed(ring: &mut Ring, body: &[u32]) -> Result {
    set_packed(ring, Bank::Shader, body)
}

/// How many registers, an even number; then for each two {offset 1\[31:16\], offset 0\[15:0\]}, value 0, value 1.
fn set_packed(ring: &mut Ring, bank: Bank, body: &[u32]) -> Result {
    let (twos, rest) = body[1..].as_chunks::<3>();
    if !rest.is_empty() || body[0] as usize != 2 * twos.len() {
        return Err(Refusal::new(format!("{} registers in a body of {} dwords", body[0], body.len())));
    }
    for [offsets, first, second] in twos {
        ring.registers.write_run(bank, offsets & 0xffff, &[*first])?;
        ring.registers.write_run(bank, offsets >> 16, &[*second])?;
    }
    Ok(Flow::Next)
}

pub(crate) fn load_sh_reg_index(ring: &mut Ring, body: &[u32]) -> Result {
    load(ring, Bank::Shader, body)
}

pub(crate) fn load_context_reg_index(ring: &mut Ring, body: &[u32]) -> Result {
    load(ring, Bank::Context, body)
}

/// {address low\[31:2\], index\[0\]}, address high, {format\[31\], register\[15:0\]}, count.
fn load(ring: &mut Ring, bank: Bank, body: &[u32]) -> Result {
    if body[0] & 3 != 0 || body[2] & !0xffff != 0 {
        return Err(Refusal::new(format!("index {} and format {:#x}: expected an address", body[0] & 3, body[2] >> 16)));
    }
    check_bits("count", body[3], 0x3fff)?;
    let mut values = Vec::new();
    read_dwords(ring.gpu.memory(), address(body[0], body[1]), body[3] as usize, &mut values)?;
    ring.registers.write_run(bank, body[2], &values)?;
    Ok(Flow::Next)
}
