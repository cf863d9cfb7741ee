//! Passes over the wave IR. Each takes a verified function to a verified function with the same meaning; debug builds check the former
//! after each.
//!
//! Order (see [`run`]):
//!
//! | | |
//! |---|---|
//! | `whole` | makes a second entry block for pixel waves that are whole |
//! | `local` | turns register traffic inside each block into SSA; on the way `simplify` folds operations, `address` splits lane addresses, `constants` finds what lanes are known to hold, `qwords` puts 64-bit values together, `narrow` leaves out what low bits do not need, `idioms` finds divisions and square roots, `scaled` other functions of f32, `dots` sums of products of matrices; `uniform` has scalars that general registers cannot compute computed in lanes |
//! | `hammocks` | makes short bodies of an `if` part of the block before them; then `local` again |
//! | `barriers` | moves arithmetic to before barriers, where less then lives over them; then `local` again |
//! | `saved_exec` | where the ways of an `if` meet EXEC is what was saved of it |
//! | `liveness` | finds what lives between blocks and drops writes that nobody reads |
//! | `exchange_sums` | has the rounds of loops that add floats by comparing and exchanging done at once |
//! | `conditions` | those of an `if` are tested one after the other |
//! | `dword_shifts` | 64-bit shifts of dwords stay dwords |
//! | `loaded_qwords` | dwords of a loaded qword are taken from it |
//! | `schedule` | orders blocks with more values than registers so that fewer are alive |
//! | `logic` | becomes logic of three operands, where the host has that |
//!
//! `dead` removes what is left without a use, after most of them; `renumber` numbers values anew, after the first and after the last. Before all, and
//! before the interpreter, runs `one_ulp` if it is asked for: it alone changes results.

mod address;
mod barriers;
mod conditions;
mod constants;
pub mod dead;
mod dots;
mod doubles;
mod dword_shifts;
mod exchange_sums;
mod hammocks;
mod idioms;
mod initial_lanes;
mod lane_states;
pub mod liveness;
mod loaded_qwords;
pub mod local;
pub mod logic;
mod mask_registers;
pub mod masks;
mod narrow;
pub mod one_ulp;
pub mod places;
mod possible_bits;
mod qwords;
mod renumber;
mod saved_exec;
mod scaled;
mod schedule;
mod simplify;
pub mod strides;
mod uniform;
mod whole;
mod worklist;

use wavejit_ir::{Func, verify::verify};

/// What callers want kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct OptOptions {
    /// Treat every register as read after the wave has ended, so that its final state can be compared or shown.
    pub keep_final_state: bool,
    /// For the back end of whole waves ([`crate::emit::Isa::is_wide`]): operations on 64-bit lanes that were split into dwords are put together
    /// again, loads of LDS by few addresses become one of each, and pixel waves that are whole have a body of their own.
    pub is_wide: bool,
    /// For AVX-512 ([`crate::emit::Isa::is_avx512`]): logic of three operands, and scaling by powers that are doubles.
    pub is_avx512: bool,
}

/// Most rounds for bodies inside of bodies.
const NESTED: usize = 3;

/// Runs all passes.
pub fn run(func: &mut Func, opts: OptOptions) {
    let over_barriers = |f: &mut Func| {
        if barriers::run(f, opts) {
            local::run(f, opts);
            dead::run(f);
        }
    };
    // Bodies inside of bodies come one after the other.
    let over_bodies = |f: &mut Func| {
        for _ in 0..NESTED {
            if !hammocks::run(f, opts) {
                break;
            }
            local::run(f, opts);
            dead::run(f);
        }
    };
    let in_turn = |f: &mut Func| {
        exchange_sums::run(f);
        if opts.is_wide && (conditions::run(f) | dword_shifts::run(f)) {
            dead::run(f);
        }
        if opts.is_wide {
            loaded_qwords::run(f);
        }
    };
    let schedule = |f: &mut Func| {
        if opts.is_wide {
            schedule::run(f, opts);
        }
    };
    let logic = |f: &mut Func| {
        if opts.is_avx512 && logic::run(f) {
            dead::run(f);
        }
    };
    let passes: [&dyn Fn(&mut Func); 13] = [
        &|f| whole::run(f, opts),
        &|f| local::run(f, opts),
        &dead::run,
        &renumber::run,
        &over_bodies,
        &over_barriers,
        &saved_exec::run,
        &|f| liveness::drop_dead_writes(f, opts),
        &dead::run,
        &in_turn,
        &schedule,
        &logic,
        &renumber::run,
    ];
    for pass in passes {
        pass(func);
        debug_assert_eq!(verify(func).err(), None, "a pass left what the verifier refuses");
    }
}

/// A function of one block for tests of passes: EXEC (%0), the lanes in which v0 (%1) is s0 (%3; %4), those of them in EXEC (%5), and then this.
#[cfg(test)]
fn with_masks(body: &str) -> Func {
    let text = format!(
        "func \"f\" wave32 {{
b0 pc=0 mode=0x3f0 insts=1:
 %0: mask = exec
 %1: l32 = vget v0 demand %0
 %2: s32 = sget s0
 %3: l32 = splat %2
 %4: mask = eq.32 %1, %3
 %5: mask = and.1 %4, %0
 {body}
 end
}}"
    );
    wavejit_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// What EXEC is set to there, in order.
#[cfg(test)]
fn execs_set(func: &Func) -> Vec<wavejit_ir::Value> {
    let set = |op: &wavejit_ir::Op| if let wavejit_ir::Op::ExecSet(v) = op { Some(*v) } else { None };
    func.blocks[0].insts.iter().filter_map(|inst| set(&inst.op)).collect()
}
