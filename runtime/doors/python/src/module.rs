//! Code objects, their kernels, and what is known of them.

use crate::buffer::Buffer;
use crate::device::Device;
use crate::errors::raise;
use crate::launch::{self, Stats};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use wavejit::arg_type;
use wavejit::code_object::{KernelArg, KernelInfo, SymbolKind};

/// A code object in device memory. `Device.module` loads one.
#[pyclass(frozen, module = "wavejit")]
pub struct Module {
    device: Py<Device>,
    module: wavejit::Module,
}

impl Module {
    pub(crate) fn new(device: Py<Device>, module: wavejit::Module) -> Module {
        Module { device, module }
    }
}

#[pymethods]
impl Module {
    /// The device that has loaded it.
    #[getter]
    fn device(&self, py: Python<'_>) -> Py<Device> {
        self.device.clone_ref(py)
    }

    /// Processor and features that it was compiled for, such as "gfx1100".
    #[getter]
    fn target(&self) -> String {
        self.module.object().target().to_string()
    }

    /// All kernels, by their symbols.
    #[getter]
    fn kernels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for info in self.module.kernels() {
            all.set_item(&info.name, self.kernel(py, &info.name)?)?;
        }
        Ok(all)
    }

    /// A kernel by its symbol, or by its name in the source where that is the only one of the name.
    fn kernel(&self, py: Python<'_>, name: &str) -> PyResult<Kernel> {
        let kernel = self.module.kernel(name).map_err(|e| raise(py, &e))?;
        Ok(Kernel { device: self.device.clone_ref(py), kernel })
    }

    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<Kernel> {
        self.kernel(py, name)
    }

    /// Variables of the device code, by their symbols, as buffers: `module.globals["table"].numpy("float32")`.
    #[getter]
    fn globals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        let is_descriptor = |name: &str| name.strip_suffix(".kd").is_some_and(|n| self.module.kernels().iter().any(|k| k.name == n));
        for symbol in self.module.object().symbols() {
            if symbol.kind == SymbolKind::Object && !is_descriptor(symbol.name) {
                let (device, address) = (self.device.get().device.clone(), self.module.base() + symbol.address);
                all.set_item(symbol.name, Buffer::global(device, self.module.clone(), address, symbol.bytes))?;
            }
        }
        Ok(all)
    }

    fn __repr__(&self) -> String {
        let names: Vec<String> = self.module.object().short_names();
        format!("<wavejit.Module for {}: {}>", self.target(), names.join(", "))
    }
}

/// A kernel of a module.
#[pyclass(frozen, module = "wavejit")]
pub struct Kernel {
    pub(crate) device: Py<Device>,
    pub(crate) kernel: wavejit::Kernel,
}

impl Kernel {
    fn info(&self) -> &KernelInfo {
        self.kernel.info()
    }
}

#[pymethods]
impl Kernel {
    /// Its symbol.
    #[getter]
    fn name(&self) -> &str {
        &self.info().name
    }

    /// Processor that it runs as.
    #[getter]
    fn target(&self) -> String {
        self.info().target.to_string()
    }

    /// Arguments that a launch gives, in order.
    #[getter]
    fn args(&self) -> Vec<Argument> {
        self.info().explicit_args().map(Argument::of).collect()
    }

    /// Arguments that launches fill in.
    #[getter]
    fn hidden_args(&self) -> Vec<Argument> {
        self.info().args.iter().filter(|a| a.kind.is_hidden()).map(Argument::of).collect()
    }

    /// Bytes of the argument segment, hidden arguments included.
    #[getter]
    fn kernarg_bytes(&self) -> u32 {
        self.info().kernarg_bytes
    }

    /// 32 or 64.
    #[getter]
    fn wave_size(&self) -> u32 {
        self.info().wave_size
    }

    /// Scalar registers of a wave.
    #[getter]
    fn sgprs(&self) -> u32 {
        self.info().sgprs
    }

    /// Vector registers of a wave.
    #[getter]
    fn vgprs(&self) -> u32 {
        self.info().vgprs
    }

    /// LDS of a workgroup that the kernel itself declares, in bytes.
    #[getter]
    fn lds_bytes(&self) -> u32 {
        self.info().lds_bytes
    }

    /// Scratch of a work-item, in bytes.
    #[getter]
    fn scratch_bytes(&self) -> u32 {
        self.info().scratch_bytes
    }

    /// Most work-items of a workgroup, if the code object says.
    #[getter]
    fn max_group(&self) -> Option<u32> {
        self.info().max_group_work_items
    }

    /// The only workgroup size it is correct for, if there is one.
    #[getter]
    fn required_group(&self) -> Option<(u32, u32, u32)> {
        self.info().required_group.map(Into::into)
    }

    /// Source language, if the code object says.
    #[getter]
    fn language(&self) -> Option<&str> {
        self.info().language.as_deref()
    }

    /// Translates it now, for a launch later.
    fn compile(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.kernel.compile()).map_err(|e| raise(py, &e))
    }

    /// Runs a grid to its end, without the interpreter's lock; Ctrl-C ends it.
    ///
    /// Args:
    ///     grid: work-items, a number or up to three; the last workgroup of a dimension may be partial.
    ///     group: work-items of a workgroup, a number or up to three.
    ///     args: the kernel's arguments; docs/python.md says which Python values become what. None of them for `kernarg`.
    ///     dynamic_lds: bytes of LDS beyond what the kernel and `Local` arguments have.
    ///     max_insts: instructions that a wave may run before the launch is a BudgetExceeded; 0: any number.
    ///     offset: OpenCL's global offset.
    ///     part: (first, count) in workgroups: only these run, and see the whole grid.
    ///     kernarg: the whole packed argument segment instead of `args`, hidden arguments included.
    ///     allow_missing: launch although the kernel asks for hidden arguments that are not provided.
    #[pyo3(signature = (grid, group, *args, dynamic_lds=0, max_insts=0, offset=None, part=None, kernarg=None, allow_missing=false))]
    fn launch(
        &self,
        py: Python<'_>,
        grid: &Bound<'_, PyAny>,
        group: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        dynamic_lds: u32,
        max_insts: u64,
        offset: Option<&Bound<'_, PyAny>>,
        part: Option<&Bound<'_, PyAny>>,
        kernarg: Option<&Bound<'_, PyAny>>,
        allow_missing: bool,
    ) -> PyResult<Stats> {
        let config = launch::Config::new(py, grid, group, offset, part, dynamic_lds, max_insts, allow_missing)?;
        launch::launch(py, self, args, config, kernarg)
    }

    fn __repr__(&self) -> String {
        let args: Vec<String> = self.info().explicit_args().map(wavejit::kernarg::describe).collect();
        format!("<wavejit.Kernel {}({}), wave{}>", self.info().name, args.join(", "), self.info().wave_size)
    }
}

/// What a code object says of an argument.
#[pyclass(frozen, get_all, module = "wavejit")]
pub struct Argument {
    /// Name in the source, if the compiler kept it.
    name: Option<String>,
    /// Type in the source, if the compiler kept it: OpenCL's does, HIP's does not.
    type_name: Option<String>,
    /// "by_value", "global_buffer", "dynamic_shared_pointer", "image", "sampler", or that of a hidden argument, as LLVM names them.
    kind: &'static str,
    /// NumPy's name of the numbers that are passed by value, where the type is known to hold numbers: "float32".
    dtype: Option<String>,
    /// Bytes in the argument segment.
    nbytes: u32,
    /// Offset in the argument segment.
    offset: u32,
    /// "global", "local", "constant", ...
    address_space: Option<String>,
    /// "read_only", "write_only" or "read_write", if the code object says.
    access: Option<String>,
    /// It points to constant data.
    is_const: bool,
}

impl Argument {
    fn of(arg: &KernelArg) -> Argument {
        let dtype = arg_type::numbers(arg).map(|(element, _)| {
            let class = match element.class {
                'f' => "float",
                'u' => "uint",
                _ => "int",
            };
            format!("{class}{}", 8 * element.bytes)
        });
        Argument {
            name: arg.name.clone(),
            type_name: arg.type_name.clone(),
            kind: arg.kind.name(),
            dtype,
            nbytes: arg.bytes,
            offset: arg.offset,
            address_space: arg.address_space.clone(),
            access: arg.access.clone(),
            is_const: arg.is_const,
        }
    }
}

#[pymethods]
impl Argument {
    fn __repr__(&self) -> String {
        let (name, what) = (self.name.as_deref().unwrap_or("?"), self.type_name.as_deref().unwrap_or(self.kind));
        format!("<wavejit.Argument {what} {name}, {} bytes at {}>", self.nbytes, self.offset)
    }
}
