"""Damages every object of a cache, each in one of four ways."""
import pathlib
import sys

entries = sorted(pathlib.Path(sys.argv[1]).glob("llvmcache-[0-9a-f]*"))
contents = [entry.read_bytes() for entry in entries]
for number, entry in enumerate(entries):
    bytes_ = contents[number]
    middle = len(bytes_) // 2
    entry.write_bytes([bytes_[:middle] + bytes([bytes_[middle] ^ 1]) + bytes_[middle + 1:], bytes_[:-1], b"",
                       contents[number - 1]][number % 4])
