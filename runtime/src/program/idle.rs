//! Idle lanes: when code is worth making again so that products leave them alone.
//!
//! A lane that is off holds what it last held, which may be an integer where others have floats (or two, where they have an f64): as a number it is denormal, and
//! on some processors each product or quotient with one takes a hundred times as long, for the whole wave. Code that [masks idle lanes](wavejit_jit::emit::EmitOptions::masks_idle) does not suffer
//! from it, but where products wait for a mask they would not have needed it can be half as fast. Both give the same bits. So code that has met denormals, and
//! has run long enough to pay for it, is made a second time; the faster one stays. A long launch need not end for that: its threads leave when the time has come
//! ([`Trial`]), and go on with the other code where they were.

use super::code::Code;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use wavejit_jit::emit::masking_may_pay;

/// How long code has run, at least, and how many times as long as it took to make, before it is made a second time.
const LONG: Duration = Duration::from_millis(30);
const TIMES_ITS_MAKING: u32 = 2;
/// Launches of the second one, or parts of a launch, before they are compared.
const TRIES: u32 = 3;
/// Guest instructions of a launch that tells how fast code is.
const ENOUGH: u64 = 100_000;

/// What is known of a translation.
#[derive(Default)]
pub(super) struct Idle {
    has_met_denormals: AtomicBool,
    /// Nanoseconds that it has run.
    ran: AtomicU64,
    /// The same code with masks; none if it could not be made.
    masked: OnceLock<Option<Arc<Code>>>,
    tries: AtomicU32,
    /// Of the code without masks, and with.
    speeds: [Speed; 2],
}

/// Picoseconds for a guest instruction in the fastest launch so far, and 1 more.
#[derive(Default)]
struct Speed(AtomicU64);

impl Speed {
    fn note(&self, picoseconds: u64) {
        let better = |old: u64| if old == 0 { picoseconds + 1 } else { old.min(picoseconds + 1) };
        // The update always gives a value.
        let _ = self.0.fetch_update(Relaxed, Relaxed, |old| Some(better(old)));
    }

    fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// Code that is to give way to the other one, perhaps, before a launch has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Trial {
    /// When it has run so long.
    pub after: Duration,
    /// Only if it has met denormals.
    pub if_met: bool,
}

impl Code {
    /// How long `launched`, this one or the second one, is to run before it is decided how to go on; none if that is decided.
    pub(crate) fn trial(&self, launched: &Code) -> Option<Trial> {
        if masking_may_pay() { self.would_try(launched) } else { None }
    }

    /// The same on a host where that may pay.
    fn would_try(&self, launched: &Code) -> Option<Trial> {
        let idle = &self.idle;
        match idle.masked.get() {
            None if self.prepared().is_none() => {
                let left = self.long_enough().saturating_sub(Duration::from_nanos(idle.ran.load(Relaxed)));
                Some(Trial { after: left, if_met: true })
            }
            Some(Some(second)) if std::ptr::eq(launched, &raw const **second) && idle.tries.load(Relaxed) < TRIES => {
                Some(Trial { after: LONG, if_met: false })
            }
            _ => None,
        }
    }

    /// How long it is to run before it is made a second time.
    fn long_enough(&self) -> Duration {
        LONG.max(TIMES_ITS_MAKING * self.compile_time)
    }

    /// Which of the two to launch.
    pub(crate) fn to_launch(self: &Arc<Code>) -> Arc<Code> {
        let Some(Some(masked)) = self.idle.masked.get() else { return self.clone() };
        let [plain, with] = self.idle.speeds.each_ref().map(Speed::get);
        let is_slower = self.idle.tries.load(Relaxed) >= TRIES && with >= plain;
        if is_slower { self } else { masked }.clone()
    }

    /// Is it to be made a second time now?
    pub(crate) fn deserves_masks(&self) -> bool {
        self.would_deserve_masks() && masking_may_pay()
    }

    /// The same on a host where that may pay.
    fn would_deserve_masks(&self) -> bool {
        let idle = &self.idle;
        idle.has_met_denormals.load(Relaxed)
            && idle.masked.get().is_none()
            && self.prepared().is_none()
            && Duration::from_nanos(idle.ran.load(Relaxed)) >= self.long_enough()
    }

    /// The second one; none if it could not be made. Only the first call counts.
    pub(super) fn set_masked(&self, masked: Option<Arc<Code>>) {
        // The first one stays.
        let _ = self.idle.masked.set(masked);
    }

    /// Notes a launch of this code, or of the second one, or a part of a launch. `has_met` denormals.
    pub(crate) fn note_launch(&self, launched: &Code, has_met: bool, time: Duration, guest_insts: u64) {
        let is_second = !std::ptr::eq(self, launched);
        let nanos = time.as_nanos() as u64;
        self.idle.ran.fetch_add(nanos, Relaxed);
        if has_met && !is_second {
            self.idle.has_met_denormals.store(true, Relaxed);
        }
        if guest_insts >= ENOUGH {
            self.idle.speeds[usize::from(is_second)].note(nanos.saturating_mul(1000) / guest_insts);
            self.idle.tries.fetch_add(is_second.into(), Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::code::Origin;
    use crate::program::compiler::{self, Wish};
    use crate::program::key::CodeKey;
    use wavejit_ir::text::parse;
    use wavejit_ir::{FpMode, Ids};
    use wavejit_jit::lift::Lifted;

    fn code() -> Arc<Code> {
        let key = CodeKey { entry: 0, mode: FpMode::HSA, wave_size: 32, vgprs: 32, ids: Ids::Any, counted: false };
        let func = || parse("func \"f\" wave32 {\nb0 pc=0 mode=0x3f0 insts=1:\nend\n}").expect("it is a function");
        let (origin, _) =
            Origin::new(key, Lifted { func: func(), code: Default::default(), ways_on: vec![], has_calls: false, counted: vec![] });
        let compiled = compiler::compile(func(), Wish::default(), &|| false).expect("it compiles");
        Arc::new(Code::compiled(origin, compiled, Duration::from_millis(1)))
    }

    /// Code that has run, and its second one; the times are those of launches.
    fn launched(plain: u64, masked: u64, launches: u32) -> (Arc<Code>, Arc<Code>) {
        let (code, second) = (code(), code());
        code.note_launch(&code, true, Duration::from_millis(plain), ENOUGH);
        code.set_masked(Some(second.clone()));
        (0..launches).for_each(|_| code.note_launch(&second, false, Duration::from_millis(masked), ENOUGH));
        (code, second)
    }

    #[test]
    fn code_is_made_again_if_it_has_met_denormals_and_has_run_for_long() {
        let code = code();
        code.note_launch(&code, false, LONG, ENOUGH);
        assert!(!code.would_deserve_masks());
        code.note_launch(&code, true, Duration::ZERO, ENOUGH);
        assert!(code.would_deserve_masks());
        code.set_masked(None);
        assert!(!code.would_deserve_masks() && Arc::ptr_eq(&code.to_launch(), &code));
        let (short, _) = launched(LONG.as_millis() as u64 - 1, 1, 0);
        assert!(!short.would_deserve_masks());
    }

    #[test]
    fn a_launch_stops_for_a_decision_until_there_is_one() {
        let (first, second) = (code(), code());
        let trial = |after: Duration, if_met: bool| Some(Trial { after, if_met });
        assert_eq!(first.would_try(&first), trial(LONG, true));
        first.note_launch(&first, true, LONG - Duration::from_millis(1), ENOUGH);
        assert_eq!(first.would_try(&first), trial(Duration::from_millis(1), true));
        first.set_masked(Some(second.clone()));
        assert_eq!([first.would_try(&second), first.would_try(&first)], [trial(LONG, false), None]);
        (0..TRIES).for_each(|_| first.note_launch(&second, false, LONG, ENOUGH));
        assert_eq!(first.would_try(&second), None);
        let alone = code();
        alone.set_masked(None);
        assert_eq!(alone.would_try(&alone), None);
    }

    #[test]
    fn the_faster_one_is_launched() {
        let (code, second) = launched(40, 10, TRIES);
        assert!(Arc::ptr_eq(&code.to_launch(), &second));
        let (code, second) = launched(40, 50, TRIES - 1);
        assert!(Arc::ptr_eq(&code.to_launch(), &second), "it has not been tried enough");
        let (code, _) = launched(40, 50, TRIES);
        assert!(Arc::ptr_eq(&code.to_launch(), &code));
        // One launch that was held up says nothing.
        let (code, second) = launched(40, 10, TRIES);
        code.note_launch(&second, false, Duration::from_secs(1), ENOUGH);
        assert!(Arc::ptr_eq(&code.to_launch(), &second));
    }
}
