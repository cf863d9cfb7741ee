//! Graphs: operations and what each comes after, kept to be launched again and again.
//!
//! A graph is nodes in the order they were added, each with the numbers of those before it; an executable one is a copy in which every node comes
//! after what it depends on. A launch pushes the nodes to a stream one after the other, which keeps every dependency.
//!
//! `capture.rs` records what is pushed to streams, `nodes.rs` adds nodes one by one, `exec.rs` makes executable graphs, launches and changes them,
//! `query.rs` answers questions.

pub mod capture;
pub mod exec;
pub mod nodes;
pub mod query;

use crate::event::Event;
use crate::handles::Handles;
use crate::op::Op;
use crate::status::{Result, Status};
use std::ffi::c_void;
use std::sync::Arc;
use wavejit::fork::Mutex;

/// What a node does.
#[derive(Clone)]
pub(crate) enum Step {
    Op(Op),
    Record(Arc<Event>),
    Wait(Arc<Event>),
    /// The nodes of another graph, as they were when the node was added.
    Graph(Arc<Vec<Node>>),
}

/// A node.
#[derive(Clone)]
pub(crate) struct Node {
    pub handle: usize,
    pub step: Step,
    /// Handles of the nodes before it.
    pub after: Vec<usize>,
    pub is_enabled: bool,
}

/// A graph.
#[derive(Default)]
pub(crate) struct Graph {
    pub nodes: Mutex<Vec<Node>>,
}

/// An executable graph: nodes in an order that keeps their dependencies.
pub(crate) struct Executable {
    pub nodes: Mutex<Vec<Node>>,
}

static GRAPHS: Handles<Graph> = Handles::new();
/// Nodes, and the graph each is of.
static NODES: Handles<Graph> = Handles::new();
static EXECUTABLES: Handles<Executable> = Handles::new();

/// The graph of a handle.
pub(crate) fn graph(handle: *const c_void) -> Result<Arc<Graph>> {
    GRAPHS.get(handle).map_err(|_| Status::INVALID_VALUE)
}

/// The graph of a node.
fn graph_of(node: *const c_void) -> Result<Arc<Graph>> {
    NODES.get(node).map_err(|_| Status::INVALID_VALUE)
}

impl Graph {
    /// Adds a node after others of the graph; its handle.
    pub(crate) fn add(self: &Arc<Self>, step: Step, after: &[usize]) -> Result<usize> {
        let mut nodes = self.nodes.lock();
        let mut unique: Vec<usize> = Vec::with_capacity(after.len());
        for handle in after {
            if !nodes.iter().any(|n| n.handle == *handle) {
                return Err(Status::INVALID_VALUE);
            }
            if !unique.contains(handle) {
                unique.push(*handle);
            }
        }
        let handle = NODES.add(self.clone()) as usize;
        nodes.push(Node { handle, step, after: unique, is_enabled: true });
        Ok(handle)
    }

    /// Changes one of its nodes.
    fn change(&self, node: *const c_void, change: impl FnOnce(&mut Node) -> Result) -> Result {
        let mut nodes = self.nodes.lock();
        change(nodes.iter_mut().find(|n| n.handle == node as usize).ok_or(Status::INVALID_VALUE)?)
    }
}

/// Nodes in an order that keeps their dependencies; an error if they go in a circle.
fn ordered(nodes: &[Node]) -> Result<Vec<Node>> {
    let mut ordered: Vec<Node> = Vec::with_capacity(nodes.len());
    let mut left: Vec<&Node> = nodes.iter().collect();
    while !left.is_empty() {
        let is_ready = |node: &&Node| node.after.iter().all(|a| ordered.iter().any(|n| n.handle == *a));
        let (ready, others): (Vec<&Node>, Vec<&Node>) = left.iter().partition(|node| is_ready(node));
        if ready.is_empty() {
            return Err(Status::INVALID_VALUE);
        }
        ordered.extend(ready.into_iter().cloned());
        left = others;
    }
    Ok(ordered)
}
