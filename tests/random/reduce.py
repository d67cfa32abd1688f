"""Shrinks a failing random kernel until nothing more can go, and writes it as a .fly file.

    reduce.py OUT/failures/.../7.k3.gfx942.json --flyc build/bin/flyc -o reduced.fly
    reduce.py 7 --kernel k3 --arch gfx942 --flyc build/bin/flyc
    reduce.py 7 --kernel k3 --interesting 'flyc build {} --arch gfx942 --emit=isa -o - | grep -q v_mad_u64_u32'

The first argument is a tree that run.py wrote, a .fly file of generate.py (its first line says how it was made), or a
seed. Without --interesting, what fails in the same way (message class) is kept. A command is interesting if its status
is 0; {} stands for the file.

It works on the tree, in rounds until a round changes nothing: drop statements, in halves and one by one; replace a
statement by what is inside of it; replace expressions by their operands, by variables' values or by constants; drop
parameters; shrink sizes and inputs.
"""

import argparse
import copy
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time

import exact
import generate
import judge
import operations as O
import program
from program import Expression, Statement


class Reducer:
    def __init__(self, kernel, is_interesting, deadline):
        self.kernel, self.is_interesting, self.deadline = kernel, is_interesting, deadline
        self.tried, self.seen = 0, set()

    def attempt(self, candidate):
        """Takes the candidate if it is interesting."""
        text = program.file_text([candidate])
        if text in self.seen or time.time() > self.deadline:
            return False
        self.seen.add(text)
        self.tried += 1
        if not self.is_interesting(text):
            return False
        self.kernel = candidate
        return True

    def change(self, edit):
        """A copy of the kernel with an edit; the edit returns False if there is nothing to do."""
        candidate = copy.deepcopy(self.kernel)
        return edit(candidate) is not False and self.attempt(candidate)

    def run(self):
        if self.kernel.kind == "exact":
            return self.run_exact()
        while time.time() < self.deadline:
            before = program.file_text([self.kernel])
            self.drop_statements()
            self.open_blocks()
            self.drop_outputs()
            self.shrink_expressions()
            self.inline()
            self.drop_parameters()
            self.shrink_sizes()
            self.shrink_inputs()
            if program.file_text([self.kernel]) == before:
                break
        return self.kernel

    def run_exact(self):
        """The expectations of these follow from their expressions, so they shrink by their own rules."""
        while any(self.attempt(candidate) for candidate in exact.smaller(self.kernel)):
            pass
        return self.kernel

    # statements

    def bodies(self, kernel):
        """Every list of statements, the outermost first."""
        found = [kernel.body]
        for statement in kernel.body:
            for inner in statement.walk():
                found += [part.body for part in inner.parts]
        return found

    def drop_statements(self):
        k = 0
        while k < len(self.bodies(self.kernel)):
            size = len(self.bodies(self.kernel)[k])
            while size >= 1:
                at = max(0, len(self.bodies(self.kernel)[k]) - size)
                while True:
                    self.change(lambda kernel: self.without(kernel, k, at, size))
                    if at == 0:
                        break
                    at = max(0, at - size)
                if k >= len(self.bodies(self.kernel)):
                    break
                size //= 2
            k += 1

    def without(self, kernel, k, at, size):
        bodies = self.bodies(kernel)
        if k >= len(bodies) or not bodies[k][at : at + size]:
            return False
        if any(part.head.startswith("if i >=") for statement in bodies[k][at : at + size] for part in statement.parts):
            return False
        del bodies[k][at : at + size]

    def open_blocks(self):
        """`if c: a else: b` becomes a, or b, or loses a part; the same for loops."""
        k = 0
        while k < len(self.bodies(self.kernel)):
            at = 0
            while k < len(self.bodies(self.kernel)) and at < len(self.bodies(self.kernel)[k]):
                statement = self.bodies(self.kernel)[k][at]
                for p in range(len(statement.parts)):
                    if self.change(lambda kernel: self.opened(kernel, k, at, p)):
                        break
                    if len(statement.parts) > 1 and self.change(lambda kernel: self.part_dropped(kernel, k, at, p)):
                        break
                else:
                    at += 1
            k += 1

    def opened(self, kernel, k, at, p):
        body = self.bodies(kernel)[k]
        part = body[at].parts[p]
        inside = part.body
        if re.match(r"if [lti] <", part.head):  # without it, accesses would be outside
            return False
        loop = re.match(r"for (\w+) in", part.head)
        if loop:
            inside = [Statement(f"{loop[1]} = i32(0)")] + inside
        body[at : at + 1] = inside

    def part_dropped(self, kernel, k, at, p):
        parts = self.bodies(kernel)[k][at].parts
        del parts[p]
        parts[0].head = re.sub(r"^elif", "if", parts[0].head)
        if parts[0].head == "else:":
            return False

    # expressions

    def places(self, kernel):
        """(list, index) of every expression, larger ones first."""
        found = []

        def visit(args):
            for k, arg in enumerate(args):
                found.append((args, k))
                visit(arg.args)

        for statement in kernel.body:
            for inner in statement.walk():
                visit(inner.args)
                for part in inner.parts:
                    visit(part.args)
        return found

    def shrink_expressions(self):
        k = 0
        while k < len(self.places(self.kernel)) and time.time() < self.deadline:
            args, at = self.places(self.kernel)[k]
            changed = False
            for choice in range(len(self.smaller(args[at]))):
                if self.change(lambda kernel: self.replaced(kernel, k, choice)):
                    changed = True
                    break
            k += not changed

    def smaller(self, e):
        """What may stand for an expression: constants, then operands of its type."""
        T = e.type
        inner = [x for x in list(e.walk())[1:] if x.type == T]
        inner.sort(key=lambda x: len(x.written()))
        constants = []
        if e.args or not re.fullmatch(r"[\w.]+\([-\w.]+\)|-?\d+", e.text):
            if T == "bool":
                constants = ["True", "False"]
            elif isinstance(T, tuple):
                constants = [f"vec[{T[1]}, {T[2]}]({T[1]}({n}))" for n in (0, 1)]
            elif T in O.INTEGERS or T in O.FLOATS:
                constants = [f"{T}(0)", f"{T}(1)"]
        found = [Expression(T, text) for text in constants] + inner
        return [x for x in found if len(x.written()) < len(e.written()) or not x.args and e.args]

    def replaced(self, kernel, k, choice):
        args, at = self.places(kernel)[k]
        choices = self.smaller(args[at])
        if choice >= len(choices):
            return False
        args[at] = choices[choice]

    def inline(self):
        """`v = e` where v is used once, by its expression."""
        k = 0
        while k < len(self.bodies(self.kernel)):
            at = 0
            while k < len(self.bodies(self.kernel)) and at < len(self.bodies(self.kernel)[k]):
                if not self.change(lambda kernel: self.inlined(kernel, k, at)):
                    at += 1
            k += 1

    def inlined(self, kernel, k, at):
        statement = self.bodies(kernel)[k][at]
        assigned = re.fullmatch(r"(\w+) = (.*)", statement.text or "", re.S)
        if not assigned:
            return False
        name, value = assigned[1], program.fill(assigned[2], statement.args)
        del self.bodies(kernel)[k][at]
        uses = 0
        for args, place in self.places(kernel):
            e = args[place]
            if re.search(rf"\b{name}\b", e.text):
                uses += 1
                plain = re.fullmatch(r"[\w.]+(\[.*\]|\(.*\))?", value)
                e.text = re.sub(rf"\b{name}\b", lambda _: value if plain else f"({value})", e.text).replace("((", "((")
        for body in self.bodies(kernel):
            for s in body:
                if re.search(rf"\b{name}\b", s.text or "") or any(
                    re.search(rf"\b{name}\b", part.head) for part in s.parts
                ):
                    return False
        return None if uses == 1 else False

    # parameters, sizes, inputs

    def drop_outputs(self):
        if self.kernel.prints:
            self.change(lambda kernel: setattr(kernel, "prints", False))
        for k in range(len(self.kernel.expectations))[::-1]:
            self.change(lambda kernel: kernel.expectations.pop(k) and None)

    def drop_parameters(self):
        for k in range(len(self.kernel.parameters))[::-1]:
            self.change(lambda kernel: self.parameter_dropped(kernel, k))
        for k in range(len(self.kernel.globals))[::-1]:
            self.change(lambda kernel: kernel.globals.pop(k) and None)
        for k in range(len(self.kernel.imports))[::-1]:
            self.change(lambda kernel: kernel.imports.pop(k) and None)

    def parameter_dropped(self, kernel, k):
        name = kernel.parameters[k].name
        del kernel.parameters[k]
        kernel.expectations = [line for line in kernel.expectations if not re.search(rf"\b{name}\b", line)]

    def shrink_sizes(self):
        for name in self.kernel.sizes:
            for value in (1, 2, 4, 8, 16, 32, 64):
                if value < self.kernel.sizes[name] and self.change(lambda kernel: kernel.sizes.update({name: value})):
                    break
        for name in ("grid", "block"):
            for value in (1, 32, 64, 128):
                if isinstance(self.kernel.options.get(name), int) and value < self.kernel.options[name]:
                    if self.change(lambda kernel: kernel.options.update({name: value})):
                        break

    def shrink_inputs(self):
        """Numbers of elements everywhere, and inputs that are all one number."""
        lengths = set(re.findall(r"\((\d+),\)", program.file_text([self.kernel])))
        for n in sorted(map(int, lengths), reverse=True):
            for value in (1, 2, 8, 64):
                if value < n and self.change(lambda kernel: self.resized(kernel, n, value)):
                    break
        self.change(self.plain_index)
        for k, parameter in enumerate(self.kernel.parameters):
            poisoned = re.fullmatch(r"poison\((\d+), (\w+)\)", parameter.host)
            if poisoned:
                self.change(
                    lambda kernel: setattr(kernel.parameters[k], "host", f"zeros(({poisoned[1]},), {poisoned[2]})")
                )
            if parameter.annotation.startswith("In[") and not parameter.host.startswith("full("):
                shape = re.match(r"In\[(\w+), \((\d+),\)", parameter.annotation)
                for value in ("0", "1") if shape else ():
                    T, n = shape.groups()
                    if self.change(lambda kernel: setattr(kernel.parameters[k], "host", f"full(({n},), {value}, {T})")):
                        break

    def plain_index(self, kernel):
        for statement in kernel.body:
            statement.text = statement.text and re.sub(r"block_id.x \* \d+ \+ l", "l", statement.text)

    def resized(self, kernel, n, value):
        for parameter in kernel.parameters:
            parameter.annotation = re.sub(rf"\({n},\)", f"({value},)", parameter.annotation)
            parameter.host = re.sub(rf"\({n}, ", f"({value}, ", re.sub(rf"\({n},\)", f"({value},)", parameter.host))
        for args, at in self.places(kernel):
            args[at].text = re.sub(rf"\b{n}\b", str(value), args[at].text)
        for body in self.bodies(kernel):
            for s in body:
                s.text = s.text and re.sub(rf"\b(i < |i >= |t < |% ){n}\b", rf"\g<1>{value}", s.text)
                for part in s.parts:
                    part.head = re.sub(rf"\b(i < |i >= |t < ){n}\b", rf"\g<1>{value}", part.head)


def same_failure(flyc, arch, kind, name, folder):
    """Whether a text fails in the same way."""

    def is_interesting(text):
        path = os.path.join(folder, "candidate.fly")
        with open(path, "w") as file:
            file.write(text)
        archs = arch.split("+")
        results = [flyc.test(path, each) for each in archs]
        if len(archs) == 2:
            digests = [found.get(name, {}) for _, found, _ in results]
            return bool(judge.differing(*digests)) and all(
                outcome.get(name, ("",))[0] == "passed" for outcome, _, _ in results
            )
        outcomes, _, whole = results[0]
        outcome, detail = outcomes.get(name, ("lost", whole))
        return outcome != "passed" and judge.message_class(detail) == kind

    return is_interesting


def command_succeeds(command, folder):
    def is_interesting(text):
        path = os.path.join(folder, "candidate.fly")
        with open(path, "w") as file:
            file.write(text)
        run = command.replace("{}", shlex.quote(path))
        return subprocess.run(run, shell=True, capture_output=True, timeout=300).returncode == 0

    return is_interesting


def read_kernel(options):
    """(kernel, architecture, class or None) of the first argument."""
    source = options.source
    if source.endswith(".json"):
        with open(source) as file:
            data = json.load(file)
        return program.from_json(data["kernel"]), options.arch or data["arch"], data["class"]
    arch, seed, features = options.arch, source, options.features
    if not source.isdigit():
        with open(source) as file:
            head = file.readline()
        made = dict(re.findall(r"--(\w+) (\S+)", head.replace('"""', " ")))
        seed, arch, features = made["seed"], arch or made.get("arch"), features or made.get("features")
    arch = arch or "gfx942"
    k = int(options.kernel.lstrip("k"))
    return generate.make_kernel(int(seed), k, arch, generate.parse_features(features)), arch, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="a .json tree, a .fly file of generate.py, or a seed")
    parser.add_argument("--kernel", default="k0")
    parser.add_argument("--arch")
    parser.add_argument("--features")
    parser.add_argument("--flyc", default="flyc")
    parser.add_argument("--interesting", metavar="COMMAND")
    parser.add_argument("--time", type=float, default=300, help="seconds")
    parser.add_argument("--timeout", type=float, default=30, help="seconds for one run of flyc")
    parser.add_argument("-o", "--output", default="-")
    options = parser.parse_args()
    kernel, arch, kind = read_kernel(options)
    with tempfile.TemporaryDirectory() as folder:
        if options.interesting:
            is_interesting = command_succeeds(options.interesting, folder)
        else:
            flyc = judge.Flyc(options.flyc, timeout=options.timeout)
            if kind is None:
                kind = class_now(flyc, kernel, arch, folder)
            is_interesting = same_failure(flyc, arch, kind, kernel.name, folder)
        if not is_interesting(program.file_text([kernel])):
            raise SystemExit("the kernel as it is does not fail in this way")
        reducer = Reducer(kernel, is_interesting, time.time() + options.time)
        text = program.file_text([reducer.run()], f"{arch}: {kind or options.interesting}")
    lines = sum(1 for line in reducer.kernel.text() if line.strip())
    print(f"{reducer.tried} candidates, {lines} lines", file=sys.stderr)
    if options.output == "-":
        sys.stdout.write(text)
    else:
        with open(options.output, "w") as file:
            file.write(text)


def class_now(flyc, kernel, arch, folder):
    path = os.path.join(folder, "candidate.fly")
    with open(path, "w") as file:
        file.write(program.file_text([kernel]))
    outcomes, _, whole = flyc.test(path, arch)
    outcome, detail = outcomes.get(kernel.name, ("lost", whole))
    if outcome == "passed":
        raise SystemExit("the kernel passes")
    return judge.message_class(detail)


if __name__ == "__main__":
    main()
