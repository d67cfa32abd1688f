"""Seeds of fuzz_container: code objects, bundles, archives and host files with a section of them.

    container-seeds.py KERNELS OUT      KERNELS: the folder with tests/isa's code objects
"""
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "container" / "inputs"))
import pack  # noqa: E402

kernels, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])


def archive(members):
    data, names = b"", b"".join(name.encode() + b"/\n" for name, _ in members)
    at = 0
    for name, content in [("//", names)] + members:
        label = name
        if name != "//":
            label, at = f"/{at}", at + len(name) + 2
        data += f"{label:<48}{len(content):<10}`\n".encode() + content + b"\n" * (len(content) % 2)
    return b"!<arch>\n" + data


def host(section):
    names = b"\0.shstrtab\0.hip_fatbin\0"
    table = 64 + -(-(len(section) + len(names)) // 8) * 8
    head = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, table, 0, 64, 0, 0, 64, 3, 1)
    entry = lambda name, kind, offset, size: struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, offset, size, 0, 0, 1, 0)
    sections = bytes(64) + entry(1, 3, 64 + len(section), len(names)) + entry(11, 1, 64, len(section))
    return (head + section + names).ljust(table, b"\0") + sections


def offload(code):
    texts = b"triple\0amdgcn-amd-amdhsa\0arch\0gfx942\0"
    at = 32 + 40 + 32
    image = -(-(at + len(texts)) // 8) * 8
    strings = struct.pack("<QQQQ", at, at + 7, at + 25, at + 30)
    entry = struct.pack("<HHIQQQQ", 1, 4, 0, 72, 2, image, len(code))
    head = b"\x10\xff\x10\xad" + struct.pack("<IQQQ", 1, image + len(code), 32, 40)
    return (head + entry + strings + texts).ljust(image, b"\0") + code


objects = {path.stem: path.read_bytes() for path in sorted(kernels.glob("*.hsaco"))}
small = [(name.split(".")[1], code) for name, code in objects.items() if name.startswith("control") and name.count(".") == 1]
one = small[0][1]
bundle = pack.bundle([("host-x86_64-unknown-linux--", b"")] + small[:2])
seeds = dict(objects, bundle=bundle, two=pack.join([bundle, bundle]), host=host(bundle), offload=offload(one),
             archive=archive([("a.o", host(bundle)), ("b.o", one)]))
for version in (1, 2, 3):
    for method in ("zlib", "zstd"):
        seeds[f"compressed-{version}-{method}"] = pack.compress(pack.bundle(small[:1]), version, method)
seeds["host-compressed"] = host(seeds["compressed-3-zstd"])
for name, data in seeds.items():
    (out / name).write_bytes(data)
