"""Kernels of scalar expressions whose results the generator knows exactly, without the compiler and the emulator.

Each expression is emitted four times: of constants, which the compiler folds; of scalar parameters, which are the same
in all lanes; of elements, which differ; and of all three. The check compares the bits with the generator's value.
"""

import formats as F
import known
import operations as O
from program import Expression, Kernel, Parameter, Statement, corner_bits

ROWS = 24
MODES = ("lane", "uniform", "constant", "mixed")

# Types that meet in what compilers make simpler: a kernel of few types has more that belongs together.
FAMILIES = (
    ("f16",),
    ("f32",),
    ("f16", "f32"),
    ("bf16", "f32"),
    ("f16", "bf16", "f32"),
    ("bf16", "f64"),
    ("f16", "f64"),
    ("u32",),
    ("i32",),
    ("u32", "u64"),
    ("i32", "i64"),
    ("i16", "u16", "i32"),
    ("i8", "u8", "i16"),
    ("i32", "bool"),
    ("i32", "f32"),
    ("f32", "f8E4M3FN"),
)


class Tree:
    """An expression over inputs: an operation of the table with operands, or the number of an input."""

    def __init__(self, type, operation=None, args=(), leaf=None):
        self.type, self.operation, self.args, self.leaf = type, operation, args, leaf

    def evaluate(self, row):
        if self.operation is None:
            return row[self.leaf]
        bits = [arg.evaluate(row) for arg in self.args]
        return self.operation.evaluate(*bits)

    def expression(self, leaf, is_constant):
        if self.operation is None:
            return Expression(self.type, leaf(self.leaf, self.type))
        args = [arg.expression(leaf, is_constant) for arg in self.args]
        if self.operation.name in ("shl", "shr") and is_constant:  # the manual refuses others
            args[1] = Expression(self.type, f"in_width({{0}})", args[1:])
        return Expression(self.type, self.operation.text, args, O.cell(self.operation))

    def operations(self):
        if self.operation is not None:
            yield self.operation
        for arg in self.args:
            yield from arg.operations()

    def leaves(self, found):
        """Adds the inputs: their numbers to their types."""
        if self.operation is None:
            found[self.leaf] = self.type
        for arg in self.args:
            arg.leaves(found)

    def simpler(self):
        """Trees with an operation less: an operand instead of it."""
        yield from self.args
        for k, arg in enumerate(self.args):
            for other in arg.simpler():
                if other.type == arg.type:
                    yield Tree(self.type, self.operation, self.args[:k] + [other] + self.args[k + 1 :])

    def evaluated(self, row):
        """(tree, row) with an operand computed: it becomes an input."""
        for k, arg in enumerate(self.args):
            if arg.operation is not None:
                leaf = Tree(arg.type, leaf=len(row))
                tree = Tree(self.type, self.operation, self.args[:k] + [leaf] + self.args[k + 1 :])
                yield tree, row + [arg.evaluate(row)]
                for other, extended in arg.evaluated(row):
                    yield Tree(self.type, self.operation, self.args[:k] + [other] + self.args[k + 1 :]), extended

    def to_data(self):
        if self.operation is None:
            return [self.type, self.leaf]
        o = self.operation
        return [self.type, [o.name, list(o.types), o.text], [arg.to_data() for arg in self.args]]

    @staticmethod
    def from_data(data):
        if len(data) == 2:
            return Tree(data[0], leaf=data[1])
        name, types, text = data[1]
        operation = next(
            o for o in O.TABLE if (o.name, list(o.types), o.text, o.result) == (name, types, text, data[0])
        )
        return Tree(data[0], operation, [Tree.from_data(arg) for arg in data[2]])


def random_bits(random, T):
    if T == "bool":
        return random.getrandbits(1)
    roll = random.random()
    if roll < 0.2:  # 0, 1, 2, -1
        return F.converted("i32", T, random.choice((0, 0, 1, 2, 0xFFFFFFFF)), False)
    if roll < 0.75:
        return random.choice(corner_bits(T))
    return random.getrandbits(F.bits_of(T))


def grown(random, chooser, T, depth, inputs, among=None):
    """A random tree of type T; leaves are new inputs or, sometimes, ones that there are. `among`: only these types."""
    if depth == 0:
        there = [k for k, type in enumerate(inputs) if type == T]
        if there and random.random() < 0.5:
            return Tree(T, leaf=random.choice(there))
        inputs.append(T)
        return Tree(T, leaf=len(inputs) - 1)
    operation = chooser.pick(T, among)
    args = [grown(random, chooser, A, max(0, depth - 1 - random.randrange(2)), inputs, among) for A in operation.types]
    return Tree(T, operation, args)


def exact_kernel(random, chooser, name, expressions=3, families=None):
    """`families`: each expression is of the types of one of them."""
    inputs, trees = [], []
    for k in range(expressions):
        own = []
        among = set(random.choice(families)) if families else None
        types = sorted(among & set(O.VALUES)) if families else O.VALUES
        depths = (2, 2, 3, 3, 4) if families else (1, 1, 2, 2, 3)
        tree = grown(random, chooser, random.choice(types), random.choice(depths), own, among)
        shift_leaves(tree, len(inputs))
        inputs += own
        trees.append(tree)
    rows = [[random_bits(random, T) for T in inputs] for _ in range(ROWS)]
    return build(name, trees, rows, MODES, [random.choice(MODES[:3]) for _ in inputs])


def build(name, trees, rows, modes, mix):
    """The kernel of these expressions. `rows`: the bits of all inputs, for each thread; `mix`: for each input, what it
    is where they are mixed."""
    kernel = Kernel(name, "exact")
    kernel.options = {"block": 64, "grid": 1}
    kernel.trees, kernel.rows = [tree.to_data() for tree in trees], [list(row) for row in rows]
    kernel.modes, kernel.mix = list(modes), list(mix)
    n = len(rows)
    body = [Statement(f"i = min(thread_id.x, {n - 1})")]
    leaves, outputs = {}, []
    leaf_texts = {"lane": lane_leaf, "uniform": uniform_leaf, "constant": lambda leaf, T: O.constant(T, rows[0][leaf])}
    leaf_texts["mixed"] = lambda leaf, T: leaf_texts[mix[leaf]](leaf, T)
    mixed_rows = [[row[k] if mix[k] == "lane" else rows[0][k] for k in range(len(mix))] for row in rows]
    for k, tree in enumerate(trees):
        U = O.unsigned(tree.type)
        expected = [O.canonical(tree.type, tree.evaluate(row)) for row in rows]
        mixed = [O.canonical(tree.type, tree.evaluate(row)) for row in mixed_rows] if "mixed" in modes else None
        tree.leaves(leaves)
        for mode in modes:
            folds = mode in ("constant", "mixed")
            if folds and any(known.skipped_constant(o) for o in tree.operations()):
                continue
            out = f"{mode}{k}"
            body.append(
                Statement(
                    f"{out}[i] = {{0}}", [output_bits(tree.expression(leaf_texts[mode], folds))], cells=[(mode, "")]
                )
            )
            outputs.append((out, U, expected if mode == "lane" else mixed if mode == "mixed" else [expected[0]] * n))
    for k, T in sorted(leaves.items()):
        U = O.unsigned(T)
        scalar = T if T in F.INTEGERS else U
        if "lane" in modes or "mixed" in modes and mix[k] == "lane":
            kernel.parameters.append(
                Parameter(
                    f"x{k}", f"In[{memory_type(T)}, ({n},)]", array_text(memory_type(T), [row[k] for row in rows])
                )
            )
        if "uniform" in modes or "mixed" in modes and mix[k] == "uniform":
            kernel.parameters.append(Parameter(f"a{k}", scalar, str(F.integer(scalar, rows[0][k]))))
    for out, U, values in outputs:
        kernel.parameters.append(Parameter(out, f"Out[{U}, ({n},)]", f"empty(({n},), {U})"))
        differ = len(set(values)) > 1
        text = f"array([{', '.join(map(str, values))}], {U})" if differ else f"full(({n},), {values[0]}, {U})"
        kernel.expectations.append(f"expect_equal({out}, {text})")
    kernel.body = body
    return kernel


def smaller(kernel):
    """Kernels of the same kind with less in them, for the reducer."""
    trees = [Tree.from_data(data) for data in kernel.trees]
    rows, modes = kernel.rows, kernel.modes
    mix = getattr(kernel, "mix", None) or ["lane"] * len(rows[0])
    if len(trees) > 1:
        for k in range(len(trees)):
            yield build(kernel.name, [trees[k]], rows, modes, mix)
    if len(modes) > 1:
        for mode in modes:
            yield build(kernel.name, trees, rows, [mode], mix)
    if len(rows) > 1:
        for row in rows:
            yield build(kernel.name, trees, [row], modes, mix)
    if len(trees) == 1:
        for simpler in trees[0].simpler():
            yield build(kernel.name, [simpler], rows, modes, mix)
        if len(rows) == 1:  # the value of a subtree instead of the subtree
            for simpler, row in trees[0].evaluated(rows[0]):
                yield build(kernel.name, [simpler], [row], modes, mix + ["lane"] * (len(row) - len(mix)))


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


def lane_leaf(leaf, T):
    return f"bool(x{leaf}[i])" if T == "bool" else f"x{leaf}[i]"


def uniform_leaf(leaf, T):
    return f"a{leaf}" if T in F.INTEGERS else f"bool(a{leaf})" if T == "bool" else f"bitcast({T}, a{leaf})"


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
