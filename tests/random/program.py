"""A random kernel as a tree: expressions, statements, parameters, sizes. The reducer takes it apart; here is its text.

    Expression("i32", "({0} + {1})", [a, b])        its text has its operands' texts at the numbers
    Statement("v1 = {0}", [e])                      a line
    Statement(parts=[Part("if {0}:", [c], [...]), Part("else:", [], [...])])      lines with bodies

Everything is plain data (`to_json`, `from_json`), so a failing kernel is stored beside its text and shrunk later.
"""

import collections
import re

import formats as F
import operations as O


class Expression:
    def __init__(self, type, text, args=(), cell=None):
        self.type, self.text, self.args, self.cell = type, text, list(args), cell

    def written(self):
        return fill(self.text, self.args)

    def walk(self):
        yield self
        for arg in self.args:
            yield from arg.walk()


class Part:
    def __init__(self, head, args, body):
        self.head, self.args, self.body = head, list(args), list(body)


class Statement:
    """A line, or parts that each have a line and a body. `cells`: what it counts as, beside its expressions."""

    def __init__(self, text=None, args=(), parts=(), cells=()):
        self.text, self.args, self.parts, self.cells = text, list(args), list(parts), list(cells)

    def lines(self, indent):
        if self.text is not None:
            return [indent + line for line in fill(self.text, self.args).split("\n")]
        lines = []
        for part in self.parts:
            lines.append(indent + fill(part.head, part.args))
            for statement in part.body or [Statement("pass")]:
                lines += statement.lines(indent + "    ")
        return lines

    def expressions(self):
        for arg in self.args:
            yield from arg.walk()
        for part in self.parts:
            for arg in part.args:
                yield from arg.walk()
            for statement in part.body:
                yield from statement.expressions()

    def walk(self):
        yield self
        for part in self.parts:
            for statement in part.body:
                yield from statement.walk()


def fill(text, args):
    """The text with {0}, {1}, ... replaced; other braces are as they are."""
    return re.sub(r"\{(\d+)\}", lambda found: args[int(found[1])].written(), text)


class Parameter:
    """A parameter of a kernel: its annotation, and the text that makes its argument in the check."""

    def __init__(self, name, annotation, host, output=False):
        self.name, self.annotation, self.host, self.output = name, annotation, host, output


class Kernel:
    """`sizes` are names of the module with numbers, such as a block's, that the reducer may shrink."""

    def __init__(self, name, kind):
        self.name, self.kind = name, kind
        self.options = {}  # of @kernel
        self.sizes = {}
        self.parameters, self.body = [], []
        self.imports, self.globals = [], []  # lines
        self.expectations = []  # lines of the check
        self.archs = []  # the only ones that it is for; none: all
        self.portable = True  # all architectures give the same
        self.cells = []  # beside those of its parts
        self.prints = True  # digests of its outputs

    def counted(self):
        """(operation, type) of all that the kernel does, as often as it is written."""
        count = collections.Counter(self.cells)
        for statement in self.body:
            for inner in statement.walk():
                count.update(map(tuple, inner.cells))
            count.update(tuple(e.cell) for e in statement.expressions() if e.cell)
        return count

    def operations(self):
        """How large the kernel is: operations and statements."""
        inner = [s for statement in self.body for s in statement.walk()]
        return len(inner) + sum(1 for statement in self.body for e in statement.expressions() if e.cell)

    def text(self):
        lines = [f"{name} = {value}" for name, value in self.sizes.items()]
        lines += self.globals
        lines += ["", ""] if lines else []
        options = ", ".join(f"{key}={value}" for key, value in self.options.items())
        lines.append(f"@kernel({options})")
        parameters = ", ".join(f"{p.name}: {p.annotation}" for p in self.parameters)
        lines.append(f"def {self.name}({parameters}):")
        for statement in self.body or [Statement("pass")]:
            lines += statement.lines("    ")
        lines += ["", "", "@check", f"def check_{self.name}():"]
        lines += [f"    {p.name} = {p.host}" for p in self.parameters]
        lines.append(f"    {self.name}({', '.join(p.name for p in self.parameters)})")
        for p in self.parameters:
            if p.output and self.prints:
                lines.append(f'    static_print("{self.name}.{p.name}", digest({p.name}))')
        lines += [f"    {line}" for line in self.expectations or ["expect_equal(1, 1)"]]
        return lines


DIGEST = '''
def digest(x):
    """Sums over the halves of the elements, to compare runs by."""
    flat, place = x.reshape(size(x.shape)), arange(1, size(x.shape) + 1)
    low, high = (flat % 2**32).to(f64), (flat // 2**32).to(f64)
    return f"{(low * place).sum()} {(high * place).sum()}"
'''

CORNERS = '''
def corners(n, seed, T, special):
    """n numbers of T: most of them special ones, the others random bits."""
    U = {8: u8, 16: u16, 32: u32, 64: u64}[T.bits]
    found = []
    for k in range(n):
        h = (k + 7919 * seed + 1) * 0x9E3779B97F4A7C15 % 2**64
        h = (h ^ h >> 29) * 0xBF58476D1CE4E5B9 % 2**64
        h = h ^ h >> 32
        found.append(special[h % len(special)] if (h >> 40) % 16 < 11 else (h >> 20) % 2**T.bits)
    return bitcast(T, array(found, U))


def poison(n, T):
    """n different numbers, so that an element that is not written, or twice, shows."""
    return array([k * 0x9E3779B1 + 0xDEADBEEF for k in range(n)]).to(T)
'''


NUMBERS = '''
def numbers(shape, seed, T):
    """Small integers, which every format has."""
    count, least = 1, 0 if T in (u4, u8, u16, u32, u64) else -2
    for extent in shape:
        count = count * extent
    return array([(k * 2654435761 + seed * 40503 >> 7) % 5 + least for k in range(count)]).reshape(shape).to(T)
'''


def corner_bits(T):
    """Bits of the numbers of T at which arithmetic tends to go wrong."""
    if T == "bool":
        return [0, 1]
    if T in F.INTEGERS:
        low, high = F.bounds(T)
        values = {0, 1, 2, 3, 5, 7, 10, low, low + 1, high, high - 1, high // 2, high // 3, 100}
        for k in range(1, F.bits_of(T)):
            values |= {(1 << k) - 1, 1 << k, (1 << k) + 1} if k % 4 == 0 or k == F.bits_of(T) - 1 else set()
        values |= {-v for v in values} if low else set()
        return sorted({F.wrapped(T, v) for v in values})
    f = F.FLOATS[T]
    one, half = F.rounded(T, F.Fraction(1)), 1 << f.mantissa
    found = {0, 1, 2, half - 1, half, half + 1, one, one + 1, one - 1, one + 2, one + half, one - half}
    found |= {f.largest_bits, f.largest_bits - 1}
    fractions = ((1, 2), (3, 2), (5, 2), (7, 2), (1, 3), (10, 1), (100, 1), (127, 1), (255, 2), (65504, 1))
    numbers = [F.Fraction(n, d) for n, d in fractions]
    for k in (-24, -14, -7, 0, 7, 11, 16, 31, 32, 63):
        numbers += [F.Fraction(2) ** k * (1 + F.Fraction(2) ** -j) for j in (3, 4, 8, 11, 24)]
    found |= {F.rounded(T, x) for x in numbers}
    found |= {b | f.sign for b in found} - ({f.sign} if f.special == "fnuz" else set())
    if f.special == "ieee":
        infinity = ((1 << f.exponent) - 1) << f.mantissa
        found |= {infinity, infinity | f.sign, f.nan, f.nan | f.sign, infinity | 1}
    elif f.nan is not None:
        found.add(f.nan)
    return sorted(found)


def corner_name(T):
    return f"CORNERS_{T.upper()}"


def file_text(kernels, header=""):
    """The file of these kernels, with the imports and helpers that they need and no others."""
    body = []
    for kernel in kernels:
        body += ["", ""] + kernel.text()
    text = "\n".join(body)
    helpers = ""
    for name, lines in list(O.PRELUDE.items()) + [("digest", DIGEST)]:
        if re.search(rf"\b{name}\(", text):
            helpers += "\n" + lines
    if "numbers(" in text:
        helpers += "\n" + NUMBERS
    if re.search(r"\b(corners|poison)\(", text):
        helpers += "\n" + CORNERS
    for T in O.VALUES:
        if re.search(rf"\b{corner_name(T)}\b", text):
            helpers += f"\n{corner_name(T)} = [{', '.join(f'{b:#x}' for b in corner_bits(T))}]"
    imports = sorted({line for kernel in kernels for line in kernel.imports})
    head = f'"""{header}"""\n' if header else ""
    return head + "".join(line + "\n" for line in imports) + helpers + "\n" + text + "\n"


# As data


def to_json(x):
    if isinstance(x, (Expression, Part, Statement, Parameter, Kernel)):
        return {"is": type(x).__name__, **{name: to_json(value) for name, value in vars(x).items()}}
    if isinstance(x, dict):
        return {"is": "dict", "items": [[to_json(k), to_json(v)] for k, v in x.items()]}
    if isinstance(x, tuple):
        return {"is": "tuple", "items": [to_json(v) for v in x]}
    return [to_json(v) for v in x] if isinstance(x, list) else x


def from_json(x):
    if isinstance(x, list):
        return [from_json(v) for v in x]
    if not isinstance(x, dict):
        return x
    if x["is"] == "dict":
        return {from_json(k): from_json(v) for k, v in x["items"]}
    if x["is"] == "tuple":
        return tuple(from_json(v) for v in x["items"])
    made = {each.__name__: each for each in (Expression, Part, Statement, Parameter, Kernel)}[x["is"]]
    made = made("", "") if made is Kernel else made.__new__(made)  # a tree of an older version lacks what came later
    vars(made).update({name: from_json(value) for name, value in x.items() if name != "is"})
    return made
