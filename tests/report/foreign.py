"""foreign.py FLYC FOLDER SOURCE...: compiles C kernels with clang for all architectures, those of the first source at all -O (some without
line tables), and holds flyc's reports of them against LLVM's tools."""
import json, os, subprocess, sys

from check_report import check

flyc, folder, sources = sys.argv[1], sys.argv[2], sys.argv[3:]
os.makedirs(folder, exist_ok=True)
wrong, pieces = [], 0
targets = json.loads(subprocess.check_output([flyc, "targets", "--json"]))["targets"]
for source in sources:
    for arch in (row["name"] for row in targets):
        for level in ("-O0", "-O1", "-O2", "-O3") if source == sources[0] else ("-O0", "-O3"):
            path = os.path.join(folder, f"{os.path.splitext(os.path.basename(source))[0]}.{arch}{level}.hsaco")
            lines = [] if level == "-O1" else ["-gline-tables-only"]
            subprocess.run(["clang", "-x", "c", "--target=amdgcn-amd-amdhsa", f"-mcpu={arch}", "-nogpulib", level, *lines, source, "-o", path], check=True)
            number, bad = check(flyc, path)
            pieces += number
            wrong += bad
print("\n".join(wrong[:30]))
print(f"{pieces} pieces of code, {len(wrong)} differences")
sys.exit(bool(wrong))
