"""Kernels of scalars and vectors of all types, with control flow, LDS, atomics and exchanges between lanes.

A kernel is one of three kinds, by how it treats the threads beyond the last element:

    "return"    they end at once; elements are at the thread's index
    "guard"     the body is under `if i < n:`
    "whole"     all threads stay; loads are at `min(i, n - 1)`, stores are guarded. Only here are barriers and exchanges
                that need all lanes

A Scope (soup_scope.py) says what a statement may do where it stands: which variables there are, whether all lanes of
the wave, or of the workgroup, are together, and whether a loop is around that `break` may leave.
"""

import operations as O
from choice import Chooser
from exact import output_bits
from program import Expression, Kernel, Parameter, Part, Statement, corner_bits, corner_name
from soup_expressions import Expressions
from soup_flow import Flow
from soup_groups import Groups
from soup_memory import Memory
from soup_scope import Scope
from soup_vectors import Vectors

# Kinds of statements of which many kernels leave out half, so that the others meet more often.
STATEMENTS = (
    "assign", "branch", "collective", "combine_lanes", "count_loop", "define_vector", "early_return", "exact_floats",
    "exchange_variables", "fragment", "function", "global_atomic", "lds_atomics", "leave", "load_later",
    "pointer_parameter", "record", "row_loop", "sequence", "store_row", "through_lds", "uniform_choice", "while_loop",
)  # fmt: skip
SIZES = (1, 7, 63, 64, 65, 100, 128, 200, 257)


class Soup(Expressions, Vectors, Flow, Memory, Groups):
    outputs = None  # how many variables are stored; none: any number

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
        self.left_out = set(random.sample(STATEMENTS, len(STATEMENTS) // 2)) if random.random() < 0.6 else set()

    def name(self, prefix="v"):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

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
            ways += [self.branch] * 2 + [self.count_loop, self.while_loop, self.row_loop] + [self.uniform_choice] * 2
        if scope.block and scope.whole:
            ways += [self.through_lds] * 2 + [self.lds_atomics]
        ways += [self.global_atomic] if scope.depth < 3 else []
        if scope.loop and self.exits:
            ways += [self.leave]
        if self.exits and scope.depth and scope.leaves and (self.flow != "whole" or scope.gives):
            ways += [self.early_return]
        ways += [self.fragment, self.exact_floats, self.load_later, self.store_row]
        ways += [self.record, self.sequence] if not scope.gives else []
        ways += [self.pointer_parameter] if scope.depth == 0 else []
        if scope.depth < 2:
            ways += [self.function]
        if scope.whole:
            ways += [self.combine_lanes] * 2
        if scope.whole and not scope.loop:
            ways += [self.collective] * 2
        ways = [way for way in ways if way.__name__ not in self.left_out] or [self.define]
        found = self.random.choice(ways)(scope)
        self.budget -= sum(1 for s in found for _ in s.walk()) + sum(
            1 for s in found for e in s.expressions() if e.cell
        ) // 4
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

    def exact_floats(self, scope):
        """Sums and products of small integers, as floats: exact, so every fast-math flag but `afn` keeps them."""
        random = self.random
        T, v = random.choice(("f32", "f32", "f64", "f16", "bf16")), self.name()
        mask, depth = {"f32": (7, 3), "f64": (15, 3), "f16": (3, 2), "bf16": (3, 2)}[T]

        def grown(depth):
            if depth == 0:
                return Expression(
                    T, f"{T}({{0}} & {mask})", [Expression("i32", f"({self.leaf(scope, 'i32').written()})")]
                )
            sign = random.choice("+-**")
            return Expression(
                T,
                f"({{0}} {sign} {{1}})",
                [grown(depth - 1), grown(depth - 1)],
                ({"+": "add", "-": "sub", "*": "mul"}[sign] + "_fast", T),
            )

        flags = random.choice(
            (
                '"contract"',
                '"reassoc"',
                '"nnan,ninf"',
                '"contract,reassoc"',
                '"arcp,nnan"',
                '"contract,reassoc,nnan,ninf,arcp"',
                '"nsz"',
            )
        )
        scope.variables[v] = "i32"
        scope.assigned.add(v)
        return [
            Statement(f"{v} = i32(0)"),
            Statement(
                parts=[Part(f"with fastmath({flags}):", [], [Statement(f"{v} = i32({{0}})", [grown(depth)])])],
                cells=[("fastmath", T)],
            ),
        ]

    def combine_lanes(self, scope):
        T, v = self.random.choice(("i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32")), self.name()
        found = [Statement(f"{v} = {{0}}", [self.lanes_together(scope, T)])]
        scope.variables[v] = T
        scope.assigned.add(v)
        return found

    def collective(self, scope):
        """Reductions and scans of the library, over a wave or a workgroup."""
        random = self.random
        T, v = random.choice([T for T in self.types if T in O.INTEGERS]), self.name()
        x = self.expression(scope, T, 1)
        width = random.choice(("", "", ", width=16", ", width=8", ", width=32"))
        function = random.choice(("max", "min", "lambda a, b: a + b", "lambda a, b: a ^ b"))
        exclusive, part = random.choice(("True", "False")), random.randrange(2)
        ways = [
            ("warp_reduce", f"warp_reduce({{0}}, {function}{width})"),
            ("warp_sum", f"warp_sum({{0}}{width})"),
            ("warp_scan", f"warp_scan({{0}}, lambda a, b: a + b, {T}(0), exclusive={exclusive}{width})"),
            ("warp_broadcast", f"warp_broadcast({{0}}, {random.randrange(8)}{width})"),
        ]
        if scope.block and self.block % 64 == 0:
            ways += [
                ("block_reduce", f"block_reduce({{0}}, {random.choice(('max', 'min'))})"),
                ("block_sum", "block_sum({0})"),
                ("block_scan", f"block_scan({{0}}, lambda a, b: a + b, {T}(0), exclusive={exclusive})[{part}]"),
            ]
        name, text = random.choice(ways)
        self.kernel.imports.append(f"from fly.reduce import {name}")
        if not width and name.startswith("warp"):
            self.kernel.portable = False
        scope.variables[v] = T
        scope.assigned.add(v)
        after = [Statement("barrier()")] if name.startswith("block") else []
        return [Statement(f"{v} = {text}", [x], cells=[(name, T)])] + after

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
        if random.random() < 0.15:
            self.struct_parameter(scope)
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
                    Parameter(
                        f"z{k}",
                        f"In[{T}, ({n * width},)]",
                        f"corners({n * width}, {random.randrange(100)}, {T}, {corner_name(T)})",
                    )
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
        names = [
            name for name in names if "(" not in name and name not in ("i", "s0", "s1")
        ][: self.outputs or random_outputs(self.random)]
        for k, name in enumerate(names):
            T = scope.variables[name]
            width = T[2] if isinstance(T, tuple) else 1
            E = O.element(T)
            U = O.unsigned(E)
            out = f"y{k}"
            self.kernel.parameters.append(
                Parameter(out, f"InOut[{U}, ({n * width},)]", f"poison({n * width}, {U})", True)
            )
            if width == 1:
                found.append(Statement(f"{out}[i] = {{0}}", [output_bits(Expression(E, name))], cells=[("store", E)]))
            elif E in O.INTEGERS and U == E and self.random.random() < 0.6:
                found.append(
                    Statement(f"zipped_divide({out}, ({width},))[:, i].store({name})", cells=[("store_vec", E)])
                )
            else:
                for at in range(width):
                    found.append(
                        Statement(
                            f"{out}[i * {width} + {at}] = {{0}}",
                            [output_bits(Expression(E, f"{name}[{at}]"))],
                            cells=[("store", E)],
                        )
                    )
        if self.flow == "whole":
            return [Statement(parts=[Part(f"if t < {n}:", [], found)])]
        return found


def random_outputs(random):
    return random.choice((1, 2, 3, 4, 6))


def soup_kernel(random, counts, name, arch=None):
    return Soup(random, counts, name, arch).make()
