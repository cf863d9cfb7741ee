//! How the operations see the float mode: three views, from "nothing to do" to "anything goes".
//!
//! Scalar functions are generic over [`Fp`], so that the row loops of the usual modes contain no mode branches at all. What does not
//! depend on the specialization (IEEE, DX10_CLAMP, FP16_OVFL) is read from the mode in each view and costs one select.

use crate::FpMode;
use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

/// A view of the float mode.
pub(crate) trait Fp: Copy {
    /// May denormals have to be flushed?
    const FLUSH: bool;
    /// May rounding be other than to nearest even?
    const DIRECTED: bool;
    /// This view, but always rounding to nearest even.
    type Nearest: Fp;
    /// The view of a mode.
    fn of(mode: FpMode) -> Self;
    /// The mode.
    fn mode(self) -> FpMode;
}

macro_rules! views {
    ($($(#[$doc:meta])* $name:ident $flush:literal $directed:literal $Nearest:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name(FpMode);

        impl Fp for $name {
            const FLUSH: bool = $flush;
            const DIRECTED: bool = $directed;
            type Nearest = $Nearest;
            #[inline(always)]
            fn of(mode: FpMode) -> Self {
                $name(mode)
            }
            #[inline(always)]
            fn mode(self) -> FpMode {
                self.0
            }
        }
    )* };
}

views! {
    /// Nearest even, denormals kept, in the formats the operation uses.
    Plain false false Plain;
    /// Nearest even; denormals by mode.
    Flush true false Flush;
    /// Everything by mode.
    Full true true Flush;
}

/// The rounding direction of a mode field, `None` for nearest even.
#[inline(always)]
pub(crate) fn direction(field: u32) -> Option<Round> {
    match field {
        1 => Some(Round::TowardPositive),
        2 => Some(Round::TowardNegative),
        3 => Some(Round::TowardZero),
        _ => None,
    }
}

/// Rounding of f32 results, if it is not to nearest even.
#[inline(always)]
pub(crate) fn directed32<M: Fp>(m: M) -> Option<Round> {
    if M::DIRECTED { direction(m.mode().round32()) } else { None }
}

/// Rounding of f16 and f64 results, if it is not to nearest even.
#[inline(always)]
pub(crate) fn directed16_64<M: Fp>(m: M) -> Option<Round> {
    if M::DIRECTED { direction(m.mode().round16_64()) } else { None }
}

/// f64 to f32 bits, rounding in a given direction.
#[cold]
pub(crate) fn narrow(v: f64, round: Round) -> u32 {
    FloatConvert::<Single>::convert_r(Double::from_bits(v.to_bits().into()), round, &mut false).value.to_bits() as u32
}
