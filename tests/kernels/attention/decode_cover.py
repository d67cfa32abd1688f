"""The options of kernels/attention/paged_decode.fly: the covering array in paged_decode_checks.fly, always the same.

    decode_cover.py                says whether the file has it
    decode_cover.py --update       writes it there
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/kernels"))
from covering import covering_array, update  # noqa: E402

INSTANCES = ["plain", "small", "wide", "latent", "tokens", "heads", "whole", "large", "rows", "bytes"]
HEADS = [(2, 1), (1, 8), (2, 3), (1, 16), (1, 20)]
QUERIES = [1, 2, 4, 8]
SIZES = ["short", "tile", "long", "one", "none"]
LEFT, SINK = [-1, 0, 5, 100], [False, True]
PART_KEYS, FORMS = [0, 64, 1024], ["dense", "ragged", "packed"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write the covering array into the file")
    options = [INSTANCES, HEADS, QUERIES, SIZES, LEFT, SINK, PART_KEYS, FORMS]
    rows = covering_array(options, lambda row: True)
    return update(ROOT / "kernels/attention/paged_decode_checks.fly", rows, parser.parse_args().update)


if __name__ == "__main__":
    sys.exit(main())
