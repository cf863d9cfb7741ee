//! Control flow that is hard to translate, or that only a look at budget and cancellation on every way round ends, as assembly.

use wavejit_isa::{Gfx, assemble};
use wavejit_random::Random;

/// A kind of control flow, of any size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ControlFlow {
    /// Conditional branches to anywhere.
    Branches,
    /// Loops in loops.
    Nest,
    /// Loops one after the other.
    Loops,
    /// Jumps into every instruction of a run, each jumping back.
    Jumps,
    /// A jump to what is found anew each time, because its address is not a multiple of 4.
    OddJump,
    /// Every float mode, in a loop.
    Modes,
    /// Regions under EXEC.
    Regions,
    /// Calls, then a jump back to one of them.
    Calls,
    /// A loop without end.
    Endless,
    /// A loop without end that sleeps.
    Sleeping,
    /// A loop without end with a barrier.
    Barriers,
    /// A long straight line.
    Straight,
}

impl ControlFlow {
    /// All there are.
    pub const ALL: [ControlFlow; 12] = {
        use ControlFlow::*;
        [Branches, Nest, Loops, Jumps, OddJump, Modes, Regions, Calls, Endless, Sleeping, Barriers, Straight]
    };

    /// Code of size `n` for gfx11: about so many pieces. Changes v0 to v29 and s0 to s99; the next instruction follows, if the kind ends.
    pub fn text(self, n: usize, wave_size: u32, seed: u64) -> String {
        let mut rng = Random(seed);
        let mut lines: Vec<String> = vec![];
        let v = |n: usize| n % 30;
        let add = |i: usize| format!("v_add_nc_u32_e32 v{}, v{}, v{}", v(i), v(i * 7), v(i * 13));
        match self {
            ControlFlow::Branches => {
                for i in 0..n {
                    lines.push(format!("L{i}: {}", add(i)));
                    lines.push(format!("s_add_u32 s{}, s{}, s{}", i % 60, i * 7 % 60, i % 7));
                    // A branch has 16 bits for dwords.
                    let (low, high) = (i.saturating_sub(8000), n.min(i + 8000));
                    lines.push(format!("s_cbranch_scc1 L{}", low + rng.below((high - low) as u32) as usize));
                }
            }
            ControlFlow::Nest | ControlFlow::Loops => {
                let start = |i: usize| format!("L{i}: s_add_u32 s{}, s{}, 1", i % 60, i * 7 % 60);
                let end = |i: usize| format!("s_cmp_eq_u32 s{0}, {0}\ns_cbranch_scc1 L{i}", i % 60);
                match self {
                    ControlFlow::Nest => {
                        lines.extend((0..n).map(start));
                        lines.extend((0..n).rev().map(end));
                    }
                    _ => (0..n).for_each(|i| lines.extend([start(i), end(i)])),
                }
            }
            ControlFlow::Jumps => {
                lines.push("s_getpc_b64 s[44:45]\ns_mov_b32 s46, 0".into());
                // From what s_getpc gives to the run: 40 bytes of instructions, 4 of them of a literal.
                lines.push("loop: s_add_u32 s48, s44, s46\ns_addc_u32 s49, s45, 0\ns_add_u32 s48, s48, 40\ns_addc_u32 s49, s49, 0".into());
                lines.push(format!("s_add_u32 s46, s46, 4\ns_cmp_ge_u32 s46, 0x{:x}", 4 * n.max(17)));
                lines.push("s_cbranch_scc1 out\ns_setpc_b64 s[48:49]".into());
                lines.extend((0..n.max(17)).map(|i| if i % 2 == 0 { "s_nop 0".into() } else { format!("v_mov_b32_e32 v{}, 0", v(i)) }));
                lines.push("s_branch loop\nout: s_nop 0".into());
            }
            ControlFlow::OddJump => lines.push("s_getpc_b64 s[44:45]\ns_or_b32 s44, s44, 2\ns_setpc_b64 s[44:45]".into()),
            ControlFlow::Modes => {
                lines.push("s_mov_b32 s46, 0\nloop: s_setreg_b32 hwreg(HW_REG_MODE, 0, 10), s46\ns_add_u32 s46, s46, 1".into());
                lines.extend((0..n).map(|i| format!("v_add_f32_e32 v{}, v{}, v{}", v(i), v(i * 7), v(i * 13))));
                lines.push("s_cmp_lt_u32 s46, 0x400\ns_cbranch_scc1 loop".into());
            }
            ControlFlow::Regions => {
                let (vcc, save, restore) = match wave_size {
                    32 => ("vcc_lo", "s_and_saveexec_b32 s40, vcc_lo", "s_or_b32 exec_lo, exec_lo, s40"),
                    _ => ("vcc", "s_and_saveexec_b64 s[40:41], vcc", "s_or_b64 exec, exec, s[40:41]"),
                };
                for i in 0..n {
                    lines.push(format!("v_cmp_eq_u32_e32 {vcc}, v{}, v{}\n{save}\ns_cbranch_execz L{i}", v(i), v(i * 7)));
                    lines.push(format!("{}\nL{i}: {restore}", add(i)));
                }
            }
            ControlFlow::Calls => {
                lines.extend((0..n).map(|i| format!("s_call_b64 s[{0}:{1}], L{i}\nL{i}: s_nop 0", 40 + i % 10 * 2, 41 + i % 10 * 2)));
                let pair = 40 + rng.below(10) * 2;
                lines.push(format!("s_setpc_b64 s[{pair}:{}]", pair + 1));
            }
            ControlFlow::Endless | ControlFlow::Sleeping | ControlFlow::Barriers => {
                let pause = match self {
                    ControlFlow::Sleeping => "s_sleep 1".to_string(),
                    ControlFlow::Barriers => "s_barrier".to_string(),
                    _ => add(1),
                };
                lines.push(format!("loop: s_add_u32 s40, s40, 1\n{pause}\ns_branch loop"));
            }
            ControlFlow::Straight => lines.extend((0..n).map(add)),
        }
        lines.push(String::new());
        lines.join("\n")
    }

    /// The same as dwords.
    ///
    /// # Panics
    /// When it does not assemble: a mistake in `text`.
    pub fn code(self, n: usize, wave_size: u32, seed: u64) -> Vec<u32> {
        let text = self.text(n, wave_size, seed);
        let code = assemble(&text, Gfx::GFX1100, wave_size).unwrap_or_else(|e| panic!("{self:?} {n}: {e:?}"));
        code.bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_assembles() {
        for kind in ControlFlow::ALL {
            for wave_size in [32, 64] {
                for n in [1, 2, 61, 300] {
                    assert!(kind.code(n, wave_size, 7).len() >= 3.min(n), "{kind:?} {n}");
                }
            }
        }
    }
}
