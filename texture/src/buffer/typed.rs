//! Format loads and stores (BUF-03, BUF-06 to BUF-10, BUF-22).
//!
//! MUBUF has the format and the component selection from the V#, MTBUF has the format in the instruction and selects nothing. An access
//! is done as a whole or not at all (BUF-14).

use super::access::{Done, Pattern, Results, Run};
use super::address::Addressing;
use super::{Alignment, BufferError, D16};
use crate::descriptor::{BufferFormat, DstSel};
use crate::format::{Format, Layout, Numeric};
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
        plan: &Addressing,
        components: usize,
        d16: D16,
        results: &mut Results,
    ) -> Result<Result<(), BufferError>, BufferError> {
        let format = self.format()?;
        let bytes = usize::from(format.bytes);
        let alignment = self.format_alignment(bytes);
        let loader = Loader { format, selection: self.selection(), components, d16, unpacked: self.op.unpacked_d16 };
        if !self.op.tfe
            && let Pattern::Consecutive { address, first, last } = self.pattern(wave, plan, bytes as u64)
            && (address | bytes as u64) & (alignment.0 - 1) == 0
        {
            let mut stage = [0u8; 64 * 16];
            let stage = &mut stage[..(last + 1 - first) * bytes];
            if self.memory.read(address, stage) {
                for (lane, element) in stage.chunks_exact(bytes).enumerate() {
                    loader.put(results, first + lane, loader.texel(element));
                }
                return Ok(Ok(()));
            }
        }
        let mut violation = Ok(());
        for lane in wave.active() {
            let at = self.coordinates(wave, plan, lane);
            // Out of range only constants 1 are seen (BUF-13).
            let mut texel = loader.selection.map(|s| if s == DstSel::One { format.one() } else { 0 });
            if plan.is_in_range(at, bytes as u64) {
                match Self::aligned(plan.address(at), alignment, lane) {
                    Ok(address) => {
                        let mut element = [0u8; 16];
                        if let Done::Nacked = self.read(lane, address, &mut element[..bytes])? {
                            results.nacked |= 1 << lane;
                        }
                        texel = loader.texel(&element[..bytes]);
                    }
                    Err(e) => violation = violation.and(Err(e)),
                }
            }
            loader.put(results, lane, texel);
        }
        Ok(violation)
    }

    pub(super) fn store_format(
        &self,
        wave: &Wave,
        plan: &Addressing,
        components: usize,
        d16: D16,
    ) -> Result<Result<(), BufferError>, BufferError> {
        let format = self.format()?;
        let bytes = usize::from(format.bytes);
        let alignment = self.format_alignment(bytes);
        let selection = self.selection();
        // gfx12 repeats X where a component is not sent; before, it is 0 (BUF-10).
        let repeats_x = self.op.generation >= Generation::Gfx12 && self.op.format.is_none();
        let mut violation = Ok(());
        for lane in wave.active() {
            let at = self.coordinates(wave, plan, lane);
            if !plan.is_in_range(at, bytes as u64) {
                continue;
            }
            let mut sent = [0; 4];
            for (i, value) in sent.iter_mut().enumerate() {
                *value = match i {
                    _ if i < components => self.component(wave, lane, i, d16, format),
                    _ if repeats_x => self.component(wave, lane, 0, d16, format),
                    _ => 0,
                };
            }
            let channel = |c: u8| selection.iter().position(|s| *s == DstSel::Component(c)).map_or(0, |i| sent[i]);
            let mut element = [0; 16];
            if !format.encode([0, 1, 2, 3].map(channel), &mut element[..bytes]) {
                return Err(BufferError::Format(self.op.format.unwrap_or(self.descriptor.format)));
            }
            match Self::aligned(plan.address(at), alignment, lane) {
                Ok(address) => self.write(lane, address, &element[..bytes])?,
                Err(e) => violation = violation.and(Err(e)),
            }
        }
        Ok(violation)
    }

    /// Component `i` of a lane's data, as a texel has it.
    fn component(&self, wave: &Wave, lane: usize, i: usize, d16: D16, format: &Format) -> u32 {
        let register = |r: usize| wave.get(self.rows.data[r], lane);
        let half = match d16 {
            D16::No => return register(i),
            D16::High => register(0) >> 16,
            D16::Low if self.op.unpacked_d16 => register(i),
            D16::Low => register(i / 2) >> (16 * (i % 2)),
        } as u16;
        match format.numeric {
            Numeric::Uint => half.into(),
            Numeric::Sint => i32::from(half as i16) as u32,
            _ => f16::from_bits(half).to_f32().to_bits(),
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
    /// The four components of an element, selected.
    fn texel(&self, element: &[u8]) -> [u32; 4] {
        let texel = self.format.decode(element);
        self.selection.map(|s| match s {
            DstSel::Component(c) => texel[usize::from(c)],
            DstSel::One => self.format.one(),
            DstSel::Zero | DstSel::Reserved => 0,
        })
    }

    /// To result registers.
    fn put(&self, results: &mut Results, lane: usize, texel: [u32; 4]) {
        for (i, value) in texel.into_iter().enumerate().take(self.components) {
            match self.d16 {
                D16::No => results.rows[i][lane] = value,
                _ if i % 2 == 0 || self.unpacked => {
                    let register = if self.unpacked { i } else { i / 2 };
                    results.rows[register][lane] = self.half(value).into();
                }
                _ => results.rows[i / 2][lane] |= u32::from(self.half(value)) << 16,
            }
        }
    }

    /// A component in 16 bits: floats are truncated, others rounded, integers clamped (BUF-07).
    fn half(&self, value: u32) -> u16 {
        let float = f32::from_bits(value);
        match self.format.numeric {
            Numeric::Uint => value.min(0xffff) as u16,
            Numeric::Sint => (value as i32).clamp(-0x8000, 0x7fff) as u16,
            Numeric::Float => truncated(float),
            _ => f16::from_f32(float).to_bits(),
        }
    }
}

/// The f16 next to `x` towards zero.
fn truncated(x: f32) -> u16 {
    let nearest = f16::from_f32(x);
    if nearest.to_f32().abs() > x.abs() { nearest.to_bits() - 1 } else { nearest.to_bits() }
}
