"""What a program learns of a kernel that goes wrong."""

from pathlib import Path

import wavejit

BIN = Path(__file__).resolve().parents[4] / "shaders" / "bin"

device = wavejit.Device()
module = device.module(BIN / "faults.gfx1100.wave32.hsaco")
try:
    module["wild_store"].launch(32, 32, device.alloc(1024))
except wavejit.Fault as fault:
    print(fault)
    print(f"{fault.access} of {fault.access_bytes} bytes to {fault.address:#x} by lane {fault.lane}: {fault.instruction}")
try:
    module["endless_loop"].launch(32, 32, device.alloc(4), max_insts=10_000)
except wavejit.BudgetExceeded as budget:
    print(f"wave {budget.wave} of {budget.workgroup} is still at +{budget.offset:#x}: {budget.instruction}")
