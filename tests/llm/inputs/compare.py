"""Logits and tokens of the served model against the reference.

    compare.py EXAMPLE MODEL KERNELS FOLDER [PROGRAM] [--weights fp8] [--devices 2] [--steps 24] [--controls]

Logits: the error is at most twice that of NumPy rounded at the same points. Where the scores of two experts are so near that rounding chooses, the
reference takes the one with which the logits agree. Tokens: the best one, unless the best two differ by less than twice the bound.

With PROGRAM, the one in C++, only tokens are compared. A row whose choice of experts hangs on rounding is then left out, and those after it,
which attend to it, have eight times the bound.

`--controls`: the comparison must fail with two rows of one weight exchanged, and with positions that are one too large after the prompts.
"""
import argparse
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np

parser = argparse.ArgumentParser()
for name in ("example", "model", "kernels", "folder"):
    parser.add_argument(name, type=Path)
parser.add_argument("program", type=Path, nargs="?")
parser.add_argument("--weights", choices=["bf16", "fp8"])
parser.add_argument("--devices", type=int, default=1)
parser.add_argument("--steps", type=int, default=24)
parser.add_argument("--controls", action="store_true")
options = parser.parse_args()
sys.path.insert(0, str(options.example))
from reference import Model  # noqa: E402

weights, largest = options.weights or "bf16", 240 if os.environ["FLY_EMULATE"].startswith("gfx942") else 448
exact = Model(options.model, weights)
rounded = Model(options.model, weights, True, largest, options.devices)
vocab, chosen = exact.config["vocab_size"], exact.config.get("num_experts_per_tok")
random.seed(1)
prompts = [
    [exact.config["bos_token_id"]] + [random.randrange(vocab - 2) for _ in range(count)] for count in (6, 0, 16, 33)
]
asked = [
    ["--weights", weights] if options.weights else [],
    ["--devices", options.devices] if options.devices > 1 else [],
]
asked = [word for words in asked for word in words]


def run(*command):
    """What it writes."""
    ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.exit(ended.stderr)
    return ended


def served():
    """The prompts with what the model says after them; the logits of each."""
    if options.program:
        words = [",".join(map(str, prompt)) for prompt in prompts]
        command = [options.program, options.model, "--numbers", "--tokens", options.steps, "--sequences", 3]
        ended = run(*command, *asked, *words)
        print(ended.stderr.strip())
        return [prompt + json.loads(f"[{line}]") for prompt, line in zip(prompts, ended.stdout.splitlines())], None
    (options.folder / "prompts.json").write_text(json.dumps(prompts))
    command = [sys.executable, options.example / "serve.py", options.model, "--kernels", options.kernels]
    files = ["--tokens", options.folder / "prompts.json", "--logits", options.folder / "logits.npy"]
    tokens = json.loads(run(*command, *files, "--steps", options.steps, "--sequences", 3, *asked).stdout)
    ends = np.cumsum([len(row) - 1 for row in tokens])
    return tokens, np.split(np.load(options.folder / "logits.npy"), ends[:-1])


def bounded(tokens, others=(), shifted=None):
    """Logits, by rows; how far each row may be off; how much rounding moves the scores of the experts in each layer. Both choose the same
    experts: the best ones of the rounded scores, but in `others`, pairs of a layer and a row, the one after the last of them.
    """

    def choose(layer, scores):
        ordered = np.argsort(-scores, 1, kind="stable")
        for row in [row for place, row in others if place == layer]:
            ordered[row, [chosen - 1, chosen]] = ordered[row, [chosen, chosen - 1]]
        return ordered[:, :chosen]

    theirs = rounded.logits(tokens, choose, shifted)
    logits = exact.logits(tokens, lambda layer, scores: rounded.choices[layer], shifted)
    bounds = 2 * np.abs(logits - theirs).max(1)
    moved = [np.abs(a - b).max(1) for a, b in zip(exact.scores, rounded.scores)]
    return logits, np.maximum(bounds, np.median(bounds)), moved  # a row's own bound may be small by chance


def near(layer, row, moved):
    """Whether rounding may choose another expert."""
    ordered = np.sort(rounded.scores[layer][row])[::-1]
    return ordered[chosen - 1] - ordered[chosen] < 8 * moved[layer][row]


def without_choices(tokens):
    """(logits, bounds): infinite where rounding may choose the experts."""
    logits, bounds, moved = bounded(tokens)
    risk = np.array([any(near(layer, row, moved) for layer in range(len(moved))) for row in range(len(tokens))])
    return logits, np.where(risk, np.inf, bounds * np.where(np.cumsum(risk) > 0, 8, 1))


def settled(tokens, found, shifted=None):
    """(logits, bounds) with the experts that the server seems to have chosen. Where a row is off, its choices that are near are tried the
    other way, the first layer's first."""
    others, rows = [], set()
    while True:
        logits, bounds, moved = bounded(tokens, others, shifted)
        ratios = np.abs(found - logits).max(1) / bounds
        row = int(np.argmax(ratios > 1))
        if ratios[row] <= 1 or row in rows:
            return logits, bounds
        rows.add(row)
        best = ratios[row], others
        ways = [others]
        for layer in range(len(moved)):
            for way in list(ways):
                *_, moved = bounded(tokens, way, shifted)
                if near(layer, row, moved):
                    ways.append([*way, (layer, row)])
                    expected, limits, _ = bounded(tokens, ways[-1], shifted)
                    best = min(best, (np.abs(found[row] - expected[row]).max() / limits[row], ways[-1]))
        others = best[1]


def errors(found, known):
    """The largest error of each sequence, of its bound."""
    return [(np.abs(rows - logits).max(1) / bounds).max() for rows, (logits, bounds) in zip(found, known)]


tokens, logits = served()
assert all(
    len(row) == len(prompt) + options.steps or row[-1] == exact.config["eos_token_id"]
    for row, prompt in zip(tokens, prompts)
)
assert all(row[: len(prompt)] == prompt for row, prompt in zip(tokens, prompts))
if logits:
    known = [settled(row[:-1], found) for row, found in zip(tokens, logits)]
    largest = max(errors(logits, known))
    print(f"logits: {sum(map(len, logits))} rows, the largest error is {largest:.2f} of the bound")
    assert 0.1 < largest <= 1
else:
    known = [without_choices(row[:-1]) for row in tokens]
different = decided = written = 0
for row, prompt, (expected, bounds) in zip(tokens, prompts, known):
    for at in range(len(prompt) - 1, len(row) - 1):
        second, first = np.sort(expected[at])[-2:]
        clear = first - second > 2 * bounds[at]
        written, decided = written + 1, decided + clear
        different += clear and expected[at].argmax() != row[at + 1]
print(f"tokens: {written}, {different} differ")
print(f"of {written}, {decided} best tokens are certain", file=sys.stderr)
assert different == 0
if options.controls:
    shifted = [settled(row[:-1], found, len(prompt)) for row, found, prompt in zip(tokens, logits, prompts)]
    for model in (exact, rounded):
        weight = model.weights[f"model.layers.{exact.config['num_hidden_layers'] - 1}.self_attn.o_proj.weight"]
        weight[[3, 5]] = weight[[5, 3]]
    exchanged = [settled(row[:-1], found) for row, found in zip(tokens, logits)]
    for what, known in (("positions", shifted), ("rows", exchanged)):
        print(f"control of {what}: {max(errors(logits, known)):.2f} of the bound")
        assert max(errors(logits, known)) > 1
