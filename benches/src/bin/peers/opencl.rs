//! Kernels on an OpenCL library, from their sources.

use crate::icd::{Kernel, Memory, Session};
use crate::runner::Runner;
use wavejit_tests::case::{Case, Value};
use wavejit_tests::peers::Peer;

/// A session with the loaded kernel.
pub(crate) struct OpenCl {
    kernel: Option<Kernel>,
    buffers: Vec<Option<Memory>>,
    grid: [u32; 3],
    group: [u32; 3],
    session: Session,
}

impl OpenCl {
    /// Opens the library.
    pub(crate) fn new(library: &str) -> Result<OpenCl, String> {
        Ok(OpenCl { kernel: None, buffers: Vec::new(), grid: [0; 3], group: [0; 3], session: Session::open(library)? })
    }

    fn buffer(&self, argument: usize) -> Result<&Memory, String> {
        self.buffers.get(argument).and_then(Option::as_ref).ok_or_else(|| format!("argument {argument} is not a buffer"))
    }
}

impl Runner for OpenCl {
    fn version(&self) -> String {
        self.session.version()
    }

    fn prepare(&mut self, peer: &Peer, case: &Case) -> Result<(), String> {
        if let Some(extension) = peer.needs.filter(|e| !self.session.has(e)) {
            return Err(format!("no {extension}"));
        }
        (self.kernel, self.buffers) = (None, Vec::new());
        (self.grid, self.group) = (case.grid, case.group);
        for value in &case.args {
            self.buffers.push(match value {
                Value::Buffer(bytes) => Some(self.session.buffer(bytes)?),
                _ => None,
            });
        }
        Ok(())
    }

    fn build(&mut self, peer: &Peer, case: &Case) -> Result<(), String> {
        let path = wavejit_tests::root().join(format!("shaders/peers/{}.cl", peer.name));
        let source = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let kernel = self.session.kernel(&source, case.kernel)?;
        for (index, (value, buffer)) in case.args.iter().zip(&self.buffers).enumerate() {
            match (value, buffer) {
                (_, Some(buffer)) => kernel.set_buffer(index, buffer)?,
                (Value::Local(bytes), _) => kernel.set_local(index, *bytes)?,
                (Value::Bytes(bytes) | Value::Buffer(bytes), _) => kernel.set_bytes(index, bytes)?,
            }
        }
        self.kernel = Some(kernel);
        Ok(())
    }

    fn launch(&mut self) -> Result<(), String> {
        self.session.run(self.kernel.as_ref().ok_or("no kernel is loaded")?, self.grid, self.group)
    }

    fn write(&mut self, argument: usize, bytes: &[u8]) -> Result<(), String> {
        self.session.write(self.buffer(argument)?, bytes)
    }

    fn read(&mut self, argument: usize, bytes: &mut [u8]) -> Result<(), String> {
        self.session.read(self.buffer(argument)?, bytes)
    }
}
