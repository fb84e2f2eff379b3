"""A headless Chromium, driven through the DevTools protocol over two pipes: nothing but Python and Chromium is needed."""
import base64, json, os, select, shutil, subprocess, tempfile, time, urllib.parse


class Failure(Exception):
    pass


class Browser:
    def __init__(self, program="chromium"):
        self.folder = tempfile.mkdtemp(prefix="studio-browser-")
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()

        def pipes():
            # The protocol is spoken on descriptors 3 and 4.
            a, b = os.dup(to_read), os.dup(from_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--mute-audio",
             "--force-color-profile=srgb", "--hide-scrollbars", "--remote-debugging-pipe",
             f"--user-data-dir={self.folder}/profile", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=pipes, close_fds=False)
        os.close(to_read)
        os.close(from_write)
        self.out, self.back = to_write, from_read
        self.buffer, self.number, self.events = b"", 0, []

    def close(self):
        try:
            self.call("Browser.close")
        except Exception:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def read(self, seconds):
        """One message, or None."""
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                return None
            piece = os.read(self.back, 1 << 20)
            if not piece:
                raise Failure("the browser has ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, seconds=30, **parameters):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            found = self.read(left)
            if found is None:
                break
            if found.get("id") == number:
                if "error" in found:
                    raise Failure(f"{method}: {found['error']['message']}")
                return found["result"]
            self.events.append(found)
        raise Failure(f"{method}: no answer")

    def page(self, **options):
        return Page(self, **options)


class Page:
    """A tab. `javascript` False turns scripts off, as people do."""

    def __init__(self, browser, javascript=True, width=1280, height=900, dark=False):
        self.browser = browser
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Network", "Log":
            self.call(f"{domain}.enable")
        if not javascript:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        self.size(width, height)
        self.dark(dark)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def dark(self, is_dark):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    def wait(self, what, seconds=20):
        """Waits for an event of this page."""
        end = time.monotonic() + seconds
        while True:
            for event in self.browser.events:
                if event.get("sessionId") == self.session and event.get("method") == what:
                    self.browser.events.remove(event)
                    return event["params"]
            left = end - time.monotonic()
            found = self.browser.read(left) if left > 0 else None
            if found is None:
                raise Failure(f"{what} did not happen")
            self.browser.events.append(found)

    def forget(self):
        self.browser.events = [one for one in self.browser.events if one.get("sessionId") != self.session or one.get("method") != "Page.loadEventFired"]

    def open(self, address):
        self.forget()
        found = self.call("Page.navigate", url=address)
        if found.get("errorText") and found["errorText"] != "net::ERR_ABORTED":
            raise Failure(f"{address}: {found['errorText']}")
        if not found.get("errorText"):
            self.wait("Page.loadEventFired")

    def does(self, script):
        """Runs a script that leads to another page."""
        self.forget()
        self.run(script)
        self.wait("Page.loadEventFired")

    def run(self, script):
        found = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in found:
            raise Failure(found["exceptionDetails"].get("exception", {}).get("description", "exception") + f"\nin: {script[:300]}")
        return found["result"].get("value")

    def until(self, script, seconds=10):
        end = time.monotonic() + seconds
        while not (found := self.run(script)):
            if time.monotonic() > end:
                raise Failure(f"it did not become true: {script}")
            time.sleep(0.05)
        return found

    def text(self):
        return self.run("document.body.innerText")

    def choose(self, selector, file):
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[file])

    def picture(self, file, whole=True):
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 4000), "scale": 1}
            data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
        else:
            data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(file, "wb") as out:
            out.write(base64.b64decode(data))


# Name, width, height, and whether it is dark.
SIZES = [("1280", 1280, 900, False), ("1280-dark", 1280, 900, True), ("390", 390, 844, False), ("390-dark", 390, 844, True)]


def must(holds, what):
    if not holds:
        raise Failure(what)


def quoted(text):
    return urllib.parse.quote(text, safe="")


def fill(page, selector, value):
    found = page.run(f"""(() => {{ const one = document.querySelector({json.dumps(selector)}); if (!one) return false;
      one.value = {json.dumps(value)}; one.dispatchEvent(new Event("input", {{bubbles: true}})); return true; }})()""")
    must(found, f"no field {selector}")


def follow(page, text, within="main"):
    """Clicks the first link or button with this text, which leads to another page."""
    page.does(f"""(() => {{ const all = [...document.querySelectorAll({json.dumps(within)} + " a, " + {json.dumps(within)} + " button")];
      const one = all.find((one) => one.textContent.trim().startsWith({json.dumps(text)}));
      if (!one) throw new Error("no link " + {json.dumps(text)} + " in " + document.body.innerText.slice(0, 400)); one.click(); }})()""")


def run(address, jobs, scripted, pictures):
    """Opens the address, and runs each job with scripts, and those that need none without them as well. Prints TAP."""
    os.makedirs(pictures, exist_ok=True)
    browser = Browser(os.environ.get("CHROMIUM", "chromium"))
    count = 0
    try:
        page = browser.page()
        page.open(address)
        must(page.run("location.pathname") == "/", "the address does not lead to the pages")
        for has_scripts, some in [(True, jobs + scripted), (False, jobs)]:
            if not has_scripts:
                page.close()
                page = browser.page(javascript=False)
            for job in some:
                count += 1
                title = job.__name__.replace("_", " ") + ("" if has_scripts else ", without scripts")
                start = time.monotonic()
                try:
                    job(page)
                    print(f"ok {count} - {title} ({time.monotonic() - start:.1f} s)", flush=True)
                except Failure as failure:
                    page.picture(f"{pictures}/failed-{job.__name__}.png")
                    print(f"not ok {count} - {title}\n" + "".join(f"# {line}\n" for line in str(failure).splitlines()), flush=True)
        # What a browser has refused to do, a page has asked for.
        wrong = [one["params"] for one in browser.events if one.get("method") == "Runtime.exceptionThrown"
                 or one.get("method") == "Log.entryAdded" and one["params"]["entry"]["source"] in ("security", "violation")]
        count += 1
        print(f"{'not ' * bool(wrong)}ok {count} - no script failed, and nothing was refused by the policy")
        for one in wrong:
            print("#", json.dumps(one)[:500])
    finally:
        browser.close()
