//! Tables that are made when they are first needed.

use std::ops::Deref;
use std::sync::OnceLock;

/// As [`std::sync::LazyLock`], but nobody ever waits: a thread that finds no table makes one, and keeps the first that was made. So a
/// process that is forked while another thread makes a table has none, and not one that will never be ready.
pub(crate) struct Lazy<T> {
    table: OnceLock<T>,
    make: fn() -> T,
}

impl<T> Lazy<T> {
    pub(crate) const fn new(make: fn() -> T) -> Lazy<T> {
        Lazy { table: OnceLock::new(), make }
    }
}

impl<T> Deref for Lazy<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self.table.get() {
            Some(table) => table,
            None => {
                let made = (self.make)();
                self.table.get_or_init(|| made)
            }
        }
    }
}
