#!/usr/bin/env python3
"""validate.py [--schema NAME] FILE.json ...: checks files against NAME.schema.json beside this file, by default
module.schema.json; silent when all is well."""
import json
import pathlib
import sys

import jsonschema

names, kind = sys.argv[1:], "module"
if names[:1] == ["--schema"]:
    kind, names = names[1], names[2:]
schema = json.loads(pathlib.Path(__file__).with_name(f"{kind}.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
bad = 0
for name in names:
    for error in validator.iter_errors(json.loads(pathlib.Path(name).read_text())):
        print(f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message}", file=sys.stderr)
        bad = 1
sys.exit(bad)
