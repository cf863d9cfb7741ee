//! Loads `equations.txt`, the swizzle equations of gfx10 to gfx12, once per process.

use crate::lazy::Lazy;
use std::collections::HashMap;
use std::sync::Arc;

use super::equation::Equation;

/// What names an equation, as `equations.txt` spells it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key<'a> {
    /// `gfx10.1`, `gfx10.3`, `gfx11`, `gfx12`.
    pub generation: &'a str,
    /// Such as `64KB_R_X`.
    pub mode: &'a str,
    /// Are slices mixed into the block?
    pub thick: bool,
    pub samples: u32,
    pub bytes: u32,
}

/// The equation of a chip with that many pipes and packers.
pub(super) fn find(key: &Key, pipes: u32, packers: u32) -> Result<Arc<Equation>, Missing> {
    let rows = EQUATIONS.get(key).ok_or(Missing::Mode)?;
    let fits = |own: u32, wanted: u32| own == ANY || own == wanted;
    rows.iter().find(|r| fits(r.pipes, pipes) && fits(r.packers, packers)).map(|r| r.equation.clone()).ok_or(Missing::Chip)
}

/// Why there is no equation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Missing {
    /// The generation has no such mode for this element size, dimension and sample count.
    Mode,
    /// The mode exists, but not for that many pipes and packers.
    Chip,
}

struct ChipEquation {
    pipes: u32,
    packers: u32,
    equation: Arc<Equation>,
}

/// `*` in place of a number.
const ANY: u32 = 0;

static EQUATIONS: Lazy<HashMap<Key<'static>, Vec<ChipEquation>>> =
    Lazy::new(|| parse(include_str!("equations.txt")).unwrap_or_else(|line| panic!("equations.txt:{line} is not understood")));

/// The number of the first line that is not understood, if there is one.
fn parse(text: &'static str) -> Result<HashMap<Key<'static>, Vec<ChipEquation>>, usize> {
    let mut map: HashMap<_, Vec<ChipEquation>> = HashMap::new();
    let mut keys = Vec::new(); // of the section
    let mut in_rows = false;
    let mut bytes = 0;
    let mut low = Equation::default();
    for (number, line) in text.lines().enumerate().filter(|(_, l)| !l.is_empty() && !l.starts_with('#')) {
        let bad = number + 1;
        if let Some(header) = line.strip_prefix('[') {
            if in_rows {
                keys.clear();
                in_rows = false;
            }
            keys.extend(header_keys(header).ok_or(bad)?);
            continue;
        }
        in_rows = true;
        let (head, terms) = line.split_once(": ").ok_or(bad)?;
        if let Some(chips) = head.strip_prefix("  ") {
            let mut equation = low.clone();
            add(&mut equation, 8, terms).ok_or(bad)?;
            let equation = Arc::new(equation);
            for chip in chips.split(',') {
                let (pipes, packers) = chip.split_once('/').unwrap_or((chip, chip));
                let number = |t: &str| if t == "*" { Some(ANY) } else { t.parse().ok() };
                let (pipes, packers) = number(pipes).zip(number(packers)).ok_or(bad)?;
                for key in &keys {
                    let rows = map.entry(Key { bytes, ..Key::clone(key) }).or_default();
                    rows.push(ChipEquation { pipes, packers, equation: equation.clone() });
                }
            }
        } else {
            (bytes, low) = low_bits(head, terms).ok_or(bad)?;
            for key in keys.iter().filter(|k| k.mode.starts_with("256B")) {
                let row = ChipEquation { pipes: ANY, packers: ANY, equation: Arc::new(low.clone()) };
                map.insert(Key { bytes, ..Key::clone(key) }, vec![row]);
            }
        }
    }
    Ok(map)
}

/// `gfx11 64KB_Z_X,64KB_R_X 2D 4x]`
fn header_keys(header: &'static str) -> Option<impl Iterator<Item = Key<'static>>> {
    let mut words = header.strip_suffix(']')?.split(' ');
    let (generation, modes) = (words.next()?, words.next()?);
    let thick = match words.next()? {
        "2D" => false,
        "3D" => true,
        _ => return None,
    };
    let samples = words.next()?.strip_suffix('x')?.parse().ok()?;
    Some(modes.split(',').map(move |mode| Key { generation, mode, thick, samples, bytes: 0 }))
}

/// `4 bits 2-7` and the terms of these bits.
fn low_bits(head: &str, terms: &str) -> Option<(u32, Equation)> {
    let (bytes, bits) = head.split_once(" bits ")?;
    let mut equation = Equation::default();
    add(&mut equation, bits.split_once('-')?.0.parse().ok()?, terms)?;
    Some((bytes.parse().ok()?, equation))
}

fn add(equation: &mut Equation, lowest_bit: u32, terms: &str) -> Option<()> {
    terms.split(' ').zip(lowest_bit..).try_for_each(|(terms, bit)| equation.add_terms(bit, terms))
}

#[cfg(test)]
mod tests {
    use super::*;

    // images.md check values: offsets inside a block.
    #[test]
    fn equations_give_the_known_offsets() {
        let at = |generation, mode, thick, (pipes, packers), at| {
            find(&Key { generation, mode, thick, samples: 1, bytes: 4 }, pipes, packers).unwrap().offset(at)
        };
        for (generation, mode) in [("gfx11", "64KB_D"), ("gfx12", "64KB")] {
            for (x, y, offset) in [(1, 0, 4), (0, 1, 8), (5, 3, 108), (100, 77, 57800)] {
                assert_eq!(at(generation, mode, false, (1, 1), [x, y, 0, 0]), offset, "{generation} {x} {y}");
            }
        }
        for (x, y, offset) in [(1, 0, 4), (0, 1, 16), (5, 3, 180), (100, 77, 57808)] {
            assert_eq!(at("gfx10.1", "64KB_S", false, (4, 1), [x, y, 0, 0]), offset);
        }
        assert_eq!(at("gfx11", "64KB_R_X", false, (1, 1), [100, 77, 0, 0]), 58056);
        assert_eq!(at("gfx11", "64KB_R_X", false, (16, 8), [100, 77, 0, 0]), 58568);
        assert_eq!(at("gfx11", "64KB_S", true, (1, 1), [5, 3, 0, 0]), 588);
    }

    #[test]
    fn what_is_missing_is_named() {
        let mut key = Key { generation: "gfx11", mode: "64KB_R_X", thick: false, samples: 1, bytes: 4 };
        assert_eq!(find(&key, 16, 1), Err(Missing::Chip));
        key.bytes = 12;
        assert_eq!(find(&key, 1, 1), Err(Missing::Mode));
    }
}
