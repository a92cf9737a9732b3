"""A headless Chromium that opens pages, presses keys and tells what it saw.

Speaks the DevTools protocol over two pipes: JSON messages that end in a zero byte.

Example:
    with browser.open_browser(width=1400, height=900) as chromium:
        chromium.load("/tmp/page.html")
        chromium.press("Tab")
        title = chromium.run("document.title")
        assert not chromium.complaints
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

# What a key event needs beside its name.
KEYS = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
        "ArrowDown": 40, "Home": 36, "End": 35, "PageDown": 34, "PageUp": 33}
LONGEST = 120  # seconds for an answer


def program():
    """The path of a Chromium, or None."""
    return next((found for found in map(shutil.which, (
        "chromium", "chromium-headless-shell", "google-chrome")) if found), None)


def open_browser(**options):
    return Browser(program(), **options)


class Browser:
    """One page. `complaints` are errors and warnings of its console."""

    def __init__(self, path, width=1400, height=900, is_dark=False):
        self.folder = tempfile.mkdtemp(prefix="yarrow-browser-")
        to_child, self.output = os.pipe()
        self.input, from_child = os.pipe()
        command = [path, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
                   "--user-data-dir=" + self.folder, "--hide-scrollbars", "--no-first-run",
                   f"--window-size={width},{height}", "about:blank"]
        # The protocol is spoken on file descriptors 3 and 4.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{to_child} 4>&{from_child}', "-", *command],
            pass_fds=(to_child, from_child), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.buffer, self.number, self.session = b"", 0, None
        self.complaints, self.events, self.requests = [], [], []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=False)
        self.set_dark(is_dark)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.output)
        os.close(self.input)
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, method, **params):
        """Send a command and wait for its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def read(self):
        """The next message; events are noted."""
        end = time.monotonic() + LONGEST
        while b"\0" not in self.buffer:
            if not select.select([self.input], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.input, 1 << 20)
            if not part:
                raise EOFError("the browser ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        self.note(message.get("method"), message.get("params", {}))
        return message

    def note(self, method, params):
        self.events.append(method)
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(str([a.get("value", a.get("description")) for a in params["args"]]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def load(self, path):
        """Open a file; the seconds until it was loaded."""
        self.events.clear()
        start = time.monotonic()
        self.ask("Page.navigate", url="file://" + path)
        while "Page.loadEventFired" not in self.events:
            self.read()
        return time.monotonic() - start

    def run(self, script):
        """The value of an expression, which may be a promise."""
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True,
                          awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def settle(self):
        """Wait until what was changed is drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def press(self, key, shift=False):
        """A key as a user presses it."""
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        code = KEYS.get(key, ord(key.upper()) if len(key) == 1 else 0)
        common = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.ask("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **common)
        self.settle()

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.settle()

    def set_dark(self, is_dark):
        self.ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    def picture(self, path):
        """A screenshot as PNG."""
        self.settle()
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))
