#!/usr/bin/env python3
"""Runs a Llama checkpoint with flyc's kernels from Python.

    serve.py MODEL --tokens TOKENS.json [--steps 8] [--logits OUT.npy]

Sequences are read together (one prefill of all of them), then decoded together, one token each per step.
"""
import argparse
import json
import sys
from pathlib import Path

import flyc
import numpy as np
from reference import read_safetensors

PAGE = 16


def bfloat16(x):
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


class Model:
    """Weights and caches on the device."""

    def __init__(self, folder, kernels, experts=None, pages=64):
        self.config = c = json.loads((Path(folder) / "config.json").read_text())
        weights = {
            name: bfloat16(array)
            for path in sorted(Path(folder).glob("*.safetensors"))
            for name, array in read_safetensors(path).items()
        }
        self.k, self.hidden, self.heads, self.kv = (
            kernels,
            c["hidden_size"],
            c["num_attention_heads"],
            c["num_key_value_heads"],
        )
        self.head = c.get("head_dim") or self.hidden // self.heads
        self.inter, self.vocab, self.eps = c["intermediate_size"], c["vocab_size"], c["rms_norm_eps"]

        def device(array):
            return flyc.Array(array, type="bf16")

        def joined(*names):
            return device(np.concatenate([weights[name + ".weight"] for name in names]))

        self.embedding = device(weights["model.embed_tokens.weight"])
        self.layers, self.experts = [], experts
        self.feed = self.feed_experts if c["model_type"] == "mixtral" else self.feed_dense
        size = pages * PAGE * self.kv * self.head
        for layer in range(c["num_hidden_layers"]):
            name = f"model.layers.{layer}."
            attn = name + "self_attn."
            keys, values = (flyc.Array(np.zeros(size, np.uint16), type="bf16") for _ in range(2))
            self.layers.append(
                {
                    "norm1": device(weights[name + "input_layernorm.weight"]),
                    "norm2": device(weights[name + "post_attention_layernorm.weight"]),
                    "qkv": joined(attn + "q_proj", attn + "k_proj", attn + "v_proj"),
                    "o": joined(attn + "o_proj"),
                    **self.fed(name, weights, joined),
                    "keys": keys,
                    "values": values,
                    "cache": (
                        keys,
                        values,
                        0,
                        0,
                        PAGE * self.kv * self.head,
                        PAGE * self.kv * self.head,
                        0,
                        0,
                        self.kv,
                    ),
                }
            )
        self.norm = device(weights["model.norm.weight"])
        self.out = joined("model.embed_tokens" if c.get("tie_word_embeddings") else "lm_head")
        limit, half = c["max_position_embeddings"], self.head // 2
        angles = np.arange(limit)[:, None] * c["rope_theta"] ** (-np.arange(half) / half)
        self.angles = flyc.Array(np.concatenate([np.cos(angles), np.sin(angles)], 1).astype(np.float32))
        self.free = list(range(pages))

    def fed(self, name, weights, joined):
        """The weights of the layer's second half."""
        if self.config["model_type"] != "mixtral":
            return {
                "gate_up": joined(name + "mlp.gate_proj", name + "mlp.up_proj"),
                "down": joined(name + "mlp.down_proj"),
            }
        place, count = name + "block_sparse_moe.", self.config["num_local_experts"]
        sizes = {"hidden": self.hidden, "inter": self.inter, "experts": count}
        gate, up, down = (
            np.stack([weights[f"{place}experts.{expert}.{part}.weight"] for expert in range(count)])
            for part in ("w1", "w3", "w2")
        )
        # rows of `w1`: 16 of the gate, the 16 that they multiply, and so on
        both = np.stack([half.reshape(count, -1, 16, self.hidden) for half in (gate, up)], 2).reshape(
            count, -1, self.hidden
        )
        w1, w2 = (
            flyc.Array(self.experts.feed_experts.layout(name, **sizes).pack(array), type="bf16")
            for name, array in (("w1", both), ("w2", down))
        )
        return {"router": joined(place + "gate"), "w1": w1, "w2": w2}

    def feed_dense(self, o, h, layer):
        return self.k.feed(o, h, layer["norm2"], layer["gate_up"], layer["down"], flyc.empty, flyc.empty, eps=self.eps)

    def feed_experts(self, o, h, layer):
        return self.experts.feed_experts(
            o,
            h,
            layer["norm2"],
            layer["router"],
            layer["w1"],
            layer["w2"],
            flyc.empty,
            flyc.empty,
            inter=self.inter,
            experts=self.config["num_local_experts"],
            eps=self.eps,
        )

    def step(self, batch, counts, every=False):
        """The logits after the last token of each sequence, or after every new one; the last `counts[i]` tokens of sequence i
        are new."""
        m, b = sum(counts), len(batch)
        for sequence in batch:
            while len(sequence.pages) * PAGE < len(sequence.tokens):
                sequence.pages.append(self.free.pop())
        new = [
            (sequence, position)
            for sequence, count in zip(batch, counts)
            for position in range(len(sequence.tokens) - count, len(sequence.tokens))
        ]
        positions = flyc.Array(np.array([[position for _, position in new]], np.int64))
        slots = flyc.Array(
            np.array([s.pages[position // PAGE] * PAGE + position % PAGE for s, position in new], np.int64)
        )
        width = max(len(sequence.pages) for sequence in batch)
        table = np.zeros((b, width), np.int32)
        for row, sequence in zip(table, batch):
            row[: len(sequence.pages)] = sequence.pages
        table = flyc.Array(table)
        cu_q = flyc.Array(np.concatenate([[0], np.cumsum(counts)]).astype(np.int32))
        lengths = flyc.Array(np.array([len(sequence.tokens) for sequence in batch], np.int32))
        ids = flyc.Array(np.array([s.tokens[position] for s, position in new], np.int32))
        h, delta = self.k.start(self.embedding, ids, flyc.empty, flyc.empty)
        attend = self.k.prefill if max(counts) > 1 else self.k.attend
        for layer in self.layers:
            h, o = attend(
                delta,
                h,
                layer["norm1"],
                layer["qkv"],
                layer["o"],
                self.angles,
                positions,
                slots,
                layer["cache"],
                layer["keys"],
                layer["values"],
                cu_q,
                lengths,
                table,
                flyc.empty,
                flyc.empty,
                heads=self.heads,
                most_q=max(counts),
                most_keys=int(max(len(s.tokens) for s in batch)),
                eps=self.eps,
                scale=self.head**-0.5,
            )
            h, delta = self.feed(o, h, layer)
        last = flyc.Array(np.arange(m, dtype=np.int32) if every else (np.cumsum(counts) - 1).astype(np.int32))
        return self.k.head(delta, h, last, self.norm, self.out, flyc.empty, eps=self.eps)

    def best(self, logits):
        """The best token of each row."""
        tokens = flyc.Array(np.zeros(logits.shape[0], np.int32))
        self.k.best(logits, tokens)
        return tokens.numpy()


class Sequence:
    def __init__(self, tokens):
        self.tokens, self.pages = list(tokens), []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--kernels", type=Path, default=Path("."), help="the folder with layer.json and moe.json")
    parser.add_argument("--tokens", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--logits", type=Path)
    options = parser.parse_args()
    model = Model(options.model, flyc.load(options.kernels / "layer.json"), flyc.load(options.kernels / "moe.json"))
    batch = [Sequence(tokens) for tokens in json.loads(options.tokens.read_text())]
    counts = [len(sequence.tokens) for sequence in batch]
    if options.logits:
        np.save(options.logits, model.step(batch, counts, every=True).numpy())
        return
    for _ in range(options.steps):
        for sequence, token in zip(batch, model.best(model.step(batch, counts))):
            sequence.tokens.append(int(token))
        counts = [1] * len(batch)
    json.dump([sequence.tokens for sequence in batch], sys.stdout)


if __name__ == "__main__":
    main()
