"""Runs `flyc test` on a file of random kernels and says what each check came to.

A failure has a class: its message without what is particular to the kernel. Two failures of a class are probably one
fault, and the reducer keeps the class.
"""

import json
import os
import re
import signal
import subprocess


class Flyc:
    def __init__(self, program, reference=None, timeout=120, options=()):
        self.program, self.timeout, self.options = program, timeout, list(options)
        if reference is None:  # whether it has the option
            told = subprocess.run([program, "test", "--help"], capture_output=True, text=True).stdout
            reference = "--reference" in told
        self.reference = reference

    def test(self, path, arch):
        """(outcome, detail) of each check by its kernel's name, its digests, what went wrong with the whole or ""."""
        command = [self.program, "test", path, "--arch", arch, "--json", "-j", "1", *self.options]
        command += ["--reference"] if self.reference else []
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        try:
            out, err = process.communicate(timeout=self.timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return {}, {}, f"flyc took longer than {self.timeout} seconds"
        try:
            cases = [case for run in json.loads(out)["runs"] for case in run["cases"]]
        except (ValueError, KeyError):
            return {}, {}, f"flyc ended with status {process.returncode}: {(err + out)[-2000:]}"
        found = {case["name"].removeprefix("check_"): (case["outcome"], case.get("detail", "")) for case in cases}
        digests = {}
        for name, output, text in re.findall(r"^(\w+)\.(\w+) (.*)$", err, re.M):
            digests.setdefault(name, {})[output] = text
        whole = "" if process.returncode in (0, 1) else f"flyc ended with status {process.returncode}: {err[-2000:]}"
        if not cases:
            whole = whole or f"no checks: {err[-2000:]}"
        return found, digests, whole


    def compared(self, path, arch):
        """(launches that the reference compared, launches, reasons why not), from the text that `--json` leaves out."""
        command = [self.program, "test", path, "--arch", arch, "--reference", *self.options]
        try:
            out = subprocess.run(command, capture_output=True, text=True, timeout=self.timeout).stdout
        except subprocess.TimeoutExpired:
            return 0, 0, []
        found = re.search(r"^reference: (\d+) of (\d+) launches", out, re.M)
        reasons = re.findall(r"^  not compared, (\d+) times: `\w+`: (.*?)(?: \(|$)", out, re.M)
        return (int(found[1]), int(found[2]), reasons) if found else (0, 0, [])


def message_class(detail):
    if "differs from the reference, where" in detail:  # it could not go on
        return "the reference finds a mistake"
    if "differs from the reference" in detail:
        return "differs from the reference"
    code = re.search(r"FLY\d{4}", detail)
    if code:
        return code[0]
    if "the result differs" in detail:
        return "the result differs" + (" (unwritten)" if "unwritten memory" in detail else "")
    line = re.sub(r"^\S+?:\d+:\d+: ", "", detail.strip().split("\n")[0])
    crash = re.search(r"it crashed: ([\w ]+)", detail)
    if crash:
        return f"it crashed: {crash[1]}"
    line = re.sub(r"`\w+`", "K", line)
    line = re.sub(r"gfx\d+", "gfx", line)
    line = re.sub(r"\b[vs]\d+\b|\b[vs]\[\d+:\d+\]|0x[0-9a-f]+|\d+", "N", line)
    return line[:100]


def differing(one, other):
    """Outputs whose digests differ between two runs of a kernel."""
    return sorted(name for name in one if name in other and one[name] != other[name])
