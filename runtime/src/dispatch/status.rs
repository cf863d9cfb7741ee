//! Where the waves of a workgroup are: [`Status`] of one, [`TurnAt`] of all.

/// Where a wave is between two entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// May run.
    Ready,
    /// At a barrier.
    Barrier,
    /// In global wave sync, with a ticket.
    Gws,
    Ended,
}

/// Where a turn of all waves is.
#[derive(Clone, Copy, Default)]
pub(crate) struct TurnAt {
    /// Whose turn it is.
    pub wave: usize,
    /// Some wave ended or reached a barrier.
    pub progress: bool,
    /// Some wave came to s_sleep.
    pub slept: bool,
    /// Some wave's slice ended.
    pub worked: bool,
}
