#!/bin/sh
# Builds the committed code objects: bin/NAME.gfx1100.wave32.hsaco from NAME.cl, NAME.hip or NAME.s, wave64 beside it for the names in $wave64,
# other code object versions and offload bundles for a few; bin/peers/ from peers/. usage: build.sh [NAME...]     (peers/NAME, too)
# Needs clang-19, clang-tools-19, lld-19, llvm-19 and Debian's rocm-device-libs (5.2.3), whose bitcode lacks the control files of targets and code object
# versions newer than itself; those are made here.
set -eu
cd "$(dirname "$0")"
target=gfx1100
clang=${CLANG:-clang-19}
bundler=${BUNDLER:-clang-offload-bundler-19}
wave64="arguments global_atomics bit_tricks bitonic call_table calls collatz crosslane double_math dynamic_lds flat_pointers grid3d half2_blend
  histogram int64_math last_block lds_types mandelbrot movrel philox_pi reduce_dpp reduce_subgroup scan_block sgemm_block sort_private
  switch_vm trace_rays transcend transpose_pad triad"
libs=$(mktemp -d)
trap 'rm -rf "$libs"' EXIT

ln -s "${DEVICE_LIBS:-/usr/lib/x86_64-linux-gnu/amdgcn/bitcode}"/*.bc "$libs/"
control() { # a bitcode file that holds one constant
  [ -e "$libs/$1.bc" ] || echo "const __constant int __$2 __attribute__((weak, visibility(\"protected\"))) = $3;" |
    $clang -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -nogpulib -Xclang -mcode-object-version=none -emit-llvm -c -O3 -o "$libs/$1.bc" -
}
control oclc_isa_version_1100 oclc_ISA_version 11000
control oclc_abi_version_600 oclc_ABI_version 600
control oclc_abi_version_500 oclc_ABI_version 500

opencl() { # NAME OUTPUT FLAGS...
  name=$1 out=$2
  shift 2
  $clang -x cl -cl-std=CL2.0 -Xclang -finclude-default-header -target amdgcn-amd-amdhsa -mcpu=$target -O3 --rocm-device-lib-path="$libs" \
    "$@" -o "bin/$out" "$name.cl"
}
hip() { # NAME OUTPUT FLAGS...
  name=$1 out=$2
  shift 2
  $clang -x hip -fuse-cuid=none -nogpuinc --offload-device-only --no-gpu-bundle-output --offload-arch=$target -O3 "$@" -o "bin/$out" "$name.hip"
}

mkdir -p bin/peers
[ $# -gt 0 ] || set -- $(ls *.cl *.hip *.s peers/*.cl | sed 's,\..*,,')
for name in "$@"; do
  [ "$name" != host_heap ] || continue # host_heap.py
  if [ -e "$name.hip" ]; then
    case $name in
    host_calls) hip "$name" "$name.$target.wave32.hsaco" --rocm-device-lib-path="$libs" -mcode-object-version=5 ;;
    *) hip "$name" "$name.$target.wave32.hsaco" -nogpulib ;;
    esac
    [ "$name" = hip_saxpy ] || continue
    # the containers a host program embeds: a bundle with two targets, plain and compressed
    $clang -x hip -fuse-cuid=none -nogpulib -nogpuinc --offload-device-only --no-gpu-bundle-output --offload-arch=gfx1030 -O3 -o "$libs/other" "$name.hip"
    for mode in "" -compress; do
      $bundler $mode -type=o -bundle-align=4096 -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx1030,hipv4-amdgcn-amd-amdhsa--$target \
        -input=/dev/null -input="$libs/other" -input="bin/$name.$target.wave32.hsaco" -output="bin/$name$mode.hipfb"
    done
    continue
  fi
  if [ -e "$name.s" ]; then
    $clang -target amdgcn-amd-amdhsa -mcpu=$target -o "bin/$name.$target.wave32.hsaco" "$name.s"
    continue
  fi
  case $name in
  host_print) opencl "$name" "$name.$target.wave32.hsaco" -mcode-object-version=5 -nogpulib ;;
  *) opencl "$name" "$name.$target.wave32.hsaco" -mcode-object-version=5 ;;
  esac
  case " $(echo $wave64) " in
  *" $name "*) opencl "$name" "$name.$target.wave64.hsaco" -mcode-object-version=5 -mwavefrontsize64 ;;
  esac
  if [ "$name" = grid3d ]; then # version 4 reads the dispatch packet where version 5 has hidden arguments
    opencl "$name" "$name.$target.wave32.v4.hsaco" -mcode-object-version=4
    opencl "$name" "$name.$target.wave32.v6.hsaco" -mcode-object-version=6 -w
  fi
done
