"""Replaces the add of `right`, the first one in the file, by bytes that are not an instruction: spoil.py IN OUT."""
import struct
import sys

data = open(sys.argv[1], "rb").read()
add = struct.pack("<I", 0x02040301)  # v_add_f32_e32 v2, v1, v1
assert add in data
open(sys.argv[2], "wb").write(data.replace(add, b"\xff\xff\xff\xff", 1))
