"""Every token that serve.py draws is the one that docs/sampling.md says, for the logits that it has seen. sampling.py EXAMPLE MODEL KERNELS FOLDER

The random number is Philox4x32-10 of the sequence's seed and the token's place in it. Weights are computed in float64 here and in float32
there: a token is right if its part of the cumulative weights, widened by 1e-5 of their sum, has the number.
"""
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

example, model, kernels, folder = map(Path, sys.argv[1:])
TEMPERATURE, TOP_K, TOP_P, SEED, STEPS, NEAR = 1.5, 20, 0.8, 2**40 + 7, 24, 1e-5
PROMPTS = [[510, 3, 1, 4], [510], [510, 15, 9, 2, 6, 5]]
LOW = 2**32 - 1


def philox(seed, at):
    """The first 64 random bits."""
    counter, key = [at & LOW, at >> 32, 0, 0], [seed & LOW, seed >> 32]
    for _ in range(10):
        a, b = counter[0] * 0xD2511F53, counter[2] * 0xCD9E8D57
        counter = [b >> 32 ^ counter[1] ^ key[0], b & LOW, a >> 32 ^ counter[3] ^ key[1], a & LOW]
        key = [key[0] + 0x9E3779B9 & LOW, key[1] + 0xBB67AE85 & LOW]
    return counter[0] << 32 | counter[1]


def kept(logits, top_p):
    """The weights, 0 of what top-k and top-p leave out."""
    weights = np.exp((logits - logits.max()) / TEMPERATURE)
    weights[logits < np.sort(logits)[-TOP_K]] = 0
    above = np.array([weights[logits > x].sum() for x in logits])
    return np.where(above < top_p * weights.sum(), weights, 0)


def may_be(token, logits, bits):
    for top_p in (TOP_P * (1 - NEAR), TOP_P * (1 + NEAR)):
        weights = kept(logits, top_p)
        ends, at = np.cumsum(weights), bits / 2**64 * weights.sum()
        slack = NEAR * weights.sum()
        if weights[token] > 0 and ends[token] - weights[token] - slack <= at <= ends[token] + slack:
            return True
    return False


def drawn(seed, *more):
    """(tokens, logits of all but the last) of each sequence."""
    (folder / "drawn.json").write_text(json.dumps(PROMPTS))
    command = [sys.executable, example / "serve.py", model, "--kernels", kernels, "--tokens", folder / "drawn.json"]
    command += ["--logits", folder / "drawn.npy", "--steps", STEPS, "--sequences", 2, "--seed", seed]
    command += ["--temperature", TEMPERATURE, "--top-k", TOP_K, "--top-p", TOP_P]
    ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.exit(ended.stderr)
    tokens = json.loads(ended.stdout)
    return tokens, np.split(np.load(folder / "drawn.npy"), np.cumsum([len(row) - 1 for row in tokens])[:-1])


count = best = others = 0
for number, (prompt, tokens, logits) in enumerate(zip(PROMPTS, *drawn(SEED))):
    assert tokens[: len(prompt)] == prompt
    for at in range(len(prompt), len(tokens)):
        row = logits[at - 1].astype(np.float64)
        assert may_be(tokens[at], row, philox(SEED + number, at)), (number, at)
        others += may_be(tokens[at], row, philox(SEED + number + 1, at))  # control: another seed
        count, best = count + 1, best + (row.argmax() == tokens[at])
print(f"{count} tokens as drawn, {best} of them the best one, {others} as with another seed")
assert count > 40 and best < 0.8 * count and others < 0.8 * count
