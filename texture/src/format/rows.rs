//! Many elements at once, a row of dwords for each channel: what a wave's typed load or store and copies of whole images need.
//!
//! The same code is compiled twice, plainly and with AVX2 and FMA, where the loops become vectors. Both give the bits of [`Format::decode`] and
//! [`Format::encode`]. A channel takes two passes over its row: first the dword of each element that has it, then the conversion in place.
//! Rounding to integers is the rounding of a sum with a number whose last place is 1.

use super::{Channel, Format, Layout, Numeric, SRGB_TO_LINEAR, channel_numeric, convert, srgb};
use wavejit_isa::HostLevel;

/// Elements per step, so that rows stay in the first cache.
const BATCH: usize = 256;

/// Elements of a wave.
const WAVE: usize = 64;

impl Format {
    /// Decodes the elements side by side in `bytes` to rows R, G, B, A. Each row's length is the number of elements; of rows of different
    /// lengths the shortest counts. Bytes that are missing are 0. Of blocks only the first texel is decoded.
    pub fn decode_many(&self, bytes: &[u8], rows: [&mut [u32]; 4]) {
        #[cfg(target_arch = "x86_64")]
        if HostLevel::get() >= HostLevel::Avx2 {
            // SAFETY: the host has the features of the level, which are those the function is compiled with and more.
            #[allow(unsafe_code)]
            return unsafe { decode_avx2(self, bytes, rows) };
        }
        decode(self, bytes, rows)
    }

    /// Encodes rows R, G, B, A to elements side by side in `out`, as many as the shortest row has and `out` has room for. False: elements of
    /// this layout cannot be stored.
    pub fn encode_many(&self, rows: [&[u32]; 4], out: &mut [u8]) -> bool {
        #[cfg(target_arch = "x86_64")]
        if HostLevel::get() >= HostLevel::Avx2 {
            // SAFETY: as in `decode_many`.
            #[allow(unsafe_code)]
            return unsafe { encode_avx2(self, rows, out) };
        }
        encode_all::<false>(self, rows, out)
    }

    /// The short way to encode colors that come as halves, if this format has one here. `order` says which of R, G, B and A each channel of the format is.
    pub fn short_halves(&self, order: [usize; 4]) -> Option<ShortHalves> {
        let is_bytes = self.layout == Layout::Plain
            && self.numeric == Numeric::Unorm
            && self.bytes == 4
            && self.channels.iter().enumerate().all(|(n, c)| (c.bits, usize::from(c.shift)) == (8, 8 * n));
        let level = HostLevel::get();
        let is_wide = cfg!(target_arch = "x86_64") && level >= HostLevel::Avx2;
        let [a, b, c, d] = order.map(|n| n as u32 % 4);
        (is_bytes && is_wide).then_some(ShortHalves { order: a | b << 8 | c << 16 | d << 24, level })
    }
}

/// How halves become elements of 8-bit numbers; see [`Format::short_halves`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShortHalves {
    /// Where each byte of an element comes from, in a byte. One word: what has just been written in parts is slow to read as a whole.
    order: u32,
    level: HostLevel,
}

impl ShortHalves {
    /// Encodes a wave's colors, R below G in one row and B below A in another, to elements side by side. The bits are those of [`Format::encode_many`].
    #[inline]
    pub fn encode(self, pairs: [&[u32; WAVE]; 2], out: &mut [[u8; 4]; WAVE]) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as in `decode_many`.
        #[allow(unsafe_code)]
        unsafe {
            match self.level {
                HostLevel::Avx512 => halves_to_bytes_avx512(self.order, pairs, out),
                _ => halves_to_bytes_avx2(self.order, pairs, out),
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (pairs, out);
    }
}

/// [`ShortHalves::order`] for shuffles of 16 bytes.
#[cfg(target_arch = "x86_64")]
#[inline]
fn shuffle_of(order: u32) -> std::arch::x86_64::__m128i {
    use std::arch::x86_64::*;
    // SAFETY: every processor of 64 bits has these.
    #[allow(unsafe_code)]
    unsafe {
        _mm_or_si128(_mm_set1_epi32(order as i32), _mm_setr_epi32(0, 0x0404_0404, 0x0808_0808, 0x0c0c_0c0c))
    }
}

/// 1.5 * 2^23, as in [`round`]: the low bits of a sum with it are a whole number.
#[cfg(target_arch = "x86_64")]
const ONES: f32 = 12_582_912.0;
/// 255, and what the bits of a half 13 places up are too small by as those of a float: a product that is exact until the sum is rounded, for denormals too.
#[cfg(target_arch = "x86_64")]
const BYTES_OF_HALVES: f32 = 255.0 * (1u128 << 112) as f32;
/// 1 and infinity as halves.
#[cfg(target_arch = "x86_64")]
const HALF_ONE: i16 = 0x3c00;
#[cfg(target_arch = "x86_64")]
const HALF_INFINITY: i16 = 0x7c00;

/// Bytes of the low and of the high half of each dword, side by side. Halves are clamped as integers, two at a time: negative ones are below 0, and NaNs
/// above infinity become 0. A function of its own: closures that go through others are not part of what has the instruction set.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn bytes8(halves: std::arch::x86_64::__m256i) -> std::arch::x86_64::__m256i {
    use std::arch::x86_64::*;
    let (zero, one, infinity) = (_mm256_setzero_si256(), _mm256_set1_epi16(HALF_ONE), _mm256_set1_epi16(HALF_INFINITY));
    let (scale, ones) = (_mm256_set1_ps(BYTES_OF_HALVES), _mm256_set1_ps(ONES));
    let above = _mm256_andnot_si256(_mm256_cmpgt_epi16(halves, infinity), _mm256_max_epi16(halves, zero));
    let halves = _mm256_min_epi16(above, one);
    let low = _mm256_castsi256_ps(_mm256_srli_epi32::<3>(_mm256_slli_epi32::<16>(halves)));
    let high = _mm256_castsi256_ps(_mm256_and_si256(_mm256_srli_epi32::<3>(halves), _mm256_set1_epi32(0x0fff_e000)));
    let [low, high] = [_mm256_fmadd_ps(low, scale, ones), _mm256_fmadd_ps(high, scale, ones)];
    let low = _mm256_and_si256(_mm256_castps_si256(low), _mm256_set1_epi32(0xff));
    _mm256_or_si256(low, _mm256_slli_epi32::<8>(_mm256_castps_si256(high)))
}

/// Halves to numbers of 8 bits; `order` as in [`ShortHalves`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
fn halves_to_bytes_avx2(order: u32, [first, second]: [&[u32; WAVE]; 2], out: &mut [[u8; 4]; WAVE]) {
    use std::arch::x86_64::*;
    let shuffle = shuffle_of(order);
    // SAFETY: vectors of lanes that the arrays have.
    #[allow(unsafe_code)]
    unsafe {
        let shuffle = _mm256_broadcastsi128_si256(shuffle);
        for n in (0..WAVE).step_by(8) {
            let rg = bytes8(_mm256_loadu_si256(first.as_ptr().add(n).cast()));
            let ba = bytes8(_mm256_loadu_si256(second.as_ptr().add(n).cast()));
            let elements = _mm256_blend_epi16::<0xaa>(rg, _mm256_slli_epi32::<16>(ba));
            _mm256_storeu_si256(out.as_mut_ptr().add(n).cast(), _mm256_shuffle_epi8(elements, shuffle));
        }
    }
}

/// As [`bytes8`].
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn bytes16(halves: std::arch::x86_64::__m512i) -> std::arch::x86_64::__m512i {
    use std::arch::x86_64::*;
    const FIRST: i32 = 0xca; // b where a is set, else c
    let (zero, one, infinity) = (_mm512_setzero_si512(), _mm512_set1_epi16(HALF_ONE), _mm512_set1_epi16(HALF_INFINITY));
    let (scale, ones) = (_mm512_set1_ps(BYTES_OF_HALVES), _mm512_set1_ps(ONES));
    let numbers = _mm512_cmple_epi16_mask(halves, infinity);
    let halves = _mm512_min_epi16(_mm512_maskz_max_epi16(numbers, halves, zero), one);
    let low = _mm512_castsi512_ps(_mm512_srli_epi32::<3>(_mm512_slli_epi32::<16>(halves)));
    let high = _mm512_castsi512_ps(_mm512_and_si512(_mm512_srli_epi32::<3>(halves), _mm512_set1_epi32(0x0fff_e000)));
    let [low, high] = [_mm512_fmadd_ps(low, scale, ones), _mm512_fmadd_ps(high, scale, ones)];
    let high = _mm512_slli_epi32::<8>(_mm512_castps_si512(high));
    _mm512_ternarylogic_epi32::<FIRST>(_mm512_set1_epi32(0xff), _mm512_castps_si512(low), high)
}

/// As [`halves_to_bytes_avx2`], 16 lanes at a time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn halves_to_bytes_avx512(order: u32, [first, second]: [&[u32; WAVE]; 2], out: &mut [[u8; 4]; WAVE]) {
    use std::arch::x86_64::*;
    let shuffle = shuffle_of(order);
    // SAFETY: vectors of lanes that the arrays have.
    #[allow(unsafe_code)]
    unsafe {
        let shuffle = _mm512_broadcast_i32x4(shuffle);
        for n in (0..WAVE).step_by(16) {
            let rg = bytes16(_mm512_loadu_si512(first.as_ptr().add(n).cast()));
            let ba = bytes16(_mm512_loadu_si512(second.as_ptr().add(n).cast()));
            let elements = _mm512_mask_blend_epi16(0xaaaa_aaaa, rg, _mm512_slli_epi32::<16>(ba));
            _mm512_storeu_si512(out.as_mut_ptr().add(n).cast(), _mm512_shuffle_epi8(elements, shuffle));
        }
    }
}

/// Floats of the halves in the low and in the high 16 bits of dwords, as [`Format::decode`] gives those of memory.
pub fn halves_to_floats(pairs: &[u32; 64], low: &mut [u32; 64], high: &mut [u32; 64]) {
    #[cfg(target_arch = "x86_64")]
    if HostLevel::get() >= HostLevel::Avx2 {
        // SAFETY: as in `decode_many`.
        #[allow(unsafe_code)]
        return unsafe { halves_avx2(pairs, low, high) };
    }
    for ((pair, low), high) in pairs.iter().zip(low).zip(high) {
        (*low, *high) = (half_to_float(pair & 0xffff), half_to_float(pair >> 16));
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
fn halves_avx2(pairs: &[u32; 64], low: &mut [u32; 64], high: &mut [u32; 64]) {
    use std::arch::x86_64::{__m128i, __m256, _mm256_cvtph_ps};
    for ((pairs, low), high) in pairs.as_chunks::<8>().0.iter().zip(low.as_chunks_mut::<8>().0).zip(high.as_chunks_mut::<8>().0) {
        let convert = |halves: [u16; 8], to: &mut [u32; 8]| {
            // SAFETY: arrays of as many bytes, of which all bits mean something.
            #[allow(unsafe_code)]
            let halves = unsafe { std::mem::transmute::<[u16; 8], __m128i>(halves) };
            let floats = _mm256_cvtph_ps(halves);
            // SAFETY: as above.
            #[allow(unsafe_code)]
            let floats = unsafe { std::mem::transmute::<__m256, [u32; 8]>(floats) };
            *to = floats;
        };
        convert(pairs.map(|p| p as u16), low);
        convert(pairs.map(|p| (p >> 16) as u16), high);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn decode_avx2(format: &Format, bytes: &[u8], rows: [&mut [u32]; 4]) {
    decode(format, bytes, rows)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn encode_avx2(format: &Format, rows: [&[u32]; 4], out: &mut [u8]) -> bool {
    encode_all::<true>(format, rows, out)
}

#[inline(always)]
fn decode(format: &Format, bytes: &[u8], rows: [&mut [u32]; 4]) {
    let size = usize::from(format.bytes);
    let count = rows.iter().map(|row| row.len()).min().unwrap_or(0);
    let whole = if matches!(format.layout, Layout::Plain | Layout::SharedExponent) { count.min(bytes.len() / size) } else { 0 };
    let [r, g, b, a] = rows;
    for first in (0..whole).step_by(BATCH) {
        let last = (first + BATCH).min(whole);
        let bytes = &bytes[first * size..last * size];
        let rows = [&mut r[first..last], &mut g[first..last], &mut b[first..last], &mut a[first..last]];
        for (n, row) in rows.into_iter().enumerate() {
            let channel = format.channels[n];
            if format.layout == Layout::SharedExponent && n < 3 {
                dwords(bytes, size, 0, row);
                let shift = 9 * n as u32;
                in_place(row, |v| ((v >> shift & 0x1ff) as f32 * f32::from_bits(((v >> 27) + 127 - 24) << 23)).to_bits());
            } else if channel.bits == 0 {
                row.fill(if n == 3 { format.one() } else { 0 });
            } else {
                dwords(bytes, size, channel.shift / 32, row);
                decode_row(row, Channel { shift: channel.shift % 32, ..channel }, channel_numeric(format.numeric, n));
            }
        }
    }
    for n in whole..count {
        let texel = format.decode(bytes.get(n * size..).unwrap_or(&[]));
        [r[n], g[n], b[n], a[n]] = texel;
    }
}

/// Dword `word` of each element, or the element where it is smaller.
#[inline(always)]
fn dwords(bytes: &[u8], size: usize, word: u8, row: &mut [u32]) {
    #[inline(always)]
    fn of<const SIZE: usize>(bytes: &[u8], at: usize, row: &mut [u32]) {
        assert!(at + 4 <= SIZE);
        for (to, from) in row.iter_mut().zip(bytes.as_chunks::<SIZE>().0) {
            *to = u32::from_le_bytes([from[at], from[at + 1], from[at + 2], from[at + 3]]);
        }
    }
    let at = usize::from(word) * 4;
    match size {
        1 => row.iter_mut().zip(bytes).for_each(|(to, from)| *to = u32::from(*from)),
        2 => row.iter_mut().zip(bytes.as_chunks::<2>().0).for_each(|(to, from)| *to = u32::from(u16::from_le_bytes(*from))),
        4 => of::<4>(bytes, at, row),
        8 => of::<8>(bytes, at, row),
        12 => of::<12>(bytes, at, row),
        _ => of::<16>(bytes, at, row),
    }
}

#[inline(always)]
fn in_place(row: &mut [u32], convert: impl Fn(u32) -> u32) {
    for x in row {
        *x = convert(*x);
    }
}

/// Dwords with a channel in them to what the channel means.
#[inline(always)]
fn decode_row(row: &mut [u32], channel: Channel, numeric: Numeric) {
    let (bits, shift) = (u32::from(channel.bits), u32::from(channel.shift));
    let mask = u32::MAX >> (32 - bits);
    let unused = 32 - bits;
    let signed = move |v: u32| (v << (unused - shift)) as i32 >> unused;
    match numeric {
        Numeric::Uint => in_place(row, |v| v >> shift & mask),
        Numeric::Sint => in_place(row, |v| signed(v) as u32),
        Numeric::Unorm if bits <= 16 => {
            let [coarse, fine] = convert::PARTS[bits as usize];
            in_place(row, |v| {
                let x = (v >> shift & mask) as i32 as f32;
                (x * coarse + x * fine).to_bits()
            });
        }
        Numeric::Snorm if (2..=16).contains(&bits) => {
            let [coarse, fine] = convert::PARTS[bits as usize - 1];
            in_place(row, |v| {
                let x = signed(v) as f32;
                (x * coarse + x * fine).max(-1.0).to_bits()
            });
        }
        Numeric::Uscaled if bits <= 16 => in_place(row, |v| ((v >> shift & mask) as i32 as f32).to_bits()),
        Numeric::Sscaled => in_place(row, |v| (signed(v) as f32).to_bits()),
        Numeric::Srgb => in_place(row, |v| SRGB_TO_LINEAR[(v >> shift & 0xff) as usize].to_bits()),
        Numeric::Float if bits == 32 => {}
        Numeric::Float if bits == 16 => in_place(row, |v| half_to_float(v >> shift & 0xffff)),
        Numeric::Float if bits == 10 || bits == 11 => in_place(row, |v| half_to_float((v >> shift & mask) << (15 - bits))),
        _ => in_place(row, |v| convert::decode(v >> shift & mask, channel.bits, numeric)),
    }
}

/// f16 bits to f32 bits without branches; no step has a denormal f32.
#[inline(always)]
pub(super) fn half_to_float(half: u32) -> u32 {
    let magnitude = half & 0x7fff;
    let shifted = magnitude << 13;
    let normal = shifted + (112 << 23);
    let least = f32::from_bits(113 << 23);
    let denormal = (f32::from_bits(shifted | 113 << 23) - least).to_bits();
    let quiet = if magnitude > 0x7c00 { 1 << 22 } else { 0 };
    let special = shifted | 0x7f80_0000 | quiet;
    let finite = if magnitude < 0x400 { denormal } else { normal };
    (half & 0x8000) << 16 | if magnitude >= 0x7c00 { special } else { finite }
}

/// In steps no longer than they need to be.
#[inline(always)]
fn encode_all<const FMA: bool>(format: &Format, rows: [&[u32]; 4], out: &mut [u8]) -> bool {
    if rows[0].len() <= WAVE { encode::<FMA, WAVE>(format, rows, out) } else { encode::<FMA, BATCH>(format, rows, out) }
}

#[inline(always)]
fn encode<const FMA: bool, const STEP: usize>(format: &Format, rows: [&[u32]; 4], out: &mut [u8]) -> bool {
    let size = usize::from(format.bytes);
    let count = rows.iter().map(|row| row.len()).min().unwrap_or(0).min(out.len() / size);
    match format.layout {
        Layout::Plain => {}
        Layout::SharedExponent => {
            for (n, element) in out.as_chunks_mut::<4>().0.iter_mut().enumerate().take(count) {
                *element = convert::to_shared_exponent([0, 1, 2].map(|c| f32::from_bits(rows[c][n]))).to_le_bytes();
            }
            return true;
        }
        Layout::Block(_) | Layout::Etc(_) | Layout::Subsampled { .. } => return false,
    }
    let mut converted = [0; STEP];
    let mut merged = [0; STEP];
    for first in (0..count).step_by(STEP) {
        let last = (first + STEP).min(count);
        let out = &mut out[first * size..last * size];
        let (converted, merged) = (&mut converted[..last - first], &mut merged[..last - first]);
        for word in 0..size.div_ceil(4) as u8 {
            merged.fill(0);
            for (n, channel) in format.channels.into_iter().enumerate() {
                if channel.bits != 0 && channel.shift / 32 == word {
                    converted.copy_from_slice(&rows[n][first..last]);
                    encode_row::<FMA>(converted, channel.bits, channel_numeric(format.numeric, n));
                    let shift = channel.shift % 32;
                    merged.iter_mut().zip(&*converted).for_each(|(to, bits)| *to |= bits << shift);
                }
            }
            put_dwords(out, size, word, merged);
        }
    }
    true
}

/// The opposite of [`dwords`].
#[inline(always)]
fn put_dwords(out: &mut [u8], size: usize, word: u8, row: &[u32]) {
    #[inline(always)]
    fn of<const SIZE: usize>(out: &mut [u8], word: usize, row: &[u32]) {
        assert!(word < SIZE / 4);
        for (to, from) in out.as_chunks_mut::<SIZE>().0.iter_mut().zip(row) {
            to.as_chunks_mut::<4>().0[word] = from.to_le_bytes();
        }
    }
    let word = usize::from(word);
    match size {
        1 => out.iter_mut().zip(row).for_each(|(to, from)| *to = *from as u8),
        2 => out.as_chunks_mut::<2>().0.iter_mut().zip(row).for_each(|(to, from)| *to = (*from as u16).to_le_bytes()),
        4 => of::<4>(out, 0, row),
        8 => of::<8>(out, word, row),
        12 => of::<12>(out, word, row),
        _ => of::<16>(out, word, row),
    }
}

/// Dwords to the bits of a channel.
#[inline(always)]
fn encode_row<const FMA: bool>(row: &mut [u32], bits: u8, numeric: Numeric) {
    let mask = u32::MAX >> (32 - bits);
    let (top, signed_top) = (mask as f32, (mask >> 1) as f32);
    match numeric {
        Numeric::Unorm if bits <= 16 => in_place(row, |v| round::<FMA>(clamp(f32::from_bits(v), 0.0, 1.0), top) as u32),
        Numeric::Snorm if bits <= 16 => in_place(row, |v| round::<FMA>(clamp(f32::from_bits(v), -1.0, 1.0), signed_top) as u32 & mask),
        Numeric::Uscaled if bits <= 16 => in_place(row, |v| round::<FMA>(clamp(f32::from_bits(v), 0.0, top), 1.0) as u32),
        Numeric::Sscaled if bits <= 16 => {
            in_place(row, |v| round::<FMA>(clamp(f32::from_bits(v), -signed_top - 1.0, signed_top), 1.0) as u32 & mask);
        }
        Numeric::Uint => in_place(row, |v| v.min(mask)),
        Numeric::Sint => {
            let most = (mask >> 1) as i32;
            in_place(row, |v| (v as i32).clamp(-most - 1, most) as u32 & mask);
        }
        Numeric::Float if bits == 32 => {}
        Numeric::Float if bits == 16 => in_place(row, float_to_half),
        Numeric::Float if bits == 11 => in_place(row, |v| convert::to_unsigned_float(v, 6)),
        Numeric::Float if bits == 10 => in_place(row, |v| convert::to_unsigned_float(v, 5)),
        Numeric::Srgb => {
            let table = srgb::steps();
            in_place(row, |v| srgb::code(table, v));
        }
        _ => in_place(row, |v| convert::encode(v, bits, numeric)),
    }
}

/// Limits a number; a NaN is 0, as both limits include it.
#[inline(always)]
fn clamp(x: f32, low: f32, high: f32) -> f32 {
    let number = if x.is_nan() { 0.0 } else { x };
    let above = if number > low { number } else { low };
    if above < high { above } else { high }
}

/// `x * scale`, below 2^22 either way, rounded once to the nearest even integer.
#[inline(always)]
fn round<const FMA: bool>(x: f32, scale: f32) -> i32 {
    if FMA {
        const ONES: f32 = 12_582_912.0; // 1.5 * 2^23
        x.mul_add(scale, ONES).to_bits() as i32 - ONES.to_bits() as i32
    } else {
        const ONES: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
        (f64::from(x) * f64::from(scale) + ONES).to_bits() as i32
    }
}

/// f32 bits to f16 bits toward zero, without branches.
#[inline(always)]
pub(crate) fn float_to_half_down(float: u32) -> u32 {
    let nearest = float_to_half(float);
    let magnitude = float & 0x7fff_ffff;
    let is_beyond = half_to_float(nearest) & 0x7fff_ffff > magnitude && magnitude <= 0x7f80_0000;
    nearest - u32::from(is_beyond)
}

/// f32 bits to f16 bits, to nearest even, without branches.
#[inline(always)]
pub(crate) fn float_to_half(float: u32) -> u32 {
    let magnitude = float & 0x7fff_ffff;
    let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(0xfff + (magnitude >> 13 & 1)) >> 13;
    // Denormals: the sum with 0.5 has 2^-24, theirs, as the last place.
    let denormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5_f32.to_bits());
    let nan = 0x7e00 | magnitude >> 13 & 0x3ff;
    let infinite = if magnitude > 0x7f80_0000 { nan } else { 0x7c00 };
    let finite = if magnitude < 113 << 23 { denormal } else { normal };
    float >> 16 & 0x8000 | if magnitude >= 0x477f_f000 { infinite } else { finite }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Generation;

    // images.md 4: colors that come as halves are stored as their floats are, all halves in all channels.
    #[test]
    fn halves_are_stored_as_their_floats_are() {
        let mut stored = 0;
        for (code, number) in (0..32).flat_map(|code| (0..8).map(move |number| (code, number))) {
            let Some(format) = Format::of_color_target(code, number) else { continue };
            for order in [[0, 1, 2, 3], [2, 1, 0, 3], [3, 2, 1, 0]] {
                let Some(short) = format.short_halves(order) else { continue };
                for first in (0..1u32 << 16).step_by(WAVE) {
                    let half = |n: usize| first + n as u32;
                    let pairs = [
                        std::array::from_fn(|n| half(n) | (0xffff - half(n)) << 16),
                        std::array::from_fn(|n| half(n) ^ 0x3c00 | half(n) << 16),
                    ];
                    let mut found = [[0xee; 4]; WAVE];
                    short.encode([&pairs[0], &pairs[1]], &mut found);
                    let mut rows = [[0; WAVE]; 4];
                    let [r, g, b, a] = &mut rows;
                    halves_to_floats(&pairs[0], r, g);
                    halves_to_floats(&pairs[1], b, a);
                    let mut expected = [0; 4 * WAVE];
                    assert!(format.encode_many(order.map(|c| &rows[c][..]), &mut expected));
                    assert_eq!(found.as_flattened(), expected, "format {code}, numbers {number}, {first:#x}");
                    #[cfg(target_arch = "x86_64")]
                    if HostLevel::host() >= HostLevel::Avx512 {
                        let mut narrow = [[0xee; 4]; WAVE];
                        // SAFETY: as in `decode_many`.
                        #[allow(unsafe_code)]
                        unsafe {
                            halves_to_bytes_avx2(short.order, [&pairs[0], &pairs[1]], &mut narrow);
                        }
                        assert_eq!(narrow.as_flattened(), expected, "AVX2: format {code}, numbers {number}, {first:#x}");
                    }
                    stored += 1;
                }
            }
        }
        // The plain form has none.
        assert!(stored > 0 || HostLevel::get() < HostLevel::Avx2);
    }

    // images.md 3: halves are floats, whichever way they are converted.
    #[test]
    fn pairs_of_halves_are_the_floats_of_each() {
        for first in (0..1u32 << 16).step_by(WAVE) {
            let pairs = std::array::from_fn(|n| (first + n as u32) | (0xffff - first - n as u32) << 16);
            let (mut low, mut high) = ([0; WAVE], [0; WAVE]);
            halves_to_floats(&pairs, &mut low, &mut high);
            for (n, pair) in pairs.into_iter().enumerate() {
                assert_eq!((low[n], high[n]), (half_to_float(pair & 0xffff), half_to_float(pair >> 16)), "{pair:#x}");
            }
        }
    }

    fn all_formats() -> impl Iterator<Item = &'static Format> {
        let unified = (0..512).flat_map(|n| [Generation::Gfx10, Generation::Gfx11].map(|g| Format::unified(g, n)));
        let legacy = (0..1024_u16).map(|n| Format::legacy(Generation::Gfx6, (n & 63) as u8, (n >> 6) as u8));
        unified.chain(legacy).flatten()
    }

    #[test]
    fn rows_decode_as_single_elements_do() {
        let mut random = wavejit_random::Random(5);
        for format in all_formats() {
            let size = usize::from(format.bytes);
            let bytes: Vec<u8> = (0..300 * size).map(|_| random.u32() as u8).collect();
            let cut = if format.is_block() { bytes.len() } else { bytes.len() - 1 }; // the last element lacks a byte
            let mut rows = vec![vec![0; 300]; 4];
            let mut plain_rows = rows.clone();
            let [r, g, b, a] = &mut rows[..] else { unreachable!() };
            format.decode_many(&bytes[..cut], [r, g, b, a]);
            let [r, g, b, a] = &mut plain_rows[..] else { unreachable!() };
            decode(format, &bytes[..cut], [r, g, b, a]);
            assert_eq!(rows, plain_rows, "{format}");
            for n in 0..300 {
                let expected = format.decode(&bytes[n * size..((n + 1) * size).min(cut)]);
                assert_eq!([0, 1, 2, 3].map(|c| rows[c][n]), expected, "{format} {n}");
            }
        }
    }

    #[test]
    fn rows_encode_as_single_elements_do() {
        let mut random = wavejit_random::Random(6);
        for format in all_formats() {
            let size = usize::from(format.bytes);
            let rows: Vec<Vec<u32>> = (0..4)
                .map(|_| {
                    let near_one = |r: u32| (r & 0x80ff_ffff) | (0x3e00_0000 + ((r >> 24 & 3) << 23));
                    (0..2000)
                        .map(|n| match n % 4 {
                            0 => random.u32(),
                            1 => random.u32() % 1000,
                            _ => near_one(random.u32()),
                        })
                        .collect()
                })
                .collect();
            let slices = [0, 1, 2, 3].map(|c| &rows[c][..]);
            let (mut out, mut plain) = (vec![0; 2000 * size], vec![0; 2000 * size]);
            let stores = format.encode_many(slices, &mut out);
            assert_eq!(encode::<false, WAVE>(format, slices, &mut plain), stores);
            assert_eq!(out, plain, "{format}");
            for n in 0..if stores { 2000 } else { 0 } {
                let mut expected = [0; 16];
                assert!(format.encode([0, 1, 2, 3].map(|c| rows[c][n]), &mut expected));
                assert_eq!(out[n * size..][..size], expected[..size], "{format} {n}: {:x?}", [0, 1, 2, 3].map(|c| rows[c][n]));
            }
        }
    }

    #[test]
    fn products_and_a_sum_divide_exactly() {
        for bits in 1..=16 {
            let [coarse, fine] = convert::PARTS[bits];
            let top = (1_u32 << bits) - 1;
            for v in 0..=top {
                let x = v as f32;
                assert_eq!(x * coarse + x * fine, x / top as f32, "{v} of {bits} bits");
            }
        }
    }

    /// The f16 next to a number toward zero, from the nearest one.
    fn f16_toward_zero(x: f32, nearest: u16) -> u16 {
        let is_beyond = half::f16::from_bits(nearest).to_f32().abs() > x.abs();
        if is_beyond { nearest - 1 } else { nearest }
    }

    #[test]
    fn halves_convert_as_those_of_the_half_crate() {
        for code in 0..=u16::MAX {
            assert_eq!(half_to_float(code.into()), half::f16::from_bits(code).to_f32().to_bits(), "{code:#x}");
        }
        let mut random = wavejit_random::Random(7);
        let dense = (0..=0xffff_u32).flat_map(|n| [n << 16, n << 16 | 0xfff, n << 16 | 0x1000, n << 16 | 0x1001, n << 16 | 0xf000]);
        for bits in dense.chain((0..200_000).map(|_| random.u32())) {
            let expected = half::f16::from_f32(f32::from_bits(bits)).to_bits();
            assert_eq!(float_to_half(bits), expected.into(), "{bits:#x}");
            let x = f32::from_bits(bits);
            let down = f16_toward_zero(x, expected);
            assert_eq!(float_to_half_down(bits), down.into(), "{bits:#x}");
        }
    }
}
