//! Devices.

use crate::buffer::Buffer;
use crate::errors::{raise, refuse};
use crate::module::Module;
use crate::print::printer;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::prelude::*;
use std::path::PathBuf;
use wavejit::code_object::CodeObject;
use wavejit::queue::Queue;
use wavejit::{Accuracy, AddressMode, DeviceConfig, Engine, Schedule};

/// A software GPU: memory, threads, compiled code.
///
/// Args:
///     target: processor whose code is taken from files that hold several, such as "gfx1101"; None: gfx1100, or the first that is known.
///     threads: threads that run workgroups; 0: as many as the host has processors.
///     engine: "tiered": what little is needed of is interpreted, the rest is host code; "jit": host code from the first launch on; "interpreter": slow, and
///         simple; None: what the environment variable WAVEJIT_ENGINE says (tiered, jit or interp), or "tiered".
///     deterministic: one thread, fixed order of workgroups, zeroed registers: equal runs are equal.
///     memory: "isolated": kernels see what they are given, and nothing else of the process. "shared": device addresses are host addresses, so
///         arrays are not copied, and a kernel with a defect may write to any memory of the process.
///     print: called with "stdout" or "stderr" and bytes when kernels print; None: sys.stdout and sys.stderr.
///     scratch_limit: bytes of scratch that the waves of a launch may hold at a time; 0: 1 GiB.
///     canaries: watch bytes beside allocations: a launch that has changed some raises Overrun.
///     schedule: "turns": a wave runs until it has to wait; "lockstep": the waves of a workgroup run one instruction each in turn, by the interpreter.
///     code_cache: bytes of translated code that are kept for modules loaded again; 0: 256 MiB.
///     accuracy: "nearest": reciprocal roots, powers and logarithms of f32 are correctly rounded; "1ulp": within 1 ulp, as the ISA allows, and faster;
///         None: what the environment variable WAVEJIT_ACCURACY says, or "nearest".
#[pyclass(frozen, module = "wavejit")]
pub struct Device {
    pub(crate) device: wavejit::Device,
    /// Runs launches of the main thread, which looks for signals meanwhile.
    pub(crate) queue: Queue,
    target: Option<String>,
}

#[pymethods]
impl Device {
    #[new]
    #[pyo3(signature = (target=None, *, threads=0, engine=None, deterministic=false, memory="isolated", print=None, scratch_limit=0, canaries=false, schedule="turns", code_cache=0, accuracy=None))]
    fn new(
        py: Python<'_>,
        target: Option<String>,
        threads: usize,
        engine: Option<&str>,
        deterministic: bool,
        memory: &str,
        print: Option<Py<PyAny>>,
        scratch_limit: u64,
        canaries: bool,
        schedule: &str,
        code_cache: usize,
        accuracy: Option<&str>,
    ) -> PyResult<Device> {
        let engine = match engine {
            None => Engine::as_told().map_err(|why| refuse(py, why))?,
            Some("tiered") => Engine::Tiered,
            Some("jit") => Engine::Jit,
            Some("interpreter") => Engine::Interp,
            Some(other) => return Err(refuse(py, format!("engine {other:?}: expected \"tiered\", \"jit\" or \"interpreter\""))),
        };
        let schedule = match schedule {
            "turns" => Schedule::Turns,
            "lockstep" => Schedule::Lockstep,
            other => return Err(refuse(py, format!("schedule {other:?}: expected \"turns\" or \"lockstep\""))),
        };
        let accuracy = match accuracy {
            None => Accuracy::as_told().map_err(|why| refuse(py, why))?,
            Some(name) => {
                Accuracy::named(name).ok_or_else(|| refuse(py, format!("accuracy {name:?}: expected \"nearest\" or \"1ulp\"")))?
            }
        };
        let config = DeviceConfig {
            threads,
            engine,
            schedule,
            accuracy,
            canaries,
            deterministic,
            scratch_limit_bytes: scratch_limit,
            code_cache_bytes: code_cache,
            ..Default::default()
        };
        let device = match memory {
            "isolated" => wavejit::Device::new(config),
            // SAFETY: asked for by name; the documentation says what the program then answers for.
            "shared" => unsafe { wavejit::Device::shared(config) },
            other => return Err(refuse(py, format!("memory {other:?}: expected \"isolated\" or \"shared\""))),
        };
        let device = device.map_err(|e| raise(py, &e))?;
        device.set_print(printer(print));
        Ok(Device { device, queue: Queue::new(), target })
    }

    /// Threads that run workgroups.
    #[getter]
    fn threads(&self) -> usize {
        self.device.threads()
    }

    /// "isolated" or "shared".
    #[getter]
    fn memory(&self) -> &'static str {
        if self.is_shared() { "shared" } else { "isolated" }
    }

    /// Processor whose code is taken from files that hold several; None: gfx1100, or the first that is known.
    #[getter]
    fn target(&self) -> Option<&str> {
        self.target.as_deref()
    }

    /// Allocates device memory of so many bytes, zeroed.
    fn alloc(&self, py: Python<'_>, nbytes: usize) -> PyResult<Buffer> {
        let buffer = self.device.alloc(nbytes).map_err(|e| raise(py, &e))?;
        Ok(Buffer::owned(self.device.clone(), buffer))
    }

    /// Allocates device memory and fills it with the bytes of an array, or of anything else contiguous that has Python's buffer protocol.
    fn upload(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<Buffer> {
        let from = PyUntypedBuffer::get(data)?;
        let buffer = self.alloc(py, from.len_bytes())?;
        buffer.put(py, 0, &from)?;
        Ok(buffer)
    }

    /// Loads a code object: an ELF file for amdgcn, an offload bundle, or a host program with device code in it.
    ///
    /// Args:
    ///     source: the path of a file (str or os.PathLike), or its bytes.
    fn module(slf: &Bound<'_, Self>, py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<Module> {
        let this = slf.get();
        let bytes = match source.extract::<PathBuf>() {
            Ok(path) => py.detach(|| std::fs::read(&path)).map_err(|e| {
                let error = PyErr::from(e);
                let _ = error.value(py).setattr("filename", source);
                error
            })?,
            Err(_) => crate::memory::bytes_of(py, &PyUntypedBuffer::get(source)?)?,
        };
        let load =
            || CodeObject::load_for(&bytes, this.target.as_deref(), None).map_err(Into::into).and_then(|o| this.device.load_object(o));
        let module = py.detach(load).map_err(|e| raise(py, &e))?;
        Ok(Module::new(slf.clone().unbind(), module))
    }

    /// Frees the memory that kernels have allocated by malloc and kept.
    fn free_kernel_memory(&self, py: Python<'_>) {
        py.detach(|| self.device.free_kernel_memory());
    }

    fn __repr__(&self) -> String {
        format!("<wavejit.Device of {} threads, {} memory>", self.device.threads(), self.memory())
    }
}

impl Device {
    /// Are device addresses those of the host?
    pub(crate) fn is_shared(&self) -> bool {
        self.device.memory().mode() == AddressMode::Shared
    }
}
