//! f32 operations of older generations and of graphics, for which denormals are always zeros: sums of rounded products, products in which zero wins,
//! output multipliers, faces of cube maps.

use super::lanes::{ORDERED, Part, UNORDERED};
use super::regs::{Class, Parts, PieceId};
use super::transcendental::{QUIET, SIGN};
use super::{Wide, X};
use wavejit_ir::{FpMode, PureOp};
use wavejit_x86::{Len, Rm, Vector};

/// vcmpps: equal, less, less or equal, where none is a NaN.
const EQUAL: u8 = 0x00;
const LESS: u8 = 0x11;
const AT_MOST: u8 = 0x12;

/// What becomes of the sign of a coordinate on a face of a cube.
#[derive(Clone, Copy)]
enum Sign {
    Stays,
    Turns,
    /// Where the axis in a register is negative, or where it is not.
    TurnsWhere {
        axis: u8,
        is_negative: bool,
    },
}

impl Wide<'_> {
    /// Emits the operation; none: it has no form here.
    pub(super) fn legacy(&mut self, op: PureOp, mode: FpMode, operands: [Parts; 3]) -> Option<Parts> {
        use PureOp::*;
        let to_nearest = mode.round32() == 0;
        Some(match op {
            FMad32 if to_nearest => self.each_part(&operands, |w, part| w.sum_of_rounded(part)),
            FMulDx932 if to_nearest => self.each_part(&operands[..2], |w, part| w.product_dx9(part)),
            FFmaDx932 if to_nearest => self.each_part(&operands, |w, part| w.sum_dx9(part)),
            FOmod2x32 | FOmod4x32 | FOmodHalf32 if to_nearest => {
                if mode.ieee() || mode.denorm_out32() {
                    // The modifier is ignored.
                    return Some(operands[0]);
                }
                let factor = match op {
                    FOmod2x32 => 2f32,
                    FOmod4x32 => 4.0,
                    _ => 0.5,
                };
                self.each_part(&operands[..1], |w, part| {
                    let (new, to) = w.new_in_register(Class::Vector);
                    let from = if mode.denorm_in32() { w.reg(part.ops[0]) } else { w.flushed(part.ops[0]) };
                    let (factor, zero) = (w.splat32(factor.to_bits()), w.splat32(0));
                    w.v(X::Mulps, to, from, factor);
                    w.flush(to, to);
                    // No -0.
                    w.v(X::Addps, to, to, zero);
                    new
                })
            }
            CubeId | CubeSc | CubeTc => self.each_part(&operands, |w, part| w.cube(op, part)),
            CubeMa if to_nearest => self.each_part(&operands, |w, part| w.cube(op, part)),
            _ => return None,
        })
    }

    /// v_mad_f32: the product is rounded before the sum. Of NaNs the first one, and one of the addend before that of an invalid product.
    fn sum_of_rounded(&mut self, part: Part) -> PieceId {
        let (new, to) = self.new_in_register(Class::Vector);
        let [a, b, c] = [0, 1, 2].map(|i| self.flushed(part.ops[i]));
        let k = self.temp_mask();
        self.vi(X::Cmpps, k, a, Rm::Reg(b), ORDERED);
        self.v(X::Mulps, a, a, Rm::Reg(b));
        self.flush(a, a);
        self.v(X::Addps, to, a, Rm::Reg(c));
        self.vector(Vector::new(X::Addps, Len::Z, to, c, Rm::Reg(a)).mask(k));
        self.flush(to, to);
        new
    }

    /// k = the lanes in which one of two is zero.
    fn one_is_zero(&mut self, k: u8, a: u8, b: u8) {
        let other = self.temp_mask();
        let zero = self.splat32(0);
        self.vi(X::Cmpps, k, a, zero, EQUAL);
        self.vi(X::Cmpps, other, b, zero, EQUAL);
        self.k(X::Korw, k, k, other);
        self.free_temp(Class::Mask, other);
    }

    fn product_dx9(&mut self, part: Part) -> PieceId {
        let (new, to) = self.new_in_register(Class::Vector);
        let [a, b] = [0, 1].map(|i| self.flushed(part.ops[i]));
        let k = self.temp_mask();
        self.one_is_zero(k, a, b);
        self.k(X::Knotw, k, 0, k);
        self.v(X::Mulps, a, a, Rm::Reg(b));
        self.flush(a, a);
        self.vector(Vector::new(X::MovAligned, Len::Z, to, 0, Rm::Reg(a)).zeroing(k));
        new
    }

    /// a * b + c, but c where a or b is zero.
    fn sum_dx9(&mut self, part: Part) -> PieceId {
        let (new, to) = self.new_in_register(Class::Vector);
        let [a, b, c] = [0, 1, 2].map(|i| self.flushed(part.ops[i]));
        let (k, nan) = (self.temp_mask(), self.temp_mask());
        self.one_is_zero(k, a, b);
        self.v(X::MovAligned, to, 0, Rm::Reg(c));
        self.v(X::Fmadd231ps, to, a, Rm::Reg(b));
        self.flush(to, to);
        self.vector(Vector::new(X::MovAligned, Len::Z, to, 0, Rm::Reg(c)).mask(k));
        // Of NaNs the first one; of a product that counts for nothing, none.
        let quiet = self.splat32(QUIET);
        let not_zero = self.temp_mask();
        self.k(X::Knotw, not_zero, 0, k);
        for (x, counts_always) in [(c, true), (b, false), (a, false)] {
            self.vi(X::Cmpps, nan, x, Rm::Reg(x), UNORDERED);
            if !counts_always {
                self.k(X::Kandw, nan, nan, not_zero);
            }
            self.vector(Vector::new(X::Pord, Len::Z, to, x, quiet).mask(nan));
        }
        new
    }

    /// The number of a cube map's face, a coordinate on it, or twice the greatest coordinate: of equal ones z goes before y before x.
    fn cube(&mut self, op: PureOp, part: Part) -> PieceId {
        let (new, to) = self.new_in_register(Class::Vector);
        let [x, y, z] = [0, 1, 2].map(|i| self.flushed(part.ops[i]));
        let [p, q, t] = [self.temp(), self.temp(), self.temp()];
        let [on_y, on_z, k] = [self.temp_mask(), self.temp_mask(), self.temp_mask()];
        let (magnitude, zero, sign) = (self.splat32(!SIGN), self.splat32(0), self.splat32(SIGN));
        self.v(X::Pandd, p, x, magnitude);
        self.v(X::Pandd, q, y, magnitude);
        self.v(X::Pandd, t, z, magnitude);
        self.vi(X::Cmpps, on_y, p, Rm::Reg(q), AT_MOST);
        self.vi(X::Cmpps, on_z, p, Rm::Reg(t), AT_MOST);
        self.vi(X::Cmpps, k, q, Rm::Reg(t), AT_MOST);
        self.k(X::Kandw, on_z, on_z, k);
        if op == PureOp::CubeId {
            for (axis, of_axis, mask) in [(x, 0f32, None), (y, 2.0, Some(on_y)), (z, 4.0, Some(on_z))] {
                let positive = self.element32(of_axis.to_bits());
                self.vi(X::Cmpps, k, axis, zero, LESS);
                self.v(X::Broadcast, t, 0, positive);
                self.set_lanes(t, k, (of_axis + 1.0).to_bits());
                self.set_where(to, t, mask);
            }
            return new;
        }
        // The coordinate on the faces of each axis.
        let faces = match op {
            PureOp::CubeSc => [
                (z, Sign::TurnsWhere { axis: x, is_negative: false }),
                (x, Sign::Stays),
                (x, Sign::TurnsWhere { axis: z, is_negative: true }),
            ],
            PureOp::CubeTc => [(y, Sign::Turns), (z, Sign::TurnsWhere { axis: y, is_negative: true }), (y, Sign::Turns)],
            _ => [x, y, z].map(|axis| (axis, Sign::Stays)),
        };
        for ((from, turns), mask) in faces.into_iter().zip([None, Some(on_y), Some(on_z)]) {
            let chosen = match turns {
                Sign::Stays => from,
                Sign::Turns => {
                    self.v(X::Pxord, t, from, sign);
                    t
                }
                Sign::TurnsWhere { axis, is_negative } => {
                    self.vi(X::Cmpps, k, axis, zero, LESS);
                    if !is_negative {
                        self.k(X::Knotw, k, 0, k);
                    }
                    self.v(X::MovAligned, t, 0, Rm::Reg(from));
                    self.vector(Vector::new(X::Pxord, Len::Z, t, t, sign).mask(k));
                    t
                }
            };
            self.set_where(to, chosen, mask);
        }
        if op == PureOp::CubeMa {
            self.v(X::Addps, to, to, Rm::Reg(to));
        } else {
            self.quiet_nans(to, to, k);
        }
        new
    }

    /// to = from, in the lanes of a mask or in all.
    fn set_where(&mut self, to: u8, from: u8, mask: Option<u8>) {
        let i = Vector::new(X::MovAligned, Len::Z, to, 0, Rm::Reg(from));
        self.vector(match mask {
            Some(k) => i.mask(k),
            None => i,
        });
    }
}
