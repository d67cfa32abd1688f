"""Installs FOLDER/first/*.whl into a virtual environment and uses it as a stranger would. wheel.py FOLDER ROOT"""
import os
import subprocess
import sys
from pathlib import Path

folder, root = Path(sys.argv[1]), Path(sys.argv[2])
environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "FLY"))}
environment.update(FLY_EMULATE="gfx942", FLY_PYTHON_CACHE=str(folder / "cache"), FLY_CACHE_DIR=str(folder / "objects"))


def run(*command, status=0):
    ended = subprocess.run([str(word) for word in command], env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == status, (command, ended.returncode, ended.stdout[-3000:], ended.stderr[-3000:])
    return ended.stdout


run(sys.executable, "-m", "venv", "--system-site-packages", "venv")  # for NumPy, PyTorch and pytest
python = folder / "venv/bin/python"
run(python, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", next((folder / "first").glob("*.whl")))
shown = run(folder / "venv/bin/flyc", "--version")
assert shown == run(python, "-m", "flyc", "--version"), "`python -m flyc` is another flyc"
print(shown)
alone = "import sys; sys.modules.update(numpy=None, torch=None, pytest=None); import flyc; print(flyc.__file__)"
assert run(python, "-c", alone).startswith(str(folder / "venv")), "without NumPy and PyTorch"
names = run(python, "-m", "zipfile", "--list", next((folder / "first").glob("*.whl"))).split()
assert all(any(name.endswith(f"dist-info/{notice}") for name in names) for notice in ("LICENSE", "THIRD-PARTY-NOTICES.txt")), names
where = run(python, "-c", "import flyc; print(flyc.kernels / 'normalization/softmax.fly')").strip()
assert where.startswith(str(folder / "venv")), where
print(run(python, "-W", "ignore", root / "docs/python/softmax.py", where))
print(run(python, "-m", "pytest", "-p", "no:cacheprovider", "-q", root / "tests/python/inputs/checked.fly", "--fly-arch", "gfx942,gfx1201", status=1))
