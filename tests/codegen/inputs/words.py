"""Words of a code object as hexadecimal numbers, by nothing but the ELF format.

    words.py FILE kd KERNEL        the 64 bytes of the kernel's descriptor, by offset, without words that are 0
    words.py FILE code KERNEL      the kernel's code, a line a word
"""
import struct
import sys

data = open(sys.argv[1], "rb").read()
section_offset, = struct.unpack_from("<Q", data, 0x28)
sections = [struct.unpack_from("<IIQQQQIIQQ", data, section_offset + 64 * i) for i in range(struct.unpack_from("<H", data, 0x3c)[0])]
DYNSYM = 11


def symbol(name):
    """The bytes of a symbol."""
    for _, kind, _, _, offset, size, link, *_ in sections:
        for at in range(offset, offset + size, 24) if kind == DYNSYM else ():
            text, _, _, section, value, length = struct.unpack_from("<IBBHQQ", data, at)
            text += sections[link][4]
            if data[text:data.index(b"\0", text)].decode() == name:
                begin = sections[section][4] + value - sections[section][3]
                return data[begin:begin + length]
    sys.exit(f"there is no symbol {name}")


what, name = sys.argv[2:]
content = symbol(name + ".kd" if what == "kd" else name)
for i, (word,) in enumerate(struct.iter_unpack("<I", content)):
    if what == "code":
        print(f"0x{word:08x}")
    elif word:
        print(f"{4 * i}: 0x{word:08x}")
