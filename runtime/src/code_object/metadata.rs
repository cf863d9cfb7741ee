//! The metadata note: MessagePack maps that describe each kernel and its arguments. LLVM AMDGPUUsage, "Code Object Metadata".

use super::LoadError;
use super::error::reserved;
use super::msgpack::{Elements, Value};
use std::fmt;

/// Fewest bytes of a kernel and of an argument in the note: their keys that must be there.
const LEAST_KERNEL_BYTES: usize = ".name".len() + ".symbol".len();
const LEAST_ARG_BYTES: usize = ".value_kind".len() + ".size".len() + ".offset".len();

/// What an argument is, and so who fills it in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgKind {
    /// Bytes copied into the segment.
    ByValue,
    /// A 64-bit global pointer.
    GlobalBuffer,
    /// A 32-bit LDS offset; the caller says how many bytes it wants there.
    DynamicSharedPointer,
    /// A 64-bit pointer to a sampler descriptor.
    Sampler,
    /// A 64-bit pointer to an image descriptor.
    Image,
    /// A 64-bit pointer to a pipe.
    Pipe,
    /// A 64-bit pointer to a device queue.
    Queue,
    /// Filled in by the run time.
    Hidden(HiddenArg),
}

/// An argument that the run time fills in. Names: LLVM AMDGPUUsage, `.value_kind`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum HiddenArg {
    /// Workgroups in dimension 0, 1, 2, partial ones not counted.
    BlockCount(u8),
    /// Work-items of a full workgroup.
    GroupSize(u8),
    /// Work-items of the partial workgroup, or 0.
    Remainder(u8),
    /// OpenCL global offset.
    GlobalOffset(u8),
    GridDims,
    PrintfBuffer,
    HostcallBuffer,
    MultigridSync,
    Heap,
    DefaultQueue,
    CompletionAction,
    /// LDS added at launch, in bytes.
    DynamicLdsSize,
    /// High half of the scratch aperture.
    PrivateBase,
    /// High half of the LDS aperture.
    SharedBase,
    QueuePtr,
    /// A hole.
    None,
}

#[rustfmt::skip]
const KINDS: &[(&str, ArgKind)] = {
    use ArgKind::*;
    use HiddenArg::*;
    &[
        ("by_value", ByValue), ("global_buffer", GlobalBuffer), ("dynamic_shared_pointer", DynamicSharedPointer), ("sampler", Sampler),
        ("image", Image), ("pipe", Pipe), ("queue", Queue),
        ("hidden_block_count_x", Hidden(BlockCount(0))), ("hidden_block_count_y", Hidden(BlockCount(1))), ("hidden_block_count_z", Hidden(BlockCount(2))),
        ("hidden_group_size_x", Hidden(GroupSize(0))), ("hidden_group_size_y", Hidden(GroupSize(1))), ("hidden_group_size_z", Hidden(GroupSize(2))),
        ("hidden_remainder_x", Hidden(Remainder(0))), ("hidden_remainder_y", Hidden(Remainder(1))), ("hidden_remainder_z", Hidden(Remainder(2))),
        ("hidden_global_offset_x", Hidden(GlobalOffset(0))), ("hidden_global_offset_y", Hidden(GlobalOffset(1))), ("hidden_global_offset_z", Hidden(GlobalOffset(2))),
        ("hidden_grid_dims", Hidden(GridDims)), ("hidden_printf_buffer", Hidden(PrintfBuffer)), ("hidden_hostcall_buffer", Hidden(HostcallBuffer)),
        ("hidden_multigrid_sync_arg", Hidden(MultigridSync)), ("hidden_heap_v1", Hidden(Heap)), ("hidden_default_queue", Hidden(DefaultQueue)),
        ("hidden_completion_action", Hidden(CompletionAction)), ("hidden_dynamic_lds_size", Hidden(DynamicLdsSize)),
        ("hidden_private_base", Hidden(PrivateBase)), ("hidden_shared_base", Hidden(SharedBase)), ("hidden_queue_ptr", Hidden(QueuePtr)),
        ("hidden_none", Hidden(None)),
    ]
};

impl ArgKind {
    /// The kind of a `.value_kind`.
    pub fn from_name(name: &str) -> Option<ArgKind> {
        KINDS.iter().find(|k| k.0 == name).map(|k| k.1)
    }

    /// Its `.value_kind`.
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|k| k.1 == self).map_or("unknown", |k| k.0)
    }

    /// Filled in by the run time?
    pub fn is_hidden(self) -> bool {
        matches!(self, ArgKind::Hidden(_))
    }
}

impl fmt::Display for ArgKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One kernel argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelArg {
    /// Name in the source, if the compiler kept it.
    pub name: Option<String>,
    /// Type in the source, if the compiler kept it.
    pub type_name: Option<String>,
    /// What it is.
    pub kind: ArgKind,
    /// Bytes in the argument segment.
    pub bytes: u32,
    /// Offset in the argument segment.
    pub offset: u32,
    /// `global`, `local`, `constant`, ...
    pub address_space: Option<String>,
    /// Alignment of what a dynamic LDS pointer points to.
    pub pointee_align: Option<u32>,
    /// `read_only`, `write_only`, `read_write`; what the kernel does, else what its type allows.
    pub access: Option<String>,
    /// Points to constant data.
    pub is_const: bool,
}

/// What the metadata says about a kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct KernelMetadata {
    pub name: String,
    /// Symbol of the kernel descriptor.
    pub symbol: String,
    pub args: Vec<KernelArg>,
    pub kernarg_bytes: u32,
    pub kernarg_align: u32,
    pub lds_bytes: u32,
    pub scratch_bytes: u32,
    pub sgprs: Option<u32>,
    pub vgprs: Option<u32>,
    pub agprs: Option<u32>,
    pub sgpr_spills: u32,
    pub vgpr_spills: u32,
    pub max_group_work_items: Option<u32>,
    pub required_group: Option<[u32; 3]>,
    pub wave_size: Option<u32>,
    pub uses_dynamic_stack: bool,
    pub wgp_mode: Option<bool>,
    pub language: Option<String>,
}

/// The whole note.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Metadata {
    pub kernels: Vec<KernelMetadata>,
    /// `amdhsa.target`.
    pub target: Option<String>,
    /// `amdhsa.printf`: formats of printf, as the compiler numbers them.
    pub formats: Vec<String>,
}

impl Metadata {
    pub(super) fn parse(bytes: &[u8]) -> Result<Metadata, LoadError> {
        let root = Value::read(bytes).map_err(|e| LoadError::malformed(format!("metadata note: expected MessagePack: {e}")))?;
        let root = Map::new(root, "metadata".to_string())?;
        let mut kernels = Vec::new();
        if let Some(list) = root.list("amdhsa.kernels")? {
            kernels = reserved(list.clone().count().min(list.bytes_left() / LEAST_KERNEL_BYTES), "kernels")?;
            for (i, k) in list.enumerate() {
                kernels.push(kernel(Map::new(k, format!("metadata of kernel {i}"))?)?);
            }
        }
        let mut formats = Vec::new();
        if let Some(list) = root.list("amdhsa.printf")? {
            formats = reserved(list.clone().count().min(list.bytes_left()), "formats of printf")?;
            for text in list {
                formats.push(text.as_str().ok_or_else(|| root.wrong("amdhsa.printf", "a list of strings"))?.to_string());
            }
        }
        Ok(Metadata { kernels, target: root.string("amdhsa.target")?, formats })
    }
}

fn kernel(map: Map) -> Result<KernelMetadata, LoadError> {
    let name = map.need_string(".name")?;
    let map = &Map { what: format!("metadata of kernel `{name}`"), ..map };
    let mut args = Vec::new();
    if let Some(list) = map.list(".args")? {
        args = reserved(list.clone().count().min(list.bytes_left() / LEAST_ARG_BYTES), "arguments of a kernel")?;
        for (i, a) in list.enumerate() {
            args.push(arg(&Map::new(a, format!("{}, argument {i}", map.what))?)?);
        }
    }
    let required_group = match map.list(".reqd_workgroup_size")?.map(|l| Vec::from_iter(l.take(4))).as_deref() {
        None => None,
        Some([x, y, z]) => Some([x, y, z].map(|n| n.as_u64().map_or(0, |n| n.min(u64::from(u32::MAX)) as u32))),
        Some(_) => return Err(map.wrong(".reqd_workgroup_size", "a list of three numbers")),
    };
    Ok(KernelMetadata {
        symbol: map.need_string(".symbol")?,
        args,
        kernarg_bytes: map.number(".kernarg_segment_size")?.unwrap_or(0),
        kernarg_align: map.number(".kernarg_segment_align")?.unwrap_or(8),
        lds_bytes: map.number(".group_segment_fixed_size")?.unwrap_or(0),
        scratch_bytes: map.number(".private_segment_fixed_size")?.unwrap_or(0),
        sgprs: map.number(".sgpr_count")?,
        vgprs: map.number(".vgpr_count")?,
        agprs: map.number(".agpr_count")?,
        sgpr_spills: map.number(".sgpr_spill_count")?.unwrap_or(0),
        vgpr_spills: map.number(".vgpr_spill_count")?.unwrap_or(0),
        max_group_work_items: map.number(".max_flat_workgroup_size")?,
        required_group,
        wave_size: map.number(".wavefront_size")?,
        uses_dynamic_stack: map.flag(".uses_dynamic_stack")?,
        wgp_mode: map.get(".workgroup_processor_mode").and_then(|v| v.as_bool().or_else(|| v.as_u64().map(|n| n != 0))),
        language: map.string(".language")?,
        name,
    })
}

fn arg(map: &Map) -> Result<KernelArg, LoadError> {
    let kind = map.need_string(".value_kind")?;
    let kind = match ArgKind::from_name(&kind) {
        Some(kind) => kind,
        None => return Err(LoadError::unsupported(format!("{}: .value_kind `{kind}` is not known", map.what))),
    };
    let need = |key: &str| map.number(key)?.ok_or_else(|| map.wrong(key, "a number"));
    Ok(KernelArg {
        name: map.string(".name")?,
        type_name: map.string(".type_name")?,
        kind,
        bytes: need(".size")?,
        offset: need(".offset")?,
        address_space: map.string(".address_space")?,
        pointee_align: map.number(".pointee_align")?,
        access: map.string(".actual_access")?.or(map.string(".access")?),
        is_const: map.flag(".is_const")?,
    })
}

/// A MessagePack map with the name it goes by in messages.
struct Map<'a> {
    entries: Elements<'a>,
    what: String,
}

impl<'a> Map<'a> {
    fn new(value: Value<'a>, what: String) -> Result<Map<'a>, LoadError> {
        match value.as_map() {
            Some(entries) => Ok(Map { entries, what }),
            None => Err(LoadError::malformed(format!("{what}: expected a map"))),
        }
    }

    /// The value of a key; of its first one, should there be several.
    fn get(&self, key: &str) -> Option<Value<'a>> {
        let mut entries = self.entries.clone();
        loop {
            let (found, value) = (entries.next()?, entries.next()?);
            if found.as_str() == Some(key) {
                return Some(value);
            }
        }
    }

    fn wrong(&self, key: &str, expected: &str) -> LoadError {
        let found = self.get(key).map_or("nothing".to_string(), |v| v.to_string());
        LoadError::malformed(format!("{}: expected `{key}` to be {expected}, found {found}", self.what))
    }

    fn list(&self, key: &str) -> Result<Option<Elements<'a>>, LoadError> {
        self.get(key).map(|v| v.as_array().ok_or_else(|| self.wrong(key, "a list"))).transpose()
    }

    fn string(&self, key: &str) -> Result<Option<String>, LoadError> {
        self.get(key).map(|v| v.as_str().map(str::to_string).ok_or_else(|| self.wrong(key, "a string"))).transpose()
    }

    fn need_string(&self, key: &str) -> Result<String, LoadError> {
        self.string(key)?.ok_or_else(|| self.wrong(key, "a string"))
    }

    fn number(&self, key: &str) -> Result<Option<u32>, LoadError> {
        let read = |v: Value| v.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(|| self.wrong(key, "a 32-bit number"));
        self.get(key).map(read).transpose()
    }

    fn flag(&self, key: &str) -> Result<bool, LoadError> {
        self.get(key).map_or(Ok(false), |v| v.as_bool().ok_or_else(|| self.wrong(key, "true or false")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(s: &str) -> Vec<u8> {
        assert!(s.len() < 32);
        [&[0xa0 | s.len() as u8], s.as_bytes()].concat()
    }

    fn list(items: &[Vec<u8>]) -> Vec<u8> {
        [vec![0x90 | items.len() as u8], items.concat()].concat()
    }

    fn map(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let body = entries.iter().flat_map(|(k, v)| [text(k), v.clone()].concat());
        std::iter::once(0x80 | entries.len() as u8).chain(body).collect()
    }

    #[test]
    fn kinds_have_one_name_each() {
        for (name, kind) in KINDS {
            assert_eq!(ArgKind::from_name(name), Some(*kind));
            assert_eq!(kind.name(), *name);
        }
    }

    #[test]
    fn unknown_keys_are_ignored_and_wrong_types_are_named() {
        const TRUE: u8 = 0xc3;
        let arg =
            |offset: Vec<u8>| map(&[(".value_kind", text("by_value")), (".size", vec![4]), (".offset", offset), (".new", vec![TRUE])]);
        let kernel = |arg: Vec<u8>| map(&[(".name", text("k")), (".symbol", text("k.kd")), (".args", list(&[arg]))]);
        let root = |k: Vec<u8>| map(&[("amdhsa.kernels", list(&[k]))]);
        let message = Metadata::parse(&root(kernel(arg(text("x"))))).unwrap_err().to_string();
        assert!(message.contains("kernel `k`, argument 0") && message.contains(".offset") && message.contains("\"x\""), "{message}");
        assert_eq!(Metadata::parse(&root(kernel(arg(vec![8])))).unwrap().kernels[0].args[0].offset, 8);
    }

    #[test]
    fn nesting_is_no_way_to_overflow_the_stack() {
        let mut bytes = vec![0x91; 1_000_000];
        bytes.push(0);
        assert!(Metadata::parse(&bytes).is_err());
        assert!(Metadata::parse(&map(&[("other", bytes)])).unwrap().kernels.is_empty());
    }

    #[test]
    fn claimed_lengths_reserve_nothing() {
        // A list that claims 2^32 - 1 kernels, and one of a million that are none.
        let claims = map(&[("amdhsa.kernels", vec![0xdd, 0xff, 0xff, 0xff, 0xff])]);
        assert!(Metadata::parse(&claims).is_err());
        let mut many = vec![0xdd, 0, 0x0f, 0x42, 0x40];
        many.resize(many.len() + 1_000_000, 0xc0);
        assert!(Metadata::parse(&map(&[("amdhsa.kernels", many)])).unwrap_err().to_string().contains("kernel 0"));
    }
}
