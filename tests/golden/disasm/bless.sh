#!/bin/sh
# Writes NAME.txt for every code object of shaders/bin: what llvm-objdump-19 says, one `ADDRESS TEXT` line per instruction, single spaces.
# Left out: symbol lines, and the s_code_end padding behind each function. usage: tests/golden/disasm/bless.sh
set -eu
cd "$(dirname "$0")"
rm -f ./*.txt
for f in ../../../shaders/bin/*.hsaco; do
  ${OBJDUMP:-llvm-objdump-19} -d "$f" | sed -n 's,^\t\(.*[^ ]\) *// 0*\([0-9A-F]*\): .*$,\2 \1,p' | sed '/s_code_end/d; s/  */ /g' > "$(basename "$f" .hsaco).txt"
done
