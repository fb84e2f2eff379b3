"""Looks whether pages of sea inspect --html are well formed, load nothing, run nothing, and lead nowhere else."""
import re, sys
import xml.etree.ElementTree as tree

KNOWN = set(
    "html head meta title style body a header h1 h2 h3 p nav main div table tr th td span code br details summary "
    "svg line path text circle".split())
ATTRIBUTES = set(
    "lang charset http-equiv content name class href id aria-label tabindex role scope title style open width height "
    "viewBox x1 x2 y1 y2 x y d cx cy r".split())


def check(path):
    text = open(path, encoding="utf8").read()
    root = tree.fromstring(text.split("\n", 1)[1])
    assert text.startswith("<!DOCTYPE html>\n")
    ids, links = set(), []
    for element in root.iter():
        assert element.tag in KNOWN, element.tag
        assert set(element.attrib) <= ATTRIBUTES, element.attrib
        if "id" in element.attrib:
            assert element.attrib["id"] not in ids
            ids.add(element.attrib["id"])
        if "href" in element.attrib:
            links.append(element.attrib["href"])
        if "style" in element.attrib:
            assert re.fullmatch(r"width:\d+%|background:var\(--\w+\)", element.attrib["style"]), element.attrib["style"]
    for link in links:
        assert link.startswith("#") and link[1:] in ids, link
    style = "".join(root.find(".//style").itertext())
    assert not re.search(r"url\(|@import|//|expression", style)
    policy = [m.attrib["content"] for m in root.iter("meta") if m.attrib.get("http-equiv") == "Content-Security-Policy"]
    assert policy and policy[0].startswith("default-src 'none'; style-src 'unsafe-inline'")
    # Whatever moves with the keys: every part that scrolls can have the focus, every mark is a link.
    for element in root.iter("div"):
        if "scroll" in element.attrib.get("class", "").split():
            assert element.attrib["tabindex"] == "0" and element.attrib["aria-label"]
    parents = {child: parent for parent in root.iter() for child in parent}
    assert all(parents[mark].tag == "a" for mark in root.iter("circle"))
    assert not re.search("[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]", text)


for path in sys.argv[1:]:
    try:
        check(path)
    except (AssertionError, tree.ParseError) as error:
        sys.exit(f"{path}: {type(error).__name__} {error}")
