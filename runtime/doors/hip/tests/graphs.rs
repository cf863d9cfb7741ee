//! Graphs: captured, made node by node, launched again, changed.

mod common;

use amdhip64::abi::Dim3;
use amdhip64::graph::nodes::{FillParams, HostParams, KernelParams};
use amdhip64::graph::{batch, capture, dot, exec, memory, nodes, params, query, user_object};
use amdhip64::status::Status;
use amdhip64::{copy, event, fill, stream};
use common::{NULL, download, get, ok, saxpy, saxpy_stub, upload};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};

fn instantiate(graph: *mut c_void) -> *mut c_void {
    get(|out| exec::hipGraphInstantiate(out, graph, None, null_mut(), 0))
}

fn bits(n: u32) -> f32 {
    f32::from_bits(n)
}

#[test]
fn what_is_captured_runs_when_it_is_launched() {
    let [first, second] = [(); 2].map(|()| get(|out| stream::hipStreamCreateWithFlags(out, 1)));
    let [fork, join] = [(); 2].map(|()| get(|out| event::hipEventCreate(out)));
    let [p, q, sum] = [1.0, 0.0, 0.0].map(|value| upload(&[value; 128]));
    ok(capture::hipStreamBeginCapture(first, 0));
    assert_eq!(get(|out| capture::hipStreamIsCapturing(first, out)), 1);
    ok(saxpy(p, p, 0.0, 128, first));
    ok(event::hipEventRecord(fork, first));
    // The second stream joins, and is joined again.
    ok(stream::hipStreamWaitEvent(second, fork, 0));
    ok(copy::hipMemcpyAsync(q, p, 512, 3, second));
    ok(event::hipEventRecord(join, second));
    // Nothing orders this against the copy: both read what the first launch left.
    ok(saxpy(sum, p, 0.0, 128, first));
    ok(stream::hipStreamWaitEvent(first, join, 0));
    ok(fill::hipMemsetD32Async(q, 7, 1, first));
    assert_eq!(stream::hipStreamSynchronize(first), Status::STREAM_CAPTURE_UNSUPPORTED);
    assert_eq!(
        common::try_get(|out: amdhip64::abi::Out<usize>| {
            let mut graph = std::mem::MaybeUninit::uninit();
            let status = capture::hipStreamEndCapture(second, Some(&mut graph));
            amdhip64::abi::put_if(out, 0);
            status
        }),
        Err(Status::STREAM_CAPTURE_UNMATCHED)
    );
    let graph = get(|out| capture::hipStreamEndCapture(first, out));
    assert_eq!(get(|out| capture::hipStreamIsCapturing(second, out)), 0);
    assert_eq!((download(p, 128)[0], download(q, 128)[0]), (1.0, 0.0), "nothing has run");
    let mut count = 0;
    ok(query::hipGraphGetNodes(graph, null_mut(), Some(&mut count)));
    assert_eq!(count, 4);
    let executable = instantiate(graph);
    ok(nodes::hipGraphDestroy(graph));
    for launch in 1..=3 {
        ok(exec::hipGraphLaunch(executable, first));
        ok(stream::hipStreamSynchronize(first));
        let doubled = 2f32.powi(launch);
        assert_eq!(download(p, 128), [doubled; 128]);
        assert_eq!(download(q, 128)[..2], [bits(7), doubled]);
        assert_eq!(download(sum, 128), [2.0 * doubled - 2.0; 128]);
    }
    ok(exec::hipGraphExecDestroy(executable));
    assert_eq!(exec::hipGraphLaunch(executable, first), Status::INVALID_VALUE);
    assert_eq!(capture::hipStreamBeginCapture(NULL, 0), Status::STREAM_CAPTURE_UNSUPPORTED);
}

extern "C" fn add_one(count: *mut c_void) {
    // SAFETY: the test's counter.
    unsafe { AtomicI32::from_ptr(count.cast()) }.fetch_add(1, SeqCst);
}

#[test]
fn nodes_run_after_those_they_depend_on() {
    let p = upload(&[0.0; 128]);
    let q = upload(&[0.0; 128]);
    let count = AtomicI32::new(0);
    let graph = get(|out| nodes::hipGraphCreate(out, 0));
    let (a, n) = (0.0f32, 128i32);
    let args: [*mut c_void; 4] = [
        (&raw const p).cast_mut().cast(),
        (&raw const p).cast_mut().cast(),
        (&raw const a).cast_mut().cast(),
        (&raw const n).cast_mut().cast(),
    ];
    let kernel = KernelParams {
        block: Dim3 { x: 128, y: 1, z: 1 },
        extra: null(),
        function: saxpy_stub(),
        grid: Dim3 { x: 1, y: 1, z: 1 },
        args: args.as_ptr(),
        shared_bytes: 0,
    };
    let fill = |value: f32| FillParams { to: p, width: 4, height: 1, pitch: 0, value: value.to_bits(), count: 128 };
    let host = HostParams { function: add_one as *const c_void, user_data: count.as_ptr().cast() };
    // Added the other way round, and put into order by edges.
    let copied = get(|out| nodes::hipGraphAddMemcpyNode1D(out, graph, null(), 0, q, p, 512, 3));
    let doubled = get(|out| nodes::hipGraphAddKernelNode(out, graph, null(), 0, Some(&kernel)));
    let filled = get(|out| nodes::hipGraphAddMemsetNode(out, graph, null(), 0, Some(&fill(3.0))));
    ok(query::hipGraphAddDependencies(graph, [filled, doubled].as_ptr(), [doubled, copied].as_ptr(), 2));
    assert_eq!(query::hipGraphAddDependencies(graph, [filled].as_ptr(), [doubled].as_ptr(), 1), Status::INVALID_VALUE, "it is there");
    let called = get(|out| nodes::hipGraphAddHostNode(out, graph, [copied].as_ptr(), 1, Some(&host)));
    assert_eq!([filled, doubled, copied, called].map(|node| get(|out| query::hipGraphNodeGetType(node, out))), [2, 0, 1, 3]);
    let mut roots = [null_mut(); 4];
    let mut count_of_roots = 4;
    ok(query::hipGraphGetRootNodes(graph, roots.as_mut_ptr(), Some(&mut count_of_roots)));
    assert_eq!((roots[0], roots[1], count_of_roots), (filled, null_mut(), 1));

    let executable = instantiate(graph);
    let run = || {
        ok(exec::hipGraphLaunch(executable, NULL));
        download(q, 128)
    };
    assert_eq!(run(), [6.0; 128]);
    ok(exec::hipGraphExecMemsetNodeSetParams(executable, filled, Some(&fill(10.0))));
    assert_eq!(run(), [20.0; 128]);
    ok(exec::hipGraphNodeSetEnabled(executable, doubled, 0));
    assert_eq!(run(), [10.0; 128]);
    assert_eq!(count.load(SeqCst), 3);
    assert_eq!(exec::hipGraphExecMemsetNodeSetParams(executable, doubled, Some(&fill(1.0))), Status::INVALID_VALUE, "not of that kind");

    // The graph itself still fills with 3; an update takes that over.
    let mut outcome = std::mem::MaybeUninit::uninit();
    ok(exec::hipGraphExecUpdate(executable, graph, None, Some(&mut outcome)));
    assert_eq!(run(), [3.0; 128]);
    let other = get(|out| nodes::hipGraphCreate(out, 0));
    get(|out| nodes::hipGraphAddChildGraphNode(out, other, null(), 0, graph));
    assert_eq!(exec::hipGraphExecUpdate(executable, other, None, None), Status::GRAPH_EXEC_UPDATE_FAILURE);
    let nested = instantiate(other);
    ok(exec::hipGraphLaunch(nested, NULL));
    assert_eq!(download(q, 128), [6.0; 128]);

    // A circle cannot be run.
    ok(query::hipGraphAddDependencies(graph, [called].as_ptr(), [filled].as_ptr(), 1));
    let circle = common::try_get(|out: amdhip64::abi::Out<usize>| {
        let mut place = std::mem::MaybeUninit::uninit();
        amdhip64::abi::put_if(out, 0);
        exec::hipGraphInstantiate(Some(&mut place), graph, None, null_mut(), 0)
    });
    assert_eq!(circle, Err(Status::INVALID_VALUE));
}

/// Two that must be there at the same time.
struct Meeting {
    arrived: AtomicI32,
    met: AtomicI32,
}

extern "C" fn meet(meeting: *mut c_void) {
    // SAFETY: the test's.
    let meeting = unsafe { &*meeting.cast::<Meeting>() };
    meeting.arrived.fetch_add(1, SeqCst);
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while meeting.arrived.load(SeqCst) < 2 && std::time::Instant::now() < end {
        std::thread::yield_now();
    }
    if meeting.arrived.load(SeqCst) == 2 {
        meeting.met.fetch_add(1, SeqCst);
    }
}

#[test]
fn nodes_that_do_not_depend_on_each_other_run_beside_each_other() {
    let meeting = Meeting { arrived: AtomicI32::new(0), met: AtomicI32::new(0) };
    let p = upload(&[0.0; 4]);
    let fill = FillParams { to: p, width: 4, height: 1, pitch: 0, value: 1, count: 4 };
    let graph = get(|out| nodes::hipGraphCreate(out, 0));
    let host = HostParams { function: meet as *const c_void, user_data: (&raw const meeting).cast_mut().cast() };
    let first = get(|out| nodes::hipGraphAddMemsetNode(out, graph, null(), 0, Some(&fill)));
    let [left, right] = [(); 2].map(|()| get(|out| nodes::hipGraphAddHostNode(out, graph, [first].as_ptr(), 1, Some(&host))));
    let last = FillParams { value: 2, ..fill };
    get(|out| nodes::hipGraphAddMemsetNode(out, graph, [left, right].as_ptr(), 2, Some(&last)));
    let executable = instantiate(graph);
    let stream = get(|out| stream::hipStreamCreateWithFlags(out, 1));
    for launch in 1..=3 {
        meeting.arrived.store(0, SeqCst);
        ok(exec::hipGraphLaunch(executable, stream));
        // What follows in the stream comes after all of them.
        ok(fill::hipMemsetD32Async(p, 3, 1, stream));
        ok(stream::hipStreamSynchronize(stream));
        assert_eq!(meeting.met.load(SeqCst), 2 * launch);
        assert_eq!(download(p, 2), [bits(3), bits(2)]);
    }
    // The same as a node of a captured stream.
    ok(capture::hipStreamBeginCapture(stream, 0));
    ok(exec::hipGraphLaunch(executable, stream));
    let captured = get(|out| capture::hipStreamEndCapture(stream, out));
    let nested = instantiate(captured);
    meeting.arrived.store(0, SeqCst);
    ok(exec::hipGraphLaunch(nested, stream));
    ok(stream::hipStreamSynchronize(stream));
    assert_eq!(meeting.met.load(SeqCst), 8);
}

#[test]
fn what_nodes_do_is_told_and_changed() {
    let (p, q) = (upload(&[1.0; 128]), upload(&[0.0; 128]));
    let (a, n) = (0.0f32, 128i32);
    let args: [*mut c_void; 4] = [
        (&raw const p).cast_mut().cast(),
        (&raw const p).cast_mut().cast(),
        (&raw const a).cast_mut().cast(),
        (&raw const n).cast_mut().cast(),
    ];
    let size = Dim3 { x: 128, y: 1, z: 1 };
    let one = Dim3 { x: 1, y: 1, z: 1 };
    let given = KernelParams { block: size, extra: null(), function: saxpy_stub(), grid: one, args: args.as_ptr(), shared_bytes: 0 };
    let graph = get(|out| nodes::hipGraphCreate(out, 0));
    let kernel = get(|out| nodes::hipGraphAddKernelNode(out, graph, null(), 0, Some(&given)));
    let copied = get(|out| nodes::hipGraphAddMemcpyNode1D(out, graph, [kernel].as_ptr(), 1, q, p, 512, 3));
    // A kernel's parameters can be read, and set to what was read.
    let read = get(|out| params::hipGraphKernelNodeGetParams(kernel, out));
    assert_eq!((read.function, read.grid.x, read.block.x, read.shared_bytes), (given.function, 1, 128, 0));
    // SAFETY: pointers to the node's own arguments, of which the third is the factor.
    assert_eq!(unsafe { *(*read.args.add(2)).cast::<f32>() }, 0.0);
    ok(params::hipGraphKernelNodeSetParams(kernel, Some(&read)));
    let copy = get(|out| params::hipGraphMemcpyNodeGetParams(copied, out));
    assert_eq!((copy.from.ptr, copy.to.ptr, copy.extent.width), (p, q, 512));
    ok(params::hipGraphMemcpyNodeSetParams1D(copied, q, p, 256, 3));
    assert_eq!(get(|out| params::hipGraphMemcpyNodeGetParams(copied, out)).extent.width, 256);
    assert_eq!(params::hipGraphMemcpyNodeSetParams1D(kernel, q, p, 256, 3), Status::INVALID_VALUE, "not of that kind");

    // A clone has nodes of its own, which remember what they are clones of.
    let clone = get(|out| query::hipGraphClone(out, graph));
    let there = get(|out| query::hipGraphNodeFindInClone(out, copied, clone));
    ok(params::hipGraphMemcpyNodeSetParams1D(there, q, p, 128, 3));
    assert_eq!(get(|out| params::hipGraphMemcpyNodeGetParams(copied, out)).extent.width, 256);
    let executable = instantiate(clone);
    ok(exec::hipGraphLaunch(executable, NULL));
    assert_eq!(download(q, 128)[31..33], [2.0, 0.0]);
    ok(params::hipGraphExecMemcpyNodeSetParams(executable, there, Some(&copy)));
    ok(exec::hipGraphLaunch(executable, NULL));
    assert_eq!(download(q, 128), [4.0; 128]);

    // A graph in a node, changed before and after there is an executable one.
    let outer = get(|out| nodes::hipGraphCreate(out, 0));
    let inner = get(|out| nodes::hipGraphAddChildGraphNode(out, outer, null(), 0, graph));
    let mut child_params: params::NodeParams = amdhip64::abi::zeroed();
    child_params.kind = 7;
    let [event, other] = [(); 2].map(|()| get(|out| event::hipEventCreate(out)));
    child_params.words[0] = event as u64;
    let recorded = get(|out| params::hipGraphAddNode(out, outer, [inner].as_ptr(), 1, Some(&mut child_params)));
    assert_eq!(get(|out| params::hipGraphEventRecordNodeGetEvent(recorded, out)), event);
    ok(params::hipGraphEventRecordNodeSetEvent(recorded, other));
    let child = get(|out| params::hipGraphChildGraphNodeGetGraph(inner, out));
    let mut count = 0;
    ok(query::hipGraphGetNodes(child, null_mut(), Some(&mut count)));
    assert_eq!(count, 2);
    let executable = instantiate(outer);
    ok(exec::hipGraphLaunch(executable, NULL));
    ok(event::hipEventSynchronize(other));
    assert_eq!(download(p, 1), [8.0]);
    assert_eq!(params::hipGraphExecChildGraphNodeSetParams(executable, inner, outer), Status::INVALID_VALUE, "another shape");
    ok(params::hipGraphExecChildGraphNodeSetParams(executable, inner, clone));

    let path = std::env::temp_dir().join(format!("wavejit-graph-{}.dot", std::process::id()));
    let c_path = std::ffi::CString::new(path.to_str().expect("text")).expect("no NUL");
    ok(dot::hipGraphDebugDotPrint(outer, c_path.as_ptr(), 1));
    let text = std::fs::read_to_string(&path).expect("written");
    std::fs::remove_file(&path).expect("there");
    assert!(text.starts_with("digraph {") && text.contains("hip_saxpy") && text.contains("->") && text.contains("record"), "{text}");
}

#[test]
fn graphs_have_memory_and_objects() {
    let graph = get(|out| nodes::hipGraphCreate(out, 0));
    let mut wanted =
        memory::AllocationParams { pool: amdhip64::abi::zeroed(), access: null(), access_count: 0, bytes: 512, address: null_mut() };
    (wanted.pool.kind, wanted.pool.location.kind) = (1, 1);
    let allocated = get(|out| memory::hipGraphAddMemAllocNode(out, graph, null(), 0, Some(&mut wanted)));
    assert!(!wanted.address.is_null());
    assert_eq!(get(|out| memory::hipGraphMemAllocNodeGetParams(allocated, out)).address, wanted.address);
    let fill = FillParams { to: wanted.address, width: 4, height: 1, pitch: 0, value: 7, count: 128 };
    let filled = get(|out| nodes::hipGraphAddMemsetNode(out, graph, [allocated].as_ptr(), 1, Some(&fill)));
    let q = upload(&[0.0; 128]);
    let copied = get(|out| nodes::hipGraphAddMemcpyNode1D(out, graph, [filled].as_ptr(), 1, q, wanted.address, 512, 3));
    get(|out| memory::hipGraphAddMemFreeNode(out, graph, [copied].as_ptr(), 1, wanted.address));
    let executable = instantiate(graph);
    for _ in 0..2 {
        ok(exec::hipGraphLaunch(executable, NULL));
        assert_eq!(download(q, 128), [bits(7); 128]);
    }
    let count = AtomicI32::new(0);
    let data = count.as_ptr().cast();
    let object = get(|out| user_object::hipUserObjectCreate(out, data, add_one as *const c_void, 1, 1));
    ok(user_object::hipGraphRetainUserObject(graph, object, 1, 1));
    ok(nodes::hipGraphDestroy(graph));
    assert_eq!(count.load(SeqCst), 0, "the executable graph keeps it");
    ok(exec::hipGraphExecDestroy(executable));
    assert_eq!(count.load(SeqCst), 1);
}

#[test]
fn values_in_memory_are_waited_for_and_written() {
    let value = upload(&[0.0; 4]);
    let op = |operation, offset: usize, value_given, flags| batch::MemOp {
        operation,
        address: value.wrapping_byte_add(offset),
        value: value_given,
        flags,
        alias: null_mut(),
        reserved: 0,
    };
    let mut list = [op(1, 0, 1, 1), op(2, 4, 5, 0), op(5, 8, 6 << 32 | 7, 0)];
    let stream = get(|out| stream::hipStreamCreateWithFlags(out, 1));
    ok(batch::hipStreamBatchMemOp(stream, 3, list.as_ptr(), 0));
    assert_eq!(stream::hipStreamQuery(stream), Status::NOT_READY);
    let graph = get(|out| nodes::hipGraphCreate(out, 0));
    let mut writes = [op(2, 0, 1, 0)];
    let write = batch::BatchParams { context: null_mut(), count: 1, list: writes.as_mut_ptr(), flags: 0 };
    let node = get(|out| batch::hipGraphAddBatchMemOpNode(out, graph, null(), 0, Some(&write)));
    let mut back = batch::BatchParams { context: null_mut(), count: 3, list: list.as_mut_ptr(), flags: 9 };
    ok(batch::hipGraphBatchMemOpNodeGetParams(node, Some(&mut back)));
    assert_eq!((back.count, list[0].operation, list[0].value), (1, 2, 1));
    ok(exec::hipGraphLaunch(instantiate(graph), NULL));
    ok(stream::hipStreamSynchronize(stream));
    assert_eq!(download(value, 4), [bits(1), bits(5), bits(7), bits(6)]);
}
