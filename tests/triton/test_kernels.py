"""Runs the kernels of kernels.py by Triton's JIT and launcher on wavejit, and compares with numpy. Names as arguments choose tests.

Each test says what its kernel may differ by: nothing for integers and for what is exact, else a bound relative to the largest value.
"""

import sys
import traceback

import numpy as np

import device
import kernels
import triton
import triton.language as tl
from device import Tensor, from_bf16, to_bf16, zeros


def close(found, expected, tolerance):
    """Refuses differences beyond a part of the largest expected value."""
    found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    assert found.shape == expected.shape and np.isfinite(found).all()
    worst = np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-30)
    assert worst <= tolerance, f"off by {worst:.3g} of the largest value"


def same(found, expected):
    """Refuses any difference."""
    expected = np.asarray(expected)
    wrong = np.flatnonzero(found.ravel() != expected.ravel())
    assert wrong.size == 0, f"{wrong.size} of {found.size} differ, first at {wrong[0]}: {found.ravel()[wrong[0]]} for {expected.ravel()[wrong[0]]}"


def rng(seed):
    return np.random.default_rng(seed)


def test_vector_add():
    n = 100_003
    x, y = rng(1).standard_normal((2, n), np.float32)
    for block, warps in [(256, 1), (1024, 4), (4096, 8)]:
        out = zeros(n, np.float32)
        kernels.vector_add[(triton.cdiv(n, block),)](Tensor(x), Tensor(y), out, n, BLOCK=block, num_warps=warps)
        same(out.numpy(), x + y)


def test_softmax():
    for rows, columns in [(37, 781), (5, 64), (3, 4096)]:
        x = rng(columns).standard_normal((rows, columns), np.float32)
        out = zeros(x.shape, np.float32)
        kernels.softmax[(rows,)](Tensor(x), out, columns, BLOCK=triton.next_power_of_2(columns))
        powers = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
        close(out.numpy(), powers / powers.sum(1, keepdims=True), 1e-6)


def test_layer_norm():
    rows, columns = 19, 1151
    r = rng(3)
    x = r.standard_normal((rows, columns), np.float32) * 3 + 1
    weight, bias = r.standard_normal((2, columns), np.float32)
    out, mean = zeros(x.shape, np.float32), zeros(rows, np.float32)
    kernels.layer_norm[(rows,)](Tensor(x), Tensor(weight), Tensor(bias), out, mean, columns, 1e-5, BLOCK=512)
    exact = x.astype(np.float64)
    expected = (exact - exact.mean(1, keepdims=True)) / np.sqrt(exact.var(1, keepdims=True) + 1e-5) * weight + bias
    close(mean.numpy(), exact.mean(1), 1e-6)
    close(out.numpy(), expected, 1e-5)


def matmul(a, b, out, exact_a, exact_b, acc, read, tolerance, block=(32, 32, 32), warps=4):
    (M, K), N = exact_a.shape, exact_b.shape[1]
    bm, bn, bk = block
    kernels.matmul[(triton.cdiv(M, bm), triton.cdiv(N, bn))](a, b, out, M, N, K, ACC=acc, BM=bm, BN=bn, BK=bk, num_warps=warps)
    expected = exact_a.astype(np.float64) @ exact_b.astype(np.float64)
    close(read(out.numpy()), expected, tolerance)


SIZES = [((64, 96), (96, 64), (32, 32, 32), 4), ((100, 77), (77, 130), (64, 64, 32), 4), ((16, 512), (512, 16), (16, 16, 64), 1)]


def test_matmul_f32():
    for a_shape, b_shape, block, warps in SIZES:
        a, b = rng(4).standard_normal(a_shape, np.float32), rng(5).standard_normal(b_shape, np.float32)
        out = zeros((a_shape[0], b_shape[1]), np.float32)
        matmul(Tensor(a), Tensor(b), out, a, b, tl.float32, lambda x: x, 1e-5, block, warps)


def test_matmul_f16():
    for a_shape, b_shape, block, warps in SIZES:
        a, b = rng(6).standard_normal(a_shape).astype(np.float16), rng(7).standard_normal(b_shape).astype(np.float16)
        out = zeros((a_shape[0], b_shape[1]), np.float32)
        matmul(Tensor(a), Tensor(b), out, a, b, tl.float32, lambda x: x, 1e-5, block, warps)
        half = zeros((a_shape[0], b_shape[1]), np.float16)
        matmul(Tensor(a), Tensor(b), half, a, b, tl.float32, lambda x: x, 1e-3, block, warps)


def test_matmul_bf16():
    for a_shape, b_shape, block, warps in SIZES:
        a, b = to_bf16(rng(8).standard_normal(a_shape)), to_bf16(rng(9).standard_normal(b_shape))
        out = Tensor(np.zeros((a_shape[0], b_shape[1]), np.uint16), "bfloat16")
        matmul(Tensor(a, "bfloat16"), Tensor(b, "bfloat16"), out, from_bf16(a), from_bf16(b), tl.float32, from_bf16, 5e-3, block, warps)


def test_matmul_int8():
    for a_shape, b_shape, block, warps in SIZES:
        a, b = rng(10).integers(-128, 128, a_shape, np.int8), rng(11).integers(-128, 128, b_shape, np.int8)
        out = zeros((a_shape[0], b_shape[1]), np.int32)
        matmul(Tensor(a), Tensor(b), out, a, b, tl.int32, lambda x: x, 0, block, warps)


def attention(q, k, v, causal):
    scores = np.einsum("hmd,hnd->hmn", q, k) / np.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[1:], bool)), scores, -np.inf)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True) @ v


def test_flash_attention():
    for heads, length, dim, causal, warps, kind in [
        (2, 128, 64, False, 4, "f16"),
        (3, 100, 32, True, 4, "f16"),
        (1, 192, 64, True, 2, "bf16"),
        (2, 70, 16, False, 1, "f32"),
    ]:
        q, k, v = rng(length).standard_normal((3, heads, length, dim), np.float32)
        if kind == "f16":
            tensors = [Tensor(x.astype(np.float16)) for x in (q, k, v)]
            exact = [x.astype(np.float16).astype(np.float64) for x in (q, k, v)]
            out, read, tolerance = zeros(q.shape, np.float16), lambda x: x, 2e-3
        elif kind == "bf16":
            tensors = [Tensor(to_bf16(x), "bfloat16") for x in (q, k, v)]
            exact = [from_bf16(to_bf16(x)).astype(np.float64) for x in (q, k, v)]
            out, read, tolerance = Tensor(np.zeros(q.shape, np.uint16), "bfloat16"), from_bf16, 1e-2
        else:
            tensors, exact = [Tensor(x) for x in (q, k, v)], [x.astype(np.float64) for x in (q, k, v)]
            out, read, tolerance = zeros(q.shape, np.float32), lambda x: x, 1e-5
        grid = (triton.cdiv(length, 32), heads)
        kernels.attention[grid](*tensors, out, length, dim**-0.5, CAUSAL=causal, DIM=dim, BM=32, BN=32, num_warps=warps, num_stages=1)
        close(read(out.numpy()), attention(*exact, causal), tolerance)


def test_scan():
    rows, columns = 16, 128
    x = rng(12).integers(-50, 50, (rows, columns)).astype(np.float32)
    sums, backward, tops, products, filled = (zeros(x.shape, np.float32) for _ in range(5))
    kernels.scans[(1,)](Tensor(x), sums, backward, tops, products, filled, ROWS=rows, COLUMNS=columns)
    same(sums.numpy(), np.cumsum(x, 1))
    same(backward.numpy(), np.cumsum(x[::-1], 0)[::-1])
    same(tops.numpy(), np.maximum.accumulate(x, 1))
    close(products.numpy(), np.cumprod(1 + x.astype(np.float64) / 64, 0), 1e-5)
    places = np.maximum.accumulate(np.where(x > 0, np.arange(columns), -1), 1)
    expected = np.where(places >= 0, np.take_along_axis(x, np.maximum(places, 0), 1), x)
    # Before the first that is set the combination keeps the leftmost value.
    expected = np.where(places >= 0, expected, x[:, :1])
    same(filled.numpy(), expected)


def test_sort():
    for columns, kind in [(256, np.float32), (64, np.int32), (1024, np.int16)]:
        x = rng(columns).permutation(7 * columns)[: 3 * columns].reshape(3, columns).astype(kind) - 300
        for descending in (False, True):
            out = zeros(x.shape, kind)
            kernels.sort_rows[(3,)](Tensor(x), out, COLUMNS=columns, DESCENDING=descending)
            expected = np.sort(x, 1)
            same(out.numpy(), expected[:, ::-1] if descending else expected)


def test_histogram():
    n = 10_007
    for bins in (16, 128, 512):
        x = (rng(bins).random(n) ** 2 * bins).astype(np.int32)
        out = zeros(bins, np.int32)
        kernels.histogram[(triton.cdiv(n, 1024),)](Tensor(x), out, n, BLOCK=1024, BINS=bins)
        same(out.numpy(), np.bincount(x, minlength=bins))


def philox(seed, counter):
    """Philox 4x32-10 (Salmon and others, 2011) of a counter in the first of four words; the key is the seed's two words."""
    words = [counter.astype(np.uint64), *(np.zeros(counter.shape, np.uint64) for _ in range(3))]
    key = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)]
    low = np.uint64(0xFFFFFFFF)
    for _ in range(10):
        a, b = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        words = [b >> np.uint64(32) ^ words[1] ^ key[0], b & low, a >> np.uint64(32) ^ words[3] ^ key[1], a & low]
        key = [key[0] + np.uint64(0x9E3779B9) & low, key[1] + np.uint64(0xBB67AE85) & low]
    return np.stack(words, -1).astype(np.uint32)


def unit(words):
    """As Triton makes a float of 0 to 1 of an integer."""
    signed = words.view(np.int32).astype(np.int64)
    return np.where(signed < 0, -signed - 1, signed).astype(np.float32) * np.float32(4.6566127342e-10)


def test_random():
    n, block = 4096, 512
    for seed in (0, 123456789, 0x1234_5678_9ABC):
        ints, floats, normals = zeros((n, 4), np.uint32), zeros(n, np.float32), zeros(n, np.float32)
        kernels.random_numbers[(n // block,)](ints, floats, normals, seed, BLOCK=block)
        expected = philox(seed, np.arange(n))
        same(ints.numpy(), expected)
        same(floats.numpy(), unit(expected[:, 0].copy()))
        first, second = (unit(expected[:, i].copy()).astype(np.float64) for i in (0, 1))
        close(normals.numpy(), np.sqrt(-2 * np.log(np.maximum(first, 1e-7))) * np.cos(2 * np.pi * second), 1e-5)


def test_atomics():
    n, places = 5000, 7
    x = rng(13).integers(-1000, 1000, n, np.int32)
    place = rng(14).integers(0, places, n, np.int32)
    adds, tops, lows, bits = (zeros(places, np.int32) for _ in range(4))
    fadds, swaps, old = zeros(places, np.float32), zeros(n, np.int32), zeros(n, np.int32)
    kernels.atomics[(triton.cdiv(n, 256),)](Tensor(x), Tensor(place), adds, fadds, tops, lows, bits, swaps, old, n, BLOCK=256)
    counts = np.bincount(place, minlength=places)
    same(adds.numpy(), counts)
    close(fadds.numpy(), np.bincount(place, x, places), 1e-6)
    of = [x[place == p] for p in range(places)]
    same(tops.numpy(), [max(v.max(), 0) for v in of])
    same(lows.numpy(), [min(v.min(), 0) for v in of])
    same(bits.numpy(), [np.bitwise_xor.reduce(v) for v in of])
    same(swaps.numpy(), x)
    came = old.numpy()
    for p in range(places):
        same(np.sort(came[place == p]), np.arange(counts[p]))
    lock, total = zeros(1, np.int32), zeros(1, np.int32)
    kernels.locked_sum[(100,)](lock, total, 5, num_warps=1)
    same(total.numpy(), [100 * 5 + 99 * 100 // 2])


def test_reductions():
    rows, columns = 8, 256
    x = rng(15).standard_normal((rows, columns), np.float32)
    index, smallest, sums = zeros(rows, np.int32), zeros(columns, np.float32), zeros(rows, np.int32)
    kernels.reductions[(1,)](Tensor(x), index, smallest, sums, ROWS=rows, COLUMNS=columns)
    same(index.numpy(), x.argmax(1))
    same(smallest.numpy(), x.min(0))
    same(sums.numpy(), np.bitwise_xor.reduce((x * 1024).astype(np.int32), 1))


def test_shapes():
    rows, columns = 16, 64
    x = rng(16).standard_normal((rows, columns), np.float32)
    index = rng(17).integers(0, columns, (rows, columns), np.int32)
    turned, joined, picked = zeros((columns, rows), np.float32), zeros((rows, 2 * columns), np.float32), zeros(x.shape, np.float32)
    kernels.shapes[(1,)](Tensor(x), turned, joined, picked, Tensor(index), ROWS=rows, COLUMNS=columns)
    same(turned.numpy(), x.T)
    same(joined.numpy(), np.stack([x, -x], -1).reshape(rows, -1))
    same(picked.numpy(), np.take_along_axis(x, index, 1))


def test_functions():
    from math import erf

    n = 1024
    x = (rng(18).random(n, np.float32) * 8 + 0.01).astype(np.float32)
    out = zeros((13, n), np.float32)
    kernels.functions[(1,)](Tensor(x), out, n, BLOCK=n)
    v = x.astype(np.float64)
    exact = [np.exp(v), np.log(v), np.sin(v), np.cos(v), np.sqrt(v), 1 / np.sqrt(v), np.array([erf(a) for a in v]), np.floor(v), v * v + v]
    exact += [1 / (1 + np.exp(-v)), v / (v + 1), x.astype(np.float16), from_bf16(to_bf16(x))]
    for i, (found, expected) in enumerate(zip(out.numpy(), exact)):
        close(found, expected, 0 if i in (7, 11, 12) else 1e-6)


def test_print():
    # run.sh looks for what this prints.
    kernels.print_values[(1,)](Tensor(np.arange(32, dtype=np.int32) * 3), BLOCK=32, num_warps=1)
    device.check(device.hip.hipDeviceSynchronize())


def main(names):
    tests = {name[5:]: test for name, test in globals().items() if name.startswith("test_")}
    failed = []
    for name in names or tests:
        try:
            tests[name]()
            print(f"{name}: ok", flush=True)
        except Exception:
            traceback.print_exc()
            print(f"{name}: failed", flush=True)
            failed.append(name)
    print("failed: " + ", ".join(failed) if failed else "ok")
    return bool(failed)


sys.exit(main(sys.argv[1:]))
