"""What is known of modules and kernels, device memory, streams, printing."""

import numpy as np
import pytest
from conftest import shader

import wavejit


def test_kernels_say_what_they_take(isolated):
    module = isolated.module(str(shader("sgemm_block")))
    assert module.target == "gfx1100" and list(module.kernels) == ["sgemm_block"]
    kernel = module.kernel("sgemm_block.kd")
    assert (kernel.wave_size, kernel.required_group, kernel.language) == (32, (16, 16, 1), "OpenCL C")
    assert kernel.lds_bytes == 2 * 32 * 33 * 4 and kernel.vgprs > 0 and kernel.sgprs > 0
    assert [a.type_name for a in kernel.args] == ["float*"] * 3 + ["int"] * 3
    a, m = kernel.args[0], kernel.args[3]
    assert (a.kind, a.type_name, a.nbytes, a.offset, a.address_space) == ("global_buffer", "float*", 8, 0, "global")
    assert (m.kind, m.dtype, m.offset) == ("by_value", "int32", 24)
    assert all(h.kind.startswith("hidden_") for h in kernel.hidden_args)
    assert "sgemm_block" in repr(kernel) and "sgemm_block" in repr(module)


def test_variables_of_a_module_are_buffers(isolated):
    # The table of pointers to functions is a variable of the device code.
    table = isolated.module(shader("call_table")).globals
    assert "call_table.kd" not in table
    for buffer in table.values():
        assert len(buffer.read()) == buffer.nbytes


def test_bytes_paths_and_bundles_are_sources(isolated):
    data = shader("triad").read_bytes()
    for source in [data, bytearray(data), np.frombuffer(data, np.uint8), shader("triad"), str(shader("triad"))]:
        assert "triad" in isolated.module(source).kernels
    bundle = isolated.module(shader("triad").parent / "hip_saxpy-compress.hipfb")
    assert "hip_saxpy" in bundle.kernels
    # A C++ kernel goes by its name in the source where that is the only one.
    with pytest.raises(wavejit.LoadError, match="several kernels"):
        bundle.kernel("axpy")


def test_buffers_are_memory(device):
    buffer = device.alloc(64)
    assert (len(buffer), buffer.nbytes, bytes(buffer)) == (64, 64, bytes(64))
    buffer.write(b"abcd", offset=4)
    assert buffer.read(4, 4) == b"abcd" and buffer.read(60) == bytes(4)
    view = buffer.numpy("uint32", (4, 4))
    view[3, 3] = 0x01020304
    assert buffer.read(60) == bytes([4, 3, 2, 1])
    del buffer
    assert view[0, 1] == int.from_bytes(b"abcd", "little")  # the view keeps it
    for wrong in [lambda b: b.read(60, 5), lambda b: b.write(b"12345", 60), lambda b: b.read(65)]:
        with pytest.raises(wavejit.ArgumentError, match="buffer of 64 bytes"):
            wrong(device.alloc(64))
    assert device.alloc(0).read() == b""


def test_streams_run_in_order_and_beside_each_other(device):
    kernel = device.module(shader("triad"))["triad"]
    one = np.ones(256, np.float32)
    a, b = np.zeros(256, np.float32), np.zeros(256, np.float32)
    with wavejit.Stream() as first, wavejit.Stream() as second:
        done = [first.launch(kernel, 256, 64, a, a, one, 1.0, 256) for _ in range(10)]
        second.wait(done[-1])
        copied = second.launch(kernel, 256, 64, b, a, one, 0.0, 256)
        failed = second.launch(kernel, 256, 64)
        second.synchronize()
        assert (a == 10).all() and (b == 10).all()
        assert copied.result().workgroups == 4
        with pytest.raises(wavejit.ArgumentError):
            failed.result()


def test_kernels_print_to_python(capsys):
    for device in [wavejit.Device(threads=1), wavejit.Device(threads=1, print=None)]:
        out, name = np.zeros(2, np.int32), np.frombuffer(b"lane\0", np.uint8)
        device.module(shader("host_calls"))["say"].launch(2, 2, out, name, 2)
        printed = capsys.readouterr().out
        assert printed.splitlines()[0].startswith("lane 0:  0.00 fa|a   |-1 even")
        assert sum(out) == len(printed)
    said = []
    device = wavejit.Device(threads=1, print=lambda stream, text: said.append((stream, text)))
    device.module(shader("host_calls"))["say"].launch(1, 1, np.zeros(1, np.int32), np.frombuffer(b"x\0", np.uint8), 1)
    assert said[0][0] == "stdout" and b"".join(text for _, text in said).startswith(b"x 0:")


def test_engines_agree():
    results = []
    for how in [{}, {"engine": "interpreter"}, {"deterministic": True}]:
        device = wavejit.Device(**how)
        out, a = np.zeros(100, np.float32), np.arange(100, dtype=np.float32)
        device.module(shader("triad"))["triad"].launch(100, 32, out, a, a, 0.5, 100)
        results.append(out)
    assert np.array_equal(results[0], results[1]) and np.array_equal(results[0], results[2])


def test_accuracy_is_chosen_by_an_option_or_by_the_environment(monkeypatch):
    x = np.linspace(-20, 20, 4096, dtype=np.float32)
    exact = np.exp2(x.astype(np.float64))

    def ulps(**options):
        """The largest error of v_exp_f32."""
        out = np.zeros(14 * x.size, np.float32)
        wavejit.Device(threads=1, **options).module(shader("transcend"))["transcend"].launch(x.size, 64, x, out)
        return np.max(np.abs(out[10 * x.size : 11 * x.size] - exact) / np.spacing(exact.astype(np.float32)))

    monkeypatch.delenv("WAVEJIT_ACCURACY", raising=False)
    assert ulps() <= 0.501 and ulps(accuracy="nearest") <= 0.501
    assert 0.501 < ulps(accuracy="1ulp") <= 1
    monkeypatch.setenv("WAVEJIT_ACCURACY", "1ulp")
    assert 0.501 < ulps() <= 1 and ulps(accuracy="nearest") <= 0.501
    monkeypatch.setenv("WAVEJIT_ACCURACY", "half")
    with pytest.raises(wavejit.ArgumentError, match="WAVEJIT_ACCURACY: `half` is not `nearest` or `1ulp`"):
        wavejit.Device()
    with pytest.raises(wavejit.ArgumentError, match="expected"):
        wavejit.Device(accuracy="half")


def test_the_environment_says_which_engine(monkeypatch):
    x = np.arange(256, dtype=np.float32)
    for engine in ["", "tiered", "jit", "interp"]:
        monkeypatch.setenv("WAVEJIT_ENGINE", engine)
        y = np.zeros(256, np.float32)
        wavejit.Device(threads=1).module(shader("triad"))["triad"].launch(x.size, 64, y, x, x, 3.0, x.size)
        assert np.array_equal(y, 4 * x)
    monkeypatch.setenv("WAVEJIT_ENGINE", "fast")
    with pytest.raises(wavejit.ArgumentError, match="WAVEJIT_ENGINE: `fast` is not `tiered`, `jit` or `interp`"):
        wavejit.Device()
    wavejit.Device(engine="jit")
