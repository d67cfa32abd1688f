"""What a step of a language model launches, how long the modelled launches take together, and what the data sheet would allow."""

import re
from dataclasses import dataclass
from typing import NamedTuple


@dataclass
class Machine:
    name: str
    units: int
    memory: float               # bytes per second, of the data sheet
    peak: dict                  # operations per second of the matrix units, of the data sheet
    capacity: float             # bytes of memory
    clocks: tuple               # maximum, sustained under matrix load, in Hz
    link: float                 # bytes per second of a link, each way
    tiles: object               # of the products of 8-bit floats, for m rows
    launch: float               # seconds of a launch beside its kernel
    streams: float              # the uncertainty of each class: see `uncertainty`
    matrix: float
    others: float


def fewer_tiles(m):
    """Those that may be the fastest for m rows. None: gemm_fp8."""
    if m <= 64:
        return [(32, 128, 512), (64, 64, 512)]
    return [(64, 256, 128), (128, 128, 128)] if m <= 512 else [(128, 128, 128), None]


MACHINES = {
    "gfx942": Machine("MI300X", 304, 5.3e12, {"bf16": 1307e12, "fp8": 2615e12}, 192e9, (2100e6, 1350e6), 48e9,
                      lambda m: [(64, 256, 128)], 2.0e-6, 0.09, 0.17, 0.17),
    "gfx950": Machine("MI355X", 256, 8.0e12, {"bf16": 2517e12, "fp8": 5033e12}, 288e9, (2400e6, 1500e6), 57.6e9,
                      fewer_tiles, 2.1e-6, 0.07, 0.13, 0.31),
}
MEETING = 12e-6                 # seconds of an all-reduce of few bytes, published for W = 4 on gfx950: 10.3 to 13.3 us
MEETING_UNCERTAINTY = 0.33
BATCHES, KEYS, PROMPT = (1, 8, 64, 256), (1024, 4096), 2048
NARROW = 128                    # the hidden size where only attention counts


@dataclass
class Model:
    """The sizes of a published config.json."""
    name: str
    hidden: int
    heads: int
    kv: int
    inter: int
    layers: int
    vocab: int
    experts: int = 0
    each: int = 2               # experts of a token

    def layer_weights(self, tokens=None):
        """Numbers of a layer's weights: all of them, or those that `tokens` tokens read or multiply by."""
        attention = self.hidden * 128 * (2 * self.heads + 2 * self.kv)
        of_expert = 3 * self.hidden * self.inter
        if not self.experts:
            return attention + of_expert
        used = self.experts if tokens is None else min(self.experts, tokens * self.each)
        return attention + self.hidden * self.experts + used * of_expert


LLAMA_8B = Model("Llama-3.1-8B", 4096, 32, 8, 14336, 32, 128256)
LLAMA_70B = Model("Llama-3.1-70B", 8192, 64, 8, 28672, 80, 128256)
MIXTRAL = Model("Mixtral-8x7B", 4096, 32, 8, 14336, 32, 32000, experts=8)
SMALL = Model("small", 1024, 8, 2, 1536, 4, 4096)


@dataclass
class Setting:
    model: Model
    weights: str                # bf16 or fp8
    devices: int = 1
    most: int = PROMPT          # tokens of a step; longer ones take too long to model

    def name(self):
        return f"{self.model.name}, {self.weights}, {self.devices} GPU{'s' * (self.devices > 1)}"


SETTINGS = [Setting(LLAMA_8B, "bf16"), Setting(LLAMA_8B, "fp8"), Setting(LLAMA_70B, "bf16", 8), Setting(LLAMA_70B, "fp8", 8),
            Setting(LLAMA_70B, "fp8", most=64), Setting(MIXTRAL, "bf16"), Setting(MIXTRAL, "fp8")]


@dataclass
class Step:
    """`rows` new tokens of each of `batch` sequences, which have `keys` keys with them."""
    batch: int
    rows: int
    keys: int

    def tokens(self):
        return self.batch * self.rows


STEPS = [Step(batch, 1, keys) for keys in KEYS for batch in BATCHES] + [Step(1, PROMPT, PROMPT)]
ATTENTION = re.compile(r"paged_decode|merge_rows|flash|attention")
PRODUCT = re.compile(r"gemm|skinny|preshuffle")
EXPERTS = re.compile(r"stage[12]")


@dataclass
class Part:
    """What a case of model_tokens.fly adds to a step: `times` its launches whose kernels are `kept`. `products` are the names of its
    products, in order; `cases` are alternatives, of which the fastest counts."""
    times: int
    cases: list
    products: tuple = ()
    kept: object = lambda kernel: True


def attention_case(step, hidden, heads, kv):
    return f"attention_half({step.batch}, {step.rows}, {step.keys}, {hidden}, {heads}, {kv})"


def parts(setting, step, arch):
    """The launches of a step on one device, but for the meetings of several."""
    model, W, m = setting.model, setting.devices, step.tokens()
    heads, kv, inter, vocab = (max(each // W, 1) for each in (model.heads, model.kv, model.inter, model.vocab))
    hidden, n = model.hidden, model.layers
    is_attention = lambda kernel: ATTENTION.search(kernel)
    yield Part(1, [f"start_of({m}, {hidden}, {model.vocab})"])
    if setting.weights == "bf16":
        usual = Step(step.batch, 1, KEYS[0]) if step.rows == 1 else step
        alone = step.rows > 1 or step != usual
        yield Part(n, [attention_case(usual, hidden, heads, kv)], ("q, k, v", "o"),
                   lambda kernel: not (alone and is_attention(kernel)))
        if alone:
            yield Part(n, [attention_case(step, NARROW, heads, kv)], kept=is_attention)
    else:
        yield Part(n, [attention_case(step, NARROW, heads, kv)],
                   kept=lambda kernel: is_attention(kernel) or "rope" in kernel)
        yield from scaled(setting, n, m, (heads + 2 * kv) * 128, hidden, "q, k, v", arch)
        yield from scaled(setting, n, m, hidden, heads * 128, "o", arch)
        yield Part(n, [f"norm({m}, {hidden})"])
    if model.experts:
        E, K = model.experts, model.each
        F = {"bf16": "bf16", "fp8": "fp8_token"}[setting.weights]
        yield Part(n, [f"norm({m}, {hidden})"])
        yield Part(n, [f"router({m}, {hidden}, {E})"], ("router",))
        yield Part(n, [f'routing({m}, {E}, {K}, FORMATS["{F}"])'])
        if setting.weights == "fp8":
            yield Part(n, [f"quantise({m}, {hidden})"])
        yield Part(n, [f'experts({m}, {hidden}, {inter}, {E}, {K}, FORMATS["{F}"])'])
    elif setting.weights == "bf16":
        yield Part(n, [f"gated_half({m}, {hidden}, {inter})"], ("gate, up", "down"))
    else:
        yield Part(n, [f"norm({m}, {hidden})"])
        yield from scaled(setting, n, m, 2 * inter, hidden, "gate, up", arch)
        yield Part(n, [f"gate_of({m}, {inter})"])
        yield from scaled(setting, n, m, hidden, inter, "down", arch)
    yield Part(1, [f"ends({step.batch}, {step.rows}, {hidden}, {vocab})"], ("logits",))
    yield Part(1, [f"choice({step.batch}, {vocab})"])


def scaled(setting, times, m, n, k, name, arch):
    yield Part(times, [f"quantise({m}, {k})"])
    yield Part(times, [f"scaled({m}, {n}, {k}, {tile})" for tile in MACHINES[arch].tiles(m)], (name,))


def wanted(setting, step, machine):
    return step.tokens() <= setting.most and fits(setting, step, machine)


def modelled(results, arch, setting, step):
    """Whether the results have all that a step takes."""
    return wanted(setting, step, MACHINES[arch]) and all(case in results[arch] for part in parts(setting, step, arch)
                                                         for case in part.cases)


def fits(setting, step, machine):
    """Weights, keys and values in the memory of a device, of which a tenth is for all else."""
    return held(setting, step, setting.model.layer_weights()) + embeddings(setting) < 0.9 * machine.capacity


def held(setting, step, weights):
    """Bytes of a device: `weights` numbers in each layer, the logits' weights, keys and values."""
    model, W, each = setting.model, setting.devices, {"bf16": 2, "fp8": 1}[setting.weights]
    kv = max(model.kv // W, 1)
    return (model.layers * (weights * each / W + 4 * step.batch * step.keys * kv * 128)
            + 2 * model.vocab * model.hidden / W)


def embeddings(setting):
    return 2 * setting.model.vocab * setting.model.hidden


def bound(setting, step, machine):
    """Seconds that a device needs at the rates of the data sheet: for each number once, or for each operation."""
    model, W, m = setting.model, setting.devices, step.tokens()
    bytes = held(setting, step, model.layer_weights(m))
    pairs = m * step.keys if step.rows == 1 else m * step.keys / 2
    operations = (2 * m * model.layers * model.layer_weights(1) / W / machine.peak[setting.weights]
                  + (4 * pairs * model.layers * model.heads * 128 + 2 * step.batch * model.vocab * model.hidden) / W
                  / machine.peak["bf16"])
    return max(bytes / machine.memory, operations)


@dataclass
class Time:
    """Seconds: as modelled with the launches' own time, the least and the most that the uncertainty allows; and the kernels alone."""
    middle: float = 0
    least: float = 0
    most: float = 0
    alone: float = 0
    launches: int = 0

    def add(self, other, times=1):
        for name in ("middle", "least", "most", "alone", "launches"):
            setattr(self, name, getattr(self, name) + times * getattr(other, name))


class Launch(NamedTuple):
    kernel: str
    cycles: int
    bound: str                  # what `flyc bench` says
    matrix: float               # the matrix units' share of the cycles


def time_of(launch, machine):
    """A launch's. Under matrix load the power limit lowers the clock: half of the matrix units' time is taken for it, a quarter of it
    may be enough. The least has no time between launches."""
    fast, slow = (launch.cycles / clock for clock in machine.clocks)
    share = launch.matrix
    u = uncertainty(launch, machine)
    alone, gap = slow if share >= 0.5 else fast, machine.launch
    return Time(alone + gap, fast * (1 - u), (slow if share >= 0.25 else fast) * (1 + u) + gap, alone, 1)


def uncertainty(launch, machine):
    """What docs/generated/time-model-validation.md says of the launch's class. Bound by memory: the largest error of the streams. By
    the matrix units: what results quote. By anything else: the least error that 80 % of the counted test points do not exceed."""
    return {"HBM": machine.streams, "MALL": machine.streams, "matrix": machine.matrix}.get(launch.bound, machine.others)


def meeting(setting, step, machine):
    """An all-reduce of a step's tokens in two shots: each link carries an eighth of them twice."""
    W, bytes = setting.devices, 2 * step.tokens() * setting.model.hidden
    links = 2 * bytes / W / machine.link
    seconds = MEETING + links
    return Time(seconds, seconds * (1 - MEETING_UNCERTAINTY), seconds * (1 + MEETING_UNCERTAINTY), seconds, 1)


def label_of(kernel, names, last):
    """The name of a launch in the tables, and whether it begins a product."""
    if PRODUCT.search(kernel):
        return names.pop(0) if names else last
    if kernel == "add_parts":
        return last
    if EXPERTS.search(kernel):
        return "experts, " + ("first" if "1" in kernel else "second")
    return "attention" if ATTENTION.search(kernel) else "between"


def step_time(results, arch, setting, step):
    """The time of a step, and that of each label in it."""
    machine, whole, labels = MACHINES[arch], Time(), {}
    for part in parts(setting, step, arch):
        launches = min((results[arch][case] for case in part.cases), key=lambda each: sum(one.cycles for one in each))
        names, last = list(part.products), ""
        for launch in launches:
            last = label = label_of(launch.kernel, names, last)
            if part.kept(launch.kernel):
                time = time_of(launch, machine)
                whole.add(time, part.times)
                labels.setdefault(label, Time()).add(time, part.times)
    if setting.devices > 1:
        time = meeting(setting, step, machine)
        whole.add(time, 2 * setting.model.layers)
        labels.setdefault("all-reduce", Time()).add(time, 2 * setting.model.layers)
    return whole, labels


def label_bound(label, setting, step, machine):
    """Seconds of a label at the rates of the data sheet, in a whole step; None if it has no bound of its own."""
    model, W, m = setting.model, setting.devices, step.tokens()
    heads, kv, inter = (max(each // W, 1) for each in (model.heads, model.kv, model.inter))
    each, peak = {"bf16": 2, "fp8": 1}[setting.weights], machine.peak[setting.weights]
    used = min(model.experts, m * model.each) if model.experts else 1
    per_token = model.each if model.experts else 1
    sizes = {"q, k, v": ((heads + 2 * kv) * 128, model.hidden, 1, 1), "o": (model.hidden, heads * 128, 1, 1),
             "gate, up": (2 * inter, model.hidden, 1, 1), "down": (model.hidden, inter, 1, 1),
             "experts, first": (2 * inter, model.hidden, used, per_token),
             "experts, second": (model.hidden, inter, used, per_token)}
    if label == "logits":
        return max(2 * model.vocab // W * model.hidden / machine.memory,
                   2 * step.batch * model.vocab // W * model.hidden / machine.peak["bf16"])
    if label == "attention":
        pairs = m * step.keys / (1 if step.rows == 1 else 2)
        return model.layers * max(4 * step.batch * step.keys * kv * 128 / machine.memory,
                                  4 * pairs * heads * 128 / machine.peak["bf16"])
    if label not in sizes:
        return None
    n, k, experts, products = sizes[label]
    return model.layers * max(experts * n * k * each / machine.memory, 2 * m * products * n * k / peak)


def all_cases(arch, settings, steps):
    found = {}
    for setting in settings:
        for step in steps:
            if wanted(setting, step, MACHINES[arch]):
                for part in parts(setting, step, arch):
                    found.update(dict.fromkeys(part.cases))
    return list(found)
