//! Fields of sampler descriptors (S#), generation by generation.
//!
//! Names and places are those of AMD's register database as Mesa 25.0.7 publishes it. The RDNA3.5 guide prints BORDER_COLOR_PTR of gfx11 at
//! its old place; drivers that work use 125:114, as the RDNA4 guide prints it. PERF_MIP of gfx12 is in two pieces that touch: one row.

use super::field::fields;

#[rustfmt::skip]
fields! { SAMPLER_FIELDS;
//                   gfx6,7   gfx8     gfx9     gfx10    gfx10.3  gfx11    gfx12
CLAMP_X            [ 2:0,     2:0,     2:0,     2:0,     2:0,     2:0,     2:0 ]     "clamp mode of s"
CLAMP_Y            [ 5:3,     5:3,     5:3,     5:3,     5:3,     5:3,     5:3 ]     "clamp mode of t"
CLAMP_Z            [ 8:6,     8:6,     8:6,     8:6,     8:6,     8:6,     8:6 ]     "clamp mode of r"
MAX_ANISO_RATIO    [ 11:9,    11:9,    11:9,    11:9,    11:9,    11:9,    11:9 ]    "log2 of the most anisotropic samples"
DEPTH_COMPARE_FUNC [ 14:12,   14:12,   14:12,   14:12,   14:12,   14:12,   14:12 ]   "depth comparison"
FORCE_UNNORMALIZED [ 15:15,   15:15,   15:15,   15:15,   15:15,   15:15,   15:15 ]   "coordinates are in texels"
ANISO_THRESHOLD    [ 18:16,   18:16,   18:16,   18:16,   18:16,   18:16,   18:16 ]   "anisotropy: quality"
MC_COORD_TRUNC     [ 19:19,   19:19,   19:19,   19:19,   19:19,   19:19,   19:19 ]   "weights have one bit"
FORCE_DEGAMMA      [ 20:20,   20:20,   20:20,   20:20,   20:20,   20:20,   20:20 ]   "UNORM8 is sRGB"
ANISO_BIAS         [ 26:21,   26:21,   26:21,   26:21,   26:21,   26:21,   26:21 ]   "anisotropy: quality, 5 fraction bits"
TRUNC_COORD        [ 27:27,   27:27,   27:27,   27:27,   27:27,   27:27,   27:27 ]   "coordinates are rounded down"
DISABLE_CUBE_WRAP  [ 28:28,   28:28,   28:28,   28:28,   28:28,   28:28,   28:28 ]   "faces of cubes are apart"
FILTER_MODE        [ 30:29,   30:29,   30:29,   30:29,   30:29,   30:29,   30:29 ]   "blend, min or max"
COMPAT_MODE        [ _,       31:31,   31:31,   _,       _,       _,       _ ]       "compatibility of gfx8"
SKIP_DEGAMMA       [ _,       _,       108:108, 31:31,   31:31,   31:31,   31:31 ]   "sRGB is not decoded"
MIN_LOD            [ 43:32,   43:32,   43:32,   43:32,   43:32,   43:32,   44:32 ]   "smallest level, 8 fraction bits"
MAX_LOD            [ 55:44,   55:44,   55:44,   55:44,   55:44,   55:44,   57:45 ]   "largest level, 8 fraction bits"
PERF_MIP           [ 59:56,   59:56,   59:56,   59:56,   59:56,   59:56,   97:94 ]   "quality between levels"
PERF_Z             [ 63:60,   63:60,   63:60,   63:60,   63:60,   63:60,   63:60 ]   "quality between slices"
LOD_BIAS           [ 77:64,   77:64,   77:64,   77:64,   77:64,   77:64,   77:64 ]   "signed, 8 fraction bits"
LOD_BIAS_SEC       [ 83:78,   83:78,   83:78,   83:78,   83:78,   83:78,   83:78 ]   "signed, 4 fraction bits"
XY_MAG_FILTER      [ 85:84,   85:84,   85:84,   85:84,   85:84,   85:84,   85:84 ]   "filter of magnified levels"
XY_MIN_FILTER      [ 87:86,   87:86,   87:86,   87:86,   87:86,   87:86,   87:86 ]   "filter of minified levels"
Z_FILTER           [ 89:88,   89:88,   89:88,   89:88,   89:88,   89:88,   89:88 ]   "filter along r"
MIP_FILTER         [ 91:90,   91:90,   91:90,   91:90,   91:90,   91:90,   91:90 ]   "filter between levels"
MIP_POINT_PRECLAMP [ 92:92,   92:92,   92:92,   92:92,   92:92,   _,       _ ]       "level is clamped before it is rounded"
DISABLE_LSB_CEIL   [ 93:93,   93:93,   _,       _,       _,       _,       _ ]       "precision"
FILTER_PREC_FIX    [ 94:94,   94:94,   94:94,   _,       _,       _,       _ ]       "precision"
ANISO_OVERRIDE     [ _,       95:95,   95:95,   93:93,   93:93,   93:93,   93:93 ]   "single levels are filtered isotropically"
BLEND_PRT          [ _,       _,       93:93,   94:94,   94:94,   94:94,   _ ]       "absent texels blend"
BORDER_COLOR_PTR   [ 107:96,  107:96,  107:96,  107:96,  107:96,  125:114, 125:114 ] "entry of the table of border colors"
UPGRADED_DEPTH     [ 125:125, 125:125, _,       _,       _,       _,       _ ]       "24-bit depth kept as 32"
BORDER_COLOR_TYPE  [ 127:126, 127:126, 127:126, 127:126, 127:126, 127:126, 127:126 ] "border color"
}
