//! The vector and mask instructions, one row each.
//!
//! A row: name, mnemonic, prefix (`NP 66 F3 F2`), opcode map, W, opcode with an optional `/digit`, tuple type, encodings.
//!
//! | tuple type | memory operand | broadcast |
//! |---|---|---|
//! | `Full32 Full64` | whole vector | one element of 32 or 64 bits |
//! | `Half32` | half a vector | one element of 32 bits |
//! | `Whole Half Quarter` | whole vector, half, quarter | none |
//! | `One4 One8` | one element of 4 or 8 bytes | none |
//! | `Bytes16` | 16 bytes | none |
//!
//! Encodings: `vex`, `evex`, `both`; `l1` is VEX with L = 1 whatever the length (mask instructions of three operands).

/// Prefix that selects an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // the bytes themselves
pub enum Prefix {
    NP = 0,
    P66 = 1,
    F3 = 2,
    F2 = 3,
}

/// Opcode map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // as the manuals name them
pub enum Map {
    M0F = 1,
    M0F38 = 2,
    M0F3A = 3,
}

/// How memory operands are scaled and broadcast: the table in the [module header](self).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Tuple {
    Full32,
    Full64,
    Half32,
    Whole,
    Half,
    Quarter,
    One4,
    One8,
    Bytes16,
}

/// Which prefixes an instruction can be encoded with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Forms {
    /// VEX.
    Vex,
    /// VEX with L = 1.
    VexL1,
    /// EVEX.
    Evex,
    /// VEX where it suffices, else EVEX.
    Both,
}

/// What is known of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// As assemblers write it.
    pub mnemonic: &'static str,
    /// Prefix.
    pub prefix: Prefix,
    /// Opcode map.
    pub map: Map,
    /// W, as EVEX wants it, and VEX where it matters.
    pub w: bool,
    /// Opcode.
    pub opcode: u8,
    /// Digit in the place of the register; the destination is then in `v`.
    pub digit: Option<u8>,
    /// Memory operands.
    pub tuple: Tuple,
    /// Encodings.
    pub forms: Forms,
}

macro_rules! prefix {
    (NP) => {
        Prefix::NP
    };
    (P66) => {
        Prefix::P66
    };
    (F3) => {
        Prefix::F3
    };
    (F2) => {
        Prefix::F2
    };
}

macro_rules! forms {
    (vex) => {
        Forms::Vex
    };
    (l1) => {
        Forms::VexL1
    };
    (evex) => {
        Forms::Evex
    };
    (both) => {
        Forms::Both
    };
}

macro_rules! digit {
    () => {
        None
    };
    ($d:literal) => {
        Some($d)
    };
}

macro_rules! instructions {
    ($($name:ident $mnemonic:literal $prefix:ident $map:ident $w:literal $op:literal $(/ $digit:literal)? $tuple:ident $forms:ident;)*) => {
        /// A vector or mask instruction. The rows of [the module](self) are the list.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs)] // the rows say what they are
        #[repr(u16)]
        pub enum Op { $($name),* }

        impl Op {
            /// Every instruction.
            pub const ALL: &'static [Op] = &[$(Op::$name),*];
            /// Its row.
            #[inline]
            pub const fn row(self) -> &'static Row {
                const ROWS: &[Row] = &[$(Row {
                    mnemonic: $mnemonic, prefix: prefix!($prefix), map: Map::$map, w: $w != 0, opcode: $op, digit: digit!($($digit)?),
                    tuple: Tuple::$tuple, forms: forms!($forms),
                }),*];
                &ROWS[self as usize]
            }
        }
    };
}

instructions! {
    // moves
    MovLoad      "vmovdqu32"   F3  M0F   0 0x6f Whole evex;
    MovStore     "vmovdqu32"   F3  M0F   0 0x7f Whole evex;
    MovAligned   "vmovdqa32"   P66 M0F   0 0x6f Whole evex;
    MovLoadY     "vmovdqu"     F3  M0F   0 0x6f Whole vex;
    MovStoreY    "vmovdqu"     F3  M0F   0 0x7f Whole vex;
    MovAlignedY  "vmovdqa"     P66 M0F   0 0x6f Whole vex;
    MovLoad8     "vmovdqu8"    F2  M0F   0 0x6f Whole evex;
    MovStore8    "vmovdqu8"    F2  M0F   0 0x7f Whole evex;
    MovLoad64    "vmovdqu64"   F3  M0F   1 0x6f Whole evex;
    MovStore64   "vmovdqu64"   F3  M0F   1 0x7f Whole evex;
    MovdFromGpr  "vmovd"       P66 M0F   0 0x6e One4 both;
    MovqFromGpr  "vmovq"       P66 M0F   1 0x6e One8 both;
    MovdToGpr    "vmovd"       P66 M0F   0 0x7e One4 both;
    MovqToGpr    "vmovq"       P66 M0F   1 0x7e One8 both;
    BroadcastGpr "vpbroadcastd" P66 M0F38 0 0x7c One4 evex;
    BroadcastGprQ "vpbroadcastq" P66 M0F38 1 0x7c One8 evex;
    Broadcast    "vpbroadcastd" P66 M0F38 0 0x58 One4 both;
    BroadcastQ   "vpbroadcastq" P66 M0F38 1 0x59 One8 both;
    // 32-bit and 64-bit integers
    Paddd        "vpaddd"      P66 M0F   0 0xfe Full32 both;
    Paddq        "vpaddq"      P66 M0F   1 0xd4 Full64 both;
    Psubd        "vpsubd"      P66 M0F   0 0xfa Full32 both;
    Psubq        "vpsubq"      P66 M0F   1 0xfb Full64 both;
    Pmulld       "vpmulld"     P66 M0F38 0 0x40 Full32 both;
    Pmullq       "vpmullq"     P66 M0F38 1 0x40 Full64 evex;
    Pmuludq      "vpmuludq"    P66 M0F   1 0xf4 Full64 both;
    Pmuldq       "vpmuldq"     P66 M0F38 1 0x28 Full64 both;
    Pandd        "vpandd"      P66 M0F   0 0xdb Full32 evex;
    Pandnd       "vpandnd"     P66 M0F   0 0xdf Full32 evex;
    Pord         "vpord"       P66 M0F   0 0xeb Full32 evex;
    Pxord        "vpxord"      P66 M0F   0 0xef Full32 evex;
    Pandq        "vpandq"      P66 M0F   1 0xdb Full64 evex;
    Porq         "vporq"       P66 M0F   1 0xeb Full64 evex;
    Pxorq        "vpxorq"      P66 M0F   1 0xef Full64 evex;
    Pternlogd    "vpternlogd"  P66 M0F3A 0 0x25 Full32 evex;
    Pternlogq    "vpternlogq"  P66 M0F3A 1 0x25 Full64 evex;
    Pminsd       "vpminsd"     P66 M0F38 0 0x39 Full32 both;
    Pmaxsd       "vpmaxsd"     P66 M0F38 0 0x3d Full32 both;
    Pminud       "vpminud"     P66 M0F38 0 0x3b Full32 both;
    Pmaxud       "vpmaxud"     P66 M0F38 0 0x3f Full32 both;
    PslldImm     "vpslld"      P66 M0F   0 0x72 /6 Full32 both;
    PsrldImm     "vpsrld"      P66 M0F   0 0x72 /2 Full32 both;
    PsradImm     "vpsrad"      P66 M0F   0 0x72 /4 Full32 both;
    PsllqImm     "vpsllq"      P66 M0F   1 0x73 /6 Full64 both;
    PsrlqImm     "vpsrlq"      P66 M0F   1 0x73 /2 Full64 both;
    PsraqImm     "vpsraq"      P66 M0F   1 0x72 /4 Full64 evex;
    ProldImm     "vprold"      P66 M0F   0 0x72 /1 Full32 evex;
    PrordImm     "vprord"      P66 M0F   0 0x72 /0 Full32 evex;
    ProlqImm     "vprolq"      P66 M0F   1 0x72 /1 Full64 evex;
    PsrldqImm    "vpsrldq"     P66 M0F   0 0x73 /3 Whole both;
    Psllvd       "vpsllvd"     P66 M0F38 0 0x47 Full32 both;
    Psrlvd       "vpsrlvd"     P66 M0F38 0 0x45 Full32 both;
    Psravd       "vpsravd"     P66 M0F38 0 0x46 Full32 both;
    Psllvq       "vpsllvq"     P66 M0F38 1 0x47 Full64 both;
    Psrlvq       "vpsrlvq"     P66 M0F38 1 0x45 Full64 both;
    Psravq       "vpsravq"     P66 M0F38 1 0x46 Full64 evex;
    Prolvd       "vprolvd"     P66 M0F38 0 0x15 Full32 evex;
    Prorvd       "vprorvd"     P66 M0F38 0 0x14 Full32 evex;
    Prolvq       "vprolvq"     P66 M0F38 1 0x15 Full64 evex;
    PshldImm     "vpshldd"     P66 M0F3A 0 0x71 Full32 evex;
    PshrdImm     "vpshrdd"     P66 M0F3A 0 0x73 Full32 evex;
    Pshrdvd      "vpshrdvd"    P66 M0F38 0 0x73 Full32 evex;
    Plzcntd      "vplzcntd"    P66 M0F38 0 0x44 Full32 evex;
    Plzcntq      "vplzcntq"    P66 M0F38 1 0x44 Full64 evex;
    Popcntd      "vpopcntd"    P66 M0F38 0 0x55 Full32 evex;
    Popcntq      "vpopcntq"    P66 M0F38 1 0x55 Full64 evex;
    Pabsd        "vpabsd"      P66 M0F38 0 0x1e Full32 both;
    // 16-bit integers
    Paddw        "vpaddw"      P66 M0F   0 0xfd Whole both;
    Psubw        "vpsubw"      P66 M0F   0 0xf9 Whole both;
    Pmullw       "vpmullw"     P66 M0F   0 0xd5 Whole both;
    Pmulhw       "vpmulhw"     P66 M0F   0 0xe5 Whole both;
    Pmulhuw      "vpmulhuw"    P66 M0F   0 0xe4 Whole both;
    Pmaddwd      "vpmaddwd"    P66 M0F   0 0xf5 Whole both;
    Pminsw       "vpminsw"     P66 M0F   0 0xea Whole both;
    Pmaxsw       "vpmaxsw"     P66 M0F   0 0xee Whole both;
    Pminuw       "vpminuw"     P66 M0F38 0 0x3a Whole both;
    Pmaxuw       "vpmaxuw"     P66 M0F38 0 0x3e Whole both;
    Paddusw      "vpaddusw"    P66 M0F   0 0xdd Whole both;
    Psubusw      "vpsubusw"    P66 M0F   0 0xd9 Whole both;
    Paddsw       "vpaddsw"     P66 M0F   0 0xed Whole both;
    Psubsw       "vpsubsw"     P66 M0F   0 0xe9 Whole both;
    Psllvw       "vpsllvw"     P66 M0F38 1 0x12 Whole evex;
    Psrlvw       "vpsrlvw"     P66 M0F38 1 0x10 Whole evex;
    Psravw       "vpsravw"     P66 M0F38 1 0x11 Whole evex;
    PsllwImm     "vpsllw"      P66 M0F   0 0x71 /6 Whole both;
    PsrlwImm     "vpsrlw"      P66 M0F   0 0x71 /2 Whole both;
    PsrawImm     "vpsraw"      P66 M0F   0 0x71 /4 Whole both;
    Packusdw     "vpackusdw"   P66 M0F38 0 0x2b Full32 both;
    // bytes
    Psubb        "vpsubb"      P66 M0F   0 0xf8 Whole both;
    Psubusb      "vpsubusb"    P66 M0F   0 0xd8 Whole both;
    Pminub       "vpminub"     P66 M0F   0 0xda Whole both;
    Pavgb        "vpavgb"      P66 M0F   0 0xe0 Whole both;
    // dot products
    Pdpbusd      "vpdpbusd"    P66 M0F38 0 0x50 Full32 evex;
    Pdpwssd      "vpdpwssd"    P66 M0F38 0 0x52 Full32 evex;
    // shuffles
    Punpckldq    "vpunpckldq"  P66 M0F   0 0x62 Full32 both;
    Punpckhdq    "vpunpckhdq"  P66 M0F   0 0x6a Full32 both;
    Punpcklqdq   "vpunpcklqdq" P66 M0F   1 0x6c Full64 both;
    Punpckhqdq   "vpunpckhqdq" P66 M0F   1 0x6d Full64 both;
    Shufps       "vshufps"     NP  M0F   0 0xc6 Full32 both;
    Pshufd       "vpshufd"     P66 M0F   0 0x70 Full32 both;
    Pshufb       "vpshufb"     P66 M0F38 0 0x00 Whole both;
    Permd        "vpermd"      P66 M0F38 0 0x36 Full32 both;
    Permi2d      "vpermi2d"    P66 M0F38 0 0x76 Full32 evex;
    Permt2d      "vpermt2d"    P66 M0F38 0 0x7e Full32 evex;
    Permt2q      "vpermt2q"    P66 M0F38 1 0x7e Full64 evex;
    Valignd      "valignd"     P66 M0F3A 0 0x03 Full32 evex;
    Shufi32x4    "vshufi32x4"  P66 M0F3A 0 0x43 Full32 evex;
    Shufi64x2    "vshufi64x2"  P66 M0F3A 1 0x43 Full64 evex;
    Extract32x4  "vextracti32x4" P66 M0F3A 0 0x39 Bytes16 evex;
    Extract64x4  "vextracti64x4" P66 M0F3A 1 0x3b Half evex;
    Insert32x4   "vinserti32x4" P66 M0F3A 0 0x38 Bytes16 evex;
    Insert64x4   "vinserti64x4" P66 M0F3A 1 0x3a Half evex;
    Blendmd      "vpblendmd"   P66 M0F38 0 0x64 Full32 evex;
    Blendmq      "vpblendmq"   P66 M0F38 1 0x64 Full64 evex;
    Compressd    "vpcompressd" P66 M0F38 0 0x8b One4 evex;
    Expandd      "vpexpandd"   P66 M0F38 0 0x89 One4 evex;
    Pmovzxbd     "vpmovzxbd"   P66 M0F38 0 0x31 Quarter both;
    Pmovsxbd     "vpmovsxbd"   P66 M0F38 0 0x21 Quarter both;
    Pmovzxwd     "vpmovzxwd"   P66 M0F38 0 0x33 Half both;
    Pmovsxwd     "vpmovsxwd"   P66 M0F38 0 0x23 Half both;
    Pmovzxdq     "vpmovzxdq"   P66 M0F38 0 0x35 Half both;
    Pmovsxdq     "vpmovsxdq"   P66 M0F38 0 0x25 Half both;
    Pmovqd       "vpmovqd"     F3  M0F38 0 0x35 Half evex;
    Pmovdb       "vpmovdb"     F3  M0F38 0 0x31 Quarter evex;
    Pmovdw       "vpmovdw"     F3  M0F38 0 0x33 Half evex;
    // comparisons and masks of vectors
    Pcmpd        "vpcmpd"      P66 M0F3A 0 0x1f Full32 evex;
    Pcmpud       "vpcmpud"     P66 M0F3A 0 0x1e Full32 evex;
    Pcmpq        "vpcmpq"      P66 M0F3A 1 0x1f Full64 evex;
    Pcmpuq       "vpcmpuq"     P66 M0F3A 1 0x1e Full64 evex;
    Pcmpw        "vpcmpw"      P66 M0F3A 1 0x3f Whole evex;
    Pcmpuw       "vpcmpuw"     P66 M0F3A 1 0x3e Whole evex;
    Ptestmd      "vptestmd"    P66 M0F38 0 0x27 Full32 evex;
    Ptestmq      "vptestmq"    P66 M0F38 1 0x27 Full64 evex;
    Ptestnmd     "vptestnmd"   F3  M0F38 0 0x27 Full32 evex;
    Cmpps        "vcmpps"      NP  M0F   0 0xc2 Full32 evex;
    Cmppd        "vcmppd"      P66 M0F   1 0xc2 Full64 evex;
    Fpclassps    "vfpclassps"  P66 M0F3A 0 0x66 Full32 evex;
    Fpclasspd    "vfpclasspd"  P66 M0F3A 1 0x66 Full64 evex;
    Pmovm2d      "vpmovm2d"    F3  M0F38 0 0x38 Whole evex;
    Pmovm2q      "vpmovm2q"    F3  M0F38 1 0x38 Whole evex;
    Pmovd2m      "vpmovd2m"    F3  M0F38 0 0x39 Whole evex;
    Pmovq2m      "vpmovq2m"    F3  M0F38 1 0x39 Whole evex;
    Conflictd    "vpconflictd" P66 M0F38 0 0xc4 Full32 evex;
    // f32 and f64
    Addps        "vaddps"      NP  M0F   0 0x58 Full32 both;
    Subps        "vsubps"      NP  M0F   0 0x5c Full32 both;
    Mulps        "vmulps"      NP  M0F   0 0x59 Full32 both;
    Divps        "vdivps"      NP  M0F   0 0x5e Full32 both;
    Sqrtps       "vsqrtps"     NP  M0F   0 0x51 Full32 both;
    Minps        "vminps"      NP  M0F   0 0x5d Full32 both;
    Maxps        "vmaxps"      NP  M0F   0 0x5f Full32 both;
    Addpd        "vaddpd"      P66 M0F   1 0x58 Full64 both;
    Subpd        "vsubpd"      P66 M0F   1 0x5c Full64 both;
    Mulpd        "vmulpd"      P66 M0F   1 0x59 Full64 both;
    Divpd        "vdivpd"      P66 M0F   1 0x5e Full64 both;
    Sqrtpd       "vsqrtpd"     P66 M0F   1 0x51 Full64 both;
    Minpd        "vminpd"      P66 M0F   1 0x5d Full64 both;
    Maxpd        "vmaxpd"      P66 M0F   1 0x5f Full64 both;
    Fmadd132ps   "vfmadd132ps" P66 M0F38 0 0x98 Full32 both;
    Fmadd213ps   "vfmadd213ps" P66 M0F38 0 0xa8 Full32 both;
    Fmadd231ps   "vfmadd231ps" P66 M0F38 0 0xb8 Full32 both;
    Fmsub231ps   "vfmsub231ps" P66 M0F38 0 0xba Full32 both;
    Fmsub213ps   "vfmsub213ps" P66 M0F38 0 0xaa Full32 both;
    Fnmadd213ps  "vfnmadd213ps" P66 M0F38 0 0xac Full32 both;
    Fnmadd231ps  "vfnmadd231ps" P66 M0F38 0 0xbc Full32 both;
    Fmadd132pd   "vfmadd132pd" P66 M0F38 1 0x98 Full64 both;
    Fmadd213pd   "vfmadd213pd" P66 M0F38 1 0xa8 Full64 both;
    Fmadd231pd   "vfmadd231pd" P66 M0F38 1 0xb8 Full64 both;
    Fnmadd213pd  "vfnmadd213pd" P66 M0F38 1 0xac Full64 both;
    Fnmadd231pd  "vfnmadd231pd" P66 M0F38 1 0xbc Full64 both;
    Rndscaleps   "vrndscaleps" P66 M0F3A 0 0x08 Full32 evex;
    Rndscalepd   "vrndscalepd" P66 M0F3A 1 0x09 Full64 evex;
    Reduceps     "vreduceps"   P66 M0F3A 0 0x56 Full32 evex;
    Cvtdq2ps     "vcvtdq2ps"   NP  M0F   0 0x5b Full32 both;
    Cvtudq2ps    "vcvtudq2ps"  F2  M0F   0 0x7a Full32 evex;
    Cvttps2dq    "vcvttps2dq"  F3  M0F   0 0x5b Full32 both;
    Cvttps2udq   "vcvttps2udq" NP  M0F   0 0x78 Full32 evex;
    Cvtps2dq     "vcvtps2dq"   P66 M0F   0 0x5b Full32 both;
    Cvtph2ps     "vcvtph2ps"   P66 M0F38 0 0x13 Half both;
    Cvtps2ph     "vcvtps2ph"   P66 M0F3A 0 0x1d Half both;
    Cvtps2pd     "vcvtps2pd"   NP  M0F   0 0x5a Half32 both;
    Cvtpd2ps     "vcvtpd2ps"   P66 M0F   1 0x5a Full64 both;
    Cvtdq2pd     "vcvtdq2pd"   F3  M0F   0 0xe6 Half32 both;
    Cvtudq2pd    "vcvtudq2pd"  F3  M0F   0 0x7a Half32 evex;
    Cvtqq2pd     "vcvtqq2pd"   F3  M0F   1 0xe6 Full64 evex;
    Cvtuqq2pd    "vcvtuqq2pd"  F3  M0F   1 0x7a Full64 evex;
    Cvtpd2dq     "vcvtpd2dq"   F2  M0F   1 0xe6 Full64 both;
    Cvttpd2dq    "vcvttpd2dq"  P66 M0F   1 0xe6 Full64 both;
    Cvttpd2udq   "vcvttpd2udq" NP  M0F   1 0x78 Full64 evex;
    Rcp14ps      "vrcp14ps"    P66 M0F38 0 0x4c Full32 evex;
    Rsqrt14ps    "vrsqrt14ps"  P66 M0F38 0 0x4e Full32 evex;
    Getexpps     "vgetexpps"   P66 M0F38 0 0x42 Full32 evex;
    Getexppd     "vgetexppd"   P66 M0F38 1 0x42 Full64 evex;
    Getmantps    "vgetmantps"  P66 M0F3A 0 0x26 Full32 evex;
    Getmantpd    "vgetmantpd"  P66 M0F3A 1 0x26 Full64 evex;
    Scalefps     "vscalefps"   P66 M0F38 0 0x2c Full32 evex;
    Scalefpd     "vscalefpd"   P66 M0F38 1 0x2c Full64 evex;
    Rangeps      "vrangeps"    P66 M0F3A 0 0x50 Full32 evex;
    Rangepd      "vrangepd"    P66 M0F3A 1 0x50 Full64 evex;
    Fixupimmps   "vfixupimmps" P66 M0F3A 0 0x54 Full32 evex;
    Fixupimmpd   "vfixupimmpd" P66 M0F3A 1 0x54 Full64 evex;
    // what AVX2 has in place of the above, or beside it
    Pand         "vpand"       P66 M0F   0 0xdb Whole vex;
    Pandn        "vpandn"      P66 M0F   0 0xdf Whole vex;
    Por          "vpor"        P66 M0F   0 0xeb Whole vex;
    Pxor         "vpxor"       P66 M0F   0 0xef Whole vex;
    Paddb        "vpaddb"      P66 M0F   0 0xfc Whole both;
    Pmaddubsw    "vpmaddubsw"  P66 M0F38 0 0x04 Whole both;
    Packssdw     "vpackssdw"   P66 M0F   0 0x6b Full32 both;
    Packsswb     "vpacksswb"   P66 M0F   0 0x63 Whole both;
    Packuswb     "vpackuswb"   P66 M0F   0 0x67 Whole both;
    Pcmpeqd      "vpcmpeqd"    P66 M0F   0 0x76 Whole vex;
    Pcmpgtd      "vpcmpgtd"    P66 M0F   0 0x66 Whole vex;
    Pcmpeqq      "vpcmpeqq"    P66 M0F38 0 0x29 Whole vex;
    Pcmpgtq      "vpcmpgtq"    P66 M0F38 0 0x37 Whole vex;
    CmppsY       "vcmpps"      NP  M0F   0 0xc2 Whole vex;
    CmppdY       "vcmppd"      P66 M0F   0 0xc2 Whole vex;
    Ptest        "vptest"      P66 M0F38 0 0x17 Whole vex;
    Movmskps     "vmovmskps"   NP  M0F   0 0x50 Whole vex;
    Movmskpd     "vmovmskpd"   P66 M0F   0 0x50 Whole vex;
    Pmovmskb     "vpmovmskb"   P66 M0F   0 0xd7 Whole vex;
    Blendvps     "vblendvps"   P66 M0F3A 0 0x4a Whole vex;
    Blendvpd     "vblendvpd"   P66 M0F3A 0 0x4b Whole vex;
    Pblendd      "vpblendd"    P66 M0F3A 0 0x02 Whole vex;
    Pblendw      "vpblendw"    P66 M0F3A 0 0x0e Whole vex;
    Maskmovd     "vpmaskmovd"  P66 M0F38 0 0x8c Whole vex;
    MaskmovdStore "vpmaskmovd" P66 M0F38 0 0x8e Whole vex;
    Permq        "vpermq"      P66 M0F3A 1 0x00 Whole vex;
    Perm2i128    "vperm2i128"  P66 M0F3A 0 0x46 Whole vex;
    Extracti128  "vextracti128" P66 M0F3A 0 0x39 Bytes16 vex;
    Inserti128   "vinserti128" P66 M0F3A 0 0x38 Bytes16 vex;
    Pextrd       "vpextrd"     P66 M0F3A 0 0x16 One4 both;
    Pextrq       "vpextrq"     P66 M0F3A 1 0x16 One8 both;
    Pinsrd       "vpinsrd"     P66 M0F3A 0 0x22 One4 both;
    Pinsrq       "vpinsrq"     P66 M0F3A 1 0x22 One8 both;
    Roundps      "vroundps"    P66 M0F3A 0 0x08 Whole vex;
    Roundpd      "vroundpd"    P66 M0F3A 0 0x09 Whole vex;
    Rsqrtps      "vrsqrtps"    NP  M0F   0 0x52 Whole vex;
    GatherddY    "vpgatherdd"  P66 M0F38 0 0x90 One4 vex;
    GatherqqY    "vpgatherqq"  P66 M0F38 1 0x91 One8 vex;
    // gathers and scatters
    Gatherdd     "vpgatherdd"  P66 M0F38 0 0x90 One4 evex;
    Gatherqd     "vpgatherqd"  P66 M0F38 0 0x91 One4 evex;
    Gatherdq     "vpgatherdq"  P66 M0F38 1 0x90 One8 evex;
    Gatherqq     "vpgatherqq"  P66 M0F38 1 0x91 One8 evex;
    Scatterdd    "vpscatterdd" P66 M0F38 0 0xa0 One4 evex;
    Scatterqd    "vpscatterqd" P66 M0F38 0 0xa1 One4 evex;
    // mask registers
    Kmovw        "kmovw"       NP  M0F   0 0x90 Whole vex;
    KmovwStore   "kmovw"       NP  M0F   0 0x91 Whole vex;
    KmovwFromGpr "kmovw"       NP  M0F   0 0x92 Whole vex;
    KmovwToGpr   "kmovw"       NP  M0F   0 0x93 Whole vex;
    KmovdFromGpr "kmovd"       F2  M0F   0 0x92 Whole vex;
    KmovdToGpr   "kmovd"       F2  M0F   0 0x93 Whole vex;
    KmovqFromGpr "kmovq"       F2  M0F   1 0x92 Whole vex;
    KmovqToGpr   "kmovq"       F2  M0F   1 0x93 Whole vex;
    KmovdStore   "kmovd"       P66 M0F   1 0x91 Whole vex;
    KmovqStore   "kmovq"       NP  M0F   1 0x91 Whole vex;
    Kandw        "kandw"       NP  M0F   0 0x41 Whole l1;
    Kandnw       "kandnw"      NP  M0F   0 0x42 Whole l1;
    Korw         "korw"        NP  M0F   0 0x45 Whole l1;
    Kxnorw       "kxnorw"      NP  M0F   0 0x46 Whole l1;
    Kxorw        "kxorw"       NP  M0F   0 0x47 Whole l1;
    Knotw        "knotw"       NP  M0F   0 0x44 Whole vex;
    Kortestw     "kortestw"    NP  M0F   0 0x98 Whole vex;
    Kunpckbw     "kunpckbw"    P66 M0F   0 0x4b Whole l1;
    Kunpckwd     "kunpckwd"    NP  M0F   0 0x4b Whole l1;
    Kunpckdq     "kunpckdq"    NP  M0F   1 0x4b Whole l1;
    Kshiftrw     "kshiftrw"    P66 M0F3A 1 0x30 Whole vex;
    Kshiftrd     "kshiftrd"    P66 M0F3A 0 0x31 Whole vex;
    Kshiftrq     "kshiftrq"    P66 M0F3A 1 0x31 Whole vex;
    // general registers
    Shlx         "shlx"        P66 M0F38 0 0xf7 One4 vex;
    Shrx         "shrx"        F2  M0F38 0 0xf7 One4 vex;
    Sarx         "sarx"        F3  M0F38 0 0xf7 One4 vex;
    ShlxQ        "shlx"        P66 M0F38 1 0xf7 One8 vex;
    ShrxQ        "shrx"        F2  M0F38 1 0xf7 One8 vex;
    SarxQ        "sarx"        F3  M0F38 1 0xf7 One8 vex;
    Andn         "andn"        NP  M0F38 0 0xf2 One4 vex;
    AndnQ        "andn"        NP  M0F38 1 0xf2 One8 vex;
    BlsrQ        "blsr"        NP  M0F38 1 0xf3 /1 One8 vex;
    Pdep         "pdep"        F2  M0F38 1 0xf5 One8 vex;
    Pext         "pext"        F3  M0F38 1 0xf5 One8 vex;
}
