#!/usr/bin/env python3
"""Three instances work at random and meet through two containers, until all of them know the same.

usage: random_work.py SEED ROUNDS      makes one, two, three, left and right in the current directory, with `sea` of PATH

Instance one knows the container left, three knows right, two knows both. They put values of every kind, edit each
other's records without knowing of each other, delete, count, add to sets, resolve and sync.
"""
import base64, json, random, subprocess, sys

rng = random.Random(int(sys.argv[1]) if sys.argv[1].isdecimal() else sys.argv[1])
IDS = [f"{kind}/{n}" for kind in ("a", "b", "ü") for n in range(12)]
TEXTS = ["", "a", "Zoë", "日本", "\U0001f426", 'quote " and \\', "line\nfeed\ttab", "\u0001\u007f\u0085\u2028", "$", "/~"]

def sea(instance, *words, stdin=None, may=(0,)):
    done = subprocess.run(["sea", "-C", instance, *words], input=stdin, capture_output=True)
    if done.returncode not in may:
        sys.exit(f"sea -C {instance} {words}: {done.returncode}\n{done.stderr.decode()}{(stdin or b'').decode()}")
    return done.stdout.decode()

def number():
    """A number as JSON text: of every size and precision, also as scales and exponents that a double cannot keep."""
    digits = str(rng.randrange(10 ** rng.choice([1, 2, 3, 9, 16, 17, 19, 20, 21, 60])))
    sign = rng.choice(["", "-"])
    return sign + rng.choice([
        digits, digits, f"{digits}.{rng.randrange(10**6):06}", f"{rng.random()!r}", f"0.{'0' * rng.randrange(30)}{digits}",
        f"{rng.randrange(1, 10)}e{rng.randrange(-30, 40)}", f"{rng.uniform(0, 1e3) * 10.0 ** rng.randrange(-300, 300)!r}",
        str(2 ** rng.choice([24, 31, 32, 53, 54, 63, 64, 65, 80]) + rng.randrange(-1, 2)), "1.50", "1e400", "5e-324"])

def scalar():
    return rng.choice([
        number, number, number, lambda: json.dumps(rng.choice(TEXTS), ensure_ascii=False), lambda: json.dumps(rng.choice(TEXTS)),
        lambda: rng.choice(["true", "false"]),
        lambda: '{"$decimal":"%s%d.%0*d"}' % (rng.choice(["", "-"]), rng.randrange(1000), rng.randrange(1, 50), rng.randrange(10)),
        lambda: '{"$decimal":"%dE%+d"}' % (rng.randrange(-999, 999), rng.randrange(-9000, 9000)),
        lambda: '{"$int":"%d"}' % rng.randrange(-10**30, 10**30),
        lambda: '{"$date":"%04d-%02d-%02dT%02d:%02d:%02d%sZ"}' % (
            rng.randrange(1, 10000), rng.randrange(1, 13), rng.randrange(1, 29), rng.randrange(24), rng.randrange(60),
            rng.randrange(60), rng.choice(["", f".{rng.randrange(1000):03}"])),
        lambda: '{"$day":"%04d-%02d-%02d"}' % (rng.randrange(1, 10000), rng.randrange(1, 13), rng.randrange(1, 29)),
        lambda: '{"$data":"%s"}' % base64.b64encode(rng.randbytes(rng.randrange(40))).decode(),
        lambda: '{"$ref":%s%s}' % (json.dumps(rng.choice(IDS)), rng.choice(["", ',"as":"owner"']))])()

def value(level=0):
    if level > 3 or rng.random() < 0.6:
        return scalar()
    many = [value(level + 1) if rng.random() < 0.95 else "null" for _ in range(rng.randrange(4))]
    if rng.random() < 0.4:
        return "[" + ",".join(many) + "]"
    named = ",".join(f"{json.dumps(name)}:{one}" for name, one in zip(["k", "", "longer", "$odd", "é"], many))
    return '{"$dict":{"$first":%s%s}}' % (scalar(), "," * bool(many) + named) if rng.random() < 0.2 else \
        "{" + ",".join(f"{json.dumps(name)}:{one}" for name, one in zip(["k", "", "longer", "é"], many)) + "}"

def record(ident):
    """A record or a patch; the type is sometimes missing, sometimes another."""
    names = rng.sample(["n", "text", "dict", "list", "x", "y", "a much longer name of a property", "ё"], rng.randrange(1, 6))
    kind = rng.choice(["", '"_type":"thing",', '"_type":"thing",', '"_type":"other",'])
    return '{"_id":%s,%s%s}' % (json.dumps(ident), kind, ",".join(f"{json.dumps(n)}:{value()}" for n in names))

def put(instance):
    lines = "\n".join(record(i) for i in rng.sample(IDS, rng.randrange(1, 8)))
    sea(instance, "put", *rng.choice([[], [], ["--chunk=2"]]), "-", stdin=lines.encode(), may=(0,))

def patch(instance):
    known = sea(instance, "query", "--ids").split("\n")[:-1]
    if known:
        lines = "\n".join(record(i) for i in rng.sample(known, min(len(known), 3)))
        sea(instance, "put", "--merge-patch", "-", stdin=lines.encode())

def count(instance):
    ident = rng.choice(IDS)
    steps = [f"hits:counter{rng.choice('+-')}={rng.randrange(1, 10**rng.randrange(1, 12))}"] if rng.random() < 0.7 else []
    steps += [f"tags:set{rng.choice('+++-')}={rng.choice(['red', 'green', 'blue', ''])}" for _ in range(rng.randrange(3))]
    if steps:
        sea(instance, "set", "--create", "--replace-type", ident, steps[0])
        for step in steps[1:]:
            sea(instance, "set", "--replace-type", ident, step)

def delete(instance):
    known = sea(instance, "query", "--ids").split("\n")[:-1]
    if known:
        sea(instance, "delete", *rng.sample(known, min(len(known), rng.randrange(1, 3))))

def resolve(instance):
    ids = [json.loads(line)["id"] for line in sea(instance, "--json", "conflicts").split("\n")[:-1]]
    if ids:
        sea(instance, "resolve", rng.choice(["--winner", "--ours", "--theirs"]), rng.choice(ids), may=(0, 4))

def sync(instance):
    sea(instance, "sync", "-q")

sea(".", "init", "-q", "--name=one", "--content-type=org.example.random", "one")
put("one")
sea("one", "add-container", "-q", "--create", "left", "../left")
sync("one")
sea(".", "clone", "-q", "--name=two", "left", "two")
sea("two", "add-container", "-q", "--create", "right", "../right")
sync("two")
sea(".", "clone", "-q", "--name=three", "right", "three")
for _ in range(int(sys.argv[2])):
    rng.choice([put, put, patch, count, count, delete, resolve, sync])(rng.choice(["one", "two", "three"]))
quiet = 0
while quiet < 3:
    for instance in ("one", "two", "three"):
        summary = json.loads(sea(instance, "--json", "sync").split("\n")[-2])
        quiet = 0 if summary["pulled"] + summary["pushed"] else quiet + 1
