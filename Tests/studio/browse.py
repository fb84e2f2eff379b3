#!/usr/bin/python3
"""Visits the pages of a database with Chromium, as people do, with scripts and without: browse.py FOLDER PICTURES. The address of
sea studio is read from standard input. Each job is one test, in TAP. The screenshots of all pages are left in PICTURES.

AXE is the script of axe-core, which finds what bars people with disabilities."""
import json, os, subprocess, sys, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import SIZES, fill, follow, must, quoted, run

FOLDER, PICTURES = sys.argv[1:3]
EVIL = "evil/<script>pwned=1</script>"


def sea(*words, data=None):
    return subprocess.run(["sea", "-C", FOLDER, *words], input=data, capture_output=True, text=True, check=True).stdout.strip()


def field(page, name):
    """The name of the field for a property."""
    number = page.run(f"""[...document.querySelectorAll("input[name^=p]")].find((one) => one.value === {json.dumps("/" + name)})?.name.slice(1)""")
    must(number, f"no row for {name}")
    return number


# The jobs

def find_and_correct(page):
    sea("set", "-q", "o/1", "found:day=1932-06-14", "notes=The pin is missing.\n\nA drawing of 1932 shows it.")
    page.open(f"{BASE}/")
    fill(page, "input[name=q]", "FIBULA")
    follow(page, "Show")
    must("Glass bead" not in page.text(), "the search finds too much")
    follow(page, "Bronze fibula")
    must("1932-06-14" in page.text() and "Store A" in page.text(), "values are missing")
    follow(page, "Edit")
    fill(page, f"[name=v{field(page, 'found')}]", "1932-06-15")
    fill(page, f"[name=v{field(page, 'notes')}]", "One line.\n\nAnother line.")
    follow(page, "Save")
    must("Saved." in page.text() and "found:day=1932-06-15" in page.text(), "nothing is said of it: " + page.text()[:600])
    must(sea("get", "o/1", "found") == "1932-06-15", "it is not saved")
    must(sea("get", "o/1", "notes") == "One line.\n\nAnother line.", "line ends are wrong")


def find_by_a_place(page):
    page.open(f"{BASE}/?type=object")
    must("such as: weight" in page.run("document.querySelector('input[name=where]').placeholder"), "the example is not of this list")
    fill(page, "input[name=where]", "place = 'Store A'")
    follow(page, "Show")
    must("No record matches" in page.text() and "refers to another record" in page.text(), "a false answer is not explained")
    follow(page, "prop(place, '/name') = 'Store A'")
    rows = page.run("[...document.querySelectorAll('tbody tr')].map((one) => one.textContent)")
    must(any("Bronze fibula" in one for one in rows) and all("Store A" in one for one in rows), f"the advice does not help: {rows}")
    fill(page, "input[name=where]", "place = Stall")
    follow(page, "Show")
    must("No record has a property 'Stall'" in page.text(), "an unknown name is not reported")


def sort_on_a_phone(page):
    page.size(390, 844)
    page.open(f"{BASE}/?type=object")
    must(page.run("[...document.querySelectorAll('.top li')].every((one) => one.getBoundingClientRect().right <= innerWidth)"), "the menu is cut")
    fill(page, "select[name=sort]", "-weight")
    fill(page, "input[name=q]", "b")
    follow(page, "Show")
    weights = page.run("[...document.querySelectorAll('td.wanted')].filter((one) => one.offsetHeight > 0).map((one) => Number(one.innerText))")
    must(len(weights) > 2 and weights == sorted(weights, reverse=True), f"the search is not sorted: {weights} " + page.text())
    page.size(1280, 900)


def attach_a_photo(page):
    page.open(f"{BASE}/record?id=o/2")
    follow(page, "Attach a photo or file")
    page.choose("#attach input[type=file]", os.path.abspath("photo.png"))
    follow(page, "Save")
    page.until("document.querySelector('.photo')?.complete && document.querySelector('.photo').naturalWidth > 0")
    page.open(f"{BASE}/?type=object")
    page.until("document.querySelector('.thumb')?.naturalWidth > 0")


def lose_no_file(page):
    sea("set", "-q", "o/2", "--unset=photo")
    page.open(f"{BASE}/edit?id=o/2")
    fill(page, "#attach input[name^=n]", "photo")
    follow(page, "Save")
    must("Choose a file." in page.text() and page.run("document.querySelector('#attach input[name^=n]').value") == "photo", "a file is not asked for")
    fill(page, "#attach input[name^=n]", "")
    page.choose("#attach input[type=file]", os.path.abspath("photo.png"))
    fill(page, f"[name=v{field(page, 'weight')}]", "light")
    follow(page, "Save")
    must("correct: weight" in page.text() and "The chosen file is kept." in page.text(), "the file is not kept: " + page.text()[:300])
    fill(page, f"[name=v{field(page, 'weight')}]", "3")
    follow(page, "Save")
    page.until("document.querySelector('.photo')?.naturalWidth > 0")
    follow(page, "Edit")
    follow(page, "Save")
    must(page.run("document.querySelector('.said')?.innerText") == "Nothing was changed.", "nothing looks like something")


def count_and_tag(page):
    before = int(sea("get", "o/1", "loans"))
    page.open(f"{BASE}/edit?id=o/1")
    fill(page, f"[name=c{field(page, 'loans')}]", "2")
    fill(page, f"[name=a{field(page, 'material')}]", "gold")
    follow(page, "Save")
    must(sea("get", "o/1", "loans") == str(before + 2) and "gold" in sea("get", "o/1", "material"), "counter or set is wrong")


def meet_a_newer_revision(page):
    sea("set", "-q", "o/3", "name=Iron key", "weight:=11")
    page.open(f"{BASE}/edit?id=o/3")
    sea("set", "-q", "o/3", "name=Key of iron", "weight:=12")
    fill(page, f"[name=v{field(page, 'name')}]", "Iron key, bent")
    follow(page, "Save")
    must("was changed in the meantime" in page.text() and "Key of iron" in page.text(), "the newer one is not shown")
    page.run("document.querySelector('[name^=choice][value=mine]').checked = true")
    follow(page, "Save the chosen values")
    must(sea("get", "o/3", "name") == "Iron key, bent" and sea("get", "o/3", "weight") == "12", "something is lost")


def bring_back(page):
    sea("set", "-q", "o/4", "name=Wrong")
    page.open(f"{BASE}/record?id=o/4")
    follow(page, "Bring back", ".timeline")
    must("Silver coin" in page.text(), "the confirmation does not say what it does")
    follow(page, "Bring back", "form")
    must(sea("get", "o/4", "name") == "Silver coin", "the old value is not back")
    follow(page, "Delete")
    must("Store A" not in page.text(), "it warns of what does not refer to it")
    follow(page, "Delete", "form")
    page.open(f"{BASE}/deleted")
    follow(page, "Bring back", "table")
    follow(page, "Bring back", "form")
    must(sea("get", "o/4", "name") == "Silver coin", "the record is not back")
    page.open(f"{BASE}/undo")
    follow(page, "Undo", "form")
    must("Undone" in page.text(), "nothing is undone")
    sea("undo", "-q")


def make_a_record(page):
    page.open(f"{BASE}/")
    follow(page, "New record")
    must(not page.run("document.querySelectorAll('form[method=post]').length"), "a form is shown without a type")
    follow(page, "object")
    id = f"new/{time.monotonic_ns()}"
    fill(page, "#id", id)
    fill(page, f"[name=v{field(page, 'name')}]", "Amber pendant")
    fill(page, f"[name=v{field(page, 'weight')}]", "34.5")
    fill(page, f"[name=v{field(page, 'place')}]", "Store B")
    follow(page, "Create")
    must("No record has the name or id 'Store B'." in page.text(), "a record that is missing is referred to")
    must(sea("query", f"_id = '{id}'") == "" and page.run(f"document.querySelector('[name=v{field(page, 'weight')}]').value") == "34.5", "values are lost")
    fill(page, f"[name=v{field(page, 'place')}]", "store a")
    follow(page, "Create")
    must("Amber pendant" in page.text() and "Created." in page.text(), "it is not created")
    must(json.loads(sea("get", "--json", id))["place"] == {"$ref": "p/1"} and sea("query", f"weight > 34 and weight < 35 and _id = '{id}'"), "it has other kinds")
    page.open(f"{BASE}/undo")
    must("Amber pendant will be deleted." in page.text(), "the confirmation does not name it")
    follow(page, "Undo", "form")
    must("Amber pendant" in page.text() and page.run("location.search").startswith("?type=object"), "it leads nowhere")
    follow(page, "Undo that", ".done")
    must("Amber pendant will be restored." in page.text(), "a deleted record has no name")
    follow(page, "Undo", "form")
    must("Amber pendant" in page.text() and sea("get", id, "name") == "Amber pendant", "it is not back")


def be_told_of_changes(page):
    page.open(f"{BASE}/?type=object")
    page.until("performance.getEntriesByType('resource').some((one) => one.name.includes('/news'))")
    sea("set", "-q", "o/5", f"weight:={time.monotonic_ns() % 1000}")
    page.until("!document.getElementById('news').hidden")
    must("1 change" in page.run("document.getElementById('news').innerText"), "the number is wrong")
    follow(page, "Show it", ".news")


def resist(page):
    for target in ("/", "/?type=evil", f"/record?id={quoted(EVIL)}", f"/edit?id={quoted(EVIL)}", f"/delete?id={quoted(EVIL)}",
                   "/operations", f"/?q={quoted(EVIL)}", f"/?where={quoted(EVIL)}", f"/?sort={quoted(EVIL)}"):
        page.open(BASE + target)
        must(page.run("typeof pwned") == "undefined", f"a script ran in {target}")
        must(not page.run("document.querySelectorAll('main script, main iframe, main object, [onerror]').length"), f"markup in {target}")
    must("U+202E" in page.run(f"fetch('/record?id={quoted(EVIL)}').then((one) => one.text())"), "marks are missing")
    for path in "photo", "page":
        page.call("Page.setDownloadBehavior", behavior="deny")
        page.call("Page.navigate", url=f"{BASE}/asset?id={quoted(EVIL)}&path=/{path}")
        time.sleep(0.2)
        must("/asset" not in page.run("location.href"), f"{path} became a page")


def use_the_keyboard(page):
    page.open(f"{BASE}/?type=object")
    for key in "Tab",:
        for kind in "keyDown", "keyUp":
            page.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=9)
    must(page.run("document.activeElement.className") == "skip", "the first stop is not the skip link")
    page.until("document.activeElement.getBoundingClientRect().top >= 0")


def bar_nobody(page):
    with open(os.environ["AXE"], encoding="utf8") as file:
        axe = file.read()
    found = []
    for name, target in PAGES.items():
        for size, width, height, dark in SIZES:
            page.size(width, height)
            page.dark(dark)
            page.open(BASE + target)
            page.picture(f"{PICTURES}/{name}-{size}.png")
            wide = page.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            if wide > 0:
                found.append(f"{name} {size}: {wide} pixels too wide")
            if size in ("1280", "390-dark"):
                page.run(axe)
                result = page.run("""axe.run(document, {resultTypes: ["violations"]}).then((all) => all.violations
                  .filter((one) => ["serious", "critical", "moderate"].includes(one.impact))
                  .map((one) => one.id + ": " + one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")))""")
                found += [f"{name} {size}: {one}" for one in result]
    page.size(1280, 900)
    page.dark(False)
    must(not found, "\n".join(found))


PAGES = {
    "all": "/", "records": "/?type=object", "search": "/?q=bead", "mistake": "/?type=object&where=wieght+%3E+5",
    "record": "/record?id=o/1", "place": "/record?id=p/1", "edit": "/edit?id=o/1", "new": "/new?type=object", "types": "/new", "delete": "/delete?id=p/1",
    "history": "/operations", "undo": "/undo", "deleted": "/deleted", "hostile": f"/record?id={quoted(EVIL)}", "missing": "/record?id=none",
    "health": "/health", "blocks": "/blocks", "tree": "/tree?id=o/1",
}
JOBS = [find_and_correct, find_by_a_place, sort_on_a_phone, attach_a_photo, lose_no_file, count_and_tag, meet_a_newer_revision, bring_back, make_a_record]
SCRIPTED = [be_told_of_changes, resist, use_the_keyboard, bar_nobody]


address = sys.stdin.readline().strip()
BASE = address.split("/enter")[0]
run(address, JOBS, SCRIPTED, PICTURES)
