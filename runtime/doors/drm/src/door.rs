//! The device, as programs find it behind its node. There is one in a process.

use crate::context::Context;
use crate::errno::{Errno, Result, say};
use crate::gem::Buffers;
use crate::node::Node;
use crate::share::Shares;
use crate::syncobj::Syncobj;
use crate::va::AddressMap;
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use wavejit::code_object::TargetId;
use wavejit::{Device, DeviceConfig};
use wavejit_gpu::dump::Recorder;
use wavejit_gpu::{Gpu, Options};
use wavejit_isa::Gfx;

/// GPU addresses: where they begin, and how many there are. Always the same: drivers take the high half of 32-bit addresses from here, and keep
/// shaders with it in files.
const WINDOW: (u64, u64) = (0x2000_0000_0000, 1 << 40);
/// GB_ADDR_CONFIG of gfx1100: which pipes images are spread over.
pub(crate) const GB_ADDR_CONFIG: u32 = 0x545;
/// Environment variable: the processor.
const TARGET_VARIABLE: &str = "WAVEJIT_TARGET";
/// Environment variable: threads that run workgroups.
const THREADS_VARIABLE: &str = "WAVEJIT_THREADS";
/// Environment variable: the folder that jobs are recorded in.
const DUMP_VARIABLE: &str = "WAVEJIT_DUMP";
/// Environment variable: tells every command on standard error.
const TRACE_VARIABLE: &str = "WAVEJIT_TRACE";
/// Environment variable: guest instructions of a wave, after which its context is lost.
const BUDGET_VARIABLE: &str = "WAVEJIT_MAX_INSTS";
/// That many without it: an endless loop ends within minutes, and no other.
const BUDGET: u64 = 1 << 36;
/// Render backends, of which each writes its count of samples.
pub(crate) const RENDER_BACKENDS: u32 = 2;

/// All that there is of the device.
pub(crate) struct Door {
    pub node: Arc<Node>,
    pub gpu: Gpu,
    /// The processor.
    pub target: Gfx,
    /// GPU addresses: the first, and how many bytes.
    pub window: (u64, u64),
    /// Are all commands told on standard error?
    pub traces: bool,
    /// Records jobs, if that is asked for.
    pub recorder: Option<Mutex<Recorder>>,
    state: Mutex<State>,
    changed: Condvar,
}

/// What changes.
pub(crate) struct State {
    pub buffers: Buffers,
    pub map: AddressMap,
    pub contexts: FxHashMap<u32, Arc<Context>>,
    pub syncobjs: FxHashMap<u32, Arc<Syncobj>>,
    pub shares: Shares,
    next_handle: u32,
}

impl State {
    /// A number that nothing has: of a buffer, a context, a synchronization object.
    pub(crate) fn new_handle(&mut self) -> u32 {
        self.next_handle += 1;
        self.next_handle
    }
}

/// The device; made when it is first asked for.
pub(crate) fn door() -> Result<&'static Door> {
    static DOOR: OnceLock<Result<Door>> = OnceLock::new();
    DOOR.get_or_init(|| Door::new().inspect_err(|e| say(&format!("there is no device: error {}", e.0)))).as_ref().map_err(|e| *e)
}

/// The device, if it has been asked for.
pub(crate) fn door_of(fd: std::ffi::c_int) -> Option<&'static Door> {
    door().ok().filter(|door| door.node.is(fd))
}

impl Door {
    fn new() -> Result<Door> {
        let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
        let told = |e: wavejit::Error| {
            say(&e.to_string());
            Errno::INVAL
        };
        let name = std::env::var(TARGET_VARIABLE).unwrap_or_else(|_| "gfx1100".into());
        let target = TargetId::parse(&name).map(|id| id.processor).ok().filter(|t| *t == Gfx::GFX1100);
        let target = target.ok_or_else(|| {
            say(&format!("{TARGET_VARIABLE}: `{name}`: expected gfx1100"));
            Errno::INVAL
        })?;
        let threads = number(THREADS_VARIABLE).map_or(0, |n| n.min(4096) as usize);
        let config = DeviceConfig { threads, gb_addr_config: GB_ADDR_CONFIG, ..Default::default() };
        let window = WINDOW;
        let device = Device::window(window.0, window.1, config).map_err(told)?;
        let options = Options { max_insts: number(BUDGET_VARIABLE).unwrap_or(BUDGET), render_backends: RENDER_BACKENDS };
        let gpu = Gpu::new(device, target, options).map_err(told)?;
        let node = Arc::new(Node::new()?);
        let state = State {
            buffers: Buffers::new(node.clone()),
            map: AddressMap::new(node.clone(), window),
            contexts: FxHashMap::default(),
            syncobjs: FxHashMap::default(),
            shares: Shares::default(),
            next_handle: 0,
        };
        let traces = std::env::var_os(TRACE_VARIABLE).is_some();
        let recorder = match std::env::var_os(DUMP_VARIABLE) {
            Some(folder) => match Recorder::new(Path::new(&folder)) {
                Ok(recorder) => Some(Mutex::new(recorder)),
                Err(e) => {
                    say(&format!("{DUMP_VARIABLE}: {}: {e}", Path::new(&folder).display()));
                    return Err(Errno::INVAL);
                }
            },
            None => None,
        };
        Ok(Door { node, gpu, target, window, traces, recorder, state: Mutex::new(state), changed: Condvar::new() })
    }

    /// What changes, while nobody else looks at it.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has all that wait look again. Called with the state locked, or right after.
    pub(crate) fn announce(&self) {
        self.changed.notify_all();
    }

    /// Lets go of the state until something has changed, or for so long at most.
    pub(crate) fn await_change<'a>(&self, state: MutexGuard<'a, State>, most: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, most).unwrap_or_else(PoisonError::into_inner).0
    }
}
