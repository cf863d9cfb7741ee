//! Code objects of every supported version and packaging, and damaged ones. The files and how they were built: `data/README.md`.

use wavejit::code_object::{ArgKind, CodeObject, HiddenArg, LoadError, SymbolKind};

const V4: &[u8] = include_bytes!("data/small-v4.hsaco");
const V5: &[u8] = include_bytes!("data/small-v5.hsaco");
const V6: &[u8] = include_bytes!("data/small-v6.hsaco");
const V6_GENERIC: &[u8] = include_bytes!("data/small-v6-generic.hsaco");
const WAVE64: &[u8] = include_bytes!("data/small-wave64.hsaco");
const GFX90A: &[u8] = include_bytes!("data/small-gfx90a.hsaco");
const PLAIN: &[u8] = include_bytes!("data/plain.bundle");
const COMPRESSED: &[u8] = include_bytes!("data/compressed.bundle");
const HOST: &[u8] = include_bytes!("data/host.o");

#[test]
fn all_versions_have_the_same_kernels() {
    let expected = [
        (V4, 4, "gfx1100", 32),
        (V5, 5, "gfx1100", 32),
        (V6, 6, "gfx1100", 32),
        (V6_GENERIC, 6, "gfx11-generic", 32),
        (WAVE64, 5, "gfx1100", 64),
        (GFX90A, 4, "gfx90a:xnack+", 64),
    ];
    for (bytes, version, target, wave_size) in expected {
        let object = CodeObject::load(bytes).unwrap();
        assert_eq!(object.version(), version);
        assert_eq!(object.target().to_string(), target);
        let names: Vec<&str> = object.kernels().iter().map(|k| k.name.as_str()).collect();
        assert_eq!(names, ["scale", "where_am_i", "reverse", "table"], "{target} v{version}");
        assert!(object.kernels().iter().all(|k| k.wave_size == wave_size && k.has_metadata));
    }
}

// Values as llvm-readelf-19 --notes and llvm-objdump-19 -d print them.
#[test]
fn kernel_info_is_what_llvm_prints() {
    let object = CodeObject::load(V5).unwrap();
    let scale = object.kernel("scale.kd").unwrap();
    assert_eq!((scale.descriptor_address, scale.code_address, scale.code_bytes), (0x1680, 0x2800, 128));
    assert_eq!((scale.kernarg_bytes, scale.kernarg_align, scale.vgprs, scale.sgprs), (272, 8, 5, 18));
    assert_eq!((scale.max_group_work_items, scale.wgp_mode), (Some(256), Some(true)));
    let explicit: Vec<_> = scale.explicit_args().map(|a| (a.kind, a.offset, a.bytes, a.type_name.as_deref().unwrap())).collect();
    assert_eq!(explicit, [(ArgKind::GlobalBuffer, 0, 8, "float*"), (ArgKind::ByValue, 8, 4, "float"), (ArgKind::ByValue, 12, 4, "uint")]);
    let size_y = scale.args.iter().find(|a| a.kind == ArgKind::Hidden(HiddenArg::GroupSize(1))).unwrap();
    assert_eq!((size_y.offset, size_y.bytes), (30, 2));
    let reverse = object.kernel("reverse").unwrap();
    assert_eq!(reverse.lds_bytes, 256);
    assert!(reverse.args.iter().any(|a| a.kind == ArgKind::DynamicSharedPointer && a.offset == 8 && a.pointee_align == Some(4)));
}

#[test]
fn functions_that_are_not_exported_have_symbols_too() {
    let object = CodeObject::load(V5).unwrap();
    let look_up = object.symbols().find(|s| s.name == "look_up").unwrap();
    assert_eq!((look_up.address, look_up.bytes, look_up.kind), (0x2ad0, 88, SymbolKind::Function));
}

// The table of pointers at 0x3e80 points to the arrays at 0x1780 and 0x1790.
#[test]
fn relocations_follow_the_base() {
    let object = CodeObject::load(V5).unwrap();
    for base in [0, 0x7f00_0000_0000u64] {
        let image = object.image(base).unwrap();
        let pointer = |at: u64| u64::from_le_bytes(image.get(at, 8).unwrap().try_into().unwrap());
        assert_eq!((pointer(0x3e80), pointer(0x3e88)), (base + 0x1780, base + 0x1790));
        assert_eq!(image.dword(0x1780), Some(2));
        let last = image.parts().last().unwrap();
        assert!(last.address + last.bytes.len() as u64 <= object.image_bytes());
    }
}

#[test]
fn section_headers_are_not_needed() {
    let mut bytes = V5.to_vec();
    bytes[40..48].fill(0); // e_shoff
    bytes[60..62].fill(0); // e_shnum
    let names = |b: &[u8]| CodeObject::load(b).unwrap().kernels().to_vec();
    assert_eq!(names(&bytes), names(V5));
}

#[test]
fn bundles_give_the_entry_that_is_asked_for() {
    for bytes in [PLAIN, COMPRESSED, HOST] {
        assert_eq!(CodeObject::load(bytes).unwrap().bytes(), V4);
        assert_eq!(CodeObject::load_for(bytes, Some("gfx1100"), Some("table")).unwrap().bytes(), V4);
        let object = CodeObject::load_for(bytes, Some("gfx90a"), None).unwrap();
        assert_eq!(object.target().to_string(), "gfx90a:xnack+");
        let error = CodeObject::load_for(bytes, Some("gfx90a:xnack-"), None).unwrap_err().to_string();
        assert!(error.contains("hipv4-amdgcn-amd-amdhsa--gfx1100"), "{error}");
        assert!(matches!(CodeObject::load_for(bytes, None, Some("nothing")), Err(LoadError::NoKernel { .. })));
    }
}

/// The compressed bundle with the header of another version.
fn repacked(version: u8) -> Vec<u8> {
    let (total, unpacked) = (&COMPRESSED[8..12], &COMPRESSED[12..16]);
    let mut out = b"CCOB".to_vec();
    out.extend([version, 0, 1, 0]);
    if version == 3 {
        out.extend((u64::from(u32::from_le_bytes(total.try_into().unwrap())) + 8).to_le_bytes());
        out.extend(unpacked);
        out.extend([0; 4]);
    } else {
        out.extend(unpacked);
    }
    out.extend(&COMPRESSED[16..]);
    out
}

#[test]
fn compressed_bundles_of_versions_1_and_3_are_read() {
    for version in [1, 3] {
        assert_eq!(CodeObject::load(&repacked(version)).unwrap().bytes(), V4, "version {version}");
    }
    assert!(CodeObject::load(&repacked(9)).unwrap_err().is_unsupported());
}

#[test]
fn errors_name_what_was_expected() {
    let error = |bytes: &[u8]| CodeObject::load(bytes).unwrap_err().to_string();
    let changed = |at: usize, value: u8| {
        let mut bytes = V5.to_vec();
        bytes[at] = value;
        error(&bytes)
    };
    assert!(changed(18, 62).contains("e_machine 224"));
    assert!(changed(7, 65).contains("PAL"));
    assert!(changed(8, 9).contains("EI_ABIVERSION 9"));
    assert!(changed(16, 1).contains("ld.lld"));
    assert!(changed(48, 0xfe).contains("0xfe"));
    assert!(error(b"").contains("nothing"));
    assert!(error(b"BC\xc0\xde1234").contains("bitcode"));
    assert!(error(b"hello, world").contains("not a code object"));
    assert!(error(&std::fs::read("/proc/self/exe").unwrap()).contains("e_machine 224"));
    let message = CodeObject::load(V5).unwrap().kernel("scal").unwrap_err().to_string();
    assert!(message.contains("scale, where_am_i, reverse, table"), "{message}");
}

/// Loads, and builds the image, as a program would.
fn exercise(bytes: &[u8]) {
    if let Ok(object) = CodeObject::load(bytes) {
        let _ = object.image(0x1_0000_0000);
    }
}

#[test]
fn cut_files_never_panic() {
    for bytes in [V5, GFX90A, PLAIN, COMPRESSED, HOST] {
        for len in (0..bytes.len()).step_by(7) {
            exercise(&bytes[..len]);
        }
    }
}

#[test]
fn flipped_bits_never_panic() {
    let mut numbers = wavejit_random::Random(1);
    let mut random = || numbers.u64() as usize;
    for bytes in [V4, V5, GFX90A, PLAIN, COMPRESSED, HOST] {
        for round in 0..2000 {
            let mut damaged = bytes.to_vec();
            for _ in 0..1 + random() % 4 {
                // Half of the time in the headers, where it hurts most.
                let limit = if round % 2 == 0 { 0x200 } else { damaged.len() };
                let at = random() % limit.min(damaged.len());
                damaged[at] = if random() % 2 == 0 { damaged[at] ^ 1 << (random() % 8) } else { random() as u8 };
            }
            exercise(&damaged);
        }
    }
}
