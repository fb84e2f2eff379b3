#!/usr/bin/python3
"""Holds what programs can see of the library against docs/surface/, so that nothing slips out, goes or changes unseen.

    surface.py            compares; every public declaration has to stand there, and to have a comment
    surface.py --write    writes it anew: what has changed is then seen by who looks at the difference
    surface.py --graphs FOLDER    leaves there what the compiler says, for docc

The compiler says what there is (swift symbolgraph-extract), of the build in .build/release, or else .build/debug; BUILD names another."""
import difflib, glob, json, os, re, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODULES = ["SeaKit", "SeaKitFoundation", "SeaContainerTesting"]


def build():
    for place in [os.environ.get("BUILD"), f"{ROOT}/.build/release", f"{ROOT}/.build/debug"]:
        if place and glob.glob(f"{place}/Modules/SeaKit.swiftmodule"):
            return place
    sys.exit("there is no build: swift build -c release")


def graphs(place, folder):
    maps = [f"-fmodule-map-file={path}" for path in sorted(glob.glob(f"{ROOT}/Sources/*/module.modulemap"))]
    for module in MODULES:
        command = [os.environ.get("SWIFT", "swift"), "symbolgraph-extract", "-module-name", module, "-I", f"{place}/Modules",
                   "-target", f"{os.uname().machine}-unknown-linux-gnu", "-minimum-access-level", "public",
                   "-skip-synthesized-members", "-output-dir", folder]
        for one in maps:
            command += ["-Xcc", one]
        subprocess.run(command, check=True)


def symbols(folder, module):
    """The public declarations: path, declaration, and whether there is a comment. Extensions of types of others have files of their own."""
    found = []
    for path in sorted(glob.glob(f"{folder}/{module}.symbols.json") + glob.glob(f"{folder}/{module}@*.symbols.json")):
        with open(path, encoding="utf8") as file:
            for one in json.load(file)["symbols"]:
                text = "".join(part["spelling"] for part in one["declarationFragments"])
                # How the compiler writes a name depends on what it has optimised.
                text = text.replace("Value.Value", "Value")
                said = one.get("docComment")
                # What a protocol of the standard library says of its members need not be said again.
                found.append((".".join(one["pathComponents"]), re.sub(r"\s+", " ", text), bool(said)))
    return sorted(set(found))


def main():
    if sys.argv[1:2] == ["--graphs"]:
        graphs(build(), sys.argv[2])
        return 0
    writes = sys.argv[1:] == ["--write"]
    os.makedirs(f"{ROOT}/docs/surface", exist_ok=True)
    count = bad = 0
    with tempfile.TemporaryDirectory() as folder:
        graphs(build(), folder)
        for module in MODULES:
            found = symbols(folder, module)
            count += len(found)
            lines = [f"{path}: {text}\n" for path, text, _ in found]
            for path, text, has in found:
                if not has:
                    print(f"{module}: no comment: {path}: {text}")
                    bad += 1
            place = f"{ROOT}/docs/surface/{module}.txt"
            if writes:
                with open(place, "w", encoding="utf8") as file:
                    file.writelines(lines)
                continue
            with open(place, encoding="utf8") as file:
                known = file.readlines()
            changed = list(difflib.unified_diff(known, lines, f"docs/surface/{module}.txt", "what there is", n=0))
            sys.stdout.writelines(changed)
            bad += bool(changed)
    print(f"{count} public symbols")
    return 1 if bad or not count else 0


sys.exit(main())
