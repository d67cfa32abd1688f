"""Mutation testing of kernels: are the checks strong enough to notice a wrong kernel?

Each mutant is the kernel's file with one thing in a `@kernel` changed (an operator swapped, an index off by one, a
bound dropped, a barrier dropped, a constant off by one) and is run by `flyc test`. A mutant whose checks still pass
has survived: either the checks are too weak, or the change does not change the meaning. The second is a claim, and
tests/mutation/equivalent.txt holds it with its proof, a line a mutant:

    kernels/x.fly | the line as it is | the line as mutated | why nothing can tell them apart

Survivors without a proof are listed and make the status 1. Valid .fly text tokenizes as Python, so Python's own
tokenizer finds the places.

    scripts/mutate.py kernels/elementwise/vec_add.fly           one file
    scripts/mutate.py --arch gfx942 --arch gfx1201              all kernels
    scripts/mutate.py --list FILE                               show the mutants, run nothing
    scripts/mutate.py --sample 12 --seed 1 FILE...              12 of each file's, always the same

A table names mutants that such changes do not reach: a wait removed, a swizzle on one side only. It is a TOML file:

    options = ["--check=races"]        # optional: for each `flyc test` of the table

    [[mutant]]
    name = "the tile is overwritten while others read it"
    file = "kernels/gemm/steps/lds.fly"
    changes = [["text that the file has once", "what replaces it"], ...]
    found_by = "race"                  # what `flyc test` must print of it, a regular expression
    arch = "gfx942"                    # optional: where, if not on each --arch
    checks = "kernels/gemm/options.fly"      # optional: the file whose checks must find it, if not its own
    options = ["--only", "covers"]     # optional: further ones for this mutant

With `checks`, or --checks for mutants of files, copies of all files beside the checks and in folders there are used, of which
one is the mutant, and the file may also be one of stdlib/.

A text that the file no longer has is an error. Found for another reason than `found_by` is an error too.

    scripts/mutate.py --table tests/mutation/gemm.toml
    scripts/mutate.py --table tests/mutation/attention.toml --sample 12
"""

import argparse
import io
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tokenize
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

OPERATORS = {
    "+": "-", "-": "+", "*": "+", "/": "*", "//": "*", "%": "//", "<": "<=", "<=": "<", ">": ">=", ">=": ">",
    "==": "!=", "!=": "==", "&": "|", "|": "&", "^": "&", "<<": ">>", ">>": "<<", "+=": "-=", "-=": "+=", "*=": "+=",
}
NAMES = {"min": "max", "max": "min", "and": "or", "or": "and"}
AXES = {"x": "y", "y": "x"}
INDICES = {"thread_id", "block_id", "block_dim", "grid_dim"}
NOT_TENSORS = {"In", "Out", "InOut", "Constexpr", "vec", "layout"}
LAYOUT = {tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER}


@dataclass
class Mutant:
    file: Path
    line: int
    kind: str
    before: str  # the line, without indentation
    after: str
    source: str


class Text:
    """A source with its tokens, and replacement by token position."""

    def __init__(self, file):
        self.file = file
        self.source = file.read_text()
        self.lines = self.source.splitlines(keepends=True)
        self.tokens = [t for t in tokenize.generate_tokens(io.StringIO(self.source).readline)]

    def offset(self, position):
        return sum(len(line) for line in self.lines[: position[0] - 1]) + position[1]

    def mutant(self, kind, start, end, replacement):
        a, b = self.offset(start), self.offset(end)
        source = self.source[:a] + replacement + self.source[b:]
        line = start[0]
        return Mutant(self.file, line, kind, self.lines[line - 1].strip(), source.splitlines()[line - 1].strip(), source)


def kernel_ranges(text):
    """Lines of each `@kernel` function, decorator included."""
    starts = [i for i, line in enumerate(text.lines) if line.startswith("@kernel")]
    for start in starts:
        end, in_body = start + 1, False
        while end < len(text.lines):
            line = text.lines[end]
            in_body |= line.startswith("def ")
            if in_body and line.strip() and not line[0].isspace() and not line.startswith(("def ", ")")):
                break
            end += 1
        body = next((i for i in range(start, end) if text.lines[i].rstrip().endswith(":") and
                     any(text.lines[j].startswith("def ") for j in range(start, i + 1))), end)
        yield start + 1, body + 1, end  # first line, last line of the signature, last line; from 1


def closing(tokens, opening):
    """Index of the bracket that closes the one at `opening`."""
    depth = 0
    for i in range(opening, len(tokens)):
        if tokens[i].string in "([{" and tokens[i].type == tokenize.OP:
            depth += 1
        elif tokens[i].string in ")]}" and tokens[i].type == tokenize.OP:
            depth -= 1
            if depth == 0:
                return i
    return len(tokens) - 1


def is_operand_end(token):
    return token.type in (tokenize.NAME, tokenize.NUMBER) and token.string not in ("and", "or", "not", "return", "in", "if", "else") or token.string in (")", "]")


def subscript_mutants(text, tokens, i):
    """x[i, j] with each index one further and one before."""
    end, depth, start = closing(tokens, i), 0, i + 1
    for k in range(i + 1, end + 1):
        word = tokens[k].string
        if (word == "," and depth == 0) or k == end:
            part = tokens[start:k]
            if part and not any(t.string in (":", "=") for t in part):
                a, b = part[0].start, part[-1].end
                if a[0] == b[0]:
                    inner = text.lines[a[0] - 1][a[1]:b[1]]
                    yield text.mutant("index", a, b, f"{inner} + 1")
                    yield text.mutant("index", a, b, f"{inner} - 1")
            start = k + 1
        depth += word in "([{" and tokens[k].type == tokenize.OP
        depth -= word in ")]}" and tokens[k].type == tokenize.OP


def mutants(file):
    text = Text(file)
    tokens = [t for t in text.tokens if t.type not in LAYOUT or t.type == tokenize.NEWLINE]
    for first, signature_end, last in kernel_ranges(text):
        for i, token in enumerate(tokens):
            line = token.start[0]
            if not first <= line <= last or i == 0:
                continue
            before, after = tokens[i - 1], tokens[min(i + 1, len(tokens) - 1)]
            in_body = line > signature_end
            word = token.string
            if token.type == tokenize.OP and word in OPERATORS and is_operand_end(before):
                if after.string != ",":
                    yield text.mutant("operator", token.start, token.end, OPERATORS[word])
            elif token.type == tokenize.NAME and word in NAMES:
                yield text.mutant("operator", token.start, token.end, NAMES[word])
            elif word == "barrier" and in_body and after.string == "(":
                yield text.mutant("barrier", token.start, tokens[closing(tokens, i + 1)].end, "pass")
            elif word == "if" and in_body and (before.type == tokenize.NEWLINE or before.string == ":"):
                depth, k = 0, i + 1
                while not (tokens[k].string == ":" and depth == 0):
                    depth += tokens[k].string in ("(", "[", "{")
                    depth -= tokens[k].string in (")", "]", "}")
                    k += 1
                yield text.mutant("bound", after.start, tokens[k - 1].end, "True")
            elif word == "." and before.string in INDICES and after.string in AXES and in_body:
                yield text.mutant("axis", after.start, after.end, AXES[after.string])
            elif token.type == tokenize.NUMBER and word.isdigit() and in_body:
                yield text.mutant("constant", token.start, token.end, str(int(word) + 1))
            elif word == "[" and in_body and before.type == tokenize.NAME and before.string not in NOT_TENSORS:
                yield from subscript_mutants(text, tokens, i)


def placed(mutant, folder, checks=None):
    """Writes the mutant into a folder among links to those beside the original's, so that `from ..x` finds the same. Returns
    the file to test, and where to look for modules first."""
    home = (checks or mutant.file).parent
    for beside in home.parent.iterdir():
        if beside.is_dir() and beside.name != home.name:
            (folder / beside.name).symlink_to(beside)
    copies, library = folder / home.name, folder / "library of the mutant"
    copies.mkdir()
    for file in home.rglob("*.fly") if checks else ():
        copy = copies / file.relative_to(home)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    if mutant.file.is_relative_to(home):
        place = copies / mutant.file.relative_to(home)
    else:
        place = library / mutant.file.relative_to(ROOT / "stdlib")
        place.parent.mkdir(parents=True)
    place.write_text(mutant.source)
    return copies / (checks or mutant.file).name, library


def verdict(mutant, arch, options, further=(), checks=None):
    """What `flyc test` says of it on one architecture: True if every check passes, and its output."""
    with tempfile.TemporaryDirectory() as folder:
        tested, library = placed(mutant, Path(folder), checks)
        command = [str(options.flyc), "test", str(tested), "--fail-fast", "--arch", arch, "-I", str(library),
                   "-I", str((checks or mutant.file).parent),
                   *options.option, *further]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                  timeout=options.timeout)
        except subprocess.TimeoutExpired:
            return False, "timeout"
        return done.returncode == 0, done.stdout


def survives(mutant, options):
    """True if every check passes on every architecture asked for; a mutant that hangs or does not compile is dead."""
    return all(verdict(mutant, arch, options, checks=options.checks)[0] for arch in options.arch)


def drawn(all_of_file, options):
    """All of them, or --sample of them in their order."""
    if not 0 < options.sample < len(all_of_file):
        return all_of_file
    chosen = random.Random(options.seed).sample(range(len(all_of_file)), options.sample)
    return [all_of_file[i] for i in sorted(chosen)]


def equivalents(file):
    """The proven ones: (file, line, mutated line) to the proof."""
    proofs = {}
    if file.is_file():
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            parts = [part.strip() for part in line.split(" | ", 3)]
            if len(parts) != 4:
                sys.exit(f"mutate: {file}:{number}: expected `file | line | mutated line | proof`")
            proofs[tuple(parts[:3])] = parts[3]
    return proofs


@dataclass
class NamedMutant:
    """A row of a table."""

    name: str
    mutant: Mutant
    found_by: str
    arch: list
    checks: Path | None
    further: list


def read_table(path, options):
    """The rows, and the options for `flyc test`."""
    table, rows = tomllib.loads(path.read_text()), []
    for row in table["mutant"]:
        file = ROOT / row["file"]
        source = file.read_text()
        for before, after in row["changes"]:
            if source.count(before) != 1:
                sys.exit(f"mutate: {row['file']} has {source.count(before)} times, not once, what `{row['name']}` replaces:\n{before}")
            source = source.replace(before, after)
        arch = [row["arch"]] if "arch" in row else options.arch
        checks = ROOT / row["checks"] if "checks" in row else None
        rows.append(NamedMutant(row["name"], Mutant(file, 0, "", "", "", source), row["found_by"], arch, checks,
                                table.get("options", []) + row.get("options", [])))
    return rows


def run_table(path, options):
    """Status 0 if each mutant of the table is found, and found by what its row says."""
    rows = drawn(read_table(path, options), options)
    tested = {(row.checks or row.mutant.file, arch, tuple(row.further)) for row in rows for arch in row.arch}
    for file, arch, further in sorted(tested):
        passes, output = verdict(Mutant(file, 0, "", "", "", file.read_text()), arch, options, further)
        if not passes:  # a kernel that fails unchanged proves nothing
            sys.exit(f"mutate: {os.path.relpath(file, ROOT)} fails its checks unchanged\n{output}")

    def problems(row):
        """A text per architecture where the row is not found, or not by what it says."""
        for arch in row.arch:
            passes, output = verdict(row.mutant, arch, options, row.further, row.checks)
            if passes:
                yield f"{arch}: survived"
            elif not re.search(row.found_by, output):
                yield f"{arch}: not found by `{row.found_by}`, but:\n{output[:2000]}"

    bad = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for row, texts in zip(rows, pool.map(lambda row: list(problems(row)), rows)):
            bad += bool(texts)
            for text in texts:
                print(f"{os.path.relpath(row.mutant.file, ROOT)}, {row.name}: {text}")
    print(f"{len(rows)} mutants in the table, {len(rows) - bad} found as it says")
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="default: all of kernels/")
    parser.add_argument("--arch", action="append", help="default: gfx942")
    parser.add_argument("--flyc", type=Path, default=ROOT / "build/bin/flyc")
    parser.add_argument("--checks", type=lambda name: Path(name).resolve(), help="the file with the checks, if not the mutant's own")
    parser.add_argument("--option", action="append", default=[], help="a further option for flyc test")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=int, default=120, metavar="SECONDS")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="only N mutants per file, or of the table, drawn with --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="show the mutants, run nothing")
    parser.add_argument("--table", type=Path, help="the mutants of a table, instead of all of files")
    options = parser.parse_args()
    options.arch = options.arch or ["gfx942"]
    if options.table:
        return run_table(options.table, options)

    files = [f.resolve() for f in options.files] or sorted((ROOT / "kernels").rglob("*.fly"))
    found = [m for f in files for m in drawn(list(mutants(f)), options)]
    name = lambda m: os.path.relpath(m.file, ROOT)
    if options.list:
        for m in found:
            print(f"{name(m)}:{m.line}: {m.kind}\n  - {m.before}\n  + {m.after}")
        print(f"{len(found)} mutants")
        return 0

    for file in files:  # a kernel that fails unchanged proves nothing
        if not survives(Mutant(file, 0, "", "", "", file.read_text()), options):
            sys.exit(f"mutate: {os.path.relpath(file, ROOT)} fails its checks unchanged")
    proofs = equivalents(ROOT / "tests/mutation/equivalent.txt")
    with ThreadPoolExecutor(options.jobs) as pool:
        alive = [m for m, lives in zip(found, pool.map(lambda m: survives(m, options), found)) if lives]
    unproven = 0
    for m in alive:
        proof = proofs.get((name(m), m.before, m.after))
        unproven += proof is None
        print(f"{name(m)}:{m.line}: {m.kind} survived{'' if proof else ', no proof'}\n  - {m.before}\n  + {m.after}")
        if proof:
            print(f"  equivalent: {proof}")
    print(f"{len(found)} mutants, {len(found) - len(alive)} found by the checks, "
          f"{len(alive) - unproven} proven equivalent, {unproven} survived")
    return 1 if unproven else 0


if __name__ == "__main__":
    sys.exit(main())
