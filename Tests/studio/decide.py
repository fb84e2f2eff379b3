#!/usr/bin/python3
"""Visits the pages of conflicts, copies and members with Chromium, with scripts and without: decide.py ONE TWO THREE PICTURES. The
folders are instances that share the container `team`; THREE asks to join. The address of sea studio for ONE is read from standard
input. Each job is one test, in TAP. AXE is the script of axe-core."""
import json, os, subprocess, sys, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import SIZES, fill, follow, must, quoted, run

ONE, TWO, THREE, PICTURES = sys.argv[1:5]
EVIL = "evil/<script>Object.assign(window,{pwned:1})</script>"
LONG = ("We started before sunrise. The reeds were quiet, and a light wind came from the west. Two adults were feeding young near the old "
        "jetty; a third bird called from the far bank.")


def sea(folder, *words, data=None, check=True):
    return subprocess.run(["sea", "-C", folder, *words], input=data, capture_output=True, text=True, check=check).stdout.strip()


def check(page, selector):
    must(page.run(f"(() => {{ const one = document.querySelector({json.dumps(selector)}); one?.click(); return !!one; }})()"), f"no {selector}")


def exchange():
    for folder in ONE, TWO, ONE:
        sea(folder, "sync", "-q")


def conflict(*ids):
    """Makes a conflict in `name` and `notes` of each record; `weight` merges."""
    for id in ids:
        sea(ONE, "set", "-q", "--create", "-t", "bird", id, "name=Bird", f"notes={LONG}", "weight:=1")
    exchange()
    for id in ids:
        sea(ONE, "set", "-q", id, "name=Wren", f"notes={LONG.replace('light', 'strong')}", "weight:=2")
        sea(TWO, "set", "-q", id, f"name=Robin {EVIL}", f"notes={LONG.replace('Two adults', 'Three adults')}", "seen:day=2026-03-01")
    exchange()


def fresh():
    return f"b/{time.monotonic_ns()}"


# The jobs

def choose_by_property(page):
    id = fresh()
    conflict(id)
    page.open(f"{BASE}/conflict?id={quoted(id)}")
    must("2 choices" in page.text() and "Merged without a choice" in page.text(), "choices are missing: " + page.text()[:500])
    must(page.run("document.querySelectorAll('.option ins').length") >= 2, "differences of long texts are not marked")
    follow(page, "Take this side", ".side1")
    must("Resolve the conflict" in page.text(), "the result is not shown")
    must(sea(ONE, "conflicts", "--count") != "0", "it is stored before it is asked for")
    follow(page, "Change the choices")
    check(page, "fieldset.clash:nth-of-type(1) .side0 input")
    check(page, "fieldset.clash:nth-of-type(2) input[value=value]")
    fill(page, "fieldset.clash:nth-of-type(2) textarea", "A text of my own")
    follow(page, "Show the result")
    must("written by you" in page.text() and "A text of my own" in page.text(), "the result does not say where values come from")
    follow(page, "Resolve", "form")
    must(sea(ONE, "get", id, "notes") == "A text of my own" and sea(ONE, "get", id, "weight") == "2", "it is not stored")
    must("Resolved" in page.text() and f"{id}" in page.run("document.querySelector('.done .command code').textContent"), "nothing is said of it")
    must(sea(ONE, "get", id, "seen") == "2026-03-01", "what merges is lost")


def undo_a_resolution(page):
    id = fresh()
    conflict(id)
    page.open(f"{BASE}/conflict?id={quoted(id)}")
    sides = [[one, "(here)" in one] for one in page.run("[...document.querySelectorAll('.side')].map((one) => one.innerText)")]
    must([here for _, here in sides] == [True, False] and "two" in sides[1][0], f"the own side is not A: {sides}")
    follow(page, "Take this side", ".side1")
    follow(page, "Resolve", "form")
    must(f"Resolved Robin {EVIL}." in page.text(), "the old name is told: " + page.text()[:300])
    page.open(f"{BASE}/undo")
    must(f"The conflict of Robin {EVIL} returns." in page.text(), "the confirmation does not say it: " + page.text()[:300])
    follow(page, "Undo", "form")
    must("Conflict of" in page.text(), "it does not lead to the conflict")
    again = page.run("[...document.querySelectorAll('.side strong')].map((one) => one.innerText)")
    must(again == ["one (here)", "two"], f"the authors are lost: {again}")
    must("two" in sea(ONE, "conflicts", id), "the command does not name them")
    sea(ONE, "resolve", "-q", "--take=two", id)
    must(sea(ONE, "get", id, "name").startswith("Robin"), "the side of an author is not found")


def choose_a_value_by_a_click(page):
    id = fresh()
    conflict(id)
    page.open(f"{BASE}/conflict?id={quoted(id)}")
    page.run("document.querySelector('fieldset.clash .side1 .what bdi').click()")
    must(page.run("document.querySelector('fieldset.clash .side1 input').checked"), "it is not chosen")
    page.size(390, 844)
    follow(page, "Take this side", ".side1")
    must(page.run("[...document.querySelectorAll('.scroll')].every((one) => one.scrollWidth <= one.clientWidth)"), "a part of the result is out of sight")
    page.open(f"{BASE}/conflicts")
    follow(page, "Show the result")
    must(page.run("[...document.querySelectorAll('.scroll')].every((one) => one.scrollWidth <= one.clientWidth)"), "a part of the results is out of sight")
    page.size(1280, 900)
    sea(ONE, "resolve", "-q", "--ours", id)


def meet_another_resolution(page):
    id = fresh()
    conflict(id)
    page.open(f"{BASE}/conflict?id={quoted(id)}")
    sea(ONE, "resolve", "-q", "--ours", id)
    follow(page, "Take this side", ".side1")
    must("No longer in conflict" in page.text(), "a resolved conflict is resolved again")


def take_one_side_for_all(page):
    sea(ONE, "resolve", "-q", "--all", "--winner")
    ids = [fresh(), fresh(), fresh()]
    conflict(*ids)
    page.open(f"{BASE}/conflicts")
    must(page.run("document.querySelectorAll('tbody tr').length") >= 3, "the list is too short")
    check(page, "input[value=theirs]")
    follow(page, "Show the result")
    follow(page, "Resolve", "form")
    must("No conflict is left" in page.text(), "conflicts are left: " + page.text()[:300])
    must(all(sea(ONE, "get", id, "name") == f"Robin {EVIL}" for id in ids), "the wrong side was taken")
    follow(page, "Undo", ".done")
    follow(page, "Undo", "form")
    must(sea(ONE, "conflicts", "--count") == "3", "one undo does not take it back")
    sea(ONE, "resolve", "-q", "--all", "--ours")


def see_who_changed_what(page):
    id = fresh()
    conflict(id)
    page.open(f"{BASE}/conflicts")
    count = sea(ONE, "conflicts", "--count")
    must(f"Conflicts {count}" in page.run("document.querySelector('.top').innerText").replace("\n", " "), "the menu does not count conflicts")
    sea(ONE, "resolve", "-q", "--prefer=ours", id)
    page.open(f"{BASE}/record?id={quoted(id)}")
    text = page.run("document.querySelector('.timeline').innerText")
    must("Merged" in text and "Robin" in text and "by two" in text, "a merged change is not in the history: " + text)
    must("tombstone" not in page.text(), "a word of programs")
    page.open(f"{BASE}/copies")
    must(page.run("getComputedStyle(document.querySelector('.drawing .wide text.full')).stroke") == "none", "the drawing hides its words")


def sync_from_here(page):
    id = fresh()
    sea(TWO, "set", "-q", "--create", "-t", "bird", id, "name=Far away")
    sea(TWO, "sync", "-q")
    page.open(f"{BASE}/copies")
    follow(page, "Dry run", ".head")
    for _ in range(100):
        if "Nothing was changed" in page.text():
            break
        time.sleep(0.2)
        if page.run("!!document.querySelector('noscript meta')"):
            page.open(page.run("location.href"))
    must("Nothing was changed" in page.text() and sea(ONE, "get", id, check=False) == "", "a dry run changes something")
    follow(page, "Sync", "form")
    for _ in range(100):
        if "Done" in page.text():
            break
        time.sleep(0.2)
        page.open(page.run("location.href"))
    must(sea(ONE, "get", id, "name") == "Far away", "it was not synced")


def attach_a_container(page):
    place = os.path.abspath(f"attached-{time.monotonic_ns()}.sea")
    page.open(f"{BASE}/attach")
    fill(page, "#name", "more")
    fill(page, "#location", place)
    follow(page, "Check", "form")
    must("no container" in page.text().lower(), "a missing container is not found out: " + page.text()[:400])
    check(page, "input[name=create]")
    follow(page, "Check", "form")
    must("It would be created" in page.text() and not os.path.exists(place), "the check does not say what happens")
    follow(page, "Attach", "form")
    must(os.path.exists(place) and "more" in sea(ONE, "containers"), "it is not attached")
    page.open(f"{BASE}/detach?name=more")
    follow(page, "Detach", "form")
    must("more" not in sea(ONE, "containers"), "it is not detached")


def authorize_and_revoke(page):
    id = [json.loads(one) for one in sea(THREE, "instances", "--json").splitlines() if json.loads(one).get("self")][0]["instance"]
    words = [json.loads(one) for one in sea(THREE, "instances", "--json").splitlines() if json.loads(one).get("self")][0]["fingerprint"]
    page.open(f"{BASE}/members")
    shown = page.run("[...document.querySelectorAll('.words')].map((one) => [...one.querySelectorAll('bdi')].map((one) => one.textContent).join(' '))")
    must(words in shown or "revoked" in page.text(), f"the fingerprint is not shown: {words} in {shown}")
    page.open(f"{BASE}/authorize?id={id}")
    page.run("document.querySelector('[name=compared]').required = false")
    follow(page, "Authorize", "form")
    must("Compare the words" in page.text(), "it authorizes without a comparison")
    check(page, "[name=compared]")
    follow(page, "Authorize", "form")
    must("Authorized three" in page.text() and "sea authorize" in page.text(), "it is not authorized: " + page.text()[:300])
    sea(ONE, "sync", "-q", "team")
    page.open(f"{BASE}/revoke?id={id}")
    must("Sync first" in page.text() and "its own copy" in page.text(), "warnings are missing")
    follow(page, "Revoke", "form")
    must("Revoked three" in page.text(), "it is not revoked")


def resist(page):
    conflict(EVIL)
    for target in ("/conflicts", f"/conflict?id={quoted(EVIL)}", f"/conflicts?type={quoted(EVIL)}", "/copies", "/members",
                   f"/detach?name={quoted(EVIL)}", f"/authorize?id={quoted(EVIL)}", f"/sync?job={quoted(EVIL)}", f"/revoke?id={quoted(EVIL)}"):
        page.open(BASE + target)
        must(page.run("typeof pwned") == "undefined", f"a script ran in {target}")
        must(not page.run("document.querySelectorAll('main script, main iframe, main object, [onerror]').length"), f"markup in {target}")
    page.open(f"{BASE}/conflict?id={quoted(EVIL)}")
    follow(page, "Take this side", ".side1")
    must(page.run("typeof pwned") == "undefined" and EVIL in page.text(), "the id is not text")


def bar_nobody(page):
    conflict("bird/1", "bird/2")
    with open(os.environ["AXE"], encoding="utf8") as file:
        axe = file.read()
    id = [json.loads(one) for one in sea(TWO, "instances", "--json").splitlines() if json.loads(one).get("self")][0]["instance"]
    pages = {"conflicts": "/conflicts", "conflict": "/conflict?id=bird/1", "copies": "/copies", "attach": "/attach", "members": "/members",
             "detach": "/detach?name=team", "authorize": f"/authorize?id={id}", "revoke": f"/revoke?id={id}",
             "result": "/conflict?id=bird/1", "bulk": "/conflicts"}
    found = []
    for name, target in pages.items():
        for size, width, height, dark in SIZES:
            page.size(width, height)
            page.dark(dark)
            page.open(BASE + target)
            if name == "result":
                follow(page, "Take this side", ".side1")
            if name == "bulk":
                follow(page, "Show the result")
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


JOBS = [choose_by_property, undo_a_resolution, meet_another_resolution, take_one_side_for_all, see_who_changed_what, sync_from_here,
        attach_a_container, authorize_and_revoke]
SCRIPTED = [choose_a_value_by_a_click, resist, bar_nobody]


address = sys.stdin.readline().strip()
BASE = address.split("/enter")[0]
run(address, JOBS, SCRIPTED, PICTURES)
