//! Graphs: captured, made node by node, launched again, changed.

mod common;

use amdhip64::abi::Dim3;
use amdhip64::graph::nodes::{FillParams, HostParams, KernelParams};
use amdhip64::graph::{capture, exec, nodes, query};
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
    let (p, q) = (upload(&[1.0; 128]), upload(&[0.0; 128]));
    ok(capture::hipStreamBeginCapture(first, 0));
    assert_eq!(get(|out| capture::hipStreamIsCapturing(first, out)), 1);
    ok(saxpy(p, p, 0.0, 128, first));
    ok(event::hipEventRecord(fork, first));
    // The second stream joins, and is joined again.
    ok(stream::hipStreamWaitEvent(second, fork, 0));
    ok(copy::hipMemcpyAsync(q, p, 512, 3, second));
    ok(event::hipEventRecord(join, second));
    ok(saxpy(p, p, 0.0, 128, first));
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
        let doubled = 4f32.powi(launch);
        assert_eq!(download(p, 128), [doubled; 128]);
        assert_eq!(download(q, 128)[..2], [bits(7), doubled / 2.0]);
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
