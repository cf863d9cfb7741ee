//! Threads that call functions at random, with handles of each other's, destroyed ones, and none: no call crashes or hangs, and what memory holds
//! is what was put there. `WAVEJIT_HIP_SECONDS` says for how long; each round has a seed, which it prints when it fails.

mod common;

use amdhip64::abi::{ChannelDesc, ResourceDesc, zeroed};
use amdhip64::array::{copy as array_copy, create};
use amdhip64::graph::{capture, exec, nodes};
use amdhip64::status::Status;
use amdhip64::texture::object;
use amdhip64::{copy, device, event, fill, memory, module, pool, stream};
use common::{NULL, get, ok, saxpy, try_get};
use std::ffi::c_void;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use wavejit_random::Random;

/// Handles that any thread may use or destroy.
#[derive(Default)]
struct Shared {
    streams: Vec<usize>,
    events: Vec<usize>,
}

/// Memory of a thread's own, which only it uses.
struct Block {
    address: *mut c_void,
    floats: usize,
    /// What every float holds, once all is complete.
    value: f32,
}

const THREADS: u64 = 4;

fn any(rng: &mut Random, list: &[usize]) -> *mut c_void {
    match rng.below(10) {
        0 => NULL,
        1 => 0xdead_0000 as *mut c_void,
        _ => list.get(rng.below(list.len().max(1) as u32) as usize).map_or(NULL, |h| *h as *mut c_void),
    }
}

/// Statuses that a call with a handle that another thread destroyed may give.
fn expected(status: Status) -> bool {
    matches!(status, Status::SUCCESS | Status::INVALID_HANDLE | Status::NOT_READY | Status::INVALID_VALUE)
}

fn step(rng: &mut Random, shared: &Mutex<Shared>, blocks: &mut Vec<Block>, own: *mut c_void) {
    let (stream, event, other) = {
        let shared = shared.lock().expect("not poisoned");
        (any(rng, &shared.streams), any(rng, &shared.events), any(rng, &shared.events))
    };
    let status = match rng.below(20) {
        0 => {
            let made = get(|out| stream::hipStreamCreateWithFlags(out, rng.below(2)));
            shared.lock().expect("not poisoned").streams.push(made as usize);
            Status::SUCCESS
        }
        1 => stream::hipStreamDestroy(if stream == NULL { other } else { stream }),
        2 => {
            let made = get(|out| event::hipEventCreateWithFlags(out, 2 * rng.below(2)));
            shared.lock().expect("not poisoned").events.push(made as usize);
            Status::SUCCESS
        }
        3 => event::hipEventDestroy(event),
        4 => event::hipEventRecord(event, stream),
        5 => stream::hipStreamWaitEvent(stream, event, 0),
        6 => event::hipEventQuery(event),
        7 => try_get(|out| event::hipEventElapsedTime(out, event, other)).err().unwrap_or(Status::SUCCESS),
        8 => stream::hipStreamQuery(stream),
        9 => stream::hipStreamSynchronize(stream),
        10 if blocks.len() < 8 => {
            let floats = 128 * (1 + rng.below(40) as usize);
            let address = get(|out| match rng.below(3) {
                0 => pool::hipMallocAsync(out, 4 * floats, own),
                1 => memory::hipMallocManaged(out, 4 * floats, 1),
                _ => memory::hipMalloc(out, 4 * floats),
            });
            ok(fill::hipMemsetD32Async(address, 0, floats, own));
            blocks.push(Block { address, floats, value: 0.0 });
            Status::SUCCESS
        }
        11 if !blocks.is_empty() => {
            let block = blocks.swap_remove(rng.below(blocks.len() as u32) as usize);
            if rng.below(2) == 0 { pool::hipFreeAsync(block.address, own) } else { memory::hipFree(block.address) }
        }
        12 | 13 if !blocks.is_empty() => {
            // y = 0 * y + y + y, in whole workgroups.
            let at = rng.below(blocks.len() as u32) as usize;
            let block = &mut blocks[at];
            block.value *= 2.0;
            saxpy(block.address, block.address, 0.0, block.floats as i32, own)
        }
        14 if !blocks.is_empty() => {
            let at = rng.below(blocks.len() as u32) as usize;
            let block = &mut blocks[at];
            block.value = (1 + rng.below(4)) as f32;
            fill::hipMemsetD32Async(block.address, block.value.to_bits() as i32, block.floats, own)
        }
        // A fill and a doubling, captured and launched so many times: the fill makes it the same each time.
        15 if !blocks.is_empty() => {
            let at = rng.below(blocks.len() as u32) as usize;
            let block = &mut blocks[at];
            let value = (1 + rng.below(4)) as f32;
            ok(capture::hipStreamBeginCapture(own, 0));
            ok(fill::hipMemsetD32Async(block.address, value.to_bits() as i32, block.floats, own));
            ok(saxpy(block.address, block.address, 0.0, block.floats as i32, own));
            let graph = get(|out| capture::hipStreamEndCapture(own, out));
            let executable = get(|out| exec::hipGraphInstantiate(out, graph, None, std::ptr::null_mut(), 0));
            ok(nodes::hipGraphDestroy(graph));
            for _ in 0..1 + rng.below(3) {
                ok(exec::hipGraphLaunch(executable, own));
            }
            block.value = 2.0 * value;
            ok(exec::hipGraphExecDestroy(executable));
            exec::hipGraphLaunch(executable, own)
        }
        // Through an array and back.
        16 if !blocks.is_empty() => {
            let block = &blocks[rng.below(blocks.len() as u32) as usize];
            let desc = ChannelDesc { x: 32, y: 0, z: 0, w: 0, kind: 2 };
            let array = get(|out| create::hipMallocArray(out, Some(&desc), 128, block.floats / 128, 0));
            let rows = block.floats / 128;
            ok(array_copy::hipMemcpy2DToArrayAsync(array, 0, 0, block.address, 512, 512, rows, 3, own));
            let mut found = vec![0f32; block.floats];
            ok(array_copy::hipMemcpy2DFromArrayAsync(found.as_mut_ptr().cast(), 512, array, 0, 0, 512, rows, 2, own));
            assert!(found.iter().all(|v| *v == block.value), "{} instead of {} in an array", found[0], block.value);
            ok(create::hipFreeArray(array));
            assert_ne!(create::hipFreeArray(array), Status::SUCCESS);
            Status::SUCCESS
        }
        17 => {
            let module = get(|out| module::hipModuleLoadData(out, common::BUNDLE.as_ptr().cast()));
            let function = get(|out| module::hipModuleGetFunction(out, module, c"hip_saxpy".as_ptr()));
            assert_eq!(get(|out| amdhip64::function::hipFuncGetAttribute(out, 0, function)), 128);
            ok(module::hipModuleUnload(module));
            assert!(try_get(|out| amdhip64::function::hipFuncGetAttribute(out, 0, function)).is_err(), "it has gone with its module");
            module::hipModuleUnload(module)
        }
        // Textures of handles that may be anything.
        18 => {
            let words = [stream as u64, rng.below(300).into(), rng.below(300).into(), rng.below(4).into(), 64, 64, 256];
            let resource = ResourceDesc { kind: rng.below(6) as i32 - 1, words };
            let mut place = std::mem::MaybeUninit::uninit();
            let status = object::hipCreateTextureObject(Some(&mut place), Some(&resource), Some(&zeroed()), None);
            assert_ne!(status, Status::SUCCESS, "a texture of nothing");
            status
        }
        _ => {
            let Some(block) = blocks.first() else { return };
            if block.value > 1e30 {
                return;
            }
            let mut found = vec![0f32; block.floats];
            ok(copy::hipMemcpyAsync(found.as_mut_ptr().cast(), block.address, 4 * block.floats, 2, own));
            assert!(found.iter().all(|v| *v == block.value), "{} instead of {}", found[0], block.value);
            Status::SUCCESS
        }
    };
    assert!(expected(status), "{:?}", status.name());
}

#[test]
fn calls_at_random_from_several_threads() {
    let seconds = std::env::var("WAVEJIT_HIP_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let end = Instant::now() + Duration::from_secs(seconds);
    for round in 0.. {
        let shared = Mutex::new(Shared::default());
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let shared = &shared;
                scope.spawn(move || {
                    let seed = round * THREADS + thread;
                    let mut rng = Random(seed);
                    let own = get(|out| stream::hipStreamCreateWithFlags(out, 1));
                    let mut blocks = Vec::new();
                    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        (0..300).for_each(|_| step(&mut rng, shared, &mut blocks, own));
                    }));
                    assert!(result.is_ok(), "seed {seed}");
                    blocks.iter().for_each(|b| ok(memory::hipFree(b.address)));
                    ok(stream::hipStreamDestroy(own));
                });
            }
        });
        ok(device::hipDeviceSynchronize());
        if Instant::now() > end {
            break;
        }
    }
}
