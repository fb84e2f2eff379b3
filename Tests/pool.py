"""What every run of tests and benchmarks stands on: a scratch folder that is gone when the run is, and a pool of jobs.

A run has one scratch folder, with all that it writes. It is removed when the run ends, also by SIGINT, SIGTERM or SIGHUP;
what a run that was killed has left behind is removed by the next one. A job is a process in a session of its own, with
default signals whatever the caller ignores, and with a limit of time; when it ends or is ended, all of its descendants
are, wherever they have gone: each has SCRATCH_OF in its environment.

    pool.py [--free GiB] [--at-most GiB] NAME COMMAND...     runs a command in a scratch folder, whose path is in $NAME
"""
import ctypes, os, shutil, signal, subprocess, sys, tempfile, time

PREFIX = "sea-scratch."
MARK = "SCRATCH_OF"
STOPS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
GIB = 1 << 30


class Stopped(Exception):
    """The run was told to end, by this signal."""


def began(pid):
    """When a process began, in ticks; nothing if there is none."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[19]
    except OSError:
        return None


def processes(place):
    """Living processes that were started for a scratch folder or a part of it."""
    found, mark = [], f"{MARK}={place}".encode()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if any(e == mark or e.startswith(mark + b"/") for e in file.read().split(b"\0")):
                    found.append(int(name))
        except OSError:
            pass
    return [pid for pid in found if pid != os.getpid()]


def kill(place):
    """Ends all processes of a place, also those that they start meanwhile."""
    while found := processes(place):
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.01)


def remove(place):
    """Removes a folder with all that is in it, and what is mounted there."""
    with open("/proc/self/mountinfo") as file:
        mounts = [line.split()[4] for line in file]
    for mount in sorted((m for m in mounts if m.startswith(place + "/")), reverse=True):
        subprocess.run(["umount", "-l", mount], stderr=subprocess.DEVNULL)
    if shutil.which("losetup"):
        loops = subprocess.run(
            ["losetup", "-n", "-O", "NAME,BACK-FILE"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for loop, file in (line.split(None, 1) for line in loops.stdout.splitlines() if " " in line):
            if file.startswith(place + "/"):
                subprocess.run(["losetup", "-d", loop], stderr=subprocess.DEVNULL)
    subprocess.run(["chmod", "-R", "u+rwX", place], stderr=subprocess.DEVNULL)
    subprocess.run(["rm", "-rf", place])


def sweep(base):
    """Removes the scratch folders of runs that are no more."""
    for name in os.listdir(base) if os.path.isdir(base) else []:
        place = os.path.join(base, name)
        if not name.startswith(PREFIX) or os.lstat(place).st_uid != os.getuid():
            continue
        try:
            with open(f"{place}/owner") as file:
                pid, start = file.read().split()
        except (OSError, ValueError):
            # Somebody has just begun to make it.
            if time.time() - os.lstat(place).st_mtime < 60:
                continue
            pid, start = 0, ""
        if began(pid) != start:
            kill(place)
            remove(place)


def memory(need):
    """Where files lie in memory, if TMPDIR says nothing else and there is twice as much of it as is needed; else None."""
    place = "/dev/shm"
    if os.environ.get("TMPDIR") or not os.access(place, os.W_OK) or shutil.disk_usage(place).free < need:
        return None
    with open("/proc/meminfo") as file:
        there = dict(line.split(":", 1) for line in file)
    return place if int(there["MemAvailable"].split()[0]) * 1024 >= 2 * need else None


class Scratch:
    """The folder of a run: a context. FREE bytes must be free where it is."""

    def __init__(self, free=2 * GIB, base=None):
        self.base = os.path.realpath(base or os.environ.get("TMPDIR") or "/tmp")
        sweep(self.base)
        sweep("/dev/shm")
        there = shutil.disk_usage(self.base).free
        if there < free:
            sys.exit(
                f"{there / GIB:.1f} GiB are free in {self.base}, and {free / GIB:.0f} are needed: set TMPDIR to another place")
        # The run ends by an exception, wherever it is, so that what was begun is ended.
        self.stops = [s for s in STOPS if signal.getsignal(s) != signal.SIG_IGN]
        for one in self.stops:
            signal.signal(one, self.stop)
        self.path = tempfile.mkdtemp(prefix=PREFIX, dir=self.base)
        with open(f"{self.path}/owner", "w") as file:
            file.write(f"{os.getpid()} {began(os.getpid())}\n")

    def stop(self, number, frame):
        for one in self.stops:
            signal.signal(one, signal.SIG_IGN)
        raise Stopped(number)

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, trace):
        kill(self.path)
        remove(self.path)
        # Swift tests keep to the same agreement, and have one in memory too.
        sweep("/dev/shm")
        if kind is Stopped:
            # As if it had not been caught, for the caller to see.
            number = problem.args[0]
            sys.stdout.flush()
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)


class Room:
    """How much of the disk a folder takes. It is measured in a process beside the run, at most every PAUSE seconds and for a
    twentieth of the time."""

    def __init__(self, place, most=None, pause=10):
        self.place, self.most, self.pause = place, most, pause
        self.greatest, self.measuring, self.due = 0, None, time.monotonic() + pause

    def look(self):
        """Never waits. Ends the run where the folder takes more than MOST bytes, or the disk is nearly full."""
        now = time.monotonic()
        if not self.measuring:
            if now >= self.due:
                self.began = now
                self.measuring = subprocess.Popen(
                    ["du", "-x", "-B1", "-d1", self.place], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                    env={**os.environ, MARK: self.place})
            return
        if self.measuring.poll() is None:
            return
        # Files may go while it looks: what it says counts all the same.
        with self.measuring.stdout as said:
            parts = sorted((line.split("\t") for line in said), key=lambda part: -int(part[0]))
        self.measuring, self.due = None, now + max(self.pause, 20 * (now - self.began))
        used, there = int(parts[0][0]) if parts else 0, shutil.disk_usage(self.place).free
        self.greatest = max(self.greatest, used)
        if self.most and used > self.most:
            largest = ", ".join(f"{int(size) / GIB:.2f} in {os.path.basename(path.strip())}" for size, path in parts[1:4])
            sys.exit(f"{used / GIB:.2f} GiB in {self.place}, and {self.most / GIB:g} are the most: {largest}")
        if there < GIB // 2:
            sys.exit(f"only {there / GIB:.1f} GiB are left where {self.place} is")


def default_signals():
    """As a program finds them that is started at a terminal, whatever the caller ignores or blocks."""
    for number in signal.valid_signals():
        try:
            signal.signal(number, signal.SIG_DFL)
        except (OSError, ValueError):
            pass
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


class Job:
    """A command with a limit of time, whose output goes to a file. The jobs with the greatest limits are started first, so
    that no core waits at the end for one that began late; a job AFTER another waits until that one has succeeded."""

    def __init__(self, name, command, place, limit, cwd=None, after=None, shows=False, **variables):
        self.name, self.command, self.place, self.limit = name, command, place, limit
        self.cwd, self.after, self.shows, self.variables = cwd, after, shows, variables
        self.output = place + ".out"
        self.status = self.problem = None
        self.seconds = self.cpu = 0
        self.behind = []

    def start(self):
        os.makedirs(self.cwd or self.place, exist_ok=True)
        variables = {**os.environ, MARK: self.place, **self.variables}
        with open(self.output, "wb") as out:
            self.began = time.monotonic()
            self.process = subprocess.Popen(
                self.command, cwd=self.cwd, stdin=subprocess.DEVNULL, stdout=None if self.shows else out,
                stderr=None if self.shows else subprocess.STDOUT,
                start_new_session=True, preexec_fn=default_signals,
                env={k: v for k, v in variables.items() if v is not None})

    def is_late(self):
        """A limit is for a machine that does nothing else; only what hangs takes ten times as long."""
        return time.monotonic() - self.began > 10 * self.limit

    def text(self):
        """What it printed, if that was kept."""
        if not os.path.exists(self.output):
            return ""
        with open(self.output, encoding="utf8", errors="replace") as file:
            return file.read()

    def end(self, status, usage):
        self.seconds = time.monotonic() - self.began
        self.process.returncode = self.status = os.waitstatus_to_exitcode(status)
        self.cpu = usage.ru_utime + usage.ru_stime
        # What it left running is told; what is only about to end is not.
        patience = time.monotonic() + 20
        while (left := processes(self.place)) and time.monotonic() < patience:
            time.sleep(0.02)
        for pid in left:
            try:
                with open(f"/proc/{pid}/cmdline") as file:
                    self.behind.append(file.read().replace("\0", " ").strip())
            except OSError:
                pass
        kill(self.place)


def run(jobs, slots, done, room):
    """Runs all jobs, so many at once, and calls `done` with each that has ended, or that cannot begin. If the room is too
    small, all end."""
    # What loses its parent becomes ours, so that it is reaped.
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    waiting, running = sorted(jobs, key=lambda job: -job.limit), {}
    try:
        while waiting or running:
            for job in [job for job in waiting if job.after and (job.after.status or job.after.problem)]:
                waiting.remove(job)
                job.problem = f"not run: {job.after.name} failed"
                done(job)
            ready = [job for job in waiting if not job.after or job.after.status == 0]
            for job in ready[:max(0, slots - len(running))]:
                waiting.remove(job)
                job.start()
                running[job.process.pid] = job
            if not running:
                continue
            room.look()
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if pid in running:
                job = running.pop(pid)
                job.end(status, usage)
                done(job)
            elif not pid:
                time.sleep(0.01)
                for job in running.values():
                    if not job.problem and job.is_late():
                        job.problem = f"ten times longer than its limit of {job.limit} seconds"
                        kill(job.place)
    finally:
        for job in running.values():
            kill(job.place)


def main(arguments):
    free, most = 2 * GIB, None
    while arguments[0].startswith("--"):
        option, value, *arguments = arguments
        if option == "--free":
            free = int(value) * GIB
        elif option == "--at-most":
            most = int(value) * GIB
        else:
            sys.exit(__doc__)
    name, *command = arguments
    with Scratch(free) as scratch:
        place = f"{scratch.path}/work"
        os.mkdir(place)
        process = subprocess.Popen(command, env={**os.environ, MARK: scratch.path, name: place, "TMPDIR": place})
        room = Room(place, most)
        while True:
            try:
                return process.wait(1)
            except subprocess.TimeoutExpired:
                room.look()


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.exit(status if status >= 0 else 128 - status)
