//! What an image instruction's encoding fixes: the operation, and the modifier bits.
//!
//! Reference: RDNA3 ISA, chapter "image memory instructions", and for gfx6-8 the GCN3 ISA, "MIMG". The operation ([`Kind`]) and what its
//! address holds are data of the instruction's row in `wavejit-isa`.

use crate::Generation;

pub use wavejit_isa::memory::image::{Dim, Kind, Layout, Lod, Packing, Sampling, Slot};

/// An image instruction without its registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ImageOp {
    /// Operation.
    pub kind: Kind,
    /// Whose descriptors and rules apply.
    pub generation: Generation,
    /// DIM; `None` on gfx6-9, where the T# and `declared_array` decide.
    pub dim: Option<Dim>,
    /// DA of gfx6-9.
    pub declared_array: bool,
    /// DMASK, 4 bits.
    pub dmask: u8,
    /// UNRM: coordinates in texels (IMG-34).
    pub unorm: bool,
    /// Data in 16 bits (IMG-07).
    pub d16: bool,
    /// Addresses in 16 bits (IMG-09).
    pub a16: bool,
    /// Derivatives in 16 bits (IMG-10); on gfx9 they follow `a16`.
    pub g16: bool,
    /// TFE: report texels that are not there (IMG-01).
    pub tfe: bool,
    /// LWE: report levels below the T#'s warning level (IMG-04).
    pub lwe: bool,
    /// The T# has four dwords (GCN-05).
    pub r128: bool,
    /// GLC of atomics: return what was in memory.
    pub returns: bool,
}

impl ImageOp {
    /// An instruction with all modifiers off and DMASK 15.
    pub fn new(kind: Kind, generation: Generation, dim: Dim) -> ImageOp {
        ImageOp {
            kind,
            generation,
            dim: (generation >= Generation::Gfx10).then_some(dim),
            declared_array: matches!(dim, Dim::Array1 | Dim::Array2 | Dim::MsaaArray | Dim::Cube),
            dmask: 15,
            unorm: false,
            d16: false,
            a16: false,
            g16: false,
            tfe: false,
            lwe: false,
            r128: false,
            returns: false,
        }
    }

    /// Which component is in which register ([`Kind::layout`]). Before gfx10 derivatives are as long as other components.
    pub fn layout(&self, dim: Dim) -> Layout {
        let halved_derivatives = if self.generation >= Generation::Gfx10 { self.g16 } else { self.a16 };
        self.kind.layout(dim, self.a16, halved_derivatives)
    }

    /// Components of the result or of the data to store, before packing.
    pub fn components(&self) -> usize {
        match self.kind {
            Kind::Gather4(_) | Kind::Gather4h(_) | Kind::MsaaLoad => 4,
            _ => (self.dmask & 15).count_ones() as usize,
        }
    }

    /// Data VGPRs (IMG-05, IMG-08, IMG-21): of the result for loads and samples, of the source for stores and atomics. `unpacked_d16`: gfx8.0.
    pub fn data_registers(&self, unpacked_d16: bool) -> usize {
        let components = match self.kind {
            Kind::Store { .. } | Kind::Atomic(_) => self.components(),
            _ => self.components().max(1),
        };
        if self.d16 && !unpacked_d16 { components.div_ceil(2) } else { components }
    }

    /// Does a status dword follow the data (IMG-01)?
    pub fn has_status(&self) -> bool {
        self.tfe || self.lwe
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavejit_isa::AtomicOp;

    fn op(mnemonic: &str, dim: Dim) -> ImageOp {
        let (kind, g16) = Kind::named(mnemonic).expect(mnemonic);
        ImageOp { g16, ..ImageOp::new(kind, Generation::Gfx11, dim) }
    }

    fn registers(mnemonic: &str, dim: Dim, a16: bool) -> u8 {
        ImageOp { a16, ..op(mnemonic, dim) }.layout(dim).registers
    }

    // GCN-06, GCN-07, GCN-08, GCN-10, GCN-11, GCN-12: rows say what their suffixes say.
    #[test]
    fn every_mnemonic_is_known() {
        let lods = [
            ("", Lod::Implicit),
            ("_cl", Lod::Implicit),
            ("_d", Lod::Derivatives),
            ("_d_cl", Lod::Derivatives),
            ("_l", Lod::Explicit),
            ("_b", Lod::Bias),
            ("_b_cl", Lod::Bias),
            ("_lz", Lod::Zero),
            ("_cd", Lod::Derivatives),
            ("_cd_cl", Lod::Derivatives),
        ];
        for (compare, offset) in [("", ""), ("_c", ""), ("", "_o"), ("_c", "_o")] {
            for (suffix, lod) in lods {
                let clamp = suffix.ends_with("_cl");
                let sampling = Sampling { compare: !compare.is_empty(), offset: !offset.is_empty(), clamp, lod };
                let name = |what: &str, end: &str| format!("image_{what}{compare}{suffix}{offset}{end}");
                let sample = Kind::Sample(sampling);
                assert_eq!(Kind::named(&name("sample", "")), Some((sample, false)), "{compare}{suffix}{offset}");
                if lod == Lod::Derivatives {
                    assert_eq!(Kind::named(&name("sample", "_g16")), Some((sample, true)), "{compare}{suffix}{offset}");
                } else {
                    assert_eq!(Kind::named(&name("gather4", "")), Some((Kind::Gather4(sampling), false)), "{compare}{suffix}{offset}");
                }
            }
        }
        let load = |mip, packing| Kind::Load { mip, packing };
        let store = |mip, raw| Kind::Store { mip, raw };
        for (name, kind) in [
            ("load", load(false, Packing::Converted)),
            ("load_mip", load(true, Packing::Converted)),
            ("load_pck", load(false, Packing::Raw)),
            ("load_pck_sgn", load(false, Packing::RawSigned)),
            ("load_mip_pck", load(true, Packing::Raw)),
            ("load_mip_pck_sgn", load(true, Packing::RawSigned)),
            ("store", store(false, false)),
            ("store_mip", store(true, false)),
            ("store_pck", store(false, true)),
            ("store_mip_pck", store(true, true)),
            ("get_resinfo", Kind::ResInfo),
            ("get_lod", Kind::GetLod),
            ("gather4h", Kind::Gather4h(Kind::GetLod.sampling().unwrap())),
            ("msaa_load", Kind::MsaaLoad),
            ("atomic_add_flt", Kind::Atomic(AtomicOp::FAdd)),
            ("atomic_min_flt", Kind::Atomic(AtomicOp::FMinNum)),
            ("atomic_pk_add_bf16", Kind::Atomic(AtomicOp::PkAddBf16)),
            ("atomic_rsub", Kind::Atomic(AtomicOp::RSub)),
            ("atomic_smax", Kind::Atomic(AtomicOp::SMax)),
            ("atomic_min_uint", Kind::Atomic(AtomicOp::UMin)),
        ] {
            assert_eq!(Kind::named(&format!("image_{name}")), Some((kind, false)), "{name}");
        }
        for name in ["image_bvh_intersect_ray", "image_loaded", "image_sample_x", "buffer_load_dword", "image_store_pck_sgn"] {
            assert_eq!(Kind::named(name), None, "{name}");
        }
    }

    // IMG-16, IMG-18, IMG-19, GCN-13, GCN-14, GCN-22
    #[test]
    fn components_come_in_the_order_of_the_manual() {
        let l = op("image_sample_c_d_cl_o", Dim::D3).layout(Dim::D3);
        let w = |n| Some(Slot::Whole(n));
        assert_eq!((l.offset, l.bias, l.compare), (w(0), None, w(1)));
        assert_eq!((l.dh, l.dv), ([w(2), w(3), w(4)], [w(5), w(6), w(7)]));
        assert_eq!((l.body, l.level, l.registers), ([w(8), w(9), w(10)], w(11), 12));
        let l = op("image_sample_c_b_o", Dim::Array1).layout(Dim::Array1);
        assert_eq!((l.offset, l.bias, l.compare, l.body), (w(0), w(1), w(2), [w(3), None, w(4)]));
        assert_eq!(l.registers, 5);
    }

    // IMG-19: the table of body components (descriptors.md 8)
    #[test]
    fn body_counts() {
        use Dim::*;
        let dims = [D1, D2, D3, Cube, Array1, Array2, Msaa, MsaaArray];
        assert_eq!(dims.map(|d| registers("image_load", d, false)), [1, 2, 3, 3, 2, 3, 3, 4]);
        assert_eq!(dims[..6].iter().map(|&d| registers("image_store_mip", d, false)).collect::<Vec<_>>(), [2, 3, 4, 4, 3, 4]);
        assert_eq!(dims[..6].iter().map(|&d| registers("image_sample_l", d, false)).collect::<Vec<_>>(), [2, 3, 4, 4, 3, 4]);
        assert!(dims.iter().all(|&d| registers("image_get_resinfo", d, false) == 1));
        assert_eq!(registers("image_msaa_load", MsaaArray, false), 4);
    }

    // IMG-09, IMG-10, IMG-12: pairs of 16 bits; offset and reference stay whole, bias has a register of its own.
    #[test]
    fn sixteen_bit_addresses_are_packed_in_pairs() {
        let o = ImageOp { a16: true, ..op("image_sample_c_b_cl_o", Dim::D2) };
        let l = o.layout(Dim::D2);
        assert_eq!((l.offset, l.bias, l.compare), (Some(Slot::Whole(0)), Some(Slot::Low(1)), Some(Slot::Whole(2))));
        assert_eq!((l.body[0], l.body[1], l.level), (Some(Slot::Low(3)), Some(Slot::High(3)), Some(Slot::Low(4))));
        assert_eq!(l.registers, 5);
        let l = op("image_sample_d_g16", Dim::D3).layout(Dim::D3);
        assert_eq!(l.dh, [Some(Slot::Low(0)), Some(Slot::High(0)), Some(Slot::Low(1))]);
        assert_eq!(l.dv, [Some(Slot::Low(2)), Some(Slot::High(2)), Some(Slot::Low(3))]);
        assert_eq!(l.registers, 7);
        let gfx9 = ImageOp { a16: true, ..ImageOp::new(Kind::named("image_sample_d").unwrap().0, Generation::Gfx9, Dim::D1) };
        let l = gfx9.layout(Dim::D1);
        assert_eq!((l.dh[0], l.dv[0], l.body[0], l.registers), (Some(Slot::Low(0)), Some(Slot::Low(1)), Some(Slot::Low(2)), 3));
    }

    // GCN-04: DA makes an array of a plain type.
    #[test]
    fn old_instructions_take_their_shape_from_the_descriptor() {
        assert_eq!([Dim::D2, Dim::Array2].map(|d| d.declared(true)), [Dim::Array2; 2]);
        assert_eq!([Dim::D2, Dim::Array2].map(|d| d.declared(false)), [Dim::D2; 2]);
        assert_eq!(Dim::MsaaArray.declared(true), Dim::MsaaArray);
        assert_eq!([false, true].map(|da| Dim::Cube.declared(da)), [Dim::Cube; 2]);
    }

    // IMG-05, IMG-08, IMG-21, GCN-02
    #[test]
    fn data_registers_follow_dmask_and_packing() {
        let load = op("image_load", Dim::D2);
        assert_eq!(ImageOp { dmask: 0b1011, ..load }.data_registers(false), 3);
        assert_eq!(ImageOp { dmask: 0b1011, d16: true, ..load }.data_registers(false), 2);
        assert_eq!(ImageOp { dmask: 0b1011, d16: true, ..load }.data_registers(true), 3);
        assert_eq!(ImageOp { dmask: 0, ..load }.data_registers(false), 1);
        assert_eq!(ImageOp { dmask: 4, d16: true, ..op("image_gather4", Dim::D2) }.data_registers(false), 2);
    }
}
