//! From wave to wave, past a barrier at which all of them are, and from workgroup to workgroup, without leaving the function.

use super::{STATE, Wide, calls, off, state};
use std::mem::offset_of;
use wavejit_ir::abi::{AlikeGroups, Exit, WaveQueue, WaveState};
use wavejit_ir::{Pause, Term};
use wavejit_x86::{Alu, Cond, Gpr, Label, Mem, Size};

const QUEUE: Gpr = Gpr::RCX;
const NEXT: Gpr = Gpr::RDX;

/// Of the queue's.
fn queue(at: usize) -> Mem {
    Mem::at(QUEUE, off(at))
}

/// Of its workgroups.
fn groups(at: usize) -> Mem {
    queue(offset_of!(WaveQueue, groups) + at)
}

impl Wide<'_> {
    /// After a wave that has ended, or is at a barrier: notes how, and begins the next one. With the last one of the queue, and without a queue, the
    /// function returns, and the caller notes it.
    pub(super) fn next_wave(&mut self) {
        for (exit, over) in [(Exit::End, self.ended), (Exit::Barrier, self.at_barrier)] {
            let (last, all) = (self.a.label(), self.a.label());
            self.a.bind(over);
            self.a.load(Size::Q, QUEUE, Mem::at(Gpr::RSP, calls::CARGO_QUEUE));
            self.a.test(Size::Q, QUEUE, QUEUE);
            self.a.jcc(Cond::E, last);
            self.a.load(Size::Q, NEXT, queue(offset_of!(WaveQueue, next)));
            self.a.alu_imm(Alu::Add, Size::Q, NEXT, size_of::<*mut WaveState>() as i32);
            self.a.alu_load(Alu::Cmp, Size::Q, NEXT, queue(offset_of!(WaveQueue, end)));
            self.a.jcc(Cond::Ae, all);
            self.a.store_imm(Size::D, state(offset_of!(WaveState, exit)), exit as i32);
            self.a.store(Size::Q, queue(offset_of!(WaveQueue, next)), NEXT);
            if exit == Exit::Barrier {
                self.a.alu_store_imm(Alu::Add, Size::Q, queue(offset_of!(WaveQueue, barriers)), 1);
            }
            self.a.load(Size::Q, STATE, Mem::at(NEXT, 0));
            self.a.jmp(self.wave);
            self.a.bind(all);
            if exit == Exit::Barrier {
                self.next_turn(last);
            }
            if exit == Exit::End && !self.func.blocks.iter().any(|b| matches!(b.term, Term::Pause { why: Pause::Barrier, .. })) {
                self.next_group(last);
            }
            self.a.bind(last);
            self.a.mov_imm(Gpr::RAX, exit as u64);
            self.a.jmp(self.leave);
        }
    }

    /// After the last wave of a queue, which is at a barrier: if all are there, and are all that wait there, begins with the first one again. Else, or with the
    /// last turn that they may have, goes to `none`.
    fn next_turn(&mut self, none: Label) {
        let at_barrier = Gpr::RAX;
        self.a.load(Size::Q, at_barrier, queue(offset_of!(WaveQueue, barriers)));
        self.a.alu_imm(Alu::Add, Size::Q, at_barrier, 1);
        self.a.alu_load(Alu::Cmp, Size::Q, at_barrier, queue(offset_of!(WaveQueue, waves)));
        self.a.jcc(Cond::Ne, none);
        self.a.alu_store_imm(Alu::Cmp, Size::Q, queue(offset_of!(WaveQueue, turns)), 1);
        self.a.jcc(Cond::Be, none);
        self.a.alu_store_imm(Alu::Sub, Size::Q, queue(offset_of!(WaveQueue, turns)), 1);
        self.a.store_imm(Size::D, state(offset_of!(WaveState, exit)), Exit::Barrier as i32);
        self.a.store_imm(Size::Q, queue(offset_of!(WaveQueue, barriers)), 0);
        self.a.load(Size::Q, NEXT, queue(offset_of!(WaveQueue, first)));
        self.a.store(Size::Q, queue(offset_of!(WaveQueue, next)), NEXT);
        self.a.load(Size::Q, STATE, Mem::at(NEXT, 0));
        self.a.jmp(self.wave);
    }

    /// After the last wave of a workgroup, all of which have ended: begins the next workgroup, or goes to `none`.
    fn next_group(&mut self, none: Label) {
        let (x, wave, fuel, left, x_at) = (Gpr::RAX, Gpr::RSI, Gpr::RDI, Gpr::R8, [Gpr::R9, Gpr::R10]);
        self.a.alu_store_imm(Alu::Cmp, Size::Q, groups(offset_of!(AlikeGroups, left)), 0);
        self.a.jcc(Cond::E, none);
        for i in 0..2 {
            self.a.load(Size::Q, x, groups(offset_of!(AlikeGroups, stop) + i * size_of::<*const u32>()));
            self.a.alu_store_imm(Alu::Cmp, Size::D, Mem::at(x, 0), 0);
            self.a.jcc(Cond::Ne, none);
        }
        self.a.alu_store_imm(Alu::Sub, Size::Q, groups(offset_of!(AlikeGroups, left)), 1);
        self.a.load(Size::D, x, groups(offset_of!(AlikeGroups, x)));
        self.a.alu_imm(Alu::Add, Size::D, x, 1);
        self.a.store(Size::D, groups(offset_of!(AlikeGroups, x)), x);
        self.a.load(Size::Q, fuel, groups(offset_of!(AlikeGroups, fuel)));
        self.a.load(Size::Q, left, groups(offset_of!(AlikeGroups, fuel_left)));
        for (i, at) in x_at.into_iter().enumerate() {
            self.a.load(Size::D, at, groups(offset_of!(AlikeGroups, x_at) + i * size_of::<u32>()));
        }
        self.a.load(Size::Q, NEXT, groups(offset_of!(AlikeGroups, first)));
        self.a.store(Size::Q, queue(offset_of!(WaveQueue, next)), NEXT);
        self.a.load(Size::Q, STATE, Mem::at(NEXT, 0));
        let each = self.a.label();
        self.a.bind(each);
        let of_wave = Mem::at(wave, off(offset_of!(WaveState, fuel)));
        self.a.load(Size::Q, wave, Mem::at(NEXT, 0));
        self.a.alu_load(Alu::Add, Size::Q, left, of_wave);
        self.a.store(Size::Q, of_wave, fuel);
        for at in x_at {
            self.a.store(Size::D, Mem::indexed(wave, at, 1, 0), x);
        }
        self.a.alu_imm(Alu::Add, Size::Q, NEXT, size_of::<*mut WaveState>() as i32);
        self.a.alu_load(Alu::Cmp, Size::Q, NEXT, queue(offset_of!(WaveQueue, end)));
        self.a.jcc(Cond::B, each);
        self.a.store(Size::Q, groups(offset_of!(AlikeGroups, fuel_left)), left);
        self.a.jmp(self.wave);
    }
}
