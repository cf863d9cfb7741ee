//! Fields of the descriptors of ray tracing (BVH resources), which gfx10.3 and later have.
//!
//! Reference: RDNA3.5 guide, table 54; RDNA4 guide, table 65; AMD's platform library for the sorting heuristic of gfx11.

use super::field::fields;

#[rustfmt::skip]
fields! { BVH_FIELDS;
//                      gfx6,7 gfx8 gfx9 gfx10  gfx10.3  gfx11    gfx12
BASE_ADDRESS          [ _,     _,   _,   _,     39:0,    39:0,    39:0 ]    "byte address / 256"
SORT_TRIANGLES_FIRST  [ _,     _,   _,   _,     _,       _,       52:52 ]   "triangles before boxes"
BOX_SORTING_HEURISTIC [ _,     _,   _,   _,     _,       54:53,   54:53 ]   "what children are sorted by"
BOX_GROW_VALUE        [ _,     _,   _,   _,     62:55,   62:55,   62:55 ]   "ulps that boxes grow"
BOX_SORT_EN           [ _,     _,   _,   _,     63:63,   63:63,   63:63 ]   "children are sorted"
SIZE                  [ _,     _,   _,   _,     105:64,  105:64,  105:64 ]  "units of 64 bytes, less 1"
COMPRESSED_FORMAT_EN  [ _,     _,   _,   _,     _,       _,       115:115 ] "compressed nodes"
BOX_NODE_64B          [ _,     _,   _,   _,     _,       _,       116:116 ] "type 4 is a box of high precision"
WIDE_SORT_EN          [ _,     _,   _,   _,     _,       _,       117:117 ] "sort over eight children"
INSTANCE_EN           [ _,     _,   _,   _,     _,       _,       118:118 ] "type 6 is an instance"
POINTER_FLAGS         [ _,     _,   _,   _,     _,       119:119, 119:119 ] "node pointers carry flags"
TRIANGLE_RETURN_MODE  [ _,     _,   _,   _,     120:120, 120:120, 120:120 ] "barycentrics instead of identity and hit"
LLC                   [ _,     _,   _,   _,     122:121, 122:121, _ ]       "cache hint: no effect"
BIG_PAGE              [ _,     _,   _,   _,     123:123, 123:123, _ ]       "page hint: no effect"
TYPE                  [ _,     _,   _,   _,     127:124, 127:124, 127:124 ] "8"
}
