"""debugger.py FILE.hsaco FILE.s: lldb sets breakpoints by line and by name. LLVM's lldb 22 knows no AMD GPU, so it gets a
copy whose header says x86-64: lines and addresses are the same. FILE.s is the listing of --emit=isa."""
import re
import subprocess
import sys
from pathlib import Path

path, listing = Path(sys.argv[1]), Path(sys.argv[2]).read_text()
copy = path.with_suffix(".x86-64")
data = bytearray(path.read_bytes())
data[7:9], data[18:20], data[48:52] = bytes(2), (62).to_bytes(2, "little"), bytes(4) # OS and its version, machine, flags
copy.write_bytes(data)


def lldb(*commands):
    words = [word for command in (f'target create "{copy}"', *commands) for word in ("-o", command)]
    return subprocess.run(["lldb-22", "-b", "--no-lldbinit", *words], capture_output=True, text=True, check=True).stdout


lines = {} # of each address, by the listing
line = None
for text in listing.splitlines():
    if place := re.match(r"\s+; vec_add\.fly:(\d+)", text):
        line = int(place[1])
    elif re.match(r"\s+; ", text):
        line = None
    elif instruction := re.match(r"\s+\S.*; ([0-9a-f]+)$", text):
        lines[int(instruction[1], 16)] = line
for wanted in sorted({line for line in lines.values() if line}):
    said = lldb(f"breakpoint set --file vec_add.fly --line {wanted}", "breakpoint list --verbose")
    # lldb moves a breakpoint on a line without statements to the next that has one.
    found = [(int(at[1]), int(at[2], 16)) for at in re.finditer(r"location = vec_add\.fly:(\d+):\d+\s+address = \S*\[(0x[0-9a-f]+)\]", said)]
    assert found and all(lines[address] == at for at, address in found), (wanted, found)
for name in ("add_scalar", "add_tiled", "add_f16"):
    said = lldb(f"breakpoint set --name {name}")
    assert re.search(rf"where = \S*`{name} \+ \d+", said), said
tables = lldb("image dump line-table vec_add.fly")
assert tables.count("Line table for") == 1
rows = {int(row[1], 16): int(row[2]) for row in re.finditer(r"^(0x[0-9a-f]+): vec_add\.fly:(\d+)", tables, re.M)}
wrong = [(hex(address), line, lines[address]) for address, line in rows.items() if address in lines and lines[address] != line]
assert len(rows) > 20 and not wrong, wrong
