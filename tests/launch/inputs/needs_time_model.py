"""What `flyc run` says to each option of the time model that comes without `--time-model`.

    needs_time_model.py FLYC FILE
"""

import re
import subprocess
import sys

flyc, source = sys.argv[1:]
for option in ["--machine", "no.json"], ["--cus", "all"], ["--rounds", "2"], ["--sample"], ["--cold"]:
    done = subprocess.run([flyc, "run", source, "--kernel", "kept", "--arg", "y=empty:f32[256]", "--arg", "trips=i32:9",
                           "--arg", "workgroups=i32:4", *option], capture_output=True, text=True)
    named = re.search("--time-model", done.stderr)
    said = named[0] if named and not done.stdout else done.stdout + done.stderr
    print(f"{option[0]}: status {done.returncode}, {said}")
