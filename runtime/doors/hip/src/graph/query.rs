//! What programs ask about graphs, and change in them.

use super::{GRAPHS, exec, graph, graph_of};
use crate::abi::{Out, put};
use crate::raw;
use crate::status::{Result, Status, hip};
use std::ffi::c_void;

/// Writes a list: its length alone where C gives no room for it; as much as fits, padded with nulls, otherwise.
fn put_list(list: &[usize], room: *mut *mut c_void, count: Option<&mut usize>) -> Result {
    let count = count.ok_or(Status::INVALID_VALUE)?;
    if !room.is_null() {
        for (i, place) in raw::slice_mut(room, *count)?.iter_mut().enumerate() {
            *place = list.get(i).map_or(std::ptr::null_mut(), |n| *n as *mut c_void);
        }
        if *count < list.len() {
            return Ok(());
        }
    }
    *count = list.len();
    Ok(())
}

/// Adds or removes edges between nodes of a graph.
fn edges(of: *mut c_void, from: *const *mut c_void, to: *const *mut c_void, count: usize, add: bool) -> Result {
    let graph = graph(of)?;
    for (from, to) in raw::slice(from, count)?.iter().zip(raw::slice(to, count)?) {
        let from = *from as usize;
        if !graph.nodes.lock().iter().any(|n| n.handle == from) || from == *to as usize {
            return Err(Status::INVALID_VALUE);
        }
        graph.change(*to, |node| match (add, node.after.contains(&from)) {
            (true, false) => {
                node.after.push(from);
                Ok(())
            }
            (false, true) => {
                node.after.retain(|n| *n != from);
                Ok(())
            }
            _ => Err(Status::INVALID_VALUE),
        })?;
    }
    Ok(())
}

hip! {
    fn hipGraphAddDependencies(graph: *mut c_void, from: *const *mut c_void, to: *const *mut c_void, count: usize) {
        edges(graph, from, to, count, true)
    }
    fn hipGraphRemoveDependencies(graph: *mut c_void, from: *const *mut c_void, to: *const *mut c_void, count: usize) {
        edges(graph, from, to, count, false)
    }
    fn hipGraphGetNodes(of: *mut c_void, nodes: *mut *mut c_void, count: Option<&mut usize>) {
        let list: Vec<usize> = graph(of)?.nodes.lock().iter().map(|n| n.handle).collect();
        put_list(&list, nodes, count)
    }
    fn hipGraphGetRootNodes(of: *mut c_void, nodes: *mut *mut c_void, count: Option<&mut usize>) {
        let list: Vec<usize> = graph(of)?.nodes.lock().iter().filter(|n| n.after.is_empty()).map(|n| n.handle).collect();
        put_list(&list, nodes, count)
    }
    fn hipGraphGetEdges(of: *mut c_void, from: *mut *mut c_void, to: *mut *mut c_void, count: Option<&mut usize>) {
        let count = count.ok_or(Status::INVALID_VALUE)?;
        let graph = graph(of)?;
        let nodes = graph.nodes.lock();
        let pairs: Vec<(usize, usize)> = nodes.iter().flat_map(|n| n.after.iter().map(|a| (*a, n.handle))).collect();
        let mut room = *count;
        put_list(&pairs.iter().map(|p| p.0).collect::<Vec<_>>(), from, Some(&mut room))?;
        put_list(&pairs.iter().map(|p| p.1).collect::<Vec<_>>(), to, Some(count))
    }
    fn hipGraphNodeGetDependencies(node: *mut c_void, nodes: *mut *mut c_void, count: Option<&mut usize>) {
        let mut list = Vec::new();
        graph_of(node)?.change(node, |n| { list = n.after.clone(); Ok(()) })?;
        put_list(&list, nodes, count)
    }
    fn hipGraphNodeGetDependentNodes(node: *mut c_void, nodes: *mut *mut c_void, count: Option<&mut usize>) {
        let graph = graph_of(node)?;
        let list: Vec<usize> = graph.nodes.lock().iter().filter(|n| n.after.contains(&(node as usize))).map(|n| n.handle).collect();
        put_list(&list, nodes, count)
    }
    fn hipGraphNodeGetType(node: *mut c_void, kind: Out<i32>) {
        let mut found = 0;
        graph_of(node)?.change(node, |n| { found = exec::kind(&n.step); Ok(()) })?;
        put(kind, found)
    }
    fn hipGraphDestroyNode(node: *mut c_void) {
        let graph = graph_of(node)?;
        let mut nodes = graph.nodes.lock();
        nodes.retain(|n| n.handle != node as usize);
        nodes.iter_mut().for_each(|n| n.after.retain(|a| *a != node as usize));
        super::NODES.remove(node).map(|_| ())
    }
    fn hipGraphNodeFindInClone(node: Out<*mut c_void>, original: *mut c_void, clone: *mut c_void) {
        let clone = graph(clone)?;
        let nodes = clone.nodes.lock();
        let found = nodes.iter().find(|n| n.origin == original as usize && n.origin != 0).ok_or(Status::INVALID_VALUE)?;
        put(node, found.handle as *mut c_void)
    }
    fn hipGraphClone(clone: Out<*mut c_void>, of: *mut c_void) {
        let out = clone.ok_or(Status::INVALID_VALUE)?;
        let copy = super::clone_of(&*graph(of)?)?;
        out.write(GRAPHS.add(copy));
        Ok(())
    }
}
