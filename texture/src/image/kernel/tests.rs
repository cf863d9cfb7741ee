//! Checked builds find every access of the kernels that leaves what it was lent: kernels whose bounds have been broken on purpose, on images
//! with more memory behind them, so that nothing else would tell.

use super::Kernel;
use crate::descriptor::{ImageDescriptor, ImageType, SamplerDescriptor};
use crate::format::FormatNumber;
use crate::image::{Dim, HostLevel, ImageConfig, ImageOp, Kind, Operands, Routine};
use crate::memory::FlatMemory;
use crate::{Generation, Wave};
use std::panic::{AssertUnwindSafe, catch_unwind};

const BASE: u64 = 0x1_0000;

/// What an instruction on a 16x16 image (six layers of it) of R32_UINT panics with when its kernel has been broken; `None`: nothing. Lane 5
/// alone is active, and has the coordinates `at`.
fn panic_of(mnemonic: &str, kind: ImageType, dim: Dim, level: HostLevel, at: [u32; 3], broken: fn(&mut Kernel)) -> Option<String> {
    let format = FormatNumber::Unified(20); // 32_UINT
    let d = ImageDescriptor::new(Generation::Gfx11, kind, format, 16, 16);
    let mode = if kind == ImageType::Msaa { 24 } else { 0 };
    let d = ImageDescriptor { base: BASE, mode, last_layer: if kind == ImageType::Cube { 5 } else { 0 }, ..d };
    let s = SamplerDescriptor::new(Generation::Gfx11);
    let (kind, _) = Kind::named(mnemonic).expect("an image instruction");
    let op = ImageOp { dmask: 1, ..ImageOp::new(kind, Generation::Gfx11, dim) };
    let config = ImageConfig::default();
    let routine = Routine::new(&op, &config, &d.encode().expect("a T#"), &s.encode().expect("an S#")).expect("a routine");
    let mut routine = routine.at_level(level);
    broken(routine.kernel_mut().expect("a kernel"));
    let memory = FlatMemory::new(BASE, vec![0; 1 << 20]);
    let mut rows = vec![0; 8 * 32];
    for (row, value) in rows.chunks_mut(32).zip(at) {
        row.fill(value);
    }
    let operands = Operands { address: &[0, 1, 2], source: &[3], result: &[4, 5, 6, 7] };
    let mut wave = Wave::new(&mut rows, 32, 1 << 5);
    match catch_unwind(AssertUnwindSafe(|| routine.execute(&operands, &mut wave, &memory))) {
        Ok(done) => {
            done.expect("nothing is refused");
            None
        }
        Err(panic) => Some(panic.downcast_ref::<String>().expect("a message").clone()),
    }
}

#[test]
fn a_texel_outside_of_the_image_is_found_before_it_is_touched() {
    for level in HostLevel::available().skip(1) {
        let image_ends: fn(&mut Kernel) = |k| k.levels[0].size = [4096, 4096, 1];
        for (mnemonic, what) in [("image_load", "vector gather: lane 5: a dword at"), ("image_store", "vector access: 4 bytes at")] {
            let run = |x, broken| panic_of(mnemonic, ImageType::Dim2, Dim::D2, level, [x, 3, 0], broken);
            assert_eq!(run(7, |_| ()), None);
            assert_eq!(run(3000, |_| ()), None, "the kernel's own bounds are good");
            assert_eq!(run(7, image_ends), None, "and this texel is in the image");
            let message = run(3000, image_ends).expect("checked builds panic");
            assert!(message.contains(what) && message.contains("of View"), "{level}: {message}");
        }
        // As once for cubes: a row up to the width, where there are fewer.
        let wide: fn(&mut Kernel) = |k| (k.levels[0].size[0], k.levels[0].scale[0]) = (4096, 4096.0);
        let at = [2.0, 1.5, 5.0].map(f32::to_bits);
        let run = |broken| panic_of("image_gather4_lz", ImageType::Cube, Dim::Cube, level, at, broken);
        assert_eq!(run(|_| ()), None);
        let message = run(wide).expect("checked builds panic");
        assert!(message.contains("vector gather: lane 5: a dword at"), "{level}: {message}");
    }
}

#[test]
fn an_entry_that_a_table_lacks_is_found() {
    for level in HostLevel::available().skip(1) {
        let run = |broken| panic_of("image_load", ImageType::Msaa, Dim::Msaa, level, [7, 3, 9], broken);
        assert_eq!(run(|_| ()), None);
        // More samples than the layout has places for.
        let message = run(|k| k.samples = 16).expect("checked builds panic");
        assert!(message.contains("vector look-up: lane 5: entry 9 of a table of"), "{level}: {message}");
    }
}
