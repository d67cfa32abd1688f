"""Which VALU instructions of a listing compute addresses of global memory.

An instruction does if what it writes reaches the address of an access, itself or by others: registers that are *needed for an
address* are followed backwards through the control flow, as live registers are, until nothing changes. Predicates of accesses
and the counters of loops are not addresses; what comes from memory (an index) ends the search.
"""
import re

REGISTER = re.compile(r"\b([vsa])(?:(\d+)\b|\[(\d+):(\d+)\])")
ACCESS = re.compile(r"(global|buffer|flat)_(load|store|atomic)")


def registers(text):
    """The numbered registers of an operand: {"v12", ...}."""
    found = set()
    for kind, one, first, last in REGISTER.findall(text):
        found |= {f"{kind}{i}" for i in range(int(one or first), int(one or last) + 1)}
    return found


def operands(text):
    name, _, rest = text.partition(" ")
    return name, [each.strip() for each in rest.split(",")]


def address_of(text):
    """The registers with the address of an access of global memory; None of any other instruction."""
    name, given = operands(text)
    kind = ACCESS.match(name)
    if not kind or "_inv" in name or "_wb" in name:
        return None
    if kind[1] == "buffer":                         # data, address, descriptor, offset
        return registers(" ".join(given[1:2] + given[3:])) if "offen" in text or "idxen" in text else registers(" ".join(given[3:]))
    if kind[2] == "load" and "lds" not in name:     # data, address, base
        return registers(" ".join(given[1:]))
    base = [] if len(given) < 3 else given[-1:]     # of atomics the data may come first, where the old value is returned
    address = given[0] if kind[2] != "atomic" or len(given) < 4 else given[1]
    return registers(" ".join([address] + base))


CARRY = re.compile(r"v_\w*_co_|v_mad_\w*64|v_div_scale")     # write their second operand, too


def parts(text):
    """(written, read) of the halves of a VALU or SALU instruction; one, but of a dual instruction two."""
    for half in text.split(" :: "):
        name, given = operands(half)
        results = 2 if CARRY.match(name) else 1
        yield registers(" ".join(given[:results])), registers(" ".join(given[results:]))


OTHERWISE = re.compile(r"s_(or|andn2|and_not1)_saveexec")    # begins what the other lanes do


def successors(listing):
    """Of each instruction the places it goes on at, for a lane: after the one side of a divergent branch the wave comes to the
    other, where the lane does nothing, and its registers may be those of other lanes."""
    place = {one["address"]: i for i, one in enumerate(listing)}
    names = [operands(one["text"])[0] for one in listing]

    def target(i):
        words = int(operands(listing[i]["text"])[1][0], 0)
        return place[listing[i]["address"] + 4 + 4 * (words - (words >> 15 << 16))]

    def for_a_lane(i):
        if not OTHERWISE.match(names[i]):
            return i
        return next((target(k) for k in range(i, min(i + 5, len(listing))) if names[k] == "s_cbranch_execz"), i)

    for i, one in enumerate(listing):
        if names[i].startswith("s_cbranch"):
            yield [i + 1, target(i)]
        elif names[i] == "s_branch":
            yield [for_a_lane(target(i))]
        else:
            yield [] if one["unit"] == "end" or i + 1 == len(listing) else [for_a_lane(i + 1)]


def reached(start, edges):
    """All places that can be reached."""
    found, left = {start}, [start]
    while left:
        for one in edges[left.pop()]:
            if one not in found:
                found.add(one)
                left.append(one)
    return found


def in_loops(after):
    """The places from which the program can come back to them. A branch back alone is not a loop: code may be placed after its end."""
    before = [[] for _ in after]
    for i, follow in enumerate(after):
        for target in follow:
            before[target].append(i)
    inside = set()
    for i, follow in enumerate(after):
        for target in follow:
            if target <= i:
                forth = reached(target, after)
                inside |= forth & reached(i, before) if i in forth else set()
    return inside


def addresses(listing):
    """(places of VALU instructions that compute addresses, places of accesses, places in loops)"""
    after = list(successors(listing))
    needed = [set() for _ in listing]               # before the instruction
    found, accesses, changed = set(), {i for i, one in enumerate(listing) if address_of(one["text"]) is not None}, True
    while changed:
        changed = False
        for i in range(len(listing) - 1, -1, -1):
            text, unit = listing[i]["text"], listing[i]["unit"]
            live = set().union(*(needed[j] for j in after[i]))
            if i in accesses:
                name, given = operands(text)
                if "_load" in name and "lds" not in name:
                    live -= registers(given[0])
                live |= address_of(text)
            elif unit in ("vector", "transcendental", "scalar"):
                halves = [(written, read) for written, read in parts(text) if written & live]
                if halves and unit != "scalar":
                    found.add(i)
                for written, _ in halves:
                    live -= written
                for _, read in halves:
                    live |= read
            elif unit in ("lds", "scalar memory"):
                live -= registers(operands(text)[1][0]) if "store" not in text and "write" not in text else set()
            if live != needed[i]:
                needed[i], changed = live, True
    return found, accesses, in_loops(after)
