//! Pictures that image instructions make, kernels `shaders/image_*.cl`: the same bytes from compiled code on several threads and from the
//! interpreter, and as the golden pictures of `golden/images` have them. Where a rule is simple enough, pixels are computed here, too.

use std::f32::consts::FRAC_PI_4;
use wavejit::{
    Arg, BorderColor, Clamp, Compare, Device, DeviceConfig, Engine, Filter, Generation, Image, ImageDesc, ImageFormat, ImageKind,
    ImageTiling, Launch, MipFilter, SamplerDesc,
};
use wavejit_tests::picture::{self, Picture, Tolerance};
use wavejit_tests::root;

const SIDE: u32 = 128;
/// Rounding of the last bit, and texels at an edge.
const CLOSE: Tolerance = Tolerance { steps: 2, pixels: 16 };
/// Silhouettes and shadows may move by a rounding error.
const RAYS: Tolerance = Tolerance { steps: 2, pixels: 60 };

fn image(device: &Device, width: u32, height: u32) -> Image {
    device.image(&ImageDesc { width, height, ..Default::default() }).unwrap()
}

/// Runs a kernel of `shaders/bin/FILE` over a grid.
fn run(device: &Device, file: &str, name: &str, grid: [u32; 3], group: [u32; 3], args: &[Arg]) {
    let path = root().join(format!("shaders/bin/{file}.gfx1100.wave32.hsaco"));
    let code = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let kernel = device.load(&code).unwrap().kernel(name).unwrap();
    kernel.launch(&Launch::new(grid, group, args)).unwrap_or_else(|e| panic!("{name}: {e}"));
}

fn pixels(image: &Image) -> Picture {
    Picture { width: image.desc().width, height: image.desc().height, rgba: image.read(0).unwrap() }
}

/// Makes a picture with each engine, which must agree.
fn both(make: impl Fn(&Device) -> Picture) -> Picture {
    let of = |engine, threads| make(&Device::new(DeviceConfig { engine, threads, ..Default::default() }).unwrap());
    let compiled = of(Engine::Jit, 2);
    assert!(compiled == of(Engine::Interp, 2), "compiled code and interpreter make different pictures");
    compiled
}

/// Tiles with all mip levels.
fn tiles(device: &Device) -> Image {
    let tiles = device.image(&ImageDesc { width: SIDE, height: SIDE, levels: 0, ..Default::default() }).unwrap();
    run(device, "image_paint", "image_paint", [SIDE, SIDE, 1], [16, 16, 1], &[Arg::Image(&tiles), Arg::I32(4)]);
    tiles.make_levels().unwrap();
    tiles
}

#[test]
fn paint() {
    let picture = both(|device| pixels(&tiles(device)));
    picture::check("paint", &picture, CLOSE);
    // Joints have one color; the corner of the picture is one.
    assert_eq!(picture.at(0, 0), [31, 31, 36, 255]);
    assert_eq!(picture.at(SIDE / 4, 50), [31, 31, 36, 255]);
}

#[test]
fn swirl() {
    let sampler = SamplerDesc {
        mag: Filter::Linear,
        min: Filter::Linear,
        clamp: [Clamp::Border; 3],
        border: BorderColor::OpaqueWhite,
        ..Default::default()
    };
    let make = |sampler: SamplerDesc, turn: f32, tiling: ImageTiling| {
        both(|device| {
            let out = device.image(&ImageDesc { width: SIDE, height: SIDE, tiling, ..Default::default() }).unwrap();
            let args = [Arg::Image(&tiles(device)), Arg::Sampler(&device.sampler(&sampler).unwrap()), Arg::Image(&out), Arg::F32(turn)];
            run(device, "image_swirl", "image_swirl", [SIDE, SIDE, 1], [32, 4, 1], &args);
            pixels(&out)
        })
    };
    let optimal = make(sampler, 2.5, ImageTiling::Optimal);
    picture::check("swirl", &optimal, CLOSE);
    assert!(optimal == make(sampler, 2.5, ImageTiling::Linear), "the order in memory changes nothing");
    let unturned = make(SamplerDesc::default(), 0.0, ImageTiling::Optimal);
    let device = Device::new(DeviceConfig::default()).unwrap();
    assert!(unturned == pixels(&tiles(&device)), "a point filter at texel centers is a copy");
}

#[test]
fn plane() {
    let trilinear =
        SamplerDesc { mag: Filter::Linear, min: Filter::Linear, mip: MipFilter::Linear, clamp: [Clamp::Wrap; 3], ..Default::default() };
    let make = |sampler: SamplerDesc, kernel: &str| {
        both(|device| {
            let out = image(device, SIDE, SIDE);
            let args = [Arg::Image(&tiles(device)), Arg::Sampler(&device.sampler(&sampler).unwrap()), Arg::Image(&out)];
            let (grid, group) = match kernel {
                "image_plane" => ([SIDE, SIDE, 1], [16, 16, 1]),
                _ => ([SIDE * 8, SIDE / 8, 1], [64, 1, 1]),
            };
            run(device, "image_plane", kernel, grid, group, &args);
            pixels(&out)
        })
    };
    let point = make(SamplerDesc { clamp: [Clamp::Wrap; 3], ..Default::default() }, "image_plane");
    let smooth = make(trilinear, "image_plane");
    let anisotropic = make(SamplerDesc { max_anisotropy: 16, ..trilinear }, "image_plane");
    let quads = make(SamplerDesc { max_anisotropy: 16, ..trilinear }, "image_plane_quads");
    picture::check("plane-point", &point, CLOSE);
    picture::check("plane-trilinear", &smooth, CLOSE);
    picture::check("plane-anisotropic", &anisotropic, CLOSE);
    picture::check("plane-quads", &quads, CLOSE);
    // Far tiles: a point filter glitters, trilinear is nearly one color, anisotropic is between them.
    let roughness = |p: &Picture| (0..SIDE - 1).map(|x| u32::from(p.at(x, 56)[1].abs_diff(p.at(x + 1, 56)[1]))).sum::<u32>();
    assert!(roughness(&smooth) < roughness(&anisotropic) && roughness(&anisotropic) < roughness(&point));
}

#[test]
fn cube() {
    let picture = both(|device| {
        let desc = ImageDesc { kind: ImageKind::Cube, width: 64, height: 64, depth: 6, ..Default::default() };
        let (cube, out) = (device.image(&desc).unwrap(), image(device, SIDE, SIDE));
        run(device, "image_cube", "image_cube_paint", [64, 64, 6], [8, 8, 1], &[Arg::Image(&cube), Arg::I32(64)]);
        let sampler = device.sampler(&SamplerDesc { mag: Filter::Linear, min: Filter::Linear, ..Default::default() }).unwrap();
        run(
            device,
            "image_cube",
            "image_cube",
            [SIDE, SIDE, 1],
            [16, 16, 1],
            &[Arg::Image(&cube), Arg::Sampler(&sampler), Arg::Image(&out)],
        );
        pixels(&out)
    });
    picture::check("cube", &picture, CLOSE);
}

#[test]
fn volume() {
    let picture = both(|device| {
        let desc = ImageDesc { kind: ImageKind::ThreeD, width: 32, height: 32, depth: 32, ..Default::default() };
        let (volume, out) = (device.image(&desc).unwrap(), image(device, SIDE, SIDE));
        run(device, "image_volume", "image_volume_paint", [32, 32, 32], [8, 8, 4], &[Arg::Image(&volume)]);
        let sampler = SamplerDesc { mag: Filter::Linear, min: Filter::Linear, clamp: [Clamp::Border; 3], ..Default::default() };
        let args = [Arg::Image(&volume), Arg::Sampler(&device.sampler(&sampler).unwrap()), Arg::Image(&out), Arg::F32(FRAC_PI_4)];
        run(device, "image_volume", "image_volume", [SIDE, SIDE, 1], [16, 16, 1], &args);
        pixels(&out)
    });
    picture::check("volume", &picture, CLOSE);
}

#[test]
fn shadow() {
    let make = |filter: Filter| {
        both(|device| {
            let depths = device.image(&ImageDesc { format: ImageFormat::R32Float, width: 64, height: 64, ..Default::default() }).unwrap();
            let out = image(device, SIDE, SIDE);
            run(device, "image_shadow", "image_shadow_depth", [64, 64, 1], [8, 8, 1], &[Arg::Image(&depths)]);
            let sampler = SamplerDesc { mag: filter, min: filter, compare: Compare::LessEqual, ..Default::default() };
            let args = [Arg::Image(&depths), Arg::Sampler(&device.sampler(&sampler).unwrap()), Arg::Image(&out)];
            run(device, "image_shadow", "image_shadow", [SIDE, SIDE, 1], [16, 16, 1], &args);
            pixels(&out)
        })
    };
    let soft = make(Filter::Linear);
    picture::check("shadow", &soft, CLOSE);
    // Hard shadows: a pixel is lit as the one depth of its texel says.
    let hard = make(Filter::Point);
    let discs = [([0.30, 0.35], 0.16, 0.3), ([0.62, 0.55], 0.22, 0.5), ([0.40, 0.76], 0.12, 0.7)];
    for y in 0..SIDE {
        for x in 0..SIDE {
            let texel = [x / 2, y / 2].map(|c| (c as f32 + 0.5) / 64.0);
            let covers =
                |(middle, radius, _): &&([f32; 2], f32, f32)| (0..2).map(|i| (texel[i] - middle[i]).powi(2)).sum::<f32>() < radius * radius;
            let depth = discs.iter().filter(covers).map(|d| d.2).fold(1.0, f32::min);
            let at = [x, y].map(|c| (c as f32 + 0.5) / SIDE as f32);
            let ground = 0.8 - 0.4 * at[0] - 0.01;
            let striped = ((at[0] * 8.0) as u32 + (at[1] * 8.0) as u32) & 1 == 1;
            let light = if ground <= depth { 1.0 } else { 0.35 };
            let wanted = 0.85 * if striped { 0.9 } else { 1.0 } * light * 255.0;
            assert!((f32::from(hard.at(x, y)[0]) - wanted).abs() <= 1.0, "{x} {y}: {} instead of {wanted}", hard.at(x, y)[0]);
        }
    }
}

/// `shaders/data/scene.npy`: f32 after a header of 128 bytes.
fn scene() -> Vec<[[f32; 3]; 3]> {
    let file = std::fs::read(root().join("shaders/data/scene.npy")).unwrap();
    let floats: Vec<f32> = file[128..].chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    floats.chunks_exact(9).map(|t| [0, 3, 6].map(|v| [t[v], t[v + 1], t[v + 2]])).collect()
}

#[test]
fn rays() {
    let triangles = scene();
    let picture = both(|device| {
        let (bvh, out) = (device.bvh(Generation::Gfx11, &triangles).unwrap(), image(device, SIDE, SIDE));
        run(device, "image_rays", "image_rays", [SIDE, SIDE, 1], [8, 8, 1], &[Arg::Bvh(&bvh), Arg::Image(&out)]);
        pixels(&out)
    });
    picture::check("rays", &picture, RAYS);
    // Each triangle tried in turn says which pixels see the sky, whose blue is beyond any lit surface's.
    let wrong = (0..SIDE * SIDE).filter(|i| {
        let (x, y) = (i % SIDE, i / SIDE);
        let at = [x, y].map(|c| ((c as f64 + 0.5) * 2.0 - f64::from(SIDE)) / f64::from(SIDE));
        let to = [at[0] * 0.6, -at[1] * 0.6 - 0.18, 1.0];
        let sky = !triangles.iter().any(|t| hits(t, [0.0, 1.6, -5.0], to));
        sky != is_sky(picture.at(x, y))
    });
    assert!(wrong.count() <= 8, "pixels that see the sky and should not, or the other way round");
}

/// The sky runs from (89, 140, 217) up to (217, 230, 242) on a line; surfaces have less blue.
fn is_sky([r, _, b, _]: [u8; 4]) -> bool {
    b >= 216 && b > r
}

/// Does a ray meet a triangle? (Möller and Trumbore 1997, in doubles.)
fn hits(t: &[[f32; 3]; 3], from: [f64; 3], to: [f64; 3]) -> bool {
    let [a, b, c] = t.map(|v| v.map(f64::from));
    let less = |p: [f64; 3], q: [f64; 3]| [0, 1, 2].map(|i| p[i] - q[i]);
    let dot = |p: [f64; 3], q: [f64; 3]| p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    let cross = |p: [f64; 3], q: [f64; 3]| [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
    let (e1, e2, s) = (less(b, a), less(c, a), less(from, a));
    let (h, q) = (cross(to, e2), cross(s, e1));
    let determinant = dot(e1, h);
    let (u, v, distance) = (dot(s, h) / determinant, dot(to, q) / determinant, dot(e2, q) / determinant);
    determinant != 0.0 && u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0
}
