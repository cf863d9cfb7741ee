//! Launches of executable graphs.
//!
//! A graph whose nodes come one after the other goes into the stream itself. In any other a node goes on in the queue of a node it comes after, or has a
//! queue of its own, so that nodes that do not depend on each other run beside each other; the stream waits for all that nothing comes after.

use super::{Executable, Node, Step};
use crate::event::{self, Mark};
use crate::op::Op;
use crate::status::Result;
use crate::stream::Stream;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use wavejit::queue::{Point, Queue};

/// Launches in a stream; in one that is captured it becomes a node.
pub(super) fn launch(executable: &Executable, stream: &Stream) -> Result {
    // Without the lock: a full stream may wait.
    let nodes = executable.nodes.lock().clone();
    if stream.is_capturing() {
        return super::capture::push_graph(stream, nodes);
    }
    if is_chain(&nodes) {
        return push_chain(&nodes, stream);
    }
    let start = stream.push(Op::Nothing)?;
    let mut lanes = Lanes { queues: executable.lanes.lock().clone(), used: 0 };
    let ends = spread(&nodes, &[start], &mut lanes, stream)?;
    *executable.lanes.lock() = lanes.queues;
    stream.push_after(Op::Nothing, ends).map(|_| ())
}

/// Does every node come after the one before it?
fn is_chain(nodes: &[Node]) -> bool {
    let follows = |pair: &[Node]| pair[1].after.contains(&pair[0].handle);
    let is_plain = |node: &Node| match &node.step {
        Step::Graph(child) => is_chain(&child.nodes),
        _ => true,
    };
    nodes.windows(2).all(follows) && nodes.iter().all(is_plain)
}

fn push_chain(nodes: &[Node], stream: &Stream) -> Result {
    for node in nodes.iter().filter(|n| n.is_enabled) {
        match &node.step {
            Step::Op(Op::Nothing) => {}
            Step::Op(op) => _ = stream.push(op.clone())?,
            Step::Operations(list) => list.iter().try_for_each(|op| stream.push(op.clone()).map(|_| ()))?,
            Step::Record(event, _) => event.record(stream)?,
            Step::Wait(event, _) => event::wait_for(stream, event)?,
            Step::Graph(child) => push_chain(&child.nodes, stream)?,
            Step::Allocate(_) | Step::Release(_) => {}
        }
    }
    Ok(())
}

/// Queues beside the stream, kept from launch to launch: two launches of one executable graph never overlap.
struct Lanes {
    queues: Vec<Arc<Queue>>,
    used: usize,
}

impl Lanes {
    fn next(&mut self) -> Arc<Queue> {
        if self.used == self.queues.len() {
            self.queues.push(Arc::new(Queue::new()));
        }
        self.used += 1;
        self.queues[self.used - 1].clone()
    }
}

/// A node that has been pushed: what comes after it waits for these points.
struct Placed {
    points: Vec<Point>,
    /// Where it is the last so far.
    queue: Option<Arc<Queue>>,
    has_next: bool,
}

/// Pushes nodes after points; the points where all have ended.
fn spread(nodes: &[Node], start: &[Point], lanes: &mut Lanes, stream: &Stream) -> Result<Vec<Point>> {
    let gpu = stream.gpu()?;
    let mut placed: FxHashMap<usize, Placed> = FxHashMap::default();
    for node in nodes {
        let mut waits: Vec<Point> = Vec::new();
        let mut queue = None;
        for before in &node.after {
            let Some(before) = placed.get_mut(before) else { continue };
            // The queue of the first that nothing has gone on from.
            match before.queue.take() {
                Some(free) if queue.is_none() => queue = Some(free),
                other => before.queue = other,
            }
            before.has_next = true;
            waits.extend(before.points.iter().cloned());
        }
        if node.after.is_empty() {
            waits = start.to_vec();
        }
        let mut run = |op: Op, waits: Vec<Point>| {
            let lane = queue.take().unwrap_or_else(|| lanes.next());
            let point = lane.push(waits, Box::new(move || op.run(gpu)));
            queue = Some(lane);
            point
        };
        let points = match &node.step {
            _ if !node.is_enabled => waits,
            Step::Op(Op::Nothing) | Step::Allocate(_) | Step::Release(_) => waits,
            Step::Op(op) => vec![run(op.clone(), waits)],
            Step::Operations(list) => list.iter().fold(waits, |waits, op| vec![run(op.clone(), waits)]),
            Step::Record(event, _) => {
                let mark = Mark::default();
                let point = run(Op::Mark(mark.clone()), waits);
                event.set(point.clone(), mark, stream);
                vec![point]
            }
            Step::Wait(event, _) => waits.into_iter().chain(event.point()).collect(),
            Step::Graph(child) => spread(&child.nodes, &waits, lanes, stream)?,
        };
        placed.insert(node.handle, Placed { points, queue, has_next: false });
    }
    let ends = placed.into_values().filter(|p| !p.has_next).flat_map(|p| p.points);
    Ok(ends.collect())
}
