"""tokens.py FILE: the semantic tokens of a file, one a line: place, text, kind, and what more is known of it."""

import sys

from client import Client

path = sys.argv[1]
text = open(path, encoding="utf-8").read()
client = Client(["--arch", "gfx950"])
client.open(path, text)
legend = client.capabilities["semanticTokensProvider"]["legend"]
data = client.of_document("semanticTokens/full")["data"]
lines = text.split("\n")
line = column = 0
for i in range(0, len(data), 5):
    down, right, length, kind, bits = data[i:i + 5]
    line, column = line + down, right if down else column + right
    more = [name for bit, name in enumerate(legend["tokenModifiers"]) if bits >> bit & 1]
    print(f"{line + 1}:{column + 1}", lines[line][column:column + length], legend["tokenTypes"][kind], *more)
assert client.close() == 0
