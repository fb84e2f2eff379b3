#!/usr/bin/python3
"""Runs the scripts of Tests/scripts: all of them, or those that are named.

SEA is the program, JOBS how many scripts run at once. The comment at the head of a script may say

    # limit: 120      how many seconds it may take (60 if it says nothing); it is ended and has failed when it takes longer
    # sealed: yes     it runs twice, the second time with every database sealed that it makes; SEA_TEST_SEALED tells it so

SEAL=0 runs the plain form only, SEAL=1 the sealed form only, whatever the script says. SEA_TEST_SEED is the seed of
what is random, the day if it is not set: each day tries other cases, and a run says how to repeat it.
"""
import datetime, glob, os, re, sys

TESTS = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(TESTS)
sys.path.insert(0, TESTS)
import pool


def header(path):
    """What the comment at the head of a script says: limit, sealed."""
    said = {}
    with open(path, encoding="utf8") as file:
        for line in file:
            if not line.startswith("#"):
                break
            if found := re.fullmatch(r"# (limit|sealed): (\w+)\n", line):
                said[found[1]] = found[2]
    return int(said.get("limit", 60)), said.get("sealed") == "yes"


def script(scratch, path, limit, sealed):
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
    return pool.Job(name + ", sealed" * sealed, command, place, limit, cwd=f"{place}/work", **variables)


class Report:
    """Counts, and what is said at the end."""

    def __init__(self):
        self.passed, self.failed, self.times = 0, [], []

    def done(self, job):
        text = job.text()
        for problem in (
            [job.problem or f"the script itself ended with status {job.status}"] if job.problem or job.status else []
        ) + [f"left running: {one}" for one in job.behind]:
            text += f"not ok - {problem}\n"
        if not re.search(r"^(not )?ok", text, re.M):
            text += "not ok - the script has no tests\n"
        self.passed += len(re.findall(r"^ok ", text, re.M))
        self.failed += [f"{job.name}: {line}" for line in re.findall(r"^not ok .*", text, re.M)]
        self.times.append((job.seconds, job.cpu, job.name))
        # In one go, so that the lines of scripts that run at once do not mix.
        print(f"# {job.name}, {job.seconds:.1f} s\n{text}", end="", flush=True)

    def end(self, seed):
        if os.path.isdir(f"{ROOT}/.build"):
            with open(f"{ROOT}/.build/test-times", "w") as file:
                file.writelines(f"{s:.2f}\t{c:.2f}\t{name}\n" for s, c, name in sorted(self.times, reverse=True))
        print("\n# the slowest: seconds, and seconds of CPU")
        for seconds, cpu, name in sorted(self.times, reverse=True)[:10]:
            print(f"# {seconds:6.1f} {cpu:6.1f} {name}")
        print(f"# the seed was {seed}: SEA_TEST_SEED={seed} repeats this run")
        for line in self.failed:
            print(line)
        print(f"{self.passed} passed, {len(self.failed)} failed")
        return 1 if self.failed or not self.passed else 0


def program():
    sea = os.environ.get("SEA")
    if not sea:
        sea = f"{ROOT}/.build/release/sea"
        if not os.access(sea, os.X_OK):
            sea = f"{ROOT}/.build/debug/sea"
    if not os.access(sea, os.X_OK):
        sys.exit(f"no program at {sea}")
    return os.path.realpath(sea)


def environment(scratch, sea):
    """What scripts find, whatever the caller has set."""
    for name in list(os.environ):
        if name.startswith("SEA_") and not name.startswith("SEA_TEST_") or name in (
            "SEA", "SEAL", "JOBS", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            del os.environ[name]
    os.mkdir(f"{scratch}/bin")
    os.mkdir(f"{scratch}/tmp")
    os.symlink(sea, f"{scratch}/bin/sea")
    seed = os.environ.get("SEA_TEST_SEED") or datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d")
    os.environ |= {
        "SEA_TEST_LIB": f"{TESTS}/scripts/lib.sh", "SEA_TEST_ROOT": ROOT, "SEA_TEST_SEED": seed, "TMPDIR": f"{scratch}/tmp",
        "SEA_CONFIG_NOSYSTEM": "1", "PATH": f"{scratch}/bin:{os.environ['PATH']}", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    return seed


def main(names):
    sea, forms = program(), {"0": [False], "1": [True]}.get(os.environ.get("SEAL"))
    slots = int(os.environ.get("JOBS") or len(os.sched_getaffinity(0)))
    paths = [name if os.path.isfile(name) else f"{TESTS}/scripts/{name}" for name in names]
    paths = paths or sorted(glob.glob(f"{TESTS}/scripts/t[0-9]*.sh"))
    report = Report()
    with pool.Scratch() as scratch:
        seed = environment(scratch.path, sea)
        jobs = []
        for path in map(os.path.realpath, paths):
            limit, also_sealed = header(path)
            for sealed in forms or ([False, True] if also_sealed else [False]):
                jobs.append(script(scratch.path, path, limit, sealed))
        pool.run(jobs, slots, report.done)
        return report.end(seed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
