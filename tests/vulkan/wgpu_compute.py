"""Compute through wgpu: numbers against numpy."""

import numpy as np
import wgpu
from wgpu.utils.compute import compute_with_buffers

SOURCE = """
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
var<workgroup> part: array<f32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) i: u32) {
    part[i] = a[id.x];
    workgroupBarrier();
    c[id.x] = part[63u - i] * f32(b[id.x]) + sqrt(a[id.x]);
}
"""

N = 64 * 100
print(wgpu.gpu.request_adapter_sync().info["device"])
a = np.random.default_rng(1).random(N, dtype=np.float32)
b = np.arange(N, dtype=np.int32) - N // 2
found = np.frombuffer(compute_with_buffers({0: memoryview(a), 1: memoryview(b)}, {2: (N, "f")}, SOURCE, n=N // 64)[2], dtype=np.float32)
expected = a.reshape(-1, 64)[:, ::-1].reshape(-1) * b + np.sqrt(a)
np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)
print("wgpu: ok")
