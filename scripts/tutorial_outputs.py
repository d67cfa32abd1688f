#!/usr/bin/env python3
"""Runs the commands of docs/tutorial, and holds what stands under them against what they print.

    scripts/tutorial_outputs.py            writes what they print now into the pages
    scripts/tutorial_outputs.py --check    fails where a page says something else; a test does this

A page's ```console blocks have commands after `$ `, which run in docs/tutorial with flyc from PATH, one block after the
other, and in which files that they make are gone afterwards. Times in ms and addresses may differ. Every ```fly block
must be part of a .fly file of that folder, so that the code of a page is code that its checks run.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "docs" / "tutorial"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)
WIDTH = 150


def output(command, folder):
    done = subprocess.run(["bash", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    return "\n".join(line if len(line) <= WIDTH else line[: WIDTH - 3] + "..." for line in lines).strip("\n")


def run(block, folder):
    """A console block with what its commands print now."""
    return "".join(f"$ {command}\n" + (output(command, folder) + "\n").lstrip("\n")
                   for command in re.findall(r"^\$ (.*)$", block, re.M))


def same(old, new):
    """The same but for times and addresses."""
    varies = re.compile(r"\(?\b\d+ ms\b|0x[0-9a-f]+|^[0-9a-f]{4,}(?=  )|\b[0-9a-f]{4,}-[0-9a-f]{4,}\b", re.M)
    return varies.sub("_", old) == varies.sub("_", new)


def page(path, sources):
    """(the page with what its commands print now, what is wrong)."""
    text, wrong = path.read_text(), []
    line = lambda at: text[:at].count("\n") + 1
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work) / "tutorial"
        shutil.copytree(FOLDER, folder)

        def one(match):
            kind, body = match.groups()
            if kind == "fly" and not any(body.strip("\n") in source for source in sources):
                wrong.append(f"{path.name}:{line(match.start())}: this code is in no .fly file of docs/tutorial")
            if kind != "console":
                return match[0]
            now = run(body, folder)
            if same(body, now):
                return match[0]
            wrong.append(f"{path.name}:{line(match.start())}: says\n{body}but the commands print\n{now}")
            return f"```console\n{now}```"

        return BLOCK.sub(one, text), wrong


def main():
    check = "--check" in sys.argv
    sources = [path.read_text() for path in FOLDER.glob("*.fly")]
    paths = sorted(FOLDER.glob("*.md"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = list(pool.map(lambda path: page(path, sources), paths))
    wrong = sum([each for _, each in made], [])
    if not check:
        for path, (text, _) in zip(paths, made):
            path.write_text(text)
        wrong = [each for each in wrong if "is in no .fly file" in each]
    if wrong:
        sys.exit("\n".join(wrong) + "\nrun: scripts/tutorial_outputs.py" * check)
    print(f"{len(paths)} pages of the tutorial, all commands print what they say")


main()
