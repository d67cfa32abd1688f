#!/usr/bin/env python3
"""validate.py [--schema NAME] [--lines] FILE.json ...: checks files against NAME.schema.json beside this file, by default
module.schema.json; with --lines each line of a file is an object of its own; silent when all is well."""
import json
import pathlib
import sys

import jsonschema

names, kind = sys.argv[1:], "module"
if names[:1] == ["--schema"]:
    kind, names = names[1], names[2:]
lines = names[:1] == ["--lines"]
names = names[lines:]
schema = json.loads(pathlib.Path(__file__).with_name(f"{kind}.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
bad = 0
for name in names:
    text = pathlib.Path(name).read_text()
    for number, part in enumerate(text.splitlines() if lines else [text], 1):
        for error in validator.iter_errors(json.loads(part)):
            where = f"{name}:{number}" if lines else name
            print(f"{where}: {'/'.join(map(str, error.absolute_path))}: {error.message}", file=sys.stderr)
            bad = 1
sys.exit(bad)
