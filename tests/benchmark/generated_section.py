"""The part of a page that a script of this folder makes, between two comments that name the script."""

import json
import pathlib
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "performance.md"


class Section:
    def __init__(self, script):
        self.begin, self.end = f"<!-- {script} begin -->", f"<!-- {script} end -->"

    def read(self):
        return PAGE.read_text().split(self.begin)[1].split(self.end)[0]

    def write(self, text):
        before, rest = PAGE.read_text().split(self.begin)
        PAGE.write_text(before + self.begin + "\n\n" + text + "\n" + self.end + rest.split(self.end)[1])


def run_json(flyc, *command):
    """What a command prints with --json; ends the script if it fails."""
    done = subprocess.run([flyc, *map(str, command)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return json.loads(done.stdout)


def conclude(complaints, verdict):
    """The end of --check: the complaints, or that there are none."""
    print("\n".join(complaints) or verdict)
    sys.exit(bool(complaints))
