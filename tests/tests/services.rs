//! What kernels ask of the host: printf and assertions in packets, malloc and free, OpenCL's printf in a buffer. Device libraries are AMD's, as
//! compilers link them in; expected text is what C's printf writes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use wavejit::{Arg, Buffer, Device, DeviceConfig, Engine, Launch, Module, Stream};

type Said = Arc<Mutex<Vec<(Stream, String)>>>;

fn devices() -> impl Iterator<Item = (Device, Said)> {
    [(Engine::Jit, 1, false), (Engine::Jit, 4, false), (Engine::Interp, 2, false), (Engine::Jit, 1, true)].into_iter().map(
        |(engine, threads, deterministic)| {
            let device = Device::new(DeviceConfig { engine, threads, deterministic, ..Default::default() }).expect("a device");
            let said = Said::default();
            let to = said.clone();
            device.set_print(Box::new(move |stream, text| {
                to.lock().expect("no panic").push((stream, String::from_utf8(text.to_vec()).expect("ASCII")));
            }));
            (device, said)
        },
    )
}

fn module(device: &Device, name: &str) -> Module {
    let file = wavejit_tests::root().join(format!("shaders/bin/{name}.gfx1100.wave32.hsaco"));
    device.load(&std::fs::read(file).expect("the code object")).expect("it loads")
}

fn dwords(buffer: &Buffer) -> Vec<i32> {
    buffer.to_vec().expect("it can be read").chunks(4).map(|b| i32::from_le_bytes(b.try_into().expect("four bytes"))).collect()
}

fn qwords(buffer: &Buffer) -> Vec<u64> {
    buffer.to_vec().expect("it can be read").chunks(8).map(|b| u64::from_le_bytes(b.try_into().expect("eight bytes"))).collect()
}

#[test]
fn printf_prints_a_line_for_each_work_item() {
    let n = 300;
    let line = |i: i64| {
        let (word, letter) = (if i % 2 == 1 { "odd" } else { "even" }, (b'a'.wrapping_add(i as u8)) as char);
        let pointer = if i == 0 { "(nil)".to_string() } else { format!("{:#x}", 0x1000 * i) };
        format!("a name of some length {i}: {:5.2} {:x}|{letter}   |{} {word} {pointer} %\n", i as f64 * 1.25, i + 250, -1 - i)
    };
    // Letters behind ASCII are no text.
    let n = n.min(i64::from(b'~' - b'a'));
    for (device, said) in devices() {
        let out = device.alloc(4 * n as usize).expect("memory");
        let name = device.upload(b"a name of some length\0").expect("memory");
        let args = [Arg::Buffer(&out), Arg::Buffer(&name), Arg::I32(n as i32)];
        let kernel = module(&device, "host_calls").kernel("say").expect("a kernel");
        kernel.launch(&Launch::new([64, 1, 1], [32, 1, 1], &args)).expect("it runs");
        let said = std::mem::take(&mut *said.lock().expect("no panic"));
        let mut lines: Vec<String> =
            said.into_iter().map(|(stream, text)| (stream == Stream::Out).then_some(text).expect("output")).collect();
        let mut want: Vec<String> = (0..n).map(line).collect();
        let lengths: Vec<i32> = want.iter().map(|l| l.len() as i32).collect();
        assert_eq!(dwords(&out), lengths, "printf returns the bytes it wrote");
        // Lanes go in order; waves may interleave.
        let wave = |l: &String| l.rsplit_once(": ").is_some_and(|(head, _)| head.ends_with(char::is_numeric));
        assert!(lines.iter().all(wave));
        lines.sort();
        want.sort();
        assert_eq!(lines, want);
    }
}

#[test]
fn assertions_print_and_trap() {
    for (device, said) in devices() {
        let values: Vec<u8> = (0..64i32).flat_map(|i| (i % 40).to_le_bytes()).collect();
        let values = device.upload(&values).expect("memory");
        let kernel = module(&device, "host_calls").kernel("check").expect("a kernel");
        let launch = |limit| kernel.launch(&Launch::new([64, 1, 1], [64, 1, 1], &[Arg::Buffer(&values), Arg::I32(limit)]));
        launch(40).expect("no assertion fails");
        assert!(said.lock().expect("no panic").is_empty());
        let error = launch(38).expect_err("two lanes fail").to_string();
        assert!(error.contains("trap") && error.contains("check"), "{error}");
        let said = said.lock().expect("no panic");
        let expected = (Stream::Err, "check: Assertion `value[i] < limit' failed.\n".to_string());
        assert_eq!(*said, vec![expected; 2], "lanes 38 and 39 of the first wave, which ends the dispatch");
    }
}

#[test]
fn kernels_allocate_and_free() {
    let (lanes, n) = (256u64, 40u64);
    for (device, said) in devices() {
        let (sum, kept) = (device.alloc(8 * lanes as usize).expect("memory"), device.alloc(8 * lanes as usize).expect("memory"));
        let kernel = module(&device, "host_heap").kernel("host_heap").expect("a kernel");
        let args = [Arg::Buffer(&sum), Arg::Buffer(&kept), Arg::I32(n as i32)];
        // The second launch finds the heap as the first has left it.
        for _ in 0..2 {
            kernel.launch(&Launch::new([lanes as u32, 1, 1], [64, 1, 1], &args)).expect("it runs");
            assert_eq!(qwords(&sum), (1..=lanes).map(|i| i * n * (n + 1) / 2).collect::<Vec<_>>());
        }
        let mut nodes = BTreeMap::new();
        for (lane, first) in qwords(&kept).into_iter().enumerate() {
            let (mut node, mut values) = (first, vec![]);
            while node != 0 {
                let mut bytes = [0; 12];
                device.memory().read(node, &mut bytes).expect("a node");
                let (next, value) = bytes.split_at(8);
                assert!(nodes.insert(node, lane).is_none(), "a node of two lists");
                node = u64::from_le_bytes(next.try_into().expect("eight bytes"));
                values.push(i32::from_le_bytes(value.try_into().expect("four bytes")) / (lane as i32 + 1));
            }
            values.sort_unstable();
            assert_eq!(values, (0..n as i32).map(|k| k + 1).filter(|v| v % 2 == 1).collect::<Vec<_>>(), "lane {lane}");
        }
        assert!(said.lock().expect("no panic").is_empty());
    }
}

#[test]
fn large_pieces_come_from_the_host_and_go_back() {
    for (device, _) in devices() {
        let out = device.alloc(8 * 64).expect("memory");
        let kernel = module(&device, "host_calls").kernel("large").expect("a kernel");
        for bytes in [5000u64, 1 << 20, 3 << 20] {
            kernel.launch(&Launch::new([64, 1, 1], [64, 1, 1], &[Arg::Buffer(&out), Arg::U64(bytes)])).expect("it runs");
            assert_eq!(qwords(&out), (0..64).map(|i| 4 * i).collect::<Vec<_>>());
        }
    }
}

#[test]
fn records_of_opencl_are_printed_when_the_dispatch_has_ended() {
    let n = 20;
    for (device, said) in devices() {
        let x: Vec<u8> = (0..n).flat_map(|i| (i as f32 / 8.0).to_le_bytes()).collect();
        let x = device.upload(&x).expect("memory");
        let kernel = module(&device, "host_print").kernel("host_print").expect("a kernel");
        kernel.launch(&Launch::new([32, 1, 1], [32, 1, 1], &[Arg::Buffer(&x), Arg::I32(n)])).expect("it runs");
        let said = said.lock().expect("no panic");
        let mut lines: Vec<String> = said.iter().map(|(_, text)| text.clone()).collect();
        let mut want: Vec<String> = (0..n)
            .flat_map(|i| {
                let x = f64::from(i) / 8.0;
                // Ties go to even, as C has it.
                let cents = |v: f64| format!("{v:.2}");
                let [a, b, c, d] = [1.0, 2.0, 3.0, 4.0].map(|k| format!("{:.6}", x * k));
                let letter = char::from(b'A' + i as u8);
                [
                    format!("{i}: {}, text: with \"colons\"\n", cents(x)),
                    format!("{a},{b},{c},{d}|{i},{},{}|{}|{letter}\n", -i, 2 * i, i - 5),
                ]
            })
            .collect();
        lines.sort();
        want.sort();
        assert_eq!(lines, want);
    }
}
