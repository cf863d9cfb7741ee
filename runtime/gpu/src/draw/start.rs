//! What waves of geometry stages start with, as values (RDNA3 ISA, ch. 3; requirements.md INIT-07). s0 to s7 are always written, user SGPRs begin at
//! s8; the first instruction is that of the first of two merged stages, s0 and s1 the address of the second.

/// SGPRs of merged ES+GS waves beside the user's. Counts of a wave of 64 stand in fields of eight bits: shaders look at bit 6.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct GeometryStart {
    /// SPI_SHADER_PGM_LO, HI_GS.
    pub program: [u32; 2],
    /// Number of the subgroup, of which 12 bits are shown.
    pub ordered_id: u32,
    /// Vertices that the subgroup may export, and its primitives.
    pub group: [u32; 2],
    /// Vertices and primitives of the wave.
    pub wave: [u32; 2],
    /// Number of the wave in its subgroup, and how many there are.
    pub number: [u32; 2],
    /// Base of off-chip memory of tessellation.
    pub offchip_base: u32,
    /// Place of the subgroup's attributes in the ring, in units of 512 bytes.
    pub attributes: u32,
}

impl GeometryStart {
    /// s0 to s7.
    pub(crate) fn sgprs(&self) -> [u32; 8] {
        let group = (self.group[1] & 0x1ff) << 22 | (self.group[0] & 0x1ff) << 12 | self.ordered_id & 0xfff;
        let wave = (self.number[1] & 15) << 28 | (self.number[0] & 15) << 24 | (self.wave[1] & 0xff) << 8 | self.wave[0] & 0xff;
        [self.program[0], self.program[1], group, wave, self.offchip_base, self.attributes & 0x7fff, 0, 0]
    }
}

/// SGPRs of merged LS+HS waves beside the user's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct HullStart {
    /// SPI_SHADER_PGM_LO, HI_HS.
    pub program: [u32; 2],
    /// Base of off-chip memory.
    pub offchip_base: u32,
    /// Vertices of the wave's LS part, invocations of its HS part.
    pub wave: [u32; 2],
    /// Patches of the group.
    pub patches: u32,
    /// Number of the wave in its group, and how many there are.
    pub number: [u32; 2],
    /// Byte offset of the group in the ring of tessellation factors.
    pub factors: u32,
}

impl HullStart {
    /// s0 to s7.
    pub(crate) fn sgprs(&self) -> [u32; 8] {
        let first = u32::from(self.number[0] == 0) << 31;
        let counts = first | (self.number[1] & 0x7f) << 24 | (self.patches & 0xff) << 16 | (self.wave[1] & 0xff) << 8 | self.wave[0] & 0xff;
        [self.program[0], self.program[1], self.offchip_base, counts, self.factors, self.number[0] & 31, 0, 0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // INIT-07, descriptors.md 12.4.
    #[test]
    fn hull_waves_know_their_group() {
        let start = HullStart { program: [1, 2], offchip_base: 3, wave: [64, 33], patches: 16, number: [0, 2], factors: 0x40 };
        assert_eq!(start.sgprs(), [1, 2, 3, 1 << 31 | 2 << 24 | 16 << 16 | 33 << 8 | 64, 0x40, 0, 0, 0]);
        let second = HullStart { number: [1, 2], ..start };
        assert_eq!(second.sgprs()[3..6], [2 << 24 | 16 << 16 | 33 << 8 | 64, 0x40, 1]);
    }

    // INIT-07, descriptors.md 12.3.
    #[test]
    fn geometry_waves_know_their_group() {
        let start = GeometryStart {
            program: [0x16000, 0x2001],
            ordered_id: 0x1005,
            group: [130, 128],
            wave: [64, 63],
            number: [1, 3],
            offchip_base: 0,
            attributes: 9,
        };
        assert_eq!(start.sgprs(), [0x16000, 0x2001, 128 << 22 | 130 << 12 | 5, 3 << 28 | 1 << 24 | 63 << 8 | 64, 0, 9, 0, 0]);
    }
}
