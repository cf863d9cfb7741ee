//! Format loads and stores (BUF-03, BUF-06 to BUF-10, BUF-22).
//!
//! MUBUF has the format and the component selection from the V#, MTBUF has the format in the instruction and selects nothing. An access
//! is done as a whole or not at all (BUF-14). The elements of all lanes are converted together.

use super::access::{Done, MOST, Pattern, Results, Run};
use super::address::Addressing;
use super::{Alignment, BufferError, D16};
use crate::descriptor::{BufferFormat, DstSel};
use crate::format::{Format, Layout, Numeric, float_to_half, float_to_half_down};
use crate::wave::LaneIter;
use crate::{Generation, Memory, Wave};
use half::f16;

const IDENTITY: [DstSel; 4] = [DstSel::Component(0), DstSel::Component(1), DstSel::Component(2), DstSel::Component(3)];

impl<M: Memory + ?Sized> Run<'_, M> {
    /// The format, which must be one of whole texels.
    fn format(&self) -> Result<&'static Format, BufferError> {
        let number = self.op.format.unwrap_or(self.descriptor.format);
        let found = match number {
            // Numbers above are reserved in buffers, whatever images call them.
            BufferFormat::Split { data: 15.., .. } => None,
            number => Format::find(self.op.generation, number),
        };
        let is_texel = |f: &&Format| !f.is_block() && !matches!(f.layout, Layout::Subsampled { .. });
        found.filter(is_texel).ok_or(BufferError::Format(number))
    }

    /// Where components come from, or go to.
    fn selection(&self) -> [DstSel; 4] {
        if self.op.format.is_some() { IDENTITY } else { self.descriptor.dst_sel }
    }

    /// 1, 2 or 4 bytes (BUF-22). Only mode 0 puts up with less.
    fn format_alignment(&self, bytes: usize) -> (u64, bool) {
        ([1, 1, 2, 2].get(bytes).copied().unwrap_or(4), self.op.alignment == Alignment::Dword)
    }

    pub(super) fn load_format(
        &self,
        wave: &Wave,
        addressing: &Addressing,
        components: usize,
        d16: D16,
        results: &mut Results,
    ) -> Result<Result<(), BufferError>, BufferError> {
        let format = self.format()?;
        let bytes = usize::from(format.bytes);
        let alignment = self.format_alignment(bytes);
        let loader = Loader { format, selection: self.selection(), components, d16, unpacked: self.op.unpacked_d16 };
        let mut stage = [0u8; MOST];
        if !self.op.tfe {
            let is_aligned = |address: u64, step: usize| (address | step as u64) & (alignment.0 - 1) == 0;
            let is_read = match self.pattern(wave, addressing, bytes as u64) {
                Pattern::Consecutive { address, first, last } if is_aligned(address, bytes) => {
                    self.memory.read(address, &mut stage[first * bytes..(last + 1) * bytes])
                }
                Pattern::Spread { address, first, last, step } if is_aligned(address, step) => {
                    self.read_spread(address, [first, last], step, bytes, &mut stage)
                }
                _ => false,
            };
            if is_read {
                loader.put(results, &stage[..wave.lanes * bytes], 0);
                return Ok(Ok(()));
            }
        }
        let mut violation = Ok(());
        let mut not_read = 0;
        for lane in wave.active() {
            let at = self.coordinates(wave, addressing, lane);
            if !addressing.is_in_range(at, bytes as u64) {
                not_read |= 1 << lane;
                continue;
            }
            match Self::aligned(addressing.address(at), alignment, lane) {
                Ok(address) => {
                    if let Done::Nacked = self.read(lane, address, &mut stage[lane * bytes..(lane + 1) * bytes])? {
                        results.nacked |= 1 << lane;
                    }
                }
                Err(e) => {
                    not_read |= 1 << lane;
                    violation = violation.and(Err(e));
                }
            }
        }
        loader.put(results, &stage[..wave.lanes * bytes], not_read);
        Ok(violation)
    }

    pub(super) fn store_format(
        &self,
        wave: &Wave,
        addressing: &Addressing,
        components: usize,
        d16: D16,
    ) -> Result<Result<(), BufferError>, BufferError> {
        let format = self.format()?;
        let bytes = usize::from(format.bytes);
        let alignment = self.format_alignment(bytes);
        let selection = self.selection();
        // gfx12 repeats X where a component is not sent; before, it is 0 (BUF-10).
        let repeats_x = self.op.generation >= Generation::Gfx12 && self.op.format.is_none();
        let mut sent = [[0; 64]; 4];
        for (i, row) in sent.iter_mut().enumerate() {
            match i {
                _ if i < components => self.component(wave, i, d16, format, row),
                _ if repeats_x => self.component(wave, 0, d16, format, row),
                _ => {}
            }
        }
        let zeros = [0; 64];
        let channel = |c: u8| &selection.iter().position(|s| *s == DstSel::Component(c)).map_or(&zeros, |i| &sent[i])[..wave.lanes];
        let mut stage = [0; MOST];
        if !format.encode_many([0, 1, 2, 3].map(channel), &mut stage[..wave.lanes * bytes]) {
            return Err(BufferError::Format(self.op.format.unwrap_or(self.descriptor.format)));
        }
        if let Pattern::Consecutive { address, first, last } = self.pattern(wave, addressing, bytes as u64)
            && (address | bytes as u64) & (alignment.0 - 1) == 0
            && wave.exec >> first == u64::MAX >> (63 - (last - first))
            && self.memory.write(address, &stage[first * bytes..(last + 1) * bytes])
        {
            return Ok(Ok(()));
        }
        let mut violation = Ok(());
        for lane in wave.active() {
            let at = self.coordinates(wave, addressing, lane);
            if addressing.is_in_range(at, bytes as u64) {
                match Self::aligned(addressing.address(at), alignment, lane) {
                    Ok(address) => self.write(lane, address, &stage[lane * bytes..(lane + 1) * bytes])?,
                    Err(e) => violation = violation.and(Err(e)),
                }
            }
        }
        Ok(violation)
    }

    /// Component `i` of the lanes' data, as texels have it.
    fn component(&self, wave: &Wave, i: usize, d16: D16, format: &Format, out: &mut [u32; 64]) {
        let (register, shift) = match d16 {
            D16::No => {
                out[..wave.lanes].copy_from_slice(wave.row(self.rows.data[i]));
                return;
            }
            D16::High => (0, 16),
            D16::Low if self.op.unpacked_d16 => (i, 0),
            D16::Low => (i / 2, 16 * (i % 2)),
        };
        for (out, register) in out.iter_mut().zip(wave.row(self.rows.data[register])) {
            let half = (register >> shift) as u16;
            *out = match format.numeric {
                Numeric::Uint => half.into(),
                Numeric::Sint => i32::from(half as i16) as u32,
                _ => f16::from_bits(half).to_f32().to_bits(),
            };
        }
    }
}

/// How elements become registers.
struct Loader {
    format: &'static Format,
    selection: [DstSel; 4],
    components: usize,
    d16: D16,
    unpacked: bool,
}

impl Loader {
    /// The elements of all lanes to result registers. Of lanes without one only constants 1 are seen (BUF-13).
    fn put(&self, results: &mut Results, elements: &[u8], without: u64) {
        let mut channels = [[0; 64]; 4];
        let lanes = elements.len() / usize::from(self.format.bytes);
        self.format.decode_many(elements, channels.each_mut().map(|row| &mut row[..lanes]));
        for (i, source) in self.selection.iter().enumerate().take(self.components) {
            let constant = if *source == DstSel::One { self.format.one() } else { 0 };
            let mut row = match source {
                DstSel::Component(c) => channels[usize::from(c & 3)],
                _ => [constant; 64],
            };
            for lane in LaneIter(without) {
                row[lane] = constant;
            }
            match self.d16 {
                D16::No => results.rows[i] = row,
                _ if i % 2 == 0 || self.unpacked => {
                    self.halves(&mut row);
                    results.rows[if self.unpacked { i } else { i / 2 }] = row;
                }
                _ => {
                    self.halves(&mut row);
                    results.rows[i / 2].iter_mut().zip(row).for_each(|(to, value)| *to |= value << 16);
                }
            }
        }
    }

    /// Components in 16 bits: floats are truncated, others rounded, integers clamped (BUF-07).
    fn halves(&self, row: &mut [u32; 64]) {
        match self.format.numeric {
            Numeric::Uint => row.iter_mut().for_each(|v| *v = (*v).min(0xffff)),
            Numeric::Sint => row.iter_mut().for_each(|v| *v = (*v as i32).clamp(-0x8000, 0x7fff) as u32 & 0xffff),
            Numeric::Float => row.iter_mut().for_each(|v| *v = float_to_half_down(*v)),
            _ => row.iter_mut().for_each(|v| *v = float_to_half(*v)),
        }
    }
}
