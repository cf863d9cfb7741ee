//! `hipGraphDebugDotPrint`: a graph as text that Graphviz draws.

use super::{Node, Step, exec, graph};
use crate::op::Op;
use crate::raw;
use crate::status::{Status, hip};
use std::ffi::{c_char, c_void};
use std::fmt::Write;

/// The names of `hipGraphNodeType`, by number.
const NAMES: [&str; 13] = [
    "kernel",
    "copy",
    "fill",
    "host",
    "graph",
    "empty",
    "wait",
    "record",
    "signal of a semaphore",
    "wait for a semaphore",
    "allocation",
    "release",
    "memory operations",
];

/// What a node does, in a line.
fn label(node: &Node) -> String {
    let name = NAMES.get(exec::kind(&node.step) as usize).copied().unwrap_or("node");
    match &node.step {
        Step::Op(Op::Kernel(kernel)) => format!("{} {:?} / {:?}", kernel.kernel.info().name, kernel.items, kernel.block),
        Step::Op(Op::Copy(copy)) => format!("{name} {:#x} to {:#x}, {:?}", copy.from, copy.to, copy.size),
        Step::Op(Op::Fill(fill)) => format!("{name} {:#x}, {:#x} {:?}", fill.to, fill.value, fill.count),
        _ => name.to_string(),
    }
}

fn draw(nodes: &[Node], text: &mut String, depth: usize) {
    let indent = "  ".repeat(depth + 1);
    for node in nodes {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{indent}n{:x} [label=\"{}\"];", node.handle, label(node).replace('"', "'"));
        for before in &node.after {
            let _ = writeln!(text, "{indent}n{before:x} -> n{:x};", node.handle);
        }
        if let Step::Graph(child) = &node.step {
            let _ = writeln!(text, "{indent}subgraph cluster_{:x} {{", node.handle);
            draw(&child.graph.nodes.lock(), text, depth + 1);
            let _ = writeln!(text, "{indent}}}");
        }
    }
}

hip! {
    fn hipGraphDebugDotPrint(of: *mut c_void, path: *const c_char, _flags: u32) {
        let (graph, path) = (graph(of)?, raw::text(path)?);
        let mut text = String::from("digraph {\n  node [shape=box];\n");
        draw(&graph.nodes.lock(), &mut text, 0);
        text.push_str("}\n");
        std::fs::write(path, text).map_err(|_| Status::OPERATING_SYSTEM)
    }
}
