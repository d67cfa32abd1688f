"""A headless Chromium for tests of pages, by its debugging pipe: nothing but Python's library is needed.

    browser.py page.html picture.png [dark] [WIDTHxHEIGHT]      a picture of the whole page, to look at
"""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time


def program():
    """FLY_CHROMIUM, or else Debian's chromium."""
    found = os.environ.get("FLY_CHROMIUM") or shutil.which("chromium")
    if not found:
        sys.exit("browser.py: there is no chromium; apt-get install chromium, or set FLY_CHROMIUM")
    return found


class Browser:
    def __init__(self, width=1400, height=900, dark=False, seconds=600):
        self.deadline = time.monotonic() + seconds
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.writing = os.pipe()
        self.reading, from_browser = os.pipe()
        os.set_inheritable(to_browser, True)
        os.set_inheritable(from_browser, True)

        # The pipe is file descriptors 3 and 4 of the browser; bash puts them there.
        shell = 'in=$1 out=$2; shift 2; exec "$@" 3<&"$in" 4>&"$out"'
        command = [program(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--no-first-run", "--hide-scrollbars", "--disable-background-networking",
                   "--remote-debugging-pipe", "--user-data-dir=" + self.folder.name, "about:blank"]
        environment = {**os.environ, "HOME": self.folder.name}
        self.process = subprocess.Popen(["bash", "-c", shell, "bash", str(to_browser), str(from_browser), *command],
                                        pass_fds=(to_browser, from_browser), env=environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.pending, self.events, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.dark(dark)

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.writing)
        os.close(self.reading)
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def message(self):
        while b"\0" not in self.pending:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.reading], [], [], left)[0]:
                raise TimeoutError("the browser did not answer in time")
            part = os.read(self.reading, 1 << 20)
            if not part:
                raise RuntimeError("the browser ended")
            self.pending += part
        text, _, self.pending = self.pending.partition(b"\0")
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.writing, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path):
        before = len(self.events)
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events[before:]):
            self.events.append(self.message())
        self.settle()

    def settle(self):
        """Until what was asked of the page is drawn."""
        self.evaluate("new Promise(done => setTimeout(() => requestAnimationFrame(() => setTimeout(done, 5)), 80))")

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"].get("exception", {}).get("description")))
        return result["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left" if kind != "mouseMoved" else "none", clickCount=1)

    def key(self, key, text=None):
        """A key by its name, `text` what it types."""
        for kind in ("keyDown", "keyUp"):
            typed = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **typed)

    def dark(self, dark):
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, path, whole_page=True):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole_page)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def complaints(self):
        """Exceptions, errors and warnings of the console, violated policies, requests beyond the page itself."""
        out = []
        for event in self.events:
            method, facts = event["method"], event.get("params", {})
            if method == "Runtime.exceptionThrown":
                out.append("exception: " + str(facts["exceptionDetails"].get("exception", {}).get("description")))
            elif method == "Runtime.consoleAPICalled" and facts["type"] in ("error", "warning", "assert"):
                out.append("console: " + str([argument.get("value") for argument in facts["args"]]))
            elif method == "Log.entryAdded" and facts["entry"]["level"] in ("error", "warning"):
                out.append("log: " + facts["entry"]["text"])
            elif method == "Network.requestWillBeSent" and not facts["documentURL"] == facts["request"]["url"]:
                out.append("request: " + facts["request"]["url"][:200])
        return out


if __name__ == "__main__":
    size = next((word for word in sys.argv[3:] if "x" in word), "1400x900").split("x")
    with Browser(int(size[0]), int(size[1]), "dark" in sys.argv[3:]) as browser:
        browser.open(sys.argv[1])
        browser.picture(sys.argv[2])
        print("\n".join(browser.complaints()) or "no complaints")
