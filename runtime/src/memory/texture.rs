//! Buffer and ray instructions: from a call of compiled code to the texture crate and back.
//!
//! The first call of a site makes of its instruction what the texture crate needs; later ones find it there. Rows, LDS and memory are lent
//! to the texture crate for the call.

use super::access::{self, Failed};
use super::scalar::generation;
use super::vector::{context, fault, host};
use crate::wave::{VIEWS, WaveContext};
use std::cell::Cell;
use wavejit_jit::abi::{FaultKind, TextureCall, WaveState};
use wavejit_jit::ir::Site;
use wavejit_jit::isa::{Enc, Family};
use wavejit_texture::buffer::{self, BufferError, BufferOp, Opcode, Rows, Scalars};
use wavejit_texture::descriptor::{BufferDescriptor, BufferFormat, BvhDescriptor};
use wavejit_texture::memory::Update;
use wavejit_texture::ray::{self, RayError, RayOp};
use wavejit_texture::{Generation, Memory, Wave};

/// What a site's instruction is.
enum Resolved {
    Buffer(BufferOp),
    Ray(RayOp),
    /// Nothing this build executes; why.
    Unknown(String),
}

fn resolve(site: &Site) -> Resolved {
    let inst = &site.inst;
    let family = site.target.family();
    let generation = generation(family);
    match inst.enc {
        Enc::MUBUF | Enc::MTBUF => match BufferOp::new(inst.name(), generation) {
            Some(op) => Resolved::Buffer(with_modifiers(op, site)),
            None => Resolved::Unknown(format!("{} is no buffer access", inst.name())),
        },
        _ => match RayOp::new(inst.name(), generation, inst.mods.a16) {
            Some(op) => Resolved::Ray(op),
            None => Resolved::Unknown(format!("{} is not supported", inst.name())),
        },
    }
}

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
        addr64: matches!(site.target.family(), Family::Gfx6 | Family::Gfx7) && !mods.offen && !mods.idxen && site.addresses == 2,
        returns: site.results != 0,
        tfe: mods.tfe,
        lds: op.lds || mods.lds,
        // LLVM, FeatureUnpackedD16VMem
        unpacked_d16: matches!(site.target.0, 0x800..=0x805),
        ..op
    }
}

/// See `Helpers::texture`.
///
/// # Safety
/// `state` is a complete wave with its context; `call` names a live site and rows of the wave.
pub unsafe extern "C" fn texture(state: *mut WaveState, call: *const TextureCall, exec: u64) -> u32 {
    // SAFETY: passed on.
    let (state, call) = unsafe { (&mut *state, &*call) };
    // SAFETY: passed on; the context is no part of the state.
    let (site, ctx) = unsafe { (&*call.site, context(state)) };
    let lanes = state.wave_size as usize;
    let n = usize::from(site.addresses) + usize::from(site.data) + usize::from(site.results);
    let last = call.rows[..n].iter().copied().max().unwrap_or(0);
    // SAFETY: the wave has the rows that the call names, and nobody else uses them now.
    let rows = unsafe { std::slice::from_raw_parts_mut(state.rows, (usize::from(last) + 1) * lanes) };
    // SAFETY: LDS of the workgroup, which one thread runs.
    let lds = match state.lds_bytes {
        0 => &mut [],
        bytes => unsafe { std::slice::from_raw_parts_mut(state.lds, bytes as usize) },
    };
    let mut wave = Wave::new(rows, lanes, exec);
    let done = match site.resolved(resolve) {
        Some(Resolved::Buffer(op)) => run_buffer(state, ctx, op, call, site, &mut wave, lds),
        Some(Resolved::Ray(op)) => run_ray(state, ctx, op, call, site, &mut wave),
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

fn run_buffer(
    state: &WaveState,
    ctx: &WaveContext,
    op: &BufferOp,
    call: &TextureCall,
    site: &Site,
    wave: &mut Wave,
    lds: &mut [u8],
) -> Result<(), Refusal> {
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
    buffer::execute(op, &descriptor, scalars, wave, &rows, lds, &GuestMemory { state, ctx }).map_err(|e| match e {
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

fn run_ray(state: &WaveState, ctx: &WaveContext, op: &RayOp, call: &TextureCall, site: &Site, wave: &mut Wave) -> Result<(), Refusal> {
    let descriptor = BvhDescriptor::decode(&[0, 1, 2, 3].map(|i| state.slots[i] as u32), op.generation);
    let (addresses, results) = (usize::from(site.addresses), usize::from(site.results));
    if op.address_dwords() != addresses || op.result_dwords() != results {
        return Err(wrong_registers(site));
    }
    let mut rows = ray::Rows::default();
    take(&mut rows.address, &call.rows[..addresses]);
    take(&mut rows.dst, &call.rows[addresses..][..results]);
    ray::execute(op, &descriptor, wave, &rows, &GuestMemory { state, ctx }).map_err(|e| match e {
        RayError::Unmapped { lane, address } => Refusal { kind: FaultKind::Unmapped, lane: lane as u32, address, why: None },
        RayError::Node { lane, address, .. } => Refusal { kind: FaultKind::Refused, lane: lane as u32, address, why: Some(e.to_string()) },
    })
}

/// Memory of the device, as a wave reaches it.
pub struct GuestMemory<'a> {
    state: &'a WaveState,
    ctx: &'a WaveContext,
}

impl GuestMemory<'_> {
    /// The allocation that holds `address`: its guest address and bytes.
    fn allocation(&self, address: u64) -> Option<(u64, u64)> {
        let holds = |(start, bytes): &(u64, u64)| address.wrapping_sub(*start) < *bytes;
        let views: &Cell<[(u64, u64); VIEWS]> = &self.ctx.views;
        let mut known = views.get();
        if let Some(block) = known.iter().find(|b| holds(b)) {
            return Some(*block);
        }
        // SAFETY: the dispatch that runs the wave keeps its address space; null where there is none.
        let block = unsafe { self.ctx.space.as_ref() }?.find(address)?;
        known.rotate_right(1);
        known[0] = block;
        views.set(known);
        Some(block)
    }
}

impl Memory for GuestMemory<'_> {
    fn view(&self, address: u64, bytes: u64) -> Option<*mut u8> {
        let (start, length) = self.allocation(address)?;
        let inside = bytes <= length - (address - start);
        inside.then(|| self.state.mem_base.wrapping_add(address) as *mut u8)
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
