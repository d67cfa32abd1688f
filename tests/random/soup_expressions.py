"""Expressions of the kernels in soup.py: scalars, elements of vectors, and exchanges between lanes."""

import re

import operations as O
from program import Expression, corner_bits


class Expressions:
    def constant(self, T):
        if self.random.random() < 0.8:
            return Expression(T, O.constant(T, self.random.choice(corner_bits(T))))
        return Expression(T, O.constant(T, self.random.getrandbits(O.F.bits_of(T))))

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
        # known: must be in range
        if operation.name in ("shl", "shr") and not re.search(r"\b[vwjkst]\d+\b|\b[it]\b", args[1].written()):
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
        if T in ("i64", "u64") and scope.whole:
            ways += [self.wide_product] * 2
        if T in ("i32", "bool") and self.votes:
            ways.append(self.vote)
        if T == "f32":
            ways.append(self.approximation)
        if not ways:
            return None
        return self.random.choice(ways)(scope, T, depth, vectors)

    def approximation(self, scope, T, depth, vectors):
        self.kernel.portable = False
        return Expression(
            T, O.approximation(self.random, "{0}"), [self.expression(scope, T, depth - 1)], ("approximation", T)
        )

    def element_of(self, scope, T, depth, vectors):
        name, (_, _, n) = self.random.choice(vectors)
        if self.random.random() < 0.6:
            return Expression(T, f"{name}[{self.random.randrange(n)}]", [], ("element", T))
        index = self.expression(scope, "i32", depth - 1)
        return Expression(
            T, f"{name}[{{0}} & {n - 1}]" if n in (2, 4, 8, 16) else f"{name}[{{0}} % {n}]", [index], ("element_at", T)
        )

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
        kind = self.random.choice(
            ("shuffle", "shuffle_xor", "shuffle_up", "shuffle_down", "readlane", "readfirstlane", "writelane", "dpp")
        )
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
        self.kernel.portable = self.kernel.portable and not self.sees_wave(kind, ending)
        return Expression(T, text, args, (kind, T))

    def wide_product(self, scope, T, depth, vectors):
        """A product of 32-bit numbers, one of another lane, and a sum."""
        half = T[0] + "32"
        args = [self.exchange(scope, half, depth, vectors), self.leaf(scope, half), self.leaf(scope, T)]
        text = self.random.choice((f"({T}({{0}}) * {T}({{1}}) + {{2}})", f"({{2}} - {T}({{1}}) * {T}({{0}}))"))
        return Expression(T, text, args, ("wide_product", T))

    def lanes_together(self, scope, T):
        """The same number of two lanes, and another one: what DPP may be part of."""
        names = [name for name, type in scope.variables.items() if type in O.INTEGERS and name.startswith("v")] or ["i"]
        half = T[0] + "32" if T in ("i64", "u64") else T
        x, y, z = (Expression(A, f"{A}({self.random.choice(names)})") for A in (half, half, T))
        args = [self.moved(x), y, z]
        if half != T:
            return Expression(T, f"({T}({{0}}) * {T}({{1}}) + {{2}})", args, ("lanes_product", T))
        signs = ("+", "-", "*", "&", "|", "^") if T in O.INTEGERS else ("+", "-", "*")
        text = f"(({{0}} {self.random.choice(signs)} {{1}}) {self.random.choice(signs)} {{2}})"
        return Expression(T, text, args, ("lanes_together", T))

    def moved(self, x):
        """Of a lane near by: within four lanes, which are always of one wave."""
        way = self.random.choice(("shuffle_xor({0}, 1)", "shuffle_xor({0}, 2)", "shuffle_xor({0}, 3)", "dpp"))
        if way != "dpp":
            return Expression(x.type, way, [x], ("shuffle_xor", x.type))
        self.kernel.imports.append("from fly.amd import dpp")
        order = ", ".join(str(self.random.randrange(4)) for _ in range(4))
        return Expression(x.type, f"dpp({{0}}, quad_perm=({order}))", [x], ("dpp_quad_perm", x.type))

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
