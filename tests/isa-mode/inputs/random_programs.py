"""Writes random programs in ISA mode with masks and loops, each with a check of what a simulation of it gives.

    python3 random_programs.py FIRST COUNT FILE          seeds FIRST to FIRST + COUNT - 1
"""

import random
import sys

LANES = 64
WORD = 0xFFFFFFFF
FULL = (1 << LANES) - 1


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.name = f"k{seed}"
        self.values = {}  # (variable, part): a word or None for each lane
        self.widths = {}
        self.mask = FULL
        self.lines = []
        self.steps = None  # of the loop that is being written

    def emit(self, line, step=None):
        self.lines.append("    " + line)
        if step:
            step()
            if self.steps is not None:
                self.steps.append(step)

    def lanes(self):
        return [lane for lane in range(LANES) if self.mask >> lane & 1]

    def write(self, place, function):
        words = self.values[place] = list(self.values.get(place) or [None] * LANES)
        for lane in self.lanes():
            words[lane] = function(lane)

    def set_mask(self, mask):
        self.mask = mask

    def readable(self):
        """Places that all active lanes have written."""
        return [p for p, words in self.values.items() if all(words[lane] is not None for lane in self.lanes())]

    def variable(self):
        name = f"r{len(self.widths)}"
        width = self.widths[name] = self.random.choice([1, 1, 1, 2, 3, 4])
        self.emit(f"{name} = v({width})")
        return name

    def target(self):
        name = self.variable() if not self.widths or self.random.random() < 0.4 else self.random.choice(list(self.widths))
        return name, self.random.randrange(self.widths[name])

    def step(self):
        kind, sources = self.random.random(), self.readable()
        if kind < 0.12 and self.mask == FULL:
            mask = self.random.getrandbits(LANES) | 1
            self.emit(f"isa.s_mov_b32(exec_lo, 0x{mask & WORD:x})", lambda: self.set_mask(mask))
            self.emit(f"isa.s_mov_b32(exec_hi, 0x{mask >> 32:x})")
        elif kind < 0.25 and self.mask != FULL:
            self.restore()
        elif kind < 0.4 or not sources:
            to, constant = self.target(), self.random.randrange(60)
            self.emit(f"isa.v_mov_b32({text(to)}, {constant})", lambda: self.write(to, lambda lane: constant))
        elif kind < 0.45 and (x := self.random.choice(sources)) and self.values[x].count(None) == 0:
            lane, to = self.random.randrange(LANES), self.target()
            self.emit(f"isa.v_readlane_b32(word, {text(x)}, {lane})")

            def spread():
                word = self.values[x][lane]
                self.write(to, lambda lane: word)

            self.emit(f"isa.v_mov_b32({text(to)}, word)", spread)
        else:
            x, y = self.random.choice(sources), self.random.choice(sources)
            name, function = self.random.choice(
                [("v_add_u32", lambda a, b: (a + b) & WORD), ("v_xor_b32", lambda a, b: a ^ b)]
            )
            to = self.target()

            def compute():
                a, b = self.values[x], self.values[y]
                self.write(to, lambda lane: function(a[lane], b[lane]))

            self.emit(f"isa.{name}({text(to)}, {text(x)}, {text(y)})", compute)

    def restore(self):
        source = self.random.choice(["-1", "saved"])
        self.emit(f"isa.s_mov_b64(exec, {source})", lambda: self.set_mask(FULL))

    def loop(self, number):
        """A few trips over the same steps; it begins and ends with all lanes."""
        if self.mask != FULL:
            self.restore()
        trips = self.random.randrange(2, 4)
        self.emit(f"count = s()")
        self.emit(f"isa.s_mov_b32(count, {trips})")
        self.emit(f"top = isa.label()")
        self.emit(f"isa.place(top)")
        self.steps = []
        for _ in range(self.random.randrange(5, 30)):
            self.step()
        if self.mask != FULL:
            self.restore()
        steps, self.steps = self.steps, None
        for _ in range(trips - 1):
            for step in steps:
                step()
        self.emit("isa.s_sub_u32(count, count, 1)")
        self.emit("isa.s_cmp_lg_u32(count, 0)")
        self.emit("isa.s_cbranch_scc1(top)")

    def write_all(self):
        self.emit("base, saved, at, out, word = s(2), s(2), v(), v(), s()")
        self.emit("isa.s_load_dwordx2(base, abi.kernarg, offset=0)")
        self.emit("isa.v_lshlrev_b32(at, 2, abi.workitem_id.x)")
        self.emit("isa.s_mov_b64(saved, exec)")
        for number in range(3):
            for _ in range(self.random.randrange(3, 20)):
                self.step()
            self.loop(number)
        places = self.readable()
        self.random.shuffle(places)
        self.emit("isa.v_mov_b32(out, 0)")
        total = [0] * LANES
        for place in places[:12]:
            self.emit(f"isa.v_add_u32(out, out, {text(place)})")
            total = [(t + w) & WORD for t, w in zip(total, self.values[place])]
        self.emit("isa.global_store_dword(at, out, base)")
        self.emit("isa.s_endpgm()")
        return (
            [
                "",
                "",
                '@kernel(isa=True, arch="gfx942", block=64, grid=1, auto_wait=True)',
                f"def {self.name}(y: Out[u32, (64,)]):",
            ]
            + self.lines
            + [
                "",
                "",
                "@check",
                f"def {self.name}_is_right():",
                "    y = empty((64,), u32)",
                f"    {self.name}(y)",
                f"    expect_equal(y, array([{', '.join(map(str, total))}], u32))",
            ]
        )


def text(place):
    return f"{place[0]}[{place[1]}]"


first, count, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
lines = ["from fly.amd import abi, isa", "from fly.amd.reg import exec, exec_hi, exec_lo, s, v"]
for seed in range(first, first + count):
    lines += Program(seed).write_all()
with open(path, "w") as file:
    file.write("\n".join(lines) + "\n")
