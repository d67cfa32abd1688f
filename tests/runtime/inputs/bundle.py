"""bundle.py OUT ARCH=FILE...: code objects as clang-offload-bundler joins them, for machines without that program."""
import struct
import sys

parts = [("host-x86_64-unknown-linux--", b"")]
for item in sys.argv[2:]:
    arch, _, path = item.partition("=")
    parts.append((f"hipv4-amdgcn-amd-amdhsa--{arch}", open(path, "rb").read()))
header = 24 + 8 + sum(24 + len(name) for name, _ in parts)
offset = -(-header // 4096) * 4096
table, content = b"", b""
for name, code in parts:
    table += struct.pack("<QQQ", offset + len(content), len(code), len(name)) + name.encode()
    content += code + bytes(-len(code) % 4096)
table = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(parts)) + table
open(sys.argv[1], "wb").write(table.ljust(offset, b"\0") + content)
