#!/usr/bin/python3
"""examples.py PAGE...: runs what pages show, each page in an empty directory, and prints TAP.

An example is a line that begins with "$ ", with the lines behind it that are indented by four; it stands in a display
(.Bd) of a manual page, in a block "console" of Markdown, or in a comment `.\\" $ …` (`<!-- $ … -->`), which prepares what
the reader has already. Pages of commands are read from EXAMPLES on, guides and Markdown from their beginning. What is
shown as output must come out, "..." standing for anything; the last line [N] is the exit status, else it must be 0.
"""
import os, re, subprocess, sys

ESCAPES = (("\\&", ""), ("\\(dq", '"'), ("\\-", "-"), ("\\e", "\\"), ("\\(->", "→"))


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
        pattern = r"\n".join(re.escape(line).replace(r"\.\.\.", ".*") for line in lines) + r"\n?"
        if status == wanted and (not lines or re.fullmatch(pattern, have, re.S)):
            return None
        return "\n".join([f"status {status} instead of {wanted}", "wanted:", *self.want, "had:", have])


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
            elif found := re.fullmatch(r"<!-- (\$ .*) -->", line):
                yield found[1]
            elif block:
                yield line
        return
    guide = inside = path.endswith(".7")
    block = False
    for line in text:
        if line.startswith(".Sh "):
            inside = guide or line.split()[1] == "EXAMPLES"
        elif not inside:
            continue
        elif line.startswith(".Bd "):
            block = True
        elif line.startswith(".Ed"):
            block = False
            yield None
        elif line.startswith('.\\" $ ') or block and not line.startswith("."):
            line = line.removeprefix('.\\" ')
            for escape, plain in ESCAPES:
                line = line.replace(escape, plain)
            yield line


def examples(path):
    found, is_open = [], False
    for line in shown(path):
        if line is None:
            is_open = False
        elif line.startswith("$ "):
            found.append(Example(line[2:]))
            is_open = True
        elif is_open and line.startswith("    "):
            found[-1].command.append(line)
        elif found:
            is_open = False
            found[-1].want.append(line)
    return found


def run(name, found):
    """One shell runs them all, so that what one example sets the next one finds."""
    os.makedirs(f"{name}/place")
    script = ["cd place"]
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
    for path in paths:
        name, found = os.path.basename(path), examples(path)
        if os.path.islink(path) or not found:
            continue
        number += 1
        problem = run(name, found)
        print(f"{'not ' if problem else ''}ok {number} - the examples of {name}")
        for line in (problem or "").splitlines():
            print("#", line)


if __name__ == "__main__":
    main(sys.argv[1:])
