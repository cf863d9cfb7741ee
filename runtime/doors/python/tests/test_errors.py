"""Errors are exceptions with fields."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from conftest import shader

import wavejit


def faults(device, name):
    return device.module(shader("faults"))[name]


def test_a_fault_says_where(isolated):
    buffer = isolated.alloc(1024)
    with pytest.raises(wavejit.Fault) as caught:
        faults(isolated, "wild_store").launch(32, 32, buffer)
    fault = caught.value
    assert (fault.kernel, fault.workgroup, fault.wave, fault.lane, fault.cause) == ("wild_store", (0, 0, 0), 0, 5, "unmapped")
    assert fault.instruction.startswith("global_store_b32 v[2:3], v0")
    assert (fault.access, fault.access_bytes, fault.code) == ("store", 4, -4)
    assert fault.address == buffer.address + (1 << 52)
    assert fault.offset == fault.pc - fault.entry > 0
    assert "wild_store" in str(fault)
    again = pickle.loads(pickle.dumps(fault))
    assert (type(again), str(again), again.lane, again.workgroup) == (wavejit.Fault, str(fault), 5, (0, 0, 0))


@pytest.mark.parametrize(
    ("kernel", "cause"),
    [
        ("unknown_instruction", "no instruction"),
        ("misaligned_atomic", "misaligned"),
        ("wild_jump", "no code"),
        ("trapping", "trap"),
        ("buffer_of_blocks", "not implemented"),
    ],
)
def test_faults_have_causes(isolated, kernel, cause):
    with pytest.raises(wavejit.Fault) as caught:
        faults(isolated, kernel).launch(64, 64, np.zeros(256, np.uint32))
    assert caught.value.cause == cause


def test_arrays_stay_as_they_were_when_a_launch_fails(isolated):
    array = np.arange(256, dtype=np.uint32)
    with pytest.raises(wavejit.Fault):
        faults(isolated, "wild_store").launch(32, 32, array)
    assert np.array_equal(array, np.arange(256))


def test_a_budget_ends_a_launch(isolated):
    with pytest.raises(wavejit.BudgetExceeded) as caught:
        faults(isolated, "endless_loop").launch(32, 32, isolated.alloc(4), max_insts=1000)
    budget = caught.value
    assert (budget.kernel, budget.max_insts, budget.workgroup, budget.others) == ("endless_loop", 1000, (0, 0, 0), [])
    assert isinstance(budget, wavejit.LimitError) and budget.instruction


def test_interrupts_end_a_launch(isolated):
    # Programs in the background of a shell ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    kernel = faults(isolated, "endless_loop")
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        kernel.launch(32, 32, isolated.alloc(4))
    assert time.monotonic() - begun < 60
    timer.join()
    signal.signal(signal.SIGINT, before)


def test_other_threads_go_on_during_a_launch(isolated):
    # Without the lock released the counter would stand still: the launch ends when its budget does.
    count, stop = [0], threading.Event()

    def counting():
        while not stop.is_set():
            count[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=counting)
    thread.start()
    try:
        before = count[0]
        with pytest.raises(wavejit.BudgetExceeded):
            faults(isolated, "endless_loop").launch(32, 32, isolated.alloc(4), max_insts=200_000_000)
        assert count[0] > before
    finally:
        stop.set()
        thread.join()


def test_threads_may_launch_at_the_same_time(device):
    kernel = device.module(shader("triad"))["triad"]
    errors = []

    def work(seed):
        try:
            for i in range(20):
                a = np.full(512, seed + i, np.float32)
                out = np.zeros(512, np.float32)
                kernel.launch(512, 64, out, a, a, 1.0, 512)
                assert (out == 2 * (seed + i)).all()
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=work, args=(100 * t,)) for t in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "expected 5 arguments .*0: .*float"),
        ((1.5, None, None, 1.0, 1), "argument 0 .*expected an array or a Buffer, got float"),
        ((None, None, None, "2", 1), "argument 3 .*expected a number, bytes or an array, got str"),
        ((None, None, None, 1.0, 1.5), "argument 4 .*expected an integer of 32 bits, got a float"),
        ((None, None, None, 1.0, 1 << 32), "argument 4 .*does not fit into 32 bits"),
        ((None, None, None, 1.0, -(1 << 31) - 1), "argument 4 .*does not fit into 32 bits"),
        ((np.zeros(4), None, None, 1.0, 1), "argument 0 .*points to f32, but the buffer is of f64"),
        ((np.zeros((4, 4), np.float32)[:, 1], None, None, 1.0, 1), "argument 0 .*not contiguous"),
        ((np.zeros(4, ">f4"), None, None, 1.0, 1), "argument 0 .*big-endian"),
        ((wavejit.Local(4), None, None, 1.0, 1), "argument 0 .*not a __local pointer"),
        ((None, None, None, np.zeros(3, np.float32), 1), "argument 3 .*expected 4 bytes, got 12"),
    ],
)
def test_wrong_arguments_are_named(isolated, args, message):
    kernel = isolated.module(shader("triad"))["triad"]
    with pytest.raises(wavejit.ArgumentError, match=message):
        kernel.launch(1, 1, *args)


def test_wrong_launches_are_named(isolated):
    kernel = isolated.module(shader("empty"))["empty"]
    count = len(kernel.args)
    launch = lambda *dims, **how: kernel.launch(*dims, *[None] * count, **how)  # noqa: E731
    for grid, group in [(0, 1), (1, 0), (1, 2000), ((1, 1, 1, 1), 1), (-1, 1), ("x", 1)]:
        with pytest.raises((wavejit.ArgumentError, TypeError)):
            launch(grid, group)
    with pytest.raises(wavejit.ArgumentError, match="part"):
        launch(4, 1, part=3)
    with pytest.raises(wavejit.ArgumentError, match="the grid has 4 x 1 x 1"):
        launch(4, 1, part=(3, 2))
    with pytest.raises(wavejit.ArgumentError, match="LDS"):
        launch(4, 1, dynamic_lds=1 << 20)


def test_code_that_cannot_be_loaded(isolated, tmp_path):
    with pytest.raises(wavejit.LoadError, match="not a code object"):
        isolated.module(b"nothing")
    with pytest.raises(wavejit.LoadError, match="no kernel `diad`.*triad"):
        isolated.module(shader("triad"))["diad"]
    with pytest.raises(FileNotFoundError):
        isolated.module(tmp_path / "missing.hsaco")
    with pytest.raises(wavejit.LoadError, match="gfx1100"):
        wavejit.Device("gfx90a").module(shader("triad"))


def test_settings_are_checked():
    for wrong in [{"engine": "fast"}, {"memory": "none"}, {"schedule": "none"}]:
        with pytest.raises(wavejit.ArgumentError):
            wavejit.Device(**wrong)


def test_canaries_find_what_is_written_beside_an_array():
    device = wavejit.Device(threads=1, canaries=True)
    kernel = device.module(shader("triad"))["triad"]
    a, out = np.ones(64, np.float32), np.zeros(16, np.float32)
    kernel.launch(16, 16, out, a, a, 1.0, 16)
    with pytest.raises(wavejit.Overrun) as caught:
        kernel.launch(20, 20, out, a, a, 1.0, 20)
    overrun = caught.value
    assert (overrun.kernel, overrun.buffer_bytes, overrun.offset, overrun.nbytes) == ("triad", 64, 64, 16)


def test_waves_in_lockstep_give_the_same():
    device = wavejit.Device(threads=1, schedule="lockstep")
    a, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    device.module(shader("triad"))["triad"].launch(64, 64, out, a, a, 1.0, 64)
    assert np.array_equal(out, 2 * a)
