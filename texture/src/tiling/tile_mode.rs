//! Tile modes of gfx6 to gfx8: the registers a descriptor's tile index selects, per chip, and what they mean.

use crate::lazy::Lazy;
use std::collections::HashMap;

/// Tile mode registers of a chip.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TileTables {
    /// GB_TILE_MODE0 to 31; 0 where the chip has none.
    pub tile_modes: [u32; 32],
    /// GB_MACROTILE_MODE0 to 15 of gfx7 and gfx8; on gfx6 the tile modes say it all.
    pub macro_tile_modes: Option<[u32; 16]>,
    /// Bytes in a row of DRAM.
    pub row_bytes: u32,
}

impl TileTables {
    /// Tables of a chip (`tahiti`) or of the chip that stands for a processor (`gfx803`).
    pub fn of(name: &str) -> Option<&'static TileTables> {
        CHIPS.1.get(name).map(|&i| &CHIPS.0[i])
    }

    /// What the tile index of a descriptor means for elements of that many bytes. `None` if it selects nothing that is known.
    pub(super) fn decode(&self, index: u8, element_bytes: u32, samples: u32) -> Option<TileMode> {
        let register = *self.tile_modes.get(usize::from(index))?;
        let field = |register: u32, low: u32, bits: u32| (register >> low) & ((1 << bits) - 1);
        let array = field(register, 2, 4) as usize;
        let gfx7 = self.macro_tile_modes.is_some();
        let array = if gfx7 { GFX7_ARRAYS[array] } else { GFX6_ARRAYS[array] }?;
        if array.name == UNSUPPORTED {
            return None;
        }
        let pipes_number = field(register, 6, 5) as usize;
        let order = match field(register, if gfx7 { 22 } else { 0 }, if gfx7 { 3 } else { 2 }) {
            0 => Order::Display,
            1 => Order::Thin,
            2 => Order::Depth,
            3 => Order::Rotated,
            4 => Order::Thick,
            _ => return None,
        };
        let pipes = PIPES[pipes_number].as_ref()?;
        let mut mode = TileMode { array, order, pipes, split_bytes: 64 << field(register, 11, 3), bank: Bank::default() };
        let (banks_register, low) = match &self.macro_tile_modes {
            None => (register, 14),
            Some(_) if array.arrangement != Arrangement::Macro => (0, 0),
            Some(macros) => {
                let tile_bytes = 64 * array.thickness * element_bytes;
                if order != Order::Depth {
                    mode.split_bytes = (tile_bytes << field(register, 25, 2)).max(256);
                }
                mode.split_bytes = mode.split_bytes.min(self.row_bytes);
                let class = (mode.split_bytes.min(tile_bytes * samples).max(64) / 64).ilog2();
                (*macros.get(class as usize + if array.is_prt { 8 } else { 0 })?, 0)
            }
        };
        let log2 = |n: u32| field(banks_register, low + 2 * n, 2);
        mode.bank = Bank { width_log2: log2(0), height_log2: log2(1), aspect_log2: log2(2), count_log2: log2(3) + 1 };
        Some(mode)
    }
}

/// How an image is arranged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TileMode {
    pub array: Array,
    pub order: Order,
    pub pipes: &'static Pipes,
    /// Bytes of a tile before it continues in another slice.
    pub split_bytes: u32,
    pub bank: Bank,
}

/// Order of elements in a tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    Display,
    Thin,
    /// As thin, the samples of an element together.
    Depth,
    Rotated,
    Thick,
}

/// How tiles follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arrangement {
    Linear,
    /// In rows of tiles ("1D").
    Micro,
    /// In rows of macro tiles, which spread over pipes and banks ("2D" and "3D").
    Macro,
}

/// What slices turn, so that the same tile of neighboring slices is in different places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Turn {
    Nothing,
    Banks,
    PipesAndBanks,
}

/// An array mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Array {
    pub name: &'static str,
    pub arrangement: Arrangement,
    /// Slices in a tile.
    pub thickness: u32,
    pub turn: Turn,
    /// Do parts of a tile that continue in other slices turn banks too?
    pub split_turns: bool,
    /// For partially resident images: pipes and banks depend on the place in the macro tile only, so that pages look alike.
    pub is_prt: bool,
}

impl Array {
    /// The array mode of a mip level that has fewer slices than a tile.
    pub(super) fn thinner(&self, slices: u32) -> Array {
        let thickness = if self.thickness == 8 && slices >= 4 { 4 } else { 1 };
        let alike = |a: &Array| a.arrangement == self.arrangement && a.turn == self.turn && a.thickness == thickness;
        GFX6_ARRAYS.iter().flatten().copied().find(alike).unwrap_or(*self)
    }
}

const fn array(name: &'static str, arrangement: Arrangement, thickness: u32, turn: Turn, split_turns: bool) -> Option<Array> {
    let is_prt = name.as_bytes()[0] == b'P';
    Some(Array { name, arrangement, thickness, turn, split_turns, is_prt })
}

#[rustfmt::skip]
static GFX6_ARRAYS: [Option<Array>; 16] = [
    None, // linear without alignment, which no tile mode of a chip is
    array("LINEAR_ALIGNED", Arrangement::Linear, 1, Turn::Nothing,       false),
    array("1D_THIN1",       Arrangement::Micro,  1, Turn::Nothing,       false),
    array("1D_THICK",       Arrangement::Micro,  4, Turn::Nothing,       false),
    array("2D_THIN1",       Arrangement::Macro,  1, Turn::Banks,         true),
    None, None,
    array("2D_THICK",       Arrangement::Macro,  4, Turn::Banks,         false),
    array("2D_XTHICK",      Arrangement::Macro,  8, Turn::Banks,         false),
    None, None, None,
    array("3D_THIN1",       Arrangement::Macro,  1, Turn::PipesAndBanks, true),
    array("3D_THICK",       Arrangement::Macro,  4, Turn::PipesAndBanks, false),
    array("3D_XTHICK",      Arrangement::Macro,  8, Turn::PipesAndBanks, false),
    None,
];

#[rustfmt::skip]
static GFX7_ARRAYS: [Option<Array>; 16] = [
    GFX6_ARRAYS[0], GFX6_ARRAYS[1], GFX6_ARRAYS[2], GFX6_ARRAYS[3], GFX6_ARRAYS[4],
    array("PRT_THIN1",      Arrangement::Macro,  1, Turn::Nothing,       false),
    array(UNSUPPORTED,      Arrangement::Macro,  1, Turn::Nothing,       true),
    GFX6_ARRAYS[7], GFX6_ARRAYS[8],
    array("PRT_THICK",      Arrangement::Macro,  4, Turn::Nothing,       false),
    None, None,
    GFX6_ARRAYS[12], GFX6_ARRAYS[13], GFX6_ARRAYS[14],
    None,
];

/// A chip has a tile mode of this kind, but no driver uses it: none of the processors supports partially resident images that turn.
const UNSUPPORTED: &str = "PRT_2D_THIN1";

/// A pipe configuration: the terms of each bit of the pipe number. x3 is bit 3 of the x coordinate, the lowest of the tile's column.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Pipes {
    name: &'static str,
    pub bits: &'static [&'static str],
}

const fn pipes(name: &'static str, bits: &'static [&'static str]) -> Option<Pipes> {
    Some(Pipes { name, bits })
}

/// By the register's number. Three numbers that no chip here uses are left out: their tiles would share places.
#[rustfmt::skip]
static PIPES: [Option<Pipes>; 32] = [
    pipes("P2",             &["x3^y3"]),
    None, None, None,
    pipes("P4_8x16",        &["x4^y3", "x3^y4"]),
    pipes("P4_16x16",       &["x3^y3^x4", "x4^y4"]),
    pipes("P4_16x32",       &["x3^y3^x4", "x4^y5"]),
    None, None,
    pipes("P8_16x32_8x16",  &["x4^y3^x5", "x3^y4", "x4^y5"]),
    pipes("P8_32x32_8x16",  &["x4^y3^x5", "x3^y4", "x5^y5"]),
    pipes("P8_16x32_16x16", &["x3^y3^x4", "x5^y4", "x4^y5"]),
    pipes("P8_32x32_16x16", &["x3^y3^x4", "x4^y4", "x5^y5"]),
    pipes("P8_32x32_16x32", &["x3^y3^x4", "x4^y6", "x5^y5"]),
    None, None,
    pipes("P16_32x32_8x16",  &["x4^y3", "x3^y4", "x5^y6", "x6^y5"]),
    pipes("P16_32x32_16x16", &["x3^y3^x4", "x4^y4", "x5^y6", "x6^y5"]),
    None, None, None, None, None, None, None, None, None, None, None, None, None, None,
];

/// Banks and macro tiles: a bank holds `width` x `height` tiles of a macro tile, and the macro tile is `aspect` times as wide, and as much
/// less high, as its pipes and banks in one row and one column would make it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Bank {
    pub width_log2: u32,
    pub height_log2: u32,
    pub aspect_log2: u32,
    /// Of the number of banks.
    pub count_log2: u32,
}

/// The tables, and where each name's is.
type Chips = (Vec<TileTables>, HashMap<&'static str, usize>);

static CHIPS: Lazy<Chips> =
    Lazy::new(|| parse(include_str!("tile_modes.txt")).unwrap_or_else(|line| panic!("tile_modes.txt:{line} is not understood")));

/// Bytes in a row of DRAM of the chips here.
const ROW_BYTES: u32 = 2048;

/// The number of the first line that is not understood, if there is one.
fn parse(text: &'static str) -> Result<Chips, usize> {
    let mut chips: Chips = (Vec::new(), HashMap::new());
    for (number, line) in text.lines().enumerate().filter(|(_, l)| !l.is_empty() && !l.starts_with('#')) {
        if let Some(header) = line.strip_prefix('[') {
            let (generation, names) = header.strip_suffix(']').and_then(|h| h.split_once(": ")).ok_or(number + 1)?;
            let macro_tile_modes = (generation != "gfx6").then_some([0; 16]);
            names.split(' ').for_each(|name| _ = chips.1.insert(name, chips.0.len()));
            chips.0.push(TileTables { tile_modes: [0; 32], macro_tile_modes, row_bytes: ROW_BYTES });
        } else {
            chips.0.last_mut().and_then(|chip| add_row(chip, line)).ok_or(number + 1)?;
        }
    }
    Ok(chips)
}

/// Puts a line into the registers.
fn add_row(chip: &mut TileTables, line: &str) -> Option<()> {
    let mut words = line.split(' ');
    let first = words.next()?;
    if first == "macro" {
        let index: usize = words.next()?.parse().ok()?;
        *chip.macro_tile_modes.as_mut()?.get_mut(index)? = bank_fields(&mut words, 0)?;
        return Some(());
    }
    let gfx7 = chip.macro_tile_modes.is_some();
    let array = words.next()?;
    let arrays = if gfx7 { &GFX7_ARRAYS } else { &GFX6_ARRAYS };
    let mut register = (arrays.iter().position(|a| a.is_some_and(|a| a.name == array))? as u32) << 2;
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        register |= match word {
            "split" => {
                let bytes = words.next()?;
                let bytes = if bytes == "row" { ROW_BYTES } else { bytes.parse().ok()? };
                (bytes / 64).checked_ilog2()? << 11
            }
            "samples" => words.next()?.parse::<u32>().ok()?.checked_ilog2()? << 25,
            "bank" => bank_fields(&mut std::iter::once("bank").chain(&mut words), 14)?,
            _ => {
                let orders = ["display", "thin", "depth", "rotated", "thick"];
                let pipes = || PIPES.iter().position(|p| p.as_ref().is_some_and(|p| p.name == word));
                match orders.iter().position(|o| *o == word) {
                    Some(order) => (order as u32) << if gfx7 { 22 } else { 0 },
                    None => (pipes()? as u32) << 6,
                }
            }
        };
    }
    *chip.tile_modes.get_mut(first.parse::<usize>().ok()?)? = register;
    Some(())
}

/// `bank WxH aspect A banks N` as register fields from bit `low` up.
fn bank_fields<'a>(words: &mut impl Iterator<Item = &'a str>, low: u32) -> Option<u32> {
    let mut number = |key: &str| words.next().filter(|k| *k == key).and_then(|_| words.next());
    let log2 = |text: &str| text.parse::<u32>().ok()?.checked_ilog2();
    let (width, height) = number("bank")?.split_once('x')?;
    let (aspect, banks) = (number("aspect")?, number("banks")?);
    Some((log2(width)? | log2(height)? << 2 | log2(aspect)? << 4 | (log2(banks)? - 1) << 6) << low)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Register values as the Linux driver composes them for these chips.
    #[test]
    fn tables_are_the_registers_of_the_chips() {
        let tahiti = TileTables::of("tahiti").unwrap();
        assert_eq!(tahiti.tile_modes[8], 1 << 2);
        assert_eq!(tahiti.tile_modes[0], 0x0036_0292);
        let polaris = TileTables::of("gfx803").unwrap();
        assert_eq!(polaris.tile_modes[14], 0x0240_0310);
        assert_eq!(polaris.macro_tile_modes.unwrap()[4], 0xd4);
        assert_eq!(TileTables::of("gfx900"), None);
    }

    #[test]
    fn any_index_is_decoded_or_refused() {
        for name in ["tahiti", "gfx803"] {
            for index in 0..=255 {
                TileTables::of(name).unwrap().decode(index, 16, 8);
            }
        }
        let odd = TileTables { tile_modes: [u32::MAX; 32], macro_tile_modes: Some([u32::MAX; 16]), row_bytes: 0 };
        assert_eq!(odd.decode(3, 4, 1), None);
    }
}
