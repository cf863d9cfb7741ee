//! Errors of the run time as exceptions: the classes are in `wavejit/errors.py`, the fields of faults are set here.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use wavejit::{AccessKind, Cause, Doing, Error, Fault, Limit, Overrun, Place};

/// An exception for an error of the run time.
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    made(py, error).unwrap_or_else(|why| why)
}

/// An argument that is refused before the run time sees it.
pub(crate) fn refuse(py: Python<'_>, message: String) -> PyErr {
    raise(py, &Error::Arg(message))
}

fn made(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let fields = PyDict::new(py);
    fields.set_item("code", error.code())?;
    let class = match error {
        Error::Arg(_) => "ArgumentError",
        Error::Load(_) => "LoadError",
        Error::Unsupported(_) => "UnsupportedError",
        Error::OutOfMemory(_) => "OutOfMemoryError",
        Error::Fault(fault) => {
            add_fault(&fields, fault)?;
            "Fault"
        }
        Error::Limit(limit) => add_limit(&fields, limit)?,
        Error::Overrun(overrun) => {
            add_overrun(&fields, overrun)?;
            "Overrun"
        }
        Error::Internal(_) => "InternalError",
        // NotMapped, NoCode.
        _ => "Error",
    };
    let exception = py.import(intern!(py, "wavejit.errors"))?.getattr(PyString::new(py, class))?.call1((error.to_string(),))?;
    exception.getattr("__dict__")?.call_method1("update", (fields,))?;
    Ok(PyErr::from_value(exception))
}

fn add_place(fields: &Bound<'_, PyDict>, place: &Place) -> PyResult<()> {
    fields.set_item("kernel", &place.kernel)?;
    fields.set_item("entry", place.entry)?;
    fields.set_item("pc", place.pc)?;
    fields.set_item("offset", i128::from(place.pc) - i128::from(place.entry))?;
    fields.set_item("instruction", &place.inst)?;
    fields.set_item("workgroup", <(u32, u32, u32)>::from(place.workgroup))?;
    fields.set_item("wave", place.wave)
}

fn add_fault(fields: &Bound<'_, PyDict>, fault: &Fault) -> PyResult<()> {
    add_place(fields, &fault.at)?;
    fields.set_item("lane", fault.lane)?;
    fields.set_item("lanes", fault.lanes)?;
    fields.set_item("address", fault.address)?;
    let access = fault.access.map(|a| match a.kind {
        AccessKind::Load => "load",
        AccessKind::Store => "store",
        AccessKind::Atomic => "atomic",
    });
    fields.set_item("access", access)?;
    fields.set_item("access_bytes", fault.access.map(|a| a.bytes).filter(|n| *n != 0))?;
    #[allow(unreachable_patterns)] // a cause that is new is an error all the same
    let cause = match &fault.cause {
        Cause::Unmapped { .. } => "unmapped",
        Cause::Misaligned => "misaligned",
        Cause::OutOfScratch { .. } => "out of scratch",
        Cause::NoCode { .. } => "no code",
        Cause::NoInstruction { .. } => "no instruction",
        Cause::NotImplemented(_) => "not implemented",
        Cause::Refused(_) => "refused",
        Cause::Trap(_) => "trap",
        _ => "other",
    };
    fields.set_item("cause", cause)
}

fn add_overrun(fields: &Bound<'_, PyDict>, overrun: &Overrun) -> PyResult<()> {
    fields.set_item("kernel", &overrun.kernel)?;
    fields.set_item("launches", overrun.dispatches)?;
    fields.set_item("buffer", overrun.buffer)?;
    fields.set_item("buffer_bytes", overrun.buffer_bytes)?;
    fields.set_item("offset", overrun.offset)?;
    fields.set_item("nbytes", overrun.bytes)
}

/// Adds the fields of a limit; the name of its class.
fn add_limit(fields: &Bound<'_, PyDict>, limit: &Limit) -> PyResult<&'static str> {
    match limit {
        Limit::Canceled { kernel } => {
            fields.set_item("kernel", kernel)?;
            Ok("Canceled")
        }
        Limit::Budget { max_insts, at, others } => {
            add_place(fields, at)?;
            fields.set_item("max_insts", max_insts)?;
            let others: Vec<(usize, u64, &str)> = others.iter().map(|o| (o.wave, o.pc, doing(o.doing))).collect();
            fields.set_item("others", others)?;
            Ok("BudgetExceeded")
        }
        Limit::Deadlock(deadlock) => {
            fields.set_item("workgroups", deadlock.workgroups)?;
            let place = |(at, what): &(Place, Doing)| (at.workgroup.into(), at.wave, at.pc, at.inst.clone(), doing(*what));
            let places: Vec<((u32, u32, u32), usize, u64, Option<String>, &str)> = deadlock.places.iter().map(place).collect();
            fields.set_item("places", places)?;
            Ok("Deadlock")
        }
        _ => Ok("LimitError"),
    }
}

fn doing(what: Doing) -> &'static str {
    #[allow(unreachable_patterns)] // what is new has no word yet
    match what {
        Doing::Runs => "runs",
        Doing::Barrier => "barrier",
        Doing::GlobalWaveSync => "global wave sync",
        _ => "waits",
    }
}
