//! What graphics stages use and compute waves may run: interpolation of attributes that stand in VGPRs (VINTERP), attributes and a dword of
//! LDS, and exports, which of a compute wave go nowhere (RDNA3 ISA, VINTERP, LDSDIR and EXP; numerics.md section 14; graphics.md section 4;
//! requirements.md STATE-14).

use super::cx::{Arg, Cx};
use super::types::*;
use wavejit_ir::PureOp::*;
use wavejit_ir::abi::ExportKind;
use wavejit_ir::{Addr, FpMode, MemKind, Op, SReg, Space, Ty, Value};
use wavejit_isa::{Half, Operand};

/// A source as f32: its own in every lane or, with `quad_lane`, that of one lane of its quad, active or not; then neg.
fn source(c: &mut Cx, arg: Arg, quad_lane: Option<u32>) -> Value {
    let i = arg.source;
    let Operand::Vgpr { n, half, .. } = arg.op else {
        c.unsupported("VGPR expected");
        return c.b.const32(0);
    };
    let demand = if quad_lane.is_some() { None } else { Some(c.exec()) };
    let mut v = c.vread(n, Half::Whole, B32, demand);
    if let Some(from) = quad_lane {
        let table = c.b.func.table(std::array::from_fn(|lane| lane as u32 & !3 | from));
        let index = c.b.push(Op::LaneTable(table), &[Ty::L32]);
        v = c.b.push(Op::Shuffle { value: v, index }, &[Ty::L32]);
    }
    if arg.t == F16 {
        if half == Half::Hi || c.inst.mods.op_sel >> i & 1 != 0 {
            v = c.high_half(v);
        }
        v = c.b.pure1(CvtF32F16, v);
    }
    if c.inst.mods.neg >> i & 1 != 0 {
        let sign = c.b.const32(0x8000_0000);
        v = c.b.pure2(Xor32, v, sign);
    }
    v
}
/// v_interp_p10_*: P10 of the quad's lane 1 times the coordinate, plus P0 of its lane 0.
pub(super) fn p10(c: &mut Cx, d: Arg, s: [Arg; 3], to_zero: bool) {
    interpolate(c, d, s, [Some(1), None, Some(0)], to_zero);
}
/// v_interp_p2_*: P20 of the quad's lane 2 times the coordinate, plus what v_interp_p10 gave.
pub(super) fn p2(c: &mut Cx, d: Arg, s: [Arg; 3], to_zero: bool) {
    interpolate(c, d, s, [Some(2), None, None], to_zero);
}
/// One rounding in f32, another one for an f16 result; `to_zero` overrides the mode's.
fn interpolate(c: &mut Cx, d: Arg, s: [Arg; 3], quad_lanes: [Option<u32>; 3], to_zero: bool) {
    let mode = c.b.mode;
    if to_zero {
        c.b.mode = FpMode(mode.0 | 0xf);
    }
    let [x, y, z] = [0, 1, 2].map(|i| source(c, s[i], quad_lanes[i]));
    let mut v = c.b.pure3(FFma32, x, y, z);
    if d.t == F16 {
        v = c.b.pure1(CvtF16F32, v);
    }
    v = c.output_mods(v, d.t);
    c.b.mode = mode;
    let exec = c.exec();
    c.write_lanes(d, v, exec);
}

/// lds_direct_load: the byte, half or dword at M0\[15:0\] for every lane; M0\[18:16\] says which: 0 u8, 1 u16, 2 dword, 4 i8, 5 i16.
pub(super) fn direct_load(c: &mut Cx, d: Arg) {
    let exec = c.exec();
    let m0 = c.b.sget(SReg::M0);
    let bits = |c: &mut Cx, shift: u32, mask: u32| {
        let n = c.b.const32(shift);
        let v = c.b.pure2(LShr32, m0, n);
        let m = c.b.const32(mask);
        c.b.pure2(And32, v, m)
    };
    let (at, byte, kind) = (bits(c, 0, 0xfffc), bits(c, 0, 3), bits(c, 16, 7));
    let addr = Addr { base: None, offset: Some(c.as_lane(at)), imm: 0 };
    let dword = c.b.load(Space::Lds, MemKind::B32, addr, exec);
    let (three, one, zero, eight, sixteen) = (c.b.const32(3), c.b.const32(1), c.b.const32(0), c.b.const32(8), c.b.const32(16));
    let size = c.b.pure2(And32, kind, three);
    let (is_byte, is_half) = (c.b.pure2(ICmpEq32, size, zero), c.b.pure2(ICmpEq32, size, one));
    let is_small = c.b.pure2(BOr, is_byte, is_half);
    let width = c.b.pure3(Sel32, is_byte, eight, sixteen);
    let start = c.b.pure2(Shl32, byte, three);
    let is_signed = c.b.pure2(ICmpUgt32, kind, three);
    let (unsigned, signed) = (c.b.pure3(BfeU32, dword, start, width), c.b.pure3(BfeI32, dword, start, width));
    let small = c.b.pure3(Sel32, is_signed, signed, unsigned);
    let v = c.b.pure3(Sel32, is_small, small, dword);
    c.write_lanes(d, v, exec);
}

/// lds_param_load: of an attribute's channel P0, P10 and P20 for lanes 0, 1 and 2 of each quad, and 0 for lane 3. A quad with an active lane gets
/// all four. M0 is {which quads begin another primitive\[30:16\], byte address\[15:0\]}; bit 15 + q is that of quad q. Attributes stand as
/// `attribute[primitive][point][channel]`: 48 bytes for each primitive of the wave.
pub(super) fn param_load(c: &mut Cx, d: Arg, attr: Arg) {
    let Operand::Imm(attr) = attr.op else {
        return c.unsupported("attribute expected");
    };
    let exec = c.exec();
    let bits = c.b.push(Op::MaskBits(exec), &[Ty::S64]);
    let quads = c.b.pure1(Wqm64, bits);
    let quads = c.b.push(Op::BitsMask(quads), &[Ty::MASK]);
    let m0 = c.b.sget(SReg::M0);
    let (n15, starts, start) = (c.b.const32(15), c.b.const32(0xfffe), c.b.const32(0xffff));
    let begins = c.b.pure2(LShr32, m0, n15);
    let begins = c.b.pure2(And32, begins, starts);
    let base = c.b.pure2(And32, m0, start);
    // Bytes of an attribute, and of the primitives before each quad's.
    let (one, size) = (c.b.const32(1), c.b.const32(48));
    let count = c.b.pure1(Popcnt32, begins);
    let count = c.b.pure2(IAdd32, count, one);
    let stride = c.b.pure2(IMul32, count, size);
    let number = c.b.const32(attr >> 2);
    let base = {
        let before = c.b.pure2(IMul32, stride, number);
        c.b.pure2(IAdd32, base, before)
    };
    let up_to = c.b.func.table(std::array::from_fn(|lane| (2 << (lane / 4)) - 1));
    let up_to = c.b.push(Op::LaneTable(up_to), &[Ty::L32]);
    let begins = c.as_lane(begins);
    let before = c.b.pure2(And32, begins, up_to);
    let before = c.b.pure1(Popcnt32, before);
    let size = c.as_lane(size);
    let primitive = c.b.pure2(IMul32, before, size);
    let point = c.b.func.table(std::array::from_fn(|lane| (lane as u32 & 3) * 16));
    let point = c.b.push(Op::LaneTable(point), &[Ty::L32]);
    let offset = c.b.pure2(IAdd32, primitive, point);
    let base = c.as_lane(base);
    let offset = c.b.pure2(IAdd32, offset, base);
    let three = c.b.func.table(std::array::from_fn(|lane| u32::from(lane & 3 != 3)));
    let three = c.b.push(Op::LaneTable(three), &[Ty::L32]);
    let zero = c.b.const32(0);
    let zero = c.as_lane(zero);
    let is_point = c.b.pure2(ICmpNe32, three, zero);
    let loads = c.b.pure2(BAnd, quads, is_point);
    let addr = Addr { base: None, offset: Some(offset), imm: i64::from(attr & 3) * 4 };
    let v = c.b.load(Space::Lds, MemKind::B32, addr, loads);
    let v = c.b.pure3(Sel32, is_point, v, zero);
    c.write_lanes(d, v, quads);
}

/// exp: hands the enabled components to the run time, with EXEC. M0 only where it names a row.
pub(super) fn exp(c: &mut Cx, target: Arg, components: [Arg; 4]) {
    let Operand::Imm(target) = target.op else {
        return c.unsupported("a target expected");
    };
    let mods = &c.inst.mods;
    let flag = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
    let flags = flag(mods.done, ExportKind::DONE)
        | flag(mods.row_en, ExportKind::ROW)
        | flag(mods.compr, ExportKind::COMPRESSED)
        | flag(mods.vm, ExportKind::VALID_MASK);
    let kind = ExportKind::new(target as u8, mods.en, flags);
    // Where two halves are in a dword, each of the first two registers is shown twice.
    let registers: Vec<u16> = (0..4)
        .filter(|i| kind.dwords() >> i & 1 != 0)
        .filter_map(|i| {
            let shown = if kind.is_compressed() { &components[2 * i..2 * i + 2] } else { &components[i..=i] };
            shown.iter().find_map(|arg| if let Operand::Vgpr { n, .. } = arg.op { Some(n) } else { None })
        })
        .collect();
    let exec = c.exec();
    // Two sources of a pixel's blending stand in a pair of lanes: the partner counts whether it is active or not.
    let demand = (!matches!(target, 21 | 22)).then_some(exec);
    let mut args = vec![];
    if kind.has_row() {
        args.push(c.b.sget(SReg::M0));
    }
    for n in registers {
        args.push(c.vread(n, Half::Whole, B32, demand));
    }
    c.b.push(Op::Export { kind: kind.0, exec, args: args.into() }, &[]);
}
