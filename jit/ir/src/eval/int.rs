//! Integer, bit and lane-condition operations (numerics.md section 8). None of them reads the float mode.
//!
//! Operands and results are `u16` (low half of a register), `u32`, `u64` or `bool`.

/// One-line functions: name, parameters, result, expression.
macro_rules! define {
    ($($name:ident ($($arg:ident: $ty:ty),*) -> $ret:ty { $body:expr })*) => { $(
        #[inline(always)]
        pub(crate) fn $name($($arg: $ty),*) -> $ret { $body }
    )* };
}

define! {
    and1(a: bool, b: bool) -> bool { a & b }
    or1(a: bool, b: bool) -> bool { a | b }
    xor1(a: bool, b: bool) -> bool { a ^ b }
    not1(a: bool) -> bool { !a }
    andn1(a: bool, b: bool) -> bool { a & !b }
    sel32(c: bool, a: u32, b: u32) -> u32 { if c { a } else { b } }
    sel64(c: bool, a: u64, b: u64) -> u64 { if c { a } else { b } }
    b2i(a: bool) -> u32 { a as u32 }

    pack64(lo: u32, hi: u32) -> u64 { lo as u64 | (hi as u64) << 32 }
    lo64(a: u64) -> u32 { a as u32 }
    hi64(a: u64) -> u32 { (a >> 32) as u32 }
    zext64(a: u32) -> u64 { a as u64 }
    sext64(a: u32) -> u64 { a as i32 as i64 as u64 }
    umulw(a: u32, b: u32) -> u64 { a as u64 * b as u64 }
    smulw(a: u32, b: u32) -> u64 { (a as i32 as i64).wrapping_mul(b as i32 as i64) as u64 }
    umulhi32(a: u32, b: u32) -> u32 { (umulw(a, b) >> 32) as u32 }
    smulhi32(a: u32, b: u32) -> u32 { (smulw(a, b) >> 32) as u32 }

    alignbit(a: u32, b: u32, c: u32) -> u32 { (pack64(b, a) >> (c & 31)) as u32 }
    bfeu(x: u32, offset: u32, width: u32) -> u32 { (x >> (offset & 31)) & ((1u32 << (width & 31)) - 1) }
    bfi(mask: u32, a: u32, b: u32) -> u32 { (mask & a) | (!mask & b) }
    xor3(a: u32, b: u32, c: u32) -> u32 { a ^ b ^ c }
    and3(a: u32, b: u32, c: u32) -> u32 { a & b & c }
    or3(a: u32, b: u32, c: u32) -> u32 { a | b | c }
    majority(a: u32, b: u32, c: u32) -> u32 { (a & b) | ((a | b) & c) }
    andor(a: u32, b: u32, c: u32) -> u32 { (a & b) | c }
    andnor(a: u32, b: u32, c: u32) -> u32 { (a & !b) | c }
    orand(a: u32, b: u32, c: u32) -> u32 { (a | b) & c }
    ornand(a: u32, b: u32, c: u32) -> u32 { (a | !b) & c }
    andxor(a: u32, b: u32, c: u32) -> u32 { (a & b) ^ c }
    andnxor(a: u32, b: u32, c: u32) -> u32 { (a & !b) ^ c }
    orxor(a: u32, b: u32, c: u32) -> u32 { (a | b) ^ c }
    ornxor(a: u32, b: u32, c: u32) -> u32 { (a | !b) ^ c }
    xorand(a: u32, b: u32, c: u32) -> u32 { (a ^ b) & c }
    xorandn(a: u32, b: u32, c: u32) -> u32 { (a ^ b) & !c }
    xoror(a: u32, b: u32, c: u32) -> u32 { (a ^ b) | c }
    andandn(a: u32, b: u32, c: u32) -> u32 { a & b & !c }
    andnandn(a: u32, b: u32, c: u32) -> u32 { a & !b & !c }
    bfm(width: u32, offset: u32) -> u32 { ((1u32 << (width & 31)) - 1) << (offset & 31) }

    bitrev32(a: u32) -> u32 { a.reverse_bits() }
    popcnt32(a: u32) -> u32 { a.count_ones() }
    ffbhu32(a: u32) -> u32 { if a == 0 { !0 } else { a.leading_zeros() } }
    ffblb32(a: u32) -> u32 { if a == 0 { !0 } else { a.trailing_zeros() } }
    // The number of the first bit below the sign that differs from it, counted from the top: never 0.
    ffbhi32(a: u32) -> u32 { ffbhu32(a ^ ((a as i32) >> 31) as u32) }
    bitrev64(a: u64) -> u64 { a.reverse_bits() }
    popcnt64(a: u64) -> u32 { a.count_ones() }
    ffbhu64(a: u64) -> u32 { if a == 0 { !0 } else { a.leading_zeros() } }
    ffblb64(a: u64) -> u32 { if a == 0 { !0 } else { a.trailing_zeros() } }
    ffbhi64(a: u64) -> u32 { ffbhu64(a ^ ((a as i64) >> 63) as u64) }

    shl64(a: u64, b: u32) -> u64 { a << (b & 63) }
    lshr64(a: u64, b: u32) -> u64 { a >> (b & 63) }
    ashr64(a: u64, b: u32) -> u64 { (a as i64 >> (b & 63)) as u64 }
    rotl64(a: u64, b: u32) -> u64 { a.rotate_left(b & 63) }

    sadu32(a: u32, b: u32, c: u32) -> u32 { a.abs_diff(b).wrapping_add(c) }
    satpku8(a: u32) -> u32 { sat_u8(a as i16) | sat_u8((a >> 16) as i16) << 8 }
}

#[inline(always)]
fn sat_u8(x: i16) -> u32 {
    x.clamp(0, 255) as u32
}

/// Signed bit field. A field past bit 31 is filled with the sign.
#[inline(always)]
pub(crate) fn bfei(x: u32, offset: u32, width: u32) -> u32 {
    let field = (x as i32) >> (offset & 31);
    let spare = 32 - (width & 31); // 32 for an empty field: shift in two steps
    let top = (((field as u32) << (spare >> 1)) << (spare - (spare >> 1))) as i32;
    ((top >> (spare >> 1)) >> (spare - (spare >> 1))) as u32
}

/// One selector byte picks one of 8 source bytes, a sign, 0x00 or 0xff.
#[inline(always)]
pub(crate) fn perm(s0: u32, s1: u32, selectors: u32) -> u32 {
    let bytes = pack64(s1, s0);
    select_byte(bytes, selectors & 0xff)
        | select_byte(bytes, selectors >> 8 & 0xff) << 8
        | select_byte(bytes, selectors >> 16 & 0xff) << 16
        | select_byte(bytes, selectors >> 24) << 24
}
#[inline(always)]
fn select_byte(bytes: u64, selector: u32) -> u32 {
    let byte = (bytes >> ((selector & 7) * 8)) as u32 & 0xff;
    let sign = 0u32.wrapping_sub((bytes >> (15 + 16 * (selector & 3))) as u32 & 1) & 0xff;
    let constant = 0u32.wrapping_sub((selector != 12) as u32) & 0xff;
    let high = if selector < 12 { sign } else { constant };
    if selector < 8 { byte } else { high }
}

/// Byte `i` of `x`.
#[inline(always)]
fn byte(x: u32, i: u32) -> u32 {
    x >> (8 * i) & 0xff
}

#[inline(always)]
pub(crate) fn sadu8(a: u32, b: u32, c: u32) -> u32 {
    (0..4).fold(c, |sum, i| sum.wrapping_add(byte(a, i).abs_diff(byte(b, i))))
}

/// Bytes whose reference (second operand) is 0 do not count.
#[inline(always)]
pub(crate) fn msadu8(a: u32, b: u32, c: u32) -> u32 {
    (0..4).fold(c, |sum, i| sum.wrapping_add(if byte(b, i) == 0 { 0 } else { byte(a, i).abs_diff(byte(b, i)) }))
}

#[inline(always)]
pub(crate) fn sadu16(a: u32, b: u32, c: u32) -> u32 {
    c.wrapping_add((a & 0xffff).abs_diff(b & 0xffff)).wrapping_add((a >> 16).abs_diff(b >> 16))
}

/// Average of bytes, rounded up where the third operand's byte is odd.
#[inline(always)]
pub(crate) fn lerpu8(a: u32, b: u32, c: u32) -> u32 {
    (0..4).fold(0, |r, i| r | (byte(a, i) + byte(b, i) + (byte(c, i) & 1)) >> 1 << (8 * i))
}

/// Every group of four bits becomes ones if any bit of it is set.
#[inline(always)]
pub(crate) fn wqm64(a: u64) -> u64 {
    let any = (a | a >> 1 | a >> 2 | a >> 3) & 0x1111_1111_1111_1111;
    any * 15
}

/// Bit i tells whether any of bits 4i..4i+3 is set.
#[inline(always)]
pub(crate) fn quadmask64(a: u64) -> u64 {
    let mut x = (a | a >> 1 | a >> 2 | a >> 3) & 0x1111_1111_1111_1111;
    x = (x | x >> 3) & 0x0303_0303_0303_0303;
    x = (x | x >> 6) & 0x000f_000f_000f_000f;
    x = (x | x >> 12) & 0x0000_00ff_0000_00ff;
    (x | x >> 24) & 0xffff
}

/// Every bit twice.
#[inline(always)]
pub(crate) fn bitreplicate(a: u32) -> u64 {
    let mut x = a as u64;
    x = (x | x << 16) & 0x0000_ffff_0000_ffff;
    x = (x | x << 8) & 0x00ff_00ff_00ff_00ff;
    x = (x | x << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    x = (x | x << 2) & 0x3333_3333_3333_3333;
    x = (x | x << 1) & 0x5555_5555_5555_5555;
    x | x << 1
}

/// Arithmetic of one width; shift amounts are taken modulo the width.
macro_rules! width {
    ($name:ident, $U:ty, $I:ty) => {
        pub(crate) mod $name {
            define! {
                add(a: $U, b: $U) -> $U { a.wrapping_add(b) }
                sub(a: $U, b: $U) -> $U { a.wrapping_sub(b) }
                mul(a: $U, b: $U) -> $U { a.wrapping_mul(b) }
                and(a: $U, b: $U) -> $U { a & b }
                or(a: $U, b: $U) -> $U { a | b }
                xor(a: $U, b: $U) -> $U { a ^ b }
                not(a: $U) -> $U { !a }
                shl(a: $U, b: $U) -> $U { a << (b & (<$U>::BITS - 1) as $U) }
                lshr(a: $U, b: $U) -> $U { a >> (b & (<$U>::BITS - 1) as $U) }
                ashr(a: $U, b: $U) -> $U { (a as $I >> (b & (<$U>::BITS - 1) as $U)) as $U }
                smin(a: $U, b: $U) -> $U { (a as $I).min(b as $I) as $U }
                smax(a: $U, b: $U) -> $U { (a as $I).max(b as $I) as $U }
                umin(a: $U, b: $U) -> $U { a.min(b) }
                umax(a: $U, b: $U) -> $U { a.max(b) }
                uaddsat(a: $U, b: $U) -> $U { a.saturating_add(b) }
                usubsat(a: $U, b: $U) -> $U { a.saturating_sub(b) }
                saddsat(a: $U, b: $U) -> $U { (a as $I).saturating_add(b as $I) as $U }
                ssubsat(a: $U, b: $U) -> $U { (a as $I).saturating_sub(b as $I) as $U }
                eq(a: $U, b: $U) -> bool { a == b }
                ne(a: $U, b: $U) -> bool { a != b }
                slt(a: $U, b: $U) -> bool { (a as $I) < b as $I }
                sle(a: $U, b: $U) -> bool { a as $I <= b as $I }
                sgt(a: $U, b: $U) -> bool { a as $I > b as $I }
                sge(a: $U, b: $U) -> bool { a as $I >= b as $I }
                ult(a: $U, b: $U) -> bool { a < b }
                ule(a: $U, b: $U) -> bool { a <= b }
                ugt(a: $U, b: $U) -> bool { a > b }
                uge(a: $U, b: $U) -> bool { a >= b }
            }
        }
    };
}
#[allow(dead_code)] // the wide and narrow forms share one list
mod widths {
    width!(i16, u16, i16);
    width!(i32, u32, i32);
    width!(i64, u64, i64);
}
pub(crate) use widths::{i16, i32, i64};

/// Sum of products of fields of `BITS` bits, each signed or not.
#[inline(always)]
fn dot<const BITS: u32>(a: u32, b: u32, a_signed: bool, b_signed: bool) -> u32 {
    let mut sum = 0;
    let mut i = 0;
    while i < 32 / BITS {
        sum += field::<BITS>(a, i, a_signed) * field::<BITS>(b, i, b_signed);
        i += 1;
    }
    sum as u32
}
#[inline(always)]
fn field<const BITS: u32>(x: u32, i: u32, signed: bool) -> i32 {
    let top = x << (32 - BITS - i * BITS);
    if signed { top as i32 >> (32 - BITS) } else { (top >> (32 - BITS)) as i32 }
}

define! {
    dot4ss(a: u32, b: u32) -> u32 { dot::<8>(a, b, true, true) }
    dot4su(a: u32, b: u32) -> u32 { dot::<8>(a, b, true, false) }
    dot4us(a: u32, b: u32) -> u32 { dot::<8>(a, b, false, true) }
    dot4uu(a: u32, b: u32) -> u32 { dot::<8>(a, b, false, false) }
    dot8ss(a: u32, b: u32) -> u32 { dot::<4>(a, b, true, true) }
    dot8su(a: u32, b: u32) -> u32 { dot::<4>(a, b, true, false) }
    dot8us(a: u32, b: u32) -> u32 { dot::<4>(a, b, false, true) }
    dot8uu(a: u32, b: u32) -> u32 { dot::<4>(a, b, false, false) }
}
