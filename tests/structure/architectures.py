"""Code asks for a fact of the target, and not which architecture it is.

    architectures.py ROOT

Facts are columns of the tables in compiler/target, where the names are. Elsewhere, this finds in C, C++, Python and
shell:

  - a comparison with the name of an architecture, or of several ("gfx9"), or with LLVM's feature for one
  - a `bool` that is named after architectures: it stands for facts that have names of their own
  - a comparison with a family or with the encodings of a generation
"""
import pathlib
import re
import sys

# Where encodings differ as a whole: which bits an instruction or its operands have.
decoding = ["compiler/isa/Forms.cpp", "compiler/isa/Machine.cpp", "compiler/isa/OperandRoles.cpp"]

name = r"""["'][+]?gfx\d[\w-]*["']"""
method = (r"(?:starts_?with|ends_?with|contains|find|consume_front|consume_back|compare|equals|checkFeatures|strn?cmp|"
          r"fnmatch)")
what = [
    ("compares with the name of an architecture",
     rf"(?:[=!]=|(?<!for)\s\w+(?:\.\w+)*\s+(?:not\s+)?in)\s*[(\[{{]?\s*{name}|{name}\s*[=!]=|"
     rf"\b{method}\s*\([^()]*{name}"),
    ("compares with the name of an architecture", r"==?~?\s*gfx\d[\w*]*\s*\]\]|^\s*\(?gfx\d[\w*|]*\)"),  # of a shell
    ("is a flag for an architecture", r"\bbool\s+\w*[gG]fx\d\w*"),
    ("compares with a family", r'\bfamily\s*[=!]=\s*"[A-Z]|\bfamily\.(?:starts_with|contains|find)\("[A-Z]'),
    ("asks for a generation", r"\bEncodings::"),
]


def code_of(path):
    """The text with comments as blanks, so that lines and columns stay."""
    text = path.read_text()
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    if path.suffix in {".cpp", ".h", ".c"}:
        parts = r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/'
        return re.sub(parts, lambda m: m.group() if m.group()[0] == '"' else blank(m), text, flags=re.S)
    parts = r'"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(?<!\S)#[^\n]*'
    return re.sub(parts, lambda m: blank(m) if m.group()[0] == "#" else m.group(), text)


root = pathlib.Path(sys.argv[1])
complaints, count = [], 0
for folder in ["compiler", "runtime", "tools", "scripts"]:
    for path in sorted((root / folder).rglob("*")):
        place = path.relative_to(root).as_posix()
        if path.suffix not in {".cpp", ".h", ".c", ".py", ".sh"} or place.startswith("compiler/target/"):
            continue
        count += 1
        code = code_of(path)
        for why, pattern in what:
            if "Encodings" in pattern and place in decoding:
                continue
            for match in re.finditer(pattern, code, re.M):
                line = code.count("\n", 0, match.start()) + 1
                complaints.append(f"{place}:{line}: {why}: `{match.group().strip()}`")
if complaints:
    print("\n".join(complaints))
    print("name the fact: make it a column of compiler/target (docs/adding-a-target.md)")
    sys.exit(1)
print(f"{count} files ask for facts of targets, and not for their names")
