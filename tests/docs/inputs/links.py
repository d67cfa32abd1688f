"""Holds the links between pages, and the index of docs/.

    links.py ROOT

Every relative link in a Markdown file must name a file or folder of the tree and, after `#`, a heading of that file, as
GitHub spells it. docs/README.md must list each other page of docs/ exactly once, one line per page, under these groups:
"""
import pathlib
import re
import sys

GROUPS = ["Tutorial", "Learn", "Guides", "Reference", "Explanation", "Generated"]
ENTRY = re.compile(r"- \[[^\]]+\]\(([^)#]+\.md)\): \S.*")
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r" *(```|~~~)")
BUILT = re.compile(r"build.*|out|example-out")               # folders of the root, as in .gitignore

root = pathlib.Path(sys.argv[1]).resolve()


def pages(folder):
    """The Markdown files below a folder that are part of the repository."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.is_symlink():
            hidden = path.name.startswith(".") and path.name != ".github"
            built = folder == root and BUILT.fullmatch(path.name)
            if not hidden and not built and path.name not in ("inputs", "node_modules"):    # what tests read, what npm installs
                yield from pages(path)
        elif path.suffix == ".md":
            yield path


def prose(path):
    """(line number, text) of a page without its code: neither fenced blocks nor `code`."""
    fence = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        mark = FENCE.match(line)
        if mark and fence in (None, mark[1]):
            fence = None if fence else mark[1]
        elif not fence:
            yield number, line


def anchors(path, known={}):
    """The anchors of a page: its headings as GitHub spells them, and <a id="...">."""
    if path not in known:
        found = known[path] = set()
        for _, line in prose(path):
            found.update(re.findall(r'<a (?:id|name)="([^"]+)"', line))
            if heading := re.match(r"#{1,6} +(.*?)[ #]*$", line):
                text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
                slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
                number = 0
                while slug + (f"-{number}" if number else "") in found:
                    number += 1
                found.add(slug + (f"-{number}" if number else ""))
    return known[path]


def broken(path):
    """What is wrong with the links of a page."""
    for number, line in prose(path):
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            whole = (path.parent / file).resolve() if file else path
            place = f"{path.relative_to(root)}:{number}: {target}"
            if not whole.is_relative_to(root) or not whole.exists():
                yield f"{place}: there is no such file"
            elif anchor and (whole.suffix != ".md" or anchor not in anchors(whole)):
                yield f"{place}: {whole.relative_to(root)} has no such heading"


def unlisted(index):
    """What is wrong with the index."""
    groups, listed = [], []
    for number, line in prose(index):
        if line.startswith("## "):
            groups.append(line[3:])
        if line.startswith("- ") and not (entry := ENTRY.fullmatch(line)):
            yield f"docs/README.md:{number}: not of the form `- [title](page.md): which question it answers`"
        elif line.startswith("- "):
            listed.append(entry[1])
    if groups != GROUPS:
        yield f"docs/README.md has the groups {', '.join(groups)}, not {', '.join(GROUPS)}"
    there = [str(page.relative_to(index.parent)) for page in pages(index.parent) if page != index]
    for page in sorted({*there, *listed}):
        if page not in there:
            yield f"docs/README.md lists {page}, which does not exist"
        elif listed.count(page) != 1:
            yield f"docs/README.md lists {page} {listed.count(page)} times"


wrong = [each for page in pages(root) for each in broken(page)] + list(unlisted(root / "docs" / "README.md"))
print("\n".join(wrong) or f"{len(list(pages(root)))} pages, all links resolve")
sys.exit(1 if wrong else 0)
