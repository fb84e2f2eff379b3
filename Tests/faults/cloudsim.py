#!/usr/bin/env python3
"""A cloud drive that behaves badly, over several machines: nothing acknowledged may be lost, all end equal, nobody says ok meanwhile wrongly.

usage: cloudsim.py SEED RUNS [copies] [losses]   (sea on PATH). Prints one line per failing run and a sum.
Each machine has its own replica of the shared folder; the cloud carries single files between replicas in random order and delay, keeps
the first of two different files of one name and renames the other to "NAME (conflicted copy)". With `losses` a replica may lose or
empty a file that the cloud holds; with `copies` a machine is cloned in the middle (same machine id, own state folder).
At the end all machines have the same records, the container verifies, and what was set aside is no block and no two files of one content."""
import os, random, re, shutil, subprocess, sys, tempfile, json
seed, runs = int(sys.argv[1]), int(sys.argv[2]); copies, losses = "copies" in sys.argv, "losses" in sys.argv

class Machine:
    def __init__(self, name): self.name, self.drive = name, os.path.join(name, "drive")
    def run(self, *command):
        """Every machine sees itself at the same path: a mount namespace of its own."""
        env = {**os.environ, "HOME": here, "XDG_STATE_HOME": here + "/state"}
        return subprocess.run(["unshare", "-m", "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"', os.path.join(base, self.name), here, *command], capture_output=True, text=True, env=env, timeout=60, cwd=base)
    def sea(self, *args):
        r = self.run("sea", "-C", here + "/db", *args)
        self.last = r
        return r

def files(root):
    out = {}
    for d, _, names in os.walk(root):
        for n in names:
            p = os.path.join(d, n)
            if ".sea-tmp" in n: continue
            try: out[os.path.relpath(p, root)] = open(p, "rb").read()
            except OSError: pass
    return out

def put(root, rel, data):
    p = os.path.join(root, rel); os.makedirs(os.path.dirname(p), exist_ok=True)
    with open(p + ".part", "wb") as f: f.write(data)
    os.replace(p + ".part", p)

def carry(machine, share):
    """Moves a random part of what differs, both ways."""
    root = os.path.join(base, machine.drive); mine = files(root); names = list(set(mine) | set(cloud)); rnd.shuffle(names)
    for n in names:
        if rnd.random() > share: continue
        a, b = mine.get(n), cloud.get(n)
        if a == b: continue
        if n in replaced.get(machine.name, ()) and b is not None: put(root, n, b); replaced[machine.name].discard(n); continue
        if b is None: cloud[n] = a
        elif a is None: put(root, n, b)
        elif n == "info.json" or n.endswith(".blocks") and (a.startswith(b) or b.startswith(a)): (cloud.__setitem__(n, max(a, b, key=len)), put(root, n, max(a, b, key=len)))
        elif a == synced.get((machine.name, n)): put(root, n, b)
        elif b == synced.get((machine.name, n)): cloud[n] = a
        else:
            other = n + " (conflicted copy)"; k = 1
            while other in cloud and cloud[other] != a: k += 1; other = f"{n} (conflicted copy {k})"
            cloud[other] = a; put(root, other, a); put(root, n, b)
        synced[(machine.name, n)] = cloud.get(n)

bad = 0
for run in range(runs):
    rnd = random.Random(seed * 100003 + run); base = tempfile.mkdtemp(prefix="cloudsim."); here = base + "/here"; os.mkdir(here); cloud, synced, replaced, want, trouble = {}, {}, {}, set(), []
    try:
        machines = [Machine("m0")]; m = machines[0]; os.makedirs(os.path.join(base, "m0"))
        r = m.run("sea", "init", "-q", "--name=m0", here + "/db"); assert r.returncode == 0, r.stderr
        m.sea("add-container", "--create", "origin", here + "/drive"); m.sea("sync"); carry(m, 1.0)
        for k in range(1, rnd.randint(2, 4)):
            n = Machine(f"m{k}"); os.makedirs(os.path.join(base, n.name)); carry(n, 1.0)
            r = n.run("sea", "clone", "-q", "--name=" + n.name, here + "/drive", here + "/db"); assert r.returncode == 0, r.stderr; machines.append(n)
        for step in range(rnd.randint(15, 40)):
            m = rnd.choice(machines); act = rnd.random()
            if act < 0.45:
                i = f"r{step}" if rnd.random() < 0.7 else f"s{rnd.randint(0, 3)}"; r = m.sea("set", "-q", "--create", i, f"p{rnd.randint(0, 5)}={step}")
                if r.returncode == 0: want.add(i)
                else: trouble.append(f"set on {m.name}: {r.returncode} {r.stderr.strip()[-80:]}")
            elif act < 0.75:
                r = m.sea("sync", "-q")
                if r.returncode not in (0, 5, 8): trouble.append(f"sync on {m.name}: {r.returncode} {r.stderr.strip()[-80:]}")
                if r.returncode < 0: trouble.append("signal")
            elif act < 0.97 or not (copies or losses): carry(m, rnd.choice([0.3, 0.7, 1.0]))
            elif copies and len(machines) < 5 and rnd.random() < 0.5:
                n = Machine(f"m{len(machines)}"); shutil.copytree(os.path.join(base, m.name), os.path.join(base, n.name)); machines.append(n)
                for (who, f), v in list(synced.items()):
                    if who == m.name: synced[(n.name, f)] = v
            elif losses:
                mine = [f for f in files(os.path.join(base, m.drive)) if f.startswith("transactions/") and f in cloud]
                if mine:
                    f = rnd.choice(mine); p = os.path.join(base, m.drive, f)
                    if rnd.random() < 0.5: os.remove(p)
                    else: os.chmod(p, 0o644); open(p, "wb").close()
                    cloud.pop(f, None) if os.path.exists(p) is False and rnd.random() < 0.5 else replaced.setdefault(m.name, set()).add(f)
        codes = {}
        for quiet in range(10):
            for m in machines: carry(m, 1.0); codes[m.name] = m.sea("sync", "-q").returncode; carry(m, 1.0)
        views = {}
        for m in machines:
            rows = [json.loads(l) for l in m.sea("query", "--json").stdout.splitlines()]; views[m.name] = {r["_id"]: json.dumps(r, sort_keys=True) for r in rows}
            lost = want - set(views[m.name])
            if lost: trouble.append(f"{m.name} (sync {codes[m.name]}) lacks {len(lost)}: {sorted(lost)[:4]}")
        if len({json.dumps(v, sort_keys=True) for v in views.values()}) > 1: trouble.append("not equal: " + " ".join(f"{k}:{len(v)}" for k, v in views.items()))
        for m in machines:
            aside, others = [], []
            for n, data in files(os.path.join(base, m.drive)).items(): (aside if re.search(r"\.damaged-[0-9a-f]{8}( \(conflicted copy.*)?$", n) else others).append(data)
            if len(set(aside)) < len(aside): trouble.append(f"{m.name} has {len(aside)} files set aside of {len(set(aside))} contents")
            if set(aside) & set(others): trouble.append(f"{m.name} has a block set aside")
        r = subprocess.run(["sea", "verify", os.path.join(base, machines[0].drive)], capture_output=True, text=True, cwd=base)
        if r.returncode: trouble.append("container: " + (r.stdout + r.stderr).strip().splitlines()[-1][-120:].replace(base, ""))
    finally: shutil.rmtree(base, ignore_errors=True)
    if trouble: bad += 1; print(f"run {run}: " + "; ".join(trouble[:3]))
print(f"{runs - bad} of {runs} runs end well")
sys.exit(bad > 0)
