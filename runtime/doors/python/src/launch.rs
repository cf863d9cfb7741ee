//! Launches: without the interpreter's lock, and so that Ctrl-C ends them.
//!
//! Python runs handlers of signals in its main thread only, between two of its instructions. A launch of that thread is therefore run by
//! another one, while the main thread waits and looks for signals every so often. Other threads launch themselves.

use crate::args::{self, Value};
use crate::errors::{raise, refuse};
use crate::memory::bytes_of;
use crate::module::Kernel;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use wavejit::queue::Outcome;
use wavejit::{DispatchStats, Error, Geometry, Launch, LaunchConfig, Part};

/// Between two looks for signals.
const PATIENCE: Duration = Duration::from_millis(20);

/// What a launch did.
#[pyclass(frozen, get_all, module = "wavejit")]
pub struct Stats {
    /// Workgroups that ran.
    workgroups: u64,
    /// Waves that ran.
    waves: u64,
    /// Instructions that all waves ran together.
    instructions: u64,
    /// Seconds to translate the kernel; 0 if it had been before.
    compile_seconds: f64,
    /// Seconds from the first workgroup's start to the last one's end.
    run_seconds: f64,
}

#[pymethods]
impl Stats {
    fn __repr__(&self) -> String {
        let Stats { workgroups, waves, instructions, run_seconds, .. } = self;
        format!("<wavejit.Stats: {workgroups} workgroups, {waves} waves, {instructions} instructions in {run_seconds:.6} s>")
    }
}

impl From<DispatchStats> for Stats {
    fn from(stats: DispatchStats) -> Stats {
        Stats {
            workgroups: stats.workgroups,
            waves: stats.waves,
            instructions: stats.guest_insts,
            compile_seconds: stats.compile_time.as_secs_f64(),
            run_seconds: stats.run_time.as_secs_f64(),
        }
    }
}

/// How to launch, without arguments.
#[derive(Clone, Copy)]
pub(crate) struct Config {
    geometry: Geometry,
    dynamic_lds: u32,
    max_insts: u64,
    allow_missing: bool,
}

/// Up to three numbers; those that are missing are `rest`.
fn three<T>(py: Python<'_>, what: &str, value: &Bound<'_, PyAny>, rest: T) -> PyResult<[T; 3]>
where
    T: Copy + for<'a, 'py> FromPyObject<'a, 'py>,
{
    let wrong = || refuse(py, format!("{what}: expected a number or up to three, none negative"));
    let list = match value.extract::<T>() {
        Ok(single) => vec![single],
        Err(_) => value.try_iter()?.map(|n| n?.extract::<T>().map_err(|_| wrong())).collect::<PyResult<Vec<T>>>()?,
    };
    if list.is_empty() || list.len() > 3 {
        return Err(wrong());
    }
    Ok([0, 1, 2].map(|d| list.get(d).copied().unwrap_or(rest)))
}

impl Config {
    pub(crate) fn new(
        py: Python<'_>,
        grid: &Bound<'_, PyAny>,
        group: &Bound<'_, PyAny>,
        offset: Option<&Bound<'_, PyAny>>,
        part: Option<&Bound<'_, PyAny>>,
        dynamic_lds: u32,
        max_insts: u64,
        allow_missing: bool,
    ) -> PyResult<Config> {
        let mut geometry = Geometry::new(three(py, "grid", grid, 1u32)?, three(py, "group", group, 1u32)?);
        if let Some(offset) = offset {
            geometry.offset = three(py, "offset", offset, 0u64)?;
        }
        if let Some(part) = part {
            let (first, count): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
                part.extract().map_err(|_| refuse(py, "part: expected (first, count), in workgroups".into()))?;
            geometry.part = Some(Part { first: three(py, "part", &first, 0u32)?, count: three(py, "part", &count, 1u32)? });
        }
        Ok(Config { geometry, dynamic_lds, max_insts, allow_missing })
    }
}

/// A launch that refers to nothing of Python's.
struct Job {
    kernel: wavejit::Kernel,
    config: Config,
    values: Vec<Value>,
    kernarg: Option<Vec<u8>>,
    cancel: AtomicU32,
    result: Mutex<Option<Result<DispatchStats, Error>>>,
    ended: Condvar,
}

impl Job {
    fn run(&self) -> Result<DispatchStats, Error> {
        let args: Vec<_> = self.values.iter().map(Value::arg).collect();
        let Config { geometry, dynamic_lds, max_insts, allow_missing } = self.config;
        let config = LaunchConfig { geometry, max_insts, cancel: Some(&self.cancel), ..Default::default() };
        let launch = Launch { config, args: &args, kernarg: self.kernarg.as_deref(), dynamic_lds, allow_missing, ..Default::default() };
        catch_unwind(AssertUnwindSafe(|| self.kernel.launch(&launch))).unwrap_or_else(|_| Err(Error::Internal("panic".into())))
    }

    fn run_and_tell(&self) {
        let result = self.run();
        *self.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        self.ended.notify_all();
    }

    /// Its result, if it comes within a moment.
    fn wait(&self) -> Option<Result<DispatchStats, Error>> {
        let result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut result, _) = self.ended.wait_timeout_while(result, PATIENCE, |r| r.is_none()).unwrap_or_else(PoisonError::into_inner);
        result.take()
    }
}

/// Converts arguments, launches, and copies arrays back.
pub(crate) fn launch(
    py: Python<'_>,
    kernel: &Kernel,
    given: &Bound<'_, PyTuple>,
    config: Config,
    kernarg: Option<&Bound<'_, PyAny>>,
) -> PyResult<Stats> {
    let owner = kernel.device.get();
    let kernarg = match kernarg {
        Some(_) if !given.is_empty() => return Err(refuse(py, "arguments and kernarg were given: one of them is enough".into())),
        Some(packed) => Some(bytes_of(py, &PyUntypedBuffer::get(packed)?)?),
        None => None,
    };
    let (mut values, arrays) = match kernarg {
        Some(_) => Default::default(),
        None => args::convert(py, &owner.device, kernel.kernel.info(), given)?,
    };
    let staged = arrays.stage(py, &owner.device, owner.is_shared())?;
    args::settle(&mut values, &staged);
    let job = Arc::new(Job {
        kernel: kernel.kernel.clone(),
        config,
        values,
        kernarg,
        cancel: AtomicU32::new(0),
        result: Mutex::default(),
        ended: Condvar::new(),
    });
    let mut interrupt = None;
    let result = if is_main_thread(py)? {
        let work = job.clone();
        owner.queue.push(
            vec![],
            Box::new(move || {
                work.run_and_tell();
                Outcome::Done
            }),
        );
        loop {
            if let Some(result) = py.detach(|| job.wait()) {
                break result;
            }
            if let Err(e) = py.check_signals() {
                job.cancel.store(1, Relaxed);
                interrupt.get_or_insert(e);
            }
        }
    } else {
        py.detach(|| job.run())
    };
    if let Some(e) = interrupt {
        return Err(e);
    }
    let stats = result.map_err(|e| raise(py, &e))?;
    py.detach(|| staged.copy_out());
    Ok(stats.into())
}

fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import(intern!(py, "threading"))?;
    let call = |name| threading.call_method0(name);
    Ok(call(intern!(py, "current_thread"))?.is(&call(intern!(py, "main_thread"))?))
}
