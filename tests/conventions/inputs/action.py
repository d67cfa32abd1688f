"""action.py WORK ROOT BUILD: ROOT/action.yml, without GitHub.

With FLY_ACTIONS_PARSER, a folder in which `npm install @actions/workflow-parser` has been run, that parser of GitHub
reads action.yml, the workflows of .github, and that of docs/conventions.md.
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import yaml

work, root, build = map(pathlib.Path, sys.argv[1:])
action = yaml.safe_load((root / "action.yml").read_text())
steps = {step["name"]: step for step in action["runs"]["steps"]}
project, programs, served, runner = work / "project", work / "programs", work / "served", work / "runner"


def check_form():
    """What the page "Metadata syntax for GitHub Actions" says of composite actions, and what we say of ours."""
    text = (root / "action.yml").read_text()
    assert set(action) == {"name", "description", "branding", "inputs", "outputs", "runs"}, set(action)
    assert set(action["runs"]) == {"using", "steps"} and action["runs"]["using"] == "composite"
    for name, described in action["inputs"].items():
        assert set(described) == {"description", "default"} and isinstance(described["default"], str), name
    for name, described in action["outputs"].items():
        assert set(described) == {"description", "value"}, name
    for name, step in steps.items():
        kind = {"run", "shell"} if "run" in step else {"uses", "with"}
        assert kind <= set(step) <= kind | {"name", "if", "env", "continue-on-error"}, (name, set(step))
        assert "${{" not in step.get("run", ""), f"{name}: an expression in a command would be run as a command"
        assert re.fullmatch(r"[\w-]+/[\w/-]+@v\d+", step.get("uses", "a/b@v1")), name
        for variable in step.get("env", {}):
            assert f"${variable}" in step["run"] or f"${{{variable}" in step["run"], f"{name} does not use {variable}"
    used = set(re.findall(r"\binputs\.(\w+)", text))
    assert used == set(action["inputs"]), used ^ set(action["inputs"])
    page = (root / "docs/conventions.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \|.*\| (?:`(.*)`)? ?\|$", page[page.index("| input |"):], re.M)
    documented = {name: default for name, default in rows} | {"package": ""}
    assert documented == {name: described["default"] for name, described in action["inputs"].items()}, documented
    print("steps:", ", ".join(steps))


def ask_parser():
    folder = os.environ.get("FLY_ACTIONS_PARSER")
    if not folder:
        print("GitHub's parser: SKIPPED, FLY_ACTIONS_PARSER names no folder")
        return
    script = pathlib.Path(__file__).with_name("actions_parser.mjs")
    page = work / "page.yml"
    page.write_text(re.search(r"```yaml\n(# \.github/workflows.*?)```", (root / "docs/conventions.md").read_text(), re.S)[1])
    files = [root / "action.yml", *sorted((root / ".github/workflows").glob("*.yml")), page]
    done = subprocess.run(["node", script, folder, *files], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print("GitHub's parser:", done.stdout.strip() if done.returncode == 0 else f"failed\n{done.stdout}")


def run(name, inputs=(), ref="v1.2.3", with_flyc=True):
    """Runs a step as a runner does: (status, output)."""
    values = {f"inputs.{key}": described["default"] for key, described in action["inputs"].items()} | {
        f"inputs.{key}": value for key, value in dict(inputs).items()} | {
        "github.action_ref": ref, "github.server_url": "https://server", "github.action_repository": "owner/flyc"}
    variables = {key: re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda match: values[match[1]], value)
                 for key, value in steps[name]["env"].items()}
    path = [programs, *([build / "bin"] if with_flyc else []), "/usr/bin", "/bin"]
    environment = {"PATH": os.pathsep.join(map(str, path)), "HOME": str(work), "RUNNER_TEMP": str(runner),
                   "GITHUB_WORKSPACE": str(project), "GITHUB_ACTIONS": "true", "FLY_CACHE_DIR": ""} | variables
    script = work / "step.sh"
    script.write_text(steps[name]["run"])
    done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script], cwd=project, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def write_program(name, text):
    (programs / name).write_text("#!/bin/bash\n" + text)
    (programs / name).chmod(0o755)


def installed(what, **how):
    """Whether the first step installs flyc, and what from."""
    (programs / "flyc").unlink(missing_ok=True)
    (work / "installed").unlink(missing_ok=True)
    status, output = run("flyc", with_flyc=False, **how)
    if status:
        said = next((f", {line.split(':', 3)[0]}::error::{line[9:]}" for line in output.splitlines() if line.startswith("::error::")), "")
        print(f"{what}: refused{said}" if not (work / "installed").exists() else f"{what}: installed nevertheless\n{output}")
    else:
        print(f"{what}: {output.splitlines()[-1].split(' (')[0]}, {(work / 'installed').read_text().strip()}")


check_form()
ask_parser()

for folder in project / "kernels", programs, served, runner:
    folder.mkdir(parents=True)
write_program("curl", f'while [[ $1 != --output ]]; do shift; done; cp "{served}/$(basename "$3")" "$2"\n')
write_program("sudo", 'exec "$@"\n')
write_program("dpkg", "echo amd64\n")
write_program("apt-get", f'[[ -f ${{!#}} ]] && basename "${{!#}}" > "{work}/installed" && ln -s "{build}/bin/flyc" "{programs}/flyc"\n')
status, output = run("flyc")
print("on PATH:", output.split(" (")[0] if status == 0 else output)
package = b"a package"
for name in "flyc_1.2.3_amd64.deb", "other.deb":
    (served / name).write_bytes(package)
(project / "mine.deb").write_bytes(package)
sums = f"{hashlib.sha256(package).hexdigest()}  flyc_1.2.3_amd64.deb\n{'0' * 64}  NOTES.md\n"
(served / "SHA256SUMS").write_text(sums)
installed("a release")
(served / "SHA256SUMS").write_text("0" + sums[1:] if sums[0] != "0" else "1" + sums[1:])
installed("another sum")
installed("a branch", ref="main")
installed("an address", inputs={"package": "https://elsewhere/other.deb"})
installed("a file", inputs={"package": "mine.deb"})
(programs / "flyc").unlink()

kernel = """\
@kernel(block=64, grid=1)
def twice(x: In[f32, (64,)], y: Out[f32, (64,)]):
    y[thread_id.x] = 2 * x[thread_id.x]


@check
def {name}():
    x, y = random((64,), f32, seed=1), empty((64,), f32)
    twice(x, y)
    expect_equal(y, {factor} * x)
"""
(project / "kernels/twice.fly").write_text(kernel.format(name="doubles", factor=2))
status, output = run("format")
print("format:", "passes" if status == 0 else output)
(project / "kernels/twice.fly").write_text(kernel.format(name="doubles", factor=2).replace("2 * x[", "2*x["))
status, output = run("format")
print("format: fails," if status else "format: passes,", *re.findall(r"kernels/\w+\.fly", output)[:1])

status, output = run("checks", {"sarif": "", "options": "-q -W perf", "files": "kernels/*.fly"})
cases = len(list(xml.etree.ElementTree.parse(project / "flyc-junit.xml").iter("testcase")))
print(f"checks: pass, {cases} case" if status == 0 else output)
(project / "kernels/thrice.fly").write_text(kernel.format(name="triples", factor=3))
status, output = run("checks", {"sarif": ""})
cases = len(list(xml.etree.ElementTree.parse(project / "flyc-junit.xml").iter("testcase")))
print(f"checks: fail, {cases} cases" if status == 1 else output)

(project / "kernels/mistake.fly").write_text(kernel.format(name="fails", factor=2).replace("2 * x[thread_id.x]", "nothing"))
if "sarif" not in subprocess.run([build / "bin/flyc", "test", "--help"], stdout=subprocess.PIPE, text=True).stdout:
    print("as SARIF: SKIPPED, this flyc does not write it")
elif not shutil.which("jq"):
    print("as SARIF: SKIPPED, jq is missing")
else:
    status, output = run("checks", {"files": "kernels/mistake.fly"})
    line = re.search(r"^(.*):3: error: .* \[(FLY\d+)\]$", output, re.M)
    print(f"as SARIF: fail, {line[2]} in {line[1]}" if status and line and (project / "flyc.sarif").exists() else output)
