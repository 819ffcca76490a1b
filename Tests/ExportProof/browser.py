# SPDX-License-Identifier: MIT
"""A page in headless Chromium, driven through its debugging pipe with the standard library alone."""
import base64
import functools
import http.server
import json
import os
import select
import shutil
import subprocess
import tempfile
import threading
import time


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, *arguments):
        pass


def serve(folder):
    """Serves a folder on a free port of the loopback address; returns its URL."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def chromium():
    """Returns the browser's path, or None."""
    return next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)


class Page:
    """One page. Every wait has a limit of `limit` seconds."""

    def __init__(self, url, dark=False, size=(1280, 800), limit=60):
        self.limit, self.number, self.buffer, self.problems = limit, 0, b"", []
        self.folder = tempfile.mkdtemp()
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def place_pipes():
            # The browser reads from descriptor 3 and writes to 4.
            read, write = os.dup(to_browser), os.dup(from_browser)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [chromium(), "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             f"--user-data-dir={self.folder}", f"--window-size={size[0]},{size[1]}", "about:blank"],
            preexec_fn=place_pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            self.call(f"{domain}.enable")
        self.dark(dark)
        self.call("Page.navigate", url=url)
        self.until("document.readyState == 'complete'")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def dark(self, on):
        """Emulates the preference for dark or light colours."""
        features = [{"name": "prefers-color-scheme", "value": "dark" if on else "light"}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def call(self, method, **parameters):
        """Sends a request of the DevTools protocol, and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + self.limit
        while True:
            answer = self.receive(end - time.monotonic())
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer.get("result", {})
            self.note(answer)

    def note(self, event):
        """Keeps an event's error, if it has one, in `problems`."""
        method, facts = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append(facts["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif method == "Log.entryAdded" and facts["entry"]["level"] == "error":
            self.problems.append(facts["entry"]["text"])

    def receive(self, seconds):
        """Returns the browser's next message."""
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            if not select.select([self.input], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.input, 1 << 20)
            if not data:
                raise RuntimeError("the browser has ended")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def run(self, script):
        """Evaluates a script, waits for its promise, and returns the value."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def until(self, condition):
        """Waits until a JavaScript expression is true."""
        end = time.monotonic() + self.limit
        while not self.run(f"!!({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(f"never: {condition}")
            time.sleep(0.05)

    def key(self, key, text=None):
        """Presses a key."""
        names = {"/": "Slash", " ": "Space"}
        facts = {"key": key, "code": names.get(key, key if len(key) > 1 else "Key" + key.upper())}
        codes = {"ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, "Enter": 13, "Escape": 27}
        facts["windowsVirtualKeyCode"] = codes.get(key, ord(key.upper()[0]))
        if len(key) == 1:
            facts["text"] = key
        self.call("Input.dispatchKeyEvent", type="keyDown", **facts)
        self.call("Input.dispatchKeyEvent", type="keyUp", **{name: facts[name] for name in ["key", "code"]})

    def type(self, text):
        """Inserts text into the focused field."""
        self.call("Input.insertText", text=text)

    def click(self, selector):
        """Clicks the middle of the first element that a selector finds."""
        position = self.run(
            f"(() => {{ const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            " return [r.x + r.width / 2, r.y + r.height / 2] })()")
        for kind in ["mousePressed", "mouseReleased"]:
            self.call("Input.dispatchMouseEvent", type=kind, x=position[0], y=position[1], button="left", clickCount=1)

    def shot(self, path):
        """Writes a picture to a file, once two in a row are equal or the limit is reached."""
        last, end = None, time.monotonic() + self.limit
        while time.monotonic() < end:
            picture = self.call("Page.captureScreenshot", format="png")["data"]
            if picture == last:
                break
            last = picture
            time.sleep(0.5)
        with open(path, "wb") as file:
            file.write(base64.b64decode(last))
