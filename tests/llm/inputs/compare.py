"""Logits and tokens of the served model against the reference. compare.py EXAMPLE MODEL KERNELS FOLDER [PROGRAM]

Logits: the error is at most twice that of NumPy rounded to bf16 at the same points. Tokens: the best one, unless the best two
differ by less than that. In a mixture of experts, a row whose choice of experts hangs on rounding is left out, and those after
it, which attend to it, have eight times the bound. With PROGRAM, the one in C++, only tokens are compared.
"""
import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np

example, model, kernels, folder, *program = map(Path, sys.argv[1:])
sys.path.insert(0, str(example))
from reference import Model  # noqa: E402

STEPS = 24
exact, rounded = Model(model), Model(model, rounded=True)
vocab = exact.config["vocab_size"]
prompts = [
    [exact.config["bos_token_id"]] + [random.randrange(vocab - 2) for _ in range(count)] for count in (6, 0, 16, 33)
]
(folder / "prompts.json").write_text(json.dumps(prompts))


def serve(*options):
    command = [
        sys.executable,
        example / "serve.py",
        model,
        "--kernels",
        kernels,
        "--tokens",
        folder / "prompts.json",
        *options,
    ]
    ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.exit(ended.stderr)
    return ended.stdout


def reference(tokens):
    """Logits, by rows; how far each row may be off, infinite where rounding chooses the experts."""
    logits, risk, known = exact.logits(tokens), np.zeros(len(tokens), bool), exact.config.get("num_experts_per_tok")
    scores = exact.scores
    bounds = 2 * np.abs(logits - rounded.logits(tokens)).max(1)
    for a, b in zip(scores, rounded.scores):
        ordered = np.sort(a, 1)[:, ::-1]
        risk |= ordered[:, known - 1] - ordered[:, known] < 8 * np.abs(a - b).max(1)
    typical = np.median(bounds[~risk] if (~risk).any() else bounds)  # a row's own may be small by chance
    bounds = np.maximum(bounds, typical) * np.where(np.cumsum(risk) > 0, 8, 1)
    return logits, np.where(risk, np.inf, bounds)


def compare_logits():
    serve("--logits", folder / "logits.npy")
    served, at, ratios = np.load(folder / "logits.npy"), 0, []
    for tokens in prompts:
        logits, bounds = reference(tokens)
        ratios += list(np.abs(served[at : at + len(tokens)] - logits).max(1) / bounds)
        at += len(tokens)
    assert max(ratios) <= 1, ratios
    assert sum(ratio == 0 for ratio in ratios) < len(ratios) // 2, ratios
    print(f"logits: {len(ratios)} rows, the largest error is {max(ratios):.2f} of the bound")


def written():
    """The prompts with what the model says after them."""
    if not program:
        return json.loads(serve("--steps", str(STEPS)))
    words = [",".join(map(str, prompt)) for prompt in prompts]
    command = [program[0], model, "--numbers", "--tokens", str(STEPS), "--sequences", "3", *words]
    ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    print(ended.stderr.strip())
    return [prompt + json.loads(f"[{line}]") for prompt, line in zip(prompts, ended.stdout.splitlines())]


if not program:
    compare_logits()
different = 0
for prompt, tokens in zip(prompts, written()):
    ended = program and tokens[-1] == exact.config["eos_token_id"]
    assert (len(tokens) == len(prompt) + STEPS or ended) and tokens[: len(prompt)] == prompt
    logits, bounds = reference(tokens[:-1])
    for row in range(len(prompt) - 1, len(tokens) - 1):
        second, first = np.sort(logits[row])[-2:]
        different += logits[row].argmax() != tokens[row + 1] and first - second > 2 * bounds[row]
print(f"tokens: {len(prompts) * STEPS}, {different} differ")
assert different == 0
