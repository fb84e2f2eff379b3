#!/usr/bin/env python3
"""The pages of sea studio with 1,000,000 records of six types, two of them rare: how long each takes, and the memory of
the program, also when eight slow pages are opened at once. Of three times, the second best counts. An index serves one
of the orders.

usage: studio.py BUILD [COUNT]   (the folder of sea and sea-studio)"""
import concurrent.futures, http.client, os, random, re, subprocess, sys, tempfile, time, urllib.parse

build, count = os.path.realpath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
MOST_MEMORY = 200
# The page, its address, and the aim in ms. Pages that read all records can take 3 s.
PAGES = [
    ("all records", "/", 100), ("all records, from the middle", "/?after=8", 100), ("a record", None, 50),
    ("a common type", "/?type=note", 100), ("a type of 10,000", "/?type=seldom", 100), ("a type of 100", "/?type=rare", 100),
    ("the end of a type of 100", "/?type=rare&after=f", 100), ("an indexed order", "/?type=note&sort=n", 100),
    ("an indexed order, page 20, descending", "/?type=note&sort=-n&page=19", 100),
    ("a condition that half match", "/?where=n%3C500000", 100), ("a condition that few match", "/?where=n%3C10", 3000),
    ("a condition that few match, from the middle", "/?after=8&where=n%3C10", 3000),
    ("a condition that none match", "/?where=title%3D'x'", 3000), ("an indexed condition", "/?type=note&where=n%3D1", 100),
    ("an indexed condition that half match", "/?type=note&where=n%3C500000", 3000),
    ("a search that few match", "/?q=qqq", 3000), ("an order by numbers", "/?sort=n", 3000),
    ("an order by texts", "/?type=note&sort=title", 3000), ("page 200 of an order", "/?sort=title&page=199", 3000),
    ("an order with a condition", "/?sort=n&where=n%3E500000", 3000),
]
SLOW = ["/?sort=n", "/?sort=title", "/?sort=title&page=199", "/?sort=n&where=n%3E500000", "/?q=qqq", "/?type=note&sort=title", "/?sort=body", "/?where=title%3D'x'"]


def records():
    rng = random.Random(7)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 9))) for _ in range(4000)]
    for k in range(count):
        place = rng.random()
        kind = "rare" if place < 1e-4 else "seldom" if place < 1e-2 else rng.choice(["note", "task", "contact", "book"])
        extra = ',"extra":%d' % rng.randint(0, 99) if rng.random() < 0.3 else ""
        yield (
            f'{{"_id":"{rng.getrandbits(64):016x}","_type":"{kind}","n":{rng.randint(0, 10**6)},"title":"{" ".join(rng.choices(words, k=4))}",'
            f'"done":{"true" if k % 3 else "false"},"body":"{" ".join(rng.choices(words, k=7))}"{extra}}}\n')


class Studio:
    def __init__(self, folder):
        self.process = subprocess.Popen(
            [build + "/sea-studio", "--no-open"], env=os.environ | {"SEA_DIR": folder}, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        self.address, self.cookie = urllib.parse.urlsplit(self.process.stdout.readline().strip()), ""
        self.connection = self.connect()
        answer, _, _ = self.get(f"{self.address.path}?{self.address.query}")
        self.cookie = answer.getheader("set-cookie").split(";")[0]

    def connect(self): return http.client.HTTPConnection(self.address.netloc, timeout=60)

    def get(self, target, connection=None):
        start = time.perf_counter()
        connection = connection or self.connection
        connection.request("GET", target, headers={"cookie": self.cookie})
        answer = connection.getresponse()
        text = answer.read().decode()
        return answer, text, (time.perf_counter() - start) * 1000

    def memory(self, name):
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(name + r":\s+(\d+)", file.read()).group(1)) // 1024


with tempfile.TemporaryDirectory(prefix="sea-studio.") as work:
    subprocess.run([build + "/sea", "init", "-q", "--name=bench", work], check=True)
    with subprocess.Popen([build + "/sea", "-C", work, "put", "-q", "--chunk=100000", "-"], stdin=subprocess.PIPE, text=True) as put:
        put.stdin.writelines(records())
        put.stdin.close()
        if put.wait(): raise SystemExit("sea put failed")
    subprocess.run([build + "/sea", "-C", work, "reindex", "-q", "--add=n=note:/n"], check=True)
    studio, slow = Studio(work), 0
    try:
        some = re.search(r'href="(/record\?id=[^"]+)"', studio.get("/")[1]).group(1)
        for name, target, aim in PAGES:
            times = []
            for _ in range(3):
                answer, text, took = studio.get(target or some)
                if answer.status != 200: raise SystemExit(f"{target}: {answer.status}")
                times.append(took)
            took = sorted(times)[1]
            slow += took > aim
            print(f"{name:45}{took:8.1f} ms  aim {aim:5}  {studio.memory('VmRSS'):4} MB", flush=True)
        start = time.perf_counter()
        with concurrent.futures.ThreadPoolExecutor(len(SLOW)) as pool:
            for target, (answer, _, _) in zip(SLOW, pool.map(lambda target: studio.get(target, studio.connect()), SLOW)):
                if answer.status != 200: raise SystemExit(f"{target}: {answer.status}")
        print(f"{'eight slow pages at once':45}{(time.perf_counter() - start) * 1000:8.1f} ms             {studio.memory('VmRSS'):4} MB")
        peak = studio.memory("VmHWM")
        print(f"{'the most memory':45}{peak:8} MB  aim {MOST_MEMORY:5}")
    finally:
        studio.process.terminate()
        studio.process.wait()
raise SystemExit(1 if slow or peak > MOST_MEMORY else 0)
