//! Kernels on wavejit, from their code objects.

use crate::runner::Runner;
use wavejit::{Accuracy, Arg, Buffer, Device, DeviceConfig, Kernel, Launch};
use wavejit_isa::HostIsa;
use wavejit_tests::case::{Case, Value};
use wavejit_tests::peers::Peer;

/// A device with all threads, and the loaded kernel.
pub(crate) struct Wavejit {
    device: Device,
    isa: HostIsa,
    kernel: Option<Kernel>,
    grid: [u32; 3],
    group: [u32; 3],
    args: Vec<Value>,
    buffers: Vec<Option<Buffer>>,
}

impl Wavejit {
    /// Opens a device.
    pub(crate) fn new() -> Result<Wavejit, String> {
        let isa = HostIsa::check().map_err(|e| e.to_string())?;
        let config = DeviceConfig { accuracy: Accuracy::as_told()?, ..Default::default() };
        let device = Device::new(config).map_err(|e| e.to_string())?;
        Ok(Wavejit { device, isa, kernel: None, grid: [0; 3], group: [0; 3], args: Vec::new(), buffers: Vec::new() })
    }

    fn buffer(&self, argument: usize) -> Result<&Buffer, String> {
        self.buffers.get(argument).and_then(Option::as_ref).ok_or_else(|| format!("argument {argument} is not a buffer"))
    }
}

impl Runner for Wavejit {
    fn version(&self) -> String {
        format!("wavejit {}, {}", env!("CARGO_PKG_VERSION"), self.isa)
    }

    fn prepare(&mut self, _peer: &Peer, case: &Case) -> Result<(), String> {
        self.kernel = None;
        (self.grid, self.group) = (case.grid, case.group);
        (self.args, self.buffers) = (Vec::new(), Vec::new());
        for value in &case.args {
            self.buffers.push(match value {
                Value::Buffer(bytes) => Some(self.device.upload(bytes).map_err(|e| e.to_string())?),
                _ => None,
            });
            self.args.push(match value {
                Value::Buffer(_) => Value::Buffer(Vec::new()),
                Value::Bytes(bytes) => Value::Bytes(bytes.clone()),
                Value::Local(bytes) => Value::Local(*bytes),
            });
        }
        Ok(())
    }

    fn build(&mut self, _peer: &Peer, case: &Case) -> Result<(), String> {
        let module = case.module(&self.device, 32).map_err(|e| e.to_string())?;
        self.kernel = Some(module.kernel(case.kernel).map_err(|e| e.to_string())?);
        Ok(())
    }

    fn launch(&mut self) -> Result<(), String> {
        let kernel = self.kernel.as_ref().ok_or("no kernel is loaded")?;
        let given = self.args.iter().zip(&self.buffers);
        let args: Vec<Arg<'_>> = given
            .map(|(value, buffer)| match (value, buffer) {
                (_, Some(buffer)) => Arg::Buffer(buffer),
                (Value::Local(bytes), _) => Arg::LocalBytes(*bytes),
                (Value::Bytes(bytes) | Value::Buffer(bytes), _) => Arg::bytes(bytes),
            })
            .collect();
        kernel.launch(&Launch::new(self.grid, self.group, &args)).map(drop).map_err(|e| e.to_string())
    }

    fn write(&mut self, argument: usize, bytes: &[u8]) -> Result<(), String> {
        self.buffer(argument)?.write(0, bytes).map_err(|e| e.to_string())
    }

    fn read(&mut self, argument: usize, bytes: &mut [u8]) -> Result<(), String> {
        self.buffer(argument)?.read(0, bytes).map_err(|e| e.to_string())
    }
}
