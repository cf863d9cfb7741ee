//! Code by its address: what has run before is found again, and translated again if it has changed in memory.

use rustc_hash::FxHashMap;
use std::sync::Arc;
use wavejit::fork::Mutex;
use wavejit::{AddressSpace, Device, GuestCode};
use wavejit_isa::Gfx;

/// Most addresses that are remembered. Translations of those forgotten are in the device's cache still.
const MOST: usize = 4096;
/// Most dwords of a shader that its hash is made of.
const MOST_HASHED: u64 = 1 << 16;
/// The instruction that compilers put behind a shader's last one.
const S_CODE_END: u32 = 0xbf9f_0000;

/// Shaders that have run, by the address of their first instruction.
#[derive(Default)]
pub(crate) struct Shaders(Mutex<FxHashMap<u64, Arc<Shader>>>);

/// Code that begins at some address.
pub(crate) struct Shader {
    /// For messages.
    pub name: String,
    pub code: GuestCode,
}

impl Shaders {
    /// The shader at an address.
    pub(crate) fn at(&self, device: &Device, target: Gfx, entry: u64) -> Arc<Shader> {
        let mut known = self.0.lock();
        if known.len() >= MOST && !known.contains_key(&entry) {
            known.clear();
        }
        let make = || Arc::new(Shader { name: format!("shader at {entry:#x}"), code: device.guest_code(target) });
        known.entry(entry).or_insert_with(make).clone()
    }
}

/// A number made of the bytes of a shader, the same wherever it lies: FNV-1a of 64 bits, up to the end of the code.
pub(crate) fn hash(memory: &AddressSpace, entry: u64) -> u64 {
    let dwords = (0..MOST_HASHED).map_while(|i| memory.read_u32(entry.wrapping_add(4 * i)).filter(|dword| *dword != S_CODE_END));
    dwords.flat_map(u32::to_le_bytes).fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
