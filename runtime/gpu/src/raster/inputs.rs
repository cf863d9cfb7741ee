//! What pixel waves start with: SGPRs, VGPRs, parameters in LDS (INIT-05, INIT-06, INIT-09 to INIT-11; graphics.md 4.5, 4.6).

use super::block::{Block, PLACES, Sums, is_constant};
use super::export::LANES;
use super::packers::Packers;
use super::shape::{Plane, Shape};
use super::tile::Quad;
use crate::draw::primitives::{Attributes, Batch};
use crate::registers::pixel::{AttributeSource, Location, PixelState};
use crate::registers::raster::RasterState;
use wavejit::AddressSpace;
use wavejit::stage::WaveStart;

/// Most primitives of a wave.
pub(crate) const WAVE_PRIMITIVES: usize = 16;
/// Bytes of an attribute of a primitive: three values of four components.
pub(crate) const ATTRIBUTE_BYTES: usize = 48;

/// Parameters of a batch's vertices, copied from the attribute ring.
#[derive(Default)]
pub(crate) struct Parameters {
    words: Vec<u32>,
    params: u32,
}

impl Parameters {
    /// Reads all that vertices and primitives of a batch have stored.
    pub(crate) fn read(memory: &AddressSpace, batch: &Batch) -> Result<Parameters, wavejit::Error> {
        let Attributes { ring, params, prim_params } = batch.attributes;
        let primitives = batch.primitives.last().filter(|_| prim_params != 0).map_or(0, |p| usize::from(p.number) + 1);
        let blocks = batch.vertices.len().max(primitives).div_ceil(32);
        let mut bytes = vec![0; blocks * 512 * params as usize];
        if !bytes.is_empty() {
            memory.read(ring, &mut bytes)?;
        }
        let words = bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        Ok(Parameters { words, params })
    }

    /// The four dwords of a parameter of a vertex, or of a primitive; 0 if it has no such one.
    fn get(&self, param: u32, vertex: u16) -> [u32; 4] {
        if param >= self.params {
            return [0; 4];
        }
        let (block, within) = (usize::from(vertex) / 32, usize::from(vertex) % 32);
        let at = block * 128 * self.params as usize + param as usize * 128 + within * 4;
        self.words.get(at..at + 4).map_or([0; 4], |w| [w[0], w[1], w[2], w[3]])
    }
}

/// What all waves of a draw have in common.
pub(crate) struct Inputs<'a> {
    pub pixel: &'a PixelState,
    pub raster: &'a RasterState,
    pub shapes: &'a [Shape],
    pub parameters: &'a [Parameters],
    pub packers: &'a Packers,
    /// Bytes of LDS of each wave.
    pub lds_bytes: u32,
}

/// Planes of a shape in floats, from the tile's corner on.
#[derive(Clone, Copy, Default)]
struct Local {
    x: f32,
    y: f32,
    c: f32,
}

impl Local {
    fn of(plane: &Plane, origin: [i32; 2]) -> Local {
        Local { x: plane.x as f32, y: plane.y as f32, c: plane.at(f64::from(origin[0]), f64::from(origin[1])) as f32 }
    }
}

/// A row of floats for each lane.
type Row = [f32; LANES];

/// A wave that is about to start.
struct Wave<'a> {
    inputs: &'a Inputs<'a>,
    quads: &'a [Quad],
    origin: [i32; 2],
    /// For each quad: which of the wave's primitives.
    of_quad: [u8; WAVE_PRIMITIVES],
    /// The wave's primitives: numbers of shapes.
    primitives: [u32; WAVE_PRIMITIVES],
    count: usize,
}

impl Inputs<'_> {
    /// Starts a wave of a chunk, of quads that are all of one tile.
    pub(crate) fn start(&self, origin: [i32; 2], number: u32, quads: &[Quad], start: &mut WaveStart<'_>) {
        let mut wave = Wave { inputs: self, quads, origin, of_quad: [0; WAVE_PRIMITIVES], primitives: [0; WAVE_PRIMITIVES], count: 0 };
        let mut starts = 0u32;
        for (q, quad) in quads.iter().enumerate() {
            if q == 0 || quad.shape != wave.primitives[wave.count - 1] {
                wave.primitives[wave.count] = quad.shape;
                wave.count += 1;
                starts |= 1 << q;
            }
            wave.of_quad[q] = wave.count as u8 - 1;
        }
        let lds_offset = number * self.lds_bytes;
        wave.sgprs(starts, lds_offset, start);
        let lanes = quads.iter().enumerate().fold(0u64, |exec, (q, quad)| {
            let pixels = (0..4).filter(|p| quad.coverage >> (8 * p) & 0xff != 0).fold(0u64, |m, p| m | 1 << p);
            exec | pixels << (4 * q)
        });
        start.set_exec(lanes);
        wave.registers(start);
        wave.parameters(start.lds().get_mut(lds_offset as usize..).unwrap_or_default());
    }

    /// Starts the wave of a block. `number`: of the wave in whose place in LDS its parameters are; `is_first`: it is that wave.
    #[inline(always)]
    pub(crate) fn start_block(&self, origin: [i32; 2], number: u32, is_first: bool, block: &Block, start: &mut WaveStart<'_>) {
        let mut wave = Wave { inputs: self, quads: &[], origin, of_quad: [0; WAVE_PRIMITIVES], primitives: [0; WAVE_PRIMITIVES], count: 1 };
        wave.primitives[0] = block.shape;
        let lds_offset = number * self.lds_bytes;
        wave.sgprs(1, lds_offset, start);
        start.set_exec(block.lanes >> block.first);
        wave.block_registers(block, start);
        if is_first {
            wave.parameters(start.lds().get_mut(lds_offset as usize..).unwrap_or_default());
        }
    }
}

impl Wave<'_> {
    fn shape(&self, n: usize) -> &Shape {
        &self.inputs.shapes[self.primitives[n] as usize]
    }

    /// `starts`: quads that start a primitive, one bit each.
    fn sgprs(&self, starts: u32, lds_offset: u32, start: &mut WaveStart<'_>) {
        let Inputs { pixel, raster, packers, .. } = self.inputs;
        // {prim_mask[30:16], lds_offset[15:0]}: bit 15 + q says that quad q starts a primitive, which quad 0 always does.
        let word = (starts & !1) << 15 | lds_offset;
        let user = &pixel.user_data;
        start.set_sgprs(0, user);
        let mut sgprs = [word, 0, 0];
        let mut count = 1;
        if pixel.has_wave_id() {
            sgprs[count] = packers.next_wave(self.origin);
            count += 1;
        }
        if pixel.has_provoking_word() {
            // Two bits for each primitive: which of its corners it is.
            let last = |n: usize| u32::from(self.shape(n).kind - 1);
            let word = (0..self.count).fold(0, |word, n| word | last(n) << (2 * n));
            sgprs[count] = if raster.provoking_is_last { word } else { 0 };
            count += 1;
        }
        start.set_sgprs(user.len(), &sgprs[..count]);
    }

    /// What the lanes of a block get, in draws with one sample in the middle of each pixel.
    #[inline(always)]
    fn block_registers(&self, block: &Block, start: &mut WaveStart<'_>) {
        let pixel = self.inputs.pixel;
        let (shape, first) = (self.shape(0), block.first);
        let origin = self.origin;
        let has = |term: usize| pixel.first_vgpr[term].filter(|_| pixel.has(term)).map(|r| r as usize);
        let sums = |plane: &Plane| {
            let l = Local::of(plane, origin);
            Sums::of(l.c, l.x, l.y, block.place)
        };
        let lanes = start.lanes();
        // Sample, center and centroid are all the same place: terms 0 to 2, and without perspective 4 to 6.
        for term in 0..3 {
            let Some(to) = has(term) else { continue };
            let [i, j, w] = &shape.perspective;
            if is_constant(w) {
                let w = 1.0 / Local::of(w, origin).c;
                sums(i).put(first, start.vgpr(to), |v| v * w);
                sums(j).put(first, start.vgpr(to + 1), |v| v * w);
            } else {
                let w = sums(w).reciprocals(first, lanes);
                sums(i).put_products(first, start.vgpr(to), &w);
                sums(j).put_products(first, start.vgpr(to + 1), &w);
            }
        }
        for term in 4..7 {
            let Some(to) = has(term) else { continue };
            sums(&shape.linear[0]).put(first, start.vgpr(to), |v| v);
            sums(&shape.linear[1]).put(first, start.vgpr(to + 1), |v| v);
        }
        if let Some(to) = has(3) {
            (0..3).for_each(|n| sums(&shape.perspective[n]).put(first, start.vgpr(to + n), |v| v));
        }
        for d in 0..2 {
            if let Some(to) = has(8 + d) {
                let origin = self.origin[d] as f32;
                let [x, y] = [[1.0, 0.0], [0.0, 1.0]][d];
                Sums::of(0.0, x, y, block.place).put(first, start.vgpr(to), |v| v + origin);
            }
        }
        if let Some(to) = has(10) {
            sums(&shape.depth).put(first, start.vgpr(to), |v| v);
        }
        if let Some(to) = has(11) {
            sums(&shape.perspective[2]).put(first, start.vgpr(to), |v| 1.0 / v);
        }
        if let Some(to) = has(12) {
            start.vgpr(to).fill(self.face(shape));
        }
        if let Some(to) = has(13) {
            start.vgpr(to).fill(u32::from(shape.kind - 1) | u32::from(shape.layer) << 16);
        }
        if let Some(to) = has(14) {
            start.vgpr(to).iter_mut().zip(first..).for_each(|(to, lane)| *to = (block.all >> lane) as u32 & 1);
        }
        if let Some(to) = has(15) {
            let [x, y] = [0, 1].map(|d| self.origin[d] as u32 + u32::from(block.place[d]));
            let places = &PLACES[usize::from(first)..];
            start.vgpr(to).iter_mut().zip(places).for_each(|(to, p)| *to = (x + u32::from(p[0])) & 0xffff | (y + u32::from(p[1])) << 16);
        }
    }

    /// FRONT_FACE of a shape.
    fn face(&self, shape: &Shape) -> u32 {
        match (self.inputs.pixel.front_is_mask, shape.is_front) {
            (true, true) => u32::MAX,
            (true, false) => 0,
            (false, true) => 1.0f32.to_bits(),
            (false, false) => (-1.0f32).to_bits(),
        }
    }

    /// Where in the tile each lane is, in pixels.
    fn places(&self, location: Location) -> [Row; 2] {
        let mut places = [[0.5; LANES]; 2];
        for (q, quad) in self.quads.iter().enumerate() {
            for p in 0..4 {
                let [dx, dy] = match location {
                    Location::Center => [0, 0],
                    Location::Sample => self.inputs.sample_place(quad, p),
                    Location::Centroid => self.inputs.centroid(quad, p),
                };
                places[0][4 * q + p] = f32::from(quad.place[0]) + (p & 1) as f32 + 0.5 + dx as f32 / 16.0;
                places[1][4 * q + p] = f32::from(quad.place[1]) + (p >> 1) as f32 + 0.5 + dy as f32 / 16.0;
            }
        }
        places
    }

    /// A plane of each lane's primitive at its place.
    fn evaluate(&self, plane: impl Fn(&Shape) -> Plane, [x, y]: &[Row; 2]) -> Row {
        let mut row = [0.0; LANES];
        let mut locals = [Local::default(); WAVE_PRIMITIVES];
        for (n, local) in locals.iter_mut().enumerate().take(self.count) {
            *local = Local::of(&plane(self.shape(n)), self.origin);
        }
        for q in 0..self.quads.len() {
            let l = locals[usize::from(self.of_quad[q])];
            for lane in 4 * q..4 * q + 4 {
                row[lane] = l.c + l.x * x[lane] + l.y * y[lane];
            }
        }
        row
    }

    /// A dword for each lane, of its quad and pixel.
    fn each(&self, value: impl Fn(&Quad, &Shape, usize) -> u32) -> [u32; LANES] {
        let mut row = [0; LANES];
        for (q, quad) in self.quads.iter().enumerate() {
            let shape = self.shape(usize::from(self.of_quad[q]));
            (0..4).for_each(|p| row[4 * q + p] = value(quad, shape, p));
        }
        row
    }

    fn registers(&self, start: &mut WaveStart<'_>) {
        let pixel = self.inputs.pixel;
        let lanes = 4 * self.quads.len();
        let mut put = |term: usize, n: u32, row: &Row| {
            if let Some(first) = pixel.first_vgpr[term] {
                let to = &mut start.vgpr((first + n) as usize)[..lanes];
                to.iter_mut().zip(row).for_each(|(to, v)| *to = v.to_bits());
            }
        };
        let center_of = |n: usize| if pixel.centers_at_centroid[n] { Location::Centroid } else { Location::Center };
        let terms = [
            (0, Location::Sample, true),
            (1, center_of(0), true),
            (2, Location::Centroid, true),
            (4, Location::Sample, false),
            (5, center_of(1), false),
            (6, Location::Centroid, false),
        ];
        for (term, location, has_perspective) in terms {
            if !pixel.has(term) {
                continue;
            }
            let places = self.places(location);
            if has_perspective {
                let w = self.evaluate(|s| s.perspective[2], &places).map(|q| 1.0 / q);
                for n in 0..2 {
                    let mut row = self.evaluate(|s| s.perspective[n], &places);
                    row.iter_mut().zip(&w).for_each(|(v, w)| *v *= w);
                    put(term, n as u32, &row);
                }
            } else {
                (0..2).for_each(|n| put(term, n as u32, &self.evaluate(|s| s.linear[n], &places)));
            }
        }
        let needs_position = [3, 8, 9, 10, 11].iter().any(|t| pixel.has(*t));
        if needs_position {
            let center = self.places(Location::Center);
            if pixel.has(3) {
                (0..3).for_each(|n| put(3, n as u32, &self.evaluate(|s| s.perspective[n], &center)));
            }
            let at = if pixel.position == Location::Center { center } else { self.places(pixel.position) };
            for (d, (row, origin)) in at.iter().zip(self.origin).enumerate().filter(|(d, _)| pixel.has(8 + d)) {
                put(8 + d, 0, &row.map(|v| v + origin as f32));
            }
            if pixel.has(10) {
                put(10, 0, &self.evaluate(|s| s.depth, &at));
            }
            if pixel.has(11) {
                // w itself: compilers take its reciprocal for gl_FragCoord.w, which is 1 / w.
                put(11, 0, &self.evaluate(|s| s.perspective[2], &at).map(|q| 1.0 / q));
            }
        }
        let mut put_bits = |term: usize, row: [u32; LANES]| {
            if let Some(first) = pixel.first_vgpr[term] {
                start.vgpr(first as usize)[..lanes].copy_from_slice(&row[..lanes]);
            }
        };
        if pixel.has(12) {
            put_bits(12, self.each(|_, shape, _| self.face(shape)));
        }
        if pixel.has(13) {
            let word = |quad: &Quad, shape: &Shape, _: usize| {
                u32::from(shape.kind - 1) | u32::from(quad.sample) << 8 | u32::from(shape.layer) << 16
            };
            put_bits(13, self.each(word));
        }
        if pixel.has(14) {
            put_bits(14, self.each(|quad, _, p| quad.all >> (8 * p) & 0xff));
        }
        if pixel.has(15) {
            let place = |quad: &Quad, _: &Shape, p: usize| {
                let x = self.origin[0] as u32 + u32::from(quad.place[0]) + (p as u32 & 1);
                let y = self.origin[1] as u32 + u32::from(quad.place[1]) + (p as u32 >> 1);
                x & 0xffff | y << 16
            };
            put_bits(15, self.each(place));
        }
    }

    /// P0, P1 - P0 and P2 - P0 of every attribute of every primitive: attribute a of primitive p is at `(a * count + p) * 48`.
    fn parameters(&self, lds: &mut [u8]) {
        let count = self.count;
        for (a, source) in self.inputs.pixel.attributes.iter().enumerate() {
            for p in 0..count {
                let values = self.values(*source, p);
                let at = (a * count + p) * ATTRIBUTE_BYTES;
                let Some(to) = lds.get_mut(at..at + ATTRIBUTE_BYTES) else { return };
                to.as_chunks_mut::<4>().0.iter_mut().zip(values.as_flattened()).for_each(|(to, v)| *to = v.to_le_bytes());
            }
        }
    }

    fn values(&self, source: AttributeSource, p: usize) -> [[u32; 4]; 3] {
        let shape = self.shape(p);
        let of = |param: u32, corner: usize| self.inputs.parameters[shape.batch as usize].get(param, shape.corners[corner]);
        let minus =
            |a: [u32; 4], b: [u32; 4]| -> [u32; 4] { std::array::from_fn(|c| (f32::from_bits(a[c]) - f32::from_bits(b[c])).to_bits()) };
        match source {
            AttributeSource::Interpolated(param) => {
                let first = of(param, 0);
                [first, minus(of(param, 1), first), minus(of(param, 2), first)]
            }
            AttributeSource::Flat(param) => {
                let corner = if self.inputs.raster.provoking_is_last { usize::from(shape.kind) - 1 } else { 0 };
                [of(param, corner), [0; 4], [0; 4]]
            }
            AttributeSource::Explicit(param) => [0, 1, 2].map(|corner| of(param, corner)),
            AttributeSource::Constant(value) => [value.map(f32::to_bits), [0; 4], [0; 4]],
            AttributeSource::Sprite => self.sprite(shape),
            AttributeSource::Primitive(param) => [self.inputs.parameters[shape.batch as usize].get(param, shape.primitive), [0; 4], [0; 4]],
        }
    }

    /// I and J of a point are its coordinates; of anything else they are 0.
    fn sprite(&self, shape: &Shape) -> [[u32; 4]; 3] {
        let pixel = self.inputs.pixel;
        let mut values = [[0.0f32; 4]; 3];
        for (c, select) in pixel.sprite.into_iter().enumerate() {
            match select {
                1 => values[0][c] = 1.0,
                2 if shape.kind == 1 => values[1][c] = 1.0,
                3 if shape.kind == 1 && pixel.sprite_is_from_below => (values[0][c], values[2][c]) = (1.0, -1.0),
                3 if shape.kind == 1 => values[2][c] = 1.0,
                _ => {}
            }
        }
        values.map(|v| v.map(f32::to_bits))
    }
}

impl Inputs<'_> {
    /// Of the sample that a quad is for, in 1/16 pixel from the center.
    fn sample_place(&self, quad: &Quad, pixel: usize) -> [i32; 2] {
        self.raster.sample_places[pixel][usize::from(quad.sample)]
    }

    /// The center, if no or all samples are covered, or else the first covered sample.
    fn centroid(&self, quad: &Quad, pixel: usize) -> [i32; 2] {
        let covered = quad.all >> (8 * pixel) & 0xff;
        if covered == 0 || covered == (1 << self.raster.samples) - 1 {
            return [0, 0];
        }
        let order = self.raster.centroid_order;
        let first = order.into_iter().find(|s| covered >> s & 1 != 0).unwrap_or(covered.trailing_zeros() as u8);
        self.raster.sample_places[pixel][usize::from(first)]
    }
}
