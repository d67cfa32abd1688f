"""Expressions of vectors in the kernels of soup.py."""

import re

import operations as O
from program import Expression


class Vectors:
    def vector(self, scope, V, depth):
        _, T, n = V
        names = [name for name, type in scope.variables.items() if type == V]
        if depth <= 0 or self.random.random() < 0.1:
            if names and self.random.random() < 0.8:
                return Expression(V, self.random.choice(names))
            if self.random.random() < 0.5:
                return self.leaf(scope, V)
            return Expression(
                V,
                f"vec[{T}, {n}]({', '.join('{%d}' % k for k in range(n))})",
                [self.leaf(scope, T) for _ in range(n)],
                ("build", T),
            )
        roll = self.random.random()
        if roll < 0.12:
            order = [self.random.randrange(n) for _ in range(n)]
            return Expression(V, f"({{0}})[{order}]", [self.vector(scope, V, depth - 1)], ("permute", T))
        if roll < 0.2 and n % 2 == 0:
            half = ("vec", T, n // 2)
            pieces = [self.vector(scope, half, 0) if n > 2 else self.leaf(scope, T) for _ in range(2)]
            return Expression(V, "concat({0}, {1})", pieces, ("concat", T))
        if roll < 0.26:
            if n >= 8:
                return self.vector(scope, V, 0)
            return Expression(V, "({0})[::2]", [self.vector(scope, ("vec", T, 2 * n), depth - 1)], ("slice", T))
        if T == "f32" and roll < 0.36:
            self.kernel.portable, text = False, O.approximation(self.random, "{0}")
            return Expression(V, text, [self.vector(scope, V, depth - 1)], ("approximation_vec", T))
        for _ in range(20):
            operation = self.chooser.pick(T, ending="_vec")
            if on_vectors(operation, n):
                break
        else:
            return self.leaf(scope, V)
        args = []
        for k, A in enumerate(operation.types):
            if k and A == T and operation.name in ("add", "sub", "mul", "xor") and self.random.random() < 0.3:
                args.append(self.leaf(scope, A))
            else:
                args.append(self.vector(scope, ("vec", A, n), depth - 1 - self.random.randrange(2)))
        return vector_expression(operation, n, args)


def on_vectors(operation, n):
    """Whether the operation is written in the same way for vectors of n elements."""
    packed = re.search(r"\b(f4E2M1|i4|u4|f6E2M3|f6E3M2)\b", operation.text)
    if packed and n % (4 if packed[1].startswith("f6") else 2):  # whole bytes
        return False
    if operation.name in ("where", "if_else", "and", "or", "not", "bits_of", "from_bits", "shl", "shr"):
        return False
    return all(A != "bool" or operation.result == "bool" for A in operation.types)


def vector_expression(operation, n, args):
    T, text = operation.result, operation.text
    if "min(" in text or "max(" in text:
        for A in set(operation.types) | {T}:
            text = text.replace(f"{A}(0.0)", f"vec[{A}, {n}]({A}(0.0))")
    if operation.name.startswith("to") and "saturate" not in text:
        text = f"{{0}}.to({T})"
    name, type = O.cell(operation)
    return Expression(("vec", T, n), text, args, (f"{name}_vec", type))
