"""A Julia set and a sum by taichi: its Vulkan backend against its CPU backend."""

import numpy as np
import taichi as ti


def run(arch):
    ti.init(arch=arch, offline_cache=False, log_level=ti.ERROR)
    pixels = ti.field(dtype=float, shape=(128, 64))
    total = ti.field(dtype=ti.i32, shape=())

    @ti.kernel
    def paint(t: float):
        for i, j in pixels:
            c = ti.Vector([-0.8, ti.cos(t) * 0.2])
            z = ti.Vector([i / 64 - 1, j / 64 - 0.5]) * 2
            n = 0
            while z.norm() < 20 and n < 50:
                z = ti.Vector([z[0] ** 2 - z[1] ** 2, z[1] * z[0] * 2]) + c
                n += 1
            pixels[i, j] = 1 - n * 0.02
            total[None] += n

    paint(0.3)
    result = pixels.to_numpy(), total[None]
    ti.reset()
    return result


vulkan, vulkan_total = run(ti.vulkan)
cpu, cpu_total = run(ti.cpu)
different = int((np.abs(vulkan - cpu) > 1e-6).sum())
# Where an orbit grazes the limit, the last bit of a sum decides.
assert different <= cpu.size // 200, f"{different} of {cpu.size} pixels differ"
print(f"taichi: ok ({different} of {cpu.size} pixels differ, sums {vulkan_total} and {cpu_total})")
