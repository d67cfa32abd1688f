#!/usr/bin/env python3
"""Lays out the pages of the site: docs/ as it is, links mended for the web, and a page for each kernel.

    site_pages.py FOLDER [--frames FRAMES]

FRAMES is what `scripts/gallery.py FLYC --frames FRAMES` has made: reports, time pages and layout pictures of kernels.

docs/ is the only source, and stays readable as files. This script copies it to FOLDER, where VitePress reads it:

- README.md of a folder becomes index.md; docs/README.md is the front page, and its groups are the side bar.
- The pages that `flyc explain` prints are errors/FLY0203.md; docs/generated/diagnostics.md leads to them, and so does
  the number of a diagnostic in any text.
- A link to a source file leads to a copy of that file on the site (public/source), so that the site needs no other
  server; with FLY_REPOSITORY=https://... it leads there. A link to a kernel leads to its page in the gallery.
- A link to a folder leads to a page that lists its files.

Side bar and groups are written to site.json for site/.vitepress/config.mjs.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import gallery

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
REPOSITORY = os.environ.get("FLY_REPOSITORY", "").rstrip("/")
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
LINKED = re.compile(r"\[[^\]]*\]\([^)\s]+\)")
DIAGNOSTIC = re.compile(r"\bFLY\d{4}\b")
FENCE = re.compile(r" *(```|~~~)")
CODE = re.compile(r"(`+)(?:(?!\1).)*\1")
ENTRY = re.compile(r"- \[([^\]]+)\]\(([^)#]+\.md)\): (\S.*)")

# Pages outside docs/ that are part of the site.
MORE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", "kernels/README.md": "kernels/about.md"}
EXPLAIN = "compiler/diagnostics/explain"

# Long lists of generated pages are not searched: every word of a search would be found in them first.
UNSEARCHED = re.compile(r"generated/(instructions/|emulator-coverage|kernel-reports)")


def pages():
    """{source: place on the site} of every written or generated page, relative to the root and to the site."""
    found = {name: place for name, place in MORE.items()}
    found |= {f"{EXPLAIN}/{path.name}": f"errors/{path.name}" for path in sorted((ROOT / EXPLAIN).glob("FLY*.md"))}
    for path in sorted(DOCS.rglob("*.md")):
        place = path.relative_to(DOCS)
        found[str(path.relative_to(ROOT))] = str(place.with_name("index.md") if place.name == "README.md" else place)
    return found


class Site:
    def __init__(self, folder, frames):
        self.folder, self.frames, self.pages = folder, frames, pages()
        self.kernels = gallery.kernels()
        self.pages |= {f"kernels/{name}.fly": f"kernels/{name}.md" for name in self.kernels}
        self.sources, self.folders, self.wrong = set(), set(), []

    def write(self, place, text):
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def target(self, source, place, link):
        """Where a link of the page `source`, which is at `place`, leads on the site."""
        file, hash, anchor = link.partition("#")
        whole = os.path.normpath(os.path.join(os.path.dirname(source), file))
        up = os.path.relpath
        if whole in self.pages:
            return up(self.pages[whole], os.path.dirname(place) or ".") + hash + anchor
        path = ROOT / whole
        if not path.exists():
            self.wrong.append(f"{source}: {link}: there is no such file")
            return link
        if path.is_relative_to(DOCS / "images"):
            return link
        if REPOSITORY:
            return f"{REPOSITORY}/{'tree' if path.is_dir() else 'blob'}/main/{whole}"
        if whole == "kernels" or whole.startswith("kernels/") and path.is_dir():
            return up("kernels/index.md", os.path.dirname(place) or ".") + "".join(["#", whole.split("/")[1]] if "/" in whole else [])
        if path.is_dir():
            self.folders.add(whole)
            return up(f"source/{whole}/index.md", os.path.dirname(place) or ".")
        self.sources.add(whole)
        return f"/source/{whole}.txt"

    def mend(self, source, place, text):
        """The text with its links mended, but not in code."""
        out, fence = [], None
        for line in text.splitlines():
            mark = FENCE.match(line)
            if mark and fence in (None, mark[1]):
                fence = None if fence else mark[1]
            elif not fence:
                line = self.mend_line(source, place, line)
            out.append(line)
        return "\n".join(out) + "\n"

    def mend_line(self, source, place, line):
        spans = [match.span() for match in CODE.finditer(line)]

        def one(match):
            inside = any(begin < match.start() and match.end() < end for begin, end in spans)
            if inside or re.match(r"[a-z]+:|#|/", match[2]):
                return match[0]
            return match[1] + self.target(source, place, match[2]) + match[3]

        return self.link_diagnostics(place, LINK.sub(one, line))

    def link_diagnostics(self, place, line):
        """Numbers of diagnostics as links to their pages; not in code, links and headings."""
        taken = [match.span() for pattern in (CODE, LINKED) for match in pattern.finditer(line)]

        def one(match):
            page = self.pages.get(f"{EXPLAIN}/{match[0]}.md", place)
            inside = any(begin <= match.start() and match.end() <= end for begin, end in taken)
            return match[0] if inside or page == place else f"[{match[0]}](/{page})"

        return line if line.startswith("#") else DIAGNOSTIC.sub(one, line)

    def folder_page(self, name):
        """A page that lists the files of a folder."""
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "--", name], capture_output=True, text=True).stdout.split("\n")
        names = [each for each in listed if each] or [str(path.relative_to(ROOT)) for path in (ROOT / name).rglob("*") if path.is_file()]
        here = sorted(each for each in names if os.path.dirname(each) == name)
        below = sorted({name + "/" + each[len(name) + 1:].split("/")[0] for each in names if os.path.dirname(each) != name})
        place = f"source/{name}/index.md"
        text = f"# {name}\n\nThe files of this folder of the repository.\n\n"
        for each in below:
            text += f"- `{os.path.basename(each)}/`\n"
        for each in here:
            text += f"- [{os.path.basename(each)}]({self.target('.', place, each)})\n"
        self.write(place, "---\nsearch: false\n---\n" + text)

    def make(self):
        if self.folder.exists():
            shutil.rmtree(self.folder)
        for source, place in self.pages.items():
            if source.endswith(".fly"):
                continue
            text = self.mend(source, place, (ROOT / source).read_text())
            if UNSEARCHED.search(place):
                text = "---\nsearch: false\n---\n\n" + text
            self.write(place, text)
        shutil.copytree(DOCS / "images", self.folder / "images")
        shutil.copytree(ROOT / "site" / "public", self.folder / "public", dirs_exist_ok=True)
        shutil.copy(DOCS / "images" / "swizzled-tile.svg", self.folder / "public" / "tile.svg")
        self.gallery()
        for name in sorted(self.folders):
            self.folder_page(name)
        for name in sorted(self.sources):
            path = self.folder / "public" / "source" / (name + ".txt")
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, path)
        self.write("site.json", json.dumps({"groups": groups(), "kernels": self.kernels}, indent=1))
        return self.wrong

    def gallery(self):
        for name in self.kernels:
            source, place = f"kernels/{name}.fly", f"kernels/{name}.md"
            made = self.frames and self.frames / name / "commands.json"
            made = json.loads(made.read_text()) if made and made.exists() else {}
            for file in made:
                path = self.folder / "public" / "frames" / name / file
                path.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(self.frames / name / file, path)
            self.write(place, self.mend(source, place, gallery.page(name, made)))
        self.write("kernels/index.md", self.mend("kernels/README.md", "kernels/index.md", gallery.index()))


def groups():
    """The groups of docs/README.md: [{title, pages: [{title, page, text}]}]."""
    found = []
    for line in (DOCS / "README.md").read_text().splitlines():
        if line.startswith("## "):
            found.append({"title": line[3:], "pages": []})
        elif entry := ENTRY.fullmatch(line):
            page = re.sub(r"README\.md$", "index.md", entry[2])
            found[-1]["pages"].append({"title": entry[1], "page": page, "text": entry[3]})
    return found


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    frames = pathlib.Path(sys.argv[3]).resolve() if sys.argv[2:3] == ["--frames"] else None
    site = Site(folder, frames)
    wrong = site.make()
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"site: {len(site.pages)} pages, {len(site.sources)} sources")


if __name__ == "__main__":
    main()
