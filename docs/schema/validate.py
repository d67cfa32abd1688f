#!/usr/bin/env python3
"""validate.py FILE.json ...: checks metadata against module.schema.json beside this file; silent when all is well."""
import json
import pathlib
import sys

import jsonschema

schema = json.loads(pathlib.Path(__file__).with_name("module.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
bad = 0
for name in sys.argv[1:]:
    for error in validator.iter_errors(json.loads(pathlib.Path(name).read_text())):
        print(f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message}", file=sys.stderr)
        bad = 1
sys.exit(bad)
