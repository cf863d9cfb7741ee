//! Buffer, image and ray instructions: what [`Op::Texture`](super::Op::Texture) names.
//!
//! The IR knows which registers such an instruction reads and writes, and nothing else of it: a site keeps the decoded instruction, and
//! the run time makes of it what it needs, once ([`Site::resolved`]). Register roles follow the RDNA3 ISA, chapters 9 and 10.

use crate::isa::{Enc, Family, Flags, Gfx, Inst, Opd, Operand};
use std::any::Any;
use std::fmt;
use std::sync::OnceLock;

/// Most rows a site has: addresses, data and results together.
pub const SITE_ROWS: usize = 32;

/// Which part of a result register is written; the rest keeps its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Written {
    Whole,
    Low,
    High,
}

/// Registers of a buffer, image or ray instruction by role.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SiteRegisters {
    /// Descriptors: first scalar code and dwords, the resource before the sampler.
    pub descriptors: Vec<(u8, u8)>,
    /// SGPR offset of buffer instructions.
    pub soffset: Option<Operand>,
    /// M0 is read too: where in LDS.
    pub reads_m0: bool,
    /// Rows of the address, in order.
    pub address: Vec<u16>,
    /// Rows of data read.
    pub data: Vec<u16>,
    /// Rows written.
    pub results: Vec<(u16, Written)>,
    /// Lanes beyond EXEC are read: quads take differences.
    pub reads_all_lanes: bool,
}

impl SiteRegisters {
    /// Of a decoded instruction; the error says what is wrong with it.
    pub fn of(inst: &Inst, target: Gfx) -> Result<SiteRegisters, &'static str> {
        if !matches!(inst.enc, Enc::MUBUF | Enc::MTBUF | Enc::MIMG) || inst.ops().is_empty() {
            return Err("a buffer or image instruction expected");
        }
        let mut r = SiteRegisters::default();
        let is_buffer = inst.enc != Enc::MIMG;
        let mut operands = inst.ops();
        let to_lds = is_buffer && (inst.mods.lds || inst.name().contains("_lds_"));
        if let (Some(Opd::VDATA(_)), Some((data, rest))) = (inst.row.ops.first(), operands.split_first()) {
            operands = rest;
            if !to_lds {
                r.data_registers(inst, target, rows(*data)?)?;
            }
        }
        r.reads_m0 = to_lds;
        if let (true, Some((soffset, rest))) = (is_buffer, operands.split_last()) {
            operands = rest;
            r.soffset = Some(*soffset);
        }
        for op in operands {
            match *op {
                Operand::Sgpr { n, count } => r.descriptors.push((n, count)),
                Operand::Off => {}
                op => r.address.extend(rows(op)?),
            }
        }
        r.reads_all_lanes = r.descriptors.len() > 1;
        if r.address.len() + r.data.len() + r.results.len() > SITE_ROWS {
            return Err("more registers than any instruction has");
        }
        Ok(r)
    }

    fn data_registers(&mut self, inst: &Inst, target: Gfx, vdata: Vec<u16>) -> Result<(), &'static str> {
        let (flags, mods) = (inst.row.flags, &inst.mods);
        if flags.contains(Flags::STORE) {
            self.data = vdata;
            return Ok(());
        }
        let status = usize::from(mods.tfe || mods.lwe);
        if flags.contains(Flags::ATOMIC) {
            let values = vdata.len() - status.min(vdata.len());
            let returned = if inst.name().contains("cmpswap") { values / 2 } else { values };
            if mods.glc || target.family() >= Family::Gfx12 && mods.th & 1 != 0 {
                self.results = vdata[..returned].iter().map(|r| (*r, Written::Whole)).collect();
                self.results.extend(vdata[values..].iter().map(|r| (*r, Written::Whole)));
            }
            self.data = vdata[..values].to_vec();
            return Ok(());
        }
        let n = vdata.len().checked_sub(status).ok_or("a status register expected")?;
        let part = |i: usize| {
            if inst.enc == Enc::MIMG {
                let components = if flags.contains(Flags::GATHER) { 4 } else { mods.dmask.count_ones().max(1) };
                return if mods.d16 && components % 2 == 1 && i + 1 == n { Written::Low } else { Written::Whole };
            }
            let name = inst.name();
            match name.contains("d16") {
                true if name.contains("d16_hi") => Written::High,
                // Packed pairs; the odd one out, and single values, have the low half.
                true if i + 1 == n && !name.ends_with("_xy") && !name.ends_with("_xyzw") => Written::Low,
                _ => Written::Whole,
            }
        };
        self.results = vdata.iter().enumerate().map(|(i, r)| (*r, if i < n { part(i) } else { Written::Whole })).collect();
        Ok(())
    }

    /// Dwords of scalar operands: descriptors, SGPR offset, M0.
    pub fn scalars(&self) -> usize {
        self.descriptors.iter().map(|d| usize::from(d.1)).sum::<usize>() + usize::from(self.soffset.is_some()) + usize::from(self.reads_m0)
    }
}

/// Rows of a vector operand.
fn rows(op: Operand) -> Result<Vec<u16>, &'static str> {
    match op {
        Operand::Vgpr { n, count, .. } => Ok((0..count.into()).map(|i| (n + i) & 255).collect()),
        Operand::Agpr { n, count } => Ok((0..count.into()).map(|i| 256 + ((n + i) & 255)).collect()),
        _ => Err("VGPRs expected"),
    }
}

/// One such instruction of a function.
pub struct Site {
    /// Processor.
    pub target: Gfx,
    /// The instruction.
    pub inst: Inst,
    /// Scalar operands: descriptor dwords, then the SGPR offset (buffers), then M0 (accesses to LDS).
    pub scalars: u8,
    /// Lane operands: addresses, then data.
    pub addresses: u8,
    /// See `addresses`.
    pub data: u8,
    /// Results.
    pub results: u8,
    resolved: OnceLock<Box<dyn Any + Send + Sync>>,
}

impl Site {
    /// The site of an instruction.
    pub fn new(inst: Inst, target: Gfx) -> Result<Site, &'static str> {
        let r = SiteRegisters::of(&inst, target)?;
        Ok(Site {
            target,
            inst,
            scalars: r.scalars() as u8,
            addresses: r.address.len() as u8,
            data: r.data.len() as u8,
            results: r.results.len() as u8,
            resolved: OnceLock::new(),
        })
    }

    /// What the run time made of the instruction: `make` is called the first time.
    pub fn resolved<T: Any + Send + Sync>(&self, make: impl FnOnce(&Site) -> T) -> Option<&T> {
        self.resolved.get_or_init(|| Box::new(make(self))).downcast_ref()
    }
}

impl PartialEq for Site {
    fn eq(&self, other: &Site) -> bool {
        self.target == other.target && self.inst.dwords() == other.inst.dwords()
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.target, self.inst)
    }
}
