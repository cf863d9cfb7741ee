//! Buffer, image and ray instructions: from a call of compiled code to the texture crate and back.
//!
//! The first call of a site makes of its instruction what the texture crate needs; later ones find it there. Rows, LDS and memory are lent
//! to the texture crate for the call. Routines of image instructions are kept by device and thread.

use super::access::{self, Failed};
use super::checked::verify_row;
use super::context::WaveContext;
use super::vector::{context, fault, host};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use wavejit_ir::Site;
use wavejit_ir::abi::{FaultKind, ResourceCall, WaveState};
use wavejit_isa::{Enc, Feature, MemoryKind};
use wavejit_texture::buffer::{self, BufferError, BufferOp, Opcode, Rows, Scalars};
use wavejit_texture::descriptor::{BufferDescriptor, BufferFormat, BvhDescriptor};
use wavejit_texture::image::{Dim, ImageError, ImageOp, Kind, Operands, SiteCall};
use wavejit_texture::memory::Update;
use wavejit_texture::ray::{self, RayError, RayOp};
use wavejit_texture::{Generation, Memory, Wave};

#[cfg(target_arch = "x86_64")]
use wavejit_texture::guarded::RECOVERS;
/// Only x86-64 has vector forms.
#[cfg(not(target_arch = "x86_64"))]
const RECOVERS: bool = false;

/// What a site's instruction is.
enum Resolved {
    Buffer(BufferOp),
    Ray(RayOp),
    /// With the number it goes by.
    Image(ImageOp, usize),
    /// Nothing this build executes; why.
    Unknown(String),
}

fn resolve(site: &Site) -> Resolved {
    let inst = &site.inst;
    let generation = site.target.descriptors();
    match inst.row.memory {
        Some(MemoryKind::Buffer { opcode, to_lds }) => Resolved::Buffer(with_modifiers(BufferOp::of(opcode, to_lds, generation), site)),
        Some(MemoryKind::Image { kind, g16 }) => Resolved::Image(image_op(kind, g16, site, generation), SITES.fetch_add(1, Relaxed)),
        Some(MemoryKind::Ray(form)) => match RayOp::new(form, generation, inst.mods.a16) {
            Some(op) => Resolved::Ray(op),
            None => Resolved::Unknown(format!("{} is not supported", inst.name())),
        },
        None => Resolved::Unknown(format!("{} is not a buffer or image access", inst.name())),
    }
}

fn image_op(kind: Kind, g16: bool, site: &Site, generation: Generation) -> ImageOp {
    let mods = &site.inst.mods;
    ImageOp {
        declared_array: mods.da,
        dmask: mods.dmask,
        unorm: mods.unorm,
        d16: mods.d16,
        a16: mods.a16,
        g16: g16 || mods.g16,
        tfe: mods.tfe,
        lwe: mods.lwe,
        r128: mods.r128,
        returns: site.results != 0,
        ..ImageOp::new(kind, generation, Dim::from_field(mods.dim.into()))
    }
}

/// Image instructions so far.
static SITES: AtomicUsize = AtomicUsize::new(0);

fn with_modifiers(op: BufferOp, site: &Site) -> BufferOp {
    let (inst, mods) = (&site.inst, &site.inst.mods);
    let format = (inst.enc == Enc::MTBUF).then(|| {
        if op.generation < Generation::Gfx10 {
            BufferFormat::Split { data: mods.format & 15, number: mods.format >> 4 & 7 }
        } else {
            BufferFormat::Unified(mods.format.into())
        }
    });
    BufferOp {
        format,
        offset: mods.offset as u32,
        offen: mods.offen,
        idxen: mods.idxen,
        addr64: mods.addr64,
        returns: site.results != 0,
        tfe: mods.tfe,
        lds: op.lds || mods.lds,
        unpacked_d16: site.target.has(Feature::UnpackedD16),
        ..op
    }
}

/// See `Helpers::resource`.
///
/// # Safety
/// `state` is a complete wave with its context; `call` names a live site and rows of the wave.
pub unsafe extern "C" fn resource(state: *mut WaveState, call: *const ResourceCall, exec: u64) -> u32 {
    // SAFETY: passed on.
    let (state, call) = unsafe { (&mut *state, &*call) };
    // SAFETY: passed on; the context is not part of the state.
    let (site, ctx) = unsafe { (&*call.site, context(state)) };
    let lanes = state.wave_size as usize;
    let n = usize::from(site.addresses) + usize::from(site.data) + usize::from(site.results);
    let last = call.rows[..n].iter().copied().max().unwrap_or(0);
    // SAFETY: passed on.
    unsafe { verify_row(state, last) };
    // SAFETY: the wave has the rows that the call names, and nobody else uses them now.
    let rows = unsafe { std::slice::from_raw_parts_mut(state.rows, (usize::from(last) + 1) * lanes) };
    let lds = match state.lds_bytes {
        0 => &mut [],
        // SAFETY: LDS of the workgroup, which one thread runs.
        bytes => unsafe { std::slice::from_raw_parts_mut(state.lds, bytes as usize) },
    };
    let mut wave = Wave::new(rows, lanes, exec);
    let done = match site.resolved(resolve) {
        Some(Resolved::Buffer(op)) => run_buffer(state, op, call, site, &mut wave, lds),
        Some(Resolved::Ray(op)) => run_ray(state, ctx, op, call, site, &mut wave),
        Some(Resolved::Image(op, number)) => run_image(state, ctx, op, *number, call, site, &mut wave),
        Some(Resolved::Unknown(why)) => Err(Refusal::because(why.clone())),
        None => Err(Refusal::because("another run time's site".into())),
    };
    match done {
        Ok(()) => 0,
        Err(refusal) => {
            ctx.refusal = refusal.why;
            fault(state, call.pc, exec, refusal.kind, refusal.lane, refusal.address)
        }
    }
}

/// What goes into a fault.
struct Refusal {
    kind: FaultKind,
    lane: u32,
    address: u64,
    why: Option<String>,
}

impl Refusal {
    /// Not about an address.
    fn because(why: String) -> Refusal {
        Refusal { kind: FaultKind::Refused, lane: u32::MAX, address: 0, why: Some(why) }
    }
}

/// Copies the row numbers of a role.
fn take(to: &mut [u16], from: &[u16]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}

fn run_buffer(state: &WaveState, op: &BufferOp, call: &ResourceCall, site: &Site, wave: &mut Wave, lds: &mut [u8]) -> Result<(), Refusal> {
    let slot = |i: usize| state.slots[i] as u32;
    let descriptor = BufferDescriptor::decode([slot(0), slot(1), slot(2), slot(3)], op.generation);
    let (addresses, data) = (usize::from(site.addresses), usize::from(site.data));
    let mut rows = Rows::default();
    let (of_address, rest) = call.rows.split_at(addresses);
    take(&mut rows.address, of_address);
    take(&mut rows.data, &rest[..data]);
    take(&mut rows.dst, &rest[data..][..site.results.into()]);
    let scalars = Scalars { soffset: slot(4), m0: if site.scalars > 5 { slot(5) } else { 0 } };
    if op.address_dwords() > addresses || op.data_dwords() > data || op.result_dwords() + usize::from(op.tfe) > site.results.into() {
        return Err(wrong_registers(site));
    }
    buffer::execute(op, &descriptor, scalars, wave, &rows, lds, &GuestMemory { state }).map_err(|e| match e {
        BufferError::Unmapped { lane, address } => Refusal { kind: FaultKind::Unmapped, lane: lane as u32, address, why: None },
        BufferError::Misaligned { lane, address, .. } if matches!(op.opcode, Opcode::Atomic { .. }) => {
            Refusal { kind: FaultKind::Misaligned, lane: lane as u32, address, why: None }
        }
        BufferError::Misaligned { lane, address, .. } => {
            Refusal { kind: FaultKind::Refused, lane: lane as u32, address, why: Some(e.to_string()) }
        }
        BufferError::Format(_) => Refusal::because(e.to_string()),
    })
}

fn wrong_registers(site: &Site) -> Refusal {
    Refusal::because(format!("{} has other registers than it needs", site.inst.name()))
}

fn run_ray(state: &WaveState, ctx: &WaveContext, op: &RayOp, call: &ResourceCall, site: &Site, wave: &mut Wave) -> Result<(), Refusal> {
    let descriptor = BvhDescriptor::decode(&[0, 1, 2, 3].map(|i| state.slots[i] as u32), op.generation);
    let (addresses, results) = (usize::from(site.addresses), usize::from(site.results));
    if op.address_dwords() != addresses || op.result_dwords() != results {
        return Err(wrong_registers(site));
    }
    let mut rows = ray::Rows::default();
    take(&mut rows.address, &call.rows[..addresses]);
    take(&mut rows.dst, &call.rows[addresses..][..results]);
    let op = &RayOp { half_order: ctx.textures.ray_half_order, ..*op };
    ray::execute(op, &descriptor, wave, &rows, &GuestMemory { state }).map_err(|e| match e {
        RayError::Unmapped { lane, address } => Refusal { kind: FaultKind::Unmapped, lane: lane as u32, address, why: None },
        RayError::Node { lane, address, .. } => Refusal { kind: FaultKind::Refused, lane: lane as u32, address, why: Some(e.to_string()) },
    })
}

fn run_image(
    state: &WaveState,
    ctx: &WaveContext,
    op: &ImageOp,
    number: usize,
    call: &ResourceCall,
    site: &Site,
    wave: &mut Wave,
) -> Result<(), Refusal> {
    let (addresses, data) = (usize::from(site.addresses), usize::from(site.data));
    let (address, rest) = call.rows.split_at(addresses);
    let (source, rest) = rest.split_at(data);
    let call = SiteCall {
        site: number,
        op,
        words: &state.slots[..usize::from(site.scalars).min(12)],
        window: [state.mem_base, state.mem_low, state.mem_size],
        operands: &Operands { address, source, result: &rest[..site.results.into()] },
    };
    match ctx.routines.borrow().execute_known(&call, wave) {
        Some(0) => return Ok(()),
        Some(left) => wave.exec = left,
        None => {}
    }
    let memory = GuestMemory { state };
    let done = ctx.routines.borrow_mut().execute(ctx.textures.images, &call, wave, &memory);
    done.map_err(|e| match e {
        ImageError::Unmapped { lane, address } => Refusal { kind: FaultKind::Unmapped, lane, address, why: None },
        e => Refusal::because(e.to_string()),
    })
}

/// Memory of the device, as a wave reaches it.
pub(crate) struct GuestMemory<'a> {
    state: &'a WaveState,
}

// SAFETY: views are parts of the window of guest addresses: of our reservation, or of the host's memory, all of which the maker of such a device
// has lent (`Device::shared`). What is not mapped there may be lent as faults are recovered from. Guest memory is never borrowed.
unsafe impl Memory for GuestMemory<'_> {
    fn view(&self, address: u64, bytes: u64) -> Option<*mut u8> {
        let WaveState { mem_base, mem_low, mem_size, .. } = *self.state;
        let offset = address.wrapping_sub(mem_low);
        let is_inside = offset < mem_size && bytes <= mem_size - offset;
        (RECOVERS && is_inside).then(|| mem_base.wrapping_add(address) as *mut u8)
    }

    fn read(&self, address: u64, out: &mut [u8]) -> bool {
        // The guard behind the window catches what sticks out.
        host(self.state, address).is_some_and(|p| access::read(p, out))
    }

    fn write(&self, address: u64, data: &[u8]) -> bool {
        host(self.state, address).is_some_and(|p| access::write(p, data))
    }

    fn atomic32(&self, address: u64, update: Update) -> Option<u32> {
        let p = host(self.state, address)?;
        let mut e = Failed::no();
        let mut old = access::load32(p, &mut e);
        while !e.any() {
            // SAFETY: `p` is aligned guest memory, or unmapped.
            let seen = unsafe { access::compare_swap32(p, old, update(old.into()) as u32, &mut e) };
            if seen == old {
                break;
            }
            old = seen;
        }
        (!e.any()).then_some(old)
    }

    fn atomic64(&self, address: u64, update: Update) -> Option<u64> {
        let p = host(self.state, address)?;
        let mut e = Failed::no();
        let mut old = access::load64(p, &mut e);
        while !e.any() {
            // SAFETY: `p` is aligned guest memory, or unmapped.
            let seen = unsafe { access::compare_swap64(p, old, update(old), &mut e) };
            if seen == old {
                break;
            }
            old = seen;
        }
        (!e.any()).then_some(old)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::address_space::{AddressMode, AddressSpace};
    use crate::memory::context::blank_state;
    use wavejit_ir::abi::{NO_ROW, TEMP_ROW};
    use wavejit_isa::{Gfx, decode};
    use wavejit_texture::ray::HalfOrder;

    #[test]
    fn vector_code_is_lent_whatever_lies_in_the_window_and_nothing_else() {
        for mode in [AddressMode::Isolated, AddressMode::Shared] {
            let space = AddressSpace::new(mode, 1 << 30).unwrap();
            let mut state = blank_state();
            (state.mem_base, state.mem_low, state.mem_size) = (space.mem_base(), space.mem_low(), space.mem_size());
            let memory = GuestMemory { state: &state };
            // No allocation, and in the shared case nothing that the device knows of.
            let inside = space.mem_low() + 0x1234_5000;
            let host = space.mem_base().wrapping_add(inside) as *mut u8;
            assert_eq!(memory.view(inside, 4096), RECOVERS.then_some(host), "{mode:?}");
            let end = space.mem_low() + space.mem_size();
            assert_eq!(memory.view(end - 4096, 4096).is_some(), RECOVERS);
            for (address, bytes) in [(end - 4096, 4097), (end, 1), (space.mem_low().wrapping_sub(1), 4), (u64::MAX, 2), (inside, u64::MAX)]
            {
                assert_eq!(memory.view(address, bytes), None, "{mode:?}: {bytes:#x} bytes at {address:#x}");
            }
        }
    }

    #[test]
    fn the_order_of_ray_halves_is_the_devices() {
        // BVH-08: image_bvh_intersect_ray v[0:3], v[4:11], s[4:7] a16, on the triangle (0,0,0) (1,0,0) (0,1,0), along z.
        let inst = decode(&[0xf065_8f80, 0x0001_0004], Gfx::GFX1100, 32).expect("LLVM made it");
        let site = Site::new(inst, Gfx::GFX1100).expect("a ray instruction");
        let mut memory = vec![0u8; 512];
        let base = (memory.as_ptr() as u64).next_multiple_of(256);
        let node = (base - memory.as_ptr() as u64) as usize;
        for (at, x) in [(12, 1f32), (28, 1f32)] {
            memory[node + at..][..4].copy_from_slice(&x.to_le_bytes());
        }
        memory[node + 60] = 0x89;
        let mut state = blank_state();
        let mut ctx = WaveContext::new(Gfx::GFX1100);
        let mut rows = vec![0u32; (usize::from(TEMP_ROW) + 8) * 32];
        (state.mem_base, state.mem_low, state.mem_size) = (0, 0, u64::MAX);
        let [one, infinity] = [0x3c00u32, 0x7c00];
        for (order, [x, z]) in [(HalfOrder::Guide, [infinity << 16, one | one << 16]), (HalfOrder::Llvm, [infinity, one | one << 16])] {
            ctx.textures.ray_half_order = order;
            state.slots[..4].copy_from_slice(&[base >> 8 & 0xffff_ffff, base >> 40, 1, 0x8100_0000]);
            let registers = [0, 9f32.to_bits(), 0.25f32.to_bits(), 0.25f32.to_bits(), (-1f32).to_bits(), x, x, z];
            for (row, value) in (4..).zip(registers) {
                rows[row * 32] = value;
            }
            let mut call = ResourceCall { pc: 0, site: &site, rows: [NO_ROW; 32] };
            call.rows[..12].copy_from_slice(&[4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3]);
            (state.rows, state.ctx) = (rows.as_mut_ptr(), (&raw mut *ctx).cast());
            // SAFETY: the state has rows and a context, and the call names them.
            assert_eq!(unsafe { resource(&mut *state, &call, 1) }, 0, "{order:?}: {:?}", ctx.refusal);
            let t = f32::from_bits(rows[0]) / f32::from_bits(rows[32]);
            assert_eq!(t, 1.0, "{order:?}");
        }
    }
}
