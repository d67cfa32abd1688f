"""The words of the descriptor that a listing's `tensor_load_to_lds s[A:B], s[C:D]` takes, as the scalar moves before it make
them: groups 0 and 1 as words 0 to 11. A word that no constant makes is left out.
"""
import re
import sys

values = {}
for line in sys.stdin:
    line = line.split(";")[0].strip()
    if load := re.match(r"tensor_load_to_lds s\[(\d+):\d+\], s\[(\d+):\d+\]", line):
        first, second = map(int, load.groups())
        for word, register in enumerate([*range(first, first + 4), *range(second, second + 8)]):
            if register in values:
                print(f"{word}: {values[register]}")
        break
    if combined := re.match(r"s_or_b32 s(\d+), (s\d+), (0x[0-9a-f]+)$", line):
        values[int(combined[1])] = f"{combined[2]} | {combined[3]}"
    elif move := re.match(r"s_mov(?:k_i32|_b32) s(\d+), (\S+)$", line):
        register, value = int(move[1]), move[2]
        source = re.match(r"s(\d+)$", value)
        values[register] = values.get(int(source[1])) if source else value
        if values[register] is None:
            del values[register]
