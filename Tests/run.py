#!/usr/bin/python3
"""Runs the scripts of Tests/scripts: all of them, or those that are named; with --all every test that there is, with
--torture those that try more the longer they are let: what is random, and what breaks things at every place.

SEA is the program, JOBS how many scripts run at once. The comment at the head of a script may say

    # limit: 120      how many seconds it takes at most (60 if it says nothing); what takes ten times as long hangs: it is ended
                      and has failed
    # sealed: yes     it has two forms, the second one with every database sealed that it makes; SEA_TEST_SEALED tells it so

A script that is named runs in all its forms. With --all each runs once: its name chooses the form, half of the scripts have
the one and half the other. With --torture the other halves have their turn. SEAL=0 runs the plain form only, SEAL=1 the
sealed form only, whatever the script says. Scripts that are sealed: yes are
those in which sealing can change what comes out: bytes of blocks, containers, bundles and assets, what is read out of
them, and what is found wrong with them. The others are about words and forms, about settings, hooks and programs, about
faults below the sealing, or bring sealed databases of their own.

SEA_TEST_SEED is the seed of random cases. If it is not set, it is 1, so that a run has the same outcome on any day; with
--torture it is the day, so that each day tries other cases. Every run prints its seed, which repeats it. A case that fails
under the seed of a day becomes a fixed case. SEA_TEST_MORE tries so many times as much, and gives it so many times as long.

A run takes at most 8 GiB of the disk: with more it ends, and has failed. SEA_TEST_ROOM says another number of GiB.
Where there is twice as much memory, and TMPDIR is not set, its files lie there: half of the time of a run is waiting for
the disk. What must hold when a disk fails or power goes is not found by using one: faults are injected, and states replayed.
"""
import datetime, glob, os, re, shlex, sys, zlib

TESTS = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(TESTS)
BUILD = f"{ROOT}/.build/release"
MORE = int(os.environ.get("SEA_TEST_MORE") or 1)
SWIFT = os.environ.get("SWIFT", "swift")
TORTURE = "t3310 t4331 t7000 t7010 t7020 t7030 t7060 t7075 t8600 t8630 t8640 t8650 t9020".split()
sys.path.insert(0, TESTS)
import pool

MOST = float(os.environ.get("SEA_TEST_ROOM") or 8) * pool.GIB


# Scripts

def header(path):
    """What the comment at the head of a script says: limit, sealed."""
    said = {}
    with open(path, encoding="utf8") as file:
        for line in file:
            if not line.startswith("#"):
                break
            if found := re.fullmatch(r"# (limit|sealed): (\w+)\n", line):
                said[found[1]] = found[2]
    return int(said.get("limit", 60)) * MORE, said.get("sealed") == "yes"


class Script(pool.Job):
    def __init__(self, scratch, path, sealed, limit, after=None):
        name = os.path.basename(path).removesuffix(".sh")
        place = f"{scratch}/{name}{'.sealed' if sealed else ''}"
        os.makedirs(f"{place}/home")
        variables = {"HOME": f"{place}/home", "SEA_TEST_SEALED": ""}
        if sealed:
            variables |= {
                "SEA_TEST_SEALED": "1", "SEA_PASSWORD_FILE": f"{place}/passphrase", "SEA_CONFIG_COUNT": "1",
                "SEA_CONFIG_KEY_0": "init.encrypt", "SEA_CONFIG_VALUE_0": "true"}
            with open(os.open(f"{place}/passphrase", os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
                file.write("vier kleine Boote\n")
        command = ["sh", "-eu", "-c", '. "$SEA_TEST_LIB"; . "$1"', "sh", path]
        super().__init__(name + ", sealed" * sealed, command, place, limit, f"{place}/work", after, **variables)

    def result(self):
        text = self.text()
        if self.status and not self.problem:
            self.problem = f"the script itself ended with status {self.status}"
        if not self.problem and not re.search(r"^(not )?ok", text, re.M):
            self.problem = "the script has no tests"
        return text, len(re.findall(r"^ok ", text, re.M)), re.findall(r"^not ok .*", text, re.M)


def half(path):
    """Whether a script runs sealed where it runs once."""
    return zlib.crc32(os.path.basename(path).encode()) % 2 == 1


def scripts(scratch, names, after=None, chosen=lambda path: [False, True]):
    """The scripts of these names, or all, each in its forms, of those that are chosen."""
    forms = {"0": [False], "1": [True]}.get(os.environ.pop("SEAL", None))
    paths = [name if os.path.isfile(name) else f"{TESTS}/scripts/{name}" for name in names]
    for path in map(os.path.realpath, paths or sorted(glob.glob(f"{TESTS}/scripts/t[0-9]*.sh"))):
        limit, also_sealed = header(path)
        for sealed in forms or (chosen(path) if also_sealed else [False]):
            yield Script(scratch, path, sealed, limit, after)


# Everything else

class Swift(pool.Job):
    """The Swift tests of some targets, one after the other: the pool has other work for the other cores."""

    def __init__(self, scratch, name, after, *which):
        command = [f"{BUILD}/seaPackageTests.xctest", "--testing-library", "swift-testing", "--no-parallel", *which]
        super().__init__(name, command, f"{scratch}/{name}", 300 * MORE, ROOT, after)

    def result(self):
        text = re.sub(r"\x1b\[[0-9;]*m", "", self.text())
        for seconds, name in (
            (float(s), n) for n, s in re.findall(r"✔ Test (.*) passed after ([\d.]+) seconds", text)):
            if seconds > 1 and not name.startswith("run with"):
                print(f"#   {seconds:5.1f} s {name}")
        # What tests print may stand before it in the line.
        end = re.search(r"[✔✘━] (Test run with (\d+) tests?.*)", text)
        failed = [line for line in re.findall(r"✘ (Test .* failed after .*)", text) if not line.startswith("Test run")]
        if not end or int(end[2]) == 0:
            self.problem = self.problem or f"no test ran to its end: status {self.status}{self.crash(text)}"
        elif self.status and not failed:
            self.problem = self.problem or f"ended with status {self.status}"
        passed = int(end[2]) - len(failed) if end else 0
        if not failed and not self.problem:
            return end[1] + "\n", passed, failed
        lines = [line for line in text.splitlines(True) if not line.startswith(("◇ ", "✔ "))]
        return "".join(lines[-400:]) + (end[1] + "\n" if end else ""), passed, failed


    def crash(self, text):
        """What the last line of a run should say of a crash: registers and images push everything else out of sight."""
        begun = re.findall(r"◇ Test (?!run|case)(.*) started", text)
        said = re.findall(r".*(?:Fatal error|Assertion|malloc|free\(\)|corrupt|smashing|terminate called|Simultaneous|deallocated).*", text)
        frames = re.findall(r"^ ?\d+ (?:\[.*?\] )?(?:0x\w+ )?(.*? in .*)$", text, re.M)
        return "".join(f"; {one.strip()}" for one in [f"in {begun[-1]}"] * bool(begun) + said[-3:] + frames[:12])


class Check(pool.Job):
    """A program that tells by its status whether all is well, and in how many cases."""

    def __init__(self, scratch, name, command, limit, counted=None, after=None, shows=False):
        super().__init__(name, command, f"{scratch}/{name}", limit, ROOT, after, shows)
        self.counted = counted

    def result(self):
        text = self.text()
        if self.status:
            return text, 0, [f"status {self.status}"]
        found = re.search(self.counted, text, re.M) if self.counted else None
        if self.counted and not found:
            self.problem = "it does not say how many it checked"
        return text if self.counted else "", int(found[1]) if found else 1, []


def Servers(scratch, after):
    """The programs with an event loop, which need what the others do not. They wait for these, so that the two do not take each
    other's cores while all else waits for them; and one build at a time has the folder."""
    flags = os.environ.get("SWIFT_FLAGS", "")
    build = f"{shlex.quote(SWIFT)} build -c release {flags} --product"
    return Check(scratch, "the servers", ["sh", "-ec", f"export SEA_HELPERS=1; {build} sea-server; {build} sea-studio"], 1800, after=after)


def compiled(scratch):
    """Program and tests at once, and the Swift tests."""
    flags = shlex.split(os.environ.get("SWIFT_FLAGS", ""))
    build = Check(scratch, "build", [SWIFT, "build", "-c", "release", "--build-tests", *flags], 1800, shows=True)
    # The engine waits for the disk half of its time: in two parts, which are all of it whatever suites are called.
    kit, early = "SeaEngineTests", r"SeaEngineTests\.[A-L]"
    return [
        build, Swift(scratch, "swift, the engine to L", build, "--filter", early),
        Swift(scratch, "swift, the engine from M", build, "--filter", kit, "--skip", early),
        Swift(scratch, "swift, the rest", build, "--skip", kit)]


def everything(scratch):
    pages = sorted(glob.glob(f"{ROOT}/man/*.[157]"))
    jobs = compiled(scratch)
    yield from jobs
    built = jobs[0]
    counted = r"^(\d+) public symbols"
    yield Check(scratch, "surface", ["/usr/bin/python3", f"{TESTS}/surface.py"], 120, counted, after=built)
    yield Check(scratch, "articles", ["sh", f"{TESTS}/docs.sh", f"{scratch}/docs-of-kit"], 120, after=built)
    yield Check(scratch, "manual", ["mandoc", "-Tlint", "-W", "warning", *pages], 60)
    yield Check(scratch, "language", ["/usr/bin/python3", "Tests/language.py", "--check"], 60)
    yield Check(
        scratch, "spelling",
        ["codespell", "--quiet-level=3", "--ignore-words-list=inout,nd", "man", "README.md", "docs", "CONTRIBUTING.md", "changelog", "schemas",
         "Sources/SeaKit/SeaKit.docc"], 60)
    yield Check(
        scratch, "layout",
        [SWIFT, "format", "lint", "--strict", "--recursive", "--parallel", "Package.swift", "Sources", "Tests",
         "Helpers/Sources"], 120)
    yield Check(scratch, "second reader", ["/usr/bin/python3", "Tests/reader/make_vectors.py", "--check"], 120, r"(\d+)")
    servers = Servers(scratch, jobs[0])
    yield servers
    # Those that may take long begin first, so that nothing is waited for at the end.
    for script in sorted(scripts(scratch, [], jobs[0], lambda path: [half(path)]), key=lambda script: -script.limit):
        if any(word in script.name for word in ("-server", "-studio", "-packages")):
            script.after = servers
        yield script


def torture(scratch):
    os.environ |= {"SEA_TEST_FAULTS": "all", "SEA_TEST_CRASH_STATES": "0"}
    jobs = compiled(scratch)
    more = list(scripts(scratch, [glob.glob(f"{TESTS}/scripts/{name}-*.sh")[0] for name in TORTURE], jobs[0]))
    twice = [path for path in sorted(glob.glob(f"{TESTS}/scripts/t[0-9]*.sh")) if header(path)[1]]
    twice = [path for path in twice if os.path.basename(path)[:5] not in TORTURE]
    return jobs + more + list(scripts(scratch, twice, jobs[0], lambda path: [not half(path)]))


# A run

class Report:
    """Counts, and what is said at the end."""

    def __init__(self):
        self.passed, self.failed, self.times = 0, [], []

    def done(self, job):
        text, passed, failed = job.result()
        problems = [job.problem] * bool(job.problem) + [f"left running: {one}" for one in job.behind]
        text += "".join(f"not ok - {problem}\n" for problem in problems)
        self.passed += passed
        self.failed += [f"{job.name}: {line}" for line in failed + problems]
        self.times.append((job.seconds, job.cpu, job.name))
        # In one go, so that the lines of jobs that run at once do not mix.
        print(f"# {job.name}, {job.seconds:.1f} s\n{text}", end="", flush=True)

    def end(self, seed, room):
        self.times.sort(reverse=True)
        if os.path.isdir(f"{ROOT}/.build"):
            with open(f"{ROOT}/.build/test-times", "w") as file:
                file.writelines(f"{s:.2f}\t{c:.2f}\t{name}\n" for s, c, name in self.times)
        print("\n# the slowest: seconds, and seconds of CPU")
        for seconds, cpu, name in self.times[:20]:
            print(f"# {seconds:6.1f} {cpu:6.1f} {name}")
        print(f"# {sum(cpu for _, cpu, _ in self.times):.0f} seconds of CPU in all")
        if room.greatest:
            print(f"# {room.greatest / pool.GIB:.2f} GiB of disk at most")
        print(f"# the seed was {seed}: SEA_TEST_SEED={seed} repeats this run")
        for line in self.failed:
            print(f"failed: {line}")
        print(f"{self.passed} passed, {len(self.failed)} failed")
        return 1 if self.failed or not self.passed else 0


def program():
    sea = os.environ.get("SEA")
    if not sea:
        # The program that was built last.
        built = [one for one in (f"{BUILD}/sea", f"{ROOT}/.build/debug/sea") if os.access(one, os.X_OK)]
        sea = max(built, key=os.path.getmtime, default=f"{BUILD}/sea")
    if not os.access(sea, os.X_OK):
        sys.exit(f"no program at {sea}")
    return os.path.realpath(sea)


def environment(scratch, sea, seed):
    """What tests find, whatever the caller has set."""
    for name in list(os.environ):
        if name.startswith("SEA_") and not name.startswith(("SEA_TEST_", "SEA_WARNINGS")) or name in (
            "SEA", "JOBS", "SEA_TEST_SEALED", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "PAGER", "LESS", "FORCE_COLOR"):
            del os.environ[name]
    os.mkdir(f"{scratch}/bin")
    os.mkdir(f"{scratch}/tmp")
    os.symlink(sea, f"{scratch}/bin/sea")
    for name in "sea-read-xlsx", "sea-studio":
        os.symlink(f"{os.path.dirname(sea)}/{name}", f"{scratch}/bin/{name}")
    for name in "s3", "rclone", "sea+https", "sea+http":
        os.symlink(f"{os.path.dirname(sea)}/sea-remote-s3", f"{scratch}/bin/sea-remote-{name}")
    os.environ |= {
        "SEA_TEST_LIB": f"{TESTS}/scripts/lib.sh", "SEA_TEST_ROOT": ROOT, "SEA_TEST_SEED": seed, "SEA_TEST_MORE": str(MORE),
        "TMPDIR": f"{scratch}/tmp", "SEA_CONFIG_NOSYSTEM": "1", "PATH": f"{scratch}/bin:{os.environ['PATH']}", "TZ": "UTC",
        "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "SEA_PAGER": ""}


def main(arguments):
    # One more than there are cores: some of them always wait for the disk.
    slots = int(os.environ.get("JOBS") or len(os.sched_getaffinity(0)) + 1)
    with_build = {"--all": everything, "--torture": torture}.get(" ".join(arguments))
    day = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d")
    seed = os.environ.get("SEA_TEST_SEED") or (day if with_build is torture else "1")
    report, sea = Report(), f"{BUILD}/sea" if with_build else program()
    with pool.Scratch(base=pool.memory(MOST)) as scratch:
        environment(scratch.path, sea, seed)
        print(f"# seed {seed}", flush=True)
        jobs = with_build(scratch.path) if with_build else scripts(scratch.path, arguments)
        room = pool.Room(scratch.path, MOST, 1)
        pool.run(list(jobs), slots, report.done, room)
        return report.end(seed, room)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
