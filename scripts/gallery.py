#!/usr/bin/env python3
"""The gallery: a page for each kernel file of kernels/, and what it needs from flyc.

    gallery.py FLYC --write [NAME...]    docs/generated/gallery.json anew, all or of these files
    gallery.py FLYC --check [--all]      fails where it is not what flyc makes; of most files the parts that are fast
    gallery.py FLYC --frames FOLDER [NAME...]  layout pictures, reports and time pages, for site_pages.py

gallery.json has for each file the kernel and the architecture that its page shows, the layouts of that kernel as `flyc
lsp` tells them, and the times of its benches as `flyc bench --json` models them. Registers and loops are rows of
docs/generated/kernel-reports.md, and what is compared with others is rows of docs/performance.md: both have tests.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
FACTS = ROOT / "docs" / "generated" / "gallery.json"
REPORTS = ROOT / "docs" / "generated" / "kernel-reports.md"
PERFORMANCE = ROOT / "docs" / "performance.md"
ORDER = ["gfx950", "gfx942", "gfx1250", "gfx1201"]       # which architecture a page shows, if it can
BENCHES, LAYOUTS = 8, 4                                  # shown of a file, at most
SECONDS = 240                                            # for the benches of a file

FOLDERS = {
    "activation": "Activation", "attention": "Attention", "cache": "Caches of keys and values", "comm": "Collectives",
    "convolution": "Convolution", "elementwise": "Element by element", "gemm": "Matrix products", "hash": "Hash functions",
    "isa": "Instructions by name", "layers": "Layers", "layout": "Moving data", "moe": "Mixture of experts",
    "normalization": "Normalization", "quantization": "Quantization", "random": "Random numbers", "reduction": "Reduction",
    "sampling": "Sampling", "scan": "Scan", "sort": "Sorting",
}


def source(name):
    return (ROOT / "kernels" / f"{name}.fly").read_text()


def reports(known={}):
    """{(file, architecture): [[cell, ...], ...]} of kernel-reports.md."""
    if not known:
        for part in REPORTS.read_text().split("\n## ")[1:]:
            title, _, text = part.partition("\n")
            name, _, arch = title.partition(", ")
            rows = [[cell.strip() for cell in line.strip()[1:-1].split("|")] for line in text.splitlines() if line.startswith("| `")]
            if rows:
                known[name, arch] = rows
    return known


def kernels():
    """The files with kernels of their own, but for those of checks, by folder."""
    names = {name for name, _ in reports() if not name.endswith("_checks")}
    return sorted(name for name in names if (ROOT / "kernels" / f"{name}.fly").exists())


def architectures(name):
    return [arch for arch in ORDER if (name, arch) in reports()]


def matrix_instructions(row):
    return max([int(count) for count in re.findall(r"(\d+) matrix", row[11])], default=0)


def shown(name):
    """(architecture, kernel) of the page: the kernel with the most matrix instructions in a loop, else that with the least code."""
    arch = architectures(name)[0]
    row = min(reports()[name, arch], key=lambda row: (-matrix_instructions(row), int(row[8])))
    return arch, row[0].strip("`")


# What flyc says.

class Server:
    """`flyc lsp`, to ask for the values of names."""

    def __init__(self, flyc, arch):
        self.process = subprocess.Popen([flyc, "lsp", "--arch", arch, "--compile-timeout", "0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.tell("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            answer = self.receive()
            if answer.get("id") == self.number and "method" not in answer:
                return answer.get("result")

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        if not length:
            sys.exit("gallery: flyc lsp ended")
        return json.loads(self.process.stdout.read(length))

    def open(self, uri, text):
        """Opens a document, and waits until each of its kernels has been looked at: then its problems are told."""
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "fly", "version": 1, "text": text}})
        while self.receive().get("method") != "textDocument/publishDiagnostics":
            pass

    def close(self):
        self.process.kill()
        self.process.communicate()


ASSIGNED = re.compile(r"^\s*((?:\w+, )*\w+) = .*\b(?:shared|tiled_copy\w*|tiled_matrix|tiled_mma|[MW]FMA|WMMA|stages|move|fill\w*)\(")
PARAMETER = re.compile(r"\b(\w+)=\w*(?:tiled_matrix|tiled_mma|products)\(")
TENSOR = re.compile(r"(\w+): tensor\((\w+), (.+), shared\)")
COPY = re.compile(r"(\w+): tiled_copy\((\w+)\((\d+), (\w+)\), tv=(.+), tile=(\([\d,]+\))\)")
MATRIX = re.compile(r"(\w+): tiled_mma\(((?:MFMA|WMMA)\(.+?\)), layout\(")


def layouts(flyc, name, arch):
    """Layouts of the names that the kernels of a file give to shared memory, copies and matrix products."""
    text, found, known = source(name), [], set()
    server = Server(flyc, arch)
    uri = (ROOT / "kernels" / f"{name}.fly").as_uri()
    server.open(uri, text)
    for number, line in enumerate(text.splitlines()):
        assigned = ASSIGNED.match(line)
        places = [(assigned.start(1) + word.start(), word[0]) for word in re.finditer(r"\w+", assigned[1])] if assigned else []
        for at, word in places + [(each.start(1), each[1]) for each in PARAMETER.finditer(line)]:
            place = {"line": number, "character": at}
            answer = server.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})
            value = re.search(r"```fly\n(.*?)\n", answer["contents"]["value"]) if answer else None
            one = layout(value[1]) if value else None
            if one and one["layout"] not in known:
                known.add(one["layout"])
                found.append({"name": word, "line": number + 1, **one})
    server.close()
    # Of each kind the first, then the rest.
    first = [one for i, one in enumerate(found) if one["kind"] not in [other["kind"] for other in found[:i]]]
    return (first + [one for one in found if one not in first])[:LAYOUTS]


def layout(value):
    """What is drawn of a value, as arguments of `flyc layout`; None if nothing is."""
    if tensor := TENSOR.match(value):
        _, type, text = tensor.groups()
        swizzle, _, plain = text.rpartition(" o ")
        moved = re.match(r"S<(\d+),(\d+),(\d+)> o (\d+)$", swizzle)
        if swizzle and not moved or plain.count(":") != 1 or "@" in plain:
            return None
        shape, strides = [modes(part) for part in plain.split(":")]
        if len(shape) < 2:
            return None
        whole = f"layout[({', '.join(shape[:2])}):({', '.join(strides[:2])})]"
        if moved:
            whole = f"composed(swizzle({moved[1]}, {moved[2]}, {moved[3]}), {whole})"
        bits = int(re.search(r"\d+", type)[0])
        return {"kind": "shared memory", "layout": text,
                "draw": [whole, "--fill", "bank", "--element-bits", str(bits), "--limit", f"8,{min(32, 512 // bits)}"]}
    if copy := COPY.match(value):
        _, atom, bits, type, tv, tile = copy.groups()
        if len(modes(tile)) != 2:
            return None
        return {"kind": "tiled copy", "layout": f"{atom}({bits}, {type}), {tv}, tile {tile}",
                "draw": [f"layout[{tv}]", "--tv", tile.strip("()"), "--limit", "8,32"]}
    if matrix := MATRIX.match(value):
        return {"kind": "matrix instruction", "layout": matrix[2], "draw": [matrix[2]]}
    return None


def modes(text):
    """The modes of a shape or stride, as texts."""
    text = text.strip()
    if not text.startswith("("):
        return [text]
    depth, out = 0, [""]
    for character in text[1:-1]:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            out.append("")
        else:
            out[-1] += character
    return out


def benches(flyc, name, arch):
    """The modelled times of the file's benches, or None if it has none or they take too long."""
    if "@bench" not in source(name):
        return None
    path = ROOT / "kernels" / f"{name}.fly"
    listed = subprocess.run([flyc, "bench", path, "--arch", arch, "--list"], capture_output=True, text=True).stdout.split("\n")
    cases = [line.strip() for line in listed if line.strip()]
    command = [flyc, "bench", str(path), "--arch", arch, "--sample", "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        print(f"gallery: the benches of {name} take more than {SECONDS} s", file=sys.stderr)
        return None
    if done.returncode or not cases:
        return None
    rows = []
    for bench in json.loads(done.stdout)["benches"]:
        times = [launch.get("timing") for launch in bench["launches"]]
        if not times or not all(times):
            continue
        seconds = sum(time["maximum_clock"]["seconds"] for time in times)
        long = max(times, key=lambda time: time["maximum_clock"]["seconds"])
        rows.append({"case": " ".join([bench["bench"], *(f"{key}={value}" for key, value in bench["parameters"].items())]),
                     "microseconds": round(1e6 * seconds, 2), "uncertainty": long["uncertainty"], "bound": long["bound"],
                     "flops": bench["flops"], "bytes": bench["bytes"], "launches": len(times)})
    return rows[:BENCHES]


def launch(flyc, name, arch, kernel):
    """A small launch, {kernel, arguments}, of the kernel that is shown or of another one of the file that `flyc run` knows by name: if
    arguments can be guessed, and the model takes it in seconds."""
    path = ROOT / "kernels" / f"{name}.fly"
    with tempfile.TemporaryDirectory() as work:
        if subprocess.run([flyc, "build", path, "--arch", arch, "-o", work, "-q"], capture_output=True).returncode:
            return None
        module = json.loads((pathlib.Path(work) / f"{path.stem}.json").read_text())
    there = module["architectures"][0]["kernels"]
    same = [each["kernel"] for each in there if kernel in (each["symbol"], *each["aliases"])]
    known = [each for each in there if each["exported"]]
    known.sort(key=lambda each: (kernel not in (each["symbol"], *each["aliases"]), each["kernel"] not in same))
    for one in known[:2]:
        given = arguments(one, module["expressions"])
        if given:
            found = {"kernel": one["symbol"], "arguments": given}
            try:
                if subprocess.run([flyc, *run_of(name, arch, found), "-q"], capture_output=True, cwd=ROOT, timeout=30).returncode == 0:
                    return found
            except subprocess.TimeoutExpired:
                pass
    return None


def run_of(name, arch, launch):
    """The words of `flyc run` for a launch."""
    return ["run", f"kernels/{name}.fly", "--kernel", launch["kernel"], "--arch", arch,
            *[part for each in launch["arguments"] for part in ("--arg", each)], "--time-model", "--sample"]


def timed_command(name, fact):
    """The words of flyc for a launch whose time is looked at: by `flyc run`, or else the shortest bench; None without."""
    if fact["launch"]:
        return run_of(name, fact["arch"], fact["launch"])
    if fact["benches"]:
        shortest = min(fact["benches"], key=lambda each: each["microseconds"])
        return ["bench", f"kernels/{name}.fly", "--arch", fact["arch"], "--filter", shortest["case"], "--sample"]
    return None


def facts(flyc, name):
    arch, kernel = shown(name)
    return {"arch": arch, "kernel": kernel, "layouts": layouts(flyc, name, arch), "launch": launch(flyc, name, arch, kernel),
            "benches": benches(flyc, name, arch)}


def write(flyc, only):
    old = json.loads(FACTS.read_text()) if FACTS.exists() else {}
    names = kernels()

    def one(name):
        return old[name] if only and name not in only and name in old else facts(flyc, name)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = dict(zip(names, pool.map(one, names)))
    FACTS.write_text("{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(made[name])}" for name in names) + "\n}\n")


def check(flyc, everything):
    known, names, wrong = json.loads(FACTS.read_text()), kernels(), []
    wrong += [f"{name}: has no entry" for name in names if name not in known]
    wrong += [f"{name}: there is no such file with kernels" for name in known if name not in names]
    for name in (name for name in names if name in known):
        if (known[name]["arch"], known[name]["kernel"]) != shown(name):
            wrong.append(f"{name}: shows {known[name]['kernel']} on {known[name]['arch']}, not {' '.join(shown(name)[::-1])}")
        if bool(known[name]["benches"]) and "@bench" not in source(name):
            wrong.append(f"{name}: has times, but no bench")
        # Which values a function shows that several kernels call depends on which the server looked at first: so what is checked of
        # layouts is that the names are there.
        lines = source(name).splitlines()
        wrong += [f"{name}: line {each['line']} does not name {each['name']}" for each in known[name]["layouts"]
                  if not re.search(rf"\b{each['name']}\b", "".join(lines[each["line"] - 1:each["line"]]))]
    # A fifth of the files by their launches, a tenth by their times: which ones, their names say.
    chosen = [name for name in names if name in known and (everything or zlib.crc32(name.encode()) % 5 == 0)]

    def one(name):
        fact, out = known[name], []
        given = fact["launch"]
        if given and subprocess.run([flyc, *run_of(name, fact["arch"], given), "-q"], capture_output=True, cwd=ROOT).returncode:
            out.append(f"{name}: its launch fails: flyc {' '.join(run_of(name, fact['arch'], given))}")
        if everything or zlib.crc32(name.encode()) % 10 == 0 and len(fact["benches"] or []) <= 4:
            now = benches(flyc, name, fact["arch"])
            out += [f"{name}: benches are\n{fact['benches']}\nflyc makes\n{now}"] if now != fact["benches"] else []
        return out

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong += sum(pool.map(one, chosen), [])
    if wrong:
        sys.exit("\n".join(wrong) + f"\nrun: python3 scripts/gallery.py {flyc} --write")
    print(f"gallery: {len(names)} files agree, {len(chosen)} of them with flyc")


# Frames: what is too large to be kept in the repository.

def value(expression, given, expressions):
    """The value of an expression of a module's metadata for given arguments."""
    if "ref" in expression:
        return value(expressions[expression["ref"]], given, expressions)
    op = expression["op"]
    if op == "parameter":
        return given[expression["name"]]
    if op in ("int", "bool"):
        return expression["value"]
    args = [value(each, given, expressions) for each in expression.get("args", [])]
    return {
        "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "floor_div": lambda a, b: a // b,
        "mod": lambda a, b: a % b, "ceil_div": lambda a, b: -(-a // b), "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
        "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
        "and": lambda *a: all(a), "or": lambda *a: any(a), "not": lambda a: not a, "min": lambda *a: min(a), "max": lambda *a: max(a),
    }[op](*args)


# What is not an extent, or a short one.
SMALL = {"splits": 2, "parts": 2, "batch": 1, "heads": 4, "kv_heads": 1, "stride": 1, "pad": 1, "dilation": 1, "R": 3, "S": 3, "N": 1, "H": 16, "W": 16}


def arguments(kernel, expressions):
    """Arguments for one launch of a kernel, as `flyc run` takes them; None if they cannot be guessed."""
    if any(each["kind"] not in ("tensor", "scalar") for each in kernel["parameters"]):
        return None
    for size in (256, 512, 1024, 2048, 4096, 8192, 64):
        given = {each["name"]: SMALL.get(each["name"], size) if each["type"][0] in "iu" else 1.0 for each in kernel["parameters"] if each["kind"] == "scalar"}
        try:
            if not all(value(each["expr"], given, expressions) for each in kernel["requires"]):
                continue
            found = []
            for each in kernel["parameters"]:
                if each["kind"] == "scalar":
                    found.append(f"{each['name']}={each['type']}:{given[each['name']]}")
                else:
                    shape = [value(extent, given, expressions) for extent in each["shape"]]
                    if not all(0 < extent for extent in shape) or eval("*".join(map(str, shape))) > 1 << 22:
                        return None
                    how = "empty" if each["direction"] == "out" else "zeros"
                    found.append(f"{each['name']}={how}:{each['type']}[{','.join(map(str, shape))}]")
            return found
        except (KeyError, TypeError, ZeroDivisionError):
            return None
    return None


def frames(flyc, folder, only):
    """Into FOLDER/NAME: layout pictures, report.html, time.html, and commands.json with what made them."""
    known = json.loads(FACTS.read_text())
    flyc = shutil.which(flyc)
    version = hashlib.sha256(pathlib.Path(flyc).read_bytes()).hexdigest()

    def run(*command):
        return subprocess.run([flyc, *map(str, command)], capture_output=True, text=True, timeout=120, cwd=ROOT)

    def one(name):
        out, fact, file = folder / name, known[name], f"kernels/{name}.fly"
        stamp = hashlib.sha256((version + source(name) + json.dumps(fact)).encode()).hexdigest()
        if (out / "stamp").exists() and (out / "stamp").read_text() == stamp:
            return
        out.mkdir(parents=True, exist_ok=True)
        for old in out.iterdir():
            if old.is_file():
                old.unlink()
        made = {}
        for i, each in enumerate(fact["layouts"]):
            drawn = run("layout", "--svg", *each["draw"], "--arch", fact["arch"])
            if drawn.returncode == 0:
                (out / f"layout-{i}.svg").write_text(drawn.stdout)
                made[f"layout-{i}.svg"] = ["layout", *each["draw"], "--arch", fact["arch"], "--svg"]
        select = ["--kernel", fact["kernel"], "--arch", fact["arch"]]
        if run("report", file, *select, "--html", out / "report.html").returncode == 0:
            made["report.html"] = ["report", file, *select, "--html", "report.html"]
        command = timed_command(name, fact)
        if command and run(*command, "--time-page", out / "time.html").returncode == 0:
            made["time.html"] = [*command, "--time-page", "time.html"]
        (out / "commands.json").write_text(json.dumps(made))
        (out / "stamp").write_text(stamp)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, [name for name in kernels() if name in known and (not only or name in only)]))


# Pages.

def docstring(name):
    """(the first sentence or line, the rest) of what a file says about itself."""
    match = re.match(r'\s*"""(.*?)"""', source(name), re.S)
    paragraphs = re.split(r"\n\s*\n", match[1].strip()) if match else [""]
    return " ".join(paragraphs[0].split()), paragraphs[1:]


def plain(text):
    """Text as Markdown that shows it as it is."""
    return re.sub(r"([\\*_<>{}\[\]|#])", r"\\\1", text).replace("{", "&#123;").replace("}", "&#125;").replace("\\&", "&")


def command_line(parts):
    quoted = lambda part: part if re.fullmatch(r"[\w./=,:+-]+", part) else "'" + part + "'"
    return "flyc " + " ".join(quoted(part) for part in parts)


def compared(name):
    """[(what, architecture, here, best known)]: rows of the tables of performance.md that are about a file."""
    found, heading, columns = [], "", None
    kernels_here = set(re.findall(r"@kernel\(.*?\ndef (\w+)", source(name), re.S))
    for line in PERFORMANCE.read_text().splitlines():
        if line.startswith("#"):
            heading, columns = line.lstrip("# "), None
        elif not line.startswith("|"):
            columns = None
        else:
            cells = [cell.strip() for cell in line.strip()[1:-1].split("|")]
            if columns is None:
                columns = cells
            elif not set("".join(cells)) <= set("-:"):
                row = row_of(name, kernels_here, heading, dict(zip(columns, cells)))
                if row:
                    found.append((row[0], "gfx950" if "here" in columns else arch_of(heading), *row[1:]))
    return found


def arch_of(heading):
    found = re.search(r"gfx\d+", heading)
    return found[0] if found else ""


def row_of(name, kernels_here, heading, row):
    """(what, here, best known) of a row, if it is about the file."""
    if heading.startswith("Matrix products on") and "kernel" in row and f" of {name.removeprefix('gemm/')}.fly" in row["kernel"]:
        return (f"{row['kernel'].split(' of ')[0]}, tile {row['tile']}, k {row['k per trip']}",
                f"{row['instructions']} / {row['matrix']}", row["others"])
    if heading.startswith("Attention on") and "executed" in row and name == f"attention/flash_{arch_of(heading)}":
        return (f"heads {row['heads']}; keys {row['keys']}", f"{row['executed']} / {row['matrix']}; {row['cycles']} cycles",
                row["best known"])
    if heading.startswith("Decoding on") and "cache" in row and name == "attention/paged_decode":
        return f"{row['cache']}; keys {row['keys']}", f"{row['executed']} / {row['matrix']}", ""
    if heading.startswith("Decoding on") and "best known" in row:  # the table after the last of them
        if ("MLA" in row[""]) == (name == "attention/mla_decode") and name in ("attention/mla_decode", "attention/paged_decode"):
            return f"{row['']}; keys {row['keys']}", row["here"], row["best known"]
    if heading.startswith("Experts on") and "types" in row:
        mx = row["types"] in ("mxfp8", "a8w4", "a4w4", "a16w4")
        file = ("moe/mx_streamed" if "streamed" in row["product"] else "moe/mx_stages") if mx else "moe/moe"
        if name == file:
            best = "; ".join(each for each in (f"ordinary product {row['ordinary product']}" if row["ordinary product"] else "", row["others"]) if each)
            return f"{row['product']}, {row['types']}, tile {row['tile']}", f"{row['instructions']} / {row['matrix']}", best
    if heading.startswith("Kernels on") and not name.startswith("isa/") and "instructions" in row and row.get("kernel", "").strip("`") in kernels_here:
        return f"{row['kernel']}, {row['shape']}", row["instructions"], f"FlyDSL {row['FlyDSL']}" if row["FlyDSL"] else ""
    return None


def table(head, rows, align=None):
    align = align or ["---"] * len(head)
    return "\n".join("| " + " | ".join(each) + " |" for each in [head, align, *rows]) + "\n"


def page(name, made=None):
    """The page of a kernel file, as Markdown. `made`: what `frames` wrote for it."""
    made = made or {}
    known = json.loads(FACTS.read_text()).get(name) or {"arch": shown(name)[0], "kernel": shown(name)[1], "layouts": [], "benches": None}
    first, rest = docstring(name)
    file, arch = f"kernels/{name}.fly", known["arch"]
    archs = architectures(name)
    text = f"---\npageClass: gallery\naside: false\n---\n\n# {pathlib.Path(name).name}\n\n{plain(first)}\n\n"
    for paragraph in rest:
        indented = paragraph.startswith("    ")
        text += "```text\n" + textwrap.dedent(paragraph).strip("\n") + "\n```\n\n" if indented else plain(" ".join(paragraph.split())) + "\n\n"
    text += f"`{file}`, for {', '.join(archs)}. {guide(name)}\n\n"
    text += "```sh\n" + f"flyc test {file} --arch {','.join(archs)}\n"
    text += (f"flyc bench {file} --arch {arch}\n" if known["benches"] else "")
    text += command_line(["report", file, "--arch", arch, "--kernel", known["kernel"]]) + "\n```\n\n"

    rows = compared(name)
    best = any(row[3] for row in rows)
    has_time = known["benches"] or "time.html" in made
    parts = [("Main loop", rows), ("Machine code", True), ("Time", has_time), ("Layouts", known["layouts"]), ("Source", True)]
    text += " · ".join(f"[{part}](#{part.lower().replace(' ', '-')})" for part, there in parts if there) + "\n\n"
    if rows:
        text += ("## Main loop\n\nInstructions of one trip of the main loop for one wave, and how many of them are matrix instructions. "
                 "Kernels without a loop: all that a wave executes. [performance.md](../docs/performance.md) has all counts, "
                 "where those of others come from, and what makes them comparable.\n\n").replace("../docs/", "../" * name.count("/") + "../docs/")
        head = ["", "target", "here"] + ["best known"] * best
        text += table(head, [[*row[:3], row[3] or "–"][:len(head)] for row in rows]) + "\n"

    text += "## Machine code\n\n"
    loop_rows = [[f"`{row[0].strip('`')}`", where, row[2] + (f" + {row[3]}" if row[3] != "0" else ""), row[5], row[6], row[7], row[8], row[9], row[11] or "–"]
                 for where in archs for row in reports()[name, where]]
    text += table(["kernel", "target", "VGPR", "SGPR", "LDS", "scratch", "code", "waves", "loops: instructions"], loop_rows,
                  ["---", "---", "--:", "--:", "--:", "--:", "--:", "--:", "---"]) + "\n"
    if "report.html" in made:
        text += frame(name, "report.html", f"`{known['kernel']}` on {arch}: source, IR and machine code, registers and waits", made)

    if known["benches"]:
        text += f"## Time\n\nBy the [time model](../docs/time-model.md), on {arch}, at the highest clock; the launch itself is not in it.\n\n".replace(
            "../docs/", "../" * name.count("/") + "../docs/")
        text += table(["bench", "µs", "", "bound by"], [[f"`{each['case']}`", f"{each['microseconds']:g}" + (f" ± {100 * each['uncertainty']:.0f} %" if each["uncertainty"] else ""),
                                                        rate(each), each["bound"]] for each in known["benches"]], ["---", "--:", "--:", "---"]) + "\n"
    if "time.html" in made:
        launched = f"`{known['launch']['kernel']}` on {arch}: its waves over time, for small arguments" if known["launch"] else \
            f"The longest launch of the shortest bench, on {arch}: its waves over time"
        text += ("" if known["benches"] else "## Time\n\n") + frame(name, "time.html", launched, made)

    if known["layouts"]:
        text += f"## Layouts\n\nOf the first instance that `flyc lsp` elaborates for {arch}.\n\n"
        for i, each in enumerate(known["layouts"]):
            text += f"**`{each['name']}`**, line {each['line']}, {each['kind']}: `{each['layout']}`\n\n"
            if f"layout-{i}.svg" in made:
                text += f"![{each['kind']} {each['name']}: {each['layout'].replace('[', '(').replace(']', ')')}](/frames/{name}/layout-{i}.svg)\n\n"

    text += f"## Source\n\n```fly:line-numbers\n{source(name).rstrip()}\n```\n"
    return text


def rate(bench):
    seconds = bench["microseconds"] * 1e-6
    if bench["flops"]:
        return f"{bench['flops'] / seconds / 1e12:.3g} TFLOP/s"
    return f"{bench['bytes'] / seconds / 1e12:.3g} TB/s" if bench["bytes"] else ""


def frame(name, file, title, made):
    up = "../" * (name.count("/") + 1)
    plain_title, shown_title = title.replace("`", ""), re.sub(r"`(.*?)`", r"<code>\1</code>", title)
    return (f'<div class="frame"><p>{shown_title} · <a href="{up}frames/{name}/{file}" target="_blank">whole page</a></p>'
            f'<iframe src="{up}frames/{name}/{file}" title="{plain_title}" loading="lazy"></iframe></div>\n\n'
            f"```sh\n{command_line(made[file])}\n```\n\n")


GUIDES = {"gemm": "gemm.md", "attention": "attention.md", "moe": "moe.md", "cache": "decode.md", "comm": "collectives.md", "sampling": "sampling.md",
          "convolution": "convolution.md", "layers": "whole-layer.md", "isa": "isa-mode.md"}


def guide(name):
    page = GUIDES.get(name.split("/")[0])
    return f"Explained in [{page}]({'../' * (name.count('/') + 1)}docs/{page})." if page else ""


def index():
    """The page of all kernels, by folder."""
    names = kernels()
    text = (f"---\npageClass: gallery\naside: false\n---\n\n# Kernels\n\n{len(names)} files of kernels, each with a page: what it computes, its registers and main "
            "loop on every target, how long it takes by the [time model](../docs/time-model.md), its layouts, its machine code, its source. "
            "[About these files](README.md) · [all registers and loops in one table](../docs/generated/kernel-reports.md)\n\n")
    for folder in dict.fromkeys(name.split("/")[0] for name in names):
        text += f"## {FOLDERS.get(folder, folder.capitalize())} {{#{folder}}}\n\n<div class=\"cards\">\n"
        for name in (name for name in names if name.split("/")[0] == folder):
            first, archs = docstring(name)[0], architectures(name)
            short = first if len(first) <= 150 else first[:147].rsplit(" ", 1)[0] + " …"
            escaped = short.replace("`", "").replace("&", "&amp;").replace("<", "&lt;").replace("{", "&#123;").replace("}", "&#125;")
            text += f'<a href="./{name}.html"><strong>{name.split("/", 1)[1]}</strong><span>{escaped}</span><span class="targets">{" ".join(archs)}</span></a>\n'
        text += "</div>\n\n"
    return text


def main():
    flyc, arguments_ = sys.argv[1], sys.argv[2:]
    if "--write" in arguments_:
        write(flyc, [each for each in arguments_ if not each.startswith("--")])
    elif "--check" in arguments_:
        check(flyc, "--all" in arguments_)
    elif "--frames" in arguments_:
        frames(flyc, pathlib.Path(arguments_[1]).resolve(), arguments_[2:])


if __name__ == "__main__":
    main()
