"""licenses.py ROOT BUILD: holds packaging/licenses against what BUILD links, and reads what CMake made of it."""

import json
import pathlib
import re
import sys

root, build = map(pathlib.Path, sys.argv[1:])
folder = root / "packaging/licenses"
rows = json.loads((folder / "components.json").read_text())
problems = []

links = {"flyc": "bin/flyc", "emulated HIP": "lib/libfly_hip_emulated.so"}
ninja = (build / "build.ninja").read_text()
for place, target in links.items():
    statement = re.search(rf"^build {re.escape(target)}:.*?^  LINK_LIBRARIES = (.*?)$", ninja, re.M | re.S)[1]
    archives = {pathlib.Path(word).stem for word in statement.split() if word.startswith("/") and word.endswith(".a")}
    patterns = [row["archives"] for row in rows if "archives" in row and place in row["in"]]
    problems += [f"{target} contains {name}.a, which has no row"
                 for name in sorted(archives) if not any(re.fullmatch(pattern, name) for pattern in patterns)]
    print(f"{place}: {len(archives)} static libraries of others")

not_shipped = {"GTest", "Threads"}  # of tests; of libc
found = set(re.findall(r"^\s*find_package\((\w+)", (root / "CMakeLists.txt").read_text(), re.M)) - not_shipped
named = {package for row in rows for package in row.get("packages", ())}
problems += [f"find_package({name}) has no row" for name in sorted(found - named)]
problems += [f"no find_package({name}), which a row names" for name in sorted(named - found)]
print(f"packages: {len(found)}")

texts, files = [row["file"] for row in rows], sorted(path.name for path in folder.glob("*.txt"))
if sorted(texts) != files:
    problems.append(f"rows have {sorted(texts)}, the folder has {files}")
notices = (build / "licenses/THIRD-PARTY-NOTICES.txt").read_text()
for row in rows:
    if not re.search(rf"^{re.escape(row['name'])} \d+\.[\d.]+$", notices, re.M):
        problems.append(f"the notices have no version of {row['name']}")
    if (folder / row["file"]).read_text() not in notices:
        problems.append(f"the notices lack {row['file']}")
print(f"texts: {len(texts)}")

paragraphs = (build / "licenses/copyright").read_text().split("\n\n")
if not paragraphs[0].startswith("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"):
    problems.append("copyright does not begin with its format")
used, defined = set(), []
for paragraph in paragraphs[1:]:
    name = re.search(r"^License: (.*)$", paragraph, re.M)[1]
    if paragraph.startswith("Files: "):
        used.update(name.split(" and "))
        problems += [f"a paragraph of files lacks Copyright: {paragraph}"] * ("\nCopyright: " not in paragraph)
    else:
        defined.append(name)
        problems += [f"{name} does not continue with: {line}"
                     for line in paragraph.splitlines()[1:] if not line.startswith(" ")]
if used != set(defined) or len(defined) != len(set(defined)):
    problems.append(f"copyright names {sorted(used)} and defines {sorted(defined)}")
print(f"copyright: {len(defined)} licences")

if problems:
    sys.exit("\n".join(problems))
print("all have notices")
