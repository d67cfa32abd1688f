"""print-ir.py NAMES TEXTS: every pass that the error message NAMES lists has a dump in TEXTS, unless it is for another target."""
import re
import sys
from pathlib import Path

names = re.search(r"the passes are (.*?)(?:  \[|$)", Path(sys.argv[1]).read_text(), re.S).group(1).replace("\n", " ").split(", ")
dumped = set(re.findall(r"^// -----// IR Dump After .*?\(([\w.-]+)\)", Path(sys.argv[2]).read_text(), re.M))
missing = [name for name in names if name.strip() not in dumped]
assert len(names) > 20 and not missing, missing
