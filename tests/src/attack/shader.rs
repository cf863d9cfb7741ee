//! Cases that begin with a committed kernel and its launch: some things about the file or the launch are then changed for the worse.

use super::instruction::{Registers, any, boundaries};
use super::source::Source;
use super::{Outcome, outcome, random_bytes};
use crate::case::Value;
use crate::reference;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use wavejit::GUEST_LOW;
use wavejit::code_object::{ArgKind, CodeObject, KernelDescriptor};
use wavejit::{Arg, Device, DispatchStats, Error, Image, ImageDesc, ImageFormat, Launch, LaunchConfig, Sampler, SamplerDesc};

/// Bytes a buffer argument is cut to: enough for the few workgroups that run.
const MOST_BUFFER_BYTES: usize = 256 << 10;
/// Workgroups of an unchanged launch.
const MOST_GROUPS: u32 = 3;

/// A kernel of `shaders/bin`, what is where in its file, and a launch that works.
struct Base {
    file: String,
    bytes: Arc<[u8]>,
    kernel: String,
    wave_size: u32,
    /// File offsets of the kernel's code.
    code: Range<usize>,
    /// File offset of its descriptor.
    descriptor: usize,
    /// File offsets of what is neither code nor descriptor: headers, notes, symbols.
    rest: Range<usize>,
    grid: [u32; 3],
    group: [u32; 3],
    args: Vec<Given>,
}

/// An argument of the launch that works.
#[derive(Clone)]
enum Given {
    Buffer(Arc<[u8]>),
    Bytes(Vec<u8>),
    Local(u32),
    Image,
    Sampler,
}

/// Where a pointer argument points instead.
#[derive(Clone, Copy, Debug)]
enum Pointer {
    Any(u64),
    /// So far from the start of a buffer.
    Near(usize, i64),
    /// So far from the end of a buffer, toward its guard.
    End(usize, i64),
    /// Into the code itself.
    Code(i64),
    /// So far from the end of all guest memory.
    Top(i64),
}

/// What is changed.
#[derive(Clone, Debug)]
enum Change {
    /// A bit of the code: dword and bit.
    CodeBit(usize, u32),
    /// Dwords of the code from here on.
    Code(usize, Vec<u32>),
    /// Two runs of dwords of equal length change places.
    Swap(usize, usize, usize),
    /// Bytes of the descriptor.
    Descriptor(usize, Vec<u8>),
    /// A byte of the rest of the file.
    File(usize, u8),
    Grid(usize, u32),
    Group(usize, u32),
    Offset(usize, u64),
    DynamicLds(u32),
    Pointer(usize, Pointer),
    /// A bit of an argument by value.
    ValueBit(usize, usize),
    Value(usize, Vec<u8>),
    /// The whole argument segment.
    Segment(Vec<u8>),
}

/// A kernel, a launch, and what is wrong with them.
#[derive(Clone)]
pub struct Shader {
    base: &'static Base,
    /// One workgroup instead of some, unless a change says otherwise.
    is_one_group: bool,
    changes: Vec<Change>,
    max_insts: u64,
}

fn bases() -> &'static [Base] {
    static BASES: OnceLock<Vec<Base>> = OnceLock::new();
    BASES.get_or_init(|| {
        let mut names: Vec<String> = std::fs::read_dir(crate::root().join("shaders/bin"))
            .into_iter()
            .flatten()
            .filter_map(|e| e.ok()?.file_name().into_string().ok())
            .filter(|n| n.ends_with(".hsaco") && n.contains(".gfx1100."))
            .collect();
        names.sort();
        names.iter().flat_map(|n| bases_of(n)).collect()
    })
}

/// The kernels of a file.
fn bases_of(file: &str) -> Vec<Base> {
    let bytes: Arc<[u8]> = crate::code_object(file).into();
    let Ok(object) = CodeObject::load(&bytes) else { return vec![] };
    let at = |address: u64| {
        let holds = |s: &&wavejit::code_object::Segment| address.wrapping_sub(s.address) < s.file_bytes;
        object.segments().iter().find(holds).map(|s| (s.file_offset + address - s.address) as usize)
    };
    let base = |k: &wavejit::code_object::KernelInfo| {
        let start = at(k.code_address)?;
        let code = start..start + (k.code_bytes as usize & !3);
        let args: Vec<Given> = k.explicit_args().map(|a| given(a.kind, a.bytes as usize)).collect();
        let group = k.required_group.unwrap_or([64, 1, 1]);
        let mut base = Base {
            file: file.to_string(),
            bytes: bytes.clone(),
            kernel: k.name.clone(),
            wave_size: k.wave_size,
            rest: 0..code.start,
            code,
            descriptor: at(k.descriptor_address)?,
            grid: group.map(|n| 2 * n),
            group,
            args,
        };
        if let Some((_, waves, make)) = reference::find(&k.name)
            && waves.contains(&k.wave_size)
        {
            base.launch_as(&make(k.wave_size));
        }
        Some(base)
    };
    object.kernels().iter().filter_map(base).collect()
}

/// An argument for a kernel without reference.
fn given(kind: ArgKind, bytes: usize) -> Given {
    match kind {
        ArgKind::GlobalBuffer => Given::Buffer(random_bytes(1, 16 << 10).into()),
        ArgKind::DynamicSharedPointer => Given::Local(1024),
        ArgKind::Image => Given::Image,
        ArgKind::Sampler => Given::Sampler,
        _ => {
            let mut value = vec![0; bytes];
            value.iter_mut().take(1).for_each(|b| *b = 64);
            Given::Bytes(value)
        }
    }
}

impl Base {
    /// Takes the launch of a test with a reference, cut down to a few workgroups.
    fn launch_as(&mut self, case: &crate::case::Case) {
        (self.grid, self.group) = (case.grid, case.group);
        let mut left = MOST_GROUPS;
        for d in 0..3 {
            let groups = self.grid[d].div_ceil(self.group[d]).min(left).max(1);
            left = (left / groups).max(1);
            self.grid[d] = self.grid[d].min(groups * self.group[d]);
        }
        self.args = case
            .args
            .iter()
            .map(|a| match a {
                Value::Buffer(bytes) => Given::Buffer(bytes[..bytes.len().min(MOST_BUFFER_BYTES)].into()),
                Value::Bytes(bytes) => Given::Bytes(bytes.clone()),
                Value::Local(bytes) => Given::Local(*bytes),
            })
            .collect();
    }

    fn words(&self) -> Vec<u32> {
        self.bytes[self.code.clone()].chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    }
}

impl Shader {
    /// A case of some choices.
    pub fn random(s: &mut Source) -> Shader {
        let bases = bases();
        let base = &bases[s.index(bases.len())];
        let words = base.words();
        // Mostly one kind of thing is wrong, so that the rest gets far.
        let (code, file, launch) = match s.below(8) {
            0..4 => (true, false, false),
            4 => (false, true, false),
            5 | 6 => (false, false, true),
            _ => (true, true, true),
        };
        let mut changes = vec![];
        if code {
            let most = if s.one_in(4) { 24 } else { 4 };
            changes.extend((0..s.range(1, most)).filter_map(|_| change_code(s, base, &words)));
        }
        if file {
            changes.extend((0..s.range(1, 4)).map(|_| change_file(s, base)));
        }
        if launch {
            changes.extend((0..s.range(1, 5)).filter_map(|_| change_launch(s, base)));
        }
        Shader { base, is_one_group: s.one_in(2), changes, max_insts: s.pick(&[500, 2000, 2000, 10_000]) }
    }

    fn grid_and_group(&self) -> ([u32; 3], [u32; 3]) {
        let (mut grid, mut group) = (if self.is_one_group { self.base.group } else { self.base.grid }, self.base.group);
        for change in &self.changes {
            match change {
                Change::Grid(d, n) => grid[*d] = *n,
                Change::Group(d, n) => group[*d] = *n,
                _ => {}
            }
        }
        (grid, group)
    }

    /// Does it have no second workgroup?
    pub fn is_one_group(&self) -> bool {
        let (grid, group) = self.grid_and_group();
        (0..3).all(|d| grid[d] <= group[d])
    }

    /// How many changes there are.
    pub fn parts(&self) -> usize {
        self.changes.len()
    }

    /// Without one of them.
    pub fn without(&self, part: usize) -> Shader {
        let mut smaller = self.clone();
        smaller.changes.remove(part);
        smaller
    }

    /// For people.
    pub fn describe(&self) -> String {
        let (grid, group) = self.grid_and_group();
        let Base { kernel, file, .. } = self.base;
        let mut text =
            format!("kernel {kernel} of {file}, grid {grid:?}, workgroup {group:?}, at most {} instructions a wave\n", self.max_insts);
        for (n, change) in self.changes.iter().enumerate() {
            text += &match change {
                Change::Code(at, words) => format!("  {n}: code +{:#x} = {words:08x?}\n", 4 * at),
                Change::CodeBit(at, bit) => format!("  {n}: code +{:#x} flip bit {bit}\n", 4 * at),
                other => format!("  {n}: {other:x?}\n"),
            };
        }
        text
    }

    /// Its code with its changes, and the wave size.
    pub fn code(&self) -> (Vec<u32>, u32) {
        let mut code: Vec<u32> = self.base.words();
        for change in &self.changes {
            match change {
                Change::CodeBit(at, bit) => code[*at] ^= 1 << bit,
                Change::Code(at, words) => code.iter_mut().skip(*at).zip(words).for_each(|(to, from)| *to = *from),
                Change::Swap(a, b, n) => (0..*n).for_each(|i| code.swap(a + i, b + i)),
                _ => {}
            }
        }
        (code, self.base.wave_size)
    }

    /// Its code, and all other code of the file, which it may call.
    pub fn all_code(&self) -> (Vec<u32>, u32) {
        let (mut code, wave_size) = self.code();
        let object = CodeObject::load(&self.base.bytes);
        for s in object.iter().flat_map(|o| o.segments()).filter(|s| s.executable) {
            let bytes = self.base.bytes.get(s.file_offset as usize..).map_or(&[][..], |b| &b[..b.len().min(s.file_bytes as usize)]);
            code.extend(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])));
        }
        (code, wave_size)
    }

    /// The file with its changes.
    fn file(&self) -> Vec<u8> {
        let base = self.base;
        let mut bytes = base.bytes.to_vec();
        let (code, _) = self.code();
        for (to, word) in bytes[base.code.clone()].chunks_exact_mut(4).zip(&code) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        for change in &self.changes {
            match change {
                Change::Descriptor(at, new) => bytes[base.descriptor + at..][..new.len()].copy_from_slice(new),
                Change::File(at, byte) => bytes[*at] = *byte,
                _ => {}
            }
        }
        bytes
    }

    /// Loads and launches it.
    pub fn run(&self, device: &Device, cancel: &std::sync::atomic::AtomicU32) -> Outcome {
        // What is alive must still be when memory is looked at.
        let mut alive = Alive::default();
        let result = self.launch(device, cancel, &mut alive);
        outcome(device, result)
    }

    fn launch(&self, device: &Device, cancel: &std::sync::atomic::AtomicU32, alive: &mut Alive) -> Result<DispatchStats, Error> {
        let base = self.base;
        let module = device.load(&self.file())?;
        let kernel = module.kernel(&base.kernel)?;
        alive.module = Some(module.clone());
        for arg in &base.args {
            match arg {
                Given::Buffer(bytes) => alive.buffers.push(Some(device.upload(bytes)?)),
                _ => alive.buffers.push(None),
            }
            match arg {
                Given::Image => {
                    let desc = ImageDesc { format: ImageFormat::Rgba8, width: 64, height: 64, ..Default::default() };
                    alive.images.push(Some(device.image(&desc)?));
                }
                _ => alive.images.push(None),
            }
            match arg {
                Given::Sampler => alive.samplers.push(Some(device.sampler(&SamplerDesc::default())?)),
                _ => alive.samplers.push(None),
            }
        }
        let alive = &*alive;
        let mut values: Vec<Given> = base.args.clone();
        let mut pointers: Vec<Option<u64>> = vec![None; values.len()];
        let (grid, group) = self.grid_and_group();
        let mut launch = Launch {
            config: LaunchConfig { max_insts: self.max_insts, cancel: Some(cancel), ..LaunchConfig::new(grid, group) },
            ..Default::default()
        };
        let mut segment = None;
        for change in &self.changes {
            match change {
                Change::Offset(d, n) => launch.config.geometry.offset[*d] = *n,
                Change::DynamicLds(n) => launch.dynamic_lds = *n,
                Change::Pointer(arg, to) => pointers[*arg] = Some(alive.address(device, *to)),
                Change::ValueBit(arg, bit) => {
                    if let Given::Bytes(bytes) = &mut values[*arg]
                        && let Some(byte) = bytes.get_mut(bit / 8)
                    {
                        *byte ^= 1 << (bit % 8);
                    }
                }
                Change::Value(arg, new) => values[*arg] = Given::Bytes(new.clone()),
                Change::Segment(bytes) => segment = Some(bytes.clone()),
                _ => {}
            }
        }
        let args: Vec<Arg> = (0..values.len())
            .map(|i| match (&values[i], pointers[i]) {
                (_, Some(address)) => Arg::Address(address),
                (Given::Buffer(_), None) => alive.buffers[i].as_ref().map_or(Arg::Address(0), Arg::Buffer),
                (Given::Bytes(bytes), None) => Arg::Bytes(bytes),
                (Given::Local(bytes), None) => Arg::LocalBytes(*bytes),
                (Given::Image, None) => alive.images[i].as_ref().map_or(Arg::Address(0), Arg::Image),
                (Given::Sampler, None) => alive.samplers[i].as_ref().map_or(Arg::Address(0), Arg::Sampler),
            })
            .collect();
        launch.args = &args;
        launch.kernarg = segment.as_deref();
        kernel.launch(&launch)
    }
}

/// What a launch needs until memory has been looked at.
#[derive(Default)]
struct Alive {
    module: Option<wavejit::Module>,
    buffers: Vec<Option<wavejit::Buffer>>,
    images: Vec<Option<Image>>,
    samplers: Vec<Option<Sampler>>,
}

impl Alive {
    fn address(&self, device: &Device, to: Pointer) -> u64 {
        let place = |n: usize| self.buffers.get(n).and_then(Option::as_ref).map_or((0, 0), |b| (b.address(), b.len() as u64));
        match to {
            Pointer::Any(a) => a,
            Pointer::Near(n, by) => place(n).0.wrapping_add_signed(by),
            Pointer::End(n, by) => (place(n).0 + place(n).1).wrapping_add_signed(by),
            Pointer::Code(by) => self.module.as_ref().map_or(0, |m| m.base()).wrapping_add_signed(by),
            Pointer::Top(by) => (device.memory().mem_low().wrapping_add(device.memory().mem_size())).wrapping_add_signed(by),
        }
    }
}

/// SOPP branches: s_branch, on SCC, VCC and EXEC.
const BRANCHES: Range<u32> = 0x20..0x27;

fn change_code(s: &mut Source, base: &Base, words: &[u32]) -> Option<Change> {
    if words.is_empty() {
        return None;
    }
    let starts = boundaries(words, base.wave_size);
    let at = starts[s.index(starts.len())];
    Some(match s.below(10) {
        0..3 => Change::CodeBit(s.index(words.len()), s.below(32)),
        3 => Change::Code(s.index(words.len()), vec![s.hostile()]),
        4 => {
            let other = starts[s.index(starts.len())];
            let n = at.abs_diff(other).min(words.len() - at.max(other)).min(s.range(1, 4) as usize);
            Change::Swap(at, other, n)
        }
        5 => {
            let bases = bases();
            let other = &bases[s.index(bases.len())];
            let from = other.words();
            let starts = boundaries(&from, other.wave_size);
            let first = starts.get(s.index(starts.len())).copied()?;
            let n = s.range(1, 12) as usize;
            Change::Code(at, from[first..from.len().min(first + n)].to_vec())
        }
        6 | 7 => {
            let registers = Registers { vgprs: 32, sgprs: 40 };
            let n = s.range(1, 4);
            Change::Code(at, (0..n).flat_map(|_| any(s, registers, base.wave_size)).collect())
        }
        _ => {
            // A branch, made so or with another target: an instruction, the middle of one, outside.
            let is_branch = |at: &&usize| words[**at] >> 23 == 0x17f && BRANCHES.contains(&(words[**at] >> 16 & 0x7f));
            let branches: Vec<usize> = starts.iter().filter(is_branch).copied().collect();
            let at = if branches.is_empty() || s.one_in(3) { at } else { branches[s.index(branches.len())] };
            let target = match s.below(4) {
                0 => s.index(words.len()),
                1 | 2 => starts[s.index(starts.len())],
                _ => s.dword() as usize & 0xffff,
            };
            let simm = (target as u32).wrapping_sub(at as u32 + 1) & 0xffff;
            let op = if s.one_in(2) { words[at] >> 16 & 0x7f } else { s.range(BRANCHES.start, BRANCHES.end) };
            let op = if BRANCHES.contains(&op) { op } else { 0x20 };
            Change::Code(at, vec![0xbf80_0000 | op << 16 | simm])
        }
    })
}

fn change_file(s: &mut Source, base: &Base) -> Change {
    let old = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| base.bytes[base.descriptor + at + i]));
    // LDS, scratch, kernarg bytes, entry, rsrc3, rsrc1, rsrc2, properties.
    let field = s.pick(&[0, 4, 8, 16, 20, 44, 48, 48, 52, 52, 56]);
    match s.below(8) {
        0 => Change::Descriptor(s.index(KernelDescriptor::BYTES), vec![s.dword() as u8]),
        1..3 => Change::Descriptor(field, s.hostile().to_le_bytes().to_vec()),
        3..5 => Change::Descriptor(field, (old(field) ^ 1 << s.below(32)).to_le_bytes().to_vec()),
        // Scratch and LDS that could be.
        5 => Change::Descriptor(s.pick(&[0, 4]), s.below(70_000).to_le_bytes().to_vec()),
        _ => {
            let at = base.rest.start + s.index(base.rest.len());
            let byte = if s.one_in(2) { s.dword() as u8 } else { base.bytes[at] ^ 1 << s.below(8) };
            Change::File(at, byte)
        }
    }
}

fn change_launch(s: &mut Source, base: &Base) -> Option<Change> {
    let dim = s.index(3);
    let arg = s.index(base.args.len());
    let near = |s: &mut Source| i64::from(s.below(512)) - 256;
    Some(match s.below(12) {
        0 => Change::Grid(dim, s.hostile()),
        1 => Change::Grid(dim, s.below(300)),
        2 => Change::Group(dim, s.below(300)),
        3 => Change::Group(dim, s.hostile()),
        4 => Change::Offset(dim, s.bits() >> s.below(64)),
        5 => Change::DynamicLds(if s.one_in(2) { s.hostile() } else { s.below(70_000) }),
        6 if s.one_in(3) => Change::Segment(random_bytes(s.bits(), s.below(600) as usize)),
        6..9 => match base.args.get(arg)? {
            Given::Bytes(bytes) if s.one_in(2) => Change::ValueBit(arg, s.index(8 * bytes.len())),
            Given::Bytes(bytes) if bytes.len() == 4 => Change::Value(arg, s.hostile().to_le_bytes().to_vec()),
            Given::Bytes(bytes) => Change::Value(arg, random_bytes(s.bits(), bytes.len())),
            _ => Change::Pointer(arg, Pointer::Any(wild(s))),
        },
        _ => {
            if !matches!(base.args.get(arg)?, Given::Buffer(_) | Given::Image | Given::Sampler) {
                return None;
            }
            let other = s.index(base.args.len());
            let to = match s.below(8) {
                0 => Pointer::Any(wild(s)),
                1 => Pointer::Near(other, near(s)),
                2..5 => Pointer::End(other, -i64::from(s.below(4096))),
                5 => Pointer::End(other, near(s)),
                6 => Pointer::Code(near(s) * 16),
                _ => Pointer::Top(near(s) * 64),
            };
            Change::Pointer(arg, to)
        }
    })
}

/// An address that is nowhere, or where it should not be.
fn wild(s: &mut Source) -> u64 {
    match s.below(8) {
        0 => s.bits(),
        1 => u64::from(s.hostile()),
        2 => GUEST_LOW.wrapping_add_signed(i64::from(s.below(1024)) - 512),
        3 => 0u64.wrapping_sub(u64::from(s.below(1024))),
        4 => 0x7fff_ffff_ffff - u64::from(s.below(1 << 20)),
        5 => 0x8000_0000_0000u64.wrapping_sub(u64::from(s.below(64))),
        // The apertures of LDS and scratch.
        6 => u64::from(s.range(1, 3)) << 48 | u64::from(s.hostile()),
        _ => GUEST_LOW + u64::from(s.dword() >> s.below(24)),
    }
}
