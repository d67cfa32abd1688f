"""hurried.py FILE...: what stands at each name of a kernel is the same right after an edit, when only a part of the
kernel is elaborated, as when all is known. In these files each kernel has one instance."""

import os
import re
import sys

from client import Client


def names(text):
    """Line and column of each name in the bodies of kernels."""
    for kernel in re.finditer(r"^@kernel(?:.|\n)*?^def (?:.|\n)*?:\n((?:    .*\n|\n)*)", text, re.M):
        for name in re.finditer(r"[A-Za-z_]\w*", kernel.group(1)):
            at = kernel.start(1) + name.start()
            yield text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1


client = Client(["--arch", "gfx950", "--compile-timeout=0"])
for path in sys.argv[1:]:
    text, version = open(path, encoding="utf-8").read(), 1
    client.open(os.path.abspath(path), text)
    assert client.problems(1) == [], path
    client.of_document("semanticTokens/full") # elaborates all
    places = list(names(text))
    rested = [client.at("hover", *place) for place in places]
    end = {"line": text.count("\n"), "character": 0}
    for place, before in zip(places, rested):
        version += 1
        client.change(version, {"range": {"start": end, "end": end}, "text": "#"})
        now = client.at("hover", *place)
        assert now == before, (path, place, before, now)
    told = sum(each is not None for each in rested)
    print(f"{os.path.basename(path)}: {told} of {len(places)} names are described, the same at once and later")
assert client.close() == 0
