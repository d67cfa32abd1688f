"""Holds `flyc report` and `flyc verify` against each other: agree.py FLYC FILE...

Of each kernel and function of the code objects, both must name the same missing waits: the same operations, the same
first instruction that uses each too early, the same number of blocks that do. A second name of a kernel is listed by
the verifier alone.
"""
import json
import subprocess
import sys

flyc, *files = sys.argv[1:]
EFFECTS = {"wait-read": "reads", "wait-overwrite": "overwrites"}
SHOWN = 100  # findings that a report describes; the rest is counted


def objects(command, path):
    run = subprocess.run([flyc, command, path, "--json"], capture_output=True, text=True)
    return json.loads(run.stdout)["objects"]


def reported(path):
    out = {}
    for code in [code for each in objects("report", path) for code in each["kernels"] + each["functions"]]:
        found = {}
        for finding in code["findings"]:
            if finding["kind"] == "missing_wait":
                first = found.setdefault((finding["operation"]["address"], finding["effect"]), [finding["address"], 0])
                first[1] += 1
        out[code["name"]] = (code["missing_waits"], found)
    return out


def refused(path):
    out = {}
    for code in [code for each in objects("verify", path) for code in each["code"]]:
        found = {}
        for error in code["errors"]:
            if error["rule"] in EFFECTS:
                found[(error["path"][0]["address"], EFFECTS[error["rule"]])] = [error["path"][-1]["address"],
                                                                                error["others"] + 1]
        out[code["name"]] = (sum(count for _, count in found.values()), found)
    return out


pieces = waits = 0
differences = []
for path in files:
    by_report, by_verifier = reported(path), refused(path)
    for name in by_report.keys() | by_verifier.keys():
        a, b = by_report.get(name, (0, {})), by_verifier.get(name, (0, {}))
        pieces += 1
        waits += a[0]
        if a[0] != b[0] or (a[0] <= SHOWN and a[1] != b[1]):
            differences.append(f"{path} {name}: report {a}, verify {b}")
print(f"{pieces} pieces of code, {waits} missing waits, {len(differences)} differences")
print("\n".join(differences))
sys.exit(bool(differences))
