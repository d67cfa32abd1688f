"""Memory in the kernels of soup.py: LDS, atomics and fragments."""

import operations as O
from exact import output_bits
from program import Expression, Parameter, Part, Statement
from soup_scope import Scope


class Memory:
    def uniform_number(self, scope):
        """An i32 that is the same in all lanes: a loop's counter or a parameter."""
        return Expression(
            "i32", self.random.choice([name for name in scope.variables if name.startswith("i32(")] + ["s0"])
        )

    def load_later(self, scope):
        """An element of an input at any place: as a new variable, or as one that there is."""
        inputs = [p for p in self.kernel.parameters if p.name.startswith("x")]
        parameter, n = self.random.choice(inputs), self.n
        T = parameter.annotation[len("In[") :].split(",")[0]
        uniform = self.random.random() < 0.4
        at = self.uniform_number(scope) if uniform else self.expression(scope, "i32", 1)
        index = self.random.choice((f"clamp({{0}}, i32(0), i32({n - 1}))", f"i32(u32({{0}}) % u32({n}))"))
        there = [name for name in sorted(scope.assigned) if scope.variables.get(name) == T]
        v = self.random.choice(there) if there and self.random.random() < 0.3 else self.name()
        scope.variables[v] = T
        scope.assigned.add(v)
        cell = ("load_uniform" if uniform else "load_any", T)
        return [Statement(f"{v} = {parameter.name}[{{0}}]", [Expression("i32", index, [at])], cells=[cell])]

    def uniform_load(self, scope, T):
        """The statement of a load that is the same in all lanes, and the variable as T."""
        inputs = [(p, p.annotation[len("In[") :].split(",")[0]) for p in self.kernel.parameters if p.name[0] == "x"]
        same = [(p, A) for p, A in inputs if A == T]
        parameter, A = self.random.choice(same or inputs)
        v, at = self.name(), self.uniform_number(scope)
        if self.random.random() < 0.3:
            at = Expression("i32", "({0} + block_id.x)", [at])
        scope.variables[v] = A
        scope.assigned.add(v)
        index = Expression("i32", f"i32(u32({{0}}) % u32({self.n}))", [at])
        load = Statement(f"{v} = {parameter.name}[{{0}}]", [index], cells=[("load_uniform", A)])
        return [load], Expression(T, v if A == T else f"{T}({v})")

    def store_row(self, scope, known=None, uniform=None):
        """A store where the program is: to the thread's own column of some rows, which it may read again. `known`: the
        expression that is stored; `uniform`: whether all lanes choose the same row."""
        T = known.type if known else self.random.choice(self.types)
        name, U, rows = self.name("g"), O.unsigned(T), self.random.choice((2, 4, 8))
        host = f"poison({rows * self.total()}, {U}).reshape(({rows}, {self.total()}))"
        self.kernel.parameters.append(Parameter(name, f"InOut[{U}, ({rows}, {self.total()})]", host, True))
        uniform = self.random.random() < 0.7 if uniform is None else uniform
        at = self.uniform_number(scope) if uniform else self.expression(scope, "i32", 1)
        row = Expression("i32", f"{{0}} & {rows - 1}", [at])
        if uniform and self.random.random() < 0.5:
            row = Expression("i32", str(self.random.randrange(rows)))
        value = output_bits(known or self.expression(scope, T, 1))
        found = [Statement(f"{name}[{{0}}, t] = {{1}}", [row, value], cells=[("store_row", T)])]
        if self.random.random() < 0.3:
            v = self.name()
            scope.variables[v] = U
            scope.assigned.add(v)
            found.append(Statement(f"{v} = {name}[{self.random.randrange(rows)}, t]", cells=[("load_row", U)]))
        return found

    def shared(self, T):
        """What makes LDS: a launch may provide it, and then all such objects are one."""
        if self.random.random() < 0.8:
            return "shared"
        self.kernel.options["lds"] = self.block * 8
        self.kernel.cells.append(("dynamic_shared", T))
        return "dynamic_shared"

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
            "rotate": Expression(
                "i32", f"(l * {self.random.choice((1, 3, 5, 7))} + {self.random.randrange(self.block)}) % {self.block}"
            ),
            "any": Expression("i32", f"{{0}} & {self.block - 1}", [self.expression(scope, "i32", 1)]),
        }[way]
        scope.variables[v] = T
        scope.assigned.add(v)
        return [
            Statement(f"{s} = {self.shared(T)}({T}, ({self.block},))"),
            Statement(f"{s}[l] = {{0}}", [x], cells=[("lds_store", T)]),
            Statement("barrier()", cells=[("barrier", "")]),
            Statement(f"{v} = {s}[{{0}}]", [index], cells=[("lds_load", T)]),
            Statement("barrier()"),
        ]

    def atomic_operation(self, T):
        return self.random.choice(
            ("atomic_add", "atomic_sub", "atomic_min", "atomic_max", "atomic_and", "atomic_or", "atomic_xor")
        )

    def lds_atomics(self, scope):
        T = self.random.choice(("i32", "u32", "i64", "u64"))
        s, v = self.name("s_"), self.name()
        kind = self.atomic_operation(T)
        n = self.random.choice((1, 8, 64))
        conditional = self.random.random() < 0.3
        inner = Scope(scope, whole=False, block=False) if conditional else scope
        slot = Expression("i32", f"({{0}}) & {n - 1}", [self.expression(inner, "i32", 1)])
        update = Statement(
            f"{s}.{kind}({{0}}, {{1}})", [slot, self.expression(inner, T, 1)], cells=[(f"lds_{kind}", T)]
        )
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
        body = [
            Statement(f"{f} = fragment({T}, ({a}, {b}))"), Statement(f"{f}.fill({{0}})", [self.expression(scope, T, 1)])
        ]
        for _ in range(self.random.choice((1, 2, 3))):
            at = f"{self.random.randrange(a)}, {self.random.randrange(b)}"
            body.append(Statement(f"{f}[{at}] = {{0}}", [self.expression(scope, T, 1)], cells=[("fragment_store", T)]))
        if self.random.random() < 0.5:
            V = ("vec", T, a * b)
            scope.variables[v] = V
            body.append(Statement(f"{v} = {f}.load()", cells=[("fragment_load", T)]))
        else:
            scope.variables[v] = T
            body.append(
                Statement(
                    f"{v} = {f}[{self.random.randrange(a)}, {self.random.randrange(b)}]",
                    cells=[("fragment_element", T)],
                )
            )
        return body
