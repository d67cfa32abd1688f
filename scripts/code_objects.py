#!/usr/bin/env python3
"""Shows what a change of flyc does to machine code: hashes every code object of kernels/ and tests/benchmark.

    scripts/code_objects.py list > before.json          with the compiler of build/bin
    ... change flyc, build ...
    scripts/code_objects.py list > after.json
    scripts/code_objects.py diff before.json after.json

`diff` prints a line per code object whose bytes differ, and below it a line per kernel whose code differs, with its
size, registers, LDS and scratch before and after. The status is 1 if the machine code of any kernel differs; line
tables do not count, but are named.
"""
import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURES = ["code_bytes", "vgprs", "agprs", "sgprs", "lds_bytes", "scratch_bytes"]


def sections(path, work):
    """The hash of the instructions of a code object, without line tables and notes."""
    text = pathlib.Path(work) / "text"
    subprocess.run(["llvm-objcopy-22", "-O", "binary", "--only-section=.text", path, text], check=True, capture_output=True)
    return hashlib.sha256(text.read_bytes()).hexdigest()


def targets(flyc):
    done = subprocess.run([flyc, "targets", "--json"], check=True, capture_output=True)
    return [target["name"] for target in json.loads(done.stdout)["targets"]]


def compile_source(flyc, source, architectures, stdlib):
    """One entry per architecture; `refused` has the first line of the error of a file without kernels for it."""
    entries = {}
    for arch in architectures:
        with tempfile.TemporaryDirectory() as work:
            command = [flyc, "build", source, "--arch", arch, "-o", work, "--no-cache", "-j", "2"]
            environment = {"FLY_STDLIB": stdlib} if stdlib else {}
            done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **environment})
            metadata = pathlib.Path(work) / (pathlib.Path(source).stem + ".json")
            if not metadata.exists():
                entries[arch] = {"refused": (done.stderr.splitlines() or ["nothing was compiled"])[0]}
                continue
            module = json.loads(metadata.read_text())
            for each in module["architectures"]:
                kernels = {k["symbol"]: {f: k["resources"].get(f) for f in FIGURES} for k in each["kernels"]}
                file = pathlib.Path(work) / each["code_object"]["file"]
                entries[arch] = {"sha256": each["code_object"]["sha256"], "text": sections(file, work), "kernels": kernels}
    return entries


def make_list(arguments):
    folders = arguments.folders or ["kernels", "tests/benchmark"]
    sources = sorted(str(p.relative_to(ROOT)) for folder in folders for p in (ROOT / folder).rglob("*.fly"))
    listing, architectures = {}, targets(arguments.flyc)
    for i, source in enumerate(sources):
        print(f"\r{i + 1}/{len(sources)} {source:60}", end="", file=sys.stderr, flush=True)
        listing[source] = compile_source(arguments.flyc, source, architectures, arguments.stdlib)
    print(file=sys.stderr)
    json.dump(listing, sys.stdout, indent=1)
    return 0


def figures(kernel):
    return "  ".join(f"{kernel[f]} {f}" for f in FIGURES if kernel.get(f))


def make_diff(arguments):
    before, after = (json.loads(pathlib.Path(p).read_text()) for p in (arguments.before, arguments.after))
    same = tables = changed = 0
    for source in sorted(set(before) | set(after)):
        of_source = before.get(source, {}), after.get(source, {})
        for arch in dict.fromkeys([*of_source[0], *of_source[1]]):
            old, new = (entries.get(arch, {}) for entries in of_source)
            if old == new:
                same += 1
                continue
            if old.get("text") == new.get("text") and "text" in old:
                tables += 1
                print(f"{source} {arch}: line tables or names only")
                continue
            changed += 1
            print(f"{source} {arch}: {old.get('refused', '') or new.get('refused', '') or 'machine code'}")
            for symbol in sorted(set(old.get("kernels", {})) | set(new.get("kernels", {}))):
                a, b = old.get("kernels", {}).get(symbol), new.get("kernels", {}).get(symbol)
                if a != b:
                    print(f"    {symbol}\n        before  {figures(a) if a else 'not there'}\n        after   {figures(b) if b else 'not there'}")
    print(f"{same} code objects equal, {tables} with other line tables or names, {changed} with other machine code")
    return 1 if changed else 0


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
commands = parser.add_subparsers(dest="command", required=True)
lister = commands.add_parser("list", help="hash every code object; prints JSON")
lister.add_argument("folders", nargs="*", help="folders of .fly files (kernels tests/benchmark)")
lister.add_argument("--flyc", default=str(ROOT / "build/bin/flyc"))
lister.add_argument("--stdlib", help="another standard library")
differ = commands.add_parser("diff", help="compare two lists")
differ.add_argument("before")
differ.add_argument("after")
options = parser.parse_args()
sys.exit(make_list(options) if options.command == "list" else make_diff(options))
