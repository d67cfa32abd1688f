"""Runs every test of a build and counts: GoogleTest cases, lit tests, the checks of kernels/ and stdlib/, fuzz targets,
the emulator's coverage page.

Unit tests run beside the fuzz targets, which take about a minute each on one core; the others have all cores to
themselves. A fuzz target tries a fixed number of inputs, so that a commit passes or fails alike on every machine.

A failure prints its output and the command that runs it alone. The count is per GoogleTest case, per lit test and per
check of a kernel; a program that crashes counts as one failure more than the cases it still reported. What each stage
cost is appended to BUILD/times.jsonl, for scripts/times.py.
"""

import argparse
import difflib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent


class Tally:
    """Counts and failure reports, from several threads."""

    def __init__(self):
        self.passed = self.failed = 0
        self.unsupported = Counter() # by what is missing
        self.lock = threading.Lock()

    def add(self, kind, passed, failed, reports=(), unsupported=()):
        with self.lock:
            self.passed += passed
            self.failed += failed
            self.unsupported.update(unsupported)
            for report in reports:
                print(report.rstrip() + "\n", flush=True)
            print(f"  {kind}: {passed} passed, {failed} failed", flush=True)


class Stages:
    """Seconds of processors and of waiting, by stage; programs of one stage may run side by side."""

    def __init__(self):
        self.spent = defaultdict(lambda: [0.0, 0.0])
        self.lock = threading.Lock()

    def add(self, stage, processor, waiting):
        with self.lock:
            self.spent[stage][0] += processor
            self.spent[stage][1] += waiting

    def write(self, build):
        with open(build / "times.jsonl", "a") as out:
            for stage, (processor, waiting) in self.spent.items():
                print(json.dumps({"what": f"tests: {stage}", "processor": round(processor, 1),
                                  "waiting": round(waiting, 1)}), file=out)


STAGES = Stages()


def run(stage, command, timeout, **keywords):
    """Output and status of a command; one that takes too long is ended and has status 124."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, **keywords)
        late = threading.Timer(timeout, lambda: os.kill(process.pid, signal.SIGKILL))
        late.start()
        _, state, usage = os.wait4(process.pid, 0)
        was_late = not late.is_alive()
        late.cancel()
        process.returncode = os.waitstatus_to_exitcode(state)
        output.seek(0)
        text = output.read().decode(errors="replace")
    STAGES.add(stage, usage.ru_utime + usage.ru_stime, time.monotonic() - begin)
    return (text + f"\n(ended after {timeout} s)", 124) if was_late else (text, process.returncode)


def executables(folder):
    if not folder.is_dir():
        return []
    return sorted(p for p in folder.iterdir() if p.is_file() and p.suffix != ".so" and os.access(p, os.X_OK))


# --- GoogleTest ---

def unit_tests(program, tally, timeout, records):
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        output, status = run("unit tests", [str(program), f"--gtest_output=json:{report}", "--gtest_brief=1"], timeout, cwd=scratch,
                             env=os.environ | {"FLY_COVERAGE_DIR": str(records)})
        try:
            suites = json.loads(report.read_text())["testsuites"]
        except (OSError, ValueError, KeyError):
            tally.add(program.name, 0, 1, [f"FAILED {program}: ended without a report (status {status})\n{output}"])
            return
    passed, reports = 0, []
    for suite in suites:
        for case in suite["testsuite"]:
            name = f'{suite["name"]}.{case["name"]}'
            if case.get("failures"):
                text = "\n".join(failure["failure"] for failure in case["failures"])
                reports.append(f"FAILED {name}\n  alone: {shlex.join([str(program), f'--gtest_filter={name}'])}\n{text}")
            elif case.get("status", "RUN") == "RUN":
                passed += 1
    if status != 0 and not reports:
        reports.append(f"FAILED {program}: status {status} after its tests\n{output}")
    tally.add(program.name, passed, len(reports), reports)


# Programs that take more than ten seconds of a core, the longest first.
LONG = ["pseudocode_test", "emulator_test", "isa_test"]


def longest_first(programs):
    return sorted(programs, key=lambda p: LONG.index(p.name) if p.name in LONG else len(LONG))


# --- The page of what the emulator executes ---

def fresh_folder(path):
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def coverage_page(build, records, tally, update):
    """docs/generated/emulator-coverage.md must be what the unit tests, all of them, have just recorded."""
    name = "docs/generated/emulator-coverage.md"
    tool, page = build / "bin" / "emulator-coverage", ROOT / name
    if not tool.is_file():
        return
    done = subprocess.run([tool, records, ROOT / "tests" / "facts" / "coverage_notes.json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, text=True)
    if done.returncode != 0:
        tally.add("coverage page", 0, 1, [f"FAILED {tool} {records}\n{done.stderr}"])
        return
    if update:
        page.write_text(done.stdout)
    old = page.read_text() if page.is_file() else ""
    if old == done.stdout:
        tally.add("coverage page", 1, 0)
        return
    lines = list(difflib.unified_diff(old.splitlines(), done.stdout.splitlines(), name, "what the tests recorded", lineterm="", n=0))
    tally.add("coverage page", 0, 1, ["\n".join(
        [f"FAILED {name} is not what the tests recorded; if that is right, update it:",
         "  scripts/run_tests.py --update-coverage", *lines[:40]] + (["  ..."] if len(lines) > 40 else []))])


# --- lit ---

def lit_program():
    for name in ("lit-22", "lit"):
        if shutil.which(name):
            return name
    return None


def lit_tests(build, tally, jobs, arguments=(), title="lit"):
    suite = build / "tests"
    if not (suite / "lit.site.cfg.py").is_file():
        return
    lit = lit_program()
    if lit is None:
        tally.add(title, 0, 1, ["FAILED lit is missing; run scripts/setup.sh"])
        return
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        output, status = run(title, [lit, "-v", "--no-progress-bar", "--allow-empty-runs", f"-j{jobs}", "-o", str(report), *arguments, str(suite)], 3600)
        try:
            tests = json.loads(report.read_text())["tests"]
        except (OSError, ValueError, KeyError):
            if "did not discover any tests" in output or "contained no tests" in output:
                return
            tally.add(title, 0, 1, [f"FAILED lit: ended without a report (status {status})\n{output}"])
            return
    passed = failed = 0
    reports, unsupported = [], []
    for test in tests:
        if test["code"] in ("PASS", "XFAIL", "FLAKYPASS"):
            passed += 1
        elif test["code"] in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
            missing = re.search(r"unavailable features: (.+)", test.get("output", ""))
            unsupported.append(missing[1] if missing else "another machine")
        else:
            failed += 1
            path = test["name"].split(" :: ", 1)[-1]
            alone = shlex.join([lit, "-v", *arguments, str(suite), f"--filter={re.escape(path)}"])
            reports.append(f'FAILED {path} ({test["code"]})\n  alone: {alone}\n{test.get("output", "")}')
    tally.add(title, passed, failed, reports, unsupported)


# --- Kernels ---

def kernel_suite(title, command, build, tally, decorator=None):
    """A run of `flyc test` or `flyc bench` over folders, in which each file of kernels/ with the decorator takes part."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.xml"
        output, status = run(title, [*command, "--quiet", f"--junit={report}"], 3600, cwd=ROOT,
                             env=os.environ | {"FLY_CACHE_DIR": str(build / "tests" / "objects")})
        try:
            suites = ElementTree.parse(report).getroot()
        except (OSError, ElementTree.ParseError):
            tally.add(title, 0, 1, [f"FAILED {' '.join(command)}: ended without a report (status {status})\n{output}"])
            return
    cases = list(suites.iter("testcase"))
    failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    reports = [f"FAILED {case.get('classname')} {case.get('name')}" for case in failed]
    tested = {case.get("classname").split(" ")[0] for case in cases}
    for source in sorted((ROOT / "kernels").rglob("*.fly")) if decorator else ():
        name = str(source.relative_to(ROOT))
        if name not in tested and re.search(f"^{decorator}", source.read_text(), re.MULTILINE):
            failed.append(source)
            reports.append(f"FAILED {name}: no {decorator} of it ran")
    if status != 0 or failed:
        reports.append(f"  all of them: cd {shlex.quote(str(ROOT))} && {shlex.join(command)}\n{output}")
    tally.add(title, max(0, len(cases) - len(failed)), max(len(failed), status != 0), reports)


def kernel_checks(build, tally, jobs):
    """The checks of kernels and library on all architectures; the benches on one, with only the workgroups executed that
    the time model needs, which takes a quarter of the time."""
    flyc = str(build / "bin" / "flyc")
    kernel_suite("kernels", [flyc, "test", "kernels", "stdlib", "--arch", "all", f"-j{jobs}"], build, tally, "@check")
    kernel_suite("benches", [flyc, "bench", "kernels", "stdlib", "--sample", f"-j{jobs}"], build, tally)


# --- Fuzzing ---

SEED_SUFFIXES = {".fly"}
FUZZ_INPUTS = {"fuzz_elaborator": 8000, "fuzz_frontend": 1600, "fuzz_container": 10000}  # about a minute each


def fuzz_target(program, build, tally, seconds, seed):
    """libFuzzer over the kernels and tests as seeds, or over those that the build has made for the program: for some
    seconds, or with the target's number of inputs (None). New inputs stay in build/fuzz-corpus for the next run."""
    limit = f"-runs={FUZZ_INPUTS.get(program.name, 5000)}" if seconds is None else f"-max_total_time={seconds}"
    corpus = build / "fuzz-corpus" / program.name
    corpus.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as seeds:
        number = 0
        made = build / "fuzz-seeds" / program.name
        if made.is_dir():
            shutil.copytree(made, seeds, dirs_exist_ok=True)
        for folder in () if made.is_dir() else ("kernels", "stdlib", "tests"):
            for source in sorted((ROOT / folder).rglob("*")):
                if source.suffix in SEED_SUFFIXES and source.is_file():
                    shutil.copyfile(source, Path(seeds) / f"{number:05}{source.suffix}")
                    number += 1
        command = [str(program), f"-seed={seed}", limit, "-timeout=25", "-rss_limit_mb=2048",
                   f"-artifact_prefix={corpus.parent}/{program.name}-", str(corpus), seeds]
        output, status = run("fuzzing", command, 900 if seconds is None else seconds * 3 + 120)
    runs = re.findall(r"Done (\d+) runs", output)
    name = f"fuzz {program.name} ({runs[-1] if runs else 'no'} inputs)"
    if status == 0:
        tally.add(name, 1, 0)
    else:
        tally.add(name, 0, 1, [f"FAILED {name}\n" + "\n".join(output.splitlines()[-40:])])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="build directory")
    parser.add_argument("--fuzz", type=int, metavar="SECONDS",
                        help="fuzz each target for this long instead of with a fixed number of inputs; 0 turns fuzzing off")
    parser.add_argument("--fuzz-seed", type=int, default=1, metavar="N", help="where fuzzing starts: the same N tries the same inputs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--update-coverage", action="store_true",
                        help="only run the unit tests and rewrite the page docs/generated/emulator-coverage.md")
    parser.add_argument("--timeout", type=int, default=900, metavar="SECONDS", help="for one unit test program")
    options = parser.parse_args()
    build = options.build.resolve()

    if not executables(build / "unit"):
        sys.exit(f"{build} has no tests: it was configured with -DFLY_TESTS=OFF, or without GoogleTest, which "
                 "scripts/setup.sh installs")

    tally = Tally()
    print("running tests", flush=True)
    fuzzers = executables(build / "fuzz") + [p for p in executables(build / "bin") if "fuzz" in p.name]
    fuzzers = fuzzers if options.fuzz != 0 and not options.update_coverage else []
    records = fresh_folder(build / "coverage")
    jobs = max(1, options.jobs)
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        # A fuzz target takes its time whatever else runs, so it is first; then the longest programs.
        fuzzing = [pool.submit(fuzz_target, program, build, tally, options.fuzz, options.fuzz_seed) for program in fuzzers]
        units = [pool.submit(unit_tests, p, tally, options.timeout, records) for p in longest_first(executables(build / "unit"))]
        for done in units:
            done.result()
        if tally.failed == 0:
            coverage_page(build, records, tally, options.update_coverage)
        else:
            print("  coverage page: not compared, since something failed before it")
        if options.update_coverage:
            return 1 if tally.failed else 0
        for target in fuzzing:
            target.result()
    kernel_checks(build, tally, jobs)
    lit_tests(build, tally, jobs)
    lit_tests(build, tally, jobs, ["--param=round_trip=1", r"--filter=\.mlir$"], "lit, every IR printed and parsed again")

    STAGES.write(build)
    for missing, count in tally.unsupported.items():
        print(f"  not counted: {count} tests that need what this machine does not have: {missing}")
    if tally.passed + tally.failed == 0:
        print("  no tests were found; is the build complete?")
        tally.failed = 1
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
