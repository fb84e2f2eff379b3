#!/usr/bin/env python3
"""Many instances in one container, some of which write at once: all converge, no block is lost, and what a sync asks for is bounded by those with news.

instances.py [INSTANCES [WRITERS [ROUNDS]]]: 1000, 50 and 3 if nothing else is said. CURVE=100,300,1000,3000,10000 are the numbers of instances at
which a first sync, a sync with nothing new and one with news are measured on the way. SEA is the program, WORK the folder (instances.sh)."""
import concurrent.futures, glob, json, os, shutil, subprocess, sys, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import places

instances, writers, rounds = (int(sys.argv[k]) if len(sys.argv) > k else n for k, n in ((1, 1000), (2, 50), (3, 3)))
curve = [int(one) for one in os.environ.get("CURVE", "100,300,1000,3000,10000").split(",")]
sea, work = os.environ["SEA"], os.environ["WORK"]
container, side = work + "/many.sea", work + "/side.sea"
folder, far = places.Folder(work), places.SSH(work, sea)
wrong = 0


def run(*words, place=folder, statuses=(0,), **more):
    done = subprocess.run(
        [sea, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | place.env | more)
    if done.returncode not in statuses:
        raise SystemExit(f"status {done.returncode} of sea {' '.join(words)}:\n{done.stdout}{done.stderr}")
    return done.stdout


def timed(*words, **more):
    start = time.monotonic()
    run(*words, **more)
    return time.monotonic() - start


def asked(at):
    """How many lines a sync asks a helper, and seconds."""
    trace = work + "/trace"
    if os.path.exists(trace):
        os.remove(trace)
    took = timed("-C", at, "sync", "-q", "far", place=far, SEA_TRACE_JSON=trace)
    with open(trace) as lines:
        events = [json.loads(line) for line in lines]
    requests = [one["request"].split(" ")[0] for one in events if one["event"] == "request"]
    return len(requests), requests.count("get"), took


def another(number, keep=False):
    """One more instance with a chain of its own: a copy of the first state that took another name. Its chain is handed over in a copy of the
    container that has none else, and carried from there, as a push looks at all chains: 10,000 of them would take hours."""
    at = f"{work}/next{number}"
    shutil.copytree(work + "/seed", at)
    run("-C", at, "init", "-q", "--renew-instance", f"--name=i{number}")
    run("-C", at, "put", "-q", json.dumps({"_id": f"i{number}", "_type": "instance", "n": number}))
    run("-C", at, "config", "set", "container.hub.location", side)
    run("-C", at, "push", "-q", "hub")
    for part in ("transactions", "heads"):
        known = set(os.listdir(f"{container}/{part}"))
        for name in os.listdir(f"{side}/{part}"):
            if name not in known:
                os.rename(f"{side}/{part}/{name}", f"{container}/{part}/{name}")
    if keep:
        run("-C", at, "config", "set", "container.hub.location", container)
    else:
        shutil.rmtree(at)
    return at


def check(what, is_so):
    global wrong
    wrong += not is_so
    print(f"  {what}: {'yes' if is_so else 'NO'}")


def measure(chains):
    """An instance that knows all, and what comes to it."""
    shutil.rmtree(work + "/all", ignore_errors=True)
    authors = [another(chains + 1 + k, keep=True) for k in range(10)]
    chains += len(authors)
    first = timed("clone", "-q", container, work + "/all")
    over = timed("clone", "-q", far.at("many.sea"), work + "/over", place=far)
    shutil.rmtree(work + "/over")
    run("-C", work + "/all", "add-container", "-q", "far", far.at("many.sea"), place=far)
    run("-C", work + "/all", "sync", "-q", "far", place=far)
    nothing = asked(work + "/all")
    near = timed("-C", work + "/all", "sync", "-q", "origin")
    news = []
    for few in (1, 10):
        # Those that are known have written something more each.
        for number, at in enumerate(authors[:few]):
            run("-C", at, "put", "-q", json.dumps({"_type": "news", "n": number}))
            run("-C", at, "push", "-q", "hub")
        time.sleep(3.1)
        news.append((few, *asked(work + "/all")))
    for at in authors:
        shutil.rmtree(at)
    pages = -(-chains // 1000)
    for few, lines, _, _ in news:
        check(f"{lines} lines for {few} with news are at most {nothing[0]} and 2 for each", lines <= nothing[0] + 2 * few)
    print(
        f"{chains:6} chains: first sync {first:7.2f} s, over {far.name} {over:7.2f} s; nothing new {near:6.3f} s, "
        f"over {far.name} {nothing[0]} lines ({nothing[1]} reads), {nothing[2]:.3f} s"
        + "".join(f"; {few} with news {lines} lines ({gets} reads), {took:.3f} s" for few, lines, gets, took in news)
        + f"   aim: 3 and {pages} of a listing",
        flush=True)
    return chains


run("init", "-q", "--content-type=org.example.bench", "--name=seed", work + "/seed")
run("-C", work + "/seed", "put", "-q", '{"_id":"first"}')
run("-C", work + "/seed", "add-container", "-q", "--create", "hub", container)
run("-C", work + "/seed", "push", "-q")
shutil.copytree(container, side)
for place in (container, side):
    os.makedirs(place + "/heads", exist_ok=True)
print(f"{instances} instances, of which {writers} write at once")
made, start = 1, time.monotonic()
for stop in sorted({one for one in curve if one <= instances} | {instances}):
    while made < stop:
        made += 1
        another(made)
    print(f"{made:6} chains made in {time.monotonic() - start:.0f} s", flush=True)
    made = measure(made)

# Those that write at once know all that is there.
at = [f"{work}/w{k}" for k in range(writers)]
start = time.monotonic()
for k in range(writers):
    shutil.copytree(work + "/all", at[k])
    run("-C", at[k], "init", "-q", "--renew-instance", f"--name=w{k}")
print(f"{writers} writers made in {time.monotonic() - start:.1f} s")


def write(k):
    for number in range(rounds):
        # One of their own, and one that all of them write.
        run("-C", at[k], "put", "-q", json.dumps({"_id": f"w{k}/{number}", "n": number}))
        run("-C", at[k], "set", "-q", "--create", "shared", f"w{k}:={number}")
        run("-C", at[k], "sync", "-q", "origin", statuses=(0, 8))


start = time.monotonic()
with concurrent.futures.ThreadPoolExecutor(writers) as pool:
    list(pool.map(write, range(writers)))
print(f"{writers * rounds} syncs at once, each after two puts: {time.monotonic() - start:.1f} s")
start, turns = time.monotonic(), 0
while True:
    turns += 1
    moved = 0
    for one in at:
        summary = json.loads(run("-C", one, "--json", "sync", "origin").splitlines()[-1])
        moved += summary["pulled"] + summary["pushed"]
    if not moved or turns == 10:
        break
print(f"quiet after {turns} turns of all, {time.monotonic() - start:.1f} s")
heads = {run("-C", one, "heads", "--json") for one in at}
records = {run("-C", one, "dump") for one in at}
check("all have the same heads", len(heads) == 1)
check("all have the same records", len(records) == 1)
lines = records.pop().splitlines()
check(
    f"each record is there ({len(lines)})",
    len([one for one in lines if '"_id":"w' in one]) == writers * rounds
    and len([one for one in lines if '"_type":"instance"' in one]) == made - 1)
report = run("--json", "verify", container, statuses=(0, 5, 8)).splitlines()
summary = json.loads(report[-1])
check("the container verifies", summary["exit"] == 0)
chains = [json.loads(line) for line in report if '"event":"chain"' in line]
print(f"  {len(chains)} chains in the container")
for one in at:
    shutil.rmtree(one)
sys.exit(1 if wrong else 0)
