"""run_page.py PAGE.md: does what a page says, in the current folder, and compares.

A fenced block after a line "`name`:" is a file of that name. In a `console` block, lines that begin with "$ " are
commands, the others what they print, both streams together; "..." stands for anything, on a line of its own for any
number of lines.
"""
import os
import pathlib
import re
import subprocess
import sys

tools = pathlib.Path("tools").absolute()
tools.mkdir()
(tools / "python3").symlink_to(sys.executable)
environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", NO_COLOR="1")

count = 0
text = pathlib.Path(sys.argv[1]).read_text()
for name, language, block in re.findall(r"(?:^`([^`\n]+)`:\n\n)?^```(\w+)\n(.*?)^```$", text, re.M | re.S):
    if name:
        pathlib.Path(name).write_text(block)
    if language != "console":
        continue
    for command, expected in re.findall(r"^\$ ([^\n]*)\n((?:(?!\$ ).*\n)*)", block, re.M):
        run = subprocess.run(command, shell=True, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        got = "".join(line.rstrip() + "\n" for line in run.stdout.splitlines())
        pattern = "".join("(.*\n)*" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + "\n" for line in expected.splitlines())
        if not re.fullmatch(pattern, got):
            sys.exit(f"$ {command}\n--- the page says\n{expected}--- it printed\n{got}")
        count += 1
print(count, "commands")
