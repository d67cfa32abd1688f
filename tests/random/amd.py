"""Kernels of the copies that only some architectures have, and of copies by offset."""

import operations as O
from program import Kernel, Parameter, Part, Statement
from tensors import TYPES, filled


def lds_dma_kernel(random, counts, name, arch):
    """Global memory to LDS without registers, to swizzled places; then back in another order."""
    kernel = Kernel(name, "lds_dma")
    kernel.archs, kernel.portable = ["gfx942", "gfx950"], False
    T = random.choice(("f32", "u32", "f16", "u8", "i16"))
    bits = O.F.bits_of(T)
    wide = random.choice((32, 128)) if arch == "gfx950" else 32
    each = wide // bits
    rows, columns = random.choice((8, 16, 32)), each * random.choice((8, 16, 64))
    threads = random.choice((64, 128, 256))
    while rows * columns % (threads * each):
        threads //= 2
    if threads < 64:
        rows, threads = 64, 64
    kind = random.choice(("BufferCopyLDS", "GlobalCopyLDS"))
    layout = f"layout[({rows}, {columns}):({columns}, 1)]"
    free = (columns // each).bit_length() - 1
    bits = min(free, 3, (threads * each // columns).bit_length() - 1)  # within what one access of the threads fills
    if random.random() < 0.6 and bits > 0:
        layout = f"composed(swizzle({bits}, {each.bit_length() - 1}, {free}), {layout})"
    kernel.imports += ["from fly.amd import buffer, BufferCopyLDS, GlobalCopyLDS, tiled_copy_into"]
    kernel.options = {"block": threads, "grid": 1}
    kernel.parameters = [
        Parameter("x", f"In[{T}, ({rows}, {columns})]", filled((rows, columns), random.randrange(100), T)),
        Parameter("y", f"Out[{T}, ({rows}, {columns})]", f"empty(({rows}, {columns}), {T})"),
    ]
    at = f"[e // {columns}, e % {columns}]"
    source = "buffer(x)" if kind == "BufferCopyLDS" else "x"
    kernel.body = [
        Statement(f"s = shared({T}, {layout})"),
        Statement(f"atom = {kind}({wide}, {T})"),
        Statement(f"mine = tiled_copy_into(atom, s, threads={threads}).get_slice(thread_id.x)"),
        Statement(f"copy(atom, mine.partition_S({source}), mine.partition_D(s))", cells=[(f"{kind}_{wide}", T)]),
        Statement("barrier()"),
        Statement(
            parts=[
                Part(f"for e in range(thread_id.x, {rows * columns}, {threads}):", [], [Statement(f"y{at} = s{at}")])
            ]
        ),
    ]
    kernel.expectations = ["expect_equal(y, x)"]
    return kernel


def lds_stages_kernel(random, counts, name, arch):
    """Several tiles to LDS without registers, in one array or in many, in a loop or not; each wave reads what its own
    lanes brought, with or without a barrier, before or after further tiles are on their way."""
    kernel = Kernel(name, "lds_stages")
    kernel.archs, kernel.portable = ["gfx942", "gfx950"], False
    T = random.choice(("f32", "u32", "i32"))
    tiles, stages = random.choice((1, 2, 3, 4, 6)), random.choice((1, 2, 2, 3))
    waves, more = random.choice((1, 1, 2)), random.choice((1, 1, 2))
    threads = 64 * waves
    columns = threads * more
    kind = random.choice(("BufferCopyLDS", "GlobalCopyLDS"))
    kernel.imports += ["from fly.amd import buffer, BufferCopyLDS, GlobalCopyLDS, tiled_copy_into"]
    kernel.options = {"block": threads, "grid": 1}
    shape = (tiles, columns)
    kernel.parameters = [
        Parameter("x", f"In[{T}, {shape}]", filled(shape, random.randrange(100), T)),
        Parameter("y", f"Out[{T}, {shape}]", f"empty({shape}, {T})"),
        Parameter("n", "i32", str(tiles)),
    ]
    source = "buffer(x)" if kind == "BufferCopyLDS" else "x"
    arrays = random.random() < 0.6
    rolled = not arrays and random.random() < 0.5
    ahead = random.randrange(0, stages)  # tiles that are under way while another one is read
    if arrays:
        made = [Statement(f"s = [shared({T}, (1, {columns})) for k in range({stages})]")]
        stage = lambda k: f"s[({k}) % {stages}]"
    else:
        made = [Statement(f"s = shared({T}, ({stages}, {columns}))")]
        stage = lambda k: f"local_tile(s, (1, {columns}), (({k}) % {stages}, 0))"

    def fetch(k, at=""):
        return [
            Statement(f"place{at} = {stage(k)}"),
            Statement(f"mine{at} = tiled_copy_into(atom, place{at}, threads={threads}).get_slice(l)"),
            Statement(
                f"copy(atom, mine{at}.partition_S(local_tile(b, (1, {columns}), ({k}, 0))), "
                f"mine{at}.partition_D(place{at}))",
                cells=[(f"{kind}_32_{'arrays' if arrays else 'stages'}", T)],
            ),
        ]

    barriers = random.random() < 0.3
    read = [Statement("barrier()")] * barriers
    near = random.choice((0, 1, 2, 3))  # of the same wave
    for part in range(more):
        read.append(Statement(f"y[k, l + {part * threads}] = {stage('k')}[0, (l ^ {near}) + {part * threads}]"))
    read += [Statement("barrier()")] * (barriers and random.random() < 0.7)
    loop = "for k in range(n):" if rolled else f"for k in unroll({tiles}):"
    body = [Statement("l = thread_id.x"), Statement(f"atom = {kind}(32, {T})"), Statement(f"b = {source}")] + made
    for k in range(min(ahead, tiles)):
        body += fetch(k, k)
    following = fetch(f"k + {ahead}")
    if ahead:
        following = [Statement(parts=[Part(f"if k + {ahead} < {tiles}:", [], following)])]
    body.append(Statement(parts=[Part(loop, [], following + read)]))
    kernel.body = body
    kernel.cells.append(("lds_stages", T))
    at = f"arange({columns}) ^ {near}"
    kernel.expectations = [f"expect_equal(y, x[:, {at}])"]
    return kernel


def tensor_mover_kernel(random, counts, name, arch):
    """A tile by the tensor mover, partly outside of its tensor, and back by threads or by the mover."""
    kernel = Kernel(name, "tensor_mover")
    kernel.archs, kernel.portable = ["gfx1250"], False
    T = random.choice(("f32", "u32", "f16", "u8", "u64"))
    m, n = random.choice((5, 16, 37)), random.choice((8, 32, 75))
    tm, tn = random.choice((4, 16)), random.choice((8, 32))
    pad = random.choice((0, 0, 4))
    kernel.imports.append("from fly.amd import tensor_load, tensor_store")
    kernel.options = {"block": random.choice((32, 64)), "grid": f"({-(-m // tm)}, {-(-n // tn)})"}
    block = kernel.options["block"]
    kernel.parameters = [
        Parameter("x", f"In[{T}, (m, n)]", filled((m, n), random.randrange(100), T)),
        Parameter("y", f"Out[{T}, (m, n)]", f"empty(({m}, {n}), {T})"),
        Parameter("m", "i32", str(m)),
        Parameter("n", "i32", str(n)),
    ]
    at = f"(block_id.x * {tm}, block_id.y * {tn})"
    body = [
        Statement(f"s = shared({T}, layout[({tm}, {tn}):({tn + pad}, 1)])"),
        Statement(
            parts=[Part("if wave_id == 0:", [], [Statement(f"tensor_load(x, {at}, s)", cells=[("tensor_load", T)])])]
        ),
        Statement("barrier()"),
    ]
    if random.random() < 0.5 and pad == 0:
        body.append(
            Statement(
                parts=[
                    Part("if wave_id == 0:", [], [Statement(f"tensor_store(s, y, {at})", cells=[("tensor_store", T)])])
                ]
            )
        )
    else:
        inside = [
            Statement(f"i, j = e // {tn}, e % {tn}"),
            Statement(f"row, column = block_id.x * {tm} + i, block_id.y * {tn} + j"),
            Statement(parts=[Part("if row < m and column < n:", [], [Statement("y[row, column] = s[i, j]")])]),
        ]
        body.append(Statement(parts=[Part(f"for e in range(thread_id.x, {tm * tn}, {block}):", [], inside)]))
    kernel.body = body
    kernel.expectations = ["expect_equal(y, x)"]
    return kernel


def transposing_kernel(random, counts, name, arch):
    """Rows of LDS that arrive as columns."""
    kernel = Kernel(name, "transposing")
    kernel.archs, kernel.portable = ["gfx950", "gfx1250"], False
    narrow = (("f16", 64, 64), ("bf16", 64, 64), ("u8", 64, 64), ("f4E2M1", 64, 32), ("i8", 64, 64))
    wide = (("f16", 128, 64), ("bf16", 128, 64), ("u8", 64, 64), ("i8", 64, 32), ("f4E2M1", 64, 32))
    T, bits, vector = random.choice(narrow if arch == "gfx950" else wide)
    each = bits // O.F.bits_of(T)
    wave = 64 if arch == "gfx950" else 32
    kernel.imports.append("from fly.amd import LDSReadTrans")
    kernel.globals = [
        f"{name}_ATOM = LDSReadTrans({bits}, {T})",
        f"{name}_LANES = make_layout({name}_ATOM.destination[0], "
        f"layout[{wave} // {name}_ATOM.threads:{each} * {name}_ATOM.threads])",
        f"{name}_MOVE = tiled_copy({name}_ATOM, tv=make_layout({name}_LANES, {name}_ATOM.destination[1]), "
        f"tile=({each}, {wave}))",
    ]
    kernel.options = {"block": wave, "grid": 1}
    kernel.parameters = [
        Parameter("x", f"In[{T}, ({wave}, {each})]", filled((wave, each), random.randrange(100), T)),
        Parameter("y", f"Out[{T}, ({each}, {wave})]", f"empty(({each}, {wave}), {T})"),
    ]
    kernel.body = [
        Statement(f"s = shared({T}, ({wave}, {each}))"),
        Statement("s[thread_id.x, :].store(x[thread_id.x, :].load())"),
        Statement("barrier()"),
        Statement(f"mine = {name}_MOVE.get_slice(thread_id.x)"),
        Statement("there = mine.partition_D(y)"),
        Statement("r = make_fragment_like(there)"),
        Statement(f"copy({name}_MOVE, mine.partition_S(s.T), r)", cells=[(f"LDSReadTrans_{bits}", T)]),
        Statement('copy("auto", r, there)'),
    ]
    kernel.expectations = ["expect_equal(y, x.T)"]
    return kernel


def offsets_kernel(random, counts, name, arch):
    """gather and scatter: accesses of several elements at offsets that differ between threads."""
    kernel = Kernel(name, "offsets")
    T = random.choice([T for T in TYPES if T != "f8E5M2"])
    bits = O.F.bits_of(T)
    wide = random.choice([w for w in (1, 2, 4, 8) if bits * w in (8, 16, 32, 64, 128)])
    count, block = random.choice((1, 2, 4)), 64
    pieces = block * count
    kernel.options = {"block": block, "grid": 1}
    buffered = random.random() < 0.5
    if buffered:
        kernel.imports.append("from fly.amd import buffer, BufferCopy")
    n = pieces * wide
    turn = random.choice((1, 3, 5, 7))
    kernel.parameters = [
        Parameter("x", f"In[{T}, ({n},)]", filled((n,), random.randrange(100), T)),
        Parameter("y", f"Out[{T}, ({n},)]", f"empty(({n},), {T})"),
    ]
    atom = f"{'BufferCopy' if buffered else 'UniversalCopy'}({bits * wide}, {T})"
    x, y = ("buffer(x)", "buffer(y)") if buffered else ("x", "y")
    offsets = ", ".join(f"((thread_id.x + {k * block}) * {turn} % {pieces}) * {wide}" for k in range(count))
    kernel.body = [
        Statement(f"offsets = vec[i32, {count}]({offsets})"),
        Statement(f"r = fragment({T}, layout[({wide}, {count}):(1, {wide})])"),
        Statement(f"gather({atom}, {x}, offsets, r)", cells=[(f"gather_{bits * wide}", T)]),
        Statement(f"scatter({atom}, r, offsets, {y})", cells=[(f"scatter_{bits * wide}", T)]),
    ]
    kernel.expectations = ["expect_equal(y, x)"]
    return kernel


def atomic_copy_kernel(random, counts, name, arch):
    """The elements of a fragment, combined with memory by atomic copies."""
    kernel = Kernel(name, "atomic_copies")
    T = random.choice(("i32", "u32", "i64", "u64"))
    kind = random.choice(("add", "sub", "min", "max", "and", "or", "xor"))
    n = 64 * random.choice((1, 2, 4))
    kernel.options = {"block": 64, "grid": random.choice((1, 3))}
    buffered = random.random() < 0.5
    if buffered:
        kernel.imports.append("from fly.amd import buffer, BufferAtomic")
    kernel.parameters = [
        Parameter("x", f"In[{T}, ({n},)]", filled((n,), random.randrange(100), T)),
        Parameter("y", f"InOut[{T}, ({n},)]", f"poison({n}, {T})", True),
    ]
    made = f"{'BufferAtomic' if buffered else 'UniversalAtomic'}(\"{kind}\", {T})"
    each = n // 64
    kernel.body = [
        Statement(f"source = zipped_divide(x, ({each},))[:, thread_id.x]"),
        Statement(f"target = zipped_divide({'buffer(y)' if buffered else 'y'}, ({each},))[:, thread_id.x]"),
        Statement("r = make_fragment_like(source)"),
        Statement('copy("auto", source, r)'),
        Statement(f"copy({made}, r, target)", cells=[(f"atomic_copy_{kind}", T)]),
    ]
    return kernel


def stages_kernel(random, counts, name, arch):
    return (lds_stages_kernel if arch in ("gfx942", "gfx950") else amd_kernel)(random, counts, name, arch)


KINDS = {
    "gfx942": (lds_dma_kernel, lds_stages_kernel, offsets_kernel, atomic_copy_kernel),
    "gfx950": (lds_dma_kernel, lds_stages_kernel, transposing_kernel, offsets_kernel, atomic_copy_kernel),
    "gfx1201": (offsets_kernel, atomic_copy_kernel),
    "gfx1250": (tensor_mover_kernel, transposing_kernel, offsets_kernel, atomic_copy_kernel),
}


def amd_kernel(random, counts, name, arch):
    kernel = random.choice(KINDS[arch])(random, counts, name, arch)
    kernel.portable = False  # which kernel it is depends on the architecture
    return kernel
