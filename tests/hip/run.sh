#!/usr/bin/env bash
# Builds every program here with `wavejit cc` and runs it: each must end with a line "ok". Needs what `wavejit cc` needs.
#
#   tests/hip/run.sh [PROGRAM.hip...]
set -euo pipefail
cd "$(dirname "$0")/../.."
cargo build --release -q -p wavejit-cli -p wavejit-hip
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
[ $# -gt 0 ] || set -- tests/hip/*.hip
failed=0
for source in "$@"; do
  program=$folder/$(basename "$source" .hip)
  target/release/wavejit cc "$source" -o "$program" -O2 2> "$folder/messages" || { cat "$folder/messages"; failed=1; continue; }
  if timeout 120 "$program" > "$folder/out" 2> "$folder/messages" && [ "$(tail -n 1 "$folder/out")" = ok ]; then
    echo "$source: ok"
  else
    echo "$source: failed"
    cat "$folder/out" "$folder/messages"
    failed=1
  fi
done
exit $failed
