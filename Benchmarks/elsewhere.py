#!/usr/bin/env python3
"""A first sync from places elsewhere beside that from a folder, in one run: wall seconds, medians.

elsewhere.py [COUNT [RUNS]]: so many records, 10,000 if nothing else is said. SEA is the program, WORK the folder to work in (elsewhere.sh gives
both). For each shape of the records a line for each place: how long a clone takes, how long it takes to connect, which is to ask for the heads of a
container with one block, and the ratio to the folder without that. Then a sync with nothing new: what goes over the line, by requests."""
import json, os, shutil, statistics, subprocess, sys, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import places

count = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
sea, work = os.environ["SEA"], os.environ["WORK"]
AIM = 1.5


def run(place, *words):
    env = os.environ | place.env
    start = time.monotonic()
    subprocess.run([sea, *words], check=True, stdout=subprocess.DEVNULL, env=env)
    return time.monotonic() - start


def traced(place, *words):
    """Requests that sea makes of a helper, and those that the helper makes, by the trace."""
    file = work + "/trace"
    if os.path.exists(file):
        os.remove(file)
    subprocess.run(
        [sea, *words], check=True, stdout=subprocess.DEVNULL, env=os.environ | place.env | {"SEA_TRACE_JSON": file})
    with open(file) as lines:
        events = [json.loads(line)["event"] for line in lines]
    return events.count("request"), events.count("http")


there = [places.Folder(work), places.SSH(work, sea), places.S3(work, "moto"), places.S3(work, "rclone")]
if os.path.exists(places.Server.program):
    there.insert(2, places.Server(work, sea))
records = f"{work}/records"
with open(records, "w") as file:
    subprocess.run(["python3", f"{places.root}/Benchmarks/records.py", str(count), "1", "--sea"], check=True, stdout=file)
run(there[0], "init", "-q", "--content-type=org.example.bench", f"{work}/little")
for at, place in enumerate(there):
    run(place, "-C", f"{work}/little", "add-container", "-q", "--create", f"c{at}", place.at("little.sea"))
    run(place, "-C", f"{work}/little", "push", "-q", f"c{at}")
print(f"a first sync of {count} records, {runs} runs, wall, medians; aim: at most {AIM} of the folder once connected")
for shape, chunk in (("one block", None), ("100 blocks", max(1, count // 100)), ("a block each", 1)):
    source = f"{work}/source-{chunk}"
    run(there[0], "init", "-q", "--content-type=org.example.bench", source)
    with open(records) as file:
        words = ["-C", source, "put", "-q"] + ([f"--chunk={chunk}"] if chunk else []) + ["-"]
        subprocess.run([sea, *words], check=True, stdin=file, stdout=subprocess.DEVNULL)
    for at, place in enumerate(there):
        run(place, "-C", source, "add-container", "-q", "--create", f"c{at}", place.at(f"c-{chunk}"))
        took = run(place, "-C", source, "push", "-q", f"c{at}")
        print(f"  {shape:14} first push   {place.name:12} {took:8.3f} s")
    times = {place.name: ([], []) for place in there}
    for _ in range(runs):
        # In turn, so that what else happens on the machine happens to all.
        for place in there:
            location = place.at(f"c-{chunk}")
            times[place.name][0].append(run(place, "clone", "-q", location, f"{work}/clone"))
            times[place.name][1].append(run(place, "heads", f"--container={place.at('little.sea')}"))
            shutil.rmtree(f"{work}/clone")
    base = [statistics.median(times["folder"][k]) for k in (0, 1)]
    for place in there:
        clone, connect = (statistics.median(one) for one in times[place.name])
        ratio = max(0.0, clone - connect) / max(0.001, base[0] - base[1])
        verdict = "" if place is there[0] else "met" if ratio <= AIM else "missed"
        print(
            f"  {shape:14} clone        {place.name:12} {clone:8.3f} s, connecting {connect:7.3f} s, "
            f"once connected {ratio:5.2f} of the folder  {verdict}")
    for at, place in enumerate(there[1:], 1):
        run(place, "-C", source, "sync", "-q", f"c{at}")
        lines, requests = traced(place, "-C", source, "sync", "-q", f"c{at}")
        took = run(place, "-C", source, "sync", "-q", f"c{at}")
        print(f"  {shape:14} nothing new  {place.name:12} {took:8.3f} s, {lines} lines to the helper, {requests} requests of HTTP")
    for name in ("source", "c"):
        shutil.rmtree(f"{work}/{name}-{chunk}", ignore_errors=True)
