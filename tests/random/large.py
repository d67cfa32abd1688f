"""Kernels of many registers, and of matrix products between branches. The reference knows their results."""

import operations as O
from program import Kernel, Parameter, Part, Statement
from tensors import ATOMS, filled


def large_kernel(random, counts, name, arch):
    """More numbers at a time than there are VGPRs of an instruction's 256, across barriers and accesses to LDS."""
    kernel = Kernel(name, "large")
    T = random.choice(("u32", "i32", "f32", "u32", "u64", "u16"))
    wide, block = random.choice((4, 8, 16)), random.choice((32, 64))
    registers = random.choice((40, 100, 280, 330, 400)) if arch == "gfx1250" else random.choice((40, 100, 180))
    count = max(2, registers * 32 // O.F.bits_of(T) // wide)
    kernel.archs, kernel.portable = [arch], False
    kernel.options = {"block": block, "grid": 1}
    shape = (count, block, wide)
    kernel.parameters = [
        Parameter("x", f"In[{T}, {shape}]", filled(shape, random.randrange(100), T)),
        Parameter("y", f"Out[{T}, {shape}]", f"empty({shape}, {T})", T in O.INTEGERS),
        Parameter("s0", "i32", str(random.choice((0, 1, 5)))),
    ]
    body = [Statement("l = thread_id.x"), Statement(f"s = shared({T}, ({block},))"), Statement(f"r = {T}(l)")]
    body += [Statement(f"w{k} = x[{k}, l, :].load()") for k in range(count)]
    signs = "+-*^|&" if T in O.INTEGERS else "+-*"

    def element():
        return f"w{random.randrange(count)}[{random.randrange(wide)}]"

    def step(depth=0):
        ways = ["vector", "element", "sum"] + (["near"] if T == "f32" else [])
        ways += [] if depth else ["barrier", "lds", "lds", "branch"]
        way = random.choice(ways)
        k, sign = random.randrange(count), random.choice(signs)
        if way == "vector":
            other = random.choice((f"w{random.randrange(count)}", f"vec[{T}, {wide}](r)"))
            return [Statement(f"w{k} = w{k} {sign} {other}", cells=[("large_vector", T)])]
        if way == "element":
            return [Statement(f"w{k}[{random.randrange(wide)}] = {element()} {sign} r", cells=[("large_element", T)])]
        if way == "sum":
            return [Statement(f"r = r {sign} {element()}", cells=[("large_sum", T)])]
        if way == "near":
            found = [f"w{random.randrange(count)}" for _ in range(3)]
            found = [x if random.random() < 0.5 else f"{x}[{random.randrange(wide)}]" for x in found]
            near = [Statement(f"{x} = {O.approximation(random, x)}", cells=[("approximation", T)]) for x in found]
            return near + [Statement(f"w{k} = w{k} {sign} vec[{T}, {wide}](r)")]
        if way == "barrier":
            return [Statement("barrier()")]
        if way == "lds":
            at = random.choice((f"l ^ {random.randrange(1, 32)}", f"{block - 1} - l", "(l + s0) % " + str(block)))
            first, last = [Statement("barrier()")], [Statement("barrier()")] * (random.random() < 0.5)
            return (
                first + [Statement(f"s[l] = {element()}", cells=[("large_lds", T)])] + step(1)
                + [Statement("barrier()")]
                + [Statement(f"r = r {sign} s[{at}]")] + last + step(1)
            )  # fmt: skip
        head = random.choice(("if s0 < 3:", "if l < 20:", "for j in range(s0 & 3):"))
        return [Statement(parts=[Part(head, [], step(1) + step(1))], cells=[("large_branch", T)])]

    for _ in range(random.choice((2, 4, 8))):
        body += step()
    body += [Statement("w0[0] = w0[0] + r")]
    body += [Statement(f"y[{k}, l, :].store(w{k})") for k in range(count)]
    kernel.body = body
    kernel.cells.append(("large", T))
    return kernel


def products_kernel(random, counts, name, arch):
    """Matrix products in a loop with branches that mask, scale, approximate and store their sums."""
    kernel = Kernel(name, "products")
    kernel.portable, kernel.archs = False, [arch]
    kernel.imports.append("from fly.amd import MFMA, WMMA")
    atom, m, n, k, A, B, C = random.choice([row for row in ATOMS[arch] if row[6] in ("f32", "i32", "f32", "f16")])
    kernel.globals = [f"{name}_MMA = tiled_mma({atom}, layout[(1, 1, 1):(0, 0, 0)])"]
    wave = 64 if arch in ("gfx942", "gfx950") else 32
    values, trips = m * n // wave, random.choice((1, 2, 3))
    kernel.options = {"block": wave, "grid": 1}
    kernel.parameters = [
        Parameter("a", f"In[{A}, (trips, {m}, {k})]", filled((trips, m, k), random.randrange(100), A)),
        Parameter("b", f"In[{B}, ({n}, {k})]", filled((n, k), random.randrange(100), B)),
        Parameter("y", f"Out[{C}, ({wave}, {values})]", f"empty(({wave}, {values}), {C})"),
        Parameter("z", f"InOut[{C}, (4, {wave})]", f"zeros((4, {wave}), {C})"),
        Parameter("trips", "i32", str(trips)),
        Parameter("s0", "i32", str(random.choice((0, 1, 5)))),
    ]
    body = [
        Statement("l = thread_id.x"),
        Statement(f"mma = {name}_MMA.get_slice(l)"),
        Statement(f"ra, rb = mma.make_fragment_A(({m}, {k})), mma.make_fragment_B(({n}, {k}))"),
        Statement(f"rs, rt = mma.make_fragment_C(({m}, {n})), mma.make_fragment_C(({m}, {n}))"),
        Statement('copy("auto", mma.partition_B(b), rb)'),
        Statement("rs.fill(0)"),
        Statement("rt.fill(0)"),
        Statement(f"top = vec[{C}, {values}]({C}(0))"),
        Statement(f"e = {C}(l & 3)"),
    ]
    uniform = ("t + s0 > 2", "t == trips - 1", "s0 < 3", "t * 3 < s0", "t < 1")
    divergent = ("l < 20", "l + t > 9", f"top[0] > {C}(1)", f"rs[0, 0, 0] < {C}(3)", f"e > {C}(1)", "l & 3 == s0")
    number = lambda: random.choice((f"{C}(1)", f"{C}(t & 3)", f"{C}(l & 1)", f"rs[{random.randrange(values)}, 0, 0]"))

    def steps(depth, together):
        found = []
        for _ in range(random.choice((1, 2, 3) if depth else (3, 4, 6))):
            ways = ["mask", "add", "most", "element", "store", "near", "near"]
            ways += ["product", "product", "load", "clear"] if together else []
            ways += ["barrier"] if together and not depth else []
            ways += ["if", "if", "for"] if depth < 2 else []
            found += step(random.choice(ways), depth, together)
        return found

    def step(way, depth, together):
        at, r = random.randrange(values), random.choice(("rs", "rs", "rt"))
        if way == "mask":
            inside = random.choice(("t + i", "i * 4 + l // 32", "i + l % 4")) + " < s0 + 7"
            masked = Statement(f"{r}[i, 0, 0] = where({inside}, {r}[i, 0, 0], {number()})")
            return [Statement(parts=[Part(f"for i in unroll({values}):", [], [masked])], cells=[("product_mask", C)])]
        if way == "product":
            return [Statement(f"gemm({name}_MMA, {r}, ra, rb)", cells=[("product", f"{A}x{B}>{C}")])]
        if way == "load":
            return [Statement('copy("auto", mma.partition_A(a[t, :, :]), ra)')]
        if way == "clear":
            return [Statement(f"{r}.fill({random.choice((0, 1))})")]
        if way == "near":  # one instruction of its own unit
            if C != "f32":
                return [Statement(f"e = e + {r}[{at}, 0, 0]")]
            return [Statement(f"e = {O.approximation(random, 'e')}", cells=[("approximation", "f32")])]
        if way == "element":
            return [Statement(f"{r}[{at}, 0, 0] = {r}[{at}, 0, 0] + {number()}")]
        if way == "store":
            return [Statement(f"z[{random.randrange(4)}, l] = {random.choice((f'top[{at}]', 'e', number()))}")]
        if way == "barrier":
            return [Statement("barrier()")]
        if way == "if":
            same = random.random() < 0.6
            condition = random.choice(uniform if same else divergent)
            parts = [Part(f"if {condition}:", [], steps(depth + 1, together and same))]
            if random.random() < 0.4:
                parts.append(Part("else:", [], steps(depth + 1, together and same)))
            return [Statement(parts=parts, cells=[("product_if", C)])]
        if way == "for":
            same = random.random() < 0.6
            span = "(s0 & 3)" if same else "(l & 3)"
            head = f"for j{depth} in range({span}, unroll=False):"
            return [Statement(parts=[Part(head, [], steps(2, together and same))], cells=[("product_for", C)])]
        value = f"{r}.load()"
        return [Statement(f"top = top + {value}" if way == "add" else f"top = max(top, {value})")]

    inside = step("load", 0, True) + steps(0, True)
    body.append(Statement(parts=[Part("for t in range(trips):", [], inside)]))
    body += [Statement("top = top + rs.load() + rt.load()"), Statement("y[l, :].store(top)")]
    kernel.body = body
    kernel.cells.append(("products", C))
    return kernel
