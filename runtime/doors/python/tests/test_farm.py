"""Launches in parts, merged; expected are the results of one launch, and NumPy's."""

import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import shader

import wavejit
from wavejit import farm as farms


class Here:
    """Runs parts one after the other in this process: the rules of merging, without processes."""

    workers = 3

    def run(self, function, common, items):
        return [function(common, item) for item in items]

    def close(self):
        pass


@pytest.fixture
def here():
    with farms.Farm(Here(), threads=1) as farm:
        yield farm


@pytest.mark.parametrize("parts", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("groups", [(1, 1, 1), (5, 1, 1), (4, 3, 2), (2, 9, 1), (1000, 3, 3)])
def test_ranges_cover_each_workgroup_once(groups, parts):
    seen = np.zeros(groups, int)
    ranges = farms.split(groups, parts)
    for first, count in ranges:
        assert min(count) > 0
        seen[tuple(slice(f, f + c) for f, c in zip(first, count, strict=True))] += 1
    assert (seen == 1).all() and len(ranges) <= parts


def test_parts_make_one_picture(here):
    w, h = 96, 64
    args = (-2.2, -1.2, 0.0375, w, h, 100)
    whole, parts = np.zeros((h, w), np.uint8), np.zeros((h, w), np.uint8)
    wavejit.Device().module(shader("mandelbrot"))["mandelbrot"].launch((w, h), (16, 16), whole, *args)
    done = here.launch(shader("mandelbrot"), "mandelbrot", (w, h), (16, 16), parts, *args, parts=3)
    assert np.array_equal(whole, parts)
    # 6 x 4 workgroups: the rows are split.
    assert [(p.first, p.count, p.workgroups) for p in done] == [((0, 0, 0), (6, 1, 1), 6), ((0, 1, 0), (6, 1, 1), 6), ((0, 2, 0), (6, 2, 1), 12)]
    out = np.full((h, w), 9, np.uint8)
    here.launch(shader("mandelbrot"), "mandelbrot", (w, h), (16, 16), wavejit.Out(out), *args)
    assert np.array_equal(whole, out)


def test_ids_and_sizes_are_those_of_the_whole_grid(here):
    # A grid with partial workgroups in each dimension, on kernels that write what they are told.
    a, b = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    out = np.zeros(1000, np.float32)
    done = here.launch(shader("triad"), "triad", 1000, 64, out, a, b, 2.0, 1000, parts=5)
    assert np.array_equal(out, a + 2) and sum(p.workgroups for p in done) == 16


def test_sums_are_added_and_conflicts_are_named(here):
    data = np.random.default_rng(4).integers(0, 256, 8192, dtype=np.uint8)
    bins = np.full(256, 5, np.uint32)
    here.launch(shader("histogram"), "histogram", 512, 128, data, farms.Sum(bins), len(data) // 4, parts=4)
    assert np.array_equal(bins, 5 + np.bincount(data, minlength=256))
    before = bins.copy()
    with pytest.raises(farms.Conflict, match="argument 1: .*Sum") as caught:
        here.launch(shader("histogram"), "histogram", 512, 128, data, bins, len(data) // 4, parts=4)
    conflict = caught.value
    assert (conflict.argument, conflict.parts) == (1, (((0, 0, 0), (1, 1, 1)), ((1, 0, 0), (1, 1, 1))))
    assert conflict.count > 0 and np.array_equal(bins, before)


def test_a_fault_of_a_part_changes_nothing(here):
    array = np.arange(256, dtype=np.uint32)
    with pytest.raises(wavejit.Fault) as caught:
        here.launch(shader("faults"), "wild_store", 128, 32, array, parts=2)
    assert caught.value.lane == 5 and caught.value.__notes__ == ["in the part of (2, 1, 1) workgroups from (0, 0, 0) on"]
    assert np.array_equal(array, np.arange(256))


def test_buffers_and_strange_arrays_are_refused(here):
    buffer = wavejit.Device(threads=1).alloc(64)
    for wrong in [buffer, np.zeros((8, 8), np.float32)[:, 0]]:
        with pytest.raises(wavejit.ArgumentError, match="argument 0"):
            here.launch(shader("triad"), "triad", 64, 64, wrong, None, None, 1.0, 0)


def test_a_sweep_is_many_launches(here):
    a, b = np.arange(100, dtype=np.float32), np.ones(100, np.float32)
    outs = [np.zeros(100, np.float32) for _ in range(5)]
    cases = [farms.Case(100, 32, (out, a, b, float(i), 100)) for i, out in enumerate(outs)]
    done = here.sweep(shader("triad"), "triad", cases)
    assert all(np.array_equal(out, a + i) for i, out in enumerate(outs)) and len(done) == 5
    cases.append(farms.Case(100, 32, (outs[0], a, b, "x", 100)))
    with pytest.raises(wavejit.ArgumentError) as caught:
        here.sweep(shader("triad"), "triad", cases)
    assert caught.value.__notes__ == ["in case 5"]


def check_processes(farm):
    w, h = 192, 128
    args = (-2.2, -1.2, 0.01875, w, h, 200)
    whole, parts = np.zeros((h, w), np.uint8), np.zeros((h, w), np.uint8)
    wavejit.Device().module(shader("mandelbrot"))["mandelbrot"].launch((w, h), (16, 16), whole, *args)
    done = farm.launch(shader("mandelbrot"), "mandelbrot", (w, h), (16, 16), parts, *args, parts=8)
    assert np.array_equal(whole, parts) and len(done) == 8
    assert all(not p.worker.endswith(f":{os.getpid()}") for p in done)
    bins, data = np.zeros(256, np.uint32), np.random.default_rng(5).integers(0, 256, 8192, dtype=np.uint8)
    farm.launch(shader("histogram"), "histogram", 512, 128, data, farms.Sum(bins), len(data) // 4)
    assert np.array_equal(bins, np.bincount(data, minlength=256))
    outs = [np.zeros(64, np.float32) for _ in range(3)]
    farm.sweep(shader("triad"), "triad", [farms.Case(64, 64, (out, bins.astype(np.float32)[:64], outs[0], float(i), 64)) for i, out in enumerate(outs)])
    with pytest.raises(wavejit.Fault) as caught:
        farm.launch(shader("faults"), "wild_store", 64, 32, np.zeros(256, np.uint32))
    assert caught.value.kernel == "wild_store" and caught.value.lane == 5


def test_local_processes():
    with farms.local(2) as farm:
        check_processes(farm)


def test_ray_workers():
    ray = pytest.importorskip("ray", reason="pip install ray")
    with farms.ray(init={"num_cpus": 2, "include_dashboard": False, "logging_level": "error"}) as farm:
        assert farm.pool.workers == 2
        check_processes(farm)
    assert not ray.is_initialized()


def test_without_ray_it_says_what_to_do():
    code = "import sys; sys.modules['ray'] = None\nfrom wavejit import farm\ntry: farm.ray()\nexcept farm.RayMissing as e: print(e)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pip install 'wavejit[farm]'" in said and "farm.local" in said
