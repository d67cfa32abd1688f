#!/usr/bin/env python3
"""What `flyc lsp` does with each file of kernels/ while it is typed, character by character.

    tests/benchmark/editor_prefixes.py build/bin/flyc [--every 4] [--first 0] [--jobs 2] [--results FILE] [FILE...]
    tests/benchmark/editor_prefixes.py build/bin/flyc --results FILE --write

Each prefix is one edit; the script waits for its diagnostics and for the answer to a question at its end. A prefix that
ends in a comment, in a docstring or in a run of spaces is left out: to the parser it is the one before. --every takes
each Nth of the others, beginning with --first, so that N runs take all of them.

A result is a line of JSON per file in --results: how many prefixes, what failed, milliseconds. Files that have one for
the same --every and --first are not run again. --write puts the sum of all results into docs/editor.md. All files take
some eight hours on one core; tests/editor/survive.test draws 3,000 of their like per run."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "editor" / "inputs"))

from client import Client, position # noqa: E402
from generated_section import Section # noqa: E402
from processes import workers # noqa: E402

QUESTIONS = ["hover", "completion", "signatureHelp", "definition", "documentHighlight", "documentSymbol", "foldingRange",
             "codeLens", "codeAction", "formatting"]
SAME = re.compile(r'#[^\n]*|"""(?:.|\n)*?"""|[ \n]{2,}')


def ends(text):
    """The lengths of the prefixes that the parser can tell apart."""
    same = set()
    for match in SAME.finditer(text):
        same.update(range(match.start() + 2, match.end()))
    return [length for length in range(1, len(text) + 1) if length not in same]


class Typist:
    """One file that is typed into a server of its own."""

    def __init__(self, path):
        self.text, self.version, self.length = path.read_text(), 1, 0
        self.client = Client(["--arch", "gfx950", "--compile-timeout=0"])
        self.client.open(str(path), "")
        self.client.problems(1)
        self.worker = workers(self.client)
        self.draw = random.Random(str(path))

    def type(self, length):
        """What failed, if anything; and milliseconds."""
        at = position(self.text, self.length)
        self.version += 1
        began = time.monotonic()
        self.client.change(self.version, {"range": {"start": at, "end": at}, "text": self.text[self.length:length]})
        self.length = length
        end = position(self.text, length)
        question = self.draw.choice(QUESTIONS)
        number = self.client.ask("textDocument/" + question, {
            "textDocument": {"uri": self.client.uri}, "position": end, "options": {}, "context": {"diagnostics": []},
            "range": {"start": end, "end": end}})
        problems = self.client.problems(self.version)
        answer = self.client.answer(number)
        took = 1000 * (time.monotonic() - began)
        failed = next((problem["message"] for problem in problems if "flyc itself failed" in problem["message"]), None)
        if "error" in answer and question != "formatting": # which needs a file without syntax errors
            failed = failed or f"{question}: {answer['error']['message']}"
        if not failed and workers(self.client) != self.worker:
            failed = "the process that answers has ended"
        if failed:
            self.worker = workers(self.client)
        return failed, took

    def close(self):
        status = self.client.close()
        return [[self.length, f"ends with status {status}"]] if status else []


def sweep(path, every, first):
    typist, failed, taken = Typist(path), [], []
    for length in ends(typist.text)[first::every]:
        try:
            failure, took = typist.type(length)
        except Exception as error: # the server itself has ended, or never answers
            typist.client.process.kill()
            failed.append([length, f"the server: {error!r}"])
            break
        taken.append(took)
        failed += [[length, failure]] if failure else []
    else:
        failed += typist.close()
    return {"prefixes": len(taken), "failed": failed, "slowest": max(taken, default=0), "taken": sum(taken)}


def read(results):
    return [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []


def told(rows):
    """The sum of all results, in words."""
    prefixes, taken = sum(row["prefixes"] for row in rows), sum(row["taken"] for row in rows)
    failed = sum(len(row["failed"]) for row in rows)
    files = len({row["file"] for row in rows})
    whole = sum(len(ends(path.read_text())) for path in (ROOT / "kernels").rglob("*.fly"))
    return f"{prefixes:,} of the {whole:,} prefixes of `kernels/` that the parser can tell apart, in {files} files: " \
           f"{failed} failed. The answer\nand the diagnostics of one took {taken / max(1, prefixes):.0f} ms on average, " \
           "two servers at once.\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("flyc", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=4, help="each Nth prefix")
    parser.add_argument("--first", type=int, default=0, help="below --every")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="servers at once")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("editor_prefixes.jsonl"))
    parser.add_argument("--write", action="store_true", help="the results so far into docs/editor.md; runs nothing")
    options = parser.parse_args()
    rows = read(options.results)
    if options.write:
        return Section("editor_prefixes.py", ROOT / "docs" / "editor.md").write(told(rows))
    os.environ["PATH"] = os.pathsep.join([str(options.flyc.resolve().parent), os.environ["PATH"]])
    paths = [path.resolve() for path in options.files] or sorted((ROOT / "kernels").rglob("*.fly"))
    known = {(row["file"], row["every"], row["first"]) for row in rows}
    todo = [path for path in paths if (os.path.relpath(path, ROOT), options.every, options.first) not in known]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, options.results.open("a") as out:
        running = {pool.submit(sweep, path, options.every, options.first): os.path.relpath(path, ROOT) for path in todo}
        for future in concurrent.futures.as_completed(running):
            row = {"file": running[future], "every": options.every, "first": options.first, **future.result()}
            rows.append(row)
            print(json.dumps(row), file=out, flush=True)
            print(f"{row['file']}: {row['prefixes']} prefixes, {len(row['failed'])} failed, "
                  f"{row['slowest']:.0f} ms at the most", flush=True)
            for length, why in row["failed"]:
                print(f"  {length} characters: {why}", flush=True)
    print(told(rows), end="")


main()
