"""Kernels of scalar expressions whose results the generator knows exactly, without the compiler and the emulator.

Each expression is emitted three times: of constants, which the compiler folds; of scalar parameters, which are the same in
all lanes; and of elements, which differ. The check compares the bits of all three with the generator's value.
"""

import formats as F
import operations as O
from program import Expression, Kernel, Parameter, Statement, corner_bits

ROWS = 24


class Tree:
    """An expression over inputs: an operation of the table with operands, or the number of an input."""

    def __init__(self, type, operation=None, args=(), leaf=None):
        self.type, self.operation, self.args, self.leaf = type, operation, args, leaf

    def evaluate(self, row):
        if self.operation is None:
            return row[self.leaf]
        bits = [arg.evaluate(row) for arg in self.args]
        return self.operation.evaluate(*bits)

    def expression(self, leaf):
        if self.operation is None:
            return Expression(self.type, leaf(self.leaf, self.type))
        args = [arg.expression(leaf) for arg in self.args]
        if self.operation.name in ("shl", "shr") and all(a.operation is None for a in self.args[1:]):
            args[1] = Expression(self.type, f"in_width({{0}})", args[1:])
        return Expression(self.type, self.operation.text, args, O.cell(self.operation))


def random_bits(random, T):
    if T == "bool":
        return random.getrandbits(1)
    if random.random() < 0.75:
        return random.choice(corner_bits(T))
    return random.getrandbits(F.bits_of(T))


def grown(random, chooser, T, depth, inputs):
    """A random tree of type T; leaves are new inputs or, sometimes, ones that there are."""
    if depth == 0:
        there = [k for k, type in enumerate(inputs) if type == T]
        if there and random.random() < 0.5:
            return Tree(T, leaf=random.choice(there))
        inputs.append(T)
        return Tree(T, leaf=len(inputs) - 1)
    operation = chooser.pick(T)
    args = [grown(random, chooser, A, max(0, depth - 1 - random.randrange(2)), inputs) for A in operation.types]
    return Tree(T, operation, args)


def exact_kernel(random, chooser, name, expressions=6):
    kernel = Kernel(name, "exact")
    kernel.options = {"block": 64, "grid": 1}
    n = ROWS
    body, inputs, trees = [], [], []
    for k in range(expressions):
        T = random.choice(O.VALUES)
        own = []
        tree = grown(random, chooser, T, random.choice((1, 1, 2, 2, 3)), own)
        first = len(inputs)
        inputs += own
        shift_leaves(tree, first)
        trees.append(tree)
    rows = [[random_bits(random, T) for T in inputs] for _ in range(n)]
    outputs = []
    body.append(Statement("i = min(thread_id.x, 23)"))
    for k, tree in enumerate(trees):
        U = O.unsigned(tree.type)
        expected = [as_output(tree.type, tree.evaluate(row)) for row in rows]
        leaves = (
            ("lane", lambda leaf, T: f"x{leaf}[i]" if T != "bool" else f"bool(x{leaf}[i])"),
            ("uniform", uniform_leaf),
            ("constant", lambda leaf, T: O.constant(T, rows[0][leaf])),
        )
        for mode, leaf in leaves:
            out = f"{mode}{k}"
            body.append(Statement(f"{out}[i] = {{0}}", [output_bits(tree.expression(leaf))]))
            values = expected if mode == "lane" else [expected[0]] * n
            outputs.append((out, U, values))
    for k, T in enumerate(inputs):
        U = O.unsigned(T)
        column = [row[k] for row in rows]
        kernel.parameters.append(Parameter(f"x{k}", f"In[{memory_type(T)}, ({n},)]", array_text(memory_type(T), column)))
        scalar = T if T in F.INTEGERS else U
        kernel.parameters.append(Parameter(f"a{k}", scalar, str(F.integer(scalar, rows[0][k]))))
    for out, U, values in outputs:
        kernel.parameters.append(Parameter(out, f"Out[{U}, ({n},)]", f"empty(({n},), {U})"))
        kernel.expectations.append(f"expect_equal({out}, array([{', '.join(map(str, values))}], {U}))")
    kernel.body = body
    return kernel


def shift_leaves(tree, first):
    if tree.operation is None:
        tree.leaf += first
    for arg in tree.args:
        shift_leaves(arg, first)


def memory_type(T):
    return "u8" if T == "bool" else T


def array_text(T, column):
    U = O.unsigned(T)
    if U == T:
        return f"array([{', '.join(map(str, column))}], {T})"
    return f"bitcast({T}, array([{', '.join(map(hex, column))}], {U}))"


def uniform_leaf(leaf, T):
    return f"a{leaf}" if T in F.INTEGERS else f"bool(a{leaf})" if T == "bool" else f"bitcast({T}, a{leaf})"


def as_output(T, bits):
    return O.canonical(T, bits)


def output_bits(expression):
    """The expression as the unsigned number that is stored of it."""
    T = expression.type
    U = O.unsigned(T)
    if T == U:
        return expression
    if T == "bool":
        return Expression("u8", "u8({0})", [expression])
    if T in F.INTEGERS:
        return Expression(U, f"bitcast({U}, {{0}})", [expression])
    return Expression(U, "bits({0})", [expression])
