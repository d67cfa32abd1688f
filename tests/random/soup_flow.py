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
        sign = random.choice(("==", "!=", "<", "<=", ">", ">="))
        if random.random() < 0.5:  # of its own
            name, T = self.name("s"), random.choice(("i32", "u32", "i64", "u64", "i64", "u64", "f32", "f64"))
            value = random.choice((3, 5, 77))
            self.kernel.parameters.append(Parameter(name, T, str(value) if T in O.INTEGERS else f"{value}.0"))
        else:
            name = random.choice([name for name in ("s0", "s1") if name in scope.variables])
            T = scope.variables[name]
        other = random.choice((self.small(T, 5, 5), self.small(T, 77, 77), self.constant(T)))
        return Expression("bool", f"({name} {sign} {{0}})", [other], ("uniform", "bool"))

    def uniform_choice(self, scope):
        """Numbers and ways that the same comparison chooses."""
        scalars = [name for name in ("s0", "s1") if name in scope.variables]
        if not scalars:
            return self.branch(scope)
        c, v = self.name("on"), self.name()
        T = scope.variables[self.random.choice(scalars)]
        ends = [
            self.constant(T), Expression(T, next(s for s in scalars if scope.variables[s] == T)), self.small(T, 0, 100)
        ]
        a, b = self.random.sample(ends, 2)
        found = [
            Statement(f"{c} = {{0}}", [self.uniform_comparison(scope)]),
            Statement(f"{v} = {{0}} if {c} else {{1}}", [a, b], cells=[("uniform_choice", T)]),
        ]
        scope.variables[v] = T
        if self.random.random() < 0.6:
            found += self.store_row(scope, Expression(T, v))
        inner = Scope(scope)
        body = self.statements(inner, self.random.choice((1, 2)))
        found.append(
            Statement(
                parts=[Part(self.random.choice((f"if {c}:", f"if not {c}:")), [], body)], cells=[("if_uniform", "")]
            )
        )
        return found

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
