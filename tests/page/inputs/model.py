"""The data of a page of `flyc report --html`: held against its schema and against itself, and described.

    model.py PAGE.html              one line a kernel, and what is known of it
    model.py PAGE.html --loads-nothing
                                    also: no address, no style attribute, no event attribute, one policy
    model.py PAGE.html --places TEXT
                                    only: of each line with TEXT, the pane, and the source lines of its place and its calls

Checked: the schema; reports against theirs; all columns of a kernel are as long as it has instructions; numbers of
places, files, loops and instructions exist; values are used by instructions that name the register.
"""
import json
import pathlib
import re
import sys
from html.parser import HTMLParser

import jsonschema

SCHEMAS = pathlib.Path(__file__).resolve().parents[3] / "docs" / "schema"


class Pieces(HTMLParser):
    def __init__(self):
        super().__init__()
        self.data, self.now, self.attributes, self.scripts = {}, None, [], 0

    def handle_starttag(self, tag, attributes):
        self.attributes += [(tag, *attribute) for attribute in attributes]
        found = dict(attributes)
        if tag == "script":
            self.now = found.get("id")
            self.scripts += self.now is None

    def handle_endtag(self, tag):
        self.now = None

    def handle_data(self, text):
        if self.now:
            self.data[self.now] = self.data.get(self.now, "") + text


def read(path):
    pieces = Pieces()
    text = pathlib.Path(path).read_text()
    pieces.feed(text)
    model = json.loads(pieces.data["index"])
    model["files"] = [json.loads(pieces.data[f"file-{n}"]) for n in range(len(model["files"]))]
    entries = model["kernels"]
    model["kernels"] = [json.loads(pieces.data[f"kernel-{n}"]) for n in range(len(entries))]
    for entry, kernel in zip(entries, model["kernels"]):
        assert entry["name"] == kernel["report"]["name"] and entry["instructions"] == len(kernel["code"]["text"]), entry
    return model, pieces, text


def check(holds, *what):
    if not holds:
        sys.exit("model.py: " + " ".join(map(str, what)))


def hold_against_schemas(model):
    jsonschema.validate(model, json.loads((SCHEMAS / "page.schema.json").read_text()))
    objects = [{"file": kernel["object"], "arch": kernel["architecture"], "line_table": bool(kernel["places"]),
                "kernels": [kernel["report"]] if kernel["kind"] == "kernel" else [],
                "functions": [kernel["report"]] if kernel["kind"] == "function" else []} for kernel in model["kernels"]]
    report = {"schema_version": 1, "objects": objects}
    jsonschema.validate(report, json.loads((SCHEMAS / "report.schema.json").read_text()))


def names(text):
    """Registers of an instruction: ("v", 4), ..."""
    out = set()
    for file, one, first, last in re.findall(r"\b([vas])(?:(\d+)|\[(\d+):(\d+)\])", text):
        out |= {(file, n) for n in (range(int(first), int(last) + 1) if first else [int(one)])}
    return out


def register(number):
    return ("v", number) if number < 1024 else ("a", number - 1024) if number < 1280 else ("s", number - 1280)


def hold_together(model, kernel):
    code = kernel["code"]
    count = len(code["text"])
    for name in ("address", "place", "unit", "block", "loop", "vgprs", "agprs", "sgprs", "target"):
        check(len(code[name]) == count, name, "has", len(code[name]), "entries of", count)
    check(code["address"] == sorted(set(code["address"])), "addresses are not in order")
    places = kernel["places"]
    for at, (file, line, column, caller) in enumerate(places):
        check(file < len(model["files"]) and line >= 1 and caller < at, "place", at)
    for text in ("fly", "llvm"):
        if kernel[text]:
            lines = kernel[text]["text"].split("\n")
            check(len(lines) == len(kernel[text]["place"]), text, len(lines), "lines", len(kernel[text]["place"]), "places")
            check(max(kernel[text]["place"]) < len(places), text, "places")
    check(max(code["place"]) < len(places) and max(code["target"]) < count and max(code["unit"]) < len(model["palette"]["units"]), "numbers")
    check(max(code["loop"]) < len(kernel["report"]["loops"]), "loops")
    for wait, operation, counter, _ in zip(*[iter(code["covers"])] * 4):
        check(wait < count and operation < count and counter < len(code["counters"]), "covers")
    named = 0
    for definition, use, first, registers in zip(*[iter(code["uses"])] * 4):
        check(definition < count and use < count, "uses")
        for end in (definition, use):
            there = names(code["text"][end])
            named += all(register(n) in there for n in range(first, first + registers))
    check(named >= 0.9 * len(code["uses"]) / 2, "arrows between instructions that do not name the register")
    for measured in ("counts", "times"):
        if kernel[measured]:
            for key, column in kernel[measured].items():
                if key in ("executions", "active_lanes", "lds_cycles", "issue_cycles"):
                    check(len(column) == count, measured, key)
    check(len(kernel["loop_names"]) == len(kernel["report"]["loops"]), "names of loops")
    for loop in kernel["times"]["loops"] if kernel["times"] else []:
        check(any(loop["first"] == known["address"] for known in kernel["report"]["loops"]), "a measured loop is not of the kernel", loop)
    for access in kernel["accesses"] or []:
        check(access["place"] < len(places), "access")
        if access["tile"]:
            check(len(access["tile"]["cells"]) == len(access["tile"]["rows"]) * len(access["tile"]["columns"]), "tile")
        if access["lds"]:
            check(access["lds"]["cycles"] >= access["lds"]["ideal"] > 0, "cycles")


def describe(model, kernel):
    code = kernel["code"]
    placed = lambda text: sum(place >= 0 for place in kernel[text]["place"]) if kernel[text] else 0
    print(kernel["kind"], kernel["report"]["name"], kernel["architecture"], len(code["text"]), "instructions,",
          f"{sum(place >= 0 for place in code['place'])} placed, {placed('fly')} of Fly IR, {placed('llvm')} of LLVM IR,",
          f"{len(code['uses']) // 4} uses, {len(code['covers']) // 4} covered")
    for file in sorted({place[0] for place in kernel["places"]}):
        found = model["files"][file]
        print("  file", found["name"], "not found" if found["text"] is None else f"{len(found['text'])} bytes")
    for access in kernel["accesses"] or []:
        file, line, *_ = kernel["places"][access["place"]]
        lds = access["lds"]
        print("  access", access["tensor"], f"{model['files'][file]['name']}:{line}", access["direction"], access["bits"], access["memory"],
              f"{lds['cycles']} cycles for {lds['ideal']}" if lds else "", access["atom"], access["side"] or "")
    for number, (loop, name) in enumerate(zip(kernel["report"]["loops"], kernel["loop_names"])):
        source = loop["source"]
        print("  loop", number, name or "without a name", f"{source['file']}:{source['line']}" if source else "")
    for loop in kernel["times"]["loops"] if kernel["times"] else []:
        print("  passes", loop["iterations"], "of line", loop["line"])
    if kernel["counts"]:
        print("  executed", sum(kernel["counts"]["executions"]), "by", kernel["counts"]["waves"], "waves")
    if kernel["times"]:
        print("  cycles", kernel["times"]["cycles"], "waited", sum(kernel["times"]["stalls"][2::3]), "on", kernel["times"]["machine"])


def print_places(model, text):
    """Each different answer once."""
    seen = set()
    for kernel in model["kernels"]:
        panes = {"isa": (kernel["code"]["text"], kernel["code"]["place"])}
        for name in ("fly", "llvm"):
            if kernel[name]:
                panes[name] = (kernel[name]["text"].split("\n"), kernel[name]["place"])
        for pane, (lines, places) in panes.items():
            for line, place in zip(lines, places):
                if text not in line:
                    continue
                chain = []
                while place >= 0:
                    file, number, _, place = kernel["places"][place]
                    chain.append(f"{model['files'][file]['name']}:{number} {(model['files'][file]['text'] or '').split(chr(10))[number - 1].strip()}")
                answer = f"{kernel['report']['name']} {pane}: {' <- '.join(chain) or 'nowhere'}"
                if answer not in seen:
                    print(answer)
                seen.add(answer)


def loads_nothing(pieces, text):
    policies = [value for tag, name, value in pieces.attributes if tag == "meta" and name == "content" and "default-src" in value]
    check(len(policies) == 1 and "default-src 'none'" in policies[0], "policy", policies)
    check(pieces.scripts == 1, pieces.scripts, "scripts")
    for tag, name, value in pieces.attributes:
        check(name not in ("src", "href", "style") and not name.startswith("on"), tag, name, value)
    rest = re.sub(r'<script type="application/json".*?</script>', "", text, flags=re.S)
    check("://" not in rest.replace("http://www.w3.org/2000/svg", ""), "an address")
    print("loads nothing")


if __name__ == "__main__":
    model, pieces, text = read(sys.argv[1])
    if "--places" in sys.argv:
        print_places(model, sys.argv[sys.argv.index("--places") + 1])
        sys.exit()
    hold_against_schemas(model)
    for kernel in model["kernels"]:
        hold_together(model, kernel)
        describe(model, kernel)
    if "--loads-nothing" in sys.argv:
        loads_nothing(pieces, text)
