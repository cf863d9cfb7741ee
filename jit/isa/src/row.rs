//! The shape of a table row. The rows themselves are in `rows/`, one file per format.
//!
//! A row lists its operands in the order LLVM prints them. Each operand says which encoding field it comes from and the type it is read
//! or written as; the type fixes the register count and how constants are read. Everything that follows from the format (the VOP3 form of
//! a VOP2 instruction, DPP, implicit VCC) is a rule in `decode/`, not a column here. Reference: RDNA3 ISA, chapters 15 and 16.

use super::access::{Access, AtomicOp, MemKind, Part};
use super::counters::Waits;
use super::enc::Enc;
use super::follow::Follow;
use super::memory::MemoryKind;
use super::target::{Gfx, Procs, SPACES, Space};

/// No opcode number: the family lacks the instruction.
pub const X: u16 = 0xffff;

/// Type of an operand: how many dwords it has and how an inline constant or literal fills them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Ty {
    B16,
    I16,
    U16,
    F16,
    BF16,
    B32,
    I32,
    U32,
    F32,
    /// Two 16-bit halves of one register.
    I16X2,
    U16X2,
    F16X2,
    BF16X2,
    B64,
    I64,
    U64,
    F64,
    B96,
    B128,
    B256,
    B512,
    B1024,
    /// Pairs in two registers.
    B32X2,
    F32X2,
    /// Four 64-bit floats.
    F64X4,
    /// Matrix fragments of WMMA accumulators: 8 dwords in wave32, 4 in wave64.
    AccF32,
    AccI32,
    AccF16,
    AccBF16,
    /// The same with two elements in a dword (gfx12): 4 dwords in wave32, 2 in wave64.
    AccPkF16,
    AccPkBF16,
    /// Fragments of the multiplied matrices: this many dwords in wave32, half as many in wave64.
    Frag(u8),
    /// One bit per lane: one dword in wave32, two in wave64.
    Mask,
}

impl Ty {
    /// Registers taken by an operand of this type.
    pub fn dwords(self, wave_size: u32) -> u8 {
        use Ty::*;
        match self {
            B64 | I64 | U64 | F64 | B32X2 | F32X2 => 2,
            B96 => 3,
            B128 => 4,
            B256 | F64X4 => 8,
            B512 => 16,
            B1024 => 32,
            AccF32 | AccI32 | AccF16 | AccBF16 => (256 / wave_size.max(32)) as u8,
            AccPkF16 | AccPkBF16 => (128 / wave_size.max(32)) as u8,
            Frag(dwords) => (u32::from(dwords) * 32 / wave_size.max(32)) as u8,
            Mask => (wave_size.max(32) / 32) as u8,
            _ => 1,
        }
    }

    /// One 16-bit value in half a register.
    pub fn is_16(self) -> bool {
        matches!(self, Ty::B16 | Ty::I16 | Ty::U16 | Ty::F16 | Ty::BF16)
    }

    /// The type a scalar format's source has in text: LLVM types the halves of SOP1 as 32-bit words and those of SOPC as integers.
    pub fn in_text(self, enc: Enc) -> Ty {
        match (enc, self) {
            (Enc::SOP1, Ty::F16) => Ty::B32,
            (Enc::SOPC, Ty::F16) => Ty::B16,
            _ => self,
        }
    }

    /// Floats whose sign VOP3 can change.
    const fn has_sign(self) -> bool {
        matches!(self, Ty::F16 | Ty::F32 | Ty::F64 | Ty::F16X2 | Ty::BF16 | Ty::BF16X2)
    }

    /// 64-bit scalar types.
    pub fn is_64(self) -> bool {
        matches!(self, Ty::B64 | Ty::I64 | Ty::U64 | Ty::F64)
    }
}

/// Named immediates: how a number prints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Imm {
    /// Decimal when it is an inline integer, else hexadecimal.
    Auto,
    /// Always hexadecimal.
    Hex,
    /// Unsigned decimal: branch distance in dwords.
    Branch,
    /// s_endpgm: not printed when 0.
    Optional,
    Hwreg,
    Sendmsg,
    /// s_version: a number and flags.
    Version,
    Waitcnt,
    Depctr,
    DelayAlu,
    /// s_set_gpr_idx_mode: the operands that M0 indexes.
    GprIdx,
}

/// An operand column of a row: encoding field and type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opd {
    /// VGPR destination (vdst).
    D(Ty),
    /// Scalar destination (sdst, SMEM sdata; VOP3 vdst for readlane).
    SD(Ty),
    /// Scalar destination field read as a source too, or only (s_cmpk, s_setreg).
    SS(Ty),
    /// SOP source field 0, register only (jumps and relative moves).
    SR0(Ty),
    /// Lane-mask destination: VCC in VOP2/VOPC, sdst or vdst in VOP3.
    MD,
    /// Source field 0: any register class or constant the field can name.
    S0(Ty),
    /// Source field 1.
    S1(Ty),
    /// Source field 2.
    S2(Ty),
    /// Source field 0, VGPR only.
    V0(Ty),
    /// Source field 1, VGPR only.
    V1(Ty),
    /// Source field 2, VGPR only.
    V2(Ty),
    /// Source field 2 of WMMA and MFMA: VGPRs (AGPRs where the destination is), or an inline constant.
    C2(Ty),
    /// Source field 2 of SWMMAC: indices of a sparse matrix whose elements have this many bits.
    INDEX(u8),
    /// MAI: source field 0, VGPRs or AGPRs.
    AV0(Ty),
    /// MAI: source field 1, VGPRs or AGPRs.
    AV1(Ty),
    /// Source field 0, AGPRs only.
    A0(Ty),
    /// AGPR destination (vdst).
    AD(Ty),
    /// Source field 0, scalar or constant.
    R0(Ty),
    /// Source field 1, scalar or constant.
    R1(Ty),
    /// Source field 2, scalar or constant.
    R2(Ty),
    /// Lane-mask source: VCC in VOP2, field 2 in VOP3.
    M2,
    /// The literal dword that always follows (fmaak, fmamk, s_setreg_imm32).
    LIT(Ty),
    /// 16-bit immediate.
    K(Imm),
    /// The 8-bit source field read as a message number (s_sendmsg_rtn).
    MSG,
    /// The second 8-bit source field read as operands to index (s_set_gpr_idx_on).
    IDX,
    /// SMEM: 7-bit immediate in the sdata field (prefetch and probe forms).
    SIMM,
    /// SMEM base: 64-bit address or 128-bit V#.
    SBASE(Ty),
    /// SMEM offset: register, immediate or both.
    SOFF,
    /// SMEM offset as an immediate alone (prefetch).
    SOFFI,
    /// SMEM offset as a register alone (prefetch).
    SOFFR,
    /// DS, FLAT: address register; its width follows from the segment.
    ADDR,
    /// DS, FLAT: first data field.
    DA(Ty),
    /// DS: second data field.
    DB(Ty),
    /// FLAT: scalar address, prints `off` when absent.
    SADDR,
    /// Destination that exists only with glc (returning atomics of FLAT/GLOBAL).
    RD(Ty),
    /// Buffer and image data: loaded, stored or both.
    VDATA(Ty),
    /// Buffer address: off, index, offset or both.
    VADDR,
    /// Buffer resource.
    RSRC(Ty),
    /// Image sampler.
    SAMP,
    /// Buffer scalar offset.
    SOFFSET,
    /// Image address registers.
    IADDR,
    /// LDSDIR, VINTRP: attribute and channel.
    ATTR,
    /// VINTRP: the parameter to move (p10, p20, p0).
    PARAM,
    /// EXP: target.
    TGT,
    /// EXP: one of four sources.
    E(u8),
}

bitflags::bitflags! {
    /// What a row's VOP3, DPP and memory forms allow. Names with numbers speak of sources 0, 1, 2.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Flags: u64 {
        /// neg and abs on source 0.
        const M0 = 1;
        /// neg and abs on sources 0 and 1.
        const M01 = 3;
        /// neg and abs on all three.
        const M012 = 7;
        /// neg on source 1, whose abs bit is ignored.
        const NEG1 = 1 << 3;
        /// neg on sources 1 and 2, whose abs bits are ignored.
        const NEG12 = 1 << 4;
        /// neg and abs bits of sources 0 and 1 have no meaning.
        const IGN01 = 1 << 5;
        /// neg and abs bits of all sources have no meaning.
        const IGN012 = 1 << 6;
        /// clamp.
        const CL = 1 << 7;
        /// omod.
        const OM = 1 << 8;
        /// op_sel on every source and the destination.
        const OS = 1 << 9;
        /// op_sel on source 2 and the destination only.
        const OS23 = 1 << 10;
        /// op_sel on sources 0 and 1 only (the permlane controls).
        const OS01 = 1 << 11;
        /// No DPP form.
        const NODPP = 1 << 12;
        /// VOP3P: op_sel and op_sel_hi select halves.
        const PK = 1 << 14;
        /// VOP3P: neg is a sign control (iu8/iu4), no neg_hi.
        const IU = 1 << 15;
        /// VOP3P mixed precision: neg_hi is abs, op_sel_hi defaults to 0.
        const MIX = 1 << 16;
        /// VOP3P: neg_lo and neg_hi.
        const NEG = 1 << 17;
        /// DS: two offsets.
        const TWO = 1 << 18;
        /// DS: gds only.
        const GDS = 1 << 19;
        /// DS: never gds.
        const NOGDS = 1 << 20;
        /// Atomic: reads, changes and writes memory.
        const ATOMIC = 1 << 21;
        /// Memory write without a result.
        const STORE = 1 << 22;
        /// Buffer: no tfe.
        const NOTFE = 1 << 23;
        /// Image: 16-bit data can be packed (d16).
        const D16 = 1 << 24;
        /// Image gather: always four components.
        const GATHER = 1 << 25;
        /// VOPD: only as the Y half.
        const Y_ONLY = 1 << 26;
        /// Prints halves (`.l`, `.h`) whatever the syntax.
        const HALF = 1 << 13;
        /// Image: ray intersection.
        const BVH = 1 << 27;
        /// neg and abs bits of source 0 have no meaning.
        const IGN0 = 1 << 30;
        /// LLVM 19 names halves in the long forms too where it does so at all (`+real-true16`).
        const TRUE16 = 1 << 28;
        /// FLAT or buffer load that can write LDS instead of a register up to gfx10 (the lds bit), or an instruction on LDS alone.
        const LDS = 1 << 40;
        /// VOP3P: neg_lo and neg_hi of source 2 only.
        const NEG2 = 1 << 41;
        /// The destination is a source too (v_mac, v_fmac, v_dot2c).
        const ACC = 1 << 45;
        /// The first source is a destination too (v_swap, ds_bvh_stack).
        const WRITES_SOURCE = 1 << 52;
        /// VOP3: a byte of the source or destination is selected (gfx12 conversions of fp8).
        const BYTE = 1 << 46;
        /// SDWA selects source bytes but no part of the destination (gfx940 conversions of fp8).
        const BYTES = 1 << 47;
        /// Prints `_e32` though it has no long form.
        const E32 = 1 << 48;
        /// Its floats are only moved, classified or rounded as the name says: the float mode does not matter.
        const EXACT = 1 << 50;
        /// Works on a lane it names, whatever EXEC says (v_readfirstlane_b32 takes the first that EXEC has).
        const ANY_LANE = 1 << 42;
        /// DS: data goes from lane to lane and never to memory.
        const LANES = 1 << 43;
        /// Interpolation: can use the high half of an attribute.
        const HIGH = 1 << 49;
        /// Buffer: a cache instruction with a scope.
        const SCOPED = 1 << 51;
        /// DS: the two offsets count 64 elements.
        const STRIDE64 = 1 << 58;
        /// DS: the offset is a pattern that says which lane reads which.
        const SWIZZLE = 1 << 33;
        /// Its sources stand in reverse order (v_subrev, v_lshlrev).
        const REV = 1 << 31;
        /// Has the DPP and SDWA forms though it names no operand.
        const BARE = 1 << 32;
        /// A word with a name in listings, but no instruction that could run.
        const LISTED = 1 << 34;
        /// LLVM 19 prints the lane mask of its DPP form on gfx12 within the bars of abs.
        const MASK_IN_ABS = 1 << 35;
    }
}

bitflags::bitflags! {
    /// State an instruction reads or writes without naming it as an operand (or prints, like VCC in VOP2).
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Implicit: u16 {
        #[allow(missing_docs)]
        const EXEC = 1;
        #[allow(missing_docs)]
        const VCC = 2;
        #[allow(missing_docs)]
        const SCC = 4;
        #[allow(missing_docs)]
        const M0 = 8;
        #[allow(missing_docs)]
        const MODE = 16;
        /// The scratch base (FLAT_SCR).
        const FLAT_SCR = 32;
    }
}

/// Everything known about one opcode.
#[derive(Clone, Debug)]
pub struct Row {
    /// Index in [`super::rows::all`]: dense, so that per-row data can be kept in a plain array.
    pub id: u16,
    /// Mnemonic without `_e32`/`_e64`/`_dpp` suffixes: gfx11's name, or the newest where gfx11 lacks the instruction.
    pub name: &'static str,
    /// What other processors call it.
    pub names: &'static [(Procs, &'static str)],
    /// Formats it exists in, the native one first.
    pub encs: &'static [Enc],
    /// Opcode number in the native format by number space ([`X`]: the space lacks it). The VOP3 number of a VOP1/VOP2/VOPC row follows by
    /// rule.
    pub numbers: [u16; SPACES],
    /// Processors that have it, among those whose space has a number.
    pub on: Procs,
    /// Operands in print order.
    pub ops: &'static [Opd],
    /// Modifiers and memory properties.
    pub flags: Flags,
    /// State read beside the operands.
    pub reads: Implicit,
    /// State written beside the operands.
    pub writes: Implicit,
    /// What it does to memory (SMEM, DS, FLAT, GLOBAL, SCRATCH).
    pub access: Option<Access>,
    /// What a buffer, image or ray instruction does.
    pub memory: Option<MemoryKind>,
    /// How its results can be followed.
    pub follow: Option<Follow>,
    /// What it waits for.
    pub waits: Waits,
}

impl Row {
    /// Native format.
    pub fn enc(&self) -> Enc {
        self.encs[0]
    }

    /// The mnemonic on a processor, without encoding suffix.
    pub fn name_on(&self, target: Gfx) -> &'static str {
        if self.names.is_empty() {
            return self.name;
        }
        self.names.iter().find(|n| n.0.has(target)).map_or(self.name, |n| n.1)
    }

    /// Opcode number in the native format.
    pub fn number(&self, space: Space) -> Option<u16> {
        let n = self.numbers[space as usize];
        (n != X).then_some(n)
    }

    /// Does the processor have it?
    pub fn exists_on(&self, target: Gfx) -> bool {
        self.number(target.space()).is_some() && self.on.has(target)
    }

    /// Has a form in this format.
    pub fn has(&self, enc: Enc) -> bool {
        self.encs.contains(&enc)
    }

    /// Its formats on a processor: gfx12 has VIMAGE and VSAMPLE in place of MIMG.
    pub fn encs_on(&self, target: Gfx) -> impl Iterator<Item = Enc> + use<> {
        let gfx12 = target.space() == Space::Gfx12;
        self.encs.iter().copied().filter(move |enc| match enc {
            Enc::MIMG => !gfx12,
            Enc::VIMAGE | Enc::VSAMPLE => gfx12,
            _ => true,
        })
    }

    /// VOP3 (or VOP3SD) opcode by the promotion rule.
    pub fn vop3_number(&self, space: Space) -> Option<u16> {
        let n = self.number(space)?;
        if !self.encs.iter().any(|e| matches!(e, Enc::VOP3 | Enc::VOP3SD)) {
            return None;
        }
        Some(match self.enc() {
            Enc::VOP2 => n + 0x100,
            Enc::VOP1 if space == Space::Gfx8 => n + 0x140,
            Enc::VOP1 => n + 0x180,
            Enc::VINTRP => match space {
                Space::Gfx8 => n + 0x270,
                Space::Gfx10 => n + 0x200,
                _ => return None,
            },
            _ => n,
        })
    }

    /// v_cmp and v_cmpx.
    pub fn is_compare(&self) -> bool {
        self.enc() == Enc::VOPC
    }

    /// Does this to memory.
    pub const fn does(mut self, memory: MemoryKind) -> Row {
        use super::memory::buffer::Opcode as Buffer;
        use super::memory::image::Kind as Image;
        self.memory = Some(memory);
        let flag = match memory {
            MemoryKind::Buffer { opcode: Buffer::Store { .. } | Buffer::StoreFormat { .. } | Buffer::StoreLds, .. } => Flags::STORE,
            MemoryKind::Buffer { opcode: Buffer::Atomic { .. }, .. } => Flags::ATOMIC,
            MemoryKind::Image { kind: Image::Store { .. }, .. } => Flags::STORE,
            MemoryKind::Image { kind: Image::Atomic(_), .. } => Flags::ATOMIC,
            MemoryKind::Image { kind: Image::Gather4(_) | Image::Gather4h(_), .. } => Flags::GATHER,
            MemoryKind::Ray(_) => Flags::BVH,
            _ => Flags::empty(),
        };
        self.plus(flag.bits())
    }

    /// Its results can be followed like this.
    pub const fn follow(mut self, follow: Follow) -> Row {
        self.follow = Some(follow);
        self
    }

    /// Waits for these counters.
    pub const fn waits(mut self, waits: Waits) -> Row {
        self.waits = waits;
        self
    }

    /// Only on these processors.
    pub const fn on(mut self, procs: Procs) -> Row {
        self.on = procs;
        self
    }

    /// Other names.
    pub const fn named(mut self, names: &'static [(Procs, &'static str)]) -> Row {
        self.names = names;
        self
    }

    /// Loads elements of this kind.
    pub const fn load(mut self, kind: MemKind) -> Row {
        self.access = Some(Access::Load(kind, Part::Whole));
        self
    }

    /// Stores elements of this kind.
    pub const fn store(mut self, kind: MemKind) -> Row {
        self.access = Some(Access::Store(kind, Part::Whole));
        self.writing(Flags::STORE)
    }

    /// Does this to memory.
    pub const fn atomic(mut self, op: AtomicOp) -> Row {
        self.access = Some(Access::Atomic(op));
        self.writing(Flags::ATOMIC)
    }

    /// LDS is not memory in the sense of these flags.
    const fn writing(self, flag: Flags) -> Row {
        if matches!(self.encs[0], Enc::DS) { self } else { self.plus(flag.bits()) }
    }

    /// Does this to memory, which is none of the above.
    pub const fn moves(mut self, access: Access) -> Row {
        self.access = Some(access);
        match access {
            Access::StoreBlock => self.writing(Flags::STORE),
            Access::OrderedAdd => self.writing(Flags::ATOMIC),
            _ => self,
        }
    }

    /// From or to the low half of the register.
    pub const fn low(self) -> Row {
        self.half(Part::Low)
    }

    /// From or to the high half of the register.
    pub const fn high(self) -> Row {
        self.half(Part::High)
    }

    const fn half(mut self, part: Part) -> Row {
        self.access = match self.access {
            Some(Access::Load(kind, _)) => Some(Access::Load(kind, part)),
            Some(Access::Store(kind, _)) => Some(Access::Store(kind, part)),
            other => other,
        };
        self
    }

    /// With these modifiers too.
    pub const fn plus(mut self, flags: u64) -> Row {
        self.flags = self.flags.union(Flags::from_bits_truncate(flags));
        self
    }

    /// Without these modifiers.
    pub const fn less(mut self, flags: u64) -> Row {
        self.flags = self.flags.difference(Flags::from_bits_truncate(flags));
        self
    }

    /// Its destination is a source too.
    pub const fn rw(self) -> Row {
        self.plus(Flags::ACC.bits())
    }

    /// Its first source is a destination too.
    pub const fn wr(self) -> Row {
        self.plus(Flags::WRITES_SOURCE.bits())
    }

    /// Reads this state too.
    pub const fn reads(mut self, state: Implicit) -> Row {
        self.reads = self.reads.union(state);
        self
    }

    /// Writes this state too.
    pub const fn writes(mut self, state: Implicit) -> Row {
        self.writes = self.writes.union(state);
        self
    }
}

/// A row before it has its id: on every processor whose space has a number, with the modifiers that follow from its operands.
pub const fn row(name: &'static str, encs: &'static [Enc], numbers: [u16; SPACES], ops: &'static [Opd]) -> Row {
    Row {
        id: 0,
        name,
        names: &[],
        encs,
        numbers,
        // gfx940 has no image instructions.
        on: if !encs.is_empty() && matches!(encs[0], Enc::MIMG) { Procs::ALL.without(Procs::GFX940) } else { Procs::ALL },
        ops,
        flags: modifiers(encs, ops),
        reads: Implicit::empty(),
        writes: Implicit::empty(),
        access: None,
        memory: None,
        follow: None,
        waits: Waits::No,
    }
}

/// The modifiers that operands imply: in formats that have a long form neg and abs of float sources, clamp of what is or was a float, omod of float
/// results and of conversions from floats (VOP1). Packed results have halves to choose, negate and clamp, and no DPP.
const fn modifiers(encs: &[Enc], ops: &[Opd]) -> Flags {
    use Ty::*;
    if encs.is_empty() {
        return Flags::empty();
    }
    let mut bits = 0;
    let (mut float_source, mut float_result, mut packed_result) = (false, false, false);
    let mut i = 0;
    while i < ops.len() {
        match ops[i] {
            Opd::S0(t) | Opd::V0(t) | Opd::R0(t) if t.has_sign() => (bits, float_source) = (bits | 1, true),
            Opd::S1(t) | Opd::V1(t) | Opd::R1(t) if t.has_sign() => (bits, float_source) = (bits | 2, true),
            Opd::S2(t) | Opd::V2(t) | Opd::R2(t) if t.has_sign() => (bits, float_source) = (bits | 4, true),
            Opd::D(t) | Opd::SD(t) => {
                float_result |= matches!(t, F16 | F32 | F64);
                float_source |= t.has_sign();
                packed_result |= matches!(t, I16X2 | U16X2 | F16X2 | BF16X2 | B32X2 | F32X2);
            }
            _ => {}
        }
        i += 1;
    }
    if matches!(encs[0], Enc::VOP3P) {
        let packed = Flags::PK.union(Flags::NEG).union(Flags::CL).union(Flags::NODPP);
        return if packed_result { packed } else { Flags::empty() };
    }
    let long = encs.len() > 1 || matches!(encs[0], Enc::VOP3 | Enc::VOP3SD);
    if !long || !matches!(encs[0], Enc::VOP1 | Enc::VOP2 | Enc::VOPC | Enc::VOP3 | Enc::VOP3SD | Enc::VINTRP) {
        return Flags::empty();
    }
    if float_result || float_source && matches!(encs[0], Enc::VOP1) {
        bits |= Flags::CL.bits() | Flags::OM.bits();
    } else if float_source {
        bits |= Flags::CL.bits();
    }
    Flags::from_bits_truncate(bits)
}
