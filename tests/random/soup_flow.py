"""Control flow in the kernels of soup.py: branches, loops, functions; uniform and divergent."""

import operations as O
from program import Expression, Parameter, Part, Statement
from soup_scope import Scope


class Flow:
    def exchange_variables(self, scope):
        """Two variables at once, so that loops carry them crosswise."""
        names = sorted(scope.assigned & set(scope.variables))
        pairs = [(a, b) for a in names for b in names if a != b and scope.variables[a] == scope.variables[b]]
        if not pairs:
            return self.assign(scope)
        a, b = self.random.choice(pairs)
        return [
            Statement(
                f"{a}, {b} = {b}, {{0}}",
                [self.expression(scope, scope.variables[a], 1)],
                cells=[("swap", O.element(scope.variables[a]))],
            )
        ]

    def uniform_condition(self, scope):
        """A condition that is the same in all lanes of the workgroup."""
        ways = ["(s0 & 3) == 1", "s0 < 100", "block_id.x == 0", "(s0 >> 5) != 3"]
        return Expression("bool", self.random.choice(ways), [], ("uniform", "bool"))

    def uniform_comparison(self, scope):
        """A comparison of scalars, which are the same in all lanes."""
        random = self.random
        sign = random.choice(("==", "!=", "<", "<=", ">", ">=", "<", ">"))
        if random.random() < 0.75:  # of its own
            T = random.choice(("i32", "u32", "i64", "u64", "i64", "u64", "f32", "f64", "f16", "bf16"))
            name, more = self.scalar_parameter(T), None
        else:
            name = random.choice([name for name in ("s0", "s1") if name in scope.variables])
            T, more = scope.variables[name], name
        other = random.choice((self.small(T, 5, 5), self.small(T, 77, 77), self.constant(T), None, None))
        other = other or Expression(T, more or self.scalar_parameter(T))
        return Expression("bool", f"({name} {sign} {{0}})", [other], ("uniform", "bool"))

    def scalar_parameter(self, T):
        name, value = self.name("s"), self.random.choice((3, 5, 77))
        self.kernel.parameters.append(Parameter(name, T, str(value) if T in O.INTEGERS else f"{value}.0"))
        return name

    def uniform_choice(self, scope):
        """Numbers and ways that the same comparison chooses, on the ways' sides or before or after them."""
        scalars = [name for name in ("s0", "s1") if name in scope.variables]
        if not scalars:
            return self.branch(scope)
        found = []
        for _ in range(self.random.choice((1, 1, 2, 3))):  # the next one begins where ways meet
            c = self.name("on")
            found.append(Statement(f"{c} = {{0}}", [self.uniform_comparison(scope)]))
            steps = [self.choices, self.ways]
            for step in steps if self.random.random() < 0.7 else steps[::-1]:
                found += step(scope, c, scalars)
        return found

    def choices(self, scope, c, scalars):
        random, found = self.random, []
        for _ in range(random.choice((1, 1, 2))):
            v, T = self.name(), scope.variables[random.choice(scalars)]
            same = [s for s in scalars if scope.variables[s] == T]
            ends = [self.constant(T), Expression(T, random.choice(same)), self.small(T, 0, 100)]
            found.append(
                Statement(f"{v} = {{0}} if {c} else {{1}}", random.sample(ends, 2), cells=[("uniform_choice", T)])
            )
            scope.variables[v] = T
            if random.random() < 0.7:
                found += self.store_row(scope, Expression(T, v), random.random() < 0.9)
        return found

    def ways(self, scope, c, scalars):
        parts = [Part(self.random.choice((f"if {c}:", f"if not {c}:", f"if not {c}:")), [], self.way(scope))]
        if self.random.random() < 0.3:
            parts.append(Part("else:", [], self.way(scope)))
        return [Statement(parts=parts, cells=[("if_uniform", "")])]

    def way(self, scope):
        """A side of a branch, which most often has an effect and so stays a side."""
        inner = Scope(scope)
        body = self.statements(inner, self.random.choice((0, 1, 2)))
        if self.random.random() < 0.7 and not (body and getattr(body[-1], "ends", False)):
            body += self.store_row(inner)
        return body

    def row_loop(self, scope):
        """A sum over numbers that are the same in all lanes, whose steps are stored. The numbers are loaded before the
        loop, in it, or both."""
        random, j, v = self.random, self.name("j"), self.name()
        T = random.choice([T for T in self.types if T in O.INTEGERS + O.FLOATS])
        number = lambda where: self.uniform_load(where, T)
        found, before = number(scope) if random.random() < 0.8 else ([], None)
        found.append(Statement(f"{v} = {{0}}", [self.expression(scope, T, 1)]))
        scope.variables[v] = T
        scope.assigned.add(v)
        inner = Scope(scope, loop=False)
        inner.variables[f"i32({j})"] = "i32"
        body = []
        if random.random() < 0.4 or not before:
            body, inside = number(inner)
            before = before if before and random.random() < 0.5 else inside
        sign = random.choice("+-*^" if T in O.INTEGERS else "+-*")
        body.append(Statement(f"{v} = {{0}} {sign} {{1}}", [Expression(T, v), before], cells=[("row_loop", T)]))
        if random.random() < 0.5:
            body += self.statements(inner, random.choice((1, 2)))
        body += self.store_row(inner, Expression(T, v))
        least = random.choice((0, 1))
        span = random.choice((f"range({least}, (s0 & 7) + 1)", f"range((s0 & 3) + 2)", "range(s0 & 15, unroll=False)"))
        return found + [Statement(parts=[Part(f"for {j} in {span}:", [], body)], cells=[("for_rows", T)])]

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
        inner = Scope(
            scope,
            whole=scope.whole and uniform and not leaves,
            block=scope.block and uniform and not leaves,
            loop=leaves,
        )
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
        return [
            Statement(
                parts=[Part("if {0}:", [self.expression(scope, "bool", 2)], [Statement(word, cells=[(word, "")])])]
            )
        ]

    def early_return(self, scope):
        if scope.gives:
            give = Statement("return {0}", [self.expression(scope, scope.gives, 1)], cells=[("return_value", "")])
            return [Statement(parts=[Part("if {0}:", [self.expression(scope, "bool", 2)], [give])])]
        return [
            Statement(
                parts=[
                    Part("if {0}:", [self.expression(scope, "bool", 2)], [Statement("return", cells=[("return", "")])])
                ]
            )
        ]

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
