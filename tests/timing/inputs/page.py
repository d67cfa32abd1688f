"""Uses a page of the time model as a person would, in a headless browser, and prints what it shows.

    page.py FILE.html

Checked: the canvas is drawn; pointing at it shows an instruction, a click pins it, keys step and let go; wheel, keys
and dragging move the view; the search finds; dark and light differ; and nothing of it makes the browser complain.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from browser import Browser

SEEN = """(() => {
  const canvas = document.getElementById("canvas"), box = canvas.getBoundingClientRect();
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", {willReadFrequently: true});
  copy.drawImage(canvas, 0, 0);
  const pixels = copy.getImageData(0, 0, canvas.width, canvas.height).data, colours = new Map();
  for (let i = 0; i < pixels.length; i += 4) {
    const colour = pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2];
    colours.set(colour, (colours.get(colour) || 0) + 1);
  }
  const tip = document.getElementById("tip"), style = getComputedStyle(document.documentElement);
  const matrix = parseInt(style.getPropertyValue("--unit-0").trim().slice(1), 16);
  return {left: box.left, top: box.top, width: box.width, height: box.height, colours: colours.size,
          paper: [...colours].sort((a, b) => b[1] - a[1])[0][0],
          matrix: (colours.get(matrix) || 0) / (pixels.length / 4),
          view: document.getElementById("view").textContent, tip: tip.hidden ? "" : tip.innerText,
          pinned: tip.classList.contains("pinned") && !tip.hidden, found: document.getElementById("found").textContent,
          over: Math.max(0, document.documentElement.scrollWidth - innerWidth)};
})()"""


def check(holds, what, facts=None):
    if not holds:
        sys.exit(f"page.py: {what}{'' if facts is None else ': ' + repr(facts)}")


with Browser(height=1600) as browser: # the whole canvas is inside of the window
    def seen():
        browser.settle()
        return browser.evaluate(SEEN)

    browser.open(sys.argv[1])
    start = seen()
    check(start["colours"] > 8, "the canvas is empty", start)
    check(start["matrix"] > 0.01, "no matrix work is to be seen", start)
    check(start["over"] == 0, "the page is wider than the window", start)
    behind = re.search(r"memory in flight [0-9.]+ %of that behind matrix work ([0-9.]+) %", start["view"])
    check(behind and "matrix busy" in start["view"], "the view is not described", start)
    browser.evaluate("document.getElementById('canvas').focus({preventScroll: true})")
    middle = start["left"] + start["width"] / 2

    # Pointing: somewhere in the middle there is an instruction.
    tips = []
    for step in range(int(start["height"]) // 8):
        browser.mouse("mouseMoved", middle, start["top"] + 4 + 8 * step)
        tips.append(browser.evaluate("(tip => tip.hidden ? '' : tip.innerText)(document.getElementById('tip'))"))
    shown = [tip for tip in tips if tip]
    check(len(shown) > 3, "pointing shows no instruction", tips)
    check(any("v_mfma" in tip and "pipelined.fly:41" in tip for tip in shown), "no matrix instruction", shown)
    check(any(re.search(r"waited\s+[0-9,]+ cycles? for \w+", tip) for tip in shown), "no reason of a wait", shown)
    check(tips[0] == "", "there is no instruction above the lanes")

    # A click pins, keys step from instruction to instruction, Escape lets go.
    browser.click(middle, start["top"] + 4 + 8 * tips.index(shown[0]))
    pinned = seen()
    check(pinned["pinned"], "a click does not pin", pinned)
    browser.mouse("mouseMoved", middle, start["top"] + 2)
    check(seen()["tip"] == pinned["tip"], "what is pinned went away")
    browser.key(".")
    after = seen()
    check(after["pinned"] and after["tip"] != pinned["tip"], "`.` does not step", after)
    browser.key(",")
    check(seen()["tip"] == pinned["tip"], "`,` does not step back")
    browser.key("Escape")
    check(not seen()["pinned"], "Escape does not let go")

    # The view: wheel, keys, dragging.
    whole = seen()["view"]
    browser.mouse("mouseWheel", middle, start["top"] + 150, deltaX=0, deltaY=-300)
    near = seen()["view"]
    check(near != whole, "the wheel does not zoom", near)
    browser.key("ArrowRight")
    right = seen()["view"]
    check(right != near, "the arrow does not pan", right)
    browser.mouse("mousePressed", middle, start["top"] + 150, button="left", clickCount=1)
    for x in (20, 60, 140):
        browser.mouse("mouseMoved", middle + x, start["top"] + 150, button="left", buttons=1)
    browser.mouse("mouseReleased", middle + 140, start["top"] + 150, button="left", clickCount=1)
    check(seen()["view"] != right, "dragging does not pan")
    check(not seen()["pinned"], "dragging pins")
    for _ in range(30):
        browser.key("+")
    closest = seen()
    check(closest["colours"] > 4, "the closest view is empty", closest)
    for _ in range(40):
        browser.key("-")
    browser.key("0")
    check(seen()["view"] == whole, "`0` does not show all", seen()["view"])

    # Search.
    browser.key("/")
    for letter in "mfma":
        browser.key(letter, letter)
    found = seen()
    check("1 instruction, issued" in found["found"], "the search finds nothing", found)
    browser.key("Enter", "\r")
    check("v_mfma" in seen()["tip"] and seen()["pinned"], "Enter does not go to the match", seen())
    browser.key("Escape")
    check(seen()["found"] == "", "Escape does not end the search")

    # Dark, by the system and by the button.
    browser.dark(True)
    dark = seen()
    check(dark["paper"] != start["paper"] and dark["colours"] > 8, "dark does not differ", dark)
    browser.evaluate("document.getElementById('theme').click()")
    check(seen()["paper"] == start["paper"], "the button does not make it light")

    # A line of the table marks its instructions.
    if browser.evaluate("!!document.querySelector('details[data-place]')"):
        browser.evaluate("document.querySelector('details[data-place$=\":46\"] > summary').click()")
        check("issued" in seen()["found"], "an opened line is not found in the timeline", seen())

    browser.call("Emulation.setDeviceMetricsOverride", width=420, height=800, deviceScaleFactor=2, mobile=False)
    small = seen()
    check(small["over"] == 0 and small["colours"] > 8, "a small window", small)
    complaints = browser.complaints()
    check(not complaints, "the browser complains", complaints)
    print(f"{len(set(shown))} instructions, {behind.group(1)} % behind matrix work, no complaints")
