//! Modifiers of memory formats: cache policy, buffers, images.

use super::{Printer, names};
use crate::feature::Feature;
use crate::inst::Enc;
use crate::row::{Flags, Opd, Row, Ty};
use crate::target::Space;

/// gfx12: the widest scope.
const SCOPE_SYS: u8 = 3;
pub(crate) const SCOPES: [&str; 4] = ["CU", "SE", "DEV", "SYS"];
const SCOPE_DEV: u8 = 2;
/// gfx12: temporal hints of loads, stores and atomics by number. The third depends on the scope; `None` prints as a number.
const TH_LOAD: [Option<&str>; 8] = [None, Some("NT"), Some("HT"), None, Some("NT_RT"), Some("RT_NT"), Some("NT_HT"), None];
const TH_STORE: [Option<&str>; 8] = [None, Some("NT"), Some("HT"), None, Some("NT_RT"), Some("RT_NT"), Some("NT_HT"), Some("NT_WB")];
const TH_ATOMIC: [Option<&str>; 8] = [None, Some("RETURN"), Some("NT"), Some("NT_RETURN"), None, None, None, None];

/// What a temporal hint speaks of.
pub(crate) fn hint_kind(row: &Row) -> &'static str {
    if row.flags.contains(Flags::ATOMIC) {
        "ATOMIC"
    } else if row.flags.contains(Flags::STORE) {
        "STORE"
    } else {
        "LOAD"
    }
}

/// Name of a temporal hint, without TH_ and kind.
pub(crate) fn hint_name(kind: &str, th: u8, scope: u8) -> Option<&'static str> {
    match (kind, th) {
        ("ATOMIC", 4..) if scope >= SCOPE_DEV => Some(if th & 2 != 0 { "CASCADE_NT" } else { "CASCADE_RT" }),
        ("STORE" | "LOAD", 3) if scope == SCOPE_SYS => Some("BYPASS"),
        ("STORE", 3) => Some("RT_WB"),
        ("LOAD", 3) => Some("LU"),
        ("ATOMIC", _) => TH_ATOMIC[usize::from(th & 7)],
        ("STORE", _) => TH_STORE[usize::from(th & 7)],
        _ => TH_LOAD[usize::from(th & 7)],
    }
}

impl Printer<'_> {
    /// Cache policy: single bits before gfx12, a temporal hint and a scope from there.
    pub(super) fn cache(&mut self) {
        let m = &self.inst.mods;
        let has_scopes = self.target.has(Feature::Sc0Sc1);
        if self.target.has(Feature::TemporalHints) {
            self.temporal_hint(m.th, m.scope);
            if m.scope != 0 {
                self.num(format_args!(" scope:SCOPE_{}", SCOPES[usize::from(m.scope & 3)]));
            }
        } else if has_scopes && self.inst.enc != Enc::SMEM {
            self.flag(m.glc, " sc0");
            self.flag(m.slc, " nt");
            self.flag(m.scc, " sc1");
        } else {
            self.flag(m.glc, " glc");
            self.flag(m.slc, " slc");
            self.flag(m.dlc, " dlc");
            self.flag(m.scc && !has_scopes, " scc");
        }
    }

    fn temporal_hint(&mut self, th: u8, scope: u8) {
        if th == 0 {
            return;
        }
        let kind = hint_kind(self.inst.row);
        let name = hint_name(kind, th, scope);
        match name {
            Some(name) => self.num(format_args!(" th:TH_{kind}_{name}")),
            // Numbers of loads have no prefix.
            None if kind == "LOAD" => self.num(format_args!(" th:{th:#x}")),
            None => self.num(format_args!(" th:TH_{kind}_{th:#x}")),
        }
    }

    pub(super) fn buffer(&mut self) {
        let m = &self.inst.mods;
        // The default of every family: data format 8, number format UNORM.
        if self.inst.enc == Enc::MTBUF && m.format != 1 {
            self.buffer_format(m.format);
        }
        self.flag(m.idxen, " idxen");
        self.flag(m.offen, " offen");
        self.flag(m.addr64, " addr64");
        self.offset();
        // Where LDS is the only place, it stands first.
        let only_lds = !self.inst.row.ops.contains(&Opd::VADDR);
        self.flag(m.lds && only_lds, " lds");
        self.cache();
        self.flag(m.lds && !only_lds, " lds");
        self.flag(m.tfe, " tfe");
    }

    fn buffer_format(&mut self, format: u8) {
        let unified = match self.target.space() {
            Space::Gfx6 | Space::Gfx8 => return self.split_buffer_format(format),
            Space::Gfx10 => names::FORMATS_GFX10,
            Space::Gfx11 | Space::Gfx12 => &names::FORMATS,
        };
        match unified.get(usize::from(format)) {
            Some(name) => self.num(format_args!(" format:[BUF_FMT_{name}]")),
            None => self.num(format_args!(" format:{format}")),
        }
    }

    /// Before gfx10 data format and number format are apart; a default is left out.
    fn split_buffer_format(&mut self, format: u8) {
        let (data, number) = (usize::from(format & 15), usize::from(format >> 4 & 7));
        self.put(" format:[");
        if data != 1 {
            self.num(format_args!("BUF_DATA_FORMAT_{}", names::DATA_FORMATS[data]));
            self.flag(number != 0, ",");
        }
        if number != 0 {
            let name = match names::NUMBER_FORMATS[number] {
                "RESERVED_6" if self.target.space() == Space::Gfx6 => "SNORM_OGL",
                name => name,
            };
            self.num(format_args!("BUF_NUM_FORMAT_{name}"));
        }
        self.put("]");
    }

    pub(super) fn image(&mut self) {
        let m = &self.inst.mods;
        if self.inst.row.flags.contains(Flags::BVH) {
            self.flag(m.a16, " a16");
            return;
        }
        if m.dmask != 0 {
            self.num(format_args!(" dmask:{:#x}", m.dmask));
        }
        if self.target.space() >= Space::Gfx10 {
            self.num(format_args!(" dim:SQ_RSRC_IMG_{}", names::DIMS[usize::from(m.dim)]));
        }
        self.flag(m.unorm, " unorm");
        self.cache();
        self.flag(m.r128, " r128");
        self.flag(m.a16, " a16");
        self.flag(m.tfe, " tfe");
        self.flag(m.lwe, " lwe");
        self.flag(m.da, " da");
        self.flag(m.d16, " d16");
    }

    /// `vdata, vaddr, srsrc, ssamp`; addresses spread over registers print as a list in brackets.
    pub(super) fn image_operands(&mut self) {
        let ops = self.inst.ops();
        let tail = self.inst.row.ops.len() - 2;
        let addresses = 1..ops.len() - tail;
        for (i, op) in ops.iter().enumerate() {
            self.put(if i == 0 { " " } else { ", " });
            let many = addresses.len() > 1;
            self.flag(many && i == addresses.start, "[");
            self.operand(Opd::D(Ty::B32), op);
            self.flag(many && i + 1 == addresses.end, "]");
        }
    }
}
