#!/usr/bin/python3
"""Visits the pages of hostile databases with Chromium. Each database is one test, in TAP. Whatever it contains, no
script runs, nothing in a page is markup, the policy refuses nothing, no character is invisible, no picture is broken, and neither
time nor memory grows without limit. Databases that sea does not write itself come from containers of the independent writer."""
import json, os, struct, subprocess, sys, time, uuid, zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, f"{HERE}/../reader"]
from browser import Browser, Failure, must, quoted
from chain_vectors import info, tree
from sea_writer import Instance, change, rev, state

MARKUP = "\"'><x-evil/onclick=pwned=1><script>pwned=1</script><img/src=x/onerror=pwned=1><svg/onload=pwned=1>&lt;{{7*7}}"
HIDDEN = "\u202e\u2066\u200b\u00ad\u0007\u001b[31m\u0085\ufeff"
MOST_SECONDS, MOST_SERVER, MOST_BROWSER = 5, 300, 1200  # MiB
GENERAL = ["/", "/?columns=all", "/?q=x", f"/?where={quoted(MARKUP)}", f"/?type={quoted(MARKUP)}", "/new", "/conflicts", "/copies",
           "/copies?probe=1", "/members", "/operations", "/undo", "/deleted",
           "/health?start=verify", "/health?start=verify:origin", "/health", "/blocks", "/blocks?show=1280", "/blocks?in=origin",
           f"/{quoted(MARKUP)}"]
OF_RECORD = ["/record?", "/record?history=all&", "/edit?", "/delete?", "/tree?", "/conflict?"]


def sea(folder, *words, data=None):
    return subprocess.run(["sea", "-C", folder, *words], input=data, capture_output=True, text=True, check=True).stdout


def put(folder, *records):
    sea(folder, "put", "-q", "-", data="".join(json.dumps(one) + "\n" for one in records))


def created(name):
    subprocess.run(["sea", "init", "-q", "--name=me", name], check=True)
    return name


def forged(name, *chains):
    """A database from a container with these chains: each an instance and the changes of its blocks."""
    files = dict(info(DATABASE))
    for who, *blocks in chains:
        chain = [who.genesis()]
        for changes in blocks:
            changes = sorted(changes, key=lambda one: (one[0], rev(one)))
            chain.append(who.block(changes, state(chain[-1]), label=MARKUP + HIDDEN))
        files |= tree(str(who.id), chain)
    for path, data in files.items():
        os.makedirs(os.path.dirname(f"{name}.sea/{path}"), exist_ok=True)
        with open(f"{name}.sea/{path}", "wb") as file:
            file.write(data)
    subprocess.run(["sea", "clone", "-q", "--name=me", f"{name}.sea", name], check=True)
    return name


DATABASE = uuid.UUID("3e0d9a52-0c1b-4f6a-8a77-2f5d1c9b6e40")
EVIL = Instance(MARKUP[:60], DATABASE)


def png(width, height, rows=None):
    """Black and white, and with fewer rows than it declares if so many are given."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    packed = zlib.compressobj(9)
    data = b"".join(packed.compress(bytes(1 + (width + 7) // 8)) for _ in range(height if rows is None else rows)) + packed.flush()
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


# The databases: each function makes one, and returns its folder and the records to visit.

def markup_in_every_name(name):
    created(name)
    values = {"string": MARKUP, "link": "javascript:x=1", "hidden": HIDDEN, "ref": {"$ref": f"none/{MARKUP}"},
              "set": {"$set": [MARKUP, HIDDEN]}, "list": [MARKUP, {MARKUP: HIDDEN}], MARKUP: MARKUP,
              "label": {"$label": "x-evil", "$value": MARKUP}, "../../x": 1, "a/b~c": {"": {"~": 1}}}
    put(name, {"_id": MARKUP, "_type": MARKUP, "name": MARKUP + HIDDEN, "self": {"$ref": MARKUP}, **values},
        {"_id": "gone", "_type": MARKUP, "name": MARKUP}, {"_id": "constructor", "_type": "prototype", "constructor": MARKUP, "token": "x"})
    sea(name, "set", "-q", MARKUP, f"string={MARKUP}{HIDDEN}")
    sea(name, "delete", "-q", "gone")
    return name, [MARKUP, "gone", "constructor"]


def files_that_are_no_pictures(name):
    created(name)
    jpeg = b"\xff\xd8\xff\xc0\0\x11\x08\xff\xff\xff\xff\x03\x01\x11\0\x02\x11\1\x03\x11\1\xff\xda\0\x0c\x03\1\0\x02\x11\x03\x11\0?\0" + bytes(999)
    files = [(b"<!DOCTYPE html><script>pwned=1</script>", "image/png"), (b"<script>pwned=1</script>", "text/html"),
             (b"<svg xmlns='http://www.w3.org/2000/svg'><script>pwned=1</script></svg>", "image/svg+xml"),
             (b"GIF89a/*\xff\xff\xff\xff*/=1;pwned=1", "image/gif"), (png(9, 9), "image/jpeg"), (b"", "image/png"), (b"MZ", "image/jpeg"),
             (png(30_000, 30_000), "image/png"), (png(60_000, 60_000, 0), "image/png"), (jpeg, "image/jpeg"), (png(90, 60), "image/png")]
    put(name, *({"_id": f"f/{n}", "_type": "f"} for n in range(8)))
    # In a table, a picture that could be shown alone is one of many.
    for k, (data, kind) in enumerate(files + [(png(9_000, 9_000), "image/png")]):
        with open(f"file{k}", "wb") as file:
            file.write(data)
        for n in range(8 if k == len(files) else 1):
            sea(name, "set", "-q", f"f/{n}", f"/..~1f{k}\u202egnp:asset[{kind}]@{os.path.abspath(f'file{k}')}")
    return name, ["f/0"]


def much_in_a_record(name):
    deep = MARKUP
    for _ in range(120):
        deep = {"a": deep}
    created(name)
    put(name, {"_id": "wide", **{f"p{n}": n for n in range(4000)}}, {"_id": "long", "name": "x" * 3_000_000, "text": "word " * 300_000},
        {"_id": "one", "name": "e" + "\u0301" * 200_000, "word": "\u0628\u064b" * 50_000}, {"_id": "deep", "d": deep},
        {"_id": "set", "s": {"$set": [f"e{n}" for n in range(4000)]}},
        *({"_id": f"r/{k}", **{f"r{k}p{n}": n for n in range(400)}} for k in range(40)))
    return name, ["wide", "long", "one", "deep", "set"]


def a_thousand_sides(name):
    base = {kind: change(kind, {"name": MARKUP, "t": " ".join("abcdefgh"[n % 8] for n in range(600))}) for kind in ("sides", "texts")}
    wide = change("wide", {f"p{n}": 0 for n in range(1000)})
    sides = [change("sides", {"name": f"{MARKUP}{n}"}, rev(base["sides"])) for n in range(1000)]
    texts = [change("texts", {m: f"{n} " + " ".join(f"{n * k % 97}" for k in range(600)) + f" {n}" for m in "abct"}, rev(base["texts"]))
             for n in range(60)]
    wides = [change("wide", {f"p{n}": k for n in range(1000)} | {f"own{k}x{n}": 1 for n in range(100)}, rev(wide)) for k in range(1, 9)]
    gone = [change("gone", {"name": MARKUP})]
    gone += [change("gone", None, rev(gone[0]), kind="delete"), change("gone", {"name": HIDDEN}, rev(gone[0]))]
    return forged(name, (EVIL, list(base.values()) + [wide, gone[0]], sides, texts, wides, gone[1:])), ["sides", "texts", "wide", "gone"]


def a_long_history(name):
    line = [change("k", {"name": MARKUP, "n": 0})]
    for n in range(1000):
        line.append(change("k", {"name": MARKUP, "n": n + 1, f"p{n % 50}": HIDDEN}, rev(line[-1])))
    return forged(name, (EVIL, *([one] for one in line))), ["k"]


def references_in_circles(name):
    ids = [f"r/{n}" for n in range(1000)]
    ring = [change(id, {"name": MARKUP, "next": {"$ref": ids[n - 1]}, "k": {"$ref": "k"}}, type=f"t{n % 300}") for n, id in enumerate(ids)]
    hub = change("k", {"self": {"$ref": "k"}} | {id: {"$ref": id} for id in ids})
    return forged(name, (EVIL, ring + [hub])), ["k", ids[0]]


def a_crowd_of_instances(name):
    crowd = [Instance(f"crowd {n}", DATABASE) for n in range(150)]
    for n, one in enumerate(crowd):
        one.name = MARKUP[:60] if n % 2 else f"{HIDDEN}{n}"
    return forged(name, *((one, [change(f"k{n}", {"name": MARKUP})]) for n, one in enumerate(crowd))), ["k1"]


def a_damaged_container(name):
    forged(name, (EVIL, *([change(f"k{n}", {"name": MARKUP})] for n in range(9))))
    blocks = sorted(os.path.join(place, one) for place, _, all in os.walk(f"{name}.sea/transactions") for one in all)
    for n, path in enumerate(blocks):
        with open(path, "r+b") as file:
            if n % 3 == 0:
                file.truncate(99)
            else:
                file.seek(4 if n % 3 == 1 else 150)
                file.write(b"\xff" * 4)
    with open(f"{name}.sea/<x-evil onclick=pwned=1>\u202e", "w"):
        pass
    return name, ["k0"]


# The visit

def memory(process):
    """The most memory that a process, and each that it has begun, has needed, in MiB."""
    found, parents = {}, {}
    for one in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{one}/status") as file:
                said = dict(line.split(":", 1) for line in file)
            parents[int(one)] = int(said["PPid"])
            found[int(one)] = int(said["VmHWM"].split()[0]) >> 10
        except (OSError, KeyError):
            pass
    def belongs(one):
        return one == process or one in parents and belongs(parents[one])
    return max((size for one, size in found.items() if belongs(one)), default=0)


WRONG = r"""(() => { const wrong = [];
  if (typeof pwned !== "undefined") wrong.push("a script ran");
  for (const one of document.querySelectorAll("main *, title *")) {
    if (/^(x-|script|iframe|object|embed|link|style|base|math|image|foreignObject|use|animate|set)/i.test(one.tagName))
      wrong.push("markup: " + one.outerHTML.slice(0, 99));
    for (const {name, value} of one.attributes)
      if (/^on|^style$|^srcdoc$/i.test(name) || /^(href|src|action|formaction)$/i.test(name) && !/^\/(?!\/)/.test(value))
        wrong.push(name + "=" + value.slice(0, 99));
  }
  const hidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/;
  if (hidden.test(document.title) || hidden.test(document.body.innerText)) wrong.push("an invisible character");
  for (const one of document.images) if (one.complete && !one.naturalWidth) wrong.push("a broken picture: " + one.src.slice(-99));
  return wrong.join("\n"); })()"""


def look(page, address):
    page.browser.events.clear()
    start = time.monotonic()
    page.open(address)
    taken = time.monotonic() - start
    must(not (wrong := page.run(WRONG)), wrong)
    for event in page.browser.events:
        said = event.get("params", {})
        status = said.get("response", {}).get("status", 0)
        must(status < 500, f"status {status} of {said.get('response', {}).get('url')}")
        must(event.get("method") != "Runtime.exceptionThrown", json.dumps(said)[:300])
        must(event.get("method") != "Log.entryAdded" or said["entry"]["source"] not in ("security", "violation"), json.dumps(said)[:300])
        must(event.get("method") != "Page.javascriptDialogOpening", "a dialog")
    must(taken < MOST_SECONDS * LENIENCE, f"{taken:.1f} seconds")
    return taken


def visit(browser, folder, ids):
    studio = subprocess.Popen(["sea", "-C", folder, "studio", "--no-open"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    page = browser.page()
    slowest = (0, "")
    try:
        address = studio.stdout.readline().strip()
        base = address.split("/enter")[0]
        page.open(address)
        targets = GENERAL + [f"{one}id={quoted(id)}" for id in ids for one in OF_RECORD]
        for target in targets:
            try:
                slowest = max(slowest, (look(page, base + target), target))
            except Failure as failure:
                raise Failure(f"{target[:160]}\n{failure}")
            # Pages that only others lead to, and the files.
            found = page.run("""[...document.querySelectorAll("main a")].map((one) => one.href)
              .filter((one) => /\\/(block|revert|undo|asset)\\?/.test(one))""")
            if not target.startswith(("/record?id", "/blocks", "/operations")):
                continue
            for link in {one.partition("?")[0]: one for one in found if "/asset?" not in one}.values():
                look(page, link)
            for link in [one for one in found if "/asset?" in one]:
                kind = page.run(f"""fetch({json.dumps(link)}).then(({{headers}}) => headers.get("content-type") + " "
                  + headers.get("content-disposition") + headers.get("content-security-policy").includes("sandbox"))""")
                must(kind.startswith(("image/png inlinetrue", "application/octet-stream attachment;")) and kind.endswith("true"), f"{link}: {kind}")
        for who, process, most in ("server", studio.pid, MOST_SERVER), ("browser", browser.process.pid, MOST_BROWSER):
            must(memory(process) < most, f"the {who} needs {memory(process)} MiB")
        must(studio.poll() is None, "sea studio has ended")
    finally:
        page.close()
        studio.terminate()
        studio.wait()
    return f"{len(targets)} pages, at most {slowest[0]:.1f} s in {slowest[1][:60]}"


ALL = [markup_in_every_name, files_that_are_no_pictures, much_in_a_record, a_thousand_sides, a_long_history,
       references_in_circles, a_crowd_of_instances, a_damaged_container]
LENIENCE = float(os.environ.get("SEA_TEST_MORE") or 1)
browser = Browser(os.environ.get("CHROMIUM", "chromium"))
try:
    for number, make in enumerate(ALL, 1):
        start = time.monotonic()
        try:
            folder, ids = make(make.__name__)
            made = time.monotonic() - start
            said = visit(browser, folder, ids)
            print(f"ok {number} - {make.__name__.replace('_', ' ')} ({made:.1f} + {time.monotonic() - start - made:.1f} s, {said})", flush=True)
        except (Failure, subprocess.CalledProcessError) as failure:
            text = f"{failure} {getattr(failure, 'stderr', '')}"
            print(f"not ok {number} - {make.__name__.replace('_', ' ')}\n" + "".join(f"# {line}\n" for line in text.splitlines()), flush=True)
finally:
    browser.close()
