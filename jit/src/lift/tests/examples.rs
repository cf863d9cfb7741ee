//! Every row written as assembly, with what it reads and writes: registers are dealt out by the columns and types of the row, and by nothing
//! else, so that decoder and lifter are both held to it.

use super::*;
use std::collections::BTreeSet;
use wavejit_ir::SReg;
use wavejit_isa::memory::buffer::{D16, Opcode};
use wavejit_isa::memory::image::{Dim, Kind};
use wavejit_isa::row::{Imm, Opd, Ty};
use wavejit_isa::{Access, Enc, Feature, Flags, Implicit, MemoryKind, Part, Row, Space};

/// Registers an instruction reads and writes. VGPRs by row: those of AGPRs are from 256 on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Registers {
    pub vread: BTreeSet<u16>,
    pub vwritten: BTreeSet<u16>,
    pub sread: BTreeSet<SReg>,
    pub swritten: BTreeSet<SReg>,
    pub exec_read: bool,
    pub exec_written: bool,
    pub mode_read: bool,
    pub scratch_read: bool,
}

/// What stands for the sources of an example.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Sources {
    /// Vector registers wherever a column takes them.
    Vector,
    /// A scalar register as the first source.
    Scalar,
    /// 1.0 as this source.
    Float(u8),
    /// [`LITERAL`] as this source.
    Literal(u8),
    /// This source negated.
    Negated(u8),
}

/// What an example has beside its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extra {
    Nothing,
    /// An atomic that returns the old value.
    Returning,
    /// A status after the data.
    Tfe,
    /// Image data in halves.
    D16,
    /// To LDS instead of registers.
    Lds,
}

/// A literal that is no inline constant in any type.
pub(super) const LITERAL: u32 = 0xc12d_4687;

/// A row's instruction on a processor.
#[derive(Debug)]
pub(super) struct Example {
    pub text: String,
    pub registers: Registers,
    /// Type of the source that `Sources` names, if the row has it.
    pub source: Option<Ty>,
}

/// Which example of a row.
#[derive(Clone, Copy)]
pub(super) struct Variant {
    pub enc: Enc,
    pub target: Gfx,
    pub wave_size: u32,
    pub sources: Sources,
    pub extra: Extra,
}

/// Deals out registers.
struct Dealer<'a> {
    row: &'a Row,
    enc: Enc,
    target: Gfx,
    wave_size: u32,
    sources: Sources,
    extra: Extra,
    next_v: u16,
    /// VGPRs between the starts of two operands, at least.
    step: u16,
    next_s: u8,
    out: Example,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Read,
    Written,
    Both,
}
use Role::*;

impl Dealer<'_> {
    fn vector(&mut self, dwords: u8, role: Role) -> String {
        let n = self.next_v;
        // Tuples are even on gfx90a.
        self.next_v = n + u16::from(dwords).next_multiple_of(2).max(self.step);
        let rows = n..n + u16::from(dwords);
        if role != Written {
            self.out.registers.vread.extend(rows.clone());
        }
        if role != Read {
            self.out.registers.vwritten.extend(rows);
        }
        if dwords == 1 { format!("v{n}") } else { format!("v[{n}:{}]", n + u16::from(dwords) - 1) }
    }
    fn scalar(&mut self, dwords: u8, role: Role) -> String {
        let n = self.next_s.next_multiple_of(dwords.next_power_of_two().min(4));
        self.next_s = n + dwords;
        let regs = (n..n + dwords).map(SReg);
        if role != Written {
            self.out.registers.sread.extend(regs.clone());
        }
        if role != Read {
            self.out.registers.swritten.extend(regs);
        }
        if dwords == 1 { format!("s{n}") } else { format!("s[{n}:{}]", n + dwords - 1) }
    }
    fn dwords(&self, ty: Ty) -> u8 {
        ty.dwords(self.wave_size)
    }
    /// VCC as far as the wave has lanes.
    fn vcc(&mut self, role: Role) -> String {
        let regs = [SReg::VCC_LO, SReg::VCC_HI].into_iter().take(self.dwords(Ty::Mask).into());
        if role != Written {
            self.out.registers.sread.extend(regs.clone());
        }
        if role != Read {
            self.out.registers.swritten.extend(regs);
        }
        if self.wave_size == 64 { "vcc".into() } else { "vcc_lo".into() }
    }
    fn mask(&mut self, role: Role) -> String {
        if matches!(self.enc, Enc::VOP2 | Enc::VOPC) { self.vcc(role) } else { self.scalar(self.dwords(Ty::Mask), role) }
    }
    /// Source `i`, which may be a vector register or not.
    fn source(&mut self, i: u8, ty: Ty, vector: bool, constant: bool) -> String {
        let n = self.dwords(ty);
        let mut pick = || {
            self.out.source = Some(ty);
        };
        match self.sources {
            Sources::Float(k) if k == i && constant => {
                pick();
                return "1.0".into();
            }
            Sources::Literal(k) if k == i && constant => {
                pick();
                return if ty.is_16() { format!("{:#x}", LITERAL & 0xffff) } else { format!("{LITERAL:#x}") };
            }
            Sources::Negated(k) if k == i => {
                pick();
                let text = if vector { self.vector(n, Read) } else { self.scalar(n, Read) };
                return format!("-{text}");
            }
            Sources::Scalar if i == 0 && constant => return self.scalar(n, Read),
            _ => {}
        }
        if vector { self.vector(n, Read) } else { self.scalar(n, Read) }
    }

    fn column(&mut self, column: Opd) -> Option<String> {
        let salu = self.enc.is_salu();
        let destination = if self.row.flags.contains(Flags::ACC) { Both } else { Written };
        if self.row.flags.contains(Flags::WRITES_SOURCE) && matches!(column, Opd::V0(_) | Opd::ADDR) {
            return Some(self.vector(1, Both));
        }
        Some(match column {
            Opd::D(t) => self.vector(self.dwords(t), destination),
            Opd::RD(t) => {
                if self.extra != Extra::Returning {
                    return None;
                }
                self.vector(self.dwords(t), Written)
            }
            Opd::SD(t) => self.scalar(self.dwords(t), destination),
            Opd::SS(t) | Opd::SR0(t) | Opd::SBASE(t) | Opd::RSRC(t) => self.scalar(self.dwords(t), Read),
            Opd::SAMP => self.scalar(4, Read),
            Opd::SOFFSET => self.scalar(1, Read),
            Opd::MD => self.mask(Written),
            Opd::M2 => self.mask(Read),
            Opd::S0(t) => self.source(0, t, !salu, true),
            Opd::S1(t) => self.source(1, t, !salu, salu || matches!(self.enc, Enc::VOP3 | Enc::VOP3SD | Enc::VOP3P)),
            Opd::S2(t) => self.source(2, t, !salu, true),
            Opd::R0(t) => self.source(0, t, false, true),
            // The constant bus has one scalar before gfx10.
            Opd::R1(_) if !self.target.has(Feature::Wave32) && self.row.ops.iter().any(|o| matches!(o, Opd::R0(_))) && !salu => "3".into(),
            Opd::R1(t) => self.source(1, t, false, false),
            Opd::R2(t) => self.source(2, t, false, false),
            Opd::V0(t) => self.source(0, t, true, false),
            Opd::V1(t) => self.source(1, t, true, false),
            Opd::V2(t) => self.source(2, t, true, false),
            Opd::C2(t) | Opd::DA(t) | Opd::DB(t) => self.vector(self.dwords(t), Read),
            Opd::INDEX(_) | Opd::E(_) => self.vector(1, Read),
            Opd::LIT(_) => format!("{LITERAL:#x}"),
            Opd::K(Imm::Hwreg) => "hwreg(HW_REG_LDS_ALLOC)".into(),
            Opd::K(Imm::Sendmsg) => "sendmsg(MSG_INTERRUPT)".into(),
            Opd::K(_) | Opd::SIMM | Opd::IDX => "1".into(),
            Opd::MSG => "128".into(),
            Opd::SOFF if self.sources == Sources::Scalar => self.scalar(1, Read),
            Opd::SOFF | Opd::SOFFI => "0x10".into(),
            Opd::SOFFR => self.scalar(1, Read),
            Opd::SADDR => match (self.enc, self.sources) {
                (Enc::GLOBAL, Sources::Scalar) => self.scalar(2, Read),
                (Enc::SCRATCH, Sources::Scalar) => self.scalar(1, Read),
                // These have no other address.
                _ if !self.row.ops.contains(&Opd::ADDR) => self.scalar(2, Read),
                _ => "off".into(),
            },
            Opd::ADDR => match (self.enc, self.sources) {
                (Enc::FLAT, _) => self.vector(2, Read),
                (Enc::GLOBAL, s) if s != Sources::Scalar => self.vector(2, Read),
                (Enc::SCRATCH, Sources::Scalar) => "off".into(),
                _ => self.vector(1, Read),
            },
            Opd::VADDR => {
                if self.sources == Sources::Scalar {
                    "off".into()
                } else {
                    self.vector(1, Read)
                }
            }
            Opd::VDATA(_) if self.extra == Extra::Lds => {
                self.out.registers.sread.insert(SReg::M0);
                return None;
            }
            Opd::VDATA(t) => self.data(t),
            Opd::IADDR => self.addresses(),
            Opd::ATTR => "attr0.x".into(),
            Opd::PARAM => "p10".into(),
            Opd::TGT => "mrt0".into(),
            Opd::AD(_) | Opd::A0(_) | Opd::AV0(_) | Opd::AV1(_) => return None,
        })
    }
    /// Data of a buffer or image instruction.
    fn data(&mut self, ty: Ty) -> String {
        let role = match self.row.flags {
            f if f.contains(Flags::STORE) => Read,
            f if f.contains(Flags::ATOMIC) && self.extra != Extra::Returning => Read,
            f if f.contains(Flags::ATOMIC) => Both,
            _ => Written,
        };
        let dwords = match self.row.memory {
            Some(MemoryKind::Image { .. }) if self.row.flags.contains(Flags::GATHER) => 4,
            Some(MemoryKind::Image { .. }) => self.dmask().count_ones() as u8,
            _ => self.dwords(ty),
        };
        let dwords = if self.extra == Extra::D16 && !self.target.has(Feature::UnpackedD16) { dwords / 2 } else { dwords };
        let dwords = dwords + u8::from(self.extra == Extra::Tfe);
        let first = self.next_v;
        let text = self.vector(dwords, role);
        // Of an operand and a comparand the first half is written.
        let op = match self.row.memory {
            Some(MemoryKind::Buffer { opcode: Opcode::Atomic { op, .. }, .. } | MemoryKind::Image { kind: Kind::Atomic(op), .. }) => {
                Some(op)
            }
            _ => None,
        };
        if let (Some(op), Both) = (op, role) {
            let returned = u16::from(dwords) / op.operands() as u16;
            self.out.registers.vwritten.retain(|n| !(first + returned..first + u16::from(dwords)).contains(n));
        }
        text
    }
    fn dmask(&self) -> u8 {
        match self.row.memory {
            Some(MemoryKind::Image { kind: Kind::Atomic(op), .. }) => {
                if op.operands() == 2 {
                    3
                } else {
                    1
                }
            }
            _ if self.row.flags.contains(Flags::GATHER) => 1,
            _ => 15,
        }
    }
    /// Of a two-dimensional image, or a ray.
    fn addresses(&mut self) -> String {
        let dwords = match self.row.memory {
            Some(MemoryKind::Image { kind, g16 }) => kind.layout(self.dim(), false, g16).registers,
            Some(MemoryKind::Ray(form)) => form.address_dwords(false) as u8,
            _ => 0,
        };
        let is_ray = matches!(self.row.memory, Some(MemoryKind::Ray(_)));
        if let (Some(MemoryKind::Image { kind, .. }), false) = (self.row.memory, self.target.has(Feature::ImageDim)) {
            // The descriptor decides how many there are.
            let first = self.next_v;
            self.out.registers.vread.extend(first..first + u16::from(kind.address_bounds(false).1));
        }
        if dwords == 1 || self.target.space() < Space::Gfx11 || self.target.space() == Space::Gfx11 && !is_ray && dwords > 4 {
            return self.vector(dwords, Read);
        }
        let ray: &[u8] = match dwords {
            11 => &[1, 1, 3, 3, 3],
            12 => &[2, 1, 3, 3, 3],
            _ => &[],
        };
        let spread = if self.enc == Enc::VSAMPLE { 4 } else { 5 };
        let parts: Vec<String> = if is_ray {
            ray.iter().map(|n| self.vector(*n, Read)).collect()
        } else if dwords <= spread {
            (0..dwords).map(|_| self.vector(1, Read)).collect()
        } else {
            let last = spread - 1;
            (0..last).map(|_| 1).chain([dwords - last]).map(|n| self.vector(n, Read)).collect()
        };
        format!("[{}]", parts.join(", "))
    }
    fn dim(&self) -> Dim {
        if matches!(self.row.memory, Some(MemoryKind::Image { kind: Kind::MsaaLoad, .. })) { Dim::Msaa } else { Dim::D2 }
    }

    fn modifiers(&self) -> String {
        let mut out = String::new();
        let mut put = |text: &str| {
            out.push(' ');
            out.push_str(text);
        };
        if self.extra == Extra::Returning {
            put(match self.target.space() {
                Space::Gfx12 => "th:TH_ATOMIC_RETURN",
                _ if self.target.has(Feature::Sc0Sc1) => "sc0",
                _ => "glc",
            });
        }
        match self.enc {
            Enc::MUBUF | Enc::MTBUF if self.row.ops.contains(&Opd::VADDR) && self.sources != Sources::Scalar => put("offen"),
            Enc::MIMG | Enc::VIMAGE | Enc::VSAMPLE if !matches!(self.row.memory, Some(MemoryKind::Ray(_))) => {
                put(&format!("dmask:{:#x}", self.dmask()));
                if self.target.has(Feature::ImageDim) {
                    put(if self.dim() == Dim::Msaa { "dim:SQ_RSRC_IMG_2D_MSAA" } else { "dim:SQ_RSRC_IMG_2D" });
                }
            }
            _ => {}
        }
        if self.row.flags.contains(Flags::GDS) {
            put("gds");
        }
        match self.extra {
            Extra::Tfe => put("tfe"),
            Extra::D16 => put("d16"),
            Extra::Lds => put("lds"),
            Extra::Nothing | Extra::Returning => {}
        }
        if self.row.flags.contains(Flags::LDS) && !self.row.ops.iter().any(|o| matches!(o, Opd::VADDR | Opd::ADDR)) {
            put("lds");
        }
        out
    }

    fn mnemonic(&self) -> String {
        let name = self.row.name_on(self.target);
        let suffix = match self.enc {
            Enc::VOP1 | Enc::VOP2 | Enc::VOPC if self.row.encs.len() > 1 => "_e32",
            Enc::VOP3 | Enc::VOP3SD if self.row.enc() != self.enc => "_e64",
            _ => "",
        };
        format!("{name}{suffix}")
    }

    /// State that no operand names.
    fn state(&mut self, reads: Implicit, writes: Implicit) {
        let vcc = [SReg::VCC_LO, SReg::VCC_HI].into_iter().take(self.dwords(Ty::Mask).into());
        let r = &mut self.out.registers;
        for (set, regs) in [(reads, &mut r.sread), (writes, &mut r.swritten)] {
            for (state, reg) in [(Implicit::SCC, SReg::SCC), (Implicit::M0, SReg::M0)] {
                if set.contains(state) {
                    regs.insert(reg);
                }
            }
            if set.contains(Implicit::VCC) {
                regs.extend(vcc.clone());
            }
        }
        r.exec_read |= reads.contains(Implicit::EXEC);
        r.exec_written |= writes.contains(Implicit::EXEC);
        r.mode_read |= reads.contains(Implicit::MODE);
        r.scratch_read |= reads.contains(Implicit::FLAT_SCR);
    }

    /// What is written in part is read too: the rest stays.
    fn kept(&mut self) {
        let half_result = matches!(self.row.ops.first(), Some(Opd::D(t)) if t.is_16() && self.target.has(Feature::KeepsOtherHalf));
        let half_load = match (self.row.access, self.row.memory) {
            (Some(Access::Load(_, part)), _) => part != Part::Whole,
            (_, Some(MemoryKind::Buffer { opcode: Opcode::Load { part, .. }, .. })) => part != Part::Whole,
            _ => false,
        };
        let r = &mut self.out.registers;
        let status = usize::from(self.extra == Extra::Tfe);
        let data = r.vwritten.len().saturating_sub(status);
        if half_result || half_load {
            r.vread.extend(r.vwritten.iter().take(data));
        }
        // Of an odd number of halves the last one, or the only one. A status is a whole register.
        if let Some(MemoryKind::Buffer { opcode: Opcode::LoadFormat { components, d16 }, .. }) = self.row.memory {
            let data = r.vwritten.iter().copied().rev().nth(status);
            if d16 == D16::High || d16 == D16::Low && components % 2 == 1 {
                r.vread.extend(data);
            }
        }
    }
}

fn dealer(row: &Row, v: Variant) -> Dealer<'_> {
    let out = Example { text: String::new(), registers: Registers::default(), source: None };
    let Variant { enc, target, wave_size, sources, extra } = v;
    Dealer { row, enc, target, wave_size, sources, extra, next_v: 8, step: 2, next_s: 16, out }
}

/// The row as an instruction of a processor.
pub(super) fn example(row: &Row, v: Variant) -> Example {
    let mut d = dealer(row, v);
    let operands: Vec<String> = row.ops.iter().filter_map(|c| d.column(*c)).collect();
    d.kept();
    let text = format!("{} {}{}", d.mnemonic(), operands.join(", "), d.modifiers());
    Example { text, ..d.out }
}

/// Two rows as the halves of a dual instruction, whose registers stand in different banks.
pub(super) fn dual(x: &Row, y: &Row, v: Variant) -> Example {
    let half = |row, next_v, next_s| {
        let mut d = Dealer { next_v, step: 4, next_s, ..dealer(row, v) };
        let operands: Vec<String> = row.ops.iter().filter_map(|c| d.column(*c)).collect();
        d.state(row.reads, row.writes);
        Example { text: format!("{} {}", d.mnemonic(), operands.join(", ")), ..d.out }
    };
    let (mut x, y) = (half(x, 8, 16), half(y, 25, 20));
    let (r, also) = (&mut x.registers, y.registers);
    r.vread.extend(also.vread);
    r.vwritten.extend(also.vwritten);
    r.sread.extend(also.sread);
    r.exec_read |= also.exec_read;
    r.mode_read |= also.mode_read;
    Example { text: format!("{} :: {}", x.text, y.text), registers: x.registers, source: x.source.or(y.source) }
}

impl Example {
    /// With the state that the instruction reads and writes beside its operands.
    pub(super) fn with_state(mut self, inst: &isa::Inst, v: Variant) -> Example {
        let mut d = Dealer { out: self, ..dealer(inst.row, v) };
        d.state(inst.implicit_reads(), inst.implicit_writes());
        self = d.out;
        self
    }
}

/// The examples that a row has in a format: registers first, then what else its columns and flags allow.
pub(super) fn variants(row: &Row, enc: Enc, target: Gfx, wave_size: u32) -> Vec<Variant> {
    let base = Variant { enc, target, wave_size, sources: Sources::Vector, extra: Extra::Nothing };
    let mut out = vec![base];
    let one_scalar = !target.has(Feature::Wave32);
    let names_scalar =
        row.ops.iter().any(|o| matches!(o, Opd::M2 | Opd::LIT(_) | Opd::R1(_))) || row.reads.intersects(Implicit::VCC | Implicit::M0);
    let is_memory = matches!(enc, Enc::SMEM | Enc::GLOBAL | Enc::SCRATCH | Enc::MUBUF | Enc::MTBUF);
    let takes_scalar = row.ops.iter().any(|o| matches!(o, Opd::S0(_))) && !enc.is_salu() && !(one_scalar && names_scalar);
    if takes_scalar || is_memory && !row.ops.is_empty() {
        out.push(Variant { sources: Sources::Scalar, ..base });
    }
    let mut add = |extra, holds: bool| {
        if holds {
            out.push(Variant { extra, ..base });
        }
    };
    let has = |flag| row.flags.contains(flag);
    let is_site = matches!(enc, Enc::MUBUF | Enc::MTBUF | Enc::MIMG | Enc::VIMAGE | Enc::VSAMPLE);
    let data = matches!(row.ops.first(), Some(Opd::VDATA(_)));
    let returns = match row.ops.first() {
        // gfx908 adds floats without returning them.
        Some(Opd::VDATA(Ty::F32 | Ty::F16X2)) => target.family() != isa::Family::Gfx9,
        Some(Opd::VDATA(_) | Opd::RD(_)) => has(Flags::ATOMIC),
        _ => false,
    };
    add(Extra::Returning, returns && has(Flags::ATOMIC));
    add(
        Extra::Tfe,
        is_site
            && data
            && !has(Flags::NOTFE)
            && !has(Flags::ATOMIC)
            && !has(Flags::STORE)
            && !has(Flags::BVH)
            && !target.has(Feature::UnifiedVgprs),
    );
    add(Extra::D16, is_site && has(Flags::D16) && target.space() != Space::Gfx6);
    add(Extra::Lds, matches!(enc, Enc::MUBUF) && data && has(Flags::LDS) && target.space() < Space::Gfx11);
    out
}

/// Those that show the types of its sources: constants and signs.
pub(super) fn typed_variants(row: &Row, enc: Enc, target: Gfx, wave_size: u32) -> Vec<Variant> {
    let base = Variant { enc, target, wave_size, sources: Sources::Vector, extra: Extra::Nothing };
    let vector = !enc.is_salu() && enc != Enc::SMEM;
    let sources = (0..3).flat_map(|i| {
        let signed = matches!(enc, Enc::VOP3 | Enc::VOP3SD) && row.flags.bits() >> i & 1 != 0;
        [Some(Sources::Float(i)), Some(Sources::Literal(i)), (vector && signed).then_some(Sources::Negated(i))]
    });
    sources.flatten().map(|sources| Variant { sources, ..base }).collect()
}
