"""Builds that are killed at any moment, and builds side by side, into one folder.

    killed.py FLYC SOURCE WORK

Whatever is there at any time is whole: the text of the one program or of the other, never a part.
"""

import hashlib
import json
import pathlib
import random
import shutil
import subprocess
import sys
import time

flyc, source, work = sys.argv[1:]
work = pathlib.Path(work)
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
out = work / "out"
text = pathlib.Path(source).read_text()
versions = []
for number in range(2):  # the same module twice, with different code
    path = work / str(number) / "k.fly"
    path.parent.mkdir()
    path.write_text(text.replace("VALUE", str((number + 1) * 2000)))
    versions.append(path)


def command(path, folder):
    return [flyc, "build", str(path), "--arch", "gfx942,gfx1201", "--emit=hsaco,json,obj,header", "-o", str(folder), "-q", "-MD", "-j", "2"]


whole = []
for number, path in enumerate(versions):
    start = time.time()
    subprocess.run(command(path, work / f"whole.{number}"), check=True)
    seconds = time.time() - start
    folder = work / f"whole.{number}"  # whose name is in the depfile, where a space is escaped
    files = {p.name: p.read_bytes() for p in folder.iterdir()}
    for spelled in (str, lambda path: str(path).replace(" ", "\\ ")):
        files = {name: content.replace(spelled(folder).encode(), spelled(out).encode()) for name, content in files.items()}
    whole.append(files)


def problems():
    found, hidden = [], 0
    for path in out.iterdir() if out.exists() else []:
        if path.name.startswith("."):  # between its last byte and its name
            hidden += 1
            if path.read_bytes() not in [content for files in whole for content in files.values()]:
                found.append(f"{path.name} is half a file")
        elif path.name != "k.d" and path.read_bytes() not in [files.get(path.name) for files in whole]:
            found.append(f"{path.name} is neither")
    return found, hidden


random.seed(1)
bad, hidden = [], 0
for attempt in range(12):
    process = subprocess.Popen(command(versions[attempt % 2], out))
    # Most of them at the end, where the files are written.
    time.sleep(seconds * (random.random() if attempt % 3 == 0 else 0.85 + 0.3 * random.random()))
    process.kill()
    process.wait()
    found, names = problems()
    bad += found
    hidden += names
print("killed:", bad or "all files whole")

shutil.rmtree(out, ignore_errors=True)
for attempt in range(3):
    processes = [subprocess.Popen(command(versions[0], out)) for _ in range(3)]
    status = [process.wait() for process in processes]
    files = {p.name: p.read_bytes() for p in out.iterdir()}
    wrong = [name for name, content in files.items() if name != "k.d" and content != whole[0].get(name)]
    if any(status) or wrong or set(files) != set(whole[0]):
        sys.exit(f"side by side: {status} {wrong} {sorted(files)}")
record = json.loads(files["k.json"])
for arch in record["architectures"]:
    if hashlib.sha256(files[arch["code_object"]["file"]]).hexdigest() != arch["code_object"]["sha256"]:
        sys.exit("the hash in the JSON is not that of the code object")
print("side by side: the same files")
