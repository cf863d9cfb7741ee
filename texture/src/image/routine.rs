//! One image instruction with its descriptors, resolved: what does not change from wave to wave.

use super::address::Operands;
use super::error::ImageError;
#[cfg(target_arch = "x86_64")]
use super::kernel::Kernel;
use super::op::{Dim, ImageOp, Kind, Layout};
use super::sampler::Sampler;
use super::surface::Surface;
use super::texels::check_registers;
use crate::format::Layout as FormatLayout;
#[cfg(target_arch = "x86_64")]
use crate::guarded::View;
use crate::tiling::AddressConfig;
use crate::{Memory, Wave};
#[cfg(target_arch = "x86_64")]
use wavejit_isa::HostLevel;

/// What the device says about images beside descriptors and instructions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ImageConfig {
    /// GB_ADDR_CONFIG: how addresses are spread over memory channels.
    pub addresses: AddressConfig,
    /// TA_BC_BASE_ADDR as a guest address: table of border colors, 16 bytes each.
    pub border_colors: u64,
    /// TA_CNTL2.TRUNCATE_COORD_MODE of gfx11 and later: S#.trunc_coord does not reach array layers.
    pub conformant_truncation: bool,
    /// 16-bit data takes a VGPR per component (gfx8.0).
    pub unpacked_d16: bool,
}

/// An instruction with its descriptors.
#[derive(Debug)]
pub struct Routine {
    pub(super) op: ImageOp,
    pub(super) config: ImageConfig,
    /// Shape of the addresses.
    pub(super) dim: Dim,
    pub(super) layout: Layout,
    /// `None`: unbound, or nothing this instruction may read.
    pub(super) surface: Option<Surface>,
    pub(super) sampler: Option<Sampler>,
    #[cfg(target_arch = "x86_64")]
    kernel: Option<Kernel>,
}

impl Routine {
    /// Resolves the descriptors; words a descriptor does not have (R128, instructions without sampler) are ignored.
    pub fn new(op: &ImageOp, config: &ImageConfig, t: &[u32; 8], s: &[u32; 4]) -> Result<Routine, ImageError> {
        let surface = super::resolve::surface(op, config, t, s)?;
        let dim = op.dim.or(surface.as_ref().map(|s| s.dim.declared(op.declared_array))).unwrap_or(Dim::D1);
        let sampler = op.kind.sampling().and(surface.as_ref()).map(|surface| super::resolve::sampler(op, config, s, surface));
        if let (Some(surface), Some(sampler)) = (&surface, &sampler) {
            check_cube(op, surface, sampler)?;
        }
        let routine = Routine {
            op: *op,
            config: *config,
            dim,
            layout: op.layout(dim),
            surface,
            sampler,
            #[cfg(target_arch = "x86_64")]
            kernel: None,
        };
        #[cfg(target_arch = "x86_64")]
        let routine = Routine { kernel: Kernel::new(&routine, HostLevel::get()), ..routine };
        Ok(routine)
    }

    /// The same with the vector kernels of another level; without any at the portable one, and at those that the host lacks.
    #[cfg(target_arch = "x86_64")]
    pub fn at_level(self, level: HostLevel) -> Routine {
        let kernel = Some(level).filter(|level| *level <= HostLevel::host()).and_then(|level| Kernel::new(&self, level));
        Routine { kernel, ..self }
    }

    /// The vector kernel of a store.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn store_kernel(&self, operands: &Operands) -> Option<&Kernel> {
        self.kernel.as_ref().filter(|_| operands.address.len() >= self.layout.registers.into())
    }

    /// The vector kernel, for tests that break it.
    #[cfg(all(test, target_arch = "x86_64", any(debug_assertions, feature = "checked")))]
    pub(super) fn kernel_mut(&mut self) -> Option<&mut Kernel> {
        self.kernel.as_mut()
    }

    /// Is there a vector kernel?
    #[cfg(target_arch = "x86_64")]
    pub fn has_kernel(&self) -> bool {
        self.kernel.is_some()
    }

    /// Is the vector kernel one of the short forms of common instructions?
    #[cfg(target_arch = "x86_64")]
    pub fn has_short_form(&self) -> bool {
        self.kernel.as_ref().is_some_and(Kernel::is_short)
    }

    /// Executes the instruction for a wave.
    pub fn execute(&self, operands: &Operands, wave: &mut Wave, memory: &dyn Memory) -> Result<(), ImageError> {
        // Without DIM it is the T# that decides how many address registers there are: those that were not given are 0.
        let registers = if self.op.dim.is_some() { self.layout.registers } else { 0 };
        check_registers(&self.op, registers, self.config.unpacked_d16, operands)?;
        let Some(surface) = &self.surface else {
            self.put_nothing(operands, wave);
            return Ok(());
        };
        #[cfg(target_arch = "x86_64")]
        if let Some(left) = self.execute_kernel(surface, operands, wave, memory) {
            if left == 0 {
                return Ok(());
            }
            let exec = std::mem::replace(&mut wave.exec, left);
            let done = self.execute_by_lane(surface, operands, wave, memory);
            wave.exec = exec;
            return done;
        }
        self.execute_by_lane(surface, operands, wave, memory)
    }

    /// The vector form, if there is one: the lanes it leaves to the scalar one.
    #[cfg(target_arch = "x86_64")]
    fn execute_kernel(&self, surface: &Surface, operands: &Operands, wave: &mut Wave, memory: &dyn Memory) -> Option<u64> {
        let kernel = self.kernel.as_ref().filter(|_| operands.address.len() >= self.layout.registers.into())?;
        let border = match (kernel.border(), &self.sampler) {
            (Some(color), _) => color,
            (None, Some(sampler)) => self.border(surface, sampler, memory).ok()?,
            (None, None) => return None,
        };
        kernel.execute(operands, wave, memory, border)
    }

    /// The image in memory of an instruction that needs only its vector kernel, if its registers are there.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn image_at_once(&self, operands: &Operands, memory: &dyn Memory) -> Option<View> {
        let registers = if self.op.dim.is_some() { self.layout.registers } else { 0 };
        check_registers(&self.op, registers, self.config.unpacked_d16, operands).ok()?;
        let has_addresses = operands.address.len() >= self.layout.registers.into();
        self.kernel.as_ref().filter(|kernel| has_addresses && kernel.border().is_some())?.view(memory)
    }

    /// Executes the vector kernel on an image of [`Routine::image_at_once`] for the same instruction: the lanes it leaves; `None`: all.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn execute_at(&self, image: View, operands: &Operands, wave: &mut Wave) -> Option<u64> {
        let kernel = self.kernel.as_ref()?;
        kernel.execute_at(image, operands, wave, kernel.border()?)
    }

    /// The scalar form.
    fn execute_by_lane(&self, surface: &Surface, operands: &Operands, wave: &mut Wave, memory: &dyn Memory) -> Result<(), ImageError> {
        match (self.op.kind, &self.sampler) {
            (Kind::Load { packing, .. }, _) => self.load(packing, surface, operands, wave, memory),
            (Kind::Store { raw, .. }, _) => self.store(raw, surface, operands, wave, memory),
            (Kind::Atomic(op), _) => self.atomic(op, surface, operands, wave, memory),
            (Kind::MsaaLoad, _) => self.msaa_load(surface, operands, wave, memory),
            (Kind::ResInfo, _) => {
                self.resinfo(surface, operands, wave);
                Ok(())
            }
            (Kind::GetLod, Some(sampler)) => {
                self.get_lod(surface, sampler, operands, wave);
                Ok(())
            }
            (Kind::Sample(_) | Kind::Gather4(_) | Kind::Gather4h(_), Some(sampler)) => {
                self.sample(surface, sampler, operands, wave, memory)
            }
            (_, None) => Ok(()), // `new` gives these kinds a sampler
        }
    }

    /// The border color in memory channels (images.md 5.4).
    pub(super) fn border(&self, surface: &Surface, sampler: &Sampler, memory: &dyn Memory) -> Result<[u32; 4], ImageError> {
        if let Some(color) = self.constant_border(surface, sampler) {
            return Ok(color);
        }
        let address = self.config.border_colors.wrapping_add(u64::from(sampler.border_index) * 16);
        let mut bytes = [0; 16];
        if !memory.read(address, &mut bytes) {
            return Err(ImageError::BorderColor { entry: sampler.border_index, address });
        }
        let (dwords, _) = bytes.as_chunks::<4>();
        Ok(in_channels(surface, std::array::from_fn(|c| u32::from_le_bytes(dwords[c]))))
    }

    /// The same of a sampler whose border color is not in memory, or that has none.
    pub(super) fn constant_border(&self, surface: &Surface, sampler: &Sampler) -> Option<[u32; 4]> {
        if !sampler.clamp.iter().any(|c| c.has_border()) {
            return Some([0; 4]);
        }
        let one = if surface.format.is_integer() { 1 } else { 1.0_f32.to_bits() };
        let color = match sampler.border_type {
            0 => [0; 4],
            1 => [0, 0, 0, one],
            2 => [one; 4],
            _ => return None,
        };
        Some(in_channels(surface, color))
    }
}

/// A border color in the channels of a surface.
fn in_channels(surface: &Surface, color: [u32; 4]) -> [u32; 4] {
    let one = if surface.format.is_integer() { 1 } else { 1.0_f32.to_bits() };
    let mut channels = surface.border_order.map(|c| color[usize::from(c & 3)]);
    for (c, channel) in channels.iter_mut().enumerate() {
        if surface.format.layout == FormatLayout::Plain && surface.format.channels[c].bits == 0 {
            *channel = if c == 3 { one } else { 0 };
        } else if let Some((low, high)) = surface.range() {
            *channel = f32::from_bits(*channel).max(low).min(high).to_bits();
        }
    }
    channels
}

/// Refuses faces that are not square where a filter goes on beyond their edges. Scalar form and kernels take that for granted.
fn check_cube(op: &ImageOp, surface: &Surface, sampler: &Sampler) -> Result<(), ImageError> {
    let reads = matches!(op.kind, Kind::Sample(_) | Kind::Gather4(_) | Kind::Gather4h(_));
    let is_square = surface.levels.iter().all(|level| level.size[0] == level.size[1]);
    if !reads || surface.dim != Dim::Cube || sampler.separate_faces || is_square {
        return Ok(());
    }
    let [width, height, _] = surface.levels[0].size.map(|n| n as u32);
    Err(ImageError::Cube { width, height })
}

/// Executes an image instruction for a wave: `t` and `s` are its descriptors, of which only the words it has count.
///
/// This resolves the descriptors anew each time; see [`super::RoutineCache`] for more than a few calls.
pub fn execute(
    op: &ImageOp,
    config: &ImageConfig,
    t: &[u32; 8],
    s: &[u32; 4],
    operands: &Operands,
    wave: &mut Wave,
    memory: &dyn Memory,
) -> Result<(), ImageError> {
    Routine::new(op, config, t, s)?.execute(operands, wave, memory)
}
