//! The registers of a wave, as buffer, image and ray instructions see them.

/// Rows of registers: row `r` of lane `l` is `rows[r * lanes + l]`.
#[derive(Debug)]
pub struct Wave<'a> {
    /// All rows.
    pub rows: &'a mut [u32],
    /// Lanes of a row: 32 or 64.
    pub lanes: usize,
    /// Active lanes; only these are read (derivatives apart) and written.
    pub exec: u64,
}

impl<'a> Wave<'a> {
    /// A wave over `rows`.
    #[inline]
    pub fn new(rows: &'a mut [u32], lanes: usize, exec: u64) -> Wave<'a> {
        let all = u64::MAX >> (64 - lanes.clamp(1, 64));
        Wave { rows, lanes, exec: exec & all }
    }

    /// Row `r`, a dword for each lane.
    #[inline]
    pub fn row(&self, r: u16) -> &[u32] {
        &self.rows[usize::from(r) * self.lanes..][..self.lanes]
    }

    /// Row `r`, to write.
    #[inline]
    pub fn row_mut(&mut self, r: u16) -> &mut [u32] {
        &mut self.rows[usize::from(r) * self.lanes..][..self.lanes]
    }

    /// A register of a lane.
    #[inline]
    pub fn get(&self, r: u16, lane: usize) -> u32 {
        self.rows[usize::from(r) * self.lanes + lane]
    }

    /// Writes a register of a lane.
    #[inline]
    pub fn set(&mut self, r: u16, lane: usize, value: u32) {
        self.rows[usize::from(r) * self.lanes + lane] = value;
    }

    /// The active lanes, lowest first.
    #[inline]
    pub fn active(&self) -> LaneIter {
        LaneIter(self.exec)
    }
}

/// The lanes of a mask, lowest first.
#[derive(Clone, Copy, Debug)]
pub struct LaneIter(pub u64);

impl Iterator for LaneIter {
    type Item = usize;
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lane = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(lane)
    }
}
