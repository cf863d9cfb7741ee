#!/usr/bin/env python3
"""Fills in the machine code of filetests: `tests/filetests/assemble.py [FILE...]` (all files when none is named).

Authors write assembly only. This appends or replaces the `// DWORDS` at the end of each instruction line with what LLVM assembles it to, so
that running the tests needs no LLVM. Needs llvm-mc-19 and llvm-objdump-19. Each case (lines up to a blank line) is assembled on its own, for
the first target of the `; run` line above it.
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def assemble(asm, cpu, wave):
    """Dwords of each instruction of a case, as text."""
    target = ["--triple=amdgcn-amd-amdhsa", f"--mcpu={cpu}"]
    features = ["+wavefrontsize64,-wavefrontsize32"] if wave == 64 else []
    with tempfile.TemporaryDirectory() as folder:
        obj = f"{folder}/case.o"
        flags = [f"--mattr={f}" for f in features]
        command = ["llvm-mc-19", *target, *flags, "--filetype=obj", "-o", obj]
        mc = subprocess.run(command, input="\n".join(asm) + "\n", text=True, capture_output=True)
        if mc.returncode:
            sys.exit(mc.stderr)
        dump = subprocess.run(["llvm-objdump-19", "-d", *target[1:], *flags, obj], text=True, capture_output=True, check=True)
    return re.findall(r"// [0-9A-F]{12}: ([0-9A-F]{8}(?: [0-9A-F]{8})*)", dump.stdout)


def fill(path):
    lines = path.read_text().split("\n")
    cpu, wave = None, None
    case = []  # line numbers of the instructions and labels of one case
    for n, line in enumerate(lines + [""]):
        run = re.match(r"; run (\w+) wave(\d+)", line)
        if run:
            cpu, wave = run[1], int(run[2])
        elif line.strip() and line[0] not in ";#":
            case.append(n)
        elif not line.strip() and case:
            asm = [lines[i].split("//")[0].rstrip() for i in case]
            code = [i for i, text in zip(case, asm) if not text.endswith(":")]
            dwords = assemble(asm, cpu, wave)
            if len(dwords) != len(code):
                sys.exit(f"{path}:{case[0] + 1}: {len(code)} lines, {len(dwords)} instructions")
            for i, words in zip(code, dwords):
                lines[i] = f"{lines[i].split('//')[0].rstrip():<56}// {words.lower()}"
            case = []
    path.write_text("\n".join(lines))


here = pathlib.Path(__file__).parent
for name in sys.argv[1:] or sorted(here.glob("*.txt")):
    fill(pathlib.Path(name))
