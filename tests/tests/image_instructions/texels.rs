//! Loads, stores, atomics and resinfo, each lane on a texel of its own.

use crate::scene::{ADDRESS, Lanes, Picture, check, check_words, set};
use half::{bf16, f16};
use wavejit::ImageFormat;
use wavejit_isa::Gfx;
use wavejit_tests::machine::Machine;

const SIZE: u32 = 8;
/// Lanes that do something.
const ACTIVE: usize = 4;

/// Level and place of a lane's texel; instructions with a level use both.
fn place(lane: usize, has_level: bool) -> (u32, [u32; 2]) {
    let level = if has_level { lane as u32 & 1 } else { 0 };
    (level, [lane as u32 & 3, 3 - (lane as u32 & 3)])
}

fn set_address(m: &mut Machine, has_level: bool) -> usize {
    let component = |n: usize| -> Lanes {
        std::array::from_fn(|lane| {
            let (level, at) = place(lane, has_level);
            [at[0], at[1], level][n]
        })
    };
    let count = 2 + usize::from(has_level);
    (0..count).for_each(|n| set(m, ADDRESS + n, &component(n)));
    count
}

fn text(name: &str, data: &str, target: Gfx, addresses: usize, modifiers: &str) -> String {
    let addresses = crate::addresses(target, addresses, crate::AddressKind::Texel);
    format!("{name} {data}, {addresses}, s[8:15] {modifiers}{}{}", crate::dim(target), crate::unorm(target))
}

/// Red of every texel is another byte of its own, green to alpha are the same everywhere.
fn texel(level: u32, [x, y]: [u32; 2], _: u32) -> u32 {
    0x7f22_4500 | (0x81 + x + 8 * y + 7 * level)
}

/// GCN-15: loads convert, `_pck` gives the dword, `_pck_sgn` a channel, sign-extended.
pub(crate) fn run_load(name: &str, target: Gfx) -> Result<(), String> {
    let has_level = name.contains("_mip");
    let picture = Picture::new(target, ImageFormat::Rgba8Snorm, SIZE, 2, 1);
    let mut start = picture.machine(target, ACTIVE);
    picture.fill(&mut start, texel);
    let addresses = set_address(&mut start, has_level);
    let mut expected = start.clone();
    for lane in 0..ACTIVE {
        let (level, at) = place(lane, has_level);
        let red = texel(level, at, 0) as i8;
        expected.vgpr_mut(0)[lane] = match name {
            _ if name.ends_with("_pck_sgn") => i32::from(red) as u32,
            _ if name.ends_with("_pck") => texel(level, at, 0),
            _ => (f32::from(red) / 127.0).max(-1.0).to_bits(),
        };
    }
    check(&text(name, "v0", target, addresses, "dmask:0x1"), target, &start, &expected)
}

/// GCN-16: stores convert, `_pck` stores the dword.
pub(crate) fn run_store(name: &str, target: Gfx) -> Result<(), String> {
    let (has_level, raw) = (name.contains("_mip"), name.ends_with("_pck"));
    let picture = Picture::new(target, ImageFormat::Rgba8Snorm, SIZE, 2, 1);
    let mut start = picture.machine(target, ACTIVE);
    picture.fill(&mut start, texel);
    let addresses = set_address(&mut start, has_level);
    let value = |lane: usize| if raw { 0x1234_5670 + lane as u32 } else { 0x817f_0000 | 0x7f00 | [0x7f, 0x81, 0, 0x7f][lane] };
    let float = |byte: u32| (f32::from(byte as u8 as i8) / 127.0).to_bits();
    for n in 0..4 {
        let of_lane = |lane: usize| if raw { value(lane & 3) } else { float(value(lane & 3) >> (8 * n)) };
        set(&mut start, n, &std::array::from_fn(of_lane));
    }
    let mut expected = start.clone();
    for lane in 0..ACTIVE {
        let (level, at) = place(lane, has_level);
        *picture.texel(&mut expected, level, at, 0) = value(lane);
    }
    let (data, mask) = if raw { ("v0", "dmask:0x1") } else { ("v[0:3]", "dmask:0xf") };
    check(&text(name, data, target, addresses, mask), target, &start, &expected)
}

/// IMG-31: width, height, depth and levels of a level.
pub(crate) fn run_resinfo(name: &str, target: Gfx) -> Result<(), String> {
    let picture = Picture::new(target, ImageFormat::R32Float, SIZE, 2, 1);
    let mut start = picture.machine(target, ACTIVE);
    set(&mut start, ADDRESS, &std::array::from_fn(|lane| lane as u32 & 1));
    let mut expected = start.clone();
    for lane in 0..ACTIVE {
        let size = SIZE >> (lane & 1);
        (0..4).for_each(|n| expected.vgpr_mut(n)[lane] = [size, size, 1, 2][n]);
    }
    check(&text(name, "v[0:3]", target, 1, "dmask:0xf"), target, &start, &expected)
}

/// Texel, operand and comparand of each lane, by what the bits are.
const INTEGERS: [[u32; 3]; ACTIVE] = [[5, 3, 5], [0xffff_fffe, 4, 9], [7, 7, 7], [0, 9, 1]];
const FLOATS: [[f32; 3]; ACTIVE] = [[1.5, -2.0, 1.5], [0.25, 8.0, 0.5], [-3.0, -3.5, -3.0], [-0.0, 4.0, 0.0]];

/// GCN-07, GCN-08, GCN-18, GCN-19: what an atomic leaves in a texel.
fn combine(name: &str, old: u32, value: u32, comparand: u32) -> Option<u32> {
    let (float, signed) = (f32::from_bits, |x: u32| x as i32);
    let halves = |add: fn(u16, u16) -> u16| {
        u32::from(add(old as u16, value as u16)) | u32::from(add((old >> 16) as u16, (value >> 16) as u16)) << 16
    };
    Some(match name {
        "swap" => value,
        "cmpswap" => {
            if old == comparand {
                value
            } else {
                old
            }
        }
        "fcmpswap" => {
            if float(old) == float(comparand) {
                value
            } else {
                old
            }
        }
        "add" | "add_uint" => old.wrapping_add(value),
        "sub" | "sub_uint" => old.wrapping_sub(value),
        "rsub" => value.wrapping_sub(old),
        "smin" | "min_int" => signed(old).min(signed(value)) as u32,
        "smax" | "max_int" => signed(old).max(signed(value)) as u32,
        "umin" | "min_uint" => old.min(value),
        "umax" | "max_uint" => old.max(value),
        "and" => old & value,
        "or" => old | value,
        "xor" => old ^ value,
        "inc" | "inc_uint" => {
            if old >= value {
                0
            } else {
                old + 1
            }
        }
        "dec" | "dec_uint" => {
            if old == 0 || old > value {
                value
            } else {
                old - 1
            }
        }
        "fmin" | "min_flt" | "min_num_flt" => float(old).min(float(value)).to_bits(),
        "fmax" | "max_flt" | "max_num_flt" => float(old).max(float(value)).to_bits(),
        "add_flt" => (float(old) + float(value)).to_bits(),
        "pk_add_f16" => halves(|a, b| f16::from_f32(f16::from_bits(a).to_f32() + f16::from_bits(b).to_f32()).to_bits()),
        "pk_add_bf16" => halves(|a, b| bf16::from_f32(bf16::from_bits(a).to_f32() + bf16::from_bits(b).to_f32()).to_bits()),
        _ => return None,
    })
}

/// Texel, operand, comparand of a lane.
fn operands(name: &str, lane: usize) -> [u32; 3] {
    let packed = |make: fn(f32) -> u16| FLOATS[lane].map(|f| u32::from(make(f)) | u32::from(make(0.5 * f)) << 16);
    match name {
        "pk_add_f16" => packed(|f| f16::from_f32(f).to_bits()),
        "pk_add_bf16" => packed(|f| bf16::from_f32(f).to_bits()),
        _ if name.contains("flt") || name.starts_with('f') => FLOATS[lane].map(f32::to_bits),
        _ => INTEGERS[lane],
    }
}

/// Start and end of an atomic that returns what was there: operand in v0, comparand in v1.
fn atomic(name: &str, picture: &Picture, target: Gfx) -> Option<(Machine, Machine)> {
    let mut start = picture.machine(target, ACTIVE);
    for lane in 0..ACTIVE {
        *picture.texel(&mut start, 0, place(lane, false).1, 0) = operands(name, lane)[0];
        start.vgpr_mut(0)[lane] = operands(name, lane)[1];
        start.vgpr_mut(1)[lane] = operands(name, lane)[2];
    }
    set_address(&mut start, false);
    let mut expected = start.clone();
    for lane in 0..ACTIVE {
        let [old, value, comparand] = operands(name, lane);
        *picture.texel(&mut expected, 0, place(lane, false).1, 0) = combine(name, old, value, comparand)?;
        expected.vgpr_mut(0)[lane] = old;
    }
    Some((start, expected))
}

/// `image_atomic_*` that returns what was there.
pub(crate) fn run_atomic(name: &str, target: Gfx) -> Result<(), String> {
    let op = name.strip_prefix("image_atomic_").ok_or("no atomic")?;
    let picture = Picture::new(target, ImageFormat::R32Uint, SIZE, 1, 1);
    let (start, expected) = atomic(op, &picture, target).ok_or("the test knows no such atomic")?;
    let (data, mask) = if op.ends_with("cmpswap") { ("v[0:1]", "dmask:0x3") } else { ("v0", "dmask:0x1") };
    let returns = if target.0 >= 0x1200 { "th:TH_ATOMIC_RETURN" } else { "glc" };
    check(&text(name, data, target, 2, &format!("{mask} {returns}")), target, &start, &expected)
}

/// GCN-07, GCN-08, GCN-09: atomics by number, as LLVM numbers them. 21 is the unsigned minimum and 22 the signed maximum.
#[test]
fn numbers_of_atomics_mean_what_llvm_says() {
    let common = [(20, "smin"), (21, "umin"), (22, "smax"), (23, "umax"), (24, "and"), (25, "or"), (26, "xor"), (27, "inc"), (28, "dec")];
    let old = [(15, "swap"), (17, "add"), (18, "sub"), (19, "rsub"), (30, "fmin"), (31, "fmax")];
    let new = [(16, "swap"), (18, "add"), (19, "sub")];
    for (processor, own) in [(0x600, &old[..]), (0x704, &old[..3]), (0x803, &new[..])] {
        let target = Gfx(processor);
        let picture = Picture::new(target, ImageFormat::R32Uint, SIZE, 1, 1);
        for (number, name) in common.iter().chain(own) {
            let (start, expected) = atomic(name, &picture, target).expect("the test knows it");
            // ENC, OP, GLC, UNORM, DMASK 1; SRSRC s[8:15], VDATA v0, VADDR v32.
            let words = [0x3c << 26 | number << 18 | 1 << 13 | 1 << 12 | 1 << 8, 2 << 16 | 32];
            check_words(&words, target, &start, &expected).unwrap_or_else(|e| panic!("{target} {number} {name}: {e}"));
        }
    }
}
