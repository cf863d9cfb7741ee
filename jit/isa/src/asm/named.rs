//! Immediates with names: `hwreg(...)`, `sendmsg(...)`, counters, `format:`, `dim:`. The names are those of `disasm/names.rs`.

use super::expected;
use super::operand::Reason;
use super::value::integer;
use crate::counters::{self, Counter};
use crate::disasm::{memory, names};
use crate::hwreg::HwReg;
use crate::inst::Enc;
use crate::row::{Imm, Opd, Row};
use crate::target::{Gfx, Space};

/// `name(arguments)`.
fn call<'a>(text: &'a str, name: &str) -> Option<Vec<&'a str>> {
    let inner = text.strip_prefix(name)?.trim_start().strip_prefix('(')?.strip_suffix(')')?;
    Some(super::line::items(inner))
}

/// A number below `limit`, or the number whose name is `text`.
fn number_or_name(text: &str, limit: u32, name: impl Fn(u32) -> bool) -> Option<u32> {
    match integer(text) {
        Some(n) => u32::try_from(n).ok().filter(|n| *n < limit),
        None => (0..limit).find(|&n| name(n)),
    }
}

/// The value of an immediate written by name.
pub(super) fn immediate(target: Gfx, kind: Imm, text: &str) -> Result<u32, Reason> {
    let found = match kind {
        Imm::Hwreg => hwreg(target, text),
        Imm::Sendmsg => message(target, text),
        Imm::Waitcnt => return counters(text, counters::waitcnt(target)),
        Imm::Depctr => return counters(text, counters::depctr(target)),
        Imm::GprIdx => indexed(text),
        Imm::DelayAlu => delay_alu(text),
        Imm::Version => version(text),
        _ => None,
    };
    found.ok_or_else(|| {
        let known =
            if kind == Imm::Hwreg { format!("; known are HW_REG_ and {}", expected::hardware_registers(target)) } else { String::new() };
        format!("expected {}{known}", expected::expected(Opd::K(kind), Enc::SOPK, 32))
    })
}

fn hwreg(target: Gfx, text: &str) -> Option<u32> {
    let args = call(text, "hwreg")?;
    let id =
        number_or_name(args.first()?, 64, |n| HwReg::of(target, n).is_some_and(|r| args[0].strip_prefix("HW_REG_") == Some(r.name())))?;
    let (offset, size) = match args[1..] {
        [] => (0, 32),
        [offset, size] => (integer(offset)?, integer(size)?),
        _ => return None,
    };
    ((0..32).contains(&offset) && (1..=32).contains(&size)).then(|| id | (offset as u32) << 6 | (size as u32 - 1) << 11)
}

fn message(target: Gfx, text: &str) -> Option<u32> {
    let args = call(text, "sendmsg")?;
    let single = target.space() >= Space::Gfx11;
    let limit = if single { 256 } else { 16 };
    let id = number_or_name(args.first()?, limit, |n| names::message(target, n).is_some_and(|m| args[0].strip_prefix("MSG_") == Some(m)))?;
    let op = match args.get(1) {
        None => 0,
        Some(op) => number_or_name(op, 8, |n| match op.strip_prefix("SYSMSG_OP_") {
            Some(name) => names::system_op(target, n) == Some(name),
            None => op.strip_prefix("GS_OP_").is_some_and(|name| names::STREAM_OPS.get(n as usize) == Some(&name)),
        })?,
    };
    let stream = match args.get(2) {
        None => 0,
        Some(stream) => integer(stream).filter(|n| (0..4).contains(n))? as u32,
    };
    (args.len() <= 3 && (!single || op | stream == 0)).then_some(id | op << 4 | stream << 8)
}

/// `gpr_idx(SRC0,DST)`.
fn indexed(text: &str) -> Option<u32> {
    call(text, "gpr_idx")?.iter().filter(|n| !n.is_empty()).try_fold(0, |v, name| {
        let bit = names::INDEXED.iter().position(|n| n == name)?;
        Some(v | 1 << bit)
    })
}

/// `name(value)` chained by blanks, commas or `&`; counters not named do not wait.
fn counters(text: &str, counters: &[Counter]) -> Result<u32, Reason> {
    let mut value = counters.iter().fold(0, |v, c| v | c.bits(c.max()));
    let mut rest = text.trim();
    while !rest.is_empty() {
        let call = rest.split_once('(').and_then(|(name, tail)| Some((name.trim(), tail.split_once(')')?)));
        let Some((written, (number, tail))) = call else { return Err(format!("`{rest}`: expected NAME(NUMBER), such as vmcnt(0)")) };
        let (name, saturate) = written.strip_suffix("_sat").map_or((written, false), |n| (n, true));
        let Some(c) = counters.iter().find(|c| c.name == name) else {
            return Err(format!("`{name}` is not a counter; expected {}", expected::list(counters.iter().map(|c| c.name))));
        };
        let n = integer(number.trim()).and_then(|n| u32::try_from(n).ok()).map(|n| if saturate { n.min(c.max()) } else { n });
        let Some(n) = n.filter(|n| *n <= c.max()) else { return Err(format!("`{name}({number})`: expected 0 to {}", c.max())) };
        value = value & !c.bits(c.max()) | c.bits(n);
        rest = tail.trim_start_matches([' ', ',', '&', '\t']);
    }
    Ok(value)
}

fn delay_alu(text: &str) -> Option<u32> {
    let mut value = 0;
    for part in text.split('|') {
        let part = part.trim();
        let find = |table: &[&str], name: &str| table.iter().position(|n| *n == name).map(|n| n as u32 + 1);
        let id = |args: Vec<&str>| match args[..] {
            ["NO_DEP"] => Some(0),
            [name] => find(&names::DELAY_ID, name),
            _ => None,
        };
        if let Some(args) = call(part, "instid0") {
            value |= id(args)?;
        } else if let Some(args) = call(part, "instid1") {
            value |= id(args)? << 7;
        } else {
            let args = call(part, "instskip")?;
            value |= if args[..] == ["SAME"] { 0 } else { find(&names::DELAY_SKIP, args.first()?)? << 4 };
        }
    }
    Some(value)
}

fn version(text: &str) -> Option<u32> {
    text.split('|').try_fold(0, |value, part| {
        let part = part.trim().trim_matches(['(', ')']);
        let bits = match part.strip_prefix("UC_VERSION_") {
            Some("GFX7") => 0,
            Some("GFX10") => 4,
            Some("GFX11") => 6,
            Some("GFX12") => 9,
            Some("W64_BIT") => 0x2000,
            Some("W32_BIT") => 0x4000,
            Some("MDP_BIT") => 0x8000,
            Some(_) => return None,
            None => integer(part).and_then(|n| u32::try_from(n).ok())?,
        };
        Some(value | bits)
    })
}

/// Export targets.
pub(super) fn export_target(target: Gfx, text: &str) -> Option<u32> {
    let old = target.space() < Space::Gfx11;
    let numbered = |prefix: &str, base: u32, count: u32| {
        let n: u32 = text.strip_prefix(prefix)?.parse().ok()?;
        (n < count).then(|| base + n)
    };
    match text {
        "mrtz" => Some(8),
        "null" if old => Some(9),
        "prim" => Some(20),
        _ => numbered("mrt", 0, 8)
            .or_else(|| numbered("pos", 12, 5))
            .or_else(|| numbered("param", 32, 32).filter(|_| old))
            .or_else(|| numbered("dual_src_blend", 21, 2).filter(|_| !old))
            .or_else(|| numbered("invalid_target_", 0, 64)),
    }
}

/// `SQ_RSRC_IMG_2D`, `2D` or a number.
pub(super) fn dim(text: &str) -> Option<u8> {
    let name = text.strip_prefix("SQ_RSRC_IMG_").unwrap_or(text);
    number_or_name(text, 8, |n| names::DIMS[n as usize] == name).map(|n| n as u8)
}

/// `[BUF_FMT_32_FLOAT]`, before gfx10 `[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]`, or a number.
pub(super) fn format(target: Gfx, text: &str) -> Option<u8> {
    if let Some(n) = integer(text) {
        return u8::try_from(n).ok().filter(|n| *n < 128);
    }
    let list = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
    let position = |table: &[&str], name: &str| table.iter().position(|n| *n == name).map(|n| n as u8);
    let unified: &[&str] = match target.space() {
        Space::Gfx6 | Space::Gfx8 => {
            return list.split(',').try_fold(1, |format, part| {
                let part = part.trim();
                if let Some(name) = part.strip_prefix("BUF_DATA_FORMAT_") {
                    return Some(format & 0x70 | position(&names::DATA_FORMATS, name)?);
                }
                let name = part.strip_prefix("BUF_NUM_FORMAT_")?;
                let name = if name == "SNORM_OGL" { "RESERVED_6" } else { name };
                Some(format & 15 | position(&names::NUMBER_FORMATS, name)? << 4)
            });
        }
        Space::Gfx10 => names::FORMATS_GFX10,
        Space::Gfx11 | Space::Gfx12 => &names::FORMATS,
    };
    position(unified, list.trim().strip_prefix("BUF_FMT_")?)
}

/// `TH_LOAD_NT` or a number.
pub(super) fn temporal_hint(row: &Row, text: &str) -> Option<u8> {
    let kind = memory::hint_kind(row);
    let name = text.strip_prefix("TH_").map_or(text, |t| t.strip_prefix(kind).and_then(|t| t.strip_prefix('_')).unwrap_or(t));
    if let Some(n) = integer(name) {
        return u8::try_from(n).ok().filter(|n| *n < 8);
    }
    let scopes = |th| (0..4).any(|scope| memory::hint_name(kind, th, scope) == Some(name));
    match (kind, name) {
        (_, "RT") => Some(0),
        ("ATOMIC", "RT_RETURN") => Some(1),
        _ => (1..8).find(|&th| scopes(th)),
    }
}

/// `SCOPE_SE`.
pub(super) fn scope(text: &str) -> Option<u8> {
    let name = text.strip_prefix("SCOPE_")?;
    memory::SCOPES.iter().position(|n| *n == name).map(|n| n as u8)
}

/// The pattern of ds_swizzle_b32 by name.
pub(super) fn swizzle(text: &str) -> Option<u32> {
    let args = call(text, "swizzle")?;
    let n = |i: usize, least: i64, most: i64| args.get(i).and_then(|a| integer(a)).filter(|n| (least..=most).contains(n)).map(|n| n as u32);
    let power = |n: u32| n.is_power_of_two().then_some(n);
    match *args.first()? {
        "QUAD_PERM" => (1..5).try_fold(0x8000, |v, i| Some(v | n(i, 0, 3)? << (2 * (i - 1)))),
        "SWAP" => Some(31 | power(n(1, 1, 16)?)? << 10),
        "REVERSE" => Some(31 | (power(n(1, 2, 32)?)? - 1) << 10),
        "BROADCAST" => {
            let group = power(n(1, 2, 32)?)?;
            Some((32 - group) | n(2, 0, i64::from(group) - 1)? << 5)
        }
        "BITMASK_PERM" => {
            let bits = args.get(1)?.strip_prefix('"')?.strip_suffix('"')?;
            (bits.len() == 5).then_some(())?;
            bits.bytes().try_fold(0, |v, b| {
                // and, or, xor bits of one lane number bit.
                let (and, or, xor) = match b {
                    b'0' => (0, 0, 0),
                    b'1' => (0, 1, 0),
                    b'p' => (1, 0, 0),
                    b'i' => (1, 0, 1),
                    _ => return None,
                };
                Some(v << 1 | and | or << 5 | xor << 10)
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_refused() {
        assert_eq!(immediate(Gfx::GFX1100, Imm::Hwreg, "hwreg(1, 0, 32)"), Ok(1 | 31 << 11));
        assert!(immediate(Gfx::GFX1100, Imm::Hwreg, "hwreg(1, 0, 0)").is_err());
        assert!(immediate(Gfx::GFX1100, Imm::Hwreg, "hwreg(1, -1, 1)").is_err());
        assert_eq!(export_target(Gfx::GFX1100, "pos4294967295"), None);
    }
}
