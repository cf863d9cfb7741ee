//! Packets: how they are framed, and which there are.
//!
//! ```text
//! type 3:  [31:30] 3   [29:16] dwords of the body - 1   [15:8] opcode   [2] reset of a filter   [1] compute   [0] predicate
//! type 2:  0x80000000, one dword that says nothing
//! NOP with 0x3fff for its length: one dword, no body
//! ```
//!
//! Reference: Mesa `sid.h`; Linux `nvd.h`.

use crate::draw::packets;
use crate::error::Refusal;
use crate::ring::Ring;
use crate::stream::Ib;
use crate::{dispatch, order, state, transfer};

/// The opcode that names nothing to do.
const NOP: u8 = 0x10;

/// The first dword of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Header {
    /// One dword that says nothing.
    Filler,
    /// A packet with a body of so many dwords.
    Packet {
        /// What it is.
        opcode: u8,
        /// Dwords after the header.
        body: u32,
        /// It is left out where the predicate says so.
        is_predicated: bool,
    },
}

impl Header {
    /// Reads a header.
    pub(crate) fn parse(header: u32) -> Result<Header, Refusal> {
        match (header >> 30, header) {
            (2, 0x8000_0000) => Ok(Header::Filler),
            (3, _) => {
                let (opcode, count) = ((header >> 8) as u8, header >> 16 & 0x3fff);
                if header & 0xf8 != 0 {
                    return Err(Refusal::new(format!("bits {:#x} of a header are not understood", header & 0xf8)));
                }
                if opcode == NOP && count == 0x3fff {
                    return Ok(Header::Filler);
                }
                Ok(Header::Packet { opcode, body: count + 1, is_predicated: header & 1 != 0 })
            }
            (kind, _) => Err(Refusal::new(format!("a packet of type {kind}: expected 3 (or 2 for one dword that says nothing)"))),
        }
    }
}

/// What a ring does after a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Flow {
    /// The next packet.
    Next,
    /// The same packet again, later: what it waits for is not there.
    Wait,
    /// Leaves out so many dwords after the packet.
    Skip(u32),
    /// Reads another buffer, and then what follows.
    Call(Ib),
    /// Reads another buffer instead of what follows.
    Chain(Ib),
}

/// Which rings have a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rings {
    All,
    Graphics,
}

pub(crate) type Handler = fn(&mut Ring, &[u32]) -> Result<Flow, Refusal>;

/// What becomes of a packet.
#[derive(Clone, Copy)]
pub(crate) enum Does {
    /// This.
    Act(Handler),
    /// Nothing: rings run in order and memory is coherent.
    Nothing,
    /// It is refused for this reason.
    Refused(&'static str),
}

/// A kind of packet.
pub(crate) struct Kind {
    pub opcode: u8,
    pub name: &'static str,
    /// Least and most dwords of its body.
    pub body: (u32, u32),
    pub rings: Rings,
    pub does: Does,
}

const fn act(opcode: u8, name: &'static str, body: (u32, u32), rings: Rings, handler: Handler) -> Kind {
    Kind { opcode, name, body, rings, does: Does::Act(handler) }
}

const fn nothing(opcode: u8, name: &'static str, body: (u32, u32)) -> Kind {
    Kind { opcode, name, body, rings: Rings::All, does: Does::Nothing }
}

const fn refused(opcode: u8, name: &'static str, why: &'static str) -> Kind {
    Kind { opcode, name, body: (1, MANY), rings: Rings::All, does: Does::Refused(why) }
}

const MANY: u32 = 0x4000;
const MESH: &str = "mesh and task shaders are not supported";
const GDS: &str = "streamout is not supported";
const OLD: &str = "no driver of this chip is known to use it";

/// The kind of an opcode.
pub(crate) fn kind(opcode: u8) -> Option<&'static Kind> {
    KINDS.iter().find(|k| k.opcode == opcode)
}

/// In order of opcodes.
#[rustfmt::skip]
pub(crate) const KINDS: &[Kind] = {
    use Rings::{All, Graphics};
    &[
    nothing(NOP,  "NOP", (1, MANY)),
    act(0x11, "SET_BASE", (3, 3), All, state::set_base),
    act(0x12, "CLEAR_STATE", (1, 1), Graphics, state::clear_state),
    act(0x13, "INDEX_BUFFER_SIZE", (1, 1), Graphics, state::index_buffer_size),
    act(0x15, "DISPATCH_DIRECT", (4, 4), All, dispatch::direct),
    act(0x16, "DISPATCH_INDIRECT", (2, 3), All, dispatch::indirect),
    refused(0x1e, "ATOMIC_MEM", MESH),
    act(0x20, "SET_PREDICATION", (3, 3), Graphics, order::set_predication),
    act(0x22, "COND_EXEC", (4, 4), All, order::cond_exec),
    act(0x24, "DRAW_INDIRECT", (4, 4), Graphics, packets::indirect_auto),
    act(0x25, "DRAW_INDEX_INDIRECT", (4, 4), Graphics, packets::indirect_index),
    act(0x26, "INDEX_BASE", (2, 2), Graphics, state::index_base),
    act(0x27, "DRAW_INDEX_2", (5, 5), Graphics, packets::index_2),
    act(0x28, "CONTEXT_CONTROL", (2, 2), Graphics, state::context_control),
    act(0x2a, "INDEX_TYPE", (1, 1), Graphics, state::index_type),
    act(0x2c, "DRAW_INDIRECT_MULTI", (9, 9), Graphics, packets::indirect_auto_multi),
    act(0x2d, "DRAW_INDEX_AUTO", (2, 2), Graphics, packets::index_auto),
    act(0x2f, "NUM_INSTANCES", (1, 1), Graphics, state::num_instances),
    refused(0x30, "DRAW_INDEX_MULTI_AUTO", OLD),
    act(0x33, "INDIRECT_BUFFER_CONST", (3, 3), All, order::indirect_buffer),
    refused(0x34, "STRMOUT_BUFFER_UPDATE", GDS),
    act(0x35, "DRAW_INDEX_OFFSET_2", (4, 4), Graphics, packets::index_offset_2),
    act(0x37, "WRITE_DATA", (4, MANY), All, transfer::write_data),
    act(0x38, "DRAW_INDEX_INDIRECT_MULTI", (9, 9), Graphics, packets::indirect_index_multi),
    act(0x3c, "WAIT_REG_MEM", (6, 6), All, order::wait_reg_mem),
    act(0x3f, "INDIRECT_BUFFER", (3, 3), All, order::indirect_buffer),
    act(0x40, "COPY_DATA", (5, 5), All, transfer::copy_data),
    nothing(0x42, "PFP_SYNC_ME", (1, 1)),
    act(0x46, "EVENT_WRITE", (1, 3), All, order::event_write),
    act(0x49, "RELEASE_MEM", (7, 7), All, order::release_mem),
    refused(0x4c, "DISPATCH_MESH_INDIRECT_MULTI", MESH),
    refused(0x4d, "DISPATCH_TASKMESH_GFX", MESH),
    act(0x50, "DMA_DATA", (6, 6), All, transfer::dma_data),
    act(0x51, "CONTEXT_REG_RMW", (3, 3), Graphics, state::context_reg_rmw),
    nothing(0x58, "ACQUIRE_MEM", (6, 7)),
    nothing(0x59, "REWIND", (1, 1)),
    refused(0x5f, "LOAD_SH_REG", OLD),
    refused(0x61, "LOAD_CONTEXT_REG", OLD),
    act(0x63, "LOAD_SH_REG_INDEX", (4, 4), All, state::load_sh_reg_index),
    act(0x68, "SET_CONFIG_REG", (2, MANY), All, state::set_config_reg),
    act(0x69, "SET_CONTEXT_REG", (2, MANY), Graphics, state::set_context_reg),
    act(0x76, "SET_SH_REG", (2, MANY), All, state::set_sh_reg),
    refused(0x77, "SET_SH_REG_OFFSET", OLD),
    act(0x79, "SET_UCONFIG_REG", (2, MANY), All, state::set_uconfig_reg),
    act(0x7a, "SET_UCONFIG_REG_INDEX", (2, MANY), All, state::set_uconfig_reg_index),
    refused(0x83, "LOAD_CONST_RAM", OLD),
    refused(0x84, "WRITE_CONST_RAM", OLD),
    refused(0x86, "DUMP_CONST_RAM", OLD),
    act(0x9b, "SET_SH_REG_INDEX", (2, MANY), All, state::set_sh_reg_index),
    act(0x9f, "LOAD_CONTEXT_REG_INDEX", (4, 4), Graphics, state::load_context_reg_index),
    refused(0xa9, "DISPATCH_TASK_STATE_INIT", MESH),
    refused(0xaa, "DISPATCH_TASKMESH_DIRECT_ACE", MESH),
    refused(0xad, "DISPATCH_TASKMESH_INDIRECT_MULTI_ACE", MESH),
    act(0xb1, "EVENT_WRITE_ZPASS", (2, 2), Graphics, order::event_write_zpass),
    act(0xb8, "SET_CONTEXT_REG_PAIRS", (2, MANY), Graphics, state::set_context_reg_pairs),
    act(0xb9, "SET_CONTEXT_REG_PAIRS_PACKED", (4, MANY), Graphics, state::set_context_reg_pairs_packed),
    act(0xba, "SET_SH_REG_PAIRS", (2, MANY), All, state::set_sh_reg_pairs),
    act(0xbb, "SET_SH_REG_PAIRS_PACKED", (4, MANY), All, state::set_sh_reg_pairs_packed),
    act(0xbd, "SET_SH_REG_PAIRS_PACKED_N", (4, MANY), All, state::set_sh_reg_pairs_packed),
    act(0xbe, "SET_UCONFIG_REG_PAIRS", (2, MANY), All, state::set_uconfig_reg_pairs),
    ]
};

/// The bits of `value` that are not in `understood`, refused by the name of what they are in.
pub(crate) fn check_bits(what: &str, value: u32, understood: u32) -> Result<(), Refusal> {
    match value & !understood {
        0 => Ok(()),
        bits => Err(Refusal::new(format!("{what}: bits {bits:#x} of {value:#x} are not understood"))),
    }
}

/// A guest address of a low and a high dword, of which 16 bits count.
pub(crate) fn address(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high & 0xffff) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_are_in_order_and_there_once() {
        assert!(KINDS.is_sorted_by(|a, b| a.opcode < b.opcode));
    }

    #[test]
    fn headers_say_what_follows() {
        let packet = |opcode, body, is_predicated| Header::Packet { opcode, body, is_predicated };
        assert_eq!(Header::parse(0xc003_3700).unwrap(), packet(0x37, 4, false));
        assert_eq!(Header::parse(0xc003_1503).unwrap(), packet(0x15, 4, true));
        assert_eq!(Header::parse(0xffff_1000).unwrap(), Header::Filler);
        assert_eq!(Header::parse(0x8000_0000).unwrap(), Header::Filler);
        for bad in [0, 0x4000_0000, 0x8000_0001, 0xc003_3708] {
            assert!(Header::parse(bad).is_err(), "{bad:#x}");
        }
    }
}
