//! Modifiers of the vector formats: op_sel, byte_sel, clamp, omod, DPP and SDWA.

use super::Printer;
use crate::feature::Feature;
use crate::inst::{Dpp, Enc};
use crate::row::{Flags, Opd};
use crate::target::Space;

impl Printer<'_> {
    pub(super) fn vop3_op_sel(&mut self) {
        let flags = self.inst.row.flags;
        let m = &self.inst.mods;
        if m.byte_sel != 0 {
            self.num(format_args!(" byte_sel:{}", m.byte_sel));
        }
        self.flag(self.inst.mods.high, " high");
        let sel = self.inst.mods.op_sel;
        if sel == 0 {
            return;
        }
        if flags.contains(Flags::OS01) {
            self.list(" op_sel:", sel, 2);
        } else if flags.intersects(Flags::OS | Flags::OS23) {
            // The destination's bit follows the sources'. The accumulator of v_fmac counts as a source.
            self.selects(sel, self.sources() + usize::from(flags.contains(Flags::ACC)));
        } else if self.half_selects() != 0 {
            self.selects(self.half_selects(), self.sources());
        }
    }

    /// op_sel of `n` sources and the destination.
    fn selects(&mut self, sel: u8, n: usize) {
        self.list(" op_sel:", (sel & ((1 << n) - 1)) | ((sel >> 3) << n), n + 1);
    }

    pub(super) fn vop3_output(&mut self) {
        let m = &self.inst.mods;
        self.flag(m.clamp, " clamp");
        self.put(["", " mul:2", " mul:4", " div:2"][usize::from(m.omod & 3)]);
    }

    pub(super) fn dpp(&mut self) {
        match self.inst.mods.dpp {
            Dpp::None => {}
            Dpp::Dpp8 { sel, fi } => {
                self.put(" dpp8:");
                for i in 0..8 {
                    self.put(if i == 0 { "[" } else { "," });
                    self.num(format_args!("{}", (sel >> (3 * i)) & 7));
                }
                self.put("]");
                self.flag(fi, " fi:1");
            }
            Dpp::Dpp16 { ctrl, row_mask, bank_mask, bound_ctrl, fi } => {
                self.put(" ");
                self.dpp_ctrl(u32::from(ctrl));
                self.num(format_args!(" row_mask:{row_mask:#x} bank_mask:{bank_mask:#x}"));
                self.flag(bound_ctrl, " bound_ctrl:1");
                self.flag(fi, " fi:1");
            }
        }
    }

    fn dpp_ctrl(&mut self, ctrl: u32) {
        let n = ctrl & 15;
        let gfx10 = self.target.space() >= Space::Gfx10;
        let gfx90a = self.target.has(Feature::WideDpp);
        if self.is_wide() && !(0x150..=0x15f).contains(&ctrl) {
            return self.put("/* DP ALU dpp only supports row_newbcast */");
        }
        match ctrl {
            0..=0xff => {
                let q = |i: u32| (ctrl >> (2 * i)) & 3;
                self.num(format_args!("quad_perm:[{},{},{},{}]", q(0), q(1), q(2), q(3)));
            }
            0x101..=0x10f => self.num(format_args!("row_shl:{n}")),
            0x111..=0x11f => self.num(format_args!("row_shr:{n}")),
            0x121..=0x12f => self.num(format_args!("row_ror:{n}")),
            0x140 => self.put("row_mirror"),
            0x141 => self.put("row_half_mirror"),
            0x130 => self.dpp_until_gfx10("wave_shl", "1"),
            0x134 => self.dpp_until_gfx10("wave_rol", "1"),
            0x138 => self.dpp_until_gfx10("wave_shr", "1"),
            0x13c => self.dpp_until_gfx10("wave_ror", "1"),
            0x142 => self.dpp_until_gfx10("row_bcast", "15"),
            0x143 => self.dpp_until_gfx10("row_bcast", "31"),
            0x150..=0x15f if gfx90a => self.num(format_args!("row_newbcast:{n}")),
            0x150..=0x15f if gfx10 => self.num(format_args!("row_share:{n}")),
            0x150..=0x15f => self.put("/* row_newbcast/row_share is not supported on ASICs earlier than GFX90A/GFX10 */"),
            0x160..=0x16f if gfx10 => self.num(format_args!("row_xmask:{n}")),
            0x160..=0x16f => self.put("/* row_xmask is not supported on ASICs earlier than GFX10 */"),
            _ => self.put("/* Invalid dpp_ctrl value */"),
        }
    }

    fn dpp_until_gfx10(&mut self, name: &str, value: &str) {
        if self.target.space() >= Space::Gfx10 {
            self.num(format_args!("/* {name} is not supported starting from GFX10 */"));
        } else {
            self.num(format_args!("{name}:{value}"));
        }
    }

    /// Two registers per lane: the double-precision unit knows one DPP control only.
    fn is_wide(&self) -> bool {
        self.inst.row.ops.iter().any(|o| match *o {
            Opd::D(t) | Opd::S0(t) | Opd::S1(t) => t.dwords(32) > 1,
            _ => false,
        })
    }

    /// A slip of LLVM 19: gfx12's v_cndmask_b32 with DPP prints `|v2, vcc_lo|`.
    pub(super) fn prints_mask_within_abs(&self) -> bool {
        let inst = self.inst;
        let dpp16 = matches!(inst.mods.dpp, Dpp::Dpp16 { .. });
        inst.enc == Enc::VOP2
            && dpp16
            && inst.mods.abs & 2 != 0
            && inst.row.flags.contains(Flags::MASK_IN_ABS)
            && self.target.space() == Space::Gfx12
    }

    pub(super) fn sdwa(&mut self) {
        self.vop3_output();
        let s = self.inst.mods.sdwa;
        let row = self.inst.row;
        if matches!(row.ops.first(), Some(Opd::D(_))) && !row.flags.contains(Flags::BYTES) {
            self.sdwa_sel("dst", s.dst_sel);
            self.num(format_args!(" dst_unused:UNUSED_{}", ["PAD", "SEXT", "PRESERVE"][usize::from(s.dst_unused) % 3]));
        }
        let sources = row.ops.iter().filter(|o| matches!(o, Opd::S0(_) | Opd::V0(_) | Opd::S1(_))).count();
        for (name, sel) in ["src0", "src1"].iter().zip(s.src_sel).take(sources) {
            self.sdwa_sel(name, sel);
        }
    }

    fn sdwa_sel(&mut self, name: &str, sel: u8) {
        let part = ["BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"];
        self.num(format_args!(" {name}_sel:{}", part[usize::from(sel) % 7]));
    }
}
