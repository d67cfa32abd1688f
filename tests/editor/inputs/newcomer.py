"""newcomer.py FILE: mistakes that newcomers make in vec_add.fly, each in an otherwise right file. For each: where it is
marked and what is said there, the fix that an editor offers, and whether the text is right again after it."""

import sys

from client import Client

# What the file has, what the newcomer writes; the first occurrence.
MISTAKES = {
    "a name is misspelt": ("thread_id.x", "thraed_id.x"),
    "a name of CUDA": ("block_id.x * BLOCK", "blockIdx.x * BLOCK"),
    "a method is misspelt": ("move.get_slice(", "move.get_silce("),
    "an import is missing": ("from fly.tiles import inside\n\n", ""),
    "a module is misspelt": ("from fly.tiles", "from fly.tile"),
    "no colon": ("if i < n:", "if i < n"),
    "`=` for `==`": ("if n % 4 == 0:", "if n % 4 = 0:"),
    "`!` of C": ("if i < n:", "if !(i >= n):"),
    "`&&` of C": ("if i < n:", "if i < n && i >= 0:"),
    "`/` of integers": ("if i < n // VEC:", "if i < n / VEC:"),
    "a bracket is not closed": ("copy(atom, ta, ra, pred=valid)", "copy(atom, ta, ra, pred=valid"),
    "a Constexpr argument without its name": ("add_vector[T=f16]", "add_vector[f16]"),
    "a Constexpr argument is missing": ("*, T: Constexpr[type] = f32):", "*, T: Constexpr[type]):"),
    "another name of a type": ("add_bf16 = add_vector[T=bf16]", "add_bf16 = add_vector[T=bfloat16]"),
    "an output is declared `In`": ("c: Out[T", "c: In[T"),
    "a tab": ("        c[i] = a[i]", "\t\tc[i] = a[i]"),
}
# Calls the kernel whose Constexpr parameter has lost its default.
LAUNCH = """

@launch
def add_elements(a: In[f32, (n,)], b: In[f32, (n,)], c: Out[f32, (n,)], n: i32):
    add_scalar(a, b, c, n)
"""


def applied(text, edits):
    lines = text.splitlines(keepends=True) + [""]

    def offset(position):
        return sum(map(len, lines[:position["line"]])) + position["character"]
    for edit in sorted(edits, key=lambda each: offset(each["range"]["start"]), reverse=True):
        text = text[:offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]):]
    return text


path = sys.argv[1]
right = open(path, encoding="utf-8").read()
client = Client(["--arch", "gfx950"])
client.open(path, right)
assert client.problems(1) == []
version = 1
for name, (before, after) in MISTAKES.items():
    assert before in right, before
    wrong = right.replace(before, after, 1)
    if name == "a Constexpr argument is missing":
        wrong += LAUNCH
    version += 1
    client.change(version, {"text": wrong})
    told = client.problems(version)
    print(f"{name}: {len(told)} marked")
    problem = told[0]
    begin = problem["range"]["start"]
    print(f"  {begin['line'] + 1}:{begin['character'] + 1} {problem['message'].splitlines()[0]}")
    fixes = client.of_document("codeAction", range=problem["range"], context={"diagnostics": [problem]})
    fix = next((each for each in fixes if each["kind"] == "quickfix"), None)
    if not fix:
        print("  no fix")
        continue
    mended = applied(wrong, fix["edit"]["changes"][client.uri])
    version += 1
    client.change(version, {"text": mended})
    rest = client.problems(version)
    print(f"  {fix['title']}: {'as it was' if mended == right else 'changed'}, {len(rest)} marked")
print("status", client.close())
