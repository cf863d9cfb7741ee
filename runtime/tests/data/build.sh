#!/bin/sh
# Rebuilds the code objects of this folder from small.cl, hidden.hip, prints.cl, named.cl and grid_sync.hip. Needs clang-19, lld-19, llvm-19, rocm-device-libs and gcc, and the
# `wavejit` of this source tree in PATH.
set -eu
cd "$(dirname "$0")"
build() { clang-19 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -nogpulib -O2 -Wno-everything "$@" small.cl; }
for v in 4 5 6; do build -mcpu=gfx1100 -mcode-object-version=$v -o small-v$v.hsaco; done
build -mcpu=gfx11-generic -mcode-object-version=6 -o small-v6-generic.hsaco
build -mcpu=gfx1100 -mwavefrontsize64 -mcode-object-version=5 -o small-wave64.hsaco
build -mcpu=gfx90a:xnack+ -mcode-object-version=4 -o small-gfx90a.hsaco

# Bundles: plain, compressed (zstd), and the compressed one inside a host object file.
bundle() {
  clang-offload-bundler-19 -type=o "$@" -input=/dev/null -input=small-v4.hsaco -input=small-gfx90a.hsaco \
    -targets=host-x86_64-unknown-linux,hipv4-amdgcn-amd-amdhsa--gfx1100,hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+
}
bundle -output=plain.bundle
bundle -compress -output=compressed.bundle
echo 'int main(void) { return 0; }' | gcc -c -x c - -o host.o
objcopy --add-section .hip_fatbin=compressed.bundle host.o
llvm-strip-19 small-gfx90a.hsaco
# Kernels with hidden arguments: as compilers leave them, and with nothing inlined or left out.
wavejit cc hidden.hip -o hidden-v5.hsaco
wavejit cc hidden.hip -O0 -o hidden-O0.hsaco
wavejit cc prints.cl -o prints.hsaco
clang-19 -x cl -cl-std=CL2.0 -cl-kernel-arg-info -target amdgcn-amd-amdhsa -nogpulib -O2 -Wno-everything -mcpu=gfx1100 -mcode-object-version=5 \
  -o named.hsaco named.cl
wavejit cc grid_sync.hip -o grid_sync.hsaco
chmod -x *.hsaco
