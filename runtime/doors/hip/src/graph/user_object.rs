//! Objects of a program that graphs keep alive: counted, and destroyed by a function of the program's when nobody has them any more.

use super::graph;
use crate::abi::{Out, put};
use crate::handles::Handles;
use crate::raw;
use crate::status::{Result, Status, hip};
use std::ffi::c_void;
use std::sync::Arc;
use wavejit::fork::Mutex;

/// `hipUserObjectNoDestructorSync`, the only flag there is, which has to be set.
const NO_DESTRUCTOR_SYNC: u32 = 1;
/// `hipGraphUserObjectMove`: the graph takes over the caller's count.
const MOVE: u32 = 1;

/// An object.
pub(crate) struct UserObject {
    data: usize,
    destroy: usize,
    count: Mutex<u64>,
}

static OBJECTS: Handles<UserObject> = Handles::new();

impl UserObject {
    fn retain(&self, count: u32) {
        *self.count.lock() += u64::from(count);
    }

    /// Gives back; destroys the object with the last.
    pub(super) fn release(&self, count: u32) {
        let mut left = self.count.lock();
        let had = *left;
        *left = left.saturating_sub(count.into());
        let is_last = had > 0 && *left == 0;
        drop(left);
        if is_last {
            raw::call_host(self.destroy, self.data);
        }
    }
}

fn get(object: *const c_void, count: u32) -> Result<Arc<UserObject>> {
    if count == 0 || count > i32::MAX as u32 {
        return Err(Status::INVALID_VALUE);
    }
    OBJECTS.get(object).map_err(|_| Status::INVALID_VALUE)
}

hip! {
    fn hipUserObjectCreate(object: Out<*mut c_void>, data: *mut c_void, destroy: *const c_void, count: u32, flags: u32) {
        let is_wrong = data.is_null() || destroy.is_null() || count == 0 || count > i32::MAX as u32 || flags != NO_DESTRUCTOR_SYNC;
        if object.is_none() || is_wrong { return Err(Status::INVALID_VALUE); }
        put(object, OBJECTS.add(Arc::new(UserObject { data: data as usize, destroy: destroy as usize, count: Mutex::new(count.into()) })))
    }
    fn hipUserObjectRetain(object: *mut c_void, count: u32) {
        get(object, count)?.retain(count);
        Ok(())
    }
    fn hipUserObjectRelease(object: *mut c_void, count: u32) {
        get(object, count)?.release(count);
        Ok(())
    }
    fn hipGraphRetainUserObject(of: *mut c_void, object: *mut c_void, count: u32, flags: u32) {
        if flags > MOVE { return Err(Status::INVALID_VALUE); }
        let (graph, object) = (graph(of)?, get(object, count)?);
        if flags != MOVE { object.retain(count); }
        graph.objects.lock().push((object, count));
        Ok(())
    }
    fn hipGraphReleaseUserObject(of: *mut c_void, object: *mut c_void, count: u32) {
        let (graph, object) = (graph(of)?, get(object, count)?);
        let mut kept = graph.objects.lock();
        let found = kept.iter_mut().find(|o| Arc::ptr_eq(&o.0, &object) && o.1 >= count).ok_or(Status::INVALID_VALUE)?;
        found.1 -= count;
        kept.retain(|o| o.1 > 0);
        drop(kept);
        object.release(count);
        Ok(())
    }
}
