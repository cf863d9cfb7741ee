//! Nodes in memory, and pointers to them (descriptors.md section 6).
//!
//! | node | bytes | content |
//! |---|---|---|
//! | triangles, type 0 to 3 | 64 | five vertices' worth of f32 at 0, used in threes; triangle_id at 60, a byte for each triangle |
//! | boxes of f16, type 4 | 64 | child pointers at 0, boxes (least, greatest x y z) at 16, 12 bytes each |
//! | boxes of f32, type 5 | 128 | child pointers at 0, boxes at 16, 24 bytes each; a byte of flags for each child at 112 |

use half::f16;

/// No node: a child that is not there, a result that was not hit.
pub const INVALID: u32 = 0xffff_ffff;

/// Type of a node: the low three bits of its pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// One of the triangles of a node.
    Triangle(u8),
    /// Four boxes of f16.
    Box16,
    /// Four boxes of f32.
    Box32,
    /// An instance (gfx12), or the shader's business.
    Instance,
    /// The shader's business.
    Procedural,
}

/// A node pointer, taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pointer {
    /// Type of the node.
    pub kind: Kind,
    /// Bytes from the base of the hierarchy.
    pub offset: u64,
    /// Ray flags of 64-bit pointers.
    pub flags: Flags,
}

/// Ray flags, bits 63:54 of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags(pub u16);

impl Flags {
    /// Everything counts as opaque.
    pub const FORCE_OPAQUE: u16 = 1;
    /// Everything counts as not opaque.
    pub const FORCE_NON_OPAQUE: u16 = 1 << 1;
    /// Facing does not cull.
    pub const NO_FACE_CULL: u16 = 1 << 2;
    /// Front is back.
    pub const FLIP_FACING: u16 = 1 << 3;
    /// Back faces are culled.
    pub const CULL_BACK: u16 = 1 << 4;
    /// Front faces are culled.
    pub const CULL_FRONT: u16 = 1 << 5;
    /// What is opaque is culled.
    pub const CULL_OPAQUE: u16 = 1 << 6;
    /// What is not opaque is culled.
    pub const CULL_NON_OPAQUE: u16 = 1 << 7;
    /// Triangles are culled.
    pub const SKIP_TRIANGLES: u16 = 1 << 8;
    /// Procedural nodes are culled.
    pub const SKIP_PROCEDURAL: u16 = 1 << 9;

    /// Is one of these set?
    pub fn has(self, flags: u16) -> bool {
        self.0 & flags != 0
    }

    /// Is something that says it is opaque so, as far as this ray goes?
    fn opaque(self, says: bool) -> bool {
        self.has(Flags::FORCE_OPAQUE) || says && !self.has(Flags::FORCE_NON_OPAQUE)
    }

    /// Is all below a child culled, by the child's flags: 0 only opaque, 1 only not opaque, 2 only triangles, 3 only procedural nodes?
    pub fn culls_child(self, child: u8) -> bool {
        let only = |bit: u8| child >> bit & 1 != 0;
        let all_opaque = self.opaque(only(0));
        let none_opaque = !self.opaque(!only(1));
        self.has(Flags::CULL_OPAQUE) && all_opaque
            || self.has(Flags::CULL_NON_OPAQUE) && none_opaque
            || self.has(Flags::SKIP_TRIANGLES) && only(2)
            || self.has(Flags::SKIP_PROCEDURAL) && only(3)
    }

    /// Is a triangle culled?
    pub fn culls_triangle(self, triangle: Properties, is_front: bool) -> bool {
        let facing = if is_front { Flags::CULL_FRONT } else { Flags::CULL_BACK };
        let opacity = if self.opaque(triangle.bit(7)) { Flags::CULL_OPAQUE } else { Flags::CULL_NON_OPAQUE };
        let skip = if triangle.bit(6) { Flags::SKIP_PROCEDURAL } else { Flags::SKIP_TRIANGLES };
        self.has(facing) && !self.has(Flags::NO_FACE_CULL) && !triangle.bit(4) || self.has(opacity) || self.has(skip)
    }
}

impl Pointer {
    /// A 32-bit pointer: type in the low bits, the others an eighth of the offset.
    pub fn of_32(pointer: u32) -> Pointer {
        let kind = match pointer & 7 {
            n @ 0..4 => Kind::Triangle(n as u8),
            4 => Kind::Box16,
            5 => Kind::Box32,
            6 => Kind::Instance,
            _ => Kind::Procedural,
        };
        Pointer { kind, offset: u64::from(pointer & !7) << 3, flags: Flags(0) }
    }

    /// A 64-bit pointer, with flags in the high bits if the descriptor says so.
    pub fn of_64(pointer: u64, has_flags: bool) -> Pointer {
        let kind = Pointer::of_32(pointer as u32).kind;
        let flags = if has_flags { Flags((pointer >> 54) as u16) } else { Flags(0) };
        Pointer { kind, offset: (pointer & ((1 << 45) - 1) & !7) << 3, flags }
    }

    /// A 32-bit pointer in a hierarchy of its own, which a 64-bit base names; the base has the flags.
    pub fn in_base(base: u64, pointer: u32) -> Pointer {
        let (base, node) = (Pointer::of_64(base, true), Pointer::of_32(pointer));
        Pointer { kind: node.kind, offset: base.offset.wrapping_add(node.offset), flags: base.flags }
    }
}

/// Corners of a box: least and greatest x, y, z.
pub type Box3 = [[f32; 3]; 2];

/// A node of four boxes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BoxNode {
    /// Pointers to the children.
    pub children: [u32; 4],
    /// Their boxes.
    pub boxes: [Box3; 4],
    /// Their flags.
    pub flags: [u8; 4],
}

/// One triangle of a node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Triangle {
    /// Its corners.
    pub vertices: [[f32; 3]; 3],
    /// The triangle_id dword of the node.
    pub id: u32,
}

/// A triangle's byte of the triangle_id dword.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Properties(u8);

impl Properties {
    /// Of a triangle of a node.
    pub fn of(id: u32, kind: Kind) -> Properties {
        match kind {
            Kind::Triangle(n) => Properties((id >> (8 * (n & 3))) as u8),
            _ => Properties(id as u8),
        }
    }
    fn bit(self, n: u8) -> bool {
        self.0 >> n & 1 != 0
    }
    /// Is the triangle's winding the other way round?
    pub fn flips_winding(self) -> bool {
        self.bit(5)
    }
    /// Which barycentric coordinate is returned first (0) and second (1).
    pub fn source(self, which: u8) -> u8 {
        self.0 >> (2 * which) & 3
    }
}

fn dword(node: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([node[at], node[at + 1], node[at + 2], node[at + 3]])
}

fn float(node: &[u8], at: usize) -> f32 {
    f32::from_bits(dword(node, at))
}

/// A node of f16 boxes, widened.
pub fn box16(node: &[u8; 64]) -> BoxNode {
    let half = |at: usize| f16::from_le_bytes([node[at], node[at + 1]]).to_f32();
    let boxes = [0, 1, 2, 3].map(|i| [0, 1].map(|corner| [0, 1, 2].map(|axis| half(16 + 12 * i + 6 * corner + 2 * axis))));
    BoxNode { children: [0, 4, 8, 12].map(|at| dword(node, at)), boxes, flags: [0; 4] }
}

/// A node of f32 boxes.
pub fn box32(node: &[u8; 128]) -> BoxNode {
    let boxes = [0, 1, 2, 3].map(|i| [0, 1].map(|corner| [0, 1, 2].map(|axis| float(node, 16 + 24 * i + 12 * corner + 4 * axis))));
    BoxNode { children: [0, 4, 8, 12].map(|at| dword(node, at)), boxes, flags: [node[112], node[113], node[114], node[115]] }
}

/// A triangle of a node: the second is made of vertices 1, 3, 2, all others of 0, 1, 2.
pub fn triangle(node: &[u8; 64], kind: Kind) -> Triangle {
    let corners = if kind == Kind::Triangle(1) { [1, 3, 2] } else { [0, 1, 2] };
    Triangle { vertices: corners.map(|v| [0, 4, 8].map(|at| float(node, 12 * v + at))), id: dword(node, 60) }
}
