//! What streams and graphs do: one [`Op`] each time. It can be run again, as nodes of graphs are.

use crate::event::Mark;
use crate::gpu::Gpu;
use crate::raw;
use crate::status::{Status, say};
use std::sync::Arc;
use std::time::Instant;
use wavejit::queue::Outcome;
use wavejit::{Buffer, Cooperative, Deadlock, Error, Kernel, Launch, LaunchConfig};

/// An operation.
#[derive(Clone)]
pub(crate) enum Op {
    /// Nothing: for order alone.
    Nothing,
    /// A kernel.
    Kernel(Arc<KernelOp>),
    /// A copy.
    Copy(CopyOp),
    /// A copy whose source was taken when the function was called.
    Staged { to: u64, from: Arc<[u8]> },
    /// A pattern, again and again.
    Fill(FillOp),
    /// A function of the program's.
    Host { function: usize, user_data: usize },
    /// A function of the program's that is told its stream.
    Callback { function: usize, stream: usize, user_data: usize },
    /// Notes the time.
    Mark(Mark),
    /// Waits for a value in memory.
    WaitValue(WaitValue),
    /// Writes a value of 4 or 8 bytes to memory.
    WriteValue { address: u64, value: u64, bytes: usize },
    /// Frees memory.
    Free(u64),
}

/// A launch.
pub(crate) struct KernelOp {
    pub kernel: Kernel,
    /// What the program calls it: a stub or a handle.
    pub function: usize,
    /// Work-items of the grid, and of a workgroup.
    pub items: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_lds: u32,
    /// Its workgroups wait for each other, and perhaps for those of others.
    pub cooperative: Option<Together>,
    /// Explicit arguments, packed.
    pub args: Vec<u8>,
    /// Noted when it begins and when it has ended.
    pub marks: [Option<Mark>; 2],
}

/// A cooperative launch, alone or one of several.
#[derive(Clone)]
pub(crate) struct Together {
    pub grid: Cooperative,
    /// What `grid.sync` points to.
    pub _sync: Option<Arc<Buffer>>,
}

/// A copy of rows and slices. All addresses are guest addresses, which are the host's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CopyOp {
    pub to: u64,
    pub from: u64,
    /// Bytes of a row, rows of a slice, slices.
    pub size: [u64; 3],
    /// Bytes from a row to the next, and from a slice to the next.
    pub to_pitch: [u64; 2],
    pub from_pitch: [u64; 2],
}

/// A fill of rows and slices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FillOp {
    pub to: u64,
    pub value: u32,
    /// Bytes of the value: 1, 2, 4.
    pub width: usize,
    /// Values of a row, rows of a slice, slices.
    pub count: [u64; 3],
    /// Bytes from a row to the next, and from a slice to the next.
    pub pitch: [u64; 2],
}

/// A comparison with a value in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WaitValue {
    pub address: u64,
    pub value: u64,
    pub mask: u64,
    pub bytes: usize,
    /// 0: at least (cyclic), 1: equal, 2: a common bit, 3: neither that.
    pub compare: u32,
}

impl CopyOp {
    /// A copy of bytes that follow each other.
    pub(crate) fn linear(to: u64, from: u64, bytes: u64) -> CopyOp {
        CopyOp { to, from, size: [bytes, 1, 1], to_pitch: [bytes, bytes], from_pitch: [bytes, bytes] }
    }

    /// From the first to the last byte of each side.
    pub(crate) fn spans(&self) -> [u64; 2] {
        [self.to_pitch, self.from_pitch].map(|pitch| span(self.size, pitch))
    }

    fn run(&self, gpu: &Gpu) -> Result<(), Error> {
        let memory = gpu.device.memory();
        let [bytes, rows, slices] = self.size;
        let is_dense = |pitch: [u64; 2]| pitch[0] == bytes && (slices <= 1 || pitch[1] == bytes * rows);
        if is_dense(self.to_pitch) && is_dense(self.from_pitch) {
            return memory.copy(self.to, self.from, bytes * rows * slices);
        }
        for slice in 0..slices {
            for row in 0..rows {
                let at = |base: u64, pitch: [u64; 2]| base + slice * pitch[1] + row * pitch[0];
                memory.copy(at(self.to, self.to_pitch), at(self.from, self.from_pitch), bytes)?;
            }
        }
        Ok(())
    }
}

/// Bytes from the first to the last of rows and slices.
pub(crate) fn span([bytes, rows, slices]: [u64; 3], [row, slice]: [u64; 2]) -> u64 {
    if bytes == 0 || rows == 0 || slices == 0 {
        return 0;
    }
    let behind = (rows - 1).saturating_mul(row).saturating_add((slices - 1).saturating_mul(slice));
    behind.saturating_add(bytes)
}

impl FillOp {
    /// From the first to the last byte.
    pub(crate) fn span(&self) -> u64 {
        let [count, rows, slices] = self.count;
        span([count.saturating_mul(self.width as u64), rows, slices], self.pitch)
    }

    fn run(&self, gpu: &Gpu) -> Result<(), Error> {
        let value = self.value.to_le_bytes();
        let pattern = &value[..self.width.min(4)];
        let [count, rows, slices] = self.count;
        for slice in 0..slices {
            for row in 0..rows {
                gpu.device.memory().fill(self.to + slice * self.pitch[1] + row * self.pitch[0], pattern, count)?;
            }
        }
        Ok(())
    }
}

impl WaitValue {
    fn is_met(&self, gpu: &Gpu) -> Result<bool, Error> {
        let mut bytes = [0; 8];
        gpu.device.memory().read(self.address, &mut bytes[..self.bytes.min(8)])?;
        let (found, value) = (u64::from_le_bytes(bytes) & self.mask, self.value);
        Ok(match self.compare {
            0 if self.bytes == 4 => (found as u32).wrapping_sub(value as u32) as i32 >= 0,
            0 => found.wrapping_sub(value) as i64 >= 0,
            1 => found == value,
            2 => found & value != 0,
            _ => found | value != u64::MAX >> (64 - 8 * self.bytes),
        })
    }
}

/// The host, or another stream, may write what the waves wait for: they go on waiting.
fn tell_deadlock(deadlock: &Deadlock) -> bool {
    say(&format!("{deadlock}; they wait for the host or another stream"));
    false
}

impl KernelOp {
    /// The launch, without where and when.
    pub(crate) fn launch(&self) -> Launch<'_> {
        Launch {
            config: LaunchConfig { on_deadlock: Some(&tell_deadlock), ..LaunchConfig::new(self.items, self.block) },
            explicit: Some(&self.args),
            dynamic_lds: self.dynamic_lds,
            cooperative: self.cooperative.as_ref().map(|together| together.grid),
            // A kernel with an assertion that holds runs to its end; one that does not is told with its place.
            allow_missing: true,
            ..Default::default()
        }
    }

    fn run(&self) -> Result<(), Error> {
        if let Some(mark) = &self.marks[0] {
            mark.note(Instant::now());
        }
        let result = self.kernel.launch(&self.launch()).map(|_| ());
        if let Some(mark) = &self.marks[1] {
            mark.note(Instant::now());
        }
        result
    }
}

impl Op {
    /// Does it, on a thread of queues. Errors are the device's.
    pub(crate) fn run(&self, gpu: &Gpu) -> Outcome {
        // After a lasting failure nothing touches memory any more; functions of the program's are called, which others may wait for.
        let is_dead = gpu.check_lasting().is_err();
        let result = match self {
            Op::Host { function, user_data } => {
                raw::call_host(*function, *user_data);
                Ok(())
            }
            Op::Callback { function, stream, user_data } => {
                let status = gpu.check_lasting().err().unwrap_or(Status::SUCCESS);
                raw::call_stream_callback(*function, *stream, status, *user_data);
                Ok(())
            }
            Op::Mark(mark) => {
                mark.note(Instant::now());
                Ok(())
            }
            Op::Free(address) => {
                drop(crate::allocations::take(*address, &[crate::allocations::Kind::Device, crate::allocations::Kind::Managed]));
                Ok(())
            }
            Op::Nothing => Ok(()),
            _ if is_dead => Ok(()),
            Op::Kernel(kernel) => kernel.run(),
            Op::Copy(copy) => copy.run(gpu),
            Op::Staged { to, from } => gpu.device.memory().write(*to, from),
            Op::Fill(fill) => fill.run(gpu),
            Op::WriteValue { address, value, bytes } => gpu.device.memory().write(*address, &value.to_le_bytes()[..(*bytes).min(8)]),
            Op::WaitValue(wait) => match wait.is_met(gpu) {
                Ok(true) => Ok(()),
                Ok(false) => return Outcome::Again,
                Err(error) => Err(error),
            },
        };
        if let Err(error) = result {
            gpu.fail(&error);
        }
        Outcome::Done
    }
}
