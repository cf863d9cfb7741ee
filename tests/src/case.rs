//! A kernel launch with inputs and expected outputs, as data: the rows of the table that `tests/shaders.rs` runs.
//!
//! A reference function (`reference/*.rs`) computes the expected bytes in plain Rust and returns a [`Case`]; [`Case::run`] launches it on a
//! device and returns what the buffers hold afterwards; [`Case::check`] compares. Nothing here looks at what wavejit printed before.

use wavejit::step::Hook;
use wavejit::{Arg, Device, DeviceConfig, DispatchStats, Engine, Error, Launch, LaunchConfig, Module, Profile};
pub use wavejit_random::Random;

/// One kernel argument.
pub enum Value {
    /// A buffer with these contents before the launch.
    Buffer(Vec<u8>),
    /// By value: the bytes of the argument.
    Bytes(Vec<u8>),
    /// A `__local` pointer to this many bytes.
    Local(u32),
}

/// What a buffer must hold after the launch.
pub enum Expect {
    /// These bytes.
    Exact(Vec<u8>),
    /// f32 values near these, which were computed in f64.
    Close(Vec<(f64, Tolerance)>),
    /// Floats of any width near these.
    Near(Near),
}

/// Values computed in f64, and how far results may be from them.
pub struct Near {
    /// The values.
    pub want: Vec<f64>,
    /// How a buffer's bytes are read.
    pub read: fn(&[u8]) -> Vec<f64>,
    /// Part of the value that a result may be off.
    pub relative: f64,
    /// That, or this much.
    pub absolute: f64,
    /// How many results may be wrong altogether: where a branch hangs on a rounding.
    pub misses: usize,
}

/// How far a float may be from the exact value: the larger of the two.
#[derive(Clone, Copy)]
pub struct Tolerance {
    /// Relative to the value, in units in the last place of f32.
    pub ulps: f64,
    /// For results that cancel to almost nothing.
    pub abs: f64,
}

/// One launch.
pub struct Case {
    /// Name of the kernel; its code objects are `shaders/bin/KERNEL.gfx1100.wave32.hsaco` and so on unless `file` says otherwise.
    pub kernel: &'static str,
    /// Stem of the code object.
    pub file: &'static str,
    /// Its folder within `shaders/bin`.
    pub folder: &'static str,
    /// Grid in work-items.
    pub grid: [u32; 3],
    /// Workgroup in work-items.
    pub group: [u32; 3],
    /// Arguments in order.
    pub args: Vec<Value>,
    /// Index of an argument and what it must hold.
    pub expect: Vec<(usize, Expect)>,
}

/// How to run a case.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Compiled code or the interpreter.
    pub engine: Engine,
    /// Threads of the pool.
    pub threads: usize,
}

impl Case {
    /// A one-dimensional launch.
    pub fn line(kernel: &'static str, items: u32, group: u32) -> Case {
        Case::grid(kernel, [items, 1, 1], [group, 1, 1])
    }

    /// A launch of any shape.
    pub fn grid(kernel: &'static str, grid: [u32; 3], group: [u32; 3]) -> Case {
        Case { kernel, file: kernel, folder: ".", grid, group, args: Vec::new(), expect: Vec::new() }
    }

    /// The same kernel name in another code object.
    pub fn in_file(mut self, file: &'static str) -> Case {
        self.file = file;
        self
    }

    /// The code object in another folder.
    pub fn in_folder(mut self, folder: &'static str) -> Case {
        self.folder = folder;
        self
    }

    /// A buffer the kernel reads.
    pub fn input<T: Plain>(mut self, data: &[T]) -> Case {
        self.args.push(Value::Buffer(to_bytes(data)));
        self
    }

    /// A buffer of zeros that must hold `want` afterwards.
    pub fn output<T: Plain>(self, want: &[T]) -> Case {
        let zero = vec![0u8; size_of_val(want)];
        self.update(&zero, want)
    }

    /// A buffer that holds `before` and must hold `want` afterwards.
    pub fn update<T: Plain, U: Plain>(mut self, before: &[T], want: &[U]) -> Case {
        self.expect.push((self.args.len(), Expect::Exact(to_bytes(want))));
        self.args.push(Value::Buffer(to_bytes(before)));
        self
    }

    /// A buffer of f32 that must come close to `want` afterwards; it holds `before` first (zeros if empty).
    pub fn close(self, before: &[f32], want: Vec<f64>, ulps: f64, abs: f64) -> Case {
        self.close_each(before, want.into_iter().map(|w| (w, Tolerance { ulps, abs })).collect())
    }

    /// The same with a tolerance for each element.
    pub fn close_each(mut self, before: &[f32], want: Vec<(f64, Tolerance)>) -> Case {
        let bytes = if before.is_empty() { vec![0; want.len() * 4] } else { to_bytes(before) };
        self.expect.push((self.args.len(), Expect::Close(want)));
        self.args.push(Value::Buffer(bytes));
        self
    }

    /// A buffer of zeros whose floats must come near `want`, by a part of the value or absolutely.
    pub fn near<T: Plain + Into<f64>>(self, want: Vec<f64>, relative: f64, absolute: f64) -> Case {
        self.near_but::<T>(want, relative, absolute, 0)
    }

    /// The same, but for so many that may differ.
    pub fn near_but<T: Plain + Into<f64>>(mut self, want: Vec<f64>, relative: f64, absolute: f64, misses: usize) -> Case {
        let bytes = vec![0; want.len() * size_of::<T>()];
        let read = |bytes: &[u8]| from_bytes::<T>(bytes).into_iter().map(Into::into).collect();
        self.expect.push((self.args.len(), Expect::Near(Near { want, read, relative, absolute, misses })));
        self.args.push(Value::Buffer(bytes));
        self
    }

    /// An argument by value.
    pub fn value<T: Plain>(mut self, v: T) -> Case {
        self.args.push(Value::Bytes(to_bytes(&[v])));
        self
    }

    /// An argument by value, as its bytes.
    pub fn bytes(mut self, v: &[u8]) -> Case {
        self.args.push(Value::Bytes(v.to_vec()));
        self
    }

    /// A `__local` pointer argument.
    pub fn local(mut self, bytes: u32) -> Case {
        self.args.push(Value::Local(bytes));
        self
    }

    /// Loads the case's code object for a wave size.
    pub fn module(&self, device: &Device, wave: u32) -> Result<Module, Error> {
        device.load(&crate::code_object(&format!("{}/{}.gfx1100.wave{wave}.hsaco", self.folder, self.file)))
    }

    /// Launches on a new device and returns every buffer argument afterwards (by-value arguments give empty vectors).
    pub fn run(&self, wave: u32, setting: Setting) -> Result<Vec<Vec<u8>>, Error> {
        let device = device(setting)?;
        let module = self.module(&device, wave)?;
        self.run_on(&device, &module)
    }

    /// The same on a device and module that exist.
    pub fn run_on(&self, device: &Device, module: &Module) -> Result<Vec<Vec<u8>>, Error> {
        Ok(self.run_hooked(device, module, None)?.1)
    }

    /// The same with a hook before every instruction; also what was counted.
    pub fn run_hooked(&self, device: &Device, module: &Module, hook: Option<Hook>) -> Result<(DispatchStats, Vec<Vec<u8>>), Error> {
        self.run_counted(device, module, hook, None)
    }

    /// The same with its instructions counted.
    pub fn run_counted(
        &self,
        device: &Device,
        module: &Module,
        hook: Option<Hook>,
        profile: Option<&Profile>,
    ) -> Result<(DispatchStats, Vec<Vec<u8>>), Error> {
        let kernel = module.kernel(self.kernel)?;
        let mut buffers = Vec::new();
        for value in &self.args {
            buffers.push(match value {
                Value::Buffer(bytes) => Some(device.upload(bytes)?),
                _ => None,
            });
        }
        let args: Vec<Arg<'_>> = self
            .args
            .iter()
            .zip(&buffers)
            .map(|(value, buffer)| match (value, buffer) {
                (_, Some(buffer)) => Arg::Buffer(buffer),
                (Value::Local(bytes), _) => Arg::LocalBytes(*bytes),
                (Value::Bytes(bytes) | Value::Buffer(bytes), None) => Arg::bytes(bytes),
            })
            .collect();
        let stats = kernel.launch(&Launch {
            args: &args,
            config: LaunchConfig { hook, profile, ..LaunchConfig::new(self.grid, self.group) },
            ..Default::default()
        })?;
        let mut after = Vec::new();
        for (value, buffer) in self.args.iter().zip(&buffers) {
            let mut bytes = Vec::new();
            if let (Value::Buffer(before), Some(buffer)) = (value, buffer) {
                bytes = vec![0; before.len()];
                buffer.read(0, &mut bytes)?;
            }
            after.push(bytes);
        }
        Ok((stats, after))
    }

    /// Compares what the buffers hold with what they must hold; the message names argument and element.
    pub fn check(&self, after: &[Vec<u8>]) -> Result<(), String> {
        for (index, expect) in &self.expect {
            let got = &after[*index];
            match expect {
                Expect::Near(near) => near.check(got).map_err(|e| format!("{}: argument {index}, {e}", self.kernel))?,
                Expect::Exact(want) => {
                    if let Some(at) = (0..want.len()).find(|&i| got[i] != want[i]) {
                        let (word, wrong) = (at / 4 * 4, got.iter().zip(want).filter(|(g, w)| g != w).count());
                        let end = (word + 4).min(want.len());
                        return Err(format!(
                            "{}: argument {index}, {wrong} of {} bytes differ, first dword {}: {:02x?} for {:02x?}",
                            self.kernel,
                            want.len(),
                            word / 4,
                            &got[word..end],
                            &want[word..end]
                        ));
                    }
                }
                Expect::Close(want) => {
                    for (i, (&(w, tolerance), g)) in want.iter().zip(from_bytes::<f32>(got)).enumerate() {
                        let error = (f64::from(g) - w).abs();
                        let is_near = error <= tolerance.abs.max(tolerance.ulps * ulp(w));
                        if !(is_near || w.is_nan() && g.is_nan() || f64::from(g) == w) {
                            return Err(format!("{}: argument {index}, element {i}: {g:e} for {w:e}", self.kernel));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl Near {
    /// Says which element is the first that is too far, and how many there are.
    fn check(&self, got: &[u8]) -> Result<(), String> {
        let got = (self.read)(got);
        let is_near = |(&g, &w): (&f64, &f64)| (g - w).abs() <= self.absolute.max(self.relative * w.abs());
        let wrong: Vec<usize> = got.iter().zip(&self.want).enumerate().filter(|(_, pair)| !is_near(*pair)).map(|(i, _)| i).collect();
        match wrong.first() {
            Some(&i) if wrong.len() > self.misses => {
                Err(format!("{} of {} elements too far, first {i}: {:e} for {:e}", wrong.len(), got.len(), got[i], self.want[i]))
            }
            _ => Ok(()),
        }
    }
}

/// Unit in the last place of f32 at `x`.
fn ulp(x: f64) -> f64 {
    let exponent = x.abs().max(f64::from(f32::MIN_POSITIVE)).log2().floor();
    (exponent - 23.0).exp2()
}

/// A device for a setting.
pub fn device(setting: Setting) -> Result<Device, Error> {
    Device::new(DeviceConfig { threads: setting.threads, engine: setting.engine, ..Default::default() })
}

/// Types without padding, of which any bit pattern is a value.
pub trait Plain: Copy {
    /// Appends the little-endian bytes.
    fn put(self, to: &mut Vec<u8>);
    /// Reads them back from exactly `size_of::<Self>()` bytes.
    fn take(from: &[u8]) -> Self;
}

macro_rules! plain {
    ($($t:ty)*) => {$(
        impl Plain for $t {
            fn put(self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }
            fn take(from: &[u8]) -> $t {
                let mut bytes = [0; size_of::<$t>()];
                bytes.copy_from_slice(from);
                <$t>::from_le_bytes(bytes)
            }
        }
    )*};
}
plain!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 half::f16);

impl<T: Plain + Default, const N: usize> Plain for [T; N] {
    fn put(self, to: &mut Vec<u8>) {
        for x in self {
            x.put(to);
        }
    }
    fn take(from: &[u8]) -> [T; N] {
        let mut out = [T::default(); N];
        for (x, chunk) in out.iter_mut().zip(from.chunks_exact(size_of::<T>())) {
            *x = T::take(chunk);
        }
        out
    }
}

/// The bytes of a slice.
pub fn to_bytes<T: Plain>(data: &[T]) -> Vec<u8> {
    let mut out = Vec::with_capacity(size_of_val(data));
    for &x in data {
        x.put(&mut out);
    }
    out
}

/// A slice from its bytes.
pub fn from_bytes<T: Plain>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(T::take).collect()
}
