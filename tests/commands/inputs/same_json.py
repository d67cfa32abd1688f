"""Compares two metadata files but for compile times."""

import json
import sys


def stripped(value):
    if isinstance(value, dict):
        return {k: stripped(v) for k, v in value.items() if "compile" not in k}
    return [stripped(v) for v in value] if isinstance(value, list) else value


one, two = (stripped(json.load(open(path))) for path in sys.argv[1:])
sys.exit(one != two)
