# sealed: yes
t 'push gives and pull takes' <<'EOT'
sea init -q --name=one one
sea -C one add-container -q --create team "$PWD/team"
status 0 sea -C one push
echo 'team: pushed 1' | same out
sea clone -q --name=two team two
sea -C one set -q --create a n:=1
sea -C two set -q --create b n:=2
sea -C one push -q
status 0 sea -C two pull
echo 'origin: pulled 1' | same out
[ "$(sea -C two get a n)" = 1 ]
[ "$(find team/transactions -type f | wc -l)" = 2 ]
status 0 sea -C two push
echo 'origin: pushed 2' | same out
status $NOT_FOUND sea -C one get b
EOT

t 'only what is named' <<'EOT'
sea -C one add-container -q --create --no-auto archive "$PWD/archive"
sea -C one set -q --create c n:=1
status 0 sea -C one push
echo 'team: pushed 1' | same out
status 0 sea -C one push archive
echo 'archive: pushed 3' | same out
status $NOT_FOUND sea -C one push archive nowhere
says err "container 'nowhere' does not exist"
EOT

t 'a read-only container is only taken from' <<'EOT'
sea clone -q --name=three archive three
sea -C three remove-container -q origin
pulled=2
sea -C three add-container -q --read-only team "$PWD/team"
status 0 sea -C three sync
echo "team: pulled $pulled, pushed 0" | same out
status 0 sea -C three push
[ ! -s out ]
status $DENIED sea -C three push team
says err 'read-only'
EOT

t 'the frozen lines say so too' <<'EOT'
status 0 sea -C three pull --porcelain
echo 'team	read-only	0	0	0	0	0' | same out
EOT

t 'a container that lost blocks is filled up again' <<'EOT'
rm -r team/transactions
status 0 sea -C one push
says err 'warning[rolled-back]'
says out 'team: pushed 3'
status 0 sea -C two push
status 0 sea verify team
EOT

t 'lost and damaged files of a container are restored and reported' <<'EOT'
sea init -q --name=heal heal
sea -C heal add-container -q --create mended "$PWD/mended"
for n in 1 2 3; do sea -C heal set -q --create a n:=$n; done
sea -C heal sync -q
status 0 sea -C heal containers --probe
block=$(find mended/transactions -name 2 -type f)
cp "$block" good
rm "$block"
status $CORRUPT sea -C heal containers --probe --porcelain
says out 'damaged'
status 0 sea -C heal sync
echo 'mended: pulled 0, pushed 1, 1 lost block restored' | same out
cmp good "$block"
chmod u+w "$block"
printf 'no block' >"$block"
status 0 sea -C heal push --full --json
says out '"healed":1'
cmp good "$block"
status 0 sea verify mended
EOT

t 'a put opens no container' <<'EOT'
strace -f -o calls -e trace=%file sea -C heal set -q a n:=9
grep -q 'heal/.sea' calls || grep -q '"db' calls
fails grep -q mended calls
sea -C heal sync -q
EOT

t 'a block that has not arrived yet is status 8 and no damage' <<'EOT'
block=$(find mended/transactions -name 2 -type f)
mv "$block" away
: >"$(dirname "$block")/.2.icloud"
status $PARTIAL sea -C heal sync
says out 'mended: pulled 0, pushed 0'
says err 'incomplete'
status $PARTIAL sea -C heal containers --probe --porcelain
says out 'incomplete'
says out 'mended'
for n in 1 2; do status $PARTIAL sea -C heal -c sync.patience=1h sync -q; done
status 0 sea -C heal -c sync.patience=0 sync
says out '1 lost block restored'
EOT

t '-n reports exactly what is transferred afterwards' <<'EOT'
${PYTHON:-/usr/bin/python3} - <<'PY'
import os, random, re, subprocess
random.seed(os.environ["SEA_TEST_SEED"])
def sea(*words): return subprocess.run(["sea", *words], stdout=subprocess.PIPE, check=True, text=True).stdout
def moved(text): return re.findall(r"^(\w+): (?:would have )?pulled (\d+), pushed (\d+)", text, re.M)
names, places = ["p0", "p1", "p2", "p3"], ["north", "south", "west"]
sea("init", "-q", "--name=p0", "p0")
for place in places: sea("-C", "p0", "add-container", "-q", "--create", place, os.path.abspath("plan-" + place))
sea("-C", "p0", "sync", "-q")
for name in names[1:]:
    sea("clone", "-q", f"--name={name}", "plan-north", name)
    sea("-C", name, "config", "set", "merge.auto", "off")
    sea("-C", name, "remove-container", "-q", "origin")
    for place in places: sea("-C", name, "add-container", "-q", place, os.path.abspath("plan-" + place))
count = 0
for step in range(40):
    name = random.choice(names)
    for k in range(random.randrange(4)):
        sea("-C", name, "set", "-q", "--create", f"{name}/{step}/{k}", f"n:={k}")
    words = [random.choice(["sync", "sync", "pull", "push"]), *random.sample(places, random.randint(1, 3))]
    plan, done = moved(sea("-C", name, *words, "-n")), moved(sea("-C", name, *words))
    assert plan == done, (step, name, words, plan, done)
    count += sum(int(a) + int(b) for _, a, b in done)
assert count > 50, count
PY
EOT
