"""Kernels of scalars and vectors of all types, with control flow, LDS, atomics and exchanges between lanes.

A kernel is one of three kinds, by how it treats the threads beyond the last element:

    "return"    they end at once; elements are at the thread's index
    "guard"     the body is under `if i < n:`
    "whole"     all threads stay; loads are at `min(i, n - 1)`, stores are guarded. Only here are barriers and exchanges
                that need all lanes

A Scope says what a statement may do where it stands: which variables there are, whether all lanes of the wave, or of the
workgroup, are together, and whether a loop is around that `break` may leave.
"""

import re

import known
import operations as O
from choice import Chooser
from exact import output_bits
from program import Expression, Kernel, Parameter, Part, Statement, corner_bits, corner_name

SIZES = (1, 7, 63, 64, 65, 100, 128, 200, 257)


class Scope:
    def __init__(self, outer=None, **changes):
        self.variables = dict(outer.variables) if outer else {}  # name: type
        self.assigned = set(outer.assigned) if outer else set()  # those that may be assigned again
        self.whole = outer.whole if outer else False  # all lanes of each wave are here
        self.block = outer.block if outer else False  # all waves of the workgroup are here
        self.loop = outer.loop if outer else False  # `break` and `continue` have a loop
        self.leaves = outer.leaves if outer else True  # `return` is allowed
        self.gives = outer.gives if outer else None  # in a function: the type of what it returns
        self.depth = outer.depth + 1 if outer else 0
        vars(self).update(changes)


class Soup:
    def __init__(self, random, counts, name, arch=None):
        self.random, self.chooser = random, Chooser(random, counts)
        self.kernel = Kernel(name, "soup")
        self.fresh = 0
        self.flow = random.choice(("return", "guard", "whole", "whole"))
        self.n = random.choice(SIZES)
        self.block = random.choice((64, 64, 64, 128, 256))
        if self.flow != "whole" and random.random() < 0.25:
            self.block = random.choice((1, 7, 32, 63, 65, 96))
        pool = random.sample(O.VALUES, random.choice((2, 3, 4, 6)))
        self.types = sorted(set(pool) | {"i32", "bool"} | {random.choice(O.INTEGERS[2:])}, key=O.VALUES.index)
        self.budget = random.choice((1, 2, 4, 5, 6, 8, 12, 20, 40))
        self.votes = random.random() < 0.5  # else lanes may leave from inside of conditions
        self.exits = True

    # names and leaves

    def name(self, prefix="v"):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def constant(self, T):
        bits = self.random.choice(corner_bits(T)) if self.random.random() < 0.8 else self.random.getrandbits(O.F.bits_of(T))
        return Expression(T, O.constant(T, bits))

    def small(self, T, least, most):
        return Expression(T, f"{T}({self.random.randint(least, most)})")

    def leaf(self, scope, T):
        """A variable of the type, else a conversion of one, else a constant."""
        names = [name for name, type in scope.variables.items() if type == T]
        roll = self.random.random()
        if names and roll < 0.85:
            return Expression(T, self.random.choice(names))
        others = [(name, type) for name, type in scope.variables.items() if not isinstance(type, tuple) and type != T]
        if others and roll < 0.95 and not isinstance(T, tuple):
            name, type = self.random.choice(others)
            found = [o for o in O.TABLE if o.result == T and o.types == (type,) and o.name.startswith("to")]
            if found:
                operation = self.random.choice(found)
                return Expression(T, operation.text, [Expression(type, name)], O.cell(operation))
        if isinstance(T, tuple):
            return Expression(T, f"vec[{T[1]}, {T[2]}]({{0}})", [self.leaf(scope, T[1])], ("splat", T[1]))
        return self.constant(T)

    def expression(self, scope, T, depth):
        if isinstance(T, tuple):
            return self.vector(scope, T, depth)
        if depth <= 0:
            return self.leaf(scope, T)
        if self.random.random() < 0.2:
            found = self.special(scope, T, depth)
            if found:
                return found
        among = set(self.types) | {T} if self.random.random() < 0.8 else None
        operation = self.chooser.pick(T, among)
        args = [self.expression(scope, A, depth - 1 - self.random.randrange(2)) for A in operation.types]
        if operation.name in ("shl", "shr") and not re.search(r"\b[vwjkst]\d+\b|\b[it]\b", args[1].written()):  # known: must be in range
            args[1] = self.small(T, 0, O.F.bits_of(T) - 1)
        return Expression(T, operation.text, args, O.cell(operation))

    def special(self, scope, T, depth):
        """Elements and reductions of vectors, and exchanges between lanes."""
        ways = []
        vectors = [(name, type) for name, type in scope.variables.items() if isinstance(type, tuple) and type[1] == T]
        if vectors:
            ways += [self.element_of] * 2 + [self.reduction_of]
        if T not in ("bool",) and scope.whole:
            ways += [self.exchange] * 2
        if T in ("i32", "bool") and self.votes:
            ways.append(self.vote)
        if not ways:
            return None
        return self.random.choice(ways)(scope, T, depth, vectors)

    def element_of(self, scope, T, depth, vectors):
        name, (_, _, n) = self.random.choice(vectors)
        if self.random.random() < 0.6:
            return Expression(T, f"{name}[{self.random.randrange(n)}]", [], ("element", T))
        index = self.expression(scope, "i32", depth - 1)
        return Expression(T, f"{name}[{{0}} & {n - 1}]" if n in (2, 4, 8, 16) else f"{name}[{{0}} % {n}]", [index], ("element_at", T))

    def reduction_of(self, scope, T, depth, vectors):
        name, (_, _, n) = self.random.choice(vectors)
        if T == "bool":
            kind = self.random.choice(("all", "any"))
        elif T in O.STORED:
            return Expression(T, f"{name}[0]", [], ("element", T))
        else:
            kind = self.random.choice(("sum", "prod", "max", "min"))
        text = f"{name}.{kind}()"
        if kind in ("max", "min") and T in O.FLOATS:
            text = f"({text} + {T}(0.0))"
        return Expression(T, text, [], (f"reduce_{kind}", T))

    def exchange(self, scope, T, depth, vectors):
        x = self.expression(scope, T, depth - 1)
        kind = self.random.choice(("shuffle", "shuffle_xor", "shuffle_up", "shuffle_down", "readlane", "readfirstlane", "writelane", "dpp"))
        width = self.random.choice((2, 4, 8, 16, 32))
        far = self.random.randrange(32)
        ending = f", width={width})" if self.random.random() < 0.5 else ")"
        within = width if ending != ")" else 32
        args = [x]
        if kind == "shuffle":
            if self.random.random() < 0.5:
                text = f"shuffle({{0}}, {far % within}{ending}"
            else:
                args.append(self.expression(scope, "i32", depth - 1))
                text = f"shuffle({{0}}, {{1}} & {within - 1}{ending}"
        elif kind in ("shuffle_xor", "shuffle_up", "shuffle_down"):
            text = f"{kind}({{0}}, {self.random.randrange(1, within)}{ending}"
        elif kind == "readlane":
            text = f"readlane({{0}}, {far})"
        elif kind == "readfirstlane":
            text = "readfirstlane({0})"
        elif kind == "writelane":
            text = f"writelane({{0}}, {far}, {{1}})"
            args.append(self.constant(T))
        else:
            self.kernel.imports.append("from fly.amd import dpp")
            form = self.random.choice((
                f"quad_perm=({', '.join(str(self.random.randrange(4)) for _ in range(4))})",
                f"row_shl={self.random.randint(1, 15)}", f"row_shr={self.random.randint(1, 15)}",
                f"row_ror={self.random.randint(1, 15)}", "row_mirror=True", "row_half_mirror=True",
                f"row_share={self.random.randrange(16)}",
            ))  # fmt: skip
            options = self.random.choice(("", "", ", bound_ctrl=True", ", row_mask=5", ", bank_mask=9"))
            text = f"dpp({{0}}, {form}{options})"
            kind = "dpp_" + form.split("=")[0]
        if kind in ("readlane", "readfirstlane"):
            pass
        self.kernel.portable = self.kernel.portable and not self.sees_wave(kind, ending)
        return Expression(T, text, args, (kind, T))

    def sees_wave(self, kind, ending):
        """Whether the result depends on how many lanes a wave has."""
        return not (kind.startswith("dpp") or ending != ")" and kind.startswith("shuffle"))

    def vote(self, scope, T, depth, vectors):
        self.kernel.portable = False
        p = self.expression(scope, "bool", depth - 1)
        if T == "bool":
            kind = self.random.choice(("wave_any", "wave_all"))
            return Expression(T, f"{kind}({{0}})", [p], (kind, "bool"))
        kind = self.random.choice(("popcount(ballot({0}))", "mbcnt(ballot({0}))", "i32(ballot({0}))"))
        return Expression(T, kind, [p], (kind.split("(")[0] + "_ballot", "i32"))

    # vectors

    def vector(self, scope, V, depth):
        _, T, n = V
        names = [name for name, type in scope.variables.items() if type == V]
        if depth <= 0 or self.random.random() < 0.1:
            if names and self.random.random() < 0.8:
                return Expression(V, self.random.choice(names))
            if self.random.random() < 0.5:
                return self.leaf(scope, V)
            return Expression(V, f"vec[{T}, {n}]({', '.join('{%d}' % k for k in range(n))})", [self.leaf(scope, T) for _ in range(n)], ("build", T))
        roll = self.random.random()
        if roll < 0.12:
            order = [self.random.randrange(n) for _ in range(n)]
            return Expression(V, f"({{0}})[{order}]", [self.vector(scope, V, depth - 1)], ("permute", T))
        if roll < 0.2 and n % 2 == 0:
            half = ("vec", T, n // 2)
            pieces = [self.vector(scope, half, 0), self.vector(scope, half, 0)] if n > 2 else [self.leaf(scope, T), self.leaf(scope, T)]
            return Expression(V, "concat({0}, {1})", pieces, ("concat", T))
        if roll < 0.26:
            return Expression(V, "({0})[::2]", [self.vector(scope, ("vec", T, 2 * n), depth - 1)], ("slice", T)) if n < 8 else self.vector(scope, V, 0)
        operation = self.chooser.pick(T)
        for _ in range(20):
            scalar = ("where", "if_else", "and", "or", "not", "bits_of", "from_bits")
            packed = re.search(r"\b(f4E2M1|i4|u4|f6E2M3|f6E3M2)\b", operation.text)
            if packed and n % (4 if packed[1].startswith("f6") else 2):  # whole bytes
                operation = self.chooser.pick(T)
                continue
            if operation.name not in scalar and all(t != "bool" or T == "bool" for t in operation.types):
                break
            operation = self.chooser.pick(T)
        else:
            return self.leaf(scope, V)
        if operation.name in ("shl", "shr"):
            operation = next(o for o in O.TABLE if o.name == "add" and o.result == T)
        args = []
        for k, A in enumerate(operation.types):
            if k and self.random.random() < 0.3 and A == T and operation.name in ("add", "sub", "mul", "and", "or", "xor"):
                args.append(self.leaf(scope, A))
            else:
                args.append(self.vector(scope, ("vec", A, n), depth - 1 - self.random.randrange(2)))
        text = operation.text
        for A in set(operation.types) | {T}:
            text = text.replace(f"{A}(0.0)", f"vec[{A}, {n}]({A}(0.0))") if "min(" in text or "max(" in text else text
        if operation.name.startswith("to") and "saturate" not in text:
            text = f"{{0}}.to({T})"
        cell = O.cell(operation)
        return Expression(V, text, args, (f"{cell[0]}_vec", cell[1]))

    # statements

    def statements(self, scope, count):
        body = []
        for _ in range(count):
            if self.budget <= 0:
                break
            body += self.statement(scope)
            if body and getattr(body[-1], "ends", False):
                break
        return body

    def statement(self, scope):
        ways = [self.define] * 6 + [self.exchange_variables] + [self.assign] * 5 + [self.define_vector] * 2
        if scope.depth < 4:
            ways += [self.branch] * 2 + [self.count_loop, self.while_loop]
        if scope.block and scope.whole:
            ways += [self.through_lds] * 2 + [self.lds_atomics]
        ways += [self.global_atomic] if scope.depth < 3 else []
        if scope.loop and self.exits:
            ways += [self.leave]
        if self.exits and scope.depth and scope.leaves and (self.flow != "whole" or scope.gives):
            ways += [self.early_return]
        ways += [self.fragment, self.exact_floats]
        if scope.depth < 2:
            ways += [self.function]
        if scope.whole and not scope.loop:
            ways += [self.collective] * 2
        found = self.random.choice(ways)(scope)
        self.budget -= sum(1 for s in found for _ in s.walk()) + sum(1 for s in found for e in s.expressions() if e.cell) // 4
        return found

    def define(self, scope, T=None):
        T = T or self.random.choice(self.types)
        e = self.expression(scope, T, self.random.choice((1, 1, 2, 2, 3)))
        name = self.name()
        scope.variables[name] = T
        scope.assigned.add(name)
        return [Statement(f"{name} = {{0}}", [e])]

    def define_vector(self, scope):
        T = self.random.choice(self.types)
        V = ("vec", T, self.random.choice((2, 4, 4, 8, 3)))
        e = self.vector(scope, V, self.random.choice((1, 2)))
        name = self.name("w")
        scope.variables[name] = V
        scope.assigned.add(name)
        if self.random.random() < 0.3:
            at = self.random.randrange(V[2])
            index = Expression("i32", str(at))
            if self.random.random() < 0.4:
                index = Expression("i32", f"{{0}} % {V[2]}", [self.leaf(scope, "i32")])
            return [
                Statement(f"{name} = {{0}}", [e]),
                Statement(f"{name}[{{0}}] = {{1}}", [index, self.expression(scope, T, 1)], cells=[("insert", T)]),
            ]
        return [Statement(f"{name} = {{0}}", [e])]

    def assign(self, scope):
        names = sorted(scope.assigned & set(scope.variables))
        if not names:
            return self.define(scope)
        name = self.random.choice(names)
        T = scope.variables[name]
        augmented = {"+=", "-=", "*="}
        if T in O.INTEGERS:
            sign = self.random.choice(("=", "+=", "-=", "*=", "^=", "|=", "&="))
        elif T in O.FLOATS:
            sign = self.random.choice(("=", "+=", "-=", "*="))
        else:
            sign = "="
        e = self.expression(scope, T, self.random.choice((1, 2, 2)))
        cells = [(("augmented", T) if sign in augmented else ("assign", O.element(T)))]
        return [Statement(f"{name} {sign} {{0}}", [e], cells=cells)]

    def exchange_variables(self, scope):
        """Two variables at once, so that loops carry them crosswise."""
        names = sorted(scope.assigned & set(scope.variables))
        pairs = [(a, b) for a in names for b in names if a != b and scope.variables[a] == scope.variables[b]]
        if not pairs:
            return self.assign(scope)
        a, b = self.random.choice(pairs)
        return [Statement(f"{a}, {b} = {b}, {{0}}", [self.expression(scope, scope.variables[a], 1)], cells=[("swap", O.element(scope.variables[a]))])]

    def uniform_condition(self, scope):
        """A condition that is the same in all lanes of the workgroup."""
        ways = ["(s0 & 3) == 1", "s0 < 100", "block_id.x == 0", "(s0 >> 5) != 3"]
        return Expression("bool", self.random.choice(ways), [], ("uniform", "bool"))

    def branch(self, scope):
        uniform = self.random.random() < 0.35
        kind = "if_uniform" if uniform else "if_divergent"
        parts = []
        for k in range(self.random.choice((1, 2, 2, 3))):
            condition = self.uniform_condition(scope) if uniform else self.expression(scope, "bool", 2)
            inner = Scope(scope, whole=scope.whole and uniform, block=scope.block and uniform)
            hint = self.random.random()
            head = "if {0}:" if k == 0 else "elif {0}:"
            if k == 0 and hint < 0.1:
                head = self.random.choice(("if likely({0}):", "if unlikely({0}):"))
            parts.append(Part(head, [condition], self.statements(inner, self.random.choice((1, 2, 3)))))
        if self.random.random() < 0.6:
            inner = Scope(scope, whole=scope.whole and uniform, block=scope.block and uniform)
            parts.append(Part("else:", [], self.statements(inner, self.random.choice((1, 2, 3)))))
        return [Statement(parts=parts, cells=[(kind, "")])]

    def count_loop(self, scope):
        random = self.random
        j = self.name("j")
        style = random.choice(("constant", "constant", "unroll", "uniform", "divergent", "typed", "down"))
        uniform = style != "divergent"
        args, T = [], "i32"
        if style == "constant":
            start, step = random.choice((0, 0, 1, -3)), random.choice((1, 1, 2, 3))
            span = f"range({start}, {start + step * random.choice((0, 1, 3, 5))}, {step}"
            span += random.choice((")", ")", ", unroll=2)", ", unroll=True)", ", unroll=False)"))
        elif style == "unroll":
            span = f"unroll({random.choice((1, 2, 3))})"
        elif style == "uniform":
            span = f"range({random.choice((0, 1))}, (s0 & 7), {random.choice((1, 2))})"
        elif style == "divergent":
            args = [self.expression(scope, "i32", 1)]
            span = "range({0} & 7)"
        elif style == "typed":
            T = random.choice(O.INTEGERS)
            low, high = O.F.bounds(T)
            start = random.choice((low, low + 1, 0, high - 9))
            span = f"range({T}({start}), {T}({start + random.choice((0, 4, 9))}), {T}({random.choice((1, 2, 3, 5))}))"
        else:
            span = f"range({random.choice((5, 3))}, {random.choice((-1, 0, -4))}, {random.choice((-1, -2))})"
        leaves = random.random() < 0.4 and style != "unroll"
        inner = Scope(scope, whole=scope.whole and uniform and not leaves, block=scope.block and uniform and not leaves, loop=leaves)
        inner.variables[f"{T}({j})"] = T  # a loop whose body emits nothing counts at compile time
        body = self.statements(inner, random.choice((1, 2, 3)))
        return [Statement(parts=[Part(f"for {j} in {span}:", args, body)], cells=[(f"for_{style}", T)])]

    def while_loop(self, scope):
        random = self.random
        k = self.name("k")
        most = random.choice((3, 5, 8))
        leaves = random.random() < 0.5
        inner = Scope(scope, whole=False, block=False, loop=leaves)
        inner.variables[k] = "i32"
        condition = self.expression(scope, "bool", 2)
        body = [Statement(f"{k} += 1")] + self.statements(inner, random.choice((1, 2, 3)))
        loop = Statement(parts=[Part(f"while {k} < {most} and {{0}}:", [condition], body)], cells=[("while", "")])
        return [Statement(f"{k} = i32(0)"), loop]

    def leave(self, scope):
        word = self.random.choice(("break", "continue"))
        return [Statement(parts=[Part("if {0}:", [self.expression(scope, "bool", 2)], [Statement(word, cells=[(word, "")])])])]

    def early_return(self, scope):
        if scope.gives:
            give = Statement("return {0}", [self.expression(scope, scope.gives, 1)], cells=[("return_value", "")])
            return [Statement(parts=[Part("if {0}:", [self.expression(scope, "bool", 2)], [give])])]
        return [Statement(parts=[Part("if {0}:", [self.expression(scope, "bool", 2)], [Statement("return", cells=[("return", "")])])])]

    def function(self, scope):
        """A function with its own control flow, called once or twice."""
        random = self.random
        f = self.name("fn")
        types = [random.choice(self.types) for _ in range(random.choice((1, 2, 3)))]
        T = random.choice(self.types)
        inner = Scope(depth=scope.depth + 1, gives=T, whole=False, block=False)
        names = [self.name("a") for _ in types]
        inner.variables.update(zip(names, types))
        body = self.statements(inner, random.choice((2, 3, 4)))
        body.append(Statement("return {0}", [self.expression(inner, T, 1)]))
        found = [Statement(parts=[Part(f"def {f}({', '.join(names)}):", [], body)], cells=[("function", "")])]
        for _ in range(random.choice((1, 1, 2))):
            v = self.name()
            args = [self.expression(scope, A, 1) for A in types]
            call = f"{f}({', '.join('{%d}' % k for k in range(len(args)))})"
            found.append(Statement(f"{v} = {call}", args, cells=[("call", T)]))
            scope.variables[v] = T
            scope.assigned.add(v)
        return found

    def exact_floats(self, scope):
        """Sums and products of small integers, as floats: exact, so every fast-math flag but `afn` keeps them."""
        random = self.random
        T, v = random.choice(("f32", "f32", "f64", "f16", "bf16")), self.name()
        mask, depth = {"f32": (7, 3), "f64": (15, 3), "f16": (3, 2), "bf16": (3, 2)}[T]

        def grown(depth):
            if depth == 0:
                return Expression(T, f"{T}({{0}} & {mask})", [Expression("i32", f"({self.leaf(scope, 'i32').written()})")])
            sign = random.choice("+-**")
            return Expression(T, f"({{0}} {sign} {{1}})", [grown(depth - 1), grown(depth - 1)], ({"+": "add", "-": "sub", "*": "mul"}[sign] + "_fast", T))

        flags = random.choice(('"contract"', '"reassoc"', '"nnan,ninf"', '"contract,reassoc"', '"arcp,nnan"', '"contract,reassoc,nnan,ninf,arcp"', '"nsz"'))
        scope.variables[v] = "i32"
        scope.assigned.add(v)
        return [
            Statement(f"{v} = i32(0)"),
            Statement(parts=[Part(f"with fastmath({flags}):", [], [Statement(f"{v} = i32({{0}})", [grown(depth)])])], cells=[("fastmath", T)]),
        ]

    def collective(self, scope):
        """Reductions and scans of the library, over a wave or a workgroup."""
        random = self.random
        T, v = random.choice([T for T in self.types if T in O.INTEGERS]), self.name()
        x = self.expression(scope, T, 1)
        width = random.choice(("", "", ", width=16", ", width=8", ", width=32"))
        ways = [
            ("warp_reduce", f"warp_reduce({{0}}, {random.choice(('max', 'min', 'lambda a, b: a + b', 'lambda a, b: a ^ b'))}{width})"),
            ("warp_sum", f"warp_sum({{0}}{width})"),
            ("warp_scan", f"warp_scan({{0}}, lambda a, b: a + b, {T}(0), exclusive={random.choice(('True', 'False'))}{width})"),
            ("warp_broadcast", f"warp_broadcast({{0}}, {random.randrange(8)}{width})"),
        ]
        if scope.block and self.block % 64 == 0:
            ways += [
                ("block_reduce", f"block_reduce({{0}}, {random.choice(('max', 'min'))})"),
                ("block_sum", "block_sum({0})"),
                ("block_scan", f"block_scan({{0}}, lambda a, b: a + b, {T}(0), exclusive={random.choice(('True', 'False'))})[{random.randrange(2)}]"),
            ]
        name, text = random.choice(ways)
        self.kernel.imports.append(f"from fly.reduce import {name}")
        if not width and name.startswith("warp"):
            self.kernel.portable = False
        scope.variables[v] = T
        scope.assigned.add(v)
        after = [Statement("barrier()")] if name.startswith("block") else []
        return [Statement(f"{v} = {text}", [x], cells=[(name, T)])] + after

    def through_lds(self, scope):
        """Every thread writes an element, and reads another one."""
        T = self.random.choice(self.types)
        if T == "bool":
            T = "i32"
        s, v = self.name("s_"), self.name()
        x = self.expression(scope, T, 1)
        way = self.random.choice(("reverse", "rotate", "any"))
        index = {
            "reverse": Expression("i32", f"{self.block - 1} - l"),
            "rotate": Expression("i32", f"(l * {self.random.choice((1, 3, 5, 7))} + {self.random.randrange(self.block)}) % {self.block}"),
            "any": Expression("i32", f"{{0}} & {self.block - 1}", [self.expression(scope, "i32", 1)]),
        }[way]
        scope.variables[v] = T
        scope.assigned.add(v)
        return [
            Statement(f"{s} = shared({T}, ({self.block},))"),
            Statement(f"{s}[l] = {{0}}", [x], cells=[("lds_store", T)]),
            Statement("barrier()", cells=[("barrier", "")]),
            Statement(f"{v} = {s}[{{0}}]", [index], cells=[("lds_load", T)]),
            Statement("barrier()"),
        ]

    def atomic_operation(self, T):
        return self.random.choice(("atomic_add", "atomic_sub", "atomic_min", "atomic_max", "atomic_and", "atomic_or", "atomic_xor"))

    def lds_atomics(self, scope):
        T = self.random.choice(("i32", "u32", "i64", "u64"))
        s, v = self.name("s_"), self.name()
        kind = self.atomic_operation(T)
        n = self.random.choice((1, 8, 64))
        conditional = self.random.random() < 0.3
        inner = Scope(scope, whole=False, block=False) if conditional else scope
        slot = Expression("i32", f"({{0}}) & {n - 1}", [self.expression(inner, "i32", 1)])
        update = Statement(f"{s}.{kind}({{0}}, {{1}})", [slot, self.expression(inner, T, 1)], cells=[(f"lds_{kind}", T)])
        if conditional:
            update = Statement(parts=[Part("if {0}:", [self.expression(scope, "bool", 1)], [update])])
        scope.variables[v] = T
        scope.assigned.add(v)
        return [
            Statement(f"{s} = shared({T}, ({n},))"),
            Statement(parts=[Part(f"if l < {n}:", [], [Statement(f"{s}[l] = {{0}}", [self.constant(T)])])]),
            Statement("barrier()"),
            update,
            Statement("barrier()"),
            Statement(f"{v} = {s}[l & {n - 1}]"),
            Statement("barrier()"),
        ]

    def float_atomic(self):
        """Sums that are rounded. Every lane adds the same number, so their order does not matter."""
        T, name = self.random.choice(("f32", "f64")), self.name("g")
        start = {"f32": "2**24", "f64": "2**53"}[T]  # from here on one and a half is a tie
        if T == "f64":  # gfx1201 has none
            self.kernel.archs = ["gfx942", "gfx950", "gfx1250"]
        self.kernel.parameters.append(Parameter(name, f"InOut[{T}, (2,)]", f"full((2,), {start}, {T})", True))
        number = Expression(T, self.random.choice(("1.0", "0.5", "3.0", "1.5")))
        return [Statement(f"{name}.atomic_add({self.random.randrange(2)}, {{0}})", [number], cells=[("atomic_add", T)])]

    def global_atomic(self, scope):
        if self.random.random() < 0.25:
            return self.float_atomic()
        T = self.random.choice(("i32", "u32", "i64", "u64"))
        name = self.name("g")
        kind = self.atomic_operation(T)
        if self.random.random() < 0.6:  # several lanes at one place; nobody looks at the result
            n = self.random.choice((1, 4, 64))
            self.kernel.parameters.append(Parameter(name, f"InOut[{T}, ({n},)]", f"poison({n}, {T})", True))
            slot = Expression("i32", f"{{0}} & {n - 1}", [self.expression(scope, "i32", 1)])
            return [Statement(f"{name}.{kind}({{0}}, {{1}})", [slot, self.expression(scope, T, 1)], cells=[(kind, T)])]
        total = self.total()
        self.kernel.parameters.append(Parameter(name, f"InOut[{T}, ({total},)]", f"poison({total}, {T})", True))
        if T[0] == "u" and self.random.random() < 0.3:
            kind = self.random.choice(("atomic_inc", "atomic_dec"))
        if self.random.random() < 0.2:
            kind = "atomic_exchange"
        text, args = f"{name}.{kind}(t, {{0}})", [self.expression(scope, T, 1)]
        if self.random.random() < 0.15:
            kind, text = "atomic_compare_exchange", f"{name}.atomic_compare_exchange(t, {{0}}, {{1}})"
            args.append(self.expression(scope, T, 1))
        v = self.name()
        scope.variables[v] = T
        scope.assigned.add(v)
        return [Statement(f"{v} = {text}", args, cells=[(f"{kind}_result", T)])]

    def fragment(self, scope):
        T = self.random.choice([T for T in self.types if T != "bool"])
        f, v = self.name("fr"), self.name()
        a, b = self.random.choice(((2, 2), (1, 4), (4, 2), (3, 1)))
        body = [Statement(f"{f} = fragment({T}, ({a}, {b}))"), Statement(f"{f}.fill({{0}})", [self.expression(scope, T, 1)])]
        for _ in range(self.random.choice((1, 2, 3))):
            at = f"{self.random.randrange(a)}, {self.random.randrange(b)}"
            body.append(Statement(f"{f}[{at}] = {{0}}", [self.expression(scope, T, 1)], cells=[("fragment_store", T)]))
        if self.random.random() < 0.5:
            V = ("vec", T, a * b)
            scope.variables[v] = V
            body.append(Statement(f"{v} = {f}.load()", cells=[("fragment_load", T)]))
        else:
            scope.variables[v] = T
            body.append(Statement(f"{v} = {f}[{self.random.randrange(a)}, {self.random.randrange(b)}]", cells=[("fragment_element", T)]))
        return body

    # the kernel

    def total(self):
        return self.block * self.grid()

    def grid(self):
        return -(-self.n // self.block) + (1 if self.extra else 0)

    def make(self):
        random, kernel = self.random, self.kernel
        self.extra = random.random() < 0.1
        kernel.options = {"block": self.block, "grid": self.grid()}
        local = "thread_id.x"
        if random.random() < 0.15 and self.block % 16 == 0:
            x = random.choice((2, 8, 16))
            kernel.options["block"], local = f"({x}, {self.block // x})", f"thread_id.y * {x} + thread_id.x"
            kernel.cells.append(("block_2d", ""))
        n = self.n
        whole = self.flow == "whole"
        scope = Scope(whole=whole and self.block % 64 == 0, block=whole)
        body = [
            Statement(f"l = {local}"),
            Statement(f"i = block_id.x * {self.block} + l"),
            Statement("t = i"),
        ]
        if whole:
            body.append(Statement(f"i = min(i, {n - 1})"))
        if self.flow == "return":
            body.append(Statement(parts=[Part(f"if i >= {n}:", [], [Statement("return", cells=[("return", "")])])]))
        inside = []
        kernel.parameters.append(Parameter("s0", "i32", str(random.choice((0, 1, 5, 77, 1 << 20)))))
        scope.variables.update({"i": "i32", "s0": "i32"})
        if random.random() < 0.4:
            T = random.choice([T for T in self.types if T in O.INTEGERS])
            kernel.parameters.append(Parameter("s1", T, str(O.F.integer(T, random.choice(corner_bits(T))))))
            scope.variables["s1"] = T
            kernel.cells.append(("scalar_parameter", T))
        for k, T in enumerate(self.types if len(self.types) < 5 else random.sample(self.types, 4)):
            memory = "u8" if T == "bool" else T
            host = f"corners({n}, {random.randrange(100)}, {memory}, {corner_name(memory)})"
            kernel.parameters.append(Parameter(f"x{k}", f"In[{memory}, ({n},)]", host))
            v, at = self.name(), random.choice(("i", "i", "i", f"(i * 3 + 1) % {n}", "0"))
            load = f"x{k}[{at}]" if T != "bool" else f"(x{k}[{at}] & 1) == 1"
            inside.append(Statement(f"{v} = {load}", cells=[("load" if at != "0" else "load_uniform", memory)]))
            scope.variables[v] = T
            scope.assigned.add(v)
            if T == memory and random.random() < 0.25:
                width = random.choice((2, 4, 8))
                kernel.parameters.append(
                    Parameter(f"z{k}", f"In[{T}, ({n * width},)]", f"corners({n * width}, {random.randrange(100)}, {T}, {corner_name(T)})")
                )
                w = self.name("w")
                inside.append(Statement(f"{w} = zipped_divide(z{k}, ({width},))[:, i].load()", cells=[("load_vec", T)]))
                scope.variables[w] = ("vec", T, width)
                scope.assigned.add(w)
        inside += self.statements(scope, 40)
        inside += self.stores(scope)
        if self.flow == "guard":
            body.append(Statement(parts=[Part(f"if i < {n}:", [], inside)]))
        else:
            body += inside
        kernel.body = body
        kernel.cells += [(f"flow_{self.flow}", ""), (f"block_{self.block}", "")]
        return kernel

    def stores(self, scope):
        """The last variables go to outputs, each to its own."""
        n, found = self.n, []
        names = list(scope.variables)[::-1]
        names = [name for name in names if "(" not in name and name not in ("i", "s0", "s1")][: random_outputs(self.random)]
        for k, name in enumerate(names):
            T = scope.variables[name]
            width = T[2] if isinstance(T, tuple) else 1
            E = O.element(T)
            U = O.unsigned(E)
            out = f"y{k}"
            self.kernel.parameters.append(Parameter(out, f"InOut[{U}, ({n * width},)]", f"poison({n * width}, {U})", True))
            if width == 1:
                found.append(Statement(f"{out}[i] = {{0}}", [output_bits(Expression(E, name))], cells=[("store", E)]))
            elif E in O.INTEGERS and U == E and self.random.random() < 0.6:
                found.append(Statement(f"zipped_divide({out}, ({width},))[:, i].store({name})", cells=[("store_vec", E)]))
            else:
                for at in range(width):
                    found.append(Statement(f"{out}[i * {width} + {at}] = {{0}}", [output_bits(Expression(E, f"{name}[{at}]"))], cells=[("store", E)]))
        if self.flow == "whole":
            return [Statement(parts=[Part(f"if t < {n}:", [], found)])]
        return found


def random_outputs(random):
    return random.choice((1, 2, 3, 4, 6))


def soup_kernel(random, counts, name, arch=None):
    return Soup(random, counts, name, arch).make()
