#!/usr/bin/python3
"""How much of the text follows the patterns of speech that Sea's texts avoid, against Tests/language.budget.

usage: language.py [--check] [--list GROUP] [--terms] [FILE...]

Without arguments: a table with a line for each group of texts. --check compares with the budget and looks for the phrases of
Tests/language.terms; the status is 1 if a figure is above its limit or a phrase occurs. --list prints the sentences of a group that count,
with file and line. With files: the table of these files.

A sentence counts as `odd` if it has one of the patterns below, as `relative` if it begins with a free relative clause ("Who is revoked …",
"What a container lacks …"), and as `long` if it has more than 30 words. The patterns measure habits, not English: a low figure proves nothing.
"""
import glob, os, re, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FORMAT = ["man/sea-format.5", "man/sea-record.5", "man/sea-merge.5", "man/sea-members.5", "man/sea-bundle.5", "man/sea-hints.5"]

GROUPS = {
    "README": ["README.md"],
    "man1": ["man/*.1"],
    "man5": ["man/*.5"],
    "format": FORMAT,
    "man7": ["man/*.7"],
    "docc": ["Sources/SeaKit/SeaKit.docc/*.md"],
    "docs": ["docs/*.md", "docs/decisions/*.md", "CONTRIBUTING.md"],
    "messages": ["Sources/*/**/*.swift", "Helpers/Sources/**/*.swift"],
    "changelog": ["changelog/unreleased/*"],
    "comments": ["Sources/*/**/*.swift", "Helpers/Sources/**/*.swift"],
}

RELATIVE = re.compile(r"^(?:But |And |So |Then |Else )?(?:Who|What|Whoever|Whatever|Which)\b(?!'s)(?![^?]*\?$)", re.I)
ODD = [
    RELATIVE,
    re.compile(r"(?<!\bsee )(?<!\bknow )(?<!\bshow )(?<!\bshows )\b(?:who|what|whoever|whatever)\s+(?:has|have|is|are|was|were|can|may|does|did|it|they|he|"
               r"she|this|that|the|a|an|one|each|nobody|somebody|others?|all|comes|stands|lies|lacks|belongs|follows|holds)\b", re.I),
    re.compile(r"\b(?:that which|of which none|is none\b|are none\b|(?<!there )is no (?!longer\b|match|more|one|such|need|record|index|space|room)\w+|"
               r"it is (?:looked|told|waited|asked|said|tried)\b)", re.I),
    re.compile(r"\b(?:is|are|be|was|were|been)\s+(?:told|said|asked|looked|gone on|waited|held against|meant|named|known)\b", re.I),
    re.compile(r"\b(?:all the same|anyhow|for good|by itself|of its own|of (?:your|their) own|as it is|as they are|unasked|somebody|nobody|whomever|"
               r"whoever|anybody|none of|anew|hereby|thereby|therein)\b", re.I),
    re.compile(r"\b(?:he|his|him)\b", re.I),
    re.compile(r"\b(?:lies|lie|stands|stand|stood|lay)\b(?! for\b)", re.I),
]
LONGEST = 30


def words(text):
    return re.findall(r"[A-Za-z][A-Za-z'-]*", text)


# -- paragraphs: (line, text), with code as CODE

MACROS = set("Ns No Oo Oc Ar Cm Fl Pa Ev Xr Ql Dq Pq Sq Em Sy Li Ic Va Sx Op Ao Ac Bo Bc Po Pc Qo Qc Dv Er Fn Lk Qq Aq Bq Nm".split())
CODE = set("Cm Fl Ar Pa Ev Ql Li Ic Va Nm Dv Sx Er Fn".split())
BREAKS = set(".Sh .Ss .Pp .It .Bl .El .Bd .D1 .Dl .Dd .Dt .Os .Nd".split())
UNREAD = {"SYNOPSIS", "SEE ALSO", "NAME"}


def macro_line(line):
    """A line of macros as running text."""
    out, macro, glued, pages, after = [], None, False, 0, ""
    for token in re.findall(r'"[^"]*"|\S+', line[1:]):
        if token in MACROS:
            if token == "Ns":
                glued = True
            elif token in ("Pq", "Po"):
                out.append("(")
                glued, after = True, ")"
            else:
                macro, pages = token, 2 if token == "Xr" else 0
                if token == "Nm":
                    out.append("CODE")
            continue
        token = token.strip('"')
        if re.fullmatch(r"[.,;:)!?]+", token):
            if out:
                out[-1] += token
            continue
        if pages:
            pages -= 1
            text = "CODE" if pages else ""
        else:
            text = "CODE" if macro in CODE and re.search(r"\w", token) else token
        if not text:
            continue
        if glued and out:
            out[-1] += text
        else:
            out.append(text)
        glued = False
    return " ".join(out) + after


def manual(lines):
    text, start, literal, section = [], 0, False, ""
    for number, line in enumerate(lines, 1):
        head = line.split()[0] if line.startswith(".") and line.split() else ""
        if head in BREAKS or head == ".Ed":
            if text:
                yield start, " ".join(text)
            text = []
            literal = head == ".Bd" or literal and head != ".Ed"
            if head == ".Sh":
                section = line[4:].replace("\\&", "")
        elif literal or section in UNREAD or line.startswith(('.\\"', "'")) or head and head[1:] not in MACROS:
            continue
        else:
            part = macro_line(line) if head else line
            part = re.sub(r"\\\((?:aq|cq)", "'", re.sub(r"\\\((?:lq|rq|dq)", '"', part.replace("\\-", "-")))
            part = re.sub(r"\\f[A-Z]|\\&|\\[(].?.?|\\%", "", part)
            if part.strip():
                start = start if text else number
                text.append(part.strip())
    if text:
        yield start, " ".join(text)


def markdown(lines):
    text, start, fenced = [], 0, False
    for number, line in enumerate(lines, 1):
        fence = re.match(r"\s*(```|~~~)", line)
        item = re.match(r"\s*([-*+]|\d+\.)\s", line)
        stops = not line.strip() or re.match(r"\s*(#|\||!\[|<|\[[^\]]+\]:|[-=*_]{3,}\s*$|@)", line)
        if text and (fence or item or stops):
            yield start, " ".join(text)
            text = []
        if fence:
            fenced = not fenced
        elif not (fenced or stops or line.startswith("    ") and not text):
            line = re.sub(r"^\s*([-*+]|\d+\.)\s+", "", line) if item else line
            line = re.sub(r"``?[^`]+``?|https?://\S+", "CODE", line)
            line = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", line)
            line = re.sub(r"\[([^\]]*)\][(\[][^)\]]*[)\]]", r"\1", line).replace("**", "")
            start = start if text else number
            text.append(line.strip())
    if text:
        yield start, " ".join(text)


def literals(line):
    """The texts in quotes; what is put in is X."""
    at = 0
    while at < len(line):
        if line[at:at + 2] == "//":
            return
        if line[at] == '"':
            at, out = at + 1, []
            while at < len(line) and line[at] != '"':
                if line[at:at + 2] == "\\(":
                    depth, at = 1, at + 2
                    while at < len(line) and depth:
                        depth += {"(": 1, ")": -1}.get(line[at], 0)
                        if line[at] == '"':
                            at += 1
                            while at < len(line) and line[at] != '"':
                                at += 2 if line[at] == "\\" else 1
                        at += 1
                    out.append("X")
                elif line[at] == "\\":
                    out.append({"n": " "}.get(line[at + 1:at + 2], line[at + 1:at + 2]))
                    at += 2
                else:
                    out.append(line[at])
                    at += 1
            yield "".join(out)
        at += 1


def messages(lines):
    for number, line in enumerate(lines, 1):
        if re.match(r'\s*(//|import |case "|@|precondition|assert|fatalError)', line):
            continue
        for text in literals(line):
            if len([word for word in words(text) if word != "X"]) < 4:
                continue
            if re.search(r'SELECT |CREATE |INSERT |PRAGMA|<[a-z]+|\{"|UPDATE |DELETE FROM|FROM ', text):
                continue
            if sum(letter.isalpha() or letter in " ,.;:'" for letter in text) >= 0.7 * len(text):
                yield number, text


def comments(lines):
    text, start = [], 0
    for number, line in enumerate(lines, 1):
        found = re.match(r"\s*///? ?(.*)", line)
        part = found.group(1) if found else ""
        item = re.match(r"\s*- (Parameters?|Returns|Throws|Note|Important|Warning)?", part)
        if text and (not part.strip() or item or part.startswith(("```", "MARK"))):
            yield start, " ".join(text)
            text = []
        if found and part.strip() and not part.startswith(("```", "    ", "MARK")):
            start = start if text else number
            text.append(re.sub(r"`[^`]+`", "CODE", re.sub(r"^\s*- (\w+:|Parameter \w+:)?", "", part)).strip())
    if text:
        yield start, " ".join(text)


def reader(group, path):
    if group == "comments":
        return comments
    if path.endswith(".swift"):
        return messages
    return manual if re.search(r"\.[1-8]$", path) else markdown


def sentences(group, path):
    lines = open(path, encoding="utf-8").read().split("\n")
    for line, text in reader(group, path)(lines):
        sentence = ""
        for part in re.split(r"(?<=[.!?])[\"')]?\s+(?=[\"'(]?[A-Z0-9`])", re.sub(r"\s+", " ", text).strip()):
            sentence = f"{sentence} {part}".strip()
            if re.search(r"\b(e\.g|i\.e|etc|vs|cf|No)\.$", sentence):
                continue
            if len(words(sentence)) >= 3:
                yield line, sentence
            sentence = ""


def is_odd(sentence):
    return any(pattern.search(sentence) for pattern in ODD)


def measure(found):
    texts = [text for _, _, text in found]
    share = lambda test: 100 * sum(1 for text in texts if test(text)) / len(texts) if texts else 0.0
    return {"sentences": len(texts), "odd": share(is_odd), "relative": share(RELATIVE.search),
            "long": share(lambda text: len(words(text)) > LONGEST)}


def files(group):
    found = sorted({path for pattern in GROUPS[group] for path in glob.glob(os.path.join(ROOT, pattern), recursive=True)})
    formats = {os.path.join(ROOT, path) for path in FORMAT}
    return [path for path in found if os.path.isfile(path) and (group != "man5" or path not in formats)]


def collect(group, paths):
    return [(os.path.relpath(path, ROOT), line, text) for path in paths for line, text in sentences(group, path)]


def rows(name):
    with open(os.path.join(ROOT, "Tests", name), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                yield line.rstrip("\n")


def terms():
    """Uses of the phrases that have a standard term: (file, line, phrase, term)."""
    for row in rows("language.terms"):
        phrase, term, *excepted = [cell.strip() for cell in row.split(" = ")]
        allowed = excepted[0].split() if excepted else []
        pattern = re.compile(rf"\b(?:{phrase})\b", re.I)
        for group in GROUPS:
            if group in ("comments", "format"):
                continue
            for path in files(group):
                name = os.path.relpath(path, ROOT)
                if os.path.basename(name) in allowed or group in allowed:
                    continue
                for line, text in sentences(group, path):
                    if (found := pattern.search(text)):
                        yield name, line, found.group(), term


def check(figures):
    bad = 0
    for row in rows("language.budget"):
        group, metric, most = row.split()
        if figures[group][metric] > float(most):
            print(f"{group}: {figures[group][metric]:.1f} % of the sentences are {metric}, and the budget is {most} %: Tests/language.py --list {group}")
            bad = 1
    for name, line, phrase, term in terms():
        print(f"{name}:{line}: '{phrase}' is called: {term}")
        bad = 1
    return bad


def main(arguments):
    if "--list" in arguments:
        group = arguments[arguments.index("--list") + 1]
        for path, line, text in collect(group, files(group)):
            if is_odd(text) or len(words(text)) > LONGEST:
                print(f"{path}:{line}: {text}")
        return 0
    paths = [path for path in arguments if not path.startswith("--")]
    if paths:
        found = {path: collect("", [os.path.abspath(path)]) for path in paths}
    else:
        found = {group: collect(group, files(group)) for group in GROUPS}
    figures = {name: measure(texts) for name, texts in found.items()}
    print(f"{'group':28}sentences    odd  relative   long")
    for name, figure in figures.items():
        print(f"{name:28}{figure['sentences']:9}{figure['odd']:6.1f}%{figure['relative']:9.1f}%{figure['long']:6.1f}%")
    return check(figures) if "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
