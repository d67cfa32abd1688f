#!/usr/bin/env python3
"""Draws the pictures of the manual: docs/images/*.svg with `flyc layout --svg` and `flyc run --time-page`, *.png as a browser
shows the page of `flyc report --html`.

    scripts/draw_docs.py            draws them anew; pages only where there is a chromium
    scripts/draw_docs.py --check    fails if one is not what flyc draws now; a test does this. Of pages it only looks whether
                                    the picture is there, because fonts differ from machine to machine
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"

PICTURES = {
    "column-read": ["composed(swizzle(3, 2, 5), layout[(32, 32):(1, 32)])", "--fill", "bank", "--element-bits", "32",
                    "--limit", "8,32"],
    "swizzled-tile": ["composed(swizzle(3, 0, 3), layout[(8, 8):(8, 1)])"],
    "gemm-atom": ["MFMA(16, 16, 16, f16)"],
    "gemm-rows": ["layout[(16, 64):(64, 1)]", "--fill", "bank", "--element-bits", "16", "--limit", "16,32"],
    "gemm-swizzled": ["composed(swizzle(3, 3, 3), layout[(16, 64):(64, 1)])", "--fill", "bank", "--element-bits", "16",
                      "--limit", "16,32"],
    "ladder-rows": ["layout[(4, 8):(8, 1)]"],
    "ladder-columns": ["layout[(4, 8):(1, 4)]"],
    "ladder-pairs": ["layout[((2, 2), 8):((1, 16), 2)]"],
    "ladder-tiles": ["layout[(4, 8):(8, 1)]", "--tile", "(2, 4)", "--fill", "tile"],
    "ladder-divide": ["logical_divide(layout[24:1], layout[4:2])"],
    "ladder-blocked": ["blocked_product(layout[(2, 2):(1, 2)], layout[(2, 3):(1, 2)])", "--tile", "(2, 2)", "--fill", "index"],
    "ladder-raked": ["raked_product(layout[(2, 2):(1, 2)], layout[(2, 3):(1, 2)])"],
    "ladder-where": ["zipped_divide(make_identity_layout((4, 8)), (2, 3))"],
    "ladder-swizzle": ["swizzle(3, 0, 3)"],
    "ladder-transpose": ["LDSReadTrans(64, f16)", "--arch", "gfx950"],
    "tiled-copy": ["tiled_copy(UniversalCopy(64, f16), layout[(4, 4):(4, 1)], layout[(1, 4):(0, 1)])"],
    "thread-values": ["make_layout_tv(layout[(2, 4):(4, 1)], layout[(2, 2):(2, 1)])"],
}

# Waves over time: a kernel and its arguments.
TIMES = {
    "gemm-waves": ["kernels/gemm/steps/large_tile.fly", "--kernel", "gemm_large_f16", "--arch", "gfx950",
                   "--arg", "a=zeros:f16[256,512]", "--arg", "b=zeros:f16[256,512]", "--arg", "c=empty:f16[256,256]",
                   "--arg", "m=i32:256", "--arg", "n=i32:256", "--arg", "k=i32:512"],
}

# Pages: what is reported, and what is selected in it.
PAGES = {
    "report-page": (["kernels/gemm/steps/large_tile.fly", "--kernel", "gemm_large_f16", "--arch", "gfx950"], "v_mfma"),
}


def draw():
    for name, arguments in PICTURES.items():
        yield name, subprocess.run(["flyc", "layout", "--svg", *arguments], check=True, capture_output=True).stdout
    for name, arguments in TIMES.items():
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.svg"
            subprocess.run(["flyc", "run", *arguments, "--time-model", "--time-page", page, "-q"], check=True, cwd=ROOT,
                           stdout=subprocess.DEVNULL)
            yield name, page.read_bytes()


def draw_pages():
    if not (os.environ.get("FLY_CHROMIUM") or shutil.which("chromium")):
        print("draw_docs: chromium is missing, so pages are not drawn")
        return
    sys.path.insert(0, str(ROOT / "tests"))
    from browser import Browser
    for name, (arguments, wanted) in PAGES.items():
        with tempfile.TemporaryDirectory() as folder, Browser(width=1760, height=1040) as browser:
            page = pathlib.Path(folder) / "page.html"
            subprocess.run(["flyc", "report", *arguments, "--html", page], check=True, cwd=ROOT)
            browser.open(page)
            for key in ("2", "3", "/", *wanted):
                browser.key(key, key)
            for key in ("Enter", "Escape", "t", "w", "S"):
                browser.key(key)
            browser.settle()
            browser.picture(IMAGES / f"{name}.png", whole_page=False)


def main():
    stale = [f"{name}.png" for name in PAGES if not (IMAGES / f"{name}.png").exists()]
    if "--check" not in sys.argv:
        draw_pages()
        stale = []
    for name, drawn in draw():
        path = IMAGES / f"{name}.svg"
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(drawn)
        elif not path.exists() or path.read_bytes() != drawn:
            stale.append(path.name)
    if "--check" in sys.argv:
        stale += sorted(p.name for p in IMAGES.glob("*.svg") if p.stem not in PICTURES | TIMES)
    if stale:
        sys.exit("not what flyc draws: " + ", ".join(stale) + "; run scripts/draw_docs.py")


main()
