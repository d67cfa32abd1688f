#!/usr/bin/env python3
"""The mathematics of Llama and Mixtral in NumPy: what the kernels are held against.

    reference.py MODEL TOKENS.json OUT.npy [--weights fp8] [--rounded] [--largest 240] [--devices 2]

writes the logits of every position of every sequence. Everything is float64 and one sequence at a time: no pages, no batches, no kernels.
With `--weights fp8`, linear layers have the weights that 8 bits can tell, with a scale for each row. With `--rounded`, numbers are rounded where
the program that serves the model stores them: to bf16, and before a product with weights of 8 bits to 8 bits, with a scale for each row (`--largest` is the
largest number of the type: 448, or FNUZ's 240). The difference of the two is the error that rounding costs.
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
            found[name] = READERS[item["dtype"]](raw).astype(np.float64).reshape(item["shape"])
    return found


def number_of(code):
    """Of a byte in OCP's e4m3."""
    sign, exponent, fraction = -1 if code >> 7 else 1, code >> 3 & 15, code & 7
    if code & 127 == 127:
        return np.nan
    return sign * (fraction * 2.0**-9 if exponent == 0 else (1 + fraction / 8) * 2.0 ** (exponent - 7))


READERS = {
    "BF16": lambda raw: (np.frombuffer(raw, np.uint16).astype(np.uint32) << 16).view(np.float32),
    "F16": lambda raw: np.frombuffer(raw, np.float16),
    "F32": lambda raw: np.frombuffer(raw, np.float32),
    "F8_E4M3": lambda raw: np.array([number_of(code) for code in range(256)])[np.frombuffer(raw, np.uint8)],
}


def to_bfloat16(x):
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32).astype(np.float64)


def to_e4m3(x, largest=448):
    """The nearest numbers with four bits of significand, down to 2**-6 (FNUZ: 2**-7) and multiples of an eighth of that."""
    least = -6 if largest == 448 else -7
    step = 2.0 ** (np.maximum(np.frexp(x)[1] - 1, least) - 3)
    return np.rint(x / step) * step


def in_8_bits(x, largest=448):
    """Rows as 8 bits with a scale tell them."""
    scale = np.maximum(np.abs(x).max(-1, keepdims=True) / largest, 2.0**-126).astype(np.float32).astype(np.float64)
    return to_e4m3((x / scale).astype(np.float32).astype(np.float64), largest) * scale


class Model:
    def __init__(self, folder, weights="bf16", rounded=False, largest=448, devices=1):
        self.config = json.loads((Path(folder) / "config.json").read_text())
        self.weights, self.scores, self.choices = {}, [], []  # of the experts, of each layer of the last call
        for path in sorted(Path(folder).glob("*.safetensors")):
            self.weights.update(read_safetensors(path))
        for name in [name for name in self.weights if name.endswith(".weight_scale")]:
            self.weights[name[: -len("_scale")]] *= self.weights.pop(name).reshape(-1, 1)
            weights = "published"
        for name, array in self.weights.items():
            if weights == "fp8" and name.endswith("_proj.weight") or weights == "fp8" and ".experts." in name:
                self.weights[name] = in_8_bits(array)
        self.devices = devices
        self.stored = to_bfloat16 if rounded else lambda x: x
        self.taken = (lambda x: in_8_bits(x, largest)) if rounded and weights != "bf16" else lambda x: x

    def norm(self, x, name):
        return self.stored(
            x / np.sqrt((x * x).mean(-1, keepdims=True) + self.config["rms_norm_eps"]) * self.weights[name]
        )

    def part(self, name, device, axis):
        """A device's rows (axis 0) or columns of a weight."""
        return np.split(self.weights[name + ".weight"], self.devices, axis)[device]

    def linear(self, x, w):
        return self.stored(self.taken(x) @ w.T)

    def summed(self, parts):
        """The sum of what the devices store."""
        return parts[0] if len(parts) == 1 else self.stored(sum(parts))

    def rotated(self, x, positions):
        """Pairs of element i and i + half turn by position * theta ** (-i / half)."""
        half = x.shape[-1] // 2
        angles = positions[:, None] * self.config["rope_theta"] ** (-np.arange(half) / half)
        cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
        a, b = x[..., :half], x[..., half:]
        return self.stored(np.concatenate([a * cos - b * sin, b * cos + a * sin], -1))

    def attention(self, x, name, positions, device):
        c = self.config
        heads, kv = c["num_attention_heads"], c["num_key_value_heads"]
        size = c.get("head_dim") or c["hidden_size"] // heads
        q, k, v = (
            self.linear(x, self.part(f"{name}.{part}_proj", device, 0)).reshape(len(x), -1, size) for part in "qkv"
        )
        q, k = self.rotated(q, positions), self.rotated(k, positions)
        k, v = (np.repeat(t, heads // kv, 1) for t in (k, v))
        scores = np.einsum("ihd,jhd->hij", q, k) * size**-0.5
        scores[:, ~np.tri(len(x), dtype=bool)] = -np.inf
        p = np.exp(scores - scores.max(-1, keepdims=True))
        p /= p.sum(-1, keepdims=True)
        attended = self.stored(np.einsum("hij,jhd->ihd", p, v)).reshape(len(x), -1)
        return self.linear(attended, self.part(f"{name}.o_proj", device, 1))

    def gated(self, x, device, gate, up, down):
        """down(silu(gate(x)) * up(x)), of the device's part of what lies between."""
        g, u = (self.linear(x, self.part(name, device, 0)) for name in (gate, up))
        return self.linear(self.stored(g / (1 + np.exp(-g)) * u), self.part(down, device, 1))

    def mlp(self, x, name, device, choose):
        if self.config["model_type"] != "mixtral":
            return self.gated(x, device, *(f"{name}.mlp.{part}_proj" for part in ("gate", "up", "down")))
        place = f"{name}.block_sparse_moe"
        scores = x @ self.weights[f"{place}.gate.weight"].T  # not rounded: which experts are best depends on it
        chosen = choose(len(self.scores) - (device > 0), scores)
        if device == 0:
            self.scores.append(scores)
            self.choices.append(chosen)
        weights = np.exp(np.take_along_axis(scores, chosen, 1))
        weights /= weights.sum(1, keepdims=True)  # softmax over all, then normalised over the chosen
        y = np.zeros_like(x)
        for expert in range(self.config["num_local_experts"]):
            rows, slots = np.nonzero(chosen == expert)
            if len(rows):
                part = self.gated(x[rows], device, *(f"{place}.experts.{expert}.{w}" for w in ("w1", "w3", "w2")))
                y[rows] += weights[rows, slots, None] * part
        return self.stored(y)

    def best(self, layer, scores):
        return np.argsort(-scores, 1, kind="stable")[:, : self.config["num_experts_per_tok"]]

    def logits(self, tokens, choose=None, shifted=None):
        """(len(tokens), vocab). `choose`: from a layer's number and scores to the experts of each row, if not the best ones. From row
        `shifted` on, positions are one too large: an error, to see that it is noticed."""
        self.scores, self.choices, devices = [], [], range(self.devices)
        x = self.weights["model.embed_tokens.weight"][np.asarray(tokens)]
        positions = np.arange(len(tokens))
        positions[len(tokens) if shifted is None else shifted :] += 1
        for layer in range(self.config["num_hidden_layers"]):
            name = f"model.layers.{layer}"
            y = self.norm(x, f"{name}.input_layernorm.weight")
            x = self.stored(x + self.summed([self.attention(y, f"{name}.self_attn", positions, d) for d in devices]))
            y = self.norm(x, f"{name}.post_attention_layernorm.weight")
            x = self.stored(x + self.summed([self.mlp(y, name, d, choose or self.best) for d in devices]))
        head = "model.embed_tokens" if self.config.get("tie_word_embeddings") else "lm_head"
        return self.norm(x, "model.norm.weight") @ self.weights[head + ".weight"].T


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("tokens", type=Path, help="a list of lists of token numbers")
    parser.add_argument("out", type=Path)
    parser.add_argument("--weights", choices=["bf16", "fp8"], default="bf16")
    parser.add_argument("--rounded", action="store_true")
    parser.add_argument("--largest", type=int, choices=[240, 448], default=448)
    parser.add_argument("--devices", type=int, default=1)
    options = parser.parse_args()
    model = Model(options.model, options.weights, options.rounded, options.largest, options.devices)
    np.save(options.out, np.concatenate([model.logits(tokens) for tokens in json.loads(options.tokens.read_text())]))


if __name__ == "__main__":
    main()
