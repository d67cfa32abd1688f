"""Runs launches on the model, several at a time, each once."""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time


class Runs:
    def __init__(self, flyc, jobs):
        self.flyc, self.jobs, self.done = str(pathlib.Path(flyc).resolve()), jobs, {}
        self.folder = tempfile.TemporaryDirectory(prefix="validate-")
        self.environment = dict(os.environ)
        if not self.environment.get("FLY_CACHE_DIR", "default"):        # a test's: compile each file once
            self.environment["FLY_CACHE_DIR"] = os.path.join(self.folder.name, "objects")

    def call(self, *words):
        done = subprocess.run([self.flyc, *words], capture_output=True, text=True, env=self.environment)
        if done.returncode:
            sys.exit(f"flyc {' '.join(words)}\n{done.stdout}{done.stderr}")
        return done.stdout

    def seconds(self, *words):
        """Of a run of flyc: its CPU time, and the time on the clock."""
        begin, cpu = time.monotonic(), os.times()
        self.call(*words)
        end = os.times()
        return (end.children_user + end.children_system - cpu.children_user - cpu.children_system,
                time.monotonic() - begin)

    def machine(self, arch):
        return json.loads(self.call("targets", arch, "--machine"))

    def machine_with(self, arch, name, value):
        """A file with one constant of the machine changed."""
        machine = self.machine(arch)
        constant = {**machine["constants"][name], "value": value}
        path = pathlib.Path(self.folder.name) / f"{arch}-{name}-{value:g}.json"
        path.write_text(json.dumps({"schema_version": machine["schema_version"], "name": machine["name"],
                                    "architecture": arch, "constants": {name: constant}}))
        return str(path)

    def one(self, launch, options):
        """The times of a launch, as JSON."""
        path = os.path.join(self.folder.name, f"{abs(hash((launch, options)))}.json")
        self.call(*launch.command(), *options, "--time-model=json", "--time-out", path)
        with open(path) as file:
            run = json.load(file)
        os.remove(path)
        return run

    def all(self, wanted, progress=False):
        """The times of each (launch, options), in a dictionary by them."""
        left = [each for each in dict.fromkeys(wanted) if each not in self.done]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            runs = {pool.submit(self.one, *each): each for each in left}
            for n, future in enumerate(concurrent.futures.as_completed(runs), 1):
                self.done[runs[future]] = future.result()
                if progress:
                    print(f"{n}/{len(left)} {runs[future][0].arch} {runs[future][0].kernel}", flush=True)
        return {each: self.done[each] for each in wanted}
