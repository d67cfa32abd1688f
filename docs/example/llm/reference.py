#!/usr/bin/env python3
"""The mathematics of Llama and Mixtral in NumPy: what the kernels are held against.

    reference.py MODEL TOKENS.json OUT.npy [--rounded]        the logits of every position of every sequence

Everything is float64 and one sequence at a time: no pages, no batches, no kernels. With `--rounded`, numbers are rounded to
bf16 where the program that serves the model stores them; the difference of the two is the error that bf16 costs.
"""
import argparse
import json
import struct
from pathlib import Path

import numpy as np


def read_safetensors(path):
    content = Path(path).read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    found = {}
    for name, item in json.loads(content[8 : 8 + length]).items():
        if name != "__metadata__":
            begin, end = item["data_offsets"]
            raw = content[8 + length + begin : 8 + length + end]
            bits = {
                "BF16": lambda: np.frombuffer(raw, np.uint16).astype(np.uint32) << 16,
                "F32": lambda: np.frombuffer(raw, np.uint32),
            }
            found[name] = bits[item["dtype"]]().view(np.float32).astype(np.float64).reshape(item["shape"])
    return found


def to_bfloat16(x):
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32).astype(np.float64)


class Model:
    def __init__(self, folder, rounded=False):
        self.config = json.loads((Path(folder) / "config.json").read_text())
        self.weights = {}
        for path in sorted(Path(folder).glob("*.safetensors")):
            self.weights.update(read_safetensors(path))
        self.stored = to_bfloat16 if rounded else lambda x: x
        self.scores = []  # of the experts, of each layer of the last call

    def norm(self, x, name):
        return self.stored(
            x / np.sqrt((x * x).mean(-1, keepdims=True) + self.config["rms_norm_eps"]) * self.weights[name]
        )

    def linear(self, x, name):
        return self.stored(x @ self.weights[name + ".weight"].T)

    def rotated(self, x):
        """Pairs of element i and i + half turn by position * theta ** (-i / half)."""
        half = x.shape[-1] // 2
        angles = np.arange(x.shape[0])[:, None] * self.config["rope_theta"] ** (-np.arange(half) / half)
        cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
        a, b = x[..., :half], x[..., half:]
        return self.stored(np.concatenate([a * cos - b * sin, b * cos + a * sin], -1))

    def attention(self, x, name):
        c = self.config
        heads, kv = c["num_attention_heads"], c["num_key_value_heads"]
        size = c.get("head_dim") or c["hidden_size"] // heads
        q, k, v = (self.linear(x, f"{name}.{part}_proj").reshape(len(x), -1, size) for part in "qkv")
        q, k = self.rotated(q), self.rotated(k)
        k, v = (np.repeat(t, heads // kv, 1) for t in (k, v))
        scores = np.einsum("ihd,jhd->hij", q, k) * size**-0.5
        scores[:, ~np.tri(len(x), dtype=bool)] = -np.inf
        p = np.exp(scores - scores.max(-1, keepdims=True))
        p /= p.sum(-1, keepdims=True)
        return self.linear(self.stored(np.einsum("hij,jhd->ihd", p, v)).reshape(len(x), -1), f"{name}.o_proj")

    def gated(self, x, gate, up, down):
        """down(silu(gate(x)) * up(x))"""
        g, u = self.linear(x, gate), self.linear(x, up)
        return self.linear(self.stored(g / (1 + np.exp(-g)) * u), down)

    def mlp(self, x, name):
        if self.config["model_type"] != "mixtral":
            return self.gated(x, *(f"{name}.mlp.{part}_proj" for part in ("gate", "up", "down")))
        place = f"{name}.block_sparse_moe"
        scores = x @ self.weights[f"{place}.gate.weight"].T  # not rounded: which experts are best depends on it
        self.scores.append(scores)
        chosen = np.argsort(-scores, 1, kind="stable")[:, : self.config["num_experts_per_tok"]]
        weights = np.exp(np.take_along_axis(scores, chosen, 1))
        weights /= weights.sum(1, keepdims=True)  # softmax over all, then normalised over the chosen
        y = np.zeros_like(x)
        for expert in range(self.config["num_local_experts"]):
            rows, slots = np.nonzero(chosen == expert)
            if len(rows):
                part = self.gated(x[rows], *(f"{place}.experts.{expert}.{w}" for w in ("w1", "w3", "w2")))
                y[rows] += weights[rows, slots, None] * part
        return self.stored(y)

    def logits(self, tokens):
        """(len(tokens), vocab)"""
        self.scores = []
        x = self.weights["model.embed_tokens.weight"][np.asarray(tokens)]
        for layer in range(self.config["num_hidden_layers"]):
            name = f"model.layers.{layer}"
            x = self.stored(x + self.attention(self.norm(x, f"{name}.input_layernorm.weight"), f"{name}.self_attn"))
            x = self.stored(x + self.mlp(self.norm(x, f"{name}.post_attention_layernorm.weight"), name))
        head = "model.embed_tokens" if self.config.get("tie_word_embeddings") else "lm_head"
        return self.norm(x, "model.norm.weight") @ self.weights[head + ".weight"].T


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("tokens", type=Path, help="a list of lists of token numbers")
    parser.add_argument("out", type=Path)
    parser.add_argument("--rounded", action="store_true")
    options = parser.parse_args()
    model = Model(options.model, options.rounded)
    np.save(options.out, np.concatenate([model.logits(tokens) for tokens in json.loads(options.tokens.read_text())]))


if __name__ == "__main__":
    main()
