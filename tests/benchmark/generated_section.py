"""The part of a page that a script of this folder makes, between two comments that name the script."""

import argparse
import json
import pathlib
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "performance.md"


class Section:
    def __init__(self, script, page=PAGE):
        self.page = page
        self.begin, self.end = f"<!-- {script} begin -->", f"<!-- {script} end -->"

    def read(self):
        return self.page.read_text().split(self.begin)[1].split(self.end)[0]

    def write(self, text):
        before, rest = self.page.read_text().split(self.begin)
        self.page.write_text(before + self.begin + "\n\n" + text + "\n" + self.end + rest.split(self.end)[1])


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


def loops_command(description, section, tables, figures, counts, longer, more):
    """The command line of a script whose tables count loops: prints them, writes them, or compares them with the page. `figures` takes
    what they say out of a text, by loop; `counts` is what these numbers are, and `longer(now, was)` whether they are a complaint. `more`
    are further options: a function of flyc for each name."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("flyc")
    for option in ("write", "check", *more):
        parser.add_argument(f"--{option}", action="store_true")
    options = parser.parse_args()
    for option, run in more.items():
        if getattr(options, option):
            return run(options.flyc)
    text = tables(options.flyc)
    if options.write:
        section.write(text)
    elif options.check:
        known, now = figures(section.read()), figures(text)
        complaints = [f"{', '.join(loop)}: {now.get(loop)} {counts}, docs/performance.md says {was}"
                      for loop, was in known.items() if loop not in now or longer(now[loop], was)]
        complaints += [f"{loop}: not in docs/performance.md" for loop in now if loop not in known]
        conclude(complaints, f"{len(now)} loops, none longer")
    else:
        print(text)
