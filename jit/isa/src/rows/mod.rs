//! The instruction table, one file per format. Columns are number spaces: gfx6/7, gfx8/9, gfx10, gfx11, gfx12.
//!
//! A row is one line of text, everything that is known of an instruction:
//!
//! ```text
//! v_add_nc_u32   VOP2   [0x25, 0x34, 0x25, 0x25, 0x25] d:U32 = a:U32, b:U32 .plus(CL)          => IAdd32(a, b), clamp UAddSat32(a, b);
//! v_fmac_f32     VOP2   [   X, 0x3b, 0x2b, 0x2b, 0x2b] d:F32 rw = a:F32, b:F32 .on(DL)         => FFma32(a, b, d);
//! v_cmpx_lt_f32  VOPC   [0x11, 0x51, 0x11, 0x91, 0x91] | exec = a:F32, b:F32                   => FCmpLt32(a, b);
//! v_div_fmas_f32 VOP3   [0x16f, 0x1e2, 0x16f, 0x237, 0x237] d:F32 = a:F32, b:F32, c:F32 | vcc  => div_fmas([a, b, c, vcc], false);
//! name           format [opcode numbers, X: none]  written | state = read | state .exceptions    => meaning;
//! ```
//!
//! The name of an operand says its encoding field ([`names`]), its type how it is read and how many registers it has; `rw`: the destination
//! is read too, `wr` on a source: it is written too. What stands after `|` is state that the code does not name. Modifiers follow from the types (`row::modifiers`) but for `.plus`
//! and `.less`. The text is that of a macro, expanded twice: here to [`Row`]s, without the meaning; in the lifter to meanings, whose
//! operands are those of the row, by name (`do load(d, addr, saddr)`, `do ds_atomic(Some(d), addr, [data2, data])`, `ends SwapPc(d, a)`). `=> -` is a row without a meaning. What memory instructions load, store or change is data (`.load(u8).high()`,
//! `.atomic(Add)`, `.moves(LoadBlock)`). Of buffer, image
//! and ray instructions all that they do is data (`.does(sample(Derivatives, C | O))`), and `do resource()` their meaning.
//!
//! Opcode numbers follow the ISA manuals; `isa_check` (tests/llvm-check) compares every row with LLVM's assembler and disassembler.

/// Rows of a table's text as [`Row`]s.
macro_rules! rows {
    ($($name:ident $enc:ident [$($number:tt),*]
        $($out:ident $(: $out_ty:tt $(($out_n:tt))?)? $($rw:ident)?),* $(| $($writes:ident)+)?
        $(= $($in:ident $(: $in_ty:tt $(($in_n:tt))?)? $($wr:ident)?),* $(| $($reads:ident)+)?)?
        $(.$method:ident($($arg:tt)*))*
        => $meaning:tt $($kind:ident)? $(($($operand:tt)*))? $(, clamp $clamped:ident($($clamped_operand:tt)*))?;
    )*) => {
        &[$(
            row(stringify!($name), $enc, [$($number),*], &[
                $($out $(($out_ty $(($out_n))?))?,)*
                $($($in $(($in_ty $(($in_n))?))?,)*)?
            ])
            $($(.$rw())?)* $($($(.$wr())?)*)? $($(.writes(state::$writes))+)? $($($(.reads(state::$reads))+)?)? $(.$method($($arg)*))*,
        )*]
    };
}

mod buffer;
mod ds;
mod export;
mod flat;
mod image;
mod mai;
mod scalar;
mod smem;
mod vop1;
mod vop2;
mod vop3;
mod vop3p;
mod vopc;
mod vopd;

use super::implicit::read_by_rule;
use super::row::Row;
use std::sync::LazyLock;

/// Names of operands: each stands for an encoding field.
pub mod names {
    /// In vector formats.
    pub mod vector {
        pub use crate::follow::Follow::{FirstLane, Move, ReadLane, WriteLane};
        pub use crate::row::Opd::{
            A0 as xa, AD as ad, AV0 as aa, AV1 as ab, C2 as acc, D as d, INDEX as index, LIT as k, M2 as ci, MD as co, R0 as ra, R1 as rb,
            R2 as rc, S0 as a, S1 as b, S2 as c, SD as sd, V0 as va, V1 as vb, V2 as vc,
        };
        pub use crate::row::Opd::{ATTR as attr, E as e0, E as e1, E as e2, E as e3, PARAM as param, TGT as tgt};
    }
    /// In DS, FLAT, GLOBAL and SCRATCH.
    pub mod memory {
        pub use super::elements::*;
        pub use crate::row::Opd::{ADDR as addr, D as d, DA as data, DB as data2, RD as rd, SADDR as saddr};
    }
    /// In MUBUF, MTBUF and the image formats.
    pub mod resource {
        pub use crate::row::Opd::{IADDR as addr, RSRC as rsrc, SAMP as samp, SOFFSET as soffset, VADDR as vaddr, VDATA as data};
    }
    /// In SMEM.
    pub mod smem {
        pub use super::elements::*;
        pub use crate::row::Opd::{SBASE as base, SD as d, SIMM as simm, SOFF as off, SOFFI as offi, SOFFR as offr, SS as data};
    }
    mod elements {
        pub use crate::access::Access::*;
        pub use crate::access::AtomicOp::*;
        pub use crate::access::MemKind::{B32 as b32, B64 as b64, B96 as b96, B128 as b128, I8 as i8, I16 as i16, U8 as u8, U16 as u16};
    }
    /// In scalar formats.
    pub mod scalar {
        pub use crate::counters::Waits::{One, Packed};
        pub use crate::counters::{EXPCNT_ALONE, LGKMCNT, VMCNT, VSCNT};
        pub use crate::follow::Follow::*;
        pub use crate::row::Opd::{
            IDX as idx, K as k, LIT as lit, MSG as msg, R0 as ra, R1 as rb, S0 as a, S1 as b, SD as d, SR0 as sa, SS as r,
        };
    }
}

/// State that instructions read and write without naming it.
#[allow(non_upper_case_globals)] // as it stands in rows
mod state {
    use crate::row::Implicit;
    pub(super) const exec: Implicit = Implicit::EXEC;
    pub(super) const scc: Implicit = Implicit::SCC;
    pub(super) const mode: Implicit = Implicit::MODE;
    pub(super) const vcc: Implicit = Implicit::VCC;
    pub(super) const m0: Implicit = Implicit::M0;
    pub(super) const flat_scr: Implicit = Implicit::FLAT_SCR;
}

/// Short names that keep a row on one line.
mod prelude {
    pub(super) use super::state;
    pub(super) use crate::inst::Enc;
    pub(super) use crate::row::Imm::*;
    pub(super) use crate::row::Ty::*;
    pub(super) use crate::row::{Flags, Row, X, row};
    pub(super) use crate::target::Procs;

    pub(super) const GFX8: Procs = Procs::GFX8;
    pub(super) const GFX940: Procs = Procs::GFX940;
    pub(super) const GFX10_3: Procs = Procs::GFX10_3;
    pub(super) const GFX12: Procs = Procs::GFX12;
    pub(super) const GFX10: Procs = Procs::range(0x1000, 0x10ff);
    pub(super) const ALL: Procs = Procs::ALL;
    pub(super) const GFX10_1: Procs = Procs::GFX10_1;
    pub(super) const GFX7_9: Procs = Procs::range(0x700, 0x9ff);
    pub(super) const GFX8_10_1: Procs = Procs::range(0x800, 0x101f);
    pub(super) const GFX9_10_1: Procs = Procs::range(0x900, 0x101f);
    pub(super) const GFX9_10: Procs = Procs::range(0x900, 0x10ff);
    pub(super) const TO_GFX10: Procs = Procs::range(0x600, 0x10ff);
    pub(super) const FROM_GFX9: Procs = Procs::range(0x900, 0xffff);
    pub(super) const FROM_GFX11_5: Procs = Procs::range(0x1150, 0xffff);

    pub(super) const BEFORE_GFX11: Procs = Procs::range(0x600, 0x10ff);
    pub(super) const SINCE_GFX7: Procs = Procs::range(0x700, 0xffff);
    pub(super) const SINCE_GFX10_3: Procs = Procs::range(0x1030, 0xffff);
    pub(super) const SINCE_GFX11: Procs = Procs::range(0x1100, 0xffff);
    /// gfx90a and gfx94x.
    pub(super) const GFX90A_940: Procs = Procs::GFX90A.or(Procs::GFX940);
    pub(super) const ALL_GFX9: Procs = Procs::range(0x900, 0xfff);
    pub(super) const NOT_90A: Procs = Procs::ALL.without(GFX90A_940);
    pub(super) const TO_GFX7: Procs = Procs::range(0, 0x7ff);
    pub(super) const TO_GFX8: Procs = Procs::range(0, 0x8ff);
    pub(super) const TO_GFX9: Procs = Procs::range(0, 0xfff);
    pub(super) const FROM_GFX940: Procs = Procs::range(0x940, 0xffff);
    /// v_mac_f32 and v_mad_f32, later replaced by the fused ones.
    pub(super) const MAD: Procs = TO_GFX9.without(GFX940).or(Procs::GFX10_1);
    /// v_fmac_f32 and v_xnor_b32.
    pub(super) const DL: Procs = Procs::range(0x906, 0x908).or(GFX90A_940).or(Procs::range(0x1000, 0xffff));
    /// Dot products that add to their destination.
    pub(super) const DOT: Procs = Procs::one(0x908).or(GFX90A_940).or(Procs::range(0x1011, 0x1012)).or(SINCE_GFX10_3);
    pub(super) const PKFMAC: Procs = Procs::one(0x908).or(GFX90A_940).or(Procs::range(0x1000, 0xffff));

    pub(super) const SOP1: &[Enc] = &[Enc::SOP1];
    pub(super) const SOP2: &[Enc] = &[Enc::SOP2];
    pub(super) const SOPC: &[Enc] = &[Enc::SOPC];
    pub(super) const SOPK: &[Enc] = &[Enc::SOPK];
    pub(super) const SOPP: &[Enc] = &[Enc::SOPP];
    pub(super) const SMEM: &[Enc] = &[Enc::SMEM];
    pub(super) const VOP1: &[Enc] = &[Enc::VOP1, Enc::VOP3];
    pub(super) const VOP2: &[Enc] = &[Enc::VOP2, Enc::VOP3];
    pub(super) const VOPC: &[Enc] = &[Enc::VOPC, Enc::VOP3];
    pub(super) const VOP3: &[Enc] = &[Enc::VOP3];
    pub(super) const VOP3SD: &[Enc] = &[Enc::VOP3SD];
    pub(super) const VOP3P: &[Enc] = &[Enc::VOP3P];
    pub(super) const MAI: &[Enc] = &[Enc::MAI];
    pub(super) const VOPD: &[Enc] = &[Enc::VOPD];
    pub(super) const VINTERP: &[Enc] = &[Enc::VINTERP];
    pub(super) const VINTRP: &[Enc] = &[Enc::VINTRP, Enc::VOP3];
    pub(super) const LDSDIR: &[Enc] = &[Enc::LDSDIR];
    pub(super) const DS: &[Enc] = &[Enc::DS];
    pub(super) const FLAT: &[Enc] = &[Enc::FLAT];
    pub(super) const GLOBAL: &[Enc] = &[Enc::GLOBAL];
    pub(super) const SCRATCH: &[Enc] = &[Enc::SCRATCH];
    pub(super) const MUBUF: &[Enc] = &[Enc::MUBUF];
    pub(super) const MTBUF: &[Enc] = &[Enc::MTBUF];
    pub(super) const EXP: &[Enc] = &[Enc::EXP];
    pub(super) const VOP1_ONLY: &[Enc] = &[Enc::VOP1];
    pub(super) const VOP2_ONLY: &[Enc] = &[Enc::VOP2];
    pub(super) const VOP2SD: &[Enc] = &[Enc::VOP2, Enc::VOP3SD];

    /// No processor prints this name, but the assembler knows it.
    pub(super) const ALSO: Procs = Procs::ALL.without(Procs::ALL);

    pub(super) const M01: u64 = Flags::M01.bits();
    pub(super) const NEG1: u64 = Flags::NEG1.bits();
    pub(super) const NEG12: u64 = Flags::NEG12.bits();
    pub(super) const IGN0: u64 = Flags::IGN0.bits();
    pub(super) const IGN01: u64 = Flags::IGN01.bits();
    pub(super) const IGN012: u64 = Flags::IGN012.bits();
    pub(super) const CL: u64 = Flags::CL.bits();
    pub(super) const OM: u64 = Flags::OM.bits();
    pub(super) const OS: u64 = Flags::OS.bits();
    pub(super) const OS01: u64 = Flags::OS01.bits();
    pub(super) const OS23: u64 = Flags::OS23.bits();
    pub(super) const PK: u64 = Flags::PK.bits();
    pub(super) const IU: u64 = Flags::IU.bits();
    pub(super) const MIX: u64 = Flags::MIX.bits();
    pub(super) const NEG: u64 = Flags::NEG.bits();
    pub(super) const TWO: u64 = Flags::TWO.bits();
    pub(super) const GDS: u64 = Flags::GDS.bits();
    pub(super) const NOGDS: u64 = Flags::NOGDS.bits();
    pub(super) const NOTFE: u64 = Flags::NOTFE.bits();
    pub(super) const D16: u64 = Flags::D16.bits();
    pub(super) const GATHER: u64 = Flags::GATHER.bits();
    pub(super) const Y_ONLY: u64 = Flags::Y_ONLY.bits();
    pub(super) const SCOPED: u64 = Flags::SCOPED.bits();
    pub(super) const HALF: u64 = Flags::HALF.bits();
    pub(super) const TRUE16: u64 = Flags::TRUE16.bits();
    pub(super) const LDS: u64 = Flags::LDS.bits();
    pub(super) const NEG2: u64 = Flags::NEG2.bits();
    pub(super) const NODPP: u64 = Flags::NODPP.bits();
    pub(super) const BYTE: u64 = Flags::BYTE.bits();
    pub(super) const BYTES: u64 = Flags::BYTES.bits();
    pub(super) const E32: u64 = Flags::E32.bits();
    pub(super) const HIGH: u64 = Flags::HIGH.bits();
    pub(super) const EXACT: u64 = Flags::EXACT.bits();
    pub(super) const ANY_LANE: u64 = Flags::ANY_LANE.bits();
    pub(super) const STRIDE64: u64 = Flags::STRIDE64.bits();
    pub(super) const LANES: u64 = Flags::LANES.bits();
    pub(super) const SWIZZLE: u64 = Flags::SWIZZLE.bits();
    pub(super) const REV: u64 = Flags::REV.bits();
    pub(super) const BARE: u64 = Flags::BARE.bits();
    pub(super) const LISTED: u64 = Flags::LISTED.bits();
    pub(super) const MASK_IN_ABS: u64 = Flags::MASK_IN_ABS.bits();
    pub(super) const M1: u64 = 2;
}

/// Every row, ordered by id.
pub fn all() -> &'static [Row] {
    static ALL: LazyLock<Vec<Row>> = LazyLock::new(|| {
        let files: [&[Row]; 14] = [
            scalar::ROWS,
            smem::ROWS,
            vop1::ROWS,
            vop2::ROWS,
            vopc::ROWS,
            vop3::ROWS,
            vop3p::ROWS,
            mai::ROWS,
            vopd::ROWS,
            ds::ROWS,
            flat::ROWS,
            buffer::ROWS,
            image::ROWS,
            export::ROWS,
        ];
        let mut rows: Vec<Row> = files.iter().flat_map(|f| f.iter().cloned()).collect();
        for (id, row) in rows.iter_mut().enumerate() {
            row.id = id as u16;
            row.reads |= read_by_rule(row);
        }
        rows
    });
    &ALL
}
