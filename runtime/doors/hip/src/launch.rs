//! Launches of kernels.

use crate::abi::{Dim3, FunctionLaunchParams, In, LaunchParams, given};
use crate::event;
use crate::gpu;
use crate::launch_config::{DrvLaunchConfig, LaunchConfig, is_cooperative};
use crate::module;
use crate::occupancy;
use crate::op::{KernelOp, Op, Together};
use crate::properties::PROCESSORS;
use crate::raw;
use crate::status::{Result, Status, hip, say, status_of, told};
use crate::stream::{self, Stream};
use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::Arc;
use wavejit::code_object::KernelInfo;
use wavejit::{Cooperative, Error, Kernel};

/// Words of `extra`: the arguments' buffer, its bytes, the end.
const EXTRA_BUFFER: usize = 1;
const EXTRA_BYTES: usize = 2;
const EXTRA_END: usize = 3;

/// What a triple chevron says.
#[derive(Clone, Copy)]
pub(crate) struct Configuration {
    pub grid: Dim3,
    pub block: Dim3,
    pub shared_bytes: usize,
    pub stream: *mut c_void,
}

thread_local! {
    /// What `hipSetupArgument` has put together for the next launch.
    static ARGUMENTS: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static CONFIGURATIONS: RefCell<Vec<Configuration>> = const { RefCell::new(Vec::new()) };
}

/// Notes what the next launch is to be.
pub(crate) fn push_configuration(configuration: Configuration) {
    let _ = CONFIGURATIONS.try_with(|all| all.borrow_mut().push(configuration));
}

/// What was noted last.
pub(crate) fn pop_configuration() -> Option<Configuration> {
    CONFIGURATIONS.try_with(|all| all.borrow_mut().pop()).ok()?
}

/// Where the explicit arguments are.
#[derive(Clone, Copy)]
pub(crate) enum Args {
    /// A pointer to each.
    Pointers(*const *mut c_void),
    /// Words about a packed buffer.
    Extra(*const *mut c_void),
}

impl Args {
    /// Of functions that take both: pointers, unless there are none.
    pub(crate) fn either(pointers: *const *mut c_void, extra: *const *mut c_void) -> Args {
        if pointers.is_null() && !extra.is_null() { Args::Extra(extra) } else { Args::Pointers(pointers) }
    }

    /// The explicit part of the argument segment.
    pub(crate) fn pack(self, info: &KernelInfo) -> Result<Vec<u8>> {
        match self {
            Args::Pointers(pointers) => pack_pointers(info, pointers),
            Args::Extra(words) => pack_extra(words),
        }
    }
}

fn pack_pointers(info: &KernelInfo, pointers: *const *mut c_void) -> Result<Vec<u8>> {
    let (mut end, mut count) = (0, 0);
    for arg in info.explicit_args() {
        end = end.max(arg.offset as usize + arg.bytes as usize);
        count += 1;
    }
    let mut packed = vec![0; end];
    let pointers = raw::slice(pointers, count)?;
    for (arg, pointer) in info.explicit_args().zip(pointers) {
        let value = raw::slice(pointer.cast::<u8>().cast_const(), arg.bytes as usize)?;
        packed[arg.offset as usize..][..value.len()].copy_from_slice(value);
    }
    Ok(packed)
}

fn pack_extra(words: *const *mut c_void) -> Result<Vec<u8>> {
    let (mut buffer, mut bytes) = (std::ptr::null::<u8>(), 0);
    // Each key but the last has a value.
    for i in 0.. {
        let word = |at: usize| raw::slice(words.wrapping_add(at), 1).map(|w| w[0]);
        match word(2 * i)? as usize {
            EXTRA_BUFFER => buffer = word(2 * i + 1)?.cast::<u8>(),
            EXTRA_BYTES => bytes = raw::slice(word(2 * i + 1)?.cast::<usize>(), 1)?[0],
            EXTRA_END => break,
            _ => return Err(Status::INVALID_VALUE),
        }
        if i == 2 {
            return Err(Status::INVALID_VALUE);
        }
    }
    if bytes > wavejit::kernarg::MAX_KERNARG_BYTES as usize {
        return Err(Status::INVALID_VALUE);
    }
    Ok(raw::slice(buffer, bytes)?.to_vec())
}

/// What to launch.
pub(crate) struct Request {
    pub kernel: Kernel,
    /// What the program calls it.
    pub function: *const c_void,
    /// Work-items.
    pub items: [u64; 3],
    pub block: Dim3,
    pub args: Args,
    pub shared_bytes: usize,
    /// Events that are recorded around it; null for none.
    pub events: [*mut c_void; 2],
    /// Do its workgroups wait for each other? Then all have to be resident at a time.
    pub cooperative: Option<Together>,
}

/// Work-items of so many workgroups.
fn items(grid: Dim3, block: Dim3) -> [u64; 3] {
    [u64::from(grid.x) * u64::from(block.x), u64::from(grid.y) * u64::from(block.y), u64::from(grid.z) * u64::from(block.z)]
}

impl Request {
    /// A launch of so many workgroups.
    pub(crate) fn new(kernel: Kernel, function: *const c_void, grid: Dim3, block: Dim3, args: Args, shared_bytes: usize) -> Request {
        let events = [std::ptr::null_mut(); 2];
        Request { kernel, function, items: items(grid, block), block, args, shared_bytes, events, cooperative: None }
    }

    /// The operation, checked.
    pub(crate) fn op(self) -> Result<KernelOp> {
        let block = [self.block.x, self.block.y, self.block.z];
        let info = self.kernel.info();
        if self.items.contains(&0) || block.contains(&0) {
            return Err(Status::INVALID_CONFIGURATION);
        }
        let fits = |n: u64| u32::try_from(n).map_err(|_| Status::INVALID_CONFIGURATION);
        let items = [fits(self.items[0])?, fits(self.items[1])?, fits(self.items[2])?];
        let dynamic_lds = u32::try_from(self.shared_bytes).map_err(|_| Status::INVALID_VALUE)?;
        if self.cooperative.is_some() {
            let blocks: u64 = (0..3).map(|d| u64::from(items[d].div_ceil(block[d]))).product();
            let threads_of_block = block.iter().map(|n| u64::from(*n)).product::<u64>();
            let resident = occupancy::blocks_per_processor(info, threads_of_block, self.shared_bytes) * PROCESSORS;
            if blocks > resident {
                return Err(Status::COOPERATIVE_LAUNCH_TOO_LARGE);
            }
        }
        let args = self.args.pack(info)?;
        let marks = event::marks(self.events)?;
        let function = self.function as usize;
        let op = KernelOp { kernel: self.kernel, function, items, block, dynamic_lds, cooperative: self.cooperative, args, marks };
        op.kernel.check(&op.launch()).map_err(|error| refused(&error))?;
        Ok(op)
    }

    /// Launches it in a stream.
    pub(crate) fn launch(self, stream: &Stream) -> Result {
        let events = self.events;
        let op = self.op()?;
        let marks = op.marks.clone();
        let point = stream.push(Op::Kernel(Arc::new(op)))?;
        event::set_both(events, &marks, &point, stream)
    }
}

/// The status of a launch that is refused.
fn refused(error: &Error) -> Status {
    say(&error.to_string());
    match error {
        Error::Arg(_) => Status::INVALID_CONFIGURATION,
        other => status_of(other),
    }
}

fn by_stub(stub: *const c_void, grid: Dim3, block: Dim3, args: *const *mut c_void, shared_bytes: usize) -> Result<Request> {
    Ok(Request::new(module::kernel(stub)?, stub, grid, block, Args::Pointers(args), shared_bytes))
}

fn dims(x: u32, y: u32, z: u32) -> Dim3 {
    Dim3 { x, y, z }
}

/// The kernel and the dimensions of the driver interface.
fn by_function(function: *const c_void, grid: Dim3, block: Dim3, args: Args, shared_bytes: u32) -> Result<Request> {
    let kernel = module::kernel(function).map_err(|_| Status::INVALID_HANDLE)?;
    Ok(Request::new(kernel, function, grid, block, args, shared_bytes as usize))
}

hip! {
    fn hipLaunchKernel(stub: *const c_void, grid: Dim3, block: Dim3, args: *const *mut c_void, shared_bytes: usize, stream: *mut c_void) {
        by_stub(stub, grid, block, args, shared_bytes)?.launch(&*stream::get(stream)?)
    }
    fn hipLaunchKernel_spt(stub: *const c_void, grid: Dim3, block: Dim3, args: *const *mut c_void, shared_bytes: usize, stream: *mut c_void) {
        by_stub(stub, grid, block, args, shared_bytes)?.launch(&*stream::get_spt(stream)?)
    }
    fn hipLaunchByPtr(stub: *const c_void) {
        let top = pop_configuration().ok_or(Status::MISSING_CONFIGURATION)?;
        let args = ARGUMENTS.try_with(RefCell::take).unwrap_or_default();
        let mut bytes = args.len();
        let words = [
            EXTRA_BUFFER as *mut c_void, args.as_ptr().cast_mut().cast(), EXTRA_BYTES as *mut c_void, (&raw mut bytes).cast(),
            EXTRA_END as *mut c_void,
        ];
        let request = by_stub(stub, top.grid, top.block, std::ptr::null(), top.shared_bytes)?;
        Request { args: Args::Extra(words.as_ptr()), ..request }.launch(&*stream::get(top.stream)?)
    }
    fn hipSetupArgument(value: *const c_void, bytes: usize, offset: usize) {
        let value = raw::slice(value.cast::<u8>(), bytes)?;
        let end = offset.checked_add(bytes).filter(|n| *n <= wavejit::kernarg::MAX_KERNARG_BYTES as usize).ok_or(Status::INVALID_VALUE)?;
        let _ = ARGUMENTS.try_with(|args| {
            let mut args = args.borrow_mut();
            let len = args.len().max(end);
            args.resize(len, 0);
            args[offset..end].copy_from_slice(value);
        });
        Ok(())
    }
    fn hipConfigureCall(grid: Dim3, block: Dim3, shared_bytes: usize, stream: *mut c_void) {
        push_configuration(Configuration { grid, block, shared_bytes, stream });
        Ok(())
    }
    fn hipLaunchCooperativeKernel(stub: *const c_void, grid: Dim3, block: Dim3, args: *const *mut c_void, shared_bytes: u32, stream: *mut c_void) {
        Request { cooperative: alone(), ..by_stub(stub, grid, block, args, shared_bytes as usize)? }.launch(&*stream::get(stream)?)
    }
    fn hipLaunchCooperativeKernel_spt(
        stub: *const c_void, grid: Dim3, block: Dim3, args: *const *mut c_void, shared_bytes: u32, stream: *mut c_void,
    ) {
        Request { cooperative: alone(), ..by_stub(stub, grid, block, args, shared_bytes as usize)? }.launch(&*stream::get_spt(stream)?)
    }
    fn hipExtLaunchKernel(
        stub: *const c_void, grid: Dim3, block: Dim3, args: *const *mut c_void, shared_bytes: usize, stream: *mut c_void, start: *mut c_void,
        stop: *mut c_void, _flags: i32,
    ) {
        Request { events: [start, stop], ..by_stub(stub, grid, block, args, shared_bytes)? }.launch(&*stream::get(stream)?)
    }
    fn hipModuleLaunchKernel(
        function: *const c_void, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, shared_bytes: u32,
        stream: *mut c_void, args: *const *mut c_void, extra: *const *mut c_void,
    ) {
        let (grid, block) = (dims(grid_x, grid_y, grid_z), dims(block_x, block_y, block_z));
        by_function(function, grid, block, Args::either(args, extra), shared_bytes)?.launch(&*stream::get(stream)?)
    }
    fn hipModuleLaunchCooperativeKernel(
        function: *const c_void, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, shared_bytes: u32,
        stream: *mut c_void, args: *const *mut c_void,
    ) {
        let (grid, block) = (dims(grid_x, grid_y, grid_z), dims(block_x, block_y, block_z));
        let request = by_function(function, grid, block, Args::Pointers(args), shared_bytes)?;
        Request { cooperative: alone(), ..request }.launch(&*stream::get(stream)?)
    }
    fn hipExtModuleLaunchKernel(
        function: *const c_void, items_x: u32, items_y: u32, items_z: u32, block_x: u32, block_y: u32, block_z: u32, shared_bytes: usize,
        stream: *mut c_void, args: *const *mut c_void, extra: *const *mut c_void, start: *mut c_void, stop: *mut c_void, _flags: u32,
    ) {
        ext_module_launch([items_x, items_y, items_z], dims(block_x, block_y, block_z), shared_bytes, function, stream, args, extra, [start, stop])
    }
    fn hipHccModuleLaunchKernel(
        function: *const c_void, items_x: u32, items_y: u32, items_z: u32, block_x: u32, block_y: u32, block_z: u32, shared_bytes: usize,
        stream: *mut c_void, args: *const *mut c_void, extra: *const *mut c_void, start: *mut c_void, stop: *mut c_void,
    ) {
        ext_module_launch([items_x, items_y, items_z], dims(block_x, block_y, block_z), shared_bytes, function, stream, args, extra, [start, stop])
    }
    fn hipLaunchKernelExC(config: In<LaunchConfig>, stub: *const c_void, args: *const *mut c_void) {
        let c = given(config)?;
        let is_cooperative = is_cooperative(c.attributes, c.attribute_count)?;
        Request { cooperative: is_cooperative.then(alone).flatten(), ..by_stub(stub, c.grid, c.block, args, c.shared_bytes)? }.launch(&*stream::get(c.stream)?)
    }
    fn hipDrvLaunchKernelEx(config: In<DrvLaunchConfig>, function: *const c_void, args: *const *mut c_void, extra: *const *mut c_void) {
        let c = given(config)?;
        let is_cooperative = is_cooperative(c.attributes, c.attribute_count)?;
        let request = by_function(function, c.grid, c.block, Args::either(args, extra), c.shared_bytes)?;
        Request { cooperative: is_cooperative.then(alone).flatten(), ..request }.launch(&*stream::get(c.stream)?)
    }
    fn hipExtLaunchMultiKernelMultiDevice(list: *const LaunchParams, count: i32, _flags: u32) {
        launch_on_each(list, count, false)
    }
    fn hipLaunchCooperativeKernelMultiDevice(list: *const LaunchParams, count: i32, _flags: u32) {
        launch_on_each(list, count, true)
    }
    fn hipModuleLaunchCooperativeKernelMultiDevice(list: *const FunctionLaunchParams, count: u32, _flags: u32) {
        let list = raw::slice(list, count as usize)?;
        let mut together = together(list.iter().map(|one| (one.grid, one.block)))?.into_iter();
        for one in list {
            let stream = stream::get(one.stream)?;
            let cooperative = together.next();
            on_device_of(&stream, || {
                let request = by_function(one.function, one.grid, one.block, Args::Pointers(one.args), one.shared_bytes)?;
                Request { cooperative, ..request }.launch(&stream)
            })?;
        }
        Ok(())
    }
}

fn ext_module_launch(
    items: [u32; 3],
    block: Dim3,
    shared_bytes: usize,
    function: *const c_void,
    stream: *mut c_void,
    args: *const *mut c_void,
    extra: *const *mut c_void,
    events: [*mut c_void; 2],
) -> Result {
    let request = by_function(function, dims(1, 1, 1), block, Args::either(args, extra), 0)?;
    Request { items: items.map(u64::from), shared_bytes, events, ..request }.launch(&*stream::get(stream)?)
}

/// A cooperative grid by itself.
fn alone() -> Option<Together> {
    Some(Together { grid: Cooperative::default(), _sync: None })
}

/// Cooperative grids that wait for each other.
fn together(grids: impl Iterator<Item = (Dim3, Dim3)> + Clone) -> Result<Vec<Together>> {
    let count =
        |(grid, block): (Dim3, Dim3)| items(grid, block).iter().try_fold(1_u64, |all, n| all.checked_mul(*n)).ok_or(Status::INVALID_VALUE);
    let counts: Vec<u64> = grids.map(count).collect::<Result<_>>()?;
    let sync = Arc::new(gpu::current()?.device.alloc(8).map_err(|error| told(&error))?);
    let mut before = 0_u64;
    let mut all = Vec::new();
    for (i, items) in counts.iter().enumerate() {
        let grid = Cooperative {
            grids: counts.len() as u32,
            grid: i as u32,
            items_before: before,
            items: counts.iter().fold(0, |sum, n| sum.saturating_add(*n)),
            sync: sync.address(),
        };
        all.push(Together { grid, _sync: Some(sync.clone()) });
        before = before.saturating_add(*items);
    }
    Ok(all)
}

/// A kernel on the device of each stream.
fn launch_on_each(list: *const LaunchParams, count: i32, is_cooperative: bool) -> Result {
    let count = usize::try_from(count).map_err(|_| Status::INVALID_VALUE)?;
    let list = raw::slice(list, count)?;
    let mut together = if is_cooperative { together(list.iter().map(|one| (one.grid, one.block)))? } else { Vec::new() }.into_iter();
    for one in list {
        let stream = stream::get(one.stream)?;
        let cooperative = together.next();
        on_device_of(&stream, || {
            Request { cooperative, ..by_stub(one.function, one.grid, one.block, one.args, one.shared_bytes)? }.launch(&stream)
        })?;
    }
    Ok(())
}

/// Calls something with a stream's device as the current one.
fn on_device_of(stream: &Stream, call: impl FnOnce() -> Result) -> Result {
    let before = gpu::current()?;
    gpu::set_current(stream.gpu()?);
    let result = call();
    gpu::set_current(before);
    result
}
