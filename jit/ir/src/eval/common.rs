//! What f16, f32 and f64 have in common: constants, NaN selection, flushing, minima and maxima, comparisons, classes, output modifiers.
//!
//! [`float_format!`] defines all of it in the module of a format. The module itself adds what differs: `lt` and `eq` (false on NaN), the
//! arithmetic, `floor_raw` and its sisters, and `settle`, which takes an apfloat result of directed rounding.
//!
//! Floats travel as bits. A NaN result is never the host's choice: every operation names its operands to `nan1`, `nan2` or `nan3`
//! (numerics.md section 2).

/// Defines the common part of a float format. `$U` holds the bits, `$MANT` is the number of mantissa bits.
macro_rules! float_format {
    ($U:ident, $Ap:ident, $MANT:literal, $directed:ident, $keep_in:ident, $keep_out:ident) => {
        use super::mode::Fp;
        use rustc_apfloat::{Float, Round};

        /// The sign bit.
        pub(crate) const SIGN: $U = 1 << ($U::BITS - 1);
        /// The exponent field, which alone is infinity.
        pub(crate) const INF: $U = SIGN - MIN_NORMAL;
        /// The smallest normal number.
        pub(crate) const MIN_NORMAL: $U = 1 << $MANT;
        /// Set in quiet NaNs.
        pub(crate) const QUIET: $U = 1 << ($MANT - 1);
        /// The NaN of invalid operations.
        pub(crate) const NAN: $U = SIGN | INF | QUIET;
        /// Exponent of 1.0.
        pub(crate) const BIAS: i32 = (1 << ($U::BITS - $MANT - 2)) - 1;
        /// 1.0
        pub(crate) const ONE: $U = power(0);

        /// 2^e, for normal numbers.
        pub(crate) const fn power(e: i32) -> $U {
            ((BIAS + e) as $U) << $MANT
        }
        /// The biased exponent.
        #[inline(always)]
        #[allow(dead_code)] // f16 has no use for it
        pub(crate) fn exponent(x: $U) -> i32 {
            ((x & INF) >> $MANT) as i32
        }
        #[inline(always)]
        pub(crate) fn is_nan(x: $U) -> bool {
            x & !SIGN > INF
        }
        #[inline(always)]
        pub(crate) fn is_snan(x: $U) -> bool {
            is_nan(x) & (x & QUIET == 0)
        }
        #[inline(always)]
        pub(crate) fn is_zero(x: $U) -> bool {
            x & !SIGN == 0
        }
        #[inline(always)]
        pub(crate) fn is_denormal(x: $U) -> bool {
            (x & INF == 0) & !is_zero(x)
        }
        /// Denormals to zero of their sign.
        #[inline(always)]
        pub(crate) fn ftz(x: $U) -> $U {
            if x & INF == 0 { x & SIGN } else { x }
        }
        /// An operand, flushed if the mode says so.
        #[inline(always)]
        pub(crate) fn fin<M: Fp>(m: M, x: $U) -> $U {
            if M::FLUSH && !m.mode().$keep_in() { ftz(x) } else { x }
        }
        /// A result, flushed if the mode says so: tininess is judged after rounding to the format.
        #[inline(always)]
        pub(crate) fn fout<M: Fp>(m: M, x: $U) -> $U {
            if M::FLUSH && !m.mode().$keep_out() { ftz(x) } else { x }
        }

        /// The NaN of a result: that of the operand, quieted, else the default one if `r` is a NaN, else `r`.
        #[inline(always)]
        pub(crate) fn nan1(a: $U, r: $U) -> $U {
            if is_nan(a) {
                a | QUIET
            } else if is_nan(r) {
                NAN
            } else {
                r
            }
        }
        /// As [`nan1`] for two operands: the first NaN wins.
        #[inline(always)]
        pub(crate) fn nan2(a: $U, b: $U, r: $U) -> $U {
            if is_nan(a) { a | QUIET } else { nan1(b, r) }
        }
        /// As [`nan1`] for three operands.
        #[inline(always)]
        pub(crate) fn nan3(a: $U, b: $U, c: $U, r: $U) -> $U {
            if is_nan(a) { a | QUIET } else { nan2(b, c, r) }
        }

        /// Bits as an apfloat number.
        pub(crate) fn ap(x: $U) -> $Ap {
            $Ap::from_bits(x.into())
        }
        #[cold]
        fn add_directed<M: Fp>(m: M, a: $U, b: $U, round: Round) -> $U {
            settle(m, ap(a).add_r(ap(b), round))
        }
        #[cold]
        fn mul_directed<M: Fp>(m: M, a: $U, b: $U, round: Round) -> $U {
            settle(m, ap(a).mul_r(ap(b), round))
        }
        #[cold]
        fn fma_directed<M: Fp>(m: M, a: $U, b: $U, c: $U, round: Round) -> $U {
            settle(m, ap(a).mul_add_r(ap(b), ap(c), round))
        }

        #[inline(always)]
        pub(crate) fn add<M: Fp>(m: M, a: $U, b: $U) -> $U {
            let (a, b) = (fin(m, a), fin(m, b));
            let r = match super::mode::$directed(m) {
                None => add_nearest(m, a, b),
                Some(round) => add_directed(m, a, b, round),
            };
            fout(m, nan2(a, b, r))
        }
        #[inline(always)]
        pub(crate) fn sub<M: Fp>(m: M, a: $U, b: $U) -> $U {
            let (a, b) = (fin(m, a), fin(m, b));
            let r = match super::mode::$directed(m) {
                None => add_nearest(m, a, b ^ SIGN),
                Some(round) => add_directed(m, a, b ^ SIGN, round),
            };
            fout(m, nan2(a, b, r))
        }
        #[inline(always)]
        pub(crate) fn mul<M: Fp>(m: M, a: $U, b: $U) -> $U {
            let (a, b) = (fin(m, a), fin(m, b));
            let r = match super::mode::$directed(m) {
                None => mul_nearest(m, a, b),
                Some(round) => mul_directed(m, a, b, round),
            };
            fout(m, nan2(a, b, r))
        }
        #[inline(always)]
        pub(crate) fn fma<M: Fp>(m: M, a: $U, b: $U, c: $U) -> $U {
            let (a, b, c) = (fin(m, a), fin(m, b), fin(m, c));
            let r = match super::mode::$directed(m) {
                None => fma_nearest(m, a, b, c),
                Some(round) => fma_directed(m, a, b, c, round),
            };
            fout(m, nan3(a, b, c, r))
        }

        /// The lesser of two numbers, -0 below +0; the second if they are equal.
        #[inline(always)]
        fn lesser(a: $U, b: $U) -> $U {
            // equal numbers differ at most in the sign of zero: keep a set sign
            let (less, equal) = (lt(a, b), eq(a, b));
            let r = if equal { a | b } else { b };
            if less { a } else { r }
        }
        /// The greater of two numbers, +0 above -0.
        #[inline(always)]
        fn greater(a: $U, b: $U) -> $U {
            let (more, equal) = (lt(b, a), eq(a, b));
            let r = if equal { a & b } else { b };
            if more { a } else { r }
        }
        /// v_min/v_max up to gfx11 around `r`, the result for numbers (numerics.md section 4).
        #[inline(always)]
        fn min_max_by_ieee<M: Fp>(m: M, a: $U, b: $U, r: $U) -> $U {
            let r = if is_nan(b) {
                a
            } else if is_nan(a) {
                b
            } else {
                r
            };
            let ieee = m.mode().ieee();
            let r = if ieee & is_snan(b) { b | QUIET } else { r };
            let r = if ieee & is_snan(a) { a | QUIET } else { r };
            fout(m, r)
        }
        #[inline(always)]
        pub(crate) fn min<M: Fp>(m: M, a: $U, b: $U) -> $U {
            let (a, b) = (fin(m, a), fin(m, b));
            min_max_by_ieee(m, a, b, lesser(a, b))
        }
        #[inline(always)]
        pub(crate) fn max<M: Fp>(m: M, a: $U, b: $U) -> $U {
            let (a, b) = (fin(m, a), fin(m, b));
            min_max_by_ieee(m, a, b, greater(a, b))
        }
        /// gfx12 min_num/max_num around `r`: a NaN loses against a number.
        #[inline(always)]
        fn num<M: Fp>(m: M, a: $U, b: $U, r: $U) -> $U {
            let one = if is_nan(a) { b } else { a };
            let r = if is_nan(a) | is_nan(b) { one } else { r };
            fout(m, if is_nan(a) & is_nan(b) { a | QUIET } else { r })
        }
        #[inline(always)]
        pub(crate) fn min_num<M: Fp>(m: M, a: $U, b: $U) -> $U {
            let (a, b) = (fin(m, a), fin(m, b));
            num(m, a, b, lesser(a, b))
        }
        #[inline(always)]
        pub(crate) fn max_num<M: Fp>(m: M, a: $U, b: $U) -> $U {
            let (a, b) = (fin(m, a), fin(m, b));
            num(m, a, b, greater(a, b))
        }
        /// IEEE 754-2019 minimum: a NaN wins.
        #[inline(always)]
        pub(crate) fn minimum<M: Fp>(m: M, a: $U, b: $U) -> $U {
            let (a, b) = (fin(m, a), fin(m, b));
            fout(m, nan2(a, b, lesser(a, b)))
        }
        /// IEEE 754-2019 maximum.
        #[inline(always)]
        pub(crate) fn maximum<M: Fp>(m: M, a: $U, b: $U) -> $U {
            let (a, b) = (fin(m, a), fin(m, b));
            fout(m, nan2(a, b, greater(a, b)))
        }
        /// Median of three around `lowest`, the minimum that a NaN leads to.
        #[inline(always)]
        #[allow(dead_code)] // there is no f64 form
        fn median<M: Fp>(m: M, a: $U, b: $U, c: $U, lowest: $U) -> $U {
            let (a, b, c) = (fin(m, a), fin(m, b), fin(m, c));
            let top = greater(greater(a, b), c);
            let (top_is_a, top_is_b) = (eq(top, a), eq(top, b));
            let (without_a, without_b, without_c) = (greater(b, c), greater(a, c), greater(a, b));
            let r = if top_is_b { without_b } else { without_c };
            let r = fout(m, if top_is_a { without_a } else { r });
            if is_nan(a) | is_nan(b) | is_nan(c) { lowest } else { r }
        }
        /// Median; with a NaN the minimum of the three.
        #[inline(always)]
        #[allow(dead_code)] // there is no f64 form
        pub(crate) fn med3<M: Fp>(m: M, a: $U, b: $U, c: $U) -> $U {
            median(m, a, b, c, min(m, min(m, a, b), c))
        }
        /// Median of gfx12; with a NaN the least number of the three.
        #[inline(always)]
        #[allow(dead_code)] // there is no f64 form
        pub(crate) fn med3_num<M: Fp>(m: M, a: $U, b: $U, c: $U) -> $U {
            median(m, a, b, c, min_num(m, min_num(m, a, b), c))
        }

        /// [0, 1], -0 becomes +0, a NaN becomes +0 under DX10_CLAMP.
        #[inline(always)]
        pub(crate) fn clamp<M: Fp>(m: M, x: $U) -> $U {
            let r = if x & SIGN != 0 { 0 } else { x.min(ONE) };
            let nan = if m.mode().dx10_clamp() { 0 } else { x };
            if is_nan(x) { nan } else { r }
        }
        /// Output multiplier, given as a float. Works only where the mode flushes result denormals and is not IEEE.
        #[inline(always)]
        fn omod<M: Fp>(m: M, x: $U, factor: $U) -> $U {
            let r = ftz(mul(m, x, factor));
            let r = if r == SIGN { 0 } else { r };
            if m.mode().ieee() | m.mode().$keep_out() { x } else { r }
        }
        #[inline(always)]
        pub(crate) fn omod2<M: Fp>(m: M, x: $U) -> $U {
            omod(m, x, power(1))
        }
        #[inline(always)]
        pub(crate) fn omod4<M: Fp>(m: M, x: $U) -> $U {
            omod(m, x, power(2))
        }
        #[inline(always)]
        pub(crate) fn omod_half<M: Fp>(m: M, x: $U) -> $U {
            omod(m, x, power(-1))
        }

        /// Magnitude with the leading bit in place of the exponent's lowest, and the exponent it then has; for numbers other than zero.
        #[inline(always)]
        fn normalized(x: $U) -> ($U, i32) {
            let magnitude = x & !SIGN;
            let shift = magnitude.leading_zeros().wrapping_sub($U::BITS - 1 - $MANT) & ($U::BITS - 1);
            if magnitude < MIN_NORMAL { (magnitude << shift, 1 - shift as i32) } else { (magnitude, (magnitude >> $MANT) as i32) }
        }
        /// Mantissa in [0.5, 1) with the sign.
        #[inline(always)]
        pub(crate) fn frexp_mant<M: Fp>(m: M, x: $U) -> $U {
            let x = fin(m, x);
            let (magnitude, _) = normalized(x);
            let r = (x & SIGN) | power(-1) | (magnitude & (MIN_NORMAL - 1));
            let special = is_zero(x) | (x & INF == INF);
            nan1(x, if special { x } else { r })
        }
        /// The exponent that goes with [`frexp_mant`].
        #[inline(always)]
        fn frexp_exponent<M: Fp>(m: M, x: $U) -> i32 {
            let x = fin(m, x);
            let (_, e) = normalized(x);
            if is_zero(x) | (x & INF == INF) { 0 } else { e - (BIAS - 1) }
        }

        /// x - floor(x), below 1.
        #[inline(always)]
        pub(crate) fn fract<M: Fp>(m: M, x: $U) -> $U {
            let x = fin(m, x);
            let r = sub(m, x, floor_raw(x));
            nan1(x, if r == ONE { ONE - 1 } else { r })
        }
        #[inline(always)]
        pub(crate) fn floor<M: Fp>(m: M, x: $U) -> $U {
            let x = fin(m, x);
            nan1(x, floor_raw(x))
        }
        #[inline(always)]
        pub(crate) fn ceil<M: Fp>(m: M, x: $U) -> $U {
            let x = fin(m, x);
            nan1(x, ceil_raw(x))
        }
        #[inline(always)]
        pub(crate) fn trunc<M: Fp>(m: M, x: $U) -> $U {
            let x = fin(m, x);
            nan1(x, trunc_raw(x))
        }
        #[inline(always)]
        pub(crate) fn rndne<M: Fp>(m: M, x: $U) -> $U {
            let x = fin(m, x);
            nan1(x, rndne_raw(x))
        }

        /// v_cmp_class: is the class of `x` in the mask? The value is looked at as it is, never flushed.
        #[inline(always)]
        pub(crate) fn class(x: $U, mask: u32) -> bool {
            let kind = if x & !SIGN == INF {
                0
            } else if is_zero(x) {
                3
            } else {
                1 + is_denormal(x) as u32
            };
            let number = if x & SIGN != 0 { 2 + kind } else { 9 - kind };
            let bit = if is_nan(x) { (x & QUIET != 0) as u32 } else { number };
            mask >> bit & 1 != 0
        }

        #[inline(always)]
        pub(crate) fn cmp_lt<M: Fp>(m: M, a: $U, b: $U) -> bool {
            let (a, b) = (fin(m, a), fin(m, b));
            lt(a, b)
        }
        #[inline(always)]
        pub(crate) fn cmp_eq<M: Fp>(m: M, a: $U, b: $U) -> bool {
            let (a, b) = (fin(m, a), fin(m, b));
            eq(a, b)
        }
        #[inline(always)]
        pub(crate) fn cmp_le<M: Fp>(m: M, a: $U, b: $U) -> bool {
            let (a, b) = (fin(m, a), fin(m, b));
            le(a, b)
        }
        #[inline(always)]
        pub(crate) fn cmp_gt<M: Fp>(m: M, a: $U, b: $U) -> bool {
            let (a, b) = (fin(m, a), fin(m, b));
            lt(b, a)
        }
        #[inline(always)]
        pub(crate) fn cmp_lg<M: Fp>(m: M, a: $U, b: $U) -> bool {
            let (a, b) = (fin(m, a), fin(m, b));
            lt(a, b) | lt(b, a)
        }
        #[inline(always)]
        pub(crate) fn cmp_ge<M: Fp>(m: M, a: $U, b: $U) -> bool {
            let (a, b) = (fin(m, a), fin(m, b));
            le(b, a)
        }
        #[inline(always)]
        pub(crate) fn cmp_o<M: Fp>(_: M, a: $U, b: $U) -> bool {
            !(is_nan(a) | is_nan(b))
        }
        #[inline(always)]
        pub(crate) fn cmp_u<M: Fp>(_: M, a: $U, b: $U) -> bool {
            is_nan(a) | is_nan(b)
        }
        #[inline(always)]
        pub(crate) fn cmp_nge<M: Fp>(m: M, a: $U, b: $U) -> bool {
            !cmp_ge(m, a, b)
        }
        #[inline(always)]
        pub(crate) fn cmp_nlg<M: Fp>(m: M, a: $U, b: $U) -> bool {
            !cmp_lg(m, a, b)
        }
        #[inline(always)]
        pub(crate) fn cmp_ngt<M: Fp>(m: M, a: $U, b: $U) -> bool {
            !cmp_gt(m, a, b)
        }
        #[inline(always)]
        pub(crate) fn cmp_nle<M: Fp>(m: M, a: $U, b: $U) -> bool {
            !cmp_le(m, a, b)
        }
        #[inline(always)]
        pub(crate) fn cmp_neq<M: Fp>(m: M, a: $U, b: $U) -> bool {
            !cmp_eq(m, a, b)
        }
        #[inline(always)]
        pub(crate) fn cmp_nlt<M: Fp>(m: M, a: $U, b: $U) -> bool {
            !cmp_lt(m, a, b)
        }
    };
}
pub(crate) use float_format;
