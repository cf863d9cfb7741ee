//! Locks that are free, and what they protect whole, in a child of fork(2): each is held in a [`Section`].
//!
//! They are the standard library's, whose state is in the lock alone. (Other implementations queue waiting threads in tables of the
//! process, which a fork may find locked.) A panic while one is held is a defect of ours that has been reported; the next user goes on.

use crate::fork::Section;
use std::ops::{Deref, DerefMut};
use std::sync::{self, PoisonError};

/// Mutual exclusion.
#[derive(Default, Debug)]
pub struct Mutex<T>(sync::Mutex<T>);

/// A lock for one writer or many readers.
#[derive(Default, Debug)]
pub struct RwLock<T>(sync::RwLock<T>);

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
pub type MutexGuard<'a, T> = Held<sync::MutexGuard<'a, T>>;

impl<T> Mutex<T> {
    /// Unlocked.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex(sync::Mutex::new(value))
    }

    /// Waits until it is free.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        let section = Section::begin();
        Held { guard: self.0.lock().unwrap_or_else(PoisonError::into_inner), _section: section }
    }

    /// What it protects, without locking.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> RwLock<T> {
    /// Waits until nobody writes.
    pub fn read(&self) -> Held<sync::RwLockReadGuard<'_, T>> {
        let section = Section::begin();
        Held { guard: self.0.read().unwrap_or_else(PoisonError::into_inner), _section: section }
    }

    /// Waits until nobody reads or writes.
    pub fn write(&self) -> Held<sync::RwLockWriteGuard<'_, T>> {
        let section = Section::begin();
        Held { guard: self.0.write().unwrap_or_else(PoisonError::into_inner), _section: section }
    }
}
