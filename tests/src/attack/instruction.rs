//! Random instructions of gfx11: every row, in every format it has, with random fields, kept if the decoder takes them.

use super::source::Source;
use std::sync::OnceLock;
use wavejit_isa::{Enc, Flags, Gfx, Row, Space, decode, rows};

/// The processor that is attacked.
pub const GFX: Gfx = Gfx::GFX1100;

/// A format: the bits that name it, and where the opcode is (RDNA3 ISA, chapter 15).
struct Format {
    enc: Enc,
    first: u32,
    opcode_bit: u32,
}

const fn format(enc: Enc, first: u32, opcode_bit: u32) -> Format {
    Format { enc, first, opcode_bit }
}

const FORMATS: &[Format] = &[
    format(Enc::SOP2, 0x8000_0000, 23),
    format(Enc::SOPK, 0xb000_0000, 23),
    format(Enc::SOP1, 0xbe80_0000, 8),
    format(Enc::SOPC, 0xbf00_0000, 16),
    format(Enc::SOPP, 0xbf80_0000, 16),
    format(Enc::SMEM, 0xf400_0000, 18),
    format(Enc::VOP1, 0x7e00_0000, 9),
    format(Enc::VOP2, 0, 25),
    format(Enc::VOPC, 0x7c00_0000, 17),
    format(Enc::VOP3, 0xd400_0000, 16),
    format(Enc::VOP3SD, 0xd400_0000, 16),
    format(Enc::VOP3P, 0xcc00_0000, 16),
    format(Enc::VINTERP, 0xcd00_0000, 16),
    format(Enc::LDSDIR, 0xce00_0000, 20),
    format(Enc::VOPD, 0xc800_0000, 22),
    format(Enc::DS, 0xd800_0000, 18),
    format(Enc::MUBUF, 0xe000_0000, 18),
    format(Enc::MTBUF, 0xe800_0000, 15),
    format(Enc::MIMG, 0xf000_0000, 18),
    format(Enc::FLAT, 0xdc00_0000, 18),
    format(Enc::GLOBAL, 0xdc02_0000, 18),
    format(Enc::SCRATCH, 0xdc01_0000, 18),
    format(Enc::EXP, 0xf800_0000, 4),
];

/// A row in one of its formats.
#[derive(Clone, Copy)]
pub struct Form {
    /// The row.
    pub row: &'static Row,
    format: &'static Format,
    opcode: u32,
}

impl Form {
    /// Its format.
    pub fn enc(&self) -> Enc {
        self.format.enc
    }
}

/// Every row of the target in every format it has.
pub fn forms() -> &'static [Form] {
    static FORMS: OnceLock<Vec<Form>> = OnceLock::new();
    FORMS.get_or_init(|| {
        let mut forms = vec![];
        for row in rows::all().iter().filter(|r| r.exists_on(GFX)) {
            for enc in row.encs_on(GFX) {
                let Some(format) = FORMATS.iter().find(|f| f.enc == enc) else { continue };
                let number = match enc {
                    Enc::VOP3 | Enc::VOP3SD => row.vop3_number(Space::Gfx11),
                    _ => row.number(Space::Gfx11),
                };
                forms.extend(number.map(|n| Form { row, format, opcode: n.into() }));
            }
        }
        forms
    })
}

/// Those of the formats that take descriptors: buffer, image and ray instructions.
pub fn descriptor_forms() -> &'static [Form] {
    static FORMS: OnceLock<Vec<Form>> = OnceLock::new();
    FORMS.get_or_init(|| forms().iter().filter(|f| matches!(f.enc(), Enc::MUBUF | Enc::MTBUF | Enc::MIMG)).copied().collect())
}

/// How fields are filled.
#[derive(Clone, Copy)]
pub struct Registers {
    /// VGPRs that are mostly used.
    pub vgprs: u32,
    /// SGPRs that are mostly used.
    pub sgprs: u32,
}

fn vgpr(s: &mut Source, r: Registers) -> u32 {
    if s.one_in(24) { s.below(256) } else { s.below(r.vgprs) }
}

fn sgpr(s: &mut Source, r: Registers) -> u32 {
    match s.below(16) {
        0 => s.below(128),
        1 => s.pick(&[106, 107, 124, 125, 126, 127]),
        2..6 => s.below(r.sgprs) & !1,
        _ => s.below(r.sgprs),
    }
}

/// A scalar source: register, inline constant, literal, special.
fn ssrc(s: &mut Source, r: Registers) -> u32 {
    match s.below(8) {
        0 => s.range(128, 209),
        1 => s.range(235, 256),
        _ => sgpr(s, r),
    }
}

/// A 9-bit source.
fn src(s: &mut Source, r: Registers) -> u32 {
    match s.below(16) {
        0 => s.below(512),
        1..5 => ssrc(s, r),
        5 => s.pick(&[233, 234, 250]),
        _ => 256 + vgpr(s, r),
    }
}

/// Bits that are mostly zero.
fn rare(s: &mut Source, bits: u32) -> u32 {
    if s.one_in(3) { s.below(1 << bits) } else { 0 }
}

/// Fills in the fields of a format.
fn fields(s: &mut Source, r: Registers, form: &Form) -> Vec<u32> {
    let y_only = form.row.flags.contains(Flags::Y_ONLY);
    let first = form.format.first | form.opcode << if y_only { 17 } else { form.format.opcode_bit };
    if form.row.ops.is_empty() && !matches!(form.enc(), Enc::SOPP) {
        return vec![first | if form.row.flags.contains(Flags::GDS) { 1 << 17 } else { 0 }, 0, 0, 0, 0];
    }
    let simm = |s: &mut Source| match s.below(4) {
        0 => s.dword() & 0xffff,
        1 => s.below(16),
        2 => 0u32.wrapping_sub(s.below(24)) & 0xffff,
        _ => s.hostile() & 0xffff,
    };
    let offset12 = |s: &mut Source| if s.one_in(4) { s.below(0x1000) } else { s.below(64) * 4 };
    let mut words = match form.enc() {
        Enc::SOP2 => vec![first | sgpr(s, r) << 16 | ssrc(s, r) << 8 | ssrc(s, r)],
        Enc::SOPK => vec![first | sgpr(s, r) << 16 | simm(s)],
        Enc::SOP1 => vec![first | sgpr(s, r) << 16 | ssrc(s, r)],
        Enc::SOPC => vec![first | ssrc(s, r) << 8 | ssrc(s, r)],
        Enc::SOPP => vec![first | simm(s)],
        Enc::SMEM => {
            let offset = if s.one_in(4) { s.dword() & 0x1f_ffff } else { s.below(128) * 4 };
            let register = if s.one_in(4) { sgpr(s, r) } else { 124 };
            vec![first | sgpr(s, r) >> 1 | sgpr(s, r) << 6 | rare(s, 4) << 13, register << 25 | offset]
        }
        Enc::VOP1 => vec![first | vgpr(s, r) << 17 | src(s, r)],
        Enc::VOP2 => vec![first | vgpr(s, r) << 17 | vgpr(s, r) << 9 | src(s, r)],
        Enc::VOPC => vec![first | vgpr(s, r) << 9 | src(s, r)],
        Enc::VOP3 | Enc::VOP3SD | Enc::VINTERP => {
            let destination = if s.one_in(4) { sgpr(s, r) } else { vgpr(s, r) };
            let low = if form.enc() == Enc::VOP3SD { sgpr(s, r) << 8 } else { rare(s, 7) << 8 };
            // Sources that a row lacks must be 0.
            let second = if s.one_in(3) { 0 } else { src(s, r) << 9 };
            let third = if s.one_in(2) { 0 } else { src(s, r) << 18 };
            vec![first | low | rare(s, 1) << 15 | destination, src(s, r) | second | third | rare(s, 5) << 27]
        }
        Enc::VOP3P => {
            let third = if s.one_in(3) { 0 } else { src(s, r) << 18 };
            vec![first | rare(s, 8) << 8 | vgpr(s, r), src(s, r) | src(s, r) << 9 | third | s.below(32) << 27]
        }
        Enc::VOPD => vec![
            first | if y_only { s.below(14) << 22 } else { s.below(19) << 17 } | vgpr(s, r) << 9 | src(s, r),
            vgpr(s, r) << 24 | (vgpr(s, r) >> 1) << 17 | vgpr(s, r) << 9 | src(s, r),
        ],
        Enc::LDSDIR => vec![first | s.below(1 << 20)],
        Enc::DS => {
            let offsets = if s.one_in(3) { s.below(1 << 16) } else { s.below(32) * 4 };
            // Registers that a row lacks must be 0.
            let mut optional = |shift: u32| if s.one_in(2) { 0 } else { vgpr(s, r) << shift };
            let registers = optional(0) | optional(8) | optional(16) | optional(24);
            let gds = if form.row.flags.contains(Flags::GDS) { 1 } else { rare(s, 1) };
            vec![first | gds << 17 | offsets, registers]
        }
        Enc::MUBUF | Enc::MTBUF => {
            let (format, cache) = (if form.enc() == Enc::MTBUF { s.below(128) << 19 } else { 0 }, rare(s, 3) << 12);
            let soffset = if s.one_in(2) { 128 } else { ssrc(s, r) };
            let second = vgpr(s, r) | vgpr(s, r) << 8 | (sgpr(s, r) >> 2) << 16 | rare(s, 1) << 21 | s.below(4) << 22 | soffset << 24;
            vec![first | format | cache | offset12(s), second]
        }
        Enc::MIMG => {
            let is_ray = form.row.flags.contains(Flags::BVH);
            let modifiers = match is_ray {
                true => 0x8f80,
                false => s.below(8) << 2 | rare(s, 1) << 7 | s.range(1, 16) << 8 | rare(s, 6) << 12,
            };
            let nsa = if s.one_in(4) { 1 } else { 0 };
            let second =
                vgpr(s, r) | vgpr(s, r) << 8 | (sgpr(s, r) >> 2) << 16 | rare(s, 2) << 21 | rare(s, 1) << 23 | (sgpr(s, r) >> 2) << 26;
            vec![first | modifiers | nsa, second]
        }
        Enc::FLAT | Enc::GLOBAL | Enc::SCRATCH => {
            let saddr = if s.one_in(2) { 124 } else { sgpr(s, r) & !1 };
            let cache = rare(s, 3) << 13;
            let sve = if form.enc() == Enc::SCRATCH { s.below(2) << 23 } else { 0 };
            vec![first | cache | offset12(s), vgpr(s, r) | vgpr(s, r) << 8 | saddr << 16 | sve | vgpr(s, r) << 24]
        }
        _ => vec![first | s.below(1 << 12), s.dword()],
    };
    // Literals, DPP, further address registers: the decoder says how much it took.
    while words.len() < 5 {
        words.push(if s.one_in(2) { vgpr(s, r) | vgpr(s, r) << 8 | vgpr(s, r) << 16 | vgpr(s, r) << 24 } else { s.dword() });
    }
    words
}

/// An instruction of a form; `None` if none of some attempts was one.
pub fn of_form(s: &mut Source, r: Registers, form: &Form, wave_size: u32) -> Option<Vec<u32>> {
    for _ in 0..64 {
        let words = fields(s, r, form);
        if let Ok(inst) = decode(&words, GFX, wave_size)
            && (inst.row.id == form.row.id || inst.row_y.is_some_and(|y| y.id == form.row.id))
        {
            return Some(words[..usize::from(inst.len)].to_vec());
        }
    }
    None
}

/// Any instruction, each row as likely as every other.
pub fn any(s: &mut Source, r: Registers, wave_size: u32) -> Vec<u32> {
    let forms = forms();
    for _ in 0..16 {
        let form = forms[s.index(forms.len())];
        if let Some(words) = of_form(s, r, &form, wave_size) {
            return words;
        }
    }
    // s_nop 0
    vec![0xbf80_0000]
}

/// Where the instructions of code begin, in dwords; what does not decode counts as one.
pub fn boundaries(code: &[u32], wave_size: u32) -> Vec<usize> {
    let (mut at, mut out) = (0, vec![]);
    while at < code.len() {
        out.push(at);
        at += decode(&code[at..code.len().min(at + 5)], GFX, wave_size).map_or(1, |i| usize::from(i.len.max(1)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_row_of_the_target_comes_up() {
        let mut source = Source::of_seed(1);
        let registers = Registers { vgprs: 32, sgprs: 64 };
        let mut missing = BTreeSet::new();
        for form in forms() {
            let found = (0..8).any(|n| of_form(&mut source, registers, form, if n % 2 == 0 { 32 } else { 64 }).is_some());
            if !found {
                missing.insert(format!("{} {:?}", form.row.name, form.enc()));
            }
        }
        assert!(missing.is_empty(), "{} of {}: {missing:?}", missing.len(), forms().len());
        let rows: BTreeSet<u16> = forms().iter().map(|f| f.row.id).collect();
        let all = rows::all().iter().filter(|r| r.exists_on(GFX));
        let without: Vec<&str> = all.filter(|r| !rows.contains(&r.id)).map(|r| r.name).collect();
        assert!(without.is_empty(), "without a format: {without:?}");
        assert!(descriptor_forms().len() > 100);
    }
}
