"""A small network by ncnn: its Vulkan code against its CPU code."""

import tempfile

import ncnn
import numpy as np

LAYERS = """7767517
6 6
Input data 0 1 data
Convolution conv1 1 1 data c1 0=16 1=3 4=1 5=1 6=432
ReLU relu1 1 1 c1 r1
Pooling pool1 1 1 r1 p1 0=0 1=2 2=2
Convolution conv2 1 1 p1 c2 0=32 1=3 4=1 5=1 6=4608
InnerProduct fc 1 1 c2 out 0=10 1=1 2=81920
"""

random = np.random.default_rng(3)
weights = b""
for count, outputs in [(432, 16), (4608, 32), (81920, 10)]:
    weights += np.uint32(0).tobytes()  # the tag of weights in f32
    weights += (random.standard_normal(count) * 0.1).astype(np.float32).tobytes()
    weights += (random.standard_normal(outputs) * 0.1).astype(np.float32).tobytes()
picture = random.random((3, 32, 32), dtype=np.float32)


def run(vulkan):
    net = ncnn.Net()
    net.opt.use_vulkan_compute = vulkan
    net.opt.use_fp16_packed = net.opt.use_fp16_storage = net.opt.use_fp16_arithmetic = False
    with tempfile.NamedTemporaryFile("w", suffix=".param") as layers, tempfile.NamedTemporaryFile("wb", suffix=".bin") as model:
        layers.write(LAYERS)
        layers.flush()
        model.write(weights)
        model.flush()
        assert net.load_param(layers.name) == 0 and net.load_model(model.name) == 0
    extractor = net.create_extractor()
    extractor.input("data", ncnn.Mat(picture))
    status, out = extractor.extract("out")
    assert status == 0, status
    return np.array(out)


assert ncnn.get_gpu_count() == 1, "ncnn finds no device"
found, expected = run(True), run(False)
np.testing.assert_allclose(found, expected, atol=1e-3)
print(f"ncnn: ok (largest difference {np.abs(found - expected).max():.2g})")
