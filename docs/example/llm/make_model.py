#!/usr/bin/env python3
"""Writes a small model with random weights in the form in which checkpoints are published: config.json, model.safetensors
and tokenizer.json.

    make_model.py OUT [--family llama|mixtral] [--weights bf16|fp8] [--seed 1]

The shapes are those of Llama or Mixtral, made small: 3 MB. With `--weights fp8`, linear layers have 8 bits and a scale for each row, in the
form of compressed-tensors. The tokenizer is byte-level BPE as Llama 3 has it, with merges
learnt from this file's text. What the model says has no meaning, but everything that runs it is real.
"""
import argparse
import json
import struct
from pathlib import Path

import numpy as np
from checkpoint import of_bfloat16, quantised, to_bfloat16

LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "vocab_size": 512,
    "max_position_embeddings": 2048,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
    "bos_token_id": 510,
    "eos_token_id": 511,
}
MIXTRAL = {
    **LLAMA,
    "architectures": ["MixtralForCausalLM"],
    "model_type": "mixtral",
    "intermediate_size": 256,
    "num_local_experts": 8,
    "num_experts_per_tok": 2,
}
TEXT = Path(__file__).read_text(encoding="utf-8")


# what compressed-tensors says of such weights, and of the numbers that they multiply
CHANNEL = {"num_bits": 8, "type": "float", "strategy": "channel", "symmetric": True, "dynamic": False}
TOKEN = {**CHANNEL, "strategy": "token", "dynamic": True}
QUANTISED = {
    "quant_method": "compressed-tensors",
    "format": "float-quantized",
    "config_groups": {"group_0": {"targets": ["Linear"], "weights": CHANNEL, "input_activations": TOKEN}},
    "ignore": ["lm_head", "re:.*block_sparse_moe.gate"],
}


def tensors(config, seed):
    """Name -> bits in bf16, as checkpoints name them; a linear layer's weight has a row per output."""
    random = np.random.default_rng(seed)
    hidden, heads, kv, head = (
        config[name] for name in ("hidden_size", "num_attention_heads", "num_key_value_heads", "head_dim")
    )
    inter, vocab = config["intermediate_size"], config["vocab_size"]

    def linear(rows, columns, scale=1.0):
        return to_bfloat16(random.standard_normal((rows, columns)) * scale / np.sqrt(columns))

    def norm():
        return to_bfloat16(1 + 0.1 * random.standard_normal(hidden))

    found = {"model.embed_tokens.weight": to_bfloat16(random.standard_normal((vocab, hidden)))}
    for layer in range(config["num_hidden_layers"]):
        name = f"model.layers.{layer}."
        found[name + "input_layernorm.weight"] = norm()
        for part, count in (("q", heads), ("k", kv), ("v", kv)):
            found[name + f"self_attn.{part}_proj.weight"] = linear(count * head, hidden)
        found[name + "self_attn.o_proj.weight"] = linear(hidden, heads * head)
        found[name + "post_attention_layernorm.weight"] = norm()
        if config["model_type"] == "mixtral":
            found[name + "block_sparse_moe.gate.weight"] = linear(config["num_local_experts"], hidden)
            for expert in range(config["num_local_experts"]):
                place = name + f"block_sparse_moe.experts.{expert}."
                for part, rows, columns in (("w1", inter, hidden), ("w3", inter, hidden), ("w2", hidden, inter)):
                    found[place + part + ".weight"] = linear(rows, columns)
        else:
            for part, rows, columns in (("gate", inter, hidden), ("up", inter, hidden), ("down", hidden, inter)):
                found[name + f"mlp.{part}_proj.weight"] = linear(rows, columns)
    found["model.norm.weight"] = norm()
    found["lm_head.weight"] = linear(vocab, hidden, 4.0)  # so that the best tokens differ clearly
    return found


def in_8_bits(found):
    """Linear layers, other than the router and the last one, as e4m3 with scales."""
    result = {}
    for name, array in found.items():
        if name.endswith("_proj.weight") or ".experts." in name:
            result[name], scales = quantised(of_bfloat16(array))
            result[name + "_scale"] = scales[:, None]
        else:
            result[name] = array
    return result


def write_safetensors(path, found):
    """Eight bytes of length, a header in JSON, the tensors in its order."""
    types = {"uint16": "BF16", "uint8": "F8_E4M3", "float32": "F32"}
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, array in found.items():
        header[name] = {
            "dtype": types[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + array.nbytes],
        }
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in found.values():
            file.write(array.tobytes())


def byte_names():
    """The character that stands for each byte in a byte-level vocabulary: itself if it is printable, else one from 256 on."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {**{byte: chr(byte) for byte in printable}, **{byte: chr(256 + index) for index, byte in enumerate(others)}}


def tokenizer(vocab, bos, eos):
    """Merges of the pairs that occur most often in words, until the vocabulary is full."""
    names = byte_names()
    words, merges = {}, []
    for word in TEXT.replace("\n", " \n ").split(" "):
        spelled = tuple(names[byte] for byte in (" " + word).encode())
        words[spelled] = words.get(spelled, 0) + 1
    tokens = [names[byte] for byte in range(256)]
    while len(tokens) < vocab - 2:
        pairs = {}
        for spelled, count in words.items():
            for pair in zip(spelled, spelled[1:]):
                pairs[pair] = pairs.get(pair, 0) + count
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        if best[0] + best[1] not in tokens:
            tokens.append(best[0] + best[1])
        merges.append(list(best))
        words = {merged(spelled, best): count for spelled, count in words.items()}
    special = [(bos, "<|begin_of_text|>"), (eos, "<|end_of_text|>")]
    split = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    return {
        "version": "1.0",
        "added_tokens": [{"id": number, "content": text, "special": True} for number, text in special],
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Split", "pattern": {"Regex": split}, "behavior": "Isolated", "invert": False},
                {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False},
            ],
        },
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": {token: number for number, token in enumerate(tokens)}, "merges": merges},
    }


def merged(spelled, pair):
    found, at = [], 0
    while at < len(spelled):
        joined = spelled[at : at + 2] == pair
        found.append(spelled[at] + spelled[at + 1] if joined else spelled[at])
        at += 2 if joined else 1
    return tuple(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--family", choices=["llama", "mixtral"], default="llama")
    parser.add_argument("--weights", choices=["bf16", "fp8"], default="bf16")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    config = MIXTRAL if options.family == "mixtral" else LLAMA
    options.out.mkdir(parents=True, exist_ok=True)
    found = tensors(config, options.seed)
    if options.weights == "fp8":
        config, found = {**config, "quantization_config": QUANTISED}, in_8_bits(found)
    (options.out / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    write_safetensors(options.out / "model.safetensors", found)
    (options.out / "tokenizer.json").write_text(
        json.dumps(tokenizer(config["vocab_size"], config["bos_token_id"], config["eos_token_id"]))
    )


if __name__ == "__main__":
    main()
