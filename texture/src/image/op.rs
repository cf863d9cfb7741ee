//! What an image instruction's encoding fixes: the operation by its mnemonic, and the modifier bits.
//!
//! Reference: RDNA3 ISA, chapter "image memory instructions", and for gfx6-8 the GCN3 ISA, "MIMG". Mnemonics are those of LLVM; their suffixes
//! say everything about the operation, so they are the table: [`Kind::parse`] reads them.

use crate::Generation;
use crate::atomic::AtomicOp;

/// DIM of the instruction (gfx10+): which coordinates the address has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Dim {
    /// s.
    D1 = 0,
    /// s, t.
    D2 = 1,
    /// s, t, r.
    D3 = 2,
    /// s, t, face.
    Cube = 3,
    /// s, slice.
    Array1 = 4,
    /// s, t, slice.
    Array2 = 5,
    /// s, t, fragment.
    Msaa = 6,
    /// s, t, slice, fragment.
    MsaaArray = 7,
}

impl Dim {
    /// The DIM field (3 bits).
    pub fn from_field(n: u32) -> Dim {
        use Dim::*;
        [D1, D2, D3, Cube, Array1, Array2, Msaa, MsaaArray][(n & 7) as usize]
    }

    /// Of what shape the addresses of a gfx6-9 instruction are, which has no DIM: that of the T#'s type, with a layer if DA says so (GCN-04).
    pub fn declared(self, array: bool) -> Dim {
        match (self, array) {
            (Dim::D1 | Dim::Array1, false) => Dim::D1,
            (Dim::D1 | Dim::Array1, true) => Dim::Array1,
            (Dim::D2 | Dim::Array2, false) => Dim::D2,
            (Dim::D2 | Dim::Array2, true) => Dim::Array2,
            (Dim::Msaa | Dim::MsaaArray, false) => Dim::Msaa,
            (Dim::Msaa | Dim::MsaaArray, true) => Dim::MsaaArray,
            (Dim::D3 | Dim::Cube, _) => self,
        }
    }

    /// Directions that have derivatives: 1, 2 or 3.
    pub fn axes(self) -> usize {
        match self {
            Dim::D1 | Dim::Array1 => 1,
            Dim::D3 => 3,
            _ => 2,
        }
    }
}

/// How a sampler instruction comes to its level of detail.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lod {
    /// From the differences within the quad.
    Implicit,
    /// `_b`: the same plus an operand.
    Bias,
    /// `_l`: an operand.
    Explicit,
    /// `_lz`: 0.
    Zero,
    /// `_d` and `_cd`: from derivatives that are operands.
    Derivatives,
}

/// What the suffixes of sample and gather4 say.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sampling {
    /// `_c`: compare with a reference.
    pub compare: bool,
    /// `_o`: texel offsets.
    pub offset: bool,
    /// `_cl`: the level is at least an operand.
    pub clamp: bool,
    /// Where the level comes from.
    pub lod: Lod,
}

/// How load and store treat the bits of a texel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Packing {
    /// Converted by the format.
    Converted,
    /// `_pck`: dwords as they are.
    Raw,
    /// `_pck_sgn`: components as they are, sign-extended.
    RawSigned,
}

/// What an image instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// image_load and its `_mip`, `_pck`, `_pck_sgn` forms.
    Load {
        /// The level is an operand.
        mip: bool,
        /// Conversion.
        packing: Packing,
    },
    /// image_store and its `_mip` and `_pck` forms.
    Store {
        /// The level is an operand.
        mip: bool,
        /// `_pck`.
        raw: bool,
    },
    /// image_atomic_*.
    Atomic(AtomicOp),
    /// image_get_resinfo.
    ResInfo,
    /// image_get_lod.
    GetLod,
    /// image_sample*.
    Sample(Sampling),
    /// image_gather4*.
    Gather4(Sampling),
    /// image_gather4h: four texels of a row.
    Gather4h(Sampling),
    /// image_msaa_load.
    MsaaLoad,
}

#[rustfmt::skip]
const ATOMICS: [(&str, AtomicOp); 20] = [
    ("swap", AtomicOp::Swap), ("cmpswap", AtomicOp::CmpSwap), ("add", AtomicOp::Add), ("sub", AtomicOp::Sub), ("rsub", AtomicOp::RSub),
    ("smin", AtomicOp::SMin), ("umin", AtomicOp::UMin), ("smax", AtomicOp::SMax), ("umax", AtomicOp::UMax),
    ("and", AtomicOp::And), ("or", AtomicOp::Or), ("xor", AtomicOp::Xor), ("inc", AtomicOp::Inc), ("dec", AtomicOp::Dec),
    ("fcmpswap", AtomicOp::FCmpSwap), ("fmin", AtomicOp::FMin), ("fmax", AtomicOp::FMax), ("add_flt", AtomicOp::FAdd),
    ("pk_add_f16", AtomicOp::PkAddF16), ("pk_add_bf16", AtomicOp::PkAddBf16),
];

impl Kind {
    /// The operation of a mnemonic, and whether it is a `_g16` form. `None`: not an image instruction, or one that traces rays.
    ///
    /// ```
    /// use wavejit_texture::image::{Kind, Lod, Sampling};
    /// let sampling = Sampling { compare: true, offset: true, clamp: true, lod: Lod::Derivatives };
    /// assert_eq!(Kind::parse("image_sample_c_d_cl_o_g16"), Some((Kind::Sample(sampling), true)));
    /// ```
    pub fn parse(mnemonic: &str) -> Option<(Kind, bool)> {
        let name = mnemonic.strip_prefix("image_")?;
        let family = |prefix: &str| name.strip_prefix(prefix).filter(|rest| rest.is_empty() || rest.starts_with('_'));
        if let Some(op) = name.strip_prefix("atomic_") {
            let op = match op {
                "min_flt" | "min_num_flt" => AtomicOp::FMin,
                "max_flt" | "max_num_flt" => AtomicOp::FMax,
                "add_uint" => AtomicOp::Add,
                "sub_uint" => AtomicOp::Sub,
                "min_int" => AtomicOp::SMin,
                "min_uint" => AtomicOp::UMin,
                "max_int" => AtomicOp::SMax,
                "max_uint" => AtomicOp::UMax,
                "inc_uint" => AtomicOp::Inc,
                "dec_uint" => AtomicOp::Dec,
                _ => ATOMICS.iter().find(|(name, _)| *name == op)?.1,
            };
            return Some((Kind::Atomic(op), false));
        }
        let kind = match name {
            "get_resinfo" => Kind::ResInfo,
            "get_lod" => Kind::GetLod,
            "msaa_load" => Kind::MsaaLoad,
            _ => {
                if let Some(rest) = family("load") {
                    let (mip, packing) = (rest.starts_with("_mip"), rest.strip_prefix("_mip").unwrap_or(rest));
                    let packing = match packing {
                        "" => Packing::Converted,
                        "_pck" => Packing::Raw,
                        "_pck_sgn" => Packing::RawSigned,
                        _ => return None,
                    };
                    Kind::Load { mip, packing }
                } else if let Some(rest) = family("store") {
                    let (mip, packing) = (rest.starts_with("_mip"), rest.strip_prefix("_mip").unwrap_or(rest));
                    Kind::Store { mip, raw: matches!(packing, "_pck").then_some(true).or(packing.is_empty().then_some(false))? }
                } else {
                    let (make, suffixes): (fn(Sampling) -> Kind, &str) = if let Some(rest) = family("sample") {
                        (Kind::Sample, rest)
                    } else if let Some(rest) = family("gather4h") {
                        (Kind::Gather4h, rest)
                    } else {
                        (Kind::Gather4, family("gather4")?)
                    };
                    let mut sampling = Sampling { compare: false, offset: false, clamp: false, lod: Lod::Implicit };
                    let mut g16 = false;
                    for suffix in suffixes.split('_').skip(1) {
                        match suffix {
                            "c" => sampling.compare = true,
                            "o" => sampling.offset = true,
                            "cl" => sampling.clamp = true,
                            "b" => sampling.lod = Lod::Bias,
                            "l" => sampling.lod = Lod::Explicit,
                            "lz" => sampling.lod = Lod::Zero,
                            "d" | "cd" => sampling.lod = Lod::Derivatives,
                            "g16" => g16 = true,
                            _ => return None,
                        }
                    }
                    return Some((make(sampling), g16));
                }
            }
        };
        Some((kind, false))
    }

    /// The suffixes of an operation that takes a sampler; get_lod is one without suffixes.
    pub fn sampling(self) -> Option<Sampling> {
        match self {
            Kind::Sample(s) | Kind::Gather4(s) | Kind::Gather4h(s) => Some(s),
            Kind::GetLod => Some(Sampling { compare: false, offset: false, clamp: false, lod: Lod::Implicit }),
            _ => None,
        }
    }

    fn has_mip(self) -> bool {
        matches!(self, Kind::Load { mip: true, .. } | Kind::Store { mip: true, .. })
    }
}

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

/// Where an address component is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// A whole VGPR, by its number among the address VGPRs.
    Whole(u8),
    /// The low 16 bits of one.
    Low(u8),
    /// The high 16 bits of one.
    High(u8),
}

/// Address components of an instruction, found by [`ImageOp::layout`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// Texel offsets, three times 6 bits.
    pub offset: Option<Slot>,
    /// Bias of the level.
    pub bias: Option<Slot>,
    /// Reference of the comparison.
    pub compare: Option<Slot>,
    /// Derivatives along the screen's x, by axis.
    pub dh: [Option<Slot>; 3],
    /// Derivatives along the screen's y, by axis.
    pub dv: [Option<Slot>; 3],
    /// s, t, and r or slice or face.
    pub body: [Option<Slot>; 3],
    /// Fragment of an MSAA image.
    pub fragment: Option<Slot>,
    /// Level (`_mip`, `_l`, get_resinfo), or its lower bound (`_cl`).
    pub level: Option<Slot>,
    /// Number of address VGPRs.
    pub registers: u8,
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

    /// Which component is in which register (IMG-16 to IMG-19): offset, bias, reference, derivatives, coordinates, level.
    pub fn layout(&self, dim: Dim) -> Layout {
        let mut next = 0;
        let mut whole = || {
            next += 1;
            next - 1
        };
        let mut layout = Layout::default();
        let sampling = self.kind.sampling();
        let wants = |what: fn(Sampling) -> bool| sampling.is_some_and(what);
        layout.offset = wants(|s| s.offset).then(|| Slot::Whole(whole()));
        // With 16-bit addresses the bias is 16 bits too, in a register of its own.
        layout.bias = wants(|s| s.lod == Lod::Bias).then(|| if self.a16 { Slot::Low(whole()) } else { Slot::Whole(whole()) });
        layout.compare = wants(|s| s.compare).then(|| Slot::Whole(whole()));
        if wants(|s| s.lod == Lod::Derivatives) {
            let halves = if self.generation >= Generation::Gfx10 { self.g16 } else { self.a16 };
            for direction in [&mut layout.dh, &mut layout.dv] {
                let mut packed = 0;
                for (axis, slot) in direction.iter_mut().enumerate().take(dim.axes()) {
                    *slot = Some(match (halves, axis % 2) {
                        (false, _) => Slot::Whole(whole()),
                        (true, 0) => {
                            packed = whole();
                            Slot::Low(packed)
                        }
                        (true, _) => Slot::High(packed),
                    });
                }
            }
        }
        // The body is packed as one sequence.
        let (mut count, mut packed) = (0, 0);
        let mut component = || {
            count += 1;
            Some(match (self.a16, count % 2) {
                (false, _) => Slot::Whole(whole()),
                (true, 1) => {
                    packed = whole();
                    Slot::Low(packed)
                }
                (true, _) => Slot::High(packed),
            })
        };
        if self.kind == Kind::ResInfo {
            layout.level = component();
        } else {
            layout.body[0] = component();
            if !matches!(dim, Dim::D1 | Dim::Array1) {
                layout.body[1] = component();
            }
            if !matches!(dim, Dim::D1 | Dim::D2 | Dim::Msaa) {
                layout.body[2] = component();
            }
            if matches!(dim, Dim::Msaa | Dim::MsaaArray) {
                layout.fragment = component();
            }
            if self.kind.has_mip() || wants(|s| s.clamp || s.lod == Lod::Explicit) {
                layout.level = component();
            }
        }
        layout.registers = next;
        layout
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

    fn op(mnemonic: &str, dim: Dim) -> ImageOp {
        let (kind, g16) = Kind::parse(mnemonic).expect(mnemonic);
        ImageOp { g16, ..ImageOp::new(kind, Generation::Gfx11, dim) }
    }

    fn registers(mnemonic: &str, dim: Dim, a16: bool) -> u8 {
        ImageOp { a16, ..op(mnemonic, dim) }.layout(dim).registers
    }

    // GCN-06, GCN-07, GCN-08, GCN-10, GCN-11, GCN-12: every mnemonic of every generation has a meaning.
    #[test]
    fn every_mnemonic_is_known() {
        let lods = ["", "_cl", "_d", "_d_cl", "_l", "_b", "_b_cl", "_lz", "_cd", "_cd_cl"];
        for compare in ["", "_c"] {
            for offset in ["", "_o"] {
                for lod in lods {
                    for g16 in ["", "_g16"] {
                        assert!(Kind::parse(&format!("image_sample{compare}{lod}{offset}{g16}")).is_some());
                    }
                    assert!(Kind::parse(&format!("image_gather4{compare}{lod}{offset}")).is_some());
                }
            }
        }
        for name in ["load", "load_mip", "load_pck", "load_pck_sgn", "load_mip_pck", "load_mip_pck_sgn", "store", "store_mip", "store_pck"]
        {
            assert!(Kind::parse(&format!("image_{name}")).is_some(), "{name}");
        }
        for name in
            ["store_mip_pck", "get_resinfo", "get_lod", "gather4h", "msaa_load", "atomic_add_flt", "atomic_pk_add_bf16", "atomic_rsub"]
        {
            assert!(Kind::parse(&format!("image_{name}")).is_some(), "{name}");
        }
        assert_eq!(Kind::parse("image_atomic_min_flt"), Some((Kind::Atomic(AtomicOp::FMin), false)));
        for name in ["image_bvh_intersect_ray", "image_loaded", "image_sample_x", "buffer_load_dword", "image_store_pck_sgn"] {
            assert_eq!(Kind::parse(name), None, "{name}");
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
        let gfx9 = ImageOp { a16: true, ..ImageOp::new(Kind::parse("image_sample_d").unwrap().0, Generation::Gfx9, Dim::D1) };
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
