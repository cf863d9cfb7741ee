//! Synchronization objects: a fence, or a timeline of points with a fence each.

use crate::door::{Door, State};
use crate::errno::{Errno, Result};
use crate::fence::Fence;
use crate::raw::{read_all, write_all};
use crate::uapi::{Handle, SyncobjArray, SyncobjTimelineArray, SyncobjTimelineWait, SyncobjTransfer, SyncobjWait};
use crate::wait::Deadline;
use std::sync::{Arc, Mutex, PoisonError};
use wavejit::queue::Point;

/// A synchronization object.
#[derive(Default)]
pub(crate) struct Syncobj(Mutex<Fences>);

/// What an object stands for.
#[derive(Default)]
struct Fences {
    /// Points of a timeline that are not known to be done, in order; what is not a timeline has one at 0.
    ahead: Vec<(u64, Fence)>,
    /// The last point that is done.
    done: u64,
    /// Has it ever had a fence, since it was reset?
    has_any: bool,
}

impl Fences {
    /// Forgets what is done.
    fn settle(&mut self) {
        let done = self.ahead.iter().take_while(|(_, fence)| fence.is_done()).count();
        if let Some((point, _)) = self.ahead.drain(..done).next_back() {
            self.done = self.done.max(point);
        }
    }

    /// What has to be done at a point (0: now); none if there is nothing yet.
    fn until(&self, point: u64) -> Option<&[(u64, Fence)]> {
        if !self.has_any {
            return None;
        }
        if point == 0 {
            return Some(&self.ahead);
        }
        if point <= self.done {
            return Some(&[]);
        }
        let at = self.ahead.iter().position(|(p, _)| *p >= point)?;
        Some(&self.ahead[..=at])
    }
}

/// How far an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reached {
    Nothing,
    Submitted,
    Done,
}

impl Syncobj {
    /// Gives it a fence: in place of what it has (point 0), or at a point of its timeline.
    pub(crate) fn put(&self, point: u64, fence: Fence) {
        let mut fences = self.lock();
        if point == 0 {
            *fences = Fences::default();
        }
        fences.has_any = true;
        fences.ahead.push((point, fence));
        fences.settle();
    }

    fn reset(&self) {
        *self.lock() = Fences::default();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Fences> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What work that waits for a point waits for; none if there is no fence yet.
    pub(crate) fn points_at(&self, point: u64) -> Option<Vec<Point>> {
        let fences = self.lock();
        fences.until(point).map(|fences| fences.iter().filter_map(|(_, fence)| fence.point()).collect())
    }

    /// The fence of a point, if there is one.
    pub(crate) fn fence_at(&self, point: u64) -> Option<Fence> {
        let fences = self.lock();
        let until = fences.until(point)?;
        Some(until.iter().rev().map(|(_, fence)| fence).find(|fence| !fence.is_done()).cloned().unwrap_or(Fence::Done))
    }

    fn reached(&self, point: u64) -> Reached {
        let mut fences = self.lock();
        fences.settle();
        match fences.until(point) {
            None => Reached::Nothing,
            Some(fences) if fences.iter().all(|(_, fence)| fence.is_done()) => Reached::Done,
            Some(_) => Reached::Submitted,
        }
    }

    /// The last point that is done, or that has a fence.
    fn last_point(&self, submitted: bool) -> u64 {
        let mut fences = self.lock();
        fences.settle();
        let last = fences.ahead.last().map_or(0, |(point, _)| *point);
        if submitted { last.max(fences.done) } else { fences.done }
    }
}

/// An object by its handle.
pub(crate) fn find(state: &State, handle: u32) -> Result<Arc<Syncobj>> {
    state.syncobjs.get(&handle).cloned().ok_or(Errno::NOENT)
}

fn find_all(door: &Door, handles: u64, count: u32) -> Result<Vec<Arc<Syncobj>>> {
    let handles = read_all::<u32>(handles, count as usize)?;
    let state = door.lock();
    handles.iter().map(|handle| find(&state, *handle)).collect()
}

/// SYNCOBJ_CREATE.
pub(crate) fn create(door: &Door, args: &mut Handle) -> Result {
    const SIGNALED: u32 = 1;
    if args.flags & !SIGNALED != 0 {
        return Err(Errno::INVAL);
    }
    let object = Arc::<Syncobj>::default();
    if args.flags & SIGNALED != 0 {
        object.put(0, Fence::Done);
    }
    let mut state = door.lock();
    args.handle = state.new_handle();
    state.syncobjs.insert(args.handle, object);
    Ok(())
}

/// SYNCOBJ_DESTROY.
pub(crate) fn destroy(door: &Door, args: &mut Handle) -> Result {
    door.lock().syncobjs.remove(&args.handle).map(|_| ()).ok_or(Errno::INVAL)
}

/// SYNCOBJ_RESET.
pub(crate) fn reset(door: &Door, args: &mut SyncobjArray) -> Result {
    find_all(door, args.handles, args.count_handles)?.iter().for_each(|object| object.reset());
    Ok(())
}

/// SYNCOBJ_SIGNAL.
pub(crate) fn signal(door: &Door, args: &mut SyncobjArray) -> Result {
    find_all(door, args.handles, args.count_handles)?.iter().for_each(|object| object.put(0, Fence::Done));
    told(door)
}

/// SYNCOBJ_TIMELINE_SIGNAL.
pub(crate) fn timeline_signal(door: &Door, args: &mut SyncobjTimelineArray) -> Result {
    let objects = find_all(door, args.handles, args.count_handles)?;
    let points = read_all::<u64>(args.points, objects.len())?;
    objects.iter().zip(points).for_each(|(object, point)| object.put(point, Fence::Done));
    told(door)
}

fn told(door: &Door) -> Result {
    door.lock().shares.sweep();
    door.announce();
    Ok(())
}

/// SYNCOBJ_QUERY.
pub(crate) fn query(door: &Door, args: &mut SyncobjTimelineArray) -> Result {
    const LAST_SUBMITTED: u32 = 1;
    if args.flags & !LAST_SUBMITTED != 0 {
        return Err(Errno::INVAL);
    }
    let objects = find_all(door, args.handles, args.count_handles)?;
    let points: Vec<u64> = objects.iter().map(|object| object.last_point(args.flags != 0)).collect();
    write_all(args.points, &points)
}

/// SYNCOBJ_TRANSFER: what one object stands for at a point, to another.
pub(crate) fn transfer(door: &Door, args: &mut SyncobjTransfer) -> Result {
    const WAIT_FOR_SUBMIT: u32 = 2;
    let (from, to) = {
        let state = door.lock();
        (find(&state, args.src_handle)?, find(&state, args.dst_handle)?)
    };
    let fence = if args.flags & WAIT_FOR_SUBMIT != 0 {
        Deadline::NEVER.wait_for(door, |_| from.fence_at(args.src_point))
    } else {
        from.fence_at(args.src_point)
    };
    to.put(args.dst_point, fence.ok_or(Errno::INVAL)?);
    told(door)
}

/// SYNCOBJ_WAIT.
pub(crate) fn wait(door: &Door, args: &mut SyncobjWait) -> Result {
    let objects = find_all(door, args.handles, args.count_handles)?;
    let all = objects.into_iter().map(|object| (object, 0)).collect();
    args.first_signaled = wait_for(door, all, args.flags, args.timeout_nsec)?;
    Ok(())
}

/// SYNCOBJ_TIMELINE_WAIT.
pub(crate) fn timeline_wait(door: &Door, args: &mut SyncobjTimelineWait) -> Result {
    let objects = find_all(door, args.handles, args.count_handles)?;
    let points = read_all::<u64>(args.points, objects.len())?;
    args.first_signaled = wait_for(door, objects.into_iter().zip(points).collect(), args.flags, args.timeout_nsec)?;
    Ok(())
}

/// Waits for all or for one; which one it was.
fn wait_for(door: &Door, all: Vec<(Arc<Syncobj>, u64)>, flags: u32, timeout: u64) -> Result<u32> {
    const ALL: u32 = 1;
    const FOR_SUBMIT: u32 = 2;
    const AVAILABLE: u32 = 4;
    /// A hint when the result is needed.
    const DEADLINE: u32 = 8;
    if flags & !(ALL | FOR_SUBMIT | AVAILABLE | DEADLINE) != 0 {
        return Err(Errno::INVAL);
    }
    let enough = |reached: Reached| reached == Reached::Done || reached == Reached::Submitted && flags & AVAILABLE != 0;
    let look = |_: &mut State| {
        let reached: Vec<Reached> = all.iter().map(|(object, point)| object.reached(*point)).collect();
        if flags & (FOR_SUBMIT | AVAILABLE) == 0 && reached.contains(&Reached::Nothing) {
            return Some(Err(Errno::INVAL));
        }
        let first = reached.iter().position(|r| enough(*r));
        let is_done = if flags & ALL != 0 { reached.iter().all(|r| enough(*r)) } else { first.is_some() || all.is_empty() };
        is_done.then(|| Ok(first.unwrap_or(0) as u32))
    };
    Deadline::signed(timeout).wait_for(door, look).unwrap_or(Err(Errno::TIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binary_object_has_one_fence() {
        let object = Syncobj::default();
        assert_eq!(object.reached(0), Reached::Nothing);
        object.put(0, Fence::Done);
        assert_eq!(object.reached(0), Reached::Done);
        object.reset();
        assert!(object.points_at(0).is_none());
    }

    #[test]
    fn a_timeline_reaches_points_in_order() {
        let object = Syncobj::default();
        assert_eq!(object.reached(3), Reached::Nothing);
        object.put(3, Fence::Done);
        object.put(7, Fence::Done);
        assert_eq!(
            [1, 3, 5, 7, 8].map(|p| object.reached(p)),
            [Reached::Done, Reached::Done, Reached::Done, Reached::Done, Reached::Nothing]
        );
        assert_eq!((object.last_point(false), object.last_point(true)), (7, 7));
        assert!(object.points_at(8).is_none() && object.points_at(7).is_some_and(|p| p.is_empty()));
    }
}
