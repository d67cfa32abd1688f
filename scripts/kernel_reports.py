"""What the machine code of every kernel under kernels/ is, as one page: docs/kernel-reports.md.

    python3 scripts/kernel_reports.py build/bin/flyc --write      all kernels for all architectures
    python3 scripts/kernel_reports.py build/bin/flyc --check      fails where the page is not what flyc makes

The check compiles each file for one architecture, which its name chooses, and holds that part of the page against it: every
kernel is looked at, and the time is a quarter of that of all. `--check --all` compiles everything.
"""
import argparse, glob, json, os, subprocess, sys, zlib
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PAGE = os.path.join(ROOT, "docs", "kernel-reports.md")
ARCHITECTURES = ["gfx942", "gfx950", "gfx1201", "gfx1250"]
HEAD = """# Reports of the kernels

What `flyc report` says of each kernel under [kernels/](../kernels), written by `scripts/kernel_reports.py`; a test keeps it.
Registers, LDS and scratch are in registers and bytes, occupancy in waves a SIMD; *live* is the most VGPRs that hold a needed
value at once ([report.md](report.md)). Of each loop: its instructions without those of inner loops, and with them its matrix,
VALU, VMEM and LDS instructions; `>` is a loop in a loop.
"""
COLUMNS = "| kernel | VGPR | AGPR | live | SGPR | LDS | scratch | code | waves | limited by | loops |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|---|---|\n"
LIMITERS = {"vector_registers": "VGPR", "sgprs": "SGPR", "lds_bytes": "LDS", "workgroup_size": "workgroup", "wave_slots": "slots"}
SHOWN = 4  # loops of a kernel


def loops(kernel):
    def one(loop):
        classes = loop["counts"]["classes"]
        units = {"matrix": classes["mfma"] + classes["wmma"], "VALU": classes["valu"], "VMEM": classes["vmem"], "LDS": classes["ds"]}
        text = ", ".join(f"{number} {unit}" for unit, number in units.items() if number)
        return ">" * (loop["depth"] - 1) + str(loop["own_instructions"]) + (f" ({text})" if text else "") + ("!" if loop["kind"] == "irreducible" else "")

    texts = [one(loop) for loop in kernel["loops"]]
    return "; ".join(texts[:SHOWN] + ([f"{len(texts) - SHOWN} more"] if len(texts) > SHOWN else []))


def row(kernel):
    r, o = kernel["resources"], kernel["occupancy"]
    names = ", ".join(f"`{name}`" for name in [kernel["name"], *kernel["aliases"]])
    cells = [names, r["vgprs"], r["agprs"], kernel["live"]["vgprs"]["most"], r["sgprs"], r["lds_bytes"], r["scratch_bytes"], kernel["code_bytes"],
             o["waves"], ", ".join(LIMITERS[each] for each in o["limited_by"]), loops(kernel)]
    return "| " + " | ".join(map(str, cells)) + " |\n"


def files():
    return sorted(os.path.relpath(path, os.path.join(ROOT, "kernels"))[:-4] for path in glob.glob(os.path.join(ROOT, "kernels", "*", "*.fly")))


def report(flyc, work):
    """The part of the page for one file: {architecture: text}; nothing of a file without kernels of its own."""
    name, architectures = work
    path = os.path.join(ROOT, "kernels", name + ".fly")
    done = subprocess.run([flyc, "report", path, "--arch", ",".join(architectures), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        if "FLY0933" in done.stderr:  # no kernel to compile
            return {}
        sys.exit(done.stderr)
    return {object["arch"]: f"## {name}, {object['arch']}\n\n" + COLUMNS + "".join(map(row, object["kernels"])) for object in json.loads(done.stdout)["objects"]}


def reports(flyc, works):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda work: report(flyc, work), works))


def chosen(name):
    return ARCHITECTURES[zlib.crc32(name.encode()) % len(ARCHITECTURES)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flyc")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--all", action="store_true")
    given = parser.parse_args()
    if given.write:
        parts = [part for one in reports(given.flyc, [(name, ARCHITECTURES) for name in files()]) for part in one.values()]
        with open(PAGE, "w") as page:
            page.write(HEAD + "\n" + "\n".join(parts))
        return
    page = open(PAGE).read()
    there = {part.split("\n", 1)[0]: "## " + part.rstrip("\n") + "\n" for part in page.split("\n## ")[1:]}
    bad, known = [], set()
    works = [(name, ARCHITECTURES if given.all else [chosen(name)]) for name in files()]
    for (name, _), made in zip(works, reports(given.flyc, works)):
        for arch, text in made.items():
            title = f"{name}, {arch}"
            if there.get(title) != text:
                bad.append(f"docs/kernel-reports.md: {title}: is\n{there.get(title, 'missing')}\nflyc makes\n{text}")
        known.add(name)
    bad += [f"docs/kernel-reports.md: there is no kernels/{title.split(',')[0]}.fly" for title in there if title.split(",")[0] not in known]
    if page.split("\n## ")[0].strip() != HEAD.strip():
        bad.append("docs/kernel-reports.md: the head is not the script's")
    print("\n".join(bad) if bad else f"docs/kernel-reports.md: {len(known)} files agree")
    if bad:
        sys.exit("run: python3 scripts/kernel_reports.py build/bin/flyc --write")


main()
