//! What an instruction means: the right-hand side of its row with the types of the left one.
//!
//! Most rows are a function from operands to a result, an operation of the IR or a function over the [`Builder`](wavejit_ir::Builder); [`super::cx`] fetches the
//! operands, applies modifiers and DPP, and writes the result. The others are a function over [`Cx`] in the file of their topic, which gets the operands that the row
//! hands it by name ([`Arg`](super::cx::Arg)).

use super::control::Control;
use super::cx::Cx;
use super::meaning::{F, F2, Meaning, Results};
use super::types::{Mask, T};
use wavejit_ir::NoteKind;
use wavejit_isa::{self as isa, Opd};

/// A vector result of vector operands.
#[derive(Clone)]
pub struct Lane {
    pub dst: T,
    pub src: Box<[T]>,
    pub f: F,
    /// The destination is also the last source (fmac).
    pub acc: bool,
    /// What `clamp` makes of an integer operation.
    pub saturate: Option<F>,
}

/// What a scalar instruction does to SCC.
#[derive(Clone, Copy)]
pub enum Scc {
    Keep,
    /// Result is not zero.
    NonZero,
}

/// Meaning of a row, with the types of its operands.
#[derive(Clone)]
pub enum Sem {
    Lane(Lane),
    /// The same on both halves of packed operands.
    Packed(Lane),
    /// A vector result and a lane mask, in this order.
    LaneCarry {
        dst: T,
        src: Box<[T]>,
        f: F2,
        saturate: Option<F>,
    },
    /// A lane mask: v_cmp to its destination, v_cmpx to EXEC.
    Compare {
        src: Box<[T]>,
        f: F,
    },
    /// A scalar result.
    Scalar {
        dst: T,
        src: Box<[T]>,
        f: F,
        /// The destination is also the last source.
        acc: bool,
        scc: Scc,
    },
    /// A scalar result and SCC (S1).
    ScalarScc {
        dst: T,
        src: Box<[T]>,
        f: F2,
        /// The destination is also the last source.
        acc: bool,
    },
    /// SCC only.
    ScalarCompare {
        src: Box<[T]>,
        f: F,
    },
    /// Everything else that does not end a block.
    Wave(fn(&mut Cx)),
    /// Ends a block, or may.
    Control(fn(&isa::Inst) -> Control),
    /// Nothing to do; kept for tools.
    Note(NoteKind),
}

impl Sem {
    /// `meaning` on the operands of `row`; none if there is none.
    pub fn new(row: &isa::Row, meaning: Meaning) -> Option<Sem> {
        let (f, saturate, reads) = match meaning {
            Meaning::None => return None,
            Meaning::Wave(f) => return Some(Sem::Wave(f)),
            Meaning::Control(c) => return Some(Sem::Control(c)),
            Meaning::Note(kind) => return Some(Sem::Note(kind)),
            Meaning::Value { f, clamped, reads } => (f, clamped, reads),
        };
        let (mut dst, mut mask, mut src) = (None, false, vec![]);
        for op in row.ops {
            let (t, ..) = T::of_column(row, *op);
            match *op {
                Opd::D(_) | Opd::SD(_) | Opd::AD(_) => dst = Some(t),
                Opd::MD => mask = true,
                Opd::M2 | Opd::LIT(_) | Opd::SS(_) | Opd::K(_) | Opd::SR0(_) => src.push(t),
                Opd::S0(_) | Opd::V0(_) | Opd::R0(_) | Opd::S1(_) | Opd::V1(_) | Opd::R1(_) => src.push(t),
                Opd::S2(_) | Opd::V2(_) | Opd::R2(_) => src.push(t),
                _ => panic!("{}: a function of values takes no {op:?}", row.name),
            }
        }
        for state in reads {
            match *state {
                "vcc" => src.push(Mask),
                "scc" => src.push(T::Scc),
                other => panic!("{}: {other} is not a value", row.name),
            }
        }
        let src = src.into_boxed_slice();
        let acc = row.flags.contains(isa::Flags::ACC);
        let scc = row.writes.contains(isa::Implicit::SCC);
        if row.enc().is_salu() {
            return Some(match (f, dst) {
                (Results::One(f), None) => Sem::ScalarCompare { src, f },
                (Results::One(f), Some(dst)) => Sem::Scalar { dst, src, f, acc, scc: if scc { Scc::NonZero } else { Scc::Keep } },
                (Results::Two(f), Some(dst)) if scc => Sem::ScalarScc { dst, src, f, acc },
                (Results::Two(_), _) => panic!("{}: a result and SCC, which the row does not write", row.name),
            });
        }
        Some(match (f, dst) {
            (Results::One(f), None) => Sem::Compare { src, f },
            (Results::One(f), Some(dst)) => {
                let lane = Lane { dst, src, f, acc, saturate };
                if row.enc() == isa::Enc::VOP3P { Sem::Packed(lane) } else { Sem::Lane(lane) }
            }
            (Results::Two(f), Some(dst)) if mask => Sem::LaneCarry { dst, src, f, saturate },
            (Results::Two(_), _) => panic!("{}: two results", row.name),
        })
    }
}
