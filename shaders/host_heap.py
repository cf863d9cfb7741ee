"""Builds bin/host_heap.gfx1100.wave32.hsaco: the heap of device libraries before ROCm 5.7 does not know gfx11's clock, and newer libraries are
bitcode of newer LLVM than Debian's. Needs clang-19 and lld-19; llvmlite 0.48 or later (LLVM 22) from PyPI; and ockl.bc of a newer ROCm, of which
the wheel of Triton 3.9 has one: python3 host_heap.py OCKL.BC
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import llvmlite.binding as llvm

HERE = Path(__file__).parent
CONTROL = {"ISA_version": ("int", 11000), "ABI_version": ("int", 500), "wavefrontsize64": ("unsigned char", 0)}
CONTROL |= {name: ("unsigned char", 0) for name in ("finite_only_opt", "unsafe_math_opt", "daz_opt")}


def bitcode(*command):
    with tempfile.NamedTemporaryFile(suffix=".bc") as out:
        subprocess.run([*command, "-emit-llvm", "-c", "-o", out.name], check=True)
        return llvm.parse_bitcode(Path(out.name).read_bytes())


llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
module = bitcode(
    *"clang-19 -x hip -fuse-cuid=none -nogpuinc -nogpulib --offload-device-only --no-gpu-bundle-output -fgpu-rdc".split(),
    *"--offload-arch=gfx1100 -O1 -mcode-object-version=5 -Xclang -disable-llvm-passes".split(),
    str(HERE / "host_heap.hip"),
)
with tempfile.NamedTemporaryFile("w", suffix=".cl") as source:
    for name, (kind, value) in CONTROL.items():
        source.write(f'const __constant {kind} __oclc_{name} __attribute__((weak, visibility("protected"))) = {value};\n')
    source.flush()
    control = "clang-19 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -nogpulib -Xclang -mcode-object-version=none -O3"
    module.link_in(llvm.parse_bitcode(Path(sys.argv[1]).read_bytes()))
    module.link_in(bitcode(*control.split(), source.name))
# What only the kernel uses goes where it does not.
for symbol in [*module.functions, *module.global_variables]:
    if not symbol.is_declaration and symbol.name != "host_heap" and not symbol.name.startswith("llvm."):
        symbol.linkage, symbol.visibility = "internal", "default"
target = llvm.Target.from_triple("amdgcn-amd-amdhsa")
machine = target.create_target_machine(cpu="gfx1100", features="-wavefrontsize64,+wavefrontsize32", opt=3, reloc="pic")
builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
builder.getModulePassManager().run(module, builder)
with tempfile.NamedTemporaryFile(suffix=".o") as unlinked:
    Path(unlinked.name).write_bytes(machine.emit_object(module))
    subprocess.run(["ld.lld-19", "-shared", "-o", str(HERE / "bin/host_heap.gfx1100.wave32.hsaco"), unlinked.name], check=True)
