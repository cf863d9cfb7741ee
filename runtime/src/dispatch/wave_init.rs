//! [`WaveInit`]: everything a wave starts with.
//!
//! A front door (compute dispatch here, graphics stages later) fills in one `WaveInit` per dispatch; the scheduler applies it to each
//! wave with the wave's [`WavePlace`]. Reference: LLVM AMDGPUUsage, "Initial Kernel Execution State"; RDNA3.5 ISA, ch. 3, table 11; RDNA4
//! ISA, ch. 3, table 12. What those call undefined is zero here.

use crate::Error;
use crate::args::kernarg::{Geometry, check_lds};
use crate::code_object::{KernelDescriptor, PgmRsrc, property};
use crate::program::CodeKey;
use wavejit_ir::abi::PRIVATE_APERTURE_HI;
use wavejit_ir::{FpMode, Ids, SReg};
use wavejit_isa::{Feature, Gfx};
use wavejit_jit::opt::liveness::Rows;

/// Most user SGPRs any target has.
pub const MAX_USER_SGPRS: usize = 32;

/// Most VGPRs, AGPRs included.
const MAX_VGPRS: u32 = 512;

/// The state all waves of a dispatch start with, and where the parts that differ between waves go.
#[derive(Clone, PartialEq, Debug)]
pub struct WaveInit {
    /// Processor.
    pub target: Gfx,
    /// 32 or 64.
    pub wave_size: u32,
    /// Guest address of the first instruction.
    pub entry: u64,
    /// s0, s1, ...: the user SGPRs.
    pub sgprs: Vec<u32>,
    /// SGPR of each workgroup id, if wanted. On gfx12 they come in TTMP7 and TTMP9 instead.
    pub group_id_sgprs: [Option<u8>; 3],
    /// SGPR of the workgroup information word, if wanted.
    pub group_info_sgpr: Option<u8>,
    /// SGPR of the wave's byte offset into scratch, if wanted (before gfx11).
    pub scratch_offset_sgpr: Option<u8>,
    /// Float fields of MODE.
    pub mode: FpMode,
    /// The whole MODE register.
    pub mode_word: u32,
    /// M0.
    pub m0: u32,
    /// FLAT_SCRATCH. 0 stands for the aperture of scratch if waves have any.
    pub flat_scratch: u64,
    /// LDS that a workgroup asks for in bytes, dynamic part included; it gets whole blocks of the processor.
    pub lds_bytes: u32,
    /// Scratch that a work-item asks for, in bytes. Dispatches round it up to whole dwords and refuse what no chip has.
    pub scratch_bytes: u32,
    /// VGPRs a wave has.
    pub vgprs: u32,
    /// See [`PgmRsrc::accum_offset`].
    pub accum_offset: Option<u32>,
}

/// Addresses that a kernel may ask for in user SGPRs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Pointers {
    /// Kernel argument segment.
    pub kernarg: u64,
    /// AQL dispatch packet.
    pub dispatch_packet: u64,
    /// `hsa_queue_t` / `amd_queue_t`.
    pub queue: u64,
    /// V# of scratch (before architected flat scratch).
    pub private_segment_buffer: [u32; 4],
    /// FLAT_SCRATCH_INIT: scratch base offset and bytes per work-item.
    pub flat_scratch_init: [u32; 2],
    /// Number of the dispatch in its queue.
    pub dispatch_id: u64,
}

/// Which wave of which workgroup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WavePlace {
    /// Workgroup id.
    pub group: [u32; 3],
    /// Work-items of this workgroup in each dimension: less than the full size in a partial workgroup.
    pub extent: [u32; 3],
    /// Number of the wave in its workgroup.
    pub wave: u32,
    /// Byte offset of the wave's scratch, for targets that get it in an SGPR.
    pub scratch_offset: u32,
}

/// What `wavejit_run_asm` is given: registers as the driver would program them.
#[derive(Clone, Debug)]
pub struct RawInit<'a> {
    /// Processor.
    pub target: Gfx,
    /// 32 or 64.
    pub wave_size: u32,
    /// Guest address of the first instruction.
    pub entry: u64,
    /// COMPUTE_PGM_RSRC1..3.
    pub rsrc: PgmRsrc,
    /// COMPUTE_USER_DATA_*.
    pub user_data: &'a [u32],
    /// Scratch of a work-item in bytes.
    pub scratch_bytes: u32,
}

/// What a wave's start depends on beside its place: looked up once per dispatch and not per wave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StartFacts {
    /// LDS that a workgroup gets, in bytes.
    pub lds_bytes: u32,
    /// Rows of work-item ids: one if they are packed, else three.
    pub id_rows: usize,
    has_ids_in_ttmps: bool,
    /// STATUS of a workgroup of one wave.
    status: u32,
}

impl WaveInit {
    /// The state of a kernel with a descriptor at guest address `kd_address`. `kernarg_preload` has the argument segment's bytes, for
    /// kernels that want some of it in SGPRs.
    pub(crate) fn from_descriptor(
        kd: &KernelDescriptor,
        kd_address: u64,
        target: Gfx,
        pointers: &Pointers,
        kernarg_preload: &[u8],
        dynamic_lds_bytes: u32,
    ) -> WaveInit {
        let mut init = WaveInit::from_rsrc(target, kd.wave_size(target), kd_address.wrapping_add_signed(kd.entry_offset), &kd.rsrc);
        init.sgprs = user_sgprs(kd, pointers, kernarg_preload);
        init.lds_bytes = kd.lds_bytes.saturating_add(dynamic_lds_bytes);
        init.scratch_bytes = kd.scratch_bytes;
        init
    }

    /// The state of raw machine code.
    pub fn raw(raw: &RawInit) -> WaveInit {
        let mut init = WaveInit::from_rsrc(raw.target, raw.wave_size, raw.entry, &raw.rsrc);
        init.sgprs = raw.user_data.to_vec();
        init.lds_bytes = raw.rsrc.lds_bytes(raw.target);
        init.scratch_bytes = raw.scratch_bytes;
        init
    }

    /// What the program resource registers say; user SGPRs, LDS and scratch are still to be filled in.
    fn from_rsrc(target: Gfx, wave_size: u32, entry: u64, rsrc: &PgmRsrc) -> WaveInit {
        let mut next = rsrc.user_sgprs() as u8;
        let mut take = |wanted: bool| {
            let at = next;
            next += u8::from(wanted);
            wanted.then_some(at)
        };
        let ids_in_sgprs = !target.has(Feature::WorkgroupIdsInTtmps);
        WaveInit {
            target,
            wave_size,
            entry,
            sgprs: Vec::new(),
            group_id_sgprs: rsrc.group_ids().map(|wanted| take(wanted && ids_in_sgprs)),
            group_info_sgpr: take(rsrc.group_info()),
            scratch_offset_sgpr: take(rsrc.scratch() && !target.has(Feature::ArchitectedFlatScratch)),
            mode: rsrc.fp_mode(target),
            mode_word: rsrc.mode_word(target),
            m0: 0,
            flat_scratch: 0,
            lds_bytes: 0,
            scratch_bytes: 0,
            vgprs: rsrc.allocated_vgprs(target, wave_size),
            accum_offset: rsrc.accum_offset(target),
        }
    }

    /// What the code of its waves is translated for.
    pub(crate) fn code_key(&self) -> CodeKey {
        CodeKey { entry: self.entry, mode: self.mode, wave_size: self.wave_size, vgprs: self.vgprs, ids: Ids::Any, counted: false }
    }

    /// What is known of the work-item ids in every workgroup of a grid. Workgroups at its end may be partial.
    pub(crate) fn ids(&self, geometry: &Geometry) -> Ids {
        let rest = std::array::from_fn(|i| geometry.grid[i] % geometry.group[i].max(1));
        Ids::of(self.target.has(Feature::PackedWorkItemIds), self.wave_size, geometry.group, rest)
    }

    /// Those of workgroups of one dimension.
    pub(crate) fn line(&self) -> Ids {
        Ids::of(self.target.has(Feature::PackedWorkItemIds), self.wave_size, [1; 3], [0; 3])
    }

    /// Refuses what no wave can start with: front doors may have made this up. Scratch is looked at by [`crate::dispatch::scratch`].
    pub(crate) fn check(&self, name: &str) -> Result<(), Error> {
        let refuse = |why: String| Err(Error::Arg(format!("kernel `{name}`: {why}")));
        if !matches!(self.wave_size, 32 | 64) {
            return refuse(format!("wave size {}: expected 32 or 64", self.wave_size));
        }
        if !(1..=MAX_VGPRS).contains(&self.vgprs) {
            return refuse(format!("{} VGPRs: a wave has 1 to {MAX_VGPRS}", self.vgprs));
        }
        let sgprs = usize::from(SReg::VCC_LO.0);
        if self.sgprs.len() > sgprs {
            return refuse(format!("{} user SGPRs: a wave has {sgprs} SGPRs", self.sgprs.len()));
        }
        let named = self.group_id_sgprs.iter().chain([&self.group_info_sgpr, &self.scratch_offset_sgpr]).flatten();
        if let Some(register) = named.copied().find(|n| usize::from(*n) >= sgprs) {
            return refuse(format!("an initial value for s{register}: a wave has {sgprs} SGPRs"));
        }
        check_lds(name, self.lds_bytes, 0)
    }

    /// Rows of the registers that its waves have.
    pub(crate) fn registers(&self) -> Rows {
        // Where AGPRs are, both halves share one count.
        if self.accum_offset.is_some() { Rows::ALL } else { Rows::first(self.vgprs) }
    }

    /// LDS that a workgroup gets: what it asks for in whole blocks (STATE-42; before gfx11 the register's granule).
    pub(crate) fn allocated_lds(&self) -> u32 {
        self.lds_bytes.next_multiple_of(self.target.sizes().lds_block)
    }

    /// Waves of a workgroup of this extent.
    pub(crate) fn waves(&self, extent: [u32; 3]) -> u32 {
        work_items(extent).div_ceil(u64::from(self.wave_size)) as u32
    }

    /// EXEC of a wave: one bit per live work-item.
    pub(crate) fn exec(&self, place: &WavePlace) -> u64 {
        let first = u64::from(place.wave) * u64::from(self.wave_size);
        let live = work_items(place.extent).saturating_sub(first).min(u64::from(self.wave_size));
        if live == 64 { u64::MAX } else { (1 << live) - 1 }
    }

    /// What [`WaveInit::first_sregs`] needs of the processor.
    pub(crate) fn facts(&self) -> StartFacts {
        StartFacts {
            lds_bytes: self.allocated_lds(),
            id_rows: if self.target.has(Feature::PackedWorkItemIds) { 1 } else { 3 },
            has_ids_in_ttmps: self.target.has(Feature::WorkgroupIdsInTtmps),
            status: self.status(),
        }
    }

    /// Writes the scalar registers of a wave but for the ids of its workgroup, which [`WaveInit::write_group`] adds.
    pub(crate) fn first_sregs(&self, facts: &StartFacts, place: &WavePlace, sregs: &mut [u32; SReg::COUNT]) {
        let waves = self.waves(place.extent);
        sregs.fill(0);
        for (reg, value) in sregs[..SReg::VCC_LO.0 as usize].iter_mut().zip(&self.sgprs) {
            *reg = *value;
        }
        if let Some(reg) = self.group_info_sgpr {
            sregs[usize::from(reg)] = self.group_info(place, waves);
        }
        if let Some(reg) = self.scratch_offset_sgpr {
            sregs[usize::from(reg)] = place.scratch_offset;
        }
        let mut set = |reg: SReg, value: u32| sregs[usize::from(reg.0)] = value;
        if facts.has_ids_in_ttmps {
            set(SReg(SReg::TTMP0.0 + 8), 1 << 30 | (place.wave & 31) << 25);
        }
        let exec = self.exec(place);
        set(SReg::EXEC_LO, exec as u32);
        set(SReg::EXEC_HI, (exec >> 32) as u32);
        set(SReg::M0, self.m0);
        set(SReg::MODE, self.mode_word);
        set(SReg::STATUS, facts.status | u32::from(waves > 1) << 11);
        let flat_scratch = match self.flat_scratch {
            0 if self.scratch_bytes != 0 => u64::from(PRIVATE_APERTURE_HI) << 32,
            given => given,
        };
        set(SReg::FLAT_SCRATCH_LO, flat_scratch as u32);
        set(SReg::FLAT_SCRATCH_HI, (flat_scratch >> 32) as u32);
    }

    /// Writes the ids of a wave's workgroup.
    #[inline(always)]
    pub(crate) fn write_group(&self, facts: &StartFacts, group: [u32; 3], sregs: &mut [u32; SReg::COUNT]) {
        for (reg, id) in self.group_id_sgprs.iter().zip(group) {
            if let Some(reg) = reg {
                sregs[usize::from(*reg)] = id;
            }
        }
        if facts.has_ids_in_ttmps {
            let ttmp = |n: u8| usize::from(SReg::TTMP0.0 + n);
            sregs[ttmp(9)] = group[0];
            sregs[ttmp(7)] = group[1] & 0xffff | group[2] << 16;
        }
    }

    /// The registers that hold the x of the workgroup's id.
    pub(crate) fn x_registers(&self, facts: &StartFacts) -> [Option<SReg>; 2] {
        [self.group_id_sgprs[0].map(SReg), facts.has_ids_in_ttmps.then_some(SReg(SReg::TTMP0.0 + 9))]
    }

    /// Writes the work-item ids into `rows`, `wave_size` lanes a row; needs three rows (one where ids are packed). Lanes without a
    /// work-item get the ids they would have in a longer workgroup, x and y in range; in a workgroup of one dimension x counts on, so that it
    /// does in every run of lanes.
    pub(crate) fn write_vgprs(&self, place: &WavePlace, rows: &mut [u32]) {
        let lanes = self.wave_size as usize;
        let [width, height, _] = place.extent.map(|n| n.max(1));
        let first = u64::from(place.wave) * u64::from(self.wave_size);
        let mut x = (first % u64::from(width)) as u32;
        let row = first / u64::from(width);
        let mut y = (row % u64::from(height)) as u32;
        let mut z = (row / u64::from(height)) as u32;
        let packed = self.target.has(Feature::PackedWorkItemIds);
        let is_line = place.extent[1..].iter().all(|n| *n <= 1);
        let mut lane = 0;
        while lane < lanes {
            // A run of lanes in one row of the workgroup: only x counts up.
            let end = if is_line { lanes } else { lanes.min(lane + (width - x) as usize) };
            if packed {
                let ids = (y & 0x3ff) << 10 | (z & 0x3ff) << 20;
                for (k, id) in rows[lane..end].iter_mut().enumerate() {
                    *id = (x + k as u32) & 0x3ff | ids;
                }
            } else {
                for (k, id) in rows[lane..end].iter_mut().enumerate() {
                    *id = x + k as u32;
                }
                rows[lanes + lane..lanes + end].fill(y);
                rows[2 * lanes + lane..2 * lanes + end].fill(z);
            }
            x = 0;
            y += 1;
            if y == height {
                y = 0;
                z += 1;
            }
            lane = end;
        }
    }

    /// The TG_SIZE word (descriptors.md section 12.1): waves in the group \[5:0\], an append term that counts the waves of the group
    /// \[16:6\], from gfx10.3 the wave number \[24:20\] too, first wave \[31\]. Drivers read the number in either place: RADV until Mesa 22
    /// in the low one on every family. gfx12 has it in TTMP8 instead.
    fn group_info(&self, place: &WavePlace, waves: u32) -> u32 {
        let append = (place.wave & 0x7ff) << 6;
        if self.target.has(Feature::WorkgroupIdsInTtmps) {
            return waves & 0x3f;
        }
        let number = if self.target.has(Feature::WaveNumberInGroupInfo) { (place.wave & 31) << 20 } else { 0 };
        u32::from(place.wave == 0) << 31 | number | append | waves & 0x3f
    }

    /// STATUS: IN_TG, VALID, SCRATCH_EN on gfx11, WAVE64 on gfx12. TRAP_EN is 0: there is no trap handler.
    fn status(&self) -> u32 {
        let has_scratch = self.target.has(Feature::ScratchEnableInStatus) && self.scratch_bytes != 0;
        let is_wave64 = self.target.has(Feature::Wave64InStatus) && self.wave_size == 64;
        1 << 16 | u32::from(has_scratch || is_wave64) << 29
    }
}

fn work_items(extent: [u32; 3]) -> u64 {
    extent.iter().map(|n| u64::from(*n)).product()
}

/// User SGPRs in the order in which the packet processor loads them.
fn user_sgprs(kd: &KernelDescriptor, pointers: &Pointers, kernarg: &[u8]) -> Vec<u32> {
    let pair = |address: u64| [address as u32, (address >> 32) as u32];
    let mut sgprs = Vec::with_capacity(MAX_USER_SGPRS);
    let mut put = |property: u16, words: &[u32]| {
        if kd.has(property) {
            sgprs.extend_from_slice(words);
        }
    };
    put(property::PRIVATE_SEGMENT_BUFFER, &pointers.private_segment_buffer);
    put(property::DISPATCH_PTR, &pair(pointers.dispatch_packet));
    put(property::QUEUE_PTR, &pair(pointers.queue));
    put(property::KERNARG_SEGMENT_PTR, &pair(pointers.kernarg));
    put(property::DISPATCH_ID, &pair(pointers.dispatch_id));
    put(property::FLAT_SCRATCH_INIT, &pointers.flat_scratch_init);
    put(property::PRIVATE_SEGMENT_SIZE, &[kd.scratch_bytes]);
    for i in 0..usize::from(kd.preload_dwords) {
        let at = 4 * (usize::from(kd.preload_offset) + i);
        let dword = kernarg.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        sgprs.push(dword);
    }
    // A descriptor may claim fewer; the hardware loads no more than it says.
    sgprs.truncate(kd.rsrc.user_sgprs() as usize);
    sgprs
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavejit_ir::NextRun;

    fn init(target: u16, wave_size: u32, rsrc2: u32) -> WaveInit {
        let raw = RawInit {
            target: Gfx(target),
            wave_size,
            entry: 0,
            rsrc: PgmRsrc { rsrc1: 0, rsrc2, rsrc3: 0 },
            user_data: &[0x11, 0x22],
            scratch_bytes: 16,
        };
        WaveInit::raw(&raw)
    }

    fn sregs(init: &WaveInit, place: &WavePlace) -> [u32; SReg::COUNT] {
        let mut s = [0; SReg::COUNT];
        init.first_sregs(&init.facts(), place, &mut s);
        init.write_group(&init.facts(), place.group, &mut s);
        s
    }

    const PLACE: WavePlace = WavePlace { group: [7, 8, 9], extent: [5, 3, 7], wave: 1, scratch_offset: 4096 };
    const ALL: u32 = 1 | 4 << 1 | 7 << 7 | 1 << 10;

    #[test]
    fn ids_follow_the_user_sgprs_even_when_fewer_are_given() {
        let s = sregs(&init(0x1100, 32, ALL), &PLACE);
        assert_eq!(s[..8], [0x11, 0x22, 0, 0, 7, 8, 9, 1 << 20 | 1 << 6 | 4]);
    }

    /// descriptors.md section 12.1: size \[5:0\], append term \[16:6\], wave number \[24:20\] from gfx10.3, first wave \[31\].
    #[test]
    fn the_group_word_has_the_wave_number_where_each_driver_reads_it() {
        let word = |target, wave_size, wave| {
            // 1,024 work-items: 32 waves of 32, 16 of 64.
            let place = WavePlace { group: [0; 3], extent: [32, 32, 1], wave, scratch_offset: 0 };
            sregs(&init(target, wave_size, 1 << 10), &place)[0]
        };
        for target in [0x1030, 0x1100, 0x1151] {
            assert_eq!(word(target, 32, 0), 0x8000_0020, "gfx{target:x}");
            assert_eq!(word(target, 32, 1), 0x0010_0060, "gfx{target:x}");
            assert_eq!(word(target, 32, 31), 0x01f0_07e0, "gfx{target:x}");
            assert_eq!(word(target, 64, 15), 0x00f0_03d0, "gfx{target:x}");
        }
        for target in [0x600, 0x803, 0x906] {
            assert_eq!((word(target, 64, 0), word(target, 64, 15)), (0x8000_0010, 0x0000_03d0), "gfx{target:x}");
        }
        assert_eq!((word(0x1010, 32, 0), word(0x1010, 32, 31)), (0x8000_0020, 0x0000_07e0));
        assert_eq!((word(0x1200, 32, 0), word(0x1200, 32, 31)), (0x20, 0x20));
    }

    #[test]
    fn scratch_offset_comes_last_before_gfx11() {
        let s = sregs(&init(0x803, 64, ALL), &PLACE);
        assert_eq!(s[4..9], [7, 8, 9, 1 << 6 | 2, 4096]);
        assert_eq!(sregs(&init(0x1100, 32, ALL), &PLACE)[8], 0);
    }

    #[test]
    fn disabled_ids_take_no_register() {
        let s = sregs(&init(0x1100, 32, 2 << 1 | 1 << 7 | 1 << 9), &PLACE);
        assert_eq!(s[2..5], [7, 9, 0]);
    }

    #[test]
    fn gfx12_has_ids_in_ttmps() {
        let s = sregs(&init(0x1200, 32, 2 << 1 | 7 << 7), &PLACE);
        assert_eq!(s[2], 0);
        assert_eq!(s[108 + 9], 7);
        assert_eq!(s[108 + 7], 9 << 16 | 8);
        assert_eq!(s[108 + 8], 1 << 30 | 1 << 25);
    }

    #[test]
    fn exec_has_one_bit_per_live_work_item() {
        let i = init(0x1100, 32, 0);
        assert_eq!(i.waves([5, 3, 7]), 4); // 105 work-items
        assert_eq!(i.exec(&PLACE), 0xffff_ffff);
        assert_eq!(i.exec(&WavePlace { wave: 3, ..PLACE }), 0x1ff);
        assert_eq!(init(0x803, 64, 0).exec(&WavePlace { wave: 0, ..PLACE }), u64::MAX);
        assert_eq!(init(0x803, 64, 0).exec(&PLACE), (1 << 41) - 1);
    }

    #[test]
    fn work_item_ids_count_x_first() {
        let mut rows = vec![0; 3 * 64];
        init(0x803, 64, 0).write_vgprs(&PLACE, &mut rows);
        // work-item 64 of 5 x 3 x 7: 64 = 4 + 5 * (0 + 3 * 4) .. x = 4, y = 0, z = 4
        assert_eq!([rows[0], rows[64], rows[128]], [4, 0, 4]);
        assert_eq!([rows[1], rows[65], rows[129]], [0, 1, 4]);
        init(0x1100, 32, 0).write_vgprs(&WavePlace { wave: 2, ..PLACE }, &mut rows);
        assert_eq!(rows[0], 4 << 20 | 4);
        assert_eq!(rows[1], 4 << 20 | 1 << 10);
    }

    /// What code is translated for holds in every lane of every wave, of whole workgroups and of those at the end of the grid.
    #[test]
    fn work_item_ids_are_what_is_said_of_them() {
        let mut said = [[0; 4]; 2];
        for (target, wave_size) in [(0x1100, 32), (0x1100, 64), (0x1010, 32), (0x1010, 64)] {
            let init = init(target, wave_size, ALL);
            let lanes = wave_size as usize;
            for group in [
                [48, 1, 1],
                [256, 1, 1],
                [16, 16, 1],
                [16, 4, 4],
                [16, 3, 2],
                [16, 2, 8],
                [32, 8, 1],
                [64, 4, 2],
                [24, 2, 1],
                [48, 4, 1],
                [8, 8, 1],
                [8, 4, 4],
                [8, 16, 1],
                [8, 3, 5],
                [40, 2, 1],
            ] {
                for rest in [[0, 0, 0], [5, 0, 0], [16, 0, 0], [32, 0, 0], [0, 1, 0], [0, 2, 0], [0, 4, 1]] {
                    let rest: [u32; 3] = std::array::from_fn(|i| rest[i] % group[i]);
                    let grid = std::array::from_fn(|i| 2 * group[i] + rest[i]);
                    let ids = init.ids(&Geometry { grid, group, offset: [0; 3], part: None });
                    if ids == Ids::Any {
                        continue;
                    }
                    let (next, run_lanes) = (ids.next(), ids.run());
                    let (runs, step) = ((wave_size / run_lanes) as usize, run_lanes as usize);
                    said[usize::from(run_lanes == Ids::EIGHT)][next as usize] += 1;
                    for at in 0..8 {
                        let extent: [u32; 3] = std::array::from_fn(|i| if at >> i & 1 != 0 && rest[i] != 0 { rest[i] } else { group[i] });
                        for wave in 0..init.waves(extent) {
                            let mut rows = vec![0; 3 * lanes];
                            init.write_vgprs(&WavePlace { group: [0; 3], extent, wave, scratch_offset: 0 }, &mut rows);
                            let id = |lane: usize| match init.facts().id_rows {
                                1 => [0, 10, 20].map(|bit| rows[lane] >> bit & 0x3ff),
                                _ => [0, 1, 2].map(|row| rows[row * lanes + lane]),
                            };
                            let first = id(0);
                            for run in 0..runs {
                                let [x, y, z] = id(step * run);
                                assert!(
                                    x % run_lanes == 0 && (0..step).all(|i| id(step * run + i) == [x + i as u32, y, z]),
                                    "{group:?} {rest:?} {wave}"
                                );
                                let n = run as u32;
                                match next {
                                    NextRun::Any => {}
                                    NextRun::Line | NextRun::Lines => {
                                        assert_eq!(([x, y, z], first[0] % wave_size), ([first[0] + run_lanes * n, first[1], first[2]], 0))
                                    }
                                    NextRun::Row => assert_eq!(([x, y, z], first[1] % runs as u32), ([0, first[1] + n, first[2]], 0)),
                                }
                            }
                        }
                    }
                }
            }
        }
        // Eights are never in a line: that has runs of sixteen.
        let [of_sixteen, [any, _, row, _]] = said;
        assert!(of_sixteen.iter().all(|n| *n > 0) && any > 0 && row > 0, "{said:?}");
    }

    #[test]
    fn user_sgprs_come_in_the_hsa_order() {
        let kd = KernelDescriptor {
            properties: property::DISPATCH_PTR | property::KERNARG_SEGMENT_PTR | property::PRIVATE_SEGMENT_SIZE,
            scratch_bytes: 48,
            preload_dwords: 1,
            preload_offset: 1,
            rsrc: PgmRsrc { rsrc2: 8 << 1, ..Default::default() },
            ..Default::default()
        };
        let p = Pointers { kernarg: 0x1_0000_0002, dispatch_packet: 0x3_0000_0004, ..Default::default() };
        let init = WaveInit::from_descriptor(&kd, 0x1000, Gfx(0x942), &p, &[0, 0, 0, 0, 5, 6, 7, 8], 0);
        assert_eq!(init.sgprs, [4, 3, 2, 1, 48, 0x0807_0605]);
    }
}
