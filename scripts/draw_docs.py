#!/usr/bin/env python3
"""Draws the pictures of the manual: docs/images/*.svg with `flyc layout --svg`, `flyc run --time-page` and functions of
this file, *.png as a browser shows the page of `flyc report --html`.

    scripts/draw_docs.py            draws them anew; pages only where there is a chromium
    scripts/draw_docs.py NAME...    draws these pictures anew
    scripts/draw_docs.py --check    fails if one is not what flyc draws now; a test does this. Of pages it only looks whether
                                    the picture is there, because fonts differ from machine to machine
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import draw_trace

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
    "attention-lanes": ["tiled_copy(UniversalCopy(32, bf16), layout[(1, 16):(16, 1)], layout[(1, 2):(0, 1)])"],
    "attention-tile": ["composed(swizzle(4, 3, 4), layout[(16, 128):(128, 1)])", "--fill", "bank", "--element-bits", "16",
                       "--limit", "16,32"],
    "attention-scores": ["MFMA(16, 16, 16, bf16).tv_layout_C", "--tv", "16,16"],
    "attention-operand": ["MFMA(16, 16, 16, bf16).tv_layout_B", "--tv", "16,16"],
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
    "tutorial-even": ["layout[(4, 4):(8, 2)]"],
    "tutorial-tiles": ["tiled_copy(UniversalCopy(128, f32), layout[(16, 16):(16, 1)], layout[(1, 4):(0, 1)])", "--limit", "8,32"],
    "tutorial-rows": ["layout[(32, 32):(32, 1)]", "--fill", "bank", "--element-bits", "32", "--limit", "8,32"],
    "tutorial-swizzled": ["composed(swizzle(5, 0, 5), layout[(32, 32):(32, 1)])", "--fill", "bank", "--element-bits", "32",
                          "--limit", "8,32"],
    "tutorial-sums": ["MFMA(16, 16, 16, f16).tv_layout_C", "--tv", "16,16"],
    "thread-values": ["make_layout_tv(layout[(2, 4):(4, 1)], layout[(2, 2):(2, 1)])"],
}

# Waves over time: a kernel and its arguments.
TIMES = {
    "gemm-waves": ["kernels/gemm/steps/large_tile.fly", "--kernel", "gemm_large_f16", "--arch", "gfx950",
                   "--arg", "a=zeros:f16[256,512]", "--arg", "b=zeros:f16[256,512]", "--arg", "c=empty:f16[256,256]",
                   "--arg", "m=i32:256", "--arg", "n=i32:256", "--arg", "k=i32:512"],
}

# Kernels of the tutorial.
TIMES |= {
    "tutorial-vec-add": ["docs/tutorial/vec_add.fly", "--arch", "gfx942", "--arg", "a=zeros:f32[1000]", "--arg", "b=zeros:f32[1000]",
                         "--arg", "c=empty:f32[1000]", "--arg", "n=i32:1000"],
    "tutorial-waits": ["docs/tutorial/waits.fly", "--arch", "gfx942", "--arg", "x=zeros:f32[12,256]", "--arg", "y=empty:f32[256]",
                       "--arg", "m=i32:12", "--arg", "n=i32:256"],
    "tutorial-softmax": ["docs/tutorial/softmax.fly", "--arch", "gfx942", "--arg", "x=zeros:f32[4,512]", "--arg", "y=empty:f32[4,512]",
                         "--arg", "m=i32:4", "--arg", "n=i32:512"],
    "tutorial-attention": ["docs/tutorial/attention.fly", "--arch", "gfx942", "--arg", "q=zeros:f16[64,64]", "--arg", "k=zeros:f16[256,64]",
                           "--arg", "v=zeros:f16[256,64]", "--arg", "o=empty:f16[64,64]", "--arg", "m=i32:64", "--arg", "n=i32:256",
                           "--arg", "scale=f32:0.125"],
}
TIMES |= {f"tutorial-{name}": ["docs/tutorial/pipelining.fly", "--kernel", kernel, "--arch", "gfx950", "--arg", "a=zeros:f16[128,256]",
                               "--arg", "b=zeros:f16[128,256]", "--arg", "c=empty:f16[128,128]", "--arg", "m=i32:128",
                               "--arg", "n=i32:128", "--arg", "k=i32:256"]
          for name, kernel in {"in-turn": "product_in_turn", "ahead": "product"}.items()}

# A kernel of attention: one head, 256 queries and keys.
SIZES = {"b": 1, "h": 1, "hk": 1, "most_q": 256, "batches": 1, "q_rows": 256, "k_rows": 256, "q_batch": 32768, "q_row": 128,
         "q_head": 128, "k_batch": 32768, "k_row": 128, "k_head": 128, "v_batch": 32768, "v_row": 128, "v_head": 128,
         "o_batch": 32768, "o_row": 128, "o_head": 128, "lse_batch": 256, "lse_head": 256, "scale_batch": 0, "scale_head": 0,
         "left": -1, "right": -1}
ARRAYS = {"q": "zeros:bf16[1,256,1,128]", "k": "zeros:bf16[1,256,1,128]", "v": "zeros:bf16[1,256,1,128]",
          "o": "empty:bf16[1,256,1,128]", "lse": "empty:f32[256]", "cu_q": "zeros:i32[2]", "cu_k": "zeros:i32[2]",
          "lengths_q": "fill:256:i32[1]", "lengths_k": "fill:256:i32[1]", "sink": "zeros:f32[1]"}


def attention(kernel, arch, *scales):
    """The arguments of a launch: one head, 256 queries."""
    kind = lambda name: "i64" if name.endswith("_batch") and name[0] in "qkvo" else "i32"
    given = [f"{name}={kind(name)}:{value}" for name, value in SIZES.items() if scales or not name.startswith("scale_")]
    given += [f"{name}={of}" for name, of in ARRAYS.items()] + [f"{name}=zeros:f32[1]" for name in scales] + ["scale=f32:0.125"]
    return [f"kernels/attention/{kernel}.fly", "--kernel", kernel, "--arch", arch, *[x for each in given for x in ("--arg", each)]]


TIMES |= {
    "attention-ping-pong": attention("flash_gfx950", "gfx950", "q_scale", "k_scale", "v_scale"),
    "attention-alternate": attention("flash_gfx942", "gfx942"),
}

# Pages: what is reported, and what is selected in it.
PAGES = {
    "report-page": (["kernels/gemm/steps/large_tile.fly", "--kernel", "gemm_large_f16", "--arch", "gfx950"], "v_mfma"),
}


def svg(width, height, title, *parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'font-family="system-ui, \'DejaVu Sans\', sans-serif" font-size="11" fill="#5c6773"><title>{title}</title>'
            f'<rect width="100%" height="100%" fill="#ffffff"/>' + "\n".join(parts) + "</svg>\n").encode()


def tiles_of_a_causal_product(blocks=6, each=2, size=22):
    """Which loop takes which tile: blocks of 128 queries by tiles of 64 keys."""
    colours = {"whole": "#8bc48a", "masked": "#f2a65a", "not computed": "#f0f2f5"}
    kind = lambda b, t: "whole" if t < each * b else "masked" if t < each * (b + 1) else "not computed"
    cells = [f'<rect x="{60 + t * size}" y="{30 + b * size}" width="{size - 2}" height="{size - 2}" fill="{colours[kind(b, t)]}"/>'
             for b in range(blocks) for t in range(blocks * each)]
    end = 30 + blocks * size
    names = [f'<rect x="{60 + 80 * i}" y="{end + 10}" width="12" height="12" fill="{colour}"/>'
             f'<text x="{77 + 80 * i}" y="{end + 20}">{name}</text>' for i, (name, colour) in enumerate(colours.items())]
    return svg(70 + blocks * each * size, end + 34, "Tiles of a causal product", '<text x="60" y="20">tiles of 64 keys</text>',
               '<text x="6" y="46">queries</text>', *cells, *names)


def top_that_rises_rarely(count=64):
    """The largest score of each tile, and two tops: one that follows it, and one that may be exceeded by 8."""
    import random
    random_, follows, lazy, most, rises = random.Random(4), [], [], [], [0, 0]
    for t in range(count):
        most.append(random_.gauss(0, 3) + t / 16)
        follows.append(max(follows[-1], most[-1]) if follows else most[0])
        lazy.append(lazy[-1] if lazy and most[-1] <= lazy[-1] + 8 else max(most))
        rises[0] += t == 0 or follows[t] != follows[t - 1]
        rises[1] += t == 0 or lazy[t] != lazy[t - 1]
    at = lambda t, y: f"{40 + 9 * t:.0f},{150 - 8 * y:.1f}"
    line = lambda ys, colour: (f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="'
                               + " ".join(at(t + d, y) for t, y in enumerate(ys) for d in (0, 1)) + '"/>')
    dots = [f'<circle cx="{44.5 + 9 * t:.1f}" cy="{150 - 8 * y:.1f}" r="2.5" fill="#5c6773"/>' for t, y in enumerate(most)]
    return svg(640, 220, "A top that rises rarely", line(follows, "#d9534f"), line(lazy, "#2f6fd0"), *dots,
               f'<text x="40" y="206" fill="#d9534f">the largest score so far, which rises: {rises[0]}</text>',
               f'<text x="300" y="206" fill="#2f6fd0">a top that may be exceeded by 8: {rises[1]}</text>')


# Pictures that no command of flyc draws.
def step_of_a_model():
    """A part of what `scripts/model.sh` traces: the last graph."""
    (device, rows), = draw_trace.read(IMAGES / "model-step.trace.json").items()
    return draw_trace.draw("One step of two sequences, gfx942, modelled", rows).encode()


DRAWN = {"attention-masks": tiles_of_a_causal_product, "attention-top": top_that_rises_rarely, "model-step": step_of_a_model}


def draw(wanted):
    only = lambda named: {name: each for name, each in named.items() if name in wanted or not wanted}
    yield from ((name, picture()) for name, picture in only(DRAWN).items())
    for name, arguments in only(PICTURES).items():
        yield name, subprocess.run(["flyc", "layout", "--svg", *arguments], check=True, capture_output=True).stdout
    for name, arguments in only(TIMES).items():
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
        stale = []
        if len(sys.argv) == 1:
            draw_pages()
    wanted = [each for each in sys.argv[1:] if not each.startswith("--")]
    for name, drawn in draw(wanted):
        path = IMAGES / f"{name}.svg"
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(drawn)
        elif not path.exists() or path.read_bytes() != drawn:
            stale.append(path.name)
    if "--check" in sys.argv:
        stale += sorted(p.name for p in IMAGES.glob("*.svg") if p.stem not in PICTURES | TIMES | DRAWN)
    if stale:
        sys.exit("not what flyc draws: " + ", ".join(stale) + "; run scripts/draw_docs.py")


main()
