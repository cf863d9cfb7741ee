//! Opening, launching and closing kernels over and over, with many different ones, by the Rust API and by the C interface: what the process
//! holds must not grow.
//!
//! A kernel is the code object of `triad` with other code in it, made by our own assembler, that stores a constant of its own.

use crate::attack::serve::Held;
use capi::{wavejit_kernel_close, wavejit_kernel_launch, wavejit_kernel_open};
use wavejit::code_object::CodeObject;
use wavejit::{Arg, Device, DeviceConfig, Engine, Launch};
use wavejit_isa::{Gfx, assemble};

/// Work-items of a launch: one workgroup.
const ITEMS: u32 = 64;

/// The C interface, compiled into this crate.
#[path = "../../runtime/capi/src/lib.rs"]
mod capi;

/// Different kernels.
pub struct Kernels {
    file: Vec<u8>,
    /// Where code is in it.
    code: usize,
    kernarg_bytes: usize,
    count: u32,
}

impl Kernels {
    /// So many.
    pub fn new(count: u32) -> Result<Kernels, String> {
        let file = crate::code_object("triad.gfx1100.wave32.hsaco");
        let object = CodeObject::load(&file).map_err(|e| e.to_string())?;
        let kernel = object.kernel("triad").map_err(|e| e.to_string())?;
        let holds = |s: &&wavejit::code_object::Segment| kernel.code_address.wrapping_sub(s.address) < s.file_bytes;
        let segment = object.segments().iter().find(holds).ok_or("the kernel's code is in no segment")?;
        let code = (segment.file_offset + kernel.code_address - segment.address) as usize;
        Ok(Kernels { code, kernarg_bytes: kernel.kernarg_bytes as usize, file, count })
    }

    /// The constant of a cycle's kernel.
    fn constant(&self, cycle: u64) -> u32 {
        0x5eed_0000 + (cycle % u64::from(self.count)) as u32
    }

    /// The code object of a cycle: s\[0:1\] is the argument segment, whose first argument is where to store.
    fn of_cycle(&self, cycle: u64) -> Result<Vec<u8>, String> {
        let text = format!(
            "s_load_b64 s[4:5], s[0:1], 0x0\nv_and_b32_e32 v0, 0x3ff, v0\nv_lshlrev_b32_e32 v0, 2, v0\nv_mov_b32_e32 v1, 0x{:x}\n\
             s_waitcnt lgkmcnt(0)\nglobal_store_b32 v0, v1, s[4:5]\ns_endpgm\n",
            self.constant(cycle)
        );
        let code = assemble(&text, Gfx::GFX1100, 32).map_err(|e| format!("{e:?}"))?.bytes;
        let mut file = self.file.clone();
        file[self.code..][..code.len()].copy_from_slice(&code);
        Ok(file)
    }

    fn check(&self, cycle: u64, found: &[u8]) -> Result<(), String> {
        let want = self.constant(cycle).to_le_bytes();
        match found.chunks_exact(4).all(|w| w == want) {
            true => Ok(()),
            false => Err(format!("cycle {cycle} stored {:02x?}, expected {want:02x?}", &found[..4])),
        }
    }

    /// A cycle of the Rust API on a device.
    fn rust(&self, cycle: u64, device: &Device) -> Result<(), String> {
        let run = || {
            let out = device.alloc(ITEMS as usize * 4)?;
            let kernel = device.load(&self.of_cycle(cycle).map_err(wavejit::Error::Arg)?)?.kernel("triad")?;
            let args = [Arg::Buffer(&out), Arg::Buffer(&out), Arg::Buffer(&out), Arg::F32(0.0), Arg::I32(0)];
            kernel.launch(&Launch::new([ITEMS, 1, 1], [ITEMS, 1, 1], &args))?;
            out.to_vec()
        };
        self.check(cycle, &run().map_err(|e: wavejit::Error| e.to_string())?)
    }

    /// A cycle of the C interface.
    fn c(&self, cycle: u64) -> Result<(), String> {
        let file = self.of_cycle(cycle)?;
        let mut out = vec![0u8; ITEMS as usize * 4];
        let mut kernarg = vec![0u8; self.kernarg_bytes];
        kernarg[..8].copy_from_slice(&(out.as_mut_ptr() as u64).to_le_bytes());
        let mut kernel = std::ptr::null_mut();
        // SAFETY: as wavejit.h says: the file and its size, a string, a place for the kernel; the kernel stores into `out`, which has room.
        let codes = unsafe {
            let opened = wavejit_kernel_open(file.as_ptr().cast(), file.len(), c"triad".as_ptr(), &mut kernel);
            let (groups, group) = ([1, 1, 1], [ITEMS, 1, 1]);
            let launched = match opened {
                0 => wavejit_kernel_launch(kernel, groups.as_ptr(), group.as_ptr(), kernarg.as_ptr().cast(), kernarg.len(), 0),
                _ => 0,
            };
            wavejit_kernel_close(kernel);
            (opened, launched)
        };
        match codes {
            (0, 0) => self.check(cycle, &out),
            codes => Err(format!("cycle {cycle} ended with {codes:?}")),
        }
    }
}

/// Who opens and closes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interface {
    /// Modules of one device.
    Rust,
    /// The C interface.
    C,
    /// A device for each cycle.
    Devices,
}

/// What may come on top of what was held after every kernel was seen once: pages that an allocator keeps, nothing that each cycle adds to.
const SLACK: Held = Held { rss_kib: 24 << 10, mappings: 64, files: 4 };

/// Runs cycles; `show` gets what is held every `checkpoint` of them. `Err`: a cycle went wrong, or something grew.
pub fn run(kernels: &Kernels, interface: Interface, cycles: u64, checkpoint: u64, mut show: impl FnMut(u64, Held)) -> Result<(), String> {
    let options = || DeviceConfig { engine: Engine::Jit, threads: 2, ..Default::default() };
    let device = Device::new(options()).map_err(|e| e.to_string())?;
    // Kernels seen and caches filled.
    let settled = (u64::from(kernels.count)).max(checkpoint) * 2;
    let mut first: Option<Held> = None;
    for cycle in 0..cycles {
        match interface {
            Interface::Rust => kernels.rust(cycle, &device)?,
            Interface::C => kernels.c(cycle)?,
            Interface::Devices => kernels.rust(cycle, &Device::new(options()).map_err(|e| e.to_string())?)?,
        }
        let done = cycle + 1;
        if !done.is_multiple_of(checkpoint) {
            continue;
        }
        let now = Held::now();
        show(done, now);
        if done < settled.min(cycles / 2) {
            continue;
        }
        let first = *first.get_or_insert(now);
        let grew = now.rss_kib > first.rss_kib + SLACK.rss_kib
            || now.mappings > first.mappings + SLACK.mappings
            || now.files > first.files + SLACK.files;
        if grew {
            return Err(format!("after {done} cycles of {interface:?}: {now:?}, but {first:?} before"));
        }
    }
    Ok(())
}
