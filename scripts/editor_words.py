#!/usr/bin/env python3
"""Writes the word lists of the files for editors from the compiler's own lists.

    scripts/editor_words.py                     writes them anew
    scripts/editor_words.py --check             fails if a file has others; a test does this
    scripts/editor_words.py --editors FOLDER    of a copy of editors/

Keywords come from grammar/FlyLexer.g4, functions, named values and element types from docs/generated/builtins.md
(which a test compares with the compiler's tables), decorators and statements from the lists that the compiler guesses
misspelled names from. In editors/fly.tmLanguage.json the lists are regular expressions; in the other files they are
what stands between two comments that say `words of flyc`.
"""

import argparse
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What the lists of the compiler do not say. A word of the language that is in none of these sets is an error.
KEYWORDS = {
    "conditional": "if elif else",
    "loop": "for while break continue",
    "flow": "return pass assert with",
    "import_word": "from import as",
    "word_operator": "and or not in is",
    "declaration": "def class lambda",
    "constant": "True False None",
}
TYPE_NAMES = set("In Out InOut Constexpr vec Vector Pointer layout".split())
CONSTANTS = set("inf nan LayoutLeft LayoutRight".split())
SPACES = set("global".split()) # reserved words that are an address space in a type: `Pointer[f32, global]`


def stop(message):
    sys.exit(f"editor_words: {message}")


def found(pattern, path):
    """The first group of what a pattern finds in a file; the compiler's sources may move, but not unnoticed."""
    match = re.search(pattern, (ROOT / path).read_text(), re.S)
    return match.group(1) if match else stop(f"{path} has no text like {pattern}")


def keywords(words):
    section = found(r"// ---- keywords\n(.*?;)\n\n", "grammar/FlyLexer.g4")
    all_of_them = set(re.findall(r"'(\w+)'", section))
    for kind, members in KEYWORDS.items():
        words[kind] = members.split()
    known = [word for kind in KEYWORDS for word in words[kind]]
    if set(known) != all_of_them:
        stop(f"of the lexer's keywords, these have no kind, or are none: {sorted(all_of_them ^ set(known))}")
    reserved = re.findall(r"'(\w+)'", found(r"\nRESERVED\n(.*?;)\n", "grammar/FlyLexer.g4"))
    words["reserved"] = [word for word in reserved if word not in SPACES]
    if lost := SPACES - set(reserved):
        stop(f"the lexer does not reserve {sorted(lost)}")


def page(words):
    """The tables of the page of names, by heading; a row begins with the name of a function, a value or a type."""
    tables, title = {}, None
    for line in (ROOT / "docs/generated/builtins.md").read_text().splitlines():
        if line.startswith("## "):
            title = line[3:]
            tables[title] = []
        elif title and (row := re.match(r"\| `([\w.]+)", line)):
            tables[title].append(row.group(1))
    words["amd_builtin"] = tables.pop("Module fly.amd")
    words["schedule"] = tables.pop("Scheduling")
    words["isa"] = [name.removeprefix("isa.") for name in tables.pop("ISA mode")]
    words["number_type"] = tables.pop("Element types")
    named = [name for name in tables.pop("Other names") if name != "_"]
    if lost := (TYPE_NAMES | CONSTANTS) - set(named):
        stop(f"the page of names has no {sorted(lost)}")
    words["type_name"] = [name for name in named if name in TYPE_NAMES]
    words["constant"] += [name for name in named if name in CONSTANTS]
    words["named_value"] = [name for name in named if name not in TYPE_NAMES | CONSTANTS] + list(SPACES)
    words["builtin"] = [name for rows in tables.values() for name in rows]


def read():
    words = {}
    keywords(words)
    page(words)
    quoted = found(r"didYouMean\(name, \{([^}]*\"kernel\"[^}]*)\}", "compiler/sema/language/Modules.cpp")
    words["decorator"] = re.findall(r'"(\w+)"', quoted)
    listed = found(r"out\.insert\(out\.end\(\), \{(\"i1\"[^}]*)\}", "compiler/sema/prelude/Prelude.cpp")
    known = {word for members in words.values() for word in members}
    for name in re.findall(r'"(\w+)"', listed):
        if name not in known:
            words["number_type" if name == "i1" else "builtin"].append(name)
    # `int(x)` and `type(x)` are calls, and types elsewhere.
    words["type_name"] += [name for name in ("bool", "int", "float", "str", "type", "tuple", "list", "dict")
                           if name in words["builtin"]]
    return {kind: sorted(set(members)) for kind, members in words.items()}


def any_of(words):
    return "(?:" + "|".join(words) + ")"


def matches(words):
    """Of each rule of the TextMate grammar its regular expression."""
    out = {}
    for kind, members in words.items():
        if kind == "decorator":
            out["known_decorator"] = rf"^\s*(@)\s*({any_of(members)})\b"
        elif kind in ("schedule", "isa"):
            module = {"schedule": "sched", "isa": "isa"}[kind]
            out[kind] = rf"(?<!\.)\b({module})(\.)({any_of(members)})\b"
        elif kind in ("builtin", "amd_builtin"):
            out[kind] = rf"(?<!\.)\b{any_of(members)}\b(?=\s*\()"
        else: # a word before `=` is a name of the file; `int(x)` is a call
            after = r"(?!\s*=(?!=))" if kind in ("number_type", "named_value") else \
                r"(?!\s*(?:\(|=(?!=)))" if kind == "type_name" else ""
            out[kind] = rf"(?<!\.)\b{any_of(members)}\b" + after
    return out


def textmate(text, words):
    grammar = json.loads(text)
    for kind, match in matches(words).items():
        rule = grammar["repository"].get(kind) or stop(f"fly.tmLanguage.json has no rule {kind}")
        old, new = json.dumps(rule["match"]), json.dumps(match)
        start = re.search(rf'\n    "{kind}": \{{', text).end()
        at = text.index('"match": ' + old, start) + len('"match": ')
        text = text[:at] + new + text[at + len(old):]
    return text


def wrapped(head, words, separator=" ", tail="", width=118):
    """Lines that begin with `head` and have as many of the words as fit."""
    lines, line = [], head
    for word in words:
        if len(line) + len(separator) + len(word) > width and line != head:
            lines.append(line + tail)
            line = head
        line += separator + word
    return "\n".join([*lines, line + tail])


def vim(words):
    groups = {"conditional": "flyConditional", "loop": "flyRepeat", "flow": "flyStatement", "import_word": "flyInclude",
              "word_operator": "flyOperator", "declaration": "flyDeclaration", "reserved": "flyReserved"}
    lines = [wrapped(f"syntax keyword {group}", words[kind]) for kind, group in groups.items()]

    def rule(group, members, before, after=""):
        for row in wrapped("", members, r"\|").splitlines():
            lines.append(rf"syntax match {group} /{before}\%({row[2:]}\)\>{after}/")

    free = r"\.\@1<!\<" # no member
    for kind, group in (("constant", "flyConstant"), ("number_type", "flyType"), ("type_name", "flyType"),
                        ("named_value", "flyValue")):
        rule(group, words[kind], free)
    rule("flyBuiltin", words["builtin"], free, r"\ze\s*(")
    rule("flyAmd", words["amd_builtin"], free, r"\ze\s*(")
    rule("flyDecorator", words["decorator"], r"^\s*@\s*")
    rule("flyAmd", words["schedule"], free + r"sched\.")
    rule("flyAmd", words["isa"], free + r"isa\.")
    return lines


def emacs(words):
    kinds = {"reserved": "reserved", "number-types": "number_type", "type-names": "type_name",
             "constants": "constant", "named-values": "named_value", "builtins": "builtin",
             "amd-builtins": "amd_builtin"}
    lines = []
    for name, kind in kinds.items():
        quoted = [f'"{word}"' for word in words[kind]]
        lines += [f"(defconst fly--{name}", wrapped("   ", quoted).replace("    ", "  '(", 1) + "))"]
    return lines


def helix(words):
    lines = []
    for kind, node, capture in (
            ("number_type", "(identifier) @type.builtin", "type.builtin"),
            ("type_name", "(identifier) @type.builtin", "type.builtin"),
            ("named_value", "(identifier) @variable.builtin", "variable.builtin"),
            ("constant", "(identifier) @constant.builtin", "constant.builtin"),
            ("builtin", "(call function: (identifier) @function.builtin)", "function.builtin"),
            ("amd_builtin", "(call function: (identifier) @function.builtin)", "function.builtin")):
        members = [word for word in words[kind] if word not in KEYWORDS["constant"].split()]
        lines += [f"({node}", wrapped(f"  (#any-of? @{capture}", [f'"{word}"' for word in members], width=10**6) + "))"]
    return lines


def between(text, comment, lines):
    """A file with other lines between its two comments."""
    begin = f"{comment} words of flyc: scripts/editor_words.py writes them\n"
    end = f"{comment} end of the words of flyc\n"
    if text.count(begin) != 1 or text.count(end) != 1:
        stop(f"a file lacks the line {begin!r} or {end!r}")
    head, rest = text.split(begin)
    return head + begin + "".join(line + "\n" for line in lines) + end + rest.split(end)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file has other lists")
    parser.add_argument("--editors", type=pathlib.Path, default=ROOT / "editors", help="the folder of the files")
    options = parser.parse_args()
    words = read()
    stale = []
    for path, new in (
            ("fly.tmLanguage.json", lambda text: textmate(text, words)),
            ("vim/syntax/fly.vim", lambda text: between(text, '"', vim(words))),
            ("emacs/fly-mode.el", lambda text: between(text, ";;", emacs(words))),
            ("helix/queries/fly/highlights.scm", lambda text: between(text, ";", helix(words)))):
        file = options.editors / path
        old = file.read_text()
        if (text := new(old)) != old:
            stale.append(f"editors/{path}")
            if not options.check:
                file.write_text(text)
    if stale and options.check:
        sys.exit(f"stale: {', '.join(stale)}; run scripts/editor_words.py")


if __name__ == "__main__":
    main()
