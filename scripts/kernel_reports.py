"""What the machine code of every kernel under kernels/ is, as one page: docs/generated/kernel-reports.md.

    python3 scripts/kernel_reports.py build/bin/flyc --write      all kernels for all architectures
    python3 scripts/kernel_reports.py build/bin/flyc --check      fails where the page is not what flyc makes

The check compiles of each file one kernel for one architecture, which the file's name chooses, and holds its row against it; all
kernels for all architectures take minutes, which `--check --all` does.
"""
import argparse, glob, json, os, subprocess, sys, zlib
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
NAME = "docs/generated/kernel-reports.md"
PAGE = os.path.join(ROOT, NAME)
HEAD = """# Reports of the kernels

This page summarises what `flyc report` prints for each kernel under [kernels/](../../kernels).
`scripts/kernel_reports.py` writes it, and a test keeps it current.

VGPR, AGPR and SGPR are numbers of registers; LDS, scratch and code are in bytes; *waves* is the occupancy in waves per
SIMD. *live* is the largest number of VGPRs that hold a needed value at the same time ([report.md](../report.md)). For
each loop the table gives its instructions, not counting inner loops, and in parentheses its matrix, VALU, VMEM and LDS
instructions, counting inner loops. `>` marks a loop within a loop. For a kernel with many instances (element types,
vector widths), the table shows the one with the least code and the one with the most; *of* is the number of instances.
"""
COLUMNS = "| kernel | of | VGPR | AGPR | live | SGPR | LDS | scratch | code | waves | limited by | loops |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|---|\n"
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


def cells(kernel):
    """The figures of one instance, from VGPRs on."""
    r, o = kernel["resources"], kernel["occupancy"]
    return [str(each) for each in (r["vgprs"], r["agprs"], kernel["live"]["vgprs"]["most"], r["sgprs"], r["lds_bytes"], r["scratch_bytes"],
                                   kernel["code_bytes"], o["waves"], ", ".join(LIMITERS[each] for each in o["limited_by"]), loops(kernel))]


CODE = 6  # of the cells


def select(instances):
    """Rows for [(name, cells)]: of each kernel the instances with the least and the most code."""
    kernels = {}
    for one in instances:
        kernels.setdefault(one[0].split("__")[0], []).append(one)
    out = []
    for group in kernels.values():
        least, most = min(group, key=lambda one: int(one[1][CODE])), max(group, key=lambda one: int(one[1][CODE]))
        for name, figures in [least] if least is most else [least, most]:
            out.append("| " + " | ".join([f"`{name}`", str(len(group)), *figures]) + " |\n")
    return "".join(out)


def files():
    folder = os.path.join(ROOT, "kernels")
    paths = glob.glob(os.path.join(folder, "**", "*.fly"), recursive=True)
    return sorted(os.path.relpath(path, folder)[:-4] for path in paths)


def targets(flyc):
    done = subprocess.run([flyc, "targets", "--json"], stdout=subprocess.PIPE, check=True)
    return [target["name"] for target in json.loads(done.stdout)["targets"]]


def report(flyc, work):
    """The part of the page for one file: {architecture: text}; nothing of a file without kernels of its own."""
    name, architectures = work
    path = os.path.join(ROOT, "kernels", name + ".fly")
    done = subprocess.run([flyc, "report", path, "--arch", ",".join(architectures), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        if "FLY0933" in done.stderr:  # no kernel to compile
            return {}
        sys.exit(done.stderr)
    return {object["arch"]: f"## {name}, {object['arch']}\n\n" + COLUMNS + select([(kernel["name"], cells(kernel)) for kernel in object["kernels"]]) for object in json.loads(done.stdout)["objects"]}


def one_row(flyc, work):
    """The figures of the kernel of the row `old`, as flyc makes it now, alone."""
    name, arch, old = work
    kernel = old.split("`")[1]
    path = os.path.join(ROOT, "kernels", name + ".fly")
    done = subprocess.run([flyc, "report", path, "--arch", arch, "--kernel", kernel, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        return done.stderr
    return " | ".join(cells(json.loads(done.stdout)["objects"][0]["kernels"][0]))


def reports(flyc, works):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda work: report(flyc, work), works))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flyc")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--all", action="store_true")
    given = parser.parse_args()
    architectures = targets(given.flyc)
    if given.write:
        names = files()
        made = reports(given.flyc, [(name, architectures) for name in names])
        parts = [part for name, one in zip(names, made) for part in (one.values() or [f"## {name}\n\nno kernels of its own\n"])]
        with open(PAGE, "w") as page:
            page.write(HEAD + "\n" + "\n".join(parts))
        return
    page = open(PAGE).read()
    there = {part.split("\n", 1)[0]: "## " + part.rstrip("\n") + "\n" for part in page.split("\n## ")[1:]}
    bad = []
    names = files()
    if given.all:
        for name, made in zip(names, reports(given.flyc, [(name, architectures) for name in names])):
            bad += [f"{PAGE}: {name}, {arch}: is\n{there.get(f'{name}, {arch}', 'missing')}\nflyc makes\n{text}"
                    for arch, text in made.items() if there.get(f"{name}, {arch}") != text]
    else:
        works = []
        for name in names:
            sections = [arch for arch in architectures if f"{name}, {arch}" in there]
            if not sections:
                bad += [] if "no kernels of its own" in there.get(name, "") else [f"{NAME}: nothing of kernels/{name}.fly"]
                continue
            number = zlib.crc32(name.encode())
            arch = sections[number % len(sections)]
            rows = [line + "\n" for line in there[f"{name}, {arch}"].splitlines() if line.startswith("| `")]
            rows.sort(key=lambda line: int(line.split(" | ")[2 + CODE]))
            works.append((name, arch, rows[number // 7 % ((len(rows) + 1) // 2)]))  # one of the shorter half: they compile faster
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for (name, arch, old), new in zip(works, pool.map(lambda work: one_row(given.flyc, work), works)):
                if old.split(" | ", 2)[2] != new + " |\n":
                    bad.append(f"{NAME}: {name}, {arch}: is\n{old}flyc makes\n{new}")
    bad += [f"{NAME}: there is no kernels/{title.split(',')[0]}.fly" for title in there if title.split(",")[0] not in names]
    if page.split("\n## ")[0].strip() != HEAD.strip():
        bad.append(f"{NAME}: the head is not the script's")
    print("\n".join(bad) if bad else f"{NAME}: {len(names)} files agree")
    if bad:
        sys.exit("run: python3 scripts/kernel_reports.py build/bin/flyc --write")


main()
