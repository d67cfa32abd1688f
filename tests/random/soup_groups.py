"""Values that belong together in the kernels of soup.py: structs and lists, parameters that are structs or pointers."""

import operations as O
from program import Expression, Parameter, Statement, corner_bits, corner_name


class Groups:
    def record(self, scope):
        """A struct whose fields are variables from here on: branches choose it, loops carry it."""
        types = [self.random.choice(self.types) for _ in range(self.random.choice((2, 2, 3)))]
        S, r = self.structure(types), self.name("r")
        fields = [f"{r}.{field}" for field in "abc"[: len(types)]]
        values = [self.expression(scope, T, 1) for T in types]
        text = f"{r} = {S}({', '.join('{%d}' % k for k in range(len(types)))})"
        self.know(scope, fields, types)
        return [Statement(text, values, cells=[("struct", T) for T in types])]

    def sequence(self, scope):
        """A list of numbers, element by element a variable."""
        T, xs = self.random.choice(self.types), self.name("xs")
        count = self.random.choice((2, 3))
        values = [self.expression(scope, T, 1) for _ in range(count)]
        self.know(scope, [f"{xs}[{k}]" for k in range(count)], [T] * count)
        return [Statement(f"{xs} = [{', '.join('{%d}' % k for k in range(count))}]", values, cells=[("list", T)])]

    def know(self, scope, names, types):
        scope.variables.update(zip(names, types))
        scope.assigned.update(names)

    def structure(self, types):
        """The name of a struct with fields a, b, c of these types."""
        name = f"{self.kernel.name.upper()}_{self.name('S')}"
        fields = "".join(f"\n    {field}: {T}" for field, T in zip("abc", types))
        self.kernel.globals += ["", "", f"@struct\nclass {name}:{fields}"]
        return name

    def struct_parameter(self, scope):
        types = [self.random.choice(O.INTEGERS) for _ in range(self.random.choice((1, 2, 3)))]
        S, p = self.structure(types), self.name("p")
        numbers = ", ".join(str(O.F.integer(T, self.random.choice(corner_bits(T)))) for T in types)
        self.kernel.parameters.append(Parameter(p, S, f"{S}({numbers})"))
        self.kernel.cells += [("struct_parameter", T) for T in types]
        scope.variables.update(zip((f"{p}.{field}" for field in "abc"), types))

    def pointer_parameter(self, scope):
        """Elements by a pointer."""
        T = self.random.choice([T for T in self.types if T != "bool"])
        q, v, n = self.name("q"), self.name(), self.n
        host = f"corners({n}, {self.random.randrange(100)}, {T}, {corner_name(T)})"
        self.kernel.parameters.append(Parameter(q, f"Pointer[{T}, global]", host))
        at = Expression("i32", f"clamp({{0}}, i32(0), i32({n - 1}))", [self.expression(scope, "i32", 1)])
        self.know(scope, [v], [T])
        return [Statement(f"{v} = {q}[{{0}}]", [at], cells=[("load_pointer", T)])]
