//! What image instructions do, and what their addresses hold. RDNA3 ISA, chapter 10, and for gfx6 to gfx8 the GCN3 ISA, "MIMG";
//! requirements IMG-16 to IMG-19.

use crate::access::AtomicOp;

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

/// Address components of an instruction, found by [`Kind::layout`].
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

impl Kind {
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

    /// Shortest and longest address that text and old encodings can give it; `g16`: derivatives are packed.
    pub fn address_bounds(self, g16: bool) -> (u8, u8) {
        let Some(s) = self.sampling() else { return (1, 4) };
        let before = u8::from(s.offset) + u8::from(s.lod == Lod::Bias) + u8::from(s.compare);
        let least = before + u8::from(s.lod == Lod::Derivatives) + 1;
        (least, self.layout(Dim::D3, false, g16).registers)
    }

    /// Which component is in which register (IMG-16 to IMG-19): offset, bias, reference, derivatives, coordinates, level. `a16`: addresses
    /// are packed in halves, `g16`: derivatives are.
    pub fn layout(self, dim: Dim, a16: bool, g16: bool) -> Layout {
        let mut next = 0;
        let mut whole = || {
            next += 1;
            next - 1
        };
        let mut layout = Layout::default();
        let sampling = self.sampling();
        let wants = |what: fn(Sampling) -> bool| sampling.is_some_and(what);
        layout.offset = wants(|s| s.offset).then(|| Slot::Whole(whole()));
        // With 16-bit addresses the bias is 16 bits too, in a register of its own.
        layout.bias = wants(|s| s.lod == Lod::Bias).then(|| if a16 { Slot::Low(whole()) } else { Slot::Whole(whole()) });
        layout.compare = wants(|s| s.compare).then(|| Slot::Whole(whole()));
        if wants(|s| s.lod == Lod::Derivatives) {
            for direction in [&mut layout.dh, &mut layout.dv] {
                let mut packed = 0;
                for (axis, slot) in direction.iter_mut().enumerate().take(dim.axes()) {
                    *slot = Some(match (g16, axis % 2) {
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
            Some(match (a16, count % 2) {
                (false, _) => Slot::Whole(whole()),
                (true, 1) => {
                    packed = whole();
                    Slot::Low(packed)
                }
                (true, _) => Slot::High(packed),
            })
        };
        if self == Kind::ResInfo {
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
            if self.has_mip() || wants(|s| s.clamp || s.lod == Lod::Explicit) {
                layout.level = component();
            }
        }
        layout.registers = next;
        layout
    }
}
