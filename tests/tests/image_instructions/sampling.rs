//! sample, gather4 and get_lod with every suffix, on an image whose texels say which level and quarter they are of.
//!
//! Level 0 is 8 x 8, level 1 is 4 x 4, each of four quarters of one color. A quad stands in the first quarter, an offset of half the level
//! moves it to the last. Every quad of the wave asks for its level in another way: operands that a suffix adds are what the answer follows.

use crate::scene::{ADDRESS, LANES, Lanes, Picture, S_SHARP, check, set};
use wavejit::ImageFormat;
use wavejit_isa::Gfx;
use wavejit_texture::descriptor::SamplerDescriptor;

const SIZE: u32 = 8;

/// What the texels of a quarter are.
fn color(level: u32, quarter: [u32; 2]) -> f32 {
    0.125 * (1 + quarter[0] + 2 * quarter[1] + 4 * level) as f32
}

/// How a quad asks for a level, and which one it gets.
#[derive(Clone, Copy)]
struct Ask {
    /// Texels of level 0 between neighbors.
    spacing: f32,
    bias: f32,
    lod: f32,
    derivative: f32,
    clamp: f32,
    level: u32,
}

/// Ways to ask that the suffixes of a mnemonic allow.
fn asks(has: impl Fn(&str) -> bool) -> Vec<Ask> {
    let (near, far) = (1.0, 1.96); // levels 0 and 0.97
    let plain = Ask { spacing: near, bias: 0.0, lod: 0.0, derivative: 0.0, clamp: 0.0, level: 0 };
    let ways = if has("lz") {
        vec![Ask { spacing: far, ..plain }]
    } else if has("l") {
        vec![Ask { spacing: far, ..plain }, Ask { lod: 1.0, level: 1, ..plain }]
    } else if has("b") {
        vec![plain, Ask { bias: 1.0, level: 1, ..plain }]
    } else if has("d") || has("cd") {
        vec![Ask { spacing: far, derivative: 1.0, ..plain }, Ask { derivative: 2.0, level: 1, ..plain }]
    } else {
        vec![plain, Ask { spacing: far, level: 1, ..plain }]
    };
    let clamped = ways.iter().filter(|w| has("cl") && w.level == 0).map(|w| Ask { clamp: 1.0, level: 1, ..*w });
    let clamped: Vec<Ask> = clamped.collect();
    ways.into_iter().chain(clamped).collect()
}

/// A sampler that finds the nearest texel and level and compares by `reference <= texel`.
fn sampler(picture: &Picture) -> [u32; 4] {
    let s = SamplerDescriptor { mip_filter: 1, compare: 3, ..SamplerDescriptor::new(picture.generation) };
    s.encode().expect("the test's sampler can be written")
}

/// Texels of level 0 of a lane of a quad.
fn position(lane: usize, spacing: f32) -> [f32; 2] {
    [lane & 1, lane >> 1 & 1].map(|right| 2.0 + (right as f32 - 0.5) * spacing)
}

/// Runs `image_sample*`, `image_gather4*` or `image_get_lod`.
pub(crate) fn run(name: &str, target: Gfx) -> Result<(), String> {
    let suffixes: Vec<&str> = name.split('_').skip(2).collect();
    let has = |s: &str| suffixes.contains(&s);
    let picture = Picture::new(target, ImageFormat::R32Float, SIZE, 2, 1);
    // With a comparison each quad has a twin: the reference is just below the texel, and just above.
    let quads: Vec<(Ask, f32)> = match has("c") {
        true => asks(has).into_iter().flat_map(|a| [(a, -0.0625), (a, 0.0625)]).collect(),
        false => asks(has).into_iter().map(|a| (a, 0.0)).collect(),
    };
    let lanes = 4 * quads.len();
    let mut start = picture.machine(target, lanes);
    start.sregs[S_SHARP..S_SHARP + 4].copy_from_slice(&sampler(&picture));
    picture.fill(&mut start, |level, [x, y], _| {
        let quarter = SIZE >> level >> 1;
        color(level, [x / quarter, y / quarter]).to_bits()
    });

    // GCN-14, IMG-16: offset, bias, reference, derivatives, coordinates, level or its bound.
    let quarter = u32::from(has("o"));
    let seen = |a: &Ask| color(a.level, [quarter; 2]);
    let mut address: Vec<Lanes> = vec![];
    let mut push = |value: &dyn Fn(&Ask, f32, usize) -> u32| {
        address.push(std::array::from_fn(|lane| quads.get(lane / 4).map_or(0, |(ask, nudge)| value(ask, *nudge, lane))))
    };
    if has("o") {
        push(&|a, _, _| (SIZE >> a.level >> 1) * 0x101);
    }
    if has("b") {
        push(&|a, _, _| a.bias.to_bits());
    }
    if has("c") {
        push(&|a, nudge, _| (seen(a) + nudge).to_bits());
    }
    if has("d") || has("cd") {
        let texels = |a: &Ask, n: f32| n * a.derivative / SIZE as f32;
        let halves = |x: f32, y: f32| u32::from(half::f16::from_f32(x).to_bits()) | u32::from(half::f16::from_f32(y).to_bits()) << 16;
        for (x, y) in [(1.0, 0.0), (0.0, 1.0)] {
            if has("g16") {
                push(&|a, _, _| halves(texels(a, x), texels(a, y)));
            } else {
                push(&|a, _, _| texels(a, x).to_bits());
                push(&|a, _, _| texels(a, y).to_bits());
            }
        }
    }
    for axis in 0..2 {
        push(&|a, _, lane| (position(lane, a.spacing)[axis] / SIZE as f32).to_bits());
    }
    if has("l") {
        push(&|a, _, _| a.lod.to_bits());
    }
    if has("cl") {
        push(&|a, _, _| a.clamp.to_bits());
    }
    address.iter().enumerate().for_each(|(n, lanes)| set(&mut start, ADDRESS + n, lanes));

    let results = if name.contains("gather4") { 4 } else { 1 };
    let mut expected = start.clone();
    for tap in 0..results {
        let found = expected.vgpr_mut(tap);
        for (lane, found) in found.iter_mut().enumerate().take(lanes) {
            let (ask, nudge) = &quads[lane / 4];
            let mut texel = seen(ask);
            if name.starts_with("image_gather4h") {
                // A row of four from the left texel of the footprint, wrapped.
                let size = SIZE >> ask.level;
                let [x, y] = position(lane, ask.spacing).map(|p| (p * size as f32 / SIZE as f32 - 0.5).floor() as u32);
                texel = color(ask.level, [(x + tap as u32) % size, y].map(|at| at / (size / 2)));
            }
            let value = if has("c") { f32::from(u8::from(*nudge < 0.0)) } else { texel };
            *found = value.to_bits();
        }
    }
    check(&text(name, target, results, address.len(), "dmask:0x1"), target, &start, &expected)
}

/// get_lod: the level within the image, and the one asked for.
pub(crate) fn run_get_lod(name: &str, target: Gfx) -> Result<(), String> {
    let picture = Picture::new(target, ImageFormat::R32Float, SIZE, 2, 1);
    let mut start = picture.machine(target, 4);
    start.sregs[S_SHARP..S_SHARP + 4].copy_from_slice(&sampler(&picture));
    for axis in 0..2 {
        set(&mut start, ADDRESS + axis, &std::array::from_fn(|lane| (position(lane, 4.0)[axis] / SIZE as f32).to_bits()));
    }
    let mut expected = start.clone();
    for (register, level) in [(0, 1f32), (1, 2f32)] {
        expected.vgpr_mut(register)[..4].fill(level.to_bits());
    }
    check(&text(name, target, 2, 2, "dmask:0x3"), target, &start, &expected)
}

/// msaa_load: four fragments of a texel.
pub(crate) fn run_msaa_load(name: &str, target: Gfx) -> Result<(), String> {
    let picture = Picture::new(target, ImageFormat::R32Float, SIZE, 1, 4);
    let mut start = picture.machine(target, 4);
    let texel = |[x, y]: [u32; 2], sample: u32| (x + 8 * y + 64 * sample) as f32;
    picture.fill(&mut start, |_, at, sample| texel(at, sample).to_bits());
    let at = |lane: u32| [lane, 2 * lane];
    for axis in 0..2 {
        set(&mut start, ADDRESS + axis, &std::array::from_fn(|lane| at(lane as u32 & 3)[axis]));
    }
    let mut expected = start.clone();
    for sample in 0..4 {
        for lane in 0..4 {
            expected.vgpr_mut(sample)[lane] = texel(at(lane as u32), sample as u32).to_bits();
        }
    }
    let addresses = crate::addresses(target, 3, crate::AddressKind::Sampler);
    // LLVM 19 counts the results of gfx10.3 by dmask, though there are four whatever it is.
    let data = if target.0 < 0x1100 { "v0" } else { "v[0:3]" };
    let text = format!("{name} {data}, {addresses}, s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA{}", crate::unorm(target));
    check(&text, target, &start, &expected)
}

fn text(name: &str, target: Gfx, results: usize, addresses: usize, dmask: &str) -> String {
    let data = if results == 1 { "v0".into() } else { format!("v[0:{}]", results - 1) };
    let addresses = crate::addresses(target, addresses, crate::AddressKind::Sampler);
    format!("{name} {data}, {addresses}, s[8:15], s[16:19] {dmask}{}", crate::dim(target))
}

const _: () = assert!(LANES == 64);
