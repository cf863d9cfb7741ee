//! What waves export: kept with the wave until all of its workgroup have ended, if the source of the dispatch wants it (graphics stages);
//! else nothing takes it. Reference: RDNA3 ISA, EXP; requirements.md STATE-14.

use super::vector::context;
use wavejit_ir::abi::{ExportKind, NO_ROW, ProbeCall, WaveState};

/// Target of the first position (RDNA3 ISA, EXP).
const POS0: u8 = 12;
/// Lanes of the largest wave, and rows of the largest export.
const MOST_LANES: usize = 64;
const MOST_ROWS: usize = 4;

/// What a wave has exported so far, in program order. One for each slot of waves, reused.
#[derive(Default)]
pub(crate) struct ExportLog {
    /// Somebody takes them.
    is_taken: bool,
    lanes: usize,
    records: Vec<Record>,
    /// Rows of all records, of `lanes` dwords each.
    data: Vec<u32>,
    allocated: Option<u32>,
    levels: Option<u32>,
}

struct Record {
    kind: ExportKind,
    row: u32,
    exec: u64,
    /// Where its first row is in `data`.
    at: usize,
}

impl ExportLog {
    /// For a wave that starts.
    #[inline(always)]
    pub(crate) fn begin(&mut self, lanes: usize) {
        (self.is_taken, self.lanes, self.allocated, self.levels) = (true, lanes, None, None);
        self.records.clear();
        self.data.clear();
    }

    /// Nobody takes what the waves of a dispatch export.
    pub(crate) fn ignore(&mut self) {
        self.is_taken = false;
    }

    /// GS_ALLOC_REQ.
    pub(crate) fn allocate(&mut self, m0: u32) {
        self.allocated = Some(m0);
    }

    /// HS_TESSFACTOR.
    pub(crate) fn tell_levels(&mut self, m0: u32) {
        self.levels = Some(m0);
    }
}

/// What a wave has exported.
#[derive(Clone, Copy)]
pub struct WaveExports<'a>(&'a ExportLog);

impl<'a> WaveExports<'a> {
    pub(crate) fn of(log: &'a ExportLog) -> WaveExports<'a> {
        WaveExports(log)
    }

    /// Vertices and primitives that the wave has asked room for (GS_ALLOC_REQ); `None` if it has not.
    pub fn allocated(self) -> Option<(u32, u32)> {
        self.0.allocated.map(|m0| (m0 & 0x7ff, m0 >> 12 & 0x7ff))
    }

    /// M0 of the message that levels of tessellation are all 0 (bit 0 clear) or all 1 (HS_TESSFACTOR); `None` if there was none.
    pub fn levels(self) -> Option<u32> {
        self.0.levels
    }

    /// How many exports there are.
    pub fn len(self) -> usize {
        self.0.records.len()
    }

    /// Are there none?
    pub fn is_empty(self) -> bool {
        self.0.records.is_empty()
    }

    /// All, in program order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Export<'a>> + Clone {
        self.0.records.iter().map(move |record| self.export(record))
    }

    /// EXEC at the last export that is the last of its kind; `None`: there is no such export.
    #[inline]
    pub fn last_exec(self) -> Option<u64> {
        self.0.records.iter().rev().find(|r| r.kind.is_done()).map(|r| r.exec)
    }

    #[inline]
    fn export(self, r: &Record) -> Export<'a> {
        let ExportLog { data: all, lanes, .. } = self.0;
        let (mut data, mut at, dwords) = ([&[][..]; 4], r.at, r.kind.dwords());
        for (n, row) in data.iter_mut().enumerate() {
            if dwords >> n & 1 != 0 {
                *row = &all[at..at + lanes];
                at += lanes;
            }
        }
        Export {
            target: r.kind.target(),
            enabled: r.kind.enabled(),
            is_done: r.kind.is_done(),
            is_compressed: r.kind.is_compressed(),
            row: r.kind.has_row().then_some(r.row),
            exec: r.exec,
            data,
        }
    }
}

/// An export of a wave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Export<'a> {
    /// Where it goes (RDNA3 ISA, EXP): 0 to 7 color targets, 8 depth, 12 to 16 positions, 20 primitives, 21 and 22 two sources of blending.
    pub target: u8,
    /// Components that it has, one bit each.
    pub enabled: u8,
    /// It is the last of its kind.
    pub is_done: bool,
    /// Two halves in a dword, in the first two rows of `data` (until gfx10).
    pub is_compressed: bool,
    /// M0, where it names a row of the target.
    pub row: Option<u32>,
    /// Lanes that export.
    pub exec: u64,
    /// Rows of the components, a dword for each lane of the wave; empty where a component is not enabled. Lanes outside `exec` hold anything;
    /// those of targets 21 and 22 what the register holds.
    pub data: [&'a [u32]; 4],
}

/// See `Helpers::export`. With no lane active an export is skipped, unless it is the last of its kind or a position (STATE-14).
///
/// # Safety
/// `state` is a complete wave with its context, which has the rows that `call` names.
pub(crate) unsafe extern "C" fn export(state: *mut WaveState, call: *const ProbeCall, exec: u64) -> u32 {
    // SAFETY: passed on.
    let (state, call, ctx) = unsafe { (&*state, &*call, context(&*state)) };
    let log = &mut ctx.exports;
    let kind = ExportKind(call.id);
    if !log.is_taken || exec == 0 && !kind.is_done() && kind.target() != POS0 {
        return 0;
    }
    let row = if kind.has_row() { state.slots[0] as u32 } else { 0 };
    log.records.push(Record { kind, row, exec, at: log.data.len() });
    // Room for all of them once: four dwords a lane at most.
    log.data.reserve(MOST_ROWS * MOST_LANES);
    for row in call.rows.iter().take_while(|row| **row != NO_ROW) {
        // SAFETY: as above; rows have a dword for each lane.
        let from = unsafe { state.rows.add(usize::from(*row) * log.lanes).cast::<[u32; MOST_LANES / 2]>() };
        // SAFETY: as above: 32 of them, and 32 more.
        unsafe {
            log.data.extend_from_slice(&*from);
            if log.lanes == MOST_LANES {
                log.data.extend_from_slice(&*from.add(1));
            }
        }
    }
    0
}
