"""Runs the `$ flyc ...` blocks of docs/report.md beside tests/report/inputs and compares; --write puts the outputs in."""
import os, re, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "..", "docs", "report.md")
flyc, write = os.path.abspath(sys.argv[1]), "--write" in sys.argv
page = open(PAGE).read()


def made(block):
    command = block[1]
    done = subprocess.run([flyc, *command.split()[1:]], cwd=os.path.join(HERE, "inputs"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return f"```console\n$ {command}\n{done.stdout}```\n"


result = re.sub(r"```console\n\$ (.*)\n(?:.*\n)*?```\n", made, page)
if write:
    open(PAGE, "w").write(result)
elif result != page:
    sys.exit("docs/report.md is not what flyc prints; run tests/report/examples.py build/bin/flyc --write")
print(f"{len(re.findall('```console', page))} examples")
