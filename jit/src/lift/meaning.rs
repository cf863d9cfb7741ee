//! The right-hand side of a row: what it is, and how the text of a table becomes a list of them.
//!
//! ```text
//! => FAdd32(a, b)                                 an operation of the IR
//! => IAdd32(Xor32(a, b), c)                       several
//! => mad24([a, b, c], true), clamp mad24_sat(..)  a function over the builder; what `clamp` makes of it, where that is not a clamped float
//! => do readlane(sd, va, rb)                      a function over `Cx`, which takes operands as they are
//! => ends SwapPc(d, a)                            the end of a block, and the operands that say where it goes
//! => note Wait, -                                 nothing to do; no meaning
//! ```
//!
//! Operands are the names of the row's own: `meanings!` binds each to its value.
//!
//! ```
//! use wavejit_ir::PureOp::FAdd32;
//! let table = wavejit_jit::meanings! {
//!     v_example_f32 VOP2 [0x03, 0x01, 0x03, 0x03, 0x03] d:F32 = a:F32, b:F32 => FAdd32(a, b);
//!     v_without_f32 VOP2 [0x04, 0x02, 0x04, 0x04, 0x04] d:F32 = a:F32, b:F32 => -;
//! };
//! assert_eq!(table[0].0, "v_example_f32");
//! ```
//!
//! A function over `Cx` gets registers, constants and types of the operands that it names:
//!
//! ```
//! fn exchange<Cx, Operand>(_: &mut Cx, x: Operand, y: Operand) {}
//! let table = wavejit_jit::meanings! {
//!     v_example_b32 VOP1 [0x03, 0x01, 0x03, 0x03, 0x03] d:B32 rw = va:B32 wr => do exchange(d, va);
//! };
//! ```
//!
//! So does what ends a block:
//!
//! ```
//! let table = wavejit_jit::meanings! {
//!     s_example_b64 SOP1 [0x20, 0x1d, 0x20, 0x48, 0x48] = sa:B64 => ends SetPc(sa);
//! };
//! ```
//!
//! No meaning can name an operand that its row lacks:
//!
//! ```compile_fail,E0425
//! fn exchange<Cx, Operand>(_: &mut Cx, x: Operand, y: Operand) {}
//! let table = wavejit_jit::meanings! {
//!     v_example_b32 VOP1 [0x03, 0x01, 0x03, 0x03, 0x03] d:B32 rw = va:B32 wr => do exchange(d, vb);
//! };
//! ```
//!
//! ```compile_fail,E0425
//! use wavejit_ir::PureOp::FAdd32;
//! let table = wavejit_jit::meanings! {
//!     v_example_f32 VOP2 [0x03, 0x01, 0x03, 0x03, 0x03] d:F32 = a:F32, b:F32 => FAdd32(a, c);
//! };
//! ```
//!
//! ```compile_fail,E0425
//! let table = wavejit_jit::meanings! {
//!     s_example_b64 SOP1 [0x20, 0x1d, 0x20, 0x48, 0x48] = sa:B64 => ends SetPc(a);
//! };
//! ```
//!
//! Nor an operation that the IR has not:
//!
//! ```compile_fail,E0425
//! use wavejit_ir::PureOp::FAdd32;
//! let table = wavejit_jit::meanings! {
//!     v_example_f32 VOP2 [0x03, 0x01, 0x03, 0x03, 0x03] d:F32 = a:F32, b:F32 => FAdd33(a, b);
//! };
//! ```
//!
//! A row says so if it has no meaning:
//!
//! ```compile_fail
//! let table = wavejit_jit::meanings! {
//!     v_without_f32 VOP2 [0x04, 0x02, 0x04, 0x04, 0x04] d:F32 = a:F32, b:F32;
//! };
//! ```

pub use super::control::Control;
use super::cx::Cx;
pub use super::cx::named;
use wavejit_ir::{Builder, NoteKind, PureOp, Value};
use wavejit_isa::Inst;

/// A function of operand values, in the order of the row.
pub(super) type F = fn(&mut Builder, &[Value]) -> Value;
/// The same with two results.
pub(super) type F2 = fn(&mut Builder, &[Value]) -> (Value, Value);

/// What an instruction does.
#[derive(Clone, Copy)]
pub enum Meaning {
    /// Nobody has said yet.
    None,
    /// Results that are functions of the operands.
    Value {
        /// The function.
        f: Results,
        /// The first result of an instruction with `clamp`.
        clamped: Option<F>,
        /// State that are operands too, after the others.
        reads: &'static [&'static str],
    },
    /// Everything else that does not end a block.
    Wave(fn(&mut Cx)),
    /// Ends a block, or may.
    Control(fn(&Inst) -> Control),
    /// Nothing to do; kept for tools.
    Note(NoteKind),
}

/// A function by its results.
#[derive(Clone, Copy)]
pub enum Results {
    /// One.
    One(F),
    /// A result and a carry or flag.
    Two(F2),
}

/// What functions of operands may give.
pub trait Outcome: Sized {
    /// The function.
    fn results(f: fn(&mut Builder, &[Value]) -> Self) -> Results;
}
impl Outcome for Value {
    fn results(f: F) -> Results {
        Results::One(f)
    }
}
impl Outcome for (Value, Value) {
    fn results(f: F2) -> Results {
        Results::Two(f)
    }
}

/// A meaning that is a function of operands.
pub fn value<R: Outcome>(f: fn(&mut Builder, &[Value]) -> R, clamped: Option<F>, reads: &'static [&'static str]) -> Meaning {
    Meaning::Value { f: R::results(f), clamped, reads }
}

/// What can stand before parentheses in a row: operations, and functions over the builder.
pub trait Apply<Args> {
    /// Results.
    type Out;
    /// Appends the operations.
    fn apply(self, args: Args, b: &mut Builder) -> Self::Out;
}
impl Apply<(Value,)> for PureOp {
    type Out = Value;
    fn apply(self, (x,): (Value,), b: &mut Builder) -> Value {
        b.pure1(self, x)
    }
}
impl Apply<(Value, Value)> for PureOp {
    type Out = Value;
    fn apply(self, (x, y): (Value, Value), b: &mut Builder) -> Value {
        b.pure2(self, x, y)
    }
}
impl Apply<(Value, Value, Value)> for PureOp {
    type Out = Value;
    fn apply(self, (x, y, z): (Value, Value, Value), b: &mut Builder) -> Value {
        b.pure3(self, x, y, z)
    }
}
macro_rules! apply_functions {
    ($($arg:ident),*) => {
        impl<Function: Fn(&mut Builder, $($arg),*) -> Out, Out, $($arg),*> Apply<($($arg,)*)> for Function {
            type Out = Out;
            #[allow(non_snake_case)] // an argument is called as its type
            fn apply(self, ($($arg,)*): ($($arg,)*), b: &mut Builder) -> Out {
                self(b, $($arg),*)
            }
        }
    };
}
apply_functions!();
apply_functions!(A);
apply_functions!(A, B);
apply_functions!(A, B, C);
apply_functions!(A, B, C, D);

/// An expression of a row: operands, numbers and calls, over builder `$b`.
#[macro_export]
#[doc(hidden)]
macro_rules! meaning_expression {
    ($b:ident, $f:ident($($arg:tt $(($($inner:tt)*))?),*)) => {
        $crate::lift::meaning::Apply::apply($f, ($($crate::meaning_expression!(@ $b, $arg $(($($inner)*))?),)*), $b)
    };
    (@ $b:ident, $f:ident($($inner:tt)*)) => {
        $crate::meaning_expression!($b, $f($($inner)*))
    };
    (@ $b:ident, $operand:tt) => {
        $operand
    };
}

/// A function of a row's operands, bound by name.
#[macro_export]
#[doc(hidden)]
macro_rules! meaning_function {
    ([$($operand:ident)*] [$($state:ident)*] [$($written:ident rw)*] $f:ident($($arg:tt)*)) => {
        |x, s| {
            let [$($operand,)* $($state,)* $($written,)*] = *s else { unreachable!("as many values as operands") };
            $crate::meaning_expression!(x, $f($($arg)*))
        }
    };
}

#[macro_export]
#[doc(hidden)]
macro_rules! meaning_names {
    ([$($name:ident)*]) => {
        &[$(stringify!($name)),*]
    };
}

/// The meaning of one row, whose operands are named in brackets: all; sources, state, destinations that are sources too.
#[macro_export]
#[doc(hidden)]
macro_rules! meaning {
    ($names:tt $operands:tt $reads:tt $written:tt -) => {
        $crate::lift::meaning::Meaning::None
    };
    ([$($name:ident)*] $operands:tt $reads:tt $written:tt do $f:ident($($arg:tt)*)) => {
        $crate::lift::meaning::Meaning::Wave(|cx| {
            let [$($name),*] = $crate::lift::meaning::named(cx.inst);
            $f(cx, $($arg)*)
        })
    };
    ($names:tt $operands:tt $reads:tt $written:tt note $kind:ident) => {
        $crate::lift::meaning::Meaning::Note(wavejit_ir::NoteKind::$kind)
    };
    ([$($name:ident)*] $operands:tt $reads:tt $written:tt ends $kind:ident $(($($arg:tt)*))?) => {
        $crate::lift::meaning::Meaning::Control(|inst| {
            let [$($name),*] = $crate::lift::meaning::named(inst);
            $crate::lift::meaning::Control::$kind $(($($arg)*))?
        })
    };
    ($names:tt $operands:tt $reads:tt $written:tt $f:ident($($arg:tt)*) $(, clamp $clamped:ident($($clamped_arg:tt)*))?) => {
        $crate::lift::meaning::value(
            $crate::meaning_function!($operands $reads $written $f($($arg)*)),
            None$(.or(Some($crate::meaning_function!($operands $reads $written $clamped($($clamped_arg)*)))))?,
            $crate::meaning_names!($reads),
        )
    };
}

/// The meanings of a table's rows, with their names.
#[macro_export]
#[doc(hidden)]
macro_rules! meanings {
    ($($name:ident $enc:ident [$($number:tt),*]
        $($out:ident $(: $out_ty:tt $(($out_n:tt))?)? $($rw:ident)?),* $(| $($writes:ident)+)?
        $(= $($in:ident $(: $in_ty:tt $(($in_n:tt))?)? $($wr:ident)?),* $(| $($reads:ident)+)?)?
        $(.$method:ident($($arg:tt)*))*
        => $meaning:tt $($kind:ident)? $(($($operand:tt)*))? $(, clamp $clamped:ident($($clamped_operand:tt)*))?;
    )*) => {
        vec![$((
            stringify!($name),
            $crate::meaning!(
                [$($out)* $($($in)*)?] [$($($in)*)?] [$($($($reads)+)?)?] [$($($out $rw)?)*]
                $meaning $($kind)? $(($($operand)*))? $(, clamp $clamped($($clamped_operand)*))?
            ),
        )),*]
    };
}
