#!/usr/bin/env python3
"""How long a put here takes to be seen by watch there, through a container on this machine, while both sides write.

watch.py [SEA [COUNT [FOLDER]]]. PLACE says how the container is reached: folder; serve, which is `sea serve --stdio` at the other end of a pipe; ssh; or
server, which is sea-server. With IDLE=SECONDS it counts as well how often the two wake up while nothing happens (strace).
Each line: milliseconds from the end of `sea put` (and from its start) to the line that the other side prints."""
import json, os, random, shutil, subprocess, sys, tempfile, threading, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import places

sea = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "sea"
count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
top = tempfile.mkdtemp(prefix="sea-watch-", dir=sys.argv[3] if len(sys.argv) > 3 else None)
os.environ["XDG_STATE_HOME"] = top + "/state"
kinds = {
    "folder": lambda: places.Folder(top), "serve": lambda: places.SSH(top, sea, bare=True), "ssh": lambda: places.SSH(top, sea),
    "server": lambda: places.Server(top, sea)}
place = kinds[os.environ.get("PLACE", "folder")]()
os.environ.update(place.env)
random.seed(1)


def run(*words):
    subprocess.run([sea, *words], check=True, stdout=subprocess.DEVNULL)


def watch(name):
    process = subprocess.Popen(
        [sea, "-C", f"{top}/{name}", "watch", "--sync", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True)
    while "watching from" not in process.stderr.readline():
        pass
    threading.Thread(target=lambda: [None for _ in process.stderr], daemon=True).start()
    return process


run("init", "-q", "--name=a", top + "/a")
run("-C", top + "/a", "add-container", "-q", "c", place.at("c.sea"), "--create")
run("-C", top + "/a", "put", "-q", '{"_id":"first"}')
run("-C", top + "/a", "sync", "-q")
run("clone", "-q", "--name=b", place.at("c.sea"), top + "/b")
here, there = watch("a"), watch("b")
# Helpers elsewhere connect first.
time.sleep(3)
seen = {}


def read(process):
    for line in process.stdout:
        now, event = time.monotonic(), json.loads(line)
        if event["event"] == "change" and not event.get("own"):
            seen.setdefault(event["id"], now)


for one in (here, there):
    threading.Thread(target=read, args=(one,), daemon=True).start()
puts = {}
print(f"{count} changes on each side, {place.name}, load {' '.join(open('/proc/loadavg').read().split()[:3])}")


def write(name):
    for k in range(count):
        start = time.monotonic()
        run("-C", f"{top}/{name}", "put", "-q", json.dumps({"_id": f"{name}/{k}", "n": k}))
        puts[f"{name}/{k}"] = (start, time.monotonic())
        time.sleep(random.uniform(0.02, 0.08))


writers = [threading.Thread(target=write, args=(name,)) for name in "ab"]
for one in writers:
    one.start()
for one in writers:
    one.join()
deadline = time.monotonic() + 30
while len(seen) < 2 * count and time.monotonic() < deadline:
    time.sleep(0.05)


def line(what, times):
    times = sorted(1000 * t for t in times)
    at = lambda q: times[min(len(times) - 1, int(q * len(times)))]
    print(f"{what:28} median {at(0.5):6.1f}  p90 {at(0.9):6.1f}  p99 {at(0.99):6.1f}  most {times[-1]:6.1f} ms  ({len(times)})")


for name in "ab":
    mine = [k for k in puts if k.startswith(name) and k in seen]
    line(f"{name}: from the end of put", [max(0, seen[k] - puts[k][1]) for k in mine])
    line(f"{name}: from its start", [seen[k] - puts[k][0] for k in mine])
print(f"missed {2 * count - len(seen)} of {2 * count}")
for one in (here, there):
    with open(f"/proc/{one.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    with open(f"/proc/{one.pid}/status") as file:
        peak = next(line.split()[1] for line in file if line.startswith("VmHWM"))
    ticks = (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")
    print(f"cpu {ticks:.0f} ms in all, {ticks / (2 * count):.1f} ms a change, peak {int(peak) / 1024:.1f} MB")
idle = int(os.environ.get("IDLE", 0))
if idle:
    time.sleep(3)
    traces = [
        subprocess.Popen(["timeout", str(idle), "strace", "-f", "-o", f"{top}/trace{k}", "-p", str(one.pid)],
                         stderr=subprocess.DEVNULL) for k, one in enumerate((here, there))]
    for k, one in enumerate(traces):
        one.wait()
        with open(f"{top}/trace{k}") as file:
            lines = file.readlines()
        wakes = sum("poll(" in line and "= " in line for line in lines)
        print(f"idle for {idle} s: {wakes} wake-ups, {len(lines)} system calls")
for one in (here, there):
    one.terminate()
    one.wait()
shutil.rmtree(top)
