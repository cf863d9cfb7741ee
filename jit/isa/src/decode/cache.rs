//! Cache policy: what a memory instruction asks of the caches. Every memory format has its bits in other places.

use crate::bits::{Bits, MAX_DWORDS};
use crate::feature::Feature;
use crate::inst::Mods;
use crate::target::Gfx;

/// Where the cache policy of a format stands.
#[derive(Clone, Copy)]
pub(crate) struct CachePolicy {
    /// Up to gfx11; sc0 on gfx94x.
    pub glc: Bits,
    /// Up to gfx11; nt on gfx94x.
    pub slc: Bits,
    /// gfx10 and gfx11.
    pub dlc: Bits,
    /// gfx90a; sc1 on gfx94x. Not looked at on other processors of gfx9.
    pub scc: Bits,
    /// gfx12: temporal hint.
    pub th: Bits,
    /// gfx12.
    pub scope: Bits,
}

impl CachePolicy {
    pub(crate) const NONE: CachePolicy =
        CachePolicy { glc: Bits::NONE, slc: Bits::NONE, dlc: Bits::NONE, scc: Bits::NONE, th: Bits::NONE, scope: Bits::NONE };

    /// Vector memory of gfx12.
    pub(crate) const GFX12: CachePolicy = CachePolicy { th: Bits::at(54, 52), scope: Bits::at(51, 50), ..CachePolicy::NONE };

    pub(crate) fn read(&self, words: &[u32; MAX_DWORDS], target: Gfx, mods: &mut Mods) {
        mods.glc = self.glc.is_set(words);
        mods.slc = self.slc.is_set(words);
        mods.dlc = self.dlc.is_set(words);
        mods.scc = self.scc.is_set(words) && target.has(Feature::UnifiedVgprs);
        mods.th = self.th.get(words) as u8;
        mods.scope = self.scope.get(words) as u8;
    }

    /// Fields with the values that `mods` asks for and what an error calls them.
    pub(crate) fn fields(&self, mods: &Mods) -> [(Bits, u32, &'static str); 6] {
        [
            (self.glc, mods.glc.into(), "glc"),
            (self.slc, mods.slc.into(), "slc"),
            (self.dlc, mods.dlc.into(), "dlc"),
            (self.scc, mods.scc.into(), "scc"),
            (self.th, mods.th.into(), "th"),
            (self.scope, mods.scope.into(), "scope"),
        ]
    }
}
