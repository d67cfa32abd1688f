#!/usr/bin/env python3
"""Runs a checkpoint of the families Llama and Mixtral with flyc's kernels from Python.

    serve.py MODEL --tokens TOKENS.json [--steps 8] [--weights fp8] [--devices 2]
             [--temperature 0.8 --top-k 50 --top-p 0.9 --seed 7]

TOKENS.json has prompts, lists of token numbers; the answer is the same with what follows. Sequences join and leave: each step
reads the prompts of those that wait, or gives every running sequence one token. A step of one token each is a graph, captured
once for each number of sequences.

Without `--temperature`, a token is the best one. With it, it is drawn: it depends on the logits, the seed of its sequence (`--seed` plus the number
of the prompt) and its place in the sequence, and not on which other sequences there are.
"""
import argparse
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

import flyc
import numpy as np
from checkpoint import Checkpoint
from model import PAGE, SAMPLING, Batch, Model


@dataclass
class Sequence:
    tokens: list
    end: int  # the most tokens that it may have
    seed: int = 0
    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    pages: list = field(default_factory=list)
    logits: list = field(default_factory=list)

    def parameters(self):
        return {
            **{"temperature": self.temperature, "top_k": self.top_k, "top_p": self.top_p},
            **{"seed": self.seed, "offset": len(self.tokens)},
        }


def pages_of(tokens):
    return -(-tokens // PAGE)


class Engine:
    """Runs sequences to their ends, at most `most` at a time."""

    def __init__(self, model, pages, most, width, last=None, keep_logits=False):
        """`width`: pages of the longest sequence there can be. `last`: the token that ends a sequence."""
        self.model, self.free, self.most, self.width = model, list(range(pages)), most, width
        self.last, self.keep_logits = last, keep_logits
        self.batches = {}  # of one token for each sequence, by their number and whether any is drawn

    def run(self, waiting):
        waiting, running = list(waiting), []
        while waiting or running:
            joining = []
            while waiting and len(running) + len(joining) < self.most:
                needed = pages_of(waiting[0].end)  # all that it may need, so that nothing has to leave before its end
                if needed > len(self.free):
                    break
                waiting[0].pages = [self.free.pop() for _ in range(needed)]
                joining.append(waiting.pop(0))
            if not joining and not running:
                raise ValueError(f"a sequence of {waiting[0].end} tokens needs more pages than there are")
            if joining:
                self.step(joining, [len(sequence.tokens) for sequence in joining])
                running += joining
            else:
                self.step(running, [1] * len(running))
            for sequence in running:
                if len(sequence.tokens) == sequence.end or sequence.tokens[-1] == self.last:
                    self.free += sequence.pages
                    sequence.pages = []
            running = [sequence for sequence in running if sequence.pages]

    def step(self, sequences, counts):
        """One token more for each sequence; the last `counts[i]` tokens of sequence i are new."""
        is_prompt, every = max(counts) > 1, self.keep_logits
        sampled = any(sequence.temperature > 0 for sequence in sequences)
        key = None if is_prompt else (len(sequences), sampled)
        batch = self.batches.get(key)
        if batch is None:
            shape = sum(counts), len(sequences), self.width, max(counts), sum(counts) if every else len(sequences)
            batch = Batch(self.model.ranks, self.model.config, *shape, sampled)
            if not is_prompt:
                self.batches[key] = batch
        last = np.arange(sum(counts)) if every else np.cumsum(counts) - 1
        batch.ask(**self.inputs(sequences, counts, every), last=last.astype(np.int32))
        self.model.step(batch, captured=not is_prompt)
        found = batch.of[0]
        tokens = found["tokens"].numpy()
        if every:
            logits, ends = found["logits"].numpy(), np.cumsum(counts)
            for sequence, count, end in zip(sequences, counts, ends):
                sequence.logits += list(logits[end - count : end])
            tokens = tokens[ends - 1]
        for sequence, token in zip(sequences, tokens):
            sequence.tokens.append(int(token))

    def inputs(self, sequences, counts, every):
        new = [(s, i) for s, count in zip(sequences, counts) for i in range(len(s.tokens) - count, len(s.tokens))]
        table = np.zeros((len(sequences), self.width), np.int32)
        for row, sequence in zip(table, sequences):
            row[: len(sequence.pages)] = sequence.pages
        rows = [s.parameters() for s in ([s for s, _ in new] if every else sequences)]
        return {
            "ids": np.array([s.tokens[i] for s, i in new], np.int32),
            "positions": np.array([[i for _, i in new]], np.int64),
            "slots": np.array([s.pages[i // PAGE] * PAGE + i % PAGE for s, i in new], np.int64),
            "cu_q": np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
            "lengths": np.array([len(sequence.tokens) for sequence in sequences], np.int32),
            "table": table,
            **{name: np.array([row[name] for row in rows], kind) for name, kind in SAMPLING.items()},
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--kernels", type=Path, default=Path("."), help="the folder with layer.json and the others")
    parser.add_argument("--tokens", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=8, help="the most tokens that follow a prompt")
    parser.add_argument("--weights", choices=["bf16", "fp8"], help="of linear layers; default: as published")
    parser.add_argument("--devices", type=int, default=1, choices=[1, 2, 4, 8], help="which share the model")
    parser.add_argument("--sequences", type=int, default=8, help="the most at a time")
    parser.add_argument("--pages", type=int, help=f"of {PAGE} tokens, of the cache")
    parser.add_argument("--temperature", type=float, default=0.0, help="0: the best token")
    parser.add_argument("--top-k", type=int, default=0, help="0: all")
    parser.add_argument("--top-p", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--logits", type=Path, help="a file for the logits of all tokens but the last of each sequence")
    options = parser.parse_args()
    checkpoint = Checkpoint(options.model)
    if checkpoint.config["model_type"] not in ("llama", "mixtral"):
        parser.error(
            f"models of the family `{checkpoint.config['model_type']}` are not supported; llama and mixtral are"
        )
    fp8 = options.weights == "fp8" or options.weights is None and checkpoint.is_quantised()
    names = ["layer", "fp8" if fp8 else "moe", "parallel"]
    modules = {name: flyc.load(options.kernels / f"{name}.json") for name in names}
    chosen = {"temperature": options.temperature, "top_k": options.top_k, "top_p": options.top_p}
    sequences = [
        Sequence(tokens, len(tokens) + options.steps, options.seed + number, **chosen)
        for number, tokens in enumerate(json.loads(options.tokens.read_text()))
    ]
    longest = max(sequence.end for sequence in sequences)
    if longest > checkpoint.config["max_position_embeddings"]:
        parser.error(f"a sequence has at most {checkpoint.config['max_position_embeddings']} tokens, not {longest}")
    pages = options.pages or options.sequences * pages_of(longest)
    model = Model(checkpoint, modules, options.devices, pages, fp8)
    last = checkpoint.config.get("eos_token_id")
    Engine(model, pages, options.sequences, pages_of(longest), last, bool(options.logits)).run(sequences)
    if options.logits:
        np.save(options.logits, np.concatenate([np.stack(sequence.logits) for sequence in sequences]))
    json.dump([sequence.tokens for sequence in sequences], sys.stdout)


if __name__ == "__main__":
    main()
