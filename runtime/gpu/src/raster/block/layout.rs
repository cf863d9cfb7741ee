//! Where the elements of blocks lie in the memory of a surface (images.md 8).

use super::{PLACES, SIDE};
use crate::raster::blend::MOST_BYTES;
use crate::raster::export::LANES;
use wavejit_texture::tiling::LevelLayout;

/// Elements of a block to be written.
#[derive(Clone, Copy)]
pub(crate) struct BlockWrite<'a> {
    /// Which of them, of the block's lanes.
    pub lanes: u64,
    /// Bits of elements that stay as they are.
    pub keep: Option<u128>,
    /// All lanes' elements side by side.
    pub elements: &'a [u8],
}

/// How the elements of blocks lie in memory: in pieces of bytes side by side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BlockLayout {
    /// Lane of each element, in the order of memory.
    lanes: [u8; LANES],
    /// Are they pairs of lanes, each an even one and the one after it?
    has_pairs: bool,
    /// Are they in the order of lanes?
    is_in_order: bool,
    /// Elements of a piece.
    piece: usize,
    /// Of each piece: its first pixel, its lanes.
    pieces: Vec<([u8; 2], u64)>,
}

impl BlockLayout {
    /// Of a level with elements of so many bytes; none: blocks do not all lie alike.
    pub(crate) fn of(level: &LevelLayout, bytes: usize, is_linear: bool) -> Option<BlockLayout> {
        let (key, origins) = if is_linear { (offsets_in_rows(bytes), 0) } else { keys_of_lanes(level)? };
        let mut lanes: [u8; LANES] = std::array::from_fn(|lane| lane as u8);
        lanes.sort_by_key(|lane| key[usize::from(*lane)]);
        let is_whole = |piece: usize| {
            let run = |lanes: &[u8]| {
                let first = key[usize::from(lanes[0])] as usize;
                first.is_multiple_of(piece * bytes)
                    && lanes.iter().enumerate().all(|(n, lane)| key[usize::from(*lane)] as usize == first + n * bytes)
            };
            (origins as usize).is_multiple_of(piece * bytes) && lanes.chunks(piece).all(run)
        };
        let most = if is_linear { SIDE } else { LANES };
        let piece = (0..=most.ilog2()).rev().map(|log| 1 << log).find(|piece| is_whole(*piece))?;
        if piece * bytes < SIDE {
            return None;
        }
        let pieces = lanes.chunks(piece).map(|lanes| (PLACES[usize::from(lanes[0])], lanes.iter().fold(0, |m, lane| m | 1 << lane)));
        let has_pairs = lanes.as_chunks::<2>().0.iter().all(|[a, b]| a % 2 == 0 && *b == a + 1);
        let is_in_order = lanes.is_sorted();
        Some(BlockLayout { lanes, has_pairs, is_in_order, piece, pieces: pieces.collect() })
    }

    /// Elements by lane to those in the order of memory.
    #[inline(always)]
    fn arrange<const BYTES: usize>(&self, from: &[u8], to: &mut [[u8; BYTES]; LANES]) {
        #[inline(always)]
        fn of<const N: usize, const COUNT: usize>(lanes: impl Iterator<Item = u8>, from: &[u8], to: &mut [u8]) {
            let (from, to) = (from.as_chunks::<N>().0, to.as_chunks_mut::<N>().0);
            let (from, to) = (from.first_chunk::<COUNT>(), to.first_chunk_mut::<COUNT>());
            if let (Some(from), Some(to)) = (from, to) {
                to.iter_mut().zip(lanes).for_each(|(to, lane)| *to = from[usize::from(lane) % COUNT]);
            }
        }
        let to = to.as_flattened_mut();
        let lanes = || self.lanes.iter().copied();
        let pairs = || self.lanes.as_chunks::<2>().0.iter().map(|[a, _]| a / 2);
        match (BYTES, self.has_pairs) {
            (1, true) => of::<2, { LANES / 2 }>(pairs(), from, to),
            (2, true) => of::<4, { LANES / 2 }>(pairs(), from, to),
            (4, true) => of::<8, { LANES / 2 }>(pairs(), from, to),
            _ => of::<BYTES, LANES>(lanes(), from, to),
        }
    }

    /// The opposite of `arrange`.
    fn scatter(&self, bytes: usize, from: &[u8; LANES * MOST_BYTES], to: &mut [u8; LANES * MOST_BYTES]) {
        #[inline(always)]
        fn of<const N: usize>(lanes: &[u8; LANES], from: &[u8], to: &mut [u8]) {
            let (from, to) = (from.as_chunks::<N>().0, to.as_chunks_mut::<N>().0);
            if let (Some(from), Some(to)) = (from.first_chunk::<LANES>(), to.first_chunk_mut::<LANES>()) {
                from.iter().zip(lanes).for_each(|(from, lane)| to[usize::from(*lane) % LANES] = *from);
            }
        }
        match bytes {
            1 => of::<1>(&self.lanes, from, to),
            2 => of::<2>(&self.lanes, from, to),
            4 => of::<4>(&self.lanes, from, to),
            8 => of::<8>(&self.lanes, from, to),
            _ => of::<16>(&self.lanes, from, to),
        }
    }

    /// Reads elements by lane: those of some lanes, and of others that lie with them.
    pub(crate) fn load(
        &self,
        bytes: usize,
        lanes: u64,
        elements: &mut [u8; LANES * MOST_BYTES],
        memory: &wavejit::AddressSpace,
        address: impl Fn([u8; 2]) -> u64,
    ) -> Result<(), wavejit::Error> {
        let mut ordered = [0; LANES * MOST_BYTES];
        for ((place, own), piece) in self.pieces.iter().zip(ordered.chunks_mut(self.piece * bytes)) {
            if lanes & own != 0 {
                memory.read(address(*place), piece)?;
            }
        }
        self.scatter(bytes, &ordered, elements);
        Ok(())
    }

    /// Says that elements are about to be written.
    #[inline]
    pub(crate) fn prepare(&self, bytes: usize, memory: &wavejit::AddressSpace, address: impl Fn([u8; 2]) -> u64) {
        self.pieces.iter().for_each(|(place, _)| memory.prepare_to_write(address(*place), (self.piece * bytes) as u64));
    }

    /// Writes elements of so many bytes.
    #[inline]
    pub(crate) fn store(
        &self,
        bytes: usize,
        what: BlockWrite<'_>,
        memory: &wavejit::AddressSpace,
        address: impl Fn([u8; 2]) -> u64,
    ) -> Result<(), wavejit::Error> {
        match bytes {
            1 => self.store_of::<1>(what, memory, address),
            2 => self.store_of::<2>(what, memory, address),
            4 => self.store_of::<4>(what, memory, address),
            8 => self.store_of::<8>(what, memory, address),
            _ => self.store_of::<16>(what, memory, address),
        }
    }

    #[inline]
    fn store_of<const BYTES: usize>(
        &self,
        BlockWrite { lanes, keep, elements }: BlockWrite<'_>,
        memory: &wavejit::AddressSpace,
        address: impl Fn([u8; 2]) -> u64,
    ) -> Result<(), wavejit::Error> {
        let mut arranged;
        let ordered = match elements.as_chunks().0.first_chunk::<LANES>() {
            Some(elements) if self.is_in_order => elements,
            _ => {
                arranged = [[0; BYTES]; LANES];
                self.arrange(elements, &mut arranged);
                &arranged
            }
        };
        for ((place, own), (n, new)) in self.pieces.iter().zip(ordered.chunks(self.piece).enumerate()) {
            if lanes & own == 0 {
                continue;
            }
            let at = address(*place);
            if lanes & own == *own && keep.is_none() {
                memory.write(at, new.as_flattened())?;
                continue;
            }
            let mut old = [[0; BYTES]; LANES];
            let old = &mut old[..self.piece];
            memory.read(at, old.as_flattened_mut())?;
            let keep = keep.unwrap_or(0).to_le_bytes();
            let piece = self.lanes[n * self.piece..].iter();
            for ((old, new), _) in old.iter_mut().zip(new).zip(piece).filter(|(_, lane)| lanes >> **lane & 1 != 0) {
                old.iter_mut().zip(new).zip(keep).for_each(|((old, new), keep)| *old = *old & keep | new & !keep);
            }
            memory.write(at, old.as_flattened())?;
        }
        Ok(())
    }
}

/// Byte offsets of lanes in rows that lie side by side.
fn offsets_in_rows(bytes: usize) -> [u32; LANES] {
    PLACES.map(|[x, y]| (u32::from(y) * SIDE as u32 + u32::from(x)) * bytes as u32)
}

/// What lanes exclusive-or into the offset of their block, and all bits that those offsets may have set; none: not the same in all blocks.
fn keys_of_lanes(level: &LevelLayout) -> Option<([u32; LANES], u32)> {
    if level.shift[0] < 3 || level.shift[1] < 3 || !level.is_plain() {
        return None;
    }
    let mut origins = level.xor[2].iter().fold(level.sample_xor[0], |all, z| all | z);
    let mut axis = |table: &[u32]| -> Option<[u32; SIDE]> {
        let blocks = table.as_chunks::<SIDE>().0;
        let first = blocks.first()?;
        let own = first.map(|v| v ^ first[0]);
        origins = blocks.iter().fold(origins, |all, block| all | block[0]);
        blocks.iter().all(|block| block.map(|v| v ^ block[0]) == own).then_some(own)
    };
    let (x, y) = (axis(&level.xor[0])?, axis(&level.xor[1])?);
    Some((PLACES.map(|[column, row]| x[usize::from(column)] ^ y[usize::from(row)]), origins))
}
