"""status.py N COMMAND ...: runs the command and compares its exit status."""
import subprocess
import sys

got = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
if got != int(sys.argv[1]):
    sys.exit(f"status {got}, not {sys.argv[1]}: {' '.join(sys.argv[2:])}")
