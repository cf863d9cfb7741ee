"""Makes the review file for isa_review from LLVM's tables.

    llvm-tblgen-19 --dump-json -I llvm/include -I llvm/lib/Target/AMDGPU llvm/lib/Target/AMDGPU/AMDGPU.td -o amdgpu.json
    python3 extract.py amdgpu.json > review.tsv

Columns: record, mnemonic, processors whose features the record asks for, bytes, fixed bits as hexadecimal (value, then mask; bit 0 of the
first dword lowest), registers read and written without being operands. Runs in about a minute and 4 GB.
"""

import json
import re
import sys

# Processors that look into a decoder table.
TABLES = {
    "GFX6": "gfx6", "GFX7": "gfx7", "GFX6GFX7": "gfx[67]", "GFX8": "gfx[6-9]", "GFX80_UNPACKED": "gfx80", "GFX9": "gfx9", "GFX9_DL": "gfx9",
    "GFX90A": "gfx9(0a|4)", "GFX940": "gfx94", "GFX10": "gfx10", "GFX10_B": "gfx10", "GFX11": "gfx11", "GFX12": "gfx12",
    "GFX11_FAKE16": "gfx11", "GFX12_FAKE16": "gfx12", "GFX11W64": "gfx11", "GFX12W64": "gfx12",
}
STATE = {"EXEC", "VCC", "SCC", "M0", "MODE", "FLAT_SCR"}


def name(x):
    return x["def"] if isinstance(x, dict) else x


def main(path):
    with open(path) as f:
        records = json.load(f)
    kinds = lambda r: r.get("!superclasses", []) if isinstance(r, dict) else []

    def implied(feature, found):
        if feature not in found:
            found.add(feature)
            for more in records[feature].get("Implies", []):
                implied(name(more), found)

    processors = {}
    for r in records.values():
        if "ProcessorModel" in kinds(r) and re.fullmatch("gfx[0-9a-f]+", r.get("Name", "")):
            processors[r["Name"]] = set()
            for feature in r["Features"]:
                implied(name(feature), processors[r["Name"]])

    def holds(condition, features):
        if "operator" not in condition:
            # Both wave sizes count.
            return name(condition) in features or name(condition).startswith("FeatureWavefrontSize")
        parts = [holds(a[0], features) for a in condition["args"]]
        return {"all_of": all, "any_of": any, "not": lambda p: not p[0]}[name(condition["operator"])](parts)

    def accepts(record, features):
        conditions = [records[name(p)].get("AssemblerCondDag") for p in record.get("Predicates", [])]
        return all(holds(c, features) for c in conditions if isinstance(c, dict))

    for key, r in records.items():
        if "InstSI" not in kinds(r) or r.get("isPseudo") or r.get("isCodeGenOnly") or not r.get("DecoderNamespace"):
            continue
        value = mask = 0
        for i, bit in enumerate(r.get("Inst") or []):
            if bit in (0, 1):
                value |= bit << i
                mask |= 1 << i
        table = TABLES.get(r["DecoderNamespace"], "gfx")
        on = [p for p, features in processors.items() if re.match(table, p) and accepts(r, features)]
        if not mask or not on:
            continue
        mnemonic = re.split(r"[ $]", re.sub(r"{[^}]*}", "", r["AsmString"]).strip())[0]
        state = lambda k: ",".join(sorted(STATE & {name(x) for x in r[k]}))
        print(key, mnemonic, ",".join(on), r["Size"], f"{value:x}", f"{mask:x}", state("Uses"), state("Defs"), sep="\t")


main(sys.argv[1])
