//! Modifiers: `glc`, `offset:16`, `op_sel:[0,1]`, `quad_perm:[0,1,2,3]`.

use super::operand::{Reason, number};
use super::value::integer;
use super::{Form, named};
use crate::disasm::names;
use crate::inst::{Dpp, Enc, Mods};
use crate::row::Flags;
use crate::target::Space;

/// Modifiers of one bit.
#[rustfmt::skip]
const BITS: &[(&str, fn(&mut Mods) -> &mut bool)] = &[
    ("clamp", |m| &mut m.clamp), ("high", |m| &mut m.high), ("glc", |m| &mut m.glc), ("slc", |m| &mut m.slc), ("dlc", |m| &mut m.dlc),
    ("tfe", |m| &mut m.tfe), ("lwe", |m| &mut m.lwe), ("d16", |m| &mut m.d16), ("a16", |m| &mut m.a16), ("unorm", |m| &mut m.unorm),
    ("r128", |m| &mut m.r128), ("offen", |m| &mut m.offen), ("idxen", |m| &mut m.idxen), ("lds", |m| &mut m.lds), ("gds", |m| &mut m.gds),
    ("da", |m| &mut m.da), ("addr64", |m| &mut m.addr64), ("scc", |m| &mut m.scc),
    ("sc0", |m| &mut m.glc), ("sc1", |m| &mut m.scc), ("nt", |m| &mut m.slc), // gfx94x
    ("done", |m| &mut m.done), ("row_en", |m| &mut m.row_en), ("vm", |m| &mut m.vm), ("compr", |m| &mut m.compr),
];

/// `[0,1,...]` of single bits; item i is bit i.
fn bit_list(text: &str) -> Result<Vec<bool>, Reason> {
    let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).ok_or("expected a list in brackets")?;
    inner
        .split(',')
        .map(|t| match t.trim() {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err("expected a list of 0 and 1 in brackets".into()),
        })
        .collect()
}

fn low_bits(list: &[bool]) -> u8 {
    list.iter().enumerate().fold(0, |bits, (i, &b)| bits | u8::from(b) << i)
}

fn numbers(text: &str, count: usize, below: i64) -> Result<Vec<u32>, Reason> {
    let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).ok_or("expected a list in brackets")?;
    let list: Option<Vec<u32>> = inner.split(',').map(|t| integer(t.trim()).filter(|n| (0..below).contains(n)).map(|n| n as u32)).collect();
    list.filter(|l| l.len() == count).ok_or_else(|| format!("expected {count} numbers below {below}"))
}

/// Part of a register that SDWA reads or writes.
fn selection(text: &str) -> Result<u8, Reason> {
    const NAMES: [&str; 7] = ["BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"];
    NAMES.iter().position(|n| *n == text).map(|n| n as u8).ok_or_else(|| "expected BYTE_0 to BYTE_3, WORD_0, WORD_1 or DWORD".into())
}

/// Is this the name of a modifier that makes an instruction a DPP form?
pub(super) fn is_dpp(name: &str) -> bool {
    name.starts_with("row_") && name != "row_en"
        || name.starts_with("wave_")
        || matches!(name, "quad_perm" | "dpp8" | "bank_mask" | "bound_ctrl")
}

/// Is this the name of a modifier that makes an instruction an SDWA form?
pub(super) fn is_sdwa(name: &str) -> bool {
    matches!(name, "dst_sel" | "dst_unused" | "src0_sel" | "src1_sel")
}

impl Form<'_> {
    /// Applies one modifier.
    pub(super) fn modifier(&mut self, text: &str) -> Result<(), Reason> {
        let (name, v) = text.split_once(':').map_or((text, None), |(n, v)| (n, Some(v)));
        if let Some(bit) = BITS.iter().find(|b| b.0 == name) {
            // `offset:` and the like apart, a one-bit modifier may also be written `name:1`.
            *(bit.1)(&mut self.inst.mods) = !matches!(v, Some("0"));
            return Ok(());
        }
        if is_dpp(name) || name == "fi" {
            return self.dpp(name, v);
        }
        let Some(v) = v else { return Err("not a modifier".into()) };
        let sources = self.sources();
        let m = &mut self.inst.mods;
        match name {
            "offset" if v.starts_with("swizzle(") => {
                m.offset =
                    named::swizzle(v).ok_or("expected swizzle(MODE,...) with QUAD_PERM, BITMASK_PERM, SWAP, REVERSE or BROADCAST")? as i32
            }
            "offset" if self.inst.enc == Enc::SMEM => {
                m.has_offset = true;
                m.offset = integer(v).and_then(|n| i32::try_from(n).ok()).ok_or("expected a number")?;
            }
            "offset" => m.offset = integer(v).and_then(|n| i32::try_from(n).ok()).ok_or("expected a number")?,
            "offset0" => m.offset = number(v, 8)? as i32,
            "offset1" => m.offset1 = number(v, 8)? as i32,
            "dmask" => m.dmask = number(v, 4)? as u8,
            "mul" => {
                m.omod = if v == "2" {
                    1
                } else if v == "4" {
                    2
                } else {
                    return Err("expected 2 or 4".into());
                }
            }
            "div" => m.omod = if v == "2" { 3 } else { return Err("expected 2".into()) },
            "op_sel" => {
                let list = bit_list(v)?;
                let packed = matches!(self.inst.enc, Enc::VOP3P | Enc::VINTERP) || self.inst.row.flags.contains(Flags::OS01);
                let mut bits = low_bits(&list);
                if !packed && list.len() == sources + 1 {
                    bits = bits & ((1 << sources) - 1) | (bits >> sources) << 3;
                }
                m.op_sel = bits;
            }
            "byte_sel" => m.byte_sel = number(v, 2)? as u8,
            "op_sel_hi" => m.op_sel_hi = low_bits(&bit_list(v)?),
            "neg_lo" => m.neg = low_bits(&bit_list(v)?),
            "neg_hi" => m.neg_hi = low_bits(&bit_list(v)?),
            "wait_exp" => m.wait = number(v, 3)? as u8,
            "wait_vdst" | "wait_va_vdst" => m.wait = number(v, 4)? as u8,
            "cbsz" => m.cbsz = number(v, 3)? as u8,
            "abid" => m.abid = number(v, 4)? as u8,
            "blgp" => m.blgp = number(v, 3)? as u8,
            // gfx94x: 64-bit matrices negate where others have patterns.
            "neg" => m.blgp = low_bits(&bit_list(v)?),
            "index_key" => m.index_key = number(v, 2)? as u8,
            "dst_sel" => m.sdwa.dst_sel = selection(v)?,
            "src0_sel" => m.sdwa.src_sel[0] = selection(v)?,
            "src1_sel" => m.sdwa.src_sel[1] = selection(v)?,
            "dst_unused" => {
                let names = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"];
                m.sdwa.dst_unused = names.iter().position(|n| *n == v).ok_or("expected UNUSED_PAD, UNUSED_SEXT or UNUSED_PRESERVE")? as u8;
            }
            "th" => {
                m.th = named::temporal_hint(self.inst.row, v)
                    .ok_or("expected a temporal hint of such an instruction, such as TH_LOAD_NT or TH_STORE_NT")?
            }
            "scope" => m.scope = named::scope(v).ok_or("expected SCOPE_CU, SCOPE_SE, SCOPE_DEV or SCOPE_SYS")?,
            "wait_vm_vsrc" => m.wait_vm_vsrc = number(v, 1)? != 0,
            "dim" => m.dim = named::dim(v).ok_or_else(|| format!("expected SQ_RSRC_IMG_ and one of {}", names::DIMS.join(", ")))?,
            "format" => {
                m.format = named::format(self.inst.target, v)
                    .ok_or("expected a buffer format in brackets, such as [BUF_FMT_32_FLOAT], or a number below 128")?
            }
            _ => return Err("not a modifier".into()),
        }
        Ok(())
    }

    /// Sources that op_sel speaks of; the accumulator of v_fmac counts.
    fn sources(&self) -> usize {
        self.inst.row.ops.len().saturating_sub(1) + usize::from(self.inst.row.flags.contains(Flags::ACC))
    }

    fn dpp(&mut self, name: &str, v: Option<&str>) -> Result<(), Reason> {
        if name == "dpp8" {
            let sel = numbers(v.unwrap_or_default(), 8, 8)?.iter().enumerate().fold(0, |sel, (i, n)| sel | n << (3 * i));
            self.inst.mods.dpp = Dpp::Dpp8 { sel, fi: false };
            return Ok(());
        }
        if let (Dpp::Dpp8 { fi, .. }, "fi") = (&mut self.inst.mods.dpp, name) {
            *fi = v != Some("0");
            return Ok(());
        }
        if self.inst.mods.dpp == Dpp::None {
            self.inst.mods.dpp = Dpp::Dpp16 { ctrl: 0xe4, row_mask: 15, bank_mask: 15, bound_ctrl: false, fi: false };
        }
        let space = self.inst.target.space();
        let Dpp::Dpp16 { ctrl, row_mask, bank_mask, bound_ctrl, fi } = &mut self.inst.mods.dpp else {
            return Err("not beside dpp8".into());
        };
        let mut shift = |base: u16, least: u32| {
            let n = number(v.unwrap_or_default(), 4)?;
            if n < least {
                return Err(Reason::from("expected 1 to 15"));
            }
            *ctrl = base + n as u16;
            Ok(())
        };
        match name {
            "quad_perm" => *ctrl = numbers(v.unwrap_or_default(), 4, 4)?.iter().enumerate().fold(0, |c, (i, n)| c | (*n as u16) << (2 * i)),
            "row_shl" => shift(0x100, 1)?,
            "row_shr" => shift(0x110, 1)?,
            "row_ror" => shift(0x120, 1)?,
            "row_share" | "row_newbcast" => shift(0x150, 0)?,
            "row_xmask" => shift(0x160, 0)?,
            "row_mirror" => *ctrl = 0x140,
            "row_half_mirror" => *ctrl = 0x141,
            "row_bcast" => *ctrl = if v == Some("31") { 0x143 } else { 0x142 },
            "wave_shl" => *ctrl = 0x130,
            "wave_rol" => *ctrl = 0x134,
            "wave_shr" => *ctrl = 0x138,
            "wave_ror" => *ctrl = 0x13c,
            "row_mask" => *row_mask = number(v.unwrap_or_default(), 4)? as u8,
            "bank_mask" => *bank_mask = number(v.unwrap_or_default(), 4)? as u8,
            // Assembly for processors before gfx11 writes 0 for the same.
            "bound_ctrl" => *bound_ctrl = v == Some("1") || v == Some("0") && space < Space::Gfx11,
            "fi" => *fi = v != Some("0"),
            _ => return Err("not a modifier".into()),
        }
        Ok(())
    }
}
