//! The [`Helpers`] table: what compiled code and the interpreter call for everything that is not arithmetic.
//!
//! One table per host instruction set, chosen once. `load` and `store` look up a function for (wave size, space, kind), specialized and
//! compiled for that instruction set.

use super::lanes::Portable;
use super::vector::{context, fault};
use super::{atomic, exchange_sum, exports, hwreg, scalar, texture, vector};
use wavejit_ir::Space;
use wavejit_ir::abi::{FaultKind, GwsOp, Helpers, MemFn, MemOp, ProbeCall, WaveState};
use wavejit_isa::HostLevel;

/// The table for this host.
pub(crate) fn table() -> &'static Helpers {
    at(HostLevel::get())
}

/// The table for a level, which the host has.
fn at(level: HostLevel) -> &'static Helpers {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    if level == HostLevel::Avx512 {
        return &with_avx512::TABLE;
    }
    #[cfg(target_arch = "x86_64")]
    if level >= HostLevel::Avx2 {
        return &with_avx2::TABLE;
    }
    debug_assert!(level == HostLevel::Baseline);
    &portable::TABLE
}

/// All tables this host can run, by name.
#[cfg(test)]
pub(crate) fn all_tables() -> Vec<(&'static str, &'static Helpers)> {
    HostLevel::available().map(|level| (level.name(), at(level))).collect()
}

const KINDS: usize = 8;
/// Global, Flat, Scratch, LDS, GDS.
const SPACES: usize = 5;
type ByKind = [MemFn; KINDS];

unsafe extern "C" fn no_gds(state: *mut WaveState, op: *const MemOp, exec: u64, _base: u64) -> u32 {
    // SAFETY: as for all helpers.
    let (state, op) = unsafe { (&mut *state, &*op) };
    if exec == 0 { 0 } else { fault(state, op.pc, exec, FaultKind::Unsupported, exec.trailing_zeros(), 0) }
}

/// The run time puts no probes that call into code; a wave that comes to one stops with its number.
unsafe extern "C" fn no_probe(state: *mut WaveState, call: *const ProbeCall, exec: u64) -> u32 {
    // SAFETY: as for all helpers; the context is not part of the state.
    let (state, call, ctx) = unsafe { (&mut *state, &*call, context(&*state)) };
    ctx.refusal = Some(format!("nobody listens to probe {}", call.id));
    fault(state, call.pc, exec, FaultKind::Refused, u32::MAX, 0)
}

/// See `Helpers::gws`.
unsafe extern "C" fn global_wave_sync(state: *mut WaveState, op: u32, resource: u32, value: u32) {
    // SAFETY: callers pass a complete wave with its context.
    let ctx = unsafe { context(&*state) };
    // SAFETY: null, or a dispatch's that outlives the wave.
    if let (Some(gws), Some(op)) = (unsafe { ctx.gws.as_ref() }, GwsOp::from_u32(op)) {
        ctx.ticket = gws.ask(op, resource, value);
    }
}

/// The functions of one instruction set: `$features` is the attribute they are compiled with.
macro_rules! tables {
    ($module:ident, $isa:ty, $(#[$features:meta])*) => {
        mod $module {
            use super::*;

            macro_rules! accesses {
                ($name:ident, $from:path) => {
                    $(#[$features])*
                    unsafe extern "C" fn $name<const N: usize, const K: u8>(state: *mut WaveState, op: *const MemOp, exec: u64, base: u64) -> u32 {
                        // SAFETY: callers pass a complete wave of N lanes and rows it has; the table is used on hosts that have the features.
                        unsafe { $from(&mut *state, &*op, exec & super::super::lanes::full(N), base) }
                    }
                };
            }
            accesses!(load_global, vector::load_global::<$isa, N, K>);
            accesses!(load_scratch, vector::load_scratch::<$isa, N, K>);
            accesses!(load_lds, vector::load_lds::<$isa, N, K>);
            accesses!(store_global, vector::store_global::<$isa, N, K>);
            accesses!(store_scratch, vector::store_scratch::<$isa, N, K>);
            accesses!(store_lds, vector::store_lds::<$isa, N, K>);
            accesses!(atomic_global, atomic::atomic_global::<$isa, N>);
            accesses!(atomic_lds, atomic::atomic_lds::<$isa, N>);
            accesses!(atomic_scratch, atomic::atomic_scratch::<N>);
            accesses!(sum_global, exchange_sum::in_memory::<$isa, N>);
            accesses!(sum_lds, exchange_sum::in_lds::<$isa, N>);

            macro_rules! flat_accesses {
                ($name:ident, $global:ident, $lds:ident, $scratch:ident) => {
                    $(#[$features])*
                    unsafe extern "C" fn $name<const N: usize, const K: u8>(state: *mut WaveState, op: *const MemOp, exec: u64, base: u64) -> u32 {
                        // SAFETY: as above.
                        unsafe {
                            vector::flat::<$isa, N>(state, &*op, exec & super::super::lanes::full(N), base, |space, lanes| match space {
                                Space::Lds => $lds::<N, K>(state, op, lanes, base),
                                Space::Scratch => $scratch::<N, K>(state, op, lanes, base),
                                _ => $global::<N, K>(state, op, lanes, base),
                            })
                        }
                    }
                };
            }
            flat_accesses!(load_flat, load_global, load_lds, load_scratch);
            flat_accesses!(store_flat, store_global, store_lds, store_scratch);
            flat_accesses!(atomic_flat, atomic_global, atomic_lds, atomic_scratch);

            macro_rules! by_kind {
                ($f:ident, $n:expr) => {
                    [$f::<$n, 0>, $f::<$n, 1>, $f::<$n, 2>, $f::<$n, 3>, $f::<$n, 4>, $f::<$n, 5>, $f::<$n, 6>, $f::<$n, 7>]
                };
            }
            macro_rules! by_space {
                ($n:expr, $global:ident $flat:ident $scratch:ident $lds:ident) => {
                    [by_kind!($global, $n), by_kind!($flat, $n), by_kind!($scratch, $n), by_kind!($lds, $n), [no_gds as MemFn; KINDS]]
                };
            }
            static LOADS: [[ByKind; SPACES]; 2] =
                [by_space!(32, load_global load_flat load_scratch load_lds), by_space!(64, load_global load_flat load_scratch load_lds)];
            static STORES: [[ByKind; SPACES]; 2] =
                [by_space!(32, store_global store_flat store_scratch store_lds), by_space!(64, store_global store_flat store_scratch store_lds)];
            // The kind does not matter to atomics; scratch has none of its own.
            static ATOMICS: [[MemFn; SPACES]; 2] = [
                [atomic_global::<32, 4>, atomic_flat::<32, 4>, no_gds, atomic_lds::<32, 4>, no_gds],
                [atomic_global::<64, 4>, atomic_flat::<64, 4>, no_gds, atomic_lds::<64, 4>, no_gds],
            ];
            // Passes make these in memory and LDS.
            static SUMS: [[MemFn; SPACES]; 2] =
                [[sum_global::<32, 4>, no_gds, no_gds, sum_lds::<32, 4>, no_gds], [sum_global::<64, 4>, no_gds, no_gds, sum_lds::<64, 4>, no_gds]];

            unsafe extern "C" fn load(state: *mut WaveState, op: *const MemOp, exec: u64, base: u64) -> u32 {
                // SAFETY: callers pass a complete wave and a valid operation.
                unsafe {
                    let f = LOADS[usize::from((*state).wave_size == 64)][usize::from((*op).space)][usize::from((*op).kind)];
                    f(state, op, exec, base)
                }
            }
            unsafe extern "C" fn store(state: *mut WaveState, op: *const MemOp, exec: u64, base: u64) -> u32 {
                // SAFETY: callers pass a complete wave and a valid operation.
                unsafe {
                    let f = STORES[usize::from((*state).wave_size == 64)][usize::from((*op).space)][usize::from((*op).kind)];
                    f(state, op, exec, base)
                }
            }
            unsafe extern "C" fn atomic(state: *mut WaveState, op: *const MemOp, exec: u64, base: u64) -> u32 {
                // SAFETY: callers pass a complete wave and a valid operation.
                unsafe {
                    let f = ATOMICS[usize::from((*state).wave_size == 64)][usize::from((*op).space)];
                    f(state, op, exec, base)
                }
            }
            unsafe extern "C" fn exchange_sum(state: *mut WaveState, op: *const MemOp, exec: u64, base: u64) -> u32 {
                // SAFETY: callers pass a complete wave and a valid operation.
                unsafe {
                    let f = SUMS[usize::from((*state).wave_size == 64)][usize::from((*op).space)];
                    f(state, op, exec, base)
                }
            }
            pub(crate) static TABLE: Helpers = Helpers {
                load,
                store,
                atomic,
                exchange_sum,
                sload: scalar::sload,
                sbuffer_load: scalar::sbuffer_load,
                getreg: hwreg::getreg,
                setreg: hwreg::setreg,
                sendmsg: hwreg::sendmsg,
                sendmsg_rtn: hwreg::sendmsg_rtn,
                time: hwreg::time,
                resource: texture::resource,
                gws: global_wave_sync,
                probe: no_probe,
                export: exports::export,
            };
        }
    };
}
tables!(portable, Portable,);
#[cfg(target_arch = "x86_64")]
tables!(with_avx2, Portable, #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]);
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
tables!(with_avx512, super::super::avx512::Avx512, #[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt,popcnt")]);
