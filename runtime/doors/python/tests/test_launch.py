"""Kernels with NumPy arrays; expected values are NumPy's."""

import math

import numpy as np
import pytest
from conftest import shader

import wavejit


def triad(device):
    return device.module(shader("triad"))["triad"]


def inputs(n=1000):
    return np.arange(n, dtype=np.float32), (1 / np.arange(1, n + 1)).astype(np.float32)


def test_arrays_go_in_and_come_back(device):
    a, b = inputs()
    out = np.zeros(1000, np.float32)
    stats = triad(device).launch(1000, 256, out, a, b, 2.5, 1000)
    assert np.array_equal(out, np.float32(2.5 * b.astype(np.float64) + a))
    assert (stats.workgroups, stats.waves) == (4, 32)
    assert stats.instructions > 0 and stats.run_seconds > 0


def test_buffers_stay_on_the_device(device):
    a, b = inputs()
    out = device.alloc(4000)
    kernel = triad(device)
    kernel.launch(1000, 256, out, device.upload(a), device.upload(b), 1.0, 1000)
    kernel.launch(1000, 256, out, out, device.upload(b), 1.0, 1000)
    assert np.allclose(out.numpy("float32"), a + 2 * b)


def test_arrays_that_overlap_are_one_memory(device):
    # out = a + scale * b in place, and with views that share bytes in part.
    whole = np.arange(2000, dtype=np.float32)
    expected = whole.copy()
    expected[500:1500] += 2 * whole[:1000].astype(np.float32)
    sources = whole.copy()
    triad(device).launch(1000, 256, whole[500:1500], whole[500:1500], sources[:1000], 2.0, 1000)
    assert np.array_equal(whole, expected)
    a = np.ones(1000, np.float32)
    triad(device).launch(1000, 256, a, a, a, 1.0, 1000)
    assert (a == 2).all()


def test_only_what_may_be_written_is_copied_back(isolated):
    # The last argument of the histogram's input is const; `bins` is not.
    data = np.random.default_rng(1).integers(0, 256, 4096, dtype=np.uint8)
    bins = np.zeros(256, np.uint32)
    kernel = isolated.module(shader("histogram"))["histogram"]
    kernel.launch(512, 128, data, wavejit.In(bins), len(data) // 4)
    assert not bins.any()
    kernel.launch(512, 128, data, bins, len(data) // 4)
    assert np.array_equal(bins, np.bincount(data, minlength=256))
    # What was there is added to, unless it is Out.
    kernel.launch(512, 128, data, bins, len(data) // 4)
    assert np.array_equal(bins, 2 * np.bincount(data, minlength=256))
    kernel.launch(512, 128, data, wavejit.Out(bins), len(data) // 4)
    assert np.array_equal(bins, np.bincount(data, minlength=256))
    frozen = bins.copy()
    frozen.flags.writeable = False
    kernel.launch(512, 128, data, frozen, len(data) // 4)
    assert np.array_equal(frozen, bins)
    with pytest.raises(wavejit.ArgumentError, match="read-only"):
        kernel.launch(512, 128, data, wavejit.Out(frozen), len(data) // 4)


def test_matrices_of_two_dimensions(device):
    rng = np.random.default_rng(2)
    m, n, k = 70, 50, 40
    a, b = rng.standard_normal((m, k), dtype=np.float32), rng.standard_normal((k, n), dtype=np.float32)
    c = np.zeros((m, n), np.float32)
    device.module(shader("sgemm_block"))["sgemm_block"].launch((32, 48), (16, 16), a, b, c, m, n, k)
    assert np.allclose(c, a @ b, atol=1e-4)


def test_numbers_become_what_the_kernel_declares(device):
    # long, short and the rest of `arguments` are summed up as in shaders/arguments.cl.
    kernel = device.module(shader("arguments"))["arguments"]
    many = np.arange(16, dtype=np.uint32) + 100
    record = np.zeros(1, np.dtype({"names": ["tag", "v", "tail"], "formats": ["u1", "3u4", "i2"], "offsets": [0, 16, 32], "itemsize": 48}))
    record["tag"], record["v"], record["tail"] = 7, (1, 2, 3), -4
    out = np.zeros(4, np.uint64)
    kernel.launch(4, 4, out, -5, np.int64(-300), (1, -2, 3), record.tobytes(), np.float32(2.5), many, 200)
    mask = (1 << 64) - 1
    x = (-5 + (-300 << 8) + (1 - 6 + 15)) & mask
    x = (x * 31 + 7 + 1 + 14 + 33 - 4) & mask
    x = (x * 31 + int(np.float64(2.5).view(np.uint64))) & mask
    x = (x * 31 + 100 + 2 * 107 + 3 * 115 + 200) & mask
    assert [int(n) for n in out] == [(x + i) & mask for i in range(4)]


def test_hip_kernels_take_numbers_by_their_size(device):
    kernel = device.module(shader("hip_saxpy"))["hip_saxpy"]
    assert kernel.args[2].dtype is None and kernel.args[2].nbytes == 4
    x, y = np.ones(128, np.float32), np.zeros(128, np.float32)
    kernel.launch(128, 128, y, x, 3.0, 128)
    assert (y == 4).all()


def test_lds_is_given_by_its_size(device):
    n = 64
    data = np.random.default_rng(3).integers(0, 1 << 32, n, dtype=np.uint32)
    out = np.zeros(n, np.uint32)
    device.module(shader("dynamic_lds"))["dynamic_lds"].launch(n, n, data, out, wavejit.Local(4 * n), wavejit.Local(2 * n))
    total = int(sum(int(v) & 0xFF for v in data)) & 0xFFFFFFFF
    b = data >> 16
    expected = [int(data[n - 1 - i]) ^ int(b[(i + 1) % n]) ^ (total << 8 & 0xFFFFFFFF) for i in range(n)]
    assert out.tolist() == expected


def test_parts_see_the_whole_grid(device):
    a, b = inputs()
    whole, parts = np.zeros(1000, np.float32), np.zeros(1000, np.float32)
    kernel = triad(device)
    kernel.launch(1000, 256, whole, a, b, 2.0, 1000)
    assert kernel.launch(1000, 256, parts, a, b, 2.0, 1000, part=(3, 1)).workgroups == 1
    assert np.array_equal(parts[768:], whole[768:]) and not parts[:768].any()
    kernel.launch(1000, 256, parts, a, b, 2.0, 1000, part=((0,), (3,)))
    assert np.array_equal(parts, whole)


def test_a_packed_segment_is_taken_as_it_is(isolated):
    a, b = inputs()
    out, a, b = isolated.alloc(4000), isolated.upload(a), isolated.upload(b)
    packed = np.array([out.address, a.address, b.address], np.uint64).tobytes()
    packed += np.float32(1).tobytes() + np.int32(1000).tobytes()
    hidden = np.zeros(1, np.dtype([("blocks", "3u4"), ("sizes", "3u2"), ("rest", "3u2")]))
    hidden["blocks"], hidden["sizes"], hidden["rest"] = (3, 1, 1), (256, 1, 1), (232, 0, 0)
    triad(isolated).launch(1000, 256, kernarg=packed + hidden.tobytes())
    assert math.isclose(out.numpy("float32")[999], 999 + 1 / 1000, rel_tol=1e-6)


def test_devices_do_not_share_memory(isolated):
    a, b = inputs()
    other = wavejit.Device(threads=1)
    with pytest.raises(wavejit.ArgumentError, match="argument 1 .* another device"):
        triad(isolated).launch(1000, 256, isolated.alloc(4000), other.upload(a), b, 1.0, 1000)


def test_a_mandelbrot_picture(device):
    w, h, limit = 96, 64, 100
    image = np.zeros((h, w), np.uint8)
    left, top, step = -2.2, -1.2, 0.0375
    device.module(shader("mandelbrot"))["mandelbrot"].launch((w, h), (16, 16), image, left, top, step, w, h, limit)
    # A point is in the set if it does not escape; a step of error is allowed at the rim.
    c = (np.arange(w) * step + left)[None, :] + 1j * (np.arange(h) * step + top)[:, None]
    z = np.zeros_like(c)
    inside = np.ones(c.shape, bool)
    for _ in range(limit):
        z[inside] = z[inside] ** 2 + c[inside]
        inside &= np.abs(z) <= 2
    assert np.mean((image == 0) == inside) > 0.99
