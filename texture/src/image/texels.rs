//! Instructions without sampler: load, store, their raw forms, atomics and msaa_load.
//!
//! Addresses are unsigned integers; what lies outside loads as 0 in every memory channel and is not stored (IMG-28).
//!
//! Reference: RDNA3 ISA, "image instructions without sampler"; GCN3 ISA for the `_pck` forms.

use super::address::{Operands, TexelAddress};
use super::error::ImageError;
use super::op::{ImageOp, Kind, Packing};
use super::routine::Routine;
use super::surface::{Place, Surface, Texel};
use super::values::{Narrow, Status, Widen, masked, put, select, take, unselect};
use crate::atomic::{AtomicOp, FloatRules, apply32, apply64};
use crate::format::Numeric;
use crate::{Generation, Memory, Wave};

/// A row of nothing.
static ZEROS: [u32; 64] = [0; 64];

impl Routine {
    /// Level operand of `_mip`, place in the image.
    fn place(&self, surface: &Surface, address: &TexelAddress) -> Option<Place> {
        let level = match self.op.kind {
            Kind::Load { mip: true, .. } | Kind::Store { mip: true, .. } => address.level,
            _ => 0,
        };
        surface.place(address.body, level, address.fragment)
    }

    fn put(&self, operands: &Operands, wave: &mut Wave, lane: usize, components: &[u32], narrow: Narrow, status: Status) {
        let n = put(&self.op, self.config.unpacked_d16, operands, wave, lane, components, narrow);
        let wants_status = if self.op.dmask & 15 == 0 { self.op.lwe } else { self.op.has_status() };
        if wants_status {
            operands.set_result(wave, n, lane, status.word(&self.op));
        }
    }

    /// Results of a lane of an instruction that may not read its image (IMG-27, IMG-29).
    pub(super) fn put_nothing(&self, operands: &Operands, wave: &mut Wave) {
        let n = match self.op.kind {
            Kind::Store { .. } => return,
            Kind::Atomic(_) if !self.op.returns => return,
            _ => self.op.components().max(1),
        };
        for lane in wave.active() {
            self.put(operands, wave, lane, &[0; 4][..n], Narrow::Integer, Status::default());
        }
    }

    /// How loads narrow to 16 bits.
    fn narrow_loads(surface: &Surface) -> Narrow {
        match surface.format.numeric {
            _ if surface.format.is_integer() => Narrow::Integer,
            Numeric::Float if surface.format.channels[0].bits == 32 => Narrow::Truncate,
            _ => Narrow::Nearest,
        }
    }

    /// image_load, image_load_mip and their raw forms.
    pub(super) fn load(
        &self,
        packing: Packing,
        surface: &Surface,
        operands: &Operands,
        wave: &mut Wave,
        memory: &dyn Memory,
    ) -> Result<(), ImageError> {
        let narrow = if packing == Packing::Converted { Self::narrow_loads(surface) } else { Narrow::Integer };
        for lane in wave.active() {
            let address = operands.texel(wave, &self.layout, lane);
            let mut status = Status::default();
            let place = self.place(surface, &address);
            let bytes = match place {
                Some(place) => surface.bytes(memory, place, lane)?,
                None => None,
            };
            if let (Some(place), None) = (place, bytes)
                && !surface.prt_default
            {
                status.failed = Some(place.level);
            }
            let components = match (packing, place, bytes) {
                (Packing::Converted, Some(place), Some(bytes)) => {
                    let channels = surface.decode(&bytes, place);
                    select(&surface.dst_sel, channels, surface.format.is_integer())
                }
                (Packing::Converted, _, _) => select(&surface.dst_sel, [0; 4], surface.format.is_integer()),
                (Packing::Raw, _, Some(bytes)) => dwords(&bytes),
                (Packing::RawSigned, _, Some(bytes)) => signed_components(surface, &bytes),
                _ => [0; 4],
            };
            let (out, n) = masked(self.op.dmask, components);
            self.put(operands, wave, lane, &out[..n], narrow, status);
        }
        Ok(())
    }

    /// image_store, image_store_mip and their raw forms: whole texels (IMG-22).
    pub(super) fn store(
        &self,
        raw: bool,
        surface: &Surface,
        operands: &Operands,
        wave: &Wave,
        memory: &dyn Memory,
    ) -> Result<(), ImageError> {
        let format = &surface.format;
        let widen = match format.numeric {
            _ if raw => Widen::Unsigned,
            Numeric::Sint => Widen::Signed,
            Numeric::Uint => Widen::Unsigned,
            _ => Widen::Float,
        };
        let bytes = usize::from(format.bytes);
        // Rows of components, those that DMASK leaves out 0.
        let zeros = &ZEROS[..wave.lanes];
        let wide = self.op.d16.then(|| self.widened(operands, wave, widen));
        let mut rows = [zeros; 4];
        let named = rows.iter_mut().enumerate().filter(|(k, _)| self.op.dmask >> k & 1 != 0);
        for (n, (_, row)) in named.enumerate() {
            *row = match (&wide, operands.source.get(n)) {
                (Some(wide), _) => &wide[n][..wave.lanes],
                (None, Some(&source)) => wave.row(source),
                (None, None) => zeros,
            };
        }
        if !raw && self.op.generation == Generation::Gfx12 {
            // what DMASK leaves out is stored as X
            for k in 1..4 {
                if self.op.dmask >> k & 1 == 0 {
                    rows[k] = rows[0];
                }
            }
        }
        let rows = if raw { rows } else { unselect(&surface.dst_sel, rows, zeros) };

        // All lanes are converted together.
        let mut texels = [0; 64 * 16];
        let texels = &mut texels[..wave.lanes * bytes];
        if raw {
            for (lane, texel) in texels.chunks_mut(bytes).enumerate() {
                for (chunk, row) in texel.chunks_mut(4).zip(&rows) {
                    let count = chunk.len();
                    chunk.copy_from_slice(&row[lane].to_le_bytes()[..count]);
                }
            }
        } else if !format.encode_many(rows, texels) {
            return Ok(()); // compressed images cannot be stored to
        }
        #[cfg(target_arch = "x86_64")]
        if self.store_kernel(operands).is_some_and(|kernel| kernel.store(operands, wave, memory, texels)) {
            return Ok(());
        }
        for lane in wave.active() {
            let address = operands.texel(wave, &self.layout, lane);
            let Some(place) = self.place(surface, &address) else { continue };
            let address = surface.element(place);
            if surface.is_resident(memory, address) && !memory.write(address, &texels[lane * bytes..][..bytes]) {
                return Err(ImageError::Unmapped { lane: lane as u32, address });
            }
        }
        Ok(())
    }

    /// The components of 16-bit data, by lane.
    fn widened(&self, operands: &Operands, wave: &Wave, widen: Widen) -> [[u32; 64]; 4] {
        let mut wide = [ZEROS; 4];
        for (n, row) in wide.iter_mut().enumerate().take(self.op.components()) {
            for (lane, value) in row.iter_mut().enumerate().take(wave.lanes) {
                *value = take(&self.op, self.config.unpacked_d16, operands, wave, lane, n, widen);
            }
        }
        wide
    }

    /// image_atomic_*: on texels of 32 or 64 bits as one number each (IMG-24).
    pub(super) fn atomic(
        &self,
        op: AtomicOp,
        surface: &Surface,
        operands: &Operands,
        wave: &mut Wave,
        memory: &dyn Memory,
    ) -> Result<(), ImageError> {
        let (bytes, dwords) = atomic_size(op, self.op.dmask)?;
        let rules = FloatRules { denorm_in: true, denorm_out: true };
        let fits = surface.format.bytes == bytes && !surface.format.is_block();
        for lane in wave.active() {
            let address = operands.texel(wave, &self.layout, lane);
            let mut status = Status::default();
            let data: [u32; 4] = std::array::from_fn(|n| operands.source(wave, n, lane));
            let old = match self.place(surface, &address).filter(|_| fits) {
                None => 0,
                Some(place) => {
                    let address = surface.element(place);
                    if surface.is_resident(memory, address) {
                        let old = if bytes == 4 {
                            memory.atomic32(address, &mut |old| apply32(op, old as u32, [data[0], data[1]], rules).into()).map(u64::from)
                        } else {
                            let pair = |n: usize| u64::from(data[n]) | u64::from(data[n + 1]) << 32;
                            memory.atomic64(address, &mut |old| apply64(op, old, [pair(0), pair(2)], rules))
                        };
                        old.ok_or(ImageError::Unmapped { lane: lane as u32, address })?
                    } else {
                        status.failed = Some(place.level).filter(|_| !surface.prt_default);
                        0
                    }
                }
            };
            if self.op.returns {
                let words = [old as u32, (old >> 32) as u32];
                for (n, &word) in words.iter().take(usize::from(bytes) / 4).enumerate() {
                    operands.set_result(wave, n, lane, word);
                }
            }
            if self.op.has_status() {
                operands.set_result(wave, dwords, lane, status.word(&self.op));
            }
        }
        Ok(())
    }

    /// image_msaa_load: one component of up to four fragments (IMG-33).
    pub(super) fn msaa_load(&self, surface: &Surface, operands: &Operands, wave: &mut Wave, memory: &dyn Memory) -> Result<(), ImageError> {
        let component = (self.op.dmask.trailing_zeros() as usize).min(3);
        for lane in wave.active() {
            let address = operands.texel(wave, &self.layout, lane);
            let mut status = Status::default();
            let mut out = [0; 4];
            for (n, out) in out.iter_mut().enumerate() {
                let mut channels = [0; 4];
                if let Some(place) = surface.place(address.body, 0, address.fragment.saturating_add(n as u32)) {
                    match surface.texel(memory, place, lane)? {
                        Texel::Value(value) => channels = value,
                        Texel::NotResident => status.failed = Some(0).filter(|_| !surface.prt_default),
                    }
                }
                *out = select(&surface.dst_sel, channels, surface.format.is_integer())[component];
            }
            self.put(operands, wave, lane, &out, Self::narrow_loads(surface), status);
        }
        Ok(())
    }

    /// Writes the result of a sampler instruction.
    pub(super) fn put_sampled(
        &self,
        operands: &Operands,
        wave: &mut Wave,
        lane: usize,
        components: &[u32],
        is_integer: bool,
        status: Status,
    ) {
        self.put(operands, wave, lane, components, if is_integer { Narrow::Integer } else { Narrow::Nearest }, status);
    }
}

/// Bytes of the operation and dwords of its data, from DMASK.
pub(super) fn atomic_size(op: AtomicOp, dmask: u8) -> Result<(u8, usize), ImageError> {
    let compares = matches!(op, AtomicOp::CmpSwap | AtomicOp::FCmpSwap);
    match (dmask & 15, compares) {
        (0x1, false) => Ok((4, 1)),
        (0x3, true) => Ok((4, 2)),
        (0x3, false) => Ok((8, 2)),
        (0xf, true) => Ok((8, 4)),
        _ => Err(ImageError::AtomicMask(dmask)),
    }
}

/// The dwords of a texel, the last one zero-extended (GCN-15).
fn dwords(bytes: &[u8; 16]) -> [u32; 4] {
    std::array::from_fn(|n| u32::from_le_bytes([bytes[4 * n], bytes[4 * n + 1], bytes[4 * n + 2], bytes[4 * n + 3]]))
}

/// The components of a texel, sign-extended from their widths (GCN-15).
fn signed_components(surface: &Surface, bytes: &[u8; 16]) -> [u32; 4] {
    let texel = u128::from_le_bytes(*bytes);
    surface.format.channels.map(|channel| {
        let unused = 32 - u32::from(channel.bits.clamp(1, 32));
        let signed = (((texel >> channel.shift) as u32) << unused) as i32 >> unused;
        if channel.bits == 0 { 0 } else { signed as u32 }
    })
}

/// Registers an instruction needs, against those it has.
pub(super) fn check_registers(op: &ImageOp, registers: u8, unpacked_d16: bool, operands: &Operands) -> Result<(), ImageError> {
    let check = |what, needed: usize, given: usize| {
        if given < needed { Err(ImageError::Registers { what, needed, given }) } else { Ok(()) }
    };
    check("address", registers.into(), operands.address.len())?;
    let data = op.data_registers(unpacked_d16);
    match op.kind {
        Kind::Store { .. } => check("data", data, operands.source.len()),
        Kind::Atomic(atomic) => check("data", atomic_size(atomic, op.dmask)?.1, operands.source.len()),
        _ => check("result", data + usize::from(op.has_status()), operands.result.len()),
    }
}
