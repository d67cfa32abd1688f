"""The C header of a plan grows with its steps, not with their square: a launch function whose step k is taken if no step
before it was, with 8 and with 32 steps. plan_growth.py FLYC CC INCLUDE FOLDER"""
import subprocess
import sys
from pathlib import Path

flyc, compiler, include, folder = sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4])
KERNEL = """
@kernel(block=64, grid=ceil_div(n, 64))
def add(y: InOut[i32, (n,)], by: i32, n: i32):
    i = block_id.x * 64 + thread_id.x
    if i < n:
        y[i] = y[i] + by


@launch
def choose(y: InOut[i32, (n,)], n: i32, a: i32, b: i32):
"""
sizes = {}
for steps in (8, 32):
    text = KERNEL + "".join(f"    if a % {k + 2} == 0 and b // (a + 1) > {k}:\n        add(y, {k}, n)\n        return\n" for k in range(steps))
    (folder / f"plan{steps}.fly").write_text(text + "    add(y, -1, n)\n")
    subprocess.run([flyc, "build", folder / f"plan{steps}.fly", "-o", folder, "--emit=header,json", "--quiet"], check=True)
    header = (folder / f"plan{steps}.h").read_text()
    sizes[steps] = len(header[header.index("const fly_plan *"):])
print(f"32 steps: {sizes[32] / sizes[8]:.1f} times the text of 8")
assert sizes[32] < 4 * sizes[8], sizes
print(f"of the metadata: {sizes[32] / (folder / 'plan32.json').stat().st_size:.2f}")
(folder / "plan.c").write_text('#include "plan32.h"\nfly_status call(int32_t *y) { return plan32_choose(0, y, 1, 2, 3); }\n')
subprocess.run([compiler, "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", f"-I{folder}", f"-I{include}",
                folder / "plan.c", "-o", folder / "plan.o"], check=True)
