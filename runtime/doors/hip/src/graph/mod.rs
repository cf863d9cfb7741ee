//! Graphs: operations and what each comes after, kept to be launched again and again.
//!
//! A graph is nodes in the order they were added, each with the numbers of those before it; an executable one is a copy in which every node comes
//! after what it depends on.
//!
//! `capture.rs` records what is pushed to streams; `nodes.rs`, `memory.rs` and `batch.rs` add nodes one by one, `params.rs` reads and changes what they do;
//! `exec.rs` makes executable graphs and changes them, `launch.rs` launches them; `query.rs` and `dot.rs` answer questions; `user_object.rs` counts
//! what a program wants to live as long as its graphs.

pub mod batch;
pub mod capture;
pub mod dot;
pub mod exec;
mod launch;
pub mod memory;
pub mod nodes;
pub mod params;
pub mod query;
pub mod user_object;

use crate::abi::Memcpy3D;
use crate::event::Event;
use crate::handles::Handles;
use crate::op::Op;
use crate::status::{Result, Status};
use std::ffi::c_void;
use std::sync::Arc;
use wavejit::fork::Mutex;
use wavejit::queue::Queue;

/// What a node does.
#[derive(Clone)]
pub(crate) enum Step {
    Op(Op),
    /// Operations on values in memory, one after the other.
    Operations(Arc<[Op]>),
    /// An event and its handle.
    Record(Arc<Event>, usize),
    Wait(Arc<Event>, usize),
    Graph(Child),
    Allocate(Arc<memory::GraphMemory>),
    /// Memory that is released, by its address.
    Release(u64),
}

/// A graph in a node of another: a clone of what was given.
#[derive(Clone)]
pub(crate) struct Child {
    pub graph: Arc<Graph>,
    pub handle: usize,
    /// In an executable graph its nodes, in order.
    pub nodes: Arc<Vec<Node>>,
}

/// Parameters that programs ask for as they have given them.
#[derive(Clone, Copy)]
pub(crate) enum Given {
    Nothing,
    Copy(Memcpy3D),
    Fill(nodes::FillParams),
}

// SAFETY: the addresses in it are numbers here, which are given back to C as they were given.
unsafe impl Send for Given {}
// SAFETY: as above.
unsafe impl Sync for Given {}

/// A node.
#[derive(Clone)]
pub(crate) struct Node {
    pub handle: usize,
    pub step: Step,
    pub given: Given,
    /// Handles of the nodes before it.
    pub after: Vec<usize>,
    pub is_enabled: bool,
    /// The node that it is a clone of.
    pub origin: usize,
    /// Pointers to a kernel's arguments, once a program has asked for them.
    pub arguments: Option<Arc<[usize]>>,
    /// `hipKernelNodeAttrValue` by number.
    pub attributes: Vec<(i32, [u8; 64])>,
}

/// A graph.
#[derive(Default)]
pub(crate) struct Graph {
    pub nodes: Mutex<Vec<Node>>,
    /// Objects of the program's, and how many counts of each.
    objects: Mutex<Vec<(Arc<user_object::UserObject>, u32)>>,
}

/// An executable graph: nodes in an order that keeps their dependencies.
pub(crate) struct Executable {
    pub nodes: Mutex<Vec<Node>>,
    /// Queues beside the stream.
    lanes: Mutex<Vec<Arc<Queue>>>,
    /// What it was made of, whose objects it keeps alive.
    _graph: Arc<Graph>,
}

impl Drop for Graph {
    fn drop(&mut self) {
        for (object, count) in self.objects.lock().drain(..) {
            object.release(count);
        }
    }
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
    pub(crate) fn add(self: &Arc<Self>, step: Step, given: Given, after: &[usize]) -> Result<usize> {
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
        let (is_enabled, origin) = (true, 0);
        nodes.push(Node { handle, step, given, after: unique, is_enabled, origin, arguments: None, attributes: Vec::new() });
        Ok(handle)
    }

    /// Changes one of its nodes.
    fn change(&self, node: *const c_void, change: impl FnOnce(&mut Node) -> Result) -> Result {
        let mut nodes = self.nodes.lock();
        change(nodes.iter_mut().find(|n| n.handle == node as usize).ok_or(Status::INVALID_VALUE)?)
    }
}

/// What a node does.
fn step(node: *const c_void) -> Result<Step> {
    let graph = graph_of(node)?;
    let nodes = graph.nodes.lock();
    nodes.iter().find(|n| n.handle == node as usize).map(|n| n.step.clone()).ok_or(Status::INVALID_VALUE)
}

/// A copy of a graph, with handles of its own.
fn clone_of(graph: &Graph) -> Result<Arc<Graph>> {
    let original = ordered(&graph.nodes.lock())?;
    let copy = Arc::new(Graph::default());
    let mut handles: Vec<(usize, usize)> = Vec::new();
    for node in &original {
        let after: Vec<usize> = handles.iter().filter(|h| node.after.contains(&h.0)).map(|h| h.1).collect();
        let step = match &node.step {
            Step::Graph(child) => Step::Graph(child_of(&child.graph)?),
            other => other.clone(),
        };
        let handle = copy.add(step, node.given, &after)?;
        copy.change(handle as *const c_void, |n| {
            (n.is_enabled, n.origin, n.attributes) = (node.is_enabled, node.handle, node.attributes.clone());
            Ok(())
        })?;
        handles.push((node.handle, handle));
    }
    Ok(copy)
}

/// A clone of a graph for a node.
fn child_of(graph: &Graph) -> Result<Child> {
    let graph = clone_of(graph)?;
    let handle = GRAPHS.add(graph.clone()) as usize;
    Ok(Child { graph, handle, nodes: Arc::default() })
}

/// Nodes for an executable graph: in order, with those of the graphs in them.
fn executable_nodes(graph: &Graph) -> Result<Vec<Node>> {
    let mut nodes = ordered(&graph.nodes.lock())?;
    for node in &mut nodes {
        if let Step::Graph(child) = &mut node.step {
            child.nodes = Arc::new(executable_nodes(&child.graph)?);
        }
    }
    Ok(nodes)
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
