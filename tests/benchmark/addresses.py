"""Which VALU instructions of a listing compute addresses of global memory.

An instruction does if what it writes reaches the address of an access, itself or by others: registers that are *needed for an
address* are followed backwards through the control flow, as live registers are, until nothing changes. Predicates of accesses
and the counters of loops are no addresses; what comes from memory (an index) ends the search.
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


def parts(text):
    """(written, read) of the halves of a VALU or SALU instruction; one, but of a dual instruction two."""
    for half in text.split(" :: "):
        _, given = operands(half)
        yield registers(given[0]), registers(" ".join(given[1:]))


def successors(listing):
    """Of each instruction the places it goes on at."""
    place = {one["address"]: i for i, one in enumerate(listing)}
    for i, one in enumerate(listing):
        name, given = operands(one["text"])
        after = [] if one["unit"] == "end" or i + 1 == len(listing) or name == "s_branch" else [i + 1]
        if name == "s_branch" or name.startswith("s_cbranch"):
            words = int(given[0], 0)
            after.append(place[one["address"] + 4 + 4 * (words - (words >> 15 << 16))])
        yield after


def in_loops(listing, after):
    """The places between the target of a branch back and the branch."""
    inside = set()
    for i, follow in enumerate(after):
        for target in follow:
            if target <= i:
                inside |= set(range(target, i + 1))
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
    return found, accesses, in_loops(listing, after)
