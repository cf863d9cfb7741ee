//! Events: points in streams, and when they were reached.

use crate::abi::Out;
use crate::gpu;
use crate::graph::capture::Capture;
use crate::handles::Handles;
use crate::op::Op;
use crate::status::{Result, Status, hip};
use crate::stream::{self, Stream};
use std::ffi::c_void;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use wavejit::fork::Mutex;
use wavejit::queue::Point;

/// `hipEventDisableTiming`.
const DISABLE_TIMING: u32 = 2;
/// `hipEventInterprocess`.
const INTERPROCESS: u32 = 4;
/// `hipEventReleaseToDevice` and `hipEventReleaseToSystem`, of which one or none is meant.
const RELEASES: u32 = 0xc000_0000;
/// All flags there are.
const KNOWN_FLAGS: u32 = 0xf000_0007;

/// When something happened, once it has.
#[derive(Clone, Default)]
pub(crate) struct Mark(Arc<OnceLock<Instant>>);

impl Mark {
    /// It happened, at this time.
    pub(crate) fn note(&self, now: Instant) {
        let _ = self.0.set(now);
    }
}

/// An event.
pub(crate) struct Event {
    flags: u32,
    recorded: Mutex<Option<Recorded>>,
    /// The nodes that it stands for, if it was recorded in a captured stream.
    captured: Mutex<Option<Capture>>,
}

/// The last time that an event was recorded.
#[derive(Clone)]
struct Recorded {
    point: Point,
    mark: Mark,
    gpu: usize,
}

static EVENTS: Handles<Event> = Handles::new();

/// The event of a handle.
pub(crate) fn get(handle: *mut c_void) -> Result<Arc<Event>> {
    EVENTS.get(handle)
}

impl Event {
    fn recorded(&self) -> Option<Recorded> {
        self.recorded.lock().clone()
    }

    /// Notes that it is at the end of what is in a stream, and that `mark` is when.
    pub(crate) fn set(&self, point: Point, mark: Mark, stream: &Stream) {
        *self.recorded.lock() = Some(Recorded { point, mark, gpu: stream.gpu });
    }

    /// Records it.
    pub(crate) fn record(&self, stream: &Stream) -> Result {
        if let Some(capture) = stream.capture.lock().clone() {
            *self.captured.lock() = Some(Capture { is_origin: false, ..capture });
            return Ok(());
        }
        *self.captured.lock() = None;
        let mark = Mark::default();
        let point = stream.push(Op::Mark(mark.clone()))?;
        self.set(point, mark, stream);
        Ok(())
    }

    /// What a stream that waits for it waits for.
    pub(crate) fn point(&self) -> Option<Point> {
        self.recorded().map(|r| r.point)
    }
}

/// Makes what is pushed to a stream from now on wait for an event.
pub(crate) fn wait_in(stream: &Stream, event: *mut c_void) -> Result {
    wait_for(stream, &*get(event)?)
}

/// As [`wait_in`], for an event that is known.
pub(crate) fn wait_for(stream: &Stream, event: &Event) -> Result {
    if let Some(nodes) = event.captured.lock().as_ref() {
        let mut capture = stream.capture.lock();
        return match capture.as_mut() {
            Some(capture) => capture.join(nodes),
            None => {
                *capture = Some(nodes.clone());
                Ok(())
            }
        };
    }
    match event.point() {
        Some(point) => stream.push_after(Op::Nothing, [point]).map(|_| ()),
        None => Ok(()),
    }
}

fn create(out: Out<*mut c_void>, flags: u32) -> Result {
    let out = out.ok_or(Status::INVALID_VALUE)?;
    // Events of several processes have no times.
    let at_odds = flags & (INTERPROCESS | DISABLE_TIMING) == INTERPROCESS || flags & RELEASES == RELEASES;
    if flags & !KNOWN_FLAGS != 0 || at_odds {
        return Err(Status::INVALID_VALUE);
    }
    gpu::current()?;
    out.write(EVENTS.add(Arc::new(Event { flags, recorded: Mutex::new(None), captured: Mutex::new(None) })));
    Ok(())
}

hip! {
    fn hipEventCreate(event: Out<*mut c_void>) {
        create(event, 0)
    }
    fn hipEventCreateWithFlags(event: Out<*mut c_void>, flags: u32) {
        create(event, flags)
    }
    fn hipEventDestroy(event: *mut c_void) {
        EVENTS.remove(event).map(|_| ())
    }
    fn hipEventRecord(event: *mut c_void, stream: *mut c_void) {
        get(event)?.record(&*stream::get(stream)?)
    }
    fn hipEventRecordWithFlags(event: *mut c_void, stream: *mut c_void, _flags: u32) {
        get(event)?.record(&*stream::get(stream)?)
    }
    fn hipEventRecord_spt(event: *mut c_void, stream: *mut c_void) {
        get(event)?.record(&*stream::get_spt(stream)?)
    }
    fn hipEventSynchronize(event: *mut c_void) {
        let Some(recorded) = get(event)?.recorded() else { return Ok(()) };
        recorded.point.wait();
        gpu::by_number(recorded.gpu as i32)?.check()
    }
    fn hipEventQuery(event: *mut c_void) {
        match get(event)?.recorded() {
            Some(recorded) if !recorded.point.is_reached() => Err(Status::NOT_READY),
            Some(recorded) => gpu::by_number(recorded.gpu as i32)?.check(),
            None => Ok(()),
        }
    }
    fn hipEventElapsedTime(milliseconds: Out<f32>, start: *mut c_void, stop: *mut c_void) {
        let out = milliseconds.ok_or(Status::INVALID_VALUE)?;
        let (start, stop) = (get(start)?, get(stop)?);
        if (start.flags | stop.flags) & DISABLE_TIMING != 0 {
            return Err(Status::INVALID_HANDLE);
        }
        let (Some(first), Some(last)) = (start.recorded(), stop.recorded()) else { return Err(Status::INVALID_HANDLE) };
        if !first.point.is_reached() || !last.point.is_reached() {
            return Err(Status::NOT_READY);
        }
        let time = |r: &Recorded| r.mark.0.get().copied().ok_or(Status::NOT_READY);
        let (first, last) = (time(&first)?, time(&last)?);
        // A stop may be before its start.
        let seconds = last.checked_duration_since(first).map_or_else(|| -(first - last).as_secs_f64(), |d| d.as_secs_f64());
        out.write((seconds * 1e3) as f32);
        Ok(())
    }
}

/// Records both events of a launch, which notes the times itself.
pub(crate) fn set_both(events: [*mut c_void; 2], marks: &[Option<Mark>; 2], point: &Point, stream: &Stream) -> Result {
    for (event, mark) in events.into_iter().zip(marks) {
        if let (false, Some(mark)) = (event.is_null(), mark) {
            get(event)?.set(point.clone(), mark.clone(), stream);
        }
    }
    Ok(())
}

/// A place for each event that is given.
pub(crate) fn marks(events: [*mut c_void; 2]) -> Result<[Option<Mark>; 2]> {
    let mark = |event: *mut c_void| if event.is_null() { Ok(None) } else { get(event).map(|_| Some(Mark::default())) };
    Ok([mark(events[0])?, mark(events[1])?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_keeps_the_first_time() {
        let (mark, now) = (Mark::default(), Instant::now());
        mark.note(now);
        mark.note(now + std::time::Duration::from_secs(1));
        assert_eq!(mark.0.get(), Some(&now));
    }
}
