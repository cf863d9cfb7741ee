//! CS: a job of a ring. The call checks it, says what it has to wait for, and returns; the ring's queue runs it.

use crate::context::{Context, RingQueue};
use crate::door::Door;
use crate::errno::{Errno, Result, say};
use crate::fence::{Fence, Job};
use crate::gem::{Buffer, listed};
use crate::raw::{read, read_all};
use crate::uapi::{Cs, CsChunk, CsDep, CsFence, CsIb, CsSyncobj, ip};
use crate::wait::Deadline;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use wavejit::queue::{Outcome, Point};
use wavejit_gpu::{Engine, Progress, dump};

/// What chunks hold.
mod chunk {
    pub(super) const IB: u32 = 1;
    pub(super) const FENCE: u32 = 2;
    pub(super) const DEPENDENCIES: u32 = 3;
    pub(super) const SYNCOBJ_IN: u32 = 4;
    pub(super) const SYNCOBJ_OUT: u32 = 5;
    pub(super) const BO_HANDLES: u32 = 6;
    pub(super) const SCHEDULED_DEPENDENCIES: u32 = 7;
    pub(super) const TIMELINE_WAIT: u32 = 8;
    pub(super) const TIMELINE_SIGNAL: u32 = 9;
}

/// Flags of an indirect buffer: preamble, preempt, write back, reset GDS, memory sync. Constant engine and secure ones are refused.
const IB_FLAGS: u32 = 2 | 4 | 8 | 0x10 | 0x40;
/// Most chunks of a job.
const MOST_CHUNKS: u32 = 1 << 12;

/// A job as its chunks say.
#[derive(Default)]
struct Order {
    ring: Option<(u32, u32, u32)>,
    /// Address and dwords.
    ibs: Vec<(u64, u32)>,
    waits: Vec<Point>,
    signals: Vec<(u32, u64)>,
    /// Where in which buffer its number goes in the end.
    fence: Option<(Arc<Buffer>, u64)>,
    buffers: Vec<Arc<Buffer>>,
}

/// CS.
pub(crate) fn cs(door: &'static Door, args: &mut Cs) -> Result<u64> {
    let context = door.lock().contexts.get(&args.ctx_id).cloned().ok_or(Errno::INVAL)?;
    if context.is_lost.load(Relaxed) {
        return Err(Errno::CANCELED);
    }
    if args.bo_list_handle != 0 || args.num_chunks > MOST_CHUNKS {
        return Err(Errno::INVAL);
    }
    let mut order = Order::default();
    for at in read_all::<u64>(args.chunks, args.num_chunks as usize)? {
        add(door, &mut order, &read(at)?)?;
    }
    let Some((ip_type, instance, number)) = order.ring else { return Err(Errno::INVAL) };
    let ring = context.ring(&door.gpu, ip_type, instance, number)?;
    let mut state = door.lock();
    for (address, dwords) in &order.ibs {
        if !state.map.is_mapped(*address, 4 * u64::from(*dwords)) {
            return Err(Errno::INVAL);
        }
    }
    let objects = order.signals.iter().map(|(handle, point)| Ok((crate::syncobj::find(&state, *handle)?, *point)));
    let objects = objects.collect::<Result<Vec<_>>>()?;
    let sequence = ring.submitted.fetch_add(1, Relaxed) + 1;
    let Order { ibs, waits, fence, buffers, .. } = order;
    let engine = match ip_type {
        ip::DMA => Engine::Sdma,
        ip::COMPUTE => Engine::Compute,
        _ => Engine::Graphics,
    };
    let job = dump::Job { context: args.ctx_id, engine, ring: number, sequence, target: door.target.to_string(), ibs };
    let progress = Arc::new(Progressed::default());
    let point = ring.queue.push(waits, work(door, context, ring.clone(), job, fence, buffers, progress.clone()));
    ring.note(sequence, point.clone());
    for (object, at) in objects {
        object.put(at, Fence::Job(Job { ring: ring.clone(), sequence, point: point.clone() }));
    }
    // Somebody may wait for work to be submitted.
    state.shares.sweep();
    door.announce();
    drop(state);
    if door.recorder.is_some() {
        await_recording(door, &ring, sequence, &progress);
    }
    Ok(sequence)
}

/// How far a job is.
#[derive(Default)]
struct Progressed {
    has_started: AtomicBool,
    /// It waits for what another ring or the program will do.
    is_held: AtomicBool,
}

/// Keeps a program from what it does next until a recorded job has ended: it would write to memory that the recorder looks at (the next job's packets),
/// and the recording would say that the job did. Not if the job waits for something that only comes later.
fn await_recording(door: &Door, ring: &RingQueue, sequence: u64, progress: &Progressed) {
    /// After which a job that has not started waits for something.
    const START: Duration = Duration::from_millis(500);
    let ends = || ring.completed.load(Acquire) >= sequence || progress.is_held.load(Relaxed);
    let starts = || (progress.has_started.load(Relaxed) || ends()).then_some(());
    if Deadline::after(START).wait_for(door, |_| starts()).is_some() {
        Deadline::NEVER.wait_for(door, |_| ends().then_some(()));
    }
}

fn add(door: &Door, order: &mut Order, chunk: &CsChunk) -> Result {
    let bytes = 4 * chunk.length_dw as usize;
    let all = |size: usize| bytes / size;
    match chunk.chunk_id {
        chunk::IB => {
            let ib: CsIb = read(chunk.chunk_data)?;
            if ib.flags & !IB_FLAGS != 0 || !ib.ib_bytes.is_multiple_of(4) || !ib.va_start.is_multiple_of(4) {
                say(&format!("CS: an indirect buffer of {} bytes with flags {:#x} is not supported", ib.ib_bytes, ib.flags));
                return Err(Errno::INVAL);
            }
            let ring = (ib.ip_type, ib.ip_instance, ib.ring);
            if order.ring.is_some_and(|other| other != ring) {
                say("CS: a job of several rings (task shaders) is not supported");
                return Err(Errno::INVAL);
            }
            order.ring = Some(ring);
            order.ibs.push((ib.va_start, ib.ib_bytes / 4));
        }
        chunk::FENCE => {
            let CsFence { handle, offset } = read(chunk.chunk_data)?;
            let buffer = door.lock().buffers.get(handle)?;
            if u64::from(offset) + 8 > buffer.bytes || !offset.is_multiple_of(8) {
                return Err(Errno::INVAL);
            }
            order.fence = Some((buffer, u64::from(offset)));
        }
        chunk::DEPENDENCIES | chunk::SCHEDULED_DEPENDENCIES => {
            for dep in read_all::<CsDep>(chunk.chunk_data, all(size_of::<CsDep>()))? {
                let context = door.lock().contexts.get(&dep.ctx_id).cloned().ok_or(Errno::INVAL)?;
                order.waits.extend(context.ring(&door.gpu, dep.ip_type, dep.ip_instance, dep.ring)?.point(dep.handle));
            }
        }
        chunk::SYNCOBJ_IN => {
            for handle in read_all::<u32>(chunk.chunk_data, all(4))? {
                order.waits.extend(crate::syncobj::find(&door.lock(), handle)?.points_at(0).ok_or(Errno::INVAL)?);
            }
        }
        chunk::TIMELINE_WAIT => {
            for wait in read_all::<CsSyncobj>(chunk.chunk_data, all(size_of::<CsSyncobj>()))? {
                order.waits.extend(timeline_points(door, &wait)?);
            }
        }
        chunk::SYNCOBJ_OUT => order.signals.extend(read_all::<u32>(chunk.chunk_data, all(4))?.into_iter().map(|handle| (handle, 0))),
        chunk::TIMELINE_SIGNAL => {
            let signals = read_all::<CsSyncobj>(chunk.chunk_data, all(size_of::<CsSyncobj>()))?;
            order.signals.extend(signals.into_iter().map(|s| (s.handle, s.point)));
        }
        chunk::BO_HANDLES => order.buffers.extend(listed(door, chunk.chunk_data)?),
        other => {
            say(&format!("CS: chunk {other:#x} is not known"));
            return Err(Errno::INVAL);
        }
    }
    Ok(())
}

/// What a point of a timeline stands for; waits until there is one if that is asked for.
fn timeline_points(door: &Door, wait: &CsSyncobj) -> Result<Vec<Point>> {
    const WAIT_FOR_SUBMIT: u32 = 2;
    let object = crate::syncobj::find(&door.lock(), wait.handle)?;
    let found = || object.points_at(wait.point);
    if wait.flags & WAIT_FOR_SUBMIT == 0 {
        return found().ok_or(Errno::INVAL);
    }
    Deadline::NEVER.wait_for(door, |_| found().map(Ok)).unwrap_or(Err(Errno::INVAL))
}

/// What the ring's queue does.
fn work(
    door: &'static Door,
    context: Arc<Context>,
    ring: Arc<RingQueue>,
    job: dump::Job,
    fence: Option<(Arc<Buffer>, u64)>,
    mut buffers: Vec<Arc<Buffer>>,
    progress: Arc<Progressed>,
) -> Box<dyn FnMut() -> Outcome + Send> {
    let mut recording = None;
    Box::new(move || {
        let mut failure = None;
        if !context.is_lost.load(Relaxed) {
            let mut engine = ring.engine.lock().unwrap_or_else(PoisonError::into_inner);
            if !progress.has_started.swap(true, Relaxed) {
                recording = begin_recording(door, &job);
                job.ibs.iter().for_each(|(address, dwords)| engine.start(*address, *dwords));
            }
            match engine.run() {
                Ok(Progress::Done) => {}
                Ok(Progress::Waiting) => {
                    if !progress.is_held.swap(true, Relaxed) && door.recorder.is_some() {
                        door.announce();
                    }
                    return Outcome::Again;
                }
                Err(e) => {
                    let why = e.to_string();
                    say(&why);
                    context.is_lost.store(true, Relaxed);
                    failure = Some(why);
                }
            }
        }
        if let Some(recording) = recording.take() {
            end_recording(door, recording, failure.as_deref());
        }
        buffers.clear();
        if let Some((buffer, offset)) = &fence
            && door.node.write(buffer.offset + offset, &job.sequence.to_le_bytes()).is_err()
        {
            say("the number of a job cannot be written to its buffer");
        }
        let mut state = door.lock();
        ring.completed.store(job.sequence, Release);
        state.shares.sweep();
        door.announce();
        Outcome::Done
    })
}

/// Records a job that is about to run, if that is asked for.
fn begin_recording(door: &Door, job: &dump::Job) -> Option<dump::Recording> {
    let mut recorder = door.recorder.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
    let (mapped, data) = door.lock().map.ranges();
    let begun = recorder.begin(job, door.gpu.memory(), &mapped, &data);
    begun.inspect_err(|e| say(&format!("a job cannot be recorded: {e}"))).ok()
}

fn end_recording(door: &Door, recording: dump::Recording, failure: Option<&str>) {
    let Some(recorder) = &door.recorder else { return };
    let mut recorder = recorder.lock().unwrap_or_else(PoisonError::into_inner);
    let data = door.lock().map.ranges().1;
    if let Err(e) = recorder.end(recording, door.gpu.memory(), &data, failure) {
        say(&format!("a job cannot be recorded: {e}"));
    }
}
