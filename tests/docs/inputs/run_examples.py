"""Compiles and runs every ```fly block of a page: those with a `@check` are tested, the others built.

    run_examples.py PAGE FOLDER [ARCH,... [OPTION...]]

Options are passed on to flyc. A block stands for itself: it is a whole file. One without a kernel is run by the compiler and has nothing to build.
A ```python block is a complaint: on these pages there is only Fly.
"""

import pathlib
import re
import subprocess
import sys

page, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
arch = sys.argv[3] if len(sys.argv) > 3 else "gfx942"
folder.mkdir(parents=True, exist_ok=True)
text = page.read_text()
failed = count = 0
for other in re.finditer(r"^```python", text, re.M):
    failed += 1
    print(f"{page.name}:{text[: other.start()].count(chr(10)) + 1}: a block of .fly is marked ```fly, not ```python")
for block in re.finditer(r"^```fly\n(.*?)^```", text, re.M | re.S):
    count += 1
    line = text[: block.start()].count("\n") + 1
    source = folder / f"{page.stem}_line_{line}.fly"
    source.write_text(block[1])
    is_test = "@check" in block[1]
    command = ["flyc", "test" if is_test else "build", str(source), "--arch", arch]
    command += sys.argv[4:]
    command += ["-q"] if is_test else ["-o", str(folder / "out")]
    done = subprocess.run(command, capture_output=True, text=True)
    nothing_to_build = not is_test and "@kernel" not in block[1] and "FLY0933" in done.stderr and done.stderr.count("error[") == 1
    if done.returncode and not nothing_to_build:
        failed += 1
        print(f"{page.name}:{line}: {' '.join(command[:2])} failed\n{done.stdout}{done.stderr}")
print(f"{count} examples, {failed} failed")
sys.exit(failed != 0 or count == 0)
