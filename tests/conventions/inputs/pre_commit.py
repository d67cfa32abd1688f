"""pre_commit.py WORK ROOT: pre-commit with the hooks of ROOT, as `repo:` of a configuration, without a network."""

import os
import pathlib
import shutil
import subprocess
import sys

work, root = map(pathlib.Path, sys.argv[1:])
hooks, project = work / "hooks", work / "project"
environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "PRE_COMMIT_HOME": str(work / "home"), "PRE_COMMIT_COLOR": "never", "GIT_CONFIG_GLOBAL": "/dev/null"}
environment |= {f"GIT_{who}_{what}": "test@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def run(*command, folder, status=0):
    done = subprocess.run([str(word) for word in command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != status:
        sys.exit(f"{command}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def commit(folder):
    run("git", "init", "-q", "-b", "main", folder=folder)
    run("git", "add", "-A", folder=folder)
    run("git", "commit", "-qm", "All", folder=folder)


for folder in hooks, project / "a folder":
    folder.mkdir(parents=True)
shutil.copy(root / ".pre-commit-hooks.yaml", hooks)  # of a clone of ROOT, pre-commit reads only this
commit(hooks)
kernel = "@kernel(block=64, grid=1)\ndef f(y: Out[f32, (64,)]):\n    y[thread_id.x] {}\n"
(project / "unformatted.fly").write_text(kernel.format("=  1"))
(project / "a folder/mistakes.fly").write_text(kernel.format("= thraed_id.x + nothing"))
(project / "other.txt").write_text("x  =  1\n")
(project / ".pre-commit-config.yaml").write_text(f"""\
repos:
  - repo: {hooks}
    rev: {run("git", "rev-parse", "HEAD", folder=hooks).strip()}
    hooks:
      - id: flyc-fmt
      - id: flyc-fix
        args: [--arch=gfx950]
""")
commit(project)
run("pre-commit", "validate-manifest", root / ".pre-commit-hooks.yaml", folder=project)
print(run("pre-commit", "run", "--all-files", folder=project, status=1))
print("again")
print(run("pre-commit", "run", "--all-files", folder=project, status=1))
mistakes = (project / "a folder/mistakes.fly").read_text()
print("mistakes.fly, for gfx950:", "thread_id" if "= thread_id.x + nothing" in mistakes else mistakes)
print("unformatted.fly:", "formatted" if (project / "unformatted.fly").read_text() == kernel.format("= 1") else "not formatted")
print("other.txt:", "untouched" if (project / "other.txt").read_text() == "x  =  1\n" else "touched")
