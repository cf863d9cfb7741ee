//! Whole rows of pure operations: [`row_fn`] gives a host function that applies an operation to every lane of a wave.
//!
//! The loops are made from the scalar functions behind [`eval`], so the two agree bit for bit. Each loop is compiled for the levels of
//! the host ([`HostLevel`]) and left to the compiler's vectorizer; a few f16 loops are written by hand (`x86`). Usual float
//! modes have loops of their own without mode branches; unusual modes and rare operations call [`eval`] lane by lane.
//!
//! A loop handles 32 lanes at a time into a buffer on the stack and copies that to the destination, so that sources may equal the
//! destination and the vectorizer need not ask.

use super::eval::mode::{Flush, Fp, Plain};
use super::eval::{Element, cvt, div, dot, eval, f16, f32, f64, int, near, trans};
use super::op::pure_rows;
use super::{FpMode, PureOp, Width};
use std::mem::MaybeUninit;
use wavejit_isa::HostLevel;

/// Applies one operation to all lanes.
///
/// `rows` is the row file, 64-byte aligned, `lanes` (32 or 64) dwords a row; `mode` is the [`FpMode`]; `dst` the result's row, with that
/// of the high dwords in bits 31:16; `src[2 * i]` and `src[2 * i + 1]` the rows of operand i's low and high dwords. A condition as operand
/// is a mask in the first eight bytes of its row; as a result it is returned, one bit per lane. Other results return 0. Result rows may
/// be source rows.
pub type RowFn = unsafe extern "C" fn(rows: *mut u32, lanes: u32, mode: u32, dst: u64, src: *const [u16; 8]) -> u64;

/// The row function of an operation in a mode, for this host.
pub fn row_fn(op: PureOp, mode: FpMode) -> RowFn {
    row_fn_at(op, mode, HostLevel::get())
}

/// Lanes done at a time.
const CHUNK: usize = 32;

/// The arguments of a [`RowFn`].
#[derive(Clone, Copy)]
struct Rows<'a> {
    rows: *mut u32,
    lanes: usize,
    mode: FpMode,
    dst: u64,
    src: &'a [u16; 8],
}

impl Rows<'_> {
    /// A row of the low (`part` 0) or high dwords of operand `i`.
    ///
    /// # Safety
    /// The row numbers must lie in the row file.
    #[inline(always)]
    unsafe fn source(&self, i: usize, part: usize) -> *const u32 {
        // SAFETY: the caller of the row function names rows of its file.
        unsafe { self.rows.add(usize::from(self.src[2 * i + part]) * self.lanes) }
    }
    /// The row of the result's low or high dwords.
    ///
    /// # Safety
    /// As for `source`.
    #[inline(always)]
    unsafe fn target(&self, part: usize) -> *mut u32 {
        // SAFETY: the caller of the row function names rows of its file.
        unsafe { self.rows.add((self.dst >> (16 * part)) as usize % 0x10000 * self.lanes) }
    }
    /// Groups of [`CHUNK`] lanes.
    #[inline(always)]
    fn chunks(&self) -> impl Iterator<Item = usize> + use<> {
        (0..self.lanes / CHUNK).map(|i| i * CHUNK)
    }
}

/// An operand type: where its lanes come from.
trait Source: Element {
    type Lanes: Copy;
    /// # Safety
    /// As for [`Rows::source`].
    unsafe fn open(r: &Rows, i: usize) -> Self::Lanes;
    /// # Safety
    /// `lane` must be below the lanes of a row.
    unsafe fn lane(lanes: Self::Lanes, lane: usize) -> Self;
}

impl Source for u16 {
    type Lanes = *const u32;
    #[inline(always)]
    unsafe fn open(r: &Rows, i: usize) -> *const u32 {
        // SAFETY: passed on.
        unsafe { r.source(i, 0) }
    }
    #[inline(always)]
    unsafe fn lane(lanes: *const u32, lane: usize) -> u16 {
        // SAFETY: a row has as many dwords as the wave has lanes.
        unsafe { *lanes.add(lane) as u16 }
    }
}
impl Source for u32 {
    type Lanes = *const u32;
    #[inline(always)]
    unsafe fn open(r: &Rows, i: usize) -> *const u32 {
        // SAFETY: passed on.
        unsafe { r.source(i, 0) }
    }
    #[inline(always)]
    unsafe fn lane(lanes: *const u32, lane: usize) -> u32 {
        // SAFETY: a row has as many dwords as the wave has lanes.
        unsafe { *lanes.add(lane) }
    }
}
impl Source for u64 {
    type Lanes = (*const u32, *const u32);
    #[inline(always)]
    unsafe fn open(r: &Rows, i: usize) -> Self::Lanes {
        // SAFETY: passed on.
        unsafe { (r.source(i, 0), r.source(i, 1)) }
    }
    #[inline(always)]
    unsafe fn lane((lo, hi): Self::Lanes, lane: usize) -> u64 {
        // SAFETY: a row has as many dwords as the wave has lanes.
        unsafe { u64::from(*lo.add(lane)) | u64::from(*hi.add(lane)) << 32 }
    }
}
impl Source for bool {
    /// The mask, read before any row is written.
    type Lanes = u64;
    #[inline(always)]
    unsafe fn open(r: &Rows, i: usize) -> u64 {
        // SAFETY: a row has at least 32 dwords and starts on a multiple of 64 bytes.
        unsafe { r.source(i, 0).cast::<u64>().read() }
    }
    #[inline(always)]
    unsafe fn lane(mask: u64, lane: usize) -> bool {
        mask >> lane & 1 != 0
    }
}

/// A result type: where its lanes go.
trait Target: Element {
    type Buffer: Copy;
    fn put(buffer: &mut MaybeUninit<Self::Buffer>, lane: usize, value: Self);
    /// Stores the buffer, of which every lane was put, to lanes from `first` on. Returns their bits of a mask.
    ///
    /// # Safety
    /// As for [`Rows::source`]; the buffer must be full.
    unsafe fn close(r: &Rows, first: usize, buffer: MaybeUninit<Self::Buffer>) -> u64;
}

/// Writes lane `lane` of a buffer of dwords.
#[inline(always)]
fn put_dword(buffer: *mut [u32; CHUNK], lane: usize, value: u32) {
    assert!(lane < CHUNK);
    // SAFETY: inside the buffer, by the assertion (which the loops' constant bound removes).
    unsafe { buffer.cast::<u32>().add(lane).write(value) }
}

macro_rules! dword_target {
    ($($ty:ident)*) => { $(
        impl Target for $ty {
            type Buffer = [u32; CHUNK];
            #[inline(always)]
            fn put(buffer: &mut MaybeUninit<Self::Buffer>, lane: usize, value: Self) {
                put_dword(buffer.as_mut_ptr(), lane, value.into());
            }
            #[inline(always)]
            unsafe fn close(r: &Rows, first: usize, buffer: MaybeUninit<Self::Buffer>) -> u64 {
                // SAFETY: a full buffer goes to CHUNK lanes of the result's row.
                unsafe { r.target(0).add(first).cast::<[u32; CHUNK]>().write(buffer.assume_init()) };
                0
            }
        }
    )* };
}
dword_target! { u16 u32 }

impl Target for u64 {
    type Buffer = [[u32; CHUNK]; 2];
    #[inline(always)]
    fn put(buffer: &mut MaybeUninit<Self::Buffer>, lane: usize, value: u64) {
        let lo = buffer.as_mut_ptr().cast::<[u32; CHUNK]>();
        put_dword(lo, lane, value as u32);
        put_dword(lo.wrapping_add(1), lane, (value >> 32) as u32);
    }
    #[inline(always)]
    unsafe fn close(r: &Rows, first: usize, buffer: MaybeUninit<Self::Buffer>) -> u64 {
        // SAFETY: a full buffer goes to CHUNK lanes of the result's two rows.
        unsafe {
            let [lo, hi] = buffer.assume_init();
            r.target(0).add(first).cast::<[u32; CHUNK]>().write(lo);
            r.target(1).add(first).cast::<[u32; CHUNK]>().write(hi);
        }
        0
    }
}
impl Target for bool {
    /// A byte per lane, 0 or 0xff.
    type Buffer = [u8; CHUNK];
    #[inline(always)]
    fn put(buffer: &mut MaybeUninit<Self::Buffer>, lane: usize, value: bool) {
        assert!(lane < CHUNK);
        // SAFETY: inside the buffer, by the assertion.
        unsafe { buffer.as_mut_ptr().cast::<u8>().add(lane).write(0u8.wrapping_sub(value.into())) }
    }
    #[inline(always)]
    unsafe fn close(_: &Rows, first: usize, buffer: MaybeUninit<Self::Buffer>) -> u64 {
        // SAFETY: the buffer is full.
        u64::from(sign_bits(unsafe { buffer.assume_init() })) << first
    }
}

/// The top bit of each byte.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn sign_bits(bytes: [u8; CHUNK]) -> u32 {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_movemask_epi8};
    let at = bytes.as_ptr().cast::<__m128i>();
    // SAFETY: two unaligned loads of the 32 bytes, of SSE2, which every x86-64 has.
    let (lo, hi) = unsafe { (_mm_movemask_epi8(_mm_loadu_si128(at)), _mm_movemask_epi8(_mm_loadu_si128(at.add(1)))) };
    lo as u32 | (hi as u32) << 16
}

/// The top bit of each byte.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn sign_bits(bytes: [u8; CHUNK]) -> u32 {
    low_bits(bytes)
}

/// The lowest bit of each byte.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn low_bits(bytes: [u8; CHUNK]) -> u32 {
    let mut mask = 0;
    for (i, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        let bits = u64::from_le_bytes(*eight) & 0x0101_0101_0101_0101;
        // every byte's bit lands in a place of its own in the top byte
        mask |= ((bits.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32) << (8 * i);
    }
    mask
}

/// A scalar function of signature `S` over all lanes.
trait OverLanes<S> {
    /// # Safety
    /// As for [`Rows::source`].
    unsafe fn over(self, r: &Rows) -> u64;
}

/// A scalar function with the mode it reads.
#[derive(Clone, Copy)]
struct Bound<F, M>(F, M);

// The loop is written out for plain and bound functions: a closure between them would be one function for all levels, without their
// instructions.
macro_rules! over_lanes {
    ($($arg:ident $lanes:ident $i:literal),*) => {
        impl<$($arg: Source,)* R: Target, F: Fn($($arg),*) -> R> OverLanes<($($arg,)* R,)> for F {
            #[inline(always)]
            unsafe fn over(self, r: &Rows) -> u64 {
                over_lanes!(body r R ($($arg $lanes $i)*) self())
            }
        }
        impl<M: Fp, $($arg: Source,)* R: Target, F: Fn(M, $($arg),*) -> R> OverLanes<(M, $($arg,)* R)> for Bound<F, M> {
            #[inline(always)]
            unsafe fn over(self, r: &Rows) -> u64 {
                let Bound(f, m) = self;
                over_lanes!(body r R ($($arg $lanes $i)*) f(m,))
            }
        }
    };
    (body $r:ident $R:ident ($($arg:ident $lanes:ident $i:literal)*) $f:ident($($m:ident,)?)) => {
        // SAFETY: rows as promised by the caller; lanes below the row's length; CHUNK puts fill the buffer.
        unsafe {
            $(let $lanes = $arg::open($r, $i);)*
            let mut mask = 0;
            for first in $r.chunks() {
                let mut buffer = MaybeUninit::<$R::Buffer>::uninit();
                for lane in 0..CHUNK {
                    $R::put(&mut buffer, lane, $f($($m,)? $($arg::lane($lanes, first + lane)),*));
                }
                mask |= $R::close($r, first, buffer);
            }
            mask
        }
    };
}
over_lanes!(A a 0);
over_lanes!(A a 0, B b 1);
over_lanes!(A a 0, B b 1, C c 2);

/// A 16-bit function over both halves of all lanes: a row of dwords is a row of twice as many words.
trait OverHalves<S> {
    /// # Safety
    /// As for [`Rows::source`].
    unsafe fn over_halves(self, r: &Rows) -> u64;
}
/// As [`Bound`], without a mode.
struct Free<F>(F);

macro_rules! over_halves {
    ($($U:ident $words:ident $i:literal),*) => {
        impl<F: Fn($($U),*) -> u16> OverHalves<($($U,)*)> for Free<F> {
            #[inline(always)]
            unsafe fn over_halves(self, r: &Rows) -> u64 {
                let Free(f) = self;
                over_halves!(body r ($($words $i)*) f())
            }
        }
        impl<M: Fp, F: Fn(M, $($U),*) -> u16> OverHalves<(M, $($U,)*)> for Bound<F, M> {
            #[inline(always)]
            unsafe fn over_halves(self, r: &Rows) -> u64 {
                let Bound(f, m) = self;
                over_halves!(body r ($($words $i)*) f(m,))
            }
        }
    };
    (body $r:ident ($($words:ident $i:literal)*) $f:ident($($m:ident,)?)) => {
        // SAFETY: rows as promised by the caller; words below twice the lanes; the loop fills the buffer.
        unsafe {
            $(let $words = $r.source($i, 0).cast::<u16>();)*
            for first in $r.chunks() {
                let mut buffer = [MaybeUninit::<u16>::uninit(); 2 * CHUNK];
                for word in 0..2 * CHUNK {
                    buffer[word].write($f($($m,)? $(*$words.add(2 * first + word)),*));
                }
                $r.target(0).add(first).cast::<[MaybeUninit<u16>; 2 * CHUNK]>().write(buffer);
            }
            0
        }
    };
}
over_halves!(u16 a 0);
over_halves!(u16 a 0, u16 b 1);
over_halves!(u16 a 0, u16 b 1, u16 c 2);

/// A row loop, compiled for each level by [`pick`].
trait RowLoop {
    /// # Safety
    /// As for [`Rows::source`].
    unsafe fn run(r: &Rows) -> u64;
}

macro_rules! entry {
    ($(#[$feature:meta])* $name:ident) => {
        $(#[$feature])*
        unsafe extern "C" fn $name<K: RowLoop>(rows: *mut u32, lanes: u32, mode: u32, dst: u64, src: *const [u16; 8]) -> u64 {
            // SAFETY: `src` is readable by the contract of `RowFn`, and `K` gets the rows it was promised.
            unsafe { K::run(&Rows { rows, lanes: lanes as usize & 0x60, mode: FpMode(mode as u16), dst, src: &*src }) }
        }
    };
}
entry!(baseline);
#[cfg(target_arch = "x86_64")]
entry!(
    #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    avx2
);
#[cfg(target_arch = "x86_64")]
entry!(
    #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512cd")]
    avx512
);

fn pick<K: RowLoop>(level: HostLevel) -> RowFn {
    match level {
        #[cfg(target_arch = "x86_64")]
        HostLevel::Avx512 => avx512::<K>,
        #[cfg(target_arch = "x86_64")]
        HostLevel::Avx2 => avx2::<K>,
        _ => baseline::<K>,
    }
}

/// Calls [`eval`] for each lane of operation number `OP`.
struct ByEval<const OP: u16>;

impl<const OP: u16> RowLoop for ByEval<OP> {
    #[inline(always)]
    unsafe fn run(r: &Rows) -> u64 {
        // SAFETY: passed on.
        unsafe { by_eval(PureOp::ALL[usize::from(OP)], r) }
    }
}

/// The row function of operation number `OP` that calls [`eval`].
fn slow<const OP: u16>(_: HostLevel) -> RowFn {
    baseline::<ByEval<OP>>
}

/// # Safety
/// As for [`Rows::source`].
#[inline(never)]
unsafe fn by_eval(op: PureOp, r: &Rows) -> u64 {
    let mut masks = [0; 3];
    for (i, width) in op.args().iter().enumerate() {
        if *width == Width::B1 {
            // SAFETY: rows as promised by the caller.
            masks[i] = unsafe { bool::open(r, i) };
        }
    }
    let mut result = 0;
    for lane in 0..r.lanes {
        let mut x = [0; 3];
        for (i, width) in op.args().iter().enumerate() {
            // SAFETY: rows as promised by the caller, lanes below their length.
            x[i] = unsafe {
                match width {
                    Width::B1 => masks[i] >> lane & 1,
                    Width::B32 => u32::lane(u32::open(r, i), lane).into(),
                    Width::B64 => u64::lane(u64::open(r, i), lane),
                }
            };
        }
        let y = eval(op, r.mode, x[0], x[1], x[2]);
        // SAFETY: as above; all operands of the lane were read before.
        unsafe {
            match op.ret() {
                Width::B1 => result |= y << lane,
                Width::B32 => r.target(0).add(lane).write(y as u32),
                Width::B64 => {
                    r.target(0).add(lane).write(y as u32);
                    r.target(1).add(lane).write((y >> 32) as u32);
                }
            }
        }
    }
    result
}

/// The kernel of scalar function `$f` seen through mode view `$View`, or without mode.
macro_rules! kernel {
    (lanes in $View:ident $f:path) => {
        kernel!(loop r, OverLanes::over(Bound($f, $View::of(r.mode)), r))
    };
    (lanes $f:path) => {
        kernel!(loop r, OverLanes::over($f, r))
    };
    (halves in $View:ident $f:path) => {
        kernel!(loop r, OverHalves::over_halves(Bound($f, $View::of(r.mode)), r))
    };
    (halves $f:path) => {
        kernel!(loop r, OverHalves::over_halves(Free($f), r))
    };
    (loop $r:ident, $body:expr) => {{
        struct K;
        impl RowLoop for K {
            #[inline(always)]
            unsafe fn run($r: &Rows) -> u64 {
                // SAFETY: passed on.
                unsafe { $body }
            }
        }
        pick::<K>
    }};
}

/// Chooses by the kind of the row in `pure_rows!`; `slow` calls [`eval`].
macro_rules! choose {
    (int $f:path, $mode:ident $op:ident) => {
        kernel!(lanes $f)
    };
    (any $f:path, $mode:ident $op:ident) => {
        kernel!(lanes in Plain $f)
    };
    (f32 $f:path, $mode:ident $op:ident) => {
        if $mode.is_plain32() {
            kernel!(lanes in Plain $f)
        } else if $mode.round32() == 0 {
            kernel!(lanes in Flush $f)
        } else {
            slow::<{ PureOp::$op as u16 }>
        }
    };
    (f64 $f:path, $mode:ident $op:ident) => {
        if $mode.is_plain16_64() { kernel!(lanes in Plain $f) } else { slow::<{ PureOp::$op as u16 }> }
    };
    (mix $f:path, $mode:ident $op:ident) => {
        if $mode.is_plain32() && $mode.is_plain16_64() { kernel!(lanes in Plain $f) } else { slow::<{ PureOp::$op as u16 }> }
    };
    (pk $f:path, $mode:ident $op:ident) => {
        kernel!(halves $f)
    };
    (pkf $f:path, $mode:ident $op:ident) => {
        if $mode.is_plain16_64() { kernel!(halves in Plain $f) } else { slow::<{ PureOp::$op as u16 }> }
    };
    (slow $f:path, $mode:ident $op:ident) => {
        slow::<{ PureOp::$op as u16 }>
    };
    (slowf $f:path, $mode:ident $op:ident) => {
        slow::<{ PureOp::$op as u16 }>
    };
}

/// div_fmas of f64 has a slow case, which keeps a loop from being vectorized: look for it first.
///
/// # Safety
/// As for [`Rows::source`].
#[inline(always)]
unsafe fn fmas64_rows(r: &Rows) -> u64 {
    let m = Plain::of(r.mode);
    // SAFETY: passed on.
    unsafe {
        if OverLanes::over(Bound(div::fmas64_is_hard, m), r) == 0 {
            OverLanes::over(Bound(div::fmas64_easy, m), r)
        } else {
            OverLanes::over(Bound(div::fmas64, m), r)
        }
    }
}

macro_rules! define_row_fn {
    ($($(#[$doc:meta])* $op:ident $text:literal ($($arg:ident)*) $ret:ident $kind:ident $f:path $([$($be:ident: $support:ident),*])?;)*) => {
        /// The row function for a level, which the host must have.
        pub fn row_fn_at(op: PureOp, mode: FpMode, level: HostLevel) -> RowFn {
            #[cfg(target_arch = "x86_64")]
            if let Some(by_hand) = x86::row_fn(op, mode, level) {
                return by_hand;
            }
            if op == PureOp::DivFmasScaled64 && mode.is_plain16_64() {
                return kernel!(loop r, fmas64_rows(r))(level);
            }
            let chosen: fn(HostLevel) -> RowFn = match op {
                $(PureOp::$op => choose!($kind $f, mode $op),)*
            };
            chosen(level)
        }
    };
}
pure_rows!(define_row_fn);

#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;
