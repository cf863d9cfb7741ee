//! Errors in parts: what `wavejit2_last_fault` tells of the calling thread's last failing call.

use super::super::LAST_ERROR;
use super::structs::{self, c_struct};
use super::{c_string, call};
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use wavejit::{AccessKind, Cause, Error, Fault, Limit, Place};

/// `wavejit2_fault.kind`.
const KIND_FAULT: u32 = 1;
const KIND_BUDGET: u32 = 2;
const KIND_CANCELED: u32 = 3;
const KIND_LIMIT: u32 = 4;
const KIND_DEADLOCK: u32 = 5;
const KIND_OVERRUN: u32 = 6;

/// `WAVEJIT2_CAUSE_OTHER`.
const CAUSE_OTHER: u32 = 99;

c_struct! {
    /// `wavejit2_fault`.
    FaultParts = "wavejit2_fault" {
        size: u32,
        code: i32,
        kind: u32,
        cause: u32,
        message: *const c_char,
        kernel: *const c_char,
        instruction: *const c_char,
        entry: u64,
        pc: u64,
        address: u64,
        lanes: u64,
        lane: i32,
        wave: u32,
        workgroup: [u32; 3],
        access: u32,
        access_bytes: u32,
        has_address: u32,
    }
}

/// An error that has happened: it can be kept, and told to another thread.
#[derive(Clone)]
pub(crate) struct Failure(Box<Details>);

#[derive(Clone)]
struct Details {
    /// One of WAVEJIT_E_*.
    code: i32,
    message: CString,
    kernel: CString,
    instruction: Option<CString>,
    /// Without its pointers.
    parts: Numbers,
}

/// The numbers of a [`FaultParts`].
#[derive(Clone, Copy, Default)]
struct Numbers {
    kind: u32,
    cause: u32,
    entry: u64,
    pc: u64,
    address: Option<u64>,
    lanes: u64,
    lane: Option<u32>,
    wave: u32,
    workgroup: [u32; 3],
    access: u32,
    access_bytes: u32,
}

thread_local! {
    static LAST: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::of(&error)
    }
}

impl Failure {
    /// What an error is made of.
    pub(crate) fn of(error: &Error) -> Failure {
        let mut details = Details {
            code: error.code(),
            message: c_string(&error.to_string()),
            kernel: CString::default(),
            instruction: None,
            parts: Numbers::default(),
        };
        match error {
            Error::Fault(fault) => details.add_fault(fault),
            Error::Limit(limit) => details.add_limit(limit),
            Error::Overrun(overrun) => {
                details.kernel = c_string(&overrun.kernel);
                details.parts.kind = KIND_OVERRUN;
                details.parts.address = Some(overrun.buffer.wrapping_add_signed(overrun.offset));
            }
            _ => {}
        }
        Failure(Box::new(details))
    }

    /// One of WAVEJIT_E_*.
    pub(crate) fn code(&self) -> i32 {
        self.0.code
    }

    /// Makes it the calling thread's last one.
    pub(crate) fn note(self) {
        // A thread that is being torn down has no place for it any more; the code still says what happened.
        let _ = LAST_ERROR.try_with(|last| last.borrow_mut().clone_from(&self.0.message));
        let _ = LAST.try_with(|last| *last.borrow_mut() = Some(self));
    }
}

impl Details {
    fn add_place(&mut self, at: &Place) {
        self.kernel = c_string(&at.kernel);
        self.instruction = at.inst.as_deref().map(c_string);
        let parts = &mut self.parts;
        (parts.entry, parts.pc, parts.workgroup, parts.wave) = (at.entry, at.pc, at.workgroup, at.wave as u32);
    }

    fn add_fault(&mut self, fault: &Fault) {
        self.add_place(&fault.at);
        let parts = &mut self.parts;
        parts.kind = KIND_FAULT;
        (parts.lanes, parts.lane, parts.address) = (fault.lanes, fault.lane, fault.address);
        if let Some(access) = fault.access {
            parts.access_bytes = access.bytes;
            parts.access = match access.kind {
                AccessKind::Load => 1,
                AccessKind::Store => 2,
                AccessKind::Atomic => 3,
            };
        }
        #[allow(unreachable_patterns)] // the header has a number for causes that come later
        let cause = match fault.cause {
            Cause::Unmapped { .. } => 1,
            Cause::Misaligned => 2,
            Cause::OutOfScratch { .. } => 3,
            Cause::NoCode { .. } => 4,
            Cause::NoInstruction { .. } => 5,
            Cause::NotImplemented(_) => 6,
            Cause::Refused(_) => 7,
            Cause::Trap(_) => 8,
            _ => CAUSE_OTHER,
        };
        parts.cause = cause;
    }

    fn add_limit(&mut self, limit: &Limit) {
        self.parts.kind = match limit {
            Limit::Budget { at, .. } => {
                self.add_place(at);
                KIND_BUDGET
            }
            Limit::Canceled { kernel } => {
                self.kernel = c_string(kernel);
                KIND_CANCELED
            }
            Limit::Deadlock(deadlock) => {
                if let Some((at, _)) = deadlock.places.first() {
                    self.add_place(at);
                }
                KIND_DEADLOCK
            }
            _ => KIND_LIMIT,
        };
    }

    fn parts(&self) -> FaultParts {
        let Numbers { kind, cause, entry, pc, address, lanes, lane, wave, workgroup, access, access_bytes } = self.parts;
        FaultParts {
            size: 0,
            code: self.code,
            kind,
            cause,
            message: self.message.as_ptr(),
            kernel: self.kernel.as_ptr(),
            instruction: self.instruction.as_ref().map_or(std::ptr::null(), |i| i.as_ptr()),
            entry,
            pc,
            address: address.unwrap_or(0),
            lanes,
            lane: lane.map_or(-1, |l| l as i32),
            wave,
            workgroup,
            access,
            access_bytes,
            has_address: u32::from(address.is_some()),
        }
    }
}

/// `int32_t wavejit2_last_fault(wavejit2_fault *fault)`
///
/// # Safety
/// As `wavejit2.h` says: `fault` is null or a structure of the size that it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_last_fault(fault: *mut FaultParts) -> i32 {
    let none = FaultParts { message: c"".as_ptr(), kernel: c"".as_ptr(), lane: -1, ..structs::Struct::ZERO };
    let parts = LAST.try_with(|last| last.borrow().as_ref().map_or(none, |failure| failure.0.parts())).unwrap_or(none);
    call(|| {
        // SAFETY: the caller vouches for the structure.
        unsafe { structs::write(fault, parts)? };
        Ok(())
    })
}
