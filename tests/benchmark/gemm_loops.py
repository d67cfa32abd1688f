"""One trip of the main loop of each matrix product, for one wave: the tables of docs/performance.md.

    gemm_loops.py flyc            prints them
    gemm_loops.py flyc --write    writes them into the page
    gemm_loops.py flyc --check    compares with the page; a loop that became longer is a complaint

The counts are those of the code objects of kernels/gemm, as `flyc report` describes them: the objects that pass their
checks. Conflicts in LDS are counted while the emulator executes the file's bench. Nothing here is a time.
"""

import argparse
import pathlib
import re
from dataclasses import dataclass

from generated_section import Section, conclude, run_json

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SECTION = Section("gemm_loops.py")


@dataclass
class Row:
    arch: str
    file: str               # in kernels/gemm, without .fly
    kernel: str             # the beginning of its name
    tile: tuple             # M, N of a workgroup
    others: str = ""        # other people's loops for the tile: instructions / matrix instructions
    type: str = ""          # of A, where the file's benches have several


FLYDSL, AITER = "FlyDSL {} / {}", "AITER {} / {}"
ROWS = [
    Row("gfx942", "steps/lds", "gemm_lds", (128, 128)),
    Row("gfx942", "products/preshuffle_gemm", "preshuffle_gemm__T_f16", (128, 128), FLYDSL.format(237, 128)),
    Row("gfx942", "products/preshuffle_gemm", "preshuffle_gemm_scaled__T_f8", (64, 256), FLYDSL.format(214, 128)),
    Row("gfx942", "products/preshuffle_gemm", "preshuffle_gemm_scaled__T_i8", (64, 256), FLYDSL.format(214, 128), "i8"),
    Row("gfx942", "products/blockscale_gemm", "blockscale_gemm", (64, 256)),
    Row("gfx950", "steps/large_tile", "gemm_large_bf16", (256, 256),
        FLYDSL.format(315, 128) + "; " + AITER.format(439, 256)),
    Row("gfx950", "products/large_gemm", "gemm_large_bf16", (256, 256)),
    Row("gfx950", "steps/large_preshuffle", "gemm_large_preshuffle", (256, 256), AITER.format(407, 256)),
    Row("gfx950", "steps/fp8_eight_waves", "gemm_fp8", (256, 256), "FlyDSL 8038 / 2048, unrolled"),
    Row("gfx950", "products/mx_gemm", "mx_gemm_f4E2M1", (256, 256), AITER.format(455, 256), "f4E2M1"),
    Row("gfx950", "products/mx_gemm", "mx_gemm_f6E2M3", (128, 128), "", "f6E2M3"),
    Row("gfx950", "products/mx_gemm", "mx_gemm_f8E4M3FN", (128, 128), "", "f8E4M3FN"),
    Row("gfx1201", "steps/lds", "gemm_lds", (128, 128)),
    Row("gfx1201", "products/preshuffle_gemm", "preshuffle_gemm__T_f16", (128, 128), FLYDSL.format(189, 64)),
    Row("gfx1201", "products/preshuffle_gemm", "preshuffle_gemm_scaled__T_f8", (64, 256)),
    Row("gfx1250", "products/preshuffle_gemm", "preshuffle_gemm__T_f16", (128, 128)),
    Row("gfx1250", "products/preshuffle_gemm", "preshuffle_gemm_scaled__T_f8", (64, 256)),
    Row("gfx1250", "products/mx_gemm", "mx_gemm_f4E2M1", (128, 128), "", "f4E2M1"),
]

# Of a compute unit of gfx942 and gfx950: SIMDs, cycles from one instruction of a wave to its next, bytes of LDS and of the
# path from the L1 cache per cycle (AMD's CDNA 3 and CDNA 4 white papers, Instruction Set Architecture).
SIMDS, ISSUE, LDS_BYTES, L1_BYTES = 4, 4, {"gfx942": 128, "gfx950": 256}, {"gfx942": 64, "gfx950": 64}

COLUMNS = ["kernel", "tile", "k per trip", "instructions", "matrix", "VALU", "SALU", "memory", "LDS", "waits",
           "barriers", "nops", "moves", "registers", "LDS KiB", "scratch", "bytes from memory", "bytes of LDS",
           "LDS conflicts", "matrix share at most", "others"]


class Measure:
    def __init__(self, flyc):
        self.flyc, self.reports, self.atoms, self.benches = flyc, {}, {}, {}

    def kernel(self, row):
        key = row.file, row.arch
        if key not in self.reports:
            path = ROOT / "kernels" / "gemm" / f"{row.file}.fly"
            self.reports[key] = run_json(self.flyc, "report", path, "--arch", row.arch, "--json")["objects"][0]["kernels"]
        return min((k for k in self.reports[key] if k["name"].startswith(row.kernel)), key=lambda k: len(k["name"]))

    def conflicts(self, row):
        """Share of the cycles of LDS that are conflicts of banks, in the profile of the file's bench."""
        key = row.file, row.arch
        if key not in self.benches:
            path = ROOT / "kernels" / "gemm" / f"{row.file}.fly"
            self.benches[key] = run_json(self.flyc, "bench", path, "--arch", row.arch, "--json")["benches"]
        launches = [launch for bench in self.benches[key] for launch in bench["launches"]
                    if row.kernel.startswith(launch["kernel"]) and row.type in (*bench["parameters"].values(), "")]
        total = max(launches, key=lambda launch: len(launch["kernel"]))["total"]  # gemm_scaled rather than gemm
        return f"{100 * total['lds_conflict_cycles'] / total['lds_cycles']:.0f} %"

    def cycles(self, arch, name, narrow):
        """From one matrix instruction to the next on a SIMD."""
        if arch not in self.atoms:
            listed = run_json(self.flyc, "targets", arch, "--json")["targets"][0]["matrix_atoms"]
            self.atoms[arch] = {atom["name"]: atom for atom in listed}
        atom = self.atoms[arch][name]
        return atom["cycles_of_narrow" if narrow else "cycles"]

    def share(self, row, kernel, counts, waves):
        """An upper bound of the share of cycles in which the matrix units of a compute unit work: the time of the
        matrix instructions over the longest of that, of the issue of all instructions, of LDS and of loads. No latency
        is in it."""
        if row.arch not in LDS_BYTES:
            return ""
        narrow = not re.search("f8|bf8|fp8", row.kernel)
        per_simd = -(-waves // SIMDS)
        matrix = per_simd * sum(each["count"] * self.cycles(row.arch, each["name"], narrow)
                                for each in counts["matrix"])
        work = counts["work"]
        issue = counts["classes"]["instructions"] * ISSUE
        lds = (work["lds_bytes"]["read"] + work["lds_bytes"]["written"]) * waves / LDS_BYTES[row.arch]
        loads = work["vmem_bytes"]["read"] * waves / L1_BYTES[row.arch]
        bound = max((issue, "issue"), (lds, "LDS"), (loads, "loads"))
        return "100 %" if bound[0] <= matrix else f"{100 * matrix / bound[0]:.0f} % ({bound[1]})"

    def cells(self, row):
        kernel = self.kernel(row)
        loop = max(kernel["loops"], key=lambda each: each["counts"]["work"]["matrix_flop"])
        counts, classes = loop["counts"], loop["counts"]["classes"]
        resources = kernel["resources"]
        waves = resources["max_workgroup_size"] // resources["wave_size"]
        matrix = sum(each["count"] for each in counts["matrix"])
        waits = ", ".join(f"{name} {sum(by.values())}" for name, by in sorted(counts["waits"].items()))
        moves = sum(n for kind, n in counts["moves"].items() if kind != "sgpr_to_sgpr")
        agprs = f" + {resources['agprs']}" if resources["agprs"] else ""
        work = counts["work"]
        name, _, type = row.kernel.partition("__T_")
        return [f"`{name}`{' ' + type if type else ''} of {row.file}.fly",
                f"{row.tile[0]} × {row.tile[1]}",
                str(work["matrix_flop"] * waves // (2 * row.tile[0] * row.tile[1])),
                str(classes["instructions"]), str(matrix), str(classes["valu"]), str(classes["salu"]),
                str(classes["vmem"]), str(classes["ds"]),
                f"{classes['waits']}: {waits}",
                str(classes["barriers"]), str(classes["nops"]), str(moves),
                f"{resources['vgprs']}{agprs}, {kernel['use']['sgprs']['used']}",
                f"{resources['lds_bytes'] / 1024:.1f}", str(resources["scratch_bytes"]),
                str(work["vmem_bytes"]["read"]), str(work["lds_bytes"]["read"] + work["lds_bytes"]["written"]),
                self.conflicts(row),
                self.share(row, kernel, counts, waves), row.others]


def tables(flyc):
    measure, lines = Measure(flyc), []
    for arch in dict.fromkeys(row.arch for row in ROWS):
        lines += [f"### Matrix products on {arch}", "", "| " + " | ".join(COLUMNS) + " |",
                  "|---|---|" + "--:|" * (len(COLUMNS) - 3) + "---|"]
        lines += ["| " + " | ".join(measure.cells(row)) + " |" for row in ROWS if row.arch == arch]
        lines.append("")
    return "\n".join(lines)


def lengths(text):
    """Instructions by architecture, kernel and tile."""
    arch, found = "", {}
    for line in text.splitlines():
        if line.startswith("### Matrix products on "):
            arch = line.split()[-1]
        elif line.startswith("| `"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            found[arch, cells[0], cells[1]] = int(cells[3])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("flyc")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    text = tables(options.flyc)
    if options.write:
        SECTION.write(text)
    elif options.check:
        known, now = lengths(SECTION.read()), lengths(text)
        complaints = [f"{arch}, {kernel}, {tile}: {now[arch, kernel, tile]} instructions, docs/performance.md says {n}"
                      for (arch, kernel, tile), n in known.items() if now.get((arch, kernel, tile), n + 1) > n]
        complaints += [f"{key}: not in docs/performance.md" for key in now if key not in known]
        conclude(complaints, f"{len(now)} loops, none longer")
    else:
        print(text)


if __name__ == "__main__":
    main()
