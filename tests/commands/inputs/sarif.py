"""Reads a SARIF log as a code host does, and compares what it finds with what the command line says.

    sarif.py LOG --status N --results N [--code C] [--fix CODE=TEXT] [--related TEXT] [--frames N] [--hidden TEXT] [--file END]
    sarif.py --validator LOG...     by @microsoft/sarif-multitool, if FLY_SARIF_MULTITOOL names it
"""
import argparse
import json
import os
import subprocess
import sys
import urllib.parse


def places(value):
    """All physical locations below a value."""
    if isinstance(value, dict):
        if "physicalLocation" in value:
            yield value["physicalLocation"]
        for below in value.values():
            yield from places(below)
    elif isinstance(value, list):
        for below in value:
            yield from places(below)


def check_place(place):
    """A region is where its line and column say: by the file itself."""
    uri = place["artifactLocation"]["uri"]
    assert uri == urllib.parse.quote(urllib.parse.unquote(uri), safe="/:-_.~"), uri
    path = urllib.parse.unquote(uri.removeprefix("file://"))
    region = place["region"]
    with open(path, "rb") as file:
        data = file.read()
    line = data.split(b"\n")[region["startLine"] - 1]
    start = sum(len(one) + 1 for one in data.split(b"\n")[: region["startLine"] - 1])
    column = len(line[: region["byteOffset"] - start].decode("utf-8", "replace")) + 1
    assert column == region["startColumn"], (column, region)
    assert region["byteOffset"] + region["byteLength"] <= len(data), region
    return path


def validate(logs):
    tool = os.environ.get("FLY_SARIF_MULTITOOL")
    if not tool:
        return
    ended = subprocess.run([tool, "validate", *logs], capture_output=True, text=True, env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"})
    assert ended.returncode == 0 and ": error " not in ended.stdout, ended.stdout + ended.stderr
    assert f"{len(logs)} files scanned" in ended.stdout, ended.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("logs", nargs="+")
    parser.add_argument("--validator", action="store_true")
    parser.add_argument("--status", type=int)
    parser.add_argument("--results", type=int)
    for name in ("code", "fix", "related", "hidden", "file"):
        parser.add_argument("--" + name)
    parser.add_argument("--frames", type=int, default=0)
    options = parser.parse_args()
    if options.validator:
        return validate(options.logs)
    with open(options.logs[0], encoding="utf-8") as file:
        log = json.load(file)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    (invocation,) = run["invocations"]
    driver, results = run["tool"]["driver"], run["results"]
    assert driver["name"] == "flyc" and run["columnKind"] == "unicodeCodePoints"
    assert invocation["exitCode"] == options.status and invocation["executionSuccessful"] == (options.status == 0)
    assert len(results) == options.results, len(results)
    for result in results:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"] and result["level"] in ("error", "warning", "note")
    paths = [check_place(place) for place in places(results)]
    if options.code:
        assert results[0]["ruleId"] == options.code
    if options.file:
        assert paths and paths[0].endswith(options.file), paths
    if options.fix:
        code, _, text = options.fix.partition("=")
        inserted = [r["insertedContent"]["text"] for f in results[0]["fixes"] for c in f["artifactChanges"] for r in c["replacements"]]
        assert results[0]["ruleId"] == code and text in inserted, inserted
    if options.related:
        assert options.related in [one["message"]["text"] for one in results[0]["relatedLocations"]]
    if options.frames:
        assert len(results[0]["stacks"][0]["frames"]) == options.frames
    if options.hidden:
        assert options.hidden in [n["message"]["text"] for n in invocation["toolExecutionNotifications"]]
    return 0


sys.exit(main())
