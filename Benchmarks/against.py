#!/usr/bin/env python3
"""Sea, restic and git-annex over one server of S3: records and files, first and incremental: requests, bytes and wall seconds, side by side.

against.py [RECORDS [FILES [SIZE]]]: 10,000, 100 and 1,000,000 bytes if nothing else is said. S3=moto or rclone is the server; of the second git-annex
is left out, whose signature it does not take. Each of them has what it
does best: Sea records and assets; restic a folder with a file for each record, or (restic-1) one file of all of them; git-annex one file of all records (the
repository itself, with the history, goes nowhere), or (annex-n, with ALL=1) one for each. Seconds and what goes over the line are of one run: the
counter in between forwards bytes as they are."""
import json, os, random, shutil, subprocess, sys, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import places

records, files, size = (int(sys.argv[k]) if len(sys.argv) > k else n for k, n in ((1, 10000), (2, 100), (3, 1000000)))
sea, work, kind = os.environ["SEA"], os.environ["WORK"], os.environ.get("S3", "moto")
place = places.S3(work, kind, counts=True)
env = os.environ | place.env | {
    "HOME": work, "RESTIC_PASSWORD": "of-no-importance", "RESTIC_CACHE_DIR": work + "/restic-cache",
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.c", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b.c"}
chance = random.Random(1)


def run(*words, at=work, **more):
    done = subprocess.run(words, cwd=at, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        raise SystemExit(f"status {done.returncode} of {' '.join(words)}:\n{done.stdout}")


def text(count, seed):
    return subprocess.run(
        ["python3", f"{places.root}/Benchmarks/records.py", str(count), str(seed), "--sea"], check=True, capture_output=True,
        text=True).stdout


first = text(records, 1).splitlines()
changed = []
for line in first[: max(1, records // 100)]:
    record = json.loads(line)
    record["n"] = -1
    changed.append(json.dumps(record))
contents = {f"photo{k:03}": chance.randbytes(size) for k in range(files + max(1, files // 20))}
old, new = list(contents)[:files], list(contents)[files:]
all_lines = "\n".join(changed + first[len(changed) :]) + "\n"


def write(folder, names):
    os.makedirs(folder, exist_ok=True)
    for name in names:
        with open(f"{folder}/{name}", "wb") as file:
            file.write(contents[name])


def write_records(folder, lines, is_one):
    os.makedirs(folder, exist_ok=True)
    if is_one:
        with open(folder + "/records.ndjson", "w") as file:
            file.write(lines if isinstance(lines, str) else "\n".join(lines) + "\n")
        return
    for line in lines:
        with open(f"{folder}/{json.loads(line)['_id']}.json", "w") as file:
            file.write(line)


class Sea:
    name = "sea"

    def prepare(self):
        write(work + "/photos", contents)
        run(sea, "init", "-q", "--content-type=org.example.bench", work + "/db")
        run(sea, "-C", work + "/db", "put", "-q", "-", input="\n".join(first))
        self.assets(old)
        run(sea, "-C", work + "/db", "add-container", "-q", "--create", "hub", place.at("sea"))

    def assets(self, names):
        for name in names:
            run(sea, "-C", work + "/db", "set", "-q", "--create", name, f"content:asset@{work}/photos/{name}")

    def change(self):
        run(sea, "-C", work + "/db", "put", "-q", "-", input="\n".join(changed))
        self.assets(new)

    def move(self):
        run(sea, "-C", work + "/db", "sync", "-q")

    def take(self):
        run(sea, "clone", "-q", "--assets=all", place.at("sea"), work + "/got")


class Restic:
    def __init__(self, is_one):
        self.is_one, self.name = is_one, "restic-1" if is_one else "restic"
        self.folder = f"{work}/{self.name}.files"
        self.words = ["restic", "-q", "-o", "s3.bucket-lookup=path", "-r", f"s3:http://127.0.0.1:{place.port}/bucket/{self.name}"]

    def prepare(self):
        write(self.folder, old)
        write_records(self.folder, first, self.is_one)
        run(*self.words, "init")

    def change(self):
        write(self.folder, new)
        write_records(self.folder, all_lines if self.is_one else changed, self.is_one)

    def move(self):
        run(*self.words, "backup", self.folder)

    def take(self):
        run(*self.words, "restore", "latest", "--target", work + "/got")


class Annex:
    def __init__(self, is_one):
        self.is_one, self.name = is_one, "git-annex" if is_one else "annex-n"
        self.folder = f"{work}/{self.name}.files"

    def git(self, *words):
        run("git", *words, at=self.folder)

    def prepare(self):
        write(self.folder, old)
        write_records(self.folder, first, self.is_one)
        self.git("init", "-q")
        self.git("config", "annex.security.allowed-ip-addresses", "all")
        self.git("annex", "init", "-q")
        self.git("annex", "add", "-q", ".")
        self.git("commit", "-qm", "first")
        self.git(
            "annex", "initremote", "-q", "hub", "type=S3", "encryption=none", "host=127.0.0.1", f"port={place.port}", "protocol=http",
            "requeststyle=path", "signature=v4", "bucket=bucket", f"fileprefix={self.name}/")

    def change(self):
        write(self.folder, new)
        if self.is_one:
            self.git("annex", "unlock", "-q", "records.ndjson")
        else:
            for line in changed:
                os.remove(f"{self.folder}/{json.loads(line)['_id']}.json")
        write_records(self.folder, all_lines if self.is_one else changed, self.is_one)
        self.git("annex", "add", "-q", ".")
        self.git("commit", "-qam", "second")

    def move(self):
        self.git("annex", "copy", "-q", "--to=hub")

    def take(self):
        run("git", "clone", "-q", self.folder, work + "/got")
        run("git", "config", "annex.security.allowed-ip-addresses", "all", at=work + "/got")
        run("git", "annex", "init", "-q", at=work + "/got")
        run("git", "annex", "enableremote", "-q", "hub", at=work + "/got")
        run("git", "annex", "get", "-q", "--from=hub", at=work + "/got")


peers = [Sea()]
if shutil.which("restic"):
    peers += [Restic(False), Restic(True)]
if shutil.which("git-annex") and kind == "moto":
    peers += [Annex(True)] + ([Annex(False)] if os.environ.get("ALL") else [])
print(f"{records} records of 200 bytes and {files} files of {size} bytes, then {len(changed)} records changed and {len(new)} files more; {place.name}")
for words in (["restic", "version"], ["git-annex", "version", "--raw"]):
    if shutil.which(words[0]):
        print(" ", words[0], subprocess.run(words, capture_output=True, text=True).stdout.splitlines()[0][:60])
print(f"{'':10} {'step':12} {'s':>8} {'requests':>9} {'MB up':>8} {'MB down':>8}  of sea: s, requests, bytes")
of_sea = {}
for peer in peers:
    peer.prepare()
    for step in ("first", "nothing new", "incremental", "taking all"):
        if step == "incremental":
            peer.change()
        place.counted()
        start = time.monotonic()
        peer.take() if step == "taking all" else peer.move()
        took, counts = time.monotonic() - start, place.counted()
        moved = counts["up"] + counts["down"]
        base = of_sea.setdefault(step, (took, counts["requests"], moved))
        ratios = ", ".join(f"{one / max(other, 1e-9):.2f}" for one, other in zip((took, counts["requests"], moved), base))
        print(
            f"{peer.name:10} {step:12} {took:8.2f} {counts['requests']:9} {counts['up'] / 1e6:8.2f} {counts['down'] / 1e6:8.2f}"
            f"  {ratios}   {' '.join(f'{m} {n}' for m, n in sorted(counts['methods'].items()))}", flush=True)
    if os.path.exists(work + "/got"):
        run("chmod", "-R", "u+w", work + "/got")
        shutil.rmtree(work + "/got")
