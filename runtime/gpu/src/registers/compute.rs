//! What the compute registers say: a typed view of them. Reference: Mesa, `src/amd/registers/gfx11.json`; RDNA3 ISA, ch. 3.

use super::RegisterFile;
use wavejit::code_object::PgmRsrc;

/// Most user SGPRs of a compute wave.
pub const USER_DATA: u32 = 16;

/// The state that a dispatch starts waves from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComputeState {
    /// Guest address of the first instruction: COMPUTE_PGM_LO, HI.
    pub entry: u64,
    /// COMPUTE_PGM_RSRC1 to 3.
    pub rsrc: PgmRsrc,
    /// COMPUTE_USER_DATA.
    pub user_data: Vec<u32>,
    /// COMPUTE_START_X, Y, Z: the first workgroup.
    pub start: [u32; 3],
    /// Work-items of a workgroup: NUM_THREAD_FULL.
    pub full: [u32; 3],
    /// Work-items of the last workgroup of each dimension where that is smaller: NUM_THREAD_PARTIAL.
    pub partial: [u32; 3],
    /// Scratch of a wave in bytes: WAVESIZE, which counts 256 bytes from gfx11 on.
    pub wave_scratch_bytes: u32,
}

impl ComputeState {
    /// Reads the registers.
    pub fn of(registers: &RegisterFile) -> ComputeState {
        let get = |address| registers.get(address);
        let three = |first: u32| [0, 4, 8].map(|d| get(first + d));
        let threads = three(0xb81c);
        let rsrc = PgmRsrc { rsrc1: get(0xb848), rsrc2: get(0xb84c), rsrc3: get(0xb8a0) };
        ComputeState {
            entry: u64::from(get(0xb830)) << 8 | u64::from(get(0xb834)) << 40,
            user_data: (0..rsrc.user_sgprs().min(USER_DATA)).map(|n| get(0xb900 + 4 * n)).collect(),
            rsrc,
            start: three(0xb810),
            full: threads.map(|n| n & 0xffff),
            partial: threads.map(|n| n >> 16),
            wave_scratch_bytes: (get(0xb860) >> 12) * 256,
        }
    }

    /// Where samplers find border colors: TA_CS_BC_BASE_ADDR, in units of 256 bytes; `None` if nobody has set it.
    pub fn border_colors(registers: &RegisterFile) -> Option<u64> {
        let address = u64::from(registers.get(0x3_0e00)) << 8 | u64::from(registers.get(0x3_0e04) & 0xff) << 40;
        (address != 0).then_some(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_where_the_register_list_says() {
        let mut file = RegisterFile::new();
        let writes = [
            (0xb830, 0x1234_5678),
            (0xb834, 0x20),
            (0xb84c, 3 << 1 | 1 << 7),
            (0xb81c, 5 << 16 | 64),
            (0xb820, 1 << 16 | 1),
            (0xb860, 2 << 12 | 7),
            (0xb900, 11),
            (0xb908, 13),
            (0x3_0e00, 0x100),
        ];
        writes.iter().for_each(|(address, value)| file.write(address / 4, *value).unwrap());
        let state = ComputeState::of(&file);
        assert_eq!(state.entry, 0x2012_3456_7800);
        assert_eq!(state.user_data, [11, 0, 13]);
        assert_eq!((state.full, state.partial), ([64, 1, 0], [5, 1, 0]));
        assert_eq!(state.wave_scratch_bytes, 512);
        assert_eq!(ComputeState::border_colors(&file), Some(0x1_0000));
    }
}
