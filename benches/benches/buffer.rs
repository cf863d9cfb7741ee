//! How many elements per second does one core load and store through buffer instructions? Millions of elements (one lane's access) per second of
//! one thread, for waves of 32, on 4 MiB of memory; `next`: lanes access one element after the other, `apart`: records of 32 bytes, `any`: in no
//! order.

use std::hint::black_box;
use wavejit_benches::{best, machine, ns_each};
use wavejit_texture::buffer::{BufferError, BufferOp, Rows, Scalars, execute};
use wavejit_texture::descriptor::{BufferDescriptor, BufferFormat};
use wavejit_texture::format::Format;
use wavejit_texture::memory::FlatMemory;
use wavejit_texture::{Generation, Wave};

const BASE: u64 = 0x1_0000_0000;
const BYTES: u32 = 4 << 20;
const LANES: usize = 32;
const WAVES: usize = 1000;

/// How lanes' elements lie to each other.
#[derive(Clone, Copy, Debug)]
enum Order {
    Next,
    Apart,
    Any,
    /// All the same.
    Same,
    /// One record after the other of a swizzled buffer: 16 bytes each, in elements of 4.
    Swizzled,
}

#[rustfmt::skip]
const CASES: [(&str, &str, Order); 27] = [
    ("buffer_load_b32",                "",                  Order::Next),
    ("buffer_load_b32",                "",                  Order::Same),
    ("buffer_load_b32",                "",                  Order::Any),
    ("buffer_load_b32",                "",                  Order::Swizzled),
    ("buffer_load_b128",               "",                  Order::Next),
    ("buffer_load_b128",               "",                  Order::Any),
    ("buffer_load_b128",               "",                  Order::Swizzled),
    ("buffer_store_b32",               "",                  Order::Next),
    ("buffer_store_b32",               "",                  Order::Any),
    ("buffer_store_b32",               "",                  Order::Swizzled),
    ("buffer_store_b128",              "",                  Order::Next),
    ("buffer_load_format_x",           "32_FLOAT",          Order::Next),
    ("buffer_load_format_xyzw",        "8_8_8_8_UNORM",     Order::Next),
    ("buffer_load_format_xyzw",        "8_8_8_8_UNORM",     Order::Apart),
    ("buffer_load_format_xyzw",        "8_8_8_8_UNORM",     Order::Any),
    ("buffer_load_format_xyzw",        "16_16_16_16_FLOAT", Order::Next),
    ("buffer_load_format_xyzw",        "32_32_32_32_FLOAT", Order::Next),
    ("buffer_load_format_xyzw",        "10_11_11_FLOAT",    Order::Next),
    ("buffer_load_d16_format_xyzw",    "16_16_16_16_FLOAT", Order::Next),
    ("tbuffer_load_format_xyz",        "32_32_32_FLOAT",    Order::Apart),
    ("tbuffer_load_format_xyzw",       "8_8_8_8_UNORM",     Order::Apart),
    ("buffer_store_format_xyzw",       "8_8_8_8_UNORM",     Order::Next),
    ("buffer_store_format_xyzw",       "8_8_8_8_UNORM",     Order::Any),
    ("buffer_store_format_xyzw",       "16_16_16_16_FLOAT", Order::Next),
    ("tbuffer_store_format_xyzw",      "32_32_32_32_FLOAT", Order::Next),
    ("buffer_load_format_xyzw",        "8_8_8_8_UNORM",     Order::Swizzled),
    ("buffer_atomic_add_u32",          "",                  Order::Any),
];

fn main() {
    println!("{}", machine());
    println!("{:32}{:20}{:10}{:>12}{:>10}", "", "format", "lanes", "Melement/s", "ns/wave");
    let memory = FlatMemory::new(BASE, (0..BYTES).map(|n| (n.wrapping_mul(0x9e37_79b9) >> 16) as u8 & 0x3b).collect());
    for (name, format, order) in CASES {
        match time(name, format, order, &memory) {
            Ok(ns) => {
                let order = format!("{order:?}").to_lowercase();
                println!("{name:32}{format:20}{order:10}{:12.0}{ns:10.1}", LANES as f64 / ns * 1e3);
            }
            Err(error) => println!("{name:32}{format:20}{error}"),
        }
    }
}

/// Nanoseconds per wave.
fn time(name: &str, format: &str, order: Order, memory: &FlatMemory) -> Result<f64, BufferError> {
    let generation = Generation::Gfx11;
    // A V# without a format would be unbound.
    let is_named =
        |&n: &u16| Format::unified(generation, n).is_some_and(|f| f.to_string() == if format.is_empty() { "32_UINT" } else { format });
    let number = (1..256).find(is_named).unwrap_or_default();
    let number = BufferFormat::Unified(number);
    let Some(mut op) = BufferOp::new(name, generation) else { return Ok(f64::NAN) };
    op.idxen = true;
    op.format = name.starts_with("tbuffer").then_some(number);
    let element = match name.rsplit_once("_b").and_then(|(_, bits)| bits.parse::<u32>().ok()) {
        Some(bits) => bits / 8,
        None => Format::find(generation, number).map_or(4, |f| f.bytes.into()),
    };
    let mut d = BufferDescriptor::new(generation, BASE, 0, number);
    d.stride = match order {
        Order::Next | Order::Same => element,
        Order::Apart => 32,
        Order::Any => element,
        Order::Swizzled => 16,
    };
    d.num_records = BYTES / d.stride;
    if let Order::Swizzled = order {
        (d.swizzle_bytes, d.index_stride) = (4, 32);
    }
    let mut state = 1_u32;
    let mut random = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    let records = d.num_records;
    let waves: Vec<[u32; LANES]> = (0..WAVES as u32)
        .map(|wave| {
            let first = wave * LANES as u32 % (records - 64);
            std::array::from_fn(|lane| match order {
                Order::Any => random() % records,
                Order::Same => first,
                _ => first + lane as u32,
            })
        })
        .collect();
    let mut rows = vec![0x3e80_0000; 12 * LANES];
    let places = Rows { address: [0, 0], data: [1, 2, 3, 4], dst: [5, 6, 7, 8, 9] };
    let mut done = Ok(());
    let time = best(300, || {
        for wave in &waves {
            rows[..LANES].copy_from_slice(wave);
            let mut wave = Wave::new(&mut rows, LANES, u64::MAX);
            done = done.and(execute(&op, black_box(&d), Scalars::default(), &mut wave, &places, &mut [], memory));
        }
    });
    done.map(|()| ns_each(time, WAVES as f64))
}
