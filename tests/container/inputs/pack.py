"""What clang-offload-bundler writes, for machines without that program.

    pack.py bundle OUT TARGET=FILE...             a bundle: gfx942=a.hsaco, gfx90a:xnack-=b.hsaco, host-x86_64--=
    pack.py compress OUT VERSION METHOD BUNDLE    a compressed one: version 1 to 3; zlib, zstd (stored blocks only)
    pack.py join OUT FILE...                      one after another, each at a multiple of 4096
"""
import hashlib
import struct
import sys
import zlib


def bundle(parts):
    """parts: (target, code). Targets without a triple are of HIP."""
    parts = [(name if "--" in name else "hipv4-amdgcn-amd-amdhsa--" + name, code) for name, code in parts]
    header = 24 + 8 + sum(24 + len(name) for name, _ in parts)
    offset = start = -(-header // 4096) * 4096
    table, content = b"", b""
    for name, code in parts:
        table += struct.pack("<QQQ", offset + len(content), len(code), len(name)) + name.encode()
        content += code
        content += bytes(-len(content) % 4096)
    table = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(parts)) + table
    return table.ljust(start, b"\0") + content


def zstd(data):
    """A frame of stored blocks (RFC 8878)."""
    out = struct.pack("<IBI", 0xFD2FB528, 0xA0, len(data))
    pieces = [data[i:i + (1 << 17)] for i in range(0, len(data), 1 << 17)] or [b""]
    for i, piece in enumerate(pieces):
        out += (len(piece) << 3 | (i == len(pieces) - 1)).to_bytes(3, "little") + piece
    return out


def compress(data, version, method):
    stream = zstd(data) if method == "zstd" else zlib.compress(data)
    hash_ = hashlib.md5(data).digest()[:8]
    head = b"CCOB" + struct.pack("<HH", version, method == "zstd")
    wide = "<Q" if version == 3 else "<I"
    sizes = struct.pack(wide, len(data))
    if version >= 2:
        sizes = struct.pack(wide, 8 + 2 * len(sizes) + 8 + len(stream)) + sizes
    return head + sizes + hash_ + stream


def join(files):
    out = b""
    for data in files:
        out += bytes(-len(out) % 4096) + data
    return out


def read(path):
    return open(path, "rb").read() if path else b""


if __name__ == "__main__":
    what, path, *rest = sys.argv[1:]
    if what == "bundle":
        data = bundle([(name, read(file)) for name, _, file in (item.partition("=") for item in rest)])
    elif what == "compress":
        data = compress(read(rest[2]), int(rest[0]), rest[1])
    else:
        data = join([read(file) for file in rest])
    open(path, "wb").write(data)
