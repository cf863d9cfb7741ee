//! What the geometry stages of a draw hand to the rasterizer: a [`Batch`] for each NGG subgroup, in the order of the draw.
//!
//! What kind of primitives they are (points, lines, triangles, rectangles) VGT_GS_OUT_PRIM_TYPE says, once for the draw. Reference: Mesa,
//! `ac_nir_lower_ngg.c` (exports of NGG shaders); RDNA3 ISA, EXP.

/// The vertices and primitives that one NGG subgroup has exported.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Batch {
    /// Exported vertices, by their number in the subgroup.
    pub vertices: Vec<Vertex>,
    /// Exported primitives, in order, without null ones.
    pub primitives: Vec<Primitive>,
    /// Where attributes of both are.
    pub attributes: Attributes,
}

/// An exported vertex.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Vertex {
    /// pos0: clip coordinates x, y, z, w.
    pub position: [f32; 4],
    /// x of the misc vector; NaN: not exported.
    pub point_size: f32,
    /// z of the misc vector: {viewport\[19:16\], layer\[12:0\]}; 0 if not exported.
    pub misc_z: u32,
    /// Clip and cull distances; 0 where not exported.
    pub distances: [f32; 8],
}

/// An exported primitive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Primitive {
    /// Numbers of its vertices; only as many count as the kind of primitive has.
    pub corners: [u16; 3],
    /// Edge flags, one for each corner.
    pub edges: [bool; 3],
    /// Its number among the exported primitives of the subgroup, null ones counted: where per-primitive attributes are.
    pub number: u16,
    /// A line that is the first of its strip.
    pub begins_strip: bool,
    /// y of the export: {rate\[31:28\], viewport\[23:20\], layer\[19:17\]}; 0 if not exported.
    pub second: u32,
}

/// Where the attributes of a batch are in memory. Parameter i of vertex v is at `ring + (v / 32) * (512 * params) + i * 512 + (v % 32) * 16`: 16
/// bytes. So are those of primitives, which come after those of vertices.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Attributes {
    /// Guest address of the space of the subgroup in the attribute ring.
    pub ring: u64,
    /// Parameters of a vertex and of a primitive together.
    pub params: u32,
    /// Those of a primitive.
    pub prim_params: u32,
}
