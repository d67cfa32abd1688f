"""Runs a command whose standard error (with --stdout first, its standard output) is a terminal, and prints what it writes
there."""

import os
import pty
import subprocess
import sys

ours, theirs = pty.openpty()
if sys.argv[1] == "--stdout":
    subprocess.run(sys.argv[2:], stdout=theirs)
else:
    subprocess.run(sys.argv[1:], stderr=theirs)
os.close(theirs)
try:
    while text := os.read(ours, 4096):
        sys.stdout.buffer.write(text.replace(b"\r\n", b"\n"))
except OSError:
    pass
