"""pytest collects the `@check` functions of .fly files: `pytest kernels/`, `pytest softmax.fly --fly-arch gfx950 -k "n=255"`.

Each case of a check is a test. The cases of one check run in one process of flyc, on the emulator. The wheel registers
this plugin; elsewhere `-p flyc.pytest_plugin` does.
"""
import json
import subprocess

import pytest

from .errors import CompileError
from .jit import compiler


def pytest_addoption(parser):
    group = parser.getgroup("flyc")
    group.addoption(
        "--fly-arch", metavar="ARCH,...", help="architectures to run the checks of .fly files on; all: every one"
    )
    group.addoption(
        "--fly-option",
        action="append",
        default=[],
        metavar="OPTION",
        help="a further option for `flyc test`; may be repeated",
    )
    parser.addini("fly_arch", "architectures to run the checks of .fly files on", default="gfx942")


def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".fly" and "@check" in file_path.read_text(encoding="utf-8", errors="replace"):
        return FlyFile.from_parent(parent, path=file_path)
    return None


class FlyFile(pytest.File):
    def collect(self):
        listed = self.run("--list", "--arch", self.archs)
        if listed.returncode:
            raise self.CollectError(listed.stderr.strip() or listed.stdout.strip())
        for line in listed.stdout.splitlines():
            parts = line.split("  ", 2)
            if len(parts) == 3:
                yield FlyCase.from_parent(
                    self, name=f"{parts[2].strip()} [{parts[1].strip()}]", case=parts[2].strip(), arch=parts[1].strip()
                )

    @property
    def archs(self):
        return self.config.getoption("--fly-arch") or self.config.getini("fly_arch")

    def run(self, *options):
        try:
            command = [compiler(), "test", str(self.path), *options, *self.config.getoption("--fly-option")]
        except CompileError as error:
            raise self.CollectError(str(error)) from None
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def outcome(self, case, arch):
        """(outcome, detail) of a case; the first of a check runs all of them."""
        results = self.__dict__.setdefault("results", {})
        check = case.split(" ", 1)[0]
        if (check, arch) not in results:
            ended = self.run("--arch", arch, "--only", check, "--json")
            try:
                runs = json.loads(ended.stdout)["runs"]
                results[check, arch] = {
                    item["name"]: (item["outcome"], item["detail"]) for run in runs for item in run["cases"]
                }
            except (ValueError, KeyError):
                results[check, arch] = {}
            results[check, arch][None] = ended.stderr.strip() or f"flyc ended with status {ended.returncode}"
        found = results[check, arch]
        return found.get(case, ("missing", found[None]))


class FlyCase(pytest.Item):
    def __init__(self, *, case, arch, **words):
        super().__init__(**words)
        self.case, self.arch = case, arch

    def runtest(self):
        outcome, detail = self.parent.outcome(self.case, self.arch)
        if outcome == "skipped":
            pytest.skip(detail)
        if outcome != "passed":
            raise CheckFailed(detail or outcome)

    def repr_failure(self, excinfo):
        return str(excinfo.value) if isinstance(excinfo.value, CheckFailed) else super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, None, f"{self.case} on {self.arch}"


class CheckFailed(Exception):
    """A check of a .fly file failed; the text is what flyc said."""
