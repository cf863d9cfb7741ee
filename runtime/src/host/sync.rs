//! Locks that are free, and what they protect whole, in a child of fork(2): each is held in a [`Section`].
//!
//! parking_lot queues waiting threads in a table of the process. Since whoever waits or wakes somebody is in a section, that table is at rest
//! when the process forks.

use crate::host::fork::Section;
use std::ops::{Deref, DerefMut};

/// Mutual exclusion.
#[derive(Default, Debug)]
pub struct Mutex<T>(parking_lot::Mutex<T>);

/// A lock for one writer or many readers.
#[derive(Default, Debug)]
pub struct RwLock<T>(parking_lot::RwLock<T>);

/// A lock that is held. (The lock is released before the section ends.)
pub struct Held<G> {
    guard: G,
    _section: Section,
}

impl<G: Deref> Deref for Held<G> {
    type Target = G::Target;
    fn deref(&self) -> &G::Target {
        &self.guard
    }
}

impl<G: DerefMut> DerefMut for Held<G> {
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.guard
    }
}

/// A locked [`Mutex`].
pub(crate) type MutexGuard<'a, T> = Held<parking_lot::MutexGuard<'a, T>>;

impl<T> Mutex<T> {
    /// Unlocked.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex(parking_lot::Mutex::new(value))
    }

    /// Waits until it is free.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        let section = Section::begin();
        Held { guard: self.0.lock(), _section: section }
    }

    /// What it protects, without locking.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut()
    }
}

impl<T> RwLock<T> {
    /// Unlocked.
    pub const fn new(value: T) -> RwLock<T> {
        RwLock(parking_lot::RwLock::new(value))
    }

    /// Waits until nobody writes.
    pub fn read(&self) -> Held<parking_lot::RwLockReadGuard<'_, T>> {
        let section = Section::begin();
        Held { guard: self.0.read(), _section: section }
    }

    /// Waits until nobody reads or writes.
    pub fn write(&self) -> Held<parking_lot::RwLockWriteGuard<'_, T>> {
        let section = Section::begin();
        Held { guard: self.0.write(), _section: section }
    }
}
