#!/usr/bin/python3
"""pages.py PAGE...: looks at manual pages as readers see them, rendered by mandoc and by groff, and prints TAP.

What mdoc makes of a slip is rarely an error: a word that is a macro elsewhere swallows a heading, a comma gets a blank before it,
a cell runs into the next column. This finds what such slips leave behind.
"""
import collections, html, os, re, shlex, subprocess, sys

# Macros whose names are no words: whoever reads one has found a slip.
MACROS = set(
    "Ar Cm Fl Ic Li Nm Op Pa Pp Ql Sy Ta Xr Em Va Ev Er Dv Fn Oo Oc Po Pc Ns Bl El Bd Ed Sh Ss Nd Dq Pq Sq Qq Aq Bq Dl Sx Cd Ad Xo Xc".split())
GAP = 2  # columns between two cells
TEXT = 78 - 5
LAST = 20  # what the last column has at least; what is in it goes on below itself


def command(*words, **more):
    done = subprocess.run(words, capture_output=True, **more)
    return done.stdout.decode("utf8", "replace"), done.stderr.decode("utf8", "replace")


def plain(markup):
    return html.unescape(re.sub(r"<[^>]*>", "", markup))


class Page:
    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)
        with open(path, encoding="utf8") as file:
            self.source = file.read()
        self.lines = self.source.splitlines()
        self.mandoc = re.sub(".\b", "", command("mandoc", "-Tutf8", "-Owidth=78", path)[0])
        self.html = command("mandoc", "-Thtml", path)[0]
        variables = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "78", "MANPAGER": "cat"}
        self.groff, self.warnings = command("man", "--warnings=w", "-l", path, env=variables)
        # Without displays, in which everything stands as it is.
        self.prose = re.sub(r"(?s)<pre.*?</pre>|<code class=\"Li\">.*?</code>", "x", self.html)

    def has(self, name, section):
        """Whether there is such a page beside it."""
        return os.path.exists(f"{os.path.dirname(self.path)}/{name}.{section}")


def warnings(page):
    """What groff complains of."""
    yield from page.warnings.splitlines()[:5]


def headings(page):
    """Each heading comes out as it is written."""
    for line in page.lines:
        if found := re.match(r"\.(Sh|Ss) (.*)", line):
            words = [word for word in found[2].replace("\\&", "").split() if word not in ("Cm", "Fl", "Ar", "Pa")]
            want = " ".join(words).strip('"')
            rendered = {re.sub(r"\s+", " ", have.strip()) for have in page.mandoc.splitlines()}
            if want not in rendered:
                yield f"no heading '{want}'"


def title(page):
    name, section = page.name.rsplit(".", 1)
    # What groff calls section 7 is too long for a narrow title: it goes round for ever.
    volume = " LOCAL" if section == "7" else ""
    if f".Dt {name.upper()} {section}{volume}" not in page.lines:
        yield "another title than its name"
    if f".Nm {name}" not in page.lines:
        yield "another name than that of its file"


def narrow(page):
    """It comes out on a terminal of 40 columns."""
    variables = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "40", "MANPAGER": "cat"}
    try:
        if not command("man", "-l", page.path, env=variables, stdin=subprocess.DEVNULL, timeout=20)[0].strip():
            yield "nothing comes out at 40 columns"
    except subprocess.TimeoutExpired:
        yield "groff does not come to an end at 40 columns"


def tables(page):
    """Every cell has room: what is too wide runs into the next column, or moves it."""
    widths = []
    for line in page.lines:
        if line.startswith(".Bl -column"):
            said = re.sub(r"\\\(..|\\\[.*?\]", "x", re.sub(r"-compact|-offset \S+", "", line[11:]))
            widths.append([len(one) for one in shlex.split(said)])
    found = re.findall(r'(?s)<table class="Bl-column.*?</table>', page.html)
    if len(found) != len(widths):
        yield f"{len(widths)} tables are written, {len(found)} come out"
    for table, columns in zip(found, widths):
        for row in re.findall(r"(?s)<tr.*?</tr>", table):
            cells = [plain(cell).strip() for cell in re.findall(r"(?s)<td.*?</td>", row)]
            # The last column may do without a width.
            if len(cells) > len(columns) + 1:
                yield f"more cells than columns: {cells}"
            for cell, width in zip(cells[:-1], columns):
                if len(" ".join(cell.split())) > width:
                    yield f"wider than its column of {width}: {' '.join(cell.split())}"
            before = columns[: len(cells) - 1]
            if sum(before) + GAP * len(before) + min(len(" ".join(cells[-1].split())), LAST) > TEXT:
                yield f"no room for the last column behind {before}: {' '.join(cells[-1].split())}"


def words(page):
    """Nothing that is left over of macros, and punctuation where it belongs."""
    for have in (page.mandoc, page.groff):
        for line in have.splitlines():
            found = re.search(r"\b(sea(?:-[a-z0-9+]+)*) ([157])\b(?!:)", line)
            if found and page.has(*found.groups()):
                yield f"a page without its brackets: {line.strip()}"
            if re.match(r"\s*'?\.[A-Z][a-z]( |$)", line):
                yield f"a line of mdoc: {line.strip()}"
    for paragraph in re.split(r"<(?:p|dd|dt|li|td|div|section|h1|h2|br)\b[^>]*>", page.prose):
        text = " ".join(plain(paragraph).split())
        for word in text.split():
            if word in MACROS:
                yield f"'{word}' in: {text[:80]}"
        if found := re.search(r".{0,30} [,;:)](?= |$).{0,20}|.{0,30} \.(?= [A-Z]|$).{0,20}", text):
            yield f"a blank before punctuation: {found[0]}"
        if re.match(r"[.,;:] ", text):
            yield f"begins with a stray mark: {text[:60]}"


def references(page):
    for name, section in re.findall(r"Xr (sea[-+\w]*) (\d)", page.source):
        if not page.has(name, section):
            yield f"no page {name}({section})"


def examples(page):
    """At least two, each behind a sentence that says what it is for; in pages of commands below EXAMPLES."""
    count, before, inside = 0, "", not page.name.endswith(".1")
    for line in page.lines:
        if line.startswith(".Sh "):
            inside = inside or line == ".Sh EXAMPLES"
        elif inside and (line.startswith(".Bd -literal") or line.startswith(".Dl ")):
            if re.match(r"\.(Sh|Pp|Bd|Ed|Bl|It|El)\b", before) or before.startswith(".Ss") and not page.name.endswith(".5"):
                yield f"an example without a word before it: {line}, behind {before}"
            count += 1
        if not line.startswith('.\\"'):
            before = line
    if count < 2:
        yield f"{count} examples"


def footers(pages):
    """The last lines are alike, but for the middle one of the title."""
    for which in "mandoc", "groff":
        counted = collections.Counter(getattr(page, which).rstrip().splitlines()[-1].strip() for page in pages)
        usual = counted.most_common(1)[0][0]
        for page in pages:
            if (have := getattr(page, which).rstrip().splitlines()[-1].strip()) != usual:
                yield f"{page.name}, by {which}: {have} instead of {usual}"


CHECKS = {
    "groff has nothing to complain of": warnings, "headings are those that are written": headings,
    "title and name are those of the file": title, "all come out at 40 columns": narrow, "every cell of a table has room": tables,
    "nothing is left over of macros": words, "the pages that are named are there": references,
    "there are two examples, each with what it is for": examples}


def main(paths):
    pages = [Page(path) for path in paths if not os.path.islink(path)]
    results = [(about, [f"{page.name}: {what}" for page in pages for what in check(page)]) for about, check in CHECKS.items()]
    results.append(("all footers are alike", list(footers(pages))))
    for number, (about, faults) in enumerate(results, 1):
        print(f"{'not ' if faults else ''}ok {number} - {about}")
        for fault in faults:
            print("#", fault)


if __name__ == "__main__":
    main(sys.argv[1:])
