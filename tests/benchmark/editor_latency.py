#!/usr/bin/env python3
"""How long `flyc lsp` takes, and how much memory it has.

    tests/benchmark/editor_latency.py build/bin/flyc [--write] [--all | FILE...] [--rounds 20] [--processor] [--memory]

For each file, the 95th percentile of ROUNDS edits in the body of its first kernel, in milliseconds, from the change to
the answer:

    syntax       `(` is typed: the error of syntax is told
    error        a statement with an unknown name is typed: the error is told
    type error   the same with a statement of wrong types, before any of the kernel's assignments
    hover, definition, completion    the first question about a text that has just changed
    hover again  a question about a text that rests
    machine code what the process that compiles the first kernel takes, the median of three; an editor's save starts it

--processor counts the time that the server was on a processor instead: on a machine that is busy with other work it is
what the clock would say on an idle one. --memory is of the process that answers, with all of kernels/; without it, --write
leaves what was measured before. docs/editor.md has the tables (`--write`)."""

import argparse
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "editor" / "inputs"))

from client import Client # noqa: E402
from generated_section import Section # noqa: E402
from processes import workers # noqa: E402

CHOICE = ["elementwise/vec_add", "normalization/layernorm", "normalization/softmax", "reduction/block_sum", "gemm/steps/pipelined",
          "gemm/products/skinny", "gemm/products/mx_gemm", "attention/mla_forward", "attention/flash_gfx950", "moe/stages",
          "moe/moe_sort", "sampling/top_k", "isa/gemm"]
MEASURES = ["syntax", "error", "type error", "hover", "definition", "completion", "hover again"]
TARGETS = {"syntax": 50, "error": 150, "type error": 150, "hover": 50, "definition": 50, "completion": 50,
           "hover again": 50, "machine code": 1000}


def body_of(text):
    """The offset of the first statement of the first kernel, or else of the first function; with its indentation."""
    start = re.search(r"^@kernel", text, re.M) or re.search(r"^def ", text, re.M)
    if not start:
        return None
    depth, at = 0, text.index("def ", start.start())
    while depth or text[at] != ":":
        depth += (text[at] in "([{") - (text[at] in ")]}")
        at += 1
    return re.compile(r'\n(?:\s*"""(?:.|\n)*?"""\n)?').match(text, at + 1).end()


class Bench:
    def __init__(self, options, path):
        self.client = Client(["--arch", "gfx950", "--compile-timeout=0"])
        self.options, self.path = options, path
        self.text = path.read_text()
        self.pid = workers(self.client)[0]
        self.version = 1
        self.client.open(str(path), self.text)
        self.client.problems(1)
        self.line = self.text.count("\n", 0, body_of(self.text))
        self.places = self.names()
        kernel = re.search(r"^@kernel(?:.|\n)*?^def (\w+)", self.text, re.M)
        self.kernel = kernel and kernel.group(1)

    def names(self):
        """Places of names that the body of the kernel assigns, as it is now."""
        lines = self.text.split("\n")
        end = next((n for n in range(self.line, len(lines)) if re.match(r"\S", lines[n])), len(lines))
        found = [(n, 5) for n in range(self.line, min(self.line + 60, end)) if re.match(r"    \w+ = ", lines[n])]
        return found or [(self.line, 5)]

    def now(self):
        """Nanoseconds, on the clock or of the server on a processor."""
        if not self.options.processor:
            return time.monotonic_ns()
        return self.busy()

    def busy(self):
        return time.clock_gettime_ns((~self.pid << 3) | 2) # clock_getcpuclockid(3)

    def insert(self, words, line=None):
        """Before a line."""
        at = {"line": self.line if line is None else line, "character": 0}
        self.edit(words, at, at)

    def remove(self, line):
        self.edit("", {"line": line, "character": 0}, {"line": line + 1, "character": 0})

    def edit(self, words, at, end):
        self.version += 1
        self.client.change(self.version, {"range": {"start": at, "end": end}, "text": words})

    def rest(self):
        """Until all that the server does on its own is done."""
        quiet, last = 0, -1
        while quiet < 3:
            time.sleep(0.02)
            now = self.busy()
            quiet, last = (quiet + 1 if now - last < 100_000 else 0), now

    def measure(self, what, number):
        line, character = self.places[number % len(self.places)]
        if what == "hover again":
            began = self.now()
            self.client.at("hover", line, character)
            return self.now() - began
        words = {"syntax": "    x = (\n", "error": f"    x = unknown_{number}\n", "completion": "    wa\n",
                 "type error": '    x = 1 + "a"\n'}.get(what, "    # word\n")
        edited = line if what == "type error" else self.line
        began = self.now()
        self.insert(words, edited)
        if what in ("syntax", "error", "type error"):
            told = self.client.problems(self.version)
            assert told or what == "type error", what
        elif what == "completion":
            self.client.at("completion", self.line, 6)
        else:
            self.client.at(what, line + 1, character)
        took = self.now() - began
        self.remove(edited)
        self.rest()
        if what == "type error" and not told: # nobody calls the function, so it has no types
            return None
        return took

    def row(self):
        result = {}
        for what in MEASURES:
            self.rest()
            taken = [self.measure(what, number) for number in range(self.options.rounds)]
            result[what] = None if None in taken else sorted(taken)[min(len(taken) - 1, int(len(taken) * 0.95))] / 1e6
        taken = [self.machine_code() for _ in range(3)] if self.kernel else []
        result["machine code"] = None if None in taken or not taken else statistics.median(taken)
        self.client.close()
        return result

    def machine_code(self):
        """Of the process that the server starts for it."""
        with tempfile.NamedTemporaryFile("w", suffix=".json") as job:
            json.dump({"path": str(self.path), "text": self.text, "unsaved": {}, "kernel": self.kernel, "symbol": ""}, job)
            job.flush()
            before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            done = subprocess.run(["flyc", "lsp", "--arch", "gfx950", "--compile", job.name], capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode: # it has no instance
            return None
        busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return 1000 * (busy if self.options.processor else time.monotonic() - began)


def memory():
    """MiB at the most: each file opened and closed, then all open at once."""
    result = []
    for at_once in (False, True):
        client = Client(["--arch", "gfx950", "--compile-timeout=0"], timeout=600)
        pid = workers(client)[0]
        for path in sorted((ROOT / "kernels").rglob("*.fly")):
            client.open(str(path), path.read_text())
            client.problems(1)
            client.of_document("semanticTokens/full")
            if not at_once:
                client.notify("textDocument/didClose", {"textDocument": {"uri": client.uri}})
        client.request("workspace/symbol", {"query": "s"})
        status = open(f"/proc/{pid}/status").read()
        result.append(int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) // 1024)
        client.close()
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("flyc", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    for option in ("write", "all", "processor", "memory"):
        parser.add_argument("--" + option, action="store_true")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    os.environ["PATH"] = os.pathsep.join([str(options.flyc.resolve().parent), os.environ["PATH"]])
    files = [path.resolve() for path in options.files] or [ROOT / "kernels" / (name + ".fly") for name in CHOICE]
    if options.all:
        files = [path for path in sorted((ROOT / "kernels").rglob("*.fly")) if body_of(path.read_text())]
    columns = list(TARGETS)
    lines = ["| file | lines | " + " | ".join(columns) + " |", "|---" * (len(columns) + 2) + "|"]
    missed = []
    for path in files:
        row = Bench(options, path).row()
        name = str(path.relative_to(ROOT / "kernels")) if path.is_relative_to(ROOT / "kernels") else path.name
        cells = ["" if row[what] is None else f"{row[what]:.0f}" for what in columns]
        lines.append(f"| `{name}` | {path.read_text().count(chr(10))} | " + " | ".join(cells) + " |")
        missed += [f"{name}: {what} {row[what]:.0f} ms" for what, most in TARGETS.items() if (row[what] or 0) > most]
        if not options.write:
            print("\n".join(lines[-3:] if len(lines) == 3 else lines[-1:]), flush=True)
    text = "\n".join(lines) + "\n"
    section = Section("editor_latency.py", ROOT / "docs" / "editor.md")
    if options.memory:
        one, all_open = memory()
        words = f"Memory of the process that answers, at the most: {one} MiB with each file of `kernels/` opened and closed, " \
                f"{all_open} MiB with all\nof them open."
        text += "\n" + words + "\n"
        if not options.write:
            print("\n" + words)
    elif options.write: # as it was
        text += "\n" + re.search(r"^Memory(?:.+\n)+", section.read(), re.M)[0]
    if options.write:
        section.write(text)
    print("\n".join(["", "longer than the target:", *missed] if missed else ["", "all targets are met"]))


main()
