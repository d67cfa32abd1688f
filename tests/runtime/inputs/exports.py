"""exports.py HEADER... LIBRARY: every function that the headers declare is a symbol of the library, and no other."""
import re
import subprocess
import sys

*headers, library = sys.argv[1:]
text = re.sub(r"/\*.*?\*/", "", "".join(open(header).read() for header in headers), flags=re.S)
declared = set(re.findall(r"^[a-z][\w *]*?\b(fly_\w+)\(", text, flags=re.M))
names = subprocess.run(["llvm-nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, text=True, check=True).stdout
exported = {name for name in re.findall(r"\b(fly_\w+)", names)}
if declared != exported or not declared:
    sys.exit(f"declared only: {declared - exported}; exported only: {exported - declared}")
