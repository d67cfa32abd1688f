"""What serve.py reads from a checkpoint, and how it quantises, against reference.py, which has code of its own. checkpoint.py EXAMPLE FOLDER"""
import json
import struct
import sys
from pathlib import Path

import numpy as np

example, folder = map(Path, sys.argv[1:])
sys.path.insert(0, str(example))
import checkpoint  # noqa: E402
import reference  # noqa: E402

codes, random = np.arange(256), np.random.default_rng(1)
numbers = np.array([reference.number_of(code) for code in codes])
assert np.array_equal(checkpoint.of_e4m3(codes), numbers, equal_nan=True)
finite = codes[~np.isnan(numbers)]
assert np.array_equal(checkpoint.to_e4m3(numbers[finite]), finite)
middles = (numbers[:126] + numbers[1:127]) / 2
x = np.concatenate([middles, -middles, random.standard_normal(10**5) * np.exp2(random.integers(-12, 7, 10**5))])
x = np.clip(x, -448, 448).astype(np.float32)
assert np.array_equal(checkpoint.of_e4m3(checkpoint.to_e4m3(x)), reference.to_e4m3(x.astype(np.float64)))


def of_fnuz(code):
    """FNUZ: a bias of 8, one NaN where -0 would be, no other special number."""
    sign, exponent, fraction = -1 if code >> 7 else 1, code >> 3 & 15, code & 7
    if code == 0x80:
        return np.nan
    return sign * (fraction * 2.0**-10 if exponent == 0 else (1 + fraction / 8) * 2.0 ** (exponent - 8))


converted, scales = checkpoint.to_fnuz(codes.astype(np.uint8), np.ones(1, np.float32))
assert np.array_equal([of_fnuz(int(code)) * scales[0] for code in converted], numbers, equal_nan=True)
print("256 codes, ties and others: as they should be")

weight = (random.standard_normal((32, 48)) * 0.1).astype(np.float32)
weight[5], weight[6, 1:] = 0, 0
quantised, scales = checkpoint.quantised(weight)
exact = reference.in_8_bits(weight.astype(np.float64))
assert np.array_equal(checkpoint.of_e4m3(quantised) * scales[:, None].astype(np.float64), exact)


def written(**tensors):
    """A checkpoint of (type, array)."""
    header, offset = {}, 0
    for name, (type, array) in tensors.items():
        header[name] = {"dtype": type, "shape": list(array.shape), "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header).encode()
    content = struct.pack("<Q", len(text)) + text + b"".join(array.tobytes() for _, array in tensors.values())
    (folder / "model.safetensors").write_bytes(content)
    (folder / "config.json").write_text("{}")
    return checkpoint.Checkpoint(folder)


for what in (scales[:, None], scales, scales[:1], scales[0]):
    read = written(w=("F8_E4M3", quantised), w_scale=("F32", np.asarray(what)))
    got, rows = read.e4m3("w")
    assert np.array_equal(got, quantised) and np.array_equal(rows, np.broadcast_to(what.reshape(-1), 32))
    assert np.array_equal(reference.read_safetensors(folder / "model.safetensors")["w"], checkpoint.of_e4m3(quantised))
for type, array in (("F32", weight), ("F16", weight.astype(np.float16)), ("BF16", checkpoint.to_bfloat16(weight))):
    read = written(w=(type, array))
    assert np.array_equal(read.float32("w"), reference.read_safetensors(folder / "model.safetensors")["w"])
    assert np.array_equal(read.bfloat16("w"), checkpoint.to_bfloat16(read.float32("w")))
for tensors in (
    {"w": ("F8_E4M3", quantised), "w_scale_inv": ("F32", scales[:1])},
    {"w": ("F8_E4M3", quantised), "w_scale": ("F32", scales[:3])},
    {"w": ("F8_E5M2", quantised)},
):
    try:
        written(**tensors).e4m3("w")
        print("not refused")
    except ValueError as error:
        print("refused:", error)
