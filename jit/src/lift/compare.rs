//! Conditions that do not look at their operands; all others are operations of the IR, named by the rows of VOPC.

use wavejit_ir::{Builder, Value};

/// v_cmp_f
pub(super) fn never(b: &mut Builder) -> Value {
    b.const1(false)
}
/// v_cmp_t, v_cmp_tru
pub(super) fn always(b: &mut Builder) -> Value {
    b.const1(true)
}
