//! Format loads and stores (BUF-03, BUF-06 to BUF-10).

use super::access::{Results, Run};
use super::address::Addressing;
use super::{BufferError, D16};
use crate::{Memory, Wave};

impl<M: Memory + ?Sized> Run<'_, M> {
    pub(super) fn load_format(
        &self,
        _wave: &Wave,
        _plan: &Addressing,
        _components: usize,
        _d16: D16,
        _results: &mut Results,
    ) -> Result<Result<(), BufferError>, BufferError> {
        Err(BufferError::Format(self.op.format.unwrap_or(self.descriptor.format)))
    }

    pub(super) fn store_format(
        &self,
        _wave: &Wave,
        _plan: &Addressing,
        _components: usize,
        _d16: D16,
    ) -> Result<Result<(), BufferError>, BufferError> {
        Err(BufferError::Format(self.op.format.unwrap_or(self.descriptor.format)))
    }
}
