#!/usr/bin/python3
"""examples.py PAGE...: runs what pages show, each page in a home of its own with nothing in it, and prints TAP.

An example is a line that begins with "$ ", with the lines behind it that are indented by four, or as far as a here-document
goes; it stands in a display (.Bd) of a manual page or in a block "console" of Markdown. Pages of commands are read from
EXAMPLES on, guides and Markdown from their beginning. What is shown as output must come out, "..." standing for anything,
and any time for any other; the last line [N] is the exit status, else it must be 0.

Guides and Markdown are run by copy and paste: nothing is prepared that the reader does not see, and what stands in comments
is not run. In pages of commands and formats a comment `.\\" $ …` prepares what the reader has already. Of a guide in RECIPES
each subsection stands for itself, and has a home of its own.
"""
import os, re, subprocess, sys

ESCAPES = (("\\&", ""), ("\\(dq", '"'), ("\\-", "-"), ("\\e", "\\"), ("\\(->", "→"))
RECIPES = {"sea-workflows.7"}
TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"


class Heading(str):
    """Where a part of a page begins."""


class Example:
    def __init__(self, command):
        self.command, self.want = [command], []

    def problem(self, have, status):
        """What is wrong; nothing if it came out as it is shown."""
        lines, wanted = list(self.want), "0"
        if lines and re.fullmatch(r"\[\d+\]", lines[-1]):
            wanted = lines.pop()[1:-1]
        while lines and not lines[-1]:
            lines.pop()
        pattern = r"\n".join(meaning(line) for line in lines) + r"\n?"
        if status == wanted and (not lines or re.fullmatch(pattern, have, re.S)):
            return None
        return "\n".join([f"status {status} instead of {wanted}", "wanted:", *self.want, "had:", have])


def meaning(line):
    """The regular expression for a line that is shown."""
    times = re.split(TIME, line)
    return TIME.join(re.escape(part).replace(r"\.\.\.", ".*") for part in times)


def shown(path):
    """The lines that a page shows, and whether each was seen by the reader as one of a display."""
    with open(path, encoding="utf8") as file:
        text = file.read().splitlines()
    if path.endswith(".md"):
        block = False
        for line in text:
            if line.startswith("```"):
                block = line.startswith("```console")
                yield None
            elif block:
                yield line
        return
    guide = inside = path.endswith(".7")
    block = False
    for line in text:
        if line.startswith(".Ss ") and inside:
            yield Heading(line[4:])
        elif line.startswith(".Sh "):
            inside = guide or line.split()[1] == "EXAMPLES"
        elif not inside:
            continue
        elif line.startswith(".Bd "):
            block = True
        elif line.startswith(".Ed"):
            block = False
            yield None
        elif line.startswith('.\\" $ ') and not guide or block and not line.startswith("."):
            line = line.removeprefix('.\\" ')
            for escape, plain in ESCAPES:
                line = line.replace(escape, plain)
            yield line


def examples(path):
    """The examples of each part of a page, by the name of the part."""
    parts, name = {}, os.path.basename(path)
    part, is_open, is_shown, until = name, False, False, None
    for line in shown(path):
        found = parts.setdefault(part, [])
        if isinstance(line, Heading):
            part = f"{name}, {line}" if name in RECIPES else name
            is_open = False
        elif line is None:
            is_open, is_shown, until = False, False, None
        elif until:
            found[-1].command.append(line)
            until = None if line == until else until
        elif line.startswith("$ "):
            found.append(Example(line[2:]))
            is_open = is_shown = True
            document = re.search(r"<<'(\w+)'", line)
            until = document and document[1]
        elif is_open and line.startswith("    "):
            found[-1].command.append(line)
        elif is_shown:
            is_open = False
            found[-1].want.append(line)
    return {part: found for part, found in parts.items() if found}


def run(name, found):
    """One shell runs them all, so that what one example sets the next one finds."""
    os.makedirs(f"{name}/home")
    script = ["cd home", "HOME=$PWD; export HOME", "unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME"]
    for number, example in enumerate(found):
        base = f"{os.getcwd()}/{name}/{number}"
        script += ["status=0", "{", *example.command, f"}} >{base}.have 2>&1 || status=$?", f"echo $status >{base}.status"]
    with open(f"{name}/all.sh", "w", encoding="utf8") as file:
        file.write("\n".join(script) + "\n")
    subprocess.run(["sh", "all.sh"], cwd=name, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for number, example in enumerate(found):
        said = []
        for ending in "have", "status":
            try:
                with open(f"{name}/{number}.{ending}", encoding="utf8", errors="replace") as file:
                    said.append(file.read())
            except FileNotFoundError:
                said.append("none")
        if problem := example.problem(said[0], said[1].strip()):
            return "\n".join(["$ " + "\n".join(example.command), problem])


def main(paths):
    number = 0
    for path in (path for path in paths if not os.path.islink(path)):
        for part, found in examples(path).items():
            number += 1
            problem = run(str(number), found)
            print(f"{'not ' if problem else ''}ok {number} - the examples of {part}")
            for line in (problem or "").splitlines():
                print("#", line)


if __name__ == "__main__":
    main(sys.argv[1:])
