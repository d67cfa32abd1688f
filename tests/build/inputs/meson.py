"""meson.py BUILD ROOT WORK CXX: docs/example/meson, built as a user does, from an installation and in a folder with a space."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

build, root, work, cxx = sys.argv[1:]
root, work = pathlib.Path(root), pathlib.Path(work)
prefix, source, out = work / "prefix", work / "my project", work / "my build"
environment = {name: value for name, value in os.environ.items() if not name.startswith("FLY_")} | {
    "PATH": f"{prefix}/bin:{os.environ['PATH']}", "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig"), "CXX": cxx,
    "FLY_CACHE_DIR": "", "CCACHE_DISABLE": "1"}


def run(*command, status=0):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=environment)
    if done.returncode != status:
        sys.exit(f"{command}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def compiled(status=0):
    """What a build makes again, in the order of the pipeline. With a space in a path Meson runs flyc by itself."""
    said = run("ninja", "-C", out, "-v", status=status)
    parts = [name for name, words in (("vec_add", r"flyc'? build|--internal exe.*vec_add"), ("main.cpp", r"-c .*main\.cpp")) if re.search(words, said)]
    return ", ".join(parts) or "nothing"


def after(what, path, text=None, status=0):
    time.sleep(0.01)
    if text is None:
        os.utime(path)
    else:
        path.write_text(text)
    print(f"{what}: {compiled(status)}{' fails' * (status != 0)}")


run("cmake", "--install", build, "--prefix", prefix)
shutil.copytree(root / "docs/example/meson", source)
page = (root / "docs/meson.md").read_text()
if re.search(r"```meson\n(.*?)```", page, re.S)[1] != (source / "meson.build").read_text():
    sys.exit("the first Meson text of docs/meson.md is not docs/example/meson/meson.build")
kernel, module = source / "vec_add.fly", source / "sums.fly"
text = kernel.read_text().replace("BLOCK = 256\n", "from sums import plus\n\nBLOCK = 256\n").replace("a[i] + b[i]", "plus(a[i], b[i])")
kernel.write_text(text)
module.write_text("def plus(x, y):\n    return x + y\n")

run("meson", "setup", out, source, "-Dwerror=true", "-Dwarning_level=3")
print("first:", compiled())
print("again:", compiled())
after("a comment", kernel, text + "# nothing else\n")
after("an import", module, "def plus(x, y):\n    return y + x\n")
after("flyc", prefix / "bin/flyc")
after("a parameter", kernel, text.replace("n: i32", "n: i32, m: i32").replace("c, n)\n", "c, n, n)\n"), status=1)
kernel.write_text(text)
print("tests:", "{0[Ok]} of 4 pass".format(dict(re.findall(r"^(\w+):\s+(\d+)", run("meson", "test", "-C", out), re.M))))
environment |= {"FLY_DEVICE": "emulator", "FLY_EMULATE": "gfx1201", "FLY_HIP_LIBRARY": str(prefix / "lib/libfly_hip_emulated.so")}
print(run(out / "vec_add"))
