#!/usr/bin/env bash
# Runs Triton's kernels of this folder with Triton's own compiler and launcher on libamdhip64.so, and compares with numpy. It installs Triton and numpy
# by pip into target/triton (1 GB); needs Python with its headers and a C compiler, which Triton builds its launcher with.
#
#   tests/triton/run.sh [TEST...]      such as: softmax flash_attention
set -euo pipefail
cd "$(dirname "$0")/../.."
triton=3.9.0
venv=${TRITON_VENV:-target/triton}
cargo build --release -q -p wavejit-hip
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c "import importlib.metadata as m; assert m.version('triton') == '$triton'" 2> /dev/null; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q "triton==$triton" numpy
fi
output=$(mktemp)
cache=$(mktemp -d)
trap 'rm -r "$output" "$cache"' EXIT
# Compiled anew each time: Triton's compiler is part of what is tested.
export TRITON_CACHE_DIR=$cache TRITON_DEFAULT_FP_FUSION=1
TRITON_LIBHIP_PATH=$PWD/target/release/libamdhip64.so "$venv/bin/python" tests/triton/test_kernels.py "$@" | tee "$output"
if grep -q '^print: ok' "$output"; then
  for i in $(seq 0 31); do
    grep -q "idx ( *$i) value: $((3 * i))\$" "$output" || { echo "print: failed: no line for $i"; exit 1; }
  done
fi
