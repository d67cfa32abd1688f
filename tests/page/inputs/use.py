"""Uses a page of `flyc report --html` as a person would, in a headless browser, and prints what it shows.

    use.py PAGE.html TEXT           TEXT is looked for

Checked: lines of all panes are linked, by pointing and by selecting; arrows; the search; keys; tabs; panes that are hidden
and shown; measures beside the lines; the drawer's height; dark; a narrow window; other kernels. However far one scrolls, the document does not grow: that is what keeps
large objects fluid, and it does not depend on the machine. Nothing of it makes the browser complain.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from browser import Browser

MOST_ELEMENTS = 6000

SEEN = """(() => {
  const visible = [...document.querySelectorAll(".pane")].filter(pane => !pane.hidden);
  const rows = (pane, kind) => [...pane.querySelectorAll(".line" + kind)].map(row => Number(row.dataset.line)).sort((a, b) => a - b);
  const out = {panes: {}, elements: document.querySelectorAll("*").length, found: document.getElementById("found").textContent,
    tab: document.querySelector("#tabs [aria-selected=true]")?.id, sheet: document.getElementById("sheet").innerText,
    arrows: document.querySelectorAll(".arrow").length, hash: location.hash, dialog: document.getElementById("keys").open,
    over: Math.max(0, document.documentElement.scrollWidth - innerWidth), paper: getComputedStyle(document.body).backgroundColor,
    measures: [...document.querySelectorAll(".choice button")].map(button => button.innerText),
    measure: document.querySelector(".choice [aria-pressed=true]")?.innerText ?? null, metrics: [...document.querySelectorAll("#pane-isa .metric")].map(cell => cell.innerText),
    title: document.getElementById("title").innerText, cards: document.getElementById("cards").innerText};
  for (const pane of visible)
    out.panes[pane.id.slice(5)] = {lines: rows(pane, ""), hit: rows(pane, ".hit"), selected: rows(pane, ".selected"), match: rows(pane, ".match"),
      height: pane.querySelector(".lines").offsetHeight, box: (({left, top, width, height}) => ({left, top, width, height}))(pane.querySelector(".view").getBoundingClientRect())};
  return out;
})()"""


# Below what the drawer shows; how thick the mark of the selected line is in the strip, left of all other marks.
UNUSED = """(bottom => bottom(document.getElementById("drawer")) - bottom(document.getElementById("sheet").lastElementChild))(
  element => element.getBoundingClientRect().bottom)"""
MARK = """(canvas => {
  const copy = Object.assign(document.createElement("canvas"), {width: canvas.width, height: canvas.height}).getContext("2d", {willReadFrequently: true});
  copy.drawImage(canvas, 0, 0);
  return [...copy.getImageData(20, 0, 1, canvas.height).data].filter((value, i) => i % 4 === 3 && value > 150).length;
})(document.querySelector(".pressure canvas:last-child"))"""


def check(holds, what, facts=None):
    if not holds:
        sys.exit(f"use.py: {what}{'' if facts is None else ': ' + repr(facts)[:3000]}")


path, wanted = sys.argv[1:3]
with Browser(width=1600, height=1000) as browser:
    def seen():
        browser.settle()
        return browser.evaluate(SEEN)

    def middle_of(pane, line):
        top = browser.evaluate(f"document.querySelector('#pane-{pane} .line[data-line=\"{line}\"]').getBoundingClientRect().top")
        return seen()["panes"][pane]["box"]["left"] + 130, top + 9

    def press(*keys):
        for key in keys:
            browser.key(key)
        return seen()

    browser.open(path)
    start = seen()
    check(browser.evaluate("document.documentElement.dataset.ready") == "yes", "the page is not ready", browser.complaints())
    check("isa" in start["panes"] and start["panes"]["isa"]["lines"], "no machine code", start)
    check(start["over"] == 0, "the page is wider than the window")
    check("Registers" in start["cards"] and "Instructions" in start["cards"], "no figures", start["cards"])
    instructions = start["panes"]["isa"]["height"] // 18

    # All panes, so that their links can be seen.
    for number, pane in enumerate(("source", "fly", "llvm"), 1):
        if pane not in start["panes"]:
            browser.key(str(number))
    start = seen()
    panes = list(start["panes"])
    browser.open(path)
    start = seen()
    check(list(start["panes"]) == panes, "the choice of panes is not remembered", list(start["panes"]))

    # The search finds, and goes there.
    browser.key("/")
    for letter in wanted:
        browser.key(letter, letter)
    found = seen()
    check("ISA" in found["found"], "nothing is found", found["found"])
    browser.key("Enter", "\r")
    at = seen()
    check(at["panes"]["isa"]["selected"] and at["panes"]["isa"]["match"], "Enter does not go to a match", at)
    browser.evaluate("document.activeElement.blur()")
    line = at["panes"]["isa"]["selected"][0]
    second = press("n")["panes"]["isa"]["selected"]
    check(second, "`n` goes nowhere")
    check(press("N")["panes"]["isa"]["selected"] == [line], "`N` does not go back")
    check(press("Escape")["found"] == "", "Escape does not end the search")
    check(press("Escape")["panes"]["isa"]["selected"] == [], "Escape does not let go")

    # A click links: what is of the same line is marked in each pane that has any of it, and in view.
    browser.click(*middle_of("isa", line))
    chosen = seen()
    check(chosen["panes"]["isa"]["selected"] == [line], "a click does not select", chosen["panes"]["isa"])
    check(chosen["tab"] == "tab-line" and "live before" in chosen["sheet"], "the selection is not described", chosen["sheet"])
    linked = [pane for pane in panes if pane != "isa" and chosen["panes"][pane]["hit"]]
    if "source" in panes:
        check("source" in linked, "the source is not linked", chosen["panes"])
        source = chosen["panes"]["source"]["hit"][0]
        check(source in chosen["panes"]["source"]["lines"], "the linked line is not in view")
        # And back: pointing at the source line marks the instruction.
        press("Escape")
        x, y = middle_of("source", source)
        browser.mouse("mouseMoved", x, y)
        pointed = seen()
        check(line in pointed["panes"]["isa"]["hit"] or line not in pointed["panes"]["isa"]["lines"], "pointing does not link", pointed["panes"]["isa"])
        browser.mouse("mouseMoved", x, 5)
    browser.click(*middle_of("isa", line))
    arrows = seen()["arrows"]

    # Keys.
    before = line - 1 if line else line + 1
    check(press("ArrowUp" if line else "j")["panes"]["isa"]["selected"] == [before], "the arrow does not step")
    check(press("j" if line else "k")["panes"]["isa"]["selected"] == [line], "keys do not step back")
    check(press("End")["panes"]["isa"]["selected"] == [instructions - 1], "End does not go to the last line")
    check(press("Home")["panes"]["isa"]["selected"] == [0], "Home does not go to the first line")
    press("L")
    at = press("m")
    check(at["panes"]["isa"]["selected"] != [] and at["tab"] == "tab-line", "`m` goes nowhere, or is not described", at)
    check(1 <= browser.evaluate(MARK) <= 3, "the selected line hides the strip", browser.evaluate(MARK))
    check(press("?")["dialog"], "`?` does not list the keys")
    check(not press("Escape")["dialog"], "Escape does not close the list")
    tabs = {}
    for key, tab in {"L": "loops", "C": "copies", "F": "findings", "I": "lines", "S": "line"}.items():
        now = press(key)
        check(now["tab"] == "tab-" + tab and now["sheet"].strip(), "no tab for " + key, now["tab"])
        tabs[tab] = now["sheet"]
    check(f"isa={press('m')['panes']['isa']['selected'][0]}" in seen()["hash"], "the address does not say what is selected")

    # The drawer is as high as its content, and grows only over lines that are not selected.
    press("Escape", "L")
    check(browser.evaluate(UNUSED) < 30, "the drawer is empty below its content", browser.evaluate(UNUSED))
    box = seen()["panes"]["isa"]["box"]
    browser.click(box["left"] + 130, box["top"] + min(box["height"] - 28, seen()["panes"]["isa"]["height"] - 9))
    now = seen()
    last = now["panes"]["isa"]["selected"]
    check(last and middle_of("isa", last[0])[1] + 9 <= (lambda box: box["top"] + box["height"])(now["panes"]["isa"]["box"]),
          "the drawer covers the selected line", now["panes"]["isa"])

    # Each measure stands beside the lines in its turn.
    measures, columns = start["measures"], []
    for _ in measures:
        now = seen()
        columns.append(now["metrics"])
        check(now["measure"] == measures[len(columns) - 1], "another measure is marked", now["measure"])
        press("c")
    check(len(set(map(tuple, columns))) == len(measures), "measures that do not differ", columns)
    check(seen()["measure"] == start["measure"], "the last measure does not lead to the first")

    # A pane is hidden and shown; the last one stays.
    if len(panes) > 1:
        check("isa" not in press("4")["panes"], "`4` does not hide the machine code")
        check("isa" in press("4")["panes"], "`4` does not show it again")

    # Scrolling: the document does not grow, and the lines are the right ones.
    most = 0
    for pane in panes:
        for part in (0, 0.13, 0.5, 0.77, 1):
            browser.evaluate(f"(view => view.scrollTop = view.scrollHeight * {part})(document.querySelector('#pane-{pane} .view'))")
            now = seen()
            lines = now["panes"][pane]["lines"]
            check(lines == list(range(lines[0], lines[-1] + 1)), "lines are missing", lines)
            most = max(most, now["elements"])
        check(lines[-1] == now["panes"][pane]["height"] // 18 - 1, "the end is not reached", lines[-1])
    check(most < MOST_ELEMENTS, "the document grows", most)

    # Dark, narrow.
    light = seen()["paper"]
    browser.dark(True)
    check(seen()["paper"] != light, "dark does not differ")
    browser.call("Emulation.setDeviceMetricsOverride", width=1000, height=700, deviceScaleFactor=1, mobile=False)
    check(seen()["over"] == 0, "a narrow window")

    # Other kernels.
    kernels = browser.evaluate("document.querySelectorAll('#kernel option').length || 1")
    for number in range(min(kernels, 6)):
        if kernels > 1:
            browser.evaluate(f"(list => {{ list.value = {number}; list.dispatchEvent(new Event('change')); }})(document.getElementById('kernel'))")
            check(seen()["panes"]["isa"]["lines"], "another kernel has no lines")
    complaints = browser.complaints()
    check(not complaints, "the browser complains", complaints)
    print(f"{instructions} instructions, {kernels} kernels, panes {' '.join(panes)}, linked {' '.join(linked)}, {arrows} arrows, "
          f"measures {' '.join(measures)}, fewer than {MOST_ELEMENTS} elements, no complaints")
    print(json.dumps(tabs, indent=0).replace("\\n", " | ").replace("\\t", " "))
