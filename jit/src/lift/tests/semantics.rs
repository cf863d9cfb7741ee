//! Semantics through the interpreter: small programs against values from the manual and numerics.md. The dwords beside each line of
//! assembly are llvm-mc's (version 19, gfx1100).

use super::*;
use crate::abi::{Exit, Helpers, MemOp, NO_ROW, TEMP_ROW, WaveState};
use crate::ir::{SReg, interp, verify};

/// A program, and a wave to run it.
struct Run {
    code: Vec<u32>,
    state: Box<WaveState>,
    rows: Vec<u32>,
    /// LDS for the helpers below.
    lds: Box<[u8; 4096]>,
    mode: FpMode,
    text: &'static str,
}

const BASE: u64 = 0x1000;

impl Run {
    /// wave32, all lanes active, v0 = 100 + lane, everything else 0.
    fn new(text: &'static str, code: &[u32]) -> Run {
        Run::of_size(32, text, code)
    }
    fn wave64(text: &'static str, code: &[u32]) -> Run {
        Run::of_size(64, text, code)
    }
    fn of_size(wave_size: u32, text: &'static str, code: &[u32]) -> Run {
        let rows = vec![0; (u32::from(TEMP_ROW) + interp::INTERP_TEMP_ROWS) as usize * wave_size as usize];
        // SAFETY: integers and raw pointers, for which zero is a value.
        let mut state: Box<WaveState> = Box::new(unsafe { std::mem::zeroed() });
        state.wave_size = wave_size;
        state.fuel = 1000;
        state.sregs[126] = !0;
        state.sregs[127] = if wave_size == 64 { !0 } else { 0 };
        let code = code.iter().copied().chain([0xbfb0_0000]).collect();
        Run { code, state, rows, lds: Box::new([0; 4096]), mode: FpMode::HSA, text }.v(0, |lane| 100 + lane)
    }
    fn v(mut self, n: usize, f: impl Fn(u32) -> u32) -> Run {
        let lanes = self.state.wave_size;
        (0..lanes).for_each(|lane| self.rows[n * lanes as usize + lane as usize] = f(lane));
        self
    }
    fn s(mut self, n: usize, v: u32) -> Run {
        self.state.sregs[n] = v;
        self
    }
    fn exec(self, lo: u32) -> Run {
        self.s(126, lo)
    }
    fn mode(mut self, bits: u16) -> Run {
        self.mode = FpMode(bits);
        self
    }
    fn lift(&self) -> Func {
        let read = |pc: u64| self.code.get((pc.checked_sub(BASE)? / 4) as usize).copied();
        let wave_size = self.state.wave_size;
        let src = LiftSource { name: "test", entry: BASE, target: Gfx::GFX1100, wave_size, mode: self.mode, read: &read };
        let func = lift(&src);
        verify::verify(&func).unwrap_or_else(|e| panic!("{}: {e}\n{}", self.text, crate::ir::text::print(&func)));
        func
    }
    /// Runs to s_endpgm.
    fn run(mut self) -> Run {
        let func = self.lift();
        self.state.rows = self.rows.as_mut_ptr();
        self.state.lds = self.lds.as_mut_ptr();
        self.state.helpers = &HELPERS;
        // SAFETY: `of_size` made the rows, and the helpers accept any state of a `Run`.
        let exit = unsafe { interp::run(&func, &mut self.state) };
        assert_eq!(exit, Exit::End, "{}: {:?}", self.text, func.failures);
        self
    }
    /// Lane `lane` of v`n`.
    fn at(&self, n: usize, lane: usize) -> u32 {
        self.rows[n * self.state.wave_size as usize + lane]
    }
    fn sreg(&self, n: usize) -> u32 {
        self.state.sregs[n]
    }
    fn scc(&self) -> u32 {
        self.sreg(usize::from(SReg::SCC.0))
    }
    #[track_caller]
    fn lane0(self, want: u32) {
        let r = self.run();
        assert_eq!(r.at(0, 0), want, "{}: {:#x}, not {want:#x}", r.text, r.at(0, 0));
    }
    #[track_caller]
    fn lanes(self, n: usize, want: impl Fn(u32) -> u32) {
        let r = self.run();
        for lane in 0..r.state.wave_size {
            assert_eq!(r.at(n, lane as usize), want(lane), "{}: lane {lane}", r.text);
        }
    }
    /// s0 and SCC afterwards.
    #[track_caller]
    fn scalar(self, want: u32, scc: u32) {
        let r = self.run();
        assert_eq!((r.sreg(0), r.scc()), (want, scc), "{}: {:#x}", r.text, r.sreg(0));
    }
}

/// LDS of a `Run`, by lane; nothing else is reached by these programs.
fn access(
    state: *mut WaveState,
    op: *const MemOp,
    exec: u64,
    f: impl Fn(&mut [u8], &mut dyn FnMut(u16, Option<u32>) -> u32, &MemOp),
) -> u32 {
    // SAFETY: the interpreter passes its state and an operation.
    let (state, op) = unsafe { (&mut *state, *op) };
    // SAFETY: `run` set `lds` to 4096 bytes.
    let lds = unsafe { std::slice::from_raw_parts_mut(state.lds, 4096) };
    let lanes = state.wave_size as usize;
    for lane in (0..lanes).filter(|l| exec >> l & 1 != 0) {
        let rows = state.rows;
        let mut row = |r: u16, v: Option<u32>| {
            // SAFETY: rows named by the operation exist.
            let at = unsafe { &mut *rows.add(usize::from(r) * lanes + lane) };
            if let Some(v) = v {
                *at = v;
            }
            *at
        };
        let offset = if op.offset[0] == NO_ROW { 0 } else { row(op.offset[0], None) };
        let at = (i64::from(offset) + op.imm) as usize;
        f(&mut lds[at..], &mut row, &op);
    }
    0
}
fn dword(b: &[u8], i: usize) -> u32 {
    u32::from_le_bytes(b[4 * i..4 * i + 4].try_into().expect("four bytes"))
}
unsafe extern "C" fn load(s: *mut WaveState, op: *const MemOp, exec: u64, _: u64) -> u32 {
    access(s, op, exec, |lds, row, op| {
        for (i, r) in op.dst.iter().enumerate().filter(|(_, r)| **r != NO_ROW) {
            let v = if op.kind == crate::ir::MemKind::U16 as u8 { dword(lds, 0) & 0xffff } else { dword(lds, i) };
            row(*r, Some(v));
        }
    })
}
unsafe extern "C" fn store(s: *mut WaveState, op: *const MemOp, exec: u64, _: u64) -> u32 {
    access(s, op, exec, |lds, row, op| {
        for (i, r) in op.data.iter().enumerate().filter(|(_, r)| **r != NO_ROW) {
            let n = if op.kind == crate::ir::MemKind::U16 as u8 { 2 } else { 4 };
            lds[4 * i..4 * i + n].copy_from_slice(&row(*r, None).to_le_bytes()[..n]);
        }
    })
}
unsafe extern "C" fn atomic(s: *mut WaveState, op: *const MemOp, exec: u64, _: u64) -> u32 {
    access(s, op, exec, |lds, row, op| {
        let old = dword(lds, 0);
        let new = if op.atomic == crate::ir::AtomicOp::CmpSwap as u8 {
            if old == row(op.data[1], None) { row(op.data[0], None) } else { old }
        } else {
            old.wrapping_add(row(op.data[0], None))
        };
        lds[..4].copy_from_slice(&new.to_le_bytes());
        if op.dst[0] != NO_ROW {
            row(op.dst[0], Some(old));
        }
    })
}
unsafe extern "C" fn sload(_: *mut WaveState, _: u64, _: u32, _: u64) -> u32 {
    1
}
unsafe extern "C" fn getreg(_: *mut WaveState, id: u32) -> u32 {
    0x1000 + id
}
unsafe extern "C" fn setreg(_: *mut WaveState, _: u32, _: u32) {}
unsafe extern "C" fn sendmsg(_: *mut WaveState, _: u32, _: u32) {}
unsafe extern "C" fn counter(_: *mut WaveState, _: u32) -> u64 {
    7
}
unsafe extern "C" fn texture(_: *mut WaveState, _: *const crate::abi::TextureCall, _: u64) -> u32 {
    1
}
static HELPERS: Helpers =
    Helpers { load, store, atomic, sload, sbuffer_load: sload, getreg, setreg, sendmsg, sendmsg_rtn: counter, time: counter, texture };

const QNAN: u32 = 0x7fc0_0000;
const SNAN: u32 = 0x7f80_0001;
fn f(x: f32) -> u32 {
    x.to_bits()
}

// scalar ALU

#[test]
fn scalar_add_gives_carry_or_overflow() {
    Run::new("s_add_u32 s0, s1, s2", &[0x8000_0201]).s(1, !0).s(2, 2).scalar(1, 1);
    Run::new("s_add_i32 s0, s1, s2", &[0x8100_0201]).s(1, 0x7fff_ffff).s(2, 1).scalar(0x8000_0000, 1);
    Run::new("s_add_i32 s0, s1, s2", &[0x8100_0201]).s(1, !0).s(2, 1).scalar(0, 0);
    Run::new("s_sub_u32 s0, s1, s2", &[0x8080_0201]).s(1, 1).s(2, 2).scalar(!0, 1);
    Run::new("s_sub_i32 s0, s1, s2", &[0x8180_0201]).s(1, 0x8000_0000).s(2, 1).scalar(0x7fff_ffff, 1);
    Run::new("s_addc_u32 s0, s1, s2", &[0x8200_0201]).s(1, !0).s(2, 0).s(128, 1).scalar(0, 1);
    Run::new("s_addc_u32 s0, s1, s2", &[0x8200_0201]).s(1, !0).s(2, !0).s(128, 1).scalar(!0, 1);
    Run::new("s_subb_u32 s0, s1, s2", &[0x8280_0201]).s(1, 5).s(2, 5).s(128, 1).scalar(!0, 1);
    Run::new("s_subb_u32 s0, s1, s2", &[0x8280_0201]).s(1, 5).s(2, 4).s(128, 1).scalar(0, 0);
    Run::new("s_addk_i32 s0, 0xffff", &[0xb780_ffff]).s(0, 0x8000_0000).scalar(0x7fff_ffff, 1);
    Run::new("s_addk_i32 s0, 0x10", &[0xb780_0010]).s(0, 1).s(128, 1).scalar(17, 0);
    Run::new("s_mulk_i32 s0, 0xfffe", &[0xb800_fffe]).s(0, 3).scalar(0xffff_fffa, 0);
    Run::new("s_lshl3_add_u32 s0, s1, s2", &[0x8800_0201]).s(1, 0x2000_0000).s(2, 5).scalar(5, 1);
}

#[test]
fn absdiff_wraps_to_32_bits() {
    Run::new("s_absdiff_i32 s0, s1, s2", &[0x8300_0201]).s(1, 3).s(2, 10).scalar(7, 1);
    Run::new("s_absdiff_i32 s0, s1, s2", &[0x8300_0201]).s(1, 10).s(2, 10).scalar(0, 0);
    Run::new("s_absdiff_i32 s0, s1, s2", &[0x8300_0201]).s(1, 0x7fff_ffff).s(2, !0).scalar(0x8000_0000, 1);
}

#[test]
fn scalar_max_of_equals_clears_scc() {
    Run::new("s_max_i32 s0, s1, s2", &[0x8a00_0201]).s(1, 4).s(2, 4).s(128, 1).scalar(4, 0);
    Run::new("s_max_u32 s0, s1, s2", &[0x8a80_0201]).s(1, !0).s(2, 4).scalar(!0, 1);
    Run::new("s_min_i32 s0, s1, s2", &[0x8900_0201]).s(1, !0).s(2, 4).scalar(!0, 1);
}

#[test]
fn scalar_bit_field_extract() {
    Run::new("s_bfe_u32 s0, s1, 0x80004", &[0x9300_ff01, 0x0008_0004]).s(1, 0x1234_5678).scalar(0x67, 1);
    Run::new("s_bfe_i32 s0, s1, 0x80004", &[0x9380_ff01, 0x0008_0004]).s(1, 0x1234_5fa8).scalar(0xffff_fffa, 1);
    Run::new("s_bfe_u32 s0, s1, 0x300004", &[0x9300_ff01, 0x0030_0004]).s(1, 0x8234_5678).scalar(0x0823_4567, 1);
    Run::new("s_bfe_u32 s0, s1, 0x4", &[0x9300_8401]).s(1, 0x1234_5678).scalar(0, 0);
    Run::new("s_bfe_i64 s[0:1], s[2:3], 0x80020", &[0x9480_ff02, 0x0008_0020]).s(2, 0).s(3, 0x80).scalar(0xffff_ff80, 1);
    Run::new("s_bfm_b32 s0, 4, 8", &[0x9500_8884]).scalar(0xf00, 0);
}

#[test]
fn sopk_compares_extend_by_sign_or_zero() {
    Run::new("s_cmpk_eq_i32 s0, 0xffff", &[0xb180_ffff]).s(0, !0).scalar(!0, 1);
    Run::new("s_cmpk_eq_u32 s0, 0xffff", &[0xb480_ffff]).s(0, !0).scalar(!0, 0);
    Run::new("s_cmpk_gt_u32 s0, 0xffff", &[0xb580_ffff]).s(0, 0x1_0000).scalar(0x1_0000, 1);
    Run::new("s_movk_i32 s0, 0x8000", &[0xb000_8000]).scalar(0xffff_8000, 0);
    Run::new("s_cmovk_i32 s0, 0x7", &[0xb100_0007]).s(0, 9).s(128, 1).scalar(7, 1);
    Run::new("s_cmovk_i32 s0, 0x7", &[0xb100_0007]).s(0, 9).scalar(9, 0);
}

#[test]
fn counting_instructions_say_minus_one_for_nothing() {
    Run::new("s_ctz_i32_b32 s0, s1", &[0xbe80_0801]).s(1, 0).scalar(!0, 0);
    Run::new("s_clz_i32_u32 s0, s1", &[0xbe80_0a01]).s(1, 1).scalar(31, 0);
    Run::new("s_clz_i32_u64 s0, s[2:3]", &[0xbe80_0b02]).s(2, 1).scalar(63, 0);
    Run::new("s_cls_i32 s0, s1", &[0xbe80_0c01]).s(1, !0).scalar(!0, 0);
    Run::new("s_bcnt0_i32_b32 s0, s1", &[0xbe80_1601]).s(1, !0).scalar(0, 0);
    Run::new("s_bcnt1_i32_b64 s0, s[2:3]", &[0xbe80_1902]).s(2, 3).s(3, 1).scalar(3, 1);
    Run::new("s_wqm_b32 s0, s1", &[0xbe80_1c01]).s(1, 0x0100_0020).scalar(0x0f00_00f0, 1);
    Run::new("s_quadmask_b32 s0, s1", &[0xbe80_1a01]).s(1, 0x0100_0020).scalar(0x42, 1);
    Run::new("s_bitset1_b32 s0, s1", &[0xbe80_1201]).s(0, 1).s(1, 35).scalar(9, 0);
    Run::new("s_pack_lh_b32_b16 s0, s1, s2", &[0x9980_0201]).s(1, 0x1111_2222).s(2, 0x3333_4444).scalar(0x3333_2222, 0);
    Run::new("s_pack_hl_b32_b16 s0, s1, s2", &[0x9a80_0201]).s(1, 0x1111_2222).s(2, 0x3333_4444).scalar(0x4444_1111, 0);
    Run::new("s_bitcmp1_b32 s0, s1", &[0xbf0d_0100]).s(0, 8).s(1, 3).scalar(8, 1);
}

#[test]
fn constants_widen_by_type() {
    Run::new("s_mov_b64 s[0:1], -1", &[0xbe80_01c1]).scalar(!0, 0);
    let r = Run::new("s_mov_b64 s[0:1], 0x80000000", &[0xbe80_01ff, 0x8000_0000]).run();
    assert_eq!((r.sreg(0), r.sreg(1)), (0x8000_0000, 0));
    let r = Run::new("v_add_f64 v[0:1], 1.0, v[2:3]", &[0xd727_0000, 0x0002_04f2]).run();
    assert_eq!((r.at(0, 0), r.at(1, 0)), (0, 0x3ff0_0000));
    let r = Run::new("v_add_f64 v[0:1], 0x40080000, v[2:3]", &[0xd727_0000, 0x0002_04ff, 0x4008_0000]).run();
    assert_eq!((r.at(0, 0), r.at(1, 0)), (0, 0x4008_0000));
    Run::new("v_add_f16_e32 v0, 1.0, v1", &[0x6400_02f2]).v(0, |_| 0xabcd_0000).lane0(0xabcd_3c00);
    let r = Run::new("s_mov_b64 s[0:1], src_shared_base", &[0xbe80_01eb]).run();
    assert_eq!((r.sreg(0), r.sreg(1)), (0, crate::abi::SHARED_APERTURE_HI));
}

#[test]
fn null_reads_zero_and_drops_writes_but_scc_is_set() {
    Run::new("s_or_b32 null, s1, s2", &[0x8c7c_0201]).s(0, 5).s(1, 1).scalar(5, 1);
    Run::new("s_or_b32 s0, null, s2", &[0x8c00_027c]).s(0, 5).s(2, 0).scalar(0, 0);
    let r = Run::new("s_mov_b32 m0, 7", &[0xbefd_0087]).run();
    assert_eq!(r.sreg(124), 7);
}

#[test]
fn relative_scalar_moves() {
    Run::new("s_movrels_b32 s0, s4", &[0xbe80_4004]).s(124, 3).s(7, 77).scalar(77, 0);
    let r = Run::new("s_movreld_b32 s4, s0", &[0xbe84_4200]).s(124, 3).s(0, 5).run();
    assert_eq!(r.sreg(7), 5);
}

// EXEC

#[test]
fn saveexec_family() {
    let r = Run::new("s_and_saveexec_b32 s0, s1", &[0xbe80_2001]).exec(0xff).s(1, 0xf0f).run();
    assert_eq!((r.sreg(0), r.sreg(126), r.scc()), (0xff, 0x0f, 1));
    let r = Run::new("s_or_not1_saveexec_b32 s0, s1", &[0xbe80_3201]).exec(0xff).s(1, 0x1).run();
    assert_eq!((r.sreg(0), r.sreg(126), r.scc()), (0xff, 0xffff_ff01, 1));
    let r = Run::new("s_and_not0_saveexec_b32 s0, s1", &[0xbe80_2c01]).exec(0xff).s(1, 0xff).run();
    assert_eq!((r.sreg(0), r.sreg(126), r.scc()), (0xff, 0, 0));
    let r = Run::new("s_and_not1_wrexec_b32 s0, s1", &[0xbe80_3601]).exec(0xff).s(1, 0x1ff).run();
    assert_eq!((r.sreg(0), r.sreg(126), r.scc()), (0x100, 0x100, 1));
    let r = Run::wave64("s_xor_saveexec_b64 s[0:1], s[2:3]", &[0xbe80_2502]).s(2, 1).s(3, 2).run();
    assert_eq!((r.sreg(0), r.sreg(1), r.sreg(126), r.sreg(127)), (!0, !0, !1, !2));
}

#[test]
fn compares_write_zero_for_inactive_lanes() {
    let r = Run::new("v_cmp_gt_u32_e32 vcc_lo, 110, v0", &[0x7c98_00ff, 0x0000_006e]).exec(0xff).s(106, !0).run();
    assert_eq!(r.sreg(106), 0xff);
    let r = Run::new("v_cmpx_lt_u32_e32 103, v0", &[0x7d92_00ff, 0x0000_0067]).exec(0xff).run();
    assert_eq!(r.sreg(126), 0xf0);
    let r = Run::new("v_cmp_eq_u32_e64 s5, v0, v0", &[0xd44a_0005, 0x0002_0100]).exec(0).s(5, !0).run();
    assert_eq!(r.sreg(5), 0);
    let r = Run::wave64("v_cmp_ne_u32_e64 s[4:5], 163, v0", &[0xd44d_0004, 0x0002_00ff, 0x0000_00a3]).run();
    assert_eq!((r.sreg(4), r.sreg(5)), (!0, 0x7fff_ffff));
}

#[test]
fn float_compares_and_nan() {
    let r = Run::new("v_cmp_nlt_f32_e64 s5, v1, v2", &[0xd41e_0005, 0x0002_0501]).v(1, |_| QNAN).run();
    assert_eq!(r.sreg(5), !0);
    let r = Run::new("v_cmp_lg_f32_e64 s5, v1, v2", &[0xd415_0005, 0x0002_0501]).v(1, |_| QNAN).run();
    assert_eq!(r.sreg(5), 0);
    let r = Run::new("v_cmp_eq_f32_e64 s5, -v1, |v2|", &[0xd412_0205, 0x2002_0501]).v(1, |_| f(-2.0)).v(2, |_| f(-2.0)).run();
    assert_eq!(r.sreg(5), !0);
    let r = Run::new("v_cmp_class_f32_e64 s5, v1, v2", &[0xd47e_0005, 0x0002_0501])
        .v(1, |l| [SNAN, QNAN, f(-0.0), 1][l as usize % 4])
        .v(2, |_| 0x80 | 1)
        .run();
    assert_eq!(r.sreg(5), 0x9999_9999);
}

// vector ALU

#[test]
fn minimum_under_ieee_mode() {
    Run::new("v_min_f32 v0, v1, v2", &[0x1e00_0501]).v(1, |_| SNAN).v(2, |_| f(1.0)).lane0(SNAN | 0x40_0000);
    Run::new("v_min_f32 v0, v1, v2", &[0x1e00_0501]).v(1, |_| QNAN).v(2, |_| f(1.0)).lane0(f(1.0));
    Run::new("v_min_f32 v0, v1, v2", &[0x1e00_0501]).mode(0x1f0).v(1, |_| SNAN).v(2, |_| f(1.0)).lane0(f(1.0));
    Run::new("v_min_f32 v0, v1, v2", &[0x1e00_0501]).v(1, |_| f(0.0)).v(2, |_| f(-0.0)).lane0(f(-0.0));
    Run::new("v_med3_f32 v0, v1, v2, v3", &[0xd61f_0000, 0x040e_0501]).v(1, |_| f(3.0)).v(2, |_| f(-1.0)).v(3, |_| f(2.0)).lane0(f(2.0));
    Run::new("v_minmax_f32 v0, v1, v2, v3", &[0xd65f_0000, 0x040e_0501]).v(1, |_| f(3.0)).v(2, |_| f(-1.0)).v(3, |_| f(2.0)).lane0(f(2.0));
    Run::new("v_med3_i32 v0, v1, v2, v3", &[0xd620_0000, 0x040e_0501]).v(1, |_| 5).v(2, |_| !0).v(3, |_| 3).lane0(3);
}

#[test]
fn source_modifiers_apply_abs_then_neg() {
    Run::new("v_add_f32_e64 v0, -|v1|, v2", &[0xd503_0100, 0x2002_0501]).v(1, |_| f(-3.0)).v(2, |_| f(1.0)).lane0(f(-2.0));
    Run::new("v_mul_f32_e64 v0, |v1|, -v2", &[0xd508_0100, 0x4002_0501]).v(1, |_| f(-3.0)).v(2, |_| f(2.0)).lane0(f(-6.0));
    Run::new("v_cndmask_b32_e64 v0, -v1, |v2|, s5", &[0xd501_0200, 0x2016_0501])
        .s(5, 2)
        .v(1, |_| f(3.0))
        .v(2, |_| f(-4.0))
        .lanes(0, |l| if l == 1 { f(4.0) } else { f(-3.0) });
    Run::new("v_subrev_f32 v0, v1, v2", &[0x0a00_0501]).v(1, |_| f(3.0)).v(2, |_| f(1.0)).lane0(f(-2.0));
}

#[test]
fn output_modifiers() {
    Run::new("v_add_f32_e64 v0, v1, v2 clamp", &[0xd503_8000, 0x0002_0501]).v(1, |_| f(3.0)).lane0(f(1.0));
    Run::new("v_add_f32_e64 v0, v1, v2 clamp", &[0xd503_8000, 0x0002_0501]).v(1, |_| QNAN).lane0(0);
    Run::new("v_add_f32_e64 v0, v1, v2 mul:4", &[0xd503_0000, 0x1002_0501]).v(1, |_| f(3.0)).lane0(f(3.0));
    Run::new("v_add_f32_e64 v0, v1, v2 mul:4", &[0xd503_0000, 0x1002_0501]).mode(0x0c0).v(1, |_| f(3.0)).lane0(f(12.0));
    Run::new("v_add_nc_u32_e64 v0, v1, v2 clamp", &[0xd525_8000, 0x0002_0501]).v(1, |_| !0).v(2, |_| 5).lane0(!0);
    Run::new("v_sub_nc_u32_e64 v0, v1, v2 clamp", &[0xd526_8000, 0x0002_0501]).v(1, |_| 3).v(2, |_| 5).lane0(0);
    Run::new("v_add_nc_i32 v0, v1, v2 clamp", &[0xd726_8000, 0x0002_0501]).v(1, |_| 0x7fff_fff0).v(2, |_| 0x20).lane0(0x7fff_ffff);
    Run::new("v_mad_u32_u24 v0, v1, v2, v3 clamp", &[0xd60b_8000, 0x040e_0501])
        .v(1, |_| 0xff_ffff)
        .v(2, |_| 0x100)
        .v(3, |_| 0x2000)
        .lane0(!0);
    Run::new("v_mad_i32_i24 v0, v1, v2, v3", &[0xd60a_0000, 0x040e_0501]).v(1, |_| 0xff_ffff).v(2, |_| 5).v(3, |_| 3).lane0(-2i32 as u32);
}

#[test]
fn carry_chain() {
    let r = Run::new(
        "v_add_co_u32 v0, vcc_lo, v1, v2; v_add_co_ci_u32_e32 v3, vcc_lo, v4, v5, vcc_lo",
        &[0xd700_6a00, 0x0002_0501, 0x4006_0b04],
    )
    .v(1, |_| !0)
    .v(2, |l| l & 1)
    .v(4, |_| !0)
    .v(5, |l| l >> 1 & 1)
    .exec(0xf)
    .s(106, !0)
    .run();
    assert_eq!([0, 1, 2, 3].map(|l| r.at(3, l)), [!0, 0, 0, 1]);
    assert_eq!(r.sreg(106), 0b1110);
    let r = Run::new(
        "v_sub_co_u32 v0, s4, v1, v2; v_sub_co_ci_u32_e64 v3, s5, v4, v5, s4",
        &[0xd701_0400, 0x0002_0501, 0xd521_0503, 0x0012_0b04],
    )
    .v(1, |_| 0)
    .v(2, |_| 1)
    .v(4, |_| 5)
    .v(5, |_| 5)
    .exec(1)
    .run();
    assert_eq!((r.at(0, 0), r.at(3, 0), r.sreg(4), r.sreg(5)), (!0, !0, 1, 1));
    let r = Run::new("v_mad_u64_u32 v[0:1], s4, v2, v3, v[4:5]", &[0xd6fe_0400, 0x0412_0702])
        .v(2, |_| !0)
        .v(3, |_| !0)
        .v(4, |_| !0)
        .v(5, |_| !0)
        .exec(1)
        .run();
    assert_eq!((r.at(0, 0), r.at(1, 0), r.sreg(4)), (0, 0xffff_fffe, 1));
    let r = Run::new("v_mad_i64_i32 v[0:1], s4, v2, v3, v[4:5]", &[0xd6ff_0400, 0x0412_0702]).v(2, |_| !0).v(3, |_| 7).exec(1).run();
    assert_eq!((r.at(0, 0), r.at(1, 0)), (-7i32 as u32, !0));
}

#[test]
fn integer_fields_and_shifts() {
    Run::new("v_bfe_u32 v0, v1, 4, 8", &[0xd610_0000, 0x0221_0901]).v(1, |_| 0x1234_5678).lane0(0x67);
    Run::new("v_bfe_i32 v0, v1, 4, 4", &[0xd611_0000, 0x0211_0901]).v(1, |_| 0x1234_56f8).lane0(!0);
    Run::new("v_bfe_u32 v0, v1, 4, 32", &[0xd610_0000, 0x0281_0901]).v(1, |_| 0x1234_5678).lane0(0);
    Run::new("v_alignbit_b32 v0, v1, v2, 8", &[0xd616_0000, 0x0222_0501]).v(1, |_| 0x1122_3344).v(2, |_| 0x5566_7788).lane0(0x4455_6677);
    Run::new("v_alignbyte_b32 v0, v1, v2, 3", &[0xd617_0000, 0x020e_0501]).v(1, |_| 0x1122_3344).v(2, |_| 0x5566_7788).lane0(0x2233_4455);
    Run::new("v_perm_b32 v0, v1, v2, s3", &[0xd644_0000, 0x000e_0501])
        .v(1, |_| 0x1122_3344)
        .v(2, |_| 0x5566_7788)
        .s(3, 0x0c0d_0004)
        .lane0(0x00ff_8844);
    Run::new("v_lshrrev_b64 v[0:1], 36, v[2:3]", &[0xd73d_0000, 0x0002_04a4]).v(3, |_| 0x120).lane0(0x12);
    Run::new("v_lshlrev_b32 v0, 35, v1", &[0x3000_02a3]).v(1, |_| 1).lane0(8);
    Run::new("v_mul_hi_i32_i24 v0, v1, v2", &[0x1400_0501]).v(1, |_| 0xff_ffff).v(2, |_| 1).lane0(!0);
    Run::new("v_lshl_add_u32 v0, v1, 3, v2", &[0xd646_0000, 0x0409_0701]).v(1, |_| 2).v(2, |_| 5).lane0(21);
    Run::new("v_xad_u32 v0, v1, v2, v3", &[0xd645_0000, 0x040e_0501]).v(1, |_| 6).v(2, |_| 3).v(3, |_| 5).lane0(10);
    Run::new("v_cvt_f32_ubyte2 v0, v1", &[0x7e00_2701]).v(1, |_| 0x12ff_5678).lane0(f(255.0));
    Run::new("v_sad_u8 v0, v1, v2, v3", &[0xd622_0000, 0x040e_0501]).v(1, |_| 0x0102_0304).v(2, |_| 0x0400_0304).v(3, |_| 10).lane0(15);
}

#[test]
fn mbcnt_counts_lanes_below() {
    Run::new("v_mbcnt_lo_u32_b32 v0, s1, v2", &[0xd71f_0000, 0x0002_0401])
        .s(1, 0xf0f0)
        .v(2, |_| 100)
        .lanes(0, |l| 100 + (0xf0f0u32 & ((1u64 << l) as u32).wrapping_sub(1)).count_ones());
    Run::wave64("v_mbcnt_lo_u32_b32 v1, -1, 0; v_mbcnt_hi_u32_b32 v0, -1, v1", &[0xd71f_0001, 0x0001_00c1, 0xd720_0000, 0x0002_02c1])
        .lanes(0, |l| l);
}

#[test]
fn sixteen_bit_results_keep_the_other_half() {
    Run::new("v_add_nc_u16 v0, v1, v2", &[0xd703_0000, 0x0002_0501])
        .v(0, |_| 0x5555_0000)
        .v(1, |_| 0x1_ffff)
        .v(2, |_| 0x1_0002)
        .lane0(0x5555_0001);
    Run::new("v_add_nc_u16 v0, v1, v2 op_sel:[1,0,1]", &[0xd703_4800, 0x0002_0501])
        .v(0, |_| 0x5555_7777)
        .v(1, |_| 0x3_ffff)
        .v(2, |_| 0x1_0002)
        .lane0(0x0005_7777);
    Run::new("v_cvt_f16_f32 v0, v1", &[0x7e00_1501]).v(0, |_| 0x5555_0000).v(1, |_| f(1.0)).lane0(0x5555_3c00);
    Run::new("v_fma_f16 v0, v1, v2, v3 op_sel:[0,1,0,0]", &[0xd648_1000, 0x040e_0501])
        .v(0, |_| 0)
        .v(1, |_| 0x3c00)
        .v(2, |_| 0x4000_0000)
        .v(3, |_| 0x3c00)
        .lane0(0x4200);
    Run::new("v_mad_u16 v0, v1, v2, v3 clamp", &[0xd641_8000, 0x040e_0501]).v(0, |_| 0).v(1, |_| 0xffff).v(2, |_| 2).lane0(0xffff);
    Run::new("v_pack_b32_f16 v0, v1, v2 op_sel:[1,0,0]", &[0xd711_0800, 0x0002_0501])
        .v(1, |_| 0x1234_5678)
        .v(2, |_| 0x9abc_def0)
        .lane0(0xdef0_1234);
}

#[test]
fn packed_halves() {
    Run::new("v_pk_add_u16 v0, v1, v2", &[0xcc0a_4000, 0x1802_0501]).v(1, |_| 0xffff_0001).v(2, |_| 0x0002_0003).lane0(0x0001_0004);
    Run::new("v_pk_add_u16 v0, v1, v2 clamp", &[0xcc0a_c000, 0x1802_0501]).v(1, |_| 0xffff_0001).v(2, |_| 0x0002_0003).lane0(0xffff_0004);
    Run::new("v_pk_add_u16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1]", &[0xcc0a_4800, 0x1002_0501])
        .v(1, |_| 0x0010_0001)
        .v(2, |_| 0x0200_0300)
        .lane0(0x0201_0310);
    Run::new("v_pk_fma_f16 v0, v1, v2, v3 neg_lo:[1,0,0] neg_hi:[0,1,0]", &[0xcc0e_4200, 0x3c0e_0501])
        .v(1, |_| 0x4000_3c00)
        .v(2, |_| 0x4000_3c00)
        .lane0(0xc400_bc00);
    Run::new("v_pk_lshlrev_b16 v0, v1, v2", &[0xcc04_4000, 0x1802_0501]).v(1, |_| 0x0004_0001).v(2, |_| 0x0101_8001).lane0(0x1010_0002);
    Run::new("v_pk_mad_i16 v0, v1, v2, v3", &[0xcc00_4000, 0x1c0e_0501])
        .v(1, |_| 0x0002_ffff)
        .v(2, |_| 0x0003_0004)
        .v(3, |_| 0x0001_0001)
        .lane0(0x0007_fffd);
    Run::new("v_pk_mul_lo_u16 v0, v1, 3 op_sel_hi:[1,0]", &[0xcc01_4000, 0x0801_0701]).v(1, |_| 0x0002_0005).lane0(0x0006_000f);
    Run::new("v_fma_mix_f32 v0, v1, v2, v3 op_sel:[1,0,0] op_sel_hi:[1,0,0]", &[0xcc20_0800, 0x0c0e_0501])
        .v(1, |_| 0x4000_0000)
        .v(2, |_| f(3.0))
        .v(3, |_| f(1.0))
        .lane0(f(7.0));
    Run::new("v_fma_mixhi_f16 v0, v1, v2, v3", &[0xcc22_0000, 0x040e_0501])
        .v(0, |_| 0x1234_5678)
        .v(1, |_| f(2.0))
        .v(2, |_| f(3.0))
        .lane0(0x4600_5678);
    Run::new("v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[1,0,0]", &[0xcc16_4000, 0x3c0e_0501])
        .v(1, |_| 0xff01_0203)
        .v(2, |_| 0xff01_0101)
        .v(3, |_| 10)
        .lane0((10 + 6 - 255i32) as u32);
    Run::new("v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[0,1,0]", &[0xcc16_4000, 0x5c0e_0501])
        .v(1, |_| 0xff01_0203)
        .v(2, |_| 0xff01_0101)
        .v(3, |_| 10)
        .lane0((10 + 6 - 255i32) as u32);
    Run::new("v_dot2_f32_f16 v0, v1, v2, v3", &[0xcc13_4000, 0x1c0e_0501])
        .v(1, |_| 0x4000_3c00)
        .v(2, |_| 0x4000_3c00)
        .v(3, |_| f(1.0))
        .lane0(f(6.0));
}

#[test]
fn division_steps_use_vcc() {
    let r = Run::new("v_div_scale_f32 v0, vcc_lo, v1, v1, v2", &[0xd6fc_6a00, 0x040a_0301]).v(1, |_| f(3.0)).v(2, |_| f(0.0)).exec(1).run();
    assert_eq!((r.at(0, 0) & QNAN, r.sreg(106)), (QNAN, 1));
    Run::new("v_div_fmas_f32 v0, v1, v2, v3", &[0xd637_0000, 0x040e_0501])
        .s(106, 1)
        .v(1, |_| f(2.0))
        .v(2, |_| f(3.0))
        .v(3, |_| f(4.0))
        .lanes(0, |l| if l == 0 { f(10.0 * 2f32.powi(64)) } else { f(10.0) });
    Run::new("v_div_fixup_f32 v0, v1, v2, v3", &[0xd627_0000, 0x040e_0501])
        .v(1, |_| f(9.0))
        .v(2, |_| f(0.0))
        .v(3, |_| f(-1.0))
        .lane0(f(f32::NEG_INFINITY));
}

#[test]
fn dual_issue_reads_before_it_writes() {
    let r = Run::new("v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0", &[0xca10_0101, 0x0000_0100]).v(1, |l| l).run();
    assert_eq!((r.at(0, 3), r.at(1, 3)), (3, 103));
    let r = Run::new("v_dual_cndmask_b32 v2, v0, v1 :: v_dual_fmac_f32 v3, v5, v6", &[0xca40_0300, 0x0202_0d05])
        .s(106, 8)
        .v(1, |l| l)
        .v(3, |_| f(1.0))
        .v(5, |_| f(2.0))
        .v(6, |_| f(3.0))
        .run();
    assert_eq!((r.at(2, 2), r.at(2, 3), r.at(3, 0)), (102, 3, f(7.0)));
    let r = Run::new("v_dual_fmamk_f32 v2, v4, 0x40400000, v5 :: v_dual_add_nc_u32 v3, v1, v0", &[0xc8a0_0b04, 0x0202_0101, 0x4040_0000])
        .v(4, |_| f(2.0))
        .v(5, |_| f(1.0))
        .v(1, |l| l)
        .run();
    assert_eq!((r.at(2, 0), r.at(3, 5)), (f(7.0), 110));
}

// between lanes

#[test]
fn dpp_row_shift_and_bound_ctrl() {
    let shifted = |l: u32| (l & 15 != 0).then_some(99 + l);
    Run::new("v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf", &[0x7e02_02fa, 0xff01_1100])
        .v(1, |_| 7)
        .lanes(1, |l| shifted(l).unwrap_or(7));
    Run::new("v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1", &[0x7e02_02fa, 0xff09_1100])
        .v(1, |_| 7)
        .lanes(1, |l| shifted(l).unwrap_or(0));
    Run::new("v_mov_b32_dpp v1, v0 row_shl:4 row_mask:0x1 bank_mask:0x3", &[0x7e02_02fa, 0x1301_0400])
        .v(1, |_| 7)
        .lanes(1, |l| if l < 8 { 104 + l } else { 7 });
    Run::new("v_mov_b32_dpp v1, v0 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf", &[0x7e02_02fa, 0xff00_1b00])
        .lanes(1, |l| 100 + (l ^ 3));
    Run::new("v_mov_b32_dpp v1, v0 row_ror:1 row_mask:0xf bank_mask:0xf", &[0x7e02_02fa, 0xff01_2100])
        .lanes(1, |l| 100 + (l & 16 | ((l + 15) % 16)));
    Run::new("v_mov_b32_dpp v1, v0 row_half_mirror row_mask:0xf bank_mask:0xf", &[0x7e02_02fa, 0xff01_4100]).lanes(1, |l| 100 + (l ^ 7));
    Run::new("v_mov_b32_dpp v1, v0 row_share:5 row_mask:0xf bank_mask:0xf", &[0x7e02_02fa, 0xff01_5500]).lanes(1, |l| 100 + (l & 16) + 5);
    Run::new("v_mov_b32_dpp v1, v0 row_xmask:9 row_mask:0xf bank_mask:0xf", &[0x7e02_02fa, 0xff01_6900]).lanes(1, |l| 100 + (l ^ 9));
    Run::new("v_mov_b32_dpp v1, v0 dpp8:[7,6,5,4,3,2,1,0]", &[0x7e02_02e9, 0x0539_7700]).lanes(1, |l| 100 + (l ^ 7));
}

#[test]
fn dpp_of_inactive_lanes() {
    // Lane 0 is off: lane 1 has no source.
    Run::new("v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf", &[0x7e02_02fa, 0xff01_1100])
        .exec(!1)
        .v(1, |_| 7)
        .lanes(1, |l| if l < 2 || l == 16 { 7 } else { 99 + l });
    Run::new("v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf fi:1", &[0x7e02_02fa, 0xff05_1100])
        .exec(!1)
        .v(1, |_| 7)
        .lanes(1, |l| if l == 0 || l == 16 { 7 } else { 99 + l });
    Run::new("v_mov_b32_dpp v1, v0 dpp8:[1,0,3,2,5,4,7,6]", &[0x7e02_02e9, 0xde54_c100])
        .exec(!1)
        .v(1, |_| 7)
        .lanes(1, |l| [7, 0].get(l as usize).copied().unwrap_or(100 + (l ^ 1)));
    let r = Run::new("v_cmp_ne_u32_dpp vcc_lo, v0, v0 row_shr:1 row_mask:0xf bank_mask:0xf", &[0x7c9a_00fa, 0xff01_1100]).s(106, !0).run();
    assert_eq!(r.sreg(106), !0x0001_0001);
    Run::new("v_add_f32_dpp v1, -v2, |v3| quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", &[0x0602_06fa, 0xff90_b102])
        .v(2, |l| f(l as f32))
        .v(3, |_| f(-1.0))
        .lanes(1, |l| f(1.0 - (l ^ 1) as f32));
}

#[test]
fn readlane_family() {
    Run::new("v_readlane_b32 s0, v0, 37", &[0xd760_0000, 0x0001_4b00]).exec(0).scalar(105, 0);
    Run::new("v_readfirstlane_b32 s0, v0", &[0x7e00_0500]).exec(0xf0).scalar(104, 0);
    Run::new("v_readfirstlane_b32 s0, v0", &[0x7e00_0500]).exec(0).scalar(100, 0);
    Run::new("v_writelane_b32 v0, s1, 2", &[0xd761_0000, 0x0001_0401]).exec(0).s(1, 9).lanes(0, |l| if l == 2 { 9 } else { 100 + l });
    Run::new("v_permlanex16_b32 v1, v0, s1, s2", &[0xd65c_0001, 0x0008_0300])
        .s(1, 0x7654_3210)
        .s(2, 0xfedc_ba98)
        .lanes(1, |l| 100 + (l ^ 16));
    Run::new("v_permlane16_b32 v1, v0, s1, s2", &[0xd65b_0001, 0x0008_0300])
        .s(1, 0)
        .s(2, 0xffff_ffff)
        .lanes(1, |l| 100 + (l & 16) + if l & 8 != 0 { 15 } else { 0 });
    Run::wave64("v_permlane64_b32 v1, v0", &[0x7e02_cf00]).lanes(1, |l| 100 + (l ^ 32));
}

#[test]
fn ds_permutes() {
    Run::new("ds_bpermute_b32 v1, v2, v0 offset:4", &[0xdacc_0004, 0x0100_0002]).v(2, |l| l * 8).lanes(1, |l| 100 + (l * 2 + 1) % 32);
    Run::new("ds_bpermute_b32 v1, v2, v0", &[0xdacc_0000, 0x0100_0002])
        .v(2, |_| 0)
        .exec(!1)
        .v(1, |_| 5)
        .lanes(1, |l| if l == 0 { 5 } else { 0 });
    Run::wave64("ds_bpermute_b32 v1, v2, v0", &[0xdacc_0000, 0x0100_0002])
        .v(2, |l| (l + 1) * 4)
        .lanes(1, |l| 100 + (l & 32 | (l + 1) & 31));
    Run::new("ds_permute_b32 v1, v2, v0", &[0xdac8_0000, 0x0100_0002])
        .v(2, |l| (l / 2) * 4)
        .lanes(1, |l| if l < 16 { 101 + 2 * l } else { 0 });
    Run::new("ds_swizzle_b32 v1, v0 offset:swizzle(BITMASK_PERM,\"00p11\")", &[0xd8d4_0064, 0x0100_0000]).lanes(1, |l| 100 + (l & 4 | 3));
    Run::new("ds_swizzle_b32 v1, v0 offset:swizzle(QUAD_PERM,1,2,3,0)", &[0xd8d4_8039, 0x0100_0000])
        .lanes(1, |l| 100 + (l & !3 | (l + 1) & 3));
}

#[test]
fn relative_vector_moves() {
    Run::new("v_movrels_b32 v1, v2", &[0x7e02_8702]).s(124, 3).v(5, |l| l).lanes(1, |l| l);
    Run::new("v_movreld_b32 v1, v0", &[0x7e02_8500]).s(124, 3).exec(0xf).lanes(4, |l| if l < 4 { 100 + l } else { 0 });
    let r = Run::new("v_movrelsd_2_b32 v1, v0", &[0x7e02_9100]).s(124, 2 << 16).run();
    assert_eq!(r.at(3, 4), 104);
    let r = Run::new("v_swap_b32 v0, v1", &[0x7e00_cb01]).v(1, |l| l).exec(1).run();
    assert_eq!((r.at(0, 0), r.at(1, 0), r.at(0, 1)), (0, 100, 101));
}

// LDS

#[test]
fn lds_two_address_forms() {
    let r = Run::new(
        "ds_store_2addr_b32 v1, v0, v2 offset0:1 offset1:3; ds_load_2addr_b32 v[1:2], v1 offset0:3 offset1:1",
        &[0xd838_0301, 0x0002_0001, 0xd8dc_0103, 0x0100_0001],
    )
    .v(1, |l| l * 16)
    .v(2, |l| 200 + l)
    .run();
    assert_eq!((r.at(1, 7), r.at(2, 7)), (207, 107));
    let r = Run::new(
        "ds_store_b32 v1, v0 offset:512; ds_load_2addr_stride64_b32 v[4:5], v1 offset0:2 offset1:1",
        &[0xd834_0200, 0x0000_0001, 0xd8e0_0102, 0x0400_0001],
    )
    .v(1, |l| l * 4)
    .run();
    assert_eq!((r.at(4, 2), r.at(5, 2)), (102, 0));
    let r = Run::new("ds_store_b16 v1, v0; ds_load_u16_d16_hi v2, v1", &[0xd87c_0000, 0x0000_0001, 0xda9c_0000, 0x0200_0001])
        .v(1, |l| l * 4)
        .v(2, |_| 0x1111_2222)
        .run();
    assert_eq!(r.at(2, 3), 103 << 16 | 0x2222);
    let r = Run::new("ds_store_b16_d16_hi v1, v3; ds_load_b32 v2, v1", &[0xda84_0000, 0x0000_0301, 0xd8d8_0000, 0x0200_0001])
        .v(1, |l| l * 4)
        .v(3, |_| 0x1111_2222)
        .run();
    assert_eq!(r.at(2, 3), 0x1111);
}

#[test]
fn lds_atomics() {
    let r = Run::new(
        "ds_add_rtn_u32 v1, v2, v0; ds_add_u32 v2, v0; ds_load_b32 v3, v2",
        &[0xd880_0000, 0x0100_0002, 0xd800_0000, 0x0000_0002, 0xd8d8_0000, 0x0300_0002],
    )
    .exec(0xf)
    .v(2, |_| 64)
    .run();
    assert_eq!([0, 1, 2, 3].map(|l| r.at(1, l)), [0, 100, 201, 303]);
    assert_eq!(r.at(3, 0), 812);
    let r = Run::new(
        "ds_store_b32 v1, v2; ds_cmpstore_rtn_b32 v3, v1, v4, v2; ds_load_b32 v5, v1",
        &[0xd834_0000, 0x0000_0201, 0xd8c0_0000, 0x0302_0401, 0xd8d8_0000, 0x0500_0001],
    )
    .v(1, |l| l * 4)
    .v(2, |_| 8)
    .v(4, |_| 9)
    .run();
    assert_eq!((r.at(3, 1), r.at(5, 1)), (8, 9));
    let r = Run::new(
        "ds_append v1 offset:8; ds_append v2 offset:8; ds_consume v3 offset:8",
        &[0xd8f8_0008, 0x0100_0000, 0xd8f8_0008, 0x0200_0000, 0xd8f4_0008, 0x0300_0000],
    )
    .exec(0xff0)
    .s(124, 32)
    .run();
    assert_eq!((r.at(1, 4), r.at(2, 11), r.at(3, 5), r.at(1, 0)), (0, 8, 16, 0));
}

// MODE

#[test]
fn float_mode_is_part_of_the_block() {
    // 1 + 2^-30 rounds up under mode 1.
    let r = Run::new(
        "s_round_mode 0x1; v_add_f32 v1, 1.0, v2; s_round_mode 0x0; v_add_f32 v3, 1.0, v2",
        &[0xbf91_0001, 0x0602_04f2, 0xbf91_0000, 0x0606_04f2],
    )
    .v(2, |_| f(2f32.powi(-30)))
    .run();
    assert_eq!((r.at(1, 0), r.at(3, 0)), (0x3f80_0001, 0x3f80_0000));
    let r = Run::new(
        "s_denorm_mode 0x0; v_add_f32 v1, v2, v2; s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3; v_add_f32 v3, v2, v2",
        &[0xbf92_0000, 0x0602_0502, 0xb980_0901, 0x0000_0003, 0x0606_0502],
    )
    .v(2, |_| 1)
    .run();
    assert_eq!((r.at(1, 0), r.at(3, 0)), (0, 2));
    let r = Run::new(
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3; s_getreg_b32 s0, hwreg(HW_REG_MODE); s_getreg_b32 s1, hwreg(HW_REG_TRAPSTS, 4, 8)",
        &[0xb980_0801, 0x0000_0003, 0xb880_f801, 0xb881_3903],
    )
    .run();
    assert_eq!((r.sreg(0), r.sreg(1)), (0x3f3, 0));
    let r = Run::new(
        "s_mov_b32 s4, 2; s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s4; s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 4)",
        &[0xbe84_0082, 0xb904_0801, 0xb880_1801],
    )
    .run();
    assert_eq!(r.sreg(0), 2);
}

#[test]
fn an_unknown_mode_leaves_to_the_run_time() {
    let mut r = Run::new("s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s4", &[0xb904_0801]).s(4, 1);
    let func = r.lift();
    r.state.rows = r.rows.as_mut_ptr();
    // SAFETY: as in `Run::run`.
    let exit = unsafe { interp::run(&func, &mut r.state) };
    assert_eq!((exit, r.state.exit_arg, r.state.exit_mode), (Exit::NewMode, BASE + 4, 0x3f1));
}

// control flow

#[test]
fn calls_return_to_their_sites() {
    // Two calls of one function: v1 += 1.
    let r = Run::new("s_getpc_b64 s[0:1]; s_add_u32 s0, s0, 28; s_addc_u32 s1, s1, 0; s_swappc_b64 s[30:31], s[0:1]; s_swappc_b64 s[30:31], s[0:1]; s_mov_b32 s5, 9; s_branch 3; s_nop 0; v_add_nc_u32_e32 v1, 1, v1; s_setpc_b64 s[30:31]", &[0xbe80_4700, 0x8000_9c00, 0x8201_8001, 0xbe9e_4900, 0xbe9e_4900, 0xbe85_0089, 0xbfa0_0003, 0xbf80_0000, 0x4a02_0281, 0xbe80_481e]).run();
    assert_eq!((r.at(1, 0), r.sreg(5)), (2, 9));
    let func = r.lift();
    let known = func.blocks.iter().find_map(|b| match &b.term {
        crate::ir::Term::Indirect { known, .. } => Some(known.len()),
        _ => None,
    });
    assert_eq!(known, Some(2));
}

#[test]
fn branches_on_flags() {
    // Counts s0 down from 3.
    let r = Run::new(
        "s_mov_b32 s0, 3; s_add_i32 s2, s2, 5; s_sub_i32 s0, s0, 1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 65532",
        &[0xbe80_0083, 0x8102_8502, 0x8180_8100, 0xbf07_8000, 0xbfa2_fffc],
    )
    .run();
    assert_eq!(r.sreg(2), 15);
    let r = Run::new(
        "s_cbranch_vccz 1; s_mov_b32 s0, 1; s_cbranch_execnz 1; s_mov_b32 s1, 1",
        &[0xbfa3_0001, 0xbe80_0081, 0xbfa6_0001, 0xbe81_0081],
    )
    .s(106, 0)
    .s(107, 5)
    .run();
    assert_eq!((r.sreg(0), r.sreg(1)), (0, 0));
}

#[test]
fn undecodable_code_fails_only_when_reached() {
    let run = |scc: u32| {
        let mut r = Run::new("s_cbranch_scc1 1; s_endpgm; .long 0xffffffff", &[0xbfa2_0001, 0xbfb0_0000, 0xffff_ffff]).s(128, scc);
        let func = r.lift();
        r.state.rows = r.rows.as_mut_ptr();
        // SAFETY: as in `Run::run`.
        (unsafe { interp::run(&func, &mut r.state) }, func.failures)
    };
    assert_eq!(run(0).0, Exit::End);
    let (exit, failures) = run(1);
    assert_eq!(exit, Exit::Fail);
    assert!(failures[0].undecodable && failures[0].pc == BASE + 8);
}

// matrices

fn element(row: u32, col: u32) -> i32 {
    ((row * 3 + col * 5) % 7) as i32 - 3
}
fn half_bits(x: i32) -> u32 {
    half::f16::from_f32(x as f32).to_bits().into()
}
/// A in v16.., B in v32.., C in v0.. of a WMMA with 16-bit A and B; result of row, col.
fn float_matrices(mut r: Run, d: fn(u32, u32) -> u32) -> Run {
    for v in 0..8u32 {
        let pair = |f: fn(u32, u32) -> i32| move |l: u32| half_bits(f(l % 16, 2 * v)) | half_bits(f(l % 16, 2 * v + 1)) << 16;
        r = r.v(16 + v as usize, pair(element)).v(32 + v as usize, pair(|col, k| element(k + 1, col)));
    }
    let per = r.state.wave_size / 16;
    for v in 0..16 / per {
        r = r.v(v as usize, move |l| d(per * v + l / 16, l % 16));
    }
    r
}
fn product(row: u32, col: u32) -> i32 {
    (0..16).map(|k| element(row, k) * element(k + 1, col)).sum()
}

#[test]
fn wmma_multiplies_and_adds_whatever_exec_is() {
    let r = float_matrices(
        Run::new("v_wmma_f32_16x16x16_f16 v[0:7], v[16:23], v[32:39], v[0:7]", &[0xcc40_4000, 0x1c02_4110]).exec(0),
        |row, col| f((row * 16 + col) as f32),
    )
    .run();
    let r64 = float_matrices(
        Run::wave64("v_wmma_f32_16x16x16_f16 v[0:3], v[16:23], v[32:39], v[0:3] neg_lo:[0,0,1]", &[0xcc40_4000, 0x9c02_4110]),
        |row, col| f((row * 16 + col) as f32),
    )
    .run();
    let h = float_matrices(
        Run::new("v_wmma_f16_16x16x16_f16 v[0:7], v[16:23], v[32:39], v[0:7] op_sel:[0,0,1]", &[0xcc42_6000, 0x1c02_4110]),
        |row, _| half_bits(row as i32) << 16 | 7,
    )
    .run();
    for (row, col) in (0..256u32).map(|i| (i / 16, i % 16)) {
        let c = (row * 16 + col) as i32;
        assert_eq!(r.at(row as usize / 2, (row % 2 * 16 + col) as usize), f((product(row, col) + c) as f32), "{row} {col}");
        assert_eq!(r64.at(row as usize / 4, (row % 4 * 16 + col) as usize), f((product(row, col) - c) as f32), "{row} {col}");
        assert_eq!(h.at(row as usize / 2, (row % 2 * 16 + col) as usize), half_bits(product(row, col) + row as i32) << 16 | 7);
    }
}

#[test]
fn wmma_of_bytes_is_signed_by_neg() {
    let mut r = Run::new("v_wmma_i32_16x16x16_iu8 v[0:7], v[16:19], v[20:23], v[0:7] neg_lo:[1,0,0]", &[0xcc44_4000, 0x3c02_2910]);
    for v in 0..4u32 {
        let bytes = move |f: fn(u32, u32) -> u32| move |l: u32| (0..4).map(|i| (f(l % 16, 4 * v + i) & 0xff) << (8 * i)).sum::<u32>();
        r = r.v(16 + v as usize, bytes(|row, k| element(row, k) as u32)).v(20 + v as usize, bytes(|col, k| 200 + col + k));
    }
    let r = r.v(0, |_| 0).run();
    for (row, col) in (0..256u32).map(|i| (i / 16, i % 16)) {
        let want: i32 = (0..16).map(|k| element(row, k) * (200 + col + k) as i32).sum();
        assert_eq!(r.at(row as usize / 2, (row % 2 * 16 + col) as usize), want as u32, "{row} {col}");
    }
}

#[test]
fn dot_and_mix_forms_outside_plain_vop3p() {
    Run::new("v_dot2_f16_f16 v0, -v1, |v2|, v3 op_sel:[0,0,1,1]", &[0xd666_6200, 0x240e_0501])
        .v(0, |_| 7)
        .v(1, |_| 0x4000_3c00)
        .v(2, |_| 0xc000_bc00)
        .v(3, |_| 0x4400_0000)
        .lane0(0xbc00_0007);
    Run::new("v_dot2_f32_f16 v0, 1.0, v2, v3", &[0xcc13_4000, 0x1c0e_04f2]).v(2, |_| 0x4000_4200).v(3, |_| f(1.0)).lane0(f(4.0));
    Run::new("v_dot2acc_f32_f16 v0, 1.0, v2", &[0x0400_04f2]).v(0, |_| f(2.0)).v(2, |_| 0x4000_4200).lane0(f(5.0));
    Run::new(
        "v_fma_mix_f32_e64_dpp v1, v0, v2, v3 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
        &[0xcc20_0001, 0x040e_04fa, 0xff00_b100],
    )
    .v(0, |l| f(l as f32))
    .v(2, |_| f(2.0))
    .v(3, |_| f(1.0))
    .lanes(1, |l| f((l ^ 1) as f32 * 2.0 + 1.0));
}
