"""What the program in C++ says of files and options that are wrong. damaged.py PROGRAM MODEL FOLDER

MODEL is a small one that is right. Each line is the name of a case and what the program wrote; a crash is told as one.
"""

import json
import random
import shutil
import struct
import subprocess
import sys
from pathlib import Path

program, model, folder = map(Path, sys.argv[1:])
NAME = "model.layers.1.mlp.up_proj.weight"
content = (model / "model.safetensors").read_bytes()
length = struct.unpack("<Q", content[:8])[0]
header, data = json.loads(content[8 : 8 + length]), content[8 + length :]
config = json.loads((model / "config.json").read_text())
tokenizer = json.loads((model / "tokenizer.json").read_text())
work = folder / "damaged"


def run(name, *options, prompts=("a",)):
    try:
        command = [program, work, "--tokens", "1", "--pages", "8", *options, *prompts]
        ended = subprocess.run(command, capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        print(f"{name}: hangs")
        return
    told = ended.stderr.decode(errors="replace").strip().replace(str(folder) + "/", "")
    told = told.splitlines()[0] if told else ""
    print(f"{name}: {told if ended.returncode == 1 else f'ends with {ended.returncode}: {told}'}", flush=True)


def write(settings=None, words=None, tensors=None):
    """The model with other files; a string or bytes are the whole file."""
    work.mkdir(exist_ok=True)
    for file, right, wrong in (("config.json", config, settings), ("tokenizer.json", tokenizer, words)):
        (work / file).write_text(wrong if isinstance(wrong, str) else json.dumps(right if wrong is None else wrong))
    (work / "model.safetensors").write_bytes(content if tensors is None else tensors)


def with_header(changed):
    text = changed if isinstance(changed, bytes) else json.dumps(changed).encode()
    return struct.pack("<Q", len(text)) + text + data


def with_item(**changes):
    return with_header({**header, NAME: {**header[NAME], **changes}})


begin, end = header[NAME]["data_offsets"]
SAFETENSORS = {
    "empty": b"",
    "short": content[:5],
    "header cut": content[:900],
    "header too long": struct.pack("<Q", 2**64 - 1) + content[8:],
    "header is no JSON": with_header(b"{" * 500),
    "header is a list": with_header(b"[1, 2]"),
    "item is a number": with_header({**header, NAME: 7}),
    "data cut": content[:-9],
    "offsets beyond": with_item(data_offsets=[begin, 2**40]),
    "offsets turned": with_item(data_offsets=[end, begin]),
    "offsets negative": with_item(data_offsets=[-2, end]),
    "offset missing": with_item(data_offsets=[begin]),
    "shape overflows": with_item(shape=[2**32, 2**32]),
    "shape negative": with_item(shape=[-512, -256]),
    "shape turned": with_item(shape=[256, 512]),
    "fewer bytes": with_item(data_offsets=[begin, end - 2]),
    "type": with_item(dtype="I16"),
    "type of another size": with_item(dtype="F32"),
    "8 bits without scales": with_item(dtype="F8_E4M3", data_offsets=[begin, begin + 512 * 256]),
    "tensor missing": with_header({name: item for name, item in header.items() if name != NAME}),
}
CONFIG = {
    "empty": "",
    "a list": "[]",
    "cut": json.dumps(config)[:99],
    "family": {**config, "model_type": "gpt2"},
    "no family": {key: value for key, value in config.items() if key != "model_type"},
    "zero": {**config, "hidden_size": 0},
    "negative": {**config, "num_hidden_layers": -1},
    "fraction": {**config, "vocab_size": 512.5},
    "text": {**config, "num_attention_heads": "4"},
    "too large": {**config, "vocab_size": 2**40},
    "missing": {key: value for key, value in config.items() if key != "rms_norm_eps"},
    "heads": {**config, "num_key_value_heads": 3},
    "size of heads": {**config, "head_dim": 80},
    "more layers": {**config, "num_hidden_layers": 3},
    "eps": {**config, "rms_norm_eps": -1},
    "scaling": {**config, "rope_scaling": {"type": "linear", "factor": 2}},
    "biases": {**config, "attention_bias": True},
    "begin": {**config, "bos_token_id": "<s>"},
    "begin beyond": {**config, "bos_token_id": 512},
    "activation": {**config, "hidden_act": "gelu"},
}
TOKENIZER = {
    "empty": "",
    "no model": {},
    "model is text": {**tokenizer, "model": "BPE"},
    "unigram": {**tokenizer, "model": {**tokenizer["model"], "type": "Unigram"}},
    "vocabulary": {**tokenizer, "model": {**tokenizer["model"], "vocab": {"a": "b"}}},
    "merge": {**tokenizer, "model": {**tokenizer["model"], "merges": ["ab"]}},
    "merge of one": {**tokenizer, "model": {**tokenizer["model"], "merges": [["a"]]}},
    "pattern": {**tokenizer, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(("}}},
    "tokens": {**tokenizer, "added_tokens": [{"content": ""}]},
    "no token for a byte": {**tokenizer, "model": {"vocab": {"b": 0}, "merges": []}},
}

for what, cases in (("tensors", SAFETENSORS), ("settings", CONFIG), ("words", TOKENIZER)):
    for name, case in cases.items():
        write(**{what: case})
        run(f"{what}, {name}")
write()
run("prompt, not UTF-8", prompts=(b"a\xffb",))
run("prompt, cut UTF-8", prompts=("é".encode()[:1],))
run("prompt, long", "--rows", "4", prompts=("import " * 9,))
run("prompt, no numbers", "--numbers", prompts=("1,x",))
run("prompt, numbers beyond", "--numbers", prompts=("1,512",))
run("options, devices", "--devices", "3")
run("options, tokens", "--tokens", "many")
run("options, weights", "--weights", "fp4")
run("options, cache", "--pages", "1", "--tokens", "16")
shutil.rmtree(work)

random.seed(1)
bad, counts = [], {}
for turn in range(40):  # bytes that differ: an error in words, or a token
    file = random.choice(["config.json", "tokenizer.json", "model.safetensors"])
    write()
    raw = bytearray((work / file).read_bytes())
    for _ in range(random.choice([1, 1, 4])):
        raw[random.randrange(min(len(raw), 8 + length))] = random.choice(b'0129-"[]{},:ax\xff\x00')
    (work / file).write_bytes(raw)
    command = [program, work, "--tokens", "1", "--pages", "8", "--numbers", "1"]
    ended = subprocess.run(command, capture_output=True, timeout=60, check=False)
    counts[ended.returncode] = counts.get(ended.returncode, 0) + 1
    if ended.returncode not in (0, 1):
        bad.append((turn, file, ended.stderr[-300:]))
print("bytes:", sorted(counts), *bad)
