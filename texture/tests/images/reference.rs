//! A second sampler, written from the rules alone: double precision, no state, no tricks, nothing of the crate.
//!
//! Where the rules prescribe 8-bit fixed point (weights, levels), values that lie within a hair of a rounding boundary are reported as
//! [`Ambiguous`] instead of guessed: single and double precision may fall to different sides there.

/// Too close to a rounding boundary to be compared.
#[derive(Debug)]
pub(crate) struct Ambiguous;

/// Texels of a level: [layer or slice][row][column], R, G, B, A.
pub(crate) struct Level {
    pub size: [i64; 3],
    pub texels: Vec<[f64; 4]>,
}

impl Level {
    fn at(&self, [x, y, z]: [i64; 3]) -> [f64; 4] {
        self.texels[((z * self.size[1] + y) * self.size[0] + x) as usize]
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ImageKind {
    Line,
    Plane,
    Layers,
    Volume,
    Cube,
}

pub(crate) struct Image {
    pub kind: ImageKind,
    pub levels: Vec<Level>,
}

pub(crate) struct Sampler {
    pub clamp: [u8; 3],
    pub mag_linear: bool,
    pub min_linear: bool,
    /// 0 as the others, 1 point, 2 linear.
    pub z_filter: u8,
    /// 0 none, 1 point, 2 linear.
    pub mip: u8,
    pub min_lod: f64,
    pub max_lod: f64,
    pub bias: f64,
    pub truncate: bool,
    pub unnormalized: bool,
    pub border: [f64; 4],
    /// 0 blend, 1 minimum, 2 maximum.
    pub reduction: u8,
    pub compare: Option<u8>,
}

/// Level of detail of a request.
pub(crate) enum Lod {
    Explicit(f32),
    Derivatives { h: [f32; 3], v: [f32; 3], bias: f32 },
}

pub(crate) struct Request {
    pub coordinates: [f32; 3],
    pub lod: Lod,
    pub least: Option<f32>,
    pub offset: [i32; 3],
    pub reference: f32,
}

/// To a grid of 1/256, nearest.
fn grid(x: f64) -> Result<f64, Ambiguous> {
    let scaled = x * 256.0;
    let from_tie = ((scaled - scaled.floor()) - 0.5).abs();
    if from_tie < 2e-7 * scaled.abs() + 5e-4 && from_tie != 0.0 {
        return Err(Ambiguous);
    }
    Ok(scaled.round_ties_even() / 256.0)
}

/// Index in a level of `n` texels; `None`: border.
fn wrap(i: i64, mode: u8, n: i64) -> Option<i64> {
    let mirrored = if i < 0 { -i - 1 } else { i };
    let inside = |i: i64| (i >= 0 && i < n).then_some(i);
    match mode {
        0 => Some(((i % n) + n) % n),
        1 => {
            // walk the pattern 0 1 .. n-1 n-1 .. 1 0
            let p = ((i % (2 * n)) + 2 * n) % (2 * n);
            Some(if p >= n { 2 * n - p - 1 } else { p })
        }
        2 => Some(i.max(0).min(n - 1)),
        3 => Some(mirrored.min(n - 1)),
        4..=6 => inside(i),
        _ => inside(mirrored),
    }
}

type Tap = (i64, f64);

/// Taps along one axis before the wrap, with weights.
fn taps(s: f32, offset: i32, linear: bool, mode: u8, n: i64, sampler: &Sampler) -> Result<Vec<Tap>, Ambiguous> {
    let texels = if sampler.unnormalized { s } else { s * n as f32 }; // a single-precision product, as the rule has it
    let mut u = f64::from(texels);
    if !linear {
        let i = if sampler.truncate { u.floor() } else { grid(u)?.floor() } + f64::from(offset);
        let i = match mode {
            4 => i.max(0.0).min(n as f64 - 1.0),
            5 => (if i < 0.0 { -1.0 - i } else { i }).min(n as f64 - 1.0),
            _ => i,
        };
        return Ok(vec![(i as i64, 1.0)]);
    }
    u = grid(u - 0.5)? + 0.5 + f64::from(offset);
    match mode {
        4 => u = u.max(0.0).min(n as f64),
        5 => u = u.abs().min(n as f64),
        _ => {}
    }
    let first = (u - 0.5).floor();
    let weight = u - 0.5 - first;
    Ok([(first as i64, 1.0 - weight), (first as i64 + 1, weight)].into_iter().filter(|(_, w)| *w != 0.0).collect())
}

/// Direction of a point of a cube face, s and t from -1 to 1.
fn direction(face: i64, s: f64, t: f64) -> [f64; 3] {
    [[1.0, -t, -s], [-1.0, -t, s], [s, 1.0, t], [s, -1.0, -t], [s, -t, 1.0], [-s, -t, -1.0]][face as usize]
}

/// Face and its s, t of a direction: the cube instructions' table.
fn face_of([x, y, z]: [f64; 3]) -> (i64, f64, f64) {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    if az >= ax && az >= ay {
        if z < 0.0 { (5, -x / az, -y / az) } else { (4, x / az, -y / az) }
    } else if ay >= ax {
        if y < 0.0 { (3, x / ay, -z / ay) } else { (2, x / ay, z / ay) }
    } else if x < 0.0 {
        (1, z / ax, -y / ax)
    } else {
        (0, -z / ax, -y / ax)
    }
}

fn cube_texel(level: &Level, cube: i64, face: i64, x: i64, y: i64) -> Option<[f64; 4]> {
    let n = level.size[0];
    let outside = |i: i64| i < 0 || i >= n;
    if outside(x) && outside(y) {
        return None;
    }
    let to = |i: i64| (2.0 * i as f64 + 1.0) / n as f64 - 1.0;
    let (face, s, t) = if outside(x) || outside(y) { face_of(direction(face, to(x), to(y))) } else { (face, to(x), to(y)) };
    let back = |s: f64| (((s + 1.0) / 2.0 * n as f64).floor() as i64).max(0).min(n - 1);
    Some(level.at([back(s), back(t), cube * 6 + face]))
}

fn passes(function: u8, reference: f64, texel: f64) -> f64 {
    let result = match function {
        0 => false,
        1 => reference < texel,
        2 => reference == texel,
        3 => reference <= texel,
        4 => reference > texel,
        5 => reference != texel,
        6 => reference >= texel,
        _ => true,
    };
    f64::from(u8::from(result))
}

/// Adds up weighted values, or finds their minimum or maximum.
fn combine(values: &[(f64, [f64; 4])], reduction: u8) -> [f64; 4] {
    let mut out = [0.0; 4];
    for c in 0..4 {
        let all = values.iter().map(|(w, v)| (*w, v[c]));
        out[c] = match reduction {
            0 => all.map(|(w, v)| w * v).sum(),
            1 => all.map(|(_, v)| v).fold(f64::INFINITY, f64::min),
            _ => all.map(|(_, v)| v).fold(f64::NEG_INFINITY, f64::max),
        };
    }
    out
}

fn level(image: &Image, sampler: &Sampler, request: &Request, number: usize, linear: bool) -> Result<[f64; 4], Ambiguous> {
    let level = &image.levels[number];
    let [w, h, d] = level.size;
    let [s, t, r] = request.coordinates;
    let compared = |texel: [f64; 4]| match sampler.compare {
        Some(function) => [passes(function, f64::from(request.reference), texel[0]); 4],
        None => texel,
    };
    let mut values = vec![];
    if image.kind == ImageKind::Cube {
        let id = f64::from(r).round_ties_even().max(0.0) as i64;
        let face = (id % 8).min(5);
        let cube = (id / 8).min(d / 6 - 1);
        let along = |c: f32| taps(c - 1.0, 0, linear, 4, w, sampler);
        for (y, wy) in along(t)? {
            for (x, wx) in along(s)? {
                let texel = match cube_texel(level, cube, face, x, y) {
                    Some(texel) => compared(texel),
                    None => {
                        let (xi, yi) = (x.max(0).min(w - 1), y.max(0).min(w - 1));
                        let three = [(xi, yi), (x, yi), (xi, y)];
                        let three =
                            three.map(|(x, y)| (1.0 / 3.0, compared(cube_texel(level, cube, face, x, y).expect("next to a corner"))));
                        combine(&three, 0)
                    }
                };
                values.push((wx * wy, texel));
            }
        }
        return Ok(combine(&values, sampler.reduction));
    }
    let xs = taps(s, request.offset[0], linear, sampler.clamp[0], w, sampler)?;
    let ys = if image.kind == ImageKind::Line { vec![(0, 1.0)] } else { taps(t, request.offset[1], linear, sampler.clamp[1], h, sampler)? };
    let z_linear = match sampler.z_filter {
        1 => false,
        2 => true,
        _ => linear,
    };
    let zs = match image.kind {
        ImageKind::Volume => taps(r, request.offset[2], z_linear, sampler.clamp[2], d, sampler)?,
        ImageKind::Layers => {
            let layer = if sampler.truncate { f64::from(r).trunc() } else { f64::from(r).round_ties_even() };
            vec![((layer as i64).max(0).min(d - 1), 1.0)]
        }
        _ => vec![(0, 1.0)],
    };
    for &(z, wz) in &zs {
        for &(y, wy) in &ys {
            for &(x, wx) in &xs {
                let x = wrap(x, sampler.clamp[0], w);
                let y = if image.kind == ImageKind::Line { Some(0) } else { wrap(y, sampler.clamp[1], h) };
                let z = if image.kind == ImageKind::Volume { wrap(z, sampler.clamp[2], d) } else { Some(z) };
                let texel = match (x, y, z) {
                    (Some(x), Some(y), Some(z)) => level.at([x, y, z]),
                    _ => sampler.border,
                };
                values.push((wx * wy * wz, compared(texel)));
            }
        }
    }
    Ok(combine(&values, sampler.reduction))
}

/// The level of detail after all limits.
pub(crate) fn lambda(image: &Image, sampler: &Sampler, request: &Request) -> Result<f64, Ambiguous> {
    let mut lambda = match request.lod {
        Lod::Explicit(lod) => grid(f64::from(lod))? + sampler.bias,
        Lod::Derivatives { h, v, bias } => {
            let size = image.levels[0].size;
            let axes = match image.kind {
                ImageKind::Line => 1,
                ImageKind::Volume => 3,
                _ => 2,
            };
            let length = |d: [f32; 3]| {
                (0..axes).map(|n| (f64::from(d[n]) * if sampler.unnormalized { 1.0 } else { size[n] as f64 }).powi(2)).sum::<f64>().sqrt()
            };
            let rho = length(h).max(length(v));
            let base = if rho == 0.0 { f64::NEG_INFINITY } else { grid(rho.log2())? };
            base + grid(f64::from(bias))? + sampler.bias
        }
    };
    if let Some(least) = request.least {
        lambda = lambda.max(grid(f64::from(least))?);
    }
    Ok(lambda.max(sampler.min_lod).min(sampler.max_lod))
}

/// One filtered value.
pub(crate) fn sample(image: &Image, sampler: &Sampler, request: &Request) -> Result<[f64; 4], Ambiguous> {
    let lambda = lambda(image, sampler, request)?;
    let linear = if lambda <= 0.0 { sampler.mag_linear } else { sampler.min_linear };
    let last = if sampler.unnormalized { 0.0 } else { image.levels.len() as f64 - 1.0 };
    let clamped = lambda.max(0.0).min(last);
    match sampler.mip {
        0 => level(image, sampler, request, 0, linear),
        1 => level(image, sampler, request, (clamped + 0.5).floor().min(last) as usize, linear),
        _ => {
            let (near, part) = (clamped.floor(), clamped - clamped.floor());
            let first = level(image, sampler, request, near as usize, linear)?;
            if part == 0.0 {
                return Ok(first);
            }
            let second = level(image, sampler, request, near as usize + 1, linear)?;
            Ok(combine(&[(1.0 - part, first), (part, second)], sampler.reduction))
        }
    }
}
