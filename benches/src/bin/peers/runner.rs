//! What every implementation offers that is compared.

use wavejit_tests::case::Case;
use wavejit_tests::peers::Peer;

/// Something that runs kernels. One kernel at a time is loaded.
pub(crate) trait Runner {
    /// What it is, with versions.
    fn version(&self) -> String;
    /// Drops the kernel before and makes buffers for the next one.
    fn prepare(&mut self, peer: &Peer, case: &Case) -> Result<(), String>;
    /// Makes the kernel ready. Whatever is compiled later belongs to the first launch.
    fn build(&mut self, peer: &Peer, case: &Case) -> Result<(), String>;
    /// Launches and waits for the end.
    fn launch(&mut self) -> Result<(), String>;
    /// Writes a buffer argument.
    fn write(&mut self, argument: usize, bytes: &[u8]) -> Result<(), String>;
    /// Reads a buffer argument.
    fn read(&mut self, argument: usize, bytes: &mut [u8]) -> Result<(), String>;
}
