"""Whether the program in C++ says the same however a prompt is served. alike.py PROGRAM MODEL FOLDER [OPTIONS ...]

Four prompts, three at the same time, two of which share a page: by graphs, and again without, with the same bits of all logits; then one prompt
at a time. If tokens are drawn (`--temperature`), another seed gives others.
"""

import subprocess
import sys
from pathlib import Path

program, model, folder, *options = sys.argv[1:]
first = ",".join(map(str, range(1, 17)))
prompts = [first + ",17,18", "30,31", first + ",99", "40,41,42,43"]


def run(*words, name="logits"):
    command = [program, model, "--numbers", "--tokens", "5", "--logits", f"{folder}/{name}", *options, *words]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.exit(ended.stderr)
    return ended.stdout.splitlines(), Path(folder, name).read_bytes(), ended.stderr


together, bits, table = run("--sequences", "3", *prompts)
eager, same, _ = run("--sequences", "3", "--no-graphs", *prompts)
assert together == eager and bits == same and len(bits) == 4 * 512 * sum(row.count(",") + 1 for row in together)
drawn = "--temperature" in options
alone = [run(*(["--seed", str(index)] if drawn else []), prompt)[0][0] for index, prompt in enumerate(prompts)]
assert alone == together, (alone, together)
assert not drawn or run("--seed", "9", *prompts)[0] != together
print("with others, without graphs, alone: the same;", "; ".join(" ".join(row.split()) for row in table.splitlines()))
