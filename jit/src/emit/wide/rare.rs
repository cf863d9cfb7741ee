//! Operations whose usual case is short and in line, while the rare one calls the row function.
//!
//! The usual case is tested on 16 lanes, of one register each operand or two where it has 64 bits. If a lane is not usual, a stub writes
//! the operands to rows, has the function do all 16, takes its results and goes back: the fast way is then without effect.

use super::calls::{CAREFUL_ADDR, CAREFUL_DST, CARGO_BASE, CARGO_EXEC, CARGO_HELPER, CARGO_OP};
use super::lanes::Part;
use super::pins::row_function;
use super::quads::DWORDS_OF_QWORDS;
use super::regs::{NO_PARTS, NONE, Parts, PieceId};
use super::{ROWS, Wide, X};
use wavejit_ir::{FpMode, PureOp};
use wavejit_x86::{Alu, Cond, Gpr, Label, Len, Mem, Rm, Size, Vector};

/// Registers of an operand or a result, 16 lanes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lanes {
    Dwords(u8),
    /// In the order of qwords.
    Qwords(u8, u8),
    Mask(u8),
}

/// Lanes that a row function takes at once.
const CHUNK: usize = 32;

impl<'a> Wide<'a> {
    /// As [`Wide::each_part`], for results of 64 bits, whose qwords come in two pieces.
    pub(super) fn each_part_twice(&mut self, operands: &[Parts], mut f: impl FnMut(&mut Self, Part) -> [PieceId; 2]) -> [Parts; 2] {
        let mut seconds = vec![];
        let first = self.each_part(operands, |w, part| {
            let [first, second] = f(w, part);
            seconds.push(second);
            first
        });
        let mut made = seconds.into_iter();
        let mut second = NO_PARTS;
        for p in self.slice() {
            // Parts that are equal to the first were done once.
            second[p] = if p > 0 && first[p] == first[0] { second[0] } else { made.next().unwrap_or(NONE) };
        }
        [first, second]
    }

    /// If the condition holds, the row function of `op` makes the result, in place of what stands in its registers.
    pub(super) fn rarely(&mut self, cond: Cond, op: PureOp, mode: FpMode, operands: Vec<Lanes>, result: Lanes) {
        let done = self.a.label();
        let slow = self.by_function(done, op, mode, operands, result);
        self.a.jcc(cond, slow);
        self.a.bind(done);
    }

    /// A stub in which the row function of `op` makes the result and which goes on at `done`. Asked for before the way to it parts from the usual one.
    pub(super) fn by_function(&mut self, done: Label, op: PureOp, mode: FpMode, operands: Vec<Lanes>, result: Lanes) -> Label {
        // Whom it pushes out is stored on both ways.
        let t = self.temp();
        let slow = self.a.label();
        let through = *self.careful_function.get_or_insert_with(|| self.a.label());
        // The rows of careful calls, as rows of 32 lanes.
        let row = |w: &Self, row: u16| row * (w.func.wave_size as usize / CHUNK) as u16;
        let mut src = [0u16; 8];
        for i in 0..operands.len() as u16 {
            src[2 * usize::from(i)] = row(self, CAREFUL_ADDR + 2 * i);
            src[2 * usize::from(i) + 1] = row(self, CAREFUL_ADDR + 2 * i + 1);
        }
        let dst = u64::from(row(self, CAREFUL_DST)) | u64::from(row(self, CAREFUL_DST + 1)) << 16;
        let list = self.pins.source(src);
        let function = row_function(op, mode);
        self.stubs.push(Box::new(move |w| {
            w.a.bind(slow);
            for (i, lanes) in operands.into_iter().enumerate() {
                let [low, high] = [0, 1].map(|part| Rm::Mem(w.row_mem(CAREFUL_ADDR + 2 * i as u16 + part, 0)));
                match lanes {
                    Lanes::Dwords(x) => w.v(X::MovStore, x, 0, low),
                    Lanes::Qwords(x, y) => {
                        for (to, pick) in [low, high].into_iter().zip(DWORDS_OF_QWORDS) {
                            w.vi(X::Shufps, t, x, Rm::Reg(y), pick);
                            w.v(X::MovStore, t, 0, to);
                        }
                    }
                    Lanes::Mask(_) => unreachable!("no operation with a rare case takes a mask"),
                }
            }
            let cargo = |at: i32| Mem::at(Gpr::RSP, at);
            w.store_address(cargo(CARGO_OP), function);
            w.store_imm64(cargo(CARGO_EXEC), dst);
            w.store_address(cargo(CARGO_BASE), list);
            w.store_imm64(cargo(CARGO_HELPER), mode.0.into());
            w.a.call(through);
            let [low, high] = [0, 1].map(|part| Rm::Mem(w.row_mem(CAREFUL_DST + part, 0)));
            match result {
                Lanes::Dwords(x) => w.v(X::MovLoad, x, 0, low),
                Lanes::Qwords(x, y) => {
                    w.v(X::MovLoad, t, 0, low);
                    w.v(X::Punpckldq, x, t, high);
                    w.v(X::Punpckhdq, y, t, high);
                }
                Lanes::Mask(k) => w.vector(Vector::new(X::Kmovw, Len::X, k, 0, Rm::Mem(cargo(CARGO_OP)))),
            }
            w.a.jmp(done);
        }));
        slow
    }

    /// Saves registers, calls the row function that the cargo names, restores; what it returned is in the cargo.
    pub(super) fn careful_function(&mut self, label: Label) {
        // The return address lies below the frame.
        let cargo = |at: i32| Mem::at(Gpr::RSP, 8 + at);
        self.a.bind(label);
        self.registers_in_frame(true);
        self.a.vzeroupper();
        self.a.mov(Size::Q, Gpr::RDI, ROWS);
        self.a.mov_imm(Gpr::RSI, CHUNK as u64);
        self.a.load(Size::Q, Gpr::RDX, cargo(CARGO_HELPER));
        self.a.load(Size::Q, Gpr::RCX, cargo(CARGO_EXEC));
        self.a.load(Size::Q, Gpr::R8, cargo(CARGO_BASE));
        self.a.load(Size::Q, Gpr::RAX, cargo(CARGO_OP));
        self.a.alu_imm(Alu::Sub, Size::Q, Gpr::RSP, 8);
        self.a.call_reg(Gpr::RAX);
        self.a.alu_imm(Alu::Add, Size::Q, Gpr::RSP, 8);
        self.a.store(Size::Q, cargo(CARGO_OP), Gpr::RAX);
        self.registers_in_frame(false);
        self.a.ret();
    }
}
