"""Reports of code objects held against what LLVM's own tools say of them.

    check_report.py FLYC OBJECT...

Counts come from llvm-objdump's disassembly, by mnemonic alone; resources from llvm-readelf's print of the metadata note. Each
report is also held against the schema.
"""
import collections, json, os, re, subprocess, sys

import jsonschema

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "schema", "report.schema.json")


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def disassembled(path):
    """{function: [(address, text)]}"""
    functions, now = {}, None
    for line in run("llvm-objdump", "-d", path).splitlines():
        if head := re.fullmatch(r"([0-9a-f]+) <(.*)>:", line):
            now = functions.setdefault(head[2], [])
        elif body := re.match(r"\t(\S.*?)\s*// ([0-9A-F]+):", line):
            now.append((int(body[2], 16), body[1]))
    return functions


ENDS = ("s_endpgm", "s_setpc_b64", "s_set_pc_i64", "s_branch")


def mnemonic(text):
    return re.sub(r"(_(e32|e64|e64_dpp|dpp|dpp8|sdwa))+$", "", text.split()[0])


def without_padding(code):
    end = max((i for i, (_, text) in enumerate(code) if text.split()[0] in ENDS), default=len(code) - 1)
    while len(code) - 1 > end and code[-1][1].split()[0] in ("s_nop", "s_code_end"):
        code = code[:-1]
    return code


TRANSCENDENTAL = re.compile(r"v_(s_)?(rcp|rsq|sqrt|exp|log|sin|cos|tanh|prng)_")
CLASSES = {
    "instructions": lambda m: True,
    "valu": lambda m: m.startswith("v_") and not re.match(r"v_(s?mfma|s?wmma|swmmac|smfmac)", m),
    "trans": lambda m: bool(TRANSCENDENTAL.match(m)),
    "mfma": lambda m: bool(re.match(r"v_(mfma|smfmac)", m)),
    "wmma": lambda m: bool(re.match(r"v_(wmma|swmmac)", m)),
    "vmem": lambda m: bool(re.match(r"(global|flat|scratch|buffer|tbuffer|image|tensor|cluster)_", m)),
    "smem": lambda m: bool(re.match(r"s_(load|buffer_load|store|dcache|memtime|memrealtime|prefetch|atc_probe|scratch_load)", m)),
    "ds": lambda m: m.startswith("ds_"),
    "ds_read": lambda m: bool(re.match(r"ds_(read|load)", m)),
    "ds_write": lambda m: bool(re.match(r"ds_(write|store)", m)),
    "waits": lambda m: m.startswith("s_wait"),
    "barriers": lambda m: m == "s_barrier" or m.startswith("s_barrier_wait"),
    "nops": lambda m: m == "s_nop",
    "priorities": lambda m: m.startswith("s_setprio"),
    "branches": lambda m: bool(re.match(r"s_(branch|cbranch|set_?pc|swap_?pc|call|add_pc)", m)),
}


def waits(code):
    out = collections.defaultdict(lambda: collections.defaultdict(int))
    for _, text in code:
        if text.startswith("s_waitcnt "):
            for counter, value in re.findall(r"(\w+)\((\d+)\)", text):
                out[counter][value] += 1
        elif found := re.match(r"s_wait_(\w+cnt)_(\w+cnt) (0x[0-9a-f]+)", text):
            number = int(found[3], 16)
            out[found[1]][str(number >> 8)] += 1
            out[found[2]][str(number & 63)] += 1
        elif found := re.match(r"s_wait_(\w+cnt) (0x[0-9a-f]+)", text):
            out[found[1]][str(int(found[2], 16))] += 1
    return {counter: dict(values) for counter, values in out.items()}


def works(classes):
    return any(classes[key] for key in ("mfma", "wmma", "valu", "vmem", "smem", "ds"))


def highest(code, file):
    """The highest register of a file in LLVM's text, plus one; gfx1250's upper registers are not in it."""
    numbers = [0]
    for _, text in code:
        for first, last in re.findall(rf"\b{file}\[(\d+):(\d+)\]|(?<![\w.]){file}\d+\b", text):
            numbers.append(int(last or 0) + 1)
        numbers += [int(one) + 1 for one in re.findall(rf"(?<![\w.]){file}(\d+)(?![\w])", text)]
    return max(numbers)


def metadata(notes, name):
    """The entries of the kernel's map; it ends with `.wavefront_size`, and `.args` hold no keys of these names."""
    for part in re.split(r"(?m)^  - ", notes):
        if re.search(rf"(?m)^\s*\.symbol:\s+'?{re.escape(name)}\.kd'?$", part):
            return {key: value.strip() for key, value in re.findall(r"(?m)^\s*\.(\w+):\s+(\S.*)$", part)}
    return {}


def offsets(notes, name):
    """Of the kernel's arguments."""
    for part in re.split(r"(?m)^  - (?=\.)", notes):
        if re.search(rf"(?m)^\s*\.symbol:\s+'?{re.escape(name)}\.kd'?$", part):
            return [int(number) for number in re.findall(r"(?m)^\s*(?:- )?\.offset:\s+(\d+)$", part)]
    return []


def differences(report, path):
    functions, notes, bad = disassembled(path), run("llvm-readelf", "--notes", path), []

    def expect(what, got, wanted):
        if got != wanted:
            bad.append(f"{path}: {what}: the report says {got}, LLVM {wanted}")

    for object in report["objects"]:
        expect("functions", len(object["kernels"]) + sum(len(k["aliases"]) for k in object["kernels"]) + len(object["functions"]), len(functions))
        for code in object["kernels"] + object["functions"]:
            name = code["name"]
            wanted = without_padding(functions[name])
            counts, classes = code["counts"], code["counts"]["classes"]
            expect(f"{name}: mnemonics", counts["mnemonics"], dict(sorted(collections.Counter(mnemonic(text) for _, text in wanted).items())))
            for key, holds in CLASSES.items():
                expect(f"{name}: {key}", classes[key], sum(holds(mnemonic(text)) for _, text in wanted))
            expect(f"{name}: waits", counts["waits"], waits(wanted))
            expect(f"{name}: wait states", counts["nop_states"], sum(int(text.split()[1], 0) + 1 for _, text in wanted if mnemonic(text) == "s_nop"))
            expect(f"{name}: matrix instructions", sum(each["count"] for each in counts["matrix"]), classes["mfma"] + classes["wmma"])
            expect(f"{name}: shapes of matrix instructions", [each["name"] for each in counts["matrix"] if f"_{each['m']}x{each['n']}x{each['k']}" not in each["name"]], [])
            expect(f"{name}: missing waits", [each["text"] for each in code["findings"]], [])
            hot = [loop["counts"]["classes"] for loop in code["loops"] if loop["hot"]]
            expect(f"{name}: hot loops", len(hot), int(any(works(loop["counts"]["classes"]) for loop in code["loops"])))
            expect(f"{name}: addresses", [each["address"] for each in code["listing"]], [address for address, _ in wanted])
            for unit, key in (("lds", "ds"), ("vmem", "vmem"), ("smem", "smem")):
                expect(f"{name}: {unit}", sum(sum(widths.values()) for widths in counts["accesses"][unit].values()), classes[key])
        for kernel in object["kernels"]:
            note, r, use = metadata(notes, kernel["name"]), kernel["resources"], kernel["use"]
            for file, letter in (("vgprs", "v"), ("agprs", "a"), ("sgprs", "s")):
                if not (object["arch"] == "gfx1250" and file == "vgprs"):
                    expect(f"{kernel['name']}: {file} used", use[file]["used"], highest(without_padding(functions[kernel["name"]]), letter))
            if not kernel["calls"]:
                expect(f"{kernel['name']}: registers beyond the allocation", [file for file in ("vgprs", "agprs", "sgprs") if use[file]["used"] > use[file]["allocated"]], [])
            expect(f"{kernel['name']}: arguments", [a["offset"] for a in kernel["arguments"]], offsets(notes, kernel["name"]))
            for key, theirs in {"vector_registers": "vgpr_count", "agprs": "agpr_count", "sgprs": "sgpr_count", "lds_bytes": "group_segment_fixed_size",
                                "scratch_bytes": "private_segment_fixed_size", "vgpr_spills": "vgpr_spill_count", "sgpr_spills": "sgpr_spill_count",
                                "kernarg_bytes": "kernarg_segment_size", "max_workgroup_size": "max_flat_workgroup_size", "wave_size": "wavefront_size"}.items():
                expect(f"{kernel['name']}: {key}", r[key], int(note.get(theirs, 0)))
            expect(f"{kernel['name']}: dynamic stack", r["dynamic_stack"], note.get("uses_dynamic_stack") == "true")
    return bad


def check(flyc, path):
    """The number of kernels and functions, and what is wrong."""
    report = json.loads(run(flyc, "report", path, "--json", "--listing"))
    bad = [f"{path}: {'/'.join(map(str, e.absolute_path))}: {e.message}" for e in jsonschema.Draft202012Validator(json.load(open(SCHEMA))).iter_errors(report)]
    return sum(len(o["kernels"]) + len(o["functions"]) for o in report["objects"]), bad + differences(report, path)


if __name__ == "__main__":
    wrong = []
    for object in sys.argv[2:]:
        number, bad = check(sys.argv[1], object)
        print(f"{os.path.basename(object)}: {number}")
        wrong += bad
    print("\n".join(wrong[:20]))
    sys.exit(bool(wrong))
