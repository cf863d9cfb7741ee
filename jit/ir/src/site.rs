//! Buffer, image and ray instructions: what [`Op::Resource`](super::Op::Resource) names.
//!
//! The IR knows which registers such an instruction reads and writes, and nothing else of it: a site keeps the decoded instruction, and
//! the run time makes of it what it needs, once ([`Site::resolved`]). Register roles follow the RDNA3 ISA, chapters 9 and 10.

use std::any::Any;
use std::fmt;
use std::sync::OnceLock;
use wavejit_isa::Feature;
use wavejit_isa::memory::buffer::{D16, Opcode, Part};
use wavejit_isa::memory::image::Kind;
use wavejit_isa::{Enc, Flags, Gfx, Inst, MemoryKind, Opd, Operand};

/// Most rows a site has: addresses, data and results together.
pub const SITE_ROWS: usize = 32;

/// Stands for a row beyond the file of its register: v256, a256.
pub const NO_ROW: u16 = 0xfe00;

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
    /// Rows of the address, in order; [`NO_ROW`] may be among these and the following.
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
        let is_buffer = matches!(inst.enc, Enc::MUBUF | Enc::MTBUF);
        if !is_buffer && !matches!(inst.enc, Enc::MIMG | Enc::VIMAGE | Enc::VSAMPLE) || inst.ops().is_empty() {
            return Err("a buffer or image instruction expected");
        }
        let mut r = SiteRegisters::default();
        let mut operands = inst.ops();
        let to_lds = is_buffer && (inst.mods.lds || matches!(inst.row.memory, Some(MemoryKind::Buffer { to_lds: true, .. })));
        // What goes to LDS, or comes from there, is in no operand.
        if let (Some(Opd::VDATA(_)), Some((data, rest)), false) = (inst.row.ops.first(), operands.split_first(), to_lds) {
            operands = rest;
            let mut data = rows(*data)?;
            if is_msaa_load(inst) && !inst.row.flags.contains(Flags::GATHER) {
                all_fragments(inst, &mut data);
            }
            r.data_registers(inst, target, data)?;
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
                Operand::Vgpr { n, .. } if !is_buffer && !target.has(Feature::ImageDim) => r.address.extend(undeclared_address(inst, n)),
                op => r.address.extend(rows(op)?),
            }
        }
        r.reads_all_lanes = r.descriptors.len() > 1;
        if r.address.len() + r.data.len() + r.results.len() > SITE_ROWS {
            return Err("more registers than any instruction has");
        }
        Ok(r)
    }

    fn data_registers(&mut self, inst: &Inst, target: Gfx, mut vdata: Vec<u16>) -> Result<(), &'static str> {
        let (flags, mods) = (inst.row.flags, &inst.mods);
        if flags.contains(Flags::STORE) {
            self.data = vdata;
            return Ok(());
        }
        let status = usize::from(mods.tfe || mods.lwe);
        // A status follows the data of LWE as of TFE (IMG-01), but LLVM counts it for TFE only.
        if let (true, false, Some(last)) = (mods.lwe, mods.tfe, vdata.last()) {
            vdata.push(row_in_file(last & 256, (last & 255) + 1));
        }
        if flags.contains(Flags::ATOMIC) {
            let is_image = !matches!(inst.enc, Enc::MUBUF | Enc::MTBUF);
            if let (true, Some(first)) = (is_image, vdata.first().copied()) {
                // LLVM names the registers of one of its encodings; how many there are is for dmask to say.
                let n = mods.dmask.count_ones().max(1) as u16 + status as u16;
                vdata = (0..n).map(|i| row_in_file(first & 256, (first & 255) + i)).collect();
            }
            let values = vdata.len() - status.min(vdata.len());
            let returned = values / atomic_operands(inst);
            if mods.glc || target.has(Feature::TemporalHints) && mods.th & 1 != 0 {
                self.results = vdata[..returned].iter().map(|r| (*r, Written::Whole)).collect();
                self.results.extend(vdata[values..].iter().map(|r| (*r, Written::Whole)));
            }
            self.data = vdata[..values].to_vec();
            return Ok(());
        }
        // Two registers hold four halves, and a status follows. LLVM has no tuple of three for it, and names four or five registers.
        if flags.contains(Flags::GATHER) && mods.d16 && !target.has(Feature::UnpackedD16) {
            vdata.truncate(2 + status);
        }
        let n = vdata.len().checked_sub(status).ok_or("a status register expected")?;
        let part = |i: usize| {
            if !matches!(inst.enc, Enc::MUBUF | Enc::MTBUF) {
                let components = if flags.contains(Flags::GATHER) || is_msaa_load(inst) { 4 } else { mods.dmask.count_ones().max(1) };
                return if mods.d16 && components % 2 == 1 && i + 1 == n { Written::Low } else { Written::Whole };
            }
            let Some(MemoryKind::Buffer { opcode, .. }) = inst.row.memory else { return Written::Whole };
            match opcode {
                Opcode::Load { part: Part::High, .. } | Opcode::LoadFormat { d16: D16::High, .. } => Written::High,
                Opcode::Load { part: Part::Low, .. } => Written::Low,
                // Packed pairs; the odd one out has the low half.
                Opcode::LoadFormat { d16: D16::Low, components } if i + 1 == n && components % 2 == 1 => Written::Low,
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

/// Address rows of an image instruction before gfx10: how many there are is the descriptor's secret, so these are all that may be.
fn undeclared_address(inst: &Inst, first: u16) -> impl Iterator<Item = u16> {
    let most = match inst.row.memory {
        Some(MemoryKind::Image { kind, g16 }) => kind.address_bounds(g16).1,
        _ => 0,
    };
    (0..most.into()).map(move |i| row_in_file(0, first + i))
}

fn is_msaa_load(inst: &Inst) -> bool {
    matches!(inst.row.memory, Some(MemoryKind::Image { kind: Kind::MsaaLoad, .. }))
}

/// Operands of an atomic: a comparand is one more.
fn atomic_operands(inst: &Inst) -> usize {
    match inst.row.memory {
        Some(MemoryKind::Buffer { opcode: Opcode::Atomic { op, .. }, .. } | MemoryKind::Image { kind: Kind::Atomic(op), .. }) => {
            op.operands()
        }
        _ => 1,
    }
}

/// LLVM counts the results of gfx10.3's image_msaa_load by dmask, which says which channel it is; there are four of them (IMG-33).
fn all_fragments(inst: &Inst, data: &mut Vec<u16>) {
    let fragments = if inst.mods.d16 { 2 } else { 4 };
    let first = data.first().copied().unwrap_or(0);
    *data = (0..fragments + u16::from(inst.mods.tfe)).map(|i| row_in_file(0, first + i)).collect();
}

/// Rows of a vector operand.
fn rows(op: Operand) -> Result<Vec<u16>, &'static str> {
    match op {
        Operand::Vgpr { n, count, .. } => Ok((0..count.into()).map(|i| row_in_file(0, n + i)).collect()),
        Operand::Agpr { n, count } => Ok((0..count.into()).map(|i| row_in_file(256, (n & 255) + i)).collect()),
        _ => Err("VGPRs expected"),
    }
}
/// Row of register `n` of the file that starts at row `file`.
fn row_in_file(file: u16, n: u16) -> u16 {
    if n < 256 { file + n } else { NO_ROW }
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

    /// What the run time made of the instruction: `make` is called the first time, by several threads if they come at once.
    pub fn resolved<T: Any + Send + Sync>(&self, make: impl FnOnce(&Site) -> T) -> Option<&T> {
        let resolved = self.resolved.get().unwrap_or_else(|| {
            // Not while others wait, which a process forked meanwhile would do for ever.
            let made = Box::new(make(self));
            self.resolved.get_or_init(|| made)
        });
        resolved.downcast_ref()
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

#[cfg(test)]
mod tests {
    use super::*;
    use wavejit_isa::decode;

    /// Registers of an instruction: descriptors, address, data, results without their parts, M0.
    fn roles(target: u16, words: &[u32]) -> (Vec<(u8, u8)>, Vec<u16>, Vec<u16>, Vec<u16>, bool) {
        let target = Gfx(target);
        let inst = decode(words, target, 64).unwrap_or_else(|e| panic!("{e:?}"));
        let r = SiteRegisters::of(&inst, target).unwrap();
        let site = Site::new(inst, target).unwrap();
        assert_eq!(usize::from(site.addresses), r.address.len());
        (r.descriptors, r.address, r.data, r.results.iter().map(|r| r.0).collect(), r.reads_m0)
    }

    #[test]
    fn roles_follow_the_instruction_on_every_family() {
        let v4 = vec![(4, 4)];
        // Assembled by LLVM.
        for (target, words, want) in [
            // buffer_load_dword v1, v[2:3], s[4:7], s1 addr64 offset:4
            (0x600, &[0xe030_8004, 0x0101_0102][..], (v4.clone(), vec![2, 3], vec![], vec![1], false)),
            // buffer_load_ubyte v2, s[4:7], s1 offen offset:4 lds
            (0x900, &[0xe041_1004, 0x0101_0002], (v4.clone(), vec![2], vec![], vec![], true)),
            // buffer_store_lds_dword s[4:7], s1 offset:4 lds
            (0x900, &[0xe0f5_0004, 0x0101_0000], (v4.clone(), vec![], vec![], vec![], true)),
            // buffer_atomic_add_f64 v[2:3], v1, s[4:7], s1 offen glc
            (0x90a, &[0xe13c_5000, 0x0101_0201], (v4.clone(), vec![1], vec![2, 3], vec![2, 3], false)),
            // buffer_load_dwordx2 a[2:3], v1, s[4:7], s1 offen
            (0x90a, &[0xe054_1000, 0x0181_0201], (v4.clone(), vec![1], vec![], vec![258, 259], false)),
            // buffer_atomic_cmpswap_x2 v[2:5], v1, s[4:7], s1 offen glc
            (0x1030, &[0xe144_5000, 0x0101_0201], (v4.clone(), vec![1], vec![2, 3, 4, 5], vec![2, 3], false)),
            // image_atomic_cmpswap v[0:2], v4, s[8:15] dmask:0x3 dim:SQ_RSRC_IMG_1D unorm glc tfe, which LLVM's disassembler shows as v[0:1]
            (0x1100, &[0xf02c_4380, 0x0022_0004], (vec![(8, 8)], vec![4], vec![0, 1], vec![0, 2], false)),
            // image_atomic_cmpswap v[0:4], v4, s[8:15] dmask:0xf dim:SQ_RSRC_IMG_1D unorm glc tfe, shown as v[0:1]
            (0x1100, &[0xf02c_4f80, 0x0022_0004], (vec![(8, 8)], vec![4], vec![0, 1, 2, 3], vec![0, 1, 4], false)),
            // image_atomic_add v[0:1], v4, s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm glc tfe
            (0x1100, &[0xf030_4180, 0x0022_0004], (vec![(8, 8)], vec![4], vec![0], vec![0, 1], false)),
            // buffer_atomic_add_u32 v2, v1, s[4:7], s1 offen th:TH_ATOMIC_RETURN
            (0x1200, &[0xc40d_4001, 0x4090_0802, 1], (v4.clone(), vec![1], vec![2], vec![2], false)),
            // buffer_load_b96 v[2:4], v[5:6], s[8:11], null idxen offen offset:100
            (0x1200, &[0xc405_807c, 0xc080_1002, 0x6405], (vec![(8, 4)], vec![5, 6], vec![], vec![2, 3, 4], false)),
            // image_sample_c_l v[2:3], [v4, v5, v6, v7], s[8:15], s[16:19] dmask:0x5 dim:SQ_RSRC_IMG_2D
            (0x1200, &[0xe548_8001, 0x0800_1002, 0x0706_0504], (vec![(8, 8), (16, 4)], vec![4, 5, 6, 7], vec![], vec![2, 3], false)),
            // image_sample_d v[0:2], [v4, v15, v6, v7, v8, v9], s[8:15], s[16:19] dmask:0x7 dim:SQ_RSRC_IMG_2D
            (
                0x1030,
                &[0xf088_070c, 0x0082_0004, 0x0807_060f, 9],
                (vec![(8, 8), (16, 4)], vec![4, 15, 6, 7, 8, 9], vec![], vec![0, 1, 2], false),
            ),
            // image_gather4_l v[22:25], [v62, v29, v17, v25], s[28:35], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D tfe d16: two rows and a status
            (
                0x1100,
                &[0xf0c2_0105, 0x1027_163e, 0x0019_111d],
                (vec![(28, 8), (16, 4)], vec![62, 29, 17, 25], vec![], vec![22, 23, 24], false),
            ),
            // image_load v[0:4], v[6:9], s[8:15] dmask:0xf unorm tfe
            (0x600, &[0xf001_1f00, 0x0002_0006], (vec![(8, 8)], vec![6, 7, 8, 9], vec![], vec![0, 1, 2, 3, 4], false)),
            // image_load v[0:3], v[6:9], s[8:15] dmask:0xf unorm lwe, where the text leaves the status out
            (0x600, &[0xf002_1f00, 0x0002_0006], (vec![(8, 8)], vec![6, 7, 8, 9], vec![], vec![0, 1, 2, 3, 4], false)),
            // image_atomic_add v0, v[6:9], s[8:15] dmask:0x1 unorm glc lwe
            (0x600, &[0xf046_3100, 0x0002_0006], (vec![(8, 8)], vec![6, 7, 8, 9], vec![0], vec![0, 1], false)),
        ] {
            assert_eq!(roles(target, words), want, "gfx{target:x} {words:08x?}");
        }
    }
}
