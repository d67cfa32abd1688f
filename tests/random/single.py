"""Kernels of single operations: each with operands from memory, as expressions whose results are known or of vectors.

With counts (`--steer`), the operations are among those that there were least of; so a short run fills the table.
"""

import exact
import soup
from choice import Chooser
from program import Expression, Parameter, Statement, corner_name
from soup_vectors import on_vectors, vector_expression

ROWS = 8  # few, as what costs most is to know the results


def scalar_kernel(random, counts, name):
    chooser, inputs, trees = Chooser(random, counts), [], []
    for operation in chooser.rarest(12):
        args = []
        for A in operation.types:
            args.append(exact.Tree(A, leaf=len(inputs)))
            inputs.append(A)
        trees.append(exact.Tree(operation.result, operation, args))
    rows = [[exact.random_bits(random, T) for T in inputs] for _ in range(ROWS)]
    return exact.build(name, trees, rows, exact.MODES, [random.choice(exact.MODES[:3]) for _ in inputs])


class SingleVectors(soup.Soup):
    """As the soup, but its statements are operations of vectors that it loads, and all results are stored."""

    outputs = 24

    def __init__(self, random, counts, name, arch=None):
        super().__init__(random, counts, name, arch)
        self.n, self.block = random.choice((3, 5, 8)), 32  # what surrounds the operations costs most of the time
        self.inputs = {}

    def statements(self, scope, count):
        n, body = self.random.choice((2, 2, 2, 4)), []
        if scope.depth > 0:
            return body
        fours = self.missing_of_fours()
        if fours and self.random.random() < fours:
            n = 4
        for operation in self.chooser.rarest(self.outputs, "_vec", lambda o: on_vectors(o, n)):
            args = [self.loaded(body, scope, A, n) for A in operation.types]
            name = self.name("w")
            body.append(Statement(f"{name} = {{0}}", [vector_expression(operation, n, args)]))
            scope.variables[name] = ("vec", operation.result, n)
        return body

    def missing_of_fours(self):
        """The share of what is missing that vectors of two cannot have: formats of six bits."""
        if self.chooser.counts is None:
            return 0
        twos, fours = (self.chooser.missing("_vec", lambda o, n=n: on_vectors(o, n)) for n in (2, 4))
        return (fours - twos) / (fours or 1)

    def loaded(self, body, scope, T, n):
        """A vector of an input's elements, or of bools."""
        V = ("vec", T, n)
        if T == "bool":
            return Expression(V, f"(vec[i32, {n}](i) == vec[i32, {n}]({', '.join(map(str, range(n)))}))")
        if T in self.inputs and self.random.random() < 0.5:
            return Expression(V, self.inputs[T])
        z, elements = self.name("z"), self.n * n
        host = f"corners({elements}, {self.random.randrange(100)}, {T}, {corner_name(T)})"
        self.kernel.parameters.append(Parameter(z, f"In[{T}, ({elements},)]", host))
        self.inputs[T] = self.name("w")
        body.append(Statement(f"{self.inputs[T]} = zipped_divide({z}, ({n},))[:, i].load()"))
        return Expression(V, self.inputs[T])


def single_kernel(random, counts, name, arch):
    """Of numbers or of vectors: with counts, more often of that kind that more is missing of."""
    missing = [1, 1]
    if counts is not None:  # a kernel has 48 operations on numbers, or 24 on vectors
        chooser = Chooser(random, counts)
        missing = [chooser.missing() / 48, chooser.missing("_vec", lambda o: on_vectors(o, 4)) / 24]
    if random.random() * (sum(missing) or 1) < missing[0]:
        return scalar_kernel(random, counts, name)
    return SingleVectors(random, counts, name, arch).make()
