//! The sRGB curve of 8-bit channels.
//!
//! c / 255 is linear / 12.92 below 0.04045, else ((c + 0.055) / 1.055)^2.4. The table has the nearest f32 to each; a test works it out anew.
//! Storing takes the code nearest to the encoded value, by a table of the floats where it changes.
//!
//! Reference: IEC 61966-2-1, as the Direct3D 11.3 functional specification has it.

use crate::lazy::Lazy;

/// Linear value of each code.
#[rustfmt::skip]
pub static SRGB_TO_LINEAR: [f32; 256] = from_bits([
    0x00000000, 0x399f22b4, 0x3a1f22b4, 0x3a6eb40e, 0x3a9f22b4, 0x3ac6eb61, 0x3aeeb40e, 0x3b0b3e5d,
    0x3b1f22b4, 0x3b33070a, 0x3b46eb61, 0x3b5b518e, 0x3b70f18f, 0x3b83e1c6, 0x3b8fe616, 0x3b9c87fd,
    0x3ba9c9b6, 0x3bb7ad6f, 0x3bc6354a, 0x3bd56360, 0x3be539c1, 0x3bf5ba71, 0x3c0373b6, 0x3c0c6153,
    0x3c15a705, 0x3c1f45be, 0x3c293e6b, 0x3c3391f7, 0x3c3e4149, 0x3c494d44, 0x3c54b6c9, 0x3c607eb4,
    0x3c6ca5df, 0x3c792d22, 0x3c830aa9, 0x3c89af9f, 0x3c9085dc, 0x3c978dc6, 0x3c9ec7c2, 0x3ca63433,
    0x3cadd37d, 0x3cb5a602, 0x3cbdac21, 0x3cc5e63a, 0x3cce54ac, 0x3cd6f7d5, 0x3cdfd010, 0x3ce8ddba,
    0x3cf2212d, 0x3cfb9ac3, 0x3d02a56a, 0x3d0798dd, 0x3d0ca7e6, 0x3d11d2af, 0x3d171964, 0x3d1c7c30,
    0x3d21fb3c, 0x3d2796b2, 0x3d2d4ebb, 0x3d332381, 0x3d39152b, 0x3d3f23e4, 0x3d454fd2, 0x3d4b991d,
    0x3d51ffec, 0x3d588468, 0x3d5f26b6, 0x3d65e6fd, 0x3d6cc563, 0x3d73c20e, 0x3d7add24, 0x3d810b65,
    0x3d84b793, 0x3d88732e, 0x3d8c3e48, 0x3d9018f4, 0x3d940344, 0x3d97fd49, 0x3d9c0715, 0x3da020ba,
    0x3da44a4a, 0x3da883d6, 0x3daccd6f, 0x3db12727, 0x3db5910f, 0x3dba0b38, 0x3dbe95b3, 0x3dc33090,
    0x3dc7dbe0, 0x3dcc97b4, 0x3dd1641d, 0x3dd6412b, 0x3ddb2eee, 0x3de02d76, 0x3de53cd4, 0x3dea5d18,
    0x3def8e51, 0x3df4d090, 0x3dfa23e5, 0x3dff885e, 0x3e027f06, 0x3e05427f, 0x3e080ea2, 0x3e0ae377,
    0x3e0dc104, 0x3e10a753, 0x3e13966a, 0x3e168e51, 0x3e198f0f, 0x3e1c98ac, 0x3e1fab30, 0x3e22c6a1,
    0x3e25eb07, 0x3e29186a, 0x3e2c4ed0, 0x3e2f8e42, 0x3e32d6c5, 0x3e362862, 0x3e39831f, 0x3e3ce703,
    0x3e405417, 0x3e43ca60, 0x3e4749e6, 0x3e4ad2af, 0x3e4e64c3, 0x3e520029, 0x3e55a4e7, 0x3e595305,
    0x3e5d0a89, 0x3e60cb7a, 0x3e6495df, 0x3e6869be, 0x3e6c471f, 0x3e702e07, 0x3e741e7e, 0x3e78188b,
    0x3e7c1c33, 0x3e8014bf, 0x3e822039, 0x3e84308b, 0x3e8645b8, 0x3e885fc3, 0x3e8a7eb0, 0x3e8ca281,
    0x3e8ecb3b, 0x3e90f8df, 0x3e932b72, 0x3e9562f6, 0x3e979f6f, 0x3e99e0e0, 0x3e9c274c, 0x3e9e72b6,
    0x3ea0c321, 0x3ea31890, 0x3ea57307, 0x3ea7d288, 0x3eaa3716, 0x3eaca0b6, 0x3eaf0f68, 0x3eb18332,
    0x3eb3fc15, 0x3eb67a14, 0x3eb8fd34, 0x3ebb8576, 0x3ebe12de, 0x3ec0a56e, 0x3ec33d2a, 0x3ec5da14,
    0x3ec87c30, 0x3ecb2380, 0x3ecdd008, 0x3ed081ca, 0x3ed338c9, 0x3ed5f508, 0x3ed8b68a, 0x3edb7d52,
    0x3ede4963, 0x3ee11abf, 0x3ee3f169, 0x3ee6cd65, 0x3ee9aeb5, 0x3eec955b, 0x3eef815c, 0x3ef272b8,
    0x3ef56974, 0x3ef86593, 0x3efb6716, 0x3efe6e00, 0x3f00bd2b, 0x3f02460c, 0x3f03d1a5, 0x3f055ff7,
    0x3f06f104, 0x3f0884cd, 0x3f0a1b54, 0x3f0bb499, 0x3f0d509f, 0x3f0eef65, 0x3f1090ef, 0x3f12353d,
    0x3f13dc50, 0x3f15862a, 0x3f1732cc, 0x3f18e237, 0x3f1a946e, 0x3f1c4970, 0x3f1e0140, 0x3f1fbbde,
    0x3f21794d, 0x3f23398c, 0x3f24fc9f, 0x3f26c285, 0x3f288b41, 0x3f2a56d2, 0x3f2c253c, 0x3f2df67f,
    0x3f2fca9c, 0x3f31a194, 0x3f337b6a, 0x3f35581d, 0x3f3737b0, 0x3f391a24, 0x3f3aff7a, 0x3f3ce7b2,
    0x3f3ed2cf, 0x3f40c0d2, 0x3f42b1bc, 0x3f44a58e, 0x3f469c49, 0x3f4895ef, 0x3f4a9280, 0x3f4c91ff,
    0x3f4e946c, 0x3f5099c9, 0x3f52a216, 0x3f54ad56, 0x3f56bb88, 0x3f58ccaf, 0x3f5ae0cc, 0x3f5cf7df,
    0x3f5f11ea, 0x3f612eef, 0x3f634eee, 0x3f6571e9, 0x3f6797e0, 0x3f69c0d5, 0x3f6becca, 0x3f6e1bbf,
    0x3f704db5, 0x3f7282ae, 0x3f74baab, 0x3f76f5ae, 0x3f7933b6, 0x3f7b74c6, 0x3f7db8de, 0x3f800000,
]);

const fn from_bits(bits: [u32; 256]) -> [f32; 256] {
    let mut out = [0.0; 256];
    let mut n = 0;
    while n < 256 {
        out[n] = f32::from_bits(bits[n]);
        n += 1;
    }
    out
}

/// The curve, with `c` from 0 to 1.
pub(super) fn linear(c: f64) -> f64 {
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// Floats from 2^-13 to 1 by exponent and the upper 7 mantissa bits, ranges over which the code changes once at most. Bits 23:16 have the code
/// at the start, bits 15:0 the lower mantissa bits from which on it is one more, less 1.
const FIRST: u32 = (127 - 13) << 7;
const RANGES: usize = 13 << 7;

static STEPS: Lazy<Box<[u32; RANGES]>> = Lazy::new(|| {
    // Smallest float that is stored as code `n + 1`: half way between the codes.
    let limits: Vec<u32> = (0..255)
        .map(|n| {
            let exact = linear((f64::from(n) + 0.5) / 255.0);
            let nearest = exact as f32;
            if f64::from(nearest) < exact { nearest.to_bits() + 1 } else { nearest.to_bits() }
        })
        .collect();
    Box::new(std::array::from_fn(|range| {
        let start = (FIRST + range as u32) << 16;
        let code = limits.partition_point(|&limit| limit <= start);
        let last = limits.get(code).map_or(u32::MAX, |limit| limit - 1 - start);
        (code as u32) << 16 | last.min(0xffff)
    }))
});

/// The table [`code`] wants.
pub(super) fn steps() -> &'static [u32; RANGES] {
    &STEPS
}

/// The code of f32 bits; clamped, and 0 for a NaN.
#[inline(always)]
pub(super) fn code(steps: &[u32; RANGES], float: u32) -> u32 {
    let range = (float >> 16).wrapping_sub(FIRST);
    match steps.get(range as usize) {
        Some(step) => (step >> 16) + u32::from(float & 0xffff > step & 0xffff),
        None if (0x3f80_0000..=0x7f80_0000).contains(&float) => 255,
        None => 0,
    }
}

/// The code of a linear value; clamped, and 0 for a NaN.
pub fn linear_to_srgb(x: f32) -> u8 {
    code(steps(), x.to_bits()) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_curve() {
        for (code, value) in SRGB_TO_LINEAR.iter().enumerate() {
            let exact = linear(code as f64 / 255.0);
            assert_eq!(*value, exact as f32, "code {code}");
        }
        // images.md 5.5
        for (code, value) in [(1, 0.00030353), (10, 0.00303527), (64, 0.05126946), (128, 0.21586050), (188, 0.50288646), (255, 1.0)] {
            assert!((f64::from(SRGB_TO_LINEAR[code]) - value).abs() < 5e-8);
        }
    }

    #[test]
    fn every_code_is_stored_as_itself() {
        for code in 0..=255_u8 {
            assert_eq!(linear_to_srgb(SRGB_TO_LINEAR[usize::from(code)]), code);
        }
        assert_eq!([-1.0, f32::NAN, 2.0, f32::INFINITY].map(linear_to_srgb), [0, 0, 255, 255]);
    }

    #[test]
    fn stored_codes_are_the_nearest_on_the_curve() {
        // around every limit, and anywhere
        let limits = (0..255).map(|n| linear((f64::from(n) + 0.5) / 255.0) as f32);
        let around = limits.flat_map(|limit| (0..7).map(move |n| f32::from_bits(limit.to_bits() - 3 + n)));
        let anywhere = (0..=0x3f80_0000_u32).step_by(4999).map(f32::from_bits);
        for x in around.chain(anywhere) {
            let expected = (0..255).take_while(|&n| linear((f64::from(n) + 0.5) / 255.0) <= f64::from(x)).count();
            assert_eq!(usize::from(linear_to_srgb(x)), expected, "{x}");
        }
    }
}
