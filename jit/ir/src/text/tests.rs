use super::*;
use crate::{Func, Op, Term};

/// One of everything.
const ALL: &str = r#"func "all \"of\" it; yes" wave64 {
table t0 = [0 1 2 0xffffffff]
table t1 = []
failure f0 pc=0x1540 unsupported "s_foo s1 ; x"
failure f1 pc=0x1544 undecodable "0xdeadbeef"
b0 pc=0x1500 mode=0x3f0 insts=5:
  %0: mask = exec
  %1: l32 = vget v0 demand %0
  %2: l32 = vget a255
  %3: l32 = ffma.32 %1, %2, %1 @0x1504
  %4: l32 = fadd.32 %1, %2 mode 0x3c0
  %5: l32 = iadd.32 %1, %2
  %6: mask = flt.32 %1, %2
  %7: s32 = const.32 0x80000000
  %8: s64 = const.64 1023
  %9: s1 = const.1 1
  %10: l64 = splat %8 @0x150c
  %11: l32 = laneid
  %12: l32 = lanetable t1
  %13: s64 = maskbits %0
  %14: mask = bitsmask %13
  setexec %14
  %15: s32 = sget vcc_hi
  %16: s1 = sget scc
  sset ttmp3, %15
  vset v2, %3, exec %0
  %17: s32 = readlane %1, %7
  %18: s32 = readfirstlane %1, exec %0
  %19: l32 = writelane %1, %7, %15
  %20: l32 = shuffle %1, %11
  %21: l32 = permute %1, %11, exec %0
  %22 %23: l32 = load global.b64 [%8 + lane %10 + 16], exec %0
  %24: l32 = load lds.u8 [lane %1 - 4], exec %0
  %25: l32 = load lds.i16 [0], exec %0
  %26: l32 = load scratch.b32 [%7 - 2147483648], exec %0
  store flat.b128 [lane %10], %1 %2 %3 %4, exec %0
  atomic gds.condxchg.32 [lane %1 + 8], %2, exec %0
  %27 %28: l32 = atomic.rtn global.cmpswap.64 [%8], %1 %2 %3 %4, exec %0
  %29 %30 %31 %32: s32 = sload.4 [%8 + offset %7 + 8]
  %33: s32 = sbufferload.1 %29 %30 %31 %32, [0 + offset %7 - 8]
  %34: s32 = getreg 23
  setreg 2, %34
  sendmsg 65535, %34
  %35: s64 = sendmsgrtn 128
  %36: s64 = time realtime
  note delay
  note wait vmcnt 0 lgkmcnt 63
  note wait vscnt 3
  note wait
  export 4111, exec %14 args %1 %1 %1 %1
  export 8460, exec %0 args %7 %1
  probe.count 7, exec %0
  probe.call 1023, exec %14 args %1 %8 %0 %10
  %39: l32 = vgetrel v4, %34 demand %0
  %40: l32 = vgetrel v4, %34
  vsetrel v4, %34, %40, exec %0
  %41: s32 = sgetrel s4, %34
  ssetrel s4, %34, %41
  branch %16, b1, b2 @0x1510
b1 pc=0x1514 mode=0x3c0 insts=1:
  jump b0
b2 pc=0x1518 mode=0x3c0 insts=0:
  %37: s64 = const.64 0x123456789abcdef0
  indirect %37, [0x1500: b0, 0x1514: b1]
b3 pc=0x1518 mode=0x3c0 insts=0:
  pause barrier, b0
b4 pc=0x1518 mode=0x3c0 insts=0:
  trap 2
b5 pc=0x1518 mode=0x3c0 insts=0:
  fail f1
b6 pc=0x1518 mode=0x3c0 insts=0:
  %38: s32 = sget mode
  newmode 0x151c, %38
b7 pc=0x1518 mode=0x3c0 insts=0:
  end
}
"#;

#[test]
fn printing_a_parsed_function_gives_the_same_text() {
    let f = parse(ALL).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(print(&f), ALL);
    assert_eq!(parse(&print(&f)), Ok(f));
}

#[test]
fn every_pure_operation_round_trips() {
    for op in PureOp::ALL {
        let args: Vec<&str> = ["%0", "%1", "%2"][..op.args().len()].to_vec();
        let args = args.join(", ");
        let text = format!("func \"f\" wave32 {{\nb0 pc=0x0 mode=0x3f0 insts=1:\n  %3: s32 = {op} {args}\n  end\n}}\n");
        let f = parse(&text).unwrap_or_else(|e| panic!("{op}: {e}"));
        let Op::Pure { op: parsed, mode, .. } = f.blocks[0].insts[0].op else { panic!("{op} is not pure") };
        assert_eq!(parsed, *op);
        assert_eq!(mode, if op.reads_mode() { FpMode::HSA } else { FpMode(0) });
        assert_eq!(print(&f), text);
    }
}

#[test]
fn every_name_round_trips() {
    let atomics: Vec<&str> = ATOMICS.iter().map(|a| a.0).collect();
    for name in atomics {
        assert_eq!(name_of(ATOMICS, &by_name(ATOMICS, name).unwrap()), name);
    }
    for (name, kind) in KINDS {
        assert_eq!(*name, kind.text());
    }
}

#[test]
fn comments_and_blank_lines_are_skipped() {
    let f = parse("; a comment\n\nfunc \"\" wave32 { ; more\nb0 pc=0 mode=0 insts=0: ; here\n end ; too\n}\n\n").unwrap();
    assert_eq!(f.blocks[0].term, Term::End);
    assert_eq!(f, Func { wave_size: 32, blocks: f.blocks.clone(), ..Func::default() });
}

fn error_of(body: &str) -> String {
    parse(&format!("func \"f\" wave32 {{\nb0 pc=0 mode=0 insts=0:\n{body}\n}}")).unwrap_err().to_string()
}

#[test]
fn errors_name_the_line_and_what_was_expected() {
    assert_eq!(parse("").unwrap_err().to_string(), "line 1: expected `func`, found the end of the text");
    assert_eq!(parse("func f").unwrap_err().to_string(), "line 1: expected a string in quotes, found `f`");
    assert_eq!(parse("func \"f\" wave16 {").unwrap_err().to_string(), "line 1: expected wave32 or wave64, found `wave16`");
    assert_eq!(error_of("  vset v2, %2, %0\n end"), "line 3: expected `exec`, found `%0`");
    assert_eq!(error_of("  vset v256, %2, exec %0"), "line 3: expected a vector register (v0..v255, a0..a255), found `v256`");
    assert_eq!(error_of("  %0: l32 = frob %1"), "line 3: expected an operation or the end of the block, found `frob`");
    assert_eq!(error_of("  %0: s8 = exec"), "line 3: expected a type (s1, s32, s64, mask, l32 or l64), found `s8`");
    assert_eq!(error_of("  %0 %2: l32 = exec"), "line 3: expected `:` or `%1` (results are consecutive), found `%2`");
    assert_eq!(error_of("  trap 256"), "line 3: expected a number that fits here, found `256`");
    assert_eq!(error_of("  end end"), "line 3: expected the end of the line, found `end`");
    assert_eq!(error_of("  end\nb2 pc=0 mode=0 insts=0:"), "line 4: expected block `b1`, found `b2`");
    assert_eq!(error_of("  note wait"), "line 4: expected an operation or the end of the block, found `}`");
}
