#!/bin/sh
# Writes NAME.txt for every code object of shaders/bin: what llvm-objdump-19 says, one `ADDRESS TEXT` line per instruction, single spaces.
# The wave size is not in the ELF file, so it is taken from the name (llvm-objdump-19 assumes wave32 otherwise). Left out: symbol lines, and the s_code_end padding behind each function. usage: tests/golden/disasm/bless.sh
set -eu
cd "$(dirname "$0")"
rm -f ./*.txt
for f in ../../../shaders/bin/*.hsaco; do
  case $f in *wave64*) wave=+wavefrontsize64,-wavefrontsize32 ;; *) wave=+wavefrontsize32 ;; esac
  ${OBJDUMP:-llvm-objdump-19} -d --mattr=$wave "$f" | sed -n 's,^\t\(.*[^ ]\) *// 0*\([0-9A-F]*\): .*$,\2 \1,p' | sed '/s_code_end/d; s/  */ /g' > "$(basename "$f" .hsaco).txt"
done
