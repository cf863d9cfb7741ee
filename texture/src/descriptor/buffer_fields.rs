//! Fields of buffer descriptors (V#), generation by generation.
//!
//! Names and places are those of AMD's register database as Mesa 25.0.7 publishes it, which agrees with the RDNA3.5 guide's table 47, the RDNA4
//! guide's table 57 and, for gfx6 to gfx8, the CLRX documentation.

use super::field::fields;

#[rustfmt::skip]
fields! { BUFFER_FIELDS;
//                        gfx6,7   gfx8     gfx9     gfx10    gfx10.3  gfx11    gfx12
BASE_ADDRESS            [ 47:0,    47:0,    47:0,    47:0,    47:0,    47:0,    47:0 ]    "byte address"
STRIDE                  [ 61:48,   61:48,   61:48,   61:48,   61:48,   61:48,   61:48 ]   "bytes of a record"
CACHE_SWIZZLE           [ 62:62,   62:62,   62:62,   62:62,   62:62,   _,       _ ]       "cache hint: no effect"
SWIZZLE_ENABLE          [ 63:63,   63:63,   63:63,   63:63,   63:63,   63:62,   63:62 ]   "swizzled addresses"
NUM_RECORDS             [ 95:64,   95:64,   95:64,   95:64,   95:64,   95:64,   95:64 ]   "size in records or bytes"
DST_SEL_X               [ 98:96,   98:96,   98:96,   98:96,   98:96,   98:96,   98:96 ]   "source of X"
DST_SEL_Y               [ 101:99,  101:99,  101:99,  101:99,  101:99,  101:99,  101:99 ]  "source of Y"
DST_SEL_Z               [ 104:102, 104:102, 104:102, 104:102, 104:102, 104:102, 104:102 ] "source of Z"
DST_SEL_W               [ 107:105, 107:105, 107:105, 107:105, 107:105, 107:105, 107:105 ] "source of W"
NUM_FORMAT              [ 110:108, 110:108, 110:108, _,       _,       _,       _ ]       "number format"
DATA_FORMAT             [ 114:111, 114:111, 114:111, _,       _,       _,       _ ]       "data format; gfx8 with ADD_TID: STRIDE[17:14]"
FORMAT                  [ _,       _,       _,       114:108, 114:108, 113:108, 113:108 ] "unified format"
STRIDE_SCALE            [ _,       _,       _,       _,       _,       _,       115:114 ] "STRIDE times 1, 4, 8 or 32"
ELEMENT_SIZE            [ 116:115, 116:115, _,       _,       _,       _,       _ ]       "swizzle element: 2 << n bytes"
USER_VM_ENABLE          [ _,       _,       115:115, _,       _,       _,       _ ]       "no effect"
USER_VM_MODE            [ _,       _,       116:116, _,       _,       _,       _ ]       "no effect"
INDEX_STRIDE            [ 118:117, 118:117, 118:117, 118:117, 118:117, 118:117, 118:117 ] "records of a swizzle group: 8 << n"
ADD_TID_ENABLE          [ 119:119, 119:119, 119:119, 119:119, 119:119, 119:119, 119:119 ] "the lane is added to the index"
ATC                     [ 120:120, 120:120, _,       _,       _,       _,       _ ]       "address translation: no effect"
HASH_ENABLE             [ 121:121, 121:121, _,       _,       _,       _,       _ ]       "address hash: no effect"
HEAP                    [ 122:122, 122:122, _,       _,       _,       _,       _ ]       "no effect"
MTYPE                   [ 125:123, 125:123, _,       _,       _,       _,       _ ]       "memory type: no effect"
NV                      [ _,       _,       123:123, _,       _,       _,       _ ]       "cache hint: no effect"
RESOURCE_LEVEL          [ _,       _,       _,       120:120, 120:120, _,       _ ]       "1 in real descriptors"
WRITE_COMPRESS_ENABLE   [ _,       _,       _,       _,       _,       _,       120:120 ] "stores compress"
COMPRESSION_EN          [ _,       _,       _,       _,       _,       _,       121:121 ] "compression"
COMPRESSION_ACCESS_MODE [ _,       _,       _,       _,       _,       _,       123:122 ] "compression, 0: normal"
LLC_NOALLOC             [ _,       _,       _,       123:122, 123:122, 123:122, _ ]       "cache hint: no effect"
OOB_SELECT              [ _,       _,       _,       125:124, 125:124, 125:124, 125:124 ] "range check"
TYPE                    [ 127:126, 127:126, 127:126, 127:126, 127:126, 127:126, 127:126 ] "0"
}
