//! What a buffer mnemonic says. Names up to gfx10 count dwords, later ones bits; both are here.

use crate::atomic::AtomicOp;

/// Which part of a register an access uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Part {
    Whole,
    Low,
    High,
}

/// 16-bit data of a format access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum D16 {
    /// 32 bits a component.
    No,
    /// Two components a register, low half first.
    Low,
    /// One component, in the high half.
    High,
}

impl D16 {
    /// Registers of so many components.
    pub fn dwords(self, components: u8, unpacked: bool) -> usize {
        match self {
            D16::Low if !unpacked => usize::from(components).div_ceil(2),
            _ => components.into(),
        }
    }
}

/// What a buffer instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // fields as their types say
pub enum Opcode {
    /// 1 or 2 bytes extend to 32 bits, or to 16 in one half of the register (BUF-05).
    Load {
        bytes: u8,
        signed: bool,
        part: Part,
    },
    Store {
        bytes: u8,
        part: Part,
    },
    /// By the format of the V# or of the instruction (BUF-01).
    LoadFormat {
        components: u8,
        d16: D16,
    },
    StoreFormat {
        components: u8,
        d16: D16,
    },
    /// Operand in the first data registers, comparand behind it (BUF-25).
    Atomic {
        op: AtomicOp,
        wide: bool,
    },
    /// From LDS to memory: a dword a lane (gfx8, gfx9).
    StoreLds,
}

/// The operation of a mnemonic, and whether it loads to LDS.
pub fn parse(name: &str) -> Option<(Opcode, bool)> {
    let (rest, is_typed) = match name.strip_prefix("tbuffer_") {
        Some(rest) => (rest, true),
        None => (name.strip_prefix("buffer_")?, false),
    };
    if let Some(atomic) = rest.strip_prefix("atomic_") {
        return (!is_typed).then(|| atomic_of(atomic)).flatten().map(|o| (o, false));
    }
    if rest == "store_lds_dword" && !is_typed {
        return Some((Opcode::StoreLds, false));
    }
    let (is_load, rest) = match rest.strip_prefix("load_") {
        Some(rest) => (true, rest),
        None => (false, rest.strip_prefix("store_")?),
    };
    let (lds, rest) = match rest.strip_prefix("lds_") {
        Some(rest) if is_load && !is_typed => (true, rest),
        _ => (false, rest),
    };
    if let Some((components, d16)) = format_of(rest) {
        let opcode = if is_load { Opcode::LoadFormat { components, d16 } } else { Opcode::StoreFormat { components, d16 } };
        return Some((opcode, lds));
    }
    let (_, bytes, signed, part) = *DATA.iter().find(|d| d.0 == rest && !is_typed)?;
    Some((if is_load { Opcode::Load { bytes, signed, part } } else { Opcode::Store { bytes, part } }, lds))
}

/// `format_xy`, `format_d16_xy`, `d16_format_xy`, `format_d16_hi_x`, `d16_hi_format_x`.
fn format_of(rest: &str) -> Option<(u8, D16)> {
    let forms = [
        ("format_d16_hi_", D16::High),
        ("d16_hi_format_", D16::High),
        ("format_d16_", D16::Low),
        ("d16_format_", D16::Low),
        ("format_", D16::No),
    ];
    let (tail, d16) = forms.iter().find_map(|(prefix, d16)| Some((rest.strip_prefix(prefix)?, *d16)))?;
    let components = ["x", "xy", "xyz", "xyzw"].iter().position(|c| *c == tail)? as u8 + 1;
    (d16 != D16::High || components == 1).then_some((components, d16))
}

/// Sizes of untyped accesses: name, bytes, sign-extended, part of the register.
#[rustfmt::skip]
const DATA: &[(&str, u8, bool, Part)] = &[
    ("u8",            1, false, Part::Whole), ("ubyte",        1, false, Part::Whole),
    ("i8",            1, true,  Part::Whole), ("sbyte",        1, true,  Part::Whole),
    ("u16",           2, false, Part::Whole), ("ushort",       2, false, Part::Whole),
    ("i16",           2, true,  Part::Whole), ("sshort",       2, true,  Part::Whole),
    ("b8",            1, false, Part::Whole), ("byte",         1, false, Part::Whole),
    ("b16",           2, false, Part::Whole), ("short",        2, false, Part::Whole),
    ("b32",           4, false, Part::Whole), ("dword",        4, false, Part::Whole),
    ("b64",           8, false, Part::Whole), ("dwordx2",      8, false, Part::Whole),
    ("b96",          12, false, Part::Whole), ("dwordx3",     12, false, Part::Whole),
    ("b128",         16, false, Part::Whole), ("dwordx4",     16, false, Part::Whole),
    ("d16_u8",        1, false, Part::Low),   ("ubyte_d16",    1, false, Part::Low),
    ("d16_i8",        1, true,  Part::Low),   ("sbyte_d16",    1, true,  Part::Low),
    ("d16_b16",       2, false, Part::Low),   ("short_d16",    2, false, Part::Low),
    ("d16_hi_u8",     1, false, Part::High),  ("ubyte_d16_hi", 1, false, Part::High),
    ("d16_hi_i8",     1, true,  Part::High),  ("sbyte_d16_hi", 1, true,  Part::High),
    ("d16_hi_b16",    2, false, Part::High),  ("short_d16_hi", 2, false, Part::High),
    ("d16_hi_b8",     1, false, Part::High),  ("byte_d16_hi",  1, false, Part::High),
];

/// Atomics: name up to gfx10 (`_x2` appended for 64 bits), operation.
#[rustfmt::skip]
const ATOMICS_BY_DWORDS: &[(&str, AtomicOp)] = {
    use AtomicOp::*;
    &[
        ("swap", Swap), ("cmpswap", CmpSwap), ("add", Add), ("sub", Sub), ("rsub", RSub), ("smin", SMin), ("umin", UMin), ("smax", SMax),
        ("umax", UMax), ("and", And), ("or", Or), ("xor", Xor), ("inc", Inc), ("dec", Dec), ("csub", CSub), ("fcmpswap", FCmpSwap),
        ("fmin", FMin), ("fmax", FMax),
    ]
};

/// Atomics whose name ends in a type: name, operation, 64 bits.
#[rustfmt::skip]
const ATOMICS_BY_TYPE: &[(&str, AtomicOp, bool)] = {
    use AtomicOp::*;
    &[
        ("swap_b32", Swap, false),       ("swap_b64", Swap, true),       ("cmpswap_b32", CmpSwap, false), ("cmpswap_b64", CmpSwap, true),
        ("add_u32", Add, false),         ("add_u64", Add, true),         ("sub_u32", Sub, false),         ("sub_u64", Sub, true),
        ("min_i32", SMin, false),        ("min_i64", SMin, true),        ("min_u32", UMin, false),        ("min_u64", UMin, true),
        ("max_i32", SMax, false),        ("max_i64", SMax, true),        ("max_u32", UMax, false),        ("max_u64", UMax, true),
        ("and_b32", And, false),         ("and_b64", And, true),         ("or_b32", Or, false),           ("or_b64", Or, true),
        ("xor_b32", Xor, false),         ("xor_b64", Xor, true),         ("inc_u32", Inc, false),         ("inc_u64", Inc, true),
        ("dec_u32", Dec, false),         ("dec_u64", Dec, true),         ("csub_u32", CSub, false),       ("sub_clamp_u32", CSub, false),
        ("cond_sub_u32", CondSub, false),
        ("cmpswap_f32", FCmpSwap, false),
        ("min_f32", FMin, false),        ("min_num_f32", FMin, false),   ("max_f32", FMax, false),        ("max_num_f32", FMax, false),
        ("min_f64", FMin, true),         ("max_f64", FMax, true),        ("add_f32", FAdd, false),        ("add_f64", FAdd, true),
        ("pk_add_f16", PkAddF16, false), ("pk_add_bf16", PkAddBf16, false),
    ]
};

fn atomic_of(name: &str) -> Option<Opcode> {
    if let Some((_, op, wide)) = ATOMICS_BY_TYPE.iter().find(|a| a.0 == name) {
        return Some(Opcode::Atomic { op: *op, wide: *wide });
    }
    let (name, wide) = match name.strip_suffix("_x2") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let (_, op) = ATOMICS_BY_DWORDS.iter().find(|a| a.0 == name)?;
    Some(Opcode::Atomic { op: *op, wide })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_new_names_mean_the_same() {
        for (old, new) in [
            ("buffer_load_dwordx3", "buffer_load_b96"),
            ("buffer_load_sbyte_d16_hi", "buffer_load_d16_hi_i8"),
            ("buffer_store_short_d16_hi", "buffer_store_d16_hi_b16"),
            ("buffer_store_byte", "buffer_store_b8"),
            ("buffer_load_format_d16_xyz", "buffer_load_d16_format_xyz"),
            ("buffer_store_format_d16_hi_x", "buffer_store_d16_hi_format_x"),
            ("buffer_atomic_smax_x2", "buffer_atomic_max_i64"),
            ("buffer_atomic_fcmpswap", "buffer_atomic_cmpswap_f32"),
            ("tbuffer_store_format_d16_xyzw", "tbuffer_store_d16_format_xyzw"),
        ] {
            assert_eq!(parse(old), parse(new), "{old}");
            assert!(parse(old).is_some(), "{old}");
        }
    }

    #[test]
    fn other_names_mean_nothing() {
        for name in
            ["buffer_gl0_inv", "tbuffer_load_dword", "buffer_load_format_d16_hi_xy", "global_load_b32", "buffer_atomic_mul", "buffer_load_"]
        {
            assert_eq!(parse(name), None, "{name}");
        }
    }
}
