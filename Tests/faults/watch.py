"""Two that watch and sync, killed at any time, while both sides write and their container goes and comes: watch.py ROUNDS [SEED]

In the end both databases are the same, and whoever has followed one by `--exec` and `--state` knows of each record what there is.
"""
import json, os, random, subprocess, sys, time

rounds = int(sys.argv[1])
seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(os.environ.get("SEA_TEST_SEED", 1))
random.seed(seed)
top = os.getcwd() + "/watched"
os.makedirs(top)


def sea(*words):
    return subprocess.run(["sea", *words], capture_output=True, text=True)


def start(name):
    with open(f"{top}/{name}.err", "a") as errors:
        return subprocess.Popen(
            ["sea", "-C", f"{top}/{name}", "watch", "--sync", "-q", f"--state={top}/{name}.position", "--since=0",
             "--interval=2", f"--exec=cat >>{top}/{name}.feed"], stdout=subprocess.DEVNULL, stderr=errors)


def records(name):
    lines = sea("-C", f"{top}/{name}", "query", "--json").stdout.splitlines()
    return {one["_id"]: (one["_rev"], bool(one.get("_conflicts"))) for one in map(json.loads, lines) if "_id" in one}


def has_told(name):
    end = sea("-C", f"{top}/{name}", "changes", "--position").stdout.strip()
    with open(f"{top}/{name}.position") as file:
        return file.read().strip() == end


def told(name):
    known = {}
    with open(f"{top}/{name}.feed") as file:
        for line in file:
            # What was cut off by a kill is told again.
            try:
                one = json.loads(line)
            except ValueError:
                continue
            known[one["id"]] = (one.get("rev"), one.get("conflict", False))
    return known


for words in (["init", "-q", "--name=a", top + "/a"],
              ["-C", top + "/a", "add-container", "-q", "c", top + "/c", "--create"],
              ["-C", top + "/a", "put", "-q", '{"_id":"first"}'], ["-C", top + "/a", "sync", "-q"],
              ["clone", "-q", "--name=b", top + "/c", top + "/b"]):
    done = sea(*words)
    assert done.returncode == 0, done.stderr
running = {name: start(name) for name in "ab"}
counts = {"writes": 0, "kills": 0, "moves": 0}
is_away = False


def move():
    global is_away
    os.rename(*((top + "/away", top + "/c") if is_away else (top + "/c", top + "/away")))
    is_away = not is_away


for _ in range(rounds):
    chance, name = random.random(), random.choice("ab")
    if chance < 0.8:
        record = f"r{random.randrange(6)}"
        if random.random() < 0.8:
            sea("-C", f"{top}/{name}", "put", "-q", json.dumps({"_id": record, "v": random.randrange(1000), "by": name}))
        else:
            sea("-C", f"{top}/{name}", "resolve", "-q", "--prefer=winner", record)
        counts["writes"] += 1
    elif chance < 0.87:
        running[name].kill()
        running[name].wait()
        running[name] = start(name)
        counts["kills"] += 1
    elif chance < 0.92:
        move()
        counts["moves"] += 1
    else:
        time.sleep(random.random() * 0.2)
if is_away:
    move()
deadline = time.monotonic() + 600
while not (records("a") == records("b") and has_told("a") and has_told("b")) and time.monotonic() < deadline:
    time.sleep(0.2)
faults = []
if records("a") != records("b"):
    faults.append("the two do not become the same")
for name in "ab":
    truth, known = records(name), told(name)
    if {id: known.get(id) for id in truth} != truth:
        faults.append(f"who has followed {name} knows something else than there is")
for one in running.values():
    one.terminate()
    if one.wait() != -15:
        faults.append("one did not end by the signal")
print(f"seed {seed}: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
