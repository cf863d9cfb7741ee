//! The register file of a ring: named registers in four banks.
//!
//! | bank | byte addresses | written by | holds |
//! |---|---|---|---|
//! | config | 0x8000 | SET_CONFIG_REG | the chip |
//! | SH | 0xb000 | SET_SH_REG | programs of shader stages and what their waves start with |
//! | context | 0x28000 | SET_CONTEXT_REG | what draws do; CLEAR_STATE sets all of it |
//! | user config | 0x30000 | SET_UCONFIG_REG | the rest of what drivers set |
//!
//! A register is written only if `table.rs` names it, and only with bits that are understood there.

pub mod color;
pub mod compute;
pub mod depth;
pub mod geometry;
pub mod pixel;
pub mod raster;
mod table;
pub(crate) mod tessellation;

pub use table::{Register, Use, find};

use crate::error::Refusal;

/// A bank of registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bank {
    /// SET_CONFIG_REG.
    Config,
    /// SET_SH_REG.
    Shader,
    /// SET_CONTEXT_REG.
    Context,
    /// SET_UCONFIG_REG.
    UserConfig,
}

impl Bank {
    /// First byte address, and the first that is not in the bank.
    pub fn range(self) -> (u32, u32) {
        match self {
            Bank::Config => (0x8000, 0xb000),
            Bank::Shader => (0xb000, 0xc000),
            Bank::Context => (0x2_8000, 0x2_a000),
            Bank::UserConfig => (0x3_0000, 0x4_0000),
        }
    }
}

/// Values of all registers of a ring.
#[derive(Clone)]
pub struct RegisterFile {
    /// By dword address from 0x8000 on.
    values: Vec<u32>,
}

const FIRST: u32 = 0x8000;
const END: u32 = 0x4_0000;

impl Default for RegisterFile {
    fn default() -> RegisterFile {
        RegisterFile::new()
    }
}

impl RegisterFile {
    /// All 0, and the context bank as CLEAR_STATE leaves it.
    pub fn new() -> RegisterFile {
        let mut file = RegisterFile { values: vec![0; ((END - FIRST) / 4) as usize] };
        file.clear_state();
        file
    }

    /// Sets the context bank to its defaults.
    pub fn clear_state(&mut self) {
        let (first, end) = Bank::Context.range();
        self.values[index(first)..index(end)].fill(0);
        for &(address, count, stride, value) in table::CONTEXT_DEFAULTS {
            for n in 0..count {
                self.values[index(address + n * stride)] = value;
            }
        }
    }

    /// The value at a byte address.
    ///
    /// # Panics
    /// If no bank has the address; callers name registers of the table.
    pub fn get(&self, address: u32) -> u32 {
        self.values[index(address)]
    }

    /// The value of a register that a packet names by its dword address.
    pub fn read(&self, dword_address: u32) -> Result<u32, Refusal> {
        let address = u64::from(dword_address) * 4;
        match u32::try_from(address).ok().filter(|a| (FIRST..END).contains(a) && find(*a).is_some()) {
            Some(address) => Ok(self.get(address)),
            None => Err(Refusal::new(format!("register {address:#x} is not known"))),
        }
    }

    /// Writes the register that a packet names by its dword address, wherever it is.
    pub fn write(&mut self, dword_address: u32, value: u32) -> Result<(), Refusal> {
        let address = u64::from(dword_address) * 4;
        let known = u32::try_from(address).ok().and_then(|a| Some((a, find(a)?)));
        let Some((address, register)) = known else {
            return Err(Refusal::new(format!("register {address:#x} is not known (value {value:#x})")));
        };
        if let Use::Bits(understood) = register.usage
            && value & !understood != 0
        {
            let bits = value & !understood;
            return Err(Refusal::new(format!("{}: bits {bits:#x} of {value:#x} are not understood", register.name_at(address))));
        }
        self.values[index(address)] = value;
        Ok(())
    }

    /// Writes registers of a bank from an offset in dwords on.
    pub fn write_run(&mut self, bank: Bank, offset: u32, values: &[u32]) -> Result<(), Refusal> {
        let (first, end) = bank.range();
        let last = u64::from(offset) + values.len() as u64;
        if last > u64::from((end - first) / 4) {
            return Err(Refusal::new(format!(
                "{} registers from {:#x} on: not in the bank",
                values.len(),
                u64::from(first) + 4 * u64::from(offset)
            )));
        }
        values.iter().zip(first / 4 + offset..).try_for_each(|(value, at)| self.write(at, *value))
    }

    /// Writes some bits of a register of the context bank.
    pub fn modify(&mut self, bank: Bank, offset: u32, mask: u32, value: u32) -> Result<(), Refusal> {
        let (first, end) = bank.range();
        if offset >= (end - first) / 4 {
            return Err(Refusal::new(format!("register offset {offset:#x}: not in the bank")));
        }
        let at = first / 4 + offset;
        let old = self.read(at)?;
        self.write(at, old & !mask | value & mask)
    }
}

fn index(address: u32) -> usize {
    ((address - FIRST) / 4) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_named_once_and_lie_in_a_bank() {
        let mut seen = std::collections::HashSet::new();
        for register in table::REGISTERS {
            for n in 0..register.count {
                let address = register.address + n * register.stride;
                assert!(address.is_multiple_of(4) && seen.insert(address), "{} at {address:#x}", register.name);
                let inside = [Bank::Config, Bank::Shader, Bank::Context, Bank::UserConfig]
                    .iter()
                    .any(|b| (b.range().0..b.range().1).contains(&address));
                assert!(inside, "{} at {address:#x}", register.name);
            }
        }
        for &(address, count, stride, _) in table::CONTEXT_DEFAULTS {
            assert!((0..count).all(|n| find(address + n * stride).is_some()), "{address:#x}");
        }
    }

    // Linux, `clearstate_gfx11.h`: what it loads for CLEAR_STATE.
    #[test]
    fn clear_state_brings_defaults_back() {
        let mut file = RegisterFile::new();
        let cases = [(0x2_8238, u32::MAX), (0x2_8814, 4), (0x2_8be8, 0x3f80_0000), (0x2_8430, 0x0100_0000), (0x2_8c60, 0)];
        for (address, value) in cases {
            assert_eq!(file.get(address), value, "{address:#x}");
            file.write(address / 4, 0x10).unwrap();
        }
        file.write(0xb900 / 4, 7).unwrap();
        file.clear_state();
        assert!(cases.iter().all(|(address, value)| file.get(*address) == *value));
        assert_eq!(file.get(0xb900), 7, "the SH bank stays");
    }

    #[test]
    fn what_is_not_known_is_named() {
        let mut file = RegisterFile::new();
        let message = |r: Result<(), Refusal>| r.unwrap_err().to_string();
        assert_eq!(message(file.write(0xb7f0 / 4, 5)), "register 0xb7f0 is not known (value 0x5)");
        assert_eq!(message(file.write(0xb848 / 4, 1 << 25)), "COMPUTE_PGM_RSRC1: bits 0x2000000 of 0x2000000 are not understood");
        assert!(message(file.write_run(Bank::Shader, 0x3ff, &[0; 2])).contains("not in the bank"));
    }
}
