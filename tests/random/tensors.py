"""Kernels that move tensors: views of views, tiled copies, matrix products. Their checks know the result themselves.

A view kernel reads each element through one chain of views and writes it through another: the output equals the input.
A copy kernel moves tiles by a tiled copy, perhaps through swizzled LDS. A matrix kernel multiplies small integers,
whose products and sums are exact in every order.
"""

import operations as O
from program import Kernel, Parameter, Part, Statement

TYPES = ("u8", "i16", "u32", "i32", "f32", "u64", "f16", "bf16", "f64", "i8", "f8E5M2")


def filled(shape, seed, T):
    """A host array of T with this shape, of numbers that all formats have."""
    return f"numbers({shape}, {seed}, {T})"


# Views


class Views:
    """Expressions for element (i, j) of a tensor, by ways that must all lead to the same place."""

    def __init__(self, random, kernel):
        self.random, self.kernel = random, kernel

    def tile(self, m, n):
        a, b = (self.random.choice([d for d in (1, 2, 3, 4, 5, 8, 16) if d <= max(extent, 1)]) for extent in (m, n))
        return a, b

    def element(self, view, i, j, m, n, depth):
        """Text of the element; view has m by n elements or, if it is a tile at an edge, promises no more."""
        random = self.random
        way = random.choice(
            ("plain", "transposed", "zipped", "local", "flat", "tiled", "logical", "row", "column", "rows", "composed")
        )
        if depth <= 0:
            way = random.choice(("plain", "transposed", "row", "column"))
        self.kernel.cells.append((f"view_{way}", ""))
        a, b = self.tile(m, n)
        inside_i, inside_j, outer_i, outer_j = f"({i}) % {a}", f"({j}) % {b}", f"({i}) // {a}", f"({j}) // {b}"
        if way == "plain":
            return f"{view}[{i}, {j}]"
        if way == "transposed":
            return f"{view}.T[{j}, {i}]" if depth <= 0 else self.element(f"{view}.T", j, i, n, m, depth - 1)
        if way == "row":
            return f"{view}[{i}, :][{j}]"
        if way == "column":
            return f"{view}[:, {j}][{i}]"
        if way == "zipped":
            return self.element(
                f"zipped_divide({view}, ({a}, {b}))[(_, _), ({outer_i}, {outer_j})]",
                inside_i,
                inside_j,
                a,
                b,
                depth - 1,
            )
        if way == "local":
            return self.element(
                f"local_tile({view}, ({a}, {b}), ({outer_i}, {outer_j}))", inside_i, inside_j, a, b, depth - 1
            )
        if way == "flat":
            return f"flat_divide({view}, ({a}, {b}))[{inside_i}, {inside_j}, {outer_i}, {outer_j}]"
        if way == "tiled":
            return f"tiled_divide({view}, ({a}, {b}))[({inside_i}, {inside_j}), {outer_i}, {outer_j}]"
        if way == "logical":
            return f"logical_divide({view}, ({a}, {b}))[({inside_i}, {outer_i}), ({inside_j}, {outer_j})]"
        if way == "rows":
            return self.element(
                f"zipped_divide({view}, ({a}, _))[(_, _), ({outer_i}, 0)]", inside_i, j, a, n, depth - 1
            )
        return f"zipped_divide({view}, ({a}, {b}))[({inside_i}, {inside_j}), ({outer_i}, {outer_j})]"


def view_kernel(random, counts, name, arch):
    kernel = Kernel(name, "views")
    T = random.choice(TYPES)
    m, n = random.choice((1, 3, 7, 8, 16, 20, 33)), random.choice((1, 2, 5, 8, 15, 16, 48))
    block = random.choice((32, 64, 64, 128))
    views = Views(random, kernel)
    dynamic = random.random() < 0.5
    extents = ("m", "n") if dynamic else (str(m), str(n))
    layouts, strides = [], []
    for side in ("x", "y"):
        way = random.choice(("rows", "rows", "columns", "padded", "dynamic" if dynamic else "padded"))
        kernel.cells.append((f"layout_{way}", T))
        stride = {
            "rows": "",
            "columns": f":(1, {extents[0]})",
            "padded": f":({n + random.choice((1, 4, 13))}, 1)",
            "dynamic": f":(ld_{side}, 1)",
        }[way]
        strides += [f"ld_{side}"] if way == "dynamic" else []
        layouts.append(f"({extents[0]}, {extents[1]}){stride}")
    kernel.options = {"block": block, "grid": -(-m * n // block)}
    kernel.parameters = [
        Parameter("x", f"In[{T}, {layouts[0]}]", filled((m, n), random.randrange(100), T)),
        Parameter("y", f"Out[{T}, {layouts[1]}]", f"empty(({m}, {n}), {T})", T in O.INTEGERS),
    ]
    if dynamic:
        kernel.parameters += [Parameter("m", "i32", str(m)), Parameter("n", "i32", str(n))]
    kernel.parameters += [Parameter(ld, "i32", str(n + random.choice((0, 1, 3, 16)))) for ld in strides]
    order = random.choice((f"e // {n}, e % {n}", f"e % {m}, e // {m}"))
    source = "x" if random.random() < 0.7 or T == "u8" else "x"
    if random.random() < 0.3:
        kernel.imports.append("from fly.amd import buffer")
        source = "buffer(x)"
        kernel.cells.append(("buffer", T))
    inside = [
        Statement(f"i, j = {order}"),
        Statement(f"v = {views.element(source, 'i', 'j', m, n, random.choice((0, 1, 2)))}", cells=[("view_load", T)]),
        Statement(f"{views.element('y', 'i', 'j', m, n, random.choice((0, 1, 2)))} = v", cells=[("view_store", T)]),
    ]
    kernel.body = [
        Statement("e = block_id.x * block_dim.x + thread_id.x"),
        Statement(parts=[Part(f"if e < {m * n}:", [], inside)]),
    ]
    kernel.expectations = ["expect_equal(y, x)"]
    return kernel


# Tiled copies


def copy_kernel(random, counts, name, arch):
    kernel = Kernel(name, "copies")
    T = random.choice([T for T in TYPES if T != "f8E5M2"])
    bits = O.F.bits_of(T)
    wide = random.choice([w for w in (1, 2, 4, 8, 16) if bits * w in (8, 16, 32, 64, 128)])
    tm, tn = random.choice(((1, 32), (4, 8), (8, 8), (8, 16), (16, 4), (32, 2), (2, 2), (1, 64), (64, 1)))
    vm, more = random.choice((1, 1, 2, 3)), random.choice((1, 1, 2))
    threads = random.choice((f"({tn}, 1)", f"(1, {tm})"))
    vn = wide * more
    atom = random.choice(("universal", "universal", "buffer", "auto"))
    through = random.choice(("registers", "registers", "lds", "memory"))
    m = random.choice((1, 2, 3, tm * vm, tm * vm + 1, 2 * tm * vm, 3 * tm * vm - 1))
    n = wide * random.choice((1, 3, tn * more, tn * more + 1, 2 * tn * more))
    values = f"layout[({vm}, {vn}):({vn}, 1)]"
    kernel.sizes = {f"{name}_WIDE": wide}
    # several accesses along a row, or one: the tile has whole accesses either way
    kernel.options = {
        "block": tm * tn,
        "grid": f"(ceil_div(m, {tm * vm}), ceil_div(n, {tn * vn}))",
        "requires": f"n % {name}_WIDE == 0",
    }
    kernel.imports += ["from fly.tiles import inside"]
    buffered = atom == "buffer"
    if buffered:
        kernel.imports.append("from fly.amd import buffer, BufferCopy")
    kernel.parameters = [
        Parameter("x", f"In[{T}, (m, n)]", filled((m, n), random.randrange(100), T)),
        Parameter("y", f"Out[{T}, (m, n)]", f"empty(({m}, {n}), {T})", T in O.INTEGERS),
        Parameter("m", "i32", str(m)),
        Parameter("n", "i32", str(n)),
    ]
    made = f"BufferCopy({bits} * {name}_WIDE, {T})" if buffered else f"UniversalCopy({bits} * {name}_WIDE, {T})"
    x, y = ("buffer(x)", "buffer(y)") if buffered else ("x", "y")
    mover = '"auto"' if atom == "auto" else "atom"
    kernel.cells += [(f"copy_{atom}_{bits * wide}", T), (f"copy_through_{through}", T)]
    body = [
        Statement(f"atom = {made}"),
        Statement(f"move = tiled_copy(atom, layout[({tm}, {tn}):{threads}], {values})"),
        Statement("mine = move.get_slice(thread_id.x)"),
        Statement("at = (block_id.x, block_id.y)"),
        Statement(f"source = mine.partition_S(local_tile({x}, move.tile, at))"),
        Statement(f"target = mine.partition_D(local_tile({y}, move.tile, at))"),
        Statement("valid = inside(mine, (m, n), move.tile, at)"),
        Statement("r = make_fragment_like(source)"),
    ]
    expected = "x"
    fill = random.choice(("", ", fill=0", f", fill={T}(1)"))
    if through == "memory":
        body.append(Statement(f"copy({mover}, source, target, pred=valid)"))
    else:
        if fill == "" and through == "lds":  # all of it goes to LDS
            body.append(Statement("r.fill(0)"))
        body.append(Statement(f"copy({mover}, source, r, pred=valid{fill})"))
        if random.random() < 0.5 and T in O.INTEGERS:
            by = random.choice((1, 3, 7))
            sign = random.choice(("+", "-", "*", "^"))
            # what lies outside has unspecified bits without fill; it is not stored
            body.append(Statement(f"r.store(r.load() {sign} {T}({by}))", cells=[(f"fragment_{sign}", T)]))
            expected = f"(x {sign} {by}).to({T})"
            if sign == "^":
                expected = f"array([int(e) ^ {by} for e in x.reshape({m * n})]).to({T}).reshape(({m}, {n}))"
        if through == "lds":
            lds_atom = f"UniversalCopy({bits * wide}, {T})" if atom != "auto" else mover
            width, length = tn * vn, tm * vm
            layout = f"layout[({length}, {width}):({width}, 1)]"
            pad = random.choice((0, 0, wide))
            if pad:
                layout = f"layout[({length}, {width}):({width + pad}, 1)]"
            elif width & (width - 1) == 0 and width > wide and random.random() < 0.6:
                base = wide.bit_length() - 1
                free = width.bit_length() - 1 - base
                swizzled = min(free, 3, (length.bit_length() - 1))
                if swizzled > 0:
                    layout = f"composed(swizzle({swizzled}, {base}, {free}), {layout})"
                    kernel.cells.append(("swizzle", T))
            body += [
                Statement(f"s = shared({T}, {layout})"),
                Statement(f"copy({lds_atom}, r, mine.partition_D(s))"),
                Statement("barrier()"),
                Statement("r2 = make_fragment_like(source)"),
                Statement(f"copy({lds_atom}, mine.partition_S(s), r2)"),
                Statement(f"copy({mover}, r2, target, pred=valid)"),
            ]
        else:
            body.append(Statement(f"copy({mover}, r, target, pred=valid)"))
    kernel.body = body
    kernel.expectations = [f"expect_equal(y, {expected})"]
    return kernel


# Packed elements


def packed_kernel(random, counts, name, arch):
    """Numbers of four and six bits, from memory to other types and back."""
    kernel = Kernel(name, "packed")
    T = random.choice(O.PACKED)
    step = 32
    U = random.choice(("f32", "f16", "f32", "bf16") if T[0] == "f" else ("i32", "i8", "u8", "f32", "i16", "f16"))
    n = step * random.choice((1, 2, 3, 65, 100))
    kernel.options = {"block": 64, "grid": -(-n // step // 64), "requires": f"n % {step} == 0"}
    lo, hi = {"u4": (0, 15), "i4": (-8, 7), "f4E2M1": (-6, 6), "f6E2M3": (-7, 7), "f6E3M2": (-28, 28)}[T]
    backs = f"v.to({T})"
    kernel.parameters = [
        Parameter(
            "x", f"In[{T}, (n,)]", f"random(({n},), f32, seed={random.randrange(100)}, lo={lo}, hi={hi}).to({T})"
        ),
        Parameter("y", f"Out[{U}, (n,)]", f"empty(({n},), {U})"),
        Parameter("z", f"Out[{T}, (n,)]", f"empty(({n},), {T})"),
        Parameter("n", "i32", str(n)),
    ]
    kernel.cells += [("packed_load", T), ("packed_store", T), (f"{T}_vec", U), (f"{U}_vec", T)]
    inside = [
        Statement(f"v = zipped_divide(x, ({step},))[:, i].load().to({U})"),
        Statement(f"zipped_divide(y, ({step},))[:, i].store(v)"),
        Statement(f"zipped_divide(z, ({step},))[:, i].store({backs})"),
    ]
    kernel.body = [
        Statement("i = block_id.x * 64 + thread_id.x"), Statement(parts=[Part(f"if i < n // {step}:", [], inside)])
    ]
    # negative numbers of i4 do not fit u8, whose low bits come back
    kernel.expectations = [f"expect_equal(y, x.to({U}))", "expect_equal(z, x)"]
    return kernel


# Matrix products

ATOMS = {
    "gfx942": [
        ("MFMA(32, 32, 2, f32)", 32, 32, 2, "f32", "f32", "f32"),
        ("MFMA(16, 16, 4, f32)", 16, 16, 4, "f32", "f32", "f32"),
        ("MFMA(32, 32, 8, f16)", 32, 32, 8, "f16", "f16", "f32"),
        ("MFMA(16, 16, 16, f16)", 16, 16, 16, "f16", "f16", "f32"),
        ("MFMA(32, 32, 8, bf16)", 32, 32, 8, "bf16", "bf16", "f32"),
        ("MFMA(16, 16, 16, bf16)", 16, 16, 16, "bf16", "bf16", "f32"),
        ("MFMA(32, 32, 16, i8, acc=i32)", 32, 32, 16, "i8", "i8", "i32"),
        ("MFMA(16, 16, 32, i8, acc=i32)", 16, 16, 32, "i8", "i8", "i32"),
        ("MFMA(16, 16, 4, f64, acc=f64)", 16, 16, 4, "f64", "f64", "f64"),
        ("MFMA(16, 16, 32, f8E4M3FNUZ)", 16, 16, 32, "f8E4M3FNUZ", "f8E4M3FNUZ", "f32"),
        ("MFMA(32, 32, 16, f8E5M2FNUZ)", 32, 32, 16, "f8E5M2FNUZ", "f8E5M2FNUZ", "f32"),
        ("MFMA(16, 16, 32, f8E4M3FNUZ, type_b=f8E5M2FNUZ)", 16, 16, 32, "f8E4M3FNUZ", "f8E5M2FNUZ", "f32"),
        ("MFMA(32, 32, 16, f8E5M2FNUZ, type_b=f8E4M3FNUZ)", 32, 32, 16, "f8E5M2FNUZ", "f8E4M3FNUZ", "f32"),
    ],
    "gfx950": [
        ("MFMA(32, 32, 2, f32)", 32, 32, 2, "f32", "f32", "f32"),
        ("MFMA(32, 32, 16, f16)", 32, 32, 16, "f16", "f16", "f32"),
        ("MFMA(16, 16, 32, f16)", 16, 16, 32, "f16", "f16", "f32"),
        ("MFMA(16, 16, 16, f16)", 16, 16, 16, "f16", "f16", "f32"),
        ("MFMA(32, 32, 16, bf16)", 32, 32, 16, "bf16", "bf16", "f32"),
        ("MFMA(16, 16, 32, bf16)", 16, 16, 32, "bf16", "bf16", "f32"),
        ("MFMA(32, 32, 32, i8, acc=i32)", 32, 32, 32, "i8", "i8", "i32"),
        ("MFMA(16, 16, 64, i8, acc=i32)", 16, 16, 64, "i8", "i8", "i32"),
        ("MFMA(16, 16, 4, f64, acc=f64)", 16, 16, 4, "f64", "f64", "f64"),
        ("MFMA(16, 16, 128, f8E4M3FN)", 16, 16, 128, "f8E4M3FN", "f8E4M3FN", "f32"),
        ("MFMA(32, 32, 64, f8E5M2)", 32, 32, 64, "f8E5M2", "f8E5M2", "f32"),
        ("MFMA(16, 16, 32, f8E4M3FN, type_b=f8E5M2)", 16, 16, 32, "f8E4M3FN", "f8E5M2", "f32"),
        ("MFMA(16, 16, 128, f4E2M1)", 16, 16, 128, "f4E2M1", "f4E2M1", "f32"),
        ("MFMA(32, 32, 64, f6E2M3)", 32, 32, 64, "f6E2M3", "f6E2M3", "f32"),
    ],
    "gfx1201": [
        ("WMMA(16, 16, 16, f16)", 16, 16, 16, "f16", "f16", "f32"),
        ("WMMA(16, 16, 16, bf16)", 16, 16, 16, "bf16", "bf16", "f32"),
        ("WMMA(16, 16, 16, f16, acc=f16)", 16, 16, 16, "f16", "f16", "f16"),
        ("WMMA(16, 16, 16, bf16, acc=bf16)", 16, 16, 16, "bf16", "bf16", "bf16"),
        ("WMMA(16, 16, 16, i8, acc=i32)", 16, 16, 16, "i8", "i8", "i32"),
        ("WMMA(16, 16, 16, u8, acc=i32)", 16, 16, 16, "u8", "u8", "i32"),
        ("WMMA(16, 16, 16, i8, type_b=u8, acc=i32)", 16, 16, 16, "i8", "u8", "i32"),
        ("WMMA(16, 16, 32, i4, acc=i32)", 16, 16, 32, "i4", "i4", "i32"),
        ("WMMA(16, 16, 16, u4, acc=i32)", 16, 16, 16, "u4", "u4", "i32"),
        ("WMMA(16, 16, 16, f8E4M3FN)", 16, 16, 16, "f8E4M3FN", "f8E4M3FN", "f32"),
        ("WMMA(16, 16, 16, f8E5M2, type_b=f8E4M3FN)", 16, 16, 16, "f8E5M2", "f8E4M3FN", "f32"),
    ],
    "gfx1250": [
        ("WMMA(16, 16, 4, f32)", 16, 16, 4, "f32", "f32", "f32"),
        ("WMMA(16, 16, 32, f16)", 16, 16, 32, "f16", "f16", "f32"),
        ("WMMA(16, 16, 32, bf16)", 16, 16, 32, "bf16", "bf16", "f32"),
        ("WMMA(16, 16, 32, f16, acc=f16)", 16, 16, 32, "f16", "f16", "f16"),
        ("WMMA(16, 16, 32, bf16, acc=bf16)", 16, 16, 32, "bf16", "bf16", "bf16"),
        ("WMMA(16, 16, 64, i8, acc=i32)", 16, 16, 64, "i8", "i8", "i32"),
        ("WMMA(16, 16, 64, u8, type_b=i8, acc=i32)", 16, 16, 64, "u8", "i8", "i32"),
        ("WMMA(16, 16, 64, f8E4M3FN)", 16, 16, 64, "f8E4M3FN", "f8E4M3FN", "f32"),
        ("WMMA(16, 16, 128, f8E5M2, type_b=f8E4M3FN)", 16, 16, 128, "f8E5M2", "f8E4M3FN", "f32"),
        ("WMMA(16, 16, 64, f8E4M3FN, acc=f16)", 16, 16, 64, "f8E4M3FN", "f8E4M3FN", "f16"),
        ("WMMA(16, 16, 128, f4E2M1)", 16, 16, 128, "f4E2M1", "f4E2M1", "f32"),
        ("WMMA(32, 16, 128, f4E2M1)", 32, 16, 128, "f4E2M1", "f4E2M1", "f32"),
    ],
}


def matrix_kernel(random, counts, name, arch):
    kernel = Kernel(name, "matrix")
    kernel.portable, kernel.archs = False, [arch]
    atom, am, an, ak, A, B, C = random.choice(ATOMS[arch])
    wm, wn = random.choice(((1, 1), (1, 1), (2, 1), (1, 2), (2, 2)))
    rm, rn, rk = random.choice((1, 1, 2)), random.choice((1, 1, 2)), random.choice((1, 2, 3))
    M, N, K = am * wm * rm, an * wn * rn, ak * rk
    if random.random() < 0.3:  # numbers of waves in the other order
        waves = f"layout[({wm}, {wn}, 1):({wn}, 1, 0)]"
    else:
        waves = f"layout[({wm}, {wn}, 1):(1, {wm}, 0)]"
    kernel.imports.append("from fly.amd import MFMA, WMMA")
    kernel.sizes = {f"{name}_M": M, f"{name}_N": N, f"{name}_K": K}
    kernel.globals = [f"{name}_MMA = tiled_mma({atom}, {waves})"]
    kernel.options = {"block": f"{name}_MMA.threads", "grid": 1}
    shape_a, shape_b, shape_c = (f"({name}_{x}, {name}_{y})" for x, y in ("MK", "NK", "MN"))
    columns = random.random() < 0.2 and O.F.bits_of(A) >= 8  # A with its columns side by side
    stride = f":(1, {name}_M)" if columns else ""
    kernel.parameters = [
        Parameter("a", f"In[{A}, {shape_a}{stride}]", filled(shape_a, random.randrange(100), A)),
        Parameter("b", f"In[{B}, {shape_b}]", filled(shape_b, random.randrange(100), B)),
        Parameter("c", f"In[{C}, {shape_c}]", filled(shape_c, random.randrange(100), C)),
        Parameter("d", f"Out[{C}, {shape_c}]", f"empty({shape_c}, {C})"),
    ]
    loop = rk > 1 and random.random() < 0.5
    lds = random.random() < 0.3 and not columns and O.F.bits_of(A) >= 8 and O.F.bits_of(B) >= 8
    body = [Statement(f"mine = {name}_MMA.get_slice(thread_id.x)")]
    initial = random.choice(("zero", "zero", "c"))
    body.append(Statement(f"rc = mine.make_fragment_C(c)"))
    if initial == "zero":
        body.append(Statement("rc.fill(0)"))
    else:
        body.append(Statement('copy("auto", mine.partition_C(c), rc)'))
    order = random.choice(("", "", ', order="KMN"'))

    def product(a, b):
        return [
            Statement(f"ra, rb = mine.make_fragment_A({a}), mine.make_fragment_B({b})"),
            Statement(f'copy("auto", mine.partition_A({a}), ra)'),
            Statement(f'copy("auto", mine.partition_B({b}), rb)'),
            Statement(f"gemm({name}_MMA, rc, ra, rb{order})", cells=[("gemm", f"{A}x{B}>{C}")]),
        ]

    def staged(to, source, rows):
        element = f"[e // {name}_K, e % {name}_K]"
        head = f"for e in range(thread_id.x, {name}_{rows} * {name}_K, {name}_MMA.threads):"
        return Statement(parts=[Part(head, [], [Statement(f"{to}{element} = {source}{element}")])])

    if loop:
        inside = [
            Statement(f"ta, tb = local_tile(a, ({name}_M, {ak}), (0, k)), local_tile(b, ({name}_N, {ak}), (0, k))"),
        ] + product("ta", "tb")
        body.append(Statement(parts=[Part(f"for k in range({name}_K // {ak}):", [], inside)]))
    elif lds:
        body += [
            Statement(f"sa, sb = shared({A}, {shape_a}), shared({B}, {shape_b})"),
            staged("sa", "a", "M"),
            staged("sb", "b", "N"),
            Statement("barrier()"),
        ] + product("sa", "sb")
    else:
        body += product("a", "b")
    body.append(Statement('copy("auto", rc, mine.partition_C(d))'))
    kernel.body = body
    kernel.cells += [("atom", atom), ("mma_lds" if lds and not loop else "mma_loop" if loop else "mma_direct", A)]
    plus = " + c" if initial == "c" else ""
    kernel.expectations = [f"expect_equal(d, ((a @ b.T){plus}).to({C}))"]
    return kernel
