//! Everything the encoder makes, decoded by iced-x86 and compared.

use iced_x86::{Decoder, DecoderOptions, Formatter, Instruction, NasmFormatter, OpKind, Register};
use wavejit_random::Random;
use wavejit_x86::table::{Forms, Map, Tuple};
use wavejit_x86::{Alu, Asm, Base, Cond, Gpr, Index, Len, Mem, Op, Rm, Shift, Size, Vector};

fn decode(bytes: &[u8]) -> Instruction {
    let i = Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE).decode();
    assert!(!i.is_invalid() && i.len() == bytes.len(), "{bytes:02x?}: {}", text(&i));
    i
}

fn text(i: &Instruction) -> String {
    let mut s = String::new();
    let mut f = NasmFormatter::new();
    f.options_mut().set_space_after_operand_separator(true);
    f.options_mut().set_show_branch_size(false);
    f.format(i, &mut s);
    s
}

fn encoded(f: impl FnOnce(&mut Asm)) -> Vec<u8> {
    let mut a = Asm::new();
    f(&mut a);
    a.finish().unwrap().bytes
}

/// Registers are masks or general registers in some operands.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Vector,
    Mask,
    General,
}

/// Classes of `reg`, `v` and `rm`; none: there is no such operand.
fn classes(op: Op) -> [Option<Class>; 3] {
    use Class::*;
    use Op::*;
    let (v, k, g) = (Some(Vector), Some(Mask), Some(General));
    match op {
        Kmovw => [k, None, k],
        KmovwStore | KmovdStore | KmovqStore => [k, None, k],
        KmovwFromGpr | KmovdFromGpr | KmovqFromGpr => [k, None, g],
        KmovwToGpr | KmovdToGpr | KmovqToGpr => [g, None, k],
        Kandw | Kandnw | Korw | Kxnorw | Kxorw | Kunpckbw | Kunpckwd | Kunpckdq => [k, k, k],
        Knotw | Kortestw | Kshiftrw | Kshiftrd | Kshiftrq => [k, None, k],
        BlsrQ => [None, g, g],
        Shlx | Shrx | Sarx | ShlxQ | ShrxQ | SarxQ | Andn | AndnQ | Pdep | Pext => [g, g, g],
        MovdFromGpr | MovqFromGpr | BroadcastGpr | BroadcastGprQ => [v, None, g],
        MovdToGpr | MovqToGpr | Pextrd | Pextrq => [v, None, g],
        Pinsrd | Pinsrq => [v, v, g],
        Movmskps | Movmskpd | Pmovmskb => [g, None, v],
        Pcmpd | Pcmpud | Pcmpq | Pcmpuq | Pcmpw | Pcmpuw | Ptestmd | Ptestmq | Ptestnmd | Cmpps | Cmppd => [k, v, v],
        Fpclassps | Fpclasspd => [k, None, v],
        Pmovm2d | Pmovm2q => [v, None, k],
        Pmovd2m | Pmovq2m => [k, None, v],
        MovLoad | MovStore | MovAligned | MovLoadY | MovStoreY | MovAlignedY | MovLoad8 | MovStore8 | MovLoad64 | MovStore64
        | Broadcast | BroadcastQ | Plzcntd | Plzcntq | Popcntd | Popcntq | Pabsd | Pshufd | Extract32x4 | Extract64x4 | Compressd
        | Expandd | Pmovzxbd | Pmovsxbd | Pmovzxwd | Pmovsxwd | Pmovzxdq | Pmovsxdq | Pmovqd | Pmovdb | Pmovdw | Conflictd | Sqrtps
        | Sqrtpd | Rndscaleps | Rndscalepd | Reduceps | Cvtdq2ps | Cvtudq2ps | Cvttps2dq | Cvttps2udq | Cvtps2dq | Cvtph2ps | Cvtps2ph
        | Cvtps2pd | Cvtpd2ps | Cvtdq2pd | Cvtudq2pd | Cvttpd2dq | Cvtpd2dq | Cvttpd2udq | Rcp14ps | Rsqrt14ps | Getexpps | Getexppd
        | Getmantps | Getmantpd | Cvtqq2pd | Cvtuqq2pd | Ptest | Permq | Extracti128 | Roundps | Roundpd | Rsqrtps | Gatherdd
        | Gatherdq | Gatherqd | Gatherqq | Scatterdd | Scatterqd => [v, None, v],
        _ if op.row().digit.is_some() => [None, v, v],
        _ => [v, v, v],
    }
}

fn has_imm(op: Op) -> bool {
    use Op::*;
    let listed = matches!(op, Shufps | Pshufd | Cmpps | Cmppd | CmppsY | CmppdY | Cvtps2ph | Kshiftrw | Kshiftrd | Kshiftrq);
    listed || op.row().map == Map::M0F3A || op.row().digit.is_some() && op != BlsrQ
}

fn lengths(op: Op) -> &'static [Len] {
    use Op::*;
    match op {
        Insert64x4 | Extract64x4 => &[Len::Z],
        Permq | Perm2i128 | Extracti128 | Inserti128 => &[Len::Y],
        Pextrd | Pextrq | Pinsrd | Pinsrq => &[Len::X],
        Movmskps | Movmskpd | Pmovmskb => &[Len::X, Len::Y],
        Permd | Extract32x4 | Insert32x4 | Shufi32x4 | Shufi64x2 => &[Len::Y, Len::Z],
        MovdFromGpr | MovqFromGpr | MovdToGpr | MovqToGpr => &[Len::X],
        _ if classes(op).contains(&Some(Class::General)) && !matches!(op, BroadcastGpr | BroadcastGprQ) => &[Len::X],
        _ if op.row().mnemonic.starts_with('k') => &[Len::X],
        _ if matches!(op.row().forms, Forms::Vex) => &[Len::X, Len::Y],
        _ => &[Len::X, Len::Y, Len::Z],
    }
}

fn number(r: Register) -> u8 {
    r.number() as u8
}

#[test]
fn every_vector_instruction_is_what_iced_decodes() {
    let mut rng = Random(1);
    for op in Op::ALL {
        let [reg_class, v_class, rm_class] = classes(*op);
        let store = matches!(
            op,
            Op::MovStore
                | Op::MovStoreY
                | Op::MovStore8
                | Op::MovStore64
                | Op::KmovwStore
                | Op::KmovdStore
                | Op::KmovqStore
                | Op::MovdToGpr
                | Op::MovqToGpr
                | Op::Extract32x4
                | Op::Extract64x4
                | Op::Extracti128
                | Op::Pextrd
                | Op::Pextrq
                | Op::Compressd
                | Op::Pmovqd
                | Op::Pmovdb
                | Op::Pmovdw
                | Op::Cvtps2ph
                | Op::Scatterdd
                | Op::Scatterqd
        );
        let vsib_vex = matches!(op, Op::GatherddY | Op::GatherqqY);
        let vsib = vsib_vex || matches!(op, Op::Gatherdd | Op::Gatherdq | Op::Gatherqd | Op::Gatherqq | Op::Scatterdd | Op::Scatterqd);
        // Their mask or data, with the memory operand between or before.
        let memory_first = *op == Op::MaskmovdStore;
        let row = op.row();
        let vex_only = matches!(row.forms, Forms::Vex | Forms::VexL1);
        for len in lengths(*op) {
            for _ in 0..200 {
                let mut pick = |c: Option<Class>| match c {
                    None => 0,
                    Some(Class::Mask) => rng.below(8) as u8,
                    Some(Class::General) => rng.below(16) as u8,
                    Some(Class::Vector) if vex_only => rng.below(16) as u8,
                    Some(Class::Vector) => rng.below(32) as u8,
                };
                let (reg, v, r) = (pick(reg_class), pick(v_class), pick(rm_class));
                let disp = match rng.below(4) {
                    0 => 0,
                    1 => rng.below(200) as i32 - 100,
                    2 => (rng.below(300) as i32 - 150) * 64,
                    _ => rng.u32() as i32,
                };
                let base = Gpr(rng.below(16) as u8);
                let mut index = Gpr(rng.below(16) as u8);
                if index == Gpr::RSP {
                    index = Gpr::RAX;
                }
                let scale = 1 << rng.below(4);
                let vector_index = loop {
                    // A gather's registers must differ.
                    let n = rng.below(if vsib_vex { 16 } else { 32 }) as u8;
                    if n != reg && (!vsib_vex || n != (reg + 1) % 16) {
                        break n;
                    }
                };
                let v = if vsib_vex { (reg + 1) % 16 } else { v };
                let memory_only = vsib || matches!(op, Op::KmovwStore | Op::KmovdStore | Op::KmovqStore | Op::Maskmovd | Op::MaskmovdStore);
                let no_memory = matches!(
                    op,
                    Op::KmovwFromGpr
                        | Op::KmovwToGpr
                        | Op::KmovdFromGpr
                        | Op::KmovdToGpr
                        | Op::KmovqFromGpr
                        | Op::KmovqToGpr
                        | Op::BroadcastGpr
                        | Op::BroadcastGprQ
                        | Op::Movmskps
                        | Op::Movmskpd
                        | Op::Pmovmskb
                        | Op::Pmovm2d
                        | Op::Pmovm2q
                        | Op::Pmovd2m
                        | Op::Pmovq2m
                ) || row.mnemonic.starts_with('k') && !matches!(op, Op::Kmovw | Op::KmovwStore)
                    || row.digit.is_some() && row.forms == Forms::Both && *len != Len::Z;
                let broadcasts = matches!(row.tuple, Tuple::Full32 | Tuple::Full64 | Tuple::Half32) && !vex_only && *op != Op::MovLoad;
                let rm = match rng.below(4) {
                    _ if vsib => Rm::Mem(Mem::gather(base, vector_index, scale, disp)),
                    0 if !no_memory => Rm::Mem(Mem::indexed(base, index, scale, disp)),
                    1 if !no_memory && broadcasts && row.forms == Forms::Evex => Rm::Bcst(Mem::at(base, disp)),
                    n if n < 3 && !no_memory || memory_only => Rm::Mem(Mem::at(base, disp)),
                    _ => Rm::Reg(r),
                };
                let can_mask = !vex_only
                    && !matches!(
                        op,
                        Op::MovdFromGpr
                            | Op::MovqFromGpr
                            | Op::MovdToGpr
                            | Op::MovqToGpr
                            | Op::Pextrd
                            | Op::Pextrq
                            | Op::Pinsrd
                            | Op::Pinsrq
                    )
                    && !matches!(op, Op::Pmovm2d | Op::Pmovm2q | Op::Pmovd2m | Op::Pmovq2m | Op::PsrldqImm)
                    && (row.forms == Forms::Evex || *len == Len::Z);
                let mut i = Vector::new(*op, *len, reg, v, rm);
                let mut mask = 0;
                let mut zeroing = false;
                if can_mask && (vsib || rng.below(2) == 0) {
                    mask = 1 + rng.below(7) as u8;
                    let may_zero = !vsib && reg_class != Some(Class::Mask) && (!store || matches!(rm, Rm::Reg(_)));
                    zeroing = may_zero && rng.below(2) == 0;
                    i = if zeroing { i.zeroing(mask) } else { i.mask(mask) };
                }
                let imm = rng.u32() as u8;
                if has_imm(*op) {
                    i = i.imm(imm);
                }
                let bytes = encoded(|a| a.vector(i));
                let d = decode(&bytes);
                let t = text(&d);
                let mnemonic = t.split(' ').next().unwrap();
                // The formatter names comparisons by their condition, and spills W of moves into the name.
                let same = mnemonic == row.mnemonic
                    || row.mnemonic.starts_with("vcmp") && mnemonic.starts_with("vcmp") && mnemonic.ends_with(&row.mnemonic[4..])
                    || row.mnemonic.starts_with("vpcmp") && mnemonic.starts_with("vpcmp") && mnemonic.ends_with(&row.mnemonic[5..])
                    || matches!((row.mnemonic, mnemonic), ("vshufps", _) | ("kmovd" | "kmovq", "kmovd" | "kmovq"));
                assert!(same, "{op:?} {i:?}: {t}");
                assert_eq!(d.op_mask().number() as u8 * u8::from(d.op_mask() != Register::None), mask, "{i:?}: {t}");
                assert_eq!(d.zeroing_masking(), zeroing, "{i:?}: {t}");
                assert_eq!(d.is_broadcast(), matches!(rm, Rm::Bcst(_)), "{i:?}: {t}");
                let mut wanted: Vec<Option<u8>> = vec![];
                let rm_wanted = if let Rm::Reg(r) = rm { Some(r) } else { None };
                // BMI shifts have the count in `v`, behind the source.
                let count_last = row.opcode == 0xf7 && row.map == Map::M0F38;
                if memory_first {
                    wanted.extend([rm_wanted, Some(v), Some(reg)]);
                } else if vsib_vex {
                    wanted.extend([Some(reg), rm_wanted, Some(v)]);
                } else if store {
                    wanted.extend([rm_wanted, Some(reg)]);
                } else {
                    if reg_class.is_some() {
                        wanted.push(Some(reg));
                    }
                    if v_class.is_some() && !count_last {
                        wanted.push(Some(v));
                    }
                    wanted.push(rm_wanted);
                    if count_last {
                        wanted.push(Some(v));
                    }
                }
                for (n, w) in wanted.iter().enumerate() {
                    match (d.op_kind(n as u32), w) {
                        (OpKind::Register, Some(w)) => assert_eq!(number(d.op_register(n as u32)), *w, "{i:?}: {t}"),
                        (OpKind::Memory, None) => {
                            let m = match rm {
                                Rm::Mem(m) | Rm::Bcst(m) => m,
                                Rm::Reg(_) => unreachable!(),
                            };
                            let Base::Reg(b) = m.base else { unreachable!() };
                            assert_eq!(number(d.memory_base()), b.0, "{i:?}: {t}");
                            assert_eq!(d.memory_displacement64() as i32, m.disp, "{i:?}: {t}");
                            match m.index {
                                None => assert_eq!(d.memory_index(), Register::None, "{i:?}: {t}"),
                                Some((Index::Gpr(Gpr(x)) | Index::Vector(x), s)) => {
                                    assert_eq!((number(d.memory_index()), d.memory_index_scale() as u8), (x, s), "{i:?}: {t}");
                                }
                            }
                        }
                        (kind, w) => panic!("{i:?}: {t}: operand {n} is {kind:?}, wanted {w:?}"),
                    }
                }
                if matches!(op, Op::Blendvps | Op::Blendvpd) {
                    assert_eq!(number(d.op_register(3)), imm >> 4, "{i:?}: {t}");
                } else if has_imm(*op) {
                    assert_eq!(d.immediate8(), imm, "{i:?}: {t}");
                }
                // Lengths: of the widest vector operand.
                let widest = (0..d.op_count())
                    .filter(|n| d.op_kind(*n) == OpKind::Register)
                    .map(|n| d.op_register(n))
                    .filter(|r| r.is_vector_register());
                let bytes = widest.map(|r| r.size() as i32).max().unwrap_or(0);
                let narrows = matches!(op, Op::Cvtpd2ps | Op::Cvttpd2dq | Op::Cvtpd2dq | Op::Cvttpd2udq);
                if bytes != 0 && !vsib && !narrows && matches!(row.tuple, Tuple::Full32 | Tuple::Full64 | Tuple::Whole) {
                    assert_eq!(bytes, len.bytes(), "{i:?}: {t}");
                }
            }
        }
    }
}

#[test]
fn general_instructions_are_what_iced_decodes() {
    let all: Vec<Gpr> = (0..16).map(Gpr).collect();
    let names = |g: Gpr, s: Size| {
        const Q: [&str; 16] =
            ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];
        const D: [&str; 16] =
            ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"];
        if s == Size::Q { Q[g.0 as usize] } else { D[g.0 as usize] }
    };
    let byte = |g: Gpr| {
        ["al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"][g.0 as usize]
    };
    let check = |wanted: String, f: &mut dyn FnMut(&mut Asm)| {
        let bytes = encoded(f);
        assert_eq!(text(&decode(&bytes)), wanted, "{bytes:02x?}");
    };
    let alus = [Alu::Add, Alu::Or, Alu::Adc, Alu::Sbb, Alu::And, Alu::Sub, Alu::Xor, Alu::Cmp];
    let alu_names = ["add", "or", "adc", "sbb", "and", "sub", "xor", "cmp"];
    for s in [Size::D, Size::Q] {
        for a in &all {
            for b in &all {
                let (a, b) = (*a, *b);
                let (x, y) = (names(a, s), names(b, s));
                check(format!("mov {x}, {y}"), &mut |asm| asm.mov(s, a, b));
                for (op, name) in alus.iter().zip(alu_names) {
                    check(format!("{name} {x}, {y}"), &mut |asm| asm.alu(*op, s, a, b));
                    let word = names(a, Size::Q);
                    check(format!("{name} {x}, [{word}+40h]"), &mut |asm| asm.alu_load(*op, s, a, Mem::at(a, 0x40)));
                    check(format!("{name} [{word}+40h], {y}"), &mut |asm| asm.alu_store(*op, s, Mem::at(a, 0x40), b));
                }
                check(format!("imul {x}, {y}"), &mut |asm| asm.imul(s, a, b));
                check(format!("popcnt {x}, {y}"), &mut |asm| asm.popcnt(s, a, b));
                check(format!("lzcnt {x}, {y}"), &mut |asm| asm.lzcnt(s, a, b));
                check(format!("tzcnt {x}, {y}"), &mut |asm| asm.tzcnt(s, a, b));
                check(format!("test {x}, {y}"), &mut |asm| asm.test(s, a, b));
                check(format!("bt {x}, {y}"), &mut |asm| asm.bt(s, a, b));
                check(format!("cmovbe {x}, {y}"), &mut |asm| asm.cmov(Cond::Be, s, a, b));
                let index = if b == Gpr::RSP { Gpr::RAX } else { b };
                let (q, i) = (names(a, Size::Q), names(index, Size::Q));
                check(format!("mov {x}, [{q}+{i}*8+12345678h]"), &mut |asm| asm.load(s, a, Mem::indexed(a, index, 8, 0x1234_5678)));
                check(format!("lea {x}, [{q}+{i}*2]"), &mut |asm| asm.lea(s, a, Mem::indexed(a, index, 2, 0)));
                check(format!("mov [{q}-1], {y}"), &mut |asm| asm.store(s, Mem::at(a, -1), b));
                if s == Size::D {
                    check(format!("movsxd {}, {y}", names(a, Size::Q)), &mut |asm| asm.movsxd(a, b));
                    check(format!("movzx {x}, {}", byte(b)), &mut |asm| asm.movzx8(a, b));
                    check(format!("movsx {x}, {}", byte(b)), &mut |asm| asm.movsx8(a, b));
                    check(format!("mov [{q}], {}", byte(b)), &mut |asm| asm.store8(Mem::at(a, 0), b));
                    check(format!("movzx {x}, byte [{q}]"), &mut |asm| asm.load_u8(a, Mem::at(a, 0)));
                    check(format!("movzx {x}, word [{q}]"), &mut |asm| asm.load_u16(a, Mem::at(a, 0)));
                }
            }
            let a = *a;
            let x = names(a, s);
            for (op, name) in alus.iter().zip(alu_names) {
                check(format!("{name} {x}, 7"), &mut |asm| asm.alu_imm(*op, s, a, 7));
                check(format!("{name} {x}, 12345678h"), &mut |asm| asm.alu_imm(*op, s, a, 0x1234_5678));
                let word = if s == Size::Q { "qword" } else { "dword" };
                let q = names(a, Size::Q);
                check(format!("{name} {word} [{q}], 7"), &mut |asm| asm.alu_store_imm(*op, s, Mem::at(a, 0), 7));
            }
            for (op, name) in [(Shift::Rol, "rol"), (Shift::Ror, "ror"), (Shift::Shl, "shl"), (Shift::Shr, "shr"), (Shift::Sar, "sar")] {
                check(format!("{name} {x}, 5"), &mut |asm| asm.shift(op, s, a, 5));
            }
            check(format!("not {x}"), &mut |asm| asm.not(s, a));
            check(format!("neg {x}"), &mut |asm| asm.neg(s, a));
            check(format!("bswap {x}"), &mut |asm| asm.bswap(s, a));
            check(format!("bt {x}, 3"), &mut |asm| asm.bt_imm(s, a, 3));
            check(format!("test {x}, 12345678h"), &mut |asm| asm.test_imm(s, a, 0x1234_5678));
        }
    }
    for a in all {
        check(format!("mov {}, 12345678h", names(a, Size::D)), &mut |asm| asm.mov_imm(a, 0x1234_5678));
        check(format!("mov {}, 123456789ABCDEFh", names(a, Size::Q)), &mut |asm| asm.mov_imm(a, 0x0123_4567_89ab_cdef));
        check(format!("mov {}, 0FFFFFFFFFFFFFFFEh", names(a, Size::Q)), &mut |asm| asm.mov_imm(a, -2i64 as u64));
        check(format!("setl {}", byte(a)), &mut |asm| asm.set(Cond::L, a));
        check(format!("push {}", names(a, Size::Q)), &mut |asm| asm.push(a));
        check(format!("pop {}", names(a, Size::Q)), &mut |asm| asm.pop(a));
        check(format!("call {}", names(a, Size::Q)), &mut |asm| asm.call_reg(a));
        check(format!("jmp {}", names(a, Size::Q)), &mut |asm| asm.jmp_reg(a));
        check(format!("mov dword [{}], 5", names(a, Size::Q)), &mut |asm| asm.store_imm(Size::D, Mem::at(a, 0), 5));
        let (q, d) = (names(a, Size::Q), names(a, Size::D));
        check(format!("lock xadd [{q}+8], {d}"), &mut |asm| asm.lock_xadd(Size::D, Mem::at(a, 8), a));
        check(format!("lock cmpxchg [{q}+8], {d}"), &mut |asm| asm.lock_cmpxchg(Size::D, Mem::at(a, 8), a));
        check(format!("xchg {d}, [{q}+8]"), &mut |asm| asm.xchg(Size::D, Mem::at(a, 8), a));
        check(format!("lock or [{q}+8], {d}"), &mut |asm| asm.lock_alu_store(Alu::Or, Size::D, Mem::at(a, 8), a));
        for nearest in 1..=2 {
            check(format!("prefetcht{} [{}+8]", nearest - 1, names(a, Size::Q)), &mut |asm| asm.prefetch(nearest, Mem::at(a, 8)));
        }
        check(format!("call qword [{}+8]", names(a, Size::Q)), &mut |asm| asm.call_mem(Mem::at(a, 8)));
    }
}

#[test]
fn labels_and_constants_are_reached() {
    let bytes = encoded(|a| {
        let (top, end) = (a.label(), a.label());
        a.bind(top);
        let c = a.constant(&[7; 64]);
        let d = a.constant32(0x0102_0304);
        assert_eq!(c, a.constant(&[7; 64]));
        a.vector(Vector::new(Op::MovLoad, Len::Z, 1, 0, Rm::Mem(Mem::constant(c))));
        a.vector(Vector::new(Op::Pshufd, Len::Z, 1, 0, Rm::Bcst(Mem::constant(d))).imm(9));
        a.jcc(Cond::E, end);
        a.jmp(top);
        a.bind(end);
        a.ret();
    });
    let mut decoder = Decoder::with_ip(64, &bytes, 0, DecoderOptions::NONE);
    let list: Vec<Instruction> = (0..5).map(|_| decoder.decode()).collect();
    assert_eq!(list[0].memory_displacement64(), 64);
    assert_eq!(list[1].memory_displacement64(), 128);
    assert_eq!((list[2].near_branch_target(), list[3].near_branch_target()), (list[4].ip(), 0));
    assert_eq!(bytes[64..128], [7; 64]);
    assert_eq!(bytes[128..132], [4, 3, 2, 1]);
}
