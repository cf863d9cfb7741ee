//! Vertices to primitives: lists, strips and fans, with and without adjacent vertices.
//!
//! The vertices of a primitive are in an order in which the provoking one is first, or last where PROVOKING_VTX_LAST says so, and which keeps its
//! orientation. Reference: Vulkan specification, "Primitive Topologies", whose order of vertices this is.

use super::indices::{Index, Indices};
use crate::error::Refusal;
use crate::registers::geometry::Topology;

/// Vertices of a primitive: as many as its topology has.
pub(crate) type Corners = [u32; 6];

/// Makes primitives of a draw's vertices, in order.
pub(crate) struct Assembler {
    topology: Topology,
    provokes_last: bool,
    /// Place of the next index.
    at: u32,
    /// Vertices of the list's primitive, or of the strip, as far as they are needed.
    window: Vec<u32>,
    /// Vertices of the strip before the window's first one: adjacent strips need the whole window.
    passed: u32,
}

impl Assembler {
    /// From the first index on.
    pub(crate) fn new(topology: Topology, provokes_last: bool) -> Assembler {
        Assembler { topology, provokes_last, at: 0, window: Vec::with_capacity(8), passed: 0 }
    }

    /// The next primitive; `None` after the last one.
    pub(crate) fn next(&mut self, indices: &mut Indices) -> Result<Option<Corners>, Refusal> {
        loop {
            let next = if self.at < indices.count() { Some(indices.get(self.at)?) } else { None };
            let ends = !matches!(next, Some(Index::Vertex(_)));
            if self.topology == Topology::TriangleStripAdjacent
                && let Some(corners) = self.adjacent_strip(ends)
            {
                return Ok(Some(corners));
            }
            match next {
                None => return Ok(None),
                Some(Index::Restart) => {
                    self.at += 1;
                    self.window.clear();
                    self.passed = 0;
                }
                Some(Index::Vertex(v)) => {
                    self.at += 1;
                    self.window.push(v);
                    if let Some(corners) = self.complete() {
                        return Ok(Some(corners));
                    }
                }
            }
        }
    }

    /// Was the last primitive the first line of a strip?
    pub(crate) fn begins_lines(&self) -> bool {
        self.topology == Topology::LineStrip && self.passed == 1
    }

    /// A primitive that the last vertex has completed.
    fn complete(&mut self) -> Option<Corners> {
        use Topology::*;
        let n = self.topology.vertices();
        if self.window.len() < n || self.topology == TriangleStripAdjacent {
            return None;
        }
        let w = &self.window;
        let mut corners = [0; 6];
        corners[..n].copy_from_slice(&w[..n]);
        let is_odd = self.passed & 1 != 0;
        match self.topology {
            TriangleStrip if is_odd && self.provokes_last => corners[..3].copy_from_slice(&[w[1], w[0], w[2]]),
            TriangleStrip if is_odd => corners[..3].copy_from_slice(&[w[0], w[2], w[1]]),
            TriangleFan if !self.provokes_last => corners[..3].copy_from_slice(&[w[1], w[2], w[0]]),
            _ => {}
        }
        match self.topology {
            LineStrip | TriangleStrip | LineStripAdjacent => {
                self.window.remove(0);
                self.passed += 1;
            }
            TriangleFan => {
                self.window.remove(1);
                self.passed += 1;
            }
            _ => self.window.clear(),
        }
        Some(corners)
    }

    /// A triangle of a strip with adjacent vertices: which are adjacent to it depends on whether others follow. Its vertices in the strip are 0, 2, 4 of
    /// the window, adjacent ones 1, 3 and the one after the next triangle's last; the window begins two vertices before it but for the first one.
    fn adjacent_strip(&mut self, ends: bool) -> Option<Corners> {
        let number = self.passed;
        // Vertices of the strip by number, as far as the window has them.
        let base = number.saturating_sub(1) * 2;
        let at = |n: u32| self.window[(n - base) as usize];
        let have = base + self.window.len() as u32;
        let first = 2 * number;
        let is_last = ends && have < first + 8;
        if have < first + 6 || !is_last && have < first + 7 {
            return None;
        }
        // Past the last triangle its third edge has the last vertex beside it.
        let beyond = if is_last { at(first + 5) } else { at(first + 6) };
        let before = if number == 0 { at(1) } else { at(first - 2) };
        let side = at(first + 3);
        let [a, b, c] = [at(first), at(first + 2), at(first + 4)];
        let is_odd = number & 1 != 0;
        let corners = match (is_odd, self.provokes_last) {
            (false, _) => [a, before, b, beyond, c, side],
            (true, false) => [a, side, c, beyond, b, before],
            (true, true) => [b, before, a, side, c, beyond],
        };
        self.passed += 1;
        if number > 0 {
            self.window.drain(..2);
        }
        Some(corners)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Primitives of the vertices 0, 1, 2, ..., `None` among them a restart.
    fn assemble(topology: Topology, provokes_last: bool, count: u32) -> Vec<Vec<u32>> {
        let memory = wavejit::Device::new(wavejit::DeviceConfig::default()).unwrap();
        let mut indices = Indices::plain(memory.memory(), count);
        let mut assembler = Assembler::new(topology, provokes_last);
        std::iter::from_fn(|| assembler.next(&mut indices).unwrap()).map(|c| c[..topology.vertices()].to_vec()).collect()
    }

    // Vulkan specification, "Triangle Strips", "Triangle Fans".
    #[test]
    fn strips_and_fans_keep_orientation_and_provoking_vertex() {
        assert_eq!(assemble(Topology::TriangleStrip, false, 5), [[0, 1, 2], [1, 3, 2], [2, 3, 4]]);
        assert_eq!(assemble(Topology::TriangleStrip, true, 5), [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
        assert_eq!(assemble(Topology::TriangleFan, false, 5), [[1, 2, 0], [2, 3, 0], [3, 4, 0]]);
        assert_eq!(assemble(Topology::TriangleFan, true, 5), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
        assert_eq!(assemble(Topology::LineStrip, false, 3), [[0, 1], [1, 2]]);
    }

    #[test]
    fn lists_leave_out_what_is_incomplete() {
        assert_eq!(assemble(Topology::Triangles, false, 8), [[0, 1, 2], [3, 4, 5]]);
        assert_eq!(assemble(Topology::Points, false, 2), [[0], [1]]);
        assert_eq!(assemble(Topology::LinesAdjacent, false, 9), [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert_eq!(assemble(Topology::LineStripAdjacent, false, 5), [[0, 1, 2, 3], [1, 2, 3, 4]]);
    }

    // Vulkan specification, "Triangle Strips With Adjacency": the table of vertices.
    #[test]
    fn adjacent_strips_are_as_in_the_table() {
        assert_eq!(assemble(Topology::TriangleStripAdjacent, false, 6), [[0, 1, 2, 5, 4, 3]]);
        assert_eq!(assemble(Topology::TriangleStripAdjacent, false, 8), [[0, 1, 2, 6, 4, 3], [2, 5, 6, 7, 4, 0]]);
        let three = [[0, 1, 2, 6, 4, 3], [2, 5, 6, 8, 4, 0], [4, 2, 6, 9, 8, 7]];
        assert_eq!(assemble(Topology::TriangleStripAdjacent, false, 10), three);
        assert_eq!(assemble(Topology::TriangleStripAdjacent, true, 8), [[0, 1, 2, 6, 4, 3], [4, 0, 2, 5, 6, 7]]);
    }
}
